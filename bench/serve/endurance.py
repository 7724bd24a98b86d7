#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""endurance.py FERRULE [NAME...]: a real `ferrule serve` on the loopback with neighbours, for long, with many tools; each NAME is a case.

    L06   a tenant floods one server with ten times the calls of another tenant: what the other one notices, in turns of one run
    L09   calls for FERRULE_SOAK seconds (60; two hours are 7200), each client waiting FERRULE_PAUSE seconds (0) between two, while a fault a second
          happens to them: memory and descriptors at the end
    L10   FERRULE_TOOLS tools (100,000) of ten servers: memory, searches, and a new configuration (SIGHUP) under load
    L13   FERRULE_RUNS programs (200) at once through `execute_code`: whether all end in time, and in turn

Everything is bounded and ends with it. Prints Markdown; figures belong into docs/BENCHMARKS.md. The rest of L01 to L16 is overload.py and crowd.py."""

import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time

from load_rig import FERRULE, META, Server, answer, at, call, caller, load, request, run_cases, run_tool, settle

WANTED = sys.argv[2:]
SECONDS = float(os.environ.get("FERRULE_SECONDS", "3"))
SOAK = float(os.environ.get("FERRULE_SOAK", "60"))
PAUSE = float(os.environ.get("FERRULE_PAUSE", "0"))
TOOLS = int(os.environ.get("FERRULE_TOOLS", "100000"))
RUNS = int(os.environ.get("FERRULE_RUNS", "200"))
TURNS = 5  # of L06
# Lists the tools of its part, 2,000 on a page; words in turn make texts that differ.
MANY = r'''
import json, sys
part, count = int(sys.argv[1]), int(sys.argv[2])
verbs = "list create delete update find send read merge export import archive share rename copy move".split()
things = "invoice ticket file branch message user calendar event contact order page image video comment task report".split()
def tool(n):
    verb, thing, other = verbs[n % 15], things[n // 15 % 16], things[n // 240 % 16]
    return {"name": f"tool_{n}", "description": f"Can {verb} a {thing} that belongs to a {other}, number {n}. Returns what it became.",
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}, thing: {"type": "string"}}}, "annotations": {"readOnlyHint": True}}
for line in sys.stdin:
    m = json.loads(line); i, method = m.get("id"), m.get("method")
    if i is None: continue
    answer = {"error": {"code": -32601, "message": "no"}}
    if method == "initialize": answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}}
    elif method == "tools/list":
        at = int(m.get("params", {}).get("cursor", 0))
        end = min(at + 2000, count)
        answer = {"result": {"tools": [tool(part * count + n) for n in range(at, end)], **({"nextCursor": str(end)} if end < count else {})}}
    elif method == "tools/call": answer = {"result": {"content": [{"type": "text", "text": "x"}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": i, **answer}), flush=True)
'''


# ---- L06 ----------------------------------------------------------------------------------------


def token_of(folder, name):
    env = dict(os.environ, HOME=folder, XDG_CONFIG_HOME="", XDG_STATE_HOME="")
    said = subprocess.run([FERRULE, "token", "new", name, "--tenant", name], env=env, capture_output=True, text=True, check=True)
    return next(word for word in said.stdout.split() if word.startswith("fer_"))


async def tenant(server, token, clients, seconds):
    times, bad, end = [], [], time.perf_counter() + seconds
    await asyncio.gather(*(caller(server, "s0:little", lambda: end, times, bad, token) for _ in range(clients)))
    return times, bad


async def l06(folder):
    quiet, loud = token_of(folder, "quiet"), token_of(folder, "loud")
    s = Server(folder)
    await settle(s)
    alone, beside, errors, flooded = [], [], 0, 0
    for _ in range(TURNS):
        times, bad = await tenant(s, quiet, 4, SECONDS / TURNS)
        alone.append(at(times, .99))
        (times, more), (flood, _) = await asyncio.gather(tenant(s, quiet, 4, SECONDS / TURNS), tenant(s, loud, 40, SECONDS / TURNS))
        beside.append(at(times, .99))
        errors += len(bad) + len(more)
        flooded += len(flood)
    s.end()
    a, b = statistics.median(alone), statistics.median(beside)
    return f"L06: 4 clients of a tenant, and 40 of another that flood the same server; {TURNS} turns without and with", \
        f"p99 of the 4 {a:.2f} ms alone and {b:.2f} beside them (medians of the turns), {b / a:.2f} times; {errors} errors of theirs; {flooded:,} calls of the flood"


# ---- L09 ----------------------------------------------------------------------------------------


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


async def kill_a_server(s):
    below = children(s.child.pid)
    if below:
        os.kill(random.choice(below), signal.SIGKILL)


async def leave_in_the_middle(s):
    _, writer = await asyncio.open_connection("127.0.0.1", s.port)
    writer.write(run_tool(s, "s1:little"))
    await writer.drain()
    writer.transport.abort()


async def half_a_request(s):
    _, writer = await asyncio.open_connection("127.0.0.1", s.port)
    message = run_tool(s, "s1:little")
    writer.write(message[:random.randrange(len(message))])
    await writer.drain()
    writer.close()


async def nonsense(s):
    reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
    writer.write(request(s, random.choice(["tools/none", "tools/call"]), {"name": "x", "_meta": META}))
    await asyncio.wait_for(answer(reader), 10)
    writer.close()


async def reload(s):
    s.child.send_signal(signal.SIGHUP)


FAULTS = [kill_a_server, leave_in_the_middle, half_a_request, nonsense, reload]


async def l09(folder):
    s = Server(folder, servers=3, state="state")
    await settle(s)
    end, done, bad, sizes, faults = time.perf_counter() + SOAK, [], [], [], 0

    async def one(tool):
        while time.perf_counter() < end:
            await caller(s, tool, lambda: end, done, bad, pause=PAUSE)  # comes again where its connection was closed
            await asyncio.sleep(0.1)
    calls = [asyncio.create_task(one(f"s{i % 3}:little")) for i in range(6)]
    before = s.descriptors()
    while time.perf_counter() < end:
        await asyncio.sleep(1)
        sizes.append((len(done), s.memory() * 1024))
        try:
            await random.choice(FAULTS)(s)
            faults += 1
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            bad.append(-1)
    await asyncio.gather(*calls)
    await asyncio.sleep(1)
    after = s.descriptors()
    s.end()
    late = sizes[len(sizes) // 2:]  # what a start takes is not a leak
    fifth = max(1, len(late) // 5)
    first, last = [[statistics.median(row[i] for row in part) for i in (0, 1)] for part in (late[:fifth], late[-fifth:])]
    grown = (last[1] - first[1]) / max(1, last[0] - first[0]) * 1000
    return f"L09: {SOAK:.0f} s of calls with a ledger, {faults} faults (servers killed, clients that leave, nonsense, SIGHUP)", \
        f"{len(done):,} calls answered, {len(bad):,} failed; {grown:.1f} KB more for 1,000 calls of the second half ({last[1] / 1024:.1f} MB at its end); descriptors {before} before and {after} after; exit {s.child.returncode}"


# ---- L10 ----------------------------------------------------------------------------------------


async def l10(folder):
    program = os.path.join(folder, "many.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(MANY)
    servers = {f"m{i}": {"command": sys.executable, "args": [program, str(i), str(TOOLS // 10)]} for i in range(10)}
    s = Server(folder, more_servers=servers)
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
    for i in range(10):  # until the last tool of each can be called
        said = b'"isError":true'
        while b'"isError":true' in said and time.perf_counter() - began < 300:
            await asyncio.sleep(0.2)
            writer.write(run_tool(s, f"m{i}:tool_{TOOLS // 10 * (i + 1) - 1}"))
            _, said = await answer(reader)
    known = time.perf_counter() - began
    await settle(s)
    searches = []
    for i in range(300):
        message = call(s, "search_tools", {"query": f"{['rename', 'share', 'archive'][i % 3]} a {['video', 'contact', 'report'][i // 3 % 3]} of a ticket, {i * 37}"})
        at_once = time.perf_counter()
        writer.write(message)
        await answer(reader)
        searches.append((time.perf_counter() - at_once) * 1000)
    running = asyncio.create_task(load(s, 8, SECONDS, ("m0:tool_0", "s0:little")))
    for n in range(3):
        await asyncio.sleep(SECONDS / 4)
        s.config["policies"] = {"tools": {"*": {"timeoutMs": 20000 + n}}}
        s.write_config()
        s.child.send_signal(signal.SIGHUP)
    times, bad, _ = await running
    memory = s.memory()
    s.end()
    return f"L10: {TOOLS:,} tools of ten servers", f"all known after {known:.0f} s, the servers' own work included; {memory:.0f} MB; search: median {at(searches, .5):.2f} ms, " \
        f"p99 {at(searches, .99):.2f}; 3 new configurations under the load of 8 clients: {len(times):,} calls, {len(bad)} dropped, p99 {at(times, .99):.1f} ms, {max(times):.0f} at most"


# ---- L13 ----------------------------------------------------------------------------------------


async def l13(folder):
    s = Server(folder, code={})
    await settle(s)
    ended = []

    async def one(number):
        reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
        began = time.perf_counter()
        writer.write(call(s, "execute_code", {"code": f"return {number} * 2;"}))
        _, body = await answer(reader)
        ended.append((number, (time.perf_counter() - began) * 1000, str(number * 2).encode() in body and b'"isError":true' not in body))
        writer.close()
    tasks = []
    for number in range(RUNS):  # in order, so that it can be seen whether they keep it
        tasks.append(asyncio.create_task(one(number)))
        await asyncio.sleep(0)
    await asyncio.wait(tasks, timeout=120)
    s.end()
    good = [ms for _, ms, ok in ended if ok]
    passed = max((abs(place - number) for place, (number, _, _) in enumerate(ended)), default=0)
    return f"L13: {RUNS} programs at once, a sandbox each", f"{len(good)} of {RUNS} ended well within 120 s ({len(ended) - len(good)} refused or failed); median {at(good, .5):.0f} ms, " \
        f"the last {max(good, default=float('nan')):.0f}; at most {passed} places off the order in which they came"


CASES = {"L06": l06, "L09": l09, "L10": l10, "L13": l13}

if __name__ == "__main__":
    run_cases(CASES, WANTED)
