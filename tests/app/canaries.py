#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Canaries: secrets are planted wherever one may come in, backends give back whatever they were given, and everything that is
written is searched for all of them, in all notations. The same once more with redaction off is the control: what is not found then
would never be found. Speaks TAP."""

import base64
import glob
import http.server
import json
import os
import random
import stat
import string
import subprocess
import sys
import tempfile
import threading
import urllib.parse

from command_line import FERRULE, SOURCE, case, finish

chance = random.Random(4711)


def make(size):
    """No letters but those that every notation changes or keeps in its own way."""
    return "".join(chance.choice(string.ascii_letters + string.digits) for _ in range(size)) + '/"+é'


# ---- notations in which a canary is looked for

def notations(secret):
    raw = secret.encode()
    found = {"raw": raw, "JSON": json.dumps(secret)[1:-1].encode(), "JSON in UTF-8": json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
             "percent": urllib.parse.quote(secret, safe="").encode(), "percent, small": urllib.parse.quote(secret, safe="").lower().encode(),
             "hex": raw.hex().encode(), "HEX": raw.hex().upper().encode(), "UTF-16LE": secret.encode("utf-16-le"),
             "UTF-16BE": secret.encode("utf-16-be"), "reversed": secret[::-1].encode(), "prefix": raw[:8], "suffix": raw[-13:-5]}
    for shift in range(3):
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            text = encode(b"x" * shift + raw)
            found[f"{name} +{shift}"] = text[4 if shift else 0:len(text) - 4]
    return found


def search(data, canaries):
    """(place, notation) of all that is in the bytes, also where a line or a chunk ends in the middle."""
    joined = data.replace(b"\n", b"").replace(b"\r", b"")
    return [(place, name) for place, secret in canaries.items() for name, text in notations(secret).items() if text in data or text in joined]


# ---- backends that give back what they were given

class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms
    spans = []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/v1/traces"):
            Api.spans.append(body)
            return self.send(200, b"{}")
        if self.path == "/mcp":
            return self.send(200, json.dumps({"jsonrpc": "2.0", "id": json.loads(body).get("id"),
                                              "error": {"code": -32603, "message": "cannot use header " + self.headers.get("X-Start", "")}}).encode())
        seen = {"said": [f"{k}: {v}" for k, v in self.headers.items()], "asked": self.path, "body": body.decode()}
        text = json.dumps(seen, ensure_ascii=False).encode()
        if "/redirect" in self.path:
            return self.send(302, b"", Location="/there?" + urllib.parse.urlencode(seen, doseq=True))
        self.send(400 if "/refuse" in self.path else 200, text)

    def send(self, status, body, **more):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for key, value in more.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *words):
        pass


api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=api.serve_forever, daemon=True).start()
PORT = api.server_address[1]

SERVER = '''
import json, os, sys
secret = lambda what: os.environ["SECRET_" + what]
for line in sys.stdin:
    m = json.loads(line)
    say = lambda r: print(json.dumps({"jsonrpc": "2.0", "id": m.get("id"), **r}), flush=True)
    if m.get("method") == "initialize":
        say({"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}})
    elif m.get("method") == "tools/list":
        say({"result": {"tools": [{"name": n, "description": "Does.", "inputSchema": {"type": "object"}} for n in ("text", "no", "crash", "rpc")]}})
    elif m.get("method") == "tools/call":
        name, token = m["params"]["name"], m["params"].get("_meta", {}).get("progressToken")
        print("about " + secret("stderr"), file=sys.stderr, flush=True)
        if token is not None:
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress",
                              "params": {"progressToken": token, "progress": 1, "message": "at " + secret("progress")}}), flush=True)
        if name == "crash":
            print("dying of " + secret("crash"), file=sys.stderr, flush=True)
            os._exit(3)
        if name == "rpc":
            say({"error": {"code": -32603, "message": "no: " + secret("rpc")}})
        else:
            say({"result": {"content": [{"type": "text", "text": "it is " + secret(name)}], "isError": name == "no"}})
    elif "id" in m:
        say({"error": {"code": -32601, "message": "no"}})
'''

# Servers that say at once what they were given, and end: in one line, in other clothes, and in one that is too long.
LOUD = '''
import base64, os, sys
value = os.environ["SECRET_start"]
print({"loud": "no password " + value, "base64": "b64 " + base64.b64encode(value.encode()).decode(), "long": "x" * 230 + value,
       "edge": "x" * 80 + value}[sys.argv[1]], file=sys.stderr)
sys.exit(7)
'''

COMMAND = '''
import json, os, sys
args = json.load(sys.stdin)
secret = lambda what: os.environ.get("SECRET_" + what, "")
sys.stderr.write("with " + secret("stderr") + "\\n")
sys.stderr.flush()
for half in (secret("halves")[:9], secret("halves")[9:]):
    os.write(2, half.encode())
if args.get("how") == "die":
    sys.exit(3)
print(json.dumps({"echo": args, "env": secret("output"), "deep": [{"Private-Key": args.get("given")}]}))
'''

SAID = {"text": "content of a server", "no": "error text of a tool", "rpc": "error of a server", "crash": "last words of a server",
        "stderr": "standard error of a server", "progress": "progress message"}
HELD = {"output": "output of a command", "stderr": "standard error of a command", "halves": "standard error, in two pieces",
        "url": "user of a URL", "query": "query of a URL", "json": "JSON in a text", "base64": "a blob of base64", "hex": "hex", "note": "a text",
        "name": "the name of an argument"}

LAST = {"loud": "last words at the start", "base64": "last words in base64", "long": "last words of a long line", "edge": "last words that are cut"}

OPERATIONS = ("show", "refuse", "redirect")
DOCUMENT = {"openapi": "3.1.0", "info": {"title": "t", "version": "1.0.0"}, "paths": {f"/{o}": {"get": {
    "operationId": o, "summary": "Does.", "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object"}}}}}}}
    for o in OPERATIONS}}


# ---- one run of everything, with redaction or without

class Run:
    def __init__(self, hidden):
        self.hidden = hidden
        self.home = tempfile.TemporaryDirectory()
        self.canaries, self.sinks, self.env = {}, {}, {}
        self.ran = 0
        Api.spans = []
        for name in ("tmp",):
            os.mkdir(self.path(name))
        self.put("api.json", json.dumps(DOCUMENT))
        self.put("server.py", SERVER)
        self.put("command.py", COMMAND)
        self.put("loud.py", LOUD)
        self.configure()
        self.call_all()
        self.gather()

    def path(self, name):
        return os.path.join(self.home.name, name)

    def put(self, name, text, mode=0o600):
        with open(self.path(name), "w") as f:
            f.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def canary(self, place):
        self.canaries[place] = make(chance.randint(24, 60))
        return self.canaries[place]

    def secret(self, place, header=False, by_file=False, before=""):
        """A secret of the configuration: by reference, or (redaction off) as it is, so that nobody knows that it is one. `before` stands before it."""
        value = self.canary(place)
        if header:  # what a header field may hold
            value = self.canaries[place] = value.encode("ascii", "ignore").decode().replace('"', "_")
        value = before + value
        if not self.hidden:
            return value
        name = "C" + str(len(self.canaries))
        if by_file:
            self.put(name, value + "\n")
            return "secretref:file:" + self.path(name)
        self.env[name] = value
        return "secretref:env:" + name

    def configure(self):
        # Credentials of an API have no other form than a reference: where redaction is off they are header fields.
        auth = {"type": "bearer", "token": self.secret("bearer of a backend", True)} if self.hidden else None
        fields = {"X-Session-Id": self.secret("header of a backend", True, True), "Cookie": self.secret("cookie of a backend", True, before="sid=")}
        if not self.hidden:
            fields["Authorization"] = "Bearer " + self.secret("bearer of a backend", True)
        one = {"openapi": "api.json", "baseUrl": f"http://127.0.0.1:{PORT}", "headers": fields}
        if auth:
            one["auth"] = auth
        key = ({"auth": {"type": "apiKey", "in": "query", "name": "key", "key": self.secret("query parameter of a backend", True)}} if self.hidden
               else {"headers": {"X-Query": self.secret("query parameter of a backend", True)}})
        run = {"argv": [sys.executable, self.path("command.py")], "stdin": "json"}
        command = {"namespace": "c", "description": "Does.", "effect": "NonIdempotentWrite", "idempotency": "optional",
                   "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}, "kind": {"enum": ["a", "b"]}}}}
        redact = ["pin", "output:echo.pin", "**.letter.*.body", "output:echo.given", 'people["odd.name"]', 'output:echo.people["odd.name"]'] if self.hidden else []
        config = {
            "apis": {"one": one, "two": {"openapi": "api.json", "baseUrl": f"http://127.0.0.1:{PORT}", **key}},
            "mcpServers": {"mcp": {"command": sys.executable, "args": [self.path("server.py")], "env": {"SECRET_" + k: self.secret(v) for k, v in SAID.items()}},
                           **{k: {"command": sys.executable, "args": [self.path("loud.py"), k], "env": {"SECRET_start": self.secret(v)}} for k, v in LAST.items()},
                           "header": {"url": f"http://127.0.0.1:{PORT}/mcp", "headers": {"X-Start": self.secret("header that a server refuses", True, before="Bearer ")}}},
            "commands": [{**command, "name": "plain", "run": {**run, "env": {"set": {"SECRET_" + k: self.secret(v, by_file=True) for k, v in HELD.items()}}}},
                         {**command, "name": "echo", "redact": redact, "run": run}],
            "catalog": "catalog.fer", "state": "state", "ledger": {"durability": "async"}, "defaults": {"deadlineMs": 20000},
            "policies": {"cache": {"persist": True}, "tools": {"*": {"effect": "NonIdempotentWrite", "idempotency": "optional"},
                                                               "two:show": {"effect": "Pure", "cache": {"ttlMs": 60000}}},
                         "redaction": {} if self.hidden else {"except": ["accesstoken", "apikey", "authorization", "clientsecret", "cookie", "idtoken",
                                                                         "idempotencykey", "passwd", "password", "privatekey", "refreshtoken", "secret",
                                                                         "sessionid", "setcookie", "token"]}},
            "telemetry": {"logFile": "log", "logLevel": "debug", "logFormat": "json", "metricsFile": "metrics",
                          "otlp": {"endpoint": f"http://127.0.0.1:{PORT}/v1/traces"}}}
        self.put("ferrule.json", json.dumps(config, ensure_ascii=False))

    def run(self, *words, stdin=b""):
        env = {**{k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS")}, **self.env, "TMPDIR": self.path("tmp"), "PYTHONUTF8": "1"}
        r = subprocess.run([FERRULE, *words, "-C", self.path("ferrule.json")], input=stdin, capture_output=True, cwd=self.home.name, timeout=60, env=env)
        self.sink("standard error", r.stderr)
        return r

    def sink(self, name, data):
        self.sinks[name] = self.sinks.get(name, b"") + data + b"\n"

    def call(self, tool, args=None, *words, events=False):
        r = self.run("run", tool, "--args", json.dumps(args or {}, ensure_ascii=False), "--json", *words)
        try:
            envelope = json.loads(r.stdout)
        except ValueError:
            envelope = {}
        envelope.pop("output", None)  # results are the caller's own (R35)
        self.sink("envelopes", json.dumps(envelope, ensure_ascii=False).encode())
        self.ran += bool(envelope)

    def call_all(self):
        self.call("one:show")
        self.call("one:refuse")
        self.call("one:redirect")
        self.call("two:show")
        self.call("two:show")
        self.call("two:refuse")
        for tool in ("text", "no", "rpc", "crash"):
            self.call(f"mcp:{tool}")
        self.call("c:plain")
        self.call("c:plain", {"how": "die"})
        given = {
            "a declared path": lambda c: {"pin": c},
            "a declared path with a wildcard": lambda c: {"letter": [{"body": c}, {"body": [c]}]},
            "an odd name": lambda c: {"people": {"odd.name": c}},
            "a built-in name": lambda c: {"token": c},
            "a built-in name, deep in lists": lambda c: {"a": [[{"b": {"API-Key": [c]}}]]},
            "a header among arguments": lambda c: {"headers": {"Authorization": "Basic " + c}},
            "a result's declared path": lambda c: {"given": c, "n": 1, "token": 1} if self.hidden else {"given": c},
        }
        for place, make_args in given.items():
            args = make_args(self.canary(place))
            if place == "a result's declared path" and self.hidden:
                args = {"password": args["given"], "n": 1}  # it comes back under the same name, and under Private-Key
            self.call("c:echo", args)
        # What the configuration knows, in the hands of a caller: in other clothes.
        known = {k: self.canaries[v] for k, v in HELD.items()}
        for text in (known["note"], f"https://u:{urllib.parse.quote(known['url'], safe='')}@example.com/", "https://example.com/?q=" + urllib.parse.quote_plus(known["query"]),
                     json.dumps({"k": known["json"]}), base64.b64encode(b"ab" + known["base64"].encode()).decode(), known["hex"].encode().hex()):
            self.call("c:echo", {"note": text})
            self.call("c:echo", {"note": text, "how": "die"})
        self.call("c:echo", {known["name"]: 1})  # R38
        # Messages of validation (R30): of whatever path, the type.
        wrong = self.canary("a value that breaks the schema")
        for args in ({"n": wrong}, {"kind": wrong}, {"n": [wrong]}):
            if self.hidden:
                self.call("c:echo", args)
            else:
                self.call("c:echo", {"note": args})
        key = self.canary("an idempotency key").encode("ascii", "ignore").decode().replace('"', "_")
        self.canaries["an idempotency key"] = key
        for words in ({"n": 1}, {"n": 2}):
            self.call("c:echo", words if self.hidden else {"idempotencyKey": key, **words}, "-k", key)
        for line in self.run("run", "mcp:no", "--stream").stdout.splitlines():
            event = json.loads(line)
            if event["kind"] == "error":
                event["data"].pop("output", None)
                self.sink("events", json.dumps(event, ensure_ascii=False).encode())
        if not self.hidden:  # what callers are told on the way is theirs, so it is in no sink: the log of the control has it
            self.sink("log", self.run("run", "mcp:text", "--stream").stdout)
        if not self.hidden:  # the rest is written by nobody, redaction or not
            return self.export()
        self.looked_at()
        cursor = self.canary("a cursor")
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": cursor, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
        self.sink("envelopes", self.run("serve", "--stdio", stdin=json.dumps(asked).encode() + b"\n").stdout)
        self.broken()
        self.export()

    def export(self):
        for words in (["keys", "list", "--of", "done"], ["keys", "list", "--json"], ["servers"], ["ledger", "tail", "--once", "-n", "1000"],
                      ["ledger", "query", "--status", "Ok"]):
            self.sink("what commands show", self.run(*words).stdout)
        self.sink("export, JSON Lines", self.run("ledger", "export").stdout)
        self.sink("export, CSV", self.run("ledger", "export", "-f", "csv").stdout)

    def looked_at(self):
        """What commands say of servers that do not begin."""
        self.sink("what commands show", self.run("doctor").stdout)
        given = self.secret("variable of inspect"), self.secret("header of inspect", True)
        for words in (["--env", "SECRET_start=" + given[0], "--", sys.executable, self.path("loud.py"), "loud"],
                      ["--header", "X-Start: " + given[1], f"http://127.0.0.1:{PORT}/mcp"]):
            env = {"PATH": os.environ["PATH"], "HOME": self.home.name, **self.env}
            r = subprocess.run([FERRULE, "inspect", *words], capture_output=True, cwd=self.home.name, timeout=60, env=env)
            self.sink("what commands show", r.stdout + r.stderr)
        served = subprocess.Popen([FERRULE, "serve", "--stdio", "-C", self.path("ferrule.json")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  cwd=self.home.name, env={**env, "TMPDIR": self.path("tmp")})
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_namespaces", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
        said = served.communicate(json.dumps(asked).encode() + b"\n", timeout=60)
        self.sink("what commands show", b"".join(said))

    def broken(self):
        """A configuration that cannot be read, with a secret in the line that is wrong."""
        value = self.canary("a line of a broken configuration")
        text = "mcpServers:\n  a:\n    command: x\n    env: {TOKEN: '" + value + "', : ]\n"
        self.put("broken.yaml", text)
        self.put("wrong.yaml", text.replace(", : ]", "}\n    command: [" + value + "]"))
        for name in ("broken.yaml", "wrong.yaml"):
            r = subprocess.run([FERRULE, "config", "check", self.path(name)], capture_output=True, timeout=60)
            self.sink("what config check says", r.stdout + r.stderr)

    def gather(self):
        def files(name, *patterns):
            for pattern in patterns:
                for path in sorted(glob.glob(self.path(pattern), recursive=True)):
                    if stat.S_ISREG(os.stat(path).st_mode):
                        with open(path, "rb") as f:
                            self.sink(name, f.read())
        files("ledger", "state/ledger/*.jsonl")
        files("index of the ledger", "state/ledger/index.db*")
        files("store", "state/store.db*")
        files("log", "log")
        files("metrics", "metrics")
        files("catalogue", "catalog.fer*")
        files("temporary files", "tmp/**")
        self.sink("traces", b"\n".join(Api.spans))


EXPECTED = ["catalogue", "envelopes", "events", "export, CSV", "export, JSON Lines", "index of the ledger", "ledger", "log", "metrics", "standard error",
            "store", "temporary files", "traces", "what commands show", "what config check says"]

safe = Run(True)
safe.sinks.setdefault("temporary files", b"")
for sink in EXPECTED:
    data = safe.sinks.get(sink)
    found = search(data, safe.canaries) if data is not None else ["there is no such sink"]
    case(f"{sink}: nothing of {len(safe.canaries)} canaries in {len(notations('x' * 32))} notations", [str(f) for f in found[:8]])
case("at least twenty places", [] if len(safe.canaries) >= 20 else [str(sorted(safe.canaries))])
case("something was written to each sink", [s for s in EXPECTED if s != "temporary files" and len(safe.sinks.get(s, b"")) < 20])
checks = len(safe.canaries) * len(notations("x" * 32)) * len(EXPECTED)
print(f"# {len(safe.canaries)} places x {len(notations('x' * 32))} notations x {len(EXPECTED)} sinks = {checks} looks")

# ---- the controls: each sink is searched with eyes that see, and without redaction there is something to be seen
for sink in EXPECTED:
    blind = []
    for place, secret in safe.canaries.items():
        for name, text in notations(secret).items():
            data, middle = safe.sinks[sink], len(safe.sinks[sink]) // 2
            blind += [] if (place, name) in search(data[:middle] + text + data[middle:], {place: secret}) else [(place, name)]
    case(f"control, {sink}: what is there is found", [str(b) for b in blind[:8]] if len(blind) * 20 > len(safe.canaries) * len(notations("x" * 32)) else [])

open_run = Run(False)
seen = {place for data in open_run.sinks.values() for place, _ in search(data, open_run.canaries)}
written = set(open_run.canaries) - {"standard error of a server", "last words of a server", "last words of a long line"}  # that nobody writes anywhere
missed = sorted(written - seen)
case(f"control, redaction off: {len(written & seen)} of {len(written)} canaries are found", missed if len(missed) * 20 > len(written) else [])
for sink in ("ledger", "export, JSON Lines", "envelopes", "standard error"):
    case(f"control, redaction off: {sink} has some", [] if search(open_run.sinks.get(sink, b""), open_run.canaries) else ["none"])
api.shutdown()
finish()
