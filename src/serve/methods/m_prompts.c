/* SPDX-License-Identifier: Apache-2.0 */
/* prompts/list and prompts/get. */
#include "m_wares.h"

void fer_method_prompts(fer_ask *q)
{
    fer_wares_list(q, FER_WARE_PROMPT);
}

/* A prompt that nobody lists may be there all the same, where one server has prompts. */
static fer_server *only_one(const fer_guest *g)
{
    fer_server *only = NULL;
    for (fer_server *s = g->server->wares.servers; s; s = s->next) {
        if (!fer_wares_shows(g, s) || (s->known && !(s->can & FER_CAN_PROMPTS))) continue;
        if (only) return NULL;
        only = s;
    }
    return only;
}

void fer_method_get_prompt(fer_ask *q)
{
    fer_guest *g = fer_ask_guest(q);
    if (!fer_wares_offered(q, FER_CAN_PROMPTS)) return;
    const yyjson_val *name = fer_wares_text(q, q->params, "name", "name");
    fer_relay *r = name ? fer_relay_new(q) : NULL;
    if (!r) return;
    const fer_ware *x = fer_wares_find(g, FER_WARE_PROMPT, fer_val_str(name));
    fer_server *server = x ? x->server : only_one(g);
    if (!server) {
        fer_ask_note_denied(q, FER_STR(""));
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "there is no prompt %.*s",
                     FER_PRI(fer_str_head(fer_val_str(name), 128)));
        return;
    }
    r->servers[r->count++] = server;
    if (x && !fer_str_eq(x->own, x->key) && !fer_relay_put(r, name, x->own)) return;
    fer_relay_go(r);
}
