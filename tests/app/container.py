#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runtime container, with podman's API on a socket of its own and images that are made here: values, tools, what a program
cannot do, limits, and that no container is left. Speaks TAP; skipped where podman, runc or the rights for containers are missing."""

import http.client
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

from command_line import FERRULE, case, expect, finish, run, skip
from stdio_client import Client

folder = tempfile.mkdtemp(prefix="ferrule-container-")
os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
SOCKET = os.path.join(folder, "api.sock")
PODMAN = ["podman", "--root", os.path.join(folder, "S"), "--runroot", os.path.join(folder, "R"), "--cgroup-manager", "cgroupfs",
          "--events-backend", "file", "--runtime", "runc"]
PYTHON = "/usr/bin/python3"
daemon = None


# ---- the API


class Api(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(SOCKET)


def ask(method, path, body=None, kind="application/json"):
    c = Api("docker")
    try:
        c.request(method, "/v1.40" + path, body, {"Content-Type": kind} if body else {})
        answer = c.getresponse()
        return answer.status, answer.read()
    finally:
        c.close()


def containers():
    """All that are there, whatever they do."""
    return [c["Id"][:12] for c in json.loads(ask("GET", "/containers/json?all=true")[1])]


def wait_until(true, seconds):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def begin():
    """Starts podman's API; why it cannot be, or None."""
    global daemon
    busybox = shutil.which("busybox")
    missing = [p for p in ("podman", "runc") if not shutil.which(p, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
    if missing or not busybox:
        return " and ".join(missing or ["busybox"]) + " missing"
    if b"not a dynamic executable" not in subprocess.run(["ldd", busybox], capture_output=True).stderr:
        return "busybox is not static"
    if os.geteuid() != 0:
        return "containers are made by root here"
    daemon = subprocess.Popen([*PODMAN, "system", "service", "--time", "0", "unix://" + SOCKET], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=open(os.path.join(folder, "log"), "wb"))
    if not wait_until(lambda: daemon.poll() is not None or os.path.exists(SOCKET), 20) or daemon.poll() is not None:
        return "podman does not serve its API: " + open(os.path.join(folder, "log")).read()[-200:].replace("\n", " ")
    make_image("shell", [])
    status, body = ask("POST", "/containers/create", json.dumps(
        {"Image": "localhost/shell:latest", "Cmd": ["/bin/sh", "-c", "exit 5"], "HostConfig": {"NetworkMode": "none",
         "Ulimits": [{"Name": n, "Soft": 64, "Hard": 64} for n in ("nofile", "nproc")]}}))
    if status != 201:
        return f"podman makes no container: {body[:200]}"
    name = json.loads(body)["Id"]
    status, body = ask("POST", f"/containers/{name}/start")
    ended = ask("POST", f"/containers/{name}/wait")[1] if status == 204 else b""
    ask("DELETE", f"/containers/{name}?force=true")
    return None if b'"StatusCode":5' in ended else f"podman runs no container: {(body or ended)[:200]}"


def end():
    """Ends what was started, by its ID, and removes its files."""
    if daemon and daemon.poll() is None:
        daemon.terminate()
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
    for name in ("S/overlay", "S") if daemon else ():
        subprocess.run(["umount", "-l", os.path.join(folder, name)], capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


# ---- images


def libraries(program):
    """What the loader maps for it."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return [w for line in said.splitlines() for w in line.split() if w.startswith("/")]


def python_files():
    """The python of the system with the part of its library that programs here use."""
    said = subprocess.run([PYTHON, "-I", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"], capture_output=True, text=True)
    stdlib = said.stdout.strip()
    packages = ("__pycache__", "collections", "encodings", "importlib", "json", "re", "lib-dynload")
    names = [n for n in os.listdir(stdlib) if n.endswith(".py") or n in packages]
    return [PYTHON, os.path.realpath(PYTHON), *libraries(PYTHON), *(os.path.join(stdlib, n) for n in names)]


def make_image(name, paths):
    """busybox and these files of the machine, each at its place."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for d in ("bin", "etc", "proc", "sys", "dev", "tmp", "run"):
            info = tarfile.TarInfo(d)
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(info)
        busybox = tar.gettarinfo(os.path.realpath(shutil.which("busybox")), "bin/busybox")
        with open(shutil.which("busybox"), "rb") as f:
            tar.addfile(busybox, f)
        for applet in ("sh", "cat", "sleep", "ls", "grep", "dd", "touch", "id", "true", "echo"):
            info = tarfile.TarInfo("bin/" + applet)
            info.type, info.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(info)
        for path in dict.fromkeys(paths):
            tar.add(path if path.endswith("/python3") else os.path.realpath(path), path.lstrip("/"))
    status, body = ask("POST", f"/images/create?fromSrc=-&repo=localhost/{name}&tag=latest", out.getvalue(), "application/x-tar")
    if status != 200:
        raise RuntimeError(f"no image {name}: {body[:300]}")


# ---- programs


def put(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def configure(name="code.yaml", api=SOCKET):
    of = f"kind: container, socket: {api}"
    return put(name, f"""code:
  allowDegraded: true
  runtimes:
    sh: {{{of}, image: localhost/shell, command: [/bin/sh, -c]}}
    python: {{{of}, image: localhost/python, command: [{PYTHON}], helper: python}}
    nothing: {{{of}, image: localhost/no-such-image, command: [/bin/sh, -c]}}
    lost: {{{of}, image: localhost/shell, command: [/bin/no-such-interpreter]}}
    process: {{kind: process, command: [{PYTHON}], helper: python}}
""")


def only_sh(api):
    return put("only.yaml", f"code:\n  allowDegraded: true\n  runtimes:\n    sh: {{kind: container, socket: {api}, image: localhost/shell, command: [/bin/sh, -c]}}\n")


def execute(code, *words, runtime="python", config=None):
    return run(["exec", "-C", config or configure(), "-r", runtime, *words, put("program", code)])


def whole(*a, **k):
    r = execute(*a, "--json", **k)
    try:
        return json.loads(r.stdout)
    except ValueError:
        return {"value": None, "toolCalls": [], "backend": {}, "limitsEnforced": {}, "bad": r.stdout + r.stderr}


def absent_rows():
    """Where the API is not there, it is said."""
    stale = os.path.join(folder, "stale.sock")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(stale)
    for name, api, said in [
        ("no socket", os.path.join(folder, "none.sock"), "no API of podman or docker is at"),
        ("a file that is no socket", put("plain.sock", ""), "no API of podman or docker is at"),
        ("a socket that nobody serves", stale, "cannot make a container"),
    ]:
        config = configure("absent.yaml", api)
        case(f"API: {name}", expect(execute("1", runtime="sh", config=config), 1, [], ["BackendUnavailable", said]))
    r = whole("1", runtime="sh", config=configure("absent.yaml", os.path.join(folder, "none.sock")))
    backend = r.get("error", {}).get("details", {}).get("backend", {})
    case("API: the runtime is a stub without it", [] if backend.get("readiness") == "stub" else [str(r)])
    for name, runtime, said in [
        ("an image", "{kind: container, command: [sh]}", 'has an "image"'),
        ("no binds", "{kind: container, image: a, command: [sh], binds: [/opt]}", 'has no "binds"'),
        ("its image alone", "{kind: process, image: a, command: [sh]}", 'kind process has no "image"'),
        ("its socket alone", "{kind: unsafe, socket: /a, command: [sh]}", 'kind unsafe has no "socket"'),
        ("a socket that is a path", "{kind: container, image: a, command: [sh], socket: run/podman.sock}", "socket"),
    ]:
        config = put("bad.yaml", "code:\n  runtimes:\n    c: " + runtime + "\n")
        case(f"configuration: it has {name}", expect(run(["exec", "-C", config, put("program", "1")]), 2, [], [said]))


class Fake(threading.Thread):
    """An API that answers as it is told: `odd` has answers for (method, part of the path) in place of the usual ones; None: the
    connection ends instead. Before it removes what is not its own, c1, `pause` seconds pass."""

    def __init__(self, odd, head=0, pause=0):
        super().__init__(daemon=True)
        self.odd, self.head, self.pause, self.seen = odd, head, pause, []
        self.path = tempfile.mktemp(prefix="fake-", suffix=".sock", dir=folder)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(50)
        self.start()

    def run(self):
        while True:
            try:
                c = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=[c], daemon=True).start()

    def serve(self, c):
        f = c.makefile("rb")
        while True:
            line = f.readline().decode()
            if not line:
                return
            length = 0
            for field in iter(lambda: f.readline().decode().strip(), ""):
                length = int(field.split(":")[1]) if field.lower().startswith("content-length") else length
            f.read(length)
            method, path = line.split()[:2]
            what = path.split("?")[0].rsplit("/", 1)[-1]
            self.seen.append("LIST" if "/containers/json" in path else f"{method} {what}")
            if "/attach" in path:
                return self.attach(c)
            if method == "DELETE" and "/c1" not in path:
                time.sleep(self.pause)
            status, body = self.answer(method, path)
            if status is None:
                return c.shutdown(socket.SHUT_RDWR)
            try:
                c.sendall(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            except OSError:
                return  # it was more than is wanted

    def answer(self, method, path):
        usual = [("POST", "/create", 201, '{"Id":"c1","Warnings":[]}'), ("POST", "/start", 204, ""), ("POST", "/wait", 200, '{"StatusCode":0}'),
                 ("GET", "/containers/json", 200, "[]"), ("GET", "/json", 200, '{"State":{"OOMKilled":false}}'), ("DELETE", "/c1", 204, "")]
        for m, part, answers in self.odd:
            if m == method and part in path and answers:
                return answers.pop(0)
        return next(((status, body) for m, part, status, body in usual if m == method and part in path), (404, "{}"))

    def attach(self, c):
        """A head of so many bytes, then what a program prints."""
        head = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nX-Pad: %s\r\n\r\n"
        c.sendall((head % ("p" * max(self.head - len(head) + 2, 1))).encode())
        wait_until(lambda: "POST start" in self.seen, 20)
        said = b'hi\n{"op":"out","value":5}\n'
        try:
            c.sendall(b"\1\0\0\0" + len(said).to_bytes(4, "big") + said)
            c.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it was given up


REFUSES = (409, '{"message":"removal is in progress"}')


def fake_rows():
    """What an API may do that is at the edge or wrong."""
    for name, odd, head, exit_code, out, err, removes in [
        ("as it should be", [], 0, 0, ["hi\n5"], [], 1),
        ("container.head", [], 16 << 10, 0, ["hi\n5"], [], 1),
        ("container.head + 1", [], (16 << 10) + 1, 1, [], ["too long a head"], 1),
        ("container.removes", [("DELETE", "/c1", [REFUSES] * 4)], 0, 0, ["5"], [], 5),
        ("container.removes + 1", [("DELETE", "/c1", [REFUSES] * 9)], 0, 0, ["5"], [], 5),
        ("no container is made", [("POST", "/create", [(500, '{"message":"the disk is full"}')])], 0, 1, [], ["BackendUnavailable", "the disk is full"], 0),
        ("an answer that is no JSON", [("POST", "/create", [(201, "made it")])], 0, 1, [], ["cannot make a container"], 0),
        ("an answer without an ID", [("POST", "/create", [(201, "{}")])], 0, 1, [], ["cannot make a container"], 0),
        ("it does not start", [("POST", "/start", [(500, '{"message":"no such runtime"}')])], 0, 1, [], ["cannot start a container", "no such runtime"], 1),
        ("how it ended is not told", [("POST", "/wait", [(500, "{}")])], 0, 1, [], ["how the container ended"], 1),
        ("killed for its memory", [("POST", "/wait", [(200, '{"StatusCode":137}')]), ("GET", "/c1/json", [(200, '{"State":{"OOMKilled":true}}')])], 0, 1, [], ["ResourceLimit", "memory"], 1),
        ("a list of containers that is none", [("GET", "/containers/json", [(200, "[[{")])], 0, 0, ["5"], ["container.unswept", "InvalidJson"], 1),
        ("no list of containers", [("GET", "/containers/json", [(500, "{}")])], 0, 0, ["5"], ["container.unswept", "answers 500"], 1),
    ]:
        api = Fake(odd, head)
        r = execute("x", runtime="sh", config=configure("fake.yaml", api.path))
        said = expect(r, exit_code, out, err)
        count = sum(1 for s in api.seen if s == "DELETE c1")
        case(f"a false API: {name}", said + ([] if count == removes else [f"{count} times removed, not {removes}: {api.seen}"]))
        api.listener.close()
    api = Fake([("POST", "/create", [(201, '{"Id":"c1","Warnings":["no memory limit support"]}')])])
    r = whole("x", runtime="sh", config=configure("fake.yaml", api.path))
    case("a false API: what it warns of is said not to be held", [] if r["limitsEnforced"]["memoryBytes"]["enforced"] is False else [str(r)[:600]])


def list_of(count, size=0, room=None):
    """Containers of a gateway that is gone; the first has a program of so many bytes, or of as many as make the list so long."""
    with open("/proc/sys/kernel/random/boot_id") as f:
        mark = f"{f.read().strip()}.{os.stat('/proc/self/ns/pid').st_ino}.4194305.5"
    made = [{"Id": f"d{i}", "Command": [""], "Labels": {"ferrule": "code", "ferrule.gateway": mark}} for i in range(count)]
    made[0]["Command"] = ["x" * (size if room is None else room - len(json.dumps(made)))]
    return json.dumps(made)


def false_sweep_rows():
    """What is removed of what others left, and for how long that is waited for."""
    most = 16 << 20
    for name, listed, removed, err in [
        ("nothing is left", "[]", 0, None),
        ("a list with long programs", list_of(3, 3 << 20), 3, None),
        ("container.list", list_of(3, room=most), 3, None),
        ("container.list + 1", list_of(3, room=most + 1), 0, "container.unswept"),
    ]:
        api = Fake([("GET", "/containers/json", [(200, listed)])])
        p = subprocess.Popen([FERRULE, "serve", "--stdio", "--attach", "never", "-C", only_sh(api.path)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seen = wait_until(lambda: "LIST" in api.seen and sum(s.startswith("DELETE d") for s in api.seen) >= removed, 20)
        said = p.stderr.readline().decode() if err else ""
        p.stdin.close()
        p.stdout.read()
        said += p.stderr.read().decode()
        code = p.wait(60)
        case(f"sweep, a false API: {name}", [] if seen and code == 0 and said.count("container.unswept") == bool(err) else [str(code), said[-500:], str(api.seen)])
        api.listener.close()
    api = Fake([("GET", "/containers/json", [(200, list_of(1000))])], pause=0.1)
    began = time.monotonic()
    r = execute("x", runtime="sh", config=only_sh(api.path))
    took, removed = time.monotonic() - began, sum(s.startswith("DELETE d") for s in api.seen)
    case("sweep, a false API: a command that has run its program does not wait for all", expect(r, 0, ["5"], [])
         + ([] if removed < 500 and took < 50 else [f"{removed} removed in {took} s"]))
    api.listener.close()
    api = Fake([("GET", "/containers/json", [(None, ""), (200, list_of(2))])])
    c = Client(only_sh(api.path))
    first = wait_until(lambda: "LIST" in api.seen, 20)
    values = [c.call(n, "execute_code", code="x", runtime="sh").get("structuredContent", {}).get("value") for n in (1, 2)]
    again = wait_until(lambda: {"DELETE d0", "DELETE d1"} <= set(api.seen), 20)
    case("sweep, a false API: what got no answer is asked again with the next run, and then no more",
         [] if first and again and values == [5, 5] and api.seen.count("LIST") == 2 else [str(values), str(api.seen)])
    case("sweep, a false API: the end", [] if c.close() == 0 else ["it failed"])
    api.listener.close()


SHELL = """echo '{"id":"a","op":"run","tool":"text:count","args":{"text":"a b"}}'
read -r answer
echo "got $answer"
echo '{"op":"out","value":[1, 2]}'
"""
SAME = """found = tools.search("count the words of a text", limit=3)
sum = 0
for i in range(20): sum += tools.run(found[0]["id"], text="x " * i)["words"]
{"tool": found[0]["id"], "sum": sum, "big": 9007199254740993}"""
STATUS = "for f in NoNewPrivs CapEff CapBnd CapPrm Seccomp; do grep $f: /proc/self/status; done; id -u"


def shell_rows():
    for name, code, exit_code, out, err in [
        ("a tool by plain lines", SHELL, 0, ['got {"id":"a","result":{"characters":3,"words":2', "[1,2]"], []),
        ("what is printed", "echo a; echo b >&2", 0, ["a\n"], ["b\n"]),
        ("the exit code", "exit 7", 1, [], ["ToolFailed", "exit code 7"]),
        ("no rights", STATUS, 0, ["NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "65534"], []),
        ("no network but its own", "grep -c : /proc/net/dev", 0, ["1\n"], []),
        ("the root is read-only", "touch /bin/x /etc/x /x", 1, [], ["Read-only file system", "exit code 1"]),
        ("its folder can be written", "pwd; echo 5 > f; cat f", 0, ["/work\n5\n"], []),
        ("what it writes is bounded", "dd if=/dev/zero of=f bs=1048576 count=64", 1, [], ["No space left"]),
        ("a program that is as long as it may be", "echo ends #".ljust(96 << 10, "x"), 0, ["ends\n"], []),
        ("a program that is longer", "echo ends #".ljust((96 << 10) + 1, "x"), 2, [], ["container.code: the program has 98305 bytes"]),
        ("a line that is none ends the run", "echo '{\"op\":\"fly\"}'; sleep 50", 1, [], ["line"]),
    ]:
        case(f"sh: {name}", expect(execute(code, runtime="sh"), exit_code, out, err))
    case("sh: cannot be checked", expect(execute("1", "--check", runtime="sh"), 2, [], ["cannot be checked"]))
    case("an image that is not there", expect(execute("1", runtime="nothing"), 1, [], ["BackendUnavailable", "no-such-image"]))
    case("an interpreter that is not there", expect(execute("1", runtime="lost"), 1, [], ["BackendUnavailable", "no-such-interpreter"]))


def python_rows():
    here, there = whole(SAME), whole(SAME, runtime="process")
    seen = [(r["value"], [(c["tool"], c["status"], c["args"]) for c in r["toolCalls"]]) for r in (here, there)]
    case("python: 20 calls in a loop, as by process", [] if seen[0] == seen[1] and len(seen[0][1]) == 20 and seen[0][0]["sum"] == 190
         else [str(here)[:600], str(there)[:600]])
    case("python: the backend", [] if here["backend"].get("kind") == "container" and here["backend"]["details"]["image"] == "localhost/python"
         else [str(here)[:600]])
    held = here["limitsEnforced"]
    case("python: each limit says by what it is held", [] if len(held) == 9 and all(v["enforced"] and v["by"] for v in held.values()) else [str(held)])
    for name, code, exit_code, out, err in [
        ("what is printed, in order", "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\n1 + 1", 0, ["a\nc\n2"], ["b\n"]),
        ("an error of a tool", "x = 1\ntools.text.count(txt=1)", 1, [], ["program:2:", "ToolError: `text` is required"]),
        ("no network", "import socket\nsocket.create_connection(('1.1.1.1', 80), 2)", 1, [], ["OSError"]),
        ("no way to more rights", "import os\nos.setuid(0)", 1, [], ["PermissionError"]),
    ]:
        case(f"python: {name}", expect(execute(code), exit_code, out, err))
    case("python: check", expect(execute("tools.text.count(text='')\ntools['a']['b']({})", "--check"), 1,
         ["program:1:1: text:count\n", "a:b: there is no such tool"], []))


def limit_rows():
    for name, code, limits, err in [
        ("memory", "a = []\nwhile True: a.append(bytearray(1 << 20))", "memoryBytes=67108864", ["ResourceLimit"]),
        ("CPU", "while True: pass", "cpuMs=1000", ["ResourceLimit", "CPU time"]),
        ("time", "import time\ntime.sleep(500)", "timeMs=3000", ["Timeout", "timeMs"]),
        ("time of one that does not listen", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(500)", "timeMs=3000", ["Timeout"]),
        ("processes", "import os\nfor i in range(99):\n    if os.fork() == 0: os.read(os.pipe()[0], 1)", "processes=8", ["BlockingIOError"]),
    ]:
        case(f"limits: {name}", expect(execute(code, "--limits", limits), 1, [], err))
        case(f"limits: {name}: no container is left", [] if wait_until(lambda: not containers(), 5) else [str(containers())])


def sweep_rows():
    """What a gateway leaves that is killed goes with the next one; what others have stays."""
    began = []
    for number in range(2):
        p = subprocess.Popen([FERRULE, "exec", "-C", configure(), "-r", "sh", put(f"sleeps{number}", "echo begun; sleep 600")],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        began.append((p, p.stdout.readline(), set(containers())))
    mine = [began[0][2], began[1][2] - began[0][2]]
    began[0][0].kill()
    began[0][0].wait()
    case("sweep: a gateway that is killed leaves its container", [] if len(mine[0]) == 1 and mine[0] <= set(containers()) else [str(began), str(containers())])
    r = execute("echo 1", runtime="sh")
    case("sweep: the next one removes it", expect(r, 0, ["1"], []) + ([] if wait_until(lambda: not mine[0] & set(containers()), 20) else [str(containers())]))
    case("sweep: that of one that runs stays", [] if len(mine[1]) == 1 and mine[1] <= set(containers()) and began[1][0].poll() is None else [str(containers())])
    began[1][0].kill()
    began[1][0].wait()
    p = subprocess.Popen([FERRULE, "serve", "--stdio", "--attach", "never", "-C", configure()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    case("sweep: serving sweeps when it starts", [] if wait_until(lambda: not mine[1] & set(containers()), 20) else [str(containers())])
    p.stdin.close()
    p.stdout.read()
    case("sweep: and ends", [] if p.wait(60) == 0 else [str(p.returncode)])


def main():
    why = begin()
    absent_rows()
    fake_rows()
    false_sweep_rows()
    if why:
        skip("containers", why)
        return
    shell_rows()
    sweep_rows()
    if os.path.exists(PYTHON):
        make_image("python", python_files())
        python_rows()
        limit_rows()
    else:
        skip("python in containers", "no python3 of the system")
    case("no container is left", [] if wait_until(lambda: not containers(), 5) else [str(containers())])


try:
    main()
finally:
    end()
finish()
