# SPDX-License-Identifier: Apache-2.0
"""Groups of pairs: a schema and instances to ask it about. Group n of a seed is the same whatever came before."""

import random

import jsontext
import mutate_instances
import mutate_schemas
from make_instances import Maker

PER_SUITE_GROUP, PER_REAL_GROUP = 9, 14
INSTANCES_MAX = 4000  # characters of an instance of which there are many


class Group:
    """Pairs of one schema."""

    def __init__(self, number, source, dialect, schema, instances):
        self.number, self.source, self.dialect, self.schema, self.instances = number, source, dialect, schema, instances

    def with_instances(self, instances):
        return Group(self.number, self.source, self.dialect, self.schema, instances)

    def line(self):
        return '{"dialect":"%s","schema":%s,"instances":%s}' % (
            self.dialect, jsontext.write(self.schema), jsontext.write(self.instances))


def gather(rng, instances, count, always):
    """Up to `count` different instances, most of them changed."""
    found, texts = [], set()
    for _ in range(count * 3):
        if len(found) == count:
            break
        instance = rng.choice(instances)
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            instance = mutate_instances.mutate(rng, instance, instances)
        text = jsontext.write(instance)
        if text not in texts and readable(instance):
            texts.add(text)
            found.append(instance)
    return found or [always]


def readable(instance):
    """Whether every reader takes it: strings without lone surrogates."""
    try:
        for _, value in jsontext.places(instance):
            for text in (list(value) if type(value) is dict else [value] if type(value) is str else []):
                text.encode()
    except UnicodeEncodeError:
        return False
    return True


def suite_group(rng, corpus, number):
    dialect = rng.choice(["draft-04", "draft-06", "draft-07", "draft-07", "2019-09", "2019-09", "2020-12", "2020-12", "2020-12"])
    seeds = corpus.suite[dialect]
    seed = rng.choice(seeds)
    draw = mutate_schemas.Draw(rng, seed, seeds)
    mutate_schemas.mutate(draw, rng.choice([0, 1, 1, 1, 2, 2, 3]), mutate_schemas.SMALL + mutate_schemas.LARGE)
    instances = gather(rng, draw.instances or [None], PER_SUITE_GROUP, None)
    return Group(number, f"{dialect}/{seed.name}", dialect, draw.schema, instances)


def real_group(rng, corpus, number):
    seed = rng.choice(corpus.tools if rng.random() < 0.75 else corpus.real)
    draw = mutate_schemas.Draw(rng, seed, corpus.tools)
    maker = Maker(rng, seed.schema)
    draw.instances = [i for i in rng.sample(seed.instances, min(4, len(seed.instances)))]
    draw.instances += [maker.make(seed.schema) for _ in range(8)]
    if rng.random() < 0.35:
        kinds = mutate_schemas.SMALL + ([mutate_schemas.wrap, mutate_schemas.nest] if rng.random() < 0.5 else [])
        mutate_schemas.mutate(draw, rng.choice([1, 1, 2]), kinds)
    instances = gather(rng, draw.instances, PER_REAL_GROUP, {})
    return Group(number, seed.name, seed.dialect, draw.schema, instances)


def group(corpus, seed, number):
    rng = random.Random(f"{seed}/{number}")
    return (suite_group if rng.random() < 0.7 else real_group)(rng, corpus, number)
