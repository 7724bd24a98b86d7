#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams of events over HTTP: IDs, coming again with Last-Event-ID, polling, the GET stream, DELETE, the transport of
2024-11-05. Speaks TAP."""

import http.client
import json
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import finish  # noqa: E402

from web_rig import CONFIG, TOKEN, Server, home, same, until  # noqa: E402

polled = os.path.join(home.name, "polled.yaml")
with open(CONFIG, encoding="utf-8") as file:
    text = file.read().replace("${workspaceFolder}", HERE)
with open(polled, "w", encoding="utf-8") as file:
    file.write(text + "serve: {limits: {pollMs: 1000, retryMs: 700, events: 8}}\n")


class Stream:
    """Events of a response, one after the other."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response
        self.status, self.type = response.status, response.getheader("Content-Type")
        self.id = self.retry = None

    def next(self):
        """{id, event, data} of the next event; None at the end. Comments are passed over."""
        event = {}
        while True:
            line = self.response.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if not line and event:
                self.id = event.get("id", self.id)
                self.retry = event.get("retry", self.retry)
                return event
            if line and not line.startswith(":"):
                key, _, value = line.partition(":")
                event[key] = value.removeprefix(" ")

    def close(self):
        self.response.close()
        self.connection.close()


def posted(s, session, body, **more):
    return Stream(*s.ask("POST", "/mcp", body, {"Mcp-Session-Id": session}, raw=True, **more))


def resumed(s, session, last, **more):
    return Stream(*s.ask("GET", "/mcp", None, {"Mcp-Session-Id": session, "Last-Event-ID": last}, raw=True, **more))


def call(number, tool="slow", arguments=None, token="p"):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments or {},
                                                                               "_meta": {"progressToken": token}}}


def running(s):
    return int(s.ask("GET", "/metrics")[2].split("\nferrule_mcp_requests_under_way ")[1].split("\n")[0])


s = Server("--expose", "b:*", "--mode", "both")

# ---- IDs, and what a stream begins with

for version in ("2025-03-26", "2025-06-18", "2025-11-25"):
    sid = s.session(version)[0]
    stream = posted(s, sid, call(1))
    events = []
    while (event := stream.next()) is not None:
        events.append(event)
    first = events[0]
    same(f"{version}: a stream", (stream.status, stream.type), (200, "text/event-stream"))
    same(f"{version}: begins with an ID and nothing", (first.get("data"), "retry" in first) if version == "2025-11-25" else first["data"][:1],
         ("", True) if version == "2025-11-25" else "{")
    ids = [e["id"] for e in events]
    same(f"{version}: every message has one", (len(set(ids)), len({i.split("-")[0] for i in ids})), (len(ids), 1))
    same(f"{version}: and the answer is the last", json.loads(events[-1]["data"]).get("id"), 1)
    other = posted(s, sid, call(2))
    second = other.next()["id"]
    same(f"{version}: another stream has others", second.split("-")[0] == ids[0].split("-")[0], False)
    other.close()

    # What was sent after an event is sent again; of this stream alone.
    for last in range(len(ids)):
        again = resumed(s, sid, ids[last])
        got = []
        while (event := again.next()) is not None:
            got.append(event["id"])
        same(f"{version}: after event {last}", got, ids[last + 1:])
    for last in ("0-0", "99-1", "x", "1", "-1", "01-1", "1-01", "1-1 ", "18446744073709551617-1", "4294967297-1", "é-1"):
        again = s.ask("GET", "/mcp", None, {"Mcp-Session-Id": sid, "Last-Event-ID": last.encode().decode("latin-1")}, raw=True)
        same(f"{version}: Last-Event-ID {last}", again[1].status, 200 if last == "1-1 " else 400)
        again[0].close()
    same(f"{version}: in another session", resumed(s, s.session(version)[0], ids[0]).status, 400)

same("2026-07-28 has no IDs", b"id:" in s.modern("tools/call", {"name": "slow"}, meta={"progressToken": 1}, raw=True)[1].read(), False)

# ---- a client that has gone while its call runs

sid = s.session()[0]
stream = posted(s, sid, call(5, "slow", {"wait": True}))
stream.next()
progress = stream.next()
last = progress["id"]
same("it runs", (json.loads(progress["data"])["method"], running(s)), ("notifications/progress", 1))
stream.close()
again = resumed(s, sid, last)
same("it still does after its client has gone", (again.status, running(s)), (200, 1))
third = resumed(s, sid, last)
same("who comes twice has the newer stream", (third.status, until(lambda: again.next() is None)), (200, True))
s.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}, {"Mcp-Session-Id": sid})
same("and can cancel", until(lambda: running(s) == 0), True)
third.close()

stream = posted(s, sid, call(6, "run_tool", {"id": "local:nap", "args": {"seconds": 2}}))
same("a quiet call is a plain answer", (stream.type, json.loads(stream.response.read())["id"]), ("application/json", 6))

# ---- the stream of the session

sid = s.session()[0]
get = Stream(*s.ask("GET", "/mcp", None, {"Mcp-Session-Id": sid}, raw=True))
opened = get.next()
same("GET begins with an ID", (opened["data"], "-" in opened["id"]), ("", True))
same("DELETE ends it", (s.ask("DELETE", "/mcp", headers={"Mcp-Session-Id": sid})[0], get.next()), (204, None))
sid = s.session()[0]
stream = posted(s, sid, call(7, "slow", {"wait": True}))
stream.next()
answers = {}


def plain():
    answers["plain"] = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {
        "name": "run_tool", "arguments": {"id": "local:nap", "args": {"seconds": 20}}}}, {"Mcp-Session-Id": sid})


thread = threading.Thread(target=plain)
thread.start()
until(lambda: running(s) == 2)
s.ask("DELETE", "/mcp", headers={"Mcp-Session-Id": sid})
while stream.next() is not None:
    pass
thread.join(15)
same("DELETE ends all that runs for the session", (thread.is_alive(), answers.get("plain", [0])[0], until(lambda: running(s) == 0)), (False, 404, True))

# ---- 2024-11-05: GET /sse and POST /message

old = Stream(*s.ask("GET", "/sse", raw=True))
endpoint = old.next()
same("/sse names where to post", (old.status, endpoint["event"], endpoint["data"].startswith("/message?sessionId=")), (200, "endpoint", True))
where = endpoint["data"]
got = s.ask("POST", where, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
same("what is posted is taken", (got[0], json.loads(old.next()["data"])["result"]["protocolVersion"]), (202, "2024-11-05"))
s.ask("POST", where, {"jsonrpc": "2.0", "method": "notifications/initialized"})
s.ask("POST", where, call(2))
events = [old.next(), old.next()]
same("and answered on the stream", [json.loads(e["data"]).get("method", "answer") for e in events], ["notifications/progress", "answer"])
same("without IDs", [e.get("id") for e in events], [None, None])
same("no JSON", (s.ask("POST", where, "nonsense")[0], json.loads(old.next()["data"])["error"]["code"]), (202, -32700))
for name, path, want in [("another session", "/message?sessionId=" + "0" * 32, 404), ("none", "/message", 404), ("one of /mcp", "/message?sessionId=" + s.session()[0], 404)]:
    same(f"/message: {name}", s.ask("POST", path, call(3))[0], want)
same("/message: no token", s.ask("POST", where, call(3), token=None)[0], 401)
same("/sse: no token", s.ask("GET", "/sse", token=None)[0], 401)
same("/sse: no stream", s.ask("GET", "/sse", headers={"Accept": "application/json"})[0], 406)
s.ask("POST", where, call(4, "slow", {"wait": True}))
same("a call runs", until(lambda: running(s) == 1), True)
old.close()
same("its session ends with the stream", (until(lambda: running(s) == 0), until(lambda: s.ask("POST", where, call(3))[0] == 404)), (True, True))
same("it ends", s.end(), 0)

# ---- polling, and what is kept

s = Server("--expose", "b:*", "--mode", "both", config=polled)
for version, polls in (("2025-11-25", True), ("2025-06-18", False)):
    sid = s.session(version)[0]
    stream = posted(s, sid, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tool", "arguments": {"id": "local:nap", "args": {"seconds": 4}}}})
    if not polls:
        same(f"{version}: no polling", (stream.type, json.loads(stream.response.read())["id"]), ("application/json", 1))
        continue
    first = stream.next()
    same(f"{version}: the stream begins, says when to come again, and ends", (first["data"], first["retry"], stream.next()), ("", "700", None))
    looks, answer = 0, None
    while answer is None and looks < 30:
        looks += 1
        again = resumed(s, sid, stream.id)
        while (event := again.next()) is not None:
            stream.id = event["id"]
            if event["data"]:
                answer = json.loads(event["data"])
    same(f"{version}: the answer is had by asking again", (answer["id"], answer["result"].get("isError", False), looks > 1), (1, False, True))
    again = resumed(s, sid, stream.id)
    same(f"{version}: and nothing after it", (again.status, again.next()), (200, None))
same("it ends", s.end(), 0)
finish()
