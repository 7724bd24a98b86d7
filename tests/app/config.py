# SPDX-License-Identifier: Apache-2.0
"""ferrule config: files of operators and of MCP clients, found and looked at."""

import json
import os
import re
import tempfile

from command_line import SOURCE, case, expect, finish, inject, run

GOOD = """mcpServers:
  files: {command: npx, args: [-y, server, '${workspaceFolder}'], env: {TOKEN: 'secretref:env:T'}}
apis:
  pets: {openapi: pets.yaml, baseUrl: 'https://pets.example', auth: {type: bearer, token: 'secretref:env:P'}}
commands:
  - {name: count_words, inputSchema: {type: object}, run: {argv: [/usr/bin/wc]}}
defaults: {deadlineMs: 1000}
rules: {tags.changed: off}
"""
BAD = """mcpServers:
  files: {comand: npx, env: {API_KEY: hunter2hunter2}}
defalts: {}
apis:
  pets: {openapi: pets.yaml, baseUrl: 'https://u:hunter2@pets.example', auth: {type: bearer, token: hunter2}}
"""


SECRET = "correct-horse-battery-staple"


def secret_fields(root, schema, path=(), within=()):
    """Paths to all fields that hold a reference to a secret, or pairs whose values may be one."""
    ref = schema.get("$ref", "")
    name = ref.rpartition("/")[2]
    if name in ("secret", "texts"):
        yield path + ("NAME",) if name == "texts" else path
    elif ref and ref not in within:
        yield from secret_fields(root, root["$defs"][name], path, within + (ref,))
    for key, inner in schema.get("properties", {}).items():
        yield from secret_fields(root, inner, path + (key,), within)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from secret_fields(root, schema["additionalProperties"], path + ("n",), within)
    for key in "anyOf", "oneOf", "allOf":
        for inner in schema.get(key, []):
            yield from secret_fields(root, inner, path, within)
    if isinstance(schema.get("items"), dict):
        yield from secret_fields(root, schema["items"], path + (0,), within)


def at(path, value):
    """A configuration that has one value at a path."""
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    return value


def secrets_unseen(write, schema):
    """What was written where a reference belongs is not shown, whatever is wrong with it, nor where the object around it is."""
    fields = sorted(set(secret_fields(schema, schema)), key=str)
    case("fields that are secrets", [] if len(fields) >= 12 and ("serve", "clients", "n", "token") in fields else [str(fields)])
    for path in fields:
        problems = []
        for value in at(path, SECRET), at(path, [SECRET]), at(path, {SECRET[:8]: SECRET}), at(path[:-1], SECRET):
            file = write("secret/ferrule.yaml", json.dumps(value))
            others = [["doctor", "--offline", "--config", file], ["servers", "--config", file]] if value == at(path, SECRET) else []
            for command in [["config", "check", file], *others]:
                shown = run(command)
                if SECRET in (shown.stdout + shown.stderr).decode():
                    problems.append(f"{command[0]}: {(shown.stdout + shown.stderr).decode()}")
        case(f"not shown: {'.'.join(map(str, path))}", problems)


COMMAND = "commands: [{namespace: n, name: count_words, inputSchema: {type: object}, run: {argv: [/usr/bin/wc]}}]\n"
# name, text, what is told (a warning, unless it says otherwise), and what is not
IDLE = [
    ("a namespace that nothing has", "policies: {tools: {'githb:create': {concurrency: 1}}}\nmcpServers: {github: {command: a}}\n", ['1:20: warning: there is no server, API or command of the namespace "githb"', 'did you mean "github"?'], []),
    ("one that is not near", "policies: {tools: {'elsewhere:*': {concurrency: 1}}}\n", ['"elsewhere" here, so that this counts for nothing'], []),
    ("a command that nothing has", COMMAND + "policies: {tools: {'n:count_word': {concurrency: 1}}}\n", ['there is no command "n:count_word"', 'did you mean "n:count_words"?'], []),
    ("what is there", COMMAND + "policies: {tools: {'n:count_words': {concurrency: 1}, '*': {concurrency: 9}, 'n:*': {concurrency: 2}, 's:any': {concurrency: 1}}, backends: {n: {concurrency: 3}, '*': {concurrency: 9}, s: {concurrency: 1}}}\n"
     "mcpServers: {s: {command: a}}\n", [], ["warning"]),
    ("code, where it may run", "code: {}\npolicies: {tools: {'code:execute': {concurrency: 1}}, backends: {code: {concurrency: 1}}}\n", [], ["warning"]),
    ("code, where it may not", "policies: {tools: {'code:execute': {concurrency: 1}}}\n", ['of the namespace "code"'], []),
    ("a backend that nothing has", "policies: {backends: {githb: {concurrency: 1}}}\nmcpServers: {github: {command: a}}\n", ['there is no backend "githb"', 'did you mean "github"?'], []),
    ("quarantine without a catalogue", "quarantine: changed\n", ["1:13: warning: without a catalogue nothing is remembered", "state: FOLDER"], []),
    ("quarantine with a state", "quarantine: changed\nstate: s\n", [], ["warning"]),
    ("quarantine with a catalogue", "quarantine: changed\ncatalog: c\n", [], ["warning"]),
    ("no quarantine", "quarantine: none\n", [], ["warning"]),
    ("no OpenAPI document", "apis: {p: {openapi: nowhere.yaml, baseUrl: 'https://p.example'}}\n", ["warning: there is no file ", "nowhere.yaml"], []),
    ("no certificate", "serve: {tls: {cert: c.pem, key: k.pem}}\n", ["c.pem", "k.pem", "warning: there is no file "], []),
    ("no keys", "serve: {resource: 'https://r.example', issuers: {i: {issuer: 'https://i.example', audience: [a], tenant: t, jwks: keys.json}}}\n", ["keys.json", "warning: there is no file "], []),
    ("the largest port", "serve: {listen: '127.0.0.1:65535'}\n", [], ["port"]),
    ("a larger one", "serve: {listen: '127.0.0.1:65536'}\n", ["error: a port is a number from 0 to 65535, not 65536"], []),
    ("a larger one alone", "serve: {listen: '99999'}\n", ["error: a port is a number"], []),
]


def idle(write):
    """What cannot have an effect is told, by config check and doctor."""
    for name, text, told, absent in IDLE:
        file = write("idle/ferrule.yaml", text)
        code = 1 if any(t.startswith("error") for t in told) else 0
        case(f"no effect: {name}", expect(run(["config", "check", file]), code, out=told, absent=absent))
        shown = run(["doctor", "--offline", "--json", "--config", file]).stdout.decode()
        words = [t.rpartition("warning: ")[2] for t in told if t.startswith(("there", "error")) or "warning: " in t]
        case(f"no effect, by doctor: {name}", [f"{w!r} is not in {shown}" for w in words if json.dumps(w)[1:-1].removeprefix("error: ") not in shown])
    with open(os.path.join(SOURCE, "src/app/builtins.c"), encoding="utf-8") as f:
        names = sorted(set(re.findall(r'\.ns = "(\w+)"', f.read())))
    rows = ", ".join(f"'{n}:*': {{concurrency: 1}}" for n in names)
    case("no effect: tools that every gateway has", expect(run(["config", "check", write("idle/own.yaml", "policies: {tools: {%s}}\n" % rows)]), 0, absent=["warning"]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        none = {"HOME": os.path.join(folder, "home"), "XDG_CONFIG_HOME": ""}
        case("nothing there", expect(run(["config", "check"], cwd=folder, env=none), 2, err=["no ferrule.yaml"]))
        write("home/.config/ferrule/ferrule.yaml", GOOD)
        case("in the home", expect(run(["config", "check"], cwd=folder, env=none), 0,
                                   out=["/ferrule.yaml: 1 server, 1 command, 1 API: 0 errors"]))
        write("xdg/ferrule/ferrule.yml", "catalog: x")
        case("where XDG says", expect(run(["config", "check"], cwd=folder,
                                          env=dict(none, XDG_CONFIG_HOME=os.path.join(folder, "xdg"))), 0,
                                      out=["0 servers, 0 commands, 0 APIs: 0 errors"]))
        here = write("ferrule.yaml", BAD)
        result = run(["config", "check"], cwd=folder, env=none)
        case("here before the home", expect(result, 1, out=[
            'ferrule.yaml:2:11: warning: a server has no "comand"; did you mean "command"?',
            "ferrule.yaml:2:3: error: the server needs a \"command\" or a \"url\"",
            "ferrule.yaml:3:1: error: `defalts` is not a known property.", "Did you mean `defaults`?",
            "ferrule.yaml:5:39: error: this is no URL that can be asked",
            "ferrule.yaml:5:101: error: `apis.pets.auth.token` must match"], absent=["hunter2"]))
        shown = json.loads(run(["config", "check", "--json", here], cwd=folder).stdout)
        case("as JSON", [] if shown["errors"] == 4 and shown["problems"][0]["line"] == 2 else [str(shown)])

        good = write("good/ferrule.yaml", GOOD)
        case("a file by its name", expect(run(["config", "check", good]), 0))
        case("the same file is for check", expect(
            run(["check", "--no-quality", "-"], stdin='{"name":"t","inputSchema":{"type":"object"},"tags":["A"]}',
                cwd=os.path.join(folder, "good")), 0, absent=["tags.changed"]))
        code = write("w/.vscode/mcp.json", '{"servers": {"a": {"command": "c", "cwd": "${workspaceFolder}"}}}')
        case("a client's file", expect(run(["config", "check", code]), 0, out=["mcp.json: 1 server, "]))
        case("broken", expect(run(["config", "check", write("broken.json", '{"a":\n }')]), 2, err=["broken.json:2:2"]))
        case("not there", expect(run(["config", "check", "absent.yaml"]), 2, err=["absent.yaml"]))
        large = write("large.yaml", "#" * ((1 << 20) + 1))
        case("too large", expect(run(["config", "check", large]), 2, err=["config.size"]))
        schema = run(["config", "schema"])
        case("its schema", expect(schema, 0, out=["mcpServers"]))
        case("the schema takes the file", expect(
            run(["validate", "--schema", write("schema.json", schema.stdout.decode()), good]), 0))
        idle(write)
        secrets_unseen(write, json.loads(schema.stdout))
        inject([["config", "check", good]])
    finish()


main()
