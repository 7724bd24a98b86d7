/* SPDX-License-Identifier: Apache-2.0 */
/* Workflow commands that GitHub Actions turns into annotations. */
#include "report.h"
#include "unicode.h"

static void begin(fer_report *r)
{
    (void)r;
}

/* In properties ':' and ',' are escaped too. */
static void write_escaped(fer_out *o, fer_str s, bool property)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool escape = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        if (escape) fer_out_printf(o, "%%%02X", (unsigned)(unsigned char)c);
        else if ((unsigned char)c < 0x20 || c == 0x7F) fer_out_text(o, "?");
        else fer_out_add(o, fer_str_slice(s, i, i + 1));
    }
}

static void write_command(fer_out *o, const char *severity, fer_str source, uint32_t line,
                          uint32_t column, const char *title, fer_str profile)
{
    fer_out_printf(o, "::%s file=", severity);
    write_escaped(o, source, true);
    if (line) fer_out_printf(o, ",line=%u,col=%u", line, column);
    fer_out_printf(o, ",title=%s", title);
    if (profile.len) {
        fer_out_text(o, " (");
        write_escaped(o, profile, true);
        fer_out_text(o, ")");
    }
    fer_out_text(o, "::");
}

/* GitHub's word for a severity. */
static const char *command_of(fer_severity severity)
{
    return severity == FER_SEVERITY_INFO ? "notice" : fer_severity_name(severity);
}

static void write_line(fer_out *o, const char *before, fer_str text)
{
    if (!text.len) return;
    fer_out_printf(o, "%%0A%s", before);
    write_escaped(o, text, false);
}

static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    (void)text;
    write_command(r->out, command_of(m->severity), m->source, m->place.line, m->place.column,
                  m->rule, m->finding ? m->finding->profile : FER_STR_NONE);
    write_escaped(r->out, m->message, false);
    write_line(r->out, "", m->hint);
    if (m->finding) {
        write_line(r->out, "limit: ", m->finding->limit);
        write_line(r->out, "actual: ", m->finding->actual);
        write_line(r->out, "the provider says: ", m->finding->provider_text);
    }
    fer_out_text(r->out, "\n");
}

static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    (void)text;
    write_command(r->out, "error", source, err->line, err->column, fer_code_info(err->code)->name,
                  FER_STR_NONE);
    write_escaped(r->out, fer_str_of(err->message), false);
    fer_out_text(r->out, "\n");
}

static void end(fer_report *r)
{
    const fer_counts *c = &r->counts;
    fer_out_text(r->out, "::notice title=ferrule::");
    if (r->about == FER_ABOUT_INSTANCES) {
        fer_out_printf(r->out, "%zu valid, %zu invalid, %zu unreadable\n", c->valid, c->invalid,
                       c->unreadable);
        return;
    }
    if (r->about != FER_ABOUT_SCHEMAS)
        fer_out_printf(r->out, "%zu tool%s%s", c->tools, fer_s(c->tools),
                       r->about == FER_ABOUT_CHANGES ? " changed" : "");
    else fer_out_printf(r->out, "%zu schema%s", c->files, fer_s(c->files));
    fer_out_printf(r->out, ", %zu error%s, %zu warning%s", c->errors, fer_s(c->errors), c->warnings,
                   fer_s(c->warnings));
    if (c->infos) fer_out_printf(r->out, ", %zu note%s", c->infos, fer_s(c->infos));
    if (c->suppressed) fer_out_printf(r->out, "; %zu suppressed", c->suppressed);
    if (c->accepted) fer_out_printf(r->out, "; %zu accepted by the baseline", c->accepted);
    fer_out_text(r->out, "\n");
}

const fer_report_kind fer_report_github = {"github", begin, remark, failure, end};
