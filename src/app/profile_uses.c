/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_uses.h"

#include "arena.h"

fer_code fer_profile_uses(fer_arena *a, fer_profile_use **out, size_t *count, fer_err *err)
{
    size_t n = fer_profile_count();
    fer_profile_use *list = fer_arena_alloc_zero(a, n, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < n; i++) {
        const fer_profile *profile = NULL;
        fer_code code = fer_profile_find(a, fer_str_of(fer_profile_name_at(i)), &profile, err);
        if (!code) code = fer_profile_demands(a, profile, &list[i].demands, &list[i].count, err);
        if (code) return code;
        list[i].about = fer_profile_about(profile);
    }
    *out = list;
    *count = n;
    return FER_OK;
}

const fer_profile_demand *fer_profile_use_find(const fer_profile_use *use, const fer_rule *rule)
{
    for (size_t i = 0; i < use->count; i++) {
        if (use->demands[i].rule == rule) return &use->demands[i];
    }
    return NULL;
}
