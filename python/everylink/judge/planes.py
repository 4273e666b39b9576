"""Finds rails that are slow on all hosts: adapters of equal rate, equally near to their ranks, on one switch plane.

On each host a rank's own time, a low quantile of its links, is compared with those of ranks on other adapters. A plane
is slow if the median over the hosts is, by more than the hosts differ, and nearly all of them show it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.comparable import BestReadings
from everylink.judge.kinds import Kinds
from everylink.judge.readings import Readings
from everylink.model.results import Ranks
from everylink.robust import MEDIAN_ERROR, Values, lower_quantiles, sampled, spread

ALIKE = 0.5  # part of what a device takes longer, by less of which the others must differ alone
SMALLEST = np.log(1.1)  # equal adapters differ by less
CERTAIN, FEWEST_HOSTS = 5.0, 6  # standard errors; hosts on which the adapters are compared
LEAST_SPREAD = 1e-3  # real hosts are never exactly alike
NEARLY_ALL, SHOWN = 0.2, 0.5  # this quantile of the hosts shows this part of the effect
FEWEST_OF_GROUP, WHOLE = 3, 0.9  # hosts of a group, and the part of these, of which a rail is slow


@dataclass(frozen=True)
class SlowPlane:
    """A device that is slow on all of these `hosts`; `effect`: log of the factor against other devices."""

    device: str
    effect: float
    hosts: tuple[int, ...]

    def ranks(self, ranks: Ranks, host_of: NDArray[np.int64]) -> set[int]:
        """The ranks that use it."""
        return set(np.flatnonzero((np.array(ranks.device) == self.device) & np.isin(host_of, self.hosts)).tolist())


def slow_planes(ranks: Ranks, seen: Readings, kinds: Kinds, alone: BestReadings) -> list[SlowPlane]:
    """None where hosts do not say that all their adapters have one rate: then it may be how they are built; nor where
    the others differ in what they take `alone`, as functions of one adapter with limits of their own do."""
    if seen.places is None or not kinds.told or not all(_is_of_one_rate(name) for name in kinds.names):
        return []
    found: dict[str, SlowPlane] = {}
    own = _own_times(seen, _on_hosts_of_several(ranks, seen))
    for distance in sorted(set(ranks.numa_distance.tolist())):
        for device, by_host in _against_others(ranks, seen.host_of, own, distance).items():
            effect = _effect(np.array(list(by_host.values())))
            if effect and (device not in found or effect > found[device].effect):
                found[device] = SlowPlane(device, effect, tuple(sorted(by_host)))
    level = _levels_alone(ranks, seen.host_of, alone) if found else {}
    return [found[device] for device in sorted(found) if _are_alike(level, found[device])]


def _levels_alone(ranks: Ranks, host_of: NDArray[np.int64], alone: BestReadings) -> Mapping[str, float]:
    """Of each device the median of what links between ranks on it took alone, log seconds, where some were measured."""
    device, between = np.array(ranks.device), host_of[alone.frm] != host_of[alone.to]
    of_link = np.where((device[alone.frm] == device[alone.to]) & between, device[alone.frm], "")
    return {name: float(np.median(alone.time[of_link == name])) for name in np.unique(of_link).tolist() if name}


def _are_alike(level: Mapping[str, float], plane: SlowPlane) -> bool:
    """Whether the other devices differ by little in what they take alone."""
    others = [time for name, time in level.items() if name != plane.device]
    return len(others) < 2 or max(others) - min(others) < ALIKE * plane.effect


def slow_rails(
    ranks: Ranks, host_of: NDArray[np.int64], group_of: NDArray[np.int64], slow: Mapping[int, float],
    fewest: int = FEWEST_OF_GROUP,
) -> list[SlowPlane]:  # fmt: skip
    """Devices that are slow on nearly all hosts of just one group: the rail's switch, or its way up.

    `slow`: slow ranks, and their effects, log of the factor; `group_of` [hosts]; `fewest`: hosts of such a group.
    """
    found = []
    device_of = np.array(ranks.device)
    number = np.fromiter(slow, np.int64)
    for device in sorted({name for name in device_of[number].tolist() if name}):
        own = number[device_of[number] == device]
        hosts, groups = np.unique(host_of[own]), np.unique(group_of[host_of[own]])
        having = np.unique(host_of[device_of == device])
        members = having[np.isin(group_of[having], groups)]
        of_one_group = len(groups) == 1 and fewest <= len(members) < len(having)
        if of_one_group and len(hosts) >= WHOLE * len(members):
            effect = float(np.median([slow[rank] for rank in own.tolist()]))
            found.append(SlowPlane(device, effect, tuple(members.tolist())))
    return found


def _effect(beyond: Values) -> float:
    """Of what a device takes beyond others on each host; 0 unless it is sure, large enough, and so on nearly all."""
    if len(beyond) < FEWEST_HOSTS:
        return 0.0
    effect = float(np.median(beyond))
    error = MEDIAN_ERROR * np.hypot(spread(beyond), LEAST_SPREAD) / np.sqrt(len(beyond))
    is_sure = effect > max(SMALLEST, CERTAIN * error) and np.quantile(beyond, NEARLY_ALL) > SHOWN * effect
    return effect if is_sure else 0.0


def _is_of_one_rate(kind: str) -> bool:
    """Whether a kind of hosts, such as `200 + 200 Gbit/s`, has adapters of one rate."""
    return len(set(kind.removesuffix(" Gbit/s").split(" + "))) == 1


def _on_hosts_of_several(ranks: Ranks, seen: Readings) -> NDArray[np.bool_]:
    """Mask of the ranks on hosts that use several adapters: those of one may be reached by a longer way, [ranks]."""
    names, number = np.unique(np.array(ranks.device), return_inverse=True)
    used = np.unique(seen.host_of * len(names) + number.reshape(-1)) // len(names)
    return np.asarray(np.bincount(used, minlength=seen.hosts)[seen.host_of] > 1)


def _own_times(seen: Readings, among: NDArray[np.bool_]) -> Values:
    """Log seconds of each rank's links with the better of its partners `among` all, [ranks]; NaN: none known."""
    partners = sampled(seen.ranks)
    partners = partners[among[partners]]
    times = seen.first[:, partners] if len(partners) < seen.ranks else seen.first
    return lower_quantiles(times)[0] if len(partners) else np.full(seen.ranks, np.nan)


def _against_others(
    ranks: Ranks, host_of: NDArray[np.int64], own: Values, distance: int
) -> Mapping[str, Mapping[int, float]]:
    """Of each device the hosts, and what its ranks take there against the lower median of its other devices, log.

    Only of ranks at one `distance` from their adapter, and against devices that as many ranks of the host share.
    """
    of_host: dict[int, dict[str, list[float]]] = {}
    for rank in np.flatnonzero((ranks.numa_distance == distance) & np.isfinite(own)).tolist():
        if ranks.device[rank]:
            of_host.setdefault(int(host_of[rank]), {}).setdefault(ranks.device[rank], []).append(float(own[rank]))
    sharing = Counter(zip(host_of.tolist(), ranks.device, strict=True))
    beyond: dict[str, dict[int, float]] = {}
    for host, by_device in of_host.items():
        level = {device: float(np.median(times)) for device, times in by_device.items()}
        for device, time in level.items():
            alike = (name for name in level if name != device and sharing[host, name] == sharing[host, device])
            others = sorted(level[name] for name in alike)
            if others:
                beyond.setdefault(device, {})[host] = time - others[(len(others) - 1) // 2]
    return beyond
