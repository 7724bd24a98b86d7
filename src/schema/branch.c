/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which alternative of an anyOf or oneOf was meant, when all of them failed: the one whose
 * tag (a property with const or enum) the value carries, else the one of the right type with
 * the fewest failures. Where nothing stands out, none was.
 */
#include "explain.h"
#include "json_number.h"

#define LOOK_MAX 2000 /* units that are looked at to rate one alternative */

/* How an alternative did. */
struct rating {
    const fer_unit *unit;
    bool wrong_type;   /* of the value itself */
    size_t wrong_tags; /* properties that const or enum refused */
    size_t right_tags; /* and that they accepted */
    size_t known;      /* members of the value that it describes */
    size_t failures;
    fer_str tag; /* one of the right ones */
};

/* ---- schemas of an alternative -------------------------------------------------------------- */

/* The node behind plain references. */
const fer_node *fer_behind_refs(const fer_node *node)
{
    for (size_t hops = 0; hops < 32 && node->count == 1; hops++) {
        if (strcmp(node->insts[0].op->name, "$ref") != 0) break;
        node = node->insts[0].node;
    }
    return node;
}

/* The schema of a property that const or enum tie to some strings; NULL: none. */
static const yyjson_val *tag_schema(fer_teller *t, const yyjson_val *schema,
                                    const yyjson_val **values)
{
    if (!fer_is_obj(schema)) return NULL;
    *values = fer_val_get(schema, "const");
    if (fer_is_str(*values)) return schema;
    *values = fer_val_get(schema, "enum");
    if (!fer_is_arr(*values) || !fer_val_len(*values)) return NULL;
    if (!fer_tell_look(t, fer_val_len(*values) / 8)) return NULL;
    FER_EACH_ITEM (*values, item) {
        if (!fer_is_str(item)) return NULL;
    }
    return schema;
}

static bool tag_accepts(const yyjson_val *values, const yyjson_val *v)
{
    if (!fer_is_str(v)) return false;
    if (fer_is_str(values)) return fer_str_eq(fer_val_str(values), fer_val_str(v));
    FER_EACH_ITEM (values, item) {
        if (fer_str_eq(fer_val_str(item), fer_val_str(v))) return true;
    }
    return false;
}

/* Tags of the object's own properties, in one schema. */
static void rate_tags(fer_teller *t, struct rating *r, const fer_node *node,
                      const yyjson_val *object)
{
    const yyjson_val *schema = fer_behind_refs(node)->schema;
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!fer_is_obj(properties) || !fer_is_obj(object)) return;
    if (!fer_tell_look(t, fer_val_len(properties) / 8)) return;
    FER_EACH_MEMBER (properties, key) {
        const yyjson_val *values;
        const yyjson_val *member = fer_tell_key(t, object, fer_val_str(key));
        r->known += member != NULL;
        if (!member || !tag_schema(t, key + 1, &values)) continue;
        if (tag_accepts(values, member + 1)) {
            r->right_tags++;
            r->tag = fer_val_str(key);
        } else {
            r->wrong_tags++;
        }
    }
}

/* ---- rating ---------------------------------------------------------------------------------- */

/* The next unit of a walk over everything below `top`, without a stack. */
static const fer_unit *walk_next(const fer_unit *top, const fer_unit *u)
{
    if (u->first) return u->first;
    while (u != top && !u->next) u = u->up;
    return u == top ? NULL : u->next;
}

static bool fails_by(const fer_unit *u, const char *op)
{
    for (uint32_t n = 0; n < u->node->count; n++) {
        if ((u->failed >> n & 1) && strcmp(u->node->insts[n].op->name, op) == 0) return true;
    }
    return false;
}

static struct rating rate(fer_teller *t, const fer_unit *top)
{
    const fer_unit *start = top->same ? top->same : top;
    struct rating r = {.unit = top};
    size_t looked = 0;
    for (const fer_unit *u = start; u && looked < LOOK_MAX; u = walk_next(start, u), looked++) {
        if (!fer_tell_look(t, 1)) break;
        if (u->valid || u->keyword == KW_IF) continue;
        bool own = u->value == top->value;
        if (own && fails_by(u, "type")) r.wrong_type = true;
        if (own) rate_tags(t, &r, u->node, u->value);
        for (uint64_t f = u->failed; f; f &= f - 1) r.failures++;
        if (u->node->verdict == FER_NEVER) r.failures++;
    }
    return r;
}

/* Whether x is nearer to what was meant than y; 0: neither. */
static int nearer(const struct rating *x, const struct rating *y)
{
    bool tagged_x = x->right_tags && !x->wrong_tags, tagged_y = y->right_tags && !y->wrong_tags;
    if (x->wrong_type != y->wrong_type) return x->wrong_type ? -1 : 1;
    if (tagged_x != tagged_y) return tagged_x ? 1 : -1;
    if (!x->wrong_tags != !y->wrong_tags) return x->wrong_tags ? -1 : 1;
    if (x->known != y->known) return x->known > y->known ? 1 : -1;
    if (x->failures != y->failures) return x->failures < y->failures ? 1 : -1;
    return 0;
}

/* ---- a property that all alternatives are told apart by ----------------------------------------
 */

/* A property that every alternative of objects ties to strings, none of them the value's. */
static const yyjson_val *common_tag(fer_teller *t, const fer_node *const *nodes, size_t count)
{
    const yyjson_val *first = NULL;
    for (size_t n = 0; n < count && !first; n++) {
        const yyjson_val *schema = fer_behind_refs(nodes[n])->schema;
        const yyjson_val *properties =
            fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
        if (!fer_is_obj(properties)) return NULL;
        FER_EACH_MEMBER (properties, key) {
            const yyjson_val *values;
            bool all = tag_schema(t, key + 1, &values) != NULL;
            for (size_t m = 0; m < count && all; m++) {
                const yyjson_val *other = fer_behind_refs(nodes[m])->schema;
                other = fer_is_obj(other) ? fer_val_get(other, "properties") : NULL;
                if (!fer_tell_look(t, 1 + (other ? fer_val_len(other) / 8 : 0))) return NULL;
                other = fer_is_obj(other) ? fer_val_key(other, fer_val_str(key)) : NULL;
                all = other && tag_schema(t, other + 1, &values);
            }
            if (all) return key;
        }
        return NULL;
    }
    return first;
}

/* ---- the one that was meant ------------------------------------------------------------------ */

/* What the value may be instead of the alternative that is told, where that is quickly said. */
static fer_str instead(fer_teller *t, const fer_unit *u, const fer_node *const *nodes, size_t count,
                       size_t meant)
{
    fer_buf b;
    size_t said = 0;
    if (count > 4) return fer_say(t, "One of %zu alternatives, chosen by its type.", count);
    fer_buf_init(&b, t->arena, 1024);
    for (size_t n = 0; n < count; n++) {
        if (n == meant) continue;
        fer_str words = fer_branch_in_words(t, nodes[n]);
        fer_buf_printf(&b, "%s%.*s", said++ ? " or " : "", FER_PRI(words));
    }
    fer_violation about = {.dotted = fer_say_place(t, u)};
    return fer_say(t, "%.*s may also be %.*s.", FER_PRI(fer_say_field(t, &about)),
                   FER_PRI(b.ptr ? fer_buf_view(&b) : FER_STR("...")));
}

static fer_str reason(fer_teller *t, const fer_unit *u, const fer_node *const *nodes, size_t count,
                      const struct rating *best, size_t typed)
{
    if (count < 2) return FER_STR("");
    if (best->right_tags) {
        const yyjson_val *tag = fer_val_key(u->value, best->tag);
        return fer_say_because(t, u, best->tag, fer_say_json(t, tag + 1, 120));
    }
    if (typed == 1) return instead(t, u, nodes, count, best->unit->branch);
    fer_str words = fer_branch_in_words(t, nodes[best->unit->branch]);
    return fer_say(t, "The nearest of %zu alternatives: %.*s.", count, FER_PRI(words));
}

const fer_unit *fer_branch_meant(fer_teller *t, const fer_unit *u, const fer_inst *i,
                                 const fer_node *const *nodes, size_t count, fer_str *why)
{
    struct rating best = {0};
    bool tie = false;
    size_t typed = 0, failed = 0;
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (&u->node->insts[b->by] != i || b->valid) continue;
        struct rating r = rate(t, b);
        if (!t->look_left) return NULL;
        failed++;
        typed += !r.wrong_type;
        int order = best.unit ? nearer(&r, &best) : 1;
        if (order > 0) {
            best = r;
            tie = false;
        } else if (order == 0) {
            tie = true;
        }
    }
    if (!best.unit || (failed > 1 && (best.wrong_type || tie || best.wrong_tags))) return NULL;
    /* Without the tag, and without a member that tells, it could be any of them. */
    bool silent = typed > 1 && !best.right_tags && !best.known && fer_is_obj(u->value);
    if (silent && common_tag(t, nodes, count)) return NULL;
    *why = reason(t, u, nodes, count, &best, typed);
    return best.unit;
}

/* ---- no alternative fits the tag ----------------------------------------------------------------
 */

static size_t add_tag_values(fer_teller *t, fer_str *out, size_t max, const fer_node *node,
                             fer_str tag)
{
    const yyjson_val *properties = fer_val_get(fer_behind_refs(node)->schema, "properties");
    const yyjson_val *key = fer_val_key(properties, tag), *values;
    size_t count = 0;
    if (!key || !tag_schema(t, key + 1, &values)) return 0;
    if (fer_is_str(values)) {
        if (max) out[count++] = fer_say_json(t, values, 200);
        return count;
    }
    FER_EACH_ITEM (values, item) {
        if (count < max) out[count++] = fer_say_json(t, item, 200);
    }
    return count;
}

static void near_value(fer_teller *t, fer_violation *v, const yyjson_val *value)
{
    fer_near near;
    if (!fer_is_str(value) || fer_is_hidden(t, v)) return;
    fer_near_init(&near, fer_val_str(value));
    for (size_t n = 0; n < v->allowed_count; n++) {
        fer_str json = v->allowed[n];
        if (json.len < 2 || json.ptr[0] != '"') continue;
        if (!fer_tell_near(t, &near, fer_str_slice(json, 1, json.len - 1))) break;
    }
    if (near.best.ptr) v->did_you_mean = fer_say(t, "%.*s", FER_PRI(near.best));
}

void fer_tell_values(fer_teller *t, fer_violation *v, const yyjson_val *value,
                     const fer_str *values, size_t count, const char *must)
{
    fer_buf list;
    v->allowed = values;
    v->allowed_count = count;
    fer_buf_init(&list, t->arena, 1000);
    for (size_t n = 0; n < count && n < 30; n++) {
        fer_buf_printf(&list, "%s%.*s", n ? ", " : "", FER_PRI(values[n]));
    }
    t->no_memory |= list.arena_failed;
    fer_str all = list.ptr && !list.arena_failed ? fer_str_head(fer_buf_view(&list), list.len)
                                                 : FER_STR("...");
    v->expected = fer_say(t, "%s%.*s", count > 1 ? "one of " : "", FER_PRI(all));
    v->actual = value ? fer_say_value(t, v, value) : FER_STR("absent");
    v->message = fer_say(t, "%.*s %s %.*s, but is %.*s.", FER_PRI(fer_say_field(t, v)), must,
                         FER_PRI(v->expected), FER_PRI(value ? v->actual : FER_STR("missing")));
    if (value) near_value(t, v, value);
    v->hint = v->did_you_mean.len ? fer_say(t, "Did you mean \"%.*s\"?", FER_PRI(v->did_you_mean))
              : value ? FER_STR("Use one of the allowed values exactly as it is written.")
                      : FER_STR("Add it with one of the allowed values.");
}

#define TAGS_MAX 100

bool fer_tell_tag(fer_teller *t, const fer_unit *u, const fer_inst *i, const fer_node *const *nodes,
                  size_t count)
{
    const yyjson_val *tag = fer_is_obj(u->value) ? common_tag(t, nodes, count) : NULL;
    if (!tag) return false;
    fer_str name = fer_val_str(tag);
    const yyjson_val *member = fer_val_key(u->value, name);
    fer_str *allowed = fer_arena_alloc(t->arena, TAGS_MAX * sizeof *allowed);
    fer_violation *v = member ? fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, member + 1)
                              : fer_tell_absent(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, name);
    if (!v || !allowed) {
        t->no_memory |= !allowed;
        return v != NULL;
    }
    size_t found = 0;
    for (size_t n = 0; n < count; n++) {
        found += add_tag_values(t, allowed + found, TAGS_MAX - found, nodes[n], name);
    }
    fer_tell_values(t, v, member ? member + 1 : NULL, allowed, found,
                    "selects the alternative and must be");
    return true;
}

/* ---- alternatives in words
 * -------------------------------------------------------------------------- */

/* What an object must have; tags with their values. */
static void add_required(fer_teller *t, fer_buf *b, const yyjson_val *schema,
                         const yyjson_val *required)
{
    const yyjson_val *properties = fer_val_get(schema, "properties");
    size_t n = 0;
    fer_buf_add_text(b, "an object with ");
    FER_EACH_ITEM (required, item) {
        if (!fer_is_str(item) || n == 6) continue;
        fer_buf_printf(b, "%s`%.*s`", n++ ? ", " : "",
                       FER_PRI(fer_str_head(fer_val_str(item), 60)));
        const yyjson_val *key =
            fer_is_obj(properties) ? fer_val_key(properties, fer_val_str(item)) : NULL;
        const yyjson_val *tag = key && fer_is_obj(key + 1) ? fer_val_get(key + 1, "const") : NULL;
        if (tag) fer_buf_printf(b, " %.*s", FER_PRI(fer_say_json(t, tag, 60)));
    }
    if (fer_val_len(required) > 6) fer_buf_add_text(b, " and more");
}

static void add_words(fer_teller *t, fer_buf *b, const yyjson_val *schema)
{
    const yyjson_val *title = fer_is_obj(schema) ? fer_val_get(schema, "title") : NULL;
    const yyjson_val *type = fer_is_obj(schema) ? fer_val_get(schema, "type") : NULL;
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    fer_str simple = fer_say_simply(t, schema);
    if (fer_is_str(title)) {
        fer_buf_printf(b, "\"%.*s\"", FER_PRI(fer_str_head(fer_val_str(title), 60)));
    } else if (fer_is_arr(required) && fer_val_len(required)) {
        add_required(t, b, schema, required);
    } else if (simple.len) {
        fer_buf_add(b, simple);
    } else if (fer_is_str(type)) {
        fer_str name = fer_val_str(type);
        const yyjson_val *items = fer_val_get(schema, "items");
        const yyjson_val *of = fer_is_obj(items) ? fer_val_get(items, "type") : NULL;
        fer_buf_add(b, fer_say_types(t, &name, 1));
        if (fer_is_str(of)) fer_buf_printf(b, " of %.*ss", FER_PRI(fer_val_str(of)));
    } else {
        fer_buf_add(b, fer_say_json(t, schema, 80));
    }
}

fer_str fer_branch_in_words(fer_teller *t, const fer_node *node)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, 1024);
    add_words(t, &b, fer_behind_refs(node)->schema);
    t->no_memory |= b.arena_failed;
    return b.failure || !b.ptr ? FER_STR("...") : fer_buf_view(&b);
}

fer_str fer_branches_in_words(fer_teller *t, const fer_node *const *nodes, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, 1500);
    for (size_t n = 0; n < count && n < 8; n++) {
        if (n) fer_buf_add_text(&b, "; ");
        add_words(t, &b, fer_behind_refs(nodes[n])->schema);
    }
    if (count > 8) fer_buf_printf(&b, "; and %zu more", count - 8);
    fer_buf_add_char(&b, '.');
    t->no_memory |= b.arena_failed;
    return b.ptr && !b.arena_failed ? fer_str_head(fer_buf_view(&b), b.len) : FER_STR("");
}
