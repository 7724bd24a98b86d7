/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling what is wrong: for each set of tool calls with invalid ones, the time of the verdict
 * alone and of all findings with their places. Without an argument all sets are run;
 * `bench_findings SET ROUNDS` runs one so many times, for callgrind ("all": every set).
 */
#include <dirent.h>
#include <ferrule/schema.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "file.h"

#define TURNS     9
#define TURN_NS   UINT64_C(4000000) /* a turn takes about so long */
#define LINES_MAX 1000

struct set {
    fer_arena *arena;
    fer_schema *schema;
    fer_json *docs[LINES_MAX];
    size_t count;
};

static void add_line(struct set *s, fer_str line)
{
    bool valid = true;
    fer_json *doc;
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a && !fer_json_read(s->arena, line, fer_json_limits_file(), &doc, NULL));
    BENCH_NEEDS(!fer_schema_accepts(s->schema, a, fer_json_root(doc), &valid, NULL));
    if (!valid) s->docs[s->count++] = doc;
    fer_arena_free(a);
}

static bool load(struct set *s, const char *folder)
{
    char path[1024];
    fer_str text, schema;
    fer_schema_options o = {.limits = fer_schema_limits_file()};
    *s = (struct set){.arena = fer_arena_new(0)};
    BENCH_NEEDS(s->arena);
    snprintf(path, sizeof path, "%s/schema.json", folder);
    if (fer_file_read(s->arena, path, (size_t)64 << 20, &schema, NULL)) return false;
    snprintf(path, sizeof path, "%s/invalid.jsonl", folder);
    if (fer_file_read(s->arena, path, (size_t)256 << 20, &text, NULL)) return false;
    if (fer_schema_compile(schema, &o, &s->schema, NULL)) return false;
    for (size_t at = 0; at < text.len && s->count < LINES_MAX;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        if (end > at) add_line(s, fer_str_slice(text, at, end));
        at = end + 1;
    }
    return s->count > 0;
}

static void unload(struct set *s)
{
    fer_schema_unref(s->schema);
    fer_arena_free(s->arena);
}

/* One pass over all calls; how many findings there were. */
static size_t pass(const struct set *s, fer_arena *a, bool tell)
{
    size_t findings = 0, count;
    for (size_t i = 0; i < s->count; i++) {
        bool valid = true;
        fer_result *r;
        if (tell) {
            BENCH_NEEDS(!fer_schema_validate(a, s->schema, s->docs[i], NULL, NULL, &r, NULL));
            fer_result_violations(r, &count);
            findings += count;
        } else {
            BENCH_NEEDS(!fer_schema_accepts(s->schema, a, fer_json_root(s->docs[i]), &valid, NULL));
        }
        fer_arena_reset(a);
    }
    return findings;
}

static double quickest(const struct set *s, fer_arena *a, bool tell)
{
    size_t passes = 1;
    double best = 1e18;
    uint64_t from = (uint64_t)fer_clock_mono();
    pass(s, a, tell);
    uint64_t once = (uint64_t)fer_clock_mono() - from + 1;
    if (once < TURN_NS) passes = (size_t)(TURN_NS / once) + 1;
    for (size_t turn = 0; turn < TURNS; turn++) {
        from = (uint64_t)fer_clock_mono();
        for (size_t p = 0; p < passes; p++) pass(s, a, tell);
        double each = (double)((uint64_t)fer_clock_mono() - from) / (double)(passes * s->count);
        if (each < best) best = each;
    }
    return best;
}

struct sums {
    double verdict, findings;
    size_t count;
};

static void run_set(const char *folder, const char *name, long rounds, struct sums *sums)
{
    static struct set s;
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a);
    if (!load(&s, folder)) {
        printf("%-38s no invalid calls\n", name);
    } else if (rounds) {
        for (long n = 0; n < rounds; n++) pass(&s, a, true);
        sums->count += s.count;
    } else {
        double verdict = quickest(&s, a, false), findings = quickest(&s, a, true);
        double each = (double)pass(&s, a, true) / (double)s.count;
        printf("%-38s %7zu %9.1f %10.1f %11.1f\n", name, s.count, each, verdict, findings);
        sums->verdict += log(verdict);
        sums->findings += log(findings);
        sums->count++;
    }
    unload(&s);
    fer_arena_free(a);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(x, y);
}

static void run_all(const char *data, long rounds, struct sums *sums)
{
    static char names[200][128];
    char path[2048];
    size_t count = 0;
    DIR *dir = opendir(data);
    BENCH_NEEDS(dir);
    for (struct dirent *e; (e = readdir(dir)) && count < FER_COUNT(names);) {
        if (e->d_name[0] != '.') snprintf(names[count++], sizeof names[0], "%.120s", e->d_name);
    }
    closedir(dir);
    qsort(names, count, sizeof names[0], by_name);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.1000s/%.120s", data, names[i]);
        run_set(path, names[i], rounds, sums);
    }
}

int main(int argc, char **argv)
{
    char data[512], path[1024];
    struct sums sums = {0};
    if (!bench_data(data, sizeof data, "schemas/toolcall")) {
        puts("no test data: nothing to measure");
        return 0;
    }
    if (argc == 3) {
        long rounds = strtol(argv[2], NULL, 10);
        snprintf(path, sizeof path, "%s/%s", data, argv[1]);
        if (strcmp(argv[1], "all") == 0) run_all(data, rounds, &sums);
        else run_set(path, argv[1], rounds, &sums);
        printf("%zu invalid calls\n", sums.count);
        return 0;
    }
    printf("%-38s %7s %9s %10s %11s\n", "invalid calls", "calls", "findings", "verdict ns",
           "findings ns");
    run_all(data, 0, &sums);
    if (!sums.count) return 0;
    double n = (double)sums.count;
    printf("%-38s %7s %9s %10.1f %11.1f\n", "geometric mean", "", "", exp(sums.verdict / n),
           exp(sums.findings / n));
    return 0;
}
