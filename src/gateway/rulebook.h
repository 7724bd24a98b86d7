/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies as they were read once, counted: a call, and a tool that was made ready, hold those that
 * they began with, whatever a reload brings. One thread.
 */
#ifndef FER_RULEBOOK_H
#define FER_RULEBOOK_H

#include "policy_set.h"

typedef struct fer_rulebook {
    size_t refs;
    fer_arena *arena;
    fer_policy_set *set;
} fer_rulebook;

/* `json` is the section of the configuration; empty: defaults. */
fer_code fer_rulebook_new(fer_str json, fer_rulebook **out, fer_err *err);
fer_rulebook *fer_rulebook_ref(fer_rulebook *b);
void fer_rulebook_unref(fer_rulebook *b); /* NULL is fine */

#endif
