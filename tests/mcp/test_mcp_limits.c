/* SPDX-License-Identifier: Apache-2.0 */
/* What a client bounds, at the edge: the last that passes, and one more. */
#include <stdlib.h>

#include "buf.h"
#include "mcp_client.h"
#include "rows.h"

/* A client that has agreed with a server of 2025-11-25; what it sends is only counted. */
typedef struct bench {
    fer_mcp_link link; /* first */
    fer_mcp_client *client;
    uv_loop_t loop;
    fer_arena *arena;
    size_t sent;
    fer_code code; /* of the list */
    bool listed, closed;
    size_t ends[2]; /* of calls: good and bad */
    size_t news;
} bench;

static fer_code link_open(fer_mcp_link *l, fer_err *err)
{
    (void)l;
    (void)err;
    return FER_OK;
}

static fer_code link_send(fer_mcp_link *l, const fer_mcp_out *m, fer_err *err)
{
    (void)m;
    (void)err;
    ((bench *)l)->sent++;
    return FER_OK;
}

static void link_close(fer_mcp_link *l, bool hurry)
{
    (void)hurry;
    l->events->closed(l->context, FER_OK, "closed");
}

static void link_free(fer_mcp_link *l)
{
    (void)l;
}

static const fer_mcp_link_kind kind = {
    .open = link_open, .send = link_send, .close = link_close, .free = link_free};

static void on_closed(void *context)
{
    ((bench *)context)->closed = true;
}

static void say(bench *b, fer_str json)
{
    b->link.events->message(b->link.context, 0, json);
}

static void set_up(bench *b, bool agree)
{
    *b = (bench){.link = {.kind = &kind}, .arena = fer_arena_new(0)};
    assert_int_equal(uv_loop_init(&b->loop), 0);
    b->client = fer_mcp_client_new(
        &b->link, &(fer_mcp_options){.loop = &b->loop, .closed = on_closed, .context = b});
    fer_mcp_client_connect(b->client);
    if (!agree) return;
    say(b, FER_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"\"}}"));
    say(b,
        FER_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\"}}"));
    b->sent = 0;
}

static void tear_down(bench *b)
{
    fer_mcp_client_close(b->client);
    uv_run(&b->loop, UV_RUN_DEFAULT);
    assert_true(b->closed);
    fer_mcp_client_free(b->client);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    fer_arena_free(b->arena);
}

/* ---- lists
 * ---------------------------------------------------------------------------------------- */

static void on_list(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err)
{
    bench *b = l->context;
    (void)tools;
    (void)err;
    b->code = code;
    b->listed = true;
}

/* A page with `tools` tools, answered to request `id`; `next` 0: it is the last. */
static void say_page(bench *b, size_t id, size_t tools, size_t next)
{
    fer_buf text;
    fer_arena *a = fer_arena_new(0);
    fer_buf_init(&text, a, SIZE_MAX);
    fer_buf_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"result\":{\"tools\":[", id);
    for (size_t i = 0; i < tools; i++) fer_buf_add_text(&text, i ? ",{}" : "{}");
    fer_buf_add_char(&text, ']');
    if (next) fer_buf_printf(&text, ",\"nextCursor\":\"%zu\"", next);
    fer_buf_add_text(&text, "}}");
    say(b, fer_buf_view(&text));
    fer_arena_free(a);
}

static const struct list_row {
    const char *name;
    size_t pages, tools; /* of each page but the last */
    size_t last;         /* tools of the last */
    fer_code code;
} list_rows[] = {
    {"mcp.tools", 2, FER_MCP_TOOLS_MAX / 2, FER_MCP_TOOLS_MAX / 2, FER_OK},
    {"mcp.tools and one", 2, FER_MCP_TOOLS_MAX / 2, FER_MCP_TOOLS_MAX / 2 + 1, FER_LIMIT_EXCEEDED},
    {"mcp.pages", FER_MCP_PAGES_MAX, 0, 0, FER_OK},
    {"mcp.pages and one", FER_MCP_PAGES_MAX + 1, 0, 0, FER_LIMIT_EXCEEDED},
};

static void run_list(const struct list_row *row)
{
    bench b;
    set_up(&b, true);
    fer_mcp_list l = {.arena = b.arena, .on_end = on_list, .context = &b};
    fer_mcp_client_list(b.client, &l);
    for (size_t page = 1; page <= row->pages && !b.listed; page++) {
        bool last = page == row->pages;
        say_page(&b, page + 2, last ? row->last : row->tools, last ? 0 : page);
    }
    assert_true(b.listed);
    assert_int_equal(b.code, row->code);
    tear_down(&b);
}

/* ---- calls
 * ----------------------------------------------------------------------------------------- */

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    bench *b = k->context;
    b->ends[o->code == FER_BACKEND_UNAVAILABLE]++;
}

static void on_progress(fer_mcp_call *k, fer_str json)
{
    bench *b = k->context;
    assert_true(json.len <= FER_MCP_PROGRESS_MAX);
    b->news++;
}

static void begin(bench *b, fer_mcp_call *k)
{
    *k = (fer_mcp_call){.arena = b->arena, .context = b, .on_end = on_end};
    k->tool = FER_STR("t");
    k->args = FER_STR("{}");
    k->on_progress = on_progress;
    fer_mcp_client_call(b->client, k);
}

static void waiting(void)
{
    bench b;
    fer_mcp_call *calls = calloc(FER_MCP_WAITING_MAX + 1, sizeof *calls);
    set_up(&b, false);
    for (size_t i = 0; i < FER_MCP_WAITING_MAX; i++) begin(&b, &calls[i]);
    assert_int_equal(b.ends[1], 0);
    begin(&b, &calls[FER_MCP_WAITING_MAX]);
    assert_int_equal(b.ends[1], 1);
    tear_down(&b);
    assert_int_equal(b.ends[0], FER_MCP_WAITING_MAX);
    free(calls);
}

/* News of as many bytes as may be are told, of one more are noise. */
static void news(void)
{
    for (size_t extra = 0; extra < 2; extra++) {
        bench b;
        fer_mcp_call k;
        fer_mcp_info info;
        fer_buf text;
        set_up(&b, true);
        begin(&b, &k);
        fer_buf_init(&text, b.arena, SIZE_MAX);
        fer_buf_add_text(&text,
                         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                         "{\"progressToken\":3,\"progress\":1,\"message\":\"");
        fer_buf_add_repeat(
            &text, 'x', FER_MCP_PROGRESS_MAX - strlen("{\"progress\":1,\"message\":\"\"}") + extra);
        fer_buf_add_text(&text, "\"}}");
        say(&b, fer_buf_view(&text));
        assert_int_equal(b.news, extra ? 0 : 1);
        fer_mcp_client_info(b.client, &info);
        assert_int_equal(info.noise, extra);
        tear_down(&b);
    }
}

/* Questions without end are answered a hundred times a second. */
static void replies(void)
{
    bench b;
    set_up(&b, true);
    for (int i = 0; i < 100 * FER_MCP_REPLIES_MAX; i++)
        say(&b, FER_STR("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}"));
    assert_true(b.sent >= FER_MCP_REPLIES_MAX && b.sent < 100 * FER_MCP_REPLIES_MAX);
    tear_down(&b);
}

int main(void)
{
    return ROWS_RUN("mcp_limits.list", list_rows, run_list) + ROWS_ONE("mcp_limits", waiting) +
           ROWS_ONE("mcp_limits", news) + ROWS_ONE("mcp_limits", replies);
}
