/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a configuration and cannot have an effect, or none that was meant: told as
 * warnings, since a file may be looked at where servers and files of it are not. */
#include "config_parts.h"
#include "jwks_source.h"
#include "near.h"

/* ---- policies of what is not there -------------------------------------------------------------
 */

/* Namespaces of the tools that every gateway has (tests/app/config.py holds them against those). */
static const char *const built_in[] = {"text", "time"};

bool fer_configure_is_built_in(fer_str ns)
{
    for (size_t i = 0; i < FER_COUNT(built_in); i++)
        if (fer_str_is(ns, built_in[i])) return true;
    return false;
}

typedef void visitor(void *context, fer_str name);

static void each_command_namespace(const fer_config *c, visitor *visit, void *context)
{
    fer_id id;
    for (size_t i = 0; i < c->command_count; i++)
        if (!fer_id_parse(c->commands[i].id, &id, NULL))
            visit(context, id.ns.len ? id.ns : FER_CONFIG_NO_NAMESPACE);
}

/* Namespaces of tools, which are the names of their backends. */
static void each_namespace(const fer_config *c, visitor *visit, void *context)
{
    for (size_t i = 0; i < FER_COUNT(built_in); i++) visit(context, fer_str_of(built_in[i]));
    if (c->code.enabled) visit(context, FER_STR("code"));
    for (size_t i = 0; i < c->server_count; i++) visit(context, c->servers[i].ns);
    for (size_t i = 0; i < c->api_count; i++) visit(context, c->apis[i].ns);
    each_command_namespace(c, visit, context);
}

typedef struct looking {
    fer_near near;
    bool found;
} looking;

static void look(void *context, fer_str name)
{
    looking *l = context;
    if (fer_str_eq(name, l->near.word)) l->found = true;
    else fer_near_try(&l->near, name);
}

static void tell_unknown(fer_configure *c, const yyjson_val *key, const char *what,
                         const looking *l)
{
    fer_str wanted = fer_str_head(l->near.word, 100);
    if (l->near.best.ptr)
        fer_configure_tell(c, FER_SEVERITY_WARNING, key, FER_STR_NONE,
                           "there is no %s \"%.*s\", so that this counts for nothing; did you mean "
                           "\"%.*s\"?",
                           what, FER_PRI(wanted), FER_PRI(fer_str_head(l->near.best, 100)));
    else
        fer_configure_tell(c, FER_SEVERITY_WARNING, key, FER_STR_NONE,
                           "there is no %s \"%.*s\" here, so that this counts for nothing", what,
                           FER_PRI(wanted));
}

static bool is_namespace(fer_configure *c, const yyjson_val *key, fer_str name, const char *what)
{
    looking l = {0};
    fer_near_init(&l.near, name);
    each_namespace(c->out, look, &l);
    if (!l.found) tell_unknown(c, key, what, &l);
    return l.found;
}

static void count_same(void *context, fer_str name)
{
    looking *l = context;
    l->found = l->found || fer_str_eq(name, l->near.word);
}

/* The tools of commands are all known. */
static void check_command(fer_configure *c, const yyjson_val *key, fer_str ns)
{
    looking of_commands = {.near.word = ns}, l = {0};
    each_command_namespace(c->out, count_same, &of_commands);
    for (size_t i = 0; i < c->out->server_count; i++)
        if (fer_str_eq(c->out->servers[i].ns, ns)) return;
    if (!of_commands.found) return;
    fer_near_init(&l.near, fer_val_str(key));
    for (size_t i = 0; i < c->out->command_count; i++) {
        fer_id id;
        if (fer_id_parse(c->out->commands[i].id, &id, NULL)) continue;
        fer_str of = id.ns.len ? id.ns : FER_CONFIG_NO_NAMESPACE; /* as rows name it: no version */
        fer_str whole = fer_arena_printf(c->a, "%.*s:%.*s", FER_PRI(of), FER_PRI(id.name));
        if (whole.ptr) look(&l, whole);
    }
    if (!l.found) tell_unknown(c, key, "command", &l);
}

static void check_tool_row(fer_configure *c, const yyjson_val *key)
{
    fer_str id = fer_val_str(key);
    size_t colon = fer_str_find(id, 0, ':');
    if (fer_str_is(id, "*") || colon == SIZE_MAX) return;
    fer_str ns = fer_str_slice(id, 0, colon);
    if (!is_namespace(c, key, ns, "server, API or command of the namespace")) return;
    if (!fer_str_is(fer_str_slice(id, colon + 1, id.len), "*")) check_command(c, key, ns);
}

static void check_policies(fer_configure *c, const yyjson_val *policies)
{
    const yyjson_val *tools = fer_is_obj(policies) ? fer_val_get(policies, "tools") : NULL,
                     *backends = fer_is_obj(policies) ? fer_val_get(policies, "backends") : NULL;
    if (fer_is_obj(tools))
        FER_EACH_MEMBER (tools, key) check_tool_row(c, key);
    if (fer_is_obj(backends))
        FER_EACH_MEMBER (backends, key)
            if (!fer_str_is(fer_val_str(key), "*"))
                is_namespace(c, key, fer_val_str(key), "backend");
}

/* ---- files that are not there ------------------------------------------------------------------
 */

static void check_file(fer_configure *c, const yyjson_val *object, const char *key, fer_str path)
{
    const yyjson_val *at = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    if (!c->world->exists || !path.len || !at) return;
    fer_str copy = fer_arena_copy(c->a, path);
    if (!copy.ptr) fer_configure_no_memory(c);
    else if (!c->world->exists(c->world->context, copy.ptr))
        fer_configure_tell(c, FER_SEVERITY_WARNING, at, FER_STR_NONE, "there is no file %.600s",
                           copy.ptr);
}

static void check_files(fer_configure *c, const yyjson_val *root)
{
    const yyjson_val *apis = fer_val_get(root, "apis"), *serve = fer_val_get(root, "serve");
    const fer_config_serve *s = &c->out->serve;
    for (size_t i = 0; fer_is_obj(apis) && i < c->out->api_count; i++) {
        const fer_config_api *api = &c->out->apis[i];
        FER_EACH_MEMBER (apis, key)
            if (fer_str_eq(fer_val_str(key), api->name) && !api->disabled)
                check_file(c, key + 1, "openapi", api->file);
    }
    if (!fer_is_obj(serve)) return;
    const yyjson_val *tls = fer_val_get(serve, "tls"), *issuers = fer_val_get(serve, "issuers");
    check_file(c, tls, "cert", s->tls_cert);
    check_file(c, tls, "key", s->tls_key);
    for (size_t i = 0; fer_is_obj(issuers) && i < s->issuer_count; i++)
        FER_EACH_MEMBER (issuers, key)
            if (fer_str_eq(fer_val_str(key), s->issuers[i].name) &&
                !fer_jwks_is_url(s->issuers[i].jwks))
                check_file(c, key + 1, "jwks", s->issuers[i].jwks);
}

/* ---- all ---------------------------------------------------------------------------------------
 */

void fer_configure_idle(fer_configure *c, const yyjson_val *root)
{
    const yyjson_val *held = fer_val_get(root, "quarantine");
    if (held && !c->out->catalog.len && !fer_str_is(c->out->quarantine, "none"))
        fer_configure_tell(c, FER_SEVERITY_WARNING, held,
                           FER_STR("Add state: FOLDER (or catalog: FILE)."),
                           "without a catalogue nothing is remembered, so that nothing is held "
                           "back");
    check_policies(c, fer_val_get(root, "policies"));
    check_files(c, root);
}
