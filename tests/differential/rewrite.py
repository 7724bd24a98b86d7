# SPDX-License-Identifier: Apache-2.0
"""Rewritings of pairs for the triage list. Each gives a new pair, or None where it has nothing to change."""

from decimal import Decimal
from urllib.parse import unquote

import jsontext
from jsontext import is_number, places
from pairs import Group
from schema_places import change, objects, pointer, subschemas

LARGEST = int(1.7976931348623157e308)
INHERITED = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
             "toLocaleString", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"]


def pair_of(pair, schema, instance):
    """The pair with these, or None where they are the same."""
    if jsontext.same(schema, pair.schema) and jsontext.same(instance, pair.instances[0]):
        return None
    return Group(pair.number, pair.source, pair.dialect, schema, [instance])


def equal(x, y):
    """As JSON Schema compares: numbers by value, true is not 1."""
    if is_number(x) and is_number(y):
        return x == y
    if type(x) is not type(y):
        return False
    if type(x) is list:
        return len(x) == len(y) and all(equal(a, b) for a, b in zip(x, y))
    if type(x) is dict:
        return x.keys() == y.keys() and all(equal(x[n], y[n]) for n in x)
    return x == y


def distinct(values):
    return [v for i, v in enumerate(values) if not any(equal(v, w) for w in values[:i])]


def of_schema(edit):
    """A rewriting that edits every subschema; edit gets a copy that it may change."""
    def rewriting(pair):
        return pair_of(pair, change(pair.schema, lambda sub: edit(sub) if type(sub) is dict else sub), pair.instances[0])
    return rewriting


def of_values(edit):
    """A rewriting that edits every value in both: edit(value) for leaves, edit(name) for member names."""
    def walk(value):
        if type(value) is dict:
            return {edit(name): walk(member) for name, member in value.items()}
        return [walk(item) for item in value] if type(value) is list else edit(value)
    return lambda pair: pair_of(pair, walk(pair.schema), walk(pair.instances[0]))


# ---- numbers ---------------------------------------------------------------------------------

def double(number):
    """The binary64 nearest to a number; the largest one for what is past it."""
    try:
        near = float(number)
    except OverflowError:
        near = float("inf") if number > 0 else float("-inf")
    if near in (float("inf"), float("-inf")):
        return LARGEST if near > 0 else -LARGEST
    return near


def rounded(value):
    if not is_number(value):
        return value
    near = double(value)
    if Decimal(near) == value:
        return value
    return int(near) if near == int(near) else Decimal(repr(near))


binary64 = of_values(rounded)


def integral(value):
    return int(value) if type(value) is Decimal and abs(value) < Decimal("1e400") and value == value.to_integral_value() else value


integral_as_integer = of_values(integral)


def contains_integral_decimal(pair):
    return any(type(v) is Decimal and jsontext.kind_of(v) == "integer" for _, v in places(pair.instances[0]))


def divides(number, step, largest):
    """Whether the quotient, as binary64, is whole; past `largest` (a limit of parseInt) it never is."""
    try:
        quotient = float(number) / float(step)
    except (OverflowError, ZeroDivisionError):
        return False
    return abs(quotient) < largest and quotient == int(quotient)


def multiples(largest):
    """multipleOf becomes the list of the instance's numbers that a division takes for multiples."""
    def rewriting(pair):
        numbers = distinct([v for _, v in places(pair.instances[0]) if is_number(v)])

        def edit(sub):
            step = sub.pop("multipleOf", None)
            if is_number(step):
                fits = [n for n in numbers if divides(n, step, largest)]
                choice = [{"enum": fits}] if fits else []
                sub["allOf"] = sub.get("allOf", []) + [{"anyOf": [{"not": {"type": "number"}}, *choice]}]
            return sub
        return of_schema(edit)(pair)
    return rewriting


multiple_by_division = multiples(1e21)
multiple_by_plain_division = multiples(float("inf"))


def past_64_bits(pair):
    return any(is_number(v) and abs(v) >= 2**63 for _, v in places([pair.schema, pair.instances[0]]))


# ---- references ------------------------------------------------------------------------------

def wrap_reference(sub):
    reference = {"$ref": sub.pop("$ref")}
    sub["allOf"] = sub.get("allOf", []) + [reference]
    return sub


siblings_of_references_kept = of_schema(lambda sub: wrap_reference(sub) if "$ref" in sub and len(sub) > 1 else sub)
own_reference_wrapped = of_schema(
    lambda sub: wrap_reference(sub) if "$id" in sub and str(sub.get("$ref", "")).startswith("#") else sub)


def root_reference_wrapped(pair):
    """The keywords beside the root's $ref are ignored, but for what other references lead to."""
    if type(pair.schema) is not dict or "$ref" not in pair.schema:
        return None
    kept = {n: v for n, v in pair.schema.items() if n in ("definitions", "$defs")}
    return pair_of(pair, {**kept, "allOf": [{"$ref": pair.schema["$ref"]}]}, pair.instances[0])


def lookup(schema, ref):
    """What a pointer in a fragment leads to, or None."""
    value = schema
    for step in unquote(ref[1:]).split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if type(value) is list and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif type(value) is dict and step in value:
            value = value[step]
        else:
            return None
    return value


def defined(pair):
    """Targets of references that stand where the dialect has no schemas are copied to definitions."""
    if type(pair.schema) is not dict:
        return None
    home = "$defs" if pair.dialect in ("2019-09", "2020-12") else "definitions"
    found, schema = {}, pair.schema

    def edit(sub):
        ref = sub.get("$ref")
        if type(ref) is str and ref.startswith("#/") and lookup(pair.schema, ref) is not None:
            found.setdefault(ref, f"moved{len(found)}")
            sub["$ref"] = f"#/{home}/{found[ref]}"
        return sub

    schema = change(schema, lambda sub: edit(sub) if type(sub) is dict else sub)
    done, extra = set(), {}
    while len(done) < len(found):
        for ref in [r for r in found if r not in done]:
            done.add(ref)
            extra[found[ref]] = change(lookup(pair.schema, ref), lambda sub: edit(sub) if type(sub) is dict else sub)
    unknown = {"$defs"} if home == "definitions" else set()
    schema = {n: v for n, v in schema.items() if n not in unknown}
    if extra:
        schema[home] = {**(schema.get(home) or {}), **extra}
    return pair_of(pair, schema, pair.instances[0])


def dangling_out(pair):
    """References by pointer that lead nowhere are taken out; they may only stand where nothing leads."""
    def edit(sub):
        ref = sub.get("$ref")
        if type(ref) is str and ref.startswith("#/") and lookup(pair.schema, ref) is None:
            del sub["$ref"]
        return sub
    return of_schema(edit)(pair)


def split_dependencies(sub):
    """dependencies as 2019-09 and later have it."""
    rows = sub.pop("dependencies", None)
    for name, row in rows.items() if type(rows) is dict else []:
        keyword = "dependentRequired" if type(row) is list else "dependentSchemas"
        sub.setdefault(keyword, {}).setdefault(name, row)
    return sub


dependencies_split = of_schema(split_dependencies)


def dynamic_out(sub):
    sub.pop("$dynamicRef", None)
    sub.pop("$recursiveRef", None)
    return sub


dynamic_references_out = of_schema(dynamic_out)


def embeds(pair):
    """Whether a subschema is a resource of its own."""
    return any(path and ("$id" in sub or "id" in sub) for path, sub in objects(pair.schema))


def resource_of(path, parts):
    """The embedded resource that a place is in, or the root."""
    while path and not (type(parts.get(path)) is dict and "$id" in parts[path]):
        path = path[:-1]
    return path


def loops_through_alternatives(pair):
    """Whether a subschema of anyOf or oneOf leads, by pointers, back to the schema that has it."""
    parts = dict(objects(pair.schema))
    for path in [p for p, sub in parts.items() if "anyOf" in sub or "oneOf" in sub]:
        home = resource_of(path, parts)
        resource, own = parts[home], "#" + pointer(path[len(home):])
        seen, todo = set(), [parts[path]]
        while todo:
            for _, part in subschemas(todo.pop()):
                ref = part.get("$ref") if type(part) is dict else None
                if type(ref) is str and ref.startswith("#") and ref not in seen:
                    seen.add(ref)
                    target = lookup(resource, ref)
                    if type(target) is dict:
                        todo.append(target)
        if any(own.startswith(ref) for ref in seen):
            return True
    return False


# ---- patterns, names, empty lists, annotations ---------------------------------------------------

def any_for_dot(pattern):
    """`.` outside of a class becomes a class of everything."""
    out, inside, at = "", False, 0
    while at < len(pattern):
        c = pattern[at]
        if c == "\\":
            out, at = out + pattern[at:at + 2], at + 2
            continue
        inside = c == "[" or inside and c != "]"
        out, at = out + ("[\\s\\S]" if c == "." and not inside else c), at + 1
    return out


def dots(sub):
    if type(sub.get("pattern")) is str:
        sub["pattern"] = any_for_dot(sub["pattern"])
    if type(sub.get("patternProperties")) is dict:
        sub["patternProperties"] = {any_for_dot(name): value for name, value in sub["patternProperties"].items()}
    return sub


dots_match_all = of_schema(dots)

inherited_names_renamed = of_values(lambda v: "X" + v[1:] if type(v) is str and v in INHERITED else v)


def plain_enum(sub):
    """Without repetitions; an empty list of values is no value at all."""
    values = sub.get("enum")
    if values == []:
        del sub["enum"]
        sub["allOf"] = sub.get("allOf", []) + [{"not": {}}]
    elif type(values) is list:
        sub["enum"] = distinct(values)
    return sub


enum_as_plain = of_schema(plain_enum)


def if_out(sub):
    if "then" not in sub and "else" not in sub:
        sub.pop("if", None)
    return sub


if_without_branches_out = of_schema(if_out)


def unevaluated_gone(sub):
    sub.pop("unevaluatedItems", None)
    sub.pop("unevaluatedProperties", None)
    return sub


unevaluated_out = of_schema(unevaluated_gone)


def covered(sub):
    """`unevaluated*` beside what evaluates everything is taken out; it never applies."""
    items = sub.get("items")
    if "items" in sub and type(items) is not list or type(items) is list and "additionalItems" in sub:
        sub.pop("unevaluatedItems", None)
    if "additionalProperties" in sub:
        sub.pop("unevaluatedProperties", None)
    return sub


unevaluated_beside_covering_out = of_schema(covered)
