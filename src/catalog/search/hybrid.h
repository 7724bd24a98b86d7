/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search over several rankers: words, vectors, and the memory of past calls. What is not
 * there (vectors that are not made yet, a memory nobody asked for) is left out, and the type of
 * the scores says what was used. A long request is cut into clauses, and a tool is as near as the
 * nearest of them.
 */
#ifndef FER_HYBRID_H
#define FER_HYBRID_H

#include "fuse.h"

#define FER_HYBRID_CLAUSES 3 /* of a request, beside the whole of it; the last holds the rest */

/* Of a request that are read; those behind them are left out. */
#define FER_HYBRID_WORDS FER_EMBED_STEMS

typedef enum fer_ranker {
    FER_RANKER_BM25,
    FER_RANKER_EMBEDDING,
    FER_RANKER_HYBRID,
    FER_RANKER_COUNT
} fer_ranker;
/* By ranker, and NULL behind the last. */
extern const char *const fer_ranker_names[FER_RANKER_COUNT + 1];

/* The parts; all borrowed, the last four used by one thread at a time. */
typedef struct fer_hybrid {
    const fer_lexical *lexical;
    const fer_vectors *vectors; /* NULL: none */
    fer_searcher *searcher;
    fer_embedder *embedder; /* what made the vectors; NULL: none */
    fer_tokeniser *tokeniser;
    fer_usage *usage; /* NULL: none */
} fer_hybrid;

typedef struct fer_hybrid_query {
    fer_lexical_query base; /* text, limit, accept, before, context, explain */
    fer_ranker ranker;
    uint64_t (*content)(void *context, uint32_t number); /* see fer_fuse_input */
} fer_hybrid_query;

typedef struct fer_hybrid_hits {
    fer_fused_hits fused;
    fer_lexical_hits lexical; /* why a hit matched, by number; none for the embedding ranker */
} fer_hybrid_hits;

fer_code fer_hybrid_search(fer_arena *a, const fer_hybrid *h, const fer_hybrid_query *query,
                           fer_hybrid_hits *out, fer_err *err);

/* After this query the document was called, with success. Searches once more, without the memory:
 * what would have been found otherwise is what its votes are held against. */
fer_code fer_hybrid_note(fer_arena *a, const fer_hybrid *h, fer_str query, uint32_t number,
                         fer_err *err);

/* The same, without the search: nothing is learnt about what votes are worth. */
fer_code fer_hybrid_remember(const fer_hybrid *h, fer_str query, uint32_t number, fer_err *err);

/* What vectors are made from: the stems of a request, and its clauses of which each says
 * something. Borrows the request. */
typedef struct fer_hybrid_words {
    fer_str stems[FER_HYBRID_WORDS];  /* what is left without stop words and filler */
    uint8_t tenths[FER_HYBRID_WORDS]; /* what each counts in a vector */
    uint16_t words[FER_HYBRID_WORDS]; /* of the request, whose stems they are */
    size_t count;
    struct {
        fer_str text;
        size_t from, to; /* its stems */
    } clauses[FER_HYBRID_CLAUSES];
    size_t clause_count; /* 0 where the request is one */
} fer_hybrid_words;

void fer_hybrid_read(fer_hybrid_words *w, const fer_wording *request);
/* Words that no document has count less. The searcher has taken the request apart. */
void fer_hybrid_weigh(fer_hybrid_words *w, const fer_searcher *s, const fer_lexical *ix);

#endif
