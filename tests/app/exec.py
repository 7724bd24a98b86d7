#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule exec, result and execute_code: programs in the sandbox that call tools, their values, errors, limits, traces. Speaks TAP.
Where this machine has no namespaces for its user, programs run as far as it goes (--allow-degraded) and say so."""

import glob
import json
import os
import re
import subprocess
import tempfile

from command_line import FAULTS, FERRULE, case, expect, finish, points, run
from stdio_client import Client

folder = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = os.path.join(folder.name, "state")
LONG = bool(os.environ.get("FERRULE_LONG_TESTS"))
PYTHON = next((p for p in ("/usr/bin/python3", "/usr/local/bin/python3") if os.path.exists(p)), None)


def put(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w") as f:
        f.write(text)
    return path


CONFIG = put("code.yaml", """code:
  allowDegraded: true
  runtimes:
    python: {kind: process, command: [python3], helper: python}
    sh: {kind: process, command: [sh]}
    host: {kind: unsafe, command: [sh]}
    absent: {kind: process, command: [no-such-interpreter]}
""")


def execute(code, *words, runtime="js", config=CONFIG):
    return run(["exec", "-C", config, "-r", runtime, *words, put("program", code)])


# ---- values, output and errors of JavaScript

for name, code, exit_code, out, err in [
    ("the last expression", "1 + 1", 0, ["2"], []),
    ("__out", "var __out = {a: [1]}; 7", 0, ['{"a":[1]}'], []),
    ("__out of a block of constants", "const __out = 5; 7", 0, ["5"], []),
    ("return", "if (true) return 6;\n", 0, ["6"], []),
    ("a promise", "async function main() { return 5 }\nmain()", 0, ["5"], []),
    ("top-level await", "const x = await Promise.resolve(4); x", 0, ["4"], []),
    ("nothing", "let a = 1;", 0, [], []),
    ("what is printed", "console.log('a', {b: [1n]}); console.error('c'); null", 0, ["a { b: [1n] }"], ["c"]),
    ("a timer", "await new Promise(r => setTimeout(r, 5)); 'slept'", 0, ["slept"], []),
    ("a tool", "(await tools.text.count({text: 'a b'})).words", 0, ["2"], []),
    ("a tool by its ID", "(await tools.run('text:count', {text: 'a b c'})).words", 0, ["3"], []),
    ("several at once", "(await Promise.all([1, 2, 3].map(n => tools.text.count({text: 'x '.repeat(n)})))).map(r => r.words)", 0, ["[1,2,3]"], []),
    ("a chain", "(await tools.chain([{toolId: 'text:count', args: {text: 'abc'}}])).bytes", 0, ["3"], []),
    ("search and describe", "const f = await tools.search('count words of a text'); (await tools.describe(f[0].id, 'types')).types", 0,
     ["declare namespace tools.text { function count(args: {"], []),
    ("namespaces", "(await tools.namespaces()).map(n => n.name).includes('text')", 0, ["true"], []),
    ("whole numbers past 2^53", "12345678901234567890123n", 0, ["12345678901234567890123"], []),
    ("ES2023", "[3, 1, 2].toSorted().findLast(x => x > 1)", 0, ["3"], []),
    ("an error of the program", "let a = 1;\nlet b = a.c.d;", 1, [], ["program:2:12: ToolFailed: TypeError: cannot read property 'd' of undefined"]),
    ("bad syntax", "let a = ;", 1, [], ["program:1:9: ToolFailed: SyntaxError"]),
    ("an error of a tool", "\nawait tools.text.count({txt: 1});", 1, [], ["program:2:", "ToolError: `text` is required"]),
    ("an error of a tool that is caught", "try { await tools.text.count({}) } catch (e) { e.code }", 0, ["RequiredMissing"], []),
    ("no such tool", "await tools.text.cuont({})", 1, [], ["ToolError", "text:count"]),
    ("code does not run code", "await tools.code.execute({code: '1'})", 1, [], ["code may not run code"]),
    ("nor by a chain", "await tools.chain([{toolId: 'code:execute', args: {code: '1'}}])", 1, [], ["code may not run code"]),
    ("what never happens", "await new Promise(() => {})", 1, [], ["awaits something that never happens"]),
    ("a value that holds itself", "const a = {}; a.a = a; a", 1, [], ["too deep, or holds itself"]),
    ("a value that is too large", "'x'.repeat(300000)", 1, [], ["valueBytes"]),
    ("no network, no files", "typeof require + typeof fetch + typeof process", 0, ["undefinedundefinedundefined"], []),
]:
    case(f"js: {name}", expect(execute(code), exit_code, out, err))

# ---- what the file is

PLAIN = put("plain.yaml", "code: {allowDegraded: true}\n")
for name, file, text, config, exit_code, out, err in [
    ("Python, by its name", "a.py", "print(1 + 1)", CONFIG, 0, ["2"], []),
    ("a shell's, by its name", "a.sh", "echo $((1 + 1))", CONFIG, 0, ["2"], []),
    ("Python without its runtime", "a.py", "print(1 + 1)", PLAIN, 2, [], ['a program for "python"', "code.runtimes", "--runtime"]),
    ("a name that says nothing", "a.txt", "1 + 1", PLAIN, 0, ["2"], []),
    ("nothing", "empty.js", "", PLAIN, 2, [], ["empty.js is empty"]),
    ("what is no text", "bytes.js", "1 +\udcff 1", PLAIN, 2, [], ["bytes.js is no text in UTF-8 (byte 3)"]),
]:
    if name.startswith("Python,") and not PYTHON:
        continue
    path = os.path.join(folder.name, file)
    with open(path, "wb") as f:
        f.write(text.encode("utf-8", "surrogateescape"))
    case(f"file: {name}", expect(run(["exec", "-C", config, path]), exit_code, out, err))
case("file: a runtime that is named", expect(run(["exec", "-C", PLAIN, "-r", "js", put("b.py", "1 + 1")]), 0, ["2"]))
LOUD = "for (let i = 0; i < 100; i++) console.log('x'.repeat(99)); 7"
case("output that is cut is said", expect(execute(LOUD, "--limits", "outputBytes=1000"), 0, ["x\n7"], ["outputBytes: the program printed more than 1000 bytes"]))
case("output that is whole", expect(execute(LOUD), 0, ["x\n7"], absent=["outputBytes"]))
POOR = put("poor.yaml", "code: {allowDegraded: true}\ncommands: [{name: poor, inputSchema: {type: object}, run: {argv: [env], env: {set: {T: 'secretref:env:NO_SUCH_SECRET'}}}}]\n")
case("not set up: what the program needs", expect(execute("await tools.local.poor({})", config=POOR), 1, [], ["NO_SUCH_SECRET"]))
case("not set up: what it does not", expect(execute("let a = ;", config=POOR), 1, [], ["SyntaxError"], absent=["NO_SUCH_SECRET"]))

# ---- limits

for name, code, limits, exit_code, err in [
    ("CPU", "for (;;);", "cpuMs=200", 1, ["ResourceLimit"]),
    ("memory", "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", "memoryBytes=50000000", 1, ["ResourceLimit", "out of memory"]),
    ("time", "await new Promise(r => setTimeout(r, 1e6))", "timeMs=200", 1, ["Timeout", "timeMs"]),
    ("the stack", "function f() { f() }\nf()", "timeMs=20000", 1, ["stack overflow"]),
    ("tool calls", "for (let i = 0; i < 4; i++) await tools.text.count({text: ''})", "toolCalls=3", 1, ["toolCalls: a run makes at most 3"]),
    ("tool calls, at the limit", "for (let i = 0; i < 3; i++) await tools.text.count({text: ''})", "toolCalls=3", 0, []),
    ("chain steps", "await tools.chain([1, 2].map(() => ({toolId: 'text:count', args: {text: ''}})))", "chainSteps=1", 1, ["chainSteps"]),
    ("value, at the limit", "'x'.repeat(8)", "valueBytes=10", 0, []),
    ("value", "'x'.repeat(9)", "valueBytes=10", 1, ["valueBytes"]),
    ("what is no limit", "1", "speed=3", 2, ["--limits takes NAME=NUMBER"]),
    ("what is no number", "1", "timeMs=fast", 2, ["--limits takes NAME=NUMBER"]),
]:
    case(f"limits: {name}", expect(execute(code, "--limits", limits), exit_code, [], err))

r = json.loads(execute("console.log('y'.repeat(100)); 1", "--json", "--limits", "outputBytes=10,memoryBytes=99999999999999").stdout)
case("limits: output is cut and said to be", [] if r["stdout"] == "y" * 10 and r["limitsEnforced"]["outputBytes"].get("hit") else [str(r)])
case("limits: a request cannot raise one", [] if r["limitsEnforced"]["memoryBytes"]["limit"] == 512 << 20 else [str(r)])

# ---- the whole result

r = json.loads(execute("console.log('o'); console.error('e'); await tools.text.count({text: 'x'}); 9", "--json").stdout)
want = ["value", "stdout", "stderr", "toolCalls", "durationMs", "backend", "limitsEnforced"]
call = r["toolCalls"][0]
case("the result has the members of S4, and no others", [] if list(r) == want else [str(list(r))])
case("value and output", [] if (r["value"], r["stdout"], r["stderr"]) == (9, "o\n", "e\n") else [str(r)])
case("the trace", [] if call["tool"].startswith("text:count") and call["args"] == {"text": "x"} and call["status"] == "Ok"
     and len(call["id"]) == 36 and call["durationMs"] >= 0 else [str(call)])
case("the backend", [] if r["backend"]["kind"] == "js" and r["backend"]["readiness"] == "prod"
     and r["backend"]["details"]["profile"] == "standard" else [str(r["backend"])])
case("each limit says by what it is held", [] if all("enforced" in v and (not v["enforced"] or v["by"]) for v in r["limitsEnforced"].values())
     and len(r["limitsEnforced"]) == 9 else [str(r["limitsEnforced"])])
r = execute("throw new Error('x')", "--json")
case("a failure has it in its details", [] if json.loads(r.stdout)["error"]["details"]["error"]["line"] == 1 else [r.stdout])
r = json.loads(execute("await tools.text.count({text: 'a'}); await tools.text.count({text: 5})", "--json").stdout)
case("a call that failed is traced", [] if [c["status"] for c in r["error"]["details"]["toolCalls"]] == ["Ok", "Error"] else [str(r)])

# ---- checking, storing

case("check: the tools that are named", expect(execute("// tools.a.b()\nawait tools.text.count({}); tools.run(x); tools.no.such()", "--check"), 1,
     ["program:2:7: text:count\n", "(computed when it runs)", "no:such: there is no such tool"], []))
case("check: nothing is run", expect(execute("console.log('ran')", "--check"), 0, [], []))
case("check: bad syntax", expect(execute("let = = 1", "--check"), 1, [], ["SyntaxError"]))
r = execute("Array.from({length: 100000}, (_, i) => ({i}))", "--store")
handle = json.loads(r.stdout)["handle"] if r.returncode == 0 else "v-"
case("store: a handle", expect(r, 0, ['"bytes":1188891'], []))
case("result: the first part", expect(run(["result", handle, "-C", CONFIG, "--size", "60"]), 0, ['[{"i":0},{"i":1}'], ["of 100000 are shown", "--from"]))
case("result: a part", expect(run(["result", handle, "-C", CONFIG, "--at", "/99999"]), 0, ['{"i":99999}'], []))
case("result: its end", expect(run(["result", handle, "-C", CONFIG, "--from", "99998"]), 0, ['[{"i":99998},{"i":99999}]'], []))
case("result: no such place", expect(run(["result", handle, "-C", CONFIG, "--at", "/x"]), 2, [], ["nothing is at /x"]))
case("result: no handle", expect(run(["result", "../../etc/passwd", "-C", CONFIG]), 2, [], ["is no handle"]))
case("result: another handle", expect(run(["result", "v-" + "a" * 20, "-C", CONFIG]), 2, [], ["no result is stored"]))

# ---- other runtimes: the same program, with equal results

SAME = {
    "js": """const found = await tools.search("count the words of a text", {limit: 3});
let sum = 0;
for (let i = 0; i < 5; i++) sum += (await tools.run(found[0].id, {text: "x ".repeat(i)})).words;
({tool: found[0].id, sum, big: 9007199254740993n})""",
    "python": """found = tools.search("count the words of a text", limit=3)
sum = 0
for i in range(5): sum += tools.run(found[0]["id"], text="x " * i)["words"]
{"tool": found[0]["id"], "sum": sum, "big": 9007199254740993}""",
}
if not PYTHON:
    print("# skipped: no python3 of the system for the runtime process")
    del SAME["python"]
values = {}
for name, code in SAME.items():
    r = json.loads(execute(code, "--json", runtime=name).stdout)
    values[name] = (r["value"], [(c["tool"], c["status"], c["args"]) for c in r["toolCalls"]])
case("the same program gives the same on " + ", ".join(values), [] if all(v == values["js"] for v in values.values())
     and values["js"][0]["sum"] == 10 and values["js"][0]["big"] == 9007199254740993 else [str(values)])

for name, code, exit_code, out, err in [
    ("the last expression", "1 + 1", 0, ["2"], []),
    ("__out", "__out = {'a': 1}\n7", 0, ['{"a":1}'], []),
    ("a namespace", "tools.text.count(text='a b')['words']", 0, ["2"], []),
    ("as a module", "from ferrule import tools as t\nt.text.count({'text': 'a'})['bytes']", 0, ["1"], []),
    ("what is printed", "import sys\nprint('a')\nprint('b', file=sys.stderr)", 0, ["a\n"], ["b\n"]),
    ("an error", "x = 1\nx.y", 1, [], ["program:2:", "AttributeError"]),
    ("an error of a tool", "tools.text.count(txt=1)", 1, [], ["program:1:", "ToolError: `text` is required"]),
    ("bad syntax", "x ==== 1", 1, [], ["program:1:", "SyntaxError"]),
    ("a value that JSON has not", "float('nan')", 1, [], ["ValueError"]),
    ("no network", "import socket\nsocket.create_connection(('1.1.1.1', 80), 2)", 1, [], ["ToolFailed"]),
    ("the exit code", "import os\nos._exit(7)", 1, [], ["exit code 7"]),
] if PYTHON else []:
    case(f"python: {name}", expect(execute(code, runtime="python"), exit_code, out, err))
if PYTHON:
    case("python: check", expect(execute("tools.text.count(text='')\ntools['a']['b']({})", "--check", runtime="python"), 1,
         ["program:1:1: text:count\n", "a:b: there is no such tool"], []))

SHELL = """echo '{"id":"a","op":"run","tool":"text:count","args":{"text":"a b"}}' >&4
read -r answer <&3
echo "$answer"
echo '{"op":"out","value":[1, 2]}' >&4
"""
case("sh: plain read and echo", expect(execute(SHELL, runtime="sh"), 0, ['{"id":"a","result":{"characters":3,"words":2', "[1,2]"], []))
case("sh: a request that is none is answered", expect(execute("echo '{\"id\":1,\"op\":\"fly\"}' >&4; read -r a <&3; echo \"$a\"", runtime="sh"), 0,
     ['"code":"InvalidEnumValue"'], []))
case("sh: a line that is none ends the run", expect(execute("echo hello >&4; sleep 60", runtime="sh"), 1, [], ["a line that cannot be read"]))
case("sh: cannot be checked", expect(execute("echo", "--check", runtime="sh"), 2, [], ["cannot be checked"]))
case("an interpreter that is not there", expect(execute("1", runtime="absent"), 1, [], ["BackendUnavailable", "no-such-interpreter"]))
case("a runtime that is not there", expect(execute("1", runtime="cobol"), 1, [], ["`runtime` must be one of"]))
r = json.loads(execute("echo '{\"op\":\"out\",\"value\":1}' >&4", "--json", runtime="host").stdout)
case("unsafe says so", [] if r["backend"]["kind"] == "unsafe" and r["backend"]["details"]["unsafe"]
     and not r["limitsEnforced"]["memoryBytes"]["enforced"] else [str(r)])
case("unsafe is not there unless it is configured", expect(execute("1", runtime="host", config=put("none.yaml", "commands: []\n")), 1, [], ["`runtime` must be one of"]))

for count, exit_code, out, err in [(31, 0, ["2"], []), (32, 2, [], ["code.runtimes"])]:  # with js, as many as there may be; wasm has no room
    many = put("many.json", json.dumps({"code": {"allowDegraded": True, "runtimes": {f"r{i}": {"kind": "process", "command": ["sh"]} for i in range(count)}}}))
    case(f"{count} runtimes beside js", expect(execute("1 + 1", config=many), exit_code, out, err))

# ---- execute_code, over MCP

c = Client(put("none.yaml", "commands: []\n"))
names = [t["name"] for t in c.ask(1, "tools/list")["result"]["tools"]]
case("serve: no execute_code unless the configuration says so", [] if "execute_code" not in names and "run_tool" in names else [str(names)])
case("serve: nor can it be called", [] if "error" in c.ask(2, "tools/call", {"name": "execute_code", "arguments": {"code": "1"}}) else ["it was"])
case("serve: its end", [] if c.close() == 0 else ["it failed"])

c = Client(CONFIG)
tools = {t["name"]: t for t in c.ask(1, "tools/list")["result"]["tools"]}
case("serve: execute_code, closed", [] if tools["execute_code"]["inputSchema"]["additionalProperties"] is False
     and tools["execute_code"]["outputSchema"]["additionalProperties"] is False else [str(tools.get("execute_code"))])
r = c.call(2, "execute_code", code="console.log(1); (await tools.text.count({text: 'a b'})).words")
case("serve: a value", [] if r["structuredContent"]["value"] == 2 and r["structuredContent"]["stdout"] == "1\n" else [str(r)])
r = c.call(3, "execute_code", code="nothing.here")
case("serve: an error", [] if r["isError"] and "line 1" in r["content"][0]["text"] else [str(r)])
r = c.call(4, "execute_code", code="Array.from({length: 20000}, (_, i) => i)", store=True)["structuredContent"]
case("serve: a large value is cut", [] if r["value"][:2] == [0, 1] and len(r["value"]) < 20000 and r["handle"] and r["cut"][0]["at"] == "/value" else [str(r)[:500]])
r = c.call(5, "run_tool", handle=r["handle"], at="/value", **{"from": 19998})["structuredContent"]
case("serve: and read on in", [] if r["result"] == [19998, 19999] else [str(r)[:500]])
r = c.ask(6, "tools/call", {"name": "execute_code", "arguments": {"code": "1", "language": "js"}})["result"]
case("serve: an argument that is none", [] if r["isError"] and "language" in r["content"][0]["text"] else [str(r)])
r = c.call(7, "describe_tool", id="text:count", level="types")["structuredContent"]
case("serve: types", [] if "function count(args: {" in r["result"]["types"] else [str(r)])
c.say({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": "await new Promise(r => setTimeout(r, 1e6))"}}})
c.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}})
r = c.call(9, "execute_code", code="'next'")
case("serve: one that was cancelled is no matter", [] if r["structuredContent"]["value"] == "next" else [str(r)])
case("serve: ends with programs that wait", [] if c.close() == 0 else ["it failed"])

# A client whose scopes leave code out does not see it.
c = None
scoped = put("scoped.yaml", "code: {allowDegraded: true}\nserve:\n  clients:\n    few: {scopes: ['namespace:text']}\n")
p = subprocess.run([FERRULE, "serve", "--stdio", "--attach", "never", "-C", scoped, "--client", "few"], capture_output=True, text=True, timeout=60,
                   input='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
                         '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
case("serve: not for a client that may not", [] if "run_tool" in p.stdout and "execute_code" not in p.stdout else [p.stdout[-500:], p.stderr[-300:]])

# ---- the ledger: calls of a program have its run as their cause

state = os.path.join(folder.name, "ledger-state")
kept = put("kept.yaml", f"code: {{allowDegraded: true}}\nstate: {state}\n")
r = execute("await tools.text.count({text: 'x'}); 1", config=kept)
lines = [json.loads(l) for l in run(["ledger", "export", "-C", kept]).stdout.splitlines()] if r.returncode == 0 else []
begins = {l["body"]["tool"].rsplit(":", 1)[0]: l["body"] for l in lines if l["type"] == "begin"}
code, text = begins.get("code:execute", {}), begins.get("text:count", {})
case("ledger: the run is the cause of its calls", [] if code and text.get("causationId") == code["callId"]
     and text["correlationId"] == code["correlationId"] and text["origin"] == "code" else [str(begins), str(r.stderr)])

# ---- no memory while it starts: programs that wait already are ended before what they belong to is freed

serve = ["serve", "--stdio", "--attach", "never", "-C", CONFIG]
count = int(re.search(rb"FI: malloc (\d+)", run(serve, env={"FI": "count"}, program=FAULTS).stderr)[1])
ends = {n: run(serve, env={"FI": f"malloc@{n}"}, program=FAULTS).returncode for n in points(count)}
case("serve: no memory at the start", [f"malloc@{n}: exit {code}" for n, code in ends.items() if code not in (0, 2, 70)])

# ---- no memory for what a program is told, which is more than a pipe takes: it sees the end of its input, and the run ends at once

large = put("large.js", "//" + "x" * 200000 + "\nreturn 1\n")
run_it = ["exec", large, "-C", CONFIG]
count = int(re.search(rb"FI: malloc (\d+)", run(run_it, env={"FI": "count"}, program=FAULTS).stderr)[1])
said = {n: run(run_it, env={"FI": f"malloc@{n}"}, program=FAULTS) for n in range(count - 45, count, 3 if os.environ.get("FERRULE_INSTRUMENTED") else 1)}
case("no memory for a program", [f"malloc@{n}: exit {r.returncode} {r.stdout} {r.stderr}" for n, r in said.items()
                                 if b"Timeout" in r.stderr or r.returncode not in (0, 1, 70) or (r.returncode == 0 and r.stdout != b"1\n")])
case("for some of it there was none", [] if any(b"was to be told" in r.stderr for r in said.values()) or os.environ.get("FERRULE_INSTRUMENTED") else [str(count)])

# ---- many, after which nothing is left


def left_of(pid):
    """What is there of a gateway, which may be gone: cgroups, processes in them or below it, mounts of sandboxes, files."""
    mark = f"ferrule-{pid}-"
    left = [path for path in glob.glob("/sys/fs/cgroup/**/" + mark + "*", recursive=True)]
    for path in glob.glob("/proc/[0-9]*"):
        try:
            with open(path + "/cgroup") as f, open(path + "/stat") as g:
                parent = int(g.read().rpartition(")")[2].split()[1])
                if mark in f.read() or parent == pid:
                    left.append(path)
        except OSError:
            pass
    with open("/proc/self/mountinfo") as f:
        left += [line for line in f if " - tmpfs work " in line or " - tmpfs root " in line]
    return left + os.listdir(TEMPORARY)


COUNT = 1000 if LONG else 20
TEMPORARY = os.environ["TMPDIR"] = os.path.join(folder.name, "tmp")  # of the gateways that follow, and of nobody else
os.mkdir(TEMPORARY)
c = Client(CONFIG)
busy = set()
for runtime, code in [("js", "(await tools.text.count({{text: 'x'}})).words + {n}"),
                      ("sh", "echo '{{\"op\":\"out\",\"value\":'$((1 + {n}))'}}' >&4; : > /work/f; sleep 100 & setsid sleep 100 &")]:
    wrong = []
    for n in range(COUNT):
        r = c.call(n + 1, "execute_code", code=code.format(n=n), runtime=runtime)
        if r.get("structuredContent", {}).get("value") != n + 1:
            wrong.append(str(r)[:300])
        busy.update(left_of(c.p.pid) if n == COUNT // 2 else [])
    case(f"{COUNT} runs of {runtime} one after the other", wrong[:3])
case("what would be left is seen while they run", [] if busy else ["nothing was seen"])
pid = c.p.pid
case("and their end", [] if c.close() == 0 else ["it failed"])
case("nothing is left: no cgroup, process, mount or file", left_of(pid))
left = []
for n in range(COUNT // 10):
    p = subprocess.Popen([FERRULE, "exec", "-C", CONFIG, put("program", "1")], stdout=subprocess.DEVNULL)
    left += [] if p.wait() == 0 else ["it failed"]
    left += left_of(p.pid)
case(f"nor of {COUNT // 10} runs of the command", left[:3])

finish()
