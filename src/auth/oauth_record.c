/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of servers and issuers, as JSON; and what issuers answer. */
#include "clock.h"
#include "errors.h"
#include "json_doc.h"
#include "oauth_parts.h"

static void add(fer_buf *b, const char *name, fer_str value)
{
    fer_buf_printf(b, "%s\"%s\":", b->len > 1 ? "," : "", name);
    fer_buf_add_quoted(b, value);
}

static fer_str text_of(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_val_get(object, name);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static int64_t number_of(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_val_get(object, name);
    bool whole = v && fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 < (uint64_t)1 << 53;
    return whole ? (int64_t)v->uni.u64 : 0;
}

static fer_client_auth auth_of(const yyjson_val *object, const char *name)
{
    fer_client_auth auth = fer_client_auth_of(text_of(object, name));
    return auth == FER_CLIENT_AUTHS ? FER_CLIENT_NONE : auth;
}

fer_str fer_oauth_record_write(fer_arena *a, const fer_oauth_record *r)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_VAULT_RECORD);
    fer_buf_add_char(&b, '{');
    add(&b, "resource", r->resource);
    add(&b, "issuer", r->issuer);
    add(&b, "tokenUrl", r->token_url);
    add(&b, "clientId", r->client_id);
    add(&b, "clientSecret", r->secret);
    add(&b, "clientAuth", fer_str_of(fer_client_auth_names[r->auth]));
    add(&b, "accessToken", r->access);
    add(&b, "refreshToken", r->refresh);
    add(&b, "scope", r->scope);
    fer_buf_printf(&b, ",\"expiresMs\":%lld,\"lifeMs\":%lld}", (long long)r->expires_ms,
                   (long long)r->life_ms);
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

fer_code fer_oauth_record_read(fer_arena *a, fer_str text, fer_oauth_record *out, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, text, NULL, &doc, err);
    if (code) return code;
    const yyjson_val *r = fer_json_root(doc);
    if (!fer_is_obj(r)) return fer_fail(err, FER_INTEGRITY_BROKEN, "the record is no object");
    *out = (fer_oauth_record){.resource = text_of(r, "resource"),
                              .issuer = text_of(r, "issuer"),
                              .token_url = text_of(r, "tokenUrl"),
                              .client_id = text_of(r, "clientId"),
                              .secret = text_of(r, "clientSecret"),
                              .auth = auth_of(r, "clientAuth"),
                              .access = text_of(r, "accessToken"),
                              .refresh = text_of(r, "refreshToken"),
                              .scope = text_of(r, "scope"),
                              .expires_ms = number_of(r, "expiresMs"),
                              .life_ms = number_of(r, "lifeMs")};
    return FER_OK;
}

fer_str fer_oauth_client_write(fer_arena *a, const fer_oauth_client *c)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_VAULT_RECORD);
    fer_buf_add_char(&b, '{');
    add(&b, "clientId", c->id);
    add(&b, "clientSecret", c->secret);
    add(&b, "redirectUri", c->redirect_uri);
    add(&b, "clientAuth", fer_str_of(fer_client_auth_names[c->auth]));
    fer_buf_add_char(&b, '}');
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

bool fer_oauth_client_read(fer_arena *a, fer_str text, fer_oauth_client *out)
{
    fer_json *doc;
    if (fer_json_read(a, text, NULL, &doc, NULL)) return false;
    const yyjson_val *c = fer_json_root(doc);
    *out = (fer_oauth_client){.id = text_of(c, "clientId"),
                              .secret = text_of(c, "clientSecret"),
                              .redirect_uri = text_of(c, "redirectUri"),
                              .auth = auth_of(c, "clientAuth")};
    return out->id.len > 0;
}

/* ---- answers ----------------------------------------------------------------------------------
 */

static bool is_plain(fer_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] > '~') return false;
    return s.len > 0 && s.len <= FER_OAUTH_TOKEN_MAX;
}

/* The words of an issuer are shown as far as they are words. */
static fer_code refused(const yyjson_val *root, bool *is_over, fer_err *err)
{
    fer_str error = fer_is_obj(root) ? text_of(root, "error") : FER_STR(""),
            text = fer_is_obj(root) ? text_of(root, "error_description") : FER_STR("");
    *is_over = fer_str_is(error, "invalid_grant") || fer_str_is(error, "invalid_client");
    return fer_fail(err, FER_UNAUTHENTICATED, "the authorization server gives no token: %.*s%s%.*s",
                    FER_PRI(error.len ? fer_str_head(error, 60) : FER_STR("no reason")),
                    text.len ? ": " : "", FER_PRI(fer_str_head(text, 200)));
}

fer_code fer_oauth_answer_read(fer_arena *a, unsigned status, fer_str text, fer_oauth_record *out,
                               bool *is_over, fer_err *err)
{
    fer_json *doc = NULL;
    *is_over = false;
    const yyjson_val *root = fer_json_read(a, text, NULL, &doc, NULL) ? NULL : fer_json_root(doc);
    if (status != 200 && status != 201) return refused(root, is_over, err);
    if (!fer_is_obj(root))
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "the authorization server answers with something that is no JSON object");
    fer_str refresh = text_of(root, "refresh_token");
    out->access = text_of(root, "access_token");
    if (refresh.len) out->refresh = refresh; /* else the one before is good on */
    if (!is_plain(out->access) || (out->refresh.len && !is_plain(out->refresh)))
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "the authorization server gave no token that can be shown");
    if (!fer_str_eq_nocase(text_of(root, "token_type"), FER_STR("Bearer")))
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "the authorization server gave a token of a kind that is not known here");
    int64_t seconds = number_of(root, "expires_in");
    out->life_ms = seconds > 0 && seconds < INT64_C(10) * 365 * 86400 ? seconds * 1000 : 0;
    out->expires_ms = out->life_ms ? fer_clock_wall() + out->life_ms : 0;
    return FER_OK;
}
