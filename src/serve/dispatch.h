/* SPDX-License-Identifier: Apache-2.0 */
/* From a message to the row of its method: for exchange.c. */
#ifndef FER_DISPATCH_H
#define FER_DISPATCH_H

#include "serve_parts.h"

/* Does what a message asks for. */
void fer_dispatch(fer_talk *x, const fer_rpc *m);

/* A request of the exchange; NULL: no memory. */
fer_ask *fer_talk_ask(fer_talk *x, const fer_rpc *m);
/* Answers what is no request, or none that can be made one. `id` may be NULL. */
void fer_talk_refuse(fer_talk *x, const fer_rpc_id *id, int code, fer_str message);

#endif
