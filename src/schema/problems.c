/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is wrong with a schema, and what is suspicious. */
#include "compile.h"
#include "errors.h"
#include "json_doc.h"
#include "json_number.h"
#include "json_pointer.h"
#include "lint.h"

/* ---- what has no effect ------------------------------------------------------------------- */

static void warn_unknown(fer_compile *c, const struct fer_rules *rules, const yyjson_val *key)
{
    fer_str name = fer_val_str(key);
    if (fer_str_starts(name, "x-")) return;
    fer_str near = fer_keyword_near(rules, name);
    if (fer_keyword_elsewhere(name)) {
        fer_warn(c, "other-dialect", key, "`%.*s` is a keyword of another dialect, not of %s.",
                 FER_PRI(name), fer_dialect_name(rules->dialect));
    } else if (near.ptr) {
        fer_warn(c, "unknown-keyword", key, "`%.*s` is no keyword of %s. Did you mean `%.*s`?",
                 FER_PRI(name), fer_dialect_name(rules->dialect), FER_PRI(near));
    } else {
        fer_warn(c, "unknown-keyword", key,
                 "`%.*s` is no keyword of %s and is only kept as an annotation.", FER_PRI(name),
                 fer_dialect_name(rules->dialect));
    }
}

/* Keywords that say nothing without another one. */
#define TO_2019   (FER_IN_4 | FER_IN_6 | FER_IN_7 | FER_IN_2019)
#define FROM_2019 (FER_IN_2019 | FER_IN_2020 | FER_IN_V1)
static const struct {
    enum fer_slot slot, needs;
    unsigned dialects;
} partners[] = {
    {KW_THEN, KW_IF, FER_IN_7 | FROM_2019},
    {KW_ELSE, KW_IF, FER_IN_7 | FROM_2019},
    {KW_MIN_CONTAINS, KW_CONTAINS, FROM_2019},
    {KW_MAX_CONTAINS, KW_CONTAINS, FROM_2019},
    {KW_CONTENT_SCHEMA, KW_CONTENT_MEDIA_TYPE, FROM_2019},
    {KW_ADDITIONAL_ITEMS, KW_ITEMS, TO_2019},
};

static void warn_partners(const fer_lint *l)
{
    for (size_t i = 0; i < FER_COUNT(partners); i++) {
        const yyjson_val *value = fer_lint_get(l, partners[i].slot);
        if (!value || !(partners[i].dialects & l->rules->bit)) continue;
        if (fer_lint_get(l, partners[i].needs)) continue;
        fer_warn(l->c, "no-effect", value, "`%.*s` says nothing without `%.*s`.",
                 FER_PRI(fer_slot_name(partners[i].slot)),
                 FER_PRI(fer_slot_name(partners[i].needs)));
    }
    const yyjson_val *items = fer_lint_get(l, KW_ITEMS),
                     *more = fer_lint_get(l, KW_ADDITIONAL_ITEMS);
    if (more && items && !fer_is_arr(items) && (l->rules->bit & TO_2019)) {
        fer_warn(l->c, "no-effect", more,
                 "`additionalItems` says nothing beside `items` that is no list.");
    }
}

static void warn_siblings(const fer_lint *l)
{
    if (!fer_is_str(fer_lint_get(l, KW_REF)) || !(l->rules->bit & (FER_IN_4 | FER_IN_6 | FER_IN_7)))
        return;
    static const uint64_t silent = FER_SLOT(KW_REF) | FER_SLOT(KW_TITLE) |
                                   FER_SLOT(KW_DESCRIPTION) | FER_SLOT(KW_DEFINITIONS) |
                                   FER_SLOT(KW_COMMENT) | FER_SLOT(KW_DEFAULT) |
                                   FER_SLOT(KW_EXAMPLES) | FER_SLOT(KW_READ_ONLY) |
                                   FER_SLOT(KW_WRITE_ONLY) | FER_SLOT(KW_SCHEMA);
    FER_EACH_MEMBER (l->schema, key) {
        const fer_keyword *k = fer_keyword_find(l->rules, fer_val_str(key));
        if (!k || (FER_SLOT(k->slot) & silent)) continue;
        fer_warn(l->c, "ref-siblings", key + 1, "`%s` is ignored beside `$ref` in %s.", k->name,
                 fer_dialect_name(l->rules->dialect));
    }
}

/* ---- what no value can fit --------------------------------------------------------------------
 */

static const struct {
    enum fer_slot low, high;
} ranges[] = {
    {KW_MINIMUM, KW_MAXIMUM},           {KW_MIN_LENGTH, KW_MAX_LENGTH},
    {KW_MIN_ITEMS, KW_MAX_ITEMS},       {KW_MIN_PROPERTIES, KW_MAX_PROPERTIES},
    {KW_MIN_CONTAINS, KW_MAX_CONTAINS},
};

static void warn_ranges(const fer_lint *l)
{
    for (size_t i = 0; i < FER_COUNT(ranges); i++) {
        const yyjson_val *low = fer_lint_get(l, ranges[i].low),
                         *high = fer_lint_get(l, ranges[i].high);
        if (!low || !high || !fer_is_num(low) || !fer_is_num(high)) continue;
        if (fer_number_cmp(low, high) <= 0) continue;
        fer_warn(l->c, "contradiction", low, "`%.*s` is above `%.*s`: no value can fit.",
                 FER_PRI(fer_slot_name(ranges[i].low)), FER_PRI(fer_slot_name(ranges[i].high)));
    }
}

static void warn_impossible_names(const fer_lint *l)
{
    const yyjson_val *required = fer_lint_get(l, KW_REQUIRED),
                     *closed = fer_lint_get(l, KW_ADDITIONAL_PROPERTIES),
                     *properties = fer_lint_get(l, KW_PROPERTIES);
    bool shut = fer_is_bool(closed) && !fer_is_true(closed);
    if (!shut || !fer_is_arr(required) || fer_lint_get(l, KW_PATTERN_PROPERTIES)) return;
    FER_EACH_ITEM (required, item) {
        if (!fer_is_str(item)) continue;
        if (fer_is_obj(properties) && fer_compile_key(l->c, properties, fer_val_str(item)))
            continue;
        fer_warn(
            l->c, "contradiction", item,
            "\"%.*s\" is required, but `additionalProperties: false` refuses it: no object can fit.",
            FER_PRI(fer_val_str(item)));
    }
}

/* ---- references without progress
 * ------------------------------------------------------------------ */

/*
 * A circle of plain references that never moves on to a part of the value. Each node is
 * followed along its first `$ref`; nodes on the way are marked with the number of the walk.
 */
static void warn_circles(fer_compile *c, const struct fer_spot *const *spots, size_t spot_count)
{
    size_t count = c->program->node_count;
    uint32_t *seen = fer_arena_alloc_zero(c->scratch, count + 1, sizeof *seen);
    if (!seen) {
        fer_compile_no_memory(c);
        return;
    }
    uint32_t walk = 0;
    for (size_t i = 0; i < spot_count; i++) {
        const fer_node *node = spots[i]->node;
        if (!node || seen[node->id]) continue;
        walk++;
        while (node && !seen[node->id]) {
            seen[node->id] = walk;
            const fer_node *next = NULL;
            for (uint32_t n = 0; n < node->count && !next; n++) {
                if (strcmp(node->insts[n].op->name, "$ref") == 0) next = node->insts[n].node;
            }
            if (next && seen[next->id] == walk) {
                const yyjson_val *ref = fer_val_get(node->schema, "$ref");
                fer_warn(c, "endless-reference", ref ? ref : node->schema,
                         "This reference leads back to itself without looking at any part of the "
                         "value: validating cannot end.");
            }
            node = next;
        }
    }
}

/* ---- all of it
 * --------------------------------------------------------------------------------------- */

/* Notes the keywords, and says which of them the dialect does not know. */
static void gather(fer_lint *l)
{
    FER_EACH_MEMBER (l->schema, key) {
        const fer_keyword *k = fer_keyword_find(l->rules, fer_val_str(key));
        if (!k) {
            if (l->c->problem_count < FER_PROBLEMS_MAX) warn_unknown(l->c, l->rules, key);
            k = fer_keyword_first(fer_val_str(key));
        }
        if (!k) continue;
        l->slots |= FER_SLOT(k->slot);
        l->values[k->slot] = key + 1;
    }
}

static void lint_one(fer_compile *c, const struct fer_spot *spot)
{
    fer_lint l;
    l.c = c;
    l.rules = spot->resource->rules;
    l.schema = spot->value;
    l.slots = 0;
    gather(&l);
    warn_partners(&l);
    warn_siblings(&l);
    warn_ranges(&l);
    warn_impossible_names(&l);
    fer_lint_types(&l);
    fer_lint_values(&l, spot->node);
}

static void lint_all(fer_compile *c)
{
    size_t count;
    const struct fer_spot **spots = fer_spots_in_order(c, &count);
    for (size_t i = 0; i < count; i++) {
        if (fer_is_obj(spots[i]->value)) lint_one(c, spots[i]);
    }
    fer_lint_unused(c, c->root, spots, count);
    warn_circles(c, spots, count);
}

/* Their places and pointers; they are in the order of the text, so one walk finds all. */
static fer_code locate_all(fer_compile *c, const yyjson_val *root, fer_err *err)
{
    const fer_json *own = c->doc;
    fer_json doc = {0};
    fer_lines lines;
    fer_finder walk;
    if (own && c->problem_count > 1) {
        doc = *own; /* the index is for here only */
        fer_code code = fer_json_index(c->scratch, &doc, err);
        if (code) return code;
        fer_lines_init(&lines, doc.text);
    }
    fer_finder_init(&walk, c->scratch, root);
    for (size_t i = 0; i < c->problem_count; i++) {
        fer_schema_problem *p = &c->problems[i];
        bool inside = own && p->value >= own->vals && p->value < own->vals + own->count;
        if (inside && c->problem_count == 1) {
            p->place = fer_json_place(own, p->value);
        } else if (inside) {
            p->place = fer_lines_place(&lines, fer_json_offset(&doc, p->value));
        }
        fer_str pointer = fer_finder_to(&walk, p->value);
        p->pointer = pointer.ptr ? fer_arena_copy(c->scratch, pointer) : pointer;
        if (!p->pointer.ptr) return fer_arena_failed(c->scratch, err);
    }
    return FER_OK;
}

/* A failure that is no finding about one place (a limit, an unknown dialect) is told as one. */
static bool tell_failure(fer_compile *c, const yyjson_val *value, const fer_err *why)
{
    switch (c->code) {
    case FER_LIMIT_EXCEEDED:
    case FER_UNSUPPORTED_DIALECT:
    case FER_INVALID_SCHEMA:
    case FER_EXTERNAL_REF: break;
    default: return false;
    }
    const yyjson_val *named = fer_is_obj(value) ? fer_val_get(value, "$schema") : NULL;
    bool dialect = c->code == FER_UNSUPPORTED_DIALECT && named;
    fer_problem(c, c->code, dialect ? "dialect" : "limit", dialect ? named : value, "%s",
                why->message);
    return true;
}

fer_code fer_schema_problems(fer_arena *a, const fer_json *doc, const yyjson_val *value,
                             const fer_schema_options *options, bool lint, fer_schema_problem **out,
                             size_t *count, fer_err *err)
{
    fer_compile c;
    fer_err why = {0};
    if (!value && !doc) return fer_fail(err, FER_BAD_USAGE, "There is no schema to look at.");
    if (!value) value = fer_json_root(doc);
    fer_code code = fer_compile_open(&c, options, a, a, &why);
    if (!code) {
        c.lint = lint;
        fer_compile_build(&c, doc, value);
        if (lint && !c.code) lint_all(&c);
        code = c.code;
        if (code && tell_failure(&c, value, &why)) code = FER_OK;
    }
    if (code) {
        if (err) *err = why;
        return code;
    }
    if (!fer_problems_sort(&c)) return fer_arena_failed(a, err);
    code = c.problem_count ? locate_all(&c, value, err) : FER_OK;
    if (code) return code;
    *out = c.problems;
    *count = c.problem_count;
    return FER_OK;
}
