#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule serve --stdio and the gateway that it attaches to: started once for all, found again, lost and found anew. Speaks TAP."""

import glob
import json
import os
import queue
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case, expect, finish, run  # noqa: E402

CONFIG = os.path.join(HERE, "tools.yaml")
HELLO = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
READY = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
SECONDS = 60


class Place:
    """A home and a folder for sockets of its own; what was started here ends with it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.run = os.path.join(self.folder.name, "run")
        os.mkdir(self.run, 0o700)
        self.env = {**os.environ, "HOME": self.folder.name, "XDG_RUNTIME_DIR": self.run, "XDG_CONFIG_HOME": "", "FERRULE_TOKEN": "t"}
        self.clients = []

    def client(self, *more, config=CONFIG):
        c = Client([FERRULE, "serve", "--stdio", "--config", config, *more], self.env, self.folder.name)
        self.clients.append(c)
        return c

    def gateways(self):
        """The processes that serve this place, by their locks."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    mine = ("XDG_RUNTIME_DIR=" + self.run).encode() in file.read().split(b"\0")
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    ended = file.read().rsplit(")", 1)[1].split()[0] == "Z"
            except OSError:
                continue
            if mine and not ended and b"--daemon" in words:
                found.append(int(pid))
        return found

    def end(self):
        for c in self.clients:
            c.close()
        for pid in self.gateways():
            os.kill(pid, signal.SIGTERM)
        wait(lambda: not self.gateways())


class Client:
    def __init__(self, words, env, cwd):
        self.child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd, text=True)
        self.lines, self.errors = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=lambda: self.errors.extend(self.child.stderr), daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def say(self, *lines):
        for line in lines:
            self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def hear(self):
        try:
            return self.lines.get(timeout=SECONDS)
        except queue.Empty:
            return None

    def ask(self, number, name, arguments=None):
        self.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments or {}}}))

    def answer(self):
        line = self.hear()
        return json.loads(line) if line else {}

    def open(self):
        self.say(HELLO)
        line = self.hear()
        self.say(READY)
        return line

    def close(self):
        """The exit code, after the end of its input."""
        if not self.child.stdin.closed:
            self.child.stdin.close()
        try:
            return self.child.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.child.kill()
            return -1


def wait(condition):
    end = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def words_of(answer):
    return answer.get("result", {}).get("structuredContent", {}).get("result", {}).get("words")


# ---- two clients that start at once share one gateway; bytes are those of a gateway in the process itself
place = Place()
clients = [place.client("--attach", "start", "--expose", "b:*") for _ in range(4)]
hellos = [c.open() for c in clients]
alone = place.client("--attach", "never", "--expose", "b:*")
problems = [] if len(set(hellos)) == 1 and hellos[0] == alone.open() else hellos
problems += [] if len(place.gateways()) == 1 else [f"gateways: {place.gateways()}"]
for number, c in enumerate([*clients, alone]):
    c.ask("é\"x" if number == 0 else number, "exact")
answers = [c.hear() for c in [*clients, alone]]
bodies = {re.sub(r'"id":("(\\.|[^"\\])*"|\d+)', "", a or "") for a in answers}
problems += [] if len(bodies) == 1 and '"tiny":1e-400' in answers[0] and json.loads(answers[0])["id"] == 'é"x' else answers
case("four that start at once share one gateway, and bytes pass as they are", problems)
files = {os.path.basename(f): stat.S_IMODE(os.stat(f).st_mode) for f in glob.glob(place.run + "/ferrule/*")}
problems = [] if stat.S_IMODE(os.stat(place.run + "/ferrule").st_mode) == 0o700 and all(mode == 0o600 for mode in files.values()) else [files]
case("the folder and its files are this user's alone", problems)

# ---- what a session has said that lasts is said again to the next gateway, and its answers are kept back
lasting = Place()
c = lasting.client("--attach", "start", "--expose", "b:*")
c.open()
c.say('{"jsonrpc":"2.0","id":"level","method":"logging/setLevel","params":{"level":"info"}}')
problems = [] if c.answer().get("id") == "level" else ["no answer to setLevel"]


def told(number):
    """Messages and answers until the one to this request."""
    c.ask(number, "exact")
    seen = []
    while not seen or seen[-1].get("id") != number:
        seen.append(c.answer())
        if not seen[-1]:
            break
    return seen


def logs(number):
    """Whether log messages come along, of the gateway that answers; one that is being killed may be met first."""
    for attempt in range(20):
        seen = told(f"{number}.{attempt}")
        if "error" not in seen[-1]:
            return [m.get("method") or m.get("id") for m in seen]
        time.sleep(0.1)
    return seen


before = logs(1)
problems += [] if "notifications/message" in before else [f"no log before: {before}"]
for pid in lasting.gateways():
    os.kill(pid, signal.SIGKILL)
wait(lambda: not lasting.gateways())
after = logs(2) + logs(3)
problems += [] if "notifications/message" in after and not [x for x in after if "ferrule-again" in str(x)] else [f"after: {after}"]
case("kill -9 of the gateway: the level of the log is said again", problems)
c.close()
lasting.end()

# ---- the gateway is killed: what runs is answered with an error, and the session goes on
clients[0].ask(77, "slow", {"wait": True})
clients[1].ask(78, "list_namespaces")
problems = [] if clients[1].answer().get("id") == 78 else ["the second client got no answer"]
old = place.gateways()
for pid in old:
    os.kill(pid, signal.SIGKILL)
a = clients[0].answer()
problems += [] if a.get("id") == 77 and a.get("error", {}).get("code") == -32603 and "not known" in a["error"]["message"] else [a]
COUNT = {"id": "text:count", "args": {"text": "a b c"}}
for c in clients:
    c.ask(5, "run_tool", COUNT)
got = [c.answer() for c in clients]
# A killed process closes its sockets one after the other: who asked before its own was closed, or came to the old gateway's door once
# more, has asked the old one. It is told so, and asks again.
for number, c in enumerate(clients):
    for again in (6, 7, 8):
        if "not known" in got[number].get("error", {}).get("message", ""):
            c.ask(again, "run_tool", COUNT)
            got[number] = c.answer()
problems += [] if all(g.get("id") in (5, 6, 7, 8) and words_of(g) == 3 for g in got) else got
problems += [] if len(place.gateways()) == 1 and place.gateways() != old else [place.gateways()]
case("kill -9 of the gateway: an error for what ran, and the next call succeeds on the same connection", problems)
problems = [f"exit {c.close()}" for c in clients if c.close() != 0] + [c.errors for c in clients if not any("attached to another gateway" in e for e in c.errors)]
case("clients end well", problems)
place.end()

# ---- a gateway that was started ends when nobody is there, and another one comes
place = Place()
c = place.client("--attach", "start", "--idle", "1")
c.open()
first = place.gateways()
problems = [] if len(first) == 1 and c.close() == 0 else [first]
problems += [] if wait(lambda: not place.gateways()) else ["it did not end"]
problems += [] if not glob.glob(place.run + "/ferrule/*[0-9a-f]") else ["the socket is still there"]
c = place.client("--attach", "start", "--idle", "1")
c.open()
c.ask(1, "list_namespaces")
problems += [] if c.answer().get("id") == 1 and place.gateways() != first else ["no second gateway"]
case("a gateway without clients ends", problems)
# one after the other, faster than it can end: each is served
problems = []
for i in range(20):
    c2 = place.client("--attach", "start", "--idle", "1")
    c2.open()
    c2.ask(i + 1, "list_namespaces")
    if c2.answer().get("id") != i + 1 or c2.close() != 0:
        problems.append(f"client {i}: {c2.errors}")
case("clients that come and go", problems)
place.end()

# ---- a server over HTTP is attached to as well; SIGTERM drains both
place = Place()
web = subprocess.Popen([FERRULE, "serve", "--config", CONFIG, "--listen", "0"], env=place.env, cwd=place.folder.name, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
web.stdout.readline()
sockets = lambda: [f for f in glob.glob(place.run + "/ferrule/*") if stat.S_ISSOCK(os.stat(f).st_mode) and not f.endswith(".http")]  # noqa: E731
problems = [] if wait(lambda: sockets()) else ["no socket"]
c = place.client()
c.open()
c.ask(1, "run_tool", {"id": "text:count", "args": {"text": "a b"}})
problems += [] if words_of(c.answer()) == 2 and not place.gateways() else ["not attached"]
web.terminate()
problems += [] if web.wait(timeout=SECONDS) == 0 else ["it ended badly"]
c.ask(2, "list_namespaces")
a = c.answer()
problems += [] if a.get("id") == 2 and "--attach start" in a.get("error", {}).get("message", "") else [a]
problems += [] if c.close() == 0 and not sockets() else ["the end"]
case("attached to a server over HTTP, until it ends", problems)

# ---- nobody to attach to; what stands against it
c = place.client()
c.open()
problems = [] if not sockets() and c.close() == 0 else ["it did not serve by itself"]
case("without a gateway the process serves by itself", problems)
open(place.run + "/ferrule/x", "w").close()
os.chmod(place.run + "/ferrule", 0o755)
c = place.client("--attach", "start")
c.open()
problems = [] if c.close() == 0 and any("only you may use" in e and "serving in this process" in e for e in c.errors) and not place.gateways() else [c.errors]
case("a folder that others may use is not used", problems)
os.chmod(place.run + "/ferrule", 0o700)
bad = os.path.join(place.folder.name, "bad.yaml")
with open(bad, "w", encoding="utf-8") as file:
    file.write("nothing: 1\n")
c = place.client("--attach", "start", config=bad)
problems = [] if c.close() == 2 and any("exit code 2" in e for e in c.errors) and any("is not a known property" in e for e in c.errors) else [c.errors]
case("a gateway that cannot start says why", problems)
place.end()

# ---- a socket that somebody left, or that nobody serves, is taken over
place = Place()
c = place.client("--attach", "start")
c.open()
path = sockets()
for pid in place.gateways():
    os.kill(pid, signal.SIGKILL)
wait(lambda: not place.gateways())
problems = [] if sockets() == path else ["no socket was left"]
c2 = place.client("--attach", "start")
c2.open()
c2.ask(1, "list_namespaces")
problems += [] if c2.answer().get("id") == 1 and len(place.gateways()) == 1 else ["not taken over"]
r = subprocess.run([FERRULE, "serve", "--daemon", "--config", CONFIG], env=place.env, cwd=place.folder.name, capture_output=True, timeout=SECONDS)
problems += expect(r, 0, [], ["another gateway serves this configuration already"])
case("a socket that was left is taken over, one that is served is not", problems)
for c in (c, c2):
    c.close()
place.end()

ROWS = [
    ("--daemon and --stdio", ["serve", "--daemon", "--stdio"], ["--daemon goes without"]),
    ("--idle must be a number", ["serve", "--daemon", "--idle", "0"], ["--idle takes a whole number"]),
    ("--idle is a day at most", ["serve", "--daemon", "--idle", "86401"], ["--idle takes a whole number from 1 to 86400"]),
    ("--stdio listens nowhere", ["serve", "--stdio", "--listen", "0"], ["--listen is for HTTP"]),
    ("--idle goes with what ends by itself", ["serve", "--idle", "5"], ["--idle goes with --daemon"]),
    ("--attach knows three words", ["serve", "--stdio", "--attach", "always"], ["--attach takes one of"]),
]
place = Place()
for name, words, err in ROWS:
    case(name, expect(run(words, env=place.env), 2, [], err))

# ---- a day of --idle; 1,000 requests whose end is told when the gateway ends, which are as many as it takes
gate = place.client("--attach", "start", "--idle", "86400")
gate.open()
for i in range(1001):
    gate.ask(i + 1, "run_tool", {"id": "b:slow", "args": {"wait": True}})
first = gate.answer()
problems = [] if first.get("id") == 1001 and "result" not in first else [str(first)[:300]]
for pid in place.gateways():
    os.kill(pid, signal.SIGKILL)
ends = [gate.answer() for _ in range(1000)]
problems += [] if sorted(e.get("id", 0) for e in ends) == list(range(1, 1001)) else [str([e for e in ends if not e][:3])]
problems += [str(e)[:200] for e in ends if e.get("error", {}).get("code") != -32603][:3]
case("1,000 requests are told that their gateway has ended; one more was refused", problems)
gate.close()

# ---- lines of every kind pass: a batch, garbage, a line past the limit, a last one without its end
gate = place.client("--attach", "start")
gate.say("[1,2]", "{broken", '{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"x":"' + "y" * (5 << 20) + '"}')
seen = [gate.hear() for _ in range(4)]
problems = [] if any("-32700" in (s or "") for s in seen) and any('"id":1' in (s or "") for s in seen) and any("more bytes" in (s or "") for s in seen) else [str(s)[:200] for s in seen]
gate.child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"ping"}')
gate.child.stdin.flush()
problems += [] if gate.close() == 0 and '"id":2' in (gate.hear() or "") else ["the last line"]
case("lines of every kind", problems)
for last in ("garbage", "[1,2]", '{"x":1}', "[]", "", '{"jsonrpc":"2.0","id":null,"method":"ping"}'):
    heard = []
    for how in ("start", "never"):
        gate = place.client("--attach", how)
        gate.say(last)
        code = gate.close()
        heard.append([code, *iter(gate.hear, None)])
    case(f"the last line is no message, and answered as by a gateway of its own: {last!r}", [] if heard[0] == heard[1] else [str(heard)])
place.end()

# ---- lines of a gateway, which is played here: as long as they may be, and longer
LINE = 64 << 20
place = Place()
first = place.client("--attach", "start")
first.open()
path = next(f for f in glob.glob(place.run + "/ferrule/*") if re.fullmatch("[0-9a-f]{16}", os.path.basename(f)))
first.close()
for pid in place.gateways():
    os.kill(pid, signal.SIGTERM)
wait(lambda: not place.gateways())
if os.path.exists(path):
    os.unlink(path)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()


def long_answer(number, size):
    head, tail = b'{"jsonrpc":"2.0","id":%d,"result":{"x":"' % number, b'"}}'
    return head + b"y" * (size - len(head) - len(tail)) + tail


# Of answers that are too large to be read here the bridge knows that they came: it ends with its input.
for name, size, whole in [("an answer past what a server may say", 5 << 20, True), ("as long as a line may be", LINE, True), ("a byte more", LINE + 1, False)]:
    gate = subprocess.Popen([FERRULE, "serve", "--stdio", "--config", CONFIG], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.env, cwd=place.folder.name)
    listener.settimeout(SECONDS)
    other = listener.accept()[0]
    gate.stdin.write(b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n')
    gate.stdin.flush()
    asked = other.makefile("rb").readline()
    writer = threading.Thread(target=other.sendall, args=(long_answer(7, size) + b"\n",))
    writer.start()
    heard = gate.stdout.readline()
    writer.join(SECONDS)
    problems = [] if b'"id":7' in asked else [str(asked)]
    if whole:
        problems += [] if heard == long_answer(7, size) + b"\n" else [f"{len(heard)} bytes: {heard[:200]}"]
    else:
        answer = json.loads(heard)
        problems += [] if answer["id"] == 7 and "attach.line" in answer["error"]["message"] else [str(heard)[:300]]
    gate.stdin.close()
    try:
        problems += [] if gate.wait(SECONDS) == 0 else [f"exit {gate.returncode}"]
    except subprocess.TimeoutExpired:
        gate.kill()
        problems += ["it does not end with its input"]
    other.close()
    case(f"a line of the gateway: {name}", problems)
listener.close()
place.end()
finish()
