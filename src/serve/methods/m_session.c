/* SPDX-License-Identifier: Apache-2.0 */
/* Who we are and what we can do: initialize (2024-11-05 to 2025-11-25), server/discover. */
#include "meta_tools.h"
#include "relay.h"
#include "serve_parts.h"
#include "sys.h"
#include "tasks.h"

bool fer_ask_since(const fer_ask *q, const char *version)
{
    return strcmp(q->version->name, version) >= 0;
}

void fer_ask_add_server(const fer_ask *q, fer_buf *b)
{
    fer_buf_add_text(b, "{\"name\":\"ferrule\",");
    if (fer_ask_since(q, "2025-06-18")) fer_buf_add_text(b, "\"title\":\"Ferrule\",");
    fer_buf_printf(b, "\"version\":\"%s\"}", fer_version());
}

void fer_ask_add_complete(const fer_ask *q, fer_buf *b)
{
    if (!q->version->modern) return;
    fer_buf_add_text(b, "\"resultType\":\"complete\",\"_meta\":{\"" FER_MCP_META_SERVER "\":");
    fer_ask_add_server(q, b);
    fer_buf_add_text(b, "},");
}

void fer_ask_add_cache(const fer_ask *q, fer_buf *b)
{
    if (!q->version->modern) return;
    /* What is shown depends on who asks: it is not for others. */
    fer_buf_printf(b, "\"ttlMs\":%d,\"cacheScope\":\"private\",", FER_SERVE_TTL_MS);
}

/* Our own words, and those of servers; the meta tools are to cost little, so they stand alone. */
static void add_instructions(const fer_ask *q, fer_buf *b)
{
    fer_guest *g = fer_ask_guest(q);
    fer_buf words;
    fer_buf_init(&words, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add(&words, fer_meta_instructions(g->mode));
    if (g->mode != FER_SERVE_META) fer_wares_add_instructions(g, &words, FER_SERVE_INSTRUCTIONS);
    if (!words.len || words.failure) return;
    fer_buf_add_text(b, ",\"instructions\":");
    fer_buf_add_quoted(b, fer_buf_view(&words));
}

static void add_abilities(const fer_ask *q, fer_buf *b)
{
    fer_guest *g = fer_ask_guest(q);
    bool changes = g->mode != FER_SERVE_META;
    unsigned can = fer_guest_offers(g);
    fer_buf_printf(b, "\"capabilities\":{%s\"tools\":{\"listChanged\":%s}",
                   can & FER_CAN_LOG ? "\"logging\":{}," : "", changes ? "true" : "false");
    if (can & FER_CAN_RESOURCES)
        fer_buf_printf(b, ",\"resources\":{\"subscribe\":%s,\"listChanged\":true}",
                       can & FER_CAN_WATCH ? "true" : "false");
    if (can & FER_CAN_PROMPTS) fer_buf_add_text(b, ",\"prompts\":{\"listChanged\":true}");
    if (can & FER_CAN_COMPLETE && fer_ask_since(q, "2025-03-26"))
        fer_buf_add_text(b, ",\"completions\":{}");
    if (q->version->modern && can & (FER_CAN_TASKS | FER_CAN_OLD_TASKS))
        fer_buf_add_text(b, ",\"extensions\":{\"" FER_MCP_TASKS "\":{}}");
    if (!q->version->modern && fer_ask_since(q, "2025-11-25") && can & FER_CAN_OLD_TASKS)
        fer_buf_printf(b, ",\"tasks\":{%s\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}",
                       can & FER_CAN_LIST_TASKS ? "\"list\":{}," : "");
    fer_buf_add_char(b, '}');
    add_instructions(q, b);
}

/* ---- initialize ------------------------------------------------------------------------------ */

/* The version that is asked for, where this era has it; else our newest. */
static const fer_mcp_version *agree(fer_str asked)
{
    const fer_mcp_version *v = fer_mcp_version_find(asked);
    return v && !v->modern ? v : fer_mcp_version_newest(false);
}

/* What the client can be asked for, for as long as it is there. */
static void keep_abilities(fer_peer *p, const fer_ask *q)
{
    const yyjson_val *can = fer_val_get(q->params, "capabilities");
    fer_str text = fer_is_obj(can) ? fer_rpc_bytes(q->doc, can) : FER_STR("");
    char *copy = text.len && text.len <= FER_MCP_SAID_MAX ? fer_sys_malloc(text.len) : NULL;
    if (!copy) return; /* then it is asked nothing */
    for (size_t i = 0; i < text.len; i++)
        copy[i] = text.ptr[i] == '\n' || text.ptr[i] == '\r' ? ' ' : text.ptr[i];
    p->capabilities = (fer_str){copy, text.len};
}

fer_str fer_ask_abilities(const fer_ask *q)
{
    if (!q->version->modern) return q->peer->capabilities;
    const yyjson_val *can = fer_val_get(q->meta, FER_MCP_META_CAPABILITIES);
    fer_str text = can ? fer_arena_copy(fer_ask_arena(q), fer_rpc_bytes(q->doc, can)) : FER_STR("");
    char *at = (char *)(uintptr_t)text.ptr; /* our own copy, on one line */
    for (size_t i = 0; can && at && i < text.len; i++)
        if (at[i] == '\n' || at[i] == '\r') at[i] = ' ';
    return text.ptr ? text : FER_STR("");
}

bool fer_ask_agree(fer_ask *q)
{
    const yyjson_val *version = fer_val_get(q->params, "protocolVersion");
    fer_peer *p = q->peer;
    if (!fer_is_str(version))
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.protocolVersion must be a text");
    else if (p->version)
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""),
                     "initialize came before: %s was agreed on", p->version->name);
    else if (q->talk->batch)
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""), "initialize must come alone");
    else {
        p->version = q->version = agree(fer_val_str(version));
        keep_abilities(p, q);
        return true;
    }
    return false;
}

void fer_method_initialize(fer_ask *q)
{
    fer_buf *b = fer_ask_open(q);
    fer_buf_printf(b, "{\"protocolVersion\":\"%s\",", q->version->name);
    add_abilities(q, b);
    fer_buf_add_text(b, ",\"serverInfo\":");
    fer_ask_add_server(q, b);
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

void fer_hear_initialized(fer_peer *p, const fer_rpc *m)
{
    (void)m;
    p->initialized = p->version != NULL;
}

/* Tells the servers that have no other client now: who says it is not known to one that several
 * share. */
static void tell_servers(fer_peer *p, fer_str method, fer_str params)
{
    fer_front *s = p->server;
    fer_asker who = fer_peer_asker(p);
    size_t others = 0;
    for (const fer_peer *o = s->peers; o; o = o->next) others += o != p && o->initialized;
    fer_wares_look(&s->wares);
    for (const fer_server *x = s->wares.servers; x; x = x->next) {
        fer_runner *r = x->runner;
        if (!r || (others && !r->isolated) || !fer_wares_shows(p->guest, x)) continue;
        fer_mcp_client *client = r->kind->mcp(r, &who, p->capabilities);
        if (client) fer_mcp_client_notify(client, method, params);
    }
}

void fer_hear_roots_changed(fer_peer *p, const fer_rpc *m)
{
    tell_servers(p, m->method, FER_STR(""));
}

/* What nobody here knows is for the one server that an older client talks with through us. Progress
 * and tasks of a client's own are about questions whose names are ours. */
void fer_hear_unknown(fer_peer *p, const fer_rpc *m)
{
    static const char *const about_ours[] = {"notifications/progress",
                                             "notifications/tasks/status"};
    bool open = p->initialized && p->guest->mode == FER_SERVE_TRANSPARENT &&
                fer_str_starts(m->method, "notifications/");
    for (size_t i = 0; i < FER_COUNT(about_ours); i++)
        open = open && !fer_str_is(m->method, about_ours[i]);
    fer_arena *a = open ? fer_arena_new(FER_SERVE_MEMORY) : NULL;
    fer_str params =
        a && m->params ? fer_one_line(a, fer_rpc_bytes(m->doc, m->params)) : FER_STR("");
    if (a && params.ptr) tell_servers(p, m->method, params);
    else p->server->counts.ignored++;
    fer_arena_free(a);
}

void fer_method_ping(fer_ask *q)
{
    fer_buf_add_text(fer_ask_open(q), "{}");
    fer_ask_close(q);
}

/* ---- server/discover --------------------------------------------------------------------------
 */

void fer_add_versions(fer_buf *b)
{
    size_t count;
    const fer_mcp_version *all = fer_mcp_versions(&count);
    for (size_t i = count; i-- > 0;) fer_buf_printf(b, "\"%s\"%s", all[i].name, i ? "," : "");
}

void fer_method_discover(fer_ask *q)
{
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_char(b, '{');
    fer_ask_add_complete(q, b);
    fer_ask_add_cache(q, b);
    fer_buf_add_text(b, "\"supportedVersions\":[");
    fer_add_versions(b);
    fer_buf_add_text(b, "],");
    add_abilities(q, b);
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}
