# SPDX-License-Identifier: Apache-2.0
"""A client of `ferrule serve --stdio` for the tests of the command line."""

import json
import subprocess

from command_line import FERRULE


class Client:
    def __init__(self, config, *words):
        self.p = subprocess.Popen([FERRULE, "serve", "--stdio", "--attach", "never", "-C", config, *words], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.notes = []
        self.ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message):
        self.p.stdin.write((json.dumps(message) + "\n").encode())
        self.p.stdin.flush()

    def answer(self, id):
        while True:
            m = json.loads(self.p.stdout.readline())
            if m.get("id") == id:
                return m
            self.notes.append(m)

    def ask(self, id, method, params=None):
        self.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}})
        return self.answer(id)

    def note(self, wanted):
        """The first note that is so; what comes before it is kept."""
        while True:
            m = next((m for m in self.notes if wanted(m)), None)
            if m:
                return m
            self.notes.append(json.loads(self.p.stdout.readline()))

    def call(self, number, name, **args):
        return self.ask(number, "tools/call", {"name": name, "arguments": args})["result"]

    def close(self):
        self.p.stdin.close()
        self.p.stdout.read()
        self.p.stderr.read()
        return self.p.wait(30)
