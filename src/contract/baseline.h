/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings that a project has accepted, so that `ferrule check --baseline FILE` tells only what is
 * new. A finding is known by its tool, its place in the tool, its rule and its profile: neither
 * by its line nor by its words, nor by the file, so that tools may move. An entry takes as many
 * findings as it says.
 *
 *     {"baselineVersion": 1, "findings": [
 *     {"tool": "tickets:create_issue", "at": "/inputSchema", "rule": "desc.missing", "count": 1}
 *     ]}
 *
 * Entries are in order, one on a line, so that a diff of the file can be read. One thread.
 */
#ifndef FER_BASELINE_H
#define FER_BASELINE_H

#include <ferrule/contract.h>

#include "map.h"

#define FER_BASELINE_ENTRIES 200000

typedef struct fer_baseline_entry {
    fer_str tool, at, rule, profile;
    size_t count; /* accepted */
    size_t met;   /* of them, or so far */
} fer_baseline_entry;

typedef struct fer_baseline {
    fer_arena *arena;
    fer_map by_key; /* entries */
    fer_baseline_entry **entries;
    size_t count, cap;
} fer_baseline;

/* What it holds lives in the arena. */
void fer_baseline_init(fer_baseline *b, fer_arena *a);

/* Entries of a file's text; a failure has its line and column. */
fer_code fer_baseline_read(fer_baseline *b, fer_str text, fer_err *err);
/* Whether the finding was accepted; it is counted as met. */
fer_code fer_baseline_take(fer_baseline *b, const fer_finding *f, bool *taken, fer_err *err);
/* Accepted findings that were not met. */
size_t fer_baseline_gone(const fer_baseline *b);

/* Accepts a finding. */
fer_code fer_baseline_add(fer_baseline *b, const fer_finding *f, fer_err *err);
/* The text of the file. */
fer_code fer_baseline_write(fer_baseline *b, fer_str *out, fer_err *err);

#endif
