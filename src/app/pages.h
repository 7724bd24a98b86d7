/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of rules and profiles, made from their tables and data: one page each, and an
 * index of either. `ferrule explain` and `ferrule profiles show` print the same pages, plain.
 */
#ifndef FER_PAGES_H
#define FER_PAGES_H

#include <ferrule/contract.h>

#include "command.h"
#include "sheet.h"

/* What a rule demands, why, how to mend it, and the profiles that have it. */
fer_code fer_page_rule(const fer_sheet *s, fer_arena *a, const fer_rule *rule, fer_err *err);
/* Where a profile comes from, and its rules. */
fer_code fer_page_profile(const fer_sheet *s, fer_arena *a, const fer_profile *profile,
                          fer_err *err);

/* The index of a kind of pages, or the page of `name`; an exit code. */
int fer_pages_rules(fer_app *app, const char *name);
int fer_pages_profiles(fer_app *app, const char *name);

/* The names of the other pages, and of the indexes; NULL behind the last. */
const char *fer_reference_page_at(size_t index);

#endif
