# SPDX-License-Identifier: Apache-2.0
"""What others made for CI, as packages of npm: the schema of SARIF and its validator, and the schemas of the files
that GitHub and pre-commit read. `make ci-packages` brings them below the build folder; nothing of them is kept here."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile

PACKAGES = {
    "@microsoft/jest-sarif": "1.0.0-beta.0",  # ships SARIF's schema
    "@microsoft/sarif-multitool-linux": "5.7.0",  # the validator of SARIF's makers
    "schemastore": "0.2.2",  # github-workflow.json, pre-commit-config.json, pre-commit-hooks.json
}


def find(build, package, path):
    """A file of a package, or None where the pinned version is not there."""
    home = os.path.join(build, "ci-packages", package, "package")
    try:
        with open(os.path.join(home, "package.json"), encoding="utf-8") as file:
            if json.load(file)["version"] != PACKAGES[package]:
                return None
    except OSError:
        return None
    return os.path.join(home, path)


def bring(build, package):
    """One package without what it depends on."""
    home = os.path.join(build, "ci-packages", package)
    os.makedirs(home, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["npm", "pack", "--silent", f"{package}@{PACKAGES[package]}"], cwd=scratch, check=True,
                       stdout=subprocess.DEVNULL)
        with tarfile.open(os.path.join(scratch, os.listdir(scratch)[0])) as archive:
            archive.extractall(home)


if __name__ == "__main__":
    for name in PACKAGES:
        if not find(sys.argv[1], name, ""):
            bring(sys.argv[1], name)
