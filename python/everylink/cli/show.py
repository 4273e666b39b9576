"""`everylink show`: prints a results file on the terminal."""

from collections.abc import Sequence

from everylink.cli.parser import Parser
from everylink.report.terminal import print_summary, terminal
from everylink.results import read


def main(arguments: Sequence[str]) -> int:
    """Print one results file; it may still be in the making."""
    parser = Parser(prog="everylink show", description="Print a results file: failed links first, then the times.")
    parser.add_argument("file", help="results file, also of a run that still goes on or was killed")
    options = parser.parse_args(arguments)
    print_summary(read(options.file), terminal())
    return 0
