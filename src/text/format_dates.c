/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates, times and durations by RFC 3339. A leap second is the last second of a month, in
 * UTC; whether that month had one is not asked, because nobody knows it of the future.
 */
#include "formats_shared.h"

struct moment {
    unsigned year, month, day;
    unsigned hour, minute, second;
    int offset; /* minutes east of UTC */
};

/* ---- fields --------------------------------------------------------------------------------- */

/* The number of `count` digits at `at`, which the text is long enough for. */
static bool read_number(fer_str s, size_t at, size_t count, unsigned *out)
{
    unsigned n = 0;
    for (size_t i = at; i < at + count; i++) {
        if (!fer_is_digit(s.ptr[i])) return false;
        n = n * 10 + (unsigned)(s.ptr[i] - '0');
    }
    *out = n;
    return true;
}

static unsigned days_in(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* full-date, all of the text. */
static bool read_date(fer_str s, struct moment *m)
{
    if (s.len != 10 || s.ptr[4] != '-' || s.ptr[7] != '-') return false;
    if (!read_number(s, 0, 4, &m->year) || !read_number(s, 5, 2, &m->month) ||
        !read_number(s, 8, 2, &m->day))
        return false;
    return m->month >= 1 && m->month <= 12 && m->day >= 1 && m->day <= days_in(m->year, m->month);
}

/* time-offset, all of the text. */
static bool read_offset(fer_str s, int *out)
{
    unsigned hours, minutes;
    if (s.len == 1 && fer_lower(s.ptr[0]) == 'z') {
        *out = 0;
        return true;
    }
    if (s.len != 6 || (s.ptr[0] != '+' && s.ptr[0] != '-') || s.ptr[3] != ':') return false;
    if (!read_number(s, 1, 2, &hours) || !read_number(s, 4, 2, &minutes)) return false;
    if (hours > 23 || minutes > 59) return false;
    int offset = (int)(hours * 60 + minutes);
    *out = s.ptr[0] == '-' ? -offset : offset;
    return true;
}

/* full-time, all of the text. Second 60 is the one after 23:59:59 UTC. */
static bool read_time(fer_str s, struct moment *m)
{
    size_t at = 8;
    if (s.len < 9 || s.ptr[2] != ':' || s.ptr[5] != ':') return false;
    if (!read_number(s, 0, 2, &m->hour) || !read_number(s, 3, 2, &m->minute) ||
        !read_number(s, 6, 2, &m->second))
        return false;
    if (s.ptr[at] == '.') {
        size_t first = ++at;
        while (at < s.len && fer_is_digit(s.ptr[at])) at++;
        if (at == first) return false;
    }
    if (!read_offset(fer_str_slice(s, at, s.len), &m->offset)) return false;
    if (m->hour > 23 || m->minute > 59 || m->second > 60) return false;
    if (m->second < 60) return true;
    int utc = (int)(m->hour * 60 + m->minute) - m->offset;
    return (utc + 24 * 60) % (24 * 60) == 24 * 60 - 1;
}

/*
 * Whether a leap second lies on the last day of a month, in UTC. Where the clock is ahead of
 * UTC the new month has begun there; otherwise both have the same day.
 */
static bool ends_month(const struct moment *m)
{
    return m->offset > 0 ? m->day == 1 : m->day == days_in(m->year, m->month);
}

/* ---- formats ------------------------------------------------------------------------------------
 */

int fer_format_date(fer_arena *scratch, fer_str s)
{
    struct moment m;
    (void)scratch;
    return read_date(s, &m);
}

int fer_format_time(fer_arena *scratch, fer_str s)
{
    struct moment m;
    (void)scratch;
    return read_time(s, &m);
}

int fer_format_date_time(fer_arena *scratch, fer_str s)
{
    struct moment m;
    (void)scratch;
    if (s.len < 11 || fer_lower(s.ptr[10]) != 't') return 0;
    if (!read_date(fer_str_slice(s, 0, 10), &m) || !read_time(fer_str_slice(s, 11, s.len), &m))
        return 0;
    return m.second < 60 || ends_month(&m);
}

/*
 * One or more numbers with units, each unit the one that comes right after the one before
 * ("H" may be followed by "M", not by "S"). ABNF ignores the case of letters.
 */
static bool read_units(fer_str s, size_t *at, const char *units)
{
    const char *next = NULL; /* the one unit that may come; NULL: any may begin */
    while (*at < s.len && fer_is_digit(s.ptr[*at])) {
        while (*at < s.len && fer_is_digit(s.ptr[*at])) (*at)++;
        char unit = *at < s.len ? fer_lower(s.ptr[*at]) : '\0';
        if (unit == '\0') return false;
        const char *found = next ? next : strchr(units, unit);
        if (!found || *found != unit) return false;
        next = found + 1;
        (*at)++;
    }
    return next != NULL;
}

int fer_format_duration(fer_arena *scratch, fer_str s)
{
    size_t at = 1;
    (void)scratch;
    if (s.len < 3 || fer_lower(s.ptr[0]) != 'p') return 0;
    if (fer_lower(s.ptr[s.len - 1]) == 'w') return read_units(s, &at, "w") && at == s.len;
    if (fer_lower(s.ptr[at]) != 't' && !read_units(s, &at, "ymd")) return 0;
    if (at == s.len) return 1;
    if (fer_lower(s.ptr[at]) != 't') return 0;
    at++;
    return read_units(s, &at, "hms") && at == s.len;
}
