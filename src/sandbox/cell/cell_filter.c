/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of system calls: what is not in the table is not allowed. Written as BPF by hand, not
 * through libseccomp: the table is known when this is compiled, so the filter is a loop over it,
 * made in microseconds, and the cell stays without a library.
 *
 * A call of another machine's numbering (i386 by int 0x80, x32) kills the process: nobody makes
 * one by accident. What is newer than this table answers ENOSYS, and so does clone3, whose flags
 * lie in memory where no filter sees them: C libraries then take the older way. Others are EPERM.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell.h"
#include "cell_calls.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#error "the numbers of system calls of this machine are not known"
#endif
#define X32_BIT        0x40000000u
#define NEWEST_KNOWN   450u /* a later number is of a kernel that this table does not know */
#define FILTER_MAX     1024
#define PR_SET_MDWE_   65 /* Linux 6.3 */
#define REFUSE_GAIN    1
#define ALL_NAMESPACES 0x7e020080u /* CLONE_NEW*, that of time included */

struct program {
    struct sock_filter code[FILTER_MAX];
    unsigned short len;
};

static void emit(struct program *p, struct sock_filter f)
{
    if (p->len < FILTER_MAX) p->code[p->len++] = f;
}
static void answer(struct program *p, uint32_t what)
{
    emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}
static void load(struct program *p, size_t offset)
{
    emit(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}
/* Goes on with the next instruction where the value is `k`, and passes over `others` where not. */
static void if_equal(struct program *p, uint32_t k, uint8_t others)
{
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, others));
}

/* The lower half of an argument: those that are looked at are ints to the kernel. */
static void load_arg(struct program *p, unsigned number)
{
    load(p, offsetof(struct seccomp_data, args) + number * sizeof(uint64_t));
}

#define ERRNO(number) (SECCOMP_RET_ERRNO | (number))

/* ---- arguments ------------------------------------------------------------------------------ */

/* Allowed where the argument, under a mask, is (or is not) one of some values. */
struct check {
    uint8_t arg;
    bool refuse; /* one of the values is refused, others are allowed */
    uint32_t mask;
    int error;
    uint8_t count;
    uint32_t values[16];
};

static const struct check checks[CELL_CHECKS] = {
    [CELL_CHECK_CLONE] = {0, false, ALL_NAMESPACES, EPERM, 1, {0}},
    [CELL_CHECK_UNIX] = {0, false, ~0u, EPERM, 1, {AF_UNIX}},
    [CELL_CHECK_IOCTL] =
        {1, false, ~0u, ENOTTY, 6, {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX}},
    [CELL_CHECK_PRCTL] = {0,
                          false,
                          ~0u,
                          EPERM,
                          13,
                          {PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG,
                           PR_GET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
                           PR_CAPBSET_READ, PR_GET_SECCOMP, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK,
                           PR_GET_TID_ADDRESS, 0x53564d41 /* PR_SET_VMA */}},
    [CELL_CHECK_SELF] = {0, false, ~0u, EPERM, 1, {0}},
    [CELL_CHECK_FIFO_AT] = {2, false, S_IFMT, EPERM, 2, {S_IFIFO, S_IFREG}},
    [CELL_CHECK_FIFO] = {1, false, S_IFMT, EPERM, 2, {S_IFIFO, S_IFREG}},
    [CELL_CHECK_WX] = {2, true, PROT_WRITE | PROT_EXEC, EPERM, 1, {PROT_WRITE | PROT_EXEC}},
    [CELL_CHECK_NO_X] = {2, true, PROT_EXEC, EPERM, 1, {PROT_EXEC}},
};

/* For one call, whose number is loaded: allows or refuses it; goes on where it is another. */
static void add_checked(struct program *p, uint32_t number, const struct check *k)
{
    uint32_t yes = k->refuse ? ERRNO((uint32_t)k->error) : SECCOMP_RET_ALLOW;
    uint32_t no = k->refuse ? SECCOMP_RET_ALLOW : ERRNO((uint32_t)k->error);
    if_equal(p, number, (uint8_t)(2 + 2 * k->count + 1));
    load_arg(p, k->arg);
    emit(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, k->mask));
    for (uint8_t i = 0; i < k->count; i++) {
        if_equal(p, k->values[i], 1);
        answer(p, yes);
    }
    answer(p, no);
}

/* ---- the filter ----------------------------------------------------------------------------- */

static void add_call(struct program *p, const struct cell *c, const struct cell_call *row)
{
    enum cell_check check = row->check;
    if (row->only_with && !(c->plan.flags & row->only_with)) return;
    if ((check == CELL_CHECK_WX || check == CELL_CHECK_NO_X) && cell_flagged(c, CELL_WX))
        check = CELL_CHECK_NONE;
    if (check) {
        add_checked(p, row->number, &checks[check]);
    } else {
        if_equal(p, row->number, 1);
        answer(p, SECCOMP_RET_ALLOW);
    }
}

static void write_program(struct program *p, const struct cell *c)
{
    size_t count;
    const struct cell_call *calls = cell_calls(&count);
    load(p, offsetof(struct seccomp_data, arch));
    if_equal(p, MACHINE, 1);
    emit(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1));
    answer(p, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < count; i++) add_call(p, c, &calls[i]);
    if_equal(p, __NR_clone3, 1);
    answer(p, ERRNO(ENOSYS));
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST_KNOWN, 0, 1));
    answer(p, ERRNO(ENOSYS));
    answer(p, ERRNO(EPERM));
}

void cell_filter(const struct cell *c)
{
    struct program p = {.len = 0};
    if (!cell_flagged(c, CELL_WX)) prctl(PR_SET_MDWE_, REFUSE_GAIN, 0, 0, 0);
    if (!cell_wants(c, FER_LAYER_SECCOMP)) {
        cell_stand(c, FER_LAYER_SECCOMP, FER_STAND_REMOVED, "");
        return;
    }
    write_program(&p, c);
    struct sock_fprog prog = {.len = p.len, .filter = p.code};
    if (p.len == FILTER_MAX || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) != 0)
        cell_missing(c, FER_LAYER_SECCOMP, "seccomp");
    else cell_stand(c, FER_LAYER_SECCOMP, FER_STAND_UP, "");
}
