/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host and the cell say to each other. The plan goes in as one block in a file of memory:
 * this struct, then what it counts, in the order of its counts. Records come out over a pipe, each
 * written at once. Both sides are of one build, so the bytes are those of the structs.
 *
 * Numbers and names of layers and limits are those of sandbox.h.
 */
#ifndef FER_CELL_PLAN_H
#define FER_CELL_PLAN_H

#include <stdint.h>

#define CELL_MAGIC 0x6c6c6563u

/* Descriptors of the cell besides the three that become the program's. */
#define CELL_FD_STATUS  3 /* records */
#define CELL_FD_PLAN    4
#define CELL_FD_PROGRAM 5 /* CELL_BY_DESCRIPTOR */
#define CELL_FD_CGROUPS 6 /* files cgroup.procs, open for writing: 6, 7 ... */
#define CELL_CGROUPS    2 /* at most */
#define CELL_FD_HANDED  8 /* what is handed over: 8, 9 ... */
#define CELL_HANDED_MAX 16
#define CELL_BINDS_MAX  64

enum cell_flag {
    CELL_DEGRADED = 1 << 0, /* go on without layers that are needed */
    CELL_BY_DESCRIPTOR = 1 << 1,
    CELL_PROC = 1 << 2,         /* mount /proc */
    CELL_WX = 1 << 3,           /* written memory may be executed */
    CELL_EXEC_WORK = 1 << 4,    /* files in /work may be executed */
    CELL_SOCKETS = 1 << 5,      /* Unix sockets */
    CELL_MEMFD = 1 << 6,        /* files of memory */
    CELL_PROBE = 1 << 7,        /* make everything, run nothing */
    CELL_CGROUP_MEMORY = 1 << 8 /* memory is held by a cgroup: no need to watch it */
};

struct cell_plan {
    uint32_t magic, flags;
    uint32_t removed;  /* layers, as bits */
    uint32_t uid, gid; /* to be taken on, where the cell is started by root; 0: none */
    uint32_t cgroups;  /* descriptors */
    uint64_t cpu_ms, memory, processes, disk, inodes, files;
    /* Then: the program's path, argv, env, binds (flag byte, from, to), files (path, length of 8
     * bytes, content), numbers of handed descriptors (of 4 bytes). Texts end with NUL. */
    uint32_t argc, envc, bindc, filec, handedc;
    uint32_t size; /* of all */
};

enum cell_record_kind {
    CELL_LAYER,  /* `what`: the layer, `value`: how it stands */
    CELL_READY,  /* the program runs */
    CELL_FAILED, /* it does not: `value` is an errno, `text` what could not be done */
    CELL_LIMIT,  /* `what`: the limit that it met */
    CELL_EXIT,   /* `value`: its status as of wait */
    CELL_USAGE   /* `cpu_ms`, `memory`, `processes`: the last record */
};

struct cell_record {
    uint32_t kind, what;
    int32_t value;
    uint32_t processes;
    uint64_t cpu_ms, memory;
    char text[96];
};

#endif
