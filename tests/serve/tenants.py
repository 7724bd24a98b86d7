#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two tenants with planted canaries at one gateway: A40-A58 of the tests of authorization, the same policy on every path, random
probes (1,000; 10,000 where FERRULE_LONG_TESTS is set), and calls with equal IDs from a hundred clients at once (2,000; 100,000).
Speaks TAP."""

import http.client
import json
import os
import random
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import case, finish, run  # noqa: E402

from signer import NOW, Key, keys  # noqa: E402
from web_rig import MODERN, Server, home, same, until  # noqa: E402

LONG = bool(os.environ.get("FERRULE_LONG_TESTS"))
RESOURCE, ISSUER = "https://gateway.example/mcp", "https://login.example"
key = Key("ES256")
FILE, CONFIG, STATE = (os.path.join(home.name, x) for x in ("keys.json", "tenants.yaml", "state"))
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(key))


def commands(ns, canary):
    return "".join(f"""
  - namespace: {ns}
    name: {name}
    description: {text} {canary}.
    inputSchema: {{type: object, properties: {{secret_{canary}: {{type: string}}}}}}
    effect: {effect}
    run: {{argv: [{argv}], stdout: text}}""" for name, text, effect, argv in [
        ("read", "Reads what belongs to", "Pure", f"echo, result-{canary}"), ("write", "Writes for", "NonIdempotentWrite", f"tee, {home.name}/trace-{canary}"),
        ("fail", "Fails and names", "Pure", f"ls, /no/such/{canary}")])


with open(CONFIG, "w", encoding="utf-8") as file:
    file.write(f"""
mcpServers:
  xserver: {{command: python3, args: ['{HERE}/backend.py']}}
commands:{commands('x', 'canaryx')}{commands('y', 'canaryy')}
  - namespace: s
    name: stamp
    description: Gives another number each time.
    inputSchema: {{type: object}}
    effect: Pure
    run: {{argv: [date, '+%N'], stdout: text}}
  - namespace: s
    name: effect
    description: Leaves a line.
    inputSchema: {{type: object}}
    effect: NonIdempotentWrite
    run: {{argv: [mktemp, '{home.name}/effect-XXXXXXXX'], stdout: text}}
code: {{allowDegraded: true, runtimes: {{sh: {{kind: process, command: [sh]}}}}}}
state: {STATE}
policies:
  tools: {{'s:stamp': {{cache: {{ttlMs: 60000}}}}}}
  tenants: {{limited: {{rateLimit: {{requests: 3, perMs: 60000}}}}}}
serve:
  mode: both
  expose: ['*']
  resource: {RESOURCE}
  issuers:
    main:
      issuer: {ISSUER}
      jwks: {FILE}
      tenantClaim: org
      tenants: {{ox: tenantx, oy: tenanty, ol: limited}}
      scopes: {{x: ['namespace:x', 'namespace:s', 'namespace:xserver', 'namespace:code'], y: ['namespace:y', 'namespace:s', 'namespace:code'], all: ['*'], reader: ['namespace:x', 'effect:Pure']}}
  clients:
    desky: {{scopes: ['namespace:y', 'namespace:s'], tenant: tenanty, mode: both, expose: ['*']}}
""")


def token(sub, org, scope):
    return key.token({"iss": ISSUER, "aud": RESOURCE, "sub": sub, "org": org, "scope": scope, "exp": NOW + 3600})


ALL_SCOPES = token("root", "ox", "all")
X, Y, L = token("anna", "ox", "x"), token("yves", "oy", "y"), token("lea", "ol", "all")
s = Server(config=CONFIG)
same("both are there", until(lambda: "canaryx" in s.modern("tools/list", token=X)[2] and "big" in s.modern("tools/list", token=X)[2]), True)


def tool(shown, name, **arguments):
    meta = arguments.pop("_meta", {})
    got = s.modern("tools/call", {"name": name, "arguments": arguments}, token=shown, meta=meta)
    return json.loads(got[2]), got[2]


def run_tool(shown, tool_id, args=None, **meta):
    return tool(shown, "run_tool", id=tool_id, args=args or {}, _meta=meta)[1]


# ---- A40, A41, A51, A55, A58: what a tenant sees and can call

META = ["search_tools", "list_tools", "list_namespaces", "describe_tool", "list_tool_examples", "run_tool", "run_chain"]
for name, shown, own, other in [("x", X, "canaryx", "canaryy"), ("y", Y, "canaryy", "canaryx")]:
    listed = s.modern("tools/list", token=shown)[2]
    same(f"A40 {name}: tools/list", (own in listed, other in listed), (True, False))
    for which, arguments in [("list_tools", {}), ("list_namespaces", {}), ("search_tools", {"query": "reads what belongs to"}), ("search_tools", {"query": other}),
                             ("search_tools", {"query": "write"}), ("describe_tool", {"id": f"{'y' if name == 'x' else 'x'}:read", "level": "full"})]:
        text = tool(shown, which, **arguments)[1].replace(f'"{other}"', "")
        same(f"A40 {name}: {which} {arguments}", other in text, False)
    same(f"A40 {name}: its own", own in run_tool(shown, f"{name}:read"), True)

DENIALS = ["y:read", "y:write", "y:fail", "y:read:1.0.0", "y:write:0.0.0", "Y:read", "y:READ", " y:read", "y:read ", "y::read", "y:read:", "y.read", "y__read", "y/read",
           "../y:read", "x:../y:read", "y:read\0", "y:re\u200bad", "*:read", "y:*"]
before = {x: os.path.exists(f"{home.name}/trace-{x}") for x in ("canaryx", "canaryy")}


def by_name(name):
    return s.modern("tools/call", {"name": name, "arguments": {}}, token=X, headers={"Mcp-Name": name if name.isascii() and name.isprintable() and name == name.strip() else None})[2]


sid = s.session(token=X)[0]
old = s.session(version="2025-03-26", token=X)[0]


def legacy(session, body, shown=X):
    return s.ask("POST", "/mcp", body, {"Mcp-Session-Id": session}, shown)[2]


def call_of(name, arguments, n=1):
    return {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


PATHS = {  # the way that a request takes -> what came of it
    "its own name": by_name,
    "run_tool": lambda t: run_tool(X, t),
    "a chain": lambda t: tool(X, "run_chain", steps=[{"toolId": t, "args": {}}])[1],
    "the second step of a chain": lambda t: tool(X, "run_chain", steps=[{"toolId": "s:stamp", "args": {}}, {"toolId": t, "args": {}}])[1],
    "describe_tool": lambda t: tool(X, "describe_tool", id=t)[1],
    "examples": lambda t: tool(X, "list_tool_examples", id=t)[1],
    "an older version": lambda t: legacy(sid, call_of("run_tool", {"id": t, "args": {}})),
    "an older version, by its name": lambda t: legacy(sid, call_of(t, {})),
    "a batch": lambda t: legacy(old, [call_of("run_tool", {"id": t, "args": {}}), call_of(t, {}, 2)]),
    "with an idempotency key": lambda t: run_tool(X, t, **{"ferrule/idempotencyKey": "k"}),
    "past the cache": lambda t: run_tool(X, t, **{"ferrule/noCache": True}),
}
same("the other tenant has used it", "canaryy" in run_tool(Y, "y:read"), True)
for path, way in PATHS.items():
    leaks = [t for t in DENIALS if "canaryy" in way(t).replace("/no/such/canaryy", "canaryy")]
    case(f"A41, A55 the same policy by {path}: {len(DENIALS)} denials", leaks)
same("nothing of it ran", {x: os.path.exists(f"{home.name}/trace-{x}") for x in before}, before)
for path in ("run_tool", "a chain", "describe_tool", "examples", "an older version"):
    there, nowhere = PATHS[path]("y:read").replace("y:read", "T"), PATHS[path]("y:raed").replace("y:raed", "T")
    same(f"A58 what is another's is not there, by {path}", (there, "ToolNotFound" in there or "-32602" in there), (nowhere, True))
same("A51 nobody is told what was meant", [x for x in ("y:raed", "y:writ", "yread") if "y:read" in run_tool(X, x) or "y:write" in run_tool(X, x)], [])

# ---- A50, A56: what code of a tenant sees, calls and leaves behind

same("A56 code calls its own tools", "result-canaryx" in tool(X, "execute_code", code="await tools.x.read({})")[1], True)
for name, code in [("by its name", "await tools.y.read({})"), ("by its ID", "await tools.run('y:read', {})"), ("by a chain", "await tools.chain([{toolId: 'y:read', args: {}}])"),
                   ("and describes it", "await tools.describe('y:read', 'full')"), ("and looks for it", "[await tools.search('reads what belongs to'), await tools.list(), await tools.namespaces()]")]:
    same(f"A56 code calls a tool of another's, {name}", "canaryy" in tool(X, "execute_code", code=f"try {{ JSON.stringify({code}) }} catch (e) {{ e.code + e.message + JSON.stringify(e.details) }}")[1], False)
LEAVE = "echo canaryy-file > left; echo canaryy-file > /tmp/left; pwd; cat left"
LOOK = "cat left /tmp/left ../*/left 2>&1; ls -laR . /tmp 2>&1; env"
same("A50 what code writes it can read", "canaryy-file" in tool(Y, "execute_code", code=LEAVE, runtime="sh")[1], True)
same("A50 the folder of another's code", "canaryy" in tool(X, "execute_code", code=LOOK, runtime="sh")[1], False)
kept = tool(Y, "execute_code", code="Array.from({length: 20000}, (_, i) => 'canaryy-value' + i)", store=True)[0]["result"]["structuredContent"]
same("A50 a value that is kept", "canaryy-value19999" in tool(Y, "run_tool", handle=kept["handle"], at="/value", **{"from": 19990})[1], True)
same("A50 a value of another's", [x in tool(X, "run_tool", handle=kept["handle"], at="/value")[1] for x in ("canaryy", "InvalidPageToken")], [False, True])

# ---- A42, A46, A49, A54: what runs, streams and lies there for others

slow = {}
thread = threading.Thread(target=lambda: slow.update(answer=s.ask("POST", "/mcp", dict(call_of("slow", {}, 77), params={"name": "slow", "arguments": {}, "_meta": {"progressToken": "p"}}),
                                                                   {"Mcp-Session-Id": sid}, X)))
ysid = s.session(token=Y)[0]
c, stream = s.ask("GET", "/mcp", headers={"Mcp-Session-Id": ysid}, token=Y, raw=True)
thread.start()
for body in ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}, {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "p", "progress": 2}}):
    s.ask("POST", "/mcp", body, {"Mcp-Session-Id": ysid}, Y)
thread.join(30)
same("A42 a call that another cancels by its ID", "done" in slow["answer"][2], True)
s.ask("DELETE", "/mcp", headers={"Mcp-Session-Id": ysid}, token=Y)
same("A46 nothing of it is on another's stream", [x for x in stream.read().decode().splitlines() if x.startswith("data: {")], [])
c.close()
handle = tool(X, "run_tool", id="xserver:big")[0]["result"]["structuredContent"]["handle"]
same("A49 the rest of a result of another's", "InvalidPageToken" in tool(Y, "run_tool", handle=handle)[1], True)
page = tool(X, "list_tools", pageSize=1)[0]["result"]["structuredContent"]["nextToken"]
same("A49 the next page of another's", "InvalidPageToken" in tool(Y, "list_tools", pageSize=1, pageToken=page)[1], True)
for method, body in (("POST", {"jsonrpc": "2.0", "id": 1, "method": "ping"}), ("GET", None), ("DELETE", None)):
    same(f"A47 {method} in another's session", s.ask(method, "/mcp", body, {"Mcp-Session-Id": sid}, Y)[0], 404)
for state in ("x", "{}", "AAAA" * 20):
    text = s.modern("tools/call", {"name": "run_tool", "arguments": {"id": "y:read", "args": {}}, "requestState": state, "inputResponses": {"a": {}}}, token=X)[2]
    same(f"A48 a state of somebody's ({len(state)} bytes)", "canaryy" in text, False)
one = http.client.HTTPConnection("127.0.0.1", s.port, timeout=30)
seen = []
for shown, tool_id in ((X, "x:read"), (Y, "x:read"), (Y, "y:read"), (X, "y:read"), (X + "x", "x:read"), (X, "x:read")):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": tool_id, "args": {}}, "_meta": MODERN}})
    one.request("POST", "/mcp", body, {"Content-Type": "application/json", "Authorization": "Bearer " + shown, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_tool"})
    answer = one.getresponse()
    text = answer.read().decode()
    seen.append("result-canary" in text if answer.status == 200 else answer.status)
same("A54 one connection, one token after the other", seen, [True, False, True, False, 401, True])

# ---- A43, A44, A57, A45, A52: keys, cached results, limits, records

effects = [run_tool(shown, "s:effect", **{"ferrule/idempotencyKey": "same"}) for shown in (X, X, Y, Y)]
same("A43 a key of another's is a key of one's own", (effects[0] == effects[1], effects[2] == effects[3], effects[0] == effects[2], len([x for x in os.listdir(home.name) if x.startswith("effect-")])),
     (True, True, False, 2))
stamps = [json.loads(run_tool(shown, "s:stamp"))["result"]["content"] for shown in (X, X, Y, Y)]
same("A44 a cached result of another's", (stamps[0] == stamps[1], stamps[2] == stamps[3], stamps[0] == stamps[2]), (True, True, False))
same("A44 another principal of one tenant", json.loads(run_tool(token("ben", "ox", "x"), "s:stamp"))["result"]["content"] in stamps[:1], False)
limited = ["RateLimited" in run_tool(L, "s:effect") for _ in range(6)]
same("A57 who has used up what it may", (limited[0], limited[-1]), (False, True))
same("A57 takes nothing from others", ["RateLimited" in run_tool(shown, "s:effect") for shown in (X, Y) for _ in range(4)], [False] * 8)
same("A52 what others do", [s.ask("GET", "/metrics", token=x)[0] for x in (X, Y, L)], [403, 403, 403])
same("A45 records are at no path", [s.ask("GET", p, token=X)[0] for p in ("/ledger", "/mcp/ledger", "/traces", "/config", "/tokens", "/usage")], [404] * 6)

# ---- nothing that comes over the network is a command, an environment or a path

MARK = os.path.join(home.name, "from-the-network")
HANDS = {"command": "touch", "args": [MARK], "argv": ["touch", MARK], "run": {"argv": ["touch", MARK], "stdout": "text"}, "env": {"LD_PRELOAD": "/tmp/x.so", "PATH": home.name},
         "cwd": home.name, "path": CONFIG, "config": CONFIG, "envFile": CONFIG, "url": "file://" + CONFIG}
for method in ("servers/add", "tools/register", "tools/add", "config/set", "config/reload", "process/start", "admin/exec", "roots/set", "ferrule/servers/add", "shell/run"):
    same(f"no method {method}", json.loads(s.modern(method, HANDS, token=ALL_SCOPES)[2])["error"]["code"], -32601)
for path in ("/servers", "/config", "/exec", "/run", "/upload", "/admin", "/api/servers", "/mcp/servers", "/files/etc/passwd", "/mcp/../etc/passwd"):
    same(f"nothing to give at {path}", [s.ask(m, path, json.dumps(HANDS), token=ALL_SCOPES)[0] for m in ("POST", "PUT", "PATCH", "DELETE")], [404] * 4)
for where, body in [("the arguments of a meta tool", {"name": "run_tool", "arguments": dict(HANDS, id="s:stamp", args={})}), ("those of a tool", {"name": "run_tool", "arguments": {"id": "s:effect", "args": HANDS}}),
                    ("beside the arguments", dict(HANDS, name="run_tool", arguments={"id": "s:effect", "args": {}})), ("a step of a chain", {"name": "run_chain", "arguments": {"steps": [dict(HANDS, toolId="s:effect", args={})]}})]:
    text = s.modern("tools/call", body, token=ALL_SCOPES, headers={"X-Command": "touch " + MARK, "X-Env": "PATH=" + home.name, "X-Config": CONFIG}, meta={"ferrule/command": "touch", "ferrule/env": HANDS["env"]})[2]
    same(f"a command in {where}", (os.path.exists(MARK), "canaryx" in text or "canaryy" in text), (False, False))
s.session(token=ALL_SCOPES)
got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": dict(HANDS, protocolVersion="2025-11-25", capabilities=HANDS, clientInfo=dict(HANDS, name="t", version="1"))}, token=ALL_SCOPES)
same("a command in initialize", (got[0], os.path.exists(MARK)), (200, False))

# ---- random probes

random.seed(59)
WORDS = ["y:read", "y:write", "y:fail", "y", "read", "write", "canaryy", "result", "reads what belongs to", "writes for", "y:", ":read", "other", "namespace:y"]


def mutate(text):
    for _ in range(random.randrange(3)):
        at = random.randrange(len(text) + 1)
        text = random.choice([text[:at] + random.choice("yx:_-./*? Y\t") + text[at:], text[:at] + text[at + 1:], text + random.choice(["", ":1.0.0", ":", "*"]), text.swapcase(), text[::-1]])
    return text


def probe():
    word = mutate(random.choice(WORDS))
    which = random.choice(META + ["direct", "resources/read", "prompts/get", "completion/complete", "legacy", "resources/list", "prompts/list"])
    if which == "direct":
        return word, s.modern("tools/call", {"name": word.replace(":", "__") if random.random() < .5 else word, "arguments": {}}, token=X, headers={"Mcp-Name": None})[2]
    if which == "legacy":
        return word, legacy(sid, call_of("run_tool", {"id": word, "args": {}}))
    if "/" in which:
        params = {"resources/read": {"uri": "ferrule://y/" + word}, "prompts/get": {"name": word}, "completion/complete": {"ref": {"type": "ref/prompt", "name": word}, "argument": {"name": "a", "value": word}}}.get(which, {})
        return word, s.modern(which, params, token=X, headers={"Mcp-Name": None} if "name" in params else {})[2]
    arguments = {"search_tools": {"query": word, "namespace": random.choice([None, "y", word])}, "list_tools": {"namespace": word}, "list_namespaces": {"pageSize": 1}, "describe_tool": {"id": word, "level": "full"},
                 "list_tool_examples": {"id": word}, "run_tool": {"id": word, "args": {}}, "run_chain": {"steps": [{"toolId": word, "args": {}}]}}[which]
    return word, tool(X, which, **{k: v for k, v in arguments.items() if v is not None})[1]


count, leaks = 10000 if LONG else 1000, []
for _ in range(count):
    word, text = probe()
    rest = text.replace(word, "") if len(word) > 2 else text
    leaks += [(word, text[:200])] if "result-canaryy" in rest or "secret_canaryy" in rest or "no/such/canaryy" in rest or "belongs to canaryy" in rest else []
same(f"{count} random probes: leaks", leaks[:3], [])
same("and nothing was done for anybody", os.path.exists(f"{home.name}/trace-canaryy"), False)

# ---- A53: equal IDs from a hundred clients at once

CLIENTS, EACH = 100, 1000 if LONG else 20
wrong, done = [], []


def client(number):
    link = http.client.HTTPConnection("127.0.0.1", s.port, timeout=120)
    for n in range(EACH):
        size = number * EACH + n
        body = json.dumps({"jsonrpc": "2.0", "id": n % 3, "method": "tools/call", "params": {"name": "run_tool", "arguments": {
            "id": "text:count", "args": {"text": "w " * (size % 97) + "z" * (size % 1009)}}, "_meta": MODERN}})
        link.request("POST", "/mcp", body, {"Content-Type": "application/json", "Authorization": "Bearer " + ALL[number], "MCP-Protocol-Version": "2026-07-28",
                                            "Mcp-Method": "tools/call", "Mcp-Name": "run_tool"})
        got = json.loads(link.getresponse().read())
        value = got.get("result", {}).get("structuredContent", {}).get("result", {})
        if got.get("id") != n % 3 or value.get("bytes") != 2 * (size % 97) + size % 1009:
            wrong.append((number, n, str(got)[:200]))
        done.append(1)
    link.close()


ALL = [token(f"client-{i}", "ox" if i % 2 else "oy", "all") for i in range(CLIENTS)]
threads = [threading.Thread(target=client, args=(i,)) for i in range(CLIENTS)]
for t in threads:
    t.start()
for t in threads:
    t.join(600)
same(f"A53 {CLIENTS * EACH} calls with equal IDs from {CLIENTS} clients: misrouted", (len(done), wrong[:3]), (CLIENTS * EACH, []))
same("it ends", s.end(), 0)

# ---- records of one tenant, and stdio

ledger = ["--ledger", os.path.join(STATE, "ledger")]
for mine, other in (("tenantx", "tenanty"), ("tenanty", "tenantx")):
    out = run(["ledger", "query", *ledger, "--tenant", mine, "--json"], env={"HOME": home.name}).stdout.decode()
    same(f"A45 records of {mine}", (f'"tenant":"{mine}"' in out.replace(" ", ""), f'"tenant":"{other}"' in out.replace(" ", "")), (True, False))
lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
         {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, call_of("run_tool", {"id": "y:read", "args": {}}, 2)]
lines += [call_of("run_tool", {"id": t.replace("y", "x"), "args": {}}, 10 + i) for i, t in enumerate(DENIALS)]
out = run(["serve", "--stdio", "--client", "desky", "--attach", "never", "--config", CONFIG], stdin="".join(json.dumps(x) + "\n" for x in lines), env={"HOME": home.name}).stdout.decode()
same("A40, A41 over stdio", ("result-canaryy" in out, "canaryx" in out, len([x for x in out.splitlines() if '"id":1' in x]) > 10), (True, False, True))
finish()
