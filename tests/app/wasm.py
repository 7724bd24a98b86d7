#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runtime wasm: modules in the sandbox by each engine that this machine has, their tools, values, limits and ends. Speaks TAP.
A module that is assembled here runs everywhere; those in C need clang with wasi-libc. FERRULE_WASM_RUNTIME adds an engine: a runtime
of the configuration, in JSON."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

from command_line import SOURCE, case, expect, finish, run, skip

folder = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = os.path.join(folder.name, "state")
PROGRAM = os.path.join(SOURCE, "tests/app/data/wasm/program.c")
PATH = "/usr/local/bin:/usr/bin:/bin"


def put(name, content):
    path = os.path.join(folder.name, name)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())
    return path


# ---- a module, by hand: it asks for a tool, prints what is answered to standard error, and gives a value


def number(n):
    """LEB128, of small numbers that are not negative, as signed ones too."""
    out = b""
    while n > 63:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def vector(items):
    return number(len(items)) + b"".join(items)


def name(text):
    return number(len(text)) + text.encode()


def section(kind, body):
    return bytes([kind]) + number(len(body)) + body


def const(n):
    return b"\x41" + number(n)


def assemble(ask, out):
    """Memory: at 0 and 8 what to write, at 16 where to read to, at 24 how much came; texts from 64 on, the answer at 4096."""
    i32, call, drop, store = b"\x7f", b"\x10", b"\x1a", b"\x36\x02\x00"
    ask, out = ask.encode(), out.encode()
    io = b"\x60" + vector([i32] * 4) + vector([i32])
    start = b"\x60" + vector([]) + vector([])

    def piece(at, where, length):
        return const(at) + const(where) + store + const(at + 4) + const(length) + store

    def pass_on(function, fd, at):
        return const(fd) + const(at) + const(1) + const(24) + call + number(function) + drop

    body = (piece(0, 64, len(ask)) + piece(8, 64 + len(ask), len(out)) + piece(16, 4096, 4096)
            + pass_on(1, 1, 0) + pass_on(0, 0, 16)
            + const(20) + const(24) + b"\x28\x02\x00" + store  # as much as came is written
            + pass_on(1, 2, 16) + pass_on(1, 1, 8) + b"\x0b")
    code = number(len(body) + 1) + b"\x00" + body
    imports = [name("wasi_snapshot_preview1") + name(f) + b"\x00\x00" for f in ("fd_read", "fd_write")]
    return (b"\0asm\1\0\0\0" + section(1, vector([io, start])) + section(2, vector(imports)) + section(3, vector([b"\x01"]))
            + section(5, vector([b"\x00\x01"])) + section(7, vector([name("memory") + b"\x02\x00", name("_start") + b"\x00\x02"]))
            + section(10, vector([code])) + section(11, vector([b"\x00" + const(64) + b"\x0b" + number(len(ask + out)) + ask + out])))


BY_HAND = assemble('{"id":1,"op":"run","tool":"text:count","args":{"text":"a b"}}\n', '{"op":"out","value":[1,2]}\n')


# ---- engines

engines = {n: {"kind": "wasm", "engine": n} for n in ("wasmtime", "wasmedge", "node") if shutil.which(n, path=PATH)}
if os.environ.get("FERRULE_WASM_RUNTIME"):
    engines["given"] = json.loads(os.environ["FERRULE_WASM_RUNTIME"])
CONFIG = put("code.json", json.dumps({"code": {"allowDegraded": True, "runtimes": {
    **engines, "absent": {"kind": "wasm", "command": ["no-such-engine"]},
    "python": {"kind": "process", "command": ["python3"], "helper": "python"}}}}))


def execute(module, *words, runtime, config=CONFIG):
    return run(["exec", "-C", config, "-r", runtime, *words, put("main.wasm", module)])


def whole(module, *words, runtime):
    r = execute(module, "--json", *words, runtime=runtime)
    try:
        return json.loads(r.stdout)
    except ValueError:
        return {"bad": r.stdout.decode() + r.stderr.decode()}


def compiled(act):
    """The module of an act; or why there is none."""
    path = os.path.join(folder.name, act + ".wasm")
    r = subprocess.run(["clang", "--target=wasm32-wasi", "--sysroot=/usr", "-O1", "-w", f"-DACT={act}", "-o", path, PROGRAM], capture_output=True)
    if r.returncode:
        raise OSError(r.stderr.decode(errors="replace").strip().splitlines()[-1][:200])
    with open(path, "rb") as f:
        return f.read()


def refused_rows():
    runtime = next(iter(engines), "absent")
    component = b"\0asm\r\0\1\0"
    for title, words, module, err in [
        ("an engine that is not there", ["-r", "absent"], BY_HAND, ["BackendUnavailable", "no-such-engine"]),
        ("text", ["-r", runtime], "let a = 1;", ["InvalidFormat", "is a WebAssembly module (wasm32-wasi) in Base64"]),
        ("Base64 of something else", ["-r", runtime], base64.b64encode(b"hello, hello"), ["InvalidFormat", "in Base64; this is none"]),
        ("a component", ["-r", "node"], component, ["InvalidFormat", "this is a component, and node runs modules"]),
        ("a check", ["-r", runtime, "--check"], BY_HAND, ["cannot be checked"]),
    ]:
        if words[1] not in engines and words[1] != "absent" or (words[1] == "absent" and title not in ("an engine that is not there", "a check")):
            skip(f"refused: {title}", "no engine for it")
            continue
        r = run(["exec", "-C", CONFIG, *words, put("main.wasm", module)])
        case(f"refused: {title}", expect(r, r.returncode or -1, [], err))
    for title, runtime, said in [
        ("an image", {"kind": "wasm", "image": "a"}, 'kind wasm has no "image"'),
        ("a helper", {"kind": "wasm", "helper": "python"}, 'kind wasm has no "helper"'),
        ("an engine of an interpreter", {"kind": "process", "command": ["sh"], "engine": "node"}, 'kind process has no "engine"'),
        ("an engine that nobody knows", {"kind": "wasm", "engine": "steam"}, "must be one of"),
    ]:
        config = put("bad.json", json.dumps({"code": {"runtimes": {"c": runtime}}}))
        case(f"configuration: {title}", expect(run(["exec", "-C", config, put("main.wasm", BY_HAND)]), 2, [], [said]))


def by_hand_rows(e):
    case(f"{e}: a module by hand", expect(execute(BY_HAND, runtime=e), 0, ["[1,2]"], ['{"id":1,"result":{"characters":3,"words":2']))
    r = whole(BY_HAND, runtime=e)
    backend = r.get("backend", {})
    case(f"{e}: the result", [] if backend.get("kind") == "wasm" and backend["details"]["language"] == "wasm" and backend["details"]["engine"]
         and r["toolCalls"][0]["args"] == {"text": "a b"} and all(v["enforced"] and v["by"] for v in r["limitsEnforced"].values()) else [str(r)[:800]])
    text = base64.encodebytes(BY_HAND)  # in lines
    case(f"{e}: as text", expect(run(["exec", "-C", CONFIG, "-r", e, put("main.txt", text)]), 0, ["[1,2]"], []))
    most = 768 << 10
    padded = [BY_HAND + section(0, name("pad") + bytes(n)) for n in (most - len(BY_HAND) - 8, most - len(BY_HAND) - 7)]
    if [len(p) for p in padded] != [most, most + 1]:
        case(f"{e}: the rows of wasm.module are as long as they say", [str([len(p) for p in padded])])
    case(f"{e}: a module as long as it may be", expect(execute(padded[0], runtime=e), 0, ["[1,2]"], []))
    r = execute(padded[1], runtime=e)
    case(f"{e}: a byte more", expect(r, 2, [], [str(most)]))


def program_rows(e):
    js = json.loads(run(["exec", "-C", CONFIG, "--json", put("same.js", """const found = await tools.search("count the words of a text", {limit: 3});
let sum = 0;
for (let i = 0; i < 5; i++) sum += (await tools.run(found[0].id, {text: "x ".repeat(i)})).words;
({tool: found[0].id, sum, big: 9007199254740993n})""")]).stdout)
    seen = [(r.get("value"), [(c["tool"], c["status"], c["args"]) for c in r.get("toolCalls", [])]) for r in (whole(compiled("same"), runtime=e), js)]
    case(f"{e}: the same program gives the same as js", [] if seen[0] == seen[1] and seen[0][0]["sum"] == 10 else [str(seen)])
    for title, act, words, exit_code, out, err in [
        ("what is printed", "prints", [], 0, ["a\nbc"], ["e\n"]),
        ("an error of a tool", "refused", [], 0, ['"RequiredMissing"'], []),
        ("its files and variables", "files", [], 0, ["/work/own opened\n/etc/passwd refused\n/work/../etc/passwd refused\n/code/main.wasm refused\n"
                                                     "a deadline\nno variables\n"], []),
        ("the exit code", "exits", [], 1, [], ["ToolFailed", "exit code 7"]),
        ("a trap", "traps", [], 1, [], ["ToolFailed"]),
        ("its own failure", "fails", [], 1, [], ["main.wasm:7:2: ToolFailed: Odd: it went wrong"]),
        ("tool calls", "many", ["--limits", "toolCalls=3"], 0, [], []),
        ("disk", "disk", ["--limits", "diskBytes=1000000"], 1, [], ["ToolFailed", "exit code 9"]),
        ("CPU", "spin", ["--limits", "cpuMs=300"], 1, [], ["ResourceLimit", "limit cpu"]),
        ("time", "waits", ["--limits", "timeMs=10000"], 1, ["begun\n"], ["Timeout", "timeMs"]),
        ("output", "flood", ["--limits", "outputBytes=100000"], 1, [], ["ResourceLimit", "it printed more than it may"]),
    ]:
        case(f"{e}: {title}", expect(execute(compiled(act), *words, runtime=e), exit_code, out, err))
    r = execute(compiled("memory"), "--limits", "memoryBytes=150000000", runtime=e)
    ways = ("exit code 8", "ResourceLimit", "out of memory")  # the module gets no more, the engine is killed, or gets no more itself
    ended = next((t for t in ways if t.encode() in r.stderr), " or ".join(ways))
    case(f"{e}: memory", expect(r, 1, ["begun\n"], [ended]))
    r = whole(compiled("flood"), "--limits", "outputBytes=1000", runtime=e)
    case(f"{e}: which limit it was", [] if r.get("error", {}).get("details", {}).get("limitsEnforced", {}).get("outputBytes", {}).get("hit") else [str(r)[:600]])


refused_rows()
if not engines:
    skip("modules", f"neither wasmtime nor wasmedge nor node in {PATH}")
for e in engines:
    by_hand_rows(e)
    try:
        compiled("exits")
    except OSError as why:
        skip(f"{e}: modules in C", str(why))
        continue
    program_rows(e)
if engines and "given" not in engines:
    case("without a word in the configuration", expect(run(["exec", put("main.wasm", BY_HAND)]), 0, ["[1,2]"], []))
finish()
