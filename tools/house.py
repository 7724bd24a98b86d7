#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the house is in order: a room includes only rooms below it, files stay under 600 lines and
functions under 80. The build itself refuses an include against the order; this says so in words."""

import collections
import os
import re
import sys

ORDER = ["base", "json", "text", "search", "schema", "contract", "catalog", "io", "store", "sandbox", "auth", "mcp", "run", "policy", "gateway", "serve", "setup", "station", "app"]
PURE = {"json", "text", "search", "schema", "contract", "policy"}
INNER = {"src/catalog/search": "search"}  # rooms inside of rooms
SEES = {"search": {"base", "text", "search"}}  # rooms that see less than all below them
EFFECTS = re.compile(r'#\s*include\s+"(log|clock|file)\.h"')
# No interface over the network carries a command, an environment or a path: what serves cannot start or read by itself.
HANDS = {"serve": re.compile(r'#\s*include\s+"(process|child|local_command|file|config|secret|sandbox)\.h"')}
FILE_LINES, FUNCTION_LINES = 600, 80

owner, files = {}, []
for folder, _, names in os.walk("src"):
    for name in sorted(n for n in names if n.endswith((".c", ".h"))):
        room = INNER.get(folder) or os.path.relpath(folder, "src").split(os.sep)[0]
        path = os.path.join(folder, name)
        files.append((path, room, open(path, encoding="utf-8").read()))
        owner[name] = room

wrong = []
# A test that takes the place of a module of Python's is run by whoever imports that, and ends what it was run in.
for folder, _, names in [entry for top in ("tests", "bench", "tools") for entry in os.walk(top)]:
    for name in sorted(n for n in names if n.endswith(".py") and n[:-3] in sys.stdlib_module_names):
        wrong.append(f"{os.path.join(folder, name)}: Python has a module of that name")
for path, room, text in files:
    if room not in ORDER:
        wrong.append(f"{path}: the room '{room}' is not in the order of tools/house.py")
        continue
    for include in re.findall(r'#\s*include\s+"([^"]+)"', text):
        other = owner.get(os.path.basename(include))
        if other and ORDER.index(other) > ORDER.index(room):
            wrong.append(f"{path}: includes {include} of the room above, '{other}'")
        elif other and other not in SEES.get(room, ORDER):
            wrong.append(f"{path}: includes {include} of '{other}', which '{room}' does not see")
    if room in PURE and EFFECTS.search(text):
        wrong.append(f"{path}: a pure room has no clock, file or log")
    if room in HANDS and HANDS[room].search(text):
        wrong.append(f"{path}: '{room}' starts no programs and reads no files: {HANDS[room].search(text)[1]}.h")
    if text.count("\n") > FILE_LINES:
        wrong.append(f"{path}: {text.count(chr(10))} lines; look for the seam past {FILE_LINES}")
    start = None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("{") or re.match(r"^[A-Za-z_].*\)\s*\{\s*$", line):
            start = number
        elif line.startswith("}") and start:
            if number - start > FUNCTION_LINES:
                wrong.append(f"{path}:{start}: a function of {number - start} lines")
            start = None

sizes = collections.Counter()
for path, room, text in files:
    sizes[room] += text.count("\n")
print(", ".join(f"{room} {sizes[room]}" for room in ORDER))
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
