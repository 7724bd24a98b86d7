/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rarer instructions of the quick form: what goes through members and items in other ways
 * than quick.c, what joins subschemas, and marks for `unevaluatedProperties` and
 * `unevaluatedItems`.
 */
#include "quick_run.h"

/* ---- members and items --------------------------------------------------------------------- */

/* Asks what patterns and additionalProperties say of a member. */
static bool other_members(struct fer_run *r, const fer_object *o, const yyjson_val *key,
                          bool *known)
{
    for (size_t n = 0; n < o->pattern_count; n++) {
        if (!fer_run_matches(r, o->patterns[n].regex, key)) continue;
        *known = true;
        if (!fer_run_ask(r, o->patterns[n].code, key + 1)) return false;
    }
    if (*known) return true;
    *known = o->additional;
    return fer_run_ask(r, o->rest, key + 1);
}

/* With patterns, or while members are marked. */
bool fer_run_members(struct fer_run *r, const fer_object *o, const yyjson_val *v)
{
    const yyjson_val *end = fer_run_end(v);
    size_t seen = 0, index = 0;
    const fer_known *guess = o->names.list;
    bool tracking = r->tracking;
    uint64_t marks = r->marks;
    if (tracking && fer_val_len(v) > FER_RUN_MARKS) return fer_run_give_up(r);
    r->tracking = false;
    r->left -= (int64_t)(fer_val_len(v) * (o->pattern_count + 1));
    for (const yyjson_val *key = v + 1; key < end; key = fer_val_next(key + 1), index++) {
        const fer_known *p = fer_run_name(o, guess, key);
        bool known = p && p->node;
        if (p) {
            guess = p + 1;
            seen += p->required;
        }
        if (known && !fer_run_ask(r, p->code, key + 1)) return false;
        if (!other_members(r, o, key, &known)) return false;
        marks |= (uint64_t)known << (index % FER_RUN_MARKS);
    }
    r->tracking = tracking;
    r->marks = marks;
    return seen == o->required;
}

static bool tuple(struct fer_run *r, const fer_quick_codes *d, const yyjson_val *v)
{
    bool tracking = r->tracking;
    uint64_t marks = r->marks;
    size_t index = 0, prefix = d->count - 1;
    r->left -= (int64_t)fer_val_len(v);
    if (r->left < 0 || (tracking && prefix > FER_RUN_MARKS)) return fer_run_give_up(r);
    r->tracking = false;
    FER_EACH_ITEM (v, item) {
        const fer_quick *code = d->codes[index < prefix ? index : prefix];
        if (!code) break;
        if (!fer_run_ask(r, code, item)) return false;
        if (index < FER_RUN_MARKS) marks |= UINT64_C(1) << index;
        index++;
    }
    r->tracking = tracking;
    r->marks = d->codes[prefix] ? UINT64_MAX : marks;
    return true;
}

static bool contains(struct fer_run *r, const fer_quick_contains *d, const yyjson_val *v)
{
    bool tracking = r->tracking;
    uint64_t hits = 0, index = 0, marks = r->marks;
    r->left -= (int64_t)fer_val_len(v);
    if (r->left < 0 || (tracking && fer_val_len(v) > FER_RUN_MARKS)) return fer_run_give_up(r);
    r->tracking = false;
    FER_EACH_ITEM (v, item) {
        bool hit = fer_run_attempt(r, d->code, item);
        hits += hit;
        marks |= (uint64_t)(hit && d->marks) << (index++ % FER_RUN_MARKS);
        if (!tracking && (hits > d->max || (hits >= d->min && d->max == UINT64_MAX))) break;
    }
    r->tracking = tracking;
    r->marks = marks;
    return hits >= d->min && hits <= d->max;
}

static bool each_name(struct fer_run *r, const fer_quick *code, const yyjson_val *v)
{
    bool tracking = r->tracking;
    r->left -= (int64_t)fer_val_len(v);
    if (r->left < 0) return false;
    r->tracking = false;
    FER_EACH_MEMBER (v, key) {
        if (!fer_run_ask(r, code, key)) return false;
    }
    r->tracking = tracking;
    return true;
}

static bool follows(struct fer_run *r, const fer_quick_dependent *d, const yyjson_val *v)
{
    const yyjson_val *key = fer_run_key(r, v, &d->name);
    if (!key) return true;
    bool other = d->equals &&
                 !(fer_is_str(key + 1) && fer_str_eq(fer_val_str(key + 1), fer_val_str(d->equals)));
    if (other) return true;
    if (d->code) return fer_run_ask(r, d->code, v);
    for (size_t n = 0; n < d->count; n++) {
        if (!fer_run_key(r, v, &d->names[n])) return false;
    }
    return true;
}

#define FEW_LOOKS 1000 /* at members, for all that may follow; the machine has tables for more */

static bool dependent(struct fer_run *r, const fer_quick_dependents *d, const yyjson_val *v)
{
    if (d->names * fer_val_len(v) > FEW_LOOKS) return fer_run_give_up(r);
    for (size_t n = 0; n < d->count; n++) {
        if (!follows(r, &d->list[n], v)) return false;
    }
    return true;
}

/* ---- subschemas of the same value ------------------------------------------------------------ */

static bool all(struct fer_run *r, const fer_quick_codes *d, const yyjson_val *v)
{
    for (size_t n = 0; n < d->count; n++) {
        if (!fer_run_ask(r, d->codes[n], v)) return false;
    }
    return true;
}

static bool none(struct fer_run *r, const fer_quick *code, const yyjson_val *v)
{
    uint64_t marks = r->marks;
    bool tracking = r->tracking;
    r->tracking = false; /* what it marks does not count */
    bool hit = fer_run_attempt(r, code, v);
    r->marks = marks;
    r->tracking = tracking;
    return !hit && r->left >= 0;
}

static bool condition(struct fer_run *r, const fer_quick_codes *d, const yyjson_val *v)
{
    const fer_quick *then = d->codes[fer_run_attempt(r, d->codes[0], v) ? 1 : 2];
    return !then || fer_run_ask(r, then, v);
}

/* ---- what nobody has looked at ------------------------------------------------------------------
 */

static bool tracked(struct fer_run *r, const fer_quick *code, const yyjson_val *v)
{
    bool tracking = r->tracking;
    uint64_t marks = r->marks;
    r->tracking = true;
    r->marks = 0;
    bool valid = fer_run_ask(r, code, v);
    r->tracking = tracking;
    r->marks |= marks;
    return valid;
}

static bool unevaluated(struct fer_run *r, const fer_quick *code, const yyjson_val *v)
{
    const yyjson_val *end = fer_val_next(v);
    size_t index = 0;
    bool object = fer_is_obj(v), tracking = r->tracking;
    uint64_t marks = r->marks;
    if (marks == UINT64_MAX) return true;
    if (fer_val_len(v) > FER_RUN_MARKS) return fer_run_give_up(r);
    r->tracking = false;
    for (const yyjson_val *item = v + 1 + object; item < end; index++) {
        if (!(marks >> index & 1) && !fer_run_ask(r, code, item)) return false;
        item = fer_val_next(item) + object;
    }
    r->tracking = tracking;
    r->marks = UINT64_MAX;
    return true;
}

/* ---- what has to do with more than the value itself ---------------------------------------------
 */

bool fer_run_apply(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    bool yes;
    if (!fer_run_enter(r, 0)) return false;
    switch ((enum fer_quick_op)i->op) {
    case FER_Q_CALL: yes = fer_run_ask(r, i->code, v); break;
    case FER_Q_PATTERNS: yes = fer_run_members(r, i->object, v); break;
    case FER_Q_ALL: yes = all(r, i->data, v); break;
    case FER_Q_TUPLE: yes = tuple(r, i->data, v); break;
    case FER_Q_CONTAINS: yes = contains(r, i->data, v); break;
    case FER_Q_NAMES: yes = each_name(r, i->code, v); break;
    case FER_Q_DEPENDENT: yes = dependent(r, i->data, v); break;
    case FER_Q_NOT: yes = none(r, i->code, v); break;
    case FER_Q_IF: yes = condition(r, i->data, v); break;
    case FER_Q_TRACKED: yes = tracked(r, i->code, v); break;
    default: yes = unevaluated(r, i->code, v); break;
    }
    return yes && fer_run_leave(r);
}
