"""Writes reports; the suffix of the file name selects the format."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from everylink.cli.kinds import kind_of
from everylink.errors import UserMistake
from everylink.files import refuse_existing, unwritable
from everylink.judge.verdict import JudgedRun

if TYPE_CHECKING:
    from everylink.figure.files import Part

ENDINGS = (".html", ".pdf", ".ps", ".png")


def check_report_path(path: Path, option: str, endings: Sequence[str] = ENDINGS, *, force: bool) -> None:
    """Raise UserMistake if no report can be written to `path`, which the user gave with `option`.

    An existing file is overwritten only with `force`.
    """
    if path.suffix.lower() not in endings:
        raise UserMistake(f"{option} {path}: the name must end in {', '.join(endings)}")
    if path.is_dir():
        raise UserMistake(f"{option} {path}: is a folder")
    if not path.parent.is_dir():
        raise UserMistake(f"{option} {path}: folder {path.parent} does not exist")
    if path.exists() and not force:
        raise UserMistake(f"{option} {path}: exists; --force overwrites it")
    if not os.access(path.parent, os.W_OK):
        raise UserMistake(f"{option} {path}: cannot be written; choose another path")


def write_report(runs: Sequence[JudgedRun], path: Path, *, force: bool, tiles: bool = False) -> list[Path]:
    """Write a report of all runs, an HTML page with `tiles` and every single link. Returns the files written.

    Raises EverylinkError.
    """

    def write(to: Path) -> list[Path]:
        if path.suffix.lower() == ".html":
            return kind_of(*(run.results for run in runs)).page(runs, to, tiles)
        return _writer(path)([part for run in runs for part in _parts(run)], to)

    return written_whole(write, path, force)


def _parts(run: JudgedRun) -> "Iterator[Part]":
    """The pages of a run, the last ones of its verdicts and its hosts."""
    from everylink.figure.files import Part
    from everylink.figure.hosts import host_pages
    from everylink.figure.verdicts import verdict_pages

    yield Part("", kind_of(run.results).pages(run))
    yield Part("verdicts", verdict_pages(run))
    yield Part("hosts", host_pages(run))


def written_whole(write: Callable[[Path], list[Path]], path: Path, force: bool) -> list[Path]:
    """Write one or more files in the folder of `path`, all of them or none. Returns their paths.

    `write` gets a path of the same name in another folder, and returns what it wrote there. Raises EverylinkError.
    """
    try:
        with TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
            made = {path.with_name(new.name): new for new in write(Path(folder) / path.name)}
            for to in made:
                refuse_existing(to, force)
            for to, new in made.items():
                new.replace(to)
    except OSError as error:
        raise unwritable(path, error) from None
    return list(made)


def _writer(path: Path) -> "Callable[[Sequence[Part], Path], list[Path]]":
    """The writer for this suffix, imported on use: loading matplotlib takes longer than running `show`."""
    from everylink.figure.files import write_pdf, write_png, write_ps

    return {".pdf": write_pdf, ".ps": write_ps, ".png": write_png}[path.suffix.lower()]
