/* SPDX-License-Identifier: Apache-2.0 */
/* R01: what only people read; R02: dialects; R18: true and false; R26: descriptions. */
#include "look.h"
#include "rewrite.h"
#include "unicode.h"

/* ---- R01 -------------------------------------------------------------------------------- */

bool fer_fix_drop(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    fer_str key = s->keyword;
    if (!key.ptr || !fer_mut_find(node, key)) return false;
    bool told =
        fer_str_is(key, "examples") || fer_str_is(key, "example") || fer_str_is(key, "title");
    fer_mut_drop_name(node, key);
    fer_rw_note(c, FER_R01, told ? FER_LOSS_DOCS : FER_LOSS_SAME, NULL, "%.*s",
                FER_PRI(c->finding->message));
    return true;
}

/* ---- R02 -------------------------------------------------------------------------------- */

static void lower_type(fer_rw *c, yyjson_mut_val *word)
{
    for (unsigned i = 0; fer_mut_is_str(word) && i < FER_COUNT(fer_type_names); i++) {
        if (!fer_str_eq_nocase(fer_mut_str(word), fer_str_of(fer_type_names[i]))) continue;
        fer_mut_become(word, fer_tree_text(&c->tree, fer_str_of(fer_type_names[i])));
        return;
    }
}

/* A node of OpenAPI 3.0: types in capitals, nullable. */
static void from_openapi(void *context, yyjson_mut_val *node, const fer_step *step)
{
    fer_rw *c = context;
    yyjson_mut_val *type = fer_mut_get(node, "type");
    (void)step;
    if (!fer_mut_is_obj(node) || c->tree.failed) return;
    if (type && fer_mut_is_str(type)) lower_type(c, type);
    FER_EACH_MUT_ITEM(type, word) lower_type(c, word);
    yyjson_mut_val *nullable = fer_mut_get(node, "nullable");
    bool yes = nullable && fer_mut_is_true(nullable);
    fer_mut_drop(node, "nullable");
    if (yes && !fer_rw_takes_null(c, node, 0)) fer_rw_add_null(c, node);
}

static bool is_openapi(const fer_rw *c)
{
    return c->tool->shape == FER_SHAPE_GEMINI || c->tool->shape == FER_SHAPE_FUNCTION;
}

/* Whether a schema has something that only an older dialect has. */
struct older {
    bool found;
};
static void look_older(void *context, yyjson_mut_val *node, const fer_step *step)
{
    static const char *const words[] = {"definitions", "additionalItems", "dependencies", "id",
                                        "$recursiveRef"};
    struct older *o = context;
    const yyjson_mut_val *items = fer_mut_get(node, "items");
    (void)step;
    for (size_t i = 0; i < FER_COUNT(words); i++) o->found |= fer_mut_get(node, words[i]) != NULL;
    o->found |= items && fer_mut_is_arr(items);
}

/* The dialect that the schema claims; the newest where it claims none. */
static fer_dialect claimed(const fer_rw *c)
{
    fer_dialect d = FER_DIALECT_2020_12;
    const yyjson_mut_val *uri = fer_mut_get(c->root, "$schema");
    if (uri && fer_mut_is_str(uri)) fer_dialect_find(fer_mut_str(uri), &d);
    return d == FER_DIALECT_DEFAULT ? FER_DIALECT_2020_12 : d;
}

static bool read_root(fer_rw *c, fer_str text)
{
    fer_json *doc;
    fer_err err;
    if (fer_json_read(c->arena, text, fer_json_limits_file(), &doc, &err))
        return fer_rw_refuse(c, "the schema cannot be read: %s", err.message);
    yyjson_mut_val *root = fer_tree_copy(&c->tree, fer_json_root(doc));
    if (!root) return false;
    c->root = root;
    return true;
}

static bool convert_dialect(fer_rw *c, fer_dialect from)
{
    fer_schema_change *changes = NULL;
    size_t count = 0;
    fer_json *doc;
    fer_err err;
    fer_str text = fer_mut_write(&c->tree, c->root), made;
    fer_code code = text.ptr ? fer_json_read(c->arena, text, fer_json_limits_file(), &doc, &err)
                             : FER_OUT_OF_MEMORY;
    if (!code)
        code = fer_schema_convert(c->arena, doc, from, FER_DIALECT_2020_12, &made, &changes, &count,
                                  &err);
    if (code == FER_OUT_OF_MEMORY) c->tree.failed = true;
    if (code) return fer_rw_refuse(c, "the schema is not valid: %s", err.message);
    for (size_t i = 0; i < count; i++) {
        /* What a format means is nobody's verdict here. */
        bool format = memmem(changes[i].message.ptr, changes[i].message.len, " format ", 8);
        if (changes[i].lost && !format)
            return fer_rw_refuse(c, "the schema cannot be written in 2020-12: %.*s",
                                 FER_PRI(changes[i].message));
    }
    return read_root(c, made);
}

void fer_rw_read_openapi(fer_rw *c)
{
    if (is_openapi(c)) fer_schemas_each(c->root, true, from_openapi, c);
}

bool fer_rw_normalise(fer_rw *c)
{
    struct older old = {false};
    fer_dialect from = claimed(c);
    fer_schemas_each(c->root, false, look_older, &old);
    if (from != FER_DIALECT_2020_12 || old.found) {
        if (!convert_dialect(c, from)) return false;
        fer_rw_note(c, FER_R02, FER_LOSS_SAME, NULL, "the schema was written in %s",
                    from == FER_DIALECT_2020_12 ? "a mixture of dialects" : fer_dialect_name(from));
    }
    return fer_rw_hoist(c);
}

/* By now the schema is 2020-12; what remains is to say so. */
bool fer_fix_dialect(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *uri = fer_mut_get(c->root, "$schema");
    (void)s;
    if (!uri || fer_mut_is_text(uri, fer_dialect_uri(FER_DIALECT_2020_12))) return false;
    fer_mut_set_text(&c->tree, c->root, "$schema", fer_dialect_uri(FER_DIALECT_2020_12));
    fer_rw_note(c, FER_R02, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- R18 -------------------------------------------------------------------------------- */

/* A schema that nothing fits, in words that every dialect has. */
static void become_never(fer_rw *c, yyjson_mut_val *node)
{
    yyjson_mut_val *object = fer_tree_object(&c->tree), *not = fer_tree_object(&c->tree);
    fer_tree_put(&c->tree, object, FER_STR("not"), not );
    if (!c->tree.failed) fer_mut_become(node, object);
}

static bool false_property(fer_rw *c, fer_spot *s)
{
    fer_step *last = fer_spot_last(s);
    yyjson_mut_val *up = s->steps[s->count - 2].node,
                   *more = fer_mut_get(up, "additionalProperties");
    bool closed = more && fer_mut_is_false(more);
    bool map = (more && fer_mut_is_obj(more)) || fer_mut_get(up, "patternProperties") ||
               fer_mut_get(up, "allOf") || fer_mut_get(up, "anyOf") || fer_mut_get(up, "oneOf");
    if (!closed && (map || !fer_rw_refuses(c, FER_PR_OBJECT_CLOSED))) return false;
    if (fer_mut_lists(fer_mut_get(up, "required"), last->name)) return false;
    fer_mut_drop_name(fer_mut_get(up, "properties"), last->name);
    if (!closed) {
        fer_rw_declare_required(c, up);
        fer_mut_set(&c->tree, up, "additionalProperties", fer_tree_bool(&c->tree, false));
        fer_rw_note(c, FER_R10, FER_LOSS_NARROWER, NULL, "a property may not be there at all");
    }
    fer_rw_note(c, FER_R18, FER_LOSS_SAME, NULL,
                "no value is valid here, and the object is closed");
    return true;
}

bool fer_fix_boolean(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *empty;
    fer_step *last = fer_spot_last(s);
    if (!fer_mut_is_bool(node)) return false;
    if (fer_mut_is_true(node)) {
        empty = fer_tree_object(&c->tree);
        if (empty) fer_mut_become(node, empty);
        fer_rw_note(c, FER_R18, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    if (fer_str_is(last->via, "properties") && false_property(c, s)) return true;
    if (fer_str_is(last->via, "items") && s->count > 1) {
        yyjson_mut_val *up = s->steps[s->count - 2].node, *prefix = fer_mut_get(up, "prefixItems");
        fer_mut_drop(up, "items");
        fer_mut_set(&c->tree, up, "maxItems", yyjson_mut_uint(c->tree.doc, fer_mut_len(prefix)));
        fer_rw_note(c, FER_R18, FER_LOSS_SAME, NULL, "no further item is valid here");
        return true;
    }
    become_never(c, node);
    fer_rw_note(c, FER_R18, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- R26 -------------------------------------------------------------------------------- */

/* The longest run of whole sentences that has at most `max` characters, else of characters. */
static fer_str cut(fer_str text, size_t max)
{
    size_t at = 0, end = 0, sentence = 0;
    for (size_t count = 0; at < text.len && count < max; count++) {
        size_t step = fer_utf8_len(text, at);
        at += step ? step : 1;
        end = at;
        bool stop = at < text.len && text.ptr[at - 1] == '.' && text.ptr[at] == ' ';
        if (stop) sentence = at;
    }
    return fer_str_slice(text, 0, sentence * 2 > end ? sentence : end);
}

bool fer_fix_description(fer_rw *c, fer_spot *s)
{
    const struct fer_profile_row *row = &c->profile->rows[FER_PR_DESCRIPTION_LENGTH];
    size_t before = fer_utf8_count(c->description);
    (void)s;
    if (!c->description.ptr) return false;
    if (!c->description.len) {
        c->description = FER_STR_NONE;
        fer_rw_note(c, FER_R26, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    if (before <= row->max) return false;
    c->description = cut(c->description, (size_t)row->max);
    fer_rw_note(c, FER_R26, FER_LOSS_DOCS, NULL, "%.*s; %zu characters were cut",
                FER_PRI(c->finding->message), before - fer_utf8_count(c->description));
    return true;
}
