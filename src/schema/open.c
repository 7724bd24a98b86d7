/* SPDX-License-Identifier: Apache-2.0 */
/* A schema as a tolerant reader takes it: closed objects are open. */
#include "buf.h"
#include "edits.h"
#include "errors.h"
#include "json_write.h"
#include "keyword.h"
#include "library.h"

struct opening {
    fer_arena *arena;
    const struct fer_rules *rules;
    fer_edits edits;
    const yyjson_val **todo; /* subschemas that wait */
    size_t count, cap;
    bool no_memory;
};

static bool wait_for(void *context, const yyjson_val *subschema)
{
    struct opening *o = context;
    const yyjson_val **todo =
        fer_arena_room(o->arena, (void *)(uintptr_t)o->todo, o->count, &o->cap, sizeof *todo);
    o->no_memory |= !todo;
    if (!todo) return false;
    o->todo = todo;
    todo[o->count++] = subschema;
    return true;
}

static void edit(struct opening *o, fer_edit e)
{
    o->no_memory |= !fer_edits_add(o->arena, &o->edits, &e);
}

/* `oneOf` becomes `anyOf`: alternatives that are open may overlap. What is in it is opened first.
 */
static void loosen_one(struct opening *o, const yyjson_val *schema, const yyjson_val *key)
{
    if (fer_val_get(schema, "anyOf")) return;
    edit(o, (fer_edit){.kind = FER_EDIT_REPLACE, .at = key, .json = FER_STR("\"anyOf\"")});
}

static void open_member(struct opening *o, const yyjson_val *schema, const yyjson_val *key)
{
    const fer_keyword *k = fer_keyword_find(o->rules, fer_val_str(key));
    const yyjson_val *value = key + 1;
    if (!k || k->slot == KW_NOT || k->slot == KW_IF) return;
    bool closes = k->slot == KW_ADDITIONAL_PROPERTIES || k->slot == KW_UNEVALUATED_PROPERTIES;
    if (closes && fer_is_bool(value) && !fer_is_true(value)) {
        edit(o, (fer_edit){.kind = FER_EDIT_REMOVE, .at = key});
        return;
    }
    if (k->slot == KW_ONE_OF) loosen_one(o, schema, key);
    if (k->form >= FER_FORM_SCHEMA) fer_subschemas(k, value, wait_for, o);
}

static const struct fer_rules *rules_of(const yyjson_val *schema, fer_dialect dialect)
{
    const yyjson_val *uri = fer_is_obj(schema) ? fer_val_get(schema, "$schema") : NULL;
    if (fer_is_str(uri)) fer_dialect_find(fer_val_str(uri), &dialect);
    return fer_rules_of(dialect ? dialect : FER_DIALECT_2020_12);
}

fer_code fer_schema_open(fer_arena *a, const fer_json *doc, const yyjson_val *value,
                         fer_dialect dialect, fer_str *out, fer_err *err)
{
    if (!value) value = fer_json_root(doc);
    struct opening o = {.arena = a, .rules = rules_of(value, dialect)};
    wait_for(&o, value);
    while (o.count && !o.no_memory) {
        const yyjson_val *schema = o.todo[--o.count];
        if (!fer_is_obj(schema)) continue;
        FER_EACH_MEMBER (schema, key) open_member(&o, schema, key);
    }
    if (o.no_memory) return fer_arena_failed(a, err);
    fer_edits_settle(&o.edits);
    return fer_edits_write(a, value, &o.edits, out, err);
}
