/* SPDX-License-Identifier: Apache-2.0 */
/* completion/complete: of an argument of a prompt, or a variable of a resource's template. */
#include "m_wares.h"

/* The only one that it can be; NULL: there are several. */
static fer_server *only_one(const fer_guest *g)
{
    fer_server *only = NULL;
    for (fer_server *s = g->server->wares.servers; s; s = s->next) {
        if (!fer_wares_shows(g, s) || !(s->can & FER_CAN_COMPLETE)) continue;
        if (only) return NULL;
        only = s;
    }
    return only;
}

static bool ask_of(fer_relay *r, fer_ware_kind kind, const yyjson_val *name)
{
    fer_guest *g = fer_ask_guest(r->ask);
    const fer_ware *x = fer_wares_find(g, kind, fer_val_str(name));
    fer_server *server = x ? x->server : NULL;
    if (!x && kind == FER_WARE_TEMPLATE) return fer_relay_to_resource(r, name);
    if (!server) server = only_one(g);
    if (server) r->servers[r->count++] = server;
    return !x || fer_str_eq(x->own, x->key) || fer_relay_put(r, name, x->own);
}

void fer_method_complete(fer_ask *q)
{
    const yyjson_val *ref = fer_val_get(q->params, "ref");
    if (!fer_wares_offered(q, FER_CAN_COMPLETE)) return;
    const yyjson_val *type = fer_wares_text(q, ref, "type", "ref.type");
    if (!type) return;
    bool prompt = fer_str_is(fer_val_str(type), "ref/prompt");
    if (!prompt && !fer_str_is(fer_val_str(type), "ref/resource")) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.ref.type must be ref/prompt or ref/resource");
        return;
    }
    const yyjson_val *name = prompt ? fer_wares_text(q, ref, "name", "ref.name")
                                    : fer_wares_text(q, ref, "uri", "ref.uri");
    fer_relay *r = name ? fer_relay_new(q) : NULL;
    if (r && ask_of(r, prompt ? FER_WARE_PROMPT : FER_WARE_TEMPLATE, name)) fer_relay_go(r);
}
