#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule validate and ferrule schema, as their users meet them: rows, formats, streams, changed
instances, files that cannot be read, failing calls, and every example of the guide. Speaks TAP."""

import glob
import json
import os
import re
import resource
import subprocess
import tempfile

from command_line import FERRULE, SOURCE, case, expect, finish, inject, run, skip, terminal

ORDERS = "examples/orders/"
SMALL = "tests/app/data/"
SCHEMA = ORDERS + "order.schema.json"
TOOLS = os.environ.get("FERRULE_TOOLSETS", os.path.join(SOURCE, "../shared/data/tools"))
GOOD = '{"id":"AB-1","items":[{"sku":"x","quantity":1}]}'
BAD = '{"id":"AB-1","items":[{"sku":"x","quantity":"1"}]}'
V = ["validate", "--schema", SCHEMA]

# name, arguments, stdin, exit code, in stdout, in stderr
ROWS = [
    ("valid", [*V, ORDERS + "order.json"], "", 0, ["1 valid, 0 invalid\n"], []),
    ("invalid", [*V, ORDERS + "wrong.json"], "", 1,
     [ORDERS + "wrong.json:2:9: InvalidFormat: `id`", '     2 |   "id": "AB17",\n       |         ^~~~~~\n', "= at /id\n",
      "= schema: " + SCHEMA + ":8:41, https://example.com/order#/properties/id/pattern", "wrong.json:3:3: UnknownField", "hint: ",
      "0 valid, 1 invalid\n"], []),
    ("valid and invalid", [*V, ORDERS + "order.json", ORDERS + "wrong.json"], "", 1, ["1 valid, 1 invalid\n"], []),
    ("standard input", [*V, "-"], GOOD, 0, ["1 valid"], []),
    ("standard input by default", [*V], BAD, 1, ["<stdin>:1:45: InvalidType"], []),
    ("standard input as YAML", [*V, "--as", "yaml", "-"], "id: AB-1\nitems:\n  - {sku: x, quantity: no}\n", 1, ["<stdin>:3:24: InvalidType"], []),
    ("standard input guessed as YAML", [*V], "id: AB-1\nitems: []\n", 1, ["<stdin>:2:8: "], []),
    ("standard input guessed as JSON Lines", [*V], f"{GOOD}\n{BAD}\n{GOOD}\n", 1, ["<stdin>:2:45: InvalidType", "2 valid, 1 invalid"], []),
    ("standard input as JSON Lines", [*V, "--as", "jsonl"], f"\n{GOOD}\n\n", 0, ["1 valid, 0 invalid"], []),
    ("standard input as JSON is one document", [*V, "--as", "json"], f"{GOOD}\n{GOOD}\n", 2, ["<stdin>:2:1: InvalidJson"], []),
    ("JSON Lines of arrays are guessed", ["validate", "--schema", ORDERS + "money.schema.json"], "[1]\n[2]\n", 1, ["0 valid, 2 invalid"], []),
    ("a document over many lines is one", [*V], GOOD.replace(",", ",\n"), 0, ["1 valid"], []),
    ("nothing at all", [*V, "--as", "json"], "", 2, ["<stdin>:1:1: InvalidJson", "1 could not be read"], []),
    ("no JSON Lines at all", [*V, "--as", "jsonl"], "", 0, ["0 valid, 0 invalid"], []),
    ("YAML places", [*V, ORDERS + "order.yaml"], "", 1, ["order.yaml:3:11: InvalidEnumValue", "     3 | currency: GBP\n       |           ^~~\n"], []),
    ("JSON Lines with a bad line in the middle", [*V, ORDERS + "orders.jsonl"], "", 2,
     ["orders.jsonl:2:26: ", "orders.jsonl:3:56: InvalidJson", "orders.jsonl:4:54: InvalidType", "1 valid, 2 invalid, 1 could not be read"], []),
    ("carriage returns end lines too", [*V, "--as", "jsonl"], f"{GOOD}\r\n{BAD}\r\n", 1, ["<stdin>:2:45: InvalidType", "1 valid, 1 invalid"], []),
    ("a byte order mark at the start", [*V, "--as", "jsonl"], f"\ufeff{GOOD}\n", 0, ["1 valid"], []),
    ("a byte order mark behind the start", [*V, "--as", "jsonl"], f"{GOOD}\n\ufeff{GOOD}\n", 2, ["<stdin>:2:1: InvalidJson: a byte order mark"], []),
    ("missing instance", [*V, "/nonexistent.json", "-"], BAD, 2, ["IoError: cannot open /nonexistent.json", "InvalidType", "0 valid, 1 invalid, 1 could not be read"], []),
    ("quiet", [*V, "-q", ORDERS + "wrong.json"], "", 1, [], []),
    ("quiet and unreadable", [*V, "-q", "/nonexistent.json"], "", 2, [], ["cannot open /nonexistent.json"]),
    ("missing schema", ["validate", "-s", "/nonexistent.json", "-"], GOOD, 2, ["/nonexistent.json: IoError"], []),
    ("broken schema", ["validate", "-s", "-", ORDERS + "order.json"], '{\n"type": "objekt",\n"minimum": "3"}', 2,
     ["<stdin>:2:9: InvalidSchema", '     2 | "type": "objekt"', "<stdin>:3:12: InvalidSchema", "= at /minimum"], []),
    ("broken schema, quietly", ["validate", "-q", "-s", "-", ORDERS + "order.json"], '{"type":"objekt"}', 2, [], ["InvalidSchema: <stdin>:1:9: "]),
    ("schema that is not JSON", ["validate", "-s", "-", ORDERS + "order.json"], '{"type":', 2, ["<stdin>:1:9: InvalidJson"], []),
    ("schema of an unknown dialect", ["validate", "-s", "-", ORDERS + "order.json"], '{"$schema":"https://example.com/mine"}', 2, ["UnsupportedDialect"], []),
    ("schema as YAML", ["validate", "-s", "-", ORDERS + "order.json"], "type: object\nproperties:\n  id: {maxLength: 2}\n", 1, ["= schema: <stdin>:3:19, #/properties/id/maxLength"], []),
    ("schema that is true", ["validate", "-s", "-", ORDERS + "order.json"], "true", 0, ["1 valid"], []),
    ("dialect", ["validate", "-s", "-", "--dialect", "draft-04", ORDERS + "order.json"], '{"minimum":1,"exclusiveMinimum":true}', 0, ["1 valid"], []),
    ("dialect: another", ["validate", "-s", "-", ORDERS + "order.json"], '{"minimum":1,"exclusiveMinimum":true}', 2, ["InvalidSchema"], []),
    ("dialect: unknown", [*V, "--dialect", "draft-99", "-"], GOOD, 2, [], ["--dialect takes one of 2020-12"]),
    ("register: not there", ["validate", "-s", ORDERS + "invoice.schema.json", ORDERS + "invoice.json"], "", 2, ["invoice.schema.json:7:23: ExternalRef", "invoice.schema.json:8:23: ExternalRef"], []),
    ("register", ["validate", "-s", ORDERS + "invoice.schema.json", "-r", "https://example.com/order=" + SCHEMA,
                  "--register", "https://example.com/money=" + ORDERS + "money.schema.json", ORDERS + "invoice.json"], "", 1,
     ["invoice.json:3:12: OutOfRange", "= schema: https://example.com/money#/minimum"], []),
    ("register: no URI", [*V, "-r", "money.json", "-"], GOOD, 2, [], ["--register takes URI=FILE, not 'money.json'"]),
    ("register: missing file", [*V, "-r", "https://example.com/x=/nonexistent", "-"], GOOD, 2, ["/nonexistent: IoError"], []),
    ("register: not JSON", [*V, "-r", "https://example.com/x=Makefile", "-"], GOOD, 2, ["Makefile:"], []),
    ("no schema", ["validate", "-"], GOOD, 2, [], ["needs either --schema, or --tool and --tools"]),
    ("two schemas", [*V, "--tool", "a", "--tools", "b", "-"], GOOD, 2, [], ["needs either --schema, or --tool and --tools"]),
    ("tool without tools", ["validate", "--tool", "a", "-"], GOOD, 2, [], ["belong together"]),
    ("input and output", ["validate", "--tool", "a", "--tools", "b", "--input", "--output", "-"], GOOD, 2, [], ["exclude each other"]),
    ("output without a tool", [*V, "--output", "-"], GOOD, 2, [], ["choose a schema of a --tool"]),
    ("standard input twice", ["validate", "-s", "-", "-"], GOOD, 2, [], ["cannot be both"]),
    ("standard input twice, unsaid", ["validate", "-s", "-"], GOOD, 2, [], ["name the instances"]),
    ("unknown option", [*V, "--reapir", "-"], GOOD, 2, [], ["did you mean '--repair'?"]),
    ("unknown format", [*V, "-f", "xml", "-"], GOOD, 2, [], ["--format takes one of text, json"]),
    ("write without a change", [*V, "--write", "x", "-"], GOOD, 2, [], ["--write and --changes need"]),
    ("max-findings", [*V, "--max-findings", "1", ORDERS + "wrong.json"], "", 1, ["there are more findings than these 1 (--max-findings)"], []),
    ("max-findings: none", [*V, "--max-findings", "0", "-"], GOOD, 2, [], ["a number from 1 on, not '0'"]),
    ("max-findings: no number", [*V, "--max-findings", "many", "-"], GOOD, 2, [], ["not 'many'"]),
    ("formats are noted", ["validate", "-s", "tests/app/data/contact.schema.json"], '{"mail":"nobody"}', 0, ["1 valid"], []),
    ("formats are asserted", ["validate", "-s", "tests/app/data/contact.schema.json", "--assert-formats"], '{"mail":"nobody"}', 1, ["InvalidFormat: `mail`"], []),
    ("content is noted", ["validate", "-s", "tests/app/data/contact.schema.json"], '{"card":"{"}', 0, ["1 valid"], []),
    ("content is asserted", ["validate", "-s", "tests/app/data/contact.schema.json", "--assert-content"], '{"card":"{"}', 1, ["`card`"], []),
    ("machine code: good", [*V, "--native", "-"], GOOD, 0, ["1 valid"], []),
    ("machine code: bad", [*V, "--native", "-"], BAD, 1, ["InvalidType"], []),
    ("hide-values", [*V, "--hide-values", "-f", "json"], BAD.replace('"1"', '"secret"'), 1, ["InvalidType"], []),
    ("hide-values: as text", [*V, "--hide-values"], BAD.replace('"1"', '"secret"'), 1, ["<stdin>:1:45: InvalidType"], []),
    ("log", [*V, "--log-level", "info"], GOOD, 0, ["1 valid"], ['"event":"input.validated"', '"valid":1']),
    ("tool", ["validate", "--tool", "tickets:create_issue", "--tools", "examples/toolset"], '{"projectId":"p","title":1}', 1,
     ["<stdin>:1:26: InvalidType", "= schema: examples/toolset/tickets.json:15:29, #/properties/title/type"], []),
    ("tool: input", ["validate", "--tool", "mcp::tickets::create_issue", "--tools", "examples/toolset", "--input"], '{"projectId":"p","title":"t"}', 0, ["1 valid"], []),
    ("tool: output", ["validate", "--tool", "tickets:create_issue", "--tools", "examples/toolset", "--output"], "{}", 1, ["RequiredMissing: `number`"], []),
    ("tool: no outputSchema", ["validate", "--tool", "a", "--tools", "-", "--output", ORDERS + "wrong.json"], '{"name":"a","inputSchema":{"type":"object"}}', 0, ["1 valid"], []),
    ("tool: no inputSchema", ["validate", "--tool", "a", "--tools", "-", ORDERS + "wrong.json"], '[{"name":"a","description":"d"}]', 2, ["InvalidSchema"], []),
    ("tool: not there", ["validate", "--tool", "nope", "--tools", "examples/toolset", "-"], "{}", 2, [], ["ToolNotFound"]),
    ("tool: broken schema", ["validate", "--tool", "b", "--tools", "-", ORDERS + "wrong.json"],
     '[{"name":"a","inputSchema":{"type":"object"}},\n{"name":"b","inputSchema":{"type":"object","maximum":"x"}}]', 2, ["<stdin>:2:54: InvalidSchema"], []),
    ("tool: no such folder", ["validate", "--tool", "b", "--tools", "/nonexistent", "-"], "{}", 2, ["IoError"], []),
    ("folder of instances", [*V, ORDERS], "", 2, ["could not be read"], []),
    ("folder without instances", [*V, "tools"], "", 2, ["tools: IoError: no .json", "1 could not be read"], []),
    ("github", [*V, "-f", "github", ORDERS + "order.yaml"], "", 1, ["::error file=examples/orders/order.yaml,line=3,col=11,title=InvalidEnumValue::", "::notice title=ferrule::0 valid, 1 invalid, 0 unreadable"], []),
    ("schema: no verb", ["schema"], "", 2, [], ["schema lint", "schema convert-dialect"]),
    ("schema: help", ["schema", "--help"], "", 0, ["schema lint", "work on JSON Schemas"], []),
    ("schema: help of the group", ["help", "schema"], "", 0, ["schema bundle"], []),
    ("schema: help of a verb", ["help", "schema", "lint"], "", 0, ["ferrule schema lint [OPTIONS]", "--strict"], []),
    ("schema: misspelt", ["schema", "lnt"], "", 2, [], ["did you mean 'schema lint'?"]),
    ("schema: unknown", ["schema", "zzzzzzz"], "", 2, [], ["there is no command 'schema zzzzzzz'\n"]),
    ("schema: help of an unknown verb", ["help", "schema", "zzz"], "", 2, [], ["there is no command 'schema zzz'"]),
    ("compare: the same", ["schema", "compare", "-", SMALL + "integers-from-1.json"], '{"type":"integer","exclusiveMinimum":0}', 0, ["same: both accept the same instances\n"], []),
    ("compare: wider", ["schema", "compare", SMALL + "integers-from-1.json", "-"], '{"type":"integer","minimum":0}', 1, ["wider: ", "only the second accepts: 0\n"], []),
    ("compare: narrower", ["schema", "compare", "--json", SMALL + "integers-from-1.json", "-"], '{"type":"integer","minimum":2}', 1, ['{"relation":"narrower","onlyFirst":1}\n'], []),
    ("compare: different", ["schema", "compare", "--json", SMALL + "integers-from-1.json", "-"], '{"type":"string"}', 1, ['{"relation":"different","onlyFirst":'], []),
    ("compare: nothing", ["schema", "compare", SMALL + "integers-from-1.json", "-"], '{"type":"integer","allOf":[{"minimum":2},{"maximum":1}]}', 1, ["narrower: ", "the second accepts nothing\n"], []),
    ("compare: one schema", ["schema", "compare", SMALL + "integers-from-1.json"], "", 2, [], ["schema compare needs two schemas"]),
    ("compare: not a schema", ["schema", "compare", SMALL + "integers-from-1.json", "-"], '{"type":7}', 2, [], ["<stdin>:1:9: InvalidSchema: "]),
    ("compare: missing", ["schema", "compare", "/nonexistent.json", "-"], "{}", 2, [], ["cannot open /nonexistent.json"]),
    ("lint: a folder without schemas", ["schema", "lint", SCHEMA, "docs/reference/rules"], "", 2, ["docs/reference/rules: error[IoError]: no .json"], []),
    ("lint: clean", ["schema", "lint", SCHEMA], "", 0, ["1 schema: 0 errors, 0 warnings"], []),
    ("lint: warnings", ["schema", "lint", ORDERS + "old.schema.json"], "", 0, ["old.schema.json:4:3: warning[unknown-keyword]", "`propertees`"], []),
    ("lint: strict", ["schema", "lint", "--strict", ORDERS + "old.schema.json"], "", 1, ["warning[unknown-keyword]"], []),
    ("lint: errors", ["schema", "lint", "-"], '{"type":"objekt","required":[1]}', 1, ["<stdin>:1:9: error[", "<stdin>:1:30: error[", "1 schema: 2 errors"], []),
    ("lint: quiet", ["schema", "lint", "-q", "-"], '{"type":"objekt"}', 1, [], []),
    ("lint: not JSON", ["schema", "lint", "-", SCHEMA], '{"type":', 2, ["error[InvalidJson]", "2 schemas: 1 error"], []),
    ("lint: missing", ["schema", "lint", "-q", "/nonexistent.json", SCHEMA], "", 2, [], ["cannot open /nonexistent.json"]),
    ("lint: folder", ["schema", "lint", ORDERS], "", 2, [], []),
    ("lint: registered", ["schema", "lint", "-r", "https://example.com/order=" + SCHEMA, "-r", "https://example.com/money=" + ORDERS + "money.schema.json",
                          ORDERS + "invoice.schema.json"], "", 0, ["1 schema: 0 errors"], []),
    ("lint: not registered", ["schema", "lint", ORDERS + "invoice.schema.json"], "", 1, ["2 errors"], []),
    ("lint: github", ["schema", "lint", "-f", "github", ORDERS + "old.schema.json"], "", 0, ["::warning file=examples/orders/old.schema.json,line=4"], []),
    ("reference: limits of schemas", ["reference", "limits"], "", 0, ["| `schema.subschemas` | 10000 | 1000000 |", "| `validate.findings` | 100 | 100 |"], []),
    ("reference: commands of a group", ["reference", "cli"], "", 0, ["## ferrule schema lint", "## ferrule validate"], []),
    ("reference: man page", ["reference", "man"], "", 0, ["## ferrule schema convert-dialect FILE"], []),
]

AUTHORING = [
    ("info", ["schema", "info", SCHEMA], "", 0, ["dialect\t2020-12\n", "parameter\tid\tstring\trequired\t\tTwo letters and a number\n", 'parameter\tcurrency\t'], []),
    ("info: missing", ["schema", "info", "/nonexistent.json"], "", 2, [], ["/nonexistent.json: IoError"]),
    ("info: broken", ["schema", "info", "-"], '{"type":"objekt"}', 2, [], ["<stdin>:1:9: InvalidSchema", "^~~"]),
    ("info: two", ["schema", "info", SCHEMA, SCHEMA], "", 2, [], ["needs one schema"]),
    ("bundle: not registered", ["schema", "bundle", ORDERS + "invoice.schema.json"], "", 2, [], ["ExternalRef"]),
    ("bundle: nothing", ["schema", "bundle"], "", 2, [], ["needs one schema"]),
    ("convert: no target", ["schema", "convert-dialect", SCHEMA], "", 2, [], ["needs --to"]),
    ("convert: unknown target", ["schema", "convert-dialect", "--to", "draft-99", SCHEMA], "", 2, [], ["--to takes one of"]),
    ("convert: up", ["schema", "convert-dialect", "--to", "2020-12", ORDERS + "old.schema.json"], "", 0, ['"$schema": "https://json-schema.org/draft/2020-12/schema"', '"prefixItems"', '"$defs"'], ["changed"]),
    ("convert: down, and something is lost", ["schema", "convert-dialect", "--to", "draft-04", SCHEMA], "", 1, ['"id": "https://example.com/order"'],
     ["order.schema.json:19:32: lost: /properties/items/items/properties/quantity/type", "changed: /$id"]),
]


def rows(table):
    for name, args, stdin, code, out, err in table:
        result = run(args, stdin)
        problems = expect(result, code, out, err)
        if "quiet" in name and result.stdout:
            problems.append(f"stdout is not empty: {result.stdout!r}")
        if name.startswith("hide-values") and b"secret" in result.stdout:
            problems.append("the message holds the value")
        case(name, problems)


def formats():
    both = [*V, ORDERS + "order.json", ORDERS + "orders.jsonl"]
    report = json.loads(run([*both, "-f", "json"]).stdout)
    first = report["findings"][0]
    problems = [] if (report["valid"], report["invalid"], report["unreadable"], report["files"]) == (2, 2, 1, 2) else [str(report)]
    line = open(os.path.join(SOURCE, ORDERS, "orders.jsonl"), "rb").read()
    problems += [f"the offset of {f['pointer']} is off" for f in report["findings"]
                 if "offset" in f and line[:f["offset"]].count(b"\n") + 1 != f["line"]]
    for key in ("code", "file", "line", "column", "pointer", "field", "keyword", "keywordLocation", "absoluteKeywordLocation",
                "schemaFile", "schemaLine", "schemaColumn", "message"):
        if key not in first:
            problems.append(f"no {key}")
    case("json: parses, counts and offsets", problems)
    sarif = json.loads(run([*both, "-f", "sarif"]).stdout)["runs"][0]
    ids = {r["id"] for r in sarif["tool"]["driver"]["rules"]}
    problems = [f"rule {r['ruleId']} is not declared" for r in sarif["results"] if r["ruleId"] not in ids]
    problems += [] if len(sarif["results"]) == 3 and sarif["invocations"][0]["executionSuccessful"] is False else [str(sarif["results"])]
    region = sarif["results"][-1]["locations"][0]["physicalLocation"]["region"]
    problems += [] if region == {"startLine": 4, "startColumn": 54, "endColumn": 57} else [str(region)]
    case("sarif: parses, rules declared, regions right", problems)
    for form in ("flag", "basic", "detailed", "list", "hierarchical"):
        result = run([*both, "-f", form])
        verdicts = [json.loads(x)["valid"] for x in result.stdout.decode().splitlines()]
        problems = expect(result, 2, [], ["InvalidJson"])
        case(f"{form}: a line for each instance", problems + ([] if verdicts == [True, True, False, False, False] else [str(verdicts)]))
    noted = json.loads(run([*V, "-f", "list", "--annotations", ORDERS + "order.json"]).stdout)
    case("list: annotations", [] if any("annotations" in d for d in noted.get("details", [])) else [str(noted)])
    broken = run(["validate", "-s", "-", "-f", "json", ORDERS + "order.json"], '{"type":"objekt"}')
    found = json.loads(broken.stdout)["findings"]
    case("json: a broken schema is a finding", [] if broken.returncode == 2 and found[0]["code"] == "InvalidSchema" else [str(found)])
    for form in ("json", "sarif"):
        lint = run(["schema", "lint", "-f", form, ORDERS + "old.schema.json"])
        json.loads(lint.stdout)
        case(f"lint: {form} parses", expect(lint, 0))
    bell = run([*V, "--color", "never"], '{"id":"\\u001b[31m\\u202e","\\u0007":1,"items":[{"sku":"\\u001b","quantity":"\\u001b"}]}')
    case("control and direction characters never reach a terminal", expect(bell, 1, absent=["\x1b", "\x07", "\u202e"]))


def changes():
    wrong, given = ORDERS + "wrong.json", open(os.path.join(SOURCE, ORDERS + "wrong.json")).read()
    all_four = ["--fill-defaults", "--repair", "--strip-unknown", "--null-to-absent"]
    result = run([*V, *all_four, wrong])
    problems = expect(result, 1, [], ['replace /items/0/quantity: "2" -> 2 (repair)', 'remove /curency: "EUR" (unknown)', "0 valid, 1 invalid"])
    changed = json.loads(result.stdout)
    if changed["items"][0]["quantity"] != 2 or "curency" in changed:
        problems.append(str(changed))
    case("repair and strip-unknown: the instance on stdout, the report on stderr", problems)
    filled = run([*V, "--fill-defaults", ORDERS + "order.json"])
    case("fill-defaults", expect(filled, 0, ['"currency": "EUR"'], ['add /currency: "EUR" (default)', "1 valid"]))
    absent = run([*V, "--null-to-absent"], GOOD.replace("}]}", '}],"currency":null}'))
    case("null-to-absent", expect(absent, 0, ['"id": "AB-1"'], ["remove /currency: null (null)"], absent=['"currency"']))
    hidden = run([*V, "--repair", "--hide-values"], BAD)
    case("hide-values: changes", expect(hidden, 0, [], ["replace /items/0/quantity (repair)"]))
    unchanged = run([*V, "--repair"], GOOD)
    case("nothing to change", [] if json.loads(unchanged.stdout) == json.loads(GOOD) and unchanged.returncode == 0 else [str(unchanged)])
    silent = run([*V, "-q", "--repair"], BAD)
    case("quiet still prints the instance", ([] if json.loads(silent.stdout)["items"][0]["quantity"] == 1 else ["no"]) + ([silent.stderr] if silent.stderr else []))
    listed = run([*V, "--repair", "--changes"], f"{BAD}\n{GOOD}\n")
    lists = [json.loads(x) for x in listed.stdout.decode().splitlines()]
    good = [x["line"] for x in lists] == [1, 2] and lists[0]["changes"] == [
        {"op": "replace", "path": "/items/0/quantity", "was": "1", "value": 1, "why": "repair"}] and lists[1] == {
        "file": "<stdin>", "line": 2, "valid": True, "changes": []}
    case("changes: a line of JSON for each instance", expect(listed, 0, [], ["2 valid"]) + ([] if good else [str(lists)]))
    lines = run([*V, "--repair"], f"{BAD}\n{GOOD}\n{{\n")
    case("JSON Lines stay lines", expect(lines, 2, ['{"id":"AB-1","items":[{"sku":"x","quantity":1}]}\n' * 2], ["<stdin>:3:2: InvalidJson"]))
    big = run(["validate", "-s", "-", "--repair", "--changes", ORDERS + "order.json"], "true")
    case("changes: none", expect(big, 0, ['"changes":[]']))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        open(path, "w").write("before")
        os.chmod(path, 0o640)
        problems = expect(run([*V, "--repair", "--write", path], BAD), 0, ["1 valid"], ["(repair)"])
        if json.load(open(path))["items"][0]["quantity"] != 1 or os.stat(path).st_mode & 0o777 != 0o640:
            problems.append(open(path).read())
        case("write: replaces the file, keeps its mode, reports on stdout", problems)
        both = run([*V, "--repair", "--changes", "-w", path], BAD)
        case("write and changes", expect(both, 0, ['"why":"repair"'], ["1 valid"]) + ([] if json.load(open(path)) else ["empty"]))
        case("write: into nowhere", expect(run([*V, "--repair", "-w", folder + "/none/x"], BAD), 2, [], ["IoError"]))
        case("write: to a folder", expect(run([*V, "--repair", "-w", folder], BAD), 2, [], ["IoError"]))
        case("write: to a full disk", expect(run([*V, "--repair", "-w", "/dev/full"], BAD), 2, [], ["IoError: cannot write /dev/full"]))
        broken = run(["validate", "-s", "-", "--repair", "-w", path, wrong], '{"type":"objekt"}')
        case("write: a broken schema leaves the file alone", expect(broken, 2) + ([] if json.load(open(path)) else ["gone"]))
        same = os.path.join(folder, "same.json")
        open(same, "w").write(BAD)
        case("write: onto the instance itself", expect(run([*V, "--repair", "-w", same, same]), 0) + ([] if json.load(open(same))["items"][0]["quantity"] == 1 else ["not written"]))
        case("write: nothing is left beside", [n for n in os.listdir(folder) if n.endswith(".new")])
    case("the instance given is never touched", [] if open(os.path.join(SOURCE, wrong)).read() == given else ["changed"])


def streams():
    """Memory must not grow with the number of lines; the child's peak is what counts."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "many.jsonl")
        with open(path, "w") as f:
            for i in range(200000):
                f.write('{"id":"AB-%d","items":[{"sku":"x","quantity":%d}]}\n' % (i, 0 if i == 100000 else 1))

        def peak(args):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
                code = subprocess.call([FERRULE, *args], cwd=SOURCE, stdin=open(path))
                os.write(write, f"{code} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}".encode())
                os._exit(0)
            os.waitpid(child, 0)
            code, size = os.read(read, 100).split()
            os.close(read), os.close(write)
            return int(code), int(size)

        limit = 64 << 10 if not os.environ.get("FERRULE_INSTRUMENTED") else 1 << 20
        for name, args in (("a file", [*V, path]), ("standard input", [*V, "-"]), ("standard input, said", [*V, "--as", "jsonl", "-f", "json"]),
                           ("basic", [*V, "-f", "basic", path]), ("repair", [*V, "--repair", "-q", path])):
            code, size = peak(args)
            case(f"200,000 lines in flat memory: {name}", [] if code == 1 and size < limit else [f"exit {code}, {size} KiB"])
        found = run([*V, path])
        case("200,000 lines: the one that is wrong", expect(found, 1, [path + ":100001:50: OutOfRange", "199999 valid, 1 invalid"]))
        text = terminal([*V, "--color", "never", path])
        case("200,000 lines on a terminal", [] if "199999 valid, 1 invalid" in text else [text[-200:]])
        reader, writer = os.pipe()
        os.close(reader)
        child = subprocess.run([FERRULE, *V, "-f", "flag", path], cwd=SOURCE, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        case("a closed pipe is not a crash", [] if child.returncode == 1 and not child.stderr else [str(child)])
    full = subprocess.run([FERRULE, *V, ORDERS + "wrong.json"], cwd=SOURCE, stdout=open("/dev/full", "w"), stderr=subprocess.PIPE)
    case("a full disk is said", [] if full.returncode == 70 and b"cannot write" in full.stderr else [str(full)])


def files():
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "a.json"), "w").write(GOOD)
        open(os.path.join(folder, "b.jsonl"), "w").write(f"{GOOD}\n{BAD}\n")
        open(os.path.join(folder, "c.yaml"), "w").write("id: AB-1\nitems: [{sku: x, quantity: 1}]\n")
        open(os.path.join(folder, "d.txt"), "w").write("no")
        case("a folder", expect(run([*V, folder]), 1, ["b.jsonl:2:45: InvalidType", "3 valid, 1 invalid\n"]))
        os.symlink("/nonexistent", os.path.join(folder, "a0.json"))
        case("an unreadable file does not stop the others", expect(run([*V, folder]), 2, ["a0.json: IoError", "3 valid, 1 invalid, 1 could not be read"]))
        odd = os.path.join(folder, "odd\x1bname")
        open(odd, "w").write(BAD)
        case("a name with control characters", expect(run([*V, odd]), 1, ["InvalidType"], absent=["\x1b"]))
    text = terminal([*V, ORDERS + "wrong.json"])
    case("colour on a terminal", [] if "\x1b[1;31mInvalidFormat" in text and "0 valid, " in text else [text[:300]])
    case("no colour in a pipe", expect(run([*V, ORDERS + "wrong.json"]), 1, absent=["\x1b"]))
    fixed = terminal([*V, "--repair", ORDERS + "wrong.json"])
    case("repair on a terminal", [] if "(repair)" in fixed else [fixed[:300]])


def toolsets():
    """Real toolsets: the arguments {} are validated against every tool's schema."""
    paths = sorted(glob.glob(TOOLS + "/*.json"))[: 10 if os.environ.get("FERRULE_INSTRUMENTED") else 40]
    if not paths:
        skip("real toolsets", "there are none here")
        return
    problems, tools = [], 0
    for path in paths:
        listed = run(["list", "--json", path])
        if listed.returncode != 0:
            continue
        ids = [t["id"] for t in json.loads(listed.stdout)][:3]
        for tool in ids:
            tools += 1
            for side in ("--input", "--output"):
                result = run(["validate", "-f", "json", "--tool", tool, "--tools", path, side], "{}")
                if result.returncode not in (0, 1, 2) or (result.returncode == 2 and b"Schema" not in result.stdout and b"Ref" not in result.stdout):
                    problems.append(f"{path} {tool} {side}: exit {result.returncode} {(result.stdout + result.stderr)[-200:]!r}")
                else:
                    json.loads(result.stdout)
    case(f"{tools} tools of {len(paths)} real toolsets", problems)


def authoring():
    rows(AUTHORING)
    about = json.loads(run(["schema", "info", "--json", SCHEMA]).stdout)
    currency = [p for p in about["parameters"] if p["name"] == "currency"]
    case("info: JSON", [] if about["dialect"] == "2020-12" and about["subschemas"] > 5 and currency and currency[0]["default"] == "EUR" else [str(about)])
    table = terminal(["schema", "info", SCHEMA])
    case("info: a table on a terminal", [] if "REQUIRED" in table and "currency" in table else [table[:300]])
    inject([["schema", "info", SCHEMA]])


def bundles():
    both = ["-r", "https://example.com/order=" + SCHEMA, "-r", "https://example.com/money=" + ORDERS + "money.schema.json"]
    bundled = run(["schema", "bundle", *both, ORDERS + "invoice.schema.json"])
    alone = json.loads(bundled.stdout)
    case("bundle", expect(bundled, 0, ['\n  "$defs"']) + ([] if "$defs" in alone else [str(alone)]))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "b.json")
        open(path, "wb").write(bundled.stdout)
        case("bundle: stands alone", expect(run(["validate", "-s", path, ORDERS + "invoice.json"]), 1, ["OutOfRange"]))
    inject([["schema", "bundle", *both, ORDERS + "invoice.schema.json"]])


def conversions():
    convert = ["schema", "convert-dialect", "--to"]
    first = run([*convert, "2020-12", "--json", ORDERS + "old.schema.json"])
    converted = json.loads(first.stdout)
    case("convert: JSON", [] if "$schema" in converted["schema"] and converted["changes"] else [str(converted)])
    down = json.loads(run([*convert, "draft-07", "--json", SCHEMA]).stdout)
    case("convert: down to draft-07", [] if "draft-07" in down["schema"]["$schema"] else [str(down)])
    from_4 = run([*convert, "2020-12", "--from", "draft-04", "-"], '{"minimum":1,"exclusiveMinimum":true}')
    case("convert: from", expect(from_4, 0, ['"exclusiveMinimum": 1']))
    inject([[*convert, "2020-12", ORDERS + "old.schema.json"]])


def guide():
    """The commands of the guide run; what they print is compared by `make check`."""
    text = open(os.path.join(SOURCE, "docs/validate.md")).read()
    env = dict(os.environ, PATH=os.path.dirname(os.path.abspath(FERRULE)) + ":" + os.environ["PATH"])
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for command in re.findall(r"^\$ (.*)$", block, flags=re.M):
            done = subprocess.run(["bash", "-c", command], cwd=SOURCE, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            said = done.stdout.decode()
            usage = "ferrule help" in said or done.returncode not in (0, 1, 2)
            case(f"guide: {command}", [said[:300]] if usage or not said else [])


rows(ROWS)
formats()
changes()
streams()
files()
toolsets()
authoring()
bundles()
conversions()
guide()
inject([[*V, ORDERS + "wrong.json"], [*V, "-f", "json", ORDERS + "orders.jsonl"], [*V, "--fill-defaults", "--repair", ORDERS + "order.yaml"],
        ["validate", "--tool", "tickets:create_issue", "--tools", "examples/toolset/tickets.json", ORDERS + "order.json"],
        ["schema", "lint", ORDERS + "old.schema.json"]])
finish()
