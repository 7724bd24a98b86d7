/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule fmt: prints, checks or rewrites definitions in canonical notation. */
#include <string.h>

#include "errors.h"
#include "file.h"
#include "format.h"
#include "inputs.h"

static fer_code refuse(fer_err *err, fer_str name, const char *why)
{
    return fer_fail(err, FER_BAD_USAGE, "%.*s is not rewritten: %s", FER_PRI(name), why);
}

/* What is done with one input; `*differs` tells whether it was not in form. */
static fer_code format_one(fer_app *app, fer_inputs *in, size_t index, fer_arena *a, bool *differs,
                           fer_err *err)
{
    fer_str name, text, formatted;
    fer_format read_as;
    bool check = fer_app_option(app, "check") != NULL, write = fer_app_option(app, "write") != NULL;
    fer_code code = fer_inputs_read(in, app, index, &name, &text, err);
    if (code) return code;
    code = fer_format_definitions(a, name, text, in->format, &read_as, &formatted, err);
    if (code) {
        fer_fail_in(err, name);
        return code;
    }
    if (!check && !write) {
        fer_out_add(&app->out, formatted);
        return FER_OK;
    }
    if (read_as == FER_FORMAT_YAML) {
        return check ? FER_OK
                     : refuse(err, name,
                              "its comments would be lost; print it as JSON without --write");
    }
    if (fer_str_eq(text, formatted)) return FER_OK;
    *differs = true;
    fer_out_clean(&app->out, name);
    fer_out_text(&app->out, "\n");
    if (check) return FER_OK;
    if (strcmp(in->paths[index], "-") == 0) return refuse(err, name, "it is standard input");
    return fer_file_rewrite(in->paths[index], formatted, err);
}

int fer_run_fmt(fer_app *app)
{
    fer_inputs in;
    fer_err err;
    bool differs = false;
    if (fer_app_option(app, "check") && fer_app_option(app, "write")) {
        return fer_app_usage(app, "--check and --write exclude each other");
    }
    int bad = fer_inputs_init(&in, app, 0);
    if (bad) return bad;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < in.count && !code; i++) {
        fer_arena_reset(a);
        code = format_one(app, &in, i, a, &differs, &err);
    }
    fer_arena_free(a);
    fer_inputs_deinit(&in);
    if (code) return fer_app_fail(app, &err);
    return differs && fer_app_option(app, "check") ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}
