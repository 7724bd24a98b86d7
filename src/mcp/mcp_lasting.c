/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lasts longer than a connection: what a server said of itself, what of it is watched,
 * which messages are wanted. A server that was lost and comes back is told again.
 */
#include "errors.h"
#include "mcp_parts.h"
#include "sys.h"

/* ---- what a server said of itself -------------------------------------------------------------
 */

static void forget_text(fer_str *s)
{
    fer_sys_free((void *)(uintptr_t)s->ptr);
    *s = FER_STR_NONE;
}

/* Without memory it is as if nothing had been said. */
static bool keep_text(fer_str *to, fer_str text, size_t max)
{
    char *copy = text.len && text.len <= max ? fer_sys_malloc(text.len) : NULL;
    forget_text(to);
    if (!copy) return false;
    memcpy(copy, text.ptr, text.len);
    *to = (fer_str){copy, text.len};
    return true;
}

static bool says(const yyjson_val *capabilities, const char *what, const char *flag)
{
    return fer_is_true(fer_val_get(fer_val_get(capabilities, what), flag));
}

void fer_mcp_note_abilities(fer_mcp_client *c, const fer_rpc *m)
{
    const yyjson_val *can = fer_val_get(m->result, "capabilities");
    const yyjson_val *words = fer_val_get(m->result, "instructions");
    fer_str spoken = fer_is_str(words) ? fer_val_str(words) : FER_STR_NONE;
    if (!fer_is_obj(can)) can = NULL;
    c->news_of_tools = says(can, "tools", "listChanged");
    c->news_of_resources = says(can, "resources", "listChanged");
    c->news_of_prompts = says(can, "prompts", "listChanged");
    c->can_watch = says(can, "resources", "subscribe");
    c->can_log = fer_val_get(can, "logging") != NULL;
    keep_text(&c->said_capabilities, can ? fer_rpc_bytes(m->doc, can) : FER_STR_NONE,
              FER_MCP_SAID_MAX);
    keep_text(&c->said_instructions, fer_str_head(spoken, FER_MCP_SAID_MAX), FER_MCP_SAID_MAX);
}

fer_str fer_mcp_client_capabilities(const fer_mcp_client *c)
{
    return c->said_capabilities;
}

fer_str fer_mcp_client_instructions(const fer_mcp_client *c)
{
    return c->said_instructions;
}

void fer_mcp_note_rest(fer_mcp_client *c, fer_str members)
{
    bool same = c->info.lists && fer_str_eq(members, c->said_rest);
    if (same) return;
    keep_text(&c->said_rest, members, FER_MCP_LIST_MAX);
    c->info.lists++;
}

fer_str fer_mcp_client_rest(const fer_mcp_client *c)
{
    return c->said_rest;
}

void fer_mcp_client_declare(fer_mcp_client *c, fer_str capabilities, bool alone)
{
    c->options.capabilities = capabilities;
    c->options.alone = alone;
}

bool fer_mcp_is_served(const fer_mcp_client *c)
{
    return c->options.asked && c->options.capabilities.len && !c->options.alone;
}

/* ---- what is told it
 * ---------------------------------------------------------------------------------------- */

/* A request of our own whose answer nobody waits for. */
static void post_request(fer_mcp_client *c, const char *method, const char *key, fer_str value)
{
    fer_buf b = fer_mcp_writing(c);
    fer_rpc_open(&b, c->next_id++, method);
    fer_buf_printf(&b, "\"%s\":", key);
    fer_buf_add_quoted(&b, value);
    fer_rpc_close(&b);
    fer_mcp_post(c, &b, method);
}

static bool is_older(const fer_mcp_client *c)
{
    return c->info.state == FER_MCP_READY && !fer_mcp_is_modern(c);
}

void fer_mcp_say_lasting(fer_mcp_client *c)
{
    if (!is_older(c)) return;
    if (c->log_level && c->can_log)
        post_request(c, "logging/setLevel", "level", fer_str_of(c->log_level));
    for (size_t i = 0; c->can_watch && i < c->watched_count; i++)
        if (c->watched[i].kind == FER_MCP_RESOURCE)
            post_request(c, "resources/subscribe", "uri", c->watched[i].name);
}

void fer_mcp_client_log_level(fer_mcp_client *c, const char *level)
{
    c->log_level = level;
    if (level && is_older(c) && c->can_log)
        post_request(c, "logging/setLevel", "level", fer_str_of(level));
}

void fer_mcp_client_notify(fer_mcp_client *c, fer_str method, fer_str params)
{
    if (!is_older(c)) return;
    fer_buf b = fer_mcp_writing(c);
    fer_buf_add_text(&b, "{\"jsonrpc\":\"2.0\",\"method\":");
    fer_buf_add_quoted(&b, method);
    fer_buf_add_text(&b, ",\"params\":");
    fer_buf_add(&b, params.len ? params : FER_STR("{}"));
    fer_buf_add_char(&b, '}');
    fer_mcp_post(c, &b, "");
}

/* ---- what is watched
 * ---------------------------------------------------------------------------------------- */

static size_t find_watched(const fer_mcp_client *c, fer_mcp_watchable kind, fer_str name)
{
    size_t i = 0;
    while (i < c->watched_count &&
           (c->watched[i].kind != kind || !fer_str_eq(c->watched[i].name, name)))
        i++;
    return i;
}

bool fer_mcp_watches(const fer_mcp_client *c, fer_mcp_watchable kind)
{
    for (size_t i = 0; i < c->watched_count; i++)
        if (c->watched[i].kind == kind) return true;
    return false;
}

/* An older server is told of resources, each by a request; a modern one by the subscription. */
static bool is_told(const fer_mcp_client *c, fer_mcp_watchable kind)
{
    return kind == FER_MCP_RESOURCE && is_older(c) && c->can_watch;
}

static fer_code make_room(fer_mcp_client *c, fer_err *err)
{
    if (c->watched_count == FER_MCP_WATCHED_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "mcp.watched: at most %d resources and tasks of a server are watched",
                        FER_MCP_WATCHED_MAX);
    if (c->watched_count < c->watched_cap) return FER_OK;
    size_t cap = c->watched_cap ? 2 * c->watched_cap : 8;
    fer_mcp_watched *list = fer_sys_malloc(cap * sizeof *list);
    if (!list) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (c->watched_count) memcpy(list, c->watched, c->watched_count * sizeof *list);
    fer_sys_free(c->watched);
    c->watched = list;
    c->watched_cap = cap;
    return FER_OK;
}

fer_code fer_mcp_client_watch(fer_mcp_client *c, fer_mcp_watchable kind, fer_str name, bool tell,
                              fer_err *err)
{
    if (find_watched(c, kind, name) < c->watched_count) return FER_OK;
    fer_code code = make_room(c, err);
    if (code) return code;
    fer_str own = FER_STR_NONE;
    if (!keep_text(&own, name, FER_MCP_SAID_MAX))
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for the name of what is watched");
    c->watched[c->watched_count++] = (fer_mcp_watched){kind, own};
    if (fer_mcp_is_modern(c)) fer_mcp_listen_again(c);
    else if (tell && is_told(c, kind)) post_request(c, "resources/subscribe", "uri", name);
    return FER_OK;
}

void fer_mcp_client_unwatch(fer_mcp_client *c, fer_mcp_watchable kind, fer_str name)
{
    size_t at = find_watched(c, kind, name);
    if (at == c->watched_count) return;
    if (is_told(c, kind)) post_request(c, "resources/unsubscribe", "uri", name);
    forget_text(&c->watched[at].name);
    c->watched[at] = c->watched[--c->watched_count];
    if (fer_mcp_is_modern(c)) fer_mcp_listen_again(c);
}

/* A list of what is watched of a kind, with a comma before it where something stands there. */
static bool add_watched(const fer_mcp_client *c, fer_buf *b, fer_mcp_watchable kind,
                        const char *member, const char *comma)
{
    bool any = false;
    for (size_t i = 0; i < c->watched_count; i++) {
        if (c->watched[i].kind != kind) continue;
        if (any) fer_buf_add_char(b, ',');
        else fer_buf_printf(b, "%s\"%s\":[", comma, member);
        fer_buf_add_quoted(b, c->watched[i].name);
        any = true;
    }
    if (any) fer_buf_add_char(b, ']');
    return any;
}

bool fer_mcp_add_filter(const fer_mcp_client *c, fer_buf *b)
{
    bool heard = c->options.noticed && fer_mcp_is_served(c), any = false;
    const struct {
        bool wanted;
        const char *name;
    } rows[] = {{c->news_of_tools, "toolsListChanged"},
                {c->news_of_resources && heard, "resourcesListChanged"},
                {c->news_of_prompts && heard, "promptsListChanged"}};
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (!rows[i].wanted) continue;
        fer_buf_printf(b, "%s\"%s\":true", any ? "," : "", rows[i].name);
        any = true;
    }
    if (c->can_watch &&
        add_watched(c, b, FER_MCP_RESOURCE, "resourceSubscriptions", any ? "," : ""))
        any = true;
    return add_watched(c, b, FER_MCP_TASK, "taskIds", any ? "," : "") || any;
}

void fer_mcp_lasting_free(fer_mcp_client *c)
{
    for (size_t i = 0; i < c->watched_count; i++) forget_text(&c->watched[i].name);
    fer_sys_free(c->watched);
    forget_text(&c->said_capabilities);
    forget_text(&c->said_instructions);
    forget_text(&c->said_rest);
}

/* ---- what is under way
 * -------------------------------------------------------------------------------------- */

void fer_mcp_client_each(fer_mcp_client *c, void (*visit)(void *context, fer_mcp_call *k),
                         void *context)
{
    for (size_t i = 0; i < FER_MCP_TABLE; i++)
        for (fer_mcp_request *r = c->table[i]; r; r = r->next)
            if (r->kind == &fer_mcp_call_kind) visit(context, (fer_mcp_call *)r);
}
