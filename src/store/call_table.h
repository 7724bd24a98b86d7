/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that have begun and not ended, by tenant and ID. Heap memory; entries are removed. Keys are
 * hashed under a seed. One thread at a time: whoever holds the ledger's lock.
 */
#ifndef FER_CALL_TABLE_H
#define FER_CALL_TABLE_H

#include "str.h"

typedef struct fer_open_call {
    struct fer_open_call *next; /* in its bucket */
    uint64_t hash;
    uint64_t begun; /* seq of its begin; 0: that is not written yet */
    bool pure;
    bool ended; /* its end waits to be written */
    uint32_t tenant_len, call_len;
    uint32_t room; /* bytes of text */
    char text[];   /* tenant and ID, as they are written, one behind the other */
} fer_open_call;

typedef struct fer_call_table {
    fer_open_call **buckets;
    size_t cap; /* a power of two */
    size_t count;
    uint64_t seed[2];
    fer_open_call *spare; /* those that were removed, for later ones */
    size_t spare_count;
} fer_call_table;

static inline fer_str fer_open_call_tenant(const fer_open_call *c)
{
    return (fer_str){c->text, c->tenant_len};
}
static inline fer_str fer_open_call_id(const fer_open_call *c)
{
    return (fer_str){c->text + c->tenant_len, c->call_len};
}

/* False: no memory, or no random bytes. */
bool fer_call_table_init(fer_call_table *t);
void fer_call_table_deinit(fer_call_table *t);
fer_open_call *fer_call_table_find(const fer_call_table *t, fer_str tenant, fer_str call);
/* NULL: no memory. It must not be there. */
fer_open_call *fer_call_table_add(fer_call_table *t, fer_str tenant, fer_str call);
void fer_call_table_remove(fer_call_table *t, const fer_open_call *c);
/* The entry behind `c`, the first where it is NULL; NULL behind the last. */
fer_open_call *fer_call_table_next(const fer_call_table *t, const fer_open_call *c);

#endif
