/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_facts.h"

#include "errors.h"
#include "json_doc.h"
#include "json_write.h"
#include "ledger_line.h"

static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {"callId", offsetof(fer_facts, call)},
    {"effect", offsetof(fer_facts, effect)},
    {"status", offsetof(fer_facts, status)},
    {"tool", offsetof(fer_facts, tool)},
    {"correlationId", offsetof(fer_facts, correlation)},
    {"code", offsetof(fer_facts, code)},
    {"attempts", offsetof(fer_facts, attempts)},
    {"durationMs", offsetof(fer_facts, duration)},
};

static fer_code text_of(fer_arena *a, const yyjson_val *v, fer_str *out, fer_err *err)
{
    char *to;
    if (!fer_is_str(v)) return fer_json_write(a, v, false, out, err);
    fer_str s = fer_val_str(v);
    size_t size = 6 * s.len + 1;
    to = fer_arena_alloc(a, size);
    if (!to) return fer_arena_failed(a, err);
    if (!fer_line_escape(s, to, size, &out->len)) {
        /* Longer than any name; nobody asks for it. */
        *out = FER_STR("");
        return FER_OK;
    }
    out->ptr = to;
    fer_arena_trim(a, to + out->len);
    return FER_OK;
}

fer_code fer_facts_read(fer_arena *a, fer_str body, fer_facts *out, fer_err *err)
{
    fer_json *doc;
    fer_facts f = {0};
    fer_code code = fer_json_read(a, body, NULL, &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    if (!fer_is_obj(root)) return fer_fail(err, FER_INVALID_TYPE, "a body is an object");
    for (size_t i = 0; i < FER_COUNT(members) && !code; i++) {
        const yyjson_val *v = fer_val_get(root, members[i].name);
        fer_str *to = (fer_str *)(void *)((char *)&f + members[i].offset);
        if (v && !fer_is_ctn(v)) code = text_of(a, v, to, err);
    }
    const yyjson_val *error = fer_val_get(root, "error");
    const yyjson_val *inner = fer_is_obj(error) ? fer_val_get(error, "code") : NULL;
    if (!code && !f.code.ptr && fer_is_str(inner)) code = text_of(a, inner, &f.code, err);
    if (!code) *out = f;
    return code;
}

/* Behind the string that begins at `at`; the length where it does not end. */
static size_t skip_string(fer_str s, size_t at)
{
    for (at++; at < s.len && s.ptr[at] != '"'; at++)
        if (s.ptr[at] == '\\') at++;
    return at < s.len ? at + 1 : s.len;
}

/* Behind the value that begins at `at`. */
static size_t skip_value(fer_str s, size_t at)
{
    size_t depth = 0;
    while (at < s.len) {
        char c = s.ptr[at];
        if (depth == 0 && (c == ',' || c == '}')) return at;
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth > 0;
        at = c == '"' ? skip_string(s, at) : at + 1;
    }
    return s.len;
}

fer_str fer_facts_call(fer_str body)
{
    static const char name[] = "\"callId\":\"";
    for (size_t at = 1; at < body.len && body.ptr[at] == '"';) {
        if (fer_str_starts(fer_str_slice(body, at, body.len), name)) {
            size_t from = at + sizeof name - 1, end = skip_string(body, from - 1);
            return fer_str_slice(body, from, end > from ? end - 1 : from);
        }
        at = skip_value(body, skip_string(body, at)) + 1;
    }
    return FER_STR_NONE;
}

bool fer_tool_is_bare(fer_str id)
{
    size_t colon = fer_str_find(id, 0, ':');
    return colon != SIZE_MAX && fer_str_find(id, colon + 1, ':') == SIZE_MAX;
}
