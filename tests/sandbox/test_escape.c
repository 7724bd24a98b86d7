/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The battery of escapes (escape.c): run bare, as a user without rights, to see which attempts can
 * succeed on this machine; then in a sandbox, where none may; then with each layer removed, where
 * files, networks, processes, variables and descriptors of the host are still out of reach.
 * What only one layer holds is named in `alone`.
 */
#include "escape.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box_rig.h"
#include "rows.h"

#define NOBODY   65534
#define ROWS_MAX 128

/* What one run says of each attempt. */
struct seen {
    char id[8], class[16], result[8], why[64];
};
struct battery {
    struct seen rows[ROWS_MAX];
    size_t count;
};

/* ---- the host's things ---------------------------------------------------------------------- */

static struct {
    char folder[64], file[96], socket[96], name[64];
    char args[ESCAPE_ARGS][96];
    const char *argv[ESCAPE_ARGS + 1];
    pid_t victim;
    int shm, program, sealed, fds[8];
} host;

static uint16_t listen_at(int kind, int *fd)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    *fd = socket(AF_INET, kind | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&at, sizeof at), 0);
    if (kind == SOCK_STREAM) assert_int_equal(listen(*fd, 100), 0);
    assert_int_equal(getsockname(*fd, (struct sockaddr *)&at, &size), 0);
    return ntohs(at.sin_port);
}

static void listen_unix(const char *name, bool abstract, int *fd)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path + abstract, name, strlen(name));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name));
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(*fd, 100), 0);
    if (!abstract) chmod(name, 0777);
}

static void become_nobody(void)
{
    if (geteuid() != 0) return;
    if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
        setresuid(NOBODY, NOBODY, NOBODY))
        _exit(3);
}

/* A process of the same user, which does nothing. */
static pid_t start_victim(void)
{
    char *const argv[] = {(char *)(uintptr_t) "sleep", (char *)(uintptr_t) "1000", NULL};
    int ends[2];
    char none;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        become_nobody();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execv("/bin/sleep", argv);
        _exit(3);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &none, 1), 0); /* it is executed */
    close(ends[0]);
    return pid;
}

/* Where its variables lie: the 50th number of its stat. */
static unsigned long long secret_address(pid_t pid)
{
    char path[64], text[2048] = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    const char *at = strrchr(text, ')') + 1;
    for (int i = 3; i <= 50; i++) at = strchr(at + (i > 3), ' ');
    unsigned long long from = strtoull(at, NULL, 10);
    char block[8192] = {0};
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, block, sizeof block - 1);
    if (fd >= 0) close(fd);
    const char *found =
        n > 0 ? memmem(block, (size_t)n, ESCAPE_SECRET, strlen(ESCAPE_SECRET)) : NULL;
    return found ? from + (unsigned long long)(found - block) : 0;
}

static void read_program(void)
{
    static char bytes[4 << 20];
    int fd = open(getenv("ESCAPE"), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t n = read(fd, bytes, sizeof bytes);
    assert_true(n > 0 && n < (ssize_t)sizeof bytes);
    close(fd);
    host.sealed = fer_sys_sealed("escape", bytes, (size_t)n);
    host.program = memfd_create("escape", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(host.program, bytes, (size_t)n), n);
}

static void make_secret(void)
{
    snprintf(host.folder, sizeof host.folder, "/tmp/ferrule-escape-XXXXXX");
    assert_non_null(mkdtemp(host.folder));
    assert_int_equal(chmod(host.folder, 0777), 0);
    snprintf(host.file, sizeof host.file, "%s/secret", host.folder);
    snprintf(host.socket, sizeof host.socket, "%s/socket", host.folder);
    snprintf(host.name, sizeof host.name, "ferrule-escape-%d", (int)getpid());
    int fd = open(host.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    assert_int_equal(write(fd, ESCAPE_SECRET, strlen(ESCAPE_SECRET)), strlen(ESCAPE_SECRET));
    close(fd);
    chmod(host.file, 0666);
    setenv(ESCAPE_VARIABLE, ESCAPE_SECRET, 1);
    setenv("PYTHONPATH", host.folder, 1);
}

static void make_key(void)
{
    syscall(SYS_keyctl, 1 /* JOIN_SESSION_KEYRING */, NULL);
    syscall(SYS_add_key, "user", ESCAPE_KEY, ESCAPE_SECRET, strlen(ESCAPE_SECRET), -3);
}

static void make_shm(key_t key)
{
    host.shm = shmget(key, 4096, IPC_CREAT | 0666);
    char *at = host.shm < 0 ? NULL : shmat(host.shm, NULL, 0);
    if (!at) return;
    memcpy(at, ESCAPE_SECRET, sizeof ESCAPE_SECRET);
    shmdt(at);
}

static void set_arg(enum escape_arg which, const char *format, ...) FER_PRINTF(2, 3);
static void set_arg(enum escape_arg which, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(host.args[which], sizeof host.args[which], format, list);
    va_end(list);
}

static void host_make(void)
{
    struct stat tmp;
    key_t key = 0x66650000 + (key_t)(getpid() & 0xffff);
    read_program();
    make_secret();
    make_key();
    make_shm(key);
    host.victim = start_victim();
    assert_int_equal(stat("/tmp", &tmp), 0);
    set_arg(ESCAPE_TCP, "%u", listen_at(SOCK_STREAM, &host.fds[0]));
    set_arg(ESCAPE_UDP, "%u", listen_at(SOCK_DGRAM, &host.fds[1]));
    listen_unix(host.name, true, &host.fds[2]);
    listen_unix(host.socket, false, &host.fds[3]);
    set_arg(ESCAPE_ABSTRACT, "%s", host.name);
    set_arg(ESCAPE_SOCKET, "%s", host.socket);
    set_arg(ESCAPE_FILE, "%s", host.file);
    set_arg(ESCAPE_VICTIM, "%d", (int)host.victim);
    set_arg(ESCAPE_ADDRESS, "%llu", secret_address(host.victim));
    set_arg(ESCAPE_SHM, "%d", (int)key);
    set_arg(ESCAPE_TMP, "%llu", (unsigned long long)tmp.st_dev);
    host.argv[0] = "escape";
    for (int i = 1; i < ESCAPE_ARGS; i++) host.argv[i] = host.args[i];
    /* Opened without care, as others in a process may. */
    host.fds[4] = open(host.file, O_RDONLY);
    host.fds[5] = open(host.folder, O_RDONLY | O_DIRECTORY);
}

static void host_remove(void)
{
    for (int i = 0; i < 6; i++) close(host.fds[i]);
    kill(host.victim, SIGKILL);
    waitpid(host.victim, NULL, 0);
    if (host.shm >= 0) shmctl(host.shm, IPC_RMID, NULL);
    unlink(host.file);
    unlink(host.socket);
    assert_int_equal(rmdir(host.folder), 0);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void read_lines(struct battery *b, char *text)
{
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct seen *s = &b->rows[b->count];
        assert_true(b->count < ROWS_MAX);
        if (sscanf(line, "%7s %15s %7s %63[^\n]", s->id, s->class, s->result, s->why) == 4)
            b->count++;
    }
}

static void run_bare(struct battery *b)
{
    static char text[BOX_KEPT];
    int ends[2];
    size_t len = 0;
    ssize_t n;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        become_nobody();
        if (chdir(host.folder) != 0) _exit(3);
        syscall(SYS_execveat, host.program, "", host.argv, environ, AT_EMPTY_PATH);
        _exit(3);
    }
    close(ends[1]);
    while ((n = read(ends[0], text + len, sizeof text - 1 - len)) > 0) len += (size_t)n;
    close(ends[0]);
    waitpid(pid, NULL, 0);
    text[len] = '\0';
    read_lines(b, text);
}

static void run_boxed(struct battery *b, fer_sandbox_profile profile, uint32_t removed,
                      box_told *told)
{
    const char *env[] = {"PATH=/usr/bin", NULL};
    fer_sandbox_spec spec = {.program = "escape",
                             .by_descriptor = true,
                             .descriptor = host.sealed,
                             .argv = host.argv,
                             .env = env,
                             .no_input = true,
                             .proc = true,
                             .binds = box_system,
                             .bind_count = box_system_count,
                             .profile = profile,
                             .limits[FER_BOX_WALL] = 120000,
                             .removed = removed,
                             .allow_degraded = removed != 0};
    box_rig rig;
    memset(told, 0, sizeof *told);
    box_rig_init(&rig);
    box_run(&rig, &spec, told);
    box_rig_deinit(&rig);
    if (told->end.cause != FER_SANDBOX_EXITED)
        print_message("# %s: %s\n", fer_sandbox_cause_names[told->end.cause],
                      told->end.why.message);
    assert_int_equal(told->end.cause, FER_SANDBOX_EXITED);
    read_lines(b, told->out);
}

static bool is_out(const struct battery *b, const char *id)
{
    for (size_t i = 0; i < b->count; i++) {
        if (!strcmp(b->rows[i].id, id)) return !strcmp(b->rows[i].result, "out");
    }
    fail_msg("no attempt %s", id);
    return false;
}

/* ---- what is expected ----------------------------------------------------------------------- */

/* Attempts that nothing but this one layer holds. They reach the kernel, nothing of the host's. */
static const struct {
    const char *id;
    fer_layer layer;
} alone[] = {
    {"S06", FER_LAYER_SECCOMP},      {"S07", FER_LAYER_SECCOMP}, {"S37", FER_LAYER_SECCOMP},
    {"S38", FER_LAYER_SECCOMP},      {"S39", FER_LAYER_SECCOMP}, {"S40", FER_LAYER_SECCOMP},
    {"S41", FER_LAYER_SECCOMP},      {"S71", FER_LAYER_SECCOMP}, {"S71b", FER_LAYER_SECCOMP},
    {"S57", FER_LAYER_CAPABILITIES}, {"S83", FER_LAYER_RLIMITS},
};

static bool is_alone(const char *id, fer_layer layer)
{
    for (size_t i = 0; i < FER_COUNT(alone); i++) {
        if (!strcmp(alone[i].id, id) && alone[i].layer == layer) return true;
    }
    return false;
}

/* Attempts that the profile dev lets succeed: written memory and files may be executed there. */
static bool is_policy(const char *id)
{
    return !strcmp(id, "S60") || !strcmp(id, "S69");
}

static size_t count_out(const struct battery *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++) n += !strcmp(b->rows[i].result, "out");
    return n;
}

/* Every layer, and one row more for none. */
static struct row {
    const char *name;
    fer_layer layer;
} rows[FER_LAYER_COUNT];

static void run_row(const struct row *row)
{
    static box_told told;
    struct battery b = {.count = 0};
    run_boxed(&b, FER_SANDBOX_STANDARD, 1u << row->layer, &told);
    assert_int_equal(told.report.layers[row->layer].stand, FER_STAND_REMOVED);
    assert_int_equal(told.report.degraded, fer_layer_rows[row->layer].needed);
    for (size_t i = 0; i < b.count; i++) {
        const struct seen *s = &b.rows[i];
        if (strcmp(s->result, "out") != 0) continue;
        if (is_alone(s->id, row->layer))
            print_message("# %s is held by %s alone\n", s->id, row->name);
        else fail_msg("%s (%s) got out without %s", s->id, s->class, row->name);
    }
}

static void test_whole(void)
{
    static box_told told;
    static struct battery bare;
    run_bare(&bare);
    print_message("# bare: %zu of %zu attempts get out\n", count_out(&bare), bare.count);
    assert_true(is_out(&bare, "S01") && is_out(&bare, "S11") && is_out(&bare, "S20") &&
                is_out(&bare, "S19") && is_out(&bare, "S33"));
    for (int p = 0; p <= FER_SANDBOX_HARDENED; p++) {
        struct battery b = {.count = 0};
        run_boxed(&b, (fer_sandbox_profile)p, 0, &told);
        assert_int_equal(b.count, bare.count);
        assert_false(told.report.degraded);
        for (size_t i = 0; i < b.count; i++) {
            bool policy = p == FER_SANDBOX_DEV && is_policy(b.rows[i].id);
            if (!strcmp(b.rows[i].result, "out") && !policy)
                fail_msg("%s (%s) got out of %s", b.rows[i].id, b.rows[i].class,
                         fer_sandbox_profile_names[p]);
            if (p == 0 && strcmp(bare.rows[i].result, "out") != 0)
                print_message("# %s proves nothing here: bare it is %s (%s)\n", bare.rows[i].id,
                              bare.rows[i].result, bare.rows[i].why);
        }
    }
}

int main(void)
{
    if (!getenv("ESCAPE") || !box_host_has_all()) return 77;
    for (int i = 0; i < FER_LAYER_COUNT; i++)
        rows[i] = (struct row){fer_layer_rows[i].name, (fer_layer)i};
    host_make();
    int failed = ROWS_ONE("escape", test_whole) + ROWS_RUN("escape, without", rows, run_row);
    host_remove();
    return failed;
}
