"""Hostile bytes, and mutations of them, are read or refused by every parser of the Python half (tests/fuzz/python)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FUZZ = [sys.executable, str(ROOT / "tests/fuzz/python")]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "python")}
LIMIT = 300 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))


@pytest.mark.long
def test_hostile_bytes_are_read_or_refused() -> None:
    done = subprocess.run(
        [*FUZZ, "replay"], env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.long
def test_every_target_has_a_corpus_that_is_small() -> None:
    done = subprocess.run([*FUZZ, "list"], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    folders = {folder.name: folder for folder in (ROOT / "tests/data/fuzz/python").iterdir()}
    assert set(done.stdout.split()) == set(folders)
    assert all(sum(path.stat().st_size for path in folder.iterdir()) < 2**20 for folder in folders.values())
