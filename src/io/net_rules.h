/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where requests may go. Whoever names a URL may mean a machine behind ours (SSRF): so a URL is
 * refused unless every reader understands it the same way, and an address unless it is public or
 * the operator has allowed it.
 *
 * There are two questions, and both must be asked. fer_net_rules_url: may this URL be asked at all?
 * It looks at the text alone. fer_net_rules_address: may this address be connected, for that URL?
 * It is asked about the very address of each socket, so that a name which resolves differently the
 * second time (DNS rebinding) gains nothing.
 *
 * By default everything public may be asked at ports 80 and 443. What an operator allows is added;
 * a name does not open link-local, metadata, translated and unspecified addresses, for which an
 * address must be written. Rules are made by one thread and then only read, by any; those that one
 * thread asks alone may be changed by it.
 */
#ifndef FER_NET_RULES_H
#define FER_NET_RULES_H

#include "net_address.h"

#define FER_NET_URL_MAX   8192 /* bytes of a URL */
#define FER_NET_HOST_MAX  253  /* of a host's name */
#define FER_NET_ALLOW_MAX 256  /* things that an operator allows */

typedef struct fer_net_rules fer_net_rules;

/* The parts of a URL that was understood. */
typedef struct fer_net_target {
    bool secure; /* https */
    uint16_t port;
    char host[FER_NET_HOST_MAX + 1]; /* lower case; IPv6 without brackets */
} fer_net_target;

/* The default rules; NULL without memory. */
fer_net_rules *fer_net_rules_new(void);
void fer_net_rules_free(fer_net_rules *r);

/*
 * Allows one more thing: "example.com", "*.example.com" (all names below it), "10.0.0.0/8",
 * "127.0.0.1", "[::1]"; each with ":PORT" behind it for that port alone ("[fd00::/8]:8080"), else
 * all ports. FER_BAD_USAGE: it is none of these; FER_LIMIT_EXCEEDED past net.allow.
 */
fer_code fer_net_rules_allow(fer_net_rules *r, fer_str what, fer_err *err);
/* Allows the host and the port of a URL that the operator has written. */
fer_code fer_net_rules_allow_url(fer_net_rules *r, fer_str url, fer_err *err);
/* From now on nothing but what is allowed by name or address. */
void fer_net_rules_close(fer_net_rules *r);
/* The same rules as another has; by the thread that asks them. */
void fer_net_rules_copy(fer_net_rules *r, const fer_net_rules *from);

/*
 * Takes a URL apart. FER_BAD_USAGE: it is not http or https, names a user, or is spelt in a way
 * that two readers may understand differently (2130706433, 0x7f.1, a zone, an escape, blanks ...);
 * FER_LIMIT_EXCEEDED past net.url. No part of the URL but its host is ever in a message.
 */
fer_code fer_net_target_parse(fer_str url, fer_net_target *out, fer_err *err);

/* FER_FORBIDDEN where no address of the target could be allowed. */
fer_code fer_net_rules_target(const fer_net_rules *r, const fer_net_target *t, fer_err *err);
/* Both of the above. */
fer_code fer_net_rules_url(const fer_net_rules *r, fer_str url, fer_net_target *out, fer_err *err);
/* FER_FORBIDDEN where the address must not be connected for the target. */
fer_code fer_net_rules_address(const fer_net_rules *r, const fer_net_target *t,
                               const fer_address *address, fer_err *err);

/* Whether both are one origin: scheme, host and port. */
bool fer_net_target_same(const fer_net_target *a, const fer_net_target *b);

#endif
