/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tokens: where the next page starts, signed. A token is opaque to whoever holds it, and
 * good for one request on one version of one catalogue. It holds no secret.
 *
 * Bytes: format 1, flags 0 0 0, then version, stamp and offset of 8 bytes each, 16 bytes of a
 * digest of the request, and 16 bytes of HMAC-SHA-256 over all that; base64url without padding.
 */
#ifndef FER_PAGE_H
#define FER_PAGE_H

#include "view.h"

#define FER_DIGEST     16
#define FER_TOKEN_TEXT 80 /* characters of a token */

/* What a page is asked of: the words of the request. */
typedef struct fer_request {
    const char *what; /* "list", "search" ... */
    fer_str query;
    const fer_filter *filter; /* or NULL */
    fer_str more;             /* whatever else changes the answer */
    uint64_t state;           /* of what may change beside the catalogue */
} fer_request;

typedef struct fer_pager {
    const fer_view *view;
    uint64_t stamp;                   /* of the content: the view's, and the request's state */
    unsigned char digest[FER_DIGEST]; /* of the request */
    size_t offset;                    /* where the page starts */
    size_t size;                      /* things on it, at most */
} fer_pager;

/* Takes the token of a page apart; `page` may be NULL. `a` is used on the way. */
fer_code fer_pager_init(fer_pager *p, fer_arena *a, const fer_view *v, const fer_request *request,
                        const fer_page *page, fer_err *err);
/* The token of the page that starts at `offset`. */
fer_code fer_pager_token(const fer_pager *p, fer_arena *a, size_t offset, fer_str *out,
                         fer_err *err);

#endif
