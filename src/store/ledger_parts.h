/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a ledger that is written. The life of a record: fer_ledger_append makes an entry of
 * it (its body canonical) and puts it into the queue -> the writer's thread takes a batch, gives
 * each its place in the chain, writes the lines with one write and syncs once -> the entry goes to
 * its port, whose loop calls `done` and frees it.
 *
 * What stands under `lock` is everybody's; all else is the writer's alone once its thread runs.
 */
#ifndef FER_LEDGER_PARTS_H
#define FER_LEDGER_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "call_table.h"
#include "hash_chain.h"
#include "ledger_folder.h"
#include "outlet.h"

#define FER_BATCH_BYTES   ((size_t)256 << 10) /* of one write, and a line */
#define FER_BATCH_RECORDS 1024
#define FER_LEDGER_BLOCK  ((size_t)4096)        /* what is written past the system's cache */
#define FER_LEDGER_AHEAD  ((uint64_t)256 << 10) /* zeros that are written before lines are */
#define FER_LEDGER_ZEROS  ((size_t)512 << 10)   /* of one write; of no memory */
#define FER_LEDGER_MARGIN                                                                          \
    ((uint64_t)8192) /* space that is kept for records of the ledger's own                         \
                      */
#define FER_LEDGER_TROUBLE 256
#define FER_ENTRY_KEPT     ((size_t)1 << 10) /* bytes of an entry that is used again */
#define FER_ENTRIES_KEPT   128               /* of a port; more come from the heap, each its size */
#define FER_NOBODY         FER_STR("-")      /* the tenant of records of the ledger's own */

typedef struct fer_ledger_entry {
    fer_outlet_item item; /* the first member: what the outlet gets is the entry */
    struct fer_ledger_entry *next;
    fer_outlet *outlet;
    struct fer_ledger_port *port; /* there as long as the outlet is open */
    fer_ledger_done *done;
    void *context;
    fer_ledger_type type;
    fer_code code;
    uint64_t seq;
    fer_open_call *call; /* of begin and end */
    uint32_t tenant_len, body_len;
    bool keep;   /* it has FER_ENTRY_KEPT bytes of text, and is used again */
    char text[]; /* tenant and body as they are written */
} fer_ledger_entry;

typedef struct fer_ledger_entry_list {
    fer_ledger_entry *first, **last; /* last: where the next one goes; NULL while it is empty */
} fer_ledger_entry_list;

/* The writer is woken once for all that a turn of the loop appends, when the turn ends: what comes
 * of one look at the sockets shares a wake-up and mostly a sync. */
struct fer_ledger_port {
    fer_ledger *ledger;
    fer_outlet *outlet;
    fer_arena *scratch;
    fer_ledger_entry *spare; /* those that were told, for later ones */
    size_t kept;             /* that are made to be used again */
    uv_prepare_t turn_end;   /* runs before the loop waits, where the writer is to be woken */
    bool pressed;            /* as of the last append */
};

/* What a batch must put back where it could not be written. */
struct fer_undo {
    fer_hash_chain_tenant *tenant;
    char head[FER_DIGEST_HEX];
    bool changed;
};

struct fer_ledger {
    fer_ledger_options options; /* every default filled in; paths are copies below */
    char *anchor;
    int folder, lock_fd;
    fer_sign_key *key;
    uint64_t epoch;
    char boot[FER_LINE_BOOT];
    _Atomic int state;
    _Atomic size_t waiting; /* bytes in the queue */
    _Atomic bool letting_go;
    char trouble[FER_LEDGER_TROUBLE];

    pthread_mutex_t lock;
    pthread_cond_t wake;
    fer_ledger_entry_list queue;  /* under lock, as are: */
    size_t expected;              /* callers that a batch waits for */
    size_t waiters;               /* entries of the queue that somebody waits for */
    const fer_ledger_port *waker; /* who wakes the writer for the queue; only compared */
    fer_call_table calls;
    bool stop;
    struct {
        bool asked, answered;
        int64_t before;
        fer_ledger_pruned result;
        fer_code code;
        fer_err err;
    } prune;
    pthread_cond_t pruned;

    pthread_t thread;
    bool running;
    fer_hash_chain chain;
    int fd; /* of the segment */
    char segment[FER_SEGMENT_NAME];
    uint64_t offset, room;      /* where the next line goes; how long the segment is */
    uint64_t written;           /* lines and zeros, up to here (ledger_blocks.c) */
    bool direct;                /* in whole blocks, past the system's cache */
    size_t front;               /* bytes of the last block that stand in front of the batch */
    bool growing;               /* no new segment could be made: this one goes on */
    bool prune_due;             /* there is a new segment, so old ones may go */
    size_t open_written;        /* calls whose begin is in the chain and whose end is not */
    fer_ledger_entry_list held; /* ends for which there was no space */

    /* the batch */
    void *memory; /* of bytes, and of zeros */
    char *bytes;  /* from where a block begins, as do: */
    const char *zeros;
    size_t len; /* behind `front` */
    fer_ledger_entry *batch[FER_BATCH_RECORDS];
    size_t batch_count;
    struct fer_undo undo[FER_BATCH_RECORDS + 4];
    size_t undo_count;
    struct {
        uint64_t seq, since;
        char head[FER_DIGEST_HEX];
        fer_hash_chain_tenant *changed;
        size_t open_written;
    } before;   /* the batch */
    bool dirty; /* written and not synced (async) */

    /* time */
    int64_t mono;      /* of the batch; grows from batch to batch */
    int64_t offset_ms; /* what the ledger adds to the monotonic clock */
    int64_t skew_ms;   /* of the wall clock to that, when it was last told */
    char time[32];
    int64_t sync_ns;                            /* how long the last sync took */
    int64_t checkpoint_at, synced_at, retry_at; /* monotonic, ms */
};

/* ledger_commit.c: lines of a batch, and writing them. */

/* Starts a batch: its time, and a clock_jump where the clock was set. */
void fer_commit_start(fer_ledger *l);
/* Adds a line; false: no memory. `tenant` is as it is written. */
bool fer_commit_add(fer_ledger *l, fer_ledger_type type, fer_str tenant, fer_str body);
/* Writes and syncs it. On false the chain is where it was before, and the state says why. */
bool fer_commit_flush(fer_ledger *l, bool sync);
/* The same with a checkpoint as its last line, synced in any case; without one where it cannot be
 * made. */
bool fer_commit_flush_checked(fer_ledger *l);
/* Checkpoint, durable, and sent to the anchor. */
bool fer_commit_checkpoint(fer_ledger *l);
/* Sets the clock of the ledger behind the last record of a chain that was read. */
void fer_commit_clock(fer_ledger *l, const fer_line *last);

/* ledger_blocks.c: the batch on its way to the disk. */

/* After a segment was opened: `fd`, `offset` and `room` are its own. */
void fer_blocks_begin(fer_ledger *l);
/* Writes the batch; false: errno says why. */
bool fer_blocks_write(fer_ledger *l);
/* It is written: the next one goes behind it. */
void fer_blocks_pass(fer_ledger *l);

/* ledger_segment.c */

/* A new segment behind the chain; the old one is cut to its length. False: errno says why. */
bool fer_segment_next(fer_ledger *l);
/* Goes on with a segment that is not full. */
bool fer_segment_resume(fer_ledger *l, const fer_segment *s, uint64_t offset);
/* Whether the folder is still ours. */
bool fer_segment_is_ours(const fer_ledger *l);
/* Where the chain stood when a segment began; false: nothing usable is known of it. */
bool fer_heads_read(fer_ledger *l, fer_segment *at);
void fer_heads_write(fer_ledger *l, const char *segment);

/* ledger_recover.c: everything from the folder to a chain that can be added to. */
fer_code fer_ledger_recover(fer_ledger *l, fer_ledger_recovery *out, fer_err *err);

/* ledger_writer.c */
void *fer_writer_run(void *ledger);
fer_code fer_writer_prune(fer_ledger *l, int64_t before_ms, fer_ledger_pruned *out, fer_err *err);

/* Makes it read-only, for a reason; the first one stays. */
void fer_ledger_break(fer_ledger *l, const char *format, ...) FER_PRINTF(2, 3);

void fer_ledger_entry_push(fer_ledger_entry_list *list, fer_ledger_entry *e);

static inline fer_str fer_ledger_entry_tenant(const fer_ledger_entry *e)
{
    return (fer_str){e->text, e->tenant_len};
}
static inline fer_str fer_ledger_entry_body(const fer_ledger_entry *e)
{
    return (fer_str){e->text + e->tenant_len, e->body_len};
}

#endif
