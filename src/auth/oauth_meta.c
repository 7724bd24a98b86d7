/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth_meta.h"

#include "buf.h"
#include "errors.h"
#include "json_doc.h"
#include "net_rules.h"

const char *const fer_client_auth_names[FER_CLIENT_AUTHS] = {
    [FER_CLIENT_NONE] = "none",
    [FER_CLIENT_BASIC] = "client_secret_basic",
    [FER_CLIENT_POST] = "client_secret_post",
    [FER_CLIENT_JWT] = "private_key_jwt",
};

fer_client_auth fer_client_auth_of(fer_str name)
{
    int i = 0;
    while (i < FER_CLIENT_AUTHS && !fer_str_is(name, fer_client_auth_names[i])) i++;
    return (fer_client_auth)i;
}

/* ---- URLs -------------------------------------------------------------------------------------
 */

fer_str fer_url_origin(fer_str url)
{
    size_t at = fer_str_find(url, 0, ':');
    if (at == SIZE_MAX || at + 3 > url.len) return url;
    for (at += 3; at < url.len; at++)
        if (url.ptr[at] == '/' || url.ptr[at] == '?' || url.ptr[at] == '#') break;
    return fer_str_slice(url, 0, at);
}

static bool is_loopback(const fer_net_target *t)
{
    return strcmp(t->host, "localhost") == 0 || strncmp(t->host, "127.", 4) == 0 ||
           strcmp(t->host, "::1") == 0;
}

bool fer_url_is_loopback(fer_str url)
{
    fer_net_target t;
    return !fer_net_target_parse(url, &t, NULL) && is_loopback(&t);
}

bool fer_url_is_safe(fer_str url)
{
    fer_net_target t;
    return !fer_net_target_parse(url, &t, NULL) && (t.secure || is_loopback(&t));
}

/* The path of a URL without its query, and without a slash at its end. */
static fer_str path_of(fer_str url)
{
    fer_str origin = fer_url_origin(url), path = fer_str_slice(url, origin.len, url.len);
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '?' || path.ptr[i] == '#') path = fer_str_slice(path, 0, i);
    if (path.len && path.ptr[path.len - 1] == '/') path.len--;
    return path;
}

bool fer_resource_meta_url(fer_arena *a, fer_str resource, unsigned n, fer_str *out)
{
    fer_str origin = fer_url_origin(resource), path = path_of(resource);
    if (n > (path.len ? 1u : 0u)) return false;
    if (n) path = FER_STR("");
    *out = fer_arena_printf(a, "%.*s/.well-known/oauth-protected-resource%.*s", FER_PRI(origin),
                            FER_PRI(path));
    return out->ptr != NULL;
}

/* RFC 8414 3.1 puts the path behind, OpenID Connect before. */
bool fer_issuer_meta_url(fer_arena *a, fer_str issuer, unsigned n, fer_str *out)
{
    static const struct {
        const char *word;
        bool before; /* the path stands before it */
    } ways[] = {{"/.well-known/oauth-authorization-server", false},
                {"/.well-known/openid-configuration", false},
                {"/.well-known/openid-configuration", true}};
    fer_str origin = fer_url_origin(issuer), path = path_of(issuer);
    if (n >= (path.len ? 3u : 2u)) return false;
    *out = fer_arena_printf(a, "%.*s%.*s%s%.*s", FER_PRI(origin),
                            FER_PRI(ways[n].before ? path : FER_STR("")), ways[n].word,
                            FER_PRI(ways[n].before ? FER_STR("") : path));
    return out->ptr != NULL;
}

/* ---- documents --------------------------------------------------------------------------------
 */

static fer_code open_doc(fer_arena *a, fer_str text, const char *what, const yyjson_val **out,
                         fer_err *err)
{
    fer_json *doc;
    fer_err why = {0};
    if (fer_json_read(a, text, NULL, &doc, &why))
        return fer_fail(err, why.code, "%s is no JSON: %.600s", what, why.message);
    *out = fer_json_root(doc);
    return fer_is_obj(*out) ? FER_OK : fer_fail(err, FER_INVALID_TYPE, "%s is no object", what);
}

static fer_str text_of(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_val_get(object, name);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static bool has_word(const yyjson_val *list, const char *word)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, one)
        if (fer_is_str(one) && fer_str_is(fer_val_str(one), word)) return true;
    return false;
}

/* A list of words with blanks between; NULL: there is none. */
static fer_str join(fer_arena *a, const yyjson_val *list)
{
    fer_buf b;
    if (!fer_is_arr(list)) return FER_STR_NONE;
    fer_buf_init(&b, a, FER_OAUTH_DOC);
    FER_EACH_ITEM (list, one) {
        if (!fer_is_str(one)) continue;
        if (b.len) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, fer_val_str(one));
    }
    return b.len && !b.failure ? fer_buf_view(&b) : FER_STR("");
}

/* The same server, and the resource or something above it. */
static bool is_about(fer_str said, fer_str resource)
{
    fer_net_target one, other;
    fer_str path = path_of(said), own = path_of(resource);
    if (fer_net_target_parse(said, &one, NULL) || fer_net_target_parse(resource, &other, NULL) ||
        !fer_net_target_same(&one, &other) || path.len > own.len)
        return false;
    return fer_str_eq(path, fer_str_slice(own, 0, path.len)) &&
           (path.len == own.len || own.ptr[path.len] == '/');
}

fer_code fer_resource_meta_read(fer_arena *a, fer_str text, fer_str resource,
                                fer_resource_meta *out, fer_err *err)
{
    const yyjson_val *root;
    *out = (fer_resource_meta){0};
    fer_code code = open_doc(a, text, "the metadata of the server", &root, err);
    if (code) return code;
    const yyjson_val *list = fer_val_get(root, "authorization_servers");
    out->resource = text_of(root, "resource");
    out->scopes = join(a, fer_val_get(root, "scopes_supported"));
    if (!is_about(out->resource, resource))
        return fer_fail(err, FER_FORBIDDEN,
                        "the metadata of the server is about another one (%.*s): a token for it "
                        "would be one for somebody else",
                        FER_PRI(fer_str_head(out->resource, 200)));
    if (fer_is_arr(list))
        FER_EACH_ITEM (list, one)
            if (fer_is_str(one) && out->issuer_count < FER_OAUTH_ISSUERS)
                out->issuers[out->issuer_count++] = fer_val_str(one);
    if (out->issuer_count) return FER_OK;
    return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                    "the metadata of the server names nobody who gives tokens");
}

static fer_code check_endpoints(const fer_issuer_meta *m, fer_err *err)
{
    const fer_str all[] = {m->authorize, m->token, m->registration, m->revocation};
    for (size_t i = 0; i < FER_COUNT(all); i++)
        if (all[i].len && !fer_url_is_safe(all[i]))
            return fer_fail(err, FER_FORBIDDEN,
                            "the authorization server names a place without HTTPS");
    if (m->token.len) return FER_OK;
    return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                    "the authorization server does not say where it gives tokens");
}

fer_code fer_issuer_meta_read(fer_arena *a, fer_str text, fer_str issuer, fer_issuer_meta *out,
                              fer_err *err)
{
    const yyjson_val *root, *auths;
    *out = (fer_issuer_meta){0};
    fer_code code = open_doc(a, text, "the metadata of the authorization server", &root, err);
    if (code) return code;
    out->issuer = text_of(root, "issuer");
    if (!fer_str_eq(out->issuer, issuer)) /* RFC 8414 3.3 */
        return fer_fail(err, FER_FORBIDDEN,
                        "the metadata of the authorization server is that of another issuer");
    out->authorize = text_of(root, "authorization_endpoint");
    out->token = text_of(root, "token_endpoint");
    out->registration = text_of(root, "registration_endpoint");
    out->revocation = text_of(root, "revocation_endpoint");
    out->scopes = join(a, fer_val_get(root, "scopes_supported"));
    out->pkce = has_word(fer_val_get(root, "code_challenge_methods_supported"), "S256");
    out->says_iss =
        fer_is_true(fer_val_get(root, "authorization_response_iss_parameter_supported"));
    out->takes_urls = fer_is_true(fer_val_get(root, "client_id_metadata_document_supported"));
    auths = fer_val_get(root, "token_endpoint_auth_methods_supported");
    for (int i = 0; i < FER_CLIENT_AUTHS; i++)
        if (has_word(auths, fer_client_auth_names[i])) out->auths |= 1u << i;
    return check_endpoints(out, err);
}
