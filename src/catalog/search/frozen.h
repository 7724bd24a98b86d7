/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frozen part of an index: bytes without pointers.
 *
 *     header | terms | their levels | single terms | texts of terms | slots | runs | bits |
 *     postings | names | where records are | records
 *
 * Terms are numbered by how many documents have them, the most first; the last ones, which are
 * most of them, have a single document, and nothing is kept of these but text and posting. `slots`
 * is a hash table of numbers, with some bits of the hash in front of each, so that few others are
 * looked at. A posting is a document and a level (weigh.h). The first terms, which many documents
 * have, keep 16 bits for each posting and, for every window of 2048 documents, where its postings
 * begin (`runs`); rarer ones keep 32 bits for each posting and no runs. Of every term is known how
 * high its levels go. The very first terms also keep a bit for each document (`bits`): who asks
 * whether one has it mostly hears no. A document's record is the order of its words (record.h); of
 * its name is also kept how rare its words are together, among the documents that are frozen here.
 *
 * The bytes may be anybody's. Opening checks that the sections lie inside of them, and nothing
 * else, so that it takes no time; whoever follows a number checks it: the functions here do,
 * and what is out of bounds is as if it were not there.
 */
#ifndef FER_FROZEN_H
#define FER_FROZEN_H

#include "arena.h"
#include "record.h"
#include "term_order.h"
#include "tokens.h"
#include "weigh.h"

#define FER_WINDOW_BITS 11
#define FER_WINDOW      (1U << FER_WINDOW_BITS)
#define FER_NONE        UINT32_MAX
#define FER_NUMBERS_MAX (UINT32_C(1) << 26) /* numbers of documents are below it */

/* A term that several documents have. */
struct fer_frozen_term {
    uint32_t text;     /* where its text begins; it ends where the next one's does */
    uint32_t df;       /* documents that have it */
    uint32_t postings; /* where they begin, in units of 16 bits */
};

/* One of a single document. */
struct fer_frozen_single {
    uint32_t text;
    uint32_t posting; /* number << 5 | level */
};

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
    uint32_t shared;     /* terms below it have several documents, */
    uint32_t run_rows;   /* those below this one runs, */
    uint32_t bit_rows;   /* and those below this one bits too */
    uint32_t windows;    /* numbers / FER_WINDOW, rounded up */
    uint32_t slot_count; /* a power of two */
    uint64_t seed[2];
    size_t text_size, posting_count, record_units;
    const struct fer_frozen_term *terms; /* that are shared, */
    const uint16_t
        *levels; /* and the highest of each and those of its best: see fer_frozen_level */
    const struct fer_frozen_single *singles; /* the others, and one more behind the last */
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

/* How many documents have a term of these. */
static inline uint32_t fer_frozen_df(const fer_frozen *f, uint32_t term)
{
    return term < f->shared ? f->terms[term].df : 1;
}
/* Asks for what is known of a term. */
static inline void fer_frozen_fetch(const fer_frozen *f, uint32_t term)
{
    /* One address or the other: which of them is not for a branch to foresee. */
    size_t at = term < f->term_count ? term - f->shared : 0;
    uintptr_t shared = (uintptr_t)f->terms + term * sizeof *f->terms;
    uintptr_t single = (uintptr_t)f->singles + at * sizeof *f->singles;
    __builtin_prefetch((const void *)(term < f->shared ? shared : single));
}

/* False: no term has that hash (fer_token_hash, with the seed). Who asks for what is hardly ever
 * there asks this first. */
bool fer_frozen_may_have(const fer_frozen *f, uint64_t hash);
/* The same of many words: the places of those that may be there, in their order; how many. */
size_t fer_frozen_sift(const fer_frozen *f, const fer_token_key *words, size_t count,
                       uint16_t *places);
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
static inline fer_frozen_list fer_frozen_single_posting(const struct fer_frozen_single *s)
{
    return (fer_frozen_list){
        .df = 1, .levels = (uint16_t)(s->posting % FER_LEVELS), .flat = &s->posting};
}
/* Nothing (df 0) where it would leave the bytes. Asked for each word of a query, and so here. */
static inline fer_frozen_list fer_frozen_postings(const fer_frozen *f, uint32_t term)
{
    const fer_frozen_list nothing = {0};
    if (term >= f->term_count) return nothing;
    if (term >= f->shared) return fer_frozen_single_posting(&f->singles[term - f->shared]);
    const struct fer_frozen_term *t = &f->terms[term];
    size_t units = term < f->run_rows ? 1 : 2;
    if (t->postings > f->posting_count || f->posting_count - t->postings < units * t->df)
        return nothing;
    const uint16_t *at = f->postings + t->postings;
    if (term >= f->run_rows) {
        if (t->postings & 1) return nothing;
        return (fer_frozen_list){.df = t->df, .levels = f->levels[term], .flat = (const void *)at};
    }
    size_t row = (size_t)f->windows * (FER_WINDOW / 64);
    return (fer_frozen_list){.df = t->df,
                             .levels = f->levels[term],
                             .bits = term < f->bit_rows ? f->bits + term * row : NULL,
                             .runs = f->runs + (size_t)term * (f->windows + 1),
                             .postings = at};
}

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

/* What goes in: terms first, then lists and records in any order, then the end. */
typedef struct fer_frozen_source {
    uint32_t numbers, docs, term_count;
    const fer_term_place *terms; /* in their order */
    bool padded; /* behind texts of less than FER_TOKEN_KEY bytes there are zeros, so many */
    size_t record_units; /* of all records, or more */
} fer_frozen_source;

/* Bytes that are being written. */
typedef struct fer_frozen_writer {
    fer_arena *arena;
    const fer_frozen_source *source;
    uint32_t shared, run_rows, bit_rows, windows; /* see fer_frozen */
    char *bytes;
    struct fer_frozen_term *terms;
    uint16_t *levels;
    struct fer_frozen_single *singles;
    uint32_t *runs;
    uint64_t *bits;
    uint16_t *postings;
    double *names;
    uint32_t *record_at;
    uint16_t *records;
} fer_frozen_writer;

/* Makes room for all of it and writes what is known of the terms. The source is borrowed. */
fer_code fer_frozen_begin(fer_frozen_writer *w, fer_arena *a, const fer_frozen_source *source,
                          fer_err *err);

/*
 * The postings of a term, number << 5 | level, ascending, as many as documents have it. Who has
 * documents rather than lists writes each posting to its place: units of 16 bits from the beginning
 * of the bytes, one for a posting of a term with runs, two for another one. At the end of each
 * window it says how many postings of a term with runs there are up to it.
 */
void fer_frozen_put_list(fer_frozen_writer *w, uint32_t term, const uint32_t *list);
uint32_t fer_frozen_place(const fer_frozen_writer *w, uint32_t term);
void fer_frozen_end_window(fer_frozen_writer *w, uint32_t term, uint32_t window, uint32_t count);

/* Where the record of a document goes, and that it is there. They come by their numbers, one for
 * each, and may be of no units. */
uint16_t *fer_frozen_record_place(const fer_frozen_writer *w, uint32_t number);
void fer_frozen_end_record(fer_frozen_writer *w, uint32_t number, size_t units);

/* What follows from the lists and records. The bytes, of the arena. */
fer_str fer_frozen_end(fer_frozen_writer *w);

#endif
