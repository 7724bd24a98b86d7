/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard output formats. 2019-09 and 2020-12 (core 12): flag, basic, detailed; v1: list
 * and hierarchical. The lists are flat and have an entry for each keyword (basic) or each
 * subschema (list); the trees nest one subschema in the other. Writing ends as soon as the
 * output is too long, so that the work is bounded by its size.
 */
#include "json_pointer.h"
#include "result.h"

#define OUTPUT_MAX ((size_t)16 << 20) /* bytes of one output */

struct writer {
    fer_arena *arena;
    const fer_result *result;
    fer_buf b;
    size_t count;   /* entries of the list that is being written */
    bool no_memory; /* something could not be made */
};

/* Whether there is no use in going on. */
static bool is_over(const struct writer *w)
{
    return w->no_memory || w->b.failure;
}

/* ptr NULL: there was no memory to make the text. */
static void member(struct writer *w, const char *name, fer_str text)
{
    w->no_memory |= !text.ptr;
    fer_buf_printf(&w->b, ",\"%s\":", name);
    fer_buf_add_quoted(&w->b, text);
}

static void field_member(struct writer *w, const yyjson_val *value)
{
    fer_buf field;
    fer_buf_init(&field, w->arena, OUTPUT_MAX);
    fer_pointer_of(&field, w->result->root, value);
    fer_str text = field.ptr ? fer_buf_view(&field) : FER_STR("");
    member(w, "instanceLocation", field.failure ? FER_STR_NONE : text);
}

/* What a unit that failed has to say for itself, without what is below it. */
static fer_teller own_words(struct writer *w, const fer_unit *u)
{
    fer_teller t = fer_result_teller(w->arena, w->result);
    t.shallow = true;
    fer_tell_unit(&t, u);
    w->no_memory |= t.no_memory;
    return t;
}

/* Whether a keyword was told already, or among the children before this one. */
static bool heard(const fer_teller *t, const fer_unit *u, const fer_unit *child)
{
    fer_str name = fer_slot_name((enum fer_slot)child->keyword);
    for (size_t n = 0; n < t->count; n++) {
        if (fer_str_eq(t->list[n].keyword, name)) return true;
    }
    for (const fer_unit *c = u->first; c != child; c = c->next) {
        if (!c->valid && c->keyword == child->keyword) return true;
    }
    return false;
}

/* Keywords of a unit that failed because of their subschemas. */
static bool failed_by(const fer_unit *u, const fer_unit *child)
{
    return !child->valid && child->keyword != KW_IF && (u->failed >> child->by & 1);
}

/* Units that the output has something to say about. */
static bool told(const fer_result *r, const fer_unit *u)
{
    return r->valid ? fer_unit_notes_count(u) : !u->valid && u->keyword != KW_IF;
}

/* ---- basic ---------------------------------------------------------------------------------- */

static void basic_error(struct writer *w, fer_str location, fer_str absolute,
                        const yyjson_val *value, fer_str message)
{
    fer_buf_printf(&w->b, "%s{\"valid\":false", w->count++ ? "," : "");
    member(w, "keywordLocation", location);
    member(w, "absoluteKeywordLocation", absolute);
    field_member(w, value);
    member(w, "error", message);
    fer_buf_add_char(&w->b, '}');
}

static void basic_unit(struct writer *w, const fer_unit *u)
{
    fer_teller t = own_words(w, u);
    for (size_t n = 0; n < t.count; n++) {
        const fer_violation *v = &t.list[n];
        basic_error(w, v->keyword_location, v->absolute_location, v->value, v->message);
    }
    for (const fer_unit *c = u->first; c; c = c->next) {
        if (!failed_by(u, c) || heard(&t, u, c)) continue;
        fer_str name = fer_slot_name((enum fer_slot)c->keyword);
        const yyjson_val *key = fer_val_key(u->node->schema, name);
        basic_error(w, fer_evaluation_path(w->arena, u, name),
                    fer_schema_location(w->arena, w->result->program, u->node,
                                        key ? key + 1 : u->node->schema),
                    u->value, fer_say(&t, "A subschema of `%.*s` does not hold.", FER_PRI(name)));
    }
    w->no_memory |= t.no_memory;
}

static bool basic_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                       fer_str json)
{
    struct writer *w = context;
    fer_buf_printf(&w->b, "%s{\"valid\":true", w->count++ ? "," : "");
    member(w, "keywordLocation", fer_evaluation_path(w->arena, u, keyword));
    member(w, "absoluteKeywordLocation",
           fer_schema_location(w->arena, w->result->program, u->node, source));
    field_member(w, u->value);
    fer_buf_add_text(&w->b, ",\"annotation\":");
    fer_buf_add(&w->b, json);
    fer_buf_add_char(&w->b, '}');
    return true;
}

/* What a valid unit says, by a function for each note. */
static void notes(struct writer *w, const fer_unit *u, fer_note *each)
{
    w->no_memory |= !fer_unit_notes(w->arena, w->result->program, u, each, w);
}

/* 2020-12 core 12.3: the whole is a unit, too. */
static void open_whole(struct writer *w)
{
    member(w, "keywordLocation", FER_STR(""));
    member(w, "instanceLocation", FER_STR(""));
}

/* What there is to say where no unit does, as when the budget was spent. */
static void whole_error(struct writer *w)
{
    const fer_result *r = w->result;
    if (r->valid) return;
    member(w, "error",
           r->violation_count ? r->violations[0].message
                              : FER_STR("The value does not fit the schema."));
}

static void write_basic(struct writer *w)
{
    const fer_result *r = w->result;
    open_whole(w);
    if (!r->trace) {
        whole_error(w);
        return;
    }
    fer_buf_printf(&w->b, ",\"%s\":[", r->valid ? "annotations" : "errors");
    for (const fer_unit *u = r->trace; u && !is_over(w);) {
        bool into = told(r, u);
        if (into && r->valid) {
            notes(w, u, basic_note);
        } else if (into) {
            basic_unit(w, u);
        }
        u = fer_unit_next(r->trace, u, into);
    }
    fer_buf_add_char(&w->b, ']');
}

/* ---- list and hierarchical ---------------------------------------------------------------------
 */

static bool list_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                      fer_str json)
{
    struct writer *w = context;
    (void)u;
    (void)source;
    fer_buf_add_text(&w->b, w->count++ ? "," : ",\"annotations\":{");
    fer_buf_add_quoted(&w->b, keyword);
    fer_buf_add_char(&w->b, ':');
    fer_buf_add(&w->b, json);
    return true;
}

static void list_errors(struct writer *w, const fer_unit *u)
{
    fer_teller t = own_words(w, u);
    size_t count = 0;
    for (size_t n = 0; n < t.count; n++) {
        bool twice = false;
        for (size_t m = 0; m < n; m++) {
            twice |= fer_str_eq(t.list[m].keyword, t.list[n].keyword);
        }
        if (twice) continue; /* an object has each name once */
        fer_buf_add_text(&w->b, count++ ? "," : ",\"errors\":{");
        fer_buf_add_quoted(&w->b, t.list[n].keyword);
        fer_buf_add_char(&w->b, ':');
        fer_buf_add_quoted(&w->b, t.list[n].message);
    }
    if (count) fer_buf_add_char(&w->b, '}');
}

/* Where a subschema stands; the brace is left open. */
static void unit_open(struct writer *w, const fer_unit *u, bool v1)
{
    fer_buf_printf(&w->b, "{\"valid\":%s", u->valid ? "true" : "false");
    member(w, v1 ? "evaluationPath" : "keywordLocation",
           fer_evaluation_path(w->arena, u, FER_STR("")));
    member(w, v1 ? "schemaLocation" : "absoluteKeywordLocation",
           fer_schema_location(w->arena, w->result->program, u->node, u->node->schema));
    field_member(w, u->value);
}

/* The same with what it says for itself, as v1 has it. */
static void unit_open_v1(struct writer *w, const fer_unit *u)
{
    unit_open(w, u, true);
    if (!u->valid) {
        list_errors(w, u);
        return;
    }
    w->count = 0;
    notes(w, u, list_note);
    if (w->count) fer_buf_add_char(&w->b, '}');
}

/* The whole where there is no trace of it: it is valid, or the budget was spent. */
static void bare_v1(struct writer *w)
{
    const struct fer_schema *s = w->result->program;
    fer_buf_printf(&w->b, "{\"valid\":%s", w->result->valid ? "true" : "false");
    member(w, "evaluationPath", FER_STR(""));
    member(w, "schemaLocation", fer_schema_location(w->arena, s, s->root, s->value));
    member(w, "instanceLocation", FER_STR(""));
    if (!w->result->valid) {
        fer_buf_add_text(&w->b, ",\"errors\":{\"\":");
        fer_buf_add_quoted(&w->b, w->result->violations[0].message);
        fer_buf_add_char(&w->b, '}');
    }
    fer_buf_add_char(&w->b, '}');
}

static void write_list(struct writer *w)
{
    size_t count = 0;
    fer_buf_add_text(&w->b, ",\"details\":[");
    if (!w->result->trace) bare_v1(w);
    for (const fer_unit *u = w->result->trace; u && !is_over(w);) {
        bool into = told(w->result, u);
        if (into) {
            if (count++) fer_buf_add_char(&w->b, ',');
            unit_open_v1(w, u);
            fer_buf_add_char(&w->b, '}');
        }
        u = fer_unit_next(w->result->trace, u, into);
    }
    fer_buf_add_char(&w->b, ']');
}

/* ---- trees ------------------------------------------------------------------------------------
 */

/* A unit that is told, in a list that has each before those below it. */
struct branch {
    const fer_unit *unit;
    size_t up;           /* number of the one above; its own for the first */
    size_t size;         /* how many it is with all below it */
    size_t parts;        /* entries that it would have */
    fer_violation *said; /* errors of its own */
    size_t said_count;
};

struct tree {
    struct branch *list;
    size_t count, cap;
};

static bool count_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                       fer_str json)
{
    (void)u;
    (void)keyword;
    (void)source;
    (void)json;
    ++*(size_t *)context;
    return true;
}

/* What a unit says for itself, and how much of the output that takes at the least. */
static size_t own_part(struct writer *w, struct branch *b)
{
    size_t bytes = 0;
    if (b->unit->valid) {
        w->no_memory |=
            !fer_unit_notes(w->arena, w->result->program, b->unit, count_note, &b->parts);
        return b->parts * 64;
    }
    fer_teller t = own_words(w, b->unit);
    b->said = t.list;
    b->said_count = b->parts = t.count;
    for (size_t n = 0; n < t.count; n++) {
        bytes += t.list[n].keyword_location.len + t.list[n].absolute_location.len +
                 t.list[n].message.len;
    }
    return bytes;
}

/* Whether a unit that refuses everything only says what the one above it has said. */
static bool is_said(const struct branch *above, const fer_unit *u)
{
    fer_str name = fer_slot_name((enum fer_slot)u->keyword);
    if (u->node->verdict != FER_NEVER) return false;
    for (size_t n = 0; n < above->said_count; n++) {
        if (fer_str_eq(above->said[n].keyword, name)) return true;
    }
    return false;
}

/* The units in their order; a unit without anything to say is not counted as a part. */
static void plant(struct writer *w, struct tree *t, bool parts)
{
    const fer_result *r = w->result;
    size_t up = 0, bytes = 0;
    for (const fer_unit *u = r->trace; u && !is_over(w);) {
        bool into = told(r, u);
        if (into) {
            struct branch *list =
                fer_arena_room(w->arena, t->list, t->count, &t->cap, sizeof *list);
            w->no_memory |= !list;
            if (!list) return;
            t->list = list;
            while (t->count && list[up].unit != u->up) up = list[up].up;
            list[t->count] = (struct branch){.unit = u, .up = up, .size = 1};
            if (parts && !(t->count && is_said(&list[up], u))) {
                bytes += own_part(w, &list[t->count]);
            }
            up = t->count++;
            if (bytes > OUTPUT_MAX) w->b.failure = FER_LIMIT_EXCEEDED;
        }
        u = fer_unit_next(r->trace, u, into);
    }
    for (size_t n = t->count; n-- > 1;) {
        struct branch *above = &t->list[t->list[n].up];
        above->size += t->list[n].size;
        above->parts += t->list[n].parts > 0;
    }
}

/* Ends the units that are open and that number `n` is not below. */
static size_t close_until(struct writer *w, const struct tree *t, size_t open, size_t n)
{
    while (open != SIZE_MAX && n >= open + t->list[open].size) {
        fer_buf_add_text(&w->b, t->list[open].parts ? "]}" : "}");
        open = open ? t->list[open].up : SIZE_MAX;
        while (open != SIZE_MAX && t->list[open].parts == 1) {
            open = open ? t->list[open].up : SIZE_MAX;
        }
    }
    return open;
}

/* v1: every unit, each in the `details` of the one above it. */
static void write_hierarchical(struct writer *w)
{
    struct tree t = {0};
    size_t open = SIZE_MAX;
    plant(w, &t, false);
    for (size_t n = 0; n < t.count && !is_over(w); n++) {
        size_t before = open;
        open = close_until(w, &t, open, n);
        if (before != open) fer_buf_add_char(&w->b, ',');
        unit_open_v1(w, t.list[n].unit);
        /* `parts` says here whether a list was begun. */
        t.list[n].parts = t.list[n].size > 1 ? 2 : 0;
        if (t.list[n].parts) fer_buf_add_text(&w->b, ",\"details\":[");
        open = n;
    }
    close_until(w, &t, open, SIZE_MAX);
}

/* One thing that a unit says for itself; notes write themselves. */
static void write_own(struct writer *w, const struct branch *b)
{
    for (size_t n = 0; n < b->said_count; n++) {
        const fer_violation *v = &b->said[n];
        basic_error(w, v->keyword_location, v->absolute_location, v->value, v->message);
    }
    if (b->unit->valid) notes(w, b->unit, basic_note);
}

/*
 * 2020-12 core 12.4.3: units without entries are left out, and one with a single entry is
 * replaced by it, the whole as well.
 */
static void write_detailed(struct writer *w)
{
    struct tree t = {0};
    size_t open = SIZE_MAX;
    const char *list = w->result->valid ? ",\"annotations\":[" : ",\"errors\":[";
    plant(w, &t, true);
    w->count = 0;
    for (size_t n = 0; n < t.count && !is_over(w); n++) {
        if (!t.list[n].parts) continue;
        size_t before = open;
        open = close_until(w, &t, open, n);
        if (before != open) w->count = 1;
        if (t.list[n].parts > 1) {
            if (w->count) fer_buf_add_char(&w->b, ',');
            unit_open(w, t.list[n].unit, false);
            fer_buf_add_text(&w->b, list);
            w->count = 0;
            open = n;
        }
        write_own(w, &t.list[n]);
    }
    close_until(w, &t, open, SIZE_MAX);
    if (w->b.len) return;
    fer_buf_printf(&w->b, "{\"valid\":%s", w->result->valid ? "true" : "false");
    open_whole(w);
    whole_error(w);
    fer_buf_add_char(&w->b, '}');
}

/* ---- all of them --------------------------------------------------------------------------------
 */

fer_code fer_result_output(fer_arena *a, const fer_result *r, fer_output format, fer_str *out,
                           fer_err *err)
{
    struct writer w = {.arena = a, .result = r};
    fer_buf_init(&w.b, a, OUTPUT_MAX);
    if (format == FER_OUTPUT_DETAILED) {
        write_detailed(&w);
    } else if (format == FER_OUTPUT_HIERARCHICAL) {
        if (r->trace) write_hierarchical(&w);
        else bare_v1(&w);
    } else {
        fer_buf_printf(&w.b, "{\"valid\":%s", r->valid ? "true" : "false");
        if (format == FER_OUTPUT_BASIC) write_basic(&w);
        if (format == FER_OUTPUT_LIST) write_list(&w);
        fer_buf_add_char(&w.b, '}');
    }
    if (w.no_memory && !w.b.failure) return fer_arena_failed(a, err);
    fer_code code = fer_buf_code(&w.b, err);
    if (!code) *out = fer_buf_view(&w.b);
    return code;
}
