#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed-text.py OUTPUT INPUT...: each file as a C string, fer_text_<name>, its name in lower case with
everything but letters and digits as '_' and without its last ending."""
import pathlib
import re
import sys

out = ["/* Made by tools/embed-text.py. */"]
for name in sys.argv[2:]:
    path = pathlib.Path(name)
    symbol = re.sub(r"[^a-z0-9]", "_", path.name.rsplit(".", 1)[0].lower())
    out.append(f"extern const char fer_text_{symbol}[];\nconst char fer_text_{symbol}[] =")
    for line in path.read_text().splitlines(keepends=True):
        quoted = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        out.append(f'    "{quoted}"')
    out[-1] += ";"
pathlib.Path(sys.argv[1]).write_text("\n".join(out) + "\n")
