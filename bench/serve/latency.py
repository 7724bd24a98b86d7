#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a gateway adds to a single call: one client over a plain socket, one call after the other, in turns of one run with the same server over
its pipe and with the floor of mcp-bench.

    bench/serve/latency.py --build BUILD [--harness FOLDER] [--calls 2000] [--turns 5]

With one client the cores mostly sleep, and on a virtual machine to wake one takes longer than the call: so it is measured as it is, and again with
cores that are kept awake (a loop on each that the scheduler runs where nobody else wants to, SCHED_IDLE). The median of each turn, the least of
the turns. One line where the harness is not there. Loopback only."""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gateways import ROOT, prepare  # noqa: E402

TARGETS = ["floor-fast", "ferrule", "ferrule-modern", "ferrule-run-tool", "ferrule-pure", "ferrule-state"]
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "latency", "version": "1"}}


class Pipe:
    """The server itself."""

    def __init__(self, home):
        self.child = subprocess.Popen([os.path.join(home, "backends", "fast-echo")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.number = 0

    def call(self):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "x" * 64}}}
        self.child.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        while not self.child.stdout.read(65536).endswith(b"\n"):
            pass

    def end(self):
        self.child.stdin.close()
        self.child.wait(10)


class Gateway:
    def __init__(self, home, target):
        words = [w.replace("${BENCH}", home) for w in (target["cmd"], *target["args"])]
        self.child = subprocess.Popen(words, env=dict(os.environ, **target.get("env", {})), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.port = int(re.search(r":(\d+)/", target["url"]).group(1))
        self.tool, self.args, self.modern, self.number, self.own = target.get("tool", "echo"), target.get("toolArgs", {"message": "x" * 64}), target.get("era") == "modern", 1, ""
        end = time.monotonic() + 20
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), 10)
                break
            except OSError:
                if time.monotonic() > end:
                    sys.exit(f"nobody listens at {self.port}")
                time.sleep(0.02)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.modern:
            self.own = f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {self.tool}\r\n"
        else:
            head = self.post("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "latency", "version": "1"}})
            session = re.search(r"(?i)mcp-session-id: (\S+)", head)
            self.own = (f"Mcp-Session-Id: {session.group(1)}\r\n" if session else "") + "MCP-Protocol-Version: 2025-11-25\r\n"

    def post(self, method, params):
        self.number += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}, separators=(",", ":")).encode()
        self.socket.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                            f"Authorization: Bearer t\r\n{self.own}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        got = b""
        while b"\r\n\r\n" not in got:
            got += self.socket.recv(65536)
        head, _, rest = got.partition(b"\r\n\r\n")
        left = int(re.search(rb"(?i)content-length: (\d+)", head).group(1)) - len(rest)
        while left > 0:
            left -= len(self.socket.recv(65536))
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(head.decode())
        return head.decode()

    def call(self):
        params = {"name": self.tool, "arguments": self.args}
        self.post("tools/call", dict(params, _meta=MODERN) if self.modern else params)

    def end(self):
        self.socket.close()
        self.child.terminate()
        self.child.wait(30)


def median(one, calls):
    for _ in range(200):
        one.call()
    took = []
    for _ in range(calls):
        began = time.perf_counter()
        one.call()
        took.append(time.perf_counter() - began)
    return sorted(took)[calls // 2] * 1e6


def keep_awake():
    """A loop for each core that runs where nobody else wants to; it ends with us."""
    loop = "import os\nos.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nparent = os.getppid()\nwhile os.getppid() == parent:\n for _ in range(10**6): pass"
    return [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(os.cpu_count() or 1)]


def measure(o, home, targets):
    least = {}
    for _ in range(o.turns):
        for name in ["stdio-fast", *TARGETS]:
            one = Pipe(home) if name == "stdio-fast" else Gateway(home, targets[name])
            try:
                least[name] = min(median(one, o.calls), least.get(name, 1e9))
            finally:
                one.end()
    return least


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--harness", default=os.environ.get("FERRULE_MCP_BENCH", os.path.join(ROOT, "..", "shared", "tools", "mcp-bench")))
    p.add_argument("--calls", type=int, default=2000)
    p.add_argument("--turns", type=int, default=5)
    o = p.parse_args()
    binary = os.path.join(o.build, "src", "app", "ferrule")
    missing = [what for what, there in (("the harness mcp-bench", os.path.isdir(o.harness)), ("cc", shutil.which("cc")), (binary, os.path.exists(binary))) if not there]
    if missing:
        print(f"latency: not measured, as {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not there")
        return
    with tempfile.TemporaryDirectory() as folder:
        home = prepare(o, folder)
        with open(os.path.join(home, "targets.json"), encoding="utf-8") as file:
            targets = json.load(file)
        print(f"load {os.getloadavg()[0]:.1f} when it began", flush=True)
        asleep = measure(o, home, targets)
        loops = keep_awake()
        try:
            awake = measure(o, home, targets)
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
    print("\n| | p50 us | added | p50 us, cores awake | added |\n|---|---|---|---|---|")
    for name in ["stdio-fast", *TARGETS]:
        print(f"| {name} | {asleep[name]:.0f} | {asleep[name] - asleep['stdio-fast']:.0f} | {awake[name]:.0f} | {awake[name] - awake['stdio-fast']:.0f} |")


if __name__ == "__main__":
    main()
