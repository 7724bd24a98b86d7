/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search index of a catalogue, which its views share. Rankers know numbers, not tools: each
 * definition that is served has a number of its own, never used again, and a view says which
 * tool a number stands for. A definition is put before the view that serves it is handed out,
 * and removed after that, so that whoever has the newest view finds all of it; a hit that
 * a view does not know is not one of its tools and is passed over.
 *
 * Counted. One thread, the catalogue's writer, puts and removes; any may search meanwhile.
 */
#ifndef FER_FINDER_H
#define FER_FINDER_H

#include "view.h"

#define FER_NO_NUMBER UINT32_MAX

typedef struct fer_finder fer_finder;
struct fer_search_doc;
struct fer_vector_store;

/*
 * `store`: of vectors, counted once more; NULL: words alone. `puts`: definitions that are put
 * before anybody searches. Where these are many they are gathered and made an index at once, by
 * fer_finder_settle, three times as quick as one by one; then nothing is removed before that, and
 * after a put that failed it fails too.
 */
FER_MUST_USE fer_finder *fer_finder_new(struct fer_vector_store *store, size_t puts);
/* Whether so many are gathered. */
bool fer_finder_gathers(size_t puts);
/* Before it is handed out. Where nothing was gathered it does nothing. */
fer_code fer_finder_settle(fer_finder *f, fer_err *err);
/* Over bytes that fer_finder_freeze made, or that look like it; they stay as long. */
fer_code fer_finder_open(fer_str frozen, struct fer_vector_store *store, fer_finder **out,
                         fer_err *err);
fer_finder *fer_finder_ref(fer_finder *f);
void fer_finder_unref(fer_finder *f);

/* The store of its vectors, or NULL. */
struct fer_vector_store *fer_finder_store(const fer_finder *f);

/* On failure nothing has changed. */
fer_code fer_finder_put(fer_finder *f, uint32_t number, const struct fer_search_doc *texts,
                        fer_err *err);
void fer_finder_remove(fer_finder *f, uint32_t number);

fer_code fer_finder_freeze(fer_arena *a, const fer_finder *f, fer_str *out, fer_err *err);
/* Whether so much was put since it was frozen, for so many tools, that it is better frozen again.
 */
bool fer_finder_is_loose(const fer_finder *f, size_t docs);
/* Frees what searches and vectors are made with, as far as nobody uses it now; the next makes it
 * anew. From any thread. */
void fer_finder_rest(fer_finder *f);
/* The same index, frozen; the old one stays as it is. */
fer_code fer_finder_compact(const fer_finder *f, fer_finder **out, fer_err *err);

/* The tool of a number, NULL: not one of this view. */
fer_entry *fer_view_numbered(const fer_view *v, uint32_t number);
/* Gives an entry that goes into `v` a number, and makes it findable. */
fer_code fer_view_index(fer_view *v, fer_arena *scratch, fer_entry *e, fer_err *err);
/* The vectors of some tools, one behind the other, each of as many bytes as the store says. */
fer_code fer_finder_embed(fer_finder *f, fer_arena *scratch, const fer_body *const *bodies,
                          size_t count, int8_t *out, fer_err *err);
/* Takes the number of an entry that leaves `v`; it is still in the index. False: no memory. */
FER_MUST_USE bool fer_view_unindex(fer_view *v, const fer_entry *e);

#endif
