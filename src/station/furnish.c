/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration names, as runners: secrets are looked up here and go no further. */
#include <stdlib.h>

#include "buf.h"
#include "digest.h"
#include "env_file.h"
#include "errors.h"
#include "file.h"
#include "gateway_parts.h"
#include "http_api.h"
#include "mcp_http.h"
#include "mcp_stdio.h"
#include "openapi_file.h"
#include "secret.h"
#include "station_parts.h"
#include "trace_context.h"
#include "vacant.h"

/* Variables of ours that every program gets, as the SDKs of MCP have it. */
static const char *const passed[] = {"HOME",  "LANG", "LC_ALL", "LOGNAME", "PATH",
                                     "SHELL", "TERM", "TMPDIR", "TZ",      "USER"};

/* What is being made: a place, from a configuration. */
typedef struct making {
    fer_station *station;
    const fer_config *config;
    fer_arena *arena; /* the place's own */
    fer_place_of_tools *place;
} making;

/* From now on it appears nowhere: the secret itself, without what stands before its reference. */
static fer_code hide_secret(fer_station *s, fer_str written, fer_str value, fer_err *err)
{
    size_t before = fer_secret_find(written);
    if (before == SIZE_MAX) return FER_OK;
    if (before > value.len) before = 0;
    return fer_gateway_secret(s->gateway, fer_str_slice(value, before, value.len), err);
}

/* What a text of the configuration stands for, where it may be a reference. */
static fer_code resolve(fer_station *s, fer_arena *a, const fer_config *c, fer_str written,
                        fer_str *out, fer_err *err)
{
    fer_err why = {0};
    fer_code code = fer_secret_resolve(a, written, fer_config_folder(c), out, &why);
    if (!code) return hide_secret(s, written, *out, err);
    if (code == FER_OUT_OF_MEMORY) return fer_fail(err, code, "%s", why.message);
    return fer_fail(err, code, "%.700s; %s", why.message, fer_secret_advice(written));
}

fer_code fer_station_value(fer_station *s, fer_arena *a, const fer_config *c,
                           const fer_config_value *v, fer_str *out, fer_err *err)
{
    *out = v->text;
    return v->secret ? resolve(s, a, c, v->text, out, err) : FER_OK;
}

/* ---- places
 * ----------------------------------------------------------------------------------------- */

/* Two configurations with the same mark ask for the same server, with the same credentials: a list
 * of tools that was fetched with others (cacheScope: private) is not taken for it. */
static fer_code make_mark(making *m, fer_str item, fer_err *err)
{
    unsigned char whole[FER_DIGEST_SIZE];
    char text[FER_PLACE_MARK];
    fer_str json =
        fer_arena_printf(m->arena, "%.*s%.*s", FER_PRI(item), FER_PRI(m->place->outside));
    if (!json.ptr) return fer_arena_failed(m->arena, err);
    fer_digest_text(json, whole);
    fer_trace_hex(whole, (FER_PLACE_MARK - 1) / 2, text);
    m->place->mark = fer_arena_copy(m->arena, fer_str_of(text));
    return m->place->mark.ptr ? FER_OK : fer_arena_failed(m->arena, err);
}

static fer_code begin_place(making *m, fer_config_part part, const void *item, fer_str name,
                            fer_str ns, fer_str json, fer_err *err)
{
    char outside[FER_PLACE_MARK];
    fer_code code = fer_station_outside(m->config, part, item, outside, err);
    if (code) return code;
    m->arena = fer_arena_new(0);
    m->place = m->arena ? fer_arena_alloc_zero(m->arena, 1, sizeof *m->place) : NULL;
    if (!m->place) {
        fer_arena_free(m->arena);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    *m->place = (fer_place_of_tools){.arena = m->arena,
                                     .station = m->station,
                                     .part = part,
                                     .name = fer_arena_copy(m->arena, name),
                                     .ns = fer_arena_copy(m->arena, ns),
                                     .outside = fer_arena_copy(m->arena, fer_str_of(outside)),
                                     .url = FER_STR("")};
    if (!m->place->name.ptr || !m->place->ns.ptr || !m->place->outside.ptr)
        return fer_arena_failed(m->arena, err);
    return make_mark(m, json, err);
}

static fer_code take_runner(making *m, fer_runner *r, int64_t timeout_ms, fer_err *err)
{
    if (!r) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    r->timeout_ms = timeout_ms;
    m->place->runner = r;
    return FER_OK;
}

/* ---- MCP servers that are programs
 * --------------------------------------------------------------------- */

static fer_code make_env(making *m, const fer_config_pairs *pairs, const char ***out, fer_err *err)
{
    const char **env =
        fer_arena_alloc_zero(m->arena, FER_COUNT(passed) + pairs->count + 1, sizeof *env);
    size_t n = 0;
    if (!env) return fer_arena_failed(m->arena, err);
    for (size_t i = 0; i < FER_COUNT(passed); i++) {
        const char *value = getenv(passed[i]);
        bool set = false;
        for (size_t k = 0; k < pairs->count; k++) set |= fer_str_is(pairs->list[k].name, passed[i]);
        if (!value || set) continue;
        fer_str one = fer_arena_printf(m->arena, "%s=%s", passed[i], value);
        if (!one.ptr) return fer_arena_failed(m->arena, err);
        env[n++] = one.ptr;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        fer_str value;
        fer_code code =
            fer_station_value(m->station, m->arena, m->config, &pairs->list[i].value, &value, err);
        if (code) return code;
        fer_str one =
            fer_arena_printf(m->arena, "%.*s=%.*s", FER_PRI(pairs->list[i].name), FER_PRI(value));
        if (!one.ptr) return fer_arena_failed(m->arena, err);
        env[n++] = one.ptr;
    }
    *out = env;
    return FER_OK;
}

/* Of the file first, so that what `env` has counts; the file is the operator's, read anew each
 * time. */
static fer_code all_variables(making *m, const fer_config_server *c, fer_config_pairs *out,
                              fer_err *err)
{
    fer_str text;
    fer_err why = {0};
    *out = c->env;
    if (!c->env_file.len) return FER_OK;
    fer_str path = fer_arena_copy(m->arena, c->env_file);
    if (!path.ptr) return fer_arena_failed(m->arena, err);
    fer_config_pairs more = {0};
    fer_code code = fer_file_read(m->arena, path.ptr, FER_ENV_FILE_SIZE, &text, &why);
    if (!code) code = fer_env_file_read(m->arena, text, &more, &why);
    if (code) return fer_fail(err, code, "envFile %s: %.600s", path.ptr, why.message);
    fer_config_pair *all =
        fer_arena_alloc_zero(m->arena, more.count + c->env.count + 1, sizeof *all);
    if (!all) return fer_arena_failed(m->arena, err);
    size_t n = 0;
    for (size_t i = 0; i < more.count; i++) {
        bool set = false;
        for (size_t k = 0; k < c->env.count; k++)
            set |= fer_str_eq(c->env.list[k].name, more.list[i].name);
        if (!set) all[n++] = more.list[i];
    }
    for (size_t k = 0; k < c->env.count; k++) all[n++] = c->env.list[k];
    *out = (fer_config_pairs){all, n};
    return FER_OK;
}

/* One that serves others is looked after; a command that makes one call does not need that. */
static fer_mcp_care care_of(const making *m, const fer_config_server *c)
{
    bool serves = m->station->wants.search;
    return (fer_mcp_care){
        .isolate = serves && c->isolate, .keep = serves && c->eager, .recheck = serves};
}

static fer_code make_program(making *m, const fer_config_server *c, fer_err *err)
{
    fer_config_pairs variables;
    const char **env = NULL, **argv;
    argv = fer_arena_alloc_zero(m->arena, c->arg_count + 2, sizeof *argv);
    if (!argv) return fer_arena_failed(m->arena, err);
    for (size_t i = 0; i <= c->arg_count; i++) {
        argv[i] = fer_arena_copy(m->arena, i ? c->args[i - 1] : c->command).ptr;
        if (!argv[i]) return fer_arena_failed(m->arena, err);
    }
    fer_code code = all_variables(m, c, &variables, err);
    if (!code) code = make_env(m, &variables, &env, err);
    if (code) return code;
    fer_mcp_stdio_settings o = {.name = c->ns,
                                .argv = argv,
                                .env = env,
                                .sha256 = c->sha256,
                                .times = {.idle_ms = (unsigned)c->idle_ms},
                                .care = care_of(m, c),
                                .cwd = c->cwd.len ? fer_arena_copy(m->arena, c->cwd).ptr : NULL};
    return take_runner(m, fer_mcp_stdio_runner(m->station->host, &o), c->timeout_ms, err);
}

/* ---- MCP servers over HTTP
 * ------------------------------------------------------------------------------ */

static fer_code make_fields(making *m, const fer_config_pairs *pairs, fer_http_field **out,
                            fer_err *err)
{
    fer_http_field *list = fer_arena_alloc_zero(m->arena, pairs->count + 1, sizeof *list);
    fer_code code = FER_OK;
    if (!list) return fer_arena_failed(m->arena, err);
    for (size_t i = 0; !code && i < pairs->count; i++) {
        list[i].name = pairs->list[i].name;
        code = fer_station_value(m->station, m->arena, m->config, &pairs->list[i].value,
                                 &list[i].value, err);
    }
    *out = list;
    return code;
}

static fer_code make_tokens(making *m, const fer_oauth_site *site, fer_err *err)
{
    fer_station *s = m->station;
    fer_err why = {0};
    fer_code code = FER_OK;
    if (!s->desk.arena)
        code = fer_oauth_desk_open(&s->desk, fer_gateway_loop(s->gateway), m->config, &why);
    if (!code) code = fer_oauth_desk_pool(&s->desk, m->config, site, &m->place->tokens, &why);
    return code ? fer_fail(err, code, "oauth: %.800s", why.message) : FER_OK;
}

/* Who only starts programs does without curl, which takes 2 MB and a millisecond to begin. */
static fer_code need_http(fer_station *s, uv_loop_t *loop, fer_err *err)
{
    fer_http_options asking = {.rules = s->rules};
    if (!s->http) s->http = fer_http_new(loop, &asking);
    return s->http ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static fer_code make_remote(making *m, const fer_config_server *c, fer_err *err)
{
    fer_http_field *fields;
    fer_code code = make_fields(m, &c->headers, &fields, err);
    if (!code) code = fer_net_rules_allow_url(m->station->rules, c->url, err);
    if (code) return code;
    m->place->url = fer_arena_copy(m->arena, c->url);
    if (!m->place->url.ptr) return fer_arena_failed(m->arena, err);
    fer_oauth_site site = fer_oauth_site_of_server(c);
    code = make_tokens(m, &site, err);
    if (code) return code;
    fer_mcp_http_settings o = {.name = c->ns,
                               .url = c->url,
                               .fields = fields,
                               .field_count = c->headers.count,
                               .tokens = m->place->tokens};
    o.times.idle_ms = (unsigned)c->idle_ms;
    o.care = care_of(m, c);
    uv_loop_t *loop = fer_gateway_loop(m->station->gateway);
    code = need_http(m->station, loop, err);
    if (code) return code;
    return take_runner(m, fer_mcp_http_runner(loop, m->station->http, &o), c->timeout_ms, err);
}

/* ---- HTTP APIs
 * ------------------------------------------------------------------------------------------- */

static fer_code make_auth(making *m, const fer_config_auth *c, fer_http_auth *out, fer_err *err)
{
    static const fer_http_auth_kind kinds[] = {[FER_AUTH_NONE] = FER_HTTP_AUTH_NONE,
                                               [FER_AUTH_BEARER] = FER_HTTP_AUTH_BEARER,
                                               [FER_AUTH_BASIC] = FER_HTTP_AUTH_BASIC,
                                               [FER_AUTH_API_KEY] = FER_HTTP_AUTH_KEY};
    static const fer_http_in places[] = {[FER_KEY_HEADER] = FER_HTTP_IN_HEADER,
                                         [FER_KEY_QUERY] = FER_HTTP_IN_QUERY,
                                         [FER_KEY_COOKIE] = FER_HTTP_IN_COOKIE};
    *out = (fer_http_auth){
        .kind = kinds[c->kind], .in = places[c->in], .name = c->name, .user = c->user};
    if (c->kind == FER_AUTH_NONE) return FER_OK;
    return resolve(m->station, m->arena, m->config, c->secret, &out->secret, err);
}

static fer_code make_api(making *m, const fer_config_api *c, fer_err *err)
{
    fer_openapi_options import = {.ns = c->ns,
                                  .provider = c->ns,
                                  .base_url = c->base_url,
                                  .include = c->include,
                                  .include_count = c->include_count};
    fer_openapi doc;
    fer_str file = fer_arena_copy(m->arena, c->file);
    fer_http_field *fields = NULL;
    if (!file.ptr) return fer_arena_failed(m->arena, err);
    fer_code code = fer_openapi_read_file(m->arena, file.ptr, &import, &doc, err);
    if (!code) code = make_fields(m, &c->headers, &fields, err);
    if (code) return code;
    fer_str *records = fer_arena_alloc(m->arena, (doc.count + 1) * sizeof *records);
    if (!records) return fer_arena_failed(m->arena, err);
    for (size_t i = 0; i < doc.count; i++) records[i] = doc.tools[i].record;
    fer_http_api_settings o = {.name = c->ns,
                               .base_url = c->base_url,
                               .records = records,
                               .record_count = doc.count,
                               .fields = fields,
                               .field_count = c->headers.count};
    m->place->records = records;
    m->place->record_count = doc.count;
    code = make_auth(m, &c->auth, &o.auth, err);
    fer_oauth_site site = fer_oauth_site_of_api(c);
    if (!code && !site.settled) code = make_tokens(m, &site, err);
    o.tokens = m->place->tokens;
    fer_runner *r = NULL;
    if (!code) code = fer_http_api_runner(fer_gateway_loop(m->station->gateway), &o, &r, err);
    return code ? code : take_runner(m, r, c->timeout_ms, err);
}

/* ---- all
 * -----------------------------------------------------------------------------------------------------
 */

fer_code fer_station_prepare(fer_station *s, const fer_config *c, fer_err *err)
{
    uv_loop_t *loop = fer_gateway_loop(s->gateway);
    if (s->host || (!c->server_count && !c->api_count && !c->command_count && !c->code.enabled &&
                    !s->wants.code))
        return FER_OK;
    if (!s->rules) s->rules = fer_net_rules_new();
    if (!s->rules) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_net_rules_close(s->rules); /* what the configuration names, and nothing else */
    fer_process_sweep();           /* what an earlier run left behind when it was killed */
    fer_process_host_options alone = {.alone = true};
    return fer_process_host_new(loop, &alone, &s->host, err);
}

/*
 * One that cannot be set up takes none of the others with it: whoever reads the configuration anew
 * has it made again.
 */
static fer_code leave_vacant(making *m, const fer_furniture *f, fer_backend_kind kind,
                             fer_code code, fer_err *err)
{
    fer_station *s = m->station;
    bool begun = m->place && m->place->mark.ptr;
    if (!code || !f->vacancies || !begun || code == FER_OUT_OF_MEMORY) return code;
    if (s->wants.search)
        fer_log_event(&s->log, FER_LOG_WARN, "server.vacant", FER_LOG_S("server", m->place->name),
                      FER_LOG_S("reason", fer_str_of(err->message)));
    m->place->vacant = true;
    m->place->code = code;
    snprintf(m->place->why, sizeof m->place->why, "%.255s", err->message);
    fer_runner *r = fer_vacant_runner(fer_gateway_loop(s->gateway), m->place->name, kind, err);
    return take_runner(m, r, 0, err);
}

/* Takes the place that was made into the list, or undoes what there is of it. */
static fer_code end_place(making *m, fer_arena *a, fer_furniture *f, fer_code code, fer_err *err)
{
    if (!m->place) return code;
    fer_place_of_tools **list = NULL;
    if (!code) list = fer_arena_room(a, f->list, f->count, &f->cap, sizeof(fer_place_of_tools *));
    if (!code && !list) code = fer_arena_failed(a, err);
    if (code) {
        fer_station_discard(m->station, m->place);
        return code;
    }
    f->list = list;
    f->list[f->count++] = m->place;
    return FER_OK;
}

/* What failed is told with whose it is, and where that stands. */
static fer_code told_where(fer_str file, fer_place at, const char *what, fer_str name,
                           fer_code code, fer_err *err)
{
    fer_err plain = *err;
    if (code == FER_OUT_OF_MEMORY) return code;
    return fer_fail(err, code, "%.*s:%u:%u: the %s %.*s: %.700s", FER_PRI(file), at.line, at.column,
                    what, FER_PRI(name), plain.message);
}

static fer_code add_server(fer_station *s, fer_arena *a, const fer_config *c,
                           const fer_config_server *one, fer_furniture *f, fer_err *err)
{
    making m = {.station = s, .config = c};
    if (one->disabled) return FER_OK;
    fer_code code = begin_place(&m, FER_CONFIG_SERVER, one, one->ns, one->ns, one->json, err);
    if (!code) m.place->eager = one->eager;
    if (!code)
        code = one->transport == FER_CONFIG_STDIO ? make_program(&m, one, err)
                                                  : make_remote(&m, one, err);
    if (code)
        code = told_where(one->file.len ? one->file : c->file, one->place, "server", one->name,
                          code, err);
    code = leave_vacant(&m, f, FER_BACKEND_MCP, code, err);
    return end_place(&m, a, f, code, err);
}

static fer_code add_api(fer_station *s, fer_arena *a, const fer_config *c,
                        const fer_config_api *one, fer_furniture *f, fer_err *err)
{
    making m = {.station = s, .config = c};
    if (one->disabled) return FER_OK;
    fer_code code = begin_place(&m, FER_CONFIG_API, one, one->ns, one->ns, one->json, err);
    if (!code) code = make_api(&m, one, err);
    if (code) code = told_where(c->file, one->place, "API", one->ns, code, err);
    code = leave_vacant(&m, f, FER_BACKEND_PROVIDER, code, err);
    return end_place(&m, a, f, code, err);
}

static bool has_pack(const fer_furniture *f, fer_str ns)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i]->part == FER_CONFIG_COMMAND && fer_str_eq(f->list[i]->ns, ns)) return true;
    return false;
}

static fer_code add_pack(fer_station *s, fer_arena *a, const fer_config *c,
                         const fer_config_command *one, fer_furniture *f, fer_err *err)
{
    making m = {.station = s, .config = c};
    fer_str ns = fer_command_ns(one);
    if (has_pack(f, ns)) return FER_OK;
    fer_code code = begin_place(&m, FER_CONFIG_COMMAND, one, ns, ns, one->json, err);
    if (!code) code = fer_pack_make(m.place, c, err);
    return end_place(&m, a, f, code, err);
}

/* Of a command that is gone, the pack is made of what is left, if anything is. */
static fer_code remake_pack(fer_station *s, fer_arena *a, const fer_config *c,
                            const fer_config_command *gone, fer_furniture *f, fer_err *err)
{
    for (size_t i = 0; i < c->command_count; i++)
        if (fer_str_eq(fer_command_ns(&c->commands[i]), fer_command_ns(gone)))
            return add_pack(s, a, c, &c->commands[i], f, err);
    return FER_OK;
}

static fer_code make_change(fer_station *s, fer_arena *a, const fer_config *c,
                            const fer_config_change *one, fer_furniture *f, fer_err *err)
{
    switch (one->part) {
    case FER_CONFIG_SERVER: return one->after ? add_server(s, a, c, one->after, f, err) : FER_OK;
    case FER_CONFIG_API: return one->after ? add_api(s, a, c, one->after, f, err) : FER_OK;
    case FER_CONFIG_COMMAND:
        return one->after ? add_pack(s, a, c, one->after, f, err)
                          : remake_pack(s, a, c, one->before, f, err);
    default: return FER_OK;
    }
}

fer_code fer_station_make(fer_station *s, fer_arena *a, const fer_config *c,
                          const fer_config_change *changes, size_t change_count, fer_furniture *f,
                          fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < change_count; i++)
        code = make_change(s, a, c, &changes[i], f, err);
    for (size_t i = 0; !code && !changes && i < c->server_count; i++)
        code = add_server(s, a, c, &c->servers[i], f, err);
    for (size_t i = 0; !code && !changes && i < c->command_count; i++)
        code = add_pack(s, a, c, &c->commands[i], f, err);
    for (size_t i = 0; !code && !changes && i < c->api_count; i++)
        code = add_api(s, a, c, &c->apis[i], f, err);
    for (size_t i = 0; code && i < f->count; i++) fer_station_discard(s, f->list[i]);
    if (code) f->count = 0;
    return code;
}
