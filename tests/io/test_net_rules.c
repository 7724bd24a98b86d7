/* SPDX-License-Identifier: Apache-2.0 */
/* Where requests may go: URLs, addresses and what an operator allows. The N numbers name the known
 * ways around such rules; N11 to N15, N19 and N20 need a server and are in test_http_client.c. */
#include "net_rules.h"
#include "rows.h"

/* ---- URLs ----------------------------------------------------------------------------------- */

static const struct url_row {
    const char *name, *url;
    const char *host; /* NULL: refused */
    uint16_t port;
    bool secure;
} url_rows[] = {
    {"http", "http://example.com/a?b#c", "example.com", 80, false},
    {"https", "HTTPS://Example.COM", "example.com", 443, true},
    {"port", "http://example.com:8080/", "example.com", 8080, false},
    {"largest port", "http://example.com:65535/", "example.com", 65535, false},
    {"port past the largest", "http://example.com:65536/", NULL},
    {"port zero", "http://example.com:0/", NULL},
    {"empty port", "http://example.com:/", NULL},
    {"port of words", "http://example.com:http/", NULL},
    {"query without a path", "http://example.com?x=1", "example.com", 80, false},
    {"IPv4", "http://192.0.2.7/", "192.0.2.7", 80, false},
    {"IPv6", "http://[2001:DB8::1]:81/", "2001:db8::1", 81, false},
    {"punycode", "http://xn--bcher-kva.example/", "xn--bcher-kva.example", 80, false},
    {"underscore", "http://a_b.example/", "a_b.example", 80, false},
    {"N01 decimal", "http://2130706433/", NULL},
    {"N02 octal", "http://0177.0.0.1/", NULL},
    {"N02 octal, all", "http://0177.00.00.01/", NULL},
    {"N03 hexadecimal", "http://0x7f000001/", NULL},
    {"N03 hexadecimal, in parts", "http://0x7f.0x0.0x0.0x1/", NULL},
    {"N03 hexadecimal, nothing behind", "http://1.0x/", NULL},
    {"N04 short", "http://127.1/", NULL},
    {"N04 five parts", "http://1.2.3.4.5/", NULL},
    {"N04 past 255", "http://1.2.3.256/", NULL},
    {"N05 mapped is read", "http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", 80, false},
    {"N08 zone", "http://[fe80::1%25eth0]/", NULL},
    {"N08 zone without escape", "http://[fe80::1%eth0]/", NULL},
    {"N09 full-width dots",
     "http://127\xE3\x80\x82"
     "0\xE3\x80\x82"
     "0\xE3\x80\x82"
     "1/",
     NULL},
    {"N09 full-width digits", "http://\xEF\xBC\x91.1.1.1/", NULL},
    {"N09 escaped host", "http://%31%32%37.0.0.1/", NULL},
    {"N10 user", "http://user@example.com/", NULL},
    {"N10 user and password", "http://user:hunter2@example.com/", NULL},
    {"N10 host that looks like a user", "http://example.com@127.0.0.1/", NULL},
    {"N10 user behind a backslash", "http://example.com\\@127.0.0.1/", NULL},
    {"N17 file", "file:///etc/passwd", NULL},
    {"N17 gopher", "gopher://example.com/_x", NULL},
    {"N17 unix", "unix:///run/docker.sock", NULL},
    {"N17 ftp", "ftp://example.com/", NULL},
    {"N17 javascript", "javascript:alert(1)", NULL},
    {"N17 no scheme", "example.com/", NULL},
    {"N17 scheme alone", "http:", NULL},
    {"one slash", "http:/example.com/", NULL},
    {"three slashes", "http:///example.com/", NULL},
    {"no host", "http://", NULL},
    {"no host but a port", "http://:80/", NULL},
    {"blank", "http://exa mple.com/", NULL},
    {"line feed", "http://example.com/\nHost: x", NULL},
    {"control", "http://example.com/\x01", NULL},
    {"dot at the end", "http://localhost./", NULL},
    {"two dots", "http://a..b/", NULL},
    {"IPv4 in brackets", "http://[127.0.0.1]/", NULL},
    {"bracket that stays open", "http://[::1/", NULL},
    {"behind a bracket", "http://[::1]x/", NULL},
    {"empty", "", NULL},
};

static void run_url(const struct url_row *row)
{
    fer_net_target t;
    fer_err err;
    fer_code code = fer_net_target_parse(fer_str_of(row->url), &t, &err);
    if (!row->host) {
        assert_int_equal(code, FER_BAD_USAGE);
        assert_null(strstr(err.message, "hunter2"));
        return;
    }
    assert_int_equal(code, FER_OK);
    assert_string_equal(t.host, row->host);
    assert_int_equal(t.port, row->port);
    assert_int_equal(t.secure, row->secure);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static const struct class_row {
    const char *name; /* the address itself */
    fer_address_class class;
} class_rows[] = {
    {"8.8.8.8", FER_ADDRESS_PUBLIC},
    {"1.1.1.1", FER_ADDRESS_PUBLIC},
    {"2606:4700::1111", FER_ADDRESS_PUBLIC},
    {"127.0.0.1", FER_ADDRESS_LOOPBACK},
    {"127.255.255.255", FER_ADDRESS_LOOPBACK},
    {"128.0.0.1", FER_ADDRESS_PUBLIC},
    {"126.255.255.255", FER_ADDRESS_PUBLIC},
    {"::1", FER_ADDRESS_LOOPBACK},
    {"::", FER_ADDRESS_UNSPECIFIED},
    {"0.0.0.0", FER_ADDRESS_UNSPECIFIED},
    {"0.1.2.3", FER_ADDRESS_UNSPECIFIED},
    {"10.0.0.0", FER_ADDRESS_PRIVATE},
    {"10.255.255.255", FER_ADDRESS_PRIVATE},
    {"11.0.0.0", FER_ADDRESS_PUBLIC},
    {"172.15.255.255", FER_ADDRESS_PUBLIC},
    {"172.16.0.0", FER_ADDRESS_PRIVATE},
    {"172.31.255.255", FER_ADDRESS_PRIVATE},
    {"172.32.0.0", FER_ADDRESS_PUBLIC},
    {"192.168.0.1", FER_ADDRESS_PRIVATE},
    {"100.63.255.255", FER_ADDRESS_PUBLIC},
    {"100.64.0.0", FER_ADDRESS_PRIVATE},
    {"100.127.255.255", FER_ADDRESS_PRIVATE},
    {"100.128.0.0", FER_ADDRESS_PUBLIC},
    {"169.254.169.254", FER_ADDRESS_LINK_LOCAL},
    {"169.254.170.2", FER_ADDRESS_LINK_LOCAL},
    {"100.100.100.200", FER_ADDRESS_METADATA},
    {"168.63.129.16", FER_ADDRESS_METADATA},
    {"192.0.0.192", FER_ADDRESS_METADATA},
    {"fd00:ec2::254", FER_ADDRESS_METADATA},
    {"fd20:ce::254", FER_ADDRESS_METADATA},
    {"192.0.0.1", FER_ADDRESS_RESERVED},
    {"192.0.2.1", FER_ADDRESS_RESERVED},
    {"198.18.0.1", FER_ADDRESS_RESERVED},
    {"198.19.255.255", FER_ADDRESS_RESERVED},
    {"198.51.100.1", FER_ADDRESS_RESERVED},
    {"203.0.113.1", FER_ADDRESS_RESERVED},
    {"224.0.0.1", FER_ADDRESS_MULTICAST},
    {"239.255.255.255", FER_ADDRESS_MULTICAST},
    {"240.0.0.1", FER_ADDRESS_RESERVED},
    {"255.255.255.255", FER_ADDRESS_MULTICAST},
    {"192.88.99.1", FER_ADDRESS_TRANSLATED},
    {"::ffff:127.0.0.1", FER_ADDRESS_LOOPBACK},
    {"::ffff:7f00:1", FER_ADDRESS_LOOPBACK},
    {"::ffff:10.1.2.3", FER_ADDRESS_PRIVATE},
    {"::ffff:8.8.8.8", FER_ADDRESS_PUBLIC},
    {"::127.0.0.1", FER_ADDRESS_TRANSLATED},
    {"64:ff9b::7f00:1", FER_ADDRESS_TRANSLATED},
    {"64:ff9b:1::a00:1", FER_ADDRESS_TRANSLATED},
    {"2002:7f00:1::", FER_ADDRESS_TRANSLATED},
    {"2001::1", FER_ADDRESS_TRANSLATED},
    {"2001:db8::1", FER_ADDRESS_RESERVED},
    {"2001:20::1", FER_ADDRESS_RESERVED},
    {"2001:4860:4860::8888", FER_ADDRESS_PUBLIC},
    {"3fff::1", FER_ADDRESS_RESERVED},
    {"100::1", FER_ADDRESS_RESERVED},
    {"fc00::1", FER_ADDRESS_PRIVATE},
    {"fd12::1", FER_ADDRESS_PRIVATE},
    {"fe80::1", FER_ADDRESS_LINK_LOCAL},
    {"febf::1", FER_ADDRESS_LINK_LOCAL},
    {"fec0::1", FER_ADDRESS_PRIVATE},
    {"ff02::1", FER_ADDRESS_MULTICAST},
    {"4000::1", FER_ADDRESS_RESERVED},
    {"5f00::1", FER_ADDRESS_RESERVED},
};

static void run_class(const struct class_row *row)
{
    fer_address a;
    assert_true(fer_address_parse(fer_str_of(row->name), &a));
    assert_string_equal(fer_address_class_texts[fer_address_classify(&a)],
                        fer_address_class_texts[row->class]);
}

static const struct block_row {
    const char *name; /* the block itself */
    bool ok;
    const char *in, *out;
} block_rows[] = {
    {"10.0.0.0/8", true, "10.255.0.1", "11.0.0.1"},
    {"192.168.4.0/22", true, "192.168.7.255", "192.168.8.0"},
    {"127.0.0.1", true, "127.0.0.1", "127.0.0.2"},
    {"127.0.0.1/32", true, "::ffff:127.0.0.1", "127.0.0.2"},
    {"0.0.0.0/0", true, "8.8.8.8", "2606::1"},
    {"::/0", true, "8.8.8.8", NULL},
    {"fd00::/8", true, "fdff::1", "fc00::1"},
    {"::1", true, "::1", "::2"},
    {"10.0.0.1/8", false},
    {"10.0.0.0/33", false},
    {"::/129", false},
    {"10.0.0.0/", false},
    {"10.0.0.0/+8", false},
    {"10.0/8", false},
    {"010.0.0.0/8", false},
    {"/8", false},
    {"", false},
};

static void run_block(const struct block_row *row)
{
    fer_address_block b;
    fer_address a;
    assert_int_equal(fer_address_block_parse(fer_str_of(row->name), &b), row->ok);
    if (row->in) {
        assert_true(fer_address_parse(fer_str_of(row->in), &a));
        assert_true(fer_address_in(&a, &b));
    }
    if (row->out) {
        assert_true(fer_address_parse(fer_str_of(row->out), &a));
        assert_false(fer_address_in(&a, &b));
    }
}

/* ---- rules ---------------------------------------------------------------------------------- */

static const struct rule_row {
    const char *name;
    const char *allow[3];
    const char *url, *address; /* address NULL: that of the URL, before anything is connected */
    fer_code code;
    bool closed;
} rule_rows[] = {
    {"public", {0}, "http://example.com/", "8.8.8.8", FER_OK},
    {"N16 another port", {0}, "http://example.com:22/", "8.8.8.8", FER_FORBIDDEN},
    {"N16 another port is known before", {0}, "http://example.com:22/", NULL, FER_FORBIDDEN},
    {"loopback by name", {0}, "http://localhost/", "127.0.0.1", FER_FORBIDDEN},
    {"loopback by address", {0}, "http://127.0.0.1/", NULL, FER_FORBIDDEN},
    {"unspecified", {0}, "http://0.0.0.0/", NULL, FER_FORBIDDEN},
    {"N05 mapped", {0}, "http://[::ffff:127.0.0.1]/", NULL, FER_FORBIDDEN},
    {"N06 NAT64", {0}, "http://[64:ff9b::7f00:1]/", NULL, FER_FORBIDDEN},
    {"N07 6to4", {0}, "http://[2002:7f00:1::]/", NULL, FER_FORBIDDEN},
    {"N15 a name that turns inwards", {0}, "http://example.com/", "10.0.0.1", FER_FORBIDDEN},
    {"N18 metadata", {0}, "http://169.254.169.254/", NULL, FER_FORBIDDEN},
    {"N18 metadata by name",
     {0},
     "http://metadata.google.internal/",
     "169.254.169.254",
     FER_FORBIDDEN},
    {"N18 a permitted name does not open it",
     {"metadata.google.internal"},
     "http://metadata.google.internal/",
     "169.254.169.254",
     FER_FORBIDDEN},
    {"N18 a permitted name does not open IPv6's",
     {"*.internal"},
     "http://metadata.google.internal/",
     "fd20:ce::254",
     FER_FORBIDDEN},
    {"N18 its address does", {"169.254.169.254:80"}, "http://169.254.169.254/", NULL, FER_OK},
    {"a permitted name may be private",
     {"tools.corp"},
     "http://tools.corp:9000/",
     "10.1.1.1",
     FER_OK},
    {"at its port", {"tools.corp:9000"}, "http://tools.corp:9000/", "10.1.1.1", FER_OK},
    {"not at another", {"tools.corp:9000"}, "http://tools.corp:9001/", "10.1.1.1", FER_FORBIDDEN},
    {"not another name", {"tools.corp"}, "http://tools.corp.example/", "10.1.1.1", FER_FORBIDDEN},
    {"case of names", {"Tools.Corp"}, "http://tools.CORP/", "10.1.1.1", FER_OK},
    {"below", {"*.corp"}, "http://a.b.corp/", "10.1.1.1", FER_OK},
    {"below is not itself", {"*.corp"}, "http://corp/", "10.1.1.1", FER_FORBIDDEN},
    {"below is not beside", {"*.corp"}, "http://evilcorp/", "10.1.1.1", FER_FORBIDDEN},
    {"block", {"10.0.0.0/8"}, "http://any.example:7/", "10.1.1.1", FER_OK},
    {"block with a port", {"10.0.0.0/8:7"}, "http://any.example:7/", "10.1.1.1", FER_OK},
    {"block with another", {"10.0.0.0/8:8"}, "http://any.example:7/", "10.1.1.1", FER_FORBIDDEN},
    {"block of IPv6 with a port", {"[fd00::/8]:7"}, "http://[fd00::1]:7/", NULL, FER_OK},
    {"address of IPv6", {"::1"}, "http://[::1]:7/", NULL, FER_OK},
    {"address of IPv6 in brackets", {"[::1]:7"}, "http://[0:0::1]:7/", NULL, FER_OK},
    {"second of two", {"x.example", "127.0.0.1:81"}, "http://127.0.0.1:81/", NULL, FER_OK},
    {"closed: public", {0}, "http://example.com/", "8.8.8.8", FER_FORBIDDEN, true},
    {"closed: known before", {0}, "http://example.com/", NULL, FER_FORBIDDEN, true},
    {"closed: by name", {"example.com"}, "http://example.com/", "8.8.8.8", FER_OK, true},
};

static void run_rule(const struct rule_row *row)
{
    fer_net_rules *r = fer_net_rules_new();
    fer_net_target t;
    fer_address a;
    fer_err err;
    for (size_t i = 0; i < 3 && row->allow[i]; i++)
        assert_int_equal(fer_net_rules_allow(r, fer_str_of(row->allow[i]), &err), FER_OK);
    if (row->closed) fer_net_rules_close(r);
    if (row->address) {
        assert_int_equal(fer_net_target_parse(fer_str_of(row->url), &t, &err), FER_OK);
        assert_true(fer_address_parse(fer_str_of(row->address), &a));
        assert_int_equal(fer_net_rules_address(r, &t, &a, &err), row->code);
    } else {
        assert_int_equal(fer_net_rules_url(r, fer_str_of(row->url), &t, &err), row->code);
    }
    fer_net_rules_free(r);
}

static const struct allow_row {
    const char *name; /* what is allowed */
    bool ok;
} allow_rows[] = {
    {"example.com", true},
    {"example.com:80", true},
    {"*.example.com:80", true},
    {"10.0.0.0/8", true},
    {"[::1]:80", true},
    {"fd00::/8", true},
    {"", false},
    {"*", false},
    {"*.", false},
    {"example.com:", false},
    {"example.com:0", false},
    {"http://example.com", false},
    {"user@example.com", false},
    {"0x7f.1", false},
    {"127.1", false},
    {"10.0.0.1/8", false},
    {"[example.com]", false},
    {"a b", false},
};

static void run_allow(const struct allow_row *row)
{
    fer_net_rules *r = fer_net_rules_new();
    fer_err err;
    assert_int_equal(fer_net_rules_allow(r, fer_str_of(row->name), &err),
                     row->ok ? FER_OK : FER_BAD_USAGE);
    fer_net_rules_free(r);
}

/* ---- limits --------------------------------------------------------------------------------- */

static void at_the_limits(void)
{
    static char url[FER_NET_URL_MAX + 2];
    fer_net_rules *r = fer_net_rules_new();
    fer_net_target t;
    fer_err err;
    memset(url, 'a', sizeof url);
    memcpy(url, "http://b/", 9);
    assert_int_equal(fer_net_target_parse((fer_str){url, FER_NET_URL_MAX}, &t, &err), FER_OK);
    assert_int_equal(fer_net_target_parse((fer_str){url, FER_NET_URL_MAX + 1}, &t, &err),
                     FER_LIMIT_EXCEEDED);
    memset(url, 'a', sizeof url);
    memcpy(url, "http://", 7);
    assert_int_equal(fer_net_target_parse((fer_str){url, 7 + FER_NET_HOST_MAX}, &t, &err), FER_OK);
    assert_int_equal(fer_net_target_parse((fer_str){url, 8 + FER_NET_HOST_MAX}, &t, &err),
                     FER_BAD_USAGE);
    for (size_t i = 0; i < FER_NET_ALLOW_MAX; i++)
        assert_int_equal(fer_net_rules_allow(r, FER_STR("a.example"), &err), FER_OK);
    assert_int_equal(fer_net_rules_allow(r, FER_STR("b.example"), &err), FER_LIMIT_EXCEEDED);
    assert_int_equal(fer_net_rules_allow_url(r, FER_STR("http://b.example"), &err),
                     FER_LIMIT_EXCEEDED);
    fer_net_rules_free(r);
}

static void an_operators_url(void)
{
    fer_net_rules *r = fer_net_rules_new();
    fer_net_target t;
    fer_err err;
    assert_int_equal(fer_net_rules_allow_url(r, FER_STR("http://127.0.0.1:8080/v1"), &err), FER_OK);
    assert_int_equal(fer_net_rules_url(r, FER_STR("http://127.0.0.1:8080/x"), &t, &err), FER_OK);
    assert_int_equal(fer_net_rules_url(r, FER_STR("http://127.0.0.1:8081/x"), &t, &err),
                     FER_FORBIDDEN);
    assert_int_equal(fer_net_rules_url(r, FER_STR("http://127.0.0.2:8080/x"), &t, &err),
                     FER_FORBIDDEN);
    fer_net_rules_free(r);
}

int main(void)
{
    return ROWS_RUN("url", url_rows, run_url) + ROWS_RUN("class", class_rows, run_class) +
           ROWS_RUN("block", block_rows, run_block) + ROWS_RUN("rule", rule_rows, run_rule) +
           ROWS_RUN("allow", allow_rows, run_allow) + ROWS_ONE("net", at_the_limits) +
           ROWS_ONE("net", an_operators_url);
}
