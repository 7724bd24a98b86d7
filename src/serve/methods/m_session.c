/* SPDX-License-Identifier: Apache-2.0 */
/* Who we are and what we can do: initialize (2024-11-05 to 2025-11-25), server/discover. */
#include "meta_tools.h"
#include "serve_parts.h"

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

static void add_abilities(const fer_ask *q, fer_buf *b)
{
    const fer_guest *g = fer_ask_guest(q);
    bool changes = g->mode != FER_SERVE_META;
    fer_str words = fer_meta_instructions(g->mode);
    fer_buf_printf(b, "\"capabilities\":{\"logging\":{},\"tools\":{\"listChanged\":%s}}",
                   changes ? "true" : "false");
    if (!words.len) return;
    fer_buf_add_text(b, ",\"instructions\":");
    fer_buf_add_quoted(b, words);
}

/* ---- initialize ------------------------------------------------------------------------------ */

/* The version that is asked for, where this era has it; else our newest. */
static const fer_mcp_version *agree(fer_str asked)
{
    const fer_mcp_version *v = fer_mcp_version_find(asked);
    return v && !v->modern ? v : fer_mcp_version_newest(false);
}

void fer_method_initialize(fer_ask *q)
{
    const yyjson_val *version = fer_val_get(q->params, "protocolVersion");
    fer_peer *p = q->peer;
    if (!fer_is_str(version)) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.protocolVersion must be a text");
        return;
    }
    if (p->version) {
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""),
                     "initialize came before: %s was agreed on", p->version->name);
        return;
    }
    if (q->talk->batch) {
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""), "initialize must come alone");
        return;
    }
    p->version = q->version = agree(fer_val_str(version));
    fer_buf *b = fer_ask_open(q);
    fer_buf_printf(b, "{\"protocolVersion\":\"%s\",", p->version->name);
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
