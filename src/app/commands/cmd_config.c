/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule config: looks at a configuration, and prints what describes it. */
#include "command.h"
#include "config.h"
#include "errors.h"
#include "station_parts.h"

/* Lines of the file are not shown: they may hold what nobody should read. */
static void tell_text(fer_out *o, const fer_config *c)
{
    static const enum fer_style styles[] = {FER_STYLE_RED, FER_STYLE_YELLOW, FER_STYLE_BLUE};
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_config_problem *p = &c->problems[i];
        fer_out_clean(o, c->file);
        fer_out_printf(o, ":%u:%u: ", p->place.line, p->place.column);
        fer_out_style(o, styles[p->severity]);
        fer_out_text(o, fer_severity_name(p->severity));
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_text(o, ": ");
        fer_out_clean(o, p->message);
        if (p->hint.len) {
            fer_out_text(o, "\n    ");
            fer_out_clean(o, p->hint);
        }
        fer_out_text(o, "\n");
    }
    fer_out_clean(o, c->file);
    fer_out_printf(o, ": %zu server%s, %zu command%s, %zu API%s: %zu error%s\n", c->server_count,
                   fer_s(c->server_count), c->command_count, fer_s(c->command_count), c->api_count,
                   fer_s(c->api_count), c->error_count, fer_s(c->error_count));
}

static void tell_json(fer_out *o, const fer_config *c)
{
    fer_out_text(o, "{\"file\":");
    fer_out_json(o, c->file);
    fer_out_printf(o,
                   ",\"servers\":%zu,\"commands\":%zu,\"apis\":%zu,\"errors\":%zu,\"problems\":[",
                   c->server_count, c->command_count, c->api_count, c->error_count);
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_config_problem *p = &c->problems[i];
        fer_out_printf(
            o, "%s\n{\"severity\":\"%s\",\"line\":%u,\"column\":%u,\"message\":", i ? "," : "",
            fer_severity_name(p->severity), p->place.line, p->place.column);
        fer_out_json(o, p->message);
        fer_out_text(o, ",\"hint\":");
        fer_out_json(o, p->hint);
        fer_out_text(o, "}");
    }
    fer_out_text(o, "]}\n");
}

static fer_code load(fer_app *app, fer_arena *a, fer_config *out, fer_err *err)
{
    fer_str file;
    const char *asked = app->arg_count ? app->args[0] : NULL;
    fer_code code = fer_config_locate(a, asked, &file, err);
    if (code) return code;
    if (!file.len)
        return fer_fail(err, FER_BAD_USAGE,
                        "there is no ferrule.yaml here, and none in the folder for configuration");
    code = fer_config_load(a, file.ptr, out, err);
    return code ? code : fer_config_check_tokens(a, out, fer_config_folder(out), err);
}

int fer_run_config_check(fer_app *app)
{
    fer_config c = {0};
    fer_err err = {0};
    if (app->arg_count > 1) return fer_app_usage(app, "config check looks at one FILE");
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? load(app, a, &c, &err) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) (fer_app_option(app, "json") ? tell_json : tell_text)(&app->out, &c);
    int exit = code ? fer_app_fail(app, &err) : c.error_count ? FER_EXIT_FINDINGS : FER_EXIT_OK;
    fer_arena_free(a);
    return code && exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}

int fer_run_config_schema(fer_app *app)
{
    fer_err err = {0};
    fer_json *doc = NULL;
    fer_str text = FER_STR_NONE;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? fer_json_read(a, fer_config_schema(), NULL, &doc, &err)
                      : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_json_write(a, fer_json_root(doc), true, &text, &err);
    if (!code) {
        fer_out_add(&app->out, text);
        fer_out_text(&app->out, "\n");
    }
    int exit = code ? fer_app_fail(app, &err) : FER_EXIT_OK;
    fer_arena_free(a);
    return exit;
}
