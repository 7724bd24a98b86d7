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
    size_t failures;
    fer_str tag; /* one of the right ones */
};

/* ---- schemas of an alternative -------------------------------------------------------------- */

/* The node behind plain references. */
static const fer_node *behind_refs(const fer_node *node)
{
    for (size_t hops = 0; hops < 32 && node->count == 1; hops++) {
        if (strcmp(node->insts[0].op->name, "$ref") != 0) break;
        node = node->insts[0].node;
    }
    return node;
}

/* The schema of a property that const or enum tie to some strings; NULL: none. */
static const yyjson_val *tag_schema(const yyjson_val *schema, const yyjson_val **values)
{
    if (!fer_is_obj(schema)) return NULL;
    *values = fer_val_get(schema, "const");
    if (fer_is_str(*values)) return schema;
    *values = fer_val_get(schema, "enum");
    if (!fer_is_arr(*values) || !fer_val_len(*values)) return NULL;
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
static void rate_tags(struct rating *r, const fer_node *node, const yyjson_val *object)
{
    const yyjson_val *schema = behind_refs(node)->schema;
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!fer_is_obj(properties) || !fer_is_obj(object)) return;
    FER_EACH_MEMBER (properties, key) {
        const yyjson_val *values;
        const yyjson_val *member = fer_val_key(object, fer_val_str(key));
        if (!member || !tag_schema(key + 1, &values)) continue;
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
        if (!t->look_left) break;
        t->look_left--;
        if (u->valid || u->keyword == KW_IF) continue;
        bool own = u->value == top->value;
        if (own && fails_by(u, "type")) r.wrong_type = true;
        if (own) rate_tags(&r, u->node, u->value);
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
    if (x->failures != y->failures) return x->failures < y->failures ? 1 : -1;
    return 0;
}

const fer_unit *fer_branch_meant(fer_teller *t, const fer_unit *u, const fer_inst *i,
                                 const char **why)
{
    struct rating best = {0};
    bool tie = false;
    size_t typed = 0, count = 0;
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (&u->node->insts[b->by] != i || b->valid) continue;
        struct rating r = rate(t, b);
        if (!t->look_left) return NULL;
        count++;
        typed += !r.wrong_type;
        int order = best.unit ? nearer(&r, &best) : 1;
        if (order > 0) {
            best = r;
            tie = false;
        } else if (order == 0) {
            tie = true;
        }
    }
    if (!best.unit || (count > 1 && (best.wrong_type || tie || best.wrong_tags))) return NULL;
    if (best.right_tags) {
        fer_str said = fer_say(t, "chosen by `%.*s`", FER_PRI(best.tag));
        *why = said.ptr;
    } else {
        *why = typed == 1 ? "the one of this type" : "the nearest";
    }
    return best.unit;
}

/* ---- no alternative fits the tag ----------------------------------------------------------------
 */

/* A property that every alternative of objects ties to strings, none of them the value's. */
static const yyjson_val *common_tag(fer_teller *t, const fer_node *const *nodes, size_t count)
{
    const yyjson_val *first = NULL;
    for (size_t n = 0; n < count && !first; n++) {
        const yyjson_val *schema = behind_refs(nodes[n])->schema;
        const yyjson_val *properties =
            fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
        if (!fer_is_obj(properties)) return NULL;
        FER_EACH_MEMBER (properties, key) {
            const yyjson_val *values;
            bool all = tag_schema(key + 1, &values) != NULL;
            for (size_t m = 0; m < count && all; m++) {
                if (!t->look_left) return NULL;
                t->look_left--;
                const yyjson_val *other = behind_refs(nodes[m])->schema;
                other = fer_is_obj(other) ? fer_val_get(other, "properties") : NULL;
                other = fer_is_obj(other) ? fer_val_key(other, fer_val_str(key)) : NULL;
                all = other && tag_schema(other + 1, &values);
            }
            if (all) return key;
        }
        return NULL;
    }
    return first;
}

static size_t add_tag_values(fer_teller *t, fer_str *out, size_t max, const fer_node *node,
                             fer_str tag)
{
    const yyjson_val *properties = fer_val_get(behind_refs(node)->schema, "properties");
    const yyjson_val *key = fer_val_key(properties, tag), *values;
    size_t count = 0;
    if (!tag_schema(key + 1, &values)) return 0;
    if (fer_is_str(values)) {
        if (max) out[count++] = fer_say_json(t, values, 200);
        return count;
    }
    FER_EACH_ITEM (values, item) {
        if (count < max) out[count++] = fer_say_json(t, item, 200);
    }
    return count;
}

static void near_tag(fer_teller *t, fer_violation *v, const yyjson_val *value)
{
    fer_near near;
    if (!fer_is_str(value)) return;
    fer_near_init(&near, fer_val_str(value));
    for (size_t n = 0; n < v->allowed_count; n++) {
        fer_tell_near(t, &near, fer_str_slice(v->allowed[n], 1, v->allowed[n].len - 1));
    }
    if (near.best.ptr) v->did_you_mean = fer_say(t, "%.*s", FER_PRI(near.best));
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
    for (size_t n = 0; n < count; n++) {
        v->allowed_count += add_tag_values(t, allowed + v->allowed_count,
                                           TAGS_MAX - v->allowed_count, nodes[n], name);
    }
    v->allowed = allowed;
    fer_buf list;
    fer_buf_init(&list, t->arena, 2048);
    for (size_t n = 0; n < v->allowed_count && n < 30; n++) {
        fer_buf_printf(&list, "%s%.*s", n ? ", " : "", FER_PRI(v->allowed[n]));
    }
    v->expected = fer_say(t, "one of %.*s", FER_PRI(fer_buf_view(&list)));
    v->actual = member ? fer_say_value(t, v, member + 1) : FER_STR("absent");
    if (member) {
        near_tag(t, v, member + 1);
        v->message =
            fer_say(t, "%.*s selects the alternative and must be %.*s, but is %.*s.",
                    FER_PRI(fer_say_field(t, v)), FER_PRI(v->expected), FER_PRI(v->actual));
    } else {
        v->message = fer_say(t, "%.*s selects the alternative and must be %.*s, but is missing.",
                             FER_PRI(fer_say_field(t, v)), FER_PRI(v->expected));
    }
    v->hint = v->did_you_mean.len ? fer_say(t, "Did you mean \"%.*s\"?", FER_PRI(v->did_you_mean))
                                  : fer_say(t, "Set `%.*s` to one of them.", FER_PRI(name));
    return true;
}

/* ---- alternatives in words
 * -------------------------------------------------------------------------- */

static void add_words(fer_teller *t, fer_buf *b, const yyjson_val *schema)
{
    const yyjson_val *title = fer_is_obj(schema) ? fer_val_get(schema, "title") : NULL;
    const yyjson_val *type = fer_is_obj(schema) ? fer_val_get(schema, "type") : NULL;
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    if (fer_is_str(title)) {
        fer_buf_printf(b, "\"%.*s\"", FER_PRI(fer_str_head(fer_val_str(title), 60)));
    } else if (fer_is_arr(required) && fer_val_len(required)) {
        fer_buf_add_text(b, "an object with ");
        size_t n = 0;
        FER_EACH_ITEM (required, item) {
            if (fer_is_str(item) && n < 6) {
                fer_buf_printf(b, "%s`%.*s`", n ? ", " : "",
                               FER_PRI(fer_str_head(fer_val_str(item), 60)));
            }
            n++;
        }
    } else if (fer_is_str(type)) {
        bool vowel = strchr("aio", fer_val_str(type).ptr[0]) != NULL;
        const char *article = fer_str_is(fer_val_str(type), "null") ? "" : vowel ? "an " : "a ";
        fer_buf_printf(b, "%s%.*s", article, FER_PRI(fer_val_str(type)));
    } else {
        fer_buf_add(b, fer_say_json(t, schema, 80));
    }
}

fer_str fer_branches_in_words(fer_teller *t, const fer_node *const *nodes, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, 1500);
    for (size_t n = 0; n < count && n < 8; n++) {
        if (n) fer_buf_add_text(&b, "; ");
        add_words(t, &b, behind_refs(nodes[n])->schema);
    }
    if (count > 8) fer_buf_printf(&b, "; and %zu more", count - 8);
    fer_buf_add_char(&b, '.');
    return fer_str_head(fer_buf_view(&b), b.len);
}

/* ---- properties of everything in place
 * ------------------------------------------------------------- */

/* For unevaluatedProperties: names of the schema itself and of what it refers to or combines. */
static void try_names(fer_teller *t, fer_near *near, const yyjson_val *schema,
                      const yyjson_val *object)
{
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!fer_is_obj(properties)) return;
    FER_EACH_MEMBER (properties, key) {
        if (!fer_tell_near_property(t, near, object, fer_val_str(key))) return;
    }
}

fer_str fer_near_property(fer_teller *t, const fer_unit *u, fer_str name)
{
    static const char *const combining[] = {"allOf", "anyOf", "oneOf"};
    fer_near near;
    fer_near_init(&near, name);
    const yyjson_val *schema = u->node->schema;
    try_names(t, &near, schema, u->value);
    for (uint32_t n = 0; n < u->node->count; n++) {
        const fer_inst *i = &u->node->insts[n];
        if (strcmp(i->op->name, "$ref") == 0)
            try_names(t, &near, behind_refs(i->node)->schema, u->value);
    }
    for (size_t n = 0; n < FER_COUNT(combining); n++) {
        const yyjson_val *list = fer_val_get(schema, combining[n]);
        if (!fer_is_arr(list)) continue;
        FER_EACH_ITEM (list, item) try_names(t, &near, item, u->value);
    }
    return near.best.ptr ? fer_say(t, "%.*s", FER_PRI(near.best)) : FER_STR("");
}
