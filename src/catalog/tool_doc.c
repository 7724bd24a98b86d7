/* SPDX-License-Identifier: Apache-2.0 */
/* Documentation as it is taken in: cut, checked, and held against the tool's schema. */
#include "tool_doc.h"

#include "arena.h"
#include "buf.h"
#include "definition.h"
#include "errors.h"
#include "json_value.h"
#include "shown.h"
#include "unicode.h"

/* Counts without going down by recursion: an example may be of any depth. */
void fer_args_measure(const yyjson_val *args, size_t *depth, size_t *size)
{
    const yyjson_val *ends[FER_EXAMPLE_DEPTH + 1];
    size_t open = 0;
    *depth = *size = 0;
    for (const yyjson_val *v = args, *end = fer_val_next(args); v < end; v++) {
        while (open > 0 && v == ends[open - 1]) open--;
        if (!fer_is_ctn(v)) continue;
        *size += fer_val_len(v);
        if (open < FER_COUNT(ends)) ends[open++] = fer_val_next(v);
        if (open > *depth) *depth = open;
        if (open == FER_COUNT(ends)) return; /* too deep, whatever comes */
    }
}

static const struct {
    const char *key;
    unsigned type; /* of yyjson */
} members[] = {{"summary", YYJSON_TYPE_STR},
               {"notes", YYJSON_TYPE_STR},
               {"examples", YYJSON_TYPE_ARR},
               {"externalRefs", YYJSON_TYPE_ARR}};

static fer_code check_members(const yyjson_val *root, fer_err *err)
{
    if (!fer_is_obj(root))
        return fer_fail(err, FER_INVALID_TYPE, "documentation is an object, not %s",
                        fer_val_type_name(root));
    FER_EACH_MEMBER (root, key) {
        size_t i = 0;
        while (i < FER_COUNT(members) && !fer_str_is(fer_val_str(key), members[i].key)) i++;
        if (i == FER_COUNT(members))
            return fer_fail(err, FER_UNKNOWN_FIELD,
                            "\"%.*s\" is no part of documentation, which has summary, notes, "
                            "examples and externalRefs",
                            FER_PRI(fer_utf8_cut(fer_val_str(key), 100)));
        if (!fer_val_is(key + 1, members[i].type))
            return fer_fail(err, FER_INVALID_TYPE, "\"%s\" is a %s, not %s", members[i].key,
                            members[i].type == YYJSON_TYPE_STR ? "text" : "list",
                            fer_val_type_name(key + 1));
    }
    return FER_OK;
}

static fer_str text_of(const yyjson_val *object, const char *key, size_t max)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return v && fer_is_str(v) ? fer_utf8_cut(fer_val_str(v), max) : FER_STR("");
}

static fer_code check_args(const yyjson_val *example, size_t number, fer_err *err)
{
    size_t depth, size;
    const yyjson_val *args = fer_is_obj(example) ? fer_val_get(example, "args") : NULL;
    if (!fer_is_obj(args))
        return fer_fail(err, FER_INVALID_TYPE, "example %zu has no object \"args\"", number);
    fer_str title = text_of(example, "title", 60);
    fer_args_measure(args, &depth, &size);
    if (depth <= FER_EXAMPLE_DEPTH && size <= FER_EXAMPLE_SIZE) return FER_OK;
    bool deep = depth > FER_EXAMPLE_DEPTH;
    return fer_fail(err, FER_ARGS_TOO_LARGE,
                    "example %zu%s%.*s%s has arguments %s: at most %d levels and %d keys and "
                    "items",
                    number, title.len ? " (" : "", FER_PRI(title), title.len ? ")" : "",
                    deep ? "that are too deep" : "with too many keys and items", FER_EXAMPLE_DEPTH,
                    FER_EXAMPLE_SIZE);
}

fer_code fer_example_add(fer_arena *a, const fer_json *doc, const yyjson_val *example, fer_buf *b,
                         fer_err *err)
{
    fer_str args;
    fer_code code = fer_value_bytes(a, doc, fer_val_get(example, "args"), &args, err);
    if (code) return code;
    fer_buf_add_char(b, '{');
    fer_shown_text(b, "id", text_of(example, "id", FER_EXAMPLE_DESCRIPTION));
    fer_shown_text(b, "title", text_of(example, "title", FER_EXAMPLE_DESCRIPTION));
    fer_shown_text(b, "description", text_of(example, "description", FER_EXAMPLE_DESCRIPTION));
    fer_shown_key(b, "args");
    fer_buf_add(b, args);
    fer_shown_text(b, "resultHint", text_of(example, "resultHint", FER_EXAMPLE_HINT));
    fer_buf_add_char(b, '}');
    return FER_OK;
}

static fer_code add_examples(fer_arena *a, const fer_json *doc, const yyjson_val *list, fer_buf *b,
                             fer_err *err)
{
    size_t number = 0;
    if (!list) return FER_OK;
    fer_shown_key(b, "examples");
    fer_buf_add_char(b, '[');
    FER_EACH_ITEM (list, example) {
        fer_code code = check_args(example, ++number, err);
        if (code) return code;
        if (number > FER_EXAMPLES_MAX) continue;
        if (number > 1) fer_buf_add_char(b, ',');
        code = fer_example_add(a, doc, example, b, err);
        if (code) return code;
    }
    fer_buf_add_char(b, ']');
    return FER_OK;
}

static fer_code add_refs(const yyjson_val *list, fer_buf *b, fer_err *err)
{
    size_t number = 0;
    if (!list) return FER_OK;
    fer_shown_key(b, "externalRefs");
    fer_buf_add_char(b, '[');
    FER_EACH_ITEM (list, ref) {
        if (!fer_is_str(ref))
            return fer_fail(err, FER_INVALID_TYPE, "an external reference is a text, not %s",
                            fer_val_type_name(ref));
        if (number++ >= FER_REFS_MAX) continue;
        if (number > 1) fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, fer_val_str(ref));
    }
    fer_buf_add_char(b, ']');
    return FER_OK;
}

fer_code fer_tool_doc_normalise(fer_arena *a, fer_str json, fer_str *out, fer_err *err)
{
    fer_json *doc;
    fer_buf b;
    fer_code code = fer_json_read(a, json, NULL, &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    code = check_members(root, err);
    if (code) return code;
    fer_buf_init(&b, a, FER_BODY_MAX);
    fer_buf_add_char(&b, '{');
    fer_shown_text(&b, "summary", text_of(root, "summary", FER_DOC_SUMMARY));
    fer_shown_text(&b, "notes", text_of(root, "notes", FER_DOC_NOTES));
    code = add_examples(a, doc, fer_val_get(root, "examples"), &b, err);
    if (!code) code = add_refs(fer_val_get(root, "externalRefs"), &b, err);
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- held against a schema
 * ------------------------------------------------------------------------ */

struct fitting {
    fer_arena *arena;
    fer_schema *schema;
    bool strict;
    bool refused; /* some example was */
};

static fer_code refuse(struct fitting *f, const fer_json *doc, const yyjson_val *args,
                       size_t number, fer_err *err)
{
    fer_result *result;
    size_t count = 0;
    fer_code code = fer_schema_validate(f->arena, f->schema, doc, args, NULL, &result, err);
    if (code) return code;
    const fer_violation *list = fer_result_violations(result, &count);
    return fer_fail(err, FER_CONSTRAINT_VIOLATION,
                    "the tool's schema refuses the arguments of example %zu: %.*s", number,
                    FER_PRI(count ? list[0].message : FER_STR("")));
}

/* Appends the examples that the schema accepts. */
static fer_code fit_examples(struct fitting *f, const fer_json *doc, const yyjson_val *list,
                             fer_buf *b, fer_err *err)
{
    size_t number = 0, kept = 0;
    fer_buf_add_char(b, '[');
    FER_EACH_ITEM (list, example) {
        bool valid = false;
        const yyjson_val *args = fer_is_obj(example) ? fer_val_get(example, "args") : NULL;
        number++;
        if (!args) continue;
        fer_code code = fer_schema_accepts(f->schema, f->arena, args, &valid, err);
        if (!code && !valid && f->strict) code = refuse(f, doc, args, number, err);
        if (code == FER_VALIDATION_BUDGET_EXCEEDED && !f->strict) code = FER_OK;
        if (code) return code;
        f->refused = f->refused || !valid;
        if (!valid) continue;
        if (kept++) fer_buf_add_char(b, ',');
        code = fer_example_add(f->arena, doc, example, b, err);
        if (code) return code;
    }
    fer_buf_add_char(b, ']');
    return FER_OK;
}

static fer_code fit(struct fitting *f, fer_str json, fer_str *out, bool *changed, fer_err *err)
{
    fer_json *doc;
    fer_buf b;
    fer_code code = fer_json_read(f->arena, json, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *list = fer_is_obj(root) ? fer_val_get(root, "examples") : NULL;
    if (!fer_is_arr(list)) return FER_OK;
    fer_buf_init(&b, f->arena, FER_BODY_MAX);
    fer_buf_add_char(&b, '{');
    FER_EACH_MEMBER (root, key) {
        fer_str bytes;
        fer_buf_add_text(&b, b.len > 1 ? "," : "");
        fer_buf_add_quoted(&b, fer_val_str(key));
        fer_buf_add_char(&b, ':');
        if (key + 1 == list) {
            code = fit_examples(f, doc, list, &b, err);
        } else {
            code = fer_value_bytes(f->arena, doc, key + 1, &bytes, err);
            if (!code) fer_buf_add(&b, bytes);
        }
        if (code) return code;
    }
    fer_buf_add_char(&b, '}');
    if (b.failure) return fer_buf_code(&b, err);
    *changed = f->refused;
    if (f->refused) *out = fer_buf_view(&b);
    return FER_OK;
}

fer_code fer_tool_doc_fit(fer_arena *a, fer_str json, fer_str definition, bool strict, fer_str *out,
                          bool *changed, fer_err *err)
{
    fer_json *doc;
    struct fitting f = {.arena = a, .strict = strict};
    *changed = false;
    *out = json;
    fer_code code = fer_json_read(a, definition, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *schema = fer_is_obj(root) ? fer_val_get(root, "inputSchema") : NULL;
    /* A schema that does not compile says nothing of examples; that is told of the tool. */
    if (!schema) return FER_OK;
    code = fer_schema_compile_value(doc, schema, NULL, &f.schema, NULL);
    if (code == FER_OUT_OF_MEMORY) return fer_fail(err, code, "out of memory");
    if (code) return FER_OK;
    code = fit(&f, json, out, changed, err);
    fer_schema_unref(f.schema);
    return code;
}
