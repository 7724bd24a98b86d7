/* SPDX-License-Identifier: Apache-2.0 */
#include "env_file.h"

#include "buf.h"
#include "errors.h"

typedef struct reader {
    fer_arena *arena;
    fer_config_pair *list;
    size_t count;
    unsigned line;
} reader;

static fer_str trim(fer_str s)
{
    while (s.len && strchr(" \t\r", s.ptr[s.len - 1])) s.len--;
    size_t at = 0;
    while (at < s.len && strchr(" \t", s.ptr[at])) at++;
    return fer_str_slice(s, at, s.len);
}

static fer_code wrong(const reader *r, fer_err *err, const char *what)
{
    fer_code code = fer_fail(err, FER_INVALID_FORMAT, "line %u: %s", r->line, what);
    if (err) err->line = r->line;
    return code;
}

static bool is_name(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c != '_' && !fer_is_alpha(c) && !(i && fer_is_digit(c))) return false;
    }
    return s.len > 0;
}

static fer_str unescape(fer_arena *a, fer_str s)
{
    static const char from[] = "ntr\"\\$", to[] = "\n\t\r\"\\$";
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX);
    for (size_t i = 0; i < s.len; i++) {
        const char *known =
            s.ptr[i] == '\\' && i + 1 < s.len && s.ptr[i + 1] ? strchr(from, s.ptr[i + 1]) : NULL;
        fer_buf_add_char(&b, known ? to[known - from] : s.ptr[i]);
        if (known) i++;
    }
    return b.failure ? FER_STR_NONE : b.len ? fer_buf_view(&b) : FER_STR("");
}

/* Where the closing quote is; SIZE_MAX: nowhere. */
static size_t closing(fer_str s, char quote)
{
    for (size_t i = 1; i < s.len; i++) {
        if (s.ptr[i] == '\\' && quote == '"') i++;
        else if (s.ptr[i] == quote) return i;
    }
    return SIZE_MAX;
}

static fer_code read_value(reader *r, fer_str s, fer_str *out, fer_err *err)
{
    if (s.len && (s.ptr[0] == '"' || s.ptr[0] == '\'')) {
        size_t end = closing(s, s.ptr[0]);
        if (end == SIZE_MAX) return wrong(r, err, "a quote is not closed");
        fer_str rest = trim(fer_str_slice(s, end + 1, s.len)), inside = fer_str_slice(s, 1, end);
        if (rest.len && rest.ptr[0] != '#')
            return wrong(r, err, "something follows behind the closing quote");
        *out = s.ptr[0] == '"' ? unescape(r->arena, inside) : fer_arena_copy(r->arena, inside);
    } else {
        for (size_t i = 1; i < s.len; i++)
            if (s.ptr[i] == '#' && strchr(" \t", s.ptr[i - 1])) s.len = i;
        *out = fer_arena_copy(r->arena, trim(s));
    }
    return out->ptr ? FER_OK : fer_arena_failed(r->arena, err);
}

static fer_code add(reader *r, fer_str name, fer_str value, fer_err *err)
{
    fer_config_pair *at = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (fer_str_eq(r->list[i].name, name)) at = &r->list[i];
    if (!at && r->count == FER_ENV_FILE_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "env.variables: more than %d of them",
                        FER_ENV_FILE_MAX);
    if (!at) at = &r->list[r->count++];
    *at = (fer_config_pair){fer_arena_copy(r->arena, name), {.text = value}};
    return at->name.ptr ? FER_OK : fer_arena_failed(r->arena, err);
}

static fer_code read_line(reader *r, fer_str line, fer_err *err)
{
    fer_str s = trim(line), value = FER_STR_NONE;
    if (!s.len || s.ptr[0] == '#') return FER_OK;
    if (fer_str_starts(s, "export ")) s = trim(fer_str_slice(s, 7, s.len));
    size_t equals = fer_str_find(s, 0, '=');
    fer_str name = equals == SIZE_MAX ? s : trim(fer_str_slice(s, 0, equals));
    if (equals == SIZE_MAX || !is_name(name)) return wrong(r, err, "it is not NAME=value");
    if (fer_str_find(s, 0, '\0') != SIZE_MAX) return wrong(r, err, "it holds a NUL");
    fer_code code = read_value(r, trim(fer_str_slice(s, equals + 1, s.len)), &value, err);
    return code ? code : add(r, name, value, err);
}

fer_code fer_env_file_read(fer_arena *a, fer_str text, fer_config_pairs *out, fer_err *err)
{
    reader r = {.arena = a};
    if (fer_str_starts(text, "\xEF\xBB\xBF")) text = fer_str_slice(text, 3, text.len);
    r.list = fer_arena_alloc_zero(a, FER_ENV_FILE_MAX, sizeof *r.list);
    if (!r.list) return fer_arena_failed(a, err);
    for (size_t at = 0; at < text.len;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        r.line++;
        fer_code code = read_line(&r, fer_str_slice(text, at, end), err);
        if (code) return code;
        at = end + 1;
    }
    *out = (fer_config_pairs){r.list, r.count};
    return FER_OK;
}
