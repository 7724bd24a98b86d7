/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule auth status, logout: the tokens for servers that are kept. */
#include "auth_site.h"
#include "clock.h"
#include "errors.h"
#include "oauth_owners.h"

/* What both work with. */
typedef struct desk_of {
    fer_app *app;
    fer_arena *arena;
    fer_config config;
    uv_loop_t loop;
    bool has_loop;
    fer_oauth_desk desk;
} desk_of;

static int begin(desk_of *d, fer_app *app)
{
    *d = (desk_of){.app = app, .arena = fer_arena_new(0)};
    int bad = d->arena ? fer_auth_config(app, d->arena, &d->config) : FER_EXIT_SYSTEM;
    fer_err err = {0};
    if (bad) return bad;
    if (uv_loop_init(&d->loop)) return FER_EXIT_SYSTEM;
    d->has_loop = true;
    return fer_oauth_desk_open(&d->desk, &d->loop, &d->config, &err) ? fer_app_fail(app, &err) : 0;
}

static void end(desk_of *d)
{
    if (d->desk.arena) fer_oauth_desk_close(&d->desk);
    if (d->has_loop) {
        uv_run(&d->loop, UV_RUN_DEFAULT);
        uv_loop_close(&d->loop);
    }
    fer_arena_free(d->arena);
}

/* ---- status -----------------------------------------------------------------------------------
 */

static const char *state_of(const fer_oauth_site *s, fer_oauth *o, const fer_oauth_info *i)
{
    bool over = i->expires_ms && i->expires_ms < fer_clock_wall();
    if (!o) return "none";
    if (s->oauth->machine) return "machine";
    if (!i->has_token) return "no token";
    return !over ? "good" : i->has_refresh ? "to be refreshed" : "over";
}

static void write_one(fer_app *app, const fer_oauth_site *s, fer_oauth *o, bool json, bool first)
{
    static const fer_token_owner nobody = {{"", 0}, {"", 0}};
    const fer_token_owner *who = o ? fer_oauth_owner(o) : &nobody;
    fer_oauth_info i = {.issuer = FER_STR(""), .scope = FER_STR("")};
    char until[FER_TIMESTAMP] = "";
    if (o) fer_oauth_describe(o, &i);
    if (i.expires_ms) fer_clock_format(i.expires_ms, until);
    const struct {
        const char *name;
        fer_str value;
    } rows[] = {{"name", s->name},
                {"state", fer_str_of(state_of(s, o, &i))},
                {"issuer", i.issuer},
                {"expires", fer_str_of(until)},
                {"scope", i.scope},
                {"tenant", who->tenant},
                {"principal", who->principal}};
    fer_out *out = &app->out;
    if (json) fer_out_text(out, first ? "{" : ",{");
    for (size_t k = 0; k < FER_COUNT(rows); k++) {
        if (json) {
            fer_out_printf(out, "%s\"%s\":", k ? "," : "", rows[k].name);
            fer_out_json(out, rows[k].value);
        } else {
            if (k) fer_out_text(out, "\t");
            fer_out_clean(out, rows[k].value);
        }
    }
    fer_out_text(out, json ? "}" : "\n");
}

static fer_code write_site(desk_of *d, const fer_oauth_site *s, bool json, bool *first,
                           fer_err *err)
{
    fer_token_owners all = {0};
    fer_oauth *own, *other;
    fer_code code =
        fer_oauth_desk_client(&d->desk, &d->config, s, &(fer_oauth_options){0}, &own, err);
    if (code) return code;
    write_one(d->app, s, own, json, *first);
    *first = false;
    if (own && d->desk.vault && s->oauth->share)
        code = fer_oauth_owners_list(d->arena, d->desk.vault, s->url, &all, err);
    for (size_t i = 0; !code && i < all.count; i++) {
        code = fer_oauth_new_for(own, &all.list[i], &other, err);
        if (code) break;
        write_one(d->app, s, other, json, false);
        fer_oauth_unref(other);
    }
    fer_oauth_unref(own);
    return code;
}

int fer_run_auth_status(fer_app *app)
{
    desk_of d;
    fer_err err = {0};
    bool json = fer_app_option(app, "json") != NULL, first = true;
    int bad = begin(&d, app);
    if (!bad && json) fer_out_text(&app->out, "{\"servers\":[");
    for (size_t i = 0; !bad && i < d.config.server_count; i++) {
        fer_oauth_site s = fer_oauth_site_of_server(&d.config.servers[i]);
        if (d.config.servers[i].transport == FER_CONFIG_STDIO) continue;
        if (write_site(&d, &s, json, &first, &err)) bad = fer_app_fail(app, &err);
    }
    for (size_t i = 0; !bad && i < d.config.api_count; i++) {
        fer_oauth_site s = fer_oauth_site_of_api(&d.config.apis[i]);
        if (!s.settled && write_site(&d, &s, json, &first, &err)) bad = fer_app_fail(app, &err);
    }
    if (!bad && json) fer_out_text(&app->out, "]}\n");
    end(&d);
    return bad;
}

/* ---- logging out ------------------------------------------------------------------------------
 */

typedef struct goodbye {
    fer_oauth_waiter waiter;
    bool over;
    fer_code code;
    char why[512];
} goodbye;

static void on_done(fer_oauth_waiter *w, fer_code code, const char *why)
{
    goodbye *g = (goodbye *)(void *)((char *)w - offsetof(goodbye, waiter));
    g->over = true;
    g->code = code;
    snprintf(g->why, sizeof g->why, "%s", why ? why : "");
}

/* Tells who gave the token; what came of it is said, and ends nothing. */
static void give_back(desk_of *d, const fer_oauth_site *s, const fer_token_owner *owner)
{
    fer_oauth_options o = {.owner = *owner};
    fer_oauth_info info = {0};
    goodbye g = {.waiter.done = on_done};
    fer_oauth *oauth = NULL;
    fer_err err = {0};
    if (fer_oauth_desk_client(&d->desk, &d->config, s, &o, &oauth, &err)) {
        fer_app_say(d->app, "the authorization server is not told: %s", err.message);
        return;
    }
    if (oauth) fer_oauth_describe(oauth, &info);
    if (info.has_token) {
        fer_oauth_revoke(oauth, &g.waiter);
        while (!g.over) uv_run(&d->loop, UV_RUN_ONCE);
        if (g.code) fer_app_say(d->app, "the token is not revoked: %s", g.why);
        else fer_app_say(d->app, "the token is revoked");
    }
    fer_oauth_unref(oauth);
}

static fer_code forget(desk_of *d, const fer_oauth_site *s, const fer_token_owner *owner,
                       fer_err *err)
{
    fer_str name = fer_token_name(d->arena, s->url, owner);
    if (!name.ptr) return fer_arena_failed(d->arena, err);
    if (!d->desk.vault) return FER_OK;
    fer_code code = fer_vault_remove(d->desk.vault, "token", name, err);
    return code ? code : fer_oauth_owners_note(d->desk.vault, s->url, owner, true, err);
}

int fer_run_auth_logout(fer_app *app)
{
    desk_of d;
    fer_oauth_site s;
    fer_token_owner owner;
    fer_err err = {0};
    int bad = begin(&d, app);
    if (!bad) bad = fer_auth_find(app, &d.config, &s, &owner);
    if (!bad) give_back(&d, &s, &owner);
    if (!bad && forget(&d, &s, &owner, &err)) bad = fer_app_fail(app, &err);
    else if (!bad)
        fer_app_say(app, "no token for %.*s%s%.*s is kept", FER_PRI(s.name),
                    owner.tenant.len ? " of " : "", FER_PRI(owner.tenant));
    end(&d);
    return bad;
}
