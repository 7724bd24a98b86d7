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
#include "rank_kernels.h"
#include "related.h"
#include "sweep.h"

#define FER_RANK_MARKS                                                                             \
    1024 /* words that are looked for in records: the query's and related ones                     \
          */
#define FER_RANK_MARKED    0x80 /* with the mark, + 1, below it */
#define FER_RANK_ELSEWHERE 0xFF
#define FER_RANK_RARITIES  512 /* counts of documents whose rarity is remembered */

typedef struct fer_rank_mark {
    uint32_t number;  /* of the term in the part */
    uint16_t next;    /* in its bucket, + 1; of one that is not in the map */
    uint16_t term;    /* of the query */
    bool own;         /* it is that term; else one related to it */
    uint8_t likeness; /* of a related one */
    float worth;      /* of a related one, at its best; below 0: not known yet */
    float count;      /* in the document that is looked at */
    uint32_t stamp;   /* which document that is */
    double rarity;    /* of the query's term */
    uint64_t bit;     /* of the query's term, if it is one of the first 64 ... */
    uint64_t behind;  /* ... and those of its terms that follow this one there */
} fer_rank_mark;

/* How rare words are that `df` - 1 documents have; 0: nobody is here. */
typedef struct fer_rank_rarity {
    size_t df;
    double rarity;
} fer_rank_rarity;

/* A document that is looked at. */
typedef struct fer_rank_doc {
    uint32_t number; /* of the index */
    bool named;      /* the query names it */
    fer_record record;
    double worth; /* by the first round, then by the second */
} fer_rank_doc;

/* A marked word of one of several heads. */
typedef struct fer_rank_word {
    uint16_t place; /* the head, and the place in it */
    uint16_t mark;  /* as in the map */
} fer_rank_word;
#define FER_RANK_LOT 32 /* heads that are looked at together */

typedef struct fer_rank {
    const fer_lexical *ix;
    const fer_query *query;
    size_t docs;       /* of which the rarities are */
    double name_worth; /* what is added for a whole name, among so many */
    bool tail;         /* which part the marks are of */
    bool steady;       /* it is the frozen one, and nobody has been put or removed since */
    bool names;        /* and as many documents as then: what it says of names holds */
    bool narrow;       /* all marks are in the map, and neighbours in the marks */
    bool scattered;    /* some marks are in the buckets */
    const fer_rank_kernels *run;
    fer_rank_net net; /* of the marks that are in the map */
    uint32_t stamp;
    size_t count;
    fer_rank_mark marks[FER_RANK_MARKS];
    uint16_t buckets[256];
    /* By unit of a record: FER_RANK_MARKED | the mark of that term, + 1; 0, as of most, there is
     * none; FER_RANK_ELSEWHERE: it is in the buckets, or the unit is no term. */
    uint8_t map[UINT16_MAX + 1];
    fer_rank_rarity rarities[FER_RANK_RARITIES];
    /* Words of the heads at hand, and places among them: of those that are neighbours of the one
     * before, and of those that are related to the query's. And one more of each. */
    fer_rank_word words[FER_RANK_LOT * FER_RANK_UNITS + 1];
    uint16_t pairs[FER_RANK_LOT * FER_RANK_UNITS + 1];
    uint16_t others[FER_RANK_LOT * FER_RANK_UNITS + 1];
} fer_rank;

/* A rank starts with all bytes 0, then: */
void fer_rank_init(fer_rank *r);

/* Marks the words of the query, and those related to them, as one part numbers them. */
void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail);
/* What documents of that part are worth; whether the query names them. */
void fer_rank_docs(fer_rank *r, fer_rank_doc *docs, size_t count);

#endif
