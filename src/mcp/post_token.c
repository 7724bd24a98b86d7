/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A post and the token that it shows: it waits for one that is about to be renewed, and where the
 * server refuses it for another, with which it is sent again; FER_OAUTH_TRIES times at most.
 */
#include "buf.h"
#include "errors.h"
#include "link_http_parts.h"
#include "sys.h"

static fer_post *post_of(fer_oauth_waiter *w)
{
    return (fer_post *)(void *)((char *)w - offsetof(fer_post, waiter));
}

static void on_token(fer_oauth_waiter *w, fer_code code, const char *why)
{
    fer_post *p = post_of(w);
    fer_err err = {0};
    p->waits = false;
    if (p->at_once) { /* who begins to wait hears of it there */
        if (code) fer_fail(p->at_once, code, "%s", why);
        return;
    }
    p->body_len = 0;
    if (!code) {
        p->renewals++;
        code = fer_post_start(p, p->held ? &p->message : NULL, &err);
        why = err.message;
    }
    if (code) fer_post_fail(p, &(fer_mcp_failure){.code = code, .refused = true, .message = why});
}

fer_code fer_post_await(fer_post *p, fer_err *err)
{
    fer_oauth *o = p->link->spec.oauth;
    fer_err why = {0};
    if (!o || p->kind == FER_POST_GOODBYE) return FER_OK;
    fer_code code = fer_oauth_permit(o, err);
    if (code || p->renewals >= FER_OAUTH_TRIES || !fer_oauth_must_wait(o)) return code;
    p->waits = true;
    p->waiter.done = on_token;
    p->at_once = &why;
    fer_oauth_wait(o, &p->waiter);
    p->at_once = NULL;
    return why.code ? fer_fail(err, why.code, "%s", why.message) : FER_OK;
}

void fer_post_judge(fer_post *p, const fer_http_head *head)
{
    fer_oauth *o = p->link->spec.oauth;
    if (!o) return;
    if (head->status < 400) fer_oauth_accepted(o, p->token);
    fer_sys_free(p->challenge);
    p->challenge = NULL;
    if (head->status != 401 && head->status != 403) return;
    char text[FER_CHALLENGE_MAX + 1];
    fer_buf b;
    fer_buf_init_fixed(&b, text, sizeof text);
    for (size_t i = 0; i < head->count; i++) {
        if (!fer_str_eq_nocase(head->fields[i].name, FER_STR("WWW-Authenticate"))) continue;
        if (b.len) fer_buf_add_text(&b, ", ");
        fer_buf_add(&b, head->fields[i].value);
    }
    p->challenge = b.failure ? NULL : fer_sys_malloc(b.len + 1);
    if (!p->challenge) return;
    memcpy(p->challenge, text, b.len);
    p->challenge[b.len] = '\0';
}

/* A stream of news is not worth a token: the next request will tell. */
bool fer_post_renews(fer_post *p)
{
    fer_http_link *l = p->link;
    fer_oauth *o = l->spec.oauth;
    fer_str challenge = fer_str_of(p->challenge);
    bool able = o && !p->given_up && !l->closing && p->kind == FER_POST_MESSAGE &&
                p->renewals < FER_OAUTH_TRIES && fer_oauth_may_mend(p->status, challenge);
    if (!able) return false;
    p->ending = false;
    p->waits = true;
    p->waiter.done = on_token;
    fer_oauth_renew(o, p->token, p->status, challenge, &p->waiter);
    return true;
}
