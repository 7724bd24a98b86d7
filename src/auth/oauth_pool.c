/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth_pool.h"

#include "errors.h"
#include "oauth_parts.h"
#include "sys.h"

typedef struct member {
    struct member *next;
    fer_oauth *oauth;
} member;

struct fer_oauth_pool {
    fer_token_share share;
    fer_oauth *own;
    member *members; /* of other owners, who was asked for last first */
    size_t count;
};

fer_code fer_oauth_pool_new(fer_oauth *own_take, fer_token_share share, fer_oauth_pool **out,
                            fer_err *err)
{
    fer_oauth_pool *p = fer_sys_malloc(sizeof *p);
    if (!p) {
        fer_oauth_unref(own_take);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    *p = (fer_oauth_pool){.share = share, .own = own_take};
    *out = p;
    return FER_OK;
}

static void drop(fer_oauth_pool *p, member **at)
{
    member *m = *at;
    *at = m->next;
    p->count--;
    fer_oauth_unref(m->oauth);
    fer_sys_free(m);
}

void fer_oauth_pool_free(fer_oauth_pool *p)
{
    if (!p) return;
    while (p->members) drop(p, &p->members);
    fer_oauth_unref(p->own);
    fer_sys_free(p);
}

fer_token_share fer_oauth_pool_share(const fer_oauth_pool *p)
{
    return p->share;
}

/* Takes it to the front; NULL: there is none. */
static member *find(fer_oauth_pool *p, const fer_token_owner *who)
{
    member **at = &p->members;
    while (*at && !fer_token_owner_eq(fer_oauth_owner((*at)->oauth), who)) at = &(*at)->next;
    member *m = *at;
    if (!m) return NULL;
    *at = m->next;
    m->next = p->members;
    p->members = m;
    return m;
}

/* Lets the last go that nobody uses; one whose token is under way is waited for by somebody. */
static bool make_room(fer_oauth_pool *p)
{
    member **last = NULL;
    if (p->count < FER_OAUTH_KEPT) return true;
    for (member **at = &p->members; *at; at = &(*at)->next)
        if ((*at)->oauth->refs == 1 && !(*at)->oauth->flight) last = at;
    if (last) drop(p, last);
    return p->count < FER_OAUTH_OWNERS;
}

fer_code fer_oauth_pool_get(fer_oauth_pool *p, fer_str tenant, fer_str principal, fer_oauth **out,
                            fer_err *err)
{
    fer_token_owner who = fer_token_owner_of(p->share, tenant, principal);
    if (fer_token_owner_is_nobody(&who)) {
        *out = fer_oauth_ref(p->own);
        return FER_OK;
    }
    member *m = find(p, &who);
    if (m) {
        *out = fer_oauth_ref(m->oauth);
        return FER_OK;
    }
    if (!make_room(p))
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "oauth.owners: tokens of at most %d tenants are in use at once",
                        FER_OAUTH_OWNERS);
    m = fer_sys_malloc(sizeof *m);
    if (!m) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_oauth_new_for(p->own, &who, &m->oauth, err);
    if (code) {
        fer_sys_free(m);
        return code;
    }
    m->next = p->members;
    p->members = m;
    p->count++;
    *out = fer_oauth_ref(m->oauth);
    return FER_OK;
}
