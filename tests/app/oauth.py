#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens for servers over HTTP: ferrule auth login, status and logout, and a gateway that shows, renews and loses them. The
authorization server and the MCP server behind it are a few lines here; the official suite (tests/mcp/conformance.py) has its
own. Speaks TAP."""

import base64
import hashlib
import http.client
import http.server
import json
import os
import re
import stat
import subprocess
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from command_line import FERRULE, case, finish, run  # noqa: E402

from web_rig import TOKEN, Server, home, same, until  # noqa: E402

SECRETS = []  # that must be nowhere
lock = threading.Lock()


class World(http.server.BaseHTTPRequestHandler):
    """The MCP server at /mcp, and who gives tokens for it at /as."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms
    good, shown, asked, forms = set(), [], [], []
    life, number, revoked, registrations, down = 3600, 0, False, 0, False
    codes = {}

    def log_message(self, *_):
        pass

    def answer(self, status, value=None, **fields):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in fields.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_DELETE(self):
        self.answer(204)

    def do_GET(self):
        with lock:
            World.asked.append(self.path)
        if self.path == "/.well-known/oauth-protected-resource/mcp":
            self.answer(200, {"resource": URL, "authorization_servers": [ISSUER], "scopes_supported": ["notes"]})
        elif self.path == "/.well-known/oauth-authorization-server/as":
            self.answer(200, {"issuer": ISSUER, "authorization_endpoint": ISSUER + "/authorize", "token_endpoint": ISSUER + "/token", "registration_endpoint":
                              ISSUER + "/register", "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True,
                              "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"]})
        elif self.path == "/mcp" and self.headers.get("Authorization", "")[7:] in World.good:
            self.answer(405)
        elif self.path == "/mcp":
            self.refuse()
        else:
            self.answer(404)

    def refuse(self):
        self.answer(401, {"error": "invalid_token"}, WWW_Authenticate=f'Bearer scope="notes", resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/mcp":
            self.mcp(json.loads(body))
        elif self.path == "/as/register":
            World.registrations += 1
            self.answer(201, {"client_id": "registered", "redirect_uris": json.loads(body)["redirect_uris"]})
        elif self.path == "/as/token":
            self.token(dict(urllib.parse.parse_qsl(body.decode())))
        else:
            self.answer(404)

    def token(self, form):
        with lock:
            World.forms.append(form)
            World.number += 1
            n = World.number
        if World.down:
            self.answer(503, {})
            return
        if World.revoked and form["grant_type"] == "refresh_token":
            self.answer(400, {"error": "invalid_grant", "error_description": "revoked"})
            return
        if form["grant_type"] == "authorization_code":
            challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            if World.codes.get(form["code"]) != challenge:
                self.answer(400, {"error": "invalid_grant"})
                return
        if form["grant_type"] == "client_credentials" and self.headers.get("Authorization") != "Basic " + base64.b64encode(b"robot:canary-client-secret").decode():
            self.answer(401, {"error": "invalid_client"})
            return
        access, refresh = f"canary-access-{n}-token", f"canary-refresh-{n}-token"
        SECRETS.extend([access, refresh])
        with lock:
            World.good = {access}
        self.answer(200, dict({"access_token": access, "token_type": "Bearer", "expires_in": World.life, "scope": "notes"},
                              **({} if form["grant_type"] == "client_credentials" else {"refresh_token": refresh})))

    def mcp(self, m):
        shown = self.headers.get("Authorization", "")
        with lock:
            World.shown.append(shown)
        if shown[7:] not in World.good:
            self.refuse()
            return
        method = m.get("method")
        if "id" not in m:
            self.answer(202)
        elif method == "initialize":
            self.answer(200, {"jsonrpc": "2.0", "id": m["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1"}}})
        elif method == "tools/list":
            self.answer(200, {"jsonrpc": "2.0", "id": m["id"], "result": {"tools": [{"name": "note", "description": "Keeps a note.", "inputSchema": {"type": "object"}}]}})
        elif method == "tools/call":
            self.answer(200, {"jsonrpc": "2.0", "id": m["id"], "result": {"content": [{"type": "text", "text": "noted"}]}})
        else:
            self.answer(400, {"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}})


world = http.server.ThreadingHTTPServer(("127.0.0.1", 0), World)
world.daemon_threads = True
threading.Thread(target=world.serve_forever, daemon=True).start()
BASE = f"http://127.0.0.1:{world.server_port}"
URL, ISSUER = BASE + "/mcp", BASE + "/as"
CONFIG = os.path.join(home.name, "oauth.yaml")
STATE = os.path.join(home.name, "state")
with open(CONFIG, "w", encoding="utf-8") as file:
    file.write(f"mcpServers:\n  notes: {{url: '{URL}'}}\nstate: {STATE}\n")
own = {"HOME": home.name, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "FERRULE_TOKEN": ""}


def login(name="notes", paste=False, spoil=None, config=CONFIG):
    """Logs in as a user with a browser would; `spoil` changes what comes back."""
    child = subprocess.Popen([FERRULE, "auth", "login", name, "--config", config], env=dict(os.environ, **own), text=True, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    url = child.stdout.readline().strip()
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    if url:
        code = f"canary-code-{len(World.codes)}"
        SECRETS.append(code)
        World.codes[code] = asked.get("code_challenge")
        back = dict({"code": code, "state": asked.get("state", ""), "iss": ISSUER}, **(spoil or {}))
        target = asked["redirect_uri"] + "?" + urllib.parse.urlencode({k: v for k, v in back.items() if v is not None})
        if paste:
            child.stdin.write("nothing\n" + target + "\n")
            child.stdin.flush()
        else:
            parts = urllib.parse.urlsplit(target)
            c = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
            c.request("GET", parts.path + "?" + parts.query)
            c.getresponse().read()
            c.close()
    out, err = child.communicate(timeout=60)
    return child.returncode, asked, out + err


def status():
    out = run(["auth", "status", "--config", CONFIG, "--json"], env=own).stdout.decode()
    return json.loads(out)["servers"][0]["state"]


# ---- a gateway that has no token

same("status without a token", status(), "no token")
servers = run(["servers", "--config", CONFIG], env=own)
same("it is said what to run", "ferrule auth login notes" in (servers.stdout + servers.stderr).decode(), True)
s = Server(config=CONFIG)


def call(n=1):
    status_, _, text = s.modern("tools/call", {"name": "run_tool", "arguments": {"id": "notes:note", "args": {}}})
    result = json.loads(text).get("result", {})
    return "noted" in text, result.get("_meta", {}).get("ferrule/error", {}).get("code"), text


def known():
    return "notes:note" in s.modern("tools/call", {"name": "list_tools", "arguments": {"namespace": "notes"}})[2]


# ---- logging in

code, asked, said = login()
same("logging in", (code, "kept sealed" in said), (0, True))
same("what is asked for", (asked["response_type"], asked["code_challenge_method"], asked["resource"], asked["scope"], asked["client_id"], asked["redirect_uri"][:17]),
     ("code", "S256", URL, "notes", "registered", "http://127.0.0.1:"))
same("the code is exchanged for the same resource", (World.forms[-1]["grant_type"], World.forms[-1]["resource"], World.forms[-1]["redirect_uri"]),
     ("authorization_code", URL, asked["redirect_uri"]))
same("status with a token", status(), "good")
vault = os.path.join(STATE, "auth")
files = [os.path.join(vault, x) for x in os.listdir(vault)]
same("what is kept is for its owner alone", {stat.S_IMODE(os.stat(x).st_mode) for x in files}, {0o600})
same("a folder that is, too", stat.S_IMODE(os.stat(vault).st_mode), 0o700)
same("a gateway that runs takes the token", until(lambda: (s.child.send_signal(1), known())[1], 30), True)
same("and shows it", call()[0], True)
for name, spoil in [("another state", {"state": "x"}), ("no state", {"state": None}), ("another issuer", {"iss": "https://evil.example"}), ("no issuer", {"iss": None}),
                    ("an issuer with a slash", {"iss": ISSUER + "/"}), ("an error", {"error": "access_denied"}), ("no code", {"code": None})]:
    before = len(World.forms)
    code, _, said = login(spoil=spoil)
    same(f"coming back with {name}", (code != 0, len(World.forms) - before), (True, 0))
same("none of which costs the token", call()[0], True)
code, _, said = login(paste=True)
same("a URL that is pasted", (code, "no URL with an answer" in said), (0, True))
same("is as good", call()[0], True)
for name, server, words in [("a server that is not there", "nobody", "no server nobody"), ("none", None, "which server")]:
    got = run(["auth", "login", *([server] if server else []), "--config", CONFIG], env=own)
    same(f"logging in to {name}", (got.returncode, words in got.stderr.decode()), (2, True))

# ---- renewing

World.life = 20  # refreshed two seconds before its end
login()
same("a token with a short life", call()[0], True)
World.good = set()  # the server forgets it: refused, refreshed, asked again
before = len(World.forms)
answers = []
threads = [threading.Thread(target=lambda: answers.append(call()[0])) for _ in range(20)]
for t in threads:
    t.start()
for t in threads:
    t.join(60)
same("a refused token is renewed by all that wait, once", (answers, [f["grant_type"] for f in World.forms[before:]]), ([True] * 20, ["refresh_token"]))
same("with what it was given last", (World.forms[-1]["resource"], World.forms[-1]["client_id"]), (URL, "registered"))
World.life = 2
login()
same("a token that ends soon", call()[0], True)
time.sleep(2.2)
before, refusals = len(World.forms), len(World.shown)
same("is renewed before it is shown", (call()[0], World.forms[-1]["grant_type"], "" in World.shown[refusals:]), (True, "refresh_token", False))

# ---- losing it

World.life, World.revoked, World.good = 3600, True, set()
before, tried = len(World.forms), len(World.shown)
answers = [call() for _ in range(10)]
same("a token that was taken back", {a[0] for a in answers}, {False})
same("is one error that says what to run", ("ferrule auth login notes" in answers[-1][2], {a[1] for a in answers}), (True, {"Unauthenticated"}))
same("and no loop", (len(World.forms) - before <= 2, len(World.shown) - tried <= 12), (True, True))
World.revoked = False
same("until somebody logs in", (login()[0], until(lambda: call()[0], 60)), (0, True))
same("our own token goes nowhere", [x for x in World.shown if TOKEN in x], [])
code = run(["auth", "logout", "notes", "--config", CONFIG], env=own).returncode
same("logging out", (code, status()), (0, "no token"))
World.good = set()
same("is seen by a gateway that runs", until(lambda: call()[0] is False), True)
same("it ends", s.end(), 0)

# ---- a machine

robot = CONFIG + ".robot"
SECRETS.append("canary-client-secret")
with open(robot, "w", encoding="utf-8") as file:
    file.write(f"mcpServers:\n  notes: {{url: '{URL}', oauth: {{grant: client_credentials, clientId: robot, clientSecret: 'secretref:env:ROBOT', issuer: '{ISSUER}'}}}}\nstate: {STATE}2\n")
World.life = 2
s = Server(config=robot, env={"FERRULE_TOKEN": TOKEN, "ROBOT": "canary-client-secret"})
same("a machine gets its own token", until(lambda: known() and call()[0], 30), True)
same("by its credentials", ({f["grant_type"] for f in World.forms[-1:]}, World.forms[-1]["resource"]), ({"client_credentials"}, URL))
time.sleep(2.2)
same("and the next", call()[0], True)
World.down, World.good = True, set()
time.sleep(2.2)
before = len(World.forms)
same("an authorization server that is away", {call()[0] for _ in range(5)}, {False})
same("is not asked again and again", len(World.forms) - before <= 2, True)
World.down = False
same("with a machine it ends", s.end(), 0)
bad = CONFIG + ".bad"
for name, text, words in [("a machine without credentials", "{grant: client_credentials, clientId: x}", "clientSecret"), ("a secret as it is", "{clientId: x, clientSecret: abc}", "clientSecret"),
                          ("a document about us that is no URL", "{clientMetadataUrl: nowhere}", "URL")]:
    with open(bad, "w", encoding="utf-8") as file:
        file.write(f"mcpServers: {{notes: {{url: '{URL}', oauth: {text}}}}}\n")
    got = run(["config", "check", bad], env=own)
    same(f"a configuration with {name}", (got.returncode != 0, words in (got.stdout + got.stderr).decode()), (True, True))

# ---- where secrets are

found = []
for folder, _, names in os.walk(home.name):
    for name in names:
        data = open(os.path.join(folder, name), "rb").read()
        found += [f"{name} has {x}" for x in SECRETS if x.encode() in data or base64.b64encode(x.encode())[:-4] in data]
case("no file has a token, a code or a secret", found[:5])
logs = s.child.stderr.read() + s.child.stdout.read()
case("no log has one", [x for x in SECRETS if x in logs])
same("what is kept for one server does not open for another", re.search("canary", run(["auth", "status", "--config", CONFIG], env=own).stdout.decode()), None)
finish()
