/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local commands as tools: a program of the operator's, with a command line made from a call's
 * arguments (local_argv.h), what it reads, what its output means, and what its exit codes mean.
 * Definitions come from the operator's files only (docs/run.md, "Commands"); no call can name a
 * program, a variable or a folder.
 *
 * A runner of this kind is a pack of commands. Each call is one process, in a session of its own;
 * when its call is given up, SIGTERM goes to its whole tree at once and SIGKILL half a second
 * later, while the call has long been answered.
 */
#ifndef FER_BACKEND_LOCAL_COMMAND_H
#define FER_BACKEND_LOCAL_COMMAND_H

#include "local_argv.h"
#include "process.h"
#include "runner.h"

#define FER_LOCAL_STDERR    4096 /* bytes of standard error in the details of a failure */
#define FER_LOCAL_VARIABLES 256  /* variables that a definition passes on and sets, each */
#define FER_LOCAL_EXITS     256  /* rows of exit codes */

typedef enum fer_local_command_input {
    FER_INPUT_NONE,
    FER_INPUT_JSON, /* the arguments, on one line */
    FER_INPUT_PLACE /* the text of one argument */
} fer_local_command_input;

typedef enum fer_local_command_output {
    FER_OUTPUT_JSON,
    FER_OUTPUT_TEXT, /* a text */
    FER_OUTPUT_LINES /* a list of texts, which are also told one by one */
} fer_local_command_output;

typedef struct fer_local_command_variable {
    fer_str name;
    fer_str value; /* a secret is resolved before it comes here */
} fer_local_command_variable;

/* What exit codes from `from` to `to` mean. */
typedef struct fer_local_command_exit {
    int from, to;
    fer_code code;
} fer_local_command_exit;

typedef struct fer_local_command {
    fer_str name; /* of the tool, at this runner */
    fer_argv argv;
    fer_local_command_input input;
    fer_argv_part input_place;
    fer_local_command_output output;
    const fer_str *pass; /* names of variables that are ours and become its */
    size_t pass_count;
    const fer_local_command_variable *set;
    size_t set_count;
    fer_str sha256;                      /* of the program: another one is not started; or empty */
    fer_str cwd;                         /* absolute; empty: as ours */
    const fer_local_command_exit *exits; /* the first row that fits counts; else 0 is FER_OK, and
                                      all others are FER_TOOL_FAILED */
    size_t exit_count;
    size_t output_max; /* bytes */
    fer_str tool;      /* its record, for `list`; or empty */
} fer_local_command;

/*
 * A definition from its JSON form, which may leave out `name`. It borrows from `value`, which is in
 * `doc`; `doc` may be NULL, else a failure has a place in it.
 */
fer_code fer_local_command_read(fer_arena *a, const fer_json *doc, const yyjson_val *value,
                                fer_str name, fer_local_command *out, fer_err *err);

/* Something is wrong with the value `at`. */
typedef void fer_local_command_tell(void *context, const yyjson_val *at, const fer_err *why);
/*
 * The same, and all that is wrong is told: each member is read, and `*out` has those that are
 * right. Fails for want of memory only.
 */
fer_code fer_local_command_check(fer_arena *a, const yyjson_val *value, fer_str name,
                                 fer_local_command_tell *tell, void *context,
                                 fer_local_command *out, fer_err *err);

/* A pack without commands. NULL: no memory. */
FER_MUST_USE fer_runner *fer_local_command_runner(fer_process_host *host, fer_str name);
/*
 * Adds a command, which is borrowed; one of the same name is replaced. Its program is looked up
 * now, in the folders of `path`, and the variables that it passes on are taken from ours.
 */
fer_code fer_local_command_add(fer_runner *r, const fer_local_command *c, fer_str path,
                               fer_err *err);
/* In place of a command that cannot be set up: calls of it say so (fer_attempt_vacant), and take
 * nothing from the others. The name is borrowed. */
fer_code fer_local_command_leave_out(fer_runner *r, fer_str name, fer_err *err);

#endif
