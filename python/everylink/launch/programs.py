"""Finds the program that a launcher is."""

import shutil

from everylink.errors import UserMistake


def on_path(program: str, otherwise: str = "") -> str:
    """Its absolute path. Raises UserMistake; `otherwise` says what to do instead."""
    path = shutil.which(program)
    if path is None:
        raise UserMistake(f"--launcher {program}: there is no {program} on PATH{otherwise}")
    return path
