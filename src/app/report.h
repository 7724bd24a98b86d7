/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of findings, one file per format behind one table. A report is written as
 * the findings come, so that its length costs no memory: begin -> (finding | failure)
 * ... -> end.
 */
#ifndef FER_REPORT_H
#define FER_REPORT_H

#include <ferrule/contract.h>

#include "out.h"

typedef struct fer_counts {
    size_t files;
    size_t tools;
    size_t errors;
    size_t warnings;
    size_t
        unreadable; /* files of which something could not be read; each failure is an error too */
} fer_counts;

typedef struct fer_report {
    fer_out *out;
    fer_counts counts;
    bool any; /* something was written already, so a separator is due */
} fer_report;

typedef struct fer_report_kind {
    const char *name;
    void (*begin)(fer_report *r);
    /* `text` is the text that the finding's place is in. */
    void (*finding)(fer_report *r, const fer_finding *f, fer_str text);
    /* An input, or an entry of one, that could not be read; text is empty where there is none. */
    void (*failure)(fer_report *r, fer_str source, const fer_err *err, fer_str text);
    void (*end)(fer_report *r);
} fer_report_kind;

extern const fer_report_kind fer_report_text, fer_report_json, fer_report_sarif, fer_report_github;

const char *fer_severity_name(fer_severity severity);

#endif
