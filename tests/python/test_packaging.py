"""The scripts that make packages: what they refuse, and what they download."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["wheel", "tarball", "release"])
def test_a_processor_that_nobody_builds_for_is_refused_at_once(name: str) -> None:
    script = ROOT / "scripts" / name
    done = subprocess.run([script, "--target", "sparc"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "invalid choice: 'sparc' (choose from 'x86_64', 'aarch64')" in done.stderr


def test_each_download_has_a_version_and_a_checksum() -> None:
    for line in (ROOT / "packaging/sources.sha256").read_text().splitlines():
        assert re.fullmatch(r"[0-9a-f]{64}  [a-z0-9-]+[_-][0-9][^ /]*\.(dsc|deb|whl)", line), line
    for line in (ROOT / "packaging/requirements.txt").read_text().splitlines():
        assert line.startswith("#") or "==" in line, line
