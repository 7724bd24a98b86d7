/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flight that gives tokens back (RFC 7009): the issuer's metadata says where -> the refresh
 * token, with which others could be had -> the access token, which many issuers end with it.
 */
#include "errors.h"
#include "json_doc.h"
#include "oauth_parts.h"

/* An issuer may not be able to end an access token, which ends by itself. */
static bool is_revoked(const fer_oauth *o)
{
    fer_flight *f = o->flight;
    fer_json *doc = NULL;
    if (f->code) return false;
    if (f->status == 200) return true;
    if (!f->gave_refresh || fer_json_read(f->arena, fer_buf_view(&f->body), NULL, &doc, NULL))
        return false;
    const yyjson_val *error =
        fer_is_obj(fer_json_root(doc)) ? fer_val_get(fer_json_root(doc), "error") : NULL;
    return fer_is_str(error) && fer_str_is(fer_val_str(error), "unsupported_token_type");
}

static void got_answer(fer_oauth *o)
{
    fer_flight *f = o->flight;
    char why[128];
    snprintf(why, sizeof why, "the authorization server answers %u to who revokes a token",
             f->status);
    if (!is_revoked(o))
        fer_oauth_land(o, f->code ? f->code : FER_BACKEND_UNAVAILABLE,
                       f->code ? f->err.message : why);
    else if (!f->gave_refresh && o->record.refresh.len && o->record.access.len) {
        f->gave_refresh = true;
        fer_oauth_give_back(o);
    } else fer_oauth_land(o, FER_OK, NULL);
}

void fer_oauth_give_back(fer_oauth *o)
{
    fer_flight *f = o->flight;
    const fer_oauth_record *r = &o->record;
    bool refresh = r->refresh.len && !f->gave_refresh;
    fer_buf form;
    if (!f->issuer.revocation.len) {
        fer_oauth_land(o, FER_BACKEND_UNAVAILABLE,
                       "the authorization server has no place where tokens are revoked");
        return;
    }
    f->client = (fer_oauth_client){r->client_id, r->secret, FER_STR(""), r->auth};
    fer_buf_init(&form, f->arena, FER_OAUTH_DOC);
    fer_form_add(&form, "token", refresh ? r->refresh : r->access);
    fer_form_add(&form, "token_type_hint",
                 refresh ? FER_STR("refresh_token") : FER_STR("access_token"));
    fer_oauth_ask_token(o, f->issuer.revocation, &form, &f->client, got_answer);
}
