/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of several profiles side by side: what one walk over a schema asks. */
#include "profile.h"

/* For each slot of a set. */
#define EACH_SLOT(slots, slot)                                                                     \
    for (uint64_t left_ = (slots); left_; left_ &= left_ - 1)                                      \
        for (unsigned slot = (unsigned)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

#define ALL_SLOTS (KW_COUNT == 64 ? UINT64_MAX : ((uint64_t)1 << KW_COUNT) - 1)

static void mark(uint64_t *by_slot, uint64_t slots, uint64_t bit)
{
    EACH_SLOT(slots, slot) by_slot[slot] |= bit;
}

/* Rules that are about a keyword of their own. */
static void plan_keywords(fer_plan *plan, const fer_profile *p, uint64_t bit, uint64_t *named)
{
    *named = 0;
    for (size_t i = 0; i < FER_PR_COUNT; i++) {
        uint64_t slots = fer_profile_rules[i].keywords;
        EACH_SLOT(slots, slot) plan->rule_of[slot] = (uint8_t)i;
        if (!p->rows[i].on) continue;
        mark(plan->reject, slots, bit);
        *named |= slots;
    }
}

/* Rules that are about many keywords, those of rules of their own left out. */
static void plan_others(fer_plan *plan, const fer_profile *p, uint64_t bit, uint64_t named)
{
    const struct fer_profile_row *unlisted = &p->rows[FER_PR_KEYWORD_UNLISTED],
                                 *ignored = &p->rows[FER_PR_KEYWORD_IGNORED],
                                 *loose = &p->rows[FER_PR_KEYWORD_UNENFORCED],
                                 *root = &p->rows[FER_PR_ROOT_COMPOSITION];
    if (unlisted->on) mark(plan->unlisted, ALL_SLOTS & ~unlisted->except & ~named, bit);
    if (loose->on) mark(plan->unenforced, loose->keywords & ~named, bit);
    if (root->on) mark(plan->root_refused, root->keywords, bit);
    if (!ignored->on) return;
    uint64_t slots = ignored->has_keywords ? ignored->keywords : ALL_SLOTS & ~ignored->except;
    uint64_t at_root = ignored->has_root_except ? ALL_SLOTS & ~ignored->root_except : slots;
    mark(plan->ignored[0], slots & ~named, bit);
    mark(plan->ignored[1], at_root & ~named, bit);
}

bool fer_plan_add(fer_plan *plan, const fer_profile *profile)
{
    uint64_t named, bit;
    if (plan->count >= FER_PROFILES_MAX) return false;
    bit = (uint64_t)1 << plan->count;
    if (plan->count == 0) memset(plan->rule_of, 0xFF, sizeof plan->rule_of);
    plan->profiles[plan->count++] = profile;
    for (size_t i = 0; i < FER_PR_COUNT; i++) {
        if (profile->rows[i].on) plan->on[i] |= bit;
    }
    for (size_t i = 0; i < FER_SHAPE_COUNT; i++) {
        fer_str shape = fer_str_of(fer_shape_info((enum fer_shape)i)->name);
        for (size_t w = 0; w < profile->shapes.count; w++) {
            if (fer_str_eq(profile->shapes.list[w], shape)) plan->native[i] |= bit;
        }
    }
    plan_keywords(plan, profile, bit, &named);
    plan_others(plan, profile, bit, named);
    for (size_t slot = 0; slot < KW_COUNT; slot++) {
        if (plan->reject[slot] | plan->unlisted[slot] | plan->ignored[0][slot] |
            plan->ignored[1][slot] | plan->unenforced[slot] | plan->root_refused[slot])
            plan->any_slot |= FER_SLOT(slot);
    }
    return true;
}
