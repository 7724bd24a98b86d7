/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of Pure tools, to be given again (RELIABILITY 5.5). A key is SHA-256 over everything that
 * a result depends on: who may see it, tool, version, definition, backend, and the canonical input,
 * in which numbers that binary64 would merge stay apart. Bounded in bytes; the least recently used
 * go first, and no tenant has more than its share, so that none can push another's results out.
 * Whoever asks decides what may be kept (fer_results_may).
 *
 * Entries are copies on the heap, in clear, and never written anywhere from here. Pure but for
 * that: the time is given, ns of a clock that never goes back. One thread.
 */
#ifndef FER_RESULT_CACHE_H
#define FER_RESULT_CACHE_H

#include <ferrule/catalog.h>

#include "bag.h"
#include "json_value.h"

#define FER_RESULTS_BYTES  ((size_t)64 << 20) /* of all results together */
#define FER_RESULTS_SHARE  25                 /* percent of them for one tenant */
#define FER_RESULTS_ENTRY  ((size_t)1 << 20)  /* bytes of one result */
#define FER_RESULTS_TTL_MS INT64_C(86400000)  /* the longest that one is kept */

#define FER_RESULT_KEY 32
typedef struct fer_result_key {
    unsigned char bytes[FER_RESULT_KEY];
} fer_result_key;

/* What a result depends on. */
typedef struct fer_result_of {
    bool is_public; /* the operator says that everybody may see it */
    fer_str tenant, principal;
    fer_texts scopes;
    fer_str tool, version, definition_hash, backend;
    const yyjson_val *input;
} fer_result_of;
fer_code fer_result_key_of(fer_arena *scratch, const fer_result_of *r, fer_result_key *out,
                           fer_err *err);

typedef struct fer_results fer_results;
/* `bytes` 0: FER_RESULTS_BYTES. NULL: no memory. */
fer_results *fer_results_new(size_t bytes, const uint64_t seed[2]);
void fer_results_free(fer_results *r);

typedef struct fer_kept {
    fer_str structured; /* JSON; or empty */
    fer_str mcp_result;
    int64_t until;   /* ns */
    fer_str backend; /* whose it is, so that it can be forgotten with it */
} fer_kept;
/* Borrowed until the next call of any of these; NULL: there is none that is fresh. */
const fer_kept *fer_results_find(fer_results *r, const fer_result_key *k, int64_t now);
/* Copies it; without memory, or room, it is not kept. */
void fer_results_keep(fer_results *r, const fer_result_key *k, fer_str tenant, const fer_kept *v,
                      int64_t now);
/* Forgets all of a tenant; an empty name: all of all. */
void fer_results_forget(fer_results *r, fer_str tenant);
/* Forgets all of a backend: its tools may have changed (5.5.8). */
void fer_results_forget_backend(fer_results *r, fer_str backend);
size_t fer_results_bytes(const fer_results *r);
size_t fer_results_count(const fer_results *r);

/* Whether a result may be kept at all; `size` is of its texts. */
bool fer_results_may(fer_effect effect, int64_t ttl_ms, bool ok, size_t size);

#endif
