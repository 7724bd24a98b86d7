# SPDX-License-Identifier: Apache-2.0
"""What the load programs beside it share: a real `ferrule serve` on the loopback with servers in Python behind it, and clients that call."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

FERRULE = os.path.abspath(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
BACKEND = r'''
import json, sys
hang, big = "hang" in sys.argv, "x" * (2 << 20)
for line in sys.stdin:
    m = json.loads(line); i, method = m.get("id"), m.get("method")
    if i is None: continue
    r = {}
    if method == "initialize": r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}
    elif method == "tools/list": r = {"tools": [{"name": n, "description": "Gives " + n + ".", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for n in ("little", "much")]}
    elif method == "tools/call":
        if hang: continue
        r = {"content": [{"type": "text", "text": big if m["params"]["name"] == "much" else "x"}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": i, "error": {"code": -32601, "message": "no"}}), flush=True); continue
    print(json.dumps({"jsonrpc": "2.0", "id": i, "result": r}), flush=True)
'''
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
ROOM = {"limits": {"connections": 20000, "addressConnections": 20000, "clients": 20000}}


class Server:
    def __init__(self, folder, servers=1, hanging=0, more_servers=None, **more):
        program = os.path.join(folder, "backend.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(BACKEND)
        self.config = {"serve": ROOM, "defaults": {}, **more}
        self.config["mcpServers"] = {f"s{i}": {"command": sys.executable, "args": [program, *(["hang"] if i < hanging else [])]} for i in range(servers)}
        self.config["mcpServers"].update(more_servers or {})
        self.path = os.path.join(folder, "ferrule.yaml")
        self.write_config()
        env = dict(os.environ, HOME=folder, FERRULE_TOKEN="t", XDG_CONFIG_HOME="", XDG_STATE_HOME="", XDG_RUNTIME_DIR=folder)
        self.child = subprocess.Popen([FERRULE, "serve", "--config", self.path, "--listen", "0", "--attach", "never"], env=env, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(self.child.stdout.readline().rsplit(":", 1)[1].split("/")[0])

    def write_config(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.config, file)
        os.rename(self.path + ".new", self.path)

    def memory(self):
        with open(f"/proc/{self.child.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def cpu(self):
        with open(f"/proc/{self.child.pid}/stat", encoding="utf-8") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))

    def end(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        self.child.wait(timeout=60)


def request(server, method, params, more="", version="2026-07-28", name=None, token="t"):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    fields = f"MCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n" + (f"Mcp-Name: {name}\r\n" if name else "") if version else ""
    return (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n{fields}{more}Content-Length: {len(body)}\r\n\r\n").encode() + body


def call(server, tool, arguments, token="t"):
    return request(server, "tools/call", {"name": tool, "arguments": arguments, "_meta": META}, name=tool, token=token)


def run_tool(server, tool, token="t"):
    return call(server, "run_tool", {"id": tool, "args": {}}, token)


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    low = head.lower()
    if b"content-length:" in low:
        return head, await reader.readexactly(int(low.split(b"content-length:")[1].split(b"\r\n")[0]))
    body = b""
    while b"chunked" in low and not body.endswith(b"0\r\n\r\n"):
        body += await reader.read(65536)
    return head, body


async def settle(server):
    """Until tools can be called."""
    for _ in range(200):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(run_tool(server, "s0:little") if server.child else b"")
        try:
            _, body = await asyncio.wait_for(answer(reader), 3)
            if b'"isError":true' not in body.replace(b" ", b""):
                return
        except asyncio.TimeoutError:
            return
        finally:
            writer.close()
        await asyncio.sleep(0.1)


async def caller(server, tool, until, times, bad, token="t", pause=0):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    message = run_tool(server, tool, token)
    try:
        while time.perf_counter() < until():
            began = time.perf_counter()
            writer.write(message)
            head, body = await answer(reader)
            good = b" 200 " in head[:16] and b'"isError":true' not in body
            (times if good else bad).append((time.perf_counter() - began) * 1000)
            if pause:
                await asyncio.sleep(pause)
    except (asyncio.IncompleteReadError, ConnectionError):
        bad.append(-1)
    finally:
        writer.close()


def at(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


async def load(server, clients, seconds, tools=("s0:little",)):
    times, bad = [], []
    cpu, end = server.cpu(), time.perf_counter() + seconds
    await asyncio.gather(*(caller(server, tools[i % len(tools)], lambda: end, times, bad) for i in range(clients)))
    return times, bad, (server.cpu() - cpu) / max(1, len(times)) * 1e6


def run_cases(cases, wanted):
    """Runs the wanted ones, each in a folder of its own, and prints a table."""
    print("| | |\n|---|---|")
    for name, run in cases.items():
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            what, figures = asyncio.run(run(folder))
        print(f"| {what} | {figures} |", flush=True)
