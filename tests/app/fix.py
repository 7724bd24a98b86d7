#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule check --fix, as its users meet it: files are rewritten where that loses nothing, keep their form, and are
whole whatever fails. Speaks TAP."""

import json
import os
import pty
import re
import subprocess
import tempfile

from command_line import FAULTS, FERRULE, case, expect, finish, run, skip

TOOL = """{
    "name": "set_level",
    "description": "Sets the level.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "level": {"type": "integer", "exclusiveMinimum": 0, "maximum": 3},
            "kind": {"const": "a"},
            "mode": {
                "oneOf": [
                    {"type": "string"},
                    {"type": "integer"}
                ]
            },
            "text": {"type": "string", "maxLength": 500}
        },
        "required": ["level"],
        "additionalProperties": false
    }
}
"""
FIXED = TOOL.replace('"exclusiveMinimum": 0, "maximum": 3', '"enum": [1, 2, 3]').replace('"oneOf"', '"anyOf"')
CHECK = ["check", "--no-quality", "--profile", "anthropic-strict"]


def put(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def get(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def same(path, expected):
    text = get(path)
    return [] if text == expected else [f"the file is {text!r}"]


def files(folder):
    path = put(folder, "t.json", TOOL)
    shown = run([*CHECK, "--dry-run", path])
    case("dry run: a diff, and nothing is written",
         expect(shown, 1, [f"--- {path}\n+++ {path}\n@@ -4,10 +4,10 @@\n", '-            "level": {"type": "integer", "exclusiveMinimum"',
                           '+                "anyOf": [\n                     {"type": "string"},\n'], ["R06", "R15"]) + same(path, TOOL))
    fixed = run([*CHECK, "--fix", path])
    case("fix: what loses nothing is rewritten, the rest is found", expect(fixed, 1, ["keyword.length-bounds", "1 error, "], ["R06", "R15"], ["keyword.oneOf"]) + same(path, FIXED))
    case("fix: a second time there is nothing to do", expect(run([*CHECK, "--fix", path]), 1, [], [], ["R06", "R15"]) + same(path, FIXED))
    case("fix: both accept the same calls", compare(folder))
    lines = put(folder, "t.jsonl", json.dumps(json.loads(TOOL)) + "\n" + json.dumps({**json.loads(TOOL), "name": "other"}) + "\n")
    run([*CHECK, "--fix", lines])
    expected = [{**json.loads(FIXED), "name": name} for name in ("set_level", "other")]
    got = [json.loads(line) for line in get(lines).splitlines()]
    case("fix: JSON Lines stay lines", [] if got == expected else [get(lines)])
    functions = put(folder, "f.json", json.dumps([{"type": "function", "function": {
        "name": "f", "parameters": json.loads(TOOL)["inputSchema"]}}], indent=1))
    run([*CHECK, "--fix", functions])
    case("fix: another shape", [] if json.loads(get(functions))[0]["function"]["parameters"] == json.loads(FIXED)["inputSchema"] else [get(functions)])
    yaml = put(folder, "t.yaml", "# mine\nname: t\ninputSchema: {type: object, properties: {a: {oneOf: [{type: string}, {type: integer}]}}}\n")
    before = get(yaml)
    case("fix: YAML keeps its comments", expect(run([*CHECK, "--fix", yaml]), 1, [], ["is not rewritten: it is YAML"]) + same(yaml, before))
    broken = put(folder, "b.json", '{"name": ')
    case("fix: what cannot be read is told and left", expect(run([*CHECK, "--fix", broken, path]), 2, ["InvalidJson"]) + same(broken, '{"name": '))


def worse(folder):
    """What one profile gains by a rewrite and another loses, or the same one elsewhere, is not written."""
    def rewritten(name, profiles, schema):
        path = put(folder, name, json.dumps({"name": "t", "description": "A tool.", "inputSchema": schema}))
        run(["check", "--no-quality", "--profile", profiles, "--fix", path])
        return json.loads(get(path))["inputSchema"]

    texts = {name: {"type": "string"} for name in ("from", "to")}
    either = {"type": "object", "properties": texts, "anyOf": [{"required": ["from"]}, {"required": ["to"]}]}
    got = rewritten("root.json", "openai-strict", either)
    case("fix: the root stays an object", [] if got == either else [f"the schema is {got}"])
    types = [{"type": "string"}, {"type": "integer"}]
    got = rewritten("one.json", "openai-strict", {**either, "properties": {**texts, "at": {"oneOf": types}}})
    expected = {**either, "properties": {**texts, "at": {"anyOf": types}}}
    case("fix: what is beside it is rewritten all the same", [] if got == expected else [f"the schema is {got}"])
    got = rewritten("any.json", "moonshot", {"$schema": "https://json-schema.org/draft/2020-12/schema"})
    case("fix: a root that says nothing is no anyOf of all types", [] if got == {} else [f"the schema is {got}"])
    node = {"type": "object", "properties": {name: {"type": "object"} for name in "xyz"}}
    many = {"type": "object", "properties": {name: {"$ref": "#/$defs/node", "minProperties": 1} for name in "abcd"}, "$defs": {"node": node}}
    got = rewritten("many.json", "openai-strict", many)
    case("fix: what is wrong once is not made wrong many times", [] if got == many else [f"the schema is {got}"])


def compare(folder):
    one = put(folder, "one.schema", json.dumps(json.loads(TOOL)["inputSchema"]))
    two = put(folder, "two.schema", json.dumps(json.loads(FIXED)["inputSchema"]))
    return expect(run(["schema", "compare", one, two]), 0, ["same: "])


def usage(folder):
    path = put(folder, "t.json", TOOL)
    case("no profile", expect(run(["check", "--fix", "--no-config", path]), 2, [], ["--fix rewrites for profiles"]))
    case("standard input", expect(run([*CHECK, "--fix", "-"], TOOL), 2, [], ["standard input is none"]))
    os.chmod(folder, 0o500)
    try:
        if os.access(folder, os.W_OK):  # root may
            return
        case("a folder that may not be written", expect(run([*CHECK, "--fix", path]), 2, [], ["IoError"]) + same(path, TOOL))
    finally:
        os.chmod(folder, 0o700)


def answers(folder):
    """At a terminal the changes are shown and asked for."""
    for answer, expected in (("n\n", TOOL), ("\n", TOOL), ("maybe\ny\n", FIXED)):
        path = put(folder, "t.json", TOOL)
        master, slave = pty.openpty()
        child = subprocess.Popen([FERRULE, *CHECK, "-q", "--fix", path], stdin=slave, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        os.write(master, answer.encode())
        child.wait(timeout=60)
        said = os.read(master, 65536).decode()
        os.close(master)
        case(f"terminal: {answer!r}", same(path, expected) + ([] if "Rewrite" in said and "+++ " in said else [said]))
    path = put(folder, "t.json", TOOL)
    master, slave = pty.openpty()
    child = subprocess.Popen([FERRULE, *CHECK, "-q", "--fix", "--yes", path], stdin=slave, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    child.wait(timeout=60)
    os.close(master)
    case("terminal: --yes", same(path, FIXED))


def faults(folder):
    """The file is the old one or the new one, whatever fails."""
    command, problems = [*CHECK, "-q", "--fix", put(folder, "t.json", TOOL)], []
    counts = dict(re.findall(r"FI: (\w+) (\d+)", run(command, env={"FI": "count"}, program=FAULTS).stderr.decode()))
    plans = [f"{kind}@{n}" for kind, count in counts.items() for n in range(1, int(count) + 1)]
    for plan in plans:
        path = put(folder, "t.json", TOOL)
        done = run(command, env={"FI": plan}, program=FAULTS)
        if get(path) not in (TOOL, FIXED):
            problems.append(f"{plan}: the file is damaged")
        if done.returncode not in (1, 2, 70):
            problems.append(f"{plan}: exit {done.returncode}")
    print(f"# {len(plans)} faults injected")
    case("faults: the file is whole", problems + ([] if len(plans) > 50 else ["hardly any fault was injected"]))


def read_only(folder):
    """A file that may not be written is not replaced either, though its folder could be."""
    path = put(folder, "t.json", TOOL)
    os.chmod(folder, 0o777)
    os.chmod(path, 0o444)

    def leave():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    for words in (["check", "--no-quality", "--fix", "-y", "-p", "anthropic-strict", path], ["fmt", "--write", path]):
        name = f"{words[0]}: a read-only file is left alone"
        try:
            r = subprocess.run([FERRULE, *words], capture_output=True, timeout=60, preexec_fn=leave)
        except PermissionError:
            skip(name, "no other user may run what was built here")
            continue
        case(name, expect(r, 2, [], ["cannot write", "Permission denied"]) + ([] if get(path) == TOOL else ["rewritten"]))


def main():
    for part in (read_only, files, worse, usage, answers, faults):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    finish()


main()
