/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "file.h"
#include "toolset.h"

static fer_code read_text(fer_source *s, const char *path, fer_err *err)
{
    size_t max = fer_schema_limits_file()->size;
    bool from_stdin = strcmp(path, "-") == 0;
    fer_str text;
    s->name = fer_str_of(from_stdin ? "<stdin>" : path);
    s->text = FER_STR_NONE;
    s->base = (fer_place){0};
    fer_code code =
        from_stdin ? fer_file_read_fd(s->arena, STDIN_FILENO, "standard input", max, &text, err)
                   : fer_file_read(s->arena, path, max, &text, err);
    if (code == FER_LIMIT_EXCEEDED) fer_fail(err, code, "schema.size: the limit is %zu bytes", max);
    if (!code) s->text = text;
    return code;
}

static fer_code read_document(fer_source *s, const char *path, fer_json **out, fer_err *err)
{
    fer_code code = read_text(s, path, err);
    if (code) return code;
    fer_json_limits limits = *fer_json_limits_file();
    limits.depth = fer_schema_limits_file()->depth;
    bool yaml = fer_format_detect(s->name, s->text, FER_FORMAT_AUTO) == FER_FORMAT_YAML;
    code = yaml ? fer_yaml_read(s->arena, s->text, fer_json_limits_file(), out, err)
                : fer_json_read(s->arena, s->text, &limits, out, err);
    /* So that places are found at once, however many are asked for. */
    return code ? code : fer_json_index(s->arena, *out, err);
}

/* ---- what may be referred to -------------------------------------------------------------- */

/* "URI=FILE"; the last '=' counts, since URIs have more of them than names of files. */
static fer_code register_one(fer_source *s, const char *given, fer_err *err)
{
    const char *equals = strrchr(given, '=');
    fer_json *doc;
    fer_str text;
    if (!equals || equals == given || !equals[1])
        return fer_fail(err, FER_BAD_USAGE, "--register takes URI=FILE, not '%s'", given);
    fer_code code = read_document(s, equals + 1, &doc, err);
    if (!code) code = fer_json_write(s->arena, fer_json_root(doc), false, &text, err);
    if (!code)
        code = fer_registry_add(s->registry, (fer_str){given, (size_t)(equals - given)}, text,
                                s->options.dialect, err);
    return code;
}

fer_code fer_source_init(fer_source *s, fer_app *app, fer_err *err)
{
    const char *dialect = fer_app_option(app, "dialect"), *given;
    *s = (fer_source){.app = app, .arena = fer_arena_new(0), .registry = fer_registry_new()};
    if (!s->arena || !s->registry) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    s->options.limits = fer_schema_limits_file();
    s->options.assert_formats = fer_app_option(app, "assert-formats") != NULL;
    s->options.assert_content = fer_app_option(app, "assert-content") != NULL;
    s->options.native = fer_app_option(app, "native") != NULL;
    if (dialect) fer_dialect_find(fer_str_of(dialect), &s->options.dialect);
    fer_code code = FER_OK;
    for (size_t i = 0; !code && (given = fer_app_values(app, "register", i)); i++)
        code = register_one(s, given, err);
    s->options.registry = s->registry;
    return code;
}

void fer_source_deinit(fer_source *s)
{
    fer_schema_unref(s->program);
    fer_registry_free(s->registry);
    fer_arena_free(s->arena);
    *s = (fer_source){0};
}

/* ---- opening ----------------------------------------------------------------------------------
 */

fer_code fer_source_open_file(fer_source *s, const char *path, fer_err *err)
{
    fer_arena_reset(s->arena);
    s->doc = NULL;
    s->value = NULL;
    fer_code code = read_document(s, path, &s->doc, err);
    if (!code) s->value = fer_json_root(s->doc);
    return code;
}

/* The files that tools are looked for in; the set and its documents borrow them. */
struct file {
    fer_str name, text;
};

/* NULL: it failed, and err says why. */
static struct file *read_files(fer_source *s, fer_inputs *in, fer_err *err)
{
    struct file *files = fer_arena_alloc_zero(s->arena, in->count, sizeof *files);
    if (!files) fer_arena_failed(s->arena, err);
    for (size_t i = 0; files && i < in->count; i++) {
        fer_str name, text;
        fer_code code = fer_inputs_read(in, s->app, i, &name, &text, err);
        s->name = files[i].name = fer_arena_copy(s->arena, name);
        if (code) return NULL;
        files[i].text = fer_arena_copy(s->arena, text);
        if (files[i].name.ptr && files[i].text.ptr) continue;
        fer_arena_failed(s->arena, err);
        return NULL;
    }
    return files;
}

/* Looks for the document of the `left`-th tool. */
struct hunt {
    fer_source *source;
    const char *field;
    size_t left;
    bool found;
    size_t base; /* of what was found */
};

static fer_code hunt_visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct hunt *h = context;
    (void)err;
    if (!visited->tool) return FER_OK;
    if (h->left-- > 0) return FER_OK;
    h->source->doc = visited->item->doc;
    h->base = visited->item->base;
    h->source->value = fer_tool_field(visited->tool, h->field);
    h->found = true;
    return FER_CANCELLED;
}

/* A set does not tell where its tools stand, and findings should: reads up to the tool again. */
static fer_code hunt_down(fer_source *s, const struct file *files, struct hunt *h, fer_err *err)
{
    for (const struct file *f = files; !h->found; f++) {
        fer_reader r;
        s->name = f->name;
        s->text = f->text;
        fer_code code = fer_reader_init(&r, s->arena, f->name, f->text, FER_FORMAT_AUTO, err);
        if (code) return code;
        code = fer_visit(&r, f->name, NULL, hunt_visit, h, err);
        fer_reader_deinit(&r);
        if (code && !h->found) return code;
    }
    fer_lines lines;
    fer_lines_init(&lines, s->text);
    s->base = fer_lines_place(&lines, h->base);
    return fer_json_index(s->arena, s->doc, err);
}

static size_t index_of(const fer_toolset *set, const fer_tool *tool)
{
    size_t i = 0;
    while (i < fer_toolset_count(set) && fer_toolset_get(set, i) != tool) i++;
    return i;
}

/* The schema that stands for none: everything will do. */
static fer_code open_anything(fer_source *s, fer_err *err)
{
    s->text = FER_STR_NONE;
    s->base = (fer_place){0};
    fer_code code = fer_json_read(s->arena, FER_STR("true"), NULL, &s->doc, err);
    if (!code) s->value = fer_json_root(s->doc);
    return code;
}

static fer_code find_tool(fer_source *s, fer_inputs *in, fer_toolset *set, const char *id,
                          const char *field, fer_err *err)
{
    const fer_tool *tool;
    struct hunt h = {.source = s, .field = field};
    struct file *files = read_files(s, in, err);
    if (!files) return err->code;
    fer_code code = FER_OK;
    for (size_t i = 0; i < in->count && !code; i++) {
        s->name = files[i].name;
        s->text = files[i].text;
        code = fer_toolset_add(set, s->name, s->text, FER_FORMAT_AUTO, err);
    }
    if (code) return code;
    code = fer_toolset_find(set, fer_str_of(id), FER_STR(""), &tool, err);
    if (code) return code;
    h.left = index_of(set, tool);
    code = hunt_down(s, files, &h, err);
    if (code || s->value) return code;
    if (strcmp(field, "outputSchema") == 0) return open_anything(s, err);
    return fer_fail(err, FER_INVALID_SCHEMA, "the tool %s has no inputSchema", id);
}

fer_code fer_source_open_tool(fer_source *s, const char *tools, const char *id, const char *field,
                              fer_err *err)
{
    fer_inputs in;
    fer_toolset *set = fer_toolset_new();
    s->name = fer_str_of(tools);
    s->text = FER_STR_NONE;
    if (!set) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_inputs_init_path(&in, tools, err);
    if (!code) {
        code = find_tool(s, &in, set, id, field, err);
        fer_inputs_deinit(&in);
    }
    fer_toolset_free(set);
    return code;
}

/* ---- compiling
 * ----------------------------------------------------------------------------------- */

/* A place in the document, seen from the start of the file. */
static fer_place moved(const fer_source *s, fer_place place)
{
    if (!s->base.line || !place.line) return place;
    place.offset += s->base.offset;
    if (place.line == 1) place.column += s->base.column - 1;
    place.line += s->base.line - 1;
    return place;
}

static void move_error(const fer_source *s, fer_err *err)
{
    fer_place place = moved(s, (fer_place){err->offset, err->line, err->column});
    err->offset = place.offset;
    err->line = place.line;
    err->column = place.column;
}

fer_code fer_source_compile(fer_source *s, fer_err *err)
{
    fer_code code = fer_schema_compile_value(s->doc, s->value, &s->options, &s->program, err);
    if (code) move_error(s, err);
    return code;
}

fer_place fer_source_place(const fer_source *s, const yyjson_val *value, fer_place place)
{
    const fer_json *doc = s->text.ptr ? s->doc : NULL;
    bool inside = doc && value >= doc->vals && value < doc->vals + doc->count;
    return inside ? moved(s, place) : (fer_place){0};
}

/* Everything that keeps the schema from compiling; false where there is nothing to say. */
static bool tell_problems(fer_source *s, const fer_report_kind *kind, fer_report *report)
{
    fer_schema_problem *list;
    size_t count;
    bool told = false;
    if (!s->value || s->program) return false;
    if (fer_schema_problems(s->arena, s->doc, s->value, &s->options, false, &list, &count, NULL))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (list[i].warning) continue;
        fer_schema_problem p = list[i];
        p.place = fer_source_place(s, p.value, p.place);
        fer_remark m = fer_remark_of_problem(&p, s->name, s->text);
        m.rule = fer_code_info(p.code)->name;
        kind->remark(report, &m, s->text);
        told = true;
    }
    return told;
}

int fer_source_refuse(fer_source *s, const fer_report_kind *kind, fer_report *report,
                      const fer_err *err)
{
    const fer_code_row *row = fer_code_info(err->code);
    bool usage = err->code == FER_BAD_USAGE || err->code == FER_TOOL_NOT_FOUND;
    bool broken = row->exit_code == FER_EXIT_SYSTEM;
    report->counts.errors++;
    report->counts.unreadable++;
    if (kind && !usage && !broken) {
        if (!tell_problems(s, kind, report)) kind->failure(report, s->name, err, s->text);
        return FER_EXIT_USAGE;
    }
    fer_err named = *err;
    if (!usage) fer_fail_in(&named, s->name);
    fer_app_fail(s->app, &named);
    return broken ? FER_EXIT_SYSTEM : FER_EXIT_USAGE;
}

/* ---- commands on one schema -------------------------------------------------------------------
 */

fer_code fer_source_print(fer_source *s, fer_str text, fer_err *err)
{
    fer_json *doc;
    fer_str pretty;
    fer_json_limits limits = *fer_json_limits_file();
    limits.depth = SIZE_MAX; /* it was made from what was read within its limits */
    fer_code code = fer_json_read(s->arena, text, &limits, &doc, err);
    if (!code) code = fer_json_write(s->arena, fer_json_root(doc), true, &pretty, err);
    if (code) return code;
    fer_out_add(&s->app->out, pretty);
    fer_out_text(&s->app->out, "\n");
    return FER_OK;
}

int fer_source_run(fer_app *app, fer_source_work *work)
{
    fer_source s;
    fer_err err;
    fer_out errors;
    fer_report report = {.out = &errors, .about = FER_ABOUT_INSTANCES};
    if (app->arg_count != 1)
        return fer_app_usage(app, "%s needs one schema: a file, or - for standard input",
                             app->command->name);
    fer_out_init(&errors, STDERR_FILENO, app->log.colour, false);
    fer_code code = fer_source_init(&s, app, &err);
    if (!code) code = work(&s, app, &err);
    int result = code ? fer_source_refuse(&s, &fer_report_text, &report, &err) : s.result;
    fer_out_close(&errors);
    fer_source_deinit(&s);
    return result;
}
