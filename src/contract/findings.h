/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From drafts to findings. A draft stands for one finding of each profile that demands it, and
 * has no place; counting needs neither. Findings are made when somebody wants to see them: one
 * for each profile, in the order of the text, with line, column and pointer. Pure.
 */
#ifndef FER_FINDINGS_H
#define FER_FINDINGS_H

#include "reader.h"

/* How many findings of each severity the drafts stand for; those that are off do not count. */
void fer_drafts_count(const fer_drafts *d, size_t by_severity[FER_SEVERITY_OFF]);

/* The findings of an item, of which there are `count`, in the reader's arena. */
fer_code fer_drafts_finish(const fer_drafts *d, fer_reader *r, const fer_item *item, fer_str source,
                           fer_str tool, size_t count, const fer_finding **out, fer_err *err);

#endif
