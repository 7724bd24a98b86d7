/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule call-back: a call of a converted tool, as the tool itself takes it. */
#include <ferrule/convert.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"

/* What is no JSON at all cannot be read; anything else is for the map to judge. */
static fer_code read_call(fer_arena *a, const char *file, fer_str *out, fer_err *err)
{
    const fer_json_limits *limits = fer_json_limits_message();
    bool piped = !file || strcmp(file, "-") == 0;
    fer_json *doc;
    fer_code code =
        piped ? fer_file_read_fd(a, STDIN_FILENO, "standard input", limits->size, out, err)
              : fer_file_read(a, file, limits->size, out, err);
    if (code) return code;
    code = fer_json_read(a, *out, limits, &doc, err);
    if (code) fer_fail_in(err, fer_str_of(piped ? "<stdin>" : file));
    return code;
}

static fer_code translate(fer_app *app, fer_arena *a, const char *map_file, int *exit, fer_err *err)
{
    const fer_back_map *map;
    fer_back_call call;
    fer_str text;
    fer_code code = fer_file_read(a, map_file, fer_json_limits_file()->size, &text, err);
    if (!code) code = fer_back_map_read(a, text, &map, err);
    if (code) fer_fail_in(err, fer_str_of(map_file));
    if (!code) code = read_call(a, app->arg_count ? app->args[0] : NULL, &text, err);
    if (code) {
        *exit = FER_EXIT_USAGE;
        return code;
    }
    code = fer_back_map_call(a, map, text, &call, err);
    if (code) return code;
    fer_out_add(&app->out, call.json);
    fer_out_text(&app->out, "\n");
    return FER_OK;
}

int fer_run_call_back(fer_app *app)
{
    const char *map = fer_app_option(app, "map");
    int exit = FER_EXIT_FINDINGS;
    fer_err err;
    if (!map)
        return fer_app_usage(app, "call-back needs --map FILE, which ferrule convert has written");
    if (app->arg_count > 1) return fer_app_usage(app, "call-back takes one call");
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? translate(app, a, map, &exit, &err)
                      : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    fer_arena_free(a);
    if (!code) return FER_EXIT_OK;
    int told = fer_app_fail(app, &err);
    return told == FER_EXIT_SYSTEM ? told : exit;
}
