/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule reference: the reference pages, written from the tables that the code itself uses. */
#include <ferrule/contract.h>
#include <ferrule/convert.h>
#include <ferrule/evolve.h>
#include <ferrule/gateway.h>
#include <string.h>

#include "app_limits.h"
#include "auth_limits.h"
#include "blame.h"
#include "catalog_limits.h"
#include "check_setup.h"
#include "code.h"
#include "command.h"
#include "config_page.h"
#include "embed_limits.h"
#include "env_file.h"
#include "errors.h"
#include "fields.h"
#include "file.h"
#include "http_binding.h"
#include "inputs.h"
#include "io_limits.h"
#include "json_doc.h"
#include "ledger_limits.h"
#include "log.h"
#include "mcp_limits.h"
#include "openapi.h"
#include "own_tools.h"
#include "pages.h"
#include "profile.h"
#include "report.h"
#include "run_limits.h"
#include "sandbox_layers.h"
#include "sandbox_limits.h"
#include "schema_limits.h"
#include "secret.h"
#include "serve_limits.h"
#include "store.h"

#define MADE FER_SHEET_MADE

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

/* Those that refuse what is over them, or those that cut it. */
static void catalog_limits(fer_out *o, bool cut)
{
    for (size_t i = 0; i < fer_catalog_limit_row_count; i++) {
        const struct fer_catalog_limit_row *row = &fer_catalog_limit_rows[i];
        if (row->cut == cut) limit_row(o, row->name, row->limit, row->limit, row->text);
    }
}

static void ledger_limits(fer_out *o)
{
    for (size_t i = 0; i < fer_ledger_limit_row_count; i++) {
        const struct fer_ledger_limit_row *row = &fer_ledger_limit_rows[i];
        limit_row(o, row->name, 0, (size_t)row->preset, row->text);
    }
    limit_row(o, "ledger.body", FER_LEDGER_BODY, FER_LEDGER_BODY,
              "bytes of a record's body as it is written");
    limit_row(o, "ledger.tenant", FER_LEDGER_TENANT, FER_LEDGER_TENANT, "bytes of a tenant's name");
    limit_row(o, "ledger.call", FER_LEDGER_CALL, FER_LEDGER_CALL, "bytes of the ID of a call");
    limit_row(o, "store.value", FER_STORE_RESULT, FER_STORE_RESULT,
              "bytes of a result or value that is kept");
}

static void all_limits(fer_out *o, const fer_limit_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        limit_row(o, rows[i].name, rows[i].limit, rows[i].limit, rows[i].text);
}

static void embed_limits(fer_out *o, bool cut)
{
    for (size_t i = 0; i < fer_embed_limit_row_count; i++) {
        const struct fer_embed_limit_row *row = &fer_embed_limit_rows[i];
        if (row->cut == cut) limit_row(o, row->name, 0, row->limit, row->text);
    }
}

/* Of what operators write, and of HTTP APIs. */
static void setup_limits(fer_out *o)
{
    limit_row(o, "config.size", 0, FER_CONFIG_SIZE,
              "bytes of a configuration, and of a profile's file");
    limit_row(o, "secret.size", 0, FER_SECRET_MAX, "bytes of a secret");
    limit_row(o, "env.size", 0, FER_ENV_FILE_SIZE, "bytes of an envFile");
    limit_row(o, "env.variables", 0, FER_ENV_FILE_MAX, "variables of an envFile");
    for (size_t i = 0; i < fer_openapi_limit_row_count; i++) {
        const struct fer_openapi_limit_row *row = &fer_openapi_limit_rows[i];
        limit_row(o, row->name, 0, row->value, row->text);
    }
    limit_row(o, "http.query", FER_HTTP_DEPTH, FER_HTTP_DEPTH,
              "objects inside each other in a query of the style deepObject");
}

/* Of calls. */
static void gateway_limits(fer_out *o)
{
    limit_row(o, "call.deadlineMs", FER_CALL_DEADLINE_MAX, FER_CALL_DEADLINE_MAX,
              "milliseconds of a call; a later deadline is brought forward");
    limit_row(o, "call.memory", FER_CALL_MEMORY, FER_CALL_MEMORY, "bytes that one call may take");
    limit_row(o, "calls", FER_CALLS_MAX, FER_CALLS_MAX, "calls under way at once");
    limit_row(
        o, "gateway.bytes", FER_CALL_BYTES, FER_CALL_BYTES,
        "bytes of arguments and results of calls under way and of buffers of HTTP connections; from 85 % on no request is read "
        "over HTTP, from 95 % on calls are refused");
    limit_row(o, "result.size", FER_RESULT_MAX, FER_RESULT_MAX, "bytes of a result");
    limit_row(o, "chain.steps", FER_CHAIN_STEPS, FER_CHAIN_STEPS, "steps of a chain");
    limit_row(o, "chain.depth", FER_CHAIN_DEPTH, FER_CHAIN_DEPTH,
              "groups inside each other in a chain");
    limit_row(o, "chain.memory", FER_CHAIN_MEMORY, FER_CHAIN_MEMORY,
              "bytes that the results of a chain's steps may take");
    limit_row(o, "code.runtimes", FER_CODE_RUNTIMES, FER_CODE_RUNTIMES, "runtimes of code");
    limit_row(o, "code.open", FER_CODE_OPEN, FER_CODE_OPEN,
              "requests of a run of code that wait for an answer");
    limit_row(o, "code.bad", FER_CODE_BAD_LINES, FER_CODE_BAD_LINES,
              "requests of a run that are none, before it is ended");
    limit_row(o, "code.trace", FER_CODE_TRACE, FER_CODE_TRACE,
              "tool calls that the result of a run tells");
    limit_row(
        o, "gateway.owners", FER_OWN_OWNERS, FER_OWN_OWNERS,
        "tenants, or principals, whose own lists of a server's tools are kept (oauth.tokens)");
    limit_row(o, "gateway.owned", FER_OWN_BYTES, FER_OWN_BYTES, "bytes of those, of one server");
    limit_row(o, "gateway.owned_time", FER_OWN_GOOD_MS, FER_OWN_GOOD_MS,
              "milliseconds after which such a list is asked for again, by who comes");
    limit_row(o, "gateway.owned_again", FER_OWN_AGAIN_MS, FER_OWN_AGAIN_MS,
              "milliseconds between two such lists of one owner");
    limit_row(o, "gateway.observers", FER_OBSERVERS_MAX, FER_OBSERVERS_MAX,
              "observers of one gateway");
    limit_row(
        o, "gateway.late", FER_LATE_MAX, FER_LATE_MAX,
        "calls that were given up and whose late answers are noted; the oldest are forgotten");
    limit_row(o, "trace.batch", FER_TRACE_BATCH, FER_TRACE_BATCH, "spans that are sent at once");
    limit_row(o, "trace.queue", FER_TRACE_QUEUE, FER_TRACE_QUEUE,
              "spans that wait to be sent; those past it are dropped");
    limit_row(o, "trace.tries", FER_TRACE_TRIES, FER_TRACE_TRIES, "times that spans are sent");
    limit_row(o, "trace.flushMs", FER_TRACE_FLUSH_MS, FER_TRACE_FLUSH_MS,
              "milliseconds for spans that are left when the gateway stops");
    limit_row(o, "route.backends", FER_BACKENDS_MAX, FER_BACKENDS_MAX, "backends of one tool");
}

/* What a program in a sandbox may use where nobody says otherwise, and the rest of that room. */
static void sandbox_limits(fer_out *o)
{
    char name[64], text[160];
    for (int i = 0; i < FER_BOX_LIMIT_COUNT; i++) {
        const fer_box_limit_row *row = &fer_box_limit_rows[i];
        snprintf(name, sizeof name, "sandbox.%s", row->name);
        snprintf(text, sizeof text, "%s%s%s of a program in a sandbox, unless told otherwise",
                 row->unit, row->unit[0] ? " " : "", row->text);
        limit_row(o, name, row->usual, row->usual, text);
    }
    all_limits(o, fer_sandbox_limit_rows, fer_sandbox_limit_row_count);
}

/* Of JSON, YAML and schemas. */
static void document_limits(fer_out *o)
{
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
}

static void page_limits(fer_out *o)
{
    fer_out_text(
        o,
        "# Limits\n\n" MADE
        "Past a limit the input is refused with its name (`LimitExceeded`). Messages come from\n"
        "anybody; files are the operator's own. In an answer of a server that was asked, a string "
        "may be\nas long as the message (`json.size`).\n\n| limit | messages | files | what |\n|---|---|---|---|\n");
    document_limits(o);
    limit_row(o, "infer.examples", FER_INFER_EXAMPLES, FER_INFER_EXAMPLES,
              "examples that one schema is made from");
    limit_row(o, "infer.depth", FER_INFER_DEPTH, FER_INFER_DEPTH,
              "arrays and objects inside each other in such an example");
    limit_row(o, "toolset.tools", 0, FER_TOOLS_MAX, "tools in one input");
    limit_row(o, "folder.files", 0, FER_FILES_MAX, "files taken from one folder and those in it");
    limit_row(o, "folder.depth", 0, FER_WALK_DEPTH, "folders inside each other");
    limit_row(o, "profiles", 0, FER_PROFILES_MAX, "profiles of one check");
    limit_row(o, "profile.extends", 0, FER_PROFILE_EXTENDS, "profiles that extend each other");
    setup_limits(o);
    limit_row(o, "blame.size", 0, FER_BLAME_TEXT, "bytes of a message for `ferrule blame`");
    catalog_limits(o, false);
    all_limits(o, fer_io_limit_rows, fer_io_limit_row_count);
    all_limits(o, fer_auth_limit_rows, fer_auth_limit_row_count);
    sandbox_limits(o);
    all_limits(o, fer_mcp_limit_rows, fer_mcp_limit_row_count);
    all_limits(o, fer_run_limit_rows, fer_run_limit_row_count);
    ledger_limits(o);
    gateway_limits(o);
    all_limits(o, fer_serve_limit_rows, fer_serve_limit_row_count);
    all_limits(o, fer_app_limit_rows, fer_app_limit_row_count);
    embed_limits(o, false);
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
    limit_row(o, "convert.rounds", 0, FER_CONVERT_ROUNDS,
              "rounds of finding and rewriting for one tool; past them it is refused");
    limit_row(o, "convert.values", 0, FER_CONVERT_VALUES,
              "values in a schema whose references are inlined; past them it is refused");
    limit_row(o, "convert.unroll", 0, FER_CONVERT_UNROLL,
              "times that a recursive schema stands inside itself");
    limit_row(o, "convert.enum", 0, FER_CONVERT_ENUM, "integers of a range that become an enum");
    limit_row(o, "convert.repeat", 0, FER_CONVERT_REPEAT,
              "length of a text that is told by a pattern");
    limit_row(o, "convert.samples", 0, FER_CONVERT_SAMPLES,
              "instances of each schema that show what a conversion loses");
    limit_row(o, "name.length", 0, FER_NAME_MAX, "characters of a name, and of a namespace");
    limit_row(o, "tags.count", 0, FER_TAGS_MAX,
              "tags of a tool; the rest is ignored, with a warning");
    limit_row(o, "tags.length", 0, FER_TAG_MAX,
              "characters of a tag; longer ones are cut, with a warning");
    catalog_limits(o, true);
    embed_limits(o, true);
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

static void page_rewrites(fer_out *o)
{
    size_t count;
    const fer_rewrite *rows = fer_rewrites(&count);
    fer_out_text(
        o, MADE
        "# Rewrites\n\nWhat `ferrule convert` may do to a tool ([convert.md](../convert.md)), and which "
        "rules of profiles make it needed. `ferrule explain R09` prints one of them.\n\n"
        "| rewrite | what it does | class | needed by |\n|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        fer_out_printf(o, "| [%s](#%s) | %s | %s | %s |\n", rows[i].id, rows[i].id, rows[i].title,
                       rows[i].classes, rows[i].rules);
    for (size_t i = 0; i < count; i++)
        fer_out_printf(o, "\n## %s\n\n%s. %s\n", rows[i].id, rows[i].title, rows[i].text);
}

/* The pages; those of rules and profiles are an index, and a page each behind a slash. */
static const struct page {
    const char *name;
    void (*write)(fer_out *o);
    int (*make)(fer_app *app, const char *name); /* of pages that may fail; NULL: the index */
} pages[] = {{"tool-record", page_tool_record, NULL},
             {"rules", NULL, fer_pages_rules},
             {"changes", page_changes, NULL},
             {"rewrites", page_rewrites, NULL},
             {"profiles", NULL, fer_pages_profiles},
             {"errors", page_errors, NULL},
             {"limits", page_limits, NULL},
             {"config", NULL, fer_page_config},
             {"cli", page_cli, NULL},
             {"man", page_man, NULL}};

const char *fer_reference_page_at(size_t index)
{
    return index < FER_COUNT(pages) ? pages[index].name : NULL;
}

static int list_pages(fer_out *o)
{
    for (size_t i = 0; i < FER_COUNT(pages); i++) fer_out_printf(o, "%s\n", pages[i].name);
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r))
        fer_out_printf(o, "rules/%s\n", r->id);
    for (size_t i = 0; i < fer_profile_count(); i++)
        fer_out_printf(o, "profiles/%s\n", fer_profile_name_at(i));
    return FER_EXIT_OK;
}

int fer_run_reference(fer_app *app)
{
    if (app->arg_count == 0) return list_pages(&app->out);
    fer_str name = fer_str_of(app->args[0]);
    size_t slash = fer_str_find(name, 0, '/');
    const char *below = slash == SIZE_MAX ? NULL : app->args[0] + slash + 1;
    fer_str word = below ? fer_str_head(name, slash) : name;
    for (size_t i = 0; app->arg_count == 1 && i < FER_COUNT(pages); i++) {
        if (!fer_str_is(word, pages[i].name) || (below && !pages[i].make)) continue;
        if (pages[i].make) return pages[i].make(app, below);
        pages[i].write(&app->out);
        return FER_EXIT_OK;
    }
    return fer_app_usage(app, "there is no page '%s'; ferrule reference lists them", app->args[0]);
}
