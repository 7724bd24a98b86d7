# SPDX-License-Identifier: Apache-2.0
"""JSON as text, made by a seed: numbers no double holds, escapes, blanks, members that nobody knows. And where values end in a text."""

import json
import random

NUMBERS = ["0", "-0", "0.0", "-0.0", "1.0", "1e2", "1E+2", "1e-400", "1e400", "12345678901234567890", "-9223372036854775808", "9007199254740993",
           "0.1000", "3.141592653589793238462643383279", "100000000000000000000000000000000000001", "1.7976931348623157e309", "5e-324"]
PIECES = ["a", "Z", "\\u00e9", "é", "\\/", "/", "\\\\", '\\"', "\\n", "\\t", "\\b", "\\f", "\\r", "\\u0000", "\\u001F", "\\ud83d\\ude00", "😀", "\\u2028", " ", "  ",
          "<b>", "&amp;", "{}", "[1,2]", "null", "\\u0041", "ß", "\\uFFFE", "日本", ":", ","]
_decoder = json.JSONDecoder()


def text(r, most=8):
    return '"' + "".join(r.choice(PIECES) for _ in range(r.randrange(most))) + '"'


def blank(r):
    return r.choice(["", "", "", "", " ", "\t", "  "])


def members(r, depth, first=()):
    """An object with these members among others, keys all different."""
    out, seen = list(first), {k for k, _ in first}
    for _ in range(r.randrange(4)):
        key = text(r, 4)
        plain = json.loads(key)
        if plain not in seen and plain not in ("content", "structuredContent", "isError", "resultType", "_meta", "type", "text", "tools"):
            seen.add(plain)
            out.insert(r.randrange(len(out) + 1), (key, value(r, depth + 1)))
    parts = []
    for key, v in out:
        name = key if key.startswith('"') else json.dumps(key)
        parts.append(f"{blank(r)}{name}{blank(r)}:{blank(r)}{v}{blank(r)}")
    return "{" + ",".join(parts) + "}"


def value(r, depth=0):
    kind = r.randrange(8 if depth < 5 else 6)
    if kind < 2:
        return text(r)
    if kind < 4:
        return r.choice(NUMBERS) if r.random() < 0.6 else repr(r.uniform(-1e9, 1e9))
    if kind < 6:
        return r.choice(["true", "false", "null", "{}", "[]", "[ ]", "{\t}"])
    if kind == 6:
        return "[" + ",".join(blank(r) + value(r, depth + 1) + blank(r) for _ in range(r.randrange(4))) + "]"
    return members(r, depth)


def result(seed):
    """The result of a call, as a server would write it that is in no hurry to be like others."""
    r = random.Random(seed)
    blocks = [members(r, 3, [("type", '"text"'), ("text", text(r, 30))]) for _ in range(r.randrange(4))]
    first = [("content", "[" + ",".join(blocks) + "]")]
    if r.random() < 0.6:
        first.append(("structuredContent", members(r, 1)))
    if r.random() < 0.3:
        first.append(("_meta", members(r, 2)))
    if r.random() < 0.2:
        first.append(("isError", "false"))
    r.shuffle(first)
    return members(r, 0, first)


def slices(raw):
    """The members of an object in a text, each as the text that it has."""
    out, at = {}, raw.index("{") + 1
    while True:
        while raw[at] in " \t\r\n,":
            at += 1
        if raw[at] == "}":
            return out
        key, at = _decoder.raw_decode(raw, at)
        while raw[at] in " \t\r\n:":
            at += 1
        from_ = at
        _, at = _decoder.raw_decode(raw, at)
        out[key] = raw[from_:at]


def items(raw):
    """The items of an array in a text."""
    out, at = [], raw.index("[") + 1
    while True:
        while raw[at] in " \t\r\n,":
            at += 1
        if raw[at] == "]":
            return out
        from_ = at
        _, at = _decoder.raw_decode(raw, at)
        out.append(raw[from_:at])
