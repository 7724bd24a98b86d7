# SPDX-License-Identifier: Apache-2.0
"""A client of MCP of one era over one carrier, for the tests of the bridge between eras. Answers what it is asked, remembers what it hears."""

import http.client
import json
import queue
import subprocess
import threading
import time

META = "io.modelcontextprotocol/"
CAN = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
ANSWERS = {
    "elicitation/create": {"action": "accept", "content": {"colour": "blue"}},
    "sampling/createMessage": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "word"}},
    "roots/list": {"roots": [{"uri": "file:///tmp"}]},
}


def heard_in(path, what):
    """What bridge_backend.py has written down of one kind; a line that is being written counts when it is whole. The file is read at once:
    by lines, the rest of one that grows meanwhile would look like a line of its own."""
    try:
        with open(path, "rb") as file:
            whole, _, _ = file.read().rpartition(b"\n")
    except FileNotFoundError:
        return []
    return [m for m in map(json.loads, whole.splitlines()) if m["what"] == what]


class Client:
    """What the carriers share: `post` sends a message and gives the answer to it, or None where it has none."""

    def __init__(self, modern, can=None, token=None):
        self.modern, self.can, self.token = modern, CAN if can is None else can, token
        self.number, self.lock = 0, threading.RLock()
        self.asked, self.notes, self.related = [], [], None
        self.changed = threading.Condition()

    def remember(self, m):
        with self.changed:
            self.notes.append(m)
            self.changed.notify_all()

    def until(self, method, count=1, seconds=20):
        """The notes of a method, once there are so many of them."""
        def those():
            return [n["params"] if "params" in n else {} for n in self.notes if n["method"] == method]
        with self.changed:
            self.changed.wait_for(lambda: len(those()) >= count, seconds)
        return those()

    def message(self, method, params, meta=None):
        with self.lock:
            self.number += 1
            m = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": dict(params)}
        all_meta = dict(meta or {})
        if self.modern:
            all_meta |= {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": self.can, META + "clientInfo": {"name": "t", "version": "1"}}
        if all_meta:
            m["params"]["_meta"] = all_meta
        return m

    def request(self, method, params=None, meta=None):
        return self.post(self.message(method, params or {}, meta))

    def ask(self, method, params, meta=None):
        """A request whose questions, if it has some, are answered."""
        r = self.request(method, params, meta)
        for _ in range(8):
            result = r.get("result", {})
            if result.get("resultType") != "input_required":
                return r
            more = {"inputResponses": {}}
            for name, question in result.get("inputRequests", {}).items():
                self.asked.append(question["method"])
                more["inputResponses"][name] = ANSWERS[question["method"]]
            if "requestState" in result:
                more["requestState"] = result["requestState"]
            r = self.request(method, dict(params, **more), meta)
        return r

    def call(self, name, args=None, meta=None):
        return self.ask("tools/call", {"name": name, "arguments": args or {}}, meta)

    def hear(self, m):
        """A request or a note of the other side's; what is to be said to it, or None."""
        if "id" not in m:
            self.remember(m)
            return None
        self.asked.append(m["method"])
        if m["method"] in ANSWERS:
            related = m.get("params", {}).get("_meta", {}).get(META + "related-task")
            self.related = related and related["taskId"]
            more = {"_meta": {META + "related-task": related}} if related else {}
            return {"jsonrpc": "2.0", "id": m["id"], "result": {**ANSWERS[m["method"]], **more}}
        return {"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no such method"}}

    def open(self):
        if not self.modern:
            r = self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": self.can, "clientInfo": {"name": "t", "version": "1"}})
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
            return r
        return self.request("server/discover")


class Stdio(Client):
    def __init__(self, words, modern, env=None, **more):
        super().__init__(modern, **more)
        self.child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        self.answers = {}
        threading.Thread(target=self.read, daemon=True).start()

    def write(self, m):
        with self.lock:
            self.child.stdin.write(json.dumps(m) + "\n")
            self.child.stdin.flush()

    def read(self):
        for line in self.child.stdout:
            m = json.loads(line)
            if "method" in m:
                reply = self.hear(m)
                if reply:
                    self.write(reply)
            elif m["id"] in self.answers:
                self.answers[m["id"]].put(m)

    def post(self, m):
        if "id" in m:
            self.answers[m["id"]] = queue.Queue()
        self.write(m)
        return self.answers[m["id"]].get(timeout=40) if "id" in m else None

    def begin(self, method, params):
        """A request that nobody waits for; what cancels it."""
        m = self.message(method, params)
        self.answers[m["id"]] = queue.Queue()
        self.write(m)
        return lambda: self.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": m["id"]}})

    def listen(self):
        self.begin("subscriptions/listen", {"notifications": {"toolsListChanged": True}})

    def end(self):
        self.child.stdin.close()
        return self.child.wait(timeout=60)


class Web(Client):
    def __init__(self, port, modern, **more):
        super().__init__(modern, **more)
        self.port, self.session = port, None

    def send(self, m, verb="POST", more=()):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        head = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.token:
            head["Authorization"] = "Bearer " + self.token
        if self.session:
            head |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-11-25"}
        if self.modern:
            about = m["params"].get({"resources/read": "uri", "tasks": "taskId"}.get(m["method"] if m["method"] == "resources/read" else m["method"].split("/")[0], "name"))
            head |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": m["method"], **({"Mcp-Name": about} if about else {})}
        c.putrequest(verb, "/mcp")
        body = json.dumps(m).encode() if m else b""
        for name, value in [*head.items(), ("Content-Length", str(len(body))), *more]:
            c.putheader(name, value)
        c.endheaders(body)
        return c, c.getresponse()

    def events(self, r):
        for line in r:
            if line.startswith(b"data:") and line[5:].strip():
                yield json.loads(line[5:])

    def post(self, m):
        c, r = self.send(m)
        self.status = r.status
        if m.get("method") == "initialize":
            self.session = r.getheader("Mcp-Session-Id")
        try:
            if not r.getheader("Content-Type", "").startswith("text/event-stream"):
                body = r.read()
                return json.loads(body) if body else None
            for got in self.events(r):
                if "method" not in got:
                    return got
                reply = self.hear(got)
                if reply:
                    self.post(reply)
            return {"error": {"code": 0, "message": "the stream ended"}}
        finally:
            c.close()

    def follow(self, opened):
        c, r = opened
        try:
            for got in self.events(r):
                if "method" in got:
                    reply = self.hear(got)
                    if reply:
                        self.post(reply)
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass

    def begin(self, method, params):
        m = self.message(method, params)
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        opened = []

        def run():
            try:
                opened.append(self.send(m))
                self.follow(opened[0])
            except OSError:
                pass
        # The head of an answer that is a stream may come late, so that a thread waits for it.
        sock = {}
        real = http.client.HTTPConnection.connect

        def connect(conn):
            real(conn)
            sock.setdefault("it", conn.sock)
        http.client.HTTPConnection.connect = connect
        threading.Thread(target=run, daemon=True).start()
        end = time.monotonic() + 10
        while "it" not in sock and time.monotonic() < end:
            time.sleep(0.01)
        http.client.HTTPConnection.connect = real
        c.close()

        def cancel():
            if self.modern:
                sock["it"].shutdown(2)
            else:
                self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": m["id"]}})
        return cancel

    def listen(self):
        if self.modern:
            self.begin("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        else:
            threading.Thread(target=lambda: self.follow(self.send(None, "GET")), daemon=True).start()

    def end(self):
        return 0
