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
    ("a command that names no namespace", "commands: [{name: say, inputSchema: {type: object}, run: {argv: [/bin/echo]}}]\npolicies: {tools: {'local:say': {concurrency: 1}}}\n", [], ["warning"]),
    ("one that is misspelt", "commands: [{name: say, inputSchema: {type: object}, run: {argv: [/bin/echo]}}]\npolicies: {tools: {'local:sya': {concurrency: 1}}}\n", ['there is no command "local:sya"', 'did you mean "local:say"?'], []),
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


RUN = "commands: [{name: z, description: d, run: %s, inputSchema: {type: object%s}}]\n"
# name, file, text, what is told, and what is not
WRONG = [
    ("stdout", "f.yaml", RUN % ("{argv: [ls, '{nope}'], stdout: jsn}", ""), ["f.yaml:1:74: error: stdout is json, text or lines", "f.yaml: 0 servers, 1 command, 0 APIs: 1 error\n"], ["nope"]),
    ("no program", "f.yaml", RUN % ("{argv: ['{p}']}", ""), [":1:51: error: argv begins with a program"], []),
    ("an unknown member", "f.yaml", RUN % ("{argv: [ls], cmd: x}", ""), [":1:56: error: a command has no member 'cmd'"], []),
    ("all of a command", "f.yaml", RUN % ("{argv: [ls, '{a'], stdin: x, env: {set: {A: 'secretref:x'}, foo: 1}, cwd: rel, exit: {'300': Ok}, outputMax: 0, sha256: x}", ""),
     ["a bracket in '{a' has no partner", "stdin is none", "a reference to a secret is", "env has no member 'foo'", "cwd is an absolute path", "an exit code is", "outputMax is", "sha256 is", " 8 errors"], []),
    ("a secret in argv", "f.yaml", RUN % ("{argv: [ls, 'secretref:env:T']}", ""), [":1:55: error: a secret does not belong on a command line", "env: {set: {NAME: 'secretref:env:NAME'}}", " 1 error\n"], []),
    ("a secret within a word of argv", "f.yaml", RUN % ("{argv: [ls, ['--token=secretref:file:t', '{x?}']]}", ""), [":1:56: error: a secret does not belong on a command line"], []),
    ("what looks like one in argv", "f.yaml", RUN % ("{argv: [ls, --token, sk-0123456789abcdefghijABCDEFGHIJ]}", ""), ["warning: this looks like a secret", "0 errors"], ["sk-0123456789"]),
    ("a secret within a word of a server's arguments", "f.yaml", "mcpServers: {s: {command: a, args: ['--token=secretref:env:T']}}\n", ["error: a secret does not belong on a command line"], []),
    ("a secret within a word of a header", "f.yaml", "mcpServers: {s: {url: 'https://s.example/mcp', headers: {Cookie: 'session=secretref:env:T'}}}\n", ["error: a reference to a secret stands alone or behind a blank"], []),
    ("a secret in a URL", "f.yaml", "mcpServers: {s: {url: 'https://s.example/mcp?key=secretref:env:T'}}\n", ["error: a reference to a secret is not resolved in a URL", "write headers"], []),
    ("no argv", "f.yaml", RUN % ("{}", ""), ["error: a command needs an argv", "1 error\n"], []),
    ("a program of no machine", "f.yaml", RUN % ("{argv: [nosuchprogram]}", ""), ["0 errors"], []),
    ("a place that is no property", "f.yaml", RUN % ("{argv: [ls, '{pth}', ['-a', '{deep?}'], '{flag:verbos}'], stdin: '{inn}'}", ", properties: {path: {}, verbose: {}, in: {}}"),
     [':1:55: warning: the inputSchema has no property "pth" for this place; did you mean "path"?', ':1:71: warning: the inputSchema has no property "deep"', '"verbos"', '"inn"', "0 errors"], []),
    ("a place of a closed schema", "f.yaml", RUN % ("{argv: [ls, '{/q~1r/s}']}", ", properties: {x: {}}, additionalProperties: false"), ['no property "q/r"', "0 errors"], []),
    ("places that are there", "f.yaml", RUN % ("{argv: [ls, '{path}', '{/a~1b/c}']}", ", properties: {path: {}, a/b: {}}"), ["0 errors"], ["warning"]),
    ("places that may be there", "f.yaml", RUN % ("{argv: [ls, '{path}']}", ", properties: {x: {}}, additionalProperties: true"), ["0 errors"], ["warning"]),
    ("places of another schema", "f.yaml", RUN % ("{argv: [ls, '{path}']}", ", properties: {x: {}}, allOf: [{properties: {path: {}}}]"), ["0 errors"], ["warning"]),
    ("one fault, one error", "f.yaml", "commands: [{name: x, run: {argv: [ls]}}]\n", ["`commands[0].inputSchema` is required", " 1 error\n"], ["()", '"inputSchema" is missing']),
    ("no record at all", "f.yaml", "commands: [{namespace: n, tool: {name: x}, run: {argv: [ls]}}]\n", ["`commands[0].name` is required", "`commands[0].inputSchema` is required", " 2 errors\n"], ["this is no tool", "Rename"]),
    ("a fault of the record", "f.yaml", "commands:\n- {name: x, run: {argv: [ls]}, inputSchema: {type: object},\n   tags: [1]}\n", ["f.yaml:3:11: error: x: ", "(/tags/0)"], []),
    ("a command twice", "f.yaml", "commands:\n- {namespace: n, name: x, run: {argv: [ls]}, inputSchema: {type: object}}\n- {namespace: n, name: x, version: 2.0.0, run: {argv: [cat]}, inputSchema: {type: object}}\n",
     ['f.yaml:3:3: error: the command "n:x" is defined already, in line 2, column 3'], []),
    ("a command twice, without a namespace", "f.yaml", "commands:\n- {namespace: local, name: x, run: {argv: [ls]}, inputSchema: {type: object}}\n- {name: x, run: {argv: [cat]}, inputSchema: {type: object}}\n",
     ['f.yaml:3:3: error: the command "local:x" is defined already, in line 2'], []),
    ("two commands of one namespace", "f.yaml", "commands:\n- {namespace: n, name: x, run: {argv: [ls]}, inputSchema: {type: object}}\n- {namespace: n, name: y, run: {argv: [cat]}, inputSchema: {type: object}}\n", ["0 errors"], ["warning"]),
    ("the namespace of built-in tools", "f.yaml", "commands: [{namespace: text, name: x, run: {argv: [ls]}, inputSchema: {type: object}}]\n", ['error: the namespace "text" is that of built-in tools'], []),
    ("the namespace of a server", "f.yaml", "commands: [{namespace: s, name: x, run: {argv: [ls]}, inputSchema: {type: object}}]\nmcpServers: {s: {command: a}}\n",
     ['f.yaml:1:12: warning: the namespace "s" is also that of what is in line 2', "0 errors"], []),
    ("a misspelt section", "ferrule.yaml", "mcpServers: {a: {command: node}}\npolices: {}\n", ["ferrule.yaml:2:1: error: `polices`", "Did you mean `policies`?"], ["passed over"]),
    ("another one, as JSON", "ferrule.json", '{"mcpServers": {"a": {"command": "node"}}, "defalts": {}}', ["error: `defalts`", "Did you mean `defaults`?"], []),
    ("a section that nobody has", "ferrule.yaml", "mcpServers: {a: {command: node}}\nelsewhere: {}\n", ["error: `elsewhere`"], []),
    ("a misspelt section of a file of any name", "mine.yaml", "mcpServers: {a: {command: node}}\nserv: {}\n", ["error: `serv`", "Did you mean `serve`?"], []),
    ("what clients have", "mine.json", '{"mcpServers": {"a": {"command": "node"}}, "theme": {}}', ["info: this is the client's", "0 errors"], []),
    ("what a client has in its own file", "w/mcp.json", '{"mcpServers": {"a": {"command": "node"}}, "serv": {}}', ["info: this is the client's", "0 errors"], []),
    ("tokens by one reference", "f.yaml", "serve:\n  clients:\n    a: {token: 'secretref:env:NO_TOKEN'}\n    b: {token: 'secretref:env:NO_TOKEN'}\n", ['f.yaml:4:5: error: the client "b" has the same token as "a" in line 3, column 5'], []),
    ("tokens by two", "f.yaml", "serve:\n  clients:\n    a: {token: 'secretref:env:TOKEN_A'}\n    b: {token: 'secretref:file:token'}\n", ['f.yaml:4:5: error: the client "b" has the same token as "a" in line 3', "token of its own"], [SECRET]),
    ("tokens that differ", "f.yaml", "serve:\n  clients:\n    a: {token: 'secretref:env:TOKEN_A'}\n    b: {token: 'secretref:env:TOKEN_B'}\n    c: {}\n    d: {}\n    e: {token: 'secretref:env:NO_TOKEN'}\n", ["0 errors"], []),
]


def wrong(write):
    """What a start would refuse, or take for something else, is told with its place."""
    os.chmod(write("wrong/token", SECRET + "\n"), 0o600)
    for name, file, text, told, absent in WRONG:
        path = write("wrong/" + file, text)
        shown = run(["config", "check", path], env={"TOKEN_A": SECRET, "TOKEN_B": SECRET + "2"})
        case(f"wrong: {name}", expect(shown, 0 if "0 errors" in told else 1, out=told, absent=absent))


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
        wrong(write)
        secrets_unseen(write, json.loads(schema.stdout))
        inject([["config", "check", good]])
    finish()


main()
