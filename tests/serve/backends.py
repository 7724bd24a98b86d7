#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How ferrule serve looks after the servers behind it: started by the first call or at once, stopped when nobody calls, one for all or
one for each client, started again when they are lost, listed at once from what is kept. Speaks TAP."""

import json
import os
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
BACKEND = os.path.join(HERE, "logged.py")
rows = 0


class Site:
    """A configuration with servers that write down what they are asked."""

    def __init__(self, servers, more=None, catalog=True):
        global rows
        rows += 1
        self.home = os.path.join(folder.name, f"site{rows}")
        os.makedirs(self.home)
        self.log = os.path.join(self.home, "log")
        self.config = os.path.join(self.home, "ferrule.yaml")
        self.servers = {n: dict({"command": sys.executable, "args": [BACKEND, self.log, n]}, **extra) for n, extra in servers.items()}
        self.more = dict({"catalog": "tools.catalog"} if catalog else {}, **(more or {}))
        self.write()

    def write(self):
        with open(self.config, "w", encoding="utf-8") as f:
            json.dump(dict(self.more, mcpServers=self.servers), f)

    def serve(self, *words):
        env = {"FERRULE_TOKEN": TOKEN, "X": "token-of-x", "Y": "token-of-y"}
        return Server("--mode", "tools", *words, config=self.config, folder=self.home, env=env)

    def noted(self, text, server=None):
        try:
            with open(self.log, encoding="utf-8") as f:
                lines = [line.split() for line in f]
        except OSError:
            return []
        return [int(w[2]) for w in lines if w[1] == text and server in (None, w[0])]

    def put(self, end, text):
        with open(self.log + end, "w", encoding="utf-8") as f:
            f.write(text)


def result(answer):
    return json.loads(answer[2]).get("result", {})


def names(server, kind="tools"):
    """All but the tools that the command brings along."""
    return [t["name"] for t in result(server.modern(f"{kind}/list")).get(kind, []) if t["name"] not in ("count", "now")]


def call(server, name="pid", **more):
    got = result(server.modern("tools/call", {"name": name, "arguments": {}}, **more))
    text = got["content"][0]["text"] if got.get("content") else json.dumps(got)
    return int(text) if text.isdigit() else text


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# ---- lazy: what is kept is served, and nothing is started for it
site = Site({"a": {}, "b": {}})
s = site.serve()
same("the first start asks all servers", (names(s), len(site.noted("tools/list"))), (["a__pid", "b__pid"], 2))
same("prompts of both", sorted(names(s, "prompts")), ["greet_a", "greet_b"])
same("their resources", sorted(r["uri"] for r in result(s.modern("resources/list"))["resources"]), ["log://a", "log://b"])
s.end()
case("what they have beside tools is kept", [] if os.path.exists(os.path.join(site.home, "tools.catalog.wares")) else ["no file"])
before = len(site.noted("start"))
s = site.serve("--mode", "tools")
same("the second start serves the same", (names(s), sorted(names(s, "prompts"))), (["a__pid", "b__pid"], ["greet_a", "greet_b"]))
prompts = s.modern("prompts/list")[2]
case("bytes of a prompt are kept", [] if '{"name": "greet_a", "future": 1E2}' in prompts else [prompts[:300]])
same("resources, too", sorted(r["uri"] for r in result(s.modern("resources/list"))["resources"]), ["log://a", "log://b"])
sid, _, hello = s.session()
case("instructions are kept", [] if "Ask a nicely" in hello and "Ask b nicely" in hello else [hello[:600]])
same("and starts no server", len(site.noted("start")), before)
pid = call(s, "a__pid")
same("the first call starts the one that it needs", (len(site.noted("start")), site.noted("start", "a")[-1]), (before + 1, pid))
case("which is asked for its tools again", [] if until(lambda: len(site.noted("tools/list", "a")) == 2) else [str(site.noted("tools/list"))])
same("the next call goes to the same", call(s, "a__pid"), pid)
site.put(".tools", "pid new")
os.kill(pid, signal.SIGKILL)
case("a changed definition arrives with the next start", [] if until(lambda: isinstance(call(s, "a__pid"), int) and "new" in names(s)) else [str(names(s))])
s.end()

# ---- a catalogue of another version, one that is damaged, one that is gone
for name, spoil in [("of another version", lambda b: b[:8] + b"\x01" + b[9:]), ("that is cut", lambda b: b[:-1]),
                    ("with a damaged head", lambda b: b[:60] + bytes([b[60] ^ 1]) + b[61:]), ("that was deleted", lambda b: None)]:
    site = Site({"a": {}})
    s = site.serve()
    names(s), s.end()
    where = os.path.join(site.home, "tools.catalog")
    with open(where, "rb") as f:
        spoiled = spoil(f.read())
    os.unlink(where)
    for copy in () if spoiled is None else ("", ".bak"):  # of which the second is somebody's, and stays
        with open(where + copy, "wb") as f:
            f.write(spoiled if not copy else b"mine")
    s = site.serve()
    same(f"a catalogue {name} is made anew", names(s), ["pid"])
    s.end()
    said = s.child.stderr.read()
    if spoiled is not None:
        with open(where + ".bak", "rb") as f, open(where + ".bak.2", "rb") as g:
            same(f"a catalogue {name} is kept", (f.read(), g.read() == spoiled), (b"mine", True))
        case(f"a catalogue {name}: it is said", [] if f"{where}.bak.2" in said else [said])
    before = len(site.noted("start"))
    s = site.serve()
    same(f"a catalogue {name} serves at the next start", (names(s), len(site.noted("start"))), (["pid"], before))
    s.end()
site = Site({"a": {}})
with open(os.path.join(site.home, "tools.catalog"), "w", encoding="utf-8") as f:
    f.write("a letter to my aunt")
r = run(["serve", "--config", site.config, "--listen", "0"])
with open(os.path.join(site.home, "tools.catalog"), encoding="utf-8") as f:
    same("a file that never was one stays as it is", (r.returncode, b"InvalidCatalog" in r.stderr, f.read()), (2, True, "a letter to my aunt"))

# ---- what was approved is in the catalogue: with a quarantine it is not made anew
site = Site({"a": {}}, {"quarantine": "changed"})
s = site.serve()
names(s), s.end()
where = os.path.join(site.home, "tools.catalog")
with open(where, "rb") as f:
    spoiled = f.read()[:-1]
with open(where, "wb") as f:
    f.write(spoiled)
r = run(["serve", "--config", site.config, "--listen", "0"])
with open(where, "rb") as f:
    same("a damaged catalogue with a quarantine stays", (r.returncode, b"InvalidCatalog" in r.stderr and b"quarantine" in r.stderr, f.read() == spoiled), (2, True, True))

# ---- another program changes the catalogue of a gateway that runs
site = Site({"a": {}}, {"quarantine": "changed"})
where = os.path.join(site.home, "tools.catalog")
s = site.serve()


def described():
    return [t["description"] for t in result(s.modern("tools/list"))["tools"] if t["name"] == "pid"]


def renew(end, text):
    """The server is another one from the next call on."""
    site.put(end, text)
    os.kill(call(s), signal.SIGKILL)
    return until(lambda: isinstance(call(s), int))


same("a definition as it was approved", described(), ["Says which process it is (pid)."])
renew(".says", "something else")
held = until(lambda: b"a:pid" in run(["catalog", "quarantine", "--catalog", where]).stdout)
same("a changed definition is held back", (held, described()), (True, ["Says which process it is (pid)."]))
r = run(["catalog", "approve", "a:pid", "--catalog", where])
taken = until(lambda: described() == ["Says something else (pid)."])
same("what was approved beside a gateway is served", (r.returncode, taken, described()), (0, True, ["Says something else (pid)."]))
renew(".tools", "pid new")
case("and what the gateway learns after it", [] if until(lambda: "new" in names(s)) else [str(names(s))])
kept = until(lambda: b"a:new" in run(["describe", "a:new", "--catalog", where]).stdout)
same("is kept", kept, True)
with open(where + ".next", "wb") as f:
    f.write(b"a letter to my aunt")
os.rename(where + ".next", where)
time.sleep(7)  # it is looked at once a second, but five seconds after it was taken over
same("what cannot be read is not taken over", (sorted(names(s)), described()), (["new", "pid"], ["Says something else (pid)."]))
s.end()
said = s.child.stderr.read()
same("which is said once", (said.count("is taken over"), said.count("not taken over")), (1, 1))

# ---- the same while a server is being listed
site = Site({"a": {}})
where = os.path.join(site.home, "tools.catalog")
s = site.serve()
names(s), s.end()
site.servers["a"]["env"] = {"X": "1"}
site.write()
site.put(".hold", "")
began = len(site.noted("start"))
s = site.serve()
case("a server is being listed", [] if until(lambda: len(site.noted("start")) > began) else ["it was not started"])
with open(where, "rb") as f, open(where + ".next", "wb") as g:
    g.write(f.read())
os.rename(where + ".next", where)
time.sleep(2.5)  # it is looked at once a second
os.unlink(site.log + ".hold")
same("a catalogue that changes while a server is listed", (until(lambda: isinstance(call(s), int)), names(s), s.end()), (True, ["pid"], 0))
said = s.child.stderr.read()
same("it was taken over", said.count("is taken over"), 1)

# ---- a server that is another one after a reload, while nobody asks for anything
site = Site({"a": {}})
s = site.serve("--mode", "transparent")
names(s), names(s, "prompts")
site.servers["a"]["env"] = {"X": "1"}
site.write()
s.child.send_signal(signal.SIGHUP)
case("a server with another configuration is asked", [] if until(lambda: len(site.noted("tools/list")) == 2) else [str(site.noted("tools/list"))])
time.sleep(2.5)  # what is to be kept is looked at once a second
same("a server with another configuration is served", (names(s), names(s, "prompts")), (["pid"], ["greet_a"]))
s.end()

# ---- a folder of state has a catalogue, where no other is named
site = Site({"a": {}}, {"state": "kept", "serve": {"limits": {"settleMs": 600000}}}, catalog=False)
s = site.serve()
same("with a folder of state: the first start", (names(s), names(s, "prompts")), (["pid"], ["greet_a"]))
s.end()
site.put(".hold", "")
site.put(".tools", "pid later")
s = site.serve()
same("with a folder of state: the next one answers from what is kept", (names(s), names(s, "prompts")), (["pid"], ["greet_a"]))
os.unlink(site.log + ".hold")
case("with a folder of state: and asks what there is by now", [] if until(lambda: names(s) == ["later", "pid"]) else [str(names(s))])
s.end()

# ---- what a transparent server says beside its lists is kept, too
site = Site({"a": {}})
for turn in ("the first start", "the next one, of what is kept"):
    s = site.serve("--mode", "transparent")
    before = len(site.noted("start"))
    for kind, want in (("tools", '"_meta":{"x.example/of": "tools","n": 1E2}'.replace(": ", ":")),
                       ("prompts", '"_meta":{"x.example/of":"prompts"},"odd":1E2')):
        sid = s.session()[0]
        text = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": kind + "/list"}, {"Mcp-Session-Id": sid})[2]
        case(f"{turn}: beside {kind}", [] if want in text else [text])
    s.end()
same("of what is kept: no server is started for it", len(site.noted("start")), 1)

# ---- a list that is too old, a configuration that is another one
site = Site({"a": {}}, {"relistMs": 1})
site.serve().end()
until(lambda: site.noted("tools/list"))
s = site.serve()
case("a list that is too old is asked for at once", [] if until(lambda: len(site.noted("tools/list")) == 2) else [str(site.noted("tools/list"))])
s.end()
site = Site({"a": {}})
s = site.serve()
names(s), s.end()
site.servers["a"]["env"] = {"X": "1"}
site.write()
s = site.serve()
case("as is one of a server that is configured otherwise", [] if until(lambda: len(site.noted("tools/list")) == 2) else [str(site.noted("tools/list"))])
s.end()
site.put(".tools", "pid")
with open(os.path.join(site.home, "tools.catalog.wares"), "w", encoding="utf-8") as f:
    f.write('{"servers": {"a": ')
s = site.serve()
same("a damaged file of what is kept ends nothing", names(s, "prompts"), ["greet_a"])
s.end()

# ---- what is kept is served at once, while its server is asked again and says nothing
for name, extra, more in [("whose list is too old", {}, {"relistMs": 1}), ("that starts at once", {"start": "eager"}, {})]:
    site = Site({"a": extra}, dict(more, serve={"limits": {"settleMs": 600000}}))
    s = site.serve()
    names(s), s.end()
    site.put(".hold", "")
    site.put(".tools", "pid later")
    s = site.serve()
    same(f"a server {name}: its tools are there while it starts", (names(s), s.ask("GET", "/readyz")[0]), (["pid"], 200))
    case(f"a server {name}: and it is asked", [] if until(lambda: len(site.noted("start")) == 2) else [str(site.noted("start"))])
    os.unlink(site.log + ".hold")
    case(f"a server {name}: what it says then counts", [] if until(lambda: names(s) == ["later", "pid"]) else [str(names(s))])
    s.end()

# ---- eager
site = Site({"a": {"start": "eager"}, "b": {}})
s = site.serve()
names(s), s.end()
s = site.serve()
case("an eager server starts at once", [] if until(lambda: len(site.noted("start", "a")) == 2) else [str(site.noted("start", "a"))])
same("a lazy one beside it does not", len(site.noted("start", "b")), 1)
first = site.noted("start", "a")[-1]
case("it is connected", [] if until(lambda: len(site.noted("notifications/initialized", "a")) == 2) else [str(site.noted("notifications/initialized"))])
os.kill(first, signal.SIGKILL)
case("killed, it is started again without a call", [] if until(lambda: len(site.noted("start", "a")) == 3) else [str(site.noted("start", "a"))])
same("and serves", call(s, "a__pid"), site.noted("start", "a")[-1])
s.end()

# ---- idle
site = Site({"a": {"idleStopMs": 300}})
s = site.serve()
pid = call(s)
case("a server that nobody calls is stopped", [] if until(lambda: not alive(pid)) else ["it runs on"])
same("in peace: its input was closed", pid in site.noted("end"), True)
same("its tools are still there", names(s), ["pid"])
other = call(s)
case("the next call starts it again", [] if isinstance(other, int) and other != pid else [str(other)])
s.end()

# ---- isolated
tokens = {"serve": {"clients": {"x": {"token": "secretref:env:X"}, "y": {"token": "secretref:env:Y"}}}}
site = Site({"a": {"isolate": True}}, tokens)
s = site.serve()
x, y = call(s, token="token-of-x"), call(s, token="token-of-y")
case("two tokens, two processes", [] if isinstance(x, int) and isinstance(y, int) and x != y else [f"{x} {y}"])
same("a token keeps its own", (call(s, token="token-of-x"), call(s, token="token-of-y")), (x, y))


def in_session(sid, token="token-of-x"):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pid", "arguments": {}}}
    text = s.ask("POST", "/mcp", body, {"Mcp-Session-Id": sid, "MCP-Protocol-Version": "2025-11-25"}, token=token)[2]
    return int(json.loads(text)["result"]["content"][0]["text"])


one, two = s.session(token="token-of-x")[0], s.session(token="token-of-x")[0]
mine, other = in_session(one), in_session(two)
case("a session of an older client has its own", [] if len({x, y, mine, other}) == 4 and in_session(one) == mine else [f"{x} {y} {mine} {other}"])
s.ask("DELETE", "/mcp", None, {"Mcp-Session-Id": one}, token="token-of-x")
case("which ends with the session", [] if until(lambda: not alive(mine)) else ["it runs on"])
same("the others go on", (in_session(two), call(s, token="token-of-x"), call(s, token="token-of-y")), (other, x, y))
s.end()
same("all end with the gateway", [p for p in site.noted("start") if alive(p)], [])

# ---- servers that are away
late = os.path.join(folder.name, "late")
site = Site({"a": {}, "dead": {"command": late, "args": []}, "mute": {"command": "sleep", "args": ["1000"]}}, catalog=False)
s = site.serve()
same("a dead server and a mute one hide nothing of the others", names(s), ["pid"])
with open(late, "w", encoding="utf-8") as f:
    f.write(f"#!/bin/sh\nexec {sys.executable} {BACKEND} {site.log} dead\n")
os.chmod(late, 0o755)
case("a server that comes is served, without a restart", [] if until(lambda: sorted(names(s)) == ["a__pid", "dead__pid"], 60) else [str(names(s))])
s.end()

# ---- one that says all the time that it has changed
site = Site({"a": {}})
s = site.serve()
call(s)
site.put(".storm", "2000")
until(lambda: len(site.noted("tools/list")) >= 1)
base = len(site.noted("tools/list"))
call(s)
site.put(".storm", "0")
same("it answers on", call(s), site.noted("start")[-1])
case("2,000 changes are few lists", [] if until(lambda: len(site.noted("tools/list")) > base) and len(site.noted("tools/list")) <= base + 10 else [str(len(site.noted("tools/list")))])
s.end()

# ---- the configuration
for name, server, want in [
    ("start", {"start": "now"}, 'must be one of "lazy", "eager"'),
    ("isolate", {"isolate": 1}, "isolate"),
    ("idleStopMs 0", {"idleStopMs": 0}, "idleStopMs"),
]:
    site = Site({"a": server})
    r = run(["config", "check", site.config])
    said = (r.stdout + r.stderr).decode()
    case(f"a wrong {name} is said", [] if r.returncode == 1 and ("/mcpServers/a" in said or want in said or ":1:" in said) else [f"{r.returncode} {said[:400]}"])
finish()
