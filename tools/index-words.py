#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/index-words.py OUTPUT INPUT NAME

Writes an index of the words that the rows of the first table of a C file begin with, so that a
word is found by its length and three of its letters, mostly in one look:

    static inline unsigned NAME_place(fer_str word)  where to look first; `word` is not empty
    static const uint8_t NAME_index[]                row + 1, or 0: none; go on to the next place
    static const uint8_t NAME_lens[]                 how long the word of that row is

Rows of one word stand together, and the first is in the index. Letters are hashed without their
case, so whoever compares decides whether that counts.
"""

import random
import re
import sys

TRIES = 3000  # factors that are tried; the first without collisions, or the best


def words_of(path):
    """The words of the first table, each with the number of its first row."""
    rows = {}
    table = re.search(r"\] = \{\n(.*?)\n\};", open(path).read(), re.S).group(1)
    for number, word in enumerate(re.findall(r'^    \{"([^"]+)",', table, re.M)):
        rows.setdefault(word, number)
    return rows


def letters(word):
    return (len(word), *(ord(word[at]) | 0x20 for at in (0, len(word) > 1, len(word) * 5 >> 3)))


def place(parts, factors, size):
    return sum(p * f for p, f in zip(parts, factors)) & size - 1


def factors_for(words, size):
    chance = random.Random(1)
    parts = [letters(w) for w in words]
    best = (len(words), None)
    for _ in range(TRIES):
        factors = [chance.randrange(1, size) for _ in range(4)]
        collisions = len(parts) - len({place(p, factors, size) for p in parts})
        best = min(best, (collisions, factors))
        if not collisions:
            break
    return best[1]


def table(name, numbers):
    lines = [", ".join(map(str, numbers[at : at + 16])) for at in range(0, len(numbers), 16)]
    return f"static const uint8_t {name}[{len(numbers)}] = {{\n    " + ",\n    ".join(lines) + "};\n"


def main(output, source, name):
    words = words_of(source)
    size = 1 << (4 * len(words) - 1).bit_length()
    assert words and max(words.values()) < 255, "a row and 1 is a byte"
    factors = factors_for(words, size)
    index, lens = [0] * size, [0] * size
    for word, row in words.items():
        at = place(letters(word), factors, size)
        while index[at]:
            at = (at + 1) % size
        index[at], lens[at] = row + 1, len(word)
    with open(output, "w") as out:
        out.write(
            f"/* Made by tools/index-words.py of {source.rsplit('/', 1)[-1]}. */\n"
            f"static inline unsigned {name}_place(fer_str w)\n{{\n"
            f"    unsigned first = (unsigned char)w.ptr[0] | 0x20u,\n"
            f"             second = (unsigned char)w.ptr[w.len > 1] | 0x20u,\n"
            f"             inner = (unsigned char)w.ptr[w.len * 5 >> 3] | 0x20u;\n"
            f"    return ((unsigned)w.len * {factors[0]}u + first * {factors[1]}u + second * {factors[2]}u +\n"
            f"            inner * {factors[3]}u) &\n           {size - 1}u;\n}}\n\n"
            + table(name + "_index", index)
            + table(name + "_lens", lens)
        )


main(*sys.argv[1:])
