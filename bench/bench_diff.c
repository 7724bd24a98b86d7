/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing many tools, next to plain parsing of both texts. The real tools of the test data
 * stand under unique names on both sides; of the new side every tool, every tenth, or none is
 * changed (a bound, a new property, a description). Without the data, made-up ones.
 */
#include <ferrule/evolve.h>
#include <string.h>
#include <yyjson.h>

#include "bench.h"
#include "buf.h"
#include "file.h"

#define ROUNDS 5
#define TOOLS  2000

struct texts {
    fer_arena *arena;
    fer_str old, now;
};

/* ---- inputs --------------------------------------------------------------------------------- */

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static const char made_up[] =
    "{\"name\":\"lookup\",\"description\":\"Looks an entry up.\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
    "{\"key\":{\"type\":\"string\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100}},\"required\":"
    "[\"key\"],\"additionalProperties\":false}}";

/* All tools that there are, in one set; the made-up one where there are none. */
static void load(fer_toolset *set, fer_arena *a)
{
    struct fer_file_list files = {0};
    fer_err err;
    char path[4096];
    const char *folder = bench_data(path, sizeof path, "tools");
    if (folder && !fer_file_walk(a, folder, 1000, is_json, &files, &err)) {
        for (size_t i = 0; i < files.count; i++) {
            fer_str text;
            if (!fer_file_read(a, files.paths[i].ptr, (size_t)64 << 20, &text, &err))
                (void)fer_toolset_add(set, files.paths[i], text, FER_FORMAT_AUTO, &err);
        }
    }
    if (!fer_toolset_count(set))
        BENCH_NEEDS(
            !fer_toolset_add(set, FER_STR("made-up"), fer_str_of(made_up), FER_FORMAT_JSON, &err));
}

/* A tool under another name; changed: with a property, a bound and another description. */
static void add_tool(fer_buf *b, fer_arena *a, const fer_tool *t, size_t number, bool changed)
{
    fer_str schema = FER_STR("{\"type\":\"object\"}");
    const struct yyjson_val *input = fer_tool_field(t, "inputSchema");
    if (input) BENCH_NEEDS(!fer_json_write(a, input, false, &schema, NULL));
    fer_buf_printf(b, "%s{\"name\":\"t%06zu\",\"description\":\"A tool%s.\",\"inputSchema\":",
                   number ? ",\n" : "", number, changed ? ", better" : "");
    if (!changed || schema.len < 3 || schema.ptr[0] != '{') {
        fer_buf_add(b, schema);
    } else {
        fer_buf_add_text(b, "{\"maxProperties\":50,");
        fer_buf_add(b, fer_str_slice(schema, 1, schema.len));
    }
    fer_buf_add_char(b, '}');
}

static struct texts make(const fer_toolset *set, size_t every)
{
    struct texts t = {.arena = fer_arena_new(0)};
    fer_buf b[2];
    for (size_t side = 0; side < 2; side++) {
        fer_buf_init(&b[side], t.arena, SIZE_MAX / 4);
        fer_buf_add_char(&b[side], '[');
        for (size_t i = 0; i < TOOLS; i++) {
            const fer_tool *tool = fer_toolset_get(set, i % fer_toolset_count(set));
            add_tool(&b[side], t.arena, tool, i, side && every && i % every == 0);
        }
        fer_buf_add_char(&b[side], ']');
        BENCH_NEEDS(!b[side].failure);
    }
    t.old = fer_buf_view(&b[0]);
    t.now = fer_buf_view(&b[1]);
    return t;
}

/* ---- measuring ---------------------------------------------------------------------------------
 */

static double seconds(void)
{
    return (double)fer_clock_mono() / 1e9;
}

static double parse_seconds(const struct texts *t)
{
    double best = 1e9;
    for (size_t r = 0; r < ROUNDS; r++) {
        double from = seconds();
        yyjson_doc *x = yyjson_read(t->old.ptr, t->old.len, 0),
                   *y = yyjson_read(t->now.ptr, t->now.len, 0);
        BENCH_NEEDS(x && y);
        yyjson_doc_free(x);
        yyjson_doc_free(y);
        double took = seconds() - from;
        if (took < best) best = took;
    }
    return best;
}

/* Loading both sides, and comparing them. */
static void diff_seconds(const struct texts *t, double *load_best, double *diff_best,
                         size_t *changed)
{
    *load_best = *diff_best = 1e9;
    for (size_t r = 0; r < ROUNDS; r++) {
        fer_toolset *x = fer_toolset_new(), *y = fer_toolset_new();
        fer_arena *a = fer_arena_new(0);
        fer_diff diff;
        fer_err err;
        fer_diff_options o = {.places = true};
        double from = seconds();
        BENCH_NEEDS(!fer_toolset_add(x, FER_STR("old"), t->old, FER_FORMAT_JSON, &err));
        BENCH_NEEDS(!fer_toolset_add(y, FER_STR("new"), t->now, FER_FORMAT_JSON, &err));
        double loaded = seconds();
        BENCH_NEEDS(!fer_toolset_diff(a, x, y, &o, &diff, &err));
        double done = seconds();
        if (loaded - from < *load_best) *load_best = loaded - from;
        if (done - loaded < *diff_best) *diff_best = done - loaded;
        *changed = diff.count;
        fer_toolset_free(x);
        fer_toolset_free(y);
        fer_arena_free(a);
    }
}

int main(void)
{
    static const size_t every[] = {0, 10, 1};
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = fer_toolset_new();
    BENCH_NEEDS(a && set);
    load(set, a);
    printf("comparing %d tools on each side (of %zu different ones), best of %d\n", TOOLS,
           fer_toolset_count(set), ROUNDS);
    printf("%10s %12s %12s %12s %14s %10s\n", "changed", "parse ms", "load ms", "compare ms",
           "tools/s", "ratio");
    for (size_t i = 0; i < FER_COUNT(every); i++) {
        struct texts t = make(set, every[i]);
        double loading, comparing, parsing = parse_seconds(&t);
        size_t changed;
        diff_seconds(&t, &loading, &comparing, &changed);
        printf("%10zu %12.1f %12.1f %12.1f %14.0f %10.1f\n", changed, parsing * 1e3, loading * 1e3,
               comparing * 1e3, TOOLS / (loading + comparing), (loading + comparing) / parsing);
        fer_arena_free(t.arena);
    }
    fer_toolset_free(set);
    fer_arena_free(a);
    return 0;
}
