/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a flight: the server's metadata -> the issuer's -> refresh, or credentials of a
 * machine, or a registration, the user, a code -> the token. Each step asks one thing and is called
 * again with the answer; fer_oauth_land ends the flight from anywhere.
 */
#include "errors.h"
#include "json_doc.h"
#include "oauth_parts.h"

static void ask_resource(fer_oauth *o);
static void ask_issuer(fer_oauth *o);
static void choose(fer_oauth *o);
static void visit(fer_oauth *o);
static bool is_told(fer_oauth *o);

/* ---- the server's metadata --------------------------------------------------------------------
 */

/* A server of 2025-03-26 has none: it gives its tokens itself. */
static void no_resource(fer_oauth *o)
{
    fer_flight *f = o->flight;
    f->resource = (fer_resource_meta){.resource = o->options.resource,
                                      .issuers = {fer_url_origin(o->options.resource)},
                                      .issuer_count = 1};
    f->guessed = true;
    f->n = 0;
    ask_issuer(o);
}

static void got_resource(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_err err = {0};
    if (f->code || f->status != 200) {
        f->n++;
        ask_resource(o);
        return;
    }
    if (fer_resource_meta_read(f->arena, fer_buf_view(&f->body), o->options.resource, &f->resource,
                               &err)) {
        fer_oauth_land(o, err.code, err.message);
        return;
    }
    f->n = 0;
    ask_issuer(o);
}

/* What the server names counts before what can be guessed. */
static void ask_resource(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_str url;
    unsigned n = f->n - (f->metadata_url.len ? 1 : 0);
    if (!f->n && f->metadata_url.len) url = f->metadata_url;
    else if (!fer_resource_meta_url(f->arena, o->options.resource, n, &url)) {
        no_resource(o);
        return;
    }
    fer_oauth_ask(o, url, FER_STR_NONE, NULL, FER_STR(""), got_resource);
}

/* ---- the issuer's -----------------------------------------------------------------------------
 */

/* The one that we are registered with, where that is said; else the one that gave the last token;
 * else the first. */
static fer_str choose_issuer(const fer_oauth *o)
{
    const fer_resource_meta *m = &o->flight->resource;
    const fer_str wanted[] = {o->options.issuer, o->record_arena ? o->record.issuer : FER_STR("")};
    for (size_t k = 0; k < FER_COUNT(wanted); k++)
        for (size_t i = 0; wanted[k].len && i < m->issuer_count; i++)
            if (fer_str_eq(m->issuers[i], wanted[k])) return m->issuers[i];
    return m->issuers[0];
}

static void got_issuer(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_err err = {0};
    if (f->code || f->status != 200) {
        f->n++;
        ask_issuer(o);
        return;
    }
    if (fer_issuer_meta_read(f->arena, fer_buf_view(&f->body), choose_issuer(o), &f->issuer, &err))
        fer_oauth_land(o, err.code, err.message);
    else choose(o);
}

/* A server without metadata that is no issuer either takes tokens that somebody else gives. */
static void no_issuer(fer_oauth *o)
{
    if (o->flight->guessed)
        fer_oauth_land(o, FER_UNAUTHENTICATED,
                       "the server answers 401 and names nobody who gives tokens for it: show one "
                       "that you have (--token, or headers in the configuration)");
    else
        fer_oauth_land(o, FER_BACKEND_UNAVAILABLE,
                       "the authorization server has no metadata that can be read");
}

static void ask_issuer(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_str url;
    if (!fer_url_is_safe(choose_issuer(o)))
        fer_oauth_land(o, FER_FORBIDDEN, "the server names an authorization server without HTTPS");
    else if (!fer_issuer_meta_url(f->arena, choose_issuer(o), f->n, &url)) no_issuer(o);
    else fer_oauth_ask(o, url, FER_STR_NONE, NULL, FER_STR(""), got_issuer);
}

/* ---- the token --------------------------------------------------------------------------------
 */

static void begin_form(fer_oauth *o, fer_buf *b, const char *grant)
{
    fer_buf_init(b, o->flight->arena, FER_OAUTH_DOC);
    fer_form_add(b, "grant_type", fer_str_of(grant));
}

static void keep(fer_oauth *o, fer_oauth_record *r)
{
    fer_flight *f = o->flight;
    fer_err err = {0};
    r->resource = f->resource.resource;
    r->issuer = f->issuer.issuer;
    r->token_url = f->issuer.token;
    r->client_id = f->client.id;
    r->secret = f->client.secret;
    r->auth = f->client.auth;
    if (!f->refreshing) r->scope = f->asked_scope;
    if (fer_oauth_take(o, r, &err)) fer_oauth_land(o, err.code, err.message);
    else fer_oauth_land_kept(o);
}

static void got_token(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_oauth_record r = f->refreshing ? o->record : (fer_oauth_record){.refresh = FER_STR("")};
    bool over = false;
    fer_err err = f->err;
    fer_code code = f->code ? f->code
                            : fer_oauth_answer_read(f->arena, f->status, fer_buf_view(&f->body), &r,
                                                    &over, &err);
    if (!code) {
        keep(o, &r);
        return;
    }
    if (f->refreshing && over && o->options.visit) { /* the user is asked again */
        f->refreshing = false;
        if (f->issuer.authorize.len) choose(o);
        else if (!is_told(o)) {
            f->n = 0;
            ask_resource(o);
        }
        return;
    }
    fer_oauth_land(o, code, err.message);
}

static void ask_refreshed(fer_oauth *o)
{
    fer_flight *f = o->flight;
    const fer_oauth_record *r = &o->record;
    fer_buf form;
    f->resource.resource = r->resource;
    f->issuer.issuer = r->issuer;
    f->issuer.token = r->token_url;
    f->client = (fer_oauth_client){r->client_id, r->secret, FER_STR(""), r->auth};
    begin_form(o, &form, "refresh_token");
    fer_form_add(&form, "refresh_token", r->refresh);
    fer_form_add(&form, "resource", r->resource);
    fer_oauth_ask_token(o, r->token_url, &form, &f->client, got_token);
}

/* A refresh token is often good for one use: two processes do not use one at the same moment. */
static void refresh(fer_oauth *o)
{
    o->flight->refreshing = o->flight->refreshed = true;
    fer_oauth_take_turn(o, ask_refreshed);
}

static void ask_as_machine(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_buf form;
    begin_form(o, &form, "client_credentials");
    fer_form_add(&form, "scope", f->asked_scope);
    fer_form_add(&form, "resource", f->resource.resource);
    fer_oauth_ask_token(o, f->issuer.token, &form, &f->client, got_token);
}

/* ---- who we are -------------------------------------------------------------------------------
 */

/* How to show it, of what the issuer takes: RFC 8414 says Basic where it does not say. */
static fer_client_auth auth_for(const fer_oauth *o, bool secret)
{
    unsigned takes = o->flight->issuer.auths;
    if (o->key) return FER_CLIENT_JWT;
    if (!secret) return FER_CLIENT_NONE;
    if (!takes || takes & 1u << FER_CLIENT_BASIC) return FER_CLIENT_BASIC;
    return takes & 1u << FER_CLIENT_POST ? FER_CLIENT_POST : FER_CLIENT_BASIC;
}

/* A registration of an earlier run, with this issuer and for the same place to come back to. */
static bool was_registered(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_str text = FER_STR_NONE;
    if (o->options.vault &&
        !fer_vault_get(f->arena, o->options.vault, "client", f->issuer.issuer, &text, NULL) &&
        text.ptr && fer_oauth_client_read(f->arena, text, &f->client) &&
        fer_str_eq(f->client.redirect_uri, o->options.redirect_uri))
        return true;
    const fer_oauth_record *r = &o->record;
    if (!o->record_arena || o->options.vault || !fer_str_eq(r->issuer, f->issuer.issuer))
        return false;
    f->client = (fer_oauth_client){r->client_id, r->secret, o->options.redirect_uri, r->auth};
    return r->client_id.len > 0;
}

static void got_registration(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_json *doc = NULL;
    if (f->code) {
        fer_oauth_land(o, f->code, f->err.message);
        return;
    }
    const yyjson_val *root = fer_json_read(f->arena, fer_buf_view(&f->body), NULL, &doc, NULL)
                                 ? NULL
                                 : fer_json_root(doc);
    const yyjson_val *id = fer_is_obj(root) ? fer_val_get(root, "client_id") : NULL;
    if ((f->status != 200 && f->status != 201) || !fer_is_str(id) || !fer_val_len(id)) {
        fer_oauth_land(o, FER_UNAUTHENTICATED, "the authorization server does not register us");
        return;
    }
    const yyjson_val *secret = fer_val_get(root, "client_secret"),
                     *auth = fer_val_get(root, "token_endpoint_auth_method");
    f->client = (fer_oauth_client){.id = fer_val_str(id),
                                   .secret = fer_is_str(secret) ? fer_val_str(secret) : FER_STR(""),
                                   .redirect_uri = o->options.redirect_uri};
    fer_client_auth said =
        fer_is_str(auth) ? fer_client_auth_of(fer_val_str(auth)) : FER_CLIENT_AUTHS;
    f->client.auth = said < FER_CLIENT_JWT ? said : auth_for(o, f->client.secret.len > 0);
    fer_str text = fer_oauth_client_write(f->arena, &f->client);
    if (o->options.vault && text.ptr)
        fer_vault_put(o->options.vault, "client", f->issuer.issuer, text, NULL);
    visit(o);
}

/* A native application with a user at this machine (OpenID Connect Registration 2,
 * application_type).
 */
static void register_us(fer_oauth *o)
{
    fer_flight *f = o->flight;
    unsigned takes = f->issuer.auths;
    fer_client_auth auth = takes & 1u << FER_CLIENT_NONE    ? FER_CLIENT_NONE
                           : takes & 1u << FER_CLIENT_BASIC ? FER_CLIENT_BASIC
                           : takes & 1u << FER_CLIENT_POST  ? FER_CLIENT_POST
                                                            : FER_CLIENT_BASIC;
    fer_buf b;
    fer_buf_init(&b, f->arena, FER_OAUTH_DOC);
    fer_buf_add_text(&b, "{\"client_name\":\"Ferrule\",\"application_type\":\"native\","
                         "\"grant_types\":[\"authorization_code\",\"refresh_token\"],"
                         "\"response_types\":[\"code\"],\"redirect_uris\":[");
    fer_buf_add_quoted(&b, o->options.redirect_uri);
    fer_buf_printf(&b, "],\"token_endpoint_auth_method\":\"%s\"", fer_client_auth_names[auth]);
    if (f->asked_scope.len) {
        fer_buf_add_text(&b, ",\"scope\":");
        fer_buf_add_quoted(&b, f->asked_scope);
    }
    fer_buf_add_char(&b, '}');
    fer_oauth_ask(o, f->issuer.registration, fer_buf_view(&b), "application/json", FER_STR(""),
                  got_registration);
}

/* A document about us, a registration that the operator has made, or one of our own. */
static void introduce(fer_oauth *o)
{
    fer_flight *f = o->flight;
    const fer_oauth_options *p = &o->options;
    bool ours = p->client_id.len && (!p->issuer.len || fer_str_eq(p->issuer, f->issuer.issuer));
    if (p->token_url.len && !f->issuer.authorize.len)
        fer_oauth_land(o, FER_BAD_USAGE,
                       "nobody can log in there: oauth.authorizationUrl is not configured");
    else if (!f->issuer.authorize.len || !f->issuer.pkce)
        fer_oauth_land(o, FER_FORBIDDEN,
                       "the authorization server does not say that it takes PKCE with S256, "
                       "without which a code could be stolen");
    else if (p->metadata_url.len && f->issuer.takes_urls) {
        f->client = (fer_oauth_client){
            .id = p->metadata_url, .secret = FER_STR(""), .redirect_uri = p->redirect_uri};
        visit(o);
    } else if (ours) {
        f->client = (fer_oauth_client){p->client_id, p->secret, p->redirect_uri,
                                       auth_for(o, p->secret.len > 0)};
        visit(o);
    } else if (was_registered(o)) visit(o);
    else if (f->issuer.registration.len) register_us(o);
    else
        fer_oauth_land(o, FER_UNAUTHENTICATED,
                       "the authorization server registers nobody by itself: register there and "
                       "name oauth.clientId in the configuration");
}

/* ---- the user ---------------------------------------------------------------------------------
 */

static void visit(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_str shown;
    fer_buf b;
    if (!fer_oauth_secret(f->state) || !fer_oauth_secret(f->verifier) ||
        !fer_oauth_shown(f->arena, f->verifier, &shown)) {
        fer_oauth_land(o, FER_IO_ERROR, "the system has no randomness");
        return;
    }
    fer_buf_init(&b, f->arena, FER_NET_URL_MAX);
    fer_buf_add(&b, f->issuer.authorize);
    bool query = fer_str_find(f->issuer.authorize, 0, '?') != SIZE_MAX;
    fer_buf_add_char(&b, query ? '&' : '?');
    fer_form_add(&b, "response_type", FER_STR("code"));
    fer_form_add(&b, "client_id", f->client.id);
    fer_form_add(&b, "redirect_uri", o->options.redirect_uri);
    fer_form_add(&b, "code_challenge", shown);
    fer_form_add(&b, "code_challenge_method", FER_STR("S256"));
    fer_form_add(&b, "state", fer_str_of(f->state));
    fer_form_add(&b, "scope", f->asked_scope);
    fer_form_add(&b, "resource", f->resource.resource);
    if (b.failure || fer_oauth_is_starved(f)) {
        fer_oauth_land(o, FER_LIMIT_EXCEEDED, "the URL for the user is too long (net.url)");
        return;
    }
    f->visiting = true;
    o->options.visit(o->options.context, fer_buf_view(&b));
}

static const char *check_return(fer_flight *f, fer_str query, fer_str *code)
{
    fer_str state = fer_form_get(f->arena, query, "state"),
            issuer = fer_form_get(f->arena, query, "iss"),
            error = fer_form_get(f->arena, query, "error");
    *code = fer_form_get(f->arena, query, "code");
    if (!state.ptr || !fer_str_is(state, f->state))
        return "what came back does not belong to what was asked (state)";
    if (f->unnamed) issuer = FER_STR_NONE;
    if (issuer.ptr ? !fer_str_eq(issuer, f->issuer.issuer) : f->issuer.says_iss) /* RFC 9207 2.4 */
        return "what came back is not from the authorization server that was asked (iss)";
    if (error.len) return "the authorization server, or its user, said no";
    return code->len ? NULL : "what came back has no code";
}

bool fer_oauth_redirected(fer_oauth *o, fer_str query)
{
    fer_flight *f = o->flight;
    fer_str code;
    fer_buf form;
    if (!f || !f->visiting) return false;
    const char *wrong = check_return(f, query, &code);
    f->visiting = false;
    if (wrong) {
        fer_oauth_land(o, FER_UNAUTHENTICATED, wrong);
        return true;
    }
    begin_form(o, &form, "authorization_code");
    fer_form_add(&form, "code", code);
    fer_form_add(&form, "redirect_uri", o->options.redirect_uri);
    fer_form_add(&form, "code_verifier", fer_str_of(f->verifier));
    fer_form_add(&form, "resource", f->resource.resource);
    fer_oauth_ask_token(o, f->issuer.token, &form, &f->client, got_token);
    return true;
}

/* ---- which way --------------------------------------------------------------------------------
 */

/* What the challenge names; else all that the server has; more each time, where it wants more. */
static bool choose_scope(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_str scope = f->scope.ptr             ? f->scope
                    : f->resource.scopes.ptr ? f->resource.scopes
                                             : FER_STR("");
    scope = fer_scope_union(f->arena, o->options.scopes, scope);
    if (scope.ptr && f->stepping_up && o->record_arena)
        scope = fer_scope_union(f->arena, o->record.scope, scope);
    bool offline = !o->options.machine && f->issuer.scopes.ptr &&
                   fer_scope_has(f->issuer.scopes, FER_STR("offline_access"));
    if (scope.ptr && offline) scope = fer_scope_union(f->arena, scope, FER_STR("offline_access"));
    f->asked_scope = scope;
    return scope.ptr != NULL;
}

static void choose(fer_oauth *o)
{
    fer_flight *f = o->flight;
    const fer_oauth_options *p = &o->options;
    bool same = o->record_arena && fer_str_eq(o->record.issuer, f->issuer.issuer);
    if (f->revoking) {
        fer_oauth_give_back(o);
        return;
    }
    if (!choose_scope(o)) {
        fer_oauth_land(o, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    if (p->machine) {
        f->client = (fer_oauth_client){p->client_id, p->secret, FER_STR(""),
                                       auth_for(o, p->secret.len > 0)};
        if (p->issuer.len && !fer_str_eq(p->issuer, f->issuer.issuer))
            fer_oauth_land(o, FER_FORBIDDEN,
                           "the server names another authorization server than the one that we are "
                           "registered with (oauth.issuer)");
        else ask_as_machine(o);
    } else if (same && o->record.refresh.len && !f->stepping_up && !f->refreshed) refresh(o);
    else if (!p->visit) fer_oauth_land(o, FER_UNAUTHENTICATED, NULL);
    else introduce(o);
}

/* The operator has said who gives tokens: nobody is asked for that. False: he has not. */
static bool is_told(fer_oauth *o)
{
    fer_flight *f = o->flight;
    const fer_oauth_options *p = &o->options;
    if (!p->token_url.len && !(p->api && p->issuer.len)) return false;
    f->unnamed = !p->issuer.len;
    f->resource = (fer_resource_meta){
        .resource = p->api ? p->indicator : p->resource, .issuers = {p->issuer}, .issuer_count = 1};
    if (!p->token_url.len) {
        ask_issuer(o);
        return true;
    }
    f->issuer = (fer_issuer_meta){
        .issuer = f->unnamed ? fer_url_origin(p->token_url) : p->issuer,
        .authorize = p->authorize_url,
        .token = p->token_url,
        .registration = FER_STR(""),
        .revocation = p->revoke_url,
        .pkce = true}; /* S256 is shown; what it is worth there is the operator's */
    choose(o);
    return true;
}

/* What the server wants is in its challenge. */
static void take_challenge(fer_flight *f, const fer_challenge *c)
{
    if (c->scope.ptr) f->scope = fer_arena_copy(f->arena, c->scope);
    if (c->metadata.ptr) f->metadata_url = fer_arena_copy(f->arena, c->metadata);
}

/* Nobody was refused yet: a request without a token shows what is wanted. */
static void got_probe(fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_challenge c;
    if (f->challenge.len && fer_challenge_read(f->arena, f->challenge, &c)) take_challenge(f, &c);
    ask_resource(o);
}

/* Who else refreshes the token meanwhile would put it back, or have one that nobody revokes. */
static void begin_to_revoke(fer_oauth *o)
{
    fer_flight *f = o->flight;
    if (is_told(o)) return;
    f->resource.issuers[0] = o->record.issuer;
    f->resource.issuer_count = 1;
    ask_issuer(o);
}

void fer_oauth_begin(fer_oauth *o, fer_flight_kind kind, const fer_challenge *c)
{
    fer_flight *f = o->flight;
    f->stepping_up = kind == FER_FLIGHT_STEP_UP;
    f->early = kind == FER_FLIGHT_REFRESH;
    f->logging_in = kind == FER_FLIGHT_LOGIN;
    f->refreshed = f->logging_in; /* what there is counts for nothing */
    f->scope = FER_STR_NONE;
    f->metadata_url = FER_STR("");
    f->revoking = kind == FER_FLIGHT_REVOKE;
    if (c) take_challenge(f, c);
    if (f->early) refresh(o);
    else if (f->revoking) fer_oauth_take_turn(o, begin_to_revoke);
    else if (is_told(o)) return;
    else if (f->logging_in)
        fer_oauth_ask(o, o->options.resource, FER_STR_NONE, NULL, FER_STR(""), got_probe);
    else ask_resource(o);
}
