#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A gateway behind a real nginx, by the configuration that docs/operate.md shows: TLS ends there, answers stream, hosts are checked, what is
for the inside stays there. Skipped where there is no nginx. Speaks TAP."""

import http.client
import json
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import MODERN, TOKEN, Server, case, same, until  # noqa: E402
from command_line import SOURCE, finish, skip  # noqa: E402

nginx = shutil.which("nginx") or ("/usr/sbin/nginx" if os.path.exists("/usr/sbin/nginx") else None)
if not nginx or not shutil.which("openssl"):
    skip("behind nginx", "no nginx, or no openssl")
    finish()
    sys.exit()
folder = tempfile.TemporaryDirectory()


def free_port():
    """Below those that the system gives to whoever asks for any: nobody gets it before nginx does."""
    while True:
        port = random.randrange(12000, 30000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port


PORT = free_port()
subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "gateway.key", "-out", "gateway.pem",
                "-days", "2", "-subj", "/CN=gateway.example", "-addext", "subjectAltName=DNS:gateway.example"], cwd=folder.name, check=True, capture_output=True)
s = Server("--allow-host", "gateway.example", "--expose", "b:*")
with open(os.path.join(SOURCE, "docs", "operate.md"), encoding="utf-8") as f:
    block = re.search(r"<!-- nginx -->\n```nginx\n(.*?)```", f.read(), re.S).group(1)
# Names and places are the test's. It must start with the nginx of Debian 12, which does not know `http2 on`.
block = block.replace("listen 443 ssl http2;", f"listen 127.0.0.1:{PORT} ssl http2;", 1).replace("/etc/ssl/", folder.name + "/").replace("127.0.0.1:7575", f"127.0.0.1:{s.port}")
case("the file is for nginx 1.22 too", [line for line in block.splitlines() if line.strip().startswith("http2 ")])
with open(os.path.join(folder.name, "nginx.conf"), "w", encoding="utf-8") as f:
    f.write(f"pid {folder.name}/pid;\nerror_log stderr;\ndaemon off;\nworker_processes 1;\nevents {{}}\nhttp {{\naccess_log off;\n" +
            "".join(f"{k}_temp_path {folder.name}/{k};\n" for k in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) + block + "}\n")
os.chmod(folder.name, 0o755)
proxy = subprocess.Popen([nginx, "-p", folder.name, "-c", os.path.join(folder.name, "nginx.conf")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)


def is_up():
    with socket.socket() as c:
        return c.connect_ex(("127.0.0.1", PORT)) == 0 or proxy.poll() is not None


until(is_up)
if proxy.poll() is not None:
    case("nginx takes the configuration", [proxy.stderr.read()[-1500:]])
    finish()
    sys.exit()
context = ssl.create_default_context(cafile=os.path.join(folder.name, "gateway.pem"))


class Through(http.client.HTTPSConnection):
    def connect(self):
        raw = socket.create_connection(("127.0.0.1", PORT), timeout=30)
        self.sock = context.wrap_socket(raw, server_hostname="gateway.example")


def ask(method, path, body=None, headers=None, token=TOKEN, raw=False):
    c = Through("gateway.example", context=context)
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token:
        fields["Authorization"] = "Bearer " + token
    fields.update(headers or {})
    c.request(method, path, json.dumps(body) if isinstance(body, dict) else body, fields)
    r = c.getresponse()
    if raw:
        return c, r
    text = r.read().decode()
    c.close()
    return r.status, dict((k.lower(), v) for k, v in r.getheaders()), text


def modern(method, params=None, raw=False, **meta):
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if params and "name" in params:
        headers["Mcp-Name"] = params["name"]
    return ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {}, _meta=dict(MODERN, **meta))}, headers, raw=raw)


same("TLS ends at nginx, the answer is ours", ask("GET", "/healthz")[::2], (200, "ok\n"))
same("a token is passed on", modern("tools/list")[0], 200)
same("without one", ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, token=None)[0], 401)
same("the challenge passes", "www-authenticate" in ask("POST", "/mcp", {}, token=None)[1], True)
status, head, text = ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
sid = head.get("mcp-session-id")
case("a session of an older version, by its header", [] if status == 200 and sid else [f"{status} {text}"])
c, r = modern("tools/call", {"name": "slow", "arguments": {}}, raw=True, progressToken="p")
first = r.readline().decode() + r.readline().decode()  # before the rest is there
more = r.read().decode()
case("events come as they are said: progress before the answer", [] if r.getheader("Content-Type", "").startswith("text/event-stream") and "notifications/progress" in first and
     '"result"' not in first and '"result"' in more else [first, more])
c.close()
c, r = ask("GET", "/mcp", None, {"Mcp-Session-Id": sid, "MCP-Protocol-Version": "2025-11-25"}, raw=True)
same("the stream of a session opens at once", (r.status, r.getheader("Content-Type", "").split(";")[0]), (200, "text/event-stream"))
c.close()
big = "x" * 1_000_000  # a text may be 1 MiB
status, head, text = modern("tools/call", {"name": "run_tool", "arguments": {"id": "text:count", "args": {"text": big}}}, **{"x.example/pad": [big, big]})
case("a body of 3 MB", [] if status == 200 and '"words":1' in text.replace(" ", "") else [f"{status} {text[:400]}"])
same("one that is too large ends at nginx", ask("POST", "/mcp", "x" * 5_000_000)[0], 413)
for path in ("/metrics", "/admin/v1/state"):
    same(f"{path} is for the inside", ask("GET", path)[0], 403)
same("a page of another origin", ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Origin": "https://evil.example"})[0], 403)
same("a host that is not ours does not reach it", ask("GET", "/healthz", headers={"Host": "evil.example"})[0], 403)
# A client that goes away has cancelled, through the proxy, too.
c, r = modern("tools/call", {"name": "slow", "arguments": {"wait": True}}, raw=True, progressToken="q")
r.readline()
busy = lambda: json.loads(s.ask("GET", "/admin/v1/state")[2])["running"]  # noqa: E731
until(lambda: busy() == 1)
c.sock.shutdown(socket.SHUT_RDWR)
c.close()
case("who goes away has cancelled", [] if until(lambda: busy() == 0) else ["it runs on"])
s.end()
same("a gateway that is away: 502, and nginx goes on", ask("GET", "/healthz")[0], 502)
proxy.terminate()
proxy.wait(30)
finish()
