#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a service manager is told and what it hands over: sd_notify and LISTEN_FDS, played by this test. Speaks TAP."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from web_rig import CONFIG, TOKEN, case, same, until  # noqa: E402
from command_line import FERRULE, finish  # noqa: E402

folder = tempfile.TemporaryDirectory()
env = dict({k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "LISTEN_", "NOTIFY_"))}, HOME=folder.name, FERRULE_TOKEN=TOKEN)


class Manager:
    """The end that hears: a datagram socket by path or by an abstract name."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        self.socket.settimeout(30)
        self.said = []

    def hear(self, word):
        while not any(word in s for s in self.said):
            try:
                self.said.append(self.socket.recv(4096).decode())
            except TimeoutError:
                return False
        self.said = [s for s in self.said if word not in s]
        return True


def start(extra, given=()):
    """`given`: sockets that it finds from descriptor 3 on."""

    def hand_over():
        for i, s in enumerate(given):
            os.dup2(s.fileno(), 10 + i)
        for i in range(len(given)):
            os.dup2(10 + i, 3 + i)

    # The process number is known to the child alone: a shell says it.
    words = [FERRULE, "serve", "--config", CONFIG, "--attach", "never", *(() if given else ("--listen", "0"))]
    line = "export LISTEN_PID=${WRONG_PID:-$$}; exec \"$@\"" if given else "exec \"$@\""
    return subprocess.Popen(["sh", "-c", line, "sh", *words], env=dict(env, LISTEN_FDS=str(len(given)), **extra) if given else dict(env, **extra), preexec_fn=hand_over, close_fds=not given, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ask(port):
    import http.client
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    c.request("GET", "/healthz")
    r = c.getresponse()
    text = r.read().decode()
    c.close()
    return r.status, text


# ---- telling
for name in (os.path.join(folder.name, "notify"), f"@ferrule-test-{os.getpid()}"):
    m = Manager(name)
    child = start({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "4000000"})
    port = int(child.stdout.readline().rsplit(":", 1)[1].split("/")[0])
    kind = "an abstract name" if name.startswith("@") else "a path"
    case(f"{kind}: it says when it is ready", [] if m.hear("READY=1") else ["it does not"])
    same("and answers then", ask(port), (200, "ok\n"))
    case("how it stands", [] if m.hear("STATUS=serving") else [str(m.said)])
    case("that it lives", [] if m.hear("WATCHDOG=1") else [str(m.said)])
    child.send_signal(signal.SIGHUP)
    case("that it reads its configuration again", [] if m.hear("RELOADING=1") else [str(m.said)])
    case("and is done", [] if m.hear("READY=1") else [str(m.said)])
    child.send_signal(signal.SIGTERM)
    case("that it ends", [] if m.hear("STOPPING=1") else [str(m.said)])
    same("it does", child.wait(60), 0)
    m.socket.close()
child = start({"NOTIFY_SOCKET": "/nowhere/at/all"})
case("a manager that is not there ends nothing", [] if child.stdout.readline() else [child.communicate()[1]])
child.send_signal(signal.SIGTERM)
same("it ends in peace", child.wait(60), 0)

# ---- sockets that are handed over
one = socket.socket()
one.bind(("127.0.0.1", 0))
one.listen()
waiting = socket.create_connection(one.getsockname())  # before anybody is there to answer
waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % one.getsockname()[1])
child = start({}, [one])
said = child.stdout.readline()
same("it listens at the socket that it was given", int(said.rsplit(":", 1)[1].split("/")[0]) if said else child.communicate()[1], one.getsockname()[1])
waiting.settimeout(30)
got = b""
while piece := waiting.recv(4096):
    got += piece
case("who came before it is served", [] if got.startswith(b"HTTP/1.1 200") else [str(got)])
child.send_signal(signal.SIGTERM)
child.wait(60)
again = start({}, [one])
again.stdout.readline()
same("and the next process takes it over", ask(one.getsockname()[1]), (200, "ok\n"))
again.send_signal(signal.SIGTERM)
again.wait(60)
child = start({"WRONG_PID": "1"}, [one])
said = child.stdout.readline()
case("sockets for another process are left alone", [] if said and f":{one.getsockname()[1]}/" not in said or not said else [said])
child.kill()
child.wait()
wide = socket.socket()
wide.bind(("0.0.0.0", 0))
wide.listen()
child = start({}, [wide])
out, err = child.communicate(timeout=60)
case("beyond the loopback without TLS: it does not start", [] if child.returncode == 2 and "--insecure" in err else [f"{child.returncode} {err}"])


def over(kind, where):
    c = socket.socket(kind)
    c.settimeout(30)
    c.connect(where)
    host = "localhost" if kind == socket.AF_UNIX else "127.0.0.1:%d" % where[1]
    c.sendall(f"GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    got = b""
    while piece := c.recv(65536):
        got += piece
    c.close()
    return int(got.split(b" ")[1])


for name in (os.path.join(folder.name, "given"), f"\0ferrule-given-{os.getpid()}"):
    kind = "a name" if name.startswith("\0") else "a file"
    local = socket.socket(socket.AF_UNIX)
    local.bind(name)
    local.listen()
    child = start({}, [local, one])
    said = child.stdout.readline()
    same(f"a Unix socket with {kind}, and one of TCP behind it, which is shown", f":{one.getsockname()[1]}/" in said, True)
    same("this user needs no token at the one", over(socket.AF_UNIX, name), 200)
    same("but at the other", over(socket.AF_INET, one.getsockname()), 401)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    case("where it is, is said", [] if "MCP at the socket " + name.replace("\0", "@") in err else [err])
    child = start({}, [local])
    same("alone it serves, too", over(socket.AF_UNIX, name), 200)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    same("there is no address to show then", (child.returncode, out), (0, ""))
    same("what the manager has made stays", name.startswith("\0") or os.path.exists(name), True)
    local.close()
child = start({}, [one] * 16)
same("16 sockets are taken", bool(child.stdout.readline()), True)
child.kill()
child.communicate()
child = start({}, [one] * 17)
out, err = child.communicate(timeout=60)
case("17 are not", [] if child.returncode and "service.sockets" in err else [f"{child.returncode} {err}"])
file = open(os.path.join(folder.name, "file"), "w")  # noqa: SIM115
child = start({}, [file])
out, err = child.communicate(timeout=60)
case("a descriptor that is no socket is said", [] if child.returncode and "LISTEN_FDS" in err else [f"{child.returncode} {err}"])
finish()
