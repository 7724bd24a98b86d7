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

#define MAX_ANCHORS 1000

struct anchor {
    fer_str name;
    size_t json_from, json_to;   /* range of the JSON text; to is 0 while it is open */
    size_t place_from, place_to; /* range of the places */
};

struct open {
    bool mapping;
    bool expects_value; /* of a mapping: the key is written */
    size_t items;
    size_t anchor; /* index + 1, or 0 */
};

struct conversion {
    fer_arena *arena;
    const fer_json_limits *limits;
    fer_err *err;
    fer_buf json;
    fer_buf places; /* size_t offsets into the YAML text, one per value or key */
    struct open *stack;
    size_t depth;
    struct anchor anchors[MAX_ANCHORS];
    size_t anchor_count;
};

static fer_code at_mark(struct conversion *c, const struct fy_token *token, const char *text)
{
    const struct fy_mark *mark =
        token ? fy_token_start_mark((struct fy_token *)(uintptr_t)token) : NULL;
    return fer_fail_at(c->err, FER_INVALID_YAML, mark ? mark->input_pos : 0, "%s", text);
}

static fer_str token_text(struct fy_token *token)
{
    size_t len = 0;
    const char *text = token ? fy_token_get_text(token, &len) : NULL;
    return (fer_str){text, len};
}

/* Commas, colons and the rule that keys are strings, before any value or key. */
static fer_code before_value(struct conversion *c, struct fy_token *token, bool is_string)
{
    struct open *o = c->depth ? &c->stack[c->depth - 1] : NULL;
    if (o) {
        if (o->mapping && o->expects_value) {
            fer_buf_add_char(&c->json, ':');
        } else {
            if (o->items++) fer_buf_add_char(&c->json, ',');
            if (o->mapping && !is_string) {
                return at_mark(c, token, "the key of a mapping is a string here; put it in quotes");
            }
        }
        if (o->mapping) o->expects_value = !o->expects_value;
    }
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    size_t place = mark ? mark->input_pos : 0;
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

/* 0o17 and 0x1F, up to 64 bits. */
static bool parse_based(fer_str s, uint64_t *out)
{
    unsigned base = fer_str_starts(s, "0o") ? 8 : fer_str_starts(s, "0x") ? 16 : 0;
    uint64_t value = 0;
    if (!base || s.len < 3) return false;
    for (size_t i = 2; i < s.len; i++) {
        char c = fer_lower(s.ptr[i]);
        unsigned digit = fer_is_digit(c)        ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base || value > (UINT64_MAX - digit) / base) return false;
        value = value * base + digit;
    }
    *out = value;
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
    if (one_of(s, nulls)) return SCALAR_NULL;
    if (one_of(s, trues)) return SCALAR_TRUE;
    if (one_of(s, falses)) return SCALAR_FALSE;
    if (one_of(s, not_json)) return SCALAR_NOT_JSON;
    if (is_core_number(s)) return SCALAR_NUMBER;
    return parse_based(s, &based) ? SCALAR_BASED : SCALAR_STRING;
}

static fer_code write_scalar(struct conversion *c, struct fy_token *token, enum scalar kind,
                             fer_str s)
{
    uint64_t based = 0;
    switch (kind) {
    case SCALAR_NULL: fer_buf_add(&c->json, FER_STR("null")); break;
    case SCALAR_TRUE: fer_buf_add(&c->json, FER_STR("true")); break;
    case SCALAR_FALSE: fer_buf_add(&c->json, FER_STR("false")); break;
    case SCALAR_NUMBER: write_number(&c->json, s); break;
    case SCALAR_BASED:
        parse_based(s, &based);
        fer_buf_printf(&c->json, "%llu", (unsigned long long)based);
        break;
    case SCALAR_STRING: fer_buf_add_quoted(&c->json, s); break;
    case SCALAR_NOT_JSON:
        return at_mark(c, token, "JSON has no infinity and no NaN; put it in quotes");
    }
    return FER_OK;
}

/* Tags of the core schema that force a type; others are refused. */
static fer_code check_tag(struct conversion *c, struct fy_token *tag, bool *force_string)
{
    fer_str t = token_text(tag);
    if (t.len == 0) return FER_OK;
    if (fer_str_ends(t, "str") || fer_str_is(t, "!")) {
        *force_string = true;
        return FER_OK;
    }
    static const char *const known[] = {"!!null",
                                        "!!bool",
                                        "!!int",
                                        "!!float",
                                        "!!map",
                                        "!!seq",
                                        "tag:yaml.org,2002:null",
                                        "tag:yaml.org,2002:bool",
                                        "tag:yaml.org,2002:int",
                                        "tag:yaml.org,2002:float",
                                        "tag:yaml.org,2002:map",
                                        "tag:yaml.org,2002:seq",
                                        NULL};
    if (one_of(t, known)) return FER_OK;
    return at_mark(c, tag, "tags other than YAML's own have no meaning here");
}

/* ---- anchors and aliases ---------------------------------------------------------------- */

static fer_code open_anchor(struct conversion *c, struct fy_token *token, size_t *index)
{
    *index = 0;
    if (!token) return FER_OK;
    if (c->anchor_count == MAX_ANCHORS)
        return at_mark(c, token, "yaml.anchors: more than 1000 anchors");
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
    size_t i = c->anchor_count;
    while (i > 0 && !fer_str_eq(c->anchors[i - 1].name, name)) i--;
    if (i == 0) return at_mark(c, token, "the alias names no anchor before it");
    const struct anchor *a = &c->anchors[i - 1];
    if (a->json_to == 0) return at_mark(c, token, "the alias stands inside its own anchor");
    size_t len = a->json_to - a->json_from, places = a->place_to - a->place_from;
    bool is_string = c->json.ptr[a->json_from] == '"';
    fer_code code = before_value(c, token, is_string);
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
    bool plain = !token || fy_token_scalar_style(token) == FYSS_PLAIN, force_string = !plain;
    size_t anchor = 0;
    fer_code code = check_tag(c, e->scalar.tag, &force_string);
    if (code) return code;
    struct open *o = c->depth ? &c->stack[c->depth - 1] : NULL;
    if (plain && o && o->mapping && !o->expects_value && fer_str_is(s, "<<")) {
        return at_mark(c, token, "merge keys (<<) are not part of YAML 1.2; write the keys out");
    }
    enum scalar kind = force_string ? SCALAR_STRING : plain_kind(s);
    code = before_value(c, token, kind == SCALAR_STRING);
    if (!code) code = open_anchor(c, e->scalar.anchor, &anchor);
    if (!code) code = write_scalar(c, token, kind, s);
    close_anchor(c, anchor);
    return code;
}

static fer_code on_start(struct conversion *c, bool mapping, struct fy_token *start,
                         struct fy_token *tag, struct fy_token *anchor)
{
    bool ignored = false;
    size_t index = 0;
    fer_code code = check_tag(c, tag, &ignored);
    if (!code && c->depth == c->limits->depth) {
        code = fer_fail_at(
            c->err, FER_LIMIT_EXCEEDED, start ? fy_token_start_mark(start)->input_pos : 0,
            "json.depth: %zu is over the limit of %zu", c->depth + 1, c->limits->depth);
    }
    if (!code) code = before_value(c, start, false);
    if (!code) code = open_anchor(c, anchor, &index);
    if (code) return code;
    c->stack[c->depth++] = (struct open){.mapping = mapping, .anchor = index};
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

/* What libfyaml says about a syntax error: its first message, with its place. */
static fer_code syntax_failed(struct conversion *c, struct fy_diag *diag)
{
    void *next = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &next);
    if (!e) return fer_fail_at(c->err, FER_INVALID_YAML, 0, "the text is not YAML");
    fer_code code = fer_fail_at(c->err, FER_INVALID_YAML, 0, "%s", e->msg);
    if (c->err) {
        c->err->line = e->line > 0 ? (uint32_t)e->line : 1;
        c->err->column = e->column > 0 ? (uint32_t)e->column : 1;
        c->err->offset = SIZE_MAX; /* line and column are the place */
    }
    return code;
}

static fer_code convert(struct conversion *c, struct fy_parser *parser, struct fy_diag *diag)
{
    fer_code code = FER_OK;
    size_t documents = 0;
    struct fy_event *e;
    while (!code && (e = fy_parser_parse(parser)) != NULL) {
        if (e->type == FYET_DOCUMENT_START && ++documents > 1) {
            code = at_mark(c, e->document_start.document_start,
                           "a second document starts here; one file holds one document");
        } else {
            code = on_event(c, e);
        }
        fy_parser_event_free(parser, e);
        if (!code && c->json.failure) code = fer_buf_code(&c->json, c->err);
        if (!code && c->places.failure) code = fer_buf_code(&c->places, c->err);
    }
    if (!code && fy_parser_get_stream_error(parser)) code = syntax_failed(c, diag);
    if (!code && documents == 0)
        code = fer_fail_at(c->err, FER_INVALID_YAML, 0, "the text is empty");
    return code;
}

/* The places of the JSON text's values are those noted on the way. */
static fer_code read_converted(struct conversion *c, fer_str text, fer_json **out)
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
    doc->text = text;
    doc->offsets = (size_t *)(void *)c->places.ptr;
    *out = doc;
    return FER_OK;
}

static fer_code run(struct conversion *c, fer_str text, fer_json **out)
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
    if (!parser || fy_parser_set_string(parser, text.ptr ? text.ptr : "", text.len) != 0) {
        code = fer_fail(c->err, FER_OUT_OF_MEMORY, "out of memory");
    } else {
        code = convert(c, parser, diag);
    }
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return code ? code : read_converted(c, text, out);
}

fer_code fer_yaml_read(fer_arena *a, fer_str text, const fer_json_limits *limits, fer_json **out,
                       fer_err *err)
{
    if (!limits) limits = fer_json_limits_message();
    if (text.len > limits->size) {
        return fer_fail(err, FER_LIMIT_EXCEEDED, "json.size: %zu bytes are over the limit of %zu",
                        text.len, limits->size);
    }
    struct conversion *c = fer_arena_alloc_zero(a, 1, sizeof *c);
    if (!c) return fer_arena_failed(a, err);
    c->arena = a;
    c->limits = limits;
    c->err = err;
    c->stack = fer_arena_alloc_zero(a, limits->depth + 1, sizeof *c->stack);
    if (!c->stack) return fer_arena_failed(a, err);
    fer_buf_init(&c->json, a, limits->size);
    fer_buf_init(&c->places, a, SIZE_MAX / 4);
    fer_code code = run(c, text, out);
    if (code && err && err->line && err->offset != SIZE_MAX) fer_err_locate(err, text);
    return code;
}
