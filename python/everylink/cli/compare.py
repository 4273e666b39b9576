"""`everylink compare`: says what got slower or faster between two runs."""

import re
from collections.abc import Sequence
from pathlib import Path

from everylink.cli.kinds import kind_of
from everylink.cli.options import Parser
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.terminal.console import terminal

REGRESSION = 3  # exit code
PART = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def main(arguments: Sequence[str]) -> int:
    """Compare two files; exit code 3 where something got slower or failed."""
    parser = Parser(
        prog="everylink compare",
        description="Say what got slower or faster from one run to another of the same kind: all links, single hosts, "
        "ranks, links; or of one load pattern: bandwidths, latencies, shares. "
        "Ranks are matched by host and local rank. Exit code 3 where something got slower or failed.",
    )
    parser.add_argument("base", type=Path, metavar="BASE", help="results file to compare with")
    parser.add_argument("new", type=Path, metavar="NEW", help="results file of the later run")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default), or one JSON object")
    parser.add_argument(
        "--at-least", default="5%", metavar="P%%", type=_part, help="the smallest change that counts (5%%)"
    )
    options = parser.parse_args(arguments)
    base, new = read(options.base), read(options.new)
    found = kind_of(base, new).compare(base, new, options.at_least)
    if options.format == "json":
        print(found.json())
    else:
        found.print(terminal())
    return REGRESSION if found.regression else 0


def _part(text: str) -> float:
    match = PART.fullmatch(text.strip())
    if match is None or not 0 < float(match[1]) <= 1000:
        raise UserMistake(f"--at-least {text}: wanted is a part such as 5%, above 0% and up to 1000%")
    return float(match[1]) / 100
