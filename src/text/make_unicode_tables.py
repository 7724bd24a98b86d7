#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_unicode_tables FOLDER OUT.c: the code points of every property that a pattern may name.

Reads the files of Debian's package unicode-data and writes what unicode_tables.h declares. The
properties and their names are those of ECMA-262 (tables "Non-binary Unicode property aliases"
and "Binary Unicode property aliases"); the values of General_Category, Script and
Script_Extensions and their aliases are those of PropertyValueAliases.txt."""

import os
import sys

LAST = 0x10FFFF

# Binary properties of ECMA-262 and the short names it gives them.
BINARY = {
    "ASCII": [], "ASCII_Hex_Digit": ["AHex"], "Alphabetic": ["Alpha"], "Any": [], "Assigned": [],
    "Bidi_Control": ["Bidi_C"], "Bidi_Mirrored": ["Bidi_M"], "Case_Ignorable": ["CI"], "Cased": [],
    "Changes_When_Casefolded": ["CWCF"], "Changes_When_Casemapped": ["CWCM"],
    "Changes_When_Lowercased": ["CWL"], "Changes_When_NFKC_Casefolded": ["CWKCF"],
    "Changes_When_Titlecased": ["CWT"], "Changes_When_Uppercased": ["CWU"], "Dash": [],
    "Default_Ignorable_Code_Point": ["DI"], "Deprecated": ["Dep"], "Diacritic": ["Dia"],
    "Emoji": [], "Emoji_Component": ["EComp"], "Emoji_Modifier": ["EMod"],
    "Emoji_Modifier_Base": ["EBase"], "Emoji_Presentation": ["EPres"],
    "Extended_Pictographic": ["ExtPict"], "Extender": ["Ext"], "Grapheme_Base": ["Gr_Base"],
    "Grapheme_Extend": ["Gr_Ext"], "Hex_Digit": ["Hex"], "IDS_Binary_Operator": ["IDSB"],
    "IDS_Trinary_Operator": ["IDST"], "ID_Continue": ["IDC"], "ID_Start": ["IDS"],
    "Ideographic": ["Ideo"], "Join_Control": ["Join_C"], "Logical_Order_Exception": ["LOE"],
    "Lowercase": ["Lower"], "Math": [], "Noncharacter_Code_Point": ["NChar"],
    "Pattern_Syntax": ["Pat_Syn"], "Pattern_White_Space": ["Pat_WS"], "Quotation_Mark": ["QMark"],
    "Radical": [], "Regional_Indicator": ["RI"], "Sentence_Terminal": ["STerm"],
    "Soft_Dotted": ["SD"], "Terminal_Punctuation": ["Term"], "Unified_Ideograph": ["UIdeo"],
    "Uppercase": ["Upper"], "Variation_Selector": ["VS"], "White_Space": ["space"],
    "XID_Continue": ["XIDC"], "XID_Start": ["XIDS"],
}
BINARY_FILES = ["PropList.txt", "DerivedCoreProperties.txt", "DerivedNormalizationProps.txt",
                "extracted/DerivedBinaryProperties.txt", "emoji/emoji-data.txt"]

# Order of the kinds in unicode_tables.h.
GENERAL_CATEGORY, IS_BINARY, SCRIPT, SCRIPT_EXTENSIONS = range(4)


def rows(folder, name):
    """The fields of each line, without comments."""
    with open(os.path.join(folder, name), encoding="utf-8") as lines:
        for line in lines:
            fields = [f.strip() for f in line.split("#")[0].split(";")]
            if len(fields) > 1:
                yield fields


def span(text):
    first, _, last = text.partition("..")
    return int(first, 16), int(last or first, 16)


def merged(ranges):
    """Sorted, and without neighbours that touch."""
    out = []
    for first, last in sorted(ranges):
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(last, out[-1][1]))
        else:
            out.append((first, last))
    return out


def others(ranges):
    out, at = [], 0
    for first, last in merged(ranges):
        if first > at:
            out.append((at, first - 1))
        at = last + 1
    return out + ([(at, LAST)] if at <= LAST else [])


def read_values(folder, name):
    """{value: ranges} of a file whose second field is a property or its value."""
    out = {}
    for fields in rows(folder, name):
        out.setdefault(fields[1], []).append(span(fields[0]))
    return out


def aliases(folder, prop):
    """[[names of one value, its short one first]]"""
    return [fields[1:] for fields in rows(folder, "PropertyValueAliases.txt") if fields[0] == prop]


def general_categories(folder):
    found = read_values(folder, "extracted/DerivedGeneralCategory.txt")
    groups = {"LC": ["Lu", "Ll", "Lt"]}
    for short in found:
        groups.setdefault(short[0], []).append(short)
    for names in aliases(folder, "gc"):
        parts = groups.get(names[0], names[:1])
        yield names, merged(r for p in parts for r in found[p])


def scripts(folder):
    found = read_values(folder, "Scripts.txt")
    found["Unknown"] = others(r for ranges in found.values() for r in ranges)
    for names in aliases(folder, "sc"):
        yield names, merged(found.get(names[1], []))


def script_extensions(folder):
    listed = read_values(folder, "ScriptExtensions.txt")
    special = [r for ranges in listed.values() for r in ranges]
    plain = others(special)
    for names, ranges in scripts(folder):
        kept = [(max(a, c), min(b, d)) for a, b in ranges for c, d in plain if max(a, c) <= min(b, d)]
        more = [r for value, rs in listed.items() if names[0] in value.split() for r in rs]
        yield names, merged(kept + more)


def binaries(folder):
    found = {}
    for name in BINARY_FILES:
        for value, ranges in read_values(folder, name).items():
            found.setdefault(value, []).extend(ranges)
    unassigned = read_values(folder, "extracted/DerivedGeneralCategory.txt")["Cn"]
    found.update({"Any": [(0, LAST)], "ASCII": [(0, 0x7F)], "Assigned": others(unassigned)})
    for name, short in BINARY.items():
        yield [name] + short, merged(found[name])


def number(n):
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    out = []
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return out + [n]


def packed(ranges):
    """Each range as the gap before it and its length less one."""
    out, at = [], 0
    for first, last in ranges:
        out += number(first - at) + number(last - first)
        at = last + 1
    return bytes(out)


def main():
    folder, target = sys.argv[1:]
    data, places, entries = bytearray(), {}, []
    for kind, values in ((GENERAL_CATEGORY, general_categories(folder)), (IS_BINARY, binaries(folder)),
                         (SCRIPT, scripts(folder)), (SCRIPT_EXTENSIONS, script_extensions(folder))):
        for names, ranges in values:
            code = packed(ranges)
            if code not in places:
                places[code] = len(data)
                data += code
            entries += [(kind, name, len(ranges), places[code]) for name in set(names)]
    entries.sort(key=lambda e: (e[0], e[1].encode()))
    all_names = sorted({e[1] for e in entries})
    offsets, at = {}, 0
    for name in all_names:
        offsets[name], at = at, at + len(name) + 1
    assert at < 65536 and all(e[2] < 65536 for e in entries)
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* Written by make_unicode_tables.py. */\n#include \"unicode_tables.h\"\n\n")
        out.write("const char fer_unicode_names[] =\n")
        out.write("".join(f'    "{name}\\0"\n' for name in all_names) + "    ;\n\n")
        out.write("const struct fer_unicode_row fer_unicode_rows[] = {\n")
        out.write("".join(f"    {{{k}, {offsets[n]}, {c}, {o}}},\n" for k, n, c, o in entries))
        out.write("};\n\n")
        out.write(f"const size_t fer_unicode_row_count = {len(entries)};\n\n")
        out.write("const unsigned char fer_unicode_ranges[] = {\n")
        for i in range(0, len(data), 24):
            out.write("    " + " ".join(f"{b}," for b in data[i:i + 24]) + "\n")
        out.write("};\n")


main()
