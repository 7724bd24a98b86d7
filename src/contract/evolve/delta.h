/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between two schemas, keyword by keyword, each difference with the edits that
 * would make it, and only it, to the old schema. So each can be decided by itself.
 *
 * delta.c walks both schemas side by side, delta_rows.c has a row for each keyword. Pure.
 */
#ifndef FER_DELTA_H
#define FER_DELTA_H

#include "buf.h"
#include "edits.h"
#include "json_value.h"
#include "kinds.h"

#define FER_DELTA_DEPTH 64 /* schemas inside each other; below, a change is one change */
#define FER_DELTA_EDITS 4  /* of one change */
#define FER_DELTA_LIST  64 /* members that are told apart; longer lists are compared as a whole */

typedef struct fer_delta {
    enum fer_kind_id kind;
    fer_str where;
    fer_str message;
    const yyjson_val *old_at; /* a value or key of the old schema; NULL: nothing */
    const yyjson_val *new_at;
    fer_edit edits[FER_DELTA_EDITS];
    size_t edit_count;
    /* Policy: it is no more than worth a look, whatever the schemas say. */
    bool tolerated;
    const yyjson_val *old_object, *new_object; /* of a renamed property: what is closed to see it */
    /* Decided later: */
    fer_impact impact;
    fer_str witness;
    fer_str reason;
} fer_delta;

typedef struct fer_walk {
    fer_arena *arena;
    fer_side side;
    bool assert_formats;
    fer_delta *list;
    size_t count, cap;
    fer_edits policy; /* what is tolerated, to be made to the old schema before it is compared */
    size_t depth;
    bool no_memory;
} fer_walk;

/* A place in both schemas. */
typedef struct fer_fork {
    const yyjson_val *old, *now; /* the subschemas, both objects where a row is asked */
    fer_str where;
} fer_fork;

/* Notes everything that differs. False: no memory. */
bool fer_deltas_find(fer_walk *w, const yyjson_val *old, const yyjson_val *now, fer_str where);
/* The same for one place inside. */
void fer_delta_walk(fer_walk *w, const yyjson_val *old, const yyjson_val *now, fer_str where);

/* Compares one keyword; NULL where it is not there. `key` are its keys. */
typedef void fer_delta_row(fer_walk *w, const fer_fork *f, const yyjson_val *old_key,
                           const yyjson_val *new_key);
/* The row of a keyword; never NULL. */
fer_delta_row *fer_delta_row_find(fer_str keyword);

/* A change of one keyword, with the edit that makes it. NULL: no memory. */
fer_delta *fer_delta_add(fer_walk *w, const fer_fork *f, enum fer_kind_id kind,
                         const yyjson_val *old_key, const yyjson_val *new_key, fer_str message);
/* Has one more edit. */
void fer_delta_edit(fer_walk *w, fer_delta *d, fer_edit edit);
fer_str fer_delta_say(fer_walk *w, const char *format, ...) FER_PRINTF(2, 3);
/* The text of a value, cut where it is shown. */
fer_str fer_delta_json(fer_walk *w, const yyjson_val *value);
fer_str fer_delta_show(fer_walk *w, const yyjson_val *value);
/* One more value of a list that is being written. */
void fer_delta_put(fer_walk *w, fer_buf *b, const yyjson_val *v);
/* Policy: it is no more than worth a look. */
void fer_delta_tolerate(fer_walk *w, fer_delta *d);
/* Rows of delta_properties.c. */
fer_delta_row fer_delta_properties, fer_delta_required;
bool fer_delta_equal(fer_walk *w, const yyjson_val *x, const yyjson_val *y);

#endif
