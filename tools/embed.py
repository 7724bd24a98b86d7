#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the meta-schemas of src/schema/meta into one C file: embed.py OUT.c IN.json...
Each text is minified; its rows in the table are its $id and, where no other text has that name, its $schema."""

import json
import sys

DRAFTS = {
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
    "https://json-schema.org/v1": 9999,
}
WIDTH = 96  # characters of a text in one line of C


def members(pairs):
    """An object, or a complaint: a name that comes twice would be dropped in silence."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice in one object: " + ", ".join(name for name, _ in pairs))
    return found


def plain(uri):
    """The URI without an empty fragment."""
    return uri[:-1] if uri.endswith("#") else uri


def literal(text):
    """A C string. JSON and C escape printable ASCII alike."""
    return json.dumps(text)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file, object_pairs_hook=members)
        dialect = plain(schema["$schema"])
        uri = plain(schema.get("$id") or schema["id"])
        text = json.dumps(schema, separators=(",", ":"))
        return {"uri": uri, "dialect": dialect, "draft": DRAFTS[dialect], "text": text}
    except (OSError, ValueError, KeyError) as wrong:
        sys.exit(f"embed.py: {path}: {wrong!r}")


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: embed.py OUT.c IN.json...")
    texts = [read(path) for path in sys.argv[2:]]

    rows = {}
    for index, text in enumerate(texts):
        if text["uri"] in rows:
            sys.exit(f"embed.py: two texts are called {text['uri']}")
        rows[text["uri"]] = index
    for index, text in enumerate(texts):
        rows.setdefault(text["dialect"], index)

    out = ["/* Made by tools/embed.py from src/schema/meta; not to be edited. */", '#include "meta_texts.h"', ""]
    for index, text in enumerate(texts):
        body = text["text"]
        out.append(f"static const char text_{index}[] =")
        out += ["    " + literal(body[at : at + WIDTH]) for at in range(0, len(body), WIDTH)]
        out[-1] += ";"
    out += ["", "static const fer_meta_text table[] = {"]
    for uri, index in sorted(rows.items()):
        out.append(f"    {{{literal(uri)}, {{text_{index}, sizeof(text_{index}) - 1}}, {texts[index]['draft']}u}},")
    out += [
        "};",
        "",
        "const fer_meta_text *fer_meta_texts(size_t *count)",
        "{",
        "    *count = sizeof(table) / sizeof(table[0]);",
        "    return table;",
        "}",
    ]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


main()
