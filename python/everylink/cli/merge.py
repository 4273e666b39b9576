"""`everylink merge`: combines runs of the same ranks and settings into one results file."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from everylink.cli.kinds import LINKS
from everylink.cli.options import Parser
from everylink.errors import UserMistake
from everylink.files import refuse_existing
from everylink.io.results_file import write_results
from everylink.links.merging import WAYS, merged
from everylink.units import plural


def main(arguments: Sequence[str]) -> int:
    """Read all files, then write one."""
    parser = Parser(
        prog="everylink merge",
        description="Combine runs of the same ranks and settings: chance evens out, and what is slow in every run "
        "remains. What differs is refused by name. A link that failed in any run has failed.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results files, two or more")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="OUT", help="results file to write")
    parser.add_argument(
        "--by", choices=WAYS, required=True, help="median: all times are kept, and a link has the median of its runs; "
        "min: a link has the times of its fastest run",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    options = parser.parse_args(arguments)
    if len(options.files) < 2:
        raise UserMistake(f"merge: {options.files[0]} alone is nothing to merge; give two files or more")
    refuse_existing(options.output, options.force)
    runs = [LINKS.read(file) for file in options.files]
    made = merged(runs, options.by)
    facts = replace(made.facts, command=shlex.join(["everylink", "merge", *arguments]))
    write_results(replace(made, path=options.output, facts=facts), options.force)
    links = max((len(size.links) for size in made.sizes), default=0)
    failed = max((int(size.links.failed.sum()) for size in made.sizes), default=0)
    print(f"{options.output}: {plural(len(runs), 'run')}, {plural(links, 'link')}, {failed} of them failed")
    return 0
