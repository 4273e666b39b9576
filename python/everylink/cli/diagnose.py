"""`everylink diagnose`: says what is bad, or that nothing is."""

from collections.abc import Sequence
from pathlib import Path

from everylink.cli.kinds import Against, kind_of
from everylink.cli.options import Parser
from everylink.io.read import read
from everylink.terminal.console import terminal
from everylink.text.verdicts import verdict_json, verdict_junit, verdict_text

FAULTS_FOUND = 3
FORMATS = ("text", "json", "junit")


def main(arguments: Sequence[str]) -> int:
    """Judge one results file; exit code 0: healthy, 3: faults found."""
    parser = Parser(
        prog="everylink diagnose",
        description="Name what is bad in a results file: hosts, ranks, links, groups; in which direction, by how much, "
        "how sure that is and why. Exit code 0: healthy, 3: faults found.",
    )
    parser.add_argument("file", help="results file, also of a run that still goes on or was killed")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text, json (docs/verdicts.md) or junit (text)"
    )
    parser.add_argument(
        "--topology", type=Path, metavar="FILE", help="Slurm's topology.conf, or what ibnetdiscover prints"
    )
    parser.add_argument(
        "--expect", metavar="WHAT", help="latency=2us,bandwidth=90%%:100Gb/s: what falls short is bad too"
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="an earlier run: what got slower since is bad too"
    )
    parser.add_argument(
        "--alone",
        type=Path,
        metavar="FILE",
        help="a run of the same ranks with --serial-tests: tells what is slow only under load from what is slow alone",
    )
    options = parser.parse_args(arguments)
    results = read(options.file)
    against = Against(options.topology, options.expect, options.baseline, options.alone)
    judgement = kind_of(results).judge(results, against)
    if options.format == "json":
        print(verdict_json(results, judgement))
    elif options.format == "junit":
        print(verdict_junit(results, judgement))
    else:
        terminal().print(verdict_text(judgement), soft_wrap=True)
    return 0 if judgement.healthy else FAULTS_FOUND
