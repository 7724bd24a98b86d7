/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listing tools, page by page. A cursor is opaque: it goes back as it came, "" too. A list that is
 * good for a while is kept, as a whole, for as long as its shortest page is good.
 */
#include "clock.h"
#include "errors.h"
#include "json_skim.h"
#include "map.h"
#include "mcp_mirror.h"
#include "mcp_parts.h"
#include "mcp_rest.h"
#include "sys.h"

struct fer_mcp_pages {
    fer_buf tools;
    fer_mcp_rest rest;
    fer_map seen;   /* cursors: one that comes again is a circle */
    fer_str cursor; /* JSON of the next page's; empty: the first page */
    size_t pages, count;
    int64_t good_until; /* fer_clock_mono; 0: no page has come */
    bool shared;
};

static fer_mcp_list *list_of(fer_mcp_request *r)
{
    return (fer_mcp_list *)r;
}

/* ---- the end
 * --------------------------------------------------------------------------------------- */

static void leave(fer_mcp_client *c, fer_mcp_list *l)
{
    if (!l->list_place) return;
    *l->list_place = l->next_list;
    if (l->next_list) l->next_list->list_place = l->list_place;
    else c->lists_end = l->list_place;
    l->list_place = NULL;
    if (!c->lists) uv_timer_stop(&c->watch);
}

static void end(fer_mcp_client *c, fer_mcp_list *l, fer_code code, const char *why)
{
    fer_err err = {0};
    leave(c, l);
    if (code) fer_fail(&err, code, "%s", why);
    l->on_end(l, code, code ? FER_STR_NONE : fer_buf_view(&l->pages->tools), code ? &err : NULL);
}

static void list_failed(fer_mcp_request *r, const fer_mcp_failure *f)
{
    end(r->client, list_of(r), f->code, f->message);
}

/* ---- time
 * -------------------------------------------------------------------------------------------- */

static void watch(fer_mcp_client *c)
{
    int64_t left = c->lists->deadline - fer_clock_mono();
    uv_timer_start(&c->watch, fer_mcp_watch_fired,
                   left > 0 ? (uint64_t)(left + 999999) / 1000000 : 0, 0);
}

/* All have the same time, so the first is the first whose time is up. */
void fer_mcp_watch_fired(uv_timer_t *t)
{
    fer_mcp_client *c = t->data;
    int64_t now = fer_clock_mono();
    while (c->lists && c->lists->deadline <= now) {
        fer_mcp_list *l = c->lists;
        if (l->request.id && c->link->kind->abandon) c->link->kind->abandon(c->link, l->request.id);
        fer_mcp_fail(&l->request, &(fer_mcp_failure){.code = FER_TIMEOUT,
                                                     .message = "the list of tools took too long"});
    }
    if (c->lists) watch(c);
}

/* ---- pages
 * -------------------------------------------------------------------------------------------- */

static void list_write(fer_mcp_request *r, fer_buf *b)
{
    fer_str cursor = list_of(r)->pages->cursor;
    if (cursor.len) {
        fer_buf_add_text(b, "\"cursor\":");
        fer_buf_add(b, cursor);
    }
    fer_mcp_add_meta(r->client, b, NULL);
}

/* A tool whose arguments cannot be mirrored as it asks is left out; the others stay. */
static bool may_use(fer_mcp_client *c, const yyjson_val *tool)
{
    const yyjson_val *name = fer_val_get(tool, "name");
    const char *fault = fer_mcp_mirror_fault(tool);
    if (!fault) return true;
    c->info.dropped++;
    fer_str s = fer_is_str(name) ? fer_str_head(fer_val_str(name), 48) : FER_STR_NONE;
    snprintf(c->info.dropped_why, sizeof c->info.dropped_why, "%.*s: %s", FER_PRI(s), fault);
    return false;
}

/*
 * Adds each item of a list, as it came. The text is walked once: asking for the place of each item
 * would cost a walk each where nothing in the list is a string.
 */
static void add_items(fer_mcp_client *c, struct fer_mcp_pages *p, fer_str list,
                      const yyjson_val *tools)
{
    size_t at = fer_skim_space(list, 1);
    bool headers = fer_mcp_is_modern(c) && c->link->kind->streams && fer_mcp_mirror_may(list);
    const yyjson_val *tool = tools + 1;
    for (; list.ptr[at] != ']'; tool = fer_val_next(tool)) {
        size_t end = fer_skim_value(list, at);
        bool use = !headers || may_use(c, tool);
        if (use && p->tools.len > 1) fer_buf_add_char(&p->tools, ',');
        if (use) fer_buf_add(&p->tools, fer_str_slice(list, at, end));
        at = fer_skim_space(list, end);
        if (list.ptr[at] == ',') at = fer_skim_space(list, at + 1);
    }
}

static fer_code add_tools(fer_mcp_client *c, struct fer_mcp_pages *p, const fer_rpc *m,
                          const yyjson_val *tools, fer_err *err)
{
    if (!fer_is_arr(tools))
        return fer_fail(err, FER_INVALID_OUTPUT, "the server's list of tools is no list");
    p->count += fer_val_len(tools);
    if (p->count > FER_MCP_TOOLS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "mcp.tools: the server has more than %d tools",
                        FER_MCP_TOOLS_MAX);
    add_items(c, p, fer_rpc_bytes(m->doc, tools), tools);
    return fer_buf_code(&p->tools, err);
}

/* Notes the next page's cursor; `cursor` is empty where there is no next page. */
static fer_code note_cursor(fer_arena *a, struct fer_mcp_pages *p, const fer_rpc *m, fer_err *err)
{
    const yyjson_val *next = fer_val_get(m->result, "nextCursor");
    p->cursor = FER_STR_NONE;
    if (!next || fer_val_is(next, YYJSON_TYPE_NULL)) return FER_OK;
    if (!fer_is_str(next))
        return fer_fail(err, FER_INVALID_OUTPUT, "the server's cursor is no text");
    if (++p->pages >= FER_MCP_PAGES_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "mcp.pages: the list has more than %d pages",
                        FER_MCP_PAGES_MAX);
    fer_str cursor = fer_arena_copy(a, fer_rpc_bytes(m->doc, next));
    void **seen = cursor.ptr ? fer_map_put(&p->seen, cursor) : NULL;
    if (!seen) return fer_arena_failed(a, err);
    if (*seen) return fer_fail(err, FER_INVALID_OUTPUT, "the server's cursors go in a circle");
    *seen = p;
    p->cursor = cursor;
    return FER_OK;
}

/* How long a page is good for, and for whom. Older servers do not say: not at all, for nobody else.
 */
static void note_age(struct fer_mcp_pages *p, const fer_rpc *m)
{
    const yyjson_val *ttl = fer_val_get(m->result, "ttlMs");
    const yyjson_val *scope = fer_val_get(m->result, "cacheScope");
    uint64_t ms = ttl && fer_val_tag(ttl) == FER_TAG_UINT ? ttl->uni.u64 : 0;
    if (ms > FER_MCP_TTL_MAX) ms = FER_MCP_TTL_MAX;
    int64_t until = fer_clock_mono() + (int64_t)ms * INT64_C(1000000);
    bool shared = fer_is_str(scope) && fer_str_is(fer_val_str(scope), "public");
    if (!p->good_until || until < p->good_until) p->good_until = until;
    p->shared = p->count && !p->shared ? false : shared;
}

static fer_code take_page(fer_mcp_list *l, const fer_rpc *m, fer_err *err)
{
    const yyjson_val *type = fer_val_get(m->result, "resultType");
    if (type && fer_is_str(type) && !fer_str_is(fer_val_str(type), "complete"))
        return fer_fail(err, FER_INVALID_OUTPUT, "the list of tools is not complete (resultType)");
    note_age(l->pages, m);
    fer_code code = add_tools(l->request.client, l->pages, m, fer_val_get(m->result, "tools"), err);
    if (!code && !fer_mcp_rest_add(&l->pages->rest, m->doc, m->result, "tools"))
        code = fer_fail(err, FER_LIMIT_EXCEEDED, "mcp.list_size: the list says too much");
    return code ? code : note_cursor(l->arena, l->pages, m, err);
}

/* A server without tools need not know the method. */
static void page_refused(fer_mcp_client *c, fer_mcp_list *l, const fer_rpc *m)
{
    fer_err err;
    if (m->error_code == FER_RPC_METHOD_NOT_FOUND && !l->pages->count) {
        fer_buf_add_char(&l->pages->tools, ']');
        end(c, l, fer_buf_code(&l->pages->tools, &err), "out of memory");
        return;
    }
    char why[FER_ERR_TEXT];
    fer_mcp_clean(c, m->error_message, false, why, sizeof why);
    fer_fail(&err, FER_BACKEND_UNAVAILABLE, "the server does not list its tools: %s", why);
    end(c, l, err.code, err.message);
}

/* Keeping it is a favour: without memory it is asked for again. */
static void keep(fer_mcp_client *c, fer_mcp_list *l)
{
    fer_str tools = fer_buf_view(&l->pages->tools);
    int64_t left = l->pages->good_until - fer_clock_mono();
    l->shared = l->pages->shared;
    l->ttl_ms = left > 0 ? left / 1000000 : 0;
    fer_mcp_forget_list(c);
    if (left <= 0 || c->changed) return;
    c->kept = fer_sys_malloc(tools.len);
    if (!c->kept) return;
    memcpy(c->kept, tools.ptr, tools.len);
    c->kept_len = tools.len;
    c->kept_until = l->pages->good_until;
    c->kept_shared = l->shared;
}

static bool give_kept(fer_mcp_client *c, fer_mcp_list *l)
{
    int64_t left = c->kept ? c->kept_until - fer_clock_mono() : 0;
    if (left <= 0 || c->stopping) return false;
    fer_str tools = fer_arena_copy(l->arena, (fer_str){c->kept, c->kept_len});
    if (!tools.ptr) return false;
    l->ttl_ms = left / 1000000;
    l->shared = c->kept_shared;
    l->on_end(l, FER_OK, tools, NULL);
    return true;
}

static void list_answered(fer_mcp_request *r, const fer_rpc *m)
{
    fer_mcp_list *l = list_of(r);
    fer_mcp_client *c = r->client;
    fer_err err = {0};
    if (m->kind == FER_RPC_ERROR) {
        page_refused(c, l, m);
        return;
    }
    fer_code code = take_page(l, m, &err);
    if (!code && l->pages->cursor.ptr) {
        fer_mcp_submit(c, r, &fer_mcp_list_kind);
        return;
    }
    fer_buf_add_char(&l->pages->tools, ']');
    if (!code) code = fer_buf_code(&l->pages->tools, &err);
    if (!code) keep(c, l);
    if (!code) fer_mcp_note_rest(c, fer_mcp_rest_text(&l->pages->rest, l->arena));
    end(c, l, code, err.message);
}

static void list_describe(const fer_mcp_request *r, fer_arena *a, fer_mcp_out *m)
{
    (void)a;
    m->deadline = ((const fer_mcp_list *)r)->deadline;
}

const fer_mcp_request_kind fer_mcp_list_kind = {.method = "tools/list",
                                                .write = list_write,
                                                .describe = list_describe,
                                                .answered = list_answered,
                                                .failed = list_failed};

void fer_mcp_client_list(fer_mcp_client *c, fer_mcp_list *l)
{
    l->list_place = NULL;
    l->ttl_ms = 0;
    l->shared = false;
    if (give_kept(c, l)) return;
    l->pages = fer_arena_alloc_zero(l->arena, 1, sizeof *l->pages);
    if (!l->pages) {
        fer_err err;
        l->on_end(l, fer_arena_failed(l->arena, &err), FER_STR_NONE, &err);
        return;
    }
    fer_buf_init(&l->pages->tools, l->arena, FER_MCP_LIST_MAX);
    fer_map_init(&l->pages->seen, l->arena);
    fer_mcp_rest_init(&l->pages->rest, l->arena, FER_MCP_LIST_MAX);
    fer_buf_add_char(&l->pages->tools, '[');
    l->deadline = fer_clock_mono() + (int64_t)c->options.list_ms * INT64_C(1000000);
    l->next_list = NULL;
    l->list_place = c->lists_end;
    *c->lists_end = l;
    c->lists_end = &l->next_list;
    if (c->lists == l) watch(c);
    c->changed = false;
    fer_mcp_submit(c, &l->request, &fer_mcp_list_kind);
}
