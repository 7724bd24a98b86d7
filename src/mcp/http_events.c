/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers of 2024-11-05 (HTTP+SSE): a GET opens a stream, its first event says where messages are
 * posted, and answers come on the stream. Asked in the newer way, such a server answers 400, 404 or
 * 405 to `initialize`; then the message waits until the stream has said where it goes.
 */
#include "arena.h"
#include "errors.h"
#include "link_http_parts.h"
#include "sys.h"
#include "uri.h"

bool fer_events_may_follow(const fer_post *p)
{
    return p->opens && p->version && !p->version->modern && !p->link->old;
}

bool fer_events_begin(fer_post *first)
{
    fer_http_link *l = first->link;
    bool unknown = first->status == 400 || first->status == 404 || first->status == 405;
    if (!unknown || !fer_events_may_follow(first) || first->given_up || l->closing || l->first)
        return false;
    fer_post *stream = fer_post_new(l, FER_POST_EVENTS);
    if (!stream) return false;
    if (fer_post_start(stream, NULL, NULL)) {
        fer_post_free(stream);
        return false;
    }
    l->first = first;
    return true;
}

/* The same origin and nowhere else; in memory of its own. */
static bool keep_endpoint(fer_http_link *l, fer_str where)
{
    fer_net_target here, there;
    fer_arena *a = fer_arena_new(0);
    fer_str url = a ? fer_uri_resolve(a, l->spec.url, where) : FER_STR_NONE;
    bool good = url.len && !fer_net_target_parse(l->spec.url, &here, NULL) &&
                !fer_net_target_parse(url, &there, NULL) && fer_net_target_same(&here, &there);
    char *copy = good ? fer_sys_malloc(url.len) : NULL;
    if (copy) {
        memcpy(copy, url.ptr, url.len);
        fer_sys_free((char *)(uintptr_t)l->endpoint.ptr);
        l->endpoint = (fer_str){copy, url.len};
    }
    fer_arena_free(a);
    return copy != NULL;
}

static void fail_first(fer_http_link *l, const char *why)
{
    fer_post *p = l->first;
    fer_mcp_failure f = {.code = FER_BACKEND_UNAVAILABLE, .sent = true, .message = why};
    l->first = NULL;
    if (!p) return;
    uint64_t id = p->id;
    bool told = !p->given_up && !l->closing;
    fer_post_free(p);
    if (told) l->base.events->failed(l->base.context, id, &f);
}

void fer_events_endpoint(fer_http_link *l, fer_str where)
{
    fer_post *p = l->first;
    if (!p) return; /* it is said once */
    if (!keep_endpoint(l, where)) {
        fail_first(l, "the server wants messages where none of its go");
        return;
    }
    l->first = NULL;
    l->old = true;
    p->body_len = 0;
    if (!fer_post_start(p, &p->message, NULL)) return;
    l->first = p;
    fail_first(l, "the message could not be sent");
}

/* It was no such server, and the first answer of it counts; or it was one, and is lost. */
void fer_events_ended(fer_post *stream)
{
    fer_http_link *l = stream->link;
    fer_post *p = l->first;
    l->first = NULL;
    if (p) {
        fer_post_refused(p);
        fer_post_free(p);
    }
    if (l->old) fer_http_link_lost(l, "the stream of events ended");
}
