"""`everylink show`: prints a results file on the terminal."""

from collections.abc import Sequence

from everylink.cli.answers import give
from everylink.cli.kinds import Shown, judged, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import SHOW
from everylink.errors import UserMistake
from everylink.io.read import read


def main(arguments: Sequence[str]) -> int:
    """Print one results file; the run may still be in progress."""
    options = parsed(SHOW, arguments)
    others = [name for name in ("--slowest", "--below", "--above", "--hosts", "--quiet") if name in options.given]
    if options.fit and others:
        raise UserMistake(f"--fit prints nothing else; leave out {' and '.join(others)}")
    results = read(options.file)
    shown = Shown(options.slowest, options.below, options.above, options.hosts)
    kind = kind_of(results)
    give(kind.fit(results) if options.fit else kind.show(judged(results), shown), options)
    return 0
