/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text, against all formats. What must hold: a check answers yes or no, and the same the
 * second time; a URI is an IRI and a reference, a host name is an international one, and so
 * with e-mail; a date-time is a date and a time, and these make one unless the second is a
 * leap second; addresses are those that the C library reads; a host name makes an e-mail
 * address, and its ASCII form by libidn2 is a host name.
 */
#include <arpa/inet.h>
#include <idn2.h>

#include "buf.h"
#include "formats.h"
#include "fuzz.h"

static bool is(fer_arena *a, const char *format, fer_str s)
{
    const fer_text_format *f = fer_text_format_find(fer_str_of(format), FER_DRAFT_V1);
    HOLDS(f);
    int good = f->check(a, s);
    HOLDS(good == 0 || good == 1);
    return good;
}

static fer_str join(fer_arena *a, const char *head, fer_str s, const char *tail)
{
    fer_buf b;
    fer_buf_init(&b, a, s.len + 100);
    fer_buf_add_text(&b, head);
    fer_buf_add(&b, s);
    fer_buf_add_text(&b, tail);
    HOLDS(fer_buf_code(&b, NULL) == FER_OK);
    return fer_buf_view(&b);
}

static void check_again(fer_arena *a, fer_str s)
{
    size_t count;
    const fer_text_format *f = fer_text_formats(&count);
    for (size_t i = 0; i < count; i++) {
        int good = f[i].check(a, s);
        HOLDS(good == 0 || good == 1);
        HOLDS(f[i].check(a, s) == good);
    }
}

static void check_inclusion(fer_arena *a, fer_str s)
{
    static const char *const pairs[][2] = {
        {"uri", "iri"},
        {"uri", "uri-reference"},
        {"iri", "iri-reference"},
        {"uri-reference", "iri-reference"},
        {"hostname", "idn-hostname"},
        {"email", "idn-email"},
        {"uuid", "hostname"},
    };
    for (size_t i = 0; i < FER_COUNT(pairs); i++)
        HOLDS(!is(a, pairs[i][0], s) || is(a, pairs[i][1], s));
}

static void check_dates(fer_arena *a, fer_str s)
{
    if (s.len < 12) {
        HOLDS(!is(a, "date-time", s));
        return;
    }
    fer_str date = fer_str_slice(s, 0, 10), time = fer_str_slice(s, 11, s.len);
    bool parts = is(a, "date", date) && is(a, "time", time) && fer_lower(s.ptr[10]) == 't';
    bool leap = parts && time.ptr[6] == '6';
    if (is(a, "date-time", s)) HOLDS(parts);
    else HOLDS(!parts || leap);
}

static void check_addresses(fer_arena *a, fer_str s)
{
    unsigned char bytes[16];
    bool v4 = is(a, "ipv4", s), v6 = is(a, "ipv6", s);
    if (fer_str_find(s, 0, '\0') == SIZE_MAX) {
        fer_str copy = fer_arena_copy(a, s);
        HOLDS(copy.ptr);
        HOLDS(v4 == (inet_pton(AF_INET, copy.ptr, bytes) == 1));
        HOLDS(v6 == (inet_pton(AF_INET6, copy.ptr, bytes) == 1));
    }
    HOLDS(!v4 || (!v6 && is(a, "hostname", s)));
    HOLDS(!v4 || is(a, "email", join(a, "a@[", s, "]")));
    HOLDS(!v6 || is(a, "email", join(a, "a@[IPv6:", s, "]")));
    HOLDS(!v6 || is(a, "uri", join(a, "a://[", s, "]:1")));
}

static void check_hosts(fer_arena *a, fer_str s)
{
    uint8_t *name = NULL;
    bool international = is(a, "idn-hostname", s);
    if (s.len <= 252) {
        HOLDS(!is(a, "hostname", s) || is(a, "email", join(a, "a@", s, "")));
        HOLDS(!international || is(a, "idn-email", join(a, "a@", s, "")));
    }
    if (!international) return;
    fer_str copy = fer_arena_copy(a, s);
    HOLDS(copy.ptr);
    int code = idn2_lookup_u8((const uint8_t *)copy.ptr, &name, IDN2_NONTRANSITIONAL);
    if (code == IDN2_OK) HOLDS(is(a, "hostname", fer_str_of((const char *)name)));
    idn2_free(name);
}

static void check_pointers(fer_arena *a, fer_str s)
{
    if (!is(a, "json-pointer", s)) return;
    HOLDS(is(a, "relative-json-pointer", join(a, "0", s, "")));
    HOLDS(is(a, "relative-json-pointer", join(a, "10-2", s, "")));
    HOLDS(is(a, "json-pointer", join(a, "", s, "/~0")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str s = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    check_again(a, s);
    check_inclusion(a, s);
    check_dates(a, s);
    check_addresses(a, s);
    check_hosts(a, s);
    check_pointers(a, s);
    fer_arena_free(a);
    return 0;
}
