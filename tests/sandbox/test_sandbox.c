/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in sandboxes: what they find there, how they end, what is told. */
#include "sandbox.h"

#include "box_rig.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *script; /* of sh */
    const char *out;    /* NULL: whatever it is */
    fer_sandbox_cause cause;
    int code, signal;
    fer_box_limit limit;
    fer_sandbox_profile profile;
    uint64_t wall, output;
} rows[] = {
    {"prints", "echo hello", "hello\n"},
    {"ends with a code", "exit 7", "", .code = 7},
    {"ends by a signal", "kill -SEGV $$", "", FER_SANDBOX_SIGNALLED, -1, 11},
    {"its folder", "pwd; echo $HOME; echo x > f; cat f; cat /tmp/f", "/work\n/work\nx\nx\n"},
    {"no other variables", "env | grep -c SECRET", "0\n", .code = 1},
    {"the root cannot be written", "mkdir /x 2>/dev/null || echo no", "no\n"},
    {"nor what is bound", "echo x > /usr/x 2>/dev/null || echo no", "no\n"},
    {"nothing else is there", "cat /etc/passwd 2>/dev/null || echo no", "no\n"},
    {"files of its plan", "cat /code/main", "the code"},
    {"devices", "echo x >/dev/null && head -c 3 /dev/zero | od -An -c | tr -d ' '", "\\0\\0\\0\n"},
    {"its processes alone", "ls /proc | grep -c '^[0-9]'", NULL},
    {"time", "sleep 60", "", FER_SANDBOX_LIMITED, -1, 0, FER_BOX_WALL, .wall = 300},
    {"output", "yes", NULL, FER_SANDBOX_LIMITED, -1, 0, FER_BOX_OUTPUT, FER_SANDBOX_STANDARD,
     .output = 5000},
    {"hardened", "echo x > f && cat f; ls /proc 2>/dev/null || echo none", "x\nnone\n",
     .profile = FER_SANDBOX_HARDENED},
    {"no executing of what was written", "cp /usr/bin/true t && ./t 2>/dev/null || echo no",
     "no\n"},
    {"but in dev", "cp /usr/bin/true t && ./t && echo yes", "yes\n", .profile = FER_SANDBOX_DEV},
};

static void run_row(const struct row *row)
{
    static box_told told;
    const char *argv[] = {"sh", "-c", row->script, NULL};
    const char *env[] = {"PATH=/usr/bin:/bin", NULL};
    const fer_sandbox_file files[] = {{"/code/main", FER_STR("the code")}};
    fer_sandbox_spec spec = {.program = "/bin/sh",
                             .argv = argv,
                             .env = env,
                             .no_input = true,
                             .proc = true,
                             .binds = box_system,
                             .bind_count = box_system_count,
                             .files = files,
                             .file_count = 1,
                             .profile = row->profile,
                             .limits[FER_BOX_WALL] = row->wall ? row->wall : 60000,
                             .limits[FER_BOX_OUTPUT] = row->output};
    box_rig rig;
    memset(&told, 0, sizeof told);
    box_rig_init(&rig);
    box_run(&rig, &spec, &told);
    box_rig_deinit(&rig);
    if (told.end.cause != row->cause)
        print_message("# %s: %s %s\n", row->name, fer_sandbox_cause_names[told.end.cause],
                      told.end.why.message);
    assert_int_equal(told.end.cause, row->cause);
    if (told.err_len) print_message("# %s", told.err);
    if (row->out) assert_string_equal(told.out, row->out);
    if (row->cause != FER_SANDBOX_LIMITED) assert_int_equal(told.end.code, row->code);
    if (row->cause == FER_SANDBOX_LIMITED) assert_int_equal(told.end.limit, row->limit);
    if (row->signal) assert_int_equal(told.end.signal, row->signal);
    assert_false(told.report.degraded);
}

int main(void)
{
    return ROWS_RUN("sandbox", rows, run_row);
}
