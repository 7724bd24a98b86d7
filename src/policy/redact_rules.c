/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as they are written, compiled. The built-in ones are of one form, any depth and a name. */
#include "errors.h"
#include "field_checks.h"
#include "redact_parts.h"

const char *const fer_redact_roots[FER_ROOT_COUNT] = {
    [FER_ROOT_INPUT] = "input", [FER_ROOT_OUTPUT] = "output", [FER_ROOT_HEADERS] = "headers",
    [FER_ROOT_ERROR] = "error", [FER_ROOT_META] = "meta",     [FER_ROOT_STDERR] = "stderr",
};

/* Without - and _, in lower case. */
const char *const fer_redact_names[] = {
    "accesstoken",  "apikey",         "authorization", "clientsecret", "cookie",
    "idtoken",      "idempotencykey", "passwd",        "password",     "privatekey",
    "refreshtoken", "secret",         "sessionid",     "setcookie",    "token",
};
const size_t fer_redact_name_count = FER_COUNT(fer_redact_names);
static_assert(FER_COUNT(fer_redact_names) <= 32, "a name is a bit");

/* ---- names ----------------------------------------------------------------------------------- */

bool fer_redact_same(fer_str name, fer_str key)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < name.len && (name.ptr[i] == '-' || name.ptr[i] == '_')) i++;
        while (k < key.len && (key.ptr[k] == '-' || key.ptr[k] == '_')) k++;
        if (i == name.len || k == key.len) return i == name.len && k == key.len;
        if (fer_lower(name.ptr[i++]) != fer_lower(key.ptr[k++])) return false;
    }
}

bool fer_redact_builtin(const fer_redact_rules *r, fer_str key)
{
    /* x_api_key is meant too: a prefix "x" is how headers of one's own begin. */
    bool own =
        key.len > 2 && fer_lower(key.ptr[0]) == 'x' && (key.ptr[1] == '-' || key.ptr[1] == '_');
    fer_str bare = own ? fer_str_slice(key, 2, key.len) : key;
    if (!r->names || bare.len < 5) return false;
    for (size_t i = 0; i < fer_redact_name_count; i++) {
        if (!(r->names >> i & 1)) continue;
        fer_str name = fer_str_of(fer_redact_names[i]);
        if (name.len <= bare.len && fer_lower(bare.ptr[0]) == name.ptr[0] &&
            fer_redact_same(name, bare))
            return true;
    }
    return false;
}

/* ---- one path -------------------------------------------------------------------------------- */

static fer_redact_step bracket(fer_str path, size_t *at)
{
    size_t from = *at + 1;
    if (path.ptr[from] == '"') {
        size_t end = fer_str_find(path, from + 1, '"');
        *at = end + 2;
        return (fer_redact_step){FER_STEP_EXACT, fer_str_slice(path, from + 1, end), 0};
    }
    size_t end = fer_str_find(path, from, ']');
    fer_str inner = fer_str_slice(path, from, end);
    uint64_t index = UINT64_MAX;
    *at = end + 1;
    if (fer_str_is(inner, "*")) return (fer_redact_step){FER_STEP_ITEMS, FER_STR_NONE, 0};
    if (!fer_parse_u64(inner, &index)) index = UINT64_MAX; /* no list is so long */
    return (fer_redact_step){FER_STEP_INDEX, FER_STR_NONE, index};
}

static fer_redact_step word(fer_str path, size_t *at)
{
    size_t from = *at;
    while (*at < path.len && path.ptr[*at] != '.' && path.ptr[*at] != '[') ++*at;
    fer_str text = fer_str_slice(path, from, *at);
    if (fer_str_is(text, "*")) return (fer_redact_step){FER_STEP_ANY, FER_STR_NONE, 0};
    if (fer_str_is(text, "**")) return (fer_redact_step){FER_STEP_DEEP, FER_STR_NONE, 0};
    return (fer_redact_step){FER_STEP_NAME, text, 0};
}

static fer_code compile_one(fer_arena *a, fer_str path, fer_redact_path *out, fer_err *err)
{
    size_t at = 0;
    if (!path.len || path.ptr[0] == '/' || !fer_redact_path_valid(path))
        return fer_fail(err, FER_INVALID_FORMAT,
                        "\"%.*s\" is no redaction path: names joined by dots, with *, ** and [n], "
                        "such as headers.authorization",
                        FER_PRI(fer_str_head(path, 100)));
    *out = (fer_redact_path){.root = FER_ROOT_COUNT};
    for (int i = 0; i < FER_ROOT_COUNT; i++) {
        size_t len = strlen(fer_redact_roots[i]);
        if (!fer_str_starts(path, fer_redact_roots[i]) || path.len <= len || path.ptr[len] != ':')
            continue;
        out->root = (fer_redact_root)i;
        at = len + 1;
    }
    fer_redact_step steps[FER_REDACT_STEPS];
    while (at < path.len) {
        if (path.ptr[at] == '.') at++;
        if (out->count == FER_REDACT_STEPS)
            return fer_fail(err, FER_LIMIT_EXCEEDED, "redact.steps: a path has at most %d steps",
                            FER_REDACT_STEPS);
        steps[out->count++] = path.ptr[at] == '[' ? bracket(path, &at) : word(path, &at);
    }
    fer_str kept = fer_arena_copy(a, path);
    out->steps = fer_arena_alloc(a, (out->count + 1) * sizeof *out->steps);
    if (!kept.ptr || !out->steps) return fer_arena_failed(a, err);
    for (size_t i = 0; i < out->count; i++) {
        if (steps[i].name.ptr) steps[i].name.ptr = kept.ptr + (steps[i].name.ptr - path.ptr);
        out->steps[i] = steps[i];
    }
    return FER_OK;
}

/* ---- a set ----------------------------------------------------------------------------------- */

static uint32_t builtin_names(const fer_str *except, size_t count)
{
    uint32_t all = (UINT32_C(1) << FER_COUNT(fer_redact_names)) - 1;
    for (size_t i = 0; i < FER_COUNT(fer_redact_names); i++)
        for (size_t k = 0; k < count; k++)
            if (fer_redact_same(fer_str_of(fer_redact_names[i]), except[k]))
                all &= ~(UINT32_C(1) << i);
    return all;
}

fer_code fer_redact_compile(fer_arena *a, const fer_str *paths, size_t count, bool builtin,
                            const fer_str *except, size_t except_count, fer_redact_rules **out,
                            fer_err *err)
{
    if (count > FER_REDACT_RULES)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "redact.rules: at most %d", FER_REDACT_RULES);
    fer_redact_rules *r = fer_arena_alloc_zero(a, 1, sizeof *r);
    fer_redact_path *list = fer_arena_alloc_zero(a, count + 1, sizeof *list);
    if (!r || !list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count; i++) {
        fer_code code = compile_one(a, paths[i], &list[i], err);
        if (code) return code;
    }
    r->paths = list;
    r->count = count;
    if (builtin) r->names = builtin_names(except, except_count);
    *out = r;
    return FER_OK;
}
