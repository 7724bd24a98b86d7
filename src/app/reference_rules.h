/* SPDX-License-Identifier: Apache-2.0 */
/* The reference pages of rules and profiles, made from their tables and data. */
#ifndef FER_REFERENCE_RULES_H
#define FER_REFERENCE_RULES_H

#include "command.h"

typedef int fer_reference_page(fer_app *app);
fer_reference_page fer_reference_rules, fer_reference_profiles;

#endif
