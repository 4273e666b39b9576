"""Finds what is slow only while the network is loaded, from two runs of the same ranks, one of them serial."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.judge.readings import readings
from everylink.judge.verdict import SURE, Judgement, Scope, Verdict
from everylink.links.matching import match
from everylink.model.results import Results
from everylink.robust import known_sample

LEAST = np.log(1.25)  # log factor by which links between groups must suffer more than links inside
FEWEST = 20  # links of each kind


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


def oversubscribed(results: Results, alone: Results, group_of: NDArray[np.int64]) -> Iterable[Verdict]:
    """One verdict if links between groups suffer far more from other traffic than links within a group.

    Then there are too few cables between the switches, and no single one is bad. `group_of`: group per host, [hosts].
    """
    found: list[Verdict] = []
    near = group_of[:, None] == group_of[None, :]
    serial = {size.bytes: size for size in alone.sizes}
    for size in results.sizes:
        if size.bytes not in serial:
            continue
        longer = readings(results, size).between_hosts.median - readings(alone, serial[size.bytes]).between_hosts.median
        inside, between = known_sample(longer[near]), known_sample(longer[~near])
        if min(len(inside), len(between)) < FEWEST:
            continue
        factors = float(np.median(inside)), float(np.median(between))
        if factors[1] - max(factors[0], 0.0) > LEAST:
            within, across = (float(np.exp(factor)) for factor in factors)
            text = (
                f"links between groups take {across:.2f}x as long while others run as alone, inside of a group "
                f"{within:.2f}x: too few cables between the switches (oversubscription), no single one is bad"
            )
            links = int(np.isfinite(longer[~near]).sum())
            found.append(Verdict("trunk", ("all groups",), "both", "slow", size.bytes, across, SURE, links, text))
    return found


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
