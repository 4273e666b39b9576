"""`everylink convert`: converts results between formats, and prints what the new format cannot hold."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import Written, kind_of, links_text
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import CONVERT
from everylink.cli.sizes import chosen_size
from everylink.errors import UserMistake
from everylink.files import beginning, refuse_existing
from everylink.io.csv_matrix import Source, read_matrix, results_of
from everylink.io.formats import FORMATS, format_of, longest_signature
from everylink.io.linktest import KERNEL_UNKNOWN
from everylink.io.read import read
from everylink.io.results_file import has_laps
from everylink.model.results import UNKNOWN, Results
from everylink.units import size_text, utc_text

KERNEL = UNIDIRECTIONAL = "unidirectional"  # of a matrix, unless --kernel names another


def main(arguments: Sequence[str]) -> int:
    """Convert one file. Prints what was written and what the new format cannot hold."""
    options = parsed(CONVERT, arguments)
    suffix = options.output.suffix.lower()
    if suffix not in FORMATS:
        raise UserMistake(f"{options.output}: the suffix selects the format; use {', '.join(FORMATS)}")
    source = _format(options.input)
    if source == suffix:
        raise UserMistake(f"{options.input}: is already {suffix}; there is nothing to convert")
    refuse_existing(options.output, options.force)
    if source == ".csv":
        results = _from_matrix(options.input, options.kernel or KERNEL)
    else:
        results = _with_kernel(read(options.input), options.kernel)
    kind = kind_of(results)
    if suffix not in kind.formats:
        raise UserMistake(f"{options.input}: holds {kind.name(results)} , not links; convert its flows to .csv")
    command = results.facts.command or shlex.join(["everylink", "convert", *arguments])
    made = replace(results, path=options.output, facts=replace(results.facts, command=command))
    written = (kind.csv if suffix == ".csv" else partial(_write_links, suffix))(made, options.size, options.force)
    laps = ["single readings (--keep-laps)"] if has_laps(options.input) else []
    losses = [f"{suffix} does not hold {loss}" for loss in [*written.losses, *laps]]
    lines = [f"{options.output}: {written.said}", *(f"  {loss}" for loss in losses)]
    give(files_answer([options.output], lines, written.said, losses), options)
    return 0


def _write_links(suffix: str, results: Results, size: int | None, force: bool) -> Written:
    """Write all sizes, or only `size`, in a format that holds only links. SION holds a single size."""
    chosen = results
    if size is not None or (suffix == ".sion" and results.sizes):
        chosen = replace(results, sizes=(chosen_size(results, size),))
    losses = FORMATS[suffix].write(chosen, force)
    if size is None and len(chosen.sizes) < len(results.sizes):
        left_out = ", ".join(size_text(size.bytes) for size in results.sizes[:-1])
        losses.append(f"{left_out}: the format holds a single size; select it with --size")
    return Written(links_text(chosen), losses)


def _with_kernel(results: Results, kernel: str | None) -> Results:
    """The results, whose file did not name its kernel if one is given here."""
    if kernel is None:
        return results
    if results.facts.kernel != UNKNOWN:
        raise UserMistake(
            f"--kernel: {results.path} records its kernel, {results.facts.kernel}; only a file that does not takes one"
        )
    remarks = tuple(remark for remark in results.remarks if remark != KERNEL_UNKNOWN)
    window = int(kernel == UNIDIRECTIONAL)
    return replace(results, facts=replace(results.facts, kernel=kernel, window=window), remarks=remarks)


def _format(path: Path) -> str:
    """The format of a file, as a suffix."""
    known = format_of(beginning(path, longest_signature()))
    return ".csv" if known is None else known.suffix


def _from_matrix(path: Path, kernel: str) -> Results:
    changed = utc_text(path.stat().st_mtime)
    return results_of(read_matrix(path), Source(path, changed, "", kernel), path)
