/* SPDX-License-Identifier: Apache-2.0 */
/* The pass: facts about the tool, one walk over its schemas, the families in turn. */
#include "quality.h"

#include <stdarg.h>

#include "errors.h"
#include "json_value.h"
#include "name_set.h"

static const fer_quality_family *const families[] = {
    &fer_quality_naming, &fer_quality_descriptions, &fer_quality_drift,    &fer_quality_hints,
    &fer_quality_params, &fer_quality_numbers,      &fer_quality_enums,    &fer_quality_formats,
    &fer_quality_paging, &fer_quality_unions,       &fer_quality_security, &fer_quality_orders,
    &fer_quality_header, &fer_quality_hidden,
};

#define TYPES_DEPTH 3 /* alternatives inside alternatives whose types are looked at */

/* ---- findings ------------------------------------------------------------------------------- */

static fer_str pointer_of(const fer_quality *q, const yyjson_val *at)
{
    fer_buf b;
    fer_drafts *d = q->pass->drafts;
    fer_buf_init(&b, d->arena, (size_t)64 << 10);
    fer_path_write(&b, q->pass->path);
    fer_pointer_of(&b, q->tool->record, at);
    if (b.arena_failed) d->no_memory = true;
    return b.ptr && !b.failure ? fer_buf_view(&b) : FER_STR("");
}

void fer_q_tool(fer_quality *q, enum fer_quality_id rule, enum fer_field_id field,
                const char *format, ...)
{
    va_list args;
    const fer_tool *t = q->tool;
    const yyjson_val *at = t->values[field];
    if (!at) at = t->values[FER_FIELD_NAME];
    if (!at) at = t->record;
    fer_drafts *d = q->pass->drafts;
    if (d->no_memory) return;
    va_start(args, format);
    fer_str message = fer_draft_text(d->arena, format, args);
    va_end(args);
    fer_drafts_put(d, &fer_quality_rules[rule], at, pointer_of(q, at), message);
}

void fer_q_node(fer_quality *q, const fer_qnode *n, enum fer_quality_id rule, enum fer_slot slot,
                const char *format, ...)
{
    va_list args;
    fer_drafts *d = q->pass->drafts;
    const fer_subschema *s = n->schema;
    if (d->no_memory) return;
    bool keyword = slot != KW_COUNT && fer_subschema_get(s, slot);
    fer_path deeper = FER_PATH_KEY(s->path, keyword ? fer_val_str(s->keys[slot]) : FER_STR(""));
    va_start(args, format);
    fer_str message = fer_draft_text(d->arena, format, args);
    va_end(args);
    const yyjson_val *at = keyword ? s->keys[slot] + 1 : s->name ? s->name : s->value;
    fer_drafts_put(d, &fer_quality_rules[rule], at,
                   fer_path_pointer(d->arena, keyword ? &deeper : s->path), message);
}

void fer_q_hint(fer_quality *q, const char *format, ...)
{
    va_list args;
    fer_drafts *d = q->pass->drafts;
    if (d->no_memory || !d->count) return;
    va_start(args, format);
    fer_str hint = fer_draft_text(d->arena, format, args);
    va_end(args);
    d->no_memory = !hint.ptr;
    if (hint.ptr) d->list[d->count - 1].finding.hint = hint;
}

/* ---- looking --------------------------------------------------------------------------------- */

bool fer_q_ends_in(const fer_qnode *n, const fer_word_set *set)
{
    return n->words.count && fer_word_in(set, n->words.list[n->words.count - 1]);
}

bool fer_q_has_word(const fer_name_words *words, const fer_word_set *set)
{
    for (size_t i = 0; i < words->count; i++) {
        if (fer_word_in(set, words->list[i])) return true;
    }
    return false;
}

static unsigned type_bit(const yyjson_val *name)
{
    static const char *const names[] = {"string", "integer", "number", "boolean",
                                        "object", "array",   "null"};
    if (!fer_is_str(name)) return 0;
    for (unsigned i = 0; i < FER_COUNT(names); i++) {
        if (fer_word_is(fer_val_str(name), names[i])) return 1u << i;
    }
    return 0;
}

static unsigned value_bit(const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_STR: return FER_IS_STRING;
    case YYJSON_TYPE_BOOL: return FER_IS_BOOLEAN;
    case YYJSON_TYPE_OBJ: return FER_IS_OBJECT;
    case YYJSON_TYPE_ARR: return FER_IS_ARRAY;
    case YYJSON_TYPE_NULL: return FER_IS_NULL;
    default: return FER_IS_NUMBER;
    }
}

static unsigned types_of(const yyjson_val *schema, unsigned depth)
{
    static const char *const lists[] = {"anyOf", "oneOf"};
    unsigned types = 0;
    if (!fer_is_obj(schema) || depth == TYPES_DEPTH) return 0;
    const yyjson_val *type = fer_val_get(schema, "type"), *set = fer_val_get(schema, "enum");
    if (fer_is_str(type)) return type_bit(type);
    if (fer_is_arr(type)) {
        FER_EACH_ITEM (type, name) types |= type_bit(name);
        return types;
    }
    if (fer_is_arr(set)) {
        FER_EACH_ITEM (set, value) types |= value_bit(value);
        return types;
    }
    for (size_t i = 0; i < FER_COUNT(lists); i++) {
        const yyjson_val *list = fer_val_get(schema, lists[i]);
        if (!fer_is_arr(list)) continue;
        FER_EACH_ITEM (list, branch) types |= types_of(branch, depth + 1);
    }
    return types;
}

unsigned fer_q_types(const yyjson_val *schema)
{
    return types_of(schema, 0);
}

/* The same of a subschema whose keywords are known already. */
static unsigned node_types(const fer_subschema *s)
{
    const uint64_t others = FER_SLOT(KW_ENUM) | FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF);
    const yyjson_val *type = fer_subschema_get(s, KW_TYPE);
    if (fer_is_str(type)) return type_bit(type);
    return type || s->slots & others ? fer_q_types(s->value) : 0;
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct walk {
    fer_quality *q;
    unsigned nesting[FER_SUBSCHEMA_DEPTH];      /* by depth */
    fer_name_set required[FER_SUBSCHEMA_DEPTH]; /* the same, where there are properties */
};

static void learn_required(const fer_quality *q, fer_name_set *set, const yyjson_val *required)
{
    bool good = fer_name_set_init(set, q->pass->scratch, fer_is_arr(required) ? required : NULL);
    if (!good) q->pass->drafts->no_memory = true;
}

static unsigned nest(struct walk *w, const fer_subschema *s, unsigned types)
{
    bool apart = s->via == KW_DEFS || s->via == KW_DEFINITIONS;
    bool container = (types & (FER_IS_OBJECT | FER_IS_ARRAY)) ||
                     (s->slots & (FER_SLOT(KW_PROPERTIES) | FER_SLOT(KW_ITEMS)));
    unsigned around = s->up && !apart ? w->nesting[s->depth - 1] : 0;
    return w->nesting[s->depth] = around + container;
}

static bool enter(void *context, const fer_subschema *s)
{
    struct walk *w = context;
    fer_qnode n = {.schema = s};
    if (!fer_is_obj(s->value)) return false;
    n.types = node_types(s);
    n.nesting = nest(w, s, n.types);
    n.param = s->via == KW_PROPERTIES;
    if (s->slots & FER_SLOT(KW_PROPERTIES))
        learn_required(w->q, &w->required[s->depth], fer_subschema_get(s, KW_REQUIRED));
    if (n.param) {
        n.name = fer_val_str(s->name);
        n.required = fer_name_set_has(&w->required[s->depth - 1], n.name);
        fer_words_split(&n.words, n.name);
    }
    const yyjson_val *text = fer_subschema_get(s, KW_DESCRIPTION);
    if (fer_is_str(text)) fer_prose_read(&n.prose, fer_val_str(text));
    for (size_t i = 0; i < FER_COUNT(families); i++) {
        if (families[i]->node) families[i]->node(w->q, &n);
    }
    return true;
}

/* The path of a schema: under its key, or (Bedrock) one key further down. */
static void walk_schema(fer_quality *q, const yyjson_val *schema)
{
    struct walk w;
    const yyjson_val *record = q->tool->record, *outer = NULL, *inner = NULL;
    if (!fer_is_obj(schema)) return;
    FER_EACH_MEMBER (record, key) {
        if (schema > key && schema < fer_val_next(key + 1)) outer = key;
    }
    if (!outer) return;
    if (outer + 1 != schema && fer_is_obj(outer + 1)) {
        FER_EACH_MEMBER (outer + 1, key) {
            if (key + 1 == schema) inner = key;
        }
    }
    fer_path up = FER_PATH_KEY(q->pass->path, fer_val_str(outer));
    fer_path down = FER_PATH_KEY(&up, inner ? fer_val_str(inner) : FER_STR(""));
    w.q = q;
    fer_subschemas_walk(schema, inner ? &down : &up, enter, NULL, &w);
}

static void learn(fer_quality *q, const fer_pass_tool *p)
{
    const yyjson_val *name = p->tool->values[FER_FIELD_NAME],
                     *text = p->tool->values[FER_FIELD_DESCRIPTION];
    *q = (fer_quality){.pass = p, .tool = p->tool};
    if (name) q->name = fer_val_str(name);
    fer_words_split(&q->words, q->name);
    q->verb = fer_verb_of(&q->words, &q->verb_at);
    if (text) fer_prose_read(&q->description, fer_val_str(text));
    const yyjson_val *input = p->tool->values[FER_FIELD_INPUT_SCHEMA];
    const yyjson_val *properties = fer_is_obj(input) ? fer_val_get(input, "properties") : NULL;
    if (!fer_is_obj(properties)) return;
    fer_name_set required;
    learn_required(q, &required, fer_val_get(input, "required"));
    q->properties = fer_val_len(properties);
    FER_EACH_MEMBER (properties, key) q->required += fer_name_set_has(&required, fer_val_str(key));
}

static void look_at_tool(fer_pass_tool *p)
{
    fer_quality q;
    learn(&q, p);
    for (size_t i = 0; i < FER_COUNT(families); i++) {
        if (families[i]->tool) families[i]->tool(&q);
    }
    walk_schema(&q, p->tool->values[FER_FIELD_INPUT_SCHEMA]);
    q.output = true;
    walk_schema(&q, p->tool->values[FER_FIELD_OUTPUT_SCHEMA]);
    q.output = false;
    for (size_t i = 0; i < FER_COUNT(families); i++) {
        if (families[i]->done) families[i]->done(&q);
    }
    fer_quality_note(&q);
}

/* A set that nobody set up checks for is looked at by the rules of the record alone. */
static bool is_wanted(const fer_checks *checks)
{
    return checks && !checks->no_quality;
}

const fer_pass fer_pass_quality = {"quality", is_wanted, look_at_tool, fer_quality_set};
