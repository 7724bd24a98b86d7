/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of what comes from outside, one row each, for the reference page and the tests. */
#ifndef FER_IO_LIMITS_H
#define FER_IO_LIMITS_H

#include "limit_row.h"

extern const fer_limit_row fer_io_limit_rows[];
extern const size_t fer_io_limit_row_count;

#endif
