"""`everylink diagnose`: says what is bad, or that nothing is."""

from collections.abc import Sequence

from everylink.analysis.judge.verdicts import judge
from everylink.cli.parser import Parser
from everylink.report.terminal import terminal
from everylink.report.verdicts import verdict_json, verdict_junit, verdict_text
from everylink.results import read

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
    parser.add_argument("--format", choices=FORMATS, default="text", help="text, json (docs/verdicts.md) or junit (text)")
    options = parser.parse_args(arguments)
    results = read(options.file)
    judgement = judge(results)
    if options.format == "json":
        print(verdict_json(results, judgement))
    elif options.format == "junit":
        print(verdict_junit(results, judgement))
    else:
        terminal().print(verdict_text(judgement), soft_wrap=True)
    return 0 if judgement.healthy else FAULTS_FOUND
