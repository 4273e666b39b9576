"""`everylink predict`: predicts what a communication pattern costs on the measured links."""

from collections.abc import Sequence
from pathlib import Path

from everylink.cli.kinds import LINKS
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import PREDICT
from everylink.errors import UserMistake
from everylink.io.topology import grouping_of
from everylink.model.results import Results
from everylink.predict.patterns import Pattern, made_pattern, read_pattern
from everylink.predict.placement import check_paths, place, write_rank_files
from everylink.predict.prediction import predict
from everylink.predict.times import link_times
from everylink.terminal.console import terminal
from everylink.terminal.prediction import prediction_json, print_prediction

CSV = ".csv"


def main(arguments: Sequence[str]) -> int:
    """Predict one exchange from the links of one results file."""
    options = parsed(PREDICT, arguments)
    results = LINKS.read(options.file)
    if options.place is not None:
        check_paths(options.place, results.ranks, options.force)
    elif options.force:
        raise UserMistake("--force applies only to --place")
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


def _pattern(text: str, size: int | None, results: Results, largest: int) -> Pattern:
    ranks = len(results.ranks)
    if text.lower().endswith(CSV):
        if size is not None:
            raise UserMistake(f"--bytes {size}: {text} gives the size of each message; leave --bytes out")
        return read_pattern(Path(text), ranks)
    return made_pattern(text, ranks, largest if size is None else size)
