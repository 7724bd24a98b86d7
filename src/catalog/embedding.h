/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedder that somebody asked for by name: the built-in one, or one whose model is in a
 * file. The model is shared by any number of threads, each of which has an embedder of its own.
 */
#ifndef FER_EMBEDDING_H
#define FER_EMBEDDING_H

#include <ferrule/catalog.h>

#include "embed_static.h"
#include "embed_use.h"

#define FER_EMBEDDING_SIZE  ((size_t)64 << 20) /* bytes of a model's file */
#define FER_EMBEDDING_NAME  32                 /* bytes of an embedder's name, and a zero */
#define FER_EMBEDDING_MODEL 128                /* bytes of a model's name, and a zero */

/*
 * What vectors were made by: only those of the same embedder can be compared. The model's sum is
 * over the model and over the vector of a text that never changes, so that another way to take
 * texts apart is another embedder too.
 */
typedef struct fer_embedding_id {
    char name[FER_EMBEDDING_NAME];
    uint64_t model;
    uint64_t dims;
} fer_embedding_id;

/* What people are told of it beside its name, where it has more than one model; never compared. */
typedef struct fer_embedding_label {
    char model[FER_EMBEDDING_MODEL]; /* empty: there is only one, or nobody knows */
    uint64_t length;                 /* numbers of a vector; `dims` are as many or a few more */
} fer_embedding_label;

typedef struct fer_embedding {
    fer_embedder *embedder;
    fer_embedding_id id;
    fer_embedding_label label;
    fer_static_model builtin;
    fer_use_model use;
    fer_arena *arena;        /* of the file; NULL: there is none */
    fer_embed_plugin plugin; /* name NULL: it is none */
} fer_embedding;

/*
 * `name` is NULL or "builtin", or "use:FILE" with what tools/make-use-model wrote. It stays where
 * it is while it is open.
 */
fer_code fer_embedding_open(fer_embedding *e, const char *name, fer_err *err);
/* The same for one that somebody else wrote. */
fer_code fer_embedding_open_plugin(fer_embedding *e, const fer_embed_plugin *plugin, fer_err *err);
/* Also of one that is all zero. */
void fer_embedding_close(fer_embedding *e);
/* One more embedder on the same model, for another thread. NULL: no memory. */
FER_MUST_USE fer_embedder *fer_embedding_more(const fer_embedding *e);

#endif
