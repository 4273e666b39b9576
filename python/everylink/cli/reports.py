"""Chooses the writer of a report by the ending of its file name."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from everylink.errors import EverylinkError, UserMistake
from everylink.model.results import Results

Writer = Callable[[Sequence[Results], Path], list[Path]]
ENDINGS = (".html", ".pdf", ".ps", ".png")


def check_report_path(path: Path, option: str, endings: Sequence[str] = ENDINGS) -> None:
    """Raise UserMistake where no report can be written; `option` is what the user gave it with."""
    if path.suffix.lower() not in endings:
        raise UserMistake(f"{option} {path}: the name must end in {', '.join(endings)}")
    if path.is_dir():
        raise UserMistake(f"{option} {path}: is a folder")
    if not path.parent.is_dir():
        raise UserMistake(f"{option} {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UserMistake(f"{option} {path}: cannot be written; choose another place")


def write_report(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write a report of all runs and return the files that were made."""
    try:
        return _writer(path)(runs, path)
    except OSError as error:
        raise EverylinkError(f"{path}: cannot be written: {error.strerror}") from None


def _writer(path: Path) -> Writer:
    """Import a writer only where it is used: matplotlib takes longer to load than `show` to run."""
    ending = path.suffix.lower()
    if ending == ".html":
        from everylink.page.html import write_html

        return write_html
    if ending == ".ps":
        from everylink.figure.files import write_ps

        return write_ps
    from everylink.figure.files import write_pdf, write_png

    return write_pdf if ending == ".pdf" else write_png
