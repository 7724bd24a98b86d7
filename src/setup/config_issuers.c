/* SPDX-License-Identifier: Apache-2.0 */
/* Who vouches for clients of ferrule serve: serve.issuers. */
#include "access.h"
#include "config_parts.h"
#include "errors.h"
#include "jwks_source.h"

#define LEEWAY 30 /* seconds, where nothing is said */

static const char *word(fer_configure *c, const yyjson_val *object, const char *key,
                        const char *otherwise)
{
    fer_str text = fer_configure_text(object, key);
    if (!text.len) return otherwise;
    const char *copy = fer_arena_copy(c->a, text).ptr;
    if (!copy) fer_configure_no_memory(c);
    return copy;
}

static uint32_t take_algs(const yyjson_val *list)
{
    uint32_t bits = 0;
    if (!fer_is_arr(list)) return (UINT32_C(1) << fer_jose_alg_count) - 1;
    FER_EACH_ITEM (list, name) {
        const fer_jose_alg *alg = fer_is_str(name) ? fer_jose_find(fer_val_str(name)) : NULL;
        if (alg) bits |= UINT32_C(1) << (alg - fer_jose_algs);
    }
    return bits;
}

static void take_tenants(fer_configure *c, const yyjson_val *key, fer_claim_map *map)
{
    const yyjson_val *object = key + 1, *tenants = fer_val_get(object, "tenants");
    size_t most = fer_is_obj(tenants) ? fer_val_len(tenants) : 0;
    fer_claim_pair *list = fer_arena_alloc_zero(c->a, most + 1, sizeof *list);
    map->tenant = fer_configure_text(object, "tenant");
    map->who_tenant = word(c, object, "tenantClaim", NULL);
    if (!list) fer_configure_no_memory(c);
    if (!map->tenant.len == !map->who_tenant)
        FER_CONFIG_ERROR(c, key,
                         "an issuer has a \"tenant\" for all its clients, or a \"tenantClaim\" "
                         "that says whose each is");
    if ((map->who_tenant != NULL) != (most > 0))
        FER_CONFIG_ERROR(c, key, "\"tenantClaim\" and \"tenants\" belong together");
    if (!list || !most) return;
    FER_EACH_MEMBER (tenants, one)
        if (fer_is_str(one + 1))
            list[map->tenant_count++] = (fer_claim_pair){fer_val_str(one), fer_val_str(one + 1)};
    map->tenants = list;
}

static void take_grants(fer_configure *c, const yyjson_val *scopes, fer_claim_map *map)
{
    size_t most = fer_is_obj(scopes) ? fer_val_len(scopes) : 0;
    fer_grant *list = fer_arena_alloc_zero(c->a, most + 1, sizeof *list);
    fer_err err;
    if (!list) fer_configure_no_memory(c);
    if (!list || !most) return;
    FER_EACH_MEMBER (scopes, one) {
        fer_grant *g = &list[map->grant_count++];
        g->name = fer_val_str(one);
        g->scopes = fer_configure_texts(c, one + 1, false, &g->count);
        for (size_t i = 0; i < g->count; i++)
            if (fer_access_check(g->scopes[i], &err)) FER_CONFIG_ERROR(c, one, "%s", err.message);
    }
    map->grants = list;
}

static void take_issuer(fer_configure *c, const yyjson_val *key, fer_config_issuer *out)
{
    const yyjson_val *object = key + 1, *leeway = fer_val_get(object, "leewaySeconds");
    *out = (fer_config_issuer){.name = fer_val_str(key),
                               .issuer = fer_configure_text(object, "issuer"),
                               .jwks = fer_configure_text(object, "jwks"),
                               .algs = take_algs(fer_val_get(object, "algorithms")),
                               .leeway =
                                   leeway ? fer_configure_number(object, "leewaySeconds") : LEEWAY,
                               .mode = fer_configure_text(object, "mode"),
                               .place = fer_json_place(c->doc, key)};
    out->audiences =
        fer_configure_texts(c, fer_val_get(object, "audience"), false, &out->audience_count);
    out->expose = fer_configure_texts(c, fer_val_get(object, "expose"), false, &out->expose_count);
    if (fer_jwks_is_url(out->jwks)) fer_configure_url(c, fer_val_get(object, "jwks"), out->jwks);
    else out->jwks = fer_configure_path(c, out->jwks);
    take_tenants(c, key, &out->map);
    out->map.who = word(c, object, "principalClaim", "sub");
    out->map.scopes = word(c, object, "scopeClaim", "scope");
    take_grants(c, fer_val_get(object, "scopes"), &out->map);
}

void fer_configure_issuers(fer_configure *c, const yyjson_val *serve, fer_config_serve *out)
{
    const yyjson_val *issuers = fer_val_get(serve, "issuers"),
                     *resource = fer_val_get(serve, "resource");
    size_t most = fer_is_obj(issuers) ? fer_val_len(issuers) : 0;
    fer_config_issuer *list = most ? fer_arena_alloc_zero(c->a, most, sizeof *list) : NULL;
    out->resource = fer_configure_text(serve, "resource");
    if (out->resource.len) fer_configure_url(c, resource, out->resource);
    if (most && !out->resource.len)
        FER_CONFIG_ERROR(c, issuers,
                         "\"issuers\" need a \"resource\": the URL that clients ask, which their "
                         "tokens must be for");
    if (most && !list) fer_configure_no_memory(c);
    if (!list) return;
    FER_EACH_MEMBER (issuers, key) {
        if (!fer_is_obj(key + 1)) continue; /* the schema has told */
        fer_config_issuer *one = &list[out->issuer_count++];
        take_issuer(c, key, one);
        for (size_t i = 0; i + 1 < out->issuer_count; i++)
            if (fer_str_eq(list[i].issuer, one->issuer))
                FER_CONFIG_ERROR(c, key, "the issuer stands here twice");
        if (c->failure) return;
    }
    out->issuers = list;
}

/* ---- copies -----------------------------------------------------------------------------------
 */

static bool copy_text(fer_arena *a, fer_str *s)
{
    *s = s->len ? fer_arena_copy(a, *s) : FER_STR("");
    return s->ptr != NULL;
}

static bool copy_texts(fer_arena *a, const fer_str **list, size_t count)
{
    fer_str *own = fer_arena_alloc_zero(a, count + 1, sizeof *own);
    for (size_t i = 0; own && i < count; i++) {
        own[i] = (*list)[i];
        if (!copy_text(a, &own[i])) return false;
    }
    *list = own;
    return own != NULL;
}

static bool copy_word(fer_arena *a, const char **word)
{
    bool there = *word != NULL;
    if (there) *word = fer_arena_copy(a, fer_str_of(*word)).ptr;
    return !there || *word;
}

static bool copy_map(fer_arena *a, fer_claim_map *map)
{
    fer_claim_pair *tenants = fer_arena_alloc_zero(a, map->tenant_count + 1, sizeof *tenants);
    fer_grant *grants = fer_arena_alloc_zero(a, map->grant_count + 1, sizeof *grants);
    bool good = tenants && grants && copy_text(a, &map->tenant) && copy_word(a, &map->who_tenant) &&
                copy_word(a, &map->who) && copy_word(a, &map->scopes);
    for (size_t i = 0; good && i < map->tenant_count; i++) {
        tenants[i] = map->tenants[i];
        good = copy_text(a, &tenants[i].claim) && copy_text(a, &tenants[i].means);
    }
    for (size_t i = 0; good && i < map->grant_count; i++) {
        grants[i] = map->grants[i];
        good = copy_text(a, &grants[i].name) && copy_texts(a, &grants[i].scopes, grants[i].count);
    }
    map->tenants = tenants;
    map->grants = grants;
    return good;
}

fer_code fer_config_copy_issuers(fer_arena *a, const fer_config_serve *from, fer_config_serve *to,
                                 fer_err *err)
{
    fer_config_issuer *list = fer_arena_alloc_zero(a, from->issuer_count + 1, sizeof *list);
    *to = (fer_config_serve){.resource = from->resource, .issuers = list};
    bool good = list && copy_text(a, &to->resource);
    for (; good && to->issuer_count < from->issuer_count; to->issuer_count++) {
        fer_config_issuer *one = &list[to->issuer_count];
        *one = from->issuers[to->issuer_count];
        good = copy_text(a, &one->name) && copy_text(a, &one->issuer) && copy_text(a, &one->jwks) &&
               copy_text(a, &one->mode) && copy_texts(a, &one->audiences, one->audience_count) &&
               copy_texts(a, &one->expose, one->expose_count) && copy_map(a, &one->map);
    }
    return good ? FER_OK : fer_arena_failed(a, err);
}
