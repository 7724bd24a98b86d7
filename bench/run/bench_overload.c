/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one backend's trouble costs the rest. An outage: every call of a Pure tool fails, and how
 * many attempts are made for each call is printed. A hung backend: ten backends that answer after a
 * millisecond, then the same with one of them that never answers; p99 of the other nine, and the
 * ratio of the two.
 *
 *     bench_overload [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gateway_parts.h"

#define BACKENDS 10
#define CALLERS  4 /* of each backend */
#define EACH     400

static void must(fer_code code, const fer_err *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* ---- backends -----------------------------------------------------------------------------------
 */

struct place {
    fer_runner runner; /* first */
    char name[8];
    bool fails, hangs;
    size_t asked;
};

static void answer(uv_timer_t *timer)
{
    fer_attempt *t = timer->data;
    fer_json *doc;
    fer_err err;
    uv_close((uv_handle_t *)timer, (uv_close_cb)(void (*)(void))free);
    must(fer_json_read(t->arena, FER_STR("{\"n\":1}"), NULL, &doc, &err), &err);
    t->state = NULL;
    fer_attempt_end(t, &(fer_outcome){.phase = FER_PHASE_DEFINITE,
                                      .structured = fer_json_root(doc),
                                      .doc = doc,
                                      .structured_json = FER_STR("{\"n\":1}")});
}

static void place_call(fer_runner *r, fer_attempt *t)
{
    struct place *p = (struct place *)(void *)r;
    p->asked++;
    t->sent = true;
    if (p->fails) {
        fer_attempt_fail(t, FER_CONNECTION_LOST, "it is out");
        return;
    }
    if (p->hangs) return;
    uv_timer_t *timer = malloc(sizeof *timer);
    if (!timer) exit(1);
    uv_timer_init(r->loop, timer);
    timer->data = t;
    t->state = timer;
    uv_timer_start(timer, answer, 1, 0);
}
static void place_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    uv_timer_t *timer = t->state;
    (void)r;
    if (timer) {
        uv_timer_stop(timer);
        uv_close((uv_handle_t *)timer, (uv_close_cb)(void (*)(void))free);
    }
    fer_attempt_fail(t, FER_CANCELLED, "%s", fer_cancel_names[reason]);
}
static void place_free(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind kind = {.name = "place",
                                     .backend = FER_BACKEND_LOCAL,
                                     .call = place_call,
                                     .cancel = place_cancel,
                                     .free = place_free};

struct town {
    fer_catalog *catalog;
    fer_gateway *gateway;
    struct place places[BACKENDS];
};

static void build(struct town *t, const char *policies)
{
    fer_err err;
    memset(t, 0, sizeof *t);
    must(fer_catalog_new(NULL, &t->catalog, &err), &err);
    fer_gateway_options o = {.catalog = t->catalog, .policies = fer_str_of(policies)};
    must(fer_gateway_new(&o, &t->gateway, &err), &err);
    for (size_t i = 0; i < BACKENDS; i++) {
        struct place *p = &t->places[i];
        char tool[256];
        snprintf(p->name, sizeof p->name, "b%zu", i);
        snprintf(
            tool, sizeof tool,
            "[{\"namespace\":\"%s\",\"name\":\"read\",\"description\":\"Reads.\",\"inputSchema\":{"
            "\"type\":\"object\"},\"effect\":\"Pure\"}]",
            p->name);
        p->runner = (fer_runner){
            .kind = &kind, .name = fer_str_of(p->name), .loop = fer_gateway_loop(t->gateway)};
        must(fer_gateway_add_runner(t->gateway, &p->runner, &err), &err);
        fer_batch *b = fer_batch_new();
        fer_put_options put = {
            .backend = &(fer_backend){FER_BACKEND_LOCAL, fer_str_of(p->name), FER_STR("")}};
        must(fer_batch_add(b, FER_STR("t.json"), fer_str_of(tool), FER_FORMAT_JSON, &put, &err),
             &err);
        must(fer_catalog_apply(t->catalog, b, &err), &err);
        fer_batch_free(b);
    }
}

static void tear_down(struct town *t)
{
    fer_gateway_free(t->gateway);
    fer_catalog_free(t->catalog);
}

/* ---- an outage ----------------------------------------------------------------------------------
 */

static void outage(const char *name, const char *policies, size_t calls)
{
    struct town t;
    size_t failed = 0;
    fer_err err;
    build(&t, policies);
    t.places[0].fails = true;
    for (size_t i = 0; i < calls; i++) {
        fer_envelope e;
        fer_arena *a = fer_arena_new(0);
        must(fer_gateway_ask(a, t.gateway, FER_STR("b0:read"), FER_STR("{}"), NULL, &e, &err),
             &err);
        failed += e.error.code != FER_OK;
        fer_arena_free(a);
    }
    printf("| %s | %zu | %zu | %zu | %.3f |\n", name, calls, failed, t.places[0].asked,
           (double)t.places[0].asked / (double)calls);
    tear_down(&t);
}

/* ---- a hung backend -----------------------------------------------------------------------------
 */

struct caller {
    struct town *town;
    char tool[16];
    double began;
    size_t left;
    double *took; /* NULL: nobody measures it */
    size_t *count;
};

static void ask(struct caller *c);

static void on_done(void *context, fer_call *call, const fer_envelope *e)
{
    struct caller *c = context;
    (void)call, (void)e;
    if (c->took) c->took[(*c->count)++] = now_ms() - c->began;
    if (c->left) ask(c);
}

static void ask(struct caller *c)
{
    fer_err err;
    c->left--;
    c->began = now_ms();
    must(fer_gateway_call(c->town->gateway, fer_str_of(c->tool), FER_STR("{}"), NULL, on_done, c,
                          NULL, &err),
         &err);
}

static double p99(bool hangs)
{
    static double took[BACKENDS * CALLERS * EACH];
    static struct caller list[BACKENDS * CALLERS + 300];
    struct town t;
    size_t count = 0, want = (size_t)(BACKENDS - 1) * CALLERS * EACH;
    build(&t, "{\"tenants\":{\"*\":{\"concurrency\":1000}}}");
    t.places[BACKENDS - 1].hangs = hangs;
    /* Whoever asks the last backend asks it again and again: its places and its queue are full. */
    size_t many = hangs ? 300 : CALLERS;
    for (size_t i = 0; i < many; i++) {
        struct caller *c = &list[(size_t)BACKENDS * CALLERS + i];
        *c = (struct caller){.town = &t, .left = hangs ? 1 : EACH};
        snprintf(c->tool, sizeof c->tool, "b%d:read", BACKENDS - 1);
        ask(c);
    }
    for (size_t i = 0; i < (size_t)(BACKENDS - 1) * CALLERS; i++) {
        list[i] = (struct caller){.town = &t, .left = EACH, .took = took, .count = &count};
        snprintf(list[i].tool, sizeof list[i].tool, "b%zu:read", i / CALLERS);
        ask(&list[i]);
    }
    while (count < want) uv_run(fer_gateway_loop(t.gateway), UV_RUN_ONCE);
    qsort(took, count, sizeof *took, by_value);
    tear_down(&t);
    return took[count * 99 / 100];
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
    double well[64], hung[64];
    if (rounds > 64) rounds = 64;
    printf("| an outage | calls | failed | sent | sent for each call |\n|---|---|---|---|---|\n");
    outage(
        "no circuit",
        "{\"tools\":{\"*\":{\"retry\":{\"backoffMs\":1,\"maxBackoffMs\":1}}},\"backends\":{\"*\":{"
        "\"circuitBreaker\":{\"enabled\":false}}}}",
        2000);
    outage("with its circuit",
           "{\"tools\":{\"*\":{\"retry\":{\"backoffMs\":1,\"maxBackoffMs\":1}}}}", 2000);
    for (size_t i = 0; i < rounds; i++) {
        well[i] = p99(false);
        hung[i] = p99(true);
    }
    qsort(well, rounds, sizeof *well, by_value);
    qsort(hung, rounds, sizeof *hung, by_value);
    printf(
        "\n| nine backends, p99 | beside a tenth that is well | beside one that hangs | ratio |\n"
        "|---|---|---|---|\n");
    printf("| median of %zu rounds | %.2f ms | %.2f ms | %.2f |\n", rounds, well[rounds / 2],
           hung[rounds / 2], hung[rounds / 2] / well[rounds / 2]);
    printf("| the least of them | %.2f ms | %.2f ms | %.2f |\n", well[0], hung[0],
           hung[0] / well[0]);
    return 0;
}
