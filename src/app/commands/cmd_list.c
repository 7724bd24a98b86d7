/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule list: a table on a terminal, tab-separated lines in a pipe, or JSON. */
#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "inputs.h"
#include "tags.h"
#include "toolset.h"

struct list {
    fer_app *app;
    fer_str namespace;
    char tag_text[FER_TAG_MAX];
    fer_str tag;
    fer_str source;
    struct libscols_table *table; /* on a terminal */
    bool json;
    bool unreadable; /* something could not be read */
    size_t count;
};

/* What cannot be read is told, and the next is read; without memory there is no next. */
static fer_code pass_over(struct list *l, const fer_err *why, fer_err *err)
{
    fer_err named = *why;
    fer_fail_in(&named, l->source);
    if (named.code == FER_OUT_OF_MEMORY) {
        *err = named;
        return named.code;
    }
    fer_app_fail(l->app, &named);
    l->unreadable = true;
    return FER_OK;
}

static bool wanted(const struct list *l, const fer_tool *t)
{
    size_t count;
    const fer_str *tags = fer_tool_tags(t, &count);
    if (l->namespace.len && !fer_str_eq(fer_tool_namespace(t), l->namespace)) return false;
    if (!l->tag.len) return true;
    for (size_t i = 0; i < count; i++) {
        if (fer_str_eq(tags[i], l->tag)) return true;
    }
    return false;
}

static fer_str joined_tags(fer_arena *a, const fer_tool *t)
{
    size_t count;
    fer_buf b;
    const fer_str *tags = fer_tool_tags(t, &count);
    fer_buf_init(&b, a, 4096);
    for (size_t i = 0; i < count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, tags[i]);
    }
    return b.failure || !b.ptr ? FER_STR("") : fer_buf_view(&b);
}

static fer_str first_line(fer_str s)
{
    size_t end = fer_str_find(s, 0, '\n');
    return end == SIZE_MAX ? s : fer_str_slice(s, 0, end);
}

static fer_code add_row(struct list *l, fer_arena *a, const fer_tool *t, fer_err *err)
{
    const fer_str columns[] = {fer_tool_id(t), fer_str_of(fer_effect_name(fer_tool_effect(t))),
                               joined_tags(a, t), first_line(fer_tool_description(t))};
    struct libscols_line *line = scols_table_new_line(l->table, NULL);
    for (size_t i = 0; line && i < FER_COUNT(columns); i++) {
        fer_str copy = fer_arena_copy(a, columns[i]);
        if (!copy.ptr || scols_line_set_data(line, i, copy.ptr) != 0) line = NULL;
    }
    return line ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static void write_line(struct list *l, fer_arena *a, const fer_tool *t)
{
    fer_out *o = &l->app->out;
    fer_out_clean(o, fer_tool_id(t));
    fer_out_printf(o, "\t%s\t", fer_effect_name(fer_tool_effect(t)));
    fer_out_clean(o, joined_tags(a, t));
    fer_out_text(o, "\t");
    fer_out_clean(o, fer_tool_description(t));
    fer_out_text(o, "\n");
}

static void member(fer_out *o, const char *key, fer_str value)
{
    if (!value.len) return;
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, value);
}

static fer_code write_json(struct list *l, fer_arena *a, const fer_tool *t, size_t number,
                           fer_err *err)
{
    fer_out *o = &l->app->out;
    char hash[FER_HASH_TEXT];
    size_t count;
    const fer_str *tags = fer_tool_tags(t, &count);
    fer_code code = fer_tool_definition_hash(a, t, hash, err);
    if (code) return code;
    fer_out_printf(o, "%s\n{\"id\":", l->count ? "," : "");
    fer_out_json(o, fer_tool_id(t));
    member(o, "name", fer_tool_name(t));
    member(o, "namespace", fer_tool_namespace(t));
    member(o, "version", fer_tool_version(t));
    member(o, "title", fer_tool_title(t));
    member(o, "description", fer_tool_description(t));
    fer_out_printf(o, ",\"effect\":\"%s\",\"idempotency\":\"%s\",\"tags\":[",
                   fer_effect_name(fer_tool_effect(t)),
                   fer_idempotency_name(fer_tool_idempotency(t)));
    for (size_t i = 0; i < count; i++) {
        if (i) fer_out_text(o, ",");
        fer_out_json(o, tags[i]);
    }
    fer_out_printf(o, "],\"shape\":\"%s\",\"definitionHash\":\"sha256:%s\"", fer_tool_shape(t),
                   hash);
    member(o, "file", l->source);
    fer_out_printf(o, ",\"number\":%zu}", number);
    return FER_OK;
}

static fer_code visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct list *l = context;
    fer_code code = FER_OK;
    if (visited->failure) return pass_over(l, visited->failure, err);
    if (!visited->tool || !wanted(l, visited->tool)) return FER_OK;
    /* Scratch of the tool at hand goes with it. */
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (l->json) code = write_json(l, a, visited->tool, visited->item->number, err);
    else if (l->table) code = add_row(l, a, visited->tool, err);
    else write_line(l, a, visited->tool);
    fer_arena_free(a);
    l->count++;
    return code;
}

static struct libscols_table *new_table(void)
{
    struct libscols_table *t = scols_new_table();
    if (!t) return NULL;
    scols_table_enable_noheadings(t, 0);
    bool ok = scols_table_new_column(t, "ID", 0, 0) && scols_table_new_column(t, "EFFECT", 0, 0) &&
              scols_table_new_column(t, "TAGS", 0.15, SCOLS_FL_TRUNC) &&
              scols_table_new_column(t, "DESCRIPTION", 0.3, SCOLS_FL_TRUNC);
    if (ok) return t;
    scols_unref_table(t);
    return NULL;
}

/* Whoever named nothing, and gave nothing, is told what there is to name. */
static bool is_nothing(const struct list *l, fer_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!strchr(" \t\r\n", text.ptr[i]) || !text.ptr[i]) return false;
    return !l->app->arg_count;
}

static fer_code list_all(struct list *l, fer_inputs *in, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < in->count && !code; i++) {
        fer_reader r;
        fer_str text;
        fer_err why;
        code = fer_inputs_read(in, l->app, i, &l->source, &text, &why);
        if (!code && is_nothing(l, text))
            return fer_fail(err, FER_BAD_USAGE,
                            "list needs a file, a folder, or definitions on standard input, which "
                            "was empty; ferrule tools lists those of a gateway or a configuration");
        if (!code) code = fer_reader_init(&r, NULL, l->source, text, in->format, &why);
        if (!code) {
            code = fer_visit(&r, l->source, NULL, visit, l, &why);
            fer_reader_deinit(&r);
        }
        if (code) code = pass_over(l, &why, err);
    }
    return code;
}

int fer_run_list(fer_app *app)
{
    fer_inputs in;
    fer_err err;
    const char *namespace = fer_app_option(app, "namespace"), *tag = fer_app_option(app, "tag");
    struct list l = {.app = app,
                     .namespace = fer_str_of(namespace),
                     .json = fer_app_option(app, "json") != NULL};
    if (tag) l.tag = (fer_str){l.tag_text, fer_tag_normalise(fer_str_of(tag), l.tag_text)};
    int bad = fer_inputs_init(&in, app, 0);
    if (bad) return bad;
    if (app->out.terminal && !l.json) l.table = new_table();
    if (l.json) fer_out_text(&app->out, "[");
    fer_code code = list_all(&l, &in, &err);
    if (l.json) fer_out_text(&app->out, l.count ? "\n]\n" : "]\n");
    fer_inputs_deinit(&in);
    if (l.table) {
        fer_out_flush(&app->out);
        if (scols_print_table(l.table) != 0 || fflush(stdout) != 0) {
            app->out.failed = true;
            app->out.error = errno;
        }
        scols_unref_table(l.table);
    }
    if (code) return fer_app_fail(app, &err);
    return l.unreadable ? FER_EXIT_USAGE : FER_EXIT_OK;
}
