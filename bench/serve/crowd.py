#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""crowd.py FERRULE [STREAMS [SLOW]]: a real `ferrule serve` on the loopback, and what crowds of clients cost it.

- L03: STREAMS (10,000) idle streams, each the GET of a session: time to open them, memory of each, and how long others wait.
- L08: SLOW (2,000) clients that send a head one byte a second (slowloris): CPU, memory, how long others wait, how they end.
- A14: how long a token that is wrong in its first, last or all characters is refused for: medians of 100,000 in turns.

Everything is bounded, and ends with it. Figures belong into docs/BENCHMARKS.md."""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

FERRULE = os.path.abspath(sys.argv[1])
STREAMS = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
SLOW = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
SAMPLES = int(sys.argv[4]) if len(sys.argv) > 4 else 100000
TOKEN = "fer_" + "t" * 43
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


class Server:
    def __init__(self, folder):
        path = os.path.join(folder, "ferrule.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("serve: {limits: {connections: 20000, addressConnections: 20000, clients: 20000}}\n")
        env = dict(os.environ, HOME=folder, FERRULE_TOKEN=TOKEN, XDG_CONFIG_HOME="", XDG_RUNTIME_DIR=folder)
        self.child = subprocess.Popen([FERRULE, "serve", "--config", path, "--listen", "0"], env=env, text=True, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(self.child.stdout.readline().rsplit(":", 1)[1].split("/")[0])

    def memory(self):
        with open(f"/proc/{self.child.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def cpu(self):
        with open(f"/proc/{self.child.pid}/stat", encoding="utf-8") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def head(server, method, path, token=TOKEN, body="", **fields):
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Authorization: Bearer {token}", "Accept: application/json, text/event-stream"]
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in fields.items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


async def answer(reader):
    """The head of an answer, as text, and its body where it has a length."""
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    for line in text.split("\r\n"):
        if line.lower().startswith("content-length:"):
            await reader.readexactly(int(line.split(":")[1]))
    return text


INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"}}})


async def others(server, count=500):
    """Milliseconds that a healthy client waits for an answer: median and the 99th percentile."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    times = []
    for _ in range(count):
        began = time.perf_counter()
        writer.write(head(server, "GET", "/readyz"))
        await answer(reader)
        times.append((time.perf_counter() - began) * 1000)
    writer.close()
    times.sort()
    return f"median {times[count // 2]:.2f} ms, p99 {times[count * 99 // 100]:.2f} ms"


async def stream(server, kept):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head(server, "POST", "/mcp", body=INITIALIZE))
    text = await answer(reader)
    session = next(line.split(": ")[1] for line in text.split("\r\n") if line.lower().startswith("mcp-session-id"))
    writer.write(head(server, "GET", "/mcp", Mcp_Session_Id=session))
    await answer(reader)
    kept.append((reader, writer))


async def idle_streams(server):
    kept, before = [], server.memory()
    print(f"L03 alone: {await others(server)}")
    began = time.perf_counter()
    for i in range(0, STREAMS, 200):
        await asyncio.gather(*(stream(server, kept) for _ in range(min(200, STREAMS - i))))
    took = time.perf_counter() - began
    print(f"L03 {len(kept)} idle streams in {took:.1f} s ({took / len(kept) * 1e6:.0f} us each), "
          f"{(server.memory() - before) / len(kept):.1f} KiB each, {server.memory() / 1024:.1f} MiB in all")
    cpu = server.cpu()
    print(f"L03 beside them: {await others(server)}")
    await asyncio.sleep(20)
    print(f"L03 at rest: {(server.cpu() - cpu) / 20 * 100:.1f} % of a core")
    for _, writer in kept:
        writer.transport.abort()
    await asyncio.sleep(2)
    print(f"L03 after they left: {server.memory() / 1024:.1f} MiB")


async def drip(server, ends):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    began = time.perf_counter()
    answered = asyncio.create_task(reader.read(64))
    for byte in b"GET /mcp HTTP/1.1\r\nX-Slow: " + b"a" * 30:
        writer.write(bytes([byte]))
        done, _ = await asyncio.wait([answered], timeout=1)
        if done:
            break
    data = b"" if answered.exception() else answered.result()
    ends.append((time.perf_counter() - began, data[9:12]))
    writer.close()


async def slowloris(server):
    ends, cpu, before = [], server.cpu(), server.memory()
    began = time.perf_counter()
    crowd = [asyncio.create_task(drip(server, ends)) for _ in range(SLOW)]
    await asyncio.sleep(4)
    print(f"L08 {SLOW} slow heads: memory {before / 1024:.1f} to {server.memory() / 1024:.1f} MiB; others {await others(server, 200)}")
    await asyncio.gather(*crowd)
    took = time.perf_counter() - began
    print(f"L08 CPU {(server.cpu() - cpu) / took * 100:.1f} % of a core; closed after {statistics.median(e for e, _ in ends):.1f} s, "
          f"{sum(s == b'408' for _, s in ends)} of {len(ends)} with 408")


async def compare_tokens(server):
    """Tokens that agree with the right one in nothing, in all but the last, in all but the first character."""
    kinds = {"another": "x" * 47, "wrong at its end": TOKEN[:-1] + "x", "wrong at its start": "x" + TOKEN[1:], "shorter": TOKEN[:-1]}
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    times = {k: [] for k in kinds}
    for _ in range(SAMPLES // len(kinds)):
        for kind, token in kinds.items():
            request = head(server, "GET", "/metrics", token=token)
            began = time.perf_counter_ns()
            writer.write(request)
            await answer(reader)
            times[kind].append(time.perf_counter_ns() - began)
    writer.close()
    print(f"A14 medians of {SAMPLES} refusals, us: " + ", ".join(f"{k} {statistics.median(v) / 1000:.2f}" for k, v in times.items()))


async def main():
    with tempfile.TemporaryDirectory() as folder:
        for part in (idle_streams, slowloris, compare_tokens):
            server = Server(folder)
            try:
                await part(server)
            finally:
                server.child.terminate()
                server.child.wait()


asyncio.run(main())
