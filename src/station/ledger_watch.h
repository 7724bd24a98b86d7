/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verifies a whole ledger beside its writer, once, on a thread of its own (docs/ledger.md): opening
 * a ledger looks at its last segment only. What it finds is logged; nothing else happens because of
 * it, as what is broken long ago is for people to look at.
 */
#ifndef FER_LEDGER_WATCH_H
#define FER_LEDGER_WATCH_H

#include <uv.h>

#include "ledger_verify.h"
#include "log.h"

typedef struct fer_ledger_watch fer_ledger_watch;

/* `log` must outlive it. The loop is not kept alive. Without memory, or threads, there is none:
 * NULL. */
fer_ledger_watch *fer_ledger_watch_begin(uv_loop_t *loop, const char *folder, const char *anchor,
                                         const fer_log *log);
/* Waits for the thread, which stops soon; the loop must run once more. NULL is fine. */
void fer_ledger_watch_end(fer_ledger_watch *w);

#endif
