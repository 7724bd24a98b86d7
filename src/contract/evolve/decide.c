/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"

#include "errors.h"

struct judge {
    fer_walk *w;
    const fer_diff_options *options;
    const yyjson_val *old, *now;
    fer_schema *smaller, *larger; /* the schemas as they are */
    fer_included whole;
    bool failed; /* one of them does not compile */
    fer_str why;
    fer_code code;
    fer_err *err;
};

/* ---- schemas ----------------------------------------------------------------------------------
 */

static bool out_of_memory(fer_code code)
{
    return code == FER_OUT_OF_MEMORY;
}

static fer_schema *compile(struct judge *j, fer_str text, fer_err *why)
{
    fer_schema_options o = {.assert_formats = j->options->assert_formats,
                            .limits = fer_schema_limits_file()};
    fer_schema *s = NULL;
    fer_code code = fer_schema_compile(text, &o, &s, why);
    if (out_of_memory(code)) j->code = code;
    return code ? NULL : s;
}

/* A schema with changes made to it; NULL: it is none then. */
static fer_schema *edited(struct judge *j, const yyjson_val *schema, fer_edits *edits, bool open,
                          fer_err *why)
{
    fer_str text;
    fer_json *doc;
    fer_arena *a = j->w->arena;
    fer_edits_settle(edits);
    fer_code code = fer_edits_write(a, schema, edits, &text, why);
    if (!code && open) {
        code = fer_json_read(a, text, fer_json_limits_file(), &doc, why);
        if (!code) code = fer_schema_open(a, doc, NULL, FER_DIALECT_DEFAULT, &text, why);
    }
    if (out_of_memory(code)) j->code = code;
    return code ? NULL : compile(j, text, why);
}

static bool opens(const struct judge *j)
{
    return j->w->side == FER_SIDE_OUTPUT && !j->options->strict_reader;
}

/* ---- answers -----------------------------------------------------------------------------------
 */

static void includes(struct judge *j, const fer_schema *larger, const fer_schema *smaller,
                     fer_included *out)
{
    *out = (fer_included){FER_INCLUSION_UNKNOWN, FER_STR("")};
    if (j->code || !larger || !smaller) return;
    j->code = fer_schema_includes(j->w->arena, larger, smaller, j->options->steps, out, j->err);
}

/* The first thing that a schema has against an instance. */
static fer_str reason(struct judge *j, const fer_schema *s, fer_str json)
{
    fer_json *doc;
    fer_result *r = NULL;
    fer_arena *a = j->w->arena;
    fer_code code = fer_json_read(a, json, fer_json_limits_file(), &doc, j->err);
    if (!code) code = fer_schema_validate(a, s, doc, NULL, NULL, &r, j->err);
    if (out_of_memory(code)) j->code = code;
    size_t count = 0;
    const fer_violation *list = r ? fer_result_violations(r, &count) : NULL;
    return count ? list[0].message : FER_STR("");
}

/* Whether the whole schemas differ about an instance, as a witness says. */
static bool confirms(struct judge *j, fer_str json)
{
    fer_json *doc;
    bool taken = false, refused = true;
    fer_arena *a = j->w->arena;
    fer_code code = fer_json_read(a, json, fer_json_limits_file(), &doc, j->err);
    if (!code) code = fer_schema_accepts(j->smaller, a, fer_json_root(doc), &taken, j->err);
    if (!code) code = fer_schema_accepts(j->larger, a, fer_json_root(doc), &refused, j->err);
    if (out_of_memory(code)) j->code = code;
    return !code && taken && !refused;
}

static void breaks(struct judge *j, fer_delta *d, fer_str witness, const fer_schema *refuses)
{
    d->impact = FER_IMPACT_BREAKING;
    d->witness = witness;
    d->reason = reason(j, refuses, witness);
}

static void take_whole(struct judge *j, fer_delta *d)
{
    if (j->whole.verdict == FER_NOT_INCLUDED) breaks(j, d, j->whole.witness, j->larger);
    else d->impact = j->whole.verdict == FER_INCLUDED ? FER_IMPACT_COMPATIBLE : FER_IMPACT_UNKNOWN;
}

/* ---- one change
 * ---------------------------------------------------------------------------------- */

static void add_edits(struct judge *j, fer_edits *list, const fer_delta *d)
{
    for (size_t i = 0; i < d->edit_count; i++)
        if (!fer_edits_add(j->w->arena, list, &d->edits[i])) j->code = FER_OUT_OF_MEMORY;
}

/* Only this change is made to the old schema. */
static void decide_alone(struct judge *j, fer_delta *d)
{
    fer_err why;
    fer_edits none = {0}, one = {0};
    bool input = j->w->side == FER_SIDE_INPUT;
    add_edits(j, &one, d);
    fer_schema *before = edited(j, j->old, &none, opens(j), &why);
    fer_schema *after = edited(j, j->old, &one, false, &why);
    fer_included got;
    if (!before || !after) {
        take_whole(j, d);
    } else {
        includes(j, input ? after : before, input ? before : after, &got);
        if (got.verdict == FER_INCLUDED) d->impact = FER_IMPACT_COMPATIBLE;
        else if (got.verdict == FER_INCLUSION_UNKNOWN) d->impact = FER_IMPACT_UNKNOWN;
        else if (confirms(j, got.witness)) breaks(j, d, got.witness, input ? after : before);
        else take_whole(j, d);
    }
    fer_schema_unref(before);
    fer_schema_unref(after);
}

/* Closes an object of the old schema, so that other names are seen. */
static void close_object(struct judge *j, fer_edits *list, const yyjson_val *object)
{
    const yyjson_val *key = fer_val_key(object, FER_STR("additionalProperties"));
    fer_edit gone = {
        .kind = FER_EDIT_REPLACE, .at = key ? key + 1 : NULL, .json = FER_STR("false")};
    fer_edit closed = {.kind = FER_EDIT_ADD,
                       .at = object,
                       .name = FER_STR("additionalProperties"),
                       .json = FER_STR("false")};
    if (!fer_edits_add(j->w->arena, list, key ? &gone : &closed)) j->code = FER_OUT_OF_MEMORY;
}

/* A new name breaks those who use the old one, even where nothing refuses it. */
static void decide_renamed(struct judge *j, fer_delta *d)
{
    fer_err why;
    fer_edits before = {0}, after = {0};
    bool input = j->w->side == FER_SIDE_INPUT;
    add_edits(j, &after, d);
    close_object(j, input ? &after : &before, d->old_object);
    fer_schema *x = edited(j, j->old, &before, false, &why);
    fer_schema *y = edited(j, j->old, &after, false, &why);
    fer_included got = {FER_INCLUSION_UNKNOWN, FER_STR("")};
    if (x && y) includes(j, input ? y : x, input ? x : y, &got);
    if (got.verdict == FER_NOT_INCLUDED) breaks(j, d, got.witness, input ? y : x);
    else d->impact = FER_IMPACT_UNKNOWN;
    fer_schema_unref(x);
    fer_schema_unref(y);
}

/* What the schemas do not say, but those who use them want to know. */
static void look(const fer_walk *w, fer_delta *d)
{
    bool input = w->side == FER_SIDE_INPUT;
    if (d->impact != FER_IMPACT_COMPATIBLE) return;
    if (d->kind == FER_KIND_PROPERTY_REMOVED) d->impact = FER_IMPACT_NOTICE;
    if (d->kind == FER_KIND_TYPE_NARROWED && !input) d->impact = FER_IMPACT_NOTICE;
}

static bool is_open(const struct judge *j, const fer_delta *d)
{
    const fer_change_kind *kind = fer_kind(d->kind);
    bool noted = d->kind == FER_KIND_FORMAT && !j->options->assert_formats;
    return kind->decided && !noted && !d->tolerated && d->kind != FER_KIND_PROPERTY_RENAMED;
}

static void decide_one(struct judge *j, fer_delta *d, size_t open, size_t *left)
{
    const fer_change_kind *kind = fer_kind(d->kind);
    if (!kind->decided) {
        d->impact = j->w->side == FER_SIDE_INPUT ? kind->caller_impact : kind->reader_impact;
        return;
    }
    if (d->kind == FER_KIND_PROPERTY_RENAMED) {
        decide_renamed(j, d);
        return;
    }
    if (!is_open(j, d)) {
        d->impact = FER_IMPACT_NOTICE;
        return;
    }
    bool alone = j->whole.verdict != FER_INCLUDED && open > 1 && *left > 0 && !j->failed &&
                 d->kind != FER_KIND_DIALECT;
    if (alone) {
        (*left)--;
        decide_alone(j, d);
    } else {
        take_whole(j, d);
    }
    if (j->failed) d->reason = j->why;
    look(j->w, d);
}

/* ---- all of them
 * ----------------------------------------------------------------------------------- */

/*
 * What is tolerated was made to the old schema; that may have widened it (a part of an allOf
 * that another part closes). A witness must hold for the schema as it was: else it is compared
 * as it was.
 */
static void compare_plain(struct judge *j)
{
    fer_err why;
    fer_edits none = {0};
    bool input = j->w->side == FER_SIDE_INPUT;
    fer_schema **old = input ? &j->smaller : &j->larger, *tolerant = *old;
    fer_schema *plain = edited(j, j->old, &none, opens(j), &why);
    if (!plain) return;
    *old = plain;
    if (!confirms(j, j->whole.witness)) includes(j, j->larger, j->smaller, &j->whole);
    fer_schema_unref(tolerant);
}

static void compare_whole(struct judge *j)
{
    fer_err why = {0};
    fer_edits none = {0}, policy = j->w->policy;
    bool input = j->w->side == FER_SIDE_INPUT;
    fer_schema *old = edited(j, j->old, &policy, opens(j), &why);
    /* Opening may lead a reference nowhere; then the schema is taken as it is. */
    if (!old && !j->code) old = edited(j, j->old, &none, false, &why);
    fer_schema *now = j->code ? NULL : edited(j, j->now, &none, false, &why);
    j->smaller = input ? old : now;
    j->larger = input ? now : old;
    j->failed = !old || !now;
    j->whole = (fer_included){FER_INCLUSION_UNKNOWN, FER_STR("")};
    if (!j->failed) includes(j, j->larger, j->smaller, &j->whole);
    if (!j->failed && policy.count && j->whole.verdict == FER_NOT_INCLUDED) compare_plain(j);
    if (j->failed) j->why = fer_delta_say(j->w, "A schema does not compile: %s", why.message);
}

/* Changes that break only together are one more change. */
static void add_together(struct judge *j)
{
    fer_impact gravest = FER_IMPACT_NONE;
    for (size_t i = 0; i < j->w->count; i++)
        if (j->w->list[i].impact > gravest) gravest = j->w->list[i].impact;
    bool breaking = j->whole.verdict == FER_NOT_INCLUDED && gravest < FER_IMPACT_BREAKING;
    bool unknown = j->whole.verdict == FER_INCLUSION_UNKNOWN && gravest < FER_IMPACT_UNKNOWN;
    if (!breaking && !unknown) return;
    fer_fork whole = {j->old, j->now,
                      j->w->side == FER_SIDE_INPUT ? FER_STR("input") : FER_STR("output")};
    fer_delta *d =
        fer_delta_add(j->w, &whole, FER_KIND_SCHEMA_CHANGED, NULL, NULL,
                      fer_delta_say(j->w, "%.*s: several changes together", FER_PRI(whole.where)));
    if (d) take_whole(j, d);
}

fer_code fer_decide(fer_walk *w, const yyjson_val *old, const yyjson_val *now,
                    const fer_diff_options *options, fer_err *err)
{
    struct judge j = {.w = w, .options = options, .old = old, .now = now, .err = err};
    size_t open = 0, left = FER_DIFF_DECIDED;
    bool ask = false;
    for (size_t i = 0; i < w->count; i++) {
        open += is_open(&j, &w->list[i]);
        ask |= fer_kind(w->list[i].kind)->decided;
    }
    if (ask) compare_whole(&j);
    for (size_t i = 0; i < w->count && !j.code; i++) decide_one(&j, &w->list[i], open, &left);
    if (ask && !j.code) add_together(&j);
    fer_schema_unref(j.smaller);
    fer_schema_unref(j.larger);
    if (!j.code && w->no_memory) j.code = FER_OUT_OF_MEMORY;
    return j.code ? fer_fail(err, j.code, "out of memory") : FER_OK;
}

fer_code fer_decide_example(fer_arena *a, const yyjson_val *schema, bool valid, fer_str *out,
                            fer_err *err)
{
    fer_walk w = {.arena = a};
    fer_schema_options o = {.limits = fer_schema_limits_file()};
    fer_sample_options s = {.max = 1, .near_misses = true};
    fer_schema *program = NULL;
    fer_specimen *list;
    size_t count = 0;
    *out = FER_STR("");
    fer_str text = fer_delta_json(&w, schema);
    fer_code code =
        w.no_memory ? fer_arena_failed(a, err) : fer_schema_compile(text, &o, &program, err);
    if (code) return out_of_memory(code) ? code : FER_OK;
    code = fer_schema_samples(a, program, &s, &list, &count, err);
    for (size_t i = 0; !code && i < count; i++)
        if (list[i].valid == valid) *out = list[i].json;
    fer_schema_unref(program);
    return code;
}
