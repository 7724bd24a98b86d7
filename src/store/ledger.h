/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: what happened, one line for each event, in a chain that shows what was changed.
 *
 * A ledger is a folder of segments (docs/ledger.md has the format). One process writes it, by one
 * thread of its own with descriptors of its own; others read the files while it does
 * (ledger_read.h, ledger_verify.h). What is promised to who appends:
 *
 *  1. A record that was told as durable is in the ledger after any crash of this process and any
 *     loss of power, with its place in the chain. (`async`: after a crash of the process only.)
 *  2. Records of one port are in the chain in the order of their appends.
 *  3. `begin` reserves the space of its `end`: once a begin is durable its end has room on the
 * disk, whatever else fills it.
 *  4. After a failed write or sync nothing more is written (FER_LEDGER_BROKEN): every append is
 *     refused with FER_LEDGER_UNAVAILABLE and all that was not durable yet is told so. The
 *     descriptor is never synced again. The process should finish what it can and exit with 70;
 *     opening again verifies, cuts what is torn and goes on.
 *  5. A full disk is no such failure: while there is no room (FER_LEDGER_FULL) new records are
 *     refused, ends of begun calls are written, and when there is room again it goes on.
 *  6. An `end` is taken for a call that is open, once. A call that a crash left open is ended by
 *     the next open: `Retryable` where its effect is Pure, `Unknown` for all others.
 *  7. No text that is appended can make a line of its own or change another: control characters,
 *     U+007F to U+009F, U+2028 and U+2029 are written as escapes.
 *
 * What is appended is written as it is: redact before (5.13). The ledger adds number, time, boot,
 * chain and hash.
 *
 * fer_ledger_open, _close, _prune: the thread that owns the ledger; they block. Everything with a
 * port: the thread of its loop, and nothing there blocks. fer_ledger_state: any thread.
 */
#ifndef FER_LEDGER_H
#define FER_LEDGER_H

#include <uv.h>

#include "arena.h"

typedef struct fer_ledger fer_ledger;
typedef struct fer_ledger_port fer_ledger_port;

typedef enum fer_durability {
    FER_DURABLE_GROUP, /* told when synced; one sync for all that came within flush_ms or
                          flush_bytes */
    FER_DURABLE_SYNC,  /* the same, but the writer never waits for more to come */
    FER_DURABLE_ASYNC  /* told when handed to the system; synced every second and at checkpoints */
} fer_durability;

/* Names by fer_durability ("group", "sync", "async"), NULL behind the last. */
extern const char *const fer_durability_names[];

/* Every number: 0 means its default (docs/reference/limits.md). */
typedef struct fer_ledger_options {
    const char *folder; /* made with 0700 where it is absent; a link is refused */
    fer_durability durability;
    const char *anchor;   /* a file that every checkpoint is also appended to; NULL: none */
    const char *key;      /* the file of the signing key; NULL: in the folder, made if absent */
    bool accept_break;    /* go on behind a broken chain, with a record that says so */
    size_t segment_bytes; /* 64 MiB */
    size_t flush_bytes;   /* 64 KiB */
    int64_t flush_ms;     /* 2 */
    size_t checkpoint_records; /* 1,000 */
    int64_t checkpoint_ms;     /* 10,000 */
    size_t queue_bytes;        /* 8 MiB: what may wait to be written */
    size_t end_bytes;          /* 20 KiB: space that a begin reserves */
    int64_t keep_ms;           /* at each new segment, older ones are pruned; 0: never */
} fer_ledger_options;

#define FER_LEDGER_BODY   ((size_t)64 << 10) /* bytes of a body as it is written */
#define FER_LEDGER_TENANT 128                /* bytes of a tenant's name */
#define FER_LEDGER_CALL   64                 /* bytes of the ID of a call */

/* What opening found and did. */
typedef struct fer_ledger_recovery {
    uint64_t epoch;     /* of this opening; the first is 1 */
    uint64_t last_seq;  /* of the record that was the last */
    uint64_t cut_bytes; /* of a torn tail */
    size_t closed;      /* calls that were open */
    size_t doubted;     /* of those: nobody knows whether they had their effect */
    bool clean;         /* the last writer had closed it */
} fer_ledger_recovery;

/*
 * Opens a ledger to write it: locks it, verifies the last segment, cuts a torn tail, closes open
 * calls, and writes `open` (and `recovered`), durable. FER_LEDGER_UNAVAILABLE where another process
 * has it, FER_INTEGRITY_BROKEN where the chain is broken before its tail. `out_recovery` may be
 * NULL.
 */
fer_code fer_ledger_open(const fer_ledger_options *o, fer_ledger **out,
                         fer_ledger_recovery *out_recovery, fer_err *err);
/*
 * Writes what waits, `shutdown` and a checkpoint, syncs, unlocks, frees. All ports must be
 * detached. Not FER_OK where the ledger was broken or the last sync failed; it is freed in any
 * case.
 */
fer_code fer_ledger_close(fer_ledger *l, fer_err *err);
/* Ends that find no space are told so from here on, and are not held until there is some: whoever
 * waits for them is to end. Any thread. */
void fer_ledger_let_go(fer_ledger *l);

typedef enum fer_ledger_state {
    FER_LEDGER_OK,
    FER_LEDGER_FULL,  /* no space: see 5 */
    FER_LEDGER_BROKEN /* read-only: see 4 */
} fer_ledger_state;
fer_ledger_state fer_ledger_state_of(const fer_ledger *l);
/* The sentence that goes with it, or "". Valid for ever once broken. */
const char *fer_ledger_trouble(const fer_ledger *l);

/* ---- appending ------------------------------------------------------------------------------- */

typedef enum fer_ledger_type {
    FER_LEDGER_OPEN_TYPE, /* the ledger's own, as are those marked with * */
    FER_LEDGER_BEGIN,     /* body has callId and effect: Pure, IdempotentWrite ... */
    FER_LEDGER_ATTEMPT,   /* callId */
    FER_LEDGER_END,       /* callId and status */
    FER_LEDGER_LATE,      /* callId */
    FER_LEDGER_DENIED,
    FER_LEDGER_POLICY,
    FER_LEDGER_CIRCUIT,
    FER_LEDGER_DEFINITION,
    FER_LEDGER_APPROVAL,
    FER_LEDGER_CONFIG,
    FER_LEDGER_CLOCK_JUMP, /* * */
    FER_LEDGER_CHECKPOINT, /* * */
    FER_LEDGER_RECOVERED,  /* * */
    FER_LEDGER_PRUNED,     /* * */
    FER_LEDGER_SHUTDOWN,   /* * */
    FER_LEDGER_TYPES
} fer_ledger_type;
/* Their names in lines, by type. */
extern const char *const fer_ledger_type_names[FER_LEDGER_TYPES];

/* What a body says of its call, by the members of these names; empty: nothing. */
typedef struct fer_ledger_call {
    fer_str call, effect, status;
} fer_ledger_call;

typedef struct fer_ledger_record {
    fer_ledger_type type;
    fer_str tenant; /* UTF-8, 1 to FER_LEDGER_TENANT bytes; "-" for what is nobody's */
    fer_str body;   /* a JSON object, redacted; it need not be canonical; borrowed for the append */
    /* Not NULL: whoever wrote the body knows that it is canonical and of printable ASCII alone, and
     * that it says this. It is not looked at then: a third of what an append takes. */
    const fer_ledger_call *known;
} fer_ledger_record;

/*
 * FER_OK and the number of the record: it is durable. FER_LEDGER_UNAVAILABLE: it is not in the
 * ledger, or nobody knows (broken); a begin told so must not be sent. Called on the port's loop, in
 * the order of appends, never from within fer_ledger_append.
 */
typedef void fer_ledger_done(void *context, fer_code code, uint64_t seq);

/* A loop's door to the ledger. It keeps its loop alive only while records are under way. */
fer_code fer_ledger_attach(fer_ledger *l, uv_loop_t *loop, fer_ledger_port **out, fer_err *err);
/*
 * Gives the door back: what was appended is still written, its callbacks are not called any more.
 * The loop must run once more for the port to be freed.
 */
void fer_ledger_detach(fer_ledger_port *p);

/*
 * Hands a record to the writer; returns at once. Where this fails nothing was appended and `done`
 * is not called: FER_LEDGER_UNAVAILABLE (broken, full, or more waits than queue_bytes; ends are
 * taken in the last two), FER_INVALID_JSON, FER_REQUIRED_MISSING (callId, effect, status),
 * FER_LIMIT_EXCEEDED (body, tenant, call), FER_CONSTRAINT_VIOLATION (an end of no open call, a
 * second begin of one), FER_OUT_OF_MEMORY. `done` may be NULL: nobody waits (records of Pure calls
 * in group mode), and the writer may gather for flush_ms.
 */
fer_code fer_ledger_append(fer_ledger_port *p, const fer_ledger_record *r, fer_ledger_done *done,
                           void *context, fer_err *err);

/*
 * Whether the last append found more than half taken of what may wait, or of the calls that may be
 * open, in a ledger that can be written. Whoever need not wait for a record does so then: the
 * writer catches up, and no record is refused that could have been kept.
 */
bool fer_ledger_pressed(const fer_ledger_port *p);
/* Bytes that wait to be written, for admission; any thread. */
size_t fer_ledger_waiting(const fer_ledger *l);

/* ---- pruning --------------------------------------------------------------------------------- */

typedef struct fer_ledger_pruned {
    size_t segments;
    uint64_t records;
    uint64_t bytes;
    uint64_t first_seq; /* of what is left */
} fer_ledger_pruned;
/*
 * Takes away whole segments whose last record is older than `before_ms` (wall clock), never the
 * current one and none with an open call. A `pruned` record that names the hash of the last record
 * that goes is durable first.
 */
fer_code fer_ledger_prune(fer_ledger *l, int64_t before_ms, fer_ledger_pruned *out, fer_err *err);

#endif
