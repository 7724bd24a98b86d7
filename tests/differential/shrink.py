# SPDX-License-Identifier: Apache-2.0
"""Makes a pair smaller while something still holds of it."""

import jsontext
from jsontext import places, with_at
from pairs import Group

TRIES = 600


def smaller(value):
    """Values that are smaller by one step, the smallest first."""
    for path, part in places(value):
        if type(part) is dict or type(part) is list:
            for child in part.values() if type(part) is dict else part:
                yield with_at(value, path, child)
            yield with_at(value, path, type(part)())
            for step in list(part) if type(part) is dict else range(len(part)):
                fewer = part.copy()
                del fewer[step]
                yield with_at(value, path, fewer)
        elif type(part) is str and len(part) > 1:
            yield with_at(value, path, part[:len(part) // 2])
            yield with_at(value, path, part[1:])
            yield with_at(value, path, part[:-1])


def shrink(pair, holds):
    """`holds` is asked of pairs; the one given holds. Schema and instance shrink by turns."""
    tries, again = 0, True
    while again and tries < TRIES:
        again = False
        for make in (lambda p: ((s, p.instances[0]) for s in smaller(p.schema)),
                     lambda p: ((p.schema, i) for i in smaller(p.instances[0]))):
            for schema, instance in make(pair):
                new = Group(pair.number, pair.source, pair.dialect, schema, [instance])
                if size(new) >= size(pair):
                    continue
                tries += 1
                if holds(new):
                    pair, again = new, True
                    break
                if tries >= TRIES:
                    break
    return pair


def size(pair):
    return len(jsontext.write(pair.schema)) + len(jsontext.write(pair.instances))
