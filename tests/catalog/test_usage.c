/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of queries that led to a call. */
#include "usage.h"

#include <stdlib.h>

#include "rows.h"

typedef struct setting {
    fer_usage *u;
    fer_tokeniser *t;
} setting;

static setting start(size_t queries, size_t dims)
{
    setting s = {fer_usage_new(queries, dims), fer_tokeniser_new()};
    assert_non_null(s.u);
    assert_non_null(s.t);
    return s;
}

static void end(setting s)
{
    fer_usage_free(s.u);
    fer_tokeniser_free(s.t);
}

static void note(setting s, const char *query, uint32_t number)
{
    fer_usage_note(s.u, s.t, &(fer_usage_query){fer_str_of(query), NULL}, NULL, 0, number);
}

static fer_votes ask(setting s, const char *query)
{
    fer_votes v;
    fer_usage_votes(s.u, s.t, &(fer_usage_query){fer_str_of(query), NULL}, &v);
    return v;
}

/* What four remembered queries say about another. */
static const struct asked {
    const char *query;
    size_t votes;
    uint32_t first;
    bool sure; /* the first has a whole vote */
} askeds[] = {
    {"what is the weather in Paris", 3, 1, true},
    {"Weather in PARIS, please", 3, 1, true}, /* the same words */
    {"weather of Lyon", 3, 2, true},
    {"invoices", 1, 3, false},
    {"send a letter", 0, 0, false},
    {"", 0, 0, false},
    {"the of", 0, 0, false},
};

static void votes(const struct asked *row)
{
    setting s = start(0, 0);
    note(s, "weather in Paris", 1);
    note(s, "weather in Lyon", 2);
    note(s, "weather in Lyon", 4); /* and then this one */
    note(s, "show unpaid invoices", 3);
    note(s, "the", 5); /* says nothing and is not kept */
    assert_int_equal(fer_usage_count(s.u), 3);
    fer_votes v = ask(s, row->query);
    assert_int_equal(v.count, row->votes);
    if (v.count) assert_int_equal(v.list[0].number, row->first);
    if (v.count) assert_int_equal(v.list[0].share > 0.999, row->sure);
    for (size_t i = 0; i + 1 < v.count; i++) assert_true(v.list[i].share >= v.list[i + 1].share);
    end(s);
}

/* Its weight comes from how well votes and what was found otherwise did together. */
static const struct record {
    const char *name;
    int rounds;
    bool steady; /* the same query leads to the same tool, else always to another */
    int place; /* of the called tool among four that were found otherwise; 0: it is none of them */
    double least, most;
} records[] = {
    {"nothing known", 0, true, 0, FER_USAGE_WEIGHT, FER_USAGE_WEIGHT},
    {"one call", 1, true, 0, FER_USAGE_WEIGHT, FER_USAGE_WEIGHT},
    {"foreseen, and not found", 400, true, 0, 2, FER_USAGE_WEIGHT_MAX},
    {"foreseen, and found last", 400, true, 4, 1, FER_USAGE_WEIGHT_MAX},
    {"never foreseen, but found first", 400, false, 1, 0, 1},
    {"never foreseen nor found", 400, false, 0, FER_USAGE_WEIGHT, FER_USAGE_WEIGHT},
};

static void weight(const struct record *row)
{
    setting s = start(512, 0);
    char query[64];
    for (int i = 0; i < row->rounds; i++) {
        uint32_t number = row->steady ? (uint32_t)(i % 4) : (uint32_t)i;
        fer_usage_found found[4] = {{9991, 1.4}, {9992, 1.0}, {9993, 0.8}, {9994, 0.5}};
        if (row->place) found[row->place - 1].number = number;
        snprintf(query, sizeof query, "weather number%c%c", 'a' + i % 4, row->steady ? 'x' : 'y');
        fer_usage_note(s.u, s.t, &(fer_usage_query){fer_str_of(query), NULL}, found, 4, number);
    }
    double w = fer_usage_weight(s.u);
    assert_true(w >= row->least && w <= row->most);
    assert_true(ask(s, "weather").weight == w);
    end(s);
}

/* One request that leads to several tools is no witness for itself. */
static void no_own_witness(void)
{
    setting s = start(8, 0);
    const fer_usage_found found[] = {{50, 1.4}, {51, 1.0}};
    for (uint32_t i = 0; i < 8; i++)
        fer_usage_note(s.u, s.t, &(fer_usage_query){FER_STR("alpha"), NULL}, found, 2, 50 + i % 2);
    for (uint32_t i = 0; i < 40; i++)
        fer_usage_note(s.u, s.t, &(fer_usage_query){FER_STR("alpha"), NULL}, found, 2, 51);
    assert_true(fer_usage_weight(s.u) == FER_USAGE_WEIGHT);
    end(s);
}

static void oldest_makes_room(void)
{
    setting s = start(3, 0);
    note(s, "alpha", 1);
    note(s, "beta", 2);
    note(s, "gamma", 3);
    assert_int_equal(ask(s, "alpha").count, 1);
    note(s, "delta", 4);
    assert_int_equal(fer_usage_count(s.u), 3);
    assert_int_equal(ask(s, "alpha").count, 0);
    assert_int_equal(ask(s, "delta").count, 1);
    note(s, "beta", 5); /* known: takes no place */
    assert_int_equal(ask(s, "gamma").count, 1);
    assert_int_equal(ask(s, "beta").count, 2);
    end(s);
}

static void forgets(void)
{
    setting s = start(8, 0);
    note(s, "alpha", 1);
    note(s, "alpha", 2);
    note(s, "beta", 2);
    fer_usage_forget(s.u, 2);
    assert_int_equal(fer_usage_count(s.u), 1);
    assert_int_equal(ask(s, "alpha").count, 1);
    assert_int_equal(ask(s, "beta").count, 0);
    fer_usage_forget(s.u, 7);
    assert_int_equal(fer_usage_count(s.u), 1);
    end(s);
}

/* Tools of one query, words of one query, and queries: at their limits and one beyond. */
static void limits(void)
{
    setting s = start(FER_USAGE_QUERIES_MAX, 0);
    char text[1024] = "";
    for (uint32_t i = 0; i < FER_USAGE_TOOLS + 1; i++) note(s, "alpha", i);
    assert_int_equal(ask(s, "alpha").count, FER_USAGE_TOOLS);
    for (int i = 0; i < FER_USAGE_WORDS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "qz%cb ", 'a' + i);
    strcat(text, "beyond");
    note(s, text, 77);
    assert_int_equal(ask(s, "qzxb").count, 1);
    assert_int_equal(ask(s, "beyond").count, 0);
    end(s);
}

/* No word in common, but near by their vectors. */
static void by_vectors(void)
{
    setting s = start(16, 32);
    int8_t one[32], other[32];
    memset(one, 45, sizeof one);
    memset(other, -45, sizeof other);
    fer_usage_note(s.u, s.t, &(fer_usage_query){FER_STR("alpha"), one}, NULL, 0, 1);
    fer_usage_note(s.u, s.t, &(fer_usage_query){FER_STR("beta"), other}, NULL, 0, 2);
    fer_usage_note(s.u, s.t, &(fer_usage_query){FER_STR("gamma"), NULL}, NULL, 0, 3);
    fer_votes v;
    fer_usage_votes(s.u, s.t, &(fer_usage_query){FER_STR("delta"), one}, &v);
    assert_int_equal(v.count, 1);
    assert_int_equal(v.list[0].number, 1);
    assert_true(v.list[0].share > 0.035 && v.list[0].share < 0.045); /* the square of 0.2 */
    end(s);
}

static fer_code make_one(fer_arena *a, const void *row)
{
    (void)a, (void)row;
    fer_usage *u = fer_usage_new(10, 32);
    if (!u) return FER_OUT_OF_MEMORY;
    fer_usage_free(u);
    return FER_OK;
}

static void no_memory(void)
{
    assert_int_equal(rows_torture_malloc(make_one, NULL), 4);
    fer_usage_free(NULL);
}

int main(void)
{
    return ROWS_RUN("usage", askeds, votes) + ROWS_RUN("usage", records, weight) +
           ROWS_ONE("usage", no_own_witness) + ROWS_ONE("usage", oldest_makes_room) +
           ROWS_ONE("usage", forgets) + ROWS_ONE("usage", limits) + ROWS_ONE("usage", by_vectors) +
           ROWS_ONE("usage", no_memory);
}
