/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule schema lint: what is wrong with schemas, and what is suspicious. */
#include "errors.h"
#include "inputs.h"
#include "source.h"

struct lint {
    fer_app *app;
    fer_source schema;
    const fer_report_kind *kind; /* NULL: quiet */
    fer_report report;
    fer_arena *arena;
};

static void report_failure(struct lint *l, const fer_err *why)
{
    l->report.counts.errors++;
    l->report.counts.unreadable++;
    if (l->kind) {
        l->kind->failure(&l->report, l->schema.name, why, l->schema.text);
        return;
    }
    fer_err named = *why;
    fer_fail_in(&named, l->schema.name);
    fer_app_fail(l->app, &named);
}

static fer_code lint_one(struct lint *l, const char *path, fer_err *err)
{
    fer_schema_problem *list;
    size_t count;
    fer_arena_reset(l->arena);
    fer_code code = fer_source_open_file(&l->schema, path, err);
    if (!code)
        code = fer_schema_problems(l->arena, l->schema.doc, l->schema.value, &l->schema.options,
                                   true, &list, &count, err);
    for (size_t i = 0; !code && i < count; i++) {
        fer_remark m = fer_remark_of_problem(&list[i], l->schema.name, l->schema.text);
        if (m.severity == FER_SEVERITY_ERROR) l->report.counts.errors++;
        else l->report.counts.warnings++;
        if (l->kind) l->kind->remark(&l->report, &m, l->schema.text);
    }
    if (l->app->out.terminal) fer_out_flush(&l->app->out);
    return code;
}

/* A schema that cannot be read is reported and the next one is read. */
static fer_code lint_all(struct lint *l, const fer_inputs *in, fer_err *err)
{
    for (size_t i = 0; i < in->count; i++) {
        fer_code code = fer_inputs_check(in, i, err);
        if (code) { /* not what was looked at before */
            l->schema.name = fer_str_of(in->paths[i]);
            l->schema.text = FER_STR("");
        } else {
            code = lint_one(l, in->paths[i], err);
        }
        l->report.counts.files++;
        if (code == FER_OUT_OF_MEMORY) return code;
        if (code) report_failure(l, err);
    }
    return FER_OK;
}

static int run(struct lint *l, const fer_inputs *in)
{
    fer_err err;
    const fer_counts *n = &l->report.counts;
    fer_code code = fer_source_init(&l->schema, l->app, &err);
    if (code) return fer_source_refuse(&l->schema, NULL, &l->report, &err);
    if (!l->arena) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (l->kind) l->kind->begin(&l->report);
    if (!code) code = lint_all(l, in, &err);
    if (code) return fer_app_fail(l->app, &err);
    if (l->kind) l->kind->end(&l->report);
    if (n->unreadable) return FER_EXIT_USAGE;
    bool found = n->errors || (n->warnings && fer_app_option(l->app, "strict"));
    return found ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

int fer_run_schema_lint(fer_app *app)
{
    struct lint l = {.app = app,
                     .report = {.out = &app->out,
                                .about = FER_ABOUT_SCHEMAS,
                                .strict = fer_app_option(app, "strict") != NULL}};
    const char *format = fer_app_option(app, "format");
    fer_inputs in;
    int bad = fer_inputs_init(&in, app, 0);
    if (bad) return bad;
    if (!fer_app_option(app, "quiet")) l.kind = fer_report_find(format ? format : "text");
    l.arena = fer_arena_new(0);
    bad = run(&l, &in);
    fer_source_deinit(&l.schema);
    fer_arena_free(l.arena);
    fer_inputs_deinit(&in);
    return bad;
}
