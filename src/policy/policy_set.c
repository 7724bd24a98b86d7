/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_set.h"

#include "effect.h"
#include "errors.h"
#include "json_doc.h"
#include "key_policy.h"
#include "redact.h"

struct fer_policy_set {
    const yyjson_val *tools, *backends, *tenants; /* objects, or NULL */
    fer_policy_common common;
};

/* ---- values of a row ------------------------------------------------------------------------- */

static const yyjson_val *part(const yyjson_val *object, const char *key)
{
    return fer_is_obj(object) ? fer_val_get(object, key) : NULL;
}

/* A whole number, or `otherwise`. */
static int64_t number(const yyjson_val *object, const char *key, int64_t otherwise)
{
    const yyjson_val *v = part(object, key);
    return v && fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 <= INT64_MAX / 1000000
               ? (int64_t)v->uni.u64
               : otherwise;
}

static bool flag(const yyjson_val *object, const char *key, bool otherwise)
{
    const yyjson_val *v = part(object, key);
    return fer_is_bool(v) ? fer_is_true(v) : otherwise;
}

static fer_str text(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = part(object, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static fer_texts texts(fer_arena *a, const yyjson_val *list)
{
    fer_str *out =
        fer_is_arr(list) ? fer_arena_alloc(a, (fer_val_len(list) + 1) * sizeof *out) : NULL;
    size_t count = 0;
    if (!out) return (fer_texts){0};
    FER_EACH_ITEM (list, item)
        if (fer_is_str(item)) out[count++] = fer_val_str(item);
    return (fer_texts){out, count};
}

/* ---- rows, the nearest last ------------------------------------------------------------------ */

enum {
    ROWS = 4
};

/* Takes from a row what it names; what was there before stays else. */
static void take_scope(const yyjson_val *row, fer_scope_policy *p)
{
    const yyjson_val *rate = part(row, "rateLimit"), *budget = part(row, "budget"),
                     *breaker = part(row, "circuitBreaker"), *queue = part(row, "queue");
    p->concurrency = (size_t)number(row, "concurrency", (int64_t)p->concurrency);
    if (rate)
        p->rate = (fer_rate_limit){number(rate, "requests", 0), number(rate, "perMs", 1000),
                                   number(rate, "burst", 0)};
    if (budget)
        p->budget = (fer_budget_limit){number(budget, "calls", 0), number(budget, "perMs", 0)};
    if (breaker) {
        p->breaker.off = !flag(breaker, "enabled", true);
        p->breaker.failures = (unsigned)number(breaker, "failures", p->breaker.failures);
        p->breaker.open_ms = number(breaker, "openMs", p->breaker.open_ms);
        p->breaker.slow_ms = number(breaker, "slowMs", p->breaker.slow_ms);
    }
    p->queue = (size_t)number(queue, "length", (int64_t)p->queue);
    p->queue_ms = number(queue, "ageMs", p->queue_ms);
    p->weight = (unsigned)number(row, "weight", p->weight);
    p->trusted = flag(row, "trusted", p->trusted);
    p->honours_keys = flag(row, "honoursKeys", p->honours_keys);
}

static void take_retry(const yyjson_val *row, fer_retry_policy *p)
{
    const yyjson_val *on = part(row, "retryOn");
    if (!row) return;
    p->attempts = (unsigned)number(row, "maxAttempts", p->attempts);
    p->backoff_ms = number(row, "backoffMs", p->backoff_ms);
    p->backoff_max_ms = number(row, "maxBackoffMs", p->backoff_max_ms);
    p->steady = !flag(row, "jitter", !p->steady);
    p->pure_never = !flag(row, "pure", !p->pure_never);
    if (!fer_is_arr(on)) return;
    p->not_processed = false;
    FER_EACH_ITEM (on, item)
        p->not_processed |= fer_is_str(item) && fer_str_is(fer_val_str(item), "not-processed");
}

static fer_payload payload_of(fer_str word)
{
    return fer_str_is(word, "none")     ? FER_PAYLOAD_NONE
           : fer_str_is(word, "digest") ? FER_PAYLOAD_DIGEST
                                        : FER_PAYLOAD_REDACTED;
}

static void take_words(const yyjson_val *row, fer_tool_policy *p)
{
    fer_str effect = text(row, "effect"), keys = text(row, "idempotency"),
            close = text(row, "onClientClose"), payload = text(row, "ledger");
    if (effect.len) p->has_effect = fer_effect_parse(effect, &p->effect);
    for (int i = FER_IDEMPOTENCY_NONE; i <= FER_IDEMPOTENCY_REQUIRED; i++) {
        if (!fer_str_is(keys, fer_idempotency_name((fer_idempotency)i))) continue;
        p->has_idempotency = true;
        p->idempotency = (fer_idempotency)i;
    }
    if (close.len) p->on_close = fer_str_is(close, "finish") ? FER_CLOSE_FINISH : FER_CLOSE_CANCEL;
    if (payload.len) p->payload = payload_of(payload);
}

static void take_tool(fer_arena *a, const yyjson_val *row, fer_tool_policy *p)
{
    const yyjson_val *cache = part(row, "cache"), *redact = part(row, "redact"),
                     *shown = part(row, "public");
    if (!fer_is_obj(row)) return;
    take_scope(row, &p->scope);
    take_retry(part(row, "retry"), &p->retry);
    take_words(row, p);
    p->timeout_ms = number(row, "timeoutMs", p->timeout_ms);
    p->deadline_ms = number(row, "deadlineMs", p->deadline_ms);
    p->cache_ttl_ms = number(cache, "ttlMs", p->cache_ttl_ms);
    if (cache) p->cache_public = fer_str_is(text(cache, "scope"), "public");
    if (redact) p->redact = texts(a, redact);
    if (shown) p->shown = texts(a, shown);
}

/* ---- the record ------------------------------------------------------------------------------ */

static int64_t less(int64_t one, int64_t other)
{
    return one <= 0 ? other : other <= 0 || one < other ? one : other;
}

/* Whether the limit `one` lets less through than `other`. */
static bool tighter(const fer_rate_limit *one, const fer_rate_limit *other)
{
    if (one->requests <= 0 || other->requests <= 0) return one->requests > 0;
    return one->requests * other->per_ms < other->requests * one->per_ms;
}

/* What the record says, in front of what holds for all tools: tighter, or not at all. */
static void take_record(const yyjson_val *record, const yyjson_val *cache, fer_tool_policy *p)
{
    fer_tool_policy own = {0};
    take_scope(record, &own.scope);
    take_retry(part(record, "retry"), &own.retry);
    p->timeout_ms = less(number(record, "timeoutMs", 0), p->timeout_ms);
    p->deadline_ms = less(number(record, "deadlineMs", 0), p->deadline_ms);
    p->scope.concurrency =
        (size_t)less((int64_t)own.scope.concurrency, (int64_t)p->scope.concurrency);
    if (tighter(&own.scope.rate, &p->scope.rate)) p->scope.rate = own.scope.rate;
    if (own.scope.budget.calls &&
        (!p->scope.budget.calls || (own.scope.budget.calls < p->scope.budget.calls &&
                                    own.scope.budget.per_ms >= p->scope.budget.per_ms)))
        p->scope.budget = own.scope.budget;
    if (part(record, "circuitBreaker")) p->scope.breaker = own.scope.breaker;
    if (own.retry.attempts)
        p->retry.attempts = (unsigned)less(own.retry.attempts, p->retry.attempts);
    p->retry.backoff_ms = p->retry.backoff_ms ? p->retry.backoff_ms : own.retry.backoff_ms;
    p->retry.backoff_max_ms =
        p->retry.backoff_max_ms ? p->retry.backoff_max_ms : own.retry.backoff_max_ms;
    p->retry.not_processed |= own.retry.not_processed;
    take_words(record, &own);
    if (p->on_close == FER_CLOSE_BY_EFFECT) p->on_close = own.on_close;
    if (part(cache, "ttlMs")) {
        int64_t ttl = number(cache, "ttlMs", 0);
        p->cache_ttl_ms = p->cache_ttl_ms && p->cache_ttl_ms < ttl ? p->cache_ttl_ms : ttl;
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static const yyjson_val *row_of(const yyjson_val *rows, fer_str name)
{
    const yyjson_val *key = rows ? fer_val_key(rows, name) : NULL;
    return key ? key + 1 : NULL;
}

/* The row of all tools of a namespace: "NAMESPACE:*". */
static const yyjson_val *row_of_namespace(const fer_policy_set *s, fer_str id)
{
    char ns[FER_NAME_MAX + 3];
    size_t colon = fer_str_find(id, 0, ':');
    if (colon == SIZE_MAX || colon + 3 > sizeof ns) return NULL;
    memcpy(ns, id.ptr, colon);
    ns[colon] = ':';
    ns[colon + 1] = '*';
    return row_of(s->tools, (fer_str){ns, colon + 2});
}

void fer_policy_tool(const fer_policy_set *s, fer_str id, const yyjson_val *record,
                     const yyjson_val *cache, fer_arena *a, fer_tool_policy *out)
{
    *out = (fer_tool_policy){.scope.breaker.off = true, .payload = s->common.payload};
    take_tool(a, row_of(s->tools, FER_STR("*")), out);
    take_record(record, cache, out);
    take_tool(a, row_of_namespace(s, id), out);
    take_tool(a, row_of(s->tools, id), out);
}

bool fer_policy_effect(const fer_policy_set *s, fer_str id, fer_effect *out)
{
    fer_tool_policy p = {0};
    const yyjson_val *rows[] = {row_of(s->tools, FER_STR("*")), row_of_namespace(s, id),
                                row_of(s->tools, id)};
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (fer_is_obj(rows[i])) take_words(rows[i], &p);
    if (p.has_effect) *out = p.effect;
    return p.has_effect;
}

void fer_policy_backend(const fer_policy_set *s, fer_str name, fer_scope_policy *out)
{
    *out = (fer_scope_policy){.concurrency = FER_BACKEND_CALLS};
    take_scope(row_of(s->backends, FER_STR("*")), out);
    take_scope(row_of(s->backends, name), out);
}

void fer_policy_tenant(const fer_policy_set *s, fer_str name, fer_scope_policy *out)
{
    *out = (fer_scope_policy){.concurrency = FER_TENANT_CALLS, .weight = 1};
    take_scope(row_of(s->tenants, FER_STR("*")), out);
    take_scope(row_of(s->tenants, name), out);
}

const fer_policy_common *fer_policy_common_of(const fer_policy_set *s)
{
    return &s->common;
}

/* ---- reading --------------------------------------------------------------------------------- */

static fer_code check_paths(fer_arena *a, fer_texts list, fer_err *err)
{
    fer_redact_rules *unused;
    return fer_redact_compile(a, list.list, list.count, false, NULL, 0, &unused, err);
}

static fer_code check_rows(fer_arena *a, const yyjson_val *rows, fer_err *err)
{
    fer_code code = FER_OK;
    if (!fer_is_obj(rows)) return FER_OK;
    FER_EACH_MEMBER (rows, key) {
        if (!code) code = check_paths(a, texts(a, part(key + 1, "redact")), err);
        if (!code) code = check_paths(a, texts(a, part(key + 1, "public")), err);
    }
    return code;
}

static void take_common(fer_arena *a, const yyjson_val *root, fer_policy_common *c)
{
    const yyjson_val *keys = part(root, "idempotency"), *redact = part(root, "redaction");
    int64_t ttl = number(keys, "ttlMs", FER_KEY_TTL_MS);
    c->reject_duplicates = fer_str_is(text(keys, "duplicates"), "reject");
    c->keys_by_tenant = fer_str_is(text(keys, "scope"), "tenant");
    c->key_ttl_ms = ttl > FER_KEY_TTL_MIN ? ttl : FER_KEY_TTL_MIN;
    const yyjson_val *cache = part(root, "cache");
    c->cache_bytes = (size_t)number(cache, "bytes", 0);
    c->cache_persist = flag(cache, "persist", false);
    c->cache_disk_bytes = (size_t)number(cache, "diskBytes", 0);
    c->redact = texts(a, part(redact, "paths"));
    c->redact_except = texts(a, part(redact, "except"));
    c->redact_output = flag(redact, "output", false);
    c->payload = payload_of(text(part(root, "ledger"), "payload"));
}

fer_code fer_policy_read(fer_arena *a, fer_str json, fer_policy_set **out, fer_err *err)
{
    fer_policy_set *s = fer_arena_alloc_zero(a, 1, sizeof *s);
    fer_str copy = fer_arena_copy(a, json.len ? json : FER_STR("{}"));
    fer_json *doc;
    if (!s || !copy.ptr) return fer_arena_failed(a, err);
    fer_code code = fer_json_read(a, copy, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    if (!fer_is_obj(root))
        return fer_fail(err, FER_INVALID_FORMAT, "policies are an object, not %s",
                        fer_val_type_name(root));
    take_common(a, root, &s->common);
    const yyjson_val *tools = part(root, "tools"), *backends = part(root, "backends"),
                     *tenants = part(root, "tenants");
    s->tools = fer_is_obj(tools) ? tools : NULL;
    s->backends = fer_is_obj(backends) ? backends : NULL;
    s->tenants = fer_is_obj(tenants) ? tenants : NULL;
    code = check_paths(a, s->common.redact, err);
    if (!code) code = check_rows(a, tools, err);
    if (!code) *out = s;
    return code;
}
