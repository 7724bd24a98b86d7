#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ferrule and the floor of mcp-bench under wrk, one after the other in turns of one run: calls a second, latency, processor time of the
gateway's own process.

    bench/serve/driven.py --build BUILD [--harness FOLDER] [--clients 1,16,64] [--seconds 2] [--turns 3]

The client of gateways.py is Node's, which is most of what two cores do there; wrk (Debian's package) asks ten times as fast, so that the
gateway is what is measured. The medians of the turns count, and each figure is also said as a part of the floor's. One line where wrk or the
harness is not there. Loopback only."""

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gateways import ROOT, prepare  # noqa: E402

TARGETS = ["floor-fast", "ferrule", "ferrule-state"]
SCRIPT = """
local n = 10
local headers = {["Content-Type"]="application/json", ["Accept"]="application/json, text/event-stream", ["Authorization"]="Bearer t",
                 ["MCP-Protocol-Version"]="2025-11-25", ["Mcp-Session-Id"]="%s"}
request = function()
  n = n + 1
  return wrk.format("POST", "/mcp", headers, '{"jsonrpc":"2.0","id":' .. n .. ',"method":"tools/call","params":{"name":"echo","arguments":{"message":"%s"}}}')
end
done = function(s, l)
  io.write(string.format('{"calls":%%d,"bad":%%d,"p50":%%d,"p99":%%d,"us":%%d}\\n', s.requests, s.errors.status + s.errors.read + s.errors.timeout + s.errors.connect,
                         l:percentile(50), l:percentile(99), s.duration))
end
"""


def post(url, message, session=""):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer t"}
    if session:
        headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    request = urllib.request.Request(url, json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()
        return answer.headers.get("Mcp-Session-Id") or ""


def worked(pid):
    """What all threads of a process have worked, in microseconds."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1000


def wait_for(port):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nobody listens at {port}")


def measure(o, home, target, clients):
    env = dict(os.environ, **target.get("env", {}))
    words = [w.replace("${BENCH}", home) for w in (target["cmd"], *target["args"])]
    gateway = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(int(re.search(r":(\d+)/", target["url"]).group(1)))
        session = post(target["url"], {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "driven", "version": "1"}}})
        post(target["url"], {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
        script = os.path.join(home, "driven.lua")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT % (session, "x" * 64))
        before = worked(gateway.pid)
        out = subprocess.run(["wrk", "-t1", f"-c{clients}", f"-d{o.seconds}s", "-s", script, target["url"]], capture_output=True, text=True, timeout=o.seconds + 60, check=False)
        after = worked(gateway.pid)
    finally:
        gateway.terminate()
        gateway.wait(30)
    said = json.loads(next(line for line in out.stdout.splitlines() if line.startswith("{")))
    return {"rps": said["calls"] * 1e6 / said["us"], "p50": said["p50"], "p99": said["p99"], "cpu": (after - before) / max(said["calls"], 1), "bad": said["bad"]}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--harness", default=os.environ.get("FERRULE_MCP_BENCH", os.path.join(ROOT, "..", "shared", "tools", "mcp-bench")))
    p.add_argument("--clients", default="1,16,64")
    p.add_argument("--seconds", type=int, default=2)
    p.add_argument("--turns", type=int, default=3)
    o = p.parse_args()
    binary = os.path.join(o.build, "src", "app", "ferrule")
    missing = [what for what, there in (("the harness mcp-bench", os.path.isdir(o.harness)), ("wrk", shutil.which("wrk")), ("cc", shutil.which("cc")), (binary, os.path.exists(binary))) if not there]
    if missing:
        print(f"driven: not measured, as {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not there")
        return
    with tempfile.TemporaryDirectory() as folder:
        home = prepare(o, folder)
        with open(os.path.join(home, "targets.json"), encoding="utf-8") as file:
            targets = json.load(file)
        print(f"load {os.getloadavg()[0]:.1f} when it began\n\n| | clients | calls/s | of the floor's | p50 us | p99 us | CPU us a call | times the floor's | errors |\n|---|---|---|---|---|---|---|---|---|")
        for clients in map(int, o.clients.split(",")):
            rows = {name: [] for name in TARGETS}
            for _ in range(o.turns):
                for name in TARGETS:
                    rows[name].append(measure(o, home, targets[name], clients))
            middle = {name: {key: statistics.median(r[key] for r in rows[name]) for key in ("rps", "p50", "p99", "cpu")} for name in TARGETS}
            floor = middle["floor-fast"]
            for name in TARGETS:
                m = middle[name]
                print(f"| {name} | {clients} | {m['rps']:,.0f} | {m['rps'] / floor['rps']:.2f} | {m['p50']:,.0f} | {m['p99']:,.0f} | {m['cpu']:.1f} | {m['cpu'] / floor['cpu']:.2f} | {sum(r['bad'] for r in rows[name])} |", flush=True)


if __name__ == "__main__":
    main()
