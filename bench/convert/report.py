#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converters side by side: Ferrule and those that npm has, on the same real tools, judged in the same way.

    python3 bench/convert/report.py [--build DIR] [--tools N] [--json FILE] [--write]

Tools are drawn from FERRULE_TEST_DATA/tools by the SHA-256 of file and name, so that everybody draws the same. Of
each converted schema is asked: does it pass the profile it was made for (`ferrule check`); does it accept anything
at all; does it let a call through that the tool's own schema refuses (after Ferrule's call-back, for Ferrule);
does it lose a call that the tool's own schema takes. Members that no schema declares are not counted. Answers come
from `ferrule schema compare`, which proves or shows an instance. --write puts the table into docs/BENCHMARKS.md."""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = {
    "@anthropic-ai/sdk": "1.8.0", "openai": "7.53.0", "@ai-sdk/google": "4.0.117", "@ai-sdk/anthropic": "4.0.102",
    "@google/genai": "2.32.0", "@langchain/core": "1.2.13", "@langchain/google-genai": "2.3.2",
    "@mastra/schema-compat": "1.3.11", "zod": "4.6.7",
}
# The profile that each converter writes for, and the package that says which version.
CONVERTERS = {
    "anthropic-sdk": ("anthropic-strict", "@anthropic-ai/sdk"),
    "ai-sdk-anthropic": ("anthropic-strict", "@ai-sdk/anthropic"),
    "openai-sdk": ("openai-strict", "openai"),
    "mastra-openai": ("openai-strict", "@mastra/schema-compat"),
    "langchain-google": ("gemini-openapi", "@langchain/google-genai"),
    "mastra-google": ("gemini-openapi", "@mastra/schema-compat"),
    "google-genai": ("gemini-json", "@google/genai"),
    "ai-sdk-google": ("gemini-json", "@ai-sdk/google"),
}
SHAPE = {"openai": "parameters", "anthropic": "input_schema", "gemini-openapi": "parameters", "gemini-json": "parametersJsonSchema"}
BEGIN, END = "<!-- converting: begin, written by bench/convert/report.py -->", "<!-- converting: end -->"
COLUMNS = ["no schema", "fails the profile", "accepts nothing", "lets wrong calls through", "loses calls", "exact", "not decided"]


# ---- tools and schemas --------------------------------------------------------------------------


def draw(count):
    """The tools, in an order that nobody chose."""
    root = pathlib.Path(os.environ.get("FERRULE_TEST_DATA", "../shared/data")) / "tools"
    found = []
    for file in sorted(root.glob("*.json")):
        for tool in json.loads(file.read_text())["tools"]:
            rank = hashlib.sha256(f"{file.stem}:{tool['name']}".encode()).hexdigest()
            found.append((rank, f"{file.stem}:{tool['name']}", tool))
    return [(name, tool) for _, name, tool in sorted(found, key=lambda t: t[0])[:count]]


SCHEMAS_IN = {"properties": "map", "patternProperties": "map", "$defs": "map", "definitions": "map", "items": "one",
              "additionalProperties": "one", "anyOf": "list", "oneOf": "list", "prefixItems": "list"}


def walk(schema, visit):
    """A copy with `visit` done to every subschema, the inner ones first; below allOf and not nothing is touched."""
    if isinstance(schema, list):
        return [walk(s, visit) for s in schema]
    if not isinstance(schema, dict):
        return schema
    new = dict(schema)
    for key, kind in SCHEMAS_IN.items():
        value = new.get(key)
        if kind == "map" and isinstance(value, dict):
            new[key] = {k: walk(v, visit) for k, v in value.items()}
        elif kind != "map" and isinstance(value, (dict, list)):
            new[key] = walk(value, visit)
    return visit(new)


def closed(schema):
    """Without members that it does not declare: a model invents none."""
    def visit(node):
        plain = "properties" in node and not {"allOf", "$ref", "anyOf", "oneOf", "patternProperties"} & node.keys()
        plain = plain and node.get("additionalProperties", True) in (True, {})
        return {**node, "additionalProperties": False} if plain else node
    return walk(schema, visit)


def as_json_schema(schema):
    """OpenAPI's way to say null, and Gemini's names of types, as JSON Schema has them."""
    def visit(node):
        if isinstance(node.get("type"), str):
            node["type"] = node["type"].lower()
        if node.pop("nullable", False):
            if "type" in node:
                node["type"] = [node["type"], "null"] if isinstance(node["type"], str) else [*node["type"], "null"]
            if "enum" in node:
                node["enum"] = [*node["enum"], None]
            if "anyOf" in node:
                node["anyOf"] = [*node["anyOf"], {"type": "null"}]
        return node
    return walk(schema, visit)


# ---- judging ------------------------------------------------------------------------------------


class Judge:
    """Asks the command; the schemas are files of a folder of our own."""

    def __init__(self, ferrule, folder):
        self.ferrule, self.folder = ferrule, pathlib.Path(folder)

    def run(self, *arguments, text=None):
        return subprocess.run([self.ferrule, *arguments], input=text, capture_output=True, text=True, timeout=120)

    def put(self, name, value):
        path = self.folder / name
        path.write_text(json.dumps(value))
        return str(path)

    def compare(self, first, second):
        done = self.run("schema", "compare", "--json", self.put("first.json", first), self.put("second.json", second))
        return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {"relation": "broken", "why": done.stderr[:200]}

    def findings(self, profile, definition):
        """The rules of the profile that a definition breaks."""
        file = self.put("tool.json", definition)
        done = self.run("check", "--no-quality", "--profile", profile, "--format", "json", file)
        said = json.loads(done.stdout)
        return [f["rule"] for f in said["findings"] if f["severity"] == "error" and f.get("profile")]

    def wrong_call(self, original, converted, back):
        """A call that the converted schema takes and, translated back, the original does not; or None, or "unknown"."""
        said = self.compare(original, closed(converted))
        if "onlySecond" not in said:
            return "unknown" if said["relation"] in ("unknown", "broken") else None
        if not back:
            return json.dumps(said["onlySecond"])
        return back(said["onlySecond"])

    def judge(self, tool, profile, definition, schema, back=None):
        original = tool["inputSchema"]
        converted = as_json_schema(schema)
        verdict = collections.OrderedDict()
        broken = self.findings(profile, definition)
        if broken:
            verdict["fails the profile"] = ", ".join(sorted(set(broken)))
        said = self.compare(closed(original), converted)
        if said["relation"] == "broken":
            verdict["fails the profile"] = said["why"]
            return verdict
        if said.get("secondAcceptsNothing"):
            verdict["accepts nothing"] = ""
        elif "onlyFirst" in said and not back:
            verdict["loses calls"] = json.dumps(said["onlyFirst"])
        wrong = self.wrong_call(original, converted, back)
        if wrong == "unknown":
            verdict["not decided"] = ""
        elif wrong:
            verdict["lets wrong calls through"] = wrong
        if said["relation"] == "unknown" and "onlyFirst" not in said and not back:
            verdict["not decided"] = ""
        return verdict or {"exact": ""}


def definition_of(profile, tool, schema):
    record = {"name": tool["name"], "description": tool.get("description") or "x", "strict": True}
    for prefix, key in SHAPE.items():
        if profile.startswith(prefix):
            record[key] = schema
    if profile.startswith("gemini"):
        del record["strict"]
        return {"functionDeclarations": [record]}
    return {"type": "function", "function": record} if profile.startswith("openai") else record


# ---- the converters -----------------------------------------------------------------------------


def installed():
    folder = pathlib.Path(os.environ.get("FERRULE_CONVERT_PEERS", "build-peers/convert"))
    try:
        there = {n: json.loads((folder / "node_modules" / n / "package.json").read_text())["version"] for n in PACKAGES}
    except OSError:
        there = {}
    if there != PACKAGES:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": PACKAGES}))
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"],
                       cwd=folder, check=True)
    return folder


def peers(tools):
    """What each converter says of each tool: (converter, number of the tool, answer)."""
    lines = "".join(json.dumps({"name": t["name"], "description": t.get("description", ""), "inputSchema": t["inputSchema"]}) + "\n"
                    for _, t in tools)
    done = subprocess.run(["node", str(HERE / "peers.mjs"), str(installed())], input=lines, capture_output=True, text=True, check=True)
    number = collections.Counter()
    for line in done.stdout.splitlines():
        said = json.loads(line)
        if "missing" in said:
            print(f"{said['converter']}: not there: {said['missing']}", file=sys.stderr)
            continue
        yield said["converter"], number[said["converter"]], said
        number[said["converter"]] += 1


def schema_in(value):
    """The schema of a converted definition, however it is wrapped."""
    if isinstance(value, list):
        return schema_in(value[0]) if value else None
    if isinstance(value, dict):
        for key in ("parameters", "parametersJsonSchema", "input_schema", "inputSchema", "json"):
            if key in value and isinstance(value[key], dict):
                return value[key] if "type" in value[key] else schema_in(value[key]) or value[key]
        for key in ("tools", "functionDeclarations", "function", "toolSpec"):
            if key in value:
                return schema_in(value[key])
    return None


def ferrule_converts(judge, profile, tools):
    for number, (_, tool) in enumerate(tools):
        source, sidecar, report = judge.put("source.json", tool), str(judge.folder / "map.json"), judge.folder / "report.json"
        done = judge.run("convert", "--to", profile, "--map", sidecar, "--report", "json", "--report-file", str(report), source)
        said = {"tool": tool["name"]}
        # Budgets that a tool exceeds on its own exit 1, too; then there is a definition all the same.
        if done.returncode not in (0, 1) or not name_in(json.loads(done.stdout)):
            said["error"] = (done.stderr.strip() or "refused").splitlines()[0][:300]
        else:
            said["definition"] = json.loads(done.stdout)
            said["lost"] = lost_by(json.loads(report.read_text()))
            said["schema"] = schema_in(said["definition"]) or {"type": "object", "properties": {}}
            name = name_in(said["definition"])

            def back(call, sidecar=sidecar, name=name, tool=tool):
                done = judge.run("call-back", "--map", sidecar, text=json.dumps({"name": name, "arguments": call}))
                if done.returncode:
                    return None  # refused before the backend sees it
                call = json.loads(done.stdout)
                check = judge.run("validate", "-q", "--schema", judge.put("original.json", tool["inputSchema"]), "-",
                                  text=json.dumps(call["arguments"]))
                return None if check.returncode == 0 else json.dumps(call["arguments"])
            said["back"] = back
        yield number, said


def lost_by(report):
    """What Ferrule itself, which checks it by instances, says of calls that cannot be made any more. Closing an object
    (R10) takes away what nobody declared."""
    return [c["rule"] for t in report["report"] for c in t["changes"] if c["class"] == "narrower" and c["rule"] != "R10"]


def name_in(value):
    """The name of the only definition; None: there is none."""
    if isinstance(value, list):
        return name_in(value[0]) if value else None
    if "name" in value:
        return value["name"]
    return name_in(next(v for k, v in value.items() if k in ("tools", "functionDeclarations", "function", "toolSpec")))


# ---- the report -----------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-bench")
    parser.add_argument("--tools", type=int, default=100)
    parser.add_argument("--json", help="write every verdict to this file")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    tools = draw(arguments.tools)
    if not tools:
        sys.exit("no tools: FERRULE_TEST_DATA is not there")
    counts, log = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(os.path.join(arguments.build, "src/app/ferrule"), folder)

        def note(converter, profile, number, verdict):
            for column, why in verdict.items():
                counts[converter, profile][column] += 1
                log.append({"converter": converter, "profile": profile, "tool": tools[number][0], "verdict": column, "why": why})

        for converter, number, said in peers(tools):
            profile = CONVERTERS[converter][0]
            if "error" in said:
                note(converter, profile, number, {"no schema": said["error"]})
            else:
                note(converter, profile, number,
                     judge.judge(tools[number][1], profile, definition_of(profile, tools[number][1], said["schema"]), said["schema"]))
        if judge.run("help", "convert").returncode == 0:
            for profile in dict.fromkeys(p for p, _ in CONVERTERS.values()):
                for number, said in ferrule_converts(judge, profile, tools):
                    if "error" in said:
                        note("ferrule", profile, number, {"no schema": said["error"]})
                    else:
                        verdict = judge.judge(tools[number][1], profile, said["definition"], said["schema"], said["back"])
                        if said["lost"]:
                            verdict.pop("exact", None)
                            verdict["loses calls"] = ", ".join(said["lost"])
                        note("ferrule", profile, number, verdict)
    table = table_of(counts, len(tools))
    print(table)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(log, indent=1))
    if arguments.write:
        write(table)


def table_of(counts, total):
    lines = [f"| converter, of {total} real tools | for | " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * len(COLUMNS)]
    order = {p: i for i, p in enumerate(dict.fromkeys(p for p, _ in CONVERTERS.values()))}
    for (converter, profile), count in sorted(counts.items(), key=lambda c: (order[c[0][1]], c[0][0] != "ferrule", c[0][0])):
        name = "**ferrule convert**" if converter == "ferrule" else f"{CONVERTERS[converter][1]} {PACKAGES[CONVERTERS[converter][1]]}"
        lines.append(f"| {name} | {profile} | " + " | ".join(str(count[c]) for c in COLUMNS) + " |")
    return "\n".join(lines)


def write(table):
    page = pathlib.Path("docs/BENCHMARKS.md")
    text = page.read_text()
    before, rest = text.split(BEGIN)
    page.write_text(before + BEGIN + "\n\n" + table + "\n\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
