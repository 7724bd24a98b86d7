/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML becomes JSON text, event by event, with the place of every value noted on
 * the side; the JSON reader does the rest. So both notations have one meaning:
 * the same limits, the same duplicate keys, the same exact numbers. An anchor is a
 * range of that text, an alias a copy of it, and the size limit ends any bomb.
 *
 * libyaml scans; what its scalars mean is decided here, by YAML 1.2. It allocates by
 * itself, outside the seam; its failures are failures here. libfyaml, which knows YAML
 * 1.2's syntax better, was tried first: broken UTF-8 keeps it for ever, blank lines,
 * directives and tags cost it the square of their length, and it leaks.
 */
#include <string.h>
#include <yaml.h>

#include "buf.h"
#include "errors.h"
#include "json_doc.h"
#include "yaml_scalar.h"

#define MAX_ANCHORS FER_YAML_ANCHORS

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
    fer_str text;
    const fer_json_limits *limits;
    fer_err *err;
    fer_buf json;
    fer_buf places; /* size_t offsets into the YAML text, one per value or key */
    struct open *stack;
    size_t depth;
    size_t stack_cap;
    struct anchor *anchors;
    size_t anchor_count;
    size_t expanded;   /* bytes of JSON that aliases added */
    size_t seen_chars; /* libyaml counts characters: so many are before the byte seen_bytes */
    size_t seen_bytes;
};

static size_t first_byte(fer_str text)
{
    return fer_str_starts(text, "\xEF\xBB\xBF") ? 3 : 0;
}

/* The byte of a mark. Marks come in the order of the text, so this is linear overall. */
static size_t place_of(struct conversion *c, yaml_mark_t mark)
{
    if (mark.index < c->seen_chars) {
        c->seen_chars = 0;
        c->seen_bytes = first_byte(c->text);
    }
    for (; c->seen_chars < mark.index && c->seen_bytes < c->text.len; c->seen_chars++) {
        c->seen_bytes += fer_utf8_len(c->text, c->seen_bytes);
    }
    return c->seen_bytes;
}

static fer_code fail_yaml(struct conversion *c, size_t place, const char *text)
{
    return fer_fail_at(c->err, FER_INVALID_YAML, place, "%s", text);
}

static fer_str text_of(const yaml_char_t *s)
{
    return fer_str_of((const char *)s);
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

/* ---- scalars and tags ----------------------------------------------------------------- */

static fer_code read_tag(struct conversion *c, const yaml_char_t *name, size_t place,
                         enum fer_yaml_tag *out)
{
    if (fer_yaml_tag_of(text_of(name), out)) return FER_OK;
    return fail_yaml(c, place, "tags other than YAML's own have no meaning here");
}

/* A string where it is quoted or tagged so, else what the core schema makes of it. */
static fer_code scalar_kind(struct conversion *c, const yaml_event_t *e, size_t place, fer_str s,
                            enum fer_scalar *out)
{
    enum fer_yaml_tag tag;
    bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    fer_code code = read_tag(c, e->data.scalar.tag, place, &tag);
    if (code) return code;
    bool string = tag == FER_YAML_STR || (!plain && tag == FER_YAML_NONE);
    *out = string ? FER_SCALAR_STRING : fer_scalar_of(s);
    if (fer_scalar_fits(tag, *out, s)) return FER_OK;
    return fail_yaml(c, place, "the value is not what its tag says");
}

/* ---- anchors and aliases ---------------------------------------------------------------- */

static fer_code open_anchor(struct conversion *c, const yaml_char_t *name, size_t place,
                            size_t *index)
{
    *index = 0;
    if (!name) return FER_OK;
    if (c->anchor_count == MAX_ANCHORS) {
        return fer_fail_at(c->err, FER_LIMIT_EXCEEDED, place, "yaml.anchors: more than %d anchors",
                           MAX_ANCHORS);
    }
    if (!c->anchors) c->anchors = fer_arena_alloc_zero(c->arena, MAX_ANCHORS, sizeof *c->anchors);
    fer_str copy = c->anchors ? fer_arena_copy(c->arena, text_of(name)) : FER_STR_NONE;
    if (!copy.ptr) return fer_arena_failed(c->arena, c->err);
    /* The value starts here; its place was noted just before. */
    c->anchors[c->anchor_count++] = (struct anchor){
        .name = copy, .json_from = c->json.len, .place_from = c->places.len - sizeof(size_t)};
    *index = c->anchor_count;
    return FER_OK;
}

static void close_anchor(struct conversion *c, size_t index)
{
    if (!index) return;
    c->anchors[index - 1].json_to = c->json.len;
    c->anchors[index - 1].place_to = c->places.len;
}

/* Appends a range of a buffer to itself. */
static void add_again(fer_buf *b, size_t from, size_t to)
{
    char *end = to > from ? fer_buf_reserve(b, to - from) : NULL;
    if (!end) return;
    memcpy(end, b->ptr + from, to - from);
    b->len += to - from;
}

static fer_code on_alias(struct conversion *c, const yaml_event_t *e)
{
    fer_str name = text_of(e->data.alias.anchor);
    size_t i = c->anchor_count, place = place_of(c, e->start_mark);
    while (i > 0 && !fer_str_eq(c->anchors[i - 1].name, name)) i--;
    if (i == 0) return fail_yaml(c, place, "the alias names no anchor before it");
    const struct anchor *a = &c->anchors[i - 1];
    if (a->json_to == 0) return fail_yaml(c, place, "the alias stands inside its own anchor");
    c->expanded += a->json_to - a->json_from;
    if (c->expanded > FER_YAML_EXPANDED) {
        return fer_fail_at(c->err, FER_LIMIT_EXCEEDED, place,
                           "yaml.expanded: aliases stand for more than %zu bytes of JSON",
                           FER_YAML_EXPANDED);
    }
    fer_code code = before_value(c, place, c->json.ptr[a->json_from] == '"');
    if (code) return code;
    add_again(&c->json, a->json_from, a->json_to);
    /* before_value noted the alias itself as the place of the copy's first value. */
    add_again(&c->places, a->place_from + sizeof(size_t), a->place_to);
    return FER_OK;
}

/* ---- events -------------------------------------------------------------------------------- */

static fer_code on_scalar(struct conversion *c, const yaml_event_t *e)
{
    fer_str s = {(const char *)e->data.scalar.value, e->data.scalar.length};
    size_t anchor = 0, place = place_of(c, e->start_mark);
    enum fer_scalar kind;
    fer_code code = scalar_kind(c, e, place, s, &kind);
    if (code) return code;
    const struct open *o = c->depth ? &c->stack[c->depth - 1] : NULL;
    bool plain_key =
        o && o->mapping && !o->expects_value && e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain_key && fer_str_is(s, "<<")) {
        return fail_yaml(c, place, "merge keys (<<) are not part of YAML 1.2; write the keys out");
    }
    code = before_value(c, place, kind == FER_SCALAR_STRING);
    if (!code) code = open_anchor(c, e->data.scalar.anchor, place, &anchor);
    if (code) return code;
    const char *why = fer_scalar_write(&c->json, kind, s);
    close_anchor(c, anchor);
    return why ? fail_yaml(c, place, why) : FER_OK;
}

static bool push(struct conversion *c, struct open o)
{
    struct open *stack = fer_arena_room(c->arena, c->stack, c->depth, &c->stack_cap, sizeof *stack);
    if (!stack) return false;
    c->stack = stack;
    c->stack[c->depth++] = o;
    return true;
}

static fer_code on_start(struct conversion *c, bool mapping, const yaml_event_t *e,
                         const yaml_char_t *tag_name, const yaml_char_t *anchor)
{
    enum fer_yaml_tag tag;
    size_t index = 0, place = place_of(c, e->start_mark);
    fer_code code = read_tag(c, tag_name, place, &tag);
    if (code) return code;
    if (tag != FER_YAML_NONE && tag != (mapping ? FER_YAML_MAP : FER_YAML_SEQ)) {
        return fail_yaml(c, place, "the value is not what its tag says");
    }
    if (c->depth >= c->limits->depth) {
        return fer_fail_at(c->err, FER_LIMIT_EXCEEDED, place,
                           "json.depth: %zu is over the limit of %zu", c->depth + 1,
                           c->limits->depth);
    }
    code = before_value(c, place, false);
    if (!code) code = open_anchor(c, anchor, place, &index);
    if (code) return code;
    if (!push(c, (struct open){.mapping = mapping, .anchor = index}))
        return fer_arena_failed(c->arena, c->err);
    fer_buf_add_char(&c->json, mapping ? '{' : '[');
    return FER_OK;
}

static void on_end(struct conversion *c)
{
    const struct open *o = &c->stack[--c->depth];
    fer_buf_add_char(&c->json, o->mapping ? '}' : ']');
    close_anchor(c, o->anchor);
}

static fer_code on_event(struct conversion *c, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT: return on_scalar(c, e);
    case YAML_ALIAS_EVENT: return on_alias(c, e);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(c, false, e, e->data.sequence_start.tag, e->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return on_start(c, true, e, e->data.mapping_start.tag, e->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: on_end(c); return FER_OK;
    default: return FER_OK;
    }
}

/* What libyaml says about a syntax error. */
static fer_code syntax_failed(struct conversion *c, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return fer_fail(c->err, FER_OUT_OF_MEMORY, "out of memory");
    const char *what = parser->problem ? parser->problem : "the text is not YAML";
    size_t place = place_of(c, parser->problem_mark);
    if (strstr(what, "cannot start any token") && place < c->text.len) {
        assert(c->text.ptr);
        bool tab = c->text.ptr[place] == '\t';
        return fail_yaml(c, place,
                         tab ? "a tab cannot indent; use spaces"
                             : "this character cannot start a value; put the value in quotes");
    }
    return fer_fail_at(c->err, FER_INVALID_YAML, place, "%s%s%s", what, parser->context ? " " : "",
                       parser->context ? parser->context : "");
}

static fer_code convert(struct conversion *c, yaml_parser_t *parser)
{
    fer_code code = FER_OK;
    size_t documents = 0;
    for (bool done = false; !done && !code;) {
        yaml_event_t e;
        if (!yaml_parser_parse(parser, &e)) return syntax_failed(c, parser);
        documents += e.type == YAML_DOCUMENT_START_EVENT;
        done = e.type == YAML_STREAM_END_EVENT;
        if (documents > 1) {
            code = fail_yaml(c, place_of(c, e.start_mark),
                             "a second document starts here; one text holds one document");
        } else {
            code = on_event(c, &e);
        }
        yaml_event_delete(&e);
        if (!code) code = fer_buf_code(&c->json, c->err);
        if (!code) code = fer_buf_code(&c->places, c->err);
    }
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
    doc->pool = NULL;
    doc->offsets = (size_t *)(void *)c->places.ptr;
    *out = doc;
    return FER_OK;
}

static fer_code run(struct conversion *c, fer_json **out)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return fer_fail(c->err, FER_OUT_OF_MEMORY, "out of memory");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    fer_str body = fer_str_slice(c->text, first_byte(c->text), c->text.len);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(body.ptr ? body.ptr : ""),
                                 body.len);
    fer_code code = convert(c, &parser);
    yaml_parser_delete(&parser);
    return code ? code : read_converted(c, out);
}

/* U+0085, U+2028 and U+2029 end lines in YAML 1.1, libyaml's, and not in YAML 1.2. */
static bool is_old_line_end(fer_str text, size_t at)
{
    fer_str rest = fer_str_slice(text, at, text.len);
    return fer_str_starts(rest, "\xC2\x85") || fer_str_starts(rest, "\xE2\x80\xA8") ||
           fer_str_starts(rest, "\xE2\x80\xA9");
}

/* YAML 1.2, 5.1: UTF-8 without control characters; and nothing that 1.1 reads differently. */
static fer_code check_text(fer_str text, fer_err *err)
{
    size_t start = first_byte(text);
    if (start && first_byte(fer_str_slice(text, start, text.len))) {
        return fer_fail_at(err, FER_INVALID_YAML, start,
                           "a byte order mark belongs at the very start only");
    }
    for (size_t at = 0, len; at < text.len; at += len) {
        unsigned char c = (unsigned char)text.ptr[at];
        len = fer_utf8_len(text, at);
        bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
        if (len == 0) return fer_fail_at(err, FER_INVALID_YAML, at, "the text is not UTF-8");
        if (control) {
            return fer_fail_at(err, FER_INVALID_YAML, at,
                               "control characters are written as escapes, in double quotes");
        }
        /* Own tags have no meaning here, and libyaml compares each handle with all others. */
        bool line_start = at == 0 || text.ptr[at - 1] == '\n' || text.ptr[at - 1] == '\r';
        if (c == '%' && line_start && fer_str_starts(fer_str_slice(text, at, text.len), "%TAG")) {
            return fer_fail_at(err, FER_INVALID_YAML, at,
                               "tags other than YAML's own have no meaning here");
        }
        if (len > 1 && is_old_line_end(text, at)) {
            return fer_fail_at(
                err, FER_INVALID_YAML, at,
                "line separators past ASCII are written as escapes, in double quotes");
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
    struct conversion c = {
        .arena = a, .text = text, .limits = limits, .err = err, .seen_bytes = first_byte(text)};
    fer_buf_init(&c.json, a, SIZE_MAX / 4); /* the text is bounded, and so is what aliases add */
    fer_buf_init(&c.places, a, SIZE_MAX / 4);
    fer_code code = check_text(text, err);
    if (!code) code = run(&c, out);
    if (code && err && err->line) fer_err_locate(err, text);
    return code;
}
