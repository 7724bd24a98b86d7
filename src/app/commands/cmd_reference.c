/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule reference: the reference pages, written from the tables that the code itself uses. */
#include <ferrule/contract.h>
#include <ferrule/evolve.h>
#include <string.h>

#include "blame.h"
#include "check_setup.h"
#include "command.h"
#include "errors.h"
#include "fields.h"
#include "file.h"
#include "inputs.h"
#include "json_doc.h"
#include "log.h"
#include "profile.h"
#include "reference_rules.h"
#include "report.h"
#include "schema_limits.h"

#define PAGES "tool-record, rules, changes, profiles, errors, limits, cli and man"
#define MADE  "<!-- Made by `ferrule reference`; do not edit. `make docs` makes it anew. -->\n\n"

/* Table cells: a bar would end one. */
static void cell(fer_out *o, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') fer_out_text(o, "\\");
        fer_out_add(o, (fer_str){text, 1});
    }
}

/* ---- tool-record ------------------------------------------------------------------------------
 */

static void field_type(fer_out *o, const fer_field *f)
{
    char storage[64];
    fer_buf types;
    fer_buf_init_fixed(&types, storage, sizeof storage);
    fer_field_types_text(f, &types);
    fer_out_add(o, fer_buf_view(&types));
    if (f->words) {
        fer_out_text(o, ": ");
        for (const char *const *w = f->words; *w; w++)
            fer_out_printf(o, "%s`%s`", w == f->words ? "" : ", ", *w);
    }
    if (f->types & FER_T_INTEGER) {
        fer_out_printf(o, ", %llu", (unsigned long long)f->min);
        if (f->max) fer_out_printf(o, " to %llu", (unsigned long long)f->max);
    } else if (f->max) {
        fer_out_printf(o, ", at most %llu characters", (unsigned long long)f->max);
    }
    if (f->item && f->types & FER_T_ARRAY) {
        fer_out_text(o, " of ");
        field_type(o, f->item);
    }
}

static void field_row(fer_out *o, const char *prefix, const fer_field *f)
{
    fer_out_printf(o, "| `%s%s` | ", prefix, f->key);
    field_type(o, f);
    fer_out_printf(o, " | %s | %s | ", f->flags & FER_F_REQUIRED ? "yes" : "",
                   *prefix                ? ""
                   : f->flags & FER_F_MCP ? "MCP"
                                          : "Ferrule");
    cell(o, f->text);
    fer_out_text(o, " |\n");
}

/* The members of a field's objects, down to the last table. */
static void member_rows(fer_out *o, const char *prefix, const fer_field *f, int depth)
{
    const fer_field *members = f->members ? f->members : f->item ? f->item->members : NULL;
    if (!members || depth == 0) return;
    char deeper[128];
    fer_buf b;
    fer_buf_init_fixed(&b, deeper, sizeof deeper - 1);
    fer_buf_printf(&b, "%s%s%s.", prefix, f->key, f->item ? "[]" : "");
    deeper[b.len] = '\0';
    for (const fer_field *m = members; m->key; m++) {
        field_row(o, deeper, m);
        member_rows(o, deeper, m, depth - 1);
    }
}

static void page_tool_record(fer_out *o)
{
    fer_out_text(
        o,
        "# The tool record\n\n" MADE
        "One tool is one object with the fields below. Fields of MCP keep their meaning; Ferrule's own fields are\n"
        "top-level keys in Ferrule's files and stand under `_meta.ferrule` on MCP wires. Unknown keys are kept.\n"
        "The ID of a tool is `name`, `namespace:name` or `namespace:name:version`.\n\n"
        "| field | type | required | from | meaning |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        field_row(o, "", &fer_fields[i]);
        member_rows(o, "", &fer_fields[i], 4);
    }
    fer_out_text(
        o,
        "\n## Redaction paths\n\n"
        "`path = seg *(\".\" seg)`; `seg` is a name, `*` (one level), `**` (any number of levels), `[n]`, `[*]` or\n"
        "`[\"any key\"]`. A prefix `input:`, `output:`, `headers:`, `error:`, `meta:` or `stderr:` limits it to that part.\n\n"
        "## Definition hash\n\n"
        "SHA-256 over the canonical form (RFC 8785, exact numbers) of `name`, `title`, `description`, `inputSchema`,\n"
        "`outputSchema`, `annotations`, `icons`, `execution` and `_meta` without `_meta.ferrule`: all that a model or a\n"
        "client sees. It does not depend on key order, white space, or the shape the tool came in.\n");
}

/* ---- rules, errors, limits
 * ------------------------------------------------------------------------ */

static void page_errors(fer_out *o)
{
    size_t count;
    const fer_code_row *rows = fer_code_table(&count);
    fer_out_text(
        o,
        "# Errors\n\n" MADE
        "Every failure has one code, and a code means the same on every surface. MCP \"result\": reported as a tool\n"
        "result with `isError`, not as a JSON-RPC error.\n\n"
        "| code | category | meaning | HTTP | JSON-RPC | exit | retryable |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        fer_out_printf(o, "| `%s` | %s | %s | %d | ", rows[i].name, rows[i].category, rows[i].text,
                       rows[i].http_status);
        if (rows[i].rpc_code) fer_out_printf(o, "%d", rows[i].rpc_code);
        else fer_out_text(o, "result");
        fer_out_printf(o, " | %d | %s |\n", rows[i].exit_code, rows[i].retryable ? "yes" : "no");
    }
}

static void limit_row(fer_out *o, const char *name, size_t message, size_t file, const char *text)
{
    fer_out_printf(o, "| `%s` | ", name);
    if (message) fer_out_printf(o, "%zu", message);
    fer_out_printf(o, " | %zu | %s |\n", file, text);
}

static size_t limit_at(const void *limits, size_t offset)
{
    size_t limit;
    memcpy(&limit, (const char *)limits + offset, sizeof limit);
    return limit;
}

static void page_limits(fer_out *o)
{
    fer_out_text(
        o,
        "# Limits\n\n" MADE
        "Past a limit the input is refused with its name (`LimitExceeded`). Messages come from\n"
        "anybody; files are the operator's own.\n\n| limit | messages | files | what |\n|---|---|---|---|\n");
    for (size_t i = 0; i < fer_json_limit_row_count; i++) {
        const struct fer_json_limit_row *row = &fer_json_limit_rows[i];
        limit_row(o, row->name, limit_at(fer_json_limits_message(), row->offset),
                  limit_at(fer_json_limits_file(), row->offset), row->text);
    }
    limit_row(o, "yaml.anchors", FER_YAML_ANCHORS, FER_YAML_ANCHORS,
              "anchors in one YAML document");
    limit_row(o, "yaml.expanded", FER_YAML_EXPANDED, FER_YAML_EXPANDED,
              "bytes of JSON that the aliases of one YAML document add");
    for (size_t i = 0; i < fer_schema_limit_row_count; i++) {
        const struct fer_schema_limit_row *row = &fer_schema_limit_rows[i];
        limit_row(o, row->name, limit_at(fer_schema_limits_message(), row->offset),
                  limit_at(fer_schema_limits_file(), row->offset), row->text);
    }
    limit_row(o, "infer.examples", FER_INFER_EXAMPLES, FER_INFER_EXAMPLES,
              "examples that one schema is made from");
    limit_row(o, "infer.depth", FER_INFER_DEPTH, FER_INFER_DEPTH,
              "arrays and objects inside each other in such an example");
    limit_row(o, "toolset.tools", 0, FER_TOOLS_MAX, "tools in one input");
    limit_row(o, "folder.files", 0, FER_FILES_MAX, "files taken from one folder and those in it");
    limit_row(o, "folder.depth", 0, FER_WALK_DEPTH, "folders inside each other");
    limit_row(o, "profiles", 0, FER_PROFILES_MAX, "profiles of one check");
    limit_row(o, "profile.extends", 0, FER_PROFILE_EXTENDS, "profiles that extend each other");
    limit_row(o, "config.size", 0, FER_CONFIG_SIZE,
              "bytes of a configuration, and of a profile's file");
    limit_row(o, "blame.size", 0, FER_BLAME_TEXT, "bytes of a message for `ferrule blame`");
    limit_row(o, "tags.input", 0, FER_TAGS_INPUT, "bytes of standard input of `ferrule tags`");
    fer_out_text(
        o,
        "\nThe limits of documents hold for one document, and for one entry of a list: lists are read entry by entry.\n"
        "A text that is over one of these is reported as a finding, or cut with a mark or a warning:\n\n"
        "| limit | messages | files | what |\n|---|---|---|---|\n");
    limit_row(o, "validate.findings", FER_VIOLATIONS_MAX, FER_VIOLATIONS_MAX,
              "findings of one instance, unless told otherwise; the rest is not listed");
    limit_row(o, "diff.changes", 0, FER_DIFF_CHANGES,
              "changes of one tool, or schema, that are told");
    limit_row(
        o, "diff.decided", 0, FER_DIFF_DECIDED,
        "changes of one schema that are decided one by one; others share the verdict of the whole");
    limit_row(
        o, "include.steps", FER_INCLUDE_STEPS, FER_INCLUDE_STEPS,
        "steps of one proof that a schema is within another, and of one search for a witness");
    limit_row(o, "sample.instances", FER_SAMPLES_MAX, FER_SAMPLES_MAX,
              "instances of a kind that are made from one schema");
    limit_row(o, "sample.steps", FER_SAMPLE_STEPS, FER_SAMPLE_STEPS,
              "steps of making instances of one schema");
    limit_row(o, "lock.tools", 0, FER_LOCK_TOOLS, "tools in one lock");
    limit_row(o, "name.length", 0, FER_NAME_MAX, "characters of a name, and of a namespace");
    limit_row(o, "tags.count", 0, FER_TAGS_MAX,
              "tags of a tool; the rest is ignored, with a warning");
    limit_row(o, "tags.length", 0, FER_TAG_MAX,
              "characters of a tag; longer ones are cut, with a warning");
    limit_row(o, "error.text", 0, FER_ERR_TEXT - 1,
              "bytes of one error message; cut between characters");
    limit_row(o, "log.line", 0, FER_LOG_MAX_LINE,
              "bytes of one log line; its last fields are dropped");
}

/* ---- command line
 * -------------------------------------------------------------------------------------- */

/* Options as lines of "name: text", between what the notation wants around names. */
static void option_lines(fer_out *o, const fer_option *p, const char *item, const char *strong,
                         const char *after)
{
    for (; p->name; p++) {
        fer_out_printf(o, "%s%s", item, strong);
        if (p->letter) fer_out_printf(o, "-%c, ", p->letter);
        fer_out_printf(o, "--%s%s%s%s", p->name, p->argument ? " " : "",
                       p->argument ? p->argument : "", strong);
        fer_out_printf(o, "%s%s", after, p->text);
        for (const char *const *c = p->choices; c && *c; c++)
            fer_out_printf(o, "%s%s", c == p->choices ? ": " : ", ", *c);
        fer_out_text(o, "\n");
    }
}

static void page_cli(fer_out *o)
{
    fer_out_text(
        o,
        "# The command line\n\n" MADE
        "`ferrule COMMAND [OPTIONS] [ARGUMENTS]`. Exit codes: 0 done, nothing found or warnings only; 1 done, and errors were found;\n"
        "2 bad usage, or input that could not be read in full; 70 the machine or Ferrule itself failed.\n\n"
        "Options of every command:\n\n");
    option_lines(o, fer_common_options, "- ", "`", ": ");
    for (const fer_command *c = fer_commands; c->name; c++) {
        fer_out_printf(o, "\n## ferrule %s\n\n`ferrule %s [OPTIONS]%s%s`: %s.\n\n%s\n", c->name,
                       c->name, *c->arguments ? " " : "", c->arguments, c->summary, c->text);
        if (c->options->name) fer_out_text(o, "\n");
        option_lines(o, c->options, "- ", "`", ": ");
        fer_out_printf(o, "\n```sh\n%s\n```\n", c->examples);
    }
}

/* ---- changes ----------------------------------------------------------------------------------
 */

static void page_changes(fer_out *o)
{
    size_t count;
    const fer_change_kind *kinds = fer_change_kinds(&count);
    fer_out_text(
        o,
        "# Kinds of changes\n\n" MADE
        "What `ferrule diff` tells. *Callers* send input, *readers* take output. Where the schemas decide, the verdict is\n"
        "proved or has a witness, and the columns say what it mostly comes to; a change that breaks, or that is unknown,\n"
        "needs a major version, others need the one in the last column at least.\n\n"
        "| Kind | What has changed | Callers | Readers | Decided by | Level | Version |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const fer_change_kind *k = &kinds[i];
        fer_out_printf(o, "| `%s` | ", k->id);
        cell(o, k->text);
        fer_out_text(o, " | ");
        cell(o, k->callers);
        fer_out_text(o, " | ");
        cell(o, k->readers);
        fer_out_printf(o, " | %s | %s | %s |\n", k->decided ? "the schemas" : "its kind", k->level,
                       fer_bump_name(k->least));
    }
}

/* scdoc: underscores in running text would mean underline. */
static void scdoc(fer_out *o, const char *text)
{
    for (; *text; text++) {
        if (*text == '_' || *text == '*' || *text == '\\') fer_out_text(o, "\\");
        fer_out_add(o, (fer_str){text, 1});
    }
}

static void man_options(fer_out *o, const fer_option *p)
{
    for (; p->name; p++) {
        fer_out_text(o, "*");
        if (p->letter) fer_out_printf(o, "-%c*, *", p->letter);
        fer_out_printf(o, "--%s*", p->name);
        if (p->argument) fer_out_printf(o, " _%s_", p->argument);
        fer_out_text(o, "\n\t");
        scdoc(o, p->text);
        for (const char *const *c = p->choices; c && *c; c++)
            fer_out_printf(o, "%s%s", c == p->choices ? ": " : ", ", *c);
        fer_out_text(o, "\n\n");
    }
}

static void page_man(fer_out *o)
{
    fer_out_text(
        o,
        "ferrule(1)\n\n# NAME\n\nferrule - contracts for the tools of AI agents\n\n# SYNOPSIS\n\n"
        "*ferrule* _COMMAND_ [_OPTIONS_] [_ARGUMENTS_]\n\n# DESCRIPTION\n\n"
        "Ferrule reads definitions of tools for AI agents in every common shape, checks their contracts, and reports\n"
        "every violation with its file, line, column and JSON Pointer.\n\n# COMMANDS\n\n");
    for (const fer_command *c = fer_commands; c->name; c++) {
        fer_out_printf(o, "## ferrule %s ", c->name);
        scdoc(o, c->arguments);
        fer_out_text(o, "\n\n");
        scdoc(o, c->text);
        fer_out_text(o, "\n\n");
        man_options(o, c->options);
    }
    fer_out_text(o, "# OPTIONS\n\nEvery command takes these.\n\n");
    man_options(o, fer_common_options);
    fer_out_text(
        o,
        "# EXIT STATUS\n\n*0*\n\tdone; nothing found, or warnings only\n\n*1*\n\tdone, and errors were found\n\n"
        "*2*\n\tbad usage, or input that could not be read in full\n\n"
        "*70*\n\tthe machine or Ferrule itself failed\n\n# ENVIRONMENT\n\n*NO\\_COLOR*\n\tif set, no colour unless *--color* asks for it\n\n"
        "# EXAMPLES\n\n```\nferrule check tools.json\nferrule check --format sarif tools/ > ferrule.sarif\n"
        "ferrule show github:create_issue --version '^1' tools/\nferrule validate --schema order.schema.json orders.jsonl\n```\n");
}

int fer_run_reference(fer_app *app)
{
    static const struct {
        const char *name;
        void (*write)(fer_out *o);
        fer_reference_page *make; /* of pages that may fail */
    } pages[] = {{"tool-record", page_tool_record, NULL},
                 {"rules", NULL, fer_reference_rules},
                 {"changes", page_changes, NULL},
                 {"profiles", NULL, fer_reference_profiles},
                 {"errors", page_errors, NULL},
                 {"limits", page_limits, NULL},
                 {"cli", page_cli, NULL},
                 {"man", page_man, NULL}};
    const char *name = app->arg_count == 1 ? app->args[0] : NULL;
    if (!name) return fer_app_usage(app, "reference needs the name of a page: " PAGES);
    for (size_t i = 0; i < FER_COUNT(pages); i++) {
        if (strcmp(name, pages[i].name) != 0) continue;
        if (pages[i].make) return pages[i].make(app);
        pages[i].write(&app->out);
        return FER_EXIT_OK;
    }
    return fer_app_usage(app, "there is no page '%s'; there are " PAGES, name);
}
