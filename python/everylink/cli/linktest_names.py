"""LinkTest's commands under their old names. Each translates LinkTest's options to `export` and `report`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from everylink.cli import guarded
from everylink.cli.export import write_export
from everylink.cli.kinds import LINKS, Shown, judged
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import ANALYSER_FILES, ANALYSER_REPORT, LINKTEST_REPORT, PINGPONGANALYSIS
from everylink.cli.reports import check_report_path, write_report
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.links.extremes import outside
from everylink.model.results import Results, Size
from everylink.terminal.console import terminal
from everylink.terminal.tables import MIB, Selection, need_bandwidth
from everylink.units import bandwidth, plural

MOST_NAMED = 10_000
REPORT = Path(ANALYSER_REPORT)
ALWAYS = (
    ("time-distribution", "distribution.dat"),
    ("bandwidth-distribution", "distribution_bw.dat"),
    ("places", "mapping.dat"),
)


def pingponganalysis(arguments: Sequence[str] | None = None) -> int:
    """Write the files of LinkTest 1.2's analyser into the current folder, from a results file of any format."""
    return guarded("pingponganalysis", _pingponganalysis, sys.argv[1:] if arguments is None else arguments)


def linktest_report(arguments: Sequence[str] | None = None) -> int:
    """Write LinkTest 2's report of one file."""
    return guarded("linktest-report", _linktest_report, sys.argv[1:] if arguments is None else arguments)


def _pingponganalysis(arguments: Sequence[str]) -> int:
    options = parsed(PINGPONGANALYSIS, arguments)
    limits = [_limit(f"-{letter}", getattr(options, letter)) for letter in "lL"]
    if options.p:
        check_report_path(REPORT, "-p", force=True)
    results = read(options.file)
    if not results.sizes or not len(results.sizes[-1].links):
        raise UserMistake(f"{options.file}: holds no link")
    size = results.sizes[-1]
    run = judged(results) if options.v or options.p else None
    if run and options.v:
        LINKS.show(run, Shown()).text(terminal())
    _print_extremes(results, size)
    if limits != [None, None]:
        _print_links_outside(results, size, *limits)
    for what, name in [*ALWAYS, *((w, n) for letter, w, n, _ in ANALYSER_FILES if getattr(options, letter))]:
        if size.bytes == 0 and what.startswith("bandwidth"):
            print(f" skipped {name}: messages of 0 bytes have no bandwidth")
            continue
        count = len(results.ranks) if what == "slowest" else None
        write_export(results, size, what, Selection(count=count), Path(name), force=True)
        print(f" wrote {name}")
    if run and options.p:
        write_report([run], REPORT, force=True)
        print(f" wrote {REPORT}")
    return 0


def _limit(option: str, mib_a_second: float | None) -> float | None:
    if mib_a_second is not None and not 0 < mib_a_second < float("inf"):
        raise UserMistake(f"{option} {mib_a_second:g}: a bandwidth in MiB/s must be above 0")
    return None if mib_a_second is None else mib_a_second * MIB


def _print_extremes(results: Results, size: Size) -> None:
    """Print the shortest and the longest time in LinkTest's form."""
    times = size.links.median[size.links.median > 0]
    for name, seconds in (("min", float(times.min())), ("max", float(times.max()))) if len(times) else ():
        speed = bandwidth(size.bytes, seconds, results.directions) / MIB
        print(f"pingponganalysis: timings_{name}:          {seconds:e} s {speed:10.6f} MiB/s")


def _print_links_outside(results: Results, size: Size, below: float | None, above: float | None) -> None:
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
            print(f"pingponganalysis: and {len(index) - MOST_NAMED} more; everylink export --what outside lists all")
    if found.untimed:
        untimed = plural(found.untimed, "link")
        print(f"pingponganalysis: {untimed} without a time, because they failed: neither slow nor fast")


def _linktest_report(arguments: Sequence[str]) -> int:
    options = parsed(LINKTEST_REPORT, arguments)
    check_report_path(options.output, "-o", force=True)
    results = read(options.input)
    if not results.sizes:
        raise UserMistake(f"{options.input}: has no message size, so there is nothing to draw")
    write_report([judged(results)], options.output, force=True)
    return 0


if __name__ == "__main__":  # from a source tree that is not installed; the first argument is the command's name
    sys.exit({"pingponganalysis": pingponganalysis, "linktest-report": linktest_report}[sys.argv[1]](sys.argv[2:]))
