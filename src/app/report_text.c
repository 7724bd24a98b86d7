/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as a good compiler shows them: place, sentence, source line, caret, hint. */
#include <stdio.h>
#include <string.h>

#include "json_doc.h"
#include "report.h"
#include "unicode.h"

#define REACH          400 /* bytes looked at to each side of a place */
#define LINE_MAX_SHOWN 100 /* code points of a source line */

static void begin(fer_report *r)
{
    (void)r;
}

/* The part of a line that is shown: all of it, or a window with the place a third from its left. */
struct window {
    fer_str shown;
    bool cut_left, cut_right;
    size_t at;     /* byte of the place in what is shown */
    size_t column; /* of the place, in terminal columns from the left of what is shown */
};

/* The bytes around a place, at most REACH to each side and within its line: lines may be as long as
 * files. */
static fer_str nearby(fer_str text, size_t offset, bool *cut_left, bool *cut_right)
{
    size_t from = offset, to = offset;
    while (from > 0 && offset - from < REACH && text.ptr[from - 1] != '\n') from--;
    while (to < text.len && to - offset < REACH && text.ptr[to] != '\n') to++;
    *cut_left = from > 0 && text.ptr[from - 1] != '\n';
    *cut_right = to < text.len && text.ptr[to] != '\n';
    while (*cut_left && from < offset && ((unsigned char)text.ptr[from] & 0xC0) == 0x80) from++;
    while (*cut_right && to > offset && ((unsigned char)text.ptr[to] & 0xC0) == 0x80) to--;
    if (!*cut_right && to > offset && text.ptr[to - 1] == '\r') to--;
    return fer_str_slice(text, from, to);
}

static struct window window_of(fer_str text, size_t offset)
{
    struct window w = {0};
    fer_str line = nearby(text, offset, &w.cut_left, &w.cut_right);
    size_t from = 0, at = (size_t)(text.ptr + offset - line.ptr);
    size_t before = fer_utf8_count(fer_str_slice(line, 0, at));
    w.shown = line;
    if (w.cut_left || w.cut_right || fer_utf8_count(line) > LINE_MAX_SHOWN) {
        size_t skip = before > LINE_MAX_SHOWN / 3 ? before - LINE_MAX_SHOWN / 3 : 0;
        from = fer_utf8_cut(line, skip).len;
        fer_str rest = fer_str_slice(line, from, line.len);
        w.shown = fer_utf8_cut(rest, LINE_MAX_SHOWN);
        w.cut_left = w.cut_left || from > 0;
        w.cut_right = w.cut_right || w.shown.len < rest.len;
    }
    w.at = at - from;
    w.column = fer_unicode_width(fer_str_slice(line, from, at)) + (w.cut_left ? 3 : 0);
    return w;
}

static void write_source(fer_out *o, fer_str text, size_t offset, uint32_t line, size_t length,
                         enum fer_style style)
{
    struct window w = window_of(text, offset < text.len ? offset : text.len);
    size_t end = length < w.shown.len - w.at ? w.at + length : w.shown.len;
    size_t width = fer_unicode_width(fer_str_slice(w.shown, w.at, end));
    fer_out_style(o, FER_STYLE_BLUE);
    fer_out_printf(o, "%6u | ", line);
    fer_out_style(o, FER_STYLE_NONE);
    if (w.cut_left) fer_out_text(o, "...");
    fer_out_clean(o, w.shown);
    fer_out_text(o, w.cut_right ? "...\n" : "\n");
    fer_out_style(o, FER_STYLE_BLUE);
    fer_out_printf(o, "       | %*s", (int)w.column, "");
    fer_out_style(o, style);
    fer_out_text(o, "^");
    for (size_t i = 1; i < width; i++) fer_out_text(o, "~");
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
}

static enum fer_style style_of(fer_severity severity)
{
    static const enum fer_style styles[] = {FER_STYLE_RED, FER_STYLE_YELLOW, FER_STYLE_BLUE};
    return severity < FER_COUNT(styles) ? styles[severity] : FER_STYLE_NONE;
}

/* What stands before the message: a rule with its severity, or for instances the code alone. */
static void write_head(fer_report *r, fer_str source, uint32_t line, uint32_t column,
                       fer_severity severity, const char *id, fer_str profile, fer_str message)
{
    fer_out *o = r->out;
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_clean(o, source);
    if (line) fer_out_printf(o, ":%u:%u", line, column);
    fer_out_text(o, ": ");
    fer_out_style(o, style_of(severity));
    if (r->about == FER_ABOUT_INSTANCES) {
        fer_out_text(o, id);
    } else {
        fer_out_printf(o, "%s[%s%s", fer_severity_name(severity), id, profile.len ? ", " : "");
        fer_out_clean(o, profile);
        fer_out_text(o, "]");
    }
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_text(o, ": ");
    fer_out_clean(o, message);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
}

static void note(fer_out *o)
{
    fer_out_style(o, FER_STYLE_BLUE);
    fer_out_text(o, "       = ");
    fer_out_style(o, FER_STYLE_NONE);
}

static void write_tool(fer_out *o, const fer_remark *m)
{
    const fer_finding *f = m->finding;
    note(o);
    fer_out_printf(o, "tool %zu", f->number);
    if (f->tool.len) {
        fer_out_text(o, " (");
        fer_out_clean(o, fer_utf8_cut(f->tool, FER_NAME_MAX * 2 + 64));
        fer_out_text(o, ")");
    }
    if (f->pointer.len) {
        fer_out_text(o, ", at ");
        fer_out_clean(o, f->pointer);
    }
    fer_out_text(o, "\n");
}

/* What a limit allows, and how the provider words it. */
static void write_demand(fer_out *o, const fer_finding *f)
{
    if (f->limit.len || f->actual.len) {
        note(o);
        fer_out_text(o, f->limit.len ? "limit: " : "");
        fer_out_clean(o, f->limit);
        fer_out_text(o, f->actual.len && f->limit.len ? ", actual: "
                        : f->actual.len               ? "actual: "
                                                      : "");
        fer_out_clean(o, f->actual);
        fer_out_text(o, "\n");
    }
    if (!f->provider_text.len) return;
    note(o);
    fer_out_text(o, "the provider says: ");
    fer_out_clean(o, f->provider_text);
    fer_out_text(o, "\n");
}

/* The keyword that refused: its file and line where it is in the schema's text, else its URI. */
static void write_schema(fer_out *o, const fer_remark *m)
{
    note(o);
    fer_out_text(o, "schema: ");
    if (m->schema_place.line) {
        fer_out_clean(o, m->schema);
        fer_out_printf(o, ":%u:%u, ", m->schema_place.line, m->schema_place.column);
    }
    fer_out_clean(o, m->violation->absolute_location);
    fer_out_text(o, "\n");
}

static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    fer_out *o = r->out;
    write_head(r, m->source, m->place.line, m->place.column, m->severity, m->rule,
               m->finding ? m->finding->profile : FER_STR_NONE, m->message);
    if (m->place.line && !r->hide)
        write_source(o, text, m->offset, m->place.line, m->length, style_of(m->severity));
    if (m->finding) {
        write_tool(o, m);
        write_demand(o, m->finding);
    } else if (m->pointer.len) {
        note(o);
        fer_out_text(o, "at ");
        fer_out_clean(o, m->pointer);
        fer_out_text(o, "\n");
    }
    if (m->hint.len) {
        note(o);
        fer_out_text(o, "hint: ");
        fer_out_clean(o, m->hint);
        fer_out_text(o, "\n");
    }
    if (m->violation) write_schema(o, m);
}

static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    write_head(r, source, err->line, err->column, FER_SEVERITY_ERROR,
               fer_code_info(err->code)->name, FER_STR_NONE, fer_str_of(err->message));
    if (err->line && text.ptr && !r->hide)
        write_source(r->out, text, err->offset, err->line, 1, FER_STYLE_RED);
}

static void count(fer_out *o, size_t n, const char *one, const char *many)
{
    fer_out_printf(o, "%zu %s", n, n == 1 ? one : many);
}

static void end_instances(fer_report *r)
{
    const fer_counts *c = &r->counts;
    fer_out *o = r->out;
    fer_out_printf(o, "%zu valid, ", c->valid);
    fer_out_style(o, c->invalid ? FER_STYLE_RED : FER_STYLE_NONE);
    fer_out_printf(o, "%zu invalid", c->invalid);
    fer_out_style(o, FER_STYLE_NONE);
    if (c->unreadable) fer_out_printf(o, ", %zu could not be read", c->unreadable);
    fer_out_text(o, "\n");
}

static void end(fer_report *r)
{
    const fer_counts *c = &r->counts;
    fer_out *o = r->out;
    if (c->errors + c->warnings + c->infos) fer_out_text(o, "\n");
    if (r->about == FER_ABOUT_INSTANCES) {
        end_instances(r);
        return;
    }
    bool tools = r->about == FER_ABOUT_TOOLS;
    count(o, c->files, tools ? "file, " : "schema: ", tools ? "files, " : "schemas: ");
    if (tools) count(o, c->tools, "tool: ", "tools: ");
    fer_out_style(o, c->errors ? FER_STYLE_RED : FER_STYLE_NONE);
    count(o, c->errors, "error", "errors");
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, ", ");
    fer_out_style(o, c->warnings ? FER_STYLE_YELLOW : FER_STYLE_NONE);
    count(o, c->warnings, "warning", "warnings");
    fer_out_style(o, FER_STYLE_NONE);
    if (c->infos) fer_out_text(o, ", ");
    if (c->infos) count(o, c->infos, "note", "notes");
    if (c->suppressed) fer_out_printf(o, "; %zu suppressed", c->suppressed);
    if (c->accepted) fer_out_printf(o, "; %zu accepted by the baseline", c->accepted);
    if (c->unreadable) {
        fer_out_text(o, "; ");
        count(o, c->unreadable, "file could not be read in full",
              "files could not be read in full");
    }
    fer_out_text(o, "\n");
}

const fer_report_kind fer_report_text = {"text", begin, remark, failure, end};
