/* SPDX-License-Identifier: Apache-2.0 */
/* resources/subscribe and resources/unsubscribe (to 2025-11-25). */
#include "errors.h"
#include "m_wares.h"
#include "news.h"

static void answer(fer_ask *q)
{
    fer_buf_add_text(fer_ask_open(q), "{}");
    fer_ask_close(q);
}

static fer_code watch(fer_ask *q, fer_server *server, fer_str own, fer_err *err)
{
    fer_str shown = fer_val_str(fer_val_get(q->params, "uri"));
    const fer_thing t = {FER_MCP_RESOURCE, server, own, shown};
    return fer_watch_add(q->peer, NULL, &t, err);
}

/* The server has agreed; its answer is passed on. */
static void subscribed(fer_ask *q, fer_server *server)
{
    const fer_relay *r = q->state;
    fer_str uri = fer_val_str(fer_val_get(q->params, "uri"));
    watch(q, server, r->own.len ? r->own : uri, NULL);
}

static bool is_modern(const fer_server *server)
{
    fer_runner *r = server->runner;
    fer_mcp_info info = {0};
    if (r) fer_mcp_client_info(r->kind->mcp(r, NULL, FER_STR("")), &info);
    return info.version && info.version->modern;
}

void fer_method_subscribe(fer_ask *q)
{
    fer_err err = {0};
    if (!fer_wares_offered(q, FER_CAN_WATCH)) return;
    const yyjson_val *uri = fer_wares_text(q, q->params, "uri", "uri");
    fer_relay *r = uri ? fer_relay_new(q) : NULL;
    if (!r || !fer_relay_to_resource(r, uri)) return;
    fer_server *server = r->count ? r->servers[0] : NULL;
    fer_str own = r->own.len ? r->own : fer_val_str(uri);
    /* A modern server is listened to; an older one is asked once, whoever watches. */
    const fer_thing t = {FER_MCP_RESOURCE, server, own, own};
    bool here = server && (is_modern(server) || fer_watch_has(fer_ask_front(q), q->peer, &t));
    if (here && watch(q, server, own, &err))
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""), "%s", err.message);
    else if (here) answer(q);
    else {
        r->done = subscribed;
        fer_relay_go(r);
    }
}

void fer_method_unsubscribe(fer_ask *q)
{
    if (!fer_wares_offered(q, FER_CAN_WATCH)) return;
    const yyjson_val *uri = fer_wares_text(q, q->params, "uri", "uri");
    if (!uri) return;
    fer_watch_remove(q->peer, NULL, fer_val_str(uri));
    answer(q);
}
