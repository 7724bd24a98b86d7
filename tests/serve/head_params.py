#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arguments that are mirrored in headers (2026-07-28): what must be there, and what must not (M01 to M14). Speaks TAP."""

import http.client
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_site import Site, is_it  # noqa: E402
from command_line import case, finish  # noqa: E402

R, C, D, Z = "Mcp-Param-Region", "Mcp-Param-Count", "Mcp-Param-Dry", "Mcp-Param-Zone"
# a name, the arguments, the fields, whether it is fine
ROWS = [
    ("no arguments, no fields", {}, [], True),
    ("a text", {"region": "eu"}, [(R, "eu")], True),
    ("the name in other letters", {"region": "eu"}, [("mcp-param-REGION", "eu")], True),
    ("blanks around it", {"region": "eu"}, [(R, "  eu ")], True),
    ("a text in base64", {"region": "\u00e9t\u00e9"}, [(R, "=?base64?w6l0w6k=?=")], True),
    ("M01 missing", {"region": "eu"}, [], False),
    ("M02 another value", {"region": "eu"}, [(R, "us")], False),
    ("M03 other letters", {"region": "eu"}, [(R, "EU")], False),
    ("M04 twice", {"region": "eu"}, [(R, "eu"), (R, "eu")], False),
    ("M04 twice, and one is wrong", {"region": "eu"}, [(R, "us"), (R, "eu")], False),
    ("M05 there, and no argument", {}, [(R, "eu")], False),
    ("M05 there, and null", {"region": None}, [(R, "null")], False),
    ("M06 base64 of another value", {"region": "eu"}, [(R, "=?base64?dXM=?=")], False),
    ("M06 base64 without padding", {"region": "Hello"}, [(R, "=?base64?SGVsbG8?=")], False),
    ("M06 base64 with other characters", {"region": "Hello"}, [(R, "=?base64?SGVs!!!bG8=?=")], False),
    ("M06 a beginning of base64 is itself", {"region": "=?base64?eu"}, [(R, "=?base64?eu")], True),
    ("a number", {"count": 42}, [(C, "42")], True),
    ("M07 42.0 is 42", {"count": 42}, [(C, "42.0")], True),
    ("M07 4.2e1 is 42", {"count": 42}, [(C, "4.2e1")], True),
    ("M07 42 is 42.0", {"count": 42.0}, [(C, "42")], True),
    ("M08 another number", {"count": 42}, [(C, "43")], False),
    ("M08 nearly", {"count": 9007199254740991}, [(C, "9007199254740990")], False),
    ("M08 no number", {"count": 42}, [(C, "0x2a")], False),
    ("M08 a text is no number", {"region": "42"}, [(R, "42.0")], False),
    ("true", {"dry": True}, [(D, "true")], True),
    ("M09 true and false", {"dry": True}, [(D, "false")], False),
    ("M09 1 is not true", {"dry": True}, [(D, "1")], False),
    ("below another", {"in": {"zone": "a"}}, [(Z, "a")], True),
    ("M10 below another, missing", {"in": {"zone": "a"}}, [], False),
    ("all of them", {"region": "eu", "count": 1, "dry": False, "in": {"zone": "a"}}, [(R, "eu"), (C, "1"), (D, "false"), (Z, "a")], True),
    ("M11 one of all", {"region": "eu", "count": 1, "dry": False, "in": {"zone": "a"}}, [(R, "eu"), (C, "1"), (Z, "a")], False),
    ("M12 a control character in base64", {"region": "e\x01u"}, [(R, "=?base64?ZQF1?=")], True),
    ("a field that means nothing", {"region": "eu"}, [(R, "eu"), ("Mcp-Param-Other", "x")], True),
]
site = Site("modern")
for name, args, fields, fine in ROWS:
    c, r = site.ann.send(site.ann.message("tools/call", {"name": "mirrored", "arguments": args}), more=fields)
    body = json.loads(r.read())
    c.close()
    got = (r.status, body.get("error", {}).get("code"))
    case(name, is_it(got, (200, None) if fine else (400, -32020)))

# ---- what is refused whatever the arguments are: a name, fields in place of those that a client sends, more of them, what comes of it ----

VERSION = "MCP-Protocol-Version"
HEADS = [
    ("as it should be", {}, [(R, "eu")], (200, None)),
    ("M12 a control character", {}, [(R, "e\x01u")], (400, None)),
    ("M12 a NUL", {}, [(R, "eu\x00")], (400, None)),
    ("M13 another version than the body's", {VERSION: "2025-11-25"}, [(R, "eu")], (400, -32020)),
    ("M13 a version that nobody speaks", {VERSION: "2099-01-01"}, [(R, "eu")], (400, -32020)),
    ("M13 no version", {VERSION: None}, [(R, "eu")], (400, -32020)),
    ("M13 the version twice", {}, [(VERSION, "2025-11-25"), (R, "eu")], (400, -32020)),
    ("M13 the version twice, the same", {}, [(VERSION, "2026-07-28"), (R, "eu")], (400, -32020)),
    ("M14 another method than the body's", {"Mcp-Method": "tools/list"}, [(R, "eu")], (400, -32020)),
    ("M14 no method", {"Mcp-Method": None}, [(R, "eu")], (400, -32020)),
    ("M14 another tool than the body's", {"Mcp-Name": "echo"}, [(R, "eu")], (400, -32020)),
    ("M14 the method twice", {}, [("Mcp-Method", "tools/list"), (R, "eu")], (400, -32020)),
    ("M14 the tool twice", {}, [("Mcp-Name", "echo"), (R, "eu")], (400, -32020)),
    ("M14 an older version, and what only the newer one has", {VERSION: "2025-11-25", "Mcp-Name": "echo"}, [(R, "us")], (400, -32020)),
]


def sent_with(site, fields, more):
    m = site.ann.message("tools/call", {"name": "mirrored", "arguments": {"region": "eu"}})
    body = json.dumps(m).encode()
    head = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + site.ann.token,
            VERSION: "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mirrored", "Content-Length": str(len(body)), **fields}
    c = http.client.HTTPConnection("127.0.0.1", site.port, timeout=40)
    c.putrequest("POST", "/mcp")
    for name, value in [*head.items(), *more]:
        if value is not None:
            c.putheader(name, value)
    c.endheaders(body)
    r = c.getresponse()
    text = r.read()
    c.close()
    try:
        return r.status, json.loads(text).get("error", {}).get("code")
    except ValueError:
        return r.status, None


for name, fields, more, want in HEADS:
    case(name, is_it(sent_with(site, fields, more), want))

# An older client names its session, and the version that it has agreed on.
older = site.client("ann", modern=False)
older.open()
for name, more, want in (("one session", [], 200), ("a session twice", [("Mcp-Session-Id", older.session)], 404), ("M13 an older version twice", [(VERSION, "2025-11-25")], 400)):
    c, r = older.send(older.message("ping", {}), more=more)
    case(f"older client: {name}", is_it(r.status, want))
    c.close()
case("the end", is_it(site.end(), 0))
finish()
