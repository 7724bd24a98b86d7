# SPDX-License-Identifier: Apache-2.0
"""ferrule token: tokens are shown once, kept as hashes, listed and taken back."""

import hashlib
import json
import os
import socket
import stat
import subprocess
import tempfile

from command_line import FERRULE, case, expect, finish, inject, run, terminal

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "here", "tokens.json")

    def token(*arguments):
        return run(["token", arguments[0], "--file", path, *arguments[1:]])

    case("none yet", expect(token("list"), 0) + ([] if token("list").stdout == b"" else ["something is listed"]))
    made = token("new", "laptop")
    secret = made.stdout.decode().strip()
    case("a new one", expect(made, 0, out=["fer_"], err=["only time", path])
         + ([] if len(secret) == 47 else [f"a token of {len(secret)} characters"]))
    text = open(path, encoding="utf-8").read()
    case("its hash is kept, not itself", ([] if hashlib.sha256(secret.encode()).hexdigest() in text else ["no hash"])
         + (["the token is in the file"] if secret[4:] in text else []))
    case("only its owner reads the file", [] if stat.S_IMODE(os.stat(path).st_mode) == 0o600 else ["mode"])
    case("scopes and an end", expect(token("new", "ci", "-s", "namespace:github", "-s", "effect:Pure", "--days", "30"), 0))
    listed = json.loads(token("list", "--json").stdout)["tokens"]
    case("the list", [] if [(t["name"], t["scopes"], "expires" in t) for t in listed] == [
        ("laptop", ["*"], False), ("ci", ["namespace:github", "effect:Pure"], True)] else [str(listed)])
    case("the list as text", expect(token("list"), 0, out=["laptop\t", "\tnever\t*\n", "namespace:github effect:Pure"]))
    case("a name twice", expect(token("new", "laptop"), 2, err=["there is a token 'laptop' already"]))
    case("no name", expect(token("new"), 2, err=["needs a name"]))
    case("a scope that is none", expect(token("new", "x", "-s", "all"), 2, err=["'all' is not a scope", "namespace:NAME"]))
    case("one that opens every tool", expect(token("new", "scrape", "-s", "scope:metrics"), 0, err=["may use every tool", "namespace:none"]))
    made = token("new", "scrape2", "-s", "namespace:none", "-s", "scope:metrics")
    case("one that opens none", expect(made, 0) + (["it is warned of"] if b"every tool" in made.stderr else []))
    case("both away", expect(token("revoke", "scrape", "scrape2"), 0))
    for days in ("0", "-1", "x", "36501"):
        case(f"{days} days", expect(token("new", "x", f"--days={days}"), 2, err=["1 to 36500"]))
    case("nobody's", expect(token("revoke", "ci", "nobody"), 1, err=["no token 'nobody'"]))
    case("all or none", [] if len(json.loads(token("list", "--json").stdout)["tokens"]) == 2 else ["one is gone"])
    case("by its ID", expect(token("revoke", listed[0]["id"]), 0, out=["1 revoked"]))
    case("by its name", expect(token("revoke", "ci"), 0, out=["1 revoked"]))
    case("nothing to revoke", expect(token("revoke"), 2, err=["needs IDs or names"]))
    os.chmod(path, 0o644)
    case("others may read it", expect(token("list"), 1, err=["chmod 600"]))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"format": "ferrule-tokens-1", "tokens": [{}]}')
    os.chmod(path, 0o600)
    case("a broken file", expect(token("list"), 2, err=[path, "token 1 has no 'id'"]))
    os.remove(path)
    case("made again", expect(token("new", "a"), 0))
    shown = terminal(["token", "list", "--color", "never", "--file", path])
    case("a table on a terminal", [] if shown.startswith("ID ") and "SCOPES" in shown.splitlines()[0] else [shown])
    inject([["token", "list", "--file", path]])

    # ---- tokens of ferrule serve, which ends at once where nobody can listen
    busy = socket.socket()
    busy.bind(("127.0.0.1", 0))
    busy.listen()
    home = os.path.join(folder, "home")
    config = os.path.join(folder, "ferrule.yaml")

    def serve(text, own=home, **more):
        with open(config, "w", encoding="utf-8") as file:
            file.write(text)
        env = dict({"HOME": own, "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "", "FERRULE_TOKEN": ""}, **more)
        return run(["serve", "--config", config, "--listen", str(busy.getsockname()[1])], env=env)

    A, B = "a-token-that-is-long-enough", "another-token-that-is-long-enough"
    two = "serve:\n  clients:\n    a: {token: 'secretref:env:A'}\n    b: {token: 'secretref:env:B', scopes: ['namespace:x']}\n"
    case("serve: one token of two clients", expect(serve(two, A=A, B=A), 2, err=['ferrule.yaml:4:5: the client "b" has the same token as "a" in line 3'], absent=[A]))
    case("serve: two tokens", expect(serve(two, A=A, B=B), 2, err=["listens there already"], absent=["same token", "guessed"]))
    case("serve: the operator's token", expect(serve(two, A=A, B=B, FERRULE_TOKEN=B), 2, err=["b has the token of FERRULE_TOKEN"], absent=[B]))
    case("serve: a short token of a client", expect(serve(two, A="x", B=B), 2, err=["the token of a has 1 character and can be guessed"]))
    case("serve: none is made for a start that fails", expect(serve("{}"), 2, err=["listens there already"], absent=["only time"])
         + (["one was made"] if os.path.exists(os.path.join(home, ".config", "ferrule", "tokens.json")) else []))
    busy.close()

    def start(**more):
        """What a gateway says that begins, and is ended."""
        env = dict(os.environ, HOME=home, XDG_CONFIG_HOME="", XDG_RUNTIME_DIR="", XDG_STATE_HOME="", FERRULE_TOKEN="")
        child = subprocess.Popen([FERRULE, "serve", "--config", config, "--listen", "0"], env=dict(env, **more), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = child.stdout.readline()
        child.terminate()
        with child:
            return said + child.stdout.read() + child.stderr.read()

    def told(name, said, words, absent=()):
        case(name, [f"it lacks {w!r}: {said}" for w in words if w not in said] + [f"it has {w!r}" for w in absent if w in said])

    told("serve: a short one of the operator", start(FERRULE_TOKEN="abc"), ["the token of FERRULE_TOKEN has 3 characters and can be guessed", "URL "])
    told("serve: a long one", start(FERRULE_TOKEN=A), ["URL "], ["guessed"])
    told("serve: the first one is shown", start(), ["only time", "Token   fer_"])
    told("serve: nowhere to keep one", start(HOME="/dev/null/x"), ["/dev/null/x/.config", "FERRULE_TOKEN", "--fresh-token"], ["URL "])
finish()
