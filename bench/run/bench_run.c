/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the gateway adds to a call of a function of this process: the function called directly (its
 * arguments read and bound, its result read) next to the whole way, validated on both sides, and
 * how the time of that is spread over the stages. `bench_run count N` makes N calls and nothing
 * else, for callgrind.
 *
 * `bench_run stdio PROGRAM [ARGUMENT]...` is what a call of a tool of an MCP server over standard
 * input and output costs this process, by getrusage: one call after the other, and many at once.
 * What the server itself takes is not in it. `bench_run stdio-count N PROGRAM ...` makes N calls,
 * for callgrind.
 */
#include <ferrule/gateway.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../bench.h"
#include "gateway_parts.h"
#include "mcp_stdio.h"

enum {
    CALLS = 20000,
    TURNS = 7
};

struct order_args {
    fer_str customer, note;
    int64_t count;
    double price;
    bool express;
};
static const fer_bind_row rows[] = {
    {"customer", FER_BIND_STRING, offsetof(struct order_args, customer), true, "Who orders.", NULL,
     "{\"minLength\":1,\"maxLength\":80}"},
    {"count", FER_BIND_INTEGER, offsetof(struct order_args, count), true, "How many.", NULL,
     "{\"minimum\":1,\"maximum\":1000}"},
    {"price", FER_BIND_NUMBER, offsetof(struct order_args, price), true, "Of one.", NULL,
     "{\"minimum\":0}"},
    {"express", FER_BIND_BOOLEAN, offsetof(struct order_args, express), false, "Soon?", "false",
     NULL},
    {"note", FER_BIND_STRING, offsetof(struct order_args, note), false, "For the driver.", "\"\"",
     NULL},
};
static const char args[] =
    "{\"customer\":\"Ada Lovelace\",\"count\":12,\"price\":4.5,\"express\":true,"
    "\"note\":\"Leave it at the back door, please.\"}";

static fer_code order(void *context, fer_arena *a, const void *bound, fer_str *out, fer_err *err)
{
    const struct order_args *p = bound;
    (void)context, (void)err;
    *out =
        fer_arena_printf(a, "{\"orderId\":\"o-1\",\"total\":%.2f,\"lines\":%lld,\"accepted\":true}",
                         p->price * (double)p->count, (long long)p->count);
    return FER_OK;
}

static const fer_builtin function = {
    .ns = "shop",
    .name = "order",
    .description = "Orders something.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .args_size = sizeof(struct order_args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"orderId\":{\"type\":\"string\"},\"total\":{\"type\":"
        "\"number\"},\"lines\":{\"type\":\"integer\"},\"accepted\":{\"type\":\"boolean\"}},"
        "\"required\":[\"orderId\",\"total\",\"accepted\"],\"additionalProperties\":false}",
    .effect = FER_EFFECT_NON_IDEMPOTENT_WRITE,
    .run = order};

static int64_t spent[FER_STAGE_COUNT][CALLS]; /* ns, of the last turn */
static size_t done;

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    (void)context;
    BENCH_NEEDS(!e->error.code);
    for (size_t i = 0; i < FER_STAGE_COUNT; i++) spent[i][done % CALLS] = c->left[i] - c->came[i];
    done++;
}

static int by_size(const void *x, const void *y)
{
    int64_t one = *(const int64_t *)x, other = *(const int64_t *)y;
    return one < other ? -1 : one > other;
}

/* The clock's time of a stage: a mean would count whoever else has the processor meanwhile. */
static int64_t median(int64_t times[CALLS])
{
    qsort(times, CALLS, sizeof times[0], by_size);
    return times[CALLS / 2];
}

/* CPU time of this thread, ns. */
static int64_t cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t by_gateway(fer_gateway *g, size_t calls)
{
    fer_err err;
    int64_t begin = cpu();
    for (size_t i = 0; i < calls; i++)
        BENCH_NEEDS(!fer_gateway_call(g, FER_STR("shop:order"), fer_str_of(args), NULL, on_done,
                                      NULL, NULL, &err));
    return cpu() - begin;
}

/* The floor: what any caller of the function has to do. */
static int64_t directly(fer_arena *a, size_t calls)
{
    int64_t begin = cpu();
    for (size_t i = 0; i < calls; i++) {
        fer_json *doc;
        struct order_args bound = {0};
        fer_str out = fer_str_of("");
        fer_err err;
        fer_arena_reset(a);
        BENCH_NEEDS(!fer_json_read(a, fer_str_of(args), NULL, &doc, &err));
        BENCH_NEEDS(
            !fer_bind_arguments(a, rows, function.row_count, fer_json_root(doc), &bound, &err));
        BENCH_NEEDS(!order(NULL, a, &bound, &out, &err));
        BENCH_NEEDS(!fer_json_read(a, out, NULL, &doc, &err));
    }
    return cpu() - begin;
}

/* ---- a server over standard input and output ------------------------------------------------ */

enum {
    STDIO_CALLS = 5000,
    AT_ONCE = 32
};

typedef struct serving {
    fer_gateway *gateway;
    fer_catalog *catalog;
    fer_runner *runner;
    fer_arena *arena;
    fer_str tool; /* the first that it shows */
    bool listed;
    size_t left, under_way;
} serving;

static void on_listed(fer_listing *l, fer_code code, fer_str json, const fer_err *err)
{
    serving *s = l->context;
    fer_err own;
    fer_summary *list;
    size_t count;
    fer_str next;
    if (code) fprintf(stderr, "%s\n", err->message);
    BENCH_NEEDS(!code);
    fer_backend place = {FER_BACKEND_MCP, s->runner->name, FER_STR("")};
    fer_batch *b = fer_batch_new();
    fer_put_options o = {.ns = FER_STR("bench"), .backend = &place};
    BENCH_NEEDS(b && !fer_batch_add(b, FER_STR("list"), json, FER_FORMAT_JSON, &o, &own));
    BENCH_NEEDS(!fer_catalog_apply(s->catalog, b, &own));
    fer_batch_free(b);
    fer_view *v = fer_catalog_view(s->catalog);
    BENCH_NEEDS(!fer_view_list(s->arena, v, NULL, NULL, &list, &count, &next, &own) && count);
    s->tool = list[0].id;
    fer_view_unref(v);
    s->listed = true;
}

static void stdio_done(void *context, fer_call *c, const fer_envelope *e)
{
    serving *s = context;
    (void)c;
    if (e->error.code) fprintf(stderr, "%.*s\n", FER_PRI(e->error.message));
    BENCH_NEEDS(!e->error.code);
    s->under_way--;
}

/* CPU time of this process, its threads and the kernel for it included, ns. */
static int64_t own_cpu(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * INT64_C(1000000000) +
           (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * INT64_C(1000);
}

static int64_t ask_server(serving *s, size_t calls, size_t at_once)
{
    fer_err err;
    int64_t begin = own_cpu();
    s->left = calls;
    while (s->left || s->under_way) {
        while (s->left && s->under_way < at_once) {
            s->left--;
            s->under_way++;
            BENCH_NEEDS(!fer_gateway_call(s->gateway, s->tool, FER_STR("{}"), NULL, stdio_done, s,
                                          NULL, &err));
        }
        uv_run(fer_gateway_loop(s->gateway), UV_RUN_ONCE);
    }
    return own_cpu() - begin;
}

static int64_t best_of(serving *s, size_t at_once)
{
    int64_t best = INT64_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t one = ask_server(s, STDIO_CALLS, at_once);
        if (one < best) best = one;
    }
    return best;
}

static int over_stdio(const char *const *command, size_t count)
{
    fer_err err;
    serving s = {.arena = fer_arena_new(0)};
    fer_process_host *host;
    BENCH_NEEDS(s.arena && !fer_catalog_new(NULL, &s.catalog, &err));
    BENCH_NEEDS(!fer_gateway_new(&(fer_gateway_options){.catalog = s.catalog}, &s.gateway, &err));
    uv_loop_t *loop = fer_gateway_loop(s.gateway);
    BENCH_NEEDS(!fer_process_host_new(loop, &(fer_process_host_options){0}, &host, &err));
    const char *env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    s.runner = fer_mcp_stdio_runner(
        host, &(fer_mcp_stdio_settings){.name = FER_STR("bench"), .argv = command, .env = env});
    BENCH_NEEDS(s.runner && !fer_gateway_add_runner(s.gateway, s.runner, &err));
    fer_listing l = {.arena = s.arena, .on_end = on_listed, .context = &s};
    s.runner->kind->list(s.runner, &l);
    while (!s.listed) uv_run(loop, UV_RUN_ONCE);
    if (count) {
        ask_server(&s, count, 1);
    } else {
        ask_server(&s, 200, 1); /* to warm up */
        printf("one call of %.*s over stdio, CPU us of this process\n", FER_PRI(s.tool));
        printf("  %-28s %8.2f\n", "one after the other",
               (double)best_of(&s, 1) / STDIO_CALLS / 1000);
        printf("  %-28s %8.2f\n", "32 at once", (double)best_of(&s, AT_ONCE) / STDIO_CALLS / 1000);
    }
    fer_gateway_stop(s.gateway);
    fer_process_host_free(host);
    fer_gateway_free(s.gateway);
    fer_catalog_free(s.catalog);
    fer_arena_free(s.arena);
    return 0;
}

int main(int argc, char **argv)
{
    fer_err err;
    fer_catalog *catalog;
    fer_gateway *g;
    fer_arena *a = fer_arena_new(0);
    int64_t best = INT64_MAX, floor = INT64_MAX;
    signal(SIGPIPE, SIG_IGN);
    if (argc > 2 && strcmp(argv[1], "stdio") == 0)
        return over_stdio((const char *const *)(argv + 2), 0);
    if (argc > 3 && strcmp(argv[1], "stdio-count") == 0)
        return over_stdio((const char *const *)(argv + 3), strtoul(argv[2], NULL, 10));
    BENCH_NEEDS(a && !fer_catalog_new(NULL, &catalog, &err));
    BENCH_NEEDS(!fer_gateway_new(&(fer_gateway_options){.catalog = catalog}, &g, &err));
    BENCH_NEEDS(!fer_gateway_builtins(g, &function, 1, &err));
    if (argc > 2 && strcmp(argv[1], "count") == 0) {
        by_gateway(g, strtoul(argv[2], NULL, 10));
    } else {
        for (int turn = 0; turn < TURNS; turn++) {
            int64_t one = directly(a, CALLS), other = by_gateway(g, CALLS);
            if (one < floor) floor = one;
            if (other < best) best = other;
        }
        printf("one call of a function of this process, CPU us\n");
        printf("  %-28s %8.2f\n", "directly", (double)floor / CALLS / 1000);
        printf("  %-28s %8.2f\n", "through the gateway", (double)best / CALLS / 1000);
        printf("  %-28s %8.2f\n", "added", (double)(best - floor) / CALLS / 1000);
        for (size_t i = 0; i < FER_STAGE_COUNT; i++)
            printf("    %-26s %8.2f\n", fer_stages[i].name, (double)median(spent[i]) / 1000);
    }
    fer_gateway_free(g);
    fer_catalog_free(catalog);
    fer_arena_free(a);
    return 0;
}
