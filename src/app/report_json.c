/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON object: findings and failures in the order of the input, then the counts. */
#include <stdio.h>

#include "report.h"

static void begin(fer_report *r)
{
    fer_out_text(r->out, "{\"version\":1,\"findings\":[");
}

static void text_member(fer_out *o, const char *key, fer_str value)
{
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, value);
}

static void finding(fer_report *r, const fer_finding *f, fer_str text)
{
    fer_out *o = r->out;
    (void)text;
    fer_out_printf(o, "%s\n{\"rule\":\"%s\",\"code\":\"%s\",\"severity\":\"%s\"", r->any ? "," : "",
                   f->rule->id, fer_code_info(f->rule->code)->name,
                   fer_severity_name(f->rule->severity));
    r->any = true;
    text_member(o, "file", f->source);
    fer_out_printf(o, ",\"line\":%u,\"column\":%u,\"offset\":%zu,\"length\":%zu,\"toolNumber\":%zu",
                   f->place.line, f->place.column, f->place.offset, f->length, f->number);
    text_member(o, "tool", f->tool);
    text_member(o, "pointer", f->pointer);
    text_member(o, "toolPointer", f->tool_pointer);
    text_member(o, "message", f->message);
    if (f->hint.len) text_member(o, "hint", f->hint);
    fer_out_text(o, "}");
}

/* A failure is a finding without a tool. */
static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    fer_out *o = r->out;
    (void)text;
    fer_out_printf(o, "%s\n{\"rule\":\"%s\",\"code\":\"%s\",\"severity\":\"error\"",
                   r->any ? "," : "", fer_code_info(err->code)->name,
                   fer_code_info(err->code)->name);
    r->any = true;
    text_member(o, "file", source);
    if (err->line) fer_out_printf(o, ",\"line\":%u,\"column\":%u", err->line, err->column);
    text_member(o, "message", fer_str_of(err->message));
    fer_out_text(o, "}");
}

static void end(fer_report *r)
{
    const fer_counts *c = &r->counts;
    fer_out_printf(
        r->out,
        "%s],\"files\":%zu,\"tools\":%zu,\"errors\":%zu,\"warnings\":%zu,\"unreadable\":%zu}\n",
        r->any ? "\n" : "", c->files, c->tools, c->errors, c->warnings, c->unreadable);
}

const fer_report_kind fer_report_json = {"json", begin, finding, failure, end};
