/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time, behind the seam. Durations and deadlines use the monotonic clock; the
 * wall clock is only for showing. Any thread.
 */
#ifndef FER_CLOCK_H
#define FER_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds since some fixed point; never goes back. */
int64_t fer_clock_mono(void);
/* Milliseconds since 1970, UTC. */
int64_t fer_clock_wall(void);
/* Microseconds since 1970, UTC. */
int64_t fer_clock_wall_us(void);
/* RFC 3339 with milliseconds, such as "2026-11-15T23:36:01.042Z"; `out` holds FER_TIMESTAMP bytes.
 */
#define FER_TIMESTAMP 32
void fer_clock_format(int64_t wall_ms, char out[FER_TIMESTAMP]);
/* The same with microseconds. */
void fer_clock_format_us(int64_t wall_us, char out[FER_TIMESTAMP]);

#endif
