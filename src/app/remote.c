/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "command_station.h"
#include "errors.h"
#include "link_http.h"
#include "link_stdio.h"
#include "secret.h"
#include "sys.h"

/* Variables of ours that every program gets, as in a configuration. */
static const char *const passed[] = {"HOME",  "LANG", "LC_ALL", "LOGNAME", "PATH",
                                     "SHELL", "TERM", "TMPDIR", "TZ",      "USER"};

static bool is_url(const char *word)
{
    return strncmp(word, "http://", 7) == 0 || strncmp(word, "https://", 8) == 0;
}

/* What a word of the command line stands for; a secret is shown nowhere from then on. */
static fer_code resolve(fer_remote *r, fer_str given, fer_str *out, fer_err *err)
{
    size_t before = fer_secret_find(given);
    fer_code code = fer_secret_resolve(r->arena, given, FER_STR("."), out, err);
    if (code || before == SIZE_MAX) return code;
    code = fer_net_add(r->net, fer_str_slice(*out, before, out->len), err);
    return code ? code : fer_net_weave(r->net, err);
}

static void clean(void *context, fer_str text, bool cut, char *out, size_t size)
{
    fer_net_show(((const fer_remote *)context)->net, text, cut, out, size);
}

/* ---- a URL ------------------------------------------------------------------------------------
 */

static bool is_local(fer_str url)
{
    fer_net_target t;
    if (fer_net_target_parse(url, &t, NULL)) return false;
    return strcmp(t.host, "localhost") == 0 || strncmp(t.host, "127.", 4) == 0 ||
           strcmp(t.host, "::1") == 0;
}

/* NAME: VALUE, whose value may be a reference. */
static fer_code take_header(fer_remote *r, const char *given, fer_http_field *out, fer_err *err)
{
    fer_str all = fer_str_of(given);
    size_t colon = fer_str_find(all, 0, ':');
    if (colon == SIZE_MAX || !colon)
        return fer_fail(err, FER_BAD_USAGE, "--header takes 'NAME: VALUE'");
    out->name = fer_str_slice(all, 0, colon);
    fer_str value = fer_str_slice(all, colon + 1, all.len);
    while (value.len && value.ptr[0] == ' ') value = fer_str_slice(value, 1, value.len);
    return resolve(r, value, &out->value, err);
}

static fer_code take_token(fer_remote *r, fer_str url, fer_http_field *list, size_t *count,
                           fer_err *err)
{
    const char *given = fer_app_option(r->app, "token"), *own = getenv("FERRULE_TOKEN");
    fer_str token;
    if (!given && own && own[0] && is_local(url)) given = "secretref:env:FERRULE_TOKEN";
    if (!given) return FER_OK;
    if (fer_secret_find(fer_str_of(given)) != 0)
        return fer_fail(err, FER_BAD_USAGE,
                        "--token takes where the token is, such as secretref:env:NAME or "
                        "secretref:file:PATH, not the token: others can read a command line");
    fer_code code = resolve(r, fer_str_of(given), &token, err);
    if (code) return code;
    fer_str value = fer_arena_printf(r->arena, "Bearer %.*s", FER_PRI(token));
    if (!value.ptr) return fer_arena_failed(r->arena, err);
    list[(*count)++] = (fer_http_field){FER_STR("Authorization"), value};
    return FER_OK;
}

static bool has_authorization(const fer_link_http_spec *spec)
{
    for (size_t i = 0; i < spec->field_count; i++)
        if (fer_str_eq_nocase(spec->fields[i].name, FER_STR("Authorization"))) return true;
    return false;
}

static fer_code make_oauth(fer_remote *r, fer_link_http_spec *spec, fer_err *err)
{
    static const fer_config none;
    static const fer_config_oauth plain;
    const fer_oauth_site site = {spec->url, spec->url, &plain, false, false};
    if (has_authorization(spec)) return FER_OK;
    fer_code code = fer_oauth_desk_open(&r->desk, &r->loop, &none, err);
    if (!code && r->options.oauth) {
        fer_oauth_options o = *r->options.oauth;
        bool here = fer_url_is_loopback(spec->url);
        o.http = r->desk.http[here ? 1 : 0];
        o.resource = spec->url;
        code = fer_net_rules_allow_url(r->desk.rules[here ? 1 : 0], spec->url, err);
        if (!code) code = fer_oauth_new(&o, &r->oauth, err);
    } else if (!code) {
        code =
            fer_oauth_desk_client(&r->desk, &none, &site, &(fer_oauth_options){0}, &r->oauth, err);
    }
    spec->oauth = r->oauth;
    return code;
}

static fer_code make_http(fer_remote *r, const char *url, fer_mcp_link **out, fer_err *err)
{
    fer_link_http_spec spec = {.url = fer_str_of(url)};
    fer_http_field *fields = fer_arena_alloc_zero(r->arena, FER_REMOTE_VARIETY + 2, sizeof *fields);
    const char *header;
    r->rules = fer_net_rules_new();
    if (!fields || !r->rules) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_net_rules_allow_url(r->rules, spec.url, err);
    if (!code) code = take_token(r, spec.url, fields, &spec.field_count, err);
    for (size_t i = 0; !code && (header = fer_app_values(r->app, "header", i)); i++) {
        if (i == FER_REMOTE_VARIETY)
            return fer_fail(err, FER_BAD_USAGE, "remote.variety: --header at most %d times",
                            FER_REMOTE_VARIETY);
        code = take_header(r, header, &fields[spec.field_count++], err);
    }
    if (code) return code;
    spec.fields = fields;
    code = make_oauth(r, &spec, err);
    if (code) return code;
    fer_http_options asking = {.rules = r->rules};
    r->http = fer_http_new(&r->loop, &asking);
    *out = r->http ? fer_link_http_new(&r->loop, r->http, &spec) : NULL;
    return *out ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

/* ---- a program --------------------------------------------------------------------------------
 */

static bool is_set(fer_app *app, const char *name)
{
    const char *given;
    for (size_t i = 0; (given = fer_app_values(app, "env", i)); i++)
        if (strncmp(given, name, strlen(name)) == 0 && given[strlen(name)] == '=') return true;
    return false;
}

/* NAME=VALUE, whose value may be a reference; NAME alone: as it is here. */
static fer_code take_variable(fer_remote *r, const char *given, const char **out, fer_err *err)
{
    fer_str all = fer_str_of(given), value;
    size_t equals = fer_str_find(all, 0, '=');
    fer_code code = FER_OK;
    if (!equals || !all.len) return fer_fail(err, FER_BAD_USAGE, "--env takes NAME=VALUE or NAME");
    if (equals == SIZE_MAX) {
        const char *here = getenv(given);
        if (!here)
            return fer_fail(err, FER_BAD_USAGE, "--env %s: there is no such variable", given);
        value = fer_str_of(here);
    } else {
        code = resolve(r, fer_str_slice(all, equals + 1, all.len), &value, err);
    }
    if (code) return code;
    fer_str name = equals == SIZE_MAX ? all : fer_str_slice(all, 0, equals);
    *out = fer_arena_printf(r->arena, "%.*s=%.*s", FER_PRI(name), FER_PRI(value)).ptr;
    return *out ? FER_OK : fer_arena_failed(r->arena, err);
}

static fer_code make_env(fer_remote *r, const char *const **out, fer_err *err)
{
    const char **env =
        fer_arena_alloc_zero(r->arena, FER_COUNT(passed) + FER_REMOTE_VARIETY + 1, sizeof *env);
    const char *given;
    size_t n = 0;
    fer_code code = FER_OK;
    if (!env) return fer_arena_failed(r->arena, err);
    for (size_t i = 0; i < FER_COUNT(passed); i++) {
        const char *value = getenv(passed[i]);
        if (!value || is_set(r->app, passed[i])) continue;
        env[n] = fer_arena_printf(r->arena, "%s=%s", passed[i], value).ptr;
        if (!env[n++]) return fer_arena_failed(r->arena, err);
    }
    for (size_t i = 0; !code && (given = fer_app_values(r->app, "env", i)); i++) {
        if (i == FER_REMOTE_VARIETY)
            return fer_fail(err, FER_BAD_USAGE, "remote.variety: --env at most %d times",
                            FER_REMOTE_VARIETY);
        code = take_variable(r, given, &env[n++], err);
    }
    *out = env;
    return code;
}

/* A path is one from here; only configurations, which may be read elsewhere, want an absolute one.
 */
static fer_code place_program(fer_remote *r, const char **program, fer_err *err)
{
    char path[PATH_MAX];
    if ((*program)[0] == '/' || !strchr(*program, '/')) return FER_OK;
    if (strstr(*program, "://"))
        return fer_fail(err, FER_BAD_USAGE,
                        "%s is no URL of a server, which begins with http:// or https://",
                        *program);
    if (!fer_sys_realpath(*program, path))
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "cannot find the program %s: %s", *program,
                        strerror(errno));
    *program = fer_arena_copy(r->arena, fer_str_of(path)).ptr;
    return *program ? FER_OK : fer_arena_failed(r->arena, err);
}

static fer_code make_program(fer_remote *r, const char *const *words, size_t count,
                             fer_mcp_link **out, fer_err *err)
{
    const char **argv = fer_arena_alloc_zero(r->arena, FER_REMOTE_WORDS + 1, sizeof *argv);
    const char *path = getenv("PATH");
    fer_stdio_spec spec = {.argv = argv,
                           .path = fer_str_of(path ? path : "/usr/local/bin:/usr/bin:/bin")};
    if (!argv) return fer_arena_failed(r->arena, err);
    if (count > FER_REMOTE_WORDS)
        return fer_fail(err, FER_BAD_USAGE, "remote.words: the command has more than %d words",
                        FER_REMOTE_WORDS);
    fer_code code = FER_OK;
    if (count == 1) code = fer_command_words(r->arena, fer_str_of(words[0]), argv, &count, err);
    else memcpy(argv, words, count * sizeof *argv);
    if (!code && argv[0]) code = place_program(r, &argv[0], err);
    if (!code) code = make_env(r, &spec.env, err);
    fer_process_host_options alone = {.alone = true};
    if (!code) code = fer_process_host_new(&r->loop, &alone, &r->host, err);
    if (code) return code;
    *out = fer_link_stdio_new(r->host, &spec);
    return *out ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

/* ---- life ------------------------------------------------------------------------------------ */

static void on_interrupt(uv_signal_t *handle, int number)
{
    fer_remote *r = handle->data;
    (void)number;
    r->interrupted = true;
    uv_signal_stop(handle); /* the next one ends the program */
}

static void on_limit(uv_timer_t *timer)
{
    ((fer_remote *)timer->data)->late = true;
}

static void on_closed(void *context)
{
    ((fer_remote *)context)->closed = true;
}

static bool on_asked(void *context, fer_mcp_question *q)
{
    fer_remote *r = context;
    return r->options.asked(r->options.context, q);
}

static void on_withdrawn(void *context, fer_mcp_question *q)
{
    (void)context;
    (void)q;
}

static fer_code begin(fer_remote *r, const char *const *words, size_t count, fer_err *err)
{
    fer_mcp_link *link = NULL;
    r->arena = fer_arena_new(0);
    r->net = r->arena ? fer_net_new(r->arena) : NULL;
    if (!r->net) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (uv_loop_init(&r->loop)) return fer_fail(err, FER_IO_ERROR, "the system has no loop for us");
    r->begun = true;
    uv_signal_init(&r->loop, &r->interrupt);
    uv_timer_init(&r->loop, &r->limit);
    r->interrupt.data = r->limit.data = r;
    uv_signal_start(&r->interrupt, on_interrupt, SIGINT);
    fer_code code = count == 1 && is_url(words[0]) ? make_http(r, words[0], &link, err)
                                                   : make_program(r, words, count, &link, err);
    if (code) return code;
    fer_mcp_options o = {.loop = &r->loop,
                         .capabilities = r->options.capabilities,
                         .asked = r->options.asked ? on_asked : NULL,
                         .withdrawn = on_withdrawn,
                         .closed = on_closed,
                         .clean = clean,
                         .context = r};
    r->client = fer_mcp_client_new(link, &o);
    return r->client ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

int fer_remote_open(fer_remote *r, fer_app *app, const char *const *words, size_t count,
                    const fer_remote_options *o)
{
    fer_err err = {0};
    *r = (fer_remote){.app = app};
    if (o) r->options = *o;
    int bad = fer_app_number(app, "timeout", 1, FER_REMOTE_MS_MAX, FER_REMOTE_MS, &r->timeout_ms);
    if (bad) return bad;
    if (!begin(r, words, count, &err)) return 0;
    fer_remote_close(r);
    return fer_app_fail(app, &err);
}

void fer_remote_close(fer_remote *r)
{
    if (r->client) fer_mcp_client_close(r->client);
    while (r->client && !r->closed) uv_run(&r->loop, UV_RUN_ONCE);
    fer_mcp_client_free(r->client);
    fer_oauth_unref(r->oauth);
    if (r->desk.arena) fer_oauth_desk_close(&r->desk);
    if (r->http) fer_http_close(r->http);
    if (r->host) fer_process_host_free(r->host);
    if (r->begun) {
        uv_close((uv_handle_t *)&r->interrupt, NULL);
        uv_close((uv_handle_t *)&r->limit, NULL);
        uv_run(&r->loop, UV_RUN_DEFAULT);
        uv_loop_close(&r->loop);
    }
    fer_net_rules_free(r->rules);
    fer_arena_free(r->arena);
}

/* ---- requests ---------------------------------------------------------------------------------
 */

/* False: it was interrupted, or took too long. */
static bool wait_for_end(fer_remote *r)
{
    r->late = false;
    uv_timer_start(&r->limit, on_limit, (uint64_t)r->timeout_ms, 0);
    while (r->waiting && !r->interrupted && !r->late) uv_run(&r->loop, UV_RUN_ONCE);
    uv_timer_stop(&r->limit);
    return !r->waiting;
}

static fer_code gave_up(const fer_remote *r, fer_err *err)
{
    if (r->interrupted) return fer_fail(err, FER_CANCELLED, "it was interrupted");
    return fer_fail(err, FER_TIMEOUT,
                    "the server did not answer within %lld ms: --timeout gives it more",
                    (long long)r->timeout_ms);
}

typedef struct listing {
    fer_mcp_list list;
    fer_remote *remote;
    fer_str tools;
    fer_code code;
    fer_err err;
} listing;

static void on_listed(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err)
{
    listing *q = l->context;
    q->remote->waiting = false;
    q->code = code;
    q->tools = tools;
    if (code && err) q->err = *err;
}

fer_code fer_remote_tools(fer_remote *r, fer_str *tools, fer_err *err)
{
    listing *q = fer_arena_alloc_zero(r->arena, 1, sizeof *q);
    if (!q) return fer_arena_failed(r->arena, err);
    *q = (listing){.list = {.arena = r->arena, .on_end = on_listed, .context = q}, .remote = r};
    r->waiting = true;
    fer_mcp_client_list(r->client, &q->list);
    if (!wait_for_end(r)) return gave_up(r, err);
    if (q->code) {
        *err = q->err;
        return q->code;
    }
    *tools = q->tools;
    return FER_OK;
}

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_remote *r = k->context;
    r->waiting = false;
    *r->outcome = *o;
}

fer_code fer_remote_call(fer_remote *r, fer_mcp_call *k, fer_mcp_outcome *out, fer_err *err)
{
    r->outcome = out;
    k->arena = r->arena;
    k->context = r;
    k->on_end = on_end;
    k->deadline = fer_clock_mono() + r->timeout_ms * INT64_C(1000000);
    r->waiting = true;
    fer_mcp_client_call(r->client, k);
    if (wait_for_end(r)) return FER_OK;
    fer_mcp_call_drop(k, r->interrupted ? "ClientCancelled" : "Timeout");
    uv_run(&r->loop, UV_RUN_NOWAIT); /* so that the server hears of it */
    return gave_up(r, err);
}

void fer_remote_info(const fer_remote *r, fer_mcp_info *info, fer_str *hello)
{
    fer_mcp_client_info(r->client, info);
    *hello = fer_mcp_client_hello(r->client);
}
