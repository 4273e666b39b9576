"""`everylink predict`: says what a communication pattern would cost on the links that were measured."""

from collections.abc import Sequence
from pathlib import Path

from everylink.cli.kinds import LINKS
from everylink.cli.options import Parser
from everylink.errors import UserMistake
from everylink.io.topology import grouping_of
from everylink.model.results import Results
from everylink.predict.patterns import NAMES, Pattern, made_pattern, read_pattern
from everylink.predict.placement import check_paths, place, write_rank_files
from everylink.predict.prediction import predict
from everylink.predict.times import link_times
from everylink.terminal.console import terminal
from everylink.terminal.prediction import prediction_json, print_prediction
from everylink.units import parsed_size

CSV = ".csv"


def main(arguments: Sequence[str]) -> int:
    """Predict one exchange over the links of one results file."""
    parser = Parser(
        prog="everylink predict",
        description="Say what a communication pattern would cost on the links that were measured: the time of each "
        "rank and of the whole exchange, the most expensive messages, and what a fabric without faults would take.",
    )
    parser.add_argument("file", help="results file")
    parser.add_argument(
        "--pattern", required=True, metavar="WHAT",
        help=f"{', '.join(NAMES)}; shift:K goes K ranks on, stencil2d:4x8 has this grid; or FILE.csv with a line "
        "from,to,bytes for each message",
    )  # fmt: skip
    parser.add_argument("--bytes", metavar="B", help="of each message: 8, 64KiB, 1MiB (the largest that was measured)")
    parser.add_argument(
        "--place", type=Path, metavar="NAME", help="look for better places of the ranks; writes NAME.rankfile for Open "
        "MPI and NAME.hostfile for Slurm's --distribution=arbitrary",
    )  # fmt: skip
    parser.add_argument(
        "--topology", type=Path, metavar="FILE", help="Slurm's topology.conf, or what ibnetdiscover prints: which "
        "hosts share a switch",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="overwrite the files of --place")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default), or one JSON object")
    options = parser.parse_args(arguments)
    results = LINKS.read(options.file)
    if options.place is not None:
        check_paths(options.place, results.ranks, options.force)
    elif options.force:
        raise UserMistake("--force: nothing would be written; it goes with --place")
    times = link_times(results, grouping_of(results, options.topology))
    pattern = _pattern(options.pattern, options.bytes, results, times.sizes[-1].bytes)
    found = predict(pattern, times)
    placement = None if options.place is None else place(pattern, times)
    if options.format == "json":
        print(prediction_json(results, found, placement))
    else:
        print_prediction(results, found, placement, terminal())
    if placement is not None:
        written = write_rank_files(options.place, results.ranks, placement.place.tolist())
        if options.format == "text":
            print(*written, sep="\n")
    return 0


def _pattern(text: str, size: str | None, results: Results, largest: int) -> Pattern:
    ranks = len(results.ranks)
    if text.lower().endswith(CSV):
        if size is not None:
            raise UserMistake(f"--bytes {size}: {text} says how long each message is; leave --bytes out")
        return read_pattern(Path(text), ranks)
    if size is None:
        return made_pattern(text, ranks, largest)
    try:
        return made_pattern(text, ranks, parsed_size(size))
    except ValueError as error:
        raise UserMistake(f"--bytes: {error}") from None
