#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Allocations that fail while lists, resources, prompts, questions, parked requests and tasks of a server pass through: each request is answered,
by a result or an error, or the connection ends; the gateway neither crashes nor hangs. Speaks TAP."""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_client import ANSWERS, META  # noqa: E402
from command_line import FAULTS, case, finish  # noqa: E402

SAMPLES = 600 if os.environ.get("FERRULE_LONG_TESTS") else 15 if os.environ.get("FERRULE_INSTRUMENTED") else 40
folder = tempfile.TemporaryDirectory()
ENV = dict(os.environ, HOME=folder.name, XDG_RUNTIME_DIR="", XDG_STATE_HOME="", XDG_CONFIG_HOME="", FERRULE_TOKEN="")
CAN = {"elicitation": {}, "sampling": {}, "roots": {}, "extensions": {META + "tasks": {}}}


class Session:
    """One gateway over stdio under a plan of faults, and a client that takes whatever comes."""

    def __init__(self, backend, modern, plan):
        config = os.path.join(folder.name, f"{backend}.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"b": {"command": sys.executable, "args": [os.path.join(HERE, "bridge_backend.py"), backend, "stdio", os.devnull]}}}, file)
        self.modern, self.number = modern, 0
        self.child = subprocess.Popen([FAULTS, "serve", "--stdio", "--attach", "never", "--config", config, "--mode", "transparent"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(ENV, FI=plan))
        self.watch = threading.Timer(150, self.child.kill)  # a message that is lost costs a deadline at most
        self.watch.start()

    def write(self, m):
        try:
            self.child.stdin.write(json.dumps(m) + "\n")
            self.child.stdin.flush()
        except OSError:
            pass

    def ask(self, method, **params):
        """The result, or {} where there is none; questions on the way are answered."""
        self.number += 1
        if self.modern:
            params["_meta"] = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": CAN}
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.child.stdout:
            m = json.loads(line)
            if "method" in m and "id" in m:
                self.write({"jsonrpc": "2.0", "id": m["id"], "result": ANSWERS.get(m["method"], {})})
            elif m.get("id") == self.number:
                return m.get("result") or {}
            elif "error" in m and m.get("id") is None:
                return {}
        return {}

    def through(self, method, **params):
        result = self.ask(method, **params)
        if result.get("resultType") == "input_required":
            more = {"inputResponses": {n: ANSWERS[q["method"]] for n, q in result.get("inputRequests", {}).items()}}
            self.ask(method, **params, **more, **({"requestState": result["requestState"]} if "requestState" in result else {}))
        return result

    def run(self):
        if self.modern:
            self.ask("server/discover")
        else:
            self.ask("initialize", protocolVersion="2025-11-25", capabilities=CAN, clientInfo={"name": "t", "version": "1"})
            self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
            self.ask(method)
        self.through("resources/read", uri="bridge://one")
        self.through("resources/read", uri="bridge://asks")
        self.through("prompts/get", name="asks")
        self.through("tools/call", name="elicit", arguments={})
        self.through("tools/call", name="twice", arguments={"a": [1, 2]})
        task = self.through("tools/call", name="job", arguments={}, **({} if self.modern else {"task": {}}))
        self.ask("tasks/get", taskId=task.get("taskId") or task.get("task", {}).get("taskId", "x"))

    def end(self):
        """How it ended, and what it said: below 0 it was a signal."""
        try:
            self.child.stdin.close()
        except OSError:
            pass
        for _ in self.child.stdout:
            pass
        said = self.child.stderr.read()
        code = self.child.wait()
        hung = not self.watch.is_alive()
        self.watch.cancel()
        return code, said, hung


def allocations(backend, modern, work):
    s = Session(backend, modern, "count")
    if work:
        s.run()
    return int(re.search(r"FI: malloc (\d+)", s.end()[1]).group(1))


for backend in ("legacy", "modern"):
    for modern in (False, True):
        first, last = allocations(backend, modern, False), allocations(backend, modern, True)
        problems = [] if last > first else [f"{first} {last}"]
        step = max(1, (last - first) // (SAMPLES // 4))
        for n in range(first * 9 // 10, last, step):
            s = Session(backend, modern, f"malloc@{n}")
            s.run()
            code, said, hung = s.end()
            if code < 0 or hung:
                problems += [f"malloc@{n}: ended by {code}{', it hung' if hung else ''}: {said[-500:]}"]
        case(f"{'newer' if modern else 'older'} client, {backend} server: {first} to {last} allocations, each {step}th fails", problems)
finish()
