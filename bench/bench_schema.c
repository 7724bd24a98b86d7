/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validating: for each set of the test data (a schema and its instances) the time to compile
 * the schema, to ask for the verdict on instances that are read already, and to get from text
 * to verdict, next to plain yyjson reading the same texts. Without an argument all sets are
 * run; `bench_schema SET ROUNDS` runs one so many times, for callgrind.
 */
#include <dirent.h>
#include <ferrule/schema.h>
#include <math.h>
#include <string.h>
#include <yyjson.h>

#include "bench.h"
#include "file.h"

#define TURNS     9
#define TURN_NS   UINT64_C(4000000) /* a turn takes about so long */
#define LINES_MAX 100000

struct set {
    fer_arena *arena;
    fer_str schema;
    fer_str *lines;
    fer_json **docs;
    size_t count;
    size_t bytes;
};

static fer_schema_options options(void)
{
    return (fer_schema_options){.limits = fer_schema_limits_file()};
}

static bool load(struct set *s, const char *folder)
{
    char path[1024];
    fer_str text;
    *s = (struct set){.arena = fer_arena_new(0)};
    BENCH_NEEDS(s->arena);
    snprintf(path, sizeof path, "%s/schema.json", folder);
    if (fer_file_read(s->arena, path, (size_t)64 << 20, &s->schema, NULL)) return false;
    snprintf(path, sizeof path, "%s/instances.jsonl", folder);
    if (fer_file_read(s->arena, path, (size_t)256 << 20, &text, NULL)) return false;
    s->lines = fer_arena_alloc(s->arena, LINES_MAX * sizeof *s->lines);
    s->docs = fer_arena_alloc(s->arena, LINES_MAX * sizeof(fer_json *));
    BENCH_NEEDS(s->lines && s->docs);
    for (size_t at = 0; at < text.len && s->count < LINES_MAX;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_str line = fer_str_slice(text, at, end);
        at = end + 1;
        if (!line.len) continue;
        s->lines[s->count] = line;
        BENCH_NEEDS(fer_json_read(s->arena, line, fer_json_limits_file(), &s->docs[s->count],
                                  NULL) == FER_OK);
        s->bytes += line.len;
        s->count++;
    }
    return s->count > 0;
}

/* One pass over all instances, in one of the three ways. */
enum way {
    VERDICT,
    TEXT,
    PARSE
};

static void pass(const struct set *s, const fer_schema *schema, fer_arena *a, enum way way)
{
    for (size_t i = 0; i < s->count; i++) {
        bool valid = true;
        fer_json *doc = s->docs[i];
        if (way == PARSE) {
            yyjson_doc *plain = yyjson_read(s->lines[i].ptr, s->lines[i].len, 0);
            BENCH_NEEDS(plain);
            yyjson_doc_free(plain);
            continue;
        }
        if (way == TEXT) {
            BENCH_NEEDS(!fer_json_read(a, s->lines[i], fer_json_limits_file(), &doc, NULL));
        }
        BENCH_NEEDS(!fer_schema_accepts(schema, a, fer_json_root(doc), &valid, NULL) && valid);
        fer_arena_reset(a);
    }
}

static double quickest(const struct set *s, const fer_schema *schema, fer_arena *a, enum way way)
{
    size_t passes = 1;
    double best = 1e18;
    uint64_t from = (uint64_t)fer_clock_mono();
    pass(s, schema, a, way);
    uint64_t once = (uint64_t)fer_clock_mono() - from + 1;
    if (once < TURN_NS) passes = (size_t)(TURN_NS / once) + 1;
    for (size_t turn = 0; turn < TURNS; turn++) {
        from = (uint64_t)fer_clock_mono();
        for (size_t p = 0; p < passes; p++) pass(s, schema, a, way);
        double each = (double)((uint64_t)fer_clock_mono() - from) / (double)(passes * s->count);
        if (each < best) best = each;
    }
    return best;
}

static double compile_time(const struct set *s)
{
    fer_schema_options o = options();
    double best = 1e18;
    for (size_t turn = 0; turn < 25; turn++) {
        fer_schema *schema;
        uint64_t from = (uint64_t)fer_clock_mono();
        BENCH_NEEDS(!fer_schema_compile(s->schema, &o, &schema, NULL));
        double took = (double)((uint64_t)fer_clock_mono() - from);
        fer_schema_unref(schema);
        if (took < best) best = took;
    }
    return best;
}

struct sums {
    double verdict, text, parse, compile;
    size_t count;
};

static void run_set(const char *folder, const char *name, struct sums *sums)
{
    struct set s;
    fer_schema_options o = options();
    fer_schema *schema;
    fer_err err;
    if (load(&s, folder)) {
        fer_arena *a = fer_arena_new(0);
        BENCH_NEEDS(a);
        if (fer_schema_compile(s.schema, &o, &schema, &err)) {
            printf("%-38s %s\n", name, err.message);
        } else {
            double verdict = quickest(&s, schema, a, VERDICT);
            double text = quickest(&s, schema, a, TEXT), parse = quickest(&s, schema, a, PARSE);
            double compile = compile_time(&s);
            printf("%-38s %7zu %10.1f %10.1f %10.1f %8.2f %10.1f\n", name, s.bytes / s.count,
                   verdict, text, parse, text / parse, compile / 1000);
            sums->verdict += log(verdict);
            sums->text += log(text);
            sums->parse += log(parse);
            sums->compile += log(compile / 1000);
            sums->count++;
            fer_schema_unref(schema);
        }
        fer_arena_free(a);
    }
    fer_arena_free(s.arena);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(x, y);
}

static void run_group(const char *data, const char *group)
{
    static char names[200][128];
    char folder[1024], path[2048];
    size_t count = 0;
    struct sums sums = {0};
    snprintf(folder, sizeof folder, "%s/%s", data, group);
    DIR *dir = opendir(folder);
    BENCH_NEEDS(dir);
    for (struct dirent *e; (e = readdir(dir)) && count < FER_COUNT(names);) {
        if (e->d_name[0] != '.') snprintf(names[count++], sizeof names[0], "%.120s", e->d_name);
    }
    closedir(dir);
    qsort(names, count, sizeof names[0], by_name);
    printf("\n%-38s %7s %10s %10s %10s %8s %10s\n", group, "bytes", "verdict ns", "text ns",
           "yyjson ns", "ratio", "compile us");
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.1000s/%.120s", folder, names[i]);
        run_set(path, names[i], &sums);
    }
    if (!sums.count) return;
    double n = (double)sums.count;
    printf("%-38s %7s %10.1f %10.1f %10.1f %8.2f %10.1f\n", "geometric mean", "",
           exp(sums.verdict / n), exp(sums.text / n), exp(sums.parse / n),
           exp((sums.text - sums.parse) / n), exp(sums.compile / n));
}

int main(int argc, char **argv)
{
    char data[512];
    if (!bench_data(data, sizeof data, "schemas")) {
        puts("no test data: nothing to measure");
        return 0;
    }
    if (argc == 3) {
        struct set s;
        fer_schema *schema;
        char path[1024];
        fer_schema_options o = options();
        snprintf(path, sizeof path, "%s/%s", data, argv[1]);
        BENCH_NEEDS(load(&s, path) && !fer_schema_compile(s.schema, &o, &schema, NULL));
        fer_arena *a = fer_arena_new(0);
        for (long n = strtol(argv[2], NULL, 10); a && n > 0; n--) pass(&s, schema, a, VERDICT);
        fer_arena_free(a);
        fer_schema_unref(schema);
        fer_arena_free(s.arena);
        return 0;
    }
    run_group(data, "toolcall");
    run_group(data, "large");
    run_group(data, "realworld");
    return 0;
}
