/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods about resources, prompts and completion share. */
#ifndef FER_M_WARES_H
#define FER_M_WARES_H

#include "relay.h"

/* Answers with a page of all things of a kind. */
void fer_wares_list(fer_ask *q, fer_ware_kind kind);
/* Whether any server has this; if not, the request has been answered. */
FER_MUST_USE bool fer_wares_offered(fer_ask *q, unsigned ability);
/* A text among params; NULL: it is none, and the request has been answered. */
const yyjson_val *fer_wares_text(fer_ask *q, const yyjson_val *object, const char *key,
                                 const char *shown);
/* Names the servers of a relay that may have a resource, and puts its URI there. False: answered.
 */
FER_MUST_USE bool fer_relay_to_resource(fer_relay *r, const yyjson_val *uri);

#endif
