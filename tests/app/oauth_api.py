#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens for HTTP APIs: of a machine, of a user who logs in, of each tenant; renewed before they end and once when they are refused, where
the effect of the tool allows to repeat the call. Speaks TAP."""

import json
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from command_line import case, finish, run  # noqa: E402

from oauth_rig import API, CONFIG, ISSUER, SECRETS, STATE, World, login, own, secrets_below  # noqa: E402
from signer import NOW, Key, keys  # noqa: E402
from web_rig import TOKEN, Server, home, same  # noqa: E402

DOCUMENT = os.path.join(home.name, "notes.json")
with open(DOCUMENT, "w", encoding="utf-8") as file:
    json.dump({"openapi": "3.1.0", "info": {"title": "Notes", "version": "1.0.0"}, "paths": {
        "/whoami": {"get": {"operationId": "whoami", "summary": "Says whose token it was shown.", "responses": {"200": {"description": "ok"}}}},
        "/note": {"post": {"operationId": "note", "summary": "Writes a note.", "responses": {"200": {"description": "ok"}}}}}}, file)
SECRETS.append("canary-client-secret")
MACHINE = "grant: client_credentials, clientId: robot, clientSecret: 'secretref:env:ROBOT'"
ENV = {"FERRULE_TOKEN": TOKEN, "ROBOT": "canary-client-secret"}
MANUAL = f"tokenUrl: '{ISSUER}/token', authorizationUrl: '{ISSUER}/authorize', clientId: us"


def write(oauth, more=""):
    with open(CONFIG, "w", encoding="utf-8") as file:
        file.write(f"apis:\n  notes: {{openapi: '{DOCUMENT}', baseUrl: '{API}', oauth: {{{oauth}}}}}\nstate: {STATE}\n{more}")


def call(tool="whoami", shown=TOKEN):
    text = s.modern("tools/call", {"name": "run_tool", "arguments": {"id": f"notes:{tool}", "args": {}}}, token=shown)[2]
    result = json.loads(text).get("result", {})
    return result.get("structuredContent", {}).get("result", {}).get("user") or result.get("_meta", {}).get("ferrule/error", {}).get("code"), text


def user(tool="whoami", shown=TOKEN):
    return call(tool, shown)[0]


def grants(since=0):
    return [f["grant_type"] for f in World.forms[since:]]


# ---- a machine

for name, where in [("by its issuer's metadata", f"issuer: '{ISSUER}'"), ("at a place that the operator wrote", f"tokenUrl: '{ISSUER}/token'")]:
    write(f"{MACHINE}, {where}, scopes: [notes], resource: 'https://api.example'")
    before, asked, shown = len(World.forms), len(World.asked), len(World.shown)
    s = Server(config=CONFIG, env=ENV)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(user())) for _ in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    same(f"a machine gets one token for all calls that wait, {name}", (answers, grants(before)), (["robot"] * 20, ["client_credentials"]))
    same("before the first request, which is not refused", "" in World.shown[shown:], False)
    same("it names what it is for", (World.forms[-1].get("scope"), World.forms[-1].get("resource")), ("notes", "https://api.example"))
    same("metadata is asked for where it is needed", any("oauth-authorization-server" in x for x in World.asked[asked:]), "issuer" in where)
    same("nobody asks the API for metadata", any("protected-resource" in x for x in World.asked[asked:]), False)
    before = len(World.forms)
    World.good = {}
    same("a refused token is renewed, and what is safe is asked again", (user(), grants(before)), ("robot", ["client_credentials"]))
    before, World.good, wrote = len(World.forms), {}, len(World.wrote)
    code, text = call("note")
    same("what is not safe is not", (code, "renewed" in text, len(World.wrote) - wrote, grants(before)), ("Unauthenticated", True, 0, ["client_credentials"]))
    same("and goes with the new token the next time", (user("note"), len(World.wrote) - wrote), ("robot", 1))
    same("it ends", s.end(), 0)
World.life = 2
write(f"{MACHINE}, issuer: '{ISSUER}'")
s = Server(config=CONFIG, env=ENV)
same("a token with a short life", user("note"), "robot")
time.sleep(2.1)
shown = len(World.shown)
same("is renewed before it is shown", (user("note"), len(World.shown) - shown), ("robot", 1))
World.life, World.refuses = 3600, True
before, shown, World.good = len(World.forms), len(World.shown), {}
same("an API that takes no token", {user() for _ in range(10)}, {"Unauthenticated"})
same("is no loop", (len(World.forms) - before <= 2, len(World.shown) - shown <= 14), (True, True))
World.refuses = False
same("it ends, too", s.end(), 0)

# ---- users

write(MANUAL + f", revocationUrl: '{ISSUER}/revoke'")
s = Server(config=CONFIG)
shown = len(World.shown)
code, text = call()
same("who has no token is told what to run", (code, "ferrule auth login notes" in text, len(World.shown) - shown), ("Unauthenticated", True, 0))
code, asked, _ = login(user="anna", spoil={"iss": None})
same("logging in to an API", (code, asked.get("client_id"), asked.get("code_challenge_method"), asked.get("resource")), (0, "us", "S256", None))
time.sleep(1.1)  # a vault is looked at once in a second
same("its calls show the token", user(), "anna")
World.good = {}
before = len(World.forms)
same("which is refreshed", (user(), grants(before)), ("anna", ["refresh_token"]))
status = json.loads(run(["auth", "status", "--config", CONFIG, "--json"], env=own).stdout.decode())["servers"]
same("it is shown", [(x["name"], x["state"]) for x in status], [("notes", "good")])
got = run(["auth", "logout", "notes", "--config", CONFIG], env=own)
same("logging out revokes", (got.returncode, "is revoked" in got.stderr.decode(), World.good), (0, True, {}))
same("it ends once more", s.end(), 0)

key = Key("ES256")
write(MANUAL + f", privateKey: 'secretref:file:{key.path}'")
same("logging in with a key", login(user="anna", spoil={"iss": None})[0], 0)
write(MANUAL + f", revocationUrl: '{ISSUER}/revoke'")
got = run(["auth", "logout", "notes", "--config", CONFIG], env=own)
same("without the key the token cannot be revoked", (got.returncode, "oauth.privateKey" in got.stderr.decode()), (0, True))

# ---- tenants

FILE = os.path.join(home.name, "keys.json")
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(key))
RESOURCE, LOGIN = "https://gateway.example/mcp", "https://login.example"
write(MANUAL + ", tokens: tenant", f"""
policies: {{tools: {{'notes:whoami': {{cache: {{ttlMs: 60000, scope: public}}}}}}}}
serve:
  resource: {RESOURCE}
  issuers: {{main: {{issuer: {LOGIN}, jwks: {FILE}, tenantClaim: org, tenants: {{oa: acme, ob: beta, oc: gamma}}, scopes: {{all: ['*']}}}}}}
""")
for tenant, who in [("acme", "ua"), ("beta", "ub")]:
    same(f"{tenant} logs in", login("notes", "--tenant", tenant, user=who, spoil={"iss": None})[0], 0)
s = Server(config=CONFIG)
A, B, C = (key.token({"iss": LOGIN, "aud": RESOURCE, "sub": "x", "org": org, "scope": "all", "exp": NOW + 3600}) for org in ("oa", "ob", "oc"))
same("each tenant calls with its own, also what is cached", [user(tool, x) for tool in ("whoami", "note", "whoami") for x in (A, B, C)], ["ua", "ub", "Unauthenticated"] * 3)
same("it ends at last", s.end(), 0)

# ---- configurations

for name, oauth, words in [("two kinds of credentials", "issuer: 'https://i.example'}, auth: {type: bearer, token: 'secretref:env:X'", "not both"), ("a place without HTTPS", f"{MACHINE}, tokenUrl: 'http://i.example/t'", "HTTPS"),
                           ("a user without a page", "tokenUrl: 'https://i.example/t', clientId: x", "authorizationUrl"), ("no client", "tokenUrl: 'https://i.example/t', authorizationUrl: 'https://i.example/a'", "clientId")]:
    write(oauth)
    got = run(["config", "check", CONFIG], env=own)
    same(f"a configuration with {name}", (got.returncode != 0, words in (got.stdout + got.stderr).decode()), (True, True))
with open(CONFIG, "w", encoding="utf-8") as file:
    file.write(f"apis: {{notes: {{openapi: '{DOCUMENT}', oauth: {{issuer: '{ISSUER}'}}}}}}\n")
same("tokens for whoever the document names", run(["config", "check", CONFIG], env=own).returncode != 0, True)
case("no file has a token", secrets_below(home.name)[:5])

finish()
