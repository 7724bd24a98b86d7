/* SPDX-License-Identifier: Apache-2.0 */
/* What all reports share: the table of formats, and remarks out of what the rooms found. */
#include "report.h"

#include <string.h>

#include "json_doc.h"

void fer_counts_add(fer_counts *c, const size_t by_severity[FER_SEVERITY_OFF])
{
    c->errors += by_severity[FER_SEVERITY_ERROR];
    c->warnings += by_severity[FER_SEVERITY_WARNING];
    c->infos += by_severity[FER_SEVERITY_INFO];
}

const fer_report_kind *fer_report_find(const char *name)
{
    static const fer_report_kind *const kinds[] = {&fer_report_text,   &fer_report_json,
                                                   &fer_report_sarif,  &fer_report_github,
                                                   &fer_report_gitlab, &fer_report_junit};
    for (size_t i = 0; i < FER_COUNT(kinds); i++) {
        if (strcmp(name, kinds[i]->name) == 0) return kinds[i];
    }
    return NULL;
}

fer_remark fer_remark_of_finding(const fer_finding *f)
{
    return (fer_remark){.rule = f->rule->id,
                        .code = f->rule->code,
                        .severity = f->severity,
                        .source = f->source,
                        .place = f->place,
                        .offset = f->place.offset,
                        .length = f->length,
                        .pointer = f->pointer,
                        .message = f->message,
                        .hint = f->hint,
                        .finding = f};
}

fer_remark fer_remark_of_problem(const fer_schema_problem *p, fer_str source, fer_str text)
{
    return (fer_remark){.rule = p->rule ? p->rule : fer_code_info(p->code)->name,
                        .code = p->code,
                        .severity = p->warning ? FER_SEVERITY_WARNING : FER_SEVERITY_ERROR,
                        .source = source,
                        .place = p->place,
                        .offset = p->place.offset,
                        .length = fer_json_token_len(text, p->place.offset),
                        .pointer = p->pointer,
                        .message = p->message,
                        .hint = p->hint};
}
