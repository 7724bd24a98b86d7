#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule search --batch --embedder URL: a server of vectors, right and wrong ones, busy and broken. Speaks TAP.

The server's vectors are made here from the words of a text, so that what comes out is known: the ranking is
compared with one that is computed here, too."""

import http.server
import json
import math
import os
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import zlib

from command_line import FAULTS, case, expect, finish, points, run, skip

KEY = "sk-hunter2-canary"
TOOLS = [{"id": f"t:{n}", "namespace": "t", "name": n, "description": d} for n, d in [
    ("create_issue", "Create an issue in a repository"), ("list_issues", "List the issues of a repository"),
    ("forecast", "The weather forecast for a city"), ("send_mail", "Send a mail to somebody"),
    ("play_song", "Play a song of an artist"), ("book_table", "Book a table in a restaurant"),
    ("convert_money", "Convert money from one currency to another"), ("translate", "Translate a text to a language")]]
TOOLS += [{"id": f"x:{i}", "name": f"other_{i}", "description": f"number {i} of many more things"} for i in range(82)]
QUERIES = [{"id": str(i), "query": q, "relevant": ["t:" + t]} for i, (q, t) in enumerate([
    ("open an issue in my repository", "create_issue"), ("weather forecast for Berlin", "forecast"),
    ("a song of an artist", "play_song"), ("money of another currency", "convert_money")])]


def words_of(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def vector(text, dims):
    """Every word is a direction of its own."""
    out = [0.0] * dims
    for word in words_of(text):
        out[zlib.crc32(word.encode()) % dims] += 1.25
    return out


def answer(body, dims):
    return {"object": "list", "model": body["model"],
            "data": [{"object": "embedding", "index": i, "embedding": vector(t, dims)} for i, t in enumerate(body["input"])]}


class Server:
    """Answers by `reply(number of the request, body)`: (status, headers, text), or None to hang up."""

    def __init__(self, reply, context=None):
        self.requests, self.heads, outer = [], [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version, wbufsize = "HTTP/1.1", -1  # head and body in one piece

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                outer.heads.append((self.path, dict(self.headers)))
                said = reply(len(outer.requests), body)
                if said is None:
                    self.close_connection = True
                    return
                status, headers, text = said
                data = text.encode() if isinstance(text, str) else json.dumps(text).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # of clients that go away, or do not trust us
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.scheme = "https" if context else "http"
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        self.url = f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}/v1"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def write(folder, name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def rankings(result):
    return {row["id"]: row["ranked"] for row in map(json.loads, result.stdout.decode().splitlines())}


def unit(numbers):
    """Whole numbers of length 254, as the header of embedders asks for."""
    most = max(map(abs, numbers))
    whole = [round(n / most * (1 << 22)) for n in numbers]
    factor = 254 / math.sqrt(sum(n * n for n in whole))
    return [math.copysign(min(127, math.floor(abs(n) * factor + 0.5)), n) for n in whole]


def expected(query, dims):
    """All tools that have something of the query, the nearest first, equal ones by ID."""
    asked = unit(vector(query, dims))
    scored = []
    for tool in TOOLS:
        text = f"{tool['name'].replace('_', ' ')}. {tool['description']}"
        scored.append((-sum(a * b for a, b in zip(asked, unit(vector(text, dims)))), tool["id"]))
    return [id for product, id in sorted(scored) if product < 0][:100]


def stay(folder, s, toy):
    """Whoever writes a catalogue, the vectors that a server made stay, and who lacks one is told."""
    catalog, file = os.path.join(folder, "stay.catalog"), os.path.join(folder, "stay.json")
    on, told = ["-c", catalog], "of the embedder http, model toy"
    texts = {name: f"Does the {name}" for name in ("one", "two", "three", "four")}

    def put(**changed):
        with open(file, "w", encoding="utf-8") as f:
            json.dump([{"name": n, "namespace": "t", "description": d, "inputSchema": {"type": "object"}}
                       for n, d in {**texts, **changed}.items()], f)

    def vectors(count, missing):
        return expect(run(toy("index", "stats", *on)), 0, [f"vectors\t{count}\n", f"vectorsMissing\t{missing}\n", "model\ttoy\n"])

    put()
    run(toy("index", "build", file, "-o", catalog))
    put(two="Does something new")
    run(["catalog", "update", file, "--quarantine", "changed", *on])
    case("vectors stay: an update that holds back", vectors(4, 0))
    case("vectors stay: reject", expect(run(["catalog", "reject", "t:two", *on]), 0, absent=["no vector"]) + vectors(4, 0))
    run(["catalog", "update", file, "--quarantine", "changed", *on])
    asked = len(s.requests)
    case("vectors stay: approve", expect(run(["catalog", "approve", "t:two", *on]), 0, ["approved"],
                                         ["1 of 4 tools has no vector", told, "--embedder URL --embedder-model toy"]) + vectors(3, 1))
    put(two="Does something new", five="Does five")
    case("vectors stay: an update", expect(run(["catalog", "update", file, *on]), 0, ["registered\tt:five"], ["2 of 5 tools have no vector", told]) + vectors(3, 2))
    case("vectors stay: an update of nothing", expect(run(["catalog", "update", file, *on]), 0, [], ["nothing has changed", "2 of 5 tools have no vector"]) + vectors(3, 2))
    other = ["--embedder", s.url, "--embedder-model", "other"]
    case("vectors stay: another embedder", expect(run(["catalog", "update", file, *on, *other]), 0, [], [told, "stay"]) + vectors(3, 2))
    case("vectors stay: built anew", expect(run(["index", "build", file, "-o", catalog]), 0, ["5 tools, 3 with vectors"], ["2 of 5 tools have no vector", told]) + vectors(3, 2))
    asked = len(s.requests)
    case("missing ones are made", expect(run(toy("catalog", "update", file, *on)), 0, [], ["nothing has changed"], absent=["no vector"]))
    sent = [len(r["input"]) for r in s.requests[asked:]]
    case("and no others", ([] if sent == [1, 2] else [str(sent)]) + vectors(5, 0))
    stats = run(["index", "stats", *on])
    case("stats of the file's own", expect(stats, 0, ["vectors\t5\n", "vectorsMissing\t0\n", "embedder\thttp\n", "model\ttoy\n"],
                                           ["--embedder URL --embedder-model toy"], absent=["index build"]))
    case("stats of the file's own, JSON", [] if json.loads(run(["index", "stats", "--json", *on]).stdout)["model"] == "toy" else ["no model"])
    case("stats by another", expect(run(["index", "stats", *on, *other]), 0, ["vectors\t0\n", "embedder\thttp\n", "model\ttoy\n"], [told], absent=["index build"]))
    for ranker in ("embedding", "hybrid", None):
        found = run(["search", "does the one", "--json", *on, *(["--ranker", ranker] if ranker else [])])
        problems = expect(found, 0, ['"scoreType":"bm25"'], ["ranked by words: ", told, "used with --embedder URL --embedder-model toy"])
        said = json.loads(found.stdout).get("otherVectors")
        case(f"another's vectors, told: {ranker}", problems + ([] if said == {"embedder": "http", "model": "toy", "dims": 64} else [str(said)]))
    case("words alone need no vectors", expect(run(["search", "does the one", "--ranker", "bm25", *on]), 0, absent=["http"]))
    shorter = run(toy("search", "does the one", *on, "--embedder-dims", "32"))
    case("vectors of another length, told", expect(shorter, 0, [], [told + ", 64 numbers", "--embedder-dims 64"]))
    put(one="a", two="b", three="c", four="d", five="e")
    run(["catalog", "update", file, *on])
    case("texts that are all new: the embedder is known still", vectors(0, 5))
    case("and makes all of them", expect(run(toy("catalog", "update", file, *on)), 0) + vectors(5, 0))
    run(["index", "build", file, "-o", catalog, "--no-vectors"])
    case("without vectors there are none", expect(run(["index", "stats", *on]), 0, ["vectors\t0\n", "embedder\t\n"]))
    case("an embedder that is named makes them", expect(run(toy("catalog", "update", file, *on)), 0) + vectors(5, 0))
    case("another one that is named for all", expect(run(["index", "build", file, "-o", catalog, "--embedder", "builtin"]), 0, ["5 with vectors"])
         + expect(run(["index", "stats", *on]), 0, ["vectors\t5\n", "embedder\tstatic-128\n"], absent=["http"]))


def stay_served(folder, toy):
    """A gateway, which makes vectors of its own to search with, writes the catalogue again: those of the server stay."""
    home = os.path.join(folder, "home")
    catalog = os.path.join(home, "kept.catalog")
    os.makedirs(home)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}

    with open(os.path.join(home, "ferrule.yaml"), "w", encoding="utf-8") as f:
        json.dump({"catalog": "kept.catalog", "state": "state", "commands": [
            {"name": "wash", "namespace": "t", "description": "Washes", "inputSchema": {"type": "object"}, "run": {"argv": ["/bin/true"]}}]}, f)
    definitions = os.path.join(home, "more.json")
    with open(definitions, "w", encoding="utf-8") as f:
        json.dump([{"name": n, "namespace": "u", "description": f"Does {n}", "inputSchema": {"type": "object"}} for n in ("one", "two", "three")], f)
    run(toy("index", "build", definitions, "-o", catalog))
    served = run(["serve", "--stdio", "-C", "ferrule.yaml"], stdin=json.dumps(hello) + "\n", cwd=home,
                 env={"HOME": home, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""})
    case("vectors stay: a gateway", expect(served, 0) + expect(run(["describe", "t:wash", "-c", catalog]), 0)
         + expect(run(toy("index", "stats", "-c", catalog)), 0, ["vectors\t3\n", "embedder\thttp\n", "model\ttoy\n"]))


with tempfile.TemporaryDirectory() as folder:
    tools, queries = write(folder, "tools.jsonl", TOOLS), write(folder, "queries.jsonl", QUERIES)
    few = write(folder, "few.jsonl", TOOLS[:3])

    def ask(url, *more, catalog=tools, ranker="embedding", env=None, **how):
        return run(["search", "--batch", queries, "--catalog", catalog, "--ranker", ranker, "--embedder", url,
                    "--embedder-model", "toy", *more], env=env, **how)

    for dims in (40, 512, 1536, 4096):
        with Server(lambda n, body, dims=dims: (200, {}, answer(body, dims))) as s:
            result = ask(s.url)
            got = rankings(result)
            problems = expect(result, 0)
            for q in QUERIES if not problems else []:
                want = expected(q["query"], dims)
                problems += [] if got[q["id"]] == want else [f"{q['query']}: {got[q['id']][:9]}, not {want[:9]}"]
            case(f"vectors of {dims} numbers", problems)
            sizes = [len(r["input"]) for r in s.requests]
            path, head = s.heads[0]
            problems = [] if sizes[:3] == [1, 64, len(TOOLS) - 64] else [f"texts by request: {sizes}"]
            problems += [] if len(sizes) == 3 + len(QUERIES) else [f"{len(sizes)} requests"]
            problems += [] if path == "/v1/embeddings" and s.requests[0]["encoding_format"] == "float" else [path]
            problems += [f"sent {k}" for k in ("Authorization", "Accept-Encoding") if k in head]
            problems += [] if "dimensions" not in s.requests[0] else ["dimensions were asked for"]
            case(f"what is asked for {dims} numbers", problems)

    with Server(lambda n, body: (200, {}, answer(body, 64))) as s:
        plain = ask(s.url).stdout
        def shuffled(n, body):
            good = answer(body, 64)
            good["data"].reverse()
            return 200, {}, good
        with Server(shuffled) as other:
            case("vectors in another order say which they are", [] if ask(other.url).stdout == plain else ["other ranking"])
        def scaled(n, body):
            good = answer(body, 64)
            for one in good["data"]:
                one["embedding"] = [x * 1e-3 for x in one["embedding"]]
            return 200, {}, good
        with Server(scaled) as other:
            case("the length of a vector does not matter", [] if ask(other.url).stdout == plain else ["other ranking"])
        def long_numbers(n, body):
            text = json.dumps(answer(body, 64)).replace("1.25", "1.2500000000000000000000001").replace("2.5,", "25e-1,")
            return 200, {}, text
        with Server(long_numbers) as other:
            case("numbers with more digits than needed", [] if ask(other.url).stdout == plain else ["other ranking"])
        case("a slash at the end", [] if ask(s.url + "/").stdout == plain else ["other ranking"])
        case("hybrid", expect(ask(s.url, ranker="hybrid"), 0, ['"t:create_issue"']))
        plain_eval = ["eval", folder, "--json", "--embedder", s.url, "--embedder-model", "toy"]
        hybrid = run([*plain_eval, "--ranker", "hybrid"])
        asked = len(s.requests)
        result = run(plain_eval)
        case("eval by an embedder is hybrid", expect(result, 0) + ([] if result.stdout == hybrid.stdout and len(s.requests) > asked else ["other figures"]))
        case("eval with a model and no server", expect(run(["eval", folder, "--embedder-model", "toy"]), 2, err=["go with a URL"]))
        batch = ["search", "--batch", queries, "--catalog", tools, "--embedder", s.url, "--embedder-model", "toy"]
        case("a batch by an embedder is hybrid", [] if run(batch).stdout == ask(s.url, ranker="hybrid").stdout else ["other ranking"])
        case("eval", expect(run(["eval", folder, "--ranker", "embedding", "--embedder", s.url, "--embedder-model", "toy"]),
                            0, ["recall@1", "90        4"]))

    def asked_dims(n, body):
        return 200, {}, answer(body, body.get("dimensions", 99))

    with Server(asked_dims) as s:
        case("dimensions", expect(ask(s.url, "--embedder-dims", "96"), 0)
             + ([] if s.requests[0].get("dimensions") == 96 else ["not asked for"]))

    # ---- keys ------------------------------------------------------------------------------------
    secret = {"TOY_KEY": KEY}
    def locked(n, body):
        return 200, {}, answer(body, 32)
    with Server(locked) as s:
        result = ask(s.url, "--embedder-key", "secretref:env:TOY_KEY", env=secret)
        case("a key by reference", expect(result, 0, absent=[KEY])
             + ([] if s.heads[0][1].get("Authorization") == f"Bearer {KEY}" else ["not sent"]))
        rows = [("a key that is no reference", KEY, {}, "secretref:env:NAME"),
                ("a key that is not there", "secretref:env:NO_SUCH_KEY", {}, "NO_SUCH_KEY"),
                ("a key that is empty", "secretref:env:TOY_KEY", {"TOY_KEY": ""}, "TOY_KEY"),
                ("a key of several lines", "secretref:env:TOY_KEY", {"TOY_KEY": KEY + "\nX: y"}, "TOY_KEY"),
                ("a key that is too long", "secretref:env:TOY_KEY", {"TOY_KEY": KEY * 400}, "TOY_KEY")]
        before = len(s.requests)
        for name, reference, env, word in rows:
            case(name, expect(ask(s.url, "--embedder-key", reference, env=env), 2, err=[word], absent=[KEY]))
        case("a longest key", expect(ask(s.url, "--embedder-key", "secretref:env:TOY_KEY", env={"TOY_KEY": "k" * 4096}), 0))
        case("one more", expect(ask(s.url, "--embedder-key", "secretref:env:TOY_KEY", env={"TOY_KEY": "k" * 4097}), 2))
    case("no key in the clear", expect(ask("http://embedder.example/v1", "--embedder-key", "secretref:env:TOY_KEY", env=secret),
                                       2, err=["https"], absent=[KEY]))

    # ---- wrong answers ---------------------------------------------------------------------------
    def changed(change, from_request=1):
        def reply(n, body):
            good = answer(body, 32)
            return (200, {}, change(good) if n >= from_request else good)
        return reply

    def edit(path, value):
        def change(good):
            target = good
            for step in path[:-1]:
                target = target[step]
            target[path[-1]] = value
            return good
        return change

    def without_data(good):
        del good["data"]
        return good

    def one_less(good):
        good["data"].pop()
        return good

    def nan(good):
        return json.dumps(good).replace("[0.0", "[NaN", 1)

    def huge(good):
        return json.dumps(good).replace("0.0", "1e999", 1)

    wrong = [
        ("no JSON", lambda good: "{", 1, "not JSON"),
        ("no list", without_data, 1, "data"),
        ("a list of something else", edit(["data"], ["x"]), 1, "without one vector"),
        ("no numbers", edit(["data", 0, "embedding"], "AAAA"), 1, "without one vector"),
        ("an empty vector", edit(["data", 0, "embedding"], []), 1, "without one vector"),
        ("null among numbers", edit(["data", 0, "embedding", 0], None), 1, "finite number"),
        ("NaN", nan, 1, "not JSON"),
        ("a number past all bounds", huge, 1, "finite number"),
        ("another length later", edit(["data", 0, "embedding"], [1.0] * 31), 2, "31 numbers"),
        ("fewer vectors than texts", one_less, 2, "more or fewer"),
        ("an index of no text", edit(["data", 0, "index"], 64), 2, "index"),
        ("a negative index", edit(["data", 0, "index"], -1), 2, "index"),
        ("an index twice", edit(["data", 0, "index"], 1), 2, "index"),
        ("a vector of zeros", edit(["data", 0, "embedding"], [0.0] * 32), 1, "nothing but zeros"),
        ("a vector of zeros later", edit(["data", 0, "embedding"], [0] * 32), 2, "nothing but zeros"),
        ("an absurd number", edit(["data", 0, "embedding", 3], 1e308), 1, "larger than any embedder's"),
        ("an absurd number the other way", edit(["data", 0, "embedding", 3], -1e40), 1, "larger than any embedder's"),
        ("too many numbers", edit(["data", 0, "embedding"], [1.0] * 4097), 1, "search.dimensions"),
    ]
    for name, change, first, word in wrong:
        with Server(changed(change, first)) as s:
            result = ask(s.url)
            code = 2 if word == "search.dimensions" else 1
            case(f"wrong: {name}", expect(result, code, err=[word]) + ([] if len(s.requests) == first else ["asked again"]))

    # ---- busy and broken servers -----------------------------------------------------------------
    def first_says(status, headers, times=1):
        def reply(n, body):
            return (status, headers, "busy " + KEY) if n <= times else (200, {}, answer(body, 32))
        return reply

    with Server(first_says(429, {"Retry-After": "1"})) as s:
        start = time.monotonic()
        result = ask(s.url, catalog=few)
        waited = time.monotonic() - start
        case("429 with Retry-After", expect(result, 0) + ([] if waited >= 1 else [f"waited {waited:.2f} s"]))
    for status in (500, 502, 503, 504):
        with Server(first_says(status, {})) as s:
            case(f"{status} once", expect(ask(s.url, catalog=few), 0))
    with Server(lambda n, body: None if n == 1 else (200, {}, answer(body, 32))) as s:
        case("hangs up once", expect(ask(s.url, catalog=few), 0))
    with Server(first_says(429, {"Retry-After": "3600"}, 99)) as s:
        case("asked to wait for longer than there is time",
             expect(ask(s.url), 1, err=["busy", "429"], absent=[KEY]) + ([] if len(s.requests) == 1 else ["asked again"]))
    with Server(first_says(503, {"Retry-After": "0"}, 99)) as s:
        case("never ready", expect(ask(s.url), 1, err=["503"], absent=[KEY]) + ([] if len(s.requests) == 4 else [str(len(s.requests))]))
    for status, word in ((401, "refuses the key"), (403, "refuses the key"), (404, "HTTP 404"), (400, "HTTP 400"), (302, "HTTP 302")):
        with Server(first_says(status, {"Location": "http://169.254.169.254/"}, 99)) as s:
            case(f"{status}", expect(ask(s.url), 1, err=[word], absent=[KEY]) + ([] if len(s.requests) == 1 else ["asked again"]))
    reasons = [
        ("error.message", {"error": {"message": "model 'toy' not found", "type": "x"}}, "HTTP 400: model 'toy' not found", []),
        ("message", {"message": "input is too long"}, "HTTP 400: input is too long", []),
        ("of many characters", {"message": "\u00e9" * 300}, "HTTP 400: " + "\u00e9" * 200 + "\n", []),
        ("with control characters", {"message": "a\x1b[31m\n b\u202ec\td"}, "HTTP 400: a", ["\x1b", "\u202e", "\n b"]),
        ("with the key", {"error": {"message": f"{KEY} may not use it"}}, "HTTP 400: [REDACTED] may not use it", []),
        ("no text", {"error": {"message": 7}, "message": None}, "answered HTTP 400\n", []),
        ("an empty text", {"error": {"message": ""}}, "answered HTTP 400\n", []),
        ("no object", ["x"], "answered HTTP 400\n", [])]
    for name, said, word, absent in reasons:
        with Server(lambda n, body, said=said: (400, {}, said)) as s:
            result = ask(s.url, "--embedder-key", "secretref:env:TOY_KEY", env=secret)
            case(f"the server's reason: {name}", expect(result, 1, err=[word], absent=[KEY, *absent]))
    with Server(lambda n, body: (401, {}, {"error": {"message": "no such key: sk-hun***ary"}})) as s:
        case("a key that is refused has no reason", expect(ask(s.url), 1, err=["refuses the key"], absent=["sk-hun"]))
    with Server(lambda n, body: (200, {"Content-Length": str(16 * 1024 * 1024 + 1)}, "x")) as s:
        case("an answer that is too large", expect(ask(s.url), 2, err=["http.body"]))
    with Server(locked) as s:
        dead = s.url
    case("nobody there", expect(ask(dead), 1, err=["nobody takes the connection"]))

    # ---- bad usage -------------------------------------------------------------------------------
    usage = [("no model", ["--embedder", dead], "model"),
             ("a model without a URL", ["--embedder-model", "x"], "go with a URL"),
             ("a user in the URL", ["--embedder", f"http://u:{KEY}@127.0.0.1/", "--embedder-model", "x"], "credentials"),
             ("a query in the URL", ["--embedder", dead + "?x=1", "--embedder-model", "x"], "no query"),
             ("another scheme", ["--embedder", "ftp://a/", "--embedder-model", "x"], "go with a URL"),
             ("no dimensions", ["--embedder", dead, "--embedder-model", "x", "--embedder-dims", "0"], "--embedder-dims"),
             ("too many dimensions", ["--embedder", dead, "--embedder-model", "x", "--embedder-dims", "4097"], "search.dimensions")]
    for name, args, word in usage:
        case(name, expect(run(["search", "--batch", queries, "--catalog", tools, "--ranker", "embedding", *args]), 2,
                          err=[word], absent=[KEY]))

    # ---- catalogues ------------------------------------------------------------------------------
    def toy(*more):
        return [*more, "--embedder", s.url, "--embedder-model", "toy"]

    with Server(lambda n, body: (200, {}, answer(body, body.get("dimensions", 64)))) as s:
        definitions, catalog = os.path.join(folder, "definitions.json"), os.path.join(folder, "toy.catalog")
        with open(definitions, "w", encoding="utf-8") as file:
            json.dump([{"name": t["name"], "namespace": "t", "description": t["description"], "inputSchema": {"type": "object"}}
                       for t in TOOLS], file)
        case("a catalogue with vectors of a server", expect(run(toy("index", "build", definitions, "-o", catalog)), 0,
                                                            [f"{len(TOOLS)} with vectors"]))
        sizes = [len(r["input"]) for r in s.requests]
        case("asked for 64 at once", [] if sizes == [1, 64, len(TOOLS) - 64] else [f"{sizes}"])
        query = QUERIES[0]["query"]
        result = run(toy("search", query, "-c", catalog, "--ranker", "embedding", "--json"))
        best = json.loads(result.stdout)["results"][0] if result.returncode == 0 else {}
        case("searched by them", expect(result, 0, ['"scoreType":"embedding"'])
             + ([] if best.get("summary", {}).get("name") == "create_issue" else [f"the best is {best}"]))
        case("stats of them", expect(run(["index", "stats", *toy("-c", catalog)]), 0, ["embedder\thttp", "model\ttoy", f"vectors\t{len(TOOLS)}"]))
        before = len(s.requests)
        case("built again, from what the file has", expect(run(toy("index", "build", definitions, "-o", catalog)), 0))
        case("without asking again", [] if len(s.requests) == before + 1 else [f"{len(s.requests) - before} requests"])
        case("another model has no vectors", expect(run(["search", query, "-c", catalog, "--ranker", "embedding",
                                                        "--embedder", s.url, "--embedder-model", "other"]), 0, [],
                                                       ["of the embedder http, model toy", "ranked by words", "--embedder URL --embedder-model toy"]))
        case("files, on the spot", expect(run(toy("search", query, definitions, "--ranker", "hybrid")), 0))
        case("an embedder has its part", expect(run(toy("search", query, definitions, "--json")), 0, ['"scoreType":"hybrid"']))
        case("an update", expect(run(toy("catalog", "update", "-c", catalog, definitions)), 0))
        stay(folder, s, toy)
        stay_served(folder, toy)
    case("a server that is gone", expect(run(toy("search", query, "-c", catalog)), 2, err=["nobody takes the connection"]))

    # ---- TLS -------------------------------------------------------------------------------------
    if shutil.which("openssl"):
        cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        with Server(locked, context) as s:
            case("a certificate that nobody vouches for", expect(ask(s.url), 1, err=["TLS"])
                 + ([] if not s.requests else ["it was asked all the same"]))
    else:
        skip("a certificate that nobody vouches for", "no openssl")

    # ---- without memory --------------------------------------------------------------------------
    with Server(locked) as s:
        one = write(folder, "one.jsonl", QUERIES[:1])
        args = ["search", "--batch", one, "--catalog", few, "--ranker", "embedding", "--embedder", s.url, "--embedder-model", "toy"]
        count = int(re.search(r"FI: malloc (\d+)", run(args, env={"FI": "count"}, program=FAULTS).stderr.decode()).group(1))
        problems = []
        for n in points(count):
            result = run(args, env={"FI": f"malloc@{n}"}, program=FAULTS)
            if result.returncode not in (0, 2, 70) or (result.returncode and b"memory" not in result.stdout + result.stderr):
                problems.append(f"malloc@{n}: exit {result.returncode}, {result.stderr[-200:]!r}")
        case(f"each of {count} allocations fails", problems)

finish()
