"""`everylink export`: writes one table or matrix of a results file, for gnuplot, scripts and slides."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import LINKS
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import EXPORT
from everylink.cli.sizes import chosen_size
from everylink.errors import UserMistake
from everylink.files import atomic_write, refuse_existing
from everylink.io.table import write_table, write_table_json
from everylink.model.results import Results, Size
from everylink.terminal.tables import TABLES, Selection, known_steps, need_bandwidth

Export = Callable[[Results, Size, str, Selection, Path], None]
PATTERNS = ("step-pattern", "bandwidth-pattern")
PNG_DPI = 200


def check_export(what: str, path: Path | None, force: bool = False) -> None:
    """Raise UserMistake if `what` cannot be written to this file; None is standard output."""
    if path is None:
        return
    ending = path.suffix.lower()
    if ending not in WRITERS:
        raise UserMistake(f"-o {path}: the name must end in {', '.join(WRITERS)}")
    if ending != ".dat" and what not in PATTERNS:
        pictures = " and ".join(PATTERNS)
        raise UserMistake(f"-o {path}: {what} is a table, so the name must end in .dat; only {pictures} can be drawn")
    refuse_existing(path, force)


def write_export(
    results: Results, size: Size, what: str, selection: Selection, path: Path | None, force: bool = False
) -> None:
    """Write one table or pattern atomically; None is standard output, as text. Raises UserMistake."""
    check_export(what, path, force)
    if path is None:
        write_table(TABLES[what](results, size, selection), sys.stdout)
        return
    with atomic_write(path, force) as new:
        WRITERS[path.suffix.lower()](results, size, what, selection, new)


def _dat(results: Results, size: Size, what: str, selection: Selection, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        write_table(TABLES[what](results, size, selection), file)


def _ppm(results: Results, size: Size, what: str, selection: Selection, path: Path) -> None:
    from everylink.figure.pattern import bandwidth_pixels, step_pixels
    from everylink.io.table import write_ppm

    if what == "step-pattern":
        write_ppm(path, *step_pixels(results, size, known_steps(results, size)))
    else:
        need_bandwidth(size)
        write_ppm(path, *bandwidth_pixels(results, size))


def _png(results: Results, size: Size, what: str, selection: Selection, path: Path) -> None:
    from matplotlib.transforms import Bbox

    from everylink.figure.canvas import DPI, HEIGHT, WIDTH
    from everylink.figure.pattern import CUT, bandwidth_page, step_page

    if what == "step-pattern":
        figure = step_page(results, size, known_steps(results, size))
    else:
        need_bandwidth(size)
        figure = bandwidth_page(results, size)
    upper = Bbox.from_bounds(0, (HEIGHT - CUT) / DPI, WIDTH / DPI, CUT / DPI)
    figure.savefig(path, dpi=PNG_DPI, format="png", bbox_inches=upper)


WRITERS: dict[str, Export] = {".dat": _dat, ".png": _png, ".ppm": _ppm}


def main(arguments: Sequence[str]) -> int:
    """Write one table or pattern of one results file."""
    options = parsed(EXPORT, arguments)
    selection = Selection(options.below, options.above, options.count)
    _check(options.what, selection)
    for option in ("--force", "--quiet"):
        if option in options.given and options.output is None:
            raise UserMistake(f"{option} applies only to -o")
    check_export(options.what, options.output, options.force)
    results = LINKS.read(options.file)
    size = chosen_size(results, options.size)
    if options.output is None and options.format == "json":
        write_table_json(TABLES[options.what](results, size, selection), sys.stdout)
        return 0
    write_export(results, size, options.what, selection, options.output, options.force)
    if options.output is not None:
        give(files_answer([options.output], [str(options.output)]), options)
    return 0


def _check(what: str, selection: Selection) -> None:
    limited = selection.below is not None or selection.above is not None
    if limited and what != "outside":
        raise UserMistake("--below and --above apply only to --what outside")
    if what == "outside" and not limited:
        raise UserMistake("--what outside requires --below RATE, --above RATE or both")
    if selection.count is not None and what != "slowest":
        raise UserMistake("--count applies only to --what slowest")
