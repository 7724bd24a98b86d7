/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents taken in: their texts become numbers of terms, weighted counts and a record. A text
 * that another document had is not read again, where there is a memo (text_memo.h). A word
 * that has been seen before costs a look into one table; a new one is stemmed and becomes a term.
 * Words are looked up in lots, so that what is known of one is on its way while others are read:
 * the table is larger than the caches near a core. One thread.
 */
#ifndef FER_INTAKE_H
#define FER_INTAKE_H

#include "frozen.h"
#include "map.h"
#include "met_words.h"
#include "record.h"
#include "terms.h"
#include "text_memo.h"

#define FER_INTAKE_LOT 256 /* words that wait at most */
/* Beside the number of a term: the word is a sign, or a pair of them. */
#define FER_INTAKE_SIGN (UINT32_C(1) << 31)

/* A text, or what goes on of it: terms that are known, or words that wait. */
struct fer_intake_piece {
    const uint32_t *terms; /* with FER_INTAKE_SIGN, FER_MEMO_LOT at once; NULL: looked for */
    uint32_t count;        /* of these, or of words */
    uint8_t field;
    bool begins;
    bool whole;              /* it is to be remembered */
    const fer_memo_key *key; /* under which */
};

/* Texts of the document at hand that wait to be counted. */
struct fer_intake_lot {
    size_t words, pieces;
    size_t known; /* terms of pieces that are known */
    fer_token_key word[FER_INTAKE_LOT];
    uint64_t hashes[FER_INTAKE_LOT]; /* of the words */
    uint8_t kinds[FER_INTAKE_LOT];   /* FER_TOKEN_WORD also for numbers, ... */
    bool mixed;                      /* ... and for all, where this is not set */
    uint32_t found[FER_INTAKE_LOT];  /* what they are; FER_NONE: stop words */
    uint16_t at[FER_INTAKE_LOT + 1]; /* where the terms are from a word on */
    uint16_t missing[FER_INTAKE_LOT];
    uint32_t terms[FER_INTAKE_LOT + FER_MEMO_LOT]; /* without stop words */
    struct fer_intake_piece piece[FER_INTAKE_LOT];
    struct fer_intake_piece *read[FER_INTAKE_LOT]; /* those that are looked for */
    size_t reads;
};

/* A text of the document at hand, in the order of fields. */
struct fer_intake_order {
    const fer_search_text *text;
    fer_memo_key key;
    bool kept; /* it may be remembered */
};

/* Where a term stands in the document that is taken in. */
struct fer_intake_mark {
    uint32_t stamp; /* which document that was << FER_INTAKE_AT | where */
    uint32_t docs;  /* in how many it was met */
};
#define FER_INTAKE_AT 12 /* bits */
static_assert(FER_RECORD_WORDS <= 1 << FER_INTAKE_AT, "a document's terms have places");

typedef struct fer_intake {
    fer_arena *arena;
    fer_tokeniser *tokeniser;
    fer_terms *terms;         /* NULL: terms are numbered here ... */
    uint32_t term_count;      /* ... and these are so many, */
    fer_map long_terms;       /* numbers + 1 of those that are too long to be words */
    const fer_frozen *frozen; /* where terms have other numbers, which they remember */
    fer_text_memo *memo;      /* NULL: none */
    fer_words words_met;
    struct fer_intake_mark *marks; /* by number of term */
    size_t mark_count;             /* a power of two, where there are any */
    uint32_t stamp;                /* with the place 0 */
    /* The document that was read last, and its terms: numbers, weighted counts (very many for
     * a whole name), bits of the fields behind the head that have them; the latter two are zeros
     * behind the last. */
    size_t count;
    float length;
    fer_record record;
    uint32_t numbers[FER_RECORD_WORDS];
    float counts[FER_RECORD_WORDS];
    uint16_t fields[FER_RECORD_WORDS];
    uint32_t gathered[FER_RECORD_WORDS + FER_MEMO_LOT]; /* terms of pieces of one field */
    size_t words;
    bool starts; /* no word of the text at hand was recorded */
    struct fer_intake_order *order;
    size_t order_cap;
    struct fer_intake_lot lot;
    fer_record_writer writer;
} fer_intake;

/* Of zeros; everything is borrowed. Documents go to the tail of an index ... */
void fer_intake_init(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_terms *terms,
                     const fer_frozen *frozen);
/* ... or there are many, with a memo for their texts, and nothing but their terms is wanted. So
 * many slots for words, a power of two. */
void fer_intake_init_many(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_text_memo *memo,
                          uint32_t slots);
/* False: no memory. */
bool fer_intake_read(fer_intake *in, const fer_search_doc *doc);
/* The term of a text in the tail, made where it is new. NULL: no memory. */
fer_term *fer_intake_term_of(fer_intake *in, fer_str text);

/* Begins a round in which each term is met once: fer_intake_meet says whether for the first time.
 */
void fer_intake_round(fer_intake *in);
/* False: it was met before, or there is no memory. */
bool fer_intake_meet(fer_intake *in, uint32_t term);

/* ---- names ---------------------------------------------------------------------- */

/*
 * A tool's whole name is a term too, for finding the one that is named exactly: FER_NAME_MARK and
 * a hash of its folded words. No word begins with that byte. The hash is always the same, for
 * the same documents shall make the same index.
 */
#define FER_NAME_MARK  '\1'
#define FER_NAME_BYTES 9
#define FER_NAME_WORDS 24 /* names of more words are not looked up */

typedef struct fer_name {
    uint64_t hash;
    size_t words;
} fer_name;
/* A word as tokens have it, with zeros behind it. */
void fer_name_add(fer_name *n, fer_str word);
/* The term; empty: the name has no words, or too many. */
fer_str fer_name_term(const fer_name *n, char out[FER_NAME_BYTES]);

#endif
