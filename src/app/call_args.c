/* SPDX-License-Identifier: Apache-2.0 */
#include "call_args.h"

#include "buf.h"
#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "schema_tree.h"

#define NAME_MAX_BYTES 1024

typedef struct building {
    fer_arena *arena;
    fer_tree tree;
    yyjson_mut_val *root;
    fer_schema_info info;
    fer_err *err;
} building;

/* ---- words
 * ------------------------------------------------------------------------------------------- */

/* Where the name ends: at '=', or at ":=". */
static size_t name_end(fer_str word)
{
    size_t at = fer_str_find(word, 0, '=');
    if (at == SIZE_MAX || at == 0) return SIZE_MAX;
    if (word.ptr[at - 1] == ':') at--;
    return at ? at : SIZE_MAX;
}

bool fer_is_call_arg(const char *word)
{
    return name_end(fer_str_of(word)) != SIZE_MAX;
}

/* a.b.c as a pointer; a list at its end takes one more item. */
static fer_str pointer_of(fer_arena *a, fer_str name, bool append)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)4 * NAME_MAX_BYTES);
    fer_buf_add_char(&b, '/');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '.') fer_buf_add_char(&b, '/');
        else if (c == '/') fer_buf_add_text(&b, "~1");
        else if (c == '~') fer_buf_add_text(&b, "~0");
        else fer_buf_add_char(&b, c);
    }
    if (append) fer_buf_add_text(&b, "/-");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* ---- types
 * -------------------------------------------------------------------------------------------- */

static const fer_parameter *parameter(const building *b, fer_str name)
{
    for (size_t i = 0; i < b->info.count; i++)
        if (fer_str_eq(b->info.parameters[i].name, name)) return &b->info.parameters[i];
    return NULL;
}

static bool takes(const fer_parameter *p, const char *type)
{
    for (size_t i = 0; p && i < p->type_count; i++)
        if (fer_str_is(p->types[i], type)) return true;
    return false;
}

/* The value of a text as JSON, NULL: it is none. */
static const yyjson_val *as_json(fer_arena *a, fer_str text)
{
    fer_json *doc;
    return fer_json_read(a, text, NULL, &doc, NULL) ? NULL : fer_json_root(doc);
}

/* Whether a value that a text could mean is of a type that is wanted. */
static bool is_wanted(const fer_parameter *p, const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NUM:
    case YYJSON_TYPE_RAW: return takes(p, "integer") || takes(p, "number");
    case YYJSON_TYPE_BOOL: return takes(p, "boolean");
    case YYJSON_TYPE_NULL: return takes(p, "null");
    case YYJSON_TYPE_ARR: return takes(p, "array");
    case YYJSON_TYPE_OBJ: return takes(p, "object");
    default: return false;
    }
}

/* What nobody described is taken as JSON where it can be, else as a text. What may be a text is
 * one: NAME:=JSON says otherwise. */
static yyjson_mut_val *typed(building *b, const fer_parameter *p, fer_str text)
{
    const yyjson_val *v = as_json(b->arena, text);
    bool described = p && p->type_count;
    if (v && !fer_is_str(v) && (!described || (is_wanted(p, v) && !takes(p, "string"))))
        return fer_tree_copy(&b->tree, v);
    return fer_tree_text(&b->tree, text);
}

/* ---- one argument
 * --------------------------------------------------------------------------------------- */

static fer_code value_of(building *b, const fer_parameter *p, fer_str text, bool raw,
                         yyjson_mut_val **out)
{
    fer_json *doc;
    fer_err why;
    if (raw) {
        if (fer_json_read(b->arena, text, NULL, &doc, &why))
            return fer_fail(b->err, FER_BAD_USAGE, "behind := there must be JSON: %.800s",
                            why.message);
        *out = fer_tree_copy(&b->tree, fer_json_root(doc));
        return FER_OK;
    }
    if (text.len > 1 && text.ptr[0] == '@') {
        fer_code code = fer_file_read(b->arena, text.ptr + 1, FER_ARG_FILE_MAX, &text, b->err);
        if (code) return code;
        if (!takes(p, "object") && !takes(p, "array")) {
            *out = fer_tree_text(&b->tree, text);
            return FER_OK;
        }
    }
    *out = typed(b, p, text);
    return FER_OK;
}

/* An empty list at a place where there is nothing yet. */
static void make_list(building *b, fer_str pointer)
{
    if (!yyjson_mut_ptr_getn(b->root, pointer.ptr, pointer.len))
        fer_tree_put_at(&b->tree, b->root, pointer, fer_tree_array(&b->tree));
}

/* Whether a word before the `at`-th has its name. */
static bool is_repeated(const char *const *words, size_t at, fer_str name)
{
    for (size_t i = 0; i < at; i++) {
        fer_str other = fer_str_of(words[i]);
        if (fer_str_eq(fer_str_slice(other, 0, name_end(other)), name)) return true;
    }
    return false;
}

static fer_code add_word(building *b, const char *const *words, size_t at)
{
    const char *word = words[at];
    fer_str all = fer_str_of(word);
    size_t end = name_end(all);
    if (end == SIZE_MAX)
        return fer_fail(b->err, FER_BAD_USAGE, "%.200s: an argument is NAME=VALUE or NAME:=JSON",
                        word);
    bool raw = all.ptr[end] == ':';
    fer_str name = fer_str_slice(all, 0, end), text = fer_str_slice(all, end + 1 + raw, all.len);
    const fer_parameter *p = parameter(b, name);
    /* A list that is not given as one takes one item. */
    bool item = !raw && takes(p, "array") && !takes(p, "string") &&
                (!text.len || (text.ptr[0] != '[' && text.ptr[0] != '@'));
    fer_str pointer = pointer_of(b->arena, name, item), plain = pointer_of(b->arena, name, false);
    yyjson_mut_val *value = NULL;
    if (!pointer.ptr || !plain.ptr) return fer_arena_failed(b->arena, b->err);
    if (!item && is_repeated(words, at, name))
        return fer_fail(b->err, FER_BAD_USAGE,
                        "%.*s is given twice, and takes one value: only a list takes one with each",
                        FER_PRI(fer_str_head(name, 200)));
    if (item) {
        fer_str items = fer_arena_printf(b->arena, "%.*s[]", FER_PRI(name));
        if (!items.ptr) return fer_arena_failed(b->arena, b->err);
        p = parameter(b, items);
        make_list(b, plain);
    }
    fer_code code = value_of(b, p, text, raw, &value);
    if (code) return code;
    if (b->tree.failed) return fer_arena_failed(b->arena, b->err);
    if (!fer_tree_put_at(&b->tree, b->root, pointer, value))
        return fer_fail(b->err, FER_BAD_USAGE, "%.*s leads into something that is no object",
                        FER_PRI(fer_str_head(name, 200)));
    return FER_OK;
}

fer_code fer_call_args(fer_arena *a, const fer_schema *schema, fer_str base,
                       const char *const *words, size_t count, fer_str *out, fer_err *err)
{
    building b = {.arena = a, .err = err};
    fer_json *doc;
    fer_code code = FER_OK;
    if (schema) code = fer_schema_describe(a, schema, &b.info, err);
    if (!code) code = fer_json_read(a, base.len ? base : FER_STR("{}"), NULL, &doc, err);
    if (code) return code;
    if (!fer_is_obj(fer_json_root(doc)))
        return fer_fail(err, FER_BAD_USAGE, "arguments are a JSON object, not %s",
                        fer_val_type_name(fer_json_root(doc)));
    fer_tree_init(&b.tree, a);
    b.root = fer_tree_copy(&b.tree, fer_json_root(doc));
    for (size_t i = 0; !code && i < count; i++) code = add_word(&b, words, i);
    if (code) return code;
    return fer_tree_write(&b.tree, b.root, out, err);
}
