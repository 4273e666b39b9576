"""Chooses the writer of a report by the ending of its file name."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from everylink.errors import EverylinkError, UserMistake
from everylink.report.html import write_html
from everylink.report.pages import write_pdf, write_png
from everylink.results import Results

Writer = Callable[[Sequence[Results], Path], list[Path]]
WRITERS: dict[str, Writer] = {".html": write_html, ".pdf": write_pdf, ".png": write_png}


def check_report_path(path: Path, option: str) -> None:
    """Raise UserMistake where no report can be written; `option` is what the user gave it with."""
    if path.suffix.lower() not in WRITERS:
        raise UserMistake(f"{option} {path}: the name must end in {', '.join(WRITERS)}")
    if path.is_dir():
        raise UserMistake(f"{option} {path}: is a folder")
    if not path.parent.is_dir():
        raise UserMistake(f"{option} {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UserMistake(f"{option} {path}: cannot be written; choose another place")


def write_report(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write a report of all runs and return the files that were made."""
    try:
        return WRITERS[path.suffix.lower()](runs, path)
    except OSError as error:
        raise EverylinkError(f"{path}: cannot be written: {error.strerror}") from None
