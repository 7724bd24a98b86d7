#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verbatim.py ERA CARRIER FILE: an MCP server whose texts are bytes that somebody else can compare. Its tools are those of FILE, which has
the text of an array, as they stand there. `fuzz` gives the result of a seed (odd_json.py), `back` what came to it, `notify` says something
that nobody knows before its result; every other tool gives the bytes of its arguments. ERA is legacy or modern, CARRIER stdio or http
(then the first line says the port)."""

import http.server
import json
import sys

import odd_json

ERA, CARRIER, FILE = sys.argv[1:4]
VERSION = "2026-07-28" if ERA == "modern" else "2025-11-25"
DONE = '"resultType":"complete",' if ERA == "modern" else ""
CAN = '{"tools":{},"resources":{},"prompts":{}}'
NOTICE = '{"z":1.50,"a":[12345678901234567890,"\\u00e9\\/"], "b" :{}}'
CACHE = '"ttlMs":60000,"cacheScope":"public",' if ERA == "modern" else ""
PAGE = 300  # a list of all would be longer than a line may be
with open(FILE, encoding="utf-8") as file:
    TOOLS = odd_json.items(file.read())


heard = []  # notifications that nobody knows


def call(raw):
    params = odd_json.slices(odd_json.slices(raw)["params"])
    name, args = json.loads(params["name"]), params.get("arguments", "{}")
    if name == "fuzz":
        return odd_json.result(json.loads(args)["seed"]), []
    if name == "heard":
        return '{%s"content":[{"type":"text","text":%s}]}' % (DONE, json.dumps("".join(heard))), []
    if name == "notify":
        return '{%s"content":[]}' % DONE, ['{"jsonrpc":"2.0","method":"notifications/x.example/odd","params":%s}' % NOTICE]
    text = json.dumps(raw if name == "back" else args)
    return '{%s"content":[{"type":"text","text":%s}]}' % (DONE, text), []


def answer(raw):
    """The result as text, and what is said before it; None: there is none."""
    m = json.loads(raw)
    method = m.get("method")
    if "id" not in m or "method" not in m:
        if "x.example" in m.get("method", ""):
            heard.append(raw)
        return None, []
    if method == "server/discover" and ERA == "modern":
        return '{%s"supportedVersions":["%s"],"capabilities":%s,"serverInfo":{"name":"verbatim","version":"1"}}' % (DONE, VERSION, CAN), []
    if method == "initialize" and ERA == "legacy":
        return '{"protocolVersion":"%s","capabilities":%s,"serverInfo":{"name":"verbatim","version":"1"}}' % (VERSION, CAN), []
    if method == "tools/list":
        at = int(m.get("params", {}).get("cursor", 0))
        more = ',"nextCursor":"%d"' % (at + PAGE) if at + PAGE < len(TOOLS) else ""
        meta, rest = odd_json.BESIDE[min(at, 1)]
        return '{%s%s"tools":[%s],"_meta":{%s},%s%s}' % (DONE, CACHE, ",".join(TOOLS[at:at + PAGE]), meta, rest, more), []
    if method in odd_json.LISTS:
        return '{%s%s%s}' % (DONE, CACHE, odd_json.page(method, m.get("params", {}).get("cursor"))), []
    if method == "tools/call":
        return call(raw)
    return False, []


def message(raw):
    value, before = answer(raw)
    if value is None:
        return "", before
    rpc_id = odd_json.slices(raw)["id"]
    if value is False:
        return '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}' % rpc_id, before
    return '{"jsonrpc":"2.0","id":%s,"result":%s}' % (rpc_id, value), before


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
        text, before = message(raw)
        stream = bool(before)
        if stream:
            text = "".join(f"data: {one}\n\n" for one in [*before, text])
        body = text.encode()
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if CARRIER == "http":
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    print(web.server_address[1], flush=True)
    web.serve_forever()
for line in sys.stdin:
    reply, first = message(line)
    sys.stdout.write("".join(one + "\n" for one in [*first, *([reply] if reply else [])]))
    sys.stdout.flush()
