#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/fault_names.py [--check]: which row of the tests shows which named case: faults F05-F25 and F60-F67, ledger K01-K20, cache
K30-K38, keys I01-I20, authorization A01-A59, states M20-M26, results M30-M34, framing H01-H25, addresses
N01-N20. Writes docs/dev/fault-names.md, or says that it is stale; fails where a name has no row."""

import collections
import glob
import re
import sys

PAGE = "docs/dev/fault-names.md"
WANTED = [f"F{n:02}" for n in [*range(5, 18), *range(20, 26), *range(60, 68)]] + [f"K{n:02}" for n in [*range(1, 21), *range(30, 39)]] + \
    [f"I{n:02}" for n in range(1, 21)] + [f"A{n:02}" for n in range(1, 60)] + [f"M{n:02}" for n in [*range(1, 15), *range(20, 27), *range(30, 35)]] + \
    [f"H{n:02}" for n in range(1, 26)] + [f"N{n:02}" for n in range(1, 21)]
NAME = r"[AFHIKMN]\d\d"

rows = collections.defaultdict(list)
for path in sorted(glob.glob("tests/**/*.c", recursive=True) + glob.glob("tests/**/*.py", recursive=True)):
    if path.endswith("schema/test_keywords.c"):
        continue  # its K are keywords
    text = open(path, encoding="utf-8").read()
    test = path.removeprefix("tests/")
    # A row whose name begins with one; a function that is called after one; a file whose head says that all of it is about some.
    for name in re.findall(r'"((?:%s[ ,:]+)+[^"\n]*)"' % NAME, text):
        for n in re.findall(NAME, re.match(r"(?:%s[ ,:]+)+" % NAME, name).group()):
            rows[n].append((test, re.sub(r"\{[\w.]+\}", "...", re.sub(r"^(?:%s[ ,:]+)+" % NAME, "", name))))
    for name in re.findall(r'ROWS_ONE\("[^"]*",\s*((?:[afhikmn]\d\d_)+\w+)\)', text):
        for n in re.findall(r"([afhikmn]\d\d)_", name):
            rows[n.upper()].append((test, re.sub(r"^(?:[afhikmn]\d\d_)+", "", name).replace("_", " ")))
    for comment in re.findall(r"/\*(.*?)\*/", text, re.S):
        comment = re.sub(r"(%s)-(%s)" % (NAME, NAME), lambda m: " ".join(f"{m[1][0]}{n:02}" for n in range(int(m[1][1:]), int(m[2][1:]) + 1)), comment)
        for n in re.findall(r"\b(%s)\b" % NAME, comment):
            rows[n].append((test, ""))

lines = ["# Named cases and the tests that show them", "",
         "Made by tools/fault_names.py from the tests' own rows; `make check` fails where it is stale or a name has none.", "",
         "| | where | rows |", "|---|---|---|"]
missing = []
for n in WANTED:
    found = rows.get(n, [])
    if not found:
        missing.append(n)
        continue
    tests = sorted({t for t, _ in found})
    names = list(dict.fromkeys(r for _, r in found if r))
    lines.append(f"| {n} | {', '.join(tests)} | {'; '.join(names).replace('|', ' ')} |")
page = "\n".join(lines) + "\n"
status = 0
if missing:
    print("no row for " + ", ".join(missing))
    status = 1
if "--check" in sys.argv:
    try:
        stale = open(PAGE, encoding="utf-8").read() != page
    except OSError:
        stale = True
    if stale:
        print(f"{PAGE} is stale: run tools/fault_names.py")
        status = 1
else:
    open(PAGE, "w", encoding="utf-8").write(page)
sys.exit(status)
