#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What services of CI read of a check, and findings that a project has accepted. Speaks TAP."""

import json
import os
import tempfile
import xml.etree.ElementTree as xml

from command_line import case, expect, finish, inject, run

HOSTILE = '{"name":"a & b <c> \\"d\\" \\ufffe\\uffff","inputSchema":{"type":"object"}}'
BAD = '{"name":"a b","description":"Says <b> & \\"c\\".","inputSchema":{"type":"object"}}'
WARNED = '{"name":"a","inputSchema":{}}'
QUICK = ["check", "--no-quality"]


def put(*names):
    """Writes the last into the file that the others name."""
    path = os.path.join(*names[:-1])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(names[-1])
    return path


def junit(args, stdin):
    result = run([*args, "-f", "junit"], stdin)
    return result, xml.fromstring(result.stdout)


def gitlab():
    result = run([*QUICK, "-f", "gitlab", "-p", "mistral"], BAD)
    found = json.loads(result.stdout)
    case("gitlab: an array of findings, each with all that Code Quality asks for",
         expect(result, 1) + [f"{f}" for f in found if set(f) != {"check_name", "severity", "description", "location", "fingerprint"}
                              or len(f["fingerprint"]) != 64 or f["location"]["lines"]["begin"] < 1])
    case("gitlab: errors are major", [] if any(f["check_name"] == "name.charset" and f["severity"] == "major" for f in found) else [str(found)])
    prints = [f["fingerprint"] for f in found]
    case("gitlab: fingerprints differ", [] if len(set(prints)) == len(prints) and prints else [str(prints)])
    moved = json.loads(run([*QUICK, "-f", "gitlab", "-p", "mistral"], "\n\n" + BAD).stdout)
    case("gitlab: and stay when lines move", [] if [f["fingerprint"] for f in moved] == prints and moved[0]["location"]["lines"]["begin"] == 3 else [str(moved)])
    case("gitlab: nothing found is an empty array", [] if json.loads(run([*QUICK, "-f", "gitlab"], '{"name":"a","inputSchema":{"type":"object"}}').stdout) == [] else ["not empty"])
    broken = json.loads(run([*QUICK, "-f", "gitlab", "-i", "json"], "{").stdout)
    case("gitlab: what cannot be read is critical", [] if [f["severity"] for f in broken] == ["critical"] else [str(broken)])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "t.json"), "w", encoding="utf-8") as file:
            file.write(BAD)
        paths = {f["location"]["path"] for f in json.loads(run([*QUICK, "-f", "gitlab", "./t.json"], cwd=folder).stdout)}
        case("gitlab: paths are those of the repository", [] if paths == {"t.json"} else [str(paths)])
        same = [[f["fingerprint"] for f in json.loads(run([*QUICK, "-f", "gitlab", name], cwd=folder).stdout)] for name in ("t.json", "./t.json")]
        case("gitlab: and so are fingerprints", [] if same[0] == same[1] and same[0] else [str(same)])
    schemas = run(["schema", "lint", "-f", "gitlab", "-"], '{"type":"strng"}')
    case("gitlab: schemas too", expect(schemas, 1) + ([] if json.loads(schemas.stdout) else ["nothing"]))


def junits():
    result, root = junit(QUICK, BAD)
    failed = root.findall("testsuite/testcase/failure")
    case("junit: an error is a failed case", expect(result, 1) + ([] if len(failed) == 1 and "U+0020" in failed[0].get("message") else [result.stdout.decode()]))
    result, root = junit(QUICK, HOSTILE)
    case("junit: texts of tools are escaped", [] if 'a & b <c> "d" ' in "".join(c.get("name") for c in root.iter("testcase")) else [result.stdout.decode()])
    result, root = junit(QUICK, WARNED)
    case("junit: a warning fails nothing", expect(result, 0) + [f.get("message") for f in root.iter("failure")] + ([] if root.find(".//system-out") is not None else ["no text"]))
    result, root = junit([*QUICK, "--strict"], WARNED)
    case("junit: unless --strict has it", expect(result, 1) + ([] if root.find(".//failure") is not None else [result.stdout.decode()]))
    result, root = junit(QUICK, '{"name":"a","inputSchema":{"type":"object"}}')
    case("junit: a clean run has a case", expect(result, 0) + ([] if [c.get("name") for c in root.iter("testcase")] == ["1 tool, 0 errors, 0 warnings"] else [result.stdout.decode()]))
    result, root = junit([*QUICK, "-i", "json"], "{")
    case("junit: what cannot be read is an error", expect(result, 2) + ([] if root.find(".//error") is not None else [result.stdout.decode()]))
    result, root = junit([*QUICK], '{"name":"a\\u0001\\ud83d\\ude00]]>","inputSchema":{"type":"object"}}')
    case("junit: control characters and the end of CDATA", expect(result, 1))
    schema = {"type": "object", "required": ["x"]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(schema, file)
        result, root = junit(["validate", "--schema", path, "-"], "{}")
        case("junit: instances", expect(result, 1) + ([] if root.find(".//failure") is not None else [result.stdout.decode()]))


def baselines(folder):
    tools, base = os.path.join(folder, "tools.json"), os.path.join(folder, "base.json")

    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def entries():
        with open(base, encoding="utf-8") as file:
            return json.load(file)["findings"]

    write(tools, f"[{BAD}]")
    case("baseline: all findings of today are accepted", expect(run([*QUICK, "--write-baseline", base, tools]), 0, ["0 errors", "accepted by the baseline"], absent=["name.charset"]))
    first = entries()
    case("baseline: an entry for each, without lines", [] if {"tool": "a b", "at": "/name", "rule": "name.charset", "count": 1} in first else [str(first)])
    case("baseline: what was accepted is only counted", expect(run([*QUICK, "--baseline", base, tools]), 0, ["0 errors", "accepted by the baseline"], absent=["name.charset"]))
    case("baseline: quietly, too", expect(run([*QUICK, "-q", "--baseline", base, tools]), 0))
    case("baseline: as JSON", expect(run([*QUICK, "-f", "json", "--baseline", base, tools]), 0, ['"findings":[]', '"accepted":']))
    write(tools, f"\n\n\n[{WARNED},\n{BAD}]")
    case("baseline: lines and places in a list may move", expect(run([*QUICK, "--baseline", base, tools]), 0, absent=["name.charset"]))
    moved = os.path.join(folder, "moved.json")
    os.rename(tools, moved)
    case("baseline: files too", expect(run([*QUICK, "--baseline", base, moved]), 0, absent=["name.charset"]))
    write(tools, f"[{BAD},{BAD.replace('a b', 'c d')}]")
    case("baseline: what is new is told", expect(run([*QUICK, "--baseline", base, tools]), 1, ["error[name.charset]", "tool 2 (c d)", "1 error,"], absent=["tool 1 (a b), at /1/name"]))
    write(tools, f"[{BAD},{BAD}]")
    case("baseline: as many as were accepted, and no more", expect(run([*QUICK, "--baseline", base, tools]), 1, ["error[name.charset]", "accepted"]))
    write(tools, f"[{WARNED}]")
    case("baseline: what is gone is told, and fails nothing", expect(run([*QUICK, "--baseline", base, tools]), 0, [], ["accepted finding", "not met", "--write-baseline"]))
    write(tools, BAD + "]")
    before = entries()
    case("baseline: nothing is accepted of what cannot be read", expect(run([*QUICK, "-i", "json", "--write-baseline", base, tools]), 2, [], ["is not written"]) + ([] if entries() == before else ["written"]))
    write(tools, f"[{BAD}]")
    case("baseline: a folder that is not there", expect(run([*QUICK, "--write-baseline", os.path.join(folder, "no", "base.json"), tools]), 2, [], ["cannot create", "no/base.json"]))
    case("baseline: a name that is empty", expect(run([*QUICK, "--write-baseline", "", tools], cwd=folder), 2, [], ["is empty"]) + [n for n in os.listdir(folder) if n.endswith(".new")])
    case("baseline: standard output is no file", expect(run([*QUICK, "--write-baseline", "-", tools]), 2, [], ["takes a file"]))
    case("baseline: no answer of a platform has one", expect(run(["check", "--platform-answer", "--write-baseline", base, tools]), 2, [], ["goes without"]))
    case("baseline: in the folder that is checked", expect(run([*QUICK, "--write-baseline", "in.json", "."], cwd=os.path.dirname(put(folder, "inside", "t.json", f"[{BAD}]"))), 0)
         + expect(run([*QUICK, "--baseline", "in.json", "."], cwd=os.path.join(folder, "inside")), 0, ["1 file,", "0 errors"]))
    case("baseline: in the place of an input", expect(run([*QUICK, "--write-baseline", tools, tools]), 2, [], ["is checked itself"]) + ([] if "a b" in open(tools, encoding="utf-8").read() else ["overwritten"]))
    case("baseline: reading and writing at once", expect(run([*QUICK, "--baseline", base, "--write-baseline", base, tools]), 2, [], ["give one"]))
    for name, text, said in (("no JSON", "{", ":1:2"), ("a list", "[]", "this is no baseline"), ("another version", '{"baselineVersion":2}', "another"),
                             ("no findings", '{"baselineVersion":1}', "must be a list"), ("an entry that is none", '{"baselineVersion":1,"findings":[1]}', ":1:34: an entry"),
                             ("an entry without a rule", '{"baselineVersion":1,"findings":[{}]}', 'a "rule"'), ("a count of 0", '{"baselineVersion":1,"findings":[{"rule":"x","count":0}]}', "from 1 on"),
                             ("a rule that is a number", '{"baselineVersion":1,"findings":[{"rule":1}]}', "must be strings")):
        write(base, text)
        case(f"baseline: {name}", expect(run([*QUICK, "--baseline", base, tools]), 2, [], ["base.json", said]))
    case("baseline: a file that is not there", expect(run([*QUICK, "--baseline", os.path.join(folder, "none"), tools]), 2, [], ["No such file"]))
    for count, code, said in ((200000, 0, ""), (200001, 2, "at most 200000 entries")):
        write(base, '{"baselineVersion":1,"findings":[' + ",".join('{"tool":"t%d","rule":"x"}' % i for i in range(count - 1)) + ',{"tool":"a b","at":"/name","rule":"name.charset"}]}')
        case(f"baseline: {count} entries", expect(run([*QUICK, "--show", "error", "--baseline", base, tools]), code, [], [said]))
    write(base, '{"baselineVersion":1,"findings":[{"tool":"a b","at":"/name","rule":"name.charset"}]}')
    inject([[*QUICK, "--baseline", base, tools], [*QUICK, "--write-baseline", os.path.join(folder, "new.json"), tools], [*QUICK, "-f", "gitlab", tools], [*QUICK, "-f", "junit", tools]])


gitlab()
junits()
with tempfile.TemporaryDirectory() as work:
    baselines(work)
finish()
