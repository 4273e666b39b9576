"""Runs the programs of those who take packages."""

import subprocess
from typing import Any

from conftest import PATIENCE


def done(*command: object, limit: float = 5 * PATIENCE, **options: Any) -> str:
    """What a command prints; it must end well."""
    ran = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit,
        check=False, **options,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:]
    return ran.stdout
