/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule check: reads inputs tool by tool and reports as it goes, in flat memory. */
#include <limits.h>
#include <string.h>

#include "baseline.h"
#include "check_fix.h"
#include "check_setup.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"
#include "progress.h"
#include "report.h"
#include "sink.h"
#include "sys.h"
#include "toolset.h"

struct check {
    fer_app *app;
    const fer_report_kind *kind; /* NULL: quiet */
    fer_report report;
    fer_str text; /* of the input at hand */
    fer_reader reader;
    fer_progress progress;
    fer_str source;
    bool unreadable;    /* something of the input at hand could not be read */
    bool together;      /* all inputs are one set: it ends with the last */
    fer_severity shown; /* the least grave that is reported */
    fer_baseline accepted;
    enum {
        NO_BASELINE,
        READ_BASELINE, /* what is accepted is only counted */
        WRITE_BASELINE /* everything is accepted */
    } baseline;
    char baseline_file[PATH_MAX]; /* where it is; "": not there, or there is none */
    size_t numbered;              /* then: tools of the inputs before */
};

static const fer_report_kind *report_kind(const fer_app *app)
{
    const char *format = fer_app_option(app, "format");
    if (fer_app_option(app, "quiet")) return NULL;
    return fer_report_find(format ? format : "text");
}

/* An input, or an entry of one, that could not be read. */
static void report_failure(struct check *c, const fer_err *why)
{
    fer_progress_clear(&c->progress);
    c->report.counts.errors++;
    c->unreadable = true;
    if (c->kind) {
        c->kind->failure(&c->report, c->source, why, c->text);
    } else {
        fer_err named = *why;
        fer_fail_in(&named, c->source);
        fer_app_fail(c->app, &named);
    }
}

static void report_finding(struct check *c, const fer_finding *f)
{
    if (!c->kind || f->severity > c->shown) return;
    fer_remark m = fer_remark_of_finding(f);
    c->kind->remark(&c->report, &m, c->text);
}

/* What was accepted, or is now, is counted as such and reported by nobody. */
static fer_code take_finding(struct check *c, const fer_finding *f, size_t by_severity[],
                             fer_err *err)
{
    bool accepted = c->baseline == WRITE_BASELINE;
    fer_code code = accepted ? fer_baseline_add(&c->accepted, f, err)
                             : fer_baseline_take(&c->accepted, f, &accepted, err);
    if (code) return code;
    if (!accepted) {
        report_finding(c, f);
        return FER_OK;
    }
    by_severity[f->severity]--;
    c->report.counts.accepted++;
    return FER_OK;
}

static fer_code take_findings(struct check *c, const fer_visited *visited, fer_err *err)
{
    const fer_finding *findings;
    size_t by_severity[FER_SEVERITY_OFF];
    memcpy(by_severity, visited->by_severity, sizeof by_severity);
    fer_code code = fer_visited_findings(visited, &findings, err);
    for (size_t i = 0; !code && i < visited->finding_count; i++) {
        if (c->baseline) code = take_finding(c, &findings[i], by_severity, err);
        else report_finding(c, &findings[i]);
    }
    if (!code) fer_counts_add(&c->report.counts, by_severity);
    return code;
}

static fer_code visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct check *c = context;
    if (visited->failure) {
        report_failure(c, visited->failure);
        return FER_OK;
    }
    c->report.counts.tools += visited->tool != NULL;
    if (visited->finding_count) fer_progress_clear(&c->progress);
    if (!c->kind && !c->baseline) {
        fer_counts_add(&c->report.counts, visited->by_severity);
    } else {
        fer_code code = take_findings(c, visited, err);
        if (code) return code;
    }
    if (c->app->out.terminal) fer_out_flush(&c->app->out);
    fer_progress_show(&c->progress, c->report.counts.tools, c->reader.at, c->text.len);
    return FER_OK;
}

static fer_code check_input(struct check *c, fer_inputs *in, size_t index, fer_check_run *run,
                            fer_err *err)
{
    c->text = FER_STR("");
    fer_code code = fer_inputs_read(in, c->app, index, &c->source, &c->text, err);
    if (code) return code;
    code = fer_reader_init(&c->reader, NULL, c->source, c->text, in->format, err);
    if (code) return code;
    size_t before = c->report.counts.tools;
    if (c->together) c->reader.number = c->numbered;
    code = fer_visit(&c->reader, c->source, run, visit, c, err);
    fer_log_event(&c->app->log, FER_LOG_INFO, "input.checked", FER_LOG_S("file", c->source),
                  FER_LOG_S("shape", fer_str_of(fer_shape_info(c->reader.shape)->name)),
                  FER_LOG_S("container", fer_str_of(c->reader.container)),
                  FER_LOG_I("tools", c->report.counts.tools - before));
    c->numbered = c->reader.number;
    /* What is found about the set is shown with the text it stands in, even where that ended early.
     */
    fer_err late;
    fer_code ended = c->together ? FER_OK : fer_visit_end(run, visit, c, &late);
    if (ended && !code) *err = late;
    fer_reader_deinit(&c->reader);
    return code ? code : ended;
}

struct late {
    struct check *check;
    fer_inputs *inputs;
};

/* Has the text at hand again that a finding stands in; what came by a pipe is gone. */
static void find_text(const struct late *l, fer_str source)
{
    struct check *c = l->check;
    fer_err unread;
    fer_str name, text;
    if (c->source.ptr == source.ptr) return;
    c->source = source;
    c->text = FER_STR("");
    for (size_t i = 0; i < l->inputs->count; i++) {
        bool here = fer_str_is(source, l->inputs->paths[i]);
        if (here && !fer_inputs_read(l->inputs, c->app, i, &name, &text, &unread)) c->text = text;
    }
}

/* Findings about all inputs together, one by one, as each may stand in another text. */
static fer_code visit_late(void *context, const fer_visited *visited, fer_err *err)
{
    const struct late *l = context;
    fer_code code = FER_OK;
    for (size_t i = 0; i < visited->finding_count && !code; i++) {
        fer_visited one = {.findings = &visited->findings[i], .finding_count = 1};
        one.by_severity[one.findings->severity] = 1;
        find_text(l, one.findings->source);
        code = visit(l->check, &one, err);
    }
    return code;
}

/* The baseline may lie among what it is about. */
static bool is_baseline(const struct check *c, const char *path)
{
    char real[PATH_MAX];
    return c->baseline_file[0] && fer_sys_realpath(path, real) &&
           strcmp(real, c->baseline_file) == 0;
}

/* An input that fails is reported and the next one is read; without memory there is no next. */
static fer_code check_all(struct check *c, fer_inputs *in, fer_check_run *run, fer_err *err)
{
    for (size_t i = 0; i < in->count; i++) {
        if (is_baseline(c, in->paths[i])) continue;
        c->unreadable = false;
        fer_code code = check_input(c, in, i, run, err);
        c->report.counts.files++;
        if (code == FER_OUT_OF_MEMORY) return code;
        if (code) report_failure(c, err);
        c->report.counts.unreadable += c->unreadable;
    }
    struct late late = {c, in};
    return c->together ? fer_visit_end(run, visit_late, &late, err) : FER_OK;
}

/* Nothing is accepted of what could not be read. */
static int write_baseline(struct check *c)
{
    const char *path = fer_app_option(c->app, "write-baseline");
    fer_sink sink;
    fer_str text = FER_STR_NONE;
    fer_err err;
    if (c->report.counts.unreadable) {
        fer_app_say(c->app, "%s is not written: not everything could be read", path);
        return FER_EXIT_USAGE;
    }
    fer_code code = fer_baseline_write(&c->accepted, &text, &err);
    if (!code) code = fer_sink_open(&sink, c->app, path, &err);
    if (!code) {
        fer_out_add(sink.out, text);
        code = fer_sink_close(&sink, true, &err);
    }
    return code ? fer_app_fail(c->app, &err) : FER_EXIT_OK;
}

/* What is accepted and is no more should not stay, or it would cover what comes later. */
static void tell_gone(struct check *c)
{
    size_t gone = c->baseline == READ_BASELINE ? fer_baseline_gone(&c->accepted) : 0;
    if (!gone || !c->kind) return;
    fer_app_say(c->app,
                "%zu accepted finding%s not met; where all files and profiles were given, "
                "--write-baseline %s takes %s out",
                gone, gone == 1 ? " was" : "s were", fer_app_option(c->app, "baseline"),
                gone == 1 ? "it" : "them");
}

static int run_checks(struct check *c, fer_inputs *in, const fer_checks *checks)
{
    fer_check_run run;
    fer_err err;
    if (!fer_check_run_init(&run, in->names, checks)) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(c->app, &err);
    }
    fer_progress_init(&c->progress, "tools");
    if (c->kind) c->kind->begin(&c->report);
    fer_code code = check_all(c, in, &run, &err);
    fer_progress_clear(&c->progress);
    c->report.counts.suppressed = run.suppressed;
    fer_check_run_deinit(&run);
    if (code) return fer_app_fail(c->app, &err);
    if (c->kind) c->kind->end(&c->report);
    const fer_counts *n = &c->report.counts;
    if (c->baseline == WRITE_BASELINE) return write_baseline(c);
    if (n->unreadable) return FER_EXIT_USAGE;
    tell_gone(c);
    bool found = n->errors || (n->warnings && fer_app_option(c->app, "strict"));
    return found ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

/* One text, answered as the platform of tools_json does. */
static int answer(fer_app *app, fer_inputs *in)
{
    fer_str name, text = FER_STR_NONE, said = FER_STR_NONE;
    fer_err err;
    bool ok = false;
    fer_arena *arena = fer_arena_new(0);
    if (in->count != 1) {
        fer_arena_free(arena);
        return fer_app_usage(app, "--platform-answer takes one file");
    }
    fer_code code = arena ? fer_inputs_read(in, app, 0, &name, &text, &err)
                          : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_tools_json_answer(arena, text, &ok, &said, &err);
    if (!code) {
        fer_out_add(&app->out, said);
        fer_out_text(&app->out, "\n");
    }
    fer_arena_free(arena);
    if (code) return fer_app_fail(app, &err);
    return ok ? FER_EXIT_OK : FER_EXIT_FINDINGS;
}

/* 0, or an exit code. */
static int open_baseline(struct check *c, fer_arena *a)
{
    const char *path = fer_app_option(c->app, "baseline");
    fer_str text = FER_STR_NONE;
    fer_err err;
    fer_baseline_init(&c->accepted, a);
    const char *written = fer_app_option(c->app, "write-baseline");
    if ((path || written) && fer_app_option(c->app, "platform-answer"))
        return fer_app_usage(c->app, "--platform-answer goes without a baseline");
    if (path && written)
        return fer_app_usage(c->app, "--baseline reads and --write-baseline writes: give one");
    if (written && strcmp(written, "-") == 0)
        return fer_app_usage(c->app, "--write-baseline takes a file, not standard output");
    if (written) c->baseline = WRITE_BASELINE;
    if ((path || written) && !fer_sys_realpath(path ? path : written, c->baseline_file))
        c->baseline_file[0] = '\0';
    for (size_t i = 0; i < c->app->arg_count; i++)
        if (is_baseline(c, c->app->args[i]))
            return fer_app_usage(c->app, "%s is checked itself: a baseline is a file of its own",
                                 c->app->args[i]);
    if (!path) return 0;
    fer_code code = fer_file_read(a, path, fer_json_limits_file()->size, &text, &err);
    if (!code) {
        code = fer_baseline_read(&c->accepted, text, &err);
        if (code) fer_fail_in(&err, fer_str_of(path));
    }
    c->baseline = READ_BASELINE;
    if (!code) return 0;
    int exit = fer_app_fail(c->app, &err);
    return exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}

int fer_run_check(fer_app *app)
{
    fer_inputs in;
    fer_setup setup;
    struct check c = {.app = app,
                      .kind = report_kind(app),
                      .report = {.out = &app->out, .strict = fer_app_option(app, "strict") != NULL},
                      .together = fer_app_option(app, "one-request") != NULL,
                      .shown = FER_SEVERITY_INFO};
    const char *shown = fer_app_option(app, "show");
    if (shown) fer_severity_parse(fer_str_of(shown), &c.shown);
    int bad = fer_setup_init(&setup, app);
    if (bad) return bad;
    bad = open_baseline(&c, setup.arena);
    if (!bad) bad = fer_inputs_init(&in, app, 0);
    if (!bad) {
        bool fix = fer_app_option(app, "fix") || fer_app_option(app, "dry-run");
        int failed = fix ? fer_check_fix(app, &in, &setup) : 0;
        bad = failed                                   ? failed
              : fer_app_option(app, "platform-answer") ? answer(app, &in)
                                                       : run_checks(&c, &in, setup.checks);
        fer_inputs_deinit(&in);
    }
    fer_setup_deinit(&setup);
    return bad;
}
