/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the command line. */
#include "options.h"

const fer_command fer_commands[] = {
    {"check", FER_TOPIC_DEFINE, "[FILE|FOLDER|-]...", "find everything wrong with tool definitions",
     "Reads tool definitions in any of the known shapes (a record, a list, {\"tools\": [...]}, an MCP tools/list "
     "result or response, OpenAI, Anthropic, Gemini and Bedrock definitions; JSON, JSON Lines or YAML) and reports "
     "every violation of the tool record, and of the rules of quality and safety, with its rule, file:line:column and JSON Pointer. A folder stands for all "
     "files in it that end in .json, .jsonl, .ndjson, .yaml or .yml. Without arguments it reads standard input. With "
     "--profile the tools are held against what providers and clients demand, too: each file is one set of tools, as "
     "it would be sent in one request, or all files together with --one-request. With --fix what the profiles refuse is rewritten in the files first, where both "
     "schemas accept the same calls (ferrule convert has the rest); the form of the file is kept, and at a terminal the "
     "changes are shown and asked for. A tool takes findings back with \"suppress\": [{\"rule\", \"at\", \"reason\"}].",
     fer_check_options,
     "ferrule check tools.json\nferrule check --profile anthropic-strict,openai tools.json\nferrule check --profile cursor --one-request github.json notes.json\nferrule check --format sarif tools/ > ferrule.sarif\ncurl ... | ferrule check -",
     fer_run_check},
    {"new", FER_TOPIC_DEFINE, "[NAME|ID]", "write a tool definition to start from",
     "Writes a whole record: description, tags, input and output schema, effect and hints, one example that is valid "
     "and one that is not, a changelog; with paging where the name says that it lists. It breaks no rule that "
     "ferrule check knows, unless the name or the description does; then the findings follow on standard error and "
     "errors exit 1. What no option says is asked for at a terminal and taken from the name otherwise. A file that "
     "is there is never replaced without --force.",
     fer_new_options,
     "ferrule new list_invoices --namespace billing\n"
     "ferrule new tickets:close_issue --pattern enum --effect IdempotentWrite --output tools/close_issue.yaml\n"
     "ferrule new get_weather -n weather -d 'Tells the weather of a place.' -o - | ferrule check -",
     fer_run_new},
    {"validate", FER_TOPIC_SCHEMA, "[FILE|FOLDER|-]...", "validate instances against a JSON Schema",
     "Checks JSON, YAML and JSON Lines (one instance per line) against a schema of any dialect from draft-04 on and "
     "says everything that is wrong, with file:line:column, the keyword that refused and what to do. Nothing is "
     "fetched: what a schema refers to elsewhere is given with --register. With --fill-defaults, --repair, "
     "--strip-unknown or --null-to-absent it prints the changed instance (a line each where there are several), the "
     "changes go to standard error, and so does the report unless --write names a file. Exits 0 where all are "
     "valid, 1 where some are not, 2 where the schema or an instance could not be read.",
     fer_validate_options,
     "ferrule validate --schema order.schema.json order.json\n"
     "ferrule validate --schema event.json --format json events.jsonl\n"
     "ferrule validate --tool tickets:create_issue --tools tools/ - < arguments.json\n"
     "ferrule validate --schema order.schema.json --repair --fill-defaults --write fixed.json order.json",
     fer_run_validate},
    {"schema lint", FER_TOPIC_SCHEMA, "[FILE|FOLDER|-]...", "find everything wrong with schemas",
     "Reports what keeps a schema from compiling, and what is suspicious: unknown keywords, keywords without effect, "
     "formats that nobody knows. Errors exit 1; warnings alone do not, unless --strict is given.",
     fer_lint_options,
     "ferrule schema lint order.schema.json\nferrule schema lint --format github schemas/",
     fer_run_schema_lint},
    {"schema info", FER_TOPIC_SCHEMA, "FILE", "tell what a schema asks for",
     "Prints the dialect, the size and the parameters of a schema: name, types, whether it is required, default and "
     "description; a table on a terminal, separated by tabs in a pipe.",
     fer_info_options,
     "ferrule schema info order.schema.json\nferrule schema info --json order.schema.json",
     fer_run_schema_info},
    {"run", FER_TOPIC_RUN, "ID [NAME=VALUE|NAME:=JSON]...", "call a tool",
     "Calls a tool through the gateway: it is looked up, its arguments are checked, it runs, its result is checked. The type of "
     "NAME=VALUE is what the tool's schema says: count=3 is a number where a number is wanted. A dotted name leads into "
     "objects, a list takes one item for each time it is named, NAME=@FILE is the content of a file, NAME:=JSON anything.\n\n"
     "The exit code is 0 where the call succeeded, 1 where it did not, 2 for bad usage and 70 where the machine failed "
     "(docs/reference/errors.md has the code of each error).",
     fer_run_options,
     "ferrule run text:count text='How many words are these?'\n"
     "ferrule run time:now offsetMinutes=60 --json\n"
     "ferrule run text:count text=@README.md -o json",
     fer_run_run},
    {"init", FER_TOPIC_SERVE, "", "write a configuration to start from",
     "Writes a ferrule.yaml with remarks, made of what is there: the servers that the user's MCP clients have (Claude, Cursor, "
     "VS Code and so on: ferrule install lists them), and programs that could be tools. ferrule serve takes it at once. "
     "Secrets that stand in a client's file go into files of their own, in the folder ferrule.secrets beside it, which only "
     "the user may read. A file that is there is never replaced without --force.",
     fer_init_options,
     "ferrule init\nferrule init --from cursor --dry-run\nferrule init --output ~/.config/ferrule/ferrule.yaml",
     fer_run_init},
    {"install", FER_TOPIC_SERVE, "[CLIENT]", "tell an MCP client of the gateway",
     "Writes an entry for the gateway into the file of a client: claude (Desktop), claude-code, cursor, vscode, windsurf, "
     "zed, gemini, kiro, lmstudio, opencode or codex. The entry starts this program, which joins the gateway that runs for "
     "the configuration, or "
     "starts one that all clients share; with --http it is a URL, and the token stays in a variable. Everything else in "
     "the file stays as it is, comments too; the old file is kept beside it; doing it again changes nothing. Without CLIENT it "
     "lists the clients and their files.",
     fer_install_options,
     "ferrule install\nferrule install cursor --dry-run\nferrule install claude --config ~/ferrule.yaml\n"
     "ferrule install vscode --http http://127.0.0.1:7575/mcp\nferrule install zed --remove",
     fer_run_install},
    {"call", FER_TOPIC_RUN, "--server URL|COMMAND TOOL [NAME=VALUE|NAME:=JSON]...",
     "call a tool of an MCP server",
     "Connects to one MCP server, calls one of its tools and prints the result; nothing of the gateway stands between. The "
     "server is a URL, or a command that is started and ended with the call; whatever version of MCP it speaks is spoken. "
     "Arguments are those of ferrule run: their types are what the tool's schema says. Progress is shown on a terminal, "
     "Ctrl-C cancels. SSL_CERT_FILE and SSL_CERT_DIR say whom to trust.\n\n"
     "The exit code is 0 where the tool did it, 1 where it did not or the server could not be reached, 2 for bad usage and 70 where the "
     "machine failed.",
     fer_call_options,
     "ferrule call --server http://127.0.0.1:7575/mcp --token secretref:env:FERRULE_TOKEN search_tools query='count words'\n"
     "ferrule call --server 'npx -y @modelcontextprotocol/server-everything' get-sum a=2 b=3\n"
     "ferrule call --server ./server.py echo --args @message.json --json",
     fer_run_call},
    {"inspect", FER_TOPIC_RUN, "URL | [--] COMMAND [ARGUMENT]...",
     "tell what an MCP server has, and what is wrong with it",
     "Connects to one MCP server and tells its name, which version and era of MCP it speaks, its capabilities and "
     "instructions, its tools, resources and prompts with what each costs a context window (four bytes are taken for a token), "
     "and what ferrule check finds wrong with its tools. A command with options of its own stands behind --.\n\n"
     "Exits 0, 1 where there are errors (with --strict: or warnings) or the server could not be asked, 2 for bad usage.",
     fer_inspect_options,
     "ferrule inspect https://example.com/mcp --token secretref:env:EXAMPLE_TOKEN\n"
     "ferrule inspect -- npx -y @modelcontextprotocol/server-everything\n"
     "ferrule inspect --json ./server.py | jq .cost\n"
     "ferrule inspect --strict --profile openai-strict -- node server.js",
     fer_run_inspect},
    {"conformance-client", FER_TOPIC_HELP, "URL", "be the client of MCP's suite of conformance",
     "What the client half of the official suite (npm @modelcontextprotocol/conformance) starts: lists the tools of the server "
     "at the URL, calls each of them, and answers its questions. The suite says by MCP_CONFORMANCE_SCENARIO and "
     "MCP_CONFORMANCE_CONTEXT what else it wants.",
     fer_no_options,
     "conformance client --command 'ferrule conformance-client' --scenario tools_call --spec-version 2026-07-28",
     fer_run_conformance_client},
    {"serve", FER_TOPIC_SERVE, "", "serve tools to MCP clients",
     "Serves the tools of the configuration over MCP, in all versions from 2024-11-05 to 2026-07-28. A client sees seven meta "
     "tools by which it finds, reads and runs all others, or (--mode, --expose) tools under their own names. Every call passes "
     "the gateway: arguments and results are checked, time is limited. Without a configuration the servers of the user's MCP "
     "clients (Claude, Cursor, VS Code) are served.\n\n"
     "Over HTTP, which is the default, it listens at 127.0.0.1 and says its URL, a token and what to write into a client's "
     "configuration; the token is made at the first start and shown only then, FERRULE_TOKEN names another, --fresh-token makes one for "
     "this run, and ferrule token manages those of other clients. With --stdio it speaks over standard input and "
     "output and ends at the end of the input, when all that runs is answered; where a gateway runs for the same configuration it attaches to it "
     "(--attach). SIGTERM and SIGINT (Ctrl-C) let what runs finish for 30 "
     "seconds, a second one ends it at once.",
     fer_serve_options,
     "ferrule serve\nferrule serve --stdio --from claude\n"
     "ferrule serve --config ferrule.yaml --expose 'github:*' --listen 8080\n"
     "ferrule serve --stdio --mode transparent --expose 'files:*'",
     fer_run_serve},
    {"tools", FER_TOPIC_SERVE, "[PATTERN]...", "list the tools of a gateway",
     "Lists the tools that the gateway of this user has, with the effect that a call of each would have by the policies, over the "
     "admin API (docs/operate.md). Where none runs, or with --config or --from, servers are asked as ferrule cost asks them, and "
     "nothing is written. PATTERN is an ID, or an ID without version, with *, ? and [a-z]. On a terminal it is a table, in a pipe ID, "
     "effect and summary with tabs between them. Exits 1 where nothing fits.",
     fer_tools_options,
     "ferrule tools\nferrule tools 'github:*' --json\nferrule tools --config ferrule.yaml",
     fer_run_tools},
    {"top", FER_TOPIC_SERVE, "", "watch a gateway at work",
     "A live view of a gateway that runs: calls, how long they take, errors, and how each backend does, over the admin API "
     "(docs/operate.md). Without an option it is the gateway of this user. On a terminal: q ends, p or the space bar pauses, s sorts by "
     "another column, arrows (or j and k) choose a backend, Enter shows that one with its calls alone. In a pipe, or with --once, "
     "one look is printed.",
     fer_top_options,
     "ferrule top\nferrule top --once --sort p99\nferrule top --json | jq '.backends.backends[].state'\n"
     "ferrule top --server https://gateway.example --token secretref:env:ADMIN_TOKEN",
     fer_run_top},
    {"doctor", FER_TOPIC_SERVE, "", "tell what is wrong with a set-up, and how to mend it",
     "Looks at the configuration, secrets, programs, servers (which it starts), the catalogue, tokens, the ledger, the port, files of MCP "
     "clients, units of systemd, limits and the clock, and prints a line for each result with what to do about it. Exits 0 where nothing "
     "is wrong, 1 where something is; warnings are not wrong. Nothing is changed, unless --fix asks for what is safe: modes of files.",
     fer_doctor_options,
     "ferrule doctor\nferrule doctor --offline --json | jq '.checks[] | select(.state == \"wrong\")'\nferrule doctor --fix",
     fer_run_doctor},
    {"cost", FER_TOPIC_SERVE, "", "tell what tools cost a context window",
     "Asks all servers of the configuration, or of the user's MCP clients where there is none, for their tools and tells how much of a model's context their definitions take, by "
     "namespace, when a client has them in full; and what the meta tools of ferrule serve take in their place. A token is "
     "taken to be four bytes of JSON.",
     fer_cost_options,
     "ferrule cost\nferrule cost --from cursor\nferrule cost --json --config ferrule.yaml",
     fer_run_cost},
    {"schema bundle", FER_TOPIC_SCHEMA, "FILE",
     "put a schema and all it refers to into one document",
     "Prints the schema with the registered schemas that it refers to under $defs, so that it stands alone.",
     fer_bundle_options,
     "ferrule schema bundle --register https://example.com/money=money.json order.schema.json",
     fer_run_schema_bundle},
    {"schema convert-dialect", FER_TOPIC_SCHEMA, "FILE", "write a schema in another dialect",
     "Prints the schema in the dialect that --to names and says on standard error what had to change. Exits 1 where "
     "something could not be kept.",
     fer_convert_options, "ferrule schema convert-dialect --to 2020-12 old.schema.json",
     fer_run_schema_convert},
    {"schema compare", FER_TOPIC_SCHEMA, "FIRST SECOND",
     "tell whether two schemas accept the same instances",
     "Says whether the second schema is the same as the first, wider, narrower or different. Each direction is proved, "
     "or shown by an instance that one schema accepts and the other refuses; where neither is found the answer is "
     "unknown. Exits 0 where they are the same and 1 otherwise.",
     fer_info_options,
     "ferrule schema compare mine.schema.json converted.schema.json\n"
     "ferrule schema compare --json old.schema.json new.schema.json",
     fer_run_schema_compare},
    {"diff", FER_TOPIC_DEFINE, "OLD NEW", "tell what changed between tools, and whom it breaks",
     "OLD and NEW are each a file, a folder, or git:REVISION:PATH, a file or folder as git has it. Tools are paired by "
     "namespace and name. Every change is told with what it means to callers (all that the old inputSchema accepts, the "
     "new one must accept) and to readers (all that the new outputSchema accepts, the old one must accept): compatible, "
     "which is proved; breaking, with an instance that shows it; or unknown, which counts as breaking. The version that "
     "this needs is held against the one declared. Exits 0 where nothing breaks beyond the declared version, 1 where "
     "something does (without versions: where anything breaks), 2 where a side could not be read.",
     fer_diff_options,
     "ferrule diff git:main:tools/ tools/\nferrule diff --format markdown v1.json v2.json >> CHANGELOG.md",
     fer_run_diff},
    {"lock", FER_TOPIC_DEFINE, "[FILE|FOLDER|-]...",
     "write or verify the hashes of tool definitions",
     "Writes a lock: for each tool its ID, version, and a hash of all that a model sees of it. With --verify the tools "
     "are held against the lock: a definition that changed without a new version, a tool that is new and one that is gone "
     "are told, with the fields that changed. Exits 0 where all is as it should be, 1 where it is not, 2 where something "
     "could not be read.",
     fer_lock_options, "ferrule lock tools/\nferrule lock --verify tools/", fer_run_lock},
    {"convert", FER_TOPIC_CONVERT, "[FILE|FOLDER|-]...", "write tools for a provider",
     "Reads tools in any shape and writes them in the provider's, with schemas rewritten where its profile refuses "
     "something: only there, and in the way that loses least. What is written has passed the profile. Each change is "
     "told with its rule (ferrule explain R09), its place and what it loses: same, docs-only, adapter (calls are "
     "translated back), narrower, wider or destructive; what it says is checked with instances of both schemas. A tool "
     "for which there is no right way is refused with a reason, and left out. What only a whole set exceeds (how many "
     "tools, how many optional parameters) is told; the tools are written all the same. Exits 0 where all tools were "
     "converted and the set fits, 1 where not, 2 where something could not be read.",
     fer_tool_convert_options,
     "ferrule convert --to openai-strict --map tools.map tools/ > openai.json\n"
     "ferrule convert --to gemini --report json --report-file loss.json tools.json\n"
     "ferrule convert --from-map tools.map",
     fer_run_convert},
    {"call-back", FER_TOPIC_CONVERT, "[FILE|-]", "translate a call of a converted tool",
     "Reads a call that a model made against tools of ferrule convert, in any provider's form, and prints it for the "
     "tool as it was: {\"name\", \"arguments\"}, with names, nulls, maps, tuples and enums translated back. Exits 1 where "
     "the arguments do not fit the converted schema, or the map has no such tool.",
     fer_call_back_options, "ferrule call-back --map tools.map call.json", fer_run_call_back},
    {"schema from-json", FER_TOPIC_SCHEMA, "[FILE|FOLDER|-]...",
     "make a first schema from example values",
     "Prints the narrowest plain schema that all examples fit: types, what is required, closed objects, formats that "
     "all strings follow, enums of few strings that come again, maps where keys are data (dates, numbers, IDs). A file "
     "is an example, in JSON Lines each line is one. The examples are checked against the schema before it is printed. "
     "It is a start: descriptions, and what the examples do not show, are yours to add.",
     fer_from_json_options,
     "ferrule schema from-json call1.json call2.json\nferrule schema from-json calls.jsonl > input.schema.json\n"
     "jq -c .params.arguments log.jsonl | ferrule schema from-json --no-enums -",
     fer_run_schema_from_json},
    {"list", FER_TOPIC_DEFINE, "[FILE|FOLDER|-]...", "list tools",
     "Prints one line per tool: a table on a terminal; ID, effect, tags and description separated by tabs in a pipe.",
     fer_list_options, "ferrule list tools/\nferrule list --json tools.json", fer_run_list},
    {"servers", FER_TOPIC_SERVE, "[NAME]...", "which backends there are, and how they are",
     "Asks every server of the configuration for its tools (or those named), which starts it, and shows how it is: its kind, "
     "whether it is up, how many tools it has, which version of MCP it speaks or what ails it. Exits 1 where one could not be asked. Nothing is written, and no ledger "
     "is opened: it can be asked while a gateway runs. With --refresh, what servers show now is written into the catalogue, which a gateway "
     "takes over.\n\n"
     "With --watch it goes on until it is interrupted: the configuration is read again when its file changes (or SIGHUP "
     "comes), servers that are new or changed are started, those that are gone are stopped, and changes of tools are told. "
     "A file that cannot be used is told and changes nothing. On a terminal the table is kept up to date; in a pipe there is "
     "a line for each server that is new, changed or gone.",
     fer_servers_options,
     "ferrule servers\nferrule servers --watch\nferrule servers --refresh\nferrule servers github --json --config ~/.cursor/mcp.json",
     fer_run_servers},
    {"show", FER_TOPIC_DEFINE, "ID [FILE|FOLDER|-]...", "show one tool",
     "Prints what is known of a tool. An ID without version means the highest release; local::pack::tool and "
     "mcp::server::tool are accepted as aliases of pack:tool and server:tool. With --json, the record in Ferrule's "
     "own form.",
     fer_show_options,
     "ferrule show github:create_issue tools.json\nferrule show github:create_issue --version '^1' tools/",
     fer_run_show},
    {"search", FER_TOPIC_FIND, "QUERY [FILE|FOLDER|-]...", "find tools by what they do",
     "Finds the tools that fit a request in plain words, the best first: a table with the score, the namespace and the "
     "words that counted; separated by tabs in a pipe. A tool whose name is the query is first where words count (not with --ranker embedding). Definitions are "
     "read in any shape; --catalog uses a file that index build wrote, which starts at once. Tools that several servers "
     "have with the same definition are shown once. With --usage what earlier queries led to has a say. With --batch each query of "
     "a file is answered with the IDs of up to 100 tools, {\"id\", \"ranked\": [IDs]}; a tool is then a line {\"id\", "
     "\"namespace\", \"name\", \"description\", \"tags\", \"inputSchema\"}. Exits 0 where something "
     "fits, 1 where nothing does, 2 where something could not be read.",
     fer_search_options,
     "ferrule search \"create an issue\" tools/\n"
     "ferrule search \"send a message\" --effect Pure --explain tools/\n"
     "ferrule search \"weather tomorrow\" --catalog ferrule.catalog --json\n"
     "ferrule search \"delete documents\" --ranker hybrid --explain tools/\n"
     "ferrule search \"file a bug\" --usage --tenant acme\n"
     "ferrule search --batch queries.jsonl --catalog tools.jsonl --out run.jsonl",
     fer_run_search},
    {"chain", FER_TOPIC_RUN, "FILE|-", "run several tools, each with what earlier ones gave",
     "Runs the steps of a file, JSON or YAML: {toolId, args, usePrevious} as a list, or more of it (docs/run.md): "
     "references into earlier results, branches that run at once, conditions, fallbacks. The first error stops the chain, "
     "unless its step says otherwise; what was done is shown.",
     fer_chain_options,
     "ferrule chain report.yaml --dry-run\nferrule chain report.yaml --input '{\"day\":\"2026-11-17\"}' --json",
     fer_run_chain},
    {"exec", FER_TOPIC_RUN, "FILE|-", "run a program that calls tools",
     "Runs a program in a sandbox: JavaScript, or what the configuration names as a runtime "
     "(docs/code.md). It calls tools through the gateway, with `await tools.NAMESPACE.NAME(args)`, "
     "and gives back its last expression or __out, which is printed after what the program prints "
     "itself. Errors name the line and column of the program. With --check nothing is run: the "
     "tools that it names are listed with their places, and the exit code is 1 where one is not "
     "there.",
     fer_exec_options,
     "ferrule exec report.js\n"
     "echo 'await tools.text.count({text: \"a b\"})' | ferrule exec -\n"
     "ferrule exec --check report.js\n"
     "ferrule exec --limits timeMs=2000,toolCalls=5 --json report.js",
     fer_run_exec},
    {"result", FER_TOPIC_RUN, "HANDLE", "read a stored value in parts",
     "Shows a value that ferrule exec --store has kept: as much of it as fits, and how to go on "
     "where it was cut.",
     fer_result_options,
     "ferrule exec --store export.js\nferrule result v-3k9... --at /rows --from 100",
     fer_run_result},
    {"describe", FER_TOPIC_FIND, "ID [FILE|FOLDER|-]...", "describe one tool at a level of detail",
     "Prints the ToolDoc of a tool: at the level summary what it does; at schema also its definition and what its input "
     "asks for; at full also notes, examples and references; at types its declaration in "
     "TypeScript alone, for code that calls it. An ID without version means the highest release. Where "
     "tools come from several files, those without a namespace have the name of their file as one. Exits 1 where there "
     "is no such tool, 2 where something could not be read.",
     fer_describe_options,
     "ferrule describe github:create_issue tools/\n"
     "ferrule describe github:create_issue --level schema --json --catalog ferrule.catalog",
     fer_run_describe},
    {"namespaces", FER_TOPIC_FIND, "[FILE|FOLDER|-]...",
     "list namespaces and how many tools each has",
     "Prints one line per namespace, by name. Tools without one are counted under an empty name. With --json, "
     "--page-size or --page-token it prints one page; a token is good until the tools change.",
     fer_namespaces_options,
     "ferrule namespaces tools/\nferrule namespaces --json --page-size 50 tools/",
     fer_run_namespaces},
    {"config check", FER_TOPIC_SERVE, "[FILE]", "look at a configuration",
     "Checks ferrule.yaml, or the file of an MCP client, against its schema and tells all that is wrong with "
     "file:line:column. Nothing is started, and no secret is looked up or shown. Without FILE: ferrule.yaml here, else "
     "in the user's folder for configuration. Exits 0, 1 where there are errors, 2 where it could not be read.",
     fer_config_check_options, "ferrule config check\nferrule config check ~/.cursor/mcp.json",
     fer_run_config_check},
    {"config schema", FER_TOPIC_SERVE, "", "print the JSON Schema of the configuration",
     "Editors that know JSON Schema complete and check ferrule.yaml with it.", fer_no_options,
     "ferrule config schema > ferrule.schema.json", fer_run_config_schema},
    {"import openapi", FER_TOPIC_CONVERT, "FILE|-", "make tools of the operations of an HTTP API",
     "Reads an OpenAPI document (3.0 or 3.1, JSON or YAML) and prints one record for each operation: arguments from its "
     "parameters and body, the result from its answers, the effect from its method. What could not be kept is told on "
     "standard error with file:line:column; nothing is fetched. Exits 0, 1 where operations were left out, 2 where the "
     "document could not be read.",
     fer_import_openapi_options,
     "ferrule import openapi petstore.yaml > petstore.json && ferrule check petstore.json\n"
     "ferrule import openapi github.json --namespace github --include 'issues_*'",
     fer_run_import_openapi},
    {"index build", FER_TOPIC_FIND, "FILE|FOLDER...", "write a catalogue to a file",
     "Reads definitions in any shape and writes a catalogue that search, describe and namespaces use at once, without "
     "reading the definitions again, and makes a vector for each tool; those of an older file at the same place are used "
     "again where the texts are the same, and stay where another embedder made them, unless --embedder names one for all. "
     "Definitions that break the contract of tools are taken as they are, and counted; "
     "those without a valid ID are left out, counted, and the first ones named, unless --any-name has IDs of any name. "
     "No other file is replaced, and no catalogue that holds definitions back. "
     "Exits 0 where the file was written, 2 where something could not be read or written; an older file stays then.",
     fer_index_build_options,
     "ferrule index build tools/\nferrule index build -o ferrule.catalog servers/*.json",
     fer_run_index_build},
    {"index stats", FER_TOPIC_FIND, "[FILE|FOLDER|-]...", "tell what a catalogue holds",
     "Prints how many tools, namespaces and vectors a catalogue has, which embedder and model made these, and how long "
     "it took to open. With --embedder the vectors are those that this one could use. With --verify every definition "
     "is held against its checksum; a damaged file exits 2.",
     fer_index_stats_options,
     "ferrule index stats\nferrule index stats --verify --catalog ferrule.catalog",
     fer_run_index_stats},
    {"catalog update", FER_TOPIC_FIND, "FILE|FOLDER...", "apply definitions to a catalogue",
     "Registers new tools and updates those that are there, prints each change with what it means to callers "
     "(compatible, breaking, unknown), and writes the catalogue again. With --quarantine changed definitions are "
     "held back and the old ones served on until they are approved, whatever later updates say. Tools that the "
     "files do not name stay. Of two definitions with one ID the first counts, and that is told. Vectors of texts "
     "that are as they were stay, whoever made them; those that are missing are made where --embedder names the "
     "embedder of the file, or it is the built-in one.",
     fer_catalog_update_options, "ferrule catalog update --quarantine breaking servers/*.json",
     fer_run_catalog_update},
    {"catalog events", FER_TOPIC_FIND, "", "list the latest changes of a catalogue",
     "Prints one line per event, the oldest first: version of the catalogue, kind, ID, and what a changed definition means "
     "to callers. A catalogue keeps its latest 1,000 events in its file.",
     fer_catalog_events_options, "ferrule catalog events --since 12 --json",
     fer_run_catalog_events},
    {"catalog quarantine", FER_TOPIC_FIND, "[ID]...", "list what is held back, or show it",
     "Prints the IDs of tools whose changed definition is held back; with an ID that definition, which 'ferrule show' prints "
     "of what is served.",
     fer_catalog_quarantine_options,
     "ferrule catalog quarantine\nferrule catalog quarantine github:create_issue",
     fer_run_catalog_quarantine},
    {"catalog approve", FER_TOPIC_FIND, "ID...", "serve definitions that are held back",
     "All of them or none: where one is not held back, nothing changes. Vectors stay as with "
     "'catalog update'.",
     fer_catalog_decide_options, "ferrule catalog approve github:create_issue",
     fer_run_catalog_approve},
    {"catalog reject", FER_TOPIC_FIND, "ID...", "turn down definitions that are held back",
     "All of them or none. The same definition is not held back again; approve takes it still.",
     fer_catalog_decide_options, "ferrule catalog reject github:create_issue",
     fer_run_catalog_reject},
    {"usage note", FER_TOPIC_FIND, "QUERY ID", "remember that a query led to a tool",
     "From then on searches with --usage are more likely to find the tool for this query and those like it, once enough "
     "is remembered to be trusted. Of a tenant the latest 4,096 uses are kept, with the text of the query.",
     fer_usage_options, "ferrule usage note \"file a bug\" github:create_issue --tenant acme",
     fer_run_usage_note},
    {"usage list", FER_TOPIC_FIND, "", "list what is remembered",
     "Prints tenant, tool and query, separated by tabs, the oldest first.", fer_usage_list_options,
     "ferrule usage list --tenant acme", fer_run_usage_list},
    {"usage forget", FER_TOPIC_FIND, "[ID]...", "forget what is remembered of a tenant",
     "Forgets all uses of a tenant, or those of some tools, named as usage list does. Exits 1 where there was nothing.",
     fer_usage_options,
     "ferrule usage forget --tenant acme\nferrule usage forget --tenant acme github:create_issue",
     fer_run_usage_forget},
    {"ledger tail", FER_TOPIC_RECORD, "", "show the latest records of a ledger",
     "Prints the last records, one line each: number, time, type, tenant, tool, status, code and call; --json prints the lines "
     "as they are. On a terminal, and with --follow in a pipe, it goes on with records as they come. The ledger may be "
     "written meanwhile.",
     fer_ledger_tail_options,
     "ferrule ledger tail\nferrule ledger tail -f --json --status Unknown | jq .body.callId",
     fer_run_ledger_tail},
    {"ledger query", FER_TOPIC_RECORD, "", "find records of a ledger",
     "Prints the records that fit everything that is asked, the oldest first. An index (index.db in the ledger's folder) is "
     "made and brought up to date on the way; every record is read from its segment and its hash is checked. Exits 1 where "
     "nothing fits.",
     fer_ledger_query_options,
     "ferrule ledger query --tool github:create_issue --since 2h\n"
     "ferrule ledger query --correlation-id req-42 --json",
     fer_run_ledger_query},
    {"ledger verify", FER_TOPIC_RECORD, "[EXPORT]", "tell whether a ledger is what was written",
     "Checks form and hash of every record, numbers without gaps, the chain of all records and that of each tenant, "
     "checkpoints and their signatures, times, begins and ends, and names the first bad record. With --anchor also that "
     "nothing was cut off or made anew, which a chain alone cannot show. With the name of a file it checks an export of one "
     "tenant. Exits 1 where there are flaws.",
     fer_ledger_verify_options,
     "ferrule ledger verify\nferrule ledger verify --anchor /mnt/worm/anchor.jsonl --key ops.pub\n"
     "ferrule ledger verify acme.jsonl",
     fer_run_ledger_verify},
    {"ledger export", FER_TOPIC_RECORD, "", "write records of a ledger to a file",
     "Writes records as JSON Lines, as they stand in the ledger, or as CSV. An export of one tenant as JSON Lines can be "
     "verified alone (ledger verify FILE). Exits 1 where a tenant has no records.",
     fer_ledger_export_options,
     "ferrule ledger export --tenant acme -o acme.jsonl\nferrule ledger export -f csv --since 2026-11-01 > november.csv",
     fer_run_ledger_export},
    {"ledger prune", FER_TOPIC_RECORD, "", "take old segments of a ledger away",
     "Takes away whole segments whose last record is older than an age, after a record that says so. What is left can be "
     "verified as before. The ledger must not be written by anybody else meanwhile.",
     fer_ledger_prune_options, "ferrule ledger prune --older-than 90d", fer_run_ledger_prune},
    {"ledger accept", FER_TOPIC_RECORD, "", "let a ledger go on behind a break in its chain",
     "A ledger whose chain is broken before its end is written by nobody until an operator has looked at it (ledger verify) "
     "and says with this command that it may go on: a record says so, nothing is changed, and verify goes on telling where "
     "the break is. Where there is none, nothing is accepted. The ledger must not be written by anybody else meanwhile.",
     fer_ledger_accept_options, "ferrule ledger verify; ferrule ledger accept",
     fer_run_ledger_accept},
    {"keys list", FER_TOPIC_RECORD, "", "list idempotency keys whose outcome is unknown",
     "Prints the digest of each key, its state, since when, tenant, tool and call, separated by tabs, the oldest first; --of "
     "lists keys in other states. A key is unknown where its call was sent and nobody knows what came of it: callers "
     "get OutcomeUnknown until an operator has looked and said so (keys resolve). A gateway may run meanwhile.",
     fer_keys_list_options,
     "ferrule keys list\nferrule keys list --of done --tool github:create_issue --json",
     fer_run_keys_list},
    {"keys show", FER_TOPIC_RECORD, "KEY", "show what is kept under an idempotency key",
     "KEY is at least eight digits of a digest, or the ID of a call. Exits 1 where there is none.",
     fer_keys_show_options,
     "ferrule keys show 4f1c09ab\nferrule keys show 4f1c09ab --result --json", fer_run_keys_show},
    {"keys resolve", FER_TOPIC_RECORD, "KEY", "say what came of a call whose outcome is unknown",
     "With --done the call had its effect, and whoever calls again with the key gets RESULT. With --not-done it had none, "
     "and whoever calls again runs the tool. The word is durable first; then it is recorded in the ledger (type approval) "
     "and applied, by the gateway that has the folder within seconds, or at once where none has. Exits 1 where there is no such key "
     "or its outcome is not unknown.",
     fer_keys_resolve_options,
     "ferrule keys resolve 4f1c09ab --done '{\"id\": 7}'\nferrule keys resolve 4f1c09ab --not-done",
     fer_run_keys_resolve},
    {"keys sweep", FER_TOPIC_RECORD, "", "take expired idempotency keys away",
     "A gateway does so by itself, at its start and once a minute, at most 1,000 at a time. Results that have expired are "
     "never given, swept or not.",
     fer_keys_sweep_options, "ferrule keys sweep", fer_run_keys_sweep},
    {"token new", FER_TOPIC_SERVE, "NAME", "make a bearer token for a client of the gateway",
     "Prints 256 random bits as a token, once; what is kept is its SHA-256, in a file that only you may read. A client "
     "sends it as \"Authorization: Bearer TOKEN\". A scope is * (every tool), tool:ID, namespace:NAME, effect:EFFECT "
     "(Pure, IdempotentWrite, NonIdempotentWrite, ExternalSideEffects), or scope:NAME (what requiredScopes of a tool ask "
     "for); a token allows a call if one of its tools and namespaces fits, or it names none, and one of its effects fits, "
     "or it names none. What it does not allow its client does not see. Without --scope it is *. A server that runs takes "
     "the token at once.",
     fer_token_new_options,
     "ferrule token new laptop\nferrule token new ci --scope namespace:github --scope effect:Pure --days 30\n"
     "ferrule token new phone --mode tools --expose 'notes:*' --tenant home",
     fer_run_token_new},
    {"token list", FER_TOPIC_SERVE, "", "list the tokens of clients",
     "Prints ID, name, when it was made, when it ends and its scopes, separated by tabs. The tokens themselves are "
     "nowhere.",
     fer_token_list_options, "ferrule token list\nferrule token list --json", fer_run_token_list},
    {"token revoke", FER_TOPIC_SERVE, "ID|NAME...", "take tokens back",
     "All of them or none: where one is not there, nothing changes and the exit code is 1. A server that runs ends "
     "their sessions within seconds.",
     fer_token_options, "ferrule token revoke laptop", fer_run_token_revoke},
    {"auth login", FER_TOPIC_SERVE, "SERVER", "get a token for a server over HTTP",
     "Finds out who gives tokens for the server, prints a URL to open in a browser, and waits for it to come back to a port of "
     "the loopback. Where the browser is on another machine, paste the URL that it ends at. The token is kept sealed, below the "
     "configuration's state or in your folder for state, and renewed by the gateway; one that runs takes it at once. SERVER is "
     "a name of the configuration, or a URL. Where each tenant has a token (oauth.tokens), --tenant says whose it is; without it, it "
     "is the operator's, which lists are asked for with. This program opens no URL by itself.",
     fer_auth_options,
     "ferrule auth login notes\nferrule auth login notes --tenant acme\nferrule auth login https://mcp.example.com/mcp",
     fer_run_auth_login},
    {"auth status", FER_TOPIC_SERVE, "", "show for which servers there are tokens",
     "Prints name, state, issuer, end, scopes, tenant and principal, separated by tabs, of each token for a server over HTTP, and "
     "of each server that has none. The tokens themselves are never shown.",
     fer_auth_status_options, "ferrule auth status\nferrule auth status --json",
     fer_run_auth_status},
    {"auth logout", FER_TOPIC_SERVE, "SERVER", "revoke and forget the token of a server",
     "Tells the authorization server that the token is of no use any more, where it has a place for that (RFC 7009), and says what "
     "came of it. The token is taken away from this machine in every case.",
     fer_auth_options, "ferrule auth logout notes\nferrule auth logout notes --tenant acme",
     fer_run_auth_logout},
    {"fmt", FER_TOPIC_DEFINE, "[FILE|FOLDER|-]...", "put tool definitions into canonical form",
     "Prints the definitions pretty, fields in their documented order, unknown keys last; schemas keep the order of "
     "their keys. Nothing but the notation changes. JSON Lines keep one tool per line. YAML is printed as JSON and "
     "never rewritten in place, since its comments would be lost.",
     fer_fmt_options,
     "ferrule fmt tools.json\nferrule fmt --check tools/\nferrule fmt --write tools.json",
     fer_run_fmt},
    {"id", FER_TOPIC_DEFINE, "ID...", "take tool IDs apart",
     "Checks IDs and prints namespace, name and version separated by tabs, one ID per line. Exits 1 where one is not an ID.",
     fer_id_options,
     "ferrule id github:create_issue:1.4.0\nferrule id --satisfies '>=1.2 <2' github:create_issue:1.4.0",
     fer_run_id},
    {"tags", FER_TOPIC_DEFINE, "[TAG...]", "normalise tags",
     "Prints the normalised tags, one per line: lower case, blanks to '-', [a-z0-9-_.] only, at most 64 characters "
     "each and 20 in all, no repeats. Without arguments it reads one tag per line from standard input.",
     fer_tags_options, "ferrule tags 'Bar Baz' foo", fer_run_tags},
    {"blame", FER_TOPIC_DEFINE, "FILE|FOLDER...",
     "find the tool that a provider's error message means",
     "Reads an error message of a provider (Anthropic, OpenAI, Gemini, Vertex AI, Bedrock, Mistral, Moonshot, DeepSeek, "
     "VS Code, LM Studio ...) from standard input and tells which tool of the files it means, where in it "
     "(file:line:column and JSON Pointer) and which rule it breaks. Exits 1 where no tool of the files is meant.",
     fer_blame_options,
     "ferrule blame tools.json < error.txt\n"
     "ferrule blame tools.json --message \"tools.106.custom.input_schema: ...\"",
     fer_run_blame},
    {"profiles show", FER_TOPIC_DEFINE, "NAME|FILE", "print the rules of a profile",
     "Prints when a profile was looked at, how sure it is and where it comes from, then its rules: severity, limit, "
     "confidence and the provider's own words.",
     fer_profiles_options,
     "ferrule profiles show anthropic-strict\nferrule profiles show --json ./ours.json",
     fer_run_profiles_show},
    {"profiles", FER_TOPIC_DEFINE, "", "list the profiles of providers and clients",
     "Prints one line per profile: name, date, confidence, provider, mode and title; a table on a terminal, separated by "
     "tabs in a pipe.",
     fer_profiles_options, "ferrule profiles\nferrule profiles --json", fer_run_profiles},
    {"eval", FER_TOPIC_FIND, "FOLDER...", "measure how well search finds what was meant",
     "Each folder holds tools.jsonl and queries.jsonl, whose lines are {\"id\", \"query\", \"relevant\": [IDs of tools]}. "
     "Prints recall at 1, 3, 5 and 10, nDCG at 10 and the mean reciprocal rank in percent, and for how many "
     "queries something was found that fits; for several folders also the mean over them. Relevant IDs that no tool "
     "has are told, and count as not found.",
     fer_eval_options, "ferrule eval data/*/", fer_run_eval},
    {"explain", FER_TOPIC_HELP, "[RULE|CODE]", "explain a rule or an error code",
     "Tells what a rule demands, why, and how to mend it. Without an argument it lists all rules.",
     fer_no_options, "ferrule explain name.charset\nferrule explain DuplicateKey", fer_run_explain},
    {"reference", FER_TOPIC_HELP, "[PAGE]", "print a reference page",
     "Prints one of the reference pages in Markdown, made from Ferrule's own tables: tool-record, rules, changes, "
     "profiles, errors, limits, cli; rules/RULE and profiles/NAME for one of them; or man, the man page in scdoc's "
     "notation. Without an argument it lists all pages.",
     fer_no_options, "ferrule reference tool-record\nferrule reference rules/name.length",
     fer_run_reference},
    {"completion", FER_TOPIC_HELP, "bash|zsh|fish", "print the completion script of a shell",
     "Prints a script that completes commands, options and their values.", fer_no_options,
     "ferrule completion bash > /etc/bash_completion.d/ferrule", fer_run_completion},
    {"version", FER_TOPIC_HELP, "", "print the version",
     "Prints the version of Ferrule and of the libraries it runs on.", fer_version_options,
     "ferrule version --json", fer_run_version},
    {"help", FER_TOPIC_HELP, "[COMMAND]", "explain a command",
     "Prints help on a command, or on Ferrule.", fer_no_options, "ferrule help check",
     fer_run_help},
    {0},
};
