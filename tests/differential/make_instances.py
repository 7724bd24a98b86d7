# SPDX-License-Identifier: Apache-2.0
"""Instances made from a schema. They try to be valid; that they often are is enough."""

import re
import warnings
from decimal import Decimal

from jsontext import copy, is_number
from mutate_instances import STRINGS, any_value

DEEP = 7
WORDS = ["name", "value", "main", "README.md", "https://example.com/a", "2024-05-01", "2024-05-01T10:00:00Z", "user@example.com",
         "hello world", "x", "é", "42", "550e8400-e29b-41d4-a716-446655440000"]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import sre_parse


class Maker:
    def __init__(self, rng, root):
        self.rng, self.root = rng, root

    def target(self, ref):
        """What a pointer from the root leads to; anything at all where it leads nowhere."""
        value = self.root
        if not ref.startswith("#"):
            return True
        for step in ref[1:].split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if type(value) is dict and step in value:
                value = value[step]
            elif type(value) is list and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            else:
                return True
        return value if ref == "#" or ref.startswith("#/") else True

    def make(self, schema, depth=0):
        rng = self.rng
        if type(schema) is not dict:
            return any_value(rng)
        if depth > DEEP:
            return self.shallow(schema)
        if "const" in schema:
            return copy(schema["const"])
        if type(schema.get("enum")) is list and schema["enum"]:
            return copy(rng.choice(schema["enum"]))
        if type(schema.get("$ref")) is str and rng.random() < 0.95:
            return self.make(self.target(schema["$ref"]), depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if type(schema.get(keyword)) is list and schema[keyword] and rng.random() < 0.9:
                return self.joined(schema, rng.choice(schema[keyword]), depth)
        if type(schema.get("allOf")) is list and schema["allOf"]:
            return self.joined({n: v for n, v in schema.items() if n != "allOf"}, *schema["allOf"], depth)
        if "default" in schema and rng.random() < 0.15:
            return copy(schema["default"])
        return self.of_type(schema, self.kind(schema), depth)

    def joined(self, schema, *rest):
        """One instance for several schemas: objects are put together."""
        *others, depth = rest
        rest = {n: v for n, v in schema.items() if n not in ("anyOf", "oneOf")}
        parts = [self.make(s, depth + 1) for s in others]
        if not set(rest).isdisjoint({"type", "properties", "items", "required", "allOf"}):
            parts.insert(0, self.make(rest, depth + 1))
        if parts and all(type(p) is dict for p in parts):
            whole = {}
            for part in parts:
                whole.update(part)
            return whole
        return self.rng.choice(parts) if parts else any_value(self.rng)

    def kind(self, schema):
        kind = schema.get("type")
        if type(kind) is list and kind:
            return self.rng.choice(kind)
        if type(kind) is str:
            return kind
        for kind, signs in (("object", {"properties", "required", "additionalProperties", "patternProperties", "minProperties"}),
                            ("array", {"items", "prefixItems", "minItems", "contains", "uniqueItems"}),
                            ("string", {"minLength", "maxLength", "pattern", "format"}),
                            ("number", {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"})):
            if not signs.isdisjoint(schema):
                return kind
        return self.rng.choice(["string", "integer", "object", "boolean"])

    def shallow(self, schema):
        return {"object": {}, "array": [], "string": "a", "integer": 1, "number": 1, "boolean": True}.get(self.kind(schema))

    def of_type(self, schema, kind, depth):
        if kind == "object":
            return self.make_object(schema, depth)
        if kind == "array":
            return self.make_array(schema, depth)
        if kind == "string":
            return self.make_string(schema)
        if kind in ("integer", "number"):
            return self.make_number(schema, kind)
        return self.rng.choice([True, False]) if kind == "boolean" else None

    def make_object(self, schema, depth):
        rng, value = self.rng, {}
        properties = schema.get("properties") if type(schema.get("properties")) is dict else {}
        required = schema.get("required") if type(schema.get("required")) is list else []
        likely = rng.choice([0.1, 0.3, 0.8]) if depth < 3 else 0.15
        for name, sub in properties.items():
            if name in required or rng.random() < likely:
                value[name] = self.make(sub, depth + 1)
        more = schema.get("additionalProperties")
        for name in required:
            if type(name) is str and name not in value:
                value[name] = self.make(more if type(more) is dict else {}, depth + 1)
        if type(more) is dict and rng.random() < 0.6:
            value[rng.choice(["a", "foo", "X-Key"])] = self.make(more, depth + 1)
        patterns = schema.get("patternProperties")
        for pattern, sub in patterns.items() if type(patterns) is dict else []:
            if rng.random() < 0.5:
                value[self.matching(pattern)] = self.make(sub, depth + 1)
        return value

    def make_array(self, schema, depth):
        rng, items = self.rng, schema.get("items")
        first = schema.get("prefixItems", items if type(items) is list else [])
        value = [self.make(s, depth + 1) for s in first] if type(first) is list else []
        low, high = schema.get("minItems", 0), schema.get("maxItems", 6)
        count = rng.randint(0, 3)
        if type(low) is int and type(high) is int:
            count = min(max(count, low), max(high, low), 12)
        rest = items if type(items) is dict else schema.get("contains", {})
        while len(value) < count:
            value.append(self.make(rest, depth + 1))
        return value

    def make_string(self, schema):
        rng = self.rng
        if type(schema.get("pattern")) is str and rng.random() < 0.85:
            return self.matching(schema["pattern"])
        text = rng.choice(WORDS if rng.random() < 0.8 else STRINGS)
        low, high = schema.get("minLength"), schema.get("maxLength")
        if type(low) is int and len(text) < low <= 1000:
            text += "x" * (low - len(text))
        if type(high) is int and len(text) > high >= 0:
            text = text[:high]
        return text

    def make_number(self, schema, kind):
        rng = self.rng
        bounds = [schema[n] for n in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if is_number(schema.get(n))]
        value = rng.choice(bounds) + rng.choice([0, 0, 1, -1, 2]) if bounds else rng.choice([0, 1, 2, 5, 10, 42, -1, 1000])
        step = schema.get("multipleOf")
        if is_number(step) and step:
            value = step * rng.randint(0, 20)
        return value + Decimal("0.25") if kind == "number" and rng.random() < 0.2 else value

    def matching(self, pattern):
        """A text that a pattern matches, as far as Python reads it as ECMA-262 does."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return "".join(self.expand(sre_parse.parse(pattern)))[:2000]
        except (re.error, OverflowError, RecursionError):
            return self.rng.choice(STRINGS)

    def expand(self, parsed):
        rng = self.rng
        for op, value in parsed:
            name = str(op)
            if name == "LITERAL":
                yield chr(value)
            elif name in ("ANY", "NOT_LITERAL"):
                yield rng.choice("aZ5é")
            elif name == "IN":
                yield self.one_of(value)
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                low, high, inner = value
                for _ in range(rng.randint(low, min(int(high), low + 3))):
                    yield from self.expand(inner)
            elif name == "SUBPATTERN":
                yield from self.expand(value[-1])
            elif name == "BRANCH":
                yield from self.expand(rng.choice(value[1]))

    def one_of(self, choices):
        rng = self.rng
        if str(choices[0][0]) == "NEGATE":
            return rng.choice("aZ5_ é-")
        op, value = rng.choice(choices)
        if str(op) == "RANGE":
            return chr(rng.randint(*value))
        if str(op) == "LITERAL":
            return chr(value)
        return {"CATEGORY_DIGIT": "7", "CATEGORY_WORD": "w", "CATEGORY_SPACE": " "}.get(str(value), "-")
