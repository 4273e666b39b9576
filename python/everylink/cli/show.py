"""`everylink show`: prints a results file on the terminal."""

from collections.abc import Sequence

from everylink.cli.kinds import Shown, judged, kind_of
from everylink.cli.options import Parser, rate
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.terminal.console import terminal
from everylink.terminal.summary import SLOWEST


def main(arguments: Sequence[str]) -> int:
    """Print one results file; it may still be in the making."""
    parser = Parser(prog="everylink show", description="Print a results file: failed links first, then the times.")
    parser.add_argument("file", help="results file, also of a run that still goes on or was killed")
    parser.add_argument("--slowest", type=int, metavar="N", help=f"list so many of the slowest links ({SLOWEST})")
    parser.add_argument("--below", metavar="RATE", help="also list links that are slower than this: 10GiB/s, 100Gb/s")
    parser.add_argument("--above", metavar="RATE", help="also list links that are faster than this")
    parser.add_argument(
        "--hosts",
        action="store_true",
        help="also print each host: mean and worst, as sender and as receiver; of the "
        "pattern client-server each client and server",
    )
    parser.add_argument(
        "--fit", action="store_true", help="latency, asymptotic bandwidth and n_1/2 of each kind of links, nothing else"
    )
    options = parser.parse_args(arguments)
    below, above = rate("--below", options.below), rate("--above", options.above)
    limited = below is not None or above is not None
    if options.slowest is not None and options.slowest < 1:
        raise UserMistake(f"--slowest {options.slowest}: must be at least 1")
    if options.fit and (limited or options.hosts or options.slowest is not None):
        raise UserMistake("--fit: prints nothing else; leave out --slowest, --below, --above and --hosts")
    results = read(options.file)
    if options.fit:
        kind_of(results).fit(results, terminal())
        return 0
    kind_of(results).show(judged(results), terminal(), Shown(options.slowest or SLOWEST, below, above, options.hosts))
    return 0
