#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""H01-H25 against a real ferrule serve: requests that two readers could understand differently. Each is refused with its
status, the connection is closed, and a request that is hidden behind it is never answered. Speaks TAP."""

import os
import re
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import finish  # noqa: E402

from web_rig import TOKEN, Server, same  # noqa: E402

s = Server()
HOST = f"Host: 127.0.0.1:{s.port}\r\n"
KNOWN = HOST + f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
POST = "POST /mcp HTTP/1.1\r\n" + KNOWN
GET = "GET /healthz HTTP/1.1\r\n" + HOST
TE = "Transfer-Encoding: chunked\r\n"
HIDDEN = "GET /metrics HTTP/1.1\r\n" + HOST + f"Authorization: Bearer {TOKEN}\r\n\r\n"


def answers(text):
    """The statuses of all answers until the connection is closed, and all that came."""
    c = socket.create_connection(("127.0.0.1", s.port), 30)
    c.settimeout(30)
    c.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))
    data = b""
    try:
        while piece := c.recv(65536):
            data += piece
    except ConnectionResetError:
        pass
    c.close()
    return [int(x) for x in re.findall(rb"HTTP/1\.1 (\d+) ", data)], data


ROWS = [
    ("H01 CL.TE", POST + f"Content-Length: 6\r\n{TE}\r\n0\r\n\r\n" + HIDDEN, [400]),
    ("H02 TE.CL", POST + f"{TE}Content-Length: 4\r\n\r\n5c\r\n" + HIDDEN, [400]),
    ("H03 TE twice", POST + TE + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" + HIDDEN, [501]),
    ("H03 a list of codings", POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + HIDDEN, [501]),
    ("H04 xchunked", POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN, [501]),
    ("H04 a blank before the colon", POST + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN, [400]),
    ("H04 behind a vertical tab", POST + "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n" + HIDDEN, [400]),
    ("H05 two lengths", POST + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc" + HIDDEN, [400]),
    ("H05 the same twice", POST + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc" + HIDDEN, [400]),
    ("H06 +5", POST + "Content-Length: +5\r\n\r\nabcde" + HIDDEN, [400]),
    ("H07 5,5", POST + "Content-Length: 5,5\r\n\r\nabcde" + HIDDEN, [400]),
    ("H08 huge", POST + "Content-Length: 99999999999999999999\r\n\r\n" + HIDDEN, [400]),
    ("H08 past the body's limit", POST + "Content-Length: 9223372036854775808\r\n\r\n" + HIDDEN, [413]),
    ("H09 LF behind the first line", "GET /healthz HTTP/1.1\n" + HOST + "\r\n" + HIDDEN, [400]),
    ("H09 LF for the empty line", GET + "\n" + HIDDEN, [400]),
    ("H09 LF behind a chunk", POST + TE + "\r\n3\r\nabc\n0\r\n\r\n" + HIDDEN, [400]),
    ("H10 CR alone", "GET /healthz HTTP/1.1\r\nHost: a\rX: b\r\n\r\n" + HIDDEN, [400]),
    ("H11 a folded line", GET + "X: a\r\n b\r\n\r\n" + HIDDEN, [400]),
    ("H12 NUL", GET + "X: a\0b\r\n\r\n" + HIDDEN, [400]),
    ("H13 a chunk's extension", POST + TE + "\r\n3;a=b\r\nabc\r\n0\r\n\r\n" + HIDDEN, [400]),
    ("H14 a chunk size past 64 bits", POST + TE + "\r\n1ffffffffffffffff\r\nabc\r\n0\r\n\r\n" + HIDDEN, [400]),
    ("H14 a negative chunk size", POST + TE + "\r\n-3\r\nabc\r\n0\r\n\r\n" + HIDDEN, [400]),
    ("H15 a trailer", POST + TE + "\r\n0\r\nX: y\r\n\r\n" + HIDDEN, [400]),
    ("H16 behind a body that nobody wants", "POST /nothing HTTP/1.1\r\n" + KNOWN + "Content-Length: 3\r\n\r\nabcGARBAGE\r\n\r\n" + HIDDEN, [404, 501]),
    ("H17 a second request behind the first", GET + "\r\n" + GET + "Connection: close\r\n\r\n" + HIDDEN, [200, 200]),
    ("H18 an absolute target", f"GET http://127.0.0.1:{s.port}/healthz HTTP/1.1\r\n" + HOST + "\r\n" + HIDDEN, [400]),
    ("H19 CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + "\r\n" + HIDDEN, [501]),
    ("H20 another expectation", GET + "Expect: 200-ok\r\n\r\n" + HIDDEN, [417]),
    ("H21 an upgrade", GET + "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + HIDDEN, [501]),
    ("H22 HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
    ("H22 HTTP/0.9", "GET /healthz\r\n\r\n", [505]),
    ("H23 two blanks in the first line", "GET  /healthz HTTP/1.1\r\n" + HOST + "\r\n" + HIDDEN, [400]),
    ("H23 an empty line in front", "\r\n" + GET + "\r\n" + HIDDEN, [400]),
    ("H24 no name", GET + ": x\r\n\r\n" + HIDDEN, [400]),
    ("H24 a field that is none", GET + "no colon\r\n\r\n" + HIDDEN, [400]),
    ("H25 no Host", "GET /healthz HTTP/1.1\r\n\r\n" + HIDDEN, [400]),
    ("H25 two Hosts", GET + HOST + "\r\n" + HIDDEN, [400]),
]
for name, request, want in ROWS:
    got, data = answers(request)
    same(name, (got, b"ferrule_mcp_requests_total" in data), (want, False))
same("it still answers", answers(GET + "Connection: close\r\n\r\n")[0], [200])
same("it ends", s.end(), 0)
finish()
