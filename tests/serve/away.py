#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that cannot be asked for their tools: what clients see of them, and what their operator is told. Speaks TAP."""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import expect, finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
OWN = {"XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "HOME": folder.name}
LAST = "last words: no licence for this host"


def path(name):
    return os.path.join(folder.name, name)


def script(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path(name), 0o755)
    return {"command": path(name)}


def config(name, servers, **more):
    with open(path(name), "w", encoding="utf-8") as f:
        json.dump(dict({"mcpServers": servers}, **more), f)
    return path(name)


DIES = script("dies.sh", f"echo '{LAST}' >&2\nexit 3\n")
LOUD = script("loud.sh", "echo 'Server is listening'\necho 'Have fun'\nsleep 1\n")
SLOW = script("slow.sh", "exec sleep 60\n")
GOOD = {"command": sys.executable, "args": [os.path.join(HERE, "logged.py"), path("good"), "good"]}
CONFIG = config("away.json", {"dies": DIES, "down": {"url": "http://127.0.0.1:1/mcp"}, "good": GOOD, "slow": SLOW})

# ---- what clients see
token = run(["token", "new", "narrow", "--scope", "namespace:good"], env=OWN).stdout.decode().split()[0]
s = Server(config=CONFIG, folder=folder.name, env=dict(OWN, FERRULE_TOKEN=TOKEN))


def meta(tool, token=TOKEN, **args):
    got = json.loads(s.modern("tools/call", {"name": tool, "arguments": args}, token=token)[2])["result"]
    e = got.get("_meta", {}).get("ferrule/error")
    return (e["code"], e["retryable"], e["message"]) if e else got["structuredContent"]


def seen(token=TOKEN):
    return {n["name"]: (n["tools"], n.get("code")) for n in meta("list_namespaces", token)["namespaces"] if n["name"] not in ("text", "time")}


AWAY = (0, "BackendUnavailable")
ALL = {"dies": AWAY, "down": AWAY, "good": (1, None), "slow": AWAY}
until(lambda: seen() == ALL)
same("namespaces that are away are listed, with a code", seen(), ALL)
whys = {n["name"]: n["why"] for n in meta("list_namespaces")["namespaces"] if "why" in n}
case("and why, in words for clients", [f"{n}: {w}" for n, w in whys.items() if LAST in w or folder.name in w or "127.0.0.1" in w or n not in w])
case("one that is asked just now is told apart", [] if "has not said yet" in whys["slow"] and "ferrule servers" in whys["dies"] else [str(whys)])
for name in ("dies", "down", "slow"):
    same(f"a call of {name} may be made again", meta("run_tool", id=name + ":foo")[:2], ("BackendUnavailable", True))
    same(f"and so may a look at {name}", meta("describe_tool", id=name + ":foo")[:2], ("BackendUnavailable", True))
    same(f"and a list of {name}", meta("list_tools", namespace=name)[:2], ("BackendUnavailable", True))
same("a tool of a server that is there is not there", meta("run_tool", id="good:foo")[:2], ("ToolNotFound", False))
same("nor is one of a server that is not configured", meta("run_tool", id="none:foo")[:2], ("ToolNotFound", False))
hint = meta("search_tools", query="frobnicate the quux")
case("a search that finds nothing says it", [] if "dies cannot be asked for its tools now" in hint.get("hint", "") else [str(hint)])
same("who may not use them does not see them", seen(token), {"good": (1, None)})
same("nor by a call", meta("run_tool", token, id="dies:foo"), ("ToolNotFound", False, 'no tool "dies:foo" is in the catalogue'))
same("nor by a look", meta("describe_tool", token, id="dies:foo")[:2], ("ToolNotFound", False))
same("nor by a list", meta("list_tools", token, namespace="dies")[:2], meta("list_tools", token, namespace="none")[:2])
case("nor by a search", ["it does"] if "dies" in str(meta("search_tools", token, query="frobnicate the quux")) else [])
s.end()

# ---- what their operator is told
ODD = {"command": sys.executable, "args": [os.path.join(HERE, "logged.py"), path("odd"), "odd"]}
with open(path("odd.tools"), "w", encoding="utf-8") as names:
    names.write("pid b@d")
CONFIG = config("told.json", {"dies": DIES, "loud": LOUD, "none": {"command": "no-such-program-here"}, "odd": ODD}, telemetry={"logFile": path("log.json"), "logFormat": "json"})
NOISE = " lines or texts that it sent are no messages"
case("servers tells a server's last words, and of what is no message", expect(run(["servers", "--config", CONFIG], env=OWN), 1, [f"exit code 3; it said: {LAST}", NOISE]))
r = run(["servers", "--json", "--config", CONFIG], env=OWN)
rows = {x["name"]: x["detail"] for x in json.loads(r.stdout)["servers"]}
case("to programs, too", [] if LAST in rows["dies"] and NOISE in rows["loud"] else [str(rows)])
case("and so does doctor", expect(run(["doctor", "--config", CONFIG], env=OWN), 1, [LAST, NOISE]))
s = Server(config=CONFIG, folder=folder.name, env=dict(OWN, FERRULE_TOKEN=TOKEN))


def logged(event):
    try:
        with open(path("log.json"), encoding="utf-8") as f:
            return [e for e in map(json.loads, f) if e["event"] == event]
    except OSError:
        return []


def lost():
    """What the log says of each that was lost."""
    return [e["reason"] for e in logged("backend.lost")]


whys = []
until(lambda: "none" in [e["server"] for e in logged("server.away")] and logged("server.tools_left_out"))
until(lambda: LAST in str(lost()) and (whys.append(meta("list_namespaces")["namespaces"]) or "has not said yet" not in str(whys[-1])))
s.end()
lost = lost()
same("the log has a program that is not there", {(e["error.code"], e["reason"]) for e in logged("server.away") if e["server"] == "none"},
     {("BackendUnavailable", "no program 'no-such-program-here' is in the folders of PATH")})
same("and tools that nobody can call", {(e["server"], e["tools"], "b@d" in e["reason"] or "@" in e["reason"]) for e in logged("server.tools_left_out")}, {("odd", 1, True)})
case("and the log", [] if any(LAST in e for e in lost) else [str(lost)])
case("and standard error", [] if f"exit code 3; it said: {LAST}" in (said := s.child.stderr.read()) else [said])
finish()
