/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule show: what is known of one tool. */
#include "errors.h"
#include "inputs.h"
#include "json_value.h"
#include "toolset.h"
#include "unicode.h"

static void row(fer_out *o, const char *label, fer_str value)
{
    if (!value.len) return;
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_printf(o, "  %-13s", label);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_clean(o, value);
    fer_out_text(o, "\n");
}

static void write_tags(fer_out *o, const fer_tool *t)
{
    size_t count;
    const fer_str *tags = fer_tool_tags(t, &count);
    if (!count) return;
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_printf(o, "  %-13s", "tags");
    fer_out_style(o, FER_STYLE_NONE);
    for (size_t i = 0; i < count; i++) {
        if (i) fer_out_text(o, ", ");
        fer_out_clean(o, tags[i]);
    }
    fer_out_text(o, "\n");
}

static void write_backends(fer_out *o, const fer_tool *t)
{
    static const char *const kinds[] = {"local", "provider", "mcp"};
    size_t count;
    const fer_backend *backends = fer_tool_backends(t, &count);
    for (size_t i = 0; i < count; i++) {
        fer_out_style(o, FER_STYLE_DIM);
        fer_out_printf(o, "  %-13s", "backend");
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_printf(o, "%s ", kinds[backends[i].kind]);
        fer_out_clean(o, backends[i].name);
        if (backends[i].tool.len) fer_out_text(o, " ");
        fer_out_clean(o, backends[i].tool);
        fer_out_text(o, "\n");
    }
}

static bool is_required(const yyjson_val *schema, fer_str name)
{
    const yyjson_val *required = fer_val_get(schema, "required");
    if (!fer_is_arr(required)) return false;
    FER_EACH_ITEM (required, item) {
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    }
    return false;
}

static void write_type(fer_out *o, const yyjson_val *property)
{
    const yyjson_val *type = fer_val_get(property, "type");
    if (fer_is_str(type)) {
        fer_out_clean(o, fer_val_str(type));
    } else if (fer_is_arr(type)) {
        bool first = true;
        FER_EACH_ITEM (type, one) {
            if (!first) fer_out_text(o, "|");
            first = false;
            if (fer_is_str(one)) fer_out_clean(o, fer_val_str(one));
        }
    } else {
        fer_out_text(o, "any");
    }
}

/* The properties at the root of the input schema, one line each. */
static void write_parameters(fer_out *o, const fer_tool *t)
{
    const yyjson_val *schema = fer_tool_field(t, "inputSchema"),
                     *properties = fer_val_get(schema, "properties");
    if (!fer_is_obj(properties) || fer_val_len(properties) == 0) return;
    fer_out_text(o, "\n");
    FER_EACH_MEMBER (properties, key) {
        const yyjson_val *description = fer_val_get(key + 1, "description");
        fer_out_text(o, "  ");
        fer_out_style(o, FER_STYLE_BOLD);
        fer_out_clean(o, fer_val_str(key));
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_text(o, ": ");
        write_type(o, key + 1);
        if (is_required(schema, fer_val_str(key))) fer_out_text(o, ", required");
        if (fer_is_str(description)) {
            fer_out_text(o, ": ");
            fer_out_clean(o, fer_utf8_cut(fer_val_str(description), 120));
        }
        fer_out_text(o, "\n");
    }
}

static fer_code write_tool(fer_app *app, fer_arena *a, const fer_tool *t, fer_err *err)
{
    fer_out *o = &app->out;
    char hash[FER_HASH_TEXT];
    fer_str record;
    if (fer_app_option(app, "json")) {
        fer_code code = fer_tool_write(a, t, true, &record, err);
        if (code) return code;
        fer_out_add(o, record);
        fer_out_text(o, "\n");
        return FER_OK;
    }
    fer_code code = fer_tool_definition_hash(a, t, hash, err);
    if (code) return code;
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_clean(o, fer_tool_id(t));
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
    row(o, "title", fer_tool_title(t));
    row(o, "description", fer_tool_description(t));
    row(o, "version", fer_tool_version(t));
    row(o, "effect", fer_str_of(fer_effect_name(fer_tool_effect(t))));
    row(o, "idempotency", fer_str_of(fer_idempotency_name(fer_tool_idempotency(t))));
    write_tags(o, t);
    write_backends(o, t);
    row(o, "shape", fer_str_of(fer_tool_shape(t)));
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_printf(o, "  %-13s", "definition");
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_printf(o, "sha256:%s\n", hash);
    write_parameters(o, t);
    return FER_OK;
}

struct loading {
    fer_app *app;
    fer_str source;
    bool unreadable; /* something could not be read */
};

static void tell_failure(void *context, const fer_err *why)
{
    struct loading *l = context;
    fer_err named = *why;
    fer_fail_in(&named, l->source);
    fer_app_fail(l->app, &named);
    l->unreadable = true;
}

/* What cannot be read is told, and the tool is looked for in the rest. */
static fer_code load_all(struct loading *l, fer_inputs *in, fer_toolset *set, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < in->count && !code; i++) {
        fer_str text;
        code = fer_inputs_read(in, l->app, i, &l->source, &text, err);
        if (!code) {
            code = fer_toolset_add_readable(set, l->source, text, in->format, tell_failure, l, err);
        } else if (code != FER_OUT_OF_MEMORY) {
            tell_failure(l, err);
            code = FER_OK;
        }
    }
    return code;
}

int fer_run_show(fer_app *app)
{
    fer_inputs in;
    fer_err err;
    const fer_tool *tool;
    const char *constraint = fer_app_option(app, "version");
    if (app->arg_count == 0) return fer_app_usage(app, "show needs the ID of a tool");
    int bad = fer_inputs_init(&in, app, 1);
    if (bad) return bad;
    fer_toolset *set = fer_toolset_new();
    fer_arena *a = fer_arena_new(0);
    struct loading l = {.app = app};
    fer_code code = set && a ? load_all(&l, &in, set, &err)
                             : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code)
        code = fer_toolset_find(set, fer_str_of(app->args[0]), fer_str_of(constraint), &tool, &err);
    if (!code) code = write_tool(app, a, tool, &err);
    fer_arena_free(a);
    fer_toolset_free(set);
    fer_inputs_deinit(&in);
    int exit = code ? fer_app_fail(app, &err) : FER_EXIT_OK;
    return l.unreadable && exit <= FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}
