/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the command line, and looking them up. */
#include "command.h"

#include <string.h>

static const char *const colour_choices[] = {"auto", "always", "never", NULL};
static const char *const level_choices[] = {"error", "warn", "info", "debug", NULL};
static const char *const input_choices[] = {"auto", "json", "jsonl", "yaml", NULL};
static const char *const report_choices[] = {"text", "json", "sarif", "github", NULL};

#define INPUT_FORMAT                                                                               \
    {                                                                                              \
        "input-format", 'i', "FORMAT", input_choices,                                              \
            "what the input is written in (default: by its name, else its text)"                   \
    }
#define JSON                                                                                       \
    {                                                                                              \
        "json", 0, NULL, NULL, "print JSON"                                                        \
    }
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

const fer_option fer_common_options[] = {
    {"color", 0, "WHEN", colour_choices,
     "colour the output (default auto: on a terminal, unless NO_COLOR is set)"},
    {"log-level", 0, "LEVEL", level_choices, "what to log on standard error (default warn)"},
    {"help", 'h', NULL, NULL, "print this help"},
    END,
};

static const fer_option check_options[] = {
    {"format", 'f', "FORMAT", report_choices, "how to report (default text)"},
    INPUT_FORMAT,
    {"quiet", 'q', NULL, NULL, "print no findings; the exit code tells"},
    {"strict", 0, NULL, NULL, "count warnings as errors"},
    END,
};
static const fer_option list_options[] = {
    JSON,
    {"namespace", 'n', "NAME", NULL, "only tools of this namespace"},
    {"tag", 't', "TAG", NULL, "only tools with this tag"},
    INPUT_FORMAT,
    END,
};
static const fer_option show_options[] = {
    JSON,
    {"version", 0, "CONSTRAINT", NULL, "which versions will do, such as '^1.2'"},
    INPUT_FORMAT,
    END,
};
static const fer_option fmt_options[] = {
    {"check", 'c', NULL, NULL, "change nothing; name the files that are not in form and exit 1"},
    {"write", 'w', NULL, NULL, "rewrite the files in place"},
    INPUT_FORMAT,
    END,
};
static const fer_option id_options[] = {
    JSON,
    {"satisfies", 's', "CONSTRAINT", NULL, "exit 1 unless each ID's version satisfies this"},
    END,
};
static const fer_option tags_options[] = {JSON, END};
static const fer_option version_options[] = {JSON, END};
static const fer_option none[] = {END};

const fer_command fer_commands[] = {
    {"check", "[FILE|FOLDER|-]...", "find everything wrong with tool definitions",
     "Reads tool definitions in any of the known shapes (a record, a list, {\"tools\": [...]}, an MCP tools/list "
     "result or response, OpenAI, Anthropic, Gemini and Bedrock definitions; JSON, JSON Lines or YAML) and reports "
     "every violation of the tool record with its rule, file:line:column and JSON Pointer. A folder stands for all "
     "files in it that end in .json, .jsonl, .ndjson, .yaml or .yml. Without arguments it reads standard input.",
     check_options,
     "ferrule check tools.json\nferrule check --format sarif tools/ > ferrule.sarif\ncurl ... | ferrule check -",
     fer_run_check},
    {"list", "[FILE|FOLDER|-]...", "list tools",
     "Prints one line per tool: a table on a terminal; ID, effect, tags and description separated by tabs in a pipe.",
     list_options, "ferrule list tools/\nferrule list --json tools.json", fer_run_list},
    {"show", "ID [FILE|FOLDER|-]...", "show one tool",
     "Prints what is known of a tool. An ID without version means the highest release; local::pack::tool and "
     "mcp::server::tool are accepted as aliases of pack:tool and server:tool. With --json, the record in Ferrule's "
     "own form.",
     show_options,
     "ferrule show github:create_issue tools.json\nferrule show github:create_issue --version '^1' tools/",
     fer_run_show},
    {"fmt", "[FILE|FOLDER|-]...", "put tool definitions into canonical form",
     "Prints the definitions pretty, fields in their documented order, unknown keys last; schemas keep the order of "
     "their keys. Nothing but the notation changes. JSON Lines keep one tool per line. YAML is printed as JSON and "
     "never rewritten in place, since its comments would be lost.",
     fmt_options,
     "ferrule fmt tools.json\nferrule fmt --check tools/\nferrule fmt --write tools.json",
     fer_run_fmt},
    {"id", "ID...", "take tool IDs apart",
     "Checks IDs and prints namespace, name and version separated by tabs, one ID per line. Exits 1 where one is not an ID.",
     id_options,
     "ferrule id github:create_issue:1.4.0\nferrule id --satisfies '>=1.2 <2' github:create_issue:1.4.0",
     fer_run_id},
    {"tags", "[TAG...]", "normalise tags",
     "Prints the normalised tags, one per line: lower case, blanks to '-', [a-z0-9-_.] only, at most 64 characters "
     "each and 20 in all, no repeats. Without arguments it reads one tag per line from standard input.",
     tags_options, "ferrule tags 'Bar Baz' foo", fer_run_tags},
    {"explain", "[RULE|CODE]", "explain a rule or an error code",
     "Tells what a rule demands, why, and how to mend it. Without an argument it lists all rules.",
     none, "ferrule explain name.charset\nferrule explain DuplicateKey", fer_run_explain},
    {"reference", "PAGE", "print a reference page",
     "Prints one of the reference pages in Markdown, made from Ferrule's own tables: tool-record, rules, errors, "
     "limits, cli; or man, the man page in scdoc's notation.",
     none, "ferrule reference tool-record", fer_run_reference},
    {"completion", "bash|zsh|fish", "print the completion script of a shell",
     "Prints a script that completes commands, options and their values.", none,
     "ferrule completion bash > /etc/bash_completion.d/ferrule", fer_run_completion},
    {"version", "", "print the version",
     "Prints the version of Ferrule and of the libraries it runs on.", version_options,
     "ferrule version --json", fer_run_version},
    {"help", "[COMMAND]", "explain a command", "Prints help on a command, or on Ferrule.", none,
     "ferrule help check", fer_run_help},
    {0},
};

const char *fer_command_verb(const fer_command *c)
{
    const char *blank = strchr(c->name, ' ');
    return blank ? blank + 1 : NULL;
}

fer_str fer_command_word(const fer_command *c)
{
    return (fer_str){c->name, strcspn(c->name, " ")};
}

bool fer_command_in_group(const fer_command *c, const char *group)
{
    return fer_command_verb(c) && fer_str_is(fer_command_word(c), group);
}

bool fer_command_is_group(const char *word)
{
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (fer_command_in_group(c, word)) return true;
    }
    return false;
}

bool fer_command_is_first(const fer_command *c)
{
    for (const fer_command *d = fer_commands; d < c; d++) {
        if (fer_str_eq(fer_command_word(d), fer_command_word(c))) return false;
    }
    return true;
}

const fer_command *fer_command_find(const char *const *words, size_t count, size_t *used)
{
    for (const fer_command *c = fer_commands; count && c->name; c++) {
        const char *verb = fer_command_verb(c);
        if (!fer_str_is(fer_command_word(c), words[0])) continue;
        if (verb && (count < 2 || strcmp(verb, words[1]) != 0)) continue;
        *used = verb ? 2 : 1;
        return c;
    }
    return NULL;
}
