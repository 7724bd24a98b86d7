/* SPDX-License-Identifier: Apache-2.0 */
/* One connection or session: what was agreed on, and what runs for it. */
#include "news.h"
#include "serve_parts.h"
#include "sys.h"

/* Since when it is idle; INT64_MAX: it is not, or may not be closed. */
static int64_t idle_since(const fer_peer *p)
{
    if (!p->options.idle_since || p->closed || p->exchanges || p->ask_count) return INT64_MAX;
    return p->options.idle_since(p->options.context);
}

static fer_peer *longest_idle(const fer_front *s, const fer_guest *who)
{
    fer_peer *found = NULL;
    int64_t since = INT64_MAX;
    for (fer_peer *p = s->peers; p; p = p->next) {
        if (who && p->guest != who) continue;
        int64_t at = idle_since(p);
        if (at >= since) continue;
        since = at;
        found = p;
    }
    return found;
}

static bool has_room(const fer_front *s, const fer_guest *who, bool once)
{
    if (s->counts.peers < s->options.limits.peers) return true;
    fer_peer *p = longest_idle(s, who);
    if (!p && !once) p = longest_idle(s, NULL);
    if (p) p->options.leave(p->options.context);
    return s->counts.peers < s->options.limits.peers;
}

fer_peer *fer_peer_new(fer_front *s, const fer_peer_options *o)
{
    if (!has_room(s, o->guest ? o->guest : s->host, o->once)) return NULL;
    fer_peer *p = fer_sys_malloc(sizeof *p);
    if (!p) return NULL;
    *p = (fer_peer){.server = s,
                    .guest = fer_guest_ref(o->guest ? o->guest : s->host),
                    .options = *o,
                    .log_level = FER_LOG_OFF};
    p->session = o->once ? p->guest->session : ++s->sessions;
    p->capabilities = FER_STR("");
    p->next = s->peers;
    p->place = &s->peers;
    if (p->next) p->next->place = &p->next;
    s->peers = p;
    s->counts.peers++;
    return p;
}

fer_asker fer_guest_asker(const fer_guest *g, uint64_t session)
{
    fer_asker who = {session, {FER_STR(""), FER_STR("")}};
    if (g->caller) who.owner = (fer_token_owner){g->caller->tenant, g->caller->principal};
    return who;
}

fer_asker fer_peer_asker(const fer_peer *p)
{
    return fer_guest_asker(p->guest, p->session);
}

void fer_peer_settle(fer_peer *p)
{
    if (!p->closed || p->exchanges) return;
    *p->place = p->next;
    if (p->next) p->next->place = p->place;
    p->server->counts.peers--;
    if (!p->options.once) fer_guest_forget(p->guest, p);
    fer_guest_unref(p->guest);
    if (p->capabilities.len) fer_sys_free((void *)(uintptr_t)p->capabilities.ptr);
    fer_sys_free(p);
}

/* What ends later still needs it, so it stays until the last exchange has ended. */
void fer_peer_close(fer_peer *p)
{
    p->options.push = NULL;
    p->exchanges++; /* ours, so that it stays while we look at it */
    p->closed = true;
    for (fer_ask *q = p->asks; q; q = q->next) q->talk->events = NULL;
    for (size_t left = p->ask_count; left > 0; left--) {
        fer_ask *q = p->asks;
        while (q && q->cancelled) q = q->next;
        if (!q) break;
        fer_ask_cancel(q);
    }
    fer_news_leave(p);
    p->exchanges--;
    fer_peer_settle(p);
}

const fer_mcp_version *fer_peer_version(const fer_peer *p)
{
    return p->version;
}

size_t fer_peer_busy(const fer_peer *p)
{
    return p->ask_count - p->listen_count;
}
