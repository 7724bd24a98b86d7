/* SPDX-License-Identifier: Apache-2.0 */
#include "jwt.h"

#include "base64url.h"
#include "buf.h"
#include "errors.h"
#include "json_doc.h"

#define NOT_GOOD "the token is not good"
#define NEVER    (INT64_C(1) << 53) /* seconds; later than this is no time */

const struct fer_jwt_fault_row fer_jwt_fault_rows[FER_JWT_FAULTS] = {
    [FER_JWT_GOOD] = {"", ""},
    [FER_JWT_TOO_LARGE] = {"jwt-large", NOT_GOOD},
    [FER_JWT_MALFORMED] = {"jwt-malformed", NOT_GOOD},
    [FER_JWT_ALGORITHM] = {"jwt-algorithm", NOT_GOOD},
    [FER_JWT_CRITICAL] = {"jwt-critical", NOT_GOOD},
    [FER_JWT_STRANGE_ISSUER] = {"jwt-issuer", NOT_GOOD},
    [FER_JWT_UNKNOWN_KEY] = {"jwt-key", NOT_GOOD},
    [FER_JWT_SIGNATURE] = {"jwt-signature", NOT_GOOD},
    [FER_JWT_CLAIMS] = {"jwt-claims", "the token lacks a claim, or has one of another form"},
    [FER_JWT_AUDIENCE] = {"jwt-audience", "the token is not for this server"},
    [FER_JWT_EXPIRED] = {"jwt-expired", "the token has expired"},
    [FER_JWT_EARLY] = {"jwt-early", "the token is not good yet"},
    [FER_JWT_TENANT] = {"jwt-tenant", "nobody is known here by what the token says"},
    [FER_JWT_NO_MEMORY] = {"jwt-memory", NOT_GOOD},
};

/* ---- reading ----------------------------------------------------------------------------------
 */

bool fer_jwt_looks(fer_str text)
{
    size_t dots = 0;
    for (size_t i = 0; i < text.len; i++) dots += text.ptr[i] == '.';
    return dots == 2;
}

/* One part of a token: Base64 of a JSON object. Names that stand twice are refused below. */
static fer_jwt_fault read_part(fer_arena *a, fer_str part, const yyjson_val **out)
{
    static const fer_json_limits limits = {.size = FER_JWT_MAX,
                                           .depth = 16,
                                           .nodes = 2000,
                                           .string = FER_JWT_MAX,
                                           .number = 40,
                                           .exponent = 4,
                                           .members = 200,
                                           .key = 256};
    fer_str json;
    fer_json *doc;
    if (!fer_base64url_read(a, part, &json))
        return json.ptr ? FER_JWT_MALFORMED : FER_JWT_NO_MEMORY;
    fer_code code = fer_json_read(a, json, &limits, &doc, NULL);
    if (code) return code == FER_OUT_OF_MEMORY ? FER_JWT_NO_MEMORY : FER_JWT_MALFORMED;
    *out = fer_json_root(doc);
    return fer_is_obj(*out) ? FER_JWT_GOOD : FER_JWT_MALFORMED;
}

static bool text_is(const yyjson_val *v, const char *const *words)
{
    for (size_t i = 0; fer_is_str(v) && words[i]; i++)
        if (fer_str_eq_nocase(fer_val_str(v), fer_str_of(words[i]))) return true;
    return false;
}

/* `typ` keeps tokens of other uses apart (RFC 8725 3.11). */
static fer_jwt_fault read_header(const yyjson_val *head, fer_jwt *out)
{
    static const char *const critical[] = {"crit", "b64", "zip", "enc", "cty"};
    static const char *const kinds[] = {"JWT", "at+jwt", "application/at+jwt", NULL};
    const yyjson_val *alg = fer_val_get(head, "alg"), *kid = fer_val_get(head, "kid"),
                     *typ = fer_val_get(head, "typ");
    for (size_t i = 0; i < FER_COUNT(critical); i++)
        if (fer_val_get(head, critical[i])) return FER_JWT_CRITICAL;
    if (typ && !text_is(typ, kinds)) return FER_JWT_CRITICAL;
    if (kid && (!fer_is_str(kid) || !fer_val_len(kid) || fer_val_len(kid) > FER_JWT_KID))
        return FER_JWT_MALFORMED;
    out->alg = fer_is_str(alg) ? fer_jose_find(fer_val_str(alg)) : NULL;
    out->kid = kid ? fer_val_str(kid) : FER_STR("");
    return out->alg ? FER_JWT_GOOD : FER_JWT_ALGORITHM;
}

fer_jwt_fault fer_jwt_read(fer_arena *a, fer_str text, fer_jwt *out)
{
    const yyjson_val *head = NULL;
    *out = (fer_jwt){0};
    if (text.len > FER_JWT_MAX) return FER_JWT_TOO_LARGE;
    if (!fer_jwt_looks(text)) return FER_JWT_MALFORMED;
    size_t first = fer_str_find(text, 0, '.'), second = fer_str_find(text, first + 1, '.');
    fer_jwt_fault fault = read_part(a, fer_str_slice(text, 0, first), &head);
    if (!fault) fault = read_header(head, out);
    if (!fault) fault = read_part(a, fer_str_slice(text, first + 1, second), &out->claims);
    if (fault) return fault;
    out->text = fer_str_slice(text, 0, second);
    if (!fer_base64url_read(a, fer_str_slice(text, second + 1, text.len), &out->signature))
        return out->signature.ptr ? FER_JWT_MALFORMED : FER_JWT_NO_MEMORY;
    const yyjson_val *issuer = fer_val_get(out->claims, "iss");
    out->issuer = fer_is_str(issuer) ? fer_val_str(issuer) : FER_STR("");
    return FER_JWT_GOOD;
}

/* ---- checking ---------------------------------------------------------------------------------
 */

/* Without an ID it is the only key that fits, or none: keys are not tried out. */
static fer_jwt_fault check_signature(fer_jwt *t, const fer_jwks *keys)
{
    size_t fitting = 0, known = 0;
    for (size_t i = 0; i < keys->count; i++) {
        const fer_jwk *key = &keys->list[i];
        if (t->kid.len && !fer_str_eq(key->kid, t->kid)) continue;
        known++;
        if (!fer_jwk_fits(key, t->alg)) continue;
        fitting++;
        t->key = key;
    }
    if (!fitting) return t->kid.len && known ? FER_JWT_ALGORITHM : FER_JWT_UNKNOWN_KEY;
    if (fitting > 1) return FER_JWT_UNKNOWN_KEY;
    return fer_jose_verify(t->alg, t->key->key, t->text, t->signature) ? FER_JWT_GOOD
                                                                       : FER_JWT_SIGNATURE;
}

/* Whole seconds since 1970: neither a text nor a fraction (RFC 7519 2 has both kinds of numbers;
 * issuers write whole ones). */
static bool read_time(const fer_jwt *t, const char *claim, int64_t *out)
{
    const yyjson_val *v = fer_val_get(t->claims, claim);
    if (!v) return true;
    if (fer_val_tag(v) != FER_TAG_UINT || v->uni.u64 > (uint64_t)NEVER) return false;
    *out = (int64_t)v->uni.u64;
    return true;
}

static fer_jwt_fault check_times(fer_jwt *t, int64_t leeway, int64_t now)
{
    int64_t expires = -1, from = -1, issued = -1;
    if (!read_time(t, "exp", &expires) || !read_time(t, "nbf", &from) ||
        !read_time(t, "iat", &issued) || expires < 0)
        return FER_JWT_CLAIMS;
    t->expires = expires;
    if (now >= expires + leeway) return FER_JWT_EXPIRED;
    return from > now + leeway || issued > now + leeway ? FER_JWT_EARLY : FER_JWT_GOOD;
}

static bool is_one(const fer_jwt_rules *rules, const yyjson_val *v)
{
    for (size_t i = 0; fer_is_str(v) && i < rules->audience_count; i++)
        if (fer_str_eq(fer_val_str(v), rules->audiences[i])) return true;
    return false;
}

static bool is_for_us(const fer_jwt *t, const fer_jwt_rules *rules)
{
    const yyjson_val *aud = fer_val_get(t->claims, "aud");
    if (!fer_is_arr(aud)) return is_one(rules, aud);
    FER_EACH_ITEM (aud, one)
        if (is_one(rules, one)) return true;
    return false;
}

fer_jwt_fault fer_jwt_check(fer_jwt *t, const fer_jwt_rules *rules, const fer_jwks *keys,
                            int64_t now)
{
    int64_t leeway = rules->leeway > FER_JWT_LEEWAY ? FER_JWT_LEEWAY : rules->leeway;
    if (!t->issuer.len || !fer_str_eq(t->issuer, rules->issuer)) return FER_JWT_STRANGE_ISSUER;
    if (!(rules->algs >> (t->alg - fer_jose_algs) & 1)) return FER_JWT_ALGORITHM;
    fer_jwt_fault fault = check_signature(t, keys);
    if (fault) return fault;
    if (!fer_val_get(t->claims, "aud") || !is_for_us(t, rules)) return FER_JWT_AUDIENCE;
    return check_times(t, leeway, now);
}

fer_str fer_jwt_word(const fer_jwt *t, const char *claim)
{
    const yyjson_val *v = fer_val_get(t->claims, claim);
    if (!fer_is_str(v) || !fer_val_len(v) || fer_val_len(v) > FER_JWT_WORD) return FER_STR_NONE;
    fer_str s = fer_val_str(v);
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7F) return FER_STR_NONE;
    return s;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

fer_code fer_jwt_write(fer_arena *a, const fer_jose_alg *alg, EVP_PKEY *key, fer_str kid,
                       fer_str claims, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_str signature;
    fer_buf_init(&b, a, FER_JWT_MAX);
    fer_buf_printf(&b, "{\"alg\":\"%s\",\"typ\":\"JWT\"", alg->name);
    if (kid.len) {
        fer_buf_add_text(&b, ",\"kid\":");
        fer_buf_add_quoted(&b, kid);
    }
    fer_buf_add_char(&b, '}');
    fer_str head = fer_base64url_write(a, fer_buf_view(&b)), body = fer_base64url_write(a, claims);
    fer_str text = fer_arena_printf(a, "%.*s.%.*s", FER_PRI(head), FER_PRI(body));
    if (b.failure || !head.ptr || !body.ptr || !text.ptr) return fer_arena_failed(a, err);
    fer_code code = fer_jose_sign(a, alg, key, text, &signature, err);
    if (code) return code;
    fer_str last = fer_base64url_write(a, signature);
    *out = fer_arena_printf(a, "%.*s.%.*s", FER_PRI(text), FER_PRI(last));
    return last.ptr && out->ptr ? FER_OK : fer_arena_failed(a, err);
}
