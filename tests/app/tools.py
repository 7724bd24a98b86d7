#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule tools: those of a gateway that runs, of a configuration, patterns, notations, limits. Speaks TAP."""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from web_rig import TOKEN, Server, case, same  # noqa: E402
from command_line import expect, finish, inject, run, terminal  # noqa: E402

folder = tempfile.TemporaryDirectory()
env = {"HOME": folder.name, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "FERRULE_TOKEN": ""}


def put(name, value):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
    return path


def command(name, **more):
    return {"namespace": "n", "name": name, "description": f"Does {name}. Use it so.", "inputSchema": {"type": "object"}, "run": {"argv": ["true"], "stdout": "text"}, **more}


CONFIG = put("ferrule.json", {"commands": [command("go", effect="Pure", version="1.2.0", tags=["fast"]), command("stop"), command("lack", run={"argv": ["no-such-program-here"]})],
                              "policies": {"tools": {"n:stop": {"effect": "ExternalSideEffects"}}}})
OTHER = put("other.json", {"commands": [command("else")]})


def ids(r):
    return [line.split("\t")[0] for line in r.stdout.decode().splitlines()]


# ---- without a gateway

r = run(["tools", "--config", CONFIG], env=env)
case("a configuration", expect(r, 0, out=["n:go:1.2.0\tPure\tDoes go.", "n:stop\tExternalSideEffects\t", "text:count:1.0.0\tPure\t"], err=["these are the tools of ", "no-such-program-here"]))
same("by ID", ids(r), ["n:go:1.2.0", "n:lack", "n:stop", "text:count:1.0.0", "time:now:1.0.0"])
for name, words, want in [("a namespace", ["n:*"], ["n:go:1.2.0", "n:lack", "n:stop"]), ("an ID without its version", ["n:go"], ["n:go:1.2.0"]), ("a version", ["*:1.2.*"], ["n:go:1.2.0"]),
                          ("several", ["n:s?op", "time:[a-n]*"], ["n:stop", "time:now:1.0.0"])]:
    same(f"patterns: {name}", ids(run(["tools", "--config", CONFIG, *words], env=env)), want)
case("patterns: nothing fits", expect(run(["tools", "--config", CONFIG, "x:*"], env=env), 1, err=["no tool fits"]))
got = json.loads(run(["tools", "--json", "--config", CONFIG, "n:go"], env=env).stdout)
same("as JSON", got, {"tools": [{"id": "n:go:1.2.0", "namespace": "n", "effect": "Pure", "summary": "Does go. Use it so.", "tags": ["fast"]}]})
same("as JSON, nothing", json.loads(run(["tools", "--json", "--config", CONFIG, "x"], env=env).stdout), {"tools": []})
case("no gateway: it is said", expect(run(["tools"], env=env, cwd=folder.name), 0, out=["text:count"], err=["no gateway of this user runs"]))
case("two places", expect(run(["tools", "--server", "http://127.0.0.1:1", "--config", CONFIG], env=env), 2, err=["not of both"]))
case("no such file", expect(run(["tools", "--config", "/nowhere/x.yaml"], env=env), 2, err=["/nowhere/x.yaml"]))
many = put("many.json", {"commands": [{"name": f"t{i}", "inputSchema": {"type": "object"}, "run": {"argv": ["ls"]}} for i in range(9999)]})
r = run(["tools", "--config", many], env=env)
case("admin.tools", expect(r, 0, err=["admin.tools: the first 10000 of 10001"]))
same("admin.tools: the others", len(ids(r)), 10000)
shown = str(terminal(["tools", "--config", CONFIG]))
case("a table on a terminal", [] if "SUMMARY" in shown and "n:stop" in shown and "\\t" not in shown else [shown])

inject([["tools", "--config", CONFIG], ["tools", "--json", "--config", CONFIG, "n:*"]])

# ---- of a gateway

s = Server("--mode", "tools", config=CONFIG, env={"FERRULE_TOKEN": TOKEN, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""}, folder=folder.name)
url = f"http://127.0.0.1:{s.port}/mcp"
r = run(["tools"], env=env)
case("a gateway that runs", expect(r, 0, out=["n:go:1.2.0\tPure\t", "n:stop\tExternalSideEffects\t"], err=["of the gateway that runs"]))
same("a gateway: all of them", ids(r), ["n:go:1.2.0", "n:lack", "n:stop", "text:count:1.0.0", "time:now:1.0.0"])
case("a gateway, and another configuration", expect(run(["tools", "--config", OTHER, "n:*"], env=env), 0, out=["n:else"], absent=["n:go"]))
case("at a URL", expect(run(["tools", "--server", url, "n:go"], env=dict(env, FERRULE_TOKEN=TOKEN)), 0, out=["n:go:1.2.0"], absent=["n:stop"]))
r = run(["tools", "--server", url], env=env)
case("at a URL, without its token", expect(r, r.returncode or 1, err=["FERRULE_TOKEN"]))
narrow = run(["token", "new", "narrow", "--scope", "namespace:n"], env=env).stdout.decode().strip()
r = run(["tools", "--server", url, "--token", "secretref:env:NARROW"], env=dict(env, NARROW=narrow))
case("at a URL, with a token for tools", expect(r, r.returncode or 1, err=["scope:admin"]))
case("beside it, list says so", expect(run(["list"], env=env, stdin=b""), 2, err=["ferrule tools"]))
s.end()
finish()
