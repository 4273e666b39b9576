"""What is slow only while the network is loaded: two runs of the same ranks, one of them serial."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.judge.readings import readings
from everylink.judge.verdict import SURE, Judgement, Verdict
from everylink.links.matching import match
from everylink.model.results import Results
from everylink.robust import known_sample

LEAST = np.log(1.25)  # of the factor by which links between groups suffer more than those inside
FEWEST = 20  # links of either kind


def matched_alone(results: Results, alone: Results) -> Results:
    """The serial run with the ranks of the other, numbered as there. Raises UserMistake where it is no such run."""
    if not alone.facts.serial or results.facts.serial:
        wrong = alone if not alone.facts.serial else results
        what = "was not" if wrong is alone else "was itself"
        raise UserMistake(
            f"{wrong.path}: {what} measured with --serial-tests; --alone wants a run at once, and its like"
        )
    like = replace(alone, facts=replace(alone.facts, serial=False))
    matched = match(results, like)
    if matched.ranks_only_base:
        raise UserMistake(f"{alone.path}: does not have rank {matched.ranks_only_base[0]} of {results.path}")
    return matched.new


def oversubscribed(results: Results, alone: Results, group_of: NDArray[np.int64]) -> Iterable[Verdict]:
    """One verdict where links between groups suffer from others far more than links within a group.

    Then no single cable is bad: there are too few between the switches. `group_of` has one entry per host.
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
    """The verdicts, the slow ones with a word on whether they are slow alone too."""
    slow_alone = {(v.kind, v.subject) for v in (*alone.verdicts, *alone.suspects) if v.symptom == "slow"}
    said = []
    for verdict in verdicts:
        if verdict.symptom == "slow":
            both = (verdict.kind, verdict.subject) in slow_alone
            word = "it is slow alone too" if both else "alone it is as fast as others: only under load"
            verdict = replace(verdict, evidence=f"{verdict.evidence}; {word}")
        said.append(verdict)
    return said
