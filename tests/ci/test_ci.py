#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ferrule where CI runs it: SARIF held against its schema and the validator of its makers, the steps of the example
workflow, and the hooks under pre-commit. What is not installed is skipped. Speaks TAP.
Arguments: ferrule, ferrule with faults, source folder, build folder."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))

from command_line import FERRULE, SOURCE, case, expect, finish, run, skip  # noqa: E402
from packages import find  # noqa: E402

BUILD = os.path.abspath(sys.argv[4])
ABSENT = "the npm packages are not there; `make ci-packages` brings them"
GOOD = {"name": "get_note", "title": "Get a note", "description": "Returns the note with the given ID.",
        "inputSchema": {"type": "object", "properties": {"note_id": {"type": "string", "description": "The ID of the note."}},
                        "required": ["note_id"], "additionalProperties": False}}
BAD = dict(GOOD, name="get note")
SARIFS = [
    ("tools", ["check", "-f", "sarif", "-p", "all", "examples/toolset"], ""),
    ("nothing found", ["check", "-f", "sarif"], "[]"),
    ("unreadable input", ["check", "-f", "sarif", "-i", "json"], "{"),
    ("a missing file", ["check", "-f", "sarif", "/nonexistent/a b%é.json"], ""),
    ("schemas", ["schema", "lint", "-f", "sarif", "examples/orders/order.schema.json", "-"], '{"type":"objekt","x":{"$ref":"#/y"}}'),
    ("instances", ["validate", "-f", "sarif", "--schema", "examples/orders/order.schema.json", "examples/toolset/tickets.json"], ""),
]


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n")


def undeclared(sarif):
    """Results of rules that the run does not declare."""
    ids = {rule["id"] for rule in sarif["tool"]["driver"]["rules"]}
    return [r["ruleId"] for r in sarif["results"] if r["ruleId"] not in ids]


# ---- SARIF ------------------------------------------------------------------------------------


def sarif_schema(logs):
    schema = find(BUILD, "@microsoft/jest-sarif", "lib/schemas/sarif-2.1.0-rtm.5.json")
    if not schema:
        skip("sarif: valid by its own schema", ABSENT)
        return
    for name, text in logs.items():
        case(f"sarif: {name}: valid by its own schema",
             expect(run(["validate", "--assert-formats", "--schema", schema, "-"], text), 0, ["1 valid"]))
    broken = logs["tools"].replace(b'"startLine":', b'"startLine":-', 1)
    case("sarif: the schema refuses what is wrong",
         expect(run(["validate", "--schema", schema, "-"], broken), 1, ["/region/startLine"]))


def sarif_multitool(logs, scratch):
    program = find(BUILD, "@microsoft/sarif-multitool-linux", "Sarif.Multitool")
    if not program or platform.machine() != "x86_64":
        skip("sarif: SARIF Multitool", ABSENT)
        return
    os.chmod(program, 0o755)
    files = []
    for name, text in logs.items():
        files.append(os.path.join(scratch, name.replace(" ", "-") + ".sarif"))
        write(files[-1], text.decode())
    for kind, what in (("Sarif", "SARIF's"), ("Ghas", "GitHub's code scanning")):
        done = subprocess.run([program, "validate", *files, "--rule-kind", kind], capture_output=True, text=True,
                              cwd=scratch, timeout=240, env=dict(os.environ, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1"))
        wrong = [line[-300:] for line in done.stdout.splitlines() if ": error " in line]
        if f"{len(files)} files scanned" not in done.stdout:
            wrong.append((done.stdout + done.stderr)[-500:])
        case(f"sarif: SARIF Multitool finds no error by the rules of {what}", wrong[:5])


def sarif(scratch):
    logs = {name: run(args, stdin).stdout for name, args, stdin in SARIFS}
    for name, text in logs.items():
        case(f"sarif: {name}: rules are declared", undeclared(json.loads(text)["runs"][0])[:3])
    sarif_schema(logs)
    sarif_multitool(logs, scratch)


# ---- the workflow --------------------------------------------------------------------------------


def schemas_of_files():
    store = find(BUILD, "schemastore", "schemas/json")
    if not store:
        skip("files of CI: valid by their schemas", ABSENT)
        return
    hooks = os.path.join(store, "pre-commit-hooks.json")
    for schema, file in (("github-workflow", "examples/ci/ferrule.yml"), ("pre-commit-config", "examples/ci/pre-commit-config.yaml"),
                         ("pre-commit-hooks", ".pre-commit-hooks.yaml")):
        args = ["validate", "--schema", os.path.join(store, schema + ".json"), file]
        if schema == "pre-commit-config":
            args += ["--register", f"https://json.schemastore.org/pre-commit-hooks.json={hooks}"]
        case(f"{file}: valid by its schema", expect(run(args), 0, ["1 valid"]))


def steps():
    """The run-steps of the workflow, but for the one that installs Ferrule."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
        schema.write("{}")
        schema.flush()
        workflow = json.loads(run(["validate", "--schema", schema.name, "--fill-defaults", "examples/ci/ferrule.yml"]).stdout)
    return [step for step in workflow["jobs"]["check"]["steps"] if "run" in step and "apt-get" not in step["run"]]


def job(folder, env):
    """What GitHub does: each step under bash -e; after a failure only those with always(). True: all went well."""
    well, text = True, ""
    for step in steps():
        if well or step.get("if") == "always()":
            done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=folder, env=env, capture_output=True, text=True)
            well, text = well and done.returncode == 0, text + done.stdout + done.stderr
    return well, text


def workflow(scratch, env):
    for name, tool, well in (("good tools pass", GOOD, True), ("a bad tool fails", BAD, False)):
        folder = os.path.join(scratch, name)
        write(os.path.join(folder, "tools", "note.json"), tool)
        passed, text = job(folder, env)
        with open(os.path.join(folder, "ferrule.sarif"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        problems = [] if passed == well else [text]
        if not well and "::error file=tools/note.json,line=2,col=11,title=name.charset" not in text:
            problems.append(text)
        if well == any(r["level"] == "error" for r in results):
            problems.append(str(results))
        case(f"workflow: {name}", problems)


# ---- pre-commit -----------------------------------------------------------------------------------


def git(folder, *args, env):
    return subprocess.run(["git", *args], cwd=folder, env=env, capture_output=True, text=True)


def repository(folder, env):
    os.makedirs(folder)
    git(folder, "init", "-q", env=env)
    return folder


def commit(folder, tool, env):
    """Commits a tool past the hooks of the repository."""
    write(os.path.join(folder, "tools", "note.json"), tool)
    git(folder, "add", "-A", env=env)
    done = git(folder, "commit", "-m", "note", env=env)
    return done.returncode, done.stdout + done.stderr


def told(wanted, words, answer):
    code, text = answer
    problems = [] if (code == 0) == wanted else [f"exit {code}: {text}"]
    return problems + [f"it lacks {w!r}: {text}" for w in words if w not in text]


def hooks_by_url(scratch, env):
    """A configuration that names a repository with our .pre-commit-hooks.yaml."""
    hooks = repository(os.path.join(scratch, "hooks"), env)
    shutil.copy(os.path.join(SOURCE, ".pre-commit-hooks.yaml"), hooks)
    git(hooks, "add", "-A", env=env)
    git(hooks, "commit", "-qm", "hooks", env=env)
    revision = git(hooks, "rev-parse", "HEAD", env=env).stdout.strip()
    folder = repository(os.path.join(scratch, "by-url"), env)
    write(os.path.join(folder, ".pre-commit-config.yaml"),
          f"repos:\n  - repo: {hooks}\n    rev: {revision}\n    hooks: [{{id: ferrule-check}}, {{id: ferrule-fmt}}]\n")
    write(os.path.join(folder, "package.json"), {"name": "no tool"})
    return folder


def hooks_by_example(scratch, env):
    folder = repository(os.path.join(scratch, "by-example"), env)
    shutil.copy(os.path.join(SOURCE, "examples/ci/pre-commit-config.yaml"), os.path.join(folder, ".pre-commit-config.yaml"))
    return folder


def pre_commit(scratch, env):
    env = dict(env, PRE_COMMIT_HOME=os.path.join(scratch, "cache"), HOME=scratch, GIT_CONFIG_NOSYSTEM="1",
               **{f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})
    for name, make in (("our hooks", hooks_by_url), ("the example", hooks_by_example)):
        folder = make(scratch, env)
        installed = subprocess.run(["pre-commit", "install"], cwd=folder, env=env, capture_output=True, text=True)
        case(f"pre-commit: {name}: installs", [] if installed.returncode == 0 else [installed.stdout + installed.stderr])
        case(f"pre-commit: {name}: a good tool is committed", told(True, ["ferrule check", "Passed"], commit(folder, GOOD, env)))
        case(f"pre-commit: {name}: a bad tool is not",
             told(False, ["Failed", "tools/note.json:2:11: error[name.charset"], commit(folder, BAD, env)))
        if name == "our hooks":
            case("pre-commit: our hooks: another notation is not",
                 told(False, ["ferrule fmt", "- hook id: ferrule-fmt"], commit(folder, json.dumps(GOOD), env)))
    every = subprocess.run(["pre-commit", "run", "--all-files"], cwd=os.path.join(scratch, "by-url"), env=env, capture_output=True, text=True)
    case("pre-commit: files that are no tools are left alone", [] if "package.json" not in every.stdout else [every.stdout])


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.mkdir(os.path.join(scratch, "bin"))
        os.symlink(FERRULE, os.path.join(scratch, "bin", "ferrule"))
        env = dict(os.environ, PATH=os.path.join(scratch, "bin") + os.pathsep + os.environ["PATH"])
        sarif(scratch)
        schemas_of_files()
        workflow(scratch, env)
        if shutil.which("pre-commit") and shutil.which("git"):
            pre_commit(scratch, env)
        else:
            skip("pre-commit: the hooks", "pre-commit is not installed")
    finish()


main()
