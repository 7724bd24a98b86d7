/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the spans of calls to a collector, as OTLP over HTTP with JSON. Spans are gathered and sent
 * once a second, or once there are FER_TRACE_BATCH of them, one request at a time. What waits is
 * bounded: spans past FER_TRACE_QUEUE are dropped and counted, and no call ever waits for them. A
 * collector that is not there or busy is asked FER_TRACE_TRIES times. What is left when the gateway
 * stops has FER_TRACE_FLUSH_MS.
 *
 * Belongs to the thread of its gateway, and to the gateway itself, which closes and frees it.
 */
#ifndef FER_TRACE_EXPORT_H
#define FER_TRACE_EXPORT_H

#include <ferrule/gateway.h>

typedef struct fer_trace_export fer_trace_export;

void fer_trace_export_stats(const fer_trace_export *x, fer_trace_stats *out);
/* Sends what is left, as far as time allows, and ends. NULL is fine. */
void fer_trace_export_close(fer_trace_export *x);
/* After its loop has run once more. NULL is fine. */
void fer_trace_export_free(fer_trace_export *x);

#endif
