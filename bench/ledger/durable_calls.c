/* SPDX-License-Identifier: Apache-2.0 */
#include "durable_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "gateway_parts.h"
#include "keeping.h"

#define CALLERS 64

struct echo_args {
    fer_str city, unit;
    int64_t days;
};
static const fer_bind_row rows[] = {
    {"city", FER_BIND_STRING, offsetof(struct echo_args, city), true, "Where.", NULL, NULL},
    {"unit", FER_BIND_STRING, offsetof(struct echo_args, unit), true, "Which.", NULL, NULL},
    {"days", FER_BIND_INTEGER, offsetof(struct echo_args, days), true, "How many.", NULL, NULL},
};

static fer_code echo(void *context, fer_arena *a, const void *bound, fer_str *out, fer_err *err)
{
    const struct echo_args *p = bound;
    (void)context;
    *out = fer_arena_printf(a, "{\"city\":\"%.*s\",\"days\":%lld}", FER_PRI(p->city),
                            (long long)p->days);
    return out->ptr ? FER_OK : fer_arena_failed(a, err);
}
static const fer_builtin function = {
    .ns = "bench",
    .name = "echo",
    .description = "Gives its arguments back.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .args_size = sizeof(struct echo_args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"days\":{"
        "\"type\":\"integer\"}},\"required\":[\"city\",\"days\"]}",
    .effect = FER_EFFECT_NON_IDEMPOTENT_WRITE,
    .run = echo};

/* As many at once as there are callers: nobody waits for a turn. */
static const char policies[] =
    "{\"tools\":{\"bench:echo\":{\"idempotency\":\"optional\"}},\"backends\":{\"*\":{\"concurrency\":"
    "1000}},\"tenants\":{\"*\":{\"concurrency\":1000}}}";

struct caller {
    struct run *run;
    struct caller *next; /* that has nothing to do */
    double began;
};
struct run {
    fer_gateway *gateway;
    size_t next, calls, ended;
    bool keyed;
    double *took;
    struct caller *idle;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
static double cpu_ms(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void must(fer_code code, const fer_err *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e);

static void ask(struct caller *c)
{
    struct run *r = c->run;
    char key[32];
    fer_err err;
    int n = snprintf(key, sizeof key, "key-%zu", r->next++);
    fer_call_options o = {.idempotency_key = {key, r->keyed ? (size_t)n : 0}};
    c->began = now_ms();
    must(fer_gateway_call(r->gateway, FER_STR("bench:echo"),
                          FER_STR("{\"city\":\"Berlin\",\"unit\":\"c\",\"days\":3}"), &o, on_done,
                          c, NULL, &err),
         &err);
}

/* Where nothing is waited for a call ends before it was begun: the next one is asked by the loop.
 */
static void on_done(void *context, fer_call *call, const fer_envelope *e)
{
    struct caller *c = context;
    struct run *r = c->run;
    (void)call;
    if (e->error.code) {
        fprintf(stderr, "%.*s\n", FER_PRI(e->error.message));
        exit(1);
    }
    r->took[r->ended++] = now_ms() - c->began;
    c->next = r->idle;
    r->idle = c;
}

static void drive(struct run *r, size_t callers)
{
    struct caller list[CALLERS];
    for (size_t i = 0; i < callers; i++) {
        list[i] = (struct caller){.run = r, .next = r->idle};
        r->idle = &list[i];
    }
    while (r->ended < r->calls) {
        while (r->next < r->calls && r->idle) {
            struct caller *c = r->idle;
            r->idle = c->next;
            ask(c);
        }
        uv_run(fer_gateway_loop(r->gateway), r->next > r->ended ? UV_RUN_ONCE : UV_RUN_NOWAIT);
    }
    r->idle = NULL; /* the callers go with this function */
}

double durable_calls(const char *name, const char *state, size_t calls, size_t callers, bool keyed)
{
    struct run r = {.calls = calls, .keyed = keyed, .took = malloc(calls * sizeof(double))};
    fer_catalog *catalog;
    fer_keeping *keeping = NULL;
    fer_err err;
    must(fer_catalog_new(NULL, &catalog, &err), &err);
    fer_gateway_options o = {.catalog = catalog, .policies = fer_str_of(policies)};
    must(fer_gateway_new(&o, &r.gateway, &err), &err);
    must(fer_gateway_builtins(r.gateway, &function, 1, &err), &err);
    fer_keep_options keep = {.folder = fer_str_of(state), .key_ttl_ms = FER_KEY_TTL_MS};
    if (state) must(fer_keeping_begin(r.gateway, &keep, &keeping, &err), &err);
    double began = now_ms(), cpu = cpu_ms();
    drive(&r, callers);
    double took = now_ms() - began;
    cpu = cpu_ms() - cpu;
    fer_gateway_stop(r.gateway);
    fer_keeping_end(keeping);
    fer_gateway_free(r.gateway);
    fer_catalog_free(catalog);
    qsort(r.took, calls, sizeof(double), by_value);
    double p50 = r.took[calls / 2];
    printf("| %s, %zu callers | %zu | %.0f | %.0f | %.2f ms | %.2f ms | %.1f us |\n", name, callers,
           calls, (double)calls / took * 1e3, state ? 2 * (double)calls / took * 1e3 : 0, p50,
           r.took[calls * 99 / 100], cpu * 1e3 / (double)calls);
    free(r.took);
    return p50;
}
