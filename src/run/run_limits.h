/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of what runs tools, one row each, for the reference page and the tests. */
#ifndef FER_RUN_LIMITS_H
#define FER_RUN_LIMITS_H

#include "limit_row.h"

extern const fer_limit_row fer_run_limit_rows[];
extern const size_t fer_run_limit_row_count;

#endif
