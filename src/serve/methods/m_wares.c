/* SPDX-License-Identifier: Apache-2.0 */
/* A page of what servers have beside tools; for the files of resources and prompts. */
#include "m_wares.h"

#include "errors.h"

/* A cursor is the state of the list that it is of, and a place in it. */
#define CURSOR 48 /* bytes */

static void write_cursor(char out[CURSOR], uint64_t version, size_t at)
{
    snprintf(out, CURSOR, "w%llx.%zx", (unsigned long long)version, at);
}

/* False: it was not made here, or is of a list that has changed since. */
static bool read_cursor(fer_ask *q, const fer_counter *c, size_t *at)
{
    const yyjson_val *cursor = fer_val_get(q->params, "cursor");
    char text[CURSOR];
    *at = 0;
    if (!cursor) return true;
    for (size_t i = FER_SERVE_PAGE; fer_is_str(cursor) && i < c->count; i += FER_SERVE_PAGE) {
        write_cursor(text, c->version, i);
        if (!fer_str_is(fer_val_str(cursor), text)) continue;
        *at = i;
        return true;
    }
    return false;
}

/* The members of the server's `_meta`, and who we are where it does not say who it is. */
static void add_meta(const fer_ask *q, fer_buf *b, const fer_json *doc, const yyjson_val *meta)
{
    bool own = q->version->modern && !fer_val_get(meta, FER_MCP_META_SERVER);
    fer_str text = fer_rpc_bytes(doc, meta);
    fer_buf_add_text(b, "\"_meta\":{");
    if (own) {
        fer_buf_add_text(b, "\"" FER_MCP_META_SERVER "\":");
        fer_ask_add_server(q, b);
        if (fer_val_len(meta)) fer_buf_add_char(b, ',');
    }
    fer_buf_add(b, fer_str_slice(text, 1, text.len));
    fer_buf_add_char(b, ',');
}

void fer_ask_add_head(fer_ask *q, fer_buf *b, fer_ware_kind kind)
{
    fer_str rest = fer_wares_rest(fer_ask_guest(q), kind);
    fer_str text = rest.len ? fer_arena_printf(fer_ask_arena(q), "{%.*s}", FER_PRI(rest)) : rest;
    fer_json *doc;
    bool some = rest.len && text.ptr &&
                !fer_json_read(fer_ask_arena(q), text, fer_json_limits_file(), &doc, NULL);
    const yyjson_val *meta = some ? fer_val_get(fer_json_root(doc), "_meta") : NULL;
    if (!fer_is_obj(meta)) fer_ask_add_complete(q, b);
    else if (q->version->modern) fer_buf_add_text(b, "\"resultType\":\"complete\",");
    if (fer_is_obj(meta)) add_meta(q, b, doc, meta);
    fer_ask_add_cache(q, b);
    if (!some) return;
    FER_EACH_MEMBER (fer_json_root(doc), key) {
        if (key + 1 == meta) continue;
        fer_buf_add(b, fer_rpc_bytes(doc, key));
        fer_buf_add_char(b, ':');
        fer_buf_add(b, fer_rpc_bytes(doc, key + 1));
        fer_buf_add_char(b, ',');
    }
}

static void write_page(fer_ask *q, const fer_counter *c, fer_ware_kind kind, size_t from)
{
    size_t rest = c->count - from, size = rest < FER_SERVE_PAGE ? rest : FER_SERVE_PAGE;
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_char(b, '{');
    fer_ask_add_head(q, b, kind);
    fer_buf_printf(b, "\"%s\":[", fer_ware_rows[kind].list);
    for (size_t i = from; i < from + size; i++) {
        if (i > from) fer_buf_add_char(b, ',');
        fer_ware_write(&c->list[i], b);
    }
    fer_buf_add_char(b, ']');
    if (size < rest) {
        char text[CURSOR];
        write_cursor(text, c->version, from + size);
        fer_buf_printf(b, ",\"nextCursor\":\"%s\"", text);
    }
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

bool fer_wares_offered(fer_ask *q, unsigned ability)
{
    if (fer_guest_offers(fer_ask_guest(q)) & ability) return true;
    fer_ask_fail(q, FER_RPC_METHOD_NOT_FOUND, FER_STR(""), "no server here has this: %s",
                 q->method->name);
    return false;
}

void fer_wares_list(fer_ask *q, fer_ware_kind kind)
{
    size_t from;
    fer_err err = {0};
    if (!fer_wares_offered(q, kind == FER_WARE_PROMPT ? FER_CAN_PROMPTS : FER_CAN_RESOURCES))
        return;
    const fer_counter *c = fer_wares_all(fer_ask_guest(q), kind, &err);
    if (!c) fer_ask_fail(q, -32603, FER_STR(""), "%s", err.message);
    else if (!read_cursor(q, c, &from))
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "the cursor was not made here");
    else write_page(q, c, kind, from);
}

const yyjson_val *fer_wares_text(fer_ask *q, const yyjson_val *object, const char *key,
                                 const char *shown)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    if (fer_is_str(v)) return v;
    fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "params.%s must be a text", shown);
    return NULL;
}
