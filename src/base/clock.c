/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <stdio.h>
#include <string.h>

#include "sys.h"

int64_t fer_clock_mono(void)
{
    struct timespec t = {0};
    if (fer_sys_clock(CLOCK_MONOTONIC, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t fer_clock_wall_us(void)
{
    struct timespec t = {0};
    if (fer_sys_clock(CLOCK_REALTIME, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t fer_clock_wall(void)
{
    return fer_clock_wall_us() / 1000;
}

/* `part` of a second, in so many digits. */
static void format(int64_t wall_s, int part, int digits, char out[FER_TIMESTAMP])
{
    time_t seconds = (time_t)wall_s;
    struct tm tm;
    char date[24];
    if (wall_s < 0 || part < 0 || !gmtime_r(&seconds, &tm) || tm.tm_year > 8099) {
        memcpy(date, "1970-01-01T00:00:00", 20);
        part = 0;
    } else {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    }
    snprintf(out, FER_TIMESTAMP, "%s.%0*dZ", date, digits, part);
}

void fer_clock_format(int64_t wall_ms, char out[FER_TIMESTAMP])
{
    format(wall_ms / 1000, (int)(wall_ms % 1000), 3, out);
}

void fer_clock_format_us(int64_t wall_us, char out[FER_TIMESTAMP])
{
    format(wall_us / 1000000, (int)(wall_us % 1000000), 6, out);
}
