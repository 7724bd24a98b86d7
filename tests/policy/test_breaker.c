/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits, as scripts: each letter is an event, and the state after all of them is known. */
#include "breaker.h"
#include "rows.h"

#define S INT64_C(1000000000)

/*
 * s success, f failure, n neither, l slow success, . a second passes, o the time of being open
 * passes; ? a Pure call asks (and may become the probe), w a write asks; S, F, N: the probe ends
 * so.
 */
static const struct row {
    const char *name, *script;
    const char *answers; /* of each ? and w: p pass, P probe, a ask, r refuse */
    fer_circuit state;
} rows[] = {
    {"closed", "sss", "", FER_BREAKER_CLOSED},
    {"four in a row are not five", "ffff", "", FER_BREAKER_CLOSED},
    {"five in a row", "fffff", "", FER_BREAKER_OPEN},
    {"a success breaks the row", "ffffsffff", "", FER_BREAKER_CLOSED},
    {"neither does not", "ffffnf", "", FER_BREAKER_OPEN},
    {"half of nine", "fsfsfsfsf", "", FER_BREAKER_CLOSED},
    {"half of ten", "sfsfsfsfsf", "", FER_BREAKER_OPEN},
    {"half, but long ago", "sfsfsfsf...........sf", "", FER_BREAKER_CLOSED},
    {"seven of ten are slow", "lllllllsss", "", FER_BREAKER_CLOSED},
    {"eight of ten are slow", "ssllllllll", "", FER_BREAKER_OPEN},
    {"open refuses", "fffff?w", "rr", FER_BREAKER_OPEN},
    {"not before its time", "fffff...?", "r", FER_BREAKER_OPEN},
    {"a probe", "fffffo?", "P", FER_BREAKER_HALF_OPEN},
    {"one at a time", "fffffo??w", "Prr", FER_BREAKER_HALF_OPEN},
    {"never a write", "fffffow", "a", FER_BREAKER_HALF_OPEN},
    {"one success is not two", "fffffo?S", "P", FER_BREAKER_HALF_OPEN},
    {"two successes close it", "fffffo?S?S?", "PPp", FER_BREAKER_CLOSED},
    {"a failed probe opens it again", "fffffo?F?", "Pr", FER_BREAKER_OPEN},
    {"a probe that says nothing", "fffffo?N?", "PP", FER_BREAKER_HALF_OPEN},
    {"a probe that never ends is given up", "fffffo?..?", "PP", FER_BREAKER_HALF_OPEN},
    {"an old failure is no news", "fffffffff", "", FER_BREAKER_OPEN},
};

static void run_row(const struct row *row)
{
    fer_breaker b = {0};
    const fer_breaker_limit l = {0};
    int64_t now = 100 * S, after = 0;
    const char *answer = row->answers;
    for (const char *c = row->script; *c; c++) {
        fer_breaker_answer got;
        switch (*c) {
        case 's': fer_breaker_tell(&b, &l, FER_BREAKER_OK, 1, false, now, 7); break;
        case 'f': fer_breaker_tell(&b, &l, FER_BREAKER_FAILURE, 1, false, now, 7); break;
        case 'n': fer_breaker_tell(&b, &l, FER_BREAKER_NEITHER, 1, false, now, 7); break;
        case 'l':
            fer_breaker_tell(&b, &l, FER_BREAKER_OK, FER_BREAKER_SLOW_MS, false, now, 7);
            break;
        case 'S': fer_breaker_tell(&b, &l, FER_BREAKER_OK, 1, true, now, 7); break;
        case 'F': fer_breaker_tell(&b, &l, FER_BREAKER_FAILURE, 1, true, now, 7); break;
        case 'N': fer_breaker_tell(&b, &l, FER_BREAKER_NEITHER, 1, true, now, 7); break;
        case '.': now += S; break;
        case 'o': now = b.until; break;
        default:
            got = fer_breaker_ask(&b, &l, *c == '?', 1500, now, &after);
            assert_int_equal("pPar"[got], *answer++);
            if (got >= FER_BREAKER_ASK) assert_true(after >= 1);
        }
    }
    assert_int_equal(*answer, 0);
    assert_int_equal(b.state, row->state);
}

/* 5 s, doubled up to 60 s, each a fifth more or less. */
static void it_stays_open_longer_and_longer(void)
{
    static const int64_t want[] = {5, 10, 20, 40, 60, 60};
    for (uint64_t random = 0; random < 3; random++) {
        fer_breaker b = {0};
        const fer_breaker_limit l = {0};
        int64_t now = S, after;
        for (int i = 0; i < FER_BREAKER_ROW; i++)
            fer_breaker_tell(&b, &l, FER_BREAKER_FAILURE, 1, false, now, random * (UINT64_MAX / 2));
        for (size_t i = 0; i < FER_COUNT(want); i++) {
            int64_t open = b.until - now;
            assert_true(open >= want[i] * S * 4 / 5 && open <= want[i] * S * 6 / 5);
            now = b.until;
            assert_int_equal(fer_breaker_ask(&b, &l, true, 1000, now, &after),
                             FER_BREAKER_AS_PROBE);
            fer_breaker_tell(&b, &l, FER_BREAKER_FAILURE, 1, true, now, random * (UINT64_MAX / 2));
        }
    }
}

static void off_is_off(void)
{
    fer_breaker b = {0};
    const fer_breaker_limit l = {.off = true};
    int64_t after;
    for (int i = 0; i < 100; i++) fer_breaker_tell(&b, &l, FER_BREAKER_FAILURE, 1, false, S, 0);
    assert_int_equal(fer_breaker_ask(&b, &l, false, 1, S, &after), FER_BREAKER_PASS);
}

int main(void)
{
    int failed = ROWS_RUN("scripts", rows, run_row);
    failed += ROWS_ONE("open", it_stays_open_longer_and_longer);
    failed += ROWS_ONE("off", off_is_off);
    return failed != 0;
}
