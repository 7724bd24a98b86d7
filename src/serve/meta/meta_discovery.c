/* SPDX-License-Identifier: Apache-2.0 */
/* Finding tools: search_tools, list_tools, list_namespaces. */
#include "errors.h"
#include "meta_tools.h"
#include "tool_reply.h"

#define NEAREST_MAX 3 /* tools that are named where none fits */

static bool has_namespace(const fer_guest *g, const fer_view *v, fer_str ns)
{
    fer_arena *a = fer_arena_new(1 << 20);
    fer_filter filter = {.namespaces = {&ns, 1}};
    fer_page page = {.size = 1};
    fer_summary *list;
    size_t count = 0;
    fer_str next;
    if (a && (fer_guest_filter(g, a, &filter, NULL) ||
              fer_view_list(a, v, &filter, &page, &list, &count, &next, NULL)))
        count = 0;
    fer_arena_free(a);
    return count > 0;
}

/* "there is no namespace x" is more use than an empty list. */
static bool refuse_namespace(fer_ask *q, fer_str ns)
{
    fer_err err;
    fer_view *v = fer_catalog_view(fer_ask_front(q)->options.catalog);
    const fer_guest *g = fer_ask_guest(q);
    bool there = !ns.len || has_namespace(g, v, ns), lacks = false;
    size_t at = 0;
    fer_str server;
    fer_view_unref(v);
    if (there) return false;
    while (!lacks && fer_guest_lacks(g, &at, &server, &err)) lacks = fer_str_eq(server, ns);
    for (at = 0; !lacks && fer_guest_misses(g, &at, &server, &err);) lacks = fer_str_eq(server, ns);
    if (!lacks)
        fer_fail(&err, FER_TOOL_NOT_FOUND,
                 "there is no namespace %.*s: list_namespaces shows those that there are",
                 FER_PRI(fer_str_head(ns, 128)));
    fer_reply_err(q, &err, "resolve", FER_STR(""));
    return true;
}

/* ---- search_tools ---------------------------------------------------------------------------- */

/* What cannot be found may be at a server that shows nothing until somebody has logged in. */
static void add_hint(const fer_guest *g, fer_buf *b, const fer_found *found)
{
    size_t at = 0;
    fer_str server;
    fer_err err;
    fer_buf_add_text(b, ",\"hint\":\"No tool fits. Try other words, or list_namespaces.");
    for (size_t i = 0; i < found->count && i < NEAREST_MAX; i++) {
        fer_buf_add_text(b, i ? ", " : " Nearest, but hardly meant: ");
        fer_buf_add_escaped(b, found->matches[i].hit.summary.id);
    }
    while (fer_guest_lacks(g, &at, &server, &err)) {
        fer_buf_add_char(b, ' ');
        fer_buf_add_escaped(b, fer_str_of(err.message));
    }
    at = 0;
    for (int i = 0; i < NEAREST_MAX && fer_guest_misses(g, &at, &server, &err); i++) {
        fer_buf_add_char(b, ' ');
        fer_buf_add_escaped(b, fer_str_of(err.message));
        fer_buf_add_char(b, '.');
    }
    fer_buf_add_text(b, "\"");
}

static void write_found(fer_ask *q, fer_str query, const fer_found *found)
{
    fer_buf b;
    if (found->fits) fer_guest_searched(q, query, found);
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"tools\":[");
    for (size_t i = 0; found->fits && i < found->count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_meta_add_brief(&b, &found->matches[i].hit.summary);
    }
    fer_buf_add_char(&b, ']');
    if (!found->fits || !found->count) add_hint(fer_ask_guest(q), &b, found);
    else fer_meta_add_next(&b, found->next);
    fer_buf_add_char(&b, '}');
    fer_meta_reply(q, &b);
}

void fer_meta_search(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_str ns = fer_meta_text(args, "namespace");
    fer_filter filter = {.namespaces = {&ns, ns.len ? 1 : 0}};
    fer_search_options o = {.filter = &filter, .tenant = fer_guest_tenant(fer_ask_guest(q))};
    fer_str query = fer_meta_text(args, "query");
    fer_page page;
    fer_found found;
    fer_err err = {0};
    (void)doc;
    if (refuse_namespace(q, ns)) return;
    fer_meta_page(args, FER_META_PAGE, &page);
    fer_code code = fer_guest_filter(fer_ask_guest(q), fer_ask_arena(q), &filter, &err);
    if (!code)
        code = fer_catalog_search(fer_ask_arena(q), fer_ask_front(q)->options.catalog, query, &o,
                                  &page, &found, &err);
    if (code) fer_reply_err(q, &err, "resolve", FER_STR(""));
    else write_found(q, query, &found);
}

/* ---- list_tools ------------------------------------------------------------------------------ */

void fer_meta_list_tools(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_arena *a = fer_ask_arena(q);
    fer_str ns = fer_meta_text(args, "namespace"), next;
    fer_filter filter = {.namespaces = {&ns, ns.len ? 1 : 0}};
    fer_page page;
    fer_summary *list;
    size_t count;
    fer_err err = {0};
    fer_buf b;
    (void)doc;
    if (refuse_namespace(q, ns)) return;
    fer_meta_page(args, FER_META_LIST_PAGE, &page);
    fer_view *v = fer_catalog_view(fer_ask_front(q)->options.catalog);
    fer_code code = fer_guest_filter(fer_ask_guest(q), a, &filter, &err);
    if (!code) code = fer_view_list(a, v, &filter, &page, &list, &count, &next, &err);
    fer_view_unref(v);
    if (code) {
        fer_reply_err(q, &err, "resolve", FER_STR(""));
        return;
    }
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"tools\":[");
    for (size_t i = 0; i < count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_meta_add_brief(&b, &list[i]);
    }
    fer_buf_add_char(&b, ']');
    fer_meta_add_next(&b, next);
    fer_buf_add_char(&b, '}');
    fer_meta_reply(q, &b);
}

/* ---- list_namespaces --------------------------------------------------------------------------
 */

static void add_lack(fer_buf *b, bool *any, fer_str server, const fer_err *why)
{
    fer_buf_add_text(b, *any ? ",{\"name\":" : "{\"name\":");
    fer_buf_add_quoted(b, server);
    fer_buf_printf(b, ",\"tools\":0,\"code\":\"%s\",\"why\":", fer_code_info(why->code)->name);
    fer_buf_add_quoted(b, fer_str_of(why->message));
    fer_buf_add_char(b, '}');
    *any = true;
}

/* Servers that show nothing, and why, behind those that do. */
static void add_lacks(const fer_guest *g, const fer_view *v, fer_buf *b, bool any)
{
    size_t at = 0;
    fer_str server;
    fer_err err;
    while (fer_guest_lacks(g, &at, &server, &err)) add_lack(b, &any, server, &err);
    at = 0;
    while (fer_guest_misses(g, &at, &server, &err))
        if (!has_namespace(g, v, server)) add_lack(b, &any, server, &err);
}

void fer_meta_list_namespaces(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_arena *a = fer_ask_arena(q);
    fer_page page;
    fer_namespace *list;
    size_t count;
    fer_str next;
    fer_err err = {0};
    fer_buf b;
    (void)doc;
    fer_meta_page(args, FER_META_LIST_PAGE, &page);
    fer_view *v = fer_catalog_view(fer_ask_front(q)->options.catalog);
    fer_filter filter = {0};
    fer_code code = fer_guest_filter(fer_ask_guest(q), a, &filter, &err);
    if (!code)
        code = fer_view_namespaces(a, v, filter.takes ? &filter : NULL, &page, &list, &count, &next,
                                   &err);
    if (code) {
        fer_view_unref(v);
        fer_reply_err(q, &err, "resolve", FER_STR(""));
        return;
    }
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"namespaces\":[");
    for (size_t i = 0; i < count; i++) {
        fer_buf_add_text(&b, i ? ",{\"name\":" : "{\"name\":");
        fer_buf_add_quoted(&b, list[i].name);
        fer_buf_printf(&b, ",\"tools\":%zu}", list[i].tools);
    }
    if (!next.len) add_lacks(fer_ask_guest(q), v, &b, count > 0);
    fer_view_unref(v);
    fer_buf_add_char(&b, ']');
    fer_meta_add_next(&b, next);
    fer_buf_add_char(&b, '}');
    fer_meta_reply(q, &b);
}
