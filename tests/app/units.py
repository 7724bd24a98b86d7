#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The units of systemd: their command lines are ones that ferrule takes, and systemd finds nothing wrong with them. Speaks TAP."""

import os
import shutil
import subprocess
import tempfile

from command_line import FERRULE, SOURCE, case, finish, run, skip

for name in ("ferrule.service", "ferrule-user.service"):
    with open(os.path.join(SOURCE, "packaging", "systemd", name + ".in"), encoding="utf-8") as file:
        text = file.read()
    line = next(row for row in text.splitlines() if row.startswith("ExecStart="))
    words = line.split("=", 1)[1].split()
    r = run([*words[1:], "--help"])
    case(f"{name}: its command line", [] if words[0] == "@bindir@/ferrule" and r.returncode == 0 and r.stdout.startswith(b"ferrule serve") else [line, r.stderr])
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        skip(f"{name}: systemd's own look at it", "no systemd-analyze")
        continue
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ferrule.service")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("@bindir@/ferrule", FERRULE))
        r = subprocess.run([analyze, "verify", "--man=no", *(["--user"] if "user" in name else []), path], capture_output=True, text=True, timeout=60,
                           env=dict(os.environ, XDG_RUNTIME_DIR=folder))
        said = [row for row in r.stderr.splitlines() if "ferrule.service" in row]
        case(f"{name}: systemd's own look at it", said)
finish()
