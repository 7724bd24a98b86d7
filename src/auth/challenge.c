/* SPDX-License-Identifier: Apache-2.0 */
#include "challenge.h"

#include "buf.h"

/* ---- scopes -----------------------------------------------------------------------------------
 */

bool fer_scope_next(fer_str *list, fer_str *word)
{
    size_t from = 0;
    while (from < list->len && list->ptr[from] == ' ') from++;
    size_t to = from;
    while (to < list->len && list->ptr[to] != ' ') to++;
    if (to == from) return false;
    *word = fer_str_slice(*list, from, to);
    *list = fer_str_slice(*list, to, list->len);
    return true;
}

bool fer_scope_has(fer_str list, fer_str word)
{
    fer_str one;
    while (fer_scope_next(&list, &one))
        if (fer_str_eq(one, word)) return true;
    return false;
}

fer_str fer_scope_union(fer_arena *a, fer_str one, fer_str other)
{
    fer_buf b;
    fer_str word;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (int i = 0; i < 2; i++) {
        fer_str list = i ? other : one;
        while (fer_scope_next(&list, &word)) {
            if (fer_scope_has(fer_buf_view(&b), word)) continue;
            if (b.len) fer_buf_add_char(&b, ' ');
            fer_buf_add(&b, word);
        }
    }
    if (b.failure) return FER_STR_NONE;
    return b.len ? fer_buf_view(&b) : FER_STR("");
}

/* ---- reading ----------------------------------------------------------------------------------
 */

typedef struct reader {
    fer_arena *arena;
    fer_str text;
    size_t at;
} reader;

static bool is_token(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static void skip(reader *r, const char *what)
{
    while (r->at < r->text.len && r->text.ptr[r->at] && strchr(what, r->text.ptr[r->at])) r->at++;
}

static char peek(const reader *r)
{
    return r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

static fer_str take_token(reader *r)
{
    size_t from = r->at;
    while (r->at < r->text.len && is_token(r->text.ptr[r->at])) r->at++;
    return fer_str_slice(r->text, from, r->at);
}

static bool take_quoted(reader *r, fer_str *out)
{
    fer_buf b;
    fer_buf_init(&b, r->arena, FER_CHALLENGE_MAX);
    for (r->at++; r->at < r->text.len && r->text.ptr[r->at] != '"'; r->at++) {
        if (r->text.ptr[r->at] == '\\' && ++r->at == r->text.len) return false;
        char c = r->text.ptr[r->at];
        if ((unsigned char)c < ' ' && c != '\t') return false;
        fer_buf_add_char(&b, c);
    }
    if (r->at == r->text.len || b.failure) return false;
    r->at++;
    *out = b.len ? fer_buf_view(&b) : FER_STR("");
    return true;
}

static void keep(fer_challenge *out, fer_str name, fer_str value, bool *twice)
{
    const struct {
        const char *name;
        fer_str *place;
    } known[] = {{"error", &out->error},
                 {"error_description", &out->text},
                 {"scope", &out->scope},
                 {"resource_metadata", &out->metadata}};
    for (size_t i = 0; i < FER_COUNT(known); i++) {
        if (!fer_str_eq_nocase(name, fer_str_of(known[i].name))) continue;
        *twice |= known[i].place->ptr != NULL;
        *known[i].place = value;
    }
}

/* The words of one challenge; stops in front of the next. False: it is none. */
static bool take_words(reader *r, fer_challenge *out, bool *twice)
{
    for (;;) {
        skip(r, " \t,");
        size_t start = r->at;
        fer_str name = take_token(r), value = FER_STR_NONE;
        if (!name.len) return r->at == r->text.len;
        skip(r, " \t");
        if (peek(r) != '=') { /* the scheme of another */
            r->at = start;
            return true;
        }
        r->at++;
        skip(r, " \t");
        if (peek(r) == '"') {
            if (!take_quoted(r, &value)) return false;
        } else {
            value = take_token(r);
            if (!value.len) return false;
        }
        if (out) keep(out, name, value, twice);
    }
}

/* What stands behind a scheme instead of words: token68. */
static void skip_token68(reader *r)
{
    size_t at = r->at;
    while (at < r->text.len && (is_token(r->text.ptr[at]) || r->text.ptr[at] == '/')) at++;
    while (at < r->text.len && r->text.ptr[at] == '=') at++;
    size_t end = at;
    while (at < r->text.len && (r->text.ptr[at] == ' ' || r->text.ptr[at] == '\t')) at++;
    if (at == r->text.len || r->text.ptr[at] == ',') r->at = end;
}

bool fer_challenge_read(fer_arena *a, fer_str text, fer_challenge *out)
{
    reader r = {a, text, 0};
    bool found = false, twice = false;
    *out = (fer_challenge){0};
    if (text.len > FER_CHALLENGE_MAX) return false;
    for (;;) {
        skip(&r, " \t,");
        if (r.at == text.len) return found;
        fer_str scheme = take_token(&r);
        if (!scheme.len) return false;
        bool bearer = fer_str_eq_nocase(scheme, FER_STR("Bearer"));
        skip(&r, " \t");
        skip_token68(&r);
        fer_challenge one = {0};
        if (!take_words(&r, bearer ? &one : NULL, &twice) || twice) return false;
        if (bearer && !found) *out = one;
        found |= bearer;
    }
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static void add(fer_buf *b, const char *name, fer_str value)
{
    if (!value.ptr) return;
    fer_buf_printf(b, ", %s=\"", name);
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] >= ' ' && value.ptr[i] <= '~' && value.ptr[i] != '"' &&
            value.ptr[i] != '\\')
            fer_buf_add_char(b, value.ptr[i]);
    fer_buf_add_char(b, '"');
}

fer_str fer_challenge_write(fer_arena *a, const fer_challenge *c)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_CHALLENGE_MAX);
    fer_buf_add_text(&b, "Bearer realm=\"ferrule\"");
    add(&b, "error", c->error);
    add(&b, "error_description", c->text);
    add(&b, "scope", c->scope);
    add(&b, "resource_metadata", c->metadata);
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}
