/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of the admin API, one function each. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "admin.h"
#include "admin_catalog.h"
#include "buf.h"
#include "builtins.h"
#include "call_log.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "keeping.h"
#include "mcp_client.h"
#include "sys.h"

/* ---- parts ------------------------------------------------------------------------------------
 */

static void add_text(fer_buf *b, const char *key, fer_str text)
{
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

static void add_known(fer_buf *b, const char *key, const char *text)
{
    if (text && text[0]) add_text(b, key, fer_str_of(text));
}

static void add_count(fer_buf *b, const char *key, uint64_t n)
{
    fer_buf_printf(b, ",\"%s\":%llu", key, (unsigned long long)n);
}

static void add_time(fer_buf *b, const char *key, int64_t wall_ms)
{
    char text[FER_TIMESTAMP];
    fer_clock_format(wall_ms, text);
    fer_buf_printf(b, ",\"%s\":\"%s\"", key, text);
}

/* Counts of whole seconds, the oldest first: the one that is not over is left out. */
static void add_seconds(fer_buf *b, const char *key, const fer_pulse_row *r, int64_t now,
                        bool errors)
{
    fer_buf_printf(b, ",\"%s\":[", key);
    for (size_t i = FER_PULSE_SECONDS - 1; i > 0; i--) {
        fer_pulse_beat beat = r ? fer_pulse_second(r, now, i) : (fer_pulse_beat){0};
        fer_buf_printf(b, "%s%u", i < FER_PULSE_SECONDS - 1 ? "," : "",
                       errors ? beat.errors : beat.calls);
    }
    fer_buf_add_char(b, ']');
}

static void add_pulse(fer_buf *b, const fer_pulse_row *r, int64_t now)
{
    add_count(b, "calls", r ? r->calls : 0);
    add_count(b, "errors", r ? r->errors : 0);
    add_count(b, "p50Us", r ? (uint64_t)fer_pulse_took(r, now, 0.5) : 0);
    add_count(b, "p99Us", r ? (uint64_t)fer_pulse_took(r, now, 0.99) : 0);
    add_seconds(b, "callsPerSecond", r, now, false);
    add_seconds(b, "errorsPerSecond", r, now, true);
}

static uint64_t resident_bytes(void)
{
    char text[128];
    char *end = text;
    int fd = fer_sys_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd >= 0 ? fer_sys_read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) fer_sys_close(fd);
    text[n > 0 ? n : 0] = '\0';
    strtoull(text, &end, 10); /* all of it; then what is resident */
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t cpu_ms(void)
{
    struct rusage r;
    if (getrusage(RUSAGE_SELF, &r)) return 0;
    return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000 +
           (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}

/* ---- pages ------------------------------------------------------------------------------------
 */

static void write_index(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    (void)a;
    (void)scratch;
    (void)now;
    fer_buf_printf(b, "{\"version\":\"%s\",\"pages\":[", fer_version());
    for (const fer_admin_page *p = fer_admin_pages + 1; p->name; p++)
        fer_buf_printf(b, "%s{\"path\":\"" FER_ADMIN_ROOT "/%s\",\"description\":\"%s\"}",
                       p > fer_admin_pages + 1 ? "," : "", p->name, p->text);
    fer_buf_add_text(b, "]}");
}

#define PLACES 64 /* where a gateway listens: more are not told */

static void add_ports(fer_buf *b, const fer_http_server *s)
{
    size_t count = 0;
    fer_buf_add_text(b, ",\"ports\":[");
    for (unsigned i = 0; i < PLACES; i++) {
        uint16_t port = fer_http_server_port(s, i); /* 0: a Unix socket, or no more places */
        if (port) fer_buf_printf(b, "%s%u", count++ ? "," : "", port);
    }
    fer_buf_add_char(b, ']');
}

static const char *const ledger_states[] = {
    [FER_LEDGER_OK] = "good", [FER_LEDGER_FULL] = "full", [FER_LEDGER_BROKEN] = "broken"};

static void write_state(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    const fer_gateway *g = a->station->gateway;
    fer_server_counts http = fer_http_server_counts(fer_web_server(a->web));
    fer_front_counts mcp;
    (void)scratch;
    fer_front_count(a->front, &mcp);
    fer_buf_printf(b, "{\"version\":\"%s\",\"state\":\"%s\"", fer_version(),
                   *a->draining                    ? "draining"
                   : !fer_front_is_ready(a->front) ? "starting"
                   : fer_gateway_records(g)        ? "ready"
                                                   : "unready");
    if (a->station->keeping)
        add_known(b, "ledger", ledger_states[fer_keeping_ledger(a->station->keeping)]);
    add_time(b, "startedAt", a->began);
    add_time(b, "now", now);
    add_count(b, "uptimeMs", (uint64_t)(now > a->began ? now - a->began : 0));
    add_count(b, "rssBytes", resident_bytes());
    add_count(b, "cpuMs", cpu_ms());
    add_count(b, "running", g->active_count);
    add_count(b, "heldBytes", fer_gateway_held(g));
    add_count(b, "reloads", a->station->reloads);
    add_text(b, "config", fer_str_of(a->config));
    add_text(b, "serve", fer_str_of(a->serve));
    add_ports(b, fer_web_server(a->web));
    add_pulse(b, &a->pulse->all, now);
    add_count(b, "denials", a->pulse->denied_count);
    fer_buf_printf(b,
                   ",\"mcp\":{\"clients\":%zu,\"running\":%zu,\"requests\":%llu,\"refused\":%llu,"
                   "\"malformed\":%llu}",
                   mcp.peers, mcp.asks, (unsigned long long)mcp.requests,
                   (unsigned long long)mcp.refused, (unsigned long long)mcp.malformed);
    fer_buf_printf(b,
                   ",\"http\":{\"connections\":%zu,\"accepted\":%llu,\"turnedAway\":%llu,"
                   "\"requests\":%llu,\"refused\":%llu,\"timedOut\":%llu}}",
                   http.connections, (unsigned long long)http.accepted,
                   (unsigned long long)http.turned_away, (unsigned long long)http.requests,
                   (unsigned long long)http.refused, (unsigned long long)http.timed_out);
}

static const fer_place_of_tools *place_of(const fer_admin *a, const fer_runner *r)
{
    for (size_t i = 0; i < a->station->place_count; i++)
        if (a->station->places[i]->runner == r) return a->station->places[i];
    return NULL;
}

/* Tools that every gateway has are of no place. */
static size_t tools_of(const fer_place_of_tools *p, const fer_runner *r)
{
    size_t count = 0;
    if (p) return p->tools;
    for (size_t i = 0; i < fer_builtin_count; i++) count += fer_str_is(r->name, fer_builtins[i].ns);
    return count;
}

/* Of an MCP server that is connected; what it says when it is not may name anything of the host. */
static void add_server(fer_buf *b, fer_runner *r)
{
    fer_mcp_client *client = r->kind->mcp ? r->kind->mcp(r, NULL, FER_STR("")) : NULL;
    fer_mcp_info info;
    if (!client) return;
    fer_mcp_client_info(client, &info);
    if (info.state != FER_MCP_READY) return;
    add_known(b, "protocol", info.version->name);
    add_known(b, "server", info.server);
    add_known(b, "serverVersion", info.server_version);
}

static void add_backend(const fer_admin *a, fer_buf *b, fer_runner *r, int64_t now)
{
    const fer_place_of_tools *p = place_of(a, r);
    const fer_pulse_row *row = fer_pulse_find(a->pulse, r->name);
    fer_gateway *g = a->station->gateway;
    fer_runner_status st = {.health = FER_HEALTH_UP};
    fer_scope *scope = fer_scope_get(&g->scopes, FER_SCOPE_BACKEND, r->name, NULL);
    fer_code failed = p ? p->code : FER_OK;
    if (r->kind->status) r->kind->status(r, &st);
    fer_buf_add_text(b, "{\"name\":");
    fer_buf_add_quoted(b, r->name);
    add_known(b, "kind", r->kind->name);
    add_known(b, "state", fer_health_names[st.health]);
    add_known(b, "start", p && p->eager ? "eager" : "lazy");
    fer_buf_printf(b, ",\"isolated\":%s", r->isolated ? "true" : "false");
    add_server(b, r);
    add_count(b, "tools", tools_of(p, r));
    if (p) add_count(b, "held", fer_station_held(a->station, p->ns));
    if (p && p->vacancy_count) add_count(b, "vacant", p->vacancy_count);
    add_count(b, "running", st.running);
    add_count(b, "waiting", scope ? scope->queue.count : 0);
    add_count(b, "restarts", st.restarts);
    add_count(b, "noise", st.noise);
    add_known(b, "circuit", scope ? fer_circuit_names[scope->breaker.state] : "closed");
    if (!failed && row) failed = row->last_error;
    if (failed) add_known(b, "lastError", fer_code_info(failed)->name);
    add_pulse(b, row, now);
    fer_buf_add_char(b, '}');
}

static void write_backends(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    fer_runner *r;
    bool any = false;
    (void)scratch;
    fer_buf_add_text(b, "{\"backends\":[");
    for (size_t at = 0; (r = fer_gateway_runner_at(a->station->gateway, &at)) != NULL;) {
        if (any) fer_buf_add_char(b, ',');
        any = true;
        add_backend(a, b, r, now);
    }
    fer_buf_add_text(b, "]}");
}

static void add_caller(fer_buf *b, const char *tenant, const char *principal)
{
    add_known(b, "tenant", tenant);
    add_known(b, "principal", principal);
}

static void write_calls(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    int64_t mono = fer_clock_mono();
    bool any = false;
    (void)now;
    fer_buf_add_text(b, "{\"calls\":[");
    for (const fer_call *c = a->station->gateway->active; c; c = c->next) {
        const fer_caller *who = c->options.caller;
        char principal[17] = "";
        if (who) fer_call_log_digest(who->principal, principal);
        fer_buf_printf(
            b, "%s{\"id\":\"%s\",\"ageMs\":%lld,\"stage\":\"%s\"", any ? "," : "", c->id,
            (long long)((mono - c->began) / 1000000),
            fer_stages[c->stage < FER_STAGE_COUNT ? c->stage : FER_STAGE_COUNT - 1].name);
        any = true;
        /* A name that nobody has may be anything. */
        if (c->ready) add_text(b, "tool", c->ready->id);
        if (c->runner) add_text(b, "backend", c->runner->name);
        add_known(b, "origin", c->options.origin);
        add_count(b, "attempt", c->tries);
        add_count(b, "bytesIn", c->args_text.len);
        fer_str tenant = who ? fer_arena_copy(scratch, who->tenant) : FER_STR("");
        add_caller(b, tenant.ptr, principal);
        fer_buf_add_char(b, '}');
    }
    fer_buf_add_text(b, "]}");
}

static void write_recent(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    const fer_pulse_call *c;
    (void)scratch;
    (void)now;
    fer_buf_printf(b, "{\"total\":%llu,\"calls\":[", (unsigned long long)a->pulse->recent_count);
    for (size_t i = 0; (c = fer_pulse_recent(a->pulse, i)) != NULL; i++) {
        fer_buf_printf(b, "%s{\"id\":\"%s\",\"code\":\"%s\"", i ? "," : "", c->id,
                       fer_code_info(c->code)->name);
        add_time(b, "at", c->at);
        add_known(b, "tool", c->tool);
        add_known(b, "rule", c->rule);
        add_known(b, "backend", c->backend);
        add_known(b, "origin", c->origin);
        add_caller(b, c->tenant, c->principal);
        add_count(b, "tookUs", (uint64_t)c->took_us);
        add_count(b, "attempts", c->attempts);
        add_count(b, "bytesIn", c->bytes_in);
        add_count(b, "bytesOut", c->bytes_out);
        if (c->cached) fer_buf_add_text(b, ",\"cached\":true");
        fer_buf_add_char(b, '}');
    }
    fer_buf_add_text(b, "]}");
}

static void write_tools(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    fer_view *v = fer_catalog_view(a->station->catalog);
    fer_page page = {.size = FER_PAGE_MAX};
    bool any = false;
    (void)now;
    fer_buf_printf(b, "{\"catalogVersion\":%llu,\"tools\":%zu,\"held\":%zu,\"namespaces\":[",
                   (unsigned long long)fer_view_version(v), fer_view_count(v), fer_view_held(v));
    do {
        fer_namespace *list;
        size_t count = 0;
        if (fer_view_namespaces(scratch, v, NULL, &page, &list, &count, &page.token, NULL)) break;
        for (size_t i = 0; i < count; i++) {
            fer_buf_add_text(b, any ? ",{\"name\":" : "{\"name\":");
            fer_buf_add_quoted(b, list[i].name);
            add_count(b, "tools", list[i].tools);
            fer_buf_add_char(b, '}');
            any = true;
        }
    } while (page.token.len);
    fer_buf_add_text(b, "]}");
    fer_view_unref(v);
}

static void write_catalog(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    (void)now;
    fer_admin_add_catalog(a->station->gateway, a->station->catalog, scratch, b);
}

static void write_limits(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    const fer_gateway *g = a->station->gateway;
    const fer_config_serve *c = &a->station->config.serve;
    fer_server_counts http = fer_http_server_counts(fer_web_server(a->web));
    fer_front_counts mcp;
    fer_front_count(a->front, &mcp);
    const int64_t *said = c->limits;
    const struct {
        const char *name;
        uint64_t max, used;
    } rows[] = {
        {"gateway.calls", g->options.calls_max, g->active_count},
        {"gateway.bytes", g->options.bytes_max, fer_gateway_held(g)},
        {"serve.peers",
         said[FER_LIMIT_CLIENTS] ? (uint64_t)said[FER_LIMIT_CLIENTS] : FER_SERVE_PEERS_MAX,
         mcp.peers},
        {"server.connections",
         said[FER_LIMIT_CONNECTIONS] ? (uint64_t)said[FER_LIMIT_CONNECTIONS] : FER_SERVER_CONNS_MAX,
         http.connections},
        {"tokens", FER_BEARERS_MAX, a->door ? a->door->list.count : 0},
    };
    (void)scratch;
    (void)now;
    fer_buf_add_text(b, "{\"limits\":[");
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        fer_buf_printf(b, "%s{\"name\":\"%s\",\"max\":%llu,\"used\":%llu}", i ? "," : "",
                       rows[i].name, (unsigned long long)rows[i].max,
                       (unsigned long long)rows[i].used);
    fer_buf_add_text(b, "]}");
}

static void write_tokens(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    const fer_bearers *t = a->door ? &a->door->list : NULL;
    (void)scratch;
    fer_buf_add_text(b, "{\"tokens\":[");
    for (size_t i = 0; t && i < t->count; i++) {
        const fer_bearer *k = &t->list[i];
        fer_buf_printf(b, "%s{\"id\":\"%s\"", i ? "," : "", k->id);
        add_time(b, "createdAt", k->created * 1000);
        if (k->expires) add_time(b, "expiresAt", k->expires * 1000);
        fer_buf_printf(b, ",\"expired\":%s}",
                       k->expires && k->expires * 1000 <= now ? "true" : "false");
    }
    fer_buf_add_text(b, "],\"issuers\":[");
    fer_issuer_keys by;
    for (size_t i = 0; a->door && fer_jwt_door_keys(a->door->jwt, i, &by); i++) {
        fer_buf_add_text(b, i ? ",{\"name\":" : "{\"name\":");
        fer_buf_add_quoted(b, by.name);
        add_count(b, "keys", by.keys);
        fer_buf_printf(b, ",\"trouble\":%s}", by.trouble ? "true" : "false");
    }
    fer_buf_add_text(b, "]}");
}

static void write_denials(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    const fer_pulse_denial *d;
    (void)scratch;
    (void)now;
    fer_buf_printf(b, "{\"total\":%llu,\"denials\":[", (unsigned long long)a->pulse->denied_count);
    for (size_t i = 0; (d = fer_pulse_denial_at(a->pulse, i)) != NULL; i++) {
        fer_buf_add_text(b, i ? ",{\"rule\":" : "{\"rule\":");
        fer_buf_add_quoted(b, fer_str_of(d->rule));
        add_time(b, "at", d->at);
        add_known(b, "method", d->method);
        add_known(b, "path", d->path);
        add_known(b, "address", d->address);
        add_caller(b, d->tenant, d->principal);
        fer_buf_add_char(b, '}');
    }
    fer_buf_add_text(b, "]}");
}

const fer_admin_page fer_admin_pages[] = {
    {"index", "the pages", write_index},
    {"state", "what the gateway is and does", write_state},
    {"backends", "servers, APIs and packs of commands, how they are and how they do",
     write_backends},
    {"calls", "calls under way", write_calls},
    {"recent", "the last calls that have ended", write_recent},
    {"tools", "the catalogue: its size, and how many tools each namespace has", write_tools},
    {"catalog", "the tools in it", write_catalog},
    {"limits", "limits and how much of each is used", write_limits},
    {"tokens", "tokens of clients, by their IDs, and the keys of issuers", write_tokens},
    {"denials", "the last refusals, by rule", write_denials},
    {0},
};
