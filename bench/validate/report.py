#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validating, measured: every engine on the same sets, in one run.

    python3 bench/validate/report.py [--build DIR] [--group G]... [--ways W,W] [--engines E,E]
                                     [--sets TEXT] [--rounds N] [--budget SECONDS] [--write]

A set is a folder GROUP/NAME of FERRULE_TEST_DATA/schemas with schema.json, instances.jsonl and perhaps
invalid.jsonl. Each engine runs one set after the other, all engines alternately, `rounds` times. Passes over
a set are timed in short pieces, and the quickest time of each piece counts. Ours are two: `ferrule`, and
`native`, which is Ferrule with machine code made of the schema. Ratios are ours / theirs: below 1 we are quicker. `*` marks an engine that gave a wrong verdict on that set; such a figure is in no mean.
ERR: it cannot compile the schema, or took longer than a minute. --write puts the summary into docs/BENCHMARKS.md."""

import argparse
import collections
import datetime
import json
import math
import os
import pathlib
import subprocess
import sys
import textwrap
import time

from peers import HERE, Peers, first_line

WAYS = {
    "valid": ("valid instances, read already: the verdict", "ns"),
    "invalid": ("invalid instances, read already: the verdict", "ns"),
    "findings": ("invalid instances, read already: everything that is wrong", "ns"),
    "text": ("valid instances: from text to verdict", "ns"),
    "compile": ("from the schema's text to a validator that is ready", "us"),
    "program": ("the size of the program", "bytes"),
}
TIMED = [way for way in WAYS if way != "program"]
OURS = ["ferrule", "native"]
PEERS = ["blaze", "ata", "ajv"]
FLOORS = ["floor", "yyjson"]
SET_SECONDS = 60
BEGIN, END = "<!-- validating: begin, written by bench/validate/report.py -->", "<!-- validating: end -->"

Figure = collections.namedtuple("Figure", "value wrong error by")


# ---- running ------------------------------------------------------------------------------------


def find_sets(arguments):
    root = pathlib.Path(os.environ.get("FERRULE_TEST_DATA", "../shared/data")) / "schemas"
    sets = collections.defaultdict(list)
    for schema in sorted(root.glob("*/*/schema.json")):
        group, name = schema.parent.parent.name, schema.parent.name
        if arguments.group and group not in arguments.group:
            continue
        if arguments.sets in f"{group}/{name}" and (schema.parent / "instances.jsonl").exists():
            sets[group].append(f"{group}/{name}")
    order = {"large": 0, "toolcall": 1, "realworld": 2}
    return root.resolve(), dict(sorted(sets.items(), key=lambda g: (order.get(g[0], 9), g[0])))


class Run:
    """The figures of all engines: figures[set][way][engine], the quickest of all rounds."""

    def __init__(self, peers, arguments, root, sets):
        self.peers, self.arguments, self.root, self.sets = peers, arguments, root, sets
        self.figures = collections.defaultdict(lambda: collections.defaultdict(dict))
        self.programs = collections.defaultdict(dict)
        self.gave_up, self.skipped = set(), []
        self.begun = time.monotonic()

    def late(self):
        return time.monotonic() - self.begun > self.arguments.budget

    def take(self, line):
        try:
            said = json.loads(line)
            engine, name, way = said["engine"], said["set"], said["way"]
        except (ValueError, KeyError, TypeError):
            return
        if "error" in said:
            self.fail(engine, name, said["error"])
        elif way == "program":
            self.programs[name][engine] = said
        elif said.get("ns") is not None:
            value = said["ns"] / 1000 if WAYS[way][1] == "us" else said["ns"]
            known = self.figures[name][way].get(engine)
            if not known or known.error or value < known.value:
                self.figures[name][way][engine] = Figure(value, said.get("wrong", 0), None, said.get("by"))

    def fail(self, engine, name, why):
        """What was not measured before is ERR; the engine is not asked about this set again."""
        self.gave_up.add((engine, name))
        for way in self.arguments.ways:
            if way != "program" and engine not in self.figures[name][way]:
                if way in ("invalid", "findings") and not (self.root / name / "invalid.jsonl").exists():
                    continue
                if engine in FLOORS and way != "valid":
                    continue
                self.figures[name][way][engine] = Figure(math.inf, 0, why, None)

    def one(self, engine, name):
        if (engine, name) in self.gave_up:
            return
        command = self.peers.commands[engine](name, self.root / name, self.arguments.ways)
        environment = dict(os.environ, FERRULE_TEST_DATA=str(self.root.parent))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=environment) as process:
            why = None
            try:
                out, _ = process.communicate(timeout=SET_SECONDS)
                if process.returncode:
                    why = f"ended with {process.returncode}"
            except subprocess.TimeoutExpired:
                process.kill()
                out, _ = process.communicate()
                why = f"more than {SET_SECONDS} s"
        for line in out.splitlines():
            self.take(line)
        if why:
            self.fail(engine, name, why)

    def all(self):
        names = [name for group in self.sets.values() for name in group]
        for turn in range(self.arguments.rounds):
            for at, name in enumerate(names):
                if self.late():
                    if turn == 0:
                        self.skipped = names[at:]
                    return
                if sys.stderr.isatty():
                    print(f"\r{turn + 1}/{self.arguments.rounds} {name:60}", end="", file=sys.stderr)
                engines = list(self.peers.commands)
                for engine in engines if turn % 2 == 0 else reversed(engines):
                    self.one(engine, name)
        if sys.stderr.isatty():
            print(f"\r{'':70}\r", end="", file=sys.stderr)


# ---- means --------------------------------------------------------------------------------------


def mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def usable(run, name, way, engine):
    figure = run.figures[name][way].get(engine)
    return figure.value if figure and not figure.error and not figure.wrong else None


def ratio(run, name, way, engine, ours="ferrule"):
    ours, theirs = usable(run, name, way, ours), usable(run, name, way, engine)
    return ours / theirs if ours and theirs else None


class Summary:
    """One way of one of ours over the sets of one group."""

    def __init__(self, run, names, way, ours="ferrule"):
        values = [usable(run, name, way, ours) for name in names]
        self.ours = mean([value for value in values if value])
        self.count = sum(1 for value in values if value)
        self.ratios = {}
        for engine in PEERS + FLOORS:
            list_ = [r for r in (ratio(run, name, way, engine, ours) for name in names) if r]
            if list_:
                self.ratios[engine] = (mean(list_), len(list_))
        best, self.worst = [], None
        for name in names:
            rows = [(r, engine) for engine in PEERS if (r := ratio(run, name, way, engine, ours))]
            if not rows:
                continue
            top = max(rows)
            best.append(top[0])
            if not self.worst or top[0] > self.worst[0]:
                self.worst = (*top, name.split("/")[1])
        self.best = mean(best)


# ---- tables -------------------------------------------------------------------------------------


def number(value):
    if value is None:
        return ""
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def cell(run, name, way, engine):
    figure = run.figures[name][way].get(engine)
    if not figure:
        return ""
    return "ERR" if figure.error else number(figure.value) + ("*" if figure.wrong else "")


def times(value):
    return "" if value is None else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def engines_of(run, names, way):
    return [e for e in PEERS + FLOORS if any(e in run.figures[name][way] for name in names)]


def ours_of(run, names, way):
    return [o for o in OURS if any(o in run.figures[name][way] for name in names)]


def set_table(run, names, way):
    """Rows of cells: one per set, then the geometric means."""
    engines, ours = engines_of(run, names, way), ours_of(run, names, way)
    rows = [["set", *ours, *engines, *(f"{o}/{e}" for o in ours for e in engines)]]
    for name in names:
        if run.figures[name][way]:
            rows.append([name.split("/")[1], *(cell(run, name, way, e) for e in [*ours, *engines]),
                         *(times(ratio(run, name, way, e, o)) for o in ours for e in engines)])
    totals = [Summary(run, names, way, o) for o in ours]
    rows.append(["geometric mean", *(number(total.ours) for total in totals), *("" for _ in engines),
                 *(times(total.ratios.get(e, (None, 0))[0]) for total in totals for e in engines)])
    return rows


def program_table(run, names):
    rows = [["set", "schema", "ferrule", "nodes", "instructions", "bytes each", "blaze", "instructions", "bytes each"]]
    for name in names:
        ours, blaze = run.programs[name].get("ferrule"), run.programs[name].get("blaze")
        if not ours:
            continue
        row = [name.split("/")[1], number(ours["text"]), number(ours["bytes"]), str(ours["nodes"]),
               str(ours["instructions"]), number(ours["bytes"] / max(1, ours["instructions"]))]
        if blaze:
            row += [number(blaze["bytes"]), str(blaze["instructions"]),
                    number(blaze["bytes"] / max(1, blaze["instructions"]))]
        rows.append(row + [""] * (9 - len(row)))
    return rows


def summary_table(run, names, ways):
    engines = [e for e in PEERS + FLOORS if any(e in engines_of(run, names, way) for way in ways)]
    rows = [["way", "of ours", "sets", "time", *(f"/{e}" for e in engines), "/best peer", "worst set"]]
    for way, ours in ((way, ours) for way in ways for ours in OURS):
        total = Summary(run, names, way, ours)
        if not total.count:
            continue
        row = [way, ours, str(total.count), f"{number(total.ours)} {WAYS[way][1]}"]
        for engine in engines:
            mean_, count = total.ratios.get(engine, (None, 0))
            row.append(times(mean_) + (f" ({count})" if mean_ and count != total.count else ""))
        worst = f"{total.worst[2]}: {total.worst[0]:.2f} ({total.worst[1]})" if total.worst else ""
        rows.append([*row, times(total.best), worst])
    return rows


def plain(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]).rstrip())


def markdown(rows):
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows[1:]])


def notes(run):
    """What a reader of the tables has to know: what failed, was wrong or was left out."""
    lines = [f"left out: {what}" for what in run.peers.left_out]
    if run.skipped:
        lines.append(f"no time left for {len(run.skipped)} sets: {', '.join(run.skipped)}")
    for name, by_way in run.figures.items():
        for engine in PEERS + FLOORS + OURS:
            errors = {f[engine].error for f in by_way.values() if engine in f and f[engine].error}
            wrong = {way: f[engine].wrong for way, f in by_way.items() if engine in f and f[engine].wrong}
            lines += [f"ERR {engine} {name}: {error}" for error in sorted(errors)]
            if wrong:
                lines.append(f"*   {engine} {name}: wrong verdicts: "
                             + ", ".join(f"{way} {count}" for way, count in wrong.items()))
    own = [name for name, by_way in run.figures.items() if by_way["text"].get("ata") and
           by_way["text"]["ata"].by == "isValidJSON"]
    if own:
        lines.append(f"text, ata: its isValidJSON was quicker than JSON.parse on {len(own)} sets")
    return lines


def show(run):
    for group, names in run.sets.items():
        for way in run.arguments.ways:
            if way == "program" and any(run.programs[name] for name in names):
                print(f"\n{group}: {WAYS[way][0]}, {WAYS[way][1]}")
                plain(program_table(run, names))
            elif any(run.figures[name][way] for name in names):
                print(f"\n{group}: {WAYS[way][0]}, {WAYS[way][1]}")
                plain(set_table(run, names, way))
    for group, names in run.sets.items():
        print(f"\n{group}: geometric means, and ours / theirs")
        plain(summary_table(run, names, [way for way in run.arguments.ways if way in TIMED]))
    print()
    for line in notes(run):
        print(line)


# ---- the page -----------------------------------------------------------------------------------


def machine():
    info = pathlib.Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else ""
    model = next((line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")), "")
    return f"{os.cpu_count()} cores, {model}, {first_line(['cc', '--version'])}"


def paragraph(text):
    return [*textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False), ""]


def section(run):
    versions = ", ".join(f"{name} {version}" for name, version in run.peers.versions.items())
    out = paragraph(f"`python3 bench/validate/report.py --write --rounds {run.arguments.rounds}`, "
                    f"{datetime.date.today()}: {machine()}; {versions or 'no peers'}.")
    out += paragraph(
        "All engines get the same sets in one run, alternately. Times are of pieces of 0.25 ms, the quickest of many "
        "turns of each. Ours are two: `ferrule`, and `native`, which is Ferrule with machine code made of the schema "
        "(fer_schema_options.native). `/x` is ours divided by theirs: below 1 we are quicker; in brackets, over how many sets. "
        "`floor` is a check written by hand in C for that schema, `yyjson` only reads the text. "
        + "; ".join(f"*{way}*: {what}" for way, (what, _) in WAYS.items() if way in TIMED) + ".")
    for group, names in run.sets.items():
        out += [f"### {group}", "", markdown(summary_table(run, names, TIMED)), "",
                "*valid*, ns per instance:", "", markdown(set_table(run, names, "valid")), ""]
    ours = [p["ferrule"] for p in run.programs.values() if "ferrule" in p]
    sizes = [(p["bytes"] / p["text"], p["bytes"] / max(1, p["instructions"])) for p in ours]
    if sizes:
        out += paragraph(f"A program, with all that findings need (the schema and its tree among it), takes "
                         f"{mean([s[0] for s in sizes]):.1f} times the bytes of its schema's text in the geometric "
                         f"mean, {mean([s[1] for s in sizes]):,.0f} bytes per instruction.")
    remarks = notes(run)
    if remarks:
        out += ["Remarks (`*`: wrong verdicts, in no mean; ERR: cannot compile it, or more than a minute):", ""]
        out += [f"- {' '.join(line.split())}" for line in remarks] + [""]
    return "\n".join(out)


def write(run):
    page = HERE.parent.parent / "docs" / "BENCHMARKS.md"
    text = page.read_text()
    if BEGIN not in text or END not in text:
        raise SystemExit(f"report.py: {page} has no marks to write between")
    head, rest = text.split(BEGIN, 1)
    page.write_text(f"{head}{BEGIN}\n\n{section(run)}\n{END}{rest.split(END, 1)[1]}")
    print(f"written: {page.name}")


def arguments_of(argv):
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--build", default="build-bench", help="the build folder")
    p.add_argument("--group", action="append", help="only this group of sets; may be repeated")
    p.add_argument("--sets", default="", help="only sets whose GROUP/NAME has this text in it")
    p.add_argument("--ways", default=",".join(WAYS), type=lambda s: s.split(","), help="which ways, by commas")
    p.add_argument("--engines", default=",".join(PEERS), type=lambda s: s.split(","), help="which peers, by commas")
    p.add_argument("--rounds", default=2, type=int, help="how often every engine runs every set")
    p.add_argument("--budget", default=400, type=float, help="seconds, past which no set is begun")
    p.add_argument("--write", action="store_true", help="write the section of docs/BENCHMARKS.md")
    arguments = p.parse_args(argv)
    if arguments.write and (arguments.group or arguments.sets or arguments.ways != list(WAYS)):
        p.error("--write is for a run of everything")
    unknown = [way for way in arguments.ways if way not in WAYS]
    if unknown:
        p.error(f"no such way: {', '.join(unknown)} (there are {', '.join(WAYS)})")
    return arguments


def main(argv):
    arguments = arguments_of(argv)
    root, sets = find_sets(arguments)
    if not sets:
        print("validating: no test data (FERRULE_TEST_DATA) with such sets: nothing to measure")
        return 0
    peers = Peers(arguments.build, arguments.engines)
    print(f"validating: {sum(map(len, sets.values()))} sets, {', '.join(peers.commands)}; "
          f"at most about {arguments.budget / 60:.0f} minutes", flush=True)
    run = Run(peers, arguments, root, sets)
    run.all()
    show(run)
    if arguments.write:
        write(run)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
