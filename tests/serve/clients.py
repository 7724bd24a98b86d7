#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real clients against ferrule serve: npm's SDK 1.x and 2.x, and Inspector's command line, over stdio and HTTP. Skipped where they are not there.
Speaks TAP."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
import packages  # noqa: E402
from command_line import FERRULE, case, finish, skip  # noqa: E402

CONFIG = os.path.join(HERE, "tools.yaml")
CLIENTS = os.environ.get("MCP_CLIENTS", "")
WANT = {"found": "text:count:1.0.0", "words": 3, "wrong": True, "slow": "done", "progress": [1], "unknown": -32602, "cancelled": True, "after": 1}
home = tempfile.TemporaryDirectory()
env = dict(os.environ, HOME=home.name, XDG_RUNTIME_DIR="", XDG_STATE_HOME="", XDG_CONFIG_HOME="", FERRULE_TOKEN="t", MCP_CLIENTS=CLIENTS)
ready = shutil.which("node") and all(packages.there(CLIENTS, p) for p in packages.PACKAGES)
server = None
if ready:
    server = subprocess.Popen([FERRULE, "serve", "--config", CONFIG, "--listen", "0", "--expose", "b:*"], env=env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = server.stdout.readline().split()[1]
for which in ("sdk1", "sdk2", "sdk2-modern"):
    for carrier in ("stdio", "http"):
        name = f"{which} over {carrier}"
        if not ready:
            skip(name, "make mcp-clients brings the clients")
            continue
        words = [FERRULE, CONFIG] if carrier == "stdio" else [url, "t"]
        try:
            r = subprocess.run(["node", os.path.join(HERE, "client.mjs"), which, carrier, *words], env=env, text=True, capture_output=True, timeout=120)
            got = json.loads(r.stdout) if r.returncode == 0 else {}
            tools = got.pop("tools", [])
            problems = [] if got == WANT and len(tools) == 12 else [f"{got} {tools}", r.stderr[-1500:]]
        except (subprocess.TimeoutExpired, ValueError) as e:
            problems = [str(e)]
        case(name, problems)
# Inspector: what it is asked for, and what must be in its answer; exit codes other than 0 are its own for errors of tools
NODE = os.path.join(CLIENTS, "node_modules", "node", "bin", "node")
INSPECTOR = os.path.join(CLIENTS, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
ASKED = [
    ("tools/list", [], lambda r: len(r["tools"]) == 12 and {"search_tools", "run_tool", "slow"} <= {t["name"] for t in r["tools"]}),
    ("tools/call", ["--tool-name", "run_tool", "--tool-arg", "id=text:count", 'args={"text":"a b c"}'], lambda r: r["structuredContent"]["result"]["words"] == 3),
    ("tools/call", ["--tool-name", "slow"], lambda r: r["content"][0]["text"] == "done"),
    ("tools/call", ["--tool-name", "run_tool", "--tool-arg", "id=text:count", "args={}"], lambda r: r["isError"] and r["content"][0]["text"].startswith("RequiredMissing")),
]
for carrier in ("stdio", "attached", "http"):
    for era in ("legacy", "modern"):
        name = f"inspector over {carrier}, {era}"
        if not ready:
            skip(name, "make mcp-clients brings the clients")
            continue
        attach = ["--attach", "start", "--idle", "5"] if carrier == "attached" else ["--attach", "never"]
        target = ["--", FERRULE, "serve", "--stdio", *attach, "--config", CONFIG, "--expose", "b:*"] if carrier != "http" else ["--", url]
        header = ["--header", "Authorization: Bearer t"] if carrier == "http" else []
        problems = []
        for method, more, holds in ASKED:
            try:
                r = subprocess.run([NODE, INSPECTOR, "--cli", "--protocol-era", era, *header, "--method", method, *more, *target], env=env, text=True,
                                   capture_output=True, timeout=120, cwd=home.name)
                if not holds(json.loads(r.stdout)):
                    problems += [f"{method} {more}: {r.stdout[:600]}"]
            except (subprocess.TimeoutExpired, ValueError, KeyError) as e:
                problems += [f"{method} {more}: {e!r}: {r.stdout[:300]} {r.stderr[-600:]}"]
        case(name, problems)
if server:
    server.terminate()
    case("the server ends", [] if server.wait(timeout=60) == 0 else ["badly"])
finish()
