#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server half of the official suite of conformance of MCP, every scenario of both versions, scored or not, against ferrule serve in
transparent mode before a server that has what the scenarios ask for (fixture.py). FERRULE_REFERENCE_SERVER names the URL of
another such server, to be asked in its place. Speaks TAP, and says a score for each version; skipped where `make mcp-servers` has
not brought the suite."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "mcp"))
from official import Official  # noqa: E402

ferrule, suite = os.path.abspath(sys.argv[1]), Official(sys.argv[2])
VERSIONS = {"2025-11-25": ("legacy", 30), "2026-07-28": ("modern", 37)}
EMPTY = {"tasks-status-notifications"}  # has no checks


def begin(folder, era):
    config = os.path.join(folder, era + ".json")
    reference = os.environ.get("FERRULE_REFERENCE_SERVER")
    server = {"url": reference} if reference else {"command": sys.executable, "args": [os.path.join(HERE, "fixture.py"), era]}
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"fixture": server}, "serve": {"limits": {"pollMs": 1000, "retryMs": 200}}}, file)
    child = subprocess.Popen([ferrule, "serve", "--config", config, "--mode", "transparent", "--listen", "0", "--no-token"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env=dict(os.environ, HOME=folder))
    return child, child.stdout.readline().split()[1]


with tempfile.TemporaryDirectory() as folder:
    for version, (era, wanted) in VERSIONS.items():
        gateway, url = begin(folder, era)
        suite.score(folder, version, ["server", "--url", url], wanted, EMPTY)
        gateway.terminate()
        gateway.wait(timeout=60)
suite.end()
