/* SPDX-License-Identifier: Apache-2.0 */
/* notifications/cancelled: names a request of the same peer, or nothing. */
#include "serve_parts.h"

static bool read_id(const fer_rpc *m, fer_rpc_id *out)
{
    const yyjson_val *id = fer_val_get(m->params, "requestId");
    if (fer_is_str(id)) *out = (fer_rpc_id){FER_RPC_TEXT, fer_val_str(id)};
    else if (fer_is_num(id)) *out = (fer_rpc_id){FER_RPC_INTEGER, fer_rpc_bytes(m->doc, id)};
    else return false;
    return true;
}

void fer_hear_cancelled(fer_peer *p, const fer_rpc *m)
{
    fer_rpc_id id;
    fer_ask *q = read_id(m, &id) ? p->asks : NULL;
    while (q && (q->cancelled || !fer_rpc_id_eq(&q->id, &id))) q = q->next;
    if (q) fer_ask_cancel(q);
    else p->server->counts.ignored++; /* it has ended, or never was */
}
