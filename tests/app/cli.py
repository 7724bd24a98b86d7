#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line, as its users meet it: rows of arguments, input, exit code and output; then the
same commands while system calls and allocations fail. Speaks TAP."""

import json
import os
import re
import shutil
import subprocess
import tempfile

from command_line import FAULTS, FERRULE, SOURCE, case, expect, finish, inject, skip, terminal
from command_line import run as plain_run



def run(args, *more, **options):
    """These tests are about the command; what it says of good and bad tools is in authoring.py."""
    if args[:1] == ["check"]:
        args = ["check", "--no-quality", *args[1:]]
    return plain_run(args, *more, **options)


GOOD = '{"name":"a","inputSchema":{"type":"object"}}'
BAD = '{"name":"a b","inputSchema":{"type":"object"}}'
# name, arguments, stdin, exit code, in stdout, in stderr
ROWS = [
    ("no command", [], "", 2, [], ["Usage", "check"]),
    ("help", ["help"], "", 0, ["Commands", "The gateway\n  init", "Exit codes", "70"], []),
    ("--help", ["--help"], "", 0, ["Commands"], []),
    ("help of a command", ["help", "check"], "", 0, ["--format FORMAT", "text, json, sarif,"], []),
    ("--help of a command", ["fmt", "--help"], "", 0, ["--write"], []),
    ("help of an unknown command", ["help", "nope"], "", 2, [], ["there is no command 'nope'", "'ferrule help' tells more"]),
    ("help of a command and more", ["help", "check", "x"], "", 2, [], ["there is no command 'check x'"]),
    ("arguments of a command that takes none", ["version", "x"], "", 2, [], ["version takes no arguments\n"]),
    ("and that takes a configuration", ["serve", "other.yaml"], "", 2, [], ["serve takes no arguments; --config names a configuration"]),
    ("and whose verb takes some", ["profiles", "mcp"], "", 2, [], ["did you mean 'profiles show mcp'?"]),
    ("show: a name without its namespace", ["show", "create_issue", "examples/toolset/tickets.json"], "", 1, [], ['did you mean "tickets:create_issue"?']),
    ("show: a misspelt one", ["show", "tickets:create_isue", "examples/toolset/tickets.json"], "", 1, [], ['did you mean "tickets:create_issue"?']),
    ("show: nothing like it", ["show", "zzz", "examples/toolset/tickets.json"], "", 1, [], ['no tool "zzz" is here\n']),
    ("check: an alias of a profile is suggested", ["check", "-p", "gemni"], GOOD, 2, [], ["did you mean 'gemini'?"]),
    ("version", ["version"], "", 0, ["ferrule 0.", "yyjson"], []),
    ("--version", ["--version"], "", 0, ["ferrule 0."], []),
    ("version as JSON", ["version", "--json"], "", 0, ['{"ferrule":"0.'], []),
    ("misspelt command", ["chekc"], "", 2, [], ["did you mean 'check'?"]),
    ("unknown command", ["zzzzzz"], "", 2, [], ["there is no command 'zzzzzz'\n"]),
    ("misspelt option", ["check", "--qiet"], "", 2, [], ["did you mean '--quiet'?"]),
    ("unknown letter", ["check", "-Z"], "", 2, [], ["has no option '-Z'"]),
    ("option without value", ["check", "--format"], "", 2, [], ["needs a value"]),
    ("option with a wrong value", ["check", "--format", "xml"], "", 2, [], ["one of text, json, sarif, github, gitlab, junit, not 'xml'"]),
    ("check: clean", ["check", "-"], GOOD, 0, ["1 file, 1 tool: 0 errors, 0 warnings"], []),
    ("check: standard input by default", ["check"], GOOD, 0, ["1 tool"], []),
    ("check: finding", ["check"], BAD, 1, ["<stdin>:1:9: error[name.charset]", "^~~~~", 'hint: for example "a_b"', "1 error"], []),
    ("check: quiet", ["check", "-q"], BAD, 1, [], []),
    ("check: warnings alone are no failure", ["check"], '{"name":"a","inputSchema":{}}', 0, ["warning[schema.root-missing]"], []),
    ("check: a package.json is no tool", ["check"], '{"type":"module","version":"1"}', 2, ["error[UnknownShape]", "in no known shape"], []),
    ("check: nor is a JSON Schema", ["check", "examples/orders/order.schema.json"], "", 2, ["error[UnknownShape]", "ferrule schema lint"], []),
    ("fmt: leaves both alone", ["fmt"], '{"type":"module","version":"1"}', 2, [], ["left alone"]),
    ("check: in a list it is the provider's own", ["check"], '[{"type":"web_search"}]', 0, ["warning[tool.builtin]"], []),
    ("check: strict", ["check", "--strict"], '{"name":"a","inputSchema":{}}', 1, ["1 warning"], []),
    ("check: not JSON", ["check", "-i", "json"], '{"a":', 2, ["error[InvalidJson]", "1 file could not be read in full"], []),
    ("check: quiet and not JSON", ["check", "-q", "-i", "json"], '{"a":', 2, [], ["ends too early"]),
    ("list: nothing on standard input", ["list"], "", 2, [], ["list needs a file, a folder, or definitions on standard input, which was empty"]),
    ("list: blanks", ["list"], " \n", 2, [], ["list needs a file"]),
    ("list: - is what was named", ["list", "-"], "", 2, [], ["<stdin>:1:1"]),
    ("check: missing file", ["check", "/nonexistent/x.json"], "", 2, ["error[IoError]", "No such file"], []),
    ("check: goes on after a missing file", ["check", "/nonexistent/x.json", "-"], BAD, 2, ["IoError", "name.charset", "2 files"], []),
    ("check: duplicate key in one entry", ["check"], '[{"name":"a","name":"b"},%s]' % BAD, 2, ["DuplicateKey", "name.charset"], []),
    ("check: goes on after an empty folder", ["check", "tools/", "-"], BAD, 2, ["tools/: error[IoError]: no .json", "name.charset", "2 files"], []),
    ("check: misspelt key of a function", ["check"], '{"type":"function","function":{"name":"a","paramaters":{"type":"object"}}}', 0,
     ['warning[field.unknown]: "paramaters" is not a known field', 'did you mean "parameters"?', "at /function/paramaters"], []),
    ("check: misspelt key of an Anthropic tool", ["check"], '{"name":"a","desciption":"x","input_schema":{"type":"object"}}', 0, ['did you mean "description"?'], []),
    ("check: other keys of an Anthropic tool", ["check"], '{"name":"a","strict":true,"cache_control":{},"input_schema":{"type":"object"}}', 0, ["0 errors, 0 warnings"], []),
    ("check: misspelt container", ["check"], '{\n"tool":[%s]}' % GOOD, 2, ['<stdin>:2:1: error[UnknownShape]: this is an object in no known shape: did you mean "tools" by "tool"?'], []),
    ("check: misspelt result", ["check"], '{"results":{"tools":[%s]}}' % GOOD, 2, ['did you mean "result" by "results"?'], []),
    ("check: tools are null", ["check"], '{"tools":null}', 2, ['<stdin>:1:10: error[UnknownShape]: "tools" is an array, not null'], []),
    ("check: tools of a response are an object", ["check"], '{"result":{"tools":{}}}', 2, ['"tools" is an array, not an object'], []),
    ("check: one document that says it is lines", ["check", "-i", "jsonl"], '{\n "name": "a",\n "inputSchema": {"type": "object"}\n}\n', 2,
     ["<stdin>:1:1: error[InvalidJson]: this is one document over several lines", "0 tools: 1 error,"], []),
    ("check: a broken line is one error, the next is read", ["check", "-i", "jsonl"], '{"name":\n%s\n' % GOOD, 2, ["<stdin>:1:9: error[InvalidJson]", "1 tool: 1 error,"], []),
    ("check: where an ID was before", ["check"], '[\n  %s,\n%s]' % (GOOD, GOOD), 1, ['the ID "a" was given before, at <stdin>:2:3'], []),
    ("check: YAML", ["check", "-i", "yaml"], "name: a b\ninputSchema: {type: object}\n", 1, ["<stdin>:1:7: error[name.charset]"], []),
    ("check: json format", ["check", "-f", "json"], BAD, 1, ['"rule":"name.charset"', '"pointer":"/name"', '"errors":1'], []),
    ("check: github format", ["check", "-f", "github"], BAD, 1, ["::error file=<stdin>,line=1,col=9,title=name.charset::"], []),
    ("check: severity", ["check", "--severity", "name.charset=info"], BAD, 0, ["info[name.charset]", "0 errors, 0 warnings, 1 note"], []),
    ("check: severity in SARIF", ["check", "-f", "sarif", "--severity", "name.charset=info"], BAD, 0, ['"level":"note"'], []),
    ("check: severity for GitHub", ["check", "-f", "github", "--severity", "name.charset=info"], BAD, 0, ["::notice file="], []),
    ("check: rule off", ["check", "--severity", "name.charset=off"], BAD, 0, ["0 errors, 0 warnings"], []),
    ("check: severity of no rule", ["check", "--severity", "name.charsets=off"], BAD, 2, [], ["did you mean 'name.charset'?"]),
    ("check: severity without a level", ["check", "--severity", "name.charset"], BAD, 2, [], ["not 'name.charset'"]),
    ("check: suppressed", ["check"], '{"name":"a b","inputSchema":{"type":"object"},"suppress":[{"rule":"name.charset","reason":"old"}]}', 0,
     ["0 errors, 0 warnings; 1 suppressed"], []),
    ("check: missing configuration", ["check", "--config", "/nonexistent/c.yaml"], GOOD, 2, [], ["No such file"]),
    ("profiles: lines", ["profiles"], "", 0, ["anthropic-strict\t2026-11\thigh\tAnthropic\tstrict\t", "tools_json\t"], []),
    ("profiles: json", ["profiles", "--json"], "", 0, ['"name":"mcp-2026-07-28","aliases":["mcp"]'], []),
    ("profiles: an argument", ["profiles", "cursor"], "", 2, [], ["did you mean 'profiles show cursor'?"]),
    ("profiles show", ["profiles", "show", "cursor"], "", 0, ["as of 2026-11; confidence medium", "name.length\terror\tmedium\tat most 59; with the server's name\tCombined"], []),
    ("profiles show: alias, json", ["profiles", "show", "--json", "openai-chat"], "", 0, ['"name":"openai"', '"rule":"root.type"'], []),
    ("profiles show: unknown", ["profiles", "show", "opnai"], "", 2, [], ["did you mean 'openai'?"]),
    ("check: profile", ["check", "--profile", "anthropic,openai"], BAD, 1, ["error[name.charset, anthropic]", "error[name.charset, openai]", "the provider says: tools.0.custom.name"], []),
    ("check: profile by alias", ["check", "-p", "openai-chat"], BAD, 1, ["error[name.charset, openai-chat]"], []),
    ("check: a limit", ["check", "-p", "mistral"], '{"name":"%s","inputSchema":{"type":"object"}}' % ("a" * 65), 1, ["limit: 64, actual: 65"], []),
    ("check: a limit in JSON", ["check", "-p", "mistral", "-f", "json"], '{"name":"%s","inputSchema":{"type":"object"}}' % ("a" * 65), 1,
     ['"profile":"mistral","limit":"64","actual":"65","providerText":"Function name was'], []),
    ("check: a limit for GitHub", ["check", "-p", "mistral", "-f", "github"], '{"name":"%s","inputSchema":{"type":"object"}}' % ("a" * 65), 1,
     ["title=name.length (mistral)::", "limit: 64%0Aactual: 65%0Athe provider says: Function name was"], []),
    ("check: a budget", ["check", "-p", "tools_json"], "[" + ",".join('{"name":"t%d","inputSchema":{"type":"object"}}' % i for i in range(16)) + "]", 1,
     ["error[toolset.count, tools_json]: there are 16 tools, and at most 15 are allowed", "tool 16 (t15)"], []),
    ("check: all profiles", ["check", "-p", "all"], BAD, 1, [", vscode]", ", mistral]"], []),
    ("check: unknown profile", ["check", "-p", "antropic"], GOOD, 2, [], ["there is no profile 'antropic'; did you mean 'anthropic'?"]),
    ("check: a profile's missing file", ["check", "-p", "./none.json"], GOOD, 2, [], ["No such file"]),
    ("check: platform answer", ["check", "--platform-answer"], '[{"name":"a b","input_schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}]', 1,
     ['{"message":"Tool #1 name must match ^[a-zA-Z0-9_-]{1,64}$","errors":{"tools_json":["Tool #1 name must match'], []),
    ("check: platform answer, valid", ["check", "--platform-answer"], "[]", 0, ['"errors":{}'], []),
    ("check: suppressed for one profile", ["check", "-p", "openai,anthropic"], '{"name":"a","inputSchema":{"type":"object","properties":{},"anyOf":[{}]},"suppress":[{"rule":"root.composition","profile":"openai","reason":"r"}]}', 1,
     ["error[root.composition, anthropic]", "1 suppressed"], []),
    ("blame", ["blame", "examples/toolset/drafts.json", "--message", "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"], "", 0,
     ["drafts.json:4:15: tool 1", "rule: name.charset (a message of Anthropic)", "fix: "], []),
    ("blame: json", ["blame", "--json", "examples/toolset/drafts.json"], "tools.0.custom.name: String should match pattern 'x'", 0, ['"rule":"name.charset"', '"line":4,"column":15'], []),
    ("blame: past the end", ["blame", "examples/toolset/drafts.json"], "tools.900.custom.name: String should match pattern 'x'", 1, ["names no tool of these files"], []),
    ("blame: another message", ["blame", "examples/toolset/drafts.json"], "Overloaded", 2, [], ["no provider's message"]),
    ("blame: no file", ["blame"], "x", 2, [], ["needs a file"]),
    ("explain: profiles", ["explain", "limit.depth"], "", 0, ["tools_json\terror\thigh\tat most 5"], []),
    ("check: examples", ["check", "examples/toolset"], "", 1, ["drafts.json:4:15: error[name.charset]", "3 files, 6 tools"], []),
    ("list", ["list"], GOOD, 0, ["a\tNonIdempotentWrite\t\t\n"], []),
    ("list: JSON", ["list", "--json"], GOOD, 0, ['"id":"a"', '"definitionHash":"sha256:'], []),
    ("list: JSON of nothing", ["list", "--json"], "[]", 0, ["[]"], []),
    ("list: by tag", ["list", "-t", "Issues", "examples/toolset"], "", 0, ["tickets:create_issue:1.4.0"], []),
    ("list: by namespace", ["list", "-n", "weather", "examples/toolset"], "", 0, ["weather:get_forecast:2.0.1"], []),
    ("list: broken", ["list"], "[1]", 2, [], ["<stdin>:1:2:"]),
    ("list: goes on after what it cannot read", ["list", "/nonexistent/x.json", "tools/", "-"], '[1,{"name":"b","name":"c"},%s]' % GOOD, 2,
     ["a\tNonIdempotentWrite\t\t\n"], ["No such file", "no .json", "<stdin>:1:2:", "DuplicateKey"]),
    ("list: JSON in spite of it", ["list", "--json"], "[1,%s]" % GOOD, 2, ['[\n{"id":"a"', "}\n]\n"], ["<stdin>:1:2:"]),
    ("show: goes on after what it cannot read", ["show", "a", "/nonexistent/x.json", "-"], "[1,%s]" % GOOD, 2, ["a\n  effect"], ["No such file", "<stdin>:1:2:"]),
    ("show: not there, and not all was read", ["show", "b"], "[1,%s]" % GOOD, 2, [], ["<stdin>:1:2:", "ToolNotFound"]),
    ("show", ["show", "tickets:create_issue", "examples/toolset"], "", 0, ["tickets:create_issue:1.4.0", "projectId: string, required"], []),
    ("show: alias", ["show", "mcp::tickets::create_issue", "examples/toolset"], "", 0, ["tickets:create_issue:1.4.0"], []),
    ("show: JSON", ["show", "--json", "a"], '{"zzz":1,"inputSchema":{"type":"object"},"name":"a"}', 0, ['{\n  "name": "a",\n  "inputSchema"', '"zzz": 1'], []),
    ("show: constraint", ["show", "tickets:create_issue", "--version", "^2", "examples/toolset"], "", 1, [], ["ToolNotFound"]),
    ("show: bad constraint", ["show", "tickets:create_issue", "--version", "abc", "examples/toolset"], "", 2, [], ["InvalidConstraint"]),
    ("show: not there", ["show", "nope"], GOOD, 1, [], ["ToolNotFound"]),
    ("show: no ID", ["show"], "", 2, [], ["needs the ID"]),
    ("fmt", ["fmt"], '{"inputSchema":{"type":"object"},"name":"a"}', 0, ['{\n  "name": "a",\n'], []),
    ("fmt: check", ["fmt", "--check"], GOOD, 1, ["<stdin>"], []),
    ("fmt: check and write", ["fmt", "--check", "--write"], GOOD, 2, [], ["exclude each other"]),
    ("fmt: write to standard input", ["fmt", "--write"], GOOD, 2, [], ["standard input"]),
    ("fmt: broken", ["fmt"], "{", 2, [], ["<stdin>:1:2:"]),
    ("id", ["id", "n:a:v1.2.3", "b"], "", 0, ["n\ta\t1.2.3\n\tb\t\n"], []),
    ("id: bad", ["id", "a:b:c:d"], "", 1, [], ["InvalidId"]),
    ("id: JSON", ["id", "--json", "n:a"], "", 0, ['{"namespace":"n","name":"a","version":""}'], []),
    ("id: satisfies", ["id", "-s", "^1", "n:a:1.9.0"], "", 0, ["n\ta\t1.9.0"], []),
    ("id: does not satisfy", ["id", "-s", "^2", "n:a:1.9.0"], "", 1, [], ["does not satisfy"]),
    ("id: nothing", ["id"], "", 2, [], ["at least one"]),
    ("tags", ["tags", "  Foo ", "foo", "Bar Baz", "bar-baz", "A_B", "A.B"], "", 0, ["foo\nbar-baz\na_b\na.b\n"], []),
    ("tags: standard input", ["tags"], "Foo\n\n###\nok!\n", 0, ["foo\nok\n"], []),
    ("tags: JSON", ["tags", "--json", "Foo"], "", 0, ['["foo"]'], []),
    ("explain: rule", ["explain", "name.charset"], "", 0, ["Why:", "Fix:"], []),
    ("explain: rule of schemas", ["explain", "unused-definition"], "", 0, ["unused-definition (warning, of schema lint)", "Fix: Remove it"], []),
    ("explain: misspelt rule of schemas", ["explain", "unkown-format"], "", 2, [], ["did you mean 'unknown-format'?"]),
    ("explain: code", ["explain", "DuplicateKey"], "", 0, ["HTTP 400", "exit code 2"], []),
    ("explain: list", ["explain"], "", 0, ["tool.duplicate"], []),
    ("explain: misspelt", ["explain", "name.charste"], "", 2, [], ["did you mean 'name.charset'?"]),
    ("reference", ["reference", "rules"], "", 0, ["| [name.charset](rules/name.charset.md) |"], []),
    ("reference: no such rule", ["reference", "rules/name.nope"], "", 2, [], ["there is no rule 'name.nope'"]),
    ("reference: no such profile", ["reference", "profiles/opnai"], "", 2, [], ["did you mean 'openai'?"]),
    ("reference: no page below", ["reference", "limits/x"], "", 2, [], ["there is no page 'limits/x'"]),
    ("reference: the record", ["reference", "tool-record"], "", 0, ["| `policies.retry.maxAttempts` | whole number, 1 to 10 |"], []),
    ("reference: errors", ["reference", "errors"], "", 0, ["| `DuplicateKey` | ContractError |"], []),
    ("reference: limits", ["reference", "limits"], "", 0, ["| `json.depth` | 128 | 128 |"], []),
    ("reference: command line", ["reference", "cli"], "", 0, ["## ferrule check"], []),
    ("reference: man page", ["reference", "man"], "", 0, ["# EXIT STATUS"], []),
    ("check: github format of unreadable input", ["check", "-f", "github", "-i", "json"], "{", 2, ["::error file=<stdin>,line=1,col=2,title=InvalidJson::"], []),
    ("reference: unknown", ["reference", "x"], "", 2, [], ["there is no page 'x'"]),
    ("completion: unknown shell", ["completion", "tcsh"], "", 2, [], ["only for bash, zsh and fish"]),
    ("log", ["--log-level"], "", 2, [], ["there is no command"]),
    ("log on standard error as JSON", ["check", "--log-level", "debug"], GOOD, 0, ["1 tool"], ['"event":"input.read"', '"event":"input.checked"', '"shape":"mcp"']),
]


def rows():
    for name, args, stdin, code, out, err in ROWS:
        result = run(args, stdin)
        problems = expect(result, code, out, err)
        if "quiet" in name and result.stdout:
            problems.append(f"stdout is not empty: {result.stdout!r}")
        case(name, problems)


# name, file, its text, arguments, exit code, in stdout, in stderr; the input is BAD
CONFIGURATIONS = [
    ("found by its name, YAML", ".ferrule.yaml", "rules:\n  name.charset: info\n", [], 0, ["info[name.charset]"], []),
    ("found by its name, JSON", "ferrule.json", '{"rules":{"name.charset":"off"}}', [], 0, ["0 errors"], []),
    ("not wanted", "ferrule.json", '{"rules":{"name.charset":"off"}}', ["--no-config"], 1, ["1 error"], []),
    ("the command line goes first", "ferrule.json", '{"rules":{"name.charset":"off"}}', ["--severity", "name.charset=error"], 1, ["1 error"], []),
    ("named", "mine.yaml", "rules: {name.charset: warning}", ["--config", "mine.yaml"], 0, ["1 warning"], []),
    ("unknown rule", "ferrule.json", '{"rules":{\n"name.charsets":"off"}}', [], 2, [], ["ferrule.json:2:1: there is no rule 'name.charsets'; did you mean 'name.charset'?"]),
    ("unknown severity", "ferrule.json", '{"rules":{"name.charset":"fatal"}}', [], 2, [], ["ferrule.json:1:26: a severity is"]),
    ("unknown key", "ferrule.json", '{"rulez":{}}', [], 2, [], ["ferrule.json:1:2: a configuration has no key 'rulez'"]),
    ("profiles", ".ferrule.yaml", "profiles: [mistral]", [], 1, ["error[name.charset, mistral]"], []),
    ("profiles of the command line go first", ".ferrule.yaml", "profiles: [mistral]", ["-p", "openai"], 1, ["error[name.charset, openai]"], []),
    ("an unknown profile", ".ferrule.yaml", "profiles: [mistrl]", [], 2, [], [".ferrule.yaml:1:12: there is no profile 'mistrl'"]),
    ("a profile as a file", "own.json", '{"name":"own","extends":"mistral","rules":{"name.charset":false,"name.length":{"max":2}}}', ["-p", "./own.json"], 1,
     ["error[name.length, own]: the name has 3 characters, and at most 2 are allowed"], []),
    ("a wrong profile", "own.json", '{"name":"own",\n"rules":{"nope":{}}}', ["-p", "own.json"], 2, [], ["own.json: 2:10: profiles have no rule 'nope'"]),
    ("no object", "ferrule.json", "[]", [], 2, [], ["a configuration is an object"]),
    ("not JSON", "ferrule.json", "{", [], 2, [], ["ferrule.json:1:2"]),
]


def shown():
    text = '{"name":"a b","inputSchema":{}}'
    case("check: show errors", expect(run(["check", "--strict", "--show", "error"], text), 1, ["error[name.charset]", "1 error, 1 warning"], [], ["warning["]))
    case("check: show warnings", expect(run(["check", "-f", "github", "--show=warning", "--severity", "name.charset=info"], text), 0,
                                        ["::warning ", "0 errors, 1 warning, 1 note"], [], ["::notice file"]))
    case("check: show what is no severity", expect(run(["check", "--show", "all"], text), 2, [], ["--show takes one of error, warning, info, not 'all'"]))


def configurations():
    for name, file, text, args, code, out, err in CONFIGURATIONS:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, file), "w") as f:
                f.write(text)
            case("configuration: " + name, expect(run(["check", *args], BAD, cwd=folder), code, out, err))
    keys = json.loads(run(["config", "schema"]).stdout)["properties"]
    for key in sorted(keys.keys() - {"profiles", "rules"}):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "ferrule.json"), "w") as f:
                json.dump({key: {}, "rules": {"name.charset": "off"}}, f)
            case(f"configuration: {key} is for other commands", expect(run(["check"], BAD, cwd=folder), 0, ["0 errors"]))


def machine_formats():
    mixed = '[%s,%s,{"name":"\\u001b[31m\\u202e","inputSchema":1}]' % (BAD, GOOD)
    report = json.loads(run(["check", "-f", "json"], mixed).stdout)
    case("check: json format parses", [] if report["errors"] == len(report["findings"]) == 3 else [str(report)])
    sarif = json.loads(run(["check", "-f", "sarif", "examples/toolset"]).stdout)
    results = sarif["runs"][0]["results"]
    ids = {r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]}
    problems = [f"rule {r['ruleId']} is not declared" for r in results if r["ruleId"] not in ids]
    region = results[0]["locations"][0]["physicalLocation"]["region"]
    if region["startLine"] != 4 or region["endColumn"] <= region["startColumn"]:
        problems.append(str(region))
    case("check: sarif format parses, rules declared, regions right", problems)
    for name, args, stdin in (("tools", ["-p", "all", "examples/toolset"], ""), ("unreadable input", ["-i", "json"], "{")):
        written = run(["check", "-f", "sarif", *args], stdin).stdout
        case(f"check: sarif of {name} is valid by a reduced schema of SARIF 2.1.0",
             expect(run(["validate", "--schema", "tests/app/data/sarif-reduced.schema.json", "-"], written), 0, ["1 valid"]))
    failed = json.loads(run(["check", "-f", "sarif", "-i", "json"], "{").stdout)["runs"][0]
    case("check: sarif tells of unreadable input",
         [] if failed["invocations"][0]["executionSuccessful"] is False else [str(failed)])
    declared = [r["id"] for r in failed["tool"]["driver"]["rules"]]
    case("check: sarif declares failures, and nothing twice",
         [] if failed["results"][0]["ruleId"] == "InvalidJson" and declared.count("InvalidJson") == 1
         and len(set(declared)) == len(declared) else [str(declared)])
    text = run(["check", "--color", "never"], mixed).stdout.decode()
    case("check: control and direction characters never reach a terminal",
         [c for c in ("\x1b", "\u202e") if c in text])
    listed = json.loads(run(["list", "--json", "examples/toolset"]).stdout)
    case("list: json parses", [] if len(listed) == 6 else [str(len(listed))])
    invalid_name = run(["check", b"/nonexistent/\xff.json".decode(errors="surrogateescape"), "-f", "json"])
    json.loads(invalid_name.stdout.decode("utf-8"))
    case("check: a file name that is not UTF-8 still gives valid JSON", [])


def terminals():
    text = terminal(["check", "examples/toolset/drafts.json"])
    case("check: colour on a terminal", [] if "\x1b[1;31m" in text else [text[:200]])
    plain = terminal(["check", "--color", "never", "examples/toolset/drafts.json"])
    case("check: --color never", [] if "\x1b" not in plain else [plain[:200]])
    os.environ["NO_COLOR"] = "1"
    quiet = terminal(["check", "examples/toolset/drafts.json"])
    del os.environ["NO_COLOR"]
    case("check: NO_COLOR", [] if "\x1b" not in quiet else [quiet[:200]])
    piped = run(["check", "examples/toolset/drafts.json"]).stdout.decode()
    case("check: no colour in a pipe", [] if "\x1b" not in piped else [piped[:200]])
    table = terminal(["list", "examples/toolset"])
    case("list: a table on a terminal", [] if "DESCRIPTION" in table and "tickets:create_issue" in table else [table[:300]])
    log = terminal(["check", "--log-level", "info", "examples/toolset/tickets.json"])
    case("log: plain on a terminal", [] if "input.checked file=" in log else [log[:300]])


def files():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.json")
        open(path, "w").write('{"inputSchema":{"type":"object"},"name":"a","x-mine":[1.10,12345678901234567890]}')
        os.chmod(path, 0o640)
        problems = expect(run(["fmt", "--write", path]), 0, [path])
        text = open(path).read()
        if not text.startswith('{\n  "name": "a"') or "12345678901234567890" not in text or "x-mine" not in text:
            problems.append(text)
        if os.stat(path).st_mode & 0o777 != 0o640:
            problems.append("the mode was not kept")
        problems += expect(run(["fmt", "--check", path]), 0)
        problems += expect(run(["fmt", "--write", path]), 0)
        if open(path).read() != text:
            problems.append("a second fmt changed the file")
        case("fmt: write keeps content and mode and is idempotent", problems)

        yaml = os.path.join(folder, "t.yaml")
        open(yaml, "w").write("# mine\nname: a\ninputSchema: {type: object}\n")
        problems = expect(run(["fmt", "--write", yaml]), 2, [], ["comments would be lost"])
        if "# mine" not in open(yaml).read():
            problems.append("the YAML was changed")
        case("fmt: YAML is never rewritten", problems)

        os.mkdir(os.path.join(folder, "sub"))
        open(os.path.join(folder, "sub", "b.jsonl"), "w").write(GOOD + "\n\n" + BAD + "\n")
        open(os.path.join(folder, ".hidden.json"), "w").write("{")
        open(os.path.join(folder, "notes.txt"), "w").write("{")
        result = run(["check", folder + "/"])
        case("check: a folder, its folders, and only what looks like tools",
             expect(result, 1, ["b.jsonl:3:9: error[name.charset]", "3 files, 4 tools"], absent=["hidden", "notes"]))

        big = os.path.join(folder, "big.json")
        with open(big, "w") as f:
            f.write("[")
            f.write(",".join('{"name":"t%d","description":"%s","inputSchema":{"type":"object"}}' % (i, "d" * 300) for i in range(20000)))
            f.write("]")
        out = terminal(["check", "--color", "never", big])
        case("check: 20,000 tools on one line", [] if "20000 tools: 0 errors" in out else [out[-200:]])


def review():
    """What a reviewer and a first user ran into."""
    one_line = "[" + ",".join('{"name":"t%d","description":"%s","inputSchema":{}}' % (i, "d" * 300) for i in range(8000)) + "]"
    case("check: 8,000 findings on one line, as text", expect(run(["check"], one_line), 0, ["8000 warnings"]))
    case("check: 80,000 unreadable entries", expect(run(["check"], "[" + ",".join(["1"] * 80000) + "]"), 2, ["80000 errors"]))
    escaped = '{"t\\u006fols":[' + ",".join('{"name":"t%d","inputSchema":{"type":"object"}}' % i for i in range(20000)) + "]}"
    case("check: a list under an escaped key", expect(run(["check"], escaped), 0, ["20000 tools: 0 errors"]))
    bell = '{"jsonrpc":"2.0","error":{"message":"\\u001b[31mRED\\u0007"}}'
    for args in (["list"], ["check", "-q"], ["check", "-f", "github"]):
        result = run(args, bell)
        case(f"{' '.join(args)}: no control character reaches the terminal",
             expect(result, 2, absent=["\x1b", "\x07"]) + ([] if b"RED" in result.stdout + result.stderr else ["no message"]))
    case("list: a failure names its file", expect(run(["list"], '{"x":1}'), 2, [], ["<stdin>: this is an object"]))
    foreign = '{"type":"function","function":{"name":"x","description":5,"parameters":{"type":"object"},"inputSchema":{},"effect":"Pure"}}'
    shown = run(["show", "x", "--json"], foreign)
    case("show: no key of another shape becomes a field", expect(shown, 0, ['"inputSchema"'], absent=["effect"]))
    case("check: a trailing comma is not JSON Lines", expect(run(["check", "-i", "json"], '{"a":1,}\n{"b":2}'), 2, ["<stdin>:1:7", "comma"]))
    lists = [run(["check"], '{"functions":[],"tools":[%s]}' % GOOD), run(["check"], '{"tools":[],"functions":[%s]}' % GOOD)]
    case("check: an empty list beside the real one, in either order", [p for r in lists for p in expect(r, 0, ["1 tool:"])])
    full = subprocess.run([FERRULE, "check", "-f", "sarif", "examples/toolset"], cwd=SOURCE, stdout=open("/dev/full", "w"), stderr=subprocess.PIPE)
    case("check: a full disk is said", [] if full.returncode == 70 and b"cannot write" in full.stderr else [str(full)])


def widths():
    """Nothing that helps is wider than a terminal, but for what is to be copied."""
    for command in run(["help"]).stdout.decode().split("Exit codes")[0].splitlines():
        name = command[2:26].strip()
        if not command.startswith("  ") or name.startswith("ferrule"):
            continue
        lines = run(["help", *name.split()]).stdout.decode().split("\nExamples\n")[0].splitlines()
        wide = [line for line in lines if len(line) > 80 and "[OPTIONS]" not in line and not line.startswith("ferrule ")]
        if wide:
            case(f"help {name}: lines of 80 columns", wide)
    case("help: lines of 80 columns", [line for line in run(["help"]).stdout.decode().splitlines() if len(line) > 80])


def pipes():
    reader, writer = os.pipe()
    os.close(reader)
    child = subprocess.run([FERRULE, "list", "examples/toolset"], cwd=SOURCE, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    case("list: a closed pipe is no failure", [] if child.returncode == 0 and not child.stderr else [str(child.returncode)])
    full = subprocess.run([FERRULE, "list", "examples/toolset"], cwd=SOURCE, stdout=open("/dev/full", "w"), stderr=subprocess.PIPE)
    case("list: a full disk is a failure", [] if full.returncode not in (0, -11) else [str(full.returncode)])


def closed_streams():
    """A stream that is closed is no file of ours, and no reason to abort: its number must not go to a store or a socket."""
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ, HOME=home, XDG_CONFIG_HOME="", XDG_RUNTIME_DIR="", XDG_STATE_HOME="")
        for words in ("run text:count text=x", "tools text:count", "config check examples/serve/ferrule.yaml", "check examples/toolset/tickets.json"):
            for stream in (0, 1, 2):
                shell = f'exec "$0" {words} {stream}{"<" if stream == 0 else ">"}&-'
                child = subprocess.run(["sh", "-c", shell, FERRULE], cwd=SOURCE, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, env=env)
                wanted = 70 if stream == 1 else 0
                case(f"{words.split()[0]}: stream {stream} is closed", [] if child.returncode == wanted else [f"exit {child.returncode}: {child.stderr[-300:]}"])


def faults():
    inject([["check", "examples/toolset"], ["check", "-p", "tools_json,cursor", "examples/toolset/drafts.json"], ["profiles"], ["profiles", "show", "mcp"],
            ["blame", "examples/toolset/drafts.json", "--message", "tools.0.custom.name: x"], ["explain", "limit.depth"], ["reference", "profiles"], ["list", "--json", "examples/toolset/tickets.json"],
            ["show", "tickets:create_issue", "examples/toolset/tickets.json"], ["fmt", "examples/toolset/tickets.json"]])


def edges():
    """Limits of the command: at the limit all is well, one byte more is refused by name."""
    most = 1 << 20
    with tempfile.TemporaryDirectory() as folder:
        config, profile = os.path.join(folder, "c.json"), os.path.join(folder, "p.json")
        for name, text, args in (("a configuration", '{"rules":{}%s}', ["--config", config]),
                                 ("a profile", '{"name":"p","rules":{}%s}', ["-p", profile])):
            for more, code, says in ((0, 0, []), (1, 2, [f"{args[1]}: config.size: the limit is {most} bytes"])):
                with open(args[1], "w", encoding="utf-8") as file:
                    file.write(text % (" " * (most + more - len(text) + 2)))
                case(f"{name} of {most + more} bytes", expect(run(["check", *args], "[]"), code, [], says))
    message = "tools.0.custom.name: String should match pattern 'x'"
    for more, code, says in ((0, 0, []), (1, 2, ["blame.size: a message has at most 32768 bytes"])):
        long = message + "." * (32768 + more - len(message))
        case(f"blame: a message of {32768 + more} bytes", expect(run(["blame", "examples/toolset/drafts.json"], long), code, [], says))
        case(f"blame: --message of {32768 + more} bytes",
             expect(run(["blame", "examples/toolset/drafts.json", "--message", long]), code, [], says))


def one_request():
    """Budgets over several files: each is a set, or all are one."""
    def tools(first, last):
        return json.dumps([{"name": f"t{i}", "inputSchema": {"type": "object"}} for i in range(first, last + 1)], indent=1)
    with tempfile.TemporaryDirectory() as folder:
        for name, first, last in (("a", 1, 10), ("b", 11, 15), ("c", 16, 16), ("d", 3, 3), ("e", 17, 20)):
            with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
                file.write(tools(first, last))
        rules = ["check", "-p", "tools_json", "--severity", "object.closed=off", "--severity", "object.required-missing=off",
                 "--severity", "object.properties-missing=off", "--severity", "tool.keys=off", "--severity", "tool.schema-key=off",
                 "--severity", "description.empty=off"]
        def asked(*more):
            return run([*rules, *more], cwd=folder)
        over = "c.json:2:2: error[toolset.count, tools_json]: there are 16 tools, and at most 15 are allowed"
        case("one request: each file is a set by default", expect(asked("a.json", "b.json", "c.json"), 0, absent=["toolset.count"]))
        case("one request: 15 tools of two files hold", expect(asked("--one-request", "a.json", "b.json"), 0, absent=["toolset.count"]))
        case("one request: the sixteenth is over, wherever it is",
             expect(asked("--one-request", "a.json", "b.json", "c.json"), 1, [over, "tool 16 (t16)"]))
        case("one request: the text of another file is shown",
             expect(asked("--one-request", "a.json", "b.json", "c.json", "e.json"), 1,
                    ["c.json:2:2: error[toolset.count, tools_json]: there are 20 tools", "     2 |  {\n       |  ^"]))
        case("one request: names of two files are one too many",
             expect(asked("--one-request", "a.json", "d.json"), 1, ["d.json:3:11: error[toolset.duplicate, tools_json]"]))
        case("one request: in SARIF too", expect(asked("--one-request", "-f", "sarif", "a.json", "b.json", "c.json"), 1,
                                                 ['"uri":"c.json"},"region":{"startLine":2,"startColumn":2']))


def folders():
    """A folder inside another that nobody may open is one finding; the rest is read."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a/b", "a/c"):
            os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, "a", "good.json"), "w", encoding="utf-8") as file:
            file.write(GOOD)
        denied = run(["check", "a"], env={"FI": "opendir:EACCES@2"}, program=FAULTS, cwd=folder)
        case("check: a folder that may not be opened is one finding",
             expect(denied, 2, ["error[IoError]", "2 files, 1 tool: 1 error, 0 warnings; 1 file could not be read in full"]))


def plain(page):
    """What a page says without its notation: neither the mark that it is made, nor heads of tables, links, escapes."""
    lines, table = [], 0
    for line in page.split("\n"):
        table = table + 1 if line.startswith("|") else 0
        if line.startswith("<!-- ") or table in (1, 2):
            continue
        if table:
            line = "\t".join(cell.strip(" ") for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        line = re.sub(r"^# |^- ", "", line)
        line = re.sub(r"\[([^]]*)\]\(\.\./[^)]*\)", r"\1", line)
        lines.append(re.sub(r"\\([|<*\\])", r"\1", line))
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def pages():
    """Each rule and each profile has a page, and explain and profiles show print the same."""
    listed = run(["reference"]).stdout.decode().split()
    rules = [line.split()[0] for line in run(["explain"]).stdout.decode().splitlines()]
    profiles = [line.split("\t")[0] for line in run(["profiles"]).stdout.decode().splitlines()]
    wanted = [f"rules/{rule}" for rule in rules] + [f"profiles/{name}" for name in profiles]
    case("reference: a page for each rule and each profile", [p for p in wanted if p not in listed])
    problems = {"rules": [], "profiles": []}
    links = []
    for page in wanted[:: 8 if os.environ.get("FERRULE_INSTRUMENTED") else 1]:
        kind, name = page.split("/", 1)
        text = run(["reference", page]).stdout.decode()
        same = run(["explain", name] if kind == "rules" else ["profiles", "show", name]).stdout.decode()
        if plain(text) != same:
            problems[kind].append(f"{page}: {plain(text)!r} is not {same!r}")
        links += [f"{page}: {link}" for link in re.findall(r"\]\(\.\./([^)]*)\.md\)", text) if link not in listed]
    case("reference: explain prints the page of the rule", problems["rules"][:3])
    case("reference: profiles show prints the page of the profile", problems["profiles"][:3])
    case("reference: the pages link to pages that are there", links[:3])
    for index in ("rules", "profiles"):
        text = run(["reference", index]).stdout.decode()
        case(f"reference: the index of {index} has them all",
             [p for p in wanted if p.startswith(index) and f"]({p}.md)" not in text])


def completions():
    for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
        script = run(["completion", shell])
        problems = expect(script, 0, ["check"])
        case(f"completion: {shell}", problems)
        if not shutil.which(shell):
            skip(f"completion: {shell} parses it", f"{shell} is not installed")
            continue
        parsed = subprocess.run([*check, "/dev/stdin"], input=script.stdout, capture_output=True)
        case(f"completion: {shell} parses it", [] if parsed.returncode == 0 else [parsed.stderr.decode()[:300]])
    script = run(["completion", "bash"]).stdout.decode()
    for name, line, wanted in (("the values of an option", ["check", "--format", "s"], ["sarif"]),
                               ("rules", ["explain", "name.ch"], ["name.charset"]),
                               ("rules with a dollar", ["explain", "keyword.$s"], ["keyword.$schema"]),
                               ("codes", ["explain", "DuplicateK"], ["DuplicateKey"]),
                               ("commands", ["help", "valid"], ["validate"]),
                               ("pages", ["reference", "rules/limit.d"], ["rules/limit.depth"]),
                               ("profiles", ["profiles", "show", "mcp-2026"], ["mcp-2026-07-28"]),
                               ("profiles of an option", ["check", "-p", "mcp-2026"], ["mcp-2026-07-28"]),
                               ("clients", ["install", "curs"], ["cursor"]),
                               ("files", ["check", "READ"], ["README.md"]),
                               ("no files where none will do", ["explain", "READ"], [])):
        typed = " ".join(f"'{word}'" for word in ["ferrule", *line])
        ask = script + f'\nCOMP_WORDS=({typed}); COMP_CWORD={len(line)}; _ferrule; echo "${{COMPREPLY[@]}}"'
        answer = subprocess.run(["bash", "-c", ask], capture_output=True, cwd=SOURCE).stdout.decode().split()
        case(f"completion: bash offers {name}", [] if answer == wanted else [str(answer)])


rows()
shown()
configurations()
machine_formats()
terminals()
files()
review()
widths()
pipes()
closed_streams()
edges()
one_request()
folders()
pages()
faults()
completions()
finish()
