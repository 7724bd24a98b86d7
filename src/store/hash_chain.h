/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a chain stands: the number and hash of its last record, the last record of each tenant, and
 * what the last checkpoint said. The writer, recovery and verify follow the same rules here.
 *
 * A checkpoint is a record whose body is
 *
 *     {"head":"<hash>","key":"<ID>","seq":<n>,"sig":"<128 digits>","tenants":"<64 digits>"}
 *
 * `head` is the hash of the record `seq`, the one before it. `tenants` is SHA-256 over the
 * `tenants` of the checkpoint before (zeros at first) and, for each tenant with records since then,
 * the latest first changed first, its name and the hash of its last record: so the signature covers
 * every tenant's chain at the cost of those that changed. `sig` is Ed25519 over "ledger/v1
 * checkpoint\n" and the body without `sig`. One thread.
 */
#ifndef FER_HASH_CHAIN_H
#define FER_HASH_CHAIN_H

#include "ledger_line.h"
#include "ledger_sign.h"
#include "map.h"

#define FER_CHAIN_TENANTS 1000000 /* names of tenants in one ledger */

typedef struct fer_hash_chain_tenant {
    fer_str name; /* as it is written */
    char head[FER_DIGEST_HEX];
    bool changed;                       /* since the last checkpoint */
    struct fer_hash_chain_tenant *next; /* that changed before it */
} fer_hash_chain_tenant;

typedef struct fer_hash_chain {
    fer_arena *arena; /* of tenants */
    fer_map tenants;
    fer_digest *digest;
    uint64_t seq; /* of the last record, 0: there is none */
    char head[FER_DIGEST_HEX];
    fer_hash_chain_tenant *changed;
    char tenants_sum[FER_DIGEST_HEX]; /* of the last checkpoint */
    bool sum_known;                   /* that checkpoint was seen, or there was none before */
    uint64_t since;                   /* records since the last checkpoint */
    bool pruned; /* what came before was taken away: tenants may have been there */
} fer_hash_chain;

/* False: no memory. */
bool fer_hash_chain_init(fer_hash_chain *c);
void fer_hash_chain_deinit(fer_hash_chain *c);

/* A tenant by its name as it is written, made where it is new; NULL: no memory, or too many. */
fer_hash_chain_tenant *fer_hash_chain_tenant_of(fer_hash_chain *c, fer_str name);

typedef enum fer_hash_chain_verdict {
    FER_CHAIN_OK,
    FER_CHAIN_FORM,       /* the line is not one of a ledger */
    FER_HASH_CHAIN_HASH,  /* the hash is not that of the line */
    FER_CHAIN_GAP,        /* records are missing, or come twice */
    FER_CHAIN_PREV,       /* it does not follow the record before it */
    FER_CHAIN_TENANT,     /* it does not follow the tenant's record before it */
    FER_CHAIN_CHECKPOINT, /* a checkpoint says what is not so */
    FER_CHAIN_SIGNATURE,  /* a checkpoint is not signed by the key */
    FER_CHAIN_NO_MEMORY
} fer_hash_chain_verdict;

/*
 * Goes on by a line that was read. Where it is not OK the chain stays where it was. `key` may be
 * NULL: signatures are not looked at.
 */
fer_hash_chain_verdict fer_hash_chain_follow(fer_hash_chain *c, fer_str text, const fer_line *l,
                                             const fer_sign_key *key);
/* Goes on by the line whatever it says, so that what follows can be looked at. */
void fer_hash_chain_force(fer_hash_chain *c, const fer_line *l);

/* Notes that a line was added to the chain (its hash is in it). */
void fer_hash_chain_add(fer_hash_chain *c, fer_hash_chain_tenant *t, const fer_line *l);
/* The digest of tenants as of now. */
bool fer_hash_chain_sum(const fer_hash_chain *c, char out[FER_DIGEST_HEX]);
/* Notes that a checkpoint with that digest was added. */
void fer_hash_chain_checked(fer_hash_chain *c, const char sum[FER_DIGEST_HEX]);

/* The body of a checkpoint of the chain as it stands; false: no memory. */
#define FER_CHECKPOINT_BODY 512
bool fer_checkpoint_write(const fer_hash_chain *c, const fer_sign_key *key, const char *sum,
                          char out[FER_CHECKPOINT_BODY], size_t *len);
typedef struct fer_checkpoint {
    uint64_t seq;
    char head[FER_DIGEST_HEX];
    char tenants[FER_DIGEST_HEX];
    char key[FER_SIGN_ID];
    unsigned char signature[FER_SIGN_SIZE];
} fer_checkpoint;
bool fer_checkpoint_read(fer_str body, fer_checkpoint *out);
/* Whether the key has signed it. */
bool fer_checkpoint_is_signed(const fer_checkpoint *p, const fer_sign_key *key);

#endif
