/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a search takes with words, with vectors and with both, one thread, from the text of
 * the query to the ten best tools: bench_hybrid TOOLS.jsonl QUERIES.jsonl COUNT...
 *
 * The quickest of TURNS turns of each query, by the clock or by the time of the processor,
 * whichever is less, as bench_search has it. Prints lines of JSON, which report.py puts beside
 * those of others.
 *
 * Where more tools are wanted than the file has, they come again with a part of their description
 * and the namespace of another, so that no two are the same.
 */
#include <ferrule/json.h>
#include <string.h>

#include "../bench.h"
#include "embed_static.h"
#include "file.h"
#include "hybrid.h"
#include "json_value.h"
#include "sys.h"
#include "tool_text.h"

#define FILE_MAX    ((size_t)1 << 30)
#define QUERIES_MAX 2000
#define TURNS       5

struct tool {
    fer_tool_head head;
    const yyjson_val *schema;
};

struct input {
    fer_arena *arena;
    struct tool *tools;
    size_t count, cap;
    fer_str *queries;
    size_t query_count, query_cap;
};

static fer_str text_of(const yyjson_val *line, const char *key)
{
    const yyjson_val *v = fer_val_get(line, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static void add_tool(struct input *in, const yyjson_val *line)
{
    in->tools = fer_arena_room(in->arena, in->tools, in->count, &in->cap, sizeof *in->tools);
    BENCH_NEEDS(in->tools);
    in->tools[in->count++] = (struct tool){
        {.ns = text_of(line, "namespace"),
         .name = text_of(line, "name"),
         .description = text_of(line, "description"),
         .tags = fer_val_get(line, "tags")},
        fer_val_get(line, "inputSchema"),
    };
}

static void add_query(struct input *in, const yyjson_val *line)
{
    if (in->query_count == QUERIES_MAX) return;
    in->queries =
        fer_arena_room(in->arena, in->queries, in->query_count, &in->query_cap, sizeof(fer_str));
    BENCH_NEEDS(in->queries);
    in->queries[in->query_count++] = text_of(line, "query");
}

static void read_lines(struct input *in, const char *path,
                       void (*add)(struct input *in, const yyjson_val *line))
{
    fer_str text;
    fer_err err;
    if (fer_file_read(in->arena, path, FILE_MAX, &text, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(2);
    }
    for (size_t at = 0, end; at < text.len; at = end + 1) {
        fer_json *doc;
        end = fer_str_find(text, at, '\n');
        if (end > text.len) end = text.len;
        if (end > at && !fer_json_read(in->arena, fer_str_slice(text, at, end), NULL, &doc, NULL))
            add(in, fer_json_root(doc));
    }
}

/* ---- the index ---- */

struct index {
    fer_hybrid parts;
    fer_lexical *lexical;
    fer_vectors *vectors;
    fer_arena *frozen;
    size_t lexical_bytes;
    double seconds[2]; /* to put words, and vectors */
};

/* Time that this thread had a processor: what else the machine does is left out. */
static double now(void)
{
    struct timespec t = {0};
    fer_sys_clock(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double since(double start)
{
    return now() - start;
}

static void document(fer_arena *a, const struct input *in, size_t number, fer_search_doc *out)
{
    size_t copy = number / in->count;
    struct tool t = in->tools[number % in->count];
    if (copy) {
        size_t from = t.head.description.len * (copy * 7 % 10) / 20;
        t.head.description = fer_str_slice(t.head.description, from, t.head.description.len);
        t.head.ns = in->tools[(number * 7919 + copy) % in->count].head.ns;
    }
    BENCH_NEEDS(!fer_tool_text(a, &t.head, t.schema, out, NULL));
}

static void build(struct index *ix, const struct input *in, size_t count)
{
    fer_arena *a = fer_arena_new(0);
    int8_t vector[FER_EMBED_DIMS];
    fer_str frozen;
    ix->frozen = fer_arena_new(0);
    fer_lexical *tail = fer_lexical_new();
    ix->vectors = fer_vectors_new(ix->parts.embedder->dims);
    BENCH_NEEDS(a && ix->frozen && tail && ix->vectors);
    for (uint32_t i = 0; i < count; i++) {
        fer_search_doc doc;
        fer_arena_reset(a);
        document(a, in, i, &doc);
        double start = now();
        BENCH_NEEDS(!fer_lexical_put(tail, i, &doc, NULL));
        ix->seconds[0] += since(start);
        start = now();
        ix->parts.embedder->embed(ix->parts.embedder, &doc, 1, FER_EMBED_DOC, vector, NULL);
        BENCH_NEEDS(!fer_vectors_put(ix->vectors, i, vector, NULL));
        ix->seconds[1] += since(start);
    }
    double start = now();
    BENCH_NEEDS(!fer_lexical_freeze(ix->frozen, tail, &frozen, NULL));
    BENCH_NEEDS(!fer_lexical_open(frozen, &ix->lexical, NULL));
    ix->seconds[0] += since(start);
    ix->lexical_bytes = frozen.len;
    ix->parts.lexical = ix->lexical;
    ix->parts.vectors = ix->vectors;
    fer_lexical_free(tail);
    fer_arena_free(a);
}

static void drop(struct index *ix)
{
    fer_lexical_free(ix->lexical);
    fer_vectors_free(ix->vectors);
    fer_arena_free(ix->frozen);
}

/* ---- searching ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_ranker(const struct index *ix, const struct input *in, fer_ranker ranker)
{
    static const char *const engines[] = {"ferrule, words of both", "ferrule, vectors",
                                          "ferrule, both"};
    static double micros[QUERIES_MAX];
    fer_arena *a = fer_arena_new(0);
    size_t kept = 0;
    BENCH_NEEDS(a);
    for (int round = 0; round < TURNS; round++) {
        for (size_t i = 0; i < in->query_count; i++) {
            fer_hybrid_hits hits;
            const fer_hybrid_query q = {.base = {.text = in->queries[i], .limit = 10},
                                        .ranker = ranker};
            fer_arena_reset(a);
            double start = now();
            int64_t from = fer_clock_mono();
            BENCH_NEEDS(!fer_hybrid_search(a, &ix->parts, &q, &hits, NULL));
            double clock = (double)(fer_clock_mono() - from) / 1e3, work = since(start) * 1e6;
            double took = clock < work ? clock : work;
            micros[i] = round && micros[i] < took ? micros[i] : took;
            kept += hits.fused.count;
        }
    }
    BENCH_NEEDS(kept);
    qsort(micros, in->query_count, sizeof *micros, by_value);
    printf("{\"engine\":\"%s\",\"tools\":%zu,\"p50_us\":%.2f,\"p95_us\":%.2f,\"p99_us\":%.2f}\n",
           engines[ranker], fer_vectors_count(ix->vectors), micros[in->query_count / 2],
           micros[in->query_count * 95 / 100], micros[in->query_count * 99 / 100]);
    fer_arena_free(a);
}

/* Of the ten nearest by a full look, how many sketches find. */
static double found_by_sketches(const struct index *ix, const struct input *in)
{
    fer_arena *a = fer_arena_new(0);
    size_t same = 0, all = 0;
    for (size_t i = 0; i < in->query_count && i < 200; i++) {
        int8_t vector[FER_EMBED_DIMS];
        fer_near_hits full, quick;
        fer_arena_reset(a);
        BENCH_NEEDS(!fer_embed_query(ix->parts.embedder, in->queries[i], vector, NULL));
        fer_near_query q = {.vectors = vector, .asked = 1, .limit = 10, .flat = SIZE_MAX};
        BENCH_NEEDS(!fer_vectors_search(a, ix->vectors, &q, &full, NULL));
        q.flat = 1;
        BENCH_NEEDS(!fer_vectors_search(a, ix->vectors, &q, &quick, NULL));
        for (size_t k = 0; k < full.count; k++)
            for (size_t m = 0; m < quick.count; m++)
                same += full.list[k].number == quick.list[m].number;
        all += full.count;
    }
    fer_arena_free(a);
    return all ? 100 * (double)same / (double)all : 0;
}

int main(int argc, char **argv)
{
    struct input in = {.arena = fer_arena_new(0)};
    struct index ix = {0};
    fer_static_model model;
    BENCH_NEEDS(in.arena && !fer_static_model_builtin(&model, NULL));
    if (argc < 4) {
        fprintf(stderr, "usage: bench_hybrid TOOLS.jsonl QUERIES.jsonl COUNT...\n");
        return 2;
    }
    read_lines(&in, argv[1], add_tool);
    read_lines(&in, argv[2], add_query);
    BENCH_NEEDS(in.count && in.query_count);
    for (int i = 3; i < argc; i++) {
        uint64_t count = 0;
        BENCH_NEEDS(fer_parse_u64(fer_str_of(argv[i]), &count) && count && count < FER_VECTORS_MAX);
        ix = (struct index){.parts = {.searcher = fer_searcher_new(),
                                      .embedder = fer_embed_static_new(&model),
                                      .tokeniser = fer_tokeniser_new()}};
        build(&ix, &in, count);
        for (fer_ranker r = 0; r < FER_RANKER_COUNT; r++) time_ranker(&ix, &in, r);
        printf(
            "{\"engine\":\"ferrule, both\",\"tools\":%zu,\"tools_per_s\":%.0f,\"bytes_per_tool\":%.1f,"
            "\"vectors_per_s\":%.0f,\"found_by_sketches\":%.1f}\n",
            (size_t)count, (double)count / (ix.seconds[0] + ix.seconds[1]),
            (double)(ix.lexical_bytes + fer_vectors_bytes(ix.vectors)) / (double)count,
            (double)count / ix.seconds[1], found_by_sketches(&ix, &in));
        fflush(stdout);
        drop(&ix);
        fer_searcher_free(ix.parts.searcher);
        fer_embedder_free(ix.parts.embedder);
        fer_tokeniser_free(ix.parts.tokeniser);
    }
    fer_arena_free(in.arena);
    return 0;
}
