"""Parts that are planted in a world, and what each does to the messages that it touches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from worlds.physics import Flows, Index, Mask, Values
from worlds.planes import (
    BlockedRing,
    Branches,
    BusyTree,
    ChipMesh,
    Direct,
    Dragonfly,
    DragonflyPlus,
    Extenders,
    FatTree,
    HammingMesh,
    HostsOnCore,
    Interfaces,
    JoinedGroups,
    OneCore,
    OneSwitch,
    Placement,
    Plane,
    Routed,
    Sites,
    SlimFly,
    Sprayed,
    Stacked,
    Tofu,
    UnitInterfaces,
    Zones,
)
from worlds.structures import Structure

NOTHING = np.zeros(0, np.int64)
DELAY = 1.5e-6  # seconds that "latency" adds
Hosts = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Fault:
    """One planted part. `hosts` are those that it consists of, or the two ends of a link; `parts` names it.

    Slow are the `ways` and `ranks` themselves, and the messages from the hosts of `cuts[i][0]` to those of
    `cuts[i][1]`: they keep `rate` of their rate and take `delay` seconds longer; `late` of them come late, `lateness`
    times as long. With `steps` < 1 all this happens only in that part of the steps, except for late messages: in each
    `stretch` of so many steps in a row, or not. With `drifts` the rate falls steadily in the course of the main run. Of
    its rows in the main run, `missing` are not there; with `dark` no message arrives.

    `between`: pairs of sets of hosts whose messages to each other are slow because of it, where a verdict may as well
    name these: of only two leaves the other one is as slow, and a cable may lie on the way between further switches.
    `passing`: pairs that a verdict may rightly name too, without finding the part: their messages pass it one way only,
    or pass a slow switch. `of_two`: one of the two ranks of a host, whose only inner link cannot tell which.
    """

    kind: str
    parts: tuple[str, ...]
    hosts: Hosts
    ways: Index = field(default_factory=lambda: NOTHING)
    ranks: Index = field(default_factory=lambda: NOTHING)
    cuts: tuple[tuple[Index, Index], ...] = ()
    rate: float = 1.0
    delay: float = 0.0
    late: float = 0.0
    lateness: float = 4.0
    steps: float = 1.0
    stretch: int = 1
    drifts: bool = False
    missing: float = 0.0
    dark: bool = False
    between: tuple[tuple[Hosts, Hosts], ...] = ()
    passing: tuple[tuple[Hosts, Hosts], ...] = ()
    of_two: bool = False

    def cut(self, structure: Structure, flows: Flows) -> Mask:
        """The flows of this fault's cuts and ranks, which are slow by themselves."""
        a, b = flows.frm // structure.each, flows.to // structure.each
        hit = np.isin(flows.frm, self.ranks) | np.isin(flows.to, self.ranks)
        for frm, to in self.cuts:
            hit |= np.isin(a, frm) & np.isin(b, to)
        return np.asarray(hit & (a != b) if len(self.cuts) else hit)

    def kept(self, progress: Values) -> Values:
        """The part of its rate that it keeps; `progress`: the part of the main run that is over."""
        return 1 - (1 - self.rate) * (progress if self.drifts else np.ones_like(progress))

    def touches(self, structure: Structure, flows: Flows) -> Mask:
        """The flows that pass any part of it."""
        on = np.isin(flows.ways, self.ways).any(axis=1) if flows.ways.shape[1] else np.zeros(len(flows.frm), bool)
        return np.asarray(on | self.cut(structure, flows))


def _of_hosts(kind: str, structure: Structure, hosts: Index, sides: Sequence[int] = (0, 1)) -> Fault:
    """What hosts send (side 0) and receive (1): adapters and ports; where others share these, links or messages."""
    slow = Fault(kind, tuple(f"n{host}" for host in hosts), tuple(hosts.tolist()))
    every = np.arange(structure.hosts)
    others = np.setdiff1d(every, hosts)
    if np.isin(others // structure.guests, hosts // structure.guests).any():
        if structure.pcie:
            links = structure.host_ways(hosts)
            return replace(slow, ways=np.concatenate([links[side] for side in sides]))
        cuts = (hosts, others), (others, hosts)
        return replace(slow, cuts=tuple(cuts[side] for side in sides))
    ways = structure.ways_of(hosts)
    return replace(slow, ways=np.unique(np.concatenate([ways[side] for side in sides])))


def _one(structure: Structure, random: np.random.Generator) -> Index:
    return random.integers(structure.hosts, size=1)


def host(structure: Structure, random: np.random.Generator) -> Fault:
    if structure.hosts == 1:
        return rank(structure, random)
    return _of_hosts("host", structure, _one(structure, random))


def adapter(structure: Structure, random: np.random.Generator) -> Fault:
    several = np.flatnonzero(~structure.single)
    of, rail = several[random.integers(len(several), size=1)], int(random.integers(structure.rails))
    ways = np.concatenate(structure.adapter_ways(of, np.array([rail])))
    what = "port" if structure.bonded or structure.striped else "rail"
    return Fault("adapter", (f"n{of[0]}/{what}{rail}",), (int(of[0]),), ways)


def direction(structure: Structure, random: np.random.Generator) -> Fault:
    of, side = _one(structure, random), int(random.integers(2))
    slow = _of_hosts("direction", structure, of, (side,))
    return replace(slow, parts=(*slow.parts, ("send", "receive")[side]))


def rank(structure: Structure, random: np.random.Generator) -> Fault:
    number = int(random.integers(structure.ranks))
    of = number // structure.each
    return Fault("rank", (f"n{of}:{number}",), (of,), ranks=np.array([number]), of_two=structure.each == 2)


def rail(structure: Structure, random: np.random.Generator) -> Fault:
    """One rail behind one leaf: its switch. Its hosts have several."""
    leaf = _leaf(structure, random)
    while structure.single[leaf].all():
        leaf = _leaf(structure, random)
    number = int(random.integers(structure.rails))
    ways = np.concatenate(structure.adapter_ways(leaf, np.full(len(leaf), number)))
    return Fault("rail", (f"rail{number}", *(f"n{of}" for of in leaf)), tuple(leaf.tolist()), ways)


def rail_plane(structure: Structure, random: np.random.Generator) -> Fault:
    number = int(random.integers(structure.rails))
    every = np.flatnonzero(~structure.single | (number == 0))
    ways = np.concatenate(structure.adapter_ways(every, np.full(len(every), number)))
    return Fault("rail plane", (f"rail{number}",), tuple(every.tolist()), ways)


def link(structure: Structure, random: np.random.Generator) -> Fault:
    a, b = random.choice(structure.hosts, (2, 1), replace=False)
    return Fault("link", (f"n{a[0]}", f"n{b[0]}"), (int(a[0]), int(b[0])), cuts=((a, b), (b, a)))


def one_way_link(structure: Structure, random: np.random.Generator) -> Fault:
    both = link(structure, random)
    return replace(both, kind="one-way link", cuts=both.cuts[:1])


def _leaf(structure: Structure, random: np.random.Generator) -> Index:
    group = structure.group
    return np.flatnonzero(group == random.integers(int(group.max()) + 1))


def _two_sides(structure: Structure, own: Index) -> tuple[tuple[Hosts, Hosts], ...]:
    """A leaf and the other one where there are only two: what slows the one slows the other.

    Except for extenders, of which the slow one is slow within itself too.
    """
    group = structure.group if structure.bonded else structure.plane.group
    if int(group.max()) != 1 or isinstance(structure.plane, Extenders):
        return ()
    others = np.setdiff1d(np.arange(structure.hosts), own)
    return ((tuple(own.tolist()), tuple(others.tolist())),)


def leaf(structure: Structure, random: np.random.Generator) -> Fault:
    """All that crosses the edge of a leaf or group, each flow by itself and the uplinks or cables together.

    In a `Direct` plane or a `Tofu` also the messages of others that pass its switch or unit.
    """
    own = _leaf(structure, random)
    others = np.setdiff1d(np.arange(structure.hosts), own)
    number, plane = int(structure.group[own[0]]), structure.plane
    ways = _uplinks(structure, number).ravel()
    cuts: tuple[tuple[Index, Index], ...] = (own, others), (others, own)
    passing: tuple[tuple[Hosts, Hosts], ...] = ()
    if isinstance(plane, Direct | Tofu | JoinedGroups):
        ways = _cables(structure, plane, [(number, int(other)) for other in np.flatnonzero(plane.joined[number])])
    if isinstance(plane, Direct | Tofu):
        over = _over(structure, ways)
        over[number] = over[:, number] = False
        cuts, passing = cuts + _cuts(structure, over), _pairs(structure, over | over.T)
    names, sides = tuple(f"n{of}" for of in own), _two_sides(structure, own)
    return Fault("leaf", names, tuple(own.tolist()), ways, cuts=cuts, between=sides, passing=passing)


def _tree(plane: Plane) -> FatTree | None:
    """The tree of which the uplinks are those of leaves; None where there is none."""
    plane = plane.lower if isinstance(plane, Stacked) else plane
    return plane if isinstance(plane, FatTree) else None


def _uplinks(structure: Structure, number: int) -> Index:
    """[uplink, 2] of the first plane: the ways up and down; none where the structure has no leaves.

    Where one plane joins all rails, these are the uplinks of all leaves that the hosts of a group have.
    """
    tree = _tree(structure.plane)
    if tree is None:
        return np.zeros((0, 2), np.int64)
    leaves = np.unique(structure.groups[structure.group == number])
    return np.concatenate([tree.uplinks_of(leaf) for leaf in leaves]) + 2 * structure.adapters


def uplink(structure: Structure, random: np.random.Generator) -> Fault:
    own = _leaf(structure, random)
    while isinstance(structure.plane, HostsOnCore) and structure.group[own[0]] == structure.plane.core:
        own = _leaf(structure, random)
    number = int(structure.group[own[0]])
    ways = _uplinks(structure, number)
    chosen = int(random.integers(len(ways)))
    parts, sides = (f"leaf{number}", f"uplink{chosen}"), _two_sides(structure, own)
    if isinstance(structure.plane, Extenders):  # only the hosts that are dealt out to it use it
        own = own[structure.plane.pin[own] == chosen]
    return Fault("uplink", parts, tuple(own.tolist()), ways[chosen], between=sides)


def trunk(structure: Structure, random: np.random.Generator) -> Fault:
    """All between two groups, each flow by itself and their common cables together."""
    plane = structure.plane
    if isinstance(plane, SlimFly | Direct | Tofu):
        return _cable(structure, plane, random)
    group = structure.group
    one, other = random.choice(int(group.max()) + 1, 2, replace=False)
    a, b = np.flatnonzero(group == one), np.flatnonzero(group == other)
    ways = NOTHING
    if isinstance(plane, Dragonfly):
        ways = np.array([one * plane.groups + other, other * plane.groups + one]) + 2 * structure.adapters
    cuts: tuple[tuple[Index, Index], ...] = (a, b), (b, a)
    if isinstance(plane, JoinedGroups):  # what takes a detour is not slow, and other detours are
        ways, cuts = _cables(structure, plane, [(int(one), int(other))]), ()
    ends = tuple(f"n{of}" for of in np.concatenate([a, b]))
    return Fault("trunk", ends, tuple(np.concatenate([a, b]).tolist()), ways, cuts=cuts)


def _cable(structure: Structure, plane: SlimFly | Direct | Tofu, random: np.random.Generator) -> Fault:
    """The cables between two neighbouring switches or units that have hosts, with all messages that go over them."""
    groups = int(structure.group.max()) + 1
    joined = plane.joined[:groups, :groups]
    if isinstance(plane, Branches | BlockedRing):  # the only cable of a switch is slow as the switch is
        inner = joined.sum(axis=1) > 1
        joined = joined & inner[:, None] & inner[None, :]
    one, other = random.choice(np.argwhere(joined)).tolist()
    ways = _cables(structure, plane, [(one, other)])
    over = _over(structure, ways)
    own = np.concatenate([np.flatnonzero(structure.group == number) for number in (one, other)])
    return Fault(
        "trunk", tuple(f"n{of}" for of in own), tuple(own.tolist()), ways, cuts=_cuts(structure, over),
        between=_pairs(structure, over & over.T), passing=_pairs(structure, over ^ over.T),
    )  # fmt: skip


def _cables(
    structure: Structure,
    plane: SlimFly | Direct | Tofu | JoinedGroups,
    joined: Sequence[tuple[int, int]],
) -> Index:
    """The ways there and back of the cables between these switches, units, groups or blocks."""
    both = [*joined, *((other, one) for one, other in joined)]
    return np.concatenate([plane.cables(one, other) for one, other in both]) + 2 * structure.adapters


def _over(structure: Structure, ways: Index) -> Mask:
    """[group, group]: whether messages from one to the other take any of these ways; the first host stands for all."""
    first = np.unique(structure.group, return_index=True)[1]
    first = first * (structure.rails if structure.one_plane else 1)  # adapters
    frm, to = np.repeat(first, len(first)), np.tile(first, len(first))
    taken = structure.plane.path(frm, to, np.zeros_like(frm))[0]
    return np.asarray(np.isin(taken, ways - 2 * structure.adapters).any(axis=1).reshape(len(first), len(first)))


def _cuts(structure: Structure, over: Mask) -> tuple[tuple[Index, Index], ...]:
    """From the hosts of each group to those of all others to which messages go `over` a part."""
    group = structure.group
    return tuple((np.flatnonzero(group == x), np.flatnonzero(over[x][group])) for x in np.flatnonzero(over.any(axis=1)))


def _pairs(structure: Structure, over: Mask) -> tuple[tuple[Hosts, Hosts], ...]:
    """The hosts of each two groups; `over` is the same there and back."""
    hosts_of = [tuple(np.flatnonzero(structure.group == number).tolist()) for number in range(len(over))]
    return tuple((hosts_of[x], hosts_of[y]) for x, y in np.argwhere(np.triu(over)))


def quarter(structure: Structure, random: np.random.Generator) -> Fault:
    own = _leaf(structure, random)
    return _of_hosts("quarter of a leaf", structure, own[: max(1, len(own) // 4)])


def chassis(structure: Structure, random: np.random.Generator) -> Fault:
    """Hosts in a row in one box; the machine of virtual ones, or the adapter that hosts share."""
    size = structure.guests if structure.guests > 1 else max(2, min(8, structure.hosts // 8))
    first = int(random.integers(structure.hosts // size)) * size
    return _of_hosts("chassis", structure, np.arange(first, first + size))


Plant = Callable[[Structure, np.random.Generator], Fault]
_SLOW: Mapping[str, Plant] = {
    "host": host, "adapter": adapter, "direction": direction, "rank": rank, "rail": rail, "rail plane": rail_plane,
    "link": link, "one-way link": one_way_link, "leaf": leaf, "uplink": uplink, "trunk": trunk,
    "quarter of a leaf": quarter, "chassis": chassis,
}  # fmt: skip
_OTHER: Mapping[str, Callable[[np.random.Generator], dict[str, float]]] = {  # what else hosts may have
    "tiny": lambda random: {"rate": float(random.uniform(0.92, 0.95))},
    "intermittent 10 %": lambda random: {"rate": float(random.uniform(0.4, 0.6)), "steps": 0.1},
    "intermittent 30 %": lambda random: {"rate": float(random.uniform(0.4, 0.6)), "steps": 0.3},
    "flapping": lambda random: {"rate": float(random.uniform(0.4, 0.6)), "steps": 0.3, "stretch": 8},
    "drifting": lambda random: {"rate": float(random.uniform(0.7, 0.85)), "drifts": True},
    "loss": lambda random: {"late": 0.02, "lateness": 125.0},
    "jitter": lambda random: {"late": 0.08},
    "latency only": lambda random: {"delay": DELAY},
    "bandwidth only": lambda random: {"rate": float(random.uniform(0.4, 0.8))},
    "missing data": lambda random: {"missing": 0.2},
    "dark host": lambda random: {"dark": True},
}
KINDS = (*_SLOW, *_OTHER)
ENDS = ("host", "adapter", "direction", "rank", "quarter of a leaf", "chassis", *_OTHER)  # hosts and parts of them


def _rails_share_switches(structure: Structure) -> bool:
    """Whether all adapters of a host are on the same switch, so that a rail is no part by itself."""
    of_host = structure.groups if structure.one_plane else np.zeros((1, 1), np.int64)
    planes = FatTree | Stacked | OneSwitch | DragonflyPlus | Interfaces | UnitInterfaces | ChipMesh | HammingMesh
    known = isinstance(structure.plane, planes) and not isinstance(structure.plane, Sprayed)
    one_switch = known and bool((of_host == of_host[:, :1]).all())
    return structure.one_plane and one_switch


def possible(kind: str, structure: Structure) -> bool:
    """Whether a structure has such a part, apart from others of the same effect."""
    groups = int(structure.group.max()) + 1
    rails = 1 if structure.bonded or structure.striped else structure.rails  # those that can be told apart
    match kind:
        case "leaf" | "quarter of a leaf":
            return groups > 1
        case "trunk":
            joined_at_once = isinstance(structure.plane, Placement | OneCore | Routed | Sites)  # nothing joins just two
            return groups > 2 and not joined_at_once
        case "uplink":
            return _tree(structure.plane) is not None
        case "rail":
            return groups > 1 and rails > 1 and not _rails_share_switches(structure)
        case "rail plane":
            return rails > 1 and not _rails_share_switches(structure)
        case "adapter":
            return structure.rails > 1 and structure.guests == 1
        case "rank":
            return structure.each > 1
        case "link" | "one-way link":
            return structure.hosts > 2
        case "chassis":
            in_a_row = not isinstance(structure.plane, BusyTree | Zones | Sprayed)  # hosts are numbered in no order
            return in_a_row and (structure.hosts >= 16 or structure.guests > 1)
    return structure.hosts > 1


def planted(kind: str, structure: Structure, random: np.random.Generator) -> Fault:
    """A part of this kind, chosen at random; slow ones keep 40 to 80 % of their rate and add latency."""
    if kind in _OTHER:
        return replace(host(structure, random), kind=kind, **_OTHER[kind](random))  # type: ignore[arg-type]
    rate = float(random.uniform(0.4, 0.8))
    tree = _tree(structure.plane)
    if kind == "uplink" and tree is not None and tree.routes == "adaptive":
        one = uplink(structure, random)
        uplinks = tree.uplinks[structure.group[one.hosts[0]]]
        return replace(one, rate=1 - (1 - rate) / uplinks)  # all uplinks of the leaf are one way; this one is a part
    return replace(_SLOW[kind](structure, random), rate=rate, delay=0.3e-6 / rate)
