/* SPDX-License-Identifier: Apache-2.0 */
/* GitLab's Code Quality report: an array of what was found, each with a fingerprint that stays the
 * same when lines move. */
#include <assert.h>

#include "digest.h"
#include "report.h"

static void begin(fer_report *r)
{
    fer_out_text(r->out, "[");
}

static const char *severity_of(fer_severity severity)
{
    switch (severity) {
    case FER_SEVERITY_ERROR: return "major";
    case FER_SEVERITY_WARNING: return "minor";
    default: return "info";
    }
}

#define PARTS 6

/* Of what says which finding it is: lines are left out, as they move. The sum of the parts' sums,
 * so that no part runs into the next. */
static void write_fingerprint(fer_out *o, const fer_str *parts, size_t count)
{
    unsigned char sums[PARTS][FER_DIGEST_SIZE], sum[FER_DIGEST_SIZE];
    char hex[2 * FER_DIGEST_SIZE + 1] = "";
    assert(count <= PARTS);
    for (size_t i = 0; i < count; i++) fer_digest_text(parts[i], sums[i]);
    fer_digest_text((fer_str){(const char *)sums, count * sizeof sums[0]}, sum);
    fer_digest_hex(hex, sum, sizeof sum);
    fer_out_printf(o, ",\"fingerprint\":\"%s\"", hex);
}

/* A path of the repository, as GitLab has it: nothing in front. */
static fer_str path_of(fer_str source)
{
    return fer_str_starts(source, "./") ? fer_str_slice(source, 2, source.len) : source;
}

static void write_entry(fer_report *r, const char *rule, const char *severity, fer_str source,
                        uint32_t line, fer_str message)
{
    fer_out *o = r->out;
    fer_out_printf(o, "%s\n{\"check_name\":\"%s\",\"severity\":\"%s\",\"description\":",
                   r->any ? "," : "", rule, severity);
    r->any = true;
    fer_out_json(o, message);
    fer_out_text(o, ",\"location\":{\"path\":");
    fer_out_json(o, path_of(source));
    fer_out_printf(o, ",\"lines\":{\"begin\":%u}}", line ? line : 1);
}

static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    const fer_finding *f = m->finding;
    const fer_str parts[PARTS] = {path_of(m->source),
                                  fer_str_of(m->rule),
                                  f ? f->profile : FER_STR_NONE,
                                  f ? f->tool : FER_STR_NONE,
                                  f ? f->tool_pointer : m->pointer,
                                  m->message};
    (void)text;
    write_entry(r, m->rule, severity_of(m->severity), m->source, m->place.line, m->message);
    write_fingerprint(r->out, parts, FER_COUNT(parts));
    fer_out_text(r->out, "}");
}

static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    const char *name = fer_code_info(err->code)->name;
    const fer_str parts[] = {path_of(source), fer_str_of(name), fer_str_of(err->message)};
    (void)text;
    write_entry(r, name, "critical", source, err->line, fer_str_of(err->message));
    write_fingerprint(r->out, parts, FER_COUNT(parts));
    fer_out_text(r->out, "}");
}

static void end(fer_report *r)
{
    fer_out_printf(r->out, "%s]\n", r->any ? "\n" : "");
}

const fer_report_kind fer_report_gitlab = {"gitlab", begin, remark, failure, end};
