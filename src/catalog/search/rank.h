/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second round of a search: the candidates of the first (sweep.h) are looked at one by one,
 * in the order of their words. Added are neighbours in the query that are neighbours in the
 * document, and words that are related to those of the query; a document whose name is
 * made of words of the query is worth more.
 */
#ifndef FER_RANK_H
#define FER_RANK_H

#include "query.h"
#include "related.h"
#include "sweep.h"

#define FER_RANK_MARKS                                                                             \
    1024 /* words that are looked for in records: the query's and related ones                     \
          */
#define FER_RANK_RARITIES 256 /* counts of documents whose rarity is remembered */

typedef struct fer_rank_mark {
    uint32_t number;  /* of the term in the part */
    uint16_t next;    /* in its bucket, + 1 */
    uint16_t term;    /* of the query */
    bool own;         /* it is that term; else one related to it */
    uint8_t likeness; /* of a related one */
    float worth;      /* of a related one, at its best; below 0: not known yet */
    float count;      /* in the document that is looked at */
    uint32_t stamp;   /* which document that is */
} fer_rank_mark;

typedef struct fer_rank {
    const fer_lexical *ix;
    const fer_query *query;
    size_t docs;
    bool tail; /* which part the marks are of */
    uint32_t stamp;
    size_t count;
    fer_rank_mark marks[FER_RANK_MARKS];
    uint16_t buckets[256];
    /* A bit for the low 16 bits of each mark's number, and for all units that are no term: most
     * words of most documents have none. */
    uint64_t bits[1024];
    double rarity[FER_RANK_RARITIES]; /* of words that so many documents have, where it is known */
    size_t rarity_docs;               /* of an index of so many */
} fer_rank;

/* A rank starts with all bytes 0, then: */
void fer_rank_init(fer_rank *r);

/* Marks the words of the query, and those related to them, as one part numbers them. */
void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail);
/* What a document of that part is worth, of which the first round said `worth`; whether the query
 * names it. */
double fer_rank_doc(fer_rank *r, fer_record record, double worth, bool *named);

#endif
