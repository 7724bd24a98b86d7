/* SPDX-License-Identifier: Apache-2.0 */
#include "run_limits.h"

#include "code_lines.h"
#include "container_sweep.h"
#include "docker_attach.h"
#include "lines.h"
#include "local_command.h"
#include "rt_container.h"
#include "rt_js.h"
#include "rt_wasm.h"

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
    {"code.size", FER_CODE_SIZE, "bytes of a program that is run"},
    {"code.depth", FER_CODE_DEPTH, "levels of a program's value, and of arguments that it gives"},
    {"code.stored", FER_CODE_STORED, "bytes of a value that is to be stored"},
    {"code.id", FER_CODE_ID, "bytes of the `id` of a request that code makes"},
    {"code.line", FER_LINE_MAX, "bytes of a line between code and gateway"},
    {"code.warm", FER_JS_WARM_MAX, "programs of the runtime js that wait"},
    {"wasm.module", FER_WASM_MODULE, "bytes of a module that the runtime wasm runs"},
    {"container.code", FER_CONTAINER_CODE,
     "bytes of a program that is an argument of a container's command"},
    {"container.wait", FER_CONTAINER_WAIT_MS,
     "milliseconds that the API of containers may take to answer"},
    {"container.sweep", FER_CONTAINER_SWEEP_MS,
     "milliseconds that it may take where containers of dead gateways are looked for"},
    {"container.swept", FER_SWEEP_MAX, "containers of dead gateways that one sweep removes"},
    {"container.list", FER_SWEEP_LIST,
     "bytes of the list of containers in which those of dead gateways are looked for"},
    {"container.removes", FER_CONTAINER_REMOVES,
     "times that the API is asked to remove a container that is just ending"},
    {"container.head", FER_ATTACH_HEAD, "bytes of the head with which the API attaches"},
    {"container.waiting", FER_ATTACH_WAITING,
     "bytes that a container has been told and has not read"},
};
const size_t fer_run_limit_row_count = FER_COUNT(fer_run_limit_rows);
