/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use up what they can (bomb.c): they are stopped where their limits are, the result
 * says by which, and nothing of them is left: no process, mount, cgroup or file. FERRULE_LONG_TESTS
 * runs them a thousand times.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "box_rig.h"
#include "children.h"
#include "rows.h"

#define MIB ((uint64_t)1 << 20)

static int program;

static const struct row {
    const char *name, *kind; /* of bomb */
    uint32_t removed;        /* layers */
    fer_sandbox_cause cause;
    fer_box_limit limit; /* of FER_SANDBOX_LIMITED */
    long least, most;    /* of the number that it prints; both 0: it prints none */
    bool cancel;         /* once it prints */
} rows[] = {
    {"fork bomb", "forks", 0, FER_SANDBOX_EXITED, 0, 1, 15},
    {"held by the rlimit", "forks", 1u << FER_LAYER_CGROUP, FER_SANDBOX_EXITED, 0, 1, 15},
    {"threads", "threads", 0, FER_SANDBOX_EXITED, 0, 1, 15},
    {"memory bomb", "memory", 0, FER_SANDBOX_EXITED, 0, 1, 64},
    {"held by the watcher or the cgroup alone", "memory", 1u << FER_LAYER_RLIMITS,
     FER_SANDBOX_LIMITED, FER_BOX_MEMORY},
    {"shared memory", "shared", 0, FER_SANDBOX_LIMITED, FER_BOX_MEMORY},
    {"held by the watcher alone", "shared", 1u << FER_LAYER_CGROUP, FER_SANDBOX_LIMITED,
     FER_BOX_MEMORY},
    {"fork times memory", "forks-memory", 0, FER_SANDBOX_LIMITED, FER_BOX_MEMORY},
    {"fork times memory, watched", "forks-memory", 1u << FER_LAYER_CGROUP, FER_SANDBOX_LIMITED,
     FER_BOX_MEMORY},
    {"disk", "disk", 0, FER_SANDBOX_EXITED, 0, 1, 1 << 20},
    {"disk, held by the tmpfs alone", "disk", 1u << FER_LAYER_RLIMITS, FER_SANDBOX_EXITED, 0, 1,
     1 << 20},
    {"inodes", "inodes", 0, FER_SANDBOX_EXITED, 0, 1, 100},
    {"output", "flood", 0, FER_SANDBOX_LIMITED, FER_BOX_OUTPUT},
    {"standard error", "flood-error", 0, FER_SANDBOX_LIMITED, FER_BOX_OUTPUT},
    {"CPU", "spin", 0, FER_SANDBOX_LIMITED, FER_BOX_CPU},
    {"stays", "stay", 0, FER_SANDBOX_CANCELLED, 0, 1, 1, .cancel = true},
    {"a daemon", "daemon", 0, FER_SANDBOX_EXITED, 0, 1, 1},
    {"a daemon without a PID namespace", "daemon", 1u << FER_LAYER_PID, FER_SANDBOX_EXITED, 0, 1,
     1},
    {"kills all it can", "kill-all", 0, FER_SANDBOX_EXITED, 0, 1, 1},
};

/* ---- what may not be left ------------------------------------------------------------------- */

static void assert_no_mounts(void)
{
    static char text[1 << 20];
    int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t n;
    while ((n = read(fd, text + len, sizeof text - 1 - len)) > 0) len += (size_t)n;
    close(fd);
    text[len] = '\0';
    assert_null(strstr(text, " - tmpfs work "));
    assert_null(strstr(text, " - tmpfs root "));
}

static void assert_no_cgroups(const char *folder, int depth)
{
    char mine[64], path[1024];
    struct dirent *entry;
    DIR *dir = opendir(folder);
    snprintf(mine, sizeof mine, "ferrule-%d-", (int)getpid());
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || entry->d_type != DT_DIR) continue;
        if (!strncmp(entry->d_name, mine, strlen(mine))) fail_msg("%s is left", entry->d_name);
        if (depth == 0) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            assert_no_cgroups(path, depth - 1);
    }
    if (dir) closedir(dir);
}

static void assert_nothing_left(void)
{
    assert_no_children();
    assert_no_mounts();
    assert_no_cgroups("/sys/fs/cgroup", 4);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void cancel(box_told *t, fer_sandbox *s)
{
    t->on_piece = NULL;
    fer_sandbox_cancel(s, (fer_process_grace){0, 50});
}

static fer_sandbox_spec spec_of(const char *const *argv)
{
    static const char *const env[] = {NULL};
    return (fer_sandbox_spec){.program = "bomb",
                              .by_descriptor = true,
                              .descriptor = program,
                              .argv = argv,
                              .env = env,
                              .no_input = true,
                              .limits = {[FER_BOX_WALL] = 120000,
                                         [FER_BOX_CPU] = 500,
                                         [FER_BOX_MEMORY] = 64 * MIB,
                                         [FER_BOX_PROCESSES] = 16,
                                         [FER_BOX_OUTPUT] = 100000,
                                         [FER_BOX_DISK] = MIB,
                                         [FER_BOX_INODES] = 100}};
}

static void run_row(const struct row *row)
{
    static box_told told;
    const char *argv[] = {"bomb", row->kind, NULL};
    fer_sandbox_spec spec = spec_of(argv);
    box_rig rig;
    spec.removed = row->removed;
    spec.allow_degraded = row->removed != 0;
    if (strcmp(row->kind, "spin") != 0) spec.limits[FER_BOX_CPU] = 60000;
    memset(&told, 0, sizeof told);
    if (row->cancel) told.on_piece = cancel;
    box_rig_init(&rig);
    box_run(&rig, &spec, &told);
    box_rig_deinit(&rig);
    if (told.end.cause != row->cause)
        print_message("# %s %s %d %s\n", fer_sandbox_cause_names[told.end.cause],
                      told.end.why.message, told.end.signal, told.out);
    assert_int_equal(told.end.cause, row->cause);
    if (row->cause == FER_SANDBOX_LIMITED) {
        assert_int_equal(told.end.limit, row->limit);
        if (row->limit == FER_BOX_MEMORY)
            print_message("# %s: %llu MiB were seen\n", row->name,
                          (unsigned long long)(told.end.memory_peak >> 20));
        assert_true(told.report.limits[row->limit].enforced);
        assert_true(told.out_total <= 100000);
    }
    if (row->most) assert_in_range(strtol(told.out, NULL, 10), row->least, row->most);
    assert_nothing_left();
}

/* Many, one after the other, every third cancelled at some point of its making. */
static void test_many(void)
{
    static box_told told;
    const char *argv[] = {"bomb", "inodes", NULL};
    fer_sandbox_spec spec = spec_of(argv);
    size_t runs = getenv("FERRULE_LONG_TESTS") ? 1000 : 50;
    box_rig rig;
    spec.limits[FER_BOX_CPU] = 60000; /* as in rows: half a second is little on a busy machine */
    box_rig_init(&rig);
    for (size_t i = 0; i < runs; i++) {
        fer_sandbox *s;
        fer_err err = {0};
        memset(&told, 0, offsetof(box_told, out));
        told.out_len = told.err_len = 0;
        told.ready = told.ended = told.gone = false;
        if (i % 3) {
            box_run(&rig, &spec, &told);
            if (told.end.cause != FER_SANDBOX_EXITED)
                print_message("# run %zu: %s, limit %d, %s\n", i,
                              fer_sandbox_cause_names[told.end.cause], (int)told.end.limit,
                              told.end.why.message);
            assert_int_equal(told.end.cause, FER_SANDBOX_EXITED);
            continue;
        }
        box_events_set(&spec, &told);
        assert_int_equal(fer_sandbox_start(rig.host, &spec, &s, &err), FER_OK);
        usleep((useconds_t)(i * 37 % 4000)); /* wherever the set-up is by now */
        fer_sandbox_cancel(s, FER_GRACE_NONE);
        while (!told.gone) uv_run(&rig.loop, UV_RUN_ONCE);
        assert_true(told.end.cause == FER_SANDBOX_CANCELLED ||
                    told.end.cause == FER_SANDBOX_EXITED);
    }
    box_rig_deinit(&rig);
    assert_nothing_left();
}

static void read_program(void)
{
    static char bytes[4 << 20];
    int fd = open(getenv("BOMB"), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t n = read(fd, bytes, sizeof bytes);
    assert_true(n > 0 && n < (ssize_t)sizeof bytes);
    close(fd);
    program = fer_sys_sealed("bomb", bytes, (size_t)n);
    assert_true(program >= 0);
}

int main(void)
{
    if (!getenv("BOMB") || !box_host_has_all()) return 77;
    read_program();
    return ROWS_RUN("bombs", rows, run_row) + ROWS_ONE("bombs", test_many);
}
