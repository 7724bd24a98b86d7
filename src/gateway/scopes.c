/* SPDX-License-Identifier: Apache-2.0 */
#include "scopes.h"

#include "sys.h"

const char *const fer_scope_names[FER_SCOPE_KINDS] = {"tool", "backend", "tenant"};

void fer_scopes_init(fer_scopes *s, const fer_policy_set *policies, const uint64_t seed[2])
{
    *s = (fer_scopes){.policies = policies};
    for (int i = 0; i < FER_SCOPE_KINDS; i++) fer_bag_init(&s->bags[i], seed);
}

void fer_scopes_deinit(fer_scopes *s)
{
    for (int i = 0; i < FER_SCOPE_KINDS; i++) {
        fer_bag *b = &s->bags[i];
        for (size_t k = 0; k < b->cap; k++) {
            for (fer_bag_node *n = b->slots[k], *next; n; n = next) {
                next = n->next;
                fer_sys_free(n); /* the first member of its scope */
            }
        }
        fer_bag_deinit(b);
    }
}

static void look_up(const fer_scopes *s, fer_scope *one)
{
    fer_str name = {one->name, one->name_len};
    if (one->kind == FER_SCOPE_BACKEND) fer_policy_backend(s->policies, name, &one->policy);
    if (one->kind == FER_SCOPE_TENANT) fer_policy_tenant(s->policies, name, &one->policy);
    one->queue.max = one->policy.queue;
    one->queue.age_ms = one->policy.queue_ms;
}

void fer_scopes_change(fer_scopes *s, const fer_policy_set *policies)
{
    s->policies = policies;
    for (int i = 0; i < FER_SCOPE_KINDS; i++) {
        const fer_bag *b = &s->bags[i];
        for (size_t k = 0; k < b->cap; k++)
            for (fer_bag_node *n = b->slots[k]; n; n = n->next) look_up(s, (fer_scope *)n);
    }
}

/* Tenants of whom nothing needs to be remembered. */
static bool is_idle(const fer_scope *s)
{
    return !s->running && !s->queue.count && !s->policy.budget.calls && !s->policy.rate.requests;
}

static void sweep(fer_bag *b)
{
    for (size_t i = 0; i < b->cap; i++) {
        for (fer_bag_node *n = b->slots[i], *next; n; n = next) {
            next = n->next;
            if (!is_idle((fer_scope *)n)) continue;
            fer_bag_remove(b, n);
            fer_sys_free(n);
        }
    }
}

fer_scope *fer_scope_get(fer_scopes *s, fer_scope_kind kind, fer_str name,
                         const fer_scope_policy *policy)
{
    fer_bag *b = &s->bags[kind];
    fer_bag_node *n = fer_bag_find(b, name);
    if (n) return (fer_scope *)n; /* its first member */
    if (kind == FER_SCOPE_TENANT && b->count >= FER_SCOPE_TENANTS) {
        sweep(b);
        if (b->count >= FER_SCOPE_TENANTS && !fer_str_is(name, "*"))
            return fer_scope_get(s, kind, FER_STR("*"), NULL);
    }
    fer_scope *made = fer_sys_malloc(sizeof *made + name.len + 1);
    if (!made) return NULL;
    *made = (fer_scope){.kind = kind, .name_len = name.len};
    if (name.len) memcpy(made->name, name.ptr, name.len);
    if (policy) made->policy = *policy;
    look_up(s, made);
    if (fer_bag_add(b, &made->node, (fer_str){made->name, made->name_len})) return made;
    fer_sys_free(made);
    return NULL;
}

bool fer_scope_has_room(const fer_scope *s)
{
    return !s || !s->policy.concurrency || s->running < s->policy.concurrency;
}
