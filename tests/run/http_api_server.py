#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real HTTP API on the loopback, for tests: the library of tests/app/data/openapi/library.yaml and what else an API
does. Prints its port, serves until standard input ends."""

import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

books = {"1": {"id": "1", "title": "Middlemarch", "pages": 880}}


class Library(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out in two writes, and the second would wait for 40 ms

    def log_message(self, *args):
        pass

    def answer(self, status, value=None, kind="application/json", **fields):
        body = b"" if value is None else value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, text in fields.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode() if length else ""
        path = [urllib.parse.unquote(part) for part in url.path.split("/")[2:]]  # behind /api
        if self.headers.get("X-Key") != "hunter2":
            return self.answer(401, {"message": "no key"})
        if path == ["books"] and self.command == "GET":
            return self.answer(200, [dict(books["1"], title=json.dumps(query, sort_keys=True))])
        if path == ["books"]:
            return self.answer(201, dict(json.loads(body), id="2"))
        if path[0] == "books" and self.command == "GET":
            book = books.get(path[1])
            return self.answer(200, book) if book else self.answer(404, {"error": {"message": f"no book {path[1]}"}})
        if path[0] == "books" and self.command == "DELETE":
            return self.answer(204)
        if path[0] == "books":
            return self.answer(503, {"detail": "later"}, Retry_After="7")
        if path == ["loans", "search"]:
            return self.answer(200, [{"kind": "loan", "book": body + " " + self.headers["Content-Type"]}])
        return self.answer(404, {"message": "nothing here"})

    do_GET = do_POST = do_PUT = do_DELETE = handle_any


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Library)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


main()
