#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens for servers over HTTP: ferrule auth login, status and logout, and a gateway that shows, renews and loses them. The
authorization server and the MCP server behind it are those of oauth_rig.py; the official suite (tests/mcp/conformance.py) has its
own. Speaks TAP."""

import json
import os
import re
import stat
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from command_line import case, finish, run  # noqa: E402

from oauth_rig import CONFIG, ISSUER, SECRETS, STATE, URL, World, login, own, secrets_below  # noqa: E402
from web_rig import TOKEN, Server, home, same, until  # noqa: E402

with open(CONFIG, "w", encoding="utf-8") as file:
    file.write(f"mcpServers:\n  notes: {{url: '{URL}'}}\nstate: {STATE}\n")


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
World.good = {}  # the server forgets it: refused, refreshed, asked again
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

World.life, World.revoked, World.good = 3600, True, {}
before, tried = len(World.forms), len(World.shown)
answers = [call() for _ in range(10)]
same("a token that was taken back", {a[0] for a in answers}, {False})
same("is one error that says what to run", ("ferrule auth login notes" in answers[-1][2], {a[1] for a in answers}), (True, {"Unauthenticated"}))
same("and no loop", (len(World.forms) - before <= 2, len(World.shown) - tried <= 12), (True, True))
World.revoked = False
same("until somebody logs in", (login()[0], until(lambda: call()[0], 60)), (0, True))
same("our own token goes nowhere", [x for x in World.shown if TOKEN in x], [])


def logout():
    before = len(World.revoked_forms)
    got = run(["auth", "logout", "notes", "--config", CONFIG], env=own)
    return got.returncode, status(), got.stderr.decode(), [f["token_type_hint"] for f in World.revoked_forms[before:]]


code, state, said, forms = logout()
same("logging out revokes both tokens", (code, state, "is revoked" in said, forms), (0, "no token", True, ["refresh_token", "access_token"]))
same("whose they were is shown there", World.revoked_forms[-1].get("client_id"), "registered")
same("logging out again has nothing to revoke", (logout()[0], logout()[3]), (0, []))
World.good = {}
same("is seen by a gateway that runs", until(lambda: call()[0] is False), True)
same("it ends", s.end(), 0)
for name, revocation, down, said in [("has no place for it", False, False, "no place where tokens are revoked"), ("is away", True, True, "answers 503")]:
    login()
    World.revocation, World.down = revocation, down
    code, state, text, forms = logout()
    same(f"an authorization server that {name}", (code, state, said in text, "is not revoked" in text), (0, "no token", True, True))
    World.revocation, World.down = True, False

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
World.life = 3600
time.sleep(2.2)
same("one that lasts", call()[0], True)
World.greedy = True
before, wanted = len(World.forms), World.wants
code = call()[1]
scopes = [f["scope"] for f in World.forms[before:] if " " in f["scope"]]
same("a server that wants more each time: three times, and no more (oauth.tries)", (code, World.wants - wanted, [len(x.split()) for x in scopes]), ("Forbidden", 4, [2, 3, 4]))
World.life, World.greedy = 2, False
time.sleep(2.2)
World.down, World.good = True, {}
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

case("no file has a token, a code or a secret", secrets_below(home.name)[:5])
logs = s.child.stderr.read() + s.child.stdout.read()
case("no log has one", [x for x in SECRETS if x in logs])
same("what is kept for one server does not open for another", re.search("canary", run(["auth", "status", "--config", CONFIG], env=own).stdout.decode()), None)
finish()
