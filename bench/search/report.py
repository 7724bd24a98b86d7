#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Search, measured: Ferrule by words, vectors and both, a floor in C, SQLite's FTS5, MiniSearch and Orama over the same tools and queries,
in one run.

    python3 bench/search/report.py [--build DIR] [--sizes N,N] [--asked N] [--node-max N] [--write]

The tools are those of FERRULE_TEST_DATA/retrieval/corpus-*, in an order that is always the same; a million is ten
times these with a word changed. The queries are 38 of each labelled set. A query is asked as often by every engine (TURNS), and its
quickest turn counts. The floor (floor.h) adds up plain BM25 and does nothing else; FTS5 is asked with all words of a query, and with those alone
that Ferrule looks for. FTS5 answers at most 200 of them where there are 100,000 tools and 40 for a million, the engines
in node at most 100; they are left out where they would take minutes. On a busy machine peers can be asked less
(--asked, --node-max), and the table says so. Nothing of a peer is in this tree: those from npm are installed into the build folder. --write puts the table
into docs/BENCHMARKS.md."""
import argparse
import datetime
import gzip
import json
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- searching: begin, written by bench/search/report.py -->", "<!-- searching: end -->"
ASKED = {1000: 521, 10000: 521, 98802: 200, 1000000: 40}
TURNS = {1000: 20, 10000: 8, 98802: 5, 1000000: 2}
GOALS = {  # us in the middle
    "ferrule": {1000: 5, 10000: 10, 98802: 30, 1000000: 250},
    "ferrule, both": {1000: 15, 10000: 60, 98802: 300, 1000000: 2000},
}
NODE_MAX = {"minisearch": 98802, "orama": 10000}


def prepare(data, folder):
    """The tools in one file, the queries in another."""
    folder.mkdir(parents=True, exist_ok=True)
    tools, queries = folder / "tools.jsonl", folder / "queries.jsonl"
    lines = []
    for name in ("corpus-mcp", "corpus-openapi"):
        with gzip.open(data / name / "tools.jsonl.gz", "rt", encoding="utf-8") as file:
            lines += file.readlines()
    random.Random(1).shuffle(lines)
    tools.write_text("".join(lines), encoding="utf-8")
    chosen = []
    for path in sorted(data.glob("*/queries.jsonl")):
        if path.parent.name.endswith("-zh"):
            continue
        own = path.read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(2).shuffle(own)
        chosen += own[:38]
    random.Random(3).shuffle(chosen)
    queries.write_text("".join(chosen), encoding="utf-8")
    os.sync()  # what is written back later would be measured with the first engine
    return tools, queries


def install(folder):
    if not shutil.which("npm"):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "peers.json", folder / "package.json")
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
                   cwd=folder, capture_output=True, timeout=180, check=False)
    return (folder / "node_modules" / "minisearch").is_dir()


def ask(command):
    """What an engine printed, a row for each name it gave itself."""
    print("...", *command[-5:], file=sys.stderr)
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    if out.returncode:
        print(out.stderr[-500:], file=sys.stderr)
    rows = {}
    for line in out.stdout.splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            rows.setdefault(row["engine"], {}).update(row)
    return list(rows.values())


def time_of(row, key):
    if key not in row:
        return "-"
    value = row[key]
    return f"{value:.1f} us" if value < 1000 else f"{value / 1000:.1f} ms"


def number(row, key):
    return f"{row[key]:,.0f}" if row.get(key) else "-"


def against(row, rows):
    """Of Ferrule, its p50 as a part of the goal; of the floor, what Ferrule's is of it; of another engine, its p50 as so many times
    Ferrule's."""
    if "p50_us" not in row:
        return "-"
    if row["engine"].startswith("ferrule"):
        goal = GOALS.get(row["engine"], {}).get(row["tools"])
        return f"goal {goal} us, {row['p50_us'] / goal:.2f} of it" if goal else "-"
    ours = [r["p50_us"] for r in rows if r["engine"] == "ferrule" and r["tools"] == row["tools"] and "p50_us" in r]
    if not ours:
        return "-"
    return f"ferrule is {ours[0] / row['p50_us']:.2f} of it" if row["engine"] == "floor" else f"{row['p50_us'] / ours[0]:,.0f} x ferrule"


def table(rows):
    lines = ["| engine | tools | p50 | against | p95 | p99 | built, tools/s | put one by one | update | bytes/tool |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['engine']} | {row['tools']:,} | {time_of(row, 'p50_us')} | {against(row, rows)} | {time_of(row, 'p95_us')} | "
                     f"{time_of(row, 'p99_us')} | {number(row, 'tools_per_s')} | {number(row, 'put_per_s')} | "
                     f"{time_of(row, 'update_us')} | {number(row, 'bytes_per_tool')} |")
    return "\n".join(lines)


def instructions(program, size):
    """Per query and per tool built, by callgrind: the same on every run."""
    def collected(function):
        out = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={function}",
                              *program, str(size), "once"], capture_output=True, text=True, check=False)
        found = [line.split()[-1] for line in out.stderr.splitlines() if "Collected" in line]
        return int(found[0]) if found else 0
    return collected("bench_count_queries"), collected("bench_count_build")


def counts(program, queries):
    lines = ["| tools | instructions for a query, mean | for a tool that is built in |", "|---|---|---|"]
    asked = len(queries.read_text(encoding="utf-8").splitlines())
    for size in (1000, 10000):
        search, build = instructions(program, size)
        if not search:
            return ""
        lines.append(f"| {size:,} | {search / asked:,.0f} | {build / size:,.0f} |")
    return "\n".join(lines)


def remark(start, sizes):
    command = " ".join(["python3 bench/search/report.py", *sys.argv[1:]])
    return (f"`{command}`, {datetime.date.today()}, {os.cpu_count()} cores ({platform.machine()}), "
            f"load {start:.1f} when it began and {os.getloadavg()[0]:.1f} when it ended. Turns: "
            + ", ".join(f"{turns} with {size:,} tools" for size, turns in TURNS.items() if size in sizes) + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-bench")
    parser.add_argument("--sizes", default="1000,10000,98802,1000000")
    parser.add_argument("--asked", type=int, default=1000, help="queries that a peer answers at most")
    parser.add_argument("--node-max", type=int, default=98802, help="tools that engines in node are asked about at most")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    data = pathlib.Path(os.environ.get("FERRULE_TEST_DATA", "../shared/data")) / "retrieval"
    tools, queries = prepare(data, build / "search")
    node = install(build / "search-peers")
    rows, load = [], os.getloadavg()[0]
    program = [str(build / "bench" / "bench_search"), str(tools), str(queries)]
    for size in map(int, options.sizes.split(",")):
        turns, asked = str(TURNS.get(size, 2)), str(min(options.asked, ASKED.get(size, 40)))
        rows += ask([*program, str(size), "ferrule", turns])
        rows += ask([str(build / "bench" / "bench_hybrid"), str(tools), str(queries), str(size)])
        rows += ask([*program, str(size), "floor", turns])
        rows += ask([*program, str(size), "fts5-content", turns, asked])
        rows += ask([*program, str(size), "fts5", turns, asked])
        for engine, most in NODE_MAX.items():
            if node and size <= min(most, options.node_max):
                rows += ask(["node", "--max-old-space-size=8192", str(HERE / "node_peers.mjs"), str(build / "search-peers"),
                             engine, str(tools), str(queries), str(size), str(min(options.asked, 100)), turns])
    text = remark(load, [int(s) for s in options.sizes.split(",")]) + "\n\n" + table(rows)
    if shutil.which("valgrind"):
        text += "\n\n" + counts(program, queries)
    print(text)
    if options.write:
        page = HERE.parent.parent / "docs" / "BENCHMARKS.md"
        old = page.read_text(encoding="utf-8")
        before, rest = old.split(BEGIN)
        page.write_text(before + BEGIN + "\n\n" + text + "\n\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
