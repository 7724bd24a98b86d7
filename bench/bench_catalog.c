/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue at 1,000, 10,000 and 100,000 tools: what taking a view, resolving an ID, a page,
 * one more tool, a search and opening the file cost. Medians of many,
 * in processor time; the tools are made up.
 */
#include <fcntl.h>
#include <ferrule/catalog.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "buf.h"

static const char *const words[] = {
    "create", "list",    "delete", "update",  "search", "send",  "issue",  "message", "file",
    "folder", "invoice", "user",   "channel", "branch", "order", "ticket", "report",  "calendar",
    "event",  "payment", "image",  "table",   "row",    "query", "price",  "weather", "route"};

/* Time of this thread alone: what else the machine does is not counted. */
static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t state = 1;
static size_t pick(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* Some thousand words, common and rare. */
static const char *word(void)
{
    static char text[4][32];
    static size_t next;
    size_t rare = pick(8) ? pick(pick(200) + 1) : 0;
    char *out = text[next++ % 4];
    snprintf(out, sizeof text[0], rare ? "%s%c%c" : "%s", words[pick(FER_COUNT(words))],
             (char)('a' + rare % 14), (char)('a' + rare / 14));
    return out;
}

static void add_tool(fer_buf *b, size_t i)
{
    fer_buf_printf(b, "{\"namespace\":\"server%zu\",\"name\":\"tool_%s_%zu\",\"description\":\"",
                   i % 500, words[i % FER_COUNT(words)], i);
    for (int k = 0; k < 18; k++) fer_buf_printf(b, "%s ", word());
    fer_buf_printf(
        b,
        "\",\"tags\":[\"%s\"],\"inputSchema\":{\"type\":\"object\",\"properties\":{\"%s_id\":{"
        "\"type\":\"string\",\"description\":\"%s of the %s\"},\"limit\":{\"type\":\"integer\","
        "\"minimum\":1}},\"required\":[\"%s_id\"]}}",
        word(), "a", word(), word(), "a");
}

static void put(fer_catalog *c, fer_str text)
{
    fer_err err;
    fer_batch *b = fer_batch_new();
    BENCH_NEEDS(b &&
                !fer_batch_add(b, FER_STR("t.jsonl"), text, FER_FORMAT_JSON_LINES, NULL, &err));
    BENCH_NEEDS(!fer_catalog_apply(c, b, &err));
    fer_batch_free(b);
}

/* Three words, as a request has them. */
static fer_str query_of(size_t r)
{
    static char text[128];
    int len = snprintf(text, sizeof text, "%s the %s of a %s", words[r % 7], words[7 + r % 11],
                       words[18 + r % 9]);
    return (fer_str){text, (size_t)len};
}

static int by_number(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

#define ROUNDS 201

/* The median of ROUNDS turns of `times` calls each, in microseconds per call. */
#define MEDIAN(name, times, call)                                                                  \
    do {                                                                                           \
        double all[ROUNDS];                                                                        \
        for (size_t r = 0; r < ROUNDS; r++) {                                                      \
            int64_t before = cpu_ns();                                                             \
            for (size_t t = 0; t < (times); t++) {                                                 \
                call;                                                                              \
            }                                                                                      \
            all[r] = (double)(cpu_ns() - before) / 1e3 / (double)(times);                          \
        }                                                                                          \
        qsort(all, ROUNDS, sizeof *all, by_number);                                                \
        printf("  %-28s %9.3f us\n", (name), all[ROUNDS / 2]);                                     \
    } while (0)

static void measure(fer_catalog *c, size_t count)
{
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(c);
    fer_summary *list, one;
    fer_str next, ids[64], out;
    fer_found found;
    fer_err err;
    size_t n;
    BENCH_NEEDS(!fer_view_list(a, v, NULL, &(fer_page){.size = 64}, &list, &n, &next, &err));
    for (size_t i = 0; i < 64; i++) ids[i] = list[i].id;
    MEDIAN("take and drop a view", 1000, fer_view_unref(fer_catalog_view(c)));
    MEDIAN("resolve an ID", 64,
           BENCH_NEEDS(!fer_view_resolve(a, v, ids[t], FER_STR(""), &out, &err)));
    MEDIAN("a summary", 64, BENCH_NEEDS(!fer_view_summary(a, v, ids[t], &one, &err));
           fer_arena_reset(a));
    MEDIAN("a page of 20", 1, fer_arena_reset(a);
           BENCH_NEEDS(!fer_view_list(a, v, NULL, NULL, &list, &n, &next, &err)));
    char id[300];
    fer_str first = {id, ids[0].len};
    memcpy(id, ids[0].ptr, ids[0].len);
    MEDIAN("describe, full", 1, fer_arena_reset(a);
           BENCH_NEEDS(!fer_view_describe(a, v, first, FER_LEVEL_FULL, &out, &err)));
    MEDIAN("search, first 10", 1, fer_arena_reset(a); BENCH_NEEDS(!fer_catalog_search(
        a, c, query_of(r), NULL, &(fer_page){.size = 10}, &found, &err)));
    fer_view_unref(v);
    fer_buf b;
    char text[4096];
    MEDIAN("one more tool, text to view", 1, fer_buf_init_fixed(&b, text, sizeof text);
           add_tool(&b, count + r); put(c, fer_buf_view(&b)));
    MEDIAN("one tool changed", 1, fer_buf_init_fixed(&b, text, sizeof text);
           add_tool(&b, count - 1); put(c, fer_buf_view(&b)));
    fer_arena_free(a);
}

static void measure_file(fer_catalog *c)
{
    char path[] = "/tmp/ferrule-bench-XXXXXX";
    int fd = mkstemp(path);
    fer_err err;
    BENCH_NEEDS(fd >= 0);
    off_t size = 0;
    int64_t before = cpu_ns();
    BENCH_NEEDS(!fer_catalog_save(c, path, &err));
    double seconds = (double)(cpu_ns() - before) / 1e9;
    close(fd);
    fd = open(path, 0);
    size = lseek(fd, 0, SEEK_END);
    close(fd);
    printf("  %-28s %9.3f s, %.1f MB\n", "save", seconds, (double)size / 1e6);
    for (int search = 0; search < 2; search++) {
        double best = 1e9;
        for (int i = 0; i < 9; i++) {
            fer_catalog *again;
            before = cpu_ns();
            BENCH_NEEDS(
                !fer_catalog_open(path, &(fer_catalog_options){.search = search}, &again, &err));
            double ms = (double)(cpu_ns() - before) / 1e6;
            if (ms < best) best = ms;
            fer_catalog_free(again);
        }
        printf("  %-28s %9.3f ms\n", search ? "open, to search" : "open", best);
    }
    unlink(path);
}

int main(void)
{
    static const size_t sizes[] = {1000, 10000, 100000};
    for (size_t s = 0; s < FER_COUNT(sizes); s++) {
        fer_arena *a = fer_arena_new(0);
        fer_catalog *c;
        fer_buf b;
        fer_err err;
        BENCH_NEEDS(!fer_catalog_new(&(fer_catalog_options){.search = true}, &c, &err));
        fer_buf_init(&b, a, (size_t)1 << 30);
        for (size_t i = 0; i < sizes[s]; i++) {
            add_tool(&b, i);
            fer_buf_add_char(&b, '\n');
        }
        int64_t before = cpu_ns();
        put(c, fer_buf_view(&b));
        double seconds = (double)(cpu_ns() - before) / 1e9;
        printf("%zu tools: read, checked and indexed in %.2f s, %.0f tools/s\n", sizes[s], seconds,
               (double)sizes[s] / seconds);
        fer_arena_free(a);
        measure(c, sizes[s]);
        measure_file(c);
        fer_catalog_free(c);
    }
    return 0;
}
