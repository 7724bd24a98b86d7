#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens for servers of each tenant: two tenants and a third that has none, at one gateway, and an MCP server that says whose token
it was shown. Nobody's call is made with another's token, and nobody is given what was seen with one: results that are cached for
everybody, sessions, resources, prompts, lists. Random probes: 200; 10,000 where FERRULE_LONG_TESTS is set. Speaks TAP."""

import json
import os
import random
import re
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from command_line import case, finish, run  # noqa: E402

from oauth_rig import CONFIG, STATE, URL, World, login, own, secrets_below  # noqa: E402
from signer import NOW, Key, keys  # noqa: E402
from web_rig import TOKEN, Server, home, same, until  # noqa: E402

LONG = bool(os.environ.get("FERRULE_LONG_TESTS"))
RESOURCE, LOGIN = "https://gateway.example/mcp", "https://login.example"
key = Key("ES256")
FILE = os.path.join(home.name, "keys.json")
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(key))


def write(share="tenant", more=""):
    with open(CONFIG, "w", encoding="utf-8") as file:
        file.write(f"""
mcpServers:
  notes: {{url: '{URL}', oauth: {{tokens: {share}}}{more}}}
state: {STATE}
policies:
  tools: {{'notes:whoami': {{effect: Pure, cache: {{ttlMs: 60000, scope: public}}}}}}
serve:
  mode: both
  resource: {RESOURCE}
  issuers:
    main: {{issuer: {LOGIN}, jwks: {FILE}, tenantClaim: org, tenants: {{oa: acme, ob: 'b & co', oc: third}}, scopes: {{all: ['*']}}}}
""")


def token(org, sub="anna"):
    return key.token({"iss": LOGIN, "aud": RESOURCE, "sub": sub, "org": org, "scope": "all", "exp": NOW + 3600})


A, B, C = token("oa"), token("ob"), token("oc")
write()
same("one for each tenant is a configuration", run(["config", "check", CONFIG], env=own).returncode, 0)

# ---- logging in

for name, words, said in [("a principal without a tenant", ["--principal", "x"], "goes with --tenant"), ("a principal, where each tenant has one", ["--tenant", "acme", "--principal", "x"], "oauth.tokens: principal"),
                          ("nobody", ["--tenant", ""], "not empty")]:
    got = run(["auth", "login", "notes", *words, "--config", CONFIG], env=own)
    same(f"logging in for {name}", (got.returncode, said in got.stderr.decode()), (2, True))
same("the operator logs in", login(user="op")[0], 0)
same("a tenant", login("notes", "--tenant", "acme", user="ua")[0], 0)
same("another, with blanks in its name", login("notes", "--tenant", "b & co", user="ub")[0], 0)


def rows():
    servers = json.loads(run(["auth", "status", "--config", CONFIG, "--json"], env=own).stdout.decode())["servers"]
    return [(x["tenant"], x["principal"], x["state"]) for x in servers]


same("each is shown", rows(), [("", "", "good"), ("acme", "", "good"), ("b & co", "", "good")])

# ---- calls

s = Server(config=CONFIG)


def call(shown, tool="note", **meta):
    text = s.modern("tools/call", {"name": "run_tool", "arguments": {"id": f"notes:{tool}", "args": {}}}, token=shown, meta=meta)[2]
    result = json.loads(text).get("result", {})
    return result.get("structuredContent", {}).get("result", {}).get("user") or result.get("_meta", {}).get("ferrule/error", {}).get("code"), text


def user(shown, tool="note", **meta):
    return call(shown, tool, **meta)[0]


same("its tools are known", until(lambda: "notes:note" in s.modern("tools/call", {"name": "list_tools", "arguments": {"namespace": "notes"}}, token=A)[2], 30), True)
same("each calls with its own", [user(x) for x in (A, B, A, B)], ["ua", "ub", "ua", "ub"])
code, text = call(C)
same("who has none is told so", (code, "ferrule auth login notes --tenant third" in text, "tenant third" in text), ("Unauthenticated", True, True))
before = len(World.shown)
same("and nothing is sent for it", (user(C), user(C), len(World.shown) - before), ("Unauthenticated", "Unauthenticated", 0))
before = len(World.revoked_forms)
got = run(["auth", "logout", "notes", "--tenant", "b & co", "--config", CONFIG], env=own)
same("a tenant logs out", (got.returncode, "is revoked" in got.stderr.decode(), [re.search(r"-(\w+)-token", f["token"])[1] for f in World.revoked_forms[before:]]), (0, True, ["ub", "ub"]))
same("who logged out", (until(lambda: user(B) == "Unauthenticated"), "--tenant 'b & co'" in call(B)[1], user(A)), (True, True, "ua"))
same("has none any more", rows(), [("", "", "good"), ("acme", "", "good")])
same("it logs in", (login("notes", "--tenant", "b & co", user="ub")[0], until(lambda: user(B) == "ub", 60)), (0, True))
time.sleep(1.1)  # a vault is looked at once in a second: now, and not until the calls below
same("it calls", user(B), "ub")
run(["auth", "logout", "notes", "--tenant", "b & co", "--config", CONFIG], env=own)
before, asked, answers, World.held = len(World.shown), len(World.asked), [], "protected-resource"
threads = [threading.Thread(target=lambda: answers.append(user(B))) for _ in range(3)]
threads[0].start()
until(lambda: len(World.asked) > asked, 3)  # what is refused asks for metadata
for t in threads[1:]:
    t.start()
time.sleep(.3)
World.held = None
World.gate.set()
for t in threads:
    t.join(60)
same("calls while it is found out that it has logged out", (answers, World.shown[before:].count("")), (["Unauthenticated"] * 3, 0))
same("and is back", (login("notes", "--tenant", "b & co", user="ub")[0], until(lambda: user(B) == "ub", 60)), (0, True))
same("a result that is cached for everybody", [user(x, "whoami") for x in (A, A, B, B, A)], ["ua", "ua", "ub", "ub", "ua"])
same("was cached for each", [json.loads(call(x, "whoami")[1])["result"]["_meta"].get("ferrule/cacheHit") for x in (A, B)] in ([True, True], [None, None]), True)
same("with a key that both use", [user(x, **{"ferrule/idempotencyKey": "same"}) for x in (A, B, A, B)], ["ua", "ub", "ua", "ub"])
answers = []
threads = [threading.Thread(target=lambda x=x: answers.append((x[1], user(x[0], x[2])))) for x in [(A, "ua", "note"), (B, "ub", "note"), (A, "ua", "whoami"), (B, "ub", "whoami")] * 20]
for t in threads:
    t.start()
for t in threads:
    t.join(60)
same("at once", [x for x in answers if x[0] != x[1]], [])
sessions = [s.session(token=x)[0] for x in (A, B)]


def old(shown, session, method, params):
    return s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 5, "method": method, "params": params}, {"Mcp-Session-Id": session}, shown)[2]


def newer(shown, method, params):
    return s.modern(method, params, token=shown, headers={"Mcp-Name": params.get("uri", params.get("name"))})[2]


for name, method, params, words in [("a resource", "resources/read", {"uri": "notes://mine"}, "read by "), ("a prompt", "prompts/get", {"name": "hello"}, "asked by "),
                                    ("a call of an older client", "tools/call", {"name": "run_tool", "arguments": {"id": "notes:note", "args": {}}}, "noted for ")]:
    same(name, [re.findall(words + r"\w+", old(x, y, method, params))[:1] for x, y in zip((A, B), sessions)], [[words + "ua"], [words + "ub"]])
    if "/call" not in method:
        same(f"{name}, by a newer one", [re.findall(words + r"\w+", newer(x, method, params))[:1] for x in (A, B)], [[words + "ua"], [words + "ub"]])
        same(f"{name}, without a token", words in newer(C, method, params), False)
lists = [s.modern("tools/list", token=x)[2] for x in (A, B, C)] + [s.modern("tools/call", {"name": "list_tools", "arguments": {}}, token=x)[2] for x in (A, B, C)]
same("each list of tools is the tenant's own", [sorted(set(re.findall(r"of_\w+", x))) for x in lists], [["of_ua"], ["of_ub"], []] * 2)


def things(shown, session=None):
    """What a client is shown beside tools."""
    lists_ = [old(shown, session, m, {}) if session else s.modern(m, token=shown)[2] for m in ("resources/list", "prompts/list")]
    return re.findall(r"notes://\w+|hello\w*", "".join(lists_))


for name, token_, want in [("a tenant", A, ["notes://mine", "notes://ua", "hello", "hello_ua"]), ("another", B, ["notes://mine", "notes://ub", "hello", "hello_ub"]), ("one without a token", C, []),
                           ("the operator", TOKEN, ["notes://mine", "notes://op", "hello", "hello_op"])]:
    same(f"resources and prompts that {name} is shown", things(token_), want)
same("the same to older clients", [things(x, y) for x, y in zip((A, B), sessions)], [["notes://mine", "notes://ua", "hello", "hello_ua"], ["notes://mine", "notes://ub", "hello", "hello_ub"]])
before = len(World.listed)
same("they were kept", (things(A)[1], things(B)[1], World.listed[before:]), ("notes://ua", "notes://ub", []))
World.more["ub"] = ["", "2"]
World.tell.add("ub")
same("one whose lists have changed", (user(B), until(lambda: "notes://ub2" in things(B)), {x[0] for x in World.listed[before:]}), ("ub", True, {"ub"}))
same("what one is shown is read by it", "read by ua" in newer(A, "resources/read", {"uri": "notes://ua"}), True)
same("no session of the server has seen two", World.mixed, [])
same("each has one", {World.sessions[x] for x in World.sessions}, {"op", "ua", "ub"})

# ---- levels of logs reach every session with the server

World.levels.clear()
old(A, sessions[0], "logging/setLevel", {"level": "warning"})
same("a level reaches those that there are", until(lambda: {("op", "warning"), ("ua", "warning"), ("ub", "warning")} <= set(World.levels)), True)
old(B, sessions[1], "logging/setLevel", {"level": "error"})
old(B, sessions[1], "logging/setLevel", {"level": "info"})
same("the lowest counts", (until(lambda: ("ua", "info") in World.levels and ("ub", "info") in World.levels), [x for x in World.levels if x[1] == "error"]), (True, []))
same("a tenant that comes later", (login("notes", "--tenant", "third", user="uc")[0], until(lambda: user(C) == "uc", 60), until(lambda: ("uc", "info") in World.levels)), (0, True, True))
World.levels.clear()
World.more["ua"] = ["", "2"]
write(more=", timeoutMs: 29000")
s.child.send_signal(signal.SIGHUP)
same("and a server that a reload has made anew", until(lambda: [user(x) for x in (A, B)] == ["ua", "ub"] and {("ua", "info"), ("ub", "info")} <= set(World.levels), 30), True)
same("whose lists are asked for anew, for each", (until(lambda: "notes://ua2" in things(A)), "notes://ub" in things(B), [x for x in things(B) if "ua" in x]), (True, True, []))
run(["auth", "logout", "notes", "--tenant", "third", "--config", CONFIG], env=own)
same("who came later has left", until(lambda: user(C) == "Unauthenticated", 30), True)

# ---- probes

random.seed(11)


def described(shown, name):
    """What is said of a tool, without its name, which whoever asks for it knows."""
    return s.modern("tools/call", {"name": "describe_tool", "arguments": {"id": name, "level": "full"}}, token=shown)[2].replace(name, "T").replace(name[6:], "T")


KINDS = [lambda x: call(x)[1], lambda x: call(x, "whoami")[1], lambda x: call(x, "whoami", **{"ferrule/noCache": True})[1], lambda x: call(x, **{"ferrule/idempotencyKey": "k"})[1],
         lambda x: s.modern("resources/list", token=x)[2], lambda x: s.modern("prompts/list", token=x)[2], lambda x: old(x, random.choice(sessions), "resources/list", {}),
         lambda x: newer(x, "resources/read", {"uri": "notes://mine"}), lambda x: newer(x, "prompts/get", {"name": "hello"}),
         lambda x: s.modern("tools/call", {"name": "run_chain", "arguments": {"steps": [{"toolId": "notes:whoami", "args": {}}, {"toolId": "notes:note", "args": {}}]}}, token=x)[2],
         lambda x: s.modern("tools/call", {"name": "note", "arguments": {}}, token=x, headers={"X-Tenant-Id": "acme", "Mcp-Session-Id": random.choice(sessions)})[2],
         lambda x: old(x, random.choice(sessions), "tools/call", {"name": "run_tool", "arguments": {"id": "notes:note", "args": {}}}),
         lambda x: s.modern("tools/list", token=x)[2], lambda x: old(x, random.choice(sessions), "tools/list", {}),
         lambda x: s.modern("tools/call", {"name": "search_tools", "arguments": {"query": "is shown alone"}}, token=x)[2],
         lambda x: described(x, random.choice(["notes:of_op", "notes:of_ua", "notes:of_ub"]))]
leaks, count = [], 10000 if LONG else 200
for _ in range(count):
    shown, who = random.choice([(A, "ua"), (B, "ub"), (C, None)])
    if random.random() < .05:
        World.good = {t: u for t, u in World.good.items() if u != who}  # refused, and renewed by its own refresh token
    text = random.choice(KINDS)(shown)
    leaks += [(who, text[:200]) for u in ("op", "ua", "ub") if u != who and re.search(r'(by|for|to|of_|hello_|notes://) ?%s2?\b|"user":"%s"' % (u, u), text)]
same(f"{count} random probes: leaks", leaks[:3], [])
same("no session has seen two, still", World.mixed, [])
case("every refresh was with a token of its own", [f for f in World.forms if f["grant_type"] == "refresh_token" and not re.search(r"-(op|ua|ub)-token$", f["refresh_token"])])
same("it ends", s.end(), 0)

# ---- one for each principal

write("principal")
ANNA, BEN = token("oa", "anna"), token("oa", "ben")
for who in ("anna", "ben"):
    same(f"{who} logs in", login("notes", "--tenant", "acme", "--principal", "main#" + who, user="u" + who)[0], 0)
s = Server(config=CONFIG)
same("each principal", until(lambda: [user(x) for x in (ANNA, BEN)] == ["uanna", "uben"], 30), True)
code, text = call(token("oa", "carl"))
same("a tenant's is not a principal's", (code, "--tenant acme --principal 'main#carl'" in text), ("Unauthenticated", True))
same("it ends again", s.end(), 0)

# ---- what does not fit

for name, text, words in [("a machine for each tenant", f"{{url: '{URL}', oauth: {{tokens: tenant, grant: client_credentials, clientId: x, clientSecret: 'secretref:env:X'}}}}", "one token for all"),
                          ("a header for all", f"{{url: '{URL}', headers: {{authorization: 'Bearer secretref:env:X'}}, oauth: {{tokens: tenant}}}}", "Authorization"),
                          ("no HTTPS", "{url: 'http://notes.example/mcp', oauth: {tokens: tenant}}", "HTTPS"), ("another word", f"{{url: '{URL}', oauth: {{tokens: each}}}}", "tokens")]:
    with open(CONFIG, "w", encoding="utf-8") as file:
        file.write(f"mcpServers: {{notes: {text}}}\n")
    got = run(["config", "check", CONFIG], env=own)
    same(f"a configuration with {name}", (got.returncode != 0, words in (got.stdout + got.stderr).decode()), (True, True))
write("shared")
got = run(["auth", "login", "notes", "--tenant", "acme", "--config", CONFIG], env=own)
same("a tenant, where there is one for all", (got.returncode, "one token for all" in got.stderr.decode()), (2, True))
case("no file has a token", secrets_below(home.name)[:5])
finish()
