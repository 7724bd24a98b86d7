#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server of a few lines that writes down when it starts and what it is asked: logged.py LOG NAME. What it has is said by
files beside the log: LOG.tools (names, one a line; `pid` without), LOG.says (what they say they do), LOG.storm (it says so many times that its tools have changed), LOG.hold
(it answers nothing while that is there), LOG.asks (more names, for clients that can be asked: elicitation)."""

import json
import os
import sys
import time

LOG, NAME = sys.argv[1:3]
can = {}  # of the client


def note(text):
    with open(LOG, "a", encoding="utf-8") as f:
        f.write(f"{NAME} {text} {os.getpid()}\n")


def say(message):
    sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")).replace("100.0", "1E2") + "\n")
    sys.stdout.flush()


def of_file(end, otherwise):
    try:
        with open(LOG + end, encoding="utf-8") as f:
            return f.read().split()
    except OSError:
        return otherwise


def tools():
    what = " ".join(of_file(".says", ["which process it is"]))
    return [{"name": n, "description": f"Says {what} ({n}).", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
            for n in of_file(".tools", ["pid"]) + (of_file(".asks", []) if "elicitation" in can else [])]


note("start")
for line in sys.stdin:
    m = json.loads(line)
    method = m.get("method")
    note(method)
    if "id" not in m:
        continue
    if method == "initialize":
        can = m["params"]["capabilities"]
    while os.path.exists(LOG + ".hold"):
        time.sleep(0.02)
    answers = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "resources": {}},
                       "serverInfo": {"name": NAME, "version": "1"}, "instructions": f"Ask {NAME} nicely."},
        "tools/list": {"tools": tools(), "_meta": {"x.example/of": "tools", "n": 1e2}},
        "prompts/list": {"prompts": [{"name": "greet_" + NAME, "future": 1e2}], "_meta": {"x.example/of": "prompts"}, "odd": 1e2, "long": "x" * 5000},
        "resources/list": {"resources": [{"uri": f"log://{NAME}", "name": NAME}]},
        "resources/templates/list": {"resourceTemplates": []},
        "tools/call": {"content": [{"type": "text", "text": str(os.getpid())}]},
        "ping": {},
    }
    storm = int((of_file(".storm", ["0"]) or ["0"])[0])  # as it is before the answer: who waits for that may change it
    if method in answers:
        say({"id": m["id"], "result": answers[method]})
    else:
        say({"id": m["id"], "error": {"code": -32601, "message": "no"}})
    if method == "tools/call":
        for _ in range(storm):
            say({"method": "notifications/tools/list_changed"})
note("end")
