#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule serve over HTTP: both eras on one endpoint, sessions, streams, who may ask, draining. Speaks TAP."""

import http.client
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case, expect, finish, run  # noqa: E402

from web_rig import CONFIG, MODERN, TOKEN, Server, code_of, home, same, until  # noqa: E402

s = Server("--expose", "b:*")
case("says its URL first", [] if s.said.startswith("URL") else [s.said])

# ---- who may ask

same("health is for everybody", s.ask("GET", "/healthz", token=None)[0], 200)
for name, headers, token, status in [
    ("no token", {}, None, 401), ("another token", {}, "x", 401), ("a token of another scheme", {"Authorization": "Basic " + TOKEN}, None, 401),
    ("an evil host", {"Host": "evil.example"}, TOKEN, 403), ("an evil origin", {"Origin": "http://evil.example"}, TOKEN, 403),
    ("the null origin", {"Origin": "null"}, TOKEN, 403),
]:
    same("refused: " + name, s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers, token)[0], status)
kept = {"XDG_CONFIG_HOME": os.path.join(home.name, ".config")}
stored = run(["token", "new", "laptop"], env=kept).stdout.decode().split()[-1]
narrow = run(["token", "new", "narrow", "--scope", "effect:Pure"], env=kept).stdout.decode().split()[-1]
same("a stored token", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}, stored)[0] != 401, True)
same("a stored token of narrower scopes", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}, narrow)[0] != 401, True)
run(["token", "revoke", "laptop"], env=kept)
same("a revoked token", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}, stored)[0], 401)
same("a challenge", "Bearer" in s.ask("GET", "/mcp", token=None)[1].get("www-authenticate", ""), True)
same("metrics want the token", s.ask("GET", "/metrics", token=None)[0], 401)
same("metrics", "ferrule_mcp_requests_total" in s.ask("GET", "/metrics")[2], True)
same("no such path", s.ask("GET", "/nothing")[0], 404)
same("no such method", s.ask("PUT", "/mcp", "{}")[0], 405)
same("no JSON", s.ask("POST", "/mcp", "{}", {"Content-Type": "text/plain"})[0], 415)
same("what nobody can send", s.ask("POST", "/mcp", "{}", {"Accept": "text/html"})[0], 406)
same("what is refused by its weight", s.ask("POST", "/mcp", "{}", {"Accept": "application/json;q=0, text/*;q=0"})[0], 406)
same("all of a kind", s.ask("POST", "/mcp", "{}", {"Accept": "application/*"})[0], 400)

# ---- 2026-07-28

status, head, text = s.modern("server/discover")
same("discover", (status, head["content-type"], json.loads(text)["result"]["supportedVersions"][0]), (200, "application/json", "2026-07-28"))
same("no session", "mcp-session-id" in head, False)
same("a call", json.loads(s.modern("tools/call", {"name": "exact"})[2])["result"]["structuredContent"]["b"], 12345678901234567890)
same("a name in Base64", s.modern("tools/call", {"name": "exact"}, {"Mcp-Name": "=?base64?ZXhhY3Q=?="})[0], 200)
for name, params, headers, status, code in [
    ("another method in the head", None, {"Mcp-Method": "tools/call"}, 400, -32020),
    ("no method in the head", None, {"Mcp-Method": None}, 400, -32020),
    ("another name in the head", {"name": "exact"}, {"Mcp-Name": "slow"}, 400, -32020),
    ("no version in the head", None, {"MCP-Protocol-Version": None}, 400, -32020),
    ("an unknown version in the head", None, {"MCP-Protocol-Version": "2030-01-01"}, 400, -32020),
]:
    got = s.modern("tools/call" if params else "tools/list", params, headers)
    same(name, (got[0], code_of(got[2])), (status, code))
got = s.modern("nothing/at/all")
same("an unknown method", (got[0], code_of(got[2])), (404, -32601))
got = s.modern("tools/list", meta={"io.modelcontextprotocol/protocolVersion": "2030-01-01"}, headers={"MCP-Protocol-Version": "2030-01-01"})
same("an unknown version", (got[0], code_of(got[2])), (400, -32022))
got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"})
same("no _meta", (got[0], code_of(got[2])), (400, -32602))
got = s.ask("POST", "/mcp", "nonsense")
same("nonsense", (got[0], code_of(got[2])), (400, -32700))
same("GET is not there", s.ask("GET", "/mcp", headers={"MCP-Protocol-Version": "2026-07-28"})[0], 405)
same("an unknown tool", code_of(s.modern("tools/call", {"name": "nope"})[2]), -32602)

status, head, text = s.modern("tools/call", {"name": "slow"}, meta={"progressToken": "p"})
events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
same("progress makes a stream", (head["content-type"], [e.get("method", "answer") for e in events]),
     ("text/event-stream", ["notifications/progress", "answer"]))

c, r = s.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, raw=True)
first = b""
while not first.endswith(b"\n\n"):
    first += r.read(1)
same("a subscription is acknowledged", b"acknowledged" in first and r.getheader("Content-Type"), "text/event-stream")
c.close()


def running():
    text = s.ask("GET", "/metrics")[2]
    return int(text.split("\nferrule_mcp_requests_under_way ")[1].split("\n")[0])


same("who leaves has unsubscribed", until(lambda: running() == 0), True)
c, _ = http.client.HTTPConnection("127.0.0.1", s.port, timeout=30), None
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow", "arguments": {"wait": True}, "_meta": MODERN}})
c.request("POST", "/mcp", body, {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN, "MCP-Protocol-Version": "2026-07-28",
                                 "Mcp-Method": "tools/call", "Mcp-Name": "slow"})
same("a call runs", until(lambda: running() == 1), True)
c.close()
same("who leaves has cancelled", until(lambda: running() == 0), True)

# ---- older versions

for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
    sid, status, text = s.session(version)
    ok = {"Mcp-Session-Id": sid, "MCP-Protocol-Version": version if version >= "2025-06-18" else None}
    same(f"{version}: initialize", (status, json.loads(text)["result"]["protocolVersion"], len(sid)), (200, version, 32))
    got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, ok)
    same(f"{version}: a notification", (got[0], got[2]), (202, ""))
    got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, ok)
    same(f"{version}: tools/list", (got[0], "exact" in got[2]), (200, True))
    got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"Mcp-Session-Id": "0" * 32})
    same(f"{version}: another session", got[0], 404)
    if version >= "2025-06-18":
        got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, dict(ok, **{"MCP-Protocol-Version": "2025-03-26"}))
        same(f"{version}: a version that was not agreed on", got[0], 400)
    got = s.ask("POST", "/mcp", [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}], ok)
    same(f"{version}: a batch", (got[0], len(json.loads(got[2]))), (200, 2) if version == "2025-03-26" else (400, 3))
    same(f"{version}: delete", s.ask("DELETE", "/mcp", headers=ok)[0], 204)
    same(f"{version}: deleted", s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, ok)[0], 404)
got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
same("no session", (got[0], code_of(got[2])), (400, -32600))
got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize"})
same("an initialize that fails opens nothing", (code_of(got[2]), "mcp-session-id" in got[1]), (-32602, False))

# Equal IDs of two sessions, and of the other era, are three requests.
one, two = s.session()[0], s.session()[0]
answers = {}


def call(key, seconds, headers):
    answers[key] = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "run_tool", "arguments": {"id": "text:count" if key == "two" else "local:nap", "args": {"text": "x y"} if key == "two" else {"seconds": seconds}}}}, headers)


t = threading.Thread(target=call, args=("one", 1, {"Mcp-Session-Id": one}))
t.start()
until(lambda: running() == 1)
call("two", 0, {"Mcp-Session-Id": two})
same("the quick one is answered first", "one" not in answers and '"words":2' in answers["two"][2], True)
got = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}, {"Mcp-Session-Id": two})
t.join()
same("nobody cancels what another session asked", (got[0], json.loads(answers["one"][2])["result"]["structuredContent"]), (202, {"result": ""}))

c, r = s.ask("GET", "/mcp", headers={"Mcp-Session-Id": one}, raw=True)
same("a stream of the session", (r.status, r.getheader("Content-Type")), (200, "text/event-stream"))
same("one at a time", s.ask("GET", "/mcp", headers={"Mcp-Session-Id": one})[0], 409)
c.close()
same("and again", until(lambda: s.ask("GET", "/mcp", headers={"Mcp-Session-Id": one, "Accept": "text/html"})[0] == 406), True)

# Big results are cut, and read on by handle.
def big(arguments):
    return json.loads(s.modern("tools/call", {"name": "run_tool", "arguments": arguments})[2])["result"]["structuredContent"]


r = big({"id": "b:big"})
same("a big result is cut", (len(r["result"]["rows"]) < 2000, r["result"]["count"], r["cut"][0]["at"], r["cut"][0]["of"]), (True, 2000, "/rows", 2000))
rows, handle = r["result"]["rows"], r["handle"]
while len(rows) < 2000:
    r = big({"handle": handle, "at": "/rows", "from": len(rows)})
    rows += r["result"]
same("all of it can be read", [x["row"] for x in rows], list(range(2000)))
r = big({"handle": handle, "at": "/rows/1999/text"})
same("a place of it", r["result"], "x" * 40)

# ---- the end

t = threading.Thread(target=call, args=("late", 2, {"Mcp-Session-Id": two}))
t.start()
until(lambda: running() == 1)
code = s.end()
t.join()
same("what runs is finished", (code, json.loads(answers["late"][2])["result"]["structuredContent"]), (0, {"result": ""}))

s = Server()
s.modern("tools/list")
t = threading.Thread(target=call, args=("never", 20, {"Mcp-Session-Id": s.session()[0]}))
before = time.monotonic()


def quietly():
    try:
        call("never", 20, {"Mcp-Session-Id": s.session()[0]})
    except (OSError, http.client.HTTPException):
        pass


t = threading.Thread(target=quietly)
t.start()
until(lambda: running() == 1)
s.child.send_signal(signal.SIGTERM)
time.sleep(0.3)
code = s.end()
t.join()
same("a second signal ends it at once", (code, time.monotonic() - before < 15), (0, True))

path = os.path.join(home.name, "sock")
s = Server("--socket", path)
u = socket.socket(socket.AF_UNIX)
u.settimeout(30)
u.connect(path)
u.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
data = b""
while True:
    piece = u.recv(65536)
    if not piece:
        break
    data += piece
same("a Unix socket needs no token", data.split(b" ")[1], b"200")
same("it is this user's alone", oct(os.stat(path).st_mode & 0o777), "0o600")
s.end()
case("no token, beyond the loopback", expect(run(["serve", "--listen", "0.0.0.0:0", "--no-token"]), 2, [], ["loopback"]))
case("no port", expect(run(["serve", "--listen", "here"]), 2, [], ["--listen takes"]))
case("two sources", expect(run(["serve", "--from", "claude", "--config", CONFIG]), 2, [], ["exclude each other"]))
case("no file of a client", expect(run(["serve", "--from", "cursor"], env={"HOME": home.name, "XDG_CONFIG_HOME": ""}), 2, [], ["no file of cursor"]))

# ---- the usual port is another program's: at a terminal one of the next is taken, and said; elsewhere it is an error


def at_terminal(*words):
    """What it says until it has said all, and its exit code."""
    master, slave = pty.openpty()
    env = dict({k: v for k, v in os.environ.items() if k != "XDG_CONFIG_HOME"}, HOME=home.name, FERRULE_TOKEN=TOKEN)
    child = subprocess.Popen([FERRULE, "serve", "--config", CONFIG, "--attach", "never", *words], env=env, stdin=subprocess.DEVNULL,
                             stdout=slave, stderr=slave)
    os.close(slave)
    said = ""
    while "curl" not in said:
        try:
            said += os.read(master, 65536).decode()
        except OSError:
            break  # it has ended
    child.terminate()
    code = child.wait(timeout=60)
    os.close(master)
    return code, said


def take(port):
    c = socket.socket()
    try:
        c.bind(("127.0.0.1", port))
        c.listen()
    except OSError:
        pass  # another program has it: so much the better
    return c


held = [take(port) for port in range(7575, 7595)]
code, said = at_terminal()
case("all of the next ports are taken, too", [] if code == 2 and "another program listens there already" in said else [f"{code} {said}"])
held.pop().close()
code, said = at_terminal()
case("the last of them is free", [] if code == 0 and "another program listens at port 7575: the gateway is at port 7594" in said and ":7594/mcp" in said else [f"{code} {said}"])
code, said = at_terminal("--listen", "7575")
case("a port that somebody chose is that port", [] if code == 2 and "--listen PORT takes another port" in said else [f"{code} {said}"])
case("without a terminal, too", expect(run(["serve", "--config", CONFIG, "--attach", "never"], env={"HOME": home.name, "FERRULE_TOKEN": TOKEN}), 2, [], ["--listen PORT takes another port"]))
for c in held:
    c.close()
finish()
