"""`everylink export`: writes one table or matrix of a results file, for gnuplot, scripts and slides."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from everylink.cli.parser import Parser
from everylink.cli.rates import rate
from everylink.cli.sizes import chosen_size
from everylink.errors import UserMistake
from everylink.report.exports import check_export, write_export
from everylink.report.tables import TABLES, Wanted
from everylink.results import read_links

HELP = """what there is:
  slowest                 the slowest links, with their first and second time and their hosts (--count)
  outside                 links below (--below) or above (--above) a bandwidth, named slow and fast
  step-pattern            which step measured each link; also as a picture
  bandwidth-pattern       time and bandwidth of every pair of ranks, for gnuplot; also as a picture
  time-distribution       how many links took how long
  bandwidth-distribution  how many links have which bandwidth
  hosts, ranks            each host, or rank: mean and worst link, as sender and as receiver
  places                  where each rank ran"""


def main(arguments: Sequence[str]) -> int:
    """Write one export of one file."""
    parser = Parser(
        prog="everylink export",
        description="Write one table or matrix of a results file. The head of every table says what its units are.",
        epilog=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="results file")
    parser.add_argument("--what", required=True, choices=TABLES, metavar="WHAT", help="see below")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="OUT", help="x.dat: text (without -o on standard output); of a pattern "
        "also x.png: a picture with a scale, x.ppm: a pixel a link",
    )  # fmt: skip
    parser.add_argument("--size", metavar="BYTES", help="message size: 65536, 64KiB (the largest)")
    parser.add_argument("--below", metavar="RATE", help="of outside: slow links, 10GiB/s")
    parser.add_argument("--above", metavar="RATE", help="of outside: fast links")
    parser.add_argument("--count", type=int, metavar="N", help="of slowest: so many (all that were measured again)")
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    options = parser.parse_args(arguments)
    wanted = Wanted(rate("--below", options.below), rate("--above", options.above), options.count)
    _check(options.what, wanted)
    if options.force and options.output is None:
        raise UserMistake("--force: nothing would be overwritten; it goes with -o")
    check_export(options.what, options.output, options.force)
    results = read_links(options.file)
    write_export(results, chosen_size(results, options.size), options.what, wanted, options.output, options.force)
    return 0


def _check(what: str, wanted: Wanted) -> None:
    limited = wanted.below is not None or wanted.above is not None
    if limited and what != "outside":
        raise UserMistake("--below and --above: go with --what outside")
    if what == "outside" and not limited:
        raise UserMistake("--what outside: wants --below RATE, --above RATE or both")
    if wanted.count is not None and what != "slowest":
        raise UserMistake("--count: goes with --what slowest")
    if wanted.count is not None and wanted.count < 1:
        raise UserMistake(f"--count {wanted.count}: must be at least 1")
