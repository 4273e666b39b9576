"""Commands of LinkTest by their old names: each turns the old options into an export or a report of ours."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from everylink.cli import guarded
from everylink.cli.export import write_export
from everylink.cli.kinds import LINKS, Shown, judged
from everylink.cli.options import Parser
from everylink.cli.reports import check_report_path, write_report
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.links.extremes import outside
from everylink.model.results import Results, Size
from everylink.terminal.console import terminal
from everylink.terminal.tables import MIB, Wanted, need_bandwidth
from everylink.units import bandwidth, plural
from everylink.version import VERSION

MOST_NAMED = 10_000
REPORT = Path("report_fzjlinktest.ps")
ALWAYS = (
    ("time-distribution", "distribution.dat"),
    ("bandwidth-distribution", "distribution_bw.dat"),
    ("places", "mapping.dat"),
)
ON_DEMAND = (
    ("a", "step-pattern", "accesspattern.ppm", "which step measured each link, a pixel a link"),
    ("A", "step-pattern", "accesspattern.dat", "the same as text"),
    ("b", "bandwidth-pattern", "bwpattern.ppm", "bandwidths, a pixel a link"),
    ("B", "slowest", "bad_links.dat", "the slowest links, with their first and second time and their hosts"),
    ("D", "ranks", "nodelist.dat", "each rank as sender and as receiver"),
    ("g", "bandwidth-pattern", "gnuplotinput.dat", "time and bandwidth of every pair of ranks"),
)
NOT_HAD = {
    "d": "distances on a torus are not computed; everylink diagnose FILE --topology knows switches",
    "f": "scales the colours of a picture; they are scaled by themselves, leave it out",
    "m": "masks single links; give everylink-measure --schedule file:PAIRS the links that are to be measured",
    "O": "files from before LinkTest 1.2 are not read",
    "q": "block sizes are read from the file; leave it out",
    "Q": "block sizes are read from the file; leave it out",
    "s": "the number of bins is chosen by the number of links; leave it out",
    "t": "the ends of the colour scale are chosen so that no outlier flattens it; leave it out",
    "T": "the ends of the colour scale are chosen so that no outlier flattens it; leave it out",
}


def pingponganalysis(arguments: Sequence[str] | None = None) -> int:
    """What LinkTest 1.2's analyser writes into the current folder, from a file of any of our formats."""
    return guarded("pingponganalysis", _pingponganalysis, sys.argv[1:] if arguments is None else arguments)


def linktest_report(arguments: Sequence[str] | None = None) -> int:
    """LinkTest 2's report of one file."""
    return guarded("linktest-report", _linktest_report, sys.argv[1:] if arguments is None else arguments)


class _NotHad(argparse.Action):
    """An option of the old program that we lack: says what to do in its place."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> NoReturn:
        assert option_string is not None
        raise UserMistake(f"{option_string}: {NOT_HAD[option_string[1:]]}")


def _pingponganalysis(arguments: Sequence[str]) -> int:
    options = _options().parse_args(arguments)
    limits = [_limit(f"-{letter}", getattr(options, letter)) for letter in "lL"]
    if options.p:
        check_report_path(REPORT, "-p")
    results = read(options.file)
    if not results.sizes or not len(results.sizes[-1].links):
        raise UserMistake(f"{options.file}: holds no link")
    size = results.sizes[-1]
    run = judged(results) if options.v or options.p else None
    if run and options.v:
        LINKS.show(run, terminal(), Shown())
    _say_extremes(results, size)
    if limits != [None, None]:
        _name_links_outside(results, size, *limits)
    for what, name in [*ALWAYS, *((w, n) for letter, w, n, _ in ON_DEMAND if getattr(options, letter))]:
        if size.bytes == 0 and what.startswith("bandwidth"):
            print(f" left out {name}: messages of 0 bytes have no bandwidth")
            continue
        count = len(results.ranks) if what == "slowest" else None
        write_export(results, size, what, Wanted(count=count), Path(name), force=True)
        print(f" wrote {name}")
    if run and options.p:
        write_report([run], REPORT)
        print(f" wrote {REPORT}")
    return 0


def _options() -> Parser:
    parser = Parser(
        prog="pingponganalysis",
        description="Everylink in place of LinkTest 1.2's analyser: the same names of files, written into this folder "
        "and over what is there. everylink export, report and show do the same and more.",
    )
    for letter, _, name, text in ON_DEMAND:
        parser.add_argument(f"-{letter}", action="store_true", help=f"{name}: {text}")
    parser.add_argument("-l", type=float, metavar="MIN", help="name links below this bandwidth in MiB/s")
    parser.add_argument("-L", type=float, metavar="MAX", help="name links above this bandwidth in MiB/s")
    parser.add_argument("-p", action="store_true", help=f"{REPORT}: a report in PostScript")
    parser.add_argument("-v", action="store_true", help="print what everylink show prints")
    parser.add_argument("-V", action="version", version=f"Everylink {VERSION}, pingponganalysis of LinkTest 1.2")
    for letter in NOT_HAD:
        parser.add_argument(f"-{letter}", action=_NotHad, nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("file", type=Path, metavar="FILE", help="results of LinkTest 1.2 or of Everylink")
    return parser


def _limit(option: str, mib_a_second: float | None) -> float | None:
    if mib_a_second is not None and not 0 < mib_a_second < float("inf"):
        raise UserMistake(f"{option} {mib_a_second:g}: a bandwidth in MiB/s is above 0")
    return None if mib_a_second is None else mib_a_second * MIB


def _say_extremes(results: Results, size: Size) -> None:
    """The shortest and the longest time, as LinkTest says them."""
    times = size.links.median[size.links.median > 0]
    for name, seconds in (("min", float(times.min())), ("max", float(times.max()))) if len(times) else ():
        speed = bandwidth(size.bytes, seconds, results.directions) / MIB
        print(f"pingponganalysis: timings_{name}:          {seconds:e} s {speed:10.6f} MiB/s")


def _name_links_outside(results: Results, size: Size, below: float | None, above: float | None) -> None:
    need_bandwidth(size)
    links, host = size.links, results.ranks.host
    found = outside(results, size, below, above)
    for label, index in (("SLOW suspected", found.slow), ("FAST", found.fast)):
        for number, i in enumerate(index[:MOST_NAMED].tolist()):
            frm, to, seconds = int(links.frm[i]), int(links.to[i]), float(links.median[i])
            speed = bandwidth(size.bytes, seconds, results.directions) / MIB
            print(
                f"pingponganalysis: {label} link #{number:05d}: {frm:6d} -> {to:6d}: {seconds:e} s "
                f"{speed:16.10f} MiB/s ({host[frm]} -> {host[to]})"
            )
        if len(index) > MOST_NAMED:
            print(f"pingponganalysis: and {len(index) - MOST_NAMED} more; everylink export --what outside names all")
    if found.untimed:
        untimed = plural(found.untimed, "link")
        print(f"pingponganalysis: {untimed} without a time, because they failed: neither slow nor fast")


def _linktest_report(arguments: Sequence[str]) -> int:
    parser = Parser(
        prog="linktest-report",
        description="Everylink in place of LinkTest 2's report: everylink report FILE -o REPORT does the same.",
    )
    parser.add_argument("-i", "--input", required=True, type=Path, metavar="FILE", help="results file")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="REPORT", help="x.pdf, x.html, x.ps, x.png")
    options = parser.parse_args(arguments)
    check_report_path(options.output, "-o")
    results = read(options.input)
    if not results.sizes:
        raise UserMistake(f"{options.input}: has no message size, so there is nothing to draw")
    write_report([judged(results)], options.output)
    return 0


if __name__ == "__main__":  # out of a tree that is installed nowhere: the name comes first
    sys.exit({"pingponganalysis": pingponganalysis, "linktest-report": linktest_report}[sys.argv[1]](sys.argv[2:]))
