/* SPDX-License-Identifier: Apache-2.0 */
/* What the room auth bounds, a row each, for the documentation. */
#ifndef FER_AUTH_LIMITS_H
#define FER_AUTH_LIMITS_H

#include "limit_row.h"

extern const fer_limit_row fer_auth_limit_rows[];
extern const size_t fer_auth_limit_row_count;

#endif
