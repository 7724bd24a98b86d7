#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule doctor: each check on a set-up where it holds and on one where it does not; what --fix mends. Speaks TAP."""

import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import SOURCE, expect, finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
BACKEND = os.path.join(SOURCE, "tests", "serve", "logged.py")
# What looks like a gateway from outside, of nobody.
OTHERS = """
import os, socket
os.setuid(65534)
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
while True:
    c = s.accept()[0]
    c.recv(4096)
    c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\nConnection: close\\r\\n\\r\\nok\\n")
    c.close()
"""
rows = 0
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    FREE = probe.getsockname()[1]


def site(config=None, files=None):
    """A home of its own."""
    global rows
    rows += 1
    home = os.path.join(folder.name, f"home{rows}")
    os.makedirs(home)
    for name, (text, mode) in (files or {}).items():
        path = os.path.join(home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
    if config is not None:
        with open(os.path.join(home, "ferrule.yaml"), "w", encoding="utf-8") as f:
            f.write(config if isinstance(config, str) else json.dumps(dict({"serve": {"listen": str(FREE)}}, **config)))
    return home


def ask(home, *words):
    r = run(["doctor", "--json", *words], cwd=home, env={"HOME": home, "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""})
    try:
        return r.returncode, json.loads(r.stdout)["checks"], r
    except ValueError:
        return r.returncode, [], r


def row(name, home, check, state, words, *options, code=None):
    """One result of a check must be of this state and say this."""
    rc, checks, r = ask(home, *options)
    found = [c for c in checks if c["check"] == check and c["state"] == state and all(w in c["subject"] + " " + c["message"] + " " + c["hint"] for w in words)]
    want = code if code is not None else (1 if state == "wrong" else 0)
    problems = [] if found else [f"{c['check']} {c['state']}: {c['subject']}: {c['message']} ({c['hint']})" for c in checks if c["check"] == check] or [str(r)]
    problems += [] if rc == want else [f"exit {rc}, not {want}"]
    problems += [f"{c['check']} is wrong without a hint: {c['message']}" for c in checks if c["state"] == "wrong" and not c["hint"] and c["check"] != "config"]
    case(name, problems)


server = {"command": sys.executable, "args": [BACKEND, os.path.join(folder.name, "log"), "a"]}
good = site({"mcpServers": {"a": server}, "state": "state", "catalog": "tools.catalog"})
row("a set-up in order", good, "config", "ok", ["1 server, "])
row("its server answers", good, "servers", "ok", ["1 tool; ", "2025-11-25", "a 1", "0 errors"])
row("its program", good, "programs", "ok", [sys.executable])
row("--offline starts nothing", good, "servers", "skipped", ["--offline"], "--offline")
row("a port that is free", good, "port", "ok", [str(FREE), "free"])
row("the clock", good, "time", "ok", ["Z"])
row("layers of sandboxes", good, "sandbox", "ok", ["layers: ", "seccomp"])
row("a runtime", site({"code": {"runtimes": {"s": {"kind": "process", "command": ["sh"]}}}}), "runtimes", "ok", ["s", "process: program /usr/bin/sh"], "--offline")
row("a runtime that lacks its program", site({"code": {"runtimes": {"s": {"kind": "wasm", "command": ["no-such-engine"]}}}}), "runtimes", "warning", ["s", "no-such-engine"], "--offline")
row("a runtime that lacks its API", site({"code": {"runtimes": {"s": {"kind": "container", "image": "a", "command": ["sh"], "socket": "/nowhere"}}}}), "runtimes", "warning", ["s", "/nowhere"], "--offline")
row("no runtimes", good, "runtimes", "skipped", ["beside js"], "--offline")
row("no configuration", site(), "config", "skipped", ["ferrule init"])
row("a configuration that cannot be read", site("mcpServers: ["), "config", "wrong", ["ferrule.yaml"])
row("one with an error", site("defalts: {}\n"), "config", "wrong", ["line 1", "defaults"])
row("one that is not there", site(), "config", "wrong", ["nothing.yaml"], "--config", "nothing.yaml")
row("a program that is not there", site({"mcpServers": {"x": {"command": "no-such-program"}}}), "programs", "wrong", ["x", "no-such-program"], "--offline")
command = {"namespace": "n", "name": "x", "description": "d", "inputSchema": {"type": "object"}, "run": {"argv": ["no-such-program"]}}
row("a program of a command that is not there", site({"commands": [command]}), "programs", "wrong", ["n:x", "no-such-program", "whole path"], "--offline")
row("one that is", site({"commands": [dict(command, run={"argv": ["sh"]})]}), "programs", "ok", ["that of 1 command is there"], "--offline")
row("a command that no start takes", site({"commands": [dict(command, run={"argv": ["sh"], "stdout": "jsn"})]}), "config", "wrong", ["line 1", "stdout is json, text or lines"], "--offline")
row("a secret of a command", site({"commands": [dict(command, run={"argv": ["sh"], "env": {"set": {"T": "secretref:env:NO_SUCH_VARIABLE"}}})]}), "secrets", "wrong", ["n:x", "NO_SUCH_VARIABLE"], "--offline")
row("one token of two clients", site({"serve": {"listen": str(FREE), "clients": {"a": {"token": "secretref:env:NO_SUCH"}, "b": {"token": "secretref:env:NO_SUCH"}}}}), "config", "wrong", ['the client "b" has the same token as "a"'], "--offline")
row("npx without Node", site({"mcpServers": {"x": {"command": "npx", "env": {"PATH": "/nowhere"}}}}), "programs", "wrong", ["Node.js"], "--offline")
row("a server that ends", site({"mcpServers": {"x": {"command": "false"}}}), "servers", "wrong", ["x", "by hand"])
bad_tools = dict(server, args=[os.path.join(SOURCE, "tests", "app", "data", "bad_tools.py")])
row("a server whose tools break rules", site({"mcpServers": {"x": bad_tools}}), "servers", "warning", ["ferrule inspect"])
row("a URL where nobody is", site({"mcpServers": {"x": {"url": f"http://127.0.0.1:{FREE}/mcp"}}}), "servers", "wrong", ["x"])
row("a secret over plain HTTP", site({"mcpServers": {"x": {"url": "http://mcp.example.com/mcp", "headers": {"Authorization": "Bearer secretref:env:HOME"}}}}), "programs", "warning",
    ["https://"], "--offline")
row("a variable that is not set", site({"mcpServers": {"x": dict(server, env={"T": "secretref:env:NO_SUCH_VARIABLE"})}}), "secrets", "wrong", ["NO_SUCH_VARIABLE"], "--offline")
TOOL = {"namespace": "n", "name": "x", "description": "Gives nothing.", "inputSchema": {"type": "object"}}
row("a command's variable that is not set", site({"commands": [dict(TOOL, run={"argv": ["true"], "env": {"set": {"T": "secretref:env:NO_SUCH_VARIABLE"}}})]}), "secrets", "wrong",
    ["n:x", "T: ", "NO_SUCH_VARIABLE", "Set the variable"], "--offline")
row("a command's program that is not there", site({"commands": [dict(TOOL, run={"argv": ["no-such-program"]})]}), "programs", "wrong", ["n:x", "no-such-program", "reload"], "--offline")
row("one that is named by its path", site({"commands": [dict(TOOL, run={"argv": ["/nowhere/x"]})]}), "programs", "wrong", ["n:x", "/nowhere/x"], "--offline")
row("a command that is wrong", site({"commands": [dict(TOOL, run={"argv": ["true"], "stdin": 7})]}), "config", "wrong", ["line 1", "stdin is a text"], "--offline")
row("commands in order", site({"commands": [dict(TOOL, run={"argv": ["true"], "env": {"set": {"T": "secretref:env:HOME"}}})]}), "programs", "ok", ["1 command"], "--offline")
row("what a command lacks does not keep servers from being asked", site({"mcpServers": {"a": server}, "commands": [dict(TOOL, run={"argv": ["no-such-program"]})]}), "servers", "ok", ["1 tool"], code=1)
row("a file that is not there", site({"mcpServers": {"x": dict(server, env={"T": "secretref:file:nowhere"})}}), "secrets", "wrong", ["nowhere", "Write the secret into that file"], "--offline")
leaky = site({"mcpServers": {"x": dict(server, env={"T": "secretref:file:secret"})}}, {"secret": ("s3cret\n", 0o644)})
row("a secret that everybody may read", leaky, "secrets", "wrong", ["chmod 600"], "--offline")
row("--fix takes that away", leaky, "secrets", "ok", ["mode is 600"], "--offline", "--fix")
same("and it is so", oct(os.stat(os.path.join(leaky, "secret")).st_mode & 0o777), "0o600")
row("a second look", leaky, "secrets", "ok", ["1 reference leads"], "--offline")
case("no secret is shown", [] if "s3cret" not in ask(leaky)[2].stdout.decode() else ["it is"])
tokens = site({}, {".config/ferrule/tokens.json": ('{"format": "ferrule-tokens-1", "tokens": []}', 0o644)})
row("tokens that others may read", tokens, "tokens", "wrong", ["nobody is let in", "chmod 600"], "--offline")
row("--fix mends those", tokens, "tokens", "ok", ["mode is 600"], "--offline", "--fix")
row("a damaged file of tokens", site({}, {".config/ferrule/tokens.json": ("{", 0o600)}), "tokens", "wrong", ["nobody is let in"], "--offline")
row("no tokens yet", site({}), "tokens", "skipped", ["no tokens yet"], "--offline")
row("state that is a file", site({"state": "x"}, {"x": ("", 0o600)}), "state", "wrong", ["no folder"], "--offline")
row("state that is not there yet", site({"state": "x"}), "state", "skipped", ["first start"], "--offline")
row("a catalogue of another version", site({"catalog": "c"}, {"c": ("FERRULE\x1a" + "x" * 300, 0o600)}), "catalog", "wrong", ["keeps it beside"], "--offline")
row("a catalogue that is damaged", site({"catalog": "c"}, {"c": ("nonsense", 0o600)}), "catalog", "wrong", ["Remove it"], "--offline")
wide = site({"state": "s"}, {"s/keep": ("", 0o600)})
os.chmod(os.path.join(wide, "s"), 0o755)
row("state that others may look into", wide, "state", "warning", ["chmod 700"], "--offline")
row("--fix mends that, too", wide, "state", "ok", ["mode is 700"], "--offline", "--fix")
taken = socket.socket()
taken.bind(("127.0.0.1", 0))
taken.listen()
row("a port that another has", site({"serve": {"listen": str(taken.getsockname()[1])}}), "port", "wrong", ["--listen"], "--offline")
taken.close()
# Somebody else's gateway, as far as can be seen from here.
if os.getuid() == 0:
    theirs = subprocess.Popen([sys.executable, "-c", OTHERS], stdout=subprocess.PIPE, text=True)
    row("a port that a gateway of another user has", site({"serve": {"listen": theirs.stdout.readline().strip()}}), "port", "warning", ["a gateway of the user ", "(65534)", "--listen 0"], "--offline")
    theirs.kill()
    theirs.wait()
# A gateway that runs, with a ledger: both are seen.
running = site({"state": "state", "commands": [{"namespace": "n", "name": "one", "description": "Gives one.", "effect": "IdempotentWrite", "inputSchema": {"type": "object"},
                                                "run": {"argv": ["true"], "stdout": "text"}}]})
s = Server("--mode", "tools", config=os.path.join(running, "ferrule.yaml"), env={"FERRULE_TOKEN": TOKEN, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""}, folder=running, listen=str(FREE))
s.modern("tools/call", {"name": "one", "arguments": {}})
row("a gateway that runs", running, "port", "ok", ["a gateway listens there, with this configuration"])
beside = os.path.join(running, "other.yaml")
with open(beside, "w", encoding="utf-8") as f:
    json.dump({"serve": {"listen": str(FREE)}}, f)
row("one of another configuration", running, "port", "warning", ["a gateway of yours with another configuration listens there", "--listen 0", "`listen:`"], "--offline", "--config", beside)
row("one that is found by the port alone", site({}), "port", "warning", ["a gateway listens there, and it is not known", "--listen 0"], "--offline")
row("with its section serve as it is", running, "serve", "ok", ["as it is"], "--offline")
file = os.path.join(running, "ferrule.yaml")
with open(file, encoding="utf-8") as f:
    before = f.read()
with open(file, "w", encoding="utf-8") as f:
    json.dump(dict(json.loads(before), serve={"listen": str(FREE), "mode": "tools"}), f)
row("with another one", running, "serve", "warning", ["has changed since", "next start", "restart"], "--offline")
s.child.send_signal(signal.SIGHUP)
until(lambda: json.loads(s.ask("GET", "/admin/v1/state")[2])["reloads"] == 1)
row("a reload does not change that", running, "serve", "warning", ["not by a reload"], "--offline")
with open(file, "w", encoding="utf-8") as f:
    json.dump(dict(json.loads(before), defaults={"deadlineMs": 1000}), f)
row("another part of the file", running, "serve", "ok", ["as it is"], "--offline")
with open(file, "w", encoding="utf-8") as f:
    f.write(before)
row("another configuration", site({}), "serve", "skipped", ["no gateway"], "--offline")
row("its ledger, while it is written", running, "state", "ok", ["no flaws"])
s.end()
ledger = os.path.join(running, "state", "ledger")
segment = next(os.path.join(d, f) for d, _, fs in os.walk(ledger) for f in sorted(fs) if f.endswith(".jsonl") and "head" not in f)
with open(segment, "r+b") as f:
    data = f.read()
    at = data.index(b'"n:one')
    f.seek(at)
    f.write(b'"n:two')
row("a ledger that was changed", running, "state", "wrong", ["ferrule ledger verify"])
# Keys of issuers: of a file, and of a URL.
KEYS = {"a": '{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
        "shared": '{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}', "page": "<html>"}


class Keys(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = KEYS.get(self.path[1:])
        body = (text or "no").encode()
        self.send_response(200 if text else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys)
threading.Thread(target=web.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{web.server_port}/"


def issuers(jwks, **more):
    return site({"serve": {"listen": str(FREE), "resource": "https://gateway.example/mcp",
                           "issuers": {"corp": dict({"issuer": "https://login.example", "jwks": jwks, "tenant": "t", "scopes": {"all": ["*"]}}, **more)}}},
                {name + ".json": (text, 0o644) for name, text in KEYS.items()})


row("no issuers", good, "issuers", "skipped", ["no issuer"], "--offline")
row("keys of a file", issuers("a.json"), "issuers", "ok", ["corp", "1 key, for EdDSA"], "--offline")
row("a file that is not there", issuers("nothing.json"), "issuers", "wrong", ["corp", "does not start", "nothing.json", "jwks_uri"], "--offline")
row("a file without keys of ours", issuers("shared.json"), "issuers", "wrong", ["no key to check signatures with", "JWKS"], "--offline")
row("a file that is none", issuers("page.json"), "issuers", "wrong", ["no JSON", "JWKS"], "--offline")
row("keys for other algorithms", issuers("a.json", algorithms=["RS256"]), "issuers", "wrong", ["nobody is let in", "EdDSA", "serve.issuers.corp.algorithms"], "--offline")
row("keys of a URL", issuers(URL + "a"), "issuers", "ok", ["1 key, for EdDSA"])
row("which are not asked for", issuers(URL + "a"), "issuers", "skipped", ["--offline"], "--offline")
row("a URL without keys", issuers(URL + "other"), "issuers", "wrong", ["nobody is let in", "404", "jwks_uri"])
row("a URL of a page", issuers(URL + "page"), "issuers", "wrong", ["no JSON", "JWKS"])
row("a URL where nobody is any more", issuers(f"http://127.0.0.1:{FREE}/keys"), "issuers", "wrong", ["nobody is let in", "curl"])
web.shutdown()
client = site(None, {".cursor/mcp.json": (json.dumps({"mcpServers": {"ferrule": {"command": "/nowhere/ferrule", "args": ["serve", "--stdio"]}}}), 0o644)})
row("a client that points at nothing", client, "clients", "wrong", ["Cursor", "ferrule install"], "--offline")
link = {"type": "http", "url": f"http://localhost:{FREE}/mcp"}
for title, servers in [("by its name", {"ferrule": dict(link, url="https://gateway.example/mcp")}), ("by its place", {"mine": link})]:
    row(f"a client that points here {title}", site({}, {".config/Code/User/mcp.json": (json.dumps({"servers": servers}), 0o644)}), "clients", "ok", ["VS Code points to http"], "--offline")
row("a client that points elsewhere", site({}, {".config/Code/User/mcp.json": (json.dumps({"servers": {"mine": dict(link, url="http://localhost:1/mcp")}}), 0o644)}), "clients", "skipped", ["VS Code has 1 server, and not this one"], "--offline")
row("a client that has other servers", site(None, {".cursor/mcp.json": (json.dumps({"mcpServers": {"a": server}}), 0o644)}), "clients", "skipped", ["ferrule install cursor"], "--offline")
r = run(["doctor", "--offline"], cwd=good, env={"HOME": good, "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""})
case("for people", expect(r, 0, out=["ok       config", "nothing is wrong"]))
case("arguments", expect(run(["doctor", "x"]), 2, err=["no arguments"]))
finish()
