/* SPDX-License-Identifier: Apache-2.0 */
/* What code is told of tools: those that its caller may use, and no others. */
#include "code.h"
#include "errors.h"
#include "sight.h"

#define FOUND_USUAL  10  /* tools that a search gives, unless told otherwise */
#define LISTED_USUAL 100 /* tools or namespaces of a list */

/* Who looks, and at what. */
typedef struct looking {
    fer_arena *arena;
    fer_catalog *catalog;
    fer_sight sight;
    fer_filter filter;
    fer_page page;
    fer_buf out;
} looking;

static fer_code begin(looking *k, fer_arena *a, const fer_session *s, const fer_code_line *l,
                      size_t usual, fer_err *err)
{
    *k = (looking){.arena = a,
                   .catalog = s->runner->gateway->options.catalog,
                   .sight = {s->runner->gateway, s->options.caller},
                   .filter = {.namespaces = {&l->ns, l->ns.len ? 1 : 0}},
                   .page = {.size = l->limit ? l->limit : usual}};
    fer_buf_init(&k->out, a, FER_CODE_MEMORY);
    return fer_sight_filter(&k->sight, a, &k->filter, err);
}

static fer_code done(const looking *k, fer_str *out, fer_err *err)
{
    fer_code code = fer_buf_code(&k->out, err);
    if (!code) *out = fer_buf_view(&k->out);
    return code;
}

static void add_summary(fer_buf *b, size_t number, const fer_summary *s)
{
    fer_buf_add_text(b, number ? ",{\"id\":" : "{\"id\":");
    fer_buf_add_quoted(b, s->id);
    fer_buf_add_text(b, ",\"summary\":");
    fer_buf_add_quoted(b, s->summary);
    fer_buf_add_char(b, '}');
}

static fer_code search(fer_arena *a, const fer_session *s, const fer_code_line *l, fer_str *out,
                       fer_err *err)
{
    looking k;
    fer_found found;
    fer_code code = begin(&k, a, s, l, FOUND_USUAL, err);
    fer_search_options o = {.filter = &k.filter};
    if (s->options.caller) o.tenant = s->options.caller->tenant;
    if (!code) code = fer_catalog_search(a, k.catalog, l->text, &o, &k.page, &found, err);
    if (code) return code;
    fer_buf_add_char(&k.out, '[');
    for (size_t i = 0; found.fits && i < found.count; i++)
        add_summary(&k.out, i, &found.matches[i].hit.summary);
    fer_buf_add_char(&k.out, ']');
    return done(&k, out, err);
}

static fer_code list(fer_arena *a, const fer_session *s, const fer_code_line *l, fer_str *out,
                     fer_err *err)
{
    looking k;
    fer_summary *tools;
    size_t count = 0;
    fer_str next;
    fer_code code = begin(&k, a, s, l, LISTED_USUAL, err);
    fer_view *v = fer_catalog_view(k.catalog);
    if (!code) code = fer_view_list(a, v, &k.filter, &k.page, &tools, &count, &next, err);
    fer_buf_add_char(&k.out, '[');
    for (size_t i = 0; !code && i < count; i++) add_summary(&k.out, i, &tools[i]);
    fer_buf_add_char(&k.out, ']');
    fer_view_unref(v);
    return code ? code : done(&k, out, err);
}

static fer_code namespaces(fer_arena *a, const fer_session *s, const fer_code_line *l, fer_str *out,
                           fer_err *err)
{
    looking k;
    fer_namespace *names;
    size_t count = 0;
    fer_str next;
    fer_code code = begin(&k, a, s, l, LISTED_USUAL, err);
    fer_view *v = fer_catalog_view(k.catalog);
    if (!code)
        code = fer_view_namespaces(a, v, k.filter.takes ? &k.filter : NULL, &k.page, &names, &count,
                                   &next, err);
    fer_buf_add_char(&k.out, '[');
    for (size_t i = 0; !code && i < count; i++) {
        fer_buf_add_text(&k.out, i ? ",{\"name\":" : "{\"name\":");
        fer_buf_add_quoted(&k.out, names[i].name);
        fer_buf_printf(&k.out, ",\"tools\":%zu}", names[i].tools);
    }
    fer_buf_add_char(&k.out, ']');
    fer_view_unref(v);
    return code ? code : done(&k, out, err);
}

static fer_code find(fer_arena *a, const fer_session *s, const fer_view *v, fer_str id,
                     fer_str *out, fer_err *err)
{
    fer_sight sight = {s->runner->gateway, s->options.caller};
    fer_str shown;
    return fer_sight_look_up(&sight, a, v, id, out, &shown, err);
}

static fer_code describe(fer_arena *a, const fer_session *s, const fer_code_line *l, fer_str *out,
                         fer_err *err)
{
    fer_level level = FER_LEVEL_SCHEMA;
    fer_str found;
    fer_code code = l->level.len ? fer_level_parse(l->level, &level, err) : FER_OK;
    fer_view *v = fer_catalog_view(s->runner->gateway->options.catalog);
    if (!code) code = find(a, s, v, l->tool, &found, err);
    if (!code) code = fer_view_describe(a, v, found, level, out, err);
    fer_view_unref(v);
    return code;
}

bool fer_code_knows(fer_arena *a, const fer_session *s, fer_str id)
{
    fer_str found;
    fer_view *v = fer_catalog_view(s->runner->gateway->options.catalog);
    fer_code code = find(a, s, v, id, &found, NULL);
    fer_view_unref(v);
    return !code;
}

fer_code fer_code_look(fer_arena *a, const fer_session *s, const fer_code_line *l, fer_str *out,
                       fer_err *err)
{
    switch (l->op) {
    case FER_OP_SEARCH: return search(a, s, l, out, err);
    case FER_OP_LIST: return list(a, s, l, out, err);
    case FER_OP_NAMESPACES: return namespaces(a, s, l, out, err);
    default: return describe(a, s, l, out, err);
    }
}
