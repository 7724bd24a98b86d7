# SPDX-License-Identifier: Apache-2.0
"""What the pairs are made from: the official suite, tools of real servers, schemas with instances. Seeds are
read in the order of their names, so that a seed of the generator means the same pairs everywhere."""

import glob
import os

import jsontext
from schema_places import objects

SUITE = {"draft-04": "draft4", "draft-06": "draft6", "draft-07": "draft7", "2019-09": "draft2019-09", "2020-12": "draft2020-12"}
URIS = {
    "http://json-schema.org/draft-04/schema": "draft-04",
    "http://json-schema.org/draft-06/schema": "draft-06",
    "http://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
}
# Needs another dialect, a vocabulary of one's own, or schemas from elsewhere.
LEFT_OUT = {"vocabulary.json", "cross-draft.json", "no-schema.json", "refRemote.json"}
INSTANCE_MAX = 20000  # characters


class Seed:
    """A schema of a dialect and instances that belong to it."""

    def __init__(self, name, dialect, schema, instances):
        self.name, self.dialect, self.schema, self.instances = name, dialect, schema, instances


def without_dialect(schema):
    """(the schema without `$schema`, the dialect it named or None, whether that is a known one)."""
    if type(schema) is not dict or "$schema" not in schema:
        return schema, None, True
    rest = {name: value for name, value in schema.items() if name != "$schema"}
    dialect = URIS.get(str(schema["$schema"]).rstrip("#"))
    return rest, dialect, dialect is not None


def load(path):
    with open(path, encoding="utf-8") as file:
        return jsontext.read(file.read())


def plain(schema):
    """Whether all of it is of one dialect and nothing has to be fetched."""
    for path, sub in objects(schema):
        if path and "$schema" in sub:
            return False
        ref = sub.get("$ref")
        if type(ref) is str and "localhost:1234" in ref:
            return False
    return True


def suite_seeds(root):
    """{dialect: [Seed]} of the required and optional tests."""
    seeds = {}
    for dialect, folder in SUITE.items():
        top = os.path.join(root, "json-schema-test-suite", "tests", folder)
        files = sorted(glob.glob(os.path.join(top, "*.json")) + glob.glob(os.path.join(top, "optional", "*.json")))
        seeds[dialect] = []
        for path in files:
            if os.path.basename(path) in LEFT_OUT:
                continue
            for group in load(path):
                schema, named, known = without_dialect(group["schema"])
                if known and named in (None, dialect) and plain(schema):
                    name = os.path.relpath(path, top) + ": " + group["description"]
                    seeds[dialect].append(Seed(name, dialect, schema, [test["data"] for test in group["tests"]]))
    return seeds


def tool_seeds(root):
    """The input and output schemas of tools; 2020-12 where they say nothing, as MCP has it."""
    seeds, seen = [], set()
    for path in sorted(glob.glob(os.path.join(root, "tools", "*.json"))):
        for tool in load(path)["tools"]:
            for field in ("inputSchema", "outputSchema"):
                schema, named, known = without_dialect(tool.get(field))
                if type(schema) is not dict or not known or not plain(schema):
                    continue
                text = jsontext.write(schema)
                if text not in seen:
                    seen.add(text)
                    seeds.append(Seed(f"{os.path.basename(path)}: {tool['name']}", named or "2020-12", schema, []))
    return seeds


def real_seeds(root):
    """Schemas with instances."""
    seeds = []
    for path in sorted(glob.glob(os.path.join(root, "schemas", "*", "*", "schema.json"))):
        schema, named, known = without_dialect(load(path))
        if not known or not plain(schema):
            continue
        instances = []
        for name in ("instances.jsonl", "invalid.jsonl"):
            lines = os.path.join(os.path.dirname(path), name)
            if os.path.exists(lines):
                with open(lines, encoding="utf-8") as file:
                    instances += [line for line in file.read().split("\n") if line and len(line) < INSTANCE_MAX][:200]
        name = "/".join(path.split(os.sep)[-3:-1])
        seeds.append(Seed(name, named or "2020-12", schema, [jsontext.read(line) for line in instances]))
    return seeds


class Corpus:
    def __init__(self, root):
        self.suite, self.tools, self.real = suite_seeds(root), tool_seeds(root), real_seeds(root)

    def all(self):
        return [seed for seeds in self.suite.values() for seed in seeds] + self.tools + self.real
