"""`everylink compare`: reports what became slower or faster between two runs."""

from collections.abc import Sequence

from everylink.cli.answers import give
from everylink.cli.kinds import kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import COMPARE
from everylink.exit_codes import Exit
from everylink.io.read import read


def main(arguments: Sequence[str]) -> int:
    """Compare two files. Returns Exit.FAULTS if something became slower or failed."""
    options = parsed(COMPARE, arguments)
    base, new = read(options.base), read(options.new)
    found = kind_of(base, new).compare(base, new, options.at_least, options.all)
    give(found.answer, options)
    return Exit.FAULTS if found.regression else Exit.FINE
