/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"

#include "challenge.h"
#include "json_doc.h"

static fer_jwt_fault find_tenant(const fer_jwt *t, const fer_claim_map *map, fer_str *out)
{
    *out = map->tenant;
    if (!map->who_tenant) return map->tenant.len ? FER_JWT_GOOD : FER_JWT_TENANT;
    fer_str said = fer_jwt_word(t, map->who_tenant);
    for (size_t i = 0; said.ptr && i < map->tenant_count; i++) {
        if (!fer_str_eq(map->tenants[i].claim, said)) continue;
        *out = map->tenants[i].means;
        return FER_JWT_GOOD;
    }
    return FER_JWT_TENANT;
}

/* ---- scopes -----------------------------------------------------------------------------------
 */

typedef struct gathering {
    fer_arena *arena;
    const fer_claim_map *map;
    fer_str *list;
    size_t count;
    fer_jwt_fault fault;
} gathering;

static void add(gathering *g, fer_str scope)
{
    for (size_t i = 0; i < g->count; i++)
        if (fer_str_eq(g->list[i], scope)) return;
    if (!scope.ptr) g->fault = FER_JWT_NO_MEMORY;
    else if (g->count == FER_IDENTITY_SCOPES) g->fault = FER_JWT_CLAIMS;
    if (!g->fault) g->list[g->count++] = scope;
}

static bool is_plain(fer_str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] <= ' ' || word.ptr[i] >= 0x7F) return false;
    return word.len > 0 && word.len <= FER_JWT_WORD;
}

/* Where the operator gives something for scopes, those for which nothing is given are names that
 * tools may ask for, and open nothing else. */
static void take_word(gathering *g, fer_str word)
{
    const fer_claim_map *map = g->map;
    if (!is_plain(word)) return;
    for (size_t i = 0; i < map->grant_count; i++) {
        if (!fer_str_eq(map->grants[i].name, word)) continue;
        for (size_t k = 0; !g->fault && k < map->grants[i].count; k++)
            add(g, map->grants[i].scopes[k]);
    }
    if (map->grant_count) add(g, fer_arena_printf(g->arena, "scope:%.*s", FER_PRI(word)));
    else add(g, word);
}

static void take_scopes(gathering *g, const yyjson_val *claim)
{
    fer_str list, word;
    if (fer_is_str(claim)) {
        list = fer_val_str(claim);
        while (!g->fault && fer_scope_next(&list, &word)) take_word(g, word);
    } else if (fer_is_arr(claim)) {
        FER_EACH_ITEM (claim, one)
            if (!g->fault && fer_is_str(one)) take_word(g, fer_val_str(one));
    } else if (claim) {
        g->fault = FER_JWT_CLAIMS;
    }
}

fer_jwt_fault fer_identity_read(fer_arena *a, const fer_jwt *t, const fer_claim_map *map,
                                fer_identity *out)
{
    gathering g = {.arena = a, .map = map};
    *out = (fer_identity){0};
    fer_jwt_fault fault = find_tenant(t, map, &out->tenant);
    if (fault) return fault;
    out->principal = fer_jwt_word(t, map->who);
    if (!out->principal.ptr) return FER_JWT_CLAIMS;
    g.list = fer_arena_alloc_zero(a, FER_IDENTITY_SCOPES, sizeof *g.list);
    if (!g.list) return FER_JWT_NO_MEMORY;
    take_scopes(&g, fer_val_get(t->claims, map->scopes));
    out->scopes = g.list;
    out->scope_count = g.count;
    return g.fault;
}
