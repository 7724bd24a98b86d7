# SPDX-License-Identifier: Apache-2.0
"""Real MCP servers and the official suite of conformance, as packages of npm. `make mcp-servers` brings them below the build
folder; nothing of them is kept here. Where they are absent, the tests that need them are skipped and say so."""

import json
import os
import subprocess
import sys

PACKAGES = {
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "@modelcontextprotocol/server-memory": "2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking": "2026.8.31",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "node": "24.9.0",  # the suite wants a newer one than Debian's
}


def there(home, package):
    """Whether the pinned version is there."""
    try:
        with open(os.path.join(home, "node_modules", package, "package.json"), encoding="utf-8") as file:
            return json.load(file)["version"] == PACKAGES[package]
    except OSError:
        return False


if __name__ == "__main__":
    folder = os.path.join(sys.argv[1], "mcp-servers")
    missing = [f"{name}@{version}" for name, version in PACKAGES.items() if not there(folder, name)]
    if missing:
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--silent", *missing], check=True)
