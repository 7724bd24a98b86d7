#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The admin API: each page holds to its schema, in whatever state the gateway is; who may read it; that nothing of the host is in it; that
refusals of every kind are told there and in the ledger, with the ID of their rule. Speaks TAP."""

import glob
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import FERRULE, SOURCE, finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
SCHEMA = json.load(open(os.path.join(SOURCE, "docs", "schemas", "admin.schema.json"), encoding="utf-8"))
PAGES = ["state", "backends", "calls", "recent", "tools", "catalog", "limits", "tokens", "denials"]
BACKEND = os.path.join(HERE, "logged.py")
SECRET = "a-very-secret-value-of-the-environment"
config = os.path.join(folder.name, "ferrule.yaml")
with open(config, "w", encoding="utf-8") as f:
    json.dump({
        "state": "state",
        "mcpServers": {
            "a": {"command": sys.executable, "args": [BACKEND, os.path.join(folder.name, "log"), "a"], "env": {"SECRET_OF_A": SECRET}},
            "gone": {"command": "/nowhere/a-program-of-the-host", "args": ["--an-argument"]},
            "lacking": {"command": "true", "env": {"T": "secretref:env:NO_SUCH_VARIABLE"}},
        },
        "commands": [{"namespace": "n", "name": "nap", "description": "Sleeps for some time, and says so.", "effect": "Pure", "requiredScopes": ["sleep"],
                      "inputSchema": {"type": "object", "properties": {"seconds": {"type": "string"}}, "required": ["seconds"]},
                      "run": {"argv": ["sleep", "{seconds}"], "stdout": "text"}},
                     {"namespace": "n", "name": "lost", "description": "Lacks its program.", "effect": "Pure", "inputSchema": {"type": "object"}, "run": {"argv": ["no-such-program-here"]}}],

        "serve": {"clients": {
            "narrow": {"token": "secretref:env:NARROW", "scopes": ["namespace:n"]},
            "watcher": {"token": "secretref:env:WATCHER", "scopes": ["namespace:none", "scope:admin"]},
            "tenant": {"token": "secretref:env:TENANT", "scopes": ["*"], "tenant": "acme"},
        }},
    }, f)
env = {"FERRULE_TOKEN": TOKEN, "NARROW": "token-narrow", "WATCHER": "token-watcher", "TENANT": "token-tenant", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": ""}
s = Server("--mode", "tools", config=config, env=env, folder=folder.name)


def page(name, **more):
    status, head, text = s.ask("GET", "/admin/v1" + ("/" + name if name else ""), **more)
    return status, text


def holds(name, text):
    """What breaks the schema of a page."""
    schema = os.path.join(folder.name, "page.schema.json")
    with open(schema, "w", encoding="utf-8") as f:
        json.dump(dict(SCHEMA, **{"$ref": f"#/$defs/{name}"}), f)
    r = run(["validate", "--schema", schema, "-"], stdin=text)
    return [] if r.returncode == 0 else [(r.stdout + r.stderr).decode()[:800], text[:400]]


def check_all(when):
    for name in PAGES:
        status, text = page(name)
        case(f"{when}: {name}", ([] if status == 200 else [f"status {status}"]) + holds(name, text))


status, text = page("")
case("the index", holds("index", text) + ([] if [p["path"].rsplit("/", 1)[1] for p in json.loads(text)["pages"]] == PAGES else [text]))
check_all("at the start")

# ---- calls under way, ended, failed, refused
def call(name, args, token=TOKEN):
    return s.modern("tools/call", {"name": name, "arguments": args}, token=token)


call("pid", {})
call("pid", {"x": {"deep": SECRET}})
call("nap", {"seconds": 5.5})  # breaks its schema
same("a scope that a tool asks for", json.loads(call("nap", {"seconds": "0"}, token="token-narrow")[2])["result"]["isError"], True)
same("a tool that is not for this token", json.loads(call("pid", {}, token="token-narrow")[2])["error"]["code"], -32602)
s.modern("prompts/get", {"name": "greet_a"}, token="token-narrow")
same("no token", s.ask("GET", "/admin/v1/state", token=None)[0], 401)
same("a wrong token", s.ask("POST", "/mcp", "{}", token="wrong")[0], 401)
same("another host", s.ask("GET", "/healthz", headers={"Host": "evil.example"})[0], 403)
same("another origin", s.ask("POST", "/mcp", "{}", headers={"Origin": "https://evil.example"})[0], 403)
sid = s.session()[0]
same("a session of another's", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Mcp-Session-Id": sid}, token="token-tenant")[0], 404)
same("metrics with a narrow token", s.ask("GET", "/metrics", token="token-narrow")[0], 403)
nap = threading.Thread(target=call, args=("nap", {"seconds": "3"}))
nap.start()
case("a call under way is shown", [] if until(lambda: [c for c in json.loads(page("calls")[1])["calls"] if c.get("backend") == "n"]) else [page("calls")[1]])
check_all("under load")
nap.join()
recent = json.loads(page("recent")[1])
same("recent calls, the newest first", [c["code"] for c in recent["calls"]][:2], ["Ok", "ToolNotFound"] if recent["calls"][1]["code"] == "ToolNotFound" else ["Ok", recent["calls"][1]["code"]])
backend = {b["name"]: b for b in json.loads(page("backends")[1])["backends"]}
same("tools that every gateway has", (backend["text"]["tools"], backend["time"]["tools"]), (1, 1))
same("a backend that is up", (backend["a"]["state"], backend["a"]["calls"], backend["a"]["server"], backend["a"]["tools"]), ("up", 2, "a", 1))
case("how long its calls took", [] if 0 < backend["a"]["p50Us"] <= backend["a"]["p99Us"] < 60_000_000 else [str(backend["a"]["p50Us"])])
same("one that lacks its secret", (backend["lacking"]["kind"], backend["lacking"]["state"]), ("vacant", "down"))
same("a pack of commands of which one is not set up", (backend["n"]["kind"], backend["n"]["state"], backend["n"]["vacant"], backend["n"]["lastError"]), ("command", "up", 1, "BackendUnavailable"))
case("one that is away, with its code and no more", [] if backend["gone"]["state"] != "up" and backend["gone"].get("lastError") else [str(backend["gone"])])

# ---- who may read it
for name, token, want in [("the operator", TOKEN, 200), ("the scope admin", "token-watcher", 200), ("a token for some tools", "token-narrow", 403),
                          ("all tools, of a tenant", "token-tenant", 403), ("nobody", None, 401), ("a stranger", "x", 401)]:
    for path in ("state", "recent", "denials"):
        status, text = page(path, token=token)
        case(f"{path} for {name}", ([] if status == want else [f"status {status}"]) + (holds("error", text) if status == 403 else []))
same("a page that is not there", page("nothing")[0], 404)
same("below another version", s.ask("GET", "/admin/v2/state")[0], 404)
same("a name that only begins like it", s.ask("GET", "/admin/v1state")[0], 404)
for method in ("POST", "PUT", "DELETE"):
    same(f"{method} changes nothing", s.ask(method, "/admin/v1/state", "{}" if method != "DELETE" else None)[0], 405)

# ---- what is in none of it
everything = "".join(page(p)[1] for p in [""] + PAGES)
case("nothing of the host, no secret", [f"it has {t}" for t in (SECRET, "SECRET_OF_A", "a-program-of-the-host", "--an-argument", sys.executable, folder.name, TOKEN,
                                                                "token-narrow", "logged.py", "/nowhere", "no-such-program", "NO_SUCH_VARIABLE", '"seconds"') if t in everything])

# ---- refusals, here and in the ledger
rules = {d["rule"] for d in json.loads(page("denials")[1])["denials"]}
case("refusals by rule", [f"{r} is not there: {rules}" for r in ("http.token", "http.host", "http.origin", "http.session", "http.metrics", "http.admin", "requiredScopes:sleep") if r not in rules])
case("whose they are is a digest", [] if any(d.get("principal") for d in json.loads(page("denials")[1])["denials"]) else ["nobody"])
for i in range(120):
    s.ask("GET", "/metrics", token="x")
status, text = page("denials")
case("no more than are kept", holds("denials", text) + ([] if len(json.loads(text)["denials"]) == 100 and json.loads(text)["total"] > 120 else [text[:200]]))

for i in range(201):
    call("a__pid" if i == 0 else "pid", {})
text = page("recent")[1]
recent = json.loads(text)
case("200 recent calls, and no more", holds("recent", text) + ([] if len(recent["calls"]) == 200 else [str(len(recent["calls"]))]))

# ---- at the socket of the operator
sockets = glob.glob(os.path.join(folder.name, ".local/state/ferrule/run/*.http"))
same("there is a socket for the operator", len(sockets), 1)


class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sockets[0])


c = Local("localhost")
c.request("GET", "/admin/v1/state")
r = c.getresponse()
case("which asks for no token", holds("state", r.read().decode()) + ([] if r.status == 200 else [str(r.status)]))
c.close()
same("it is for this user alone", oct(os.stat(sockets[0]).st_mode & 0o777), "0o600")
s.end()
same("it goes with the gateway", glob.glob(os.path.join(folder.name, ".local/state/ferrule/run/*.http")), [])
got = subprocess.run([FERRULE, "ledger", "query", "-L", os.path.join(folder.name, "state", "ledger"), "--type", "denied", "--json"], capture_output=True, text=True).stdout
found = {r for line in got.splitlines() for r in [json.loads(line).get("body", json.loads(line)).get("rule", "")] if r}
case("the ledger has their rules", [f"{r} is not there: {found} {got[:300]}" for r in ("http.token", "http.host", "http.origin", "http.session", "http.admin", "mcp.scopes",
                                                                                       "requiredScopes:sleep", "stage:validate_input") if r not in found])
finish()
