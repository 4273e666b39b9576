"""`everylink diagnose`: names the faulty components, or reports that all are healthy."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from rich.console import Console

from everylink.cli.answers import Answer, give, is_brief
from everylink.cli.kinds import Against, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import DIAGNOSE
from everylink.files import refuse_existing
from everylink.io.plan_file import write_plan
from everylink.io.read import read
from everylink.io.topology import given_topology
from everylink.judge.verdict import Judgement
from everylink.model.results import Results
from everylink.text.drain import scontrol_text
from everylink.text.nagios import as_plugin, nagios_line
from everylink.text.verdicts import headline, verdict_json, verdict_junit, verdict_text


@as_plugin
def main(arguments: Sequence[str]) -> int:
    """Judge one results file, and write what to measure next. Returns the exit code of the judgement."""
    options = parsed(DIAGNOSE, arguments)
    if options.plan is not None:
        refuse_existing(options.plan, options.force)
    results = read(options.file)
    against = Against(given_topology(options.topology), options.expect, options.baseline, options.alone)
    plan = None if options.plan is None else kind_of(results).plan(results, against.topology)
    judgement = kind_of(results).judge(results, against)
    judgement = replace(judgement, remarks=(*results.left_out, *judgement.remarks))
    give(_answer(results, judgement, options.all), options)
    if plan is not None:
        write_plan(plan, options.plan, options.force)
        if not is_brief(options):
            print(f"{options.plan}: {plan}")
    return judgement.conclusion.exit_code


def _answer(results: Results, judgement: Judgement, everything: bool) -> Answer:
    def text(console: Console) -> None:
        console.print(verdict_text(judgement, everything), soft_wrap=True)

    line = headline(judgement)
    forms = {
        "junit": partial(verdict_junit, results, judgement),
        "nagios": partial(nagios_line, line.plain, judgement, judgement.conclusion),
        "scontrol": partial(scontrol_text, results, judgement),
    }
    return Answer(text, line, partial(verdict_json, results, judgement), forms)
