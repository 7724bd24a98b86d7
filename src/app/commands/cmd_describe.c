/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule describe: one tool at one of four levels of detail. */
#include "errors.h"
#include "json_value.h"
#include "shelf.h"

static void label(fer_out *o, const char *name)
{
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_printf(o, "  %-13s", name);
    fer_out_style(o, FER_STYLE_NONE);
}

static void heading(fer_out *o, const char *name)
{
    fer_out_text(o, "\n");
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_printf(o, "%s\n", name);
    fer_out_style(o, FER_STYLE_NONE);
}

static void row(fer_out *o, const char *name, const yyjson_val *text)
{
    if (!fer_is_str(text) || !fer_val_len(text)) return;
    label(o, name);
    fer_out_clean(o, fer_val_str(text));
    fer_out_text(o, "\n");
}

static void write_list(fer_out *o, const yyjson_val *list, const char *between)
{
    bool first = true;
    FER_EACH_ITEM (list, item) {
        if (!fer_is_str(item)) continue;
        if (!first) fer_out_text(o, between);
        first = false;
        fer_out_clean(o, fer_val_str(item));
    }
}

static void list_row(fer_out *o, const char *name, const yyjson_val *list)
{
    if (!fer_is_arr(list) || !fer_val_len(list)) return;
    label(o, name);
    write_list(o, list, ", ");
    fer_out_text(o, "\n");
}

/* Hints that are true, by their names. */
static void hints_row(fer_out *o, const yyjson_val *annotations)
{
    bool any = false;
    if (!fer_is_obj(annotations)) return;
    FER_EACH_MEMBER (annotations, key) {
        if (!fer_is_true(key + 1)) continue;
        if (!any) label(o, "hints");
        else fer_out_text(o, ", ");
        any = true;
        fer_out_clean(o, fer_val_str(key));
    }
    if (any) fer_out_text(o, "\n");
}

static bool is_required(const yyjson_val *info, fer_str name)
{
    const yyjson_val *required = fer_val_get(info, "required");
    if (!fer_is_arr(required)) return false;
    FER_EACH_ITEM (required, item) {
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    }
    return false;
}

static fer_code write_value(fer_shelf *s, const yyjson_val *value, fer_err *err)
{
    fer_str text;
    fer_code code = fer_json_write(s->arena, value, false, &text, err);
    if (!code) fer_out_clean(&s->app->out, text);
    return code;
}

/* One line per parameter: name, types, whether it is required, default, description. */
static fer_code write_parameter(fer_shelf *s, const yyjson_val *info, fer_str name,
                                const yyjson_val *schema, fer_err *err)
{
    fer_out *o = &s->app->out;
    const yyjson_val *all_types = fer_val_get(info, "types"), *all = fer_val_get(info, "defaults");
    const yyjson_val *types = all_types ? fer_val_key(all_types, name) : NULL;
    const yyjson_val *otherwise = all ? fer_val_key(all, name) : NULL;
    const yyjson_val *text = fer_is_obj(schema) ? fer_val_get(schema, "description") : NULL;
    fer_code code = FER_OK;
    fer_out_text(o, "  ");
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_clean(o, name);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, ": ");
    if (types) write_list(o, types + 1, "|");
    else fer_out_text(o, "any");
    if (is_required(info, name)) fer_out_text(o, ", required");
    if (otherwise) {
        fer_out_text(o, ", default ");
        code = write_value(s, otherwise + 1, err);
    }
    if (text && fer_is_str(text)) {
        fer_out_text(o, ": ");
        fer_out_clean(o, fer_val_str(text));
    }
    fer_out_text(o, "\n");
    return code;
}

static fer_code write_parameters(fer_shelf *s, const yyjson_val *doc, fer_err *err)
{
    const yyjson_val *tool = fer_val_get(doc, "tool"), *info = fer_val_get(doc, "schemaInfo");
    const yyjson_val *schema = fer_is_obj(tool) ? fer_val_get(tool, "inputSchema") : NULL;
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!tool) return FER_OK;
    if (!fer_is_obj(properties) || !fer_val_len(properties)) {
        fer_out_text(&s->app->out, "\n  no parameters\n");
        return FER_OK;
    }
    heading(&s->app->out, "Parameters");
    FER_EACH_MEMBER (properties, key) {
        fer_code code = write_parameter(s, info, fer_val_str(key), key + 1, err);
        if (code) return code;
    }
    return FER_OK;
}

static fer_code write_examples(fer_shelf *s, const yyjson_val *list, fer_err *err)
{
    fer_out *o = &s->app->out;
    if (!fer_is_arr(list)) return FER_OK;
    heading(o, "Examples");
    FER_EACH_ITEM (list, example) {
        const yyjson_val *text = fer_val_get(example, "description");
        const yyjson_val *hint = fer_val_get(example, "resultHint");
        if (!text) text = fer_val_get(example, "title");
        if (text && fer_is_str(text)) {
            fer_out_text(o, "  ");
            fer_out_clean(o, fer_val_str(text));
            fer_out_text(o, "\n");
        }
        fer_out_text(o, "    ");
        fer_code code = write_value(s, fer_val_get(example, "args"), err);
        if (code) return code;
        fer_out_text(o, "\n");
        if (!hint || !fer_is_str(hint)) continue;
        fer_out_text(o, "    -> ");
        fer_out_clean(o, fer_val_str(hint));
        fer_out_text(o, "\n");
    }
    return FER_OK;
}

/* All of the description, where the summary is only its beginning. */
static void write_description(fer_out *o, const yyjson_val *root)
{
    const yyjson_val *tool = fer_val_get(root, "tool"), *shown = fer_val_get(root, "summary");
    const yyjson_val *text = fer_is_obj(tool) ? fer_val_get(tool, "description") : NULL;
    if (!fer_is_str(text) || (fer_is_str(shown) && fer_val_len(shown) == fer_val_len(text))) return;
    heading(o, "Description");
    for (fer_str rest = fer_val_str(text); rest.len;) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.ptr) : rest.len;
        fer_out_text(o, len ? "  " : "");
        fer_out_clean(o, fer_str_slice(rest, 0, len));
        fer_out_text(o, "\n");
        rest = fer_str_slice(rest, end ? len + 1 : len, rest.len);
    }
}

/* Its lines as they are, and nothing else that a terminal would obey. */
static void write_lines(fer_out *o, fer_str text)
{
    for (size_t from = 0, at = 0; at < text.len; from = ++at) {
        while (at < text.len && text.ptr[at] != '\n') at++;
        fer_out_clean(o, fer_str_slice(text, from, at));
        if (at < text.len) fer_out_text(o, "\n");
    }
}

static fer_code write_text(fer_shelf *s, fer_str id, fer_str json, fer_err *err)
{
    fer_out *o = &s->app->out;
    fer_json *doc;
    fer_code code = fer_json_read(s->arena, json, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc), *notes = fer_val_get(root, "notes"),
                     *types = fer_val_get(root, "types");
    if (fer_is_str(types)) { /* as a file of TypeScript has it */
        write_lines(o, fer_val_str(types));
        return FER_OK;
    }
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_clean(o, id);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
    row(o, "summary", fer_val_get(root, "summary"));
    list_row(o, "takes", fer_val_get(root, "inputModes"));
    list_row(o, "gives", fer_val_get(root, "outputModes"));
    row(o, "security", fer_val_get(root, "securitySummary"));
    hints_row(o, fer_val_get(root, "annotations"));
    write_description(o, root);
    code = write_parameters(s, root, err);
    if (!code && fer_is_str(notes)) {
        heading(o, "Notes");
        fer_out_text(o, "  ");
        fer_out_clean(o, fer_val_str(notes));
        fer_out_text(o, "\n");
    }
    if (!code) code = write_examples(s, fer_val_get(root, "examples"), err);
    if (code) return code;
    list_row(o, "see", fer_val_get(root, "externalRefs"));
    return FER_OK;
}

static fer_code describe(fer_shelf *s, fer_err *err)
{
    fer_app *app = s->app;
    const char *asked = fer_app_option(app, "level"), *wanted = fer_app_option(app, "version");
    fer_str given = fer_str_of(app->args[0]), id, json;
    fer_level level = FER_LEVEL_FULL;
    fer_code code = asked ? fer_level_parse(fer_str_of(asked), &level, err) : FER_OK;
    if (code) return code;
    /* A tool that is only documented has no ID to resolve, but a summary. */
    code = fer_view_resolve(s->arena, s->view, given, fer_str_of(wanted), &id, err);
    if (code == FER_TOOL_NOT_FOUND && !wanted) id = given;
    else if (code) return code;
    code = fer_view_describe(s->arena, s->view, id, level, &json, err);
    if (code) return code;
    if (!fer_app_option(app, "json")) return write_text(s, id, json, err);
    fer_out_add(&app->out, json);
    fer_out_text(&app->out, "\n");
    return FER_OK;
}

int fer_run_describe(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    if (app->arg_count == 0) return fer_app_usage(app, "describe needs the ID of a tool");
    int bad = fer_shelf_init(
        &s, app, &(fer_shelf_options){.skip = 1, .configured = true, .about = app->args[0]});
    if (bad) return bad;
    fer_code code = describe(&s, &err);
    fer_shelf_deinit(&s);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}
