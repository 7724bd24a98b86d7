/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vectors of a catalogue's tools, by their numbers in the index, and which are still to be
 * made. The finders of a catalogue share one, whatever becomes of their words.
 *
 * Counted. The catalogue's writer, who holds its lock, changes it; whoever searches reads it
 * between fer_vector_store_read and _done, and waits no longer than one vector takes to be put.
 */
#ifndef FER_VECTOR_STORE_H
#define FER_VECTOR_STORE_H

#include "embedding.h"
#include "vectors.h"

typedef struct fer_vector_store fer_vector_store;

/* `embedder` as for fer_embedding_open; `plugin`, where it is one, instead of it. */
fer_code fer_vector_store_new(const char *embedder, const fer_embed_plugin *plugin,
                              fer_vector_store **out, fer_err *err);
fer_vector_store *fer_vector_store_ref(fer_vector_store *s);
void fer_vector_store_unref(fer_vector_store *s);

const fer_embedding_id *fer_vector_store_id(const fer_vector_store *s);
const fer_embedding_label *fer_vector_store_label(const fer_vector_store *s);
/* An embedder for one thread; NULL: no memory. */
FER_MUST_USE fer_embedder *fer_vector_store_embedder(const fer_vector_store *s);

/* ---- the writer ---- */

fer_code fer_vector_store_put(fer_vector_store *s, uint32_t number, const int8_t *vector,
                              fer_err *err);
/* The same while nobody else has the store yet: without locks. */
fer_code fer_vector_store_fill(fer_vector_store *s, uint32_t number, const int8_t *vector,
                               fer_err *err);
/* The vector of another number, where there is one. */
fer_code fer_vector_store_copy(fer_vector_store *s, uint32_t from, uint32_t to, bool *copied,
                               fer_err *err);
void fer_vector_store_remove(fer_vector_store *s, uint32_t number);
/* Has one made later; false: no memory. */
FER_MUST_USE bool fer_vector_store_want(fer_vector_store *s, uint32_t number);
/* Takes up to `most` of those that are to be made off the list. */
size_t fer_vector_store_take(fer_vector_store *s, uint32_t *numbers, size_t most);
size_t fer_vector_store_wanted(const fer_vector_store *s);
/* NULL: there is none. Until the next change. */
const int8_t *fer_vector_store_get(const fer_vector_store *s, uint32_t number);

/* ---- readers ---- */

const fer_vectors *fer_vector_store_read(fer_vector_store *s);
void fer_vector_store_done(fer_vector_store *s);
/* How many there are, and a number that is another one after each change. */
size_t fer_vector_store_count(const fer_vector_store *s);
uint64_t fer_vector_store_state(const fer_vector_store *s);

#endif
