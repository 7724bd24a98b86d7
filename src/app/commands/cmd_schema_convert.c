/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule schema convert-dialect: a schema in another dialect, and what that cost. */
#include <unistd.h>

#include "errors.h"
#include "source.h"

/* The dialect that was named, else the one that the schema names. */
static fer_dialect dialect_of(const fer_source *s, const char *given)
{
    fer_dialect from = FER_DIALECT_2020_12;
    const yyjson_val *named = fer_is_obj(s->value) ? fer_val_get(s->value, "$schema") : NULL;
    if (given) fer_dialect_find(fer_str_of(given), &from);
    else if (fer_is_str(named)) fer_dialect_find(fer_val_str(named), &from);
    return from;
}

static void write_json(fer_out *o, fer_str schema, const fer_schema_change *list, size_t count)
{
    fer_out_text(o, "{\"schema\":");
    fer_out_add(o, schema);
    fer_out_text(o, ",\"changes\":[");
    for (size_t i = 0; i < count; i++) {
        fer_out_printf(o, "%s{\"pointer\":", i ? "," : "");
        fer_out_json(o, list[i].pointer);
        fer_out_printf(o, ",\"lost\":%s,\"message\":", list[i].lost ? "true" : "false");
        fer_out_json(o, list[i].message);
        fer_out_text(o, "}");
    }
    fer_out_text(o, "]}\n");
}

static void write_changes(const fer_source *s, const fer_schema_change *list, size_t count)
{
    fer_out o;
    fer_out_init(&o, STDERR_FILENO, s->app->log.colour, false);
    for (size_t i = 0; i < count; i++) {
        const yyjson_val *at = fer_json_at(s->value, list[i].pointer, NULL);
        fer_place place = at ? fer_json_place(s->doc, at) : (fer_place){0};
        fer_out_style(&o, FER_STYLE_BOLD);
        fer_out_clean(&o, s->name);
        if (place.line) fer_out_printf(&o, ":%u:%u", place.line, place.column);
        fer_out_text(&o, ": ");
        fer_out_style(&o, list[i].lost ? FER_STYLE_RED : FER_STYLE_BLUE);
        fer_out_text(&o, list[i].lost ? "lost" : "changed");
        fer_out_style(&o, FER_STYLE_NONE);
        fer_out_text(&o, ": ");
        if (list[i].pointer.len) fer_out_clean(&o, list[i].pointer);
        if (list[i].pointer.len) fer_out_text(&o, ": ");
        fer_out_clean(&o, list[i].message);
        fer_out_text(&o, "\n");
    }
    fer_out_close(&o);
}

static fer_code convert(fer_source *s, fer_app *app, fer_err *err)
{
    fer_dialect to = FER_DIALECT_DEFAULT;
    fer_schema_change *list;
    size_t count;
    fer_str text;
    fer_dialect_find(fer_str_of(fer_app_option(app, "to")), &to);
    fer_code code = fer_source_open_file(s, app->args[0], err);
    if (!code)
        code = fer_schema_convert(s->arena, s->doc, dialect_of(s, fer_app_option(app, "from")), to,
                                  &text, &list, &count, err);
    if (code) return code;
    for (size_t i = 0; i < count; i++) {
        if (list[i].lost) s->result = FER_EXIT_FINDINGS;
    }
    if (fer_app_option(app, "json")) {
        write_json(&app->out, text, list, count);
        return FER_OK;
    }
    write_changes(s, list, count);
    return fer_source_print(s, text, err);
}

int fer_run_schema_convert(fer_app *app)
{
    if (!fer_app_option(app, "to"))
        return fer_app_usage(app, "convert-dialect needs --to, the dialect to write");
    return fer_source_run(app, convert);
}
