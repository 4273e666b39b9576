"""Slow ranks that share an adapter are one verdict, and so are the adapters of one name of all hosts of a group: they
share a switch."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from everylink.judge.merged import are_alike, each_by_itself, in_place_of
from everylink.judge.names import Names
from everylink.judge.planes import FEWEST_OF_GROUP, slow_rails
from everylink.judge.verdict import Scope, Verdict, on_device
from everylink.model.results import Ranks

FEWEST_ALIKE = 2  # hosts of a rail; FEWEST_OF_GROUP if they are not slow alike
MUCH = 2.0  # times what a rail adds (log), by more of which a rank on it is slow for a reason of its own
Rail = tuple[str, frozenset[int]]  # the ranks that use one device on all hosts of a group


def one_per_adapter(verdicts: Sequence[Verdict], names: Names, ranks: Ranks) -> tuple[list[Verdict], set[Verdict]]:
    """The verdicts, with one in place of several on the ranks of a rail of a group, or else of an adapter, where these
    are all slow ranks of their hosts; and those that others stand for. A slow rail of just one group also stands for
    one on the same device of all hosts that is less slow."""
    if names.unit_kind != "host":
        return list(verdicts), set()
    every = {ranks.numbers[one.subject[0]]: one for one in verdicts if _is_one_slow_rank(one)}
    slow = {rank: one for rank, one in every.items() if names.on_one_device(rank, every)}
    rails = {rail: one for one, rail in _named_rails(verdicts, names, ranks)}
    rails = {rail: one for one, rail in _rails_of(slow, names, ranks)} | rails
    told = set(_less_slow(verdicts, rails))
    for (_, own), one in rails.items():
        told |= {slow[rank] for rank in own & slow.keys() if _log(slow[rank]) <= MUCH * _log(one)}
    of_adapter: dict[tuple[int, str], list[Verdict]] = {}
    for rank, one in slow.items():
        if one not in told:
            of_adapter.setdefault((int(names.host_of[rank]), ranks.device[rank]), []).append(one)
    merged = [one for one in rails.values() if one not in verdicts]
    for (_, device), sharing in ((at, those) for at, those in of_adapter.items() if len(those) > 1):
        merged.append(each_by_itself(sharing, "rank", f"{len(sharing)} ranks share {device}"))
        told.update(sharing)
    return [*(one for one in verdicts if one not in told), *merged], told


def _log(verdict: Verdict) -> float:
    return float(np.log(verdict.factor or 1.0))


def _is_one_slow_rank(verdict: Verdict) -> bool:
    return verdict.is_slow_rank and len(verdict.subject) == 1 and verdict.scope is Scope.ALL


def _is_of_device(verdict: Verdict) -> bool:
    return verdict.symptom == "slow" and verdict.device != ""


def _named_rails(verdicts: Sequence[Verdict], names: Names, ranks: Ranks) -> Iterator[tuple[Verdict, Rail]]:
    """The verdicts on rails of a group, by the names that evidence.loaded_verdict and evidence.plane_verdict give."""
    slow = {one.subject[0]: one for one in verdicts if _is_of_device(one)}
    device_of, group_of = np.array(ranks.device), names.groups[names.host_of]
    for device in sorted({one.device for one in slow.values()}):
        groups = np.unique(group_of[device_of == device]).tolist()
        for group in groups if len(groups) > 1 else ():
            own = np.flatnonzero((device_of == device) & (group_of == group))
            hosts = names.in_short(np.unique(names.host_of[own]).tolist())
            for subject in {names.group_in_short(group), hosts}:
                if one := slow.get(on_device(subject, device)):
                    yield one, (device, frozenset(own.tolist()))


def _rails_of(slow: Mapping[int, Verdict], names: Names, ranks: Ranks) -> Iterator[tuple[Verdict, Rail]]:
    """Verdicts in place of those on nearly all ranks of rails of a group, which are slow on no other hosts; of two
    hosts if they are slow alike."""
    effects = {rank: _log(one) for rank, one in slow.items()}
    for rail in slow_rails(ranks, names.host_of, names.groups, effects, FEWEST_ALIKE):
        every = rail.ranks(ranks, names.host_of)
        numbers = sorted(every & slow.keys())
        own = [slow[rank] for rank in numbers]
        if len(rail.hosts) < FEWEST_OF_GROUP and not are_alike(own):
            continue
        hosts = len(np.unique(names.host_of[numbers]))
        text = f"slow on {hosts} of {len(rail.hosts)} hosts of this group, and on no others; of"
        subject = (on_device(names.in_short(rail.hosts), rail.device),)
        yield replace(in_place_of(own, text), kind="group", subject=subject), (rail.device, frozenset(every))


def _less_slow(verdicts: Sequence[Verdict], rails: Mapping[Rail, Verdict]) -> Iterator[Verdict]:
    """The verdicts on a device of all hosts that is slow, and slower, on those of one group: that makes its ranks slow
    with the others."""
    for verdict in verdicts:
        if _is_of_device(verdict) and verdict not in rails.values():
            own = [one for (device, _), one in rails.items() if device == verdict.device]
            if len(own) == 1 and _log(verdict) < _log(own[0]):
                yield verdict
