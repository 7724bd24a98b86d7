/* SPDX-License-Identifier: Apache-2.0 */
#include "tool_id.h"

#include "arena.h"
#include "buf.h"
#include "errors.h"

size_t fer_name_bad_byte(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && c != '_' && c != '.' && c != '-') return i;
    }
    return SIZE_MAX;
}

static fer_code check_part(fer_str part, const char *what, fer_err *err)
{
    if (part.len == 0) return fer_fail(err, FER_INVALID_ID, "the %s of the tool ID is empty", what);
    if (part.len > FER_NAME_MAX) {
        return fer_fail(err, FER_INVALID_ID,
                        "the %s of a tool ID has at most %d characters, not %zu", what,
                        FER_NAME_MAX, part.len);
    }
    size_t bad = fer_name_bad_byte(part);
    if (bad == SIZE_MAX) return FER_OK;
    return fer_fail(
        err, FER_INVALID_ID,
        "the %s of a tool ID consists of A-Z a-z 0-9 _ . -, but byte %zu of \"%.*s\" is none of these",
        what, bad + 1, FER_PRI(part));
}

/* `local::pack::tool` and `mcp::server::tool`: the ID is what follows the origin. */
static bool parse_alias(fer_str text, fer_id *out)
{
    size_t skip = fer_str_starts(text, "local::") ? 7 : fer_str_starts(text, "mcp::") ? 5 : 0;
    if (!skip) return false;
    fer_str rest = fer_str_slice(text, skip, text.len);
    size_t colon = fer_str_find(rest, 0, ':');
    if (colon == SIZE_MAX || colon + 1 >= rest.len || rest.ptr[colon + 1] != ':') return false;
    *out = (fer_id){.ns = fer_str_slice(rest, 0, colon),
                    .name = fer_str_slice(rest, colon + 2, rest.len)};
    return true;
}

static fer_code split(fer_str text, fer_id *out, fer_err *err)
{
    size_t first = fer_str_find(text, 0, ':');
    if (first == SIZE_MAX) {
        *out = (fer_id){.name = text};
        return FER_OK;
    }
    size_t second = fer_str_find(text, first + 1, ':');
    out->ns = fer_str_slice(text, 0, first);
    out->name = fer_str_slice(text, first + 1, second == SIZE_MAX ? text.len : second);
    if (second == SIZE_MAX) return FER_OK;
    out->version = fer_str_slice(text, second + 1, text.len);
    if (fer_str_find(text, second + 1, ':') != SIZE_MAX) {
        return fer_fail(err, FER_INVALID_ID,
                        "a tool ID has at most two ':' (namespace:name:version)");
    }
    if (out->version.len == 0) {
        return fer_fail(err, FER_INVALID_ID, "the version of the tool ID is empty");
    }
    return FER_OK;
}

fer_code fer_id_parse(fer_str text, fer_id *out, fer_err *err)
{
    fer_id id = {0};
    fer_semver version;
    if (text.len == 0) return fer_fail(err, FER_INVALID_ID, "the tool ID is empty");
    if (!parse_alias(text, &id)) {
        fer_code code = split(text, &id, err);
        if (code) return code;
    }
    fer_code code = id.ns.ptr ? check_part(id.ns, "namespace", err) : FER_OK;
    if (!code) code = check_part(id.name, "name", err);
    if (!code && id.version.len) {
        code = fer_semver_parse(id.version, &version, err) ? FER_INVALID_ID : FER_OK;
        if (code && err) err->code = FER_INVALID_ID;
        if (id.version.ptr[0] == 'v') id.version = fer_str_slice(id.version, 1, id.version.len);
    }
    if (!code) *out = id;
    return code;
}

fer_code fer_id_write(fer_arena *a, const fer_id *id, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    if (id->ns.len) {
        fer_buf_add(&b, id->ns);
        fer_buf_add_char(&b, ':');
    }
    fer_buf_add(&b, id->name);
    /* A version stands only behind a namespace (SPEC 1). */
    if (id->ns.len && id->version.len) {
        fer_buf_add_char(&b, ':');
        fer_buf_add(&b, id->version);
    }
    if (b.failure) return fer_buf_code(&b, err);
    *out = b.ptr ? fer_buf_view(&b) : FER_STR("");
    return FER_OK;
}
