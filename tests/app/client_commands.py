#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule call and ferrule inspect: the command as a client of MCP servers, over pipes and HTTP. Speaks TAP."""

import json
import os
import shutil
import signal
import subprocess
import tempfile

from command_line import FERRULE, SOURCE, case, expect, finish, run

BACKEND = f"python3 {SOURCE}/tests/serve/backend.py"
CONFIG = os.path.join(SOURCE, "tests", "serve", "tools.yaml")
folder = tempfile.TemporaryDirectory()
home = {"HOME": folder.name, "XDG_CONFIG_HOME": folder.name, "XDG_RUNTIME_DIR": folder.name, "FERRULE_TOKEN": ""}


def put(name, text, mode=0o600):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def server(name, tools="[]", hello='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}', more="{}"):
    """A server that says what it is told, as a command."""
    text = f'''import json, sys
answers = {{"initialize": {hello!r}, "tools/list": '{{"tools":' + {tools!r} + '}}'}}
answers.update(json.loads({more!r}))
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") in answers:
        print('{{"jsonrpc":"2.0","id":%s,"result":%s}}' % (json.dumps(m["id"]), answers[m["method"]]), flush=True)
    elif "id" in m:
        print('{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"no such method"}}}}' % json.dumps(m["id"]), flush=True)
'''
    return f"python3 {put(name + '.py', text)}"


EVERYTHING = server(
    "everything", '[{"name":"Bad Name!","inputSchema":{"type":"object"}}]',
    '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"all","version":"9"},"instructions":"Be kind.\\nAlways."}',
    json.dumps({"resources/list": '{"resources":[{"uri":"file:///a","name":"a"}]}', "resources/templates/list": '{"resourceTemplates":[]}',
                "prompts/list": '{"prompts":[{"name":"greet","description":"Says hello."}]}'}))
BROKEN_LIST = server("broken", hello='{"protocolVersion":"2025-11-25","capabilities":{"prompts":{},"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
                     more=json.dumps({"prompts/list": '{"prompts":5}'}))
ARGS = put("args.json", '{"rows": 2}')
SECRET = put("token", "t0ken\n")
OPEN = put("open-token", "t0ken\n", 0o644)

web = subprocess.Popen([FERRULE, "serve", "--config", CONFIG, "--listen", "0"], env={**os.environ, **home, "FERRULE_TOKEN": "t0ken"},
                       text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
URL = web.stdout.readline().split()[1]

# name, arguments, exit code, on standard output, on standard error, more of the environment
ROWS = [
    ("call: a URL of another kind", ["call", "-s", "ftp://x/y", "exact"], 2, [], ["ftp://x/y is no URL of a server", "https://"], {}),
    ("call: numbers as they came", ["call", "-s", BACKEND, "exact"], 0, ['{"b":12345678901234567890,"a":1.0,"tiny":1e-400}'], [], {}),
    ("call: --json is the result byte for byte", ["call", "-s", BACKEND, "exact", "--json"], 0, ['"future":{"k":[1.20,-0]},"isError":false}'], [], {}),
    ("call: typed by the schema", ["call", "-s", BACKEND, "big", "rows=1"], 0, ['"count":1'], [], {}),
    ("call: --args @FILE", ["call", "-s", BACKEND, "big", "--args", "@" + ARGS], 0, ['"count":2'], [], {}),
    ("call: --args and words", ["call", "-s", BACKEND, "big", "--args", '{"rows":5}', "rows=3"], 0, ['"count":3'], [], {}),
    ("call: a text as it is", ["call", "-s", BACKEND, "slow", "--raw"], 0, ["done\n"], [], {}),
    ("call: the tool says no", ["call", "-s", BACKEND, "refuse"], 1, [], ["ToolFailed", "No."], {}),
    ("call: no such tool", ["call", "-s", BACKEND, "exac"], 1, [], ['did you mean "exact"?'], {}),
    ("call: out of time", ["call", "-s", BACKEND, "slow", "wait=true", "--timeout", "700"], 1, [], ["Timeout", "--timeout"], {}),
    ("call: no server", ["call", "x"], 2, [], ["which server?"], {}),
    ("call: no tool", ["call", "-s", BACKEND], 2, [], ["which tool?"], {}),
    ("call: a list is no object", ["call", "-s", BACKEND, "big", "--args", "[1]"], 2, [], ["--args takes a JSON object"], {}),
    ("call: broken arguments", ["call", "-s", BACKEND, "big", "--args", '{"rows":}'], 2, [], ["InvalidJson"], {}),
    ("call: an empty command", ["call", "-s", "  ", "x"], 2, [], ["the command is empty"], {}),
    ("call: an open quote", ["call", "-s", "python3 'x", "x"], 2, [], ["inside a quote"], {}),
    ("call: no such program", ["call", "-s", "no-such-program-here", "x"], 1, [], ["BackendUnavailable", "no-such-program-here"], {}),
    ("call: a program that ends", ["call", "-s", "python3 -c 'raise SystemExit(3)'", "x"], 1, [], ["exit code 3"], {}),
    ("call: quotes and escapes", ["call", "-s", f"\"python3\" '{SOURCE}/tests/serve'/backend.py", "slow"], 0, ['"done"'], [], {}),
    ("call: over HTTP, the token of the environment", ["call", "-s", URL, "search_tools", "query=count words"], 0, ["text:count"], [], {"FERRULE_TOKEN": "t0ken"}),
    ("call: the token of a file", ["call", "-s", URL, "-t", "secretref:file:" + SECRET, "search_tools", "query=count words"], 0, ["text:count"], [], {}),
    ("call: a header", ["call", "-s", URL, "-H", "Authorization: Bearer secretref:env:T", "search_tools", "query=count words"], 0, ["text:count"], [], {"T": "t0ken"}),
    ("call: no token", ["call", "-s", URL, "search_tools", "query=x"], 1, [], ["401"], {}),
    ("call: a token on the command line", ["call", "-s", URL, "-t", "t0ken", "search_tools", "query=x"], 2, [], ["--token takes where the token is"], {}),
    ("call: a token that others can read", ["call", "-s", URL, "-t", "secretref:file:" + OPEN, "search_tools", "query=x"], 1, [], ["Forbidden"], {}),
    ("call: a header without a colon", ["call", "-s", URL, "-H", "Authorization", "x"], 2, [], ["--header takes 'NAME: VALUE'"], {}),
    ("call: nobody listens", ["call", "-s", "http://127.0.0.1:1/mcp", "x"], 1, [], ["BackendUnavailable"], {}),
    ("call: a variable that is not there", ["call", "-s", BACKEND, "-E", "NO_SUCH_VARIABLE_HERE", "exact"], 2, [], ["no such variable"], {}),
    ("remote.variety: 64 headers", ["call", "-s", URL, *(w for i in range(64) for w in ("-H", f"X-{i}: y")), "search_tools", "query=count words"], 0, ["text:count"], [], {"FERRULE_TOKEN": "t0ken"}),
    ("remote.variety: 65 headers", ["call", "-s", URL, *(w for i in range(65) for w in ("-H", f"X-{i}: y")), "search_tools", "query=x"], 2, [], ["remote.variety: --header"], {"FERRULE_TOKEN": "t0ken"}),
    ("remote.variety: 64 variables", ["call", "-s", BACKEND, *(w for i in range(64) for w in ("-E", f"X{i}=y")), "slow", "--raw"], 0, ["done"], [], {}),
    ("remote.variety: 65 variables", ["call", "-s", BACKEND, *(w for i in range(65) for w in ("-E", f"X{i}=y")), "slow"], 2, [], ["remote.variety: --env"], {}),
    ("remote.words: 256 in one text", ["call", "-s", BACKEND + " x" * (256 - len(BACKEND.split())), "slow", "--raw"], 0, ["done"], [], {}),
    ("remote.words: 257 in one text", ["call", "-s", BACKEND + " x" * (257 - len(BACKEND.split())), "slow"], 2, [], ["remote.words"], {}),
    ("remote.words: 256 behind --", ["inspect", "--", *BACKEND.split(), *["x"] * (256 - len(BACKEND.split()))], 0, ["backend 1"], [], {}),
    ("remote.words: 257 behind --", ["inspect", "--", *BACKEND.split(), *["x"] * (257 - len(BACKEND.split()))], 2, [], ["remote.words"], {}),
    ("remote.timeout: an hour", ["call", "-s", BACKEND, "slow", "--raw", "--timeout", "3600000"], 0, ["done"], [], {}),
    ("remote.timeout: a millisecond more", ["call", "-s", BACKEND, "slow", "--timeout", "3600001"], 2, [], ["--timeout takes a whole number from 1 to 3600000"], {}),
    ("inspect: what it is", ["inspect", EVERYTHING], 1, ["all 9", "2025-06-18", "tools (tells changes), resources, prompts", "Be kind.", "file:///a", "greet",
                                                       "error name.charset"], [], {}),
    ("inspect: a program by a path from here", ["inspect", "--", os.path.relpath(shutil.which(BACKEND.split()[0]), SOURCE), *BACKEND.split()[1:]], 0, ["backend 1"], [], {}),
    ("inspect: one that is not there", ["inspect", "--", "./none", "x"], 1, [], ["cannot find the program ./none: No such file"], {}),
    ("inspect: words behind --", ["inspect", "--", *BACKEND.split()], 0, ["backend 1", "exact", "0 errors"], [], {}),
    ("inspect: --strict", ["inspect", "--strict", BACKEND], 1, ["warning desc.short"], [], {}),
    ("inspect: a rule that is off", ["inspect", "--strict", "--severity", "desc.short=off", "--severity", "desc.param-missing=off", BACKEND], 0, ["0 warnings"], [], {}),
    ("inspect: notes", ["inspect", "--all", BACKEND], 0, ["info "], [], {}),
    ("inspect: no tools", ["inspect", server("bare", hello='{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}')], 0, ["tools         0"], [], {}),
    ("inspect: a list that is none", ["inspect", BROKEN_LIST], 1, ['InvalidOutput: prompts/list: the answer has no list "prompts"'], [], {}),
    ("inspect: over HTTP", ["inspect", URL], 0, ["2026-07-28 (stateless", "search_tools", "run_tool"], [], {"FERRULE_TOKEN": "t0ken"}),
    ("inspect: nothing to inspect", ["inspect"], 2, [], ["which server?"], {}),
    ("inspect: no server", ["inspect", "python3 -c 'import sys; print(\"what a pity\", file=sys.stderr)'"], 1, [], ["BackendUnavailable", "what a pity"], {}),
    ("inspect: an unknown rule", ["inspect", "--severity", "no.such=off", BACKEND], 2, [], ["no.such"], {}),
    ("conformance-client: no URL", ["conformance-client"], 2, [], ["which server?"], {}),
]
for name, args, code, out, err, env in ROWS:
    case(name, expect(run(args, env={**home, **env}), code, out, err))

r = run(["inspect", "--json", EVERYTHING], env=home)
try:
    seen = json.loads(r.stdout)
    want = {"protocolVersion": "2025-06-18", "era": "legacy", "instructions": "Be kind.\nAlways.", "server": {"name": "all", "version": "9"}}
    problems = [f"{k}: {seen.get(k)!r}" for k, v in want.items() if seen.get(k) != v]
    problems += [f"no {k}" for k in ("tools", "resources", "resourceTemplates", "prompts", "cost", "findings", "capabilities") if k not in seen]
    problems += [] if seen["errors"] >= 1 and seen["findings"][0]["rule"] else ["no findings"]
except (ValueError, KeyError) as e:
    problems = [repr(e), r.stdout[:300]]
case("inspect: --json", problems)

# What a server says when it starts works as it is pasted: the client's configuration, and the line for a shell.
fresh = {k: v for k, v in os.environ.items() if k != "FERRULE_TOKEN"}
shown = subprocess.Popen([FERRULE, "serve", "--config", CONFIG, "--listen", "0", "--fresh-token"], env={**fresh, **{k: v for k, v in home.items() if k != "FERRULE_TOKEN"}},
                         text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
guide = []
for line in shown.stdout:
    guide.append(line.rstrip("\n"))
    if line.startswith("curl "):
        break
pasted = put("pasted.json", next(g for g in guide if g.startswith('{"mcpServers"')))
problems = expect(run(["servers", "--config", pasted], env=home), 0, ["ferrule\tmcp-http\tup\t7\t2026-07-28"])
problems += expect(run(["run", "ferrule:search_tools", "query=count words", "--config", pasted], env=home), 0, ["text:count"])
if shutil.which("curl"):
    r = subprocess.run(["sh", "-c", guide[-1]], capture_output=True, timeout=60, check=False)
    problems += [] if b"text:count" in r.stdout else [guide[-1], r.stdout, r.stderr]
shown.terminate()
case("what serve prints works as it is pasted", problems + ([] if shown.wait(timeout=60) == 0 else ["the end"]))

# Ctrl-C gives the call up, and the server hears of it before it ends.
heard = os.path.join(folder.name, "heard")
listener = put("listener.py", f'''import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        print('{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}' % json.dumps(m["id"]), flush=True)
    elif m.get("method") == "tools/list":
        print('{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}}}}]}}}}' % json.dumps(m["id"]), flush=True)
    elif m.get("method") == "tools/call":
        print("called", file=sys.stderr, flush=True)
        open({heard!r} + ".call", "w").close()
    elif m.get("method") == "notifications/cancelled":
        open({heard!r}, "w").close()
    elif "id" in m:
        print('{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"no"}}}}' % json.dumps(m["id"]), flush=True)
''')
child = subprocess.Popen([FERRULE, "call", "-s", f"python3 {listener}", "t"], env=dict(os.environ, **home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
deadline = 600
while not os.path.exists(heard + ".call") and deadline and child.poll() is None:
    deadline -= 1
    try:
        child.wait(timeout=0.1)
    except subprocess.TimeoutExpired:
        pass
child.send_signal(signal.SIGINT)
out, err = child.communicate(timeout=60)
problems = [] if child.returncode == 1 and b"Cancelled" in err else [f"exit {child.returncode}", err]
case("call: Ctrl-C cancels", problems + ([] if os.path.exists(heard) else ["the server was not told"]))

web.terminate()
case("the server ends", [] if web.wait(timeout=60) == 0 else ["badly"])
finish()
