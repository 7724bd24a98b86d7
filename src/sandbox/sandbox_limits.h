/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of this room as the reference page and the tests see them. Those of what runs inside
 * are fer_box_limit_rows. */
#ifndef FER_SANDBOX_LIMITS_H
#define FER_SANDBOX_LIMITS_H

#include "limit_row.h"

extern const fer_limit_row fer_sandbox_limit_rows[];
extern const size_t fer_sandbox_limit_row_count;

#endif
