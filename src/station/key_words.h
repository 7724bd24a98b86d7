/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's word on keys whose outcome is unknown (RELIABILITY 5.4.9): "it was done, with this
 * result" or "it was not done". A word is an entry of the store's registry, so that it can be left
 * by a visitor while a gateway keeps the folder. Whoever keeps the folder applies it: the ledger
 * has it first, durable, then the key changes, then the word goes. A crash in between has it
 * applied once more, which changes nothing but adds a record. A word on a key that is not unknown
 * (any more) goes without effect.
 *
 * One thread: that of the loop.
 */
#ifndef FER_KEY_WORDS_H
#define FER_KEY_WORDS_H

#include "ledger.h"
#include "store.h"

#define FER_KEY_HEX ((size_t)2 * FER_IDEM_HASH) /* digits of a key's digest */

/* `result`: JSON, of what was done. */
fer_code fer_word_put(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH], bool was_done,
                      fer_str result, fer_store_done *done, void *context, fer_err *err);
/* Whether a word waits: fer_registry_get with this key. */
fer_code fer_word_get(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH],
                      fer_store_done *done, void *context, fer_err *err);
void fer_key_hex(const unsigned char scope[FER_IDEM_HASH], char out[FER_KEY_HEX + 1]);

/* Whoever applies them. */
typedef struct fer_words {
    fer_store_port *store;
    fer_ledger_port *ledger;
    int64_t ttl_ms;   /* of a result that was vouched for */
    bool busy;        /* a look is under way */
    fer_code failure; /* of the last look */
    size_t applied;   /* since ever */
    /* The word at hand. */
    fer_arena *arena;
    fer_str key;
    unsigned char scope[FER_IDEM_HASH];
    bool was_done;
    fer_str result; /* as it will be kept */
} fer_words;

/* Begins to apply all that wait; nothing where that is under way. */
void fer_words_look(fer_words *w);
void fer_words_deinit(fer_words *w);

#endif
