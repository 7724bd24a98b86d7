/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading messages of the size of tool calls: plain yyjson, as quick as it gets (memory
 * used again from message to message), and fer_json_read, which is yyjson plus limits,
 * duplicate keys and exact numbers. What counts is the ratio.
 *
 *     bench_json                      a table: one row per message
 *     bench_json count KIND SIZE N    reads the message of that size N times, for callgrind;
 *                                     KIND is none, yyjson or ferrule
 */
#include <ferrule/json.h>
#include <unistd.h>
#include <yyjson.h>

#include "bench.h"
#include "file.h"
#include "json_doc.h"

#define ROUNDS        300
#define ROUND_BYTES   200000 /* read per round, so that a round takes tens of microseconds */
#define MESSAGES      16
#define TURNS         512 /* texts read in turn, at most */
#define TOOL_FILE_MAX ((size_t)4 << 20)

/*
 * One text, or several that are read in turn, as a server would: the same text over and over
 * may suit one way of reading more than another.
 */
struct message {
    const char *name;
    fer_str text;
    const fer_str *turns; /* NULL: only the text */
    size_t count;
};

/* ---- messages ----------------------------------------------------------------------------------
 */

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":41,\"method\":\"ping\",\"params\":{}}";

static const char small[] =
    "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":{\"name\":\"get_forecast\","
    "\"arguments\":{\"latitude\":47.3769,\"longitude\":8.5417,\"days\":3,\"units\":\"metric\",\"hourly\":false,"
    "\"fields\":[\"temperature\",\"wind\",\"rain\"]},\"_meta\":{\"progressToken\":\"9b2e6c1a\",\"traceparent\":"
    "\"00-4bf92f3577b34da6\"}}}";

static const char medium[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"req-000043\",\"method\":\"tools/call\",\"params\":{\"name\":\"create_issue\","
    "\"arguments\":{\"owner\":\"ferrule\",\"repo\":\"ferrule\",\"title\":\"Reading stops at a line of 16 KiB\","
    "\"body\":\"### What happened\\nA message longer than 16384 bytes was cut.\\n\\n### Expected\\nThe limit is "
    "4 MiB (`json.size`).\\n\\n```\\nferrule: <stdin>:1:16385: error[InvalidJson]\\n```\\nSeen on \\\"Debian 12\\\", "
    "also on Ubuntu.\",\"labels\":[\"bug\",\"io\",\"needs-triage\"],\"assignees\":[\"octocat\"],\"milestone\":7,"
    "\"private\":false,\"estimate\":1.5,\"due\":null},\"_meta\":{\"progressToken\":1043,\"traceparent\":"
    "\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\",\"agent\":{\"id\":\"a-17\",\"name\":\"planner\"}}}}";

/* A query with rows of numbers, as tools for tables and charts take them; about 2 KB. */
static fer_str large(fer_arena *a)
{
    static const char *const kinds[] = {"sensor", "manual", "estimate"};
    char *text = fer_arena_alloc(a, 8192);
    BENCH_NEEDS(text);
    int len = snprintf(
        text, 8192,
        "{\"jsonrpc\":\"2.0\",\"id\":44,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"append_rows\",\"arguments\":{\"table\":\"measurements\",\"dryRun\":false,\"rows\":[");
    for (int i = 0; i < 18; i++) {
        len += snprintf(
            text + len, (size_t)(8192 - len),
            "%s{\"id\":%d,\"at\":\"2026-11-15T23:%02d:01.042Z\",\"value\":%d.%03d,\"kind\":\"%s\","
            "\"ok\":%s,\"note\":\"run %d\"}",
            i ? "," : "", 100000 + i * 37, i, 20 + i, i * 53 % 1000, kinds[i % 3],
            i % 4 ? "true" : "false", i);
    }
    len += snprintf(text + len, (size_t)(8192 - len), "]},\"_meta\":{\"progressToken\":44}}}");
    return (fer_str){text, (size_t)len};
}

/* A list of real tools, as a whole. */
static void add_tool_file(fer_arena *a, struct message *list, size_t *count, const char *name)
{
    char path[1024], inside[256];
    fer_str text;
    snprintf(inside, sizeof inside, "tools/%s", name);
    if (!bench_data(path, sizeof path, inside)) return;
    if (fer_file_read(a, path, TOOL_FILE_MAX, &text, NULL) != FER_OK) return;
    list[(*count)++] = (struct message){.name = name, .text = text};
}

/* The instances of a set of schemas, in turn: arguments of tool calls. */
static void add_instances(fer_arena *a, struct message *list, size_t *count, const char *name)
{
    char path[1024], inside[256];
    fer_str text, *turns = fer_arena_alloc_zero(a, TURNS, sizeof *turns);
    size_t n = 0;
    BENCH_NEEDS(turns);
    snprintf(inside, sizeof inside, "schemas/large/%s/instances.jsonl", name);
    if (!bench_data(path, sizeof path, inside)) return;
    if (fer_file_read(a, path, TOOL_FILE_MAX, &text, NULL) != FER_OK) return;
    for (size_t at = 0, end; at < text.len && n < TURNS; at = end + 1) {
        end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        if (end > at) turns[n++] = fer_str_slice(text, at, end);
    }
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += turns[i].len;
    if (n) list[(*count)++] = (struct message){name, {turns[0].ptr, bytes / n}, turns, n};
}

static size_t make_messages(fer_arena *a, struct message *list)
{
    static const char *const files[] = {"airtable.json", "filesystem.json", "github-old.json",
                                        "playwright.json"};
    static const char *const sets[] = {"get-weather", "search-flights", "mcp-tool-result",
                                       "todo-write", "create-order"};
    size_t count = 0;
    list[count++] = (struct message){"ping", fer_str_of(ping)};
    list[count++] = (struct message){"tools/call, small", fer_str_of(small)};
    list[count++] = (struct message){"tools/call, medium", fer_str_of(medium)};
    list[count++] = (struct message){"tools/call, large", large(a)};
    for (size_t i = 0; i < FER_COUNT(sets); i++) add_instances(a, list, &count, sets[i]);
    for (size_t i = 0; i < FER_COUNT(files); i++) add_tool_file(a, list, &count, files[i]);
    return count;
}

/* ---- readers -----------------------------------------------------------------------------------
 */

struct readers {
    void *pool; /* yyjson's own allocator over storage that is large enough */
    size_t pool_size;
    fer_arena *arena;
};

static fer_str turn(const struct message *m, size_t i)
{
    return m->turns ? m->turns[i % m->count] : m->text;
}

static void read_yyjson(struct readers *r, const struct message *m, size_t times)
{
    yyjson_alc alc;
    BENCH_NEEDS(yyjson_alc_pool_init(&alc, r->pool, r->pool_size));
    for (size_t i = 0; i < times; i++) {
        const fer_str text = turn(m, i);
        yyjson_doc *doc =
            yyjson_read_opts((char *)(uintptr_t)text.ptr, text.len, YYJSON_READ_NOFLAG, &alc, NULL);
        BENCH_NEEDS(doc);
        yyjson_doc_free(doc);
    }
}

/* The same over the arena: what the allocator makes of it. */
static void read_yyjson_arena(struct readers *r, const struct message *m, size_t times)
{
    yyjson_alc alc = fer_json_alc(r->arena);
    for (size_t i = 0; i < times; i++) {
        const fer_str text = turn(m, i);
        fer_arena_reset(r->arena);
        BENCH_NEEDS(yyjson_read_opts((char *)(uintptr_t)text.ptr, text.len, YYJSON_READ_NOFLAG,
                                     &alc, NULL));
    }
}

static void read_ferrule(struct readers *r, const struct message *m, size_t times)
{
    fer_err err;
    for (size_t i = 0; i < times; i++) {
        const fer_str text = turn(m, i);
        fer_json *doc;
        fer_arena_reset(r->arena);
        BENCH_NEEDS(fer_json_read(r->arena, text, fer_json_limits_file(), &doc, &err) == FER_OK);
    }
}

typedef void reader(struct readers *r, const struct message *m, size_t times);
static reader *const all[] = {read_yyjson, read_yyjson_arena, read_ferrule};

static void measure(struct readers *r, const struct message *m)
{
    double best[FER_COUNT(all)] = {0};
    size_t times = ROUND_BYTES / m->text.len + 1;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < FER_COUNT(all); k++) {
            int64_t before = fer_clock_mono();
            all[k](r, m, times);
            double ns = (double)(fer_clock_mono() - before) / (double)times;
            if (round == 0 || ns < best[k]) best[k] = ns;
        }
    }
    double bytes = (double)m->text.len;
    printf("%-20s %8zu %10.0f %7.0f %10.0f %10.0f %7.0f %7.2f\n", m->name, m->text.len, best[0],
           bytes * 1e3 / best[0], best[1], best[2], bytes * 1e3 / best[2], best[2] / best[0]);
}

static int count(struct readers *r, const struct message *list, size_t messages, char **argv)
{
    uint64_t size, times;
    const struct message *m = NULL;
    if (!fer_parse_u64(fer_str_of(argv[3]), &size) || !fer_parse_u64(fer_str_of(argv[4]), &times))
        return 2;
    for (size_t i = 0; i < messages; i++) {
        if (!m || llabs((long long)list[i].text.len - (long long)size) <
                      llabs((long long)m->text.len - (long long)size))
            m = &list[i];
    }
    if (strcmp(argv[2], "yyjson") == 0) read_yyjson(r, m, times);
    if (strcmp(argv[2], "ferrule") == 0) read_ferrule(r, m, times);
    printf("%zu\n", m->text.len);
    return 0;
}

int main(int argc, char **argv)
{
    struct message list[MESSAGES];
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a);
    size_t messages = make_messages(a, list), longest = 0;
    for (size_t i = 0; i < messages; i++) {
        if (list[i].text.len > longest) longest = list[i].text.len;
        for (size_t k = 0; k < list[i].count; k++) {
            if (list[i].turns[k].len > longest) longest = list[i].turns[k].len;
        }
    }
    struct readers r = {.pool_size = yyjson_read_max_memory_usage(longest, 0) + 4096};
    r.pool = malloc(r.pool_size);
    r.arena = fer_arena_new(0);
    BENCH_NEEDS(r.pool && r.arena);
    if (argc == 5 && strcmp(argv[1], "count") == 0) return count(&r, list, messages, argv);
    printf("%-20s %8s %10s %7s %10s %10s %7s %7s\n", "reading JSON", "bytes", "yyjson ns", "MB/s",
           "in arena", "ferrule ns", "MB/s", "ratio");
    for (size_t i = 0; i < messages; i++) measure(&r, &list[i]);
    free(r.pool);
    fer_arena_free(r.arena);
    fer_arena_free(a);
    return 0;
}
