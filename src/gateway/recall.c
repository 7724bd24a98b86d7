/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What need not be done again: results that are cached, results under an idempotency key, and work
 * that another call does just now. Flights are by key; the call that leads one does the work, the
 * others wait here, each within its own time.
 */
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

static const fer_caller nobody;

static const fer_caller *caller_of(const fer_call *c)
{
    return c->options.caller ? c->options.caller : &nobody;
}

/* ---- flights ---------------------------------------------------------------------------------
 */

static fer_flight *find_flight(fer_gateway *g, char kind, const unsigned char *key,
                               unsigned char name[1 + FER_RESULT_KEY])
{
    name[0] = (unsigned char)kind;
    memcpy(name + 1, key, FER_RESULT_KEY);
    return (fer_flight *)fer_bag_find(&g->flights,
                                      (fer_str){(const char *)name, 1 + FER_RESULT_KEY});
}

/* Leads a new flight. Without memory the call goes alone. */
static void lead(fer_call *c, const unsigned char name[1 + FER_RESULT_KEY])
{
    fer_flight *f = fer_sys_malloc(sizeof *f);
    if (!f) return;
    *f = (fer_flight){.leader = c};
    memcpy(f->name, name, sizeof f->name);
    if (!fer_bag_add(&c->gateway->flights, &f->node,
                     (fer_str){(const char *)f->name, sizeof f->name})) {
        fer_sys_free(f);
        return;
    }
    c->flight = f;
}

static fer_move join(fer_call *c, fer_flight *f)
{
    int64_t rest = (c->deadline - fer_clock_mono()) / MS;
    c->flight = f;
    c->other = f->waiting;
    f->waiting = c;
    uv_update_time(c->gateway->loop);
    fer_call_keep_time(c, rest);
    return FER_MOVE_WAIT;
}

void fer_call_detach(fer_call *c)
{
    fer_flight *f = c->flight;
    if (!f || f->leader == c) return;
    fer_call **at = &f->waiting;
    while (*at && *at != c) at = &(*at)->other;
    if (*at) *at = c->other;
    c->flight = NULL;
    /* Whoever does the work does it for nobody any more. */
    if (!f->waiting && f->leader && !f->leader->done)
        fer_call_stop(f->leader, FER_CANCEL_CLIENT_CLOSED);
}

/* Whether others may have what came of it: not what was this caller's own doing. */
static bool is_shareable(const fer_call *c)
{
    const fer_envelope *e = &c->envelope;
    if (c->cancelled && !c->sent) return false;
    if (c->result_public && !fer_call_is_public(c)) return false; /* another backend answered */
    switch (e->error.code) {
    case FER_CANCELLED:
    case FER_DEADLINE_EXCEEDED:
    case FER_OUT_OF_MEMORY:
    case FER_CONCURRENCY_LIMITED: return false;
    default: return true;
    }
}

static bool copy(fer_call *to, fer_str *s)
{
    if (!s->len) return true;
    *s = fer_arena_copy(to->arena, *s);
    return s->ptr != NULL;
}

/* Another's envelope, as this caller's own. */
static void take_over(fer_call *to, const fer_call *from)
{
    const fer_envelope *e = &from->envelope;
    fer_envelope *o = &to->envelope;
    o->status = e->status;
    o->error = e->error;
    o->structured = e->structured;
    o->mcp_result = e->mcp_result;
    o->mcp_error = e->mcp_error;
    o->cache_hit = to->cached;
    o->replayed = !to->cached;
    o->original_call = fer_str_of(from->id);
    to->shared = true;
    if (!copy(to, &o->error.message) || !copy(to, &o->error.details) ||
        !copy(to, &o->error.caused_by) || !copy(to, &o->structured) || !copy(to, &o->mcp_result) ||
        !copy(to, &o->original_call) || !copy(to, &o->mcp_error))
        fer_call_refuse(to, FER_OUT_OF_MEMORY, "out of memory");
}

/* The flight is over: all that wait have the result; where it is not to be shared, the first of
 * them leads another one. */
void fer_call_land(fer_call *c)
{
    fer_flight *f = c->flight;
    fer_gateway *g = c->gateway;
    if (!f || f->leader != c) return;
    fer_bag_remove(&g->flights, &f->node);
    c->flight = NULL;
    f->leader = NULL;
    bool share = is_shareable(c);
    for (fer_call *w; (w = f->waiting);) { /* whoever is told may let others go, too */
        f->waiting = w->other;
        uv_timer_stop(&w->limit);
        w->flight = NULL;
        w->other = NULL;
        if (share) take_over(w, c);
        fer_call_go(w); /* the first looks for a flight anew and leads it, the others join it */
    }
    fer_sys_free(f);
}

/* ---- the cache -------------------------------------------------------------------------------
 */

fer_str fer_call_tenant(const fer_call *c)
{
    fer_str tenant = caller_of(c)->tenant;
    return tenant.len ? tenant : FER_STR("-");
}

fer_str fer_call_result_key(const fer_call *c)
{
    return (fer_str){(const char *)c->result_key.bytes, sizeof c->result_key.bytes};
}

void fer_call_keep_result(fer_call *c, int64_t ttl_ms)
{
    const fer_envelope *e = &c->envelope;
    int64_t now = fer_clock_mono();
    fer_kept v = {e->structured, e->mcp_result, now + ttl_ms * MS, e->backend.name};
    fer_results_keep(c->gateway->results, &c->result_key, caller_of(c)->tenant, &v, now);
}

/* What is seen with a tenant's own token is that tenant's, whatever is said of the tool. */
bool fer_call_is_public(const fer_call *c)
{
    return c->ready->policy.cache_public && c->runner && c->runner->share == FER_TOKENS_SHARED;
}

static fer_move find_result_key(fer_call *c)
{
    const fer_ready *r = c->ready;
    const fer_caller *who = caller_of(c);
    fer_err err = {0};
    c->result_public = fer_call_is_public(c);
    fer_result_of of = {.is_public = c->result_public,
                        .tenant = who->tenant,
                        .principal = who->principal,
                        .scopes = who->scopes,
                        .tool = r->id,
                        .version = r->version,
                        .definition_hash = fer_str_of(r->hash),
                        .backend = c->envelope.backend.name,
                        .input = fer_json_root(c->args)};
    return fer_result_key_of(c->arena, &of, &c->result_key, &err) ? fer_call_refuse_err(c, &err)
                                                                  : FER_MOVE_NEXT;
}

/* What an earlier process kept. Its time is that of the wall clock: one that was set back since
 * would make it live longer, so no more than the tool's own time is believed. */
static void on_recalled(void *whom, const fer_store_answer *a)
{
    fer_call *c = whom;
    int64_t ttl = c->ready->policy.cache_ttl_ms, rest = a->found.expires_ms - fer_clock_wall();
    fer_envelope was = c->envelope;
    c->asking = false;
    c->looked = true;
    if (!a->code && a->value.ptr && rest > 0 && rest <= ttl) {
        if (fer_stored_read(c, a->value, NULL) || c->envelope.error.code) {
            c->envelope = was;
        } else {
            c->envelope.original_call = FER_STR("");
            c->envelope.cache_hit = true;
            c->shared = true;
            fer_call_keep_result(c, rest);
        }
    }
    fer_call_go(c);
}

static fer_move recall_beyond(fer_call *c)
{
    const fer_keeper *k = &c->gateway->keeper;
    if (!k->recall_result) return FER_MOVE_NEXT;
    c->asking = true;
    if (!k->recall_result(k->context, fer_call_tenant(c), fer_call_result_key(c), on_recalled, c,
                          NULL))
        return FER_MOVE_WAIT;
    c->asking = false; /* then the tool is asked */
    return FER_MOVE_NEXT;
}

static fer_move recall_cached(fer_call *c)
{
    unsigned char name[1 + FER_RESULT_KEY];
    fer_move move = find_result_key(c);
    if (move != FER_MOVE_NEXT) return move;
    c->purges = c->gateway->purges;
    const fer_kept *k = fer_results_find(c->gateway->results, &c->result_key, fer_clock_mono());
    if (!k) {
        fer_flight *f = find_flight(c->gateway, 'r', c->result_key.bytes, name);
        if (f) return join(c, f);
        lead(c, name);
        return recall_beyond(c);
    }
    c->envelope.structured = fer_arena_copy(c->arena, k->structured);
    c->envelope.mcp_result =
        k->mcp_result.len ? fer_arena_copy(c->arena, k->mcp_result) : FER_STR("");
    if (!c->envelope.structured.ptr || !c->envelope.mcp_result.ptr)
        return fer_call_refuse(c, FER_OUT_OF_MEMORY, "out of memory");
    c->envelope.cache_hit = true;
    c->shared = true;
    return FER_MOVE_REPLY;
}

/* ---- idempotency keys ------------------------------------------------------------------------
 */

static fer_move check_key(fer_call *c)
{
    fer_str key = c->options.idempotency_key;
    bool wanted = c->ready->idempotency == FER_IDEMPOTENCY_REQUIRED;
    if (!key.len && wanted && c->effect != FER_EFFECT_PURE) {
        fer_call_refuse(c, FER_IDEMPOTENCY_KEY_MISSING,
                        "%.*s takes an idempotency key with every call, and none came: name one in "
                        "_meta[\"ferrule/idempotencyKey\"] of the call, or with -k KEY of ferrule "
                        "run; idempotency: optional in its policy takes calls without",
                        FER_PRI(c->ready->id));
        c->envelope.error.details = FER_STR("{\"field\":\"idempotencyKey\"}");
        return FER_MOVE_REPLY;
    }
    if (key.len && !fer_key_valid(key)) {
        fer_call_refuse(c, FER_INVALID_FORMAT,
                        "an idempotency key is 1 to %d printable ASCII characters without blanks",
                        FER_KEY_MAX);
        c->envelope.error.details = FER_STR("{\"field\":\"idempotencyKey\"}");
        return FER_MOVE_REPLY;
    }
    c->keyed = key.len > 0 && c->effect != FER_EFFECT_PURE;
    return FER_MOVE_NEXT;
}

static fer_move refuse_conflict(fer_call *c)
{
    return fer_call_refuse(c, FER_IDEMPOTENCY_CONFLICT,
                           "the idempotency key was used with another input: nothing was run");
}

static fer_move refuse_busy(fer_call *c)
{
    fer_call_refuse(c, FER_CONCURRENCY_LIMITED,
                    "a call with the same idempotency key is under way: come again");
    c->envelope.error.details = FER_STR("{\"reason\":\"IdempotencyInProgress\"}");
    c->envelope.error.retry_after_ms = 1000;
    return FER_MOVE_REPLY;
}

static fer_move recall_keyed(fer_call *c)
{
    const fer_policy_common *all = fer_policy_common_of(c->rulebook->set);
    const fer_caller *who = caller_of(c);
    unsigned char name[1 + FER_RESULT_KEY], hidden[32];
    fer_err err = {0};
    fer_key_of of = {.tenant = who->tenant,
                     .principal = who->principal,
                     .tool = c->ready->base,
                     .major = c->ready->major,
                     .key = c->options.idempotency_key,
                     .by_tenant = all->keys_by_tenant,
                     .input = fer_json_root(c->args)};
    c->claim = (fer_idem_claim){.tenant = who->tenant.len ? who->tenant : FER_STR("-"),
                                .call = fer_str_of(c->id),
                                /* After a crash only what is the same when done twice may be
                                 * sent again, whatever the backend says of keys (5.4.9). */
                                .honoured = c->effect == FER_EFFECT_IDEMPOTENT_WRITE &&
                                            c->scopes[FER_SCOPE_BACKEND]->policy.honours_keys,
                                .tool = c->ready->base,
                                .now_ms = fer_clock_wall()};
    fer_code code = fer_key_hashes(c->arena, &of, c->claim.scope, c->claim.fingerprint, &err);
    if (!code)
        code = c->gateway->keeper.name(
            c->gateway->keeper.context, c->claim.tenant, "downstream-key",
            (fer_str){(const char *)c->claim.scope, FER_IDEM_HASH}, hidden, &err);
    if (!code)
        code = fer_key_step((fer_str){(const char *)hidden, sizeof hidden}, 0, c->downstream, &err);
    if (code) return fer_call_refuse_err(c, &err);
    fer_flight *f = find_flight(c->gateway, 'k', c->claim.scope, name);
    if (!f) {
        lead(c, name);
        return FER_MOVE_NEXT;
    }
    bool same = memcmp(f->leader->claim.fingerprint, c->claim.fingerprint, FER_IDEM_HASH) == 0;
    switch (fer_key_decide(FER_KEY_HERE, same, all->reject_duplicates)) {
    case FER_KEY_CONFLICT: return refuse_conflict(c);
    case FER_KEY_BUSY: return refuse_busy(c);
    default: return join(c, f);
    }
}

/* ---- the stage -------------------------------------------------------------------------------
 */

fer_move fer_stage_recall(fer_call *c)
{
    if (c->asking) return FER_MOVE_WAIT;
    if (c->shared) return FER_MOVE_REPLY; /* the flight has landed, or it was kept */
    if (c->cancelled) return fer_call_refuse_cancelled(c);
    if (c->looked) return FER_MOVE_NEXT;
    if (c->flight) return FER_MOVE_WAIT;
    fer_move move = check_key(c);
    if (move != FER_MOVE_NEXT || c->options.dry_run) return move;
    if (c->keyed) return recall_keyed(c);
    c->cached = c->effect == FER_EFFECT_PURE && c->ready->policy.cache_ttl_ms > 0 &&
                !c->options.no_cache && c->gateway->results;
    return c->cached ? recall_cached(c) : FER_MOVE_NEXT;
}

/* ---- claiming, before the first byte leaves --------------------------------------------------
 */

static fer_move replay(fer_call *c, const fer_idem_record *found)
{
    fer_err err = {0};
    if (fer_stored_read(c, found->result, &err)) return fer_call_refuse_err(c, &err);
    c->envelope.replayed = true;
    c->shared = true;
    return FER_MOVE_REPLY;
}

static void on_claimed(void *whom, const fer_store_answer *a)
{
    fer_call *c = whom;
    static const fer_key_state states[] = {
        [FER_IDEM_NONE] = FER_KEY_NONE,  [FER_IDEM_PENDING] = FER_KEY_PENDING,
        [FER_IDEM_DONE] = FER_KEY_DONE,  [FER_IDEM_UNKNOWN] = FER_KEY_UNKNOWN,
        [FER_IDEM_AGAIN] = FER_KEY_NONE,
    };
    c->asking = false;
    c->kept = a->code;
    c->claimed = !a->code && a->verdict == FER_IDEM_CLAIMED;
    if (!a->code && a->verdict == FER_IDEM_NO_ROOM)
        fer_call_refuse(c, FER_BUDGET_EXCEEDED,
                        "as many idempotency keys are kept as may be: none is dropped early");
    if (!a->code && a->verdict == FER_IDEM_EXISTS) {
        const fer_idem_record *found = &a->found;
        bool same =
            found->tampered || memcmp(found->fingerprint, c->claim.fingerprint, FER_IDEM_HASH) == 0;
        switch (fer_key_decide(states[found->state], same, false)) {
        case FER_KEY_REPLAY: replay(c, found); break;
        case FER_KEY_CONFLICT: refuse_conflict(c); break;
        case FER_KEY_DOUBT:
            fer_call_refuse(c, FER_OUTCOME_UNKNOWN,
                            "an earlier call with this key was sent, and nobody knows what came of "
                            "it: look, then take another key");
            c->envelope.error.details = FER_STR("{\"cause\":\"IdempotencyUnknown\"}");
            break;
        default: refuse_busy(c); break;
        }
    }
    if (c->envelope.error.code && !c->shared)
        c->envelope.error.op = fer_stages[FER_STAGE_RECALL].name;
    fer_call_go(c);
}

fer_move fer_call_claim(fer_call *c)
{
    const fer_keeper *k = &c->gateway->keeper;
    fer_err err = {0};
    if (!c->keyed || c->claimed) return FER_MOVE_NEXT;
    c->asking = true;
    fer_code code = k->claim(k->context, &c->claim, on_claimed, c, &err);
    if (code) {
        c->asking = false;
        return fer_call_refuse_err(c, &err);
    }
    return FER_MOVE_WAIT;
}
