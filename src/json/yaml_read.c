/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML becomes JSON text, event by event, with the place of every value noted on
 * the side; the JSON reader does the rest. So both notations have one meaning:
 * the same limits, the same duplicate keys, the same exact numbers. An anchor is a
 * range of that text, an alias a copy of it, and the size limit ends any bomb.
 *
 * libfyaml allocates by itself, outside the seam; its failures are failures here.
 */
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "errors.h"
#include "json_doc.h"

#define MAX_ANCHORS     FER_YAML_ANCHORS
#define MAX_SIZE        FER_YAML_SIZE
#define MAX_BLANK_LINES FER_YAML_BLANK_LINES

struct anchor {
    fer_str name;
    size_t json_from, json_to;   /* range of the JSON text; to is 0 while it is open */
    size_t place_from, place_to; /* range of the places */
};

struct open {
    bool mapping;
    bool implicit;      /* begins with no character of its own: it is where its first key is */
    size_t place;       /* index of its own place */
    bool expects_value; /* of a mapping: the key is written */
    size_t items;
    size_t anchor; /* index + 1, or 0 */
};

struct conversion {
    fer_arena *arena;
    fer_str text;
    const fer_json_limits *limits;
    fer_err *err;
    fer_buf json;
    fer_buf places; /* size_t offsets into the YAML text, one per value or key */
    struct open *stack;
    size_t depth;
    size_t stack_cap;
    struct anchor anchors[MAX_ANCHORS];
    size_t anchor_count;
    size_t last_end; /* of the last token seen: the place of a value that is not written at all */
};

/* A value that is not written: behind its key, or at the dash of its item. */
static size_t place_of_nothing(struct conversion *c)
{
    bool item = c->depth > 0 && !c->stack[c->depth - 1].mapping;
    size_t at = c->last_end;
    while (item && at < c->text.len &&
           (c->text.ptr[at] == ' ' || c->text.ptr[at] == '\t' || c->text.ptr[at] == '\n' ||
            c->text.ptr[at] == '\r')) {
        at++;
    }
    if (item && at < c->text.len) c->last_end = at + 1;
    return at;
}

/* Where a token starts. libfyaml's marks point behind an opening quote, and behind the '*' of an
 * alias. */
static size_t place_of(struct conversion *c, struct fy_token *token, bool alias)
{
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
    if (!start) return place_of_nothing(c);
    if (end) c->last_end = end->input_pos;
    enum fy_scalar_style style = fy_token_scalar_style(token);
    bool quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    return start->input_pos - ((alias || quoted) && start->input_pos > 0);
}

static fer_code fail_yaml(struct conversion *c, size_t place, const char *text)
{
    return fer_fail_at(c->err, FER_INVALID_YAML, place, "%s", text);
}

static fer_str token_text(struct fy_token *token)
{
    size_t len = 0;
    const char *text = token ? fy_token_get_text(token, &len) : NULL;
    return (fer_str){text, len};
}

/* Commas, colons and the rule that keys are strings, before any value or key. */
static fer_code before_value(struct conversion *c, size_t place, bool is_string)
{
    struct open *o = c->depth ? &c->stack[c->depth - 1] : NULL;
    if (o) {
        if (o->mapping && o->expects_value) {
            fer_buf_add_char(&c->json, ':');
        } else {
            if (o->items++) fer_buf_add_char(&c->json, ',');
            if (o->implicit && o->items == 1) ((size_t *)(void *)c->places.ptr)[o->place] = place;
            if (o->mapping && !is_string) {
                return fail_yaml(c, place,
                                 "the key of a mapping is a string here; put it in quotes");
            }
        }
        if (o->mapping) o->expects_value = !o->expects_value;
    }
    fer_buf_add(&c->places, (fer_str){(const char *)&place, sizeof place});
    return FER_OK;
}

/* ---- scalars: YAML 1.2 core schema (10.3.2) ------------------------------------------ */

static bool one_of(fer_str s, const char *const *words)
{
    for (; *words; words++) {
        if (fer_str_is(s, *words)) return true;
    }
    return false;
}

static size_t digits_from(fer_str s, size_t i)
{
    while (i < s.len && fer_is_digit(s.ptr[i])) i++;
    return i;
}

/* [-+]? ( digits ( . digits? )? | . digits ) ( [eE] [-+]? digits )? */
static bool is_core_number(fer_str s)
{
    size_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+') ? 1 : 0;
    size_t whole_end = digits_from(s, i), end = whole_end;
    bool digits = whole_end > i;
    if (end < s.len && s.ptr[end] == '.') {
        size_t frac_end = digits_from(s, end + 1);
        digits = digits || frac_end > end + 1;
        end = frac_end;
    }
    if (!digits) return false;
    if (end < s.len && (s.ptr[end] == 'e' || s.ptr[end] == 'E')) {
        size_t exp = end + 1;
        if (exp < s.len && (s.ptr[exp] == '-' || s.ptr[exp] == '+')) exp++;
        end = digits_from(s, exp);
        if (end == exp) return false;
    }
    return end == s.len;
}

/* JSON wants no plus, no leading zeros, and digits on both sides of a point. */
static void write_number(fer_buf *b, fer_str s)
{
    size_t i = 0;
    if (s.ptr[i] == '-') fer_buf_add_char(b, '-');
    if (s.ptr[i] == '-' || s.ptr[i] == '+') i++;
    while (i + 1 < s.len && s.ptr[i] == '0' && fer_is_digit(s.ptr[i + 1])) i++;
    if (s.ptr[i] == '.') fer_buf_add_char(b, '0');
    size_t end = digits_from(s, i);
    fer_buf_add(b, fer_str_slice(s, i, end));
    if (end < s.len && s.ptr[end] == '.') {
        size_t frac_end = digits_from(s, end + 1);
        if (frac_end > end + 1) fer_buf_add(b, fer_str_slice(s, end, frac_end));
        end = frac_end;
    }
    fer_buf_add(b, fer_str_slice(s, end, s.len));
}

/* 0o17 and 0x1F. False: not such a number; `*fits` tells whether 64 bits hold it. */
static bool parse_based(fer_str s, uint64_t *out, bool *fits)
{
    unsigned base = fer_str_starts(s, "0o") ? 8 : fer_str_starts(s, "0x") ? 16 : 0;
    *out = 0;
    *fits = true;
    if (!base || s.len < 3) return false;
    for (size_t i = 2; i < s.len; i++) {
        char c = fer_lower(s.ptr[i]);
        unsigned digit = fer_is_digit(c)        ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base) return false;
        *fits = *fits && *out <= (UINT64_MAX - digit) / base;
        *out = *out * base + digit;
    }
    return true;
}

enum scalar {
    SCALAR_STRING,
    SCALAR_NULL,
    SCALAR_TRUE,
    SCALAR_FALSE,
    SCALAR_NUMBER,
    SCALAR_BASED,
    SCALAR_NOT_JSON
};

static enum scalar plain_kind(fer_str s)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    static const char *const not_json[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf",
                                           "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
                                           ".NaN",  ".NAN",  NULL};
    uint64_t based;
    bool fits;
    if (one_of(s, nulls)) return SCALAR_NULL;
    if (one_of(s, trues)) return SCALAR_TRUE;
    if (one_of(s, falses)) return SCALAR_FALSE;
    if (one_of(s, not_json)) return SCALAR_NOT_JSON;
    if (is_core_number(s)) return SCALAR_NUMBER;
    return parse_based(s, &based, &fits) ? SCALAR_BASED : SCALAR_STRING;
}

static fer_code write_scalar(struct conversion *c, size_t place, enum scalar kind, fer_str s)
{
    uint64_t based;
    bool fits;
    switch (kind) {
    case SCALAR_NULL: fer_buf_add(&c->json, FER_STR("null")); break;
    case SCALAR_TRUE: fer_buf_add(&c->json, FER_STR("true")); break;
    case SCALAR_FALSE: fer_buf_add(&c->json, FER_STR("false")); break;
    case SCALAR_NUMBER: write_number(&c->json, s); break;
    case SCALAR_BASED:
        parse_based(s, &based, &fits);
        if (!fits) return fail_yaml(c, place, "a number in base 8 or 16 has at most 64 bits here");
        fer_buf_printf(&c->json, "%llu", (unsigned long long)based);
        break;
    case SCALAR_STRING: fer_buf_add_quoted(&c->json, s); break;
    case SCALAR_NOT_JSON:
        return fail_yaml(c, place, "JSON has no infinity and no NaN; put it in quotes");
    }
    return FER_OK;
}

/* ---- tags: those of the core schema say what a value is; others have no meaning here ----- */

enum tag {
    TAG_NONE,
    TAG_STR,
    TAG_NULL,
    TAG_BOOL,
    TAG_INT,
    TAG_FLOAT,
    TAG_MAP,
    TAG_SEQ
};

static fer_code read_tag(struct conversion *c, struct fy_token *token, enum tag *out)
{
    static const char *const names[] = {"", "str", "null", "bool", "int", "float", "map", "seq"};
    fer_str prefix = FER_STR("tag:yaml.org,2002:"), t = token_text(token);
    *out = TAG_NONE;
    if (t.len == 0) return FER_OK;
    if (fer_str_is(t, "!")) {
        *out = TAG_STR;
        return FER_OK;
    }
    for (size_t i = 1; i < FER_COUNT(names) && fer_str_starts(t, prefix.ptr); i++) {
        if (!fer_str_is(fer_str_slice(t, prefix.len, t.len), names[i])) continue;
        *out = (enum tag)i;
        return FER_OK;
    }
    return fail_yaml(c, place_of(c, token, false),
                     "tags other than YAML's own have no meaning here");
}

/* Whether a scalar of this kind may carry the tag. */
static bool tag_fits(enum tag tag, enum scalar kind, fer_str s)
{
    bool whole = kind == SCALAR_BASED || (kind == SCALAR_NUMBER && !memchr(s.ptr, '.', s.len) &&
                                          !memchr(s.ptr, 'e', s.len) && !memchr(s.ptr, 'E', s.len));
    switch (tag) {
    case TAG_NONE:
    case TAG_STR: return true;
    case TAG_NULL: return kind == SCALAR_NULL;
    case TAG_BOOL: return kind == SCALAR_TRUE || kind == SCALAR_FALSE;
    case TAG_INT: return whole;
    case TAG_FLOAT: return kind == SCALAR_NUMBER || kind == SCALAR_BASED || kind == SCALAR_NOT_JSON;
    default: return false;
    }
}

/* What a scalar is: a string where it is quoted or tagged so, else what the core schema makes of
 * it. */
static fer_code scalar_kind(struct conversion *c, struct fy_event *e, size_t place, fer_str s,
                            enum scalar *out)
{
    enum tag tag;
    struct fy_token *token = e->scalar.value;
    bool plain = !token || fy_token_scalar_style(token) == FYSS_PLAIN;
    fer_code code = read_tag(c, e->scalar.tag, &tag);
    if (code) return code;
    *out = tag == TAG_STR || (!plain && tag == TAG_NONE) ? SCALAR_STRING : plain_kind(s);
    return tag_fits(tag, *out, s) ? FER_OK
                                  : fail_yaml(c, place, "the value is not what its tag says");
}

/* ---- anchors and aliases ---------------------------------------------------------------- */

static fer_code open_anchor(struct conversion *c, struct fy_token *token, size_t *index)
{
    *index = 0;
    if (!token) return FER_OK;
    if (c->anchor_count == MAX_ANCHORS) {
        return fer_fail_at(c->err, FER_LIMIT_EXCEEDED, place_of(c, token, false),
                           "yaml.anchors: more than %d anchors", MAX_ANCHORS);
    }
    struct anchor *a = &c->anchors[c->anchor_count++];
    /* The value starts here; its place was noted just before. */
    *a = (struct anchor){.name = fer_arena_copy(c->arena, token_text(token)),
                         .json_from = c->json.len,
                         .place_from = c->places.len - sizeof(size_t)};
    if (!a->name.ptr) return fer_arena_failed(c->arena, c->err);
    *index = c->anchor_count;
    return FER_OK;
}

static void close_anchor(struct conversion *c, size_t index)
{
    if (!index) return;
    c->anchors[index - 1].json_to = c->json.len;
    c->anchors[index - 1].place_to = c->places.len;
}

static fer_code expand_alias(struct conversion *c, struct fy_token *token)
{
    fer_str name = token_text(token);
    size_t i = c->anchor_count, place = place_of(c, token, true);
    while (i > 0 && !fer_str_eq(c->anchors[i - 1].name, name)) i--;
    if (i == 0) return fail_yaml(c, place, "the alias names no anchor before it");
    const struct anchor *a = &c->anchors[i - 1];
    if (a->json_to == 0) return fail_yaml(c, place, "the alias stands inside its own anchor");
    size_t len = a->json_to - a->json_from, places = a->place_to - a->place_from;
    bool is_string = c->json.ptr[a->json_from] == '"';
    fer_code code = before_value(c, place, is_string);
    if (code) return code;
    char *to = fer_buf_reserve(&c->json, len);
    if (to) {
        memcpy(to, c->json.ptr + a->json_from, len);
        c->json.len += len;
    }
    /* before_value noted the alias itself as the place of the copy's first value. */
    char *more =
        places > sizeof(size_t) ? fer_buf_reserve(&c->places, places - sizeof(size_t)) : NULL;
    if (more) {
        memcpy(more, c->places.ptr + a->place_from + sizeof(size_t), places - sizeof(size_t));
        c->places.len += places - sizeof(size_t);
    }
    return FER_OK;
}

/* ---- events -------------------------------------------------------------------------------- */

static fer_code on_scalar(struct conversion *c, struct fy_event *e)
{
    struct fy_token *token = e->scalar.value;
    fer_str s = token_text(token);
    size_t anchor = 0, place = place_of(c, token, false);
    enum scalar kind;
    fer_code code = scalar_kind(c, e, place, s, &kind);
    if (code) return code;
    struct open *o = c->depth ? &c->stack[c->depth - 1] : NULL;
    bool plain = token && fy_token_scalar_style(token) == FYSS_PLAIN;
    if (plain && o && o->mapping && !o->expects_value && fer_str_is(s, "<<")) {
        return fail_yaml(c, place, "merge keys (<<) are not part of YAML 1.2; write the keys out");
    }
    code = before_value(c, place, kind == SCALAR_STRING);
    if (!code) code = open_anchor(c, e->scalar.anchor, &anchor);
    if (!code) code = write_scalar(c, place, kind, s);
    close_anchor(c, anchor);
    return code;
}

static bool push(struct conversion *c, struct open o)
{
    if (c->depth == c->stack_cap) {
        size_t cap = c->stack_cap ? c->stack_cap * 2 : 16;
        struct open *stack =
            fer_arena_grow(c->arena, c->stack, c->stack_cap * sizeof *stack, cap * sizeof *stack);
        if (!stack) return false;
        c->stack = stack;
        c->stack_cap = cap;
    }
    c->stack[c->depth++] = o;
    return true;
}

static fer_code on_start(struct conversion *c, bool mapping, struct fy_token *start,
                         struct fy_token *tag_token, struct fy_token *anchor)
{
    enum tag tag;
    size_t index = 0, place = place_of(c, start, false);
    fer_code code = read_tag(c, tag_token, &tag);
    if (code) return code;
    if (tag != TAG_NONE && tag != (mapping ? TAG_MAP : TAG_SEQ)) {
        return fail_yaml(c, place, "the value is not what its tag says");
    }
    if (c->depth >= c->limits->depth) {
        return fer_fail_at(c->err, FER_LIMIT_EXCEEDED, place,
                           "json.depth: %zu is over the limit of %zu", c->depth + 1,
                           c->limits->depth);
    }
    code = before_value(c, place, false);
    if (!code) code = open_anchor(c, anchor, &index);
    if (code) return code;
    struct open o = {.mapping = mapping,
                     .implicit = mapping && token_text(start).len == 0,
                     .place = c->places.len / sizeof(size_t) - 1,
                     .anchor = index};
    if (!push(c, o)) return fer_arena_failed(c->arena, c->err);
    fer_buf_add_char(&c->json, mapping ? '{' : '[');
    return FER_OK;
}

static void on_end(struct conversion *c)
{
    struct open *o = &c->stack[--c->depth];
    fer_buf_add_char(&c->json, o->mapping ? '}' : ']');
    close_anchor(c, o->anchor);
}

static fer_code on_event(struct conversion *c, struct fy_event *e)
{
    switch (e->type) {
    case FYET_SCALAR: return on_scalar(c, e);
    case FYET_ALIAS: return expand_alias(c, e->alias.anchor);
    case FYET_SEQUENCE_START:
        return on_start(c, false, e->sequence_start.sequence_start, e->sequence_start.tag,
                        e->sequence_start.anchor);
    case FYET_MAPPING_START:
        return on_start(c, true, e->mapping_start.mapping_start, e->mapping_start.tag,
                        e->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: on_end(c); return FER_OK;
    default: return FER_OK;
    }
}

/* The byte of a line and column, both counted from 1; the last byte of a shorter line or text. */
static size_t byte_at(fer_str text, int line, int column)
{
    size_t at = 0;
    for (; line > 1; line--) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) return text.len;
        at = end + 1;
    }
    for (; column > 1 && at < text.len && text.ptr[at] != '\n'; column--)
        at += fer_utf8_len(text, at);
    return at;
}

/* What libfyaml says about a syntax error: its first message, with its place. */
static fer_code syntax_failed(struct conversion *c, struct fy_diag *diag)
{
    void *next = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &next);
    if (!e) return fail_yaml(c, 0, "the text is not YAML");
    return fail_yaml(c, byte_at(c->text, e->line, e->column), e->msg);
}

static struct fy_token *token_of(const struct fy_event *e)
{
    switch (e->type) {
    case FYET_SCALAR: return e->scalar.value;
    case FYET_SEQUENCE_START: return e->sequence_start.sequence_start;
    case FYET_MAPPING_START: return e->mapping_start.mapping_start;
    default: return NULL;
    }
}

static fer_code convert(struct conversion *c, struct fy_parser *parser, struct fy_diag *diag)
{
    fer_code code = FER_OK;
    size_t documents = 0;
    struct fy_event *e;
    while (!code && (e = fy_parser_parse(parser)) != NULL) {
        bool start = e->type == FYET_DOCUMENT_START;
        struct fy_token *marker = start ? e->document_start.document_start : token_of(e);
        documents += start;
        /* A document that follows without a marker is seen at its first value. */
        if (documents > 1 && (marker || !start)) {
            code = fail_yaml(c, place_of(c, marker, false),
                             "a second document starts here; one text holds one document");
        } else if (documents < 2) {
            code = on_event(c, e);
        }
        fy_parser_event_free(parser, e);
        if (!code && c->json.failure == FER_LIMIT_EXCEEDED && !c->json.arena_failed) {
            code = fer_fail(
                c->err, FER_LIMIT_EXCEEDED,
                "json.size: with its aliases written out the text is over the limit of %zu bytes",
                c->limits->size);
        }
        if (!code) code = fer_buf_code(&c->json, c->err);
        if (!code) code = fer_buf_code(&c->places, c->err);
    }
    if (!code && fy_parser_get_stream_error(parser)) code = syntax_failed(c, diag);
    if (!code && documents == 0) code = fail_yaml(c, 0, "the text is empty");
    return code;
}

/* The places of the JSON text's values are those noted on the way. */
static fer_code read_converted(struct conversion *c, fer_json **out)
{
    fer_json *doc;
    fer_json_limits limits = *c->limits;
    limits.size = SIZE_MAX; /* the size that counts is the YAML's, and the expansion was bounded */
    const size_t *places = (const size_t *)(const void *)c->places.ptr;
    fer_code code = fer_json_read(c->arena, fer_buf_view(&c->json), &limits, &doc, c->err);
    if (code) {
        /* The failure names a byte of the JSON text: count the tokens before it. */
        if (c->err && c->err->line) {
            fer_json shell = {.text = fer_buf_view(&c->json)};
            size_t token = fer_json_token_at(&shell, c->err->offset);
            c->err->offset = token < c->places.len / sizeof(size_t) ? places[token] : 0;
        }
        return code;
    }
    doc->text = c->text;
    doc->offsets = (size_t *)(void *)c->places.ptr;
    *out = doc;
    return FER_OK;
}

static fer_code run(struct conversion *c, fer_json **out)
{
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    if (!diag) return fer_fail(c->err, FER_OUT_OF_MEMORY, "out of memory");
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                        FYPCF_DISABLE_DEPTH_LIMIT | FYPCF_ALLOW_DUPLICATE_KEYS,
                               .diag = diag};
    struct fy_parser *parser = fy_parser_create(&cfg);
    fer_code code;
    if (!parser || fy_parser_set_string(parser, c->text.ptr ? c->text.ptr : "", c->text.len) != 0) {
        code = fer_fail(c->err, FER_OUT_OF_MEMORY, "out of memory");
    } else {
        code = convert(c, parser, diag);
    }
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return code ? code : read_converted(c, out);
}

/*
 * libfyaml is not to be trusted with everything: it may take NUL for the end of the
 * text, broken UTF-8 may keep it for ever, and blank lines cost it the square of their
 * number (20,000 of them 0.4 s). So these never reach it. YAML 1.2, 5.1.
 */
static fer_code check_text(fer_str text, fer_err *err)
{
    size_t blank = 0; /* line ends since the last character that is not white space: the first ends
                         that line */
    if (text.len > MAX_SIZE) {
        return fer_fail(err, FER_LIMIT_EXCEEDED, "yaml.size: %zu bytes are over the limit of %zu",
                        text.len, MAX_SIZE);
    }
    for (size_t at = 0, len; at < text.len; at += len) {
        char c = text.ptr[at];
        len = fer_utf8_len(text, at);
        bool control = (unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r';
        if (len == 0 || control) {
            return fer_fail_at(err, FER_INVALID_YAML, at,
                               "the text is not UTF-8, or holds a control character");
        }
        bool line_end =
            c == '\n' || (c == '\r' && !(at + 1 < text.len && text.ptr[at + 1] == '\n'));
        blank = line_end ? blank + 1 : c == ' ' || c == '\t' || c == '\r' ? blank : 0;
        if (blank > MAX_BLANK_LINES + 1) {
            return fer_fail_at(err, FER_LIMIT_EXCEEDED, at,
                               "yaml.blank-lines: more than %d blank lines in a row",
                               MAX_BLANK_LINES);
        }
    }
    return FER_OK;
}

fer_code fer_yaml_read(fer_arena *a, fer_str text, const fer_json_limits *limits, fer_json **out,
                       fer_err *err)
{
    if (!limits) limits = fer_json_limits_message();
    if (text.len > limits->size) {
        return fer_fail(err, FER_LIMIT_EXCEEDED, "json.size: %zu bytes are over the limit of %zu",
                        text.len, limits->size);
    }
    fer_code code = check_text(text, err);
    if (code) {
        if (err && err->line) fer_err_locate(err, text);
        return code;
    }
    struct conversion *c = fer_arena_alloc_zero(a, 1, sizeof *c);
    if (!c) return fer_arena_failed(a, err);
    c->arena = a;
    c->text = text;
    c->limits = limits;
    c->err = err;
    fer_buf_init(&c->json, a, limits->size);
    fer_buf_init(&c->places, a, SIZE_MAX / 4);
    code = run(c, out);
    if (code && err && err->line) fer_err_locate(err, text);
    return code;
}
