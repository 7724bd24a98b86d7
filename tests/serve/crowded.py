#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""L07, L12, L14 and L15 as counts, whatever they take: calls that wait for a server that hangs are capped and the others are answered, a
stampede reaches the server once, large results are bounded, and a gateway that is told to end loses no answer. FERRULE_LONG_TESTS: 10,000
calls instead of 500 in the stampede. Speaks TAP."""

import asyncio
import json
import os
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import case, finish  # noqa: E402

from web_rig import MODERN, TOKEN, Server, until  # noqa: E402

STAMPEDE = 10_000 if os.environ.get("FERRULE_LONG_TESTS") else 500
# Notes each call in a file; `gate` waits until there is a file of that name.
BACKEND = r'''
import json, os, sys, threading, time
folder, lock = sys.argv[1], threading.Lock()
def say(v):
    with lock:
        sys.stdout.write(json.dumps(v) + "\n"); sys.stdout.flush()
def call(m):
    name, args = m["params"]["name"], m["params"].get("arguments", {})
    with lock, open(os.path.join(folder, "calls"), "a") as f: f.write(name + "\n")
    while name == "gate" and not os.path.exists(os.path.join(folder, "open")): time.sleep(0.01)
    text = "x" * args.get("size", 1)
    say({"jsonrpc": "2.0", "id": m["id"], "result": {"content": [{"type": "text", "text": text}]}})
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "tools/call": threading.Thread(target=call, args=(m,), daemon=True).start()
    elif m.get("method") == "initialize": say({"jsonrpc": "2.0", "id": m["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}})
    elif m.get("method") == "tools/list": say({"jsonrpc": "2.0", "id": m["id"], "result": {"tools": [{"name": n, "description": "Does " + n + ".", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for n in ("gate", "quick")]}})
    elif "id" in m: say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}})
'''


class Site:
    """A gateway with such servers, each with a folder of its own."""

    def __init__(self, names, **more):
        self.folder = tempfile.TemporaryDirectory()
        program, config = os.path.join(self.folder.name, "backend.py"), os.path.join(self.folder.name, "ferrule.yaml")
        with open(program, "w", encoding="utf-8") as out:
            out.write(BACKEND)
        servers = {}
        for name in names:
            os.mkdir(os.path.join(self.folder.name, name))
            servers[name] = {"command": sys.executable, "args": [program, os.path.join(self.folder.name, name)]}
        with open(config, "w", encoding="utf-8") as out:
            json.dump({"mcpServers": servers, "defaults": {}, "serve": {"limits": {"connections": 15000, "addressConnections": 15000}}, **more}, out)
        self.server = Server("--attach", "never", config=config, folder=self.folder.name)

    def calls(self, name, tool):
        try:
            with open(os.path.join(self.folder.name, name, "calls"), encoding="utf-8") as file:
                return file.read().split().count(tool)
        except OSError:
            return 0

    def open(self, name):
        with open(os.path.join(self.folder.name, name, "open"), "w", encoding="utf-8"):
            pass

    async def call(self, tool, **args):
        """Whether it went well, and its status; None: the connection ended without an answer."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": tool, "args": args}, "_meta": MODERN}})
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        writer.write((f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
                      f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: run_tool\r\n"
                      f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
        try:
            text = await reader.read()
        except ConnectionError:
            text = b""
        writer.close()
        return (b'"isError":true' not in text and b" 200 " in text[:16], text) if text else None


async def hung():
    site = Site(["hung", "well"], policies={"backends": {"hung": {"concurrency": 4, "queue": {"length": 3, "ageMs": 600000}}}})
    waiting = [asyncio.create_task(site.call("hung:gate")) for _ in range(20)]
    while sum(t.done() for t in waiting) < 13:
        await asyncio.sleep(0.02)
    case("L07 what is past its calls and its queue is turned away", [] if not any(t.result()[0] for t in waiting if t.done()) else ["some went well"])
    while site.calls("hung", "gate") < 4:
        await asyncio.sleep(0.02)
    others = await asyncio.gather(*(site.call("well:quick") for _ in range(50)))
    case("L07 the others are all answered", [] if all(x and x[0] for x in others) else [repr(next(x for x in others if not x or not x[0]))[:300]])
    case("L07 no more reach it than may", [] if site.calls("hung", "gate") == 4 else [f"{site.calls('hung', 'gate')} did"])
    site.open("hung")
    rest = await asyncio.gather(*waiting)
    case("L07 those that waited have their answers", [] if sum(bool(x and x[0]) for x in rest) == 7 else [f"{sum(bool(x and x[0]) for x in rest)} have"])
    case("L07 it ends", [] if site.server.end() == 0 else ["badly"])


async def stampede():
    site = Site(["s"], policies={"tools": {"s:gate": {"effect": "Pure", "cache": {"ttlMs": 600000}}}, "tenants": {"*": {"concurrency": 20000}}})
    first = asyncio.create_task(site.call("s:gate"))
    while not site.calls("s", "gate"):
        await asyncio.sleep(0.02)
    gate = asyncio.Semaphore(200)

    async def one():
        async with gate:
            return await site.call("s:gate")
    rest = [asyncio.create_task(one()) for _ in range(STAMPEDE - 1)]
    await asyncio.sleep(0.2)
    site.open("s")
    got = await asyncio.gather(first, *rest)
    good = sum(bool(x and x[0]) for x in got)
    case(f"L12 {STAMPEDE} of the same: all are answered", [] if good == STAMPEDE else [f"{good} are, " + repr(next(x for x in got if not x or not x[0]))[:300]])
    case("L12 the server sees one", [] if site.calls("s", "gate") == 1 else [f"{site.calls('s', 'gate')}"])
    case("L12 it ends", [] if site.server.end() == 0 else ["badly"])


async def large():
    site = Site(["s"])
    got = await asyncio.gather(*(site.call("s:quick", size=3 << 20) for _ in range(20)))
    case("L14 large results are answered or refused, all of them", [] if all(got) else ["one was lost"])
    past = await site.call("s:quick", size=5 << 20)
    case("L14 one past the limit is an error", [] if past and not past[0] else [repr(past)[:200]])
    after = await site.call("s:quick")
    case("L14 and the next one is answered", [] if after and after[0] else [repr(after)[:200]])
    case("L14 it ends", [] if site.server.end() == 0 else ["badly"])


async def drain():
    site = Site(["s"])
    under_way = [asyncio.create_task(site.call("s:gate")) for _ in range(16)]
    while site.calls("s", "gate") < 16:
        await asyncio.sleep(0.02)
    site.server.child.send_signal(signal.SIGTERM)

    def closed():
        with open(f"/proc/{site.server.child.pid}/net/tcp", encoding="utf-8") as file:
            return not any(line.split()[3] == "0A" and line.split()[1].endswith(f":{site.server.port:04X}") for line in file.readlines()[1:])
    until(closed)
    case("L15 nobody else comes in", [] if closed() else ["it still listens"])
    site.open("s")
    got = await asyncio.gather(*under_way)
    case("L15 what was under way has its answer", [] if all(x and x[0] for x in got) else [f"{sum(bool(x and x[0]) for x in got)} of 16"])
    case("L15 it ends", [] if site.server.child.wait(timeout=60) == 0 else ["badly"])


for run in (hung, stampede, large, drain):
    asyncio.run(run())
finish()
