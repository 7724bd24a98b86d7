#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls through the delivered command to backends that misbehave, of every kind: deadlines are kept, the backend hears of it,
nothing is left. Times are asserted generously, as machines are busy; the figures are printed. Speaks TAP."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

FERRULE, BADTOOL = (os.path.abspath(p) for p in sys.argv[1:3])
LONG = os.environ.get("FERRULE_LONG_TESTS")
DEADLINE = 700  # ms
SLACK = 10000  # ms that a busy machine may add before a test fails
folder = tempfile.mkdtemp(prefix="ferrule-faults-")
number = failed = 0


def case(name, problems):
    global number, failed
    number += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {number} - {name}", flush=True)
    for p in problems:
        print("# " + str(p).replace("\n", "\n# "))


def put(name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def log_of(name):
    path = os.path.join(folder, name + ".log")
    rows = []
    if os.path.exists(path):
        with open(path, errors="replace") as f:
            for line in f:
                pid, at, event, *rest = line.rstrip("\n").split(" ", 3)
                rows.append((int(pid), int(at) / 1e6, event, rest[0] if rest else ""))
    return rows


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """badtool over HTTP."""

    def __init__(self, kind, how, log):
        self.p = subprocess.Popen([BADTOOL, "--log", log, "http", kind, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.p.stdout.readline())

    def end(self):
        self.p.stdin.close()
        self.p.wait(30)


def setup(kind, how):
    """A configuration with one tool, and the server where there must be one."""
    name = f"{kind}-{how}"
    log = os.path.join(folder, name + ".log")
    if kind == "command":
        text = json.dumps({"commands": [{"name": "t", "namespace": "bad", "description": "d", "effect": "Pure",
                                         "inputSchema": {"type": "object"},
                                         "run": {"argv": [BADTOOL, "--log", log, how], "stdout": "text"}}]})
        return put(name + ".json", text), "bad:t", None, name
    if kind == "mcp-stdio":
        text = json.dumps({"mcpServers": {"bad": {"command": BADTOOL, "args": ["--log", log, "mcp", how]}}})
        return put(name + ".json", text), "bad:echo", None, name
    server = Server("api" if kind == "api" else kind, how, log)
    if kind != "api":
        text = json.dumps({"mcpServers": {"bad": {"url": f"http://127.0.0.1:{server.port}/mcp"}}})
        return put(name + ".json", text), "bad:t", server, name
    put(name + ".yaml", "openapi: 3.0.3\ninfo: {title: B, version: '1'}\npaths: {/x: {get: {operationId: t, summary: d, "
        "responses: {'200': {description: d}}}}}\n")
    text = json.dumps({"apis": {"bad": {"openapi": name + ".yaml", "baseUrl": f"http://127.0.0.1:{server.port}"}}})
    return put(name + ".json", text), "bad:t", server, name


def call(config, tool, *more, timeout=120):
    before = time.monotonic()
    r = subprocess.run([FERRULE, "run", tool, "--json", "-C", config, *more], capture_output=True, text=True, timeout=timeout)
    return r, (time.monotonic() - before) * 1000


def error_of(r):
    try:
        e = json.loads(r.stdout)
    except ValueError:
        return {}, r.stdout + r.stderr
    return e, e.get("error", {}).get("code", "Ok")


# ---- what never ends: the deadline, and that the backend hears of it

HEARD = ("gone", "notifications/cancelled")
NEVER = [("command", h) for h in ("hang", "partial", "ignore-term", "stop", "no-read")] + \
        [("mcp-stdio", h) for h in ("hang", "partial", "ignore-term", "garbage-only", "stop", "endless")] + \
        [(k, h) for k in ("mcp", "mcp-old", "api") for h in ("hang", "partial", "drip-forever", "slow-head")]
for kind, how in NEVER:
    config, tool, server, name = setup(kind, how)
    r, _ = call(config, tool, "--deadline", str(DEADLINE))
    e, code = error_of(r)
    late = e.get("durationMs", -1) - DEADLINE
    problems = []
    if code not in ("DeadlineExceeded", "OutcomeUnknown"):
        problems.append(code)
    if not -DEADLINE / 10 <= late <= SLACK:
        problems.append(f"{late:.1f} ms past the deadline")
    rows = log_of(name)
    if server:
        until = time.monotonic() + SLACK / 1000
        while time.monotonic() < until and not any(event in HEARD for _, _, event, _ in log_of(name)):
            time.sleep(0.02)
        server.end()
        rows = log_of(name)
        asked = [at for _, at, event, _ in rows if event in ("tools/call", "request")]
        gone = [at for _, at, event, _ in rows if event in HEARD]
        if not asked or not gone or min(g for g in gone) < asked[0]:
            problems.append(f"the server was not told: {rows}")
        else:
            wait = min(gone) - asked[0]
            print(f"# {name}: told {wait:.0f} ms after it was asked")
            if wait > DEADLINE + SLACK:
                problems.append(f"told after {wait} ms")
    left = {pid for pid, *_ in rows if alive(pid)}
    if left:
        problems.append(f"alive: {left}")
    print(f"# {name}: the call ended {late:+.1f} ms from its deadline")
    case(f"{kind}: {how}", problems)

# ---- what ends: each with its code (the rows of C have phases and more ways)

for kind, how, expected in [
    ("command", "segv", "BackendCrashed"), ("command", "exit", "InvalidOutput|Ok"), ("mcp-stdio", "exit", "BackendCrashed"),
    ("mcp-stdio", "segv", "BackendCrashed"), ("mcp-stdio", "close-output", "ConnectionLost"), ("mcp-stdio", "is-error", "ToolFailed"),
    ("mcp", "exit", "ConnectionLost"), ("mcp", "reset", "ConnectionLost"), ("mcp", "cut-stream", "ConnectionLost"),
    ("mcp", "is-error", "ToolFailed"), ("mcp", "429", "RateLimited"), ("mcp", "503", "BackendUnavailable"), ("mcp", "ok", "Ok"),
    ("mcp-old", "reset", "ConnectionLost"), ("mcp-old", "ok", "Ok"), ("mcp-sse", "ok", "Ok"), ("mcp-sse", "cut-stream", "ConnectionLost"),
    ("api", "reset", "ConnectionLost"), ("api", "chunks", "ConnectionLost"), ("api", "is-error", "ToolFailed"),
    ("api", "429", "RateLimited"), ("api", "ok", "Ok"),
]:
    config, tool, server, name = setup(kind, how)
    r, _ = call(config, tool)
    e, code = error_of(r)
    # An undeclared effect and no answer: what is known is the cause.
    code = e.get("error", {}).get("causedBy", code) if code == "OutcomeUnknown" else code
    if server:
        server.end()
    case(f"{kind}: {how} is {expected}", [] if code in expected.split("|") else [code, r.stdout, r.stderr])

# ---- F46: standard error without end

size = 1 << 30 if LONG else 64 << 20
log = os.path.join(folder, "flood.log")
config = put("flood.json", json.dumps({"commands": [{
    "name": "t", "namespace": "bad", "description": "d", "effect": "Pure", "inputSchema": {"type": "object"},
    "run": {"argv": [BADTOOL, "--log", log, "stderr", str(size)], "stdout": "json"}}]}))
p = subprocess.Popen([FERRULE, "run", "bad:t", "--json", "--deadline", "600000", "-C", config], stdout=subprocess.PIPE, text=True)
out, most = None, 0
while out is None:
    try:
        with open(f"/proc/{p.pid}/status") as f:
            most = max([most] + [int(line.split()[1]) for line in f if line.startswith("VmRSS")])
    except OSError:
        pass
    try:
        out, _ = p.communicate(timeout=0.1)
    except subprocess.TimeoutExpired:
        pass
print(f"# {size >> 20} MiB of standard error: at most {most >> 10} MiB resident")
case("F46 standard error is drained in little memory", [] if '"flooded":true' in out.replace(" ", "") and most < 200 << 10 else [out[:300], most])

# ---- F53: SIGKILL that does not work at once. An uninterruptible sleep cannot be made without a device for it; the nearest is a
# program, and a child of it in another session, on which SIGTERM has no effect. What counts is the same: the call ends by its
# deadline though its program has not.

code = r"""
import os, signal, sys, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setsid()
    time.sleep(30)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(30)
"""
script = put("stuck.py", code)
config = put("stuck.json", json.dumps({"commands": [{
    "name": "t", "namespace": "bad", "description": "d", "effect": "Pure", "inputSchema": {"type": "object"},
    "run": {"argv": [sys.executable, script], "stdout": "text"}}]}))
r, _ = call(config, "bad:t", "--deadline", str(DEADLINE))
e, code = error_of(r)
late = e.get("durationMs", -1) - DEADLINE
print(f"# F53: the call ended {late:+.1f} ms from its deadline, before its program")
case("F53 a program that outlives SIGTERM does not hold the call up", [] if code == "DeadlineExceeded" and -DEADLINE / 10 <= late <= SLACK else [r.stdout, r.stderr])

# ---- programs are what they were

with open(BADTOOL, "rb") as f:
    digest = hashlib.sha256(f.read()).hexdigest()
script = put("hi.sh", "#!/bin/sh\necho '\"hi\"'\n")
os.chmod(script, 0o700)
with open(script, "rb") as f:
    script_digest = hashlib.sha256(f.read()).hexdigest()


def hashed(name, argv, sha256):
    return put(name, json.dumps({"commands": [{"name": "t", "namespace": "bad", "description": "d", "effect": "Pure",
                                               "inputSchema": {"type": "object"}, "run": {"argv": argv, "stdout": "json", "sha256": sha256}}]}))


for name, argv, sha256, expected in [
    ("a program with its hash", [BADTOOL, "count"], digest.upper(), "Ok"),
    ("another hash", [BADTOOL, "count"], "0" * 64, "Forbidden"),
    ("a script with its hash", [script], script_digest, "Ok"),
    ("a script with another", [script], digest, "Forbidden"),
]:
    r, _ = call(hashed(name.replace(" ", "-") + ".json", argv, sha256), "bad:t")
    case(f"sha256: {name}", [] if error_of(r)[1] == expected else [r.stdout, r.stderr])
for sha256, expected in [(digest, "Ok"), ("1" * 64, None)]:
    config = put("hashed.json", json.dumps({"mcpServers": {"bad": {"command": BADTOOL, "args": ["mcp", "ok"], "sha256": sha256}}}))
    r, _ = call(config, "bad:echo")
    shown = r.stdout + r.stderr
    case(f"sha256 of an MCP server: {expected}", [] if (error_of(r)[1] == "Ok" if expected else "sha256" in shown) else [shown])

# ---- variables from a file

put("vars.env", "# of the operator\nTOKEN='from the file'\nOTHER=1\n")
server = put("env.py", """import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    r = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "e", "version": "1"}},
         "tools/list": {"tools": [{"name": "t", "description": "d", "inputSchema": {"type": "object"}}]},
         "tools/call": {"content": [], "structuredContent": {"seen": [os.environ.get("TOKEN"), os.environ.get("OTHER")]}}}.get(m["method"])
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **({"result": r} if r else {"error": {"code": -32601, "message": "?"}})}), flush=True)
""")
config = put("env.json", json.dumps({"servers": {"e": {"command": sys.executable, "args": [server], "envFile": "${workspaceFolder}/vars.env", "env": {"OTHER": "2"}}}}))
r, _ = call(config, "e:t")
case("envFile: its variables, env counts", [] if '["from the file","2"]' in r.stdout else [r.stdout, r.stderr])
config = put("noenv.json", json.dumps({"servers": {"e": {"command": sys.executable, "args": [server], "envFile": "nowhere.env"}}}))
r, _ = call(config, "e:t")
case("envFile: it is not there", [] if "envFile" in r.stdout + r.stderr and "nowhere.env" in r.stdout + r.stderr else [r.stdout, r.stderr])

subprocess.run(["rm", "-rf", folder], check=False)
print(f"1..{number}")
sys.exit(1 if failed else 0)
