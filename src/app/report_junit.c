/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JUnit's XML, as Jenkins, GitLab and others read it: a test case for each finding, which failed
 * where it makes the command fail, and one more for all that was looked at, so that a clean run
 * has one, too. Counts stand in that case: the report is written before they are known.
 */
#include <string.h>

#include "report.h"

static void write_xml(fer_out *o, fer_str s)
{
    static const struct {
        char c;
        const char *text;
    } rows[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        for (size_t k = 0; k < FER_COUNT(rows); k++) {
            if (s.ptr[i] != rows[k].c) continue;
            fer_out_clean(o, fer_str_slice(s, from, i));
            fer_out_text(o, rows[k].text);
            from = i + 1;
        }
    }
    fer_out_clean(o, fer_str_slice(s, from, s.len));
}

static void attribute(fer_out *o, const char *name, fer_str value)
{
    fer_out_printf(o, " %s=\"", name);
    write_xml(o, value);
    fer_out_text(o, "\"");
}

static void begin(fer_report *r)
{
    static const char *const names[] = {[FER_ABOUT_TOOLS] = "ferrule check",
                                        [FER_ABOUT_INSTANCES] = "ferrule validate",
                                        [FER_ABOUT_SCHEMAS] = "ferrule schema lint"};
    fer_out_printf(r->out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<testsuites name=\"ferrule\">\n<testsuite name=\"%s\">\n",
                   names[r->about]);
}

static void begin_case(fer_out *o, fer_str source, uint32_t line, const char *rule)
{
    fer_out_text(o, "<testcase");
    attribute(o, "classname", source);
    attribute(o, "file", source);
    if (line) fer_out_printf(o, " line=\"%u\"", line);
    fer_out_printf(o, " name=\"%s", rule);
}

static void begin_verdict(fer_out *o, const char *element, fer_str type, fer_str message)
{
    fer_out_printf(o, "\"><%s", element);
    attribute(o, "type", type);
    attribute(o, "message", message);
    fer_out_text(o, ">");
}

/* Where it is, and what to do: what a list of failed cases does not show. */
static void write_place(fer_out *o, const fer_remark *m)
{
    write_xml(o, m->source);
    if (m->place.line) fer_out_printf(o, ":%u:%u", m->place.line, m->place.column);
    fer_out_text(o, " ");
    write_xml(o, m->pointer);
    if (!m->hint.len) return;
    fer_out_text(o, "\nhint: ");
    write_xml(o, m->hint);
}

static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    fer_out *o = r->out;
    const char *severity = fer_severity_name(m->severity);
    bool fails =
        m->severity == FER_SEVERITY_ERROR || (r->strict && m->severity == FER_SEVERITY_WARNING);
    (void)text;
    begin_case(o, m->source, m->place.line, m->rule);
    if (m->finding && m->finding->profile.len) {
        fer_out_text(o, " (");
        write_xml(o, m->finding->profile);
        fer_out_text(o, ")");
    }
    fer_out_text(o, " ");
    if (m->finding && m->finding->tool.len) {
        write_xml(o, m->finding->tool);
        fer_out_text(o, " ");
    }
    write_xml(o, m->finding ? m->finding->tool_pointer : m->pointer);
    if (fails) {
        begin_verdict(o, "failure", fer_str_of(severity), m->message);
        write_place(o, m);
        fer_out_text(o, "</failure></testcase>\n");
        return;
    }
    fer_out_printf(o, "\"><system-out>%s: ", severity);
    write_xml(o, m->message);
    fer_out_text(o, "\n");
    write_place(o, m);
    fer_out_text(o, "</system-out></testcase>\n");
}

static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    const char *name = fer_code_info(err->code)->name;
    (void)text;
    begin_case(r->out, source, err->line, name);
    begin_verdict(r->out, "error", fer_str_of(name), fer_str_of(err->message));
    fer_out_text(r->out, "</error></testcase>\n");
}

static void end(fer_report *r)
{
    const fer_counts *c = &r->counts;
    fer_out *o = r->out;
    fer_out_text(o, "<testcase classname=\"ferrule\" name=\"");
    if (r->about == FER_ABOUT_INSTANCES) {
        fer_out_printf(o, "%zu valid, %zu invalid", c->valid, c->invalid);
    } else {
        if (r->about == FER_ABOUT_TOOLS) fer_out_printf(o, "%zu tool%s", c->tools, fer_s(c->tools));
        else fer_out_printf(o, "%zu schema%s", c->files, fer_s(c->files));
        fer_out_printf(o, ", %zu error%s, %zu warning%s", c->errors, fer_s(c->errors), c->warnings,
                       fer_s(c->warnings));
    }
    fer_out_text(o, "\"/>\n</testsuite>\n</testsuites>\n");
}

const fer_report_kind fer_report_junit = {"junit", begin, remark, failure, end};
