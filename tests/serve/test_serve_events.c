/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of streams for clients that come again: bounds, order, IDs. */
#include "serve_events.h"

#include "rows.h"
#include "str.h"

static const struct id_row {
    const char *text;
    bool good;
    uint32_t stream;
    uint64_t number;
} id_rows[] = {
    {"1-0", true, 1, 0},
    {"4294967295-18446744073709551615", true, UINT32_MAX, UINT64_MAX},
    {"4294967296-1", false, 0, 0},
    {"1-18446744073709551616", false, 0, 0},
    {"01-1", false, 0, 0},
    {"1-01", false, 0, 0},
    {"1", false, 0, 0},
    {"-1", false, 0, 0},
    {"1-", false, 0, 0},
    {"1-1-1", false, 0, 0},
    {" 1-1", false, 0, 0},
    {"", false, 0, 0},
    {"1-111111111111111111111111111111111111111111111111", false, 0, 0},
};

static void ids(void)
{
    for (size_t i = 0; i < FER_COUNT(id_rows); i++) {
        uint32_t stream = 0;
        uint64_t number = 0;
        bool good = fer_event_id_read(fer_str_of(id_rows[i].text), &stream, &number);
        if (good != id_rows[i].good || stream != id_rows[i].stream || number != id_rows[i].number)
            fail_msg("row %zu", i);
    }
}

/* The numbers that were shown, in their order. */
struct seen {
    uint64_t list[64];
    size_t count;
};

static bool see(void *context, uint64_t number, fer_str message)
{
    struct seen *s = context;
    (void)message;
    s->list[s->count++] = number;
    return true;
}

static struct seen after(const fer_past *p, uint32_t stream, uint64_t number, bool *ended)
{
    struct seen s = {.count = 0};
    *ended = fer_past_replay(p, stream, number, see, &s);
    return s;
}

static void streams_apart(void)
{
    fer_past_all all = {0};
    fer_past p = {0};
    bool ended;
    for (uint64_t i = 1; i <= 4; i++) {
        assert_true(fer_past_put(&all, &p, 1, i, FER_STR("one"), false));
        assert_true(fer_past_put(&all, &p, 2, i, FER_STR("two"), i == 4));
    }
    struct seen s = after(&p, 1, 2, &ended);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.list[0], 3);
    assert_false(ended);
    s = after(&p, 2, 4, &ended);
    assert_int_equal(s.count, 0);
    assert_true(ended);
    assert_false(fer_past_has(&p, 3));
    assert_int_equal(all.bytes, 24);
    fer_past_sweep(&all, &p, false);
    assert_int_equal(p.count, 8);
    fer_past_sweep(&all, &p, true);
    assert_int_equal(p.count + p.bytes + all.bytes, 0);
    assert_null(p.last);
}

/* Notes go first, the oldest in front; answers when there is nothing else. */
static void bounds(void)
{
    fer_past_all all = {.events_max = 3, .bytes_max = 30};
    fer_past p = {0};
    bool ended;
    assert_true(fer_past_put(&all, &p, 1, 1, FER_STR("answer"), true));
    assert_true(fer_past_put(&all, &p, 2, 1, FER_STR("a"), false));
    assert_true(fer_past_put(&all, &p, 2, 2, FER_STR("b"), false));
    assert_true(fer_past_put(&all, &p, 2, 3, FER_STR("c"), false));
    struct seen s = after(&p, 2, 0, &ended);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.list[0], 2);
    assert_true(fer_past_has(&p, 1));
    /* Bytes: exactly as many as there may be, and one more. */
    char text[31] = {0};
    assert_true(fer_past_put(&all, &p, 3, 1, (fer_str){text, 24}, true));
    assert_true(fer_past_has(&p, 1));
    assert_false(fer_past_has(&p, 2));
    assert_true(fer_past_put(&all, &p, 3, 2, (fer_str){text, 30}, true));
    assert_int_equal(p.count, 1);
    assert_false(fer_past_put(&all, &p, 3, 3, (fer_str){text, 31}, true));
    assert_int_equal(p.count, 1);
    /* All sessions together. */
    all.bytes += FER_HTTP_EVENTS_ALL - 30;
    fer_past other = {0};
    assert_false(fer_past_put(&all, &other, 1, 1, FER_STR("x"), true));
    all.bytes -= 1;
    assert_true(fer_past_put(&all, &other, 1, 1, FER_STR("x"), true));
    fer_past_sweep(&all, &p, true);
    fer_past_sweep(&all, &other, true);
}

int main(void)
{
    return ROWS_ONE("events", ids) + ROWS_ONE("events", streams_apart) + ROWS_ONE("events", bounds);
}
