# SPDX-License-Identifier: Apache-2.0
"""JSON text that keeps every digit: integers are int, other numbers Decimal, in the text's own form."""

import json
from decimal import Decimal


def read(text):
    return json.loads(text, parse_float=Decimal)


def write(value):
    parts = []
    put(value, parts.append)
    return "".join(parts)


def put(value, out):
    kind = type(value)
    if kind is str:
        out(json.dumps(value))
    elif kind is dict:
        out("{")
        for i, (name, member) in enumerate(value.items()):
            out(("," if i else "") + json.dumps(name) + ":")
            put(member, out)
        out("}")
    elif kind is list:
        out("[")
        for i, item in enumerate(value):
            if i:
                out(",")
            put(item, out)
        out("]")
    elif kind is int or kind is Decimal:
        out(str(value))
    else:
        out({True: "true", False: "false", None: "null"}[value])


def copy(value):
    if type(value) is dict:
        return {name: copy(member) for name, member in value.items()}
    if type(value) is list:
        return [copy(item) for item in value]
    return value


def is_number(value):
    return type(value) in (int, Decimal)


def kind_of(value):
    """The type of JSON Schema."""
    if value is None:
        return "null"
    kind = {bool: "boolean", int: "integer", str: "string", list: "array", dict: "object"}.get(type(value))
    if kind:
        return kind
    return "integer" if value == value.to_integral_value() else "number"


def places(value, path=()):
    """Every (path, value) in a value, itself first."""
    yield path, value
    if type(value) is dict:
        for name, member in value.items():
            yield from places(member, path + (name,))
    elif type(value) is list:
        for i, item in enumerate(value):
            yield from places(item, path + (i,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def with_at(value, path, new):
    """A copy in which the value at a path is another; shares what is not on the path."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    out = value.copy()
    out[step] = with_at(value[step], rest, new)
    return out


def same(x, y):
    """Whether two values are the same text, which tells 1 from 1.0 and true."""
    return write(x) == write(y)
