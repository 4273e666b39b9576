"""Simulated clusters: their cables, the path of each message, and planted faults."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

BANDWIDTH = 12.5e9  # bytes per second, of every cable each way
LATENCY = 500e-9  # seconds, of every cable each way

Path = list[str]  # of a message, from host to host: n3, leaf0, top5, leaf6, n53
Route = Callable[[int, int], Path]

SIZES = {  # ranks: hosts per leaf; the torus; groups, routers per group, hosts per router
    16: (4, (4, 2, 2), (4, 2, 2)),
    64: (8, (4, 4, 4), (4, 4, 4)),
    256: (16, (8, 8, 4), (8, 8, 4)),
}


class UsageError(Exception):
    """A mistake of the user, in one sentence."""


def fat_tree(hosts: int, oversubscription: int = 1) -> Route:
    """Two levels. A message goes through the top switch given by its target modulo their number (d-mod-k)."""
    hosts_per_leaf = SIZES[hosts][0]
    if oversubscription < 1 or hosts_per_leaf % oversubscription:
        raise UsageError(
            f"--fault oversubscription:{oversubscription}: it must divide {hosts_per_leaf}, the hosts per leaf"
        )
    tops = hosts_per_leaf // oversubscription

    def route(a: int, b: int) -> Path:
        leaf_a, leaf_b = a // hosts_per_leaf, b // hosts_per_leaf
        between = [] if leaf_a == leaf_b else [f"top{b % tops}", f"leaf{leaf_b}"]
        return [f"n{a}", f"leaf{leaf_a}", *between, f"n{b}"]

    return route


def torus(hosts: int) -> Route:
    """Three dimensions, one after another, each in the shorter direction; upwards if both are equal."""
    shape = SIZES[hosts][1]

    def place(number: int) -> list[int]:
        return [number % shape[0], number // shape[0] % shape[1], number // (shape[0] * shape[1])]

    def route(a: int, b: int) -> Path:
        at, target, path = place(a), place(b), [f"n{a}", f"r{a}"]
        for axis, length in enumerate(shape):
            upwards = (target[axis] - at[axis]) % length
            for _ in range(min(upwards, length - upwards)):
                at[axis] = (at[axis] + (1 if upwards <= length - upwards else -1)) % length
                path.append(f"r{at[0] + shape[0] * (at[1] + shape[1] * at[2])}")
        return [*path, f"n{b}"]

    return route


def dragonfly(hosts: int) -> Route:
    """Routers of a group are fully connected, and so are groups: the cable from g to h is at router h of group g."""
    groups, routers, hosts_per_router = SIZES[hosts][2]

    def route(a: int, b: int) -> Path:
        router_a, router_b = a // hosts_per_router, b // hosts_per_router
        group_a, group_b = router_a // routers, router_b // routers
        path = [router_a]
        if group_a != group_b:
            path += [group_a * routers + group_b % routers, group_b * routers + group_a % routers]
        path.append(router_b)
        passed = [r for i, r in enumerate(path) if i == 0 or r != path[i - 1]]
        return [f"n{a}", *(f"r{r // routers}.{r % routers}" for r in passed), f"n{b}"]

    assert groups * routers * hosts_per_router == hosts
    return route


@dataclass
class Way:
    """One direction of a cable."""

    bandwidth: float = BANDWIDTH
    latency: float = LATENCY


@dataclass
class Fabric:
    hosts: int
    route: Route
    ways: dict[str, Way] = field(default_factory=dict)  # "n3>leaf0"

    def __post_init__(self) -> None:
        for a, b in self._links():
            for way in self.ways_of(a, b):
                self.ways.setdefault(way, Way())

    def _links(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(self.hosts) for b in range(self.hosts) if a != b]

    def ways_of(self, a: int, b: int) -> list[str]:
        return [f"{one}>{other}" for one, other in pairwise(self.route(a, b))]

    def host_cable(self, host: int) -> tuple[str, str]:
        if not 0 <= host < self.hosts:
            raise UsageError(f"host {host}: out of range; use 0 to {self.hosts - 1}")
        return f"n{host}", self.route(host, (host + 1) % self.hosts)[1]

    def trunk(self, one: str, other: str) -> tuple[str, str]:
        trunks = sorted({way for way in self.ways if not re.search(r"\bn\d", way)})
        if f"{one}>{other}" not in trunks:
            some = ", ".join(way.replace(">", "-") for way in trunks[:: max(1, len(trunks) // 5)])
            raise UsageError(f"there is no trunk {one}-{other}; there are, for example, {some}")
        return one, other

    def change(self, cable: tuple[str, str], what: str, factor: float) -> None:
        for name in (f"{cable[0]}>{cable[1]}", f"{cable[1]}>{cable[0]}"):
            way = self.ways[name]
            if what == "bandwidth":
                way.bandwidth *= factor
            else:
                way.latency *= factor

    def text(self) -> str:
        """The format that platform.cpp reads."""
        number = {name: i for i, name in enumerate(self.ways)}
        lines = [f"host n{i}" for i in range(self.hosts)]
        lines += [f"way {name} {way.bandwidth!r} {way.latency!r}" for name, way in self.ways.items()]
        lines += [f"route {a} {b} {' '.join(str(number[w]) for w in self.ways_of(a, b))}" for a, b in self._links()]
        return "\n".join(lines) + "\n"


TOPOLOGIES: dict[str, Callable[[int], Route]] = {"fattree": fat_tree, "torus": torus, "dragonfly": dragonfly}
_FAULT = re.compile(
    r"(?P<kind>host|trunk)-(?P<what>bandwidth|latency):(?P<one>[\w.]+?)(-(?P<other>[\w.]+))?\*(?P<factor>[\d.eE+-]+)"
)


def make(topology: str, hosts: int, faults: list[str]) -> Fabric:
    if hosts not in SIZES:
        raise UsageError(f"--ranks {hosts}: use {', '.join(map(str, SIZES))}")
    thinned = [int(word.partition(":")[2]) for word in faults if re.fullmatch(r"oversubscription:\d+", word)]
    if thinned and topology != "fattree":
        raise UsageError(f"--fault oversubscription: a {topology} has no leaves; use --topology fattree")
    fabric = Fabric(hosts, fat_tree(hosts, thinned[-1]) if thinned else TOPOLOGIES[topology](hosts))
    for word in faults:
        if not re.fullmatch(r"oversubscription:\d+", word):
            _plant(fabric, word)
    return fabric


def _plant(fabric: Fabric, word: str) -> None:
    found = _FAULT.fullmatch(word)
    try:
        if not found or (found["kind"] == "trunk") != bool(found["other"]):
            raise UsageError("use host-bandwidth:3*0.5, host-latency:3*10, trunk-bandwidth:leaf1-top2*0.25, ...")
        factor = float(found["factor"])
        if not 0 < factor < float("inf"):
            raise UsageError("the factor must be above 0")
        cable = (
            fabric.trunk(found["one"], found["other"])
            if found["other"]
            else fabric.host_cable(int(found["one"].removeprefix("n")))
        )
    except (UsageError, ValueError) as error:
        raise UsageError(f"--fault {word}: {error}") from None
    fabric.change(cable, found["what"], factor)
