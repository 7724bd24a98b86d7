#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One registry of all English development sets, with some queries of each, for `ferrule eval`: pool.py DATA OUT

DATA is the folder of the sets, OUT gets tools.jsonl and queries.jsonl, and crowd.jsonl: the tools of the two
corpora. With them (`ferrule eval --crowd OUT/crowd.jsonl OUT`) it is a registry of 113,000 tools. IDs get the name of their set in front; the two
sets over the tools of MetaTool share these. Only tools of a query's own set are known to be relevant, so
recall is a lower bound."""

import gzip
import json
import pathlib
import sys

QUERIES = 120  # of each set, evenly spaced
TWINS = {"metatool-multi": "metatool"}
LEFT_OUT = {"acebench-zh"}  # Chinese


def lines(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf8") as f:
        return [json.loads(line) for line in f if line.strip()]


def main():
    data, out = map(pathlib.Path, sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    seen, tools, queries = set(), [], []
    for folder in sorted(data.iterdir()):
        if not (folder / "queries.jsonl").exists() or folder.name in LEFT_OUT:
            continue
        prefix = TWINS.get(folder.name, folder.name) + "/"
        for tool in lines(folder / "tools.jsonl"):
            tool["id"] = prefix + tool["id"]
            if tool["id"] not in seen:
                seen.add(tool["id"])
                tools.append(tool)
        of_set = lines(folder / "queries.jsonl")
        step = max(1, len(of_set) // QUERIES)
        for query in of_set[::step][:QUERIES]:
            queries.append({"id": f"{folder.name}/{query['id']}", "query": query["query"],
                            "relevant": [prefix + one for one in query["relevant"]]})
    crowd = {tool["id"]: tool for path in sorted(data.glob("corpus-*/tools.jsonl.gz")) for tool in lines(path)}
    for name, rows in (("tools", tools), ("queries", queries), ("crowd", crowd.values())):
        with open(out / f"{name}.jsonl", "w", encoding="utf8") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)
    print(f"{len(tools)} tools, {len(queries)} queries, a crowd of {len(crowd)} in {out}")


if __name__ == "__main__":
    main()
