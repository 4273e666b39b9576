"""`everylink merge`: combines runs of the same ranks and settings into one results file."""

import itertools
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import LINKS
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import MERGE
from everylink.errors import UserMistake
from everylink.files import refuse_existing, refuse_other_format
from everylink.io.results_file import write_results
from everylink.links.merging import merged
from everylink.units import plural


def main(arguments: Sequence[str]) -> int:
    """Read all files, then write their combination."""
    options = parsed(MERGE, arguments)
    if len(options.files) < 2:
        raise UserMistake(f"merge: {options.files[0]} is the only file; give at least two")
    refuse_other_format(options.output)
    refuse_existing(options.output, options.force)
    runs = [LINKS.read(file) for file in options.files]
    if again := _given_twice(options.files):
        raise UserMistake(f"merge: {again[0]} and {again[1]} are the same file; give each run once")
    made = merged(runs, options.by)
    facts = replace(made.facts, command=shlex.join(["everylink", "merge", *arguments]))
    write_results(replace(made, path=options.output, facts=facts), options.force)
    links = max((len(size.links) for size in made.sizes), default=0)
    failed = max((int(size.links.failed.sum()) for size in made.sizes), default=0)
    summary = f"{plural(len(runs), 'run')}, {plural(links, 'link')}, {failed} of them failed"
    give(files_answer([options.output], [f"{options.output}: {summary}"], summary), options)
    return 0


def _given_twice(files: Sequence[Path]) -> tuple[Path, Path] | None:
    """Two of these paths that lead to the same file."""
    pairs = itertools.combinations(files, 2)
    return next(((first, second) for first, second in pairs if first.samefile(second)), None)
