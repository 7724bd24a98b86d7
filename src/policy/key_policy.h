/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idempotency keys (RELIABILITY 5.4): what is a key, what it is a key of, and what becomes of a
 * call whose key was seen before. Pure; what is durable is the store's.
 */
#ifndef FER_KEY_POLICY_H
#define FER_KEY_POLICY_H

#include <ferrule/contract.h>

#include "json_value.h"

#define FER_KEY_MAX     255               /* bytes of a key */
#define FER_KEY_TTL_MS  INT64_C(86400000) /* that a result is kept after it came */
#define FER_KEY_TTL_MIN INT64_C(3600000)  /* that nobody may go below */
#define FER_KEY_HASH    32

/* 1 to FER_KEY_MAX bytes of 0x21 to 0x7E. */
bool fer_key_valid(fer_str key);

typedef struct fer_key_of {
    fer_str tenant, principal;
    fer_str tool;   /* ns:name, without its version */
    unsigned major; /* of the version */
    fer_str key;
    bool by_tenant; /* one key for all principals of the tenant */
    const yyjson_val *input;
} fer_key_of;
/* What the key belongs to, and what it may be used for. */
fer_code fer_key_hashes(fer_arena *scratch, const fer_key_of *k, unsigned char scope[FER_KEY_HASH],
                        unsigned char fingerprint[FER_KEY_HASH], fer_err *err);
/* The key of a step of a chain that has a key: different for each step, the same each time. */
#define FER_KEY_STEP 44
fer_code fer_key_step(fer_str chain_key, size_t step, char out[FER_KEY_STEP], fer_err *err);
/* The tool's ID without its version, borrowed. */
fer_str fer_key_tool(fer_str id, fer_str version);

/* What is known of a key. */
typedef enum fer_key_state {
    FER_KEY_NONE,
    FER_KEY_HERE,    /* a call of this process has it now */
    FER_KEY_PENDING, /* somebody else's call has it */
    FER_KEY_DONE,
    FER_KEY_UNKNOWN /* it was sent, and nobody knows what came of it */
} fer_key_state;

typedef enum fer_key_act {
    FER_KEY_RUN,      /* nobody had it: execute */
    FER_KEY_JOIN,     /* wait for the call that has it */
    FER_KEY_BUSY,     /* IdempotencyInProgress: come again */
    FER_KEY_REPLAY,   /* give the result again */
    FER_KEY_CONFLICT, /* the key was used with another input */
    FER_KEY_DOUBT     /* OutcomeUnknown */
} fer_key_act;

/* `same`: the fingerprints agree; `reject`: duplicates are refused instead of joined. */
fer_key_act fer_key_decide(fer_key_state state, bool same, bool reject);

#endif
