/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_setup.h"

#include <stdlib.h>
#include <unistd.h>

#include "errors.h"
#include "station_parts.h"

#define NAMES_MAX  64  /* of --allow-host and --allow-origin, as of the guard */
#define EXPOSE_MAX 256 /* patterns of --expose */

/* ---- options and configuration ----------------------------------------------------------------
 */

/* A text of an option, else of the configuration; NULL: of neither. */
static const char *text_of(const fer_station *s, const char *option, fer_str configured)
{
    const char *said = fer_app_option(fer_app_of(s), option);
    if (said) return said;
    return configured.len ? fer_arena_copy(s->arena, configured).ptr : NULL;
}

/* All values of an option, else those of the configuration. */
static int list_of(const fer_station *s, const char *option, size_t max, const fer_str *configured,
                   size_t configured_count, const fer_str **out, size_t *count)
{
    const char *value;
    *out = configured;
    *count = configured_count;
    if (!fer_app_values(fer_app_of(s), option, 0)) return 0;
    fer_str *list = fer_arena_alloc_zero(s->arena, max, sizeof *list);
    fer_err err;
    if (!list) {
        fer_arena_failed(s->arena, &err);
        return fer_app_fail(fer_app_of(s), &err);
    }
    *count = 0;
    for (size_t i = 0; (value = fer_app_values(fer_app_of(s), option, i)) != NULL; i++) {
        if (i == max) return fer_app_usage(fer_app_of(s), "--%s: at most %zu", option, max);
        list[(*count)++] = fer_str_of(value);
    }
    *out = list;
    return 0;
}

/* ---- what clients see -------------------------------------------------------------------------
 */

static int read_front(const fer_station *s, fer_front_options *o)
{
    const fer_config_serve *c = &s->config.serve;
    const char *mode = text_of(s, "mode", c->mode);
    int bad =
        list_of(s, "expose", EXPOSE_MAX, c->expose, c->expose_count, &o->expose, &o->expose_count);
    if (bad) return bad;
    o->mode = o->expose_count ? FER_SERVE_BOTH : FER_SERVE_META;
    if (mode) fer_mode_of(fer_str_of(mode), &o->mode);
    if (o->mode == FER_SERVE_TRANSPARENT && !o->expose_count) {
        if (s->place_count != 1)
            return fer_app_usage(fer_app_of(s),
                                 "--mode transparent is for one server: name it, such as "
                                 "--expose 'files:*'");
        fer_str *one = fer_arena_alloc_zero(s->arena, 1, sizeof *one);
        if (one) *one = fer_arena_printf(s->arena, "%.*s:*", FER_PRI(s->places[0]->ns));
        o->expose = one;
        o->expose_count = one && one->ptr ? 1 : 0;
    }
    o->limits = (fer_front_limits){.asks = (size_t)c->limits[FER_LIMIT_ASKS],
                                   .listens = (size_t)c->limits[FER_LIMIT_LISTENS],
                                   .peers = (size_t)c->limits[FER_LIMIT_CLIENTS],
                                   .result = (size_t)c->limits[FER_LIMIT_RESULT_BYTES],
                                   .settle_ms = c->limits[FER_LIMIT_SETTLE_MS],
                                   .parked = (size_t)c->limits[FER_LIMIT_PARKED],
                                   .parked_ms = c->limits[FER_LIMIT_PARKED_MS]};
    return 0;
}

static void read_limits(const int64_t *l, fer_web_options *w, fer_server_limits *s)
{
    w->session_ms = l[FER_LIMIT_SESSION_MS];
    w->beat_ms = l[FER_LIMIT_BEAT_MS];
    w->poll_ms = l[FER_LIMIT_POLL_MS];
    w->retry_ms = l[FER_LIMIT_RETRY_MS];
    w->events = (size_t)l[FER_LIMIT_EVENTS];
    w->event_bytes = (size_t)l[FER_LIMIT_EVENT_BYTES];
    w->event_ms = l[FER_LIMIT_EVENT_MS];
    *s = (fer_server_limits){.head_max = (size_t)l[FER_LIMIT_HEAD_BYTES],
                             .fields_max = (size_t)l[FER_LIMIT_FIELDS],
                             .uri_max = (size_t)l[FER_LIMIT_URI_BYTES],
                             .body_max = (size_t)l[FER_LIMIT_BODY_BYTES],
                             .head_ms = (unsigned)l[FER_LIMIT_HEAD_MS],
                             .body_ms = (unsigned)l[FER_LIMIT_BODY_MS],
                             .body_rate = (unsigned)l[FER_LIMIT_BODY_RATE],
                             .idle_ms = (unsigned)l[FER_LIMIT_IDLE_MS],
                             .stuck_ms = (unsigned)l[FER_LIMIT_STUCK_MS],
                             .send_rate = (unsigned)l[FER_LIMIT_SEND_RATE],
                             .stream_max = (size_t)l[FER_LIMIT_STREAM_BYTES],
                             .conns_max = (size_t)l[FER_LIMIT_CONNECTIONS],
                             .address_max = (size_t)l[FER_LIMIT_ADDRESS_CONNECTIONS]};
}

int fer_serve_setup_read(const fer_station *s, fer_serve_setup *out)
{
    const fer_config_serve *c = &s->config.serve;
    fer_str tokens = c->tokens.len ? c->tokens : FER_STR_NONE;
    *out = (fer_serve_setup){.listen = text_of(s, "listen", c->listen),
                             .socket = text_of(s, "socket", c->socket),
                             .cert = text_of(s, "tls-cert", c->tls_cert),
                             .key = text_of(s, "tls-key", c->tls_key),
                             .no_token = fer_app_option(fer_app_of(s), "no-token") != NULL,
                             .insecure = c->insecure || fer_app_option(fer_app_of(s), "insecure")};
    if (!out->cert != !out->key)
        return fer_app_usage(fer_app_of(s), "--tls-cert and --tls-key belong together");
    if (!tokens.len) fer_bearers_path(s->arena, &tokens, NULL); /* no home, no file */
    out->tokens = tokens.len ? fer_arena_copy(s->arena, tokens).ptr : NULL;
    int bad =
        list_of(s, "allow-host", NAMES_MAX, c->hosts, c->host_count, &out->hosts, &out->host_count);
    if (!bad)
        bad = list_of(s, "allow-origin", NAMES_MAX, c->origins, c->origin_count, &out->origins,
                      &out->origin_count);
    if (!bad) bad = read_front(s, &out->front);
    read_limits(c->limits, &out->web, &out->server);
    return bad;
}

/* ---- where ------------------------------------------------------------------------------------
 */

bool fer_serve_setup_listen(fer_arena *a, const char *text, fer_listen_options *out)
{
    fer_str all = fer_str_of(text), port = all;
    uint64_t number;
    size_t colon = all.len;
    while (colon > 0 && all.ptr[colon - 1] != ':') colon--;
    if (colon) {
        fer_str host = fer_str_slice(all, 0, colon - 1);
        port = fer_str_slice(all, colon, all.len);
        if (host.len > 2 && host.ptr[0] == '[') host = fer_str_slice(host, 1, host.len - 1);
        out->address =
            fer_arena_copy(a, fer_str_is(host, "localhost") ? FER_STR("127.0.0.1") : host).ptr;
    }
    if (!fer_parse_u64(port, &number) || number > 65535) return false;
    out->port = (uint16_t)number;
    return true;
}

static bool is_loopback(const char *address)
{
    return !address || fer_str_starts(fer_str_of(address), "127.") || strcmp(address, "::1") == 0;
}

int fer_serve_setup_place(const fer_station *s, const fer_serve_setup *w, fer_listen_options *out)
{
    *out = (fer_listen_options){.port = FER_SERVE_PORT, .cert_file = w->cert, .key_file = w->key};
    /* Who looks on sees where it is; a service is where its clients look for it, or nowhere. */
    if (!w->listen && isatty(STDOUT_FILENO)) out->next_ports = FER_SERVE_PORTS - 1;
    if (w->listen && !fer_serve_setup_listen(s->arena, w->listen, out))
        return fer_app_usage(fer_app_of(s), "--listen takes ADDRESS:PORT or PORT, not %s",
                             w->listen);
    return fer_serve_setup_judge(s, w, out);
}

int fer_serve_setup_judge(const fer_station *s, const fer_serve_setup *w,
                          const fer_listen_options *out)
{
    if (is_loopback(out->address) || (!w->no_token && w->cert)) return 0;
    if (!w->insecure)
        return fer_app_usage(fer_app_of(s),
                             "beyond the loopback clients show a token, over TLS: --tls-cert and "
                             "--tls-key%s; --insecure says that it may be otherwise",
                             w->no_token ? ", and no --no-token" : "");
    fer_app_say(fer_app_of(s),
                w->no_token ? "everybody who reaches %s can use every tool: no token is "
                              "asked for"
                            : "everybody who reaches %s can read what is sent, tokens "
                              "included: there is no TLS",
                out->address);
    return 0;
}

/* ---- clients ----------------------------------------------------------------------------------
 */

void fer_serve_setup_client(const fer_config_client *c, fer_caller *who, fer_guest_options *out)
{
    static const fer_str all = {"*", 1};
    *who = (fer_caller){
        .tenant = c->tenant.len ? c->tenant : FER_STR(""),
        .principal = c->name,
        .agent = c->name,
        .scopes = {c->scope_count ? c->scopes : &all, c->scope_count ? c->scope_count : 1}};
    *out = (fer_guest_options){.caller = who, .expose = c->expose, .expose_count = c->expose_count};
    out->has_mode = fer_mode_of(c->mode, &out->mode);
    if (!out->has_mode && c->expose_count) {
        out->has_mode = true;
        out->mode = FER_SERVE_BOTH;
    }
}

/* Whoever can ask often enough finds a short one. */
static void warn_short(fer_app *app, const char *where, fer_str name, fer_str token)
{
    if (token.len < FER_BEARER_SHORT)
        fer_app_say(app,
                    "%sthe token of %.*s has %zu character%s and can be guessed: "
                    "ferrule token new makes one that cannot",
                    where, FER_PRI(name), token.len, fer_s(token.len));
}

/* Whoever shows a token is one and the same, whoever else has it. */
static fer_code check_tokens(fer_station *s, fer_err *err)
{
    fer_config c = s->config;
    fer_code code = fer_config_check_tokens(s->arena, &c, fer_config_folder(&c), err);
    return code ? code : fer_config_refuse(&c, c.file, false, err);
}

fer_code fer_serve_setup_clients(fer_station *s, fer_doorkeeper *door, fer_err *err)
{
    const fer_config_serve *c = &s->config.serve;
    const char *given = getenv("FERRULE_TOKEN");
    fer_code code = check_tokens(s, err);
    for (size_t i = 0; !code && i < c->client_count; i++) {
        fer_config_value token = {c->clients[i].token, true};
        fer_guest_options o;
        fer_caller who;
        fer_str text;
        if (!token.text.len) continue;
        code = fer_station_value(s, s->arena, &s->config, &token, &text, err);
        if (code && code != FER_OUT_OF_MEMORY) {
            fer_err plain = *err;
            return fer_fail(err, code, "serve.clients: the token of %.*s: %.700s",
                            FER_PRI(c->clients[i].name), plain.message);
        }
        if (!code && !text.len)
            code = fer_fail(err, FER_BAD_USAGE, "the token of client %.*s is empty",
                            FER_PRI(c->clients[i].name));
        if (!code && given && fer_str_is(text, given))
            code = fer_fail(err, FER_BAD_USAGE,
                            "serve.clients: %.*s has the token of FERRULE_TOKEN, which is for "
                            "everything: give the client one of its own",
                            FER_PRI(c->clients[i].name));
        if (!code) warn_short(fer_app_of(s), "serve.clients: ", c->clients[i].name, text);
        fer_serve_setup_client(&c->clients[i], &who, &o);
        if (!code) code = fer_doorkeeper_add(door, text, &o, err);
    }
    return code;
}

/* ---- the operator's token -------------------------------------------------------------------
 */

/* One that is kept is made at the very first start. */
static fer_code make_first(fer_app *app, fer_doorkeeper *door, char out[FER_GUIDE_TOKEN],
                           bool *known, fer_err *err)
{
    char first[FER_BEARER_TEXT];
    static_assert(sizeof first <= FER_GUIDE_TOKEN, "a token fits");
    fer_code code = fer_doorkeeper_first(door, first, err);
    if (code == FER_IO_ERROR) {
        fer_err plain = *err;
        return fer_fail(
            err, code,
            "%.700s: no token can be kept there; FERRULE_TOKEN gives one, --fresh-token "
            "makes one for this run, HOME or serve.tokens says where they are kept",
            plain.message);
    }
    if (code) return code;
    memcpy(out, first, sizeof first);
    *known = !first[0];
    if (first[0])
        fer_app_say(app, "this is the only time that the token is shown; its hash is in %s",
                    door->path);
    return FER_OK;
}

fer_code fer_serve_setup_token(fer_app *app, fer_doorkeeper *door, char out[FER_GUIDE_TOKEN],
                               bool *known, fer_err *err)
{
    const char *given = getenv("FERRULE_TOKEN");
    bool fresh = fer_app_option(app, "fresh-token") || !door->path;
    if (given && given[0]) {
        *known = true;
        warn_short(app, "", FER_STR("FERRULE_TOKEN"), fer_str_of(given));
        return fer_doorkeeper_add(door, fer_str_of(given), NULL, err);
    }
    if (fresh && !fer_bearer_make(out))
        return fer_fail(err, FER_IO_ERROR, "the system has no randomness for a token");
    if (fresh) return fer_doorkeeper_add(door, fer_str_of(out), NULL, err);
    return make_first(app, door, out, known, err);
}

int fer_serve_setup_refuse(fer_app *app, bool start)
{
    static const char *const of_http[] = {"listen",     "socket",       "no-token",
                                          "tls-cert",   "tls-key",      "insecure",
                                          "allow-host", "allow-origin", "fresh-token"};
    bool stdio = fer_app_option(app, "stdio"), daemon = fer_app_option(app, "daemon");
    if (daemon && (stdio || fer_app_option(app, "listen") || fer_app_option(app, "socket")))
        return fer_app_usage(app, "--daemon goes without --stdio, --listen and --socket");
    for (size_t i = 0; stdio && i < FER_COUNT(of_http); i++)
        if (fer_app_option(app, of_http[i]))
            return fer_app_usage(app, "--%s is for HTTP, and goes without --stdio", of_http[i]);
    if (fer_app_option(app, "client") && !stdio)
        return fer_app_usage(app, "--client is for --stdio; over HTTP a token says who asks");
    if (fer_app_option(app, "idle") && !daemon && !(stdio && start))
        return fer_app_usage(app, "--idle goes with --daemon, or with --stdio --attach start");
    return 0;
}
