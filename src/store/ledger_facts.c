/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_facts.h"

#include "errors.h"
#include "json_canonical.h"
#include "json_doc.h"
#include "json_write.h"
#include "ledger_line.h"

#define MEMBERS_MAX 32 /* of a body that is only looked through */

static const struct {
    fer_str name;
    size_t offset;
} members[] = {
    {FER_STR("callId"), offsetof(fer_facts, call)},
    {FER_STR("effect"), offsetof(fer_facts, effect)},
    {FER_STR("status"), offsetof(fer_facts, status)},
    {FER_STR("tool"), offsetof(fer_facts, tool)},
    {FER_STR("correlationId"), offsetof(fer_facts, correlation)},
    {FER_STR("code"), offsetof(fer_facts, code)},
    {FER_STR("attempts"), offsetof(fer_facts, attempts)},
    {FER_STR("durationMs"), offsetof(fer_facts, duration)},
};

static fer_code text_of(fer_arena *a, const yyjson_val *v, fer_str *out, fer_err *err)
{
    char *to;
    if (!fer_is_str(v)) return fer_json_canonical(a, v, out, err);
    fer_str s = fer_val_str(v);
    size_t size = 6 * s.len + 1;
    if (s.len <= FER_LEDGER_TENANT && fer_escape_at(s, 0) == s.len && fer_line_is_tame(s)) {
        *out = s;
        return FER_OK;
    }
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

/* Where a member's text goes; NULL: nobody asks for it. */
static fer_str *place_of(fer_facts *f, fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(members); i++)
        if (name.len == members[i].name.len && memcmp(name.ptr, members[i].name.ptr, name.len) == 0)
            return (fer_str *)(void *)((char *)f + members[i].offset);
    return NULL;
}

fer_code fer_facts_of(fer_arena *a, const yyjson_val *body, fer_facts *out, fer_err *err)
{
    fer_facts f = {0};
    const yyjson_val *error = NULL;
    fer_code code = FER_OK;
    FER_EACH_MEMBER (body, key) {
        const yyjson_val *v = key + 1;
        fer_str *to = fer_is_ctn(v) ? NULL : place_of(&f, fer_val_str(key));
        if (to) code = text_of(a, v, to, err);
        else if (fer_is_obj(v) && fer_str_is(fer_val_str(key), "error")) error = v;
        if (code) return code;
    }
    const yyjson_val *inner = error ? fer_val_get(error, "code") : NULL;
    if (!f.code.ptr && fer_is_str(inner)) code = text_of(a, inner, &f.code, err);
    if (!code) *out = f;
    return code;
}

bool fer_facts_scan(fer_str body, fer_facts *out)
{
    fer_canonical_member members_of[MEMBERS_MAX];
    fer_facts f = {0};
    size_t count;
    if (!fer_canonical_scan(body, members_of, MEMBERS_MAX, &count) || count == MEMBERS_MAX ||
        !fer_line_is_tame(body))
        return false;
    for (size_t i = 0; i < count; i++) {
        fer_str v = members_of[i].value;
        bool container = v.ptr[0] == '{' || v.ptr[0] == '[';
        fer_str *to = container ? NULL : place_of(&f, members_of[i].key);
        if (to) *to = v.ptr[0] == '"' ? fer_str_slice(v, 1, v.len - 1) : v;
    }
    *out = f;
    return true;
}

fer_code fer_facts_read(fer_arena *a, fer_str body, fer_facts *out, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, body, NULL, &doc, err);
    if (code) return code;
    if (!fer_is_obj(fer_json_root(doc)))
        return fer_fail(err, FER_INVALID_TYPE, "a body is an object");
    return fer_facts_of(a, fer_json_root(doc), out, err);
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
