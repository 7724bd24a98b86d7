/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks/list (2025-11-25): a page of a server's is a page of ours, with those tasks alone that were
 * begun for who asks; servers come one after the other. A cursor of ours names the server and has
 * the server's own, signed as the names of tasks are.
 */
#include "parked.h"
#include "tasks_parts.h"
#include "tool_reply.h"

#define CURSOR FER_STR("tasks") /* what such a text is for */

/* ---- cursors --------------------------------------------------------------------------------- */

/* `own`: the server's cursor, NULL: its first page. An empty text is a cursor like any other. */
static fer_str write_cursor(fer_ask *q, const fer_server *server, const fer_str *own)
{
    fer_arena *a = fer_ask_arena(q);
    unsigned char bound[FER_STATE_BIND];
    fer_str rest = own ? *own : FER_STR("");
    fer_str out, inner = fer_arena_printf(a, "%.*s/%s%.*s", FER_PRI(server->name), own ? "+" : "",
                                          FER_PRI(rest));
    fer_state s = {
        .kind = FER_STATE_TASK, .number = server->name.len, .until = INT64_MAX, .inner = inner};
    const unsigned char *key = inner.ptr ? fer_state_key(fer_ask_front(q)) : NULL;
    if (!key || !fer_task_bind(q->peer->guest, CURSOR, bound) ||
        fer_state_write(a, key, bound, &s, &out, NULL))
        return FER_STR("");
    return out;
}

/* NULL: it is none of ours, or its server is gone. `own`: the server's cursor behind a sign, or
 * empty. */
static fer_server *read_cursor(fer_ask *q, fer_str text, fer_str *own)
{
    unsigned char bound[FER_STATE_BIND];
    fer_state s;
    const unsigned char *key = fer_state_key(fer_ask_front(q));
    if (!key || !fer_task_bind(q->peer->guest, CURSOR, bound) ||
        fer_state_read(fer_ask_arena(q), key, bound, 0, text, &s, NULL) ||
        s.kind != FER_STATE_TASK || s.number >= s.inner.len)
        return NULL;
    *own = fer_str_slice(s.inner, s.number + 1, s.inner.len);
    return fer_wares_named(&fer_ask_front(q)->wares, fer_str_slice(s.inner, 0, s.number));
}

/* ---- servers --------------------------------------------------------------------------------- */

static fer_server *next_lister(const fer_guest *g, fer_server *from)
{
    while (from && !(from->runner && from->can & FER_CAN_LIST_TASKS && fer_wares_shows(g, from)))
        from = from->next;
    return from;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void add_tasks(fer_ask *q, fer_buf *b, const fer_server *server, const fer_json *doc,
                      const yyjson_val *list)
{
    const fer_guest *g = q->peer->guest;
    fer_arena *a = fer_ask_arena(q);
    size_t start = b->len;
    FER_EACH_ITEM (list, task) {
        const yyjson_val *id = fer_is_obj(task) ? fer_val_get(task, "taskId") : NULL;
        if (!fer_is_str(id) || !fer_task_is_of(g, server, fer_val_str(id), NULL)) continue;
        fer_str text = fer_rpc_bytes(doc, task), old = fer_rpc_bytes(doc, id);
        size_t at = (size_t)(old.ptr - text.ptr);
        if (b->len > start) fer_buf_add_char(b, ',');
        fer_buf_add(b, fer_str_slice(text, 0, at));
        fer_buf_add_quoted(b, fer_task_name(a, g, server->name, fer_val_str(id)));
        fer_buf_add(b, fer_str_slice(text, at + old.len, text.len));
    }
}

static bool take(fer_relay *r, const fer_mcp_outcome *o)
{
    fer_ask *q = r->ask;
    fer_server *server = r->servers[0];
    fer_json *doc;
    if (o->code || o->error.len ||
        fer_json_read(fer_ask_arena(q), o->json, fer_json_limits_answer(), &doc, NULL))
        return false;
    const yyjson_val *root = fer_json_root(doc), *next = fer_val_get(root, "nextCursor");
    fer_server *other = next_lister(q->peer->guest, server->next);
    fer_str cursor = FER_STR("");
    fer_str after = fer_is_str(next) ? fer_val_str(next) : FER_STR("");
    if (fer_is_str(next)) cursor = write_cursor(q, server, &after);
    else if (other) cursor = write_cursor(q, other, NULL);
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_text(b, "{\"tasks\":[");
    if (fer_is_arr(fer_val_get(root, "tasks")))
        add_tasks(q, b, server, doc, fer_val_get(root, "tasks"));
    fer_buf_add_char(b, ']');
    if (cursor.len) {
        fer_buf_add_text(b, ",\"nextCursor\":");
        fer_buf_add_quoted(b, cursor);
    }
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
    return true;
}

void fer_method_task_list(fer_ask *q)
{
    const yyjson_val *cursor = fer_val_get(q->params, "cursor");
    fer_guest *g = fer_ask_guest(q);
    fer_str own = FER_STR("");
    if (!(fer_guest_offers(g) & FER_CAN_LIST_TASKS)) {
        fer_ask_fail(q, FER_RPC_METHOD_NOT_FOUND, FER_STR(""), "no server here lists tasks");
        return;
    }
    fer_server *server = !cursor              ? fer_ask_front(q)->wares.servers
                         : fer_is_str(cursor) ? read_cursor(q, fer_val_str(cursor), &own)
                                              : NULL;
    server = next_lister(g, server);
    fer_relay *r = server ? fer_relay_new(q) : NULL;
    if (!server) fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "params.cursor is not ours");
    if (!r) return;
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), FER_STATE_MAX);
    fer_buf_add_char(&b, '{');
    if (own.len) fer_buf_add_text(&b, "\"cursor\":");
    if (own.len) fer_buf_add_quoted(&b, fer_str_slice(own, 1, own.len));
    fer_buf_add_char(&b, '}');
    r->params = fer_buf_view(&b);
    r->servers[r->count++] = server;
    r->take = take;
    fer_relay_go(r);
}
