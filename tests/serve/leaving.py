#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that leave, break off, do not read or meddle (F58), one and many at once (F59), over ferrule serve. Speaks TAP."""

import json
import os
import resource
import socket
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import case, finish  # noqa: E402

from web_rig import MODERN, TOKEN, Server, home, same, until  # noqa: E402

BADTOOL = os.environ["BADTOOL"]
NOTES = os.path.join(home.name, "notes")
CONFIG = os.path.join(home.name, "leaving.json")
LONG = "FERRULE_LONG_TESTS" in os.environ
big = 'import json; print(json.dumps(dict(rows=["x" * 100] * 10000)))'
with open(CONFIG, "w") as f:
    json.dump({"mcpServers": {"b": {"command": BADTOOL, "args": ["--log", NOTES, "mcp", "ok"]}},
               "policies": {"backends": {"b": {"concurrency": 500, "trusted": True}}, "tenants": {"*": {"concurrency": 1000}}},
               "commands": [{"name": "big", "namespace": "c", "description": "Gives a megabyte.", "effect": "Pure", "inputSchema": {"type": "object"},
                             "run": {"argv": [sys.executable, "-c", big]}}]}, f)
s = Server("--expose", "*:*", config=CONFIG)


def noted(event):
    """When badtool noted it, by the monotonic clock."""
    try:
        with open(NOTES) as f:
            return [int(line.split(" ", 2)[1]) for line in f if line.split(" ", 3)[2].strip() == event]
    except FileNotFoundError:
        return []


def request(tool, meta=None, method="POST", id=1):
    """The bytes of a modern call."""
    body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {}, "_meta": dict(MODERN, **(meta or {}))}})
    return (f"{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def connect(small=False):
    c = socket.socket()
    if small:
        c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    c.settimeout(60)
    c.connect(("127.0.0.1", s.port))
    return c


def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()


def running():
    text = s.ask("GET", "/metrics")[2]
    return int(text.split("\nferrule_mcp_requests_under_way ")[1].split("\n")[0])


def echo():
    return s.modern("tools/call", {"name": "echo", "arguments": {"n": 1}})


def others():
    """Everybody else is answered, and nothing is left under way."""
    status, _, text = echo()
    quiet = until(lambda: running() == 0)
    return (status, '"n":1' in text, quiet)


FINE = (200, True, True)
same("somebody is there", others(), FINE)

# ---- F58

c = connect()
c.sendall(request("slow")[:-20])
reset(c)
same("F58 breaks off in the middle of a request", (others(), noted("waits")), (FINE, []))

for how, leave in (("closes", lambda c: c.close()), ("resets", reset)):
    best = None
    for _ in range(5):
        waits, told = len(noted("waits")), len(noted("cancelled"))
        c = connect()
        c.sendall(request("slow"))
        until(lambda: len(noted("waits")) > waits)
        asked = time.monotonic_ns()
        leave(c)
        if not until(lambda: len(noted("cancelled")) > told):
            break
        took = noted("cancelled")[-1] - asked
        best = took if best is None else min(best, took)
    print(f"# the backend knew after {(best or 0) / 1e6:.1f} ms, the best of 5")
    same(f"F58 {how} while a call runs: the backend is told", (best is not None, others()), (True, FINE))

waits, told = len(noted("waits")), len(noted("cancelled"))
c = connect()
c.sendall(request("slow", {"progressToken": "p"}))
until(lambda: len(noted("waits")) > waits)
c.close()
same("F58 leaves in the middle of a stream", (until(lambda: len(noted("cancelled")) > told), others()), (True, FINE))

c = connect()
c.sendall(request("echo"))
c.shutdown(socket.SHUT_WR)
answer = b""
try:
    while piece := c.recv(65536):
        answer += piece
except OSError:
    pass
c.close()
# Who closes its half has left: what runs is cancelled, unless it was quicker.
same("F58 half-closes", (answer[:12] in (b"", b"HTTP/1.1 200", b"HTTP/1.1 500"), others()), (True, FINE))

lazy = [connect(small=True) for _ in range(8)]
for c in lazy:
    c.sendall(request("big") * 4)
same("F58 never reads: others are answered", [echo()[0] for _ in range(20)], [200] * 20)
for c in lazy:
    reset(c)
same("F58 never reads, and goes", others(), FINE)

sid = s.session()[0]
head = (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nMcp-Session-Id: {sid}\r\n"
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n")
body = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
c = connect()
c.sendall((head + f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
status = c.recv(12)
reset(c)
same("F58 resets after 202", (status, others()), (b"HTTP/1.1 202", FINE))

# Two sessions: one may not cancel what the other asked for.
mine, theirs = sid, s.session()[0]
waits, told = len(noted("waits")), len(noted("cancelled"))
ended = []


def legacy(session, message):
    return s.ask("POST", "/mcp", message, {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"})


def ask_slow():
    ended.append(legacy(mine, {"jsonrpc": "2.0", "id": "call-1", "method": "tools/call", "params": {"name": "slow", "arguments": {}}})[0])


thread = threading.Thread(target=ask_slow)
thread.start()
until(lambda: len(noted("waits")) > waits)
meddles = [legacy(theirs, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": i}})[0] for i in ("call-1", 1, "nobody")]
still = (echo()[0], len(noted("cancelled")) - told, list(ended))
legacy(mine, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "call-1"}})
over = until(lambda: len(noted("cancelled")) > told)
thread.join(30)
same("F58 cancels what another asked for: nothing happens", (meddles, still), ([202] * 3, (200, 0, [])))
same("F58 cancels its own", (over, thread.is_alive(), others()), (True, False, FINE))

# ---- F59

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
want = 10000 if LONG else 1000
many = min(want, hard - 200 if hard != resource.RLIM_INFINITY else want)
if soft < many + 100:
    resource.setrlimit(resource.RLIMIT_NOFILE, (many + 100, hard))


def held():
    """Descriptors and kilobytes of the server."""
    with open(f"/proc/{s.child.pid}/status") as f:
        rss = int(f.read().split("VmRSS:")[1].split()[0])
    return len(os.listdir(f"/proc/{s.child.pid}/fd")), rss


others()
before, told, waits = held(), len(noted("cancelled")), len(noted("waits"))
crowd, calls = [], 100
for i in range(many):
    try:
        c = connect()
    except OSError:
        break
    c.sendall(request("slow") if i < calls else b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    crowd.append(c)
until(lambda: len(noted("waits")) >= waits + calls, 60)
print(f"# {len(crowd)} clients, {calls} of them with a call under way")
for c in crowd:
    reset(c)
answers = [echo()[0] for _ in range(50)]
quiet = until(lambda: running() == 0, 60)
gone = until(lambda: held()[0] <= before[0] + 5, 60)
after = held()
print(f"# descriptors {before[0]} -> {after[0]}, memory {before[1]} -> {after[1]} KiB")
same("F59 many leave at once: others are answered", answers, [200] * 50)
same("F59 their calls are cancelled", (quiet, until(lambda: len(noted("cancelled")) >= told + calls, 60)), (True, True))
same("F59 nothing of them is left", (gone, after[1] < before[1] + 200 * 1024), (True, True))
same("it ends well", s.end(), 0)
finish()
