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

static void write_tool(fer_out *o, const fer_finding *f)
{
    fer_out_printf(o, ",\"toolNumber\":%zu", f->number);
    text_member(o, "tool", f->tool);
    text_member(o, "toolPointer", f->tool_pointer);
    if (f->profile.len) text_member(o, "profile", f->profile);
    if (f->limit.len) text_member(o, "limit", f->limit);
    if (f->actual.len) text_member(o, "actual", f->actual);
    if (f->provider_text.len) text_member(o, "providerText", f->provider_text);
}

/* What the engine says of an instance beyond the message. */
static void write_violation(fer_out *o, const fer_remark *m)
{
    const fer_violation *v = m->violation;
    text_member(o, "field", v->dotted);
    text_member(o, "keyword", v->keyword);
    text_member(o, "keywordLocation", v->keyword_location);
    text_member(o, "absoluteKeywordLocation", v->absolute_location);
    if (m->schema_place.line) {
        text_member(o, "schemaFile", m->schema);
        fer_out_printf(o, ",\"schemaLine\":%u,\"schemaColumn\":%u", m->schema_place.line,
                       m->schema_place.column);
    }
    if (v->expected.len) text_member(o, "expected", v->expected);
    if (v->actual.len) text_member(o, "actual", v->actual);
    for (size_t i = 0; i < v->allowed_count; i++) {
        fer_out_text(o, i ? "," : ",\"allowed\":[");
        fer_out_json(o, v->allowed[i]);
    }
    if (v->allowed_count) fer_out_text(o, "]");
    if (v->did_you_mean.len) text_member(o, "didYouMean", v->did_you_mean);
}

static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    fer_out *o = r->out;
    (void)text;
    fer_out_printf(o, "%s\n{\"rule\":\"%s\",\"code\":\"%s\",\"severity\":\"%s\"", r->any ? "," : "",
                   m->rule, fer_code_info(m->code)->name, fer_severity_name(m->severity));
    r->any = true;
    text_member(o, "file", m->source);
    if (m->place.line)
        fer_out_printf(o, ",\"line\":%u,\"column\":%u,\"offset\":%zu,\"length\":%zu", m->place.line,
                       m->place.column, m->place.offset, m->length);
    text_member(o, "pointer", m->pointer);
    if (m->finding) write_tool(o, m->finding);
    if (m->violation) write_violation(o, m);
    text_member(o, "message", m->message);
    if (m->hint.len) text_member(o, "hint", m->hint);
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
    fer_out *o = r->out;
    fer_out_printf(o, "%s],\"files\":%zu", r->any ? "\n" : "", c->files);
    if (r->about == FER_ABOUT_TOOLS) fer_out_printf(o, ",\"tools\":%zu", c->tools);
    if (r->about == FER_ABOUT_INSTANCES)
        fer_out_printf(o, ",\"valid\":%zu,\"invalid\":%zu", c->valid, c->invalid);
    else fer_out_printf(o, ",\"errors\":%zu,\"warnings\":%zu", c->errors, c->warnings);
    if (r->about == FER_ABOUT_TOOLS)
        fer_out_printf(o, ",\"infos\":%zu,\"suppressed\":%zu", c->infos, c->suppressed);
    if (c->accepted) fer_out_printf(o, ",\"accepted\":%zu", c->accepted);
    fer_out_printf(o, ",\"unreadable\":%zu}\n", c->unreadable);
}

const fer_report_kind fer_report_json = {"json", begin, remark, failure, end};
