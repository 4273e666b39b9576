"""`everylink predict`: predicts what a communication pattern costs on the measured links."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from everylink.cli.answers import Answer, give
from everylink.cli.kinds import LINKS
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import PREDICT
from everylink.errors import UserMistake
from everylink.io.topology import given_topology, grouping_of
from everylink.model.results import Results
from everylink.predict.patterns import Pattern, made_pattern, read_pattern
from everylink.predict.placement import Placement, check_paths, place, write_rank_files
from everylink.predict.prediction import Prediction, predict
from everylink.predict.times import link_times
from everylink.terminal.prediction import prediction_json, print_prediction
from everylink.units import time_text

CSV = ".csv"


def main(arguments: Sequence[str]) -> int:
    """Predict one exchange from the links of one results file."""
    options = parsed(PREDICT, arguments)
    results = LINKS.read(options.file)
    if options.place is not None:
        check_paths(options.place, results.ranks, options.force)
    elif options.force:
        raise UserMistake("--force applies only to --place")
    times = link_times(results, grouping_of(results, given_topology(options.topology)))
    pattern = _pattern(options.pattern, options.bytes, results, times.sizes[-1].bytes)
    found = predict(pattern, times)
    placement = None if options.place is None else place(pattern, times)
    written = [] if placement is None else write_rank_files(options.place, results.ranks, placement.place.tolist())
    give(_answer(results, found, placement, written), options)
    return 0


def _answer(results: Results, found: Prediction, placement: Placement | None, written: Sequence[Path]) -> Answer:
    def text(console: Console) -> None:
        print_prediction(results, found, placement, console)
        for path in written:
            print(path)

    brief = f"exchange {time_text(found.seconds)}, without faults {time_text(found.healthy)}"
    return Answer(text, brief, partial(prediction_json, results, found, placement, written))


def _pattern(text: str, size: int | None, results: Results, largest: int) -> Pattern:
    ranks = len(results.ranks)
    if text.lower().endswith(CSV):
        if size is not None:
            raise UserMistake(f"--bytes {size}: {text} gives the size of each message; leave --bytes out")
        return read_pattern(Path(text), ranks)
    return made_pattern(text, ranks, largest if size is None else size)
