/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain looked at before it runs. What earlier steps will give is not known; what they promise
 * is: instances of their output schemas stand for it. Where all of them fit, nothing is said; where
 * none does, the step cannot work; where some do, it may not. A reference to what is not declared
 * but allowed may lead to something: that, too, is a doubt and no error.
 */
#include <stdarg.h>

#include "chain_args.h"
#include "choose.h"
#include "errors.h"
#include "gateway_parts.h"
#include "schema_tree.h"

enum {
    TRIALS = 8 /* instances of each output schema that are tried */
};

typedef struct promise {
    const yyjson_val *values[TRIALS];
    size_t count;       /* 0: nothing is known */
    fer_schema *output; /* that they are of; or NULL */
} promise;

typedef struct checking {
    fer_arena *arena;
    fer_gateway *gateway;
    const fer_chain *chain;
    fer_view *view;
    promise *promises; /* by slot */
    fer_chain_remark *list;
    size_t count, cap;
    fer_err *err;
} checking;

/* What a trial of a step sees. */
typedef struct trial {
    const checking *check;
    const fer_step *previous; /* or NULL */
    size_t number;
} trial;

/* ---- remarks
 * -------------------------------------------------------------------------------------------- */

static fer_code remark(checking *k, const fer_step *s, fer_severity severity, fer_code code,
                       const char *format, ...) FER_PRINTF(5, 6);
static fer_code remark(checking *k, const fer_step *s, fer_severity severity, fer_code code,
                       const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_chain_remark *list = fer_arena_room(k->arena, k->list, k->count, &k->cap, sizeof *list);
    fer_str copy = fer_arena_copy(k->arena, (fer_str){text, len});
    if (!list || !copy.ptr) return fer_arena_failed(k->arena, k->err);
    k->list = list;
    list[k->count++] = (fer_chain_remark){severity, s->id, code, copy};
    return FER_OK;
}

/* ---- promises
 * -------------------------------------------------------------------------------------------- */

static fer_code promise_of(checking *k, const fer_ready *r, promise *out)
{
    fer_specimen *list;
    size_t count;
    fer_json *doc;
    if (!r->output) return FER_OK;
    if (!out->output) out->output = fer_schema_ref(r->output);
    fer_sample_options o = {.max = TRIALS};
    fer_code code = fer_schema_samples(k->arena, r->output, &o, &list, &count, k->err);
    for (size_t i = 0; !code && i < count && out->count < TRIALS; i++) {
        if (!list[i].valid) continue;
        code = fer_json_read(k->arena, list[i].json, fer_json_limits_file(), &doc, k->err);
        if (!code) out->values[out->count++] = fer_json_root(doc);
    }
    return code;
}

static const promise *promise_at(const trial *t, const fer_ref *ref)
{
    if (ref->kind == FER_REF_STEP) return &t->check->promises[ref->slot];
    return ref->kind == FER_REF_PREVIOUS && t->previous ? &t->check->promises[t->previous->slot]
                                                        : NULL;
}

static const yyjson_val *source(void *context, const fer_ref *ref)
{
    const trial *t = context;
    const promise *p = promise_at(t, ref);
    return p && p->count ? p->values[t->number % p->count] : NULL;
}

static const fer_ref *unknown_ref(const trial *t, const fer_step *s)
{
    for (size_t i = 0; i < s->ref_count; i++) {
        const promise *p = promise_at(t, &s->refs[i]);
        if (!p || !p->count) return &s->refs[i];
    }
    return NULL;
}

/* Whether an output may have something at a place that no instance has. */
static bool may_be_there(checking *k, const promise *p, fer_str pointer)
{
    static const char *const probes[] = {"\"\"", "0", "{}", "[]", "true", "null"};
    for (size_t i = 0; i < p->count * FER_COUNT(probes); i++) {
        fer_tree t;
        fer_str text;
        fer_json *doc;
        bool valid = false;
        fer_tree_init(&t, k->arena);
        yyjson_mut_val *root = fer_tree_copy(&t, p->values[i / FER_COUNT(probes)]);
        if (fer_json_read(k->arena, fer_str_of(probes[i % FER_COUNT(probes)]), NULL, &doc, NULL))
            return false;
        yyjson_mut_val *probe = fer_tree_copy(&t, fer_json_root(doc));
        if (!root || !probe || !fer_tree_put_at(&t, root, pointer, probe) || t.failed ||
            fer_tree_write(&t, root, &text, NULL) ||
            fer_json_read(k->arena, text, fer_json_limits_file(), &doc, NULL))
            continue;
        if (!fer_schema_accepts(p->output, k->arena, fer_json_root(doc), &valid, NULL) && valid)
            return true;
    }
    return false;
}

/* A reference that no instance has anything for, though there may be something; or NULL. */
static const fer_ref *undeclared_ref(checking *k, const trial *t, const fer_step *s)
{
    for (size_t i = 0; i < s->ref_count; i++) {
        const fer_ref *ref = &s->refs[i];
        const promise *p = promise_at(t, ref);
        bool there = ref->fallback != NULL;
        for (size_t v = 0; v < p->count && !there; v++)
            there = fer_json_at(p->values[v], ref->pointer, NULL) != NULL;
        if (!there && p->output && may_be_there(k, p, ref->pointer)) return ref;
    }
    return NULL;
}

/* ---- steps
 * ------------------------------------------------------------------------------------------------
 */

/* Tries one set of arguments; `*why` says what is wrong with them, empty: they fit. */
static fer_code try_args(checking *k, const fer_ready *r, const fer_step *s, trial *t, fer_str *why,
                         fer_code *what)
{
    fer_str args;
    fer_json *doc;
    fer_err err = {0};
    fer_result *result;
    size_t count;
    *why = FER_STR("");
    fer_code code = fer_step_args(k->arena, s, source, t, &args, &err);
    if (code == FER_REQUIRED_MISSING || code == FER_CONSTRAINT_VIOLATION) {
        *what = code;
        *why = fer_arena_copy(k->arena, fer_str_of(err.message));
        return FER_OK;
    }
    if (!code) code = fer_json_read(k->arena, args, fer_json_limits_file(), &doc, &err);
    if (!code)
        code = fer_tool_validate_input(k->arena, r->tool, NULL, doc, fer_json_root(doc), NULL,
                                       &result, &err);
    if (code) {
        if (k->err) *k->err = err;
        return code;
    }
    if (fer_result_valid(result)) return FER_OK;
    const fer_violation *v = fer_result_violations(result, &count);
    *what = v->code;
    *why = v->message;
    return FER_OK;
}

static fer_code check_args(checking *k, const fer_ready *r, const fer_step *s,
                           const fer_step *previous)
{
    trial t = {k, previous, 0};
    size_t trials = s->ref_count ? TRIALS : 1, misfits = 0;
    fer_str why, first = FER_STR("");
    fer_code what = FER_OK, code = FER_OK;
    const fer_ref *unknown = unknown_ref(&t, s);
    if (unknown)
        return remark(k, s, FER_SEVERITY_INFO, FER_OK,
                      "what %.*s leads to is not declared, so the arguments are not checked",
                      FER_PRI(unknown->text));
    const fer_ref *undeclared = undeclared_ref(k, &t, s);
    if (undeclared)
        return remark(k, s, FER_SEVERITY_WARNING, FER_REQUIRED_MISSING,
                      "%.*s leads to what is not declared: it may be missing",
                      FER_PRI(undeclared->text));
    for (; !code && t.number < trials; t.number++) {
        code = try_args(k, r, s, &t, &why, &what);
        if (code || !why.len) continue;
        if (!misfits++) first = why;
    }
    if (code || !misfits) return code;
    if (misfits == trials)
        return remark(k, s, FER_SEVERITY_ERROR, what, "the arguments do not fit: %.*s",
                      FER_PRI(first));
    return remark(k, s, FER_SEVERITY_WARNING, what,
                  "not all that may come fits the arguments: %.*s", FER_PRI(first));
}

static bool has_backend(const checking *k, const fer_ready *r)
{
    uint64_t tried = 0;
    fer_backend b;
    return fer_choose(k->gateway, r, &tried, &b) != NULL;
}

static fer_code check_call(checking *k, const fer_step *s, const fer_step *previous)
{
    fer_ready *r;
    fer_err err = {0};
    fer_code code = fer_ready_get(&k->gateway->readies, k->view, s->tool, FER_STR(""), &r, &err);
    if (code == FER_OUT_OF_MEMORY) return fer_fail(k->err, code, "out of memory");
    if (code) return remark(k, s, FER_SEVERITY_ERROR, code, "%s", err.message);
    if (!has_backend(k, r))
        code = remark(k, s, FER_SEVERITY_ERROR, FER_BACKEND_UNAVAILABLE,
                      "nothing that is configured here runs %.*s", FER_PRI(r->id));
    if (!code && r->idempotency == FER_IDEMPOTENCY_REQUIRED)
        code = remark(k, s, FER_SEVERITY_WARNING, FER_IDEMPOTENCY_KEY_MISSING,
                      "%.*s takes an idempotency key with every call, which only a chain that is "
                      "given one has for it",
                      FER_PRI(r->id));
    if (!code) code = check_args(k, r, s, previous);
    if (!code) code = promise_of(k, r, &k->promises[s->slot]);
    fer_ready_unref(r);
    if (!code && s->fallback) code = check_call(k, s->fallback, previous);
    return code;
}

static fer_code check_steps(checking *k, const fer_steps *steps, const fer_step *previous)
{
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < steps->count; i++) {
        const fer_step *s = &steps->list[i];
        for (size_t b = 0; !code && b < s->branch_count; b++)
            code = check_steps(k, &s->branches[b], previous);
        if (!s->branch_count) code = check_call(k, s, previous);
        previous = s;
    }
    return code;
}

fer_code fer_gateway_check_chain(fer_arena *a, fer_gateway *g, const fer_chain *chain,
                                 fer_chain_remark **out, size_t *count, fer_err *err)
{
    checking k = {.arena = a, .gateway = g, .chain = chain, .err = err};
    k.promises = fer_arena_alloc_zero(a, chain->slots, sizeof *k.promises);
    if (!k.promises) return fer_arena_failed(a, err);
    k.view = fer_catalog_view(g->options.catalog);
    fer_code code = check_steps(&k, &chain->steps, NULL);
    fer_view_unref(k.view);
    for (size_t i = 0; i < chain->slots; i++) fer_schema_unref(k.promises[i].output);
    if (code) return code;
    *out = k.list;
    *count = k.count;
    return FER_OK;
}
