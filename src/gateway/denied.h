/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody was turned away before there was a call: what the ledger is told of it. */
#ifndef FER_DENIED_H
#define FER_DENIED_H

#include <ferrule/gateway.h>

typedef struct fer_denied {
    const char *where;        /* "http", "mcp": with `why` the ID of the rule, such as http.token */
    const char *why;          /* "token", "session", "host", "origin", "admin", "scopes" ... */
    fer_str method, path;     /* of the request */
    fer_str address;          /* from where */
    fer_str tool;             /* that was asked for, where there is such a one; or empty */
    const fer_caller *caller; /* NULL: nobody knows who */
    size_t unsaid;            /* refusals before it that were not written down */
} fer_denied;

/* Adds a record `denied`; nothing where there is no ledger. */
void fer_gateway_record_denied(fer_gateway *g, const fer_denied *d);

#endif
