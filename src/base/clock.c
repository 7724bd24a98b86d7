/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

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

/* So many decimal digits, and what follows them. */
static char *put_digits(char *to, int value, int count, char behind)
{
    for (int i = count; i-- > 0; value /= 10) to[i] = (char)('0' + value % 10);
    to[count] = behind;
    return to + count + 1;
}

/* `part` of a second, in so many digits. */
static void format(int64_t wall_s, int part, int digits, char out[FER_TIMESTAMP])
{
    time_t seconds = (time_t)wall_s;
    struct tm tm;
    bool known = wall_s >= 0 && part >= 0 && gmtime_r(&seconds, &tm) && tm.tm_year <= 8099;
    if (!known) {
        tm = (struct tm){.tm_year = 70, .tm_mday = 1};
        part = 0;
    }
    char *at = put_digits(out, tm.tm_year + 1900, 4, '-');
    at = put_digits(at, tm.tm_mon + 1, 2, '-');
    at = put_digits(at, tm.tm_mday, 2, 'T');
    at = put_digits(at, tm.tm_hour, 2, ':');
    at = put_digits(at, tm.tm_min, 2, ':');
    at = put_digits(at, tm.tm_sec, 2, '.');
    *put_digits(at, part, digits, 'Z') = '\0';
}

void fer_clock_format(int64_t wall_ms, char out[FER_TIMESTAMP])
{
    format(wall_ms / 1000, (int)(wall_ms % 1000), 3, out);
}

void fer_clock_format_us(int64_t wall_us, char out[FER_TIMESTAMP])
{
    format(wall_us / 1000000, (int)(wall_us % 1000000), 6, out);
}
