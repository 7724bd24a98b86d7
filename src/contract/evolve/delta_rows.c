/* SPDX-License-Identifier: Apache-2.0 */
/* How each keyword is compared. A row here to add one; those without are compared as a whole. */
#include <assert.h>

#include "buf.h"
#include "delta.h"
#include "gist.h"
#include "json_number.h"
#include "near.h"

#define SAY(w, ...) fer_delta_say((w), __VA_ARGS__)

static fer_str name_of(const yyjson_val *old_key, const yyjson_val *new_key)
{
    return fer_val_str(old_key ? old_key : new_key);
}

/* "`maximum` 100 became 50", "... is new", "... is gone" */
static fer_str what(fer_walk *w, const fer_fork *f, const yyjson_val *old_key,
                    const yyjson_val *new_key)
{
    assert(old_key || new_key);
    fer_str name = name_of(old_key, new_key);
    if (!old_key)
        return SAY(w, "%.*s: %.*s %.*s is new", FER_PRI(f->where), FER_PRI(name),
                   FER_PRI(fer_delta_show(w, new_key + 1)));
    if (!new_key)
        return SAY(w, "%.*s: %.*s %.*s is gone", FER_PRI(f->where), FER_PRI(name),
                   FER_PRI(fer_delta_show(w, old_key + 1)));
    return SAY(w, "%.*s: %.*s %.*s became %.*s", FER_PRI(f->where), FER_PRI(name),
               FER_PRI(fer_delta_show(w, old_key + 1)), FER_PRI(fer_delta_show(w, new_key + 1)));
}

static fer_delta *plain(fer_walk *w, const fer_fork *f, const yyjson_val *old_key,
                        const yyjson_val *new_key, enum fer_kind_id kind)
{
    return fer_delta_add(w, f, kind, old_key, new_key, what(w, f, old_key, new_key));
}

/* ---- notes and texts ---------------------------------------------------------------------- */

static void row_text(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n, FER_KIND_TEXT);
}

static void row_default(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n,
          !o   ? FER_KIND_DEFAULT_ADDED
          : !n ? FER_KIND_DEFAULT_REMOVED
               : FER_KIND_DEFAULT_CHANGED);
}

static void row_deprecated(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n, FER_KIND_DEPRECATED);
}

static void row_header(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n, FER_KIND_HEADER);
}

static void row_dialect(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n, FER_KIND_DIALECT);
}

static void row_format(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n, FER_KIND_FORMAT);
}

/* What has a name only has no effect until somebody refers to it. */
static void row_definitions(fer_walk *w, const fer_fork *f, const yyjson_val *o,
                            const yyjson_val *n)
{
    if (!o || !n || !fer_is_obj(o + 1) || !fer_is_obj(n + 1)) return;
    FER_EACH_MEMBER (o + 1, key) {
        const yyjson_val *other = fer_val_key(n + 1, fer_val_str(key));
        if (other)
            fer_delta_walk(w, key + 1, other + 1,
                           SAY(w, "%.*s#%.*s", FER_PRI(f->where), FER_PRI(fer_val_str(key))));
    }
}

/* ---- types and values ---------------------------------------------------------------------------
 */

static void row_type(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    unsigned before = o ? fer_gist_types_of(o + 1) : FER_G_ALL;
    unsigned after = n ? fer_gist_types_of(n + 1) : FER_G_ALL;
    if (before == after) return;
    plain(w, f, o, n,
          (before & after) == before  ? FER_KIND_TYPE_WIDENED
          : (before & after) == after ? FER_KIND_TYPE_NARROWED
                                      : FER_KIND_TYPE_CHANGED);
}

/* The values of enum or const, whichever there is. */
struct values {
    const yyjson_val *key;
    bool constant;
};

static struct values values_of(const yyjson_val *schema)
{
    const yyjson_val *key = fer_val_key(schema, FER_STR("const"));
    if (key) return (struct values){key, true};
    return (struct values){fer_val_key(schema, FER_STR("enum")), false};
}

static bool has_value(fer_walk *w, struct values v, const yyjson_val *wanted)
{
    if (v.constant) return fer_delta_equal(w, v.key + 1, wanted);
    if (!fer_is_arr(v.key + 1)) return false;
    FER_EACH_ITEM (v.key + 1, item)
        if (fer_delta_equal(w, item, wanted)) return true;
    return false;
}

void fer_delta_put(fer_walk *w, fer_buf *b, const yyjson_val *v)
{
    if (b->len > 1) fer_buf_add_char(b, ',');
    fer_buf_add(b, fer_delta_json(w, v));
}

/* Appends those values of `from` that `other` has, or has not. Returns how many. */
static size_t put_values(fer_walk *w, fer_buf *b, struct values from, struct values other, bool in)
{
    size_t count = 0;
    if (from.constant) {
        if (has_value(w, other, from.key + 1) == in) {
            fer_delta_put(w, b, from.key + 1);
            count++;
        }
        return count;
    }
    FER_EACH_ITEM (from.key + 1, item) {
        if (has_value(w, other, item) != in) continue;
        fer_delta_put(w, b, item);
        count++;
    }
    return count;
}

/* The change that leads from the old values to these. */
static fer_delta *set_values(fer_walk *w, const fer_fork *f, enum fer_kind_id kind,
                             struct values old, struct values now, fer_buf *list, fer_str message)
{
    fer_buf_add_char(list, ']');
    w->no_memory |= list->failure != FER_OK;
    fer_delta *d = fer_delta_add(w, f, kind, NULL, NULL, message);
    if (!d || w->no_memory) return d;
    d->old_at = old.key + 1;
    d->new_at = now.key + 1;
    fer_delta_edit(w, d, (fer_edit){.kind = FER_EDIT_REMOVE, .at = old.key});
    fer_delta_edit(w, d,
                   (fer_edit){.kind = FER_EDIT_ADD,
                              .at = f->old,
                              .name = FER_STR("enum"),
                              .json = fer_buf_view(list)});
    return d;
}

/* What x-extensible-enum says: readers expect values they do not know. */
static bool is_extensible(const fer_walk *w, const fer_fork *f)
{
    const yyjson_val *flag = fer_val_get(f->old, "x-extensible-enum");
    return w->side == FER_SIDE_OUTPUT && flag && !(fer_is_bool(flag) && !fer_is_true(flag));
}

void fer_delta_tolerate(fer_walk *w, fer_delta *d)
{
    if (!d) return;
    d->tolerated = true;
    for (size_t i = 0; i < d->edit_count; i++)
        w->no_memory |= !fer_edits_add(w->arena, &w->policy, &d->edits[i]);
}

/* Values in a row, without the bracket, cut where there are many. */
static fer_str listed(const fer_buf *b)
{
    return b->failure || !b->len ? FER_STR("")
                                 : fer_str_head(fer_str_slice(fer_buf_view(b), 1, b->len), 200);
}

static void compare_values(fer_walk *w, const fer_fork *f, struct values old, struct values now)
{
    fer_buf more, fewer, shown;
    fer_buf *all[] = {&more, &fewer, &shown};
    for (size_t i = 0; i < FER_COUNT(all); i++) {
        fer_buf_init(all[i], w->arena, fer_json_limits_file()->size);
        fer_buf_add_char(all[i], '[');
    }
    put_values(w, &more, old, old, true);
    size_t added = put_values(w, &more, now, old, false);
    put_values(w, &shown, now, old, false);
    if (added) {
        fer_delta *d = set_values(
            w, f, FER_KIND_ENUM_ADDED, old, now, &more,
            SAY(w, "%.*s: accepts %.*s too", FER_PRI(f->where), FER_PRI(listed(&shown))));
        if (is_extensible(w, f)) fer_delta_tolerate(w, d);
    }
    shown.len = shown.len ? 1 : 0;
    size_t kept = put_values(w, &fewer, old, now, true);
    size_t gone = put_values(w, &shown, old, now, false);
    if (!gone) return;
    if (!kept) put_values(w, &fewer, now, now, true);
    set_values(w, f, FER_KIND_ENUM_REMOVED, old, now, &fewer,
               SAY(w, "%.*s: no longer accepts %.*s", FER_PRI(f->where), FER_PRI(listed(&shown))));
}

/* enum and const are one matter; each is asked about, the first one answers. */
static void row_values(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    struct values old = values_of(f->old), now = values_of(f->now);
    bool first = o ? o == old.key : n == now.key && !old.key;
    if (!first) return;
    if (old.key && now.key) compare_values(w, f, old, now);
    else plain(w, f, old.key, now.key, old.key ? FER_KIND_ENUM_DROPPED : FER_KIND_ENUM_INTRODUCED);
}

/* ---- bounds
 * ---------------------------------------------------------------------------------------- */

static void row_bound(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    fer_str name = name_of(o, n);
    bool low = fer_str_starts(name, "min") || fer_str_is(name, "exclusiveMinimum");
    bool tighter = !o;
    if (o && n && fer_is_num(o + 1) && fer_is_num(n + 1)) {
        int order = fer_number_cmp(o + 1, n + 1);
        if (order == 0) return;
        tighter = low ? order < 0 : order > 0;
    }
    plain(w, f, o, n, tighter ? FER_KIND_BOUND_TIGHTENED : FER_KIND_BOUND_RELAXED);
}

static void row_multiple(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    bool numbers = o && n && fer_is_num(o + 1) && fer_is_num(n + 1);
    bool relaxed = !n || (numbers && fer_number_multiple(o + 1, n + 1));
    plain(w, f, o, n, relaxed ? FER_KIND_MULTIPLE_RELAXED : FER_KIND_MULTIPLE_TIGHTENED);
}

static void row_pattern(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n,
          !o   ? FER_KIND_PATTERN_ADDED
          : !n ? FER_KIND_PATTERN_REMOVED
               : FER_KIND_PATTERN_CHANGED);
}

/* ---- other demands
 * ------------------------------------------------------------------------------------ */

static enum fer_kind_id demand(const yyjson_val *o, const yyjson_val *n)
{
    return !o   ? FER_KIND_CONSTRAINT_ADDED
           : !n ? FER_KIND_CONSTRAINT_REMOVED
                : FER_KIND_CONSTRAINT_CHANGED;
}

static void row_demand(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    plain(w, f, o, n, demand(o, n));
}

/* uniqueItems: false is as good as absent. */
static void row_flag(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    bool before = o && fer_is_true(o + 1), after = n && fer_is_true(n + 1);
    if (before != after)
        plain(w, f, o, n, after ? FER_KIND_CONSTRAINT_ADDED : FER_KIND_CONSTRAINT_REMOVED);
}

/* One schema: items, contains, not, if, then, else, propertyNames. */
static void row_schema(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    if (!o || !n || fer_is_arr(o + 1) || fer_is_arr(n + 1)) {
        plain(w, f, o, n, demand(o, n));
        return;
    }
    fer_str name = fer_val_str(o);
    bool items = fer_str_is(name, "items");
    fer_delta_walk(w, o + 1, n + 1,
                   items ? SAY(w, "%.*s[]", FER_PRI(f->where))
                         : SAY(w, "%.*s (%.*s)", FER_PRI(f->where), FER_PRI(name)));
}

/* Schemas by name that are no properties: patternProperties, dependentSchemas. */
static void row_map(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    if (!o || !n || !fer_is_obj(o + 1) || !fer_is_obj(n + 1)) {
        plain(w, f, o, n, demand(o, n));
        return;
    }
    fer_fork inside = {o + 1, n + 1, f->where};
    FER_EACH_MEMBER (o + 1, key) {
        const yyjson_val *other = fer_val_key(n + 1, fer_val_str(key));
        fer_str where = SAY(w, "%.*s{%.*s}", FER_PRI(f->where), FER_PRI(fer_val_str(key)));
        if (other) fer_delta_walk(w, key + 1, other + 1, where);
        else plain(w, &inside, key, NULL, FER_KIND_CONSTRAINT_REMOVED);
    }
    FER_EACH_MEMBER (n + 1, key)
        if (!fer_val_key(o + 1, fer_val_str(key)))
            plain(w, &inside, NULL, key, FER_KIND_CONSTRAINT_ADDED);
}

static void row_additional(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    bool was_open = !o || fer_is_true(o + 1), open = !n || fer_is_true(n + 1);
    bool was_closed = o && fer_is_bool(o + 1) && !fer_is_true(o + 1);
    bool closed = n && fer_is_bool(n + 1) && !fer_is_true(n + 1);
    if (was_open && open) return;
    if (o && n && fer_is_obj(o + 1) && fer_is_obj(n + 1)) {
        fer_delta_walk(w, o + 1, n + 1, SAY(w, "%.*s.*", FER_PRI(f->where)));
        return;
    }
    enum fer_kind_id kind = was_closed ? FER_KIND_ADDITIONAL_OPENED
                            : closed   ? FER_KIND_ADDITIONAL_CLOSED
                                       : FER_KIND_ADDITIONAL_CHANGED;
    plain(w, f, o, n, kind);
}

/* ---- lists of schemas
 * ---------------------------------------------------------------------------------- */

struct matched {
    const yyjson_val *old[FER_DELTA_LIST],
        *now[FER_DELTA_LIST]; /* NULL: it has an equal on the other side */
    size_t old_count, new_count, old_left, new_left;
};

static void match(fer_walk *w, const yyjson_val *old, const yyjson_val *now, struct matched *m)
{
    *m = (struct matched){0};
    FER_EACH_ITEM (old, item) m->old[m->old_count++] = item;
    FER_EACH_ITEM (now, item) m->now[m->new_count++] = item;
    m->old_left = m->old_count;
    m->new_left = m->new_count;
    for (size_t i = 0; i < m->old_count; i++) {
        for (size_t k = 0; k < m->new_count; k++) {
            if (!m->old[i] || !m->now[k] || !fer_delta_equal(w, m->old[i], m->now[k])) continue;
            m->old[i] = m->now[k] = NULL;
            m->old_left--;
            m->new_left--;
        }
    }
}

/* The old list with one more member, or one less. */
static fer_str list_with(fer_walk *w, const yyjson_val *list, const yyjson_val *more,
                         const yyjson_val *less)
{
    fer_buf b;
    fer_buf_init(&b, w->arena, fer_json_limits_file()->size);
    fer_buf_add_char(&b, '[');
    FER_EACH_ITEM (list, item)
        if (item != less) fer_delta_put(w, &b, item);
    if (more) fer_delta_put(w, &b, more);
    fer_buf_add_char(&b, ']');
    w->no_memory |= b.failure != FER_OK;
    return b.failure ? FER_STR("[]") : fer_buf_view(&b);
}

static void one_branch(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n,
                       enum fer_kind_id kind, const yyjson_val *more, const yyjson_val *less)
{
    const yyjson_val *which = more ? more : less;
    fer_delta *d = fer_delta_add(w, f, kind, NULL, NULL,
                                 SAY(w, "%.*s: %.*s %s %.*s", FER_PRI(f->where),
                                     FER_PRI(fer_val_str(o)), more ? "takes also" : "no longer has",
                                     FER_PRI(fer_delta_show(w, which))));
    if (!d) return;
    d->old_at = less ? less : o + 1;
    d->new_at = more ? more : n + 1;
    fer_delta_edit(
        w, d,
        (fer_edit){.kind = FER_EDIT_REPLACE, .at = o + 1, .json = list_with(w, o + 1, more, less)});
}

/* Those without an equal are compared in pairs where there are as many on both sides. */
static void compare_lists(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n,
                          enum fer_kind_id added, enum fer_kind_id removed)
{
    struct matched m;
    match(w, o + 1, n + 1, &m);
    size_t k = 0;
    bool pairs = m.old_left == m.new_left;
    for (size_t i = 0; i < m.old_count; i++) {
        if (!m.old[i]) continue;
        while (pairs && k < m.new_count && !m.now[k]) k++;
        if (!pairs) one_branch(w, f, o, n, removed, NULL, m.old[i]);
        else if (k < m.new_count)
            fer_delta_walk(w, m.old[i], m.now[k++], SAY(w, "%.*s<%zu>", FER_PRI(f->where), i + 1));
    }
    for (size_t i = 0; i < m.new_count && !pairs; i++)
        if (m.now[i]) one_branch(w, f, o, n, added, m.now[i], NULL);
}

static void row_list(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    bool all = fer_str_is(name_of(o, n), "allOf");
    bool lists = o && n && fer_is_arr(o + 1) && fer_is_arr(n + 1);
    if (!lists || fer_val_len(o + 1) > FER_DELTA_LIST || fer_val_len(n + 1) > FER_DELTA_LIST) {
        plain(w, f, o, n, demand(o, n));
        return;
    }
    if (all) compare_lists(w, f, o, n, FER_KIND_CONSTRAINT_ADDED, FER_KIND_CONSTRAINT_REMOVED);
    else compare_lists(w, f, o, n, FER_KIND_ALTERNATIVE_ADDED, FER_KIND_ALTERNATIVE_REMOVED);
}

/* Positions are compared in their order; what one side has more of is one change. */
static void row_prefix(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    if (!o || !n || !fer_is_arr(o + 1) || !fer_is_arr(n + 1)) {
        plain(w, f, o, n, demand(o, n));
        return;
    }
    const yyjson_val *old = o + 2, *now = n + 2;
    size_t before = fer_val_len(o + 1), after = fer_val_len(n + 1);
    for (size_t i = 0; i < before && i < after; i++) {
        fer_delta_walk(w, old, now, SAY(w, "%.*s[%zu]", FER_PRI(f->where), i));
        old = fer_val_next(old);
        now = fer_val_next(now);
    }
    if (before != after)
        plain(w, f, o, n, before < after ? FER_KIND_PREFIX_ADDED : FER_KIND_PREFIX_REMOVED);
}

static void row_items(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    bool lists = o && n && fer_is_arr(o + 1) && fer_is_arr(n + 1);
    (lists ? row_prefix : row_schema)(w, f, o, n);
}

/* ---- the table
 * --------------------------------------------------------------------------------------------- */

static const struct {
    const char *keyword;
    fer_delta_row *row;
} rows[] = {
    {"$comment", row_text},
    {"$defs", row_definitions},
    {"$schema", row_dialect},
    {"additionalItems", row_schema},
    {"additionalProperties", row_additional},
    {"allOf", row_list},
    {"anyOf", row_list},
    {"const", row_values},
    {"contains", row_schema},
    {"default", row_default},
    {"definitions", row_definitions},
    {"dependencies", row_map},
    {"dependentSchemas", row_map},
    {"deprecated", row_deprecated},
    {"description", row_text},
    {"else", row_schema},
    {"enum", row_values},
    {"example", row_text},
    {"examples", row_text},
    {"exclusiveMaximum", row_bound},
    {"exclusiveMinimum", row_bound},
    {"format", row_format},
    {"if", row_schema},
    {"items", row_items},
    {"maxContains", row_bound},
    {"maxItems", row_bound},
    {"maxLength", row_bound},
    {"maxProperties", row_bound},
    {"maximum", row_bound},
    {"minContains", row_bound},
    {"minItems", row_bound},
    {"minLength", row_bound},
    {"minProperties", row_bound},
    {"minimum", row_bound},
    {"multipleOf", row_multiple},
    {"not", row_schema},
    {"oneOf", row_list},
    {"pattern", row_pattern},
    {"patternProperties", row_map},
    {"prefixItems", row_prefix},
    {"properties", fer_delta_properties},
    {"propertyNames", row_schema},
    {"readOnly", row_text},
    {"required", fer_delta_required},
    {"then", row_schema},
    {"title", row_text},
    {"type", row_type},
    {"unevaluatedItems", row_demand},
    {"unevaluatedProperties", row_additional},
    {"uniqueItems", row_flag},
    {"writeOnly", row_text},
    {"x-extensible-enum", row_text},
    {"x-mcp-header", row_header},
};

fer_delta_row *fer_delta_row_find(fer_str keyword)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (fer_str_is(keyword, rows[i].keyword)) return rows[i].row;
    return row_demand;
}
