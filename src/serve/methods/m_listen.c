/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling clients that tools have changed: those of the older era who said that they are ready, and
 * those who listen (subscriptions/listen, 2026-07-28). A subscription is a request without an end
 * of its own: acknowledged first, ended by the client's cancel, or by us with a result.
 */
#include "serve_parts.h"

static void open_note(fer_buf *b, const fer_ask *q, const char *method)
{
    fer_buf_init(b, fer_ask_arena(q), 4096);
    fer_rpc_open(b, 0, method);
    fer_buf_add_text(b, "\"_meta\":{\"" FER_MCP_META_SUBSCRIPTION "\":");
    fer_rpc_add_id(b, &q->id);
    fer_buf_add_char(b, '}');
}

static void close_note(fer_buf *b, fer_ask *q)
{
    fer_rpc_close(b);
    if (!b->failure) fer_ask_note(q, fer_buf_view(b));
}

void fer_method_listen(fer_ask *q)
{
    const yyjson_val *wanted = fer_val_get(q->params, "notifications");
    fer_buf b;
    if (!fer_is_obj(wanted)) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.notifications must be an object");
        return;
    }
    if (q->peer->listen_count >= fer_ask_front(q)->options.limits.listens) {
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""),
                     "serve.listens: at most %zu subscriptions at once",
                     fer_ask_front(q)->options.limits.listens);
        return;
    }
    q->listens = true;
    q->peer->listen_count++;
    fer_ask_front(q)->listens++;
    q->tools_changed = fer_ask_guest(q)->mode != FER_SERVE_META &&
                       fer_is_true(fer_val_get(wanted, "toolsListChanged"));
    open_note(&b, q, "notifications/subscriptions/acknowledged");
    fer_buf_printf(&b, ",\"notifications\":{%s}",
                   q->tools_changed ? "\"toolsListChanged\":true" : "");
    close_note(&b, q);
}

void fer_listen_end(fer_ask *q)
{
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_text(b,
                     "{\"resultType\":\"complete\",\"_meta\":{\"" FER_MCP_META_SUBSCRIPTION "\":");
    fer_rpc_add_id(b, &q->id);
    fer_buf_add_text(b, "}}");
    fer_ask_close(q);
}

static void tell_listener(fer_ask *q)
{
    fer_buf b;
    if (!q->listens || !q->tools_changed || !q->peer->guest->changed) return;
    open_note(&b, q, "notifications/tools/list_changed");
    close_note(&b, q);
}

/* Only what is shown counts: a change of tools that nobody sees is no news. */
void fer_listen_tell_changed(fer_front *s)
{
    bool news = false;
    for (fer_guest *g = s->guests; g; g = g->next) {
        g->changed = false;
        if (g->mode == FER_SERVE_META || fer_guest_refresh(g, &g->changed, NULL)) continue;
        news |= g->changed;
    }
    if (!news) return;
    fer_front_each(s, tell_listener);
    for (fer_peer *p = s->peers, *next; p; p = next) {
        next = p->next;
        if (p->initialized && p->options.push && p->guest->changed)
            p->options.push(p->options.context, FER_STR("{\"jsonrpc\":\"2.0\",\"method\":"
                                                        "\"notifications/tools/list_changed\"}"));
    }
}
