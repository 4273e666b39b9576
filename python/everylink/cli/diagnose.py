"""`everylink diagnose`: names the faulty components, or reports that all are healthy."""

from collections.abc import Sequence

from everylink.cli.kinds import Against, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import DIAGNOSE
from everylink.io.read import read
from everylink.terminal.console import terminal
from everylink.text.verdicts import verdict_json, verdict_junit, verdict_text


def main(arguments: Sequence[str]) -> int:
    """Judge one results file. Returns the exit code of the judgement."""
    options = parsed(DIAGNOSE, arguments)
    results = read(options.file)
    against = Against(options.topology, options.expect, options.baseline, options.alone)
    judgement = kind_of(results).judge(results, against)
    if options.format == "json":
        print(verdict_json(results, judgement))
    elif options.format == "junit":
        print(verdict_junit(results, judgement))
    else:
        terminal().print(verdict_text(judgement), soft_wrap=True)
    return judgement.conclusion.exit_code
