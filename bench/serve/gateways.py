#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ferrule as a gateway beside others, one after the other in one run: CPU per call, latency, memory, start-up.

    bench/serve/gateways.py --build BUILD [--harness FOLDER] [--npm FOLDER] [--seconds 3] [--rounds 2] [TARGET...]

The load comes from mcp-bench (a Node client over plain sockets), which is looked for in ../shared/tools/mcp-bench; where it or node is not
there, one line says so. A C program that only relays (floor) and a C server that only echoes come with it. Gateways of npm are measured
where --npm (or BENCH_NPM) names a folder that has core/node_modules with @modelcontextprotocol/server-everything and
gateways/NAME/node_modules with mcp-proxy, supergateway and mcp-hub. Prints a table in Markdown; the best of the rounds counts."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXT = "x" * 64
OURS = {
    # name: what it is, options of serve, tool, arguments, era
    "ferrule": ("transparent, sessions of 2025-11-25", ["--mode", "transparent"], "echo", {"message": TEXT}, "legacy", {}),
    "ferrule-modern": ("transparent, 2026-07-28", ["--mode", "transparent"], "echo", {"message": TEXT}, "modern", {}),
    "ferrule-run-tool": ("the meta tool run_tool", [], "run_tool", {"id": "fast:echo", "args": {"message": TEXT}}, "legacy", {}),
    "ferrule-state": ("transparent, with a ledger and a store", ["--mode", "transparent"], "echo", {"message": TEXT}, "legacy", {"state": "state"}),
    "ferrule-pure": ("the same, of a tool that the operator says is Pure", ["--mode", "transparent"], "echo", {"message": TEXT}, "legacy",
                     {"state": "state", "policies": {"tools": {"fast:echo": {"effect": "Pure"}}}}),
}
PEERS = ["mcp-proxy-fast", "supergateway-stateful-fast", "mcp-hub-fast"]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--harness", default=os.environ.get("FERRULE_MCP_BENCH", os.path.join(ROOT, "..", "shared", "tools", "mcp-bench")))
    p.add_argument("--npm", default=os.environ.get("BENCH_NPM", ""))
    p.add_argument("--seconds", type=float, default=3)
    p.add_argument("--calls", type=int, default=2000)
    p.add_argument("--clients", default="1,16,64")
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("targets", nargs="*")
    return p.parse_args()


def prepare(o, folder):
    """The harness with our targets, its two C programs built, in a folder of its own."""
    home = os.path.join(folder, "bench")
    shutil.copytree(o.harness, home)
    subprocess.run(["chmod", "-R", "u+w", home], check=True)
    fast = os.path.join(home, "backends", "fast-echo")
    subprocess.run(["cc", "-O2", "-o", fast, fast + ".c"], check=True)
    subprocess.run(["cc", "-O2", "-o", os.path.join(home, "floor", "floor_gw"), os.path.join(home, "floor", "floor_gw.c")], check=True)
    os.makedirs(os.path.join(home, "cfg"), exist_ok=True)
    with open(os.path.join(home, "cfg", "hub-fast.json"), "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"ev": {"command": fast, "args": []}}}, file)
    with open(os.path.join(home, "targets.json"), encoding="utf-8") as file:
        targets = json.load(file)
    for number, (name, (what, words, tool, args, era, more)) in enumerate(OURS.items()):
        own = os.path.join(folder, name)
        os.mkdir(own)
        with open(os.path.join(own, "ferrule.yaml"), "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"fast": {"command": fast, "args": []}}, "defaults": {}, **more}, file)
        port = 18200 + number
        targets[name] = {"desc": what, "cmd": os.path.join(os.path.abspath(o.build), "src", "app", "ferrule"),
                         "args": ["serve", "--config", os.path.join(own, "ferrule.yaml"), "--listen", str(port), "--attach", "never", *words],
                         "url": f"http://127.0.0.1:{port}/mcp", "era": era, "tool": tool, "listName": tool, "toolArgs": args,
                         "backendRe": "fast-echo", "env": {"FERRULE_TOKEN": "t", "HOME": own, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""},
                         "headers": {"Authorization": "Bearer t"}}
    with open(os.path.join(home, "targets.json"), "w", encoding="utf-8") as file:
        json.dump(targets, file)
    return home


def measure(o, home, name):
    out = os.path.join(home, "result.json")
    subprocess.run(["node", os.path.join(home, "bench.mjs"), name, "--secs", str(o.seconds), "--lat", str(o.calls), "--clients", o.clients, "--out", out],
                   env=dict(os.environ, BENCH_NPM=os.path.abspath(o.npm) if o.npm else ""), check=False, stdout=subprocess.DEVNULL, timeout=600)
    try:
        with open(out, encoding="utf-8") as file:
            result = json.load(file)[0]
        os.remove(out)
    except (OSError, ValueError):
        return {"err": "no result"}
    return result


def best(old, new):
    """Of two rounds the smaller cost counts, and the larger rate."""
    if not old or old.get("err"):
        return new
    if new.get("err"):
        return old
    for key in ("listenMs", "readyMs"):
        if key in new and key in old:
            old[key] = min(old[key], new[key])
    old["latencyUs"] = min(old["latencyUs"], new["latencyUs"], key=lambda x: x["p50"])
    old["idle"] = min(old["idle"], new["idle"], key=lambda x: x["gwRssKb"])
    for a, b in zip(old["load"], new["load"]):
        for key, choose in (("gwCpuUsPerCall", min), ("rps", max), ("gwRssKb", min)):
            if a.get(key) is not None and b.get(key) is not None:
                a[key] = choose(a[key], b[key])
        a["bad"] = a.get("bad", 0) + b.get("bad", 0)
    return old


def number(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def main():
    o = arguments()
    binary = os.path.join(o.build, "src", "app", "ferrule")
    missing = [what for what, there in (("the harness mcp-bench", os.path.exists(os.path.join(o.harness, "bench.mjs"))), ("node", shutil.which("node")),
                                        ("cc", shutil.which("cc")), (binary, os.path.exists(binary))) if not there]
    if missing:
        print(f"gateways: not measured, as {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not there")
        return 0
    peers = [p for p in PEERS if o.npm and os.path.isdir(os.path.join(o.npm, "gateways", re.sub(r"-(stateful-)?fast$", "", p)))]
    names = o.targets or ["stdio-fast", "floor-fast", *OURS, *peers]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        home = prepare(o, folder)
        for _ in range(o.rounds):
            for name in names:
                results[name] = best(results.get(name), measure(o, home, name))
    base = results.get("stdio-fast", {}).get("latencyUs", {}).get("p50")
    loads = o.clients.split(",")
    print("| | ready ms | idle RSS MB | p50 us | +p50 us | p99 us | " + " | ".join(f"calls/s at {c}" for c in loads) + " | CPU us a call | RSS MB under load |")
    print("|---|" + "---|" * (7 + len(loads)))
    for name in names:
        r = results[name]
        if r.get("err") or "latencyUs" not in r:
            print(f"| {name} | {r.get('err', 'no result')[:80]} |" + " |" * (6 + len(loads)))
            continue
        lat, load = r["latencyUs"], r["load"]
        cpu = [x["gwCpuUsPerCall"] for x in load if x.get("gwCpuUsPerCall") is not None]
        row = [name, number(r.get("readyMs")), number(r["idle"]["gwRssKb"] / 1024, 1), number(lat["p50"]),
               number(lat["p50"] - base) if base else "-", number(lat["p99"]),
               *[number(x.get("rps")) + (f" ({x['bad']} bad)" if x.get("bad") else "") for x in load],
               number(min(cpu) if cpu else None, 1), number(max(x.get("gwRssKb", 0) for x in load) / 1024, 1)]
        print("| " + " | ".join(row) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
