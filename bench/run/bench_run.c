/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the gateway adds to a call of a function of this process: the function called directly (its
 * arguments read and bound, its result read) next to the whole way, validated on both sides, and
 * how the time of that is spread over the stages. `bench_run count N` makes N calls and nothing
 * else, for callgrind.
 */
#include <ferrule/gateway.h>
#include <string.h>
#include <time.h>

#include "../bench.h"
#include "call.h"

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

static int64_t spent[FER_STAGE_COUNT];
static size_t done;

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    (void)context;
    BENCH_NEEDS(!e->error.code);
    done++;
    for (size_t i = 0; i < FER_STAGE_COUNT; i++) spent[i] += c->left[i] - c->came[i];
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

int main(int argc, char **argv)
{
    fer_err err;
    fer_catalog *catalog;
    fer_gateway *g;
    fer_arena *a = fer_arena_new(0);
    int64_t best = INT64_MAX, floor = INT64_MAX;
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
            printf("    %-26s %8.2f\n", fer_stages[i].name, (double)spent[i] / (double)done / 1000);
    }
    fer_gateway_free(g);
    fer_catalog_free(catalog);
    fer_arena_free(a);
    return 0;
}
