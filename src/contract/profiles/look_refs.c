/* SPDX-License-Identifier: Apache-2.0 */
/* References: what they may look like, where they lead, cycles, and depth through them. */
#include "json_value.h"
#include "look.h"
#include "schema_tree.h"
#include "unicode.h"

#define REF_STEPS                                                                                  \
    400 /* subschemas inside each other, references followed; those below are not seen */

/* ---- the reference itself ------------------------------------------------------------- */

/* The subschema that a local reference leads to, or NULL. Anchors are not looked for. */
static const yyjson_val *target_of(const yyjson_val *schema, fer_str ref)
{
    if (!ref.len || ref.ptr[0] != '#') return NULL;
    if (ref.len == 1) return schema;
    if (ref.ptr[1] != '/') return NULL;
    return fer_json_at(schema, fer_str_slice(ref, 1, ref.len), NULL);
}

/* Siblings that this profile refuses: all but its exceptions, and those that the target has too. */
static bool has_bad_sibling(const fer_subschema *s, const struct fer_profile_row *row,
                            const yyjson_val *target)
{
    FER_EACH_MEMBER (s->value, key) {
        fer_str name = fer_val_str(key);
        enum fer_slot slot = fer_slot_find(name);
        if (slot == KW_REF) continue;
        bool spared = slot != KW_COUNT ? (row->except & FER_SLOT(slot)) != 0
                                       : fer_words_have(&row->except_names, name);
        if (!spared || (name.ptr[0] != '$' && fer_is_obj(target) && fer_val_key(target, name)))
            return true;
    }
    return false;
}

static void siblings(fer_look *l, const fer_subschema *s, const yyjson_val *target,
                     const fer_path *here)
{
    uint64_t mask = 0;
    if (fer_val_len(s->value) < 2) return;
    FER_EACH_PROFILE(l->plan->on[FER_PR_REF_SIBLINGS], i)
    {
        if (has_bad_sibling(s, fer_look_row(l, i, FER_PR_REF_SIBLINGS), target))
            mask |= (uint64_t)1 << i;
    }
    fer_look_report(l, FER_PR_REF_SIBLINGS, mask, s->keys[KW_REF], here,
                    "beside $ref there are other keywords");
}

static void inside_all_of(fer_look *l, const fer_subschema *s, const fer_path *here)
{
    uint64_t mask = 0;
    if (!l->in_all_of) return;
    FER_EACH_PROFILE(l->plan->on[FER_PR_REF_IN_ALLOF], i)
    {
        bool direct = fer_look_row(l, i, FER_PR_REF_IN_ALLOF)->scope == FER_SCOPE_DIRECT;
        if (!direct || s->via == KW_ALL_OF) mask |= (uint64_t)1 << i;
    }
    fer_look_report(l, FER_PR_REF_IN_ALLOF, mask, s->keys[KW_REF], here,
                    "the $ref stands inside allOf");
}

void fer_look_ref(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *key = s->keys[KW_REF];
    fer_path here = FER_PATH_KEY(s->path, FER_STR("$ref"));
    l->facts.refs = true;
    if (!fer_is_str(key + 1)) return;
    fer_str ref = fer_val_str(key + 1), shown = fer_utf8_cut(ref, 100);
    fer_look_report(l, FER_PR_REF_ANY, l->plan->on[FER_PR_REF_ANY], key, &here,
                    "the schema has a $ref");
    if (!ref.len || ref.ptr[0] != '#')
        fer_look_report(l, FER_PR_REF_EXTERNAL, l->plan->on[FER_PR_REF_EXTERNAL], key + 1, &here,
                        "the $ref \"%.*s\" is not local", FER_PRI(shown));
    else if (!fer_str_starts(ref, "#/$defs/") && !fer_str_starts(ref, "#/definitions/"))
        fer_look_report(l, FER_PR_REF_NON_DEFS, l->plan->on[FER_PR_REF_NON_DEFS], key + 1, &here,
                        "the $ref \"%.*s\" leads to neither $defs nor definitions", FER_PRI(shown));
    siblings(l, s, target_of(l->schema, ref), &here);
    inside_all_of(l, s, &here);
}

/* ---- depth and cycles ------------------------------------------------------------------- */

/* What is known of a subschema: its height, and where it is on the way down. */
struct known {
    unsigned height[2]; /* [1]: an object or array is counted at this place already */
    bool done[2];
    bool open;
    unsigned optional; /* steps that may be left out, on the way to it */
};

struct descent {
    fer_look *look;
    struct known **known; /* by the place of their values in the schema */
    unsigned steps;
    unsigned optional;
};

static struct known **known_values(fer_look *l)
{
    size_t count = (size_t)(fer_val_next(l->schema) - l->schema);
    struct known **known = fer_arena_alloc_zero(l->pass->scratch, count, sizeof *known);
    if (!known) l->pass->drafts->no_memory = true;
    return known;
}

static struct known *known_of(struct descent *d, const yyjson_val *schema)
{
    struct known **k = &d->known[schema - d->look->schema];
    if (!*k) *k = fer_arena_alloc_zero(d->look->pass->scratch, 1, sizeof **k);
    if (!*k) d->look->pass->drafts->no_memory = true;
    return *k;
}

/* The reference closes a cycle: it leads to a subschema that it stands in. */
static void report_cycle(struct descent *d, const yyjson_val *ref, const struct known *target)
{
    fer_look *l = d->look;
    uint64_t mask = 0;
    fer_buf inside;
    FER_EACH_PROFILE(l->plan->on[FER_PR_REF_RECURSIVE], i)
    {
        bool always = fer_look_row(l, i, FER_PR_REF_RECURSIVE)->scope != FER_SCOPE_REQUIRED;
        if (always || d->optional == target->optional) mask |= (uint64_t)1 << i;
    }
    struct known *self = mask ? known_of(d, ref) : NULL;
    if (!self || self->done[0]) return;
    self->done[0] = true; /* a subschema may be looked at twice, and is told of once */
    fer_buf_init(&inside, l->pass->scratch, (size_t)64 << 10);
    fer_path_write(&inside, l->pass->path);
    fer_pointer_of(&inside, l->pass->tool->record, ref);
    if (inside.failure) l->pass->drafts->no_memory = true;
    size_t from = l->pass->drafts->count;
    fer_look_report(l, FER_PR_REF_RECURSIVE, mask, ref, l->path,
                    "the $ref \"%.*s\" leads back to itself",
                    FER_PRI(fer_utf8_cut(fer_val_str(ref), 100)));
    for (size_t i = from; inside.ptr && i < l->pass->drafts->count; i++)
        l->pass->drafts->list[i].finding.tool_pointer = fer_buf_view(&inside);
}

static unsigned height_of(struct descent *d, const yyjson_val *schema, bool counted);

static unsigned larger(unsigned x, unsigned y)
{
    return x > y ? x : y;
}

/* The greatest height among the members of a map or list, or of the one schema. */
static unsigned heights_in(struct descent *d, const yyjson_val *value, enum fer_slot slot,
                           const yyjson_val *required, bool counted)
{
    unsigned most = 0;
    bool map =
        slot == KW_PROPERTIES || slot == KW_PATTERN_PROPERTIES || slot == KW_DEPENDENT_SCHEMAS;
    bool may_lack = slot == KW_ITEMS || slot == KW_PATTERN_PROPERTIES ||
                    slot == KW_ADDITIONAL_PROPERTIES || slot == KW_ANY_OF || slot == KW_ONE_OF;
    if (fer_is_arr(value)) {
        d->optional += may_lack;
        FER_EACH_ITEM (value, item) most = larger(most, height_of(d, item, counted));
        d->optional -= may_lack;
        return most;
    }
    if (!map || !fer_is_obj(value)) {
        d->optional += may_lack;
        most = height_of(d, value, counted);
        d->optional -= may_lack;
        return most;
    }
    FER_EACH_MEMBER (value, key) {
        bool needed = false;
        if (required && fer_is_arr(required)) {
            FER_EACH_ITEM (required, name)
                needed =
                    needed || (fer_is_str(name) && fer_str_eq(fer_val_str(name), fer_val_str(key)));
        }
        d->optional += !needed;
        most = larger(most, height_of(d, key + 1, counted));
        d->optional -= !needed;
    }
    return most;
}

#define SAME_PLACE                                                                                 \
    (FER_SLOT(KW_ALL_OF) | FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_NOT) |          \
     FER_SLOT(KW_IF) | FER_SLOT(KW_THEN) | FER_SLOT(KW_ELSE) | FER_SLOT(KW_DEPENDENT_SCHEMAS))
#define NEXT_PLACE                                                                                 \
    (FER_SLOT(KW_PROPERTIES) | FER_SLOT(KW_PATTERN_PROPERTIES) |                                   \
     FER_SLOT(KW_ADDITIONAL_PROPERTIES) | FER_SLOT(KW_ITEMS) | FER_SLOT(KW_PREFIX_ITEMS) |         \
     FER_SLOT(KW_CONTAINS) | FER_SLOT(KW_ADDITIONAL_ITEMS) | FER_SLOT(KW_PROPERTY_NAMES))

static unsigned through_ref(struct descent *d, const yyjson_val *ref, bool counted)
{
    const yyjson_val *target =
        fer_is_str(ref) ? target_of(d->look->schema, fer_val_str(ref)) : NULL;
    const struct known *k = target ? d->known[target - d->look->schema] : NULL;
    if (!target) return 0;
    if (k && k->open) {
        report_cycle(d, ref, k);
        return 0;
    }
    return height_of(d, target, counted);
}

static unsigned height_inside(struct descent *d, const yyjson_val *schema, bool counted)
{
    const yyjson_val *type = fer_val_get(schema, "type"),
                     *required = fer_val_get(schema, "required");
    bool container = (fer_look_types(type) & (FER_IS_OBJECT | FER_IS_ARRAY)) ||
                     fer_val_get(schema, "properties") || fer_val_get(schema, "items");
    unsigned here = counted || container, most = here;
    FER_EACH_MEMBER (schema, key) {
        enum fer_slot slot = fer_slot_find(fer_val_str(key));
        uint64_t bit = slot == KW_COUNT ? 0 : FER_SLOT(slot);
        if (bit & FER_SLOT(KW_REF)) most = larger(most, through_ref(d, key + 1, here));
        if (bit & SAME_PLACE) most = larger(most, heights_in(d, key + 1, slot, required, here));
        if (bit & NEXT_PLACE)
            most = larger(most, here + heights_in(d, key + 1, slot, required, false));
    }
    return most;
}

/* How many objects and arrays are inside each other from here on; cycles count once. */
static unsigned height_of(struct descent *d, const yyjson_val *schema, bool counted)
{
    if (!fer_is_obj(schema) || d->look->pass->drafts->no_memory) return counted;
    struct known *k = known_of(d, schema);
    if (!k || k->open || d->steps >= REF_STEPS) return counted;
    if (k->done[counted]) return k->height[counted];
    k->open = true;
    k->optional = d->optional;
    d->steps++;
    unsigned height = height_inside(d, schema, counted);
    d->steps--;
    k->open = false;
    k->done[counted] = true;
    k->height[counted] = height;
    return height;
}

/* Cycles among definitions that nothing leads to are cycles, too. */
static void definitions(struct descent *d)
{
    static const char *const names[] = {"$defs", "definitions"};
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        const yyjson_val *defs = fer_val_get(d->look->schema, names[i]);
        if (!fer_is_obj(defs)) continue;
        FER_EACH_MEMBER (defs, key) {
            const struct known *k = known_of(d, key + 1);
            if (k && !k->done[0] && !k->done[1]) height_of(d, key + 1, false);
        }
    }
}

void fer_look_depth(fer_look *l)
{
    unsigned depth = l->facts.depth;
    const yyjson_val *at = l->deepest ? l->deepest : l->schema;
    if (!(l->plan->on[FER_PR_LIMIT_DEPTH] | l->plan->on[FER_PR_REF_RECURSIVE])) return;
    if (l->facts.refs) {
        struct descent d = {.look = l, .known = known_values(l)};
        if (!d.known) return;
        unsigned height = height_of(&d, l->schema, false);
        definitions(&d);
        if (height > depth) at = l->schema;
        depth = larger(depth, height);
    }
    size_t from = l->pass->drafts->count;
    fer_look_limit(l, FER_PR_LIMIT_DEPTH, depth, at, l->path, "levels of objects and arrays");
    if (at == l->schema || from == l->pass->drafts->count) return;
    fer_buf inside;
    fer_buf_init(&inside, l->pass->scratch, (size_t)64 << 10);
    fer_path_write(&inside, l->pass->path);
    fer_pointer_of(&inside, l->pass->tool->record, at);
    if (inside.failure) l->pass->drafts->no_memory = true;
    for (size_t i = from; inside.ptr && i < l->pass->drafts->count; i++)
        l->pass->drafts->list[i].finding.tool_pointer = fer_buf_view(&inside);
}
