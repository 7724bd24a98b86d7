/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule run: one call of one tool, through the gateway. */
#include <string.h>
#include <unistd.h>

#include "call_args.h"
#include "clock.h"
#include "command_station.h"
#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "progress.h"
#include "show_value.h"

typedef struct run {
    fer_station station;
    fer_app *app;
    fer_str id;
    bool over;
    int exit;
    fer_code code; /* how the call ended */
    bool progress; /* a line of it stands on the terminal */
} run;

/* ---- the arguments
 * ---------------------------------------------------------------------------------- */

/* The tool's input schema, NULL: nothing is known of it; the call will say why. */
static fer_schema *input_schema(run *r)
{
    fer_str definition;
    fer_json *doc;
    fer_schema *schema = NULL;
    fer_view *v = fer_catalog_view(r->station.catalog);
    fer_code code = fer_view_definition(r->station.arena, v, r->id, &definition, NULL);
    fer_view_unref(v);
    if (!code)
        code = fer_json_read(r->station.arena, definition, fer_json_limits_file(), &doc, NULL);
    if (code) return NULL;
    const yyjson_val *value = fer_val_get(fer_json_root(doc), "inputSchema");
    if (!value || fer_schema_compile_value(NULL, value, NULL, &schema, NULL)) return NULL;
    return schema;
}

/* --args NAME=VALUE is the same as NAME=VALUE alone. */
static bool is_word(const char *given)
{
    return given && !strchr("{[@-", given[0]) && fer_is_call_arg(given);
}

/* --args JSON, @FILE or - for standard input. */
static fer_code base_args(run *r, fer_str *out, fer_err *err)
{
    const char *given = fer_app_option(r->app, "args");
    if (is_word(given)) given = NULL;
    *out = fer_str_of(given);
    if (!given || (given[0] != '@' && strcmp(given, "-") != 0)) return FER_OK;
    if (given[0] == '@')
        return fer_file_read(r->station.arena, given + 1, FER_ARG_FILE_MAX, out, err);
    return fer_file_read_fd(r->station.arena, STDIN_FILENO, "standard input", FER_ARG_FILE_MAX, out,
                            err);
}

static fer_code make_args(run *r, fer_str *out, fer_err *err)
{
    fer_str base;
    fer_code code = base_args(r, &base, err);
    if (code) return code;
    const char *given = fer_app_option(r->app, "args");
    size_t count = r->app->arg_count - 1;
    const char **words = fer_arena_alloc_zero(r->station.arena, count + 2, sizeof *words);
    if (!words) return fer_arena_failed(r->station.arena, err);
    if (count) memcpy(words, r->app->args + 1, count * sizeof *words);
    if (is_word(given)) words[count++] = given;
    if (!count) { /* as it came: the call says what is wrong with it */
        *out = base;
        return FER_OK;
    }
    fer_schema *schema = input_schema(r);
    code = fer_call_args(r->station.arena, schema, base, words, count, out, err);
    fer_schema_unref(schema);
    return code;
}

/* ---- what comes back
 * --------------------------------------------------------------------------------- */

static void clear_progress(run *r)
{
    if (r->progress) dprintf(STDERR_FILENO, "\r\033[K");
    r->progress = false;
}

static void show_progress(run *r, fer_str data)
{
    if (fer_progress_news(data)) r->progress = true;
}

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    run *r = context;
    fer_arena *a = r->station.arena;
    fer_str line;
    if (!fer_app_option(r->app, "stream")) {
        if (e->kind == FER_STREAM_PROGRESS) show_progress(r, e->data);
        return true;
    }
    bool chunks = fer_app_option(r->app, "chunks") != NULL;
    fer_code code = chunks ? fer_stream_chunk_write(a, e, &line, NULL)
                           : fer_stream_event_write(a, e, &line, NULL);
    if (code) return true;
    fer_out_add(&r->app->out, line);
    fer_out_text(&r->app->out, "\n");
    fer_out_flush(&r->app->out);
    if (r->app->out.failed) fer_call_cancel(c); /* whoever read it has left */
    return true;
}

static fer_showing showing_of(const fer_app *app)
{
    const char *how = fer_app_option(app, "output");
    if (!how) return app->out.terminal ? FER_SHOW_TABLE : FER_SHOW_JSON;
    return strcmp(how, "table") == 0 ? FER_SHOW_TABLE
           : strcmp(how, "raw") == 0 ? FER_SHOW_RAW
                                     : FER_SHOW_JSON;
}

/* What to do about it, one by one. Hints are for whoever sent the value: a result that breaks its
 * schema was sent by the tool, so that its caller is told where it is wrong and no more. */
static void say_findings(run *r, const fer_envelope *e)
{
    fer_json *doc;
    bool result = e->error.code == FER_INVALID_OUTPUT;
    if (!e->error.details.len ||
        fer_json_read(r->station.arena, e->error.details, NULL, &doc, NULL))
        return;
    const yyjson_val *list = fer_val_get(fer_json_root(doc), "findings");
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, item) {
        const yyjson_val *hint = fer_val_get(item, "hint"), *field = fer_val_get(item, "field");
        if (fer_is_str(hint) && !result)
            fer_app_say(
                r->app, "  %.*s: %.*s",
                FER_PRI(fer_val_str(field).len ? fer_val_str(field) : FER_STR("the arguments")),
                FER_PRI(fer_val_str(hint)));
    }
    fer_app_say(r->app,
                result ? "  this is what the tool gave back, which breaks the output schema of "
                         "%.*s; defaults.outputValidation: warn lets such results pass"
                       : "  ferrule describe %.*s --level schema  shows what the tool takes",
                FER_PRI(e->tool_id));
}

static void say_error(run *r, const fer_envelope *e)
{
    const fer_code_row *row = fer_code_info(e->error.code);
    fer_app_say(r->app, "%s (%s): %.*s", row->name, e->error.op, FER_PRI(e->error.message));
    say_findings(r, e);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    run *r = context;
    fer_arena *a = r->station.arena;
    fer_err err;
    fer_str text;
    fer_code code = FER_OK;
    (void)c;
    clear_progress(r);
    r->over = true;
    r->code = e->error.code;
    r->exit = e->error.code ? fer_code_info(e->error.code)->exit_code : 0;
    bool json = fer_app_option(r->app, "json") != NULL, stream = fer_app_option(r->app, "stream");
    if (json && !stream) {
        code = fer_envelope_write(a, e, fer_app_option(r->app, "full") != NULL, &text, &err);
        if (!code) {
            fer_out_add(&r->app->out, text);
            fer_out_text(&r->app->out, "\n");
        }
    } else if (!stream && e->structured.len) {
        code = fer_show_value(a, &r->app->out, e->structured, showing_of(r->app), &err);
    }
    if (e->error.code && !json) say_error(r, e);
    for (size_t i = 0; i < e->warning_count && !json; i++)
        fer_app_say(r->app, "warning: %.*s", FER_PRI(e->warnings[i]));
    if (!e->error.code && fer_app_option(r->app, "dry-run") && !json)
        fer_app_say(r->app, "%.*s would be called; it was not", FER_PRI(e->tool_id));
    if (code) r->exit = fer_app_fail(r->app, &err);
}

/* ---- the call
 * ------------------------------------------------------------------------------------------- */

static int call(run *r)
{
    fer_str args;
    fer_err err;
    fer_call_options o = {.origin = "cli",
                          .dry_run = fer_app_option(r->app, "dry-run") != NULL,
                          .no_cache = fer_app_option(r->app, "no-cache") != NULL,
                          .correlation_id = fer_str_of(fer_app_option(r->app, "correlation-id")),
                          .idempotency_key = fer_str_of(fer_app_option(r->app, "idempotency-key")),
                          .on_event = on_event,
                          .context = r};
    int bad = fer_app_number(r->app, "deadline", 1, FER_CALL_DEADLINE_MAX, 0, &o.deadline_ms);
    if (!bad) bad = fer_app_number(r->app, "timeout", 1, FER_CALL_DEADLINE_MAX, 0, &o.timeout_ms);
    if (bad) return bad;
    if (make_args(r, &args, &err)) return fer_app_fail(r->app, &err);
    if (fer_gateway_call(r->station.gateway, r->id, args, &o, on_done, r, NULL, &err))
        return fer_app_fail(r->app, &err);
    fer_gateway_run(r->station.gateway);
    return r->exit;
}

int fer_run_run(fer_app *app)
{
    run r = {.app = app};
    if (!app->arg_count) return fer_app_usage(app, "which tool? ferrule run ID [NAME=VALUE]...");
    r.id = fer_str_of(app->args[0]);
    int bad = fer_app_station(&r.station, app);
    if (bad) return bad;
    fer_station_ask(&r.station, r.id);
    bad = call(&r);
    fer_station_remark_on(&r.station, r.id, r.code);
    int unwritten = fer_app_write_metrics(app, &r.station);
    fer_station_deinit(&r.station);
    return bad ? bad : unwritten;
}
