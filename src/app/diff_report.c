/* SPDX-License-Identifier: Apache-2.0 */
#include "diff_report.h"

#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "report.h"
#include "tool.h"

static fer_impact gravest(const fer_tool_change *c)
{
    return c->callers > c->readers ? c->callers : c->readers;
}

/* What the version says next to what it should say. */
static const char *declared_text(const fer_tool_diff *t)
{
    switch (t->declared) {
    case FER_DECLARED_MISSING: return "no version is declared";
    case FER_DECLARED_RIGHT: return "declared";
    case FER_DECLARED_SMALLER: return "declared less";
    case FER_DECLARED_LARGER: return "declared more";
    case FER_DECLARED_BACK: break;
    }
    return "the version went back";
}

static void versions(fer_out *o, const fer_tool_diff *t)
{
    fer_str old = t->old ? fer_tool_version(t->old) : FER_STR("");
    fer_str now = t->now ? fer_tool_version(t->now) : FER_STR("");
    if (!old.len && !now.len) return;
    fer_out_text(o, " ");
    fer_out_clean(o, old.len ? old : FER_STR("(none)"));
    fer_out_text(o, " -> ");
    fer_out_clean(o, now.len ? now : FER_STR("(none)"));
}

/* ---- text -------------------------------------------------------------------------------------
 */

static void impact_word(fer_out *o, fer_impact impact)
{
    static const enum fer_style styles[] = {FER_STYLE_DIM, FER_STYLE_DIM, FER_STYLE_BLUE,
                                            FER_STYLE_YELLOW, FER_STYLE_RED};
    fer_out_style(o, styles[impact]);
    fer_out_printf(o, "  %-10s", impact == FER_IMPACT_NONE ? "" : fer_impact_name(impact));
    fer_out_style(o, FER_STYLE_NONE);
}

static void place_text(fer_out *o, const fer_tool *t, fer_place place)
{
    if (!t || !place.line) return;
    fer_out_text(o, "              ");
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_clean(o, t->source);
    fer_out_printf(o, ":%u:%u\n", place.line, place.column);
    fer_out_style(o, FER_STYLE_NONE);
}

static void change_text(fer_out *o, const fer_tool_diff *t, const fer_tool_change *c)
{
    impact_word(o, gravest(c));
    fer_out_text(o, "  ");
    fer_out_clean(o, c->message);
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_printf(o, " [%s]\n", c->kind->id);
    fer_out_style(o, FER_STYLE_NONE);
    if (c->new_place.line) place_text(o, t->now, c->new_place);
    else place_text(o, t->old, c->old_place);
    if (c->witness.len) {
        fer_out_text(o, "              witness: ");
        fer_out_clean(o, fer_str_head(c->witness, 400));
        fer_out_text(o, "\n");
    }
    if (c->reason.len) {
        fer_out_text(o, "              because: ");
        fer_out_clean(o, c->reason);
        fer_out_text(o, "\n");
    }
}

static void write_text(fer_out *o, const fer_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        const fer_tool_diff *t = &diff->tools[i];
        fer_out_style(o, FER_STYLE_BOLD);
        fer_out_clean(o, t->id);
        fer_out_style(o, FER_STYLE_NONE);
        versions(o, t);
        fer_out_printf(
            o, ": needs %s (%s%s%s)\n", fer_bump_name(t->needed), declared_text(t),
            t->declared == FER_DECLARED_MISSING || t->declared == FER_DECLARED_BACK ? "" : ": ",
            t->declared == FER_DECLARED_MISSING || t->declared == FER_DECLARED_BACK
                ? ""
                : fer_bump_name(t->declared_bump));
        for (size_t n = 0; n < t->count; n++) change_text(o, t, &t->changes[n]);
    }
    fer_out_printf(o, "%zu tool%s changed, %zu compared; needs %s\n", diff->count,
                   fer_s(diff->count), diff->compared, fer_bump_name(diff->needed));
}

/* ---- JSON ---------------------------------------------------------------------------------------
 */

static void member(fer_out *o, const char *key, fer_str value)
{
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, value);
}

static void place_json(fer_out *o, const char *key, const fer_tool *t, fer_str pointer,
                       fer_place place)
{
    if (!t || !pointer.ptr) return;
    fer_out_printf(o, ",\"%s\":{\"pointer\":", key);
    fer_out_json(o, pointer);
    if (place.line) {
        member(o, "file", t->source);
        fer_out_printf(o, ",\"line\":%u,\"column\":%u", place.line, place.column);
    }
    fer_out_text(o, "}");
}

static void change_json(fer_out *o, const fer_tool_diff *t, const fer_tool_change *c)
{
    static const char *const sides[] = {"tool", "input", "output"};
    fer_out_printf(o, "{\"kind\":\"%s\",\"level\":\"%s\",\"side\":\"%s\"", c->kind->id,
                   c->kind->level, sides[c->side]);
    member(o, "where", c->where);
    member(o, "message", c->message);
    fer_out_printf(o, ",\"callers\":\"%s\",\"readers\":\"%s\",\"bump\":\"%s\"",
                   fer_impact_name(c->callers), fer_impact_name(c->readers),
                   fer_bump_name(c->bump));
    place_json(o, "old", t->old, c->old_pointer, c->old_place);
    place_json(o, "new", t->now, c->new_pointer, c->new_place);
    if (c->witness.len) {
        fer_out_text(o, ",\"witness\":");
        fer_out_add(o, c->witness);
    }
    if (c->reason.len) member(o, "reason", c->reason);
    fer_out_text(o, "}");
}

static void tool_json(fer_out *o, const fer_tool_diff *t)
{
    static const char *const declared[] = {"missing", "right", "smaller", "larger", "back"};
    fer_out_text(o, "{\"id\":");
    fer_out_json(o, t->id);
    if (t->old && fer_tool_version(t->old).len) member(o, "oldVersion", fer_tool_version(t->old));
    if (t->now && fer_tool_version(t->now).len) member(o, "newVersion", fer_tool_version(t->now));
    fer_out_printf(
        o,
        ",\"callers\":\"%s\",\"readers\":\"%s\",\"needed\":\"%s\",\"declared\":\"%s\",\"declaredBump\":\"%s\",\"changes\":[",
        fer_impact_name(t->callers), fer_impact_name(t->readers), fer_bump_name(t->needed),
        declared[t->declared], fer_bump_name(t->declared_bump));
    for (size_t n = 0; n < t->count; n++) {
        if (n) fer_out_text(o, ",");
        change_json(o, t, &t->changes[n]);
    }
    fer_out_text(o, "]}");
}

static void write_json(fer_out *o, const fer_diff *diff)
{
    fer_out_printf(o, "{\"needed\":\"%s\",\"fails\":%s,\"compared\":%zu,\"tools\":[",
                   fer_bump_name(diff->needed), diff->fails ? "true" : "false", diff->compared);
    for (size_t i = 0; i < diff->count; i++) {
        fer_out_text(o, i ? ",\n" : "\n");
        tool_json(o, &diff->tools[i]);
    }
    fer_out_text(o, diff->count ? "\n]}\n" : "]}\n");
}

/* ---- Markdown
 * ------------------------------------------------------------------------------------ */

/* What would be markup is written so that it is none. */
static void plain(fer_out *o, fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (strchr("\\`*_<>[]|#", c) && c) fer_out_text(o, "\\");
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
        fer_out_add(o, (fer_str){&c, 1});
    }
}

/* As code; a backtick inside would end it. */
static void code_span(fer_out *o, fer_str s)
{
    fer_out_text(o, memchr(s.ptr, '`', s.len) ? "`` " : "`");
    fer_out_clean(o, s);
    fer_out_text(o, memchr(s.ptr, '`', s.len) ? " ``" : "`");
}

static void section(fer_out *o, const fer_tool_diff *t, bool breaking)
{
    bool first = true;
    for (size_t n = 0; n < t->count; n++) {
        const fer_tool_change *c = &t->changes[n];
        if ((gravest(c) >= FER_IMPACT_UNKNOWN) != breaking) continue;
        if (first) fer_out_printf(o, "\n%s\n\n", breaking ? "Breaking:" : "Compatible:");
        first = false;
        fer_out_text(o, "- ");
        plain(o, c->message);
        fer_out_printf(o, " (%s%s)", c->kind->id,
                       gravest(c) == FER_IMPACT_UNKNOWN ? ", not proved either way" : "");
        if (c->witness.len) {
            fer_out_text(o, "; witness ");
            code_span(o, fer_str_head(c->witness, 400));
        }
        fer_out_text(o, "\n");
    }
}

static void write_markdown(fer_out *o, const fer_diff *diff)
{
    fer_out_printf(o, "## Changes of tools: %s\n", fer_bump_name(diff->needed));
    for (size_t i = 0; i < diff->count; i++) {
        const fer_tool_diff *t = &diff->tools[i];
        fer_out_text(o, "\n### ");
        plain(o, t->id);
        versions(o, t);
        fer_out_printf(o, "\n\nNeeds a %s version (%s).\n", fer_bump_name(t->needed),
                       declared_text(t));
        section(o, t, true);
        section(o, t, false);
    }
    if (!diff->count) fer_out_text(o, "\nNothing has changed.\n");
}

/* ---- annotations -------------------------------------------------------------------------------
 */

/* What makes the command fail, as fer_toolset_diff says it of all tools. */
static bool fails(const fer_tool_diff *t)
{
    return t->declared == FER_DECLARED_SMALLER || t->declared == FER_DECLARED_BACK ||
           (t->declared == FER_DECLARED_MISSING && t->needed == FER_BUMP_MAJOR);
}

/* An error is a change that needs more than the version says, so that a run has errors where it
 * fails and only there. */
static fer_severity severity_of(const fer_tool_diff *t, const fer_tool_change *c)
{
    bool beyond =
        t->declared == FER_DECLARED_SMALLER ? c->bump > t->declared_bump : c->bump == t->needed;
    if (fails(t) && beyond) return FER_SEVERITY_ERROR;
    return gravest(c) >= FER_IMPACT_UNKNOWN ? FER_SEVERITY_WARNING : FER_SEVERITY_INFO;
}

/* A file of this tree: "git:REVISION:PATH" is one of another state of it, whose lines are others.
 */
static fer_str file_of(fer_str source, bool *other)
{
    size_t colon = fer_str_find(source, 4, ':');
    *other = fer_str_starts(source, "git:") && colon != SIZE_MAX;
    return *other ? fer_str_slice(source, colon + 1, source.len) : source;
}

static void annotate(fer_report *r, const fer_report_kind *kind, const fer_tool_diff *t,
                     const fer_tool_change *c)
{
    char message[FER_ERR_TEXT], hint[FER_ERR_TEXT] = "";
    bool other = false, gone = !t->now || !c || !c->new_place.line;
    const fer_tool *where = t->now ? t->now : t->old;
    snprintf(message, sizeof message, "%.*s: %.*s", FER_PRI(t->id),
             FER_PRI(fer_str_head(c ? c->message : fer_str_of(declared_text(t)), 500)));
    if (c && c->witness.len)
        snprintf(hint, sizeof hint, "witness: %.*s%s%.*s", FER_PRI(fer_str_head(c->witness, 200)),
                 c->reason.len ? "; " : "", FER_PRI(fer_str_head(c->reason, 200)));
    fer_remark m = {.rule = c ? c->kind->id : fer_code_info(FER_CONSTRAINT_VIOLATION)->name,
                    .severity = c ? severity_of(t, c) : FER_SEVERITY_ERROR,
                    .source = file_of(where->source, &other),
                    .pointer = c && !gone ? c->new_pointer : FER_STR(""),
                    .message = fer_str_of(message),
                    .hint = fer_str_of(hint)};
    if (!gone && !other) m.place = c->new_place;
    r->counts.errors += m.severity == FER_SEVERITY_ERROR;
    r->counts.warnings += m.severity == FER_SEVERITY_WARNING;
    r->counts.infos += m.severity == FER_SEVERITY_INFO;
    kind->remark(r, &m, FER_STR(""));
}

static void write_annotations(fer_out *o, const fer_diff *diff, const fer_report_kind *kind)
{
    fer_report r = {.out = o, .about = FER_ABOUT_CHANGES, .counts.tools = diff->count};
    kind->begin(&r);
    for (size_t i = 0; i < diff->count; i++) {
        const fer_tool_diff *t = &diff->tools[i];
        size_t before = r.counts.errors;
        for (size_t n = 0; n < t->count; n++) annotate(&r, kind, t, &t->changes[n]);
        if (fails(t) && r.counts.errors == before) annotate(&r, kind, t, NULL);
    }
    kind->end(&r);
}

static void write_github(fer_out *o, const fer_diff *diff)
{
    write_annotations(o, diff, &fer_report_github);
}

static void write_sarif(fer_out *o, const fer_diff *diff)
{
    write_annotations(o, diff, &fer_report_sarif);
}

fer_diff_writer *fer_diff_writer_find(const char *name)
{
    static const struct {
        const char *name;
        fer_diff_writer *write;
    } rows[] = {{"text", write_text},
                {"json", write_json},
                {"markdown", write_markdown},
                {"github", write_github},
                {"sarif", write_sarif}};
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (strcmp(name, rows[i].name) == 0) return rows[i].write;
    return NULL;
}
