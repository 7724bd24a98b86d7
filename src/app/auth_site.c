/* SPDX-License-Identifier: Apache-2.0 */
#include "auth_site.h"

#include "errors.h"

int fer_auth_config(fer_app *app, fer_arena *a, fer_config *out)
{
    fer_str file = FER_STR("");
    fer_err err = {0};
    *out = (fer_config){0};
    fer_code code = fer_config_locate(a, fer_app_option(app, "config"), &file, &err);
    if (!code && file.len) {
        file = fer_arena_copy(a, file);
        code = file.ptr ? fer_config_load(a, file.ptr, out, &err) : fer_arena_failed(a, &err);
    }
    if (!code) code = fer_config_refuse(out, file, false, &err);
    return code ? fer_app_fail(app, &err) : 0;
}

/* A server or an API of the configuration by its name, or any server by its URL. */
static int find_site(fer_app *app, const fer_config *c, fer_oauth_site *out)
{
    static const fer_config_oauth plain;
    const char *name = app->arg_count == 1 ? app->args[0] : NULL;
    if (!name) return fer_app_usage(app, "which server? its name, or its URL");
    for (size_t i = 0; i < c->server_count; i++) {
        const fer_config_server *s = &c->servers[i];
        if (!fer_str_is(s->name, name) && !fer_str_is(s->url, name)) continue;
        *out = fer_oauth_site_of_server(s);
        if (s->transport != FER_CONFIG_STDIO) return 0;
        return fer_app_usage(app, "%s is a program, which nobody logs in to", name);
    }
    for (size_t i = 0; i < c->api_count; i++) {
        if (!fer_str_is(c->apis[i].name, name)) continue;
        *out = fer_oauth_site_of_api(&c->apis[i]);
        if (c->apis[i].oauth.given) return 0;
        return fer_app_usage(app, "the API %s has no oauth in its configuration", name);
    }
    *out = (fer_oauth_site){fer_str_of(name), fer_str_of(name), &plain, false, false};
    if (strncmp(name, "http://", 7) == 0 || strncmp(name, "https://", 8) == 0) return 0;
    return fer_app_usage(app, "the configuration has no server %s", name);
}

static int find_owner(fer_app *app, const fer_oauth_site *site, fer_token_owner *out)
{
    const char *tenant = fer_app_option(app, "tenant"), *who = fer_app_option(app, "principal");
    fer_token_share share = site->oauth->share;
    *out = (fer_token_owner){fer_str_of(tenant ? tenant : ""), fer_str_of(who ? who : "")};
    if ((tenant && !tenant[0]) || (who && !who[0]))
        return fer_app_usage(app, "the name of a tenant, or of a principal, is not empty");
    if (who && !tenant) return fer_app_usage(app, "--principal goes with --tenant");
    if ((tenant && share == FER_TOKENS_SHARED) || (who && share == FER_TOKENS_TENANT))
        return fer_app_usage(app,
                             "%.*s has one token for %s: oauth.tokens: %s in its configuration "
                             "gives each %s one",
                             FER_PRI(site->name), who && share ? "each tenant" : "all",
                             who ? "principal" : "tenant", who ? "principal" : "tenant");
    return 0;
}

int fer_auth_find(fer_app *app, const fer_config *c, fer_oauth_site *site, fer_token_owner *owner)
{
    int bad = find_site(app, c, site);
    return bad ? bad : find_owner(app, site, owner);
}
