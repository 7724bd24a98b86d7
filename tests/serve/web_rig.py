# SPDX-License-Identifier: Apache-2.0
"""A real `ferrule serve` over HTTP, for the tests that ask one."""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case  # noqa: E402

CONFIG = os.path.join(HERE, "tools.yaml")
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
home = tempfile.TemporaryDirectory()
TOKEN = "a-token-of-the-test"


class Server:
    """A server on the loopback; `env` None: it takes the token of the tests."""

    def __init__(self, *words, config=CONFIG, env=None, listen="0", folder=None):
        own = {k: v for k, v in os.environ.items() if k not in ("XDG_CONFIG_HOME", "FERRULE_TOKEN")}
        own.update({"FERRULE_TOKEN": TOKEN} if env is None else env)
        own["HOME"] = folder or home.name
        self.child = subprocess.Popen([FERRULE, "serve", "--config", config, *(["--listen", listen] if listen else []), *words], env=own,
                                      text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = self.child.stdout.readline()
        if not self.said:
            raise RuntimeError(self.child.communicate()[1])
        self.port = int(self.said.rsplit(":", 1)[1].split("/")[0])

    def ask(self, method, path, body=None, headers=None, token=TOKEN, raw=False):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token:
            fields["Authorization"] = "Bearer " + token
        fields.update(headers or {})
        c.request(method, path, body if isinstance(body, (str, bytes)) or body is None else json.dumps(body),
                  {k: v for k, v in fields.items() if v is not None})
        r = c.getresponse()
        if raw:
            return c, r
        text = r.read().decode()
        c.close()
        return r.status, {k.lower(): v for k, v in r.getheaders()}, text

    def modern(self, method, params=None, headers=None, **more):
        fields = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if params and "name" in params:
            fields["Mcp-Name"] = params["name"]
        fields.update(headers or {})
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {}, _meta=dict(MODERN, **more.pop("meta", {})))}
        return self.ask("POST", "/mcp", body, fields, **more)

    def session(self, version="2025-11-25", token=TOKEN):
        status, head, text = self.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}, token=token)
        return head.get("mcp-session-id"), status, text

    def end(self, sig=signal.SIGTERM):
        self.child.send_signal(sig)
        return self.child.wait(timeout=60)


def same(name, got, want):
    case(name, [] if got == want else [f"got {got!r}, not {want!r}"])


def code_of(text):
    return json.loads(text).get("error", {}).get("code")


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()
