/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is remembered of a document beside postings: its words in their order, as numbers of
 * terms. The head is the words of name, namespace, title, tags, category and description, in
 * this order and at most FER_RECORD_HEAD of them; behind it, the terms of the other fields, and
 * of what did not fit into the head, once for each field. Neighbours are looked for in the head;
 * the whole says which terms a document has.
 *
 * Units of 16 bits: the document's weighted length, doubled; how many units the head has; the
 * term of the whole name; the head; the tail. A term below 0xF000 is one unit, any other two:
 * 0xF100 + its high bits, its low 16. 0xF000 + field says that a text of a field begins, in the
 * tail that its terms do; in the place of the name it says that there is none.
 */
#ifndef FER_RECORD_H
#define FER_RECORD_H

#include <assert.h>
#include <string.h>

#include "search_doc.h"

#define FER_RECORD_HEAD  64   /* words of the head */
#define FER_RECORD_WORDS 4096 /* words of a document; those behind them are left out */
#define FER_RECORD_UNITS (2 * FER_RECORD_WORDS + 128) /* that a record can have */
#define FER_RECORD_MARK  0xF000U                      /* units from here on are no terms */
#define FER_RECORD_WIDE  0xF100U                      /* and from here on, the first half of one */
#define FER_RECORD_TERMS (UINT32_C(0xEFF) << 16)      /* numbers of terms are below it */

typedef struct fer_record {
    const uint16_t *units;
    size_t count; /* 0: there is none */
} fer_record;

typedef struct fer_record_reader {
    const uint16_t *at, *end, *head_end;
    uint32_t name; /* the term of the whole name, or UINT32_MAX */
    uint32_t term;
    unsigned field; /* fer_search_field; FER_FIELD_COUNT before the first */
    float length;
} fer_record_reader;

/* Where the parts of a record begin. */
enum {
    FER_RECORD_AT_LENGTH,
    FER_RECORD_AT_HEAD,
    FER_RECORD_AT_NAME /* one unit or two; the head begins behind them */
};

/* The term at the reader; its first unit is no mark. False: it is broken. */
static inline bool fer_record_take(fer_record_reader *r, uint32_t *out)
{
    uint32_t unit = *r->at++;
    *out = unit;
    if (unit < FER_RECORD_MARK) return true;
    if (r->at == r->end) return false;
    *out = (unit - FER_RECORD_WIDE) << 16 | *r->at++;
    return true;
}

/* Asked of every candidate of a search, and so here. */
static inline void fer_record_open(fer_record_reader *r, fer_record record)
{
    *r = (fer_record_reader){.name = UINT32_MAX, .field = FER_FIELD_COUNT};
    if (record.count <= FER_RECORD_AT_NAME) return;
    r->at = record.units + FER_RECORD_AT_NAME;
    r->end = record.units + record.count;
    r->length = (float)record.units[FER_RECORD_AT_LENGTH] / 2;
    if (*r->at >= FER_RECORD_MARK && *r->at < FER_RECORD_WIDE) r->at++;
    else if (!fer_record_take(r, &r->name)) r->name = UINT32_MAX;
    size_t head = record.units[FER_RECORD_AT_HEAD], left = (size_t)(r->end - r->at);
    r->head_end = r->at + (head < left ? head : left);
}

/* What comes next; what is broken ends the record. */
typedef enum fer_record_item {
    FER_RECORD_END,
    FER_RECORD_TEXT, /* `field` begins */
    FER_RECORD_TERM  /* `term`, of `field` */
} fer_record_item;
fer_record_item fer_record_next(fer_record_reader *r);
/* Whether what was read last stands in its place among its neighbours. */
static inline bool fer_record_in_head(const fer_record_reader *r)
{
    return r->at <= r->head_end;
}

/* ---- writing ---------------------------------------------------------------- */

static inline size_t fer_record_put(uint16_t *to, uint32_t term)
{
    if (term < FER_RECORD_MARK) {
        to[0] = (uint16_t)term;
        return 1;
    }
    to[0] = (uint16_t)(FER_RECORD_WIDE + (term >> 16));
    to[1] = (uint16_t)term;
    return 2;
}

/* A document that is recorded word by word, in the order of its fields. */
typedef struct fer_record_writer {
    size_t count, head; /* units; where the head ends, 0: it has not */
    size_t words;       /* of the head */
    unsigned field;     /* of the tail, whose terms were last */
    uint16_t units[FER_RECORD_UNITS];
} fer_record_writer;

void fer_record_begin(fer_record_writer *w);
/* A text of a field begins, or in the tail its terms do. */
static inline void fer_record_mark(fer_record_writer *w, unsigned field)
{
    assert(w->count + 3 <= FER_RECORD_UNITS);
    w->units[w->count++] = (uint16_t)(FER_RECORD_MARK + field);
}
/* Whether no word of a field goes into the head. */
static inline bool fer_record_in_tail(unsigned field)
{
    return field > FER_FIELD_DESCRIPTION;
}
/* Words of a field that go into the head. Where there is no room, one that the field has had
 * already is not to be added. */
static inline size_t fer_record_head_room(const fer_record_writer *w, unsigned field)
{
    return fer_record_in_tail(field) ? 0 : FER_RECORD_HEAD - w->words;
}
/* Where up to `terms` go that are put next (fer_record_put); who puts them counts their units. */
static inline uint16_t *fer_record_room(fer_record_writer *w, size_t terms)
{
    assert(w->count + 2 * terms <= FER_RECORD_UNITS);
    return w->units + w->count;
}
/* The same for terms of a field in the tail, and how many units they took, which may be none. */
static inline uint16_t *fer_record_tail(fer_record_writer *w, unsigned field, size_t terms)
{
    if (!w->head) w->head = w->count;
    if (w->field == field) return fer_record_room(w, terms);
    assert(w->count + 1 + 2 * terms <= FER_RECORD_UNITS);
    w->units[w->count] = (uint16_t)(FER_RECORD_MARK + field);
    return w->units + w->count + 1;
}
static inline void fer_record_end_tail(fer_record_writer *w, unsigned field, size_t units)
{
    if (units && w->field != field) {
        w->field = field;
        w->count++;
    }
    w->count += units;
}
/* The record, good until the next one begins. `name`: UINT32_MAX for none. */
fer_record fer_record_finish(fer_record_writer *w, float length, uint32_t name);

/* The term of the name, or UINT32_MAX for none, into a record that is written by its units. Where
 * its head begins. */
uint16_t *fer_record_put_name(uint16_t *record, uint32_t name);

/*
 * The same record with other numbers for terms, numbers[old], written to `to`, which has room for
 * twice the units and four more. How many units it has. Old numbers from `count` on, which hostile
 * bytes made up, stand for the first term.
 */
size_t fer_record_renumber(uint16_t *to, fer_record record, const uint32_t *numbers,
                           uint32_t count);

#endif
