# SPDX-License-Identifier: Apache-2.0
"""The validators: Ferrule, Ajv in one process of node, Blaze by its command. Each is asked about a group and
answers with a letter per instance: v valid, i invalid, r the schema was refused, e no answer."""

import json
import os
import platform
import re
import select
import shutil
import subprocess
import tempfile

import jsontext

PACKAGES = {"ajv": "8.20.0", "ajv-draft-04": "1.0.0", "@sourcemeta/jsonschema": "16.11.0"}
DIALECT_URIS = {
    "draft-04": "http://json-schema.org/draft-04/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema#",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
SECONDS = 10  # for one group
HERE = os.path.dirname(os.path.abspath(__file__))


class Missing(Exception):
    """What is needed is not there."""


def installed(folder):
    """Whether the pinned versions are there."""
    for name, version in PACKAGES.items():
        try:
            with open(os.path.join(folder, "node_modules", name, "package.json"), encoding="utf-8") as file:
                if json.load(file)["version"] != version:
                    return False
        except OSError:
            return False
    return True


def install(folder):
    """Has npm put the pinned packages below a folder, once."""
    if installed(folder):
        return
    if not shutil.which("npm"):
        raise Missing("npm, which installs the validators to compare with, is not there")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
        json.dump({"private": True, "dependencies": PACKAGES}, file)
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode or not installed(folder):
        raise Missing("npm could not install " + ", ".join(f"{n}@{v}" for n, v in PACKAGES.items()) + ": " + done.stderr[-500:])


class Answer:
    """What one validator says of a group: a letter per instance, and why, where it refused the schema."""

    def __init__(self, verdicts, refused=""):
        self.verdicts, self.refused = verdicts, refused


class Lines:
    """A validator that answers lines; started again where it hangs or dies."""

    def __init__(self, name, command):
        self.name, self.command, self.process = name, command, None

    def ask(self, group):
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.process.stdin.write(group.line().encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
            line = self.process.stdout.readline() if ready else b""
        except BrokenPipeError:
            line = b""
        if not line:
            self.close()
            return Answer("e" * len(group.instances), "no answer")
        return self.read(group, json.loads(line))

    def read(self, group, answer):
        if "refused" in answer:
            return Answer("r" * len(group.instances), answer["refused"])
        return Answer(answer["verdicts"])

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process = None


class Ferrule(Lines):
    """Remembers groups for which its two ways to ask differ, or that end it."""

    def __init__(self, program):
        super().__init__("ferrule", [program])
        self.split, self.deaths = [], []

    def ask(self, group):
        answer = super().ask(group)
        if answer.refused == "no answer":
            self.deaths.append(group)
        return answer

    def read(self, group, answer):
        if answer.get("verdicts") != answer.get("validated"):
            self.split.append((group, answer["verdicts"], answer["validated"]))
        return super().read(group, answer)


class Ajv(Lines):
    def __init__(self, folder):
        if not shutil.which("node"):
            raise Missing("node, which runs Ajv, is not there")
        super().__init__("ajv", ["node", "--stack-size=4000", os.path.join(HERE, "ajv_verdicts.js"), folder])


class Blaze:
    """A process per group, which reads the instances as JSON Lines: by turns fast and exhaustive."""

    name = "blaze"

    def __init__(self, folder):
        top = os.path.join(folder, "node_modules", "@sourcemeta", "jsonschema", "build", "github-releases")
        machine = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "")
        own = os.path.join(top, f"jsonschema-{platform.system().lower()}-{machine}")
        # The package's own starter costs a start of node; what it starts is taken where it is known to run.
        runs = os.access(own, os.R_OK) and self.starts(own)
        self.command = own if runs else os.path.join(folder, "node_modules", ".bin", "jsonschema")
        self.folder = tempfile.mkdtemp(prefix="blaze", dir=folder)

    @staticmethod
    def starts(program):
        try:
            return subprocess.run([program, "version"], capture_output=True).returncode == 0
        except OSError:
            return False

    def refuses_form(self, group):
        """Whether the schema is not valid by its meta-schema."""
        schema = os.path.join(self.folder, "schema.json")
        with open(schema, "w", encoding="utf-8") as file:
            file.write(jsontext.write(group.schema))
        done = subprocess.run([self.command, "metaschema", schema, "--default-dialect", DIALECT_URIS[group.dialect]],
                              capture_output=True, timeout=SECONDS)
        return done.returncode == 2 and b"Schema validation failure" in done.stderr + done.stdout

    def ask(self, group):
        schema, lines = os.path.join(self.folder, "schema.json"), os.path.join(self.folder, "instances.jsonl")
        with open(schema, "w", encoding="utf-8") as file:
            file.write(jsontext.write(group.schema))
        with open(lines, "w", encoding="utf-8") as file:
            file.writelines(jsontext.write(i) + "\n" for i in group.instances)
        mode = ["--fast"] if group.number % 2 == 0 else []
        try:
            done = subprocess.run([self.command, "validate", schema, lines, "--json", "--continue", *mode, "--default-dialect",
                                   DIALECT_URIS[group.dialect]], capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return Answer("e" * len(group.instances), "no answer")
        out = done.stdout.decode(errors="replace")
        found = re.findall(r'^  "valid": (true|false)', out, re.M)
        verdicts = "".join("v" if word == "true" else "i" for word in found)
        if len(verdicts) == len(group.instances):
            return Answer(verdicts)
        why = re.search(r'^  "error": (".*")', out, re.M)
        why = json.loads(why[1]) if why else f"exit {done.returncode} " + done.stderr.decode(errors="replace")[-300:]
        if found or done.returncode not in (1, 2, 3, 4):
            return self.go_on(group, verdicts, why)
        return Answer("r" * len(group.instances), why)

    def go_on(self, group, verdicts, why):
        """The command ended at an instance: the others are asked about without it."""
        rest = group.instances[len(verdicts) + 1:]
        if not rest:
            return Answer(verdicts + "e", why)
        more = self.ask(group.with_instances(rest))
        return Answer(verdicts + "e" + more.verdicts, why)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
