/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "errors.h"
#include "file.h"
#include "sys.h"

static fer_code failed(fer_err *err, const char *what, const char *program, int number)
{
    return fer_fail(err, FER_IO_ERROR, "cannot %s %s: %s", what, program, strerror(number));
}

/* Whoever is interrupted waits on: a child that nobody waits for stays in the table. */
static fer_code wait_for(pid_t child, const char *program, int *status, fer_err *err)
{
    int how = 0;
    pid_t got;
    do got = fer_sys_wait(child, &how);
    while (got < 0 && errno == EINTR);
    if (got < 0) return failed(err, "wait for", program, errno);
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    return FER_OK;
}

fer_code fer_child_read(fer_arena *a, const char *const *argv, size_t max, fer_str *out,
                        int *status, fer_err *err)
{
    int ends[2];
    pid_t child;
    fer_err why;
    if (fer_sys_pipe(ends) != 0) return failed(err, "make a pipe for", argv[0], errno);
    int number = fer_sys_spawn(&child, (char *const *)(uintptr_t)argv, ends[1]);
    fer_sys_close(ends[1]);
    if (number) {
        fer_sys_close(ends[0]);
        return failed(err, "run", argv[0], number);
    }
    fer_code code = fer_file_read_fd(a, ends[0], argv[0], max, out, err);
    /* Closed before waiting: one who prints more than is wanted then ends. */
    fer_sys_close(ends[0]);
    fer_code waited = wait_for(child, argv[0], status, code ? &why : err);
    return code ? code : waited;
}
