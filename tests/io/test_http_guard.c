/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and origins that pass and that do not (A06-A09), and tokens of Authorization (A01-A05). */
#include "http_guard.h"

#include "rows.h"

/* ---- what clients write, to a server at port 8080 ------------------------------------------- */

static const struct row {
    const char *name, *host, *origin;
    fer_guard_verdict verdict;
} rows[] = {
    {"localhost", "localhost:8080", NULL, FER_GUARD_PASS},
    {"its address", "127.0.0.1:8080", NULL, FER_GUARD_PASS},
    {"its address of IPv6", "[::1]:8080", NULL, FER_GUARD_PASS},
    {"case", "LocalHost:8080", NULL, FER_GUARD_PASS},
    {"a name of the operator's", "gateway.example", NULL, FER_GUARD_PASS},
    {"an origin of the operator's", "localhost:8080", "https://app.example:8443", FER_GUARD_PASS},
    {"an origin in capitals", "localhost:8080", "HTTPS://APP.example:8443", FER_GUARD_PASS},
    {"an origin of an extension", "localhost:8080", "vscode-webview://abc", FER_GUARD_PASS},

    {"A06 our own is none unless it is said", "localhost:8080", "http://localhost:8080",
     FER_GUARD_ORIGIN},
    {"A06 another origin", "localhost:8080", "https://evil.example", FER_GUARD_ORIGIN},
    {"A06 another scheme", "localhost:8080", "http://app.example:8443", FER_GUARD_ORIGIN},
    {"A06 another port", "localhost:8080", "https://app.example", FER_GUARD_ORIGIN},
    {"A06 a name below", "localhost:8080", "https://x.app.example:8443", FER_GUARD_ORIGIN},
    {"A06 more behind it", "localhost:8080", "https://app.example:8443.evil", FER_GUARD_ORIGIN},
    {"A06 a path", "localhost:8080", "https://app.example:8443/", FER_GUARD_ORIGIN},
    {"A06 two in one", "localhost:8080", "https://app.example:8443 https://evil.example",
     FER_GUARD_ORIGIN},
    {"A06 a host is no origin", "localhost:8080", "localhost:8080", FER_GUARD_ORIGIN},
    {"A06 empty", "localhost:8080", "", FER_GUARD_ORIGIN},
    {"A07 another host", "evil.example", NULL, FER_GUARD_HOST},
    {"A07 another host with our port", "evil.example:8080", NULL, FER_GUARD_HOST},
    {"A07 another host, a good origin", "evil.example:8080", "https://app.example:8443",
     FER_GUARD_HOST},
    {"A07 none", NULL, NULL, FER_GUARD_HOST},
    {"A07 empty", "", NULL, FER_GUARD_HOST},
    {"A08 localhost.evil.com", "localhost.evil.com:8080", NULL, FER_GUARD_HOST},
    {"A08 127.0.0.1.evil", "127.0.0.1.evil:8080", NULL, FER_GUARD_HOST},
    {"A08 0.0.0.0", "0.0.0.0:8080", NULL, FER_GUARD_HOST},
    {"A08 [::]", "[::]:8080", NULL, FER_GUARD_HOST},
    {"A08 decimal", "2130706433:8080", NULL, FER_GUARD_HOST},
    {"A08 hexadecimal", "0x7f000001:8080", NULL, FER_GUARD_HOST},
    {"A08 octal", "0177.0.0.1:8080", NULL, FER_GUARD_HOST},
    {"A08 short", "127.1:8080", NULL, FER_GUARD_HOST},
    {"A08 another loopback address", "127.0.0.2:8080", NULL, FER_GUARD_HOST},
    {"A08 mapped", "[::ffff:127.0.0.1]:8080", NULL, FER_GUARD_HOST},
    {"A08 spelt out", "[0:0:0:0:0:0:0:1]:8080", NULL, FER_GUARD_HOST},
    {"A08 a zone", "[::1%25lo]:8080", NULL, FER_GUARD_HOST},
    {"A08 trailing dot", "localhost.:8080", NULL, FER_GUARD_HOST},
    {"A08 userinfo", "localhost:8080@evil.example", NULL, FER_GUARD_HOST},
    {"A08 userinfo in front", "a@localhost:8080", NULL, FER_GUARD_HOST},
    {"A08 wrong port", "localhost:8081", NULL, FER_GUARD_HOST},
    {"A08 no port", "localhost", NULL, FER_GUARD_HOST},
    {"A08 port with a zero", "localhost:08080", NULL, FER_GUARD_HOST},
    {"A08 empty port", "localhost:", NULL, FER_GUARD_HOST},
    {"A08 a port for a name without", "gateway.example:443", NULL, FER_GUARD_HOST},
    {"A08 a path", "localhost:8080/", NULL, FER_GUARD_HOST},
    {"A08 a blank", "localhost :8080", NULL, FER_GUARD_HOST},
    {"A08 two", "localhost:8080, evil.example", NULL, FER_GUARD_HOST},
    {"A08 a scheme", "http://localhost:8080", NULL, FER_GUARD_HOST},
    {"A09 null", "localhost:8080", "null", FER_GUARD_ORIGIN},
};

static fer_http_guard *make(void)
{
    fer_http_guard *g = fer_http_guard_new();
    assert_non_null(g);
    assert_int_equal(fer_http_guard_loopback(g, 8080, NULL), FER_OK);
    assert_int_equal(fer_http_guard_host(g, FER_STR("Gateway.Example"), NULL), FER_OK);
    assert_int_equal(fer_http_guard_origin(g, FER_STR("https://app.example:8443"), NULL), FER_OK);
    assert_int_equal(fer_http_guard_origin(g, FER_STR("vscode-webview://abc"), NULL), FER_OK);
    return g;
}

static void run(const struct row *row)
{
    fer_http_guard *g = make();
    assert_int_equal(fer_http_guard_check(g, fer_str_of(row->host), fer_str_of(row->origin)),
                     row->verdict);
    fer_http_guard_free(g);
}

static void nul_is_a_byte_like_others(void)
{
    fer_http_guard *g = make();
    fer_str host = FER_STR("localhost:8080\0");
    assert_int_equal(fer_http_guard_check(g, host, FER_STR_NONE), FER_GUARD_HOST);
    fer_http_guard_free(g);
}

/* ---- what operators write ------------------------------------------------------------------- */

static const struct word_row {
    const char *text;
    bool host, origin;
} word_rows[] = {
    {"localhost", true, false},
    {"localhost:1", true, false},
    {"a.b-c.d_e:65535", true, false},
    {"127.0.0.1:80", true, false},
    {"[::1]", true, false},
    {"[::1]:80", true, false},
    {"a:65536", false, false},
    {"a:0", false, false},
    {"a:080", false, false},
    {"a:", false, false},
    {":80", false, false},
    {"", false, false},
    {"a..b", false, false},
    {"a.", false, false},
    {"-a", false, false},
    {"a b", false, false},
    {"::1", false, false},
    {"[127.0.0.1]", false, false},
    {"127.1", false, false},
    {"0x7f.1", false, false},
    {"a@b", false, false},
    {"*", false, false},
    {"*.example", false, false},
    {"http://a", false, true},
    {"https://a.b:8443", false, true},
    {"http://[::1]:80", false, true},
    {"http://a/", false, false},
    {"http://", false, false},
    {"://a", false, false},
    {"1http://a", false, false},
    {"http:/a", false, false},
    {"null", true, false}, /* a name like others; no origin */
};

static void run_word(const struct word_row *row)
{
    fer_http_guard *g = fer_http_guard_new();
    fer_err err;
    fer_code host = fer_http_guard_host(g, fer_str_of(row->text), &err);
    fer_code origin = fer_http_guard_origin(g, fer_str_of(row->text), &err);
    assert_int_equal(host, row->host ? FER_OK : FER_BAD_USAGE);
    assert_int_equal(origin, row->origin ? FER_OK : FER_BAD_USAGE);
    fer_http_guard_free(g);
}

static void limits(void)
{
    char text[FER_GUARD_TEXT_MAX + 2];
    fer_http_guard *g = fer_http_guard_new();
    /* As long as an origin can be, and one more: "s...s://a". */
    memset(text, 's', sizeof text);
    memcpy(text + FER_GUARD_TEXT_MAX - 4, "://a", 4);
    assert_int_equal(fer_http_guard_origin(g, (fer_str){text, FER_GUARD_TEXT_MAX}, NULL), FER_OK);
    memcpy(text + FER_GUARD_TEXT_MAX - 4, "s://a", 5);
    assert_int_equal(fer_http_guard_origin(g, (fer_str){text, FER_GUARD_TEXT_MAX + 1}, NULL),
                     FER_BAD_USAGE);
    for (int i = 1; i < FER_GUARD_HOSTS_MAX; i++)
        assert_int_equal(fer_http_guard_host(g, FER_STR("a"), NULL), FER_OK);
    assert_int_equal(fer_http_guard_host(g, FER_STR("a"), NULL), FER_LIMIT_EXCEEDED);
    assert_int_equal(fer_http_guard_loopback(g, 80, NULL), FER_LIMIT_EXCEEDED);
    fer_http_guard_free(g);
}

static void default_ports(void)
{
    fer_http_guard *g = fer_http_guard_new();
    assert_int_equal(fer_http_guard_loopback(g, 80, NULL), FER_OK);
    assert_int_equal(fer_http_guard_check(g, FER_STR("localhost"), FER_STR_NONE), FER_GUARD_PASS);
    assert_int_equal(fer_http_guard_check(g, FER_STR("localhost:80"), FER_STR_NONE),
                     FER_GUARD_PASS);
    assert_int_equal(fer_http_guard_check(g, FER_STR("localhost:443"), FER_STR_NONE),
                     FER_GUARD_HOST);
    fer_http_guard_free(g);
}

/* ---- tokens --------------------------------------------------------------------------------- */

static const struct bearer_row {
    const char *name, *value, *token;
} bearer_rows[] = {
    {"plain", "Bearer abc", "abc"},
    {"case of the scheme", "bEARER aZ09-._~+/==", "aZ09-._~+/=="},
    {"A01 none", NULL, NULL},
    {"A02 empty", "", NULL},
    {"A02 no token", "Bearer", NULL},
    {"A02 a blank", "Bearer ", NULL},
    {"A03 another scheme", "Basic abc", NULL},
    {"A03 no scheme", "abc", NULL},
    {"A03 glued", "Bearerabc", NULL},
    {"A04 two in one", "Bearer abc, Bearer def", NULL},
    {"A04 two tokens", "Bearer abc def", NULL},
    {"two blanks", "Bearer  abc", NULL},
    {"a tab", "Bearer\tabc", NULL},
    {"quotes", "Bearer \"abc\"", NULL},
    {"equals alone", "Bearer ==", NULL},
    {"equals inside", "Bearer a=b", NULL},
};

static void run_bearer(const struct bearer_row *row)
{
    fer_str token = fer_http_bearer(fer_str_of(row->value));
    if (row->token) assert_str(token, row->token);
    else assert_null(token.ptr);
}

int main(void)
{
    return ROWS_RUN("guard", rows, run) + ROWS_RUN("words", word_rows, run_word) +
           ROWS_RUN("bearer", bearer_rows, run_bearer) +
           ROWS_ONE("guard", nul_is_a_byte_like_others) + ROWS_ONE("guard", limits) +
           ROWS_ONE("guard", default_ports);
}
