# SPDX-License-Identifier: Apache-2.0
"""A backend of one era, a gateway before it, and clients with tokens of their own: for the tests of what passes between eras."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_client import Web, heard_in  # noqa: E402
from command_line import FERRULE, case  # noqa: E402

folder = tempfile.TemporaryDirectory()
ENV = dict(os.environ, HOME=folder.name, XDG_RUNTIME_DIR="", XDG_STATE_HOME="", XDG_CONFIG_HOME="", FERRULE_TOKEN="", ANN="ann-token-123456", BEN="ben-token-123456", CAT="cat-token-123456")


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


class Site:
    count = 0

    def __init__(self, backend="legacy", carrier="stdio", limits=None, modes=None):
        Site.count += 1
        self.modern = backend == "modern"
        self.file = os.path.join(folder.name, f"heard-{Site.count}")
        self.ledger = os.path.join(folder.name, f"state-{Site.count}")
        words = [sys.executable, os.path.join(HERE, "bridge_backend.py"), backend, carrier, self.file]
        self.backend = None
        server = {"command": words[0], "args": words[1:]}
        if carrier == "http":
            self.backend = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            server = {"url": self.backend.stdout.readline().strip()}
        config = os.path.join(folder.name, f"site-{Site.count}.json")
        people = {n: {"token": f"secretref:env:{n.upper()}", "tenant": n, **({"mode": modes[n]} if n in (modes or {}) else {})} for n in ("ann", "ben", "cat")}
        self.config = config
        self.settings = {"mcpServers": {"b": server}, "state": self.ledger, "serve": {"clients": people, "limits": {"settleMs": 30000, **(limits or {})}}}
        self.write()
        self.gateway = subprocess.Popen([FERRULE, "serve", "--config", config, "--mode", "transparent", "--listen", "0"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
        said = self.gateway.stdout.readline()
        if not said:
            raise RuntimeError(self.gateway.communicate()[1])
        self.port = int(said.split()[1].rsplit(":", 1)[1].split("/")[0])
        self.ann, self.ben = self.client("ann"), self.client("ben")

    def client(self, name, can=None, modern=True):
        return Web(self.port, modern, can=can, token=ENV[name.upper()])

    def write(self):
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump(self.settings, file)

    def reload(self, **server):
        """The server is configured in another way, and so made anew."""
        self.settings["mcpServers"]["b"].update(server)
        self.write()
        self.gateway.send_signal(signal.SIGHUP)

    def heard(self, what):
        return heard_in(self.file, what)

    def end(self, sig=signal.SIGTERM):
        self.gateway.send_signal(sig)
        code = self.gateway.wait(timeout=60)
        if self.backend:
            self.backend.stdin.close()
            self.backend.wait(timeout=30)
        return code


def code(r):
    return r.get("error", {}).get("code")


def words_of(r):
    try:
        return r["result"]["content"][0]["text"]
    except (KeyError, IndexError, TypeError):
        return r


def is_it(got, want):
    return [] if got == want else [f"got {got!r}, not {want!r}"]


def row(name, run, *args):
    try:
        case(name, run(*args))
    except Exception as e:  # pylint: disable=broad-except
        case(name, [repr(e)])
