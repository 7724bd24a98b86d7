/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule import openapi: the operations of an OpenAPI document as tool records. */
#include <string.h>

#include "buf.h"
#include "command.h"
#include "errors.h"
#include "openapi.h"
#include "openapi_file.h"

static fer_code add_records(fer_arena *a, const fer_openapi *made, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '[');
    for (size_t i = 0; i < made->count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, made->tools[i].record);
    }
    fer_buf_add_char(&b, ']');
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}

/* One list, pretty, as JSON or YAML. */
static fer_code write_records(fer_app *app, fer_arena *a, const fer_openapi *made, fer_err *err)
{
    const char *format = fer_app_option(app, "format");
    bool yaml = format && strcmp(format, "yaml") == 0;
    fer_json *doc;
    fer_str text;
    fer_code code = add_records(a, made, &text, err);
    if (!code) code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (!code)
        code = yaml ? fer_yaml_write(a, fer_json_root(doc), &text, err)
                    : fer_json_write(a, fer_json_root(doc), true, &text, err);
    if (code) return code;
    fer_out_add(&app->out, text);
    if (!yaml) fer_out_text(&app->out, "\n");
    return FER_OK;
}

static void tell(fer_app *app, const char *file, const fer_openapi *made)
{
    for (size_t i = 0; i < made->problem_count; i++) {
        const fer_openapi_problem *p = &made->problems[i];
        fer_app_say(app, "%s:%u:%u: %s: %.*s%s%.*s%s", file, p->place.line, p->place.column,
                    p->left_out ? "left out" : "note", FER_PRI(p->message),
                    p->operation.len ? " (" : "", FER_PRI(p->operation),
                    p->operation.len ? ")" : "");
    }
    if (made->untold) fer_app_say(app, "%zu problem%s more", made->untold, fer_s(made->untold));
    fer_app_say(app, "%zu tool%s of %s; %zu operation%s left out, %zu passed over", made->count,
                fer_s(made->count), file, made->left_out, fer_s(made->left_out), made->passed);
}

static fer_code gather_include(fer_app *app, fer_arena *a, fer_openapi_options *o, fer_err *err)
{
    const char *value;
    fer_str *list = fer_arena_alloc_zero(a, FER_REPEATS_MAX, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; (value = fer_app_values(app, "include", i)); i++)
        list[o->include_count++] = fer_str_of(value);
    o->include = list;
    return FER_OK;
}

static fer_code import(fer_app *app, fer_arena *a, const char *file, fer_openapi *made,
                       fer_err *err)
{
    fer_openapi_options o = {.ns = fer_str_of(fer_app_option(app, "namespace")),
                             .provider = fer_str_of(fer_app_option(app, "provider")),
                             .base_url = fer_str_of(fer_app_option(app, "base-url"))};
    fer_code code = gather_include(app, a, &o, err);
    return code ? code : fer_openapi_read_file(a, file, &o, made, err);
}

int fer_run_import_openapi(fer_app *app)
{
    fer_openapi made = {0};
    fer_err err = {0};
    if (app->arg_count != 1) return fer_app_usage(app, "import openapi needs one FILE");
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? import(app, a, app->args[0], &made, &err)
                      : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = write_records(app, a, &made, &err);
    if (!code) tell(app, app->args[0], &made);
    int exit = code ? fer_app_fail(app, &err) : made.left_out ? FER_EXIT_FINDINGS : FER_EXIT_OK;
    fer_arena_free(a);
    return code && exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}
