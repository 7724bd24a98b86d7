/* SPDX-License-Identifier: Apache-2.0 */
/* Time: the form of a timestamp, and clocks that jump or fail. */
#include "rows.h"

#include <time.h>

#include "clock.h"

/* ---- timestamps ----------------------------------------------------------------------- */

#define DAY ((int64_t)86400000)

static const struct format_row {
    const char *name;
    int64_t ms;
    const char *expected;
} format_rows[] = {
    {"zero", 0, "1970-01-01T00:00:00.000Z"},
    {"one millisecond", 1, "1970-01-01T00:00:00.001Z"},
    {"the last millisecond of a second", 999, "1970-01-01T00:00:00.999Z"},
    {"one second", 1000, "1970-01-01T00:00:01.000Z"},
    {"the last millisecond of a day", DAY - 1, "1970-01-01T23:59:59.999Z"},
    {"the second day", DAY, "1970-01-02T00:00:00.000Z"},
    {"a billion seconds", 1000000000000, "2001-09-09T01:46:40.000Z"},
    {"the example of the header", 1794785761042, "2026-11-15T23:36:01.042Z"},
    {"leap day", 1709164800000, "2024-02-29T00:00:00.000Z"},
    {"end of the leap day", 1709164800000 + DAY - 1, "2024-02-29T23:59:59.999Z"},
    {"after the leap day", 1709164800000 + DAY, "2024-03-01T00:00:00.000Z"},
    {"2000 is a leap year", 951782400000, "2000-02-29T00:00:00.000Z"},
    {"2100 is none", 4107542400000, "2100-03-01T00:00:00.000Z"},
    {"past 31 bits of seconds", 2147483648000, "2038-01-19T03:14:08.000Z"},
    {"past 32 bits of seconds", 4294967296000, "2106-02-07T06:28:16.000Z"},
    {"the last of year 9999", 253402300799999, "9999-12-31T23:59:59.999Z"},
    /* What cannot be shown in four digits is shown as the beginning. */
    {"year 10000", 253402300800000, "1970-01-01T00:00:00.000Z"},
    {"the largest number", INT64_MAX, "1970-01-01T00:00:00.000Z"},
    {"just before the beginning", -1, "1970-01-01T00:00:00.000Z"},
    {"a day before the beginning", -DAY, "1970-01-01T00:00:00.000Z"},
    {"the smallest number", INT64_MIN, "1970-01-01T00:00:00.000Z"},
};

static void run_format(const struct format_row *row)
{
    char out[FER_TIMESTAMP];
    memset(out, '#', sizeof out);
    fer_clock_format(row->ms, out);
    assert_string_equal(out, row->expected);
    if (row->ms > INT64_MAX / 1000 || row->ms < INT64_MIN / 1000) return;
    char fine[FER_TIMESTAMP], want[FER_TIMESTAMP];
    fer_clock_format_us(row->ms * 1000, fine);
    snprintf(want, sizeof want, "%.23s000Z", row->expected);
    assert_string_equal(fine, want);
}

static const struct format_row fine_rows[] = {
    {"one microsecond", 1, "1970-01-01T00:00:00.000001Z"},
    {"the last microsecond of a second", 999999, "1970-01-01T00:00:00.999999Z"},
    {"one before the beginning", -1, "1970-01-01T00:00:00.000000Z"},
    {"the largest number", INT64_MAX, "1970-01-01T00:00:00.000000Z"},
    {"the smallest number", INT64_MIN, "1970-01-01T00:00:00.000000Z"},
};

static void run_fine(const struct format_row *row)
{
    char out[FER_TIMESTAMP];
    fer_clock_format_us(row->ms, out);
    assert_string_equal(out, row->expected);
}

/* ---- clocks under a plan ------------------------------------------------------------------ */

#define FAILS INT64_MIN

static const struct shift_row {
    const char *name;
    const char *plan;
    int64_t first;  /* seconds by which the first reading is ahead, or FAILS */
    int64_t second; /* and the second */
} shift_rows[] = {
    {"no plan", "", 0, 0},
    {"an hour ahead from the first on", "clock:+3600s@1+", 3600, 3600},
    {"an hour ahead once", "clock:+3600s@1", 3600, 0},
    {"an hour ahead from the second on", "clock:+3600s@2+", 0, 3600},
    {"a day behind", "clock:-86400s@1+", -86400, -86400},
    {"ahead, then behind", "clock:+60s@1;clock:-60s@2", 60, -60},
    {"nothing to add", "clock:+0s@1+", 0, 0},
    {"fails once", "clock@1", FAILS, 0},
    {"fails the second time", "clock:EIO@2", 0, FAILS},
    {"fails always", "clock:EACCES@1+", FAILS, FAILS},
};

static int64_t real_ms(clockid_t which)
{
    struct timespec t;
    assert_int_equal(clock_gettime(which, &t), 0);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void assert_reading(int64_t read_ms, int64_t before, int64_t after, int64_t ahead)
{
    if (ahead == FAILS) {
        assert_true(read_ms == 0);
    } else {
        assert_true(read_ms >= before + ahead * 1000);
        /* Before boot a rounded reading is up to a millisecond late. */
        assert_true(read_ms <= after + ahead * 1000 + 1);
    }
}

static void run_shift(const struct shift_row *row)
{
    int64_t reads[2];
    int64_t before = real_ms(CLOCK_REALTIME);
    assert_true(fer_faults_begin(row->plan));
    for (int i = 0; i < 2; i++) reads[i] = fer_clock_wall();
    assert_int_equal(fer_faults_calls("clock"), 2);
    int64_t after = real_ms(CLOCK_REALTIME);
    assert_reading(reads[0], before, after, row->first);
    assert_reading(reads[1], before, after, row->second);

    before = real_ms(CLOCK_MONOTONIC);
    assert_true(fer_faults_begin(row->plan));
    for (int i = 0; i < 2; i++) reads[i] = fer_clock_mono() / 1000000;
    fer_faults_begin(NULL);
    after = real_ms(CLOCK_MONOTONIC);
    assert_reading(reads[0], before, after, row->first);
    assert_reading(reads[1], before, after, row->second);
}

static void mono_never_goes_back(void)
{
    int64_t last = fer_clock_mono();
    assert_true(last > 0);
    for (int i = 0; i < 10000; i++) {
        int64_t now = fer_clock_mono();
        assert_true(now >= last);
        last = now;
    }
}

int main(void)
{
    return ROWS_RUN("clock format", format_rows, run_format) +
           ROWS_RUN("clock format", fine_rows, run_fine) +
           ROWS_RUN("clock shift", shift_rows, run_shift) + ROWS_ONE("clock", mono_never_goes_back);
}
