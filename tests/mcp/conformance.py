#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official suite of conformance of MCP against our client: every scenario of its client half but those of OAuth, which is
not there yet. Speaks TAP; skipped where `make mcp-servers` has not brought the suite."""

import os
import re
import subprocess
import sys
import tempfile

client, packages = os.path.abspath(sys.argv[1]), sys.argv[2]
NODE = os.path.join(packages, "node_modules", "node", "bin", "node")
SUITE = os.path.join(packages, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
OLD, NEW = "2025-11-25", "2026-07-28"
SCENARIOS = [
    (OLD, "initialize"),
    (OLD, "tools_call"),
    (OLD, "elicitation-sep1034-client-defaults"),
    (OLD, "sse-retry"),
    (OLD, "json-schema-2020-12-preservation"),
    (NEW, "tools_call"),
    (NEW, "request-metadata"),
    (NEW, "sep-2322-client-request-state"),
    (NEW, "http-standard-headers"),
    (NEW, "http-custom-headers"),
    (NEW, "http-invalid-tool-headers"),
    (NEW, "json-schema-ref-no-deref"),
    (NEW, "json-schema-2020-12-preservation"),
]

if not os.path.exists(SUITE) or not os.path.exists(NODE):
    print("1..0 # SKIP no suite: make mcp-servers")
    sys.exit(0)
print(f"1..{len(SCENARIOS)}")
with tempfile.TemporaryDirectory() as folder:
    for number, (version, scenario) in enumerate(SCENARIOS, 1):
        r = subprocess.run([NODE, SUITE, "client", "--command", client + " conformance-client", "--scenario", scenario, "--spec-version", version,
                            "--timeout", "60000", "-o", folder], capture_output=True, text=True, timeout=120)
        said = re.sub(r"\x1b\[[0-9;]*m", "", r.stdout + r.stderr)
        checks = re.search(r"Passed: (\d+/\d+)", said)
        print(f"{'ok' if r.returncode == 0 else 'not ok'} {number} - {version} {scenario}, checks {checks[1] if checks else 'none'}")
        if r.returncode:
            print("\n".join("# " + line for line in said.splitlines()[-30:]))
