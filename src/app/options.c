/* SPDX-License-Identifier: Apache-2.0 */
/* The options of each command, and what they have in common. */
#include "options.h"
#include "hybrid.h"
#include "option_rows.h"
#include "quarantine_names.h"

static const char *const colour_choices[] = {"auto", "always", "never", NULL};
static const char *const level_choices[] = {"error", "warn", "info", "debug", NULL};
static const char *const input_choices[] = {"auto", "json", "jsonl", "yaml", NULL};
static const char *const report_choices[] = {"text",   "json",  "sarif", "github",
                                             "gitlab", "junit", NULL};
static const char *const verdict_choices[] = {"text",     "json",  "sarif",        "github",
                                              "gitlab",   "junit", "flag",         "basic",
                                              "detailed", "list",  "hierarchical", NULL};
static const char *const diff_choices[] = {"text", "json", "markdown", "github", "sarif", NULL};
static const char *const reader_choices[] = {"tolerant", "strict", NULL};
static const char *const dialect_choices[] = {"2020-12",  "2019-09", "draft-07", "draft-06",
                                              "draft-04", "v1",      NULL};

static const char *const effect_choices[] = {"Pure", "IdempotentWrite", "NonIdempotentWrite",
                                             "ExternalSideEffects", NULL};
static const char *const level_of_detail_choices[] = {"summary", "schema", "full", "types", NULL};
static const char *const pattern_choices[] = {"none", "string", "enum", "objects", "one-of", NULL};
static const char *const status_choices[] = {"Ok", "Error", "Retryable", "Unknown", NULL};
static const char *const file_choices[] = {"json", "yaml", NULL};

#define INPUT_FORMAT                                                                               \
    {                                                                                              \
        "input-format", 'i', "FORMAT", input_choices,                                              \
            "what the input is written in (default: by its name, else its text)"                   \
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

#define CATALOG                                                                                    \
    {                                                                                              \
        "catalog", 'c', "FILE", NULL,                                                              \
            "a catalogue that index build wrote (default: ferrule.catalog, where it is there)"     \
    }
/* Of commands that are about a gateway's catalogue, too. */
#define KEPT_CATALOG                                                                                 \
    {"catalog", 'c', "FILE", NULL,                                                                   \
     "the catalogue (default: ferrule.catalog, where it is there, else the configuration's)"},       \
    {                                                                                                \
        "config", 'C', "FILE", NULL,                                                                 \
            "the configuration whose catalogue is meant (default: ferrule.yaml here, or the user's)" \
    }
#define TENANT                                                                                     \
    {                                                                                              \
        "tenant", 0, "NAME", NULL,                                                                 \
            "whose uses are meant (default: default; 'forget' must be told)"                       \
    }
#define USAGE_FILE                                                                                 \
    {                                                                                              \
        "usage-file", 0, "FILE", NULL,                                                             \
            "where uses are kept (default: the catalogue's name and .usage)"                       \
    }
#define PAGES_OF(size)                                                                             \
    {"page-size", 0, "N", NULL, "how many on a page (default " size ", at most 100)"},             \
    {                                                                                              \
        "page-token", 0, "TOKEN", NULL, "the nextToken of the page before"                         \
    }
#define PAGES PAGES_OF("20")

#define EMBEDDER                                                                                                                                             \
    {"embedder", 0, "NAME", NULL,                                                                                                                            \
     "what makes vectors (default builtin); use:FILE: a file of tools/make-use-model; or the URL of a server that answers URL/embeddings as OpenAI's does"}, \
        {"embedder-model", 0, "NAME", NULL, "the model of that server"},                                                                                     \
        {"embedder-key", 0, "REFERENCE", NULL,                                                                                                               \
         "where its key is: secretref:env:NAME, the variable NAME (default: it asks for none)"},                                                             \
    {                                                                                                                                                        \
        "embedder-dims", 0, "N", NULL, "how long its vectors shall be (default: as they are)"                                                                \
    }
const fer_option fer_common_options[] = {
    {"color", 0, "WHEN", colour_choices,
     "colour the output (default auto: on a terminal, unless NO_COLOR is set)"},
    {"log-level", 0, "LEVEL", level_choices, "what to log on standard error (default warn)"},
    {"help", 'h', NULL, NULL, "print this help"},
    END,
};
static const char *const shown_choices[] = {"error", "warning", "info", NULL};

const fer_option fer_check_options[] = {
    {"format", 'f', "FORMAT", report_choices, "how to report (default text)"},
    INPUT_FORMAT,
    {"quiet", 'q', NULL, NULL, "print no findings; the exit code tells"},
    {"strict", 0, NULL, NULL, "count warnings as errors"},
    {"show", 0, "LEVEL", shown_choices,
     "report what is of this severity or graver; the rest is only counted (default info)"},
    {"profile", 'p', "NAME[,NAME]...", NULL,
     "also hold the tools against profiles: names (ferrule profiles), files, or all"},
    {"one-request", 0, NULL, NULL,
     "take all inputs for one set of tools, sent together; else each file is a set"},
    {"fix", 0, NULL, NULL,
     "rewrite in the files what the profiles refuse, where that loses nothing; then check"},
    {"dry-run", 0, NULL, NULL, "print what --fix would change as a diff, and change nothing"},
    {"yes", 'y', NULL, NULL, "do not ask before a file is rewritten"},
    {"lock", 0, "FILE", NULL, "hold the tools against a lock of ferrule lock: rule sec.rug-pull"},
    {"baseline", 0, "FILE", NULL,
     "only count findings that this file accepts, and report new ones"},
    {"write-baseline", 0, "FILE", NULL, "accept all findings of today: write them into this file"},
    {"no-quality", 0, NULL, NULL, "leave out the rules of quality and safety"},
    {"severity", 0, "RULE=LEVEL...", NULL, "make a rule's findings error, warning, info or off"},
    {"config", 0, "FILE", NULL,
     "the configuration (default: .ferrule.yaml, .ferrule.json, ferrule.json or ferrule.yaml, where there is one)"},
    {"no-config", 0, NULL, NULL, "read no configuration"},
    {"platform-answer", 0, NULL, NULL,
     "check one tools_json text and answer as its platform does: {\"message\", \"errors\"}"},
    END,
};
static const char *const sort_choices[] = {"name", "calls", "errors", "p99", NULL};

/* Which gateway is asked. */
#define GATEWAY                                                                                    \
    {"server", 0, "URL", NULL, "the gateway (default: the one of this user that runs)"},           \
        {"socket", 0, "PATH", NULL, "the same by a Unix socket of it"},                            \
    {                                                                                              \
        "token", 0, "REFERENCE", NULL,                                                             \
            "where its token is: secretref:env:NAME or secretref:file:PATH (default: "             \
            "FERRULE_TOKEN on this machine)"                                                       \
    }

const fer_option fer_tools_options[] = {
    GATEWAY,
    {"config", 'C', "FILE", NULL, "the tools of a configuration, whether a gateway runs or not"},
    {"from", 'f', "CLIENT|FILE", NULL,
     "those of the servers of an MCP client (claude, cursor, vscode, ...: see install), or of a file of one"},
    JSON,
    END,
};
const fer_option fer_top_options[] = {
    GATEWAY,
    {"interval", 'n', "SECONDS", NULL, "between two looks (default 1)"},
    {"sort", 0, "COLUMN", sort_choices, "how backends are ordered (default calls)"},
    {"once", '1', NULL, NULL, "print one look and end, as in a pipe"},
    JSON,
    END,
};
const fer_option fer_doctor_options[] = {
    {"config", 0, "FILE", NULL,
     "the configuration (default: ferrule.yaml here, or in the folder for configuration)"},
    {"offline", 0, NULL, NULL, "start no server and ask none"},
    {"fix", 0, NULL, NULL, "take away modes by which others can read secrets, tokens and state"},
    JSON,
    END,
};
const fer_option fer_validate_options[] = {
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
const fer_option fer_lint_options[] = {
    {"format", 'f', "FORMAT", report_choices, "how to report (default text)"},
    DIALECT,
    REGISTER,
    {"quiet", 'q', NULL, NULL, "print no findings; the exit code tells"},
    {"strict", 0, NULL, NULL, "count warnings as errors"},
    END,
};
const fer_option fer_bundle_options[] = {DIALECT, REGISTER, END};
const fer_option fer_info_options[] = {JSON, DIALECT, REGISTER, END};
const fer_option fer_convert_options[] = {
    {"to", 't', "DIALECT", dialect_choices, "the dialect to write"},
    {"from", 0, "DIALECT", dialect_choices,
     "the dialect it is in (default: what $schema says, else 2020-12)"},
    {"json", 0, NULL, NULL, "print one JSON object: the schema and the list of changes"},
    END,
};
const fer_option fer_diff_options[] = {
    {"format", 'f', "FORMAT", diff_choices, "how to report (default text)"},
    {"reader", 0, "KIND", reader_choices,
     "whether those who read results pass over members they do not know (default tolerant)"},
    {"assert-formats", 0, NULL, NULL, "decide changes of format, which is only noted otherwise"},
    INPUT_FORMAT,
    {"quiet", 'q', NULL, NULL, "print nothing; the exit code tells"},
    END,
};
const fer_option fer_lock_options[] = {
    {"verify", 0, NULL, NULL, "hold the tools against the lock; write nothing"},
    {"lock-file", 'l', "FILE", NULL, "the lock (default ferrule.lock); - is standard output"},
    {"json", 0, NULL, NULL, "with --verify, print JSON"},
    INPUT_FORMAT,
    END,
};
static const char *const change_choices[] = {"text", "json", "none", NULL};
const fer_option fer_tool_convert_options[] = {
    {"to", 't', "PROFILE", NULL, "the provider: a name (ferrule profiles), or a file"},
    {"output", 'o', "FILE", NULL, "write the definitions there, not to standard output"},
    {"map", 'm', "FILE", NULL,
     "write what calls need on their way back, and the records as they were"},
    {"report", 'r', "FORMAT", change_choices, "how to tell what was changed (default text)"},
    {"report-file", 0, "FILE", NULL, "tell it there, not on standard error"},
    {"force", 0, NULL, NULL, "convert even where something is lost for good"},
    {"no-witness", 0, NULL, NULL, "do not check by instances what the changes say they lose"},
    {"from-map", 0, "FILE", NULL, "print the records of a map as they were; nothing else is read"},
    INPUT_FORMAT,
    END,
};
const fer_option fer_call_back_options[] = {
    {"map", 'm', "FILE", NULL, "what ferrule convert --map has written"},
    END,
};
const fer_option fer_from_json_options[] = {
    {"each", 0, NULL, NULL, "the items of a list are the examples, not the list"},
    {"no-enums", 0, NULL, NULL, "make no enum of strings that come again and again"},
    {"no-formats", 0, NULL, NULL, "state no formats"},
    {"open", 0, NULL, NULL, "let objects have properties that no example has"},
    INPUT_FORMAT,
    END,
};
const fer_option fer_new_options[] = {
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
const fer_option fer_list_options[] = {
    JSON,
    {"namespace", 'n', "NAME", NULL, "only tools of this namespace"},
    {"tag", 't', "TAG", NULL, "only tools with this tag"},
    INPUT_FORMAT,
    END,
};
const fer_option fer_show_options[] = {
    JSON,
    {"version", 0, "CONSTRAINT", NULL, "which versions will do, such as '^1.2'"},
    INPUT_FORMAT,
    END,
};
const fer_option fer_search_options[] = {
    {"json", 0, NULL, NULL, "print JSON: results, whether anything fits, nextToken"},
    {"explain", 'e', NULL, NULL,
     "say for each tool what each ranker gave, which words of the query it has, and where"},
    {"namespace", 'n', "NAME...", NULL, "only tools of one of these namespaces"},
    {"tag", 't', "TAG...", NULL, "only tools with all of these tags"},
    {"category", 0, "NAME...", NULL, "only tools of one of these categories"},
    {"effect", 0, "EFFECT...", effect_choices, "only tools with one of these effects"},
    PAGES_OF("10"),
    KEPT_CATALOG,
    {"ranker", 0, "RANKER", fer_ranker_names,
     "how to rank (default: hybrid where a catalogue has vectors or an embedder is named, else bm25)"},
    EMBEDDER,
    {"twins", 0, NULL, NULL,
     "show every tool, also those that others have with the same definition"},
    {"usage", 0, NULL, NULL, "what past queries led to has a say (ferrule usage)"},
    TENANT,
    USAGE_FILE,
    {"batch", 'b', "QUERIES", NULL,
     "answer the queries of this file, a line of JSON each, {\"id\",\"query\"}; --catalog names the tools, "
     "a line of JSON each"},
    {"out", 'o', "RUN", NULL, "where the answers of --batch go (default: standard output)"},
    INPUT_FORMAT,
    END,
};
static const char *const show_choices[] = {"table", "json", "raw", NULL};

const fer_option fer_servers_options[] = {
    STATION,
    {"watch", 'w', NULL, NULL,
     "go on: read the configuration again when it changes, and show what changes"},
    {"refresh", 0, NULL, NULL,
     "write what servers show into the catalogue; without it nothing is written"},
    JSON,
    END,
};
const fer_option fer_run_options[] = {
    STATION,
    {"args", 'a', "JSON", NULL,
     "the arguments: a JSON object, @FILE, - for standard input, or NAME=VALUE"},
    {"stream", 's', NULL, NULL, "print events as they come, a JSON object on each line"},
    {"chunks", 0, NULL, NULL, "with --stream: events in the form of chunks"},
    DEADLINE,
    {"timeout", 0, "MS", NULL, "time for one attempt, in milliseconds (default: the tool's)"},
    {"dry-run", 'n', NULL, NULL, "do everything but call the tool"},
    {"output", 'o', "FORM", show_choices,
     "what the result is shown as (default: a table on a terminal, JSON in a pipe)"},
    {"json", 0, NULL, NULL, "print the whole envelope"},
    {"full", 0, NULL, NULL, "with --json: with the tool's definition"},
    {"correlation-id", 0, "ID", NULL, "the name of the call in logs and traces (default: random)"},
    {"idempotency-key", 'k', "KEY", NULL,
     "the same key and arguments again give the first result, and no second effect"},
    {"no-cache", 0, NULL, NULL, "run the tool even where its result is known"},
    METRICS,
    END,
};
#define REMOTE                                                                                     \
    {"token", 't', "REFERENCE", NULL,                                                              \
     "where the token for a URL is: secretref:env:NAME or secretref:file:PATH (default: "          \
     "FERRULE_TOKEN, shown to the loopback only)"},                                                \
        {"header", 'H', "'NAME: VALUE'...", NULL,                                                  \
         "sent with every request to a URL; the value may be a reference"},                        \
        {"env", 'E', "NAME=VALUE...", NULL,                                                        \
         "a variable for the command; the value may be a reference; NAME alone passes ours on"},   \
    {                                                                                              \
        "timeout", 0, "MS", NULL, "for each answer, in milliseconds (default 60000)"               \
    }
const fer_option fer_call_options[] = {
    {"server", 's', "URL|COMMAND", NULL, "the server: its URL, or the command that starts it"},
    {"args", 'a', "JSON", NULL, "the arguments: a JSON object, @FILE, or - for standard input"},
    REMOTE,
    {"json", 0, NULL, NULL, "print the whole result as it came"},
    {"raw", 0, NULL, NULL, "print a text as it is"},
    END,
};
const fer_option fer_inspect_options[] = {
    REMOTE,
    {"json", 0, NULL, NULL, "print all of it as JSON: tools, resources and prompts as they came"},
    {"strict", 0, NULL, NULL, "count warnings as errors"},
    {"all", 0, NULL, NULL, "show notes as well, not only errors and warnings"},
    {"profile", 'p', "NAME[,NAME]...", NULL,
     "also hold the tools against profiles: names (ferrule profiles), files, or all"},
    {"severity", 0, "RULE=LEVEL...", NULL, "make a rule's findings error, warning, info or off"},
    {"no-quality", 0, NULL, NULL, "leave out the rules of quality and safety"},
    {"lock", 0, "FILE", NULL, "hold the tools against a lock of ferrule lock: rule sec.rug-pull"},
    {"config", 0, "FILE", NULL,
     "the configuration of ferrule check (default: .ferrule.yaml and so on, where there is one)"},
    {"no-config", 0, NULL, NULL, "read no configuration"},
    END,
};
const fer_option fer_describe_options[] = {
    {"level", 'l', "LEVEL", level_of_detail_choices, "how much of it (default full)"},
    {"json", 0, NULL, NULL, "print the ToolDoc as JSON"},
    {"version", 0, "CONSTRAINT", NULL, "which versions will do, such as '^1.2'"},
    KEPT_CATALOG,
    INPUT_FORMAT,
    END,
};
#define ANY_NAME                                                                                   \
    {                                                                                              \
        "any-name", 0, NULL, NULL,                                                                 \
            "take names and namespaces that IDs cannot hold: '/' is -.2F in the ID"                \
    }
#define OF_NAMESPACE                                                                               \
    {                                                                                              \
        "namespace", 'n', "NAMESPACE", NULL,                                                       \
            "of tools that name none (default: the name of their file without its ending)"         \
    }
const fer_option fer_namespaces_options[] = {JSON, PAGES, KEPT_CATALOG, INPUT_FORMAT, END};
const fer_option fer_index_build_options[] = {
    {"output", 'o', "FILE", NULL, "where to write (default ferrule.catalog)"},
    {"quiet", 'q', NULL, NULL, "print nothing"},
    {"no-vectors", 0, NULL, NULL, "make no vectors: searches go by words alone"},
    OF_NAMESPACE,
    ANY_NAME,
    EMBEDDER,
    INPUT_FORMAT,
    END,
};
const fer_option fer_index_stats_options[] = {
    JSON,
    {"verify", 0, NULL, NULL, "look at every definition of the file, not only at its head"},
    EMBEDDER,
    CATALOG,
    INPUT_FORMAT,
    END,
};
const fer_option fer_catalog_update_options[] = {
    {"quarantine", 0, "POLICY", fer_quarantine_names,
     "which changed definitions are held back until they are approved (default none)"},
    {"prune", 0, NULL, NULL, "remove the tools that none of the files name"},
    OF_NAMESPACE,
    ANY_NAME,
    {"quiet", 'q', NULL, NULL, "do not print what has changed"},
    EMBEDDER,
    KEPT_CATALOG,
    INPUT_FORMAT,
    END,
};
const fer_option fer_catalog_events_options[] = {
    JSON,
    {"since", 0, "VERSION", NULL, "only events after this version of the catalogue"},
    KEPT_CATALOG,
    END,
};
const fer_option fer_catalog_quarantine_options[] = {JSON, KEPT_CATALOG, END};
const fer_option fer_catalog_decide_options[] = {EMBEDDER, KEPT_CATALOG, END};
const fer_option fer_usage_options[] = {TENANT, USAGE_FILE, CATALOG, END};
const fer_option fer_usage_list_options[] = {
    JSON, {"tenant", 0, "NAME", NULL, "only the uses of this tenant"}, USAGE_FILE, CATALOG, END,
};
#define STATION_FILE                                                                               \
    {                                                                                              \
        "config", 'C', "FILE", NULL,                                                               \
            "the configuration whose state is meant (default: ferrule.yaml here, or the user's)"   \
    }
#define STATE                                                                                      \
    {                                                                                              \
        "state", 0, "FOLDER", NULL, "the folder of state (default: the configuration's)"           \
    }
#define LEDGER                                                                                     \
    {                                                                                              \
        "ledger", 'L', "FOLDER", NULL,                                                             \
            "the ledger that is meant (default: that of the configuration's state, else "          \
            "ferrule.ledger)"                                                                      \
    }
#define ASKED                                                                                      \
    {"tool", 0, "ID", NULL, "only records of this tool; without a version, of all its versions"},  \
        {"tenant", 0, "NAME", NULL, "only records of this tenant"},                                \
        {"status", 0, "STATUS", status_choices, "only records with this status"},                  \
        {"type", 0, "TYPE", ledger_type_choices, "only records of this type"},                     \
        {"call", 0, "ID", NULL, "only records of this call"},                                      \
        {"correlation-id", 0, "ID", NULL, "only records with this correlation ID"},                \
        {"since", 0, "TIME", NULL, "only from then on: a time, a date, or 90s, 15m, 2h, 7d ago"},  \
    {                                                                                              \
        "until", 0, "TIME", NULL, "only before then"                                               \
    }
static const char *const ledger_type_choices[] = {
    "open",       "begin",     "attempt",    "end",      "late",   "denied",
    "policy",     "circuit",   "definition", "approval", "config", "clock_jump",
    "checkpoint", "recovered", "pruned",     "shutdown", NULL};
static const char *const export_choices[] = {"jsonl", "csv", NULL};
const fer_option fer_ledger_tail_options[] = {
    {"lines", 'n', "NUMBER", NULL, "how many of the last records (default 10)"},
    {"follow", 'f', NULL, NULL, "go on with records as they come (a terminal: always)"},
    {"once", 0, NULL, NULL, "do not go on, on a terminal either"},
    ASKED,
    JSON,
    LEDGER,
    STATION_FILE,
    END,
};
const fer_option fer_ledger_query_options[] = {
    ASKED,
    {"limit", 0, "NUMBER", NULL, "at most so many (default 1000)"},
    {"no-index", 0, NULL, NULL, "read the segments; make no index"},
    JSON,
    LEDGER,
    STATION_FILE,
    END,
};
const fer_option fer_ledger_verify_options[] = {
    {"anchor", 'a', "FILE", NULL,
     "checkpoints that were kept elsewhere: shows what was cut or made anew"},
    {"key", 'k', "FILE", NULL, "the public key (default: checkpoint.pub of the ledger)"},
    JSON,
    LEDGER,
    STATION_FILE,
    END,
};
const fer_option fer_ledger_export_options[] = {
    {"format", 'f', "FORMAT", export_choices,
     "jsonl (default): the lines as they are; csv: the main columns"},
    {"output", 'o', "FILE", NULL, "write there, whole or not at all; - is standard output"},
    ASKED,
    LEDGER,
    STATION_FILE,
    END,
};
const fer_option fer_ledger_prune_options[] = {
    {"older-than", 0, "AGE", NULL, "the age: 12h, 90d, 52w"},
    LEDGER,
    STATION_FILE,
    END,
};
static const char *const key_state_choices[] = {"unknown", "pending", "again", "done", NULL};
const fer_option fer_keys_list_options[] = {
    {"of", 0, "STATE", key_state_choices,
     "keys in this state (default: unknown): pending have a call under way, again may be sent again, done have a "
     "result"},
    {"tool", 0, "ID", NULL, "only keys of this tool, without its version"},
    {"tenant", 0, "NAME", NULL, "only keys of this tenant"},
    JSON,
    STATE,
    STATION_FILE,
    END,
};
const fer_option fer_keys_show_options[] = {
    {"result", 0, NULL, NULL, "print the result that is kept, too: it is not redacted"},
    JSON,
    STATE,
    STATION_FILE,
    END,
};
const fer_option fer_keys_resolve_options[] = {
    {"done", 0, "RESULT", NULL,
     "the call had its effect; RESULT is JSON, and is given to whoever calls again"},
    {"not-done", 0, NULL, NULL, "it had none: the key may be used again"},
    STATE,
    STATION_FILE,
    END,
};
const fer_option fer_keys_sweep_options[] = {JSON, STATE, STATION_FILE, END};
#define TOKEN_FILE                                                                                 \
    {                                                                                              \
        "file", 0, "FILE", NULL,                                                                   \
            "where tokens are kept (default: ferrule/tokens.json in the user's configuration)"     \
    }
const fer_option fer_auth_options[] = {
    {"tenant", 't', "NAME", NULL, "whose token it is, where each tenant has one (oauth.tokens)"},
    {"principal", 'p', "NAME", NULL, "of that tenant, where each principal has one"},
    STATION_FILE,
    END,
};
const fer_option fer_auth_status_options[] = {JSON, STATION_FILE, END};
const fer_option fer_token_options[] = {TOKEN_FILE, END};
const fer_option fer_token_list_options[] = {JSON, TOKEN_FILE, END};
const fer_option fer_token_new_options[] = {
    {"scope", 's', "SCOPE...", NULL,
     "what it allows (default *): tool:ID, namespace:NAME, effect:EFFECT, scope:NAME"},
    {"mode", 'm', "MODE", fer_mode_choices,
     "what its client sees (default: as the server says; both where --expose is given)"},
    {"expose", 'e', "PATTERN...", NULL,
     "its toolset: tools under their own names (default: as the server says)"},
    {"tenant", 't', "NAME", NULL, "whose calls they are, for limits, caches and the ledger"},
    {"days", 0, "N", NULL, "how long it holds (default: until it is revoked)"},
    TOKEN_FILE,
    END,
};
const fer_option fer_fmt_options[] = {
    {"check", 'c', NULL, NULL, "change nothing; name the files that are not in form and exit 1"},
    {"write", 'w', NULL, NULL, "rewrite the files in place"},
    INPUT_FORMAT,
    END,
};
const fer_option fer_id_options[] = {
    JSON,
    {"satisfies", 's', "CONSTRAINT", NULL, "exit 1 unless each ID's version satisfies this"},
    END,
};
const fer_option fer_tags_options[] = {JSON, END};
const fer_option fer_version_options[] = {JSON, END};
const fer_option fer_blame_options[] = {
    JSON,
    {"message", 'm', "TEXT", NULL, "the message (default: standard input)"},
    INPUT_FORMAT,
    END,
};
const fer_option fer_profiles_options[] = {JSON, END};
const fer_option fer_eval_options[] = {
    JSON,
    {"crowd", 0, "TOOLS...", NULL, "also search these tools, which answer no query"},
    {"ranker", 0, "RANKER", fer_ranker_names,
     "how to rank (default: hybrid with --usage or where an embedder is named, else bm25)"},
    EMBEDDER,
    {"usage", 0, NULL, NULL,
     "ask each tenth of the queries after remembering what all others led to"},
    END,
};
const fer_option fer_no_options[] = {END};

const fer_option fer_config_check_options[] = {JSON, END};
const fer_option fer_import_openapi_options[] = {
    {"namespace", 'n', "NAME", NULL, "of the tools (default: made from the title)"},
    {"provider", 0, "NAME", NULL, "the API's name in the configuration (default: the namespace)"},
    {"base-url", 'u', "URL", NULL, "instead of all servers that the document names"},
    {"include", 0, "GLOB...", NULL, "only operations whose name, operationId or path fits one"},
    {"format", 'f', "FORMAT", file_choices, "what to print (default json)"},
    END,
};
