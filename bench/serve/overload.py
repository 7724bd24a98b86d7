#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""overload.py FERRULE [NAME...]: a real `ferrule serve` on the loopback under more than it was made for; each NAME is a case.

    L01 L02   64 clients that call a tool as fast as they can, without and with a ledger
    L04       new connections, one after the other: errors, descriptors afterwards
    L05       2 to 128 clients: goodput must not fall behind the knee
    L07       one server of ten hangs: what the calls of the others take, and how many wait for it
    L14       results of 2 MiB, 100 of them at once: the memory that it takes
    L15       SIGTERM under load: answers that were lost, time to the end
    sessions  abandoned sessions (FERRULE_SESSIONS, 100,000): memory before and after

The clients are one Python process on the same machine, so rates and times are theirs as much as the server's; CPU is the server's own.
Everything is bounded and ends with it. Prints Markdown; figures belong into docs/BENCHMARKS.md. L03 and L08 are crowd.py, the rest of L01
to L16 is named there."""

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
WANTED = sys.argv[2:]
SECONDS = float(os.environ.get("FERRULE_SECONDS", "3"))
SESSIONS = int(os.environ.get("FERRULE_SESSIONS", "100000"))
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
    def __init__(self, folder, servers=1, hanging=0, **more):
        program = os.path.join(folder, "backend.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(BACKEND)
        config = {"serve": ROOM, "defaults": {}, **more}
        config["mcpServers"] = {f"s{i}": {"command": sys.executable, "args": [program, *(["hang"] if i < hanging else [])]} for i in range(servers)}
        path = os.path.join(folder, "ferrule.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        env = dict(os.environ, HOME=folder, FERRULE_TOKEN="t", XDG_CONFIG_HOME="", XDG_STATE_HOME="", XDG_RUNTIME_DIR=folder)
        self.child = subprocess.Popen([FERRULE, "serve", "--config", path, "--listen", "0", "--attach", "never"], env=env, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(self.child.stdout.readline().rsplit(":", 1)[1].split("/")[0])

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


def request(server, method, params, more="", version="2026-07-28", name=None):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    fields = f"MCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n" + (f"Mcp-Name: {name}\r\n" if name else "") if version else ""
    return (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n{fields}{more}Content-Length: {len(body)}\r\n\r\n").encode() + body


def run_tool(server, tool):
    return request(server, "tools/call", {"name": "run_tool", "arguments": {"id": tool, "args": {}}, "_meta": META}, name="run_tool")


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


async def caller(server, tool, until, times, bad):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    message = run_tool(server, tool)
    try:
        while time.perf_counter() < until():
            began = time.perf_counter()
            writer.write(message)
            head, body = await answer(reader)
            good = b" 200 " in head[:16] and b'"isError":true' not in body
            (times if good else bad).append((time.perf_counter() - began) * 1000)
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


async def steady(folder, name, **more):
    s = Server(folder, **more)
    await settle(s)
    times, bad, cpu = await load(s, 64, SECONDS)
    s.end()
    return f"{name}: 64 clients, `run_tool`", f"{len(times) / SECONDS:,.0f} calls/s, median {at(times, .5):.1f} ms, p99 {at(times, .99):.1f}, p99.9 {at(times, .999):.1f}; " \
        f"{cpu:.0f} us of CPU a call; {len(bad)} errors"


async def l01(folder):
    return await steady(folder, "L01")


async def l02(folder):
    return await steady(folder, "L02, with a ledger and a store", state="state")


async def l04(folder):
    s = Server(folder)
    await settle(s)
    before, errors, count, end = s.descriptors(), 0, 0, time.perf_counter() + SECONDS
    message = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nConnection: close\r\n\r\n".encode()
    while time.perf_counter() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
            writer.write(message)
            errors += b" 200 " not in (await reader.read())[:16]
            writer.close()
        except OSError:
            errors += 1
        count += 1
    await asyncio.sleep(0.5)
    after = s.descriptors()
    s.end()
    return "L04: new connections, one after the other", f"{count / SECONDS:,.0f} a second, {errors} errors; descriptors {before} before and {after} after"


async def l05(folder):
    s = Server(folder)
    await settle(s)
    parts, rates = [], []
    for clients in (2, 8, 32, 64, 128):
        times, bad, _ = await load(s, clients, SECONDS / 2)
        rates.append(len(times) / (SECONDS / 2))
        parts.append(f"{clients}: {rates[-1]:,.0f}/s" + (f" and {len(bad)} shed" if bad else ""))
    s.end()
    return "L05: goodput by clients", "; ".join(parts) + f"; at 128 clients {rates[-1] / max(rates):.2f} of the best"


async def l07(folder):
    s = Server(folder, servers=10, hanging=1)
    healthy = [f"s{i}:little" for i in range(1, 10)]
    await settle(s)
    await asyncio.sleep(1)
    before, _, _ = await load(s, 9, SECONDS, healthy)
    stuck = []
    for _ in range(40):
        reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
        writer.write(run_tool(s, "s0:little"))
        stuck.append((reader, writer))
    await asyncio.sleep(0.5)
    during, bad, _ = await load(s, 9, SECONDS, healthy)
    turned = sum(1 for reader, _ in stuck if reader._buffer)  # noqa: SLF001: what came, without waiting
    for _, writer in stuck:
        writer.close()
    s.end()
    return "L07: one server of ten hangs, 40 calls wait for it", f"others' p99 {at(before, .99):.2f} ms before and {at(during, .99):.2f} meanwhile (median {at(before, .5):.2f} and " \
        f"{at(during, .5):.2f}); {len(bad)} errors; {turned} of the 40 were turned away at once, {40 - turned} wait"


async def l14(folder):
    s = Server(folder)
    await settle(s)
    before = s.memory()
    peak = [before]

    async def watch():
        while True:
            peak.append(s.memory())
            await asyncio.sleep(0.02)
    watcher = asyncio.create_task(watch())
    times, bad = [], []

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", s.port, limit=8 << 20)
        writer.write(run_tool(s, "s0:much"))
        head, _ = await answer(reader)
        (times if b" 200 " in head[:16] else bad).append(1)
        writer.close()
    await asyncio.gather(*(one() for _ in range(100)), return_exceptions=True)
    watcher.cancel()
    await asyncio.sleep(2)
    after = s.memory()
    s.end()
    return "L14: 100 results of 2 MiB at once", f"{len(times)} answered, {len(bad)} shed; {before:.0f} MB before, {max(peak):.0f} at most, {after:.0f} two seconds later"


async def l15(folder):
    s = Server(folder)
    await settle(s)
    lost, answered, refused, sent = [0], [0], [0], [0]
    stop = [False]

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
        message = run_tool(s, "s0:little")
        while not stop[0]:
            sent[0] += 1
            try:
                writer.write(message)
                await writer.drain()
                head, body = await answer(reader)
            except asyncio.IncompleteReadError as e:
                lost[0] += bool(e.partial)  # half an answer; a connection that is closed between two requests has lost none
                refused[0] += not e.partial
                break
            except ConnectionError:
                refused[0] += 1
                break
            answered[0] += 1
            if b"connection: close" in head.lower():
                break
        writer.close()
    tasks = [asyncio.create_task(one()) for _ in range(32)]
    await asyncio.sleep(SECONDS / 2)
    began = time.perf_counter()
    s.child.send_signal(signal.SIGTERM)
    await asyncio.sleep(0.5)
    stop[0] = True
    await asyncio.gather(*tasks)
    code = await asyncio.get_running_loop().run_in_executor(None, s.child.wait)
    return "L15: SIGTERM under the load of 32 clients", f"{answered[0]:,} answered, {lost[0]} cut off, {refused[0]} connections closed between requests; " \
        f"exit code {code} after {time.perf_counter() - began:.1f} s"


async def sessions(folder):
    s = Server(folder, serve={"limits": {**ROOM["limits"], "clients": 2000}})
    await settle(s)
    opening = request(s, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}, version="")
    reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
    memory, made = [], 0
    for i in range(SESSIONS):
        writer.write(opening)
        head, _ = await answer(reader)
        made += b"mcp-session-id" in head.lower()
        if (i + 1) % (SESSIONS // 5) == 0:
            memory.append(s.memory())
        if b"connection: close" in head.lower():
            reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
    s.end()
    return f"{SESSIONS:,} abandoned sessions, 2,000 at most are kept", f"{made:,} were opened; MB at each fifth: " + ", ".join(f"{m:.1f}" for m in memory)


CASES = {"L01": l01, "L02": l02, "L04": l04, "L05": l05, "L07": l07, "L14": l14, "L15": l15, "sessions": sessions}


def main():
    print("| | |\n|---|---|")
    for name, run in CASES.items():
        if WANTED and name not in WANTED:
            continue
        with tempfile.TemporaryDirectory() as folder:
            what, figures = asyncio.run(run(folder))
        print(f"| {what} | {figures} |", flush=True)


main()
