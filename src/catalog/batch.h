/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that are gathered before they are applied. All work that needs no catalogue is done
 * while they are gathered: reading, checking, making entries. What is wrong is noted beside
 * the change; catalog.c adds what only the catalogue can know.
 */
#ifndef FER_BATCH_H
#define FER_BATCH_H

#include "own_id.h"
#include "view.h"

enum fer_op_kind {
    FER_OP_PUT,
    FER_OP_REMOVE,
    FER_OP_REMOVE_BACKEND,
    FER_OP_DOCUMENT,
    FER_OP_APPROVE,
    FER_OP_REJECT,
    FER_OP_BROKEN /* only a problem came of it */
};

struct fer_op {
    enum fer_op_kind kind;
    fer_str id;
    fer_entry *entry;    /* of a put; the batch holds a count */
    fer_doc *doc;        /* of a document; the batch holds a count */
    fer_backend backend; /* of a remove-backend */
    fer_str source;
    fer_place place;
};

struct fer_batch {
    fer_arena *arena;
    fer_arena *scratch; /* of the change at hand */
    struct fer_op *ops;
    size_t count, cap;
    fer_problem *problems;
    size_t problem_count, problem_cap;
    size_t problems_in_all;
    size_t hard; /* problems that leave nothing to apply, however lenient one is */
    fer_event *outcomes;
    bool applied;
    char owner[FER_OWN_MARK]; /* whom the tools that are added now are for (own_id.h): */
    bool owned;               /* one alone */
};

/* The tools that are added from now on are for one owner alone; an empty mark: for all. */
void fer_batch_for_owner(fer_batch *b, fer_str mark);

/* Notes what is wrong with a change. False: no memory. */
bool fer_batch_note(fer_batch *b, size_t number, fer_code code, fer_str id, fer_str message);

#endif
