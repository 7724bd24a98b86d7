/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule chain: several calls, as a file says. */
#include <string.h>
#include <unistd.h>

#include "command_station.h"
#include "errors.h"
#include "file.h"
#include "format.h"
#include "json_doc.h"
#include "show_value.h"

typedef struct chaining {
    fer_station station;
    fer_app *app;
    fer_chain *chain;
    int exit;
    fer_code code; /* how it ended */
} chaining;

/* ---- reading
 * ------------------------------------------------------------------------------------------- */

static fer_code read_text(chaining *k, const char *name, fer_str *out, fer_err *err)
{
    size_t max = fer_json_limits_message()->size;
    if (strcmp(name, "-") == 0)
        return fer_file_read_fd(k->station.arena, STDIN_FILENO, "standard input", max, out, err);
    return fer_file_read(k->station.arena, name, max, out, err);
}

/* YAML becomes JSON first; NULL: it is JSON. */
static fer_code as_json(chaining *k, const char *name, fer_json **yaml, fer_str *text, fer_err *err)
{
    fer_str n = fer_str_of(name);
    if (!fer_str_ends(n, ".yaml") && !fer_str_ends(n, ".yml")) return FER_OK;
    fer_code code = fer_yaml_read(k->station.arena, *text, NULL, yaml, err);
    return code ? code : fer_json_write(k->station.arena, fer_json_root(*yaml), false, text, err);
}

/* Both have the same values in the same order, so that a place in the JSON is one in the YAML. */
static void place_in_yaml(chaining *k, const fer_json *yaml, fer_str json, fer_err *err)
{
    fer_json *doc;
    if (!err->line || fer_json_read(k->station.arena, json, NULL, &doc, NULL)) return;
    size_t index = fer_json_token_at(doc, err->offset);
    if (index >= yaml->count) return;
    fer_place place = fer_json_place(yaml, yaml->vals + index);
    err->line = place.line;
    err->column = place.column;
}

static int read_chain(chaining *k)
{
    const char *name = k->app->args[0];
    fer_str text;
    fer_json *yaml = NULL;
    fer_err err = {0};
    fer_code code = read_text(k, name, &text, &err);
    if (!code) code = as_json(k, name, &yaml, &text, &err);
    if (!code) {
        code = fer_chain_read(text, &k->chain, &err);
        if (code && yaml) place_in_yaml(k, yaml, text, &err);
    }
    if (!code) return 0;
    fer_fail_in(&err, strcmp(name, "-") == 0 ? FER_STR("<stdin>") : fer_str_of(name));
    return fer_app_fail(k->app, &err);
}

/* ---- a look
 * ---------------------------------------------------------------------------------------------- */

static int look(chaining *k)
{
    fer_chain_remark *list;
    size_t count, errors = 0;
    fer_err err;
    if (fer_gateway_check_chain(k->station.arena, k->station.gateway, k->chain, &list, &count,
                                &err))
        return fer_app_fail(k->app, &err);
    bool keyed = fer_app_option(k->app, "idempotency-key") != NULL;
    for (size_t i = 0; i < count; i++) {
        if (list[i].code == FER_IDEMPOTENCY_KEY_MISSING) { /* here it is known */
            if (keyed) continue;
            list[i].severity = FER_SEVERITY_ERROR;
        }
        errors += list[i].severity == FER_SEVERITY_ERROR;
        fer_out_printf(&k->app->out, "%s: step %.*s: %.*s\n", fer_severity_name(list[i].severity),
                       FER_PRI(list[i].step), FER_PRI(list[i].message));
    }
    if (!errors) fer_app_say(k->app, "the chain can run; it was not run");
    return errors ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

/* ---- running
 * ---------------------------------------------------------------------------------------------- */

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    chaining *k = context;
    fer_str line;
    (void)c;
    if (fer_stream_event_write(k->station.arena, e, &line, NULL)) return true;
    fer_out_add(&k->app->out, line);
    fer_out_text(&k->app->out, "\n");
    fer_out_flush(&k->app->out);
    /* Whoever read it has left. */
    if (k->app->out.failed) fer_gateway_cancel_chain(k->station.gateway, k);
    return true;
}

static void on_done(void *context, const fer_chain_result *r)
{
    chaining *k = context;
    fer_arena *a = k->station.arena;
    fer_err err;
    fer_str text;
    fer_code code = FER_OK;
    k->code = r->error.code;
    k->exit = r->error.code ? fer_code_info(r->error.code)->exit_code : 0;
    if (fer_app_option(k->app, "stream")) return;
    if (fer_app_option(k->app, "json")) {
        code = fer_chain_result_write(a, r, &text, &err);
        if (!code) {
            fer_out_add(&k->app->out, text);
            fer_out_text(&k->app->out, "\n");
        }
    } else if (r->output.len) {
        code = fer_show_value(a, &k->app->out, r->output,
                              k->app->out.terminal ? FER_SHOW_TABLE : FER_SHOW_JSON, &err);
    }
    if (r->error.code && !fer_app_option(k->app, "json"))
        fer_app_say(k->app, "%s at step %.*s (%s): %.*s", fer_code_info(r->error.code)->name,
                    FER_PRI(r->failed_step), r->error.op, FER_PRI(r->error.message));
    if (code) k->exit = fer_app_fail(k->app, &err);
}

static int run(chaining *k)
{
    fer_err err;
    bool stream = fer_app_option(k->app, "stream") != NULL;
    fer_call_options o = {.origin = "cli",
                          .idempotency_key = fer_str_of(fer_app_option(k->app, "idempotency-key")),
                          .on_event = stream ? on_event : NULL,
                          .context = k};
    int bad = fer_app_number(k->app, "deadline", 1, FER_CALL_DEADLINE_MAX, 0, &o.deadline_ms);
    if (bad) return bad;
    if (fer_gateway_chain(k->station.gateway, k->chain, fer_str_of(fer_app_option(k->app, "input")),
                          &o, on_done, k, &err))
        return fer_app_fail(k->app, &err);
    fer_gateway_run(k->station.gateway);
    return k->exit;
}

int fer_run_chain(fer_app *app)
{
    chaining k = {.app = app};
    if (app->arg_count != 1) return fer_app_usage(app, "which chain? ferrule chain FILE");
    int bad = fer_app_station(&k.station, app);
    if (bad) return bad;
    bad = read_chain(&k);
    if (!bad) fer_station_ask_chain(&k.station, k.chain);
    bool dry = fer_app_option(app, "dry-run") != NULL;
    if (!bad) bad = dry ? look(&k) : run(&k);
    if (bad && dry) fer_station_remark(&k.station);
    else fer_station_remark_on(&k.station, FER_STR(""), k.code);
    int unwritten = fer_app_write_metrics(app, &k.station);
    fer_chain_free(k.chain);
    fer_station_deinit(&k.station);
    return bad ? bad : unwritten;
}
