#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real clients of both eras (npm's SDK 1.x and 2.x) before a real server of the older one that asks them (npm's server-everything), through ferrule
serve. Skipped where they are not there. Speaks TAP."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from command_line import FERRULE, case, finish, skip  # noqa: E402

CLIENTS, SERVERS = os.environ.get("MCP_CLIENTS", ""), os.environ.get("MCP_SERVERS", "")
NODE = os.path.join(SERVERS, "node_modules", "node", "bin", "node")
EVERYTHING = os.path.join(SERVERS, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
SDK = os.path.join(CLIENTS, "node_modules", "@modelcontextprotocol", "client", "dist", "index.mjs")
WANT = {"elicitation": True, "sampling": True, "roots": True, "asked": ["elicitation/create", "roots/list", "sampling/createMessage"]}
folder = tempfile.TemporaryDirectory()
ENV = dict(os.environ, HOME=folder.name, XDG_RUNTIME_DIR="", XDG_STATE_HOME="", XDG_CONFIG_HOME="", FERRULE_TOKEN="")
ready = all(map(os.path.exists, (NODE, EVERYTHING, SDK)))
config = os.path.join(folder.name, "everything.json")
with open(config, "w", encoding="utf-8") as file:
    json.dump({"mcpServers": {"everything": {"command": NODE, "args": [EVERYTHING, "stdio"]}}}, file)
SERVE = [FERRULE, "serve", "--config", config, "--mode", "transparent"]
for which in ("sdk1", "sdk2-modern"):
    for carrier in ("stdio", "http"):
        name = f"{which} over {carrier}, server-everything"
        if not ready:
            skip(name, "make mcp-servers mcp-clients brings them")
            continue
        gateway, target = None, [*SERVE, "--stdio", "--attach", "never"]
        if carrier == "http":
            gateway = subprocess.Popen([*SERVE, "--listen", "0", "--no-token"], env=ENV, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            target = [gateway.stdout.readline().split()[1]]
        try:
            r = subprocess.run([NODE, os.path.join(HERE, "everything.mjs"), which, carrier, *target], env=ENV, text=True, capture_output=True, timeout=120)
            got = json.loads(r.stdout) if r.returncode == 0 else {}
            case(name, [] if got == WANT else [str(got), r.stderr[-1500:]])
        except (subprocess.TimeoutExpired, ValueError) as e:
            case(name, [str(e)])
        if gateway:
            gateway.terminate()
            gateway.wait(timeout=60)
finish()
