"""`everylink show`: prints a results file on the terminal."""

from collections.abc import Sequence

from everylink.cli.answers import give
from everylink.cli.kinds import Shown, judged, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import SHOW
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.io.topology import given_topology

WITHOUT_FIT = ("--slowest", "--below", "--above", "--hosts", "--host-pairs", "--switches", "--topology", "--quiet")


def main(arguments: Sequence[str]) -> int:
    """Print one results file; the run may still be in progress."""
    options = parsed(SHOW, arguments)
    others = [name for name in WITHOUT_FIT if name in options.given]
    if options.fit and others:
        raise UserMistake(f"--fit prints nothing else; leave out {' and '.join(others)}")
    results = read(options.file)
    shown = Shown(
        slowest=options.slowest,
        below=options.below,
        above=options.above,
        hosts=options.hosts,
        host_pairs=options.host_pairs,
        switches=options.switches,
        everything=options.all,
    )
    kind = kind_of(results)
    if options.fit:
        give(kind.fit(results, options.all), options)
    else:
        give(kind.show(judged(results, given_topology(options.topology)), shown), options)
    return 0
