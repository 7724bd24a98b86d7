#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What code may ask for, and how runs end: rights, tenant, time and cause of its calls, abuse of the lines (S78, S79, S84 of the
battery), output while it is printed, cancel and disconnect, layers that are missing, limits at their edges. Speaks TAP."""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from command_line import FERRULE, case, expect, finish, run, skip  # noqa: E402
from stdio_client import Client  # noqa: E402
from web_rig import Server  # noqa: E402

folder = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = os.path.join(folder.name, "state")
LONG = bool(os.environ.get("FERRULE_LONG_TESTS"))


def put(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


STATE = os.path.join(folder.name, "kept")
PLAIN = """code:
  allowDegraded: true
  limits: {chainSteps: 10000, toolCalls: 10000}
  runtimes:
    python: {kind: process, command: [python3], helper: python}
    sh: {kind: process, command: [sh]}
commands:
  - {name: left, namespace: sys, description: Tells the time that is left., inputSchema: {type: object}, effect: Pure, run: {argv: [sh, -c, 'echo $TOOL_DEADLINE_MS']}}
  - {name: wait, namespace: sys, description: Waits for long., inputSchema: {type: object}, effect: Pure, run: {argv: [sleep, "61.5"]}}
serve:
  clients:
    few: {scopes: ['namespace:code', 'namespace:text'], tenant: small}
    all: {tenant: large}
"""
KEPT = put("kept.yaml", f"state: {STATE}\n" + PLAIN)  # one process at a time
CONFIG = put("code.yaml", PLAIN)


def execute(code, *words, runtime="js", config=CONFIG, env=None):
    return run(["exec", "-C", config, "-r", runtime, *words, put("program", code)], env=env)


def until(true, seconds=60):
    """Whether it came true; generous, as a machine may be busy."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def running(mark):
    """Processes of this machine, those in sandboxes too, whose command line has the mark."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                if mark.encode() in f.read().split(b"\0"):
                    found.append(path)
        except OSError:
            pass
    return found


# ---- rights, tenant and cause

c = Client(KEPT, "--client", "few")
inside = """const seen = {};
for (const [name, make] of Object.entries({run: () => tools.run('sys:left', {}), name: () => tools.sys.left({}),
    describe: () => tools.describe('sys:left'), chain: () => tools.chain([{toolId: 'sys:left', args: {}}])}))
  try { await make(); seen[name] = 'did'; } catch (e) { seen[name] = e.code; }
seen.found = (await tools.search('time that is left')).map(f => f.id).filter(i => i.startsWith('sys')).length;
seen.listed = (await tools.list()).filter(f => f.id.startsWith('sys')).length;
seen.spaces = (await tools.namespaces()).map(n => n.name).includes('sys');
seen.own = (await tools.text.count({text: 'a b'})).words;
seen"""
r = c.call(1, "execute_code", code=inside)["structuredContent"]["value"]
outside = c.call(2, "run_tool", id="sys:left", args={})
case("rights: what the caller may not use is not there inside, by any way", [] if {r[k] for k in ("run", "name", "describe", "chain")} == {"ToolNotFound"}
     and not r["found"] and not r["listed"] and not r["spaces"] and r["own"] == 2 else [str(r)])
case("rights: outside it is refused by the same code", [] if outside.get("isError") and outside["_meta"]["ferrule/error"]["code"] == r["run"] else [str(outside)])
c.close()
c = Client(KEPT, "--client", "all")
r = c.call(1, "execute_code", code="await tools.text.count({text: 'x'}); (await tools.sys.left({})) && 1")
case("rights: one who may, may inside", [] if r.get("structuredContent", {}).get("value") == 1 else [str(r)])
c.close()
lines = [json.loads(l) for l in run(["ledger", "export", "-C", KEPT]).stdout.splitlines()]
begins = [dict(l["body"], tenant=l.get("tenant")) for l in lines if l["type"] == "begin"]
runs = {b["callId"]: b for b in begins if b["tool"].startswith("code:execute")}
calls = [b for b in begins if not b["tool"].startswith("code:execute") and b["origin"] == "code"]
case("ledger: every call of a program has its run as cause, and its tenant", [] if len(calls) >= 3 and all(
    b["causationId"] in runs and b["tenant"] == runs[b["causationId"]]["tenant"] for b in calls)
    and {b["tenant"] for b in calls} == {"small", "large"} else [json.dumps(calls)[:1500], json.dumps(list(runs.values()))[:800]])

# ---- time

r = execute("await new Promise(r => setTimeout(r, 300)); (await tools.run('sys:left', {}))", "--limits", "timeMs=20000", "--json")
value = json.loads(r.stdout).get("value")
left = int("".join(ch for ch in json.dumps(value) if ch.isdigit()) or 0)
case("time: a call has what is left of its run", [] if 0 < left <= 19700 else [str(value), r.stderr.decode()])
r = execute("await tools.run('sys:wait', {})", "--limits", "timeMs=500")
case("time: a call that takes longer ends with its run", expect(r, 1, [], []) + (
    [] if until(lambda: not running("61.5")) else ["its program is still there"]))

# ---- S78: abuse of what code may ask for

MANY = 1000000 if LONG else 5000


def forged(member):
    """A request with one member more, and its answer printed."""
    return """echo '{"id":1,"op":"run","tool":"text:count","args":{"text":"x"},%s}' >&4; read -r a <&3; echo "$a"\n""" % member


for name, runtime, code, words, exit_code, out, err in [
    ("S78: very many calls", "js", f"let no = 0; for (let i = 0; i < {MANY}; i++) try {{ await tools.text.count({{text: ''}}) }} catch (e) {{ no += e.code === 'ResourceLimit' }} no",
     ["--limits", "toolCalls=100,cpuMs=600000"], 0, [str(MANY - 100)], []),
    ("S78: arguments of 100 MB", "js", "await tools.text.count({text: 'x'.repeat(1e8)})", [], 1, [], ["ferrule: "]),
    ("S78: arguments of 100 MB, by a line", "sh", "printf '{\"id\":1,\"op\":\"run\",\"tool\":\"text:count\",\"args\":{\"text\":\"' >&4; head -c 100000000 /dev/zero | tr '\\0' x >&4; printf '\"}}\\n' >&4",
     [], 1, [], ["a line that cannot be read"]),
    ("S78: a forged call ID", "sh", forged('"callId":"00000000-0000-0000-0000-000000000000"'), [], 0, ['"UnknownField"'], []),
    ("S78: a forged tenant", "sh", forged('"tenant":"large"'), [], 0, ['"UnknownField"'], []),
    ("S78: code that runs code", "sh", "echo '{\"id\":1,\"op\":\"run\",\"tool\":\"code:execute\",\"args\":{\"code\":\"1\"}}' >&4; read -r a <&3; echo \"$a\"", [], 0, ["code may not run code"], []),
    # S79: bombs as the value
    ("S79: as deep as it may be", "sh", "echo '{\"op\":\"out\",\"value\":" + "[" * 64 + "]" * 64 + "}' >&4", [], 0, ["[" * 64], []),
    ("S79: deeper", "sh", "echo '{\"op\":\"out\",\"value\":" + "[" * 65 + "]" * 65 + "}' >&4", [], 1, [], ["code.depth"]),
    ("S79: very deep", "sh", "printf '{\"op\":\"out\",\"value\":' >&4; head -c 1000000 /dev/zero | tr '\\0' '[' >&4; echo >&4", [], 1, [], ["line"]),
    ("S79: very large", "sh", "printf '{\"op\":\"out\",\"value\":\"' >&4; head -c 3000000 /dev/zero | tr '\\0' x >&4; echo '\"}' >&4", [], 1, [], ["valueBytes"]),
    ("S79: NaN", "sh", "echo '{\"op\":\"out\",\"value\":NaN}' >&4", [], 1, [], ["line"]),
    ("S79: a key twice", "sh", "echo '{\"op\":\"out\",\"value\":{\"a\":1,\"a\":2}}' >&4", [], 1, [], ["line"]),
    ("S79: bytes that are no text", "sh", "printf '{\"op\":\"out\",\"value\":\"\\377\"}\\n' >&4", [], 1, [], ["line"]),
    ("S79: NaN of JavaScript", "js", "NaN", [], 0, [], []),
    ("S79: depth of JavaScript", "js", "let a = 1; for (let i = 0; i < 65; i++) a = [a]; a", [], 1, [], ["too deep"]),
    ("S79: a getter without end", "js", "({get a() { for (;;); }})", ["--limits", "cpuMs=300"], 1, [], ["ResourceLimit"]),
    ("S79: toJSON that throws", "js", "({toJSON() { throw new Error('no') }})", [], 1, [], ["no"]),
    # limits of a run, at their edges: docs/reference/limits.md
    ("code.bad", "sh", "i=0; while [ $i -lt 100 ]; do echo '{\"id\":1,\"op\":\"fly\"}' >&4; read -r a <&3; i=$((i+1)); done; echo all", [], 0, ["all"], []),
    ("code.bad + 1", "sh", "i=0; while [ $i -lt 101 ]; do echo '{\"id\":1,\"op\":\"fly\"}' >&4; read -r a <&3; i=$((i+1)); done; sleep 60", [], 1, [], ["code.bad"]),
    ("code.size", "js", "1 //".ljust(1 << 20, "x"), [], 0, ["1"], []),
    ("code.size + 1", "js", "1 //".ljust((1 << 20) + 1, "x"), [], 2, [], ["1048576"]),
    ("code.open", "js", "const all = await Promise.allSettled(Array.from({length: 1000}, () => tools.text.count({text: ''}))); all.filter(a => a.reason).length", [], 0, ["0"], []),
    ("code.stored", "js", f"'x'.repeat({(3 << 20) - 2})", ["--store"], 0, ["handle"], []),
    ("code.stored + 1", "js", f"'x'.repeat({(3 << 20) - 1})", ["--store"], 1, [], ["3145728"]),
    ("code.line of an answer", "sh", "echo '{\"id\":\"" + "i" * 62 + "\",\"op\":\"namespaces\"}' >&4; read -r a <&3; echo \"$a\"", [], 0, ['"result"'], []),
    ("chainSteps", "js", "await tools.chain([1, 2].map(() => ({toolId: 'text:count', args: {text: ''}}))); 1", ["--limits", "chainSteps=2"], 0, ["1"], []),
    ("chainSteps + 1", "js", "await tools.chain([1, 2].map(() => ({toolId: 'text:count', args: {text: ''}})))", ["--limits", "chainSteps=1"], 1, [], ["chainSteps"]),
    ("processes", "sh", "for i in 1 2; do sleep 0.2 & done; wait; echo all", ["--limits", "processes=3"], 0, ["all"], []),
    ("processes + 1", "sh", "for i in 1 2 3; do sleep 0.2 & done; wait; echo all", ["--limits", "processes=3"], 1, [], []),
    ("diskBytes", "sh", "head -c 1048576 /dev/zero > f && echo all", ["--limits", "diskBytes=1048576"], 0, ["all"], []),
    ("diskBytes + 1", "sh", "head -c 1048577 /dev/zero > f && echo all", ["--limits", "diskBytes=1048576"], 1, [], []),
    ("outputBytes", "sh", "printf 12345", ["--limits", "outputBytes=5", "--json"], 0, ['"stdout":"12345"'], []),
    ("outputBytes + 1", "sh", "printf 123456", ["--limits", "outputBytes=5", "--json"], 0, ['"stdout":"12345"', '"hit":true'], []),
    ("inodes of the work folder", "sh", "i=0; while [ $i -lt 5000 ]; do : > f$i || exit 4; i=$((i+1)); done", [], 1, [], ["No space left"]),
    ("descriptors of a process", "python", "import os\nn = 0\ntry:\n    while True: os.dup(0); n += 1\nexcept OSError: pass\n200 < n < 256", [], 0, ["true"], []),
]:
    case(name, expect(execute(code, *words, runtime=runtime), exit_code, out, err))

r = json.loads(execute("for (let i = 0; i < 1001; i++) await tools.text.count({text: 'x'.repeat(i ? 1 : 3000)}); 1", "--json").stdout)
case("code.trace: a thousand calls are told, and that there were more; long arguments are told by their size", [] if len(r["toolCalls"]) in (1000, 1001)
     and "bytes" in r["toolCalls"][0]["args"] and r["value"] == 1 else [str(len(r["toolCalls"])), str(r["toolCalls"][0]), str(r["toolCalls"][-1])])
r = json.loads(execute("await tools.chain([{toolId: 'text:count', args: {text: 'a'}}, {toolId: 'text:count', args: {text: 5}}]).catch(() => 0); 1", "--json").stdout)
case("the trace has the steps of chains whole", [] if [(len(t["id"]), t["args"], t["status"]) for t in r["toolCalls"]][:1] == [(36, {"text": "a"}, "Ok")]
     and len(r["toolCalls"]) == 2 and len(r["toolCalls"][1]["id"]) == 36 and r["toolCalls"][1]["status"] == "Error" else [str(r["toolCalls"])])
for name, count, code in [("code.runtimes", 31, 0), ("code.runtimes + 1", 32, 1)]:
    config = put("many.json", json.dumps({"code": {"allowDegraded": True, "runtimes": {f"r{i}": {"kind": "process", "command": ["sh"]} for i in range(count)}}}))
    case(name, expect(run(["config", "check", config]), code))
for name, warm, code in [("code.warm", 64, 0), ("code.warm + 1", 65, 1)]:
    case(name, expect(run(["config", "check", put("warm.json", json.dumps({"code": {"warm": warm}}))]), code))

# ---- S84: variables

SHOW = "env | cut -d= -f1 | sort | tr '\\n' ' '"
strange = {"LD_PRELOAD": "", "LD_LIBRARY_PATH": folder.name, "PYTHONPATH": folder.name, "NODE_OPTIONS": "--inspect", "A_SECRET": "x"}
bare = subprocess.run(["sh", "-c", SHOW], env=dict(os.environ, **strange), capture_output=True, text=True).stdout
r = execute(SHOW, runtime="sh", env=strange).stdout.decode()
case("S84: variables of the gateway are not the program's", [] if "PYTHONPATH" in bare and not [n for n in strange if n in r] and "TOOL_DEADLINE_MS" in r else [bare, r])
c = Client(CONFIG)
r = c.call(1, "execute_code", code="1", env={"LD_PRELOAD": "/x"})
case("S84: nor does a request set any", [] if r.get("isError") and "env" in r["content"][0]["text"] else [str(r)])

# ---- output while it is printed

PRINTS = {"js": "console.log('one'); console.error('two'); await new Promise(r => setTimeout(r, 1e6))",
          "sh": "echo one; echo two >&2; sleep 1000"}
for i, (runtime, code) in enumerate(PRINTS.items()):
    p = subprocess.Popen([FERRULE, "exec", "-C", CONFIG, "-r", runtime, put("prints", code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seen = p.stdout.readline(), p.stderr.readline(), p.poll()
    case(f"{runtime}: output comes while it runs", [] if seen == (b"one\n", b"two\n", None) else [str(seen)])
    p.kill()
    p.communicate()
    c.say({"jsonrpc": "2.0", "id": 100 + i, "method": "tools/call", "params": {"name": "execute_code", "_meta": {"progressToken": f"t{i}"},
           "arguments": {"code": code, "runtime": runtime}}})
    seen = [c.note(lambda m: m.get("method") == "notifications/progress" and m["params"]["progressToken"] == f"t{i}" and m["params"]["message"] == text)["params"]
            for text in ("one\n", "two\n")]
    case(f"{runtime}: to clients as progress, which grows", [] if [s["_meta"]["ferrule/stream"] for s in seen] == ["stdout", "stderr"]
         and seen[0]["progress"] != seen[1]["progress"] else [str(seen)])
    c.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100 + i}})

# ---- cancel and disconnect: nothing of the tree is left


def tree(mark):
    """A program with a child that does not listen, and one that left its session."""
    return f"trap '' TERM; (trap '' TERM; exec sleep {mark}) & setsid sleep {mark} & echo begun; sleep {mark}"


def begin(client, number, mark):
    client.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "execute_code", "_meta": {"progressToken": mark},
                "arguments": {"code": tree(mark), "runtime": "sh"}}})
    return until(lambda: len(running(mark)) == 3)


GRACE = 0.5  # seconds: FER_CODE_GRACE_MS
mark = f"7{os.getpid()}.1"
begun = begin(c, 200, mark)
before = time.monotonic()
c.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 200}})
gone = until(lambda: not running(mark))
took = time.monotonic() - before
case("cancel: the whole tree is gone", [] if begun and gone else [f"begun {begun}", str(running(mark))])
print(f"# it took {took:.2f} s; the grace is {GRACE} s")
r = c.call(201, "execute_code", code="'next'")
case("cancel: and others run on", [] if r["structuredContent"]["value"] == "next" else [str(r)])
case("cancel: the gateway ends", [] if c.close() == 0 else [str(c.p.returncode)])
mark = f"7{os.getpid()}.2"
s = Server(config=CONFIG)
params = {"name": "execute_code", "arguments": {"code": tree(mark), "runtime": "sh"}}
connection, answer = s.modern("tools/call", params, meta={"progressToken": "t"}, raw=True)
begun = until(lambda: len(running(mark)) == 3)
answer.close()
connection.close()
case("disconnect: the whole tree is gone", [] if begun and until(lambda: not running(mark)) else [f"begun {begun}", str(running(mark))])
case("disconnect: the gateway ends", [] if s.end() == 0 else [str(s.child.returncode)])
mark = f"7{os.getpid()}.3"
p = subprocess.Popen([FERRULE, "exec", "-C", CONFIG, "-r", "sh", put("tree", tree(mark))], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
begun = until(lambda: len(running(mark)) == 3)
p.kill()  # the gateway itself, without a word
p.wait()
case("a gateway that is killed leaves no program", [] if begun and until(lambda: not running(mark)) else [f"begun {begun}", str(running(mark))])

# ---- another section `code`, while it serves

reloaded = put("reloaded.yaml", "commands: []\n")
s = Server(config=reloaded)


def offered():
    return "execute_code" in s.modern("tools/list")[2]


def execute_there(code, **args):
    text = s.modern("tools/call", {"name": "execute_code", "arguments": dict(args, code=code)})[2]
    data = text.split("data:")[-1] if text.lstrip().startswith(("event", "data", "id", ":")) else text
    return json.loads(data)["result"]


def reload(text):
    put("reloaded.yaml", text)
    s.child.send_signal(signal.SIGHUP)


none = offered()
reload("code: {allowDegraded: true}\n")
case("reload: code is offered once the section is there", [] if not none and until(offered) else [str(none)])
r = execute_there("1 + 1")
case("reload: and runs", [] if r["structuredContent"]["value"] == 2 else [str(r)])
mark = f"7{os.getpid()}.4"
reload("code: {allowDegraded: true, limits: {toolCalls: 7}, runtimes: {sh: {kind: process, command: [sh]}}}\n")


def limit():
    return execute_there("1")["structuredContent"]["limitsEnforced"]["toolCalls"]["limit"]


case("reload: other limits and runtimes count", [] if until(lambda: limit() == 7) and execute_there("echo 1", runtime="sh")["structuredContent"]["stdout"] == "1\n" else [str(limit())])
answers = []
slow = threading.Thread(target=lambda: answers.append(execute_there(f"sleep {mark} & sleep 2; echo kept", runtime="sh")))
slow.start()
begun = until(lambda: running(mark))
reload("commands: []\n")
gone = until(lambda: not offered())
slow.join()
case("reload: it is gone without its section", [] if gone else ["it is not"])
case("reload: a run under way ends as it began", [] if begun and answers[0]["structuredContent"]["stdout"] == "kept\n" else [str(answers)])
case("reload: the gateway ends", [] if s.end() == 0 and until(lambda: not running(mark)) else [str(s.child.returncode)])

# ---- what the catalogue knows is not asked for again

asked = os.path.join(folder.name, "asked")
server = put("server.py", f"""import json, sys
open({asked!r}, "a").write("started\\n")
for line in sys.stdin:
    m = json.loads(line)
    result = {{"initialize": {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "s", "version": "1"}}}},
               "tools/list": {{"tools": [{{"name": "hello", "description": "Says hello.", "inputSchema": {{"type": "object"}}}}]}},
               "tools/call": {{"content": [{{"type": "text", "text": "hello"}}], "structuredContent": {{"said": "hello"}}}}}}.get(m.get("method"), {{}})
    if "id" in m: print(json.dumps({{"jsonrpc": "2.0", "id": m["id"], "result": result}}), flush=True)
""")
remembers = put("remembers.json", json.dumps({"code": {"allowDegraded": True}, "catalog": os.path.join(folder.name, "tools.catalog"),
                                              "mcpServers": {"s": {"command": sys.executable, "args": [server]}}}))


def started():
    return open(asked).read().count("started") if os.path.exists(asked) else 0


counts = []
for code, value in [("(await tools.s.hello({})).said", "hello"), ("1 + 1", "2"), ("(await tools.s.hello({})).said", "hello")]:
    r = execute(code, config=remembers)
    counts.append((value in r.stdout.decode(), started()))
case("exec: a server is asked once for its tools, and started for its calls alone", [] if counts == [(True, 1), (True, 1), (True, 2)] else [str(counts), r.stderr.decode()])

# ---- layers that are missing: nothing is run, unless that is allowed, and then it is said

plain = os.path.join(folder.name, "plain")
os.mkdir(plain)
os.chmod(folder.name, 0o755)
os.chmod(plain, 0o777)
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
can = os.geteuid() == 0 and shutil.which("setpriv") and subprocess.run([*NOBODY, FERRULE, "version"], capture_output=True, env={"HOME": plain}).returncode == 0
if not can:
    skip("a user without rights", "only root can become one, who must be able to run the command")
else:
    r = subprocess.run([*NOBODY, FERRULE, "exec", "--json", "-"], input=b"(await tools.text.count({text: 'a b'})).words", capture_output=True, env={"HOME": plain}, cwd=plain)
    r = json.loads(r.stdout or b"{}")
    if r.get("error", {}).get("code") == "SandboxViolation":
        skip("a user without rights", r["error"]["message"])
    else:
        case("a user without rights: all layers that are needed stand", [] if r.get("value") == 2 and r["backend"]["details"]["degraded"] is False
             and all(v["enforced"] for v in r["limitsEnforced"].values()) else [str(r)[:800]])

READ_ONLY = ["unshare", "-m", "sh", "-c", 'mount -o bind,ro /proc/sys /proc/sys && exec "$@"', "sh"]
strict = put("strict.yaml", "code: {}\n")
can = os.geteuid() == 0 and shutil.which("unshare") and subprocess.run([*READ_ONLY, "sh", "-c", "! echo 9 > /proc/sys/user/max_user_namespaces"], capture_output=True).returncode == 0


def without_nested(*words):
    return subprocess.run([*READ_ONLY, FERRULE, "exec", "-C", strict, *words, put("one", "1")], capture_output=True)


whole = json.loads(run(["exec", "-C", strict, "--json", put("one", "1")]).stdout or b"{}") if can else {}
if not can or whole.get("error", {}).get("code") == "SandboxViolation":
    skip("a layer that is missing", "only root can take one away here, where all others stand")
else:
    stands = whole["backend"]["details"]["sandbox"]
    case("degraded: not where all layers that are needed stand", [] if whole["backend"]["details"]["degraded"] is False
         and {v for n, v in stands.items() if n != "cgroup"} <= {"up", "partly"} else [str(whole)[:600]])
    case("degraded: without a layer nothing is run", expect(without_nested(), 1, [], ["SandboxViolation", "the layer nested of the sandbox is missing", "nothing was run"]))
    r = json.loads(without_nested("--allow-degraded", "--json").stdout or b"{}")
    details = r.get("backend", {}).get("details", {})
    case("degraded: where it is allowed the result says which", [] if details.get("degraded") is True and details["sandbox"]["nested"] == "missing"
         and details["sandbox"]["seccomp"] == stands["seccomp"] and r["value"] == 1 else [str(r)[:600]])

finish()
