/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a ledger, also while another process writes it: records one after the other, from the
 * first or from a number on, and those that a question is about. A line whose hash is not right is
 * never given; it is counted, and `verify` says what is wrong with it. Blocks; one thread.
 */
#ifndef FER_LEDGER_READ_H
#define FER_LEDGER_READ_H

#include "ledger_facts.h"
#include "ledger_line.h"

typedef struct fer_ledger_reader fer_ledger_reader;

fer_code fer_ledger_reader_new(const char *folder, fer_ledger_reader **out, fer_err *err);
void fer_ledger_reader_free(fer_ledger_reader *r);
/* Goes to the segment that has this record, or to the first there is. */
fer_code fer_ledger_reader_seek(fer_ledger_reader *r, uint64_t seq, fer_err *err);
/* Goes to a line of a segment, named by its first record. */
fer_code fer_ledger_reader_jump(fer_ledger_reader *r, uint64_t segment, uint64_t offset,
                                fer_err *err);
/*
 * The next record, borrowed until the next is asked for; `*got` false: there is none now, perhaps
 * later.
 */
fer_code fer_ledger_reader_next(fer_ledger_reader *r, fer_str *text, fer_line *line, bool *got,
                                fer_err *err);
/* Where the record that was given last begins. */
uint64_t fer_ledger_reader_segment(const fer_ledger_reader *r);
uint64_t fer_ledger_reader_offset(const fer_ledger_reader *r);
uint64_t fer_ledger_reader_bad(const fer_ledger_reader *r); /* lines that were passed over */
/* The number of the last record there may be: the one to count back from. 0: an empty ledger. */
fer_code fer_ledger_reader_last(fer_ledger_reader *r, uint64_t *seq, fer_err *err);

/* What is asked for: an empty text, a type of -1 and a time of 0 ask for anything. */
typedef struct fer_question {
    fer_str tenant, tool, status, correlation, call; /* as people write them */
    int type;
    int64_t since_ms, until_ms; /* from the first on, before the second */
} fer_question;
/* Texts as they are written in lines; FER_INVALID_FORMAT where one cannot be there. */
fer_code fer_question_escape(fer_arena *a, const fer_question *q, fer_question *out, fer_err *err);
/* Whether a record is asked for, by an escaped question; `scratch` is used and not reset. */
bool fer_question_fits(const fer_question *q, const fer_line *l, fer_arena *scratch,
                       fer_facts *facts);

/*
 * An index of the ledger in the file index.db of its folder, made and brought up to date by who
 * asks: it is never written by the ledger itself, proves nothing and may be deleted. A record found
 * by it is read from its segment and its hash is looked at as ever.
 */
typedef struct fer_ledger_index fer_ledger_index;
fer_code fer_ledger_index_open(const char *folder, fer_ledger_index **out, fer_err *err);
void fer_ledger_index_close(fer_ledger_index *x);
/* Reads what is new. */
fer_code fer_ledger_index_update(fer_ledger_index *x, fer_ledger_reader *r, fer_err *err);
/* Numbers and places of records that are asked for, at most `max` behind `after`, in order. */
typedef struct fer_index_hit {
    uint64_t seq, segment, offset;
} fer_index_hit;
fer_code fer_ledger_index_find(fer_arena *a, fer_ledger_index *x, const fer_question *q,
                               uint64_t after, size_t max, fer_index_hit **out, size_t *count,
                               fer_err *err);

#endif
