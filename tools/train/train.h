/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training of the built-in embedding model, without labels: two views of one tool's texts are
 * pulled together, views of different tools apart (docs/MODEL.md says how and why).
 *
 * One thread; random numbers, sums and the few functions beyond + - * / and root are our own, so
 * the same corpora give the same bytes on every machine.
 *
 *     corpus.c    tools.jsonl -> words of each tool, and the dictionary
 *     given.c     vectors of words that were learnt elsewhere, to start from
 *     views.c     a tool -> two bags of words
 *     contrast.c  a batch of pairs -> loss, and a step of the words' vectors
 *     train.c     the command, and the model file
 */
#ifndef FER_TRAIN_H
#define FER_TRAIN_H

#include "arena.h"
#include "map.h"
#include "search_doc.h"

enum {
    TRAIN_DIMS = 128,
    TRAIN_GIVEN = 100, /* numbers of a vector that was learnt elsewhere */
    TRAIN_BATCH_MAX = 4096
};

typedef struct train_options {
    const char *out, *start;       /* start: vectors of words to start from, or NULL */
    unsigned epochs, batch, least; /* least: tools that have a word, or it is left out */
    unsigned near;  /* tools that stay together in a batch, as they were in the file */
    unsigned plain; /* 1: as on a processor without AVX2 */
    float rate, heat, drop, noise;
    unsigned most; /* words that are taken from there, the most common ones */
    float size;    /* of rows of words that no tool has, next to those of rare ones */
    float shared;  /* of the query's words that the tool has too: how many are taken out */
} train_options;

/* ---- numbers ---- */

typedef struct train_random {
    uint64_t state;
} train_random;

static inline uint32_t train_next(train_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)(r->state >> 32);
}
/* Below 1. */
static inline float train_part(train_random *r)
{
    return (float)(train_next(r) >> 8) * (1.0f / 16777216);
}
static inline uint32_t train_below(train_random *r, uint32_t n)
{
    return (uint32_t)((uint64_t)train_next(r) * n >> 32);
}

/* ---- the corpus ---- */

typedef struct train_word {
    uint32_t id;
    uint8_t field;    /* fer_search_field */
    uint8_t sentence; /* of its text, from 0 */
} train_word;

typedef struct train_doc {
    const train_word *words;
    uint32_t count;
} train_doc;

typedef struct train_corpus {
    fer_arena *arena;
    train_doc *docs;
    size_t count, cap;
    fer_map ids;     /* stem -> ID + 1 */
    fer_str *stems;  /* by ID */
    uint32_t *tools; /* by ID: how many have it; 0: left out */
    size_t words, words_cap;
    size_t skipped, doubles;
    float *given;       /* by ID: TRAIN_GIVEN numbers; NULL: none were given */
    float *given_share; /* by ID: what they were weighed with; 0: none */
} train_corpus;

fer_code train_corpus_read(train_corpus *c, char *const *paths, size_t count, fer_err *err);
/* The ID of a stem, made where it is new; UINT32_MAX: no memory. */
uint32_t train_corpus_id(train_corpus *c, fer_str stem);
/* How many tools have each word; when all words are there. */
fer_code train_corpus_count(train_corpus *c, fer_err *err);
/* Leaves words out that fewer tools have. */
void train_corpus_trim(train_corpus *c, uint32_t least);

/* ---- vectors from elsewhere ---- */

/* The first `most` lines; words that no tool has become words of the corpus. */
fer_code train_given_read(train_corpus *c, const char *path, size_t most, fer_err *err);
bool train_given_has(const train_corpus *c, size_t word);
/* Directions of length 1 from what was read; when the corpus is trimmed. */
void train_given_settle(train_corpus *c);
/* Rows for words that too few tools have, from the rows of the others. */
fer_code train_given_map(const train_corpus *c, float *rows, float size, fer_err *err);

/* ---- views ---- */

enum {
    TRAIN_BAG_MAX = 512
};

typedef struct train_bag {
    uint32_t count;
    struct {
        uint32_t id;
        float weight; /* at first how often, then its root */
    } words[TRAIN_BAG_MAX];
    float sum[TRAIN_DIMS], length;
} train_bag;

/* False: the tool has too few words for two views. */
bool train_views(const train_corpus *c, const train_options *o, train_random *r,
                 const train_doc *doc, train_bag *query, train_bag *about);

/* ---- vectors ---- */

typedef struct train_vectors {
    float *rows, *heat; /* words x dims: vectors, and the squares of their steps so far */
    float *query, *about, *turned, *query_step, *about_step; /* batch x dims */
    float *near;                                             /* batch x batch */
    double *down;                                            /* batch */
} train_vectors;

fer_code train_vectors_init(train_vectors *v, const train_corpus *c, const train_options *o,
                            train_random *r, fer_err *err);
/* Returns the loss of the batch. */
double train_step(train_vectors *v, const train_options *o, float rate, train_bag *query,
                  train_bag *about);

#endif
