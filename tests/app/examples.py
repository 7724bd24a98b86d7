#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/, as somebody runs them who has just built them. Speaks TAP."""

import json
import os
import subprocess
import sys
import tempfile

BUILD = sys.argv[1]
number = failures = 0


def row(name, program, words, code, out=(), err=(), needs=""):
    global number, failures
    number += 1
    path = os.path.join(BUILD, program)
    if not os.path.exists(path):
        print(f"ok {number} - {name} # SKIP it was not built")
        return
    if needs and not os.path.exists(needs):
        print(f"ok {number} - {name} # SKIP make mcp-servers brings it")
        return
    done = subprocess.run([path, *words], capture_output=True, text=True, timeout=120, check=False)
    problems = [f"exit {done.returncode}, not {code}"] if done.returncode != code else []
    problems += [f"stdout lacks {t!r}: {done.stdout[:400]!r}" for t in out if t not in done.stdout]
    problems += [f"stderr lacks {t!r}: {done.stderr[:400]!r}" for t in err if t not in done.stderr]
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for p in problems:
        print(f"#   {p}")
    failures += bool(problems)


TICKETS = "examples/toolset/tickets.json"
row("check_tools: a set", "check_tools", [TICKETS, "examples/toolset/weather.yaml"], 0, [" tools, "])
row("check_tools: errors", "check_tools", ["examples/toolset/drafts.json"], 1, ["examples/toolset/drafts.json:", "["])
row("check_tools: no file", "check_tools", ["examples/nothing.json"], 2, ["0 tools, 0 findings"], ["examples/nothing.json"])
row("search_tools: found", "search_tools", ["create an issue", TICKETS], 0, ["tickets:create_issue"])
row("search_tools: nothing fits", "search_tools", ["zebra quartz", TICKETS], 1, ["nothing fits"])
row("validate_threads", "validate_threads", [], 0, ["4 threads: ", " 0 failed"])
row("find_tool: found", "find_tool", ["tickets:create_issue", "^1", TICKETS], 0, ["tickets:create_issue:1", "sha256:"])
row("find_tool: none", "find_tool", ["tickets:create_issue", "^9", TICKETS], 1, [], ["tickets:create_issue"])
row("run_function: a result", "run_function", ["math:divide", '{"x": 7}'], 0, ['"structured":{"quotient":3,"rest":1}'])
row("run_function: the function says no", "run_function", ["math:divide", '{"x": 7, "y": 0}'], 1, ['"code":"ToolFailed"', "nothing can be divided by 0"])
row("run_function: arguments that do not fit", "run_function", ["math:divide", '{"x": "7"}'], 1, ['"code":"InvalidType"', '"attempts":0'])
row("run_function: no such tool", "run_function", ["math:add", "{}"], 1, ['"code":"ToolNotFound"'])
SERVE = "examples/serve/ferrule.yaml"
row("run_tools: a command of the configuration", "run_tools", [SERVE, "lines:sort", '{"text": "b\\na"}'], 0, ['"structured":["a","b"]'])
row("run_tools: arguments that do not fit", "run_tools", [SERVE, "lines:sort", '{"text": 1}'], 1, ['"code":"InvalidType"'])
row("run_tools: no such tool", "run_tools", [SERVE, "lines:unsort", "{}"], 1, ['"code":"ToolNotFound"'])
row("run_tools: no such file", "run_tools", ["examples/nothing.yaml", "lines:sort", "{}"], 70, [], ["examples/nothing.yaml"])
EVERYTHING = os.path.join(BUILD, "..", "mcp-servers", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
with tempfile.TemporaryDirectory() as folder:
    config = os.path.join(folder, "ferrule.json")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"every": {"command": "node", "args": [os.path.abspath(EVERYTHING)]}}, "state": "state"}, file)
    row("run_tools: a real server, with a ledger", "run_tools", [config, "every:echo", '{"message": "from C"}'], 0, ["Echo: from C", '"status":"Ok"'], needs=EVERYTHING)
    row("run_tools: the ledger has it", "../src/app/ferrule", ["ledger", "query", "--config", config, "--tool", "every:echo", "--type", "end"], 0, ["every:echo"], needs=EVERYTHING)
print(f"1..{number}")
sys.exit(failures > 0)
