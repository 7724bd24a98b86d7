#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Ferrule has no reason to change arrives byte for byte: definitions and results of all real tools that there are (FERRULE_TEST_DATA),
fuzzed results, arguments and `_meta` on their way to a server, notifications that nobody knows. A server whose texts are known
(verbatim.py) is behind a real `ferrule serve`, of both eras and both carriers on either side. FERRULE_LONG_TESTS: 100,000 results instead
of 400 for each pair. Speaks TAP."""

import glob
import http.client
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case, finish  # noqa: E402

import odd_json  # noqa: E402
from web_rig import MODERN, TOKEN, Server  # noqa: E402

DATA = os.environ.get("FERRULE_TEST_DATA") or os.path.join(HERE, "..", "..", "..", "shared", "data")
SEEDS = 100_000 // 4 if os.environ.get("FERRULE_LONG_TESTS") else 100 if os.environ.get("FERRULE_INSTRUMENTED") else 400
OWN = ['{"name":"fuzz","description":"Gives the result of a seed.","inputSchema":{"type":"object"}}',
       '{"name":"back","description":"Gives back what came.","inputSchema":{"type":"object"}}',
       '{"name":"heard","description":"Gives the notifications that came.","inputSchema":{"type":"object"}}',
       '{"name":"notify","description":"Says something odd.","inputSchema":{"type":"object"}}']
DONE = '"resultType":"complete",'
PATIENT = {"limits": {"settleMs": 60000}}  # a machine under load starts servers late


def real_tools():
    """Each definition as it stands in its file, but for a name that is its own."""
    out = []
    for number, path in enumerate(sorted(glob.glob(os.path.join(DATA, "tools", "*.json")))):
        with open(path, encoding="utf-8") as file:
            raw = file.read()
        for one in odd_json.items(odd_json.slices(raw)["tools"]):
            name = odd_json.slices(one)["name"]
            own = json.dumps(f"f{number}_" + json.loads(name))
            out.append(re.sub(r'("name"\s*:\s*)' + re.escape(name), lambda m, o=own: m[1] + o, one, count=1).replace("\n", " "))
    return out


# ---- clients ------------------------------------------------------------------------------------


class HttpClient:
    def __init__(self, server, era):
        self.era, self.head = era, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                                    "Authorization": "Bearer " + TOKEN}
        self.c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        if era == "legacy":
            self.head["Mcp-Session-Id"] = server.session()[0]

    def say(self, body, method, name):
        head = dict(self.head)
        if self.era == "modern":
            head.update({"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **({"Mcp-Name": name} if name else {})})
        self.c.request("POST", "/mcp", body.encode(), head)
        r = self.c.getresponse()
        text = r.read().decode()
        if "event-stream" not in r.getheader("Content-Type", ""):
            return [text]
        return [line[5:].strip() for line in text.split("\n") if line.startswith("data:") and line[5:].strip()]

    def end(self):
        self.c.close()


class StdioClient:
    def __init__(self, config, words, era):
        self.era = era
        env = {k: v for k, v in os.environ.items() if k not in ("XDG_CONFIG_HOME", "FERRULE_TOKEN")}
        env["HOME"] = os.path.dirname(config)
        self.child = subprocess.Popen([FERRULE, "serve", "--stdio", "--attach", "never", "--config", config, *words], env=env, text=True,
                                      encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if era == "legacy":
            self.say('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
                     '"clientInfo":{"name":"t","version":"1"}}}', "initialize", None)
            self.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def say(self, body, method, name):
        self.child.stdin.write(body + "\n")
        self.child.stdin.flush()
        lines = []
        while True:
            lines.append(self.child.stdout.readline().rstrip("\n"))
            if not lines[-1] or "method" not in odd_json.slices(lines[-1]):
                return lines

    def end(self):
        self.child.stdin.close()
        self.child.wait(timeout=60)


def ask(client, method, params, name=None, number=itertools.count(1)):
    """The text of the result, and what came before it. `params` are the members as text."""
    meta = '"_meta":' + json.dumps(MODERN) if client.era == "modern" and '"_meta"' not in params else ""
    members = ",".join(x for x in (params, meta) if x)
    lines = client.say('{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}' % (next(number), method, members), method, name)
    parts = odd_json.slices(lines[-1]) if lines[-1] else {}
    return parts.get("result", lines[-1]), lines[:-1]


def call(client, name, args, more=""):
    return ask(client, "tools/call", '"name":%s,"arguments":%s%s' % (json.dumps(name), args, more), name)


def listed(client):
    tools, cursor = [], ""
    while True:
        result, _ = ask(client, "tools/list", cursor)
        parts = odd_json.slices(result)
        tools += odd_json.items(parts["tools"])
        if "nextCursor" not in parts:
            return tools
        cursor = '"cursor":' + parts["nextCursor"]


# ---- what is compared ---------------------------------------------------------------------------


def bare(client, text):
    """A result without what the era of the client wants said, which stands first where Ferrule says it."""
    return "{" + text[1 + len(DONE):] if text.startswith("{" + DONE) else text


def differ(got, want, what):
    if got == want:
        return []
    at = next((i for i, (x, y) in enumerate(zip(got, want)) if x != y), min(len(got), len(want)))
    return [f"{what}: differs at {at}: got ...{got[max(0, at - 30):at + 60]!r}, not ...{want[max(0, at - 30):at + 60]!r}"]


def check_definitions(name, client, wanted, prefix=""):
    got = {json.loads(odd_json.slices(x)["name"]): x for x in listed(client)}
    wrong = []
    for one in wanted:
        own = odd_json.slices(one)["name"]
        full = prefix + json.loads(own)
        want = one if not prefix else re.sub(r'("name"\s*:\s*)' + re.escape(own), lambda m, f=full: m[1] + json.dumps(f), one, count=1)
        wrong += differ(got[full], want, full) if full in got else [f"{full}: is not listed"]
    case(name, wrong[:5] + ([f"and {len(wrong) - 5} more"] if len(wrong) > 5 else []))


def check_lists(name, client, of_two=False):
    """What a server lists beside tools, and what it says beside each of its lists. A list that is made of those of two servers says nothing
    of either."""
    for method, (key, things) in {"tools/list": ("tools", None), **odd_json.LISTS}.items():
        parts = odd_json.slices(ask(client, method, "")[0])
        want, (first, plain) = {}, odd_json.BESIDE[0]
        paged = len(things) > 2 if things else len(OWN + tools) > 300
        late, later = odd_json.BESIDE[1] if paged else ("", "")
        for text in (plain, later, first, late):
            want = {**odd_json.slices("{" + text + "}"), **want} if text else want
        got = {k: v for k, v in parts.items() if k not in ("_meta", key, "nextCursor", "resultType", "ttlMs", "cacheScope")}
        got = {**odd_json.slices(parts.get("_meta", "{}")), **got}
        got.pop("io.modelcontextprotocol/serverInfo", None)
        wrong = [] if got == ({} if of_two else want) else [f"beside the list: {got}"]
        if things and not of_two:
            wrong += differ(",".join(odd_json.items(parts[key])), ",".join(things), "things")
        case(f"{name}: {method}", wrong)


def sample(schema):
    """Some value that fits, or nothing: only what most schemas are made of is understood."""
    if not isinstance(schema, dict):
        return "x"
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return sample(schema[key][0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        return {k: sample(schema.get("properties", {}).get(k, {})) for k in schema.get("required", [])}
    if kind == "array":
        return [sample(schema.get("items", {}))] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1)
    return {"boolean": True, "null": None}.get(kind, "x" * max(1, schema.get("minLength", 1)))


def check_calls(name, client, tools):
    """Every tool is called; its server gives back the bytes of the arguments. What no sample was found for is refused by its schema."""
    wrong, refused = [], 0
    for one in tools:
        d = json.loads(one)
        args = json.dumps(sample(d["inputSchema"])).replace(":", " : ").replace(",", " ,")
        text, _ = call(client, d["name"], args)
        got = json.loads(text)
        if "content" not in got or got.get("isError"):
            refused += 1
            continue
        wrong += differ(got["content"][0]["text"], args, d["name"])
    if refused > len(tools) // 8 + 2:
        wrong.append(f"{refused} of {len(tools)} arguments were refused")
    case(name, wrong[:5])


def check_fuzzed(name, client, seeds):
    wrong = []
    for seed in seeds:
        text, _ = call(client, "fuzz", '{"seed":%d}' % seed)
        wrong += differ(bare(client, text), odd_json.result(seed), f"seed {seed}")
        if len(wrong) > 3:
            break
    case(f"{name}: {len(seeds)} results", wrong)


def check_way_there(name, client, modern_backend):
    args = '{ "b":12345678901234567890 ,"a":1.50,"\\u00e9":"\\/\\u0041", "n":-0.0,"o":{"z":1e400,"y":[]} }'
    odd = '"x.example/k": {"z":1.0, "a":[12345678901234567890]}'
    meta = ',"_meta":{' + odd + ("," + json.dumps(MODERN)[1:] if client.era == "modern" else "}")
    text, _ = call(client, "back", args, meta + ', "future" : [1.0,2]')
    came = odd_json.slices(json.loads(text)["content"][0]["text"])
    params = odd_json.slices(came["params"])
    wrong = differ(params["arguments"], args, "arguments")
    wrong += differ(odd_json.slices(params["_meta"]).get("x.example/k", ""), '{"z":1.0, "a":[12345678901234567890]}', "_meta")
    wrong += differ(params.get("future", ""), "[1.0,2]", "a member of params")
    case(name, wrong)
    text, before = call(client, "notify", "{}")
    notices = [odd_json.slices(x)["params"] for x in before if "x.example/odd" in x]
    case(name + ", a notification", differ("".join(notices), '{"z":1.50,"a":[12345678901234567890,"\\u00e9\\/"], "b" :{}}', "params"))


def check_notified(who, client):
    """What an older client says that nobody knows reaches the one server that it has."""
    params = '{ "z":1.50,"a":[12345678901234567890,"\\u00e9\\/"] }'
    client.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/x.example/mine","params":%s}\n' % params)
    came, end = "", time.monotonic() + 20  # over HTTP a call may overtake it
    while not came and time.monotonic() < end:
        text, _ = call(client, "heard", "{}")
        came = json.loads(text)["content"][0]["text"]
    case(who + ": a notification of the client's", differ(odd_json.slices(came).get("params", came) if came else "", params, "params"))


# ---- all pairs ----------------------------------------------------------------------------------

tools = real_tools()
if not tools:
    print("# no real tools: FERRULE_TEST_DATA names none")
folder = tempfile.TemporaryDirectory()
file_of_tools = os.path.join(folder.name, "tools.json")
with open(file_of_tools, "w", encoding="utf-8") as out:
    out.write("[" + ",".join(OWN + tools) + "]")
VERBATIM = [sys.executable, os.path.join(HERE, "verbatim.py")]
first_seed = 0
for backend_era, carrier in (("legacy", "stdio"), ("modern", "http"), ("modern", "stdio"), ("legacy", "http")):
    web = None
    entry = {"command": VERBATIM[0], "args": [VERBATIM[1], backend_era, "stdio", file_of_tools]}
    if carrier == "http":
        web = subprocess.Popen([*VERBATIM, backend_era, "http", file_of_tools], text=True, stdout=subprocess.PIPE)
        entry = {"type": "http", "url": f"http://127.0.0.1:{web.stdout.readline().strip()}/mcp"}
    config = os.path.join(folder.name, f"{backend_era}-{carrier}.yaml")
    with open(config, "w", encoding="utf-8") as out:
        json.dump({"mcpServers": {"v": entry}, "defaults": {}, "serve": PATIENT}, out)
    twice = os.path.join(folder.name, f"{backend_era}-{carrier}-twice.yaml")
    with open(twice, "w", encoding="utf-8") as out:  # so every name is there twice
        json.dump({"mcpServers": {"v": entry, "w": entry}, "defaults": {}, "serve": PATIENT}, out)
    plain = Server("--mode", "transparent", "--attach", "never", config=config, folder=folder.name)
    named = Server("--mode", "tools", "--attach", "never", config=twice, folder=folder.name)
    for era in ("legacy", "modern"):
        who = f"{era} client over HTTP, {backend_era} server over {carrier}"
        client, other = HttpClient(plain, era), HttpClient(named, era)
        check_definitions(f"{who}: definitions", client, OWN + tools)
        check_definitions(f"{who}: definitions with names of their own", other, OWN + tools, "v__")
        check_lists(who, client)
        check_lists(f"{who}: of two", other, True)
        check_fuzzed(who, client, range(first_seed, first_seed + SEEDS // 2))
        check_way_there(who, client, backend_era == "modern")
        if era == "legacy" and backend_era == "legacy" and carrier == "stdio":
            check_calls(f"{who}: every tool is called", client, tools)
        else:
            check_calls(f"{who}: some tools are called", client, tools[first_seed % 16::16])
        client.end()
        other.end()
        first_seed += SEEDS // 2
    plain.end()
    named.end()
    for era in ("legacy", "modern"):
        who = f"{era} client over stdio, {backend_era} server over {carrier}"
        client = StdioClient(config, ["--mode", "transparent"], era)
        check_definitions(f"{who}: definitions", client, OWN + tools)
        check_lists(who, client)
        check_fuzzed(who, client, range(100))
        check_way_there(who, client, backend_era == "modern")
        if era == "legacy" and backend_era == "legacy":
            check_notified(who, client)
        client.end()
    if web:
        web.terminate()
        web.wait()
finish()
