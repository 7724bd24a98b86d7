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


# What a server says beside its lists, page by page: members of `_meta`, and other members. Of those that two pages have the first counts.
BESIDE = [('"x.example/n": 1.50,"a":[12345678901234567890,{ "z":1, "a":2 }],"\\u00e9":"\\/"', '"future" :  {"b":1e400,"a":-0.0}'),
          ('"a":"of the second page","y.example/late":0.10', '"future":2,"later":[ ]')]
LISTS = {
    "resources/list": ("resources", [
        '{ "uri":"file:///a%20b", "name":"a","size":12345678901234567890,"_meta":{"z":1.0,"a":[]},"odd":1.50}',
        '{"name":"\\u0062","uri":"file:\\/\\/\\/b"}', '{"uri":"x.example:c","name":"c","annotations":{"priority":0.50}}']),
    "resources/templates/list": ("resourceTemplates", ['{"uriTemplate":"x.example:{id}","name":"t", "odd":{"b":1,"a":2.0}}']),
    "prompts/list": ("prompts", [
        '{"name":"p","arguments":[{"required":true,"name":"q","odd":1.0}],"_meta":{}}', '{"name":"o", "title":"\\u00e9"}',
        '{"description":"","name":"n"}']),
}


def page(method, cursor):
    """A page of two of such a list, as members of the result: `_meta`, the things, the rest."""
    key, all_of_it = LISTS[method]
    at = int(cursor or 0)
    meta, rest = BESIDE[min(at, 1)]
    more = ',"nextCursor":"%d"' % (at + 2) if at + 2 < len(all_of_it) else ""
    return '"_meta":{%s},"%s":[%s],%s%s' % (meta, key, " , ".join(all_of_it[at:at + 2]), rest, more)


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
