/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands bound, a row each, for the documentation. */
#ifndef FER_APP_LIMITS_H
#define FER_APP_LIMITS_H

#include "limit_row.h"

extern const fer_limit_row fer_app_limit_rows[];
extern const size_t fer_app_limit_row_count;

#endif
