/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth_desk.h"

#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "file.h"
#include "secret.h"
#include "station_parts.h"

#define KEY_MAX 65536 /* bytes of a private key's file */

/* ---- the vault --------------------------------------------------------------------------------
 */

static fer_str folder_of(fer_arena *a, const fer_config *c)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (c->state.len) return fer_arena_printf(a, "%.*s/auth", FER_PRI(c->state));
    if (state && state[0] == '/') return fer_arena_printf(a, "%s/ferrule/auth", state);
    if (home && home[0] == '/') return fer_arena_printf(a, "%s/.local/state/ferrule/auth", home);
    return FER_STR_NONE;
}

static fer_code open_rules(fer_oauth_desk *d, uv_loop_t *loop, fer_err *err)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
    fer_code code = FER_OK;
    for (int i = 0; i < 2; i++) {
        d->rules[i] = fer_net_rules_new();
        fer_http_options asking = {.rules = d->rules[i]};
        d->http[i] = d->rules[i] ? fer_http_new(loop, &asking) : NULL;
        if (!d->http[i]) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    for (size_t i = 0; !code && i < FER_COUNT(own); i++)
        code = fer_net_rules_allow(d->rules[1], fer_str_of(own[i]), err);
    return code;
}

fer_code fer_oauth_desk_open(fer_oauth_desk *d, uv_loop_t *loop, const fer_config *c, fer_err *err)
{
    *d = (fer_oauth_desk){.arena = fer_arena_new(0)};
    fer_str folder = d->arena ? folder_of(d->arena, c) : FER_STR_NONE;
    if (folder.ptr) d->vault = fer_vault_new(folder.ptr);
    fer_code code = d->arena && (!folder.ptr || d->vault)
                        ? open_rules(d, loop, err)
                        : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) fer_oauth_desk_close(d);
    return code;
}

void fer_oauth_desk_close(fer_oauth_desk *d)
{
    for (int i = 0; i < 2; i++) {
        if (d->http[i]) fer_http_close(d->http[i]);
        fer_net_rules_free(d->rules[i]);
    }
    fer_vault_free(d->vault);
    fer_arena_free(d->arena);
    *d = (fer_oauth_desk){0};
}

/* ---- clients ----------------------------------------------------------------------------------
 */

static bool has_credentials(const fer_config_server *s)
{
    for (size_t i = 0; i < s->headers.count; i++)
        if (fer_str_eq_nocase(s->headers.list[i].name, FER_STR("Authorization"))) return true;
    return false;
}

fer_oauth_site fer_oauth_site_of_server(const fer_config_server *s)
{
    return (fer_oauth_site){s->name, s->url, &s->oauth,
                            s->transport == FER_CONFIG_STDIO || has_credentials(s), false};
}

fer_oauth_site fer_oauth_site_of_api(const fer_config_api *a)
{
    return (fer_oauth_site){a->name, a->base_url, &a->oauth, !a->oauth.given, true};
}

/* What the operator has written may be asked, wherever it is. */
static fer_code allow(fer_net_rules *rules, const fer_oauth_site *site, fer_err *err)
{
    const fer_config_oauth *w = site->oauth;
    const fer_str all[] = {site->url, w->token_url, w->revoke_url,
                           site->api ? w->issuer : w->token_url};
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < FER_COUNT(all); i++)
        if (all[i].len) code = fer_net_rules_allow_url(rules, all[i], err);
    return code;
}

/* A key has many lines, which other secrets do not. */
static fer_code read_key(fer_arena *a, const fer_config *c, fer_str reference, fer_str *out,
                         fer_err *err)
{
    fer_str path = fer_str_slice(reference, sizeof "secretref:file:" - 1, reference.len);
    if (!fer_str_starts(reference, "secretref:file:"))
        return fer_secret_resolve(a, reference, fer_config_folder(c), out, err);
    fer_str whole =
        path.ptr[0] == '/'
            ? fer_arena_copy(a, path)
            : fer_arena_printf(a, "%.*s/%.*s", FER_PRI(fer_config_folder(c)), FER_PRI(path));
    return whole.ptr ? fer_file_read(a, whole.ptr, KEY_MAX, out, err) : fer_arena_failed(a, err);
}

static fer_str join(fer_arena *a, const fer_str *list, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < count; i++) {
        if (i) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, list[i]);
    }
    return b.len && !b.failure ? fer_buf_view(&b) : FER_STR("");
}

fer_code fer_oauth_desk_client(fer_oauth_desk *d, const fer_config *c, const fer_oauth_site *site,
                               const fer_oauth_options *more, fer_oauth **out, fer_err *err)
{
    const fer_config_oauth *w = site->oauth;
    bool here = fer_url_is_loopback(site->url);
    fer_oauth_options o = *more;
    fer_arena *a;
    *out = NULL;
    if (site->settled || w->off) return FER_OK;
    if (!fer_url_is_safe(site->url)) return FER_OK; /* tokens are not sent without HTTPS */
    a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    o.http = d->http[here ? 1 : 0];
    o.resource = site->url;
    o.client_id = w->client_id;
    o.issuer = w->issuer;
    o.metadata_url = w->metadata_url;
    o.machine = w->machine;
    o.vault = w->machine ? NULL : d->vault;
    o.scopes = join(a, w->scopes, w->scope_count);
    o.login = w->machine ? FER_STR("")
                         : fer_arena_printf(a, "ferrule auth login %.*s", FER_PRI(site->name));
    o.api = site->api;
    o.indicator = w->resource;
    o.token_url = w->token_url;
    o.authorize_url = w->authorize_url;
    o.revoke_url = w->revoke_url;
    fer_code code = allow(d->rules[here ? 1 : 0], site, err);
    if (!code && w->secret.len)
        code = fer_secret_resolve(a, w->secret, fer_config_folder(c), &o.secret, err);
    if (!code && w->private_key.len) code = read_key(a, c, w->private_key, &o.private_key, err);
    if (!code) code = fer_oauth_new(&o, out, err);
    fer_arena_free(a);
    return code;
}

/* Nobody is here who could open a URL: tokens are those of ferrule auth login, or of a machine. */
fer_code fer_oauth_desk_pool(fer_oauth_desk *d, const fer_config *c, const fer_oauth_site *site,
                             fer_oauth_pool **out, fer_err *err)
{
    fer_oauth *own;
    *out = NULL;
    fer_code code = fer_oauth_desk_client(d, c, site, &(fer_oauth_options){0}, &own, err);
    return code || !own ? code : fer_oauth_pool_new(own, site->oauth->share, out, err);
}
