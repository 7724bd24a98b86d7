/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landlock: files are reached only below what the plan names, TCP not at all, processes and
 * abstract sockets outside neither. It says the same as the mounts and the other namespaces do, by
 * another part of the kernel. The constants are written out here, as the headers of Debian 12 end
 * with ABI 2; what the kernel knows is asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell.h"

#define CREATE_RULESET 444 /* numbers of system calls: the same on all machines */
#define ADD_RULE       445
#define RESTRICT_SELF  446
#define ASK_VERSION    1u
#define PATH_BENEATH   1

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_MAKE_CHAR = 1 << 6,
    FS_MAKE_BLOCK = 1 << 11,
    FS_TRUNCATE = 1 << 14,
    FS_ABI_1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,  /* ABI 2 */
    FS_ABI_3 = 1 << 14,  /* TRUNCATE */
    FS_ABI_5 = 1 << 15,  /* IOCTL_DEV */
    NET_ABI_4 = 1 | 2,   /* BIND_TCP, CONNECT_TCP */
    SCOPE_ABI_6 = 1 | 2, /* abstract sockets, signals */
    FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_ABI_3 | FS_ABI_5
};

struct ruleset {
    uint64_t fs, net, scoped;
};
struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/* What is denied unless a rule allows it, as far as this kernel knows it. */
static struct ruleset handled_by(long abi)
{
    struct ruleset r = {.fs = FS_ABI_1};
    if (abi >= 2) r.fs |= FS_REFER;
    if (abi >= 3) r.fs |= FS_ABI_3;
    if (abi >= 4) r.net = NET_ABI_4;
    if (abi >= 5) r.fs |= FS_ABI_5;
    if (abi >= 6) r.scoped = SCOPE_ABI_6;
    return r;
}

/* Allows what `access` says below a path; nothing where there is no such path. */
static bool allow(int rules, const struct ruleset *handled, const char *path, uint64_t access)
{
    struct stat st;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return true;
    if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode)) access &= FS_OF_FILES;
    struct beneath b = {.allowed = access & handled->fs, .parent = fd};
    bool done = syscall(ADD_RULE, rules, PATH_BENEATH, &b, 0) == 0;
    close(fd);
    return done;
}

static bool allow_all(const struct cell *c, int rules, const struct ruleset *h)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    const uint64_t read = FS_READ_FILE | FS_READ_DIR, run = read | FS_EXECUTE;
    uint64_t work = h->fs & ~(uint64_t)(FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_EXECUTE | FS_ABI_5);
    bool done = true;
    if (cell_flagged(c, CELL_EXEC_WORK)) work |= FS_EXECUTE;
    for (uint32_t i = 0; done && i < c->plan.bindc; i++)
        done = allow(rules, h, c->roomy ? c->binds[i].to : c->binds[i].from, run);
    for (uint32_t i = 0; done && c->roomy && i < c->plan.filec; i++)
        done = allow(rules, h, c->files[i].path, run);
    if (done && c->roomy) done = allow(rules, h, CELL_WORK, work);
    if (done && c->has_proc) done = allow(rules, h, "/proc", read);
    for (size_t i = 0; done && i < sizeof devices / sizeof devices[0]; i++)
        done = allow(rules, h, devices[i], FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE);
    return done;
}

void cell_landlock(const struct cell *c)
{
    char detail[96];
    if (!cell_wants(c, FER_LAYER_LANDLOCK)) {
        cell_stand(c, FER_LAYER_LANDLOCK, FER_STAND_REMOVED, "");
        return;
    }
    long abi = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    if (abi < 1) {
        cell_missing(c, FER_LAYER_LANDLOCK, "this kernel has none");
        return;
    }
    struct ruleset handled = handled_by(abi);
    size_t size = abi >= 6 ? sizeof handled : abi >= 4 ? 16 : 8;
    int rules = (int)syscall(CREATE_RULESET, &handled, size, 0);
    if (rules < 0 || !allow_all(c, rules, &handled) || syscall(RESTRICT_SELF, rules, 0) != 0) {
        cell_missing(c, FER_LAYER_LANDLOCK, "rules cannot be set");
    } else {
        snprintf(detail, sizeof detail, "ABI %ld%s%s", abi,
                 abi < 4 ? ": no rules for TCP, signals, abstract sockets" : "",
                 abi == 4 || abi == 5 ? ": no rules for signals, abstract sockets" : "");
        cell_stand(c, FER_LAYER_LANDLOCK, abi < 6 ? FER_STAND_PARTLY : FER_STAND_UP, detail);
    }
    if (rules >= 0) close(rules);
}
