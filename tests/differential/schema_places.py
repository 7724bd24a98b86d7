# SPDX-License-Identifier: Apache-2.0
"""Where a schema has schemas, and how one is put into another."""

from urllib.parse import quote

from jsontext import copy

ONE = {"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
       "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
LIST = {"allOf", "anyOf", "oneOf", "prefixItems", "items"}
MAP = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties", "dependencies"}
OLD = {"draft-04", "draft-06", "draft-07"}
NOT_YET = {
    "draft-04": {"const", "contains", "propertyNames", "if", "then", "else", "$id"},
    "draft-06": {"if", "then", "else"},
}


def is_schema(value):
    return type(value) in (dict, bool)


def subschemas(schema, path=()):
    """Every (path, schema), itself first. Values of unknown keywords are no schemas."""
    yield path, schema
    if type(schema) is not dict:
        return
    for keyword, value in schema.items():
        if keyword in ONE and is_schema(value):
            yield from subschemas(value, path + (keyword,))
        if keyword in LIST and type(value) is list:
            for i, item in enumerate(value):
                if is_schema(item):
                    yield from subschemas(item, path + (keyword, i))
        if keyword in MAP and type(value) is dict:
            for name, member in value.items():
                if is_schema(member):
                    yield from subschemas(member, path + (keyword, name))


def objects(schema):
    """Every schema that is an object."""
    return [(path, sub) for path, sub in subschemas(schema) if type(sub) is dict]


def uses(schema, keywords):
    """Whether a keyword of a set stands anywhere in a schema."""
    return any(not keywords.isdisjoint(sub) for _, sub in objects(schema))


def change(schema, edit):
    """A copy in which every subschema went through edit(copy), innermost first."""
    def walk(sub):
        if type(sub) is not dict:
            return edit(sub)
        out = {}
        for keyword, value in sub.items():
            if keyword in ONE and is_schema(value):
                value = walk(value)
            elif keyword in LIST and type(value) is list:
                value = [walk(item) if is_schema(item) else copy(item) for item in value]
            elif keyword in MAP and type(value) is dict:
                value = {name: walk(member) if is_schema(member) else copy(member) for name, member in value.items()}
            else:
                value = copy(value)
            out[keyword] = value
        return edit(out)
    return walk(schema)


def identifiers(schema):
    """All that a reference can name: `$id`s, anchors."""
    found = []
    for path, sub in objects(schema):
        for keyword in ("$id", "id", "$anchor", "$dynamicAnchor"):
            if type(sub.get(keyword)) is str:
                found.append(sub[keyword])
        if path == () and sub.get("$recursiveAnchor") is True:
            found.append("$recursiveAnchor")
    return found


def pointer(path):
    """As the fragment of a URI has it."""
    return "".join("/" + quote(str(step).replace("~", "~0").replace("/", "~1"), safe="~$") for step in path)


def resource_path(path, resources):
    """Whether a place is in the root's own resource, none of the embedded ones."""
    return not any(path[:len(r)] == r for r in resources)


def moved(schema, path):
    """A copy for a place within another schema: pointers from the root lead there again."""
    schema = copy(schema)
    if type(schema) is not dict or "$id" in schema or "id" in schema:
        return schema
    prefix, parts = "#" + pointer(path), objects(schema)
    embedded = [at for at, sub in parts if at and (type(sub.get("$id")) is str or type(sub.get("id")) is str)]
    for at, sub in parts:
        for keyword in ("$ref", "$dynamicRef") if resource_path(at, embedded) else ():
            ref = sub.get(keyword)
            if type(ref) is str and (ref == "#" or ref.startswith("#/")):
                sub[keyword] = prefix + ref[1:]
    return schema
