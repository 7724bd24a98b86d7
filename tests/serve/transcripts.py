#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule serve against transcripts, files of what is said and what is answered:

    ! ARGUMENTS       of ferrule; CONFIG is tools.yaml
    # words           a remark
    > MESSAGE         is said
    < MESSAGE         is answered, in this order
    ~ N               N lines come before the next is said (otherwise: the answer to the request)

What differs from run to run is written as $CURSOR, $TOKEN, $HANDLE and so on; a later message may say it. Every message of
ours is held against the schemas of its version. Speaks TAP; --write writes the answers anew."""

import glob
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading

WRITE = "--write" in sys.argv
sys.argv = [a for a in sys.argv if a != "--write"]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case, finish, run, skip  # noqa: E402

CONFIG = os.path.join(HERE, "tools.yaml")
DATA = os.environ.get("FERRULE_TEST_DATA", os.path.join(HERE, "..", "..", "..", "shared", "data"))
MASKS = [("nextCursor", "CURSOR"), ("nextToken", "TOKEN"), ("handle", "HANDLE"), ("correlationId", "CORRELATION")]


class Server:
    def __init__(self, words):
        env = {k: v for k, v in os.environ.items() if k not in ("XDG_CONFIG_HOME", "FERRULE_TOKEN")}
        self.home = tempfile.TemporaryDirectory()
        env["HOME"] = self.home.name
        self.child = subprocess.Popen([FERRULE, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=env, cwd=self.home.name, text=True, encoding="utf-8")
        self.lines = queue.Queue()
        self.errors = []
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=lambda: self.errors.extend(self.child.stderr), daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def say(self, text):
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()

    def hear(self, seconds=30):
        try:
            return self.lines.get(timeout=seconds)
        except queue.Empty:
            return None

    def end(self):
        self.child.stdin.close()
        code = self.child.wait(timeout=30)
        rest = []
        while (line := self.hear(5)) is not None:
            rest.append(line)
        return code, rest


def mask(line, known):
    """The line without what differs each time, which is remembered."""
    for key, name in MASKS:
        def note(m, name=name):
            known[name] = m.group(2)
            return m.group(1) + "$" + name + m.group(3)
        line = re.sub(r'("%s":")([^"$\\]+)(")' % key, note, line)
        line = re.sub(r'(\\"%s\\":\\")([^"$\\]+)(\\")' % key, note, line)
    line = re.sub(r'(durationMs":)[0-9.]+', r"\g<1>0", line)
    line = re.sub(r'(unixMs\\?":)[0-9]+', r"\g<1>0", line)
    line = re.sub(r'20\d\d-\d\d-\d\dT[0-9:.]+Z', "$TIME", line)
    return line


def replies_to(text):
    """How many lines answer a message."""
    try:
        m = json.loads(text)
    except ValueError:
        return 1
    if isinstance(m, list):
        return 1 if not m or any("id" in x or not isinstance(x, dict) for x in m) else 0
    return 1 if not isinstance(m, dict) or "id" in m or "method" not in m else 0


def read(path):
    words, blocks = [], []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("! "):
            words = line[2:].split()
        elif line.startswith("> "):
            blocks.append({"say": line[2:], "want": [], "notes": [], "count": None})
        elif line.startswith("~ "):
            blocks[-1]["count"] = int(line[2:])
        elif line.startswith("< "):
            blocks[-1]["want"].append(line[2:])
    return words, blocks


def play(path):
    """What differs, and what was answered to what."""
    words, blocks = read(path)
    server = Server([w if w != "CONFIG" else CONFIG for w in words])
    known, problems, heard = {}, [], []
    for block in blocks:
        text = block["say"]
        for name, value in known.items():
            text = text.replace("$" + name, value)
        server.say(text)
        count = block["count"] if block["count"] is not None else replies_to(text)
        got = []
        for _ in range(count):
            line = server.hear()
            if line is None:
                problems.append(f"no answer to {text[:200]}; {server.errors[-3:]}")
                break
            heard.append((text, line))
            got.append(mask(line, known))
        block["got"] = got
        if not WRITE and got != block["want"]:
            problems += [f"said {text[:300]}", f"want {block['want']}", f"got  {got}"]
    code, rest = server.end()
    if code != 0:
        problems.append(f"exit {code}: {server.errors[-5:]}")
    problems += [f"and {line[:300]}" for line in rest]
    return problems, heard, blocks


def write(path, blocks):
    out, at = [], 0
    for line in open(path, encoding="utf-8"):
        if line.startswith("< "):
            continue
        if line.startswith("~ ") or not line.startswith("> "):
            out.append(line)
            if line.startswith("~ "):
                out += [f"< {x}\n" for x in blocks[at - 1]["got"]]
            continue
        out.append(line)
        if blocks[at]["count"] is None:
            out += [f"< {x}\n" for x in blocks[at]["got"]]
        at += 1
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(out)


# ---- the schemas of the protocol

RESULTS = {"initialize": "InitializeResult", "ping": "EmptyResult", "logging/setLevel": "EmptyResult",
           "tools/list": "ListToolsResult", "tools/call": "CallToolResult", "server/discover": "DiscoverResult",
           "subscriptions/listen": "SubscriptionsListenResult"}


def version_of(said, agreed):
    params = said.get("params") if isinstance(said, dict) else None
    meta = params.get("_meta", {}) if isinstance(params, dict) else {}
    named = meta.get("io.modelcontextprotocol/protocolVersion")
    return named if named == "2026-07-28" else agreed


def sort_out(heard, into):
    """Messages by version and name of their definition."""
    agreed, methods = None, {}
    for text, line in heard:
        try:
            said = json.loads(text)
        except ValueError:
            said = None
        for one in said if isinstance(said, list) else [said]:
            if isinstance(one, dict) and "id" in one and isinstance(one.get("method"), str):
                methods[json.dumps(one["id"])] = (one["method"], version_of(one, agreed))
        answers = json.loads(line)
        for m in answers if isinstance(answers, list) else [answers]:
            method, version = methods.get(json.dumps(m.get("id")), (None, agreed))
            if method == "initialize" and "result" in m:
                agreed = version = m["result"]["protocolVersion"]
            if version is None:
                continue
            if "method" in m:
                version = "2026-07-28" if "_meta" in m["params"] else version
                into.setdefault((version, "ServerNotification"), []).append(line)
            elif "result" in m and method in RESULTS:
                # As it came, not as Python reads numbers.
                bytes_ = line[line.index('"result":') + 9:-1] if not isinstance(answers, list) else json.dumps(m["result"])
                into.setdefault((version, RESULTS[method]), []).append(bytes_)
            elif "error" in m and m.get("id") is not None:
                name = "JSONRPCErrorResponse" if version >= "2025-11-25" else "JSONRPCError"
                into.setdefault((version, name), []).append(json.dumps(m))


def check(into):
    folder = tempfile.TemporaryDirectory()
    for (version, name), lines in sorted(into.items()):
        schema = os.path.join(DATA, "mcp-schema", version + ".json")
        if not os.path.exists(schema):
            skip(f"schema: {version} {name}", "no test data")
            continue
        with open(schema, encoding="utf-8") as f:
            where = "$defs" if "$defs" in json.load(f) else "definitions"
        paths = [os.path.join(folder.name, x) for x in ("schema.json", "messages.jsonl")]
        with open(paths[0], "w", encoding="utf-8") as f:
            json.dump({"$ref": f"urn:mcp#/{where}/{name}"}, f)
        with open(paths[1], "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)
        r = run(["validate", "--schema", paths[0], "--register", "urn:mcp=" + schema, paths[1]])
        case(f"schema: {version} {name}, {len(lines)} messages",
             [] if r.returncode == 0 else [(r.stdout + r.stderr).decode()[:2000]])


if __name__ == "__main__":
    messages = {}
    for path in sorted(glob.glob(os.path.join(HERE, "transcripts", "*.txt"))):
        problems, heard, blocks = play(path)
        if WRITE:
            write(path, blocks)
        sort_out(heard, messages)
        case("transcript: " + os.path.basename(path)[:-4], problems)
    check(messages)
    finish()
