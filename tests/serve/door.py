#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is let in, as whom, and what they see: tokens, scopes, tenants, sessions, revoking. The rows A01-A14, A32-A58 of the
tests of authorization that are about tokens. Speaks TAP."""

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case, expect, finish, run  # noqa: E402

from web_rig import MODERN, TOKEN, Server, code_of, home, same, until  # noqa: E402

kept = {"HOME": home.name, "XDG_CONFIG_HOME": ""}
CONFIG = os.path.join(home.name, "tools.yaml")
with open(os.path.join(HERE, "tools.yaml"), encoding="utf-8") as file:
    base = file.read().replace("${workspaceFolder}", HERE)
with open(CONFIG, "w", encoding="utf-8") as file:
    file.write(base + f"""
  - namespace: other
    name: secret_thing
    description: Naps as well, under another name.
    inputSchema: {{type: object}}
    effect: NonIdempotentWrite
    requiredScopes: [things]
    run: {{argv: [echo, canary-of-other], stdout: text}}
state: {home.name}/state
""")


def token(name, *words):
    return run(["token", "new", name, *words], env=kept).stdout.decode().split()[-1]


# ---- the first token

with tempfile.TemporaryDirectory() as folder:
    s = Server(env={}, config=CONFIG, folder=folder)
    guide = [s.child.stdout.readline() for _ in range(9)]
    first = guide[0].split()[1]
    path = os.path.join(folder, ".config", "ferrule", "tokens.json")
    same("the first start shows a token", (len(first), first[:4]), (47, "fer_"))
    same("kept as a hash, for its owner alone", (first[4:] in open(path, encoding="utf-8").read(), stat.S_IMODE(os.stat(path).st_mode)), (False, 0o600))
    line = next(x for x in guide if x.startswith("curl"))
    same("which is good", s.modern("tools/list", token=first)[0], 200)
    same("in the line to try", subprocess.run(["sh", "-c", line], capture_output=True, timeout=60, check=False).stdout.find(b"text:count") > 0
         if subprocess.run(["sh", "-c", "command -v curl"], capture_output=True, check=False).returncode == 0 else True, True)
    s.end()
    s = Server(env={}, config=CONFIG, folder=folder)
    guide = "".join(s.child.stdout.readline() for _ in range(6))
    same("the second does not", ("fer_" in guide, "shown when it was made" in guide), (False, True))
    same("but takes it", s.modern("tools/list", token=first)[0], 200)
    same("and no other", s.modern("tools/list", token="fer_" + "a" * 43)[0], 401)
    s.end()
    s = Server("--fresh-token", env={}, config=CONFIG, folder=folder)
    fresh = s.child.stdout.readline().split()[1]
    same("a fresh one is of this run", (len(fresh), s.modern("tools/list", token=fresh)[0], s.modern("tools/list", token=first)[0]), (len("fer_") + 43, 200, 200))
    s.end()

# ---- A01-A13: no token, another, in other places

s = Server("--mode", "both", "--expose", "*", config=CONFIG)
PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}}
HEAD = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


def status(path="/mcp", shown=TOKEN, method="POST", **headers):
    return s.ask(method, path, PING if method == "POST" else None, dict(HEAD, **{k.replace("_", "-"): v for k, v in headers.items()}), shown)


wanted = status(shown=None)
SHOWN = ("a part of it", "more than it", "in capitals")  # a token, which is not good (RFC 6750, 3.1)
for name, got in [
    ("A01 none", wanted), ("A02 empty", status(shown=None, Authorization="Bearer ")), ("A02 only a blank", status(shown=None, Authorization=" ")),
    ("A03 another scheme", status(shown=None, Authorization="Basic " + TOKEN)), ("A03 no scheme", status(shown=None, Authorization=TOKEN)),
    ("A03 two blanks", status(shown=None, Authorization="Bearer  " + TOKEN)), ("A03 more behind it", status(shown=None, Authorization=f"Bearer {TOKEN} x")),
    ("A05 in the query", status("/mcp?access_token=" + TOKEN, None)), ("A05 in the query, as token", status("/mcp?token=" + TOKEN, None)),
    ("a part of it", status(shown=TOKEN[:-1])), ("more than it", status(shown=TOKEN + "x")), ("in capitals", status(shown=TOKEN.upper())),
    ("A12 GET", status(shown=None, method="GET")), ("A12 DELETE", status(shown=None, method="DELETE")),
    ("A13 X-User", status(shown=None, X_User="root", X_Tenant_Id="t", X_Forwarded_Host="localhost", mcp_init_host="x")),
]:
    challenge = 'Bearer realm="ferrule"' + (', error="invalid_token", error_description="the token is not good"' if name in SHOWN else "")
    same(name, (got[0], got[2], got[1].get("www-authenticate")), (401, wanted[2], challenge))


def raw(text):
    """The status of a request as it is written."""
    c = socket.create_connection(("127.0.0.1", s.port), 30)
    c.sendall(text.replace("PORT", str(s.port)).encode("latin-1").replace(b"\n", b"\r\n"))
    data = c.recv(65536)
    c.close()
    return int(data.split(b" ")[1]) if data else 0


BODY = json.dumps(PING)
FIELDS = f"Content-Type: application/json\nMCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\nContent-Length: {len(BODY)}\n\n{BODY}"
AUTH = f"Authorization: Bearer {TOKEN}\n"
same("as it should be", raw(f"POST /mcp HTTP/1.1\nHost: localhost:PORT\n{AUTH}{FIELDS}"), 200)
same("A04 two of them", raw(f"POST /mcp HTTP/1.1\nHost: localhost:PORT\n{AUTH}{AUTH}{FIELDS}"), 401)
for host in ("evil.example", "localhost.evil.com", "127.0.0.1.evil", "0.0.0.0:PORT", "[::]:PORT", "2130706433:PORT", "localhost.:PORT", "127.1:PORT",
             "user@localhost:PORT", "localhost:1", "localhost", "127.0.0.1", "0x7f.0.0.1:PORT", "[::ffff:127.0.0.1]:PORT", "localhost:PORT,evil"):
    for origin in ("", "Origin: http://localhost:PORT\n"):
        same(f"A07, A08 Host {host}{' with an Origin' if origin else ''}", raw(f"POST /mcp HTTP/1.1\nHost: {host}\n{origin}{AUTH}{FIELDS}"), 403)
for name, line, want in [("A08 no Host", "", 400), ("A08 two Hosts", "Host: localhost:PORT\nHost: localhost:PORT\n", 400), ("A08 NUL", "Host: localhost\0:PORT\n", 400)]:
    same(name, raw(f"POST /mcp HTTP/1.1\n{line}{AUTH}{FIELDS}"), want)
for origin in ("http://evil.example", "null", "https://localhost:PORT", "http://localhost", "http://localhost:1", "http://localhost:PORT.evil",
               "http://localhost:PORT/", "http://user@localhost:PORT", "localhost:PORT", ""):
    same(f"A06, A09 Origin {origin}", raw(f"POST /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: {origin}\n{AUTH}{FIELDS}"), 403)
same("its own Origin", raw(f"POST /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://localhost:PORT\n{AUTH}{FIELDS}"), 200)
same("A10 a preflight", raw("OPTIONS /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://evil.example\nAccess-Control-Request-Method: POST\n\n"), 403)
same("A10 no origin", raw("OPTIONS /mcp HTTP/1.1\nHost: localhost:PORT\n\n"), 401)
got = status(Content_Type="text/plain")
same("A11 a simple request", (got[0], [k for k in got[1] if k.startswith("access-control")]), (415, []))

# ---- scopes: what a token is for, and what it sees

everything = [x["name"] for x in json.loads(s.modern("tools/list")[2])["result"]["tools"]]
SEES = [  # name, options, tools that it sees by their own names (beside meta tools), namespaces
    ("every", [], None, None),
    ("local", ["--scope", "namespace:local"], ["nap"], ["local"]),
    ("one", ["--scope", "tool:local:nap"], ["nap"], ["local"]),
    ("two", ["--scope", "namespace:local", "--scope", "namespace:other"], ["nap", "secret_thing"], ["local", "other"]),
    ("pure-local", ["--scope", "namespace:local", "--scope", "effect:IdempotentWrite"], [], []),
    ("writes", ["--scope", "effect:NonIdempotentWrite", "--scope", "namespace:other", "--scope", "namespace:local"], ["secret_thing"], ["other"]),
    ("nothing", ["--scope", "namespace:nowhere"], [], []),
    ("pure", ["--scope", "effect:Pure", "--scope", "namespace:b"], [], []),  # nobody trusts the server b, so what it says counts for nothing
    ("meta", ["--mode", "meta"], [], None),
    ("tools", ["--mode", "tools", "--expose", "local:*"], ["nap"], None),
    ("toolset", ["--expose", "other:*"], ["secret_thing"], None),
]


def meta(shown, tool, **arguments):
    return json.loads(s.modern("tools/call", {"name": tool, "arguments": arguments}, token=shown)[2])["result"]


META = {"search_tools", "list_tools", "list_namespaces", "describe_tool", "list_tool_examples", "run_tool", "run_chain"}
tokens = {}
for name, options, tools, namespaces in SEES:
    tokens[name] = t = token(name, *options)
    listed = [x["name"] for x in json.loads(s.modern("tools/list", token=t)[2])["result"]["tools"]]
    own = [x for x in listed if x not in META]
    same(f"A40 {name}: tools", own, [x for x in everything if x not in META] if tools is None else tools)
    same(f"{name}: meta tools", META <= set(listed), name != "tools")
    if name == "tools":
        continue
    found = meta(t, "list_namespaces")["structuredContent"]["namespaces"]
    if namespaces is not None:
        same(f"A40 {name}: namespaces", [x["name"] for x in found], namespaces)
        ids = [x["id"] for x in meta(t, "list_tools")["structuredContent"]["tools"]]
        same(f"A40 {name}: list_tools", all(x.split(":")[0] in namespaces for x in ids), True)
        for query in ("naps", "other:secret_thing", "exact", "count words", "slow"):
            text = json.dumps(meta(t, "search_tools", query=query))
            same(f"A40 {name}: search for {query}", [ns for ns in ("local:", "other:", "b:", "text:") if ns in text and ns[:-1] not in namespaces
                                                     and query != ns + "secret_thing"], [])

# A41, A51, A58: to who may not use it, a tool is not there, in the very words.
t = tokens["local"]
for name, tool, arguments in [
    ("describe_tool", "describe_tool", {"id": "TOOL"}), ("list_tool_examples", "list_tool_examples", {"id": "TOOL"}), ("run_tool", "run_tool", {"id": "TOOL", "args": {}}),
    ("run_tool, wrong arguments", "run_tool", {"id": "TOOL", "args": {"x": 1}}), ("run_tool, by a version", "run_tool", {"id": "TOOL:1.0.0", "args": {}}),
    ("a step of a chain (A55)", "run_chain", {"steps": [{"toolId": "TOOL", "args": {}}]}),
]:
    def asked(which):
        return json.loads(json.dumps(arguments).replace("TOOL", which))
    there = json.dumps(meta(t, tool, **asked("other:secret_thing"))).replace("secret_thing", "x")
    gone = json.dumps(meta(t, tool, **asked("other:sscret_thing"))).replace("sscret_thing", "x")
    strip = [json.dumps({k: v for k, v in json.loads(x).items()}) for x in (there, gone)]
    same(f"A58 {name}", (strip[0] == strip[1], "ToolNotFound" in there), (True, True))
for name in ("secret_thing", "other__secret_thing", "exact"):
    same(f"A41 by its name {name}", code_of(s.modern("tools/call", {"name": name, "arguments": {}}, token=t)[2]), -32602)
same("another namespace is not there", "ToolNotFound" in json.dumps(meta(t, "list_tools", namespace="other")), True)
same("what it may use it can", meta(t, "run_tool", id="local:nap", args={"seconds": 0}).get("isError", False), False)
r = meta(tokens["two"], "run_tool", id="other:secret_thing", args={})
same("A35 a scope that the tool asks for", (r["isError"], r["_meta"]["ferrule/error"]["code"], "things" in json.dumps(r)), (True, "Forbidden", True))
scoped = token("scoped", "--scope", "namespace:other", "--scope", "scope:things")
same("which it has", "canary" in json.dumps(meta(scoped, "run_tool", id="other:secret_thing", args={})), True)
same("A31 something like it", "Forbidden" in json.dumps(meta(token("like", "--scope", "namespace:other", "--scope", "scope:thingsx"), "run_tool", id="other:secret_thing", args={})), True)
page = meta(tokens["every"], "list_tools", pageSize=1)["structuredContent"]["nextToken"]
same("a page of another", "InvalidPageToken" in json.dumps(meta(t, "list_tools", pageSize=1, pageToken=page)), True)
same("A52 metrics are for those who may do everything", [s.ask("GET", "/metrics", token=x)[0] for x in (tokens["every"], t)], [200, 403])
for scope in ("metrics", "admin"):
    scrape = token("scrape-" + scope, "--scope", "namespace:none", "--scope", "scope:" + scope)
    same(f"or have the scope {scope}, and nothing else", (s.ask("GET", "/metrics", token=scrape)[0], meta(scrape, "list_tools")["structuredContent"]["tools"],
                                                        s.ask("GET", "/admin/v1/state", token=scrape)[0]), (200, [], 200 if scope == "admin" else 403))
same("even where they belong to a tenant", [s.ask("GET", "/metrics", token=token("scrape-" + t, "--tenant", "home", "--scope", "namespace:none", *more))[0]
                                            for t, more in (("x", ["--scope", "scope:metrics"]), ("y", []))], [200, 403])
case("who is refused is told what it takes", [] if "scope:metrics" in s.ask("GET", "/metrics", token=t)[2] else [s.ask("GET", "/metrics", token=t)[2]])
r = json.loads(s.modern("tools/call", {"name": "big", "arguments": {}}, token=tokens["every"])[2])
handle = meta(tokens["every"], "run_tool", id="b:big")["structuredContent"]["handle"]
same("A49 a handle of another", "InvalidPageToken" in json.dumps(meta(tokens["two"], "run_tool", handle=handle)), True)

# ---- sessions are those of their tokens

sid = s.session(token=tokens["every"])[0]
ok = {"Mcp-Session-Id": sid}
for name, method, body in [("POST", "POST", {"jsonrpc": "2.0", "id": 1, "method": "ping"}), ("GET", "GET", None),
                           ("cancel (A42)", "POST", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}), ("DELETE", "DELETE", None)]:
    got, none = s.ask(method, "/mcp", body, ok, tokens["two"]), s.ask(method, "/mcp", body, {"Mcp-Session-Id": "0" * 32}, tokens["two"])
    same(f"A47 {name} in another's session", (got[0], got[2]), (404, none[2]))
same("its owner still has it", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, ok, tokens["every"])[0], 200)

# ---- revoking, in open sessions too

c, r = s.ask("GET", "/mcp", headers=ok, token=tokens["every"], raw=True)
running = {}


def nap():
    running["answer"] = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
        "name": "run_tool", "arguments": {"id": "local:nap", "args": {"seconds": 20}}}}, ok, tokens["every"])


thread = threading.Thread(target=nap)
thread.start()
same("a call runs", until(lambda: "ferrule_mcp_requests_under_way 1" in s.ask("GET", "/metrics")[2]), True)
run(["token", "revoke", "every"], env=kept)
same("A36 its stream ends", b"data: {" in r.read(), False)
c.close()
thread.join(15)
same("and its call", (thread.is_alive(), running.get("answer", [0])[0]), (False, 401))
same("its session is refused", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, ok, tokens["every"])[0], 401)
same("others go on", s.modern("tools/list", token=tokens["two"])[0], 200)
path = os.path.join(home.name, ".config", "ferrule", "tokens.json")
stored = json.load(open(path, encoding="utf-8"))
for one in stored["tokens"]:
    one["scopes"] = ["namespace:other"] if one["name"] == "local" else one["scopes"]
    if one["name"] == "one":
        one["expires"] = one["created"] + 1
with open(path, "w", encoding="utf-8") as file:
    json.dump(stored, file)
same("a token that says something else", until(lambda: "secret_thing" in s.modern("tools/list", token=tokens["local"])[2]), True)
same("a token whose time is over", until(lambda: s.modern("tools/list", token=tokens["one"])[0] == 401), True)
os.chmod(path, 0o644)
with open(path, "a", encoding="utf-8") as file:
    file.write(" ")
same("a file that others may read has no tokens", until(lambda: s.modern("tools/list", token=tokens["two"])[0] == 401), True)
os.chmod(path, 0o600)
with open(path, "a", encoding="utf-8") as file:
    file.write(" ")
same("until it is mended", until(lambda: s.modern("tools/list", token=tokens["two"])[0] == 200), True)

# ---- several at once lose nothing

many = [subprocess.Popen([FERRULE, "token", "new", f"many-{i}"], env=dict(os.environ, **kept), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for i in range(20)]
made = [p.communicate(timeout=120)[0].decode().strip() for p in many]
names = [x["name"] for x in json.loads(run(["token", "list", "--json"], env=kept).stdout)["tokens"]]
same("twenty at once", sorted(x for x in names if x.startswith("many-")), sorted(f"many-{i}" for i in range(20)))
same("all are good", {s.modern("tools/list", token=x)[0] for x in made}, {200})

# ---- uses: a search that led to a call

same("it ends", s.end(), 0)
again = os.path.join(home.name, "again.yaml")
with open(again, "w", encoding="utf-8") as file:
    file.write(base + f"catalog: {home.name}/tools.catalog\n")
s = Server("--mode", "meta", config=again)
who = {"home": token("at-home", "--tenant", "home"), "work": token("at-work", "--tenant", "work")}
for tenant, query in (("home", "nap"), ("home", "count words"), ("work", "nap for seconds")):
    meta(who[tenant], "search_tools", query=query, pageSize=1)
for tenant in ("home", "work", "work"):
    meta(who[tenant], "run_tool", id="local:nap", args={"seconds": 0})
sessions = [s.session(token=who["home"])[0] for _ in range(2)]


def within(session, tool, **arguments):
    return s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
                 {"Mcp-Session-Id": session}, who["home"])


within(sessions[0], "search_tools", query="nap some seconds", pageSize=1)
within(sessions[1], "search_tools", query="count the words of a text", pageSize=1)
within(sessions[1], "run_tool", id="text:count", args={"text": "a"})
within(sessions[1], "run_tool", id="local:nap", args={"seconds": 0})
same("with uses it ends", s.end(), 0)
seen = json.loads(run(["usage", "list", "--json", "--catalog", f"{home.name}/tools.catalog"], env=kept).stdout)["uses"]
same("uses are noted by tenant, each search by itself", sorted((x["tenant"], x["query"], x["tool"]) for x in seen),
     [("home", "count the words of a text", "text:count"), ("home", "nap", "local:nap"), ("work", "nap for seconds", "local:nap")])
ledger = run(["ledger", "query", "--ledger", os.path.join(home.name, "state", "ledger"), "--type", "denied", "--json"], env=kept).stdout.decode()
case("denials are in the ledger", [f"the ledger lacks {x}" for x in ('"reason":"token"', '"reason":"session"', '"code":"Forbidden"', '"other:secret_thing"')
                                   if x not in ledger.replace(" ", "")])
case("and no token is", [x for x in list(tokens.values()) + [TOKEN] if x in ledger])
case("a mode that is none", expect(run(["token", "new", "x", "--mode", "some"], env=kept), 2, err=["some"]))
finish()
