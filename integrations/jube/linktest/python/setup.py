"""In place of LinkTest's Python sources, for JUBE files that install them: gives the command linktest-report.

It is installed from the source tree that EVERYLINK_SOURCE names; where that is not set, the one on PATH stays.
"""

import os
import shutil
import sys
import tomllib
from pathlib import Path

from setuptools import find_packages, setup

NAME = "everylink-in-place-of-linktest"

if source := os.environ.get("EVERYLINK_SOURCE"):
    project = tomllib.loads((Path(source) / "pyproject.toml").read_text())["project"]
    shutil.copytree(Path(source) / "python", "from-everylink", dirs_exist_ok=True)
    setup(
        name=NAME,
        version=project["version"],
        python_requires=project["requires-python"],
        install_requires=project["dependencies"],
        package_dir={"": "from-everylink"},
        packages=find_packages("from-everylink"),
        package_data={"everylink": ["report/assets/*"]},
        entry_points={"console_scripts": [f"{name} = {call}" for name, call in project["scripts"].items()]},
    )
elif shutil.which("linktest-report"):
    setup(name=NAME, version="0", packages=[])
else:
    sys.exit("Set EVERYLINK_SOURCE to a source tree of Everylink, or have its linktest-report on PATH")
