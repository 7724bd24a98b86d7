#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Policies, keys and the ledger as an operator meets them: a server of a configuration over an API that counts what it is asked.
Speaks TAP."""

import http.client
import http.server
import json
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time

from command_line import FERRULE, case, expect, finish, run

folder = tempfile.TemporaryDirectory()


def put(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def until(what, seconds=30):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(what())


def same(name, got, want):
    case(name, [] if got == want else [f"got {got!r}, not {want!r}"])


# ---- an API that does as its paths say

asked, headers, gate = {}, {}, threading.Event()
lock = threading.Lock()


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms

    def answer(self, status, value, **more):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for key, text in more.items():
            self.send_header(key.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def serve(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name = self.path.split("?")[0].strip("/")
        with lock:
            asked[name] = n = asked.get(name, 0) + 1
            headers[name] = dict(self.headers)
        how = name.split("_")[0]
        if how == "lost":
            self.close_connection = True
        elif how == "busy" and n == 1:
            self.answer(429, {}, Retry_After="1")
        elif how == "down":
            self.answer(503, {})
        elif how == "slow":
            gate.wait(30)
            self.answer(200, {"n": n})
        else:
            said = {"said": f"done with {self.path}"} if name == "ok_redacted" else {}
            self.answer(200, {"n": n, "token": "hush-hush-4711", **said})

    do_GET = do_POST = serve

    def log_message(self, *words):
        pass


api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=api.serve_forever, daemon=True).start()

OPERATIONS = ["ok", "ok_cached", "ok_limited", "ok_spent", "ok_redacted", "ok_write", "busy_read", "down_read", "down_breaker",
              "slow_read", "slow_queue", "lost_write", "lost_later"]
RESULT = {"type": "object", "properties": {"n": {"type": "integer"}, "token": {"type": "string"}}}
put("api.json", json.dumps({
    "openapi": "3.1.0", "info": {"title": "t", "version": "1.0.0"},
    "paths": {f"/{name}": {"post" if "write" in name or "later" in name else "get": {
        "operationId": name, "summary": "Does.",
        "parameters": [{"name": "x", "in": "query", "schema": {"type": "integer"}},
                       {"name": "pin", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": RESULT}}}}}} for name in OPERATIONS}}))

CONFIG = put("ferrule.yaml", f"""
apis:
  api: {{openapi: api.json, baseUrl: 'http://127.0.0.1:{api.server_address[1]}'}}
  frail: {{openapi: api.json, baseUrl: 'http://127.0.0.1:{api.server_address[1]}', include: [down_breaker]}}
  narrow: {{openapi: api.json, baseUrl: 'http://127.0.0.1:{api.server_address[1]}', include: [slow_queue]}}
state: state
ledger: {{durability: sync, checkpointRecords: 10, anchor: anchor.jsonl, retentionDays: 30, segmentBytes: 262144, verifyAtStart: true}}
telemetry: {{logFile: log, logLevel: info, logFormat: json}}
policies:
  cache: {{persist: true}}
  tools:
    '*': {{effect: Pure, retry: {{backoffMs: 1, maxBackoffMs: 2}}}}
    'api:ok_cached': {{cache: {{ttlMs: 60000}}}}
    'api:ok_limited': {{rateLimit: {{requests: 1, perMs: 60000}}}}
    'api:ok_spent': {{budget: {{calls: 1}}}}
    'api:ok_redacted': {{redact: [pin]}}
    'api:ok_write': {{effect: IdempotentWrite, idempotency: optional}}
    'api:lost_write': {{effect: NonIdempotentWrite, idempotency: optional}}
    'api:lost_later': {{effect: NonIdempotentWrite, idempotency: optional}}
  backends:
    frail: {{circuitBreaker: {{failures: 2, openMs: 60000}}}}
    narrow: {{concurrency: 1, queue: {{length: 1}}}}
""")
STATE = os.path.join(folder.name, "state")
case("config: it is a configuration", expect(run(["config", "check", CONFIG]), 0))


# ---- a server of it

class Server:
    def __init__(self):
        self.errors = open(os.path.join(folder.name, "stderr"), "ab")
        self.child = subprocess.Popen([FERRULE, "serve", "--stdio", "-C", CONFIG], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.errors, cwd=folder.name)
        self.number = 0
        self.heard = {}

    def say(self, tool, args=None, **meta):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": {
            "name": "run_tool", "arguments": {"id": tool, "args": args or {}},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
                      **{f"ferrule/{k}": v for k, v in meta.items()}}}}
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()
        return self.number

    def hear(self, number):
        while number not in self.heard:
            line = self.child.stdout.readline()
            if not line:
                return {"code": "silence"}
            m = json.loads(line)
            self.heard[m.get("id")] = m
        m = self.heard.pop(number)
        if "error" in m:
            return m["error"]
        return m["result"].get("_meta", {}).get("ferrule/error") or m["result"].get("structuredContent", {}).get("result")

    def ask(self, tool, args=None, **meta):
        return self.hear(self.say(tool, args, **meta))

    def stop(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        code = self.child.wait(30)
        self.errors.close()
        return code


s = Server()
same("a call", s.ask("api:ok"), {"n": 1, "token": "hush-hush-4711"})
same("a call: the backend is told who tries again, and which try it is", [headers["ok"].get("X-Retry-Owner"), headers["ok"].get("X-Attempt")], ["ferrule", "1"])

# ---- retries
same("busy: it is tried again after the pause that it asks for", (s.ask("api:busy_read") or {}).get("n"), 2)
same("busy: the backend hears which try it is", headers["busy_read"].get("X-Attempt"), "2")
e = s.ask("api:down_read")
same("down: three tries", [e.get("code"), asked["down_read"]], ["BackendUnavailable", 3])
e = s.ask("api:down_read", retryOwner="above-1")
same("down: one try where somebody above tries again", [e.get("code"), asked["down_read"], headers["down_read"].get("X-Retry-Owner")],
     ["BackendUnavailable", 4, "above-1"])

# ---- limits
s.ask("api:ok_limited")
e = s.ask("api:ok_limited")
same("rate: refused, with the time to come again", [e.get("code"), 0 < e.get("retryAfterMs", 0) <= 60000, asked["ok_limited"]], ["RateLimited", True, 1])
s.ask("api:ok_spent")
e = s.ask("api:ok_spent")
same("budget: spent", [e.get("code"), "retryAfterMs" in e, asked["ok_spent"]], ["BudgetExceeded", False, 1])
for _ in range(2):
    s.ask("frail:down_breaker")
before = asked["down_breaker"]
e = s.ask("frail:down_breaker")
same("circuit: open", [e.get("code"), 0 < e.get("retryAfterMs", 0) <= 72000, asked["down_breaker"] - before], ["CircuitOpen", True, 0])
running, waiting, refused = (s.say("narrow:slow_queue") for _ in range(3))
e = s.hear(refused)
same("queue: full", [e.get("code"), e.get("retryAfterMs", 0) > 0], ["ConcurrencyLimited", True])
gate.set()
same("queue: those before are served", sorted([s.hear(running)["n"], s.hear(waiting)["n"]]), [1, 2])
gate.clear()

# ---- the cache
same("cache: the second is the first", [s.ask("api:ok_cached", {"x": 1})["n"], s.ask("api:ok_cached", {"x": 1})["n"], s.ask("api:ok_cached", {"x": 2})["n"]], [1, 1, 2])

# ---- messages
e = s.ask("api:ok", {"x": "hush-hush-4711"})
same("validation: the type, never the value", [e.get("code"), e["details"]["actual"], "hush-hush" in json.dumps(e)], ["InvalidType", "a string", False])

# ---- keys
first = s.ask("api:ok_write", {"x": 1}, idempotencyKey="one")
same("key: replayed", [s.ask("api:ok_write", {"x": 1}, idempotencyKey="one") == first, asked["ok_write"]], [True, 1])
same("key: another input", s.ask("api:ok_write", {"x": 2}, idempotencyKey="one").get("code"), "IdempotencyConflict")
same("key: lost", [s.ask("api:lost_write", {"x": 1}, idempotencyKey="two").get("code"), asked["lost_write"]], ["OutcomeUnknown", 1])
same("key: it stays lost", [s.ask("api:lost_write", {"x": 1}, idempotencyKey="two").get("code"), asked["lost_write"]], ["OutcomeUnknown", 1])
same("key: another is lost", s.ask("api:lost_later", {"x": 1}, idempotencyKey="three").get("code"), "OutcomeUnknown")
same("redacted: the caller's own result is whole", "hush-hush-4712" in s.ask("api:ok_redacted", {"pin": "hush-hush-4712"})["said"], True)


def keys(*words):
    return run(["keys", *words, "-C", CONFIG])


# ---- an operator looks and decides, while the server runs
unknown = json.loads(keys("list", "--json").stdout)["keys"]
same("keys list: two are unknown", [[k["tool"], k["tenant"], k["state"]] for k in unknown],
     [["api:lost_write", "-", "unknown"], ["api:lost_later", "-", "unknown"]])
case("keys list: a table", expect(keys("list"), 0, [unknown[0]["key"][:16] + "\tunknown\t", "\tapi:lost_write\t" + unknown[0]["callId"]], absent=["two"]))
case("keys list: of one tool", expect(keys("list", "--tool", "api:lost_later"), 0, ["api:lost_later"], absent=["lost_write"]))
case("keys list: those with a result", expect(keys("list", "--of", "done"), 0, ["\tdone\t", "\tapi:ok_write\t"]))
done = json.loads(keys("list", "--of", "done", "--json").stdout)["keys"][0]
case("keys show: by its call", expect(keys("show", done["callId"]), 0, [done["key"], "api:ok_write", "result"], absent=["hush-hush"]))
case("keys show: with its result", expect(keys("show", done["key"][:8], "--result"), 0, ["hush-hush"]))
same("keys show: JSON", json.loads(keys("show", done["key"], "--json", "--result").stdout)["result"], first)
KEY = unknown[0]["key"]
for name, words, code, out, err in [
    ("no word", ["resolve", KEY], 2, [], ["--done RESULT and --not-done"]),
    ("both words", ["resolve", KEY, "--done", "1", "--not-done"], 2, [], ["--done RESULT and --not-done"]),
    ("no JSON", ["resolve", KEY, "--done", "{"], 2, [], ["takes the result as JSON"]),
    ("no such key", ["resolve", "0123456789abcdef", "--not-done"], 1, [], ["there is no key"]),
    ("too few digits", ["show", KEY[:7]], 1, [], ["at least 8 digits"]),
    ("a key that is known", ["resolve", done["key"], "--not-done"], 1, [], ["it is done"]),
    ("it was done", ["resolve", KEY, "--done", '{"n": 41}'], 0, ["has its result"], []),
    ("twice", ["resolve", KEY, "--not-done"], 1, [], ["it is done"]),
    ("it was not done", ["resolve", unknown[1]["callId"], "--not-done"], 0, ["the key is free"], []),
    ("nothing has expired", ["sweep"], 0, ["0 expired"], []),
    ("no folder", ["list", "--state", os.path.join(folder.name, "nowhere")], 2, [], ["there are no keys in"]),
]:
    case(f"keys: {name}", expect(keys(*words), code, out, err))
same("keys: the caller gets the result of the operator", [s.ask("api:lost_write", {"x": 1}, idempotencyKey="two"), asked["lost_write"]], [{"n": 41}, 1])
same("keys: and may send again", [s.ask("api:lost_later", {"x": 1}, idempotencyKey="three").get("code"), asked["lost_later"]], ["OutcomeUnknown", 2])
same("keys: none is unknown but that", [k["tool"] for k in json.loads(keys("list", "--json").stdout)["keys"]], ["api:lost_later"])
same("the server ends", s.stop(), 0)

# ---- the same without a server
case("keys: without a server", expect(keys("resolve", json.loads(keys("list", "--json").stdout)["keys"][0]["key"], "--not-done"), 0, ["the key is free"]))


# ---- keys that have expired, and a store of an older version
def sql(*texts):
    db = sqlite3.connect(os.path.join(STATE, "store.db"))
    rows = [db.execute(text).fetchall() for text in texts]
    db.commit()
    db.close()
    return rows[-1]


sql("UPDATE idem SET expires = 1 WHERE tool = CAST('api:ok_write' AS BLOB)")
case("keys: one has expired", expect(keys("sweep"), 0, ["1 expired"]))
sql("UPDATE idem SET expires = 1")
s = Server()
s.ask("api:ok")
same("keys: a server sweeps at its start", until(lambda: sql("SELECT count(*) FROM idem") == [(0,)]), True)
same("cache: kept beyond a restart", [s.ask("api:ok_cached", {"x": 1})["n"], asked["ok_cached"]], [1, 2])
same("cache: in a store that is sealed", [b"hush-hush" in open(os.path.join(STATE, f), "rb").read() for f in os.listdir(STATE) if f.startswith("store.db")].count(True), 0)
sql("UPDATE value SET expires = 1 WHERE kind = 1")
s.ask("api:lost_write", {"x": 7}, idempotencyKey="four")
s.stop()
s = Server()
same("cache: what has expired is not given", [s.ask("api:ok_cached", {"x": 2})["n"], asked["ok_cached"]], [3, 3])
s.stop()
sql(*(f"DROP TRIGGER value_{x}" for x in ("added", "changed", "removed")), "DROP INDEX value_mark", "DROP INDEX value_expires",
    "ALTER TABLE value DROP COLUMN mark", "ALTER TABLE idem DROP COLUMN tool", "PRAGMA user_version = 1")
case("keys: a store of version 1", expect(keys("list"), 0, ["\tunknown\t"]))
same("keys: it is of the newest version now", sql("PRAGMA user_version"), [(3,)])
case("keys: its keys can be resolved", expect(keys("resolve", json.loads(keys("list", "--json").stdout)["keys"][0]["key"], "--not-done"), 0, ["the key is free"]))


# ---- the ledger
def ledger(*words):
    return run(["ledger", *words, "-C", CONFIG])


def records(*words):
    return [json.loads(line) for line in ledger("query", "--json", *words).stdout.splitlines()]


case("ledger: whole, and anchored", expect(ledger("verify"), 0, ["no flaws", "checkpoints of the anchor hold"], absent=["without --anchor"]))
same("ledger: what the operator said", [[r["body"]["as"], r["body"].get("tool")] for r in records("--type", "approval")],
     [["done", "api:lost_write"], ["not-done", "api:lost_later"], ["not-done", "api:lost_later"], ["not-done", None]])
same("ledger: the key's digest", records("--type", "approval")[0]["body"]["key"], KEY)
same("ledger: a tool without its version", len(records("--tool", "api:busy_read", "--type", "end")), 1)
same("ledger: the same without an index", len(records("--tool", "api:busy_read", "--type", "end", "--no-index")), 1)
same("ledger: no part of a name", records("--tool", "api:busy"), [])
same("ledger: the unknown ones", {r["body"]["tool"].rsplit(":", 1)[0] if r["body"]["tool"].count(":") > 1 else r["body"]["tool"] for r in records("--status", "Unknown")},
     {"api:lost_write", "api:lost_later"})
one = records("--type", "end")[0]
same("ledger: by correlation", [r["type"] for r in records("--correlation-id", one["body"]["correlationId"])], ["begin", "end"])
same("ledger: since a time", len(records("--since", "1h")) == len(records()) and not records("--until", "1h"), True)
same("ledger: attempts", [r["body"]["attempt"] for r in records("--type", "attempt", "--call", next(r["body"]["callId"] for r in records("--tool", "api:busy_read", "--type", "end")))], [1, 2])
once = records("--call", next(r["body"]["callId"] for r in records("--tool", "api:ok_redacted", "--type", "end")))
same("ledger: a call that was good at once", [[r["type"] for r in once], once[-1]["body"]["attempts"], "attemptMs" in once[-1]["body"]], [["begin", "end"], 1, True])
same("ledger: one that was not says its attempts by themselves", "attemptMs" in records("--tool", "api:busy_read", "--type", "end")[0]["body"], False)
same("ledger: circuits", records("--type", "circuit")[0]["body"], {"name": "frail", "scope": "backend", "state": "open"})
begun = next(r["body"] for r in records("--tool", "api:ok_redacted", "--type", "begin"))
same("ledger: redacted by path", [begun["input"], begun["redactions"]], [{"pin": "[REDACTED]"}, ["input.pin"]])
same("ledger: what a tool says again is not there either", next(r["body"]["output"] for r in records("--tool", "api:ok_redacted", "--type", "end")),
     {"n": 1, "token": "[REDACTED]", "said": "done with /ok_redacted?pin=[REDACTED]"})
case("ledger: no value of a secret name", expect(ledger("export"), 0, ['"token":"[REDACTED]"'], absent=["hush-hush"]))
case("ledger: as CSV", expect(ledger("export", "-f", "csv"), 0, ["RateLimited", "BudgetExceeded", "CircuitOpen", "ConcurrencyLimited"], absent=["hush-hush"]))
case("ledger: a configuration without state", expect(run(["ledger", "tail", "-C", put("none.yaml", "commands: []\n")]), 2, err=["names no state"]))
case("ledger: found from the folder", expect(run(["ledger", "verify"], cwd=folder.name), 0, ["no flaws"]))
# ---- a ledger that somebody touched is noticed after the next start
def logged(event):
    with open(os.path.join(folder.name, "log")) as f:
        return [r for r in map(json.loads, f) if r["event"] == event]


same("verify: a start found it whole", {r["flaws"] for r in logged("ledger.verified")}, {0})
s = Server()
large = [s.ask("api:ok", {"pin": "x" * 6000}) for _ in range(60)]
s.stop()
segments = sorted(f for f in os.listdir(os.path.join(STATE, "ledger")) if f.endswith(".jsonl"))
same("ledger: it has every call, however far behind it is", len([r for r in records("--tool", "api:ok", "--type", "begin") if r["body"]["input"] == {"pin": "x" * 6000}]), 60)
same("ledger: calls with large arguments", [a for a in large if not isinstance(a, dict) or "n" not in a], [])
same("ledger: segments are as large as they are told", len(segments) > 1, True)
segment = segments[0]
with open(os.path.join(STATE, "ledger", segment), "r+b") as f:
    text = f.read()
    f.seek(text.index(b'"callId"') + 12)
    f.write(b"0" if text[text.index(b'"callId"') + 12:][:1] != b"0" else b"1")
s = Server()
s.ask("api:ok")
found = until(lambda: logged("ledger.flaw"), 20)
same("verify: the flaw is logged", found, True)
same("verify: with its place", [r["kind"] for r in logged("ledger.flaw")][:1] + [segment in logged("ledger.flaw")[0]["segment"]], ["hash", True])
s.stop()

# ---- too many bytes under way, the body of a request and the arguments in it: over HTTP nothing more is read
put("small.yaml", """
defaults: {callBytes: 2000000, deadlineMs: 60000}
commands:
  - {namespace: n, name: nap, description: Sleeps., effect: Pure, inputSchema: {type: object}, run: {argv: [/bin/sleep, '50']}}
""")
web = subprocess.Popen([FERRULE, "serve", "-C", os.path.join(folder.name, "small.yaml"), "-l", "127.0.0.1:0", "--no-token"], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, cwd=folder.name, text=True, env=dict(os.environ, HOME=folder.name, XDG_CONFIG_HOME=folder.name, XDG_RUNTIME_DIR=folder.name))
port = 0
while not port:
    line = web.stdout.readline()
    found = re.search(r"127\.0\.0\.1:(\d+)", line)
    port = int(found.group(1)) if found else 0
    if not line:
        break


def post(args):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": "n:nap", "args": args}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}})
    c.request("POST", "/mcp", body, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
                                     "Mcp-Method": "tools/call", "Mcp-Name": "run_tool"})
    return c


held = post({"text": "x" * 900000})
refusals = []


def is_refused():
    c = post({})
    c.sock.settimeout(2)
    try:
        r = c.getresponse()
        refusals.append((r.status, r.getheader("Retry-After")))
    except OSError:
        pass  # it was taken, and sleeps
    c.close()
    return bool(refusals)


same("bytes: 503 while too much is held", until(is_refused) and refusals[0], (503, "1"))
held.close()
web.send_signal(signal.SIGTERM)
web.send_signal(signal.SIGTERM)
try:
    web.wait(30)
except subprocess.TimeoutExpired:
    web.kill()

gate.set()
api.shutdown()

# ---- who asks for a key: the record, or the operator's row; and where it goes

for name, effect, row, words, asked in [
    ("a record that says IdempotentWrite", "IdempotentWrite", "{}", [], True),
    ("with a key", "IdempotentWrite", "{}", ["-k", "k1"], False),
    ("a record, and a row that does without", "IdempotentWrite", "{idempotency: optional}", [], False),
    ("a row that says IdempotentWrite", "NonIdempotentWrite", "{effect: IdempotentWrite}", [], True),
    ("a row, with a key", "NonIdempotentWrite", "{effect: IdempotentWrite}", ["-k", "k2"], False),
    ("a row that does without", "NonIdempotentWrite", "{effect: IdempotentWrite, idempotency: optional}", [], False),
    ("another effect", "NonIdempotentWrite", "{}", [], False),
    ("another effect, a row that asks", "NonIdempotentWrite", "{idempotency: required}", [], True),
]:
    config = put("keys.yaml", f"""commands:
  - {{namespace: n, name: put, description: Puts., inputSchema: {{type: object}}, effect: {effect}, run: {{argv: [echo, x], stdout: text}}}}
policies: {{tools: {{'n:put': {row}}}}}
""")
    asks = ["IdempotencyKeyMissing", '_meta["ferrule/idempotencyKey"]', "-k KEY"]
    case(f"a key is asked for: {name}", expect(run(["run", "n:put", "-C", config, *words]), 1 if asked else 0, err=asks if asked else []))


# ---- what a model reads of a limit: sentences, and when to come again

config = put("limits.yaml", """commands:
  - {namespace: n, name: rare, description: Does., inputSchema: {type: object}, effect: Pure, run: {argv: [echo, x], stdout: text}}
  - {namespace: n, name: dear, description: Does., inputSchema: {type: object}, effect: Pure, run: {argv: [echo, x], stdout: text}}
policies: {tools: {'n:rare': {rateLimit: {requests: 1, perMs: 60000}}, 'n:dear': {budget: {calls: 1, perMs: 60000}}}}
""")
lines = [{"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
         {"method": "notifications/initialized"}]
lines += [{"id": i, "method": "tools/call", "params": {"name": n, "arguments": {}}} for i, n in enumerate(("rare", "dear", "rare", "dear"), 1)]
r = run(["serve", "--stdio", "--attach", "never", "--mode", "tools", "--expose", "n:*", "-C", config], "".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in lines))
said = [m["result"]["content"][0]["text"] for m in map(json.loads, r.stdout.decode().splitlines()) if m.get("id", 0) > 0 and m["result"].get("isError")]
for name, text in zip(("RateLimited", "BudgetExceeded"), sorted(said, reverse=True)):
    case(f"words: {name}", [] if re.search(name + r": .*come again\. It may succeed after \d+ ms\.$", text) else [text])
same("words: both were refused", len(said), 2)

# ---- a store that is damaged

os.mkdir(os.path.join(folder.name, "damaged"))
os.chmod(put("damaged/store.db", "this is no database, whatever its name says" * 100), 0o600)
config = put("damaged.yaml", "state: damaged\n")
case("a damaged store: its file, and what to do", expect(run(["run", "text:count", "text=x", "-C", config]), 2, err=["damaged/store.db failed", "bring it back from a backup"]))

finish()
