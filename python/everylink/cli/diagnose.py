"""`everylink diagnose`: names the faulty components, or reports that all are healthy."""

from collections.abc import Sequence
from functools import partial

from rich.console import Console

from everylink.cli.answers import Answer, give
from everylink.cli.kinds import Against, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import DIAGNOSE
from everylink.io.read import read
from everylink.io.topology import given_topology
from everylink.judge.verdict import Judgement
from everylink.model.results import Results
from everylink.text.verdicts import headline, verdict_json, verdict_junit, verdict_text


def main(arguments: Sequence[str]) -> int:
    """Judge one results file. Returns the exit code of the judgement."""
    options = parsed(DIAGNOSE, arguments)
    results = read(options.file)
    against = Against(given_topology(options.topology), options.expect, options.baseline, options.alone)
    judgement = kind_of(results).judge(results, against)
    if options.format == "junit":
        print(verdict_junit(results, judgement))
    else:
        give(_answer(results, judgement), options)
    return judgement.conclusion.exit_code


def _answer(results: Results, judgement: Judgement) -> Answer:
    def text(console: Console) -> None:
        console.print(verdict_text(judgement), soft_wrap=True)

    return Answer(text, headline(judgement), partial(verdict_json, results, judgement))
