/* SPDX-License-Identifier: Apache-2.0 */
#include "tool_lists.h"

#include "errors.h"
#include "json_skim.h"
#include "near.h"
#include "shape.h"
#include "unicode.h"

/* Where a list of tools may stand in an object, and what that object is then called. */
static const fer_tool_list containers[] = {
    {"", "tools", "/tools", "an object with a list of tools"},
    {"", "functions", "/functions", "an object with a list of functions"},
    {"result", "tools", "/result/tools", "an MCP tools/list response"},
    {"toolConfig", "tools", "/toolConfig/tools", "a Bedrock tool configuration"},
};

struct member {
    fer_str key;
    size_t value;
};

/*
 * The next member of an object, from the byte behind '{' or behind the last member's
 * value; false at its end, or where it is broken.
 */
static bool next_member(fer_str text, size_t at, struct member *out)
{
    size_t i = fer_skim_space(text, at);
    if (i < text.len && text.ptr[i] == ',') i = fer_skim_space(text, i + 1);
    if (i >= text.len || text.ptr[i] != '"') return false;
    size_t end = fer_skim_value(text, i);
    if (end == SIZE_MAX) return false;
    out->key = fer_str_slice(text, i + 1, end - 1);
    i = fer_skim_space(text, end);
    if (i >= text.len || text.ptr[i] != ':') return false;
    out->value = fer_skim_space(text, i + 1);
    return out->value < text.len;
}

/*
 * Looks for a list among the members of the object at `object`; `outer` is the key it
 * stands under, if any. A key that carries a schema makes the object a tool itself.
 */
static const fer_tool_list *find_list(fer_str text, size_t object, fer_str outer, size_t *list)
{
    const fer_tool_list *found = NULL, *empty = NULL;
    size_t empty_at = 0;
    struct member m;
    for (size_t at = object + 1; at != SIZE_MAX && next_member(text, at, &m);
         at = fer_skim_value(text, m.value)) {
        char c = text.ptr[m.value];
        if (!outer.len && fer_shape_has_schema_key(m.key)) return NULL;
        for (size_t i = 0; i < FER_COUNT(containers) && !found; i++) {
            const fer_tool_list *k = &containers[i];
            if (c == '[' && fer_str_is(m.key, k->key) && fer_str_is(outer, k->outer)) {
                /* An empty list is taken only where there is no other. */
                size_t inside = fer_skim_space(text, m.value + 1);
                if (inside < text.len && text.ptr[inside] == ']') {
                    if (!empty) empty_at = m.value;
                    if (!empty) empty = k;
                    continue;
                }
                *list = m.value;
                found = k;
            } else if (c == '{' && !outer.len && *k->outer && fer_str_is(m.key, k->outer)) {
                found = find_list(text, m.value, m.key, list);
            }
        }
    }
    if (found || !empty) return found;
    *list = empty_at;
    return empty;
}

const fer_tool_list *fer_tool_list_find(fer_str text, size_t object, size_t *list)
{
    return find_list(text, object, FER_STR(""), list);
}

static const yyjson_val *value_of(const fer_tool_list *k, const yyjson_val *root)
{
    const yyjson_val *outer = *k->outer ? fer_val_get(root, k->outer) : root;
    return fer_is_obj(outer) ? fer_val_get(outer, k->key) : NULL;
}

fer_code fer_tool_list_check(const yyjson_val *root, fer_str read, fer_err *err)
{
    for (size_t i = 0; fer_is_obj(root) && i < FER_COUNT(containers); i++) {
        const fer_tool_list *k = &containers[i];
        const yyjson_val *list = value_of(k, root);
        if (fer_str_is(read, k->path) || !fer_is_arr(list) || fer_val_len(list) == 0) continue;
        return fer_fail(err, FER_MIXED_SHAPES,
                        "there are two lists of tools; the one at %s is not read", k->path);
    }
    return FER_OK;
}

const yyjson_val *fer_tools_list(const yyjson_val *root, fer_str *path, const char **title)
{
    *path = FER_STR("");
    *title = fer_is_arr(root) ? "a list" : "one tool";
    if (fer_is_arr(root)) return root;
    if (!fer_is_obj(root)) return NULL;
    FER_EACH_MEMBER (root, key) {
        if (fer_shape_has_schema_key(fer_val_str(key))) return NULL;
    }
    const yyjson_val *found = NULL;
    for (size_t i = 0; i < FER_COUNT(containers); i++) {
        const fer_tool_list *k = &containers[i];
        const yyjson_val *list = value_of(k, root);
        if (!fer_is_arr(list) || (found && fer_val_len(list) == 0)) continue;
        *path = fer_str_of(k->path);
        *title = k->title;
        found = list;
        if (fer_val_len(list) > 0) break;
    }
    return found;
}

/* ---- no list ------------------------------------------------------------------------------ */

static bool is_rpc_error(const yyjson_val *root)
{
    return fer_val_get(root, "jsonrpc") && fer_is_obj(fer_val_get(root, "error"));
}

/* Gives a failure its place. */
static fer_code place_at(fer_str text, const fer_json *doc, const yyjson_val *at, fer_err *err)
{
    if (!err) return FER_UNKNOWN_SHAPE;
    err->offset = fer_json_offset(doc, at);
    fer_err_locate(err, text);
    return err->code;
}

/* The key of a list that holds something else. */
static fer_code check_lists(fer_str text, const fer_json *doc, fer_err *err)
{
    for (size_t i = 0; i < FER_COUNT(containers); i++) {
        const yyjson_val *value = value_of(&containers[i], doc->vals);
        if (!value || fer_is_arr(value)) continue;
        fer_fail(err, FER_UNKNOWN_SHAPE, "\"%s\" is an array, not %s", containers[i].key,
                 fer_val_type_name(value));
        return place_at(text, doc, value, err);
    }
    return FER_OK;
}

/* A key that is nearly that of a list, or of what a list stands in. */
static fer_code check_spelling(fer_str text, const fer_json *doc, fer_err *err)
{
    FER_EACH_MEMBER (doc->vals, key) {
        fer_near near;
        fer_str name = fer_val_str(key);
        if (!fer_is_ctn(key + 1)) continue;
        fer_near_init(&near, name);
        for (size_t i = 0; i < FER_COUNT(containers); i++)
            fer_near_try(
                &near, fer_str_of(*containers[i].outer ? containers[i].outer : containers[i].key));
        if (!near.best.ptr || fer_str_eq(near.best, name)) continue;
        fer_fail(err, FER_UNKNOWN_SHAPE,
                 "this is an object in no known shape: did you mean \"%.*s\" by \"%.*s\"?",
                 FER_PRI(near.best), FER_PRI(fer_utf8_cut(name, 100)));
        return place_at(text, doc, key, err);
    }
    return FER_OK;
}

/* Documents of many kinds name the schema that they follow; a schema names a meta-schema. */
static bool is_of_json_schema(fer_str dialect)
{
    static const char site[] = "json-schema.org/";
    return dialect.len && memmem(dialect.ptr, dialect.len, site, sizeof site - 1) != NULL;
}

fer_code fer_tool_list_missing(fer_str text, const fer_json *doc, fer_err *err)
{
    const yyjson_val *root = doc->vals;
    if (is_rpc_error(root)) {
        const yyjson_val *message = fer_val_get(fer_val_get(root, "error"), "message");
        fer_str said = fer_is_str(message) ? fer_val_str(message) : FER_STR("no message");
        return fer_fail(err, FER_UNKNOWN_SHAPE,
                        "this is a JSON-RPC error response, not a list of tools: %.*s",
                        FER_PRI(said));
    }
    fer_code code = fer_is_obj(root) ? check_lists(text, doc, err) : FER_OK;
    if (!code && fer_is_obj(root)) code = check_spelling(text, doc, err);
    if (code) return code;
    const yyjson_val *dialect = fer_val_get(root, "$schema");
    if (fer_is_str(dialect) && is_of_json_schema(fer_val_str(dialect)))
        return fer_fail(err, FER_UNKNOWN_SHAPE,
                        "this is a JSON Schema, not a tool: ferrule schema lint checks schemas");
    return fer_fail(
        err, FER_UNKNOWN_SHAPE,
        "this is %s in no known shape: expected a tool (name and inputSchema, input_schema or parameters), "
        "a list of tools, or an object with \"tools\"",
        fer_val_type_name(root));
}
