/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes that definitions are sent in, one row each, and writing them. */
#include "errors.h"
#include "json_doc.h"
#include "look.h"
#include "rewrite.h"

static const fer_wire rows[] = {
    {.name = "openai", .around = "function", .type = "function", .schema = "parameters"},
    {.name = "openai-responses", .type = "function", .schema = "parameters"},
    {.name = "anthropic", .schema = "input_schema"},
    {.name = "function", .schema = "parameters"},
    {.name = "gemini", .schema = "parameters", .list = "functionDeclarations", .no_empty = true},
    {.name = "gemini-json", .schema = "parametersJsonSchema", .list = "functionDeclarations"},
    {.name = "bedrock", .around = "toolSpec", .schema = "inputSchema", .inside = "json"},
    {.name = "mcp", .schema = "inputSchema", .output = "outputSchema", .record = true},
};

const fer_wire *fer_wire_find(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (fer_str_is(name, rows[i].name)) return &rows[i];
    }
    return NULL;
}

const fer_wire *fer_wire_of(const fer_profile *p)
{
    const fer_wire *w = p->wire.len ? fer_wire_find(p->wire) : NULL;
    for (size_t i = 0; !w && i < p->shapes.count; i++) w = fer_wire_find(p->shapes.list[i]);
    return w ? w : fer_wire_find(FER_STR("mcp"));
}

/* ---- the schema ------------------------------------------------------------------------- */

/* OpenAPI 3.0 says nullable, and its enums do not list null. */
static void say_nullable(void *context, yyjson_mut_val *node, const fer_step *step)
{
    fer_rw *c = context;
    unsigned types = fer_rw_types(node), rest = types & ~(unsigned)FER_IS_NULL;
    yyjson_mut_val *list = fer_mut_get(node, "enum");
    size_t index = 0, null = SIZE_MAX;
    (void)step;
    if (!(types & FER_IS_NULL) || !rest || rest & (rest - 1)) return;
    fer_rw_set_types(c, node, rest);
    fer_mut_set(&c->tree, node, "nullable", fer_tree_bool(&c->tree, true));
    FER_EACH_MUT_ITEM(list, item)
    {
        if (fer_mut_is_null(item)) null = index;
        index++;
    }
    if (null != SIZE_MAX) fer_mut_drop_item(list, null);
}

static yyjson_mut_val *wire_schema(fer_rw *c)
{
    yyjson_mut_val *copy = fer_mut_copy(&c->tree, c->root);
    if (!copy) return NULL;
    fer_mut_unmark(copy);
    if (c->nullable) fer_schemas_each(copy, false, say_nullable, c);
    return copy;
}

static bool is_empty(const yyjson_mut_val *schema)
{
    return !fer_mut_len(fer_mut_get(schema, "properties")) && fer_rw_types(schema) == FER_IS_OBJECT;
}

/* ---- fields ----------------------------------------------------------------------------- */

/* Whether a field of the record goes under its own key; on MCP's wire only. */
static bool has_place(const fer_rw *c, const fer_field *field)
{
    const struct fer_profile_row *row = &c->profile->rows[FER_PR_TOOL_KEYS];
    if (!(field->flags & FER_F_MCP)) return false;
    return !row->on || fer_words_have(&row->words, fer_str_of(field->key));
}

static bool is_usual(enum fer_field_id id)
{
    return id == FER_FIELD_NAME || id == FER_FIELD_DESCRIPTION || id == FER_FIELD_INPUT_SCHEMA;
}

/* A copy of the output schema; a root that is no object goes under "result" where it must. */
static yyjson_mut_val *output_schema(fer_rw *c, const yyjson_val *value)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *copy = fer_tree_copy(t, value), *outer, *properties, *required;
    bool refs = false;
    if (!copy || !fer_rw_refuses(c, FER_PR_OUTPUT_ROOT)) return copy;
    if (fer_mut_is_text(fer_mut_get(copy, "type"), "object")) return copy;
    for (const yyjson_val *v = value, *end = fer_val_next(value); v < end; v++)
        refs = refs || (fer_is_str(v) && fer_str_is(fer_val_str(v), "$ref"));
    if (refs) return NULL;
    outer = fer_tree_object(t);
    properties = fer_tree_object(t);
    required = fer_tree_array(t);
    fer_mut_set_text(t, outer, "type", "object");
    fer_tree_put(t, properties, FER_STR("result"), copy);
    fer_tree_put(t, outer, FER_STR("properties"), properties);
    fer_tree_add(t, required, fer_tree_text(t, FER_STR("result")));
    fer_tree_put(t, outer, FER_STR("required"), required);
    return outer;
}

/* Ferrule's own fields travel under _meta.ferrule, where reading finds them again. */
static void put_meta(fer_rw *c, yyjson_mut_val *record)
{
    fer_tree *t = &c->tree;
    const yyjson_val *meta = c->tool->values[FER_FIELD_META];
    yyjson_mut_val *copy = meta && fer_is_obj(meta) ? fer_tree_copy(t, meta) : fer_tree_object(t),
                   *own;
    own = fer_mut_get(copy, "ferrule");
    if (!own || !fer_mut_is_obj(own)) own = fer_tree_object(t);
    else own = fer_mut_copy(t, own);
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        const yyjson_val *value = c->tool->values[i];
        if (!value || fer_fields[i].flags & FER_F_MCP) continue;
        fer_mut_set(t, own, fer_fields[i].key, fer_tree_copy(t, value));
    }
    if (fer_mut_len(own)) fer_mut_set(t, copy, "ferrule", own);
    if (fer_mut_len(copy)) fer_mut_set(t, record, "_meta", copy);
}

static void put_fields(fer_rw *c, yyjson_mut_val *record)
{
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        const yyjson_val *value = c->tool->values[i];
        if (!value || is_usual((enum fer_field_id)i) || i == FER_FIELD_META) continue;
        if (!has_place(c, &fer_fields[i])) continue;
        yyjson_mut_val *copy =
            i == FER_FIELD_OUTPUT_SCHEMA ? output_schema(c, value) : fer_tree_copy(&c->tree, value);
        if (copy) fer_mut_set(&c->tree, record, fer_fields[i].key, copy);
    }
    if (has_place(c, &fer_fields[FER_FIELD_META])) put_meta(c, record);
}

fer_code fer_wire_write(fer_rw *c, fer_str *out, fer_err *err)
{
    fer_tree *t = &c->tree;
    const fer_wire *w = c->wire;
    yyjson_mut_val *record = fer_tree_object(t), *schema = wire_schema(c), *entry = record;
    if (!schema || !record) return fer_arena_failed(c->arena, err);
    if (w->type && !w->around) fer_mut_set_text(t, record, "type", w->type);
    fer_mut_set(t, record, "name", fer_tree_text(t, c->name));
    if (c->description.ptr) fer_mut_set(t, record, "description", fer_tree_text(t, c->description));
    if (c->profile->strict) fer_mut_set(t, record, "strict", fer_tree_bool(t, true));
    if (!w->no_empty || !is_empty(schema)) {
        if (w->inside) {
            yyjson_mut_val *box = fer_tree_object(t);
            fer_mut_set(t, box, w->inside, schema);
            schema = box;
        }
        fer_mut_set(t, record, w->schema, schema);
    }
    if (w->record) put_fields(c, record);
    if (w->around) {
        entry = fer_tree_object(t);
        if (w->type) fer_mut_set_text(t, entry, "type", w->type);
        fer_mut_set(t, entry, w->around, record);
    }
    return fer_tree_write(t, entry, out, err);
}

/* ---- what has no place ------------------------------------------------------------------ */

static void note_lost(fer_rw *c, enum fer_field_id id, bool meta)
{
    bool output = id == FER_FIELD_OUTPUT_SCHEMA, kept = c->options->keeps_map;
    c->pointer = fer_arena_printf(c->arena, "/%s", fer_fields[id].key);
    if (meta) return;
    fer_rw_note(c, output ? FER_R29 : FER_R30, kept ? FER_LOSS_DOCS : FER_LOSS_DESTRUCTIVE, NULL,
                "%s has no place in the provider's definition%s", fer_fields[id].key,
                kept ? "; the map keeps it" : "; keep a map (--map), or say --force");
}

/* The result of a tool whose output schema had to be wrapped is wrapped, too. */
static void note_wrapped(fer_rw *c, const yyjson_val *value)
{
    const yyjson_val *type = fer_val_get(value, "type");
    if (!fer_rw_refuses(c, FER_PR_OUTPUT_ROOT) ||
        (fer_is_str(type) && fer_str_is(fer_val_str(type), "object")))
        return;
    c->pointer = FER_STR("/outputSchema");
    if (output_schema(c, value))
        fer_rw_note(c, FER_R29, FER_LOSS_ADAPTER, "wrap-result",
                    "the root of an output schema must be an object");
    else note_lost(c, FER_FIELD_OUTPUT_SCHEMA, false);
}

/* Unknown keys of the record. */
static void note_unknown(fer_rw *c)
{
    bool kept = c->options->keeps_map;
    FER_EACH_MEMBER (c->tool->record, key) {
        fer_str name = fer_val_str(key);
        if (fer_shape_field(c->tool->shape, name) != FER_FIELD_COUNT) continue;
        if (fer_str_is(name, "type") || fer_str_is(name, "strict")) continue;
        c->pointer = fer_arena_printf(c->arena, "/%.*s", FER_PRI(fer_str_head(name, 100)));
        fer_rw_note(c, FER_R30, kept ? FER_LOSS_DOCS : FER_LOSS_DESTRUCTIVE, NULL,
                    "the key has no place in the provider's definition");
    }
}

fer_code fer_wire_note_lost(fer_rw *c, fer_err *err)
{
    bool before = c->rewritten;
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        const yyjson_val *value = c->tool->values[i];
        if (!value || is_usual((enum fer_field_id)i)) continue;
        bool meta = c->wire->record && has_place(c, &fer_fields[FER_FIELD_META]);
        bool mcp = fer_fields[i].flags & FER_F_MCP;
        if (!c->wire->record || (mcp && !has_place(c, &fer_fields[i])) || (!mcp && !meta)) {
            /* The namespace of a name that has it inside is not lost. */
            if (i != FER_FIELD_NAMESPACE || c->wire->record)
                note_lost(c, (enum fer_field_id)i, false);
        } else if (i == FER_FIELD_OUTPUT_SCHEMA) {
            note_wrapped(c, value);
        }
    }
    note_unknown(c);
    c->rewritten = before; /* the schema is as it was */
    return c->tree.failed ? fer_arena_failed(c->arena, err) : FER_OK;
}
