/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in sandboxes: what they find there, how they end, what is told. */
#include "sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box_rig.h"
#include "rows.h"
#include "sandbox_parts.h"

static const struct row {
    const char *name;
    const char *script; /* of sh */
    const char *out;    /* NULL: whatever it is */
    fer_sandbox_cause cause;
    int code, signal;
    fer_box_limit limit;
    fer_sandbox_profile profile;
    uint64_t wall, output;
    bool late; /* nobody listens before it has ended */
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
    {"output at its limit", "printf 12345", "12345", .output = 5},
    {"and past it", "printf 123456", "12345", FER_SANDBOX_LIMITED, -1, 0, FER_BOX_OUTPUT,
     .output = 5},
    {"and past it, heard when it has ended", "printf 123456", "12345", FER_SANDBOX_LIMITED, -1, 0,
     FER_BOX_OUTPUT, .output = 5, .late = true},
    {"at its limit, heard when it has ended", "printf 12345", "12345", .output = 5, .late = true},
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
    told.deaf_ms = row->late ? 300 : 0;
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

/* ---- what is refused at once ------------------------------------------------------------------
 */

static const struct sys_case {
    const char *name;
    fer_sandbox_spec spec;
    const char *why;
} refused[] = {
    {"processes 4097",
     {.program = "/bin/sh", .limits[FER_BOX_PROCESSES] = 4097},
     "the limit processes is 4097; it must be from 1 to 4096"},
    {"memory too small",
     {.program = "/bin/sh", .limits[FER_BOX_MEMORY] = 4194303},
     "the limit memory is 4194303; it must be from 4194304 to 1099511627776 bytes"},
    {"CPU 9 ms",
     {.program = "/bin/sh", .limits[FER_BOX_CPU] = 9},
     "the limit cpu is 9; it must be from 10 to 86400000 ms"},
    {"a relative program", {.program = "sh"}, "sh is not an absolute path"},
    {"a relative bind",
     {.program = "/bin/sh", .binds = &(fer_sandbox_bind){.from = "usr"}, .bind_count = 1},
     "'usr' is not an absolute path of a file or folder"},
    {"a bind with a way up",
     {.program = "/bin/sh",
      .binds = &(fer_sandbox_bind){.from = "/usr", .to = "/a/../.."},
      .bind_count = 1},
     "'/a/../..' is not an absolute path of a file or folder"},
    {"a file with a way up",
     {.program = "/bin/sh", .files = &(fer_sandbox_file){.path = "/../x"}, .file_count = 1},
     "'/../x' is not an absolute path of a file"},
    {"descriptor 2",
     {.program = "/bin/sh", .handed = &(struct fer_sys_handed){0, 2}, .handed_count = 1},
     "a descriptor is to be number 2; it must be from 3 to 31"},
    {"layers removed without permission",
     {.program = "/bin/sh", .removed = 1},
     "layers are removed only where a degraded sandbox is allowed"},
};

static void run_refused(const struct sys_case *row)
{
    fer_sandbox_spec spec = row->spec;
    fer_sandbox *s;
    fer_err err = {0};
    box_rig rig;
    box_rig_init(&rig);
    assert_int_equal(fer_sandbox_start(rig.host, &spec, &s, &err), FER_BAD_USAGE);
    box_rig_deinit(&rig);
    assert_string_equal(err.message, row->why);
}

/* Every limit at both its edges, and what may be bound and handed over. */
static fer_code asked(fer_box_limit which, uint64_t value)
{
    fer_sandbox_spec spec = {.program = "/bin/sh"};
    uint64_t limits[FER_BOX_LIMIT_COUNT];
    spec.limits[which] = value;
    return fer_spec_check(&spec, limits, NULL);
}

static fer_code with_binds(size_t count)
{
    static fer_sandbox_bind binds[CELL_BINDS_MAX + 1];
    uint64_t limits[FER_BOX_LIMIT_COUNT];
    for (size_t i = 0; i < count; i++) binds[i].from = "/usr";
    fer_sandbox_spec spec = {.program = "/bin/sh", .binds = binds, .bind_count = count};
    return fer_spec_check(&spec, limits, NULL);
}

static fer_code with_handed(size_t count)
{
    static struct fer_sys_handed handed[FER_SANDBOX_HANDED_MAX + 1];
    uint64_t limits[FER_BOX_LIMIT_COUNT];
    for (size_t i = 0; i < count; i++) handed[i] = (struct fer_sys_handed){0, 3};
    fer_sandbox_spec spec = {.program = "/bin/sh", .handed = handed, .handed_count = count};
    return fer_spec_check(&spec, limits, NULL);
}

static void test_edges(void)
{
    for (int i = 0; i < FER_BOX_LIMIT_COUNT; i++) {
        const fer_box_limit_row *row = &fer_box_limit_rows[i];
        fer_box_limit limit = (fer_box_limit)i;
        assert_int_equal(asked(limit, row->least), FER_OK);
        assert_int_equal(asked(limit, row->max), FER_OK);
        assert_int_equal(asked(limit, 0), FER_OK); /* as its row says */
        assert_int_equal(asked(limit, row->max + 1), FER_BAD_USAGE);
        if (row->least > 1) assert_int_equal(asked(limit, row->least - 1), FER_BAD_USAGE);
    }
    assert_int_equal(with_binds(CELL_BINDS_MAX), FER_OK);
    assert_int_equal(with_binds(CELL_BINDS_MAX + 1), FER_LIMIT_EXCEEDED);
    assert_int_equal(with_handed(FER_SANDBOX_HANDED_MAX), FER_OK);
    assert_int_equal(with_handed(FER_SANDBOX_HANDED_MAX + 1), FER_LIMIT_EXCEEDED);
}

/* ---- what is said of this host ----------------------------------------------------------------
 */

static void run_true(bool allow_degraded, const char *program, box_told *told)
{
    const char *argv[] = {"true", NULL}, *env[] = {NULL};
    fer_sandbox_spec spec = {.program = program,
                             .argv = argv,
                             .env = env,
                             .no_input = true,
                             .binds = box_system,
                             .bind_count = box_system_count,
                             .allow_degraded = allow_degraded};
    box_rig rig;
    memset(told, 0, sizeof *told);
    box_rig_init(&rig);
    box_run(&rig, &spec, told);
    box_rig_deinit(&rig);
}

static void test_probe(void)
{
    fer_sandbox_report r;
    fer_err err = {0};
    assert_int_equal(fer_sandbox_probe(&r, &err), FER_OK);
    assert_false(r.degraded);
    for (int i = 0; i < FER_LAYER_COUNT; i++) {
        print_message("# %s: %s %s\n", fer_layer_rows[i].name,
                      fer_layer_stand_names[r.layers[i].stand], r.layers[i].detail);
        assert_int_equal(fer_layer_named(fer_str_of(fer_layer_rows[i].name)), i);
        assert_int_not_equal(r.layers[i].stand, FER_STAND_UNKNOWN);
    }
    for (int i = 0; i < FER_BOX_LIMIT_COUNT; i++) {
        print_message("# %s: %s\n", fer_box_limit_rows[i].name, r.limits[i].by);
        assert_true(r.limits[i].enforced);
    }
}

static void test_no_program(void)
{
    static box_told told;
    run_true(false, "/usr/bin/no-such-program", &told);
    assert_int_equal(told.end.cause, FER_SANDBOX_NOT_STARTED);
    assert_int_equal(told.end.why.code, FER_BACKEND_UNAVAILABLE);
    assert_string_equal(told.end.why.message,
                        "the sandbox cannot execute the program: No such file or directory");
}

/* As on a host that has no user namespaces for us: nothing is run, or it is said. */
static int without_namespaces(void)
{
    static box_told told;
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    if (geteuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
        return 2;
    prctl(PR_SET_DUMPABLE, 1);
    if (unshare(CLONE_NEWUSER) != 0) return 77;
    int fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY);
    if (fd < 0 || write(fd, "0", 1) != 1 || syscall(SYS_capset, &head, none) != 0) return 3;
    close(fd);
    run_true(false, "/usr/bin/true", &told);
    if (told.end.cause != FER_SANDBOX_NOT_STARTED || told.end.why.code != FER_SANDBOX_VIOLATION)
        return 4;
    if (!strstr(told.end.why.message, "the layer user of the sandbox is missing")) return 5;
    run_true(true, "/usr/bin/true", &told);
    if (told.end.cause != FER_SANDBOX_EXITED || told.end.code != 0) return 6;
    if (!told.report.degraded || told.report.layers[FER_LAYER_USER].stand != FER_STAND_MISSING)
        return 7;
    return told.report.layers[FER_LAYER_SECCOMP].stand == FER_STAND_UP ? 0 : 8;
}

static void test_fails_closed(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(without_namespaces());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- where cgroups are ------------------------------------------------------------------------
 */

static const struct place {
    const char *name, *cgroups, *mounts, *memory, *pids;
    int version;
} places[] = {
    {"hybrid", "5:pids:/\n4:memory:/a/b\n0::/\n",
     "1 1 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
     "2 1 0:2 / /sys/fs/cgroup/pids rw,relatime shared:3 - cgroup cgroup rw,pids\n",
     "/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/pids", 1},
    {"of a container", "4:memory:/docker/x\n",
     "1 1 0:1 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
     "/sys/fs/cgroup/memory", "", 1},
    {"two controllers together", "4:cpu,memory:/a\n",
     "1 1 0:1 / /cg rw - cgroup cgroup rw,cpu,memory\n", "/cg/a", "", 1},
    {"none", "0::/\n", "1 1 0:1 / / rw - ext4 /dev/vda rw\n", "", "", 0},
    {"nothing at all", "", "", "", "", 0},
    {"garbage", ":::\n\n4", "- - -\n\n \n", "", "", 0},
};

static void run_place(const struct place *row)
{
    fer_cgroup_place p;
    fer_cgroup_locate(fer_str_of(row->cgroups), fer_str_of(row->mounts), &p);
    assert_int_equal(p.version, row->version);
    assert_string_equal(p.memory, row->memory);
    assert_string_equal(p.pids, row->pids);
}

int main(void)
{
    if (!box_host_has_all()) return 77;
    return ROWS_RUN("sandbox", rows, run_row) + ROWS_RUN("sandbox refuses", refused, run_refused) +
           ROWS_RUN("cgroups", places, run_place) +
           ROWS_ONE("sandbox.*, at their edges", test_edges) + ROWS_ONE("sandbox", test_probe) +
           ROWS_ONE("sandbox", test_no_program) + ROWS_ONE("sandbox", test_fails_closed);
}
