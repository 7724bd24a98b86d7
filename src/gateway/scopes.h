/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is counted for each tool, backend and tenant: calls at once, rates, budgets, circuits, the
 * queue of a backend. A scope is made when it is first met; those of tenants are bounded, and idle
 * ones make room. One thread.
 */
#ifndef FER_SCOPES_H
#define FER_SCOPES_H

#include "bag.h"
#include "policy_set.h"
#include "queue.h"

#define FER_SCOPE_TENANTS                                                                          \
    100000 /* tenants that are counted; past it the newest share one scope                         \
            */

typedef enum fer_scope_kind {
    FER_SCOPE_TOOL,
    FER_SCOPE_BACKEND,
    FER_SCOPE_TENANT,
    FER_SCOPE_KINDS
} fer_scope_kind;
extern const char *const fer_scope_names[FER_SCOPE_KINDS]; /* "tool", "backend", "tenant" */

typedef struct fer_scope {
    fer_bag_node node;
    fer_scope_kind kind;
    fer_scope_policy policy;
    size_t running;
    fer_rate rate;
    fer_budget budget;
    fer_breaker breaker;
    int64_t lost; /* when a loss of it was last counted, fer_clock_mono; 0: never */
    fer_retry_budget retries;
    fer_queue queue;
    int64_t service_us;             /* that a call takes, of late; 0: nobody knows */
    struct fer_scope *next, **link; /* of those with calls that wait */
    size_t name_len;
    char name[];
} fer_scope;

typedef struct fer_scopes {
    const fer_policy_set *policies;
    fer_bag bags[FER_SCOPE_KINDS];
    fer_scope *waiting; /* backends with calls that wait */
} fer_scopes;

void fer_scopes_init(fer_scopes *s, const fer_policy_set *policies, const uint64_t seed[2]);
void fer_scopes_deinit(fer_scopes *s);
/* Other policies hold from now on; what was counted stays. Tools get theirs with their next call.
 */
void fer_scopes_change(fer_scopes *s, const fer_policy_set *policies);
/* Of a tool the policy is the caller's to give; NULL else. NULL: no memory. */
fer_scope *fer_scope_get(fer_scopes *s, fer_scope_kind kind, fer_str name,
                         const fer_scope_policy *policy);
bool fer_scope_has_room(const fer_scope *s);

#endif
