/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lexical ranker: BM25 over weighted fields, with what a query's neighbouring words and
 * clauses add to it (docs/search.md says how a score is made).
 *
 * An index is a frozen part, bytes that hold no pointers and so can be kept in a file and
 * mapped, and a tail of what was put or removed since, in memory. Both are searched together,
 * and what comes out is what an index made anew of the same documents would give. One thread
 * puts and removes; any number search meanwhile, each with a searcher of its own, and see a
 * document once its put has returned. When the tail has grown (fer_lexical_tail), the caller
 * freezes everything into new bytes, in its own time, opens these and swaps.
 *
 * What is left out on purpose: IDs, JSON, files, locks.
 */
#ifndef FER_LEXICAL_H
#define FER_LEXICAL_H

#include "arena.h"
#include "search_doc.h"
#include "wording.h"

typedef struct fer_lexical fer_lexical;
typedef struct fer_searcher fer_searcher;

#define FER_LEXICAL_DOCS_MAX  (UINT32_C(1) << 26) /* numbers of documents are below it */
#define FER_LEXICAL_HITS_MAX  1000                /* hits of one query */
#define FER_LEXICAL_QUERY_MAX FER_WORDING_MAX     /* bytes of a query that are read */

/* ---- the index ------------------------------------------------------------ */

/* An index with no document. NULL: no memory. */
FER_MUST_USE fer_lexical *fer_lexical_new(void);
/*
 * An index over frozen bytes, which are borrowed and must be aligned to 8. They may come from
 * anywhere: all that a search follows is checked first. FER_INVALID_FORMAT: they are no index,
 * or one of another version.
 */
fer_code fer_lexical_open(fer_str frozen, fer_lexical **out, fer_err *err);
void fer_lexical_free(fer_lexical *ix);

/* Puts a document, in place of the one with that number where there is one. On failure nothing has
 * changed. */
fer_code fer_lexical_put(fer_lexical *ix, uint32_t number, const fer_search_doc *doc, fer_err *err);
/* Takes a document away; false: there is none of that number. */
bool fer_lexical_remove(fer_lexical *ix, uint32_t number);

/*
 * Many documents at once, for an index that nobody searches yet: several times as quick as putting
 * them one by one and freezing, and the same bytes. One thread.
 */
typedef struct fer_lexical_builder fer_lexical_builder;
/* For so many documents, or 0 where that is not known: more or fewer may come. NULL: no memory. */
FER_MUST_USE fer_lexical_builder *fer_lexical_builder_new(size_t docs);
void fer_lexical_builder_free(fer_lexical_builder *b);
/* Numbers may come in any order, each once. On failure the builder is only good for freeing. */
fer_code fer_lexical_builder_add(fer_lexical_builder *b, uint32_t number, const fer_search_doc *doc,
                                 fer_err *err);
/* The same for documents with numbers from `first` on: what comes next is on its way from memory.
 */
fer_code fer_lexical_builder_add_all(fer_lexical_builder *b, uint32_t first,
                                     const fer_search_doc *docs, size_t count, fer_err *err);
fer_code fer_lexical_builder_finish(fer_arena *a, fer_lexical_builder *b, fer_str *out,
                                    fer_err *err);

/* Everything as frozen bytes; the same documents give the same bytes, whatever was put when. */
fer_code fer_lexical_freeze(fer_arena *a, const fer_lexical *ix, fer_str *out, fer_err *err);

typedef struct fer_lexical_stats {
    size_t docs;   /* that can be found */
    size_t frozen; /* of them, in the frozen part */
    size_t tail;   /* documents put since, also those replaced or removed again */
    size_t terms;
    size_t postings;
    size_t bytes; /* frozen bytes and memory */
} fer_lexical_stats;
void fer_lexical_stat(const fer_lexical *ix, fer_lexical_stats *out);

/* Whether a document has the word, given as a stem (tokens.h). */
bool fer_lexical_has(const fer_lexical *ix, fer_str stem);

/* ---- searching ------------------------------------------------------------ */

/* What a search needs beside the index: a tokeniser and room to count. NULL: no memory. */
FER_MUST_USE fer_searcher *fer_searcher_new(void);
void fer_searcher_free(fer_searcher *s);
/* The request of the last search as it was taken apart, for who else reads it; good until the
 * next search, and as long as that request's text. */
const fer_wording *fer_searcher_wording(const fer_searcher *s);
/* Takes a request apart without searching. */
const fer_wording *fer_searcher_read(fer_searcher *s, fer_str text);

/* As fer_lexical_has, of a word of the request that was taken apart last: where it was searched
 * for in this index, that is known. */
bool fer_searcher_has(const fer_searcher *s, const fer_lexical *ix, size_t word);

typedef struct fer_lexical_query {
    fer_str text;
    size_t limit; /* hits wanted */
    /* Which documents may be hits; NULL: all. */
    bool (*accept)(void *context, uint32_t number);
    /* Which of two hits with the same score comes first; NULL: the one with the lower number. */
    bool (*before)(void *context, uint32_t one, uint32_t other);
    void *context;
    bool explain;
} fer_lexical_query;

/* One word of the query in one hit. */
typedef struct fer_lexical_why {
    fer_str word;    /* as the query has it, folded; two words for neighbours */
    fer_str matched; /* the term of the index; another one where a typo was forgiven */
    unsigned fields; /* bits: 1 << fer_search_field */
    double share;    /* of the hit's score */
} fer_lexical_why;

typedef struct fer_lexical_hit {
    uint32_t number;
    double score;
    bool named;                 /* the query is the tool's name */
    const fer_lexical_why *why; /* where the query asked for it; the largest share first */
    size_t why_count;
} fer_lexical_hit;

typedef struct fer_lexical_hits {
    const fer_lexical_hit *list; /* best first */
    size_t count;
    double possible; /* the score of a document that has every word of the query in its name */
    bool fits;       /* false: the best hit has too little of the query to be what is meant */
} fer_lexical_hits;

fer_code fer_lexical_search(fer_arena *a, const fer_lexical *ix, fer_searcher *s,
                            const fer_lexical_query *query, fer_lexical_hits *out, fer_err *err);

#endif
