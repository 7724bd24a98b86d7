#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule run, chain and servers: arguments, envelopes, exit codes, the configuration, an MCP server of a few lines. Speaks TAP."""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

from command_line import FERRULE, SOURCE, case, expect, finish, run, terminal

folder = tempfile.TemporaryDirectory()


def put(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w") as f:
        f.write(text)
    return path


NONE = put("none.yaml", "commands: []\n")


def call(*words, config=NONE):
    return run(["run", *words, "-C", config])


# ---- arguments

for name, words, code, out, err in [
    ("a text", ["text:count", "text=one two"], 0, ['"words":2'], []),
    ("a text that looks like a number", ["text:count", "text=42"], 0, ['"characters":2'], []),
    ("a number", ["time:now", "offsetMinutes=60"], 0, ["unixMs"], []),
    ("JSON", ["time:now", "offsetMinutes:=60"], 0, ["unixMs"], []),
    ("not JSON", ["time:now", "offsetMinutes:=x"], 2, [], ["behind := there must be JSON"]),
    ("a value twice", ["text:count", "text=one", "text=two"], 2, [], ["text is given twice, and takes one value"]),
    ("a value twice, by --args", ["text:count", "text=one", "--args", "text=two"], 2, [], ["text is given twice"]),
    ("a text for a number", ["time:now", "offsetMinutes=soon"], 1, [], ["InvalidType (validate_input)"]),
    ("past a bound", ["time:now", "offsetMinutes=9999999"], 1, [], ["OutOfRange"]),
    ("a file", ["text:count", "text=@" + put("a.txt", "a b c\n")], 0, ['"words":3', '"lines":1'], []),
    ("no file", ["text:count", "text=@/nowhere/at/all"], 2, [], ["/nowhere/at/all"]),
    ("a whole object", ["text:count", "--args", '{"text":"x"}'], 0, ['"bytes":1'], []),
    ("a file with all", ["text:count", "--args", "@" + put("a.json", '{"text":"xy"}')], 0, ['"bytes":2'], []),
    ("one of them by --args", ["time:now", "--args", "offsetMinutes=5"], 0, ["unixMs"], []),
    ("both", ["text:count", "--args", '{"text":"x"}', "text=long"], 0, ['"bytes":4'], []),
    ("no JSON at all", ["text:count", "--args", "{"], 2, [], ["InvalidJson (validate_input)"]),
    ("what is missing", ["text:count"], 1, [], ["`text` is required", "ferrule describe text:count"]),
    ("what is misspelt", ["text:count", "txt=1"], 1, [], ["Rename `txt` to `text`"]),
    ("no tool", ["text:cuont", "text=x"], 1, [], ["ToolNotFound (resolve)", "text:count"]),
    ("nothing", [], 2, [], ["which tool?"]),
    ("not really", ["text:count", "text=x", "--dry-run"], 0, [], ["would be called; it was not"]),
    ("no time", ["text:count", "text=x", "--deadline", "0"], 2, [], ["--deadline takes a whole number"]),
    ("raw", ["time:now", "-o", "raw"], 0, ['"time":'], []),
]:
    case(f"run: {name}", expect(call(*words), code, out, err))

r = call("text:count", "text=x", "--json", "--correlation-id", "c-1")
e = json.loads(r.stdout)
case("run: the envelope", [] if e["status"] == "Ok" and e["output"]["structured"]["bytes"] == 1 and
     e["correlationId"] == "c-1" and e["attempts"] == 1 and "description" not in e["output"]["tool"] else [r.stdout])
r = call("text:count", "text=x", "--json", "--full")
case("run: with the definition", [] if json.loads(r.stdout)["output"]["tool"]["inputSchema"] else [r.stdout])
r = call("text:count", "--json")
case("run: an envelope with an error", [] if r.returncode == 1 and json.loads(r.stdout)["error"]["op"] == "validate_input" else [r.stdout])
r = call("text:count", "text=x", "--stream")
events = [json.loads(line) for line in r.stdout.splitlines()]
case("run: events", [] if [x["kind"] for x in events] == ["done"] and events[0]["sequence"] == 0 else [r.stdout])
r = call("text:count", "text=x", "--stream", "--chunks")
case("run: chunks", [] if json.loads(r.stdout)["event"] == "completed" else [r.stdout])
shown = terminal(["run", "text:count", "text=x", "-C", NONE])
case("run: a table on a terminal", [] if "characters" in str(shown) and "{" not in str(shown).replace("\\x1b", "") else [str(shown)])

# ---- chains

CHAIN = put("chain.json", '[{"toolId":"text:count","args":{"text":"a b"}},{"id":"s","toolId":"time:now","use":{"/offsetMinutes":"previous#/words"}}]')
case("chain: runs", expect(run(["chain", CHAIN, "-C", NONE]), 0, ["unixMs"]))
case("chain: a look", expect(run(["chain", CHAIN, "-n", "-C", NONE]), 0, [], ["can run; it was not run"]))
YAML = put("chain.yaml", "steps:\n  - {toolId: 'text:count', use: {/text: 'input#/words'}}\n")
case("chain: YAML and input", expect(run(["chain", YAML, "--input", '{"words":"x y z"}', "-C", NONE]), 0, ['"words":3']))
case("chain: an error", expect(run(["chain", YAML, "-C", NONE]), 1, [], ["RequiredMissing at step 0", "leads to nothing"]))
r = run(["chain", YAML, "--json", "-C", NONE])
case("chain: every step", [] if json.loads(r.stdout)["failedStep"] == "0" else [r.stdout])
case("chain: what it cannot be", expect(run(["chain", put("bad.json", '[{"toolId":"a","use":{"/x":"b#"}}]'), "-C", NONE]), 1, [], [":1:28:", "no step of that name"]))
for name, text, where in [("a reference", "steps:\n  - {toolId: 'text:count'}\n  - toolId: time:now\n    use:\n      /x: 'nosuch#/a'\n", "5:11: nosuch#/a: no step of that name"),
                          ("a form", "# c\nsteps:\n  - {toolId: 'text:count', args: {text: \"a\\tb\"}}\n  -   toolId: 7\n", "4:15: /steps/1/toolId: "),
                          ("no YAML", "steps:\n  - {toolId: a\n", "3:1: did not find")]:
    file = put("place.yaml", text)
    case(f"chain: the place in YAML of {name}", expect(run(["chain", file, "-C", NONE]), 2 if name == "no YAML" else 1, [], [f": {file}:{where}"]))
case("chain: the place in standard input", expect(run(["chain", "-", "-C", NONE], '{"steps": 3}'), 1, [], ["InvalidType: <stdin>:1:11: /steps"]))
case("chain: a look that finds", expect(run(["chain", put("b2.json", '[{"toolId":"text:count"}]'), "-n", "-C", NONE]), 1, ["error: step 0", "`text` is required"]))

# ---- local commands

COMMANDS = put("commands.yaml", """commands:
  - name: say
    namespace: mine
    description: Says it again. Returns the lines.
    effect: Pure
    inputSchema: {type: object, properties: {what: {type: string}}, required: [what], additionalProperties: false}
    run: {argv: [printf, '%s', '{dash:what}'], stdout: text}
  - name: fail
    namespace: mine
    description: Fails with three. Returns nothing.
    effect: Pure
    inputSchema: {type: object, additionalProperties: false}
    run: {argv: [sh, -c, 'echo it broke >&2; exit 3'], stdout: text}
  - name: sleep
    namespace: mine
    description: Sleeps for long. Returns nothing.
    effect: Pure
    inputSchema: {type: object, additionalProperties: false}
    run: {argv: [sleep, '30'], stdout: text}
""")
case("command: runs, without a shell", expect(call("mine:say", "what=$(id); rm -rf", config=COMMANDS), 0, ["$(id); rm -rf"]))
LINES = put("lines.yaml", """commands:
  - name: lines
    description: Prints JSON over several lines. Returns it.
    inputSchema: {type: object}
    outputSchema: {type: object, properties: {a: {type: integer}}}
    run: {argv: [printf, '{{\\n  "a":\\r\\n  1\\n}}\\n']}
  - name: wrong
    description: Breaks its output schema. Returns a list.
    inputSchema: {type: object}
    outputSchema: {type: object}
    run: {argv: [echo, '[1]']}
  - name: poor
    description: Has no secret. Returns nothing.
    inputSchema: {type: object}
    run: {argv: [env], stdout: lines, env: {set: {T: 'secretref:env:NO_SUCH_SECRET'}}}
""")
for name, words, kinds in [("the envelope", ["--json"], 1), ("events", ["--stream"], 1), ("chunks", ["--stream", "--chunks"], 1)]:
    lines = call("local:lines", *words, config=LINES).stdout.decode().splitlines()
    case(f"one line each: {name}", [] if len(lines) == kinds and json.loads(lines[0]) else [str(lines)])
r = run(["chain", put("lines.json", '[{"toolId":"local:lines"}]'), "-s", "-C", LINES])
case("one line each: a chain's events", [] if [json.loads(x)["kind"] for x in r.stdout.decode().splitlines()] == ["chunk", "done"] else [r.stdout])
r = run(["chain", put("lines.json", '[{"toolId":"local:lines"}]'), "--json", "-C", LINES])
case("one line each: a chain's steps", [] if len(r.stdout.decode().splitlines()) == 1 else [r.stdout])
case("a result that is wrong is the tool's", expect(call("local:wrong", config=LINES), 1, [], ["InvalidOutput (validate_output)", "what the tool gave back"], absent=["Send ", "what the tool takes"]))
case("the arguments as a whole have a name", expect(call("text:count", "--args", "[1]"), 1, [], ["  the arguments: "]))
case("not set up: the tool that was called", expect(call("local:poor", config=LINES), 1, [], ["BackendUnavailable", "secretref:env:NO_SUCH_SECRET"]))
case("not set up: another one", expect(call("local:wrong", config=LINES), 1, [], ["InvalidOutput"], absent=["NO_SUCH_SECRET"]))
case("not set up: no such tool", expect(call("nosuch", config=LINES), 1, [], ["ToolNotFound", "NO_SUCH_SECRET"]))
case("not set up: a chain that fails otherwise", expect(run(["chain", put("wrong.json", '[{"toolId":"local:wrong"}]'), "-C", LINES]), 1, [], ["InvalidOutput at step 0"], absent=["NO_SUCH_SECRET"]))
case("not set up: a step", expect(run(["chain", put("poor.json", '[{"toolId":"local:poor"}]'), "-C", LINES]), 1, [], ["BackendUnavailable at step 0", "NO_SUCH_SECRET"]))

def left(words):
    """What is wrong where the reader of a stream leaves after its first line: a program that prints on, for a minute, is ended."""
    p = subprocess.Popen([FERRULE, *words, "-C", LONG], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    first = p.stdout.readline()
    p.stdout.close()
    try:
        p.wait(15) # its deadline is twice that
    except subprocess.TimeoutExpired:
        p.kill()
        return ["it goes on"]
    return [] if first else ["nothing came"]


LONG = put("long.yaml", """commands:
  - name: count
    description: Counts, once a tenth of a second. Returns lines.
    inputSchema: {type: object}
    run: {argv: [sh, -c, 'for i in $(seq 600); do echo $i; sleep 0.1; done'], stdout: lines}
""")
case("a reader that leaves ends the call", left(["run", "local:count", "--stream"]))
case("a reader that leaves ends the chain", left(["chain", put("long.json", '[{"toolId":"local:count"},{"toolId":"local:count"}]'), "--stream"]))
case("command: its exit code", expect(call("mine:fail", config=COMMANDS), 1, [], ["ToolFailed (execute)", "exit code 3", "it broke"]))
case("command: its time", expect(call("mine:sleep", "--timeout", "200", config=COMMANDS), 1, [], ["Timeout (execute)"]))
SLOW = put("slow.yaml", open(COMMANDS).read() + "defaults: {timeoutMs: 200}\ntelemetry: {metrics: true, logLevel: info}\ncatalog: c.bin\n")
case("config: the time of an attempt", expect(call("mine:sleep", config=SLOW), 1, [], ["Timeout (execute)"]))
case("config: the level of the log counts", expect(call("time:now", config=SLOW), 0, [], ["tool.succeeded"], absent=["not there yet", "not served yet"]))
case("servers: commands", expect(run(["servers", "-C", COMMANDS]), 0, ["mine\tcommand\tup\t3"]))

# ---- an MCP server

SERVER = put("server.py", """import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "tiny", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": n, "description": n, "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}} for n in ("ok", "no", "big", "die")]}
    elif m["method"] == "tools/call":
        n = m["params"]["name"]
        if n == "die": sys.exit(7)
        t = {"ok": "fine", "no": "I will not", "big": "x"}[n]
        r = {"content": [{"type": "text", "text": t}], "isError": n == "no"}
        if n == "big":
            sys.stdout.write('{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"n":12345678901234567890123}}}\\n' % json.dumps(m["id"])); sys.stdout.flush(); continue
    else:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}) + "\\n"); sys.stdout.flush(); continue
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}) + "\\n"); sys.stdout.flush()
""")
CLIENT = put("mcp.json", json.dumps({"mcpServers": {"tiny": {"command": sys.executable, "args": [SERVER]},
                                                    "gone": {"command": "/nowhere/at/all"}}}))
case("mcp: a client's file as it is", expect(call("tiny:ok", config=CLIENT), 0, ['"fine"']))
case("mcp: isError is no success", expect(call("tiny:no", config=CLIENT), 1, [], ["ToolFailed (execute): I will not"]))
case("mcp: every digit", expect(call("tiny:big", config=CLIENT), 0, ["12345678901234567890123"]))
case("mcp: it ends in the middle", expect(call("tiny:die", config=CLIENT), 1, [], ["OutcomeUnknown (execute): The call may or may not have had its effect: the ", "ended"]))
TRUSTED = put("trusted.json", json.dumps({"mcpServers": {"tiny": {"command": sys.executable, "args": [SERVER]}},
                                          "policies": {"tools": {"tiny:*": {"effect": "Pure", "retry": {"maxAttempts": 1}}}}}))
case("mcp: it ends in the middle, and nothing changes", expect(call("tiny:die", config=TRUSTED), 1, [], ["BackendCrashed (execute)"]))
case("mcp: it cannot be started", expect(call("gone:x", config=CLIENT), 1, [], ["gone: BackendUnavailable"]))
r = run(["servers", "--json", "-C", CLIENT])
rows = {s["name"]: s for s in json.loads(r.stdout)["servers"]}
case("servers: how they are", [] if r.returncode == 1 and rows["tiny"]["tools"] == 4 and rows["tiny"]["health"] == "up" and
     rows["gone"]["error"] == "BackendUnavailable" else [r.stdout])
case("servers: one of them", expect(run(["servers", "tiny", "-C", CLIENT]), 0, ["tiny\tmcp-stdio\tup\t4\t2025-11-25, tiny 1"], absent=["gone"]))

# ---- an HTTP API


class Api(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tool = {"name": "cut", "description": "c", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}}
        answers = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}},
                   "tools/list": {"tools": [tool]}, "tools/call": None}
        if "id" in m and m["method"] not in answers:
            return self.send_error(404)
        self.send_response(200 if "id" in m else 202)
        self.send_header("Content-Type", "application/json")
        body = json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": answers[m["method"]]}).encode() if "id" in m else b""
        cut = m["method"] == "tools/call"
        self.send_header("Content-Length", str(len(body) + (9 if cut else 0)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = cut

    def do_GET(self):
        if self.path == "/pets/9":
            self.send_response(200)
            self.send_header("Content-Length", "9")
            self.end_headers()
            return
        if self.path == "/pets/302":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        found = self.path == "/pets/7?fields=name"
        body = b'{"id":7,"name":"Rex"}' if found else b'{"message":"none"}'
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=api.serve_forever, daemon=True).start()
put("pets.yaml", """openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Get one pet. Returns it.
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: fields, in: query, schema: {type: string}}
      responses:
        '200': {description: The pet, content: {application/json: {schema: {type: object, properties: {id: {type: integer}, name: {type: string}}, required: [id]}}}}
""")
APIS = put("apis.yaml", f"apis:\n  pets:\n    openapi: pets.yaml\n    baseUrl: http://127.0.0.1:{api.server_address[1]}\n")
case("api: an operation", expect(call("pets:getPet", "id=7", "fields=name", config=APIS), 0, ['"name":"Rex"']))
case("api: it says no", expect(call("pets:getPet", "id=8", config=APIS), 1, [], ["ToolFailed (execute)", "404"]))
case("api: it leads elsewhere", expect(call("pets:getPet", "id=302", config=APIS), 1, [], ["ToolFailed (execute)", "302: redirections are not followed"]))
case("api: its arguments", expect(call("pets:getPet", config=APIS), 1, [], ["RequiredMissing (validate_input)"]))
case("api: the connection is lost", expect(call("pets:getPet", "id=9", config=APIS), 1, [], ["ConnectionLost (execute)"]))
WEB = put("web.json", json.dumps({"mcpServers": {"web": {"url": f"http://127.0.0.1:{api.server_address[1]}/mcp"}}}))
case("mcp: the connection is lost", expect(call("web:cut", config=WEB), 1, [], ["OutcomeUnknown (execute)", "the connection ended"]))
api.shutdown()

KEYED = put("keyed.yaml", """state: kept
commands:
  - name: stamp
    namespace: w
    description: Writes a stamp.
    effect: IdempotentWrite
    inputSchema: {type: object, properties: {text: {type: string}, token: {type: string}}, additionalProperties: false}
    run: {argv: [/bin/date, '+{{"n":1%N}}']}
""")
STAMPS = put("stamps.json", '[{"toolId":"w:stamp"}]')
case("keys: a look at a chain demands one", expect(run(["chain", STAMPS, "-n", "-C", KEYED]), 1, ["error: step 0: w:stamp takes an idempotency key with every call"], [], ["can run"]))
case("keys: and takes it", expect(run(["chain", STAMPS, "-n", "-k", "x", "-C", KEYED]), 0, [], ["can run"], ["takes an idempotency key"]))
case("keys: one is demanded", expect(call("w:stamp", config=KEYED), 1, [], ["IdempotencyKeyMissing (recall)"]))
first = call("w:stamp", "token=hush-hush-4711", "-k", "one", config=KEYED)
case("keys: the first", expect(first, 0, ['"n":']))
case("keys: the same again, in another process", expect(call("w:stamp", "token=hush-hush-4711", "-k", "one", config=KEYED), 0, [first.stdout.decode().strip()]))
case("keys: other arguments", expect(call("w:stamp", "-k", "one", config=KEYED), 1, [], ["IdempotencyConflict (recall)"]))
case("keys: it is said", expect(call("w:stamp", "token=hush-hush-4711", "-k", "one", "--json", config=KEYED), 0, ['"replayed":true', '"attempts":0']))
kept = os.path.join(os.path.dirname(KEYED), "kept")
files = [os.path.join(folder, name) for folder, _, names in os.walk(kept) for name in names]
case("state: nothing in clear", [f for f in files if b"hush-hush" in open(f, "rb").read()])
case("state: nobody else may read it", [f for f in files if os.stat(f).st_mode & 0o077])
ledger = ["-L", os.path.join(kept, "ledger")]
case("state: the ledger finds calls by their tool", expect(run(["ledger", "query", "--tool", "w:stamp", "--type", "end", *ledger]), 0, ["\tend\t-\tw:stamp\tOk\t"]))
case("state: the ledger is whole", expect(run(["ledger", "verify", *ledger]), 0, ["no flaws"]))
finish()
