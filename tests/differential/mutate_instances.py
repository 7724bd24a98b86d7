# SPDX-License-Identifier: Apache-2.0
"""Changes of instances: another type, an edge, a member more or fewer, a part of another instance."""

from decimal import Decimal

from jsontext import copy, is_number, places, with_at

NUMBERS = [0, -1, 1, 2, 3, 100, Decimal("1.0"), Decimal("0.5"), Decimal("-0.0"), Decimal("1e2"), Decimal("1.1"),
           Decimal("0.0075"), Decimal("1e-7"), 2**31, 2**53, 2**53 + 1, -(2**63), 2**63, 2**64, Decimal("1e22"),
           Decimal("12345678901234567890.5"), 10**30 + 1, Decimal("1e308"), Decimal("1e400"), Decimal("1e-400")]
STRINGS = ["", "a", "foo", "ab", "abc", "1", "true", "null", "é", "e\u0301", "😀", "😀😀", " ", "\n", "a\nb", "\u0000",
           "\u2028", "\ufeff", "2020-01-01", "foo/bar", "~0~1", "__proto__", "A", "ſ", "K", "日本", "a" * 40]
NAMES = ["foo", "bar", "baz", "a", "b", "", "foo bar", "foo\nbar", "__proto__", "constructor", "toString", "length",
         "hasOwnProperty", "1", "0", "é", "😀", "$ref", "~", "/"]
OTHERS = [None, True, False, [], {}, [1], ["a"], [1, 1], [[]], {"foo": 1}, {"a": 1, "b": 2}, {"foo": "bar"}, [None, False, 0, ""]]


def any_value(rng):
    return copy(rng.choice(rng.choice([NUMBERS, STRINGS, OTHERS])))


def change_text(rng, text):
    return rng.choice([text + "a", text[:-1], text + "😀", text.upper(), text + "\n", " " + text, text[:1], text * 2])


def change_number(rng, number):
    if abs(number) > 10**100 or (number and abs(number) < Decimal("1e-100")):
        return rng.choice(NUMBERS)
    return rng.choice([number + 1, number - 1, -number, number + Decimal("0.5"), number * 10, Decimal(number), number * 2,
                       Decimal(str(number) + ".0") if type(number) is int else number])


def change_members(rng, value):
    value = dict(value)
    what = rng.randrange(4)
    if what == 0 and value:
        del value[rng.choice(list(value))]
    elif what == 1 and value:
        value[rng.choice(NAMES)] = value.pop(rng.choice(list(value)))
    elif what == 2 and value:
        value[rng.choice(list(value))] = any_value(rng)
    else:
        value[rng.choice(NAMES)] = any_value(rng)
    return value


def change_items(rng, value):
    value = list(value)
    what = rng.randrange(4)
    if what == 0 and value:
        del value[rng.randrange(len(value))]
    elif what == 1 and value:
        value.append(copy(rng.choice(value)))
    elif what == 2 and value:
        rng.shuffle(value)
    else:
        value.insert(rng.randint(0, len(value)), any_value(rng))
    return value


def change(rng, value):
    kind = type(value)
    if kind is dict:
        return change_members(rng, value)
    if kind is list:
        return change_items(rng, value)
    if kind is str:
        return change_text(rng, value)
    if is_number(value):
        return change_number(rng, value)
    return any_value(rng)


def mutate(rng, instance, siblings):
    """One change at one place."""
    path, value = rng.choice(list(places(instance)))
    what = rng.random()
    if what < 0.2:
        new = any_value(rng)
    elif what < 0.3 and siblings:
        new = copy(rng.choice(list(places(rng.choice(siblings))))[1])
    elif what < 0.37:
        new = rng.choice([[value], {"foo": value}, {"a": value, "b": value}, [value, value]])
    else:
        new = change(rng, value)
    return with_at(instance, path, new)
