/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is checked beyond the record (fer_checks, set up once), the state of one run over
 * inputs (fer_check_run), and the passes: a pass looks at each loaded tool and, once a set of
 * tools has ended, at what it remembered of them. To add a pass: a row in checks.c.
 *
 * Tools are read entry by entry and their memory is used again, so a pass that looks at a
 * whole set keeps small facts of each tool in the run's arena, never values. Pure; a run
 * belongs to one thread.
 */
#ifndef FER_CHECKS_H
#define FER_CHECKS_H

#include "map.h"
#include "reader.h"
#include "tool.h"

struct fer_checks {
    fer_arena *arena;
    fer_map severities;          /* rule id -> a fer_severity, where it is not the rule's own */
    const struct fer_lock *lock; /* that definitions are held against; NULL: none */
    bool no_quality;             /* the rules of quality and safety are not asked */
    struct fer_plan *plan;       /* of the profiles; NULL: there are none */
};

enum fer_pass_id {
    FER_PASS_PROFILES,
    FER_PASS_QUALITY,
    FER_PASS_LOCK,
    FER_PASS_COUNT
};

typedef struct fer_check_run {
    const fer_checks *checks; /* NULL: the rules of the record, as they are */
    fer_arena *arena;         /* lives as long as the run: the IDs seen */
    fer_map ids;              /* over all inputs: where each was first */
    fer_arena *set;           /* what passes remember of the set at hand; reset at its end */
    void *states[FER_PASS_COUNT + 1]; /* of each pass, in `set`; NULL at the start of a set */
    void *kept[FER_PASS_COUNT + 1];   /* of each pass, in `arena`: over all sets */
    size_t tools;                     /* of the set so far */
    size_t suppressed;                /* findings taken back so far, over all inputs */
} fer_check_run;

/* `a` keeps what lives as long as the run. False: no memory. */
FER_MUST_USE bool fer_check_run_init(fer_check_run *run, fer_arena *a, const fer_checks *checks);
void fer_check_run_deinit(fer_check_run *run);

/* What a pass sees of one tool. */
typedef struct fer_pass_tool {
    fer_check_run *run;
    void **state; /* the pass's own, kept in run->set until the set ends */
    const fer_tool *tool;
    const fer_path *path; /* of the record */
    fer_drafts *drafts;   /* where findings go */
    fer_arena *scratch;   /* gone with the tool */
    fer_reader *reader;
    fer_item *item;
    fer_str source;
} fer_pass_tool;

/* A place that outlives its tool, for what is only known when the set has ended. */
typedef struct fer_mark {
    fer_str source;
    fer_str tool;
    fer_str pointer;
    fer_str tool_pointer;
    fer_place place;
    size_t length;
    size_t number;
} fer_mark;
/* Marks a value of the tool at hand. False: no memory. */
FER_MUST_USE bool fer_pass_mark(const fer_pass_tool *p, const yyjson_val *at, fer_mark *out);

/* What a pass sees when a set has ended. */
typedef struct fer_pass_set {
    fer_check_run *run;
    void *state; /* NULL: it saw no tool, or kept nothing */
    fer_finding *list;
    size_t count;
    size_t cap;
    bool no_memory;
} fer_pass_set;
/* Notes a finding about the set, at a place that was marked. NULL: no memory. */
fer_finding *fer_pass_report(fer_pass_set *p, const fer_rule *rule, const fer_mark *at,
                             const char *format, ...) FER_PRINTF(4, 5);

typedef struct fer_pass {
    const char *name;
    bool (*wanted)(const fer_checks *checks); /* NULL: always; checks may be NULL */
    void (*tool)(fer_pass_tool *p);           /* NULL: it looks at sets only */
    void (*set)(fer_pass_set *p);             /* NULL: it looks at tools only */
} fer_pass;

extern const fer_pass fer_pass_quality, fer_pass_lock;

/* Runs all passes over a tool, then takes back what the tool suppresses and sets severities. */
void fer_check_run_tool(const fer_pass_tool *p);
/* Ends the set at hand: `*out` are the findings about it, in run->set until the next tool. */
fer_code fer_run_end_set(fer_check_run *run, fer_finding **out, size_t *count, fer_err *err);

/* The severity that a finding of the rule gets where it would have `own`. */
fer_severity fer_checks_severity_of(const fer_checks *checks, const fer_rule *rule,
                                    fer_severity own);

/* Whether a rule of the run looks at lists that mix input_schema and parameters. */
bool fer_run_takes_mixed(const fer_check_run *run);

/* Takes back the findings that the tool's `suppress` names, and adds those about `suppress`. */
void fer_suppress(const fer_pass_tool *p);

#endif
