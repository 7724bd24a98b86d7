#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_related_table.py RELATED.TSV OUT.C: the words of related.tsv as tables of C (related_table.h)."""
import sys

SLOTS = 65536
MOST = 10  # FER_RELATED_MOST
SEED = (0xA0761D6478BD642F, 0xE7037ED1A0B428DB)


def read(path):
    links = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith("#") or not line.strip():
            continue
        word, others = line.rstrip("\n").split("\t")
        links[word] = [(o.rsplit(":", 1)[0], int(o.rsplit(":", 1)[1])) for o in others.split(" ")]
    return links


def mix(x, y):
    product = x * y
    return (product ^ product >> 64) & 0xFFFFFFFFFFFFFFFF


def hash_of(word):
    """fer_token_hash of a word of at most 16 bytes, with the seed of related.c."""
    assert len(word) <= 16
    key = word.ljust(16, b"\0")
    low, high = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    return mix(mix(low ^ SEED[0], high ^ SEED[1]) ^ SEED[1], SEED[0] | 1)


def slots_of(words):
    slots = [0] * SLOTS
    for number, word in enumerate(words):
        at = hash_of(word.encode()) % SLOTS
        while slots[at]:
            at = (at + 1) % SLOTS
        slots[at] = number + 1
    return slots


def array(out, kind, name, items, size=""):
    out.write(f"const {kind} {name}[{size}] = {{\n")
    for i in range(0, len(items), 16):
        out.write("    " + ", ".join(items[i : i + 16]) + ",\n")
    out.write("};\n")


def main():
    links = read(sys.argv[1])
    linked = {o for others in links.values() for o, _ in others}
    words = sorted(linked) + sorted(set(links) - linked)
    number = {w: n for n, w in enumerate(words)}
    text_at, link_at, flat = [0], [0], []
    for w in words:
        text_at.append(text_at[-1] + len(w.encode()))
        flat += [f"{{{number[o]}, {score}}}" for o, score in links.get(w, [])]
        link_at.append(len(flat))
    assert link_at[-1] < 65536 and 2 * len(words) < SLOTS
    assert all(len(others) <= MOST for others in links.values())
    flat += ["{0, 0}"] * MOST  # so many can be read from where any word's begin
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write('/* Made by make_related_table.py. */\n#include "related_table.h"\n')
        out.write(f"const uint32_t fer_related_linked = {len(linked)};\n")
        out.write("const char fer_related_texts[] =\n")
        for w in words:
            out.write(f'    "{w}"\n')
        out.write(";\n")
        array(out, "uint32_t", "fer_related_text_at", [str(n) for n in text_at])
        array(out, "uint16_t", "fer_related_link_at", [str(n) for n in link_at])
        array(out, "fer_related_link", "fer_related_link_list", flat)
        array(out, "uint16_t", "fer_related_slots", [str(n) for n in slots_of(words)], "FER_RELATED_SLOTS")


main()
