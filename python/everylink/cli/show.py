"""`everylink show`: prints a results file on the terminal."""

from collections.abc import Sequence

from everylink.analysis.line_fit import line_fits
from everylink.cli.parser import Parser
from everylink.formats.grouping import grouping_of
from everylink.report.line_fit import print_fits
from everylink.report.terminal import print_summary, terminal
from everylink.results import read


def main(arguments: Sequence[str]) -> int:
    """Print one results file; it may still be in the making."""
    parser = Parser(prog="everylink show", description="Print a results file: failed links first, then the times.")
    parser.add_argument("file", help="results file, also of a run that still goes on or was killed")
    parser.add_argument(
        "--fit", action="store_true", help="latency, asymptotic bandwidth and n_1/2 of each kind of links, nothing else"
    )
    options = parser.parse_args(arguments)
    results = read(options.file)
    if options.fit:
        print_fits(results, line_fits(results, grouping_of(results)), terminal())
    else:
        print_summary(results, terminal())
    return 0
