#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two processes with one vault, and an authorization server whose refresh tokens are good for one use: who refreshes has its turn, the
other uses what the first one got; a process that is killed in its turn leaves it to the other; who logs in or out meanwhile counts.
Speaks TAP."""

import json
import os
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
from command_line import case, finish, run  # noqa: E402

from oauth_rig import CONFIG, URL, World, login, own, secrets_below  # noqa: E402
from web_rig import Server, home, same, until  # noqa: E402

with open(CONFIG, "w", encoding="utf-8") as file:
    file.write(f"mcpServers:\n  notes: {{url: '{URL}'}}\n")
World.rotates = True
same("logging in", login()[0], 0)
both = [Server(config=CONFIG), Server(config=CONFIG)]


def call(s):
    try:
        return "noted" in s.modern("tools/call", {"name": "run_tool", "arguments": {"id": "notes:note", "args": {}}})[2]
    except OSError:
        return None  # it was killed


def refreshes():
    return [f for f in World.forms if f["grant_type"] == "refresh_token"]


def call_both(servers):
    """Both call with a token that is refused, and the first who refreshes it is held until both were refused."""
    answers = {}
    World.gate.clear()
    World.slow, World.good = 30, {}
    before, refused = len(refreshes()), len(World.shown)
    threads = [threading.Thread(target=lambda s=s: answers.update({s.port: call(s)})) for s in servers]
    for t in threads:
        t.start()
    same("one asks", until(lambda: len(refreshes()) > before), True)
    same("both were refused", until(lambda: len(World.shown) >= refused + len(servers)), True)
    return threads, answers, before


def let_go(threads):
    World.slow = 0
    World.gate.set()
    for t in threads:
        t.join(60)


for s in both:
    same("a gateway calls", until(lambda s=s: call(s), 30), True)
for n in range(3):
    threads, answers, before = call_both(both)
    let_go(threads)
    same(f"both go on with one refresh, {n}", (list(answers.values()), len(refreshes()) - before), ([True, True], 1))
threads, answers, before = call_both(both)
World.slow = 0
same("is let in", login()[0], 0)
let_go(threads)
same("what was logged in stays", (list(answers.values()), [call(s) for s in both]), ([True, True], [True, True]))
both.append(Server(config=CONFIG))
same("one more calls", until(lambda: call(both[2]), 30), True)
threads, answers, before = call_both(both[1:])
time.sleep(.5)  # one has its turn, the other waits
for s in both[1:]:
    s.child.send_signal(signal.SIGTERM)
time.sleep(.5)
same("both end at the second signal, with a token under way", [s.end() for s in both[1:]], [0, 0])
World.slow = 0
same("the token that was asked for is lost, and another is there", login()[0], 0)
let_go(threads)
both[1:] = [Server(config=CONFIG)]
same("it calls again", until(lambda: call(both[1]), 60), True)
threads, answers, before = call_both(both[:1])
World.slow = 0  # who gets the turn is not held, as soon as it does
both[0].child.send_signal(signal.SIGKILL)
both[0].child.wait(timeout=60)
same("a process that is killed in its turn leaves it", until(lambda: call(both[1]), 60), True)
case("no refresh was refused for its token", [] if len(refreshes()) - before == 2 else [f"{len(refreshes()) - before} refreshes, not 2"])
World.gate.set()
threads, answers, before = call_both(both[1:])
out = []
leaving = threading.Thread(target=lambda: out.append(run(["auth", "logout", "notes", "--config", CONFIG], env=own)))
leaving.start()
time.sleep(.5)  # it waits for its turn
same("logging out waits while a token is refreshed", (out, World.revoked_forms), ([], []))
let_go([*threads, leaving])
# Whether the call still came in time with the token that it waited for, nobody can say.
same("what came of it is revoked", (out[0].returncode, "is revoked" in out[0].stderr.decode(), World.good), (0, True, {}))
same("who asks next", (call(both[1]), call(both[1])), (False, False))
state = json.loads(run(["auth", "status", "--config", CONFIG, "--json"], env=own).stdout.decode())["servers"][0]["state"]
same("nothing is written back", state, "no token")
same("it ends", both[1].end(), 0)
case("no file has a token", secrets_below(home.name)[:5])
finish()
