"""Finds programs: the core, which must be of our own version, and launchers."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from everylink.errors import CoreError, UserMistake
from everylink.version import VERSION

NAME = "everylink-measure"
VARIABLE = "EVERYLINK_MEASURE"
VERSION_LIMIT = 10.0  # seconds


def find_core() -> Path:
    """The absolute path of the core: EVERYLINK_MEASURE, else beside our own command, else on PATH."""
    if chosen := os.environ.get(VARIABLE):
        path = Path(chosen).absolute()
        if not _executable(path):
            raise UserMistake(f"{VARIABLE}={chosen}: is not an executable file")
        return path
    beside = Path(sysconfig.get_path("scripts")) / NAME
    if _executable(beside):
        return beside.absolute()
    if found := shutil.which(NAME):
        return Path(found).absolute()
    raise CoreError(f"{NAME} is neither in {beside.parent} nor on PATH; set {VARIABLE} to its path")


def check_version(core: Path) -> None:
    """Raise CoreError unless the core says that it has our own version."""
    try:
        said = subprocess.run(
            [core, "--version"], capture_output=True, text=True, timeout=VERSION_LIMIT, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise CoreError(f"{core} --version gave no answer within {VERSION_LIMIT:.0f} s") from None
    except OSError as error:
        raise CoreError(f"{core} cannot be started: {error.strerror}") from None
    if said.stdout.strip() != f"{NAME} {VERSION}":
        answer = (said.stdout.strip() or said.stderr.strip() or "nothing").splitlines()[0]
        raise CoreError(f"{core} says '{answer}', but this everylink is {VERSION}; set {VARIABLE} to its twin")


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def on_path(program: str, otherwise: str = "") -> str:
    """Its absolute path. Raises UserMistake; `otherwise` says what to do instead."""
    path = shutil.which(program)
    if path is None:
        raise UserMistake(f"--launcher {program}: there is no {program} on PATH{otherwise}")
    return path
