/* SPDX-License-Identifier: Apache-2.0 */
/* Who the program is, what it may never become, and the limits of each of its processes. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell.h"

void cell_become(const struct cell *c)
{
    uid_t uid = c->plan.uid;
    gid_t gid = c->plan.gid;
    if (!uid) return;
    if (geteuid() == 0 && setgroups(0, NULL) != 0) cell_fail(c, "leave the groups of root");
    if (setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0)
        cell_fail(c, "become another user");
}

/* ---- capabilities --------------------------------------------------------------------------- */

static bool clear_sets(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, none) == 0;
}

/* What execve could give back. Only who has CAP_SETPCAP may; who has not, has nothing to drop. */
static void clear_bounds(void)
{
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
    prctl(PR_SET_SECUREBITS,
          SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
              SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
              SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
          0, 0, 0);
}

void cell_bound_capabilities(const struct cell *c)
{
    if (cell_wants(c, FER_LAYER_CAPABILITIES)) clear_bounds();
}

void cell_drop_capabilities(const struct cell *c, bool tell)
{
    bool wanted = cell_wants(c, FER_LAYER_CAPABILITIES);
    bool done = wanted && clear_sets();
    if (!tell) return;
    if (!wanted) cell_stand(c, FER_LAYER_CAPABILITIES, FER_STAND_REMOVED, "");
    else if (done) cell_stand(c, FER_LAYER_CAPABILITIES, FER_STAND_UP, "");
    else cell_missing(c, FER_LAYER_CAPABILITIES, "capset");
}

void cell_no_new_privileges(const struct cell *c)
{
    if (!cell_wants(c, FER_LAYER_NO_NEW_PRIVS))
        cell_stand(c, FER_LAYER_NO_NEW_PRIVS, FER_STAND_REMOVED, "");
    else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        cell_stand(c, FER_LAYER_NO_NEW_PRIVS, FER_STAND_UP, "");
    else cell_missing(c, FER_LAYER_NO_NEW_PRIVS, "prctl");
}

/* ---- limits of a process -------------------------------------------------------------------- */

#define CPU_SLACK 1 /* seconds: the warden is to be first, as it says why */

/*
 * Memory is RLIMIT_DATA, not RLIMIT_AS: engines that make code reserve far more addresses than
 * they use. Processes are counted per user and user namespace: without one of its own, those of
 * the host would be counted.
 */
void cell_limit(const struct cell *c)
{
    const struct cell_plan *p = &c->plan;
    const struct {
        int which;
        bool wanted;
        rlim_t value;
    } rows[] = {
        {RLIMIT_CORE, true, 0},
        {RLIMIT_CPU, true, (p->cpu_ms + 999) / 1000 + CPU_SLACK},
        {RLIMIT_DATA, true, p->memory},
        {RLIMIT_FSIZE, true, p->disk},
        {RLIMIT_NOFILE, true, p->files},
        {RLIMIT_NPROC, c->own_user, p->processes + 1}, /* and the first process */
        {RLIMIT_MEMLOCK, true, 0},
        {RLIMIT_MSGQUEUE, true, 0},
        {RLIMIT_NICE, true, 0},
        {RLIMIT_RTPRIO, true, 0},
        {RLIMIT_SIGPENDING, true, 1024},
    };
    if (!cell_wants(c, FER_LAYER_RLIMITS)) {
        cell_stand(c, FER_LAYER_RLIMITS, FER_STAND_REMOVED, "");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rlimit was, now = {rows[i].value, rows[i].value};
        if (!rows[i].wanted || getrlimit((__rlimit_resource_t)rows[i].which, &was) != 0) continue;
        if (was.rlim_max < now.rlim_max) now.rlim_max = now.rlim_cur = was.rlim_max;
        if (setrlimit((__rlimit_resource_t)rows[i].which, &now) == 0) continue;
        cell_missing(c, FER_LAYER_RLIMITS, "setrlimit");
        return;
    }
    cell_stand(c, FER_LAYER_RLIMITS, FER_STAND_UP,
               c->own_user ? "" : "processes are not limited: no user namespace");
}
