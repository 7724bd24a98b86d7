/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What outlives the process, in one folder of the operator's: `ledger/`, `store.db`, and
 * `seal.key`, the key that idempotency records are sealed with. The folder is made with mode 0700
 * where it is absent. One process keeps it at a time; others may visit: look, sweep, and leave a
 * word on a key whose outcome is unknown (key_words.h), which whoever keeps the folder applies.
 *
 * While it is kept, expired keys are swept in the background, a bounded lot at a time.
 */
#ifndef FER_KEEPING_H
#define FER_KEEPING_H

#include <ferrule/gateway.h>

#include "config.h"
#include "ledger.h"
#include "log.h"
#include "store.h"

#define FER_SWEEP_MS 60000 /* between two sweeps of expired keys */
#define FER_SWEEP_KEYS                                                                             \
    1000                  /* that one sweep takes away; where there were more, the next follows    \
                           */
#define FER_WORDS_MS 2000 /* between two looks for words of the operator */

typedef struct fer_keeping fer_keeping;

typedef struct fer_keep_options {
    fer_str folder;
    const fer_config_ledger *ledger; /* how it is written; NULL: as ever */
    int64_t key_ttl_ms;              /* of a result that an operator vouches for */
    bool verify;                     /* all of the ledger, in the background */
    bool cache;                      /* cached results are kept, too */
    size_t cache_bytes;              /* of them; 0: as ever */
    const fer_log *log;              /* is told what went wrong in the background; or NULL */
} fer_keep_options;

/* Opens all of it on a loop. FER_LEDGER_UNAVAILABLE: another process keeps it. */
fer_code fer_keeping_open(uv_loop_t *loop, const fer_keep_options *o, fer_keeping **out,
                          fer_err *err);
/* The same, and has the gateway keep its calls there. */
fer_code fer_keeping_begin(fer_gateway *g, const fer_keep_options *o, fer_keeping **out,
                           fer_err *err);
/* After the gateway was stopped and before it is freed: its loop runs once more. NULL is fine. */
void fer_keeping_end(fer_keeping *k);

/* Whether some process writes the ledger of a folder: FER_LEDGER_UNAVAILABLE is for that then. */
bool fer_keeping_is_written(const char *ledger);

/* Opens the store alone, as a visitor. FER_BAD_USAGE: there is no store in the folder. */
fer_code fer_keeping_visit(uv_loop_t *loop, fer_str folder, fer_keeping **out, fer_err *err);
/* Whether the ledger can be written, where there is one, and why not. */
fer_ledger_state fer_keeping_ledger(const fer_keeping *k);
const char *fer_keeping_trouble(const fer_keeping *k);
/* Nobody waits for space any more: the process ends. */
void fer_keeping_let_go(fer_keeping *k);
/* Has the log know of it; otherwise the next record does. */
void fer_keeping_tell(fer_keeping *k);
/* What the ledger was like when it was opened. */
const fer_ledger_recovery *fer_keeping_found(const fer_keeping *k);
fer_store_port *fer_keeping_store(const fer_keeping *k);

/* Applies all words that wait, before it returns. */
fer_code fer_keeping_settle(fer_keeping *k, fer_err *err);

#endif
