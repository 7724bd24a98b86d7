/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule validate: instances against a schema, one at a time, in flat memory. */
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "inputs.h"
#include "instances.h"
#include "progress.h"
#include "sink.h"
#include "verdict.h"

struct validate {
    fer_app *app;
    fer_source schema;
    const fer_report_kind *kind; /* NULL: quiet */
    fer_report report;
    fer_output output; /* of the standard formats */
    fer_validate_options options;
    fer_adapt_options adapt;
    bool adapting; /* any of these */
    bool changes;  /* are printed instead of the instances */
    bool pretty;
    fer_sink sink;
    fer_out errors; /* standard error */
    fer_arena *arena;
    fer_progress progress;
};

/* ---- options ----------------------------------------------------------------------------------
 */

static bool given(const struct validate *v, const char *name)
{
    return fer_app_option(v->app, name) != NULL;
}

/* 0, or an exit code. */
static int check_options(struct validate *v)
{
    fer_app *app = v->app;
    const char *schema = fer_app_option(app, "schema"), *tools = fer_app_option(app, "tools");
    if (given(v, "tool") != given(v, "tools"))
        return fer_app_usage(app, "--tool and --tools belong together");
    if (given(v, "schema") == given(v, "tool"))
        return fer_app_usage(app, "validate needs either --schema, or --tool and --tools");
    if (given(v, "input") && given(v, "output"))
        return fer_app_usage(app, "--input and --output exclude each other");
    if ((given(v, "input") || given(v, "output")) && !given(v, "tool"))
        return fer_app_usage(app, "--input and --output choose a schema of a --tool");
    if ((given(v, "write") || given(v, "changes")) && !v->adapting)
        return fer_app_usage(app, "--write and --changes need --fill-defaults, --repair, "
                                  "--strip-unknown or --null-to-absent");
    bool schema_stdin = strcmp(schema ? schema : tools, "-") == 0;
    for (size_t i = 0; i < app->arg_count; i++) {
        if (schema_stdin && strcmp(app->args[i], "-") == 0)
            return fer_app_usage(app, "standard input cannot be both schema and instance");
    }
    if (schema_stdin && app->arg_count == 0)
        return fer_app_usage(app, "the schema comes from standard input: name the instances");
    return 0;
}

static int read_options(struct validate *v)
{
    const char *format = fer_app_option(v->app, "format"),
               *max = fer_app_option(v->app, "max-findings");
    uint64_t most = 0;
    v->adapt = (fer_adapt_options){.fill_defaults = given(v, "fill-defaults"),
                                   .repair = given(v, "repair"),
                                   .strip_unknown = given(v, "strip-unknown"),
                                   .null_to_absent = given(v, "null-to-absent")};
    v->adapting = v->adapt.fill_defaults || v->adapt.repair || v->adapt.strip_unknown ||
                  v->adapt.null_to_absent;
    v->changes = given(v, "changes");
    int bad = check_options(v);
    if (bad) return bad;
    if (max && (!fer_parse_u64(fer_str_of(max), &most) || most == 0 || most > SIZE_MAX))
        return fer_app_usage(v->app, "--max-findings takes a number from 1 on, not '%s'", max);
    v->options.max_violations = (size_t)most;
    v->options.annotations = given(v, "annotations");
    v->options.hide_values = v->report.hide = given(v, "hide-values");
    v->kind = fer_report_find(format ? format : "text");
    if (format && fer_output_find(format, &v->output)) v->kind = &fer_report_standard;
    if (given(v, "quiet")) v->kind = NULL;
    return 0;
}

/* ---- one instance
 * -------------------------------------------------------------------------------- */

static void report_failure(struct validate *v, fer_str source, const fer_err *why, fer_str text)
{
    fer_progress_clear(&v->progress);
    v->report.counts.unreadable++;
    v->report.counts.errors++;
    if (v->kind) v->kind->failure(&v->report, source, why, text);
    if (v->kind && v->kind != &fer_report_standard) return;
    fer_err named = *why;
    fer_fail_in(&named, source);
    fer_app_fail(v->app, &named);
}

static fer_code write_output(struct validate *v, const fer_result *result, fer_err *err)
{
    fer_str json;
    fer_code code = fer_result_output(v->arena, result, v->output, &json, err);
    if (code) return code;
    fer_out_add(v->report.out, json);
    fer_out_text(v->report.out, "\n");
    return FER_OK;
}

static fer_code tell(struct validate *v, const fer_instance *i, const fer_result *result,
                     bool moved, fer_err *err)
{
    bool valid = fer_result_valid(result);
    fer_code code = v->kind == &fer_report_standard ? write_output(v, result, err) : FER_OK;
    if (code) return code;
    v->report.counts.valid += valid;
    v->report.counts.invalid += !valid;
    if (v->kind == &fer_report_standard || valid || !v->kind) return FER_OK;
    fer_progress_clear(&v->progress);
    fer_verdict_remarks(&v->report, v->kind, &v->schema, i, result, moved);
    return FER_OK;
}

/* The changed instance, or what was changed, and the verdict on it. */
static fer_code adapt_one(struct validate *v, const fer_instance *i, fer_err *err)
{
    fer_adapted adapted;
    fer_str text;
    fer_code code = fer_schema_adapt(v->arena, v->schema.program, i->doc, NULL, &v->adapt,
                                     &v->options, &adapted, err);
    if (code) return code;
    if (adapted.change_count) fer_progress_clear(&v->progress);
    if (v->changes) fer_changes_json(&v->app->out, i, &adapted);
    else if (v->kind) fer_changes_text(&v->errors, i, &adapted, v->report.hide);
    if (!v->changes || given(v, "write")) {
        code = fer_json_write(v->arena, adapted.value, v->pretty && !i->line, &text, err);
        if (code) return code;
        fer_out_add(v->sink.out, text);
        fer_out_text(v->sink.out, "\n");
    }
    return tell(v, i, adapted.result, adapted.change_count > 0, err);
}

static fer_code validate_one(struct validate *v, const fer_instance *i, fer_err *err)
{
    fer_result *result;
    bool valid = false;
    if (v->adapting) return adapt_one(v, i, err);
    /* Most instances are valid, and then nothing has to be told. */
    bool standard = v->kind == &fer_report_standard;
    fer_code code = standard ? FER_OK
                             : fer_schema_accepts(v->schema.program, v->arena,
                                                  fer_json_root(i->doc), &valid, err);
    if (code && code != FER_VALIDATION_BUDGET_EXCEEDED) return code;
    if (valid) {
        v->report.counts.valid++;
        return FER_OK;
    }
    if (!v->kind) {
        v->report.counts.invalid++;
        return FER_OK;
    }
    code = fer_json_index(v->arena, i->doc, err);
    if (!code)
        code = fer_schema_validate(v->arena, v->schema.program, i->doc, NULL, &v->options, &result,
                                   err);
    return code ? code : tell(v, i, result, false, err);
}

static fer_code visit(void *context, const fer_instance *i, fer_err *err)
{
    struct validate *v = context;
    const fer_counts *n = &v->report.counts;
    if (i->failure) {
        report_failure(v, i->source, i->failure, i->text);
    } else {
        fer_err why;
        fer_code code = validate_one(v, i, &why);
        if (code == FER_OUT_OF_MEMORY) {
            *err = why;
            return code;
        }
        if (code) report_failure(v, i->source, &why, i->text);
    }
    if (v->report.out->terminal) fer_out_flush(v->report.out);
    if (v->adapting && v->errors.terminal) fer_out_flush(&v->errors);
    fer_progress_show(&v->progress, n->valid + n->invalid + n->unreadable, i->done, i->size);
    return FER_OK;
}

/* ---- all of them
 * ---------------------------------------------------------------------------------- */

static fer_code open_schema(struct validate *v, fer_err *err)
{
    fer_app *app = v->app;
    const char *file = fer_app_option(app, "schema");
    fer_code code = fer_source_init(&v->schema, app, err);
    if (code) return code;
    if (file) code = fer_source_open_file(&v->schema, file, err);
    else
        code = fer_source_open_tool(&v->schema, fer_app_option(app, "tools"),
                                    fer_app_option(app, "tool"),
                                    given(v, "output") ? "outputSchema" : "inputSchema", err);
    return code ? code : fer_source_compile(&v->schema, err);
}

/* One input; a folder that cannot be gone through is one instance that cannot be read. */
static fer_code validate_input(struct validate *v, fer_inputs *in, size_t index, fer_err *err)
{
    const char *path = in->paths[index];
    fer_err why;
    if (!fer_inputs_check(in, index, &why))
        return fer_instances_visit(v->arena, path, in->format, visit, v, err);
    const fer_instance unread = {.source = fer_str_of(path), .failure = &why};
    return visit(v, &unread, err);
}

static fer_code validate_all(struct validate *v, fer_inputs *in, fer_err *err)
{
    fer_code code = FER_OK;
    v->pretty = in->count == 1;
    for (size_t i = 0; i < in->count && !code; i++) {
        fer_counts *n = &v->report.counts, before = *n;
        code = validate_input(v, in, i, err);
        n->files++;
        fer_log_event(&v->app->log, FER_LOG_INFO, "input.validated",
                      FER_LOG_S("file", fer_str_of(in->paths[i])),
                      FER_LOG_I("valid", n->valid - before.valid),
                      FER_LOG_I("invalid", n->invalid - before.invalid),
                      FER_LOG_I("unreadable", n->unreadable - before.unreadable));
    }
    return code;
}

static int finish(struct validate *v, fer_code code, fer_err *err)
{
    const fer_counts *n = &v->report.counts;
    fer_progress_clear(&v->progress);
    fer_code closed = fer_sink_close(&v->sink, !code, err);
    if (!code) code = closed;
    if (v->kind && (!code || closed)) v->kind->end(&v->report);
    fer_out_close(&v->errors);
    if (code) return fer_app_fail(v->app, err);
    if (n->unreadable) return FER_EXIT_USAGE;
    return n->invalid ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

static int run(struct validate *v, fer_inputs *in)
{
    fer_err err;
    if (v->kind) v->kind->begin(&v->report);
    fer_code code = open_schema(v, &err);
    if (code) {
        int bad = fer_source_refuse(&v->schema, v->kind, &v->report, &err);
        if (v->kind && v->kind != &fer_report_text) v->kind->end(&v->report);
        fer_out_close(&v->errors);
        return bad;
    }
    code =
        fer_sink_open(&v->sink, v->app, v->adapting ? fer_app_option(v->app, "write") : NULL, &err);
    if (!code) code = validate_all(v, in, &err);
    return finish(v, code, &err);
}

int fer_run_validate(fer_app *app)
{
    struct validate v = {.app = app, .report = {.out = &app->out, .about = FER_ABOUT_INSTANCES}};
    fer_inputs in;
    int bad = read_options(&v);
    if (!bad) bad = fer_inputs_init(&in, app, 0);
    if (bad) return bad;
    fer_out_init(&v.errors, STDERR_FILENO, app->log.colour, isatty(STDERR_FILENO));
    /* Where standard output carries instances or changes, the report goes beside it. */
    if (v.adapting && (v.changes || !given(&v, "write"))) v.report.out = &v.errors;
    fer_progress_init(&v.progress, "instances");
    v.arena = fer_arena_new(0);
    fer_err err;
    if (v.arena) bad = run(&v, &in);
    else {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        bad = fer_app_fail(app, &err);
    }
    fer_source_deinit(&v.schema);
    fer_arena_free(v.arena);
    fer_inputs_deinit(&in);
    return bad;
}
