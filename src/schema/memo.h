/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that were given already, by (node, value, dynamic scope). In memory of their own. */
#ifndef FER_MEMO_H
#define FER_MEMO_H

#include "vm.h"

#define FER_MEMO_AFTER   4096   /* steps after which answers are remembered */
#define FER_MEMO_ENTRIES 260000 /* answers of one validation; later ones are not remembered */

struct fer_answer {
    const yyjson_val *value; /* NULL: empty */
    uint32_t node;
    uint32_t scope;
    fer_marks *marks;
    struct fer_unit *unit;
    bool tracks;
    bool valid;
};

/* The answer, or NULL. */
const struct fer_answer *fer_memo_get(const fer_vm *vm, const fer_node *node,
                                      const yyjson_val *value, uint32_t scope, bool tracks);
/* Remembers what a frame has come to; false: no memory. */
bool fer_memo_put(fer_vm *vm, const fer_frame *f);
void fer_memo_free(fer_vm *vm);

#endif
