# SPDX-License-Identifier: Apache-2.0
"""The engines that validating is measured with, and how each is brought here and called. Nothing of a
peer is in this tree: those from npm are installed into the build folder, Blaze is built by whoever wants
it measured and named by FERRULE_BENCH_BLAZE. A peer that is not there is left out, and that is said."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def first_line(command):
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=20)
        return out.stdout.splitlines()[0].strip() if out.stdout else ""
    except (OSError, subprocess.SubprocessError, IndexError):
        return ""


class Peers:
    """`commands` has a function (set, folder, ways) -> argv for each process to run; one process may
    print figures of several engines. `left_out` says what is missing, `versions` what was found."""

    def __init__(self, build, wanted):
        self.build = pathlib.Path(build).resolve()
        self.folder = self.build / "peers"
        self.commands, self.left_out, self.versions = {}, [], {}
        self.add_ours()
        if "blaze" in wanted:
            self.add_blaze()
        if {"ata", "ajv"} & set(wanted):
            self.add_node([name for name in ("ata", "ajv") if name in wanted])

    def add_ours(self):
        program = self.build / "bench" / "bench_validate"
        if not program.exists():
            raise SystemExit(f"report.py: {program} is not there: build it first (make bench)")
        self.commands["ferrule"] = lambda name, folder, ways: [str(program), name, *ways]

    # ---- peers from npm ----------------------------------------------------------------------

    def installed(self, wanted):
        found = {}
        for package in wanted:
            try:
                about = json.loads((self.folder / "node_modules" / package / "package.json").read_text())
                found[package] = about["version"]
            except (OSError, ValueError, KeyError):
                found[package] = None
        return found

    def add_node(self, names):
        wanted = json.loads((HERE / "peers.json").read_text())["dependencies"]
        if not shutil.which("node") or not shutil.which("npm"):
            self.left_out.append("ata and Ajv: node (20 or later) and npm are not there")
            return
        if self.installed(wanted) != wanted:
            self.folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE / "peers.json", self.folder / "package.json")
            command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
            try:
                subprocess.run(command, cwd=self.folder, capture_output=True, timeout=120, check=False)
            except (OSError, subprocess.SubprocessError):
                pass
        if self.installed(wanted) != wanted:
            self.left_out.append("ata and Ajv: npm could not install them (no network?)")
            return
        self.versions["node"] = first_line(["node", "--version"]).lstrip("v")
        self.versions.update({"Ajv": wanted["ajv"], "ata-validator": wanted["ata-validator"]})
        for engine in names:
            self.commands[engine] = lambda name, folder, ways, engine=engine: [
                "node", str(HERE / "node_peers.mjs"), str(self.folder), engine, str(folder), name, *ways]

    # ---- Blaze -------------------------------------------------------------------------------

    def add_blaze(self):
        prefix = os.environ.get("FERRULE_BENCH_BLAZE")
        if not prefix:
            self.left_out.append("Blaze: FERRULE_BENCH_BLAZE names no folder where it is installed")
            return
        prefix = pathlib.Path(prefix).resolve()
        archives = sorted(str(path) for path in prefix.glob("lib*/**/*.a"))
        if not archives or not (prefix / "include" / "sourcemeta" / "blaze").is_dir():
            self.left_out.append("Blaze: FERRULE_BENCH_BLAZE has no include/sourcemeta/blaze and lib/*.a")
            return
        compiler = os.environ.get("FERRULE_BENCH_CXX") or os.environ.get("CXX") or "c++"
        program = self.build_blaze(compiler, prefix, archives)
        if not program:
            return
        version = prefix / "VERSION"
        self.versions["Blaze"] = version.read_text().strip() if version.exists() else "of unknown version"
        self.commands["blaze"] = lambda name, folder, ways: [str(program), str(folder), name, *ways]

    def build_blaze(self, compiler, prefix, archives):
        # As Blaze builds itself for release; its evaluator is in headers, so these flags count.
        flags = ["-std=c++23", "-O3", "-DNDEBUG", "-flto=auto", "-fno-math-errno", "-funroll-loops", "-static"]
        if " avx2 " in pathlib.Path("/proc/cpuinfo").read_text():
            flags.append("-mavx2")
        source = HERE / "blaze_peer.cpp"
        libraries = ["-I", str(prefix / "include"), "-Wl,--start-group", *archives, "-Wl,--end-group"]
        command = [compiler, *flags, str(source), *libraries]
        # Building takes minutes, so it is done again only when one of these is another one.
        made_of = "\n".join([compiler, *flags, *libraries]).encode() + source.read_bytes()
        program = self.folder / f"blaze_peer-{hashlib.sha256(made_of).hexdigest()[:16]}"
        if not program.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            out = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True, check=False)
            if out.returncode:
                told = [line for line in out.stderr.splitlines() if "error" in line or "undefined" in line]
                self.left_out.append("Blaze: blaze_peer.cpp does not build (FERRULE_BENCH_CXX names the compiler):\n"
                                     + "\n".join(told[:4]))
                return None
        self.versions["compiler of Blaze"] = first_line([compiler, "--version"])
        return program
