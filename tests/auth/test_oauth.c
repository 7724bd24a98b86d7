/* SPDX-License-Identifier: Apache-2.0 */
/* The texts and files of an OAuth client: where metadata is and what is believed of it, forms, the
 * vault. Its flights are in test_oauth_flights.c, in tests/app/oauth.py and in the official suite.
 */
#include <stdlib.h>
#include <unistd.h>

#include "oauth_parts.h"
#include "rows.h"

/* ---- where metadata is ------------------------------------------------------------------------
 */

static const struct url_row {
    const char *name, *url;
    bool issuer;
    const char *places[4];
} url_rows[] = {
    {"a server with a path",
     "https://s.example/a/mcp",
     false,
     {"https://s.example/.well-known/oauth-protected-resource/a/mcp",
      "https://s.example/.well-known/oauth-protected-resource"}},
    {"a slash behind it",
     "https://s.example/mcp/",
     false,
     {"https://s.example/.well-known/oauth-protected-resource/mcp",
      "https://s.example/.well-known/oauth-protected-resource"}},
    {"no path",
     "https://s.example:8443",
     false,
     {"https://s.example:8443/.well-known/oauth-protected-resource"}},
    {"a query",
     "https://s.example/mcp?x=/y",
     false,
     {"https://s.example/.well-known/oauth-protected-resource/mcp",
      "https://s.example/.well-known/oauth-protected-resource"}},
    {"an issuer",
     "https://i.example",
     true,
     {"https://i.example/.well-known/oauth-authorization-server",
      "https://i.example/.well-known/openid-configuration"}},
    {"an issuer with a path",
     "https://i.example/t/1",
     true,
     {"https://i.example/.well-known/oauth-authorization-server/t/1",
      "https://i.example/.well-known/openid-configuration/t/1",
      "https://i.example/t/1/.well-known/openid-configuration"}},
};

static void run_url(const struct url_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str url, got;
    url = fer_str_of(row->url);
    for (unsigned n = 0; n < 4; n++) {
        bool more = row->issuer ? fer_issuer_meta_url(a, url, n, &got)
                                : fer_resource_meta_url(a, url, n, &got);
        assert_int_equal(more, row->places[n] != NULL);
        if (!more) break;
        assert_str(got, row->places[n]);
    }
    fer_arena_free(a);
}

/* ---- what is believed -------------------------------------------------------------------------
 */

static const struct resource_row {
    const char *name, *resource, *issuers;
    fer_code code;
} resource_rows[] = {
    {"the server", "https://s.example/a/mcp", "[\"https://i.example\"]", FER_OK},
    {"what is above it", "https://s.example/a", "[\"https://i.example\"]", FER_OK},
    {"all of it", "https://s.example", "[\"https://i.example\"]", FER_OK},
    {"its port", "https://s.example:443/a/mcp", "[\"https://i.example\"]", FER_OK},
    {"something beside it", "https://s.example/a/mc", "[\"https://i.example\"]", FER_FORBIDDEN},
    {"something below it", "https://s.example/a/mcp/b", "[\"https://i.example\"]", FER_FORBIDDEN},
    {"another server", "https://evil.example/a/mcp", "[\"https://i.example\"]", FER_FORBIDDEN},
    {"another scheme", "http://s.example/a/mcp", "[\"https://i.example\"]", FER_FORBIDDEN},
    {"another port", "https://s.example:8443/a/mcp", "[\"https://i.example\"]", FER_FORBIDDEN},
    {"nothing", "", "[\"https://i.example\"]", FER_FORBIDDEN},
    {"nobody who gives tokens", "https://s.example/a/mcp", "[]", FER_BACKEND_UNAVAILABLE},
    {"no list", "https://s.example/a/mcp", "\"https://i.example\"", FER_BACKEND_UNAVAILABLE},
};

static void run_resource(const struct resource_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_resource_meta m;
    fer_err err = {0};
    fer_str text = fer_arena_printf(a, "{\"resource\":\"%s\",\"authorization_servers\":%s}",
                                    row->resource, row->issuers);
    assert_int_equal(fer_resource_meta_read(a, text, FER_STR("https://s.example/a/mcp"), &m, &err),
                     row->code);
    assert_int_equal(row->code != FER_OK, err.message[0] != '\0');
    fer_arena_free(a);
}

/* oauth.issuers: those past it are not looked at. */
static void number_of_issuers(void)
{
    for (size_t n = FER_OAUTH_ISSUERS; n <= FER_OAUTH_ISSUERS + 1; n++) {
        fer_arena *a = fer_arena_new(0);
        fer_resource_meta m;
        fer_buf b;
        fer_buf_init(&b, a, FER_OAUTH_DOC);
        fer_buf_add_text(&b, "{\"resource\":\"https://s.example\",\"authorization_servers\":[");
        for (size_t i = 1; i <= n; i++)
            fer_buf_printf(&b, "%s\"https://i%zu.example\"", i > 1 ? "," : "", i);
        fer_buf_add_text(&b, "]}");
        assert_int_equal(
            fer_resource_meta_read(a, fer_buf_view(&b), FER_STR("https://s.example/mcp"), &m, NULL),
            FER_OK);
        assert_int_equal(m.issuer_count, FER_OAUTH_ISSUERS);
        assert_str(m.issuers[FER_OAUTH_ISSUERS - 1], "https://i16.example");
        fer_arena_free(a);
    }
}

/* oauth.token, of both kinds. */
static void size_of_a_token(void)
{
    for (size_t more = 0; more < 2; more++) {
        for (int refresh = 0; refresh < 2; refresh++) {
            fer_arena *a = fer_arena_new(0);
            fer_oauth_record r = {.refresh = FER_STR("")};
            bool over;
            fer_buf b;
            fer_buf_init(&b, a, FER_OAUTH_DOC);
            fer_buf_printf(&b, "{\"token_type\":\"Bearer\",\"%s\":\"x\",\"%s\":\"",
                           refresh ? "access_token" : "scope",
                           refresh ? "refresh_token" : "access_token");
            fer_buf_add_repeat(&b, 't', FER_OAUTH_TOKEN_MAX + more);
            fer_buf_add_text(&b, "\"}");
            assert_int_equal(fer_oauth_answer_read(a, 200, fer_buf_view(&b), &r, &over, NULL),
                             more ? FER_BACKEND_UNAVAILABLE : FER_OK);
            fer_arena_free(a);
        }
    }
}

static const struct issuer_row {
    const char *name, *text;
    fer_code code;
    bool pkce;
    unsigned auths;
} issuer_rows[] = {
    {"all of it",
     "{\"issuer\":\"https://i.example\",\"token_endpoint\":\"https://i.example/t\","
     "\"authorization_endpoint\":\"https://i.example/a\",\"code_challenge_methods_supported\":"
     "[\"plain\",\"S256\"],\"token_endpoint_auth_methods_supported\":[\"none\",\"private_key_jwt\"]}",
     FER_OK, true, 1u << FER_CLIENT_NONE | 1u << FER_CLIENT_JWT},
    {"PKCE in the open only",
     "{\"issuer\":\"https://i.example\",\"token_endpoint\":\"https://i.example/t\","
     "\"code_challenge_methods_supported\":[\"plain\"]}",
     FER_OK, false, 0},
    {"another issuer",
     "{\"issuer\":\"https://e.example\",\"token_endpoint\":\"https://i.example/t\"}", FER_FORBIDDEN,
     false, 0},
    {"a slash behind it",
     "{\"issuer\":\"https://i.example/\",\"token_endpoint\":\"https://i.example/t\"}",
     FER_FORBIDDEN, false, 0},
    {"in capitals", "{\"issuer\":\"https://I.example\",\"token_endpoint\":\"https://i.example/t\"}",
     FER_FORBIDDEN, false, 0},
    {"no issuer", "{\"token_endpoint\":\"https://i.example/t\"}", FER_FORBIDDEN, false, 0},
    {"tokens without HTTPS",
     "{\"issuer\":\"https://i.example\",\"token_endpoint\":\"http://i.example/t\"}", FER_FORBIDDEN,
     false, 0},
    {"a place that is no URL",
     "{\"issuer\":\"https://i.example\",\"token_endpoint\":\"https://i.example/t\","
     "\"authorization_endpoint\":\"javascript:alert(1)\"}",
     FER_FORBIDDEN, false, 0},
    {"no tokens", "{\"issuer\":\"https://i.example\"}", FER_BACKEND_UNAVAILABLE, false, 0},
    {"no JSON", "{", FER_INVALID_JSON, false, 0},
    {"no object", "[]", FER_INVALID_TYPE, false, 0},
    {"an issuer twice",
     "{\"issuer\":\"https://i.example\",\"issuer\":\"https://e.example\",\"token_endpoint\":\"\"}",
     FER_DUPLICATE_KEY, false, 0},
};

static void run_issuer(const struct issuer_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_issuer_meta m;
    fer_code code =
        fer_issuer_meta_read(a, fer_str_of(row->text), FER_STR("https://i.example"), &m, NULL);
    assert_int_equal(code, row->code);
    if (!code) assert_int_equal(m.pkce, row->pkce);
    if (!code) assert_int_equal(m.auths, row->auths);
    fer_arena_free(a);
}

/* ---- forms ------------------------------------------------------------------------------------
 */

static const struct form_row {
    const char *name, *query, *value; /* of `code`; NULL: none */
} form_rows[] = {
    {"alone", "code=a", "a"},
    {"among others", "state=x&code=a%2Fb+c&iss=i", "a/b c"},
    {"empty", "code=", ""},
    {"a plus that is written", "code=%2B", "+"},
    {"twice", "code=a&code=b", NULL},
    {"another name", "codes=a&xcode=b", NULL},
    {"half an escape", "code=%2", NULL},
    {"no escape", "code=%zz", NULL},
    {"nothing", "", NULL},
};

static void run_form(const struct form_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str got = fer_form_get(a, fer_str_of(row->query), "code");
    assert_int_equal(got.ptr != NULL, row->value != NULL);
    if (row->value) assert_str(got, row->value);
    fer_arena_free(a);
}

/* RFC 7636, appendix B. */
static void pkce(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str shown;
    assert_true(fer_oauth_shown(a, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", &shown));
    assert_str(shown, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    fer_arena_free(a);
}

/* ---- the vault --------------------------------------------------------------------------------
 */

static void vault(void)
{
    char folder[] = "/tmp/ferrule-vault-XXXXXX", inner[64], command[128];
    fer_arena *a = fer_arena_new(0);
    fer_str got;
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/a/auth", folder);
    fer_vault *v = fer_vault_new(inner), *again;
    assert_int_equal(fer_vault_get(a, v, "token", FER_STR("https://s"), &got, NULL), FER_OK);
    assert_null(got.ptr);
    assert_int_equal(access(inner, F_OK), -1); /* nothing is made by looking */
    assert_int_equal(fer_vault_remove(v, "token", FER_STR("https://s"), NULL), FER_OK);
    assert_int_equal(fer_vault_put(v, "token", FER_STR("https://s"), FER_STR("one"), NULL), FER_OK);
    assert_int_equal(fer_vault_put(v, "client", FER_STR("https://s"), FER_STR("two"), NULL),
                     FER_OK);
    fer_file_mark before = fer_vault_mark(v, "token", FER_STR("https://s"));
    assert_int_equal(fer_vault_put(v, "token", FER_STR("https://s"), FER_STR("three"), NULL),
                     FER_OK);
    fer_file_mark after = fer_vault_mark(v, "token", FER_STR("https://s"));
    assert_false(fer_file_mark_eq(&before, &after));
    fer_vault_free(v);
    again = fer_vault_new(inner);
    assert_int_equal(fer_vault_get(a, again, "token", FER_STR("https://s"), &got, NULL), FER_OK);
    assert_str(got, "three");
    assert_int_equal(fer_vault_get(a, again, "client", FER_STR("https://s"), &got, NULL), FER_OK);
    assert_str(got, "two");
    char *large = fer_arena_alloc_zero(a, FER_VAULT_RECORD + 1, 1);
    fer_str most = {large, FER_VAULT_RECORD}, more = {large, FER_VAULT_RECORD + 1};
    assert_int_equal(fer_vault_put(again, "token", FER_STR("x"), most, NULL), FER_OK);
    assert_int_equal(fer_vault_put(again, "token", FER_STR("x"), more, NULL), FER_LIMIT_EXCEEDED);
    /* A record in the place of another does not open. */
    snprintf(command, sizeof command, "cd %s && cp client-*.sealed $(ls token-*.sealed | head -1)",
             inner);
    assert_int_equal(system(command), 0);
    bool broken =
        fer_vault_get(a, again, "token", FER_STR("https://s"), &got, NULL) ==
            FER_INTEGRITY_BROKEN ||
        fer_vault_get(a, again, "token", FER_STR("x"), &got, NULL) == FER_INTEGRITY_BROKEN;
    assert_true(broken);
    assert_int_equal(fer_vault_remove(again, "client", FER_STR("https://s"), NULL), FER_OK);
    assert_int_equal(fer_vault_get(a, again, "client", FER_STR("https://s"), &got, NULL), FER_OK);
    assert_null(got.ptr);
    fer_vault_free(again);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("oauth.places", url_rows, run_url) +
           ROWS_RUN("oauth.resource", resource_rows, run_resource) +
           ROWS_RUN("oauth.issuer", issuer_rows, run_issuer) +
           ROWS_ONE("oauth.resource", number_of_issuers) + ROWS_ONE("oauth", size_of_a_token) +
           ROWS_RUN("oauth.form", form_rows, run_form) + ROWS_ONE("oauth", pkce) +
           ROWS_ONE("oauth", vault);
}
