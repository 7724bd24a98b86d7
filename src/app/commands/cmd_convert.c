/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule convert: tools for a provider, with a report of what changed and a map for the way back.
 */
#include <ferrule/convert.h>
#include <string.h>
#include <unistd.h>

#include "check_setup.h"
#include "convert_report.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"

struct run {
    fer_app *app;
    fer_arena *arena;
    fer_toolset *set;
    fer_conversion made;
};

static fer_code read_all(struct run *r, fer_inputs *in, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < in->count && !code; i++) {
        fer_str name, text;
        code = fer_inputs_read(in, r->app, i, &name, &text, err);
        if (!code) code = fer_toolset_add(r->set, name, text, in->format, err);
        if (code) fer_fail_in(err, name);
    }
    return code;
}

static fer_code write_out(struct run *r, const char *option, fer_str text, fer_err *err)
{
    const char *file = fer_app_option(r->app, option);
    if (file && strcmp(file, "-") != 0) return fer_file_replace(file, text, err);
    fer_out_add(&r->app->out, text);
    return FER_OK;
}

static fer_code report(struct run *r, fer_err *err)
{
    const char *format = fer_app_option(r->app, "report"),
               *file = fer_app_option(r->app, "report-file");
    fer_buf b;
    if (format && strcmp(format, "none") == 0) return FER_OK;
    fer_buf_init(&b, r->arena, SIZE_MAX / 4);
    fer_convert_reporter_find(format ? format : "text")(&b, &r->made);
    fer_code code = fer_buf_code(&b, err);
    if (code) return code;
    if (file) return fer_file_replace(file, fer_buf_view(&b), err);
    fer_file_write_all(STDERR_FILENO, fer_buf_view(&b));
    return FER_OK;
}

static fer_code convert(struct run *r, const char *to, fer_inputs *in, fer_err *err)
{
    const fer_profile *profile;
    fer_convert_options o = {.force = fer_app_option(r->app, "force") != NULL,
                             .keeps_map = fer_app_option(r->app, "map") != NULL,
                             .no_witness = fer_app_option(r->app, "no-witness") != NULL};
    fer_code code = fer_setup_profile(r->arena, to, &profile, err);
    if (!code) code = read_all(r, in, err);
    if (!code) code = fer_toolset_convert(r->arena, r->set, profile, &o, &r->made, err);
    if (!code && fer_app_option(r->app, "map")) code = write_out(r, "map", r->made.map, err);
    if (!code) code = write_out(r, "output", r->made.text, err);
    return code ? code : report(r, err);
}

static fer_code restore(struct run *r, const char *file, fer_err *err)
{
    const fer_back_map *map;
    fer_str text, records;
    fer_code code = fer_file_read(r->arena, file, fer_json_limits_file()->size, &text, err);
    if (!code) code = fer_back_map_read(r->arena, text, &map, err);
    if (!code) code = fer_back_map_records(r->arena, map, &records, err);
    if (code) fer_fail_in(err, fer_str_of(file));
    return code ? code : write_out(r, "output", records, err);
}

int fer_run_convert(fer_app *app)
{
    const char *to = fer_app_option(app, "to"), *from = fer_app_option(app, "from-map");
    struct run r = {.app = app};
    fer_inputs in = {0};
    fer_err err;
    if (!to == !from)
        return fer_app_usage(app, "convert needs one of --to PROFILE and --from-map FILE");
    int bad = to ? fer_inputs_init(&in, app, 0) : 0;
    if (bad) return bad;
    r.arena = fer_arena_new(0);
    r.set = fer_toolset_new();
    fer_code code = r.arena && r.set ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = to ? convert(&r, to, &in, &err) : restore(&r, from, &err);
    int exit = code                                    ? fer_app_fail(app, &err)
               : r.made.refused || r.made.budget_count ? FER_EXIT_FINDINGS
                                                       : FER_EXIT_OK;
    fer_arena_free(r.arena);
    fer_toolset_free(r.set);
    if (to) fer_inputs_deinit(&in);
    return code && exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}
