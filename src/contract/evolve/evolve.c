/* SPDX-License-Identifier: Apache-2.0 */
/* Two tools, or two sets of them: their records compared field by field. */
#include <assert.h>

#include <stdlib.h>

#include "decide.h"
#include "errors.h"
#include "json_doc.h"
#include "map.h"
#include "near.h"
#include "toolset.h"

struct differ {
    fer_arena *arena;
    const fer_diff_options *options;
    const fer_tool *old, *now;
    fer_tool_change *list;
    size_t count, cap;
    fer_lines lines[2]; /* of the texts that were looked at last, old and new */
    fer_code code;
    fer_err *err;
};

/* ---- places
 * --------------------------------------------------------------------------------------- */

static fer_place place_of(struct differ *d, const fer_tool *t, bool now, const yyjson_val *at)
{
    fer_place none = {0};
    if (!d->options->places || !t || !t->doc || !at) return none;
    fer_lines *l = &d->lines[now];
    if (l->text.ptr != t->text.ptr || l->text.len != t->text.len) fer_lines_init(l, t->text);
    return fer_lines_place(l, t->base + fer_json_offset(t->doc, at));
}

static fer_str pointer_of(struct differ *d, const fer_tool *t, const yyjson_val *at)
{
    fer_buf b;
    if (!t || !at) return FER_STR_NONE;
    fer_buf_init(&b, d->arena, SIZE_MAX / 4);
    bool found = at == t->record || fer_pointer_of(&b, t->record, at);
    if (b.failure) d->code = fer_buf_code(&b, d->err);
    if (b.failure || !found) return FER_STR_NONE;
    return b.ptr ? fer_buf_view(&b) : FER_STR("");
}

/* ---- changes
 * -------------------------------------------------------------------------------------- */

static fer_bump bump_of(const fer_tool_change *c)
{
    bool breaks = c->callers >= FER_IMPACT_UNKNOWN || c->readers >= FER_IMPACT_UNKNOWN;
    return breaks ? FER_BUMP_MAJOR : c->kind->least;
}

static fer_tool_change *add(struct differ *d, const fer_tool_change *change,
                            const yyjson_val *old_at, const yyjson_val *new_at)
{
    if (d->code || d->count >= FER_DIFF_CHANGES) return NULL;
    fer_tool_change *list = fer_arena_room(d->arena, d->list, d->count, &d->cap, sizeof *list);
    if (!list) {
        d->code = fer_arena_failed(d->arena, d->err);
        return NULL;
    }
    d->list = list;
    fer_tool_change *c = &list[d->count++];
    *c = *change;
    c->old_pointer = pointer_of(d, d->old, old_at);
    c->new_pointer = pointer_of(d, d->now, new_at);
    c->old_place = place_of(d, d->old, false, old_at);
    c->new_place = place_of(d, d->now, true, new_at);
    c->bump = bump_of(c);
    return c;
}

/* A change whose kind says everything. */
static fer_tool_change *add_fixed(struct differ *d, enum fer_kind_id id, const char *where,
                                  fer_str message, const yyjson_val *old_at,
                                  const yyjson_val *new_at)
{
    const fer_change_kind *kind = fer_kind(id);
    fer_tool_change c = {.kind = kind,
                         .side = FER_SIDE_TOOL,
                         .where = fer_str_of(where),
                         .message = message,
                         .witness = FER_STR(""),
                         .reason = FER_STR(""),
                         .callers = kind->caller_impact,
                         .readers = kind->reader_impact};
    return add(d, &c, old_at, new_at);
}

static fer_str say(struct differ *d, const char *before, const char *name, const char *behind)
{
    fer_str s = fer_arena_printf(d->arena, "%s%s%s", before, name, behind);
    if (!s.ptr && !d->code) d->code = fer_arena_failed(d->arena, d->err);
    return s.ptr ? s : FER_STR("");
}

static bool equal(struct differ *d, const yyjson_val *x, const yyjson_val *y)
{
    bool same = x == y;
    if (!x || !y || same || d->code) return same;
    d->code = fer_json_equal(d->arena, x, y, &same, d->err);
    return same;
}

/* ---- schemas
 * ---------------------------------------------------------------------------------------- */

static void take_deltas(struct differ *d, const fer_walk *w)
{
    bool input = w->side == FER_SIDE_INPUT;
    for (size_t i = 0; i < w->count; i++) {
        const fer_delta *x = &w->list[i];
        fer_tool_change c = {.kind = fer_kind(x->kind),
                             .side = w->side,
                             .where = x->where,
                             .message = x->message,
                             .witness = x->witness.ptr ? x->witness : FER_STR(""),
                             .reason = x->reason.ptr ? x->reason : FER_STR(""),
                             .callers = input ? x->impact : FER_IMPACT_NONE,
                             .readers = input ? FER_IMPACT_NONE : x->impact};
        add(d, &c, x->old_at, x->new_at);
    }
}

static void compare_schemas(struct differ *d, fer_side side, const yyjson_val *old,
                            const yyjson_val *now)
{
    fer_walk w = {.arena = d->arena, .side = side, .assert_formats = d->options->assert_formats};
    bool input = side == FER_SIDE_INPUT;
    if (equal(d, old, now) || d->code) return;
    if (!fer_deltas_find(&w, old, now, input ? FER_STR("input") : FER_STR("output"))) {
        d->code = fer_arena_failed(d->arena, d->err);
        return;
    }
    d->code = fer_decide(&w, old, now, d->options, d->err);
    if (!d->code) take_deltas(d, &w);
}

static void compare_output(struct differ *d)
{
    const yyjson_val *old = d->old->values[FER_FIELD_OUTPUT_SCHEMA];
    const yyjson_val *now = d->now->values[FER_FIELD_OUTPUT_SCHEMA];
    if (old && now) {
        compare_schemas(d, FER_SIDE_OUTPUT, old, now);
    } else if (now) {
        add_fixed(d, FER_KIND_OUTPUT_ADDED, "output", FER_STR("output: an outputSchema is new"),
                  NULL, now);
    } else if (old) {
        fer_tool_change *c = add_fixed(d, FER_KIND_OUTPUT_REMOVED, "output",
                                       FER_STR("output: the outputSchema is gone"), old, NULL);
        if (c && !d->code) d->code = fer_decide_example(d->arena, old, false, &c->witness, d->err);
    }
}

/* ---- hints
 * ------------------------------------------------------------------------------------------ */

/* MCP's hints, what they are where they are not given, and which value is the safe one. */
static const struct hint {
    const char *name;
    bool otherwise;
    bool safe;
} hints[] = {
    {"readOnlyHint", false, true},
    {"destructiveHint", true, false},
    {"idempotentHint", false, true},
    {"openWorldHint", true, false},
};

static bool hint_of(const yyjson_val *annotations, const struct hint *h, const yyjson_val **at)
{
    const yyjson_val *v = fer_is_obj(annotations) ? fer_val_get(annotations, h->name) : NULL;
    *at = v ? v : annotations;
    return fer_is_bool(v) ? fer_is_true(v) : h->otherwise;
}

static void compare_hints(struct differ *d)
{
    const yyjson_val *old = d->old->values[FER_FIELD_ANNOTATIONS], *old_at;
    const yyjson_val *now = d->now->values[FER_FIELD_ANNOTATIONS], *new_at;
    size_t before = d->count;
    if (equal(d, old, now)) return;
    for (size_t i = 0; i < FER_COUNT(hints); i++) {
        const struct hint *h = &hints[i];
        bool was = hint_of(old, h, &old_at), is = hint_of(now, h, &new_at);
        if (was == is) continue;
        bool open_world = i == 3;
        enum fer_kind_id kind = is == h->safe ? FER_KIND_HINT_SAFER
                                : open_world  ? FER_KIND_HINT_OPEN_WORLD
                                              : FER_KIND_HINT_UNSAFE;
        add_fixed(d, kind, "annotations",
                  say(d, "annotations: ", h->name, is ? " is true now" : " is false now"), old_at,
                  new_at);
    }
    if (d->count == before)
        add_fixed(d, FER_KIND_META, "annotations", FER_STR("annotations: changed"), old, now);
}

/* ---- the record
 * ------------------------------------------------------------------------------------- */

static void compare_effect(struct differ *d, const yyjson_val *old, const yyjson_val *now)
{
    if (d->old->effect == d->now->effect) return;
    bool raised = d->now->effect > d->old->effect;
    add_fixed(d, raised ? FER_KIND_EFFECT_RAISED : FER_KIND_EFFECT_LOWERED, "effect",
              say(d, "effect: is ", fer_effect_name(d->now->effect), " now"), old, now);
}

static bool lists(const yyjson_val *scopes, const yyjson_val *scope)
{
    if (!fer_is_arr(scopes)) return false;
    FER_EACH_ITEM (scopes, s) {
        if (fer_is_str(s) && fer_str_eq(fer_val_str(s), fer_val_str(scope))) return true;
    }
    return false;
}

/* Scopes that `all` has and `other` has not. */
static void tell_scopes(struct differ *d, const yyjson_val *all, const yyjson_val *other,
                        bool added)
{
    if (!fer_is_arr(all)) return;
    FER_EACH_ITEM (all, scope) {
        if (!fer_is_str(scope) || lists(other, scope)) continue;
        fer_str name = fer_arena_copy(d->arena, fer_val_str(scope));
        if (!name.ptr) d->code = fer_arena_failed(d->arena, d->err);
        else
            add_fixed(d, added ? FER_KIND_SCOPE_ADDED : FER_KIND_SCOPE_REMOVED, "requiredScopes",
                      say(d, "requiredScopes: ", name.ptr, added ? " is required now" : " is gone"),
                      added ? other : scope, added ? scope : other);
    }
}

static void compare_scopes(struct differ *d, const yyjson_val *old, const yyjson_val *now)
{
    size_t before = d->count;
    tell_scopes(d, now, old, true);
    tell_scopes(d, old, now, false);
    if (d->count == before && !d->code)
        add_fixed(d, FER_KIND_META, "requiredScopes", FER_STR("requiredScopes: changed"), old, now);
}

static void compare_idempotency(struct differ *d, const yyjson_val *old, const yyjson_val *now)
{
    bool was = fer_is_str(old) && fer_str_is(fer_val_str(old), "required");
    bool is = fer_is_str(now) && fer_str_is(fer_val_str(now), "required");
    enum fer_kind_id kind = is && !was   ? FER_KIND_IDEMPOTENCY_REQUIRED
                            : was && !is ? FER_KIND_IDEMPOTENCY_RELAXED
                                         : FER_KIND_META;
    add_fixed(d, kind, "idempotency",
              is ? FER_STR("idempotency: a key is required now") : FER_STR("idempotency: changed"),
              old, now);
}

static void compare_field(struct differ *d, enum fer_field_id id)
{
    const yyjson_val *old = d->old->values[id], *now = d->now->values[id];
    const char *key = fer_fields[id].key;
    if (equal(d, old, now)) return;
    bool text = id == FER_FIELD_TITLE || id == FER_FIELD_DESCRIPTION || id == FER_FIELD_EXAMPLES;
    if (id == FER_FIELD_EFFECT) compare_effect(d, old, now);
    else if (id == FER_FIELD_REQUIRED_SCOPES) compare_scopes(d, old, now);
    else if (id == FER_FIELD_IDEMPOTENCY) compare_idempotency(d, old, now);
    else if (text) add_fixed(d, FER_KIND_TEXT, key, say(d, "", key, ": changed"), old, now);
    else add_fixed(d, FER_KIND_META, key, say(d, "", key, ": changed"), old, now);
}

static void compare_records(struct differ *d)
{
    for (int id = 0; id < FER_FIELD_COUNT && !d->code; id++) {
        switch (id) {
        case FER_FIELD_NAME:
        case FER_FIELD_NAMESPACE:
        case FER_FIELD_VERSION: break;
        case FER_FIELD_INPUT_SCHEMA:
            if (d->old->values[id] && d->now->values[id])
                compare_schemas(d, FER_SIDE_INPUT, d->old->values[id], d->now->values[id]);
            break;
        case FER_FIELD_OUTPUT_SCHEMA: compare_output(d); break;
        case FER_FIELD_ANNOTATIONS: compare_hints(d); break;
        default: compare_field(d, (enum fer_field_id)id);
        }
    }
}

/* ---- versions
 * --------------------------------------------------------------------------------------- */

static fer_bump step(const fer_semver *old, const fer_semver *now)
{
    if (now->major != old->major) return FER_BUMP_MAJOR;
    if (now->minor != old->minor) return FER_BUMP_MINOR;
    if (now->patch != old->patch) return FER_BUMP_PATCH;
    return fer_semver_cmp(old, now) ? FER_BUMP_PATCH : FER_BUMP_NONE;
}

/*
 * Before 1.0.0 a minor version may break (SemVer 4); a pre-release promises nothing yet, so
 * what follows one is never too small.
 */
static void judge_version(fer_tool_diff *t)
{
    fer_semver old, now;
    fer_bump needed = t->needed;
    bool have = t->old && t->now && t->old->version.len && t->now->version.len &&
                !fer_semver_parse(t->old->version, &old, NULL) &&
                !fer_semver_parse(t->now->version, &now, NULL);
    t->declared = FER_DECLARED_MISSING;
    if (!have) return;
    t->declared_bump = step(&old, &now);
    if (old.major == 0 && now.major == 0 && needed == FER_BUMP_MAJOR) needed = FER_BUMP_MINOR;
    t->needed = needed;
    if (fer_semver_cmp(&old, &now) > 0) t->declared = FER_DECLARED_BACK;
    else if (t->declared_bump < needed && !old.pre.len) t->declared = FER_DECLARED_SMALLER;
    else t->declared = t->declared_bump > needed ? FER_DECLARED_LARGER : FER_DECLARED_RIGHT;
}

static fer_str plain_id(fer_arena *a, const fer_tool *t)
{
    fer_str ns = fer_tool_namespace(t), name = fer_tool_name(t);
    if (!ns.len) return name;
    return fer_arena_printf(a, "%.*s:%.*s", FER_PRI(ns), FER_PRI(name));
}

/* ---- two tools
 * -------------------------------------------------------------------------------------- */

static void compare_whole(struct differ *d, enum fer_kind_id renamed)
{
    assert(d->old || d->now);
    if (!d->old) {
        add_fixed(d, FER_KIND_TOOL_ADDED, "tool", FER_STR("tool: new"), NULL, d->now->record);
        return;
    }
    if (d->now && renamed != FER_KIND_TOOL_RENAMED) {
        compare_records(d);
        return;
    }
    fer_str message = FER_STR("tool: gone");
    const yyjson_val *now = d->now ? d->now->values[FER_FIELD_NAME] : NULL;
    if (d->now) {
        fer_str name = fer_arena_copy(d->arena, fer_tool_name(d->now));
        if (name.ptr) message = say(d, "tool: renamed to ", name.ptr, "");
    }
    fer_tool_change *c = add_fixed(d, d->now ? FER_KIND_TOOL_RENAMED : FER_KIND_TOOL_REMOVED,
                                   "tool", message, d->old->values[FER_FIELD_NAME], now);
    const yyjson_val *input = d->old->values[FER_FIELD_INPUT_SCHEMA];
    /* Any call that was right is one that nobody answers now. */
    if (c && input && !d->code)
        d->code = fer_decide_example(d->arena, input, true, &c->witness, d->err);
}

static fer_code compare(struct differ *d, enum fer_kind_id renamed, fer_tool_diff *out)
{
    d->count = d->cap = 0;
    d->list = NULL;
    compare_whole(d, renamed);
    *out = (fer_tool_diff){.old = d->old, .now = d->now, .changes = d->list, .count = d->count};
    out->id = plain_id(d->arena, d->now ? d->now : d->old);
    if (!out->id.ptr && !d->code) d->code = fer_arena_failed(d->arena, d->err);
    for (size_t i = 0; i < d->count; i++) {
        const fer_tool_change *c = &d->list[i];
        if (c->callers > out->callers) out->callers = c->callers;
        if (c->readers > out->readers) out->readers = c->readers;
        if (c->bump > out->needed) out->needed = c->bump;
    }
    judge_version(out);
    return d->code;
}

static const fer_diff_options plain_options;

fer_code fer_tool_compare(fer_arena *a, const fer_tool *old, const fer_tool *now,
                          const fer_diff_options *options, fer_tool_diff *out, fer_err *err)
{
    struct differ d = {.arena = a,
                       .options = options ? options : &plain_options,
                       .old = old,
                       .now = now,
                       .err = err};
    if (!old && !now) return fer_fail(err, FER_BAD_USAGE, "There is no tool to compare.");
    return compare(&d, FER_KIND_COUNT, out);
}

/* ---- sets
 * -----------------------------------------------------------------------------------------------
 */

/* A tool of one side, and the one of the other that it is held against. */
struct side {
    const fer_tool *tool;
    fer_str key;
    struct side *other;
    bool renamed;
};

struct sides {
    struct side *list;
    size_t count;
};

static bool list_side(struct differ *d, const fer_toolset *set, struct sides *out)
{
    out->count = fer_toolset_count(set);
    out->list = fer_arena_alloc_zero(d->arena, out->count + 1, sizeof *out->list);
    bool ok = out->list != NULL;
    for (size_t i = 0; i < out->count && ok; i++) {
        out->list[i].tool = fer_toolset_get(set, i);
        out->list[i].key = plain_id(d->arena, out->list[i].tool);
        ok = out->list[i].key.ptr != NULL;
    }
    if (!ok) d->code = fer_arena_failed(d->arena, d->err);
    return ok;
}

static int side_order(const void *x, const void *y)
{
    const struct side *a = x, *b = y;
    fer_semver v = {0}, w = {0};
    int order = fer_str_cmp(a->key, b->key);
    if (order) return order;
    if (a->tool->version.len) fer_semver_parse(a->tool->version, &v, NULL);
    if (b->tool->version.len) fer_semver_parse(b->tool->version, &w, NULL);
    return fer_semver_cmp(&v, &w);
}

static void join(struct side *x, struct side *y)
{
    x->other = y;
    y->other = x;
}

/* Of one name: equal versions first, then the highest that are left, from the top. */
static void pair_group(struct side *old, size_t old_count, struct side *now, size_t new_count)
{
    for (size_t i = 0; i < old_count; i++)
        for (size_t k = 0; k < new_count; k++)
            if (!old[i].other && !now[k].other &&
                fer_str_eq(old[i].tool->version, now[k].tool->version))
                join(&old[i], &now[k]);
    size_t i = old_count, k = new_count;
    while (i > 0 && k > 0) {
        if (old[i - 1].other) i--;
        else if (now[k - 1].other) k--;
        else join(&old[i - 1], &now[k - 1]);
    }
}

static size_t group_end(const struct sides *s, size_t from)
{
    size_t end = from;
    while (end < s->count && fer_str_eq(s->list[end].key, s->list[from].key)) end++;
    return end;
}

static void pair_names(struct sides *old, struct sides *now)
{
    size_t i = 0, k = 0;
    while (i < old->count && k < now->count) {
        int order = fer_str_cmp(old->list[i].key, now->list[k].key);
        size_t i_end = group_end(old, i), k_end = group_end(now, k);
        if (order == 0) pair_group(&old->list[i], i_end - i, &now->list[k], k_end - k);
        if (order <= 0) i = i_end;
        if (order >= 0) k = k_end;
    }
}

#define RENAMES_MAX 256 /* tools that came and went among which renamed ones are looked for */

static bool looks_renamed(struct differ *d, const fer_tool *old, const fer_tool *now)
{
    fer_str x = fer_tool_name(old), y = fer_tool_name(now);
    size_t most = x.len / 2 + 1;
    const yyjson_val *a = old->values[FER_FIELD_INPUT_SCHEMA];
    const yyjson_val *b = now->values[FER_FIELD_INPUT_SCHEMA];
    if (!a || !b) return false;
    bool told = fer_tool_description(old).len &&
                fer_str_eq(fer_tool_description(old), fer_tool_description(now));
    if (!told && fer_near_distance(x, y, most) > most) return false;
    return equal(d, a, b);
}

static void pair_renamed(struct differ *d, struct sides *old, struct sides *now)
{
    size_t tried = 0;
    for (size_t i = 0; i < old->count && tried < RENAMES_MAX; i++) {
        if (old->list[i].other) continue;
        tried++;
        for (size_t k = 0, seen = 0; k < now->count && seen < RENAMES_MAX; k++) {
            if (now->list[k].other) continue;
            seen++;
            if (!looks_renamed(d, old->list[i].tool, now->list[k].tool)) continue;
            old->list[i].renamed = true;
            join(&old->list[i], &now->list[k]);
            break;
        }
    }
}

static void note(struct differ *d, fer_diff *out, fer_tool_diff *list, const struct side *old,
                 const struct side *now)
{
    d->old = old ? old->tool : NULL;
    d->now = now ? now->tool : NULL;
    bool renamed = old && old->renamed;
    fer_tool_diff *t = &list[out->count];
    if (d->code || compare(d, renamed ? FER_KIND_TOOL_RENAMED : FER_KIND_COUNT, t)) return;
    out->compared += old && now;
    bool version = t->declared == FER_DECLARED_BACK || t->declared == FER_DECLARED_LARGER;
    if (!t->count && !version) return;
    out->count++;
    if (t->needed > out->needed) out->needed = t->needed;
    out->fails |= t->declared == FER_DECLARED_SMALLER || t->declared == FER_DECLARED_BACK;
    /* Without versions, only what breaks is more than was declared. */
    out->fails |= t->declared == FER_DECLARED_MISSING && t->needed == FER_BUMP_MAJOR;
}

static int diff_order(const void *x, const void *y)
{
    const fer_tool_diff *a = x, *b = y;
    return fer_str_cmp(a->id, b->id);
}

fer_code fer_toolset_diff(fer_arena *a, const fer_toolset *old, const fer_toolset *now,
                          const fer_diff_options *options, fer_diff *out, fer_err *err)
{
    struct differ d = {.arena = a, .options = options ? options : &plain_options, .err = err};
    struct sides x, y;
    fer_diff diff = {0};
    if (!list_side(&d, old, &x) || !list_side(&d, now, &y)) return d.code;
    fer_tool_diff *list = fer_arena_alloc_zero(a, x.count + y.count + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    if (x.count) qsort(x.list, x.count, sizeof *x.list, side_order);
    if (y.count) qsort(y.list, y.count, sizeof *y.list, side_order);
    pair_names(&x, &y);
    pair_renamed(&d, &x, &y);
    for (size_t i = 0; i < x.count && !d.code; i++)
        note(&d, &diff, list, &x.list[i], x.list[i].other);
    for (size_t i = 0; i < y.count && !d.code; i++)
        if (!y.list[i].other) note(&d, &diff, list, NULL, &y.list[i]);
    if (d.code) return d.code;
    if (diff.count) qsort(list, diff.count, sizeof *list, diff_order);
    diff.tools = list;
    *out = diff;
    return FER_OK;
}
