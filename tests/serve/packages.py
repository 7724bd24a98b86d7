# SPDX-License-Identifier: Apache-2.0
"""Real MCP clients, as packages of npm. `make mcp-clients` brings them below the build folder; nothing of them is kept
here. Where they are absent, the tests that need them are skipped and say so."""

import json
import os
import subprocess
import sys

PACKAGES = {
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
    "node": "24.9.0",  # Inspector wants a newer one than Debian's
}


def there(home, package):
    """Whether the pinned version is there."""
    try:
        with open(os.path.join(home, "node_modules", package, "package.json"), encoding="utf-8") as file:
            return json.load(file)["version"] == PACKAGES[package]
    except OSError:
        return False


if __name__ == "__main__":
    folder = os.path.join(sys.argv[1], "mcp-clients")
    missing = [f"{name}@{version}" for name, version in PACKAGES.items() if not there(folder, name)]
    if missing:
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--silent", *missing], check=True)
