/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration names, as runners: secrets are looked up here and go no further. */
#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "gateway_parts.h"
#include "http_api.h"
#include "local_command.h"
#include "mcp_http.h"
#include "mcp_stdio.h"
#include "openapi_file.h"
#include "secret.h"
#include "station_parts.h"

/* Variables of ours that every program gets, as the SDKs of MCP have it. */
static const char *const passed[] = {"HOME",  "LANG", "LC_ALL", "LOGNAME", "PATH",
                                     "SHELL", "TERM", "TMPDIR", "TZ",      "USER"};

/* The folder of the configuration file: references to files count from it. */
static fer_str folder_of(const fer_station *s)
{
    fer_str f = s->config.file;
    while (f.len && f.ptr[f.len - 1] != '/') f.len--;
    return f.len > 1 ? fer_str_slice(f, 0, f.len - 1) : f.len ? f : FER_STR(".");
}

/* From now on it appears nowhere: the secret itself, without what stands before its reference. */
static fer_code hide_secret(fer_station *s, fer_str written, fer_str value, fer_err *err)
{
    size_t before = fer_secret_find(written);
    if (before == SIZE_MAX || before > value.len) before = 0;
    return fer_gateway_secret(s->gateway, fer_str_slice(value, before, value.len), err);
}

static fer_code value_of(fer_station *s, const fer_config_value *v, fer_str *out, fer_err *err)
{
    *out = v->text;
    if (!v->secret) return FER_OK;
    fer_code code = fer_secret_resolve(s->arena, v->text, folder_of(s), out, err);
    return code ? code : hide_secret(s, v->text, *out, err);
}

static fer_code add_place(fer_station *s, fer_str name, fer_str ns, fer_runner *r,
                          int64_t timeout_ms, bool asked, fer_err *err)
{
    if (!r) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    r->timeout_ms = timeout_ms;
    fer_code code = fer_gateway_add_runner(s->gateway, r, err);
    if (code) {
        r->kind->free(r);
        return code;
    }
    s->places[s->place_count++] = (fer_place_of_tools){
        .name = name, .ns = ns, .runner = r, .asked = asked, .why = FER_STR("")};
    return FER_OK;
}

/* ---- MCP servers that are programs
 * --------------------------------------------------------------------- */

static fer_code make_env(fer_station *s, const fer_config_pairs *pairs, const char ***out,
                         fer_err *err)
{
    const char **env =
        fer_arena_alloc_zero(s->arena, FER_COUNT(passed) + pairs->count + 1, sizeof *env);
    size_t n = 0;
    if (!env) return fer_arena_failed(s->arena, err);
    for (size_t i = 0; i < FER_COUNT(passed); i++) {
        const char *value = getenv(passed[i]);
        bool set = false;
        for (size_t k = 0; k < pairs->count; k++) set |= fer_str_is(pairs->list[k].name, passed[i]);
        if (!value || set) continue;
        fer_str one = fer_arena_printf(s->arena, "%s=%s", passed[i], value);
        if (!one.ptr) return fer_arena_failed(s->arena, err);
        env[n++] = one.ptr;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        fer_str value;
        fer_code code = value_of(s, &pairs->list[i].value, &value, err);
        if (code) return code;
        fer_str one =
            fer_arena_printf(s->arena, "%.*s=%.*s", FER_PRI(pairs->list[i].name), FER_PRI(value));
        if (!one.ptr) return fer_arena_failed(s->arena, err);
        env[n++] = one.ptr;
    }
    *out = env;
    return FER_OK;
}

static fer_code add_program(fer_station *s, const fer_config_server *c, fer_err *err)
{
    const char **env = NULL, **argv;
    argv = fer_arena_alloc_zero(s->arena, c->arg_count + 2, sizeof *argv);
    if (!argv) return fer_arena_failed(s->arena, err);
    for (size_t i = 0; i <= c->arg_count; i++) {
        argv[i] = fer_arena_copy(s->arena, i ? c->args[i - 1] : c->command).ptr;
        if (!argv[i]) return fer_arena_failed(s->arena, err);
    }
    fer_code code = make_env(s, &c->env, &env, err);
    if (code) return code;
    fer_mcp_stdio_settings o = {.name = c->ns,
                                .argv = argv,
                                .env = env,
                                .cwd = c->cwd.len ? fer_arena_copy(s->arena, c->cwd).ptr : NULL};
    return add_place(s, c->ns, c->ns, fer_mcp_stdio_runner(s->host, &o), c->timeout_ms, false, err);
}

/* ---- MCP servers over HTTP
 * ------------------------------------------------------------------------------ */

static fer_code make_fields(fer_station *s, const fer_config_pairs *pairs, fer_http_field **out,
                            fer_err *err)
{
    fer_http_field *list = fer_arena_alloc_zero(s->arena, pairs->count + 1, sizeof *list);
    fer_code code = FER_OK;
    if (!list) return fer_arena_failed(s->arena, err);
    for (size_t i = 0; !code && i < pairs->count; i++) {
        list[i].name = pairs->list[i].name;
        code = value_of(s, &pairs->list[i].value, &list[i].value, err);
    }
    *out = list;
    return code;
}

static fer_code add_remote(fer_station *s, const fer_config_server *c, fer_err *err)
{
    fer_http_field *fields;
    if (c->transport == FER_CONFIG_SSE)
        fer_app_say(s->app, "%.*s: servers of the old HTTP with SSE are asked by Streamable HTTP",
                    FER_PRI(c->name));
    fer_code code = make_fields(s, &c->headers, &fields, err);
    if (!code) code = fer_net_rules_allow_url(s->rules, c->url, err);
    if (code) return code;
    fer_mcp_http_settings o = {
        .name = c->ns, .url = c->url, .fields = fields, .field_count = c->headers.count};
    return add_place(s, c->ns, c->ns,
                     fer_mcp_http_runner(fer_gateway_loop(s->gateway), s->http, &o), c->timeout_ms,
                     false, err);
}

/* ---- HTTP APIs
 * ------------------------------------------------------------------------------------------- */

static fer_code put_records(fer_station *s, fer_str name, const fer_str *records, size_t count,
                            const fer_put_options *o, fer_err *err)
{
    fer_batch *b = fer_batch_new();
    fer_code code = b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < count; i++)
        code = fer_batch_add(b, name, records[i], FER_FORMAT_JSON, o, err);
    if (!code) code = fer_catalog_apply(s->catalog, b, err);
    fer_batch_free(b);
    return code;
}

static fer_code make_auth(fer_station *s, const fer_config_auth *c, fer_http_auth *out,
                          fer_err *err)
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
    fer_code code = fer_secret_resolve(s->arena, c->secret, folder_of(s), &out->secret, err);
    return code ? code : hide_secret(s, c->secret, out->secret, err);
}

static fer_code add_api(fer_station *s, const fer_config_api *c, fer_err *err)
{
    fer_openapi_options import = {.ns = c->ns,
                                  .provider = c->ns,
                                  .base_url = c->base_url,
                                  .include = c->include,
                                  .include_count = c->include_count};
    fer_openapi doc;
    fer_str file = fer_arena_copy(s->arena, c->file);
    fer_http_field *fields = NULL;
    if (!file.ptr) return fer_arena_failed(s->arena, err);
    fer_code code = fer_openapi_read_file(s->arena, file.ptr, &import, &doc, err);
    if (!code) code = make_fields(s, &c->headers, &fields, err);
    if (code) return code;
    fer_str *records = fer_arena_alloc(s->arena, (doc.count + 1) * sizeof *records);
    if (!records) return fer_arena_failed(s->arena, err);
    for (size_t i = 0; i < doc.count; i++) records[i] = doc.tools[i].record;
    fer_http_api_settings o = {.name = c->ns,
                               .base_url = c->base_url,
                               .records = records,
                               .record_count = doc.count,
                               .fields = fields,
                               .field_count = c->headers.count};
    code = make_auth(s, &c->auth, &o.auth, err);
    fer_runner *r = NULL;
    if (!code) code = fer_http_api_runner(fer_gateway_loop(s->gateway), &o, &r, err);
    if (!code) code = add_place(s, c->ns, c->ns, r, c->timeout_ms, true, err);
    if (!code) {
        s->places[s->place_count - 1].tools = doc.count;
        code = put_records(s, c->name, records, doc.count, NULL, err);
    }
    return code;
}

/* ---- local commands ---- */

#define NO_NAMESPACE FER_STR("local") /* of commands that name none */

/* The pack of a command: those of one namespace are one runner. */
static fer_code pack_of(fer_station *s, fer_str ns, fer_runner **out, fer_err *err)
{
    *out = fer_gateway_runner(s->gateway, FER_BACKEND_LOCAL, ns);
    if (*out) return FER_OK;
    fer_code code = add_place(s, ns, ns, fer_local_command_runner(s->host, ns), 0, true, err);
    if (!code) *out = s->places[s->place_count - 1].runner;
    return code;
}

/* Variables that are set may be secrets. */
static fer_code resolve_variables(fer_station *s, fer_local_command *c, fer_err *err)
{
    fer_local_command_variable *set = fer_arena_alloc(s->arena, (c->set_count + 1) * sizeof *set);
    fer_code code = FER_OK;
    if (!set) return fer_arena_failed(s->arena, err);
    for (size_t i = 0; !code && i < c->set_count; i++) {
        set[i] = c->set[i];
        code = fer_secret_resolve(s->arena, c->set[i].value, folder_of(s), &set[i].value, err);
        if (!code && fer_secret_find(c->set[i].value) != SIZE_MAX)
            code = hide_secret(s, c->set[i].value, set[i].value, err);
    }
    if (!code) c->set = set;
    return code;
}

static fer_code make_command(fer_station *s, const fer_config_command *c, fer_err *err)
{
    fer_local_command *made = fer_arena_alloc_zero(s->arena, 1, sizeof *made);
    const char *path = getenv("PATH");
    fer_json *doc;
    fer_id id;
    fer_runner *pack = NULL;
    if (!made) return fer_arena_failed(s->arena, err);
    fer_code code = fer_id_parse(c->id, &id, err);
    if (!code) code = fer_json_read(s->arena, c->run, fer_json_limits_file(), &doc, err);
    if (!code) code = fer_local_command_read(s->arena, doc, fer_json_root(doc), id.name, made, err);
    if (!code) code = resolve_variables(s, made, err);
    if (code) return code;
    fer_str ns = id.ns.len ? id.ns : NO_NAMESPACE;
    code = pack_of(s, ns, &pack, err);
    if (!code)
        code = fer_local_command_add(pack, made, fer_str_of(path ? path : "/usr/bin:/bin"), err);
    for (size_t i = 0; i < s->place_count; i++) s->places[i].tools += s->places[i].runner == pack;
    fer_put_options o = {ns, &(fer_backend){FER_BACKEND_LOCAL, ns, FER_STR("")}};
    return code ? code : put_records(s, FER_STR("commands"), &c->record, 1, &o, err);
}

static fer_code add_command(fer_station *s, const fer_config_command *c, fer_err *err)
{
    fer_err why = {0};
    fer_code code = make_command(s, c, &why);
    if (!code) return FER_OK;
    return fer_fail(err, code, "%.*s:%u:%u: the command %.*s: %.700s", FER_PRI(s->config.file),
                    c->place.line, c->place.column, FER_PRI(c->id), why.message);
}

/* ---- all
 * -----------------------------------------------------------------------------------------------------
 */

static fer_code begin(fer_station *s, fer_err *err)
{
    const fer_config *c = &s->config;
    uv_loop_t *loop = fer_gateway_loop(s->gateway);
    s->places = fer_arena_alloc_zero(s->arena, c->server_count + c->api_count + c->command_count,
                                     sizeof *s->places);
    s->rules = fer_net_rules_new();
    if (!s->places || !s->rules) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_net_rules_close(s->rules); /* what the configuration names, and nothing else */
    s->http = fer_http_new(loop, &(fer_http_options){.rules = s->rules});
    if (!s->http) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_process_sweep(); /* what an earlier run left behind when it was killed */
    return fer_process_host_new(loop, &(fer_process_host_options){.alone = true}, &s->host, err);
}

fer_code fer_station_furnish(fer_station *s, fer_err *err)
{
    const fer_config *c = &s->config;
    if (!c->server_count && !c->api_count && !c->command_count) return FER_OK;
    fer_code code = begin(s, err);
    for (size_t i = 0; !code && i < c->server_count; i++) {
        const fer_config_server *one = &c->servers[i];
        if (one->disabled) continue;
        code =
            one->transport == FER_CONFIG_STDIO ? add_program(s, one, err) : add_remote(s, one, err);
    }
    for (size_t i = 0; !code && i < c->command_count; i++)
        code = add_command(s, &c->commands[i], err);
    for (size_t i = 0; !code && i < c->api_count; i++)
        if (!c->apis[i].disabled) code = add_api(s, &c->apis[i], err);
    return code;
}
