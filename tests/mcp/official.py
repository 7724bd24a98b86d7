# SPDX-License-Identifier: Apache-2.0
"""The official suite of conformance of MCP, as `make mcp-servers` brings it: one run of a half, with all that a version requires, and what it
says of each scenario."""

import os
import re
import subprocess
import sys


class Official:
    def __init__(self, packages):
        self.node = os.path.join(packages, "node_modules", "node", "bin", "node")
        self.main = os.path.join(packages, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
        self.number = 0
        if not os.path.exists(self.main) or not os.path.exists(self.node):
            print("1..0 # SKIP no suite: make mcp-servers")
            sys.exit(0)

    def ask(self, folder, words, env):
        r = subprocess.run([self.node, self.main, *words, "--timeout", "60000", "-o", folder], capture_output=True, text=True, timeout=600, env=env)
        return re.sub(r"\x1b\[[0-9;]*m", "", r.stdout + r.stderr)

    def run(self, folder, version, half, env=None):
        """What is printed, without colours, and {scenario: (passed, failed)} of the summary, and the names of those that are not scored."""
        said = self.ask(folder, [*half, "--requirements", version], env)
        summary = said.rpartition("SUMMARY ===")[2]
        checks, _, rest = summary.partition("\nNot scored for")
        return said, {n: (int(p), int(f)) for n, p, f in re.findall(r"^[✓✗~] (\S+): (\d+) passed, (\d+) failed", checks, re.M)}, \
            set(re.findall(r"^  [✓✗~] (\S+) \(", rest, re.M))

    def score(self, folder, version, half, wanted, known, env=None):
        """A row of TAP for each scenario, scored or not. `wanted`: how many are scored, or it is another suite than we know. `known`: what
        is not scored and does not hold, or has no checks; what is in it and holds is a failure too."""
        said, checks, unscored = self.run(folder, version, half, env)
        good = {n for n, (passed, failed) in checks.items() if passed and not failed}
        for name in checks:
            self.number += 1
            right = (name in good) != (name in unscored and name in known)
            print(f"{'ok' if right else 'not ok'} {self.number} - {version} {name}, checks {checks[name][0]} of {sum(checks[name])}"
                  + (", not scored" if name in unscored else ""))
            if not right:
                print("\n".join("# " + line for line in said.splitlines()[-60:]))
        scored = set(checks) - unscored
        self.number += 1
        print(f"{'ok' if len(scored) == wanted else 'not ok'} {self.number} - {version}: {wanted} scenarios are scored")
        print(f"# {half[0]} half, {version}: {len(good & scored)} of {len(scored)}; not scored: {len(good & unscored)} of {len(unscored)}", flush=True)
        if not checks:
            print("\n".join("# " + line for line in said.splitlines()[-60:]))

    def one(self, folder, version, half, name, env=None):
        """A scenario of an older version, of which nothing is required."""
        said = self.ask(folder, [*half, "--scenario", name, "--spec-version", version], env)
        checks = re.search(r"Passed: (\d+)/(\d+)", said)
        self.number += 1
        right = checks and checks[1] == checks[2] != "0"
        print(f"{'ok' if right else 'not ok'} {self.number} - {version} {name}, not scored")
        if not right:
            print("\n".join("# " + line for line in said.splitlines()[-40:]))

    def end(self):
        print(f"1..{self.number}")
