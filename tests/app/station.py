#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Telemetry, the kept catalogue, several backends and reloading, over the command line. Speaks TAP."""

import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from command_line import FERRULE, SOURCE, case, expect, finish, run

folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def put(name, text):
    """Writes a file as a whole: whoever looks sees the old one or the new one."""
    with open(path(name) + ".new", "w") as f:
        f.write(text)
    os.rename(path(name) + ".new", path(name))
    return path(name)


def call(*words, config):
    return run(["run", *words, "-C", config])


# ---- traces: a collector of a few lines

class Collector(http.server.BaseHTTPRequestHandler):
    requests = []
    answers = []  # statuses to give, then 200

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((self.path, dict(self.headers), json.loads(body)))
        status, answer = self.answers.pop(0) if self.answers else (200, b"{}")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=collector.serve_forever, daemon=True).start()
ENDPOINT = f"http://127.0.0.1:{collector.server_address[1]}/v1/traces"
put("token", "s3cr3t-of-the-collector\n")
os.chmod(path("token"), 0o600)
OTLP = put("otlp.yaml", f"""telemetry:
  otlp: {{endpoint: '{ENDPOINT}', headers: {{Authorization: 'Bearer secretref:file:token'}}}}
""")

# What opentelemetry-proto's trace.proto and common.proto have in JSON: the allowed members of each message.
MEMBERS = {
    "request": {"resourceSpans"}, "resourceSpans": {"resource", "scopeSpans", "schemaUrl"}, "resource": {"attributes", "droppedAttributesCount"},
    "scopeSpans": {"scope", "spans", "schemaUrl"}, "scope": {"name", "version", "attributes", "droppedAttributesCount"},
    "span": {"traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes",
             "droppedAttributesCount", "events", "droppedEventsCount", "links", "droppedLinksCount", "status"},
    "status": {"message", "code"}, "attribute": {"key", "value"},
    "value": {"stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue"},
}


def look(kind, value, problems):
    problems += [f"{kind} has {m!r}" for m in set(value) - MEMBERS[kind]]


def attributes(list_, problems):
    found = {}
    for a in list_:
        look("attribute", a, problems)
        look("value", a["value"], problems)
        (form, v), = a["value"].items()
        if form == "intValue" and not (isinstance(v, str) and re.fullmatch(r"-?\d+", v)):
            problems.append(f"{a}: 64-bit numbers are texts")
        if form == "boolValue" and not isinstance(v, bool):
            problems.append(f"{a}")
        found[a["key"]] = v
    return found


def spans_of(request):
    problems, spans = [], []
    look("request", request, problems)
    for r in request["resourceSpans"]:
        look("resourceSpans", r, problems)
        look("resource", r["resource"], problems)
        if attributes(r["resource"]["attributes"], problems).get("service.name") != "ferrule":
            problems.append("no service.name")
        for s in r["scopeSpans"]:
            look("scopeSpans", s, problems)
            look("scope", s["scope"], problems)
            for span in s["spans"]:
                look("span", span, problems)
                look("status", span["status"], problems)
                span["attributes"] = attributes(span["attributes"], problems)
                spans.append(span)
                if not re.fullmatch("[0-9a-f]{32}", span["traceId"]) or not re.fullmatch("[0-9a-f]{16}", span["spanId"]):
                    problems.append(f"IDs: {span}")
                if not all(isinstance(span[t], str) and span[t].isdigit() for t in ("startTimeUnixNano", "endTimeUnixNano")):
                    problems.append(f"times: {span}")
                elif int(span["startTimeUnixNano"]) > int(span["endTimeUnixNano"]):
                    problems.append(f"it ends before it begins: {span}")
                if span["kind"] not in (1, 2, 3):
                    problems.append(f"kind: {span}")
    return spans, problems


def traced(words, code):
    Collector.requests.clear()
    result = call(*words, config=OTLP)
    problems = expect(result, code)
    if len(Collector.requests) != 1:
        return [], problems + [f"{len(Collector.requests)} requests: {result.stderr!r}"]
    at, headers, body = Collector.requests[0]
    spans, more = spans_of(body)
    if at != "/v1/traces" or headers["Content-Type"] != "application/json" or headers["Authorization"] != "Bearer s3cr3t-of-the-collector":
        more.append(f"{at} {headers}")
    return spans, problems + more


spans, problems = traced(["text:count", "text=a secret text", "--correlation-id", "c-7"], 0)
case("traces: the form of OTLP", problems)
root = [s for s in spans if "parentSpanId" not in s]
stages = [s for s in spans if "parentSpanId" in s]
case("traces: a call and its stages", [] if len(root) == 1 and [s["name"] for s in stages] == [
    "resolve", "authorize", "validate_input", "admit", "recall", "execute", "validate_output", "redact", "note"] and
    all(s["parentSpanId"] == root[0]["spanId"] and s["traceId"] == root[0]["traceId"] for s in stages) and
    len({s["spanId"] for s in spans}) == len(spans) else [f"{spans}"])
case("traces: what a span says", [] if root and root[0]["name"] == "execute_tool text:count:1.0.0" and root[0]["status"] == {} and
     root[0]["attributes"].items() >= {"gen_ai.tool.name": "text:count:1.0.0", "origin": "cli", "correlation.id": "c-7", "attempts": "1", "backend.kind": "local"}.items()
     else [f"{root}"])
case("traces: nothing that the tool was given", [] if "secret text" not in json.dumps(spans) else ["its argument is there"])
spans, problems = traced(["text:count"], 1)
bad = [s for s in spans if s["status"].get("code") == 2]
case("traces: a call that fails", problems + ([] if {s["name"] for s in bad} == {"execute_tool text:count:1.0.0", "validate_input"} and
     all(s["status"]["message"] == "RequiredMissing" for s in bad) else [f"{spans}"]))
spans, problems = traced(["a-secret-in-the-wrong-place"], 1)
case("traces: a name that nobody has is not told", problems + ([] if "wrong-place" not in json.dumps(spans) and spans[0]["name"].endswith("_unknown") else [f"{spans}"]))
Collector.answers[:] = [(400, b"{}")]
case("traces: what is refused is counted", expect(call("time:now", config=OTLP), 0, [], ["10 spans of traces were not sent", "status 400"], absent=["s3cr3t"]))
Collector.answers[:] = [(200, b'{"partialSuccess":{"rejectedSpans":"3"}}')]
case("traces: what is refused in part", expect(call("time:now", config=OTLP), 0, [], ["3 spans of traces were not sent"]))
collector.shutdown()
collector.server_close()
case("traces: nobody is there", expect(call("time:now", config=OTLP), 0, ["unixMs"], ["spans of traces were not sent"]))

# ---- metrics and logs

METRICS = path("calls.prom")
r = run(["run", "text:count", "text=x", "--metrics", METRICS])
case("metrics: a file", expect(r, 0) + ([] if 'tool_invocations_total{tool="text:count:1.0.0",origin="cli",code="Ok"} 1' in open(METRICS).read() else [open(METRICS).read()]))
CHAIN = put("chain.json", '[{"toolId":"text:count","args":{"text":"a"}},{"toolId":"text:count"}]')
case("metrics: of a chain", expect(run(["chain", CHAIN, "--metrics", "-"]), 1, ['code="RequiredMissing"} 1', "# TYPE tool_duration_seconds histogram"]))
case("metrics: nowhere to write", expect(run(["run", "time:now", "--metrics", "/nowhere/at/all"]), 2, ["unixMs"], ["/nowhere/at/all"]))
KEPT = put("kept.yaml", "telemetry: {metricsFile: kept.prom}\n")
call("time:now", config=KEPT)
case("metrics: as the configuration says", [] if "time:now" in open(path("kept.prom")).read() else ["they are not there"])
NOT = put("not.yaml", "telemetry: {metrics: false}\n")
case("metrics: none are kept", expect(run(["run", "time:now", "-C", NOT, "--metrics", METRICS]), 2, [], ["none are kept"]))

LOGS = put("logs.yaml", "telemetry: {logLevel: info, logFormat: json, logFile: calls.log}\n")
call("text:count", "text=a secret text", config=LOGS)
call("text:count", "wrong=a secret text", config=LOGS)
call("no-such-secret", config=LOGS)
lines = [json.loads(line) for line in open(path("calls.log"))]
ALLOWED = set("ts level event eventVersion tool.name tool.version origin tenant principal agent.id correlation.id causation.id call.id duration.ms queue.ms attempts status "
              "error.code error.class isRetryable cacheHit replayed bytes.in bytes.out timeout.ms retry.count rate.limit.id circuit.state cancel.reason redactions".split())
case("log: a line for each call", [] if [x["event"] for x in lines] == ["tool.succeeded", "tool.failed", "tool.failed"] and
     lines[1]["error.code"] in ("RequiredMissing", "UnknownField") and lines[1]["isRetryable"] is False else [f"{lines}"])
case("log: the documented fields and no others", [f"{set(x) - ALLOWED}" for x in lines if set(x) - ALLOWED])
case("log: nothing that a tool was given", [] if "secret" not in json.dumps(lines) else [f"{lines}"])
case("log: nobody else may read it", [] if os.stat(path("calls.log")).st_mode & 0o777 == 0o600 else [oct(os.stat(path("calls.log")).st_mode)])
case("log: a file that cannot be had", expect(call("time:now", config=put("bad.yaml", "telemetry: {logFile: /nowhere/at/all}\n")), 2, [], ["/nowhere/at/all"]))

# ---- the catalogue: servers are listed once

SERVER = put("server.py", """import json, os, sys
notes, tools = sys.argv[1], sys.argv[2]
def note(what):
    with open(notes, "a") as f: f.write(what + "\\n")
def say(m):
    sys.stdout.write(json.dumps(m) + "\\n"); sys.stdout.flush()
note("start")
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "tiny", "version": "1"}}
    elif m["method"] == "tools/list":
        note("list")
        r = {"tools": json.load(open(tools))}
    elif m["method"] == "tools/call":
        note("call " + m["params"]["name"])
        if m["params"]["name"] == "grow":
            more = json.load(open(tools)) + [{"name": "grown", "description": "New.", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}}]
            json.dump(more, open(tools, "w"))
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        r = {"content": [{"type": "text", "text": "by " + os.path.basename(notes)}]}
    else:
        say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}); continue
    say({"jsonrpc": "2.0", "id": m["id"], "result": r})
""")


def tool(name, **schema):
    return {"name": name, "description": f"Does {name}.", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object", **schema}}


def server(name, *tools):
    put(f"{name}.tools", json.dumps(tools))
    return {"command": sys.executable, "args": [SERVER, path(f"{name}.notes"), path(f"{name}.tools")]}


def notes(name):
    try:
        with open(path(f"{name}.notes")) as f:
            found = f.read().split("\n")[:-1]
        os.unlink(path(f"{name}.notes"))
        return found
    except FileNotFoundError:
        return []


one = server("one", tool("ok"), tool("grow"))
KEEP = put("keep.json", json.dumps({"mcpServers": {"one": one}, "catalog": "kept.catalog", "quarantine": "breaking"}))
case("catalogue: the first time", expect(call("one:ok", config=KEEP), 0, ["by one.notes"]) + ([] if notes("one") == ["start", "list", "call ok"] else ["it was not listed once"]))
case("catalogue: the second time", expect(call("one:ok", config=KEEP), 0, ["by one.notes"]) + ([] if notes("one") == ["start", "call ok"] else ["it was listed again"]))
case("catalogue: it can be searched", expect(run(["search", "does ok", "--catalog", path("kept.catalog")]), 0, ["one:ok"]))
case("catalogue: what it lacks is asked for", expect(call("one:other", config=KEEP), 1, [], ["ToolNotFound"]) + ([] if "list" in notes("one") else ["it was not asked"]))
put("one.tools", json.dumps([tool("ok", properties={"x": {"type": "string"}}, required=["x"]), tool("grow")]))
case("catalogue: what has not been listed again goes on", expect(call("one:ok", config=KEEP), 0, ["by one.notes"]))
run(["servers", "--refresh", "-C", KEEP])
case("catalogue: a definition that breaks callers is held back", expect(run(["catalog", "quarantine", "--catalog", path("kept.catalog")]), 0, ["one:ok"]) +
     expect(call("one:ok", config=KEEP), 0, ["by one.notes"]))
case("catalogue: until it is approved", expect(run(["catalog", "approve", "one:ok", "--catalog", path("kept.catalog")]), 0) +
     expect(call("one:ok", config=KEEP), 1, [], ["RequiredMissing"]))
notes("one")
case("catalogue: a server says that its tools have changed", expect(call("one:grow", config=KEEP), 0) + ([] if notes("one") == ["start", "call grow", "list"] else ["it was not listed"]))
case("catalogue: and the next run knows", expect(call("one:grown", config=KEEP), 0, ["by one.notes"]) + ([] if notes("one") == ["start", "call grown"] else ["it was listed"]))
put("one.tools", json.dumps([tool("grow")]))
run(["servers", "--refresh", "-C", KEEP])
case("catalogue: tools that are shown no more are gone", expect(call("one:grown", config=KEEP), 1, [], ["ToolNotFound"]))
notes("one")
put("keep.json", json.dumps({"mcpServers": {"one": dict(one, env={"X": "1"})}, "catalog": "kept.catalog"}))
call("one:grow", config=KEEP)
case("catalogue: another configuration of a server is another server", [] if "list" in notes("one") else ["it was not asked"])
put("keep.json", json.dumps({"mcpServers": {}, "catalog": "kept.catalog"}))
case("catalogue: the tools of a server that is gone are gone", expect(call("one:grow", config=KEEP), 1, [], ["ToolNotFound"]))
put("junk.catalog", "this is no catalogue")
case("catalogue: what is none", expect(call("time:now", config=put("junk.yaml", "catalog: junk.catalog\n")), 2, [], ["InvalidCatalog"]))

# ---- several backends

two = server("two", tool("same"))
three = server("three", tool("other"))
gone = {"command": "/nowhere/at/all"}
BOTH = put("both.json", json.dumps({
    "mcpServers": {"two": two, "three": three, "gone": gone},
    "tools": {"two:same": {"backends": [{"server": "gone", "tool": "x"}, {"server": "three", "tool": "other"}, {"server": "two"}]}}}))
case("backends: the first that is there", expect(call("two:same", config=BOTH), 0, ["by three.notes"]) + ([] if "call other" in notes("three") else ["another tool was called"]))
r = call("two:same", "--json", config=BOTH)
case("backends: which one it was", [] if json.loads(r.stdout)["output"]["backend"]["serverName"] == "three" else [r.stdout])
for words in ([], ["--json"], ["--watch"]):
    r = run(["servers", "tree", "-C", BOTH, *words])
    case(f"servers: one that is not there {words}", expect(r, 2, err=['there is no server "tree"; did you mean "three"?']) + (["something is shown"] if r.stdout else []))
case("servers: nothing like it, beside one that is there", expect(run(["servers", "three", "unheard-of", "-C", BOTH]), 2, err=['there is no server "unheard-of"']))
put("both.json", json.dumps({"mcpServers": {"two": two, "three": three}, "tools": {"two:same": {"backends": [{"server": "tree"}, {"server": "two"}]}}}))
case("backends: a name that nobody has", expect(call("two:same", config=BOTH), 2, [], ['no MCP server "tree"; did you mean "three"?']))
LOCAL = put("local.json", json.dumps({
    "mcpServers": {"two": two},
    "commands": [{"name": "same", "namespace": "two", "description": "Says where. Returns it.", "effect": "Pure", "inputSchema": {"type": "object"},
                  "run": {"argv": ["printf", "by a command"], "stdout": "text"}}]}))
case("backends: a command goes before a server", expect(call("two:same", config=LOCAL), 0, ["by a command"]))
put("local.json", json.dumps(dict(json.load(open(LOCAL)), tools={"two:same": {"backends": [{"server": "two"}, {"command": "two"}]}})))
case("backends: unless the configuration says otherwise", expect(call("two:same", config=LOCAL), 0, ["by two.notes"]))

# ---- a configuration that changes

WATCH = put("watch.json", json.dumps({"mcpServers": {"two": two}}))
child = subprocess.Popen([FERRULE, "servers", "--watch", "-C", WATCH], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
seen = []
reader = threading.Thread(target=lambda: [seen.append(line) for line in child.stdout], daemon=True)
reader.start()


def wait_for(*texts):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if all(any(t in line for line in seen) for t in texts):
            return []
        time.sleep(0.05)
    return [f"{texts} did not come: {seen}"]


case("watch: how they are", wait_for("two\tmcp-stdio\tup\t1"))
put("watch.json", json.dumps({"mcpServers": {"two": two, "three": three}}))
case("watch: a new server", wait_for("server three: new", "three\tmcp-stdio\tup\t1"))
starts = notes("two").count("start")
with open(WATCH, "w") as f:  # half of it
    f.write(json.dumps({"mcpServers": {"two": two}})[:40])
case("watch: half a file changes nothing", wait_for("the configuration stays as it was"))
del seen[:]
os.unlink(WATCH)
case("watch: no file changes nothing", wait_for("the configuration stays as it was"))
del seen[:]
put("watch.json", " " * (2 << 20))
case("watch: a huge file changes nothing", wait_for("the configuration stays as it was"))
del seen[:]
put("watch.json", '{"mcpServers": {"two": {"command": 7}}}')
case("watch: a wrong file changes nothing", wait_for("the configuration stays as it was"))
case("watch: and what was there has not moved", [] if "start" not in notes("two") and not any("gone" in line for line in seen) else [f"{seen}"])
del seen[:]
put("watch.json", json.dumps({"mcpServers": {"three": three}}))
case("watch: a server that is gone", wait_for("two\t-\tgone", "server two: gone"))
del seen[:]
late = os.path.join(folder.name, "late.sh")
put("watch.json", json.dumps({"mcpServers": {"three": three, "late": {"command": late}}}))
case("watch: a server that cannot be started", wait_for("late\tmcp-stdio\tBackendUnavailable"))
with open(late + ".new", "w") as f:
    f.write(f"#!/bin/sh\nexec {sys.executable} {SERVER} {path('late.notes')} {path('three.tools')}\n")
os.chmod(late + ".new", 0o755)
os.rename(late + ".new", late)
case("watch: and then can", wait_for("late\tmcp-stdio\tup\t1"))
del seen[:]
child.send_signal(signal.SIGHUP)
case("watch: SIGHUP reads it again", wait_for("nothing in it has changed"))
child.send_signal(signal.SIGINT)
case("watch: it ends when it is told to", [] if child.wait(30) == 0 else [f"exit {child.returncode}: {seen}"])

# ---- secrets that lead nowhere: whose they are, where that stands, and what is to be done

PETS = put("pets.json", json.dumps({"openapi": "3.1.0", "info": {"title": "p", "version": "1"}, "paths": {}}))
for name, text, words in [
    ("a server's variable", {"mcpServers": {"notes": {"command": "true", "env": {"T": "secretref:env:NO_SUCH_VARIABLE"}}}},
     ["the server notes: secretref:env:NO_SUCH_VARIABLE", "set the variable where ferrule is started"]),
    ("a server's file", {"mcpServers": {"notes": {"command": "true", "env": {"T": "secretref:file:./api.secret"}}}},
     ["the server notes: secretref:file:", "api.secret", "write the secret into that file", "chmod 600"]),
    ("a header", {"mcpServers": {"notes": {"url": "http://127.0.0.1:1/mcp", "headers": {"X": "secretref:file:nowhere"}}}}, ["the server notes: ", "nowhere", "write the secret"]),
    ("a file of variables", {"mcpServers": {"notes": {"command": "true", "envFile": "nowhere.env"}}}, ["the server notes: envFile", "nowhere.env"]),
    ("an API", {"apis": {"pets": {"openapi": PETS, "baseUrl": "http://127.0.0.1:1", "auth": {"type": "bearer", "token": "secretref:env:NO_SUCH_VARIABLE"}}}},
     ["the API pets: secretref:env:NO_SUCH_VARIABLE", "set the variable"]),
]:
    config = put("secrets.json", json.dumps(text))
    case(f"a secret that is not there: {name}", expect(run(["servers", "-C", config]), 1, out=["vacant", f"{config}:1:", *words]))
# A command that lacks something takes none of its namespace with it.
SAY = {"namespace": "c", "description": "Says.", "effect": "Pure", "inputSchema": {"type": "object"}}
config = put("commands.json", json.dumps({"commands": [
    dict(SAY, name="good", run={"argv": ["printf", "good"], "stdout": "text"}),
    dict(SAY, name="secret", run={"argv": ["printf", "x"], "stdout": "text", "env": {"set": {"T": "secretref:env:NO_SUCH_VARIABLE"}}}),
    dict(SAY, name="program", run={"argv": ["no-such-program-here"], "stdout": "text"})]}))
good, secret, program = (put(f"{n}.chain", json.dumps([{"toolId": f"c:{n}", "args": {}}])) for n in ("good", "secret", "program"))
case("a command without its secret: the others go on", expect(call("c:good", config=config), 0, ["good"], absent=["NO_SUCH_VARIABLE"]))
case("a command without its secret: itself", expect(call("c:secret", config=config), 1, [], ["BackendUnavailable", "not set up", f"{config}:1:", "the command c:secret", "set the variable"]))
case("a command without its program", expect(call("c:program", config=config), 1, [], ["BackendUnavailable", "not set up", "the command c:program", "no-such-program-here", "set PATH"]))
case("a command without its secret: a chain of the others", expect(run(["chain", good, "-C", config]), 0, ["good"]))
case("a command without its secret: a chain", expect(run(["chain", secret, "-C", config]), 1, [], ["BackendUnavailable", "the command c:secret"]))
case("a command without its program: a chain", expect(run(["chain", program, "-C", config]), 1, [], ["BackendUnavailable", "the command c:program"]))
case("a command without its secret: told by servers", expect(run(["servers", "-C", config]), 1, [
    "c\tcommand\tup\t3\t3 commands, 2 not set up", f"c:secret\tvacant\tBadUsage\t1\t{config}:1:", "c:program\tvacant\tBackendUnavailable\t1\t", "no-such-program-here"]))
got = json.loads(run(["servers", "--json", "-C", config]).stdout)["servers"][0]
case("a command without its secret: as JSON", [] if (got["error"], [(v["command"], v["error"]) for v in got["vacant"]]) ==
     ("BadUsage", [("c:secret", "BadUsage"), ("c:program", "BackendUnavailable")]) else [str(got)])
config = put("none.json", json.dumps({"commands": [dict(SAY, name="program", run={"argv": ["no-such-program-here"], "stdout": "text"})]}))
case("a command without its program, and no other", expect(run(["servers", "-C", config]), 1, ["c\tcommand\tdown\t1\t1 command, 1 not set up", "c:program\tvacant\t"]))
for name, wrong, words in [("a path", {"argv": ["./x"]}, ["neither an absolute path"]), ("a reference", {"argv": ["true"], "env": {"set": {"T": "secretref:x"}}}, ["secretref:env:NAME"]),
                           ("a member", {"argv": ["true"], "stdot": "text"}, ["no member 'stdot'"])]:
    config = put("wrong.json", json.dumps({"commands": [dict(SAY, name="good", run={"argv": ["printf", "good"]}), dict(SAY, name="bad", run=wrong)]}))
    r = call("c:good", config=config)
    case(f"a command that is wrong stops the start: {name}", expect(r, r.returncode or 1, [], [f"{config}:1:", *words]))
lacking = dict(two, env={"T": "secretref:file:late.secret"})
put("pets.json", json.dumps({"openapi": "3.1.0", "info": {"title": "p", "version": "1"}, "paths": {"/p": {"get": {"operationId": "getPet", "responses": {"200": {"description": "a pet"}}}}}}))
config = put("lacking.json", json.dumps({"mcpServers": {"two": lacking, "three": three}, "catalog": "lacking.catalog", "tools": {"three:other": {"backends": [{"server": "two"}, {"server": "three"}]}},
                                         "apis": {"pets": {"openapi": PETS, "baseUrl": "http://127.0.0.1:1", "auth": {"type": "bearer", "token": "secretref:file:late.secret"}}, "lost": {"openapi": "nowhere.yaml", "baseUrl": "http://127.0.0.1:1"}},
                                         "commands": [dict(SAY, name="late", run={"argv": ["true"], "env": {"set": {"T": "secretref:file:late.secret"}}})]}))
case("a secret that is not there: the others go on", expect(call("three:other", config=config), 0, ["by three.notes"]))
case("a secret that is not there: its own tools", expect(call("two:same", config=config), 1, [], ["late.secret", "chmod 600"]))
case("a secret that is not there: those of its API", expect(call("pets:getPet", config=config), 1, [], ["BackendUnavailable", "pets is not set up"]))
case("a document that is not there", expect(run(["servers", "-C", config]), 1, ["lost\tvacant\tIoError\t0", "three\tmcp-stdio\tup\t1"]))
child = subprocess.Popen([FERRULE, "servers", "--watch", "-C", config], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
del seen[:]
reader = threading.Thread(target=lambda: [seen.append(line) for line in child.stdout], daemon=True)
reader.start()
case("a secret that is not there: until it is", wait_for("two\tvacant\tIoError", "pets\tvacant", "three\tmcp-stdio\tup\t1", "c:late\tvacant\tIoError"))
put("late.secret", "s3cret\n")
os.chmod(path("late.secret"), 0o600)
child.send_signal(signal.SIGHUP)
case("a secret that is not there: and then is", wait_for("two\tmcp-stdio\tup\t1", "pets\thttp\tup\t1", "c\tcommand\tup\t1\t1 command\n"))
child.send_signal(signal.SIGINT)
child.wait(30)
config = put("secrets.json", json.dumps({"serve": {"clients": {"phone": {"token": "secretref:env:NO_SUCH_VARIABLE"}}}}))
case("a secret that is not there: a client's token", expect(run(["serve", "--listen", "0", "-C", config]), 2, err=["serve.clients: the token of phone", "set the variable"]))

config = put("hints.json", json.dumps({"mcpServers": {"notes": {"command": "true", "env": {"API_KEY": "hunter2hunter2"}}}}))
case("what is wrong, and then what to do, as two sentences", expect(run(["servers", "-C", config]), 1, err=["for all to read. Put it into a variable"]))


# ---- what serving says when it starts

def started(config, **env):
    """What it says until it serves, on both streams."""
    errors = open(path("started"), "w+")
    child = subprocess.Popen([FERRULE, "serve", "--listen", "127.0.0.1:0", "-C", config], stdout=subprocess.PIPE, stderr=errors, text=True,
                             env={**os.environ, "HOME": folder.name, "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", **env})
    guide = ""
    while "curl" not in guide and (line := child.stdout.readline()):
        guide += line
    child.terminate()
    child.wait(30)
    errors.seek(0)
    return guide, errors.read()


config = put("clients.json", json.dumps({"serve": {"clients": {"phone": {"token": "secretref:env:PHONE"}, "desk": {"token": "secretref:env:DESK"}}}}))
guide, said = started(config, PHONE="a" * 15, DESK="a" * 16, FERRULE_TOKEN="some-token-of-mine")
case("a token that can be guessed", [] if "the token of phone has 15 characters and can be guessed" in said and "token of desk" not in said else [said])
case("a token that is known: as clients fill it in", [] if '"Bearer ${FERRULE_TOKEN}"' in guide and "${env:FERRULE_TOKEN}" in guide and "some-token" not in guide else [guide])
guide, said = started(put("bare.json", "{}"), FERRULE_TOKEN="")
case("a token of its own", [] if re.search(r"^Token   fer_[\w-]{43}$", guide, re.M) and "${" not in guide else [guide])
child = subprocess.Popen([FERRULE, "serve", "--fresh-token", "--listen", "127.0.0.1:0", "-C", path("bare.json")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env={**os.environ, "HOME": folder.name, "FERRULE_TOKEN": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""})
child.stdout.readline()
line = child.stdout.readline()
child.terminate()
child.wait(30)
case("a token of this run is like others", [] if re.match(r"Token   fer_[\w-]{43}$", line) else [line])
config = put("tls.json", json.dumps({"serve": {"tls": {"cert": "nowhere.pem", "key": "nowhere.key"}}}))
case("a key that is not there is not a matter of the port", expect(run(["serve", "--listen", "127.0.0.1:0", "-C", config]), 2, err=["nowhere."], absent=["takes another port"]))

finish()
