/* SPDX-License-Identifier: Apache-2.0 */
#include "link_http.h"

#include "errors.h"
#include "link_http_parts.h"
#include "sys.h"

static fer_http_link *link_of(fer_mcp_link *base)
{
    return (fer_http_link *)base;
}

static fer_code permit(fer_mcp_link *base, fer_err *err)
{
    fer_oauth *o = link_of(base)->spec.oauth;
    return o ? fer_oauth_permit(o, err) : FER_OK;
}

static fer_code open_link(fer_mcp_link *base, fer_err *err)
{
    fer_http_link *l = link_of(base);
    (void)err;
    l->session[0] = '\0';
    l->version = NULL;
    l->old = false;
    l->first = NULL;
    l->lost = FER_OK;
    return FER_OK;
}

/* ---- sending
 * ---------------------------------------------------------------------------------------- */

static bool is_initialized(const fer_mcp_out *m)
{
    return fer_str_is(m->method, "notifications/initialized");
}

/*
 * POSTs go over several connections and may arrive in any order: so a server that is told that both
 * sides have agreed is asked nothing until it has heard that.
 */
static fer_code send_message(fer_mcp_link *base, const fer_mcp_out *m, fer_err *err)
{
    fer_http_link *l = link_of(base);
    if (l->closing) return fer_fail(err, FER_BACKEND_UNAVAILABLE, "the server is being left");
    if (l->post_count >= FER_LINK_POSTS_MAX)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "too many requests are under way (link.posts)");
    if (m->opens && m->version && !m->version->modern) l->session[0] = '\0';
    fer_post *p = fer_post_new(l, FER_POST_MESSAGE);
    if (!p) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    p->id = m->id;
    p->deadline = m->deadline;
    p->version = m->version;
    p->opens = m->opens;
    p->gate = is_initialized(m);
    bool hold = l->gate && !p->gate;
    bool keep = hold || l->spec.oauth || fer_events_may_follow(p);
    if (keep && !fer_post_hold(p, m)) {
        fer_post_free(p);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    if (hold) return FER_OK;
    fer_code code = fer_post_start(p, m, err);
    if (code) fer_post_free(p);
    else if (p->gate) l->gate = p;
    return code;
}

void fer_http_link_open_gate(fer_http_link *l)
{
    fer_post *next;
    l->gate = NULL;
    if (l->closing) return;
    for (fer_post *p = l->posts; p; p = next) {
        fer_err err = {0};
        next = p->next;
        if (!p->held || p->call || p->pausing || p->waits || p->ending) continue;
        if (!fer_post_start(p, &p->message, &err)) continue;
        fer_mcp_failure f = {.code = err.code, .message = err.message};
        uint64_t id = p->id;
        fer_post_free(p);
        if (id) l->base.events->failed(l->base.context, id, &f);
        next = l->posts; /* who was told may have given up others */
    }
}

/* One that is held back has not left yet. */
static bool was_sent(const fer_mcp_link *base, uint64_t id)
{
    for (const fer_post *p = ((const fer_http_link *)base)->posts; p; p = p->next)
        if (p->id == id) return p->call ? p->pausing || fer_http_sent(p->call) : p->pausing;
    return true;
}

static void abandon(fer_mcp_link *base, uint64_t id)
{
    fer_http_link *l = link_of(base);
    for (fer_post *p = l->posts; p; p = p->next)
        if (p->id == id) {
            fer_post_give_up(p);
            return;
        }
}

/* What comes meanwhile waits in the kernel, and slows the server down. */
static void pause_answer(fer_mcp_link *base, uint64_t id, bool paused)
{
    for (fer_post *p = link_of(base)->posts; p; p = p->next) {
        if (p->id != id || !p->call) continue;
        if (paused) fer_http_pause(p->call);
        else fer_http_resume(p->call);
    }
}

/* An older server says things unasked on a stream of its own, where it has one. */
static void agreed(fer_mcp_link *base, const fer_mcp_version *version, bool news)
{
    fer_http_link *l = link_of(base);
    l->version = version;
    if (version->modern || !news || l->old) return;
    for (fer_post *p = l->posts; p; p = p->next)
        if (p->kind == FER_POST_NEWS) {
            fer_post_give_up(p); /* of the last session */
            break;
        }
    fer_post *p = fer_post_new(l, FER_POST_NEWS);
    if (!p) return;
    p->version = version;
    bool late = l->gate && fer_post_hold(p, &(fer_mcp_out){.version = version});
    if (!late && fer_post_start(p, NULL, NULL)) fer_post_free(p);
}

/* ---- the end
 * ------------------------------------------------------------------------------------------ */

void fer_http_link_settle(fer_http_link *l)
{
    if (!l->closing || l->post_count) return;
    l->closing = false;
    l->base.events->closed(l->base.context, l->lost, l->lost ? l->lost_why : "it was closed");
}

static void say_goodbye(fer_http_link *l)
{
    fer_post *p = fer_post_new(l, FER_POST_GOODBYE);
    if (!p) return;
    p->version = l->version;
    if (fer_post_start(p, NULL, NULL)) fer_post_free(p);
}

static void close_link(fer_mcp_link *base, bool hurry)
{
    fer_http_link *l = link_of(base);
    fer_post *next;
    if (l->closing) return;
    /* One too many, so that what is given up here does not settle it. */
    l->closing = true;
    l->post_count++;
    for (fer_post *p = l->posts; p; p = next) {
        next = p->next;
        fer_post_give_up(p);
    }
    l->gate = NULL;
    if (!hurry && l->session[0] && l->version && !l->version->modern) say_goodbye(l);
    l->session[0] = '\0';
    l->post_count--;
    fer_http_link_settle(l);
}

void fer_http_link_lost(fer_http_link *l, const char *why)
{
    if (l->closing) return;
    l->lost = FER_CONNECTION_LOST;
    l->lost_why = why;
    close_link(&l->base, true);
}

static void free_link(fer_mcp_link *base)
{
    fer_sys_free((char *)(uintptr_t)link_of(base)->endpoint.ptr);
    fer_oauth_unref(link_of(base)->spec.oauth);
    fer_sys_free(base);
}

static const fer_mcp_link_kind kind = {.streams = true,
                                       .permit = permit,
                                       .open = open_link,
                                       .send = send_message,
                                       .sent = was_sent,
                                       .abandon = abandon,
                                       .pause = pause_answer,
                                       .agreed = agreed,
                                       .close = close_link,
                                       .free = free_link};

fer_mcp_link *fer_link_http_new(uv_loop_t *loop, fer_http *http, const fer_link_http_spec *spec)
{
    fer_http_link *l = fer_sys_malloc(sizeof *l);
    if (!l) return NULL;
    *l = (fer_http_link){.base = {.kind = &kind}, .loop = loop, .http = http, .spec = *spec};
    fer_oauth_ref(l->spec.oauth);
    return &l->base;
}
