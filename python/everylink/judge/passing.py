"""Tells what may be slow because its messages pass a slow switch.

In a torus, a hypercube or another network whose switches pass on messages of others, the way between two groups leads
over a third one. Where the switch of that is slow, so is the way, and neither its ends nor its cables need be at fault.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.evidence import Names
from everylink.judge.verdict import Verdict
from everylink.robust import Matrix

HOP = 0.04  # log of the factor by which small messages over one more switch take longer, at least
MANY = 0.33  # part of the others with which a host or group is slow because its messages pass a switch
FEWEST = 2  # of the others with which a part of the ways from a group pass it
Hosts = NDArray[np.int64]


def past_slow_groups(verdicts: Sequence[Verdict], names: Names, small: Matrix | None) -> Iterator[tuple[Verdict, str]]:
    """The slow hosts, groups and trunks whose messages may pass a slow group, each with the node set of that.

    `small` [from, to]: log seconds of small messages between hosts. They pass a group if they take longer than those
    of both ends with it do: a part that is slow by itself makes these as slow. Of an uplink, those with a few others.
    """
    if small is None or names.unit_kind != "host":
        return
    number, slow = {name: at for at, name in enumerate(names.units)}, [one for one in verdicts if one.symptom == "slow"]
    groups = [
        np.array(sorted(number[name] for name in names.units_of(one.subject) & number.keys()), np.int64)
        for one in slow if one.kind == "group"
    ]  # fmt: skip
    for one in slow:
        if one.kind not in ("host", "group", "trunk"):
            continue
        named = names.ends_of(one) if one.kind == "trunk" else [names.units_of(one.subject)]
        ends = [np.array(sorted(number[name] for name in end & number.keys()), np.int64) for end in named]
        own = np.concatenate(ends)
        for group in groups:
            is_apart = len(group) and all(map(len, ends)) and not np.isin(own, group).any()
            if is_apart and _pass(ends, group, small, is_part=one.kind == "trunk"):
                yield one, names.in_short(group.tolist())
                break


def may_pass(verdict: Verdict, group: str) -> Verdict:
    """The same as a suspect, which says so."""
    text = f"{verdict.evidence}; its messages may pass the switch of {group}, which is slow"
    return replace(verdict, evidence=text)


def _pass(ends: Sequence[Hosts], group: Hosts, small: Matrix, is_part: bool) -> bool:
    """Whether messages between two ends, or of one with the others, pass a group; `is_part`: with some of the others
    only, as over an uplink."""
    if len(ends) == 2:
        one, other = ends
        nearer = max(_between(one, group, small), _between(group, other, small))
        return _between(one, other, small) > nearer + HOP
    (own,) = ends
    others = np.setdiff1d(np.arange(len(small)), np.concatenate([own, group]))
    to_group = _between(own, group, small)
    longer = [
        _between(own, other, small) > max(to_group, _between(group, other, small)) + HOP for other in others[:, None]
    ]
    return sum(longer) >= (FEWEST if is_part else max(MANY * len(others), 1))


def _between(one: Hosts, other: Hosts, small: Matrix) -> float:
    """The median of the links between two sets of hosts; NaN if there is none."""
    both = np.concatenate([small[np.ix_(one, other)].ravel(), small[np.ix_(other, one)].ravel()])
    known = both[np.isfinite(both)]
    return float(np.median(known)) if len(known) else np.nan
