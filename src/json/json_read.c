/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading works on a copy of the text, of which strings are made where they stand. Ordinary
 * messages take one go (json_quick.c). What that leaves is parsed by yyjson; then one pass
 * over the values (json_pass.c) checks limits and duplicate keys and puts back the text of
 * numbers that 64 bits do not hold exactly. bench/json prints what reading costs.
 */
#include "json_doc.h"

#include "checked.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "errors.h"
#include "json_pass.h"
#include "json_quick.h"

const fer_json_limits *fer_json_limits_message(void)
{
    static const fer_json_limits limits = {.size = 4u << 20,
                                           .depth = 128,
                                           .nodes = 200000,
                                           .string = 1u << 20,
                                           .number = 1000,
                                           .exponent = 18,
                                           .members = 10000,
                                           .key = 1024};
    return &limits;
}

const fer_json_limits *fer_json_limits_answer(void)
{
    static const fer_json_limits limits = {.size = 4u << 20,
                                           .depth = 128,
                                           .nodes = 200000,
                                           .string = 4u << 20,
                                           .number = 1000,
                                           .exponent = 18,
                                           .members = 10000,
                                           .key = 1024};
    return &limits;
}

const fer_json_limits *fer_json_limits_file(void)
{
    static const fer_json_limits limits = {.size = (size_t)2 << 30,
                                           .depth = 128,
                                           .nodes = 100000000,
                                           .string = 16u << 20,
                                           .number = 1000,
                                           .exponent = 18,
                                           .members = 1000000,
                                           .key = 1024};
    return &limits;
}

const struct fer_json_limit_row fer_json_limit_rows[] = {
    {"json.size", offsetof(fer_json_limits, size), "bytes of one document"},
    {"json.depth", offsetof(fer_json_limits, depth), "arrays and objects inside each other"},
    {"json.nodes", offsetof(fer_json_limits, nodes), "values in one document, keys not counted"},
    {"json.string", offsetof(fer_json_limits, string), "bytes of one string"},
    {"json.number", offsetof(fer_json_limits, number), "characters of one number"},
    {"json.exponent", offsetof(fer_json_limits, exponent), "digits of a number's exponent"},
    {"json.members", offsetof(fer_json_limits, members), "keys of one object"},
    {"json.key", offsetof(fer_json_limits, key), "bytes of one key"},
};
const size_t fer_json_limit_row_count = FER_COUNT(fer_json_limit_rows);

/* ---- yyjson's memory comes from the arena ---------------------------------- */

static void *alc_malloc(void *ctx, size_t size)
{
    return fer_arena_alloc(ctx, size);
}

static void *alc_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    return fer_arena_grow(ctx, p, old_size, size);
}

static void alc_free(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

yyjson_alc fer_json_alc(fer_arena *a)
{
    return (yyjson_alc){alc_malloc, alc_realloc, alc_free, a};
}

/* ---- syntax errors, in words ------------------------------------------------ */

static bool looks_like(fer_str text, size_t at, const char *word)
{
    return at < text.len && fer_str_starts(fer_str_slice(text, at, text.len), word);
}

/* The last byte before `at` that is not white space, or 0. */
static char before(fer_str text, size_t at)
{
    while (at > 0 && (text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\t' ||
                      text.ptr[at - 1] == '\n' || text.ptr[at - 1] == '\r')) {
        at--;
    }
    return at ? text.ptr[at - 1] : '\0';
}

/* What people usually meant by the byte that broke the rules; NULL where nothing comes to mind. */
static const char *usual_mistake(fer_str text, size_t at)
{
    char c = at < text.len ? text.ptr[at] : '\0';
    if (looks_like(text, at, "//") || looks_like(text, at, "/*") || c == '#') {
        return "JSON has no comments";
    }
    if ((c == '}' || c == ']') && before(text, at) == ',') {
        return "the last item has a comma behind it; take the comma out";
    }
    if (c == '\'') return "strings and keys take double quotes";
    if (looks_like(text, at, "NaN") || looks_like(text, at, "Infinity") ||
        looks_like(text, at, "-Infinity")) {
        return "JSON has no NaN and no Infinity";
    }
    if (looks_like(text, at, "True") || looks_like(text, at, "False") ||
        looks_like(text, at, "None") || looks_like(text, at, "undefined")) {
        return "JSON's words are true, false and null";
    }
    if (looks_like(text, at, "\xEF\xBB\xBF"))
        return "a byte order mark belongs at the very start only";
    if (c == '"' &&
        (before(text, at) == '"' || before(text, at) == '}' || before(text, at) == ']')) {
        return "a comma is missing before it";
    }
    if (fer_is_alpha(c)) return "keys and strings take double quotes";
    return NULL;
}

static fer_code syntax_failed(fer_err *err, fer_str text, const yyjson_read_err *why)
{
    size_t at = why->pos < text.len ? why->pos : text.len;
    if (why->code == YYJSON_READ_ERROR_EMPTY_CONTENT || text.len == 0) {
        return fer_fail_at(err, FER_INVALID_JSON, 0, "the text is empty; JSON needs a value");
    }
    if (why->code == YYJSON_READ_ERROR_UNEXPECTED_END || at == text.len) {
        return fer_fail_at(err, FER_INVALID_JSON, text.len,
                           "the text ends too early: a value, quote or bracket is still open");
    }
    if (why->code == YYJSON_READ_ERROR_UNEXPECTED_CONTENT) {
        return fer_fail_at(err, FER_INVALID_JSON, at,
                           "there is more text after the end of the document");
    }
    bool in_string = why->code == YYJSON_READ_ERROR_INVALID_STRING;
    const char *hint = in_string ? NULL : usual_mistake(text, at);
    return fer_fail_at(err, FER_INVALID_JSON, at, "%s%s%s", why->msg, hint ? ": " : "",
                       hint ? hint : "");
}

/* ---- reading -------------------------------------------------------------------- */

static fer_str without_bom(fer_str text)
{
    bool bom = text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0;
    return bom ? fer_str_slice(text, 3, text.len) : text;
}

#define SKIM_FROM ((size_t)64 << 10) /* bytes from which depth is looked at before all else */

/* The next bracket or quote; inside a string, the next quote or backslash. */
static const char *next_mark(const char *c, const char *end, bool in_string)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), bit = _mm_set1_epi8(' ');
    for (; end - c >= 16; c += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)c);
        const __m128i either = _mm_or_si128(x, bit); /* [ and { differ by this, ] and } as well */
        const __m128i others =
            in_string ? _mm_cmpeq_epi8(x, slash)
                      : _mm_or_si128(_mm_cmpeq_epi8(either, open), _mm_cmpeq_epi8(either, close));
        const int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(x, quote), others));
        if (found) return c + __builtin_ctz((unsigned)found);
    }
#endif
    for (; c < end && *c != '"'; c++) {
        if (in_string ? *c == '\\' : (*c | ' ') == '{' || (*c | ' ') == '}') break;
    }
    return c;
}

/*
 * The byte at which a text gets deeper than the limit, SIZE_MAX where it does not. yyjson would
 * build the whole tree first: a megabyte of brackets takes it 50 ms and 45 MB.
 */
static size_t too_deep(fer_str text, size_t limit)
{
    size_t depth = 0;
    bool in_string = false;
    const char *end = text.ptr + text.len;
    for (const char *c = text.ptr; (c = next_mark(c, end, in_string)) < end; c++) {
        if (*c == '"') {
            in_string = !in_string;
        } else if (in_string) {
            c += end - c > 1; /* what is escaped */
        } else if ((*c | ' ') == '{') {
            if (depth++ == limit) return (size_t)(c - text.ptr);
        } else {
            depth -= depth > 0;
        }
    }
    return SIZE_MAX;
}

/* `copy` is the body with zeros behind it; yyjson makes strings of it where they stand. */
static fer_code read_copy(fer_arena *a, fer_json *doc, fer_str body, char *copy,
                          const fer_json_limits *limits, fer_err *err)
{
    const yyjson_alc alc = fer_json_alc(a);
    yyjson_read_err why;
    yyjson_doc *read = yyjson_read_opts(copy, body.len,
                                        YYJSON_READ_INSITU | YYJSON_READ_BIGNUM_AS_RAW, &alc, &why);
    if (!read) {
        if (why.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) return fer_arena_failed(a, err);
        fer_code code = syntax_failed(err, body, &why);
        if (err) err->offset += doc->text.len - body.len;
        return code;
    }
    doc->vals = read->root;
    doc->count = read->val_read;
    /* yyjson guesses how many values there will be; the values are its last allocation. */
    fer_arena_trim(a, doc->vals + doc->count);
    return fer_json_pass(a, doc, copy - (doc->text.len - body.len), limits, err);
}

static void fill(char *copy, fer_str body)
{
    if (body.len) memcpy(copy, body.ptr, body.len);
    memset(copy + body.len, 0, FER_QUICK_PADDING);
}

static fer_code read_text(fer_arena *a, fer_str text, const fer_json_limits *limits, fer_json **out,
                          fer_err *err)
{
    fer_str body = without_bom(text);
    size_t deep = body.len < SKIM_FROM ? SIZE_MAX : too_deep(body, limits->depth);
    if (deep != SIZE_MAX) {
        return fer_fail_at(err, FER_LIMIT_EXCEEDED, deep + text.len - body.len,
                           "json.depth: %zu is over the limit of %zu", limits->depth + 1,
                           limits->depth);
    }
    size_t size;
    if (!fer_add_size(body.len, sizeof(fer_json) + FER_QUICK_PADDING, &size)) size = SIZE_MAX;
    fer_json *doc = fer_arena_alloc(a, size);
    if (!doc) return fer_arena_failed(a, err);
    *doc = (fer_json){.text = text};
    char *copy = (char *)(doc + 1);
    doc->pool = copy;
    fill(copy, body);
    if (!fer_json_quick(a, doc, copy, body.len, limits)) {
        fill(copy, body);
        fer_code code = read_copy(a, doc, body, copy, limits, err);
        if (code) return code;
    }
    *out = doc;
    return FER_OK;
}

fer_code fer_json_read(fer_arena *a, fer_str text, const fer_json_limits *limits, fer_json **out,
                       fer_err *err)
{
    if (!limits) limits = fer_json_limits_message();
    size_t most = limits->size < UINT32_MAX ? limits->size : UINT32_MAX;
    if (text.len > most) {
        return fer_fail(err, FER_LIMIT_EXCEEDED, "json.size: %zu bytes are over the limit of %zu",
                        text.len, most);
    }
    fer_code code = read_text(a, text, limits, out, err);
    if (code && err && err->line) fer_err_locate(err, text);
    return code;
}

fer_code fer_json_read_part(fer_arena *a, fer_lines *lines, size_t from, size_t to,
                            const fer_json_limits *limits, fer_json **out, fer_err *err)
{
    fer_str part = fer_str_slice(lines->text, from, to);
    bool mark = from > 0 && fer_str_starts(part, "\xEF\xBB\xBF");
    fer_code code = mark ? fer_fail_at(err, FER_INVALID_JSON, 0,
                                       "a byte order mark belongs at the very start only")
                         : fer_json_read(a, part, limits, out, err);
    if (code && err && err->line) {
        err->offset += from;
        fer_err_locate_in(err, lines);
    }
    return code;
}

const struct yyjson_val *fer_json_root(const fer_json *doc)
{
    return doc->vals;
}
