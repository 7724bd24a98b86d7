#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bowtie's harness as Bowtie meets it: a transcript of lines and answers, then the required tests of the
official suite where they are there. Speaks TAP. Argument: the harness."""

import json
import os
import re
import select
import subprocess
import sys

HARNESS = sys.argv[1]
DIALECTS = {
    "v1": "https://json-schema.org/v1",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft4": "http://json-schema.org/draft-04/schema#",
}
number = failures = 0


def case(name, problems):
    global number, failures
    number += 1
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:20]:
        print(f"#   {problem}")
    failures += bool(problems)
    sys.stdout.flush()


class Harness:
    """A harness that runs; `ask` waits for the answer before anything else is sent."""

    def __init__(self, dialect=None):
        self.process = subprocess.Popen([HARNESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if dialect:
            self.ask({"cmd": "start", "version": 1})
            assert self.ask({"cmd": "dialect", "dialect": dialect}) == {"ok": True}

    def raw(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        if not ready:
            raise TimeoutError(f"no answer to {line[:200]}")
        return self.process.stdout.readline().decode()

    def ask(self, command):
        return json.loads(self.raw(json.dumps(command)))

    def run(self, schema, instances, registry=None, seq=1, **more):
        group = {"description": "", "schema": schema, "tests": [{"description": "", "instance": i} for i in instances]}
        if registry:
            group["registry"] = registry
        return self.ask({"cmd": "run", "seq": seq, "case": group, "output": "flag", **more})

    def stop(self):
        self.process.stdin.write(b'{"cmd":"stop"}\n')
        self.process.stdin.flush()
        rest = self.process.stdout.read()
        return self.process.wait(30), rest

    def resident(self):
        """Kilobytes of memory."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s*(\d+)", status.read())[1])


def expect(what, answer, wanted):
    return [] if answer == wanted else [f"{what}: {json.dumps(answer)[:300]}, expected {json.dumps(wanted)[:300]}"]


def valid(*verdicts, seq=1):
    return {"seq": seq, "results": [{"valid": v} for v in verdicts]}


def is_errored(what, answer, seq=None):
    wrong = []
    if not answer.get("errored") or not isinstance(answer.get("context", {}).get("message"), str):
        wrong.append(f"{what}: {json.dumps(answer)[:300]} is not an error with a message")
    return wrong + expect(f"{what}: seq", answer.get("seq"), seq)


def starts():
    h, wrong = Harness(), []
    answer = h.ask({"cmd": "start", "version": 1})
    wrong += expect("version", answer["version"], 1)
    who = answer["implementation"]
    wrong += expect("name", (who["name"], who["language"]), ("ferrule", "c"))
    wrong += expect("dialects", sorted(who["dialects"]), sorted(DIALECTS.values()))
    for field in ("version", "homepage", "issues", "source"):
        wrong += [] if isinstance(who.get(field), str) else [f"{field} is not a text"]
    known = {"language", "name", "version", "dialects", "homepage", "issues", "source"}
    wrong += expect("fields", sorted(set(who) - known), [])
    return wrong + expect("stop", h.stop(), (0, b""))


def order():
    h, wrong = Harness(), []
    wrong += is_errored("run before start", h.run({}, [1]), 1)
    wrong += is_errored("another version", h.ask({"cmd": "start", "version": 2}))
    h.ask({"cmd": "start", "version": 1})
    wrong += expect("dialect", h.ask({"cmd": "dialect", "dialect": DIALECTS["draft7"]}), {"ok": True})
    wrong += expect("no dialect", h.ask({"cmd": "dialect", "dialect": "urn:nothing"}), {"ok": False})
    wrong += expect("a run", h.run({"type": "string"}, ["a", 1]), valid(True, False))
    return wrong + expect("stop", h.stop(), (0, b""))


def sequence():
    """The identifier comes back as it was sent, whatever it is."""
    h, wrong = Harness(DIALECTS["draft2020-12"]), []
    for seq in ['1', '"a \\"] } b"', '{"a":[1,{"b":"}"}]}', 'null', '1.50e+2', '-0', '"\\u00e9\\\\"', '[]', 'true',
                '123456789012345678901234567890']:
        line = '{"cmd":"run", "seq" : %s , "case":{"description":"","schema":true,"tests":[{"instance":1}]}}' % seq
        wrong += expect(seq, h.raw(line), '{"seq":%s,"results":[{"valid":true}]}\n' % seq)
    return wrong + expect("stop", h.stop(), (0, b""))


def errors():
    h, wrong = Harness(DIALECTS["draft2020-12"]), []
    for line in ["x", "{", "[]", "7", '"run"', "{}", '{"cmd":1}', '{"cmd":"no"}', '{"cmd":"run"}', '{"a":1,"a":2}',
                 b"\xff\xfe", b'{"cmd":"\x00"}', "[" * 100000, '{"cmd":"run","seq":null,"case":3}',
                 '{"cmd":"run","seq":null,"case":{"schema":{},"tests":3}}', '{"cmd":"start"}']:
        wrong += is_errored(repr(line[:40]), json.loads(h.raw(line)))
    wrong += is_errored("not a schema", h.run({"type": 3}, [1], seq="x"), "x")
    wrong += is_errored("unknown reference", h.run({"$ref": "urn:no"}, [1], seq=[2]), [2])
    wrong += is_errored("unknown dialect", h.run({"$schema": "urn:no"}, [1], seq=3), 3)
    answer = h.ask({"cmd": "run", "seq": 4, "case": {"schema": True, "tests": [{}, {"instance": None}]}})
    wrong += expect("no instance", [sorted(r) for r in answer["results"]], [["context", "errored"], ["valid"]])
    wrong += expect("still there", h.run({"const": 1.0}, [1, 2]), valid(True, False))
    return wrong + expect("stop", h.stop(), (0, b""))


def registry():
    h, wrong = Harness(DIALECTS["draft2020-12"]), []
    known = {"http://localhost:1234/a": {"$ref": "b#/$defs/x"}, "http://localhost:1234/b": {"$defs": {"x": {"type": "null"}}}}
    wrong += expect("two steps", h.run({"$ref": "http://localhost:1234/a"}, [None, 1], known), valid(True, False))
    wrong += is_errored("forgotten afterwards", h.run({"$ref": "http://localhost:1234/a"}, [None]), 1)
    broken = {**known, "http://localhost:1234/c": {"$schema": "urn:no"}, "http://localhost:1234/d": 3}
    wrong += expect("beside a broken one", h.run({"$ref": "http://localhost:1234/a"}, [None, 1], broken), valid(True, False))
    wrong += expect("another dialect", h.run(
        {"$ref": "http://localhost:1234/old"}, [[1, "a"], ["a", 1]],
        {"http://localhost:1234/old": {"$schema": DIALECTS["draft7"], "items": [{"type": "integer"}]}}), valid(True, False))
    return wrong + expect("stop", h.stop(), (0, b""))


def dialect(name):
    """What only this dialect says."""
    h, wrong = Harness(DIALECTS[name]), []
    tuples = {"prefixItems": [{"type": "string"}]}
    new, old = name in ("v1", "draft2020-12"), name in ("draft4",)
    wrong += expect("prefixItems", h.run(tuples, [["a"], [1]]), valid(True, not new))
    wrong += expect("exclusiveMaximum", h.run({"maximum": 3, "exclusiveMaximum": True} if old else {"exclusiveMaximum": 3},
                                              [2, 3]), valid(True, False))
    wrong += expect("const", h.run({"const": 1}, [1, 2]), valid(True, old))
    wrong += expect("if", h.run({"if": {"type": "string"}, "then": {"minLength": 2}}, ["ab", "a"]),
                    valid(True, name in ("draft4", "draft6")))
    wrong += expect("dependentRequired", h.run({"dependentRequired": {"a": ["b"]}}, [{"a": 1, "b": 1}, {"a": 1}]),
                    valid(True, name in ("draft4", "draft6", "draft7")))
    wrong += expect("$schema", h.run({"$schema": DIALECTS["draft6"], "if": {"type": "string"}, "then": False}, ["a"]),
                    valid(True))
    return wrong + expect("stop", h.stop(), (0, b""))


def annotations():
    h, wrong = Harness(DIALECTS["draft2020-12"]), []
    answer = h.run({"title": "A", "properties": {"a b": {"title": "B"}}}, [{"a b": 1}], output="annotations")
    found = sorted((n["instanceLocation"], n["keywordLocation"], n["annotation"])
                   for n in answer["results"][0]["annotations"] if n["keyword"] == "title")
    wrong += expect("titles", found, [("", "#/title", "A"), ("/a b", "#/properties/a%20b/title", "B")])
    wrong += expect("valid", answer["results"][0]["valid"], True)
    answer = h.run({"title": "A", "type": "null"}, [1], output="annotations")
    wrong += expect("none where invalid", answer["results"], [{"valid": False, "annotations": []}])
    return wrong + expect("stop", h.stop(), (0, b""))


def memory():
    """Line after line in the same memory."""
    h, wrong = Harness(DIALECTS["draft2020-12"]), []
    schema = {"properties": {f"p{i}": {"$ref": "#/$defs/x"} for i in range(200)}, "$defs": {"x": {"pattern": "^a+$"}}}
    instances = [{f"p{i}": "aaa" for i in range(200)}] * 5
    first = None
    for i in range(400):
        answer = h.run(schema, instances, {"urn:a": schema}, seq=i)
        wrong += expect("answer", answer, valid(*[True] * 5, seq=i))
        if i == 50:
            first = h.resident()
    last = h.resident()
    # Sanitizers keep what was freed.
    if last > first * 1.2 + 1024 and "FERRULE_INSTRUMENTED" not in os.environ:
        wrong.append(f"{first} KB after 50 lines, {last} KB after 400")
    return wrong + expect("stop", h.stop(), (0, b""))


def end():
    """The end of the input is an end, too; also in the middle of a line."""
    wrong = []
    for text in (b"", b'{"cmd":"start","version":1}', b'{"cmd":"start"'):
        done = subprocess.run([HARNESS], input=text, capture_output=True, timeout=30)
        wrong += expect(repr(text), done.returncode, 0)
    return wrong


def suite(name, root):
    """The required tests of a dialect, remotes sent along as Bowtie does."""
    h, wrong, total, remotes = Harness(DIALECTS[name]), [], 0, {}
    top = os.path.join(root, "remotes")
    for folder, _, files in os.walk(top):
        for path in (os.path.relpath(os.path.join(folder, f), top) for f in files):
            if not re.match(r"(draft|v1)", path) or path.startswith(name + "/"):
                with open(os.path.join(top, path), encoding="utf-8") as file:
                    remotes["http://localhost:1234/" + path] = json.load(file)
    top = os.path.join(root, "tests", name)
    for path in sorted(f for f in os.listdir(top) if f.endswith(".json")):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            groups = json.load(file)
        for group in groups:
            answer = h.run(group["schema"], [t["data"] for t in group["tests"]],
                           remotes if "localhost:1234" in json.dumps(group) else None)
            total += len(group["tests"])
            wrong += expect(f"{path}: {group['description']}", answer, valid(*[t["valid"] for t in group["tests"]]))
    h.stop()
    return wrong, f"the {total} required tests of {name}"


def main():
    case("start", starts())
    case("order of the commands", order())
    case("sequence identifiers", sequence())
    case("errors", errors())
    case("registry", registry())
    for name in DIALECTS:
        case(f"dialect {name}", dialect(name))
    case("annotations", annotations())
    case("memory", memory())
    case("end of input", end())
    root = os.path.join(os.environ.get("FERRULE_TEST_DATA", "../shared/data"), "json-schema-test-suite")
    for name in DIALECTS if os.path.isdir(root) else []:
        wrong, what = suite(name, root)
        case(what, wrong)
    print(f"1..{number}")
    sys.exit(1 if failures else 0)


main()
