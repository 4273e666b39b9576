"""Hosts in a row that are slow alike are one verdict in place of one for each: they may share a chassis.

Where a sixth of all are slow alike, and not in a row, they are built that way, perhaps; those of a row that are a
little slow in small messages only have longer cables, perhaps.
"""

from collections.abc import Sequence

import numpy as np

from everylink.host_lists import folded
from everylink.judge.merged import are_alike, each_by_itself
from everylink.judge.names import Names
from everylink.judge.unlike_hosts import QUESTION
from everylink.judge.verdict import BANDWIDTH, Scope, Structure, Verdict

FEWEST = 3  # hosts
MOST_FURTHER = 1.16  # the largest factor of small messages that longer cables may explain
FURTHER_QUESTION = "Longer cables or another lot by design, or slow? Where these hosts stand tells."
PART_OF_TWO, PART_MANY, MOST = 1 / 5, 1 / 6, 1.9  # of all: two or more hosts that are slow alike; the largest factor


def without_scattered(verdicts: Sequence[Verdict], names: Names) -> tuple[list[Verdict], list[Structure]]:
    """The verdicts but those on hosts in no row that are slow alike, if they are many of all; and what is told of
    these: faults hardly make a sixth of the hosts slow by one factor."""
    number = {one: names.units.index(one.subject[0]) for one in verdicts if one.kind == "host" and _is_of_row(one)}
    slow = sorted(_most_alike(list(number)), key=lambda one: number[one])
    part = PART_OF_TWO if len(slow) == 2 else PART_MANY
    are_many = len(slow) >= max(2, part * len(names.units)) and number[slow[-1]] - number[slow[0]] >= len(slow)
    worst = max((one.factor or 1.0 for one in slow), default=1.0)
    if not are_many or worst > MOST:
        return list(verdicts), []
    hosts = folded([one.subject[0] for one in slow])
    text = f"{hosts}: their links take up to {worst:.2f}x the time of others, all alike"
    built = Structure("class", (hosts,), worst, slow[0].bytes, "times", text, QUESTION)
    return [one for one in verdicts if one not in slow], [built]


def rows_of_hosts(verdicts: Sequence[Verdict], names: Names) -> list[Verdict]:
    """The verdicts, with one of the scope `each` in place of those of hosts in a row that are slow alike.

    None where these are all hosts of a slow group: that is the verdict.
    """
    if names.unit_kind != "host":
        return list(verdicts)
    of_host = {one.subject[0]: one for one in verdicts if one.kind == "host" and _is_of_row(one)}
    rows, row = list[list[Verdict]](), list[Verdict]()
    for name in names.units:
        one = of_host.get(name)
        if one is None or not are_alike([*row, one]):
            rows.append(row)
            row = []
        row += [one] if one is not None else []
    rows = [row for row in (*rows, row) if len(row) >= FEWEST]
    in_rows = {one for row in rows for one in row}
    groups = {frozenset(names.units_of(one.subject)) for one in verdicts if one.kind == "group"}
    rows = [row for row in rows if frozenset(one.subject[0] for one in row) not in groups]
    merged = (each_by_itself(row, "group", f"{len(row)} hosts in a row, each slow by itself") for row in rows)
    return [*(one for one in verdicts if one not in in_rows), *merged]


def without_further(verdicts: Sequence[Verdict], every: Sequence[Verdict]) -> tuple[list[Verdict], list[Structure]]:
    """The verdicts but those on hosts in a row that are a little slow in small messages only, and what is told of
    these: they stand where cables are longer, perhaps. `every`: the verdicts at each message size."""
    in_large = {one.subject for one in every if one.symptom == "slow" and one.bytes >= BANDWIDTH}
    further = [
        one for one in verdicts
        if one.scope is Scope.EACH and one.symptom == "slow" and one.bytes < BANDWIDTH
        and (one.factor or np.inf) <= MOST_FURTHER and not any((name,) in in_large for name in one.subject)
    ]  # fmt: skip
    structures = []
    for one in further:
        hosts, factor = folded(one.subject), one.factor or 1.0
        text = f"{hosts}: their small messages take {factor:.2f}x the time of others, large ones are delayed no further"
        structures.append(Structure("class", (hosts,), factor, one.bytes, "times", text, FURTHER_QUESTION))
    return [one for one in verdicts if one not in further], structures


def _is_of_row(verdict: Verdict) -> bool:
    return verdict.symptom == "slow" and verdict.scope is Scope.ALL and len(verdict.subject) == 1


def _most_alike(hosts: Sequence[Verdict]) -> list[Verdict]:
    """The most of these slow hosts that are slow by the same factor, in the same direction."""
    found: list[Verdict] = []
    for side in {one.direction for one in hosts}:
        own = sorted((one for one in hosts if one.direction == side), key=lambda one: one.factor or 1.0)
        for first in range(len(own)):
            last = max(end for end in range(first, len(own)) if are_alike(own[first : end + 1]))
            found = max(found, own[first : last + 1], key=len)
    return found
