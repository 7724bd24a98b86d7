/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a ledger is what was written: every line's form and hash, numbers without gaps, both
 * chains, checkpoints and their signatures, times, begins and ends, and, where an anchor is given,
 * that nothing was cut off or written anew. A hash chain alone does not show that its end was cut
 * or that all of it was made again; only an anchor that was kept elsewhere does.
 *
 * Reads while the ledger is written; what is being written at that moment is no finding. Blocks;
 * any thread. Results live in the arena.
 */
#ifndef FER_LEDGER_VERIFY_H
#define FER_LEDGER_VERIFY_H

#include <stdatomic.h>

#include "arena.h"

typedef enum fer_flaw_kind {
    FER_FLAW_FORM,       /* bytes that are no record */
    FER_FLAW_HASH,       /* a record was changed */
    FER_FLAW_GAP,        /* records are missing, come twice, or in another order */
    FER_FLAW_CHAIN,      /* a record does not follow the one before it */
    FER_FLAW_TENANT,     /* nor its tenant's one before it */
    FER_FLAW_CHECKPOINT, /* a checkpoint says what is not so */
    FER_FLAW_SIGNATURE,  /* or was signed by another key */
    FER_FLAW_TIME,       /* time goes back within a boot */
    FER_FLAW_CALL,       /* an end without a begin, a second one of either */
    FER_FLAW_START,      /* the first records are gone, and no record says that they were pruned */
    FER_FLAW_TORN,       /* the last line is not whole: a crash, or somebody cut it */
    FER_FLAW_TRUNCATED,  /* an anchor knows records that are not there */
    FER_FLAW_REWRITTEN,  /* an anchor knows another record of that number */
    FER_FLAW_ANCHOR,     /* the anchor itself is not signed by the key */
    FER_FLAW_KINDS
} fer_flaw_kind;
extern const char *const fer_flaw_names[FER_FLAW_KINDS]; /* "form", "hash" ... */

typedef struct fer_flaw {
    fer_flaw_kind kind;
    uint64_t seq;    /* of the record, or the one that should be there */
    fer_str segment; /* or empty */
    uint64_t offset; /* in it */
    fer_str message; /* a sentence */
} fer_flaw;

#define FER_FLAWS_MAX 100 /* that are told; the rest is counted */

typedef struct fer_verify_options {
    const char *folder;
    const char *anchor;      /* a file of checkpoints, or NULL */
    const char *key;         /* the public key's file; NULL: that of the folder */
    const atomic_bool *stop; /* set by another thread: it ends with FER_CANCELLED; or NULL */
} fer_verify_options;

typedef struct fer_verify_report {
    uint64_t records, bytes, checkpoints;
    size_t segments;
    uint64_t first_seq, last_seq;
    char head[65];         /* of the last record, NUL-terminated */
    uint64_t signed_seq;   /* up to which a signed checkpoint covers it */
    uint64_t open_calls;   /* begun and not ended */
    bool written_now;      /* a process has it open */
    bool pruned;           /* it does not begin with record 1, and says why */
    size_t anchors;        /* checkpoints of the anchor that hold */
    const fer_flaw *flaws; /* told ones */
    size_t told;
    size_t flaw_count;
} fer_verify_report;

/* FER_OK whether or not there are flaws: those are a result. */
fer_code fer_ledger_verify(fer_arena *a, const fer_verify_options *o, fer_verify_report *out,
                           fer_err *err);
/*
 * The same of a file that `export --tenant` made: form, hashes and the tenant's chain. Only one
 * tenant's records may be in it.
 */
fer_code fer_export_verify(fer_arena *a, const char *path, fer_verify_report *out, fer_err *err);

#endif
