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
#define FER_RANK_MARKED    0x80 /* with the mark below it */
#define FER_RANK_ELSEWHERE 0xFF
#define FER_RANK_RARITIES  512 /* counts of documents whose rarity is remembered */

/* A word that is looked for. Marks are numbered from 1 on, the query's own first; 0 is none. */
typedef struct fer_rank_mark {
    uint32_t number;  /* of the term in the part */
    uint16_t next;    /* in its bucket; of one that is not in the map */
    uint8_t term;     /* of the query */
    uint8_t likeness; /* of a word that is related to that term; 0: it is the term */
} fer_rank_mark;
static_assert(FER_QUERY_TERMS <= UINT8_MAX, "marks keep terms in a byte");

/* What is known of one of the query's own. */
typedef struct fer_rank_own {
    double rarity;
    uint64_t bit;    /* of the query's term, if it is one of the first 64 ... */
    uint64_t behind; /* ... and those of its terms that follow this one there */
} fer_rank_own;

/* And of a related one. */
typedef struct fer_rank_other {
    uint64_t stamp; /* the document in which it was met last */
    float worth;    /* at its best; below 0: nobody has asked yet */
    float count;    /* in that document */
} fer_rank_other;

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

typedef struct fer_rank {
    const fer_lexical *ix;
    const fer_query *query;
    size_t docs;       /* of which the rarities are */
    double name_worth; /* what is added for a whole name, among so many */
    bool tail;         /* which part the marks are of */
    bool steady;       /* it is the frozen one, and nobody has been put or removed since */
    bool names;        /* and as many documents as then: what it says of rarities holds */
    bool narrow;       /* all marks are in the map, and neighbours in the marks */
    bool scattered;    /* some marks are in the buckets */
    uint32_t name;     /* the number of the query as a name, or FER_NONE */
    const fer_rank_kernels *run;
    fer_rank_net net;  /* of the marks that are in the map */
    uint64_t stamp;    /* documents are counted and never the same */
    double alike[256]; /* what a related word is worth, by its likeness */
    size_t count, own_count;
    fer_rank_mark marks[FER_RANK_MARKS + 1];
    fer_rank_own own[FER_QUERY_TERMS + 2]; /* by mark; that of none is all 0 */
    fer_rank_other others[FER_RANK_MARKS + 1];
    uint16_t buckets[256];
    /* By unit of a record: FER_RANK_MARKED | the mark of that term; 0, as of most, there is none;
     * FER_RANK_ELSEWHERE: it is in the buckets, or the unit is no term. */
    uint8_t map[UINT16_MAX + 1];
    fer_rank_rarity rarities[FER_RANK_RARITIES];
    /* Words of the heads at hand, and places among them: of those that are neighbours of the one
     * before, and of those that are related to the query's. And some more of each. */
    fer_rank_word words[FER_RANK_LOT * FER_RANK_UNITS + FER_RANK_MORE];
    uint16_t pairs[FER_RANK_LOT * FER_RANK_UNITS + 1];
    uint16_t related[FER_RANK_LOT * FER_RANK_UNITS + 1];
    uint16_t room[FER_RANK_LOT][FER_RANK_UNITS]; /* of heads behind which not as much can be read */
} fer_rank;

/* A rank starts with all bytes 0, then: */
void fer_rank_init(fer_rank *r);

/* Marks the words of the query, and those related to them, as one part numbers them. */
void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail);
/* What documents of that part are worth; whether the query names them. */
void fer_rank_docs(fer_rank *r, fer_rank_doc *docs, size_t count);

#endif
