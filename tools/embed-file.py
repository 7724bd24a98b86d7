#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed-file.py OUTPUT NAME FILE: a header that says where a file is, for .incbin, and what its sum is, so that what
holds the file is compiled again when the file has changed."""
import hashlib
import pathlib
import sys

output, name, file = sys.argv[1:]
data = pathlib.Path(file).read_bytes()
pathlib.Path(output).write_text(
    f"/* Made by tools/embed-file.py. {hashlib.sha256(data).hexdigest()} */\n"
    f'#define {name} "{pathlib.Path(file).resolve()}"\n')
