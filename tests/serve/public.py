#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferrule serve for others than this machine: TLS, hosts and origins, clients of the configuration, what it refuses to do,
limits of the configuration. Speaks TAP."""

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from command_line import FERRULE, case, expect, finish, run, skip  # noqa: E402

from web_rig import TOKEN, Server, home, same, until  # noqa: E402

with open(os.path.join(HERE, "tools.yaml"), encoding="utf-8") as file:
    base = file.read().replace("${workspaceFolder}", HERE)


def config(name, serve):
    path = os.path.join(home.name, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(base + "serve: " + json.dumps(serve) + "\n")
    return path


# ---- what it refuses to do

SET = {"HOME": home.name, "XDG_CONFIG_HOME": "", "FERRULE_TOKEN": "t"}
plain = config("plain.yaml", {})
for name, words, err in [
    ("no TLS", ["--listen", "0.0.0.0:0"], "--tls-cert"), ("no token", ["--listen", "0.0.0.0:0", "--no-token"], "no --no-token"),
    ("no TLS, IPv6", ["--listen", "[::]:0"], "--tls-cert"), ("half of TLS", ["--tls-cert", "x"], "belong together"),
    ("no such certificate", ["--listen", "0", "--tls-cert", "/nowhere", "--tls-key", "/nowhere"], "/nowhere"),
    ("a host that is none", ["--listen", "0", "--allow-host", "https://x"], "https://x"), ("an origin that is none", ["--listen", "0", "--allow-origin", "x"], "x"),
    ("the null origin", ["--listen", "0", "--allow-origin", "null"], "null"), ("a client over HTTP", ["--client", "x"], "--stdio"),
    ("a client that nobody knows", ["--stdio", "--client", "x"], "has no x"),
]:
    case("refused: " + name, expect(run(["serve", "--config", plain, *words], env=SET), 2, [], [err]))
case("refused by the configuration too", expect(run(["serve", "--config", config("far.yaml", {"listen": "0.0.0.0:0"})], env=SET), 2, [], ["--tls-cert"]))

# ---- hosts and origins

s = Server("--allow-host", "gw.example:8443", "--allow-origin", "https://app.example", config=plain)


def status(host, origin=None):
    return s.ask("GET", "/metrics", headers={"Host": host, "Origin": origin})[0]


for name, host, origin, want in [
    ("its own", f"127.0.0.1:{s.port}", None, 200), ("one that is allowed", "gw.example:8443", None, 200), ("in capitals", "GW.EXAMPLE:8443", None, 200),
    ("another port", "gw.example:8444", None, 403), ("no port", "gw.example", None, 403), ("one below it", "x.gw.example:8443", None, 403),
    ("one behind it", "gw.example:8443.evil", None, 403), ("an origin that is allowed", "gw.example:8443", "https://app.example", 200),
    ("its scheme", "gw.example:8443", "http://app.example", 403), ("its port", "gw.example:8443", "https://app.example:1", 403),
    ("the host as an origin", "gw.example:8443", "https://gw.example:8443", 403), ("an evil host from a good origin", "evil.example", "https://app.example", 403),
]:
    same("host and origin: " + name, status(host, origin), want)
same("it ends", s.end(), 0)

# ---- clients of the configuration, over HTTP and stdio

path = config("clients.yaml", {"mode": "meta", "clients": {
    "phone": {"token": "secretref:env:PHONE", "scopes": ["namespace:local"], "mode": "tools", "tenant": "home"},
    "desk": {"token": "secretref:env:DESK", "expose": ["local:*"]}}})
more = {"FERRULE_TOKEN": TOKEN, "PHONE": "p-token", "DESK": "d-token"}
s = Server(config=path, env=more)
names = {who: [t["name"] for t in json.loads(s.modern("tools/list", token=shown)[2])["result"]["tools"]]
         for who, shown in (("operator", TOKEN), ("phone", "p-token"), ("desk", "d-token"))}
same("each client sees its own", (len(names["operator"]), names["phone"], "nap" in names["desk"] and "search_tools" in names["desk"]), (7, ["nap"], True))
same("no other token", s.modern("tools/list", token="secretref:env:PHONE")[0], 401)
same("it ends", s.end(), 0)
ask = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}\n'
got = run(["serve", "--stdio", "--config", path, "--client", "phone"], stdin=ask, env=dict(SET, **more))
same("and over stdio", [t["name"] for t in json.loads(got.stdout)["result"]["tools"]], ["nap"])
case("a token that is not there", expect(run(["serve", "--config", path, "--listen", "0"], env=SET), 2, [], ["PHONE"]))

# ---- TLS

if shutil.which("openssl"):
    key, cert = os.path.join(home.name, "key.pem"), os.path.join(home.name, "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], capture_output=True, check=True)
    os.chmod(key, 0o600)
    tls = config("tls.yaml", {"listen": "0.0.0.0:0", "tls": {"cert": "cert.pem", "key": "key.pem"}, "allowHosts": ["gw.example"]})
    s = Server(config=tls, listen=None)
    same("https is said", s.said.split()[1].startswith("https://0.0.0.0:"), True)
    trust = ssl.create_default_context(cafile=cert)

    def over_tls(context, host="gw.example"):
        c = http.client.HTTPSConnection("127.0.0.1", s.port, timeout=30, context=context)
        c.request("GET", "/metrics", headers={"Authorization": "Bearer " + TOKEN, "Host": host})
        answer = c.getresponse().status
        c.close()
        return answer

    same("over TLS", over_tls(trust), 200)
    same("another host", over_tls(trust, "evil.example"), 403)
    for name, version, want in [("TLS 1.2", ssl.TLSVersion.TLSv1_2, 200), ("TLS 1.1", ssl.TLSVersion.TLSv1_1, None)]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cert)
        context.set_ciphers("ALL:@SECLEVEL=0")
        try:
            context.minimum_version = context.maximum_version = version
            got = over_tls(context)
        except (ssl.SSLError, OSError, ValueError):
            got = None
        same(name, got, want)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cert)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AES128-SHA:AES256-SHA:@SECLEVEL=0")
    try:
        got = over_tls(context)
    except (ssl.SSLError, OSError):
        got = None
    same("a cipher of old", got, None)
    c = socket.create_connection(("127.0.0.1", s.port), 30)
    c.sendall(b"GET /healthz HTTP/1.1\r\nHost: gw.example\r\n\r\n")
    same("plain HTTP", b"200" in c.recv(65536), False)
    c.close()
    same("it ends", s.end(), 0)

    # What goes out over TLS: why not, and whom to trust. Each certificate is at a port of its own.
    def make(name, subject, past=False):
        """A certificate that vouches for itself."""
        where = os.path.join(home.name, name)
        os.makedirs(where)
        subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "csr.pem", "-subj", "/CN=" + subject],
                       cwd=where, capture_output=True, check=True)
        with open(os.path.join(where, "ca.conf"), "w", encoding="utf-8") as out:
            out.write("[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nx509_extensions=x\n"
                      f"[p]\ncommonName=supplied\n[x]\nsubjectAltName=DNS:{subject}\n")
        with open(os.path.join(where, "index"), "w", encoding="utf-8"), open(os.path.join(where, "serial"), "w", encoding="utf-8") as out:
            out.write("01\n")
        subprocess.run(["openssl", "ca", "-batch", "-selfsign", "-config", "ca.conf", "-keyfile", "key.pem", "-in", "csr.pem", "-out", "cert.pem", "-notext",
                        "-startdate", "20200101000000Z", "-enddate", "20200201000000Z" if past else "20490101000000Z"], cwd=where, capture_output=True, check=True)
        return os.path.join(where, "cert.pem"), os.path.join(where, "key.pem")

    def peer(pair):
        """Somebody who speaks TLS, or not, and nothing else."""
        listener = socket.create_server(("127.0.0.1", 0))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if pair else None
        if pair:
            context.load_cert_chain(*pair)

        def answer():
            while True:
                c = listener.accept()[0]
                try:
                    if context:
                        context.wrap_socket(c, server_side=True).close()
                    else:
                        c.recv(4096)
                        c.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                        c.close()
                except OSError:
                    pass
        threading.Thread(target=answer, daemon=True).start()
        return f"https://localhost:{listener.getsockname()[1]}/mcp"

    good, other, past = make("good", "localhost"), make("other", "elsewhere.example"), make("past", "localhost", past=True)
    for name, pair, trusted, want in [
        ("an issuer that nobody knows", good, None, "is of an issuer that is not trusted here; for one of your own, SSL_CERT_FILE names"),
        ("another name", other, other[0], "its certificate is for another name"),
        ("one that has expired", past, past[0], "has expired"),
        ("no TLS at all", None, None, "no TLS could be agreed on"),
        ("a file that is not there", good, "/nowhere.pem", "the certificates to trust cannot be read (SSL_CERT_FILE"),
    ]:
        got = run(["call", "--server", peer(pair), "x"], env=dict(SET, **({"SSL_CERT_FILE": trusted} if trusted else {})))
        case(f"TLS outwards: {name}", expect(got, 1, [], ["no secure connection (TLS) could be made: ", want]))
    os.chmod(good[1], 0o600)
    s = Server(config=config("own.yaml", {"listen": "127.0.0.1:0", "tls": {"cert": good[0], "key": good[1]}}), listen=None)
    words = ["call", "--server", f"https://localhost:{s.port}/mcp", "--token", "secretref:env:FERRULE_TOKEN", "search_tools", "query=nap"]
    case("a certificate of one's own is trusted by SSL_CERT_FILE", expect(run(words, env=dict(SET, FERRULE_TOKEN=TOKEN, SSL_CERT_FILE=good[0])), 0, ["nap"]))
    hashed = os.path.join(home.name, "hashed")
    os.makedirs(hashed)
    shutil.copy(good[0], hashed)
    subprocess.run(["openssl", "rehash", hashed], capture_output=True, check=True)
    case("and by SSL_CERT_DIR", expect(run(words, env=dict(SET, FERRULE_TOKEN=TOKEN, SSL_CERT_DIR=hashed)), 0, ["nap"]))
    far = os.path.join(home.name, "far-server.yaml")
    with open(far, "w", encoding="utf-8") as out:
        json.dump({"mcpServers": {"gw": {"url": f"https://localhost:{s.port}/mcp", "headers": {"Authorization": "Bearer secretref:env:FERRULE_TOKEN"}}}}, out)
    case("for servers, too", expect(run(["servers", "--config", far], env=dict(SET, FERRULE_TOKEN=TOKEN, SSL_CERT_FILE=good[0])), 0, ["gw\tmcp-http\tup"]))
    case("which say what is wrong without", expect(run(["servers", "--config", far], env=dict(SET, FERRULE_TOKEN=TOKEN)), 1, ["is of an issuer that is not trusted here"]))
    s.end()
    os.chmod(key, 0o644)
    case("a key that others may read", expect(run(["serve", "--config", tls], env=SET), 2, [], ["chmod 600"]))
else:
    skip("TLS", "there is no openssl")

# ---- clients: at the limit the session that was idle for longest makes room

s = Server(config=config("sessions.yaml", {"limits": {"clients": 3}, "clients": {"other": {"token": "secretref:env:OTHER"}}}), env={"FERRULE_TOKEN": TOKEN, "OTHER": "other"})


def ping(session, **more):
    return s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Mcp-Session-Id": session}, **more)[0]


one, two, three = [s.session()[0] for _ in range(3)]
same("three clients are there", [ping(x) for x in (two, three, one)], [200, 200, 200])
four, status, _ = s.session()
same("the fourth takes the place of the one that was idle for longest", (status, [ping(x) for x in (one, two, three, four)]), (200, [200, 404, 200, 200]))
same("a request that stands alone does, too", (s.modern("tools/list")[0], [ping(x) for x in (one, three, four)]), (200, [404, 200, 200]))
five = s.session()[0]
streams = [s.ask("GET", "/mcp", None, {"Mcp-Session-Id": x}, raw=True) for x in (three, four, five)]
same("all have an open stream", [r.status for _, r in streams], [200, 200, 200])
refused = s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                                                             "clientInfo": {"name": "t", "version": "1"}}})
same("nobody makes room who listens", (refused[0], refused[1].get("retry-after"), s.modern("tools/list")[0]), (503, "1", 503))
streams[0][0].close()
same("until one goes", until(lambda: s.session()[1] == 200), True)
same("that one's place is taken", (ping(three), ping(four), ping(five)), (404, 200, 200))
for c, _ in streams[1:]:
    c.close()
s.end()
s = Server(config=config("sessions.yaml", {"limits": {"clients": 3}, "clients": {"other": {"token": "secretref:env:OTHER"}}}), env={"FERRULE_TOKEN": TOKEN, "OTHER": "other"})
mine, theirs = s.session()[0], [s.session(token="other")[0] for _ in range(2)]
theirs.append(s.session(token="other")[0])
same("who has sessions of its own gives one of them, however long others were idle",
     (ping(mine), [ping(x, token="other") for x in theirs]), (200, [404, 200, 200]))
s.end()

# ---- limits of the configuration: at them, and one past them

s = Server(config=config("limits.yaml", {"limits": {"bodyBytes": 1000, "headBytes": 2000, "fields": 20, "uriBytes": 100, "asks": 2, "clients": 3, "addressConnections": 4,
                                                   "headMs": 500, "sessionMs": 2000, "resultBytes": 100}}))


def with_body(size):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x"})
    return s.ask("POST", "/mcp", body + " " * (size - len(body)))[0]


same("bodyBytes", (with_body(1000), with_body(1001)), (400, 413))
same("uriBytes", (s.ask("GET", "/" + "a" * 99)[0], s.ask("GET", "/" + "a" * 100)[0]), (404, 414))
same("fields", (s.ask("GET", "/healthz", headers={f"X-{i}": "1" for i in range(15)})[0], s.ask("GET", "/healthz", headers={f"X-{i}": "1" for i in range(30)})[0]), (200, 431))
same("headBytes", (s.ask("GET", "/healthz", headers={"X": "a" * 1500})[0], s.ask("GET", "/healthz", headers={"X": "a" * 2000})[0]), (200, 431))
c = socket.create_connection(("127.0.0.1", s.port), 30)
c.sendall(b"GET / HTTP/1.1\r\n")
same("headMs", b"408" in c.recv(65536), True)
c.close()
sessions = [s.session() for _ in range(3)]
same("sessionMs", until(lambda: s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Mcp-Session-Id": sessions[0][0]})[0] == 404 if time.sleep(2.5) is None else 0, 30), True)
r = json.loads(s.modern("tools/call", {"name": "run_tool", "arguments": {"id": "b:big"}})[2])["result"]["structuredContent"]
same("resultBytes", "cut" in r and len(json.dumps(r["result"])) < 1000, True)
held = []
for _ in range(5):
    c = socket.create_connection(("127.0.0.1", s.port), 30)
    c.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % s.port)
    held.append(c)
answers = [c.recv(65536).split(b" ")[1:2] for c in held]
same("addressConnections", (answers.count([b"200"]) >= 4, answers[-1] in ([b"503"], [b"200"])), (True, True))
for c in held:
    c.close()
same("it ends", s.end(), 0)
finish()
