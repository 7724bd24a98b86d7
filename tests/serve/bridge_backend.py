#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of one era over one carrier, for the tests of the bridge between eras: bridge_backend.py legacy|modern stdio|http FILE.
What it hears that has no answer (cancelled calls, levels, sessions) is written to FILE, one JSON text a line. Over HTTP it
says its URL first."""

import json
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ERA, CARRIER, FILE = sys.argv[1:4]
MODERN = ERA == "modern"
META = "io.modelcontextprotocol/"
INFO = {"name": "bridge", "version": "1"}
lock = threading.RLock()
extra = []  # tools that `grow` has added
waiting, numbers, running = {}, [0], {}
listeners = {}  # how to tell each, and what it wants to hear; of an older client, what `subscribed` has, too
subscribed = set()


def heard(what, **more):
    with lock, open(FILE, "a", encoding="utf-8") as file:
        file.write(json.dumps({"what": what, **more}) + "\n")


class Fault(Exception):
    def __init__(self, code, words, data=None):
        super().__init__(words)
        self.error = {"code": code, "message": words, **({"data": data} if data else {})}


class Cancelled(Exception):
    pass


class Talk:
    """One request under way: `say` writes a message to whoever made it."""

    def __init__(self, say):
        self.say, self.gone = say, threading.Event()

    def note(self, method, params):
        self.say({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params):
        with lock:
            numbers[0] += 1
            name = f"server-{numbers[0]}"
            waiting[name] = [threading.Event(), None]
        self.say({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
        while not waiting[name][0].wait(0.02):
            if self.gone.is_set():
                raise Cancelled()
        answer = waiting.pop(name)[1]
        if self.gone.is_set():
            raise Cancelled()
        if "error" in answer:
            raise Fault(-32000, "refused: " + answer["error"]["message"])
        return answer["result"]


def text(words):
    return {"content": [{"type": "text", "text": words}]}


# ---- tools ----

QUESTIONS = {
    "elicit": ("elicitation/create", {"message": "Which colour?", "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}}}),
    "sample": ("sampling/createMessage", {"messages": [{"role": "user", "content": {"type": "text", "text": "Say a word."}}], "maxTokens": 9}),
    "roots": ("roots/list", {}),
    "visit": ("elicitation/create", {"mode": "url", "message": "Go there.", "url": "https://example.com/", "elicitationId": "e1"}),
}


def questions(names, params, talk):
    """The answers to questions, one after the other; a modern server has them or asks for them with a result."""
    if not MODERN:
        return [talk.ask(*QUESTIONS[n]) for n in names]
    state = params.get("requestState")
    have = json.loads(state) if state else []
    given = params.get("inputResponses") or {}
    if state is not None and len(have) < len(names) and names[len(have)] in given:
        have.append(given[names[len(have)]])
    if len(have) == len(names):
        return have
    method, what = QUESTIONS[names[len(have)]]
    return {"resultType": "input_required", "inputRequests": {names[len(have)]: {"method": method, "params": what}}, "requestState": json.dumps(have)}


def asking(*names):
    def run(params, meta, talk):
        got = questions(names, params, talk)
        return got if isinstance(got, dict) else text(json.dumps(got, sort_keys=True))
    return run


def both_at_once(params, meta, talk):
    """Two questions that are out at the same time."""
    got = [None, None]

    def one(i, name):
        got[i] = talk.ask(*QUESTIONS[name])
    threads = [threading.Thread(target=one, args=x, daemon=True) for x in ((0, "elicit"), (1, "sample"))]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    return text(json.dumps(got, sort_keys=True))


def steps(params, meta, talk):
    for n in (1, 2, 3):
        if "progressToken" in meta:
            talk.note("notifications/progress", {"progressToken": meta["progressToken"], "progress": n, "total": 3, "message": f"step {n}"})
    return text("stepped")


def hang(params, meta, talk):
    heard("hanging", mark=params.get("arguments", {}).get("mark"))
    talk.gone.wait(30)
    heard("cancelled", mark=params.get("arguments", {}).get("mark"))
    raise Cancelled()


def nap(params, meta, talk):
    talk.gone.wait(2)
    return text("rested")


def grow(params, meta, talk):
    extra.append(f"grown_{len(extra)}")
    for tell, wants in list(listeners.values()):
        if wants.get("toolsListChanged"):
            tell("notifications/tools/list_changed")
    return text("grown")


def touch(params, meta, talk):
    """A resource has changed."""
    for tell, wants in list(listeners.values()):
        if "bridge://one" in (wants.get("resourceSubscriptions", ()) if MODERN else subscribed):
            tell("notifications/resources/updated", uri="bridge://one")
    return text("touched")


def pid(params, meta, talk):
    import os
    return text(str(os.getpid()))


def logs(params, meta, talk):
    for level in ("debug", "info", "error"):
        if not MODERN or META + "logLevel" in meta:
            talk.note("notifications/message", {"level": level, "logger": "bridge", "data": level + " words"})
    return text("logged")


def die(params, meta, talk):
    import os
    os._exit(3)


def elicit_and_die(params, meta, talk):
    threading.Timer(0.3, die, (params, meta, talk)).start()
    talk.ask(*QUESTIONS["elicit"])


def ask_and(what):
    """A question, and then the tool's work."""
    def run(params, meta, talk):
        try:
            talk.ask(*QUESTIONS["elicit"])
        except Cancelled:
            heard("withdrawn")
            raise
        return what(params, meta, talk)
    return run


def session_gone(params, meta, talk):
    sessions.clear()
    return text("forgotten")


# ---- tasks: by the server's choice (2026-07-28), or by the client's (2025-11-25) ----

TASKS = META + "tasks"
tasks = {}


class Task:
    def __init__(self, end):
        self.name, self.status, self.end, self.done = uuid.uuid4().hex, "working", end, threading.Event()
        self.free, self.asks, self.answered, self.answer = threading.Event(), {}, threading.Event(), None
        self.ended = {}
        tasks[self.name] = self
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            result = self.end(self)
            self.settle("failed" if result.get("isError") and not MODERN else "completed", result=result)
        except Fault as fault:
            self.settle("failed", error=fault.error)

    def settle(self, status, **end):
        with lock:
            if not self.done.is_set():
                self.status, self.ended = status, end
                self.done.set()
        self.tell()
        heard("ended")

    def tell(self):
        """A modern server tells who asked for it, with all there is; an older one everybody, how it stands."""
        for tell, wants in list(listeners.values()):
            if not MODERN:
                tell("notifications/tasks/status", **self.shown())
            elif self.name in wants.get("taskIds", ()):
                tell("notifications/tasks", **self.detailed())

    def ask(self, name):
        """What it wants to know is in tasks/get (2026-07-28), or asked of who waits for its result."""
        self.asks, self.status = {"q1": QUESTIONS[name]}, "input_required"
        self.tell()
        self.answered.wait(30)
        self.asks, self.status = {}, "working"
        return self.answer

    def take(self, answer):
        self.answer = answer
        self.answered.set()

    def detailed(self):
        asks = {"inputRequests": {k: {"method": m, "params": p} for k, (m, p) in self.asks.items()}} if self.asks else {}
        return {**self.shown(), **asks, **(self.ended if self.done.is_set() else {})}

    def shown(self):
        times = {"ttlMs": 60000, "pollIntervalMs": 50} if MODERN else {"ttl": 60000, "pollInterval": 50}
        return {"taskId": self.name, "status": self.status, "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", **times}


def sleeps(task):
    task.done.wait(30)
    return text("slept")


def breaks(task):
    raise Fault(-32603, "it broke")


def held(task):
    task.free.wait(30)
    return text("worked")


def asks(task):
    return text(json.dumps(task.ask("elicit"), sort_keys=True))


def asks_later(task):
    task.free.wait(30)
    return asks(task)


def let_go(params, meta, talk):
    for task in list(tasks.values()):
        task.free.set()
    return text("free")


stuck = set()  # tasks that have ended, and whose results are not to be had until `hand_out`
handed_out = threading.Event()


def sticks(task):
    stuck.add(task.name)
    return held(task)


def hand_out(params, meta, talk):
    handed_out.set()
    return text("handed out")


JOBS = {"job_held": held, "job_asks": asks, "job_sticks": sticks, "job_asks_later": asks_later, "job": lambda task: text("worked"), "job_fails": lambda task: {**text("it failed"), "isError": True}, "job_breaks": breaks, "job_sleeps": sleeps}


def job(params, meta, talk):
    end = JOBS[params["name"]]
    if MODERN and TASKS in meta.get(META + "clientCapabilities", {}).get("extensions", {}):
        return {"resultType": "task", **Task(end).shown()}
    if not MODERN and "task" in params:
        return {"task": Task(end).shown()}
    if not MODERN:
        raise Fault(-32601, "it must be a task")
    return end(None)


def task_of(params):
    if params.get("taskId") not in tasks:
        raise Fault(-32602, "no such task")
    return tasks[params["taskId"]]


def get_task(params, meta, talk):
    task = task_of(params)
    return task.detailed() if MODERN else task.shown()


def update_task(params, meta, talk):
    task = task_of(params)
    for answer in params["inputResponses"].values():
        task.take(answer)
    return {}


def list_tasks(params, meta, talk):
    """Two on the first page and 500 on others; the cursor of the second is an empty text."""
    names, cursor = sorted(tasks), params.get("cursor")
    at = 0 if cursor is None else int(cursor or 2)
    end = at + (500 if at else 2)
    more = {"nextCursor": str(end) if at else ""} if end < len(names) else {}
    return {"tasks": [tasks[n].shown() for n in names[at:end]], **more}


def cancel_task(params, meta, talk):
    task = task_of(params)
    task.settle("cancelled")
    return {} if MODERN else task.shown()


def task_result(params, meta, talk):
    task = task_of(params)
    while not task.done.wait(0.02):
        if talk.gone.is_set():
            raise Cancelled()
        for method, what in list(task.asks.values()):
            task.asks = {}
            related = {"_meta": {META + "related-task": {"taskId": task.name}}}
            try:
                answer = talk.ask(method, {**what, **related})
            except Fault as refused:
                task.settle("failed", error=refused.error)
                break
            heard("answered", related=answer.pop("_meta", {}).get(META + "related-task", {}).get("taskId") == task.name)
            task.take(answer)
    if task.name in stuck:
        heard("fetched")
        handed_out.wait(60)
    if "error" in task.ended:
        raise Fault(task.ended["error"]["code"], task.ended["error"]["message"])
    return {**task.ended.get("result", {}), "_meta": {META + "related-task": {"taskId": task.name}, "own": 1}}


MIRRORED = {"type": "object", "properties": {
    "region": {"type": "string", "x-mcp-header": "Region"}, "count": {"type": "integer", "x-mcp-header": "Count"},
    "dry": {"type": "boolean", "x-mcp-header": "Dry"}, "in": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}}}}
TOOLS = {
    **({"mirrored": lambda params, meta, talk: text(json.dumps(params.get("arguments")))} if MODERN else {}),
    **{name: job for name in JOBS},
    "echo": lambda params, meta, talk: text(json.dumps(params.get("arguments"))),
    "elicit": asking("elicit"), "sample": asking("sample"), "roots": asking("roots"), "visit": asking("visit"),
    "twice": asking("elicit", "sample"), "at_once": both_at_once, "steps": steps, "hang": hang, "grow": grow, "logs": logs, "touch": touch, "pid": pid, "let_go": let_go, "nap": nap, "hand_out": hand_out,
    "ask_and_hang": ask_and(hang), "ask_and_step": ask_and(steps),
    "elicit_and_die": elicit_and_die, "forget": session_gone,
}


# ---- methods ----


def call(params, meta, talk):
    run = TOOLS.get(params["name"]) or (params["name"] in extra and TOOLS["echo"])
    if not run:
        raise Fault(-32602, "no such tool")
    return run(params, meta, talk)


def read(params, meta, talk):
    uri = params["uri"]
    if uri == "bridge://asks":
        got = questions(("elicit",), params, talk)
        return got if isinstance(got, dict) else {"contents": [{"uri": uri, "text": json.dumps(got)}]}
    if uri != "bridge://one":
        raise Fault(-32602 if MODERN else -32002, "no such resource", {"uri": uri})
    return {"contents": [{"uri": uri, "text": "one"}]}


def prompt(params, meta, talk):
    got = questions(("elicit",), params, talk)
    return got if isinstance(got, dict) else {"messages": [{"role": "user", "content": {"type": "text", "text": json.dumps(got)}}]}


CAN = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True}, "prompts": {"listChanged": True}, "logging": {}}
CAN |= {"extensions": {TASKS: {}}} if MODERN else {"tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}
METHODS = {
    "tools/list": lambda *_: {"tools": [{"name": n, "description": f"Does {n}.", "inputSchema": MIRRORED if n == "mirrored" else {"type": "object"}, **({"execution": {"taskSupport": "required"}} if n in JOBS else {})}
                                       for n in [*TOOLS, *extra]]},
    "tasks/get": get_task, "tasks/cancel": cancel_task, **({"tasks/update": update_task} if MODERN else {"tasks/result": task_result, "tasks/list": list_tasks}),
    "tools/call": call, "resources/read": read, "prompts/get": prompt,
    "resources/list": lambda *_: {"resources": [{"uri": "bridge://one", "name": "one"}, {"uri": "bridge://asks", "name": "asks"}]},
    "resources/templates/list": lambda *_: {"resourceTemplates": []},
    "prompts/list": lambda *_: {"prompts": [{"name": "asks", "description": "Asks."}]},
}


def answer(m, talk):
    params = m.get("params") or {}
    meta = params.get("_meta") or {}
    method = m["method"]
    try:
        if MODERN and method == "server/discover":
            result = {"supportedVersions": ["2026-07-28"], "capabilities": CAN, "_meta": {META + "serverInfo": INFO}}
        elif not MODERN and method == "initialize":
            heard("initialize", capabilities=params.get("capabilities"))
            result = {"protocolVersion": "2025-11-25", "capabilities": CAN, "serverInfo": INFO}
        elif not MODERN and method in ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
            heard(method, level=params.get("level"), uri=params.get("uri"))
            if "uri" in params:
                (subscribed.add if method == "resources/subscribe" else subscribed.discard)(params["uri"])
            result = {}
        elif method in METHODS:
            result = METHODS[method](params, meta, talk)
        else:
            raise Fault(-32601, "no such method")
        if MODERN:
            result.setdefault("resultType", "complete")
            if method.endswith(("list", "read", "discover")):
                result |= {"ttlMs": 0, "cacheScope": "private"}
        talk.say({"jsonrpc": "2.0", "id": m["id"], "result": result})
    except Fault as fault:
        talk.say({"jsonrpc": "2.0", "id": m["id"], "error": fault.error})
    except Cancelled:
        pass


def take_answer(m):
    if m.get("id") in waiting:
        waiting[m["id"]][1] = m
        waiting[m["id"]][0].set()


def cancel(name):
    talk = running.get(name)
    if talk:
        talk.gone.set()


def listen(m, talk):
    def tell(method, **params):
        talk.note(method, {"_meta": {META + "subscriptionId": m["id"]}, **params})
    wants = m["params"]["notifications"]
    if "taskIds" in wants and TASKS not in m["params"]["_meta"][META + "clientCapabilities"].get("extensions", {}):
        talk.say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32021, "message": "it has not said that it knows tasks"}})
        return
    heard("listen", wants=wants)
    talk.note("notifications/subscriptions/acknowledged", {"_meta": {META + "subscriptionId": m["id"]}, "notifications": wants})
    listeners[id(talk)] = (tell, wants)


# ---- stdio ----


def stdio():
    def say(message):
        with lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()
    if not MODERN:
        listeners[0] = (lambda method, **params: say({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}), {"toolsListChanged": True})
    for line in sys.stdin:
        m = json.loads(line)
        if m.get("method") == "notifications/cancelled":
            cancel(m["params"]["requestId"])
        elif m.get("method") == "subscriptions/listen" and MODERN:
            listen(m, Talk(say))
        elif "method" in m and "id" in m:
            talk = running[m["id"]] = Talk(say)
            threading.Thread(target=answer, args=(m, talk), daemon=True).start()
        elif "method" not in m:
            take_answer(m)


# ---- HTTP ----

sessions = {}  # of the older era: the queue of its own stream


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms

    def log_message(self, *words):
        pass

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def stream(self, fields=()):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def say(self, message):
        with lock:
            try:
                self.wfile.write(b"data: " + json.dumps(message).encode() + b"\n\n")
                self.wfile.flush()
            except OSError:
                pass

    def do_GET(self):
        session = self.headers.get("Mcp-Session-Id")
        if MODERN or session not in sessions:
            self.refuse(405 if MODERN else 404)
            return
        self.stream()
        listeners[id(self)] = (lambda method, **params: self.say({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}), {"toolsListChanged": True})
        self.wait_for_end(lambda: session not in sessions)
        listeners.pop(id(self), None)

    def do_DELETE(self):
        sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        self.refuse(200)

    def wait_for_end(self, over):
        """Until the client is gone, or somebody says so."""
        self.connection.settimeout(0.05)
        while not over():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                continue
            except OSError:
                return

    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        session = self.headers.get("Mcp-Session-Id")
        if not MODERN and m.get("method") != "initialize" and session not in sessions:
            heard("no-session", session=session, method=m.get("method"))
            self.refuse(404 if session else 400)
            return
        if "id" not in m or "method" not in m:
            if m.get("method") == "notifications/cancelled":
                cancel((session, m["params"]["requestId"]))
            elif "method" not in m:
                take_answer(m)
            self.refuse(202)
            return
        fields = []
        if m["method"] == "initialize" and MODERN:
            self.refuse(400)
            return
        if m["method"] == "initialize":
            name = uuid.uuid4().hex
            sessions[name] = True
            fields = [("Mcp-Session-Id", name)]
        if not MODERN and m["method"] == "server/discover":
            self.refuse(400)
            return
        self.stream(fields)
        talk = Talk(self.say)
        if MODERN and m["method"] == "subscriptions/listen":
            listen(m, talk)
            self.wait_for_end(lambda: False)
            listeners.pop(id(talk), None)
            return
        running[session, m["id"]] = talk
        work = threading.Thread(target=answer, args=(m, talk), daemon=True)
        work.start()
        self.wait_for_end(lambda: not work.is_alive())
        if work.is_alive() and MODERN:
            talk.gone.set()
        work.join()


if CARRIER == "stdio":
    stdio()
else:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()
