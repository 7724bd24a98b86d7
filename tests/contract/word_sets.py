#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets of words are looked up by halving: each is in order and in lower case. Speaks TAP."""

import glob
import os
import re
import sys

number = failures = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "src", "**", "*.c"), recursive=True)):
    text = open(path).read()
    for name in re.findall(r"FER_WORD_SET\((\w+)\)", text):
        lists = re.findall(r"\*const %s\[\]\s*=\s*\{(.*?)\};" % name, text, re.S)
        words = [re.findall(r'"([^"]*)"', body) for body in lists]
        good = bool(words) and all(w == sorted(set(w)) and all(x == x.lower() for x in w) for w in words)
        number += 1
        failures += not good
        print(f"{'ok' if good else 'not ok'} {number} - {os.path.basename(path)}: {name}")
print(f"1..{number}")
sys.exit(1 if failures or not number else 0)
