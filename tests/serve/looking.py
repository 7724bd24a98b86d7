#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands beside a gateway that runs: those that look need nothing of its state and leave its catalogue alone. Speaks TAP."""

import hashlib
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import expect, finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
BACKEND = os.path.join(HERE, "logged.py")
OWN = {"XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""}


class Site:
    """A gateway with one server, whose tools are those of a file, and a folder of its own."""

    def __init__(self, name, **more):
        self.home = os.path.join(folder.name, name)
        os.makedirs(self.home)
        self.config = self.path("ferrule.json")
        self.put("server.tools", "one two")
        self.put("server.asks", "three")
        self.put("ferrule.json", json.dumps(dict({"mcpServers": {"a": {"command": sys.executable, "args": [BACKEND, self.path("server"), "a"]}}}, **more)))

    def path(self, *names):
        return os.path.join(self.home, *names)

    def put(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def serve(self, *words):
        self.server = Server(*words, config=self.config, folder=self.home, env=dict(OWN, FERRULE_TOKEN=TOKEN))
        return self.server

    def run(self, *words):
        return run([*words, "--config", self.config], env=dict(OWN, HOME=self.home))

    def sum(self, *names):
        with open(self.path(*names), "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def meta(self, tool, **args):
        """What a meta tool gives: its value, or the code of its error and whether to try again."""
        got = json.loads(self.server.modern("tools/call", {"name": tool, "arguments": args})[2])["result"]
        e = got.get("_meta", {}).get("ferrule/error")
        return (e["code"], e["retryable"]) if e else got["structuredContent"]

    def tools(self):
        return [n.get("tools") for n in self.meta("list_namespaces")["namespaces"] if n["name"] == "a"]


# ---- a catalogue that is shared
site = Site("shared", catalog="c.catalog")
s = site.serve()
same("the gateway's clients can be asked, and its server has a tool for that", until(lambda: site.tools() == [3]), True)
before = site.sum("c.catalog"), site.sum("c.catalog.servers")
case("servers is shown the same", expect(site.run("servers"), 0, ["a\tmcp-stdio\tup\t3"]))
case("and so is cost", expect(site.run("cost", "--json"), 0, ['"name":"a","tools":3,']))
case("and doctor", expect(site.run("doctor"), 0, ["a: 3 tools"]))
same("none of them has written anything", (site.sum("c.catalog"), site.sum("c.catalog.servers")), before)
site.put("server.asks", "three four")
case("what is new is shown", expect(site.run("servers"), 0, ["a\tmcp-stdio\tup\t4"]))
same("and not written", (site.sum("c.catalog"), site.sum("c.catalog.servers")), before)
case("unless that is asked for", expect(site.run("servers", "--refresh"), 0, ["a\tmcp-stdio\tup\t4"]))
same("which the gateway takes over", until(lambda: site.tools() == [4]), True)
site.put("server.asks", "three four five")
same("a tool that the gateway does not have", site.meta("run_tool", id="a:five"), ("ToolNotFound", False))
same("has it ask its server again", until(lambda: site.meta("run_tool", id="a:five") != ("ToolNotFound", False), 40), True)
site.put("server.asks", "three four")
case("run finds what the gateway has", expect(site.run("run", "a:four"), 0))
case("run asks for what the catalogue lacks", expect(site.run("run", "a:six"), 1, [], ["ToolNotFound"]))
same("and takes away what is gone", (until(lambda: site.tools() == [4]), site.meta("run_tool", id="a:three") != {}), (True, True))
s.end()

# ---- a state that is the gateway's alone
site = Site("state", state="state")
s = site.serve()
same("a gateway with a state", until(lambda: site.tools() == [3]), True)
case("servers needs no state", expect(site.run("servers"), 0, ["a\tmcp-stdio\tup\t3"]))
case("nor does cost", expect(site.run("cost", "--json"), 0, ['"name":"a","tools":3,']))
case("run does, and says who has it and what goes through it", expect(site.run("run", "a:one"), 70, [], [
    "LedgerUnavailable", "it has the ledger for as long as it runs", "ferrule call --server URL run_tool id=TOOL", "ferrule tools"]))
s.end()

# ---- a look at what there is not
site = Site("alone", state="state")
case("a look makes no state", expect(site.run("servers"), 0, ["a\tmcp-stdio\tup\t3"]) + (["there is one"] if os.path.exists(site.path("state")) else []))
site.run("servers", "--refresh")
os.truncate(site.path("state", "tools.catalog"), 100)
before = os.listdir(site.path("state"))
case("a look says that a catalogue is damaged", expect(site.run("servers"), 0, ["a\tmcp-stdio\tup\t3"], ["tools.catalog", "it is not read"]))
same("and leaves it where it is", (os.path.getsize(site.path("state", "tools.catalog")), os.listdir(site.path("state"))), (100, before))
finish()
