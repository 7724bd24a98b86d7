/* SPDX-License-Identifier: Apache-2.0 */
/* Which version a message is of, and which row of the table is for it. */
#include "dispatch.h"

#include "errors.h"
#include "news.h"
#include "parked.h"

#define LEGACY "2024-11-05", "2025-11-25"
#define MODERN "2026-07-28", "2026-07-28"
#define ALL    "2024-11-05", "2026-07-28"

#define SINCE_TASKS "2025-11-25", "2026-07-28"

const fer_method fer_methods[] = {
    {"initialize", LEGACY, FER_METHOD_EARLY, fer_method_initialize, NULL, NULL},
    {"ping", LEGACY, FER_METHOD_EARLY, fer_method_ping, NULL, NULL},
    {"logging/setLevel", LEGACY, 0, fer_method_set_level, NULL, NULL},
    {"server/discover", MODERN, 0, fer_method_discover, NULL, NULL},
    {"subscriptions/listen", MODERN, FER_METHOD_WARES, fer_method_listen, NULL, NULL},
    {"tools/list", ALL, FER_METHOD_TOOLS, fer_method_list, NULL, NULL},
    {"tools/call", ALL, FER_METHOD_TOOLS | FER_METHOD_INPUT, fer_method_call, NULL, "name"},
    {"resources/list", ALL, FER_METHOD_WARES, fer_method_resources, NULL, NULL},
    {"resources/templates/list", ALL, FER_METHOD_WARES, fer_method_templates, NULL, NULL},
    {"resources/read", ALL, FER_METHOD_WARES | FER_METHOD_CACHED | FER_METHOD_INPUT,
     fer_method_read, NULL, "uri"},
    {"resources/subscribe", LEGACY, FER_METHOD_WARES, fer_method_subscribe, NULL, NULL},
    {"resources/unsubscribe", LEGACY, FER_METHOD_WARES, fer_method_unsubscribe, NULL, NULL},
    {"prompts/list", ALL, FER_METHOD_WARES, fer_method_prompts, NULL, NULL},
    {"prompts/get", ALL, FER_METHOD_WARES | FER_METHOD_INPUT, fer_method_get_prompt, NULL, "name"},
    {"completion/complete", ALL, FER_METHOD_WARES, fer_method_complete, NULL, NULL},
    {"tasks/get", SINCE_TASKS, FER_METHOD_WARES, fer_method_task_get, NULL, "taskId"},
    {"tasks/update", MODERN, FER_METHOD_WARES, fer_method_task_update, NULL, "taskId"},
    {"tasks/cancel", SINCE_TASKS, FER_METHOD_WARES, fer_method_task_cancel, NULL, "taskId"},
    {"tasks/result", "2025-11-25", "2025-11-25", FER_METHOD_WARES, fer_method_task_result, NULL,
     NULL},
    {"tasks/list", "2025-11-25", "2025-11-25", FER_METHOD_WARES, fer_method_task_list, NULL, NULL},
    {"notifications/initialized", LEGACY, 0, NULL, fer_hear_initialized, NULL},
    {"notifications/cancelled", ALL, 0, NULL, fer_hear_cancelled, NULL},
    {"notifications/roots/list_changed", LEGACY, 0, NULL, fer_hear_roots_changed, NULL},
};
const size_t fer_method_count = FER_COUNT(fer_methods);

/* Versions are dates, so their order is that of their names. */
static bool has_version(const fer_method *m, const fer_mcp_version *v)
{
    return !v || (strcmp(m->since, v->name) <= 0 && strcmp(v->name, m->until) <= 0);
}

const fer_method *fer_method_find(fer_str name, const fer_mcp_version *v, bool notification)
{
    for (size_t i = 0; i < fer_method_count; i++) {
        const fer_method *m = &fer_methods[i];
        if ((m->hear != NULL) == notification && fer_str_is(name, m->name) && has_version(m, v))
            return m;
    }
    return NULL;
}

/* ---- which version --------------------------------------------------------------------------- */

/* Only the newer era has such a method. */
static bool is_modern_only(fer_str name)
{
    return fer_method_find(name, fer_mcp_version_newest(true), false) &&
           !fer_method_find(name, fer_mcp_version_newest(false), false);
}

static bool is_modern(const fer_ask *q, fer_str method)
{
    const fer_mcp_version *hint = fer_mcp_version_find(q->talk->hints.version);
    if (fer_val_get(q->meta, FER_MCP_META_VERSION)) return true;
    if (fer_str_is(method, "initialize")) return false;
    if (q->talk->hints.http && q->talk->hints.version.len) return !hint || hint->modern;
    return !q->peer->version && is_modern_only(method);
}

static void refuse_version(fer_ask *q, fer_str requested)
{
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), 4096);
    fer_buf_add_text(&b, "{\"requested\":");
    fer_buf_add_quoted(&b, fer_str_head(requested, 100));
    fer_buf_add_text(&b, ",\"supported\":[");
    fer_add_versions(&b);
    fer_buf_add_text(&b, "]}");
    fer_ask_fail(q, FER_MCP_UNSUPPORTED_VERSION, b.failure ? FER_STR("") : fer_buf_view(&b),
                 "the version %.*s of the protocol is not spoken here",
                 FER_PRI(fer_str_head(requested, 100)));
}

/* What a proxy saw in the head must be what the body says. */
static bool same_as_head(fer_ask *q, const char *field, fer_str head, fer_str body)
{
    if (fer_str_eq(head, body)) return true;
    fer_ask_fail(q, FER_MCP_HEADER_MISMATCH, FER_STR(""),
                 head.len ? "%s is \"%.*s\", and the body says otherwise" : "%s is missing%.*s",
                 field, FER_PRI(fer_str_head(head, 100)));
    return false;
}

/* A request that stands alone names its version and what its client can do. */
static bool read_modern(fer_ask *q)
{
    const yyjson_val *version = fer_val_get(q->meta, FER_MCP_META_VERSION);
    q->version = fer_mcp_version_newest(true);
    q->talk->status = q->talk->batch ? 200 : 400; /* until it is known to be a whole request */
    if (!fer_is_str(version)) {
        fer_str hint = q->talk->hints.version;
        if (hint.len && !fer_mcp_version_find(hint)) refuse_version(q, hint);
        else
            fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "params._meta[\"%s\"] is missing",
                         FER_MCP_META_VERSION);
        return false;
    }
    const fer_mcp_version *v = fer_mcp_version_find(fer_val_str(version));
    /* What head and body disagree about is of no version. */
    fer_str head = q->talk->hints.version;
    if (q->talk->hints.http && head.len && !fer_str_eq(head, fer_val_str(version)))
        return same_as_head(q, "MCP-Protocol-Version", head, fer_val_str(version));
    if (!v || !v->modern) {
        refuse_version(q, fer_val_str(version));
        return false;
    }
    q->version = v;
    if (!fer_is_obj(fer_val_get(q->meta, FER_MCP_META_CAPABILITIES))) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params._meta[\"%s\"] must be an object", FER_MCP_META_CAPABILITIES);
        return false;
    }
    q->talk->status = 200;
    q->log_level = fer_level_rank(fer_val_get(q->meta, FER_MCP_META_LOG));
    if (q->log_level != FER_LOG_OFF) fer_front_want_level(q->peer->server, q->log_level);
    return true;
}

static bool read_legacy(fer_ask *q, fer_str method)
{
    const fer_mcp_version *v = q->peer->version;
    const fer_method *row = fer_method_find(method, v ? v : fer_mcp_version_newest(false), false);
    q->version = v ? v : fer_mcp_version_newest(false);
    q->log_level = q->peer->log_level;
    if (v || (row && row->flags & FER_METHOD_EARLY)) return true;
    fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""),
                 "%.*s came before initialize; a request of 2026-07-28 names its version in "
                 "params._meta",
                 FER_PRI(fer_str_head(method, 100)));
    return false;
}

/* ---- what HTTP says beside the body (2026-07-28) --------------------------------------------- */

static bool check_head(fer_ask *q, fer_str method)
{
    const fer_talk_hints *h = &q->talk->hints;
    const fer_method *row = fer_method_find(method, q->version, false);
    const yyjson_val *name = row && row->about ? fer_val_get(q->params, row->about) : NULL;
    if (!h->http) return true;
    if (!same_as_head(q, "MCP-Protocol-Version", h->version, fer_str_of(q->version->name)) ||
        !same_as_head(q, "Mcp-Method", h->method, method))
        return false;
    return !fer_is_str(name) || same_as_head(q, "Mcp-Name", h->name, fer_val_str(name));
}

/* ---- requests -------------------------------------------------------------------------------- */

static fer_ask *same_id(const fer_ask *q)
{
    for (fer_ask *o = q->peer->asks; o; o = o->next)
        if (o != q && fer_rpc_id_eq(&o->id, &q->id)) return o;
    return NULL;
}

static void read_token(fer_ask *q)
{
    const yyjson_val *token = fer_val_get(q->meta, "progressToken");
    if (fer_is_str(token) || fer_is_num(token)) q->token = fer_rpc_bytes(q->doc, token);
}

void fer_ask_run(fer_ask *q)
{
    bool goes_on = q->method->flags & FER_METHOD_INPUT && q->version->modern;
    q->held = false;
    if (!goes_on || !fer_parked_resume(q)) q->method->run(q);
}

static void run_request(fer_talk *x, const fer_rpc *m)
{
    fer_ask *q = fer_talk_ask(x, m);
    if (!q) {
        fer_talk_refuse(x, &m->id, -32603, FER_STR("out of memory"));
        return;
    }
    const yyjson_val *meta = fer_val_get(m->params, "_meta");
    q->meta = fer_is_obj(meta) ? meta : NULL;
    bool modern = is_modern(q, m->method);
    if (!(modern ? read_modern(q) && check_head(q, m->method) : read_legacy(q, m->method))) return;
    fer_front *s = x->peer->server;
    q->method = fer_method_find(m->method, q->version, false);
    if (!q->method)
        fer_ask_fail(q, FER_RPC_METHOD_NOT_FOUND, FER_STR(""), "there is no method %.*s in %s",
                     FER_PRI(fer_str_head(m->method, 100)), q->version->name);
    else if (same_id(q))
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""), "a request of this ID is under way");
    else if (x->peer->ask_count > s->options.limits.asks)
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""),
                     "serve.asks: at most %zu requests are under way at once",
                     s->options.limits.asks);
    else if (s->draining) fer_ask_fail(q, -32603, FER_STR(""), "the server is shutting down");
    else if (q->method->run != fer_method_initialize || fer_ask_agree(q)) {
        read_token(q);
        q->held = fer_front_must_wait(q);
        if (!q->held) fer_ask_run(q);
    }
}

void fer_dispatch(fer_talk *x, const fer_rpc *m)
{
    fer_peer *p = x->peer;
    const fer_method *row;
    switch (m->kind) {
    case FER_RPC_REQUEST: run_request(x, m); return;
    case FER_RPC_NOTIFICATION:
        row = fer_method_find(m->method, NULL, true);
        if (row) row->hear(p, m);
        else fer_hear_unknown(p, m);
        break;
    default:
        if (!fer_question_answered(p, m)) p->server->counts.ignored++; /* nobody asked for it */
    }
    if (!x->out.len && !x->open && x->status == 200) x->status = 202;
}
