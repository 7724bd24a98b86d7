#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an operator is told of what happens beside calls: definitions that are held back and what was decided about them, in the log, on
standard error, by commands, in the admin API, in metrics and in the ledger; whom a tool was refused. Speaks TAP."""

import hashlib
import http.client
import json
import os
import signal
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
BACKEND = os.path.join(HERE, "logged.py")


class Site:
    """A gateway with one server, a state folder and a log in a file."""

    def __init__(self, name, more=None):
        self.home = os.path.join(folder.name, name)
        os.makedirs(self.home)
        self.config = self.path("ferrule.yaml")
        self.catalog = self.path("state", "tools.catalog")
        self.write(more)

    def path(self, *names):
        return os.path.join(self.home, *names)

    def write(self, more=None, text=None):
        whole = dict({"state": "state", "telemetry": {"logFile": self.path("log.json"), "logFormat": "json", "logLevel": "info"},
                      "mcpServers": {"a": {"command": sys.executable, "args": [BACKEND, self.path("server"), "a"]}}}, **(more or {}))
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(json.dumps(whole) if text is None else text)

    def serve(self, *words, **more):
        env = dict({"FERRULE_TOKEN": TOKEN, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""}, **more)
        self.server = Server("--mode", "tools", *words, config=self.config, folder=self.home, env=env)
        return self.server

    def events(self, name):
        """Events of the log, without what differs from run to run."""
        try:
            with open(self.path("log.json"), encoding="utf-8") as f:
                lines = [json.loads(line) for line in f]
        except OSError:
            return []
        return [line for line in lines if line["event"] == name]

    def records(self, kind):
        r = run(["ledger", "query", "--config", self.config, "--type", kind, "--json"])
        return [json.loads(line)["body"] for line in r.stdout.splitlines()]

    def admin(self, page):
        return json.loads(self.server.ask("GET", "/admin/v1/" + page)[2])

    def says(self, text):
        """The server says something else of its tools from the next start on."""
        with open(self.path("server.says"), "w", encoding="utf-8") as f:
            f.write(text)


def pid(server):
    got = json.loads(server.modern("tools/call", {"name": "pid", "arguments": {}})[2]).get("result", {})
    text = got["content"][0]["text"] if got.get("content") else ""
    return int(text) if text.isdigit() else None


def gone(what):
    """Does what fails when its gateway is killed."""
    try:
        what()
    except (OSError, http.client.HTTPException):
        pass


def short(events):
    return [(e["tool"], e["verdict"]) for e in events]


# ---- a definition is held back, approved beside the gateway, and rejected while there is none
site = Site("held", {"quarantine": "changed"})
s = site.serve()
os.kill(pid(s), signal.SIGKILL) if until(lambda: pid(s)) else None
same("nothing is held back at first", (site.admin("tools")["held"], site.records("definition")), (0, []))
site.says("something else")
until(lambda: pid(s))
case("the log has it", [] if until(lambda: site.events("definition.held")) else ["no event"])
held = site.events("definition.held")
same("as a warning, with the verdict", ([e["level"] for e in held], short(held)), (["warn"], [("a:pid", "compatible")]))
same("the admin API counts it", (site.admin("tools")["held"], [b["held"] for b in site.admin("backends")["backends"] if b["name"] == "a"]), (1, [1]))
case("metrics count it", [] if "\ndefinitions_held 1\n" in s.ask("GET", "/metrics")[2] else [s.ask("GET", "/metrics")[2]])
until(lambda: site.records("definition"))
records = site.records("definition")
same("the ledger has it", [(r["as"], r["tool"], r["verdict"], r["what"], len(r["definition"])) for r in records], [("held", "a:pid", "compatible", "definition", 64)])
r = run(["doctor", "--config", site.config, "--offline"])
case("doctor says it, and what to do", [] if b"1 changed definition is held back, and the old one is served" in r.stdout and b"catalog approve ID" in r.stdout else [r.stdout.decode()])
until(lambda: site.server and os.path.exists(site.catalog))
r = run(["catalog", "approve", "a:pid", "--catalog", site.catalog])
same("it is approved beside the gateway", r.returncode, 0)
case("which tells it when it takes the file over", [] if until(lambda: site.events("definition.approved")) else ["no event"])
until(lambda: site.records("approval"))
same("the ledger names what was approved", [(r["as"], r["tool"], r["what"], r["definition"]) for r in site.records("approval")],
     [("approved", "a:pid", "definition", records[0]["definition"])])
same("nothing waits any more", site.admin("tools")["held"], 0)
os.kill(pid(s), signal.SIGKILL)
site.says("a third thing")
until(lambda: pid(s))
until(lambda: len(site.events("definition.held")) == 2)
s.end()
said = s.child.stderr.read()
case("standard error says it with what to do", [] if said.count("1 changed definition is held back") == 2 and "'ferrule catalog approve ID'" in said else [said])
r = run(["servers", "--config", site.config])
case("servers says it", [] if b"1 changed definition held back (ferrule catalog quarantine)" in r.stdout else [r.stdout.decode()])
r = run(["servers", "--config", site.config, "--json"])
same("servers says it to programs", [x["held"] for x in json.loads(r.stdout)["servers"]], [1])
s = site.serve()
until(lambda: pid(s))
s.end()
case("the next start says that it waits", [] if "1 changed definition is held back" in s.child.stderr.read() else ["nothing was said"])
run(["catalog", "reject", "a:pid", "--catalog", site.catalog])
same("a word that was said while no gateway ran", [r["as"] for r in site.records("approval")], ["approved"])
site.says("a third thing")
s = site.serve()
until(lambda: len(site.records("approval")) == 2)
same("is recorded by the next one", [(r["as"], r["tool"], "definition" in r) for r in site.records("approval")][1:], [("rejected", "a:pid", False)])
s.end()
before = len(site.records("approval"))
site.serve().end()
same("and once only", len(site.records("approval")), before)

# ---- without a quarantine a change is served, and recorded
site = Site("changed")
s = site.serve()
until(lambda: pid(s))
os.kill(pid(s), signal.SIGKILL)
site.says("something else")
until(lambda: pid(s))
case("a change that is served is in the log", [] if until(lambda: site.events("definition.changed")) else ["no event"])
until(lambda: site.records("definition"))
same("and in the ledger", [(r["as"], r["tool"], r["verdict"]) for r in site.records("definition")], [("changed", "a:pid", "compatible")])
s.end()

# ---- who is refused a tool: the ledger and the admin API name it, the caller is not told
site = Site("refused", {"serve": {"clients": {"narrow": {"token": "secretref:env:NARROW", "scopes": ["namespace:text"], "mode": "both"}}}})
s = site.serve("--mode", "both", NARROW="token-narrow")
until(lambda: "pid" in s.modern("tools/list")[2])


def refused(name, args=None):
    got = json.loads(s.modern("tools/call", {"name": name, "arguments": args or {}}, token="token-narrow")[2])
    return (got.get("error", {}).get("message") or got["result"]["content"][0]["text"]).replace(name, "NAME")


direct = refused("pid")
same("a tool that is not for this token", direct, refused("xyz"))
refused("a:pid")
same("through run_tool", [refused("run_tool", {"id": i, "args": {}}).replace(i, "ID") for i in ("a:pid",)], [refused("run_tool", {"id": "a:xyz", "args": {}}).replace("a:xyz", "ID")])
until(lambda: len(site.records("denied")) == 5)
same("the ledger names what there is, by its ID", [(r["rule"], r["tool"]) for r in site.records("denied")],
     [("mcp.scopes", "a:pid"), ("mcp.scopes", "_unknown"), ("mcp.scopes", "a:pid"), ("scopes", "a:pid"), ("stage:resolve", "_unknown")])
recent = [(c.get("tool"), c["code"], c.get("rule")) for c in site.admin("recent")["calls"]]
same("recent calls, too, with the rule", recent, [(None, "ToolNotFound", None), ("a:pid", "ToolNotFound", "scopes")])
table = run(["ledger", "query", "--config", site.config, "--type", "denied"]).stdout.decode().splitlines()
same("the table has rule and reason", [line.split("\t")[4:5] + line.split("\t")[8:] for line in table][:4],
     [["a:pid", "mcp.scopes", "scopes"], ["_unknown", "mcp.scopes", "scopes"], ["a:pid", "mcp.scopes", "scopes"], ["a:pid", "scopes", "-"]])
s.end()

# ---- beginnings, ends and reloads, in the log and in the ledger
site = Site("reloads", {"telemetry": {"logFile": "log.json", "logFormat": "json"}})  # of no level: that of warnings
s = site.serve()


def digest():
    with open(site.config, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


first = digest()
until(lambda: pid(s))
case("the start is in the log", [] if until(lambda: site.events("serve.started")) else ["no event"])
same("with a digest of the configuration", [e["config.sha256"] for e in site.events("serve.started")], [first])
site.write({"telemetry": {"logFile": "log.json", "logFormat": "json"}, "defaults": {"deadlineMs": 9000}})
second = digest()
s.child.send_signal(signal.SIGHUP)
case("a reload is in the log", [] if until(lambda: site.events("config.reloaded")) else ["no event"])
same("with what it did", [(e["level"], e["changes"], e["config.sha256"], e["error.code"]) for e in site.events("config.reloaded")], [("info", 1, second, "Ok")])
site.write(text='{"state": "state", "canary-of-the-file":')
third = digest()
s.child.send_signal(signal.SIGHUP)
case("one that is refused, too", [] if until(lambda: site.events("config.refused")) else ["no event"])
same("as a warning with the reason", [(e["level"], e["changes"], e["config.sha256"], e["error.code"], bool(e["reason"])) for e in site.events("config.refused")],
     [("warn", 0, third, "InvalidYaml", True)])
until(lambda: run(["ledger", "query", "--ledger", site.path("state", "ledger"), "--type", "config"]).stdout.count(b"\n") == 2)  # the file is broken by now
same("no word of the file is in the ledger", run(["ledger", "query", "--ledger", site.path("state", "ledger"), "--type", "config"]).stdout.decode().count("canary"), 0)
got = run(["ledger", "query", "--ledger", site.path("state", "ledger"), "--type", "config", "--json"]).stdout
same("and has both", [json.loads(line)["body"] for line in got.splitlines()],
     [{"as": "taken", "changes": 1, "code": "Ok", "sha256": second}, {"as": "refused", "changes": 0, "code": "InvalidYaml", "sha256": third}])
os.unlink(site.config)
s.child.send_signal(signal.SIGHUP)
case("a file that is gone", [] if until(lambda: len(site.events("config.refused")) == 2) else ["no event"])
s.end()
same("the end is in the log, with the configuration that ran", [[e["config.sha256"] for e in site.events("serve." + w)] for w in ("stopping", "stopped")], [[second], [second]])
same("calls are not, at this level", site.events("tool.succeeded"), [])

# ---- commands that lack something: the others go on, and a reload brings in what has come

TOOL = {"namespace": "c", "description": "Says something.", "effect": "Pure", "inputSchema": {"type": "object"}}


def commands(word):
    return {"quarantine": "changed", "commands": [
        dict(TOOL, name="lost", run={"argv": ["printf", "found"], "stdout": "text", "env": {"set": {"T": "secretref:file:late.secret"}}}),
        dict(TOOL, name="gone", run={"argv": ["late-program"], "stdout": "text"}), dict(TOOL, name="say", run={"argv": ["printf", word], "stdout": "text"})]}


def give(name, text, mode):
    with open(site.path(name + ".new"), "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(site.path(name + ".new"), mode)
    os.rename(site.path(name + ".new"), site.path(name))


def reload():
    before = len(site.events("config.reloaded") + site.events("config.refused"))
    s.child.send_signal(signal.SIGHUP)
    until(lambda: len(site.events("config.reloaded") + site.events("config.refused")) > before)
    return [e["changes"] for e in site.events("config.reloaded")][-1:]


def gives(name):
    got = json.loads(s.modern("tools/call", {"name": name, "arguments": {}})[2]).get("result", {})
    return got["content"][0]["text"].split(":")[0].strip('"') if got.get("content") else str(got)


def listed():
    return sorted(t["name"] for t in json.loads(s.modern("tools/list")[2])["result"]["tools"])


def backend():
    got = [b for b in site.admin("backends")["backends"] if b["name"] == "c"][0]
    return got["state"], got["tools"], got.get("vacant"), got.get("lastError"), got["circuit"]


site = Site("lacking", commands("hello"))
s = site.serve(PATH=site.home + ":" + os.environ["PATH"])
until(lambda: pid(s))
case("commands that lack something are told in the log", [] if until(lambda: len(site.events("command.vacant")) == 2) else [str(site.events("command.vacant"))])
case("each with its place and its reason", [] if [(e["level"], e["command"], w in e["reason"], f"{site.config}:1:" in e["reason"]) for e, w in
                                                  zip(site.events("command.vacant"), ("late.secret", "late-program"))] ==
     [("warn", "c:lost", True, True), ("warn", "c:gone", True, True)] else [str(site.events("command.vacant"))])
tools, version = listed(), site.admin("tools")["catalogVersion"]
same("their tools are listed", [n for n in ("lost", "gone", "say") if n not in tools], [])
same("the others of their namespace go on", gives("say"), "hello")
same("they themselves say what they are", [gives(n) for n in ("lost", "gone") * 10][-2:], ["BackendUnavailable", "BackendUnavailable"])
same("which opens no circuit of the others", (gives("say"), backend()), ("hello", ("up", 3, 2, "IoError", "closed")))
time.sleep(5)  # several looks at what is away
same("after some seconds nothing has moved", (listed(), site.admin("tools")["catalogVersion"]), (tools, version))
same("nor for a reload", (reload(), listed(), len(site.events("command.vacant"))), ([0], tools, 2))
give("late-program", "#!/bin/sh\nprintf here\n", 0o755)
same("a reload brings in what has come", (reload(), gives("gone"), gives("lost"), gives("say"), backend()),
     ([1], "here", "BackendUnavailable", "hello", ("up", 3, 1, "IoError", "closed")))
site.write(commands("again"))
same("another change while one is away", (reload(), gives("say"), gives("lost")), ([1], "again", "BackendUnavailable"))
give("late.secret", "s3cret\n", 0o600)
same("and the other", (reload(), gives("lost"), backend()[:4]), ([1], "found", ("up", 3, None, backend()[3])))
os.unlink(site.path("late-program"))
same("a reload leaves out what has gone", (reload(), gives("gone"), gives("lost"), gives("say"), backend()[:4]), ([1], "BackendUnavailable", "found", "again", ("up", 3, 1, "BackendUnavailable")))
same("none of it was another definition", (listed(), [site.events(e) for e in ("definition.changed", "definition.held", "config.refused")]), (tools, [[], [], []]))
site.write(text=json.dumps(dict(json.load(open(site.config, encoding="utf-8")), commands=[dict(TOOL, name="say", run={"argv": ["printf", "x"], "stdot": "text"})])))
same("what is wrong is refused", (reload(), len(site.events("config.refused")), gives("say")), ([1], 1, "again"))
s.end()
said = s.child.stderr.read()
same("on standard error, once for each start and reload that leaves it out", [said.count(f"the command c:{n}: ") for n in ("lost", "gone", "say")], [4, 4, 0])

# ---- who cannot have the ledger beside a gateway is told what to do
site = Site("beside", {"serve": {"clients": {"desk": {"scopes": ["*"]}}}})
s = site.serve()
until(lambda: pid(s))
own = ["--config", site.config]
for name, words, code, want in [
    ("a client that is misspelt", ["serve", "--stdio", "--client", "desc", *own], 2, ["serve.clients of the configuration has no desc; did you mean desk?"]),
    ("a client", ["serve", "--stdio", "--client", "desk", *own], 70, ["LedgerUnavailable", "`ferrule serve --stdio` attaches to it", "over HTTP, with its token", "another `state`"]),
    ("another mode", ["serve", "--stdio", "--mode", "tools", "--attach", "never", *own], 70, ["`ferrule serve --stdio` attaches to it"]),
    ("a second gateway", ["serve", "--listen", "0", *own], 70, ["stop that one first", "another `state`"]),
    ("run", ["run", "a:pid", *own], 70, ["ferrule call --server URL run_tool id=TOOL"]),
    ("ledger prune", ["ledger", "prune", "--older-than", "1d", *own], 70, ["ledger.retentionDays"]),
    ("a client over HTTP", ["serve", "--client", "desk", *own], 2, ["--client is for --stdio"]),
]:
    r = run(words, env={"HOME": site.home, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""})
    case(f"beside a gateway: {name}", [f"no {t!r}: {r.stderr.decode()}" for t in want if t not in r.stderr.decode()] + ([] if r.returncode == code else [f"exit code {r.returncode}"]))
s.end()

# ---- a key of the store that is gone
site = Site("sealed")
s = site.serve()
until(lambda: pid(s))
s.end()
same("the first start makes a key, and says nothing", ("seal.key" in s.child.stderr.read(), site.events("seal.anew")), (False, []))
os.unlink(site.path("state", "seal.key"))
r = run(["doctor", "--config", site.config, "--offline"])
case("doctor misses it", [] if b"it is gone: what store.db has" in r.stdout and b"from a backup" in r.stdout else [r.stdout.decode()])
s = site.serve()
s.end()
case("one that is made anew is said", [] if "seal.key was gone, and is made anew" in s.child.stderr.read() else ["nothing was said"])
same("and in the log", [e["level"] for e in site.events("seal.anew")], ["warn"])
s = site.serve()
s.end()
same("once", len(site.events("seal.anew")), 1)

# ---- the file of tokens while it is in use
site = Site("tokens", {"serve": {"tokens": "tokens.json"}})
made = run(["token", "new", "one", "--file", site.path("tokens.json")])
token = made.stdout.decode().split()[-1]
s = site.serve(FERRULE_TOKEN="")


def status():
    return s.ask("GET", "/metrics", token=token)[0]


same("a token of the file", status(), 200)
os.chmod(site.path("tokens.json"), 0o644)
time.sleep(0.01)
same("what was read is good while only the mode has changed", (status(), status()), (200, 200))
case("which the log tells", [] if until(lambda: site.events("tokens.open")) else ["no event"])
with open(site.path("tokens.json"), "a", encoding="utf-8") as f:
    f.write("\n")
time.sleep(0.01)
same("nothing of such a file is read", (until(lambda: status() == 401), status()), (True, 401))
same("each is told once", [(e["level"], "chmod" in e["reason"]) for e in site.events("tokens.open") + site.events("tokens.refused")], [("warn", True), ("warn", True)])
os.chmod(site.path("tokens.json"), 0o600)
same("with its mode it is good again", until(lambda: status() == 200), True)
os.unlink(site.path("tokens.json"))
same("one that is gone lets nobody in", until(lambda: status() == 401), True)
same("and is told", [e["reason"] for e in site.events("tokens.refused")][1:], ["the file is gone"])
s.end()


# ---- a gateway that is killed while a call is under way
SLOW = {"namespace": "x", "name": "slow", "description": "Takes its time.", "inputSchema": {"type": "object"}, "effect": "NonIdempotentWrite",
        "run": {"argv": ["sleep", "60"], "stdout": "text"}}
site = Site("killed", {"commands": [SLOW]})
s = site.serve()
waiting = threading.Thread(target=lambda: gone(lambda: s.modern("tools/call", {"name": "slow", "arguments": {}})), daemon=True)
waiting.start()
until(lambda: [r for r in site.records("begin") if r["tool"].startswith("x:slow")])
s.end(signal.SIGKILL)
waiting.join(20)
s = site.serve()
s.end()
said = s.child.stderr.read()
case("the next start says how many calls were under way", [] if "1 calls were under way" in said and "of 1 nobody knows" in said else [said])
same("and so does the log", [(e["level"], e["calls"], e["unknown"]) for e in site.events("ledger.recovered")], [("warn", 1, 1)])
r = run(["ledger", "query", "--config", site.config, "--tool", "x:slow", "--status", "Unknown", "--json"])
same("their ends are found by the tool", [json.loads(line)["body"]["code"] for line in r.stdout.splitlines()], ["OutcomeUnknown"])
s = site.serve()
s.end()
case("which is said once", ["again"] if "under way" in s.child.stderr.read() else [])
finish()
