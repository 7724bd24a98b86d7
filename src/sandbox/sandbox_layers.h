/* SPDX-License-Identifier: Apache-2.0 */
/* What a sandbox is made of, and what it limits, as tables. Also read by the cell, which knows
 * nothing else of this room. */
#ifndef FER_SANDBOX_LAYERS_H
#define FER_SANDBOX_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* ---- layers --------------------------------------------------------------------------------- */

typedef enum fer_layer {
    FER_LAYER_USER,
    FER_LAYER_MOUNT,
    FER_LAYER_PID,
    FER_LAYER_NET,
    FER_LAYER_IPC,
    FER_LAYER_UTS,
    FER_LAYER_CGROUP_NS,
    FER_LAYER_NESTED,
    FER_LAYER_LANDLOCK,
    FER_LAYER_SECCOMP,
    FER_LAYER_NO_NEW_PRIVS,
    FER_LAYER_CAPABILITIES,
    FER_LAYER_RLIMITS,
    FER_LAYER_WATCHER,
    FER_LAYER_CGROUP,
    FER_LAYER_COUNT
} fer_layer;

typedef struct fer_layer_row {
    const char *name; /* "user", "landlock" ...: as options and reports say it */
    const char *text; /* what it does */
    bool needed;      /* without it nothing is started, unless degraded is allowed */
} fer_layer_row;
extern const fer_layer_row fer_layer_rows[FER_LAYER_COUNT];
/* The layer of that name, or FER_LAYER_COUNT. */
fer_layer fer_layer_named(fer_str name);

typedef enum fer_layer_stand {
    FER_STAND_UNKNOWN, /* not tried: the sandbox did not come so far */
    FER_STAND_UP,
    FER_STAND_PARTLY,  /* an older kernel knows only a part of it; detail says which */
    FER_STAND_MISSING, /* cannot be had on this host */
    FER_STAND_REMOVED  /* the spec asked for it to be left out */
} fer_layer_stand;
extern const char *const fer_layer_stand_names[FER_STAND_REMOVED + 1];

/* ---- limits --------------------------------------------------------------------------------- */

typedef enum fer_box_limit {
    FER_BOX_WALL,      /* milliseconds of the clock */
    FER_BOX_CPU,       /* milliseconds of all its processes together */
    FER_BOX_MEMORY,    /* bytes of all its processes together */
    FER_BOX_PROCESSES, /* and threads */
    FER_BOX_OUTPUT,    /* bytes of standard output and standard error together */
    FER_BOX_DISK,      /* bytes in /work */
    FER_BOX_INODES,    /* files and folders in /work */
    FER_BOX_FILES,     /* descriptors of one process */
    FER_BOX_LIMIT_COUNT
} fer_box_limit;

typedef struct fer_box_limit_row {
    const char *name;    /* "wall", "cpu" ... */
    uint64_t usual;      /* where the spec says 0 */
    uint64_t least, max; /* what may be asked for */
    const char *unit, *text;
} fer_box_limit_row;
extern const fer_box_limit_row fer_box_limit_rows[FER_BOX_LIMIT_COUNT];

#endif
