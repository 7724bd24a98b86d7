/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <stdio.h>

#include "sys.h"

int64_t fer_clock_mono(void)
{
    struct timespec t = {0};
    if (fer_sys_clock(CLOCK_MONOTONIC, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t fer_clock_wall(void)
{
    struct timespec t = {0};
    if (fer_sys_clock(CLOCK_REALTIME, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void fer_clock_format(int64_t wall_ms, char out[FER_TIMESTAMP])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    if (wall_ms < 0 || !gmtime_r(&seconds, &tm) || tm.tm_year > 8099) {
        snprintf(out, FER_TIMESTAMP, "1970-01-01T00:00:00.000Z");
        return;
    }
    char date[24];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, FER_TIMESTAMP, "%s.%03dZ", date, (int)(wall_ms % 1000));
}
