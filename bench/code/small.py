#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small programs with one tool call, over and over: execute_code, warm and cold, beside node started for each run and, where --npm (or
BENCH_NPM) names a folder whose node_modules has them, quickjs-emscripten and isolated-vm inside one node. Everything in one run.

    bench/code/small.py --build BUILD [--npm FOLDER] [--node NODE] [--runs 100]

What is timed is a whole run as its caller sees it: from the request to the value, the tool call between them. For Ferrule that is a round trip over
MCP (stdio), with a sandbox of its own for each run; the time to the first tool call, with its answer and the word of it to the client, is a row of
its own. The engines of npm have no sandbox but
their own, and no gateway: their "tool" is a function of the same process. Then the memory of programs that wait. Prints Markdown."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CODE = "(await tools.text.count({text: 'a b'})).words"
FIRST = "await tools.text.count({text: 'a b'}); console.log(1)"


class Gateway:
    def __init__(self, ferrule, folder, warm):
        config = os.path.join(folder, f"warm-{warm}.yaml")
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"code: {{warm: {warm}, allowDegraded: true}}\n")
        self.p = subprocess.Popen([ferrule, "serve", "--stdio", "--attach", "never", "-C", config], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.p.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def ask(self, number, method, params):
        self.p.stdin.write((json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n").encode())
        self.p.stdin.flush()
        while True:
            m = json.loads(self.p.stdout.readline())
            if m.get("id") == number:
                return m

    def run(self, number):
        began = time.perf_counter()
        r = self.ask(number, "tools/call", {"name": "execute_code", "arguments": {"code": CODE}})
        took = time.perf_counter() - began
        assert r["result"]["structuredContent"]["value"] == 2, r
        return took * 1000

    def first(self, number):
        """Until the client hears that the first tool call was answered: what the program prints behind it."""
        began = time.perf_counter()
        self.p.stdin.write((json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": FIRST}, "_meta": {"progressToken": number}}}) + "\n").encode())
        self.p.stdin.flush()
        took = None
        while True:
            m = json.loads(self.p.stdout.readline())
            if m.get("method") == "notifications/progress" and took is None:
                took = time.perf_counter() - began
            if m.get("id") == number:
                return took * 1000

    def close(self):
        self.p.stdin.close()
        self.p.wait(30)


def tree(pid):
    """All processes below one."""
    below = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        below.setdefault(parent, []).append(int(name))
    found, queue = [], [pid]
    while queue:
        for child in below.get(queue.pop(), []):
            found.append(child)
            queue.append(child)
    return found


def memory(pid):
    """Kilobytes that would be free without it: its own pages, and its share of those that it has with others."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))


def idle_memory(ferrule, folder, count=10):
    """Kilobytes and processes of one that waits."""
    g = Gateway(ferrule, folder, count)
    g.run(1)
    time.sleep(2)  # until all wait again
    processes = tree(g.p.pid)
    total = sum(memory(p) for p in processes)
    g.close()
    return total / count, len(processes) / count


def times(run, count, pause=0.0):
    out = []
    for number in range(1, count + 1):
        out.append(run(number))
        time.sleep(pause)
    return out


def row(name, list_, note):
    list_ = sorted(list_)
    print(f"| {name} | {statistics.median(list_):.2f} | {list_[int(len(list_) * 0.95)]:.2f} | {note} |", flush=True)


def ferrule_rows(o, folder):
    for warm, pause, note in ((4, 0.1, "a sandbox each, made before it was needed"), (0, 0, "a sandbox each, made for it")):
        g = Gateway(o.ferrule, folder, warm)
        time.sleep(1)
        name = "warm" if warm else "cold"
        row(f"ferrule, {name}", times(g.run, o.runs, pause), note)
        row(f"ferrule, {name}: to the first tool call", times(lambda n: g.first(10000 + n), o.runs, pause), "and back: its answer, told to the client as progress")
        g.close()


def node_row(o):
    code = "const tools = {count: async a => ({words: a.text.split(' ').length})}; tools.count({text: 'a b'}).then(r => console.log(r.words))"

    def run(_):
        began = time.perf_counter()
        assert subprocess.run([o.node, "-e", code], capture_output=True, check=True).stdout == b"2\n"
        return (time.perf_counter() - began) * 1000

    row("node, started for each run", times(run, min(o.runs, 30)), "no sandbox, no gateway")


def peer_rows(o):
    for peer in ("quickjs-emscripten", "isolated-vm"):
        if not o.npm or not os.path.isdir(os.path.join(o.npm, "node_modules", peer)):
            print(f"| {peer} | - | - | not there: --npm |")
            continue
        r = subprocess.run([o.node, "--no-node-snapshot", os.path.join(HERE, "peers.mjs"), o.npm, peer, str(o.runs)], capture_output=True, text=True)
        if r.returncode:
            print(f"| {peer} | - | - | {(r.stderr.strip().splitlines() or ['it failed'])[-1][:80]} |")
        else:
            row(peer, json.loads(r.stdout), "a new engine each, inside one node; the tool is a function")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--npm", default=os.environ.get("BENCH_NPM", ""))
    p.add_argument("--node", default=shutil.which("node"))
    p.add_argument("--runs", type=int, default=100)
    o = p.parse_args()
    o.ferrule = os.path.join(o.build, "src", "app", "ferrule")
    with tempfile.TemporaryDirectory() as folder:
        print("| one tool call | p50 ms | p95 ms | |\n|---|---|---|---|")
        ferrule_rows(o, folder)
        if o.node:
            node_row(o)
            peer_rows(o)
        kilobytes, processes = idle_memory(o.ferrule, folder)
        print(f"\nA program that waits, with its sandbox: {kilobytes / 1024:.2f} MiB (proportional set) in {processes:.0f} processes.")


main()
