#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule init, ferrule install, and ferrule serve on what the user's clients have. Speaks TAP."""

import json
import os
import re
import stat
import sys
import tempfile
import tomllib

from command_line import FERRULE, SOURCE, case, expect, finish, run

BACKEND = os.path.join(SOURCE, "tests", "serve", "backend.py")
SECRET = "sk-ant-api03-abcdefghijklmnop"
SELF = os.path.realpath(FERRULE)
# client, its file, the key of its servers, what an entry with a URL has (None: it takes none)
CLIENTS = [
    ("claude", ".config/Claude/claude_desktop_config.json", "mcpServers", None),
    ("claude-code", ".claude.json", "mcpServers", {"type": "http", "url": "U", "headers": {"Authorization": "Bearer ${FERRULE_TOKEN}"}}),
    ("cursor", ".cursor/mcp.json", "mcpServers", {"url": "U", "headers": {"Authorization": "Bearer ${env:FERRULE_TOKEN}"}}),
    ("vscode", ".config/Code/User/mcp.json", "servers", {"type": "http", "url": "U", "headers": {"Authorization": "Bearer ${env:FERRULE_TOKEN}"}}),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", {"serverUrl": "U", "headers": {"Authorization": "Bearer ${env:FERRULE_TOKEN}"}}),
    ("zed", ".config/zed/settings.json", "context_servers", None),
    ("gemini", ".gemini/settings.json", "mcpServers", {"httpUrl": "U", "headers": {"Authorization": "Bearer ${FERRULE_TOKEN}"}}),
    ("kiro", ".kiro/settings/mcp.json", "mcpServers", {"url": "U", "headers": {"Authorization": "Bearer ${FERRULE_TOKEN}"}}),
    ("lmstudio", ".lmstudio/mcp.json", "mcpServers", None),
    ("opencode", ".config/opencode/opencode.json", "mcp", {"type": "remote", "url": "U", "headers": {"Authorization": "Bearer {env:FERRULE_TOKEN}"}}),
    ("codex", ".codex/config.toml", "mcp_servers", {"url": "U", "bearer_token_env_var": "FERRULE_TOKEN"}),
]
URL = "http://127.0.0.1:7575/mcp"


def parse(file, text):
    return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


class Home:
    """A home of its own, with files in it."""

    def __init__(self, files=None):
        self.folder = tempfile.TemporaryDirectory()
        self.env = {"HOME": self.folder.name, "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "FERRULE_TOKEN": "", "API_TOKEN": "t"}
        for name, text in (files or {}).items():
            self.put(name, text)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def get(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run(self, *args, env=None):
        return run(list(args), env={**self.env, **(env or {})}, cwd=self.folder.name)


def servers(**entries):
    return json.dumps({"mcpServers": entries}, indent=2)


def backend(**more):
    return {"command": "python3", "args": [BACKEND], **more}


# ---- install, for every client
for client, file, key, remote in CLIENTS:
    home = Home({file: ""})
    os.remove(home.path(file))
    problems = expect(home.run("install", client), 0, [" is now in "])
    got = parse(file, home.get(file))[key]["ferrule"]
    words = ["serve", "--stdio", "--attach", "start"]
    if (got.get("command"), got.get("args")) not in ((SELF, words), ([SELF, *words], None)):
        problems.append(got)
    before = home.get(file)
    problems += expect(home.run("install", client), 0, ["is already in"])
    problems += [] if home.get(file) == before and not os.path.exists(home.path(file + ".bak")) else ["the second time changed something"]
    r = home.run("install", client, "--http", URL)
    if remote is None:
        problems += expect(r, 2, [], ["leave out --http"])
    else:
        want = json.loads(json.dumps(remote).replace('"U"', json.dumps(URL)))
        got = parse(file, home.get(file))[key]["ferrule"]
        problems += expect(r, 0, ["what was there before"]) + ([] if got == want else [got])
        problems += [] if home.get(file + ".bak") == before else ["the backup is not what was there"]
    problems += expect(home.run("install"), 0, [f"{home.path(file)}  (installed)"])
    # Serving what is there: the gateway finds the file, and does not serve itself.
    r = home.run("serve", "--stdio", "--attach", "never")
    problems += expect(r, 0, [], ["found the servers of", "is this gateway itself: it is not served" if remote is None else file])
    problems += expect(home.run("install", client, "--remove"), 0, ["is taken out of"])
    problems += [] if "ferrule" not in parse(file, home.get(file)).get(key, {}) else ["it is still there"]
    problems += expect(home.run("install", client, "--remove"), 0, ["is not in"])
    case(f"install {client}", problems)

# ---- install: what a file may be; the text, and what is expected
COMMENTS = '{\n  // mine\n  "servers": {\n    "a": {"command": "x"}, // first\n  },\n  "other": [1.50, 1e400],\n}\n'
ROWS = [
    ("comments, order and numbers stay", COMMENTS, 0, ["is now in"], [], ["// mine", '"a": {"command": "x"}, // first\n    "ferrule": {', '"other": [1.50, 1e400],\n}\n']),
    ("an empty file", "", 0, ["is now in"], [], ['"servers": {']),
    ("a broken file", '{\n  "servers": {\n    "a": 1\n    "b": 2\n  }\n}\n', 2, [], [":4:5:", "nothing was written"], None),
    ("a list where servers belong", '{"servers": []}', 2, [], [":1:13:", "not an object", "nothing was written"], None),
    ("a key twice", '{"servers": {}, "servers": {}}', 2, [], ["DuplicateKey", "nothing was written"], None),
    ("not an object", "[]", 2, [], ["nothing was written"], None),
]
for name, text, code, out, err, wanted in ROWS:
    home = Home({".config/Code/User/mcp.json": text})
    problems = expect(home.run("install", "vscode"), code, out, err)
    now = home.get(".config/Code/User/mcp.json")
    if wanted is None and now != text:
        problems.append("the file has changed")
    problems += [f"{w!r} is not in {now!r}" for w in wanted or () if w not in now]
    case(f"install: {name}", problems)

# ---- files of other shapes, as they are found
CODEX = 'model = "x"  # mine\n\n[mcp_servers.files]\ncommand = "%s"\nargs = ["%s"]\n\n[mcp_servers.files.env]\nA = "1"\n\n[tui]\ntheme = "dark"\n' % (sys.executable, BACKEND)
home = Home({".codex/config.toml": CODEX})
problems = expect(home.run("install", "codex"), 0, ["is now in"])
problems += [] if home.get(".codex/config.toml").startswith(CODEX) else ["what was there has changed: " + home.get(".codex/config.toml")]
problems += expect(home.run("install", "codex", "--remove"), 0, ["is taken out of"])
problems += [] if parse("x.toml", home.get(".codex/config.toml")) == parse("x.toml", CODEX) else [home.get(".codex/config.toml")]
problems += expect(home.run("servers", "--config", ".codex/config.toml"), 0, ["files", "mcp-stdio"])
case("a file of Codex: the rest of it stays, its servers are served", problems)
home.put(".codex/config.toml", 'model = "x"\n\n[mcp_servers.bad]\nargs = 3\n')
case("what is wrong with one has its line and column", expect(home.run("config", "check", ".codex/config.toml"), 1, [".codex/config.toml:3:14: error: the server needs", ".codex/config.toml:4:8: error: "]))
home.put(".codex/config.toml", "[mcp_servers\n")
case("one that is no TOML", expect(home.run("install", "codex"), 2, [], ["config.toml:1:", "nothing was written"]))
home.put(".codex/config.toml", 'mcp_servers = { ferrule = { command = "x" } }\n')
case("an entry that is written in line", expect(home.run("install", "codex"), 2, [], ["nothing was written"]))
home.put(".config/opencode/opencode.json", json.dumps({"$schema": "x", "theme": "y", "mcp": {"files": {"type": "local", "command": [sys.executable, BACKEND], "environment": {"A": "1"}, "enabled": True},
                                                                                              "off": {"type": "local", "command": ["x"], "enabled": False}}}))
case("a file of opencode", expect(home.run("servers", "--config", ".config/opencode/opencode.json"), 0, ["files", "mcp-stdio"], absent=["off\t"]))
# Claude Code keeps more in its file than servers: past config.size (1 MiB) it is read all the same, a configuration of Ferrule's is not.
big = {"mcpServers": {"files": backend()}, "history": ["x" * 500_000] * 3}
home = Home({".claude.json": json.dumps(big), "big.json": json.dumps({"catalog": "c", "commands": [], "telemetry": {}, "$schema": "y" * 10, "inputs": ["x" * 500_000] * 3})})
case("a client's file past 1 MiB", expect(home.run("serve", "--stdio", "--attach", "never"), 0, [], ["found the servers of Claude Code"], absent=["cannot be used", "config.size"]))
case("a configuration past it", expect(home.run("servers", "--config", "big.json"), 2, [], ["config.size"]))

home = Home({".config/Code/User/mcp.json": COMMENTS})
os.chmod(home.path(".config/Code/User/mcp.json"), 0o600)
r = home.run("install", "vscode", "--dry-run")
problems = expect(r, 0, ["--- ", '+    "ferrule": {', ' // mine'.strip()]) + ([] if home.get(".config/Code/User/mcp.json") == COMMENTS else ["it was written"])
case("install: --dry-run is a diff", problems)
names = [line.split()[0] for line in home.run("install").stdout.decode().splitlines()]
said = " ".join(home.run("help", "install").stdout.decode().split())
case("install: its help names every client", [n for n in names if n not in said] + ([] if len(names) > 10 else names))
problems = expect(home.run("install", "vscode"), 0)
modes = [stat.S_IMODE(os.stat(home.path(".config/Code/User/mcp.json" + end)).st_mode) for end in ("", ".bak")]
problems += [] if modes == [0o600, 0o600] else [f"modes {modes}"]
problems += [] if home.get(".config/Code/User/mcp.json.bak") == COMMENTS else ["another backup"]
home.run("install", "vscode", "--remove")
problems += [] if home.get(".config/Code/User/mcp.json") == COMMENTS else ["not as it was: " + home.get(".config/Code/User/mcp.json")]
problems += [] if os.path.exists(home.path(".config/Code/User/mcp.json.bak.2")) else ["no second backup"]
case("install: rights and backups are kept, --remove leaves what was there", problems)
os.symlink(home.path(".config/Code/User/mcp.json"), home.path("link.json"))
problems = expect(home.run("install", "vscode", "--file", "link.json", "--name", "gate", "--mode", "tools", "--expose", "a:*", "--alone"), 0)
got = json.loads(re.sub(r"//.*|,(?=\s*[}\]])", "", home.get(".config/Code/User/mcp.json")))["servers"]["gate"]
problems += [] if os.path.islink(home.path("link.json")) else ["the link is gone"]
problems += [] if got["args"] == ["serve", "--stdio", "--mode", "tools", "--expose", "a:*"] else [got]
case("install: --file, --name, --mode, --expose, --alone; a link stays", problems)
home.put("ferrule.yaml", "catalog: c\n")
r = home.run("install", "vscode", "--json")
got = json.loads(r.stdout)
case("install: the configuration by its whole path, --json", [] if got["entry"]["args"][-2:] == ["--config", os.path.realpath(home.path("ferrule.yaml"))] and got["done"] == "is now in" else [got])
BAD = [
    ("install: an unknown client", ["install", "cursr"], 2, ["did you mean 'cursor'?"]),
    ("install: two clients", ["install", "cursor", "zed"], 2, ["one client at a time"]),
    ("install: not installed", ["install", "cursor"], 2, ["is Cursor installed?", "--file"]),
    ("install: no URL", ["install", "vscode", "--http", "ftp://x"], 2, ["BadUsage"]),
    ("install: no variable", ["install", "vscode", "--http", URL, "--token-env", "a b"], 2, ["the name of a variable"]),
    ("install: no configuration", ["install", "vscode", "--config", "nothing.yaml"], 2, ["nothing.yaml"]),
    ("install: no name", ["install", "vscode", "--name", ""], 2, ["--name"]),
    ("init: an argument", ["init", "x"], 2, ["--output"]),
    ("init: no such client's file", ["init", "--from", "cursor", "-o", "new.yaml"], 2, ["no file of cursor is there"]),
    ("init: no such file", ["init", "--from", "nothing.json", "-o", "new.yaml"], 2, ["nothing.json"]),
    ("init: never over what is there", ["init"], 2, ["is there already", "--force"]),
    ("init: no such folder", ["init", "-o", "no/such/ferrule.yaml"], 2, ["no/such/ferrule.yaml"]),
]
for name, args, code, err in BAD:
    case(name, expect(home.run(*args), code, [], err))

# ---- init
home = Home({
    ".cursor/mcp.json": servers(files=backend(env={"API_KEY": SECRET, "WHERE": "${HOME}"}, alwaysAllow=["x"]), ferrule={"command": "ferrule", "args": ["serve", "--stdio"]}),
    ".config/Code/User/mcp.json": '{\n  // mine\n  "servers": {\n    "files": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ' + SECRET + '"}},\n  }\n}',
    ".gemini/settings.json": '{"mcpServers": {"bad": {"url": "${input:x}"}, "also": {"command": "true"}}}',
    ".claude.json": "{broken",
})
r = home.run("init", "--dry-run")
problems = expect(r, 0, ["mcpServers:", "files-2:", "also:", "${HOME}", "# commands:"], ["Cursor", "VS Code", "Claude Code", "it cannot be used", "its server is left out"], [SECRET, "alwaysAllow", "bad:"])
case("init: --dry-run prints it, without secrets", problems + ([] if not os.path.exists(home.path("ferrule.yaml")) else ["it was written"]))
r = home.run("init", "-o", "-")
case("init: - is standard output", expect(r, 0, ["mcpServers:"], [], [SECRET]) + [f for f in ("-", "ferrule.yaml", "ferrule.secrets") if os.path.exists(home.path(f))])
problems = expect(home.run("init"), 0, ["servers: 3", "secrets in ferrule.secrets: 2"])
problems += expect(home.run("config", "check"), 0, ["3 servers", "0 errors"])
kept = {name: (home.get("ferrule.secrets/" + name), stat.S_IMODE(os.stat(home.path("ferrule.secrets/" + name)).st_mode)) for name in os.listdir(home.path("ferrule.secrets"))}
problems += [] if kept == {"files.API_KEY": (SECRET + "\n", 0o600), "files-2.Authorization": (SECRET + "\n", 0o600)} else [kept]
problems += [] if stat.S_IMODE(os.stat(home.path("ferrule.secrets")).st_mode) == 0o700 and "Bearer secretref:file:" in home.get("ferrule.yaml") else ["the folder"]
case("init: secrets go into files of their own", problems)
old = home.get("ferrule.yaml")
for name, server, words in [("an option's value", {"command": "x", "args": ["--token", "correct-horse-battery"]}, ["the server s has", "in its args", "by env"]),
                            ("an option with it", {"command": "x", "args": ["--api-key=correct-horse-battery"]}, ["in its args"]),
                            ("by its look", {"command": "x", "args": ["ghp_0123456789abcdefghij"]}, ["in its args"]),
                            ("a URL", {"url": "https://example.com/mcp?a=1&key=ghp_0123456789abcdefghij"}, ["in its URL", "by headers"]),
                            ("a URL, by its name", {"url": "https://example.com/mcp?api_key=correct-horse-battery"}, ["in its URL"])]:
    plain = Home({".cursor/mcp.json": servers(s=server)})
    os.chmod(plain.folder.name, 0o755)  # in a folder of one's own every file is
    problems = expect(plain.run("init"), 0, ["servers: 1"], [*words, "mode 600"])
    problems += [] if stat.S_IMODE(os.stat(plain.path("ferrule.yaml")).st_mode) == 0o600 else ["the mode"]
    problems += expect(plain.run("config", "check"), 0, ["looks like a secret"])
    case(f"init: a secret where no reference can stand: {name}", problems)
for name, server in [("filled in", {"command": "x", "args": ["--token", "${API_TOKEN}"]}), ("a path", {"command": "x", "args": ["--token-file", "/run/token-of-mine"]}),
                     ("a page", {"url": "https://example.com/mcp?page=20&q=keyboards-and-mice"})]:
    plain = Home({".cursor/mcp.json": servers(s=server)})
    os.chmod(plain.folder.name, 0o755)  # in a folder of one's own every file is
    problems = expect(plain.run("init"), 0, ["servers: 1"], absent=["looks like a secret"]) + expect(plain.run("config", "check"), 0, absent=["looks like a secret"])
    case(f"init: no secret: {name}", problems + ([] if stat.S_IMODE(os.stat(plain.path("ferrule.yaml")).st_mode) == 0o644 else ["the mode"]))
problems = expect(home.run("init", "--from", "cursor", "--force", "--json"), 0, ['{"file":"ferrule.yaml","servers":1,"secrets":1}'], ["ferrule.yaml.bak"])
case("init: --force keeps the old one", problems + ([] if home.get("ferrule.yaml.bak") == old else ["another"]))
r = home.run("run", "files:exact")
case("init: what it wrote works at once", expect(r, 0, ["12345678901234567890"]))
text = home.get("ferrule.yaml")
home.put("all.yaml", re.sub(r"(?m)^# ((commands:|apis:|quarantine:|state:|defaults:|telemetry:| ).*)$", r"\1", text.split("mcpServers:")[0].replace("# ", "## ") + "mcpServers:" + text.split("mcpServers:")[1]).replace("openapi: petstore.yaml", f"openapi: {SOURCE}/no-such-document.yaml"))
r = home.run("config", "check", "all.yaml")
case("init: what stands there as remarks is a configuration", expect(r, 0, ["commands, 1 API: 0 errors"]))
looks = Home({".cursor/mcp.json": servers(a={"url": "https://example.com/mcp?api_key=correct-horse-battery"})})
case("init: sentences end", expect(looks.run("init", "--dry-run"), 0, [], ["stands here for all to read. "], absent=["to read Put"]))
empty = Home()
problems = expect(empty.run("init"), 0, ["servers: 0"]) + expect(empty.run("config", "check"), 0, ["0 errors"]) + expect(empty.run("serve", "--stdio"), 0)
case("init: nothing is found", problems)

# ---- init of the file of each client, as that client writes a server

OWN = {"opencode": json.dumps({"mcp": {"files": {"type": "local", "command": [sys.executable, BACKEND], "environment": {"API_KEY": SECRET}}}}),
       "codex": f'model = "x"\n[mcp_servers.files]\ncommand = "{sys.executable}"\nargs = ["{BACKEND}"]\n[mcp_servers.files.env]\nAPI_KEY = "{SECRET}"\n'}
for client, file, key, _ in CLIENTS:
    text = OWN.get(client) or json.dumps({key: {"files": {"command": sys.executable, "args": [BACKEND], "env": {"API_KEY": SECRET}}}})
    home = Home({file: text})
    problems = expect(home.run("init", "--from", client), 0, ["servers: 1", "secrets in ferrule.secrets: 1"])
    problems += expect(home.run("run", "files:exact"), 0, ["12345678901234567890"])
    case(f"init: of {client}", problems + ([home.get("ferrule.yaml")] if problems else []))

# ---- copies of a file: 1,000 of them, and no more
home = Home({".cursor/mcp.json": "{}", **{".cursor/mcp.json.bak" + (f".{i}" if i > 1 else ""): "old" for i in range(1, 1000)}})
problems = expect(home.run("install", "cursor"), 0, ["mcp.json.bak.1000"]) + ([] if home.get(".cursor/mcp.json.bak.1000") == "{}" else ["another text"])
before = home.get(".cursor/mcp.json")
problems += expect(home.run("install", "cursor", "--remove"), 2, [], ["backup.copies: there are 1000 copies"])
case("backup.copies", problems + ([] if home.get(".cursor/mcp.json") == before else ["it was written all the same"]))

# ---- cost of what clients have, where there is no configuration

home = Home({".cursor/mcp.json": servers(files=backend()), ".gemini/settings.json": '{"mcpServers": {"bad": {"url": "${input:x}"}}}'})
for name, words, said in [("cost: of what is found", ["cost", "--json"], "Gemini"), ("cost: of one client", ["cost", "--json", "--from", "cursor"], "Cursor"),
                          ("cost: of a file", ["cost", "--json", "--from", ".cursor/mcp.json"], "")]:
    r = home.run(*words)
    costs = json.loads(r.stdout) if r.returncode == 0 else {}
    dear = [n["bytes"] for n in costs.get("namespaces", [])]
    case(name, expect(r, 0, [], [said]) + ([] if costs and costs["namespaces"][0]["name"] == "files" and costs["namespaces"][0]["tools"] == 5 and
                                           dear == sorted(dear, reverse=True) and costs["meta"]["tokens"] <= 900 else [r.stdout]))
case("cost: two sources", expect(home.run("cost", "--from", "cursor", "--config", "x.yaml"), 2, [], ["exclude each other"]))

# ---- serve without a configuration: one wrong server, one wrong file, itself, and itself once more by a script
home = Home({
    ".cursor/mcp.json": servers(good=backend(), wrong={"url": "${input:x}"}, me={"command": SELF, "args": ["serve", "--stdio"]}),
    ".claude.json": "{broken",
})
hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
ask = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_namespaces","arguments":{}}}\n'
r = run(["serve", "--stdio"], stdin=hello + ask, env=home.env, cwd=home.folder.name)
case("serve: the good servers of found files", expect(r, 0, ['"good"'], ["its server is left out", ".claude.json:1:2: warning: it cannot be used: ", "is this gateway itself"]) + [n for n in ("wrong", "me") if f'"name":"{n}"' in r.stdout.decode()])
home.put("again.sh", f"#!/bin/sh\nexec {SELF} serve --stdio\n")
os.chmod(home.path("again.sh"), 0o755)
home.put(".cursor/mcp.json", servers(good=backend(), loop={"command": home.path("again.sh")}))
r = run(["serve", "--stdio"], stdin=hello + ask, env=home.env, cwd=home.folder.name)
case("serve: no loop through a script", expect(r, 0, ['"good"'], ["loop: BackendUnavailable"]))
r = run(["serve", "--stdio", "--from", home.path(".cursor/mcp.json")], env={**home.env, "X": "1"}, cwd=home.folder.name)
case("serve: a file that is named", expect(r, 0))
home.put(".cursor/mcp.json", servers(good=backend(), wrong={"url": "${input:x}"}))
r = run(["serve", "--stdio", "--from", home.path(".cursor/mcp.json")], env=home.env, cwd=home.folder.name)
case("serve: a file that is named must be right", expect(r, 2, [], ["would ask a user", "has 1 error: ferrule config check tells more"]))
finish()
