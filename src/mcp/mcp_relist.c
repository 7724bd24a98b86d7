/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call whose headers do not fit its tool any more (-32020, 2026-07-28): the server has not run
 * it, and says that what was listed is out of date. The tool is listed anew, and the call made
 * again with its new definition, once; where the list cannot be had, or has no such tool, the
 * refusal is the end. Whoever gives the call up meanwhile leaves the list to end by itself.
 */
#include "buf.h"
#include "json_value.h"
#include "mcp_parts.h"
#include "sys.h"

struct fer_mcp_relist {
    fer_mcp_list list;  /* its arena is its own */
    fer_mcp_call *call; /* NULL: it was given up */
    fer_mcp_outcome refusal;
};

/* The tool as it is listed now, in the arena of the call; empty: it is not. */
static fer_str find_tool(const fer_mcp_call *k, fer_arena *a, fer_str tools)
{
    fer_json *doc;
    fer_json_limits limits = *fer_json_limits_message();
    limits.size = limits.nodes = UINT32_MAX; /* it was taken as a list */
    if (fer_json_read(a, tools, &limits, &doc, NULL)) return FER_STR_NONE;
    FER_EACH_ITEM (fer_json_root(doc), tool) {
        const yyjson_val *name = fer_val_get(tool, "name");
        if (fer_is_str(name) && fer_str_eq(fer_val_str(name), k->tool))
            return fer_arena_copy(k->arena, fer_rpc_bytes(doc, tool));
    }
    return FER_STR_NONE;
}

static void listed(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err)
{
    struct fer_mcp_relist *x = l->context;
    fer_mcp_call *k = x->call;
    fer_mcp_outcome refusal = x->refusal;
    (void)err;
    fer_str now = k && !code ? find_tool(k, l->arena, tools) : FER_STR_NONE;
    fer_arena_free(l->arena);
    fer_sys_free(x);
    if (!k) return;
    k->relist = NULL;
    if (!now.len || k->request.client->stopping) {
        fer_mcp_call_end(k, &refusal);
        return;
    }
    k->definition = now;
    fer_mcp_submit(k->request.client, &k->request, &fer_mcp_call_kind);
}

bool fer_mcp_relist_begin(fer_mcp_client *c, fer_mcp_call *k, const fer_mcp_outcome *refusal)
{
    if (k->method || k->relisted || c->stopping) return false;
    struct fer_mcp_relist *x = fer_sys_malloc(sizeof *x);
    fer_arena *a = x ? fer_arena_new(4 * FER_MCP_LIST_MAX) : NULL;
    if (!a) {
        fer_sys_free(x);
        return false;
    }
    *x = (struct fer_mcp_relist){
        .list = {.arena = a, .on_end = listed, .context = x}, .call = k, .refusal = *refusal};
    k->relist = x;
    k->relisted = true;
    k->request.sent = false; /* nothing of it was done */
    k->request.id = 0;
    fer_mcp_client_list(c, &x->list);
    return true;
}

void fer_mcp_relist_drop(fer_mcp_call *k)
{
    if (!k->relist) return;
    k->relist->call = NULL;
    k->relist = NULL;
}
