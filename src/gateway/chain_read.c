/* SPDX-License-Identifier: Apache-2.0 */
/* Chains out of JSON: first the form, by the schema; then what only a walk can tell. */
#include "chain.h"

#include <stdarg.h>

#include "arena.h"
#include "errors.h"
#include "map.h"
#include "sys.h"

extern const char fer_text_chain_schema[];

typedef struct reading {
    fer_chain *chain;
    fer_arena *arena;
    fer_map seen; /* steps that are certainly done when the next one begins, by name */
    bool hidden[FER_CHAIN_STEPS]; /* of these, such in another branch: by slot */
    size_t depth;
    bool goes_on; /* unless a step says otherwise */
    fer_err *err;
} reading;

/* ---- failures with a place
 * ------------------------------------------------------------------------- */

static void set_place(fer_err *err, fer_place p)
{
    if (!err) return;
    err->offset = p.offset;
    err->line = p.line;
    err->column = p.column;
}

static fer_code fail_at(const reading *r, const yyjson_val *where, fer_code code,
                        const char *format, ...) FER_PRINTF(4, 5);
static fer_code fail_at(const reading *r, const yyjson_val *where, fer_code code,
                        const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_fail(r->err, code, "%s", text);
    set_place(r->err, fer_json_place(r->chain->doc, where));
    return code;
}

static fer_code check_form(fer_arena *a, const fer_json *doc, fer_err *err)
{
    fer_schema *s;
    fer_result *r;
    size_t count;
    fer_code code = fer_schema_compile(fer_str_of(fer_text_chain_schema), NULL, &s, err);
    if (code) return code;
    code = fer_schema_validate(a, s, doc, NULL, NULL, &r, err);
    if (!code && !fer_result_valid(r)) {
        const fer_violation *v = fer_result_violations(r, &count);
        code = fer_fail(err, v->code, "%.*s: %.*s", FER_PRI(v->field), FER_PRI(v->message));
        set_place(err, v->place);
    }
    fer_schema_unref(s);
    return code;
}

/* ---- references
 * -------------------------------------------------------------------------------------- */

static fer_code read_ref(reading *r, const yyjson_val *value, bool first, fer_ref *out)
{
    fer_str text = fer_val_str(value);
    size_t hash = fer_str_find(text, 0, '#');
    fer_str step = fer_str_slice(text, 0, hash);
    *out = (fer_ref){.text = text, .pointer = fer_str_slice(text, hash + 1, text.len)};
    if (fer_str_is(step, "input")) {
        out->kind = FER_REF_INPUT;
    } else if (fer_str_is(step, "previous")) {
        out->kind = FER_REF_PREVIOUS;
        if (first)
            return fail_at(r, value, FER_CONSTRAINT_VIOLATION,
                           "%.*s: there is no step before the first", FER_PRI(text));
    } else {
        const fer_step *found = fer_map_get(&r->seen, step);
        if (!found || r->hidden[found->slot])
            return fail_at(r, value, FER_CONSTRAINT_VIOLATION,
                           "%.*s: no step of that name is done before this one", FER_PRI(text));
        out->slot = found->slot;
    }
    return FER_OK;
}

static fer_code read_uses(reading *r, const yyjson_val *step, bool first, fer_step *out)
{
    const yyjson_val *use = fer_val_get(step, "use"), *at = fer_val_get(step, "previousAt");
    const yyjson_val *previous = fer_val_get(step, "usePrevious");
    bool wants = fer_is_true(previous);
    size_t count = (use ? fer_val_len(use) : 0) + wants;
    fer_str to = at ? fer_val_str(at) : FER_STR("/previous");
    out->refs = fer_arena_alloc_zero(r->arena, count + 1, sizeof *out->refs);
    if (!out->refs) return fer_arena_failed(r->arena, r->err);
    if (at && !wants)
        return fail_at(r, at, FER_CONSTRAINT_VIOLATION, "previousAt goes with usePrevious");
    if (wants) {
        if (first)
            return fail_at(r, previous, FER_CONSTRAINT_VIOLATION,
                           "usePrevious: there is no step before the first");
        if (out->args && fer_json_at(out->args, to, NULL))
            return fail_at(r, out->args, FER_CONSTRAINT_VIOLATION,
                           "the arguments have something at %.*s, where usePrevious puts the "
                           "result before",
                           FER_PRI(to));
        out->refs[out->ref_count++] =
            (fer_ref){.kind = FER_REF_PREVIOUS, .text = FER_STR("previous#"), .to = to};
    }
    if (!use) return FER_OK;
    FER_EACH_MEMBER (use, key) {
        const yyjson_val *v = key + 1, *from = fer_is_obj(v) ? fer_val_get(v, "from") : v;
        fer_ref *ref = &out->refs[out->ref_count];
        fer_code code = read_ref(r, from, first, ref);
        if (code) return code;
        ref->to = fer_val_str(key);
        ref->fallback = fer_is_obj(v) ? fer_val_get(v, "default") : NULL;
        out->ref_count++;
    }
    return FER_OK;
}

static void unref_schema(void *schema)
{
    fer_schema_unref(schema);
}

static fer_code read_when(reading *r, const yyjson_val *step, bool first, fer_step *out)
{
    const yyjson_val *when = fer_val_get(step, "when");
    if (!when) return FER_OK;
    out->when = fer_arena_alloc_zero(r->arena, 1, sizeof *out->when);
    if (!out->when) return fer_arena_failed(r->arena, r->err);
    fer_code code = read_ref(r, fer_val_get(when, "from"), first, &out->when->ref);
    const yyjson_val *schema = fer_val_get(when, "schema");
    if (code || !schema) return code;
    code = fer_schema_compile_value(r->chain->doc, schema, NULL, &out->when->schema, r->err);
    if (code) return code;
    if (fer_arena_defer(r->arena, unref_schema, out->when->schema)) return FER_OK;
    fer_schema_unref(out->when->schema);
    return fer_arena_failed(r->arena, r->err);
}

/* ---- steps
 * -------------------------------------------------------------------------------------------- */

static fer_code read_steps(reading *r, const yyjson_val *list, bool first, fer_steps *out);

static int64_t number_of(const yyjson_val *step, const char *key)
{
    const yyjson_val *v = fer_val_get(step, key);
    return v ? (int64_t)v->uni.u64 : 0;
}

static fer_code begin_step(reading *r, const yyjson_val *value, fer_step *out)
{
    const yyjson_val *id = fer_val_get(value, "id"), *on_error = fer_val_get(value, "onError");
    fer_chain *c = r->chain;
    if (c->slots >= FER_CHAIN_STEPS)
        return fail_at(r, value, FER_LIMIT_EXCEEDED, "chain.steps: a chain has at most %d steps",
                       FER_CHAIN_STEPS);
    *out = (fer_step){.slot = c->slots++, .goes_on = r->goes_on};
    if (fer_is_str(on_error)) out->goes_on = fer_str_is(fer_val_str(on_error), "continue");
    out->id = id ? fer_val_str(id) : fer_arena_printf(r->arena, "%zu", out->slot);
    if (!out->id.ptr) return fer_arena_failed(r->arena, r->err);
    if (fer_str_is(out->id, "input") || fer_str_is(out->id, "previous"))
        return fail_at(r, id, FER_CONSTRAINT_VIOLATION, "no step may be called %.*s",
                       FER_PRI(out->id));
    return FER_OK;
}

static fer_code read_call(reading *r, const yyjson_val *value, bool first, fer_step *out)
{
    const yyjson_val *on_error = fer_val_get(value, "onError");
    fer_code code = begin_step(r, value, out);
    if (code) return code;
    out->tool = fer_val_str(fer_val_get(value, "toolId"));
    out->args = fer_val_get(value, "args");
    out->deadline_ms = number_of(value, "deadlineMs");
    out->timeout_ms = number_of(value, "timeoutMs");
    code = read_uses(r, value, first, out);
    if (!code) code = read_when(r, value, first, out);
    if (code || !fer_is_obj(on_error)) return code;
    const yyjson_val *fallback = fer_val_get(on_error, "fallback");
    if (fer_is_obj(fer_val_get(fallback, "onError")))
        return fail_at(r, fallback, FER_CONSTRAINT_VIOLATION,
                       "a fallback has no fallback of its own");
    out->fallback = fer_arena_alloc_zero(r->arena, 1, sizeof *out->fallback);
    if (!out->fallback) return fer_arena_failed(r->arena, r->err);
    return read_call(r, fallback, first, out->fallback);
}

/* Branches see what was before the group, not each other. */
static fer_code read_group(reading *r, const yyjson_val *value, bool first, fer_step *out)
{
    const yyjson_val *list = fer_val_get(value, "parallel");
    fer_code code = begin_step(r, value, out);
    if (!code) code = read_when(r, value, first, out);
    if (code) return code;
    if (++r->depth > FER_CHAIN_DEPTH)
        return fail_at(r, value, FER_LIMIT_EXCEEDED,
                       "chain.depth: at most %d groups may be inside each other", FER_CHAIN_DEPTH);
    out->branches = fer_arena_alloc_zero(r->arena, fer_val_len(list), sizeof *out->branches);
    if (!out->branches) return fer_arena_failed(r->arena, r->err);
    size_t from = r->chain->slots;
    FER_EACH_ITEM (list, item) {
        code = read_steps(r, item, first, &out->branches[out->branch_count]);
        if (code) return code;
        out->branch_count++;
        memset(r->hidden + from, true, r->chain->slots - from);
    }
    memset(r->hidden + from, false, r->chain->slots - from);
    r->depth--;
    return FER_OK;
}

/* From now on later steps may refer to it. */
static fer_code show(reading *r, const yyjson_val *value, fer_step *s)
{
    void **slot = fer_map_put(&r->seen, s->id);
    if (!slot) return fer_arena_failed(r->arena, r->err);
    if (*slot)
        return fail_at(r, value, FER_CONSTRAINT_VIOLATION, "two steps are called %.*s",
                       FER_PRI(s->id));
    *slot = s;
    return FER_OK;
}

/* A list of steps, or one that stands alone. `first`: nothing was before it. */
static fer_code read_steps(reading *r, const yyjson_val *list, bool first, fer_steps *out)
{
    bool alone = fer_is_obj(list);
    size_t count = alone ? 1 : fer_val_len(list);
    const yyjson_val *item = alone ? list : list + 1;
    out->list = fer_arena_alloc_zero(r->arena, count, sizeof *out->list);
    if (!out->list) return fer_arena_failed(r->arena, r->err);
    for (size_t i = 0; i < count; i++, item = fer_val_next(item)) {
        fer_step *s = &out->list[i];
        bool nothing = first && i == 0;
        fer_code code = fer_val_get(item, "parallel") ? read_group(r, item, nothing, s)
                                                      : read_call(r, item, nothing, s);
        if (!code) code = show(r, item, s);
        if (code) return code;
        out->count++;
    }
    return FER_OK;
}

/* ---- the whole
 * ------------------------------------------------------------------------------------------ */

static fer_code read_chain(fer_chain *c, fer_str json, fer_err *err)
{
    reading r = {.chain = c, .arena = c->arena, .err = err};
    fer_str text = fer_arena_copy(c->arena, json);
    if (!text.ptr) return fer_arena_failed(c->arena, err);
    fer_code code = fer_json_read(c->arena, text, NULL, &c->doc, err);
    if (!code) code = check_form(c->arena, c->doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(c->doc), *steps = root;
    fer_map_init(&r.seen, c->arena);
    if (fer_is_obj(root)) {
        const yyjson_val *on_error = fer_val_get(root, "onError");
        steps = fer_val_get(root, "steps");
        c->deadline_ms = number_of(root, "deadlineMs");
        r.goes_on = on_error && fer_str_is(fer_val_str(on_error), "continue");
    }
    return read_steps(&r, steps, true, &c->steps);
}

fer_code fer_chain_read(fer_str json, fer_chain **out, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_chain *c = a ? fer_arena_alloc_zero(a, 1, sizeof *c) : NULL;
    if (!c) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    c->arena = a;
    fer_code code = read_chain(c, json, err);
    if (code) fer_arena_free(a);
    else *out = c;
    return code;
}

void fer_chain_free(fer_chain *c)
{
    if (c) fer_arena_free(c->arena);
}
