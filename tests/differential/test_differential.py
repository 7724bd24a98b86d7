#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The differential tests in small: each row of the triage list explains its example, the page has the list, and
some thousand pairs agree with Ajv. Speaks TAP. Arguments: build folder, source folder."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import jsontext  # noqa: E402
import peers  # noqa: E402
from judge import Judge  # noqa: E402
from pairs import Group  # noqa: E402
from triage import RULES, table  # noqa: E402

BUILD, SOURCE = sys.argv[1:3]
DATA = os.environ.get("FERRULE_TEST_DATA", os.path.join(SOURCE, "../shared/data"))
SEED, PAIRS = "test", "3000"
number = failures = 0


def case(name, problems):
    global number, failures
    number += 1
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:40]:
        print(f"#   {problem}")
    failures += bool(problems)
    sys.stdout.flush()


def skip(name, why):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {why}")


def page():
    with open(os.path.join(SOURCE, "docs/dev/differential.md"), encoding="utf-8") as file:
        return [] if table() in file.read() else ["docs/dev/differential.md has another table; tests/differential/run --rules prints it"]


def example(judge, rule):
    """The peer differs there, and this row alone says why."""
    dialect, schema, instance = rule.example
    pair = Group(0, rule.name, dialect, jsontext.read(schema), [jsontext.read(instance)])
    ours, told = judge.ours.ask(pair), judge.peer.ask(pair)
    if ours.verdicts == told.verdicts:
        return [f"{rule.peer} and ferrule both say {ours.verdicts}"]
    found = judge.explain(pair, told)
    return [] if found == [rule.name] else [f"explained by {found or 'nothing'}"]


def examples(folder):
    ours = peers.Ferrule(os.path.join(BUILD, "tests/differential/ferrule_verdicts"))
    judges = {peer.name: Judge(ours, peer) for peer in (peers.Ajv(folder), peers.Blaze(folder))}
    judges["ajv"].witness, judges["blaze"].witness = judges["blaze"], judges["ajv"]
    for rule in RULES:
        if rule.example:
            case(f"rule {rule.name}", example(judges[rule.peer], rule))
    for validator in (ours, judges["ajv"].peer, judges["blaze"].peer):
        validator.close()


def agreement(asked):
    done = subprocess.run([sys.executable, os.path.join(HERE, "run"), "--build", BUILD, "--data", DATA, "--peers", asked,
                           "--seed", SEED, "--pairs", PAIRS, "--no-install"], capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    ends = re.fullmatch(PAIRS + r" pairs, \d+ agree, \d+ explained, 0 unexplained", lines[-1] if lines else "")
    return [] if done.returncode == 0 and ends else lines


def missing(folder):
    if not peers.installed(folder):
        return "the npm packages are not there; `make differential` puts them into the build folder"
    try:
        peers.Ajv(folder)
    except peers.Missing as why:
        return str(why)
    return ""


def main():
    folder = os.path.join(BUILD, "peers")
    case("the page has the list", page())
    why = missing(folder)
    if why:
        skip("rules and their examples", why)
    else:
        examples(folder)
    data = os.path.isdir(os.path.join(DATA, "json-schema-test-suite"))
    if data:
        case(f"{PAIRS} pairs: the quick form, the machine and the findings agree", agreement("none"))
    else:
        skip(f"{PAIRS} pairs: the quick form, the machine and the findings agree", "no test data")
    if not why and not data:
        why = "no test data"
    if why:
        skip(f"{PAIRS} pairs", why)
    else:
        case(f"{PAIRS} pairs agree with Ajv, or are explained", agreement("ajv"))
    print(f"1..{number}")
    sys.exit(1 if failures else 0)


main()
