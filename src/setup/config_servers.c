/* SPDX-License-Identifier: Apache-2.0 */
/* MCP servers, as clients write them. */
#include "config_parts.h"
#include "json_doc.h"
#include "json_skim.h"
#include "name_mangle.h"
#include "near.h"
#include "secret.h"

#define BY_ENV "Give it to the server by env, where it takes it."
#define BY_HEADER                                                                                  \
    "Where the server takes it from a header field, write headers: {NAME: 'secretref:env:NAME'}."

/* Keys that are read, and those of clients that mean nothing to a gateway. */
static const char *const known[] = {"type",        "command",      "args",
                                    "env",         "cwd",          "url",
                                    "serverUrl",   "httpUrl",      "headers",
                                    "disabled",    "enabled",      "timeoutMs",
                                    "envFile",     "sha256",       "oauth",
                                    "start",       "isolate",      "idleStopMs",
                                    "environment", "http_headers", "bearer_token_env_var",
                                    NULL};
static const char *const clients[] = {"alwaysAllow",
                                      "autoApprove",
                                      "autoStart",
                                      "description",
                                      "dev",
                                      "disabledTools",
                                      "enabledTools",
                                      "excludeTools",
                                      "gallery",
                                      "icon",
                                      "id",
                                      "includeTools",
                                      "isActive",
                                      "name",
                                      "note",
                                      "auth",
                                      "sandbox",
                                      "sandboxEnabled",
                                      "source",
                                      "timeout",
                                      "tools",
                                      "trust",
                                      "version",
                                      "watchPaths",
                                      "$schema",
                                      "startup_timeout_sec",
                                      "startup_timeout_ms",
                                      "tool_timeout_sec",
                                      "enabled_tools",
                                      "disabled_tools",
                                      NULL};

static bool is_one_of(fer_str word, const char *const *list)
{
    for (size_t i = 0; list[i]; i++)
        if (fer_str_is(word, list[i])) return true;
    return false;
}

static void note_key(fer_configure *c, const yyjson_val *key)
{
    fer_str name = fer_val_str(key), shown = fer_str_head(name, 100);
    fer_near near;
    if (is_one_of(name, clients)) return;
    fer_near_init(&near, name);
    for (size_t i = 0; known[i]; i++) fer_near_try(&near, fer_str_of(known[i]));
    if (near.best.ptr)
        fer_configure_tell(c, FER_SEVERITY_WARNING, key, FER_STR_NONE,
                           "a server has no \"%.*s\"; did you mean \"%.*s\"?", FER_PRI(shown),
                           FER_PRI(near.best));
    else
        fer_configure_tell(c, FER_SEVERITY_INFO, key, FER_STR_NONE, "\"%.*s\" is passed over",
                           FER_PRI(shown));
}

/* ---- parts --------------------------------------------------------------------------------- */

static fer_str take_text(fer_configure *c, const yyjson_val *object, const char *key)
{
    fer_str text = fer_configure_text(object, key);
    return text.len ? fer_configure_expand(c, fer_val_get(object, key), text) : text;
}

static const yyjson_val *url_of(const yyjson_val *object)
{
    static const char *const keys[] = {"url", "serverUrl", "httpUrl"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        const yyjson_val *value = fer_val_get(object, keys[i]);
        if (fer_is_str(value) && fer_val_len(value)) return value;
    }
    return NULL;
}

/* The first word of a command, which opencode has as a list with its arguments. */
static const yyjson_val *words_of(const yyjson_val *object)
{
    const yyjson_val *list = fer_val_get(object, "command");
    if (!fer_is_arr(list)) return NULL;
    FER_EACH_ITEM (list, item)
        if (!fer_is_str(item)) return NULL;
    return fer_val_len(list) ? list : NULL;
}

/* By what it says, else by what it has. */
static bool take_transport(fer_configure *c, const yyjson_val *key, fer_config_server *s)
{
    fer_str type = fer_configure_text(key + 1, "type");
    bool command = fer_configure_text(key + 1, "command").len > 0 || words_of(key + 1);
    bool url = url_of(key + 1) != NULL;
    if (command && url && !type.len) {
        FER_CONFIG_ERROR(c, key, "the server has a command and a URL; \"type\" says which counts");
        return false;
    }
    bool program = fer_str_is(type, "stdio") || fer_str_is(type, "local");
    s->transport = program || (!type.len && !url) ? FER_CONFIG_STDIO
                   : fer_str_is(type, "sse")      ? FER_CONFIG_SSE
                                                  : FER_CONFIG_HTTP;
    if (s->transport == FER_CONFIG_STDIO ? command : url) return true;
    FER_CONFIG_ERROR(c, key, "the server needs a %s",
                     type.len ? (s->transport == FER_CONFIG_STDIO ? "\"command\"" : "\"url\"")
                              : "\"command\" or a \"url\"");
    return false;
}

static void take_program(fer_configure *c, const yyjson_val *object, fer_config_server *s)
{
    s->command = take_text(c, object, "command");
    s->args = fer_configure_texts(c, fer_val_get(object, "args"), true, &s->arg_count);
    const yyjson_val *env = fer_val_get(object, "env");
    const yyjson_val *words = words_of(object);
    if (words) {
        const fer_str *all = fer_configure_texts(c, words, true, &s->arg_count);
        s->command = all && s->arg_count ? all[0] : FER_STR("");
        s->args = all ? all + 1 : NULL;
        s->arg_count = s->arg_count ? s->arg_count - 1 : 0;
        fer_configure_args(c, words, FER_STR(BY_ENV));
    }
    if (!env) env = fer_val_get(object, "environment");
    s->env = fer_configure_pairs(c, env, true, false);
    s->cwd = fer_configure_path(c, take_text(c, object, "cwd"));
    s->env_file = fer_configure_path(c, take_text(c, object, "envFile"));
    s->sha256 = fer_configure_text(object, "sha256");
    fer_configure_args(c, fer_val_get(object, "args"), FER_STR(BY_ENV));
}

/* Codex names the variable that has the token: a header field that refers to it. */
static void add_bearer(fer_configure *c, const yyjson_val *key, fer_config_server *s)
{
    fer_str variable = fer_val_str(key);
    fer_str check = fer_arena_printf(c->a, "${%.*s}", FER_PRI(variable));
    if (!check.ptr || !fer_configure_expand(c, key, check).len) return; /* what is wrong is told */
    fer_config_pair *list = fer_arena_alloc_zero(c->a, s->headers.count + 1, sizeof *list);
    fer_str value = fer_arena_printf(c->a, "Bearer secretref:env:%.*s", FER_PRI(variable));
    if (!list || !value.ptr) {
        fer_configure_no_memory(c);
        return;
    }
    for (size_t i = 0; i < s->headers.count; i++) list[i] = s->headers.list[i];
    list[s->headers.count] = (fer_config_pair){FER_STR("Authorization"), {value, true}};
    s->headers = (fer_config_pairs){list, s->headers.count + 1};
}

static void take_remote(fer_configure *c, const yyjson_val *object, fer_config_server *s)
{
    const yyjson_val *url = url_of(object), *headers = fer_val_get(object, "headers");
    const yyjson_val *variable = fer_val_get(object, "bearer_token_env_var");
    if (!headers) headers = fer_val_get(object, "http_headers");
    s->url = fer_configure_expand(c, url, fer_val_str(url));
    s->headers = fer_configure_pairs(c, headers, true, true);
    if (fer_is_str(variable)) add_bearer(c, variable, s);
    fer_configure_oauth(c, fer_val_get(object, "oauth"), &s->oauth);
    if (fer_val_get(object, "oauth"))
        s->oauth_json = fer_configure_json(c, fer_val_get(object, "oauth"), NULL);
    if (s->url.len) fer_configure_url(c, url, s->url);
    if (fer_secret_named(fer_val_str(url)))
        fer_configure_tell(c, FER_SEVERITY_ERROR, url, FER_STR(BY_HEADER),
                           "a reference to a secret is not resolved in a URL");
    else if (fer_secret_in_url(fer_val_str(url)))
        fer_configure_tell(
            c, FER_SEVERITY_WARNING, url, FER_STR(BY_HEADER),
            "the URL has what looks like a secret, which stands here for all to read");
    if (s->oauth.share) fer_configure_share(c, fer_val_get(object, "oauth"), s->url, &s->headers);
}

static fer_str write_server(fer_configure *c, const fer_config_server *s)
{
    fer_buf b;
    fer_buf_init(&b, c->a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    fer_configure_add(&b, "name", s->name);
    fer_buf_printf(&b, ",\"transport\":%d,\"timeoutMs\":%lld,\"disabled\":%s", (int)s->transport,
                   (long long)s->timeout_ms, s->disabled ? "true" : "false");
    /* What nobody wrote is not there, so that marks of earlier versions stay good. */
    if (s->eager) fer_buf_add_text(&b, ",\"start\":\"eager\"");
    if (s->isolate) fer_buf_add_text(&b, ",\"isolate\":true");
    if (s->idle_ms) fer_buf_printf(&b, ",\"idleStopMs\":%lld", (long long)s->idle_ms);
    fer_configure_add(&b, "command", s->command);
    fer_buf_add_text(&b, ",\"args\":[");
    for (size_t i = 0; i < s->arg_count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, s->args[i]);
    }
    fer_buf_add_char(&b, ']');
    fer_configure_add_pairs(&b, "env", s->env);
    fer_configure_add(&b, "cwd", s->cwd);
    fer_configure_add(&b, "envFile", s->env_file);
    fer_configure_add(&b, "sha256", s->sha256);
    fer_configure_add(&b, "url", s->url);
    fer_configure_add_pairs(&b, "headers", s->headers);
    fer_configure_add(&b, "oauth", s->oauth_json);
    fer_buf_add_char(&b, '}');
    return fer_configure_done(c, &b);
}

/* ---- the section --------------------------------------------------------------------------- */

static void add_server(fer_configure *c, const fer_config_server *s)
{
    fer_config *out = c->out;
    fer_config_server *list =
        fer_arena_room(c->a, c->servers, out->server_count, &c->server_cap, sizeof *list);
    if (!list) {
        fer_configure_no_memory(c);
        return;
    }
    list[out->server_count++] = *s;
    c->servers = list;
    out->servers = list;
}

static void take_server(fer_configure *c, const yyjson_val *key)
{
    const yyjson_val *object = key + 1, *enabled = fer_val_get(object, "enabled");
    fer_config_server s = {.name = fer_val_str(key), .place = fer_json_place(c->doc, key)};
    s.file = c->out->file;
    s.end = fer_skim_value(c->doc->text, fer_json_offset(c->doc, object));
    FER_EACH_MEMBER (object, part)
        if (!is_one_of(fer_val_str(part), known)) note_key(c, part);
    s.disabled =
        fer_configure_flag(object, "disabled") || (fer_is_bool(enabled) && !fer_is_true(enabled));
    s.timeout_ms = fer_configure_number(object, "timeoutMs");
    s.eager = fer_str_is(fer_configure_text(object, "start"), "eager");
    s.isolate = fer_configure_flag(object, "isolate");
    s.idle_ms = fer_configure_number(object, "idleStopMs");
    s.ns = fer_name_mangle(c->a, s.name, FER_NAME_MAX);
    if (!s.ns.ptr) fer_configure_no_memory(c);
    if (c->failure) return;
    fer_configure_claim(c, key, s.ns);
    if (!take_transport(c, key, &s)) return;
    if (s.transport == FER_CONFIG_STDIO) take_program(c, object, &s);
    else take_remote(c, object, &s);
    if (!s.idle_ms && (s.isolate || s.oauth.share)) s.idle_ms = FER_CONFIG_IDLE_MS;
    s.json = write_server(c, &s);
    add_server(c, &s);
}

void fer_configure_servers(fer_configure *c, const yyjson_val *servers)
{
    if (!fer_is_obj(servers)) return;
    FER_EACH_MEMBER (servers, key)
        if (fer_is_obj(key + 1) && c->out->server_count < FER_CONFIG_SERVERS) take_server(c, key);
}
