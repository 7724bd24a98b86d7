#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule top: in a pipe, as JSON, and on a real terminal (tmux), whose screen is looked at after each key. Speaks TAP."""

import http.server
import json
import os
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import FERRULE, expect, finish, run, skip  # noqa: E402

folder = tempfile.TemporaryDirectory()
env = {"HOME": folder.name, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "FERRULE_TOKEN": ""}
config = os.path.join(folder.name, "ferrule.yaml")
with open(config, "w", encoding="utf-8") as f:
    json.dump({"commands": [{"namespace": ns, "name": "go", "description": "Gives what it is given.", "effect": "Pure", "inputSchema": {"type": "object"},
                             "run": {"argv": ["true" if ns != "bad" else "false"], "stdout": "text"}} for ns in ("alpha", "beta", "bad")]}, f)

case("no gateway: said plainly", expect(run(["top"], env=env), 2, err=["no gateway of this user runs", "ferrule serve"]))
r = run(["top", "--socket", "/nowhere/x"], env=env)
case("no such socket", expect(r, r.returncode or 1, err=["/nowhere/x"]))
case("two places", expect(run(["top", "--socket", "x", "--server", "http://127.0.0.1:1"], env=env), 2, err=["exclude"]))
case("a bad interval", expect(run(["top", "--interval", "0"], env=env), 2, err=["--interval"]))
case("arguments", expect(run(["top", "x"], env=env), 2, err=["no arguments"]))
s = Server("--mode", "tools", config=config, env={"FERRULE_TOKEN": TOKEN, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""}, folder=folder.name)


def call(ns):
    s.modern("tools/call", {"name": f"{ns}__go", "arguments": {}})


for ns in ("alpha", "alpha", "alpha", "beta", "bad"):
    call(ns)
url = f"http://127.0.0.1:{s.port}"
until(lambda: sum(json.loads(run(["top", "--json"], env=env).stdout)["state"]["callsPerSecond"]) == 5)
r = run(["top"], env=env)
case("in a pipe: one look", expect(r, 0, out=["ferrule ", "ready", "calls 5", "BACKEND", "alpha", "beta", "bad", "LAST CALLS", "alpha:go"], absent=["\033["]))
rows = [line.split()[0] for line in r.stdout.decode().splitlines() if line[:5].strip() in ("alpha", "beta", "bad")]
same("the busiest first", rows[0], "alpha")
r = run(["top", "--sort", "name"], env=env)
same("by name", [line.split()[0] for line in r.stdout.decode().splitlines() if line[:5].strip() in ("alpha", "beta", "bad")], ["alpha", "bad", "beta"])
got = json.loads(run(["top", "--json"], env=env).stdout)
same("as JSON", (got["state"]["calls"], sorted(b["name"] for b in got["backends"]["backends"] if b["calls"]), len(got["recent"]["calls"])), (5, ["alpha", "bad", "beta"], 5))
case("at a URL", expect(run(["top", "--server", url + "/mcp"], env=dict(env, FERRULE_TOKEN=TOKEN)), 0, out=["calls 5"]))
r = run(["top", "--server", url], env=env)
case("without its token", expect(r, r.returncode or 1, err=["FERRULE_TOKEN"]))
narrow = run(["token", "new", "narrow", "--scope", "namespace:alpha"], env=env).stdout.decode().strip()
r = run(["top", "--server", url, "--token", "secretref:env:NARROW"], env=dict(env, NARROW=narrow))
case("with one that is for tools", expect(r, r.returncode or 1, err=["--scope namespace:none --scope scope:admin"]))
case("a token on the command line", expect(run(["top", "--server", url, "--token", TOKEN], env=env), 2, err=["secretref"]))
case("no blocks without UTF-8", [] if "▁" not in run(["top"], env=dict(env, LANG="C", LC_ALL="C")).stdout.decode() else ["there are some"])

# ---- a page as long as it may be, and longer, of a gateway that is played here
PAGE = 16 << 20


class Long(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    size = PAGE

    def do_GET(self):
        page = got[self.path.rsplit("/", 1)[1]]
        body = json.dumps(page).encode().ljust(Long.size)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # whoever asked has heard enough
        self.close_connection = True

    def log_message(self, *_):
        pass

    def address_string(self):
        return "local"


class Local(socketserver.ThreadingUnixStreamServer):
    def get_request(self):
        return super().get_request()[0], ("local", 0)


path = os.path.join(folder.name, "long")
with Local(path, Long) as long:
    threading.Thread(target=long.serve_forever, daemon=True).start()
    case("a page as long as it may be", expect(run(["top", "--once", "--socket", path], env=env), 0, out=["calls 5"]))
    Long.size = PAGE + (64 << 10)
    r = run(["top", "--once", "--socket", path], env=env)
    case("a page that is longer", expect(r, r.returncode or 1, err=["longer than"]))
    long.shutdown()

# ---- on a terminal
tmux = shutil.which("tmux")
if not tmux:
    skip("on a terminal", "no tmux")
    s.end()
    finish()
    sys.exit()
SOCKET = os.path.join(folder.name, "tmux")


def tm(*words):
    return subprocess.run([tmux, "-S", SOCKET, "-f", "/dev/null", *words], capture_output=True, text=True, timeout=30).stdout


def screen(colours=False):
    return tm("capture-pane", "-p", *(["-e"] if colours else []), "-t", "top")


def start(*words, width=130, height=30, **more):
    variables = " ".join(f"{k}='{v}'" for k, v in dict(env, LANG="C.UTF-8", LC_ALL="C.UTF-8", **more).items())
    tm("new-session", "-d", "-s", "top", "-x", str(width), "-y", str(height), f"env {variables} {FERRULE} top {' '.join(words)}; echo ENDED; sleep 600")


def see(name, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = screen()
        if what(text):
            case(name, [])
            return text
        time.sleep(0.05)
    case(name, [line for line in screen().splitlines() if line.strip()][:30] or ["an empty screen"])
    return screen()


start()
see("it draws", lambda t: "BACKEND" in t and "alpha" in t and "q quit" in t)
see("curves of blocks", lambda t: "▁" in t)
text = screen(True)
case("in colour", [] if "\033[1m" in text or "\033[31m" in text else [repr(text[:300])])
tm("send-keys", "-t", "top", "s")
see("s sorts by the next column", lambda t: "sort (errors)" in t and t.index("bad ") < t.index("alpha "))
tm("send-keys", "-t", "top", "s", "s")
see("and again: by name", lambda t: "sort (name)" in t and t.index("alpha ") < t.index("bad ") < t.index("beta "))
tm("send-keys", "-t", "top", "Down")
see("arrows choose", lambda t: "> alpha" in t)
tm("send-keys", "-t", "top", "j")
see("j, too", lambda t: "> bad" in t)
tm("send-keys", "-t", "top", "Enter")
see("Enter: one alone, with its calls", lambda t: "> bad" in t and "beta " not in t and "bad:go" in t and "alpha:go" not in t)
tm("send-keys", "-t", "top", "Enter")
see("and all again", lambda t: "beta" in t)
tm("send-keys", "-t", "top", "p")
see("p pauses", lambda t: "paused" in t)
call("beta")
time.sleep(1.5)  # longer than it waits between two looks
case("nothing moves then", [] if "calls 5 " in screen() else [screen()[:200]])
tm("send-keys", "-t", "top", "p")
see("and goes on", lambda t: "calls 6 " in t and "paused" not in t)
tm("resize-window", "-t", "top", "-x", "60", "-y", "14")
text = see("a smaller screen", lambda t: max(map(len, t.splitlines())) <= 60 and "q quit" in t and "BACKEND" in t)
for lines in (5, 1, 2, 3, 6):
    tm("resize-window", "-t", "top", "-x", "60", "-y", str(lines))
    see(f"a screen of {lines} lines", lambda t, lines=lines: "q quit" in t.splitlines()[-1] and (lines == 1 or "ready" in t))
tm("resize-window", "-t", "top", "-x", "60", "-y", "14")
text = see("and larger again", lambda t: "q quit" in t and "BACKEND" in t)
same("no line is broken", len([line for line in text.splitlines() if line.strip().startswith("ferrule ")]), 1)
s.end()
see("the gateway goes: it says so and stays", lambda t: "alpha" in t and "ConnectionLost" in t)
tm("send-keys", "-t", "top", "q")
see("q ends it, and the screen is as it was", lambda t: "ENDED" in t and "BACKEND" not in t)
tm("kill-server")
s = Server("--mode", "tools", config=config, env={"FERRULE_TOKEN": TOKEN, "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": ""}, folder=folder.name)
start(NO_COLOR="1")
see("with NO_COLOR", lambda t: "BACKEND" in t)
text = screen(True)
case("no colours", [] if "\033[3" not in text and "\033[1m" not in text else [repr(text[:300])])
tm("send-keys", "-t", "top", "C-c")
see("Ctrl-C ends it", lambda t: "ENDED" in t)
tm("kill-server")
s.end()
finish()
