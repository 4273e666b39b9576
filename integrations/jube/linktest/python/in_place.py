"""Builds a wheel of Everylink's Python package from the source tree in EVERYLINK_SOURCE.

If that is not set, linktest-report must be on PATH, and the wheel is empty. This file is a complete build backend
(PEP 517, 427), so that the build downloads nothing.
"""

import base64
import hashlib
import os
import re
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

NAME = "everylink_in_place_of_linktest"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if source := os.environ.get("EVERYLINK_SOURCE"):
        project = tomllib.loads((Path(source) / "pyproject.toml").read_text())["project"]
        project["version"] = version_of(Path(source))
        files = {name: path.read_bytes() for name, path in files_of(Path(source) / "python")}
    elif shutil.which("linktest-report"):
        project, files = {"version": "0", "requires-python": ">=3.11", "dependencies": [], "scripts": {}}, {}
    else:
        sys.exit("Set EVERYLINK_SOURCE to a source tree of Everylink, or put its linktest-report on PATH")
    about = f"{NAME}-{project['version']}.dist-info"
    files |= {f"{about}/{name}": "\n".join([*lines, ""]).encode() for name, lines in description(project).items()}
    record = [f"{name},{hash_of(content)},{len(content)}" for name, content in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""]).encode()
    wheel = f"{NAME}-{project['version']}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def version_of(source):
    return re.search(r'^VERSION = "(.+)"$', (source / "python/everylink/version.py").read_text(), re.MULTILINE)[1]


def files_of(folder):
    for path in sorted((folder / "everylink").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path


def description(project):
    return {
        "METADATA": [
            "Metadata-Version: 2.1",
            f"Name: {NAME}",
            f"Version: {project['version']}",
            f"Requires-Python: {project['requires-python']}",
            *(f"Requires-Dist: {other}" for other in project["dependencies"]),
        ],
        "WHEEL": ["Wheel-Version: 1.0", "Generator: everylink", "Root-Is-Purelib: true", "Tag: py3-none-any"],
        "entry_points.txt": ["[console_scripts]", *(f"{name} = {call}" for name, call in project["scripts"].items())],
    }


def hash_of(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
