/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of the Internet Protocol and what they are for, by the registries of special-purpose
 * addresses (RFC 6890 and its successors). Nothing is looked up. Pure; any thread.
 */
#ifndef FER_NET_ADDRESS_H
#define FER_NET_ADDRESS_H

#include <sys/socket.h>

#include "str.h"

typedef enum fer_address_class {
    FER_ADDRESS_PUBLIC,
    FER_ADDRESS_LOOPBACK,    /* this machine */
    FER_ADDRESS_PRIVATE,     /* a network of one's own: RFC 1918, RFC 4193, carrier-grade NAT */
    FER_ADDRESS_LINK_LOCAL,  /* this wire; clouds serve credentials to their machines here */
    FER_ADDRESS_METADATA,    /* where clouds do so by other addresses */
    FER_ADDRESS_UNSPECIFIED, /* 0.0.0.0/8 and ::, which Linux takes for this machine */
    FER_ADDRESS_MULTICAST,   /* and broadcast */
    FER_ADDRESS_TRANSLATED,  /* an IPv6 address that a gateway makes an IPv4 one of */
    FER_ADDRESS_RESERVED,    /* documentation, benchmarks, never assigned */
    FER_ADDRESS_CLASSES
} fer_address_class;

/* By class: "a loopback address" and so on, for sentences. */
extern const char *const fer_address_class_texts[FER_ADDRESS_CLASSES];

/* An address in the 16 bytes of IPv6; one of IPv4 is ::ffff:a.b.c.d, and so is a mapped one. */
typedef struct fer_address {
    uint8_t bytes[16];
} fer_address;

/* Addresses that begin with the same bits. */
typedef struct fer_address_block {
    fer_address start;
    uint8_t bits; /* of the 128; an IPv4 block has 96 more than it is written with */
} fer_address_block;

/* Exactly as inet_pton reads it: no short, octal or hexadecimal IPv4, no zone. */
bool fer_address_parse(fer_str text, fer_address *out);
/* "10.0.0.0/8", "fd00::/8", or an address alone. False: it is neither, or has bits past its length.
 */
bool fer_address_block_parse(fer_str text, fer_address_block *out);
#define FER_ADDRESS_TEXT 46 /* bytes of an address as text, its NUL included */
void fer_address_format(const fer_address *a, char out[FER_ADDRESS_TEXT]);
/* False where it is of neither family. */
bool fer_address_of(const struct sockaddr *from, fer_address *out);

bool fer_address_in(const fer_address *a, const fer_address_block *block);
fer_address_class fer_address_classify(const fer_address *a);

#endif
