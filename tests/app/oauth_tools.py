#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools of a server as each tenant's own token is shown them: what it is not shown it does not see, by no path, and cannot call; what it
alone is shown it sees and calls, and nobody else does; a tool that it is shown in another definition it sees in that one. Two tenants whose lists differ, a third that has not logged in, and the operator, at one gateway. Random probes: 300; 10,000 where
FERRULE_LONG_TESTS is set. Speaks TAP."""

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

from oauth_rig import CONFIG, NOTE, OBJECT, STATE, URL, WHOAMI, World, login, own  # noqa: E402
from signer import NOW, Key, keys  # noqa: E402
from web_rig import TOKEN, Server, home, same, until  # noqa: E402

LONG = bool(os.environ.get("FERRULE_LONG_TESTS"))
RESOURCE, LOGIN = "https://gateway.example/mcp", "https://login.example"
key = Key("ES256")
FILE = os.path.join(home.name, "keys.json")
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(key))


def write(share="tenant", more="", mode="both", top=""):
    with open(CONFIG, "w", encoding="utf-8") as file:
        file.write(f"""
mcpServers:
  notes: {{url: '{URL}', oauth: {{tokens: {share}}}{more}}}
commands:
  - {{namespace: here, name: date, description: Says what day it is., inputSchema: {{type: object}}, effect: Pure, run: {{argv: [date], stdout: text}}}}
code: {{allowDegraded: true}}
{top}
state: {STATE}
serve:
  mode: {mode}
  expose: ['{"notes:*" if mode == "transparent" else "*"}']
  resource: {RESOURCE}
  issuers:
    main: {{issuer: {LOGIN}, jwks: {FILE}, tenantClaim: org, tenants: {{oa: acme, ob: beta, oc: third}}, scopes: {{all: ['*'], one: ['tool:notes:note'], here: ['namespace:here']}}}}
""")


def token(org, sub="anna", scope="all"):
    return key.token({"iss": LOGIN, "aud": RESOURCE, "sub": sub, "org": org, "scope": scope, "exp": NOW + 3600})


def tool(name, text):
    return {"name": name, "description": text, "inputSchema": OBJECT}


SAME, OTHER = tool("same", "What canaryop alone is told."), tool("same", "What canaryua alone is told.")
OPS, MINE = tool("of_op", "Is shown to canaryop alone."), tool("of_ua", "Is shown to canaryua alone.")
BOTH = tool("of_both", "Is shown to canaryboth.")
World.tools = {"op": [NOTE, WHOAMI, SAME, OPS], "ua": [NOTE, WHOAMI, OTHER, MINE, BOTH], "ub": [NOTE, SAME, BOTH]}
A, B, C = token("oa"), token("ob"), token("oc")
SEEN = {A: ["note", "of_both", "of_ua", "same", "whoami"], B: ["note", "of_both", "same"], C: [], TOKEN: ["note", "of_op", "same", "whoami"]}
TOLD = {A: [False, True, True], B: [True, False, True], C: [False] * 3, TOKEN: [True, False, False]}  # of canaryop, canaryua, canaryboth
write()
for words, who in (((), "op"), (("--tenant", "acme"), "ua"), (("--tenant", "beta"), "ub")):
    same(f"{who} logs in", login("notes", *words, user=who)[0], 0)
s = Server(config=CONFIG)


def ask(shown, name, meta=None, **arguments):
    return s.modern("tools/call", {"name": name, "arguments": arguments}, token=shown, meta=meta or {})[2]


def value(text):
    return json.loads(text).get("result", {}).get("structuredContent", {})


def error(text):
    return json.loads(text).get("result", {}).get("_meta", {}).get("ferrule/error", {}).get("code") or json.loads(text).get("error", {}).get("code")


def run_tool(shown, name, **meta):
    return ask(shown, "run_tool", meta, id=f"notes:{name}", args={})


def names(text):
    return sorted({x for x in re.findall(r'"(?:id|name)":"(?:notes:|notes__)?(\w+)"', text) if x in ("note", "whoami", "same", "of_op") or x.startswith("of_")})


def listed(shown):
    return names(s.modern("tools/list", token=shown)[2])


same("the operator's are known", until(lambda: listed(TOKEN) == SEEN[TOKEN], 30), True)


def ledger(kind="definition"):
    return run(["ledger", "query", "--ledger", os.path.join(STATE, "ledger"), "--type", kind, "--json"], env=own).stdout.decode()


# ---- what each sees, by every path

ALL = ["note", "whoami", "same", "of_op", "of_ua", "of_both"]
WHO = {A: "a tenant", B: "another", C: "one that has not logged in", TOKEN: "the operator"}
for shown, want in SEEN.items():
    who = WHO[shown]
    same(f"tools/list of {who}", listed(shown), want)
    same(f"list_tools of {who}", names(ask(shown, "list_tools")), want)
    same(f"list_tools of {who}, by namespace", names(ask(shown, "list_tools", namespace="notes")), want)
    same(f"search_tools of {who}", [x for x in ALL if f'"notes:{x}"' in ask(shown, "search_tools", query=x)], [x for x in ALL if x in want])
    same(f"search_tools of {who}, by words", ["canary" + x in ask(shown, "search_tools", query="is shown to alone told") for x in ("op", "ua", "both")], TOLD[shown])
    same(f"list_namespaces of {who}", [x["tools"] for x in value(ask(shown, "list_namespaces"))["namespaces"] if x["name"] == "notes"], [len(want)])
    same(f"describe_tool of {who}", [x for x in ALL if "inputSchema" in ask(shown, "describe_tool", id=f"notes:{x}")], [x for x in ALL if x in want])
    same(f"list_tool_examples of {who}", [x for x in ALL if "examples" in value(ask(shown, "list_tool_examples", id=f"notes:{x}"))], [x for x in ALL if x in want])
    looked = ask(shown, "execute_code", code="JSON.stringify([await tools.list(), await tools.search('note'), await tools.namespaces()])")
    same(f"code of {who} looks", sorted({x for x in re.findall(r"notes:(\w+)", looked)} & set(ALL)), want)
    before = len(World.called)
    same(f"run_tool of {who}", [x for x in ALL if '"user"' in run_tool(shown, x)], [x for x in ALL if x in want])
    same(f"a call by its name of {who}", [x for x in ALL if '"user"' in ask(shown, x)], [x for x in ALL if x in want])
    same(f"a chain of {who}", [x for x in ALL if '"user"' in ask(shown, "run_chain", steps=[{"toolId": "here:date", "args": {}}, {"toolId": f"notes:{x}", "args": {}}])], [x for x in ALL if x in want])
    same(f"code of {who} calls", [x for x in ALL if '"user"' in value(ask(shown, "execute_code", code=f"try {{ JSON.stringify(await tools.run('notes:{x}', {{}})) }} catch (e) {{ e.code }}"))["value"]],
         [x for x in ALL if x in want])
    same(f"{who}: no other call reached the server", sorted({x for _, x in World.called[before:]}), sorted(want))
    same(f"{who} sees what is not the server's", "here:date" in ask(shown, "list_tools"), True)
same("each called with its own token", {u for u, _ in World.called}, {"op", "ua", "ub"})
same("each was asked for, and not for each request", max(World.tooled.count(x) for x in ("ua", "ub")) <= 2, True)

def text_of(shown, name, way="describe_tool"):
    found = re.search(r'"description":"([^"]*)"', ask(shown, way, id=f"notes:{name}").replace('\\"', '"'))
    return found[1] if found else None


same("one name has two definitions", [text_of(x, "same") for x in (A, B, C, TOKEN)], [OTHER["description"], SAME["description"], None, SAME["description"]])

# ---- what is another's is not there, in the very words of what is not

for name, way in {"run_tool": lambda x: run_tool(A, x), "describe_tool": lambda x: ask(A, "describe_tool", id=f"notes:{x}"), "examples": lambda x: ask(A, "list_tool_examples", id=f"notes:{x}"),
                  "a chain": lambda x: ask(A, "run_chain", steps=[{"toolId": f"notes:{x}", "args": {}}]), "its name": lambda x: ask(A, x)}.items():
    there, nowhere = way("of_op").replace("of_op", "T"), way("of_ox").replace("of_ox", "T")
    same(f"what is another's, by {name}", (there, "ToolNotFound" in there or "-32602" in there), (nowhere, True))
same("nobody is told what was meant", [x for x in ("of_opp", "ofop", "sam") if "of_op" in run_tool(A, x).replace(f"notes:{x}", "") or "notes:same" in run_tool(A, x).replace(f"notes:{x}", "")], [])
page = value(ask(A, "list_tools", pageSize=1))["nextToken"]
same("the next page of another's", "InvalidPageToken" in ask(B, "list_tools", pageSize=1, pageToken=page), True)

# ---- who has not logged in is told so, whatever it asks for, and may log in

HOW = "ferrule auth login notes --tenant third"
before = len(World.shown)
for name, text in {"run_tool": run_tool(C, "note"), "a tool that nobody has": run_tool(C, "nothing"), "describe_tool": ask(C, "describe_tool", id="notes:note"),
                   "a chain": ask(C, "run_chain", steps=[{"toolId": "notes:note", "args": {}}]), "a namespace": ask(C, "list_tools", namespace="notes"),
                   "namespaces": ask(C, "list_namespaces"), "a search": ask(C, "search_tools", query="qqqq zzzz"), "its name": ask(C, "note")}.items():
    same(f"who has not logged in, by {name}", HOW in text, True)
    if name not in ("namespaces", "a search", "its name"):
        same(f"with the code, by {name}", error(text), "Unauthenticated")
same("and nothing was sent for it", len(World.shown) - before, 0)
same("nothing says which tools there are", run_tool(C, "note").replace("notes:note", "T"), run_tool(C, "nothing").replace("notes:nothing", "T"))
narrow = token("oc", scope="here")
same("who may not use the server is not told", HOW in run_tool(narrow, "note") + ask(narrow, "list_namespaces") + ask(narrow, "search_tools", query="qqqq"), False)
one = token("oc", scope="one")
same("who may use one of its tools is told of that one", (HOW in run_tool(one, "note"), HOW in run_tool(one, "same")), (True, False))
sid = s.session(token=C)[0]
c, stream = s.ask("GET", "/mcp", headers={"Mcp-Session-Id": sid}, token=C, raw=True)
s.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"Mcp-Session-Id": sid}, C)
old = lambda m, p=None: s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": m, "params": p or {}}, {"Mcp-Session-Id": sid}, C)[2]  # noqa: E731
same("an older client sees nothing of it", names(old("tools/list")), [])
World.tools["uc"] = [WHOAMI]
same("it logs in", login("notes", "--tenant", "third", user="uc")[0], 0)
same("and sees its own", until(lambda: listed(C) == ["whoami"], 30), True)
heard = []
threading.Thread(target=lambda: heard.extend(x for x in stream if b"list_changed" in x), daemon=True).start()
same("a client that was there is told", (until(lambda: len(heard) > 0, 10), names(old("tools/list"))), (True, ["whoami"]))

# ---- one whose list changes

sessions = {x: s.session(token=x)[0] for x in (A, B)}
told = {A: [], B: []}


def listen(shown):
    s.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"Mcp-Session-Id": sessions[shown]}, shown)
    s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"Mcp-Session-Id": sessions[shown]}, shown)
    link, answer = s.ask("GET", "/mcp", headers={"Mcp-Session-Id": sessions[shown]}, token=shown, raw=True)
    told[shown].append(link)
    threading.Thread(target=lambda: told[shown].extend(x for x in answer if b"list_changed" in x), daemon=True).start()


for shown in (A, B):
    listen(shown)
before = len(World.tooled)
World.tools["ua"] = [NOTE, SAME, BOTH]
World.tell_tools.add("ua")
same("one whose list has changed", ("ua" in run_tool(A, "note"), until(lambda: listed(A) == ["note", "of_both", "same"])), (True, True))
same("is asked alone", World.tooled[before:], ["ua"])
same("its clients are told", until(lambda: len(told[A]) > 1, 10), True)
time.sleep(.5)
same("those of others are not", len(told[B]), 1)
same("it may call what it is shown now", ('"user"' in run_tool(A, "same"), "ToolNotFound" in run_tool(A, "whoami")), (True, True))
same("others see what they saw", [listed(B), listed(TOKEN)], [SEEN[B], SEEN[TOKEN]])

# ---- one name, three definitions


def change(who, shown, *tools):
    World.tools[who] = list(tools)
    World.tell_tools.add(who)
    run_tool(shown, "note")


def fields(name, field, result):
    """A definition with arguments and results of its own; the field is a word that no other has."""
    return {"name": name, "description": f"Takes canary{field}.", "inputSchema": {"type": "object", "properties": {field: {"type": "integer"}}, "required": [field], "additionalProperties": False},
            "outputSchema": {"type": "object", "properties": {"user": {"type": result}}, "required": ["user"]}}


def try_it(shown, way, **args):
    if way == "run_tool":
        return ask(shown, "run_tool", id="notes:form", args=args)
    if way == "its name":
        return ask(shown, "form", **args)
    if way == "a chain":
        return ask(shown, "run_chain", steps=[{"toolId": "notes:form", "args": args}])
    return str(value(ask(shown, "execute_code", code=f"try {{ JSON.stringify(await tools.run('notes:form', {json.dumps(args)})) }} catch (e) {{ e.code + e.message }}")).get("value"))


FORM = {x: fields("form", x, "string") for x in ("fieldop", "fieldua", "fieldub")}
OF = {A: "fieldua", B: "fieldub", TOKEN: "fieldop", C: "fieldop"}
World.tools = {"op": [NOTE, WHOAMI, SAME, OPS, FORM["fieldop"]], "ua": [NOTE, SAME, BOTH, FORM["fieldua"]], "ub": [NOTE, BOTH, FORM["fieldub"]], "uc": [WHOAMI, FORM["fieldop"]]}
World.tell_tools = {"op", "ua", "ub", "uc"}
for shown in (TOKEN, A, B):
    run_tool(shown, "note")
run_tool(C, "whoami")
same("three definitions of one name", until(lambda: [text_of(x, "form") for x in OF] == [f"Takes canary{f}." for f in OF.values()], 20), True)
for shown, field in OF.items():
    who, others = {A: "a tenant", B: "another", C: "who is shown the operator's", TOKEN: "the operator"}[shown], {"fieldop", "fieldua", "fieldub"} - {field}
    text = s.modern("tools/list", token=shown)[2] + ask(shown, "search_tools", query="form") + ask(shown, "search_tools", query="takes canary") + ask(shown, "list_tools") + "".join(
        ask(shown, "describe_tool", id="notes:form", level=x) for x in ("summary", "schema", "full", "types")) + ask(
        shown, "execute_code", code="JSON.stringify([await tools.list(), await tools.search('form takes'), await tools.describe('notes:form', 'full')])")
    same(f"{who} reads of its own alone", (f"canary{field}" in text, [x for x in others if x in text], "own-" in text), (True, [], False))
    same(f"{who} finds it once, by its own words", ask(shown, "search_tools", query=f"canary{field}").count('"notes:form"'), 1)
    same(f"{who} says no version of it", (json.loads(ask(shown, "describe_tool", id="notes:form"))["result"]["structuredContent"]["id"], listed(shown).count("form")), ("notes:form", 0))
    for way in ("run_tool", "its name", "a chain", "code"):
        good, bad = try_it(shown, way, **{field: 1}), [try_it(shown, way, **{x: 1}) for x in sorted(others)]
        same(f"{who} calls it by its own schema, by {way}", ('user' in good, ['user' in x for x in bad], [x for x in others if x in good]), (True, [False, False], []))
before = len(World.called)
try_it(A, "run_tool", fieldub=1), try_it(B, "run_tool", fieldua=1), try_it(A, "run_tool", fieldua="x")
same("what does not fit is not sent", World.called[before:], [])
change("ua", A, NOTE, SAME, BOTH, fields("form", "fieldua", "integer"))
same("results are held against its own, too", until(lambda: '"isError":true' in try_it(A, "run_tool", fieldua=1)) and '"isError":true' not in try_it(B, "run_tool", fieldub=1), True)
change("ua", A, NOTE, SAME, BOTH, FORM["fieldua"])
same("and fit again", until(lambda: '"isError":true' not in try_it(A, "run_tool", fieldua=1)), True)
own_id, nobody = re.search(r"notes:form:0.0.0-own-[0-9a-f]{32}", ledger())[0], "notes:form:0.0.0-own-" + "0" * 32
same("the IDs behind it are nobody's to say", [run_tool(x, own_id[6:]).replace(own_id, "T") == run_tool(x, nobody[6:]).replace(nobody, "T") and "ToolNotFound" in run_tool(x, own_id[6:]) for x in OF], [True] * 4)
counts = lambda x: next(y["tools"] for y in value(ask(x, "list_namespaces"))["namespaces"] if y["name"] == "notes")  # noqa: E731
same("each is counted once", [counts(x) for x in OF], [4, 3, 5, 2])
World.tools["op"] = [NOTE, WHOAMI, SAME, OPS, dict(FORM["fieldop"], version="1.2.0")]
World.tell_tools.add("op")
run_tool(TOKEN, "note")
same("others have a version of it", until(lambda: '"notes:form:1.2.0"' in ask(TOKEN, "list_tools").replace('\\"', '"')), True)
same("who is shown it without one sees that, by every name", until(lambda: (text_of(A, "form"), "canaryfieldua" in s.modern("tools/list", token=A)[2], "canaryfieldop" in s.modern("tools/list", token=A)[2]) ==
     ("Takes canaryfieldua.", True, False), 20), True)
same("and calls it", (['user' in try_it(A, way, fieldua=1) for way in ("run_tool", "its name")], 'user' in try_it(A, "run_tool", fieldop=1), 'user' in try_it(TOKEN, "run_tool", fieldop=1)), ([True, True], False, True))
World.tools["op"] = [NOTE, WHOAMI, SAME, OPS, FORM["fieldop"]]
World.tell_tools.add("op")
run_tool(TOKEN, "note")
same("until they have none again", until(lambda: '"notes:form"' in ask(TOKEN, "list_tools").replace('\\"', '"') and text_of(A, "form") == "Takes canaryfieldua.", 20), True)
heard_b = len(told[B])
World.tools["ua"] = [NOTE, SAME, BOTH, FORM["fieldop"]]
World.tell_tools.add("ua")
run_tool(A, "note")
same("one goes back to what all have", until(lambda: text_of(A, "form") == "Takes canaryfieldop."), True)
same("and calls that", ('user' in try_it(A, "run_tool", fieldop=1), 'user' in try_it(A, "run_tool", fieldua=1)), (True, False))
same("others have what they had", [text_of(x, "form") for x in (B, C, TOKEN)], ["Takes canaryfieldub.", "Takes canaryfieldop.", "Takes canaryfieldop."])
time.sleep(.5)
same("nor are they told of it", len(told[B]), heard_b)
change("ua", A, NOTE, SAME, BOTH, FORM["fieldua"])
same("and has its own again", until(lambda: text_of(A, "form") == "Takes canaryfieldua."), True)

# ---- probes

random.seed(13)
World.tools["ua"], World.tools["ub"] = [NOTE, SAME, MINE, FORM["fieldua"]], [NOTE, WHOAMI, BOTH, FORM["fieldub"]]
World.tell_tools |= {"ua", "ub"}
run_tool(A, "note"), run_tool(B, "note")
same("both change", until(lambda: (listed(A), listed(B)) == (["note", "of_ua", "same"], ["note", "of_both", "whoami"])), True)
USERS = {A: ("ua", {"note", "same", "of_ua", "form"}), B: ("ub", {"note", "whoami", "of_both", "form"}), C: ("uc", {"whoami", "form"})}
WAYS = [lambda x, t: run_tool(x, t), lambda x, t: ask(x, t), lambda x, t: ask(x, "describe_tool", id=f"notes:{t}", level="full"), lambda x, t: ask(x, "list_tool_examples", id=f"notes:{t}"),
        lambda x, t: ask(x, "search_tools", query=t), lambda x, t: ask(x, "search_tools", query=random.choice(["keeps a note", "whose token", "what is told", "is shown to alone"])),
        lambda x, t: ask(x, "list_tools", namespace=random.choice(["notes", ""]) or None) if random.random() < .5 else ask(x, "list_tools"), lambda x, t: s.modern("tools/list", token=x)[2],
        lambda x, t: ask(x, "run_chain", steps=[{"toolId": f"notes:{t}", "args": {}}]), lambda x, t: run_tool(x, t, **{"ferrule/idempotencyKey": "k"}),
        lambda x, t: s.modern("tools/call", {"name": t, "arguments": {}}, token=x, headers={"X-Tenant-Id": "acme", "Mcp-Session-Id": sessions[A]})[2],
        lambda x, t: s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"Mcp-Session-Id": random.choice(list(sessions.values()))}, x)[2],
        lambda x, t: ask(x, "execute_code", code=f"try {{ JSON.stringify([await tools.list(), await tools.describe('notes:{t}', 'full')]) }} catch (e) {{ e.code }}"),
        lambda x, t: try_it(x, random.choice(["run_tool", "its name", "a chain", "code"]), **{SAID.setdefault(x, random.choice(list(FORM))): 1}),
        lambda x, t: ask(x, "search_tools", query=random.choice(["form", "takes canary", *(f"canary{f}" for f in FORM)]), pageSize=1),
        lambda x, t: ask(x, "list_tools", pageSize=random.choice([1, 2, 3])), lambda x, t: run_tool(x, random.choice([own_id, nobody])[6:])]
SAID = {}  # a field that the probe names itself
TEXTS = {"note": "Keeps a note", "whoami": "Says whose token", "same": "alone is told", "of_op": "Is shown to canaryop", "of_ua": "Is shown to canaryua", "of_both": "Is shown to canaryboth"}
leaks, count, before = [], 10000 if LONG else 300, len(World.called)
for _ in range(count):
    shown, which = random.choice([A, B, C]), random.choice(ALL)
    who, may = USERS[shown]
    way = random.randrange(len(WAYS))
    SAID.clear()
    if random.random() < .03:
        World.good = {t: u for t, u in World.good.items() if u != who}  # refused, and renewed by its own refresh token
    text = WAYS[way](shown, which)
    leaks += [(who, way, t, text[:200]) for t in ALL if t not in may and TEXTS[t] in text]
    leaks += [(who, way, f, text[:200]) for f in FORM if f not in (OF[shown], SAID.get(shown)) and f in text.replace(f"canary{f}\\", "")]
    leaks += [(who, way, "own-", text[:200])] if "0.0.0-own-" in text.replace(own_id, "").replace(nobody, "") else []
leaks += [x for x in World.called[before:] if x[1] not in next(may for who, may in USERS.values() if who == x[0])]
same(f"{count} random probes: leaks", leaks[:3], [])

# ---- what only tenants are shown, and changes

World.tools = {"op": [NOTE, WHOAMI, SAME, OPS], "ua": [NOTE, SAME, MINE], "ub": [NOTE, WHOAMI, BOTH], "uc": [WHOAMI]}
World.tell_tools |= {"op", "ua", "ub", "uc"}
run_tool(TOKEN, "note"), run_tool(A, "note"), run_tool(B, "note"), run_tool(C, "whoami")
same("nobody is shown it any more", until(lambda: [text_of(x, "form") for x in OF] == [None] * 4), True)
first, second, third = (tool("of_two", f"The {x} canarytwo.") for x in ("first", "second", "third"))
change("ua", A, NOTE, SAME, MINE, first)
same("one is shown a tool", until(lambda: text_of(A, "of_two") == "The first canarytwo."), True)
change("ub", B, NOTE, WHOAMI, BOTH, second)
same("another is shown another of that name: each sees its own", (until(lambda: text_of(B, "of_two") == "The second canarytwo."), text_of(A, "of_two"), "notes:of_two" in ledger()), (True, "The first canarytwo.", True))
change("ua", A, NOTE, SAME, MINE, third)
same("who alone is shown it sees its change", until(lambda: text_of(A, "of_two") == "The third canarytwo."), True)
change("ua", A, NOTE, SAME, MINE)
same("one that is not shown it any more", until(lambda: listed(A) == ["note", "of_ua", "same"]), True)
change("ub", B, NOTE, WHOAMI, BOTH, dict(second, title="Two"))
same("is followed by the other", until(lambda: text_of(B, "of_two") == "The second canarytwo."), True)
change("ub", B, NOTE, WHOAMI, BOTH)
same("and that leaves it, too", until(lambda: listed(B) == ["note", "of_both", "whoami"]), True)
World.tools["op"] = [NOTE, WHOAMI, SAME, OPS, MINE]
World.tell_tools.add("op")
run_tool(TOKEN, "note")
same("what a tenant was shown the operator is shown", until(lambda: listed(TOKEN) == ["note", "of_op", "of_ua", "same", "whoami"]), True)
World.tools["op"] = [NOTE, WHOAMI, SAME, OPS]
World.tell_tools.add("op")
run_tool(TOKEN, "note")
same("and no more, while the tenant is", (until(lambda: listed(TOKEN) == SEEN[TOKEN]), listed(A)), (True, ["note", "of_ua", "same"]))
changed = tool("note", "Keeps another note.")
World.tools["op"] = [changed, WHOAMI, SAME, OPS]
change("ua", A, changed, SAME, MINE)
same("what changes for all is seen by whom it changed for", (until(lambda: text_of(A, "note") == "Keeps another note."), until(lambda: text_of(B, "note") == "Keeps a note."), listed(B)), (True, True, ["note", "of_both", "whoami"]))
World.tools["op"] = [NOTE, WHOAMI, SAME, OPS]
change("ua", A, NOTE, SAME, MINE)
same("and back", until(lambda: [listed(x) for x in (A, B)] == [["note", "of_ua", "same"], ["note", "of_both", "whoami"]]), True)

# ---- a token that the server refuses

World.good = {t: u for t, u in World.good.items() if u != "ua"}
World.refreshes = {t: u for t, u in World.refreshes.items() if u != "ua"}
text = run_tool(A, "note")
same("a token that was revoked", (error(text), "--tenant acme" in text), ("Unauthenticated", True))
same("shows nothing any more", until(lambda: listed(A) == []), True)
same("and says why", "ferrule auth login notes --tenant acme" in ask(A, "list_namespaces"), True)
same("it logs in again", (login("notes", "--tenant", "acme", user="ua")[0], until(lambda: listed(A) == ["note", "of_ua", "same"], 60)), (0, True))

# ---- a server that is slow to say, and a restart

World.mute.add("ub")
World.gate.clear()
write(more=", timeoutMs: 29000")
s.child.send_signal(signal.SIGHUP)
same("a reload asks anew", until(lambda: not listed(B), 20), True)
began = time.monotonic()
same("a list that does not come", (listed(B), "ToolNotFound" in run_tool(B, "note") or "BackendUnavailable" in run_tool(B, "note"), time.monotonic() - began < 10), ([], True, True))
same("others do not wait for it", listed(A), ["note", "of_ua", "same"])
World.mute.clear()
World.gate.set()
same("until it comes", until(lambda: listed(B) == ["note", "of_both", "whoami"]), True)
same("it ends", s.end(), 0)
before = len(World.tooled)
s = Server(config=CONFIG)
same("after a restart", until(lambda: [listed(x) for x in (A, B, C)] == [["note", "of_ua", "same"], ["note", "of_both", "whoami"], ["whoami"]], 30), True)
same("each was asked for again", sorted({x for x in World.tooled[before:]}), ["op", "ua", "ub", "uc"])
out = ledger("denied")
same("it ends again", s.end(), 0)
same("the ledger says which was asked for", '"ownTools"' in out.replace(" ", "") and "notes:of_op" in out, True)

# ---- as many as there is room for (station.theirs)

World.tools["uc"] = [WHOAMI] + [tool(f"of_{x:05}", "Counts.") for x in range(10001)]
s = Server(config=CONFIG)


def count(shown):
    return next((x["tools"] for x in value(ask(shown, "list_namespaces")).get("namespaces", []) if x["name"] == "notes"), None)


same("a tenant with 10,001 of its own", until(lambda: count(C) == 10001, 60), True)  # what nobody is shown who is here has made room
same("of which the last is not there", ("ToolNotFound" in run_tool(C, "of_10000"), '"user"' in run_tool(C, "of_09999"), listed(B)), (True, True, ["note", "whoami"]))
same("that ends, too", s.end(), 0)
World.tools["uc"] = [WHOAMI]

# ---- definitions of one's own, held back by policy, in a catalogue that is kept

KEPT = os.path.join(home.name, "own.catalog")
write(top=f"catalog: {KEPT}\nquarantine: breaking")


def held():
    return run(["catalog", "quarantine", "--catalog", KEPT], env=own).stdout.decode().split()


def begin():
    global s
    s = Server(config=CONFIG)
    return until(lambda: "note" in listed(TOKEN), 30)


OWN = "notes:form:0.0.0-own-"
wider = dict(FORM["fieldop"], description="Takes canarywider.", inputSchema=dict(FORM["fieldop"]["inputSchema"], required=[]))
World.tools = {"op": [NOTE, FORM["fieldop"]], "ua": [NOTE, FORM["fieldop"]], "ub": [NOTE, wider], "uc": [FORM["fieldop"]]}
same("a gateway that holds back", (begin(), until(lambda: [text_of(x, "form") for x in (A, C, TOKEN)] == ["Takes canaryfieldop."] * 3, 20)), (True, True))
same("what breaks nobody is one's own at once", (until(lambda: text_of(B, "form") == "Takes canarywider."), held()), (True, []))
change("ua", A, NOTE, FORM["fieldua"])
same("what is changed for one alone is held back", (until(lambda: len(held()) == 1), until(lambda: text_of(A, "form") is None), [x.startswith(OWN) for x in held()]), (True, True, [True]))
same("the ledger says whose it is", [f'"own": "{x}"' in ledger() or f'"own":"{x}"' in ledger() for x in held()], [True])
same("and nobody else sees it so", [text_of(x, "form") for x in (B, C, TOKEN)], ["Takes canarywider.", "Takes canaryfieldop.", "Takes canaryfieldop."])
same("it is approved", run(["catalog", "approve", *held(), "--catalog", KEPT], env=own).returncode, 0)
same("and seen by the one", (until(lambda: text_of(A, "form") == "Takes canaryfieldua.", 30), 'user' in try_it(A, "run_tool", fieldua=1)), (True, True))
same("others have theirs", [text_of(x, "form") for x in (B, C, TOKEN)], ["Takes canarywider.", "Takes canaryfieldop.", "Takes canaryfieldop."])
same("the command line has what all have", ["own-" in x or "canaryfieldua" in x or "notes:form" not in x for x in (run([*words, "--catalog", KEPT], env=own).stdout.decode() for words in (("search", "takes form"), ("describe", "notes:form")))], [False, False])
same("it ends with its own", s.end(), 0)
same("and begins again", (begin(), until(lambda: [text_of(x, "form") for x in (A, B, C)] == ["Takes canaryfieldua.", "Takes canarywider.", "Takes canaryfieldop."], 30), held()), (True, True, []))
same("it ends once more", s.end(), 0)
World.tools["ua"] = [NOTE, dict(FORM["fieldub"], description="Takes canarychanged.")]
World.mute.add("op")  # whose list comes last: by then what this tenant has is not to be judged by a list that nobody has looked at
World.gate.clear()
before = len(World.tooled)
same("one that changed meanwhile, before the operator's list is there", begin(), True)
threading.Thread(target=lambda: text_of(A, "form"), daemon=True).start()
same("it has been asked for", until(lambda: {"op", "ua"} <= set(World.tooled[before:])), True)
time.sleep(0.5)
World.mute.clear()
World.gate.set()
same("one that changed meanwhile is held back", (True, until(lambda: text_of(A, "form") == "Takes canaryfieldua.", 30), until(lambda: [x[:len(OWN)] for x in held()] == [OWN])), (True, True, True))
same("and the one before it called", ('user' in try_it(A, "run_tool", fieldua=1), 'user' in try_it(A, "run_tool", fieldub=1)), (True, False))
World.tools["op"] = World.tools["uc"] = [NOTE, dict(FORM["fieldub"], description="Takes canaryall.")]
World.tell_tools |= {"op", "uc"}
run_tool(TOKEN, "note"), run_tool(C, "form")
same("what changes for all is held back as ever", (until(lambda: "notes:form" in held()), [text_of(x, "form") for x in (B, TOKEN)]), (True, ["Takes canarywider.", "Takes canaryfieldop."]))
World.tools["ua"] = [NOTE, FORM["fieldua"]]
change("ua", A, *World.tools["ua"])
same("one that is shown what it had before", until(lambda: held() == ["notes:form"]) and text_of(A, "form"), "Takes canaryfieldua.")
same("that ends here", s.end(), 0)
World.tools["ua"], World.tools["uc"] = [NOTE, SAME, MINE], [WHOAMI]

# ---- one for each principal

write("principal")
for who in ("anna", "ben"):
    World.tools["u" + who] = [NOTE] if who == "anna" else [WHOAMI]
    same(f"{who} logs in", login("notes", "--tenant", "acme", "--principal", "main#" + who, user="u" + who)[0], 0)
s = Server(config=CONFIG)
same("each principal", until(lambda: [listed(token("oa", x)) for x in ("anna", "ben", "carl")] == [["note"], ["whoami"], []], 30), True)
same("ends, too", s.end(), 0)

# ---- a transparent server

write(mode="transparent")
World.tools["ua"] = [NOTE, SAME, MINE]
s = Server(config=CONFIG)
same("through a transparent server", until(lambda: listed(A) == ["note", "of_ua", "same"], 30), True)
run(["auth", "logout", "notes", "--tenant", "third", "--config", CONFIG], env=own)
text = s.modern("tools/list", token=C)[2]
same("who has not logged in", ("error" in json.loads(text), HOW in text, HOW in ask(C, "note")), (True, True, True))
same("that ends as well", s.end(), 0)
case("no session of the server has seen two", World.mixed)
finish()
