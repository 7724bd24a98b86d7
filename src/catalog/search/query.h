/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query as the ranker sees it: its words once each, what each is worth in this index, and which
 * of them are neighbours.
 */
#ifndef FER_QUERY_H
#define FER_QUERY_H

#include "lexical_parts.h"
#include "needs.h"

#define FER_QUERY_TERMS 250 /* different words; those behind them are not looked for */
#define FER_QUERY_PAIRS 128
#define FER_QUERY_SPACE 8 /* words of a namespace in front of a name */
static_assert(FER_QUERY_TERMS < 255, "words keep terms in a byte");

typedef struct fer_query_term {
    fer_str word;         /* as the query has it, folded */
    fer_str text;         /* the stem that is looked for */
    uint32_t frozen;      /* its number there, or FER_NONE */
    const fer_term *tail; /* or NULL */
    uint32_t related;     /* its number in related.h, or FER_RELATED_NONE */
    size_t df;
    float count; /* times in the query; less for numbers and what is quoted */
    double rarity;
    double weight; /* what a full match is worth; 0: nobody has it */
    bool name;     /* it is the whole query as a name (intake.h) */
    bool forgiven; /* another word than the query's: a typo, a beginning, a part, a stand-in */
    bool stand_in; /* it is related to a word that nobody has */
} fer_query_term;

/* A word where only its numbers matter. */
typedef struct fer_query_number {
    uint32_t frozen;
    const fer_term *tail;
} fer_query_number;

typedef struct fer_query {
    fer_query_term terms[FER_QUERY_TERMS + 1]; /* and one for the name */
    size_t count;
    struct {
        uint8_t first, second; /* terms */
    } pairs[FER_QUERY_PAIRS];
    size_t pair_count;
    size_t name;  /* the term that is the whole query as a name; SIZE_MAX: there is none */
    double mass;  /* of all weights, those of unknown words guessed */
    double known; /* of the words that some document has */
    /* Where the query is namespace:name, the words of the namespace. */
    fer_query_number space[FER_QUERY_SPACE];
    size_t space_count;
    uint8_t of_word[FER_WORDING_WORDS]; /* terms of the request's words, + 1; 0: none */
    size_t text_len;
    char text[FER_QUERY_TERMS * (FER_TOKEN_MAX + 1) / 8]; /* of words that were mended */
} fer_query;

void fer_query_read(fer_query *q, const fer_lexical *ix, fer_tokeniser *t,
                    const fer_wording *request);
/* One need of a query that was read. Mistakes are not mended and names not looked for again. */
void fer_query_read_need(fer_query *q, const fer_query *whole, const fer_wording *request,
                         const fer_need *need);

/* What a word counts that a query has so many times. */
double fer_query_saturate(float count);

#endif
