"""`everylink convert`: turns results from one format into another, and says what that cannot hold."""

import shlex
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from everylink.cli.options import Parser, chosen_size, parsed_bytes
from everylink.errors import UserMistake
from everylink.files import beginning, refuse_existing
from everylink.io.csv_matrix import OPTIONAL, REQUIRED, Source, read_matrix, results_of, write_csv
from everylink.io.linktest import write_linktest
from everylink.io.npz import write_npz
from everylink.io.read import READERS, read, read_links
from everylink.io.results_file import has_laps, write_results
from everylink.load.csv import write_load_csv
from everylink.model.results import Results
from everylink.units import plural, size_text

KERNELS = ("unidirectional", "semidirectional", "bidirectional")
WRITERS = {".h5": write_results, ".sion": write_linktest, ".csv": write_csv, ".npz": write_npz}
SUFFIXES = dict(zip(READERS, (".h5", ".sion", ".npz"), strict=True))


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
    if suffix not in WRITERS:
        raise UserMistake(f"{options.output}: the end of its name chooses the format; there are {', '.join(WRITERS)}")
    kind = _kind(options.input)
    if kind == suffix:
        raise UserMistake(f"{options.input}: is {suffix} already; there is nothing to convert")
    if options.kernel and kind != ".csv":
        raise UserMistake(f"--kernel is for comma-separated values; {options.input} says itself how it was measured")
    refuse_existing(options.output, options.force)
    if kind == ".h5" and (run := read(options.input)).loads:
        return _convert_loads(run, options)
    command = shlex.join(["everylink", "convert", *arguments])
    if kind == ".csv":
        results = _of_matrix(options.input, command, options.kernel or KERNELS[0])
    else:
        found = read_links(options.input)
        results = replace(found, facts=replace(found.facts, command=found.facts.command or command))
    sizes = results.sizes
    if options.size is not None or (suffix == ".sion" and sizes):
        results = replace(results, sizes=(chosen_size(results, options.size),))
    losses = WRITERS[suffix](replace(results, path=options.output), options.force)
    if options.size is None and len(results.sizes) < len(sizes):
        losses.append(
            f"{', '.join(size_text(size.bytes) for size in sizes[:-1])}: one size alone, which --size chooses"
        )
    if kind == ".h5" and has_laps(options.input):
        losses.append("single readings (--keep-laps)")
    links = len(results.sizes[-1].links) if results.sizes else 0
    print(
        f"{options.output}: {plural(links, 'link')} of {plural(len(results.ranks), 'rank')} on "
        f"{plural(results.facts.hosts, 'host')}, {plural(len(results.sizes), 'size')}"
    )
    for loss in losses:
        print(f"  {suffix} does not hold {loss}")
    return 0


def _convert_loads(results: Results, options: Namespace) -> int:
    """The flows of load patterns, which only a .csv can hold."""
    names = ", ".join(load.name for load in results.loads)
    if options.output.suffix.lower() != ".csv":
        raise UserMistake(
            f"{options.input}: holds the load pattern {names} and no links; OUT can be a .csv of its flows"
        )
    size = None
    if options.size is not None:
        size = parsed_bytes(options.size)
        there = sorted({known for load in results.loads for known in load.sizes})
        if size not in there:
            raise UserMistake(f"--size {options.size}: was not measured; there are {', '.join(map(size_text, there))}")
    count = write_load_csv(replace(results, path=options.output), options.force, size)
    print(f"{options.output}: {plural(count, 'flow')} of {names}, {plural(len(results.ranks), 'rank')}")
    return 0


def _kind(path: Path) -> str:
    """The format of a file, as the end of a name."""
    begins = beginning(path, max(map(len, READERS)))
    return next((suffix for signature, suffix in SUFFIXES.items() if begins.startswith(signature)), ".csv")


def _of_matrix(path: Path, command: str, kernel: str) -> Results:
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return results_of(read_matrix(path), Source(path, changed, command, kernel), path)
