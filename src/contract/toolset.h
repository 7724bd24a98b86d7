/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools and findings out of texts: one after the other in flat memory (fer_visit), or
 * kept together (the toolset of <ferrule/contract.h>). Both find the same things.
 */
#ifndef FER_TOOLSET_H
#define FER_TOOLSET_H

#include "checks.h"

/*
 * What a visitor sees of each entry: the tool and how many findings it has, which are made where
 * somebody asks for them; or why that entry could not be read. All of it is gone after the
 * call, unless the reader keeps it. A code other than FER_OK ends the visit.
 */
typedef struct fer_visited {
    const fer_tool *tool;   /* NULL: an entry that is no tool of ours, or the end of a set */
    const fer_item *item;   /* NULL: the findings are about a whole set */
    const fer_err *failure; /* or NULL; then there is no tool and no item */
    size_t finding_count;
    size_t by_severity[FER_SEVERITY_OFF]; /* how many of these are errors, warnings, infos */
    /* for fer_visited_findings */
    const fer_finding *findings; /* where they are there already */
    const fer_drafts *drafts;
    fer_reader *reader;
    fer_str source;
} fer_visited;
/* The findings, in the order of the text, each with its place. */
fer_code fer_visited_findings(const fer_visited *v, const fer_finding **out, fer_err *err);
typedef fer_code fer_visitor(void *context, const fer_visited *visited, fer_err *err);

/*
 * Visits every tool of an open reader. `run` may be NULL: then only the rules of one record
 * are looked at.
 */
fer_code fer_visit(fer_reader *r, fer_str source, fer_check_run *run, fer_visitor *visit,
                   void *context, fer_err *err);
/* Ends the set that the tools visited so far are: once per input, or once for all of them. */
fer_code fer_visit_end(fer_check_run *run, fer_visitor *visit, void *context, fer_err *err);

/* Told of each entry that cannot be read. */
typedef void fer_unreadable(void *context, const fer_err *why);
/* As fer_toolset_add, but what cannot be read is told and passed over; without memory it fails. */
fer_code fer_toolset_add_readable(fer_toolset *set, fer_str name, fer_str text, fer_format format,
                                  fer_unreadable *failed, void *context, fer_err *err);

#endif
