# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running it, on a terminal too and while calls fail,
looking at what it says, and TAP."""

import os
import pty
import re
import subprocess
import sys

FERRULE, FAULTS, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])  # some rows run in other folders
number = failures = 0


def case(name, problems):
    global number, failures
    number += 1
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for p in problems:
        print(f"#   {p}")
    failures += bool(problems)
    sys.stdout.flush()


def skip(name, why):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {why}")


def run(args, stdin="", env=None, program=FERRULE, cwd=None):
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    return subprocess.run([program, *args], input=data, capture_output=True, cwd=cwd or SOURCE, timeout=60,
                          env=dict(os.environ, **(env or {})))


def expect(result, code, out=(), err=(), absent=()):
    """What differs from the expectation; texts are looked for as they are."""
    stdout, stderr = result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")
    problems = []
    if result.returncode != code:
        problems.append(f"exit {result.returncode}, not {code}: {(stdout + stderr)[-300:]!r}")
    problems += [f"stdout lacks {t!r}: {stdout[:300]!r}" for t in out if t not in stdout]
    problems += [f"stderr lacks {t!r}: {stderr[:300]!r}" for t in err if t not in stderr]
    problems += [f"output holds {t!r}" for t in absent if t in stdout + stderr]
    return problems


def terminal(args, stdin=None):
    """Output of a command whose standard output and error are a terminal."""
    master, slave = pty.openpty()
    child = subprocess.Popen([FERRULE, *args], cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                             env=dict(os.environ, TERM="xterm", COLUMNS="100"))
    os.close(slave)
    chunks = []
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        chunks.append(data)
    child.wait(timeout=60)
    os.close(master)
    return b"".join(chunks).decode(errors="replace")


def points(last):
    """1 to `last`, in an instrumented build, where each run takes ten times as long, further and further apart."""
    n = 1
    while n <= last:
        yield n
        n += 1 + (n // 8 if "FERRULE_INSTRUMENTED" in os.environ else 0)


def inject(commands):
    """Every allocation of the commands fails in turn; calls are short, interrupted or broken."""
    total = 0
    for args in commands:
        good = run(args, program=FAULTS)
        counts = dict(re.findall(r"FI: (\w+) (\d+)", run(args, env={"FI": "count"}, program=FAULTS).stderr.decode()))
        problems = []
        for n in points(int(counts["malloc"])):
            result = run(args, env={"FI": f"malloc@{n}"}, program=FAULTS)
            total += 1
            same = result.returncode == good.returncode and result.stdout == good.stdout
            if not same and not (result.returncode in (2, 70) and b"memory" in result.stdout + result.stderr):
                problems.append(f"malloc@{n}: exit {result.returncode} {result.stderr[-200:]!r}")
        for plan in ("read:short=1@1+", "write:short=1@1+", "read:EINTR@1", "write:EINTR@1", "random@1"):
            result = run(args, env={"FI": plan}, program=FAULTS)
            total += 1
            if (result.returncode, result.stdout) != (good.returncode, good.stdout):
                problems.append(f"{plan}: exit {result.returncode}, other output")
        for plan in ("open:EMFILE@1", "open:EACCES@1", "read:EIO@1", "read:EIO@2"):
            result = run(args, env={"FI": plan}, program=FAULTS)
            total += 1
            if result.returncode not in (2, good.returncode) or (result.returncode == 2 and b"IoError" not in result.stdout + result.stderr):
                problems.append(f"{plan}: exit {result.returncode} {result.stderr[-200:]!r}")
        case(f"faults: {' '.join(args)}", problems)
    print(f"# {total} faults injected through the command line")


def finish():
    print(f"1..{number}")
    sys.exit(1 if failures else 0)
