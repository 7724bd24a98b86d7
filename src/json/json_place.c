/* SPDX-License-Identifier: Apache-2.0 */
/* From values back to bytes, lines and columns. The text is known to be valid JSON here. */
#include "json_doc.h"

#include <string.h>

#include "errors.h"

static bool between_tokens(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':' || c == ']' ||
           c == '}';
}

static size_t string_len(fer_str text, size_t offset)
{
    size_t i = offset + 1;
    while (i < text.len && text.ptr[i] != '"') i += text.ptr[i] == '\\' ? 2 : 1;
    return (i < text.len ? i + 1 : text.len) - offset;
}

size_t fer_json_token_len(fer_str text, size_t offset)
{
    if (offset >= text.len) return 0;
    char c = text.ptr[offset];
    if (c == '"') return string_len(text, offset);
    if (c == '{' || c == '[') return 1;
    size_t i = offset;
    while (i < text.len && !between_tokens(text.ptr[i])) i++;
    return i > offset ? i - offset : 1;
}

/* The start of the next token at or after `at`, or the end of the text. */
static size_t next_token(fer_str text, size_t at)
{
    while (at < text.len && between_tokens(text.ptr[at])) at++;
    return at;
}

size_t fer_json_token_next(fer_str text, size_t offset)
{
    return next_token(text, offset + fer_json_token_len(text, offset));
}

/* Bytes of a byte order mark at the start: 0 or 3. */
static size_t mark_len(fer_str text)
{
    bool marked =
        text.len >= 3 && text.ptr[0] == '\xEF' && text.ptr[1] == '\xBB' && text.ptr[2] == '\xBF';
    return marked ? 3 : 0;
}

size_t fer_json_token_first(fer_str text)
{
    return next_token(text, mark_len(text));
}

fer_code fer_json_index(fer_arena *a, fer_json *doc, fer_err *err)
{
    if (doc->offsets) return FER_OK;
    size_t *offsets = fer_arena_alloc_zero(a, doc->count, sizeof *offsets);
    if (!offsets) return fer_arena_failed(a, err);
    size_t at = fer_json_token_first(doc->text);
    for (size_t i = 0; i < doc->count; i++) {
        offsets[i] = at;
        at = fer_json_token_next(doc->text, at);
    }
    doc->offsets = offsets;
    return FER_OK;
}

/* The byte of a string, which yyjson left where it was in its copy. False: not known. */
static bool string_offset(const fer_json *doc, const yyjson_val *v, size_t *out)
{
    if (!fer_is_str(v) || !doc->pool) return false;
    size_t at = (size_t)((uintptr_t)v->uni.str - (uintptr_t)doc->pool) + mark_len(doc->text) - 1;
    if (at >= doc->text.len || doc->text.ptr[at] != '"') return false;
    *out = at;
    return true;
}

/*
 * Behind a string that starts at `at`. Without a backslash among as many bytes of text as the
 * string has, these are the string.
 */
static size_t string_next(const fer_json *doc, const yyjson_val *v, size_t at)
{
    fer_str text = doc->text;
    size_t len = fer_val_len(v), end = at + 1 + len;
    bool plain = end < text.len && text.ptr[end] == '"' && !memchr(text.ptr + at + 1, '\\', len);
    return plain ? next_token(text, end + 1) : fer_json_token_next(text, at);
}

/* The byte of the first token, which is only looked for where it is needed. */
#define FIRST SIZE_MAX

/* Counts on from the value `from`, whose byte is `at`, or from a string that is nearer. */
static size_t count_on(const fer_json *doc, size_t from, size_t at, size_t index)
{
    size_t known = index;
    while (known > from && !string_offset(doc, &doc->vals[known], &at)) known--;
    if (at == FIRST) at = fer_json_token_first(doc->text);
    if (known < index && fer_is_str(&doc->vals[known])) {
        at = string_next(doc, &doc->vals[known++], at);
    }
    for (; known < index; known++) at = fer_json_token_next(doc->text, at);
    return at;
}

size_t fer_json_offset(const fer_json *doc, const yyjson_val *value)
{
    size_t index = (size_t)(value - doc->vals), at;
    if (doc->offsets) return doc->offsets[index];
    /* Most are strings, or have a key before them. */
    if (string_offset(doc, value, &at)) return at;
    if (index && string_offset(doc, value - 1, &at)) return string_next(doc, value - 1, at);
    return count_on(doc, 0, FIRST, index);
}

size_t fer_json_token_at(const fer_json *doc, size_t offset)
{
    size_t index = 0;
    for (size_t at = fer_json_token_first(doc->text); at < offset; index++) {
        at = fer_json_token_next(doc->text, at);
    }
    return index;
}

static const struct fer_lines_at first_byte = {.line = 1, .column = 1};

void fer_lines_init(fer_lines *l, fer_str text)
{
    *l = (fer_lines){.text = text, .last = first_byte, .mark = first_byte};
}

#define SIMPLE_MAX 8192 /* bytes that are looked at in the hope that they are simple */
#define BLOCK      240 /* bytes that are counted in one byte, so that compilers use wide registers */

typedef signed char wide __attribute__((vector_size(16)));

/* The top bit of some byte is set where one is the end of a line, or not ASCII. */
static uint64_t odd_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t ends = word ^ ones * '\n';
    return word | ((ends - ones) & ~ends);
}

/* Whether so many bytes are ASCII without the end of a line, as a part of a line mostly is. */
static bool is_simple(const char *p, size_t len)
{
    uint64_t word, parts[2];
    wide some, all = {0};
    if (len < sizeof word) {
        for (word = 0; len; p++, len--) word |= odd_bytes((unsigned char)*p);
        return !(word & 0x80);
    }
    const char *last = p + len;
    for (; last - p > (ptrdiff_t)sizeof some; p += sizeof some) {
        memcpy(&some, p, sizeof some);
        all |= some | (wide)(some == '\n');
    }
    memcpy(parts, &all, sizeof parts);
    uint64_t odd = parts[0] | parts[1];
    for (; last - p > (ptrdiff_t)sizeof word; p += sizeof word) {
        memcpy(&word, p, sizeof word);
        odd |= odd_bytes(word);
    }
    memcpy(&word, last - sizeof word, sizeof word);
    return !((odd | odd_bytes(word)) & UINT64_C(0x8080808080808080));
}

/* Code points; a byte order mark at the very start is none. */
static uint32_t code_points(fer_str text, size_t from, size_t to)
{
    uint32_t count = 0;
    if (from == 0) from = mark_len(text);
    while (from < to) {
        size_t end = to - from > BLOCK ? from + BLOCK : to;
        uint8_t some = 0;
        for (; from < end; from++) {
            some = (uint8_t)(some + (((unsigned char)text.ptr[from] & 0xC0) != 0x80));
        }
        count += some;
    }
    return count;
}

static uint32_t line_ends(fer_str text, size_t from, size_t to)
{
    uint32_t count = 0;
    while (from < to) {
        size_t end = to - from > BLOCK ? from + BLOCK : to;
        uint8_t some = 0;
        for (; from < end; from++) some = (uint8_t)(some + (text.ptr[from] == '\n'));
        count += some;
    }
    return count;
}

/* From a byte on to one behind it. */
static struct fer_lines_at go_on(fer_str text, struct fer_lines_at at, size_t offset)
{
    size_t span = offset - at.offset;
    if (span && span < SIMPLE_MAX && is_simple(text.ptr + at.offset, span)) {
        return (struct fer_lines_at){offset, at.line, at.column + (uint32_t)span};
    }
    const char *end = span ? memrchr(text.ptr + at.offset, '\n', span) : NULL;
    if (end) {
        size_t start = (size_t)(end - text.ptr) + 1;
        at = (struct fer_lines_at){start, at.line + line_ends(text, at.offset, start), 1};
    }
    at.column += code_points(text, at.offset, offset);
    at.offset = offset;
    return at;
}

fer_place fer_lines_place(fer_lines *l, size_t offset)
{
    if (offset > l->text.len) offset = l->text.len;
    if (offset < l->last.offset) l->last = offset >= l->mark.offset ? l->mark : first_byte;
    l->last = go_on(l->text, l->last, offset);
    return (fer_place){offset, l->last.line, l->last.column};
}

fer_place fer_json_place(const fer_json *doc, const yyjson_val *value)
{
    size_t offset = fer_json_offset(doc, value);
    struct fer_lines_at at = go_on(doc->text, first_byte, offset);
    return (fer_place){offset, at.line, at.column};
}

void fer_placer_init(fer_placer *p, const fer_json *doc)
{
    *p = (fer_placer){.doc = doc, .offset = FIRST};
    fer_lines_init(&p->lines, doc->text);
}

fer_place fer_placer_to(fer_placer *p, const yyjson_val *value)
{
    size_t index = (size_t)(value - p->doc->vals);
    p->offset = p->doc->offsets || index < p->index ? fer_json_offset(p->doc, value)
                                                    : count_on(p->doc, p->index, p->offset, index);
    p->index = index;
    return fer_lines_place(&p->lines, p->offset);
}

void fer_lines_mark(fer_lines *l, size_t offset)
{
    fer_lines_place(l, offset);
    l->mark = l->last;
}

fer_str fer_lines_line(fer_str text, size_t offset)
{
    size_t start = offset < text.len ? offset : text.len;
    while (start > 0 && text.ptr[start - 1] != '\n') start--;
    size_t end = fer_str_find(text, start, '\n');
    if (end == SIZE_MAX) end = text.len;
    if (end > start && text.ptr[end - 1] == '\r') end--;
    return fer_str_slice(text, start, end);
}

void fer_err_locate_in(fer_err *err, fer_lines *lines)
{
    fer_place place = fer_lines_place(lines, err->offset);
    err->line = place.line;
    err->column = place.column;
}

void fer_err_locate(fer_err *err, fer_str text)
{
    fer_lines lines;
    fer_lines_init(&lines, text);
    fer_err_locate_in(err, &lines);
}
