/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An anchor: checkpoints that were kept elsewhere, as the ledger sends them (one body to a line) or
 * as lines of a ledger. Lines that are neither are an error: an anchor that cannot be read proves
 * nothing.
 */
#ifndef FER_ANCHOR_H
#define FER_ANCHOR_H

#include "hash_chain.h"

typedef struct fer_anchor_list {
    fer_checkpoint *list; /* by seq */
    size_t count;
} fer_anchor_list;

#define FER_ANCHOR_FILE ((size_t)1 << 30)

fer_code fer_anchor_read(fer_arena *a, const char *path, fer_anchor_list *out, fer_err *err);

#endif
