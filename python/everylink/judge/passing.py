"""Tells what may be slow because its messages pass a slow switch.

In a torus, a hypercube or another network whose switches pass on messages of others, the way between two groups leads
over a third one. Where the switch of that is slow, so is the way, and neither its ends nor its cables need be at fault.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.confidence import is_less
from everylink.judge.names import Names
from everylink.judge.readings import Readings
from everylink.judge.verdict import Verdict
from everylink.robust import Matrix, Values, is_whole, row_medians

HOP = 0.04  # log of the factor by which small messages over one more switch take longer, at least
MANY = 0.33  # part of the others with which a host or group is slow because its messages pass a switch
FEWEST = 2  # of the others with which a part of the ways from a group pass it
Hosts = NDArray[np.int64]


def past_slow_switches(
    verdicts: Sequence[Verdict], names: Names, seen: Readings | None
) -> Iterator[tuple[Verdict, str]]:
    """The slow hosts, groups and trunks whose messages may pass a slow group, or slow hosts that are behind one switch,
    each with the node set of these.

    `seen`: readings of small messages. They pass a group if they take longer than those of both ends with it do: a part
    that is slow by itself makes these as slow. Of an uplink, those with a few others. A group passes none that is less
    slow, and a host none that it is itself behind. None of very many hosts.
    """
    if seen is None or names.unit_kind != "host" or not is_whole(seen.hosts):
        return
    number, slow = {name: at for at, name in enumerate(names.units)}, [one for one in verdicts if one.symptom == "slow"]

    def numbers(of: Iterable[str]) -> Hosts:
        return np.array(sorted(number[name] for name in of if name in number), np.int64)

    groups = [
        (numbers(names.units_of(one.subject)), np.inf, one.factor or np.inf) for one in slow if one.kind == "group"
    ]  # fmt: skip
    hosts = [one for one in slow if one.kind == "host" and not is_less(one)]
    if not groups and not hosts:
        return
    small = seen.between_hosts.median
    near = _behind_one_switch(numbers(one.subject[0] for one in hosts), small)
    groups += [(group, min(one.confidence for one in hosts), np.inf) for group in near]
    for one in slow:
        if one.kind not in ("host", "group", "trunk"):
            continue
        ends = list(map(numbers, names.ends_of(one) if one.kind == "trunk" else [names.units_of(one.subject)]))
        is_part = one.kind == "trunk" or is_less(one)  # such a host may be slow with few others
        for group, most, factor in groups:
            is_apart = len(group) and all(map(len, ends)) and not np.isin(np.concatenate(ends), group).any()
            is_apart = is_apart and not (one.kind == "host" and _is_behind(ends[0], group, small))
            may_be_why = one.confidence < most and (one.kind != "group" or (one.factor or 1.0) <= factor)
            if is_apart and may_be_why and _pass(ends, group, small, is_part):
                yield one, names.in_short(group.tolist())
                break


def near_hosts(host: int, small: Matrix) -> Hosts:
    """The host itself and those as near to it as its nearest one: they may be behind one switch. None if not known."""
    time = _with_each(np.array([host]), np.arange(len(small)), small)
    time[host] = np.fmin.reduce(time)
    return np.flatnonzero(time <= time[host] + HOP / 2)


def _behind_one_switch(hosts: Hosts, small: Matrix) -> Iterator[Hosts]:
    """Those of these hosts that are as near to each other as to their nearest others, two or more at a time."""
    left = hosts.tolist()
    while left:
        first = left.pop(0)
        if mates := [host for host in near_hosts(first, small).tolist() if host in left]:
            left = [host for host in left if host not in mates]
            yield np.array([first, *mates])


def _is_behind(host: Hosts, group: Hosts, small: Matrix) -> bool:
    """Whether a host is as near to those of a group as to its nearest others."""
    nearest = np.fmin.reduce(_with_each(host, np.arange(len(small)), small))
    return bool(_between(host, group, small) <= nearest + HOP / 2)


def ways_past(one: int, other: int, between: Matrix) -> NDArray[np.bool_]:
    """Which ways between two groups may lead over that between `one` and the `other`, [group, group].

    `between`: what ways take longer in small messages, log of the factor, [group, group]; NaN is not known. Such a way
    takes longer than that one, and than those from its own groups to these.
    """
    own = between.copy()
    np.fill_diagonal(own, -np.inf)
    parts = np.maximum(own[:, [one]], own[other])
    passes = own > HOP + np.maximum(parts, own[one, other])
    return np.asarray(passes | passes.T)


def may_pass(verdict: Verdict, group: str) -> Verdict:
    """The same as a suspect, which says so."""
    text = f"{verdict.evidence}; its messages may pass the switch of {group}, which is slow"
    return replace(verdict, evidence=text)


def _pass(ends: Sequence[Hosts], group: Hosts, small: Matrix, is_part: bool) -> bool:
    """Whether messages between two ends, or of one with the others, pass a group; `is_part`: with some of the others
    only, as over an uplink."""
    if len(ends) == 2:
        one, other = ends
        return _between(one, other, small) > HOP + max(_between(one, group, small), _between(group, other, small))
    (own,) = ends
    others = np.setdiff1d(np.arange(len(small)), np.concatenate([own, group]))
    nearer = np.maximum(_between(own, group, small), _with_each(group, others, small))
    longer = int((_with_each(own, others, small) > nearer + HOP).sum())
    return longer >= (FEWEST if is_part else max(MANY * len(others), 1))


def _between(one: Hosts, other: Hosts, small: Matrix) -> float:
    """The median of the links between two sets of hosts; NaN if there is none."""
    both = _links(one, other, small)
    known = both[np.isfinite(both)]
    return float(np.median(known)) if len(known) else np.nan


def _with_each(hosts: Hosts, others: Hosts, small: Matrix) -> Values:
    """The medians of the links between some hosts and each of the others, [others]; NaN where there is none."""
    return np.asarray(row_medians(_links(hosts, others, small).T)[0], float)


def _links(hosts: Hosts, others: Hosts, small: Matrix) -> Matrix:
    """The links between some hosts and others, one way and then the other, [2 * hosts, others]."""
    return np.concatenate([small[np.ix_(hosts, others)], small[np.ix_(others, hosts)].T])
