/* SPDX-License-Identifier: Apache-2.0 */
#include "result_cache.h"

#include "sys.h"

typedef struct entry {
    fer_bag_node node;
    struct entry *older, *newer; /* of the same tenant, by use */
    struct owner *owner;
    fer_result_key key;
    fer_kept kept;
    size_t bytes;
    char text[];
} entry;

/* A tenant that has results. */
typedef struct owner {
    fer_bag_node node;
    struct owner *next, **link;
    entry *oldest, *newest;
    size_t bytes;
    size_t name_len;
    char name[];
} owner;

struct fer_results {
    fer_bag entries, owners;
    owner *list;
    size_t bytes, max;
};

fer_results *fer_results_new(size_t bytes, const uint64_t seed[2])
{
    fer_results *r = fer_sys_malloc(sizeof *r);
    if (!r) return NULL;
    *r = (fer_results){.max = bytes ? bytes : FER_RESULTS_BYTES};
    fer_bag_init(&r->entries, seed);
    fer_bag_init(&r->owners, seed);
    return r;
}

/* ---- owners ---------------------------------------------------------------------------------- */

static owner *own(fer_results *r, fer_str tenant)
{
    fer_bag_node *n = fer_bag_find(&r->owners, tenant);
    if (n) return (owner *)n; /* its first member */
    owner *o = fer_sys_malloc(sizeof *o + tenant.len);
    if (!o) return NULL;
    *o = (owner){.name_len = tenant.len};
    if (tenant.len) memcpy(o->name, tenant.ptr, tenant.len);
    if (!fer_bag_add(&r->owners, &o->node, (fer_str){o->name, o->name_len})) {
        fer_sys_free(o);
        return NULL;
    }
    o->next = r->list;
    o->link = &r->list;
    if (o->next) o->next->link = &o->next;
    r->list = o;
    return o;
}

static void disown(fer_results *r, owner *o)
{
    fer_bag_remove(&r->owners, &o->node);
    *o->link = o->next;
    if (o->next) o->next->link = o->link;
    fer_sys_free(o);
}

/* ---- the order of use ------------------------------------------------------------------------ */

static void unlink_entry(entry *e)
{
    if (e->older) e->older->newer = e->newer;
    else e->owner->oldest = e->newer;
    if (e->newer) e->newer->older = e->older;
    else e->owner->newest = e->older;
}

static void link_newest(entry *e)
{
    owner *o = e->owner;
    e->newer = NULL;
    e->older = o->newest;
    if (o->newest) o->newest->newer = e;
    else o->oldest = e;
    o->newest = e;
}

static void drop(fer_results *r, entry *e)
{
    owner *o = e->owner;
    fer_bag_remove(&r->entries, &e->node);
    unlink_entry(e);
    r->bytes -= e->bytes;
    o->bytes -= e->bytes;
    fer_sys_free(e);
    if (!o->newest) disown(r, o);
}

void fer_results_forget(fer_results *r, fer_str tenant)
{
    for (owner *o = r->list, *next; o; o = next) {
        next = o->next;
        if (tenant.len && !fer_str_eq(tenant, (fer_str){o->name, o->name_len})) continue;
        for (entry *e = o->oldest, *newer; e; e = newer) {
            newer = e->newer;
            drop(r, e);
        }
    }
}

void fer_results_forget_backend(fer_results *r, fer_str backend)
{
    for (owner *o = r->list, *next; o; o = next) {
        next = o->next;
        for (entry *e = o->oldest, *newer; e; e = newer) {
            newer = e->newer; /* the owner goes with its last one */
            if (fer_str_eq(e->kept.backend, backend)) drop(r, e);
        }
    }
}

void fer_results_free(fer_results *r)
{
    if (!r) return;
    fer_results_forget(r, FER_STR(""));
    fer_bag_deinit(&r->entries);
    fer_bag_deinit(&r->owners);
    fer_sys_free(r);
}

/* ---- finding and keeping --------------------------------------------------------------------- */

static fer_str name_of(const fer_result_key *k)
{
    return (fer_str){(const char *)k->bytes, sizeof k->bytes};
}

const fer_kept *fer_results_find(fer_results *r, const fer_result_key *k, int64_t now)
{
    entry *e = (entry *)fer_bag_find(&r->entries, name_of(k)); /* the node is its first member */
    if (!e) return NULL;
    if (now >= e->kept.until) {
        drop(r, e);
        return NULL;
    }
    unlink_entry(e);
    link_newest(e);
    return &e->kept;
}

static owner *largest(const fer_results *r)
{
    owner *most = r->list;
    for (owner *o = r->list; o; o = o->next)
        if (o->bytes > most->bytes) most = o;
    return most;
}

/* Room for so many bytes: the tenant's own oldest go until it is within its share, then the oldest
 * of whoever has most. */
static void make_room(fer_results *r, fer_str tenant, size_t bytes)
{
    size_t share = r->max / 100 * FER_RESULTS_SHARE;
    owner *o;
    while ((o = (owner *)fer_bag_find(&r->owners, tenant)) && o->bytes + bytes > share)
        drop(r, o->oldest);
    while (r->bytes + bytes > r->max && (o = largest(r))) drop(r, o->oldest);
}

void fer_results_keep(fer_results *r, const fer_result_key *k, fer_str tenant, const fer_kept *v,
                      int64_t now)
{
    entry *old = (entry *)fer_bag_find(&r->entries, name_of(k)), *e;
    size_t bytes = sizeof *e + v->structured.len + v->mcp_result.len + v->backend.len;
    if (old) drop(r, old);
    if (v->until <= now || bytes > r->max / 100 * FER_RESULTS_SHARE) return;
    make_room(r, tenant, bytes);
    owner *o = own(r, tenant);
    e = o ? fer_sys_malloc(bytes) : NULL;
    if (e) {
        *e = (entry){.owner = o, .key = *k, .kept = *v, .bytes = bytes};
        if (v->structured.len) memcpy(e->text, v->structured.ptr, v->structured.len);
        e->kept.structured.ptr = e->text;
        if (v->mcp_result.len)
            memcpy(e->text + v->structured.len, v->mcp_result.ptr, v->mcp_result.len);
        e->kept.mcp_result.ptr = e->text + v->structured.len;
        e->kept.backend.ptr = e->kept.mcp_result.ptr + v->mcp_result.len;
        if (v->backend.len)
            memcpy(e->text + (e->kept.backend.ptr - e->text), v->backend.ptr, v->backend.len);
        if (fer_bag_add(&r->entries, &e->node, name_of(&e->key))) {
            link_newest(e);
            r->bytes += bytes;
            o->bytes += bytes;
            return;
        }
        fer_sys_free(e);
    }
    if (o && !o->newest) disown(r, o);
}

size_t fer_results_bytes(const fer_results *r)
{
    return r->bytes;
}

size_t fer_results_count(const fer_results *r)
{
    return r->entries.count;
}

bool fer_results_may(fer_effect effect, int64_t ttl_ms, bool ok, size_t size)
{
    return effect == FER_EFFECT_PURE && ttl_ms > 0 && ok && size <= FER_RESULTS_ENTRY;
}
