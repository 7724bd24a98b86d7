#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writing tools: ferrule new, in scripts and at a terminal, and ferrule schema from-json. Speaks TAP."""

import json
import os
import pty
import subprocess
import tempfile

from command_line import FERRULE, case, expect, finish, inject, run

PATTERNS = ["none", "string", "enum", "objects", "one-of"]


def new_tools():
    for pattern in PATTERNS:
        for form in ("json", "yaml"):
            with tempfile.TemporaryDirectory() as folder:
                made = run(["new", "tickets:close_issue", "-p", pattern, "-f", form], cwd=folder)
                file = f"close_issue.{form}"
                problems = expect(made, 0, [file])
                if made.stderr:
                    problems.append(made.stderr.decode())
                problems += expect(run(["check", "--strict", file], cwd=folder), 0, ["1 tool: 0 errors, 0 warnings"], absent=["note"])
                if form == "json":
                    problems += expect(run(["fmt", "--check", file], cwd=folder), 0)
                case(f"new: {pattern} as {form} is clean", problems)


# name, arguments, exit code, in stdout, in stderr
NEW = [
    ("to standard output", ["new", "get_weather", "-o", "-"], 0, ['"name": "get_weather"', '"namespace": "local"', '"effect": "Pure"'], []),
    ("options", ["new", "get_weather", "-n", "w", "--version", "2.0.0", "-d", "Tells the weather.", "-e", "ExternalSideEffects", "-o", "-"], 0,
     ['"namespace": "w"', '"version": "2.0.0"', "Tells the weather. Use it", '"effect": "ExternalSideEffects"'], []),
    ("paging where it lists", ["new", "list_orders", "-o", "-"], 0, ['"pageToken"', '"nextToken"', '"items"'], []),
    ("a name that breaks a rule", ["new", "run", "-o", "-"], 0, ['"name": "run"'], ["warning[name.vague]"]),
    ("a description that says nothing", ["new", "get_x", "-d", "TODO", "-o", "-"], 1, [], ["error[desc.missing]"]),
    ("no name", ["new"], 2, [], ["needs the name"]),
    ("two names", ["new", "a", "b"], 2, [], ["one tool at a time"]),
    ("not a name", ["new", "a b"], 1, [], ["InvalidId"]),
    ("not a version", ["new", "a", "--version", "1", "-o", "-"], 1, [], ["ersion"]),
    ("two namespaces", ["new", "n:a", "-n", "m"], 2, [], ["twice"]),
    ("unknown pattern", ["new", "a", "-p", "two"], 2, [], ["one of none, string, enum, objects, one-of"]),
    ("a folder that is not there", ["new", "get_a", "-o", "/nonexistent/x.json"], 2, [], ["IoError", "cannot create"]),
]


def new_rows():
    for name, args, code, out, err in NEW:
        case("new: " + name, expect(run(args), code, out, err))
    with tempfile.TemporaryDirectory() as folder:
        run(["new", "get_a", "-o", "a.json"], cwd=folder)
        path = os.path.join(folder, "a.json")
        with open(path, "w") as f:
            f.write("mine")
        problems = expect(run(["new", "get_a", "-o", "a.json"], cwd=folder), 2, [], ["is there already", "--force"])
        problems += [] if open(path).read() == "mine" else ["it was replaced"]
        problems += expect(run(["new", "get_a", "-o", "a.json", "--force"], cwd=folder), 0)
        problems += [] if json.load(open(path))["name"] == "get_a" else ["it was not replaced"]
        case("new: a file is replaced with --force only", problems)


def at_terminal(args, answers, cwd):
    master, slave = pty.openpty()
    child = subprocess.Popen([FERRULE, *args], cwd=cwd, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    os.write(master, answers.encode())
    out = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    code = child.wait(timeout=60)
    os.close(master)
    return code, out.decode(errors="replace")


def at_terminals():
    with tempfile.TemporaryDirectory() as folder:
        code, out = at_terminal(["new"], "close_issue\ntickets\nCloses an issue.\nbad\nenum\n\n", folder)
        problems = [] if code == 0 else [f"exit {code}: {out}"]
        path = os.path.join(folder, "close_issue.json")
        if os.path.exists(path):
            tool = json.load(open(path))
            if tool["namespace"] != "tickets" or "detail" not in tool["inputSchema"]["properties"] or tool["effect"] != "IdempotentWrite":
                problems.append(str(tool))
        else:
            problems.append("no file: " + out)
        if out.count("Parameters (none, string") != 2:
            problems.append("a wrong answer is asked for again: " + out)
        case("new: asks at a terminal", problems)
        code, out = at_terminal(["new", "get_a"], "\x04", folder)
        case("new: the end of the input ends it", [] if code == 2 and "ended" in out else [f"{code} {out}"])


# name, arguments, stdin, exit code, in stdout, in stderr
FROM_JSON = [
    ("one example", ["-"], '{"a":1}', 0, ['"required": [\n    "a"\n  ]', '"additionalProperties": false'], []),
    ("lines", ["-i", "jsonl", "-"], '{"a":1}\n{"b":"2026-11-16"}\n', 0, ['"format": "date"'], []),
    ("YAML", ["-i", "yaml", "-"], "a: 1\n", 0, ['"integer"'], []),
    ("items of a list", ["--each", "-"], '[{"a":1},{"a":2,"b":true}]', 0, ['"b": {\n      "type": "boolean"'], []),
    ("a list", ["-"], "[1,2]", 0, ['"items"'], []),
    ("open", ["--open", "-"], '{"a":1}', 0, ['"a"'], []),
    ("no enums", ["--no-enums", "--each", "-"], '["a","b","a","b"]', 0, ['"string"'], []),
    ("not JSON", ["-i", "json", "-"], "{", 2, [], ["<stdin>:1:2", "InvalidJson"]),
    ("no examples", ["--each", "-"], "[]", 2, [], ["no example"]),
    ("missing file", ["/nonexistent.json"], "", 2, [], ["IoError"]),
    ("too deep", ["-"], "[" * 51 + "]" * 51, 2, [], ["infer.depth"]),
]


def from_json():
    for name, args, stdin, code, out, err in FROM_JSON:
        case("from-json: " + name, expect(run(["schema", "from-json", *args], stdin), code, out, err))
    with tempfile.TemporaryDirectory() as folder:
        calls = "".join(json.dumps({"id": f"x{i}", "when": "2026-11-%02d" % (i + 1), "n": i / 2}) + "\n" for i in range(20))
        for file, text in (("calls.jsonl", calls), ("schema.json", run(["schema", "from-json", "-i", "jsonl", "-"], calls).stdout.decode())):
            with open(os.path.join(folder, file), "w") as f:
                f.write(text)
        case("from-json: its schema takes its examples",
             expect(run(["validate", "--schema", "schema.json", "--assert-formats", "calls.jsonl"], cwd=folder), 0, ["20 valid"]))


def quality():
    drafts = run(["check", "-f", "json", "examples/toolset"])
    rules = {f["rule"] for f in json.loads(drafts.stdout)["findings"]}
    case("check: the rules of quality are asked", [r for r in ("desc.short", "ann.missing", "out.missing", "desc.param-missing") if r not in rules])
    plain = run(["check", "--no-quality", "-f", "json", "examples/toolset"])
    case("check: and left out when told", [f["rule"] for f in json.loads(plain.stdout)["findings"] if f["rule"] in ("desc.short", "ann.missing")])
    with tempfile.TemporaryDirectory() as folder:
        run(["new", "get_a", "-o", "a.json"], cwd=folder)
        run(["lock", "a.json"], cwd=folder)
        problems = expect(run(["check", "--lock", "ferrule.lock", "a.json"], cwd=folder), 0, ["0 errors, 0 warnings"])
        text = open(os.path.join(folder, "a.json")).read().replace("look something up", "look it up")
        with open(os.path.join(folder, "a.json"), "w") as f:
            f.write(text)
        says = ["warning[sec.rug-pull]: the definition is not the one in the lock, and the version is the same: description", "at /description"]
        for args in ([], ["--no-quality"]):
            problems += expect(run(["check", *args, "--lock", "ferrule.lock", "a.json"], cwd=folder), 0, says)
        problems += expect(run(["lock", "--verify", "a.json"], cwd=folder), 1, ["changed", "description"])
        problems += expect(run(["check", "--lock", "a.json", "a.json"], cwd=folder), 2, [], ["a.json", "this is no lock"])
        run(["new", "get_b", "-o", "b.json"], cwd=folder)
        problems += expect(run(["check", "--lock", "ferrule.lock", "b.json"], cwd=folder), 0, ["the tool is not in the lock"])
        case("check: a pinned definition may not change", problems)


new_tools()
new_rows()
at_terminals()
from_json()
quality()
inject([["new", "list_orders", "-o", "-"], ["schema", "from-json", "examples/orders/order.json"]])
finish()
