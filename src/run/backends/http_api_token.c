/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request to an API and the token that it shows: it waits for one that is about to be renewed,
 * and where the API refuses it, for another, once. Only a request that may be made twice is sent
 * again; of any other the caller hears that the next one has a new token.
 */
#include "errors.h"
#include "http_api_parts.h"
#include "sys.h"

static fer_asking *asking_of(fer_oauth_waiter *w)
{
    return (fer_asking *)(void *)((char *)w - offsetof(fer_asking, waiter));
}

static void join(fer_asking *q)
{
    fer_api *p = q->api;
    q->next = p->waiting;
    q->place = &p->waiting;
    if (q->next) q->next->place = &q->next;
    p->waiting = q;
}

static void part(fer_asking *q)
{
    if (!q->place) return;
    *q->place = q->next;
    if (q->next) q->next->place = q->place;
    q->place = NULL;
}

void fer_asking_leave(fer_asking *q)
{
    part(q);
    fer_oauth_leave(&q->waiter);
}

/* The API has said that it did nothing. */
static void fail(fer_asking *q, fer_code code, const char *why)
{
    fer_attempt *t = q->attempt;
    fer_outcome o = {.code = code,
                     .phase = q->refused ? FER_PHASE_NOT_PROCESSED : FER_PHASE_NOTHING_SENT,
                     .message = fer_arena_copy(t->arena, fer_str_of(why))};
    t->sent = q->refused;
    t->state = NULL;
    fer_asking_free(q);
    fer_attempt_end(t, &o);
}

static bool begin_again(fer_asking *q)
{
    fer_http_answer_deinit(&q->answer);
    if (fer_http_answer_init(&q->answer)) return true;
    q->answer = (fer_http_answer){0};
    return false;
}

static void on_token(fer_oauth_waiter *w, fer_code code, const char *why)
{
    fer_asking *q = asking_of(w);
    fer_err err = {0};
    part(q);
    if (q->at_once) { /* who begins to wait hears of it there */
        if (code) fer_fail(q->at_once, code, "%s", why);
        return;
    }
    if (!code && q->refused && !q->attempt->repeatable) {
        code = FER_UNAUTHENTICATED;
        why =
            "the API has refused the token, which is renewed now; the effect of the tool does not "
            "allow to repeat the call by itself";
    }
    if (!code) code = fer_oauth_permit(q->oauth, &err);
    if (!code && !begin_again(q)) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_asking_send(q, &err);
    if (code) fail(q, code, err.code ? err.message : why);
}

fer_code fer_asking_begin(fer_asking *q, fer_err *err)
{
    const fer_token_owner *who = &q->attempt->owner;
    fer_err why = {0};
    if (!q->api->tokens) return FER_OK;
    fer_code code = fer_oauth_pool_get(q->api->tokens, who->tenant, who->principal, &q->oauth, err);
    if (!code) code = fer_oauth_permit(q->oauth, err);
    if (code || !fer_oauth_must_wait(q->oauth)) return code;
    q->waiter.done = on_token;
    q->at_once = &why;
    join(q);
    fer_oauth_wait(q->oauth, &q->waiter);
    q->at_once = NULL;
    return why.code ? fer_fail(err, why.code, "%s", why.message) : FER_OK;
}

bool fer_asking_shows(fer_asking *q, fer_http_field *out)
{
    if (!q->oauth) return false;
    *out = (fer_http_field){FER_STR("Authorization"), fer_oauth_bearer(q->oauth)};
    q->token = fer_oauth_mark(q->oauth);
    return out->value.len > 0;
}

void fer_asking_judge(fer_asking *q, const fer_http_head *head)
{
    if (!q->oauth) return;
    fer_str challenge = fer_http_head_get(head, "WWW-Authenticate");
    if (head->status < 400) fer_oauth_accepted(q->oauth, q->token);
    fer_sys_free(q->challenge);
    q->challenge = NULL;
    if (head->status != 401 || challenge.len > FER_CHALLENGE_MAX) return;
    q->challenge = fer_sys_malloc(challenge.len + 1);
    if (!q->challenge) return;
    if (challenge.len) memcpy(q->challenge, challenge.ptr, challenge.len);
    q->challenge[challenge.len] = '\0';
}

bool fer_asking_renews(fer_asking *q)
{
    bool able =
        q->oauth && q->attempt && !q->api->stopping && q->answer.status == 401 && q->challenge;
    if (!able) return false;
    if (q->refused) {
        fail(q, FER_UNAUTHENTICATED, "the API refuses the token that it was just given");
        return true;
    }
    q->refused = true;
    q->waiter.done = on_token;
    join(q);
    fer_oauth_renew(q->oauth, q->token, 401, fer_str_of(q->challenge), &q->waiter);
    return true;
}
