/* SPDX-License-Identifier: Apache-2.0 */
/* The section `serve`: how ferrule serve meets its clients. */
#include "access.h"
#include "config_parts.h"
#include "errors.h"
#include "http_guard.h"

const char *const fer_config_limit_names[FER_CONFIG_LIMITS] = {
    [FER_LIMIT_SESSION_MS] = "sessionMs",
    [FER_LIMIT_BEAT_MS] = "beatMs",
    [FER_LIMIT_POLL_MS] = "pollMs",
    [FER_LIMIT_RETRY_MS] = "retryMs",
    [FER_LIMIT_EVENTS] = "events",
    [FER_LIMIT_EVENT_BYTES] = "eventBytes",
    [FER_LIMIT_EVENT_MS] = "eventMs",
    [FER_LIMIT_ASKS] = "asks",
    [FER_LIMIT_LISTENS] = "listens",
    [FER_LIMIT_CLIENTS] = "clients",
    [FER_LIMIT_SETTLE_MS] = "settleMs",
    [FER_LIMIT_PARKED] = "parked",
    [FER_LIMIT_PARKED_MS] = "parkedMs",
    [FER_LIMIT_RESULT_BYTES] = "resultBytes",
    [FER_LIMIT_HEAD_BYTES] = "headBytes",
    [FER_LIMIT_FIELDS] = "fields",
    [FER_LIMIT_URI_BYTES] = "uriBytes",
    [FER_LIMIT_BODY_BYTES] = "bodyBytes",
    [FER_LIMIT_HEAD_MS] = "headMs",
    [FER_LIMIT_BODY_MS] = "bodyMs",
    [FER_LIMIT_BODY_RATE] = "bodyRate",
    [FER_LIMIT_IDLE_MS] = "idleMs",
    [FER_LIMIT_STUCK_MS] = "stuckMs",
    [FER_LIMIT_SEND_RATE] = "sendRate",
    [FER_LIMIT_STREAM_BYTES] = "streamBytes",
    [FER_LIMIT_CONNECTIONS] = "connections",
    [FER_LIMIT_ADDRESS_CONNECTIONS] = "addressConnections",
};

static void take_client(fer_configure *c, const yyjson_val *key, fer_config_client *out)
{
    const yyjson_val *object = key + 1, *scopes = fer_val_get(object, "scopes");
    fer_err err;
    *out = (fer_config_client){.name = fer_val_str(key),
                               .token = fer_configure_text(object, "token"),
                               .tenant = fer_configure_text(object, "tenant"),
                               .mode = fer_configure_text(object, "mode"),
                               .place = fer_json_place(c->doc, key)};
    out->scopes = fer_configure_texts(c, scopes, false, &out->scope_count);
    out->expose = fer_configure_texts(c, fer_val_get(object, "expose"), false, &out->expose_count);
    for (size_t i = 0; i < out->scope_count; i++)
        if (fer_access_check(out->scopes[i], &err)) FER_CONFIG_ERROR(c, scopes, "%s", err.message);
    if (fer_is_arr(scopes) && !fer_val_len(scopes))
        FER_CONFIG_ERROR(c, scopes, "a client has at least one scope, or no \"scopes\" at all");
}

static void take_clients(fer_configure *c, const yyjson_val *clients, fer_config_serve *out)
{
    size_t most = fer_is_obj(clients) ? fer_val_len(clients) : 0;
    fer_config_client *list = most ? fer_arena_alloc_zero(c->a, most, sizeof *list) : NULL;
    if (most && !list) fer_configure_no_memory(c);
    if (!list) return;
    out->clients = list;
    FER_EACH_MEMBER (clients, key) {
        if (!fer_is_obj(key + 1)) continue; /* the schema has told */
        take_client(c, key, &list[out->client_count++]);
        if (c->failure) return;
    }
}

/* Hosts and origins are what the guard takes for such. */
static void check_names(fer_configure *c, const yyjson_val *at, const fer_str *list, size_t count,
                        fer_code (*add)(fer_http_guard *g, fer_str text, fer_err *err))
{
    fer_http_guard *g = count ? fer_http_guard_new() : NULL;
    fer_err err;
    if (count && !g) fer_configure_no_memory(c);
    for (size_t i = 0; g && i < count; i++)
        if (add(g, list[i], &err)) FER_CONFIG_ERROR(c, at, "%s", err.message);
    fer_http_guard_free(g);
}

/* PORT, or HOST:PORT. */
static void check_port(fer_configure *c, const yyjson_val *at, fer_str listen)
{
    size_t colon = listen.len;
    uint64_t port;
    while (colon > 0 && listen.ptr[colon - 1] != ':') colon--;
    fer_str digits = fer_str_slice(listen, colon, listen.len);
    if (fer_parse_u64(digits, &port) && port > 65535)
        FER_CONFIG_ERROR(c, at, "a port is a number from 0 to 65535, not %.*s",
                         FER_PRI(fer_str_head(digits, 20)));
}

void fer_configure_serve(fer_configure *c, const yyjson_val *serve)
{
    fer_config_serve *out = &c->out->serve;
    *out = (fer_config_serve){.json = FER_STR("")};
    if (!fer_is_obj(serve)) return;
    const yyjson_val *tls = fer_val_get(serve, "tls"), *limits = fer_val_get(serve, "limits"),
                     *hosts = fer_val_get(serve, "allowHosts"),
                     *origins = fer_val_get(serve, "allowOrigins");
    out->listen = fer_configure_text(serve, "listen");
    check_port(c, fer_val_get(serve, "listen"), out->listen);
    out->socket = fer_configure_path(c, fer_configure_text(serve, "socket"));
    out->mode = fer_configure_text(serve, "mode");
    out->tokens = fer_configure_path(c, fer_configure_text(serve, "tokens"));
    out->tls_cert = fer_configure_path(c, fer_configure_text(tls, "cert"));
    out->tls_key = fer_configure_path(c, fer_configure_text(tls, "key"));
    out->insecure = fer_configure_flag(serve, "insecure");
    out->expose = fer_configure_texts(c, fer_val_get(serve, "expose"), false, &out->expose_count);
    out->hosts = fer_configure_texts(c, hosts, false, &out->host_count);
    out->origins = fer_configure_texts(c, origins, false, &out->origin_count);
    check_names(c, hosts, out->hosts, out->host_count, fer_http_guard_host);
    check_names(c, origins, out->origins, out->origin_count, fer_http_guard_origin);
    take_clients(c, fer_val_get(serve, "clients"), out);
    fer_configure_issuers(c, serve, out);
    for (int i = 0; i < FER_CONFIG_LIMITS; i++)
        out->limits[i] = fer_configure_number(limits, fer_config_limit_names[i]);
    out->json = fer_configure_json(c, serve, NULL);
}
