#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bridge between eras: {older, newer} client x {older, newer} server x {stdio, HTTP} on each side. Each of the sixteen asks for the same
and sees the same, by the means of its own era. Speaks TAP."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_client import ANSWERS, CAN, META, Stdio, Web, heard_in  # noqa: E402
from command_line import FERRULE, case, finish  # noqa: E402

folder = tempfile.TemporaryDirectory()
ENV = dict(os.environ, HOME=folder.name, XDG_RUNTIME_DIR="", XDG_STATE_HOME="", XDG_CONFIG_HOME="", FERRULE_TOKEN="")


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


class Cell:
    """A backend, a gateway before it, and a client of it."""
    count = 0

    def __init__(self, client, client_carrier, backend, backend_carrier, can=None):
        Cell.count += 1
        self.backend_era = backend
        self.file = os.path.join(folder.name, f"heard-{Cell.count}")
        words = [sys.executable, os.path.join(HERE, "bridge_backend.py"), backend, backend_carrier, self.file]
        self.backend = None
        server = {"command": words[0], "args": words[1:]}
        if backend_carrier == "http":
            self.backend = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            server = {"url": self.backend.stdout.readline().strip()}
        config = os.path.join(folder.name, f"cell-{Cell.count}.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"b": server}, "serve": {"limits": {"settleMs": 30000}}}, file)
        common = [FERRULE, "serve", "--config", config, "--mode", "transparent"]
        self.gateway = None
        if client_carrier == "stdio":
            self.client = Stdio([*common, "--stdio", "--attach", "never"], client == "modern", ENV, can=can)
        else:
            self.gateway = subprocess.Popen([*common, "--listen", "0", "--no-token"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, env=ENV)
            self.port = int(self.gateway.stdout.readline().split()[1].rsplit(":", 1)[1].split("/")[0])
            self.client = Web(self.port, client == "modern", can=can)
        self.hello = self.client.open()

    def heard(self, what):
        return heard_in(self.file, what)

    def end(self):
        code = self.client.end()
        if self.gateway:
            self.gateway.terminate()
            code = self.gateway.wait(timeout=60)
        if self.backend:
            self.backend.stdin.close()
            self.backend.wait(timeout=30)
        return code


def words_of(r):
    try:
        return r["result"]["content"][0]["text"]
    except (KeyError, IndexError, TypeError):
        return r


# ---- what every pair shows: a name, and what is wrong (nothing where all is well) ----


def is_it(got, want):
    return [] if got == want else [f"got {got!r}, not {want!r}"]


def question(tool, *methods):
    def run(cell):
        cell.client.asked.clear()
        got = words_of(cell.client.call(tool))
        want = json.dumps([ANSWERS[m] for m in methods], sort_keys=True)
        return is_it(got, want) + is_it(cell.client.asked, list(methods))
    return run


def resource_asks(cell):
    r = cell.client.ask("resources/read", {"uri": "bridge://asks"})
    return is_it(json.loads(r.get("result", {}).get("contents", [{"text": json.dumps(r)}])[0]["text"]), [ANSWERS["elicitation/create"]])


def prompt_asks(cell):
    r = cell.client.ask("prompts/get", {"name": "asks"})
    return is_it(r.get("result", {}).get("messages", [{}])[0].get("content", {}).get("text"), json.dumps([ANSWERS["elicitation/create"]]))


def progress(cell):
    cell.client.notes.clear()
    r = cell.client.call("steps", {}, {"progressToken": "p"})
    got = cell.client.until("notifications/progress", 3)
    return is_it([(n["progressToken"], n["progress"], n["message"]) for n in got], [("p", i, f"step {i}") for i in (1, 2, 3)]) + is_it(words_of(r), "stepped")


def cancel(cell):
    stop = cell.client.begin("tools/call", {"name": "hang", "arguments": {"mark": "m"}})
    problems = [] if until(lambda: cell.heard("hanging")) else ["the call never came"]
    stop()
    return problems + ([] if until(lambda: cell.heard("cancelled")) else ["the server was not told"])


def list_changed(cell):
    cell.client.listen()
    if cell.client.modern:
        cell.client.until("notifications/subscriptions/acknowledged")
    before = len(cell.client.until("notifications/tools/list_changed", 0, 0))
    problems = is_it(words_of(cell.client.call("grow")), "grown")
    if not cell.client.until("notifications/tools/list_changed", before + 1):
        problems += ["nothing was told"]

    def names():
        return [t["name"] for t in cell.client.request("tools/list")["result"]["tools"]]
    return problems + ([] if until(lambda: "grown_0" in names()) else [f"not in the list: {names()}"])


def logging(cell):
    cell.client.notes.clear()
    meta = {}
    if cell.client.modern:
        meta = {META + "logLevel": "info"}
    else:
        cell.client.request("logging/setLevel", {"level": "info"})
    problems = is_it(words_of(cell.client.call("logs", {}, meta)), "logged")
    got = [n["level"] for n in cell.client.until("notifications/message", 2) if n.get("logger") == "bridge"]
    return problems + is_it(got, ["info", "error"])


def codes(cell):
    r = cell.client.request("resources/read", {"uri": "bridge://none"})
    tool = cell.client.request("tools/call", {"name": "nothing", "arguments": {}})
    method = cell.client.request("no/such")
    want = [-32602 if cell.client.modern else -32002, -32602, -32601]
    return is_it([x.get("error", {}).get("code") for x in (r, tool, method)], want)


def status_of(cell, name):
    return cell.client.request("tasks/get", {"taskId": name}).get("result", {}).get("status")


def newer_task(cell):
    c = cell.client
    c.can = {**CAN, "extensions": {META + "tasks": {}}}
    name = c.request("tools/call", {"name": "job_asks", "arguments": {}})["result"]["taskId"]
    until(lambda: status_of(cell, name) == "input_required")
    asked = c.request("tasks/get", {"taskId": name})["result"]["inputRequests"]
    c.request("tasks/update", {"taskId": name, "inputResponses": {k: ANSWERS[q["method"]] for k, q in asked.items()}})
    until(lambda: status_of(cell, name) == "completed")
    problems = is_it(words_of(c.request("tasks/get", {"taskId": name})["result"]), json.dumps(ANSWERS["elicitation/create"], sort_keys=True))
    name = c.request("tools/call", {"name": "job_held", "arguments": {}})["result"]["taskId"]
    c.notes.clear()
    c.begin("subscriptions/listen", {"notifications": {"taskIds": [name]}})
    c.until("notifications/subscriptions/acknowledged")
    if cell.backend_era == "modern":
        until(lambda: any(name_there(m) for m in cell.heard("listen")))
    c.call("let_go")
    n = c.until("notifications/tasks")[-1]
    return problems + is_it((n["taskId"], n["status"], words_of(n)), (name, "completed", "worked"))


def name_there(m):
    return m["wants"].get("taskIds")


def older_task(cell):
    c = cell.client
    began = c.request("tools/call", {"name": "job_asks", "arguments": {}, "task": {}})["result"]["task"]["taskId"]
    problems = is_it(words_of(c.request("tasks/result", {"taskId": began})), json.dumps(ANSWERS["elicitation/create"], sort_keys=True))
    held = c.request("tools/call", {"name": "job_held", "arguments": {}, "task": {}})["result"]["task"]["taskId"]
    c.call("let_go")
    ends = until(lambda: [n for n in c.until("notifications/tasks/status") if (n["taskId"], n["status"]) == (held, "completed")])
    names = {t["taskId"] for t in c.request("tasks/list")["result"]["tasks"]}
    return problems + ([] if ends else ["its end was not told"]) + is_it(names, {began, held})


def task(cell):
    """In the way of the client's era; a server of 2026-07-28 has none for an older client, which gets the result."""
    if cell.client.modern:
        return newer_task(cell)
    if cell.backend_era == "legacy":
        return older_task(cell)
    return is_it(words_of(cell.client.call("job")), "worked")


ROWS = [
    ("a call", lambda cell: is_it(words_of(cell.client.call("echo", {"n": 12345678901234567890})), '{"n": 12345678901234567890}')),
    ("elicitation", question("elicit", "elicitation/create")),
    ("sampling", question("sample", "sampling/createMessage")),
    ("roots", question("roots", "roots/list")),
    ("two rounds", question("twice", "elicitation/create", "sampling/createMessage")),
    ("a URL", question("visit", "elicitation/create")),
    ("a resource that asks", resource_asks),
    ("a prompt that asks", prompt_asks),
    ("progress", progress),
    ("cancel", cancel),
    ("list_changed", list_changed),
    ("levels of logs", logging),
    ("tasks", task),
    ("codes of errors", codes),
]

for client, client_carrier, backend, backend_carrier in itertools.product(("legacy", "modern"), ("stdio", "http"), ("legacy", "modern"), ("stdio", "http")):
    name = f"{client} client over {client_carrier}, {backend} server over {backend_carrier}"
    cell = Cell(client, client_carrier, backend, backend_carrier)
    for row, run in ROWS:
        try:
            case(f"{name}: {row}", run(cell))
        except Exception as e:  # pylint: disable=broad-except
            case(f"{name}: {row}", [repr(e)])
    case(f"{name}: its end", is_it(cell.end(), 0))
finish()
