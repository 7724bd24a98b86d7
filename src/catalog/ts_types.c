/* SPDX-License-Identifier: Apache-2.0 */
#include "ts_types.h"

#include <ferrule/json.h>

#include "unicode.h"

typedef struct writer {
    fer_buf *b;
    const yyjson_val *root; /* that references are looked up in */
} writer;

static void add_type(writer *w, const yyjson_val *schema, int depth);

/* ---- texts ------------------------------------------------------------------------------------
 */

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static bool is_name(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
        if (!letter && !(i && fer_is_digit(c))) return false;
    }
    return s.len > 0;
}

/* A word that may stand alone would be read as something else here. */
static bool is_reserved(fer_str s)
{
    static const char *const words[] = {
        "break",      "case",    "catch",     "class",    "const", "continue",   "debugger",
        "default",    "delete",  "do",        "else",     "enum",  "export",     "extends",
        "false",      "finally", "for",       "function", "if",    "import",     "in",
        "instanceof", "new",     "null",      "return",   "super", "switch",     "this",
        "throw",      "true",    "try",       "typeof",   "var",   "void",       "while",
        "with",       "yield",   "let",       "static",   "await", "implements", "interface",
        "package",    "private", "protected", "public"};
    for (size_t i = 0; i < FER_COUNT(words); i++)
        if (fer_str_is(s, words[i])) return true;
    return false;
}

static void add_key(fer_buf *b, fer_str name)
{
    if (is_name(name)) fer_buf_add(b, name);
    else fer_buf_add_quoted(b, name);
}

/* On one line; an end of the comment inside does not end it. */
static void add_comment(fer_buf *b, fer_str text, const char *behind)
{
    fer_str cut = fer_utf8_cut(text, FER_TS_TEXT);
    fer_buf_add_text(b, "/** ");
    for (size_t i = 0; i < cut.len; i++) {
        char c = cut.ptr[i];
        bool blank = (unsigned char)c < ' ';
        if (c == '/' && i && cut.ptr[i - 1] == '*') fer_buf_add_text(b, " /");
        else fer_buf_add_char(b, blank ? ' ' : c);
    }
    fer_buf_add_text(b, " */");
    fer_buf_add_text(b, behind);
}

/* ---- types ------------------------------------------------------------------------------------
 */

static void add_union(writer *w, const yyjson_val *list, const char *sign, int depth)
{
    size_t count = 0;
    fer_buf_add_char(w->b, '(');
    FER_EACH_ITEM (list, item) {
        if (count == FER_TS_UNION) break;
        if (count++) fer_buf_add_text(w->b, sign);
        add_type(w, item, depth);
    }
    if (!count) fer_buf_add_text(w->b, "unknown");
    fer_buf_add_char(w->b, ')');
}

/* A value as a type of its own; structures have none that is short. */
static void add_literal(fer_buf *b, const yyjson_val *v)
{
    if (fer_is_str(v)) {
        fer_buf_add_quoted(b, fer_val_str(v));
    } else if (fer_is_bool(v)) {
        fer_buf_add_text(b, fer_is_true(v) ? "true" : "false");
    } else if (fer_val_tag(v) == FER_TAG_UINT) {
        fer_buf_printf(b, "%llu", (unsigned long long)v->uni.u64);
    } else if (fer_val_tag(v) == FER_TAG_SINT) {
        fer_buf_printf(b, "%lld", (long long)v->uni.i64);
    } else {
        fer_buf_add_text(b, fer_is_num(v) ? "number" : fer_is_ctn(v) ? "unknown" : "null");
    }
}

static void add_enum(writer *w, const yyjson_val *list)
{
    size_t count = 0;
    FER_EACH_ITEM (list, item) {
        if (count == FER_TS_UNION) {
            fer_buf_add_text(w->b, " | unknown");
            return;
        }
        if (count++) fer_buf_add_text(w->b, " | ");
        add_literal(w->b, item);
    }
    if (!count) fer_buf_add_text(w->b, "never");
}

static bool is_required(const yyjson_val *schema, fer_str name)
{
    const yyjson_val *list = fer_val_get(schema, "required");
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item)
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    return false;
}

static void add_object(writer *w, const yyjson_val *schema, int depth)
{
    const yyjson_val *properties = fer_val_get(schema, "properties"),
                     *more = fer_val_get(schema, "additionalProperties");
    size_t count = 0;
    fer_buf_add_char(w->b, '{');
    if (fer_is_obj(properties)) {
        FER_EACH_MEMBER (properties, key) {
            fer_str text = text_of(key + 1, "description");
            fer_buf_add_text(w->b, count++ ? "; " : " ");
            if (text.len) add_comment(w->b, text, " ");
            add_key(w->b, fer_val_str(key));
            fer_buf_add_text(w->b, is_required(schema, fer_val_str(key)) ? ": " : "?: ");
            add_type(w, key + 1, depth);
        }
    }
    bool any = more && (fer_is_obj(more) || fer_is_true(more));
    if (any || (!more && !count)) {
        bool typed = fer_is_obj(more) && !count;
        fer_buf_add_text(w->b, count++ ? "; [key: string]: " : " [key: string]: ");
        if (typed) add_type(w, more, depth);
        else fer_buf_add_text(w->b, "unknown");
    }
    fer_buf_add_text(w->b, count ? " }" : "}");
}

static void add_array(writer *w, const yyjson_val *schema, int depth)
{
    const yyjson_val *items = fer_val_get(schema, "items"),
                     *tuple = fer_val_get(schema, "prefixItems");
    if (fer_is_arr(items)) tuple = items; /* as draft-07 has it */
    if (fer_is_arr(tuple)) {
        size_t count = 0;
        fer_buf_add_char(w->b, '[');
        FER_EACH_ITEM (tuple, item) {
            if (count++) fer_buf_add_text(w->b, ", ");
            add_type(w, item, depth);
        }
        fer_buf_add_text(w->b, "]");
        return;
    }
    fer_buf_add_text(w->b, "Array<");
    if (fer_is_obj(items)) add_type(w, items, depth);
    else fer_buf_add_text(w->b, "unknown");
    fer_buf_add_char(w->b, '>');
}

static void add_named(writer *w, const yyjson_val *schema, fer_str type, int depth)
{
    if (fer_str_is(type, "object")) add_object(w, schema, depth);
    else if (fer_str_is(type, "array")) add_array(w, schema, depth);
    else if (fer_str_is(type, "integer") || fer_str_is(type, "number"))
        fer_buf_add_text(w->b, "number");
    else if (fer_str_is(type, "string") || fer_str_is(type, "boolean") || fer_str_is(type, "null"))
        fer_buf_add(w->b, type);
    else fer_buf_add_text(w->b, "unknown");
}

static void add_types(writer *w, const yyjson_val *schema, const yyjson_val *list, int depth)
{
    size_t count = 0;
    FER_EACH_ITEM (list, item) {
        if (!fer_is_str(item)) continue;
        if (count++) fer_buf_add_text(w->b, " | ");
        add_named(w, schema, fer_val_str(item), depth);
    }
    if (!count) fer_buf_add_text(w->b, "unknown");
}

static void add_reference(writer *w, fer_str ref, int depth)
{
    const yyjson_val *target = NULL;
    if (ref.len && ref.ptr[0] == '#' && (ref.len == 1 || ref.ptr[1] == '/'))
        target = fer_json_at(w->root, fer_str_slice(ref, 1, ref.len), NULL);
    if (target) add_type(w, target, depth);
    else fer_buf_add_text(w->b, "unknown");
}

static void add_type(writer *w, const yyjson_val *schema, int depth)
{
    if (!fer_is_obj(schema) || depth <= 0 || w->b->failure) {
        fer_buf_add_text(w->b, "unknown");
        return;
    }
    const yyjson_val *ref = fer_val_get(schema, "$ref"), *type = fer_val_get(schema, "type"),
                     *constant = fer_val_get(schema, "const"), *words = fer_val_get(schema, "enum"),
                     *any = fer_val_get(schema, "anyOf"), *one = fer_val_get(schema, "oneOf"),
                     *all = fer_val_get(schema, "allOf");
    if (fer_is_str(ref)) add_reference(w, fer_val_str(ref), depth - 1);
    else if (constant) add_literal(w->b, constant);
    else if (fer_is_arr(words)) add_enum(w, words);
    else if (fer_is_arr(any)) add_union(w, any, " | ", depth - 1);
    else if (fer_is_arr(one)) add_union(w, one, " | ", depth - 1);
    else if (fer_is_arr(type)) add_types(w, schema, type, depth - 1);
    else if (fer_is_str(type)) add_named(w, schema, fer_val_str(type), depth - 1);
    else if (fer_is_arr(all)) add_union(w, all, " & ", depth - 1);
    else if (fer_val_get(schema, "properties")) add_object(w, schema, depth - 1);
    else fer_buf_add_text(w->b, "unknown");
}

void fer_ts_add_type(fer_buf *b, const yyjson_val *root, const yyjson_val *schema)
{
    writer w = {b, root};
    add_type(&w, schema, FER_TS_DEPTH);
}

/* ---- tools ------------------------------------------------------------------------------------
 */

/* Arguments that nobody must give need not be there. */
static bool needs_args(const yyjson_val *input)
{
    const yyjson_val *required = fer_is_obj(input) ? fer_val_get(input, "required") : NULL;
    return fer_is_arr(required) && fer_val_len(required);
}

void fer_ts_add_tool(fer_buf *b, const yyjson_val *record)
{
    const yyjson_val *input = fer_val_get(record, "inputSchema"),
                     *output = fer_val_get(record, "outputSchema");
    fer_str ns = text_of(record, "namespace"), name = text_of(record, "name"),
            text = text_of(record, "description");
    bool plain = is_name(ns) && is_name(name) && !is_reserved(ns) && !is_reserved(name);
    if (text.len) add_comment(b, text, "\n");
    if (plain) {
        fer_buf_printf(b, "declare namespace tools.%.*s { function %.*s(", FER_PRI(ns),
                       FER_PRI(name));
    } else {
        fer_buf_add_text(b, "declare namespace tools { function run(id: \"");
        fer_buf_add_escaped(b, ns);
        if (ns.len) fer_buf_add_char(b, ':');
        fer_buf_add_escaped(b, name);
        fer_buf_add_text(b, "\", ");
    }
    fer_buf_add_text(b, needs_args(input) ? "args: " : "args?: ");
    fer_ts_add_type(b, input, input);
    fer_buf_add_text(b, "): Promise<");
    if (fer_is_obj(output)) fer_ts_add_type(b, output, output);
    else fer_buf_add_text(b, "unknown");
    fer_buf_add_text(b, ">; }\n");
}
