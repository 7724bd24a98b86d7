/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox_limits.h"

#include "sandbox_parts.h"

const fer_limit_row fer_sandbox_limit_rows[] = {
    {"sandbox.binds", CELL_BINDS_MAX, "files and folders of the host that it sees"},
    {"sandbox.handed", FER_SANDBOX_HANDED_MAX, "descriptors that it is given besides the three"},
};
const size_t fer_sandbox_limit_row_count = FER_COUNT(fer_sandbox_limit_rows);
