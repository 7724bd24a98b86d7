/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard output formats. 2019-09 and 2020-12 (core 12): flag, basic, detailed; v1: list
 * and hierarchical. The lists are flat and have an entry for each keyword (basic) or each
 * subschema (list); the trees nest one subschema in the other.
 */
#include "json_pointer.h"
#include "result.h"

#define OUTPUT_MAX ((size_t)16 << 20) /* bytes of one output */

struct writer {
    fer_arena *arena;
    const fer_result *result;
    fer_buf b;
    size_t count; /* entries of the list that is being written */
};

static void member(fer_buf *b, const char *name, fer_str text)
{
    fer_buf_printf(b, ",\"%s\":", name);
    fer_buf_add_quoted(b, text);
}

static void field_member(struct writer *w, const yyjson_val *value)
{
    fer_buf field;
    fer_buf_init(&field, w->arena, OUTPUT_MAX);
    fer_pointer_of(&field, w->result->root, value);
    member(&w->b, "instanceLocation", field.ptr ? fer_buf_view(&field) : FER_STR(""));
}

/* What a unit that failed has to say for itself, without what is below it. */
static fer_teller own_words(struct writer *w, const fer_unit *u)
{
    fer_teller t = fer_result_teller(w->arena, w->result);
    t.shallow = true;
    fer_tell_unit(&t, u);
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
    member(&w->b, "keywordLocation", location);
    member(&w->b, "absoluteKeywordLocation", absolute);
    field_member(w, value);
    member(&w->b, "error", message);
    fer_buf_add_char(&w->b, '}');
}

static void basic_unit(struct writer *w, const fer_unit *u)
{
    fer_teller t = own_words(w, u);
    for (size_t n = 0; n < t.count; n++) {
        const fer_violation *v = &t.list[n];
        basic_error(w, v->keyword_location, v->absolute_location, u->value, v->message);
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
}

static bool basic_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                       fer_str json)
{
    struct writer *w = context;
    fer_buf_printf(&w->b, "%s{\"valid\":true", w->count++ ? "," : "");
    member(&w->b, "keywordLocation", fer_evaluation_path(w->arena, u, keyword));
    member(&w->b, "absoluteKeywordLocation",
           fer_schema_location(w->arena, w->result->program, u->node, source));
    field_member(w, u->value);
    fer_buf_add_text(&w->b, ",\"annotation\":");
    fer_buf_add(&w->b, json);
    fer_buf_add_char(&w->b, '}');
    return true;
}

static void write_basic(struct writer *w)
{
    const fer_result *r = w->result;
    if (r->valid && !r->annotated) return;
    fer_buf_printf(&w->b, ",\"%s\":[", r->valid ? "annotations" : "errors");
    for (const fer_unit *u = r->trace; u;) {
        bool into = told(r, u);
        if (into && r->valid) {
            fer_unit_notes(w->arena, r->program, u, basic_note, w);
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

/* A subschema's own part, its brace left open. */
static void unit_open(struct writer *w, const fer_unit *u, bool v1)
{
    fer_buf_printf(&w->b, "{\"valid\":%s", u->valid ? "true" : "false");
    member(&w->b, v1 ? "evaluationPath" : "keywordLocation",
           fer_evaluation_path(w->arena, u, FER_STR("")));
    member(&w->b, v1 ? "schemaLocation" : "absoluteKeywordLocation",
           fer_schema_location(w->arena, w->result->program, u->node, u->node->schema));
    field_member(w, u->value);
    if (!v1) return;
    if (!u->valid) {
        list_errors(w, u);
        return;
    }
    w->count = 0;
    fer_unit_notes(w->arena, w->result->program, u, list_note, w);
    if (w->count) fer_buf_add_char(&w->b, '}');
}

static void write_list(struct writer *w)
{
    size_t count = 0;
    fer_buf_add_text(&w->b, ",\"details\":[");
    for (const fer_unit *u = w->result->trace; u;) {
        bool into = told(w->result, u);
        if (into) {
            if (count++) fer_buf_add_char(&w->b, ',');
            unit_open(w, u, true);
            fer_buf_add_char(&w->b, '}');
        }
        u = fer_unit_next(w->result->trace, u, into);
    }
    fer_buf_add_char(&w->b, ']');
}

/* Trees are written on the way down and closed on the way up, without recursion. */
static void write_tree(struct writer *w, bool v1)
{
    const fer_result *r = w->result;
    const fer_unit *top = r->trace, *u = top;
    const char *children = v1         ? ",\"details\":["
                           : r->valid ? ",\"annotations\":["
                                      : ",\"errors\":[";
    fer_buf *b = &w->b;
    size_t depth = 0;
    for (;;) {
        bool first = true;
        unit_open(w, u, v1);
        if (!v1 && !r->valid) {
            fer_teller t = own_words(w, u);
            w->count = 0;
            for (size_t n = 0; n < t.count; n++) {
                if (first) fer_buf_add_text(b, children);
                first = false;
                basic_error(w, t.list[n].keyword_location, t.list[n].absolute_location, u->value,
                            t.list[n].message);
            }
        } else if (!v1) {
            size_t before = b->len;
            fer_buf_add_text(b, children);
            w->count = 0;
            fer_unit_notes(w->arena, r->program, u, basic_note, w);
            first = !w->count;
            if (first) b->len = before;
        }
        const fer_unit *below = u->first;
        while (below && !told(r, below)) below = below->next;
        if (below) {
            fer_buf_add_text(b, first ? children : ",");
            u = below;
            depth++;
            continue;
        }
        fer_buf_add_text(b, first ? "}" : "]}");
        for (;;) {
            if (u == top) return;
            const fer_unit *next = u->next;
            while (next && !told(r, next)) next = next->next;
            if (next) {
                fer_buf_add_char(b, ',');
                u = next;
                break;
            }
            u = u->up;
            depth--;
            fer_buf_add_text(b, "]}");
        }
    }
}

fer_code fer_result_output(fer_arena *a, const fer_result *r, fer_output format, fer_str *out,
                           fer_err *err)
{
    struct writer w = {.arena = a, .result = r};
    fer_buf_init(&w.b, a, OUTPUT_MAX);
    bool tree = format == FER_OUTPUT_DETAILED || format == FER_OUTPUT_HIERARCHICAL;
    bool bare = format == FER_OUTPUT_FLAG || !r->trace;
    if (tree && !bare) {
        write_tree(&w, format == FER_OUTPUT_HIERARCHICAL);
    } else {
        fer_buf_printf(&w.b, "{\"valid\":%s", r->valid ? "true" : "false");
        if (!bare && format == FER_OUTPUT_BASIC) write_basic(&w);
        if (!bare && format == FER_OUTPUT_LIST) write_list(&w);
        fer_buf_add_char(&w.b, '}');
    }
    fer_code code = fer_buf_code(&w.b, err);
    if (!code) *out = fer_buf_view(&w.b);
    return code;
}
