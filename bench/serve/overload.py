#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""overload.py FERRULE [NAME...]: a real `ferrule serve` on the loopback under more than it was made for; each NAME is a case.

    L01 L02   64 clients that call a tool as fast as they can, without and with a ledger
    L04       new connections, one after the other: errors, descriptors afterwards
    L05       2 to 128 clients: goodput must not fall behind the knee
    L07       one server of ten hangs: what the calls of the others take, and how many wait for it
    L14       results of 2 MiB, 100 of them at once: the memory that it takes
    L15       SIGTERM under load: answers that were lost, time to the end
    sessions  abandoned sessions (FERRULE_SESSIONS, 100,000): memory before and after

The clients are one Python process on the same machine, so rates and times are theirs as much as the server's; CPU is the server's own.
Everything is bounded and ends with it. Prints Markdown; figures belong into docs/BENCHMARKS.md. L03 and L08 are crowd.py, the rest of L01
to L16 is named there."""

import asyncio
import os
import signal
import statistics
import sys
import time

from load_rig import ROOM, Server, answer, at, load, request, run_cases, run_tool, settle

WANTED = sys.argv[2:]
SECONDS = float(os.environ.get("FERRULE_SECONDS", "3"))
TURNS = 7  # of L07
SESSIONS = int(os.environ.get("FERRULE_SESSIONS", "100000"))


async def steady(folder, name, **more):
    s = Server(folder, **more)
    await settle(s)
    times, bad, cpu = await load(s, 64, SECONDS)
    s.end()
    return f"{name}: 64 clients, `run_tool`", f"{len(times) / SECONDS:,.0f} calls/s, median {at(times, .5):.1f} ms, p99 {at(times, .99):.1f}, p99.9 {at(times, .999):.1f}; " \
        f"{cpu:.0f} us of CPU a call; {len(bad)} errors"


async def l01(folder):
    return await steady(folder, "L01")


async def l02(folder):
    return await steady(folder, "L02, with a ledger and a store", state="state")


async def l04(folder):
    s = Server(folder)
    await settle(s)
    before, errors, count, end = s.descriptors(), 0, 0, time.perf_counter() + SECONDS
    message = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nConnection: close\r\n\r\n".encode()
    while time.perf_counter() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
            writer.write(message)
            errors += b" 200 " not in (await reader.read())[:16]
            writer.close()
        except OSError:
            errors += 1
        count += 1
    await asyncio.sleep(0.5)
    after = s.descriptors()
    s.end()
    return "L04: new connections, one after the other", f"{count / SECONDS:,.0f} a second, {errors} errors; descriptors {before} before and {after} after"


async def l05(folder):
    s = Server(folder)
    await settle(s)
    parts, rates = [], []
    for clients in (2, 8, 32, 64, 128):
        times, bad, _ = await load(s, clients, SECONDS / 2)
        rates.append(len(times) / (SECONDS / 2))
        parts.append(f"{clients}: {rates[-1]:,.0f}/s" + (f" and {len(bad)} shed" if bad else ""))
    s.end()
    return "L05: goodput by clients", "; ".join(parts) + f"; at 128 clients {rates[-1] / max(rates):.2f} of the best"


async def l07(folder):
    """Without and with calls that hang, in turns of one run, so that what else the machine does falls on both."""
    s = Server(folder, servers=10, hanging=1)
    healthy = [f"s{i}:little" for i in range(1, 10)]
    await settle(s)
    await asyncio.sleep(1)
    alone, beside, errors, turned = [], [], 0, 0
    for _ in range(TURNS):
        times, bad, _ = await load(s, 9, SECONDS / TURNS, healthy)
        alone.append(times)
        stuck = []
        for _ in range(40):
            reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
            writer.write(run_tool(s, "s0:little"))
            stuck.append((reader, writer))
        await asyncio.sleep(0.3)
        times, more, _ = await load(s, 9, SECONDS / TURNS, healthy)
        beside.append(times)
        errors += len(bad) + len(more)
        turned += sum(1 for reader, _ in stuck if reader._buffer)  # noqa: SLF001: what came, without waiting
        for _, writer in stuck:
            writer.close()
        await asyncio.sleep(0.3)
    s.end()
    middle = [statistics.median(at(times, .99) for times in turns) for turns in (alone, beside)]
    return f"L07: one server of ten hangs, 40 calls wait for it; {TURNS} turns without and with", \
        f"others' p99 {middle[0]:.2f} ms alone and {middle[1]:.2f} beside it (medians of the turns), {middle[1] / middle[0]:.2f} times; {errors} errors; " \
        f"{turned} of the {40 * TURNS} were turned away at once"


async def l14(folder):
    s = Server(folder)
    await settle(s)
    before = s.memory()
    peak = [before]

    async def watch():
        while True:
            peak.append(s.memory())
            await asyncio.sleep(0.02)
    watcher = asyncio.create_task(watch())
    times, bad = [], []

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", s.port, limit=8 << 20)
        writer.write(run_tool(s, "s0:much"))
        head, _ = await answer(reader)
        (times if b" 200 " in head[:16] else bad).append(1)
        writer.close()
    await asyncio.gather(*(one() for _ in range(100)), return_exceptions=True)
    watcher.cancel()
    await asyncio.sleep(2)
    after = s.memory()
    s.end()
    return "L14: 100 results of 2 MiB at once", f"{len(times)} answered, {len(bad)} shed; {before:.0f} MB before, {max(peak):.0f} at most, {after:.0f} two seconds later"


async def l15(folder):
    s = Server(folder)
    await settle(s)
    lost, answered, refused, sent = [0], [0], [0], [0]
    stop = [False]

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
        message = run_tool(s, "s0:little")
        while not stop[0]:
            sent[0] += 1
            try:
                writer.write(message)
                await writer.drain()
                head, body = await answer(reader)
            except asyncio.IncompleteReadError as e:
                lost[0] += bool(e.partial)  # half an answer; a connection that is closed between two requests has lost none
                refused[0] += not e.partial
                break
            except ConnectionError:
                refused[0] += 1
                break
            answered[0] += 1
            if b"connection: close" in head.lower():
                break
        writer.close()
    tasks = [asyncio.create_task(one()) for _ in range(32)]
    await asyncio.sleep(SECONDS / 2)
    began = time.perf_counter()
    s.child.send_signal(signal.SIGTERM)
    await asyncio.sleep(0.5)
    stop[0] = True
    await asyncio.gather(*tasks)
    code = await asyncio.get_running_loop().run_in_executor(None, s.child.wait)
    return "L15: SIGTERM under the load of 32 clients", f"{answered[0]:,} answered, {lost[0]} cut off, {refused[0]} connections closed between requests; " \
        f"exit code {code} after {time.perf_counter() - began:.1f} s"


async def sessions(folder):
    s = Server(folder, serve={"limits": {**ROOM["limits"], "clients": 2000}})
    await settle(s)
    opening = request(s, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}, version="")
    reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
    memory, made = [], 0
    for i in range(SESSIONS):
        writer.write(opening)
        head, _ = await answer(reader)
        made += b"mcp-session-id" in head.lower()
        if (i + 1) % (SESSIONS // 5) == 0:
            memory.append(s.memory())
        if b"connection: close" in head.lower():
            reader, writer = await asyncio.open_connection("127.0.0.1", s.port)
    s.end()
    return f"{SESSIONS:,} abandoned sessions, 2,000 at most are kept", f"{made:,} were opened; MB at each fifth: " + ", ".join(f"{m:.1f}" for m in memory)


CASES = {"L01": l01, "L02": l02, "L04": l04, "L05": l05, "L07": l07, "L14": l14, "L15": l15, "sessions": sessions}


if __name__ == "__main__":
    run_cases(CASES, WANTED)
