/* SPDX-License-Identifier: Apache-2.0 */
#include "check_fix.h"

#include <string.h>
#include <unistd.h>

#include <ferrule/convert.h>

#include "ask.h"
#include "errors.h"
#include "file.h"
#include "json_mend.h"
#include "reader.h"
#include "text_diff.h"
#include "tool.h"
#include "toolset.h"

struct fixing {
    fer_app *app;
    const fer_setup *setup;
    fer_arena *arena;   /* of the input at hand */
    fer_arena *scratch; /* of the tool at hand */
    fer_str name, text;
    fer_splices splices;
    size_t changes;
    fer_out *out; /* where changes are told: standard error */
};

/* What cannot be read is told by the check that follows. */
static void pass_over(void *context, const fer_err *why)
{
    (void)context;
    (void)why;
}

static void tell_changes(struct fixing *f, const fer_tool *tool, const fer_fixed *fixed)
{
    for (size_t i = 0; i < fixed->change_count; i++) {
        const fer_rewritten *c = &fixed->changes[i];
        fer_out_clean(f->out, f->name);
        fer_out_text(f->out, ": ");
        fer_out_clean(f->out, fer_tool_name(tool));
        fer_out_printf(f->out, ": %s: %s: ", c->rule->id, c->rule->title);
        fer_out_clean(f->out, c->reason);
        fer_out_text(f->out, "\n");
    }
}

static fer_code fix_tool(struct fixing *f, const fer_tool *tool, fer_err *err)
{
    fer_fixed fixed;
    fer_json *schema;
    const fer_mended in = {f->text, tool->doc, tool->base};
    fer_arena_reset(f->scratch);
    fer_code code =
        fer_tool_fix(f->scratch, tool, f->setup->profiles, f->setup->profile_count, &fixed, err);
    if (code || !fixed.schema.len) return code;
    fer_str kept = fer_arena_copy(f->arena, fixed.schema);
    if (!kept.ptr) return fer_arena_failed(f->arena, err);
    code = fer_json_read(f->arena, kept, fer_json_limits_file(), &schema, err);
    if (!code)
        code = fer_json_mend(f->arena, &in, tool->values[FER_FIELD_INPUT_SCHEMA],
                             fer_json_root(schema), &f->splices, err);
    if (!code) tell_changes(f, tool, &fixed);
    f->changes += fixed.change_count;
    return code;
}

/* Notes what is to be done to a text; its tools live in `set`. */
static fer_code fix_text(struct fixing *f, fer_toolset *set, fer_format format, fer_err *err)
{
    fer_code code = fer_toolset_add_readable(set, f->name, f->text, format, pass_over, NULL, err);
    for (size_t i = 0; i < fer_toolset_count(set) && !code; i++)
        code = fix_tool(f, fer_toolset_get(set, i), err);
    return code;
}

static bool wants(const struct fixing *f)
{
    static const char *const choices[] = {"y", "n", NULL};
    char answer[FER_ANSWER_MAX], question[PATH_MAX + 32];
    if (fer_app_option(f->app, "yes") || !fer_ask_possible()) return true;
    snprintf(question, sizeof question, "Rewrite %.*s",
             FER_PRI(fer_str_head(f->name, PATH_MAX - 1)));
    return fer_ask(question, choices, "n", answer) && strcmp(answer, "y") == 0;
}

static fer_code put(struct fixing *f, const char *path, fer_err *err)
{
    fer_str fixed;
    bool dry = fer_app_option(f->app, "dry-run") != NULL;
    fer_code code = fer_splices_apply(f->arena, f->text, &f->splices, &fixed, err);
    if (code) return code;
    if ((dry || fer_ask_possible()) &&
        !fer_text_diff(f->arena, dry ? &f->app->out : f->out, f->name, f->text, &f->splices))
        return fer_arena_failed(f->arena, err);
    fer_out_flush(f->out);
    if (dry || !wants(f)) return FER_OK;
    return fer_file_rewrite(path, fixed, err);
}

static fer_code fix_input(struct fixing *f, fer_inputs *in, size_t index, fer_err *err)
{
    f->splices = (fer_splices){0};
    if (strcmp(in->paths[index], "-") == 0)
        return fer_fail(err, FER_BAD_USAGE, "--fix rewrites files, and standard input is none");
    /* What cannot be read is told by the check that follows. */
    if (fer_inputs_read(in, f->app, index, &f->name, &f->text, err)) return FER_OK;
    fer_format format = fer_format_detect(f->name, f->text, in->format);
    fer_toolset *set = fer_toolset_new();
    if (!set) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    size_t before = f->changes;
    fer_code code = format == FER_FORMAT_YAML ? FER_OK : fix_text(f, set, format, err);
    if (!code && format == FER_FORMAT_YAML)
        fer_app_say(f->app, "%.*s is not rewritten: it is YAML, and its comments would be lost",
                    FER_PRI(f->name));
    if (!code && f->changes > before) code = put(f, in->paths[index], err);
    fer_toolset_free(set);
    return code;
}

int fer_check_fix(fer_app *app, fer_inputs *in, const fer_setup *setup)
{
    fer_out errors;
    struct fixing f = {.app = app,
                       .setup = setup,
                       .arena = fer_arena_new(0),
                       .scratch = fer_arena_new(0),
                       .out = &errors};
    fer_err err;
    if (!setup->profile_count) {
        fer_arena_free(f.arena);
        fer_arena_free(f.scratch);
        return fer_app_usage(app, "--fix rewrites for profiles: name some with --profile");
    }
    fer_out_init(&errors, STDERR_FILENO, app->log.colour, false);
    fer_code code =
        f.arena && f.scratch ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < in->count && !code; i++) {
        fer_arena_reset(f.arena);
        code = fix_input(&f, in, i, &err);
    }
    fer_out_close(&errors);
    fer_arena_free(f.scratch);
    fer_arena_free(f.arena);
    return code ? fer_app_fail(app, &err) : 0;
}
