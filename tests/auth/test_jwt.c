/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens and keys: their times at the second (F63), their limits, and memory that is refused. The
 * table of what is refused over HTTP is tests/serve/access.py, with tokens that others sign. */
#include "jwt.h"

#include "base64url.h"
#include "buf.h"
#include "identity.h"
#include "rows.h"

#define NOW    1800000000
#define ISSUER "https://login.example"
#define US     "https://gateway.example/mcp"

static const fer_str audience = {US, sizeof US - 1};
static const fer_jwt_rules rules = {.issuer = {ISSUER, sizeof ISSUER - 1},
                                    .audiences = &audience,
                                    .audience_count = 1,
                                    .algs = ~0u};

/* ---- a key ------------------------------------------------------------------------------------
 */

typedef struct rig {
    fer_arena *a;
    EVP_PKEY *key;
    fer_jwks keys;
} rig;

static fer_str set_of(fer_arena *a, EVP_PKEY *key, size_t copies)
{
    unsigned char raw[32];
    size_t len = sizeof raw;
    fer_buf b;
    assert_int_equal(EVP_PKEY_get_raw_public_key(key, raw, &len), 1);
    fer_str x = fer_base64url_write(a, (fer_str){(char *)raw, len});
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"keys\":[");
    for (size_t i = 0; i < copies; i++)
        fer_buf_printf(&b,
                       "%s{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k%zu\",\"x\":\"%.*s\"}",
                       i ? "," : "", i, FER_PRI(x));
    fer_buf_add_text(&b, "]}");
    return fer_buf_view(&b);
}

static rig begin(void)
{
    rig r = {.a = fer_arena_new(0), .key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")};
    assert_non_null(r.a);
    assert_int_equal(fer_jwks_read(r.a, set_of(r.a, r.key, 1), &r.keys, NULL), FER_OK);
    return r;
}

static void end(rig *r)
{
    EVP_PKEY_free(r->key);
    fer_arena_free(r->a);
}

static fer_str sign(const rig *r, const char *kid, fer_str claims)
{
    fer_str token;
    assert_int_equal(fer_jwt_write(r->a, fer_jose_find(FER_STR("EdDSA")), r->key, fer_str_of(kid),
                                   claims, &token, NULL),
                     FER_OK);
    return token;
}

static fer_jwt_fault check(const rig *r, fer_str token, int64_t leeway, int64_t now)
{
    fer_jwt t;
    fer_jwt_rules own = rules;
    own.leeway = leeway;
    fer_jwt_fault fault = fer_jwt_read(r->a, token, &t);
    return fault ? fault : fer_jwt_check(&t, &own, &r->keys, now);
}

/* ---- times ------------------------------------------------------------------------------------
 */

static const struct time_row {
    const char *name;
    const char *claims; /* beside issuer and audience; %d is NOW */
    int64_t leeway, now;
    fer_jwt_fault fault;
} time_rows[] = {
    {"F63 a second before its end", "\"exp\":1800000000", 0, NOW - 1, FER_JWT_GOOD},
    {"F63 at its end", "\"exp\":1800000000", 0, NOW, FER_JWT_EXPIRED},
    {"F63 the last second of the leeway", "\"exp\":1800000000", 30, NOW + 29, FER_JWT_GOOD},
    {"F63 behind the leeway", "\"exp\":1800000000", 30, NOW + 30, FER_JWT_EXPIRED},
    {"F63 more leeway than there may be", "\"exp\":1800000000", 3600, NOW + 60, FER_JWT_EXPIRED},
    {"F63 all leeway that there may be", "\"exp\":1800000000", 3600, NOW + 59, FER_JWT_GOOD},
    {"F63 from now on", "\"exp\":1900000000,\"nbf\":1800000000", 0, NOW, FER_JWT_GOOD},
    {"F63 a second early", "\"exp\":1900000000,\"nbf\":1800000000", 0, NOW - 1, FER_JWT_EARLY},
    {"F63 early, within the leeway", "\"exp\":1900000000,\"nbf\":1800000000", 30, NOW - 30,
     FER_JWT_GOOD},
    {"F63 early, before the leeway", "\"exp\":1900000000,\"nbf\":1800000000", 30, NOW - 31,
     FER_JWT_EARLY},
    {"made in the future", "\"exp\":1900000000,\"iat\":1800000031", 30, NOW, FER_JWT_EARLY},
    {"the last time of all", "\"exp\":9007199254740992", 60, NOW, FER_JWT_GOOD},
    {"and one later", "\"exp\":9007199254740993", 60, NOW, FER_JWT_CLAIMS},
    {"no end", "\"nbf\":1", 0, NOW, FER_JWT_CLAIMS},
};

static void run_time(const struct time_row *row)
{
    rig r = begin();
    fer_str claims =
        fer_arena_printf(r.a, "{\"iss\":\"" ISSUER "\",\"aud\":\"" US "\",%s}", row->claims);
    assert_int_equal(check(&r, sign(&r, "k0", claims), row->leeway, row->now), row->fault);
    end(&r);
}

/* ---- limits -----------------------------------------------------------------------------------
 */

static fer_str padded(const rig *r, size_t pad)
{
    char *x = fer_arena_alloc(r->a, pad + 1);
    assert_non_null(x);
    memset(x, 'x', pad);
    fer_buf b;
    fer_buf_init(&b, r->a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"iss\":\"" ISSUER "\",\"aud\":\"" US "\",\"exp\":1900000000,\"x\":\"");
    fer_buf_add(&b, (fer_str){x, pad});
    fer_buf_add_text(&b, "\"}");
    return fer_buf_view(&b);
}

static void size_of_a_token(void)
{
    rig r = begin();
    size_t pad = 12000;
    while (sign(&r, "k0", padded(&r, pad + 3)).len <= FER_JWT_MAX) pad += 3;
    fer_str most = sign(&r, "k0", padded(&r, pad)), more = sign(&r, "k0", padded(&r, pad + 3));
    assert_true(most.len <= FER_JWT_MAX && more.len > FER_JWT_MAX);
    assert_int_equal(check(&r, most, 0, NOW), FER_JWT_GOOD);
    assert_int_equal(check(&r, more, 0, NOW), FER_JWT_TOO_LARGE);
    end(&r);
}

static void size_of_a_key_id(void)
{
    rig r = begin();
    char kid[FER_JWT_KID + 2];
    memset(kid, 'k', sizeof kid);
    kid[FER_JWT_KID + 1] = '\0';
    assert_int_equal(check(&r, sign(&r, kid, padded(&r, 1)), 0, NOW), FER_JWT_MALFORMED);
    kid[FER_JWT_KID] = '\0';
    assert_int_equal(check(&r, sign(&r, kid, padded(&r, 1)), 0, NOW), FER_JWT_UNKNOWN_KEY);
    end(&r);
}

static void number_of_keys(void)
{
    rig r = begin();
    fer_jwks keys;
    assert_int_equal(fer_jwks_read(r.a, set_of(r.a, r.key, FER_JWKS_KEYS), &keys, NULL), FER_OK);
    assert_int_equal(keys.count, FER_JWKS_KEYS);
    assert_int_equal(fer_jwks_read(r.a, set_of(r.a, r.key, FER_JWKS_KEYS + 1), &keys, NULL),
                     FER_LIMIT_EXCEEDED);
    end(&r);
}

static void size_of_keys(void)
{
    rig r = begin();
    fer_jwks keys;
    fer_str set = set_of(r.a, r.key, 1);
    char *text = fer_arena_alloc(r.a, FER_JWKS_SIZE + 1);
    assert_non_null(text);
    memset(text, ' ', FER_JWKS_SIZE + 1);
    memcpy(text, set.ptr, set.len);
    assert_int_equal(fer_jwks_read(r.a, (fer_str){text, FER_JWKS_SIZE}, &keys, NULL), FER_OK);
    assert_int_equal(fer_jwks_read(r.a, (fer_str){text, FER_JWKS_SIZE + 1}, &keys, NULL),
                     FER_LIMIT_EXCEEDED);
    end(&r);
}

static fer_jwt_fault with_scopes(rig *r, size_t count, size_t principal, fer_identity *out)
{
    static const fer_claim_map map = {.tenant = {"t", 1}, .who = "sub", .scopes = "scope"};
    fer_jwt t;
    fer_buf b;
    fer_buf_init(&b, r->a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"sub\":\"");
    fer_buf_add_repeat(&b, 's', principal);
    fer_buf_add_text(&b, "\",\"scope\":\"");
    for (size_t i = 0; i < count; i++) fer_buf_printf(&b, " s%zu", i);
    fer_buf_add_text(&b, "\"}");
    assert_int_equal(fer_jwt_read(r->a, sign(r, "k0", fer_buf_view(&b)), &t), FER_JWT_GOOD);
    return fer_identity_read(r->a, &t, &map, out);
}

static void scopes_and_principals(void)
{
    rig r = begin();
    fer_identity who;
    assert_int_equal(with_scopes(&r, FER_IDENTITY_SCOPES, FER_JWT_WORD, &who), FER_JWT_GOOD);
    assert_int_equal(who.scope_count, FER_IDENTITY_SCOPES);
    assert_int_equal(with_scopes(&r, FER_IDENTITY_SCOPES + 1, 1, &who), FER_JWT_CLAIMS);
    assert_int_equal(with_scopes(&r, 1, FER_JWT_WORD + 1, &who), FER_JWT_CLAIMS);
    assert_int_equal(with_scopes(&r, 1, 0, &who), FER_JWT_CLAIMS);
    end(&r);
}

/* ---- Base64 -----------------------------------------------------------------------------------
 */

static const struct base_row {
    const char *name, *text, *bytes; /* NULL: it is none */
} base_rows[] = {
    {"nothing", "", ""},
    {"one", "YQ", "a"},
    {"two", "YWI", "ab"},
    {"three", "YWJj", "abc"},
    {"the last two", "-_-_", "\xfb\xff\xbf"},
    {"one digit", "Y", NULL},
    {"padding", "YQ==", NULL},
    {"bits behind", "YR", NULL},
    {"bits behind two", "YWJ", NULL},
    {"a blank", "YW I", NULL},
    {"the other alphabet", "+/+/", NULL},
};

static void run_base(const struct base_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    bool good = fer_base64url_read(a, fer_str_of(row->text), &out);
    assert_int_equal(good, row->bytes != NULL);
    if (good) assert_str(out, row->bytes);
    if (good) assert_str(fer_base64url_write(a, out), row->text);
    fer_arena_free(a);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static fer_code attempt(fer_arena *a, const void *row)
{
    static const char set[] =
        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"a\","
        "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"; /* RFC 8037, A.2 */
    static const char token[] = /* RFC 8037, A.4, with other claims: only read */
        "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJpIiwic3ViIjoicyIsInNjb3BlIjoiYSBiIn0.AAAA";
    static const fer_claim_map map = {.tenant = {"t", 1}, .who = "sub", .scopes = "scope"};
    fer_jwks keys;
    fer_jwt t;
    fer_identity who;
    fer_err err = {0};
    (void)row;
    fer_code code = fer_jwks_read(a, fer_str_of(set), &keys, &err);
    if (code) return code;
    fer_jwt_fault fault = fer_jwt_read(a, fer_str_of(token), &t);
    if (!fault) fault = fer_identity_read(a, &t, &map, &who);
    if (fault) return FER_LIMIT_EXCEEDED; /* as the budget of the arena says it */
    assert_int_equal(who.scope_count, 2);
    return FER_OK;
}

static void memory_is_refused(void)
{
    assert_true(rows_torture_arena(attempt, NULL) > 3);
}

int main(void)
{
    return ROWS_RUN("jwt.times", time_rows, run_time) +
           ROWS_RUN("jwt.base64", base_rows, run_base) + ROWS_ONE("jwt", size_of_a_token) +
           ROWS_ONE("jwt", size_of_a_key_id) + ROWS_ONE("jwt", number_of_keys) +
           ROWS_ONE("jwt", size_of_keys) + ROWS_ONE("jwt", scopes_and_principals) +
           ROWS_ONE("jwt", memory_is_refused);
}
