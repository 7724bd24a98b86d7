/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule diff: what changed between two sets of tools, and which version that needs. */
#include <string.h>

#include "diff_report.h"
#include "errors.h"
#include "revision.h"

static fer_code compare(fer_app *app, fer_arena *a, fer_revision sides[2], fer_diff *out,
                        fer_err *err)
{
    const char *reader = fer_app_option(app, "reader");
    fer_diff_options options = {.strict_reader = reader && strcmp(reader, "strict") == 0,
                                .assert_formats = fer_app_option(app, "assert-formats") != NULL,
                                .places = true};
    fer_code code = a ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < 2 && !code; i++)
        code = fer_revision_open(&sides[i], app, app->args[i], err);
    return code ? code : fer_toolset_diff(a, sides[0].set, sides[1].set, &options, out, err);
}

int fer_run_diff(fer_app *app)
{
    const char *format = fer_app_option(app, "format");
    fer_revision sides[2] = {0};
    fer_diff diff;
    fer_err err;
    if (app->arg_count != 2)
        return fer_app_usage(
            app, "diff needs two of FILE, FOLDER or git:REVISION:PATH: the old and the new");
    fer_arena *a = fer_arena_new(0);
    fer_code code = compare(app, a, sides, &diff, &err);
    if (!code && !fer_app_option(app, "quiet"))
        fer_diff_writer_find(format ? format : "text")(&app->out, &diff);
    int exit = code ? fer_app_fail(app, &err) : diff.fails ? FER_EXIT_FINDINGS : FER_EXIT_OK;
    for (size_t i = 0; i < 2; i++) fer_revision_deinit(&sides[i]);
    fer_arena_free(a);
    /* One that cannot be read is not one that breaks. */
    return code && exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}
