#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real servers from npm behind one gateway, at once and under names that collide: everything twice (over stdio and over HTTP), filesystem,
memory, sequential-thinking. Real clients in front: SDK 1.x and 2.x, Inspector, over stdio and HTTP. Then each server is killed in the middle
of a call, and at last the gateway itself. Skipped where the packages are not there. Speaks TAP."""

import calendar
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "mcp"), os.path.join(HERE, "..", "app")]
import importlib.util  # noqa: E402

from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import FERRULE, finish, skip  # noqa: E402


def packages_of(room):
    spec = importlib.util.spec_from_file_location(room + "_packages", os.path.join(HERE, "..", room, "packages.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SERVERS, CLIENTS = os.environ.get("MCP_SERVERS", ""), os.environ.get("MCP_CLIENTS", "")
servers, clients = packages_of("mcp"), packages_of("serve")
NAMES = ["everything", "filesystem", "memory", "sequential-thinking"]
if not shutil.which("node") or not all(servers.there(SERVERS, "@modelcontextprotocol/server-" + n) for n in NAMES):
    skip("real servers", "make mcp-servers brings them")
    finish()
    sys.exit()
with_clients = all(clients.there(CLIENTS, p) for p in clients.PACKAGES)
folder = tempfile.TemporaryDirectory()
FILES = os.path.join(folder.name, "files")
os.makedirs(FILES)
with open(os.path.join(FILES, "hello.txt"), "w", encoding="utf-8") as f:
    f.write("hello of the test\n")
MEMORY = os.path.join(folder.name, "memory.jsonl")
with open(MEMORY, "w", encoding="utf-8") as f:
    f.write('{"type":"entity","name":"ferrule","entityType":"tool","observations":["small"]}\n')


def main_of(name):
    return os.path.join(SERVERS, "node_modules", "@modelcontextprotocol", "server-" + name, "dist", "index.js")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


port = free_port()


def start_remote():
    child = subprocess.Popen(["node", main_of("everything"), "streamableHttp"], env=dict(os.environ, PORT=str(port)), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listens():
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    until(listens, 60)
    return child


remote = start_remote()
LOG = os.path.join(folder.name, "gateway.log")
config = os.path.join(folder.name, "ferrule.yaml")
with open(config, "w", encoding="utf-8") as f:
    json.dump({
        "mcpServers": {
            "everything": {"command": "node", "args": [main_of("everything")]},
            "remote": {"url": f"http://127.0.0.1:{port}/mcp"},
            "filesystem": {"command": "node", "args": [main_of("filesystem"), FILES]},
            "memory": {"command": "node", "args": [main_of("memory")], "env": {"MEMORY_FILE_PATH": MEMORY}},
            "thinking": {"command": "node", "args": [main_of("sequential-thinking")]},
        },
        "catalog": "tools.catalog",
        "telemetry": {"logFile": "gateway.log", "logFormat": "json", "logLevel": "info"},
    }, f)
env = {"FERRULE_TOKEN": TOKEN, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "REAL_FILES": FILES, "MCP_CLIENTS": CLIENTS}
s = Server("--mode", "tools", config=config, env=dict(os.environ, **env), folder=folder.name)


def result(answer):
    message = json.loads(answer[2])
    return message.get("result", message)


def listed():
    names, cursor = [], None
    while True:
        page = result(s.modern("tools/list", {"cursor": cursor} if cursor else {}))
        names += [t["name"] for t in page.get("tools", [])]
        cursor = page.get("nextCursor")
        if not cursor:
            return names


case("all five are there", [] if until(lambda: {"everything__echo", "remote__echo", "read_text_file", "create_entities", "sequentialthinking"} <= set(listed()), 90) else [str(listed())])

# ---- real clients
WANT = {"here": "Echo: here", "there": "Echo: there", "sum": "The sum of 2 and 3 is 5.", "file": "hello of the test", "graph": ["ferrule"], "thought": 1, "prompt": 1, "collide": True,
        "prompts": True, "resources": True, "read": True}
url = f"http://127.0.0.1:{s.port}/mcp"
for which in ("sdk1", "sdk2", "sdk2-modern"):
    for carrier in ("http", "stdio"):
        if not with_clients:
            skip(f"{which} over {carrier}", "make mcp-clients brings the clients")
            continue
        words = [FERRULE, config] if carrier == "stdio" else [url, TOKEN]
        try:
            r = subprocess.run(["node", os.path.join(HERE, "real_client.mjs"), which, carrier, *words], env=dict(os.environ, HOME=folder.name, **env), text=True, capture_output=True, timeout=180)
            got = json.loads(r.stdout) if r.returncode == 0 else {}
            problems = [f"{k}: {got.get(k)!r}, not {v!r}" for k, v in WANT.items() if got.get(k) != v] + ([r.stderr[-1500:]] if not got else [])
        except (subprocess.TimeoutExpired, ValueError) as e:
            problems = [str(e)]
        case(f"{which} over {carrier}", problems)
NODE = os.path.join(CLIENTS, "node_modules", "node", "bin", "node")
INSPECTOR = os.path.join(CLIENTS, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
ASKED = [("tools/list", [], lambda r: {"everything__echo", "remote__echo"} <= {t["name"] for t in r["tools"]}),
         ("tools/call", ["--tool-name", "remote__echo", "--tool-arg", "message=hi"], lambda r: r["content"][0]["text"] == "Echo: hi"),
         ("tools/call", ["--tool-name", "read_text_file", "--tool-arg", f"path={FILES}/hello.txt"], lambda r: "hello of the test" in r["content"][0]["text"]),
         ("prompts/list", [], lambda r: {"everything__simple-prompt", "remote__simple-prompt"} <= {p["name"] for p in r["prompts"]}),
         ("resources/list", [], lambda r: len(r["resources"]) > 0)]
for carrier in ("http", "stdio"):
    for era in ("legacy", "modern"):
        name = f"inspector over {carrier}, {era}"
        if not with_clients:
            skip(name, "make mcp-clients brings the clients")
            continue
        target = ["--", FERRULE, "serve", "--stdio", "--attach", "never", "--mode", "tools", "--config", config] if carrier == "stdio" else ["--", url]
        header = ["--header", "Authorization: Bearer " + TOKEN] if carrier == "http" else []
        problems = []
        for method, more, holds in ASKED:
            r = subprocess.run([NODE, INSPECTOR, "--cli", "--protocol-era", era, *header, "--method", method, *more, *target], env=dict(os.environ, HOME=folder.name, **env), text=True,
                               capture_output=True, timeout=120, cwd=folder.name)
            try:
                if not holds(json.loads(r.stdout)):
                    problems += [f"{method} {more}: {r.stdout[:600]}"]
            except (ValueError, KeyError) as e:
                problems += [f"{method} {more}: {e!r}: {r.stdout[:300]} {r.stderr[-600:]}"]
        case(name, problems)

# ---- kill -9 of each server, in the middle of a call
sid = s.session()[0]
numbers = itertools.count(1)


def in_session(name, args):
    """A call of a client of 2025-11-25, on a connection of its own that stays open."""
    body = {"jsonrpc": "2.0", "id": next(numbers), "method": "tools/call", "params": {"name": name, "arguments": args}}
    c, r = s.ask("POST", "/mcp", body, {"Mcp-Session-Id": sid, "MCP-Protocol-Version": "2025-11-25"}, raw=True)
    text = r.read().decode()
    at = time.time()
    data = [line[6:] for line in text.splitlines() if line.startswith("data: ") and line.strip() != "data:"] if "event-stream" in r.getheader("Content-Type", "") else [text]
    c.close()
    return at, json.loads(data[-1])


def pid_of(name):
    """The process of a server, found among the gateway's children."""
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{entry}/cmdline", encoding="utf-8") as f:
                line = f.read()
        except (OSError, ValueError):
            continue
        if entry.isdigit() and parent == s.child.pid and "server-" + name in line:
            return int(entry)
    return None


def times_of(event, key, value, since):
    """When something was written to the log after `since`, in seconds since 1970."""
    times = []
    with open(LOG, encoding="utf-8") as f:
        for line in f:
            e = json.loads(line)
            if e.get("event") == event and str(e.get(key, "")).startswith(value):
                at = calendar.timegm(time.strptime(e["ts"][:19], "%Y-%m-%dT%H:%M:%S")) + float(e["ts"][19:-1])
                times += [at] if at >= since - 1 else []
    return times


SLOW = {"everything": ("everything__trigger-long-running-operation", {"duration": 120, "steps": 2}), "remote": ("remote__trigger-long-running-operation", {"duration": 120, "steps": 2})}
NEXT = {"everything": ("everything__echo", {"message": "x"}), "remote": ("remote__echo", {"message": "x"}), "filesystem": ("read_text_file", {"path": FILES + "/hello.txt"}),
        "memory": ("read_graph", {}), "thinking": ("sequentialthinking", {"thought": "x", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1})}
PROGRAM = {"thinking": "sequential-thinking"}
for name in NEXT:
    in_session(*NEXT[name])  # it runs
    victim = remote.pid if name == "remote" else pid_of(PROGRAM.get(name, name))
    if not victim:
        case(f"kill -9 of {name}", ["its process is not there"])
        continue
    answers, since = [], time.time()
    if name in SLOW:
        threads = [threading.Thread(target=lambda: answers.append(in_session(*SLOW[name]))) for _ in range(5)]
        for t in threads:
            t.start()
        admin = lambda: [b for b in json.loads(s.ask("GET", "/admin/v1/backends")[2])["backends"] if b["name"] == name][0]  # noqa: E731
        until(lambda: admin()["running"] >= 5)
        os.kill(victim, signal.SIGKILL)
        for t in threads:
            t.join(60)
        codes = {a[1].get("result", {}).get("_meta", {}).get("ferrule/error", {}).get("code") for a in answers}
        # Nobody knows what a tool that says nothing of its effects has done by then.
        case(f"kill -9 of {name}: five calls in flight are answered", [] if len(answers) == 5 and codes == {"OutcomeUnknown"} else
             [f"{len(answers)} answers, {codes}: {str(answers)[:500]}"])
        seen = (times_of("backend.lost", "backend", name, since) or [None])[-1]
        ended = times_of("tool.failed", "tool.name", name + ":", since)
        if name == "everything":
            case("the death is in the log before the answers", [] if seen and all(seen <= a[0] + 0.001 for a in answers) else [f"{seen} {[a[0] for a in answers]}"])
        if seen and ended:
            print(f"# {name}: of five calls in flight the last had ended {1000 * max(t - seen for t in ended):.3f} ms after its death was seen, and its client had "
                  f"the answer after {1000 * max(a[0] - seen for a in answers):.1f} ms")
    else:
        os.kill(victim, signal.SIGKILL)
    if name == "remote":
        remote.wait()
        remote = start_remote()
    answer = {}

    def is_served():
        """A call that met the death itself says so; the next one is served."""
        global answer
        answer = in_session(*NEXT[name])[1]
        return not answer.get("result", {}).get("isError")

    until(is_served, 30)
    good = "content" in answer.get("result", {}) and not answer["result"].get("isError")
    case(f"kill -9 of {name}: the next call in the same session succeeds", [] if good else [str(answer)[:500]])
    fresh = remote.pid if name == "remote" else pid_of(PROGRAM.get(name, name))
    case(f"{name} is another process now", [] if fresh and fresh != victim else [f"{fresh} {victim}"])

# ---- kill -9 of the gateway: whole trees go with it
def tree(pid):
    """All below a process."""
    children = {}
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as f:
                children.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(entry))
        except (OSError, ValueError):
            continue
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


below = tree(s.child.pid)
case("it has its servers below it", [] if len(below) >= 4 else [str(below)])
s.end(signal.SIGKILL)
gone = until(lambda: not any(alive(p) for p in below), 30)
case("kill -9 of the gateway: no orphans", [] if gone else [f"{[p for p in below if alive(p)]} of {below}"])
print(f"# {len(below)} processes below a killed gateway, {sum(alive(p) for p in below)} of them left")
remote.terminate()
remote.wait()
finish()
