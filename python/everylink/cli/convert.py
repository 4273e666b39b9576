"""`everylink convert`: turns results from one format into another, and says what that cannot hold."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from everylink.cli.kinds import Written, kind_of, links_text
from everylink.cli.options import Parser, chosen_size
from everylink.errors import UserMistake
from everylink.files import beginning, refuse_existing
from everylink.io.csv_matrix import OPTIONAL, REQUIRED, Source, read_matrix, results_of
from everylink.io.formats import FORMATS, format_of, longest_signature
from everylink.io.read import read
from everylink.io.results_file import has_laps
from everylink.model.results import Results
from everylink.units import size_text

KERNELS = ("unidirectional", "semidirectional", "bidirectional")


def main(arguments: Sequence[str]) -> int:
    """Convert one file; says what it held, and what is not in the new one."""
    parser = Parser(
        prog="everylink convert",
        description="Turn results into another format, by the end of OUT: .h5 (ours), .sion (LinkTest 1.2, one message "
        "size), .csv (a matrix; of a load pattern its flows), .npz (NumPy). Says "
        "what that format cannot hold. A matrix that another program "
        f"measured has the header {','.join(REQUIRED)} and, where known, {','.join(OPTIONAL)}.",
    )
    parser.add_argument("input", type=Path, metavar="IN", help="a results file of any of these formats")
    parser.add_argument("output", type=Path, metavar="OUT", help="file to write: .h5, .sion, .csv or .npz")
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    parser.add_argument("--size", metavar="BYTES", help="this message size alone (.sion: the largest)")
    parser.add_argument(
        "--kernel",
        choices=KERNELS,
        help="how a .csv was measured: a time is that of one direction (unidirectional, the default), half a round "
        "trip (semidirectional), or of both directions at once (bidirectional)",
    )
    options = parser.parse_args(arguments)
    suffix = options.output.suffix.lower()
    if suffix not in FORMATS:
        raise UserMistake(f"{options.output}: the end of its name chooses the format; there are {', '.join(FORMATS)}")
    source = _format(options.input)
    if source == suffix:
        raise UserMistake(f"{options.input}: is {suffix} already; there is nothing to convert")
    if options.kernel and source != ".csv":
        raise UserMistake(f"--kernel is for comma-separated values; {options.input} says itself how it was measured")
    refuse_existing(options.output, options.force)
    results = _of_matrix(options.input, options.kernel or KERNELS[0]) if source == ".csv" else read(options.input)
    kind = kind_of(results)
    if suffix not in kind.formats:
        raise UserMistake(f"{options.input}: holds {kind.name(results)} and no links; OUT can be a .csv of its flows")
    command = results.facts.command or shlex.join(["everylink", "convert", *arguments])
    made = replace(results, path=options.output, facts=replace(results.facts, command=command))
    written = (kind.csv if suffix == ".csv" else partial(_write_links, suffix))(made, options.size, options.force)
    print(f"{options.output}: {written.said}")
    laps = ["single readings (--keep-laps)"] if source == ".h5" and has_laps(options.input) else []
    for loss in [*written.losses, *laps]:
        print(f"  {suffix} does not hold {loss}")
    return 0


def _write_links(suffix: str, results: Results, size: str | None, force: bool) -> Written:
    """Write all sizes, or the one that is wanted, in a format that holds links alone."""
    chosen = results
    if size is not None or (suffix == ".sion" and results.sizes):
        chosen = replace(results, sizes=(chosen_size(results, size),))
    losses = FORMATS[suffix].write(chosen, force)
    if size is None and len(chosen.sizes) < len(results.sizes):
        left_out = ", ".join(size_text(size.bytes) for size in results.sizes[:-1])
        losses.append(f"{left_out}: one size alone, which --size chooses")
    return Written(links_text(chosen), losses)


def _format(path: Path) -> str:
    """The format of a file, as the end of a name."""
    known = format_of(beginning(path, longest_signature()))
    return ".csv" if known is None else known.suffix


def _of_matrix(path: Path, kernel: str) -> Results:
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return results_of(read_matrix(path), Source(path, changed, "", kernel), path)
