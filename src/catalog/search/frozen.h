/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frozen part of an index: bytes without pointers.
 *
 *     header | terms | texts of terms | slots | runs | bits | postings | names |
 *     where records are | records
 *
 * Terms are numbered by how many documents have them, the most first. `slots` is a hash table
 * of their numbers, with some bits of the hash in front of each, so that few others are looked at.
 * A posting is a document and a level (weigh.h). A term that many documents have keeps 16 bits
 * for each posting and, for every window of 2048 documents, where its postings begin (`runs`); a
 * rarer one keeps 32 bits for each posting and no runs, and one of a single document has its
 * posting in place of where they begin. Of every term is known how high its levels go. The first
 * terms, which many documents have, also keep a bit for each document (`bits`): who asks whether
 * one has it mostly hears no. A document's record is the order of its words (record.h); of its name
 * is also kept how rare its words are together, among the documents that are frozen here.
 *
 * The bytes may be anybody's. Opening checks that the sections lie inside of them, and nothing
 * else, so that it takes no time; whoever follows a number checks it: the functions here do,
 * and what is out of bounds is as if it were not there.
 */
#ifndef FER_FROZEN_H
#define FER_FROZEN_H

#include "arena.h"
#include "record.h"
#include "weigh.h"

#define FER_WINDOW_BITS 11
#define FER_WINDOW      (1U << FER_WINDOW_BITS)
#define FER_NONE        UINT32_MAX
#define FER_NUMBERS_MAX (UINT32_C(1) << 26) /* numbers of documents are below it */

struct fer_frozen_term {
    uint32_t text;     /* where its text begins; it ends where the next one's does */
    uint32_t df;       /* documents that have it */
    uint32_t postings; /* where they begin, in units of 16 bits; of one document, the posting */
    uint16_t run;      /* its row of runs; FER_FROZEN_FLAT: it has none */
    uint16_t levels;   /* its highest, and those of its best: see fer_frozen_level */
};
#define FER_FROZEN_FLAT UINT16_MAX

/* Postings of a term whose levels are kept: so many have at least that. */
enum {
    FER_FROZEN_TOP,
    FER_FROZEN_FEW,
    FER_FROZEN_MORE,
    FER_FROZEN_LEVELS
};
#define FER_FROZEN_FEW_COUNT  24 /* as many as a search for ten looks at twice */
#define FER_FROZEN_MORE_COUNT 36 /* and one by words and meaning */
static inline unsigned fer_frozen_level(uint16_t levels, unsigned which)
{
    return levels >> which * FER_LEVEL_BITS & (FER_LEVELS - 1);
}

typedef struct fer_frozen {
    size_t bytes;
    uint32_t numbers; /* of documents are below it */
    uint32_t docs;    /* that are there */
    uint32_t term_count;
    uint32_t windows; /* numbers / FER_WINDOW, rounded up */
    uint32_t run_rows;
    uint32_t bit_rows;   /* terms below it have bits */
    uint32_t slot_count; /* a power of two */
    uint64_t seed[2];
    size_t text_size, posting_count, record_units;
    const struct fer_frozen_term *terms; /* and one more behind the last */
    const char *texts;
    const uint32_t *slots; /* bits of the hash | term + 1; 0: empty */
    uint32_t slot_number;  /* the bits of a slot that are the term's */
    const uint32_t *runs;  /* windows + 1 a row, relative to the term's postings */
    const uint64_t *bits;  /* FER_WINDOW bits for each window, a row */
    const uint16_t *postings;
    const double *names;       /* numbers of them; of hostile bytes, anything */
    const uint32_t *record_at; /* numbers + 1 */
    const uint16_t *records;
} fer_frozen;

/* FER_INVALID_FORMAT: no index, or of another version. */
fer_code fer_frozen_open(fer_str bytes, fer_frozen *out, fer_err *err);

/* The number of a term, or FER_NONE. */
uint32_t fer_frozen_find(const fer_frozen *f, fer_str term);
fer_str fer_frozen_text(const fer_frozen *f, uint32_t term);
/* A document's record, of no units where there is none. */
fer_record fer_frozen_record(const fer_frozen *f, uint32_t number);

/* The postings of one term, of one of the two kinds. */
typedef struct fer_frozen_list {
    uint32_t df;
    uint16_t levels;          /* see fer_frozen_level */
    const uint32_t *flat;     /* df of them, number << 5 | level; NULL: it has runs */
    const uint32_t *runs;     /* where the postings of each window begin */
    const uint64_t *bits;     /* which documents have it; NULL: nobody knows */
    const uint16_t *postings; /* number in the window << 5 | level */
} fer_frozen_list;
/* Nothing (df 0) where it would leave the bytes. */
fer_frozen_list fer_frozen_postings(const fer_frozen *f, uint32_t term);

/* The postings of a window among `list`'s runs. */
typedef struct fer_frozen_run {
    const uint16_t *postings;
    uint32_t count;
} fer_frozen_run;
static inline fer_frozen_run fer_frozen_window(const fer_frozen_list *list, uint32_t window)
{
    uint32_t from = list->runs[window], to = list->runs[window + 1];
    if (from > to || to > list->df) return (fer_frozen_run){list->postings, 0};
    return (fer_frozen_run){list->postings + from, to - from};
}

/* Whether a document of a window is among them, of a list with bits. */
static inline bool fer_frozen_bit(const fer_frozen_list *list, uint32_t window, uint32_t at)
{
    return list->bits[(size_t)window * (FER_WINDOW / 64) + at / 64] >> (at % 64) & 1;
}

/* ---- making it -------------------------------------------------------------- */

struct fer_frozen_entry {
    fer_str text;
    uint32_t df;
};

/* What goes in. */
typedef struct fer_frozen_source {
    uint32_t numbers, docs, term_count;
    const struct fer_frozen_entry *terms; /* by their numbers */
    const uint32_t *record_at;            /* numbers + 1 */
    const uint16_t *records;              /* record_at[numbers] units */
    /* The postings of a term, number << 5 | level, ascending; df of them. NULL: no memory. */
    const uint32_t *(*postings)(void *context, uint32_t term);
    void *context;
} fer_frozen_source;

fer_code fer_frozen_write(fer_arena *a, const fer_frozen_source *source, fer_str *out,
                          fer_err *err);

#endif
