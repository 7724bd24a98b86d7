# SPDX-License-Identifier: Apache-2.0
"""Changes of schemas. Each takes the draw at hand: a schema, its instances, and seeds to borrow from; a change
that puts the schema into another puts its instances along, so that it is still asked about them."""

from decimal import Decimal

from jsontext import copy, is_number, with_at
from mutate_instances import any_value
from schema_places import NOT_YET, OLD, identifiers, moved, objects, subschemas, uses

TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"]
REFERENCES = {"$ref", "$dynamicRef", "$recursiveRef"}


class Draw:
    """A schema on its way: what it is, and where it comes from."""

    def __init__(self, rng, seed, others):
        self.rng, self.dialect, self.others = rng, seed.dialect, others
        self.schema, self.instances = copy(seed.schema), [copy(i) for i in seed.instances]

    def other(self):
        """Another seed, whose schema can stand beside this one."""
        for _ in range(8):
            seed = self.rng.choice(self.others)
            names = identifiers(seed.schema)
            if not names or set(names).isdisjoint(identifiers(self.schema)):
                return seed
        return None

    def edit(self, path, new):
        self.schema = with_at(self.schema, path, new)

    def any_object(self):
        return self.rng.choice(objects(self.schema) or [((), None)])


def borrowed(draw):
    """(keyword, value) of another schema that needs nothing else of it."""
    for _ in range(8):
        seed = draw.other()
        if not seed:
            continue
        path, sub = draw.rng.choice(objects(seed.schema) or [((), {})])
        names = [n for n in sub if n not in ("$id", "id", "$schema", "$comment") and n not in REFERENCES]
        if not names:
            continue
        name = draw.rng.choice(names)
        if not uses({name: sub[name]}, REFERENCES) and not identifiers({name: sub[name]}):
            return name, copy(sub[name])
    return None


def drop_keyword(draw):
    path, sub = draw.any_object()
    if sub:
        name = draw.rng.choice(list(sub))
        draw.edit(path, {n: v for n, v in sub.items() if n != name})


def add_keyword(draw):
    path, sub = draw.any_object()
    found = borrowed(draw)
    if sub is not None and found and found[0] not in sub:
        draw.edit(path, {**sub, found[0]: found[1]})


def replace_value(draw):
    """The value of a keyword as another schema has it."""
    path, sub = draw.any_object()
    for _ in range(20):
        found = borrowed(draw)
        if sub and found and found[0] in sub:
            draw.edit(path, {**sub, found[0]: found[1]})
            return


def move_bound(draw):
    bounds = [(path + (name,), value) for path, sub in objects(draw.schema) for name, value in sub.items()
              if is_number(value)]
    if bounds:
        path, value = draw.rng.choice(bounds)
        new = value + draw.rng.choice([1, -1, 1, -1, Decimal("0.5")])
        draw.edit(path, max(new, 0) if path[-1].startswith(("min", "max")) and "imum" not in path[-1] else new)


def break_value(draw):
    """The value of a keyword is anything at all."""
    path, sub = draw.any_object()
    names = [n for n in sub or {} if not n.startswith("$") and n != "id"]
    if names:
        draw.edit(path + (draw.rng.choice(names),), any_value(draw.rng))


def swap_type(draw):
    path, sub = draw.any_object()
    if sub is None:
        return
    kinds = draw.rng.sample(TYPES, draw.rng.choice([1, 1, 2, 3]))
    draw.edit(path, {**sub, "type": kinds[0] if len(kinds) == 1 else kinds})


def replace_subschema(draw):
    places = [path for path, _ in subschemas(draw.schema) if path]
    seed = draw.other()
    if places and seed and not uses(seed.schema, REFERENCES) and not identifiers(seed.schema):
        draw.edit(draw.rng.choice(places), copy(seed.schema))
        draw.instances += [copy(i) for i in seed.instances[:3]]


def put_into(draw, shape, path, wrap):
    """The schema becomes shape(schema moved to path), its instances wrap(instance)."""
    draw.schema = shape(moved(draw.schema, path))
    draw.instances = [wrap(i) for i in draw.instances]


def nest(draw):
    """Into a keyword that applies to a part of an instance."""
    list_keyword = "prefixItems" if draw.dialect == "2020-12" else "items"
    rows = [
        (lambda s: {"items": s}, ("items",), lambda i: [i]),
        (lambda s: {"properties": {"a": s}}, ("properties", "a"), lambda i: {"a": i}),
        (lambda s: {"properties": {"a": s}, "required": ["a", "b"]}, ("properties", "a"), lambda i: {"a": i, "b": 1}),
        (lambda s: {"additionalProperties": s}, ("additionalProperties",), lambda i: {"a": i}),
        (lambda s: {"patternProperties": {"^a": s}}, ("patternProperties", "^a"), lambda i: {"ab": i}),
        (lambda s: {list_keyword: [s]}, (list_keyword, 0), lambda i: [i, i]),
    ]
    if draw.dialect != "draft-04":
        rows.append((lambda s: {"contains": s}, ("contains",), lambda i: [1, i]))
    if draw.dialect not in OLD:
        rows += [
            (lambda s: {"unevaluatedProperties": s}, ("unevaluatedProperties",), lambda i: {"a": i}),
            (lambda s: {"unevaluatedItems": s}, ("unevaluatedItems",), lambda i: [i]),
            (lambda s: {"contains": s, "minContains": 0, "maxContains": 1}, ("contains",), lambda i: [i, 2]),
        ]
    put_into(draw, *draw.rng.choice(rows))


def wrap(draw):
    """Into a keyword that applies to the same instance."""
    rows = [
        (lambda s: {"not": s}, ("not",)),
        (lambda s: {"not": {"not": s}}, ("not", "not")),
        (lambda s: {"allOf": [s]}, ("allOf", 0)),
        (lambda s: {"anyOf": [{"type": "integer"}, s]}, ("anyOf", 1)),
        (lambda s: {"oneOf": [{"type": "object"}, s]}, ("oneOf", 1)),
        (lambda s: {"definitions": {"x": s}, "allOf": [{"$ref": "#/definitions/x"}]}, ("definitions", "x")),
        (lambda s: {"definitions": {"x": s}, "$ref": "#/definitions/x"}, ("definitions", "x")),
    ]
    if draw.dialect not in NOT_YET:
        rows += [(lambda s: {"if": s, "then": {"minProperties": 1}, "else": {"type": ["array", "string"]}}, ("if",)),
                 (lambda s: {"if": {"type": "object"}, "then": s}, ("then",)),
                 (lambda s: {"if": {"maxLength": 2}, "else": s}, ("else",))]
    if draw.dialect not in OLD:
        rows += [(lambda s: {"allOf": [s], "unevaluatedProperties": False}, ("allOf", 0)),
                 (lambda s: {"anyOf": [s, True], "unevaluatedItems": False}, ("anyOf", 0)),
                 (lambda s: {"if": s, "unevaluatedProperties": {"type": "string"}}, ("if",)),
                 (lambda s: {"dependentSchemas": {"foo": s}, "unevaluatedProperties": False}, ("dependentSchemas", "foo"))]
    shape, path = draw.rng.choice(rows)
    put_into(draw, shape, path, lambda i: i)


def join(draw):
    """With another schema: allOf, anyOf, oneOf, as properties, as a condition."""
    seed = draw.other()
    if not seed:
        return
    one, two = draw.schema, seed.schema
    also = [copy(i) for i in seed.instances]
    keyword = draw.rng.choice(["allOf", "anyOf", "oneOf", "properties", "if"])
    if keyword == "if" and draw.dialect in NOT_YET:
        keyword = "allOf"
    if keyword == "if":
        draw.schema = {"if": moved(one, ("if",)), "then": moved(two, ("then",))}
    elif keyword == "properties":
        draw.schema = {keyword: {"a": moved(one, (keyword, "a")), "b": moved(two, (keyword, "b"))}}
        draw.instances = [{"a": i, "b": draw.rng.choice(also)} for i in draw.instances] if also else draw.instances
        return
    else:
        draw.schema = {keyword: [moved(one, (keyword, 0)), moved(two, (keyword, 1))]}
    draw.instances += also
    if draw.dialect not in OLD and draw.rng.random() < 0.3:
        draw.schema[draw.rng.choice(["unevaluatedProperties", "unevaluatedItems"])] = False


SMALL = [drop_keyword, add_keyword, add_keyword, replace_value, move_bound, move_bound, swap_type, swap_type, break_value]
LARGE = [nest, nest, wrap, wrap, join, join, replace_subschema]


def mutate(draw, count, kinds):
    for _ in range(count):
        before = draw.schema, draw.instances
        draw.rng.choice(kinds)(draw)
        names = identifiers(draw.schema)
        if len(names) != len(set(names)):
            draw.schema, draw.instances = before
