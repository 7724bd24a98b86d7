/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of an OAuth client, one at a time. */
#include "base64url.h"
#include "clock.h"
#include "errors.h"
#include "jwt.h"
#include "oauth_parts.h"

#define MS INT64_C(1000000) /* ns */

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    fer_oauth *o = context;
    (void)call;
    if (!o->flight) return;
    o->flight->status = head->status;
    fer_str challenge = fer_http_head_get(head, "WWW-Authenticate");
    if (head->status == 401 && challenge.len) /* without memory the flight is starved */
        o->flight->challenge = fer_arena_copy(o->flight->arena, challenge);
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    fer_oauth *o = context;
    (void)call;
    if (o->flight) fer_buf_add(&o->flight->body, piece);
}

static void on_end(void *context, const fer_http_end *end)
{
    fer_oauth *o = context;
    fer_flight *f = o->flight;
    if (!f) return;
    f->call = NULL;
    if (o->closing) {
        fer_oauth_destroy(o);
        return;
    }
    f->code = end->err->code;
    f->err = *end->err;
    if (!f->code) f->code = fer_buf_code(&f->body, &f->err);
    if (f->code == FER_OUT_OF_MEMORY) fer_oauth_land(o, f->code, f->err.message); /* no answer */
    else f->step(o);
}

void fer_oauth_ask(fer_oauth *o, fer_str url, fer_str body, const char *media_type,
                   fer_str authorization, void (*step)(fer_oauth *o))
{
    fer_flight *f = o->flight;
    const fer_http_events events = {on_head, on_body, on_end, o};
    fer_http_field fields[3] = {{FER_STR("Accept"), FER_STR("application/json")}};
    size_t count = 1;
    fer_err err = {0};
    if (media_type)
        fields[count++] = (fer_http_field){FER_STR("Content-Type"), fer_str_of(media_type)};
    if (authorization.len)
        fields[count++] = (fer_http_field){FER_STR("Authorization"), authorization};
    fer_http_request r = {.url = url,
                          .fields = fields,
                          .field_count = count,
                          .body = body,
                          .deadline_ns = fer_clock_mono() + o->options.ask_ms * MS,
                          .body_max = FER_OAUTH_DOC};
    if (fer_oauth_is_starved(f)) {
        fer_oauth_land(o, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    f->status = 0;
    f->step = step;
    fer_buf_init(&f->body, f->arena, FER_OAUTH_DOC);
    if (fer_http_start(o->options.http, &r, &events, &f->call, &err))
        fer_oauth_land(o, err.code, err.message);
}

/* ---- who we are -------------------------------------------------------------------------------
 */

/* RFC 6749 2.3.1: both halves are encoded as in a form. */
static fer_str basic_of(fer_arena *a, const fer_oauth_client *c)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_OAUTH_DOC);
    fer_form_add(&b, "", c->id);
    size_t from = b.len ? 1 : 0; /* behind the = */
    fer_buf pair;
    fer_buf_init(&pair, a, FER_OAUTH_DOC);
    fer_form_add(&pair, "", c->secret);
    if (b.failure || pair.failure) return FER_STR_NONE;
    fer_str both =
        fer_arena_printf(a, "%.*s:%.*s", FER_PRI(fer_str_slice(fer_buf_view(&b), from, b.len)),
                         FER_PRI(fer_str_slice(fer_buf_view(&pair), pair.len ? 1 : 0, pair.len)));
    fer_str text = both.ptr ? fer_base64_write(a, both) : FER_STR_NONE;
    return text.ptr ? fer_arena_printf(a, "Basic %.*s", FER_PRI(text)) : FER_STR_NONE;
}

/* A token that we sign ourselves (RFC 7523 2.2), for this issuer, good for a minute. */
static fer_code assertion_of(fer_oauth *o, const fer_oauth_client *c, fer_str *out, fer_err *err)
{
    fer_arena *a = o->flight->arena;
    char jti[FER_OAUTH_SECRET];
    long long now = (long long)(fer_clock_wall() / 1000);
    fer_buf b;
    if (!fer_oauth_secret(jti)) return fer_fail(err, FER_IO_ERROR, "the system has no randomness");
    fer_buf_init(&b, a, FER_JWT_MAX);
    fer_buf_add_text(&b, "{\"iss\":");
    fer_buf_add_quoted(&b, c->id);
    fer_buf_add_text(&b, ",\"sub\":");
    fer_buf_add_quoted(&b, c->id);
    fer_buf_add_text(&b, ",\"aud\":");
    fer_buf_add_quoted(&b, o->flight->issuer.issuer);
    fer_buf_printf(&b, ",\"jti\":\"%s\",\"iat\":%lld,\"exp\":%lld}", jti, now, now + 60);
    fer_code code = fer_buf_code(&b, err);
    return code ? code : fer_jwt_write(a, o->alg, o->key, FER_STR(""), fer_buf_view(&b), out, err);
}

void fer_oauth_ask_token(fer_oauth *o, fer_str url, fer_buf *form, const fer_oauth_client *client,
                         void (*step)(fer_oauth *o))
{
    fer_arena *a = o->flight->arena;
    fer_str shown = FER_STR(""), assertion = FER_STR("");
    fer_err err = {0};
    fer_code code = FER_OK;
    if (client->auth == FER_CLIENT_JWT && !o->key) {
        code = fer_fail(&err, FER_BAD_USAGE,
                        "the token was got with a key that is not configured any more "
                        "(oauth.privateKey)");
    } else if (client->auth == FER_CLIENT_JWT) {
        code = assertion_of(o, client, &assertion, &err);
        fer_form_add(form, "client_assertion_type",
                     FER_STR("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"));
        fer_form_add(form, "client_assertion", assertion);
    } else if (client->auth == FER_CLIENT_BASIC) {
        shown = basic_of(a, client);
        if (!shown.ptr) code = fer_arena_failed(a, &err);
    } else {
        fer_form_add(form, "client_id", client->id);
        if (client->auth == FER_CLIENT_POST) fer_form_add(form, "client_secret", client->secret);
    }
    if (!code) code = fer_buf_code(form, &err);
    if (code) fer_oauth_land(o, code, err.message);
    else
        fer_oauth_ask(o, url, fer_buf_view(form), "application/x-www-form-urlencoded", shown, step);
}
