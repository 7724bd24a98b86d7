#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule search --batch and ferrule eval: what they write, and what they say of bad input. Speaks TAP."""

import json
import os
import tempfile

from command_line import case, expect, finish, inject, run

TOOLS = [
    {"id": "gh:create_issue", "namespace": "gh", "name": "create_issue", "description": "Create an issue in a repository",
     "tags": ["issues"], "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}}},
    {"id": "gh:list_issues", "namespace": "gh", "name": "list_issues", "description": "List issues of a repository"},
    {"id": "wx:forecast", "namespace": "wx", "name": "forecast", "description": "The weather forecast for a city"},
]
QUERIES = [
    {"id": "1", "query": "open a new issue with a title", "relevant": ["gh:create_issue"]},
    {"id": "2", "query": "will it rain: weather in Berlin", "relevant": ["wx:forecast"]},
    {"id": "3", "query": "list_issues", "relevant": ["gh:list_issues", "gh:create_issue"]},
    {"id": "4", "query": "zzzz", "relevant": ["wx:forecast"]},
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


with tempfile.TemporaryDirectory() as folder:
    tools = write(folder, "tools.jsonl", lines(TOOLS))
    queries = write(folder, "queries.jsonl", lines(QUERIES))
    out = os.path.join(folder, "run.jsonl")
    batch = ["search", "--batch", queries, "--catalog", tools]

    result = run([*batch, "--out", out])
    problems = expect(result, 0)
    ranked = {row["id"]: row["ranked"] for row in map(json.loads, open(out, encoding="utf-8"))} if not problems else {}
    firsts = {"1": "gh:create_issue", "2": "wx:forecast", "3": "gh:list_issues"}
    problems += [f"{q}: {ranked.get(q)}" for q, tool in firsts.items() if (ranked.get(q) or [None])[0] != tool]
    problems += [] if ranked.get("4") == [] else [f"4: {ranked.get('4')}"]
    case("a batch into a file", problems)
    case("a batch onto standard output", expect(run(batch), 0, ['{"id":"3","ranked":["gh:list_issues","gh:create_issue"]}']))
    case("the same bytes every time", [] if run(batch).stdout == run(batch).stdout else ["they differ"])

    result = run(["eval", folder, "--json"])
    row = json.loads(result.stdout.decode() or "{}")
    want = {"recall@1": 0.625, "recall@10": 0.75, "ndcg@10": 0.75, "mrr": 0.75, "queries": 4, "tools": 3, "fits": 0.75, "unknown": 0}
    case("measures", expect(result, 0) + [f"{k}: {row.get(k)}" for k, v in want.items() if abs(row.get(k, -1) - v) > 1e-6])
    other = write(folder, "other/tools.jsonl", open(tools, encoding="utf-8").read())
    write(folder, "other/queries.jsonl", lines([{"id": "1", "query": "open an issue", "relevant": ["gh:create_issue", "gh:gone"]}, {"id": "2", "query": "weather", "relevant": ["wx:none"]}]))
    result = run(["eval", "--json", os.path.dirname(other)])
    problems = expect(result, 0, err=["2 relevant IDs are those of no tool there"])
    case("relevant IDs that no tool has", problems + ([] if json.loads(result.stdout or "{}").get("unknown") == 2 else [result.stdout.decode()]))
    for ranker in ("embedding", "hybrid"):
        result = run([*batch, "--ranker", ranker])
        ranked = {row["id"]: row["ranked"] for row in map(json.loads, result.stdout.decode().splitlines())}
        problems = [f"{q}: {ranked.get(q)}" for q, tool in firsts.items() if (ranked.get(q) or [None])[0] != tool]
        problems += [] if ranked.get("4") == [] else [f"4: {ranked.get('4')}"]
        case(f"a batch, ranked by {ranker}", expect(result, 0) + problems)
    result = run(["eval", "--ranker", "hybrid", "--usage", "--json", folder])
    seen = json.loads(result.stdout.decode() or "{}").get("queries", 0)
    case("each query asked once, the others remembered", expect(result, 0) + ([] if seen == 4 else [f"{seen} queries"]))
    crowd = write(folder, "crowd.jsonl", lines([{"id": f"x{n}", "name": f"noise_{n}"} for n in range(30)]))
    case("in a crowd", expect(run(["eval", "--crowd", crowd, folder, folder]), 0, ["macro", "       33", "75.00"]))

    bad = write(folder, "bad.jsonl", '{"id":"a","name":"a"}\n{"id":')
    twice = write(folder, "twice.jsonl", '{"id":"a","name":"a"}\n\n{"id":"a","name":"b"}\n')
    nameless = write(folder, "nameless.jsonl", '{"name":"a"}\n')
    for name, args, code, err in [
        ("no catalogue", ["search", "--batch", queries], 2, ["--catalog"]),
        ("no such file", ["search", "--batch", queries, "--catalog", folder + "/none"], 2, ["none"]),
        ("broken JSON", ["search", "--batch", queries, "--catalog", bad], 2, ["bad.jsonl:2:"]),
        ("an ID twice", ["search", "--batch", queries, "--catalog", twice], 2, ["twice.jsonl:3:", "'a'"]),
        ("no ID", ["search", "--batch", queries, "--catalog", nameless], 2, ["nameless.jsonl:1:", "id"]),
        ("a query without text", ["search", "--batch", tools, "--catalog", tools], 2, ["tools.jsonl:1:"]),
        ("an unknown embedder", [*batch, "--ranker", "hybrid", "--embedder", "magic"], 2, ["there is no embedder 'magic'"]),
        ("an embedder that is none", [*batch, "--ranker", "hybrid", "--embedder", "use:README.md"], 1, ["does not start as one"]),
        ("an unknown ranker", [*batch, "--ranker", "magic"], 2, ["ranker"]),
        ("eval without folders", ["eval"], 2, ["folder"]),
        ("eval by words with past queries", ["eval", "--usage", "--ranker", "bm25", "x"], 2, ["hybrid ranker only"]),
        ("eval of nothing", ["eval", "/nonexistent"], 2, ["tools.jsonl"]),
    ]:
        case(name, expect(run(args), code, err=err))

    inject([batch, ["eval", folder], [*batch, "--ranker", "hybrid"], ["eval", "--ranker", "hybrid", "--usage", folder]])
finish()
