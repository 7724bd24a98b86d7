/* SPDX-License-Identifier: Apache-2.0 */
#include "run_limits.h"

#include "local_command.h"

const fer_limit_row fer_run_limit_rows[] = {
    {"command.items", FER_LOCAL_ITEMS, "items of the argv of a command's definition"},
    {"command.variables", FER_LOCAL_VARIABLES,
     "variables that a command's definition passes on, and that it sets"},
    {"command.exits", FER_LOCAL_EXITS, "exit codes and ranges in a command's definition"},
    {"command.arg", FER_LOCAL_ARG, "bytes of one argument of a command line"},
    {"command.args", FER_LOCAL_ARGS, "bytes of all arguments of one command line"},
    {"command.count", FER_LOCAL_COUNT, "arguments of one command line"},
    {"command.stderr", FER_LOCAL_STDERR,
     "bytes of standard error in the details of a failure; the rest is cut off"},
};
const size_t fer_run_limit_row_count = FER_COUNT(fer_run_limit_rows);
