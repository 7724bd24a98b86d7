/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converting many tools to providers, with and without witnesses, next to plain parsing of the
 * text. The real tools of the test data; without them, one that was made up.
 */
#include <ferrule/convert.h>
#include <time.h>
#include <yyjson.h>

#include "bench.h"
#include "buf.h"
#include "file.h"

#define ROUNDS 3

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static const char made_up[] =
    "{\"name\":\"lookup\",\"description\":\"Looks an entry up.\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
    "{\"key\":{\"type\":\"string\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100}},\"required\":"
    "[\"key\"]}}";

/* All tools in one set, and as one text. */
static fer_str load(fer_toolset *set, fer_arena *a)
{
    struct fer_file_list files = {0};
    fer_err err;
    char path[4096];
    fer_buf b;
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
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < fer_toolset_count(set); i++) {
        fer_str text;
        const fer_tool *t = fer_toolset_get(set, i);
        BENCH_NEEDS(!fer_json_write(a, fer_tool_source(t), false, &text, &err));
        fer_buf_add_char(&b, i ? ',' : '[');
        fer_buf_add(&b, text);
    }
    fer_buf_add_char(&b, ']');
    BENCH_NEEDS(!b.failure);
    return fer_buf_view(&b);
}

/* Of the processor: conversion waits for nothing, and others may be busy. */
static double seconds(void)
{
    struct timespec t;
    BENCH_NEEDS(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t));
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double parse_seconds(fer_str text)
{
    double best = 1e9;
    for (size_t r = 0; r < 3 * ROUNDS; r++) {
        double from = seconds();
        yyjson_doc *doc = yyjson_read(text.ptr, text.len, 0);
        BENCH_NEEDS(doc);
        yyjson_doc_free(doc);
        double took = seconds() - from;
        if (took < best) best = took;
    }
    return best;
}

static double convert_seconds(const fer_toolset *set, const char *profile, bool witness)
{
    double best = 1e9;
    for (size_t r = 0; r < ROUNDS; r++) {
        fer_arena *a = fer_arena_new(0);
        const fer_profile *p;
        fer_conversion made;
        fer_err err;
        fer_convert_options o = {.keeps_map = true, .no_witness = !witness};
        BENCH_NEEDS(!fer_profile_find(a, fer_str_of(profile), &p, &err));
        double from = seconds();
        BENCH_NEEDS(!fer_toolset_convert(a, set, p, &o, &made, &err));
        double took = seconds() - from;
        if (took < best) best = took;
        fer_arena_free(a);
    }
    return best;
}

int main(void)
{
    static const char *const profiles[] = {"mcp",    "openai", "openai-strict", "anthropic-strict",
                                           "gemini", "ollama"};
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = fer_toolset_new();
    BENCH_NEEDS(a && set);
    fer_str text = load(set, a);
    double parsing = parse_seconds(text), count = (double)fer_toolset_count(set);
    printf("converting %.0f tools, processor time, best of %d; plain parsing takes %.1f ms\n",
           count, ROUNDS, parsing * 1e3);
    printf("%-18s %10s %8s %20s %8s\n", "profile", "tools/s", "ratio", "without witness/s",
           "ratio");
    for (size_t i = 0; i < FER_COUNT(profiles); i++) {
        double with = convert_seconds(set, profiles[i], true),
               without = convert_seconds(set, profiles[i], false);
        printf("%-18s %10.0f %8.1f %20.0f %8.1f\n", profiles[i], count / with, with / parsing,
               count / without, without / parsing);
    }
    fer_toolset_free(set);
    fer_arena_free(a);
    return 0;
}
