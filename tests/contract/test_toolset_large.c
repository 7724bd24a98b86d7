/* SPDX-License-Identifier: Apache-2.0 */
/* Large sets of tools: the limit on their number, flat memory, and time that stays linear. */
#include <ferrule/contract.h>

#include <stdlib.h>

#include "rows.h"
#include "toolset.h"

/* "[" and `n` tiny tools "]"; `extra` stands before the last. */
static char *many(size_t n, const char *extra, size_t *len)
{
    char *text = malloc(n * 64 + 256);
    assert_non_null(text);
    *len = 0;
    text[(*len)++] = '[';
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n) *len += (size_t)sprintf(text + *len, "%s", extra);
        *len += (size_t)sprintf(text + *len,
                                "{\"name\":\"t%06zu\",\"inputSchema\":{\"type\":\"object\"}}%s", i,
                                i + 1 < n ? "," : "]");
    }
    return text;
}

static const struct limit {
    const char *name;
    size_t tools;
    fer_code code;
} limits[] = {
    {"100,000 tools", FER_TOOLS_MAX, FER_OK},
    {"100,001 tools", FER_TOOLS_MAX + 1, FER_LIMIT_EXCEEDED},
};

static void limited(const struct limit *row)
{
    size_t len, count;
    char *text = many(row->tools, "", &len);
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new();
    assert_int_equal(
        fer_toolset_add(set, FER_STR("many.json"), (fer_str){text, len}, FER_FORMAT_AUTO, &err),
        row->code);
    free(text);
    if (row->code) assert_non_null(strstr(err.message, "toolset.tools"));
    assert_int_equal(fer_toolset_count(set), FER_TOOLS_MAX);
    assert_str(fer_tool_id(fer_toolset_get(set, FER_TOOLS_MAX - 1)), "t099999");
    fer_toolset_findings(set, &count);
    assert_int_equal(count, 0);
    fer_toolset_free(set);
}

struct watch {
    size_t seen;
    int64_t live; /* allocations held at visit 100 */
    size_t used;
    fer_reader *r;
};

static fer_code watches(void *context, const fer_visited *visited, fer_err *err)
{
    struct watch *w = context;
    (void)visited;
    (void)err;
    size_t used = fer_arena_used(fer_reader_arena(w->r)) + fer_arena_used(w->r->own);
    if (++w->seen == 100) {
        w->live = fer_faults_live();
        w->used = used;
    }
    if (w->seen > 100) {
        assert_true(fer_faults_live() <= w->live);
        assert_true(used <= w->used + 64);
    }
    return FER_OK;
}

/* Without an arena to keep tools in, memory does not grow with their number. */
static void flat_memory(void)
{
    size_t len;
    fer_reader r;
    int64_t before = fer_faults_live();
    char *text = many(20000, "", &len);
    struct watch w = {.r = &r};
    assert_int_equal(fer_reader_init(&r, NULL, FER_STR("many.json"), (fer_str){text, len},
                                     FER_FORMAT_AUTO, NULL),
                     FER_OK);
    assert_int_equal(fer_visit(&r, FER_STR("many.json"), NULL, watches, &w, NULL), FER_OK);
    fer_reader_deinit(&r);
    free(text);
    assert_int_equal(w.seen, 20000);
    assert_true(fer_faults_live() == before);
}

static fer_code counts(void *context, const fer_visited *visited, fer_err *err)
{
    (void)err;
    *(size_t *)context += visited->tool != NULL;
    return FER_OK;
}

/* An entry that cannot be read counts as well, so the limit is met whatever stands at its place. */
static void limit_behind_a_broken_entry(void)
{
    size_t len, seen = 0;
    fer_reader r;
    char *text = many(FER_TOOLS_MAX + 1, "{\"x\":1,\"x\":1},", &len);
    assert_int_equal(fer_reader_init(&r, NULL, FER_STR("many.json"), (fer_str){text, len},
                                     FER_FORMAT_AUTO, NULL),
                     FER_OK);
    assert_int_equal(fer_visit(&r, FER_STR("many.json"), NULL, counts, &seen, NULL),
                     FER_LIMIT_EXCEEDED);
    assert_int_equal(seen, FER_TOOLS_MAX);
    fer_reader_deinit(&r);
    free(text);
}

static void add_in_time(const char *text)
{
    rows_must_end(60);
    fer_toolset *set = fer_toolset_new();
    assert_non_null(set);
    (void)fer_toolset_add(set, FER_STR("a.json"), fer_str_of(text), FER_FORMAT_AUTO, NULL);
    fer_toolset_free(set);
    rows_must_end(0);
}

/* A long list of tags takes no square of its length, neither do the findings about it. */
static void long_list_of_tags(void)
{
    const size_t n = 100000;
    char *text = malloc(n * 10 + 256), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"tags\":[");
    for (size_t i = 0; i < n; i++) at += sprintf(at, "\"#\",");
    for (size_t i = 0; i < n; i++) at += sprintf(at, "\"b\"%s", i + 1 < n ? "," : "]}");
    add_in_time(text);
    free(text);
}

/* Looking for the list does not take twice as long for each object inside another. */
static void deep_object(void)
{
    char text[100 * 6 + 2] = "", *at = text;
    for (int i = 0; i < 100; i++) at += sprintf(at, "{\"\":");
    *at++ = '1';
    for (int i = 0; i < 100; i++) *at++ = '}';
    add_in_time(text);
}

int main(void)
{
    return ROWS_RUN("limit", limits, limited) + ROWS_ONE("limit", limit_behind_a_broken_entry) +
           ROWS_ONE("limit", flat_memory) + ROWS_ONE("time", long_list_of_tags) +
           ROWS_ONE("time", deep_object);
}
