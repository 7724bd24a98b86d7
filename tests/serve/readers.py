#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""D05: our reader of requests beside those of nginx and of Node, on 2,000 requests that are wrong in some way. We may refuse more; what
either of them refuses as malformed we must not take. A reader that is not installed is left out, and a line says so. Speaks TAP."""

import asyncio
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import case, finish  # noqa: E402

from web_rig import TOKEN, Server, until  # noqa: E402

COUNT = int(os.environ.get("FERRULE_READER_REQUESTS", "2000"))
AT_ONCE = 24
AFTER = 0.2  # seconds in which a connection is closed by who has understood too little
WAIT = 1.5  # seconds; who says nothing by then waits for more, which is neither yes nor no
NODE = "require('http').createServer((q,r)=>{q.resume();q.on('end',()=>r.end('ok'))}).listen(0,'127.0.0.1',function(){console.log(this.address().port)})"
NGINX = """daemon off; worker_processes 1; pid %(folder)s/pid; error_log /dev/null;
events { worker_connections 256; }
http { access_log off; client_body_temp_path %(folder)s/b; proxy_temp_path %(folder)s/p; fastcgi_temp_path %(folder)s/f;
  uwsgi_temp_path %(folder)s/u; scgi_temp_path %(folder)s/s;
  server { listen 127.0.0.1:%(port)d; location / { client_max_body_size 1m; return 200 ok; } } }
"""

# ---- requests -----------------------------------------------------------------------------------

HEAD = "Host: {host}\r\nAuthorization: Bearer " + TOKEN + "\r\nContent-Type: application/json\r\n"
BODY = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
BASES = ["GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n",
         "GET /healthz?a=b HTTP/1.1\r\nHost: {host}\r\nX-One: 1\r\nX-Two: 2\r\n\r\n",
         "POST /mcp HTTP/1.1\r\n" + HEAD + f"Content-Length: {len(BODY)}\r\n\r\n" + BODY,
         "POST /mcp HTTP/1.1\r\n" + HEAD + f"Transfer-Encoding: chunked\r\n\r\n{len(BODY):x}\r\n{BODY}\r\n0\r\n\r\n",
         "POST /mcp HTTP/1.1\r\n" + HEAD + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
         "DELETE /mcp HTTP/1.1\r\n" + HEAD + "Mcp-Session-Id: 0\r\n\r\n"]
ODD = [chr(c) for c in [0, 1, 7, 8, 9, 10, 11, 12, 13, 27, 31, 32, 34, 35, 37, 40, 44, 47, 58, 59, 60, 64, 91, 92, 123, 127, 128, 160, 255]]
LENGTHS = ["+5", "-1", "5,5", "5, 5", "0x10", "5 5", " 5", "", "1e1", "5.0", "99999999999999999999", "18446744073709551616", "٥", "5;a", "\t5", "05", "5\t"]
CODINGS = ["chunked, identity", "identity", "xchunked", "chunked\x0b", "chunked, chunked", "Chunked", " chunked", "gzip, chunked", "chunked;q=1", "\"chunked\"", "chunked,", ",chunked", ""]
HOSTS = ["", "a b", "a,b", "a@b", "a/b", "[::1", "::1", "a:b", "a:99999999", "a\x00b", "a#b", "a?b", "..", "a:80:80"]


def put(text, at, what):
    return text[:at] + what + text[at:]


def head_of(text):
    return text.index("\r\n\r\n") + 2


def insert(r, t):
    return put(t, r.randrange(len(t)), r.choice(ODD))


def replace(r, t):
    at = r.randrange(len(t))
    return t[:at] + r.choice(ODD) + t[at + 1:]


def delete(r, t):
    at = r.randrange(head_of(t))
    return t[:at] + t[at + 1:]


def add_line(r, t):
    line = r.choice([f"Content-Length: {r.choice(LENGTHS)}", f"Content-Length: {r.randrange(99)}", f"Transfer-Encoding: {r.choice(CODINGS)}",
                     f"Host: {r.choice(HOSTS)}", "Transfer-Encoding : chunked", "Content-Length : 5", " folded", "\tfolded", ": none", "no colon", "X\x00: a",
                     "Transfer_Encoding: chunked", "Transfer-Encoding\t: chunked", "Expect: 100-continue", "Upgrade: h2c", "Connection: upgrade", "(x): y"])
    ends = [m.end() for m in re.finditer("\r\n", t[:head_of(t)])]
    return put(t, r.choice(ends), line + r.choice(["\r\n", "\r\n", "\r\n", "\n", "\r"]))


def line_end(r, t):
    at = r.choice([m.start() for m in re.finditer("\r\n", t)])
    return t[:at] + r.choice(["\n", "\r", "\n\r", "\r\r\n", "\r\n ", "\0\r\n", ""]) + t[at + 2:]


def first_line(r, t):
    line, rest = t.split("\r\n", 1)
    method, target, version = line.split(" ")
    method = r.choice([method, method.lower(), method + "\t", " " + method, "G\0T", "", "GE T", "POST:"])
    target = r.choice([target, target + " x", "http://a/", "*", "a", "//", "/\x7f", "/#x", "/%00", "/%zz", "/a\\b", "/ü", "/a?b#c", "\t/", "/a\tb"])
    version = r.choice([version, "HTTP/1.0", "HTTP/1.2", "HTTP/0.9", "HTTP/2.0", "http/1.1", "HTTP/1.1 ", "HTTP/11", "HTTP/1.1\0", "HTTP /1.1", "", "HTTP/01.1", "HTTP/1.01"])
    return r.choice([" ", " ", " ", "  ", "\t"]).join([method, target, version]) + "\r\n" + rest


def chunk(r, t):
    return t.replace("0\r\n\r\n", r.choice(["0\r\nX: y\r\n\r\n", "00\r\n\r\n", "0;a\r\n\r\n", "-0\r\n\r\n", "0 \r\n\r\n", "0x0\r\n\r\n", "g\r\n\r\n", "\r\n0\r\n\r\n", "0\n\n", "0\r\n\n"]), 1)


CHANGES = [insert, insert, replace, delete, add_line, add_line, add_line, line_end, first_line, chunk]


def requests():
    r = random.Random(2026)
    for _ in range(COUNT):
        t = r.choice(BASES)
        for _ in range(r.choice([1, 1, 1, 2])):
            t = r.choice(CHANGES)(r, t) if "\r\n\r\n" in t and t.count(" ", 0, t.index("\r\n")) == 2 else insert(r, t)
        yield t


# ---- readers ------------------------------------------------------------------------------------


async def status_of(port, text):
    """The first status; 0: closed without one, or with one that refuses what came behind; None: it waits."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(text.replace("{host}", f"127.0.0.1:{port}").encode("utf-8" if "٥" in text else "latin-1"))
        line = await asyncio.wait_for(reader.readline(), WAIT)
        found = re.match(rb"HTTP/1\.[01] (\d+)", line)
        if not found:
            return 0
        first = int(found[1])
        try:
            rest = await asyncio.wait_for(reader.read(), AFTER)
        except (asyncio.TimeoutError, TimeoutError):
            return first  # and it would go on
        later = [int(x) for x in re.findall(rb"HTTP/1\.[01] (\d+)", rest)]
        return 0 if later or first >= 400 else first
    except (asyncio.TimeoutError, TimeoutError):
        return None
    except (ConnectionError, OSError):
        return 0
    finally:
        writer.close()


async def ask_all(ports, texts):
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(text):
        async with gate:
            return await asyncio.gather(*(status_of(p, text) for p in ports))
    return await asyncio.gather(*(one(t) for t in texts))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


children, others = [], {}
folder = tempfile.TemporaryDirectory()
nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
if nginx:
    port = free_port()
    with open(os.path.join(folder.name, "nginx.conf"), "w", encoding="utf-8") as file:
        file.write(NGINX % {"folder": folder.name, "port": port})
    children.append(subprocess.Popen([nginx, "-p", folder.name, "-c", os.path.join(folder.name, "nginx.conf")], stderr=subprocess.DEVNULL))
    until(lambda: answers(port))
    if answers(port):
        others["nginx"] = port
if shutil.which("node"):
    children.append(subprocess.Popen(["node", "-e", NODE], stdout=subprocess.PIPE, text=True))
    others["Node"] = int(children[-1].stdout.readline())
for name in ("nginx", "Node"):
    if name not in others:
        print(f"# {name} is not here: nothing is held against it")

# What we answer when a request was not understood, or not let in by its head alone; everything else means that it was taken.
REFUSALS = {0, 400, 401, 403, 408, 411, 413, 414, 415, 417, 421, 431, 500, 501, 505}
s = Server()
texts = list(requests())
seen = asyncio.run(ask_all([s.port, *others.values()], texts))
taken = sum(1 for row in seen if row[0] is not None and row[0] not in REFUSALS)
for at, name in enumerate(others, 1):
    wrong = [f"we say {row[0]} and {name} {row[at]}: {text!r}" for text, row in zip(texts, seen)
             if row[at] in (0, 400, 501, 505) and row[0] is not None and row[0] not in REFUSALS]
    refused = sum(1 for row in seen if row[at] in (0, 400, 501, 505))
    print(f"# {name} refused {refused} of {len(texts)}; we took {taken}")
    case(f"{name}: what it refuses is not taken", wrong[:8] + ([f"and {len(wrong) - 8} more"] if len(wrong) > 8 else []))
case("some are taken, most are not", [] if 0 < taken < len(texts) // 2 else [f"{taken} of {len(texts)}"])
case("it ends", [] if s.end() == 0 else ["badly"])
for child in children:
    child.terminate()
    child.wait()
finish()
