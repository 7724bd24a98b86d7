/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule check: reads inputs tool by tool and reports as it goes, in flat memory. */
#include "check_setup.h"
#include "errors.h"
#include "inputs.h"
#include "progress.h"
#include "report.h"
#include "toolset.h"

struct check {
    fer_app *app;
    const fer_report_kind *kind; /* NULL: quiet */
    fer_report report;
    fer_str text; /* of the input at hand */
    fer_reader reader;
    fer_progress progress;
    fer_str source;
    bool unreadable; /* something of the input at hand could not be read */
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
        fer_inputs_name_error(&named, c->source);
        fer_app_fail(c->app, &named);
    }
}

static fer_code visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct check *c = context;
    (void)err;
    if (visited->failure) {
        report_failure(c, visited->failure);
        return FER_OK;
    }
    c->report.counts.tools += visited->tool != NULL;
    if (visited->finding_count) fer_progress_clear(&c->progress);
    for (size_t i = 0; i < visited->finding_count; i++) {
        fer_counts_add(&c->report.counts, visited->findings[i].severity);
        if (!c->kind) continue;
        fer_remark m = fer_remark_of_finding(&visited->findings[i]);
        c->kind->remark(&c->report, &m, c->text);
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
    code = fer_visit(&c->reader, c->source, run, visit, c, err);
    fer_log_event(&c->app->log, FER_LOG_INFO, "input.checked", FER_LOG_S("file", c->source),
                  FER_LOG_S("shape", fer_str_of(fer_shape_info(c->reader.shape)->name)),
                  FER_LOG_S("container", fer_str_of(c->reader.container)),
                  FER_LOG_I("tools", c->report.counts.tools - before));
    /* What is found about the set is shown with the text it stands in, even where that ended early.
     */
    fer_err late;
    fer_code ended = fer_visit_end(run, visit, c, &late);
    if (ended && !code) *err = late;
    fer_reader_deinit(&c->reader);
    return code ? code : ended;
}

/* An input that fails is reported and the next one is read; without memory there is no next. */
static fer_code check_all(struct check *c, fer_inputs *in, fer_check_run *run, fer_err *err)
{
    for (size_t i = 0; i < in->count; i++) {
        c->unreadable = false;
        fer_code code = check_input(c, in, i, run, err);
        c->report.counts.files++;
        if (code == FER_OUT_OF_MEMORY) return code;
        if (code) report_failure(c, err);
        c->report.counts.unreadable += c->unreadable;
    }
    return FER_OK;
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
    if (n->unreadable) return FER_EXIT_USAGE;
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

int fer_run_check(fer_app *app)
{
    fer_inputs in;
    fer_setup setup;
    struct check c = {.app = app, .kind = report_kind(app), .report = {.out = &app->out}};
    int bad = fer_setup_init(&setup, app);
    if (bad) return bad;
    bad = fer_inputs_init(&in, app, 0);
    if (!bad) {
        bad = fer_app_option(app, "platform-answer") ? answer(app, &in)
                                                     : run_checks(&c, &in, setup.checks);
        fer_inputs_deinit(&in);
    }
    fer_setup_deinit(&setup);
    return bad;
}
