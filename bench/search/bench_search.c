/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search, measured: building, a query, an update, bytes. One thread; the same tools and the
 * same queries for SQLite's FTS5 beside it.
 *
 *     bench_search TOOLS.jsonl QUERIES.jsonl COUNT [ferrule | build | ask | floor | fts5 |
 *                  fts5-content | once | again | hits | index [TURNS [QUERIES]]]
 *
 * Where COUNT is more than the file has, its tools are taken again with one word changed.
 * A query is timed as it is asked: taken apart, swept, ranked, ten hits; the quickest of TURNS (5),
 * by the clock or by the time of the processor, whichever is less: to read the second takes 0.8 us,
 * and the first also counts what others do. `ask` leaves out building and updates, `build` does
 * nothing else, TURNS times, and prints the quickest, the one in the middle and the first. `once`
 * does everything once and prints nothing, for counting instructions, `again` asks once more, when
 * all words have been met; `hits` prints what was found and `index` the bytes of the index, to
 * compare two versions. `floor` is what adding up alone takes (floor.h), `fts5-content` FTS5 asked
 * without stop words. Prints lines of JSON.
 */
#include <stdatomic.h>

#include "../bench.h"
#include "floor.h"
#include "fts5.h"
#include "json_doc.h"
#include "lexical.h"
#include "tool_text.h"

#define BUILDS  3
#define UPDATES 2000

struct bench {
    fer_arena *arena;
    fer_search_doc *docs;
    size_t count;
    fer_str *queries;
    size_t query_count;
    size_t turns; /* how often a query is asked; its quickest turn counts */
};

/* ---- reading ---------------------------------------------------------------------- */

static fer_str read_all(fer_arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    BENCH_NEEDS(f);
    BENCH_NEEDS(fseek(f, 0, SEEK_END) == 0);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *p = fer_arena_alloc(a, size + 1);
    BENCH_NEEDS(p && fread(p, 1, size, f) == size);
    fclose(f);
    return (fer_str){p, size};
}

static bool next_line(fer_str *rest, fer_str *line)
{
    if (!rest->len) return false;
    size_t end = fer_str_find(*rest, 0, '\n');
    *line = fer_str_slice(*rest, 0, end == SIZE_MAX ? rest->len : end);
    *rest = fer_str_slice(*rest, end == SIZE_MAX ? rest->len : end + 1, rest->len);
    return true;
}

static fer_str text_of(const yyjson_val *v, const char *key)
{
    const yyjson_val *s = fer_val_get(v, key);
    return fer_is_str(s) ? fer_val_str(s) : FER_STR_NONE;
}

static fer_search_doc read_tool(fer_arena *a, fer_str line)
{
    fer_json *doc;
    fer_search_doc out;
    BENCH_NEEDS(fer_json_read(a, line, fer_json_limits_file(), &doc, NULL) == FER_OK);
    const yyjson_val *v = fer_json_root(doc);
    fer_tool_head head = {.ns = text_of(v, "namespace"),
                          .name = text_of(v, "name"),
                          .description = text_of(v, "description"),
                          .tags = fer_val_get(v, "tags")};
    BENCH_NEEDS(fer_tool_text(a, &head, fer_val_get(v, "inputSchema"), &out, NULL) == FER_OK);
    return out;
}

/* The tool again, with a word more in its name and its namespace. */
static fer_search_doc vary(fer_arena *a, fer_search_doc doc, size_t nth, size_t round)
{
    static const char *const words[] = {"alpha", "beta",  "north", "south", "green",
                                        "lunar", "prime", "omega", "delta", "solar"};
    fer_search_text *texts = fer_arena_alloc(a, doc.count * sizeof *texts);
    BENCH_NEEDS(texts);
    memcpy(texts, doc.texts, doc.count * sizeof *texts);
    for (size_t i = 0; i < doc.count; i++) {
        if (texts[i].field != FER_FIELD_NAME && texts[i].field != FER_FIELD_NAMESPACE) continue;
        texts[i].text = fer_arena_printf(a, "%.*s_%s%zu", FER_PRI(texts[i].text),
                                         words[(nth + round) % FER_COUNT(words)], round);
        BENCH_NEEDS(texts[i].text.ptr);
    }
    return (fer_search_doc){texts, doc.count};
}

static void read_tools(struct bench *b, const char *path, size_t count)
{
    fer_str rest = read_all(b->arena, path), line;
    b->docs = fer_arena_alloc(b->arena, count * sizeof *b->docs);
    BENCH_NEEDS(b->docs);
    while (b->count < count && next_line(&rest, &line))
        b->docs[b->count++] = read_tool(b->arena, line);
    size_t have = b->count;
    for (; b->count < count; b->count++)
        b->docs[b->count] =
            vary(b->arena, b->docs[b->count % have], b->count % have, b->count / have);
}

static void read_queries(struct bench *b, const char *path)
{
    fer_str rest = read_all(b->arena, path), line;
    b->queries = fer_arena_alloc(b->arena, 4096 * sizeof *b->queries);
    BENCH_NEEDS(b->queries);
    while (b->query_count < 4096 && next_line(&rest, &line)) {
        fer_json *doc;
        BENCH_NEEDS(fer_json_read(b->arena, line, fer_json_limits_file(), &doc, NULL) == FER_OK);
        b->queries[b->query_count++] = text_of(fer_json_root(doc), "query");
    }
}

/* ---- measuring -------------------------------------------------------------------- */

static int by_size(const void *one, const void *other)
{
    double x = *(const double *)one, y = *(const double *)other;
    return x < y ? -1 : x > y;
}

/* Middle and 99th of a hundred, of each query's quickest turn. */
static void print_times(const char *engine, size_t tools, double *us, size_t count)
{
    qsort(us, count, sizeof *us, by_size);
    printf("{\"engine\":\"%s\",\"tools\":%zu,\"p50_us\":%.2f,\"p95_us\":%.2f,\"p99_us\":%.2f}\n",
           engine, tools, us[count / 2], us[count * 95 / 100], us[count * 99 / 100]);
}

static void ask(const struct bench *b, const fer_lexical *ix, const char *engine)
{
    fer_searcher *s = fer_searcher_new();
    fer_arena *a = fer_arena_new(0);
    double *us = malloc(b->query_count * sizeof *us);
    BENCH_NEEDS(s && a && us);
    for (size_t round = 0; round < b->turns; round++) {
        for (size_t i = 0; i < b->query_count; i++) {
            fer_lexical_query q = {.text = b->queries[i], .limit = 10};
            fer_lexical_hits hits;
            int64_t start = worked(), from = fer_clock_mono();
            BENCH_NEEDS(fer_lexical_search(a, ix, s, &q, &hits, NULL) == FER_OK);
            int64_t clock = fer_clock_mono() - from, work = worked() - start;
            double took = (double)(clock < work ? clock : work) / 1e3;
            us[i] = round && us[i] < took ? us[i] : took;
            fer_arena_reset(a);
        }
    }
    print_times(engine, b->count, us, b->query_count);
    free(us);
    fer_arena_free(a);
    fer_searcher_free(s);
}

static void update(const struct bench *b, fer_lexical *ix)
{
    int64_t start = worked();
    for (size_t i = 0; i < UPDATES; i++) {
        size_t n = i * 7919 % b->count;
        BENCH_NEEDS(fer_lexical_put(ix, (uint32_t)n, &b->docs[(n + 1) % b->count], NULL) == FER_OK);
    }
    double us = (double)(worked() - start) / 1e3 / UPDATES;
    printf("{\"engine\":\"ferrule\",\"tools\":%zu,\"update_us\":%.2f}\n", b->count, us);
}

/* All at once; and, for comparison, one after the other and then frozen. */
static fer_str build(fer_arena *a, const struct bench *b)
{
    fer_lexical_builder *builder = fer_lexical_builder_new(b->count);
    fer_str frozen;
    BENCH_NEEDS(builder);
    BENCH_NEEDS(fer_lexical_builder_add_all(builder, 0, b->docs, b->count, NULL) == FER_OK);
    BENCH_NEEDS(fer_lexical_builder_finish(a, builder, &frozen, NULL) == FER_OK);
    fer_lexical_builder_free(builder);
    return frozen;
}

static fer_str put_all(fer_arena *a, const struct bench *b)
{
    fer_lexical *ix = fer_lexical_new();
    fer_str frozen;
    BENCH_NEEDS(ix);
    for (size_t i = 0; i < b->count; i++)
        BENCH_NEEDS(fer_lexical_put(ix, (uint32_t)i, &b->docs[i], NULL) == FER_OK);
    BENCH_NEEDS(fer_lexical_freeze(a, ix, &frozen, NULL) == FER_OK);
    fer_lexical_free(ix);
    return frozen;
}

static double rate_of(const struct bench *b, fer_str (*make)(fer_arena *, const struct bench *))
{
    int64_t best = INT64_MAX;
    for (int round = 0; round < (b->count > 200000 ? 1 : BUILDS); round++) {
        fer_arena *a = fer_arena_new(0);
        int64_t start = worked();
        BENCH_NEEDS(a && make(a, b).len);
        int64_t took = worked() - start;
        if (took < best) best = took;
        fer_arena_free(a);
    }
    return (double)b->count * 1e9 / (double)best;
}

/* How long each of `turns` builds took, in us: the first in a process also pays for its memory. */
static void run_build(const struct bench *b)
{
    double *us = malloc(b->turns * sizeof *us), first;
    BENCH_NEEDS(us);
    for (size_t i = 0; i < b->turns; i++) {
        fer_arena *a = fer_arena_new(0);
        int64_t start = worked();
        BENCH_NEEDS(a && build(a, b).len);
        us[i] = (double)(worked() - start) / 1e3;
        fer_arena_free(a);
    }
    first = us[0];
    qsort(us, b->turns, sizeof *us, by_size);
    printf("{\"engine\":\"ferrule\",\"tools\":%zu,\"tools_per_s\":%.0f,\"median_per_s\":%.0f,"
           "\"first_per_s\":%.0f}\n",
           b->count, (double)b->count * 1e6 / us[0], (double)b->count * 1e6 / us[b->turns / 2],
           (double)b->count * 1e6 / first);
    free(us);
}

static void run_ferrule(const struct bench *b)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *opened;
    fer_lexical_stats stats;
    BENCH_NEEDS(a);
    double built = rate_of(b, build), put = rate_of(b, put_all);
    fer_str frozen = build(a, b);
    int64_t before = worked();
    BENCH_NEEDS(fer_lexical_open(frozen, &opened, NULL) == FER_OK);
    int64_t open = worked() - before;
    fer_lexical_stat(opened, &stats);
    printf("{\"engine\":\"ferrule\",\"tools\":%zu,\"tools_per_s\":%.0f,\"put_per_s\":%.0f,"
           "\"open_us\":%.0f,\"bytes_per_tool\":%.1f,\"postings_per_tool\":%.1f,\"terms\":%zu}\n",
           b->count, built, put, (double)open / 1e3, (double)frozen.len / (double)b->count,
           (double)stats.postings / (double)b->count, stats.terms);
    ask(b, opened, "ferrule");
    update(b, opened);
    ask(b, opened, "ferrule, updated");
    fer_lexical_free(opened);
    fer_arena_free(a);
}

/* For counting instructions: everything once, by functions that keep their names. */
#if __has_attribute(noclone)
#define COUNTED __attribute__((noinline, noclone))
#else
#define COUNTED __attribute__((noinline))
#endif
void bench_count_build(fer_arena *a, const struct bench *b, fer_lexical **out);
void bench_count_queries(fer_arena *a, const struct bench *b, const fer_lexical *ix,
                         fer_searcher *s);
void bench_count_again(fer_arena *a, const struct bench *b, const fer_lexical *ix, fer_searcher *s);

COUNTED void bench_count_build(fer_arena *a, const struct bench *b, fer_lexical **out)
{
    BENCH_NEEDS(fer_lexical_open(build(a, b), out, NULL) == FER_OK);
}

COUNTED void bench_count_queries(fer_arena *a, const struct bench *b, const fer_lexical *ix,
                                 fer_searcher *s)
{
    for (size_t i = 0; i < b->query_count; i++) {
        fer_lexical_query q = {.text = b->queries[i], .limit = 10};
        fer_lexical_hits hits;
        BENCH_NEEDS(fer_lexical_search(a, ix, s, &q, &hits, NULL) == FER_OK);
        fer_arena_reset(a);
    }
}

COUNTED void bench_count_again(fer_arena *a, const struct bench *b, const fer_lexical *ix,
                               fer_searcher *s)
{
    bench_count_queries(a, b, ix, s);
}

static void run_once(const struct bench *b, bool again)
{
    fer_arena *a = fer_arena_new(0), *hits = fer_arena_new(0);
    fer_searcher *s = fer_searcher_new();
    fer_lexical *ix;
    BENCH_NEEDS(a && hits && s);
    bench_count_build(a, b, &ix);
    bench_count_queries(hits, b, ix, s);
    if (again) bench_count_again(hits, b, ix, s);
    fer_lexical_free(ix);
    fer_searcher_free(s);
    fer_arena_free(hits);
    fer_arena_free(a);
}

static void print_hits(const struct bench *b)
{
    fer_arena *a = fer_arena_new(0), *found = fer_arena_new(0);
    fer_searcher *s = fer_searcher_new();
    fer_lexical *ix;
    BENCH_NEEDS(a && found && s);
    bench_count_build(a, b, &ix);
    for (size_t i = 0; i < b->query_count; i++) {
        fer_lexical_query q = {.text = b->queries[i], .limit = 10};
        fer_lexical_hits hits;
        BENCH_NEEDS(fer_lexical_search(found, ix, s, &q, &hits, NULL) == FER_OK);
        printf("%zu:", i);
        for (size_t k = 0; k < hits.count; k++)
            printf(" %u %.9g", hits.list[k].number, hits.list[k].score);
        printf("\n");
        fer_arena_reset(found);
    }
    fer_lexical_free(ix);
    fer_searcher_free(s);
    fer_arena_free(found);
    fer_arena_free(a);
}

static void write_index(const struct bench *b)
{
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a);
    fer_str bytes = build(a, b);
    BENCH_NEEDS(fwrite(bytes.ptr, 1, bytes.len, stdout) == bytes.len);
    fer_arena_free(a);
}

static void run_ask(const struct bench *b)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix;
    BENCH_NEEDS(a);
    bench_count_build(a, b, &ix);
    ask(b, ix, "ferrule");
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static void run_fts5(const struct bench *b, const char *engine, bool content)
{
    double *us = malloc((b->query_count + 1) * sizeof *us);
    BENCH_NEEDS(us);
    double rate = fts5_run(b->docs, b->count, b->queries, b->query_count, content, b->turns, us);
    if (rate > 0) {
        printf("{\"engine\":\"%s\",\"tools\":%zu,\"tools_per_s\":%.0f}\n", engine, b->count, rate);
        print_times(engine, b->count, us, b->query_count);
    }
    free(us);
}

static void run_floor(const struct bench *b)
{
    double *us = malloc((b->query_count + 1) * sizeof *us);
    BENCH_NEEDS(us);
    double postings = floor_run(b->docs, b->count, b->queries, b->query_count, b->turns, us);
    printf("{\"engine\":\"floor\",\"tools\":%zu,\"postings\":%.0f}\n", b->count, postings);
    print_times("floor", b->count, us, b->query_count);
    free(us);
}

int main(int argc, char **argv)
{
    uint64_t count = 0, turns = 5, asked = SIZE_MAX;
    struct bench b = {.arena = fer_arena_new(0)};
    const char *what = argc > 4 ? argv[4] : "ferrule";
    if (argc < 4 || !fer_parse_u64(fer_str_of(argv[3]), &count) || !count ||
        (argc > 5 && (!fer_parse_u64(fer_str_of(argv[5]), &turns) || !turns)) ||
        (argc > 6 && (!fer_parse_u64(fer_str_of(argv[6]), &asked) || !asked))) {
        fprintf(
            stderr,
            "bench_search TOOLS.jsonl QUERIES.jsonl COUNT "
            "[ferrule | build | ask | floor | fts5 | fts5-content | once | again | hits | index "
            "[TURNS [QUERIES]]]\n");
        return 2;
    }
    BENCH_NEEDS(b.arena);
    b.turns = (size_t)turns;
    read_tools(&b, argv[1], (size_t)count);
    read_queries(&b, argv[2]);
    if (b.query_count > asked) b.query_count = (size_t)asked;
    if (strcmp(what, "fts5") == 0) run_fts5(&b, "fts5", false);
    else if (strcmp(what, "fts5-content") == 0) run_fts5(&b, "fts5, no stop words", true);
    else if (strcmp(what, "floor") == 0) run_floor(&b);
    else if (strcmp(what, "once") == 0) run_once(&b, false);
    else if (strcmp(what, "again") == 0) run_once(&b, true);
    else if (strcmp(what, "hits") == 0) print_hits(&b);
    else if (strcmp(what, "index") == 0) write_index(&b);
    else if (strcmp(what, "ask") == 0) run_ask(&b);
    else if (strcmp(what, "build") == 0) run_build(&b);
    else run_ferrule(&b);
    fer_arena_free(b.arena);
    return 0;
}
