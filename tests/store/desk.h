/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ledger in a folder of its own, and somebody who writes into it and waits: what tests of the
 * ledger share. The folder is in memory where the machine has such a place, and goes with the desk.
 */
#ifndef FER_DESK_H
#define FER_DESK_H

#include "ledger.h"
#include "ledger_verify.h"
#include "rows.h"

struct desk {
    char folder[128];
    uv_loop_t loop;
    fer_ledger *ledger;
    fer_ledger_port *port;
    fer_ledger_recovery recovery;
    fer_err err;
    size_t told, refused; /* records that were told as durable, and as not */
    uint64_t last_seq;
    uint64_t sent; /* calls begun by desk_call */
};

/* A folder name below the place for tests; not made yet. */
void desk_folder(char out[128]);
void desk_remove(const char *folder);
void desk_path(char out[256], const char *folder, const char *name);

/* Options for small, quick ledgers in tests. */
fer_ledger_options desk_options(const char *folder);

fer_code desk_open(struct desk *d, const fer_ledger_options *o);
fer_code desk_close(struct desk *d);
/* Appends and returns; the answer is counted when the loop runs. */
fer_code desk_append(struct desk *d, fer_ledger_type type, const char *tenant, const char *body);
/* Waits until everything is told. */
void desk_wait(struct desk *d);
/* One record, durable: FER_OK, or what it was refused with. */
fer_code desk_put(struct desk *d, fer_ledger_type type, const char *tenant, const char *body);
/* A call: begin, and end; "Pure" and such. */
fer_code desk_begin(struct desk *d, const char *tenant, const char *call, const char *effect);
fer_code desk_end(struct desk *d, const char *tenant, const char *call, const char *status);

/* Verifies; the report lives in the arena. */
fer_verify_report desk_verify(fer_arena *a, const char *folder, const char *anchor);
/* The only segment's path, or that of the last one. */
void desk_segment(char out[256], const char *folder, bool last);
/* All bytes of a file; free() them. */
char *desk_bytes(const char *path, size_t *size);
void desk_write(const char *path, const char *bytes, size_t size);
/* Records of a type in the ledger, by reading its lines. */
size_t desk_count(const char *folder, const char *needle);

#endif
