/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule schema info: what a schema asks for, as a table, lines or JSON. */
#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>

#include "buf.h"
#include "errors.h"
#include "program.h"
#include "source.h"

static fer_str joined_types(fer_arena *a, const fer_parameter *p)
{
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    for (size_t i = 0; i < p->type_count; i++) {
        if (i) fer_buf_add_char(&b, '|');
        fer_buf_add(&b, p->types[i]);
    }
    if (!p->type_count) fer_buf_add_text(&b, "any");
    return b.failure || !b.ptr ? FER_STR("") : fer_buf_view(&b);
}

static fer_str first_line(fer_str s)
{
    size_t end = fer_str_find(s, 0, '\n');
    return end == SIZE_MAX ? s : fer_str_slice(s, 0, end);
}

static void json_member(fer_out *o, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, text);
}

/* What is JSON already, as it is. */
static void raw_member(fer_out *o, const char *key, fer_str json)
{
    if (!json.len) return;
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_add(o, json);
}

static void write_json(const fer_source *s, const fer_schema_info *info)
{
    fer_out *o = &s->app->out;
    fer_out_printf(o, "{\"dialect\":\"%s\",\"bytes\":%zu,\"subschemas\":%zu,\"parameters\":[",
                   fer_dialect_name(fer_schema_dialect(s->program)), s->text.len,
                   s->program->node_count);
    for (size_t i = 0; i < info->count; i++) {
        const fer_parameter *p = &info->parameters[i];
        fer_out_printf(o, "%s\n{\"name\":", i ? "," : "");
        fer_out_json(o, p->name);
        fer_out_printf(o, ",\"depth\":%zu,\"types\":[", p->depth);
        for (size_t t = 0; t < p->type_count; t++) {
            if (t) fer_out_text(o, ",");
            fer_out_json(o, p->types[t]);
        }
        fer_out_printf(o, "],\"required\":%s", p->required ? "true" : "false");
        raw_member(o, "default", p->default_json);
        raw_member(o, "enum", p->enum_json);
        json_member(o, "format", p->format);
        json_member(o, "description", p->description);
        fer_out_text(o, "}");
    }
    fer_out_text(o, info->count ? "\n]}\n" : "]}\n");
}

/* Lines of words separated by tabs; the first word says what the line is. */
static void write_lines(fer_source *s, const fer_schema_info *info)
{
    fer_out *o = &s->app->out;
    fer_out_printf(o, "dialect\t%s\nbytes\t%zu\nsubschemas\t%zu\n",
                   fer_dialect_name(fer_schema_dialect(s->program)), s->text.len,
                   s->program->node_count);
    for (size_t i = 0; i < info->count; i++) {
        const fer_parameter *p = &info->parameters[i];
        const fer_str cells[] = {p->name, joined_types(s->arena, p),
                                 fer_str_of(p->required ? "required" : "optional"), p->default_json,
                                 first_line(p->description)};
        fer_out_text(o, "parameter");
        for (size_t c = 0; c < FER_COUNT(cells); c++) {
            fer_out_text(o, "\t");
            fer_out_clean(o, cells[c]);
        }
        fer_out_text(o, "\n");
    }
}

static bool add_row(struct libscols_table *table, fer_source *s, const fer_parameter *p)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    const fer_str cells[] = {p->name, joined_types(s->arena, p),
                             fer_str_of(p->required ? "yes" : ""), p->default_json,
                             first_line(p->description)};
    for (size_t i = 0; line && i < FER_COUNT(cells); i++) {
        fer_str copy = fer_arena_copy(s->arena, cells[i]);
        if (!copy.ptr || scols_line_set_data(line, i, copy.ptr) != 0) return false;
    }
    return line != NULL;
}

static fer_code write_table(fer_source *s, const fer_schema_info *info, fer_err *err)
{
    fer_out *o = &s->app->out;
    fer_out_printf(o, "%s, %zu byte%s, %zu subschema%s, %zu parameter%s\n",
                   fer_dialect_name(fer_schema_dialect(s->program)), s->text.len,
                   fer_s(s->text.len), s->program->node_count, fer_s(s->program->node_count),
                   info->count, fer_s(info->count));
    if (!info->count) return FER_OK;
    struct libscols_table *t = scols_new_table();
    bool ok = t && scols_table_new_column(t, "NAME", 0, 0) &&
              scols_table_new_column(t, "TYPE", 0, 0) &&
              scols_table_new_column(t, "REQUIRED", 0, 0) &&
              scols_table_new_column(t, "DEFAULT", 0.1, SCOLS_FL_TRUNC) &&
              scols_table_new_column(t, "DESCRIPTION", 0.4, SCOLS_FL_TRUNC);
    for (size_t i = 0; ok && i < info->count; i++) ok = add_row(t, s, &info->parameters[i]);
    if (ok) {
        fer_out_flush(o);
        if (scols_print_table(t) != 0 || fflush(stdout) != 0) {
            o->failed = true;
            o->error = errno;
        }
    }
    scols_unref_table(t);
    return ok ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static fer_code tell(fer_source *s, fer_app *app, fer_err *err)
{
    fer_schema_info info;
    fer_code code = fer_source_open_file(s, app->args[0], err);
    if (!code) code = fer_source_compile(s, err);
    if (!code) code = fer_schema_describe(s->arena, s->program, &info, err);
    if (code) return code;
    if (fer_app_option(app, "json")) write_json(s, &info);
    else if (app->out.terminal) return write_table(s, &info, err);
    else write_lines(s, &info);
    return FER_OK;
}

int fer_run_schema_info(fer_app *app)
{
    return fer_source_run(app, tell);
}
