#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training gives the same bytes every time, and on processors without wide registers: train.py PROGRAM"""

import json
import pathlib
import subprocess
import sys
import tempfile

TOPICS = ["weather forecast rain city", "email message recipient send", "stock price market share", "file folder path read",
          "image photo resize picture", "invoice payment customer amount", "calendar event meeting date", "music song artist album"]
KNOWN = ["weather", "rains", "email", "kyoto", "the", "two words", "photo"]
VERBS = ["get", "list", "create", "delete", "update", "search"]


def tools():
    """96 tools, no two alike."""
    for i, topic in enumerate(TOPICS):
        words = topic.split()
        for k, verb in enumerate(VERBS):
            for n in range(2):
                noun = words[(i + k + n) % 4]
                yield {"id": f"t{i}:{verb}{n}", "namespace": f"t{i}", "name": f"{verb}_{noun}_{n}",
                       "description": f"{verb.title()}s the {noun} of a {words[n]}. Needs the {words[3 - n]}.",
                       "inputSchema": {"properties": {words[k % 4]: {"description": f"the {words[(k + 1) % 4]}"}}}}


def vectors(words, numbers=100):
    """Lines of words and numbers that differ from word to word."""
    return "".join(f"{word} {' '.join(str((7 * i + 3 * k) % 400 - 200) for k in range(numbers))}\n" for i, word in enumerate(words))


def run(program, folder, name, *options):
    out = folder / name
    done = subprocess.run([program, "-o", out, *options], capture_output=True, text=True)
    return done.returncode, out.read_bytes() if out.exists() else b"", done.stderr


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        corpus = folder / "tools.jsonl"
        corpus.write_text("".join(json.dumps(t) + "\n" for t in tools()) + "no JSON\n")
        given, short, blanks = folder / "given.txt", folder / "short.txt", folder / "blanks.txt"
        given.write_text(vectors(word for word in KNOWN if " " not in word))
        short.write_text(vectors(["weather"]) + vectors(["rain"], 99))
        blanks.write_text(vectors(KNOWN))
        small = ("--epochs", "3", "--batch", "32")
        code, first, said = run(program, folder, "a", *small, corpus)
        started = run(program, folder, "k", *small, "--start", given, corpus)[1]
        cases = {
            "a model is made": code == 0 and first.startswith(b"FERSTAT\n"),
            "what is no JSON is counted": "1 lines were no JSON" in said,
            "the same bytes again": run(program, folder, "b", *small, corpus)[1] == first,
            "the same bytes without AVX2": run(program, folder, "c", *small, "--plain", "1", corpus)[1] == first,
            "other bytes with other options": run(program, folder, "d", *small, "--rate", "0.1", corpus)[1] not in (b"", first),
            "words from elsewhere": b"kyoto" in started and b"kyoto" not in first,
            "the same bytes from the same start": run(program, folder, "l", *small, "--start", given, corpus)[1] == started,
            "only the most common words": b"kyoto" not in run(program, folder, "m", *small, "--start", given, "--most", "3", corpus)[1],
            "too few numbers": run(program, folder, "n", *small, "--start", short, corpus)[0::2]
            == (70, "ferrule-train: line 2 is not a word and 100 whole numbers\n"),
            "a word of two": run(program, folder, "o", *small, "--start", blanks, corpus)[0] == 70,
            "no start": run(program, folder, "p", *small, "--start", folder / "nowhere", corpus)[0] == 70,
            "too few tools": run(program, folder, "e", "--batch", "128", corpus)[0] == 70,
            "no corpus": run(program, folder, "f", folder / "nowhere")[0] == 70,
            "no file": run(program, folder, "g")[0] == 2,
            "an unknown option": run(program, folder, "h", "--speed", "3", corpus)[0] == 2,
            "a value out of bounds": run(program, folder, "i", "--batch", "5000", corpus)[0] == 2,
            "a batch not of fours": run(program, folder, "j", "--batch", "30", corpus)[0] == 2,
        }
    print(f"1..{len(cases)}")
    for number, (name, held) in enumerate(cases.items(), 1):
        print(f"{'ok' if held else 'not ok'} {number} - {name}")
    return 0 if all(cases.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
