"""Writes an export by the end of its file name: a table as text, a matrix as a picture or as bare pixels."""

import sys
from collections.abc import Callable
from pathlib import Path

from everylink.errors import UserMistake
from everylink.files import refuse_existing, whole
from everylink.formats.table import write_table
from everylink.report.table_parts import need_bandwidth
from everylink.report.tables import TABLES, Wanted, known_steps
from everylink.results import Results, Size

Export = Callable[[Results, Size, str, Wanted, Path], None]
PATTERNS = ("step-pattern", "bandwidth-pattern")
PNG_DPI = 200


def check_export(what: str, path: Path | None, force: bool = False) -> None:
    """Raise UserMistake where nothing could be written; None is standard output."""
    if path is None:
        return
    ending = path.suffix.lower()
    if ending not in WRITERS:
        raise UserMistake(f"-o {path}: the name must end in {', '.join(WRITERS)}")
    if ending != ".dat" and what not in PATTERNS:
        raise UserMistake(f"-o {path}: {what} is a table, so the name must end in .dat; pictures are of {PATTERNS}")
    refuse_existing(path, force)


def write_export(
    results: Results, size: Size, what: str, wanted: Wanted, path: Path | None, force: bool = False
) -> None:
    """Write one table or pattern, whole or not at all; None is standard output, as text."""
    check_export(what, path, force)
    if path is None:
        write_table(TABLES[what](results, size, wanted), sys.stdout)
        return
    with whole(path, force) as new:
        WRITERS[path.suffix.lower()](results, size, what, wanted, new)


def _dat(results: Results, size: Size, what: str, wanted: Wanted, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        write_table(TABLES[what](results, size, wanted), file)


def _ppm(results: Results, size: Size, what: str, wanted: Wanted, path: Path) -> None:
    from everylink.formats.ppm import write_ppm
    from everylink.plots.pattern import bandwidth_pixels, step_pixels

    if what == "step-pattern":
        write_ppm(path, *step_pixels(results, size, known_steps(results, size)))
    else:
        need_bandwidth(size)
        write_ppm(path, *bandwidth_pixels(results, size))


def _png(results: Results, size: Size, what: str, wanted: Wanted, path: Path) -> None:
    from matplotlib.transforms import Bbox

    from everylink.plots.canvas import DPI, HEIGHT, WIDTH
    from everylink.plots.pattern import CUT, bandwidth_page, step_page

    if what == "step-pattern":
        figure = step_page(results, size, known_steps(results, size))
    else:
        need_bandwidth(size)
        figure = bandwidth_page(results, size)
    upper = Bbox.from_bounds(0, (HEIGHT - CUT) / DPI, WIDTH / DPI, CUT / DPI)
    figure.savefig(path, dpi=PNG_DPI, format="png", bbox_inches=upper)


WRITERS: dict[str, Export] = {".dat": _dat, ".png": _png, ".ppm": _ppm}
