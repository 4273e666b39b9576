"""Finds what is slow only while the network is loaded, from two runs of the same ranks, one of them serial."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from everylink.errors import UserMistake
from everylink.judge.verdict import Judgement, Scope, Verdict
from everylink.links.matching import match
from everylink.model.results import Results

LEAST = np.log(1.25)  # log factor by which links between groups must suffer more than links inside


def matched_alone(results: Results, alone: Results) -> Results:
    """The serial run, its ranks numbered as in the loaded run. Raises UserMistake if the two runs do not fit."""
    if not alone.facts.serial or results.facts.serial:
        wrong = alone if not alone.facts.serial else results
        what = "was measured without --serial-tests" if wrong is alone else "was itself measured with --serial-tests"
        raise UserMistake(f"{wrong.path}: {what}; --alone compares a run under load with a serial run")
    like = replace(alone, facts=replace(alone.facts, serial=False))
    matched = match(results, like)
    if matched.ranks_only_base:
        raise UserMistake(f"{alone.path}: does not have rank {matched.ranks_only_base[0]} of {results.path}")
    return matched.new


def only_under_load(verdicts: Iterable[Verdict], alone: Judgement) -> list[Verdict]:
    """The verdicts; slow ones also say whether they are slow alone."""
    slow_alone = {(v.kind, v.subject) for v in (*alone.verdicts, *alone.suspects) if v.symptom == "slow"}
    result = []
    for verdict in verdicts:
        if verdict.symptom == "slow":
            both = (verdict.kind, verdict.subject) in slow_alone
            word = "it is slow alone too" if both else "alone it is as fast as others: only under load"
            scope = verdict.scope if both else Scope.LOAD
            verdict = replace(verdict, evidence=f"{verdict.evidence}; {word}", scope=scope)
        result.append(verdict)
    return result
