/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that holds tools against the profiles of a run (checks.h). */
#ifndef FER_PROFILE_PASS_H
#define FER_PROFILE_PASS_H

#include "checks.h"

extern const fer_pass fer_profiles_pass;

#endif
