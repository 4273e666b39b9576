"""Finds the core, which must have our version, and launchers."""

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
AS_RANK_0 = {"EVERYLINK_RANK": "0"}  # under a launcher, only rank 0 prints the version and the help


def find_core() -> Path:
    """The absolute path of the core: EVERYLINK_MEASURE, else beside the command `everylink`, else on PATH.

    Raises UserMistake for an unusable EVERYLINK_MEASURE, CoreError if there is no core.
    """
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
    """Raise CoreError unless the core reports our version."""
    try:
        said = subprocess.run(
            [core, "--version"], capture_output=True, text=True, timeout=VERSION_LIMIT, stdin=subprocess.DEVNULL,
            env=os.environ | AS_RANK_0,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CoreError(f"{core} --version did not answer within {VERSION_LIMIT:.0f} s") from None
    except OSError as error:
        raise CoreError(f"{core} cannot be started: {error.strerror}") from None
    if said.stdout.strip() != f"{NAME} {VERSION}":
        answer = (said.stdout.strip() or said.stderr.strip() or "nothing").splitlines()[0]
        raise CoreError(f"{core} says '{answer}', but this everylink is {VERSION}; set {VARIABLE} to a matching one")


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def on_path(program: str, otherwise: str = "") -> str:
    """The absolute path of a launcher. Raises UserMistake; `otherwise` ends the message with what to do instead."""
    path = shutil.which(program)
    if path is None:
        raise UserMistake(f"--launcher {program}: {program} is not on PATH{otherwise}")
    return path
