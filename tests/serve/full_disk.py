#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that is full below the ledger of a gateway: a small file system of its own, where one may be mounted. Calls that may change something are
refused; that is told once when it begins and once when it is over, and whoever watches the gateway sees it. Speaks TAP."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import TOKEN, Server, case, same, until  # noqa: E402
from command_line import expect, finish, run, skip  # noqa: E402

home = tempfile.TemporaryDirectory()
DISK = os.path.join(home.name, "disk")
os.mkdir(DISK)
OWN = {"XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "HOME": home.name}
SEGMENT = 262144
CONFIG = os.path.join(home.name, "ferrule.json")
with open(CONFIG, "w", encoding="utf-8") as file:
    json.dump({"state": os.path.join(DISK, "state"), "ledger": {"segmentBytes": SEGMENT}, "commands": [
        {"namespace": "x", "name": "touch", "description": "Does nothing, which it says is something.", "inputSchema": {"type": "object"}, "effect": "NonIdempotentWrite",
         "run": {"argv": ["true"], "stdout": "text"}}]}, file)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", DISK], capture_output=True).returncode:
    skip("a full disk", "no file system may be mounted here")
    finish()
    sys.exit()


def fill(left):
    """Leaves so many bytes of the disk."""
    with open(os.path.join(DISK, "filler"), "wb", buffering=0) as f:
        while (rest := (v := os.statvfs(DISK)).f_bavail * v.f_bsize - left) > 0:
            f.write(b"x" * min(rest, 1 << 16))


s = None
try:
    s = Server("--mode", "tools", "--listen", "0", config=CONFIG, folder=home.name, env=dict(OWN, FERRULE_TOKEN=TOKEN), listen=None)

    def touch():
        got = json.loads(s.modern("tools/call", {"name": "touch", "arguments": {}})[2])["result"]
        return got.get("_meta", {}).get("ferrule/error", {}).get("code", "ok")

    def ready():
        return s.ask("GET", "/readyz", token=None)[::2]

    def admin():
        got = json.loads(s.ask("GET", "/admin/v1/state")[2])
        return got["state"], got.get("ledger")

    same("with space", (touch(), ready(), admin()), ("ok", (200, "ready\n"), ("ready", "good")))
    fill(SEGMENT // 2)
    codes = []
    until(lambda: codes.append(touch()) or codes[-1] != "ok", 120)
    same("without, a call that may change something is refused", codes[-1], "LedgerUnavailable")
    same("and the gateway is not ready", (ready(), admin()), ((503, "not ready: the ledger cannot be written\n"), ("unready", "full")))
    same("as every call", [touch() for _ in range(5)], ["LedgerUnavailable"] * 5)
    top = run(["top", "--once", "--server", f"http://127.0.0.1:{s.port}", "--token", "secretref:env:GATE"], env=dict(OWN, GATE=TOKEN))
    case("top shows it", expect(top, 0, ["unready", "ledger full"]))
    doctor = run(["doctor", "--offline", "--config", CONFIG], env=OWN)
    case("doctor tells it of the gateway with this configuration", expect(doctor, 1, ["wrong    serve", "refuses calls", "ledger cannot be written", "full"]))
    other = os.path.join(home.name, "other", "ferrule.json")
    os.makedirs(os.path.dirname(other))
    with open(other, "w", encoding="utf-8") as file:
        json.dump({"serve": {"listen": str(s.port)}}, file)
    doctor = run(["doctor", "--offline", "--config", other], env=dict(OWN, HOME=os.path.dirname(other)))
    case("and of one that is found by the port alone", expect(doctor, 1, ["wrong    port", "not ready: the ledger cannot be written"]))
    os.unlink(os.path.join(DISK, "filler"))
    same("with space again, calls are made", until(lambda: touch() == "ok", 60), True)
    same("and the gateway is ready", (ready(), admin()), ((200, "ready\n"), ("ready", "good")))
    s.end()
    said = s.child.stderr.read()
    same("it was told once when it began, and once when it was over", [said.count(w) for w in ("ledger.unavailable", "ledger.good")], [1, 1])
    case("with why", [] if "there is no space left for the ledger" in said else [said])

    # ---- a start
    fill(SEGMENT // 2)
    r = run(["serve", "--listen", "0", "--config", CONFIG], env=OWN)
    case("a start without space says how much it wants, and which setting says so", expect(r, 70, [], ["LedgerUnavailable", f"{SEGMENT} bytes at once (ledger.segmentBytes)"]))
finally:
    if s and s.child.poll() is None:
        s.end()
    subprocess.run(["umount", "-l", DISK], check=False)
finish()
