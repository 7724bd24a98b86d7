# SPDX-License-Identifier: Apache-2.0
"""An MCP server of a few lines for the transcripts: its answers are bytes, so that what is passed on can be compared."""

import json
import sys
import threading
import time

TOOLS = """[
{"name":"exact","description":"Gives a result with odd numbers and members that nobody knows.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"x.example/a":1.50},"future":[1e2,{"b":1,"a":2}]},
{"name":"slow","description":"Tells its progress and waits until it is cancelled.","inputSchema":{"type":"object","properties":{"wait":{"type":"boolean"}}},"annotations":{"readOnlyHint":true}},
{"name":"refuse","description":"Says no to everything.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"picture","description":"Draws a very small picture.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"big","description":"Gives a long list of rows.","inputSchema":{"type":"object","properties":{"rows":{"type":"integer"}}},"annotations":{"readOnlyHint":true}}]""".replace("\n", "")

EXACT = '{"_meta":{"x.example/n":12345678901234567890,"z":1.0},"content":[{"type":"text","text":"\\u00e9 \\/","annotations":{"priority":0.10}}],"structuredContent":{"b":12345678901234567890,"a":1.0,"tiny":1e-400},"future":{"k":[1.20,-0]},"isError":false}'

lock = threading.Lock()


def say(text):
    with lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def result(message, value):
    say('{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(message["id"]), value))


def call(message):
    params = message["params"]
    name, args = params["name"], params.get("arguments", {})
    if name == "exact":
        result(message, EXACT)
    elif name == "refuse":
        result(message, '{"content":[{"type":"text","text":"No."}],"isError":true}')
    elif name == "picture":
        result(message, '{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}')
    elif name == "big":
        rows = [{"row": i, "text": "x" * 40} for i in range(args.get("rows", 2000))]
        result(message, json.dumps({"content": [], "structuredContent": {"rows": rows, "count": len(rows)}}))
    else:
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"total":3}}' % json.dumps(token))
            time.sleep(0.2)  # npm's SDK loses progress that comes together with the answer
        if not args.get("wait"):
            result(message, '{"content":[{"type":"text","text":"done"}]}')


for line in sys.stdin:
    m = json.loads(line)
    method = m.get("method")
    if method == "initialize":
        result(m, '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"backend","version":"1"}}')
    elif method == "tools/list":
        result(m, '{"tools":%s}' % TOOLS)
    elif method == "tools/call":
        call(m)
    elif method == "ping":
        result(m, "{}")
    elif "id" in m and method:
        say('{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}' % json.dumps(m["id"]))
