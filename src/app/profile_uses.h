/* SPDX-License-Identifier: Apache-2.0 */
/* Which built-in profiles have a row for which rule: for explain and the reference pages. */
#ifndef FER_PROFILE_USES_H
#define FER_PROFILE_USES_H

#include <ferrule/contract.h>

typedef struct fer_profile_use {
    fer_profile_info about;
    fer_profile_demand *demands;
    size_t count;
} fer_profile_use;

/* All built-in profiles with their demands, in `a`. */
fer_code fer_profile_uses(fer_arena *a, fer_profile_use **out, size_t *count, fer_err *err);
/* The row of a rule in a profile, or NULL. */
const fer_profile_demand *fer_profile_use_find(const fer_profile_use *use, const fer_rule *rule);

#endif
