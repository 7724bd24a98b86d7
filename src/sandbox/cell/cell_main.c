/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cell.h"

/* ---- what is told --------------------------------------------------------------------------- */

void cell_tell(const struct cell *c, const struct cell_record *r)
{
    while (write(c->status, r, sizeof *r) < 0 && errno == EINTR) {
    }
}

static void tell_text(const struct cell *c, struct cell_record r, const char *what, int number)
{
    if (number) snprintf(r.text, sizeof r.text, "%s: %s", what, strerror(number));
    else snprintf(r.text, sizeof r.text, "%s", what);
    cell_tell(c, &r);
}

void cell_stand(const struct cell *c, fer_layer layer, fer_layer_stand stand, const char *detail)
{
    tell_text(c, (struct cell_record){.kind = CELL_LAYER, .what = layer, .value = (int)stand},
              detail, 0);
    if (stand != FER_STAND_MISSING || cell_flagged(c, CELL_DEGRADED)) return;
    if (!fer_layer_rows[layer].needed) return;
    _exit(1); /* the host knows from the record */
}

void cell_missing(const struct cell *c, fer_layer layer, const char *what)
{
    char detail[sizeof((struct cell_record *)0)->text];
    snprintf(detail, sizeof detail, "%s: %s", what, strerror(errno));
    cell_stand(c, layer, FER_STAND_MISSING, detail);
}

_Noreturn void cell_fail(const struct cell *c, const char *what)
{
    int number = errno;
    tell_text(c, (struct cell_record){.kind = CELL_FAILED, .value = number}, what, number);
    _exit(1);
}

int cell_write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t n = write(fd, text, strlen(text));
    int number = errno;
    close(fd);
    errno = number;
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* ---- the program ---------------------------------------------------------------------------- */

/* Out of the way of the numbers that the program wants. */
static int move_past(const struct cell *c, int fd, int past)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, past);
    if (moved < 0) cell_fail(c, "give descriptors to the program");
    return moved;
}

/* Its descriptors are those of its plan; ours are closed when it is executed. */
static void place_descriptors(struct cell *c, int *program, int *executed)
{
    int past = CELL_FD_HANDED + CELL_HANDED_MAX, moved[CELL_HANDED_MAX];
    for (uint32_t i = 0; i < c->plan.handedc; i++) {
        if ((int)c->handed[i] >= past) past = (int)c->handed[i] + 1;
    }
    for (uint32_t i = 0; i < c->plan.handedc; i++)
        moved[i] = move_past(c, CELL_FD_HANDED + (int)i, past);
    if (cell_flagged(c, CELL_BY_DESCRIPTOR)) *program = move_past(c, CELL_FD_PROGRAM, past);
    *executed = move_past(c, *executed, past);
    c->status = move_past(c, c->status, past);
    close_range(3, (unsigned)past - 1, 0);
    for (uint32_t i = 0; i < c->plan.handedc; i++) {
        if (dup2(moved[i], (int)c->handed[i]) < 0) cell_fail(c, "give descriptors to the program");
        close(moved[i]);
    }
}

static void default_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) sigaction(number, &plain, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Becomes the program. The filter comes late, as most of what is done here would not pass it; the
 * capabilities go last, as without no-new-privileges (where that layer is removed) they are what
 * allows Landlock and the filter.
 */
_Noreturn static void become_program(struct cell *c, int executed)
{
    int program = -1;
    place_descriptors(c, &program, &executed);
    if (setsid() < 0) cell_fail(c, "make a session for the program");
    if (chdir(c->roomy ? CELL_WORK : "/") != 0) cell_fail(c, "enter the work folder");
    default_signals();
    cell_limit(c);
    cell_become(c);
    cell_bound_capabilities(c);
    cell_no_new_privileges(c);
    cell_landlock(c);
    cell_filter(c);
    cell_drop_capabilities(c, true);
    if (cell_flagged(c, CELL_PROBE)) _exit(0);
    if (program >= 0) syscall(SYS_execveat, program, "", c->argv, c->env, AT_EMPTY_PATH);
    else execve(c->program, c->argv, c->env);
    int number = errno;
    while (write(executed, &number, sizeof number) < 0 && errno == EINTR) {
    }
    _exit(127);
}

/* ---- the first process ---------------------------------------------------------------------- */

/* The signals that the warden and the first process wait for; blocked since the beginning. */
static sigset_t heard_signals(void)
{
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGCHLD);
    return heard;
}

/* Waits for the program and whoever comes to be ours; the program's status. */
static int wait_for(const struct cell *c, pid_t program)
{
    sigset_t heard = heard_signals();
    for (;;) {
        int status;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended == program) return status;
        }
        if (sigwaitinfo(&heard, NULL) == SIGTERM) kill(c->own_pids ? -1 : -program, SIGTERM);
    }
}

/* What the first process itself needs no more. The program cannot reach it: it is not dumpable. */
static void shed(const struct cell *c)
{
    prctl(PR_SET_DUMPABLE, 0);
    cell_become(c);
    cell_bound_capabilities(c);
    cell_drop_capabilities(c, false);
    if (cell_wants(c, FER_LAYER_NO_NEW_PRIVS)) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Closes all descriptors but two: what the program reads and writes is its own alone. */
static void keep_only(int one, int other)
{
    int low = one < other ? one : other, high = one < other ? other : one;
    if (low > 0) close_range(0, (unsigned)low - 1, 0);
    if (high > low + 1) close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    close_range((unsigned)high + 1, ~0U, 0);
}

/* Starts the program. */
static pid_t start_program(struct cell *c)
{
    int ends[2], number = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) cell_fail(c, "make a pipe");
    pid_t program = fork();
    if (program < 0) cell_fail(c, "start a process");
    if (program == 0) become_program(c, ends[1]);
    close(ends[1]);
    shed(c);
    if (read(ends[0], &number, sizeof number) == (ssize_t)sizeof number) {
        errno = number;
        cell_fail(c, "execute the program");
    }
    keep_only(c->status, c->status);
    return program;
}

static void map_ids(const struct cell *c, uid_t uid, gid_t gid)
{
    char line[64];
    cell_write_file("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", (unsigned)uid, (unsigned)uid);
    if (cell_write_file("/proc/self/uid_map", line) != 0) cell_fail(c, "map the user");
    snprintf(line, sizeof line, "%u %u 1", (unsigned)gid, (unsigned)gid);
    if (cell_write_file("/proc/self/gid_map", line) != 0) cell_fail(c, "map the group");
    if (setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0)
        cell_fail(c, "take on the user");
    prctl(PR_SET_DUMPABLE, 1);
}

/* No namespace can be made in this user namespace any more. */
static void forbid_nested(const struct cell *c)
{
    static const char *const files[] = {
        "/proc/sys/user/max_user_namespaces",  "/proc/sys/user/max_mnt_namespaces",
        "/proc/sys/user/max_pid_namespaces",   "/proc/sys/user/max_net_namespaces",
        "/proc/sys/user/max_ipc_namespaces",   "/proc/sys/user/max_uts_namespaces",
        "/proc/sys/user/max_cgroup_namespaces"};
    if (!cell_wants(c, FER_LAYER_NESTED)) {
        cell_stand(c, FER_LAYER_NESTED, FER_STAND_REMOVED, "");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        errno = EPERM;
        if (c->own_user && cell_write_file(files[i], "0") == 0) continue;
        cell_missing(c, FER_LAYER_NESTED, c->own_user ? files[i] : "no user namespace");
        return;
    }
    cell_stand(c, FER_LAYER_NESTED, FER_STAND_UP, "");
}

static void join_cgroups(const struct cell *c)
{
    for (uint32_t i = 0; i < c->plan.cgroups; i++) {
        if (write(CELL_FD_CGROUPS + (int)i, "0", 1) != 1) cell_fail(c, "join a cgroup");
    }
}

/* Killed with the warden, also where that has ended already: then nobody holds the leash. */
static void bind_to_warden(const struct cell *c, int leash)
{
    struct pollfd held = {.fd = leash};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (poll(&held, 1, 0) < 0) cell_fail(c, "ask for the warden");
    if (held.revents & POLLHUP) _exit(1);
}

_Noreturn static void be_first(struct cell *c, const int leash[2])
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    close(leash[1]);
    bind_to_warden(c, leash[0]);
    join_cgroups(c);
    if (c->own_user) map_ids(c, c->plan.uid ? c->plan.uid : uid, c->plan.gid ? c->plan.gid : gid);
    bind_to_warden(c, leash[0]); /* a change of user unbinds */
    if (!c->own_pids) prctl(PR_SET_CHILD_SUBREAPER, 1);
    cell_write_file("/proc/self/oom_score_adj", "1000");
    forbid_nested(c);
    if (c->own_name && sethostname("sandbox", 7) != 0) cell_fail(c, "name the host");
    cell_room_build(c);
    pid_t program = start_program(c);
    cell_tell(c, &(struct cell_record){.kind = CELL_READY});
    int status = wait_for(c, program);
    cell_tell(c, &(struct cell_record){.kind = CELL_EXIT, .value = status});
    _exit(0);
}

/* ---- namespaces ----------------------------------------------------------------------------- */

static const struct {
    fer_layer layer;
    unsigned flag;
} spaces[] = {{FER_LAYER_USER, CLONE_NEWUSER},       {FER_LAYER_MOUNT, CLONE_NEWNS},
              {FER_LAYER_PID, CLONE_NEWPID},         {FER_LAYER_NET, CLONE_NEWNET},
              {FER_LAYER_IPC, CLONE_NEWIPC},         {FER_LAYER_UTS, CLONE_NEWUTS},
              {FER_LAYER_CGROUP_NS, CLONE_NEWCGROUP}};
#define SPACES (sizeof spaces / sizeof spaces[0])

/* 0, or why these cannot be made: tried in a process of its own. */
static int trial(unsigned flags)
{
    int status = 0;
    pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) _exit(unshare((int)flags) == 0 ? 0 : errno);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

/* Those of `wanted` that can be had here; says which cannot. */
static unsigned attainable(const struct cell *c, unsigned wanted)
{
    unsigned user = wanted & CLONE_NEWUSER, had = 0;
    if (user && trial(user) == 0) had = user;
    for (size_t i = 0; i < SPACES; i++) {
        int number = wanted & spaces[i].flag ? trial(had | spaces[i].flag) : 0;
        errno = number;
        if (number) cell_missing(c, spaces[i].layer, "a namespace cannot be made");
        else had |= wanted & spaces[i].flag;
    }
    return had;
}

static unsigned wanted_spaces(const struct cell *c)
{
    unsigned wanted = 0;
    for (size_t i = 0; i < SPACES; i++) {
        if (cell_wants(c, spaces[i].layer)) wanted |= spaces[i].flag;
        else cell_stand(c, spaces[i].layer, FER_STAND_REMOVED, "");
    }
    return wanted;
}

/*
 * Root becomes the user of the plan, in a way that can be taken back: where user namespaces cannot
 * be had, the others are root's to make.
 */
static void step_down(const struct cell *c, bool back)
{
    uid_t uid = back ? 0 : c->plan.uid;
    gid_t gid = back ? 0 : c->plan.gid;
    if (!c->plan.uid) return;
    if (back && setresuid(0, 0, 0) != 0) cell_fail(c, "become root again");
    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, 0) != 0 || setresuid(uid, uid, 0) != 0)
        cell_fail(c, "become another user");
    prctl(PR_SET_DUMPABLE, 1);
}

static void tell_spaces(const struct cell *c, unsigned made)
{
    for (size_t i = 0; i < SPACES; i++) {
        if (made & spaces[i].flag && spaces[i].flag != CLONE_NEWNS)
            cell_stand(c, spaces[i].layer, FER_STAND_UP, "");
    }
}

/*
 * How all layers stand is told before the program is executed: what it prints comes after. Where
 * the first process has no PID namespace, whom it leaves is the warden's from the beginning: it may
 * have ended before the warden runs again.
 */
static pid_t make_first(struct cell *c, unsigned flags, const int leash[2])
{
    c->own_user = flags & CLONE_NEWUSER;
    c->own_pids = flags & CLONE_NEWPID;
    c->own_name = flags & CLONE_NEWUTS;
    c->roomy = flags & CLONE_NEWNS;
    if (!c->own_pids) prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t first = (pid_t)syscall(SYS_clone, (unsigned long)flags | SIGCHLD, 0, 0, 0, 0);
    if (first == 0) {
        tell_spaces(c, flags);
        be_first(c, leash);
    }
    return first;
}

static pid_t make_spaces(struct cell *c, const int leash[2])
{
    unsigned wanted = wanted_spaces(c);
    bool user = wanted & CLONE_NEWUSER;
    if (user) step_down(c, false);
    pid_t first = make_first(c, wanted, leash);
    if (first < 0) {
        if (user && trial(CLONE_NEWUSER) != 0) step_down(c, true);
        wanted = attainable(c, wanted);
        first = make_first(c, wanted, leash);
    }
    if (first < 0) cell_fail(c, "make namespaces");
    return first;
}

int main(void)
{
    static struct cell c = {.status = CELL_FD_STATUS};
    int leash[2];
    pid_t parent = getppid();
    sigset_t heard = heard_signals();
    fcntl(c.status, F_SETFD, FD_CLOEXEC);
    if (!cell_read(&c, CELL_FD_PLAN)) cell_fail(&c, "read the plan");
    close(CELL_FD_PLAN);
    sigprocmask(SIG_BLOCK, &heard, NULL);
    umask(022);
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL); /* keys of the host stay there */
    if (pipe2(leash, O_CLOEXEC) != 0) cell_fail(&c, "make a pipe");
    c.watched = cell_can_watch(&c);
    pid_t first = make_spaces(&c, leash);
    cell_become(&c);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user has taken it away */
    if (getppid() != parent) _exit(1);
    keep_only(c.status, leash[1]);
    cell_watch(&c, first);
}
