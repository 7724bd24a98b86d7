#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule convert and ferrule call-back, as their users meet them: shapes in and out, reports, maps, exit codes; then the
same while system calls fail. Speaks TAP."""

import json
import os
import tempfile

from command_line import case, expect, finish, inject, run

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer", "minimum": 1, "maximum": 3}},
          "required": ["q"]}
TOOL = {"name": "a.b", "description": "Finds.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
# name, a tool in a provider's shape
SHAPES = [
    ("mcp", {"tools": [{"name": "t", "inputSchema": SCHEMA}]}),
    ("openai", [{"type": "function", "function": {"name": "t", "parameters": SCHEMA}}]),
    ("openai-responses", [{"type": "function", "name": "t", "parameters": SCHEMA}]),
    ("anthropic", [{"name": "t", "input_schema": SCHEMA}]),
    ("gemini", [{"functionDeclarations": [{"name": "t", "parameters": {"type": "OBJECT", "properties": {"q": {"type": "STRING", "nullable": True}}}}]}]),
    ("bedrock", [{"toolSpec": {"name": "t", "inputSchema": {"json": SCHEMA}}}]),
]
# profile, the way to the schema in what is written
WIRES = [("openai", ["function", "parameters"]), ("openai-responses", ["parameters"]), ("anthropic", ["input_schema"]),
         ("bedrock", ["toolSpec", "inputSchema", "json"]), ("mcp", ["inputSchema"]), ("ollama", ["function", "parameters"])]


def write(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(value if isinstance(value, str) else json.dumps(value))
    return path


def convert(folder, value, to, *options):
    return run(["convert", "--to", to, *options, write(folder, "in.json", value)])


def shapes(folder):
    for name, value in SHAPES:
        for profile, _ in WIRES:
            result = convert(folder, value, profile, "--map", os.path.join(folder, "m"), "--report", "none")
            problems = expect(result, 0, [])
            if not problems:
                check = run(["check", "--no-config", "--no-quality", "-p", profile, write(folder, "out.json", json.loads(result.stdout))])
                problems = expect(check, 0, [])
            case(f"{name} to {profile}", problems)
    for profile, way in WIRES:
        entry = json.loads(convert(folder, [TOOL], profile, "--map", os.path.join(folder, "m"), "--report", "none").stdout)[0]
        for key in way:
            entry = entry.get(key, {})
        case(f"the schema for {profile}", [] if entry.get("properties") else [str(entry)])
    declared = json.loads(convert(folder, [TOOL], "gemini", "--map", os.path.join(folder, "m"), "--report", "none").stdout)
    case("declarations for Gemini", [] if declared[0]["functionDeclarations"][0]["parameters"] else [str(declared)])
    upper = json.loads(convert(folder, SHAPES[4][1], "groq-strict", "--map", os.path.join(folder, "m"), "--report", "none").stdout)
    kind = upper[0]["function"]["parameters"]["properties"]["q"]["type"]
    case("nullable of OpenAPI", [] if kind == ["string", "null"] else [str(upper)])


def reports(folder):
    mapped, told = os.path.join(folder, "m"), os.path.join(folder, "r")
    case("text on standard error", expect(convert(folder, [TOOL], "openai-strict", "--map", mapped), 0, ['"a_b"'],
                                          ["R09 adapter", "R10 narrower", "R24 adapter", "R30 docs-only", "1 of 1 tools converted"]))
    result = convert(folder, [TOOL], "openai-strict", "--map", mapped, "--report", "json", "--report-file", told)
    report = json.load(open(told))
    change = next(c for c in report["report"][0]["changes"] if c["rule"] == "R09")
    good = set(change) == {"rule", "pointer", "class", "before", "after", "reason", "adapter"} and change["pointer"] == "/parameters/properties/n" \
        and change["adapter"] == "drop-null" and report["refused"] == 0 and not result.stderr
    case("JSON in a file", [] if good else [str(report)])
    case("without a map", expect(convert(folder, [TOOL], "openai"), 1, [], ["R30 is destructive", "0 of 1 tools converted"]))
    case("by force", expect(convert(folder, [TOOL], "openai", "--force"), 0, ["a_b"], ["R30 destructive"]))
    many = [{"name": f"t{i}", "inputSchema": {"type": "object", "properties": {}}} for i in range(16)]
    case("a budget", expect(convert(folder, many, "tools_json", "--map", mapped), 1, ['"t15"'], ["the set: toolset.count", "16 of 16"]))
    for name, schema in (("inputSchema", '{"type":"object"}'), ("parameters", []), ("input_schema", True)):
        case(f"{name} that is none", expect(convert(folder, [{"name": "t", name: schema}], "openai", "--map", mapped), 1, [], ["refused: the input schema is no object", "0 of 1"]))
    case("no schema at all", expect(convert(folder, [{"type": "function", "function": {"name": "t", "parameters": None}}], "anthropic", "--map", mapped), 0, ['"t"'], ["1 of 1"]))
    out = os.path.join(folder, "o.json")
    case("to a file", expect(convert(folder, [TOOL], "mcp", "-o", out), 0, [], []) + ([] if json.load(open(out))[0]["name"] == "a.b" else ["name"]))


def back(folder):
    mapped = os.path.join(folder, "m")
    convert(folder, [TOOL], "openai-strict", "--map", mapped, "--report", "none")
    call = write(folder, "call.json", {"name": "a_b", "arguments": {"q": "x", "n": None}})
    case("a call", expect(run(["call-back", "--map", mapped, call]), 0, ['{"name":"a.b","arguments":{"q":"x"}}']))
    wrong = write(folder, "call.json", {"name": "a_b", "arguments": {"q": 1, "n": None}})
    case("a call that does not fit", expect(run(["call-back", "--map", mapped, wrong]), 1, [], ["do not fit the converted schema"]))
    other = write(folder, "call.json", {"name": "x", "arguments": {}})
    case("another tool", expect(run(["call-back", "--map", mapped, other]), 1, [], ['the map has no tool "x"']))
    case("what is no JSON", expect(run(["call-back", "--map", mapped, write(folder, "n", "nonsense")]), 2, [], ["/n:1:1:"]))
    case("no map", expect(run(["call-back", "--map", os.path.join(folder, "none"), call]), 2, [], ["No such file"]))
    case("another version", expect(run(["call-back", "--map", write(folder, "v", '{"mapVersion":2,"tools":[]}'), call]), 2, [], ["its version is not 1"]))
    records = json.loads(run(["convert", "--from-map", mapped]).stdout)
    case("the record again", [] if records == [TOOL] else [str(records)])
    schema = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "map.schema.json")
    case("the form of maps", expect(run(["validate", "-s", schema, "-i", "json", mapped]), 0, []))
    case("usage: call-back", expect(run(["call-back"]), 2, [], ["needs --map"]))
    case("usage: convert", expect(run(["convert"]), 2, [], ["--to PROFILE"]))
    case("usage: both", expect(run(["convert", "--to", "mcp", "--from-map", mapped]), 2, [], ["one of"]))
    case("no such profile", expect(convert(folder, [TOOL], "openay"), 2, [], ["openay"]))
    case("explain", expect(run(["explain", "R09"]), 0, ["optional as required and nullable", "object.all-required"]))


def faults(folder):
    tools, mapped = write(folder, "in.json", [TOOL]), os.path.join(folder, "m")
    run(["convert", "--to", "openai-strict", "--map", mapped, "--report", "none", tools])
    call = write(folder, "call.json", {"name": "a_b", "arguments": {"q": "x", "n": None}})
    inject([["convert", "--to", "groq-strict", "--no-witness", "--report", "none", "--map", mapped + "2", tools],
            ["call-back", "--map", mapped, call], ["convert", "--from-map", mapped]])


def main():
    for part in (shapes, reports, back, faults):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    finish()


main()
