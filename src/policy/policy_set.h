/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's policies: rows for tools, backends and tenants, each by its name, by "ns:*"
 * (tools) or by "*", read once from JSON (docs/schemas/policies.schema.json describes it;
 * docs/policies.md says what they mean). Of several rows for one thing the nearest that names a
 * value counts. A tool's own record comes behind the operator's rows for it, and against "*" it may
 * only tighten. Immutable once read; texts live in the arena. Pure.
 */
#ifndef FER_POLICY_SET_H
#define FER_POLICY_SET_H

#include <ferrule/catalog.h>
#include <ferrule/json.h>

#include "breaker.h"
#include "json_value.h"
#include "rate.h"
#include "retry.h"

#define FER_TENANT_CALLS  100 /* of a tenant at once */
#define FER_BACKEND_CALLS 32  /* at a backend at once */

typedef enum fer_on_close {
    FER_CLOSE_BY_EFFECT, /* finish with a key and an IdempotentWrite, cancel else */
    FER_CLOSE_CANCEL,
    FER_CLOSE_FINISH
} fer_on_close;

typedef enum fer_payload {
    FER_PAYLOAD_REDACTED,
    FER_PAYLOAD_DIGEST,
    FER_PAYLOAD_NONE
} fer_payload;

/* What is limited for a tool, a backend or a tenant alike. */
typedef struct fer_scope_policy {
    size_t concurrency; /* 0: no limit */
    fer_rate_limit rate;
    fer_budget_limit budget;
    fer_breaker_limit breaker;
    unsigned weight;   /* of a tenant */
    bool trusted;      /* of a backend: what it says of its tools is believed */
    bool honours_keys; /* of a backend: a key that it sees twice has one effect */
    size_t queue;      /* of a backend: calls that wait */
    int64_t queue_ms;  /* and how long */
} fer_scope_policy;

typedef struct fer_tool_policy {
    fer_scope_policy scope;
    bool has_effect;
    fer_effect effect; /* the operator's word */
    bool has_idempotency;
    fer_idempotency idempotency;
    fer_retry_policy retry;
    int64_t timeout_ms, deadline_ms; /* 0: nobody names one */
    int64_t cache_ttl_ms;            /* 0: never */
    bool cache_public;
    fer_on_close on_close;
    fer_payload payload;
    fer_texts redact; /* the operator's paths */
    fer_texts shown;  /* paths whose values messages of validation may show */
} fer_tool_policy;

typedef struct fer_policy_set fer_policy_set;

/* Reads policies; an empty text is an empty set, all defaults. FER_INVALID_FORMAT where it makes no
 * sense. */
fer_code fer_policy_read(fer_arena *a, fer_str json, fer_policy_set **out, fer_err *err);

/* The policy of a tool: `id` without its version; `record` is its own `policies`, `cache` its own
 * `cache`, or NULL. */
void fer_policy_tool(const fer_policy_set *s, fer_str id, const yyjson_val *record,
                     const yyjson_val *cache, fer_arena *a, fer_tool_policy *out);
/* The operator's word on the effect of a tool; false: there is none. */
bool fer_policy_effect(const fer_policy_set *s, fer_str id, fer_effect *out);
void fer_policy_backend(const fer_policy_set *s, fer_str name, fer_scope_policy *out);
void fer_policy_tenant(const fer_policy_set *s, fer_str name, fer_scope_policy *out);

/* What holds for all. */
typedef struct fer_policy_common {
    bool reject_duplicates; /* of a key: refused, not joined */
    bool keys_by_tenant;
    int64_t key_ttl_ms;
    size_t cache_bytes;
    bool cache_persist; /* results outlive the process */
    size_t cache_disk_bytes;
    fer_texts redact, redact_except;
    bool redact_output;  /* callers get redacted results, too */
    fer_payload payload; /* of the ledger, where no row of a tool says otherwise */
} fer_policy_common;
const fer_policy_common *fer_policy_common_of(const fer_policy_set *s);

#endif
