"""The version is the same everywhere; python/everylink/version.py is its one home."""

import re
import tomllib
from pathlib import Path

from everylink.version import VERSION

ROOT = Path(__file__).parents[2]


def test_the_package_takes_its_version_from_its_one_home() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert "version" in project["project"]["dynamic"]
    source = project["tool"]["scikit-build"]["metadata"]["version"]
    found = re.search(source["regex"], (ROOT / source["input"]).read_text(), re.MULTILINE)
    assert found
    assert found["value"] == VERSION


def test_the_changelog_begins_with_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert next(heading for heading in headings if heading != "Unreleased") == VERSION
    numbers = [tuple(map(int, heading.split("."))) for heading in headings if heading != "Unreleased"]
    assert numbers == sorted(numbers, reverse=True)


def test_who_cites_it_cites_this_version() -> None:
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
