/* SPDX-License-Identifier: Apache-2.0 */
#include "js_scan.h"

#include <string.h>

#include "str.h"

#define USES_MAX 1000 /* places that are told */

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_TEXT, /* its content is `text`, as written */
    TOKEN_SIGN, /* one character */
    TOKEN_OTHER /* a number, a pattern, a template with holes */
};

typedef struct token {
    enum token_kind kind;
    fer_str text;
    unsigned line, column;
} token;

typedef struct scan {
    fer_str code;
    size_t at;
    unsigned line;
    size_t line_begin;
    bool value_before; /* a `/` after it divides, and begins no pattern */
    unsigned holes;    /* templates that are open: `${ ... }` */
    unsigned braces[32];
} scan;

static char at(const scan *s, size_t ahead)
{
    return s->at + ahead < s->code.len ? s->code.ptr[s->at + ahead] : '\0';
}

static void step(scan *s)
{
    if (at(s, 0) == '\n') {
        s->line++;
        s->line_begin = s->at + 1;
    }
    s->at++;
}

static bool is_name_char(char c)
{
    return fer_is_digit(c) || c == '_' || c == '$' || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static void skip_space(scan *s)
{
    for (;;) {
        if (at(s, 0) && strchr(" \t\r\n\v\f", at(s, 0))) {
            step(s);
        } else if (at(s, 0) == '/' && at(s, 1) == '/') {
            while (s->at < s->code.len && at(s, 0) != '\n') step(s);
        } else if (at(s, 0) == '/' && at(s, 1) == '*') {
            step(s), step(s);
            while (s->at < s->code.len && !(at(s, 0) == '*' && at(s, 1) == '/')) step(s);
            if (s->at < s->code.len) step(s), step(s);
        } else {
            return;
        }
    }
}

/* From behind the opening sign to behind the closing one. False: a hole of a template begins. */
static bool skip_to(scan *s, char end)
{
    bool class = false; /* of a pattern: a / inside [...] is plain */
    while (s->at < s->code.len) {
        char c = at(s, 0);
        step(s);
        if (c == '\\') step(s);
        else if (end == '/' && c == '[') class = true;
        else if (end == '/' && c == ']') class = false;
        else if (c == end && !class) return true;
        else if (end == '`' && c == '$' && at(s, 0) == '{') {
            step(s);
            return false;
        }
    }
    return true;
}

static token read_quoted(scan *s, token t, char end)
{
    size_t from = s->at;
    bool whole = skip_to(s, end);
    t.kind = whole && end != '/' ? TOKEN_TEXT : TOKEN_OTHER;
    if (s->at > from) t.text = fer_str_slice(s->code, from, s->at - 1);
    if (!whole && s->holes + 1 < FER_COUNT(s->braces)) s->braces[++s->holes] = 0;
    s->value_before = whole;
    return t;
}

/* A pattern may follow these words, where a name is divided. */
static bool wants_value(fer_str name)
{
    static const char *const words[] = {"return", "typeof", "case",  "in",    "of",    "new",
                                        "delete", "void",   "throw", "await", "yield", "else"};
    for (size_t i = 0; i < FER_COUNT(words); i++)
        if (fer_str_is(name, words[i])) return true;
    return false;
}

static token read_sign(scan *s, token t, char c)
{
    step(s);
    if (c == '"' || c == '\'' || c == '`') return read_quoted(s, t, c);
    if (c == '/' && !s->value_before) return read_quoted(s, t, '/');
    if (s->holes && c == '{') s->braces[s->holes]++;
    if (s->holes && c == '}' && s->braces[s->holes]-- == 0) {
        s->holes--;
        return read_quoted(s, t, '`'); /* the template goes on behind its hole */
    }
    s->value_before = c == ')' || c == ']' || c == '}';
    t.kind = TOKEN_SIGN;
    t.text = fer_str_slice(s->code, s->at - 1, s->at);
    return t;
}

static token next(scan *s)
{
    skip_space(s);
    token t = {TOKEN_END, FER_STR(""), s->line, (unsigned)(s->at - s->line_begin) + 1};
    char c = at(s, 0);
    if (s->at >= s->code.len) return t;
    if (!is_name_char(c)) return read_sign(s, t, c);
    size_t from = s->at;
    while (is_name_char(at(s, 0)) || (fer_is_digit(c) && at(s, 0) == '.')) step(s);
    t.kind = fer_is_digit(c) ? TOKEN_OTHER : TOKEN_NAME;
    t.text = fer_str_slice(s->code, from, s->at);
    s->value_before = t.kind == TOKEN_OTHER || !wants_value(t.text);
    return t;
}

static bool is_sign(const token *t, char c)
{
    return t->kind == TOKEN_SIGN && t->text.ptr[0] == c;
}

/* .NAME or ["NAME"]; kind TOKEN_OTHER: [something computed]; TOKEN_END: neither. The scan stands
 * behind it, or where it stood. */
static token read_access(scan *s)
{
    scan before = *s;
    token t = next(s), name = {TOKEN_END, FER_STR(""), t.line, t.column};
    if (is_sign(&t, '?')) t = next(s);
    if (is_sign(&t, '.')) {
        token n = next(s);
        if (n.kind == TOKEN_NAME) return n;
    } else if (is_sign(&t, '[')) {
        name = next(s);
        token end = next(s);
        if (name.kind != TOKEN_TEXT || !is_sign(&end, ']')) name.kind = TOKEN_OTHER;
        return name;
    }
    *s = before;
    return name;
}

static void add_use(fer_buf *b, size_t *count, const token *at_place, fer_str ns, fer_str name)
{
    if (*count >= USES_MAX) return;
    fer_buf_add_text(b, (*count)++ ? ",{\"tool\":" : "{\"tool\":");
    if (name.len) {
        fer_buf_add_char(b, '"');
        fer_buf_add_escaped(b, ns);
        if (ns.len) fer_buf_add_char(b, ':');
        fer_buf_add_escaped(b, name);
        fer_buf_add_char(b, '"');
    } else {
        fer_buf_add_text(b, "null");
    }
    fer_buf_printf(b, ",\"line\":%u,\"column\":%u}", at_place->line, at_place->column);
}

/* The argument of run( and describe(: a text, or something computed. */
static void read_argument(scan *s, fer_buf *b, size_t *count, const token *place)
{
    scan before = *s;
    token open = next(s), id = next(s);
    bool called = is_sign(&open, '(');
    if (!called) *s = before;
    if (called)
        add_use(b, count, place, FER_STR(""), id.kind == TOKEN_TEXT ? id.text : FER_STR(""));
}

static bool is_verb(fer_str name)
{
    static const char *const verbs[] = {"search", "list", "namespaces", "describe", "chain"};
    for (size_t i = 0; i < FER_COUNT(verbs); i++)
        if (fer_str_is(name, verbs[i])) return true;
    return false;
}

/* Behind the word `tools`. */
static void read_use(scan *s, fer_buf *b, size_t *count, const token *place)
{
    token first = read_access(s);
    if (first.kind == TOKEN_END || is_verb(first.text)) return;
    if (first.kind != TOKEN_OTHER && fer_str_is(first.text, "run")) {
        read_argument(s, b, count, place);
        return;
    }
    token second = read_access(s);
    bool known =
        first.kind != TOKEN_OTHER && second.kind != TOKEN_OTHER && second.kind != TOKEN_END;
    add_use(b, count, place, first.text, known ? second.text : FER_STR(""));
}

void js_scan_tools(fer_buf *b, fer_str code)
{
    scan s = {.code = code, .line = 1};
    size_t count = 0;
    bool member = false; /* the token before was a dot */
    fer_buf_add_char(b, '[');
    for (token t = next(&s); t.kind != TOKEN_END; t = next(&s)) {
        bool name = t.kind == TOKEN_NAME && !member;
        member = is_sign(&t, '.');
        if (name && fer_str_is(t.text, "tools")) {
            read_use(&s, b, &count, &t);
        } else if ((name || t.kind == TOKEN_TEXT) && fer_str_is(t.text, "toolId")) {
            scan before = s;
            token colon = next(&s), id = next(&s);
            if (is_sign(&colon, ':') && id.kind == TOKEN_TEXT)
                add_use(b, &count, &t, FER_STR(""), id.text);
            else s = before;
        }
    }
    fer_buf_add_char(b, ']');
}
