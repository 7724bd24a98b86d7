# SPDX-License-Identifier: Apache-2.0
"""ferrule import openapi: documents become records that ferrule check takes, in both notations."""

import json
import os
import tempfile

from command_line import SOURCE, case, expect, finish, inject, run

DATA = os.path.join(SOURCE, "tests/app/data/openapi")
LIBRARY, NOTES = os.path.join(DATA, "library.yaml"), os.path.join(DATA, "notes.json")


def imported(file, *options):
    result = run(["import", "openapi", file, *options])
    return json.loads(result.stdout), result


tools, result = imported(LIBRARY)
case("a document of 3.0", expect(result, 1, err=[
    "library.yaml:117:18: left out: a body can be JSON", "(PUT /covers/{id})", "6 tools of", "1 operation left out"])
    + ([] if [t["name"] for t in tools] == ["books_list", "books_add", "books_get", "books_replace", "books_remove",
                                            "POST_loans_search"] else [str([t["name"] for t in tools])]))
notes, result = imported(NOTES, "--namespace", "notes", "--provider", "mine", "--base-url", "https://notes.example")
case("a document of 3.1", expect(result, 0, err=["is not for callers to set"]) + [
    f"{t['name']}: {t['backend']}" for t in notes if t["namespace"] != "notes"
    or t["backend"]["provider"]["providerId"] != "mine"
    or t["backend"]["provider"]["http"]["server"] != "https://notes.example"])

for name, file in (("3.0", LIBRARY), ("3.1", NOTES)):
    for notation in ("json", "yaml"):
        text = run(["import", "openapi", file, "--format", notation]).stdout
        case(f"what is imported of {name} is clean, as {notation}",
             expect(run(["check", "--no-quality", "--input-format", notation, "-"], stdin=text), 0,
                    absent=["warning[", "error["]))

for glob, names in (("books_*", 5), ("books/*", 5), ("/books/{id}", 3), ("nothing", 0)):
    tools, _ = imported(LIBRARY, "--include", glob)
    case(f"only {glob}", [] if len(tools) == names else [str(tools)])
tools, _ = imported(LIBRARY, "--include", "books_add", "--include", "*loans*")
case("two globs", [] if len(tools) == 2 else [str(tools)])

case("standard input", expect(run(["import", "openapi", "-"], stdin=open(LIBRARY, encoding="utf-8").read()), 1,
                              out=["books_list"]))
case("no file", expect(run(["import", "openapi"]), 2, err=["needs one FILE"]))
case("a file that is not there", expect(run(["import", "openapi", "absent.yaml"]), 2, err=["absent.yaml"]))
case("no OpenAPI", expect(run(["import", "openapi", "-"], stdin='{\n "a": 1}'), 2,
                          err=["-:1:1: this is no OpenAPI document"]))
case("Swagger", expect(run(["import", "openapi", "-"], stdin='swagger: "2.0"'), 2, err=["-:1:10: Swagger 2.0"]))
case("broken YAML", expect(run(["import", "openapi", "-"], stdin="openapi: [3"), 2, err=["InvalidYaml", "-:"]))

with tempfile.TemporaryDirectory() as folder:
    large = os.path.join(folder, "large.json")
    with open(large, "wb") as file:
        file.truncate((64 << 20) + 1)
    case("too large", expect(run(["import", "openapi", large]), 2, err=["openapi.size: the limit is 67108864 bytes"]))

inject([["import", "openapi", NOTES]])
finish()
