/* SPDX-License-Identifier: Apache-2.0 */
/* resources/list, resources/templates/list and resources/read. */
#include "m_wares.h"

void fer_method_resources(fer_ask *q)
{
    fer_wares_list(q, FER_WARE_RESOURCE);
}

void fer_method_templates(fer_ask *q)
{
    fer_wares_list(q, FER_WARE_TEMPLATE);
}

bool fer_relay_to_resource(fer_relay *r, const yyjson_val *uri)
{
    fer_guest *g = fer_ask_guest(r->ask);
    fer_str shown = fer_val_str(uri), own;
    r->count = fer_wares_holders(g, shown, r->servers, FER_RELAY_SERVERS, &own);
    if (fer_str_eq(own, shown)) return true;
    /* What the list says may be gone before the answer is there. */
    r->own = fer_arena_copy(fer_ask_arena(r->ask), own);
    r->shown = shown;
    return fer_relay_put(r, uri, own);
}

void fer_method_read(fer_ask *q)
{
    if (!fer_wares_offered(q, FER_CAN_RESOURCES)) return;
    const yyjson_val *uri = fer_wares_text(q, q->params, "uri", "uri");
    fer_relay *r = uri ? fer_relay_new(q) : NULL;
    if (r && fer_relay_to_resource(r, uri)) fer_relay_go(r);
}
