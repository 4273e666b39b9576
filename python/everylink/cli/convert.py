"""`everylink convert`: makes a results file of what another program measured."""

import shlex
import stat
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from everylink.cli.parser import Parser
from everylink.errors import UserMistake
from everylink.files import refuse_existing
from everylink.formats.csv_matrix import OPTIONAL, REQUIRED, read_matrix
from everylink.formats.from_matrix import Source, results_of
from everylink.formats.write import write_results
from everylink.hdf5 import SIGNATURE
from everylink.report.words import plural

KERNELS = ("unidirectional", "semidirectional", "bidirectional")


def main(arguments: Sequence[str]) -> int:
    """Convert one file; says what it held."""
    parser = Parser(
        prog="everylink convert",
        description="Make a results file of a matrix that another program measured: comma-separated values with the "
        f"header {','.join(REQUIRED)} and, where known, {','.join(OPTIONAL)}.",
    )
    parser.add_argument("matrix", type=Path, metavar="IN.csv", help="a line for each link and size")
    parser.add_argument("output", type=Path, metavar="OUT.h5", help="results file to write")
    parser.add_argument("--force", action="store_true", help="overwrite OUT.h5")
    parser.add_argument(
        "--kernel",
        choices=KERNELS,
        default=KERNELS[0],
        help="how it was measured: a time is that of one direction (unidirectional, the default), half a round trip "
        "(semidirectional), or of both directions at once (bidirectional)",
    )
    options = parser.parse_args(arguments)
    _check_input(options.matrix)
    refuse_existing(options.output, options.force)
    changed = datetime.fromtimestamp(options.matrix.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    source = Source(options.matrix, changed, shlex.join(["everylink", "convert", *arguments]), options.kernel)
    results = results_of(read_matrix(options.matrix), source, options.output)
    write_results(results, options.force)
    links = len(results.sizes[0].links)
    print(
        f"{options.output}: {plural(links, 'link')} of {plural(len(results.ranks), 'rank')} on "
        f"{plural(results.facts.hosts, 'host')}, {plural(len(results.sizes), 'size')}"
    )
    return 0


def _check_input(path: Path) -> None:
    """Say what is wrong with a file that is no text at all, better than a parser would."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise UserMistake(f"{path}: is a folder, a pipe or a device, not a file")
        with path.open("rb") as file:
            head = file.read(len(SIGNATURE))
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from None
    if not head:
        raise UserMistake(f"{path}: is empty")
    if head == SIGNATURE:
        raise UserMistake(f"{path}: is HDF5; wanted are comma-separated values. A results file needs no converting")
