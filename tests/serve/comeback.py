#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that is killed and comes back: what its clients had asked to hear is asked for again, without their doing. Clients and servers
of both eras, clients over both carriers. Speaks TAP."""

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_client import META, Stdio, Web, heard_in  # noqa: E402
from command_line import FERRULE, case, finish  # noqa: E402

folder = tempfile.TemporaryDirectory()
ENV = dict(os.environ, HOME=folder.name, XDG_RUNTIME_DIR="", XDG_STATE_HOME="", XDG_CONFIG_HOME="", FERRULE_TOKEN="")
URI = "bridge://one"


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


def words_of(r):
    try:
        return r["result"]["content"][0]["text"]
    except (KeyError, IndexError, TypeError):
        return r


class Cell:
    """A server over stdio, a gateway before it, and a client that has asked to hear of all there is."""

    def __init__(self, number, client, carrier, backend):
        self.file = os.path.join(folder.name, f"heard-{number}")
        config = os.path.join(folder.name, f"cell-{number}.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"b": {"command": sys.executable, "args": [os.path.join(HERE, "bridge_backend.py"), backend, "stdio", self.file]}},
                       "serve": {"limits": {"settleMs": 30000}}}, file)
        common = [FERRULE, "serve", "--config", config, "--mode", "transparent", "--attach", "never"]
        self.gateway = None
        if carrier == "stdio":
            self.client = Stdio([*common, "--stdio"], client == "modern", ENV)
        else:
            self.gateway = subprocess.Popen([*common, "--listen", "0", "--no-token"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, env=ENV)
            self.client = Web(int(self.gateway.stdout.readline().split()[1].rsplit(":", 1)[1].split("/")[0]), client == "modern")
        self.client.open()
        self.meta = {META + "logLevel": "info"} if self.client.modern else {}

    def ask_to_hear(self):
        if self.client.modern:
            self.client.begin("subscriptions/listen", {"notifications": {"toolsListChanged": True, "resourceSubscriptions": [URI]}})
            return [] if self.client.until("notifications/subscriptions/acknowledged") else ["it was not acknowledged"]
        if self.gateway:  # its stream is open before anything is to be heard on it
            threading.Thread(target=self.client.follow, args=(self.client.send(None, "GET"),), daemon=True).start()
        answers = [self.client.request("resources/subscribe", {"uri": URI}), self.client.request("logging/setLevel", {"level": "info"})]
        return [str(a) for a in answers if "result" not in a]

    def told(self, tool, method):
        """A tool of the server's that makes it say something."""
        before = len(self.client.until(method, 0, 0))
        said = words_of(self.client.call(tool, {}, self.meta))
        news = self.client.until(method, before + 1)
        return ([] if len(news) > before else [f"{method} was not told"]) + ([] if said in ("touched", "logged", "grown") else [str(said)]), news

    def heard(self, what):
        return heard_in(self.file, what)

    def wants(self, backend):
        """How often the server was asked to say that the resource has changed."""
        if backend == "modern":
            return len([m for m in self.heard("listen") if URI in m["wants"].get("resourceSubscriptions", [])])
        return len([m for m in self.heard("resources/subscribe") if m["uri"] == URI])

    def kill(self):
        victim = int(words_of(self.client.call("pid")))
        os.kill(victim, signal.SIGKILL)
        now = until(lambda: (lambda w: isinstance(w, str) and w.isdigit() and int(w) != victim)(words_of(self.client.call("pid"))))
        return [] if now else ["no call was served by another process"]

    def end(self):
        code = self.client.end()
        if self.gateway:
            self.gateway.terminate()
            code = self.gateway.wait(timeout=60)
        return [] if code == 0 else [f"exit {code}"]


def hears(cell):
    problems, news = cell.told("touch", "notifications/resources/updated")
    problems += [] if news and news[-1].get("uri") == URI else [str(news)]
    problems += cell.told("logs", "notifications/message")[0]
    return problems + cell.told("grow", "notifications/tools/list_changed")[0]


for number, (client, carrier, backend) in enumerate(itertools.product(("legacy", "modern"), ("stdio", "http"), ("legacy", "modern"))):
    name = f"{client} client over {carrier}, {backend} server"
    cell = Cell(number, client, carrier, backend)
    try:
        case(f"{name}: it asks to hear of a resource, of lists and of logs", cell.ask_to_hear())
        case(f"{name}: it hears", hears(cell))
        wanted = cell.wants(backend)
        case(f"{name}: kill -9; a call is served by the next process", cell.kill())
        case(f"{name}: which is asked for the same", [] if until(lambda: cell.wants(backend) > wanted) else [f"asked {wanted} times"])
        if backend == "legacy" and client == "legacy":
            levels = [m["level"] for m in cell.heard("logging/setLevel")]
            case(f"{name}: and told the level of logs", [] if len(levels) >= 2 and levels[-1] == "info" else [str(levels)])
        case(f"{name}: it hears on", hears(cell))
    except Exception as e:  # pylint: disable=broad-except
        case(name, [repr(e)])
    case(f"{name}: its end", cell.end())
finish()
