/* SPDX-License-Identifier: Apache-2.0 */
#include "vacant.h"

#include <stdio.h>

#include "errors.h"

typedef struct vacancy {
    fer_runner runner;
    fer_arena *arena; /* it lives in */
    fer_err why;
} vacancy;

static void list(fer_runner *r, fer_listing *l)
{
    const vacancy *v = (const vacancy *)r;
    l->on_end(l, v->why.code, FER_STR(""), &v->why);
}

static void call(fer_runner *r, fer_attempt *t)
{
    fer_attempt_vacant(t, "", r->name);
}

static void status(const fer_runner *r, fer_runner_status *out)
{
    const vacancy *v = (const vacancy *)r;
    *out = (fer_runner_status){.health = FER_HEALTH_DOWN};
    snprintf(out->detail, sizeof out->detail, "%.250s", v->why.message);
}

static void free_it(fer_runner *r)
{
    fer_arena_free(((vacancy *)r)->arena);
}

/* What tools name as their backend decides who is asked to run them. */
#define VACANT(kind)                                                                               \
    {                                                                                              \
        .name = "vacant", .backend = kind, .list = list, .call = call, .status = status,           \
        .free = free_it                                                                            \
    }
static const fer_runner_kind server = VACANT(FER_BACKEND_MCP);
static const fer_runner_kind provider = VACANT(FER_BACKEND_PROVIDER);

fer_runner *fer_vacant_runner(uv_loop_t *loop, fer_str name, fer_backend_kind backend,
                              const fer_err *why)
{
    fer_arena *a = fer_arena_new(0);
    vacancy *v = a ? fer_arena_alloc_zero(a, 1, sizeof *v) : NULL;
    if (!v) {
        fer_arena_free(a);
        return NULL;
    }
    v->runner = (fer_runner){
        .kind = backend == FER_BACKEND_MCP ? &server : &provider, .name = name, .loop = loop};
    v->arena = a;
    v->why = *why;
    return &v->runner;
}
