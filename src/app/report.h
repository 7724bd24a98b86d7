/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of findings, one file per format behind one table, for all commands that
 * find things: check (tools), validate (instances), schema lint (schemas) and diff. A report
 * is written as the findings come, so that its length costs no memory:
 * begin -> (remark | failure) ... -> end.
 */
#ifndef FER_REPORT_H
#define FER_REPORT_H

#include <ferrule/contract.h>
#include <ferrule/schema.h>

#include "out.h"

typedef struct fer_counts {
    size_t files;
    size_t tools;      /* check; diff: those that changed */
    size_t valid;      /* validate: instances */
    size_t invalid;    /* the same */
    size_t errors;     /* each failure is one too */
    size_t warnings;   /* check, lint */
    size_t infos;      /* check */
    size_t suppressed; /* check: findings that their tools take back */
    size_t accepted;   /* check: those that a baseline has */
    size_t unreadable; /* check, lint: files of which something could not be read; validate:
                          instances */
} fer_counts;

typedef enum fer_report_about {
    FER_ABOUT_TOOLS,
    FER_ABOUT_INSTANCES,
    FER_ABOUT_SCHEMAS,
    FER_ABOUT_CHANGES /* of tools, as github and sarif only */
} fer_report_about;

typedef struct fer_report {
    fer_out *out;
    fer_report_about about;
    fer_counts counts;
    bool strict; /* warnings make the command fail, too */
    bool hide;   /* no source lines: their values are nobody's business */
    bool any;    /* something was written already, so a separator is due */
} fer_report;

/* One finding as reports show it, whoever found it. */
typedef struct fer_remark {
    const char *rule; /* "name.charset"; of an instance: the name of the code */
    fer_code code;
    fer_severity severity;
    fer_str source;  /* the name of the input */
    fer_place place; /* in the whole of it */
    size_t offset;   /* of the place in the text that is shown: a line of JSON Lines, or all */
    size_t length;   /* bytes to underline there */
    fer_str pointer; /* in the document */
    fer_str message;
    fer_str hint;                   /* or empty */
    const fer_finding *finding;     /* of a tool: which one; else NULL */
    const fer_violation *violation; /* of an instance: the rest of it; else NULL */
    fer_str schema;                 /* the name of the schema's file */
    fer_place schema_place;         /* of the keyword in it; line 0: it is elsewhere */
} fer_remark;

typedef struct fer_report_kind {
    const char *name;
    void (*begin)(fer_report *r);
    /* `text` is what the remark's offset is in. */
    void (*remark)(fer_report *r, const fer_remark *m, fer_str text);
    /* An input, or an entry of one, that could not be read; text is empty where there is none. */
    void (*failure)(fer_report *r, fer_str source, const fer_err *err, fer_str text);
    void (*end)(fer_report *r);
} fer_report_kind;

extern const fer_report_kind fer_report_text, fer_report_json, fer_report_sarif, fer_report_github,
    fer_report_gitlab, fer_report_junit;

/* The format of a name, or NULL. */
const fer_report_kind *fer_report_find(const char *name);

fer_remark fer_remark_of_finding(const fer_finding *f);
/* `place` has been moved to the whole input, `offset` is in `text`. */
fer_remark fer_remark_of_problem(const fer_schema_problem *p, fer_str source, fer_str text);

/* Adds findings to the counts. */
void fer_counts_add(fer_counts *c, const size_t by_severity[FER_SEVERITY_OFF]);

#endif
