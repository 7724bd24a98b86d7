#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the profiles of src/contract/profiles into one C file: embed-profiles.py OUT.c SCHEMA.json PROFILE.json...
Each text is minified; the table is ordered by name, which must be that of the file."""

import json
import os
import sys

WIDTH = 96  # characters of a text in one line of C


def members(pairs):
    """An object, or a complaint: a name that comes twice would be dropped in silence."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice in one object: " + ", ".join(name for name, _ in pairs))
    return found


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file, object_pairs_hook=members)
    except (OSError, ValueError) as wrong:
        sys.exit(f"embed-profiles.py: {path}: {wrong}")


def lines(document):
    body = json.dumps(document, separators=(",", ":"))
    return ["    " + json.dumps(body[at : at + WIDTH]) for at in range(0, len(body), WIDTH)]


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: embed-profiles.py OUT.c SCHEMA.json PROFILE.json...")
    out = ["/* Made by tools/embed-profiles.py; not to be edited. */", '#include "profile.h"', ""]
    out += ["static const char schema[] =", *lines(read(sys.argv[2]))]
    out[-1] += ";"
    out.append("const fer_str fer_profile_schema_text = {schema, sizeof(schema) - 1};")
    names = []
    for path in sys.argv[3:]:
        profile, name = read(path), os.path.splitext(os.path.basename(path))[0]
        if profile.get("name") != name:
            sys.exit(f"embed-profiles.py: {path} has the name {profile.get('name')!r}")
        out += [f"static const char text_{len(names)}[] =", *lines(profile)]
        out[-1] += ";"
        names.append(name)
    out += ["", "static const fer_profile_text table[] = {"]
    for name, index in sorted((name, index) for index, name in enumerate(names)):
        out.append(f"    {{{json.dumps(name)}, {{text_{index}, sizeof(text_{index}) - 1}}}},")
    out += ["};", "", "const fer_profile_text *fer_profile_texts(size_t *count)", "{"]
    out += ["    *count = sizeof(table) / sizeof(table[0]);", "    return table;", "}"]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


main()
