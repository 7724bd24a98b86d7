/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox_limits.h"

#include "sandbox_parts.h"

const fer_limit_row fer_sandbox_limit_rows[] = {
    {"sandbox.wall", 30000,
     "milliseconds by the clock that a program in a sandbox has, unless told otherwise"},
    {"sandbox.cpu", 10000, "milliseconds of processors, of all its processes"},
    {"sandbox.memory", (size_t)512 << 20, "bytes of memory of all its processes"},
    {"sandbox.processes", 64, "processes and threads"},
    {"sandbox.output", (size_t)1 << 20, "bytes that it prints"},
    {"sandbox.disk", (size_t)32 << 20, "bytes of its work folder"},
    {"sandbox.inodes", 4096, "files and folders in it"},
    {"sandbox.files", 256, "descriptors of one of its processes"},
    {"sandbox.binds", CELL_BINDS_MAX, "files and folders of the host that it sees"},
    {"sandbox.handed", FER_SANDBOX_HANDED_MAX, "descriptors that it is given besides the three"},
};
const size_t fer_sandbox_limit_row_count = FER_COUNT(fer_sandbox_limit_rows);
