#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server half of the official suite of conformance of MCP, every scenario of both versions, scored or not, against ferrule serve in
transparent mode before a server that has what the scenarios ask for (fixture.py). FERRULE_REFERENCE_SERVER names the URL of
another such server, to be asked in its place. Speaks TAP, and says a score for each version; skipped where `make mcp-servers` has
not brought the suite."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ferrule, packages = os.path.abspath(sys.argv[1]), sys.argv[2]
NODE = os.path.join(packages, "node_modules", "node", "bin", "node")
SUITE = os.path.join(packages, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
VERSIONS = {"2025-11-25": "legacy", "2026-07-28": "modern"}
# What is known to fail, and why: an entry that passes is a failure, too.
MISSES = {}
# Scenarios that the suite runs and does not score: extensions, and what came after the release.
EMPTY = ["tasks-status-notifications"]  # has no checks
UNSCORED = {
    "2025-11-25": ["server-session-lifecycle", "json-schema-2020-12", "server-sse-polling"],
    "2026-07-28": ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation", "tasks-lifecycle", "tasks-capability-negotiation",
                   "tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope",
                   "tasks-status-notifications", "tasks-required-task-error", "tasks-mrtr-composition"],
}


def plain(words):
    return re.sub(r"\x1b\[[0-9;]*m", "", words)


def scenarios(version):
    """The names of the scored scenarios of the server half."""
    said = plain(subprocess.run([NODE, SUITE, "list", "--requirements", version, "--server"], capture_output=True, text=True, timeout=120).stdout)
    part = said.split("Server scenarios")[1].split("Client scenarios")[0]
    return re.findall(r"^  - (\S+)", part, re.M)


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


if not os.path.exists(SUITE) or not os.path.exists(NODE):
    print("1..0 # SKIP no suite: make mcp-servers")
    sys.exit(0)
number = 0
with tempfile.TemporaryDirectory() as folder:
    for version, era in VERSIONS.items():
        gateway, url = begin(folder, era)
        names, passed = scenarios(version), 0
        for name in names + UNSCORED[version]:
            number += 1
            which = [] if name.startswith("tasks-") else ["--spec-version", version]  # an extension is of no version
            r = subprocess.run([NODE, SUITE, "server", "--url", url, "--scenario", name, *which, "--timeout", "60000", "-o", folder],
                               capture_output=True, text=True, timeout=150)
            said = plain(r.stdout + r.stderr)
            checks = re.search(r"Passed: (\d+)/(\d+)", said)
            good = r.returncode == 0 and checks and (checks[1] != "0" or name in EMPTY)
            passed += good and name in names
            right = good != ((version, name) in MISSES)
            print(f"{'ok' if right else 'not ok'} {number} - {version} {name}" + (f" # TODO {MISSES[version, name]}" if (version, name) in MISSES else ""))
            if not right:
                print("\n".join("# " + line for line in said.splitlines()[-40:]))
        print(f"# server half, {version}: {passed} of {len(names)}", flush=True)
        gateway.terminate()
        gateway.wait(timeout=60)
print(f"1..{number}")
