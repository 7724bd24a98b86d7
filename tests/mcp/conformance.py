#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The client half of the official suite of conformance of MCP against our client: every scenario of both versions, scored or not. Speaks TAP,
and says a score for each version; skipped where `make mcp-servers` has not brought the suite."""

import os
import sys
import tempfile

from official import Official

client, suite = os.path.abspath(sys.argv[1]), Official(sys.argv[2])
# Extensions that the client does not know.
UNKNOWN = {"auth/enterprise-managed-authorization", "auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer"}
half = ["client", "--command", client + " conformance-client"]
with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, HOME=folder)
    for version, wanted in (("2025-11-25", 18), ("2026-07-28", 32)):
        suite.score(folder, version, half, wanted, UNKNOWN, env)
    suite.one(folder, "2025-03-26", half, "auth/2025-03-26-oauth-metadata-backcompat", env)
suite.end()
