/* SPDX-License-Identifier: Apache-2.0 */
/* The embedder that a command was asked to use: one with a model at hand (embedding.h), or a
 * server. */
#ifndef FER_EMBEDDER_CHOICE_H
#define FER_EMBEDDER_CHOICE_H

#include "command.h"
#include "embed_http.h"
#include "embedding.h"

/* What the command line says about it; NULL where it says nothing. */
typedef struct fer_embedder_choice {
    const char *name;  /* as for fer_embedding_open, or a URL */
    const char *model; /* of a server, and what follows */
    const char *key;   /* see fer_embed_http_options */
    const char *dims;
} fer_embedder_choice;

/* Reads the options embedder, embedder-model, embedder-key and embedder-dims. */
fer_embedder_choice fer_embedder_choice_of(const fer_app *app);
/* Whether the command line says anything about it. */
bool fer_embedder_is_named(const fer_app *app);

#define FER_EMBEDDER_WORDS 256 /* bytes of these texts, and a zero */

/* Who made the vectors that a catalogue's file has: "the embedder http, model m1, 64 numbers". */
void fer_embedder_who(const fer_vector_stats *v, char out[FER_EMBEDDER_WORDS]);
/* The options that name it: "--embedder URL --embedder-model m1". */
void fer_embedder_how(const fer_app *app, const fer_vector_stats *v, char out[FER_EMBEDDER_WORDS]);

/* The server that is asked for; `*out` NULL: none is, what is asked for is at hand. */
fer_code fer_embedder_choice_server(const fer_embedder_choice *choice, fer_embed_http **out,
                                    fer_err *err);

typedef struct fer_chosen_embedder {
    fer_embedder *embedder;
    fer_embedding at_hand;
    fer_embed_http *server; /* NULL: it is at hand */
} fer_chosen_embedder;

/* It stays where it is while it is open. */
fer_code fer_chosen_embedder_open(fer_chosen_embedder *e, const fer_embedder_choice *choice,
                                  fer_err *err);
/* Also of one that is all zero. */
void fer_chosen_embedder_close(fer_chosen_embedder *e);

#endif
