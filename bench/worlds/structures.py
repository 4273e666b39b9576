"""Clusters as they are built: hosts, ranks, adapters, and the ways between them.

BUILDING names the structures that the judge may be tuned on, HELD_OUT those that are looked at once at the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from worlds.physics import NONE, Index, Mask, Values, chance, hashed

RATE = 12.5e9  # bytes per second of an adapter of 100 Gbit/s
LATENCY, HOP = 1.3e-6, 0.3e-6  # seconds: behind one switch, and for each further one
OTHER_RAIL = 0.6e-6
INSIDE_LATENCY, INSIDE_RATE = 0.5e-6, 20e9


class Plane(Protocol):
    """The switches and cables between the adapters of one rail."""

    group: Index  # of each host: leaf, group, or all 0
    capacity: Values  # of each way

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        """Ways [flow, hop] and latency between hosts; `when` numbers the moments at which routes may change."""


class OneSwitch:
    """Every host on one switch that never blocks."""

    def __init__(self, hosts: int) -> None:
        self.group, self.capacity = np.zeros(hosts, np.int64), np.zeros(0)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return np.zeros((len(frm), 0), np.int64), np.full(len(frm), LATENCY)


class FatTree:
    """Leaves of `leaf` hosts with leaf / `ratio` uplinks each to as many spines.

    `routes`: "static", one uplink for each pair; "rehashed", another one in each step; "adaptive", all of them at once.
    """

    def __init__(self, hosts: int, leaf: int, ratio: int, routes: str, rate: float = RATE) -> None:
        self.group = np.arange(hosts) // leaf
        self.uplinks, self.routes = max(1, leaf // ratio), routes
        leaves = int(self.group.max()) + 1
        self.each = 1 if routes == "adaptive" else self.uplinks
        self.capacity = np.full(2 * leaves * self.each, rate * self.uplinks / self.each)

    def uplinks_of(self, leaf: int) -> Index:
        """The ways up from a leaf and down to it: [uplink, 2]."""
        up = leaf * self.each + np.arange(self.each)
        return np.stack([up, up + len(self.capacity) // 2], axis=1)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        spine = (hashed(frm, to, when if self.routes == "rehashed" else 0, 3) % np.uint64(self.each)).astype(np.int64)
        ways = np.stack([a * self.each + spine, len(self.capacity) // 2 + b * self.each + spine], axis=1)
        far = a != b
        return np.where(far[:, None], ways, NONE), LATENCY + 2 * HOP * far


class Dragonfly:
    """Groups that are joined directly, each with each. `detours`: the part of messages that takes a third group."""

    def __init__(self, hosts: int, size: int, detours: float, rate: float = RATE) -> None:
        self.group, self.detours = np.arange(hosts) // size, detours
        self.groups = int(self.group.max()) + 1
        self.capacity = np.full(self.groups**2, rate * max(1.0, 2 * size / self.groups))

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        far = a != b
        third = (hashed(frm, to, when, 5) % np.uint64(self.groups)).astype(np.int64)
        detour = far & (chance(frm, to, when, 6) < self.detours) & (third != a) & (third != b)
        first = np.where(detour, a * self.groups + third, a * self.groups + b)
        second = np.where(detour, third * self.groups + b, NONE)
        ways = np.stack([np.where(far, first, NONE), second], axis=1)
        return ways, LATENCY + 2 * HOP * far + 2.5 * HOP * detour


class Torus:
    """A grid that is closed in each of its dimensions; messages go along one dimension after the other."""

    def __init__(self, sides: tuple[int, ...], rate: float = 4 * RATE) -> None:
        self.sides = sides
        hosts = int(np.prod(sides))
        self.group = np.zeros(hosts, np.int64)
        self.place = np.stack(np.unravel_index(np.arange(hosts), sides), axis=1)
        self.capacity = np.full(hosts * len(sides) * 2, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        at, goal = self.place[frm].copy(), self.place[to]
        hops: list[Index] = []
        for axis, side in enumerate(self.sides):
            forward = (goal[:, axis] - at[:, axis]) % side <= side // 2
            for _ in range(side // 2):
                moves = at[:, axis] != goal[:, axis]
                here = np.ravel_multi_index(tuple(at.T), self.sides)
                way = (here * len(self.sides) + axis) * 2 + forward
                hops.append(np.where(moves, way, NONE))
                at[:, axis] = (at[:, axis] + np.where(moves, np.where(forward, 1, -1), 0)) % side
        ways = np.stack(hops, axis=1)
        return ways, LATENCY + HOP * (ways != NONE).sum(axis=1)


@dataclass(frozen=True)
class Structure:
    """A healthy cluster. Host h has the ranks h * each to h * each + each - 1; local rank l uses rail l modulo `rails`.

    `rate` [host, rail]: of the adapters, bytes per second. `position_rate` and `position_latency` [local rank]: what
    a rank pays for its place on every host. `inside_latency` [local rank, local rank]: within a host.
    """

    hosts: int
    plane: Plane
    each: int = 1
    rails: int = 1
    rails_meet: bool = True  # whether adapters of different rails reach each other
    rate: Values = field(default_factory=lambda: np.zeros(0))
    position_rate: Values = field(default_factory=lambda: np.zeros(0))
    position_latency: Values = field(default_factory=lambda: np.zeros(0))
    inside_latency: Values = field(default_factory=lambda: np.zeros(0))
    hyperthreads: float = 0.0  # part of the readings that take 10 times as long
    drift: float = 0.0  # by this log factor all becomes slower during the run

    def __post_init__(self) -> None:
        whole = {
            "rate": np.full((self.hosts, self.rails), RATE),
            "position_rate": np.ones(self.each),
            "position_latency": np.zeros(self.each),
            "inside_latency": np.full((self.each, self.each), INSIDE_LATENCY),
        }
        for name, value in whole.items():
            if not getattr(self, name).size:
                object.__setattr__(self, name, value)

    @property
    def ranks(self) -> int:
        return self.hosts * self.each

    @property
    def oversubscription(self) -> float:
        """The rate of the hosts of a leaf over that of its uplinks; 1 without leaves."""
        if not isinstance(self.plane, FatTree):
            return 1.0
        inside = self.rate[self.plane.group == 0, 0].sum()
        return float(inside / self.plane.capacity[self.plane.uplinks_of(0)[:, 0]].sum())

    def adapter_ways(self, hosts: Index, rails: Index) -> tuple[Index, Index]:
        """The sending and the receiving side of adapters."""
        number = hosts * self.rails + rails
        return number, number + self.hosts * self.rails

    @property
    def capacity(self) -> Values:
        """Of all ways: adapters sending, adapters receiving, and those of the planes, rail by rail."""
        return np.concatenate([self.rate.ravel(), self.rate.ravel(), *[self.plane.capacity] * self.rails])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values, Values]:
        """Ways [flow, hop], limit and latency of flows between ranks."""
        (a, own), (b, other) = np.divmod(frm, self.each), np.divmod(to, self.each)
        near = a == b
        rail, to_rail = own % self.rails, other % self.rails
        ways, latency = self.plane.path(a, b, when)
        first = 2 * self.hosts * self.rails + rail * len(self.plane.capacity)
        ways = np.where(ways == NONE, NONE, ways + first[:, None])
        ends = self.adapter_ways(a, rail)[0], self.adapter_ways(b, to_rail)[1]
        ways = np.concatenate([np.stack(ends, axis=1), ways], axis=1)
        narrow = np.minimum(self.rate[a, rail], self.rate[b, to_rail])
        limit = narrow * np.minimum(self.position_rate[own], self.position_rate[other])
        latency = latency + self.position_latency[own] + self.position_latency[other] + OTHER_RAIL * (rail != to_rail)
        return (
            np.where(near[:, None], NONE, ways),
            np.where(near, INSIDE_RATE, limit),
            np.where(near, self.inside_latency[own, other], latency),
        )

    def reachable(self, frm: Index, to: Index) -> Mask:
        """Whether two ranks reach each other by design."""
        same_rail = frm % self.each % self.rails == to % self.each % self.rails
        return np.asarray((frm // self.each == to // self.each) | same_rail | self.rails_meet)


def _generations(hosts: int, kinds: int, by_rack: bool, random: np.random.Generator) -> Structure:
    kind = np.arange(hosts) * kinds // hosts
    if not by_rack:
        kind = random.permutation(kind)
    return Structure(hosts, OneSwitch(hosts), rate=np.array(RATE * 2.0**kind, np.float64)[:, None])


def _far_socket(hosts: int, each: int) -> Structure:
    """Half of the ranks are far from the adapter. All share it, and those get 1.18 times less of it than the others."""
    far = np.arange(each) >= each // 2
    inside = INSIDE_LATENCY + 0.3e-6 * (far[:, None] != far[None, :])
    return Structure(
        hosts,
        OneSwitch(hosts),
        each=each,
        position_rate=np.where(far, 2 / (2.18 * each), 1.0),
        position_latency=np.where(far, 0.25e-6, 0.0),
        inside_latency=inside,
    )


def _one_host(ranks: int, blocks: int, per_block: float, worse: int) -> Structure:
    """One host of `blocks` CCXs or quadrants, of which the last `worse` ones are further from everything."""
    block = np.arange(ranks) * blocks // ranks
    far = block[:, None] != block[None, :]
    bad = block >= blocks - worse
    inside = 0.2e-6 + per_block * far + 0.06e-6 * (bad[:, None] | bad[None, :])
    return Structure(1, OneSwitch(1), each=ranks, inside_latency=inside)


Make = Callable[[int, np.random.Generator], Structure]


def _tree(ratio: int, routes: str) -> Make:
    return lambda hosts, random: Structure(hosts, FatTree(hosts, max(4, min(16, hosts // 4)), ratio, routes))


def _sides(hosts: int) -> tuple[int, ...]:
    sides = [1, 1, 1]
    left, factor = hosts, 2
    while left > 1:
        while left % factor:
            factor += 1
        sides[int(np.argmin(sides))] *= factor
        left //= factor
    return tuple(side for side in sides if side > 1)


BUILDING: Mapping[str, Make] = {
    "one switch": lambda hosts, random: Structure(hosts, OneSwitch(hosts)),
    "fat tree 1:1 static": _tree(1, "static"),
    "fat tree 2:1 static": _tree(2, "static"),
    "fat tree 4:1 adaptive": _tree(4, "adaptive"),
    "dragonfly": lambda hosts, random: Structure(hosts, Dragonfly(hosts, max(2, hosts // 8), 0.2)),
    "two generations by rack": lambda hosts, random: _generations(hosts, 2, True, random),
    "4 rails": lambda hosts, random: Structure(hosts, OneSwitch(hosts), each=4, rails=4),
    "2 rails that do not meet": lambda hosts, random: Structure(
        hosts, OneSwitch(hosts), each=2, rails=2, rails_meet=False
    ),
    "far socket": lambda hosts, random: _far_socket(hosts, 2),
    "quadrants": lambda hosts, random: _one_host(max(hosts, 16), 4, 0.05e-6, 2),
    "hyperthreads": lambda hosts, random: Structure(hosts, OneSwitch(hosts), hyperthreads=0.01),
}
HELD_OUT: Mapping[str, Make] = {
    "fat tree 1:1 adaptive": _tree(1, "adaptive"),
    "fat tree 2:1 re-hashed": _tree(2, "rehashed"),
    "fat tree 4:1 static": _tree(4, "static"),
    "dragonfly, many detours": lambda hosts, random: Structure(hosts, Dragonfly(hosts, max(2, hosts // 4), 0.5)),
    "torus": lambda hosts, random: Structure(hosts, Torus(_sides(hosts))),
    "two generations at random": lambda hosts, random: _generations(hosts, 2, False, random),
    "three generations by rack": lambda hosts, random: _generations(hosts, 3, True, random),
    "2 rails": lambda hosts, random: Structure(hosts, OneSwitch(hosts), each=2, rails=2),
    "8 rails": lambda hosts, random: Structure(hosts, OneSwitch(hosts), each=8, rails=8),
    "far socket, 4 ranks": lambda hosts, random: _far_socket(hosts, 4),
    "CCXs": lambda hosts, random: _one_host(max(hosts, 16), 8, 0.12e-6, 0),
    "drift": lambda hosts, random: Structure(hosts, OneSwitch(hosts), drift=0.1),
}
ALL: Mapping[str, Make] = {**BUILDING, **HELD_OUT}
