#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_bombs.py FOLDER INDEX: schemas and instances that are small and cost much.

Writes ID.schema and ID.instance of every bomb to FOLDER, and to INDEX a line for each: id, limits ("message" are
the default ones, "raised" let sizes and depths pass), what may come of it, title, divided by tabs. What may come of it is a
list of "valid", "invalid", "refused" (by any failure) and "refused:Code". B01 to B26 were measured on other
validators; C are our own, and L stand just past a limit."""

import json
import os
import sys

ANY = "valid,invalid,refused"
BUDGET = "refused:ValidationBudgetExceeded"
LIMIT = "refused:LimitExceeded"
bombs = []


def bomb(name, title, schema, instance, expect, raised=False):
    bombs.append((name, title, schema, instance, expect, raised))


def text(value):
    """Bytes as they are, str as UTF-8, functions called, the rest as JSON."""
    if callable(value):
        value = value()
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def levels(count, make, leaf):
    """A schema whose level i is make(reference to level i + 1); the last is the leaf."""
    defs = {f"l{i}": make({"$ref": f"#/$defs/l{i + 1}"}) for i in range(count)}
    defs[f"l{count}"] = leaf
    return {"$ref": "#/$defs/l0", "$defs": defs}


def nest(depth, opening, closing, inner):
    return opening * depth + inner + closing * depth


def chain(depth, key, leaf):
    return nest(depth, '{"%s":' % key, "}", json.dumps(leaf))


def keys(count, prefix="k"):
    return {f"{prefix}{i}": i for i in range(count)}


def twin(ref):
    return [ref, dict(ref)]


SELF = {"$ref": "#"}

# ---- measured on other validators ------------------------------------------------------------

bomb("B01", "a reference to itself", SELF, 1, ANY)
bomb("B02", "two allOf that refer to each other",
     {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}, 1, ANY)
bomb("B03", "a $dynamicRef to itself", {"$dynamicAnchor": "n", "$dynamicRef": "#n"}, 1, ANY)
for number, depth in (("B04", 16), ("B05", 24), ("B06", 30)):
    bomb(number, f"allOf doubled {depth} times", levels(depth, lambda r: {"allOf": twin(r)}, {"type": "integer"}), 123, "valid")
for number, depth in (("B07", 16), ("B08", 20), ("B09", 24)):
    bomb(number, f"anyOf doubled {depth} times", levels(depth, lambda r: {"anyOf": twin(r)}, {"type": "string"}), 123, "invalid")
LISTS = {"anyOf": [{"type": "array", "items": SELF}, {"type": "array", "items": SELF}, {"type": "string"}]}
bomb("B10", "recursive lists in anyOf, 24 deep", LISTS, lambda: nest(24, "[", "]", "1"), "invalid")
DEEP_SCHEMA = '{"properties":{"a":'
bomb("B11", "a schema 20,000 deep", lambda: nest(20000, DEEP_SCHEMA, "}}", "true"), {"a": 1}, "refused")
bomb("B11-raised", "a schema 20,000 deep, limits raised", lambda: nest(20000, DEEP_SCHEMA, "}}", "true"), {"a": 1},
     "valid,refused", raised=True)
PATTERNS = {"patternProperties": {f"^k{i}": True for i in range(500)}}
bomb("B12", "500 patternProperties, 20,000 keys", PATTERNS, lambda: keys(20000), LIMIT)
bomb("B12-raised", "500 patternProperties, 20,000 keys, limits raised", PATTERNS, lambda: keys(20000), "valid," + BUDGET,
     raised=True)
bomb("B13", "^(a+)+$", {"pattern": "^(a+)+$"}, "\"" + "a" * 32 + "!\"", "invalid")
bomb("B14", "^(a|a)*$", {"pattern": "^(a|a)*$"}, "\"" + "a" * 32 + "!\"", "invalid")
bomb("B15", "quantifiers in quantifiers, as for addresses",
     {"pattern": r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$"},
     json.dumps("a" * 40 + "!"), "invalid")
bomb("B16", "((a{1,100}){1,100}){1,100}", {"pattern": "^((a{1,100}){1,100}){1,100}$"}, "\"aaa\"", "valid,refused")
bomb("B17", "20,000 distinct objects", {"uniqueItems": True}, lambda: [{"id": i, "name": f"n{i}"} for i in range(20000)], "valid")
for number, depth in (("B18", 1000), ("B19", 100000), ("B20", 1000000)):
    bomb(number, f"{depth:,} nested arrays", {"items": SELF}, lambda d=depth: "[" * d + "]" * d, LIMIT)
    bomb(number + "-raised", f"{depth:,} nested arrays, limits raised", {"items": SELF},
         lambda d=depth: "[" * d + "]" * d, "valid,refused", raised=True)
bomb("B21", "an integer of 100,000 digits", {"multipleOf": 3}, lambda: "3" * 100000, LIMIT)
bomb("B22", "1e999999999", {"type": "number"}, "1e999999999", "valid")
bomb("B23", "multipleOf 1e-300 on 1e300", '{"multipleOf":1e-300}', "1e300", "valid")
bomb("B24", "a key twice", {"properties": {"a": {"const": 1}}}, '{"a":2,"a":1}', "refused:DuplicateKey")
bomb("B24-schema", "a key twice in the schema", '{"const":1,"const":2}', 1, "refused")
bomb("B25", "invalid UTF-8 and an encoded surrogate", True, b'"\xff\xed\xa0\x80"', "refused:InvalidJson")
bomb("B26-bom", "a byte order mark inside", True, b'[\xef\xbb\xbf1]', "refused:InvalidJson")
bomb("B26-first-bom", "a byte order mark at the very start", True, b"\xef\xbb\xbf1", "valid")
bomb("B26-trailing", "bytes after the document", True, b"{} {}", "refused:InvalidJson")
bomb("B26-nul", "a NUL in a key", True, b'{"a\x00b":1}', "refused:InvalidJson")
bomb("B26-escaped-nul", "a NUL in a key, escaped", {"properties": {"a": False}}, b'{"a\\u0000b":1}', "valid")

# ---- doubling ---------------------------------------------------------------------------------

bomb("C01", "properties doubled on a recursive instance", {"allOf": twin({"properties": {"n": SELF}})},
     lambda: chain(100, "n", 1), "valid")
bomb("C02", "$ref beside allOf, doubled 40 times", levels(40, lambda r: {**r, "allOf": [dict(r)]}, {"type": "integer"}), 1, "valid")
bomb("C03", "$dynamicRef doubled on a recursive instance",
     {"$dynamicAnchor": "n", "anyOf": twin({"type": "object", "properties": {"c": {"$dynamicRef": "#n"}}}) + [{"type": "null"}]},
     lambda: chain(60, "c", 1), "invalid")
bomb("C04", "dependentSchemas doubled 30 times", levels(30, lambda r: {"dependentSchemas": {"a": r, "b": dict(r)}}, True),
     {"a": 1, "b": 1}, "valid")
bomb("C05", "if, then and else doubled 40 times", levels(40, lambda r: {"if": r, "then": dict(r), "else": dict(r)},
                                                       {"type": "string"}), 1, "invalid")
bomb("C06", "unevaluatedItems over allOf, doubled 20 times",
     levels(20, lambda r: {"allOf": twin(r), "unevaluatedItems": False}, {"items": {"type": "integer"}}),
     lambda: list(range(100)), "valid")
bomb("C07", "unevaluatedProperties over a recursive instance, doubled",
     {"allOf": twin({"$ref": "#/$defs/n"}), "unevaluatedProperties": False, "$defs": {"n": {"properties": {"c": SELF}}}},
     lambda: chain(60, "c", {}), "valid")
bomb("C08", "not over anyOf, doubled 30 times", levels(30, lambda r: {"not": {"anyOf": twin(r)}}, True), 1, "valid")
bomb("C09", "oneOf doubled on nested lists",
     {"oneOf": [{"type": "array", "items": SELF}, {"type": "array", "items": SELF}, {"type": "null"}]},
     lambda: nest(100, "[", "]", "null"), "invalid")
bomb("C10", "contains on a tree of lists",
     {"type": "array", "contains": SELF}, lambda: tree(14), "invalid")
bomb("C11", "$recursiveRef doubled on a recursive instance",
     {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": True,
      "anyOf": twin({"type": "object", "properties": {"c": {"$recursiveRef": "#"}}}) + [{"type": "null"}]},
     lambda: chain(60, "c", 1), "invalid")
bomb("C12", "dependencies of draft-07 doubled 30 times",
     {"$schema": "http://json-schema.org/draft-07/schema#", "allOf": [{"$ref": "#/definitions/l0"}],
      "definitions": {**{f"l{i}": {"dependencies": {k: {"$ref": f"#/definitions/l{i + 1}"} for k in "ab"}} for i in range(30)},
                      "l30": True}}, {"a": 1, "b": 1}, "valid")
bomb("C13", "additionalProperties and patternProperties doubled on a recursive instance",
     {"anyOf": [{"type": "string"}, {"type": "object", "patternProperties": {"^c": SELF}},
                {"type": "object", "additionalProperties": SELF}]}, lambda: chain(100, "c", 1), "invalid")
bomb("C14", "ten branches, 12 times", levels(12, lambda r: {"anyOf": [dict(r) for _ in range(10)]}, {"type": "string"}), 1, "invalid")
bomb("C15", "unevaluatedProperties over if, then, else, doubled 16 times",
     levels(16, lambda r: {"if": r, "then": dict(r), "else": dict(r), "unevaluatedProperties": False},
            {"patternProperties": {"": True}}), lambda: keys(100), "valid")


def tree(depth):
    return 1 if depth == 0 else [tree(depth - 1), tree(depth - 1)]


# ---- width -------------------------------------------------------------------------------------

bomb("C20", "unevaluatedProperties, 100 branches of patterns, 5,000 keys",
     {"allOf": [{"patternProperties": {f"^k[0-9]*{i % 10}$": True}} for i in range(100)], "unevaluatedProperties": False},
     lambda: keys(5000), "valid," + BUDGET)
bomb("C21", "unevaluatedProperties, 1,000 branches of one property, 1,000 keys",
     {"anyOf": [{"properties": {f"k{i}": True}} for i in range(1000)], "unevaluatedProperties": False}, lambda: keys(1000), "valid")
bomb("C22", "oneOf of 1,000 branches, 1,000 items", {"items": {"oneOf": [{"const": i} for i in range(1000)]}},
     lambda: list(range(1000)), "valid," + BUDGET)
bomb("C23", "oneOf of 1,000 objects with a tag, 1,000 items",
     {"items": {"oneOf": [{"required": ["t"], "properties": {"t": {"const": f"t{i}"}}} for i in range(1000)]}},
     lambda: [{"t": f"t{i}"} for i in range(1000)], "valid," + BUDGET)
bomb("C24", "enum of 20,000 texts, 20,000 items", {"items": {"enum": [f"e{i:05d}" for i in range(20000)]}},
     lambda: [f"e{i:05d}" for i in range(20000)], "valid," + BUDGET)
bomb("C25", "enum of 1,000 lists that differ at the end, 500 items",
     {"items": {"enum": [[0] * 60 + [i] for i in range(1000)]}}, lambda: [[0] * 60 + [i] for i in range(500)], "valid," + BUDGET)
bomb("C26", "10,000 required, 10,000 keys", lambda: {"required": list(keys(10000))}, lambda: keys(10000), "valid")
bomb("C27", "10,000 required, none there", lambda: {"required": list(keys(10000))}, {}, "invalid")
bomb("C28", "contains with minContains, 100,000 items", {"contains": {"type": "integer"}, "minContains": 50000, "maxContains": 100000},
     lambda: list(range(100000)), "valid")
bomb("C29", "propertyNames with a pattern, 10,000 keys", {"propertyNames": {"pattern": "^(k|kk|k+)+[0-9]+$"}},
     lambda: keys(10000), "valid")
bomb("C30", "500 patternProperties, 10,000 keys", PATTERNS, lambda: keys(10000), "valid," + BUDGET)
bomb("C31", "500 patterns that all match, 2,000 keys",
     {"patternProperties": {f"^k{'.?' * (i % 50)}[0-9]*{'.?' * (i // 50)}$": {"type": "integer"} for i in range(500)}},
     lambda: keys(2000), "valid," + BUDGET)
bomb("C32", "dependentRequired, a chain of 5,000", lambda: {"dependentRequired": {f"k{i}": [f"k{i + 1}"] for i in range(4999)}},
     lambda: keys(5000), "valid")
bomb("C33", "const of 30,000 values", lambda: {"const": list(range(30000))}, lambda: list(range(30000)), "valid")
bomb("C34", "prefixItems of 9,000", lambda: {"prefixItems": [{"const": i} for i in range(9000)]}, lambda: list(range(9000)), "valid")
bomb("C35", "200,000 findings", {"items": {"type": "string"}}, lambda: [0] * 199000, "invalid")
bomb("C36", "10,000 unknown properties", {"additionalProperties": False}, lambda: keys(10000), "invalid")
bomb("C37", "2,000 branches, each with a finding", {"anyOf": [{"type": "string", "minLength": i} for i in range(2000)]}, 1, "invalid")
bomb("C38", "3,000 keys of 1,024 bytes", {"additionalProperties": {"type": "integer"}},
     lambda: {f"{i:04d}" + "k" * 1020: i for i in range(3000)}, "valid")
bomb("C39", "9,000 properties, 9,000 keys", lambda: {"properties": {k: {"type": "integer"} for k in keys(9000)}},
     lambda: keys(9000), "valid")
bomb("C40", "9,000 misspelt properties", lambda: {"properties": {f"property{i}": True for i in range(9000)}, "additionalProperties": False},
     lambda: {f"propperty{i}": 1 for i in range(9000)}, "invalid")
bomb("C42", "100 branches, 5,000 findings each",
     {"anyOf": [{"items": {"type": "string", "minLength": i}} for i in range(100)]}, lambda: [0] * 5000, "invalid," + BUDGET)
bomb("C43", "9,000 misspelt properties, unevaluated",
     lambda: {"allOf": [{"properties": {f"property{i}": True for i in range(9000)}}], "unevaluatedProperties": False},
     lambda: {f"propperty{i}": 1 for i in range(9000)}, "invalid")
bomb("C44", "1,000 tags, none fits", {"items": {"oneOf": [{"required": ["t"], "properties": {"t": {"const": f"t{i}"}}} for i in range(200)]}},
     lambda: [{"t": f"u{i}"} for i in range(1000)], "invalid," + BUDGET)
bomb("C45", "100 findings, each among 10,000 names", lambda: {"items": {"enum": ["e" * 10 + f"{i:05d}" for i in range(10000)]}},
     lambda: ["e" * 10 + f"{i:04d}x" for i in range(1000)], "invalid")
bomb("C41", "a value that is not among 20,000", lambda: {"enum": [f"e{i:05d}" for i in range(20000)]}, "\"e2000O\"", "invalid")

# ---- uniqueItems, numbers, texts ------------------------------------------------------------------

bomb("C50", "20,000 numbers, one twice in another form", {"uniqueItems": True},
     lambda: "[" + ",".join(map(str, range(20000))) + ",199990e-1]", "invalid")
bomb("C51", "20,000 numbers that binary64 cannot tell apart", {"uniqueItems": True},
     lambda: "[" + ",".join(f"9007199254740993.{i:05d}1" for i in range(20000)) + "]", "valid")
bomb("C52", "10,000 texts with a long head in common", {"uniqueItems": True}, lambda: ["x" * 100 + str(i) for i in range(10000)], "valid")
bomb("C53", "20,000 nested lists", {"uniqueItems": True}, lambda: [[[[[i]]]] for i in range(20000)], "valid")
bomb("C54", "objects that differ in the order of keys only", {"uniqueItems": True},
     lambda: "[" + ",".join('{"a":%d,"b":%d}' % (i, i) for i in range(9999)) + ',{"b":7,"a":7}]', "invalid")
bomb("C55", "2,000 lists and objects, in turn deeper", {"uniqueItems": True},
     lambda: [nested(i % 100, i // 100) for i in range(2000)], "valid")
bomb("C56", "20,000 floats", {"uniqueItems": True}, lambda: [i + 0.5 for i in range(20000)], "valid")
bomb("C57", "999 digits, a multiple of 3", {"multipleOf": 3}, "3" * 999, "valid,refused")
bomb("C58", "a product of 500 and 499 digits", lambda: '{"multipleOf":%d}' % (10 ** 499 + 7),
     lambda: str((10 ** 499 + 7) * (10 ** 498 + 9)), "valid,refused")
bomb("C59", "7 does not divide 1e999999999999", {"multipleOf": 7}, "1e999999999999", "invalid,refused")
bomb("C60", "1e-999999999 divides 1e999999999", '{"multipleOf":1e-999999999}', "1e999999999", "valid,refused")
bomb("C61", "a maximum of 1e999999999999", '{"maximum":1e999999999999,"exclusiveMinimum":-1e999999999999}', "1e999999999998", "valid")
bomb("C62", "100,000 numbers against multipleOf 0.01", '{"items":{"multipleOf":0.01}}',
     lambda: "[" + ",".join("%d.%02d" % (i, i % 100) for i in range(100000)) + "]", "valid")
bomb("C63", "a text of 1,000,000 characters, its length", {"minLength": 999999, "maxLength": 1000000}, lambda: "\"" + "a" * 1000000 + "\"", "valid")


def nested(depth, breadth):
    value = [breadth]
    for i in range(depth):
        value = [value] if i % 2 else {"a": value}
    return value


# ---- regular expressions ---------------------------------------------------------------------------

def expression(name, pattern, instance, expect, title=None):
    bomb(name, title or pattern, {"pattern": pattern}, json.dumps(instance), expect)


expression("C70", r"(?=(a+)+$)", "a" * 40 + "!", "invalid,refused")
expression("C71", r"^(a*)*\1$", "a" * 40 + "b", "invalid,refused")
expression("C72", r"^(\w+\s?)*$", "word " * 20 + "!", "invalid")
expression("C73", "^[" + "".join(chr(0x4E00 + 2 * i) for i in range(330)) + "]*$", "".join(chr(0x4E00 + 2 * (i % 330)) for i in range(100000)),
           "valid", "a class of 330 characters, a text of 100,000")
expression("C74", r"^(.*a){20}$", "a" * 40, "valid,refused")
expression("C75", r"(a|b)*a(a|b){200}$", "ba" * 50000, "valid,refused")
expression("C76", r"^a*$", "a" * 1000000, "valid", "^a*$ on 1,000,000 characters")
expression("C77", r"^(a{0,500}){0,500}$", "a" * 1000, "valid,refused")
expression("C78", "(" * 300 + "a" + ")*" * 300, "a" * 50, "valid,refused", "stars 300 deep")
expression("C79", "|".join("a" * i for i in range(1, 40)) + "$", "a" * 1000, "valid", "alternatives of each other's heads")
expression("C80", r"^(?:a?){300}a{300}$", "a" * 300, "valid,refused")
expression("C81", r"x*x*x*x*x*x*x*x*x*x*y", "x" * 20000, "invalid", "x*x*... y on 20,000 x, not anchored")
expression("C82", r"(?<!a)(?<=b)(?!c)(?:(?:(?=x))*)*$", "b" * 1000, "valid,invalid,refused", "look-arounds in stars")
expression("C83", r"^(\p{L}+\p{N}*)+$", "é1" * 5000 + "!", "invalid")
bomb("C84", "900 patterns on one text", {"allOf": [{"pattern": f"^(a|b)*{'c?' * (i % 20)}[a-z]{{{1 + i % 7}}}"} for i in range(900)]},
     lambda: "\"" + "ab" * 500 + "\"", "valid," + BUDGET)
bomb("C85", "the format regex on 100,000 brackets", {"format": "regex"}, lambda: "\"" + "(" * 100000 + "\"", "valid,invalid,refused")
bomb("C86", "the format email on 1,000,000 characters", {"format": "email"}, lambda: "\"" + "a@" * 500000 + "\"", "invalid,refused")
bomb("C87", "the format hostname on 500,000 labels", {"format": "hostname"}, lambda: "\"" + "a." * 499999 + "a\"", "invalid,refused")
bomb("C88", "the format idn-hostname on 100,000 marks", {"format": "idn-hostname"}, lambda: "\"a" + "̀" * 100000 + "\"", "invalid,refused")
bomb("C89", "the format uri on 1,000,000 characters", {"format": "uri"}, lambda: "\"http://a/" + "%20" * 300000 + "\"", "valid,refused")
bomb("C90", "the format uri-template on 1,000,000 characters", {"format": "uri-template"}, lambda: "\"" + "{a}" * 300000 + "\"", "valid,refused")

# ---- names and references --------------------------------------------------------------------------

bomb("C100", "3,000 $id", lambda: {"$id": "https://a.test/r", "$defs": {f"s{i}": {"$id": f"s{i}"} for i in range(3000)}, "$ref": "s2999"}, 1, "valid")
bomb("C101", "5,000 $anchor", lambda: {"$defs": {f"s{i}": {"$anchor": f"a{i}"} for i in range(5000)}, "$ref": "#a4999"}, 1, "valid")
bomb("C102", "references in a chain of 900", lambda: levels(900, lambda r: r, {"type": "integer"}), 1, "valid")
bomb("C103", "relative references in a chain of 900",
     lambda: {"$id": "https://a.test/x/s", "$ref": "../x/s0", "$defs": {
         **{f"s{i}": {"$id": f"s{i}", "$ref": f"../x/./s{i + 1}"} for i in range(900)}, "s900": {"$id": "s900", "type": "integer"}}}, 1, "valid")
bomb("C104", "references in a ring of 900", lambda: {"$ref": "#/$defs/s0", "$defs": {
    f"s{i}": {"$ref": f"#/$defs/s{(i + 1) % 900}"} for i in range(900)}}, 1, ANY)
bomb("C105", "900 $dynamicAnchor of one name", lambda: {"$id": "https://a.test/r", "$ref": "s0", "$defs": {
    **{f"s{i}": {"$id": f"s{i}", "$ref": f"s{i + 1}", "$defs": {"d": {"$dynamicAnchor": "d", "type": "integer"}}} for i in range(450)},
    "s450": {"$id": "s450", "items": {"$dynamicRef": "#d"}, "$defs": {"d": {"$dynamicAnchor": "d"}}}}}, lambda: list(range(1000)), "valid")
bomb("C106", "a cycle through anyOf", {"anyOf": [SELF, {"type": "integer"}]}, 1, ANY)
bomb("C107", "a cycle through if", {"if": SELF, "then": True, "else": False}, 1, ANY)
bomb("C108", "a cycle through not", {"not": SELF}, 1, ANY)
bomb("C109", "a cycle through $dynamicRef and oneOf",
     {"$dynamicAnchor": "n", "oneOf": [{"$dynamicRef": "#n"}, {"$dynamicRef": "#n"}]}, 1, ANY)
bomb("C110", "a cycle through dependentSchemas", {"dependentSchemas": {"a": SELF}}, {"a": 1}, ANY)
bomb("C111", "a cycle beside unevaluatedProperties", {"allOf": [SELF], "unevaluatedProperties": False}, {"a": 1}, ANY)
bomb("C112", "a long pointer", lambda: {"$ref": "#/" + "%24defs/a/" * 5000}, 1, "refused")
bomb("C113", "a long way up", lambda: {"$id": "https://a.test/" + "a/" * 5000, "$ref": "../" * 5000 + "x"}, 1, "refused")
bomb("C114", "a schema that is its own meta-schema", {"$id": "urn:a", "$schema": "urn:a"}, 1, ANY)
bomb("C115", "1,000 $id below each other", lambda: {"$id": "https://a.test/r", "$defs": {
    f"a{j}": ids(30, j) for j in range(30)}, "$ref": "#/$defs/a0"}, 1, "valid,refused")
bomb("C116", "a reference into a const", {"$ref": "#/const/a", "const": {"a": {"$ref": "#/const/a"}}}, {"a": 1}, ANY)
bomb("C117", "a cycle behind a branch that is valid", {"anyOf": [{"type": "integer"}, SELF]}, 1, ANY)
bomb("C118", "a cycle beside a failure", {"type": "string", "allOf": [SELF]}, 1, ANY)
bomb("C119", "a cycle behind a failing property", {"properties": {"a": False}, "oneOf": [SELF, True]}, {"a": 1}, ANY)


def ids(depth, number):
    return True if depth == 0 else {"$id": f"d{number}/", "not": {"not": ids(depth - 1, number)}}


# ---- depth ------------------------------------------------------------------------------------------

bomb("C120", "allOf 30 deep", lambda: nest(30, '{"allOf":[', "]}", '{"type":"integer"}'), 1, "valid")
bomb("C121", "not 60 deep", lambda: nest(60, '{"not":', "}", "true"), 1, "valid")
bomb("C122", "a schema 100,000 deep, limits raised", lambda: nest(100000, '{"not":', "}", "true"), 1, "valid,refused", raised=True)
bomb("C123", "an instance 100,000 deep, limits raised", {"properties": {"n": SELF}, "additionalProperties": False},
     lambda: chain(100000, "n", 1), "valid,refused", raised=True)
bomb("C124", "a const 100,000 deep, limits raised", lambda: '{"const":%s}' % nest(100000, "[", "]", "1"),
     lambda: nest(100000, "[", "]", "1"), "valid,refused", raised=True)
bomb("C125", "uniqueItems 50,000 deep, limits raised", {"uniqueItems": True},
     lambda: "[%s,%s]" % (nest(50000, "[", "]", "1"), nest(50000, "[", "]", "2")), "valid,refused", raised=True)
bomb("C126", "a finding 100,000 deep, limits raised", {"items": SELF, "type": "array"}, lambda: nest(100000, "[", "]", "1"),
     "invalid,refused", raised=True)
bomb("C127", "unevaluatedItems 50,000 deep, limits raised", {"allOf": [{"prefixItems": [SELF]}], "unevaluatedItems": False},
     lambda: nest(50000, "[", "]", "1"), "valid,refused", raised=True)
bomb("C128", "oneOf on 120 levels, doubled, with annotations",
     {"title": "t", "oneOf": [{"type": "array", "items": SELF, "title": "l"}, {"type": "integer", "title": "i"}]},
     lambda: nest(120, "[", "]", "1"), "valid")
bomb("C129", "a chain of 50,000 references, limits raised", lambda: levels(50000, lambda r: r, {"type": "integer"}), 1, "valid,refused",
     raised=True)

# ---- work that nothing counted ---------------------------------------------------------------------------

C = {"$ref": "#/$defs/c"}


def in_scope(count, last):
    """A chain of resources, each referring to the next; the last is given."""
    defs = {f"s{i}": {"$id": f"r{i}", "$ref": f"r{i + 1}"} for i in range(count)}
    defs["last"] = {"$id": f"r{count}", **last}
    return {"$id": "https://a.test/r", "$ref": "r0", "$defs": defs}


def crowd(count):
    """Names that are alike at both ends."""
    return [f"AAAAAAAA{i:05d}BBBBBBBB" for i in range(count)]


def many(count, number):
    return lambda: "[" + ",".join([str(number)] * count) + "]"


bomb("C130", "$dynamicRef below 900 resources", lambda: in_scope(900, {"$dynamicAnchor": "x", "items": {"$dynamicRef": "#x"}}),
     lambda: [0] * 190000, "valid," + BUDGET)
bomb("C131", "back and forth between resources, 900 deep",
     lambda: in_scope(900, {"items": {"$id": "q", "items": {"$ref": "r900"}}, "$dynamicRef": "#y", "$defs": {"y": {"$dynamicAnchor": "y"}}}),
     lambda: [[[0]] * 20 for _ in range(2500)], "valid," + BUDGET)
bomb("C132", "8,000 properties that are alike at both ends", lambda: {"properties": {k: True for k in crowd(8000)}},
     lambda: {k: 1 for k in crowd(9000)}, "valid")
bomb("C133", "keys of two objects in turn",
     {"items": {"dependentSchemas": {f"k{i}": {"properties": {"o": {"dependentRequired": {"k1": ["k2"]}}}, "dependentRequired": {"k2": ["k3"]}}
                                     for i in range(34)}}},
     lambda: [{**keys(34), "o": keys(34)} for _ in range(1300)], "valid," + BUDGET)
bomb("C134", "uniqueItems 8,000 times on one list", {"allOf": [{"uniqueItems": True}] * 8000}, lambda: list(range(250)), "valid," + BUDGET)
bomb("C135", "uniqueItems 8,000 times on long texts", {"allOf": [{"uniqueItems": True}] * 8000},
     lambda: ["a" * 400000, "b" * 400000], "valid," + BUDGET)
bomb("C136", "bounds of 1,000 digits, 900 times",
     lambda: {"items": {"allOf": [C] * 900}, "$defs": {"c": {"minimum": 10 ** 998, "exclusiveMaximum": 10 ** 999 - 1}}},
     many(500, 10 ** 999 - 3), "valid," + BUDGET)
bomb("C137", "enum of 50 numbers of 900 digits, 900 times",
     lambda: {"items": {"allOf": [C] * 900}, "$defs": {"c": {"enum": [10 ** 900 + i for i in range(50)]}}},
     many(500, 10 ** 900 + 3), "valid," + BUDGET)
bomb("C138", "enum of eight numbers of 900 digits, 900 times",
     lambda: {"items": {"allOf": [C] * 900}, "$defs": {"c": {"enum": [10 ** 900 + i for i in range(8)]}}},
     many(500, 10 ** 900 + 7), "valid," + BUDGET)

# ---- the same in findings, annotations, changes, and compiling ----------------------------------------------

bomb("C140", "9,000 required, the last is missing", lambda: {"required": list(keys(9001))}, lambda: keys(9000), "invalid")
bomb("C141", "dependentRequired of 8,000, one fails", lambda: {"dependentRequired": {**{k: ["k0"] for k in keys(8000)}, "k8999": ["z"]}},
     lambda: keys(9000), "invalid")
bomb("C142", "900 branches that are one object of 5,000 properties",
     lambda: {"anyOf": [C] * 900, "$defs": {"c": {"properties": {k: True for k in keys(5000)}, "required": ["z"]}}},
     lambda: keys(9000), "invalid")
bomb("C143", "900 branches with a tag of 9,000 values",
     lambda: {"items": {"oneOf": [C] * 900}, "$defs": {"c": {"required": ["t"], "properties": {"t": {"enum": [f"e{i}" for i in range(9000)]}}}}},
     lambda: [{"t": "nope"}] * 50, "invalid")
bomb("C144", "more to tell than steps", lambda: {"items": {"anyOf": [
    {"properties": {f"p{j}_{i}": {"type": "string"} for i in range(90)}, "required": ["z"]} for j in range(90)]}},
     lambda: [keys(50) for _ in range(2000)], "invalid")
bomb("C145", "a text that is none of 38,000 numbers, 150 times", lambda: {"items": {"enum": list(range(38000))}}, lambda: ["x"] * 150, "invalid")
bomb("C146", "annotations of 190,000 items", {"items": {"title": "t"}}, lambda: [0] * 190000, "valid")
bomb("C147", "annotations behind 9,000 definitions",
     lambda: {"items": C, "$defs": {**{f"d{i}": {} for i in range(9000)}, "c": {"title": "t"}}}, lambda: [0] * 100000, "valid")
bomb("C148", "an annotation of 200,000 bytes on each item", lambda: {"items": {"default": "x" * 200000}}, lambda: [0] * 190000, "valid")
bomb("C149", "a default of 200,000 bytes for each object", lambda: {"items": {"properties": {"p": {"default": "x" * 200000}}}},
     lambda: [{} for _ in range(20000)], "valid")
bomb("C150", "8,000 properties without defaults, 90,000 objects",
     lambda: {"items": {"properties": {f"p{i}": {"type": "string"} for i in range(8000)}}}, lambda: [{} for _ in range(90000)], "valid")
bomb("C151", "defaults that hold objects with defaults",
     lambda: {"$ref": "#/$defs/c", "$defs": {"c": {"properties": {f"p{i}": {**C, "default": {}} for i in range(900)}}}}, {}, "valid")
bomb("C152", "4,000 patterns of thousands of states", lambda: {"allOf": [{"pattern": f"^(?:[a-z]{{900}}|x{i}){{1,10}}$"} for i in range(4000)]},
     "\"aaa\"", LIMIT)
bomb("C153", "references into two large objects in turn",
     lambda: {"allOf": [{"$ref": f"#/$defs/{'ab'[i % 2]}/properties/k{i}"} for i in range(990)],
              "$defs": {n: {"properties": {k: True for k in keys(4500)}} for n in "ab"}}, 1, "valid")
bomb("C154", "9,000 $id on a long base", lambda: {"$id": "https://a.test/" + "a/" * 3500, "allOf": [{"$id": f"s{i}"} for i in range(9000)]},
     1, LIMIT)
bomb("C155", "8,000 $anchor on a long base",
     lambda: {"$id": "https://a.test/" + "a/" * 3500, "allOf": [{"$anchor": f"s{i}"} for i in range(8000)]}, 1, LIMIT)
bomb("C156", "9,000 problems", {"allOf": [{"type": 5}] * 9000}, 1, "refused:InvalidSchema")
bomb("C157", "9,000 required of 9,000 properties",
     lambda: {"additionalProperties": False, "properties": {k: True for k in keys(9000)}, "required": list(keys(9000))}, 1, "valid")

bomb("C158", "multiples of 7 among powers of ten", lambda: {"items": {"allOf": [{"multipleOf": 7}] * 5000}}, many(500, "1e999999999"),
     "invalid," + BUDGET)
bomb("C159", "the length of a long text, 8,000 times", {"allOf": [{"minLength": 300000}] * 8000}, lambda: "\"" + "é" * 350000 + "\"",
     "valid," + BUDGET)
bomb("C160", "the format uri, 8,000 times", {"allOf": [{"format": "uri"}] * 8000}, lambda: "\"http://a/" + "a" * 800000 + "\"", "valid," + BUDGET)
bomb("C161", "many formats, 700 times",
     {"allOf": [{"format": f} for f in ["idn-hostname", "idn-email", "iri", "uri-template", "regex", "email", "ipv6", "hostname"] * 700]},
     lambda: "\"" + "a" * 60000 + ".é\"", "invalid," + BUDGET)

# ---- just past a limit --------------------------------------------------------------------------------

bomb("L01", "10,001 keys", True, lambda: keys(10001), LIMIT)
bomb("L02", "a key of 1,025 bytes", True, lambda: {"k" * 1025: 1}, LIMIT)
bomb("L03", "a schema of more than 256 KiB", lambda: {"$comment": "a" * 262144}, 1, LIMIT)
bomb("L04", "a schema 65 deep", lambda: nest(65, '{"not":', "}", "true"), 1, LIMIT)
bomb("L05", "10,001 subschemas", lambda: {"allOf": [True] * 10001}, 1, LIMIT)
bomb("L06", "1,001 references", lambda: {"type": "integer", "allOf": [{"$ref": "#/$defs/a"}] * 1001, "$defs": {"a": True}},
     1, LIMIT)
bomb("L07", "a pattern of 1,025 bytes", {"pattern": "a" * 1025}, "\"a\"", LIMIT)
bomb("L08", "a repetition of 1,001", {"pattern": "a{1001}"}, "\"a\"", LIMIT)
bomb("L09", "200,001 values", True, lambda: [0] * 200001, LIMIT)
bomb("L10", "a number of 1,001 characters", True, "1" * 1001, LIMIT)
bomb("L11", "129 nested arrays", True, "[" * 129 + "]" * 129, LIMIT)
bomb("L12", "an exponent of 19 digits", True, "1e1000000000000000000", LIMIT)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, index = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    lines = []
    for name, title, schema, instance, expect, raised in bombs:
        for kind, value in (("schema", schema), ("instance", instance)):
            with open(os.path.join(folder, f"{name}.{kind}"), "wb") as file:
                file.write(text(value))
        lines.append("\t".join([name, "raised" if raised else "message", expect, title]) + "\n")
    assert len({b[0] for b in bombs}) == len(bombs)
    with open(index, "w", encoding="utf-8") as file:
        file.writelines(lines)


main()
