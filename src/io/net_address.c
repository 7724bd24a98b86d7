/* SPDX-License-Identifier: Apache-2.0 */
#include "net_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#define MAPPED 96 /* bits in front of an IPv4 address */

const char *const fer_address_class_texts[FER_ADDRESS_CLASSES] = {
    [FER_ADDRESS_PUBLIC] = "a public address",
    [FER_ADDRESS_LOOPBACK] = "a loopback address",
    [FER_ADDRESS_PRIVATE] = "a private address",
    [FER_ADDRESS_LINK_LOCAL] = "a link-local address",
    [FER_ADDRESS_METADATA] = "an address of a cloud's metadata",
    [FER_ADDRESS_UNSPECIFIED] = "the unspecified address",
    [FER_ADDRESS_MULTICAST] = "a multicast address",
    [FER_ADDRESS_TRANSLATED] = "an IPv6 address that stands for an IPv4 one",
    [FER_ADDRESS_RESERVED] = "a reserved address",
};

/*
 * The IANA registries of special-purpose addresses, October 2025, and the metadata services that
 * live outside of 169.254.0.0/16. Of two rows that hold an address the earlier one counts. What is
 * in no row is public where it is IPv4 or in 2000::/3, all of IPv6 that was ever given out.
 */
static const struct row {
    uint8_t start[16];
    uint8_t bits;
    fer_address_class class;
} rows[] = {
#define V4(a, b, c, d, bits, class)                                                                \
    {                                                                                              \
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, (a), (b), (c), (d)}, MAPPED + (bits), (class)   \
    }
    V4(100, 100, 100, 200, 32, FER_ADDRESS_METADATA), /* Alibaba Cloud */
    V4(192, 0, 0, 192, 32, FER_ADDRESS_METADATA),     /* Oracle Cloud, at first */
    V4(168, 63, 129, 16, 32, FER_ADDRESS_METADATA),   /* Azure's WireServer */
    V4(0, 0, 0, 0, 8, FER_ADDRESS_UNSPECIFIED),
    V4(10, 0, 0, 0, 8, FER_ADDRESS_PRIVATE),
    V4(100, 64, 0, 0, 10, FER_ADDRESS_PRIVATE), /* carrier-grade NAT */
    V4(127, 0, 0, 0, 8, FER_ADDRESS_LOOPBACK),
    V4(169, 254, 0, 0, 16, FER_ADDRESS_LINK_LOCAL),
    V4(172, 16, 0, 0, 12, FER_ADDRESS_PRIVATE),
    V4(192, 0, 0, 0, 24, FER_ADDRESS_RESERVED),
    V4(192, 0, 2, 0, 24, FER_ADDRESS_RESERVED),
    V4(192, 88, 99, 0, 24, FER_ADDRESS_TRANSLATED), /* relays of 6to4 */
    V4(192, 168, 0, 0, 16, FER_ADDRESS_PRIVATE),
    V4(198, 18, 0, 0, 15, FER_ADDRESS_RESERVED),
    V4(198, 51, 100, 0, 24, FER_ADDRESS_RESERVED),
    V4(203, 0, 113, 0, 24, FER_ADDRESS_RESERVED),
    V4(224, 0, 0, 0, 4, FER_ADDRESS_MULTICAST),
    V4(255, 255, 255, 255, 32, FER_ADDRESS_MULTICAST),
    V4(240, 0, 0, 0, 4, FER_ADDRESS_RESERVED),
    V4(0, 0, 0, 0, 0, FER_ADDRESS_PUBLIC),
    {{[15] = 1}, 128, FER_ADDRESS_LOOPBACK},
    {{0}, 128, FER_ADDRESS_UNSPECIFIED},
    {{0}, MAPPED, FER_ADDRESS_TRANSLATED},                  /* ::a.b.c.d, deprecated */
    {{0x00, 0x64, 0xff, 0x9b}, 32, FER_ADDRESS_TRANSLATED}, /* NAT64, both prefixes */
    {{0x01}, 8, FER_ADDRESS_RESERVED},                      /* discard-only and its neighbours */
    {{0x20, 0x01, 0x00, 0x00}, 32, FER_ADDRESS_TRANSLATED}, /* Teredo */
    {{0x20, 0x01, 0x0d, 0xb8}, 32, FER_ADDRESS_RESERVED},
    {{0x20, 0x01}, 23, FER_ADDRESS_RESERVED},   /* protocol assignments */
    {{0x20, 0x02}, 16, FER_ADDRESS_TRANSLATED}, /* 6to4 */
    {{0x3f, 0xff}, 20, FER_ADDRESS_RESERVED},
    {{0xfd, 0x00, 0x0e, 0xc2}, 32, FER_ADDRESS_METADATA}, /* Amazon's, and its DNS and time */
    {{0xfd, 0x20, 0x00, 0xce}, 32, FER_ADDRESS_METADATA}, /* Google's */
    {{0xfc}, 7, FER_ADDRESS_PRIVATE},
    {{0xfe, 0x80}, 10, FER_ADDRESS_LINK_LOCAL},
    {{0xfe, 0xc0}, 10, FER_ADDRESS_PRIVATE}, /* site-local, deprecated */
    {{0xff}, 8, FER_ADDRESS_MULTICAST},
    {{0x20}, 3, FER_ADDRESS_PUBLIC},
};

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    if (memcmp(a, b, bits / 8) != 0) return false;
    unsigned rest = bits % 8;
    return !rest || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0;
}

bool fer_address_in(const fer_address *a, const fer_address_block *block)
{
    return same_bits(a->bytes, block->start.bytes, block->bits);
}

fer_address_class fer_address_classify(const fer_address *a)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (same_bits(a->bytes, rows[i].start, rows[i].bits)) return rows[i].class;
    }
    return FER_ADDRESS_RESERVED;
}

static fer_address mapped(const void *four)
{
    fer_address a = {.bytes = {[10] = 0xff, [11] = 0xff}};
    memcpy(a.bytes + 12, four, 4);
    return a;
}

bool fer_address_parse(fer_str text, fer_address *out)
{
    char copy[INET6_ADDRSTRLEN];
    struct in_addr four;
    if (!text.len || text.len >= sizeof copy || memchr(text.ptr, '\0', text.len)) return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET6, copy, out->bytes) == 1) return true;
    if (inet_pton(AF_INET, copy, &four) != 1) return false;
    *out = mapped(&four);
    return true;
}

static bool has_bits_past(const fer_address_block *b)
{
    fer_address_block zero = {.bits = 128};
    memcpy(zero.start.bytes, b->start.bytes, b->bits / 8);
    if (b->bits % 8)
        zero.start.bytes[b->bits / 8] =
            (uint8_t)(b->start.bytes[b->bits / 8] & 0xff00 >> b->bits % 8);
    return !fer_address_in(&b->start, &zero);
}

bool fer_address_block_parse(fer_str text, fer_address_block *out)
{
    fer_address_block b = {.bits = 128};
    size_t slash = fer_str_find(text, 0, '/');
    fer_str address = slash == SIZE_MAX ? text : fer_str_slice(text, 0, slash);
    unsigned before = fer_str_find(address, 0, ':') == SIZE_MAX ? MAPPED : 0;
    uint64_t bits = 0;
    if (!fer_address_parse(address, &b.start)) return false;
    if (slash != SIZE_MAX) {
        if (!fer_parse_u64(fer_str_slice(text, slash + 1, text.len), &bits)) return false;
        if (bits > 128 - before) return false;
        b.bits = (uint8_t)(bits + before);
    }
    if (has_bits_past(&b)) return false;
    *out = b;
    return true;
}

bool fer_address_of(const struct sockaddr *from, fer_address *out)
{
    if (from->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, from, sizeof four);
        *out = mapped(&four.sin_addr);
        return true;
    }
    if (from->sa_family != AF_INET6) return false;
    struct sockaddr_in6 six;
    memcpy(&six, from, sizeof six);
    memcpy(out->bytes, &six.sin6_addr, sizeof out->bytes);
    return true;
}

void fer_address_format(const fer_address *a, char out[FER_ADDRESS_TEXT])
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    bool old = memcmp(a->bytes, mapped, sizeof mapped) == 0;
    out[0] = '\0';
    inet_ntop(old ? AF_INET : AF_INET6, old ? a->bytes + 12 : a->bytes, out, FER_ADDRESS_TEXT);
}
