"""Finds rails that are slow on all hosts: adapters of equal rate, equally near to their ranks, on one switch plane."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from everylink.judge.kinds import Kinds
from everylink.judge.positions import Places
from everylink.judge.readings import Readings
from everylink.model.results import Ranks
from everylink.robust import lower_quantiles

SMALLEST = np.log(1.1)  # equal adapters differ by less


@dataclass(frozen=True)
class SlowPlane:
    """A device that is slow on all hosts that have it, `hosts`; `effect`: log of the factor against other devices."""

    device: str
    effect: float
    hosts: tuple[int, ...]


def slow_planes(ranks: Ranks, seen: Readings, kinds: Kinds) -> list[SlowPlane]:
    """None where hosts do not say that all their adapters have one rate: then it may be how they are built."""
    if seen.places is None or not kinds.told or not all(_is_of_one_rate(name) for name in kinds.names):
        return []
    found = []
    for effects in _by_distance(ranks, seen.places).values():
        names = list(effects)
        levels = np.array([[np.median(effects[name]) for name in names]], np.float32)
        usual = float(lower_quantiles(levels, 0.5)[0][0])
        for name, level in zip(names, levels[0].tolist(), strict=True):
            if level - usual > SMALLEST:
                hosts = {int(seen.host_of[rank]) for rank, device in enumerate(ranks.device) if device == name}
                found.append(SlowPlane(name, level - usual, tuple(sorted(hosts))))
    return found


def _is_of_one_rate(kind: str) -> bool:
    """Whether a kind of hosts, such as `200 + 200 Gbit/s`, has adapters of one rate."""
    return len(set(kind.removesuffix(" Gbit/s").split(" + "))) == 1


def _by_distance(ranks: Ranks, places: Places) -> Mapping[int, Mapping[str, list[float]]]:
    """What the places with each device add, by the distance of the device."""
    found: dict[int, dict[str, list[float]]] = {}
    for place, added in enumerate(places.of_place.tolist()):
        rank = int(np.flatnonzero(places.of_rank == place)[0])
        if ranks.device[rank] and np.isfinite(added):
            found.setdefault(int(ranks.numa_distance[rank]), {}).setdefault(ranks.device[rank], []).append(added)
    return found
