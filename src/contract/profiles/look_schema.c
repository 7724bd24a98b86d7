/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a schema: keywords, depth, and what is counted. */
#include "json_number.h"
#include "json_value.h"
#include "look.h"
#include "unicode.h"

#define IN_PLACE                                                                                   \
    (FER_SLOT(KW_ALL_OF) | FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_NOT) |          \
     FER_SLOT(KW_IF) | FER_SLOT(KW_THEN) | FER_SLOT(KW_ELSE) | FER_SLOT(KW_DEPENDENT_SCHEMAS))
/* Keywords whose booleans everybody writes. */
#define MAY_BE_BOOLEAN                                                                             \
    (FER_SLOT(KW_ADDITIONAL_PROPERTIES) | FER_SLOT(KW_ADDITIONAL_ITEMS) |                          \
     FER_SLOT(KW_UNEVALUATED_PROPERTIES) | FER_SLOT(KW_UNEVALUATED_ITEMS))

static bool is_via(const fer_subschema *s, uint64_t slots)
{
    return s->via != KW_COUNT && (slots & FER_SLOT(s->via));
}

/* ---- keywords ------------------------------------------------------------------------ */

/* Profiles that take this value of minItems after all. */
static uint64_t taken_anyway(const fer_look *l, enum fer_slot slot, const yyjson_val *value,
                             uint64_t mask)
{
    uint64_t taken = 0, n;
    if (slot != KW_MIN_ITEMS || !fer_is_num(value) || !fer_number_u64(value, &n) || n > 63)
        return 0;
    FER_EACH_PROFILE(mask, i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_KEYWORD_MINITEMS);
        if (row->has_values && (row->values >> n & 1)) taken |= (uint64_t)1 << i;
    }
    return taken;
}

static void look_at_keyword(fer_look *l, const fer_subschema *s, enum fer_slot slot)
{
    const yyjson_val *key = s->keys[slot];
    const fer_plan *plan = l->plan;
    bool root = !s->up;
    fer_str name = fer_val_str(key);
    fer_path here = FER_PATH_KEY(s->path, name);
    uint64_t reject = plan->reject[slot];
    if (reject) reject &= ~taken_anyway(l, slot, key + 1, reject);
    if (reject)
        fer_look_report(l, (enum fer_profile_rule_id)plan->rule_of[slot], reject, key, &here,
                        "the keyword %.*s is not supported%s", FER_PRI(name),
                        slot == KW_MIN_ITEMS ? " with this value" : "");
    fer_look_report(l, FER_PR_KEYWORD_UNLISTED, plan->unlisted[slot], key, &here,
                    "the keyword %.*s is not among those that are allowed", FER_PRI(name));
    fer_look_report(l, FER_PR_KEYWORD_IGNORED, plan->ignored[root][slot], key, &here,
                    "the keyword %.*s is dropped, nobody enforces it", FER_PRI(name));
    fer_look_report(l, FER_PR_KEYWORD_UNENFORCED, plan->unenforced[slot], key, &here,
                    "the keyword %.*s is accepted, but not enforced", FER_PRI(name));
    if (root)
        fer_look_report(l, FER_PR_ROOT_COMPOSITION, plan->root_refused[slot], key, &here,
                        "the root of the schema has %.*s", FER_PRI(name));
}

/* A key that is no keyword of JSON Schema. */
static void look_at_unknown(fer_look *l, const fer_subschema *s, const yyjson_val *key)
{
    fer_str name = fer_val_str(key), shown = fer_utf8_cut(name, 100);
    uint64_t unlisted = 0, ignored = 0, nullable = 0;
    fer_path here = FER_PATH_KEY(s->path, name);
    bool extension = fer_str_starts(name, "x-");
    FER_EACH_PROFILE(l->plan->on[FER_PR_KEYWORD_UNLISTED], i)
    {
        if (!fer_words_have(&fer_look_row(l, i, FER_PR_KEYWORD_UNLISTED)->except_names, name))
            unlisted |= (uint64_t)1 << i;
    }
    FER_EACH_PROFILE(extension ? 0 : l->plan->on[FER_PR_KEYWORD_IGNORED], i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_KEYWORD_IGNORED);
        if (row->has_except && !fer_words_have(&row->except_names, name))
            ignored |= (uint64_t)1 << i;
    }
    if (fer_str_is(name, "nullable")) nullable = l->plan->on[FER_PR_KEYWORD_NULLABLE];
    fer_look_report(l, FER_PR_KEYWORD_NULLABLE, nullable, key, &here,
                    "the keyword nullable is not supported");
    fer_look_report(l, FER_PR_KEYWORD_UNLISTED, unlisted & ~nullable, key, &here,
                    "the keyword %.*s is not among those that are allowed", FER_PRI(shown));
    fer_look_report(l, FER_PR_KEYWORD_IGNORED, ignored, key, &here,
                    "the keyword %.*s is dropped, nobody enforces it", FER_PRI(shown));
}

void fer_look_keywords(fer_look *l, const fer_subschema *s)
{
    for (uint64_t left = s->slots & l->plan->any_slot; left; left &= left - 1)
        look_at_keyword(l, s, (enum fer_slot)__builtin_ctzll(left));
    if (!s->unknown) return;
    if (!(l->plan->on[FER_PR_KEYWORD_UNLISTED] | l->plan->on[FER_PR_KEYWORD_IGNORED] |
          l->plan->on[FER_PR_KEYWORD_NULLABLE]))
        return;
    FER_EACH_MEMBER (s->value, key) {
        if (fer_slot_find(fer_val_str(key)) == KW_COUNT) look_at_unknown(l, s, key);
    }
}

/* ---- depth ---------------------------------------------------------------------------- */

/* SPEC 4: objects and arrays count, the root is 1; what applies to the same value adds no level. */
static void count_level(fer_look *l, const fer_subschema *s, unsigned types)
{
    bool container = (types & (FER_IS_OBJECT | FER_IS_ARRAY)) ||
                     (s->slots & (FER_SLOT(KW_PROPERTIES) | FER_SLOT(KW_ITEMS)));
    bool in_place = is_via(s, IN_PLACE),
         apart = is_via(s, FER_SLOT(KW_DEFS) | FER_SLOT(KW_DEFINITIONS));
    unsigned up = s->depth ? s->depth - 1 : 0, base = 0;
    if (s->depth && !apart) base = l->level[up] - (in_place && l->counted[up]);
    l->counted[s->depth] = container || (in_place && l->counted[up]);
    l->level[s->depth] = base + l->counted[s->depth];
    if (l->level[s->depth] <= l->facts.depth) return;
    for (const fer_subschema *u = s; u; u = u->up) {
        if (is_via(u, FER_SLOT(KW_DEFS) | FER_SLOT(KW_DEFINITIONS))) return; /* counts where used */
    }
    l->facts.depth = l->level[s->depth];
    l->deepest = s->value;
}

/* ---- the walk --------------------------------------------------------------------------- */

static void look_at_boolean(fer_look *l, const fer_subschema *s)
{
    l->level[s->depth] = s->depth ? l->level[s->depth - 1] : 0;
    l->counted[s->depth] = false;
    if (fer_is_bool(s->value) && !is_via(s, MAY_BE_BOOLEAN))
        fer_look_report(l, FER_PR_SCHEMA_BOOLEAN, l->plan->on[FER_PR_SCHEMA_BOOLEAN], s->value,
                        s->path, "the schema is %s, not an object",
                        fer_is_true(s->value) ? "true" : "false");
}

static void move_in(fer_look *l, const fer_subschema *s)
{
    l->in_all_of += s->via == KW_ALL_OF;
    l->in_items += s->via == KW_ITEMS || s->via == KW_PREFIX_ITEMS;
}

static bool enter(void *context, const fer_subschema *s)
{
    fer_look *l = context;
    move_in(l, s);
    l->node = s->path;
    l->node_pointer = FER_STR_NONE;
    if (!fer_is_obj(s->value)) {
        look_at_boolean(l, s);
        return false;
    }
    const yyjson_val *type = fer_subschema_get(s, KW_TYPE);
    unsigned types = fer_look_types(type);
    count_level(l, s, types);
    fer_look_keywords(l, s);
    fer_look_node(l, s, types);
    if (s->slots & FER_SLOT(KW_REF)) fer_look_ref(l, s);
    if (s->slots & FER_SLOT(KW_PATTERN)) fer_look_pattern(l, s);
    return !l->pass->drafts->no_memory;
}

static void leave(void *context, const fer_subschema *s)
{
    fer_look *l = context;
    l->in_all_of -= s->via == KW_ALL_OF;
    l->in_items -= s->via == KW_ITEMS || s->via == KW_PREFIX_ITEMS;
}

/* What the check of the record said about the schema's form counts for profiles that check it. */
static void repeat_problems(fer_look *l)
{
    fer_drafts *d = l->pass->drafts;
    uint64_t mask = l->plan->on[FER_PR_SCHEMA_METASCHEMA];
    size_t count = mask ? d->count : 0;
    for (size_t i = 0; i < count && !d->no_memory; i++) {
        const struct fer_draft *draft = &d->list[i];
        bool inside = draft->at >= l->schema && draft->at < fer_val_next(l->schema);
        if (!inside || draft->finding.rule != &fer_record_rules[FER_RULE_SCHEMA_INVALID]) continue;
        fer_look_put(l, FER_PR_SCHEMA_METASCHEMA, mask, draft->at, draft->finding.tool_pointer,
                     draft->finding.message);
    }
}

static void look_at_limits(fer_look *l)
{
    const struct fer_facts *f = &l->facts;
    const struct {
        enum fer_profile_rule_id rule;
        uint64_t actual;
        const char *what;
    } rows[] = {
        {FER_PR_LIMIT_PROPERTIES, f->properties, "properties in the schema"},
        {FER_PR_LIMIT_ENUM, f->enums, "enum values in the schema"},
        {FER_PR_LIMIT_STRINGS, f->strings, "characters of names, enum values and constants"},
        {FER_PR_LIMIT_ANYOF, f->branches, "branches of anyOf in the schema"},
    };
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        fer_look_limit(l, rows[i].rule, rows[i].actual, l->schema, l->path, rows[i].what);
}

static void look_at_size(fer_look *l)
{
    if (l->plan->on[FER_PR_LIMIT_SCHEMA_SIZE])
        fer_look_limit(l, FER_PR_LIMIT_SCHEMA_SIZE, fer_look_size(l).bytes, l->schema, l->path,
                       "bytes of the schema");
}

void fer_look_schema(fer_look *l)
{
    repeat_problems(l);
    fer_subschemas_walk(l->schema, l->path, enter, leave, l);
    l->node = NULL; /* the path is gone */
    look_at_limits(l);
    look_at_size(l);
    fer_look_depth(l);
    FER_EACH_PROFILE(l->plan->on[FER_PR_OBJECT_REQUIRED_MIN], i)
    {
        uint64_t min = fer_look_row(l, i, FER_PR_OBJECT_REQUIRED_MIN)->min;
        if (l->facts.required < min)
            fer_look_exceeds(l, FER_PR_OBJECT_REQUIRED_MIN, i, min, l->facts.required, l->schema,
                             l->path, "the tool has fewer than %llu required parameters",
                             (unsigned long long)min);
    }
}
