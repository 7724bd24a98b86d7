/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the command line, and looking them up. */
#include "command.h"

#include <string.h>

static const char *const colour_choices[] = {"auto", "always", "never", NULL};
static const char *const level_choices[] = {"error", "warn", "info", "debug", NULL};
static const char *const input_choices[] = {"auto", "json", "jsonl", "yaml", NULL};
static const char *const report_choices[] = {"text", "json", "sarif", "github", NULL};
static const char *const verdict_choices[] = {"text",  "json",     "sarif", "github",       "flag",
                                              "basic", "detailed", "list",  "hierarchical", NULL};
static const char *const diff_choices[] = {"text", "json", "markdown", NULL};
static const char *const reader_choices[] = {"tolerant", "strict", NULL};
static const char *const dialect_choices[] = {"2020-12",  "2019-09", "draft-07", "draft-06",
                                              "draft-04", "v1",      NULL};

static const char *const effect_choices[] = {"Pure", "IdempotentWrite", "NonIdempotentWrite",
                                             "ExternalSideEffects", NULL};
static const char *const pattern_choices[] = {"none", "string", "enum", "objects", "one-of", NULL};
static const char *const file_choices[] = {"json", "yaml", NULL};

#define INPUT_FORMAT                                                                               \
    {                                                                                              \
        "input-format", 'i', "FORMAT", input_choices,                                              \
            "what the input is written in (default: by its name, else its text)"                   \
    }
#define JSON                                                                                       \
    {                                                                                              \
        "json", 0, NULL, NULL, "print JSON"                                                        \
    }
#define DIALECT                                                                                    \
    {                                                                                              \
        "dialect", 'd', "DIALECT", dialect_choices,                                                \
            "of a schema without $schema (default 2020-12)"                                        \
    }
#define REGISTER                                                                                   \
    {                                                                                              \
        "register", 'r', "URI=FILE...", NULL, "a schema that others refer to by this URI"          \
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
    {"profile", 'p', "NAME[,NAME]...", NULL,
     "also hold the tools against profiles: names (ferrule profiles), files, or all"},
    {"lock", 0, "FILE", NULL, "what ferrule list --json printed: definitions that may not change"},
    {"no-quality", 0, NULL, NULL, "leave out the rules of quality and safety"},
    {"severity", 0, "RULE=LEVEL...", NULL, "make a rule's findings error, warning, info or off"},
    {"config", 0, "FILE", NULL,
     "the configuration (default: .ferrule.yaml, .ferrule.json or ferrule.json, where there is one)"},
    {"no-config", 0, NULL, NULL, "read no configuration"},
    {"platform-answer", 0, NULL, NULL,
     "check one tools_json text and answer as its platform does: {\"message\", \"errors\"}"},
    END,
};
static const fer_option validate_options[] = {
    {"schema", 's', "FILE", NULL, "the schema, as JSON or YAML; - is standard input"},
    {"tool", 0, "ID", NULL, "take the schema of this tool"},
    {"tools", 0, "FILE|FOLDER", NULL, "where the tool is defined, in any shape that check reads"},
    {"input", 0, NULL, NULL, "the tool's inputSchema (default)"},
    {"output", 0, NULL, NULL, "the tool's outputSchema; a tool without one takes everything"},
    {"as", 'i', "FORMAT", input_choices,
     "what the instances are written in (default: by their names, else their text)"},
    {"format", 'f', "FORMAT", verdict_choices,
     "how to report (default text); the last five are JSON Schema's own, a line per instance"},
    DIALECT,
    {"assert-formats", 0, NULL, NULL, "check format, which is only noted otherwise"},
    {"assert-content", 0, NULL, NULL, "check contentEncoding, contentMediaType and contentSchema"},
    {"native", 0, NULL, NULL,
     "make machine code of the schema: for many instances, on x86-64; elsewhere it changes nothing"},
    REGISTER,
    {"fill-defaults", 0, NULL, NULL, "print the instance with absent properties filled in"},
    {"repair", 0, NULL, NULL,
     "print it with values of the wrong type converted where that is safe (\"42\" to 42)"},
    {"strip-unknown", 0, NULL, NULL, "print it without properties that the schema refuses"},
    {"null-to-absent", 0, NULL, NULL, "print it without nulls that the schema refuses"},
    {"write", 'w', "FILE", NULL, "write the changed instance there, not to standard output"},
    {"changes", 0, NULL, NULL, "print what was changed, as JSON, not the instance"},
    {"max-findings", 0, "N", NULL, "findings of one instance (default 100)"},
    {"annotations", 0, NULL, NULL, "with annotations, in the formats that have them"},
    {"hide-values", 0, NULL, NULL, "name types in messages, never values"},
    {"quiet", 'q', NULL, NULL, "print no findings; the exit code tells"},
    END,
};
static const fer_option lint_options[] = {
    {"format", 'f', "FORMAT", report_choices, "how to report (default text)"},
    DIALECT,
    REGISTER,
    {"quiet", 'q', NULL, NULL, "print no findings; the exit code tells"},
    {"strict", 0, NULL, NULL, "count warnings as errors"},
    END,
};
static const fer_option bundle_options[] = {DIALECT, REGISTER, END};
static const fer_option info_options[] = {JSON, DIALECT, REGISTER, END};
static const fer_option convert_options[] = {
    {"to", 't', "DIALECT", dialect_choices, "the dialect to write"},
    {"from", 0, "DIALECT", dialect_choices,
     "the dialect it is in (default: what $schema says, else 2020-12)"},
    {"json", 0, NULL, NULL, "print one JSON object: the schema and the list of changes"},
    END,
};
static const fer_option diff_options[] = {
    {"format", 'f', "FORMAT", diff_choices, "how to report (default text)"},
    {"reader", 0, "KIND", reader_choices,
     "whether those who read results pass over members they do not know (default tolerant)"},
    {"assert-formats", 0, NULL, NULL, "decide changes of format, which is only noted otherwise"},
    INPUT_FORMAT,
    {"quiet", 'q', NULL, NULL, "print nothing; the exit code tells"},
    END,
};
static const fer_option lock_options[] = {
    {"verify", 0, NULL, NULL, "hold the tools against the lock; write nothing"},
    {"lock-file", 'l', "FILE", NULL, "the lock (default ferrule.lock); - is standard output"},
    {"json", 0, NULL, NULL, "with --verify, print JSON"},
    INPUT_FORMAT,
    END,
};
static const fer_option from_json_options[] = {
    {"each", 0, NULL, NULL, "the items of a list are the examples, not the list"},
    {"no-enums", 0, NULL, NULL, "make no enum of strings that come again and again"},
    {"no-formats", 0, NULL, NULL, "state no formats"},
    {"open", 0, NULL, NULL, "let objects have properties that no example has"},
    INPUT_FORMAT,
    END,
};
static const fer_option new_options[] = {
    {"namespace", 'n', "NAME", NULL, "first part of its ID (default local)"},
    {"version", 0, "VERSION", NULL, "its version (default 0.1.0)"},
    {"pattern", 'p', "PATTERN", pattern_choices,
     "its parameters: none, a required string, an enum with a default, a list of objects, one of two shapes "
     "(default: by the name)"},
    {"effect", 'e', "EFFECT", effect_choices, "what a call changes (default: by the name)"},
    {"description", 'd', "TEXT", NULL, "what it does (default: made up from the name)"},
    {"output", 'o', "FILE", NULL, "where to write; - is standard output (default: NAME.json)"},
    {"format", 'f', "FORMAT", file_choices,
     "what to write (default: by the file's ending, else json)"},
    {"force", 0, NULL, NULL, "replace a file that is there"},
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
static const fer_option blame_options[] = {
    JSON,
    {"message", 'm', "TEXT", NULL, "the message (default: standard input)"},
    INPUT_FORMAT,
    END,
};
static const fer_option profiles_options[] = {JSON, END};
static const fer_option none[] = {END};

const fer_command fer_commands[] = {
    {"check", "[FILE|FOLDER|-]...", "find everything wrong with tool definitions",
     "Reads tool definitions in any of the known shapes (a record, a list, {\"tools\": [...]}, an MCP tools/list "
     "result or response, OpenAI, Anthropic, Gemini and Bedrock definitions; JSON, JSON Lines or YAML) and reports "
     "every violation of the tool record, and of the rules of quality and safety, with its rule, file:line:column and JSON Pointer. A folder stands for all "
     "files in it that end in .json, .jsonl, .ndjson, .yaml or .yml. Without arguments it reads standard input. With "
     "--profile the tools are held against what providers and clients demand, too: each file is one set of tools, as "
     "it would be sent in one request. A tool takes findings back with \"suppress\": [{\"rule\", \"at\", \"reason\"}].",
     check_options,
     "ferrule check tools.json\nferrule check --profile anthropic-strict,openai tools.json\nferrule check --format sarif tools/ > ferrule.sarif\ncurl ... | ferrule check -",
     fer_run_check},
    {"new", "[NAME|ID]", "write a tool definition to start from",
     "Writes a whole record: description, tags, input and output schema, effect and hints, one example that is valid "
     "and one that is not, a changelog; with paging where the name says that it lists. It breaks no rule that "
     "ferrule check knows, unless the name or the description does; then the findings follow on standard error and "
     "errors exit 1. What no option says is asked for at a terminal and taken from the name otherwise. A file that "
     "is there is never replaced without --force.",
     new_options,
     "ferrule new list_invoices --namespace billing\n"
     "ferrule new tickets:close_issue --pattern enum --effect IdempotentWrite --output tools/close_issue.yaml\n"
     "ferrule new get_weather -n weather -d 'Tells the weather of a place.' -o - | ferrule check -",
     fer_run_new},
    {"validate", "[FILE|FOLDER|-]...", "validate instances against a JSON Schema",
     "Checks JSON, YAML and JSON Lines (one instance per line) against a schema of any dialect from draft-04 on and "
     "says everything that is wrong, with file:line:column, the keyword that refused and what to do. Nothing is "
     "fetched: what a schema refers to elsewhere is given with --register. With --fill-defaults, --repair, "
     "--strip-unknown or --null-to-absent it prints the changed instance (a line each where there are several), the "
     "changes go to standard error, and so does the report unless --write names a file. Exits 0 where all are "
     "valid, 1 where some are not, 2 where the schema or an instance could not be read.",
     validate_options,
     "ferrule validate --schema order.schema.json order.json\n"
     "ferrule validate --schema event.json --format json events.jsonl\n"
     "ferrule validate --tool tickets:create_issue --tools tools/ - < arguments.json\n"
     "ferrule validate --schema order.schema.json --repair --fill-defaults --write fixed.json order.json",
     fer_run_validate},
    {"schema lint", "[FILE|FOLDER|-]...", "find everything wrong with schemas",
     "Reports what keeps a schema from compiling, and what is suspicious: unknown keywords, keywords without effect, "
     "formats that nobody knows. Errors exit 1; warnings alone do not, unless --strict is given.",
     lint_options,
     "ferrule schema lint order.schema.json\nferrule schema lint --format github schemas/",
     fer_run_schema_lint},
    {"schema info", "FILE", "tell what a schema asks for",
     "Prints the dialect, the size and the parameters of a schema: name, types, whether it is required, default and "
     "description; a table on a terminal, separated by tabs in a pipe.",
     info_options,
     "ferrule schema info order.schema.json\nferrule schema info --json order.schema.json",
     fer_run_schema_info},
    {"schema bundle", "FILE", "put a schema and all it refers to into one document",
     "Prints the schema with the registered schemas that it refers to under $defs, so that it stands alone.",
     bundle_options,
     "ferrule schema bundle --register https://example.com/money=money.json order.schema.json",
     fer_run_schema_bundle},
    {"schema convert-dialect", "FILE", "write a schema in another dialect",
     "Prints the schema in the dialect that --to names and says on standard error what had to change. Exits 1 where "
     "something could not be kept.",
     convert_options, "ferrule schema convert-dialect --to 2020-12 old.schema.json",
     fer_run_schema_convert},
    {"diff", "OLD NEW", "tell what changed between tools, and whom it breaks",
     "OLD and NEW are each a file, a folder, or git:REVISION:PATH, a file or folder as git has it. Tools are paired by "
     "namespace and name. Every change is told with what it means to callers (all that the old inputSchema accepts, the "
     "new one must accept) and to readers (all that the new outputSchema accepts, the old one must accept): compatible, "
     "which is proved; breaking, with an instance that shows it; or unknown, which counts as breaking. The version that "
     "this needs is held against the one declared. Exits 0 where nothing breaks beyond the declared version, 1 where "
     "something does (without versions: where anything breaks), 2 where a side could not be read.",
     diff_options,
     "ferrule diff git:main:tools/ tools/\nferrule diff --format markdown v1.json v2.json >> CHANGELOG.md",
     fer_run_diff},
    {"lock", "[FILE|FOLDER|-]...", "write or verify the hashes of tool definitions",
     "Writes a lock: for each tool its ID, version, and a hash of all that a model sees of it. With --verify the tools "
     "are held against the lock: a definition that changed without a new version, a tool that is new and one that is gone "
     "are told, with the fields that changed. Exits 0 where all is as it should be, 1 where it is not, 2 where something "
     "could not be read.",
     lock_options, "ferrule lock tools/\nferrule lock --verify tools/", fer_run_lock},
    {"schema from-json", "[FILE|FOLDER|-]...", "make a first schema from example values",
     "Prints the narrowest plain schema that all examples fit: types, what is required, closed objects, formats that "
     "all strings follow, enums of few strings that come again, maps where keys are data (dates, numbers, IDs). A file "
     "is an example, in JSON Lines each line is one. The examples are checked against the schema before it is printed. "
     "It is a start: descriptions, and what the examples do not show, are yours to add.",
     from_json_options,
     "ferrule schema from-json call1.json call2.json\nferrule schema from-json calls.jsonl > input.schema.json\n"
     "jq -c .params.arguments log.jsonl | ferrule schema from-json --no-enums -",
     fer_run_schema_from_json},
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
    {"blame", "FILE|FOLDER...", "find the tool that a provider's error message means",
     "Reads an error message of a provider (Anthropic, OpenAI, Gemini, Vertex AI, Bedrock, Mistral, Moonshot, DeepSeek, "
     "VS Code, LM Studio ...) from standard input and tells which tool of the files it means, where in it "
     "(file:line:column and JSON Pointer) and which rule it breaks. Exits 1 where no tool of the files is meant.",
     blame_options,
     "ferrule blame tools.json < error.txt\n"
     "ferrule blame tools.json --message \"tools.106.custom.input_schema: ...\"",
     fer_run_blame},
    {"profiles show", "NAME|FILE", "print the rules of a profile",
     "Prints when a profile was looked at, how sure it is and where it comes from, then its rules: severity, limit, "
     "confidence and the provider's own words.",
     profiles_options,
     "ferrule profiles show anthropic-strict\nferrule profiles show --json ./ours.json",
     fer_run_profiles_show},
    {"profiles", "", "list the profiles of providers and clients",
     "Prints one line per profile: name, date, confidence, provider, mode and title; a table on a terminal, separated by "
     "tabs in a pipe.",
     profiles_options, "ferrule profiles\nferrule profiles --json", fer_run_profiles},
    {"explain", "[RULE|CODE]", "explain a rule or an error code",
     "Tells what a rule demands, why, and how to mend it. Without an argument it lists all rules.",
     none, "ferrule explain name.charset\nferrule explain DuplicateKey", fer_run_explain},
    {"reference", "PAGE", "print a reference page",
     "Prints one of the reference pages in Markdown, made from Ferrule's own tables: tool-record, rules, changes, "
     "profiles, errors, limits, cli; or man, the man page in scdoc's notation.",
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

bool fer_option_is_many(const fer_option *o)
{
    return o->argument && fer_str_ends(fer_str_of(o->argument), "...");
}

static const struct {
    const char *name;
    const char *summary;
} groups[] = {{"schema", "work on JSON Schemas"},
              {"profiles", "list and show profiles of providers and clients"}};

const char *fer_group_summary(const fer_command *c)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (fer_str_is(fer_command_word(c), groups[i].name)) return groups[i].summary;
    }
    return c->summary;
}

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
