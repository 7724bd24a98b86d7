/* SPDX-License-Identifier: Apache-2.0 */
#include "toml.h"

#include "buf.h"
#include "errors.h"
#include "json_doc.h"
#include "json_value.h"

#define JSON_MAX ((size_t)256 << 20)

enum kind {
    TABLE,
    ARRAY,
    VALUE
};

/* A key with what is under it, or an item. */
typedef struct node {
    fer_str key;
    enum kind kind;
    fer_str json;  /* of a value */
    size_t place;  /* of the key in the text */
    size_t spot;   /* of what is under it */
    bool named;    /* a table that has had its own header, or keys of its own */
    bool closed;   /* written in line: nothing is added to it */
    bool of_array; /* an array of tables ([[x]]) */
    struct node *first, *last, *next;
} node;

typedef struct reader {
    fer_arena *a;
    fer_str text;
    size_t at;
    size_t from; /* where the key or item begins that is read */
    fer_err *err;
} reader;

static void place_at(fer_err *err, fer_str text, size_t at)
{
    err->line = err->column = 1;
    for (size_t i = 0; i < at && i < text.len; i++) {
        err->column = text.ptr[i] == '\n' ? 1 : err->column + 1;
        err->line += text.ptr[i] == '\n';
    }
}

static fer_code wrong(const reader *r, const char *what)
{
    fer_code code = fer_fail(r->err, FER_BAD_USAGE, "%s", what);
    if (r->err) place_at(r->err, r->text, r->at);
    return code;
}

static char peek(const reader *r)
{
    return r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

static bool starts(const reader *r, const char *word)
{
    return fer_str_starts(fer_str_slice(r->text, r->at, r->text.len), word);
}

static void skip_blanks(reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t') r->at++;
}

static void skip_comment(reader *r)
{
    if (peek(r) != '#') return;
    while (r->at < r->text.len && peek(r) != '\n') r->at++;
}

/* Blanks, ends of lines and comments. */
static void skip_all(reader *r)
{
    for (;;) {
        size_t before = r->at;
        skip_blanks(r);
        skip_comment(r);
        while (peek(r) == '\n' || peek(r) == '\r') r->at++;
        if (r->at == before) return;
    }
}

static fer_code end_line(reader *r)
{
    skip_blanks(r);
    skip_comment(r);
    if (peek(r) == '\r') r->at++;
    if (r->at < r->text.len && peek(r) != '\n')
        return wrong(r, "something stands behind a value; write one key a line");
    return FER_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------
 */

static node *find(const node *in, fer_str key)
{
    node *n = in->first;
    while (n && !fer_str_eq(n->key, key)) n = n->next;
    return n;
}

static node *add(reader *r, node *in, fer_str key, enum kind kind)
{
    node *n = fer_arena_alloc_zero(r->a, 1, sizeof *n);
    if (!n) return NULL;
    n->key = key;
    n->kind = kind;
    n->place = n->spot = r->from;
    if (in->last) in->last->next = n;
    else in->first = n;
    in->last = n;
    return n;
}

/* The table that a part of a key leads to: the last one of an array of tables. */
static fer_code enter(reader *r, node **at, fer_str key)
{
    node *n = find(*at, key);
    if (!n) n = add(r, *at, key, TABLE);
    if (!n) return fer_arena_failed(r->a, r->err);
    if (n->kind == ARRAY && n->of_array && n->last) n = n->last;
    if (n->kind != TABLE || n->closed) return wrong(r, "this key is no table that can be added to");
    *at = n;
    return FER_OK;
}

/* ---- strings ----------------------------------------------------------------------------------
 */

static void add_utf8(fer_buf *b, uint32_t c)
{
    if (c < 0x80) {
        fer_buf_add_char(b, (char)c);
    } else if (c < 0x800) {
        fer_buf_add_char(b, (char)(0xC0 | c >> 6));
        fer_buf_add_char(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        fer_buf_add_char(b, (char)(0xE0 | c >> 12));
        fer_buf_add_char(b, (char)(0x80 | (c >> 6 & 63)));
        fer_buf_add_char(b, (char)(0x80 | (c & 63)));
    } else {
        fer_buf_add_char(b, (char)(0xF0 | c >> 18));
        fer_buf_add_char(b, (char)(0x80 | (c >> 12 & 63)));
        fer_buf_add_char(b, (char)(0x80 | (c >> 6 & 63)));
        fer_buf_add_char(b, (char)(0x80 | (c & 63)));
    }
}

static int hex_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static fer_code read_code_point(reader *r, fer_buf *b, unsigned digits)
{
    uint32_t c = 0;
    for (unsigned i = 0; i < digits; i++, r->at++) {
        int d = hex_of(peek(r));
        if (d < 0) return wrong(r, "\\u takes four hexadecimal digits, \\U eight");
        c = c << 4 | (uint32_t)d;
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return wrong(r, "this is no character");
    add_utf8(b, c);
    return FER_OK;
}

/* Behind a backslash. */
static fer_code read_escape(reader *r, fer_buf *b, bool lines)
{
    static const char names[] = "btnfre\"\\", values[] = "\b\t\n\f\r\033\"\\";
    char c = peek(r);
    const char *known = c ? strchr(names, c) : NULL;
    if (known) {
        fer_buf_add_char(b, values[known - names]);
        r->at++;
        return FER_OK;
    }
    if (c == 'u' || c == 'U') {
        r->at++;
        return read_code_point(r, b, c == 'u' ? 4 : 8);
    }
    if (!lines || (c != '\n' && c != '\r' && c != ' ' && c != '\t'))
        return wrong(r, "this is no escape of a string");
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') r->at++;
    return FER_OK;
}

/* `quote` stands once, or three times around a string of several lines. */
static fer_code read_string(reader *r, fer_str *out)
{
    char quote = peek(r);
    const char *three = quote == '"' ? "\"\"\"" : "'''";
    bool lines = starts(r, three);
    fer_buf b;
    fer_buf_init(&b, r->a, r->text.len + 1);
    r->at += lines ? 3 : 1;
    if (lines && peek(r) == '\r') r->at++;
    if (lines && peek(r) == '\n') r->at++;
    for (;;) {
        char c = peek(r);
        if (r->at >= r->text.len || (!lines && c == '\n'))
            return wrong(r, "a string is not closed");
        if (lines ? starts(r, three) : c == quote) break;
        r->at++;
        if (c == '\\' && quote == '"') {
            fer_code code = read_escape(r, &b, lines);
            if (code) return code;
        } else if ((unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r') {
            return wrong(r, "a string holds a control character");
        } else {
            fer_buf_add_char(&b, c);
        }
    }
    r->at += lines ? 3 : 1;
    while (lines && peek(r) == quote) { /* up to two more belong to the string */
        fer_buf_add_char(&b, quote);
        r->at++;
    }
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, r->err);
}

/* ---- keys -------------------------------------------------------------------------------------
 */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static fer_code read_part(reader *r, fer_str *out)
{
    size_t from = r->at;
    if (peek(r) == '"' || peek(r) == '\'') return read_string(r, out);
    while (is_bare(peek(r))) r->at++;
    if (r->at == from) return wrong(r, "a key is expected here");
    *out = fer_str_slice(r->text, from, r->at);
    return FER_OK;
}

/* All parts but the last are entered. */
static fer_code read_key(reader *r, node **at, fer_str *last)
{
    for (unsigned depth = 0;; depth++) {
        if (depth == FER_TOML_DEPTH) return wrong(r, "the key has too many parts (toml.depth)");
        skip_blanks(r);
        r->from = r->at;
        fer_code code = read_part(r, last);
        if (code) return code;
        skip_blanks(r);
        if (peek(r) != '.') return FER_OK;
        r->at++;
        code = enter(r, at, *last);
        if (code) return code;
    }
}

/* ---- values -----------------------------------------------------------------------------------
 */

static fer_code read_value(reader *r, node *into, unsigned depth);

static fer_code read_pair(reader *r, node *table, unsigned depth)
{
    fer_str key;
    node *at = table;
    fer_code code = read_key(r, &at, &key);
    if (code) return code;
    if (peek(r) != '=') return wrong(r, "a key is followed by =");
    r->at++;
    skip_blanks(r);
    if (find(at, key)) return wrong(r, "a key stands twice");
    node *n = add(r, at, key, VALUE);
    return n ? read_value(r, n, depth) : fer_arena_failed(r->a, r->err);
}

static fer_code read_array(reader *r, node *into, unsigned depth)
{
    into->kind = ARRAY;
    into->closed = true;
    r->at++;
    for (;;) {
        skip_all(r);
        if (peek(r) == ']') break;
        node *item = add(r, into, FER_STR(""), VALUE);
        fer_code code = item ? read_value(r, item, depth) : fer_arena_failed(r->a, r->err);
        if (code) return code;
        skip_all(r);
        if (peek(r) == ',') r->at++;
        else if (peek(r) != ']') return wrong(r, "an array goes on with a comma or ends with ]");
    }
    r->at++;
    return FER_OK;
}

static fer_code read_inline(reader *r, node *into, unsigned depth)
{
    into->kind = TABLE;
    r->at++;
    skip_blanks(r);
    while (peek(r) != '}') {
        fer_code code = read_pair(r, into, depth);
        if (code) return code;
        skip_blanks(r);
        if (peek(r) == ',') {
            r->at++;
            skip_blanks(r);
            if (peek(r) == '}') return wrong(r, "no comma stands behind the last key in { }");
        } else if (peek(r) != '}') {
            return wrong(r, "a table in { } goes on with a comma or ends with }");
        }
    }
    into->closed = true;
    r->at++;
    return FER_OK;
}

/* A word without quotes: a number as JSON has it, or else as a string. */
static fer_code read_word(reader *r, node *into)
{
    size_t from = r->at;
    fer_buf b;
    while (is_bare(peek(r)) || peek(r) == '+' || peek(r) == '.' || peek(r) == ':') r->at++;
    fer_str word = fer_str_slice(r->text, from, r->at);
    if (!word.len) return wrong(r, "a value is expected here");
    if (fer_str_is(word, "true") || fer_str_is(word, "false")) {
        into->json = word;
        return FER_OK;
    }
    bool number = true, digits = false;
    fer_buf_init(&b, r->a, 2 * word.len + 3);
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool sign =
            (c == '-' || c == '+') && (!i || word.ptr[i - 1] == 'e' || word.ptr[i - 1] == 'E');
        bool part = c == '_' || c == '.' || c == 'e' || c == 'E';
        digits |= c >= '0' && c <= '9';
        number &= sign || part || (c >= '0' && c <= '9');
        if (c != '_' && !(c == '+' && !i)) fer_buf_add_char(&b, c);
    }
    if (!digits && !fer_str_ends(word, "inf") && !fer_str_ends(word, "nan"))
        return wrong(r, "a text has quotes around it; true, false, numbers and dates have none");
    if (!number) {
        b.len = 0;
        fer_buf_add_quoted(&b, word);
    }
    into->json = fer_buf_view(&b);
    return fer_buf_code(&b, r->err);
}

static fer_code read_value(reader *r, node *into, unsigned depth)
{
    fer_str text;
    fer_buf b;
    into->spot = r->at;
    if (depth >= FER_TOML_DEPTH)
        return wrong(r, "values are too deep inside each other (toml.depth)");
    if (peek(r) == '[') return read_array(r, into, depth + 1);
    if (peek(r) == '{') return read_inline(r, into, depth + 1);
    if (peek(r) != '"' && peek(r) != '\'') return read_word(r, into);
    fer_code code = read_string(r, &text);
    if (code) return code;
    fer_buf_init(&b, r->a, 6 * text.len + 3);
    fer_buf_add_quoted(&b, text);
    into->json = fer_buf_view(&b);
    return fer_buf_code(&b, r->err);
}

/* ---- all --------------------------------------------------------------------------------------
 */

/* [a.b] or [[a.b]]. */
static fer_code read_header(reader *r, node *root, node **out)
{
    bool many = starts(r, "[[");
    fer_str key;
    node *at = root;
    r->at += many ? 2 : 1;
    fer_code code = read_key(r, &at, &key);
    if (code) return code;
    if (!starts(r, many ? "]]" : "]")) return wrong(r, "the head of a table is not closed");
    r->at += many ? 2 : 1;
    node *n = find(at, key);
    if (many) {
        if (n && (n->kind != ARRAY || !n->of_array)) return wrong(r, "a key stands twice");
        if (!n) n = add(r, at, key, ARRAY);
        if (n) n->of_array = true;
        *out = n ? add(r, n, FER_STR(""), TABLE) : NULL;
    } else {
        if (n && (n->kind != TABLE || n->named || n->closed))
            return wrong(r, "a table stands twice");
        *out = n ? n : add(r, at, key, TABLE);
        if (*out) (*out)->named = true;
    }
    return *out ? end_line(r) : fer_arena_failed(r->a, r->err);
}

/* A pair, or the head of a table, with the end of its last line. */
typedef struct statement {
    size_t from, to;
} statement;

/* What was read as JSON, where each of its tokens stands, and what was read. */
typedef struct written {
    fer_buf json, places; /* size_t each, one for a key or value */
    statement *list;
    size_t count, cap;
} written;

static fer_code note_statement(reader *r, written *w, size_t from)
{
    statement *list = fer_arena_room(r->a, w->list, w->count, &w->cap, sizeof *list);
    if (!list) return fer_arena_failed(r->a, r->err);
    w->list = list;
    list[w->count++] = (statement){from, r->at < r->text.len ? r->at + 1 : r->at};
    return FER_OK;
}

static void note_place(written *w, size_t place)
{
    fer_buf_add(&w->places, (fer_str){(const char *)&place, sizeof place});
}

static void write_node(written *w, const node *n)
{
    bool table = n->kind == TABLE;
    fer_buf *b = &w->json;
    note_place(w, n->spot);
    if (n->kind == VALUE) {
        fer_buf_add(b, n->json);
        return;
    }
    fer_buf_add_char(b, table ? '{' : '[');
    for (const node *x = n->first; x; x = x->next) {
        if (x != n->first) fer_buf_add_char(b, ',');
        if (table) fer_buf_add_quoted(b, x->key);
        if (table) fer_buf_add_char(b, ':');
        if (table) note_place(w, x->place);
        write_node(w, x); /* no deeper than keys and values were read */
    }
    fer_buf_add_char(b, table ? '}' : ']');
}

static fer_code convert(fer_arena *a, fer_str text, written *w, fer_err *err)
{
    reader r = {.a = a, .text = text, .err = err};
    node root = {.kind = TABLE}, *table = &root;
    fer_code code = FER_OK;
    *w = (written){.list = NULL};
    for (skip_all(&r); !code && r.at < text.len; skip_all(&r)) {
        size_t from = r.at;
        if (peek(&r) == '[') code = read_header(&r, &root, &table);
        else code = read_pair(&r, table, 0);
        if (!code) code = end_line(&r);
        if (!code) code = note_statement(&r, w, from);
    }
    if (code) return code;
    fer_buf_init(&w->json, a, JSON_MAX);
    fer_buf_init(&w->places, a, SIZE_MAX / 4);
    write_node(w, &root);
    code = fer_buf_code(&w->json, err);
    return code ? code : fer_buf_code(&w->places, err);
}

fer_code fer_toml_to_json(fer_arena *a, fer_str text, fer_str *json, fer_err *err)
{
    written w;
    fer_code code = convert(a, text, &w, err);
    if (!code) *json = fer_buf_view(&w.json);
    return code;
}

fer_code fer_toml_read(fer_arena *a, fer_str text, fer_json **out, fer_err *err)
{
    written w;
    fer_json *doc;
    fer_code code = convert(a, text, &w, err);
    if (code) return code;
    size_t *places = (size_t *)(void *)w.places.ptr, count = w.places.len / sizeof *places;
    code = fer_json_read(a, fer_buf_view(&w.json), fer_json_limits_file(), &doc, err);
    if (code && err && err->line) { /* such as 1.2.3: JSON has no such number */
        fer_json shell = {.text = fer_buf_view(&w.json)};
        size_t begun = fer_json_token_at(&shell, err->offset + 1);
        place_at(err, text, begun && begun <= count ? places[begun - 1] : 0);
    }
    if (code) return code;
    doc->text = text;
    doc->pool = NULL;
    doc->offsets = places;
    *out = doc;
    return FER_OK;
}

/* ---- editing ----------------------------------------------------------------------------------
 */

/* Whether a head is that of the table, or of one below it. */
static bool is_head(fer_str head, fer_str section, fer_str name)
{
    if (!head.len || head.ptr[0] != '[') return false;
    fer_str rest = fer_str_slice(head, 1, head.len);
    if (rest.len <= section.len + 1 || !fer_str_eq(fer_str_slice(rest, 0, section.len), section) ||
        rest.ptr[section.len] != '.')
        return false;
    rest = fer_str_slice(rest, section.len + 1, rest.len);
    bool quoted = rest.len && (rest.ptr[0] == '"' || rest.ptr[0] == '\'');
    if (quoted) rest = fer_str_slice(rest, 1, rest.len);
    if (rest.len <= name.len || !fer_str_eq(fer_str_slice(rest, 0, name.len), name)) return false;
    char after = rest.ptr[name.len + (quoted && rest.len > name.len + 1 ? 1 : 0)];
    return after == ']' || after == '.';
}

static size_t line_of(fer_str text, size_t at)
{
    while (at > 0 && text.ptr[at - 1] != '\n') at--;
    return at;
}

/* The text without the table, and with the new one where it first stood. False: it did not. */
static bool put_in_place(fer_buf *b, fer_str text, const written *w, fer_str section, fer_str name,
                         fer_str now)
{
    bool ours = false, put = false;
    size_t copied = 0;
    for (size_t i = 0; i < w->count; i++) {
        fer_str all = fer_str_slice(text, w->list[i].from, w->list[i].to);
        bool was = ours;
        if (all.ptr[0] == '[') ours = is_head(all, section, name);
        if (!ours) continue;
        if (!was) fer_buf_add(b, fer_str_slice(text, copied, line_of(text, w->list[i].from)));
        if (!put) fer_buf_add(b, now);
        put = true;
        copied = w->list[i].to; /* remarks behind it may belong to what follows */
    }
    fer_buf_add(b, fer_str_slice(text, copied, text.len));
    return put;
}

/* NULL: there is none, or it is something else, such as an array of tables. */
static const yyjson_val *table_of(const yyjson_val *in, fer_str name)
{
    const yyjson_val *key = in ? fer_val_key(in, name) : NULL;
    return key && fer_is_obj(key + 1) ? key + 1 : NULL;
}

fer_code fer_toml_set_table(fer_arena *a, fer_str text, fer_str section, fer_str name,
                            fer_str block, fer_str *out, fer_err *err)
{
    written w;
    fer_str now = FER_STR("");
    fer_json *doc;
    fer_buf b;
    fer_code code = convert(a, text, &w, err);
    if (code) return code;
    if (block.len)
        now = fer_arena_printf(a, "[%.*s.%.*s]\n%.*s", FER_PRI(section), FER_PRI(name),
                               FER_PRI(block));
    if (!now.ptr) return fer_arena_failed(a, err);
    fer_buf_init(&b, a, text.len + now.len + 16);
    if (!put_in_place(&b, text, &w, section, name, now) && now.len) {
        if (b.len && b.ptr[b.len - 1] != '\n') fer_buf_add_char(&b, '\n');
        if (b.len) fer_buf_add_char(&b, '\n');
        fer_buf_add(&b, now);
    }
    code = fer_buf_code(&b, err);
    *out = fer_buf_view(&b);
    /* A table that is written in another way, such as in line, would stand twice now. */
    if (!code) code = fer_toml_read(a, *out, &doc, err);
    if (code || !now.len) return code;
    if (table_of(table_of(fer_json_root(doc), section), name)) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE, "\"%.*s\" is no table of tables here", FER_PRI(section));
}
