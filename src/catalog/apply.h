/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes made to a view that nobody else has yet. A kind of change is one row in `appliers`.
 * A change that cannot be made is noted as a problem and the next one is looked at, so that
 * all are told; the caller throws the view away then.
 */
#ifndef FER_APPLY_H
#define FER_APPLY_H

#include "batch.h"
#include "map.h"

struct fer_applying {
    fer_batch *batch;
    fer_quarantine quarantine;
    bool lenient;
    const fer_view *before; /* as it is served */
    fer_view *next;
    fer_arena *scratch; /* of the change at hand */
    fer_event *outcome; /* of the change at hand */
    fer_err *err;       /* where it is said why the change at hand cannot be made: */
    fer_err why;
    fer_map met;    /* IDs of tools that were there and that the batch has named */
    uint32_t *gone; /* numbers of definitions that are served no more */
    size_t gone_count, gone_cap;
};

/* Fails only without memory; otherwise what went wrong is in the batch. */
fer_code fer_apply_all(struct fer_applying *p, fer_err *err);

#endif
