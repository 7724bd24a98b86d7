/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls that a program in a sandbox may make. */
#ifndef FER_CELL_CALLS_H
#define FER_CELL_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "cell_plan.h"

/* What is asked of the arguments (cell_filter.c). */
enum cell_check {
    CELL_CHECK_NONE,
    CELL_CHECK_CLONE,   /* no new namespaces */
    CELL_CHECK_UNIX,    /* sockets of this machine */
    CELL_CHECK_IOCTL,   /* questions, not commands */
    CELL_CHECK_PRCTL,   /* names and questions */
    CELL_CHECK_SELF,    /* of the caller, which is 0 */
    CELL_CHECK_FIFO_AT, /* no devices */
    CELL_CHECK_FIFO,
    CELL_CHECK_WX,   /* not writable and executable at once */
    CELL_CHECK_NO_X, /* nothing becomes executable */
    CELL_CHECKS
};

struct cell_call {
    uint32_t number;
    enum cell_check check;
    uint32_t only_with; /* allowed where the plan has one of these flags; 0: always */
};

const struct cell_call *cell_calls(size_t *count);

#endif
