/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools and findings out of texts: one after the other in flat memory (fer_visit), or
 * kept together (the toolset of <ferrule/contract.h>). Both find the same things.
 */
#ifndef FER_TOOLSET_H
#define FER_TOOLSET_H

#include "checks.h"

/*
 * What a visitor sees of each entry: the tool and its finished findings, in the order
 * of the text; or why that entry could not be read. All of it is gone after the call,
 * unless the reader keeps it. A code other than FER_OK ends the visit.
 */
typedef struct fer_visited {
    const fer_tool *tool;   /* NULL: an entry that is no tool of ours, or the end of a set */
    const fer_item *item;   /* NULL: the findings are about a whole set */
    const fer_err *failure; /* or NULL; then there is no tool and no item */
    const fer_finding *findings;
    size_t finding_count;
} fer_visited;
typedef fer_code fer_visitor(void *context, const fer_visited *visited, fer_err *err);

/*
 * Visits every tool of an open reader. `run` may be NULL: then only the rules of one record
 * are looked at.
 */
fer_code fer_visit(fer_reader *r, fer_str source, fer_check_run *run, fer_visitor *visit,
                   void *context, fer_err *err);
/* Ends the set that the tools visited so far are: once per input, or once for all of them. */
fer_code fer_visit_end(fer_check_run *run, fer_visitor *visit, void *context, fer_err *err);

#endif
