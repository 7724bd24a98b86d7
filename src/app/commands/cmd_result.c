/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule result: a stored value, in parts. */
#include "command_station.h"
#include "cut.h"
#include "errors.h"
#include "json_value.h"
#include "meta_tools.h"
#include "result_file.h"
#include "show_value.h"
#include "state_folder.h"

static void add_cuts(fer_app *app, const fer_cuts *cuts, const char *handle)
{
    for (size_t i = 0; i < cuts->count; i++) {
        const fer_cut *c = &cuts->list[i];
        size_t next = c->from + c->shown;
        fer_app_say(app, "%s%.*s: %zu to %zu of %zu are shown", c->at.len ? "at " : "the value",
                    FER_PRI(c->at), c->from, next, c->of);
        if (next < c->of)
            fer_app_say(app, "  ferrule result %s --at '%.*s' --from %zu goes on", handle,
                        FER_PRI(c->at), next);
    }
    if (cuts->more) fer_app_say(app, "%zu more places are cut", cuts->more);
}

static fer_code show(fer_app *app, fer_arena *a, fer_str state, int64_t from, int64_t size,
                     fer_err *err)
{
    const char *handle = app->args[0], *at = fer_app_option(app, "at");
    fer_str json, pointer = fer_str_of(at);
    fer_json *doc;
    fer_cuts cuts = {.count = 0};
    fer_buf b;
    if (!pointer.ptr) pointer = FER_STR("");
    fer_code code = fer_result_file_get(a, state, fer_str_of(handle), &json, err);
    if (!code) code = fer_json_read(a, json, fer_json_limits_file(), &doc, err);
    const yyjson_val *v = code ? NULL : fer_json_at(fer_json_root(doc), pointer, err);
    if (!v) return code ? code : FER_INVALID_POINTER;
    fer_buf_init(&b, a, FER_RESULT_SIZE * 2);
    code = fer_cut_write(a, doc, v, pointer, (size_t)from, (size_t)size, &b, &cuts, err);
    if (!code) code = fer_buf_code(&b, err);
    if (code) return code;
    fer_out_add(&app->out, fer_buf_view(&b));
    fer_out_text(&app->out, "\n");
    add_cuts(app, &cuts, handle);
    return FER_OK;
}

int fer_run_result(fer_app *app)
{
    fer_config config = {0};
    fer_str state = FER_STR(""), file;
    int64_t from, size;
    fer_err err = {0};
    if (app->arg_count != 1) return fer_app_usage(app, "which result? ferrule result HANDLE");
    int bad = fer_app_number(app, "from", 0, INT64_C(1) << 40, 0, &from);
    if (!bad)
        bad = fer_app_number(app, "size", 16, (int64_t)FER_RESULT_SIZE, FER_META_RESULT, &size);
    if (bad) return bad;
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_app_usage(app, "out of memory");
    fer_code code = fer_config_locate(a, fer_app_option(app, "config"), &file, &err);
    if (!code && file.len) code = fer_config_load(a, file.ptr, &config, &err);
    if (!code && config.state.len) state = config.state;
    if (!code) code = show(app, a, state, from, size, &err);
    fer_arena_free(a);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}
