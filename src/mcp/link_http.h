/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link over Streamable HTTP: each message is a POST, whose answer is one JSON text or a stream of
 * events. Older servers may keep a session, have a stream of their own for what they say unasked,
 * and let a broken stream be taken up again where it ended; modern ones have none of that.
 *
 * A server of 2024-11-05 takes no POST at its URL: there it has a stream of events, whose first
 * says where messages go, and on which all answers come. It is found out by the refusal of the
 * first message (HTTP+SSE; messages go to the same origin only). When the stream ends, the link is
 * lost.
 *
 * A session that a server has forgotten is told to the client, which agrees anew. Sessions end with
 * a DELETE when the link is closed politely. Headers of the operator's are sent with everything,
 * and are in no message. Where there is an OAuth client (oauth.h), requests show its token, wait
 * for another one when the server refuses it, and are sent again then.
 */
#ifndef FER_LINK_HTTP_H
#define FER_LINK_HTTP_H

#include "http_client.h"
#include "mcp_link.h"
#include "oauth.h"

#define FER_LINK_SESSION_MAX 1024 /* bytes of a session's ID */
#define FER_LINK_PAUSE_MAX                                                                         \
    5000 /* ms before a stream is taken up, unless the server asks for more */
#define FER_LINK_POSTS_MAX 1000 /* requests under way */

typedef struct fer_link_http_spec {
    fer_str url;
    const fer_http_field *fields; /* such as Authorization */
    size_t field_count;
    fer_oauth *oauth; /* that has tokens for the server, of which the link has a reference of its
                         own; NULL: none */
} fer_link_http_spec;

/* Everything of `spec` must outlive the link, and `http` too. NULL: no memory. */
FER_MUST_USE fer_mcp_link *fer_link_http_new(uv_loop_t *loop, fer_http *http,
                                             const fer_link_http_spec *spec);

#endif
