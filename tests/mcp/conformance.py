#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official suite of conformance of MCP against our client: every scored scenario of its client half, and those that are not
scored and hold. Speaks TAP; skipped where `make mcp-servers` has not brought the suite."""

import os
import re
import subprocess
import sys
import tempfile

client, packages = os.path.abspath(sys.argv[1]), sys.argv[2]
NODE = os.path.join(packages, "node_modules", "node", "bin", "node")
SUITE = os.path.join(packages, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
OLD, NEW = "2025-11-25", "2026-07-28"
OLDEST = "2025-03-26"
AUTH = ["metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd", "scope-from-www-authenticate", "scope-from-scopes-supported",
        "scope-omitted-when-undefined", "scope-step-up", "scope-retry-limit", "token-endpoint-auth-basic", "token-endpoint-auth-post",
        "token-endpoint-auth-none", "pre-registration"]
NEW_AUTH = ["resource-mismatch", "offline-access-scope", "offline-access-not-supported", "authorization-server-migration", "iss-supported",
            "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected", "iss-normalized", "metadata-issuer-mismatch"]
SCENARIOS = [(OLD, x) for x in ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry")] + [(OLD, "auth/" + x) for x in AUTH] + \
    [(NEW, x) for x in ("tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers",
                        "http-invalid-tool-headers", "json-schema-ref-no-deref")] + [(NEW, "auth/" + x) for x in AUTH + NEW_AUTH]
UNSCORED = [(OLD, "json-schema-2020-12-preservation"), (NEW, "json-schema-2020-12-preservation"), (NEW, "auth/client-credentials-jwt"),
            (NEW, "auth/client-credentials-basic"), (OLDEST, "auth/2025-03-26-oauth-metadata-backcompat")]

if not os.path.exists(SUITE) or not os.path.exists(NODE):
    print("1..0 # SKIP no suite: make mcp-servers")
    sys.exit(0)
print(f"1..{len(SCENARIOS) + len(UNSCORED)}")
score = dict.fromkeys((OLD, NEW), 0)
with tempfile.TemporaryDirectory() as folder:
    for number, (version, scenario) in enumerate(SCENARIOS + UNSCORED, 1):
        r = subprocess.run([NODE, SUITE, "client", "--command", client + " conformance-client", "--scenario", scenario, "--spec-version", version,
                            "--timeout", "60000", "-o", folder], capture_output=True, text=True, timeout=120,
                           env=dict(os.environ, HOME=folder))
        said = re.sub(r"\x1b\[[0-9;]*m", "", r.stdout + r.stderr)
        checks = re.search(r"Passed: (\d+/\d+)", said)
        print(f"{'ok' if r.returncode == 0 else 'not ok'} {number} - {version} {scenario}, checks {checks[1] if checks else 'none'}")
        if number <= len(SCENARIOS):
            score[version] += r.returncode == 0
        if r.returncode:
            print("\n".join("# " + line for line in said.splitlines()[-30:]))
    for version, count in score.items():
        print(f"# client {version}: {count} / {sum(v == version for v, _ in SCENARIOS)}")
