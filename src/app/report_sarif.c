/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0, as code scanning services read it. */
#include <stdio.h>
#include <string.h>

#include <ferrule/evolve.h>

#include "report.h"
#include "unicode.h"

/* SARIF's word for a severity. */
static const char *level_of(fer_severity severity)
{
    return severity == FER_SEVERITY_INFO ? "note" : fer_severity_name(severity);
}

/* One row of the rules. Code scanning wants all three texts. */
static void write_rule(fer_out *o, const char *id, const char *says, const char *why,
                       const char *fix, const char *level)
{
    fer_out_printf(o, "\n{\"id\":\"%s\",\"shortDescription\":{\"text\":", id);
    fer_out_json(o, fer_str_of(says));
    fer_out_text(o, "},\"fullDescription\":{\"text\":");
    fer_out_json(o, fer_str_of(why));
    fer_out_text(o, "},\"help\":{\"text\":");
    fer_out_json(o, fer_str_of(fix));
    fer_out_printf(o, "},\"defaultConfiguration\":{\"level\":\"%s\"}}", level);
}

static void write_tool_rules(fer_out *o)
{
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        write_rule(o, r->id, r->text, r->why, r->fix, level_of(r->severity));
        fer_out_text(o, ",");
    }
}

static void write_schema_rules(fer_out *o)
{
    size_t count;
    const fer_schema_rule *rules = fer_schema_rules(&count);
    for (size_t i = 0; i < count; i++) {
        write_rule(o, rules[i].id, rules[i].text, rules[i].why, rules[i].fix,
                   rules[i].warning ? "warning" : "error");
        fer_out_text(o, ",");
    }
}

static void write_change_rules(fer_out *o)
{
    size_t count;
    const fer_change_kind *kinds = fer_change_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        char why[1024];
        snprintf(why, sizeof why, "To callers: %s. To readers: %s.", kinds[i].callers,
                 kinds[i].readers);
        write_rule(o, kinds[i].id, kinds[i].text, why,
                   "Give the tool the version that the change needs, or take the change back; "
                   "ferrule reference changes lists all kinds.",
                   "warning");
        fer_out_text(o, ",");
    }
}

/* Results name codes too: of instances they are the rules, of what cannot be read the reason. */
static void write_codes(fer_out *o)
{
    size_t count;
    const fer_code_row *rows = fer_code_table(&count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        char help[128];
        if (rows[i].code == FER_OK) continue;
        snprintf(help, sizeof help, "ferrule explain %s tells what it means on every wire.",
                 rows[i].name);
        if (any) fer_out_text(o, ",");
        any = true;
        write_rule(o, rows[i].name, rows[i].text, rows[i].text, help, "error");
    }
}

static void begin(fer_report *r)
{
    fer_out_printf(
        r->out,
        "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
        "\"tool\":{\"driver\":{\"name\":\"ferrule\",\"version\":\"%s\",\"rules\":[",
        fer_version());
    if (r->about == FER_ABOUT_TOOLS) write_tool_rules(r->out);
    if (r->about == FER_ABOUT_SCHEMAS) write_schema_rules(r->out);
    if (r->about == FER_ABOUT_CHANGES) write_change_rules(r->out);
    write_codes(r->out);
    fer_out_text(r->out, "]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
}

/*
 * A path as a URI: what is not unreserved or '/' is percent-encoded. A relative one is a reference,
 * which may not begin with a slash (SARIF 2.1.0, 3.4.3); an absolute one is a file's URI.
 */
static void write_uri(fer_out *o, fer_str path)
{
    fer_out_text(o, fer_str_starts(path, "/") ? "\"file://" : "\"");
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (fer_is_alpha((char)c) || fer_is_digit((char)c) || (c && strchr("-._~/", c)))
            fer_out_add(o, (fer_str){path.ptr + i, 1});
        else fer_out_printf(o, "%%%02X", c);
    }
    fer_out_text(o, "\"");
}

static void begin_result(fer_report *r, const char *rule, const char *level, fer_str message,
                         fer_str hint)
{
    fer_out *o = r->out;
    fer_out_printf(o, "%s\n{\"ruleId\":\"%s\",\"level\":\"%s\",\"message\":{\"text\":",
                   r->any ? "," : "", rule, level);
    r->any = true;
    char joined[2 * FER_ERR_TEXT + 8];
    int len = snprintf(joined, sizeof joined, "%.*s%s%.*s", FER_PRI(message), hint.len ? "; " : "",
                       FER_PRI(hint));
    fer_out_json(o, (fer_str){joined, len < 0 ? 0 : (size_t)len});
    fer_out_text(o, "}");
}

static void begin_location(fer_out *o, fer_str source)
{
    fer_out_text(o, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    write_uri(o, source);
    fer_out_text(o, "}");
}

/* What SARIF has no place for: which tool, and what the profile says. */
static void write_properties(fer_out *o, const fer_finding *f)
{
    const struct {
        const char *name;
        fer_str value;
    } rows[] = {{"tool", f->tool},
                {"profile", f->profile},
                {"limit", f->limit},
                {"actual", f->actual},
                {"providerText", f->provider_text}};
    fer_out_printf(o, ",\"properties\":{\"toolNumber\":%zu", f->number);
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (!rows[i].value.len) continue;
        fer_out_printf(o, ",\"%s\":", rows[i].name);
        fer_out_json(o, rows[i].value);
    }
    fer_out_text(o, "}");
}

static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    fer_out *o = r->out;
    begin_result(r, m->rule, level_of(m->severity), m->message, m->hint);
    begin_location(o, m->source);
    if (m->place.line) {
        size_t end = m->offset + m->length < text.len ? m->offset + m->length : text.len;
        fer_str token = fer_str_slice(text, m->offset < end ? m->offset : end, end);
        fer_out_printf(o, ",\"region\":{\"startLine\":%u,\"startColumn\":%u,\"endColumn\":%zu}",
                       m->place.line, m->place.column, m->place.column + fer_utf8_count(token));
    }
    fer_out_text(o, "},\"logicalLocations\":[{\"fullyQualifiedName\":");
    fer_out_json(o, m->pointer);
    fer_out_text(o, "}]}]");
    if (m->finding) write_properties(o, m->finding);
    if (m->violation) {
        fer_out_text(o, ",\"properties\":{\"absoluteKeywordLocation\":");
        fer_out_json(o, m->violation->absolute_location);
        fer_out_text(o, "}");
    }
    fer_out_text(o, "}");
}

static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    fer_out *o = r->out;
    (void)text;
    begin_result(r, fer_code_info(err->code)->name, "error", fer_str_of(err->message),
                 FER_STR_NONE);
    begin_location(o, source);
    if (err->line)
        fer_out_printf(o, ",\"region\":{\"startLine\":%u,\"startColumn\":%u}", err->line,
                       err->column);
    fer_out_text(o, "}}]}");
}

static void end(fer_report *r)
{
    fer_out_printf(r->out, "%s],\"invocations\":[{\"executionSuccessful\":%s}]}]}\n",
                   r->any ? "\n" : "", r->counts.unreadable ? "false" : "true");
}

const fer_report_kind fer_report_sarif = {"sarif", begin, remark, failure, end};
