#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule ledger: tail, query, verify, export, accept, prune over a ledger that a small program writes. Speaks TAP."""

import csv
import glob
import io
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

from command_line import FERRULE, case, expect, finish, run, terminal

SCRIBE = os.path.abspath(sys.argv[4])
folder = tempfile.TemporaryDirectory()
LEDGER, ANCHOR = os.path.join(folder.name, "ledger"), os.path.join(folder.name, "anchor.jsonl")


def write(first, calls):
    subprocess.run([SCRIBE, LEDGER, str(first), str(calls), ANCHOR], check=True, timeout=60)


def ledger(*words):
    return run(["ledger", *words, "-L", LEDGER])


def lines(result):
    return result.stdout.decode().splitlines()


def count(result, wanted):
    return [] if len(lines(result)) == wanted else [f"{len(lines(result))} lines, not {wanted}: {result.stdout[:300]!r} {result.stderr[:200]!r}"]


write(0, 20)

# ---- tail

case("tail: the last ten", count(ledger("tail"), 10))
case("tail: as they are", [] if json.loads(lines(ledger("tail", "-n", "1", "--json"))[0])["type"] == "checkpoint" else ["no checkpoint"])
case("query: a status that there is not", expect(ledger("query", "--status", "Bogus"), 2, err=["--status", "Ok", "Retryable", "Unknown"]))
case("tail: of a status", count(ledger("tail", "--status", "Error", "-n", "3"), 3))
case("tail: all of few", count(ledger("tail", "--call", "c3"), 2))
case("tail: a number that is none", expect(ledger("tail", "-n", "x"), 2, [], ["--lines takes a whole number"]))
heads = terminal(["ledger", "query", "--color", "never", "-L", LEDGER]).splitlines()
case("query: columns with heads on a terminal", [] if heads[0].split() == ["SEQ", "TIME", "TYPE", "TENANT", "TOOL", "STATUS", "CODE", "CALL"] and "\t" not in heads[1] else heads[:2])
case("tail: on a terminal, once", [] if "checkpoint" in terminal(["ledger", "tail", "--once", "-L", LEDGER]) else ["nothing"])

follower = subprocess.Popen([FERRULE, "ledger", "tail", "-f", "--json", "-n", "0", "-L", LEDGER], stdout=subprocess.PIPE, bufsize=0)
ready = select.select([follower.stdout], [], [], 1)[0]
write(20, 5)
seen = []
while len(seen) < 10 and select.select([follower.stdout], [], [], 30)[0]:
    record = json.loads(follower.stdout.readline())
    if record["type"] in ("begin", "end"):
        seen.append(record["body"]["callId"])
follower.terminate()
follower.wait()
case("tail: goes on in a pipe", [] if not ready and seen == [f"c{20 + i // 2}" for i in range(10)] else [str((ready, seen))])

# ---- query

for name, words, wanted in [
    ("by tool", ["--tool", "mail:send"], 32),
    ("by tool and status", ["--tool", "mail:send", "--status", "Error"], 3),
    ("by correlation ID", ["--correlation-id", "r4"], 4),
    ("by call", ["--call", "c7"], 2),
    ("by tenant and type", ["--tenant", "acme", "--type", "begin"], 12),
    ("by time", ["--since", "1h", "--type", "end"], 25),
    ("with a limit", ["--type", "end", "--limit", "4"], 4),
]:
    for index in [[], ["--no-index"]]:
        r = ledger("query", *words, *index)
        case(f"query: {name}{' without index' if index else ''}", count(r, wanted) + expect(r, 0))
case("query: nothing fits", expect(ledger("query", "--tool", "no:such"), 1))
case("query: before there was anything", expect(ledger("query", "--until", "2020-01-01"), 1))
case("query: no time", expect(ledger("query", "--since", "soon"), 2, [], ["--since takes a time"]))
case("query: no ledger", expect(run(["ledger", "query", "-L", "/nowhere/at/all"]), 2, [], ["no ledger in /nowhere/at/all"]))
with tempfile.TemporaryDirectory() as other:
    for words in (["query"], ["tail"], ["verify"], ["export"], ["accept"], ["prune", "--older-than", "1d"]):
        case(f"{words[0]}: a folder without a ledger stays one", expect(run(["ledger", *words, "-L", other]), 2, [], ["no ledger in"]) + os.listdir(other))
    shutil.copytree(LEDGER, os.path.join(other, "ledger"))
    case("query: the folder above a ledger", expect(run(["ledger", "query", "-L", other]), 2, [], [f"it is in {other}/ledger"]))
r = ledger("query", "--call", "c7", "--json")
case("query: JSON", [] if [json.loads(t)["type"] for t in lines(r)] == ["begin", "end"] else [r.stdout.decode()])
write(25, 1)
case("query: what came since the index was made", count(ledger("query", "--call", "c25"), 2))

# ---- verify

case("verify: no flaws", expect(ledger("verify"), 0, ["no flaws"], ["without --anchor"]))
case("verify: with an anchor", expect(ledger("verify", "--anchor", ANCHOR), 0, ["checkpoints of the anchor hold", "no flaws"]))
report = json.loads(ledger("verify", "--json").stdout)
case("verify: JSON", [] if report["ok"] and report["flaws"] == [] and report["records"] == report["lastSeq"] else [str(report)])
case("verify: another key", expect(ledger("verify", "--key", os.path.join(LEDGER, "checkpoint.key")), 1, ["signature"]))
case("verify: no anchor there", expect(ledger("verify", "--anchor", "/nowhere/at/all"), 2, [], ["/nowhere/at/all"]))
segment = sorted(glob.glob(os.path.join(LEDGER, "*.jsonl")))[-1]
text = open(segment, "rb").read()
with open(segment, "wb") as f:
    f.write(text.replace(b'"callId":"c3"', b'"callId":"c4"', 1))
wrong = json.loads(next(t for t in text.splitlines() if b'"callId":"c3"' in t))["seq"]
case("verify: a changed record is named", expect(ledger("verify"), 1, [f"record {wrong} ", "[hash]"]))
case("query: a changed record is not shown", count(ledger("query", "--call", "c4", "--no-index"), 2) +
     expect(ledger("query", "--call", "c4", "--no-index"), 0, [], ["1 line was passed over"]))
cut = text[: text.rstrip(b"\n").rfind(b"\n", 0, -2000) + 1]
with open(segment, "wb") as f:
    f.write(cut)
case("verify: a cut end, without an anchor", expect(ledger("verify"), 0))
case("verify: a cut end, with an anchor", expect(ledger("verify", "-a", ANCHOR), 1, ["[truncated]"]))
with open(segment, "wb") as f:
    f.write(text)

# ---- export

out = os.path.join(folder.name, "acme.jsonl")
case("export: a tenant", expect(ledger("export", "--tenant", "acme", "-o", out), 0, [], ["26 records"]))
case("export: verifies alone", expect(run(["ledger", "verify", out]), 0, ["no flaws"]))
case("export: nobody else is in it", [] if b"zeta" not in open(out, "rb").read() else ["zeta"])
with open(out) as f:
    all_lines = f.readlines()
with open(out, "w") as f:
    f.writelines(all_lines[:3] + all_lines[4:])
case("export: a record less is seen", expect(run(["ledger", "verify", out]), 1, ["[tenant]"]))
for name, words, said in (("a tenant that nobody is", [], "there are no records of the tenant nobody"), ("a tenant in a time", ["--since", "1d"], "there are no such records of the tenant nobody")):
    for form in ("jsonl", "csv"):
        case(f"export: {name}, as {form}", expect(ledger("export", "--tenant", "nobody", "-f", form, "-o", out + ".none", *words), 1, [], [said])
             + (["a file is there"] if os.path.exists(out + ".none") else []))
case("export: the same on standard output", expect(ledger("export", "--tenant", "nobody", "-f", "csv"), 1, [], ["no records"]) +
     (["something is written"] if ledger("export", "--tenant", "nobody", "-f", "csv").stdout else []))
case("export: - is standard output", expect(ledger("export", "--tenant", "acme", "-o", "-"), 0, ['"tenant":"acme"']) + (["a file is there"] if os.path.exists(os.path.join(os.getcwd(), "-")) else []))
rows = list(csv.reader(io.StringIO(ledger("export", "-f", "csv", "--type", "end").stdout.decode())))
case("export: CSV", [] if rows[0][:3] == ["seq", "time", "type"] and len(rows) == 27 and all(len(r) == len(rows[0]) for r in rows) else [str(rows[:2])])
case("export: no formulas", [] if rows[1][4].startswith("'=") else [str(rows[1])])

# ---- accept

case("accept: nothing is broken", expect(ledger("accept"), 0, ["nothing to accept"]))
case("accept: no ledger", expect(run(["ledger", "accept", "-L", "/nowhere"]), 2, [], ["no ledger"]))
segment = sorted(glob.glob(os.path.join(LEDGER, "*.jsonl")))[-1]
text = open(segment, "rb").read()
with open(segment, "wb") as f:
    f.write(text.replace(b'"callId":"c3"', b'"callId":"c4"', 1))
case("accept: until then nobody writes", expect(ledger("prune", "--older-than", "1d"), 70, [], ["ferrule ledger accept"]))
case("accept: the operator's word", expect(ledger("accept"), 0, ["the break is accepted"]))
case("accept: it is written again", expect(ledger("prune", "--older-than", "1d"), 0, ["0 segments"]))
case("accept: verify still tells", expect(ledger("verify"), 1, [f"record {wrong} "]))
case("accept: a record says so", count(ledger("query", "--type", "recovered", "--no-index"), 1))
# Of a configuration: no file may have more than a megabyte, as on a disk that is almost full.
SMALL = os.path.join(folder.name, "small.json")
with open(SMALL, "w") as f:
    json.dump({"state": os.path.join(folder.name, "small"), "ledger": {"segmentBytes": 262144}}, f)
os.makedirs(os.path.join(folder.name, "small"))
subprocess.run([SCRIBE, os.path.join(folder.name, "small", "ledger"), "0", "3", os.path.join(folder.name, "small.anchor")], check=True, timeout=60)
for words in (["prune", "--older-than", "1d"], ["accept"]):
    r = subprocess.run(["prlimit", "--fsize=1048576", FERRULE, "ledger", *words, "-C", SMALL], capture_output=True, timeout=60)
    case(f"{words[0]}: segments are as large as the configuration says", expect(r, 0))
segments = sorted(glob.glob(os.path.join(LEDGER, "*.jsonl")))
for extra in segments[segments.index(segment) + 1:]:
    os.remove(extra)
with open(segment, "wb") as f:
    f.write(text)

# ---- prune

case("prune: needs an age", expect(ledger("prune"), 2, [], ["--older-than"]))
case("prune: nothing is that old", expect(ledger("prune", "--older-than", "1d"), 0, ["0 segments"]))
write(26, 500)
r = ledger("prune", "--older-than", "0s")
case("prune: what may go", expect(r, 0, absent=["0 segments"]))
case("prune: the rest verifies", expect(ledger("verify", "-a", ANCHOR), 0, ["older ones were pruned", "no flaws"]))
case("prune: no ledger", expect(run(["ledger", "prune", "--older-than", "1d", "-L", "/nowhere"]), 2, [], ["no ledger"]))
holder = subprocess.Popen(["flock", os.path.join(LEDGER, "lock"), "sleep", "30"]) if os.path.exists("/usr/bin/flock") else None
if holder:
    for _ in range(100):
        r = ledger("prune", "--older-than", "1d")
        if r.returncode:
            break
    case("prune: not while somebody writes", expect(r, 70, [], ["another process"]))
    holder.terminate()
    holder.wait()

finish()
