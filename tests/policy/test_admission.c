/* SPDX-License-Identifier: Apache-2.0 */
/* Rates, budgets, and the queue: its bounds, and that it is fair. */
#include "faults.h"
#include "queue.h"
#include "rate.h"
#include "rows.h"

#define MS INT64_C(1000000)

/* ---- rates: at each time (ms), + is let through and - is not ------------------------------------
 */

static const struct rate_row {
    const char *name;
    fer_rate_limit limit;
    const char *script; /* digits: so many tens of ms pass */
} rate_rows[] = {
    {"no limit", {0}, "+++++"},
    {"two at once", {2, 100, 0}, "++-"},
    {"one comes back after half", {2, 100, 0}, "++-5+-"},
    {"not before", {2, 100, 0}, "++-4-"},
    {"all come back", {2, 100, 0}, "++-55++-"},
    {"no more than all", {2, 100, 0}, "++9999++-"},
    {"a burst of one", {10, 100, 1}, "+-1+-1+-"},
    {"a burst larger than the rate", {1, 100, 3}, "+++-55+-"},
    {"a refusal costs nothing", {1, 100, 1}, "+-----55+-"},
    {"what is given back is there again", {2, 100, 0}, "++-<+-"},
    {"and no more than all", {2, 100, 0}, "+<<<++-"},
    {"also later", {2, 100, 0}, "++5<++-"},
};

static void run_rate(const struct rate_row *row)
{
    fer_rate r = {0};
    int64_t now = 1000 * MS, after = 0;
    for (const char *c = row->script; *c; c++) {
        if (*c >= '0' && *c <= '9') {
            now += (*c - '0') * 10 * MS;
            continue;
        }
        if (*c == '<') {
            fer_rate_give(&r, &row->limit);
            continue;
        }
        bool may = fer_rate_ask(&r, &row->limit, now, &after);
        assert_int_equal(may, *c == '+');
        assert_int_equal(may, fer_rate_left(&r, &row->limit, now) > 0);
        if (may) {
            fer_rate_take(&r, &row->limit, now);
        } else {
            int64_t unused;
            assert_true(after >= 1);
            assert_true(fer_rate_ask(&r, &row->limit, now + after * MS, &unused));
        }
    }
}

static const struct budget_row {
    const char *name;
    fer_budget_limit limit;
    const char *script;
} budget_rows[] = {
    {"no limit", {0}, "++++"},
    {"in all", {3, 0}, "+++-9999-"},
    {"in a window", {2, 100}, "++-55++-"},
    {"the window is not over", {2, 100}, "++-9-"},
    {"it begins with its first call", {2, 100}, "99++9-1+"},
    {"what is given back is there again", {3, 0}, "+++-<+-"},
    {"none of a window that is over", {2, 100}, "++55+~+-"},
};

static void run_budget(const struct budget_row *row)
{
    fer_budget b = {0};
    int64_t now = 1000 * MS, after = 0;
    for (const char *c = row->script; *c; c++) {
        if (*c >= '0' && *c <= '9') {
            now += (*c - '0') * 10 * MS;
            continue;
        }
        if (*c == '<' || *c == '~') { /* taken now, or in a window before */
            fer_budget_give(&b, &row->limit, *c == '<' ? now : now - 10 * MS);
            continue;
        }
        bool may = fer_budget_ask(&b, &row->limit, now, &after);
        assert_int_equal(may, *c == '+');
        if (may) fer_budget_take(&b, &row->limit, now);
        else assert_int_equal(after > 0, row->limit.per_ms > 0);
    }
}

/* ---- the queue: letters are tenants, the order in which they come and go ------------------------
 */

struct seat {
    fer_waiter waiter;
    char tenant;
};

static bool any(void *context, fer_waiter *w)
{
    (void)w;
    return context == NULL;
}
static bool not_a(void *context, fer_waiter *w)
{
    (void)context;
    return ((struct seat *)w)->tenant != 'a';
}

static const struct queue_row {
    const char *name, *in, *out;
    const char *weights; /* of a, b, c */
    size_t max;
    const char *refused; /* who does not get in, or must go */
    bool blocked;        /* a may not go now */
} queue_rows[] = {
    {"one after the other", "aaa", "aaa", "111", 9, "", false},
    {"turn by turn", "aaaabb", "ababaa", "111", 9, "", false},
    {"three tenants", "aaabbc", "abcaba", "111", 9, "", false},
    {"by weight", "aaaabb", "aabaab", "211", 9, "", false},
    {"full", "aaaa", "aaa", "111", 3, "a", false},
    {"full of a: b gets in, a's newest goes", "aaab", "aba", "111", 3, "a", false},
    {"and no further than to be even", "aabbb", "abab", "111", 4, "b", false},
    {"whoever may not go is passed by", "aab", "b", "111", 9, "", true},
    {"all of one", "aa", "", "111", 9, "", true},
};

static void run_queue(const struct queue_row *row)
{
    struct seat seats[16];
    fer_queue q = {.max = row->max};
    char out[16] = "", refused[16] = "";
    size_t n = 0;
    for (const char *c = row->in; *c; c++, n++) {
        fer_waiter *gone;
        seats[n].tenant = *c;
        fer_queued how = fer_queue_push(&q, &seats[n].waiter, &row->weights[*c - 'a'],
                                        (unsigned)(row->weights[*c - 'a'] - '0'), MS, &gone);
        if (how == FER_QUEUE_FULL) strncat(refused, c, 1);
        if (gone) strncat(refused, &((struct seat *)gone)->tenant, 1);
    }
    for (fer_waiter *w; (w = fer_queue_pop(&q, row->blocked ? not_a : any, NULL, MS));)
        strncat(out, &((struct seat *)w)->tenant, 1);
    assert_string_equal(out, row->out);
    assert_string_equal(refused, row->refused);
    while (q.turn) fer_queue_remove(&q, q.turn->oldest);
    assert_int_equal(q.count, 0);
}

/* Past half of the age the newest of a lane goes first. */
static void the_late_make_room(void)
{
    struct seat seats[2] = {{.tenant = 'a'}, {.tenant = 'b'}};
    fer_queue q = {.age_ms = 100};
    fer_waiter *gone;
    assert_int_equal(fer_queue_push(&q, &seats[0].waiter, "x", 1, 0, &gone), FER_QUEUED);
    assert_int_equal(
        fer_queue_push(&q, &seats[1].waiter, seats[0].waiter.lane->tenant, 1, 0, &gone),
        FER_QUEUED);
    assert_ptr_equal(fer_queue_pop(&q, any, NULL, 51 * MS), &seats[1].waiter);
    assert_ptr_equal(fer_queue_pop(&q, any, NULL, 51 * MS), &seats[0].waiter);
}

static void waits_are_estimated(void)
{
    static struct seat seats[10];
    static const char a, b;
    fer_queue q = {0};
    fer_waiter *gone;
    for (int i = 0; i < 10; i++)
        assert_int_equal(fer_queue_push(&q, &seats[i].waiter, &a, 1, 0, &gone), FER_QUEUED);
    assert_int_equal(fer_queue_estimate(&q, &a, 2000, 1), 22); /* eleven calls of 2 ms */
    assert_int_equal(fer_queue_estimate(&q, &b, 2000, 1), 4);  /* two turns: a's and its own */
    assert_int_equal(fer_queue_estimate(&q, &a, 2000, 2), 11);
    while (q.turn) fer_queue_remove(&q, q.turn->oldest);
}

/* A tenant that floods gets half of the turns, whatever it sends. */
static void a_flood_is_one_of_two(void)
{
    static struct seat seats[1000];
    static const char a, b;
    fer_queue q = {.max = 900};
    fer_waiter *gone;
    size_t of_b = 0;
    for (size_t i = 0; i < 1000; i++) {
        seats[i].tenant = i % 10 == 9 ? 'b' : 'a';
        fer_queue_push(&q, &seats[i].waiter, i % 10 == 9 ? &b : &a, 1, 0, &gone);
    }
    for (int i = 0; i < 200; i++)
        of_b += ((struct seat *)fer_queue_pop(&q, any, NULL, 0))->tenant == 'b';
    assert_int_equal(of_b, 100);
    while (q.turn) fer_queue_remove(&q, q.turn->oldest);
}

static fer_code crowd(fer_arena *a, const void *row)
{
    struct seat seats[4];
    static const char tenants[4];
    fer_queue q = {0};
    fer_waiter *gone;
    fer_code code = FER_OK;
    (void)a, (void)row;
    for (int i = 0; i < 4 && !code; i++)
        if (fer_queue_push(&q, &seats[i].waiter, &tenants[i], 1, 0, &gone) != FER_QUEUED)
            code = FER_OUT_OF_MEMORY;
    while (q.turn) fer_queue_remove(&q, q.turn->oldest);
    return code;
}

static void without_memory(void)
{
    assert_int_equal(rows_torture_malloc(crowd, NULL), 4);
}

int main(void)
{
    int failed = ROWS_RUN("rates", rate_rows, run_rate);
    failed += ROWS_RUN("budgets", budget_rows, run_budget);
    failed += ROWS_RUN("queues", queue_rows, run_queue);
    failed += ROWS_ONE("queues", the_late_make_room);
    failed += ROWS_ONE("queues", waits_are_estimated);
    failed += ROWS_ONE("queues", a_flood_is_one_of_two);
    failed += ROWS_ONE("queues", without_memory);
    return failed != 0;
}
