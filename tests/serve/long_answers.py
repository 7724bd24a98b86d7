#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers of servers with long strings: one may be as long as its message, and what is over a limit is told with the limit's name and
figure. Speaks TAP."""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from transcripts import Server, case, finish, run  # noqa: E402

SERVER = r"""
import json, sys
VERSION = sys.argv[1]
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    def say(value):
        print('{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(m["id"]), value), flush=True)
    if m["method"] == "initialize":
        say('{"protocolVersion":"%s","capabilities":{"tools":{}},"serverInfo":{"name":"long","version":"1"}}' % VERSION)
    elif m["method"] == "tools/list":
        say('{"tools":[{"name":"give","description":"Gives a long text.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}')
    elif m["method"] == "tools/call":
        kind, size = (m["params"]["arguments"][k] for k in ("kind", "size"))
        block = {"text": '{"type":"text","text":"%s"}' % ("x" * size), "image": '{"type":"image","mimeType":"image/png","data":"%s"}' % ("A" * size)}.get(kind)
        deep = "[" * size + "]" * size
        say('{"content":[%s]}' % block if block else '{"content":[],"structuredContent":{"a":%s}}' % deep)
    else:
        print('{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}' % json.dumps(m["id"]), flush=True)
"""

folder = tempfile.TemporaryDirectory()
PATH = os.path.join(folder.name, "ferrule.json")
PROGRAM = os.path.join(folder.name, "long.py")
with open(PROGRAM, "w", encoding="utf-8") as f:
    f.write(SERVER)
with open(PATH, "w", encoding="utf-8") as f:
    json.dump({"mcpServers": {"l": {"command": sys.executable, "args": [PROGRAM, "2025-11-25"]}, "old": {"command": sys.executable, "args": [PROGRAM, "2025-03-26"]}}}, f)


def ask(s, id, method, params):
    s.say(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    while (line := s.hear()) is not None:
        m = json.loads(line)
        if m.get("id") == id:
            return m
    return {"error": f"silence: {s.errors[-3:]}"}


def start(*words):
    s = Server(["serve", "--stdio", "--attach", "never", "--config", PATH, *words])
    ask(s, 0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    s.say('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return s


def block_of(answer, key):
    content = answer.get("result", {}).get("content", [{}])
    return content[0].get(key, str(content)[:500]) if content else str(answer)[:500]


s = start("--mode", "tools", "--expose", "l:*")
MIB = 1 << 20
for kind, size in (("text", MIB), ("text", MIB + 1), ("image", MIB + 4), ("text", 4 * MIB - 200), ("image", 3 * MIB)):
    key, sign = ("text", "x") if kind == "text" else ("data", "A")
    got = block_of(ask(s, 1, "tools/call", {"name": "give", "arguments": {"kind": kind, "size": size}}), key)
    case(f"{kind} of {size} bytes", [] if got == sign * size else [got[:300]])
for name, kind, size, words in (("a line that is too long", "text", 4 * MIB, "line.size: the limit is 4194304 bytes"),
                                ("one that is too deep", "deep", 200, "is over the limit of 128")):
    got = block_of(ask(s, 2, "tools/call", {"name": "give", "arguments": {"kind": kind, "size": size}}), "text")
    case(f"the limit is named: {name}", [] if words in got else [got[:500]])
same = ask(s, 3, "tools/call", {"name": "give", "arguments": {"kind": "text", "size": 3}})
case("and the server is there", [] if block_of(same, "text") == "xxx" else [str(same)])
s.end()

s = start()
got = ask(s, 1, "tools/call", {"name": "run_tool", "arguments": {"id": "l:give", "args": {"kind": "text", "size": 2 * MIB}}})
case("run_tool", [] if "x" * 1000 in json.dumps(got) and not got["result"].get("isError") else [json.dumps(got)[:500]])
got = ask(s, 2, "tools/call", {"name": "run_tool", "arguments": {"id": "old:give", "args": {"kind": "deep", "size": 200}}})
case("a server of 2025-03-26", [] if "json.depth" in json.dumps(got) else [json.dumps(got)[:500]])
s.end()

r = run(["run", "l:give", "-a", json.dumps({"kind": "text", "size": 2 * MIB}), "-C", PATH])
case("ferrule run", [] if b"x" * 2 * MIB in r.stdout else [str((r.returncode, r.stdout[:300], r.stderr[:300]))])
finish()
