/* SPDX-License-Identifier: Apache-2.0 */
/* How tokens for a server or an API are got. */
#include "config_parts.h"
#include "oauth_meta.h"

/* Places of the operator's: tokens and secrets are sent there. */
static fer_str take_url(fer_configure *c, const yyjson_val *v, const char *key)
{
    fer_str url = fer_configure_text(v, key);
    const yyjson_val *at = fer_val_get(v, key);
    if (!url.len) return url;
    if (fer_configure_url(c, at, url) && !fer_url_is_safe(url))
        FER_CONFIG_ERROR(c, at, "secrets are not sent without HTTPS, unless to this machine");
    return url;
}

static void take_grant(fer_configure *c, const yyjson_val *v, fer_config_oauth *out)
{
    fer_token_share share = fer_token_share_of(fer_configure_text(v, "tokens"));
    out->machine = fer_str_is(fer_configure_text(v, "grant"), "client_credentials");
    out->share = share == FER_TOKEN_SHARES ? FER_TOKENS_SHARED : share;
    if (out->machine && out->share)
        FER_CONFIG_ERROR(c, fer_val_get(v, "tokens"),
                         "a machine (client_credentials) has one token for all: nobody logs in for "
                         "a tenant");
    if (out->machine && (!out->client_id.len || (!out->secret.len && !out->private_key.len)))
        FER_CONFIG_ERROR(c, v,
                         "a machine (client_credentials) has a \"clientId\", and a "
                         "\"clientSecret\" or a \"privateKey\"");
    if (!out->machine && out->token_url.len && (!out->authorize_url.len || !out->client_id.len))
        FER_CONFIG_ERROR(c, v,
                         "a user who logs in by a \"tokenUrl\" needs an \"authorizationUrl\" and a "
                         "\"clientId\", as nobody is asked for them");
}

/* Client files may have an object of the same name and other members, which are passed over. */
void fer_configure_oauth(fer_configure *c, const yyjson_val *v, fer_config_oauth *out)
{
    if (fer_is_bool(v)) out->off = !fer_is_true(v);
    if (!fer_is_obj(v)) return;
    const yyjson_val *url = fer_val_get(v, "clientMetadataUrl");
    out->given = true;
    out->client_id = fer_configure_text(v, "clientId");
    out->issuer = fer_configure_text(v, "issuer");
    out->metadata_url = fer_configure_text(v, "clientMetadataUrl");
    out->secret = fer_configure_text(v, "clientSecret");
    out->private_key = fer_configure_text(v, "privateKey");
    out->scopes = fer_configure_texts(c, fer_val_get(v, "scopes"), false, &out->scope_count);
    out->callback_port = fer_configure_number(v, "callbackPort");
    out->resource = fer_configure_text(v, "resource");
    out->token_url = take_url(c, v, "tokenUrl");
    out->authorize_url = take_url(c, v, "authorizationUrl");
    out->revoke_url = take_url(c, v, "revocationUrl");
    if (out->metadata_url.len) fer_configure_url(c, url, out->metadata_url);
    take_grant(c, v, out);
}

void fer_configure_share(fer_configure *c, const yyjson_val *oauth, fer_str url,
                         const fer_config_pairs *headers)
{
    const yyjson_val *at = fer_val_get(oauth, "tokens");
    for (size_t i = 0; i < headers->count; i++)
        if (fer_str_eq_nocase(headers->list[i].name, FER_STR("Authorization")))
            FER_CONFIG_ERROR(c, at ? at : oauth,
                             "the header Authorization would be shown for all tenants, and "
                             "\"oauth\" says that each call has a token");
    if (url.len && !fer_url_is_safe(url))
        FER_CONFIG_ERROR(c, at ? at : oauth,
                         "tokens are not sent without HTTPS, unless to this machine");
}
