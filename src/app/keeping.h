/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What outlives the process, in one folder of the operator's: `ledger/`, `store.db`, and
 * `seal.key`, the key that idempotency records are sealed with. The folder is made with mode 0700
 * where it is absent. One process has it at a time.
 */
#ifndef FER_KEEPING_H
#define FER_KEEPING_H

#include <ferrule/gateway.h>

typedef struct fer_keeping fer_keeping;

/* Opens all of it and has the gateway keep its calls there. */
fer_code fer_keeping_begin(fer_gateway *g, fer_str folder, fer_keeping **out, fer_err *err);
/* After the gateway was stopped and before it is freed: its loop runs once more. NULL is fine. */
void fer_keeping_end(fer_keeping *k);

#endif
