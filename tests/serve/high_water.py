#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With 85 % of `defaults.callBytes` held no request is begun over a pipe, as over HTTP: it is told to come again, by its ID. What cancels is heard,
and what waits in the pipe counts. Speaks TAP."""

import json
import os
import queue
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_client import Stdio, heard_in  # noqa: E402
from bridge_site import ENV, is_it, row, until  # noqa: E402
from command_line import FERRULE, case, finish  # noqa: E402

BYTES = 1 << 20
EDGE = BYTES // 100 * 85  # what may be held
folder = tempfile.TemporaryDirectory()
heard_file = os.path.join(folder.name, "heard")
config = os.path.join(folder.name, "ferrule.json")
with open(config, "w", encoding="utf-8") as out:
    json.dump({"mcpServers": {"b": {"command": sys.executable, "args": [os.path.join(HERE, "bridge_backend.py"), "legacy", "stdio", heard_file]}},
               "defaults": {"callBytes": BYTES}, "serve": {"limits": {"settleMs": 30000}}}, out)
client = Stdio([FERRULE, "serve", "--config", config, "--mode", "transparent", "--stdio", "--attach", "never"], False, ENV)
client.open()
case("it answers", is_it("tools" in client.request("tools/list").get("result", {}), True))


def heard(what):
    return heard_in(heard_file, what)


def hold(size):
    """A call whose arguments have so many bytes is under way; what ends it."""
    before = len(heard("hanging"))
    empty = len(json.dumps({"mark": ""}))
    stop = client.begin("tools/call", {"name": "hang", "arguments": {"mark": "m" * (size - empty)}})
    until(lambda: len(heard("hanging")) > before)
    return stop


def ask(name):
    client.answers[name] = queue.Queue()
    client.write({"jsonrpc": "2.0", "id": name, "method": "ping"})
    return client.answers[name].get(timeout=40)


def at(size, refused):
    stop = hold(size)
    problems = []
    for name in (7001, "seven", -5):
        r = ask(name)
        error = r.get("error", {})
        problems += is_it((r["id"], "result" in r), (name, not refused))
        if refused:
            problems += is_it((error.get("code"), "gateway.bytes" in error.get("message", ""), error.get("data", {}).get("retryable")), (-32603, True, True))
    before = len(heard("cancelled"))
    stop()
    problems += [] if until(lambda: len(heard("cancelled")) > before) else ["the cancel was not heard"]
    return problems + ([] if until(lambda: "result" in ask("again")) else ["it does not answer afterwards"])


row("as much as may be held", at, EDGE, False)
row("a byte more", at, EDGE + 1, True)
case("the end", is_it(client.end(), 0))
finish()
