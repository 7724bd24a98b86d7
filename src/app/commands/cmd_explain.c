/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule explain (rules and codes) and ferrule help (commands). */
#include <ferrule/contract.h>
#include <ferrule/convert.h>
#include <ferrule/schema.h>
#include <string.h>

#include "arena.h"
#include "command.h"
#include "errors.h"
#include "near.h"
#include "pages.h"
#include "report.h"

static int explain_rule(fer_app *app, const fer_rule *rule)
{
    const fer_sheet sheet = {.out = &app->out};
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? fer_page_rule(&sheet, a, rule, &err)
                      : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    fer_arena_free(a);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}

static void explain_code(fer_out *o, const fer_code_row *row)
{
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_text(o, row->name);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_printf(o, " (%s)\n\n%s\n\n", row->category, row->text);
    fer_out_printf(o, "HTTP %d; ", row->http_status);
    if (row->rpc_code) fer_out_printf(o, "JSON-RPC %d; ", row->rpc_code);
    else fer_out_text(o, "MCP tool result with isError; ");
    fer_out_printf(o, "exit code %d; %s\n", row->exit_code,
                   row->retryable ? "may be tried again" : "trying again does not help");
}

static void explain_rewrite(fer_out *o, const fer_rewrite *r)
{
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_text(o, r->id);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_printf(o, " (rewrite: %s)\n\n%s\n\n%s\n", r->classes, r->title, r->text);
    if (r->rules[0]) fer_out_printf(o, "\nMade needed by: %s\n", r->rules);
}

static void explain_schema_rule(fer_out *o, const fer_schema_rule *rule)
{
    const fer_sheet sheet = {.out = o};
    fer_sheet_title(&sheet, fer_str_of(rule->id),
                    rule->warning ? FER_STR(" (warning, of schema lint)")
                                  : FER_STR(" (error, of schema lint)"));
    fer_sheet_text(&sheet, "", fer_str_of(rule->text));
    fer_sheet_text(&sheet, "Why: ", fer_str_of(rule->why));
    fer_sheet_text(&sheet, "Fix: ", fer_str_of(rule->fix));
}

static int list_rules(fer_app *app)
{
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        fer_out_printf(&app->out, "%-26s %-8s %s\n", r->id, fer_severity_name(r->severity),
                       r->text);
    }
    return FER_EXIT_OK;
}

int fer_run_explain(fer_app *app)
{
    size_t code_count, schema_count;
    const fer_code_row *codes = fer_code_table(&code_count);
    const fer_schema_rule *of_schemas = fer_schema_rules(&schema_count);
    fer_near near;
    if (app->arg_count == 0) return list_rules(app);
    const char *name = app->args[0];
    const fer_rewrite *rewrite = fer_rewrite_find(fer_str_of(name));
    if (rewrite) {
        explain_rewrite(&app->out, rewrite);
        return FER_EXIT_OK;
    }
    fer_near_init(&near, fer_str_of(name));
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        if (strcmp(r->id, name) == 0) return explain_rule(app, r);
        fer_near_try(&near, fer_str_of(r->id));
    }
    for (size_t i = 0; i < schema_count; i++) {
        if (strcmp(of_schemas[i].id, name) == 0) {
            explain_schema_rule(&app->out, &of_schemas[i]);
            return FER_EXIT_OK;
        }
        fer_near_try(&near, fer_str_of(of_schemas[i].id));
    }
    for (size_t i = 0; i < code_count; i++) {
        if (strcmp(codes[i].name, name) == 0) {
            explain_code(&app->out, &codes[i]);
            return FER_EXIT_OK;
        }
        fer_near_try(&near, fer_str_of(codes[i].name));
    }
    if (near.best.ptr)
        return fer_app_usage(app, "there is no rule or code '%s'; did you mean '%.*s'?", name,
                             FER_PRI(near.best));
    return fer_app_usage(app, "there is no rule or code '%s'", name);
}

int fer_run_help(fer_app *app)
{
    if (app->arg_count == 0) {
        fer_help_write(&app->out, NULL);
        return FER_EXIT_OK;
    }
    size_t used;
    const fer_command *c = fer_command_find(app->args, app->arg_count, &used);
    bool group = !c && app->arg_count == 1 && fer_command_is_group(app->args[0]);
    if (c && used < app->arg_count)
        return fer_app_usage(app, "there is no command '%s %s'", c->name, app->args[used]);
    if (c) fer_help_write(&app->out, c);
    else if (group) fer_help_group(&app->out, app->args[0]);
    else
        return fer_app_usage(app, "there is no command '%s%s%s'", app->args[0],
                             app->arg_count > 1 ? " " : "", app->arg_count > 1 ? app->args[1] : "");
    return FER_EXIT_OK;
}
