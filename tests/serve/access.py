#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is turned away: A01-A39 of the tests of authorization, over a real server that takes tokens of issuers beside its own. Each
row: the status, one body for all, nothing done, nobody behind the gateway asked, and one record `denied`. Speaks TAP."""

import http.server
import json
import os
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import case, finish, run  # noqa: E402

from signer import NOW, Key, b64, hmac_token, keys, openssl  # noqa: E402
from web_rig import MODERN, TOKEN, Server, home, same, until  # noqa: E402

RESOURCE, ISSUER, REMOTE = "https://gateway.example/mcp", "https://login.example", "https://remote.example"
kept = {"HOME": home.name, "XDG_CONFIG_HOME": ""}

# ---- issuers: one whose keys are a file, one whose keys are asked for


class Counting(http.server.BaseHTTPRequestHandler):
    """A place where keys are; counts who asks."""

    asked, answer, gate, status = [], b"", threading.Event(), 200

    def do_GET(self):
        Counting.asked.append(self.path)
        Counting.gate.wait(20)
        self.send_response(Counting.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(Counting.answer)))
        self.end_headers()
        self.wfile.write(Counting.answer)

    def log_message(self, *_):
        pass


web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counting)
threading.Thread(target=web.serve_forever, daemon=True).start()
PLACE = f"http://127.0.0.1:{web.server_port}"

good = {alg: Key(alg) for alg in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")}
main, strange, weak = good["ES256"], Key("ES256"), Key("RS256", bits=1024)
far, later = Key("ES256", kid="far"), Key("ES256", kid="later")
FILE = os.path.join(home.name, "keys.json")
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(*good.values(), {"kty": "oct", "k": b64(b"secret"), "kid": "shared"}))
EFFECTS = os.path.join(home.name, "effects")
CONFIG = os.path.join(home.name, "access.yaml")


def write_config(path=CONFIG, more=""):
    with open(path, "w", encoding="utf-8") as config:
        config.write(f"""
commands:
  - {{namespace: x, name: touch, description: Leaves a trace of having run., inputSchema: {{type: object}}, effect: NonIdempotentWrite, run: {{argv: [tee, -a, {EFFECTS}], stdin: none, stdout: text}}}}
  - {{namespace: x, name: look, description: Looks at nothing., inputSchema: {{type: object}}, effect: Pure, run: {{argv: [echo, seen], stdout: text}}}}
  - {{namespace: x, name: guarded, description: Wants two scopes., inputSchema: {{type: object}}, effect: Pure, requiredScopes: [mail.read, mail.send], run: {{argv: [echo, guarded], stdout: text}}}}
  - {{namespace: y, name: other, description: Belongs to others., inputSchema: {{type: object}}, effect: Pure, run: {{argv: [echo, canary-of-y], stdout: text}}}}
state: {path}.state
serve:
  mode: both
  resource: {RESOURCE}
  issuers:
    main:
      issuer: {ISSUER}
      jwks: {FILE}
      leewaySeconds: 30
      tenantClaim: org
      tenants: {{org-x: x, org-y: y}}
      scopes: {{'mcp:x': ['namespace:x'], 'mcp:read': ['namespace:x', 'effect:Pure'], 'mcp:all': ['*'], 'mcp:call': ['tool:x:look']}}
    remote: {{issuer: '{REMOTE}', jwks: '{PLACE}/keys', tenant: z, algorithms: [ES256]}}
{more}""")


write_config()
CLAIMS = {"iss": ISSUER, "aud": RESOURCE, "sub": "anna", "org": "org-x", "scope": "mcp:x", "exp": NOW + 600, "iat": NOW - 10}


def claims(**more):
    return {k: v for k, v in dict(CLAIMS, **more).items() if v is not None}


def call(s, token, name="x:touch", headers=None, path="/mcp"):
    """A call that would leave a trace."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": name, "args": {}}, "_meta": MODERN}}
    fields = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_tool"}
    return s.ask("POST", path, body, dict(fields, **(headers or {})), token)


def denials(config):
    out = run(["ledger", "query", "--ledger", config + ".state/ledger", "--type", "denied", "--json"], env=kept).stdout.decode()
    return [json.loads(x) for x in out.splitlines() if x.strip()]


def reasons(config):
    found = denials(config)
    found = found[0]["records"] if found and "records" in found[0] else found
    return [x.get("body", x).get("reason") or x.get("body", x).get("code") for x in found]


def traces():
    return os.path.exists(EFFECTS) and os.path.getsize(EFFECTS)


# ---- what is let in

Counting.answer = keys(far).encode()
Counting.gate.set()
s = Server(config=CONFIG)
for alg, key in good.items():
    same(f"a token of {alg}", call(s, key.token(claims()), "x:look")[0], 200)
for name, token in [
    ("our own token, beside them", TOKEN), ("an audience among others", main.token(claims(aud=["https://other.example", RESOURCE]))),
    ("a key without an ID of its own", good["EdDSA"].token(claims(), {"kid": None})), ("a token of kind at+jwt", main.token(claims(), {"typ": "at+jwt"})),
    ("F63 a token that ended within the leeway", main.token(claims(exp=NOW - 5))), ("a token that begins within the leeway", main.token(claims(nbf=int(time.time()) + 20))),
    ("a token of the issuer whose keys are asked for", far.token(claims(iss=REMOTE, scope="namespace:x", org=None))),
    ("scopes as a list", main.token(claims(scope=["mcp:x", "openid"]))),
]:
    same(name, call(s, token, "x:look")[0], 200)
same("what it may use it can", "seen" in call(s, main.token(claims()), "x:look")[2], True)
METADATA = {"resource": RESOURCE, "authorization_servers": [ISSUER, REMOTE], "bearer_methods_supported": ["header"], "resource_name": "Ferrule",
            "scopes_supported": ["mcp:x", "mcp:read", "mcp:all", "mcp:call"]}
for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"):
    got = s.ask("GET", path, token=None)
    same(f"the metadata at {path}", (got[0], got[1]["content-type"], json.loads(got[2])), (200, "application/json", METADATA))
same("which is for reading", s.ask("POST", "/.well-known/oauth-protected-resource", "{}", token=None)[0], 404)
same("nobody was denied", (reasons(CONFIG), traces()), ([], False))

# ---- who is turned away

PLAIN = f'scope="mcp:x mcp:read mcp:all mcp:call", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp"'
BAD = 'Bearer realm="ferrule", error="invalid_token", error_description="{}", ' + PLAIN
NOT_GOOD, OTHER_AUDIENCE, NO_CLAIM = "the token is not good", "the token is not for this server", "the token lacks a claim, or has one of another form"
EXPIRED, EARLY, NOBODY = "the token has expired", "the token is not good yet", "nobody is known here by what the token says"
public = openssl("pkey", "-in", good["RS256"].path, "-pubout")
half = main.token(claims()).rsplit(".", 1)[0]
inner = main.token(claims())


def der_of(key):
    """The signature as OpenSSL has it, which JOSE does not."""
    def sign(text):
        path = os.path.join(home.name, "text")
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
        return openssl("dgst", "-sha256", "-sign", key.path, path)
    return sign


ROWS = [  # name, token or (token, headers, path), reason in the records, what the challenge says (None: no token was shown)
    ("A01 none", None, "token", None),
    ("A02 empty", (None, {"Authorization": "Bearer "}), "token", None),
    ("A03 another scheme", (None, {"Authorization": "Basic " + TOKEN}), "token", None),
    ("A03 a signed token under another scheme", (None, {"Authorization": "DPoP " + inner}), "token", None),
    ("A05 in the query", (None, {}, "/mcp?access_token=" + inner), "token", None),
    ("A13 headers that mean nothing here", (None, {"X-User": "anna", "X-Tenant-Id": "x", "X-Forwarded-Host": "localhost", "X-Original-URL": "/healthz", "mcp-init-host": "x"}), "token", None),
    ("A14 a token that is almost ours", TOKEN[:-1] + "x", "jwt-malformed", NOT_GOOD),
    ("A15 alg none", main.token(claims(), {"alg": "none"}, b""), "jwt-algorithm", NOT_GOOD),
    ("A15 alg None", main.token(claims(), {"alg": "None"}, b""), "jwt-algorithm", NOT_GOOD),
    ("A15 alg nOnE, signed", main.token(claims(), {"alg": "nOnE"}), "jwt-algorithm", NOT_GOOD),
    ("A15 no alg", main.token(claims(), {"alg": None}), "jwt-algorithm", NOT_GOOD),
    ("A15 no signature", half + ".", "jwt-signature", NOT_GOOD),
    ("A16 HS256 with the public key", hmac_token(good["RS256"], public, claims()), "jwt-algorithm", NOT_GOOD),
    ("A16 HS256 with the key of the set", hmac_token(Key("ES256", kid="shared", like=main), b"secret", claims()), "jwt-algorithm", NOT_GOOD),
    ("A17 an algorithm that nobody has", main.token(claims(), {"alg": "XS256"}), "jwt-algorithm", NOT_GOOD),
    ("A17 ES256K", main.token(claims(), {"alg": "ES256K"}), "jwt-algorithm", NOT_GOOD),
    ("A17 es256 in small letters", main.token(claims(), {"alg": "es256"}), "jwt-algorithm", NOT_GOOD),
    ("A17 an algorithm of another key", main.token(claims(), {"alg": "RS256"}), "jwt-algorithm", NOT_GOOD),
    ("A17 one that the issuer does not use", good["RS256"].token(claims(iss=REMOTE), {"kid": "far"}), "jwt-algorithm", NOT_GOOD),
    ("A18 kid is a path", main.token(claims(), {"kid": "../../../dev/null"}), "jwt-key", NOT_GOOD),
    ("A18 kid is SQL", main.token(claims(), {"kid": "x' UNION SELECT 'secret"}), "jwt-key", NOT_GOOD),
    ("A18 kid is a URL", main.token(claims(), {"kid": PLACE + "/kid"}), "jwt-key", NOT_GOOD),
    ("A18 kid is long", main.token(claims(), {"kid": "k" * 257}), "jwt-malformed", NOT_GOOD),
    ("A18 kid is a number", main.token(claims(), {"kid": 1}), "jwt-malformed", NOT_GOOD),
    ("A19 jku", strange.token(claims(), {"kid": "x", "jku": PLACE + "/jku"}), "jwt-key", NOT_GOOD),
    ("A19 x5u", strange.token(claims(), {"kid": "x", "x5u": PLACE + "/x5u"}), "jwt-key", NOT_GOOD),
    ("A19 jwk", strange.token(claims(), {"kid": "x", "jwk": strange.jwk()}), "jwt-key", NOT_GOOD),
    ("A19 jwk under the ID of a known key", strange.token(claims(), {"kid": main.kid, "jwk": strange.jwk()}), "jwt-signature", NOT_GOOD),
    ("A20 for another resource", main.token(claims(aud="https://other.example/mcp")), "jwt-audience", OTHER_AUDIENCE),
    ("A21 for nobody", main.token(claims(aud=None)), "jwt-audience", OTHER_AUDIENCE),
    ("A22 for others", main.token(claims(aud=["https://other.example/mcp", "https://third.example"])), "jwt-audience", OTHER_AUDIENCE),
    ("A22 for an empty list", main.token(claims(aud=[])), "jwt-audience", OTHER_AUDIENCE),
    ("A23 a slash behind it", main.token(claims(aud=RESOURCE + "/")), "jwt-audience", OTHER_AUDIENCE),
    ("A23 the beginning of it", main.token(claims(aud=RESOURCE[:-4])), "jwt-audience", OTHER_AUDIENCE),
    ("A23 more behind it", main.token(claims(aud=RESOURCE + "x")), "jwt-audience", OTHER_AUDIENCE),
    ("A23 in capitals", main.token(claims(aud=RESOURCE.upper())), "jwt-audience", OTHER_AUDIENCE),
    ("A23 with a port", main.token(claims(aud="https://gateway.example:443/mcp")), "jwt-audience", OTHER_AUDIENCE),
    ("A23 an object", main.token(claims(aud={"a": RESOURCE})), "jwt-audience", OTHER_AUDIENCE),
    ("A24 another issuer", main.token(claims(iss="https://evil.example")), "jwt-issuer", NOT_GOOD),
    ("A24 no issuer", main.token(claims(iss=None)), "jwt-issuer", NOT_GOOD),
    ("A24 a slash behind it", main.token(claims(iss=ISSUER + "/")), "jwt-issuer", NOT_GOOD),
    ("A24 the key of one issuer for another", main.token(claims(iss=REMOTE)), "jwt-key", NOT_GOOD),
    ("A25 expired", main.token(claims(exp=NOW - 60)), "jwt-expired", EXPIRED),
    ("A25, F63 expired with the leeway", main.token(claims(exp=int(time.time()) - 30)), "jwt-expired", EXPIRED),
    ("A26 not yet", main.token(claims(nbf=NOW + 3600)), "jwt-early", EARLY),
    ("A26 made tomorrow", main.token(claims(iat=NOW + 86400)), "jwt-early", EARLY),
    ("A27 without an end", main.token(claims(exp=None)), "jwt-claims", NO_CLAIM),
    ("A28 exp as a text", main.token(claims(exp=str(NOW + 600))), "jwt-claims", NO_CLAIM),
    ("A28 exp as a fraction", main.token(claims(exp=NOW + 600.5)), "jwt-claims", NO_CLAIM),
    ("A28 exp of 1e400", main.token(None, raw=json.dumps(claims()).replace(str(NOW + 600), "1e400")), "jwt-claims", NO_CLAIM),
    ("A28 exp below zero", main.token(claims(exp=-1)), "jwt-claims", NO_CLAIM),
    ("A28 exp of 2^63", main.token(claims(exp=2 ** 63)), "jwt-claims", NO_CLAIM),
    ("A28 exp is null", main.token(None, raw=json.dumps(claims()).replace(str(NOW + 600), "null")), "jwt-claims", NO_CLAIM),
    ("A29 a claim twice", main.token(None, raw=json.dumps(claims())[:-1] + ', "sub": "boss"}'), "jwt-malformed", NOT_GOOD),
    ("A29 a name of the header twice", b64('{"alg":"ES256","alg":"none","kid":"%s"}' % main.kid) + "." + half.split(".")[1] + "." + b64(b"x" * 64), "jwt-malformed", NOT_GOOD),
    ("A37 more than 16 KiB", main.token(claims(x="y" * 13000)), "jwt-large", NOT_GOOD),
    ("A38 five parts", "e30.e30.e30.e30.e30", "jwt-malformed", NOT_GOOD),
    ("A38 enc in the header", main.token(claims(), {"enc": "A256GCM"}), "jwt-critical", NOT_GOOD),
    ("A38 a token in a token", main.token(None, {"cty": "JWT"}, raw=inner), "jwt-critical", NOT_GOOD),
    ("A39 crit", main.token(claims(), {"crit": ["exp"], "exp": 1}), "jwt-critical", NOT_GOOD),
    ("A39 b64 false", main.token(claims(), {"b64": False, "crit": ["b64"]}), "jwt-critical", NOT_GOOD),
    ("A39 zip", main.token(claims(), {"zip": "DEF"}), "jwt-critical", NOT_GOOD),
    ("A39 a token of another kind", main.token(claims(), {"typ": "logout+jwt"}), "jwt-critical", NOT_GOOD),
    ("A39 ES256 of (0, 0)", main.token(claims(), signature=b"\0" * 64), "jwt-signature", NOT_GOOD),
    ("A39 another curve", good["ES384"].token(claims(), {"alg": "ES256"}), "jwt-algorithm", NOT_GOOD),
    ("A39 another curve under the ID of a key", good["ES384"].token(claims(), {"alg": "ES256", "kid": main.kid}), "jwt-signature", NOT_GOOD),
    ("A39 DER in place of two numbers", main.token(claims(), signature=der_of(main)), "jwt-signature", NOT_GOOD),
    ("A39 a signature of another text", half + "." + main.token(claims(sub="boss")).rsplit(".", 1)[1], "jwt-signature", NOT_GOOD),
    ("A39 padding", inner + "=", "jwt-malformed", NOT_GOOD),
    ("A39 no object", main.token(None, raw="[1]"), "jwt-malformed", NOT_GOOD),
    ("A59 a tenant that nobody has", main.token(claims(org="org-z")), "jwt-tenant", NOBODY),
    ("A59 no tenant", main.token(claims(org=None)), "jwt-tenant", NOBODY),
    ("A59 an empty tenant", main.token(claims(org="")), "jwt-tenant", NOBODY),
    ("A59 a tenant by a path", main.token(claims(org="../org-x")), "jwt-tenant", NOBODY),
    ("A59 a tenant in capitals", main.token(claims(org="ORG-X")), "jwt-tenant", NOBODY),
    ("A59 a tenant with a blank", main.token(claims(org="org-x ")), "jwt-tenant", NOBODY),
    ("A59 a tenant in other letters", main.token(claims(org="оrg-x")), "jwt-tenant", NOBODY),
    ("A59 a tenant with NUL", main.token(claims(org="org-x\0")), "jwt-tenant", NOBODY),
    ("A59 two tenants", main.token(claims(org=["org-x", "org-y"])), "jwt-tenant", NOBODY),
    ("nobody", main.token(claims(sub=None)), "jwt-claims", NO_CLAIM),
]
asked, wanted, server_number = len(Counting.asked), None, 0
expected = []
for row in ROWS:
    name, shown, reason, text = row
    token, headers, path = shown if isinstance(shown, tuple) and len(shown) == 3 else (*shown, "/mcp") if isinstance(shown, tuple) else (shown, {}, "/mcp")
    status, head, body = call(s, token, headers=headers, path=path)
    wanted = wanted or body
    expected.append(reason)
    challenge = BAD.format(text) if text else 'Bearer realm="ferrule", ' + PLAIN
    same(name, (status, body, head.get("www-authenticate")), (401, wanted, challenge))
same("A19 nothing was fetched that a token names", [x for x in Counting.asked[asked:] if x != "/keys"], [])
same("keys were asked for once at most", len(Counting.asked) - asked <= 1, True)
same("each is one record", until(lambda: len(reasons(CONFIG)) >= len(expected)) and sorted(reasons(CONFIG)), sorted(expected))
same("A37 a token of 1 MB", call(s, main.token(claims(x="y" * 800000)))[0], 431)
same("nothing was done", traces(), False)
same("it ends", s.end(), 0)

# ---- scopes

second = CONFIG + ".second"
write_config(second)
s = Server(config=second)


def told(token, tool):
    status, head, text = call(s, token, tool)
    result = json.loads(text).get("result", {}) if text.startswith("{") else {}
    return status, head.get("www-authenticate"), result.get("_meta", {}).get("ferrule/error", {}).get("code") if result.get("isError") else result.get("isError", False)


NARROW = 'Bearer realm="ferrule", error="insufficient_scope", error_description="the token lacks a scope", '
STEP = NARROW + 'scope="{}", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp"'
for name, token, tool, want in [
    ("A30 no scope", main.token(claims(scope=None)), "x:look", (403, NARROW + PLAIN, False)),
    ("A30 an empty scope", main.token(claims(scope="")), "x:look", (403, NARROW + PLAIN, False)),
    ("A30 scopes of others", main.token(claims(scope="openid profile")), "x:look", (403, NARROW + PLAIN, False)),
    ("A31 the beginning of a scope", main.token(claims(scope="mcp:cal")), "x:look", (403, NARROW + PLAIN, False)),
    ("A31 more than a scope", main.token(claims(scope="mcp:callx")), "x:look", (403, NARROW + PLAIN, False)),
    ("A31 in capitals", main.token(claims(scope="MCP:CALL")), "x:look", (403, NARROW + PLAIN, False)),
    ("A31 words of ours, where the operator has given theirs", main.token(claims(scope="* namespace:x tool:x:look")), "x:look", (403, NARROW + PLAIN, False)),
    ("A32 a scope for another tool", main.token(claims(scope="mcp:call")), "x:touch", (200, None, "ToolNotFound")),
    ("A32 a scope for another namespace", main.token(claims(scope="mcp:x")), "y:other", (200, None, "ToolNotFound")),
    ("A33 a broad scope that the operator has narrowed", main.token(claims(scope="mcp:read")), "y:other", (200, None, "ToolNotFound")),
    ("A34 a scope for reading, and a tool that writes", main.token(claims(scope="mcp:read")), "x:touch", (200, None, "ToolNotFound")),
    ("A35 what is missing is named, all of it", main.token(claims()), "x:guarded", (403, STEP.format("mail.read mail.send"), "Forbidden")),
    ("A35 and no more than that", main.token(claims(scope="mcp:x mail.read")), "x:guarded", (403, STEP.format("mail.send"), "Forbidden")),
    ("A35 with both it runs", main.token(claims(scope="mcp:x mail.read mail.send")), "x:guarded", (200, None, False)),
    ("A35 our own tokens cannot be widened", TOKEN, "x:guarded", (200, None, False)),
]:
    same(name, told(token, tool), want)
same("A04 two of them", (lambda c: (c.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost:{s.port}\r\nAuthorization: Bearer {TOKEN}\r\nAuthorization: Bearer {inner}\r\n"
                                              f"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode()), c.recv(12)[9:])[1])(
    socket.create_connection(("127.0.0.1", s.port), 30)), b"401")
for name, method, headers, want in [
    ("A06 another origin with a good token", "POST", {"Origin": "https://evil.example"}, 403), ("A07 another host", "POST", {"Host": "evil.example"}, 403),
    ("A08 a host that is almost ours", "POST", {"Host": f"localhost.evil.com:{s.port}"}, 403), ("A09 Origin null", "POST", {"Origin": "null"}, 403),
    ("A10 a preflight", "OPTIONS", {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}, 403),
    ("A11 a simple request", "POST", {"Content-Type": "text/plain"}, 415), ("A12 GET", "GET", {"Authorization": "Bearer x"}, 401), ("A12 DELETE", "DELETE", {"Authorization": "Bearer x"}, 401),
]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": "x:touch", "args": {}}, "_meta": MODERN}}
    same(name, s.ask(method, "/mcp", body if method == "POST" else None, headers, inner)[0], want)
WANT = ["jwt-scope"] * 7 + ["Forbidden"] * 6 + ["token"] + ["origin", "host", "host", "origin", "origin", "jwt-malformed", "jwt-malformed"]
same("one record for each", sorted(reasons(second)), sorted(WANT))
same("nothing was done", traces(), False)

# ---- A36: what ends while it is open; keys that come and go

short = main.token(claims(sub="carl", exp=int(time.time()) - 27))  # good for three seconds more, by the leeway
sid = s.session(token=short)[0]
c, r = s.ask("GET", "/mcp", headers={"Mcp-Session-Id": sid}, token=short, raw=True)
same("A36 a stream of a token that will end", r.status, 200)
same("A36 ends with it", b"data: {" in r.read(), False)
c.close()
same("A36 and the token is refused", until(lambda: call(s, short, "x:look")[0] == 401), True)
renewed, again = main.token(claims(jti="1")), main.token(claims(jti="2"))
sid = s.session(token=renewed)[0]
ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
same("a session goes on with a renewed token", s.ask("POST", "/mcp", ping, {"Mcp-Session-Id": sid}, again)[0], 200)
for name, other in [("A47 another principal", claims(sub="ben")), ("A47 another tenant", claims(org="org-y")), ("A47 other scopes", claims(scope="mcp:all"))]:
    same(f"{name} is not in it", s.ask("POST", "/mcp", ping, {"Mcp-Session-Id": sid}, main.token(other))[0], 404)
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(*[k for k in good.values() if k is not main], later))
same("A36 a key that is published no more", until(lambda: call(s, again, "x:look")[0] == 401), True)
same("A36 ends the session", s.ask("POST", "/mcp", ping, {"Mcp-Session-Id": sid}, again)[0], 401)
same("a key that is new", call(s, later.token(claims()), "x:look")[0], 200)
with open(FILE, "w", encoding="utf-8") as file:
    file.write("{")
time.sleep(1.2)
same("keys that cannot be read leave the last ones", call(s, later.token(claims()), "x:look")[0], 200)


def issuers(s):
    return {i["name"]: (i["keys"], i["trouble"]) for i in json.loads(s.ask("GET", "/admin/v1/tokens")[2])["issuers"]}


same("which the admin API tells", until(lambda: issuers(s)["main"] == (len(good), True)), True)
time.sleep(1.2)  # another look
os.unlink(FILE)
time.sleep(1.2)
same("a file that is gone, too", call(s, later.token(claims()), "x:look")[0], 200)
with open(FILE, "w", encoding="utf-8") as file:
    file.write('{"keys":[]}')
same("an empty set takes all keys back", until(lambda: call(s, later.token(claims()), "x:look")[0] == 401), True)
same("which the admin API tells, too", issuers(s)["main"], (0, False))
with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(*good.values()))
same("and the next set gives keys again", until(lambda: call(s, main.token(claims()), "x:look")[0] == 200), True)
same("with streams it ends", s.end(), 0)
told = [line for line in s.child.stderr.read().splitlines() if "jwks." in line]
same("each is a warning, once", [w for line in told for w in ("jwks.kept", "jwks.none", "jwks.good") if w in line], ["jwks.kept", "jwks.kept", "jwks.none"])

# ---- keys over HTTP: waited for, once, by all

with open(FILE, "w", encoding="utf-8") as file:
    file.write(keys(*good.values()))
Counting.gate.clear()
Counting.asked.clear()
third = CONFIG + ".third"
write_config(third)
s = Server(config=third)
token = far.token(claims(iss=REMOTE, scope="namespace:x", org=None))
answers = []
threads = [threading.Thread(target=lambda: answers.append(call(s, token, "x:look")[0])) for _ in range(20)]
for t in threads:
    t.start()
same("while keys are asked for, others are served", call(s, TOKEN, "x:look")[0], 200)
time.sleep(0.3)
same("who needs them waits", answers, [])
left, _ = s.ask("POST", "/mcp", "{}", token=TOKEN, raw=True)
left.close()
gone = socket.create_connection(("127.0.0.1", s.port), 30)
gone.sendall(f"GET /mcp HTTP/1.1\r\nHost: localhost:{s.port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
gone.close()
Counting.gate.set()
for t in threads:
    t.join(30)
same("and is served when they come", answers, [200] * 20)
same("keys were asked for once", Counting.asked, ["/keys"])
unknown = [call(s, far.token(claims(iss=REMOTE, scope="namespace:x", org=None), {"kid": f"unknown-{i}"}), "x:look")[0] for i in range(30)]
same("keys that nobody knows are not asked for again and again", (set(unknown), len(Counting.asked) <= 2), ({401}, True))
same("it ends while it waits", s.end(), 0)

# ---- what a configuration may not say

for name, more, words in [
    ("no resource", "serve: {issuers: {a: {issuer: i, jwks: k.json, tenant: t}}}", ["resource"]),
    ("no tenant", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json}}}", ["tenantClaim"]),
    ("a claim without tenants", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json, tenantClaim: org}}}", ["belong together"]),
    ("none as an algorithm", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json, tenant: t, algorithms: [none]}}}", ["algorithms"]),
    ("HS256 as an algorithm", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json, tenant: t, algorithms: [HS256]}}}", ["algorithms"]),
    ("more leeway than a minute", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json, tenant: t, leewaySeconds: 61}}}", ["leewaySeconds"]),
    ("keys at a place that is no URL", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: 'http://2130706433/', tenant: t}}}", ["URL"]),
    ("an issuer twice", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json, tenant: t}, b: {issuer: i, jwks: k.json, tenant: u}}}", ["twice"]),
    ("a scope that is none", "serve: {resource: 'https://g/mcp', issuers: {a: {issuer: i, jwks: k.json, tenant: t, scopes: {s: ['names:x']}}}}", ["not a scope"]),
]:
    path = os.path.join(home.name, "bad.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(more + "\n")
    got = run(["config", "check", path], env=kept)
    said = (got.stdout + got.stderr).decode()
    case(f"a configuration with {name}", [] if got.returncode and all(w in said for w in words) else [f"exit {got.returncode}: {said[:300]}"])
for name, text in [("of a weak RSA key", keys(weak)), ("of shared secrets alone", keys({"kty": "oct", "k": "AAAA"})), ("that are no JSON", "{"),
                   ("of a point that is not on its curve", keys(dict(main.jwk(), y=b64(b"\1" * 32)))), ("of more than a hundred", keys(*[dict(main.jwk(), kid=str(i)) for i in range(101)]))]:
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        Server(config=third).end()
        case(f"it does not start with keys {name}", ["it did"])
    except RuntimeError as err:
        case(f"it does not start with keys {name}", [] if "serve.issuers.main" in str(err) else [str(err)[:300]])
finish()
