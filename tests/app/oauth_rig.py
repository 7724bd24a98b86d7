# SPDX-License-Identifier: Apache-2.0
"""An authorization server, an MCP server and an HTTP API behind it, for the tests of tokens for servers. Who logs in has a name, each
token belongs to one, and both servers say whose they were shown. Everything that must be nowhere is in SECRETS."""

import base64
import hashlib
import http.client
import http.server
import json
import os
import subprocess
import sys
import threading
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from command_line import FERRULE  # noqa: E402

from web_rig import home  # noqa: E402

SECRETS = []  # that must be nowhere
CLIENT = "Basic " + base64.b64encode(b"robot:canary-client-secret").decode()
lock = threading.Lock()
OBJECT = {"type": "object"}
NOTE = {"name": "note", "description": "Keeps a note.", "inputSchema": OBJECT}
WHOAMI = {"name": "whoami", "description": "Says whose token it was shown.", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True, "openWorldHint": False}}


class World(http.server.BaseHTTPRequestHandler):
    """The MCP server at /mcp, the API at /api, and who gives tokens for them at /as."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms
    good = {}  # token -> whose it is
    shown, asked, forms, revoked_forms, wrote, mixed = [], [], [], [], [], []
    life, number, revoked, registrations, down, slow = 3600, 0, False, 0, False, 0
    revocation, refuses, held = True, False, None
    codes, refreshes, sessions = {}, {}, {}
    levels, greedy, more, listed, tell = [], False, {}, [], set()
    tools, tooled, called, tell_tools, mute = {}, [], [], set(), set()  # of each user: its tools; who listed them, called one, is told of a change, is not answered

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

    def stream(self, *messages):
        body = "".join(f"data: {json.dumps(m)}\n\n" for m in messages).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def user(self):
        return World.good.get(self.headers.get("Authorization", "")[7:])

    def do_DELETE(self):
        self.answer(204)

    def do_GET(self):
        with lock:
            World.asked.append(self.path)
        if World.held and World.held in self.path:
            World.gate.wait(30)
        if self.path == "/.well-known/oauth-protected-resource/mcp":
            self.answer(200, {"resource": URL, "authorization_servers": [ISSUER], "scopes_supported": ["notes"]})
        elif self.path == "/.well-known/oauth-authorization-server/as":
            self.answer(200, dict({"issuer": ISSUER, "authorization_endpoint": ISSUER + "/authorize", "token_endpoint": ISSUER + "/token", "registration_endpoint":
                                   ISSUER + "/register", "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True,
                                   "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"]},
                                  **({"revocation_endpoint": ISSUER + "/revoke"} if World.revocation else {})))
        elif self.path.startswith("/api/"):
            self.api()
        elif self.path == "/mcp" and self.user():
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
        elif self.path.startswith("/api/"):
            self.api()
        elif self.path == "/as/register":
            World.registrations += 1
            self.answer(201, {"client_id": "registered", "redirect_uris": json.loads(body)["redirect_uris"]})
        elif self.path == "/as/token":
            self.token(dict(urllib.parse.parse_qsl(body.decode())))
        elif self.path == "/as/revoke":
            with lock:
                form = dict(urllib.parse.parse_qsl(body.decode()))
                World.revoked_forms.append(form)
                World.good.pop(form.get("token"), None)
                World.refreshes.pop(form.get("token"), None)
            self.answer(503 if World.down else 200, {})
        else:
            self.answer(404)

    def token(self, form):
        with lock:
            World.forms.append(form)
            World.number += 1
            n = World.number
        if World.slow:
            World.gate.wait(World.slow)
        if World.down:
            self.answer(503, {})
            return
        grant, who = form["grant_type"], "robot"
        if grant == "refresh_token":
            who = World.refreshes.get(form["refresh_token"])
            if World.revoked or who is None:
                self.answer(400, {"error": "invalid_grant", "error_description": "revoked"})
                return
        if grant == "authorization_code":
            challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            wanted, who = World.codes.get(form["code"], (None, None))
            if wanted != challenge:
                self.answer(400, {"error": "invalid_grant"})
                return
        if grant == "client_credentials" and self.headers.get("Authorization") != CLIENT:
            self.answer(401, {"error": "invalid_client"})
            return
        access, refresh = f"canary-access-{n}-{who}-token", f"canary-refresh-{n}-{who}-token"
        SECRETS.extend([access, refresh])
        with lock:
            World.good = {**{t: u for t, u in World.good.items() if u != who}, access: who}
            if World.rotates and grant == "refresh_token":
                World.refreshes.pop(form["refresh_token"], None)
            World.refreshes[refresh] = who
        self.answer(200, dict({"access_token": access, "token_type": "Bearer", "expires_in": World.life, "scope": "notes"},
                              **({} if grant == "client_credentials" else {"refresh_token": refresh})))

    rotates, gate, wants = False, threading.Event(), 0

    def api(self):
        who = self.user()
        with lock:
            World.shown.append(self.headers.get("Authorization", ""))
        if not who or World.refuses:
            self.answer(401, {"error": "no token"}, WWW_Authenticate="Bearer")
            return
        if self.path == "/api/note":
            World.wrote.append(who)
        self.answer(200, {"user": who})

    def mcp(self, m):
        shown, who = self.headers.get("Authorization", ""), self.user()
        with lock:
            World.shown.append(shown)
        if not who:
            self.refuse()
            return
        method, session = m.get("method"), self.headers.get("Mcp-Session-Id")
        if session and World.sessions.get(session) != who:
            World.mixed.append((session, who))
        text = [{"type": "text", "text": f"noted for {who}"}]
        results = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {"listChanged": True}, "prompts": {"listChanged": True}, "logging": {}}, "serverInfo": {"name": "notes", "version": "1"}},
            "tools/list": {"tools": World.tools.get(who, [NOTE, WHOAMI, {"name": f"of_{who}", "description": f"Is shown to {who} alone.", "inputSchema": OBJECT}])},
            "tools/call": {"content": text, "structuredContent": {"user": who}},
            "resources/list": {"resources": [{"uri": "notes://mine", "name": "mine"}] + [{"uri": f"notes://{who}{x}", "name": who} for x in World.more.get(who, [""])]},
            "resources/templates/list": {"resourceTemplates": []},
            "resources/read": {"contents": [{"uri": "notes://mine", "text": f"read by {who}"}]},
            "prompts/list": {"prompts": [{"name": "hello"}, {"name": f"hello_{who}"}]},
            "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": f"asked by {who}"}}]},
        }
        if method in ("resources/list", "prompts/list"):
            World.listed.append((who, method))
        if method == "tools/list":
            World.tooled.append(who)
            if who in World.mute:
                World.gate.wait(30)
        if method == "tools/call":
            World.called.append((who, m["params"]["name"]))
        if method == "logging/setLevel":
            World.levels.append((who, m["params"]["level"]))
            results[method] = {}
        if World.greedy and method == "tools/call":  # another scope each time
            World.wants += 1
            self.answer(403, {}, WWW_Authenticate=f'Bearer error="insufficient_scope", scope="s{World.wants}"')
        elif method == "tools/call" and who in World.tell:  # and what it has has changed
            World.tell.discard(who)
            self.stream({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}, {"jsonrpc": "2.0", "id": m["id"], "result": results[method]})
        elif method == "tools/call" and who in World.tell_tools:
            World.tell_tools.discard(who)
            self.stream({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, {"jsonrpc": "2.0", "id": m["id"], "result": results[method]})
        elif "id" not in m:
            self.answer(202)
        elif method in results:
            fields = {}
            if method == "initialize":
                fields["Mcp-Session-Id"] = f"session-{len(World.sessions)}"
                World.sessions[fields["Mcp-Session-Id"]] = who
            self.answer(200, {"jsonrpc": "2.0", "id": m["id"], "result": results[method]}, **fields)
        else:
            self.answer(400, {"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}})


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # whoever asked was killed


world = Quiet(("127.0.0.1", 0), World)
world.daemon_threads = True
threading.Thread(target=world.serve_forever, daemon=True).start()
BASE = f"http://127.0.0.1:{world.server_port}"
URL, ISSUER, API = BASE + "/mcp", BASE + "/as", BASE + "/api"
CONFIG = os.path.join(home.name, "oauth.yaml")
STATE = os.path.join(home.name, "state")
own = {"HOME": home.name, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "FERRULE_TOKEN": ""}


def login(name="notes", *words, paste=False, spoil=None, config=CONFIG, user="op"):
    """Logs in as a user with a browser would; `spoil` changes what comes back."""
    child = subprocess.Popen([FERRULE, "auth", "login", name, *words, "--config", config], env=dict(os.environ, **own), text=True, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    url = child.stdout.readline().strip()
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    if url:
        code = f"canary-code-{len(World.codes)}"
        SECRETS.append(code)
        World.codes[code] = (asked.get("code_challenge"), user)
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


def secrets_below(folder):
    """Files that have something that must be nowhere."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            if not os.path.isfile(os.path.join(place, name)):
                continue  # a socket
            with open(os.path.join(place, name), "rb") as file:
                data = file.read()
            found += [f"{name} has {x}" for x in SECRETS if x.encode() in data or base64.b64encode(x.encode())[:-4] in data]
    return found
