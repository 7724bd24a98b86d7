/* SPDX-License-Identifier: Apache-2.0 */
#include "config_page.h"

#include "buf.h"
#include "config.h"
#include "errors.h"
#include "json_value.h"
#include "map.h"
#include "sheet.h"

#define PAGE_DEPTH 16 /* sections inside each other */

typedef struct page {
    fer_out *out;
    fer_arena *arena;
    const yyjson_val *root;
    fer_map told; /* what was referred to: once is enough */
} page;

/* A keyword of a schema, or of what it refers to. */
static const yyjson_val *keyword(const page *p, const yyjson_val *schema, const char *key)
{
    const yyjson_val *own = fer_val_get(schema, key), *ref = fer_val_get(schema, "$ref");
    if (own || !fer_is_str(ref)) return own;
    fer_str pointer = fer_str_slice(fer_val_str(ref), 1, fer_val_len(ref));
    const yyjson_val *target = fer_json_at(p->root, pointer, NULL);
    return target ? fer_val_get(target, key) : NULL;
}

static void write_value(const page *p, const yyjson_val *value)
{
    fer_str text;
    fer_err err;
    if (fer_json_write(p->arena, value, false, &text, &err)) return;
    fer_out_text(p->out, "`");
    fer_out_add(p->out, text);
    fer_out_text(p->out, "`");
}

/* "a string", "one of `a`, `b`", "1 to 10". */
static void write_type(const page *p, const yyjson_val *schema)
{
    const yyjson_val *words = keyword(p, schema, "enum"), *type = keyword(p, schema, "type"),
                     *low = keyword(p, schema, "minimum"), *high = keyword(p, schema, "maximum");
    if (words) {
        FER_EACH_ITEM (words, item) {
            fer_out_text(p->out, item == words + 1 ? "" : ", ");
            write_value(p, item);
        }
        return;
    }
    if (fer_is_str(type)) fer_out_add(p->out, fer_val_str(type));
    if (low && high) {
        fer_out_text(p->out, " ");
        write_value(p, low);
        fer_out_text(p->out, " to ");
        write_value(p, high);
    }
}

static void write_row(const page *p, fer_str path, const yyjson_val *schema, bool required)
{
    const yyjson_val *text = keyword(p, schema, "description"),
                     *value = keyword(p, schema, "default"),
                     *examples = keyword(p, schema, "examples");
    fer_out_printf(p->out, "| `%.*s`%s | ", FER_PRI(path), required ? " (required)" : "");
    write_type(p, schema);
    fer_out_text(p->out, " | ");
    if (value) write_value(p, value);
    fer_out_text(p->out, " | ");
    if (text) fer_out_add(p->out, fer_val_str(text));
    if (examples) {
        fer_out_text(p->out, " Such as ");
        write_value(p, examples + 1);
        fer_out_text(p->out, ".");
    }
    fer_out_text(p->out, " |\n");
}

static bool is_required(const yyjson_val *list, fer_str name)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item)
        if (fer_str_eq(fer_val_str(item), name)) return true;
    return false;
}

static bool is_told(page *p, const yyjson_val *schema)
{
    const yyjson_val *ref = fer_val_get(schema, "$ref");
    void **slot = fer_is_str(ref) ? fer_map_put(&p->told, fer_val_str(ref)) : NULL;
    if (!slot) return false;
    bool told = *slot != NULL;
    *slot = p;
    return told;
}

/* All members below a schema, each with the path that leads to it. */
static void write_members(page *p, fer_str path, const yyjson_val *schema, unsigned depth)
{
    const yyjson_val *properties = keyword(p, schema, "properties"),
                     *required = keyword(p, schema, "required"),
                     *more = keyword(p, schema, "additionalProperties"),
                     *items = keyword(p, schema, "items");
    if (depth == PAGE_DEPTH || is_told(p, schema)) return;
    if (properties) {
        FER_EACH_MEMBER (properties, key) {
            fer_str here = fer_arena_printf(p->arena, "%.*s%s%.*s", FER_PRI(path),
                                            path.len ? "." : "", FER_PRI(fer_val_str(key)));
            write_row(p, here, key + 1, is_required(required, fer_val_str(key)));
            write_members(p, here, key + 1, depth + 1);
        }
    }
    fer_str each = fer_arena_printf(p->arena, "%.*s.NAME", FER_PRI(path));
    if (fer_is_obj(more) && keyword(p, more, "properties")) write_members(p, each, more, depth + 1);
    each = fer_arena_printf(p->arena, "%.*s[]", FER_PRI(path));
    if (fer_is_obj(items) && keyword(p, items, "properties"))
        write_members(p, each, items, depth + 1);
}

int fer_page_config(fer_app *app, const char *name)
{
    fer_err err = {0};
    fer_json *doc = NULL;
    (void)name;
    page p = {.out = &app->out, .arena = fer_arena_new(0)};
    fer_code code = p.arena ? fer_json_read(p.arena, fer_config_schema(), NULL, &doc, &err)
                            : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) {
        p.root = fer_json_root(doc);
        fer_map_init(&p.told, p.arena);
        fer_out_text(p.out, "# The configuration\n\n" FER_SHEET_MADE);
        fer_out_add(p.out, fer_val_str(fer_val_get(p.root, "description")));
        fer_out_text(p.out, " [docs/config.md](../config.md) explains it; `ferrule config schema` "
                            "prints its JSON Schema.\n\n| option | type | default | what |\n"
                            "|---|---|---|---|\n");
        write_members(&p, FER_STR_NONE, p.root, 0);
    }
    int exit = code ? fer_app_fail(app, &err) : FER_EXIT_OK;
    fer_arena_free(p.arena);
    return exit;
}
