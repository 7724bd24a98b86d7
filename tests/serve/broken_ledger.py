#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""F14, F15: a sync or a write of the ledger fails below a gateway that serves. It ends by itself with 70, has told why, and the next start goes on with
a ledger that has everything that was acknowledged. Speaks TAP."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import web_rig  # noqa: E402
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import FAULTS, FERRULE, expect, finish, run  # noqa: E402

home = tempfile.TemporaryDirectory()
OWN = {"XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "HOME": home.name}


def config(name):
    path = os.path.join(home.name, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"state": os.path.join(home.name, name), "commands": [
            {"namespace": "x", "name": "touch", "description": "Does nothing, which it says is something.", "inputSchema": {"type": "object"},
             "effect": "NonIdempotentWrite", "run": {"argv": ["true"], "stdout": "text"}}]}, file)
    return path


def start(path, plan):
    web_rig.FERRULE = FAULTS if plan else FERRULE
    return Server("--mode", "tools", "--listen", "0", config=path, folder=home.name, env=dict(OWN, FERRULE_TOKEN=TOKEN, FI=plan), listen=None)


def touch(s):
    got = json.loads(s.modern("tools/call", {"name": "touch", "arguments": {}})[2])["result"]
    return got.get("_meta", {}).get("ferrule/error", {}).get("code", "ok")


def counted(kind):
    """How often a start and an end do it."""
    s = start(config("counted-" + kind), "count")
    s.end()
    return int(re.search(rf"\b{kind}\D+(\d+)", s.child.stderr.read()).group(1))


for kind in ("fsync", "write"):
    path = config(kind)
    ledger = os.path.join(home.name, kind, "ledger")
    s = start(path, f"{kind}:EIO@{counted(kind) + 12}+")
    codes = []
    until(lambda: codes.append(touch(s)) or codes[-1] != "ok", 120)
    same(f"{kind}: calls are made until it fails", (len(codes) > 1, codes[-1] in ("LedgerUnavailable", "OutcomeUnknown")), (True, True))
    try:
        code = s.child.wait(timeout=60)
    except subprocess.TimeoutExpired:
        code = "it stays"
        s.end()
    same(f"{kind}: the gateway ends by itself, as failed", code, 70)
    said = s.child.stderr.read()
    if kind == "fsync":  # where no write succeeds, nothing is said either
        case("it has said why, and what is to be done", [] if "a sync failed: Input/output error; ending, as a new start verifies the ledger" in said else [said])
        same("the log has it once", said.count("ledger.unavailable"), 1)
    s = start(path, "")
    same(f"{kind}: a new start serves", touch(s), "ok")
    same(f"{kind}: and ends well", s.end(), 0)
    case(f"{kind}: the ledger is whole", expect(run(["ledger", "verify", "--ledger", ledger]), 0, ["no flaws"]))
    ends = [json.loads(line) for line in run(["ledger", "query", "--ledger", ledger, "--type", "end", "--json"]).stdout.splitlines()]
    same(f"{kind}: it has every call that was acknowledged", len([r for r in ends if r["body"]["status"] == "Ok"]), codes.count("ok") + 1)
finish()
