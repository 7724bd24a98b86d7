/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where calls are written down so that they outlive the process: idempotency records and the
 * ledger, as a row of functions with the promises of store.h and ledger.h. A gateway without one
 * keeps keys in memory for as long as it lives, and has no ledger.
 *
 * Each function returns at once; where it returns FER_OK, its `done` is called once, on the loop's
 * thread, perhaps before it returns.
 */
#ifndef FER_KEEPER_H
#define FER_KEEPER_H

#include "ledger.h"
#include "store.h"

typedef struct fer_keeper {
    void *context;
    fer_code (*claim)(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                      fer_err *err);
    fer_code (*finish)(void *context, const fer_idem_claim *c, fer_str result, int64_t expires_ms,
                       fer_store_done *done, void *whom, fer_err *err);
    fer_code (*release)(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                        fer_err *err);
    fer_code (*lose)(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                     fer_err *err);
    /* NULL: there is no ledger. */
    fer_code (*append)(void *context, const fer_ledger_record *r, fer_ledger_done *done, void *whom,
                       fer_err *err);
    /* fer_ledger_pressed; NULL: never. */
    bool (*pressed)(void *context);
    /* Whether records can be written now; NULL: always. */
    bool (*writes)(void *context);
    /* Results of Pure tools that outlive the process; NULL: they do not. Nobody waits for what is
     * kept, and it may be gone at any time. */
    fer_code (*recall_result)(void *context, fer_str tenant, fer_str key, fer_store_done *done,
                              void *whom, fer_err *err);
    void (*keep_result)(void *context, fer_str tenant, fer_str key, fer_str backend, fer_str record,
                        int64_t expires_ms);
    void (*forget_results)(void *context, fer_str backend);
    /* A name that cannot be guessed, of a text and a tenant: HMAC-SHA-256. */
    fer_code (*name)(void *context, fer_str tenant, const char *use, fer_str text,
                     unsigned char out[32], fer_err *err);
} fer_keeper;

#define FER_KEEP_KEYS 100000 /* that are kept in memory */

/* Keys in memory; NULL: no memory. */
typedef struct fer_memory fer_memory;
fer_memory *fer_memory_new(const unsigned char secret[32]);
void fer_memory_free(fer_memory *m);
void fer_memory_keeper(fer_memory *m, fer_keeper *out);

#endif
