/* SPDX-License-Identifier: Apache-2.0 */
/* What servers have beside tools, as single tenants are shown it: whose it is, and how much of it
 * is kept. */
#include "serve_parts.h"
#include "sys.h"
#include "wares.h"

fer_hoard *fer_hoard_find(const fer_server *s, const fer_token_owner *owner)
{
    fer_hoard *h = s->hoards;
    while (h && !fer_token_owner_eq(&h->owner, owner)) h = h->next;
    return h;
}

static void let_go(fer_server *s, fer_hoard **at, bool there)
{
    fer_hoard *h = *at;
    *at = h->next;
    s->hoard_count--;
    fer_stocks_deinit(&h->stocks, there);
    fer_sys_free(h);
    for (int i = 0; i < FER_WARE_KINDS; i++) s->wares->versions[i]++;
}

void fer_hoards_free(fer_server *s, bool there)
{
    while (s->hoards) let_go(s, &s->hoards, there);
}

/* The last of which nothing is under way; NULL: none. Not the first, which was asked for just now.
 */
static fer_hoard **last_idle(fer_server *s)
{
    fer_hoard **last = NULL;
    for (fer_hoard **at = &s->hoards; *at; at = &(*at)->next)
        if (*at != s->hoards && !fer_stocks_busy(&(*at)->stocks)) last = at;
    return last;
}

static size_t bytes_of(const fer_server *s)
{
    size_t sum = 0;
    for (const fer_hoard *h = s->hoards; h; h = h->next)
        for (int i = 0; i < FER_WARE_KINDS; i++)
            sum += h->stocks.each[i].items.len + h->stocks.each[i].rest.len;
    return sum;
}

void fer_hoards_trim(fer_server *s)
{
    fer_hoard **last;
    while (bytes_of(s) > FER_WARES_OWNED && (last = last_idle(s)) != NULL) let_go(s, last, true);
}

static fer_str put(char **at, fer_str s)
{
    fer_str own = {*at, s.len};
    if (s.len) memcpy(*at, s.ptr, s.len);
    *at += s.len;
    return own;
}

static fer_hoard *make(fer_server *s, const fer_token_owner *owner)
{
    fer_hoard **last = s->hoard_count >= FER_WARES_OWNERS ? last_idle(s) : NULL;
    if (last) let_go(s, last, true);
    if (s->hoard_count >= FER_WARES_OWNERS) return NULL;
    fer_hoard *h = fer_sys_malloc(sizeof *h + owner->tenant.len + owner->principal.len);
    if (!h) return NULL;
    char *at = (char *)(h + 1);
    *h = (fer_hoard){.next = s->hoards};
    h->owner.tenant = put(&at, owner->tenant);
    h->owner.principal = put(&at, owner->principal);
    fer_stocks_init(&h->stocks, s, h);
    s->hoards = h;
    s->hoard_count++;
    return h;
}

fer_hoard *fer_hoard_get(fer_server *s, const fer_guest *g)
{
    fer_asker who = fer_guest_asker(g, 0);
    fer_token_owner owner = fer_token_owner_of(s->share, who.owner.tenant, who.owner.principal);
    fer_hoard **at = &s->hoards;
    if (fer_token_owner_is_nobody(&owner)) return NULL;
    while (*at && !fer_token_owner_eq(&(*at)->owner, &owner)) at = &(*at)->next;
    fer_hoard *h = *at;
    if (!h) return make(s, &owner);
    *at = h->next;
    h->next = s->hoards;
    s->hoards = h;
    return h;
}
