#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens to a server over its days: its configuration and its backends change, its input ends, it is started with the
files of other clients. Speaks TAP."""

import json
import os
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import transcripts  # noqa: E402
from transcripts import CONFIG, Server, case, finish  # noqa: E402

folder = tempfile.TemporaryDirectory()
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def same(name, got, want):
    case(name, [] if got == want else [f"got {got!r}, not {want!r}"])


def put(name, text):
    path = os.path.join(folder.name, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def say(s, method, params=None, id=1):
    s.say(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}))


def ask(s, method, params=None, id=1):
    say(s, method, params, id)
    while True:
        line = s.hear()
        if line is None:
            return {"error": {"message": f"silence: {s.errors[-3:]}"}}
        m = json.loads(line)
        if m.get("id") == id:
            return m


def begin(s):
    ask(s, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}, 0)
    s.say('{"jsonrpc":"2.0","method":"notifications/initialized"}')


def names(s):
    return [t["name"] for t in ask(s, "tools/list", id=2)["result"]["tools"]]


# ---- the configuration changes

COMMAND = """  - namespace: n
    name: %s
    description: Gives what it is given.
    inputSchema: {type: object, properties: {text: {type: string}}}
    effect: Pure
    run: {argv: [echo, x], stdout: text}
"""
path = put("ferrule.yaml", "commands:\n" + COMMAND % "one")
s = Server(["serve", "--stdio", "--config", path, "--mode", "tools", "--expose", "n:*"])
begin(s)
same("tools as configured", names(s), ["one"])
say(s, "subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": META}, "sub")
same("a subscription", "acknowledged" in s.hear(), True)
put("ferrule.yaml", "commands:\n" + COMMAND % "one" + COMMAND % "two")
s.child.send_signal(signal.SIGHUP)
told = sorted(json.dumps(json.loads(s.hear()).get("params", {})) for _ in range(2))
same("both eras are told", told, ['{"_meta": {"io.modelcontextprotocol/subscriptionId": "sub"}}', "{}"])
same("more tools", names(s), ["one", "two"])
put("ferrule.yaml", "catalog: other.catalog\ncommands:\n" + COMMAND % "one" + COMMAND % "three")
s.child.send_signal(signal.SIGHUP)
[s.hear() for _ in range(2)]
same("another catalogue", names(s), ["one", "three"])
same("and its tools run", ask(s, "tools/call", {"name": "three", "arguments": {}})["result"]["content"][0]["text"].strip(), "x")
put("ferrule.yaml", "commands:\n" + COMMAND % "one" + COMMAND % "two")
s.child.send_signal(signal.SIGHUP)
[s.hear() for _ in range(2)]
same("and back", names(s), ["one", "two"])
put("ferrule.yaml", "commands: 7\n")
s.child.send_signal(signal.SIGHUP)
end = time.monotonic() + 20
while not any("stays as it was" in e for e in s.errors) and time.monotonic() < end:
    time.sleep(0.02)
same("a file with an error changes nothing", (any("stays as it was" in e for e in s.errors), names(s)), (True, ["one", "two"]))
code, rest = s.end()
same("it ends well", code, 0)

# ---- names

both = put("both.yaml", "commands:\n" + COMMAND % "one" + COMMAND.replace("namespace: n", "namespace: m") % "one" + COMMAND % "run_tool")
s = Server(["serve", "--stdio", "--config", both, "--expose", "[mn]:*"])
begin(s)
same("names that collide get their namespace", [n for n in names(s) if n.startswith(("m", "n"))], ["m__one", "n__one", "n__run_tool"])
same("and lead back", ask(s, "tools/call", {"name": "m__one", "arguments": {"text": "x"}})["result"]["content"][0]["text"].strip(), "x")
s.end()

# ---- a backend dies

s = Server(["serve", "--stdio", "--config", CONFIG, "--expose", "b:*"])
begin(s)
names(s)


def backend_of(pid):
    for p in os.listdir("/proc"):
        try:
            with open(f"/proc/{p}/stat") as f, open(f"/proc/{p}/cmdline") as c:
                if p.isdigit() and f.read().rsplit(")", 1)[1].split()[1] == str(pid) and "backend.py" in c.read():
                    return int(p)
        except OSError:
            pass
    return None


say(s, "tools/call", {"name": "slow", "arguments": {"wait": True}}, "lost")
ask(s, "ping", id=3)
time.sleep(0.3)
os.kill(backend_of(s.child.pid), signal.SIGKILL)
m = json.loads(s.hear())
same("a call is answered when its backend dies", (m["id"], m["result"]["isError"], m["result"]["_meta"]["ferrule/error"]["category"]), ("lost", True, "ExecutionError"))
same("the next one is served", ask(s, "tools/call", {"name": "exact"}, 5)["result"]["isError"], False)
code, rest = s.end()
same("nothing is left of it", (code, backend_of(s.child.pid)), (0, None))

# ---- the input ends while something runs

s = Server(["serve", "--stdio", "--config", CONFIG])
begin(s)
say(s, "tools/call", {"name": "run_tool", "arguments": {"id": "local:nap", "args": {"seconds": 1}}}, "nap")
code, rest = s.end()
same("what runs is answered first", (code, [json.loads(r)["id"] for r in rest]), (0, ["nap"]))
s = Server(["serve", "--stdio", "--config", CONFIG])
begin(s)
say(s, "tools/call", {"name": "run_chain", "arguments": {"steps": [{"toolId": "local:nap", "args": {"seconds": 20}}, {"toolId": "time:now"}]}}, "c")
ask(s, "ping", id=3)
s.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}')
before = time.monotonic()
code, rest = s.end()
same("a chain that is cancelled ends, and says nothing", (code, rest, time.monotonic() - before < 15), (0, [], True))

# ---- the files of other clients

os.environ["XDG_CONFIG_HOME"] = ""
server = {"command": sys.executable, "args": [os.path.join(HERE, "backend.py")]}


def with_files(words, cursor, claude):
    class Found(Server):
        pass
    home = tempfile.TemporaryDirectory()
    for name, servers in ((".cursor/mcp.json", cursor), (".config/Claude/claude_desktop_config.json", claude)):
        if servers:
            p = os.path.join(home.name, name)
            os.makedirs(os.path.dirname(p))
            with open(p, "w", encoding="utf-8") as f:
                json.dump({"mcpServers": servers}, f)
    make = tempfile.TemporaryDirectory
    transcripts.tempfile.TemporaryDirectory = lambda: home
    try:
        s = Found(words)
    finally:
        transcripts.tempfile.TemporaryDirectory = make
    begin(s)
    found = ask(s, "tools/call", {"name": "list_namespaces"}, 4)["result"]["structuredContent"]["namespaces"]
    s.end()
    return [n["name"] for n in found], "".join(s.errors)


found, said = with_files(["serve", "--stdio"], {"x": server}, {"x": server, "y": server})
same("files are found", (found, said.count("found the servers of")), (["text", "time", "x", "y"], 2))
other = dict(server, env={"A": "1"})
found, said = with_files(["serve", "--stdio"], {"x": server}, {"x": other})
same("two of one name", found, ["text", "time", "x", "x-2"])
found, said = with_files(["serve", "--stdio", "--from", "cursor"], {"x": server}, {"y": server})
same("of one client", found, ["text", "time", "x"])
finish()
