#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""F25 and F67: a server that is told to read a bad configuration again, to end, to end now, and that signals rain on. What it
served before it goes on serving; calls under way have their answers or their records. Speaks TAP."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from transcripts import FERRULE, Server, case, finish, run  # noqa: E402

folder = tempfile.TemporaryDirectory()
PATH = os.path.join(folder.name, "ferrule.yaml")
STATE = os.path.join(folder.name, "state")
GOOD = f"""state: {STATE}
commands:
  - namespace: n
    name: one
    description: Gives what it is given.
    inputSchema: {{type: object, properties: {{text: {{type: string}}}}}}
    effect: Pure
    run: {{argv: [echo, x], stdout: text}}
  - namespace: n
    name: nap
    description: Sleeps for some time, and says so.
    inputSchema: {{type: object, properties: {{seconds: {{type: string}}}}, required: [seconds]}}
    effect: NonIdempotentWrite
    run: {{argv: [sleep, '{{seconds}}'], stdout: text}}
"""


def same(name, got, want):
    case(name, [] if got == want else [f"got {got!r}, not {want!r}"])


def put(text, mode=0o644):
    if os.path.exists(PATH):
        os.chmod(PATH, 0o644)
    with open(PATH, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(PATH, mode)


def start():
    put(GOOD)
    s = Server(["serve", "--stdio", "--config", PATH, "--mode", "tools", "--expose", "n:*"])
    say(s, 0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    hear(s, 0)
    s.say('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return s


def say(s, id, method, params=None):
    s.say(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}))


def hear(s, id):
    while (line := s.hear()) is not None:
        m = json.loads(line)
        if m.get("id") == id:
            return m
    return {"error": {"message": f"silence: {s.errors[-3:]}"}}


def works(s):
    say(s, 7, "tools/call", {"name": "one", "arguments": {"text": "y"}})
    return hear(s, 7).get("result", {}).get("isError", False) is False


def says(s, text, count=1):
    end = time.monotonic() + 30
    while sum(text in e for e in s.errors) < count and time.monotonic() < end:
        time.sleep(0.01)
    return sum(text in e for e in s.errors) >= count


def records(kind):
    """Records of a type in the ledger, as `ledger query` has them."""
    r = run(["ledger", "tail", "--ledger", os.path.join(STATE, "ledger"), "--json", "-n", "1000"])
    return [x for x in map(json.loads, r.stdout.decode().splitlines()) if x["type"] == kind]


# ---- F25: a configuration that cannot be used

s = start()
BAD = [("an invalid file", "commands: 7\n", 0o644), ("half a file", GOOD[: len(GOOD) // 2] + "\n  - {name: [", 0o644),
       ("a huge file", GOOD + "# " + "x" * (70 << 20), 0o644)]
if os.geteuid() != 0:
    BAD.append(("an unreadable file", GOOD, 0))
else:
    BAD.append(("a file that is gone", None, 0))
bad = 0
for name, text, mode in BAD:
    if text is None:
        os.remove(PATH)
    else:
        put(text, mode)
    s.child.send_signal(signal.SIGHUP)
    bad += 1
    case(f"F25 {name}: what was served is served", [] if says(s, "stays as it was", bad) and works(s) else s.errors[-3:])
case("F25: the first error is told", [] if any("stays as it was" in e and "`commands` must be" in e for e in s.errors) else s.errors[-5:])
put(GOOD)

# ---- what a reload does not take over is said

put(GOOD + "serve: {mode: tools, limits: {bodyBytes: 100000}}\n")
s.child.send_signal(signal.SIGHUP)
case("a changed section `serve` counts from the next start on, which is said", [] if says(s, "`serve` has changed: it counts from the next start on") and works(s) else s.errors[-3:])
put(GOOD)

# ---- F67: signals

for _ in range(200):
    s.child.send_signal(signal.SIGHUP)
same("F67 a storm of SIGHUP", works(s), True)
for _ in range(200):
    s.child.send_signal(signal.SIGCHLD)
    s.child.send_signal(signal.SIGPIPE)
same("F67 SIGCHLD and SIGPIPE from nowhere", works(s), True)
same("F67 it ends well after all of it", s.end()[0], 0)

def nap(s, seconds):
    """A call that is under way, by the ledger's word."""
    begun = len(records("begin"))
    say(s, 9, "tools/call", {"name": "nap", "arguments": {"seconds": str(seconds)}})
    while len(records("begin")) <= begun:
        time.sleep(0.02)


for number in signal.SIGTERM, signal.SIGINT:
    s = start()
    nap(s, 1)
    s.child.send_signal(number)
    answer = hear(s, 9)
    same(f"F67 {number.name}: a call under way has its answer", answer.get("result", {"isError": answer}).get("isError", False), False)
    same(f"F67 {number.name}: exit code", s.child.wait(timeout=60), 0)
    same(f"F67 {number.name}: the ledger says so", (records("end")[-1]["body"]["status"], len(records("shutdown")) > 0), ("Ok", True))
    same(f"F67 {number.name}: nobody is told in a log", [e for e in s.errors if "ending" in e], [])

    s = start()
    nap(s, 600)
    s.child.send_signal(number)
    time.sleep(0.1)  # two at once are one
    s.child.send_signal(number)
    same(f"F67 {number.name} twice: it ends now", s.child.wait(timeout=60) in (0, -number), True)
    same(f"F67 {number.name} twice: nobody knows about the write", records("end")[-1]["body"]["status"], "Unknown")

# Before a terminal, where Ctrl-C reaches all processes of the group, it says what it waits for.
put(GOOD)
outside, inside = os.openpty()
child = subprocess.Popen([FERRULE, "serve", "--stdio", "--attach", "never", "--config", PATH, "--mode", "tools", "--expose", "n:*"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=inside, start_new_session=True)
os.close(inside)
begun = len(records("begin"))
for m in ({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
          {"method": "notifications/initialized"}, {"id": 9, "method": "tools/call", "params": {"name": "nap", "arguments": {"seconds": "1"}}}):
    child.stdin.write((json.dumps({"jsonrpc": "2.0", **m}) + "\n").encode())
    child.stdin.flush()
while len(records("begin")) <= begun and child.poll() is None:
    time.sleep(0.02)
os.killpg(child.pid, signal.SIGINT)
answers = child.stdout.read().decode()
child.wait(timeout=60)
said = os.read(outside, 65536).decode()
os.close(outside)
case("Ctrl-C at a terminal drains", [] if child.returncode == 0 and '"isError":true' not in answers and '"id":9' in answers else [answers])
case("Ctrl-C at a terminal: it says how to end at once", [] if "ending: what runs has 30 seconds; Ctrl-C again ends it at once" in said else [said])
r = run(["ledger", "verify", "--ledger", os.path.join(STATE, "ledger")])
same("F67 the ledger is whole", r.returncode, 0)

# SIGCHLD that is ignored from the beginning: children are not waited for, and their ends are still seen.
put(GOOD)
child = subprocess.Popen([FERRULE, "run", "n:one", "text=z", "-C", PATH], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
out, err = child.communicate(timeout=60)
case("F67 SIGCHLD is ignored", [] if child.returncode == 0 and b"x" in out else [str((child.returncode, out, err))])

# Nobody reads what is said any more.
out, inside = os.pipe()
child = subprocess.Popen([FERRULE, "serve", "--stdio", "--config", PATH, "--mode", "tools", "--expose", "n:*"], stdin=subprocess.PIPE,
                         stdout=inside, stderr=subprocess.DEVNULL, text=True)
os.close(inside)
os.close(out)
try:
    for i in range(3):
        child.stdin.write('{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % i)
        child.stdin.flush()
    child.stdin.close()
except BrokenPipeError:
    pass
code = child.wait(timeout=60)
case("F67 SIGPIPE: nobody reads", [] if code >= 0 else [f"killed by signal {-code}"])

finish()
