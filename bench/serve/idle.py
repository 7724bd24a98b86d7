#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""idle.py FERRULE [STARTS]: what a `ferrule serve` takes that nobody has asked anything: time and processor of a start, memory.

Rows: with built-in tools alone, and beside a server of 3,000 tools (those of FERRULE_TEST_DATA, again under other names where they are too few),
which a catalogue remembers; each once it is at rest, and again after 1,000 calls. Of STARTS (15) starts the quickest counts. Memory is read
from /proc/PID/smaps_rollup: resident, the part of it that is shared out among who maps it (PSS), and its own (anonymous). Prints Markdown."""

import glob
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

FERRULE = os.path.abspath(sys.argv[1])
STARTS = int(sys.argv[2]) if len(sys.argv) > 2 else 15
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("FERRULE_TEST_DATA") or os.path.join(ROOT, "..", "shared", "data")
TOOLS, CALLS = 3000, 1000
BACKEND = r'''
import json, sys
tools = json.load(open(sys.argv[1], encoding="utf-8"))
for line in sys.stdin:
    m = json.loads(line); i, method = m.get("id"), m.get("method")
    if i is None: continue
    answer = {"result": {}}
    if method == "initialize": answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}}
    elif method == "tools/list":
        at = int(m.get("params", {}).get("cursor", 0))
        answer = {"result": {"tools": tools[at:at + 500], **({"nextCursor": str(at + 500)} if at + 500 < len(tools) else {})}}
    elif method == "tools/call": answer = {"result": {"content": [{"type": "text", "text": "x"}]}}
    else: answer = {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": i, **answer}), flush=True)
'''


def many_tools():
    found = []
    for path in sorted(glob.glob(os.path.join(DATA, "tools", "*.json"))):
        with open(path, encoding="utf-8") as file:
            found += json.load(file)["tools"]
    if not found:
        return []
    tools = [{"name": "echo", "description": "Gives an x.", "inputSchema": {"type": "object"}}]
    while len(tools) < TOOLS:
        n = len(tools)
        tool = found[n % len(found)]
        tools.append({**tool, "name": f"t{n}_" + tool["name"][:40]})
    return tools


def configuration(folder, tools):
    config = {"defaults": {}}
    if tools:
        with open(os.path.join(folder, "backend.py"), "w", encoding="utf-8") as file:
            file.write(BACKEND)
        with open(os.path.join(folder, "tools.json"), "w", encoding="utf-8") as file:
            json.dump(tools, file)
        config["mcpServers"] = {"many": {"command": sys.executable, "args": [os.path.join(folder, "backend.py"), os.path.join(folder, "tools.json")]}}
        config["catalog"] = os.path.join(folder, "tools.catalog")
    path = os.path.join(folder, "ferrule.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    return path


class Gateway:
    def __init__(self, folder, path):
        env = {"HOME": folder, "FERRULE_TOKEN": "t", "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": folder}
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        began = time.perf_counter()
        self.child = subprocess.Popen([FERRULE, "serve", "--config", path, "--listen", str(self.port), "--attach", "never"], env=env, cwd=folder,
                                      text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.child.stdout.readline()  # its URL, which is written once it listens
        self.ready = (time.perf_counter() - began) * 1000
        with open(f"/proc/{self.child.pid}/schedstat", encoding="utf-8") as file:
            self.cpu = int(file.read().split()[0]) / 1e6

    def memory(self):
        with open(f"/proc/{self.child.pid}/smaps_rollup", encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file if line[0].isupper())
        return [int(lines[name].split()[0]) / 1024 for name in ("Rss", "Pss", "Anonymous")]

    def rest(self):
        """Until its memory stays as it is for two seconds."""
        before, since = None, time.monotonic()
        while time.monotonic() - since < 2:
            now = self.memory()[2]
            if now != before:
                before, since = now, time.monotonic()
            time.sleep(0.2)
        return self.memory()

    def call(self, tool, args):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": tool, "args": args}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}})
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for _ in range(CALLS):
            client.request("POST", "/mcp", body, {
                "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer t",
                "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_tool"})
            answer = client.getresponse()
            text = answer.read()
            if answer.status != 200 or b'"isError":true' in text:
                sys.exit(f"{tool}: {text[:300]}")
        client.close()

    def end(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(timeout=60)


def row(name, tools, tool, args):
    with tempfile.TemporaryDirectory() as folder:
        path = configuration(folder, tools)
        gateway = Gateway(folder, path)
        gateway.rest()
        gateway.end()  # the catalogue is written now
        ready, cpu = [], []
        for _ in range(STARTS):
            gateway = Gateway(folder, path)
            ready.append(gateway.ready)
            cpu.append(gateway.cpu)
            gateway.end()
        gateway = Gateway(folder, path)
        idle = gateway.rest()
        gateway.call(tool, args)
        used = gateway.rest()
        gateway.end()
    figures = [min(ready), min(cpu), *idle, *used]
    print(f"| {name} | " + " | ".join(f"{f:.1f}" for f in figures) + " |", flush=True)


def main():
    print("| | listening after ms | CPU ms until then | idle: RSS MB | PSS | own | after 1,000 calls: RSS MB | PSS | own |\n|---|---|---|---|---|---|---|---|---|")
    row("built-in tools", [], "text:count", {"text": "one two"})
    tools = many_tools()
    if tools:
        row(f"{len(tools):,} tools of a server", tools, "many:echo", {})
    else:
        print("no tools: FERRULE_TEST_DATA names none")


if __name__ == "__main__":
    main()
