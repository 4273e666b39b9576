"""Clusters as they are built: hosts, ranks, adapters, and the ways between them.

BUILDING names the structures that the judge may be tuned on, HELD_OUT those that are looked at once at the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from worlds.physics import NONE, Index, Mask, Values, hashed
from worlds.planes import (
    CABLE,
    HOP,
    LATENCY,
    RATE,
    ActiveBackup,
    BlockedRing,
    Blocks,
    Branches,
    Buckets,
    Bundles,
    BusyTree,
    Chain,
    Chassis,
    ChipMesh,
    ClosedAlongOne,
    Credits,
    DealtAddresses,
    DealtMesh,
    DealtOut,
    Director,
    Dragonfly,
    DragonflyPlus,
    DragonflyPlusInRows,
    Drawers,
    EdgePorts,
    EnhancedHypercube,
    Extenders,
    FarSpines,
    FatTree,
    FlattenedButterfly,
    Flowlets,
    FourLevels,
    FullMesh,
    Gateways,
    Gemini,
    HammingMesh,
    HeldInterrupts,
    HostsOnCore,
    HyperCrossbar,
    Hypercube,
    HypercubeOfHosts,
    HyperX,
    HyperXTables,
    Interfaces,
    Islands,
    JoinedCores,
    Kautz,
    Lag,
    LagCore,
    LagHostsOnCore,
    LagsToTwoSpines,
    LastBits,
    LateInterrupts,
    LeafTunnels,
    Mesh,
    MeshByLoad,
    NumberedByArrival,
    OneCore,
    OneSwitch,
    OneWayRings,
    OpticalTorus,
    OrphanPorts,
    OrthogonalTree,
    PartlyAdaptive,
    PartOfDragonflyPlus,
    PcieSwitches,
    PeerLinks,
    Placement,
    Plane,
    PolarFly,
    Polarized,
    QueuePairs,
    Racks,
    RandomGraph,
    ReceiveQueues,
    Ring,
    Routed,
    RowsAndColumns,
    SameSpineBack,
    ScatteredPorts,
    SeveralAddresses,
    SharedHosts,
    SharedPorts,
    SingleCables,
    Sites,
    Slices,
    SlimFly,
    Slingshot,
    SlingshotInRows,
    SpinesOfPlanes,
    Sprayed,
    Stacked,
    Stacks,
    StorageTree,
    StoredTowards,
    Supernodes,
    SwitchTorus,
    Tables,
    Threads,
    ThreeLevels,
    Tofu,
    Torus,
    TorusOfCubes,
    TwistedTorus,
    TwoBuildings,
    TwoFabrics,
    TwoPorts,
    UnitInterfaces,
    UnlikeLeaves,
    UnlikeSpines,
    VirtualSwitches,
    WeightedSpines,
    Zones,
    places_in,
)

OTHER_RAIL = 0.6e-6
INSIDE_LATENCY, INSIDE_RATE = 0.5e-6, 20e9
NVLINK_LATENCY, NVLINK_RATE = 1e-6, 400e9  # between superchips
NVLINK_HOP = 0.3e-6  # seconds of a further NVLink switch, in another rack
KINDS_APART = 0.2  # log of the factor between the rates of adapters of different kinds
BESIDE = LATENCY - HOP  # seconds between two virtual machines, by the switch inside their adapter


@dataclass(frozen=True)
class Structure:
    """A healthy cluster. Host h has the ranks h * each to h * each + each - 1, which are divided among the `rails`.

    Each rail has a plane of its own, or `one_plane` joins all adapters, which it numbers host * rails + rail. Where
    hosts are `bonded`, the rails are the ports of one adapter; a hash of its two ranks gives each flow one of them, or
    one of its two hosts if it is `by_hosts`, the same one there and back.
    With `one_plane` these are on a pair of leaves; a flow from another pair arrives by a port of its own.
    Messages to another rail are `relayed`: they cross within the sending host, and then leave and arrive by that rail.
    Where they are `striped`, each message is shared out evenly to all rails, and ends when its last part has arrived.
    Hosts that are `single` have only the adapter of rail 0, for all their ranks.
    `guests` hosts in a row are virtual machines that share their adapters; messages between these use none. With `pcie`
    they are machines, each with a link of this rate to the adapter, over which also messages between them go.
    `tunnel`: the seconds that messages between machines take longer; `tunnel_rate`: the most that each of them gets.
    `domain` hosts in a row have NVLink switches: each rank has a port to these, for all messages within the domain. It
    does not go with `pcie`. These stand in `domain_racks` racks; a message to another of them passes a further switch.

    `rate` [host, rail]: of the adapters, bytes per second; `nominal`: the rate that they report, where they do not
    reach it. `position_rate` and `position_latency` [local rank]: what a rank pays for its place on every host, or for
    that from the end on those that are `turned`; `socket` [local rank]: the one that it says it is on, the first half
    on the first by default; `overhead` [host]: what each of its messages takes longer. `send`
    [host]: the most that an adapter sends, where that is less than its rate. `processor` [host]: which one it says it
    has. `inside_latency` and `inside_rate` [local rank, local rank]: within a host; `memory` [host]: the part of this
    rate that it reaches. `group_rate` [group, group]: the most of a flow.
    """

    hosts: int
    plane: Plane
    each: int = 1
    rails: int = 1
    rails_meet: bool = True  # whether adapters of different rails reach each other
    other_rail: float = OTHER_RAIL  # seconds that messages between them take longer, apart from their path
    one_plane: bool = False
    bonded: bool = False
    by_hosts: bool = False
    relayed: bool = False
    striped: bool = False
    guests: int = 1
    pcie: float = 0.0
    tunnel: float = 0.0
    tunnel_rate: float = np.inf
    domain: int = 1
    domain_racks: int = 1
    single: Mask = field(default_factory=lambda: np.zeros(0, bool))
    rate: Values = field(default_factory=lambda: np.zeros(0))
    nominal: Values = field(default_factory=lambda: np.zeros(0))
    position_rate: Values = field(default_factory=lambda: np.zeros(0))
    position_latency: Values = field(default_factory=lambda: np.zeros(0))
    turned: Mask = field(default_factory=lambda: np.zeros(0, bool))
    socket: Index = field(default_factory=lambda: np.zeros(0, np.int64))
    overhead: Values = field(default_factory=lambda: np.zeros(0))
    send: Values = field(default_factory=lambda: np.zeros(0))
    processor: Index = field(default_factory=lambda: np.zeros(0, np.int64))
    inside_latency: Values = field(default_factory=lambda: np.zeros(0))
    inside_rate: Values = field(default_factory=lambda: np.zeros(0))
    memory: Values = field(default_factory=lambda: np.zeros(0))
    group_rate: Values = field(default_factory=lambda: np.full((1, 1), np.inf))
    hyperthreads: float = 0.0  # part of the readings that take 10 times as long
    tail: float = 0.0  # part of the readings that take longer, by a factor of Pareto's distribution of index 1.5
    interrupts: float = 0.0  # seconds; readings take longer by this times a number of Lomax's distribution of shape 3
    drift: float = 0.0  # by this log factor all becomes slower during the run

    def __post_init__(self) -> None:
        whole = {
            "single": np.zeros(self.hosts, bool),
            "rate": np.full((self.hosts, self.rails), RATE),
            "position_rate": np.ones(self.each),
            "position_latency": np.zeros(self.each),
            "turned": np.zeros(self.hosts, bool),
            "socket": np.arange(self.each) * 2 // self.each,
            "overhead": np.zeros(self.hosts),
            "send": np.full(self.hosts, np.inf),
            "processor": (self.overhead > 0).astype(np.int64) if self.overhead.size else np.zeros(self.hosts, np.int64),
            "inside_latency": np.full((self.each, self.each), INSIDE_LATENCY),
            "inside_rate": np.full((self.each, self.each), INSIDE_RATE),
            "memory": np.ones(self.hosts),
        }
        for name, value in whole.items():
            if not getattr(self, name).size:
                object.__setattr__(self, name, value)

    @property
    def ranks(self) -> int:
        return self.hosts * self.each

    @property
    def group(self) -> Index:
        """The leaf or group of each host: that of its first adapter."""
        return np.asarray(self.groups[:, 0])

    @property
    def groups(self) -> Index:
        """[host, adapter]: the leaf or group of each adapter of the first plane."""
        return np.asarray(self.plane.group.reshape(self.hosts, -1))

    @property
    def kinds_of_groups(self) -> list[tuple[float, ...]]:
        """Of each leaf or group the kinds of its hosts: the same for groups of equal hosts, which may vary a little."""
        of_host, groups = self._built, range(int(self.group.max()) + 1)
        return [tuple(np.unique(of_host[self.group == group], axis=0).ravel().tolist()) for group in groups]

    @property
    def kind_of_host(self) -> Index:
        """A number for the kind of each host."""
        return np.unique(self._built, axis=0, return_inverse=True)[1].reshape(-1)

    @property
    def _built(self) -> Values:
        """[host, what makes its kind]."""
        rates = np.concatenate([self.rate, self.sends], axis=1)
        return np.column_stack([np.round(np.log(rates) / KINDS_APART), self.overhead, self.single])

    @property
    def oversubscription(self) -> float:
        """The rate of the hosts of a leaf over that of its uplinks; 1 without leaves."""
        if not isinstance(self.plane, FatTree):
            return 1.0
        inside = self.rate[self.group == 0, 0].sum()
        return float(inside / self.plane.capacity[self.plane.uplinks_of(0)[:, 0]].sum())

    def device(self, rail: int) -> str:
        """What hosts call their adapter of a rail."""
        return "mlx5_bond_0" if self.bonded else f"mlx5_{rail}"

    @property
    def said(self) -> Values:
        """[host, rail]: the rate that adapters say they have."""
        return self.nominal if self.nominal.size else self.rate

    @property
    def sends(self) -> Values:
        """[host, rail]: what adapters send at most."""
        return np.minimum(self.rate, self.send[:, None])

    @property
    def adapters(self) -> int:
        """In all, each with a sending and a receiving side."""
        return -(-self.hosts // self.guests) * self.rails

    def adapter_ways(self, hosts: Index, rails: Index) -> tuple[Index, Index]:
        """The sending and the receiving side of adapters."""
        number = hosts // self.guests * self.rails + rails
        return number, number + self.adapters

    def ways_of(self, hosts: Index) -> tuple[Index, Index]:
        """All by which hosts send and receive: the sides of their adapters and of their NVLink ports."""
        send, receive = self.adapter_ways(hosts[:, None], np.arange(self.rails)[None, :])
        if self.domain == 1:
            return send.ravel(), receive.ravel()
        ports = self._ports(hosts[:, None] * self.each + np.arange(self.each)[None, :])
        return np.concatenate([send.ravel(), ports[0].ravel()]), np.concatenate([receive.ravel(), ports[1].ravel()])

    def host_ways(self, hosts: Index) -> tuple[Index, Index]:
        """The sending and the receiving side of the links of hosts to the adapter that they share, with `pcie`."""
        return self._last(hosts, self.hosts)

    def _ports(self, ranks: Index) -> tuple[Index, Index]:
        """The sending and the receiving side of the NVLink ports of ranks, within a `domain`."""
        return self._last(ranks, self.ranks)

    def _last(self, number: Index, count: int) -> tuple[Index, Index]:
        """The sending and the receiving side of `count` links that come after all other ways."""
        first = len(self.capacity) - 2 * count
        return first + number, first + count + number

    @property
    def capacity(self) -> Values:
        """Of all ways: adapters sending, receiving, those of the planes, rail by rail, and of `pcie` or a `domain`."""
        send, receive = (rate[:: self.guests].ravel() for rate in (self.sends, self.rate))
        planes = 1 if self.one_plane else self.rails
        links = np.full(2 * self.hosts if self.pcie else 0, self.pcie)
        if self.domain > 1:
            links = np.full(2 * self.ranks, NVLINK_RATE)
        parts = self.rails if self.striped else 1  # a flow that gets a rate needs a part of it of each way
        return np.concatenate([send, receive, *[self.plane.capacity] * planes, links]) * parts

    def rail_of(self, ranks: Index) -> Index:
        """The rail that ranks use, where no hash decides."""
        return np.where(self.single[ranks // self.each], 0, ranks % self.each * self.rails // self.each)

    def place_of(self, ranks: Index) -> Index:
        """The place of ranks within their host, by which `position_rate` and `position_latency` are."""
        host, local = np.divmod(ranks, self.each)
        return np.where(self.turned[host], self.each - 1 - local, local)

    def _rails(self, frm: Index, to: Index) -> tuple[Index, Index]:
        """The rails by which flows between ranks leave and arrive."""
        if self.bonded:  # each port leads to a switch of its own, which reaches the same port of every other host
            a, b = frm // self.each, to // self.each
            number = hashed(np.minimum(a, b), np.maximum(a, b), 30) if self.by_hosts else hashed(frm, to, 13)
            port = (number % np.uint64(self.rails)).astype(np.int64)
            if not self.one_plane:
                return port, port
            other = (hashed(frm, to, 18) % np.uint64(self.rails)).astype(np.int64)  # where it comes by a spine
            return port, np.where(self.group[a] == self.group[b], port, other)
        if self.relayed:
            return self.rail_of(to), self.rail_of(to)
        return self.rail_of(frm), self.rail_of(to)

    def _between(self, a: Index, b: Index, rail: Index, to_rail: Index, when: Index) -> tuple[Index, Values]:
        """Ways [flow, hop] and latency between adapters."""
        if self.one_plane:
            ways, latency = self.plane.path(a * self.rails + rail, b * self.rails + to_rail, when)
            first = np.full(len(a), 2 * self.adapters)
        else:
            ways, latency = self.plane.path(a, b, when)
            first = 2 * self.adapters + rail * len(self.plane.capacity)
        return np.where(ways == NONE, NONE, ways + first[:, None]), latency + self.other_rail * (rail != to_rail)

    def _striped(self, a: Index, b: Index, when: Index) -> Index:
        """Ways [flow, hop] of all rails between hosts."""
        made = []
        for rail in range(self.rails):
            of = np.full(len(a), rail)
            made += [self.adapter_ways(a, of)[0][:, None], self.adapter_ways(b, of)[1][:, None]]
            made.append(self._between(a, b, of, of, when)[0])
        return np.concatenate(made, axis=1)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values, Values]:
        """Ways [flow, hop], limit and latency of flows between ranks."""
        (a, own), (b, other) = np.divmod(frm, self.each), np.divmod(to, self.each)
        near, unwired = a == b, a // self.guests == b // self.guests
        rail, to_rail = self._rails(frm, to)
        ways, latency = self._between(a, b, rail, to_rail, when)
        ends = self.adapter_ways(a, rail)[0], self.adapter_ways(b, to_rail)[1]
        ways = np.concatenate([np.stack(ends, axis=1), ways], axis=1)
        narrow = np.minimum(self.sends[a, rail], self.rate[b, to_rail])
        if self.striped:
            ways, narrow = self._striped(a, b, when), self.rails * np.minimum(self.sends[a], self.rate[b]).min(axis=1)
        ways = np.where(unwired[:, None], NONE, ways)
        if self.pcie:
            links = np.stack([self.host_ways(a)[0], self.host_ways(b)[1]], axis=1)
            ways = np.concatenate([ways, np.where(near[:, None], NONE, links)], axis=1)
        place, to_place = self.place_of(frm), self.place_of(to)
        limit = narrow * np.minimum(self.position_rate[place], self.position_rate[to_place])
        limit = np.where(unwired, limit, np.minimum(limit, self.tunnel_rate))
        if len(self.group_rate) > 1:
            limit = np.minimum(limit, self.group_rate[self.group[a], self.group[b]])
        latency = np.where(unwired, BESIDE, latency + self.tunnel)
        latency = latency + self.position_latency[place] + self.position_latency[to_place]
        latency += self.overhead[a] + self.overhead[b]
        if self.relayed:
            latency += self.other_rail * (self.rail_of(frm) != self.rail_of(to))
        if self.domain > 1:
            joined = ~near & (a // self.domain == b // self.domain)
            ways[joined] = NONE
            ways[joined, 0], ways[joined, 1] = self._ports(frm)[0][joined], self._ports(to)[1][joined]
            rack, to_rack = (host % self.domain * self.domain_racks // self.domain for host in (a, b))
            by_nvlink = NVLINK_LATENCY + NVLINK_HOP * (rack != to_rack)
            limit, latency = np.where(joined, NVLINK_RATE, limit), np.where(joined, by_nvlink, latency)
        return (
            ways,
            np.where(near, self.inside_rate[own, other] * self.memory[a], limit),
            np.where(near, self.inside_latency[own, other], latency),
        )

    def reachable(self, frm: Index, to: Index) -> Mask:
        """Whether two ranks reach each other by design."""
        same_rail = self.rail_of(frm) == self.rail_of(to)
        return np.asarray((frm // self.each == to // self.each) | same_rail | self.rails_meet)


def _generations(hosts: int, kinds: int, by_rack: bool, random: np.random.Generator) -> Structure:
    kind = np.arange(hosts) * kinds // hosts
    if not by_rack:
        kind = random.permutation(kind)
    return Structure(hosts, OneSwitch(hosts), rate=np.array(RATE * 2.0**kind, np.float64)[:, None])


def _in_other_parts(ranks: int, size: int) -> Mask:
    """[local rank, local rank]: whether two of the ranks of a host are in other parts, of `size` ranks in a row."""
    part = np.arange(ranks) // size
    return np.asarray(np.not_equal.outer(part, part))


def _across_sockets(socket: Index | Mask) -> Values:
    """[local rank, local rank]: the latency within a host of two sockets. `socket`: of each rank."""
    return np.asarray(INSIDE_LATENCY + 0.3e-6 * np.not_equal.outer(socket, socket))


def _far_socket(hosts: int, each: int, part: float | None = None, longer: float = 0.25e-6) -> Structure:
    """Half of the ranks are far from the adapter. All share it, and those take `longer` seconds more and reach a `part`
    of the rate; by default they get 1.18 times less of it than the others."""
    far = np.arange(each) >= each // 2
    return Structure(
        hosts,
        OneSwitch(hosts),
        each=each,
        position_rate=np.where(far, part or 2 / (2.18 * each), 1.0),
        position_latency=np.where(far, longer, 0.0),
        inside_latency=_across_sockets(far),
    )


def _one_host(ranks: int, blocks: int, per_block: float, worse: int) -> Structure:
    """One host of `blocks` CCXs or quadrants, of which the last `worse` ones are further from everything."""
    block = np.arange(ranks) * blocks // ranks
    far = block[:, None] != block[None, :]
    bad = block >= blocks - worse
    inside = 0.2e-6 + per_block * far + 0.06e-6 * (bad[:, None] | bad[None, :])
    return Structure(1, OneSwitch(1), each=ranks, inside_latency=inside)


def _mesh(ranks: int) -> Structure:
    """One host of boards of 8 devices, which are the corners of a cube: messages go along its edges."""
    a, b = np.arange(ranks)[:, None], np.arange(ranks)[None, :]
    steps = sum(((a ^ b) >> bit) % 2 for bit in range(3)) + 2 * (a // 8 != b // 8)
    return Structure(1, OneSwitch(1), each=ranks, inside_latency=0.2e-6 + 0.08e-6 * steps)


def _varied(hosts: int, spread: float, random: np.random.Generator, hyperthreads: float = 0.0) -> Structure:
    """Healthy hosts that differ a little, by this standard deviation of the log of their rate."""
    rate = RATE * np.exp(spread * random.standard_normal((hosts, 1)))
    return Structure(hosts, OneSwitch(hosts), rate=rate, hyperthreads=hyperthreads)


Make = Callable[[int, np.random.Generator], Structure]
OfSize = Callable[[int], Structure]  # in which nothing is drawn


def _leaves(hosts: int) -> Index:
    """The leaf of each host: at least 4 and at most 16 hosts behind each."""
    return np.arange(hosts) // max(4, min(16, hosts // 4))


def _unequal_leaves(hosts: int) -> Index:
    """Leaves of 1, 2, 3, ... times as many hosts, which are numbered in turns, as by a scheduler."""
    sizes = np.arange(1, 5) * max(1, hosts // 10)
    place = np.concatenate([(np.arange(size) + 0.5) / size for size in sizes])
    return np.repeat(np.arange(4), sizes)[np.argsort(place, kind="stable")][np.arange(hosts) % int(sizes.sum())]


def _tree(ratio: int, routes: str, each: int = 1) -> Make:
    return lambda hosts, random: Structure(hosts, FatTree(_leaves(hosts), ratio, routes), each=each, rails=each)


def _generations_in_tree(hosts: int) -> Structure:
    """The hosts of half of the leaves have adapters of 200 Gbit/s, as all uplinks have; 2:1 for these, 1:1 for others.

    Routes are static.
    """
    leaf = _leaves(hosts)
    rate = RATE * np.where(leaf % 2 == 0, 2.0, 1.0)[:, None]
    return Structure(hosts, FatTree(leaf, 2, "static", 2 * RATE), rate=rate)


def _partly_used_leaves(hosts: int) -> Index:
    """Leaves of 2, 3 and 5 times as many hosts in turns, as a scheduler leaves them; the last has what is left."""
    unit = max(1, min(4, hosts // 16))
    sizes = np.tile(np.array([2, 3, 5]) * unit, hosts)
    leaf = np.repeat(np.arange(len(sizes)), sizes)[:hosts]
    alone = np.bincount(leaf)[-1] == 1
    return np.minimum(leaf, int(leaf[-1]) - int(alone))


def _leaf_per_rail(rack: Index, rails: int) -> Index:
    """The leaf of each adapter, of which each rail of each rack, or pod, has one; `rack`: of each host."""
    return (np.arange(rails) * (int(rack.max()) + 1) + rack[:, None]).ravel()


def _rail_optimized(hosts: int) -> Structure:
    """4 adapters in each host, and a leaf for each rail of each pod; all leaves meet at the spines. 1:1 static."""
    plane = FatTree(_leaf_per_rail(_leaves(hosts), 4), 1, "static")
    return Structure(hosts, plane, each=4, rails=4, one_plane=True, other_rail=0.0)


def _dragonfly_of_two_rails(hosts: int) -> Structure:
    """2 adapters in each host, on two switches of its group with a hop between these. A third of messages detours."""
    plane = Dragonfly(2 * hosts, 2 * max(2, hosts // 6), 0.33)
    return Structure(hosts, plane, each=2, rails=2, one_plane=True, other_rail=HOP)


def _service_hosts(hosts: int) -> Structure:
    """One host in eight, and at least 4, has an adapter of 25 Gbit/s; they stand between the others, 1:1 adaptive."""
    count = max(4, hosts // 8)
    rate = np.full((hosts, 1), RATE)
    rate[(np.arange(count) * 2 + 1) * hosts // (2 * count)] = RATE / 4
    return Structure(hosts, FatTree(_leaves(hosts), 1, "adaptive"), rate=rate)


def _noisy_three_levels(hosts: int, random: np.random.Generator) -> Structure:
    """Nothing blocks, cables between pods are 40 m longer; hosts vary by 1.5 %, and 2 % of readings are disturbed."""
    plane = ThreeLevels(hosts, max(2, hosts // 8), 2, 1, "adaptive", 4 * CABLE)
    return replace(_varied(hosts, 0.015, random, hyperthreads=0.02), plane=plane)


def _mesh_of_cores(ranks: int) -> Structure:
    """One host whose cores are a grid, as square as can be: messages go along rows and columns. 1 % are disturbed."""
    columns = next(side for side in range(int(ranks**0.5 + 0.5), ranks + 1) if ranks % side == 0)
    row, column = np.divmod(np.arange(ranks), columns)
    steps = np.abs(row[:, None] - row[None, :]) + np.abs(column[:, None] - column[None, :])
    return Structure(1, OneSwitch(1), each=ranks, inside_latency=0.2e-6 + 0.015e-6 * steps, hyperthreads=0.01)


def _unequal_uplinks(hosts: int) -> Structure:
    """Hosts behind one uplink of 200 Gbit/s for 8 of them, except for the last leaf, which has one for 2. Adaptive.

    As Narval of the Digital Research Alliance of Canada: 66 hosts of 100 Gbit/s have 7 uplinks, storage has more.
    """
    leaf = _leaves(hosts)
    ratio = np.where(np.arange(int(leaf[-1]) + 1) == leaf[-1], 2, 8)
    return Structure(hosts, FatTree(leaf, ratio, "adaptive", 2 * RATE))


def _fragments(hosts: int, random: np.random.Generator) -> Structure:
    """What a scheduler found free: 2 or more hosts of each leaf, in no order. Other jobs use the uplinks too."""
    count = max(3, hosts // 6)
    share = random.dirichlet(np.ones(count))
    leaf = np.concatenate([np.repeat(np.arange(count), 2), random.choice(count, hosts - 2 * count, p=share)])
    return Structure(hosts, BusyTree(random.permutation(leaf), random.uniform(0.2, 0.6, count)))


def _drawers(hosts: int) -> Structure:
    """Hosts with a router of their own: 24 GB/s to each of the drawer, 5 GB/s to each other (IBM Power 775, PERCS)."""
    plane = Drawers(hosts, min(8, max(2, hosts // 4)))
    drawers = int(plane.group[-1]) + 1
    rate = np.where(np.eye(drawers, dtype=bool), 24e9, 5e9)
    return Structure(hosts, plane, rate=np.full((hosts, 1), 2 * RATE), group_rate=rate)


def _dual_plane(hosts: int) -> Structure:
    """Two ports of 200 Gbit/s per host, each on a leaf of a tree of its own, 1:1, as Alibaba's HPN (SIGCOMM 2024).

    Flows change their uplink now and then, as with Google's PLB (SIGCOMM 2022), but not their port.
    """
    plane = FatTree(_leaves(hosts), 1, "lingering", 2 * RATE)
    return Structure(hosts, plane, rails=2, bonded=True, rate=np.full((hosts, 2), 2 * RATE))


def _two_ports_of_two_sockets(hosts: int) -> Structure:
    """4 GPUs on two sockets, each with an adapter on a leaf of its own; 2:1 adaptive. As Sierra of LLNL.

    The GPUs of a socket are joined by NVLink and share the adapter; to the other socket they go by the X bus.
    """
    plane = FatTree(_leaf_per_rail(_leaves(hosts), 2), 2, "adaptive")
    far = _in_other_parts(4, 2)
    return Structure(
        hosts, plane, each=4, rails=2, one_plane=True, other_rail=0.0,
        inside_latency=INSIDE_LATENCY + np.where(far, 0.4e-6, 0.0), inside_rate=np.where(far, 32e9, 75e9),
    )  # fmt: skip


FABRIC = {(0, 2): 1, (4, 6): 1, (1, 3): 1, (1, 5): 1, (3, 7): 1, (5, 7): 1, (0, 6): 2, (2, 4): 2} | {
    (die, die + 1): 4 for die in (0, 2, 4, 6)
}  # links between the dies of 4 AMD MI250X, as in Frontier and LUMI-G


def _links(joined: Mapping[tuple[int, int], int], count: int) -> Index:
    """[device, device]: how many links join each two of the `count` devices of a host."""
    links = np.zeros((count, count), np.int64)
    for (a, b), each in joined.items():
        links[a, b] = links[b, a] = each
    return links


def _dies(hosts: int) -> Structure:
    """A quarter of the hosts, each of 8 GPU dies; two share an adapter of 200 Gbit/s, which is on the odd one.

    Between dies there are 1, 2 or 4 links of 50 GB/s. Where there is none, messages take more of them one after the
    other and get the rate of one.
    """
    links = _links(FABRIC, 8)
    steps = np.where(links > 0, 1.0, np.inf)
    np.fill_diagonal(steps, 0.0)
    for die in range(8):  # Floyd and Warshall
        steps = np.minimum(steps, steps[:, die, None] + steps[None, die])
    count = max(4, hosts // 4)
    return Structure(
        count, OneSwitch(count), each=8, rails=4, rate=np.full((count, 4), 2 * RATE),
        position_latency=np.tile([0.15e-6, 0.0], 4),
        inside_latency=0.4e-6 + 0.12e-6 * steps, inside_rate=50e9 * np.maximum(links, 1),
    )  # fmt: skip


def _nested(ranks: int, random: np.random.Generator) -> Structure:
    """One host of two sockets, with ranks in turns, each of two quadrants of two CCXs. Clocks vary by 2 %.

    Latencies and rates as within and between AMD EPYC processors, by shared memory.
    """
    socket, place = np.arange(ranks) % 2, np.arange(ranks) // 2
    part = [socket, socket * 2 + place * 4 // ranks, socket * 4 + place * 8 // ranks]
    apart = _levels_apart(*part)
    clock = np.exp(0.02 * random.standard_normal(ranks))
    slower = (1 / clock[:, None] + 1 / clock[None, :]) / 2
    latency, rate = np.array([0.16e-6, 0.24e-6, 0.27e-6, 0.42e-6]), np.array([14e9, 11e9, 10e9, 7e9])
    return Structure(
        1, OneSwitch(1), each=ranks, inside_latency=latency[apart] * slower, inside_rate=rate[apart] / slower
    )


def _ethernet(hosts: int) -> Structure:
    """TCP by the kernel over 25 Gbit/s, leaves with an uplink of 100 Gbit/s for 4 hosts; a hash gives each pair one.

    10 us at each end, and readings of small messages have a long tail: interrupts and the scheduler.
    """
    return Structure(
        hosts, FatTree(_leaves(hosts), 4, "static"), rate=np.full((hosts, 1), RATE / 4),
        position_latency=np.array([10e-6]), interrupts=2e-6,
    )  # fmt: skip


def _two_processors(hosts: int) -> Structure:
    """One leaf in four has Xeons, the others have Xeon Phis, of which messages take longer and reach a lower rate.

    7:5, an uplink for each receiver, as Stampede2 of TACC: Omni-Path leaves the work to the processor.
    """
    leaf = _leaves(hosts)
    slow = leaf % 4 != 1
    return Structure(
        hosts, FatTree(leaf, 1.4, "by receiver"), rate=RATE * np.where(slow, 0.8, 1.0)[:, None],
        overhead=np.where(slow, 0.7e-6, 0.0),
    )  # fmt: skip


def _nvlink_racks(hosts: int) -> Structure:
    """Hosts of two superchips with an adapter of 400 Gbit/s each; NVLink switches join those of a rack, as GH200 NVL32.

    Between racks there is a tree for each rail, 1:1 adaptive.
    """
    size = max(2, min(16, hosts // 4))
    plane = FatTree(np.arange(hosts) // size, 1, "adaptive", 4 * RATE)
    return Structure(
        hosts, plane, each=2, rails=2, domain=size, rate=np.full((hosts, 2), 4 * RATE),
        inside_latency=np.full((2, 2), NVLINK_LATENCY), inside_rate=np.full((2, 2), NVLINK_RATE),
    )  # fmt: skip


def _units(hosts: int) -> tuple[tuple[int, int], tuple[int, ...]]:
    """The sides of a torus of units, and of a unit: 2 x 3 x 2 hosts, or smaller where their number does not divide by
    12; the units are in a ring or a torus."""
    units_of = (2, 3, 2), (2, 2, 2), (2, 2), (2,), (1,)
    unit = next(sides for sides in units_of if hosts % np.prod(sides) == 0)
    units = hosts // int(np.prod(unit))
    rows = max(
        side for side in range(1, units + 1) if units % side == 0 and (side == 1 or 3 * side <= units >= side**2)
    )
    return (rows, units // rows), unit


def _half_of_one_rail(hosts: int, random: np.random.Generator) -> Structure:
    """2 ranks and 2 adapters in each host, but in half of the hosts, at random, both ranks share a single adapter."""
    single = random.permutation(np.arange(hosts) % 2 == 0)
    return Structure(hosts, OneSwitch(hosts), each=2, rails=2, single=single)


def _shared_adapters(hosts: int) -> Structure:
    """4 hosts share an adapter of 200 Gbit/s, by a PCIe link of 100 Gbit/s each."""
    return Structure(hosts, OneSwitch(hosts), guests=4, pcie=RATE, rate=np.full((hosts, 1), 2 * RATE))


def _placement_groups(hosts: int, random: np.random.Generator) -> Structure:
    """Placement groups of a cloud: 25 Gbit/s, as the virtual adapters say; 1 % of readings are longer."""
    return Structure(hosts, Placement(_leaves(hosts), random), rate=np.full((hosts, 1), RATE / 4), tail=0.01)


def _leaf_pairs(hosts: int) -> Structure:
    """Two bonded ports of 25 Gbit/s per host, on the two leaves of a rack, which are one by MLAG (Arista, Cumulus).

    A leaf has an uplink of 100 Gbit/s for 8 hosts; hashes of each flow choose the port, the uplink and, where it comes
    by a spine, the port of the receiver. Within a rack a message arrives by the leaf to which it was sent.
    """
    return Structure(
        hosts, FatTree(_leaf_per_rail(_leaves(hosts), 2), 8, "static"), each=2, rails=2, one_plane=True, bonded=True,
        other_rail=0.0, rate=np.full((hosts, 2), RATE / 4),
    )  # fmt: skip


def _rail_only(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; a tree for each rail, none joins the rails.

    Messages to another rail go to the GPU of that rail in their own host first, by NVSwitch (Wang et al., "Rail-only",
    HOTI 2024). 1:1 adaptive.
    """
    count = max(4, hosts // 4)
    return Structure(
        count, FatTree(np.arange(count) // max(2, count // 4), 1, "adaptive", 4 * RATE), each=8, rails=8, relayed=True,
        other_rail=NVLINK_LATENCY, rate=np.full((count, 8), 4 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _zones(hosts: int, random: np.random.Generator) -> Structure:
    """A regional cluster of a cloud, as of GKE or EKS: virtual machines of 25 Gbit/s in turns in three zones, by TCP.

    Readings of small messages have a long tail, and 1 % of all are longer.
    """
    return Structure(hosts, Zones(hosts, 3, random), rate=np.full((hosts, 1), RATE / 4), interrupts=4e-6, tail=0.01)


def _chassis(hosts: int) -> Structure:
    """Groups of two chassis with two hosts on each router, as Cray XC with Aries, e.g. Piz Daint of CSCS.

    30 % of the messages between groups take a detour by a third one.
    """
    return Structure(hosts, Chassis(hosts, max(4, hosts // 16 * 4), 0.3))


def _random_graph(hosts: int, random: np.random.Generator) -> Structure:
    """Switches of 2 or 4 hosts that are joined at random, 3 cables at each, as Jellyfish (Singla et al., NSDI 2012)."""
    return Structure(hosts, RandomGraph(hosts, max(2, hosts // (2 if hosts < 32 else 4)), 3, random))


def _blocks(hosts: int) -> Structure:
    """Blocks of 100 and of 200 Gbit/s joined by optical circuit switches, as Google's Jupiter (SIGCOMM 2022).

    40 % of the flows go by a third block; all change their way now and then, as with PLB.
    """
    blocks = max(2, min(6, hosts // 4))
    group = np.arange(hosts) * blocks // hosts
    speed = RATE * np.where(np.arange(blocks) < blocks // 2, 1.0, 2.0)
    return Structure(hosts, Blocks(group, speed, 0.4), rate=speed[group][:, None])


def _modules(hosts: int) -> Structure:
    """Half of the leaves have Xeons, the others Xeon Phis, of which messages take longer and reach a lower rate.

    These are two fabrics, joined by one gateway for 8 hosts, as JURECA's Cluster and Booster of FZ Juelich.
    """
    leaf = _leaves(hosts)
    module = (2 * leaf > leaf[-1]).astype(np.int64)
    return Structure(
        hosts, Gateways(leaf, module, max(2, hosts // 8)), rate=RATE * np.where(module == 1, 0.8, 1.0)[:, None],
        overhead=np.where(module == 1, 0.7e-6, 0.0),
    )  # fmt: skip


def _levels_apart(*parts: Index) -> Index:
    """[place, place]: in how many of these parts of a host, such as NUMA nodes and sockets, two places differ."""
    return np.asarray(np.sum([np.not_equal.outer(of, of) for of in parts], axis=0), np.int64)


def _numa_places(nodes: int) -> tuple[Values, dict[str, Values]]:
    """What a rank on each of `nodes` NUMA nodes of two sockets pays for its distance from the first node; and what
    messages within the host pay, by how far apart their two nodes are."""
    node, socket = np.arange(nodes), np.arange(nodes) * 2 // nodes
    apart = _levels_apart(node, socket)
    inside = {
        "inside_latency": INSIDE_LATENCY + np.array([0.0, 0.05e-6, 0.3e-6])[apart],
        "inside_rate": np.array([20e9, 12e9, 8e9])[apart],
    }
    return np.array([0.0, 0.06e-6, 0.3e-6])[apart[0]], inside


def _numa_nodes(hosts: int) -> Structure:
    """A quarter of the hosts, each two AMD EPYC of 4 NUMA nodes (NPS4) with a rank on each; the first has the adapter.

    As JURECA-DC of FZ Juelich and Mahti of CSC. Other nodes are further from it, and the other socket still further;
    that one reaches nine tenths of its rate. A tree 2:1 with an uplink for each receiver.
    """
    count = max(4, hosts // 4)
    longer, inside = _numa_places(8)
    return Structure(
        count, FatTree(np.arange(count) // max(2, count // 4), 2, "by receiver"), each=8,
        position_rate=np.repeat([1.0, 0.9], 4), position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _cells(hosts: int) -> Structure:
    """Leaves of 4 hosts, cells of 2 leaves or, from 64 hosts on, of 4; 2:1 at the leaves and again between cells.

    Receivers have an uplink at each level, D-mod-K: rest of their number at the leaf, rest of what is left above.
    As Bull's Sequana with BXI, e.g. Tera-1000-2 of CEA, whose tables Vigneras and Quintin describe (J. Supercomputing
    2016); the two ratios are chosen here. Two ranks in each host.
    """
    leaf = np.arange(hosts) // (2 if hosts < 16 else 4)
    cell = leaf // (2 if hosts < 64 else 4)
    plane = Stacked(FatTree(leaf, 2, "by receiver"), FatTree(cell, 4, "by receiver"))
    return Structure(hosts, plane, each=2)


def _small_job(hosts: int) -> Structure:
    """Half of the hosts, in unequal parts of 3 to 6 of 24 groups; those of the last third have processors only.

    As a job on Perlmutter of NERSC: hosts with 4 GPUs have 4 adapters of 200 Gbit/s, each on a switch of its own, hosts
    with processors only have one for all ranks. Routes follow the load (Slingshot; De Sensi et al., SC 2020).
    """
    count = max(8, hosts // 2)
    group = _partly_used_leaves(count)
    place = places_in(group)
    switch = (place // 4 * 4)[:, None] + np.arange(4)[None, :]
    plane = Slingshot(np.repeat(group, 4), switch.ravel(), 24, 2 * RATE)
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
        single=3 * group >= 2 * (group[-1] + 1),
    )  # fmt: skip


def _sprayed(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs, two of which share an adapter of 100 Gbit/s.

    As p4d.24xlarge of AWS, where EFA spreads packets over many ways (SRD; Shalev et al., IEEE Micro 2020). A message
    takes 6 us at each end; between switches of the lowest layer 0.6 us more, and between those of the next 1.6 us more
    than that. Machines are in no order. 0.5 % of readings are longer.
    """
    count = max(4, hosts // 4)
    group = random.permutation(np.arange(count) // max(2, count // 4))
    return Structure(
        count, Sprayed(np.repeat(group, 4), 1e-6), each=8, rails=4, one_plane=True, other_rail=0.0,
        position_latency=np.full(8, 6e-6), tail=0.005,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 250e9),
    )  # fmt: skip


def _polarized(hosts: int) -> Structure:
    """Three levels of Ethernet switches with the same hash: half of the cables between pods of two leaves are idle.

    1:1, as built. As in networks of three levels before Alibaba's HPN, which has two because of this (Qian et al.,
    SIGCOMM 2024). 200 Gbit/s; 0.5 % of readings are longer, because switches pause senders.
    """
    size = 2 * max(1, hosts // 16)
    leaf = np.arange(hosts) // size
    plane = Stacked(FatTree(leaf, 1, "static", 2 * RATE), Polarized(leaf // 2, 1, size, 2 * RATE))
    return Structure(hosts, plane, rate=np.full((hosts, 1), 2 * RATE), tail=0.005)


def _functions(hosts: int) -> Structure:
    """Machines of two virtual hosts, each with a function of the adapter (SR-IOV), behind leaves with three uplinks.

    As clusters of OpenStack on switches with Broadcom's dynamic load balancing, which chooses an uplink anew for each
    burst (flowlet). 2 us at each end, and 1 % of readings are disturbed by the hypervisor.
    """
    return Structure(hosts, Flowlets(_leaves(hosts), 3), guests=2, position_latency=np.array([2e-6]), hyperthreads=0.01)


def _tables(hosts: int) -> Structure:
    """32:15, as Marconi of CINECA with Omni-Path; a rank on each of two sockets, the first of which has the adapter.

    The tables of the leaves change now and then. The processor does the work of the adapter, and becomes 5 % slower
    while it warms up.
    """
    far = np.array([False, True])
    return Structure(
        hosts, Tables(_leaves(hosts), 32 / 15), each=2, position_rate=np.where(far, 0.9, 1.0),
        position_latency=np.where(far, 0.2e-6, 0.0), drift=0.05,
    )  # fmt: skip


def _rails_meet_at_the_core(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each. The leaves of a rail have their own spines.

    Only core switches join the rails, 3:1 here, also those of one host's pod. Static. As Tencent's Astral, of which
    the second level joins a rail and the third one the rails (SIGCOMM 2025).
    """
    count = max(4, hosts // 4)
    lower = FatTree(_leaf_per_rail(np.arange(count) // max(2, count // 4), 8), 1, "static", 4 * RATE)
    upper = FatTree(np.tile(np.arange(8), count), 3, "static", 4 * RATE)
    return Structure(
        count, Stacked(lower, upper), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _sides(hosts: int, dimensions: int = 3) -> tuple[int, ...]:
    sides = [1] * dimensions
    left, factor = hosts, 2
    while left > 1:
        while left % factor:
            factor += 1
        sides[int(np.argmin(sides))] *= factor
        left //= factor
    return tuple(side for side in sides if side > 1)


def _routers(hosts: int) -> Structure:
    """A torus of routers of two hosts each, of which one dimension has half the links: Cray XE6 and XK7 with Gemini.

    As Titan of ORNL and Blue Waters of NCSA.
    """
    return Structure(hosts, Gemini(hosts, _sides(max(4, hosts) // 2)))


def _grown(hosts: int) -> Structure:
    """InfiniBand of a university, bought in three years: leaves of 56, 100 and 200 Gbit/s on one core, 2:1 each.

    Hosts of the last year have 100 Gbit/s: two share a port of 200 Gbit/s by a cable that splits (HDR100). Messages of
    the oldest ones take longer. Two ranks in each host, of which one is far from the adapter.
    """
    leaf = _leaves(hosts)
    year = np.arange(int(leaf[-1]) + 1) * 3 // (int(leaf[-1]) + 1)
    uplink, adapter = RATE * np.array([0.545, 1.0, 2.0])[year], RATE * np.array([0.545, 1.0, 1.0])[year]
    return Structure(
        hosts, OneCore(leaf, np.where(year == 2, 4, 2), uplink), each=2, rate=adapter[leaf][:, None],
        position_rate=np.array([1.0, 0.95]), position_latency=np.array([0.0, 0.2e-6]),
        overhead=np.where(year[leaf] == 0, 0.15e-6, 0.0),
    )  # fmt: skip


def _two_rooms(hosts: int) -> Structure:
    """Half of the leaves are old, of 100 Gbit/s, the others new, of 200 Gbit/s, in another room; each half has a core.

    2:1 in each; between the rooms a cable of 100 Gbit/s and 150 m for 8 hosts. As a university that extends a cluster
    keeps the old part in use.
    """
    leaf = _leaves(hosts)
    part = (2 * np.arange(int(leaf[-1]) + 1) > leaf[-1]).astype(np.int64)
    speed = RATE * np.where(part == 1, 2.0, 1.0)
    plane = JoinedCores(leaf, part[leaf], 2, speed, max(2, hosts // 8), 0.75e-6)
    return Structure(hosts, plane, rate=speed[leaf][:, None])


def _branches(hosts: int) -> Structure:
    """A lab: TCP by the kernel over 10 Gbit/s; each switch has a quarter of the hosts and one cable of 40 Gbit/s.

    10 us at each end; small messages wait for interrupts, and 1 % of readings are longer: users and file servers.
    """
    return Structure(
        hosts, Branches(hosts, 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.array([10e-6]),
        interrupts=2e-6, tail=0.01,
    )  # fmt: skip


def _active_backup(hosts: int, random: np.random.Generator) -> Structure:
    """Two switches of 25 Gbit/s, joined by two cables of 100 Gbit/s, as companies have them; a host uses one of them.

    A quarter of the hosts, at random, use the second one: bonds stay there after their first port was down. The hosts
    do not say which one they use, and no file of the topology does. RoCE.
    """
    port = np.zeros(hosts, np.int64)
    port[random.permutation(hosts)[: hosts // 4]] = 1
    return Structure(hosts, ActiveBackup(port, 2), bonded=True, rate=np.full((hosts, 1), RATE / 4))


def _pcie_gpus(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs without NVLink on two sockets, each with two PCIe switches and an adapter.

    The adapter, of 200 Gbit/s, is on the first of the two, so that two GPUs of four have to go by the processor. Both
    adapters are on the leaf of the rack, of 4 hosts, and leaves on one core, 2:1.
    """
    count = max(4, hosts // 4)
    rack = np.arange(count) // max(2, min(4, count // 4))
    switch = np.arange(8) // 2
    apart = _levels_apart(switch, switch // 2)
    return Structure(
        count, OneCore(np.repeat(rack, 2), 2, 2 * RATE), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), position_rate=np.tile([1.0, 1.0, 0.75, 0.75], 2),
        position_latency=np.tile([0.0, 0.0, 0.5e-6, 0.5e-6], 2),
        inside_latency=np.array([1.2e-6, 1.7e-6, 2.3e-6])[apart], inside_rate=np.array([24e9, 19e9, 12e9])[apart],
    )  # fmt: skip


def _tiles(hosts: int) -> Structure:
    """A quarter of the hosts, of 6 GPUs of two tiles with a rank each, which share 8 adapters: as Aurora of ALCF.

    On each socket 6 ranks have 4 adapters in order, so that two of these have two ranks, and the others one. Between
    tiles of a GPU 190 GB/s, between GPUs 15 GB/s. A job in unequal parts of a Slingshot dragonfly, of which 24 groups
    stand for all.
    """
    count = max(4, hosts // 4)
    group = _partly_used_leaves(count)
    place = places_in(group)
    switch = (place // 2 * 8)[:, None] + np.arange(8)[None, :]
    gpu = np.arange(12) // 2
    far = np.not_equal.outer(gpu, gpu)
    return Structure(
        count, Slingshot(np.repeat(group, 8), switch.ravel(), 24, 2 * RATE), each=12, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 2 * RATE),
        inside_latency=np.where(far, 1.5e-6, 0.8e-6), inside_rate=np.where(far, 15e9, 190e9),
    )  # fmt: skip


def _ethernet_accelerators(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 accelerators with ten ports of 100 Gbit/s each; one chassis switch joins all.

    Seven ports of an accelerator lead to the others of its host, one to each, and three to the switch. So messages
    within a host are slower than those between hosts. As Intel's Gaudi in Voyager of SDSC; a chassis switch of large
    buffers takes 3 us longer.
    """
    count = max(4, hosts // 4)
    return Structure(
        count, OneSwitch(8 * count), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 3 * RATE), position_latency=np.full(8, 1.5e-6),
        inside_latency=np.full((8, 8), 1.2e-6), inside_rate=np.full((8, 8), RATE),
    )  # fmt: skip


def _twisted(hosts: int) -> Structure:
    """Hosts of 4 chips with cables of 50 GB/s in three dimensions: 4 x 4 x 8 chips are 32 hosts, 4 x 8 x 8 are 64."""
    columns = 4 if hosts >= 64 else 2
    plane = TwistedTorus((2, columns, hosts // (2 * columns)), 50e9)
    return Structure(hosts, plane, rate=np.full((hosts, 1), 200e9))


def _extenders(hosts: int) -> Structure:
    """Fabric extenders of 10 Gbit/s with an uplink of 10 Gbit/s for 2 hosts, as a UCS chassis of 8 blades with 4."""
    return Structure(hosts, Extenders(_leaves(hosts), 2, 0.1 * RATE), rate=np.full((hosts, 1), 0.1 * RATE))


def _institutes(hosts: int) -> Structure:
    """A university: each institute has its network (VLAN) of 10 Gbit/s, and a firewall of 80 Gbit/s joins them all.

    A flow through the firewall has one of its cores, which does 5 Gbit/s and takes 30 us. TCP by the kernel, 10 us at
    each end. Institutes have 2, 3 and 5 times as many hosts, in turns.
    """
    group = _partly_used_leaves(hosts)
    networks = int(group[-1]) + 1
    return Structure(
        hosts, Routed(group, 0.8 * RATE, 30e-6), rate=np.full((hosts, 1), 0.1 * RATE),
        position_latency=np.array([10e-6]), interrupts=2e-6,
        group_rate=RATE * np.where(np.eye(networks, dtype=bool), 0.1, 0.05),
    )  # fmt: skip


def _pods(hosts: int) -> Structure:
    """Kubernetes: 4 pods on each machine of 25 Gbit/s, or 2 where there are few; an overlay network joins them.

    Between machines packets go by VXLAN tunnels (Flannel, Calico): 8 us longer, and 9 Gbit/s for each flow, as one core
    unpacks it. Pods of a machine are joined by a bridge in its kernel. TCP, 10 us at each end. Leaves of a few machines
    have an uplink of 40 Gbit/s for 8 pods; a hash gives each flow one.
    """
    pods = 4 if hosts >= 16 else 2
    leaf = np.arange(hosts) // (pods * max(2, min(4, hosts // (4 * pods))))
    return Structure(
        hosts, FatTree(leaf, 8, "static", 0.4 * RATE), guests=pods, rate=np.full((hosts, 1), RATE / 4),
        tunnel=8e-6, tunnel_rate=0.09 * RATE, position_latency=np.array([10e-6]), interrupts=2e-6,
    )  # fmt: skip


def _metered(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines of two sizes, at random: a half may send 12.5 Gbit/s, the others 24 Gbit/s; all receive 25.

    As D16s v5 and D48s v5 of Azure, which meters what a machine sends, but not what it receives. TCP, 12 us at each
    end, with a long tail.
    """
    small = random.permutation(np.arange(hosts) % 2 == 0)
    return Structure(
        hosts, OneSwitch(hosts), rate=np.full((hosts, 1), RATE / 4), send=RATE * np.where(small, 0.125, 0.24),
        position_latency=np.array([12e-6]), interrupts=3e-6, tail=0.01,
    )  # fmt: skip


def _two_boards(hosts: int) -> Structure:
    """Hosts of two makes, by leaf in turns: one has the adapter on the first socket, the other on the second one.

    4 ranks, two on each socket; those far from the adapter take 0.25 us longer and reach nine tenths of its rate. As
    servers of two vendors, whose risers differ. EDR, 2:1, an uplink for each receiver.
    """
    leaf, far = _leaves(hosts), np.arange(4) >= 2
    return Structure(
        hosts, FatTree(leaf, 2, "by receiver"), each=4, turned=leaf % 2 == 1,
        position_rate=np.where(far, 0.9, 1.0), position_latency=np.where(far, 0.25e-6, 0.0),
        inside_latency=_across_sockets(far),
    )  # fmt: skip


def _bundles(hosts: int) -> Structure:
    """A Slingshot dragonfly whose first groups have hosts with processors only, with one adapter of 200 Gbit/s.

    Those of the other half have GPUs and two adapters, and their groups are joined by twice as many cables as others
    are. As the partitions of Perlmutter and LUMI; two ranks a host, and the numbers, are chosen here. A quarter of the
    messages take a detour.
    """
    count = max(4, min(8, hosts // 4))
    group = np.arange(hosts) * count // hosts
    gpus = np.arange(count) >= count // 2
    cables = max(1, 2 * hosts // count**2) * np.where(gpus[:, None] & gpus[None, :], 2, 1)
    return Structure(
        hosts, Bundles(np.repeat(group, 2), cables, 0.25, 2 * RATE), each=2, rails=2, one_plane=True, other_rail=HOP,
        rate=np.full((hosts, 2), 2 * RATE), single=~gpus[group],
    )  # fmt: skip


def _striped(hosts: int) -> Structure:
    """4 GPUs joined by NVLink and two adapters of 200 Gbit/s, each on a tree of its own, 2:1; all messages use both.

    As UCX does by default with two adapters (UCX_MAX_RNDV_RAILS=2). So what is slow on one rail makes the other one
    wait. Adaptive routes.
    """
    return Structure(
        hosts, FatTree(_leaves(hosts), 2, "adaptive", 2 * RATE), each=4, rails=2, striped=True,
        other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 100e9),
    )  # fmt: skip


def _power_caps(hosts: int) -> Structure:
    """TCP over 40 Gbit/s: a core does 35 Gbit/s for a flow, but 7 % less in each second rack, whose power is capped.

    As centres cap the racks that are cooled by air. There a message takes also 7 % longer of the 12 us at its end. The
    processors are the same, and so are the adapters, which 2 ranks share. Racks of 2 to 8 hosts, 2:1 static.
    """
    rack = np.arange(hosts) // max(2, min(8, hosts // 8))
    clock = np.where(np.arange(int(rack[-1]) + 1) % 2 == 1, 0.93, 1.0)
    return Structure(
        hosts, FatTree(rack, 2, "static", 0.4 * RATE), each=2, rate=np.full((hosts, 1), 0.4 * RATE),
        position_latency=np.full(2, 12e-6), interrupts=2e-6,
        overhead=12e-6 * (1 / clock[rack] - 1), processor=np.zeros(hosts, np.int64),
        group_rate=0.35 * RATE * np.minimum.outer(clock, clock),
    )  # fmt: skip


def _queue_pairs(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; a rack is two of them and their switch.

    So all adapters of a rack are on one leaf. 1:1 to spines of deep buffers, which take 2 us. As Meta's clusters with
    RoCE for training (Gangidi et al., SIGCOMM 2024); 4 queue pairs for each message are chosen here.
    """
    count = max(4, hosts // 4)
    rack = np.arange(count) * (count // 2) // count
    return Structure(
        count, QueuePairs(np.repeat(rack, 8), 4, 4 * RATE, 2e-6), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _threads(hosts: int) -> Structure:
    """A private cloud: a virtual machine on each machine of 10 Gbit/s, with virtio, of which a thread does 15 Gbit/s.

    So a message alone gets 10 Gbit/s, but two that go there and back at the same time 7.5 Gbit/s each. As OpenStack
    with KVM and vhost-net. Leaves have an uplink of 40 Gbit/s for 8 hosts, 2:1. TCP, 15 us at each end, with a tail.
    """
    plane = Threads(_leaves(hosts), 8, 0.4 * RATE, 0.15 * RATE)
    return Structure(
        hosts, plane, rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.array([15e-6]), interrupts=3e-6,
        tail=0.01,
    )  # fmt: skip


def _old_spines(hosts: int) -> Structure:
    """25 Gbit/s; each second spine is old, of 40 Gbit/s, the others of 100 Gbit/s, and a hash takes all as alike.

    As a data centre that is being renewed, with ECMP without weights; these are what WCMP is for (Zhou et al., EuroSys
    2014). A leaf has 2 uplinks, or 4 where it has 16 hosts. Alone, a flow is as fast by either kind.
    """
    leaf = _leaves(hosts)
    size = np.bincount(leaf)
    plane = FatTree(leaf, size / (np.where(size < 16, 2, 4) + 0.5), "static")
    spine = np.arange(plane.ways) - np.repeat(plane.first, plane.each)
    plane.capacity = plane.capacity * np.tile(np.where(spine % 2 == 0, 0.4, 1.0), 2)
    return Structure(hosts, plane, rate=np.full((hosts, 1), RATE / 4))


CONDO = np.array([[0.545, 0.3e-6], [1.0, 0.3e-6], [1.0, 0.0], [2.0, 0.0]])  # rate of the adapter, what messages wait


def _condo(hosts: int, random: np.random.Generator) -> Structure:
    """Hosts that groups of a university bought in different years, and that stand wherever there was room.

    Four kinds, as many of each, at random: older processors with 56 or 100 Gbit/s, newer ones with 100 or 200. Messages
    of the older ones take 0.3 us longer. 2:1 for 100 Gbit/s, an uplink for each receiver. As condo clusters, e.g. Savio
    of UC Berkeley or Palmetto of Clemson; the kinds are chosen here.
    """
    rate, overhead = CONDO[random.permutation(np.arange(hosts) % 4)].T
    processor = np.where(overhead > 0, 2, 0)
    plane = FatTree(_leaves(hosts), 2, "by receiver")
    return Structure(hosts, plane, rate=RATE * rate[:, None], overhead=overhead, processor=processor)


def _superchips(hosts: int) -> Structure:
    """Half of the hosts, of 4 superchips (GH200) with an adapter of 200 Gbit/s each, in cells that are trees.

    All adapters of a host are in its cell, and cells are joined as a dragonfly+, a quarter of the messages between them
    by a third one. NVLink joins the superchips of a host, with 150 GB/s for each two. As JUPITER of FZ Juelich, of
    which this is a small part; the cells of 2 to 8 hosts are chosen here.
    """
    count = max(4, hosts // 2)
    return Structure(
        count, DragonflyPlus(4 * count, 4 * max(2, min(8, count // 4)), 0.25, 2 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 150e9),
    )  # fmt: skip


def _torus_of_chips(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: machines of 16 chips in a torus of 4 x 4, of which two share an adapter of 100 Gbit/s.

    As trn1.32xlarge of AWS, with Trainium and EFA. Neighbours are joined by links of 48 GB/s; to others, messages take
    more of these one after the other and get the rate of one divided by their number, if chips store them, as is
    assumed here. 7 us at each end between machines, which are in no order; 0.5 % of readings are longer.
    """
    count = max(4, hosts // 4)
    group = random.permutation(np.arange(count) // max(2, count // 4))
    row, column = np.divmod(np.arange(16), 4)
    down, along = (np.abs(np.subtract.outer(place, place)) for place in (row, column))
    steps = np.maximum(np.minimum(down, 4 - down) + np.minimum(along, 4 - along), 1)
    return Structure(
        count, Sprayed(np.repeat(group, 8), 1e-6), each=16, rails=8, one_plane=True, other_rail=0.0,
        position_latency=np.full(16, 7e-6), tail=0.005,
        inside_latency=0.5e-6 + 0.7e-6 * steps, inside_rate=48e9 / steps,
    )  # fmt: skip


def _eight_to_five(hosts: int) -> Structure:
    """Leaves with five uplinks for eight hosts, or somewhat fewer; a hash gives each pair another one in each step."""
    leaf = _leaves(hosts)
    size = np.bincount(leaf)
    return Structure(hosts, FatTree(leaf, size / (5 * size // 8 + 0.5), "rehashed"))


def _mesh_of_hosts(hosts: int) -> Structure:
    """A grid in two dimensions, as square as can be and not closed; cables are twice as fast as adapters.

    As Intel's Paragon was a mesh in two dimensions; the rates are chosen here.
    """
    columns = next(side for side in range(int(hosts**0.5 + 0.5), hosts + 1) if hosts % side == 0)
    return Structure(hosts, Mesh((hosts // columns, columns), 2 * RATE))


def _extended(hosts: int) -> Structure:
    """Pods of two leaves, 1:1 within and 2:1 between them, adaptive; the second half has 200 Gbit/s, the first 100.

    Switches of a pod are as fast as its hosts: EDR that was extended by HDR. Two ranks in each host, of which one is
    far from the adapter: it takes 0.25 us longer and reaches nine tenths of the rate.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    pods = int(leaf[-1]) // 2 + 1
    speed = RATE * np.where(2 * np.arange(pods) >= pods, 2.0, 1.0)
    lower = FatTree(leaf, 1, "adaptive", speed[np.arange(int(leaf[-1]) + 1) // 2])
    plane = Stacked(lower, FatTree(leaf // 2, 2, "adaptive", speed))
    return replace(
        _far_socket(hosts, 2, 0.9), plane=plane, rate=speed[leaf // 2][:, None],
    )  # fmt: skip


def _dragonfly_of_four_rails(hosts: int) -> Structure:
    """Half of the hosts, of 4 superchips (GH200) with an adapter of 200 Gbit/s each, on four switches of their group.

    Between these there is a hop. A quarter of the messages between groups take a detour. As Alps of CSCS, whose network
    is a Slingshot dragonfly; the groups of 2 hosts or a quarter of all are chosen here.
    """
    count = max(4, hosts // 2)
    return Structure(
        count, Dragonfly(4 * count, 4 * max(2, count // 4), 0.25, 2 * RATE), each=4, rails=4, one_plane=True,
        other_rail=HOP, rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 150e9),
    )  # fmt: skip


def _two_sockets_in_a_dragonfly(hosts: int) -> Structure:
    """A dragonfly+ of EDR, and two ranks in each host, of which one is far from the adapter: 0.2 us and 5 % slower.

    As Niagara of SciNet, whose hosts have two sockets; 40 % of the messages between groups that take a detour, and 1 %
    of disturbed readings, are chosen here.
    """
    plane = DragonflyPlus(hosts, max(4, min(16, hosts // 4)), 0.4)
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6), plane=plane, hyperthreads=0.01,
    )  # fmt: skip


def _generations_in_a_dragonfly(hosts: int) -> Structure:
    """A dragonfly whose first groups have adapters of 100 Gbit/s, and the other half of 200 Gbit/s, as all cables.

    As adapters of Slingshot 10 and 11 in one network. 30 % of the messages between groups take a detour.
    """
    plane = Dragonfly(hosts, max(2, min(16, hosts // 6)), 0.3, 2 * RATE)
    speed = RATE * np.where(2 * plane.group >= plane.groups, 2.0, 1.0)
    return Structure(hosts, plane, rate=speed[:, None])


def _torus_of_adapters(hosts: int) -> Structure:
    """A torus without switches, whose cables are as fast as what a host sends; 1 % of readings are disturbed.

    As clusters with EXTOLL's Tourmalet, an adapter with six links for a torus in three dimensions.
    """
    return Structure(hosts, Torus(_sides(hosts), RATE), hyperthreads=0.01)


def _racks_of_two_speeds(hosts: int) -> Structure:
    """TCP by the kernel; the first racks have 10 Gbit/s, the other half 25; a third as many uplinks of their own speed.

    So 3:1, as the 48 ports of 10 Gbit/s and 4 of 40 Gbit/s of Dell's S4810, or somewhat more where hosts do not divide
    by three; a hash gives each pair one uplink. 10 us at each end; readings of small messages have a long tail, and 1 %
    of all are longer.
    """
    leaf = np.arange(hosts) // max(4, min(12, hosts // 4))
    leaves = int(leaf[-1]) + 1
    speed = RATE * np.where(2 * np.arange(leaves) >= leaves, 0.25, 0.1)
    return Structure(
        hosts, FatTree(leaf, 3, "static", speed), rate=speed[leaf][:, None], position_latency=np.array([10e-6]),
        interrupts=2e-6, tail=0.01,
    )  # fmt: skip


def _ccxs_in_quadrants(ranks: int) -> Structure:
    """One host of 16 CCXs, four in each quadrant, as AMD EPYC 7742 has for its 64 cores. 1 % are disturbed."""
    part = np.arange(ranks) * 16 // ranks, np.arange(ranks) * 4 // ranks
    apart = _levels_apart(*part)
    latency, rate = np.array([0.15e-6, 0.26e-6, 0.33e-6]), np.array([14e9, 11e9, 10e9])
    return Structure(
        1, OneSwitch(1), each=ranks, inside_latency=latency[apart], inside_rate=rate[apart], hyperthreads=0.01
    )


def _eight_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod.

    All leaves meet at the spines, 1:1 adaptive; NVSwitch joins the GPUs of a host. As DGX SuperPOD with H100.
    """
    count = max(4, hosts // 4)
    plane = FatTree(_leaf_per_rail(np.arange(count) // max(2, count // 4), 8), 1, "adaptive", 4 * RATE)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _gpus_in_racks(hosts: int) -> Structure:
    """4 GPUs joined by NVLink and two adapters of 100 Gbit/s, each on a tree of its own, static.

    3:1 between racks, as ABCI of AIST, or somewhat more where hosts do not divide by three; a tree for each adapter is
    chosen here. A job in racks of 2, 3 and 5 times as many hosts, in turns. All becomes 5 % slower during the run.
    """
    return Structure(
        hosts, FatTree(_partly_used_leaves(hosts), 3, "static"), each=4, rails=2, drift=0.05,
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 45e9),
    )  # fmt: skip


def _burst_credits(hosts: int) -> Structure:
    """Virtual machines that send 10 Gbit/s, but 5 Gbit/s in a quarter of the steps, when their credits are spent.

    As c5.4xlarge of AWS, of "up to 10 Gbit/s": a token bucket fills while a machine sends less. Each is empty at its
    own time, and the turns of 8 steps are chosen here. TCP, 12 us at each end, with a long tail.
    """
    return Structure(
        hosts, Credits(hosts, 0.05 * RATE), rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.array([12e-6]),
        interrupts=3e-6, tail=0.01,
    )  # fmt: skip


def _two_sites(hosts: int) -> Structure:
    """Three quarters of the leaves are at one site, the others at another one; 2:1 to a core at each.

    Between the sites there is a line of 40 Gbit/s for 8 hosts, and half of the lines go another way, as is usual for
    safety: 8 km (40 us) and 14 km (70 us). So the receiver decides how long a message takes. As InfiniBand over
    Mellanox's MetroX; all numbers are chosen here.
    """
    leaf, lines = _leaves(hosts), max(2, hosts // 8)
    part = (leaf > 3 * leaf[-1] // 4).astype(np.int64)
    longer = np.where(np.arange(lines) % 2 == 0, 40e-6, 70e-6)
    return Structure(hosts, JoinedCores(leaf, part, 2, RATE, lines, longer, 0.4 * RATE))


def _hyperx_tables(hosts: int) -> Structure:
    """QDR: switches of 2 hosts, or of 4 from 40 hosts on, in a grid as square as can be.

    As the HyperX that was built of the old switches of TSUBAME2 (Domke et al., SC 2019), of 12 x 8 switches with 7
    hosts each; the tables are simpler here.
    """
    switches = hosts // (2 if hosts < 40 else 4)
    rows = int(switches**0.5)
    return Structure(
        hosts, HyperXTables(hosts, rows, switches // rows, 0.4 * RATE), rate=np.full((hosts, 1), 0.4 * RATE)
    )


def _single_cables(hosts: int) -> Structure:
    """Switches of 2 hosts, 4 of them in a group; fewer in a small cluster, and twice as many of both in a large one."""
    size = 2 if hosts < 80 else 4
    return Structure(hosts, SingleCables(hosts, size, 2 if hosts < 32 else 2 * size))


def _kautz(hosts: int) -> Structure:
    """Hosts with three cables of 20 Gbit/s out and three in, two ranks each: as SiCortex's machines."""
    return Structure(hosts, Kautz(hosts, 3, 0.2 * RATE), each=2, rate=np.full((hosts, 1), 0.2 * RATE))


def _interfaces(hosts: int) -> Structure:
    """Half of the hosts, of 4 groups of cores with a rank and an adapter each, which share the cables of a torus.

    Cables and adapters do 6.8 GB/s. As Fugaku of RIKEN, of which a host has 6 such interfaces to its router; this is a
    torus in three dimensions instead of six.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, Interfaces(_sides(count), 4, 6.8e9), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 6.8e9), inside_latency=INSIDE_LATENCY + 0.1e-6 * (1 - np.eye(4)),
    )  # fmt: skip


def _fewer_uplinks(hosts: int, random: np.random.Generator) -> Structure:
    """The first third of the leaves is 1:1, the next 2:1, the last 3:1: the ports of the spines were running out.

    Two ranks in each host, one far from the adapter; in a quarter of the hosts, at random, this is on the second
    socket. A receiver has one uplink.
    """
    leaf = _leaves(hosts)
    leaves, far = int(leaf[-1]) + 1, np.array([False, True])
    return Structure(
        hosts, FatTree(leaf, 1 + np.arange(leaves) * 3 // leaves, "by receiver"), each=2,
        turned=random.permutation(np.arange(hosts) % 4 == 0),
        position_rate=np.where(far, 0.9, 1.0), position_latency=np.where(far, 0.25e-6, 0.0),
        inside_latency=_across_sockets(far),
    )  # fmt: skip


def _storage_leaves(hosts: int) -> Structure:
    """Each second leaf also has storage servers, which take half of its uplinks in a quarter of the steps.

    As jobs write checkpoints at times of their own; leaves of mixed racks are usual, the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    return Structure(hosts, StorageTree(leaf, np.arange(int(leaf[-1]) + 1) % 2 == 1, 0.5))


def _two_networks(hosts: int) -> Structure:
    """A rank on each of two networks that do not meet: one of 200 Gbit/s, 1:1, one of 100 Gbit/s, 3:1, static.

    The second one is Ethernet (RoCE) and takes 0.4 us longer at each end: what was bought for storage is a second rail.
    """
    rack, rail = np.repeat(_leaves(hosts), 2), np.tile(np.arange(2), hosts)
    racks, speed = int(rack[-1]) + 1, RATE * np.array([2.0, 1.0])
    plane = FatTree(rail * racks + rack, np.repeat([1, 3], racks), "static", speed.repeat(racks))
    return Structure(
        hosts, plane, each=2, rails=2, rails_meet=False, one_plane=True, other_rail=0.0,
        rate=np.tile(speed, (hosts, 1)), position_latency=np.array([0.0, 0.4e-6]),
    )  # fmt: skip


def _director(hosts: int) -> Structure:
    """One large InfiniBand switch at the end of a row of 8 racks, of which hosts are dealt out to line boards in turns.

    For each rack that a host is further away its cable is 5 m longer. Such switches have up to 648 or 800 ports.
    """
    rack = np.arange(hosts) // max(1, hosts // 8)
    longer = CABLE / 2 * rack.astype(np.float64)
    return Structure(hosts, Director(hosts, max(2, min(16, hosts // 8)), longer))


def _four_relayed_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter of 200 Gbit/s; a tree for each rail, 2:1 static.

    Messages to another rail go to a GPU of that rail in their own host first, by NVSwitch, as with NCCL's PXN. As
    a3-highgpu-8g of Google has 4 such adapters; the trees are chosen here.
    """
    count = max(4, hosts // 4)
    return Structure(
        count, FatTree(np.arange(count) // max(2, count // 4), 2, "static", 2 * RATE), each=8, rails=4, relayed=True,
        other_rail=NVLINK_LATENCY, rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _sleds(hosts: int) -> Structure:
    """Sleds of 4 small servers that share an adapter of 100 Gbit/s, each by 4 lanes of PCIe 3, 31.5 Gbit/s.

    As Facebook's Yosemite V2 (Open Compute Project). A rack has up to 4 sleds, and an uplink of 100 Gbit/s for two of
    them, of which a hash gives each pair one. TCP, 10 us at each end; readings of small messages have a long tail.
    """
    leaf = np.arange(hosts) // (4 * max(1, min(4, hosts // 16)))
    return Structure(
        hosts, FatTree(leaf, 8, "static"), guests=4, pcie=0.315 * RATE, position_latency=np.array([10e-6]),
        interrupts=2e-6,
    )  # fmt: skip


def _four_switches(hosts: int) -> Structure:
    """Four InfiniBand switches, each joined to each other one; 2:1, or more where hosts do not divide by 24.

    A switch of 36 ports then has 24 hosts and 4 cables to each of the three others. As small clusters are built that
    save the spines.
    """
    return Structure(hosts, FullMesh(np.arange(hosts) * 4 // hosts, max(1, hosts // 24)))


def _two_leaves_per_rack(hosts: int) -> Structure:
    """Racks of two leaves, to which hosts are dealt out in turns. About 3 uplinks for 8; a hash gives each pair one.

    As a rack with more hosts than a switch has ports. Two ranks share an adapter. 0.5 % of readings are longer: RoCE.
    """
    rack = np.arange(hosts) // max(4, min(16, hosts // 4))
    leaf = 2 * rack + np.arange(hosts) % 2
    size = np.bincount(leaf)
    return Structure(hosts, FatTree(leaf, size / (np.round(3 * size / 8) + 0.5), "static"), each=2, tail=0.005)


def _nvlink_racks_of_four_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 4 GPUs with an adapter of 400 Gbit/s each; NVLink switches join up to 18 in a rack.

    A leaf for each rail of each rack; all leaves meet at the spines, 2:1 adaptive, which is chosen here. As GB200
    NVL72, of 18 trays.
    """
    count = max(4, hosts // 4)
    size = max(2, min(18, count // 4))
    plane = FatTree(_leaf_per_rail(np.arange(count) // size, 4), 2, "adaptive", 4 * RATE)
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, domain=size, rate=np.full((count, 4), 4 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), NVLINK_RATE),
    )  # fmt: skip


def _seven_to_one(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each. 1:1 within a pod, 7:1 between pods.

    A rack is two hosts and their switch; a pod is a quarter of the racks. As Meta's cluster of 24,000 GPUs with RoCE
    for Llama 3 (2024), where a message is cut into 16 flows, so that it uses all ways; the buffers of the switches of a
    pod take 1 us.
    """
    count = max(4, hosts // 4)
    racks = count // 2
    rack = np.repeat(np.arange(count) * racks // count, 8)
    lower = FatTree(rack, 1, "adaptive", 4 * RATE)
    plane = Stacked(lower, FatTree(rack // max(1, racks // 4), 7, "adaptive", 4 * RATE), 1e-6)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _partitions(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each. In the first racks they have 4 GPUs and 4 adapters of 200 Gbit/s, on two leaves.

    Those of the other half of the racks have processors only, and one adapter of 100 Gbit/s on one leaf. All uplinks
    are of 200 Gbit/s, 2:1; a hash gives each two adapters one. As centres buy a partition of each kind in one network.
    """
    count = max(8, hosts // 2)
    rack = _leaves(count)
    racks = int(rack[-1]) + 1
    single = 2 * rack >= racks
    second = ~single[:, None] & (np.arange(4) >= 2)
    leaf = np.where(second, racks + rack[:, None], rack[:, None])
    # A host with one adapter counts four times at its leaf, and its adapter is half as fast as an uplink.
    number = np.arange(int(leaf.max()) + 1)
    ratio = np.where((2 * number >= racks) & (number < racks), 16, 2)
    return Structure(
        count, FatTree(leaf.ravel(), ratio, "static", 2 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        single=single, rate=np.repeat(RATE * np.where(single, 1.0, 2.0)[:, None], 4, axis=1),
    )  # fmt: skip


def _error_correction(hosts: int) -> Structure:
    """25 Gbit/s, RoCE; a leaf for two racks. Cables to the second rack are longer than 3 m and need error correction.

    This (RS-FEC) takes 0.25 us at each such host; shorter cables go without. An uplink of 100 Gbit/s for 8 hosts, 2:1;
    a hash gives each pair one. Hosts say nothing of it.
    """
    leaf = _leaves(hosts)
    place = places_in(leaf)
    return Structure(
        hosts, FatTree(leaf, 8, "static"), rate=np.full((hosts, 1), RATE / 4),
        overhead=np.where(2 * place >= np.bincount(leaf)[leaf], 0.25e-6, 0.0), processor=np.zeros(hosts, np.int64),
    )  # fmt: skip


def _ports_for_others(hosts: int) -> Structure:
    """Leaves of 4, 2 and 3 times as many hosts, in turns, with equal uplinks: other ports lead to storage and gateways.

    So 2:1, 1:1 and 3:2; a receiver has one uplink.
    """
    unit = max(1, min(4, hosts // 16))
    sizes = np.tile(np.array([4, 2, 3]) * unit, hosts)
    leaf = np.repeat(np.arange(len(sizes)), sizes)[:hosts]
    leaf = np.minimum(leaf, int(leaf[-1]) - int(np.bincount(leaf)[-1] == 1))
    return Structure(hosts, FatTree(leaf, np.bincount(leaf) / (2 * unit + 0.5), "by receiver"))


def _flow_limits(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines of 12.5 Gbit/s in placement groups: a flow gets 10 Gbit/s within a group, 5 Gbit/s across.

    As c6i.8xlarge of AWS. Two ranks in each, so that two flows within a group share what the machine has, and two
    across do not. 1 % of readings are longer.
    """
    group = _leaves(hosts)
    groups = int(group[-1]) + 1
    return Structure(
        hosts, Placement(group, random), each=2, rate=np.full((hosts, 1), RATE / 8), tail=0.01,
        group_rate=RATE * np.where(np.eye(groups, dtype=bool), 0.1, 0.05),
    )  # fmt: skip


def _newer_leaves_spread(hosts: int) -> Structure:
    """2:1; the second half of the leaves have newer switches, which give each message the uplink with the least load.

    The older ones have a hash for each pair. As dynamic load balancing comes with a new switch chip in a cluster that
    is extended; hosts are the same. 0.5 % of readings are longer, because switches pause senders.
    """
    leaf = _leaves(hosts)
    leaves = int(leaf[-1]) + 1
    plane = PartlyAdaptive(leaf, int(np.bincount(leaf)[0]) // 2, 2 * np.arange(leaves) >= leaves)
    return Structure(hosts, plane, tail=0.005)


def _stacks(hosts: int) -> Structure:
    """Up to four stacks of switches on a core, as on a campus: 10 Gbit/s, cables of 40 Gbit/s, TCP by the kernel.

    10 us at each end; readings of small messages have a long tail. 8 hosts are one stack.
    """
    return Structure(
        hosts, Stacks(hosts, min(4, hosts // 8), 0.1 * RATE, 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        position_latency=np.array([10e-6]), interrupts=2e-6,
    )  # fmt: skip


def _two_hypercubes(hosts: int) -> Structure:
    """A rank and an adapter of 56 Gbit/s on each of two hypercubes that do not meet; 1 % of readings are disturbed.

    As Pleiades of NASA (SGI ICE), of which each host is on both; there the second one is for files. Switches of 2
    hosts, or of 4 from 32 hosts on.
    """
    plane = EnhancedHypercube(hosts, 2 if hosts < 32 else 4, 0.545 * RATE)
    return Structure(
        hosts, plane, each=2, rails=2, rails_meet=False, rate=np.full((hosts, 2), 0.545 * RATE), hyperthreads=0.01
    )


def _socket_direct(hosts: int) -> Structure:
    """Two ranks on two sockets, each with an adapter of its own to a port that both share: Mellanox's Socket Direct.

    Each adapter does the 100 Gbit/s of the port alone, by 8 lanes of PCIe 4. An uplink of 200 Gbit/s for 4 hosts, 2:1.
    """
    plane = SharedPorts(np.repeat(_leaves(hosts), 2), 8, RATE, 2 * RATE)
    return Structure(
        hosts, plane, each=2, rails=2, one_plane=True, other_rail=0.0,
        inside_latency=_across_sockets(np.arange(2)),
    )  # fmt: skip


def _sleep_states(hosts: int) -> Structure:
    """25 Gbit/s, TCP by the kernel, four rows of racks; the cores of the second row may sleep between messages.

    There the firmware has a profile that saves power, and a core wakes from C1E 5 us later at each end; a large message
    keeps it awake. The hosts say nothing of it. 10 us at each end in all rows. Racks of 2 to 8 hosts with one uplink of
    100 Gbit/s.
    """
    rack = np.arange(hosts) // max(2, min(8, hosts // 8))
    row = rack * 4 // (int(rack[-1]) + 1)
    return Structure(
        hosts, FatTree(rack, 8, "static"), rate=np.full((hosts, 1), RATE / 4),
        position_latency=np.array([10e-6]), interrupts=2e-6,
        overhead=np.where(row == 1, 5e-6, 0.0), processor=np.zeros(hosts, np.int64),
    )  # fmt: skip


def _read_requests(hosts: int, random: np.random.Generator) -> Structure:
    """A third of the hosts, at random, send 78 % of 100 Gbit/s: their PCIe read requests are of 512 bytes only.

    An adapter reads what it sends and writes what it receives, so these receive as much as the others, and small
    messages take as long. As where a new firmware with the longer requests (MaxReadReq) is not on all hosts yet; the 78
    % are chosen here. 1:1 adaptive.
    """
    short = random.permutation(np.arange(hosts) % 3 == 0)
    send = np.where(short, 0.78 * RATE, np.inf)
    return Structure(hosts, FatTree(_leaves(hosts), 1, "adaptive"), send=send)


def _pcie_switches(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, in two lots of servers, 5:3.

    In the first lot, which ends within a rack, the last two adapters are behind a PCIe switch, whose 16 lanes of PCIe 4
    to the processor do 252 Gbit/s. It takes 0.15 us. A leaf for each rail of each rack, 1:1 adaptive.
    """
    count = max(4, hosts // 2)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(8, count // 4)), 4)
    host, rail = np.divmod(np.arange(4 * count), 4)
    link = np.where((8 * host < 5 * count) & (rail >= 2), host, NONE)
    return Structure(
        count, PcieSwitches(leaf, 1, "adaptive", 2 * RATE, link, 2.52 * RATE, 0.15e-6), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
    )  # fmt: skip


def _limited_pods(hosts: int) -> Structure:
    """Kubernetes: 4 pods on each machine of 25 Gbit/s, or 2 where there are few; the last one may send 4 Gbit/s.

    As by the annotation kubernetes.io/egress-bandwidth, for which a token bucket (tbf) is at the pod's own interface:
    it also limits what goes to pods of the same machine, but nothing that the pod receives. No tunnels, as with Calico
    and BGP. TCP, 10 us at each end. Leaves have an uplink of 100 Gbit/s for 16 pods; a hash gives each flow one.
    """
    pods = 4 if hosts >= 16 else 2
    leaf = np.arange(hosts) // (pods * max(2, min(8, hosts // (4 * pods))))
    return Structure(
        hosts, FatTree(leaf, 16, "static"), guests=pods, rate=np.full((hosts, 1), RATE / 4),
        send=np.where(np.arange(hosts) % pods == pods - 1, 0.04 * RATE, np.inf),
        position_latency=np.array([10e-6]), interrupts=2e-6,
    )  # fmt: skip


def _receive_queues(hosts: int) -> Structure:
    """Half of the hosts: virtual machines of 25 Gbit/s with 4 ranks each, by UDP, and two queues for what they receive.

    A queue does 14 Gbit/s. So two messages to a machine get 12.5 Gbit/s each or, by the same queue, 7. An uplink of 100
    Gbit/s for 8 machines, 2:1; a hash gives each two machines one. 12 us at each end, with a long tail.
    """
    count = max(8, hosts // 2)
    plane = ReceiveQueues(_leaves(count), 8, RATE, 2, 0.14 * RATE)
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), RATE / 4), position_latency=np.full(4, 12e-6), interrupts=3e-6,
        tail=0.01,
    )  # fmt: skip


def _trays(hosts: int) -> Structure:
    """Trays of two hosts that share an adapter of 200 Gbit/s, each by 16 lanes of PCIe 4; two ranks in each host.

    The adapter is in the first host; the second one is joined to it by a cable within the tray, which takes 0.15 us
    here. So a host gets 200 Gbit/s alone, and a half while the other one sends. As Lenovo's SD650 with SharedIO, e.g.
    MareNostrum 5 of BSC. About 3:2, or 2:1 for small leaves; a receiver has one uplink.
    """
    return Structure(
        hosts, FatTree(_leaves(hosts), 3, "by receiver", 2 * RATE), each=2, guests=2, pcie=2.52 * RATE,
        rate=np.full((hosts, 1), 2 * RATE), overhead=np.where(np.arange(hosts) % 2 == 1, 0.15e-6, 0.0),
        processor=np.zeros(hosts, np.int64),
    )  # fmt: skip


def _blocked_ring(hosts: int) -> Structure:
    """Up to 8 Ethernet switches in a ring, whose spanning tree blocks the cable after the third one. TCP, 25 Gbit/s.

    Two neighbours are joined as wide as the hosts of a switch are, and at least by 100 Gbit/s, which count as one cable
    (LACP). 8 us at each end; readings of small messages have a long tail.
    """
    switches = max(4, min(8, hosts // 4))
    return Structure(
        hosts, BlockedRing(hosts, switches, 2, RATE * max(1.0, hosts / switches / 4)),
        rate=np.full((hosts, 1), RATE / 4), position_latency=np.array([8e-6]), interrupts=2e-6,
    )  # fmt: skip


def _five_dimensions(hosts: int) -> Structure:
    """A torus in up to five dimensions, whose cables and hosts do 1.8 GB/s; two ranks in each host.

    As IBM's Blue Gene/Q, e.g. Sequoia of LLNL or JUQUEEN of FZ Juelich, with deterministic routes. There a host has ten
    cables of 2 GB/s; 1.8 are left for data.
    """
    return Structure(hosts, Torus(_sides(hosts, 5), 1.8e9), each=2, rate=np.full((hosts, 1), 1.8e9))


def _two_routers(hosts: int) -> Structure:
    """Networks (VLANs) of 25 Gbit/s, and two routers, each the gateway of every second one: 3 us, or 11 us an old one.

    As VRRP shares out networks to two routers. A router has 100 Gbit/s for 16 hosts. Networks have 2, 3 and 5 times as
    many hosts, in turns. RoCE that is routed (RoCEv2), so 1.5 us at each end; 0.5 % of readings are longer.
    """
    plane = Routed(_partly_used_leaves(hosts), RATE * max(1, hosts // 16), 3e-6, 11e-6)
    return Structure(hosts, plane, rate=np.full((hosts, 1), RATE / 4), position_latency=np.array([1.5e-6]), tail=0.005)


def _eight_sockets(ranks: int) -> Structure:
    """One host of 8 sockets, each joined to three others, so that two are one or two links apart (Wagner graph).

    As hosts with 8 Xeons by UPI, for large databases. A socket is two clusters of cores (SNC2).
    """
    socket, cluster = np.arange(ranks) * 8 // ranks, np.arange(ranks) * 16 // ranks
    around = (socket[:, None] - socket[None, :]) % 8
    links = np.array([0, 1, 2, 2, 1, 2, 2, 1])[around]
    kind = np.where(links > 0, links + 1, np.not_equal.outer(cluster, cluster))
    return Structure(
        1, OneSwitch(1), each=ranks,
        inside_latency=np.array([0.2e-6, 0.23e-6, 0.36e-6, 0.48e-6])[kind],
        inside_rate=np.array([11e9, 10e9, 6.5e9, 4.5e9])[kind],
    )  # fmt: skip


def _supernodes(hosts: int) -> Structure:
    """Half of the hosts, each of 4 core groups that share an adapter of 56 Gbit/s; a fourth as many uplinks, 4:1.

    As Sunway TaihuLight, whose supernodes have 256 hosts. Here they have 2 to 16, and at least one uplink; nothing
    blocks within one. Tables give each receiver one uplink.
    """
    count = max(8, hosts // 2)
    rate = 0.545 * RATE
    plane = FatTree(np.arange(count) // max(2, min(16, count // 4)), 4, "by receiver", rate)
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), rate),
        inside_latency=INSIDE_LATENCY + 0.1e-6 * (1 - np.eye(4)), inside_rate=np.full((4, 4), 16e9),
    )  # fmt: skip


def _eleven_to_nine(hosts: int) -> Structure:
    """Leaves of 22 hosts of 100 Gbit/s, or fewer in a small cluster, and 9 uplinks of 200 Gbit/s, one for a receiver.

    So 11:9, as Frontera of TACC, where two hosts share a port by a cable that splits (HDR100).
    """
    leaf = np.arange(hosts) // max(4, min(22, hosts // 4))
    return Structure(hosts, FatTree(leaf, 2.44, "by receiver", 2 * RATE))


def _gpus_of_two_generations(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 4 GPUs on two sockets, each with an adapter; one switch joins all.

    The first hosts, 30 to 70 %, are older and have 200 Gbit/s. As departments extend HGX servers of 4 A100 by such of 4
    H100 (NVIDIA Quantum-2). The GPUs of a socket share its adapter; for all of them NVLink is as in the older ones.
    """
    count = max(4, hosts // 2)
    old = np.arange(count) < max(2, round(count * random.uniform(0.3, 0.7)))
    return Structure(
        count, OneSwitch(2 * count), each=4, rails=2, one_plane=True, other_rail=0.0,
        rate=RATE * np.repeat(np.where(old, 2.0, 4.0)[:, None], 2, axis=1), processor=np.where(old, 2, 0),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 100e9),
    )  # fmt: skip


def _rank_per_numa_node(random: np.random.Generator) -> dict[str, Values]:
    """What 4 ranks pay on two sockets of two NUMA nodes each, of which the first has the adapter.

    The other socket takes 0.3 us longer and reaches 90 to 96 % of the rate.
    """
    longer, inside = _numa_places(4)
    return {"position_rate": np.repeat([1.0, random.uniform(0.9, 0.96)], 2), "position_latency": longer, **inside}


def _three_to_one(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of two AMD EPYC with 4 ranks; nothing blocks within a rack, and about 3:1 between racks.

    As Expanse of SDSC; 8 hosts here have 3 uplinks, adaptive. 1 % of readings are disturbed: two threads on each core.
    """
    leaf = _leaves(max(8, hosts // 2))
    size = np.bincount(leaf)
    plane = FatTree(leaf, size / (np.round(size / 3) + 0.5), "adaptive")
    return Structure(len(leaf), plane, each=4, hyperthreads=0.01, **_rank_per_numa_node(random))  # type: ignore[arg-type]


def _pruned_islands(hosts: int) -> Structure:
    """Four islands or more, which are trees 1:1; between islands 4:1. At each level a receiver has one uplink.

    As SuperMUC-NG of LRZ, with Omni-Path: the processor does the work of the adapter, which is on the first of two
    sockets. The rank on the other one takes 0.2 us longer and reaches 93 % of the rate, which is chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    island = leaf // max(1, (int(leaf[-1]) + 1) // 4)
    return replace(
        _far_socket(hosts, 2, 0.93, 0.2e-6),
        plane=Stacked(FatTree(leaf, 1, "by receiver"), FatTree(island, 4, "by receiver")),
    )  # fmt: skip


def _islands_of_gpus(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each. Islands of two racks, 1:1; 2:1 between islands.

    As the accelerated partition of MareNostrum 5 of BSC (NDR200, H100). All adapters of a rack are on one switch, which
    is chosen here. Adaptive.
    """
    count = max(8, hosts // 2)
    rack = np.repeat(np.arange(count) // max(2, min(8, count // 16 * 2)), 4)
    plane = Stacked(FatTree(rack, 1, "adaptive", 2 * RATE), FatTree(rack // 2, 2, "adaptive", 2 * RATE))
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 150e9),
    )  # fmt: skip


def _three_years(hosts: int) -> Structure:
    """InfiniBand of 100, 200 and 400 Gbit/s, a third of the racks of each; 2:1 by uplinks of their own speed, adaptive.

    As national and university clusters in phases, e.g. Snellius of SURF. The processors of the first year take 0.15 us
    longer for a message. Air cools the racks, and all becomes 4 % slower while they warm up.
    """
    leaf = np.arange(hosts) // max(4, min(16, hosts // 6))
    leaves = int(leaf[-1]) + 1
    year = np.arange(leaves) * 3 // leaves
    speed, old = RATE * np.array([1.0, 2.0, 4.0])[year], year[leaf] == 0
    return Structure(
        hosts, FatTree(leaf, 2, "adaptive", speed), rate=speed[leaf][:, None],
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 0), drift=0.04,
    )  # fmt: skip


def _campus_ethernet(hosts: int, random: np.random.Generator) -> Structure:
    """Ethernet (RoCE) of a campus: hosts of 25 Gbit/s and, a quarter to a half of them, newer ones of 100 Gbit/s.

    These stand wherever there was room. An uplink of 100 Gbit/s for 4 hosts; the switches choose one anew for each
    burst, by a hash (flowlets). 1.5 us at each end, and 0.3 us more on the older processors; 0.5 % of readings are
    longer, because switches pause senders.
    """
    new = random.permutation(np.arange(hosts) < round(hosts * random.uniform(0.25, 0.5)))
    return Structure(
        hosts, FatTree(_leaves(hosts), 4, "rehashed"), rate=RATE * np.where(new, 1.0, 0.25)[:, None],
        position_latency=np.array([1.5e-6]), overhead=np.where(new, 0.0, 0.3e-6), processor=np.where(new, 0, 2),
        tail=0.005,
    )  # fmt: skip


def _wide_uplinks(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each, and a leaf for each rail of each pod.

    A leaf has an uplink of 400 Gbit/s for two adapters, 1:1 or 3:2, so that two flows that a hash gives the same one do
    not slow each other. As ByteDance's MegaScale (Jiang et al., NSDI 2024). RoCE, 1.5 us at each end; 0.5 % of readings
    are longer, because switches pause senders.
    """
    count = max(4, hosts // 4)
    plane = FatTree(_leaf_per_rail(np.arange(count) // max(2, count // 4), 8), 2, "static", 4 * RATE)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 2 * RATE),
        position_latency=np.full(8, 1.5e-6), tail=0.005,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 250e9),
    )  # fmt: skip


def _dies_in_a_dragonfly(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, of 8 GPU dies; two share an adapter of 200 Gbit/s, each on a switch of its own.

    A Slingshot dragonfly, with a hop between the switches of a group; 20 to 40 % of the messages between groups take a
    detour. As Frontier of ORNL and LUMI-G of CSC; the groups of 2 hosts or a quarter of all are chosen here.
    """
    of_hosts = _dies(hosts)
    count = of_hosts.hosts
    plane = Dragonfly(4 * count, 4 * max(2, count // 8 * 2), random.uniform(0.2, 0.4), 2 * RATE)
    return replace(of_hosts, plane=plane, one_plane=True, other_rail=HOP)


def _numa_nodes_in_a_dragonfly(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, each two AMD EPYC of 4 NUMA nodes with a rank on each, and an adapter for each socket.

    The adapter, of 100 Gbit/s, is on the first node of a socket; ranks on the others take 0.06 us longer. The two are
    on different switches of a Slingshot dragonfly, with a hop between these; 20 to 40 % of the messages between groups
    take a detour. As ARCHER2 of EPCC; the groups of 2 hosts or a quarter of all are chosen here.
    """
    count = max(4, hosts // 4)
    return Structure(
        count, Dragonfly(2 * count, 2 * max(2, count // 8 * 2), random.uniform(0.2, 0.4)), each=8, rails=2,
        one_plane=True, other_rail=HOP, position_latency=np.where(np.arange(8) % 4 > 0, 0.06e-6, 0.0),
        **_numa_places(8)[1],  # type: ignore[arg-type]
    )  # fmt: skip


def _two_modules_in_a_dragonfly(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, 4 ranks each, in groups that are trees, a dragonfly+ of 200 Gbit/s.

    In the first half of the groups hosts have 4 GPUs and two adapters, in the others processors only and one adapter;
    there the other ports lead to storage. As MeluXina of LuxProvide and other modular systems of EuroHPC; the groups of
    2 to 8 hosts, and 20 to 40 % of the messages between groups that take a detour, are chosen here.
    """
    count = max(8, hosts // 2)
    plane = DragonflyPlus(2 * count, 2 * max(2, min(8, count // 8 * 2)), random.uniform(0.2, 0.4), 2 * RATE)
    group = plane.group[::2]
    return Structure(
        count, plane, each=4, rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE),
        single=2 * group >= plane.groups,
    )  # fmt: skip


def _units_of_interfaces(hosts: int) -> Structure:
    """Half of the hosts, of 4 groups of cores with a rank and an adapter each, in units of a torus, as Fugaku of RIKEN.

    All adapters of a host are on its router; cables and adapters do 6.8 GB/s. There a host has 6 such interfaces.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, UnitInterfaces(*_units(count), 4, 6.8e9), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 6.8e9), inside_latency=INSIDE_LATENCY + 0.1e-6 * (1 - np.eye(4)),
    )  # fmt: skip


def _machines_of_numa_nodes(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines as large as theirs, with a function of its adapter of 200 Gbit/s (SR-IOV).

    4 ranks each. As Azure's HBv3, with InfiniBand that does not block and adaptive routes; machines are wherever there
    was room, 2, 3 and 5 times as many behind a leaf. The hypervisor disturbs 0.3 % of readings.
    """
    group = random.permutation(_partly_used_leaves(max(8, hosts // 2)))
    return Structure(
        len(group), Sprayed(group, 0.0, 2 * RATE), each=4, rate=np.full((len(group), 1), 2 * RATE), hyperthreads=0.003,
        **_rank_per_numa_node(random),  # type: ignore[arg-type]
    )  # fmt: skip


def _six_gpus(hosts: int) -> Structure:
    """Half of the hosts, of 6 GPUs on two sockets, each with a port of 100 Gbit/s on a leaf of its own. 1:1 adaptive.

    As Summit of ORNL: racks of up to 18 hosts with two leaves, and director switches above, of which a line board joins
    some leaves; here those of two racks. NVLink joins the three GPUs of a socket, and the X bus the two sockets.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(18, count // 16 * 2))
    lower, upper = FatTree(_leaf_per_rail(rack, 2), 1, "adaptive"), FatTree(rack.repeat(2) // 2, 1, "adaptive")
    far = _in_other_parts(6, 3)
    return Structure(
        count, Stacked(lower, upper), each=6, rails=2, one_plane=True, other_rail=0.0,
        inside_latency=NVLINK_LATENCY + np.where(far, 0.4e-6, 0.0), inside_rate=np.where(far, 32e9, 50e9),
    )  # fmt: skip


def _four_ports_on_two_leaves(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 100 Gbit/s each; those of a socket are on the same leaf.

    So a chassis, of 2 to 9 hosts, has two leaves. 1:1, an uplink for each receiver. As TSUBAME 3 of Tokyo Tech, with
    Omni-Path and chassis of 9 hosts; which adapter is on which leaf is chosen here.
    """
    count = max(8, hosts // 2)
    chassis = max(4, count // 9)
    leaf = np.arange(4)[None, :] // 2 * chassis + (np.arange(count) * chassis // count)[:, None]
    far = _in_other_parts(4, 2)
    return Structure(
        count, DealtOut(leaf.ravel(), 1), each=4, rails=4, one_plane=True, other_rail=0.0,
        inside_latency=NVLINK_LATENCY + np.where(far, 0.2e-6, 0.0), inside_rate=np.where(far, 20e9, 40e9),
    )  # fmt: skip


def _older_racks_taper(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, 4 ranks each, two of which share an adapter of 100 Gbit/s or, in newer racks, of 200 Gbit/s.

    The first 50 to 75 % of the racks are the older ones: 3:1 between racks, or 4:1 for small ones. The newer ones are
    1:1, all adaptive. As ABCI 2.0 of AIST, whose hosts of 2021 have more GPUs and adapters, which is left out here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(8, count // 16 * 2))
    racks = int(rack[-1]) + 1
    old = np.arange(racks) < min(racks - 2, max(2, round(racks * random.uniform(0.5, 0.75))))
    speed = RATE * np.where(old, 1.0, 2.0)
    return Structure(
        count, FatTree(rack.repeat(2), np.where(old, 3, 1), "adaptive", speed), each=4, rails=2, one_plane=True,
        other_rail=0.0, rate=np.repeat(speed[rack][:, None], 2, axis=1), processor=np.where(old[rack], 2, 0),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 45e9),
    )  # fmt: skip


def _tapered_leaves(hosts: int, random: np.random.Generator) -> Structure:
    """2:1 at the leaves, nothing narrower above them; two leaves are a pod. A receiver has one uplink at each level.

    As the Cluster of JUWELS of FZ Juelich, with EDR, and two threads on each core: 1 % of readings are disturbed. 4
    ranks, two on each socket; those far from the adapter take 0.25 us longer and reach 90 to 97 % of the rate.
    """
    leaf = np.arange(hosts) // max(2, min(24, hosts // 8))
    return replace(
        _far_socket(hosts, 4, random.uniform(0.9, 0.97)), hyperthreads=0.01,
        plane=Stacked(FatTree(leaf, 2, "by receiver"), FatTree(leaf // 2, 2, "by receiver")),
    )  # fmt: skip


def _two_processors_on_chassis(hosts: int, random: np.random.Generator) -> Structure:
    """Groups of two chassis with two hosts on each router; the first quarter has Xeons, the others Xeon Phis.

    Of these, messages take 0.5 to 0.9 us longer and reach 75 to 85 % of the rate. As Cori of NERSC, a Cray XC40 with
    Aries, where each group of cabinets has one kind. 20 to 40 % of the messages between groups take a detour.
    """
    plane = Chassis(hosts, max(4, hosts // 32 * 4), random.uniform(0.2, 0.4))
    slow = 4 * plane.group >= plane.groups
    return Structure(
        hosts, plane, rate=RATE * np.where(slow, random.uniform(0.75, 0.85), 1.0)[:, None],
        overhead=np.where(slow, random.uniform(0.5e-6, 0.9e-6), 0.0),
    )  # fmt: skip


def _accelerated_processors(hosts: int) -> Structure:
    """A quarter of the hosts, of 4 processors that are GPUs too, each with two ranks and an adapter of 200 Gbit/s.

    As El Capitan of LLNL (AMD MI300A): a Slingshot dragonfly, of which the job has all groups, here four. Adapters of a
    host are on four switches, and routes follow the load. Infinity Fabric joins any two processors, 128 GB/s, of which
    90 are left for data.
    """
    count = max(4, hosts // 4)
    group = np.arange(count) // max(2, count // 8 * 2)
    place = places_in(group)
    switch = (place // 2 * 4)[:, None] + np.arange(4)[None, :]
    apart = _in_other_parts(8, 2)
    return Structure(
        count, Slingshot(np.repeat(group, 4), switch.ravel(), int(group[-1]) + 1, 2 * RATE), each=8, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.where(apart, 1.0e-6, 0.5e-6), inside_rate=np.where(apart, 90e9, 400e9),
    )  # fmt: skip


def _dies_on_routers(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of two sockets of two dies with a rank on each, in a torus of routers of two hosts.

    As Hopper of NERSC, a Cray XE6 with Gemini and AMD's Magny-Cours, of which the first die has the adapter of 6 GB/s.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, Gemini(count, _sides(count // 2), 6e9), each=4, rate=np.full((count, 1), 6e9),
        **_rank_per_numa_node(random),  # type: ignore[arg-type]
    )  # fmt: skip


def _half_as_many_uplinks(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; 2:1.

    As pods of 32 hosts with H200 and RoCE, which spare half of the spines because most messages stay within a rail of
    a pod. Switches choose an uplink anew for each burst, by a hash (dynamic load balancing). 1.5 us at each end; 0.3 %
    of readings are longer, because switches pause senders.
    """
    count = max(4, hosts // 4)
    plane = FatTree(_leaf_per_rail(np.arange(count) // max(2, min(32, count // 4)), 8), 2, "rehashed", 4 * RATE)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        position_latency=np.full(8, 1.5e-6), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _two_network_cards(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of two AMD EPYC of 4 NUMA nodes, and a card of 150 Gbit/s for each.

    A rank on each node; those that do not have the card take 0.06 us longer. As hpc7a.96xlarge of AWS, where EFA
    spreads packets over many ways. 7 us at each end; machines are in no order. 0.5 % of readings are longer.
    """
    count = max(4, hosts // 4)
    group = random.permutation(np.arange(count) // max(2, count // 4))
    beyond = np.where(np.arange(8) % 4 > 0, 0.06e-6, 0.0)
    return Structure(
        count, Sprayed(np.repeat(group, 2), 1e-6, 1.5 * RATE), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 1.5 * RATE), position_latency=7e-6 + beyond, tail=0.005,
        **_numa_places(8)[1],  # type: ignore[arg-type]
    )  # fmt: skip


def _bare_metal(hosts: int, random: np.random.Generator) -> Structure:
    """Bare metal of a cloud: 100 Gbit/s, RoCE, two sockets with a rank on each, 2, 3 and 5 times as many behind a leaf.

    1:1, a hash gives each pair an uplink (ECMP). As cluster networks of OCI with BM.Optimized3.36. The rank far from
    the adapter takes 0.25 us longer and reaches 92 to 98 % of its rate. 0.5 us at each end; 0.5 % of readings are
    longer, because switches pause senders.
    """
    return replace(
        _far_socket(hosts, 2), plane=FatTree(_partly_used_leaves(hosts), 1, "static"),
        position_rate=np.array([1.0, random.uniform(0.92, 0.98)]), position_latency=np.array([0.5e-6, 0.75e-6]),
        tail=0.005,
    )  # fmt: skip


def _bonds_of_two_generations(hosts: int, random: np.random.Generator) -> Structure:
    """Kubernetes on a campus: two bonded ports on a pair of leaves, of 25 Gbit/s or, in newer racks, of 100 Gbit/s.

    The newer ones are the last 30 to 60 %. A leaf has an uplink of twice the rate of its ports for 4 hosts, and a hash
    gives each flow one. TCP: a flow gets at most 40 Gbit/s, what one core does. 10 us at each end, 1 us more on the
    older processors, and a long tail. Pods use the network of their host.
    """
    rack = np.arange(hosts) // max(2, min(16, hosts // 8))
    racks = int(rack[-1]) + 1
    new = np.arange(racks) >= racks - min(racks - 2, max(2, round(racks * random.uniform(0.3, 0.6))))
    speed = RATE * np.where(new, 1.0, 0.25)
    plane = FatTree(_leaf_per_rail(rack, 2), 4, "static", 2 * np.tile(speed, 2))
    return Structure(
        hosts, plane, each=2, rails=2, one_plane=True, bonded=True, other_rail=0.0,
        rate=np.repeat(speed[rack][:, None], 2, axis=1),
        position_latency=np.full(2, 10e-6), overhead=np.where(new[rack], 0.0, 1e-6),
        processor=np.where(new[rack], 0, 2), interrupts=2e-6, group_rate=np.full((racks, racks), 0.4 * RATE),
    )  # fmt: skip


def _teaching(hosts: int, random: np.random.Generator) -> Structure:
    """A teaching cluster: one switch of 10 Gbit/s, TCP by the kernel, 10 us at each end, two ranks in each host.

    30 to 60 % of the hosts, wherever they stand, are older, and messages take 2 to 4 us longer there. Small messages
    wait for interrupts, and 1 % of readings are longer: users and the file server. All becomes 3 % slower while
    processors warm up and their clocks fall.
    """
    old = random.permutation(np.arange(hosts) < round(hosts * random.uniform(0.3, 0.6)))
    return Structure(
        hosts, OneSwitch(hosts), each=2, rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.full(2, 10e-6),
        overhead=np.where(old, random.uniform(2e-6, 4e-6), 0.0), processor=np.where(old, 2, 0),
        interrupts=2e-6, tail=0.01, drift=0.03,
    )  # fmt: skip


def _aggregated(hosts: int) -> Structure:
    """Edge switches of 40 Gbit/s with 7 hosts for each 2 uplinks, which count as one link to the core. RoCE.

    As the flexible fabric of Apt of the University of Utah: edge switches of 28 hosts, 3.5:1; there are two core
    switches, here they are one (MLAG). The first two thirds of the leaves have older processors, on which messages take
    0.3 us longer. 1 us at each end; 0.3 % of readings are longer, because switches pause senders.
    """
    leaf = np.arange(hosts) // max(4, min(28, hosts // 4))
    old = 3 * leaf < 2 * (leaf[-1] + 1)
    return Structure(
        hosts, LagCore(leaf, 3.5, 0.4 * RATE), rate=np.full((hosts, 1), 0.4 * RATE), position_latency=np.array([1e-6]),
        overhead=np.where(old, 0.3e-6, 0.0), processor=np.where(old, 2, 0), tail=0.003,
    )  # fmt: skip


def _single_uplinks(hosts: int) -> Structure:
    """Islands of 9 to 11 hosts, or fewer in a small cluster, with a single uplink of the rate of a host.

    As NEMO of the University of Freiburg, with Omni-Path: islands of 44 hosts with four uplinks, 11:1. The processor
    does the work of the adapter, which is on the first of two sockets; the rank on the other one takes 0.2 us longer
    and reaches 92 % of the rate, which is chosen here.
    """
    islands = max(min(4, hosts // 4), -(-hosts // 11))
    return replace(
        _far_socket(hosts, 2, 0.92, 0.2e-6), plane=FatTree(np.arange(hosts) * islands // hosts, 11, "by receiver"),
    )  # fmt: skip


def _newer_island(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 4 ranks on as many NUMA nodes, with 100 Gbit/s; an uplink of 200 Gbit/s for 8 hosts, 4:1.

    As Fritz of NHR@FAU: islands of 64 hosts with two Ice Lake (SNC2) and HDR100, one of them with Sapphire Rapids. This
    is the last one here; messages of the others take 0.1 us longer, which is chosen here, as is what the other socket
    pays. A receiver has one uplink.
    """
    leaf = _leaves(max(8, hosts // 2))
    old = leaf < leaf[-1]
    return Structure(
        len(leaf), FatTree(leaf, 8, "by receiver", 2 * RATE), each=4, overhead=np.where(old, 0.1e-6, 0.0),
        processor=np.where(old, 2, 0), **_rank_per_numa_node(random),  # type: ignore[arg-type]
    )  # fmt: skip


def _faster_in_each_leaf(hosts: int) -> Structure:
    """The last quarter of the hosts of each leaf has 200 Gbit/s, the others 100; an uplink of 200 Gbit/s for 3 hosts.

    So about 2:1, adaptive. As Noctua 2 of Paderborn, of 1:2: HDR100 for processors, HDR200 for hosts with GPUs; that
    these are in all racks is chosen here. A rank on each socket; the one far from the adapter takes 0.25 us longer and
    reaches 95 % of the rate.
    """
    leaf = _leaves(hosts)
    size = np.bincount(leaf)[leaf]
    place = places_in(leaf)
    rate = RATE * np.where(4 * place >= 3 * size, 2.0, 1.0)
    return replace(
        _far_socket(hosts, 2, 0.95), plane=FatTree(leaf, 3, "adaptive", 2 * RATE), rate=rate[:, None],
    )  # fmt: skip


def _one_superchip(hosts: int) -> Structure:
    """A rank on each host, 200 Gbit/s; an uplink of 400 Gbit/s for two hosts, 1:1. A receiver has one uplink.

    As Miyabi of JCAHPC (NDR200): 1,120 hosts of one superchip (GH200) and 190 of two Xeon Max, here the last one of
    four racks. What superchips send is in the memory of the GPU; messages take 0.4 us longer there, which is chosen
    here.
    """
    leaf = _leaves(hosts)
    superchip = 4 * leaf < 3 * (leaf[-1] + 1)
    return Structure(
        hosts, FatTree(leaf, 2, "by receiver", 4 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        overhead=np.where(superchip, 0.4e-6, 0.0), processor=np.where(superchip, 2, 0),
    )  # fmt: skip


def _two_joined_switches(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each: four are on one switch, four on the other.

    The two switches are joined directly, by half as many cables as each has adapters. As few DGX or HGX systems are
    joined without spines: two switches of 64 ports (QM9700) do for 10. Tables deal out the cables to the receivers.
    """
    count = max(4, hosts // 4)
    plane = DealtMesh(np.tile(np.arange(8) // 4, count), 2 * count, 4 * RATE)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _gpus_on_one_adapter(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs joined by NVLink, 100 GB/s for each two, that share an adapter of 200 Gbit/s.

    As Delta of NCSA (A100, Slingshot): one socket of 4 NUMA nodes, of which the one of the first GPU is taken to have
    the adapter; the other GPUs take 0.06 us longer. A job in unequal parts of 6 groups, with two hosts on a switch,
    which are chosen here. Routes follow the load.
    """
    count = max(8, hosts // 2)
    group = _partly_used_leaves(count)
    place = places_in(group)
    groups = max(6, int(group[-1]) + 1)
    return Structure(
        count, Slingshot(group, place // 2, groups, 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        position_latency=np.array([0.0, 0.06e-6, 0.06e-6, 0.06e-6]),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 100e9),
    )  # fmt: skip


def _torus_of_switches(hosts: int) -> Structure:
    """A rank and an adapter of 40 Gbit/s on each of two tori of switches that do not meet.

    As Gordon of SDSC, with QDR: a torus of 4 x 4 x 4 switches of 16 hosts each, of which three cables join any two
    neighbours. Switches of 2 hosts here, or of 4 from 32 hosts on, and a cable between neighbours.
    """
    plane = SwitchTorus(hosts, _sides(hosts // (2 if hosts < 32 else 4)), 0.4 * RATE)
    return Structure(hosts, plane, each=2, rails=2, rails_meet=False, rate=np.full((hosts, 2), 0.4 * RATE))


def _vector_engines(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 vector engines, four of which share an adapter of 200 Gbit/s, in a dragonfly+.

    As Earth Simulator 4 of JAMSTEC (SX-Aurora TSUBASA, HDR). An engine has 16 lanes of PCIe 3, so alone it gets 12
    GB/s, and two of an adapter do not slow each other. That four of a host are on a PCIe switch with their adapter, the
    groups of 2 hosts or a quarter of all, and 30 % of the messages between groups that take a detour, are chosen here.
    """
    count = max(4, hosts // 4)
    plane = DragonflyPlus(2 * count, 2 * max(2, count // 8 * 2), 0.3, 2 * RATE)
    far = _in_other_parts(8, 4)
    return Structure(
        count, plane, each=8, rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE),
        position_latency=np.full(8, 0.6e-6), group_rate=np.full((plane.groups, plane.groups), 12e9),
        inside_latency=np.where(far, 1.8e-6, 1.4e-6), inside_rate=np.where(far, 9e9, 11e9),
    )  # fmt: skip


def _two_zones(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs on PCIe that share an adapter of 200 Gbit/s; two zones, each a tree 1:1.

    As Fire-Flyer 2 of DeepSeek (SC 2024): zones of up to 800 hosts on QM8700, with few cables between them, here one
    for 8 hosts of a zone. A receiver has one uplink at each level. GPUs are joined in pairs by an NVLink bridge; the
    other pairs go by the processors. The second socket is far from the adapter: it takes 0.5 us longer and reaches 70 %
    of the rate, which is chosen here.
    """
    count = max(4, hosts // 4)
    leaf = np.arange(count) // max(2, min(20, count // 4))
    plane = Stacked(
        FatTree(leaf, 1, "by receiver", 2 * RATE), FatTree(2 * leaf // (leaf[-1] + 1), 8, "by receiver", 2 * RATE)
    )
    bridge, socket = np.arange(8) // 2, np.arange(8) // 4
    apart = _levels_apart(bridge, socket)
    return Structure(
        count, plane, each=8, rate=np.full((count, 1), 2 * RATE),
        position_rate=np.repeat([1.0, 0.7], 4), position_latency=np.repeat([0.0, 0.5e-6], 4),
        inside_latency=np.array([1e-6, 1.8e-6, 2.4e-6])[apart], inside_rate=np.array([250e9, 20e9, 13e9])[apart],
    )  # fmt: skip


def _private_networks(hosts: int) -> Structure:
    """A quarter of the hosts: machines of 8 GPUs, two of which share an adapter of 200 Gbit/s in a network of its own.

    As a3-highgpu-8g of Google Cloud: its adapters are in four networks (VPC) that do not meet, so messages to another
    one go to a GPU of that one first, by NVSwitch. TCP whose data the adapter writes to the GPU (GPUDirect-TCPX), 12 us
    at each end, with a tail. Flows change their uplink now and then (PLB); 1:1. Machines are placed compactly.
    """
    count = max(4, hosts // 4)
    return Structure(
        count, FatTree(np.arange(count) // max(2, count // 4), 1, "lingering", 2 * RATE), each=8, rails=4, relayed=True,
        other_rail=NVLINK_LATENCY, rate=np.full((count, 4), 2 * RATE), position_latency=np.full(8, 12e-6),
        interrupts=2e-6, tail=0.005,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


HYBRID_CUBE_MESH = dict.fromkeys([(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)], 1) | dict.fromkeys(
    [(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)], 2
)  # links between the GPUs of a DGX-1 with V100


def _hybrid_cube_mesh(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter of 100 Gbit/s; 1:1 adaptive.

    As DGX-1 with V100, e.g. SATURNV of NVIDIA; that all adapters of a rack of 2 to 8 hosts are on one switch is chosen
    here. A GPU has six links of 25 GB/s, of which 22 are left for data, to four others of its host: one or two to each.
    Messages to the three others go by PCIe and the processors.
    """
    count = max(4, hosts // 4)
    rack, links = np.arange(count) // max(2, min(8, count // 4)), _links(HYBRID_CUBE_MESH, 8)
    return Structure(
        count, FatTree(np.repeat(rack, 4), 1, "adaptive"), each=8, rails=4, one_plane=True, other_rail=0.0,
        inside_latency=np.where(links > 0, NVLINK_LATENCY, 2.2e-6), inside_rate=np.where(links > 0, 22e9 * links, 9e9),
    )  # fmt: skip


def _sixteen_core_switches(hosts: int) -> Structure:
    """200 Gbit/s, and a leaf of 24 hosts, or fewer in a small cluster, has 16 uplinks: 3:2, or 2:1 for small leaves.

    As Lonestar6 of TACC (HDR), of 16 core switches. A receiver has one uplink. A rank on each of two AMD EPYC; the one
    far from the adapter takes 0.25 us longer and reaches 95 % of the rate. Both are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(24, hosts // 4))
    return replace(
        _far_socket(hosts, 2, 0.95),
        plane=FatTree(leaf, 1.5, "by receiver", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
    )  # fmt: skip


def _nine_dimensions(hosts: int) -> Structure:
    """A hypercube of 200 Gbit/s, with a rank on each of two AMD EPYC.

    As Hawk of HLRS (HDR), an enhanced hypercube of nine dimensions with 16 hosts on each switch, where the higher
    dimensions are narrower; here all but the first one are half as wide. Switches of 2 hosts, or of 4 from 32 hosts on.
    The rank far from the adapter takes 0.3 us longer and reaches 92 % of the rate, which is chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.92, 0.3e-6), plane=EnhancedHypercube(hosts, 2 if hosts < 32 else 4, 2 * RATE),
        rate=np.full((hosts, 1), 2 * RATE),
    )  # fmt: skip


def _processors_in_a_dragonfly(hosts: int) -> Structure:
    """A Slingshot dragonfly of 200 Gbit/s, and a rank on each of two AMD EPYC that share an adapter.

    As Dardel of PDC at KTH, whose hosts with processors have one adapter. Routes follow the load. A job in most of 8
    groups, or in few where it is small, with two hosts on a switch; this, and that the rank far from the adapter takes
    0.25 us longer and reaches 95 % of the rate, is chosen here. Two threads on each core: 0.5 % of readings are
    disturbed.
    """
    group = np.arange(hosts) // max(4, min(32, hosts // 6))
    plane = Slingshot(group, places_in(group) // 2, max(8, int(group[-1]) + 1), 2 * RATE)
    return replace(
        _far_socket(hosts, 2, 0.95), plane=plane, rate=np.full((hosts, 1), 2 * RATE), hyperthreads=0.005,
    )  # fmt: skip


def _six_spines(hosts: int) -> Structure:
    """TCP by the kernel over 10 Gbit/s; a leaf has an uplink of 40 Gbit/s for 8 hosts, 2:1, each to a spine of its own.

    As CloudLab's cluster at Wisconsin: leaves of 48 ports (Cisco Nexus 3172) and six spines. A hash gives each pair an
    uplink. 10 us at each end; readings of small messages have a long tail, and 0.5 % of all are longer.
    """
    leaf = np.arange(hosts) // max(4, min(48, hosts // 4))
    return Structure(
        hosts, FatTree(leaf, 8, "static", 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        position_latency=np.array([10e-6]), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _two_stages(hosts: int) -> Structure:
    """Two islands, each a tree 1:1, of 100 Gbit/s; the first has older processors. Switches are joined by 200 Gbit/s.

    As Lichtenberg II of TU Darmstadt (HDR100): stage 1 has Cascade Lake, stage 2 Sapphire Rapids. 4:1 between them, an
    uplink for each receiver at each level, and the 0.15 us that messages take longer on the older ones are chosen here;
    so is the rank on the second socket, which takes 0.2 us longer and reaches 94 % of the rate.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    island = 2 * leaf // (leaf[-1] + 1)
    plane = Stacked(FatTree(leaf, 2, "by receiver", 2 * RATE), FatTree(island, 8, "by receiver", 2 * RATE))
    return replace(
        _far_socket(hosts, 2, 0.94, 0.2e-6), plane=plane,
        overhead=np.where(island == 0, 0.15e-6, 0.0), processor=np.where(island == 0, 2, 0),
    )  # fmt: skip


def _director_of_islands(hosts: int) -> Structure:
    """Islands of up to 32 hosts on one director switch, 8:1; the last quarter of them has 56 Gbit/s, the others 100.

    As Graham of the Digital Research Alliance of Canada: EDR for hosts with processors only, FDR for those with two
    GPUs, which have the same processors. Uplinks are as fast as the hosts of their island; a receiver has one up and
    one down. Nothing blocks within an island. The rank far from the adapter takes 0.2 us longer and reaches 95 % of the
    rate, and 0.3 % of readings are disturbed, which is chosen here.
    """
    island = np.arange(hosts) // max(4, min(32, hosts // 4))
    islands = int(island[-1]) + 1
    speed = RATE * np.where(np.arange(islands) >= islands - max(1, islands // 4), 0.545, 1.0)
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6),
        plane=OneCore(island, 8, speed), rate=speed[island][:, None], hyperthreads=0.003,
    )  # fmt: skip


def _island_of_gpus(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each that share an adapter. Four islands, each a tree 1:1, and 3:1 above them.

    Adaptive. Hosts of the last island have 4 GPUs and 200 Gbit/s, the others processors only and 100 Gbit/s. As Raven
    of MPCDF (HDR), of islands that do not block and a pruned tree above them. The taper, and that messages of GPUs take
    0.4 us longer, are chosen here. The second socket is far from the adapter: 0.25 us longer and 94 % of the rate.
    Within a host all go by the memory of the processors.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // max(2, min(20, count // 16 * 2))
    leaves = int(leaf[-1]) + 1
    island = np.arange(leaves) * 4 // leaves
    speed = RATE * np.where(np.arange(4) == 3, 2.0, 1.0)
    gpus = island[leaf] == 3
    size = np.bincount(island[leaf])
    upper = FatTree(island[leaf], size / (np.maximum(1, np.round(size / 3)) + 0.5), "adaptive", speed)
    plane = Stacked(FatTree(leaf, 1, "adaptive", speed[island]), upper)
    return replace(
        _far_socket(count, 4, 0.94), plane=plane, rate=speed[island[leaf]][:, None],
        overhead=np.where(gpus, 0.4e-6, 0.0), processor=np.zeros(count, np.int64),
    )  # fmt: skip


def _two_gpus_on_each_rail(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 4 GPUs joined by NVLink, 100 GB/s for each two, and two adapters of 200 Gbit/s.

    Two GPUs share an adapter. As Polaris of ALCF (A100, Slingshot), with one socket of 4 NUMA nodes. The adapters are
    on two switches of a dragonfly, with a hop between these; 20 to 40 % of the messages between groups take a detour.
    Groups of 2 hosts or a quarter of all, and the 0.06 us that the second GPU of an adapter takes longer, are chosen
    here.
    """
    count = max(8, hosts // 2)
    plane = Dragonfly(2 * count, 2 * max(2, count // 8 * 2), random.uniform(0.2, 0.4), 2 * RATE)
    return Structure(
        count, plane, each=4, rails=2, one_plane=True, other_rail=HOP, rate=np.full((count, 2), 2 * RATE),
        position_latency=np.tile([0.0, 0.06e-6], 2),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 100e9),
    )  # fmt: skip


def _ports_on_both_leaves(hosts: int) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs and two cards with two ports of 100 Gbit/s each. RoCE.

    Two GPUs share a port; the two ports of a card are on the two leaves of the rack. As Vela of IBM (A100): 6 machines
    in a rack, or fewer here, and 8 uplinks of 100 Gbit/s for the 12 ports of a leaf, 3:2, or 2:1 for small racks; a
    hash gives each two ports one. The second card is on the other socket, as near to its GPUs. 2 us at each end; 0.3 %
    of readings are longer, because switches pause senders.
    """
    count = max(4, hosts // 4)
    rack = np.arange(count) // max(2, min(6, count // 4))
    leaf = np.arange(4)[None, :] % 2 * (rack[-1] + 1) + rack[:, None]
    return Structure(
        count, FatTree(leaf.ravel(), 1.5, "static"), each=8, rails=4, one_plane=True, other_rail=0.0,
        position_latency=np.full(8, 2e-6), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 250e9),
    )  # fmt: skip


def _two_tiles_on_each_rail(hosts: int) -> Structure:
    """A quarter of the hosts, of 4 GPUs of two tiles with a rank each, and an adapter of 200 Gbit/s for each GPU.

    1:1 adaptive. As Dawn of Cambridge (Intel Max 1550, HDR). All adapters of a rack of 2 to 8 hosts are on one leaf,
    which is chosen here. Between tiles of a GPU 190 GB/s, between GPUs 30 GB/s by Xe Link, which joins each to each;
    the second tile is further from the adapter, by 0.1 us.
    """
    count = max(4, hosts // 4)
    rack, gpu = np.arange(count) // max(2, min(8, count // 4)), np.arange(8) // 2
    far = np.not_equal.outer(gpu, gpu)
    return Structure(
        count, FatTree(np.repeat(rack, 4), 1, "adaptive", 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), position_latency=np.tile([0.0, 0.1e-6], 4),
        inside_latency=np.where(far, 1.5e-6, 0.8e-6), inside_rate=np.where(far, 30e9, 190e9),
    )  # fmt: skip


def _two_meshes(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 accelerators with an adapter of 100 Gbit/s each; 1:1, a hash gives each two one way.

    As Atlas 900 of Huawei (Ascend 910), e.g. Cloud Brain II of Peng Cheng Laboratory: links of 30 GB/s, of which 25 are
    left for data, join each to each of four accelerators (HCCS), and the two fours go by PCIe and the processors. All
    adapters of a rack of 2 to 4 hosts are on one leaf, which is chosen here. RoCE, 1.5 us at each end; 0.3 % of
    readings are longer, because switches pause senders.
    """
    count = max(4, hosts // 4)
    rack, mesh = np.arange(count) // max(2, min(4, count // 4)), np.arange(8) // 4
    far = np.not_equal.outer(mesh, mesh)
    return Structure(
        count, FatTree(np.repeat(rack, 8), 1, "static"), each=8, rails=8, one_plane=True, other_rail=0.0,
        position_latency=np.full(8, 1.5e-6), tail=0.003,
        inside_latency=np.where(far, 3e-6, 1.5e-6), inside_rate=np.where(far, 12e9, 25e9),
    )  # fmt: skip


def _whole_machines(hosts: int) -> Structure:
    """Half of the hosts: virtual machines as large as theirs, of 200 Gbit/s, with 4 ranks on as many NUMA nodes. TCP.

    As h3-standard-88 of Google Cloud, placed compactly. A flow gets at most 32 Gbit/s, what one core does, so that four
    do not fill the adapter. Racks of 2 to 8 machines, 1:1; flows change their uplink now and then (PLB). 12 us at each
    end, with a long tail; 0.5 % of readings are longer. All but the machine and its rate are chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(8, count // 8 * 2))
    racks, (longer, inside) = int(rack[-1]) + 1, _numa_places(4)
    return Structure(
        count, FatTree(rack, 1, "lingering", 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        position_latency=12e-6 + longer, interrupts=3e-6, tail=0.005,
        group_rate=np.full((racks, racks), 0.32 * RATE), **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _small_cores(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each; a core does 55 % of the rate of the adapter, so only several ranks fill it.

    As Oakforest-PACS of JCAHPC (Xeon Phi 7250, Omni-Path), where the processor does the work of the adapter: leaves of
    24 hosts, 1:1. A receiver has one uplink. The 55 %, and 0.7 us at each end, are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // max(2, min(24, count // 4))
    leaves = int(leaf[-1]) + 1
    return Structure(
        count, FatTree(leaf, 1, "by receiver"), each=4, processor=np.ones(count, np.int64),
        position_latency=np.full(4, 0.7e-6), group_rate=np.full((leaves, leaves), 0.55 * RATE),
        inside_latency=np.full((4, 4), 0.9e-6), inside_rate=np.full((4, 4), 5e9),
    )  # fmt: skip


def _full_leaves_and_pairs(hosts: int) -> Structure:
    """Half of the hosts fill leaves, of up to 16; the others are two by two behind leaves that other jobs use too.

    As a scheduler completes a job with what is free, here on HoreKa of KIT (HDR), which does not block. Adaptive. Hosts
    are numbered by leaf, those of the full leaves in the middle. The rank far from the adapter takes 0.25 us longer and
    reaches 95 % of the rate, which is chosen here.
    """
    size, begin = min(16, hosts // 2), hosts // 8 * 2
    sizes = [*[2] * (begin // 2), *[size] * (hosts // 2 // size)]
    leaf = np.repeat(np.arange(len(sizes)), sizes)
    rest = len(sizes) + np.arange(hosts - len(leaf)) // 2
    rest -= (rest == rest[-1]) & (np.bincount(rest)[-1] == 1)
    return replace(
        _far_socket(hosts, 2, 0.95), plane=FatTree(np.concatenate([leaf, rest]), 1, "adaptive", 2 * RATE),
        rate=np.full((hosts, 1), 2 * RATE),
    )  # fmt: skip


def _research_cloud(hosts: int) -> Structure:
    """4 ranks in each host share an adapter of 25 Gbit/s. RoCE, 1 us at each end.

    An uplink of 100 Gbit/s for 8 hosts, 2:1, or for 4 in a small cluster; a hash gives each pair one. As the Ethernet
    of Spartan of the University of Melbourne; the ratio is chosen here, and so is the second socket, which takes 0.3 us
    longer. 0.3 % of readings are longer, because switches pause senders.
    """
    far = np.arange(4) >= 2
    return Structure(
        hosts, FatTree(np.arange(hosts) // max(4, min(32, hosts // 4)), 8, "static"), each=4,
        rate=np.full((hosts, 1), RATE / 4), position_latency=np.where(far, 1.3e-6, 1e-6), tail=0.003,
        inside_latency=_across_sockets(far),
    )  # fmt: skip


def _short_of_pcie(hosts: int) -> Structure:
    """One switch; adapters say 400 Gbit/s, but 16 lanes of PCIe 4 do 252. Two ranks, one on each socket.

    As groups buy NDR adapters for servers of the generation before PCIe 5, e.g. with AMD EPYC 7003. The rank far from
    the adapter takes 0.3 us longer and reaches 92 % of that rate, which is chosen here. All hosts are the same.
    """
    return replace(
        _far_socket(hosts, 2, 0.92, 0.3e-6), rate=np.full((hosts, 1), 2.52 * RATE),
        nominal=np.full((hosts, 1), 4 * RATE),
    )  # fmt: skip


def _behind_processors_of_adapters(hosts: int) -> Structure:
    """Bare metal of a cloud: 100 Gbit/s, two ranks; hosts of every second rack are behind a DPU that switches for them.

    There all packets pass the cores of the DPU (BlueField-2, as the function that the provider owns): 0.9 us longer at
    each end, and what a host sends and what it receives share 130 Gbit/s. The others have plain adapters. Hosts say
    nothing of it. 2:1, a hash gives each pair an uplink. All numbers are chosen here. RoCE; 0.3 % of readings are
    longer, because switches pause senders.
    """
    rack = np.arange(hosts) // max(2, min(12, hosts // 8))
    behind = rack % 2 == 1
    return Structure(
        hosts, Threads(rack, 2, RATE, RATE * np.where(behind, 1.3, 2.0)), each=2,
        position_latency=np.full(2, 0.5e-6), overhead=np.where(behind, 0.9e-6, 0.0),
        processor=np.zeros(hosts, np.int64), tail=0.003,
    )  # fmt: skip


def _slower_within(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod.

    A link of 64 GB/s, of which 48 are left for data, joins any two GPUs of a host (MI300X, Infinity Fabric), so that
    messages within it are hardly faster than those between hosts. 1:1, a hash gives each two adapters one uplink. As
    BM.GPU.MI300X.8 of OCI; the leaves are chosen here. RoCE, 1.5 us at each end; 0.3 % of readings are longer, because
    switches pause senders.
    """
    count = max(4, hosts // 4)
    plane = FatTree(_leaf_per_rail(np.arange(count) // max(2, min(32, count // 4)), 8), 1, "static", 4 * RATE)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        position_latency=np.full(8, 1.5e-6), tail=0.003,
        inside_latency=np.full((8, 8), 1.8e-6), inside_rate=np.full((8, 8), 48e9),
    )  # fmt: skip


def _three_gpus(hosts: int) -> Structure:
    """Half of the hosts, of 3 GPUs with a rank each and two adapters of 40 Gbit/s, each on a tree of its own, 1:1.

    The first two GPUs share the first adapter. A message leaves by the adapter of the rail of its receiver, so some
    cross to the other chip set (IOH) first, which takes 0.4 us. As TSUBAME 2.5 of Tokyo Tech (K20X, QDR). A receiver
    has one uplink; leaves of up to 16 hosts. Between GPUs messages go by PCIe 2.
    """
    count = max(8, hosts // 2)
    chips = np.array([0, 0, 1])
    far = np.not_equal.outer(chips, chips)
    return Structure(
        count, FatTree(np.arange(count) // max(2, min(16, count // 4)), 1, "by receiver", 0.4 * RATE), each=3, rails=2,
        relayed=True, other_rail=0.4e-6, rate=np.full((count, 2), 0.4 * RATE), position_latency=np.full(3, 1.2e-6),
        inside_latency=np.where(far, 2.6e-6, 1.9e-6), inside_rate=np.where(far, 3.2e9, 5.2e9),
    )  # fmt: skip


def _deep_buffers(hosts: int) -> Structure:
    """25 Gbit/s, RoCE; every second leaf has a switch of deep buffers, which takes 2.5 us longer than the others.

    As a data centre that has bought switches of two makes, such as Arista's 7280 beside its 7060. Leaves of 2 to 12
    hosts; an uplink of 100 Gbit/s for 8, or for fewer in a small cluster, of which a hash gives each pair one. 1.5 us
    at each end; 0.3 % of readings are longer, because switches pause senders.
    """
    leaf = np.arange(hosts) // max(2, min(12, hosts // 8))
    longer = np.where(np.arange(int(leaf[-1]) + 1) % 2 == 1, 2.5e-6, 0.0)
    return Structure(
        hosts, UnlikeLeaves(leaf, 8, "static", RATE, longer), rate=np.full((hosts, 1), RATE / 4),
        position_latency=np.array([1.5e-6]), tail=0.003,
    )  # fmt: skip


def _spines_in_two_buildings(hosts: int) -> Structure:
    """25 Gbit/s, RoCE; half of the leaves, and every second spine, stand in a building 400 m away: 2 us.

    So messages between leaves of one building take 4 us longer where a hash chose a spine of the other one for them. As
    hospitals and banks spread one network over two buildings, for safety. Leaves of 2 to 16 hosts have two uplinks of
    100 Gbit/s, or four from 16 hosts on. 1.5 us at each end.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    leaves, size = int(leaf[-1]) + 1, np.bincount(leaf)
    plane = TwoBuildings(leaf, size / (np.where(size < 16, 2, 4) + 0.5), 1 * (2 * np.arange(leaves) >= leaves), 2e-6)
    return Structure(
        hosts, plane, rate=np.full((hosts, 1), RATE / 4), position_latency=np.array([1.5e-6]),
    )  # fmt: skip


def _closed_along_one(hosts: int) -> Structure:
    """A grid in three dimensions of which only the first one is closed; two ranks in each host.

    As Red Storm of Sandia (Cray XT3, SeaStar), a mesh of 27 x 20 x 24 that was closed in one dimension, so that parts
    could be switched over between two networks. Hosts do 2.1 GB/s and cables 2.5; 2 us at each end.
    """
    return Structure(
        hosts, ClosedAlongOne(_sides(hosts), 2.5e9), each=2, rate=np.full((hosts, 1), 2.1e9),
        position_latency=np.full(2, 2e-6),
    )  # fmt: skip


def _rows_and_columns(hosts: int) -> Structure:
    """Hosts without switches, each joined to all of its row and all of its column by cables of 200 Gbit/s.

    The grid is as square as can be. As UB-Mesh of Huawei (2025), where this is done in more dimensions and hosts are
    accelerators; there also detours are taken, here only the way along the row first.
    """
    columns = next(side for side in range(int(hosts**0.5 + 0.5), hosts + 1) if hosts % side == 0)
    return Structure(
        hosts, RowsAndColumns(hosts // columns, columns, 2 * RATE), each=2, rate=np.full((hosts, 1), 2 * RATE)
    )


def _four_planes(hosts: int) -> Structure:
    """An adapter of 400 Gbit/s split into four ports of 100, each on a tree of its own; all messages use all four.

    As OCI's multiplanar network (2025), and others whose adapters spread each message over planes. So what is slow on
    one plane makes the others wait. 1:1, and packets are spread over all uplinks of a plane. Two ranks in each host.
    RoCE, 1 us at each end; 0.3 % of readings are longer.
    """
    leaf = np.arange(hosts) // max(4, min(32, hosts // 4))
    return Structure(
        hosts, FatTree(leaf, 1, "adaptive"), each=2, rails=4, striped=True, other_rail=0.0,
        position_latency=np.full(2, 1e-6), tail=0.003,
    )  # fmt: skip


def _three_processors(hosts: int) -> Structure:
    """100 Gbit/s everywhere, but a third of the racks has each of three processors. 7:5, or up to 2:1 for small leaves.

    As Stampede3 of TACC, whose Omni-Path joins hosts with Skylake, Ice Lake and Sapphire Rapids, 28 behind a leaf. The
    processor does the work of the adapter: a message takes 0.25 us longer on the oldest and 0.12 us on the next ones,
    which is chosen here. The rank far from the adapter takes 0.2 us longer and reaches 94 % of the rate. A receiver has
    one uplink.
    """
    leaf = np.arange(hosts) // max(2, min(28, hosts // 8))
    kind = leaf * 3 // (leaf[-1] + 1)
    return replace(
        _far_socket(hosts, 2, 0.94, 0.2e-6), plane=FatTree(leaf, 1.4, "by receiver"),
        overhead=np.array([0.25e-6, 0.12e-6, 0.0])[kind], processor=np.array([0, 3, 4])[kind],
    )  # fmt: skip


def _newer_hosts_on_the_switch(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share an adapter; one switch joins all.

    The first five eighths have 100 Gbit/s (HDR100, by cables that split), the newer ones 200 (NDR200). As departments
    extend a cluster while its switch has free ports. On the older processors messages take 0.1 us longer; the second
    socket reaches 93 % of the rate. Both are chosen here.
    """
    count = max(4, hosts // 4)
    old = 8 * np.arange(count) < 5 * count
    longer, inside = _numa_places(8)
    return Structure(
        count, OneSwitch(count), each=8, rate=RATE * np.where(old, 1.0, 2.0)[:, None],
        overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 2, 0),
        position_rate=np.repeat([1.0, 0.93], 4), position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _narrow_slots(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each, and two adapters of 100 Gbit/s in slots of 8 lanes of PCIe 3, 63 Gbit/s each.

    One switch joins all, and all messages use both adapters, one of each socket, as UCX does by default. As dense
    servers, four in a chassis, that have no wider slots. Ranks of both sockets are as near to the two.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, OneSwitch(count), each=4, rails=2, striped=True, other_rail=0.0, rate=np.full((count, 2), 0.63 * RATE),
        nominal=np.full((count, 2), RATE), position_latency=np.full(4, 0.15e-6),
        inside_latency=_across_sockets(np.arange(4) // 2), inside_rate=np.where(far, 8e9, 12e9),
    )  # fmt: skip


def _older_slots(hosts: int, random: np.random.Generator) -> Structure:
    """All adapters say 200 Gbit/s, but in the first 35 to 65 % of the racks hosts have PCIe 3 and reach 126. Adaptive.

    As a university that buys one kind of adapter (HDR) for hosts with Cascade Lake and with newer processors. On the
    older ones messages take 0.15 us longer. An uplink of 200 Gbit/s for two hosts. Of two ranks, the one far from the
    adapter takes 0.25 us longer and reaches 95 % of the rate. All but the two rates is chosen here.
    """
    rack = np.arange(hosts) // max(2, min(16, hosts // 8))
    racks = int(rack[-1]) + 1
    old = rack < round(racks * random.uniform(0.35, 0.65))
    return replace(
        _far_socket(hosts, 2, 0.95), plane=FatTree(rack, 2, "adaptive", 2 * RATE),
        rate=RATE * np.where(old, 1.26, 2.0)[:, None], nominal=np.full((hosts, 1), 2 * RATE),
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 0),
    )  # fmt: skip


def _gigabit(hosts: int) -> Structure:
    """1 Gbit/s, TCP by the kernel; half of the hosts, 4 ranks each, on switches with one cable of 10 Gbit/s to a core.

    As rooms for teaching and laboratories, where hosts have what is on their boards: 24 behind a switch, 2.4:1, or
    fewer, so that nothing blocks. 20 us at each end, because adapters gather interrupts; readings of small messages
    have a long tail, and 0.5 % of all are longer: users and the file server.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // max(2, min(24, count // 4))
    return Structure(
        count, OneCore(leaf, 24, 0.1 * RATE), each=4, rate=np.full((count, 1), 0.01 * RATE),
        position_latency=np.full(4, 20e-6), interrupts=3e-6, tail=0.005,
    )  # fmt: skip


def _two_trees(hosts: int) -> Structure:
    """Two trees 1:1: five eighths of the hosts have 400 Gbit/s, the others 200; two ranks in each. Adaptive.

    As Vista of TACC: hosts with a superchip (GH200, NDR) and hosts with two processors (Grace, NDR200), in separate
    trees of switches of 400 Gbit/s. That these are joined, by a cable for 4 hosts, is chosen here. The processors say
    the same name. Messages within a host go by the memory of the processors.
    """
    leaf = np.arange(hosts) // max(2, min(32, hosts // 8))
    leaves = int(leaf[-1]) + 1
    slower = 8 * np.arange(leaves) >= 5 * leaves
    lower = FatTree(leaf, np.where(slower, 2, 1), "adaptive", 4 * RATE)
    upper = FatTree(1 * slower[leaf], 4, "adaptive", 4 * RATE)
    return Structure(
        hosts, Stacked(lower, upper), each=2, rate=RATE * np.where(slower[leaf], 2.0, 4.0)[:, None],
        inside_rate=np.full((2, 2), 40e9),
    )  # fmt: skip


def _two_large_machines(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines with 4 ranks, two on each machine of 100 Gbit/s, which are in no order.

    As large ones of Jetstream2 of Indiana University (OpenStack). Between machines packets go by tunnels (Geneve),
    which the adapter unpacks: 3 us longer, and 30 Gbit/s for each flow. TCP, 12 us at each end, with a long tail, and
    0.5 % of readings are longer. An uplink of 100 Gbit/s for two machines, 2:1; a hash gives each flow one. All but the
    machines is chosen here.
    """
    machines = max(4, hosts // 4)
    leaf = random.permutation(np.arange(machines) // max(2, machines // 4)).repeat(2)
    return Structure(
        2 * machines, FatTree(leaf, 4, "static"), each=4, guests=2, tunnel=3e-6, tunnel_rate=0.3 * RATE,
        position_latency=np.full(4, 12e-6), interrupts=3e-6, tail=0.005,
    )  # fmt: skip


def _numa_nodes_by_load(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each, and an adapter of 200 Gbit/s on the first one.

    As Crossroads of LANL: two Xeon Max of 4 nodes (SNC4), Slingshot. A job in 2, 3 and 5 times as many hosts of a
    group, in turns, of 8 groups; the first two hosts of a group share a switch. Routes follow the load. The second
    socket reaches 92 % of the rate, which is chosen here as the job is.
    """
    group = _partly_used_leaves(max(8, hosts // 4))
    longer, inside = _numa_places(8)
    plane = Slingshot(group, np.maximum(places_in(group), 1), 8, 2 * RATE)
    return Structure(
        len(group), plane, each=8, rate=np.full((len(group), 1), 2 * RATE), processor=np.full(len(group), 4),
        position_rate=np.repeat([1.0, 0.92], 4), position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _one_group(hosts: int) -> Structure:
    """Switches of 2 to 16 hosts of 200 Gbit/s, any two joined by a cable for each 4 hosts of one. Routes by load.

    As a small HPE Cray EX with Slingshot, which is a single group of a dragonfly. Two ranks in each host; the one far
    from the adapter takes 0.25 us longer and reaches 95 % of the rate, which is chosen here.
    """
    size = max(2, min(16, hosts // 8))
    plane = MeshByLoad(np.arange(hosts) // size, max(1, size // 4), 2 * RATE)
    return replace(_far_socket(hosts, 2, 0.95), plane=plane, rate=np.full((hosts, 1), 2 * RATE))


def _pods_of_two_generations(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter each, and a leaf for each rail of each pod; 1:1 adaptive.

    The pods of the first half have 200 Gbit/s, the others 400, and all meet at the same spines. As HiPerGator of the
    University of Florida and others extend DGX A100 by newer ones; NVSwitch is as in the older ones for all.
    """
    count = max(4, hosts // 4)
    pod = np.arange(count) // max(2, count // 4)
    old = 2 * np.arange(int(pod[-1]) + 1) < pod[-1] + 1
    speed = RATE * np.where(old, 2.0, 4.0)
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", np.tile(speed, 8)), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.repeat(speed[pod][:, None], 8, axis=1), processor=np.where(old[pod], 2, 0),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 250e9),
    )  # fmt: skip


def _one_way_rings(hosts: int) -> Structure:
    """A torus in two dimensions of rings that lead one way; hosts do 300 MB/s and rings twice as much. Two ranks each.

    As clusters with Dolphin's SCI, e.g. the hpcLine of Paderborn (PC2). There an adapter sends by a PCI bus, and a
    packet returns to its sender as an echo, which is left out here. 1 us at each end.
    """
    return Structure(
        hosts, OneWayRings(_sides(hosts, 2), 600e6), each=2, rate=np.full((hosts, 1), 300e6),
        position_latency=np.full(2, 1e-6), inside_rate=np.full((2, 2), 400e6),
    )  # fmt: skip


def _two_fabrics(hosts: int) -> Structure:
    """Half of the racks have 56 Gbit/s, the others 100: two networks of InfiniBand, 2:1, that do not meet.

    Messages to the other one go by Ethernet, 10 Gbit/s and TCP by the kernel, 28 us longer. As Palmetto of Clemson,
    whose phases have networks of their own. Two ranks in each host, a receiver has one uplink; what is older takes 0.2
    us longer. The numbers are chosen here. What is slow of a host's adapter hardly shows by Ethernet.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    leaves = int(leaf[-1]) + 1
    new = 2 * np.arange(leaves) >= leaves
    speed = RATE * np.where(new, 1.0, 0.545)
    return Structure(
        hosts, TwoFabrics(leaf, 1 * new[leaf], 2, speed, 0.1 * RATE, 28e-6), each=2, rate=speed[leaf][:, None],
        overhead=np.where(new[leaf], 0.0, 0.2e-6), processor=np.where(new[leaf], 0, 2),
    )  # fmt: skip


def _two_ports_of_one_leaf(hosts: int) -> Structure:
    """2 GPUs with an adapter of 56 Gbit/s each, both on the leaf of the rack. 1:1, a receiver has one uplink.

    As Reedbush-H of the University of Tokyo (P100, FDR), which does not block; leaves of about 9 hosts, as switches of
    36 ports have, and the 0.4 us that messages take longer at each end are chosen here. Two links join the GPUs.
    """
    leaves = max(4, hosts // 9)
    leaf = np.repeat(np.arange(hosts) * leaves // hosts, 2)
    return Structure(
        hosts, FatTree(leaf, 1, "by receiver", 0.545 * RATE), each=2, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((hosts, 2), 0.545 * RATE), position_latency=np.full(2, 0.4e-6),
        inside_latency=np.full((2, 2), NVLINK_LATENCY), inside_rate=np.full((2, 2), 35e9),
    )  # fmt: skip


def _owners(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 4 ranks on one socket that share an adapter of 100 Gbit/s; two processors at random.

    35 to 65 % are older, and messages take 0.12 us longer there. As a job gets hosts of either kind from a cluster that
    groups of a university extend each year, e.g. Sherlock of Stanford (HDR100). An uplink of 200 Gbit/s for 4 hosts,
    2:1, one for each receiver. The ratio and the 0.12 us are chosen here.
    """
    leaf = _leaves(max(8, hosts // 2))
    count = len(leaf)
    old = random.permutation(np.arange(count) < round(count * random.uniform(0.35, 0.65)))
    return Structure(
        count, FatTree(leaf, 4, "by receiver", 2 * RATE), each=4, overhead=np.where(old, 0.12e-6, 0.0),
        processor=np.where(old, 2, 0), inside_latency=INSIDE_LATENCY - 0.1e-6 * np.eye(4),
    )  # fmt: skip


def _gpus_on_pcie(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs without NVLink on two sockets, and one adapter of 200 Gbit/s. One switch joins all.

    As usual servers of 4 L40S. GPUs of a socket reach each other by its PCIe, the others by both processors, which is
    slower than another host: 13 GB/s. So the second two reach the adapter with 60 % of its rate, 0.6 us later. The
    numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, OneSwitch(count), each=4, rate=np.full((count, 1), 2 * RATE),
        position_rate=np.repeat([1.0, 0.6], 2), position_latency=np.repeat([0.5e-6, 1.1e-6], 2),
        inside_latency=np.where(far, 2.5e-6, 1.8e-6), inside_rate=np.where(far, 13e9, 21e9),
    )  # fmt: skip


def _two_ports_in_one_slot(hosts: int) -> Structure:
    """A rank on each of two ports of 100 Gbit/s of one adapter, whose 16 lanes of PCIe 3 do 126 for both together.

    The ports are on two leaves of the rack; 2:1 adaptive. As servers with a ConnectX-5 or ConnectX-6 of two ports that
    were to double what a host does. The rank on the other socket takes 0.25 us longer and reaches 95 % of the rate,
    which is chosen here. Hosts say 100 Gbit/s for each port.
    """
    plane = PcieSwitches(
        _leaf_per_rail(_leaves(hosts), 2), 2, "adaptive", RATE, np.arange(2 * hosts) // 2, 1.26 * RATE, 0.0
    )
    return Structure(
        hosts, plane, each=2, rails=2, one_plane=True, other_rail=0.0,
        position_rate=np.array([1.0, 0.95]), position_latency=np.array([0.0, 0.25e-6]),
        inside_latency=_across_sockets(np.arange(2)),
    )  # fmt: skip


def _cores_of_two_generations(hosts: int) -> Structure:
    """A quarter of the hosts, 8 ranks each that share 100 Gbit/s, TCP by the kernel: a flow gets what one core does.

    That is 30 Gbit/s, or 22 where either end is in the older racks, the first half; so a few flows fill an adapter. As
    clusters for analyses of data (Spark, Dask, Ceph), where a company renews half of the hosts. 2:1, a hash gives each
    pair of hosts one uplink. 12 us at each end, 2 us more on older processors, with a long tail; 0.5 % of readings are
    longer. The numbers are chosen here.
    """
    count = max(4, hosts // 4)
    rack = np.arange(count) // max(2, min(16, count // 4))
    racks = int(rack[-1]) + 1
    old = 2 * np.arange(racks) < racks
    core = RATE * np.where(old, 0.22, 0.3)
    return Structure(
        count, FatTree(rack, 2, "static"), each=8, position_latency=np.full(8, 12e-6),
        overhead=np.where(old[rack], 2e-6, 0.0), processor=np.where(old[rack], 2, 0), interrupts=2.5e-6, tail=0.005,
        group_rate=np.minimum.outer(core, core),
    )  # fmt: skip


def _older_director(hosts: int) -> Structure:
    """A director switch of 40 Gbit/s (QDR): cables take 32 Gbit/s of data, adapters by 8 lanes of PCIe 2 only 26.

    As clusters of the years from 2009 to 2013 that still run, whose 324 ports are line boards of 18. A rank on each of
    two sockets; the one far from the adapter takes 0.25 us longer and reaches 93 % of the rate, and 0.3 % of readings
    are disturbed, which is chosen here.
    """
    plane = Director(hosts, max(4, hosts // 18), np.zeros(hosts), 0.32 * RATE)
    return replace(
        _far_socket(hosts, 2, 0.93), plane=plane, rate=np.full((hosts, 1), 0.26 * RATE),
        nominal=np.full((hosts, 1), 0.4 * RATE), hyperthreads=0.003,
    )  # fmt: skip


def _site(hosts: int) -> Structure:
    """Three clusters of a site on one router: one of 10 Gbit/s, two of 25. TCP by the kernel; two ranks in each host.

    As a site of Grid'5000, whose clusters are of different years and have switches of their own. A switch has a cable
    of 10 Gbit/s for two hosts in the first cluster, and one of 100 Gbit/s for 8 hosts in the others, or for fewer; its
    cables count as one link, of which hashes choose one up and one down. 10 us at each end, 2 us more in the first
    cluster and 0.8 us in the second one, with a long tail; 0.3 % of readings are longer. All but the rates of hosts is
    chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(24, hosts // 8))
    cluster = np.arange(int(leaf[-1]) + 1) * 3 // (int(leaf[-1]) + 1)
    old = cluster == 0
    return Structure(
        hosts, LagCore(leaf, np.where(old, 2, 8), RATE * np.where(old, 0.1, 1.0)), each=2,
        rate=RATE * np.where(old, 0.1, 0.25)[leaf][:, None], position_latency=np.full(2, 10e-6),
        overhead=np.array([2e-6, 0.8e-6, 0.0])[cluster][leaf], processor=np.array([2, 3, 0])[cluster][leaf],
        interrupts=2e-6, tail=0.003,
    )  # fmt: skip


def _last_racks_have_gpus(hosts: int) -> Structure:
    """A quarter of the hosts, 8 ranks each. In three of four racks they have processors only and one adapter, of 100.

    In the others they have 8 GPUs, and two share an adapter of 200 Gbit/s; uplinks have 200, and nothing blocks.
    Adaptive. As Karolina of IT4Innovations (HDR100 and HDR); all adapters of a rack on one leaf are chosen here. What
    ranks send is in the memory of the processors, of 8 NUMA nodes.
    """
    count = max(4, hosts // 4)
    rack = np.arange(count) // max(2, min(16, count // 4))
    racks = int(rack[-1]) + 1
    gpus = np.arange(racks) >= racks - max(1, racks // 4)
    single = ~gpus[rack]
    # A host with one adapter counts four times at its leaf, and its adapter is half as fast as an uplink.
    return Structure(
        count, FatTree(np.repeat(rack, 4), np.where(gpus, 1, 8), "adaptive", 2 * RATE), each=8, rails=4, one_plane=True,
        other_rail=0.0, single=single, rate=np.repeat(RATE * np.where(single, 1.0, 2.0)[:, None], 4, axis=1),
        processor=np.where(single, 3, 0), **_numa_places(8)[1],  # type: ignore[arg-type]
    )  # fmt: skip


def _free_ports_of_the_core(hosts: int) -> Structure:
    """The last eighth of the hosts, 2 or more, are on the core switch itself and have 200 Gbit/s, the others 100.

    As departments that buy a few hosts use free ports of the core of an older network (HDR above EDR). Three leaves or
    more with a cable of 100 Gbit/s for two hosts, 2:1; a receiver has one up and one down. Two ranks in each host; the
    one far from the adapter takes 0.25 us longer and reaches 94 % of the rate. On the older processors messages take
    0.15 us longer. The numbers are chosen here.
    """
    new = max(2, hosts // 8)
    leaves = max(3, min(4, hosts // 8), (hosts - new) // 18)
    leaf = np.concatenate([np.arange(hosts - new) * leaves // (hosts - new), np.full(new, leaves)])
    old = leaf < leaves
    return replace(
        _far_socket(hosts, 2, 0.94), plane=HostsOnCore(leaf, 2), rate=RATE * np.where(old, 1.0, 2.0)[:, None],
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 0),
    )  # fmt: skip


def _pairs_in_a_dragonfly(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each: half of these in one group of a dragonfly, 200 Gbit/s.

    The others are two by two, on a switch of their own, in as many further groups, as a job gets what is free. As
    machines of HPE Cray EX with one adapter in each host, e.g. Setonix of Pawsey. Of 24 groups or more; routes follow
    the load. The second socket reaches 93 % of the rate, which is chosen here as the job is.
    """
    count = max(8, hosts // 2)
    first = count // 4 * 2
    group = np.concatenate([np.zeros(first, np.int64), 1 + np.arange(count - first) // 2])
    longer, inside = _numa_places(4)
    plane = Slingshot(group, places_in(group) // 2, max(24, int(group[-1]) + 1), 2 * RATE)
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), 2 * RATE), position_rate=np.repeat([1.0, 0.93], 2),
        position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _rings_of_machines(hosts: int) -> Structure:
    """A quarter of the hosts, or 8: machines of 4 processors for learning, in rings of four that a further ring joins.

    As IPU-POD16 of Graphcore: in a pod, cables of 4 links of 32 GB/s join two neighbours (IPU-Link), and machines of
    the same place in two pods are joined by 2 ports of 100 Gbit/s (GW-Link), which is five times less. Two processors
    share an interface of 64 GB/s. Messages go from pod to pod first. 0.3 us at each end. The rings are chosen here.
    """
    count = max(8, hosts // 4)
    pod = 4 if count % 4 == 0 else 2
    plane = Interfaces((count // pod, pod), 2, 128e9)
    plane.capacity = plane.capacity * np.tile(np.repeat([25 / 128, 1.0], 2), count)
    return Structure(
        count, plane, each=4, rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 64e9),
        position_latency=np.full(4, 0.3e-6), inside_latency=np.full((4, 4), 0.6e-6), inside_rate=np.full((4, 4), 64e9),
    )  # fmt: skip


def _cube_of_boards(hosts: int) -> Structure:
    """FPGA boards without switches, joined as a hypercube by cables of 40 Gbit/s; they pass on messages of others.

    As Noctua 2 of Paderborn (Bittware 520N), where an optical circuit switch joins the four ports of 32 boards as each
    job requests. Here a board has as many ports as it needs, and there may be corners without a board. A board receives
    and sends up to 160 Gbit/s, but each message goes over one cable; its ports report 40.
    """
    return Structure(
        hosts, HypercubeOfHosts(hosts, 0.4 * RATE), rate=np.full((hosts, 1), 1.6 * RATE),
        nominal=np.full((hosts, 1), 0.4 * RATE),
    )  # fmt: skip


def _weighted_spines(hosts: int) -> Structure:
    """100 Gbit/s; each second spine is old, with cables of 100 Gbit/s, the others have 400 and get four flows of five.

    As a data centre that is being renewed and weights its spines by what they carry: WCMP in Google's networks. A hash
    gives each pair one. A leaf has 2 uplinks, or 4 from 16 hosts on, at most 8:5. Alone, a flow is as fast by either
    kind. RoCE, 1 us at each end; 0.3 % of readings are longer, because switches pause senders.
    """
    leaf = _leaves(hosts)
    rates = RATE * np.tile([1.0, 4.0], 1 if int(np.bincount(leaf)[0]) < 16 else 2)
    return Structure(hosts, WeightedSpines(leaf, rates), position_latency=np.array([1e-6]), tail=0.003)


def _pods_on_planes(hosts: int) -> Structure:
    """25 Gbit/s, TCP by the kernel; a rack has an uplink of 40 Gbit/s to each of two planes, or of four from 16 hosts.

    In each plane a pod of some racks has a switch, with cables of 40 Gbit/s to half as many spines as it has racks. So
    a rack is up to 5:2, a pod 2:1, and the first hash decides which spines the second one may take. As Facebook's
    fabric of data centres (Andreyev 2014). 9 us at each end; readings of small messages have a long tail.
    """
    rack = np.arange(hosts) // max(2, min(16, hosts // 8))
    size = np.bincount(rack)
    planes, racks = 4 if size[0] >= 16 else 2, max(2, len(size) // 4)
    lower = FatTree(rack, size / (planes + 0.5), "static", 0.4 * RATE)
    plane = Stacked(lower, SpinesOfPlanes(rack // racks, planes, racks // 2, 0.4 * RATE))
    return Structure(
        hosts, plane, rate=np.full((hosts, 1), RATE / 4), position_latency=np.array([9e-6]), interrupts=2e-6,
    )  # fmt: skip


def _four_levels(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each, and two rails, each a tree of four levels of switches, 1:1 adaptive.

    As ASCI Q of LANL (AlphaServer ES45, two rails of QsNet), of quaternary trees, where what two hosts pay depends on
    how far up their lowest common switch is. Here a leaf has 2 hosts, or 4 in a large cluster, and switches above join
    two below. A message leaves by the rail of its receiver, which takes 0.3 us from the other PCI bus. Cables do 340
    MB/s, adapters 300.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // (2 if count < 64 else 4)
    lower, upper, top = (FatTree(leaf // below, 1, "adaptive", 340e6) for below in (1, 2, 4))
    return Structure(
        count, FourLevels(lower, upper, top), each=4, rails=2, relayed=True, other_rail=0.3e-6,
        rate=np.full((count, 2), 300e6), position_latency=np.full(4, 1.5e-6),
        inside_latency=np.full((4, 4), 1e-6), inside_rate=np.full((4, 4), 700e6),
    )  # fmt: skip


def _orthogonal(hosts: int) -> Structure:
    """100 Gbit/s, two ranks in each host; uplinks of 200 Gbit/s, each for the receivers of two or three other leaves.

    Of the leaves of OrthogonalTree, as many as there are two hosts for. From under 1:1 to 5:2, as hosts are more.
    """
    return Structure(hosts, OrthogonalTree(hosts, 2 * RATE), each=2)


def _polarfly(hosts: int) -> Structure:
    """A PolarFly of 200 Gbit/s, with 2 hosts or more on each switch; in a small cluster some switches have none."""
    return Structure(hosts, PolarFly(hosts, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE))


def _nearly_square(count: int) -> tuple[int, int]:
    """The rows and columns of a full grid of this many, as near to a square as it can be; no more rows than columns."""
    rows = next(side for side in range(int(count**0.5 + 0.5), 0, -1) if count % side == 0 and side**2 <= count)
    return rows, count // rows


def _hamming_mesh(hosts: int) -> Structure:
    """A quarter of the hosts: boards of 4 accelerators with a rank each, whose links do 400 Gbit/s, in a HammingMesh.

    Neighbours on a board have a link, and between the others a third one passes messages on. An accelerator feeds all
    its links together as fast as one of them is, but what it passes on does not count. 0.3 us at each end.
    """
    count = max(4, hosts // 4)
    steps = np.array([[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])
    return Structure(
        count, HammingMesh(*_nearly_square(count), 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 4 * RATE), position_latency=np.full(4, 0.3e-6),
        inside_latency=0.9e-6 + HOP * steps, inside_rate=np.full((4, 4), 4 * RATE),
    )  # fmt: skip


def _mesh_of_chips(hosts: int) -> Structure:
    """A quarter of the hosts, each of 2 x 4 chips of one large grid, which is not closed; links of 400 Gbit/s.

    As slices of TPU v5e of Google Cloud with less than 16 x 16 chips. A link within a host is as one between hosts, so
    that a chip is as far from the next one of another host as from the next one of its own. A chip feeds its
    four links together as fast as one of them is, but what it passes on does not count.
    """
    count = max(4, hosts // 4)
    columns, rows = _nearly_square(count)
    row, column = np.divmod(np.arange(8), 4)
    steps = np.abs(np.subtract.outer(row, row)) + np.abs(np.subtract.outer(column, column))
    return Structure(
        count, ChipMesh(rows, columns, (2, 4), 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE),
        inside_latency=LATENCY + HOP * steps, inside_rate=np.full((8, 8), 4 * RATE),
    )  # fmt: skip


def _four_sites(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts at each of four sites, 0.5 to 2.5 ms from the middle of a backbone. TCP by the kernel.

    As Grid'5000 across sites, whose lines do 10 Gbit/s for all hosts; here they do that for up to 8 hosts of 10 Gbit/s
    or, at the last two sites, of 25. A flow has at most 4 MB on its way, so a longer way also gets a lower rate. 10 us
    at each end, 2 us more on the older processors of the first two sites; readings of small messages have a long tail.
    """
    site = np.arange(hosts) * 4 // hosts
    away, old = random.uniform(0.5e-3, 2.5e-3, 4), site < 2
    rate = RATE * np.where(old, 0.1, 0.25)
    window = 4e6 / (2 * np.add.outer(away, away))
    np.fill_diagonal(window, np.inf)
    return Structure(
        hosts, Sites(site, away, 0.1 * RATE * max(1, hosts // 32)), rate=rate[:, None],
        position_latency=np.array([10e-6]), overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 0),
        interrupts=2e-6, group_rate=window,
    )  # fmt: skip


def _cores_of_two_kinds(hosts: int) -> Structure:
    """Half of the hosts: PCs of 2.5 Gbit/s on one switch, two ranks on fast cores and four on slower, saving ones.

    As rooms of PCs with Intel's hybrid processors (P-cores and E-cores) that compute at night. TCP: 12 us at each end,
    but 19 us on a saving core. These four share a cache; a fast core and another one are further apart. Small messages
    wait for interrupts, and 2 % of readings are longer: desktops and their updates.
    """
    count = max(8, hosts // 2)
    saving = np.arange(6) >= 2
    both = np.logical_and.outer(saving, saving)
    return Structure(
        count, OneSwitch(count), each=6, rate=np.full((count, 1), 0.025 * RATE),
        position_latency=np.where(saving, 19e-6, 12e-6), interrupts=3e-6, tail=0.02,
        inside_latency=np.where(both, 0.35e-6, 0.5e-6), inside_rate=np.where(both, 6e9, 11e9),
    )  # fmt: skip


def _receive_less(hosts: int) -> Structure:
    """100 Gbit/s, RoCE; hosts of every third rack have the IOMMU on and receive 70 Gbit/s, but send as the others do.

    As racks on which also virtual machines are run: what an adapter writes to memory has to be translated, and misses
    of its cache (IOTLB) slow it. A message takes 0.2 us longer there. Hosts say nothing of it. Two ranks in each host.
    2:1, a hash gives each pair an uplink. 1 us at each end; 0.3 % of readings are longer. The numbers are chosen here.
    """
    rack = np.arange(hosts) // max(2, min(12, hosts // 8))
    translates = rack % 3 == 1
    plane = ReceiveQueues(rack, 2, RATE, 1, RATE * np.where(translates, 0.7, 1.0))
    return Structure(
        hosts, plane, each=2, position_latency=np.full(2, 1e-6), overhead=np.where(translates, 0.2e-6, 0.0),
        processor=np.zeros(hosts, np.int64), tail=0.003,
    )  # fmt: skip


def _classes(hosts: int) -> Structure:
    """Half of the hosts: 4 pods with a function of the adapter (SR-IOV) each, limited to 50, 20, 20 and 10 Gbit/s.

    As Kubernetes with classes of service, whose functions have rates of their own (max_tx_rate); here these are for
    both directions. They all report the 100 Gbit/s of the port. Pods of a host reach each other by the switch in the
    adapter, within the same limits. An uplink of 100 Gbit/s for two hosts; the switches choose one anew for each burst,
    by a hash. 0.8 us at each end; 0.3 % of readings are disturbed by other pods.
    """
    rack = _leaves(max(8, hosts // 2))
    count, limit = len(rack), RATE * np.array([0.5, 0.2, 0.2, 0.1])
    return Structure(
        count, FatTree(np.repeat(rack, 4), 8, "rehashed"), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.tile(limit, (count, 1)), nominal=np.full((count, 4), RATE), position_latency=np.full(4, 0.8e-6),
        inside_latency=np.full((4, 4), BESIDE + 1.6e-6), inside_rate=np.minimum.outer(limit, limit), hyperthreads=0.003,
    )  # fmt: skip


def _interrupts_on_first(hosts: int) -> Structure:
    """A quarter of the hosts, 8 ranks each that share 25 Gbit/s. TCP; the first core has all interrupts of the adapter.

    So messages of the first rank take 5 us longer and get 85 % of the rate, as where irqbalance is off and nobody has
    spread the queues. Every second rack has older processors, 1.5 us longer. 10 us at each end, with a tail; 0.5 % of
    readings are longer. A rack has as many cables of 25 Gbit/s to the core as hosts, which count as one link (LACP).
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(16, count // 4))
    old, first = rack % 2 == 1, np.arange(8) == 0
    return Structure(
        count, LagCore(rack, 1, RATE / 4), each=8, rate=np.full((count, 1), RATE / 4),
        position_rate=np.where(first, 0.85, 1.0), position_latency=np.where(first, 15e-6, 10e-6),
        overhead=np.where(old, 1.5e-6, 0.0), processor=np.where(old, 2, 0), interrupts=3e-6, tail=0.005,
    )  # fmt: skip


def _spares(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; 1:1.

    One host of some pods, at least of two, has been taken out, and a spare one stands in for it with its number. The
    spares are in a rack of their own with its own leaves, as operators of large clusters for learning keep them. RoCE:
    a hash gives each two adapters one uplink; 1.5 us at each end, and 0.3 % of readings are longer.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(4, count // 4)
    pods = int(pod[-1]) + 1
    for number in range(max(2, count // 16)):
        pod[random.choice(np.flatnonzero(pod == number))] = pods
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "static", 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), position_latency=np.full(8, 1.5e-6), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _sockets_in_turns(hosts: int) -> Structure:
    """Half of the hosts, of 4 ranks that are dealt out to two sockets in turns, so the second and fourth are far.

    As Slurm places ranks by default (block:cyclic), and Open MPI where it maps them by socket. They share an adapter
    of 100 Gbit/s; those far from it take 0.25 us longer and reach 93 % of its rate. An uplink of 200 Gbit/s for 4
    hosts, 2:1 adaptive, as usual InfiniBand clusters with HDR100. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    socket = np.arange(4) % 2
    return Structure(
        count, FatTree(_leaves(count), 4, "adaptive", 2 * RATE), each=4, socket=socket,
        position_rate=np.where(socket == 1, 0.93, 1.0), position_latency=np.where(socket == 1, 0.25e-6, 0.0),
        inside_latency=_across_sockets(socket), inside_rate=np.where(np.not_equal.outer(socket, socket), 9e9, 14e9),
    )  # fmt: skip


def _bonds_by_hosts(hosts: int) -> Structure:
    """A quarter of the hosts, 8 ranks each, with a bond of two ports of 25 Gbit/s on two switches, which are one.

    Linux chooses the port by the two addresses of the adapters only (xmit_hash_policy layer2, the default), so all
    messages between two hosts share one port, there and back, whatever their ranks; the other port has those to other
    hosts. TCP: 10 us at each end, with a tail; 0.5 % of readings are longer: backups and monitoring.
    """
    count = max(8, hosts // 4)
    return Structure(
        count, OneSwitch(count), each=8, rails=2, bonded=True, by_hosts=True, rate=np.full((count, 2), RATE / 4),
        position_latency=np.full(8, 10e-6), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _short_frames(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each that share 100 Gbit/s, TCP; the last three racks of eight have an MTU of 1500.

    The others have jumbo frames of 9000 bytes. A flow gets what one core does: 38 Gbit/s, or 21 where either end has
    short frames, as the two agree on the smaller segments. As racks that were added under another template. A leaf for
    each rack, with an uplink of 100 Gbit/s for two hosts; a hash gives each two hosts one (ECMP). 10 us at each end,
    with a tail; 0.3 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(12, count // 16 * 2))
    racks = int(rack[-1]) + 1
    short = 8 * np.arange(racks) >= 5 * racks
    return Structure(
        count, FatTree(rack, 2, "static"), each=4, position_latency=np.full(4, 10e-6), interrupts=2e-6, tail=0.003,
        group_rate=RATE * np.where(np.logical_or.outer(short, short), 0.21, 0.38),
    )  # fmt: skip


def _kept_addresses(hosts: int, random: np.random.Generator) -> Structure:
    """100 Gbit/s (EDR), two ranks in each host; leaves of up to 24 hosts with two uplinks for three hosts, 3:2.

    A receiver has one uplink, by its address (LID). Hosts were plugged in in no order and keep their addresses, so
    some uplinks of a leaf lead to more receivers of another one than others do. The rank far from the adapter takes
    0.25 us longer and reaches 95 % of the rate. 0.3 % of readings are disturbed by the daemons of the hosts.
    """
    leaf = np.arange(hosts) // max(4, min(24, hosts // 4))
    plane = NumberedByArrival(leaf, 1.5, random.permutation(hosts))
    return replace(_far_socket(hosts, 2, 0.95), plane=plane, hyperthreads=0.003)


def _half_full_racks(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs, two of which share an adapter of 400 Gbit/s; NVLink switches join those of a rack.

    As GB200, but the power of a rack is enough for 8 trays only, or fewer here. The two adapters are on two leaves of
    the rack, with an uplink for 4 hosts, or fewer in the smallest racks; RoCE, and the switches choose one anew for
    each burst, by a hash. 1.5 us at each end between racks; 0.3 % of readings are longer, because switches pause
    senders.
    """
    count = max(8, hosts // 2)
    size = max(2, min(8, count // 4))
    rack = np.arange(count) // size
    return Structure(
        count, FatTree(_leaf_per_rail(rack, 2), 4, "rehashed", 4 * RATE), each=4, rails=2, one_plane=True,
        other_rail=0.0, domain=size, rate=np.full((count, 2), 4 * RATE), position_latency=np.full(4, 1.5e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), NVLINK_RATE), tail=0.003,
    )  # fmt: skip


def _thin_and_fat(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each: thin, fat and GPU hosts in one tree, adaptive.

    Thin hosts have one adapter of 100 Gbit/s. So has the fat one at the bottom of each of their racks, for its weight:
    it has much memory on four older sockets, and messages take 0.3 us longer. The hosts of the last quarter of the
    racks have 4 GPUs and two adapters of 200 Gbit/s. Uplinks have 200: 2:1 for all racks. As the partitions of a
    national centre, e.g. with thin, bigmem and gpu nodes. What ranks send is in the memory of the processors.
    """
    count = max(8, hosts // 2)
    rack = _leaves(count)
    racks = int(rack[-1]) + 1
    gpus = np.arange(racks) >= racks - max(1, racks // 4)
    single, fat = ~gpus[rack], (places_in(rack) == 0) & ~gpus[rack]
    # A host with one adapter counts twice at its leaf, and its adapter is half as fast as an uplink.
    rack_of, ratio = np.repeat(rack, 2), np.where(gpus, 2, 8)
    return Structure(
        count, FatTree(rack_of, ratio, "adaptive", 2 * RATE), each=4, rails=2, one_plane=True, other_rail=0.0,
        single=single, rate=np.repeat(RATE * np.where(single, 1.0, 2.0)[:, None], 2, axis=1),
        overhead=np.where(fat, 0.3e-6, 0.0), processor=np.where(fat, 2, np.where(single, 0, 3)),
        inside_latency=INSIDE_LATENCY - 0.1e-6 * np.eye(4),
    )  # fmt: skip


def _two_dies_on_each_rail(hosts: int) -> Structure:
    """Half of the hosts, of two sockets of two dies with a rank on each, and two adapters of 100 Gbit/s on one leaf.

    As hosts with Cascade Lake-AP and Omni-Path, e.g. of HLRN-IV; two adapters in each are chosen here. The adapter of
    a socket is on its first die; the rank on the second one takes 0.1 us longer and reaches 94 % of the rate. About
    16:9 for racks of up to 16 hosts, or 2:1 for small ones; the tables of the leaves change now and then. The processor
    does the work of the adapter, 0.3 us at each end.
    """
    count = max(8, hosts // 2)
    die, socket = np.arange(4), np.arange(4) // 2
    apart = _levels_apart(die, socket)
    return Structure(
        count, Tables(np.repeat(_leaves(count), 2), 1.75), each=4, rails=2, one_plane=True, other_rail=0.0,
        position_rate=np.tile([1.0, 0.94], 2), position_latency=0.3e-6 + np.tile([0.0, 0.1e-6], 2),
        inside_latency=INSIDE_LATENCY + np.array([0.0, 0.1e-6, 0.3e-6])[apart],
        inside_rate=np.array([18e9, 12e9, 8e9])[apart],
    )  # fmt: skip


def _blades(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each that share 200 Gbit/s; a blade is two hosts, which are on two different switches.

    As HPE Cray EX with Slingshot: the first hosts of the blades of half a chassis are on one switch, the second ones on
    another. So a host is a hop further from its own blade than from the next but one. Routes follow the load; a job in
    four or more of 12 groups. No core is kept for the system, and its daemons disturb 1 % of readings. The second
    socket takes 0.3 us longer and reaches 93 % of the rate, which is chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, min(16, count // 4))
    place = places_in(group)
    longer, inside = _numa_places(4)
    return Structure(
        count, Slingshot(group, 2 * (place // 8) + place % 2, 12, 2 * RATE), each=4,
        rate=np.full((count, 1), 2 * RATE), hyperthreads=0.01, position_rate=np.repeat([1.0, 0.93], 2),
        position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _risers(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, 4 ranks each, and two adapters of 100 Gbit/s, each on a tree of its own, 1:1 by receiver.

    In the first lot, 40 to 60 % of the hosts, which ends within a rack, the riser of the second adapter has 8 lanes of
    PCIe 3, 63 Gbit/s, where the newer one has 16. Both say 100 Gbit/s. In that lot messages take 0.1 us longer on the
    older processors. As where a second adapter was added to hosts that were there; the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = np.arange(count) < round(count * random.uniform(0.4, 0.6))
    rate = RATE * np.where(old[:, None] & (np.arange(2) == 1), 0.63, 1.0)
    return Structure(
        count, FatTree(_leaves(count), 1, "by receiver"), each=4, rails=2, rate=rate,
        nominal=np.full((count, 2), RATE), overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 2, 0),
        inside_latency=_across_sockets(np.arange(4) // 2),
    )  # fmt: skip


def _packed(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines of a cloud, three, two or one on a machine of 100 Gbit/s, as there was room when they began.

    Each may do 60 Gbit/s, so those that are alone on a machine get it always, and others share the port; they all
    report the port. Messages between two of a machine go by the leaf (VEPA). An uplink of 100 Gbit/s for 4 virtual
    machines; a hash gives each pair one. TCP with a long tail, 12 us at each end; 1 % of readings are longer. The
    numbers are chosen here.
    """
    leaf = _leaves(hosts)
    machine, room = np.zeros(hosts, np.int64), 0
    for number in range(hosts):
        begins = number == 0 or room == 0 or leaf[number] != leaf[number - 1]
        room = int(random.integers(1, 4)) if begins else room
        machine[number] = machine[number - 1] + 1 if begins and number else machine[number - 1]
        room -= 1
    shared = np.bincount(machine)[machine] > 1
    link = np.where(shared, np.cumsum(shared & (np.diff(machine, prepend=-1) > 0)) - 1, NONE)
    return Structure(
        hosts, PcieSwitches(leaf, 4, "static", RATE, link, RATE, 0.0), rate=np.full((hosts, 1), 0.6 * RATE),
        nominal=np.full((hosts, 1), RATE), position_latency=np.array([12e-6]), interrupts=3e-6, tail=0.01,
    )  # fmt: skip


def _pods_of_three_years(hosts: int) -> Structure:
    """Three pods, bought in three years, each a tree 1:1: the oldest is 4:1 to the core, the next 2:1, the last 1:1.

    As a university that had ports of its core left over for the newer pods. The first two have 100 Gbit/s, the last
    one 200, by switches and uplinks of its own rate. At each level a receiver has one uplink. Cables to the core are
    30 m longer. Messages take 0.2 us longer on the oldest processors and 0.1 us on the next. Two ranks in each host;
    the one far from the adapter takes 0.25 us longer and reaches 94 % of the rate. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    leaves = int(leaf[-1]) + 1
    pod = np.arange(leaves) * 3 // leaves
    speed = RATE * np.array([1.0, 1.0, 2.0])
    lower = FatTree(leaf, 1, "by receiver", speed[pod])
    upper = FatTree(pod[leaf], np.array([4, 2, 1]), "by receiver", speed)
    return replace(
        _far_socket(hosts, 2, 0.94), plane=Stacked(lower, upper, 3 * CABLE), rate=speed[pod[leaf]][:, None],
        overhead=np.array([0.2e-6, 0.1e-6, 0.0])[pod[leaf]], processor=np.array([2, 3, 4])[pod[leaf]],
    )  # fmt: skip


def _dispersed(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, 2:1; a host has two addresses (LMC 1), each with an uplink, and a message uses both.

    As PSM2 does by default where the fabric manager gives hosts several addresses (dispersive routes). Two ranks in
    each host; the processor does the work of the adapter, 0.3 us at each end, and 0.25 us more on the far socket, which
    reaches 94 % of the rate. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.94), plane=SeveralAddresses(_leaves(hosts), 2, 2),
        position_latency=np.array([0.3e-6, 0.55e-6]),
    )  # fmt: skip


def _scalable_units(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each unit.

    Spines join two units to a pod, 1:1, and a core joins pods, 2:1, with cables 50 m longer. As Spectrum-X: switches
    spread the packets of a message over all uplinks, and adapters put them in order, 1.2 us at each end. 0.2 % of
    readings are longer, because switches pause senders. The taper is chosen here.
    """
    count = max(8, hosts // 4)
    unit = np.arange(count) // max(2, count // 4)
    lower = FatTree(_leaf_per_rail(unit, 8), 1, "adaptive", 4 * RATE)
    plane = Stacked(lower, FatTree(np.repeat(unit // 2, 8), 2, "adaptive", 4 * RATE), 5 * CABLE)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        position_latency=np.full(8, 1.2e-6), tail=0.002,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _domains_of_two_racks(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 400 Gbit/s each; NVLink switches join up to 18 in two racks.

    As GB200 NVL36x2, for halls that cannot cool a whole rack of 72: the NVLink switches of two racks are joined, so a
    message to the other rack passes two of them. A leaf for each rail of each two racks, 1:1 adaptive; RoCE, 1.2 us at
    each end.
    """
    count = max(8, hosts // 2)
    size = max(2, min(18, count // 4))
    return Structure(
        count, FatTree(_leaf_per_rail(np.arange(count) // size, 4), 1, "adaptive", 4 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, domain=size, domain_racks=2, rate=np.full((count, 4), 4 * RATE),
        position_latency=np.full(4, 1.2e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), NVLINK_RATE),
    )  # fmt: skip


def _half_of_the_gpus(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each, of which the job has four: those that are free.

    On half of the hosts of a pod, at random, these are the first four, on the others the last four. There is a leaf for
    each of the 8 rails of a pod, so the adapters of the same rank are on different leaves. As A100 hosts that a
    scheduler shares out by GPU. 1:1 adaptive.
    """
    count = max(8, hosts // 2)
    pod = np.arange(count) // max(4, min(16, count // 4))
    order = np.lexsort((random.random(count), pod))
    last = np.empty(count, bool)
    last[order] = places_in(pod) % 2 == 1
    leaf = (2 * pod + last)[:, None] + np.arange(4) * 2 * (int(pod[-1]) + 1)
    return Structure(
        count, FatTree(leaf.ravel(), 1, "adaptive", 2 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 240e9),
    )  # fmt: skip


def _rows_of_a_hall(hosts: int) -> Structure:
    """Half of the hosts, of 4 accelerated processors with an adapter of 200 Gbit/s each, on 4 switches of their group.

    As El Capitan and Tuolumne of LLNL (MI300A, Slingshot). Groups are rows of a hall, and each row that a message
    passes takes 0.1 us, so that groups next to each other are nearer. Routes follow the load; a job in the first of 12
    groups. Two links of 64 GB/s, of which 96 are left for data, join any two processors of a host. The rows are chosen
    here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, min(16, count // 4))
    switch = (places_in(group) // 4 * 4)[:, None] + np.arange(4)
    return Structure(
        count, SlingshotInRows(np.repeat(group, 4), switch.ravel(), 12, 2 * RATE, 0.1e-6), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE), position_latency=np.full(4, 0.2e-6),
        inside_latency=np.full((4, 4), 0.8e-6), inside_rate=np.full((4, 4), 96e9),
    )  # fmt: skip


def _quad_rail(hosts: int) -> Structure:
    """Half of the hosts, of 4 superchips, and four adapters of 100 Gbit/s, each on a tree of its own, 2:1.

    All messages use all four. As EXA1 of CEA (GH200, quad-rail BXI v2), whose tables deal out the receivers of a leaf
    to the uplinks of another one. The taper, and the 0.3 us that a message takes at each end to be shared out, are
    chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, DealtOut(_leaves(count), 2), each=4, rails=4, striped=True, other_rail=0.0,
        position_latency=np.full(4, 0.3e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 120e9),
    )  # fmt: skip


def _encrypted(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each that share 25 Gbit/s; all that hosts send and receive is encrypted.

    As Kubernetes with Cilium and WireGuard: what a host encrypts and decrypts shares what its processor does, 22 Gbit/s
    or, in the first lot of servers, of three eighths, 14; the lot ends within a rack. An uplink of 100 Gbit/s for 8
    hosts, or for fewer; a hash gives each two hosts one. TCP: 14 us at each end, 3 us more in that lot, with a long
    tail; 0.5 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = 8 * np.arange(count) < 3 * count
    plane = Threads(_leaves(count), 8, RATE, RATE * np.where(old, 0.14, 0.22))
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), RATE / 4), position_latency=np.full(4, 14e-6),
        overhead=np.where(old, 3e-6, 0.0), processor=np.where(old, 2, 0), interrupts=3e-6, tail=0.005,
    )  # fmt: skip


def _wide_vectors(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each. In five of eight racks they have A64FX, in the others usual processors.

    As Ookami of Stony Brook (InfiniBand, HDR100). Its cores have wide vectors and low clocks: messages take 0.45 us
    longer and a rank reaches 60 % of the rate, so only several fill the adapter, which is on the first of four memory
    groups in a ring, as the NUMA nodes of the others are taken to be. An uplink of 200 Gbit/s for 4 hosts, 2:1, one for
    each receiver. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = _leaves(count)
    racks = int(rack[-1]) + 1
    slow = 8 * np.arange(racks) < 5 * racks
    steps = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
    core = RATE * np.where(slow, 0.6, 1.0)
    return Structure(
        count, FatTree(rack, 4, "by receiver", 2 * RATE), each=4, group_rate=np.minimum.outer(core, core),
        position_latency=0.08e-6 * steps[0], overhead=np.where(slow[rack], 0.45e-6, 0.0),
        processor=np.where(slow[rack], 3, 0), inside_latency=INSIDE_LATENCY + 0.08e-6 * steps,
    )  # fmt: skip


def _any_processor(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines of 16 Gbit/s on processors of three kinds, in no order, two ranks in each. TCP.

    As the cheaper types of a cloud, e.g. e2 of Google Cloud, which get the processor that is free. On the second kind
    messages take 3 us longer, on the third 6 us, and these send 13 Gbit/s at most. An uplink of 100 Gbit/s for 8
    machines, or for fewer; flows change their uplink now and then (PLB). 15 us at each end, with a long tail; 1 % of
    readings are longer. The numbers are chosen here.
    """
    kind = random.permutation(np.arange(hosts) * 3 // hosts)
    return Structure(
        hosts, FatTree(_leaves(hosts), 8, "lingering"), each=2, rate=np.full((hosts, 1), 0.16 * RATE),
        send=np.where(kind == 2, 0.13 * RATE, np.inf), overhead=3e-6 * kind, processor=np.array([0, 2, 3])[kind],
        position_latency=np.full(2, 15e-6), interrupts=4e-6, tail=0.01,
    )  # fmt: skip


def _network_nodes(hosts: int) -> Structure:
    """Machines of 200 Gbit/s with two ranks, as a cloud places them: 2, 3 and 5 or multiples of these at a switch.

    Two such switches are joined, two of these pairs again, and these to all; each level takes two hops. Nothing blocks.
    As hpc6id of AWS, with EFA, whose instances tell three layers of network nodes: SRD spreads packets over all ways, 7
    us at each end. The rank far from the adapter takes 0.3 us longer and reaches 93 % of the rate; 0.4 % of readings
    are longer. The numbers are chosen here.
    """
    leaf = _partly_used_leaves(hosts)
    lower, upper, top = (FatTree(leaf // below, 1, "adaptive", 2 * RATE) for below in (1, 2, 4))
    return replace(
        _far_socket(hosts, 2, 0.93), plane=FourLevels(lower, upper, top), rate=np.full((hosts, 1), 2 * RATE),
        position_latency=np.array([7e-6, 7.3e-6]), tail=0.004,
    )  # fmt: skip


def _symmetric_hash(hosts: int) -> Structure:
    """25 Gbit/s, TCP; leaves of up to 16 hosts with an uplink of 40 Gbit/s for 4 of them, 5:2.

    A symmetric hash gives each two hosts one spine, the same there and back, as operators set it who watch flows at the
    spines. So the messages of a pair meet the same others both ways. 9 us at each end, with a long tail; 0.4 % of
    readings are longer.
    """
    return Structure(
        hosts, SameSpineBack(_leaves(hosts), 4, 0.4 * RATE), rate=np.full((hosts, 1), RATE / 4),
        position_latency=np.array([9e-6]), interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _parts_of_groups(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 200 Gbit/s: a job in a part of a dragonfly+.

    It has 2, 3 and 5 hosts of a group, or multiples of these, in turns, behind either leaf of it. As MeluXina of
    LuxProvide (HDR), of AMD EPYC. 30 % of the messages between groups go by a third one, of all of the machine. The
    second socket reaches 94 % of the rate. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    group = _partly_used_leaves(count)
    own = np.bincount(group)
    size = int(own.max() + 1) // 2 * 2
    taken = size * group + places_in(group) * size // own[group]
    longer, inside = _numa_places(4)
    return Structure(
        count, PartOfDragonflyPlus(taken, max(6, len(own) + 2), size, 0.3, 2 * RATE), each=4,
        rate=np.full((count, 1), 2 * RATE), position_rate=np.repeat([1.0, 0.94], 2),
        position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _fewer_modules_of_memory(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 200 Gbit/s; every fourth rack has less memory.

    Its hosts have a module on half of their memory channels only: messages within them reach 55 % of the rate, and
    their adapter 93 %, which says 200 Gbit/s all the same. As a centre that has bought its first racks at a time of
    high prices. Uplinks of 200 Gbit/s, 2:1; a hash gives each two hosts one. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(8, count // 4))
    less = rack % 4 == 1
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(rack, 2, "static", 2 * RATE), each=4, rate=2 * RATE * np.where(less, 0.93, 1.0)[:, None],
        nominal=np.full((count, 1), 2 * RATE), memory=np.where(less, 0.55, 1.0), position_latency=longer,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _switches_of_two_makers(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; RoCE.

    The leaves of the last two rails are of another maker and take 0.45 us longer. As an operator that buys from two,
    rail by rail, so that no pod has just one of them. 1:1; flows change their uplink now and then. 1.2 us at each end.
    The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    pod = np.arange(count) // max(2, min(16, count // 4))
    slower = np.repeat([0.0, 0.0, 0.45e-6, 0.45e-6], int(pod[-1]) + 1)
    return Structure(
        count, UnlikeLeaves(_leaf_per_rail(pod, 4), 1, "lingering", 4 * RATE, slower), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 4 * RATE), position_latency=np.full(4, 1.2e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), NVLINK_RATE),
    )  # fmt: skip


def _coprocessors(hosts: int) -> Structure:
    """A quarter of the hosts, of two processors and three coprocessors with a rank on each, which share an adapter.

    As Tianhe-2 of Guangzhou (Xeon and Xeon Phi in symmetric mode), whose boards have two hosts and a switch. The rank
    on the second processor takes 0.25 us longer. Coprocessors are slow cores behind PCIe: 1.8 us longer, and 40 % of
    the rate, or 7 % where they are not on the socket of the adapter, as the processor of that time hardly passes on
    reads of others. Boards in twos, 1:1, and 2:1 between these; static. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    socket = np.array([0, 1, 0, 1, 1])
    slow, apart = np.arange(5) >= 2, np.not_equal.outer(socket, socket)
    slows = np.add.outer(1 * slow, 1 * slow)
    return Structure(
        count, ThreeLevels(count, 2, 2, 2), each=5, socket=socket,
        position_rate=np.where(slow, np.where(socket == 1, 0.07, 0.4), 1.0),
        position_latency=np.where(slow, 1.8e-6, 0.0) + 0.25e-6 * socket,
        inside_latency=INSIDE_LATENCY + 0.3e-6 * apart + 1.8e-6 * slows,
        inside_rate=np.where(slows > 0, np.where(apart, 1e9, 6e9), np.where(apart, 9e9, 14e9)),
    )  # fmt: skip


def _burst_buffers(hosts: int) -> Structure:
    """100 Gbit/s, two ranks in each host; the last host of each rack is a burst buffer with two adapters.

    The others have one, which both ranks share. As hosts with flash memory that a job may have as its own when it does
    not write. All adapters of a rack are on its leaf, with an uplink of 200 Gbit/s for 3 hosts; flows change their
    uplink now and then. Burst buffers have one older processor: 0.15 us longer. The numbers are chosen here.
    """
    rack = np.arange(hosts) // max(4, min(12, hosts // 10 * 2))
    buffers = np.append(rack[1:] != rack[:-1], True)
    return Structure(
        hosts, FatTree(np.repeat(rack, 2), 6, "lingering", 2 * RATE), each=2, rails=2, one_plane=True, other_rail=0.0,
        single=~buffers, overhead=np.where(buffers, 0.15e-6, 0.0), processor=np.where(buffers, 2, 0),
    )  # fmt: skip


def _two_rails_on_each_leaf(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; a pod has four leaves, not eight.

    The first and the fifth adapter are on the same leaf, and so on, as switches of 64 ports take two rails of up to 16
    hosts with uplinks for all. A job has 2, 3 and 5 hosts of a pod, or multiples. 1:1 adaptive, 0.9 us at each end. The
    adapters of the second socket take 0.1 us longer, as their GPUs are in the upper half of the host.
    """
    count = max(8, hosts // 4)
    pod = _partly_used_leaves(count)
    leaf = np.arange(8)[None, :] % 4 * (int(pod[-1]) + 1) + pod[:, None]
    return Structure(
        count, FatTree(leaf.ravel(), 1, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), position_latency=np.repeat([0.9e-6, 1e-6], 4),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _warmer_at_the_top(hosts: int) -> Structure:
    """40 Gbit/s, TCP by the kernel; hosts get warmer air, and have lower clocks, the higher they are in their rack.

    So a message takes up to 0.8 us longer at an end, of 10 us, and a flow, which gets what a core does, 37 Gbit/s, up
    to 6 % less. As racks that are cooled by air from the floor. Racks of up to 16 hosts with an uplink of 100 Gbit/s
    for 5 of them, 2:1; a hash gives each pair another one in each step. A long tail; 0.5 % of readings are longer, and
    1 % are disturbed: hosts that are not tuned. The numbers are chosen here.
    """
    rack = np.arange(hosts) // max(4, min(16, hosts // 2))
    place = places_in(rack)
    height = place / max(1, int(place.max()))
    return Structure(
        hosts, FatTree(rack, 5, "rehashed"), rate=(0.37 * RATE * (1 - 0.06 * height))[:, None],
        nominal=np.full((hosts, 1), 0.4 * RATE), position_latency=np.array([10e-6]), overhead=0.8e-6 * height,
        processor=np.zeros(hosts, np.int64), interrupts=2.5e-6, hyperthreads=0.01, tail=0.005,
    )  # fmt: skip


def _later_groups(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, in a dragonfly of which two groups came later.

    The first groups are joined by as many cables as was planned. The later ones got the ports that were left: half as
    many cables to each other group. As Slingshot systems that are delivered in phases. 30 % of the messages between
    groups take a detour; a message between rails takes a hop more. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    groups = max(4, min(8, count // 3))
    later = np.arange(groups) >= groups - 2
    group = np.arange(count) * groups // count
    few = max(1, 3 * count // groups**2)
    cables = np.where(later[:, None] | later[None, :], few, 2 * few)
    return Structure(
        count, Bundles(np.repeat(group, 4), cables, 0.3, 2 * RATE), each=4, rails=4, one_plane=True, other_rail=HOP,
        rate=np.full((count, 4), 2 * RATE),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 100e9),
    )  # fmt: skip


def _service_blades(hosts: int) -> Structure:
    """A torus of routers of two hosts each; those of every eighth router, or the last of a few, are service hosts.

    As Cray XE6 with Gemini, whose service blades stand between the others and have older processors: 0.5 us longer, and
    4 GB/s instead of 6. Two ranks in each host; the second one takes 0.2 us longer and reaches 95 % of the rate. The
    numbers are chosen here.
    """
    routers = max(4, hosts // 2)
    service = np.arange(hosts) // 2 % 8 == min(5, routers - 1)
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6), plane=Gemini(hosts, _sides(routers), 6e9),
        rate=np.where(service, 4e9, 6e9)[:, None], overhead=np.where(service, 0.5e-6, 0.0),
        processor=np.where(service, 2, 0),
    )  # fmt: skip


def _optical_blocks(hosts: int) -> Structure:
    """Hosts of 4 chips in a torus of blocks of up to 2 x 2 x 4 hosts; optical switches join the blocks.

    As TPU v4 of Google (Jouppi et al., ISCA 2023), whose racks of 64 chips are joined by fibres and mirrors: 0.15 us
    more than a cable within a rack, also where it closes a dimension. A link does 50 GB/s, and a message takes one of
    those of its host, which the four chips share here; between two hosts there are two links. The chips of a host are a
    ring of 2 x 2.
    """
    sides = tuple(sorted(_sides(hosts)))
    block = tuple(min(side, size) for side, size in zip(sides, (2, 2, 4), strict=False))
    links = _links({(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): 1}, 4)
    return Structure(
        hosts, OpticalTorus(sides, block, 0.15e-6, 100e9), each=4, rate=np.full((hosts, 1), 50e9),
        inside_latency=np.where(links > 0, 0.6e-6, 0.9e-6), inside_rate=np.full((4, 4), 50e9),
    )  # fmt: skip


def _bursting(hosts: int) -> Structure:
    """Five eighths of the hosts are a cluster of 100 Gbit/s, the others virtual machines that it has in a cloud.

    Slurm starts these where the cluster is full, of 25 Gbit/s; messages take 9 us longer at such an end. A line of 10
    Gbit/s joins both, 0.7 ms from the one to the other, and a flow gets 4 Gbit/s of it at most. Nothing blocks within
    the two. Two ranks in each host; 0.4 % of readings are longer. The numbers are chosen here.
    """
    cloud = 8 * np.arange(hosts) >= 5 * hosts
    flow = np.where(np.eye(2, dtype=bool), np.inf, 0.04 * RATE)
    return Structure(
        hosts, Sites(1 * cloud, np.array([0.1e-3, 0.6e-3]), 0.1 * RATE), each=2,
        rate=RATE * np.where(cloud, 0.25, 1.0)[:, None], overhead=np.where(cloud, 9e-6, 0.0),
        processor=np.where(cloud, 3, 0), group_rate=flow, tail=0.004,
    )  # fmt: skip


def _machine_on_each_socket(hosts: int) -> Structure:
    """Half of the hosts: virtual machines of 4 ranks, one on each socket of a server, with a function of its adapter.

    They share 200 Gbit/s (SR-IOV). Those of the second socket are far from it: 0.3 us longer, and 92 % of the rate. As
    half of a server is the usual size in a private cloud for computing. RoCE; an uplink of 200 Gbit/s for two servers,
    a hash gives each two machines one. 1 us at each end; 0.3 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = np.arange(count) % 2 == 1
    return Structure(
        count, FatTree(_leaves(count), 4, "static", 2 * RATE), each=4, guests=2,
        rate=2 * RATE * np.where(far, 0.92, 1.0)[:, None], nominal=np.full((count, 1), 2 * RATE),
        overhead=np.where(far, 0.3e-6, 0.0), processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64),
        position_latency=np.full(4, 1e-6), tail=0.003,
    )  # fmt: skip


def _zones_of_two_types(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 25 Gbit/s with 4 ranks each, in turns in three zones of a cloud. TCP.

    A flow gets 10 Gbit/s within a zone, 5 Gbit/s between two. An autoscaler found the newer type of machine only in the
    last zone; on the older one messages take 4 us longer. Readings of small messages have a long tail, and 1 % of all
    are longer. The numbers are chosen here.
    """
    count = max(9, hosts // 2)
    plane = Zones(count, 3, random)
    old = plane.group < 2
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), RATE / 4), overhead=np.where(old, 4e-6, 0.0),
        processor=np.where(old, 2, 3), group_rate=RATE * np.where(np.eye(3, dtype=bool), 0.1, 0.05),
        interrupts=4e-6, tail=0.01,
    )  # fmt: skip


def _held_interrupts(hosts: int) -> Structure:
    """10 Gbit/s, TCP, two ranks in each host; in the first lot, five eighths, adapters hold back interrupts.

    So a message that arrives there takes 18 us longer, but not one that leaves. As where an older image has the
    driver's fixed moderation (rx-usecs), and the newer one a profile for low latency. The processors are the same,
    hosts say nothing of it, and the lot ends within a rack. An uplink of 40 Gbit/s for 8 hosts or, in smaller racks,
    for fewer; a hash gives each two hosts one. 9 us at each end, with a long tail; 0.5 % of readings are longer. The
    numbers are chosen here; drivers hold interrupts back for up to some tens of microseconds.
    """
    lot = 8 * np.arange(hosts) < 5 * hosts
    plane = HeldInterrupts(_leaves(hosts), 8, 0.4 * RATE, np.where(lot, 18e-6, 0.0))
    return Structure(
        hosts, plane, each=2, rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.full(2, 9e-6),
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _port_groups(hosts: int) -> Structure:
    """A modular switch: four ports in a row of a line card share a chip of 10 Gbit/s, which is the rate of each host.

    As cards of 32 ports of Cisco's Nexus 7000 (M1), with 80 Gbit/s to the boards of the switch, 4:1. The last card is
    newer, without such groups and 1:1; its hosts have newer processors, on which messages take 2 us less. Two ranks in
    each host, TCP: 12 us at each end, with a long tail. Cards of up to 16 hosts, and the processors, are chosen here.
    """
    card = _leaves(hosts)
    newer = card == card[-1]
    link = np.where(newer, NONE, np.unique(4 * card + places_in(card) // 4, return_inverse=True)[1])
    to_boards = 0.1 * RATE * np.where(np.arange(int(card[-1]) + 1) == card[-1], 1.0, 0.25)
    return Structure(
        hosts, PcieSwitches(card, 1, "adaptive", to_boards, link, 0.1 * RATE, 0.0), each=2,
        rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.full(2, 12e-6), overhead=np.where(newer, 0.0, 2e-6),
        processor=np.where(newer, 0, 2), interrupts=3e-6,
    )  # fmt: skip


def _orphan_ports(hosts: int, random: np.random.Generator) -> Structure:
    """25 Gbit/s; hosts have a bond on two switches, but three of eight, at random, have a port on one of them only.

    The two switches are one by MLAG, and half of the older hosts, which have only one port, are on each. What reaches
    the wrong switch goes over the two cables of 100 Gbit/s between them. A flow gets one port of a bond. TCP: 10 us at
    each end, 1.5 us more on the older processors, with a long tail; 0.5 % of readings are longer. As machine rooms
    with servers of several years; vendors call such ports orphans. The numbers are chosen here.
    """
    order = random.permutation(hosts)
    old = 8 * order < 3 * hosts
    return Structure(
        hosts, OrphanPorts(np.where(old, order % 2, NONE), 2), rate=np.full((hosts, 1), RATE / 4),
        position_latency=np.array([10e-6]), overhead=np.where(old, 1.5e-6, 0.0), processor=np.where(old, 2, 0),
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _tunnels_between_subnets(hosts: int) -> Structure:
    """Kubernetes on hosts of 25 Gbit/s, two ranks each; a subnet is two racks, and packets between two are tunnelled.

    As Calico's mode CrossSubnet (IP in IP). A tunnelled message takes 8 us longer, and a flow gets what a core does:
    10 Gbit/s, or 7 where either end is in the first half of the subnets, whose processors are older and take 2 us
    longer for any message. Racks of up to 16 hosts with an uplink of 40 Gbit/s for 4, and subnets with one of 100 for
    8; a hash gives each two hosts one at each level. TCP: 10 us at each end, with a long tail; 0.5 % of readings are
    longer. The numbers are chosen here.
    """
    rack = np.arange(hosts) // max(2, min(16, hosts // 8))
    subnet = np.arange(int(rack[-1]) + 1) // 2
    old = 2 * subnet < int(subnet[-1]) + 1
    core = RATE * np.where(old, 0.07, 0.1)
    flow = np.where(np.equal.outer(subnet, subnet), np.inf, np.minimum.outer(core, core))
    plane = Stacked(FatTree(rack, 4, "static", 0.4 * RATE), FatTree(subnet[rack], 8, "static"), 8e-6)
    return Structure(
        hosts, plane, each=2, rate=np.full((hosts, 1), RATE / 4), position_latency=np.full(2, 10e-6),
        overhead=np.where(old, 2e-6, 0.0)[rack], processor=np.where(old, 2, 3)[rack], group_rate=flow,
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _memory_modes(hosts: int, random: np.random.Generator) -> Structure:
    """Xeon Phis with two ranks each; 35 to 65 % of them, at random, have their fast memory as a cache of the other.

    On the others it is memory by itself. Hosts have been booted into the mode that the job before asked for, as on
    Theta of ALCF and Cori of NERSC (Cray XC40), and do not say which. In cache mode messages take 0.15 us longer, reach
    80 % of the rate within the host, and the adapter, which says 100 Gbit/s, does 66 instead of 70. Groups of two
    chassis with two hosts on each router; 30 % of the messages between groups take a detour. Slow cores: 0.5 us at each
    end. The numbers are chosen here.
    """
    cache = random.permutation(np.arange(hosts) < round(hosts * random.uniform(0.35, 0.65)))
    return Structure(
        hosts, Chassis(hosts, max(4, hosts // 16 * 4), 0.3), each=2,
        rate=RATE * np.where(cache, 0.66, 0.7)[:, None], nominal=np.full((hosts, 1), RATE),
        position_latency=np.full(2, 0.5e-6), overhead=np.where(cache, 0.15e-6, 0.0), processor=np.ones(hosts, np.int64),
        socket=np.zeros(2, np.int64), memory=np.where(cache, 0.8, 1.0), inside_rate=np.full((2, 2), 8e9),
    )  # fmt: skip


def _slices(hosts: int) -> Structure:
    """Hosts of 4 chips in four slices, each a torus of hosts in two dimensions; Ethernet joins the slices.

    As a job of several slices of TPU (Multislice of Google Cloud). A link does 50 GB/s, and a message takes one of
    those of its host, which the four chips share here; between two hosts there are two links. To another slice,
    messages go by the port of 200 Gbit/s that the host has: 20 us longer, at most 40 Gbit/s for each flow, and 3 us
    more to the two slices in the other hall. The chips of a host are a ring of 2 x 2. 0.3 % of readings are longer. The
    numbers of Ethernet are chosen here.
    """
    links = _links({(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): 1}, 4)
    plane = Slices(4, _nearly_square(hosts // 4), 100e9, 2 * RATE, 20e-6, 3e-6)
    return Structure(
        hosts, plane, each=4, rate=np.full((hosts, 1), 50e9),
        group_rate=np.where(np.eye(4, dtype=bool), np.inf, 0.4 * RATE), tail=0.003,
        inside_latency=np.where(links > 0, 0.6e-6, 0.9e-6), inside_rate=np.full((4, 4), 50e9),
    )  # fmt: skip


def _machines_in_turns(hosts: int) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs with an adapter of 400 Gbit/s each, in turns in four pods.

    As a cloud that numbers the machines of a set over its fault domains, here of Azure's NDv5, with a leaf for each
    rail of each pod; 1:1 adaptive. 0.6 us at each end, and 0.15 us more for the GPUs of the second socket, as the cores
    that start their messages are on the first one. 0.3 % of readings are longer. The numbers, and that pods are fault
    domains, are chosen here.
    """
    count = max(8, hosts // 4)
    return Structure(
        count, FatTree(_leaf_per_rail(np.arange(count) % 4, 8), 1, "adaptive", 4 * RATE), each=8, rails=8,
        one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        position_latency=np.repeat([0.6e-6, 0.75e-6], 4), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _hypercube_of_generations(hosts: int) -> Structure:
    """An enhanced hypercube with hosts of three generations, on a third of the switches each; two ranks in each host.

    As Pleiades of NASA (SGI ICE), which was extended for years. The first hosts have adapters of 40 Gbit/s, which do 32
    Gbit/s of data, the others and all cables 56. Messages take 0.25 us longer on the oldest processors and 0.1 us on
    the next. The rank far from the adapter takes 0.2 us longer and reaches 94 % of the rate. Switches of 2 hosts, or of
    4 from 32 hosts on. What processors and sockets cost is chosen here.
    """
    size = 2 if hosts < 32 else 4
    plane = EnhancedHypercube(hosts, size, 0.545 * RATE)
    kind = plane.group * 3 // (int(plane.group[-1]) + 1)
    return replace(
        _far_socket(hosts, 2, 0.94, 0.2e-6), plane=plane, rate=RATE * np.where(kind == 0, 0.32, 0.545)[:, None],
        overhead=np.array([0.25e-6, 0.1e-6, 0.0])[kind], processor=np.array([2, 0, 3])[kind],
    )  # fmt: skip


def _confidential(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines of 12.5 Gbit/s with two ranks each; a third of them, at random, have encrypted memory. TCP.

    There all that is sent and received is copied by buffers that the adapter may see (SEV-SNP or TDX, with swiotlb):
    both share the 9 Gbit/s that a core copies, and a message takes 7 us longer. All have the same processor and report
    the same rate. As confidential machines of several clouds beside usual ones. An uplink of 100 Gbit/s for 8 machines
    or, behind smaller leaves, for fewer; a hash gives each two one. 14 us at each end, with a long tail; 1 % of
    readings are longer. The numbers are chosen here; published losses of such machines are 10 to 40 % of the rate.
    """
    encrypted = random.permutation(np.arange(hosts) * 3 < hosts)
    plane = Threads(_leaves(hosts), 8, RATE, RATE * np.where(encrypted, 0.09, 1.0))
    return Structure(
        hosts, plane, each=2, rate=np.full((hosts, 1), RATE / 8), position_latency=np.full(2, 14e-6),
        overhead=np.where(encrypted, 7e-6, 0.0), processor=np.full(hosts, 3), interrupts=3e-6, tail=0.01,
    )  # fmt: skip


def _access_control(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs and an adapter of 200 Gbit/s behind one PCIe switch (PCIe 4), in two lots.

    In the first lot, three eighths, which ends within a rack, access control (ACS) is on, as firmware has it for
    virtual machines: what GPUs send to each other and to the adapter goes up to the processor and back. So messages
    within these hosts reach 60 % of the rate, and their adapters 72 %, 0.4 us later. Nothing says so: processors and
    adapters are the same. Uplinks of 200 Gbit/s, 2:1; flows change theirs now and then. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    lot = 8 * np.arange(count) < 3 * count
    return Structure(
        count, FatTree(_leaves(count), 2, "lingering", 2 * RATE), each=4,
        rate=2 * RATE * np.where(lot, 0.72, 1.0)[:, None], nominal=np.full((count, 1), 2 * RATE),
        overhead=np.where(lot, 0.4e-6, 0.0), processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64),
        memory=np.where(lot, 0.6, 1.0), inside_latency=np.full((4, 4), 1.2e-6), inside_rate=np.full((4, 4), 22e9),
    )  # fmt: skip


def _file_servers(hosts: int) -> Structure:
    """The last eighth of the hosts, 2 or more, are file servers with two adapters of 200 Gbit/s, on two leaves.

    The two leaves are their own, 1:1, so that servers go on if one is down. The other hosts have one adapter of 100
    Gbit/s for both ranks; leaves of about 7 with two uplinks of 200 Gbit/s, or of fewer with one. A hash gives each two
    adapters an uplink. Servers have older processors: 0.15 us longer at each end. As flash servers on the network of
    the hosts, e.g. of Lustre or DAOS, where a job for tests has both. The numbers are chosen here.
    """
    servers = max(2, hosts // 8)
    others = hosts - servers
    leaves = max(2, others // 7)
    leaf = np.append(np.arange(others) * leaves // others, np.full(servers, leaves))
    server = leaf == leaves
    adapters = np.stack([leaf, leaf + server], axis=1).ravel()
    ratio = np.append(np.full(leaves, 7), [1, 1])
    return Structure(
        hosts, FatTree(adapters, ratio, "static", 2 * RATE), each=2, rails=2, one_plane=True, other_rail=0.0,
        single=~server, rate=np.repeat(RATE * np.where(server, 2.0, 1.0)[:, None], 2, axis=1),
        overhead=np.where(server, 0.15e-6, 0.0), processor=np.where(server, 2, 0),
    )  # fmt: skip


def _leaf_tunnels(hosts: int) -> Structure:
    """25 Gbit/s, RoCE; leaves tunnel what they send to another one, and all in a tunnel takes the same spine.

    As EVPN with VXLAN on switches that hash the outer addresses only. Leaves of up to 16 hosts with an uplink of 100
    Gbit/s for 4 of them, so 1:1 as built, but half or a quarter of it from one leaf to another. Hosts of the first half
    of the leaves have older processors: 0.3 us longer. Two ranks in each host, 1 us at each end; the one far from the
    adapter takes 0.25 us longer and reaches 95 % of the rate. 0.3 % of readings are longer, because switches pause
    senders. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    old = 2 * leaf < int(leaf[-1]) + 1
    return replace(
        _far_socket(hosts, 2, 0.95), plane=LeafTunnels(leaf, 4), rate=np.full((hosts, 1), RATE / 4),
        position_latency=np.array([1e-6, 1.25e-6]), overhead=np.where(old, 0.3e-6, 0.0),
        processor=np.where(old, 2, 3), tail=0.003,
    )  # fmt: skip


def _chain_of_switches(hosts: int) -> Structure:
    """Four InfiniBand switches in a line, bought with their hosts: of 56, 100, 100 and 200 Gbit/s; two ranks in each.

    As a department that had no switch to spare for spines: 5, 3, 3 and 5 of 16 hosts, and a cable to the next switch
    for each 3 hosts of the smaller one, of the rate of the slower. Each switch that a message passes is a hop. Messages
    take 0.2 us longer on the oldest processors, and 0.1 us on the next; the rank far from the adapter takes 0.25 us
    longer and reaches 94 % of the rate. The numbers are chosen here.
    """
    switch = np.searchsorted(np.round(np.array([5, 8, 11]) * hosts / 16), np.arange(hosts), "right")
    speed, size = RATE * np.array([0.545, 1.0, 1.0, 2.0]), np.bincount(switch)
    cables = np.maximum(1, np.minimum(size[:-1], size[1:]) // 3)
    return replace(
        _far_socket(hosts, 2, 0.94), plane=Chain(switch, cables * np.minimum(speed[:-1], speed[1:])),
        rate=speed[switch][:, None], overhead=np.array([0.2e-6, 0.1e-6, 0.1e-6, 0.0])[switch],
        processor=np.array([2, 0, 0, 3])[switch],
    )  # fmt: skip


def _adapters_of_two_makers(hosts: int, random: np.random.Generator) -> Structure:
    """100 Gbit/s, RoCE, a rank in each host; 30 to 50 % of the hosts, at random, have adapters of a second maker.

    As were to be had when one maker could not deliver. Their messages take 0.45 us longer at an end, of 1 us, and they
    reach 95 % of the rate; all say 100 Gbit/s. Such makers' data sheets and published tests differ by about as much. An
    uplink of 200 Gbit/s for 4 hosts, 2:1; a hash gives each two hosts one. 0.3 % of readings are longer, because
    switches pause senders. The numbers are chosen here.
    """
    second = random.permutation(hosts) < round(hosts * random.uniform(0.3, 0.5))
    return Structure(
        hosts, FatTree(_leaves(hosts), 4, "static", 2 * RATE), rate=RATE * np.where(second, 0.95, 1.0)[:, None],
        nominal=np.full((hosts, 1), RATE), overhead=np.where(second, 0.45e-6, 0.0),
        processor=np.zeros(hosts, np.int64), position_latency=np.array([1e-6]), tail=0.003,
    )  # fmt: skip


def _moderated(hosts: int, random: np.random.Generator) -> Structure:
    """25 Gbit/s, TCP by the kernel, two ranks in each host; 60 % of the hosts, at random, moderate their interrupts.

    A message to these takes 14 us longer, one from them does not, as with drivers that wait up to 50 us (rx-usecs) and
    owners of whom only some switched that off. No fact says so. Apart from this, messages take 2 us longer on the older
    processors, in the first half of the racks. An uplink of 40 Gbit/s for 4 hosts, 5:2; a hash gives each pair one. 9
    us at each end, with a long tail; 0.4 % of readings are longer. The numbers are chosen here.
    """
    rack = _leaves(hosts)
    old = 2 * rack <= rack[-1]
    wait = np.where(random.permutation(hosts) < round(0.6 * hosts), 14e-6, 0.0)
    return Structure(
        hosts, LateInterrupts(rack, 4, "static", 0.4 * RATE, wait), each=2, rate=np.full((hosts, 1), RATE / 4),
        overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 0), position_latency=np.full(2, 9e-6),
        interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _spines_in_the_middle(hosts: int) -> Structure:
    """200 Gbit/s, two ranks in each host; the spines stand in the middle of a row, so other leaves have longer cables.

    As NDR with an uplink of 400 Gbit/s for two hosts, 1:1 adaptive: 10 m from a leaf to the next one, with the racks of
    its hosts between. Within a leaf all are as near. The last quarter of the leaves have processors with fast memory
    (Xeon Max), where messages within a host reach 1.6 times the rate. The rank far from the adapter takes 0.3 us longer
    and reaches 95 % of the rate. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    leaves = int(leaf[-1]) + 1
    away = CABLE * np.abs(np.arange(leaves) - (leaves - 1) / 2)
    fast = 4 * leaf >= 3 * leaves
    return replace(
        _far_socket(hosts, 2, 0.95, 0.3e-6), plane=FarSpines(leaf, 2, "adaptive", 4 * RATE, away),
        rate=np.full((hosts, 1), 2 * RATE), memory=np.where(fast, 1.6, 1.0), processor=np.where(fast, 4, 3),
    )  # fmt: skip


def _tunnels_between_racks(hosts: int) -> Structure:
    """25 Gbit/s, TCP, two ranks in each host; packets are put into a tunnel only where they go to another rack.

    As Kubernetes with Calico and VXLAN "CrossSubnet", where each rack is a subnet: 7 us longer, and a flow gets 14
    Gbit/s, as one core unpacks it. In three of eight racks, the newer ones, adapters help with that (offloads for
    tunnels), and two of these racks do 21 Gbit/s. On the older processors messages take 2 us longer. An uplink of 100
    Gbit/s for 8 hosts, or for fewer; a hash gives each pair one. 10 us at each end, with a long tail; 0.4 % of readings
    are longer. The numbers are chosen here.
    """
    rack = np.arange(hosts) // max(2, min(16, hosts // 8))
    racks = int(rack[-1]) + 1
    old = 8 * np.arange(racks) < 5 * racks
    core = RATE * np.where(old, 0.14, 0.21)
    flow = np.where(np.eye(racks, dtype=bool), np.inf, np.minimum.outer(core, core))
    return Structure(
        hosts, FarSpines(rack, 8, "static", RATE, np.full(racks, 3.5e-6)), each=2,
        rate=np.full((hosts, 1), RATE / 4), group_rate=flow, overhead=np.where(old[rack], 2e-6, 0.0),
        processor=np.where(old[rack], 2, 3), position_latency=np.full(2, 10e-6), interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _around_by_the_processor(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, all on the leaf of the rack, 2:1.

    In the first three eighths of the hosts, a lot that ends within a rack, the BIOS leaves access control (ACS) on, as
    virtual machines need it. So what adapters read of their GPU goes around by the processor, and not straight by the
    PCIe switch that both are on: 0.6 us longer at an end, and 42 % of the rate. All say the same of themselves. Tables
    deal out the receivers of a leaf to the uplinks of 400 Gbit/s. 1 us at each end. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    around = 8 * np.arange(count) < 3 * count
    rate = 2 * RATE * np.where(around, 0.42, 1.0)[:, None]
    return Structure(
        count, DealtOut(np.repeat(_leaves(count), 4), 4, 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.tile(rate, (1, 4)), nominal=np.full((count, 4), 2 * RATE), overhead=np.where(around, 0.6e-6, 0.0),
        processor=np.zeros(count, np.int64), position_latency=np.full(4, 1e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 240e9),
    )  # fmt: skip


def _blades_and_servers(hosts: int) -> Structure:
    """Half of the hosts are blades in chassis with a switch each, the others came later, in racks; two ranks in each.

    All say 100 Gbit/s, but blades have 8 lanes of PCIe 3, which do 63. A chassis has up to 14 blades, and an uplink of
    100 Gbit/s for 3 of them, as many as there were ports left at the spines; a rack has one of 200 Gbit/s for 2 hosts,
    1:1 (HDR100). A receiver has one uplink. On the older processors of blades, messages take 0.15 us longer; the rank
    far from the adapter takes 0.25 us longer and reaches 94 % of the rate. The numbers are chosen here.
    """
    blades, every = hosts // 2, np.arange(hosts)
    blade = every < blades
    chassis, racks = -(-blades // max(3, min(14, hosts // 8))), -(-blades // max(2, min(20, hosts // 8)))
    rack = chassis + (every - blades) * racks // (hosts - blades)
    leaf = np.where(blade, every * chassis // blades, rack)
    of_chassis = np.arange(chassis + racks) < chassis
    plane = FatTree(leaf, np.where(of_chassis, 3, 2), "by receiver", RATE * np.where(of_chassis, 1.0, 2.0))
    return replace(
        _far_socket(hosts, 2, 0.94), plane=plane, rate=RATE * np.where(blade, 0.63, 1.0)[:, None],
        nominal=np.full((hosts, 1), RATE), overhead=np.where(blade, 0.15e-6, 0.0), processor=np.where(blade, 2, 3),
    )  # fmt: skip


def _older_blades_by_load(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each; in each group the last quarter of them have 100 Gbit/s, the others 200.

    As a Slingshot system that kept some of its first blades, with ConnectX-5 (Slingshot 10), when the others got new
    adapters (Slingshot 11): all are on the same switches, and messages take 0.25 us longer with the older ones. Routes
    follow the load; a job in four or more of 10 groups. The first of four NUMA nodes has the adapter, and the second
    socket reaches 94 % of the rate. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, min(16, count // 4))
    place = places_in(group)
    old = 4 * (place + 1) > 3 * np.bincount(group)[group]
    longer, inside = _numa_places(4)
    return Structure(
        count, Slingshot(group, place // 4, 10, 2 * RATE), each=4, rate=RATE * np.where(old, 1.0, 2.0)[:, None],
        overhead=np.where(old, 0.25e-6, 0.0), processor=np.zeros(count, np.int64),
        position_rate=np.repeat([1.0, 0.94], 2), position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _bare_and_virtual(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, 4 ranks each, 100 Gbit/s: 35 to 50 % of them, at random, are virtual, as large as the machine.

    As a private cloud that also rents out bare metal (OpenStack with Ironic). A virtual switch on some cores moves all
    packets of a virtual machine, 45 Gbit/s for what it sends and receives together, and takes 5 us at an end. Facts are
    the same: processors are passed on, and adapters tell the rate of the port. An uplink of 100 Gbit/s for 2 hosts,
    2:1; a hash gives each two hosts one. TCP, 9 us at each end, with a long tail; 0.5 % of readings are longer. The
    numbers are chosen here.
    """
    count = max(8, hosts // 2)
    virtual = random.permutation(count) < round(count * random.uniform(0.35, 0.5))
    return Structure(
        count, Threads(_leaves(count), 2, RATE, RATE * np.where(virtual, 0.45, 2.0)), each=4,
        overhead=np.where(virtual, 5e-6, 0.0), processor=np.zeros(count, np.int64), position_latency=np.full(4, 9e-6),
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _shared_with_others(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, 2:1; half of the hosts, with 4 ranks each, and other jobs on the other cores of all.

    As where a scheduler gives out cores and not hosts. In a quarter of the steps, which are others for each host, what
    the others send and receive takes 35 % of an adapter, and messages wait there. The processor does the work of the
    adapter, 0.3 us at each end, and 0.25 us more on the far socket, which reaches 94 % of the rate. A receiver has one
    uplink; 1 % of readings are disturbed. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    alone = _far_socket(count, 4, 0.94)
    return replace(
        alone, plane=SharedHosts(_leaves(count), 2, 0.35), position_latency=0.3e-6 + alone.position_latency,
        hyperthreads=0.01,
    )  # fmt: skip


def _a_host_in_each_rack(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; a leaf for each rail of each pod, 1:1.

    A rack has one of them, as many halls can cool no more by air, and all leaves of a pod stand at the end of its row:
    a message takes 0.04 us longer for each rack further from them, 8 m of cable up, along and down. The last three
    eighths of the hosts are of another maker, with a further PCIe switch on the way to each adapter, 0.1 us. No fact
    says so. The second four GPUs take 0.12 us longer than the first. Adaptive, 0.9 us at each end. The numbers are
    chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(4, min(32, count // 4))
    other = 8 * np.arange(count) >= 5 * count
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), overhead=0.04e-6 * places_in(pod) + 0.1e-6 * other,
        processor=np.full(count, 3), position_latency=np.repeat([0.9e-6, 1.02e-6], 4),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _fleet(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines with 4 ranks in a placement group, of three types as there were spare ones.

    A quarter may do 12.5 Gbit/s, a half 25 and a quarter 50, as their adapters say, in no order; but a flow gets 10
    Gbit/s at most, as within a placement group of AWS. So only several flows of a machine meet its limit, and of the
    largest ones never. They are of three generations, as their processors tell: messages take 4 us longer on the oldest
    and 2 us on the next. Nothing blocks; readings of small messages have a long tail, and 1 % of all are longer. The
    mixture and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    kind = random.permutation(np.array([0, 1, 1, 2])[np.arange(count) % 4])
    return Structure(
        count, Placement(np.zeros(count, np.int64), random), each=4, tunnel_rate=0.1 * RATE,
        rate=RATE * np.array([0.125, 0.25, 0.5])[kind][:, None], overhead=np.array([4e-6, 2e-6, 0.0])[kind],
        processor=np.array([2, 0, 3])[kind], interrupts=3e-6, tail=0.01,
    )  # fmt: skip


def _two_packages(hosts: int) -> Structure:
    """Hosts of two packages that are processor and accelerator in one; the adapter of 400 Gbit/s is on the first.

    As Viper of MPCDF with two MI300A. What the second one sends crosses to the first: 0.2 us longer, and 93 % of the
    rate; between the two it is 90 GB/s. In the last three eighths of the hosts, a delivery that begins within a rack,
    the firmware lets the fabric of the packages clock down: 0.18 us longer at an end, and 80 % of the rate within a
    host. No fact says so. Racks of up to 16 hosts with an uplink of 400 Gbit/s for 2, adaptive. The numbers are chosen
    here.
    """
    low = 8 * np.arange(hosts) >= 5 * hosts
    return replace(
        _far_socket(hosts, 2, 0.93, 0.2e-6), plane=FatTree(_leaves(hosts), 2, "adaptive", 4 * RATE),
        rate=np.full((hosts, 1), 4 * RATE), overhead=np.where(low, 0.18e-6, 0.0), processor=np.full(hosts, 3),
        memory=np.where(low, 0.8, 1.0), inside_rate=np.full((2, 2), 90e9),
    )  # fmt: skip


def _ports_on_two_planes(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs; each adapter has two ports of 200 Gbit/s, on two planes that do not meet.

    As HPN of Alibaba (Qian et al., SIGCOMM 2024), with a pair of leaves for each rail of each segment, and RoCE: a hash
    gives each two adapters a plane and an uplink of 200 Gbit/s, 1:1. In the last quarter of each segment hosts have
    adapters of the year before, with one port, on the first plane: 0.25 us longer at an end. All say 200 Gbit/s, the
    rate of a port. 1 us at each end, 0.1 us more on the second socket; 0.3 % of readings are longer. The older hosts
    and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    segment = np.arange(count) // max(4, count // 4)
    old = 4 * (places_in(segment) + 1) > 3 * np.bincount(segment)[segment]
    return Structure(
        count, TwoPorts(_leaf_per_rail(segment, 8), 1, 2 * RATE, np.repeat(old, 8)), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 2 * RATE), overhead=np.where(old, 0.25e-6, 0.0),
        processor=np.full(count, 3), position_latency=np.repeat([1e-6, 1.1e-6], 4), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _sub_blocks(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs with 4 adapters of 200 Gbit/s, anywhere in two blocks.

    As A3 of Google Cloud without a compact placement: machines are in sub-blocks, 1:1, of which two and more are a
    block, 2:1, and are numbered in no order. A flow gets 130 Gbit/s at most, so two GPUs fill the adapter that they
    share. 25 to 45 % of the machines, at random, are on servers whose card for virtualisation is older: 2.5 us longer
    at an end, and no fact says so. A hash gives each two adapters one way; 8 us at each end, 1 us more on the second
    socket, with a long tail, and 0.5 % of readings are longer. The numbers of all but the adapters are chosen here.
    """
    count = max(8, hosts // 4)
    sub_block = random.permutation(np.arange(count) * 4 // count)
    older = random.permutation(count) < round(count * random.uniform(0.25, 0.45))
    adapters = np.repeat(sub_block, 4)
    plane = Stacked(FatTree(adapters, 1, "static", 2 * RATE), FatTree(adapters // 2, 2, "static", 2 * RATE), 1e-6)
    return Structure(
        count, plane, each=8, rails=4, one_plane=True, other_rail=0.0, tunnel_rate=1.3 * RATE,
        rate=np.full((count, 4), 2 * RATE), overhead=np.where(older, 2.5e-6, 0.0), processor=np.full(count, 3),
        position_latency=np.repeat([8e-6, 9e-6], 4), interrupts=2e-6, tail=0.005,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _strict_order(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 4 GPUs on PCIe in two pairs with a bridge each, and an adapter of 200 Gbit/s for each pair.

    As servers with H100 NVL. In 25 to 45 % of them, at random, the firmware keeps the order of what adapters write
    (relaxed ordering off), as its default was when they came: an adapter receives 62 % of what it sends. They say the
    same of themselves. Within a pair 240 GB/s, between the two 22 GB/s by the processors, and 0.8 us longer. Both
    adapters are on the leaf of the rack, which has an uplink of 400 Gbit/s for 4 adapters, 2:1; a hash gives each two
    adapters one. 0.8 us at each end. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    strict = random.permutation(count) < round(count * random.uniform(0.25, 0.45))
    receive = 2 * RATE * np.where(strict, 0.62, 1.0)
    apart = _in_other_parts(4, 2)
    return Structure(
        count, ReceiveQueues(np.repeat(_leaves(count), 2), 4, 4 * RATE, 1, np.repeat(receive, 2)), each=4, rails=2,
        one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(4, 0.8e-6), inside_latency=np.where(apart, NVLINK_LATENCY + 0.8e-6, NVLINK_LATENCY),
        inside_rate=np.where(apart, 22e9, 240e9),
    )  # fmt: skip


def _by_power_of_racks(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, all on the leaf of the rack; RoCE, 1:1.

    In the first half a rack has power for four hosts, in the other, of the next generation, for two; the last rack of
    each takes what is left over. The older ones have PCIe 4, by which adapters do 250 Gbit/s though all say 400, and
    two thirds of the rate of NVLink; messages take 0.2 us longer at such an end, and processors tell. Leaves have an
    uplink of 800 Gbit/s for two adapters; a hash gives each two adapters one. 1 us at each end; 0.3 % of readings are
    longer. As A100 and H100 with ConnectX-7; the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    every, older = np.arange(count), count // 2
    full, pairs = max(1, older // 4), max(1, (count - older) // 2)  # the last rack of each kind takes what is left
    rack = np.where(every < older, np.minimum(every // 4, full - 1), full + np.minimum((every - older) // 2, pairs - 1))
    old = every < older
    rate = 4 * RATE * np.where(old, 0.625, 1.0)
    return Structure(
        count, FatTree(np.repeat(rack, 8), 2, "static", 8 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.repeat(rate[:, None], 8, axis=1), nominal=np.full((count, 8), 4 * RATE),
        overhead=np.where(old, 0.2e-6, 0.0), processor=np.where(old, 3, 4), position_latency=np.full(8, 1e-6),
        memory=np.where(old, 2 / 3, 1.0), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _groups_with_and_without_gpus(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each, in four groups of a Slingshot dragonfly of 12; three of these have GPUs.

    As Perlmutter of NERSC: hosts with GPUs have 4 adapters of 200 Gbit/s, the others one for all ranks, and both tell.
    On the latter messages take 0.15 us less, as they need not come from a GPU, and reach 40 % of the rate within the
    host. The system has its cores beside those of the first rank: 0.1 us longer for its messages. Groups are rows: 0.05
    us for each between two, and routes follow the load. The latencies are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) * 4 // count
    gpus = group < 3
    of_adapter, switch = np.repeat(group, 4), np.repeat(places_in(group) // 4, 4)
    return Structure(
        count, SlingshotInRows(of_adapter, switch, 12, 2 * RATE, CABLE), each=4, rails=4, one_plane=True,
        other_rail=0.0, single=~gpus, rate=np.full((count, 4), 2 * RATE), overhead=np.where(gpus, 0.15e-6, 0.0),
        processor=np.where(gpus, 3, 0), position_latency=np.array([0.1e-6, 0.0, 0.0, 0.0]),
        memory=np.where(gpus, 1.0, 0.4), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 80e9),
    )  # fmt: skip


def _peer_links(hosts: int) -> Structure:
    """10 Gbit/s, TCP, two ranks in each host; leaves in pairs (MLAG), but hosts have one port, on one of the two.

    So messages to the twin leaf go over the two cables of 40 Gbit/s between the two switches, and others by the spines:
    an uplink of 40 Gbit/s for 4 hosts, 1:1; hashes choose the cables. As departments that have bought pairs of switches
    for their servers, and put a cluster on them. The first half of the hosts have older processors, whose kernels flush
    caches against Meltdown and Spectre at each system call: 2 us longer. 10 us at each end, with a long tail; 0.5 % of
    readings are longer. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 4))
    old = 2 * np.arange(hosts) < hosts
    return Structure(
        hosts, PeerLinks(leaf, 4, 0.4 * RATE, 0.4 * RATE), each=2, rate=np.full((hosts, 1), 0.1 * RATE),
        overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 3), position_latency=np.full(2, 10e-6),
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _spines_of_two_kinds(hosts: int) -> Structure:
    """100 Gbit/s (EDR), two ranks in each host; every second spine is part of a director switch, the others are small.

    A message passes three chips in the director, about 0.4 us by its data sheet, and one of 0.1 us otherwise: 0.3 us
    longer. As a university that got more spines than it bought at first. A receiver has one uplink, so it is as far
    from all hosts of another leaf, but these may be nearer than it is to them. 2:1; in the last quarter of the leaves
    the processors are newer, and messages take 0.15 us less. The rank far from the adapter takes 0.25 us longer and
    reaches 94 % of the rate. What processors and sockets cost is chosen here.
    """
    leaf = _leaves(hosts)
    old = 4 * leaf < 3 * (int(leaf[-1]) + 1)
    return replace(
        _far_socket(hosts, 2, 0.94), plane=UnlikeSpines(leaf, 2, "by receiver", RATE, np.array([0.0, 0.3e-6])),
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 0),
    )  # fmt: skip


def _storage_on_first_rail(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod.

    The leaves of the first rail also lead to storage, and so have only half as many uplinks as the others, which are
    1:1. As clusters that spare a network for storage. Adaptive. The first pod was there before the others and has older
    processors, on which messages take 0.12 us longer. The second four GPUs take 0.1 us longer: the cores that start
    their messages are on the first socket. 0.8 us at each end. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, count // 4)
    pods = int(pod[-1]) + 1
    ratio = np.where(np.arange(8 * pods) < pods, 2, 1)
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), ratio, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), overhead=np.where(pod == 0, 0.12e-6, 0.0),
        processor=np.where(pod == 0, 0, 3), position_latency=np.repeat([0.8e-6, 0.9e-6], 4),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _bridged_pairs(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs on PCIe and one adapter; a bridge of NVLink joins the two GPUs of each socket.

    A bridge does 56 GB/s (A40), of which 50 are left for data. To the other socket GPUs copy through the memory of the
    host, 11 GB/s. Those of the second socket are far from the adapter: 0.4 us longer, and 90 % of its rate. The first
    five eighths of the hosts have adapters of 100 Gbit/s, the newer ones, which begin within a rack, 200, and messages
    take 0.15 us less. All say so. An uplink of 200 Gbit/s for two hosts, 1:1 for the older and 2:1 for the newer ones;
    a receiver has one. As departments that extend a cluster of servers with GPUs for inference and small training. The
    numbers of sockets and processors are chosen here.
    """
    count = max(8, hosts // 2)
    old, socket = 8 * np.arange(count) < 5 * count, np.arange(4) // 2
    apart = np.not_equal.outer(socket, socket)
    return Structure(
        count, FatTree(_leaves(count), 2, "by receiver", 2 * RATE), each=4,
        rate=RATE * np.where(old, 1.0, 2.0)[:, None], overhead=np.where(old, 0.15e-6, 0.0),
        processor=np.where(old, 0, 3), position_rate=np.where(socket == 1, 0.9, 1.0),
        position_latency=np.where(socket == 1, 1.4e-6, 1e-6), inside_latency=np.where(apart, 2e-6, 1.2e-6),
        inside_rate=np.where(apart, 11e9, 50e9),
    )  # fmt: skip


def _new_pods_on_an_old_core(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 200 Gbit/s; pods of two leaves on an old core.

    Within a pod switches have 200 Gbit/s and adaptive routes, 1:1. The core has 100 Gbit/s and tables: a pod has a
    cable for each host, 2:1, and a receiver one of these. So a flow to another pod gets half of its rate. As centres
    that keep the core of the cluster before (EDR) above new racks (HDR). The last quarter of the pods have newer
    processors, 0.1 us less. Cables to the core are 20 m longer. The second socket reaches 93 % of the rate. The numbers
    are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(16, count // 8))
    leaf = np.minimum(np.arange(count) // size, count // size - 1)  # of the last one hosts may be more
    pod = leaf // 2
    old = 4 * pod < 3 * (int(pod[-1]) + 1)
    longer, inside = _numa_places(4)
    plane = Stacked(FatTree(leaf, 1, "adaptive", 2 * RATE), FatTree(pod, 1, "by receiver"), 2 * CABLE)
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), 2 * RATE), overhead=np.where(old, 0.1e-6, 0.0),
        processor=np.where(old, 0, 3), position_rate=np.repeat([1.0, 0.93], 2), position_latency=longer,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _replaced_machines(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 GPUs and 40 Gbit/s, in a placement group but for those it lost. TCP.

    As g5.12xlarge of AWS, as spot machines: some were taken back, and those that stand in for them, 25 to 40 % at
    random, came in two batches elsewhere in the zone, each batch together. A flow gets 10 Gbit/s within a group, 5
    otherwise, so that four fill a machine only within. The machines are the same, and none says where it is. GPUs reach
    each other through the memory of the host. Readings of small messages have a long tail, and 1 % of all are longer.
    How machines are lost is chosen here.
    """
    count = max(8, hosts // 2)
    lost = max(4, round(count * random.uniform(0.25, 0.4)))
    group = random.permutation(np.append(np.zeros(count - lost, np.int64), 1 + np.arange(lost) * 2 // lost))
    return Structure(
        count, Placement(group, random), each=4, rate=np.full((count, 1), 0.4 * RATE),
        group_rate=RATE * np.where(np.eye(3, dtype=bool), 0.1, 0.05), position_latency=np.full(4, 6e-6),
        socket=np.zeros(4, np.int64), inside_latency=np.full((4, 4), 8e-6), inside_rate=np.full((4, 4), 9e9),
        interrupts=3e-6, tail=0.01,
    )  # fmt: skip


def _servers_on_the_core(hosts: int) -> Structure:
    """A department: PCs of 2.5 Gbit/s in three rooms, each with a switch, and servers of 10 on the core switch. TCP.

    A room has a cable of 10 Gbit/s to the core for 8 PCs, 2:1, or for fewer. The last quarter of the hosts are the
    servers: 12 us at an end, but 18 on a PC, whose cores sleep and whose adapter is on the board. Two ranks in each;
    0.8 % of readings are longer, by what users do. Hosts tell their rates and processors. The numbers are chosen here.
    """
    pcs = hosts - max(2, hosts // 4)
    pc = np.arange(hosts) < pcs
    group = np.where(pc, np.arange(hosts) * 3 // pcs, 3)
    return Structure(
        hosts, HostsOnCore(group, 8, 0.1 * RATE), each=2, rate=RATE * np.where(pc, 0.025, 0.1)[:, None],
        overhead=np.where(pc, 6e-6, 0.0), processor=np.where(pc, 2, 3), position_latency=np.full(2, 12e-6),
        interrupts=3e-6, tail=0.008,
    )  # fmt: skip


def _numbered_in_two_orders(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod. RoCE.

    The last three eighths are of another maker, whose firmware finds the slots of adapters in another order: its second
    and third GPU, and its sixth and seventh, are on each other's leaf. So between hosts of two makers, messages of
    these ranks to the same one go by a spine even within a pod, and those to the other one do not. No fact says so.
    1:1; a message is cut into two queue pairs, each with an uplink by a hash. 1.3 us at each end; 0.3 % of readings are
    longer, because switches pause senders. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(4, min(32, count // 4))
    other = 8 * np.arange(count) >= 5 * count
    rail = np.where(other[:, None], [0, 2, 1, 3, 4, 6, 5, 7], np.arange(8))
    plane = QueuePairs((rail * (int(pod[-1]) + 1) + pod[:, None]).ravel(), 2, 4 * RATE, 0.0)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE),
        processor=np.full(count, 3), position_latency=np.full(8, 1.3e-6), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _twisted_pairs(hosts: int) -> Structure:
    """10 Gbit/s, TCP, two ranks in each host; every second rack has twisted pairs (10GBASE-T), the others SFP+ cables.

    Twisted pairs need error correction by long blocks: about 2.5 us for a cable by data sheets, and 0.3 us otherwise,
    so 2.2 us longer at each such host. No fact says so. A rack has a cable of 10 Gbit/s to one core for two hosts, 2:1;
    these count as one link (LACP), and a hash gives each two hosts one each way. Apart from this, the first half of the
    racks have older processors, 1.5 us longer. 10 us at each end, with a long tail; 0.5 % of readings are longer.
    Racks, processors and latencies of TCP are chosen here.
    """
    rack = _leaves(hosts)
    old = 2 * rack < int(rack[-1]) + 1
    return Structure(
        hosts, LagCore(rack, 2, 0.1 * RATE), each=2, rate=np.full((hosts, 1), 0.1 * RATE),
        overhead=np.where(rack % 2 == 1, 2.2e-6, 0.0) + np.where(old, 1.5e-6, 0.0), processor=np.where(old, 2, 0),
        position_latency=np.full(2, 10e-6), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _two_halls(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter each; two halls, of 200 and of 400 Gbit/s, each with its tree.

    A leaf for each rail of each pod, 1:1 adaptive within a hall, by switches of its own rate. An uplink of 400 Gbit/s
    for 4 adapters joins the halls: 2:1 for the older one and 4:1 for the newer one; a hash gives each two adapters one,
    and cables of 300 m take 1.5 us. As operators that join a hall with A100 to one with H100 for a larger job. On the
    older processors messages take 0.2 us longer. RoCE, 1 us at each end; 0.3 % of readings are longer, because switches
    pause senders. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, count // 4)
    pods = int(pod[-1]) + 1
    hall = 2 * np.arange(pods) // pods
    speed = RATE * np.array([2.0, 4.0])
    lower = FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", np.tile(speed[hall], 8))
    plane = Stacked(lower, FatTree(np.repeat(hall[pod], 8), 4, "static", 4 * RATE), 1.5e-6)
    old = hall[pod] == 0
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.tile(speed[hall[pod]][:, None], (1, 8)),
        overhead=np.where(old, 0.2e-6, 0.0), processor=np.where(old, 0, 3), position_latency=np.full(8, 1e-6),
        tail=0.003, inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), NVLINK_RATE),
    )  # fmt: skip


def _virtual_switches(hosts: int) -> Structure:
    """Virtual machines of 25 Gbit/s with two ranks each, four on a server, whose virtual switch moves all packets.

    As a private cloud with Open vSwitch and DPDK. In the first three eighths of the servers the switch has two cores,
    which move 36 Gbit/s, for what the four send and receive together; in the others four cores, 72. So a message alone
    gets 25 Gbit/s on either. Servers and processors are the same, and no fact tells the cores. A leaf has an uplink of
    100 Gbit/s for 8 machines, 2:1, or for fewer; a hash gives each two machines one. TCP: 11 us at each end, with a
    long tail; 0.8 % of readings are longer. The numbers are chosen here; a core moves some million packets per second.
    """
    server = np.arange(hosts) // 4
    servers = int(server[-1]) + 1
    few = 8 * np.arange(servers) < 3 * servers
    leaf = server // max(1, min(4, servers // 4))
    return Structure(
        hosts, VirtualSwitches(leaf, 8, RATE, server, RATE * np.where(few, 0.36, 0.72)), each=2,
        rate=np.full((hosts, 1), RATE / 4), socket=np.zeros(2, np.int64), position_latency=np.full(2, 11e-6),
        processor=np.full(hosts, 3), interrupts=3e-6, tail=0.008,
    )  # fmt: skip


def _numa_settings(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, 4 ranks each that share 100 Gbit/s; 30 to 50 %, at random, show a socket as one NUMA node.

    There memory is interleaved over the whole socket, and not over half of it (SNC): messages within the host reach 85
    % of the rate, and others take 0.08 us longer. So the firmware has it by default, and boards that were replaced kept
    it; the network and the processors are the same, and no fact here says so. The second socket is far from the
    adapter: 0.25 us longer, and 94 % of the rate. HDR100, about 3:2 adaptive, or 2:1 for small racks; 0.5 % of readings
    are disturbed by daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    default = random.permutation(count) < round(count * random.uniform(0.3, 0.5))
    return replace(
        _far_socket(count, 4, 0.94), plane=FatTree(_leaves(count), 1.5, "adaptive"),
        overhead=np.where(default, 0.08e-6, 0.0), processor=np.full(count, 3), memory=np.where(default, 0.85, 1.0),
        hyperthreads=0.005,
    )  # fmt: skip


def _adapter_on_second_socket(hosts: int) -> Structure:
    """Half of the hosts, 4 NUMA nodes with a rank on each that share 100 Gbit/s; the adapter is on the last node.

    As Levante of DKRZ (two EPYC, HDR100, a fat tree that is not 1:1). Other nodes are further from the adapter, 0.06
    us, and the first socket still further, 0.3 us, and reaches 94 % of its rate; the node of the adapter says so. An
    uplink of 200 Gbit/s for 4 hosts, 2:1 adaptive. The last eighth of the hosts, two or more, have twice the modules of
    memory, which are clocked lower: 88 % of the rate within a host, and no fact says so. Where the adapter is and the
    numbers are chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    large = np.arange(count) >= count - max(2, count // 8)
    return Structure(
        count, FatTree(_leaves(count), 4, "adaptive", 2 * RATE), each=4, turned=np.ones(count, bool),
        position_rate=np.repeat([1.0, 0.94], 2), position_latency=longer, memory=np.where(large, 0.88, 1.0),
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _four_links_of_a_rack(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an Omni-Path adapter of 100 Gbit/s each, all on the leaf of the rack, 2:1.

    As the partitions with V100 of Jean Zay (IDRIS), whose hosts have four links. A leaf has 8 hosts, or fewer of a
    small job, and an uplink for two adapters; its tables change now and then. Two links of NVLink join any two GPUs, 50
    GB/s. Messages go from the memory of a GPU through that of the host: 0.4 us at each end; 1 % of readings are
    disturbed. Racks and numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, Tables(np.repeat(leaf, 4), 2), each=4, rails=4, one_plane=True, other_rail=0.0,
        position_latency=np.full(4, 0.4e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 50e9), hyperthreads=0.01,
    )  # fmt: skip


def _leaves_of_four_rails(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, and a leaf for each rail of each pod, 1:1.

    As Tursa of DiRAC in Edinburgh (A100, HDR), bought in two lots, as here: the last three eighths of the hosts, which
    begin within a pod, have newer processors, on which messages take 0.1 us less. Tables deal out the receivers of a
    leaf to its uplinks in turns. NVLink joins the GPUs of a host, 100 GB/s for each two; 0.5 us at each end. The leaves
    and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    pod = np.arange(count) // max(4, min(16, count // 4))
    old = 8 * np.arange(count) < 5 * count
    return Structure(
        count, DealtOut(_leaf_per_rail(pod, 4), 1, 2 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 0, 3),
        position_latency=np.full(4, 0.5e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 100e9),
    )  # fmt: skip


def _generations_in_a_dragonfly_plus(hosts: int) -> Structure:
    """A dragonfly+ of HDR, two ranks in each host; the first five eighths have 100 Gbit/s (HDR100), the others 200.

    As Gadi of NCI (Cascade Lake, and Sapphire Rapids later), here with the new hosts beginning within a group. Cables
    have 200 Gbit/s. On the older processors messages take 0.2 us longer; the far socket takes 0.25 us longer and
    reaches 94 % of the rate. 30 % of the messages between groups take a third one. The numbers are chosen here.
    """
    old = 8 * np.arange(hosts) < 5 * hosts
    return replace(
        _far_socket(hosts, 2, 0.94), plane=DragonflyPlus(hosts, max(4, min(16, hosts // 4)), 0.3, 2 * RATE),
        rate=RATE * np.where(old, 1.0, 2.0)[:, None], overhead=np.where(old, 0.2e-6, 0.0),
        processor=np.where(old, 0, 4),
    )  # fmt: skip


def _adapter_on_third_node(hosts: int) -> Structure:
    """A quarter of the hosts, 8 NUMA nodes with a rank on each that share 100 Gbit/s; the third one has the adapter.

    As Anvil of Purdue (two EPYC 7763, HDR100, 3:1). The nodes of its socket take 0.06 us longer, those of the other one
    0.3 us, and these reach 92 % of the rate. An uplink of 100 Gbit/s for 3 hosts, adaptive: 3:1, or up to 4:1 where
    hosts do not divide by three. 0.5 % of readings are disturbed by daemons. The node and the latencies are chosen
    here.
    """
    count = max(8, hosts // 4)
    _, inside = _numa_places(8)
    node = np.arange(8)
    longer = np.array([0.0, 0.06e-6, 0.3e-6])[_levels_apart(node, node // 4)[2]]
    return Structure(
        count, FatTree(_leaves(count), 3, "adaptive"), each=8, position_rate=np.repeat([1.0, 0.92], 4),
        position_latency=longer, hyperthreads=0.005, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _three_groups(hosts: int) -> Structure:
    """All of a small Slingshot dragonfly: three groups, 200 Gbit/s, and hosts of two chips with a rank on each.

    As Isambard 3 of Bristol (Grace superchips, 384 hosts). Routes follow the load; so what does not go directly has
    just one other group to go by. Four hosts are on a switch. The adapter is on the first chip; the second one takes
    0.12 us longer and reaches the whole rate, and between the two it is 60 GB/s. The groups, switches and numbers are
    chosen here.
    """
    group = np.arange(hosts) * 3 // hosts
    return replace(
        _far_socket(hosts, 2, 1.0, 0.12e-6), plane=Slingshot(group, places_in(group) // 4, 3, 2 * RATE),
        rate=np.full((hosts, 1), 2 * RATE), inside_rate=np.full((2, 2), 60e9),
    )  # fmt: skip


def _four_purchases(hosts: int) -> Structure:
    """A condo cluster that was filled leaf by leaf in four years: 3, 5, 2 and 6 of 16 hosts, two ranks in each.

    As Klone of the University of Washington (HDR). So a purchase ends and the next one begins within a leaf. The first
    two years have 100 Gbit/s, the others 200; messages take 0.3, 0.2, 0.1 and 0 us longer at an end, and processors
    tell. An uplink of 200 Gbit/s for 4 hosts, 2:1 for the older and 4:1 for the newer ones; a receiver has one. The far
    socket takes 0.25 us longer and reaches 93 % of the rate. The numbers are chosen here.
    """
    year = np.searchsorted([3, 8, 10], 16 * np.arange(hosts) / hosts, "right")
    return replace(
        _far_socket(hosts, 2, 0.93), plane=FatTree(_leaves(hosts), 4, "by receiver", 2 * RATE),
        rate=RATE * np.array([1.0, 1.0, 2.0, 2.0])[year][:, None],
        overhead=np.array([0.3e-6, 0.2e-6, 0.1e-6, 0.0])[year], processor=np.array([2, 0, 3, 4])[year],
    )  # fmt: skip


def _sprayed_with_flow_limits(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of one processor with 200 Gbit/s and 4 ranks, where there was room.

    As hpc7g.16xlarge of AWS (Graviton3E, EFA), which spreads packets over many ways (SRD; Shalev et al., IEEE Micro
    2020). The processor is one NUMA node, so its ranks are alike. A flow gets 80 Gbit/s at most, so three fill a
    machine. 5 us at each end; between switches of the lowest layer 0.6 us more, and between those of the next 1 us more
    than that. 0.5 % of readings are longer. The flow limit and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    group = random.permutation(np.arange(count) // max(2, min(8, count // 4)))
    return Structure(
        count, Sprayed(group, 0.4e-6, 2 * RATE), each=4, tunnel_rate=0.8 * RATE, rate=np.full((count, 1), 2 * RATE),
        position_latency=np.full(4, 5e-6), socket=np.zeros(4, np.int64), tail=0.005,
    )  # fmt: skip


def _pairs_of_gpus_on_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs on PCIe without NVLink; two share an adapter of 400 Gbit/s on their switch.

    As NVIDIA's reference for servers with L40S and Spectrum-X (2-8-5). A GPU has 16 lanes of PCIe 4, 25 GB/s, so two
    fill an adapter. Between the two 22 GB/s, to others of the socket 18 by the processor, and 12 to the other socket;
    0.4 and 0.9 us longer. A leaf for each of the 4 rails of each pod, 1:1 adaptive; 1 us at each end, and 0.3 % of
    readings are longer, because switches pause senders. The pods and all rates within hosts are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(4, min(32, count // 4))
    apart = _levels_apart(np.arange(8) // 2, np.arange(8) // 4)
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 4), 1, "adaptive", 4 * RATE), each=8, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 4 * RATE), position_rate=np.full(8, 0.5),
        position_latency=np.full(8, 1e-6), processor=np.full(count, 3), tail=0.003,
        inside_latency=1.5e-6 + np.array([0.0, 0.4e-6, 0.9e-6])[apart],
        inside_rate=np.array([22e9, 18e9, 12e9])[apart],
    )  # fmt: skip


def _anywhere_in_a_tree(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines as large as their host, 100 Gbit/s and a rank on each of two sockets, numbered in no order.

    As HC44rs of Azure (Skylake, EDR, a fat tree 1:1 with adaptive routes): the machines of a scale set are where there
    was room, 2, 3 and 5 times as many behind a leaf, and no fact says where. The adapter is passed on (SR-IOV): 0.3 us
    at each end. The far socket takes 0.25 us longer and reaches 95 % of the rate; 1 % of readings are disturbed by the
    hypervisor. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.95)
    return replace(
        far, plane=FatTree(random.permutation(_partly_used_leaves(hosts)), 1, "adaptive"),
        position_latency=0.3e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _three_switches(hosts: int) -> Structure:
    """A department: three switches with a third of the hosts each, two ranks in a host; cables of 200 Gbit/s.

    As where a cluster got a second and a third switch without spines. Any two switches have a cable for 12 hosts of the
    cluster, or a single one; tables deal these out to the receivers of a switch in turns. Hosts have 100 Gbit/s
    (HDR100). The last quarter of them has newer processors, on which messages take 0.15 us less; they are on the last
    switch, which was not full. The far socket takes 0.25 us longer and reaches 93 % of the rate. The numbers are chosen
    here.
    """
    old = 4 * np.arange(hosts) < 3 * hosts
    return replace(
        _far_socket(hosts, 2, 0.93), plane=DealtMesh(np.arange(hosts) * 3 // hosts, max(1, hosts // 12), 2 * RATE),
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 3),
    )  # fmt: skip


def _replaced_boards(hosts: int, random: np.random.Generator) -> Structure:
    """56 Gbit/s (FDR), a rank in each host, 1:1 with an uplink for each receiver: a cluster on its second owner.

    As universities take over racks from national centres, e.g. of Ranger of TACC. The boards of 20 to 35 % of the
    hosts, at random, were replaced in the course of the years, and their firmware has other settings of power: messages
    take 0.15 us longer at such an end. The processors are the same, and no fact says so. 0.5 % of readings are
    disturbed by daemons. The numbers are chosen here.
    """
    other = random.permutation(hosts) < round(hosts * random.uniform(0.2, 0.35))
    rate = 0.545 * RATE
    return Structure(
        hosts, FatTree(_leaves(hosts), 1, "by receiver", rate), rate=np.full((hosts, 1), rate),
        overhead=np.where(other, 0.15e-6, 0.0), processor=np.full(hosts, 2), hyperthreads=0.005,
    )  # fmt: skip


def _free_hosts(hosts: int, random: np.random.Generator) -> Structure:
    """A job on half of a machine of 100 Gbit/s (EDR): two hosts or more of each rack, and else what is free, at random.

    A leaf has an uplink for two of its hosts, also where the job has only a few of these, and a receiver has one by its
    address, which follows the place in the machine. So two hosts of a rack may share an uplink while others are idle.
    Hosts get a new kernel when a job ends there: on 40 to 60 %, at random, it works around one more fault of
    processors, and messages take 0.12 us longer. No fact says so. Two ranks in each host; the one far from the adapter
    takes 0.25 us longer and reaches 94 % of the rate. As centres of many users; the numbers are chosen here.
    """
    size = max(4, min(24, hosts // 4))
    free = random.permutation(2 * hosts)
    rack = free // size
    turn = np.array([(rack[:place] == own).sum() for place, own in enumerate(rack.tolist())])
    taken = np.sort(free[np.argsort(turn >= 2, kind="stable")[:hosts]])
    leaf = np.unique(taken // size, return_inverse=True)[1].astype(np.int64)
    new = random.permutation(hosts) < round(hosts * random.uniform(0.4, 0.6))
    return replace(
        _far_socket(hosts, 2, 0.94), plane=NumberedByArrival(leaf, np.bincount(leaf) / (size // 2 + 0.5), taken),
        overhead=np.where(new, 0.12e-6, 0.0), processor=np.zeros(hosts, np.int64),
    )  # fmt: skip


def _bound_by_cores(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPU dies; ranks are bound to cores in order, but dies are near others: 2 and 3 only.

    As on LUMI-G of CSC without its masks, where the first cores are near the fifth die: for the other six, what the
    processor and the die exchange crosses NUMA nodes, 0.2 us. Two dies share an adapter of 200 Gbit/s, which is on the
    odd one, and are joined by the links of MI250X. The job has 2, 3 and 5 hosts of a group in turns, or multiples of
    these, of 24 groups of a Slingshot dragonfly, with four hosts on a switch; routes follow the load. In the last three
    eighths of the hosts, a lot that begins within a group, the IOMMU translates: 0.15 us longer at an end. No fact says
    so. The latencies are chosen here.
    """
    count = max(8, hosts // 4)
    group = _partly_used_leaves(count)
    plane = Slingshot(np.repeat(group, 4), np.repeat(places_in(group) // 4, 4), max(24, int(group[-1]) + 1), 2 * RATE)
    translates = 8 * np.arange(count) >= 5 * count
    return replace(
        _dies(4 * count), plane=plane, one_plane=True, other_rail=0.0, overhead=np.where(translates, 0.15e-6, 0.0),
        processor=np.full(count, 3),
        position_latency=np.tile([0.15e-6, 0.0], 4) + np.where(np.arange(8) // 2 == 1, 0.0, 0.2e-6),
    )  # fmt: skip


def _blades_of_three(hosts: int) -> Structure:
    """100 Gbit/s, two ranks in each host; a blade has three hosts, and each of these is on another leaf of its cell.

    As BullSequana X1000 with BXI, e.g. of CEA and of its partners: tables deal out the receivers of a leaf to its
    uplinks, 1:1 within a cell and 2:1 between two. There are two cells, or four from 32 hosts on; blades of two, if
    there are only 8 hosts. Processors of the last cell are Xeon Phi: 0.5 us longer, and half of the rate within the
    host; these say so. The rank far from the adapter takes 0.2 us longer and reaches 95 % of the rate. The numbers but
    for the blades are chosen here.
    """
    cells = 2 if hosts < 32 else 4
    cell = np.arange(hosts) * cells // hosts
    leaves = min(3, hosts // cells // 2)  # of a cell
    leaf = leaves * cell + places_in(cell) % leaves
    many = cell == cells - 1
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6), plane=Stacked(DealtOut(leaf, 1), DealtOut(cell, 2), 2 * CABLE),
        overhead=np.where(many, 0.5e-6, 0.0), processor=np.where(many, 1, 0), memory=np.where(many, 0.5, 1.0),
    )  # fmt: skip


def _last_bits(hosts: int) -> Structure:
    """10 Gbit/s, TCP, two ranks in each host; the last bits of addresses say which cable of a rack messages take.

    In the first five eighths of the hosts, a lot that ends within a rack, adapters have one port, and their addresses
    (MAC) follow each other. In the others they have two ports, of which one is in use, so that only every second
    address is there, and half of the cables between such hosts carry nothing. A rack has a cable of 10 Gbit/s to one
    core for two hosts, 2:1. The first lot has older processors: 1.5 us longer. 9 us at each end, with a long tail; 0.4
    % of readings are longer. As departments whose switches are set up as they came. The numbers are chosen here.
    """
    every = np.arange(hosts)
    old = 8 * every < 5 * hosts
    address = np.where(old, every, 1024 + 2 * every)
    return Structure(
        hosts, LastBits(_leaves(hosts), 2, address, 0.1 * RATE), each=2, rate=np.full((hosts, 1), 0.1 * RATE),
        overhead=np.where(old, 1.5e-6, 0.0), processor=np.where(old, 2, 3), position_latency=np.full(2, 9e-6),
        interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _stored_towards_quicker(hosts: int) -> Structure:
    """RoCE, two ranks in each host; of four hosts in a row three have 25 Gbit/s and the last one 100, as uplinks have.

    A switch stores what goes from a slower to a quicker cable: a packet of 4 KiB takes 1.3 us at 25 Gbit/s. So within a
    leaf, messages from a host of 25 to one of 100 take this longer and those back do not; to another leaf, all from
    hosts of 25 do. An uplink for four hosts, 7:4; a hash gives each two hosts one. On the older processors of the
    slower hosts, messages take 0.3 us longer. 1 us at each end; 0.3 % of readings are longer, because switches pause
    senders. As racks with a host for storage or GPUs among others; the numbers are chosen here.
    """
    quick = np.arange(hosts) % 4 == 3
    speed = RATE * np.where(quick, 1.0, 0.25)
    return Structure(
        hosts, StoredTowards(_leaves(hosts), 4, RATE, speed, 1.3e-6), each=2, rate=speed[:, None],
        overhead=np.where(quick, 0.0, 0.3e-6), processor=np.where(quick, 3, 2), position_latency=np.full(2, 1e-6),
        tail=0.003,
    )  # fmt: skip


def _sleeping_links(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, 4 ranks each that share 10 Gbit/s by twisted pairs; some links sleep while all is quiet.

    As Energy Efficient Ethernet (802.3az), where 10GBASE-T takes about 4.5 us to wake up, either way. That needs both
    ends: the switches of every second rack, from the first on, and 50 to 70 % of the hosts, at random, as the drivers
    of the others switch it off. No fact says so. An uplink of 40 Gbit/s for 8 hosts, 2:1, or for fewer; a hash gives
    each two hosts one. TCP: 10 us at each end, with a long tail; 0.5 % of readings are longer. All but the 4.5 us is
    chosen here.
    """
    count = max(8, hosts // 2)
    rack = _leaves(count)
    sleeps = (rack % 2 == 0) & (random.permutation(count) < round(count * random.uniform(0.5, 0.7)))
    return Structure(
        count, FatTree(rack, 8, "static", 0.4 * RATE), each=4, rate=np.full((count, 1), 0.1 * RATE),
        overhead=np.where(sleeps, 4.5e-6, 0.0), processor=np.zeros(count, np.int64),
        position_latency=np.full(4, 10e-6), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _joined_in_fours(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, of 8 pairs of accelerators with an adapter of 400 Gbit/s each; cables join four hosts.

    As UltraServers of Trainium2 in AWS, where the packets of a message to other ones are spread over all ways (SRD).
    One or two such fours are behind a switch, in no order, and two switches behind a further pair. Within a host the
    accelerators are a torus; here pairs are one of 2 x 4. 25 to 40 % of the hosts, at random, have an older version of
    what serves their adapters, and messages take 1.2 us longer at an end. No fact says so. 7 us at each end, with a
    long tail; 0.4 % of readings are longer. Among the four, messages are as those by NVLink. The numbers are chosen
    here.
    """
    count = max(8, hosts // 4)
    four = np.arange(count) // 4
    fours = int(four[-1]) + 1
    switch = random.permutation(fours)[four] // (1 if fours <= 4 else 2)
    older = random.permutation(count) < round(count * random.uniform(0.25, 0.4))
    row, column = np.divmod(np.arange(8), 4)
    along = np.abs(np.subtract.outer(column, column))
    steps = np.not_equal.outer(row, row) + np.minimum(along, 4 - along)
    return Structure(
        count, Sprayed(np.repeat(switch, 8), 1e-6, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0, domain=4,
        rate=np.full((count, 8), 4 * RATE), overhead=np.where(older, 1.2e-6, 0.0), processor=np.full(count, 3),
        position_latency=np.full(8, 7e-6), inside_latency=1e-6 + 0.3e-6 * steps,
        inside_rate=np.full((8, 8), 200e9), interrupts=1.5e-6, tail=0.004,
    )  # fmt: skip


def _hosts_for_storage(hosts: int) -> Structure:
    """Half of the hosts, of 4 groups of cores with a rank and an adapter each, in units of a torus; some also do I/O.

    As Fugaku of RIKEN, where hosts that lead to storage take part in jobs. Here this is every fourth host: its spare
    cores are busy, messages take 0.18 us longer at an end, and within it they reach 80 % of the rate. No fact says so.
    The third and fourth group are further from the controller of the adapters, 0.05 us. Cables and adapters do 6.8
    GB/s. Which hosts do I/O, and what it costs, is chosen here.
    """
    count = max(8, hosts // 2)
    plane = UnitInterfaces(*_units(count), 4, 6.8e9)
    serves = np.arange(count) % 4 == 3
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, rate=np.full((count, 4), 6.8e9),
        overhead=np.where(serves, 0.18e-6, 0.0), processor=np.zeros(count, np.int64),
        memory=np.where(serves, 0.8, 1.0), position_latency=np.repeat([0.0, 0.05e-6], 2),
        inside_latency=INSIDE_LATENCY + 0.1e-6 * (1 - np.eye(4)),
    )  # fmt: skip


def _half_upgraded(hosts: int, random: np.random.Generator) -> Structure:
    """Pods with two ranks, each on a host of its own of 25 Gbit/s; they are spread over the racks, one after the other.

    As Kubernetes with topologySpreadConstraints, in four racks or, of more than 64 hosts, more. Hosts are upgraded one
    by one: 40 to 60 %, at random, have a newer kernel, where eBPF leads packets past the filters of the host. On the
    others messages take 4 us longer at an end, and what a pod receives is done by one core, 15 Gbit/s, not 21. No fact
    here says so. An uplink of 100 Gbit/s for 8 hosts, or for fewer; a hash gives each two pods one. TCP: 11 us at each
    end, with a long tail; 0.6 % of readings are longer. The numbers are chosen here.
    """
    rack = np.arange(hosts) % max(4, hosts // 16)
    older = random.permutation(hosts) < round(hosts * random.uniform(0.4, 0.6))
    plane = ReceiveQueues(rack, 8, RATE, 1, RATE * np.where(older, 0.15, 0.21))
    return Structure(
        hosts, plane, each=2, rate=np.full((hosts, 1), RATE / 4), overhead=np.where(older, 4e-6, 0.0),
        processor=np.full(hosts, 3), position_latency=np.full(2, 11e-6), interrupts=2.5e-6, tail=0.006,
    )  # fmt: skip


def _slow_cores(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host; cores feed the adapters, too slowly in the first racks.

    As Stampede2 of TACC, with Xeon Phi and with later Xeon processors: its racks have 28 hosts and 20 uplinks, 7:5, and
    so have these, of up to 16 hosts; of more racks than eight, three of five are the older ones. On a Xeon Phi messages
    take 0.7 us longer at an end, and the adapter reaches 72 % of its rate; within the host they reach 40 %. Hosts say
    which processor they have, and all have an adapter of 100 Gbit/s. The tables of the leaves change now and then. 0.3
    us at each end; 0.5 % of readings are disturbed. What cores cost is chosen here.
    """
    rack = _leaves(hosts)
    slow = rack < 3 * (int(rack[-1]) + 1) // 5
    return Structure(
        hosts, Tables(rack, 1.4), each=2, rate=RATE * np.where(slow, 0.72, 1.0)[:, None],
        nominal=np.full((hosts, 1), RATE), overhead=np.where(slow, 0.7e-6, 0.0), processor=np.where(slow, 1, 0),
        position_latency=np.full(2, 0.3e-6), memory=np.where(slow, 0.4, 1.0), hyperthreads=0.005,
    )  # fmt: skip


def _sixteen_gpus(hosts: int) -> Structure:
    """An eighth of the hosts, of 16 GPUs on two boards, with 8 adapters of 100 Gbit/s, each for two GPUs of a board.

    As DGX-2, with a leaf for each rail of each pod, 1:1; tables deal out the receivers of a leaf. Switches of NVLink
    join all 16: 120 GB/s, and 0.15 us longer to the other board. What the second board sends starts on cores of the
    first socket, 0.12 us longer. The first five eighths of the hosts, which end within a pod, are older: their GPUs
    have lower clocks, and messages take 0.1 us longer at an end, as processors tell. 0.9 us at each end. The latencies
    are chosen here.
    """
    count = max(8, hosts // 8)
    pod, board = np.arange(count) * max(4, count // 32) // count, np.arange(16) // 8
    old = 8 * np.arange(count) < 5 * count
    return Structure(
        count, DealtOut(_leaf_per_rail(pod, 8), 1), each=16, rails=8, one_plane=True, other_rail=0.0,
        overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 0, 3),
        position_latency=np.repeat([0.9e-6, 1.02e-6], 8), inside_rate=np.full((16, 16), 120e9),
        inside_latency=NVLINK_LATENCY + 0.15e-6 * np.not_equal.outer(board, board),
    )  # fmt: skip


def _filled_up(hosts: int) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs with two adapters of two ports, on two leaves of their rack.

    As Vela of IBM, whose racks had three hosts at first and later six, by a limit of the power of each. Here the first
    half of the hosts are in racks of about six, and their clocks are lower: 0.35 us longer at an end, and 85 % of the
    rate within the host. No fact says so. A port has 100 Gbit/s; a hash gives each two adapters a port, whose leaves
    have an uplink of 200 Gbit/s for two adapters, 1:1, and spines of their own here. RoCE by virtual functions, 1.6 us
    at each end and 0.15 us more on the second socket; 0.3 % of readings are longer, because switches pause senders. The
    latencies are chosen here.
    """
    count = max(8, hosts // 4)
    every, half = np.arange(count), count // 2
    full, other = max(1, round(half / 6)), max(2, round((count - half) / 3))
    rack = np.where(every < half, every * full // half, full + (every - half) * other // (count - half))
    capped = every < half
    return Structure(
        count, TwoPorts(np.repeat(rack, 2), 2, 2 * RATE, np.zeros(2 * count, bool)), each=8, rails=2, one_plane=True,
        other_rail=0.0, overhead=np.where(capped, 0.35e-6, 0.0), processor=np.full(count, 3),
        memory=np.where(capped, 0.85, 1.0), position_latency=np.repeat([1.6e-6, 1.75e-6], 4), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 240e9),
    )  # fmt: skip


def _dual_port_cards(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs and two cards with two ports of 100 Gbit/s each, a port for a GPU; a dragonfly+.

    As the booster of Leonardo (CINECA: A100, one Ice Lake, HDR100), whose cells are trees of two levels and joined each
    with each. All ports of a host are on one leaf; a fifth of the messages between cells takes a third one. NVLink
    joins the GPUs of a host, 90 GB/s for each two; one socket, 0.6 us at each end. 0.3 % of readings are disturbed.
    The cells, the detours and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, DragonflyPlus(4 * count, 8 * max(1, min(8, count // 8)), 0.2), each=4, rails=4, one_plane=True,
        other_rail=0.0, processor=np.full(count, 3), socket=np.zeros(4, np.int64), position_latency=np.full(4, 0.6e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _islands_with_tables(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host; islands of two leaves, 1:1 within and 8:1 between them.

    As Cobra of MPCDF (Skylake, and later hosts with Cascade Lake); a small part has an uplink for 4 hosts instead of 8.
    Tables of the leaves and of the islands change now and then. The processor does the work of the adapter, 0.3 us at
    each end, and 0.2 us more on the far socket, which reaches 93 % of the rate. The last quarter of the leaves has the
    newer processors, 0.1 us less. Leaves and numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    old = 4 * leaf < 3 * (int(leaf[-1]) + 1)
    far = _far_socket(hosts, 2, 0.93, 0.2e-6)
    return replace(
        far, plane=Stacked(Tables(leaf, 1), Tables(leaf // 2, 8)), position_latency=0.3e-6 + far.position_latency,
        overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 0, 3),
    )  # fmt: skip


def _department_switch(hosts: int) -> Structure:
    """Half of the hosts, of a department: one Ethernet switch, TCP, 4 ranks that share 10 or 25 Gbit/s.

    Bought in three years and numbered as they came: three eighths with 10 Gbit/s, three eighths with 25, and a quarter
    with 25 and newer processors. Messages take 12 us at an end, 4 and 1.5 us more on the older ones, with a long tail.
    The far socket takes 0.5 us longer and reaches 97 % of the rate; 0.6 % of readings are longer, as users log in. The
    numbers are chosen here.
    """
    count = max(8, hosts // 2)
    year = np.array([0, 0, 0, 1, 1, 1, 2, 2])[np.arange(count) * 8 // count]
    far = _far_socket(count, 4, 0.97, 0.5e-6)
    return replace(
        far, rate=RATE * np.array([0.1, 0.25, 0.25])[year][:, None], position_latency=12e-6 + far.position_latency,
        overhead=np.array([4e-6, 1.5e-6, 0.0])[year], processor=np.array([2, 0, 3])[year], interrupts=3e-6, tail=0.006,
    )  # fmt: skip


def _rolling_update(hosts: int) -> Structure:
    """Kubernetes on machines of 40 Gbit/s with two pods each, while their kernels are updated one after the other.

    The first five eighths have the new kernel; on the others each message takes 1.5 us longer, and no fact says so.
    Packets between machines go by VXLAN: 4 us longer, and 16 Gbit/s at most for a message, as one core unpacks it; pods
    of a machine are joined by its kernel, 9 us. A leaf has an uplink of 100 Gbit/s for 8 machines, 16:5, or for fewer;
    the outer ports of a tunnel say what is in it, so a hash gives each two pods one. TCP, 8 us at each end, with a long
    tail; 0.5 % of readings are longer. The numbers are chosen here.
    """
    old = 8 * np.arange(hosts) >= 5 * hosts
    return Structure(
        hosts, FatTree(_leaves(hosts), 8, "static"), each=2, rate=np.full((hosts, 1), 0.4 * RATE), tunnel=4e-6,
        tunnel_rate=0.16 * RATE, overhead=np.where(old, 1.5e-6, 0.0), processor=np.full(hosts, 3),
        position_latency=np.full(2, 8e-6), inside_latency=np.full((2, 2), 9e-6), inside_rate=np.full((2, 2), 4e9),
        interrupts=3e-6, tail=0.005,
    )  # fmt: skip


def _smaller_last_unit(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each unit.

    As DGX SuperPOD of NVIDIA (H100, NDR), here of two units of three eighths of the hosts and a last one that is not
    full. 1:1; tables deal out the receivers of a leaf to its uplinks in turns, and nothing is adaptive. NVSwitch joins
    the GPUs of a host, 360 GB/s; 0.8 us at each end. Units and latencies are chosen here.
    """
    count = max(8, hosts // 4)
    unit = np.array([0, 0, 0, 1, 1, 1, 2, 2])[np.arange(count) * 8 // count]
    return Structure(
        count, DealtOut(_leaf_per_rail(unit, 8), 1, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 0.8e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9),
    )  # fmt: skip


def _adapter_on_each_socket(hosts: int) -> Structure:
    """Half of the hosts, with an Omni-Path adapter of 100 Gbit/s on each of two sockets and two ranks on each; 1:1.

    As Grand Chariot of Hokkaido University (Skylake, two ports per host, which does not block). Both adapters of a rack
    have a leaf of their own; all leaves meet at the spines, and their tables change now and then. The processor does
    the work of the adapter, 0.3 us at each end. Two threads on each core: 1 % of readings are disturbed. The leaves and
    the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    socket = np.arange(4) // 2
    return Structure(
        count, Tables(_leaf_per_rail(_leaves(count), 2), 1), each=4, rails=2, one_plane=True, other_rail=0.0,
        position_latency=np.full(4, 0.3e-6), inside_latency=_across_sockets(socket),
        inside_rate=np.where(np.not_equal.outer(socket, socket), 10e9, 18e9), hyperthreads=0.01,
    )  # fmt: skip


def _three_levels_dealt_out(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 100 Gbit/s; islands of two leaves, 2:1.

    As CEA-HF (two EPYC 7763, BXI v2). Within an island nothing blocks; tables deal out the receivers of a leaf, and
    those of an island, to the uplinks in turns. Cables between islands are 40 m longer. Other nodes are further from
    the adapter than the first one, and the second socket reaches 95 % of its rate; 0.4 % of readings are disturbed by
    daemons. The islands, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(12, count // 8))
    leaf = np.minimum(np.arange(count) // size, count // size - 1)  # of the last one hosts may be more
    longer, inside = _numa_places(4)
    return Structure(
        count, Stacked(DealtOut(leaf, 1), DealtOut(leaf // 2, 2), 4 * CABLE), each=4, processor=np.full(count, 3),
        position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer, hyperthreads=0.004,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _newest_first(hosts: int) -> Structure:
    """A university: the first half of the leaves has 100 Gbit/s (EDR), the others 56 (FDR), each half with its core.

    As Sherlock of Stanford, where fabrics of several generations are joined. Hosts of the newest purchase have the
    lowest numbers: a quarter of all, then another quarter of 100 Gbit/s; messages take 0, 0.1 and 0.3 us longer at an
    end, and processors tell. 2:1 behind new leaves, 1:1 behind old ones; a cable of 56 Gbit/s joins the cores for 8
    hosts, 20 m long. Two ranks in each host; the far socket takes 0.25 us longer and reaches 92 % of the rate. The
    numbers are chosen here.
    """
    leaf = _leaves(hosts)
    leaves = int(leaf[-1]) + 1
    old = 2 * np.arange(leaves) >= leaves
    speed = RATE * np.where(old, 0.545, 1.0)
    purchase = np.where(old[leaf], 2, 1 * (4 * np.arange(hosts) >= hosts))
    plane = JoinedCores(
        leaf, 1 * old[leaf], np.where(old, 1, 2), speed, max(1, hosts // 8), 2 * CABLE, 0.545 * RATE
    )  # fmt: skip
    return replace(
        _far_socket(hosts, 2, 0.92), plane=plane, rate=speed[leaf][:, None],
        overhead=np.array([0.0, 0.1e-6, 0.3e-6])[purchase], processor=np.array([3, 0, 2])[purchase],
    )  # fmt: skip


def _sprayed_gpus(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs, of which two share an adapter of 100 Gbit/s. In no order.

    As p4d.24xlarge of AWS (A100, EFA), which spreads packets over many ways; within switches of the lowest layer
    nothing is further. 6 us at each end; between switches 0.6 us more, and between those of the next layer 1.4 us more.
    NVSwitch joins the GPUs of a machine, 240 GB/s. 0.5 % of readings are longer. Layers and latencies are chosen here.
    """
    count = max(8, hosts // 4)
    group = random.permutation(np.arange(count) // max(2, min(8, count // 4)))
    return Structure(
        count, Sprayed(np.repeat(group, 4), 0.8e-6), each=8, rails=4, one_plane=True, other_rail=0.0,
        position_latency=np.full(8, 6e-6), tail=0.005, inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 240e9),
    )  # fmt: skip


def _last_hosts_have_gpus(hosts: int) -> Structure:
    """Half of the hosts, of a department: one InfiniBand switch of 100 Gbit/s (HDR100), 4 ranks each.

    The first five eighths have processors only, and one adapter; the others have 4 GPUs on PCIe and two adapters, one
    for each two GPUs. What is in the memory of a GPU takes 0.4 us longer at an end, and within the host it reaches 65 %
    of the rate. Processors and adapters tell. 0.5 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    single = 8 * np.arange(count) < 5 * count
    return Structure(
        count, OneSwitch(2 * count), each=4, rails=2, one_plane=True, other_rail=0.0, single=single,
        overhead=np.where(single, 0.0, 0.4e-6), processor=np.where(single, 0, 3), memory=np.where(single, 1.0, 0.65),
        inside_latency=_across_sockets(np.arange(4) // 2), hyperthreads=0.005,
    )  # fmt: skip


def _half_as_fast_as_cables(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 100 Gbit/s; a dragonfly with 200 Gbit/s cables.

    As WCOSS2 of NOAA (two EPYC 7742) and other first phases of Slingshot, with adapters of the generation before
    (Slingshot-10). A job in 4 groups of 6, or in more of them where it does not divide; routes follow the load, and 4
    hosts are on a switch. The adapter is on the first node; the second socket reaches 95 % of the rate. The groups, the
    job and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, min(32, count // 4))
    longer, inside = _numa_places(4)
    return Structure(
        count, Slingshot(group, places_in(group) // 4, int(group[-1]) + 3, 2 * RATE), each=4,
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _flowlets_of_gpus(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, four on each of two leaves of the rack.

    As clusters of MI300X on Ethernet with Broadcom's dynamic load balancing, which chooses the least loaded uplink anew
    for each burst (flowlet). 1:1; a rack has 2 to 4 hosts. Any two GPUs of a host have a link, 48 GB/s (xGMI). RoCE:
    1.2 us at each end; 0.3 % of readings are longer, because switches pause senders. Racks and latencies are chosen
    here.
    """
    count = max(8, hosts // 4)
    size = max(2, min(4, count // 4))
    rack = np.arange(count) // size
    leaf = rack[:, None] + (int(rack[-1]) + 1) * (np.arange(8) // 4)
    return Structure(
        count, Flowlets(leaf.ravel(), 4 * size, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 1.2e-6),
        tail=0.003, inside_latency=np.full((8, 8), 1.2e-6), inside_rate=np.full((8, 8), 48e9),
    )  # fmt: skip


def _newer_last_island(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 100 Gbit/s; islands, 4:1 between them.

    As Fritz of NHR@FAU (Ice Lake with sub-NUMA clusters, HDR100, islands of 64 hosts and 1:4 between them), which has
    some hosts with Sapphire Rapids. Here these are the last island: messages take 0.12 us less at an end, and hosts
    with older memory reach 80 % of the rate within. An island is two leaves, or the last one a single one; 1:1 within,
    adaptive at both levels. The second socket reaches 95 % of the rate. Leaves and numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(16, count // 8))
    leaf = np.minimum(np.arange(count) // size, count // size - 1)  # of the last one hosts may be more
    old = leaf // 2 < int(leaf[-1]) // 2
    longer, inside = _numa_places(4)
    return Structure(
        count, Stacked(FatTree(leaf, 1, "adaptive"), FatTree(leaf // 2, 4, "adaptive")), each=4,
        overhead=np.where(old, 0.12e-6, 0.0), processor=np.where(old, 3, 4), memory=np.where(old, 0.8, 1.0),
        position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _numa_nodes_in_a_dragonfly_plus(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 200 Gbit/s; a dragonfly+ of 200 Gbit/s.

    As Mahti of CSC (two EPYC 7H12, HDR). A quarter of the messages between groups takes a third one. The adapter is on
    the first node; the second socket reaches 94 % of the rate. Two threads on each core: 0.6 % of readings are
    disturbed. The groups, the detours and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    longer, inside = _numa_places(8)
    return Structure(
        count, DragonflyPlus(count, max(4, min(16, count // 4)), 0.25, 2 * RATE), each=8,
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.94], 4),
        position_latency=longer, hyperthreads=0.006, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _blocks_of_racks(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each, all on the switch of their rack.

    As BM.GPU4.8 of Oracle's cloud (A100, bare metal, RoCE by two ports of 100 Gbit/s, which count as one here). Two
    racks are a block, 1:1; a third tier joins the blocks, 1:1 too, and takes 1.5 us more, by longer cables and larger
    switches. A hash gives each two adapters an uplink at both tiers. NVSwitch joins the GPUs of a host, 240 GB/s. 1.4
    us at each end; 0.3 % of readings are longer, because switches pause senders. The racks, the blocks and the
    latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.repeat(np.arange(count) // max(2, min(4, count // 4)), 8)
    plane = Stacked(FatTree(rack, 1, "static", 2 * RATE), FatTree(rack // 2, 1, "static", 2 * RATE), 1.5e-6)
    return Structure(
        count, plane, each=8, rails=8, one_plane=True, other_rail=0.0, rate=np.full((count, 8), 2 * RATE),
        processor=np.full(count, 3), position_latency=np.full(8, 1.4e-6), tail=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 240e9),
    )  # fmt: skip


def _second_switch(hosts: int) -> Structure:
    """Half of the hosts, of a department: two switches of 56 Gbit/s (FDR), 4 ranks on two sockets of each host.

    As groups that buy a second switch of 36 ports when the first one is full: it has five eighths of the hosts, and the
    second one the others. A cable for 8 hosts of the cluster joins the two, which tables deal out to the receivers of a
    switch. The first half of the hosts is older, so the newer ones begin on the first switch: messages take 0.2 us
    longer at an end of an older one, and processors tell. 0.4 % of readings are disturbed by daemons. The numbers are
    chosen here.
    """
    count = max(8, hosts // 2)
    every, rate = np.arange(count), 0.545 * RATE
    old = 2 * every < count
    return Structure(
        count, DealtMesh(1 * (8 * every >= 5 * count), max(1, count // 8), rate), each=4,
        rate=np.full((count, 1), rate), overhead=np.where(old, 0.2e-6, 0.0), processor=np.where(old, 2, 0),
        inside_latency=_across_sockets(np.arange(4) // 2), hyperthreads=0.004,
    )  # fmt: skip


def _three_racks(hosts: int) -> Structure:
    """Half of the hosts: Kubernetes in three racks, a pod of 4 ranks on each host, which share 25 Gbit/s.

    The racks have three, three and two eighths of the hosts, and an uplink of 40 Gbit/s for 4 hosts, 5:2, or for fewer.
    Pods have the adapters' virtual functions and no tunnels. A hash gives each flow its uplink; flows that see
    congestion change it, as Linux does with PLB. The first quarter of the hosts has older processors: 2 us longer at an
    end. TCP: 9 us at each end, with a long tail; 0.6 % of readings are longer. As companies run it; the numbers are
    chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.array([0, 0, 0, 1, 1, 1, 2, 2])[np.arange(count) * 8 // count]
    old = 4 * np.arange(count) < count
    return Structure(
        count, FatTree(rack, 4, "lingering", 0.4 * RATE), each=4, rate=np.full((count, 1), RATE / 4),
        overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 3), position_latency=np.full(4, 9e-6),
        interrupts=2e-6, tail=0.006,
    )  # fmt: skip


def _several_paths(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of 8 NUMA nodes with a rank on each that share 200 Gbit/s, in no order.

    As H4D of Google (two EPYC of Zen 5, RDMA by Falcon, which sends by several paths at once; Singhvi et al., SIGCOMM
    2025). A message is cut into four flows, each with an uplink by a hash of its own. Racks do not block, 1:1 above;
    spines take 0.8 us more. 4 us at each end; the second socket takes 0.3 us more. 0.4 % of readings are longer. The
    paths that change, as Falcon's do, are left out; the racks and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = random.permutation(np.arange(count) // max(2, min(8, count // 4)))
    longer, inside = _numa_places(8)
    return Structure(
        count, QueuePairs(rack, 4, 2 * RATE, 0.8e-6), each=8, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 3), position_latency=4e-6 + longer, tail=0.004, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _adapters_of_two_sockets(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs on PCIe; the two of a socket share an adapter of 100 Gbit/s. 3:2 dealt out.

    As GPU partitions of universities (A100 and later H100 for PCIe, HDR100). Both adapters of a host are on the leaf of
    its rack. The two GPUs of a socket exchange 20 GB/s, and 9 with those of the other one, 0.6 us longer; 0.7 us at
    each end. The first five eighths of the hosts have the older GPUs: 0.15 us longer at an end, and 70 % of the rate
    within the host, as processors tell. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = 8 * np.arange(count) < 5 * count
    far = _in_other_parts(4, 2)
    return Structure(
        count, DealtOut(np.repeat(_leaves(count), 2), 1.5), each=4, rails=2, one_plane=True, other_rail=0.0,
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 0, 3), memory=np.where(old, 0.7, 1.0),
        position_latency=np.full(4, 0.7e-6), inside_latency=np.where(far, 1.7e-6, 1.1e-6),
        inside_rate=np.where(far, 9e9, 20e9),
    )  # fmt: skip


def _free_ports(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host: a later purchase fills the free ports of all leaves in turns.

    As university clusters of Skylake hosts that were extended. Three quarters of the hosts came first, rack by rack;
    the numbers of the others follow, but they are in all racks: on these messages take 0.12 us less at an end, and
    processors tell. 2:1; the tables of the leaves change now and then. The processor does the work of the adapter, 0.3
    us at each end and 0.2 us more on the far socket, which reaches 94 % of the rate. The numbers are chosen here.
    """
    first = 3 * hosts // 4
    leaves = max(min(hosts // 4, 4), hosts // 16)
    leaf = np.concatenate([np.arange(first) * leaves // first, np.arange(hosts - first) % leaves])
    old = np.arange(hosts) < first
    far = _far_socket(hosts, 2, 0.94, 0.2e-6)
    return replace(
        far, plane=Tables(leaf, 2), position_latency=0.3e-6 + far.position_latency,
        overhead=np.where(old, 0.12e-6, 0.0), processor=np.where(old, 0, 3),
    )  # fmt: skip


def _blades_of_two_kinds(hosts: int) -> Structure:
    """Half of the hosts, with 4 ranks and an adapter of 200 Gbit/s; of two blades of two hosts one has GPUs.

    As Delta of NCSA, whose hosts with two EPYC and whose hosts with 4 A100 have one adapter each, on Slingshot; here a
    switch has a blade of each kind. A job has hosts in four groups, or in more where it does not divide, of a dragonfly
    with two further ones; routes follow the load. What is in the memory of a GPU takes 0.5 us longer at an end; NVLink
    reaches twice the rate that messages in the memory of processors do. Processors tell. 0.4 % of readings are
    disturbed. The blades, the groups and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    every = np.arange(count)
    group, gpus = every // max(2, min(32, count // 4)), every // 2 % 2 == 1
    return Structure(
        count, Slingshot(group, places_in(group) // 4, int(group[-1]) + 3, 2 * RATE), each=4,
        rate=np.full((count, 1), 2 * RATE), overhead=np.where(gpus, 0.5e-6, 0.0), processor=np.where(gpus, 3, 0),
        memory=np.where(gpus, 2.0, 1.0), inside_latency=_across_sockets(np.arange(4) // 2), hyperthreads=0.004,
    )  # fmt: skip


def _halves_of_adapters(hosts: int) -> Structure:
    """Two hosts in a row share an adapter of 200 Gbit/s, to which each has a link of 100. Two ranks in each host.

    As the general partition of MareNostrum 5 (BSC: Sapphire Rapids, NDR200 for two hosts). Islands of two leaves, or
    the last one a single one, 1:1 within and 3:2 between them; tables deal out the receivers of a leaf, and those of an
    island. Cables between islands are 20 m longer. The far socket takes 0.2 us longer and reaches 95 % of the rate. The
    leaves and the numbers are chosen here.
    """
    size = 4 * max(1, min(4, hosts // 32))
    leaf = np.minimum(np.arange(hosts) // size, hosts // size - 1)  # of the last one hosts may be more
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6), guests=2, pcie=RATE, rate=np.full((hosts, 1), 2 * RATE),
        plane=Stacked(DealtOut(leaf, 2, 2 * RATE), DealtOut(leaf // 2, 3, 2 * RATE), 2 * CABLE),
        position_rate=np.array([1.0, 0.475]), processor=np.full(hosts, 4),
    )  # fmt: skip


def _quadrants_of_one_socket(hosts: int) -> Structure:
    """Half of the hosts, of a department: one switch of 200 Gbit/s (HDR), one socket of 4 NUMA nodes in each host.

    As small clusters with EPYC 7543P and four nodes per socket; a rank is on each node, and the third one has the
    adapter: to others it is 0.05 us further. The room warms up while the cluster is busy, so that all becomes slower by
    4 % during the run. 0.4 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    apart = ~np.eye(4, dtype=bool)
    return Structure(
        count, OneSwitch(count), each=4, rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3),
        socket=np.zeros(4, np.int64), position_latency=np.array([0.05e-6, 0.05e-6, 0.0, 0.05e-6]),
        inside_latency=INSIDE_LATENCY + 0.08e-6 * apart, inside_rate=np.where(apart, 14e9, 20e9), drift=0.04,
        hyperthreads=0.004,
    )  # fmt: skip


def _two_gpus_to_an_adapter(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with 4 adapters of 200 Gbit/s, all on the leaf of the rack; 1:1 dealt out.

    As the accelerated hosts of Karolina (IT4Innovations: A100, HDR, a fat tree that does not block). Two GPUs share the
    adapter on their PCIe switch. NVSwitch joins all 8, 240 GB/s. 0.7 us at each end, and 0.1 us more on the second
    socket, whose cores are further from what drives the GPUs. 0.3 % of readings are disturbed by daemons. The racks and
    the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, DealtOut(np.repeat(rack, 4), 1, 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.repeat([0.7e-6, 0.8e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 240e9), hyperthreads=0.003,
    )  # fmt: skip


def _two_kinds_of_slots(hosts: int) -> Structure:
    """A department: one InfiniBand switch of 40 Gbit/s (QDR), a rank in each host; the first lot has PCIe 2.

    Cables take 32 Gbit/s of data, and what goes by 8 lanes of PCIe 2 is 26; all adapters say that they have 40. The
    first three eighths of the hosts are these: they have older processors, which tell, and messages take 0.3 us longer
    at an end. 0.5 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    old = 8 * np.arange(hosts) < 3 * hosts
    return Structure(
        hosts, OneSwitch(hosts), rate=RATE * np.where(old, 0.26, 0.32)[:, None],
        nominal=np.full((hosts, 1), 0.4 * RATE), overhead=np.where(old, 0.3e-6, 0.0), processor=np.where(old, 2, 0),
        hyperthreads=0.005,
    )  # fmt: skip


def _half_full_leaf(hosts: int) -> Structure:
    """200 Gbit/s (NDR200), a rank in each host, adaptive; the last of up to four leaves has half as many hosts.

    All leaves have their uplinks of 400 Gbit/s from the beginning, two for 7 hosts of a full one, 7:4, or up to 3:1
    where these are few. So hosts of the last leaf have twice as much to the spines. As a centre that left room for a
    later purchase; the numbers are chosen here.
    """
    parts = 2 * min(4, hosts // 4) - 1
    leaf = np.arange(hosts) * parts // (2 * hosts)
    sizes = np.bincount(leaf)
    uplinks = max(1, 2 * int(sizes[0]) // 7)
    plane = FatTree(leaf, sizes / (uplinks + 0.5), "adaptive", 4 * RATE)
    return Structure(hosts, plane, rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3))


def _dragonfly_plus_in_rows(hosts: int) -> Structure:
    """A dragonfly+ of 100 Gbit/s (HDR100) in two rows of a hall, two ranks in each host; cables have 200 Gbit/s.

    The first half of the groups is in the first row. A cable to the other row is 25 m longer, 0.12 us, and a detour by
    a group there takes two of them; 20 % of the messages between groups take a third one. The rank far from the adapter
    takes 0.22 us longer and reaches 95 % of the rate. 0.3 % of readings are disturbed. The rows and the numbers are
    chosen here.
    """
    size = max(4, min(16, hosts // 4))
    groups = -(-hosts // size)
    row = np.arange(groups) * 2 // groups
    return replace(
        _far_socket(hosts, 2, 0.95, 0.22e-6), plane=DragonflyPlusInRows(hosts, size, 0.2, 2 * RATE, row, 0.12e-6),
        processor=np.full(hosts, 3), hyperthreads=0.003,
    )  # fmt: skip


def _two_subnets(hosts: int) -> Structure:
    """Half of the hosts, with two ranks on each of two sockets, and an adapter of 100 Gbit/s on each, about 3:2.

    The adapters of the second sockets are on leaves and spines of their own, with a subnet manager of its own; nothing
    joins the two trees, so a rank reaches the half of the ranks of other hosts that use the same adapter as it does. As
    sites that maintain one tree while the other is in use. Adaptive; an uplink for 1.5 hosts, or for two where leaves
    are small. Messages to the other socket within a host take 0.3 us longer. 0.4 % of readings are disturbed by
    daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, FatTree(_leaves(count), 1.5, "adaptive"), each=4, rails=2, rails_meet=False,
        inside_latency=_across_sockets(np.arange(4) // 2), hyperthreads=0.004,
    )  # fmt: skip


def _switch_for_each_rail(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; all of a rail are on one switch, no spines.

    Messages to another rail go to a GPU of that rail in their own host first, by NVSwitch, 1 us, as with NCCL's PXN. So
    a company begins with up to 64 servers and eight switches. The last three eighths of the hosts are of the next
    generation, as processors tell: within the host messages reach twice the rate, and they take 0.15 us less at an end.
    0.9 us at each end; 0.2 % of readings are longer, because switches pause senders. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    old = 8 * np.arange(count) < 5 * count
    return Structure(
        count, OneSwitch(count), each=8, rails=8, relayed=True, other_rail=NVLINK_LATENCY,
        rate=np.full((count, 8), 4 * RATE), overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 3, 4),
        memory=np.where(old, 1.0, 2.0), position_latency=np.full(8, 0.9e-6), tail=0.002,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9),
    )  # fmt: skip


def _two_gpus_far_from_the_adapter(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs on PCIe without NVLink, which share one adapter of 100 Gbit/s; 3:1 by receiver.

    The adapter is on the first socket, as are two GPUs. What the other two send and receive crosses to it, 0.5 us
    longer, and reaches 70 % of the rate. GPUs of a socket exchange 22 GB/s, and 10 with those of the other one, 0.7 us
    longer. Leaves have an uplink of 100 Gbit/s for 3 hosts, or for 4 where these do not divide. 0.8 us at each end; 0.3
    % of readings are disturbed by daemons. As GPU partitions of a university; the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, FatTree(_leaves(count), 3, "by receiver"), each=4, processor=np.full(count, 3),
        position_rate=np.repeat([1.0, 0.7], 2), position_latency=np.repeat([0.8e-6, 1.3e-6], 2),
        inside_latency=np.where(far, 1.9e-6, 1.2e-6), inside_rate=np.where(far, 10e9, 22e9), hyperthreads=0.003,
    )  # fmt: skip


def _gpus_on_a_bond(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs that share a bond of two ports of 100 Gbit/s, on the two leaves of a rack.

    RoCE in a data centre of a company: Linux chooses the port by the two hosts only, so that all messages from a host
    to another one leave by the same port. A leaf has an uplink of 100 Gbit/s for two hosts, 2:1; a hash gives each
    two ports one, and each flow a port of the receiver where it comes by a spine. PCIe joins the four GPUs of a socket,
    20 GB/s, and both processors the others, 9 GB/s, 0.6 us longer. 1.5 us at each end; 0.4 % of readings are longer,
    because switches pause senders. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    far = _in_other_parts(8, 4)
    return Structure(
        count, FatTree(_leaf_per_rail(_leaves(count), 2), 2, "static"), each=8, rails=2, one_plane=True,
        bonded=True, by_hosts=True, other_rail=0.0, processor=np.full(count, 3), position_latency=np.full(8, 1.5e-6),
        inside_latency=np.where(far, 1.8e-6, 1.2e-6), inside_rate=np.where(far, 9e9, 20e9), tail=0.004,
    )  # fmt: skip


def _reservations(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 ranks and 100 Gbit/s, reserved in three parts that are near each other.

    As compact placement of Google's cloud, by TCP: a half came first, then a quarter, and a quarter with newer
    processors, on which messages take 1.2 us less at an end, as these tell. Within a part 8 us, across 14 us, and each
    two machines have a latency of their own. A flow gets 40 Gbit/s at most, so three of them fill a machine. 6 us at
    each end; 0.6 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    part = np.array([0, 0, 1, 2])[np.arange(count) * 4 // count]
    return Structure(
        count, Placement(part, random), each=4, tunnel_rate=0.4 * RATE, overhead=np.where(part < 2, 1.2e-6, 0.0),
        processor=np.where(part < 2, 0, 3), position_latency=np.full(4, 6e-6), tail=0.006,
    )  # fmt: skip


def _proxies(hosts: int) -> Structure:
    """Kubernetes: two pods on each machine of 25 Gbit/s, of which the second one has a proxy (Envoy, as with Istio).

    All that this pod sends and receives goes through the proxy beside it, 29 us longer; it has enough threads for the
    rate of the machine. Pods of a machine are joined by its kernel, 9 us and 29 us more. Packets go without tunnels; a
    leaf has an uplink of 50 Gbit/s for four machines, 2:1, or 3:1 if it has six, and a hash gives each two machines
    one. TCP: 9 us at each end, with a long tail; 0.7 % of readings are longer. The numbers are chosen here.
    """
    return Structure(
        hosts, FatTree(_leaves(hosts), 4, "static", RATE / 2), each=2, rate=np.full((hosts, 1), RATE / 4),
        processor=np.full(hosts, 3), socket=np.zeros(2, np.int64), position_latency=np.array([9e-6, 38e-6]),
        inside_latency=np.full((2, 2), 38e-6), inside_rate=np.full((2, 2), 2.5e9), interrupts=3e-6, tail=0.007,
    )  # fmt: skip


def _one_adapter_instead_of_two(hosts: int) -> Structure:
    """Two ranks in each host. The first five eighths have two sockets, each with an adapter of 100 Gbit/s (EDR).

    Those of the extension have one socket of many cores and one adapter of 200 (HDR), which both ranks share. All are
    on the leaf of their rack, whose uplinks have 200 Gbit/s: one for two hosts of either kind, 2:1, adaptive. Messages
    take 0.1 us longer at an end of an older host. Processors and adapters tell. 0.4 % of readings are disturbed by
    daemons. The numbers are chosen here.
    """
    old = 8 * np.arange(hosts) < 5 * hosts
    return Structure(
        hosts, FatTree(np.repeat(_leaves(hosts), 2), 4, "adaptive", 2 * RATE), each=2, rails=2, one_plane=True,
        other_rail=0.0, single=~old, rate=np.repeat(RATE * np.where(old, 1.0, 2.0)[:, None], 2, axis=1),
        overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 0, 3), hyperthreads=0.004,
    )  # fmt: skip


def _adaptive_below_only(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 100 Gbit/s; racks of two leaves.

    Within a rack nothing blocks, and routes are adaptive; racks are joined 2:1 by older switches, whose tables give
    each receiver one of the uplinks. The last rack may have a single leaf. The adapter is on the first node of the
    second socket: other nodes of this one take 0.06 us longer, those of the first socket 0.3 us, and these reach 93 %
    of the rate. 0.4 % of readings are disturbed by daemons. As clusters of two EPYC in which new racks are put on the
    core that was there; the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    size = max(2, min(14, count // 8))
    leaf = np.minimum(np.arange(count) // size, count // size - 1)  # of the last one hosts may be more
    _, inside = _numa_places(8)
    node = np.arange(8)
    longer = np.array([0.0, 0.06e-6, 0.3e-6])[_levels_apart(node, node // 4)[4]]
    return Structure(
        count, Stacked(FatTree(leaf, 1, "adaptive"), FatTree(leaf // 2, 2, "by receiver")), each=8,
        processor=np.full(count, 3), position_rate=np.repeat([0.93, 1.0], 4), position_latency=longer,
        hyperthreads=0.004, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _varied_in_a_tree(hosts: int, random: np.random.Generator) -> Structure:
    """RoCE, 100 Gbit/s, a rank in each host, 2:1; hosts vary by 1 %, as the clocks of their PCIe and memory do.

    A hash gives each two hosts an uplink, of 100 Gbit/s too; flows that see congestion get another one, as with NICs
    that change the port of the sender (PLB of Google), here after 16 steps. 1 us at each end; 0.3 % of readings are
    longer, because switches pause senders. The numbers are chosen here.
    """
    return replace(
        _varied(hosts, 0.01, random), plane=FatTree(_leaves(hosts), 2, "lingering"),
        position_latency=np.array([1e-6]), processor=np.full(hosts, 3), tail=0.003,
    )  # fmt: skip


def _adapters_of_two_lots(hosts: int) -> Structure:
    """Half of the hosts, of a department: one switch of 100 Gbit/s, 4 ranks; the first lot has adapters of 56 Gbit/s.

    As clusters that went from FDR to EDR and kept the adapters of the first three eighths of their hosts. These are on
    the first socket, those of the later lot on the second one, by another riser. The two ranks of the far socket take
    0.25 us longer and reach 94 % of the rate. On the first lot messages take 0.2 us longer at an end, and within a host
    they reach 60 % of the rate. Hosts say all of that, but the last; 0.3 % of readings are disturbed by daemons. The
    numbers are chosen here.
    """
    count = max(8, hosts // 2)
    first = 8 * np.arange(count) < 3 * count
    return replace(
        _far_socket(count, 4, 0.94, 0.25e-6), rate=RATE * np.where(first, 0.545, 1.0)[:, None], turned=~first,
        overhead=np.where(first, 0.2e-6, 0.0), processor=np.where(first, 2, 3), memory=np.where(first, 0.6, 1.0),
        hyperthreads=0.003,
    )  # fmt: skip


def _switches_in_turns(hosts: int) -> Structure:
    """100 Gbit/s (HDR100), a rank in each host; two switches, and every second host is on the second one.

    As small clusters whose hosts have two in a chassis, with one switch above and one below them. A cable of 200 Gbit/s
    for 8 hosts joins the two, 2:1; tables deal them out to the receivers of a switch. The room warms up while the
    cluster is busy, so that all becomes slower by 2 % during the run; 0.4 % of readings are disturbed by daemons. The
    numbers are chosen here.
    """
    plane = DealtMesh(np.arange(hosts) % 2, max(1, hosts // 8), 2 * RATE)
    return Structure(hosts, plane, processor=np.full(hosts, 3), hyperthreads=0.004, drift=0.02)


def _large_memory(hosts: int) -> Structure:
    """100 Gbit/s, a rank in each host, 3:1 adaptive; the last host of eight in each leaf has four sockets.

    As universities place hosts of large memory, at the foot of each rack: one in each leaf, two in a leaf of 16. There
    caches of four sockets are kept alike, 0.15 us longer at an end, and processors tell. Leaves of 16 hosts have 5
    uplinks, those of 4 or 8 hosts one for four. 0.3 % of readings are disturbed. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    size = np.bincount(leaf)[leaf]
    large = places_in(leaf) >= size - np.maximum(1, size // 8)
    return Structure(
        hosts, FatTree(leaf, 3, "adaptive"), overhead=np.where(large, 0.15e-6, 0.0),
        processor=np.where(large, 0, 3), hyperthreads=0.003,
    )  # fmt: skip


def _source_addresses(hosts: int) -> Structure:
    """A campus: 10 Gbit/s, TCP, two ranks in each host; leaves have a LAG that hashes by the sender only, 2:1.

    As many Ethernet switches do by default (Cisco's src-mac), here by the leaf and by the core alike, which has as many
    cables: one of 10 Gbit/s for two hosts. So all that a host sends to other leaves takes the same cables. The second
    rank is on the far socket, 0.4 us longer. The kernel takes 11 us at each end, with a long tail; 0.6 % of readings
    are longer. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 1.0, 0.4e-6), plane=FatTree(_leaves(hosts), 2, "by sender", 0.1 * RATE),
        rate=np.full((hosts, 1), 0.1 * RATE), position_latency=np.array([11e-6, 11.4e-6]), interrupts=2e-6, tail=0.006,
    )  # fmt: skip


def _rail_on_each_leaf(hosts: int) -> Structure:
    """Half of the hosts, of two sockets with two ranks and an adapter of 200 Gbit/s each, in cells of a dragonfly+.

    A cell has two leaves: the first adapters of its hosts are on the one, the second ones on the other. A job has all
    cells but one, which other jobs have; a fifth of the messages between cells takes a third one. As HDR with two
    adapters in each host. The second rank of a socket is on its other NUMA node, 0.06 us longer. 0.3 % of readings are
    disturbed. The cells, the detours and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(16, count // 4))
    cell, place = np.divmod(np.arange(count), size)
    taken = cell[:, None] * 2 * size + np.arange(2) * size + place[:, None]
    plane = PartOfDragonflyPlus(taken.ravel(), int(cell[-1]) + 2, 2 * size, 0.2, 2 * RATE)
    _, inside = _numa_places(4)
    return Structure(
        count, plane, each=4, rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE),
        processor=np.full(count, 3), position_latency=np.tile([0.0, 0.06e-6], 2), hyperthreads=0.003,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _two_networks_on_one_leaf(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each and two ports of 25 Gbit/s in two networks (VLAN) that nothing routes between.

    As companies have one for their users and one for storage, both on the switch of the rack. It has an uplink of 100
    Gbit/s for the 8 ports of 4 hosts, 2:1, which both networks use; a hash gives each two ports one. The second port,
    of the last two ranks, is in a slot behind the chipset, 0.8 us longer. TCP: 9 us at each end, with a long tail; 0.5
    % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, FatTree(np.repeat(_leaves(count), 2), 8, "static"), each=4, rails=2, rails_meet=False, one_plane=True,
        other_rail=0.0, rate=np.full((count, 2), RATE / 4), position_latency=np.repeat([9e-6, 9.8e-6], 2),
        inside_latency=_across_sockets(np.arange(4) // 2), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _bridged_quads(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs on PCIe in two quads with a bridge each, and an adapter for each two GPUs.

    As servers with H200 NVL, where a bridge of NVLink joins four GPUs. Adapters of 400 Gbit/s; the two of a quad are on
    a leaf of their own, of which a rack has two. RoCE, 1:1 adaptive (Spectrum-X). Within a quad a GPU reaches 240 GB/s
    of each other one; to the other quad messages go by PCIe and both sockets, 0.9 us longer, 40 GB/s. 1.1 us at each
    end, and 0.15 us more on the second socket; 0.3 % of readings are longer. The racks and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    leaf = rack[:, None] + (int(rack[-1]) + 1) * (np.arange(4) // 2)
    far = _in_other_parts(8, 4)
    return Structure(
        count, FatTree(leaf.ravel(), 1, "adaptive", 4 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.repeat([1.1e-6, 1.25e-6], 4), tail=0.003,
        inside_latency=NVLINK_LATENCY + np.where(far, 0.9e-6, 0.0), inside_rate=np.where(far, 40e9, 240e9),
    )  # fmt: skip


def _what_was_free_of_pods(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; a job on what was free of four pods.

    Or of three, of fewer than 16 hosts: two or more of each, at random, numbered pod by pod. A leaf for each rail of
    each pod, adaptive; other jobs use the other hosts and their part of the uplinks, so that 1:1 is left. NVSwitch
    joins the GPUs of a host, 360 GB/s; 0.8 us at each end, and 0.1 us more on the second socket. 0.3 % of readings are
    disturbed by what operators run to watch GPUs. The pods and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pods = 4 if count >= 16 else 3
    more = random.choice(pods, count - 2 * pods, p=random.dirichlet(np.full(pods, 2.0)))
    pod = np.sort(np.concatenate([np.repeat(np.arange(pods), 2), more]))
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.repeat([0.8e-6, 0.9e-6], 4), hyperthreads=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9),
    )  # fmt: skip


def _replaced_processors(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines as large as theirs, 4 NUMA nodes with a rank on each that share 200 Gbit/s.

    As HBv3 of Azure (HDR, a tree 1:1 with adaptive routes), whose processors were replaced by ones with larger caches
    (Milan, later Milan-X), some racks later than others: here 30 to 60 % of the machines, which are in no order, are
    on the newer ones. There messages within a host are 1.25 times as fast, and others take 0.08 us less at an end;
    processors tell. The adapter is on the first node; 0.4 us at each end for a function of it (SR-IOV). 0.3 % of
    readings are disturbed. The leaves and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    older = random.permutation(count) >= round(count * random.uniform(0.3, 0.6))
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(random.permutation(_leaves(count)), 1, "adaptive", 2 * RATE), each=4,
        rate=np.full((count, 1), 2 * RATE), overhead=np.where(older, 0.08e-6, 0.0), processor=np.where(older, 0, 3),
        memory=np.where(older, 0.8, 1.0), position_latency=0.4e-6 + longer, hyperthreads=0.003,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _node_pools(hosts: int) -> Structure:
    """Kubernetes, a pod with a rank on each host; pods are in turns on two pools of hosts, of 10 and of 25 Gbit/s.

    As a scheduler spreads them by pool. The pools are in two racks each, or in up to four in a larger cluster, with an
    uplink of 100 Gbit/s for 8 hosts, or for fewer; a hash gives each two pods one. An overlay (VXLAN) joins all: 5 us
    longer, and 14 Gbit/s at most for a message, as one core unpacks it. The hosts of 10 Gbit/s have older processors, 3
    us longer at an end; facts tell. TCP: 10 us at each end, with a long tail; 0.6 % of readings are longer. As
    companies run it; the numbers are chosen here.
    """
    place, pool = np.divmod(np.arange(hosts), 2)
    racks = max(2, min(4, hosts // 16))
    older = pool == 0
    return Structure(
        hosts, FatTree(pool * racks + place * racks * 2 // hosts, 8, "static"), tunnel=5e-6, tunnel_rate=0.14 * RATE,
        rate=RATE * np.where(older, 0.1, 0.25)[:, None], overhead=np.where(older, 3e-6, 0.0),
        processor=np.where(older, 2, 3), position_latency=np.full(1, 10e-6), interrupts=2.5e-6, tail=0.006,
    )  # fmt: skip


def _next_room(hosts: int) -> Structure:
    """100 Gbit/s (EDR), two ranks in each host, 2:1 by receiver; a later part is in the next room, 30 m away.

    As clusters that were extended once: the last three eighths of the leaves lead to the spines of the first room,
    which takes 0.15 us more for each cable. Their hosts have newer processors: messages take 0.1 us less at an end, and
    within a host they are 1.25 times as fast. A switch of small clusters has 2 or 3 hosts. The far socket takes 0.25 us
    longer and reaches 95 % of the rate. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    leaves = int(leaf[-1]) + 1
    later = 8 * np.arange(leaves) >= 5 * leaves
    old = ~later[leaf]
    return replace(
        _far_socket(hosts, 2, 0.95), plane=FarSpines(leaf, 2, "by receiver", RATE, np.where(later, 0.15e-6, 0.0)),
        overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 0, 3), memory=np.where(old, 0.8, 1.0),
    )  # fmt: skip


def _islands_of_two_racks(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, all on the leaf of the rack; islands of two.

    1:1 within an island and 2:1 between them; the last one may be a single rack. RoCE, and switches choose the way of
    each message anew by a hash that takes its queue pair too. NVLink joins the GPUs, 90 GB/s for each two. Cables
    between islands are 30 m longer. 1.2 us at each end; 0.3 % of readings are longer, because switches pause senders.
    As clusters of HGX A100 with four GPUs; the racks and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(8, count // 8))
    rack = np.repeat(np.minimum(np.arange(count) // size, count // size - 1), 4)  # of the last one hosts may be more
    plane = Stacked(FatTree(rack, 1, "rehashed", 2 * RATE), FatTree(rack // 2, 2, "rehashed", 2 * RATE), 3 * CABLE)
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
        processor=np.full(count, 3), position_latency=np.full(4, 1.2e-6), tail=0.003,
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 90e9),
    )  # fmt: skip


def _clocks_that_vary(hosts: int, random: np.random.Generator) -> Structure:
    """A department: one switch of Omni-Path, 100 Gbit/s, a rank in each host; each processor has clocks of its own.

    The processor does the work of the adapter, 0.4 us at each end. Processors of one purchase reach clocks that differ
    by 3 %, as chips do and as they are cooled; so that work takes longer or shorter, and messages reach a rate that
    differs by 0.4 % (standard deviations of the logarithm). No fact says so. The numbers are chosen here.
    """
    slower = random.standard_normal((hosts, 1))
    return Structure(
        hosts, OneSwitch(hosts), rate=RATE * np.exp(-0.004 * slower), overhead=0.4e-6 * np.exp(0.03 * slower[:, 0]),
        processor=np.zeros(hosts, np.int64),
    )  # fmt: skip


def _every_fourth_left_out(hosts: int) -> Structure:
    """BXI, 100 Gbit/s, two ranks in each host; every fourth host of the machine is in another partition.

    As machines of BullSequana, of which a part of each leaf serves other work. A leaf has three uplinks for four hosts.
    Tables give receivers an uplink by the rest of their number (D-mod-K), and numbers have gaps, as all hosts of the
    machine are counted: of the uplinks of a leaf some lead to two of its hosts in the job, some to one or none. The far
    socket takes 0.2 us longer and reaches 96 % of the rate. The partitions and the numbers are chosen here.
    """
    unit = max(1, min(3, hosts // 16))  # of four hosts of a leaf, and three uplinks
    number = np.arange(hosts) * 4 // 3
    leaf = number // (4 * unit)
    leaf = np.minimum(leaf, int(leaf[-1]) - int(np.bincount(leaf)[-1] == 1))
    ratio = np.bincount(leaf) / (3 * unit + 0.5)
    return replace(_far_socket(hosts, 2, 0.96, 0.2e-6), plane=NumberedByArrival(leaf, ratio, number))


def _buckets_of_a_hash(hosts: int) -> Structure:
    """100 Gbit/s, RoCE, a rank in each host; leaves with three uplinks, to which 8 buckets of a hash are dealt out.

    As Ethernet switches with resilient hashing or small tables: two uplinks have three buckets, the third one two. So
    three of eight flows take each of the first two spines. An uplink has 100, 200 or 400 Gbit/s, for 4, 8 or 16 hosts
    of a leaf: 4:3, or up to 2:1 between these sizes. 1 us at each end; 0.3 % of readings are longer, because switches
    pause senders. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    size = int(np.bincount(leaf)[0])
    uplink = RATE * (4.0 if size >= 16 else 2.0 if size >= 8 else 1.0)
    return Structure(
        hosts, Buckets(leaf, 3, 8, uplink), overhead=np.full(hosts, 1e-6), processor=np.full(hosts, 3), tail=0.003
    )


def _larger_memory_last(hosts: int) -> Structure:
    """100 Gbit/s, two ranks in each host; a dragonfly+ whose switches and cables have 200 Gbit/s.

    As Vega of IZUM (two EPYC 7H12, HDR100), of whose hosts one in five has four times the memory. These are the last
    ones here: with two modules on a channel memory is slower, and messages within the host reach 85 % of the rate. No
    fact says so. A quarter of the messages between groups takes a third one. The far socket takes 0.2 us longer and
    reaches the whole rate. The groups, the detours and the numbers are chosen here.
    """
    large = 5 * np.arange(hosts) >= 4 * hosts
    return replace(
        _far_socket(hosts, 2, 1.0, 0.2e-6), memory=np.where(large, 0.85, 1.0), processor=np.full(hosts, 3),
        plane=DragonflyPlus(hosts, max(4, min(16, hosts // 4)), 0.25, 2 * RATE),
    )  # fmt: skip


def _neighbouring_groups(hosts: int) -> Structure:
    """200 Gbit/s, a rank in each host; a dragonfly whose groups have twice as many cables to their two neighbours.

    Groups stand in a ring of rows, and short cables were cheaper. A cable has 200 Gbit/s; to a group that is no
    neighbour there is one for 8 hosts, or a single one. A quarter of the messages between groups takes a third one. 0.2
    us at each end. As an operator may cable Slingshot; the groups and the numbers are chosen here.
    """
    groups = max(4, min(8, hosts // 4))
    group = np.arange(hosts) * groups // hosts
    apart = np.abs(np.subtract.outer(np.arange(groups), np.arange(groups)))
    few = max(1, hosts // groups // 8)
    cables = np.where(np.isin(apart, (1, groups - 1)), 2 * few, few)
    return Structure(
        hosts, Bundles(group, cables, 0.25, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        overhead=np.full(hosts, 0.2e-6), processor=np.full(hosts, 3),
    )  # fmt: skip


def _narrow_cables(hosts: int) -> Structure:
    """Half of the hosts, with a rank on each of four cores, in a torus: a cable does 374 MB/s, a host 1.5 GB/s.

    As Blue Gene/P of IBM, e.g. Intrepid of ALCF or JUGENE of FZ Juelich, whose cables have 425 MB/s, less what headers
    of packets take. So a message gets what a cable does, and a host sends four at once only to different neighbours.
    0.7 us at each end; within a host 2 GB/s. Latencies, and what a host sends in all, are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, Torus(_sides(count), 0.374e9), each=4, rate=np.full((count, 1), 1.5e9), socket=np.zeros(4, np.int64),
        position_latency=np.full(4, 0.7e-6), inside_latency=np.full((4, 4), 1.2e-6), inside_rate=np.full((4, 4), 2e9),
    )  # fmt: skip


def _put_in_order(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; 1:1.

    As Ethernet with Spectrum-X, e.g. Colossus of xAI (H100): leaves spread the packets of a message over all uplinks,
    and the adapter that receives them puts them in order. That takes 0.5 us, and only where a message leaves its leaf.
    NVSwitch joins the GPUs of a host, 360 GB/s; 0.9 us at each end. 0.2 % of readings are longer. The pods and the
    latencies are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(8, count // 4)), 8)
    return Structure(
        count, FarSpines(leaf, 1, "adaptive", 4 * RATE, np.full(int(leaf.max()) + 1, 0.25e-6)), each=8, rails=8,
        one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 0.9e-6), tail=0.002, inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9),
    )  # fmt: skip


def _later_pods_taper(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, and a leaf for each rail of each pod. Adaptive.

    A cluster for learning of a university (A100, HDR), grown once: about five eighths of the pods are 1:1. For the
    later ones the spines had too few free ports, so that their leaves have half as many uplinks, 2:1. NVLink joins the
    GPUs of a host, 90 GB/s for each two; 0.6 us at each end. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    pod = np.arange(count) // max(2, min(8, count // 4))
    pods = int(pod[-1]) + 1
    ratio = np.where(8 * np.arange(pods) >= 5 * pods, 2, 1)
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 4), np.tile(ratio, 4), "adaptive", 2 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(4, 0.6e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9),
    )  # fmt: skip


def _two_phases(hosts: int) -> Structure:
    """A climate centre: two phases of 56 Gbit/s (FDR), each a tree 2:1 with spines of its own.

    As Mistral of DKRZ, which was bought in two phases of other processors. Two ranks in each host. The first phase,
    about five eighths of the leaves, has older ones: messages take 0.15 us longer at an end. A cable for 8 hosts of the
    cluster joins the phases, 20 m long; at both levels a receiver has one way. The far socket takes 0.25 us longer and
    reaches 93 % of the rate. The leaves and the numbers are chosen here.
    """
    leaves = 4 if hosts < 16 else 8
    leaf = np.arange(hosts) * leaves // hosts
    old = 8 * leaf < 5 * leaves
    rate, between = 0.545 * RATE, np.bincount(1 * ~old) / (hosts // 8 + 0.5)
    plane = Stacked(FatTree(leaf, 2, "by receiver", rate), FatTree(1 * ~old, between, "by receiver", rate), 2 * CABLE)
    return replace(
        _far_socket(hosts, 2, 0.93), plane=plane, rate=np.full((hosts, 1), rate),
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 0),
    )  # fmt: skip


def _ranks_on_quadrants(hosts: int) -> Structure:
    """A quarter of the hosts: one switch of 200 Gbit/s (NDR200), and 8 ranks on one socket, two on each quadrant.

    As companies buy hosts of one EPYC of Zen 4. The third quadrant is next to the adapter; to the others it is 0.04 us
    further, and 0.07 us to the one across. Within a quadrant messages reach 22 GB/s, between two 16 GB/s and 0.06 us
    longer. 0.4 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    other = _in_other_parts(8, 2)
    return Structure(
        count, OneSwitch(count), each=8, rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3),
        socket=np.zeros(8, np.int64), position_latency=np.repeat([0.07e-6, 0.04e-6, 0.0, 0.04e-6], 2),
        inside_latency=np.where(other, INSIDE_LATENCY + 0.06e-6, INSIDE_LATENCY),
        inside_rate=np.where(other, 16e9, 22e9), hyperthreads=0.004,
    )  # fmt: skip


def _leaves_at_the_end_of_a_row(hosts: int) -> Structure:
    """25 Gbit/s, RoCE, two ranks in each host; four leaves at the end of each row, to which hosts go in turns.

    As data centres with switches at the end of a row, where neighbours in a rack share no leaf. From 32 hosts on there
    are two rows, and more rows of about 32 hosts in larger clusters. A leaf has an uplink of 100 Gbit/s for 8 hosts,
    2:1, or for fewer; a hash gives each pair one. 0.9 us at each end; 0.3 % of readings are longer, because switches
    pause senders. The numbers are chosen here.
    """
    rows = 1 if hosts < 32 else max(2, round(hosts / 32))
    every = np.arange(hosts)
    leaf = 4 * (every * rows // hosts) + every % 4
    return Structure(
        hosts, FatTree(leaf, 8, "static"), each=2, rate=np.full((hosts, 1), RATE / 4), tail=0.003,
        position_latency=np.full(2, 0.9e-6), inside_latency=_across_sockets(np.arange(2)),
    )  # fmt: skip


def _director_spines(hosts: int) -> Structure:
    """Half of the hosts, with 4 ranks on two sockets that share 100 Gbit/s; the spines are director switches. 2:1.

    As MareNostrum 4 of BSC (Skylake, Omni-Path): a message between leaves passes three chips in the director, which
    takes two hops more than a small spine. A receiver has one uplink. The processor does the work of the adapter, 0.3
    us at each end; the far socket takes 0.2 us longer and reaches 95 % of the rate. The taper, the leaves and the
    numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // max(2, min(16, count // 4))
    far = _far_socket(count, 4, 0.95, 0.2e-6)
    return replace(
        far, plane=FarSpines(leaf, 2, "by receiver", RATE, np.full(int(leaf[-1]) + 1, HOP)),
        position_latency=0.3e-6 + far.position_latency,
    )  # fmt: skip


def _cables_of_two_lengths(hosts: int) -> Structure:
    """One switch of 200 Gbit/s (NDR200), a rank in each host; the last quarter of the hosts stands in the next row.

    As small clusters of companies on a switch of 64 ports of 400 Gbit/s, each of which is split for two hosts. Copper
    reaches the racks beside the switch; the next row has transceivers and 20 m of fibre, so messages take 0.12 us
    longer at an end there, and no fact says so. 0.3 % of readings are disturbed by daemons. The numbers are chosen
    here.
    """
    far = 4 * np.arange(hosts) >= 3 * hosts
    return Structure(
        hosts, OneSwitch(hosts), rate=np.full((hosts, 1), 2 * RATE), overhead=np.where(far, 0.12e-6, 0.0),
        processor=np.full(hosts, 3), hyperthreads=0.003,
    )  # fmt: skip


def _clocks_of_one_switch(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of a department: one Omni-Path switch of 100 Gbit/s, 4 ranks on two sockets of each host.

    As clusters of up to 48 hosts, which a single switch joins. The processor does the work of the adapter, 0.3 us at
    each end, so what a host sends and receives goes with its clock: it varies by 1.2 % (standard deviation of the
    logarithm). The far socket takes 0.2 us longer and reaches 94 % of the rate. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _far_socket(count, 4, 0.94, 0.2e-6)
    return replace(
        far, rate=RATE * np.exp(0.012 * random.standard_normal((count, 1))),
        position_latency=0.3e-6 + far.position_latency,
    )  # fmt: skip


def _leaves_of_two_purchases(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host; leaves of the second purchase have three hosts for four of before.

    As Cedar of Simon Fraser University, where Broadwell hosts came first, then Skylake, and nothing blocks within a
    rack. Half of the hosts are of each purchase; the last leaf also has what is left. 2:1, or 3:1 for leaves of three;
    their tables change now and then. The processor does the work of the adapter, 0.3 us at each end and 0.1 us more on
    older ones, as processors tell. The far socket takes 0.2 us longer and reaches 93 % of the rate. The sizes and the
    numbers are chosen here.
    """
    half, unit = np.arange(hosts // 2), max(1, min(8, hosts // 32))
    first, second = (np.minimum(half // size, max(1, len(half) // size) - 1) for size in (4 * unit, 3 * unit))
    old = np.arange(hosts) < len(half)
    far = _far_socket(hosts, 2, 0.93, 0.2e-6)
    return replace(
        far, plane=Tables(np.concatenate([first, second + first[-1] + 1]), 2),
        position_latency=0.3e-6 + far.position_latency, overhead=np.where(old, 0.1e-6, 0.0),
        processor=np.where(old, 2, 0),
    )  # fmt: skip


def _last_group_half_full(hosts: int) -> Structure:
    """All of a Slingshot dragonfly of four groups, 200 Gbit/s and a rank in each host; the last group is half full.

    As Derecho of NCAR and other machines for weather and climate (two EPYC 7763, one adapter), which fill whole groups
    as far as they go; in a small cluster the groups are more alike. Four hosts are on a switch; routes follow the load,
    so what does not go directly takes a third group. 0.3 % of readings are disturbed by daemons. The groups, the
    cables and the numbers are chosen here.
    """
    group = np.minimum(np.arange(hosts) // (2 * hosts // 7), 3)
    return Structure(
        hosts, Slingshot(group, places_in(group) // 4, 4, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 3), hyperthreads=0.003,
    )  # fmt: skip


def _far_sockets_on_chassis(hosts: int) -> Structure:
    """Groups of two chassis with two hosts on each router; hosts do 80 Gbit/s and have a rank on each of two sockets.

    As the XC40 (Broadwell, Aries) of weather services, e.g. of the Met Office. 40 % of the messages between groups take
    a detour by a third one. The far socket takes 0.25 us longer and reaches 95 % of the rate. Two threads on each core:
    0.6 % of readings are disturbed. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.95), plane=Chassis(hosts, max(4, hosts // 16 * 4), 0.4),
        rate=np.full((hosts, 1), 0.8 * RATE), processor=np.full(hosts, 2), hyperthreads=0.006,
    )  # fmt: skip


def _six_dimensions(hosts: int) -> Structure:
    """A torus in up to six dimensions whose cables are as fast as what hosts do, 100 Gbit/s; two ranks in each host.

    As the half of COSMA7 of Durham University with Rockport's cards, which pass on the packets of others: 12 links to
    neighbours, wired by a passive box. These have 25 Gbit/s each, and a message takes several ways at once; here it is
    one way, of the rate of a host. 0.2 us at each end; the far socket takes 0.2 us longer and reaches 96 % of the rate.
    0.2 % of readings are longer. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.96, 0.2e-6)
    return replace(
        far, plane=Torus(_sides(hosts, 6), RATE), position_latency=0.2e-6 + far.position_latency, tail=0.002,
    )  # fmt: skip


def _scheduled_fabric(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, all on the switch of the rack. RoCE, 1:1.

    As Meta's disaggregated scheduled fabric (DSF): the switch of a rack cuts packets for another one into cells, which
    it spreads over all uplinks as soon as that one grants it room. This takes 1.5 us more than spines by themselves. So
    no uplink is fuller than others, and no reading is longer. NVSwitch joins the GPUs of a host, 360 GB/s; 1.2 us at
    each end. The racks of 2 to 4 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(4, count // 4))
    away = np.full(int(rack[-1]) + 1, 0.75e-6)
    return Structure(
        count, FarSpines(np.repeat(rack, 8), 1, "adaptive", 4 * RATE, away), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 1.2e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9),
    )  # fmt: skip


def _four_gpus_on_relayed_rails(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each; a tree for each rail, 2:1, and none joins them.

    As small pods for training (A100, HDR) in which NCCL hands what is for another rail to the GPU of that rail in the
    own host (PXN). NVLink joins any two GPUs of a host, 80 GB/s. Tables deal out the receivers of a leaf to its
    uplinks. 0.7 us at each end, and 0.1 us more for the GPUs of the second socket. 0.3 % of readings are disturbed by
    daemons. The taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, DealtOut(_leaves(count), 2, 2 * RATE), each=4, rails=4, relayed=True, other_rail=NVLINK_LATENCY,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.repeat([0.7e-6, 0.8e-6], 2), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 80e9), hyperthreads=0.003,
    )  # fmt: skip


def _three_to_one_for_each(hosts: int) -> Structure:
    """Half of the hosts, with 4 ranks: the older half of the leaves has 100 Gbit/s, the newer one 200, as all uplinks.

    As CSD3 of Cambridge (Cascade Lake with HDR100, Ice Lake with HDR200). About 3:1 for either, so an uplink for 6
    older hosts or for 3 newer ones, in a small cluster somewhat more or fewer; adaptive. Messages take 0.12 us longer
    at an end of an older host, and within it they reach 75 % of the rate; processors and adapters tell. The far socket
    takes 0.25 us longer and reaches 95 % of the rate. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaves(count)
    leaves = int(leaf[-1]) + 1
    of_leaf = 2 * np.arange(leaves) < leaves
    old = of_leaf[leaf]
    return replace(
        _far_socket(count, 4, 0.95), plane=FatTree(leaf, np.where(of_leaf, 6, 3), "adaptive", 2 * RATE),
        rate=RATE * np.where(old, 1.0, 2.0)[:, None], overhead=np.where(old, 0.12e-6, 0.0),
        processor=np.where(old, 0, 3), memory=np.where(old, 0.75, 1.0),
    )  # fmt: skip


def _in_turns_over_racks(hosts: int) -> Structure:
    """100 Gbit/s, RoCE, two ranks in each host; hosts are numbered in turns over the racks, as they were put in.

    As a company that shares out each delivery evenly to its racks, for power. A rack has up to 16 hosts, or some more,
    and an uplink of 200 Gbit/s for 4 of them, 2:1; a hash gives each two hosts one. 1.2 us at each end; the far socket
    takes 0.25 us longer and reaches 97 % of the rate. 0.4 % of readings are longer, because switches pause senders. The
    numbers are chosen here.
    """
    racks = max(hosts // 16, min(4, hosts // 4))
    far = _far_socket(hosts, 2, 0.97)
    return replace(
        far, plane=FatTree(np.arange(hosts) % racks, 4, "static", 2 * RATE),
        position_latency=1.2e-6 + far.position_latency, tail=0.004,
    )  # fmt: skip


def _cells_of_three_leaves(hosts: int) -> Structure:
    """BXI, 100 Gbit/s, a rank in each host; cells of three leaves, 1:1 within and 3:1 between them.

    As Bull's Sequana X1000 with Xeons. The last cell has what is left, so one to three leaves of up to 12 hosts.
    Receivers have an uplink at each level, D-mod-K; cables between cells are 20 m longer. 0.4 % of readings are
    disturbed by daemons. The sizes, the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(12, hosts // 8))
    plane = Stacked(FatTree(leaf, 1, "by receiver"), FatTree(leaf // 3, 3, "by receiver"), 2 * CABLE)
    return Structure(hosts, plane, hyperthreads=0.004)


def _adapter_on_second_node(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 200 Gbit/s, on the second one; 2:1.

    As CLAIX-2023 of RWTH Aachen (two Sapphire Rapids with four sub-NUMA clusters each, NDR, 2:1). Tables deal out the
    receivers of a leaf to its uplinks in turns. Other nodes are further from the adapter than the second one, and the
    second socket reaches 95 % of the rate. 0.3 % of readings are disturbed by daemons. The leaves of 4 to 8 hosts, the
    node and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    longer, inside = _numa_places(8)
    return Structure(
        count, DealtOut(np.arange(count) // max(4, min(8, count // 4)), 2, 2 * RATE), each=8,
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 4), position_rate=np.repeat([1.0, 0.95], 4),
        position_latency=longer[[1, 0, 2, 3, 4, 5, 6, 7]], hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _large_memory_last(hosts: int) -> Structure:
    """100 Gbit/s (HDR100), a rank in each host; the last eighth, or 2, are hosts of four sockets and large memory. 4:3.

    As many university clusters, e.g. Puhti of CSC, which also has such hosts. They fill the end of the last rack, and
    messages take 0.18 us longer at an end of them, as the adapter is further from most cores; processors tell. A
    receiver has one uplink, of which a leaf has three for four hosts. 0.3 % of readings are disturbed by daemons. The
    taper, the leaves and the numbers are chosen here.
    """
    large = np.arange(hosts) >= hosts - max(2, hosts // 8)
    return Structure(
        hosts, FatTree(_leaves(hosts), 4 / 3, "by receiver"), overhead=np.where(large, 0.18e-6, 0.0),
        processor=np.where(large, 3, 0), hyperthreads=0.003,
    )  # fmt: skip


def _boards(hosts: int) -> Structure:
    """Boards of 1 Gbit/s in cabinets, a rank in each; a switch has a cable of 1 Gbit/s for 4 of them to the core. TCP.

    As edge sites of single-board computers with power over Ethernet, e.g. Sage and other sensor networks. The cables of
    a cabinet count as one link (LACP), and hashes of the leaf and of the core choose one. Of four boards in a row the
    last one is of the next model: 12 us less at an end, as processors tell. 28 us at each end of such a one, with a
    long tail; 0.6 % of readings are longer. The numbers are chosen here.
    """
    rate = RATE / 100
    old = np.arange(hosts) % 4 != 3
    return Structure(
        hosts, LagCore(_leaves(hosts), 4, rate), rate=np.full((hosts, 1), rate), overhead=np.where(old, 12e-6, 0.0),
        processor=np.where(old, 2, 0), position_latency=np.array([28e-6]), interrupts=6e-6, tail=0.006,
    )  # fmt: skip


def _boosters(hosts: int) -> Structure:
    """A torus in three dimensions without switches, of 100 Gbit/s cables: boosters, and a cluster of usual processors.

    As DEEP-ER of FZ Juelich (EXTOLL), where Xeon Phis and Xeons are in one network. The first three quarters of the
    hosts are Xeon Phis: their slow cores take 0.6 us longer for a message and reach 82 % of the rate that all adapters
    say; processors tell. All pass on messages of others at full rate. A rank in each host. The numbers are chosen here.
    """
    slow = 4 * np.arange(hosts) < 3 * hosts
    return Structure(
        hosts, Torus(_sides(hosts), RATE), rate=RATE * np.where(slow, 0.82, 1.0)[:, None],
        nominal=np.full((hosts, 1), RATE), overhead=np.where(slow, 0.6e-6, 0.0), processor=np.where(slow, 1, 0),
    )  # fmt: skip


def _unlike_processors(hosts: int, random: np.random.Generator) -> Structure:
    """One switch of 100 Gbit/s (EDR), a rank in each host; processors of one model are not as fast as each other.

    As measured on clusters with a power cap (Inadomi et al., SC 2015), where each processor gets the clock that it can
    hold: up to 0.08 us longer for a message at an end, and rates that vary by 0.6 %. Nothing tells which. 0.4 % of
    readings are disturbed by daemons. The numbers are chosen here.
    """
    return replace(
        _varied(hosts, 0.006, random, hyperthreads=0.004), overhead=random.uniform(0.0, 0.08e-6, hosts),
        nominal=np.full((hosts, 1), RATE), processor=np.full(hosts, 3),
    )  # fmt: skip


def _newer_racks_turned(hosts: int) -> Structure:
    """100 Gbit/s (HDR100), two ranks in each host, 2:1; tables deal out the receivers of a leaf to its uplinks.

    As the thin hosts of Snellius (SURF), with EPYC Rome and later Genoa. The last three eighths of the racks are the
    newer ones: their adapter is on the second socket, and messages take 0.1 us less at an end, as processors tell. The
    socket without it takes 0.25 us longer and reaches 94 % of the rate; newer hosts have 1.3 times the rate within.
    0.3 % of readings are disturbed. The racks and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    old = 8 * leaf < 5 * (int(leaf[-1]) + 1)
    return replace(
        _far_socket(hosts, 2, 0.94), plane=DealtOut(leaf, 2), turned=~old, overhead=np.where(old, 0.1e-6, 0.0),
        processor=np.where(old, 3, 4), memory=np.where(old, 1.0, 1.3), hyperthreads=0.003,
    )  # fmt: skip


def _tenants(hosts: int) -> Structure:
    """Virtual machines with two ranks, four on a server of 100 Gbit/s, in tunnels; two generations of servers. TCP.

    As science clouds with OpenStack, e.g. de.NBI or Nectar. Packets between servers go by VXLAN: 5 us longer, and 18
    Gbit/s at most for a message, as one core of the server unpacks it. The first half of the servers is older, 2 us
    longer at an end; all machines show the same virtual processor. A leaf has an uplink of 100 Gbit/s for two servers,
    of which a hash gives each two machines one. 10 us at each end, with a long tail; 0.7 % of readings are longer. The
    numbers are chosen here.
    """
    server = np.arange(hosts) // 4
    servers = int(server[-1]) + 1
    return Structure(
        hosts, FatTree(server // max(1, min(4, servers // 4)), 8, "static"), each=2, guests=4, tunnel=5e-6,
        tunnel_rate=0.18 * RATE, overhead=np.where(2 * server < servers, 2e-6, 0.0),
        processor=np.zeros(hosts, np.int64), socket=np.zeros(2, np.int64), position_latency=np.full(2, 10e-6),
        interrupts=3e-6, tail=0.007,
    )  # fmt: skip


def _uneven_job(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs, two of which share an adapter of 200 Gbit/s, in three groups of a dragonfly of 6.

    As Polaris of ALCF (A100, Slingshot 11). The job has three, three and two eighths of its hosts in a group. The two
    adapters of a host are on two switches, each with those of up to 8 hosts; routes follow the load. NVLink joins the
    GPUs of a host, 90 GB/s for each two; one socket, 0.5 us at each end. 0.3 % of readings are disturbed. The groups,
    the job and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.array([0, 0, 0, 1, 1, 1, 2, 2])[np.arange(count) * 8 // count]
    switch = (places_in(group) // 8 * 2)[:, None] + np.arange(2)
    return Structure(
        count, Slingshot(np.repeat(group, 2), switch.ravel(), 6, 2 * RATE), each=4, rails=2, one_plane=True,
        other_rail=0.0, rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3), socket=np.zeros(4, np.int64),
        position_latency=np.full(4, 0.5e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _sizes_of_memory(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 100 Gbit/s; uplinks of 200 Gbit/s, 4:3.

    As Levante of DKRZ (two EPYC 7763, HDR100), whose hosts have 256, 512 or 1024 GiB: five, two and one eighths here.
    With two modules on a channel memory is clocked lower, so that messages within a host reach 100, 92 or 86 % of the
    rate; processors are the same. Leaves have three uplinks for eight hosts, or fewer for small ones; a receiver has
    one. The second socket reaches 95 % of the rate. 0.4 % of readings are disturbed. All but the hosts is chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(_leaves(count), 8 / 3, "by receiver", 2 * RATE), each=4, processor=np.full(count, 3),
        memory=np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.92, 0.92, 0.86])[np.arange(count) * 8 // count],
        position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer, hyperthreads=0.004,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _hyperconverged(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks each, with a bond of two ports on two switches; all of them also store. TCP.

    As hyperconverged sites with Proxmox or Nutanix and Ceph. The first five eighths have ports of 25 Gbit/s, later ones
    of 100; a hash of the two ranks gives each flow a port. Each host stores for all others: 1.2 % of readings are
    longer, and the tail is long. 9 us at each end, 1.5 us more on the older ones, as processors tell. The numbers are
    chosen here.
    """
    count = max(8, hosts // 2)
    old = 8 * np.arange(count) < 5 * count
    rate = RATE * np.where(old, 0.25, 1.0)
    return Structure(
        count, OneSwitch(count), each=4, rails=2, bonded=True, rate=np.column_stack([rate, rate]),
        overhead=np.where(old, 1.5e-6, 0.0), processor=np.where(old, 0, 3), position_latency=np.full(4, 9e-6),
        inside_latency=_across_sockets(np.arange(4) // 2), interrupts=3e-6, tail=0.012,
    )  # fmt: skip


def _without_nvlink(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs: in the first five eighths with NVSwitch and two adapters, later without, one.

    As Alex of NHR@FAU (A100 with two HDR adapters, and A40). All adapters of a rack, of 200 Gbit/s, are on its leaf,
    1:1; tables deal out its receivers to the uplinks. Within a host an A100 gets 240 GB/s and an A40, by PCIe, 19. 0.8
    us at each end, and 0.3 us more for an A40, which is further from the adapter; processors tell. 0.3 % of readings
    are disturbed. The racks and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    single = 8 * np.arange(count) >= 5 * count
    return Structure(
        count, DealtOut(np.repeat(rack, 2), 1, 2 * RATE), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), single=single, overhead=np.where(single, 0.3e-6, 0.0),
        processor=np.where(single, 0, 3), memory=np.where(single, 0.08, 1.0), position_latency=np.full(8, 0.8e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 240e9), hyperthreads=0.003,
    )  # fmt: skip


def _next_hall(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; 1:1.

    As GPU clouds with NVIDIA's reference design (B200, NDR), here with a last pod in the next hall: 150 m to the
    spines, so 0.75 us longer for what leaves its leaves or comes to them. Adaptive. NVSwitch joins the GPUs of a host,
    700 GB/s; 0.8 us at each end. 0.2 % of readings are disturbed. The pods and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    pods = int(pod[-1]) + 1
    away = np.tile(np.where(np.arange(pods) == pods - 1, 0.75e-6, 0.0), 8)
    return Structure(
        count, FarSpines(_leaf_per_rail(pod, 8), 1, "adaptive", 4 * RATE, away), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 0.8e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 700e9), hyperthreads=0.002,
    )  # fmt: skip


def _more_than_a_rank_fills(hosts: int) -> Structure:
    """400 Gbit/s (NDR) on each host, two ranks, 1:1 adaptive; a single rank does not fill the adapter.

    As Trillium of SciNet (two EPYC of Zen 5, NDR, a tree that does not block). A message gets 72 % of the rate, or 64 %
    on the far socket, for what one queue pair of a core does; so two that share an adapter get half of it each. The far
    socket takes 0.22 us longer. Two threads on each core: 0.5 % of readings are disturbed. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.64, 0.22e-6), plane=FatTree(_leaves(hosts), 1, "adaptive", 4 * RATE),
        rate=np.full((hosts, 1), 4 * RATE), position_rate=np.array([0.72, 0.64]), processor=np.full(hosts, 4),
        hyperthreads=0.005,
    )  # fmt: skip


def _larger_memory(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each and an adapter of 100 Gbit/s on each socket.

    As ARCHER2 of EPCC (two EPYC 7742, Slingshot-10), some of whose cabinets have twice the memory: here these are the
    last group. Their modules have two ranks each, so messages within such a host reach 106 %. No fact here says so.
    The adapters of a host are on two switches, and 8 hosts share these; cables do 200 Gbit/s, and routes follow the
    load in a dragonfly of 24 groups or, for more than 23, of one more than a job has. The first node of a socket has
    its adapter; 0.4 % of readings are disturbed. The groups and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    group = np.arange(count) // max(2, min(16, count // 4))
    switch = 2 * (places_in(group)[:, None] // 8) + np.arange(2)
    _, inside = _numa_places(8)
    return Structure(
        count, Slingshot(np.repeat(group, 2), switch.ravel(), max(24, int(group[-1]) + 2), 2 * RATE), each=8, rails=2,
        one_plane=True, other_rail=0.0, processor=np.full(count, 3), memory=np.where(group == group[-1], 1.06, 1.0),
        position_latency=np.tile([0.0, 0.06e-6, 0.06e-6, 0.06e-6], 2), hyperthreads=0.004,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _mini_pcs(hosts: int) -> Structure:
    """An edge site of mini PCs with 2.5 Gbit/s: switches of 8 such ports, each with a cable of 10 Gbit/s to one core.

    So 2:1, and 1:1 behind the two switches that 8 of them have. The first five eighths are the older model, with an
    economical processor: messages take 6 us longer at an end, and processors tell. TCP: 12 us at each end, with a long
    tail; 0.5 % of readings are longer. The numbers are chosen here.
    """
    old = 8 * np.arange(hosts) < 5 * hosts
    leaf = np.arange(hosts) // min(8, hosts // 2)
    return Structure(
        hosts, OneCore(leaf, 8, 0.1 * RATE), rate=np.full((hosts, 1), 0.025 * RATE),
        overhead=np.where(old, 6e-6, 0.0), processor=np.where(old, 2, 3), position_latency=np.array([12e-6]),
        interrupts=4e-6, tail=0.005,
    )  # fmt: skip


def _rented_servers(hosts: int, random: np.random.Generator) -> Structure:
    """Servers rented in a data center, two ranks each, on a private network of 25 Gbit/s; racks have up to six of them.

    They stand where some were free, so in no order, and are of two models: 50 to 70 %, at random, have the older
    processor, and messages take 2.5 us longer at an end, as processors tell. As the vRack of OVHcloud: leaves put what
    leaves a rack into tunnels, 1.2 us. An uplink of 40 Gbit/s for three servers, 15:8, or one for two; a hash gives
    each two servers one. TCP: 9 us at each end, with a long tail; 0.5 % of readings are longer. The racks and the
    numbers are chosen here.
    """
    rack = random.permutation(np.arange(hosts) // max(2, min(6, hosts // 4)))
    old = random.permutation(hosts) < round(hosts * random.uniform(0.5, 0.7))
    away = np.full(int(rack.max()) + 1, 0.6e-6)
    return Structure(
        hosts, FarSpines(rack, 3, "static", 0.4 * RATE, away), each=2, rate=np.full((hosts, 1), RATE / 4),
        overhead=np.where(old, 2.5e-6, 0.0), processor=np.where(old, 2, 3), position_latency=np.full(2, 9e-6),
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _pods_in_a_row(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod, 1:1.

    The spines stand beside the first pod, and each further pod in the row has cables that are 20 m longer. Routes are
    adaptive. NVSwitch joins the GPUs of a host, 360 GB/s; 0.7 us at each end. As clusters of H100 with NDR that fill a
    row of a hall; pods have up to 8 hosts here. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    away = np.tile(2 * CABLE * np.arange(int(pod[-1]) + 1), 8)
    return Structure(
        count, FarSpines(_leaf_per_rail(pod, 8), 1, "adaptive", 4 * RATE, away), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 3),
        position_latency=np.full(8, 0.7e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9),
    )  # fmt: skip


def _far_gpus(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs, two on each socket, that share an adapter of 200 Gbit/s on the first; 3:2 adaptive.

    As Baskerville of Birmingham (4 A100 and one HDR adapter in a host). What the adapter and the GPUs of the second
    socket exchange passes the link between the sockets: 0.5 us longer, and 60 % of the rate. NVLink joins all four, 90
    GB/s for each two; 0.6 us at each end. 0.3 % of readings are disturbed by daemons. The taper and the numbers are
    chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, FatTree(_leaves(count), 1.5, "adaptive", 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.6], 2),
        position_latency=np.repeat([0.6e-6, 1.1e-6], 2), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _torus_of_four_cores(hosts: int) -> Structure:
    """Half of the hosts, of one processor with 4 cores and a rank on each, in a torus whose cables do 0.425 GB/s.

    As Blue Gene/P of IBM in virtual node mode. A host feeds its six cables at the same time, 2.55 GB/s, but a message
    takes one way only, and those of several ranks share a cable where they begin in the same direction. 0.7 us at each
    end. Nothing else runs on the cores, so readings hardly vary. The latencies and what is within a host are chosen
    here.
    """
    count, cable = max(8, hosts // 2), 0.425e9
    return Structure(
        count, Torus(_sides(count), cable), each=4, rate=np.full((count, 1), 6 * cable),
        processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64), position_latency=np.full(4, 0.7e-6),
        inside_latency=np.full((4, 4), 0.9e-6), inside_rate=np.full((4, 4), 2.4e9),
    )  # fmt: skip


def _bonds_by_flow(hosts: int) -> Structure:
    """Half of the hosts, of a department: one Ethernet switch; 4 ranks, and a bond of two ports of 25 Gbit/s.

    Both ports are on this switch. A hash of the ports of TCP, too, gives each flow its port (layer3+4), so that those
    of two ranks may share one or not. The first three eighths of the hosts are older: 2 us longer at an end, as
    processors tell. 8 us at each end, with a long tail; 0.5 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = 8 * np.arange(count) < 3 * count
    return Structure(
        count, OneSwitch(count), each=4, rails=2, bonded=True, rate=np.full((count, 2), RATE / 4),
        overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 3), position_latency=np.full(4, 8e-6),
        inside_latency=_across_sockets(np.arange(4) // 2), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _islands_of_three(hosts: int) -> Structure:
    """InfiniBand, 100 Gbit/s, a rank in each host; islands of three leaves, 1:1 within, and 2:1 to an older core.

    Within an island routes are adaptive. The core is of the generation before and is not, so each receiver has an
    uplink of its island. Leaves have up to 8 hosts, and the last island may have fewer leaves. Cables to the core are
    30 m longer; 0.3 % of readings are disturbed by daemons. As clusters that kept their core when hosts and leaves were
    replaced; the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(8, hosts // 6))
    plane = Stacked(FatTree(leaf, 1, "adaptive"), FatTree(leaf // 3, 2, "by receiver"), 3 * CABLE)
    return Structure(hosts, plane, processor=np.full(hosts, 3), hyperthreads=0.003)


def _chassis_in_turns(hosts: int) -> Structure:
    """InfiniBand, 200 Gbit/s, a rank in each host; chassis of four hosts, which are dealt out in turns to the leaves.

    So all leaves are equally full, whatever was bought when: the first chassis is on the first leaf, the next one on
    the second. A leaf has up to 20 hosts. 2:1; tables deal out the receivers of a leaf to its uplinks in turns. 0.3 %
    of readings are disturbed by daemons. As university clusters whose racks are filled evenly for power and cooling;
    the numbers are chosen here.
    """
    leaf = np.arange(hosts) // 4 % max(2, min(4, hosts // 8), hosts // 16)
    return Structure(
        hosts, DealtOut(leaf, 2, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3),
        hyperthreads=0.003,
    )  # fmt: skip


def _threads_of_four_cores(hosts: int) -> Structure:
    """A quarter of the hosts, of an edge site: one switch of 10 Gbit/s, small servers of 4 cores with 8 ranks.

    Linux numbers the first threads of all cores and then the second ones, and so are the ranks: the first and the fifth
    are on one core. These two exchange small messages by its own cache, 0.25 us sooner, but copy at 5 GB/s, not 9. TCP:
    14 us at each end, with a long tail; 1.5 % of readings are disturbed by the other thread. The numbers are chosen
    here.
    """
    count = max(8, hosts // 4)
    core = np.arange(8) % 4
    shared = np.equal.outer(core, core)
    return Structure(
        count, OneSwitch(count), each=8, rate=np.full((count, 1), 0.1 * RATE), processor=np.full(count, 2),
        socket=np.zeros(8, np.int64), position_latency=np.full(8, 14e-6), interrupts=3e-6, hyperthreads=0.015,
        inside_latency=np.where(shared, 0.2e-6, 0.45e-6), inside_rate=np.where(shared, 5e9, 9e9),
    )  # fmt: skip


def _varied_by_slot(hosts: int, random: np.random.Generator) -> Structure:
    """InfiniBand, 100 Gbit/s, two ranks in each host; what an adapter reaches varies by 1 %, by its slot and firmware.

    4:3, and each receiver has an uplink. The far socket takes 0.25 us longer and reaches 94 % of the rate. 0.4 % of
    readings are disturbed by daemons. As clusters of one purchase after some years, in which boards and adapters were
    replaced. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.94), plane=FatTree(_leaves(hosts), 4 / 3, "by receiver"),
        rate=RATE * np.exp(0.01 * random.standard_normal((hosts, 1))), nominal=np.full((hosts, 1), RATE),
        processor=np.full(hosts, 3), hyperthreads=0.004,
    )  # fmt: skip


def _optical_cables(hosts: int) -> Structure:
    """One switch of 200 Gbit/s (HDR) in the first of two racks, a rank in each host.

    The first five eighths of the hosts are beside it and have copper cables; the others have active optical ones, of
    which each adds 0.05 us, by its transceivers and its length. No fact says so. 0.3 % of readings are disturbed by
    daemons. As small clusters that have one switch of 40 ports; the numbers are chosen here.
    """
    optical = 8 * np.arange(hosts) >= 5 * hosts
    return Structure(
        hosts, OneSwitch(hosts), rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3),
        overhead=np.where(optical, 0.05e-6, 0.0), hyperthreads=0.003,
    )  # fmt: skip


def _fdr_racks(hosts: int) -> Structure:
    """InfiniBand, 56 Gbit/s (FDR), two ranks in each host; racks of two leaves, 1:1 within and 4:1 between them.

    As Comet of SDSC, whose racks have four leaves of 18 hosts. At each level a receiver has one uplink, D-mod-K, and
    cables between racks are 20 m longer. The far socket takes 0.2 us longer and reaches 95 % of the rate. 0.3 % of
    readings are disturbed by daemons. The sizes and the numbers are chosen here.
    """
    rate = 0.545 * RATE
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    plane = Stacked(FatTree(leaf, 1, "by receiver", rate), FatTree(leaf // 2, 4, "by receiver", rate), 2 * CABLE)
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6), plane=plane, rate=np.full((hosts, 1), rate), processor=np.full(hosts, 2),
        hyperthreads=0.003,
    )  # fmt: skip


def _pairs_over_groups(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 200 Gbit/s, in four groups of a dragonfly of 8.

    As Setonix of Pawsey (two EPYC 7763, Slingshot). The hosts of the job are listed in turns over its groups, two of
    each, as by a host file that spreads neighbours; a switch has four of them. Routes follow the load. The second
    socket takes 0.3 us longer and reaches 96 % of the rate. 0.3 % of readings are disturbed by daemons. The groups, the
    cables and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    every = np.arange(count)
    longer, inside = _numa_places(4)
    return Structure(
        count, Slingshot(every // 2 % 4, every // 16, 8, 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.96], 2), position_latency=longer,
        hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _half_of_each_cell(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, in cells of a dragonfly+.

    As JUWELS Booster of FZ Juelich (A100, HDR). The job has every second host of its cells; other jobs have the others
    and two more cells, which detours also take: a quarter of the messages between cells. All adapters of a host are on
    one of the two leaves of its cell. NVLink joins the GPUs of a host, 85 GB/s for each two; 0.6 us at each end. 0.3 %
    of readings are disturbed by daemons. The cells, the detours and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = 2 * max(2, min(16, count // 4))  # hosts of a cell
    taken = 4 * (2 * np.arange(count))[:, None] + np.arange(4)
    cells = 2 * (count - 1) // size + 1
    return Structure(
        count, PartOfDragonflyPlus(taken.ravel(), cells + 2, 4 * size, 0.25, 2 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(4, 0.6e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 85e9), hyperthreads=0.003,
    )  # fmt: skip


def _two_memory_groups_in_units(hosts: int) -> Structure:
    """Units of hosts in a torus, with a rank on each of two memory groups and two interfaces of 100 Gbit/s.

    As PRIMEHPC FX100 of Fujitsu (SPARC64 XIfx, Tofu 2), e.g. of Nagoya University. Each rank has an interface of its
    own, and all cables are as fast as an interface. The router is nearer to the first memory group, so messages take
    0.07 us longer at an end on the second one. Nothing else runs on the cores of ranks, as each group has one for the
    system. Other interfaces of a host are not used, and the latencies are chosen here.
    """
    return Structure(
        hosts, UnitInterfaces(*_units(hosts), 2, RATE), each=2, rails=2, one_plane=True, other_rail=0.0,
        processor=np.zeros(hosts, np.int64), position_latency=np.array([0.0, 0.07e-6]),
        inside_latency=np.full((2, 2), 0.65e-6), inside_rate=np.full((2, 2), 15e9),
    )  # fmt: skip


def _shared_pcie_links(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an Omni-Path adapter of 100 Gbit/s each, all on the leaf of their rack; 2:1.

    As Jean Zay of IDRIS (V100). Two GPUs and their adapters are behind a PCIe switch; messages pass the memory of the
    host, so that both adapters share 16 lanes of PCIe 3 to the processor, 104 Gbit/s, and a switch takes 0.15 us. A
    receiver has one uplink. The processor does the work of the adapter, 0.9 us at each end. NVLink joins the GPUs of a
    host, 45 GB/s for each two. 0.4 % of readings are disturbed by daemons. The taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(8, count // 4))
    plane = PcieSwitches(np.repeat(rack, 4), 2, "by receiver", RATE, np.arange(4 * count) // 2, 1.04 * RATE, 0.15e-6)
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, position_latency=np.full(4, 0.9e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 45e9), hyperthreads=0.004,
    )  # fmt: skip


def _square_of_sockets(hosts: int) -> Structure:
    """Half of the hosts, of four sockets in a square with a rank on each that share 40 Gbit/s (QDR); 1:1 by receiver.

    As Abisko of HPC2N (four Opteron 6238). Links join each socket to two others, and messages to the opposite one pass
    two of them. The adapter is on the first socket: those beside it take 0.12 us longer, the opposite one 0.24 us, and
    this one reaches 93 % of the rate. 32 of 40 Gbit/s are data. 0.4 % of readings are disturbed by daemons. The leaves
    and the numbers are chosen here.
    """
    count, rate = max(8, hosts // 2), 0.32 * RATE
    side = np.arange(4) % 2, np.arange(4) // 2
    links = _levels_apart(*side)
    return Structure(
        count, FatTree(_leaves(count), 1, "by receiver", rate), each=4, rate=np.full((count, 1), rate),
        nominal=np.full((count, 1), 0.4 * RATE), processor=np.full(count, 2), socket=np.arange(4),
        position_rate=np.array([1.0, 1.0, 1.0, 0.93]), position_latency=0.12e-6 * links[0],
        inside_latency=INSIDE_LATENCY + np.array([0.0, 0.12e-6, 0.24e-6])[links],
        inside_rate=np.array([6e9, 4.5e9, 3.2e9])[links],
        hyperthreads=0.004,
    )  # fmt: skip


def _third_quadrant(hosts: int) -> Structure:
    """Half of the hosts, of one socket of four quadrants with a rank on each that share 200 Gbit/s; 2:1 adaptive.

    As clusters of universities with one EPYC 9554P in a host and NDR200: uplinks of 400 Gbit/s, one for four hosts. The
    adapter is on the third quadrant; the others take 0.06 us longer at an end, at the same rate. All quadrants are one
    socket, as hosts say. 0.5 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 1)
    return Structure(
        count, FatTree(_leaves(count), 4, "adaptive", 4 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 4), socket=np.zeros(4, np.int64), position_latency=np.where(far[2], 0.06e-6, 0.0),
        inside_latency=INSIDE_LATENCY + np.where(far, 0.05e-6, 0.0), inside_rate=np.where(far, 14e9, 20e9),
        hyperthreads=0.005,
    )  # fmt: skip


def _three_uplinks_for_four_on_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; 4:3.

    As GPU clusters of companies on Ethernet (H200, RoCE) that keep some ports of each leaf for storage. Flows that see
    congestion get another uplink, here after 16 steps. Pods have 4 to 8 hosts, or what is left. NVSwitch joins the GPUs
    of a host, 360 GB/s; 1.3 us at each end. 0.3 % of readings are longer, because switches pause senders. The numbers
    are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(4, min(8, count // 4))
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 4 / 3, "lingering", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 1.3e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9), tail=0.003,
    )  # fmt: skip


def _h200_phase(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, all on the leaf of their rack; 3:2 adaptive.

    As Helma of NHR@FAU (NDR200), with H100 at first and H200 later. A rack has an uplink of 400 Gbit/s for three
    adapters, so somewhat more than 3:2 where these do not divide. The last three eighths of the hosts came later and
    have newer processors, as these tell: on the others messages take 0.1 us longer at an end. NVLink joins the GPUs of
    a host, 110 GB/s for each two; 0.7 us at each end, and 0.08 us more on the second socket. 0.3 % of readings are
    disturbed by daemons. The taper and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(8, count // 4))
    old = 8 * np.arange(count) < 5 * count
    return Structure(
        count, FatTree(np.repeat(rack, 4), 3, "adaptive", 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 3, 4),
        position_latency=np.repeat([0.7e-6, 0.78e-6], 2), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 110e9), hyperthreads=0.003,
    )  # fmt: skip


def _fault_domains(hosts: int) -> Structure:
    """Half of the hosts: virtual machines of 10 Gbit/s with 4 ranks, in turns in three fault domains, which are racks.

    As an availability set of Azure, by TCP with accelerated networking. A rack has an uplink of 100 Gbit/s for 8 such
    machines, or for some more; a hash gives each two machines one. A machine has two cores with two threads each:
    threads of a core exchange small messages 0.2 us sooner, but copy at 5 GB/s, not 8. 8 us at each end, with a long
    tail; 0.6 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    apart = _in_other_parts(4, 2)
    return Structure(
        count, FatTree(np.arange(count) % 3, 8, "static"), each=4, rate=np.full((count, 1), 0.1 * RATE),
        processor=np.full(count, 3), socket=np.zeros(4, np.int64), position_latency=np.full(4, 8e-6),
        inside_latency=np.where(apart, 0.45e-6, 0.25e-6), inside_rate=np.where(apart, 8e9, 5e9), interrupts=2e-6,
        tail=0.006,
    )  # fmt: skip


def _two_spines_with_lags(hosts: int) -> Structure:
    """Ethernet, 100 Gbit/s, RoCE, two ranks in each host; leaves have a LAG to each of two spines, about 2:1.

    As clusters of companies with two large spines. A hash gives each two hosts a spine and a cable up; the spine has a
    hash of its own for the cable down. Leaves of 8 hosts have two cables to each spine, those of 16 four. 1.1 us at
    each end; the far socket takes 0.25 us longer and reaches 96 % of the rate. 0.4 % of readings are longer, because
    switches pause senders. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.96)
    return replace(
        far, plane=LagsToTwoSpines(_leaves(hosts), 2), position_latency=1.1e-6 + far.position_latency,
        processor=np.full(hosts, 3), tail=0.004,
    )  # fmt: skip


def _two_gpus_of_a_department(hosts: int) -> Structure:
    """One Ethernet switch of 100 Gbit/s, RoCE; hosts of two GPUs on PCIe that share an adapter, on the first socket.

    As a department with servers of two A40 and, later, of two L40S. What the second GPU sends and receives passes the
    link between the sockets: 0.5 us longer, and 72 % of the rate. The first three eighths of the hosts are the older
    ones, with messages that take 0.25 us longer at an end, as processors tell. GPUs of a host have no NVLink: 18 GB/s,
    2 us. 1.2 us at each end; 0.3 % of readings are longer. The numbers are chosen here.
    """
    old = 8 * np.arange(hosts) < 3 * hosts
    far = _far_socket(hosts, 2, 0.72, 0.5e-6)
    return replace(
        far, position_latency=1.2e-6 + far.position_latency, overhead=np.where(old, 0.25e-6, 0.0),
        processor=np.where(old, 0, 4), inside_latency=np.full((2, 2), 2e-6), inside_rate=np.full((2, 2), 18e9),
        tail=0.003,
    )  # fmt: skip


def _eight_ranks_in_turns_on_ccxs(hosts: int) -> Structure:
    """A quarter of the hosts, of a department: one switch of 100 Gbit/s (HDR100), one EPYC with four CCXs, 8 ranks.

    Ranks go to the CCXs in turns, so the first and the fifth share a cache: 0.12 us sooner and 18 GB/s, not 13. All are
    as near to the adapter, which is on the I/O die. The first five eighths of the hosts are of the earlier purchase:
    messages take 0.1 us longer at an end, as processors tell, and reach 90 % of the rate within a host. 0.4 % of
    readings are disturbed by daemons. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    old = 8 * np.arange(count) < 5 * count
    ccx = np.arange(8) % 4
    apart = np.not_equal.outer(ccx, ccx)
    return Structure(
        count, OneSwitch(count), each=8, overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 0, 3),
        memory=np.where(old, 0.9, 1.0), socket=np.zeros(8, np.int64), hyperthreads=0.004,
        inside_latency=np.where(apart, 0.42e-6, 0.3e-6), inside_rate=np.where(apart, 13e9, 18e9),
    )  # fmt: skip


def _uplinks_of_40_and_of_100(hosts: int) -> Structure:
    """A university: leaves and spines of Ethernet, a rank in each host, 25 Gbit/s. TCP by the kernel.

    A leaf has an uplink for four hosts. The first half of the leaves are older switches with uplinks of 40 Gbit/s,
    2.5:1; later ones have 100 Gbit/s, 1:1. A hash gives each two hosts one. The hosts are the same. 9 us at each end,
    with a long tail; 0.5 % of readings are longer. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    leaves = int(leaf[-1]) + 1
    speed = RATE * np.where(2 * np.arange(leaves) < leaves, 0.4, 1.0)
    return Structure(
        hosts, FatTree(leaf, 4, "static", speed), rate=np.full((hosts, 1), RATE / 4), processor=np.full(hosts, 3),
        position_latency=np.array([9e-6]), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _five_to_one_of_56(hosts: int) -> Structure:
    """A university: 56 Gbit/s (FDR), 5:1, two ranks in each host; a receiver has an uplink.

    As leaves of 36 ports with 30 hosts and 6 uplinks. There are up to six leaves of about 5 to 21 hosts, and their
    uplinks are as near to 5:1 as whole ones can be. The first half of the leaves came earlier: messages take 0.15 us
    longer at an end, as processors tell, and reach 80 % of the rate within a host (DDR3). The far socket takes 0.25 us
    longer and reaches 94 % of the rate. 0.4 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    leaves = max(2, min(6, hosts // 5))
    leaf = np.arange(hosts) * leaves // hosts
    old, uplinks, rate = 2 * leaf < leaves, max(1, round(hosts / leaves / 5)), 0.545 * RATE
    return replace(
        _far_socket(hosts, 2, 0.94), plane=FatTree(leaf, np.bincount(leaf) / (uplinks + 0.5), "by receiver", rate),
        rate=np.full((hosts, 1), rate), overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 2, 0),
        memory=np.where(old, 0.8, 1.0), hyperthreads=0.004,
    )  # fmt: skip


def _omni_path_islands_of_four_leaves(hosts: int) -> Structure:
    """A national machine: Omni-Path, 100 Gbit/s, a rank in each host; two islands of four leaves each.

    4:3 at the leaves, and nothing more is lost above them; at both levels tables deal out the receivers to the uplinks
    in turns. Cables between islands are 30 m longer. The processor does the work of the adapter, 0.3 us at each end.
    0.3 % of readings are disturbed by daemons. Leaves have up to 16 hosts; the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, hosts // 8)
    return Structure(
        hosts, Stacked(DealtOut(leaf, 4 / 3), DealtOut(leaf // 4, 4 / 3), 3 * CABLE),
        position_latency=np.array([0.3e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _whole_and_half_cells(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, in cells of a dragonfly+ that are trees.

    As the booster of JUWELS of FZ Juelich (A100, HDR). A job has a whole cell and half of the next one, in turns; of
    the half, all hosts are on the first leaf. All adapters of a host are on one leaf. A fifth of the messages between
    cells takes a third one, also one of two that the job has not. NVLink joins the GPUs of a host, 90 GB/s for each
    two; 0.7 us at each end. 0.3 % of readings are disturbed. The cells, the job and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = 4 if count < 32 else 8
    turn, place = np.divmod(np.arange(count), 3 * size // 2)
    place += 2 * size * turn  # of the machine, whose cells have `size` hosts
    taken = 4 * place[:, None] + np.arange(4)
    plane = PartOfDragonflyPlus(taken.ravel(), int(place[-1]) // size + 3, 4 * size, 0.2, 2 * RATE)
    return Structure(
        count, plane, each=4, rails=4, one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE),
        processor=np.full(count, 3), position_latency=np.full(4, 0.7e-6), hyperthreads=0.003,
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 90e9),
    )  # fmt: skip


def _two_of_four_adapters_on_a_switch(hosts: int) -> Structure:
    """Half of the hosts, of 4 superchips with an adapter of 200 Gbit/s each, in a dragonfly; routes follow the load.

    As GH200 on Slingshot. The first two adapters of a host are on one switch and the other two on the next one, with
    those of up to 8 hosts. The job has four groups of 12. NVLink joins the superchips of a host, 150 GB/s for each two;
    0.6 us at each end. 0.3 % of readings are disturbed. The groups, the switches and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    return _superchips_on_switches(np.arange(count) // max(2, count // 4), 12, latency=0.6e-6, disturbed=0.003)


def _superchips_on_switches(group: Index, groups: int, latency: float, disturbed: float) -> Structure:
    """Hosts of 4 superchips, each with an adapter, in the first of a dragonfly's `groups`; two adapters of a host
    are on one switch, and two on the next one, with those of up to 8 hosts. `group` [hosts]; `latency` at each end."""
    count, switch = len(group), (places_in(group) // 8 * 2)[:, None] + np.arange(4) // 2
    return Structure(
        count, Slingshot(np.repeat(group, 4), switch.ravel(), groups, 2 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4),
        position_latency=np.full(4, latency), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 150e9), hyperthreads=disturbed,
    )  # fmt: skip


def _relayed_rails_with_spare_uplinks(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; each rail is a tree of its own. RoCE.

    As clusters of MI300X on Ethernet: any two GPUs of a host have a link, 48 GB/s (xGMI), by which messages go to the
    GPU of the right rail first, 0.8 us. A leaf has two uplinks for each of its hosts, so that fewer messages meet; a
    hash gives each two hosts one. 1.1 us at each end; 0.3 % of readings are longer, because switches pause senders. The
    pods of up to 16 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(16, count // 4))
    return Structure(
        count, FatTree(pod, 0.5, "static", 4 * RATE), each=8, rails=8, relayed=True, other_rail=0.8e-6,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 1.1e-6),
        tail=0.003, inside_latency=np.full((8, 8), 1.2e-6), inside_rate=np.full((8, 8), 48e9),
    )  # fmt: skip


def _gpus_on_the_other_pcie_switch(hosts: int) -> Structure:
    """A quarter of the hosts, of a department: 8 GPUs on PCIe, two adapters of 200 Gbit/s, one switch.

    A socket has two PCIe switches with two GPUs each, and its adapter is on the first one. From the other one messages
    pass the processor: 0.35 us longer, and 85 % of the rate. Two GPUs of a switch exchange 22 GB/s, two of a socket 17
    and two of both sockets 11, 0.4 and 1 us longer. 0.9 us at each end; 0.4 % of readings are disturbed by daemons. The
    numbers are chosen here.
    """
    count = max(8, hosts // 4)
    apart = _levels_apart(np.arange(8) // 2, np.arange(8) // 4)
    return Structure(
        count, OneSwitch(count), each=8, rails=2, other_rail=0.0, rate=np.full((count, 2), 2 * RATE),
        processor=np.full(count, 3), position_rate=np.tile([1.0, 1.0, 0.85, 0.85], 2),
        position_latency=0.9e-6 + np.tile([0.0, 0.0, 0.35e-6, 0.35e-6], 2), hyperthreads=0.004,
        inside_latency=1.1e-6 + np.array([0.0, 0.4e-6, 1e-6])[apart], inside_rate=np.array([22e9, 17e9, 11e9])[apart],
    )  # fmt: skip


def _anywhere_with_flows_of_5(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of a cloud, 4 ranks, 10 Gbit/s, without a placement group. TCP.

    As AWS, where a flow gets 5 Gbit/s at most outside of such a group, so two flows fill a machine. Machines are
    where there was room, in no order: 0.6 us longer between racks, and 1.6 us between blocks of two racks. An uplink of
    40 Gbit/s for four machines, 1:1 at both levels, of which a hash gives each two machines one. 14 us at each end,
    with a long tail; 0.8 % of readings are longer. The racks and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = random.permutation(_leaves(count))
    lower, upper = (FatTree(group, 4, "static", 0.4 * RATE) for group in (rack, rack // 2))
    return Structure(
        count, Stacked(lower, upper, 0.4e-6), each=4, rate=np.full((count, 1), 0.1 * RATE), tunnel_rate=0.05 * RATE,
        socket=np.zeros(4, np.int64), position_latency=np.full(4, 14e-6), interrupts=3e-6, tail=0.008,
    )  # fmt: skip


def _torus_with_cables_of_3_2(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share an adapter of 2 GB/s, in a torus with cables of 3.2 GB/s.

    As Cray XT5 with SeaStar2+, e.g. Jaguar of ORNL. Two messages from two hosts get 80 % each where they share a cable.
    1.8 us at each end; the far socket takes 0.3 us longer and reaches 95 % of the rate. Nothing else runs on the hosts,
    so readings hardly vary. The latencies and what is within a host are chosen here.
    """
    count = max(8, hosts // 2)
    far = _far_socket(count, 4, 0.95, 0.3e-6)
    return replace(
        far, plane=Torus(_sides(count), 3.2e9), rate=np.full((count, 1), 2e9), processor=np.zeros(count, np.int64),
        position_latency=1.8e-6 + far.position_latency, inside_rate=np.full((4, 4), 3e9),
    )  # fmt: skip


def _adapter_on_seventh_node(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 100 Gbit/s, on the seventh one. RoCE, 2:1.

    As university clusters of two EPYC with NPS4 on Ethernet, whose only free slot is on the second socket. Leaves have
    up to 16 hosts, and a hash gives each two hosts an uplink. The other nodes of this socket are 0.06 us further; the
    first socket is 0.3 us further and reaches 93 % of the rate. 1 us at each end; 0.3 % of readings are longer, because
    switches pause senders. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    longer, inside = _numa_places(8)
    return Structure(
        count, FatTree(np.arange(count) // max(2, min(16, count // 4)), 2, "static"), each=8,
        turned=np.ones(count, bool), processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.93], 4),
        position_latency=1e-6 + longer[[1, 0, 2, 3, 4, 5, 6, 7]], tail=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _pairs_of_threads(hosts: int) -> Structure:
    """Half of the hosts, of a university: 100 Gbit/s (EDR), 4:1, 4 ranks on the two threads of a core of each socket.

    As where hyperthreads count as processors. Two threads of a core exchange small messages 0.6 us sooner than two of
    both sockets, but copy at 6 GB/s, not 9. The far socket takes 0.25 us longer and reaches 94 % of the rate. Tables
    deal out the receivers of a leaf to its uplinks. 1.2 % of readings are disturbed by the other thread. The numbers
    are chosen here.
    """
    count = max(8, hosts // 2)
    apart = _in_other_parts(4, 2)
    return replace(
        _far_socket(count, 4, 0.94), plane=DealtOut(_leaves(count), 4), processor=np.full(count, 2),
        inside_latency=np.where(apart, 0.8e-6, 0.2e-6), inside_rate=np.where(apart, 9e9, 6e9), hyperthreads=0.012,
    )  # fmt: skip


def _fluid_and_crash_racks(hosts: int) -> Structure:
    """Half of the hosts, of a car maker: 4 NUMA nodes with a rank on each that share 200 Gbit/s (HDR); 2:1 adaptive.

    Racks are in turns for fluid dynamics and for crashes. The former have processors with stacked caches (EPYC 7773X),
    so that messages within a host are 1.2 times as fast; the latter have fewer cores of higher clocks, and messages
    take 0.1 us less at an end. Processors tell. The adapter is on the first node; the second socket reaches 95 % of
    the rate. 0.3 % of readings are disturbed by daemons. The racks and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = _leaves(count)
    fluid = rack % 2 == 0
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(rack, 2, "adaptive", 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        overhead=np.where(fluid, 0.1e-6, 0.0), processor=np.where(fluid, 3, 0), memory=np.where(fluid, 1.2, 1.0),
        position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer, hyperthreads=0.003,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _blades_with_one_hub(hosts: int) -> Structure:
    """Half of the hosts, of an engineering office: blades with 40 Gbit/s (QDR) and 4 ranks on two sockets; 2:1.

    A chassis has up to 16 blades and a switch module with half as many uplinks, of which a receiver has one. As a
    Westmere's I/O hub serves both sockets, no rank is further from the adapter. QDR moves 32 Gbit/s of data. 0.3 us at
    each end, and within a host 5 GB/s. 0.3 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    count, rate = max(8, hosts // 2), 0.32 * RATE
    return Structure(
        count, FatTree(_leaves(count), 2, "by receiver", rate), each=4, rate=np.full((count, 1), rate),
        nominal=np.full((count, 1), 0.4 * RATE), processor=np.full(count, 2), position_latency=np.full(4, 0.3e-6),
        inside_latency=_across_sockets(np.arange(4) // 2), inside_rate=np.full((4, 4), 5e9), hyperthreads=0.003,
    )  # fmt: skip


def _cabinets_of_a_weather_service(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs on PCIe 3 with one adapter of 56 Gbit/s (FDR), in two cabinets with a switch.

    As Kesch and Escha of MeteoSwiss (Cray CS-Storm), twins for forecasts: 8 cards of K80, two on each PCIe switch, and
    two switches on each socket; a rank on each card. A cable for two hosts of a cabinet joins the cabinets, dealt out
    to the receivers. The adapter is on the first socket: GPUs of the second one take 0.6 us longer and reach 70 % of
    the rate. 0.8 us at each end. The cables and the numbers are chosen here.
    """
    count, rate = max(8, hosts // 4), 0.545 * RATE
    switch = np.arange(8) // 2
    apart = _levels_apart(switch, switch // 2)
    return Structure(
        count, DealtMesh(2 * np.arange(count) // count, count // 4, rate), each=8, rate=np.full((count, 1), rate),
        processor=np.full(count, 2), position_rate=np.repeat([1.0, 0.7], 4),
        position_latency=np.repeat([0.8e-6, 1.4e-6], 4),
        inside_latency=np.array([1.2e-6, 1.7e-6, 2.3e-6])[apart], inside_rate=np.array([11e9, 9e9, 6e9])[apart],
    )  # fmt: skip


def _general_hosts_in_the_last_cell(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 200 Gbit/s (HDR); a dragonfly+ of such cables.

    As weather services run it, e.g. ECMWF (BullSequana XH2000, two EPYC Rome). Hosts of the last cell are for pre- and
    post-processing: they have 100 Gbit/s (HDR100), as adapters tell, and the same processors. A fifth of the messages
    between cells takes a third one. The adapter is on the first node; the second socket reaches 95 % of the rate. 0.4 %
    of readings are disturbed by daemons. The cells, the detours and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    plane = DragonflyPlus(count, max(4, min(16, count // 4)), 0.2, 2 * RATE)
    longer, inside = _numa_places(4)
    return Structure(
        count, plane, each=4, rate=RATE * np.where(plane.group == plane.group[-1], 1.0, 2.0)[:, None],
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer,
        hyperthreads=0.004, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _memory_groups_on_interfaces(hosts: int) -> Structure:
    """Units in a torus whose cables have 100 Gbit/s; a rank on each of two memory groups, and four interfaces for both.

    As the FX100 of Fujitsu (Tofu 2), e.g. SORA of JAXA, for aircraft and rockets. So the two ranks of a host slow each
    other only where their messages take the same cable. Hosts say what an interface does. Daemons have cores of their
    own, so no readings are disturbed. The other memory group is 0.3 us further; 18 GB/s. The latencies are chosen here.
    """
    return Structure(
        hosts, Tofu(*_units(hosts)), each=2, rate=np.full((hosts, 1), 4 * RATE), nominal=np.full((hosts, 1), RATE),
        inside_latency=_across_sockets(np.arange(2)), inside_rate=np.full((2, 2), 18e9),
    )  # fmt: skip


def _omni_path_of_400(hosts: int) -> Structure:
    """Half of the hosts, with 4 ranks on two sockets that share an Omni-Path adapter of 400 Gbit/s; 2:1 adaptive.

    As CN5000 of Cornelis, in clusters of national laboratories. A message gets 60 % of the rate, or 54 % on the far
    socket, for what a core does; so two ranks fill the adapter. 0.2 us at each end, and 0.25 us more on the far socket.
    0.4 % of readings are disturbed by daemons. The leaves and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _far_socket(count, 4)
    return replace(
        far, plane=FatTree(_leaves(count), 2, "adaptive", 4 * RATE), rate=np.full((count, 1), 4 * RATE),
        position_rate=np.repeat([0.6, 0.54], 2), position_latency=0.2e-6 + far.position_latency,
        processor=np.full(count, 4), hyperthreads=0.004,
    )  # fmt: skip


def _superchips_on_two_switches(hosts: int) -> Structure:
    """Half of the hosts, of 4 superchips (GH200) with an adapter of 200 Gbit/s each; a dragonfly of 12 groups.

    As Alps of CSCS (Slingshot 11). Two adapters of a host are on one switch of its group and two on another one, which
    up to 8 hosts share. A job has the first groups, four or, if it is large, more; routes follow the load. NVLink joins
    the superchips of a host, 150 GB/s for each two; 0.7 us at each end. 0.2 % of readings are disturbed by daemons. The
    groups, the switches and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, min(16, count // 4))
    return _superchips_on_switches(group, max(12, int(group[-1]) + 2), latency=0.7e-6, disturbed=0.002)


def _queue_pairs_on_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; 1:1.

    As clusters of MI300X with RoCE: a message is cut into four flows, one for each queue pair, and a hash gives each of
    these an uplink. Any two GPUs of a host have a link, 48 GB/s (xGMI). 1.1 us at each end, and 0.1 us more on the
    second socket; 0.3 % of readings are longer, because switches pause senders. The pods of 2 to 8 hosts and the
    latencies are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(8, count // 4)), 8)
    return Structure(
        count, QueuePairs(leaf, 4, 4 * RATE, 0.0), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.repeat([1.1e-6, 1.2e-6], 4), tail=0.003, inside_latency=np.full((8, 8), 1.2e-6),
        inside_rate=np.full((8, 8), 48e9),
    )  # fmt: skip


def _gpu_on_each_socket(hosts: int) -> Structure:
    """A university: 2 GPUs, one on each of two sockets, and one adapter of 100 Gbit/s (HDR100) on the first; 8:5.

    Bought in two years: the last three eighths of the leaves, or one of four, have newer processors and PCIe 4, so that
    messages within a host are twice as fast, and others take 0.2 us less at an end. Processors tell. A receiver has one
    uplink. What is in the memory of a GPU takes 0.8 us longer at an end, and on the second socket 0.5 us more, at 75 %
    of the rate. 0.5 % of readings are disturbed by daemons. The leaves and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    size, old = np.bincount(leaf), 8 * leaf < 5 * (int(leaf[-1]) + 1)
    far = _far_socket(hosts, 2, 0.75, 0.5e-6)
    return replace(
        far, plane=FatTree(leaf, size / (5 * size // 8 + 0.5), "by receiver"),
        position_latency=0.8e-6 + far.position_latency, overhead=np.where(old, 0.2e-6, 0.0),
        processor=np.where(old, 2, 3), memory=np.where(old, 1.0, 2.0), inside_latency=np.full((2, 2), 2.3e-6),
        inside_rate=np.full((2, 2), 9e9), hyperthreads=0.005,
    )  # fmt: skip


def _sprayed_over_unequal_switches(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: whole machines of a cloud with 4 ranks on one socket that share 200 Gbit/s; no order.

    As hpc7g.16xlarge of AWS (Graviton3E, EFA), for fluid dynamics and weather: packets are spread over many ways (SRD).
    A placement group has two or more machines behind each switch, at random, as there was room. 5.5 us at each end;
    between switches 0.6 us more, and between those of the next layer 1.4 us more. 0.4 % of readings are longer. The
    layers and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    switches = max(3, count // 5)
    more = random.integers(switches, size=count - 2 * switches)
    group = random.permutation(np.concatenate([np.repeat(np.arange(switches), 2), more]))
    return Structure(
        count, Sprayed(group, 0.8e-6, 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64), position_latency=np.full(4, 5.5e-6),
        inside_latency=np.full((4, 4), 0.4e-6), tail=0.004,
    )  # fmt: skip


def _immersed_processors(hosts: int) -> Structure:
    """A seismic company: hosts with 25 Gbit/s in tanks of oil, Xeon Phis and, in the last quarter of the tanks, Xeons.

    As DUG runs them. A rank on each half of the cores. A core of a Xeon Phi does 12 Gbit/s by TCP and takes 14 us more
    at an end; within such a host messages reach 40 % of the rate. Processors tell. A tank has a leaf with an uplink of
    100 Gbit/s for 8 hosts, 2:1, or for fewer; a hash gives each two hosts one. 10 us at each end, with a long tail; 0.5
    % of readings are longer. The tanks and the numbers are chosen here.
    """
    tank = _leaves(hosts)
    tanks = int(tank[-1]) + 1
    of_tank = 4 * np.arange(tanks) < 3 * tanks
    core, slow = np.where(of_tank, 0.12, 0.25), of_tank[tank]
    return Structure(
        hosts, FatTree(tank, 8, "static"), each=2, rate=np.full((hosts, 1), RATE / 4),
        group_rate=RATE * np.minimum.outer(core, core), overhead=np.where(slow, 14e-6, 0.0),
        processor=np.where(slow, 1, 0), memory=np.where(slow, 0.4, 1.0), position_latency=np.full(2, 10e-6),
        interrupts=3e-6, tail=0.005,
    )  # fmt: skip


def _ranks_on_core_complexes(hosts: int) -> Structure:
    """A quarter of the hosts, of a department: one EPYC 7313P, two ranks on each of its four CCXs; 100 Gbit/s (HDR100).

    All memory is one NUMA node (NPS1), and the adapter equally far from all. Within a CCX messages go by its cache,
    between two they take 0.17 us longer, and reach 11 GB/s, not 20. Leaves of 4 to 8 hosts are joined to one core
    switch by a cable for two hosts; tables give each receiver one. 0.5 % of readings are disturbed by users. The leaves
    and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    other = _in_other_parts(8, 2)
    return Structure(
        count, OneCore(np.arange(count) // max(4, min(8, count // 4)), 2), each=8, processor=np.full(count, 3),
        socket=np.zeros(8, np.int64), inside_latency=np.where(other, 0.42e-6, 0.25e-6),
        inside_rate=np.where(other, 11e9, 20e9), hyperthreads=0.005,
    )  # fmt: skip


def _every_third_slot(hosts: int) -> Structure:
    """A department: one switch of 56 Gbit/s (FDR), a rank in each host; every third host is of the second purchase.

    As small clusters in which the slots between the first hosts were left free for better cooling, and were filled
    later. The newer processors take 0.2 us less for a message at an end, and say which they are; adapters and cables
    are the same. 0.4 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    old, rate = np.arange(hosts) % 3 != 2, 0.545 * RATE
    return Structure(
        hosts, OneSwitch(hosts), rate=np.full((hosts, 1), rate), overhead=np.where(old, 0.2e-6, 0.0),
        processor=np.where(old, 2, 3), hyperthreads=0.004,
    )  # fmt: skip


def _numbered_by_cubes(hosts: int) -> Structure:
    """A torus in three dimensions, two ranks in each host; hosts are numbered by cubes of 2 x 2 x 2.

    As Cray's XT5 with SeaStar2+, e.g. Kraken of NICS, whose scheduler (ALPS) can order hosts so that those of a job are
    near each other in all dimensions. A host sends 2 GB/s, cables do 3.2. The adapter is on the first socket; the
    second one takes 0.15 us longer and reaches 97 % of the rate. 1.8 us at each end. The hosts run a light system, so
    readings hardly vary. The numbers are chosen here.
    """
    sides = _sides(hosts // 8)
    far = _far_socket(hosts, 2, 0.97, 0.15e-6)
    return replace(
        far, plane=TorusOfCubes((*sides, *(1,) * (3 - len(sides))), 3.2e9), rate=np.full((hosts, 1), 2e9),
        processor=np.full(hosts, 2), position_latency=1.8e-6 + far.position_latency,
    )  # fmt: skip


def _four_rails_on_two_leaves_of_a_cell(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, in cells of a dragonfly+ of which a job has all.

    As the Booster of JUWELS (FZ Juelich: A100, HDR), whose cells are trees of two levels, 1:1. A cell has two leaves
    here: the adapters of the first socket are on the one, those of the second on the other. A quarter of the messages
    between cells takes a third one. NVLink joins the GPUs of a host, 90 GB/s for each two; 0.5 us at each end. 0.3 % of
    readings are disturbed by daemons. The cells of up to 12 hosts, the detours and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(12, count // 4))
    cell, place = np.divmod(np.arange(count), size)
    rail = np.arange(4)
    taken = 4 * size * cell[:, None] + rail // 2 * 2 * size + 2 * place[:, None] + rail % 2
    return Structure(
        count, PartOfDragonflyPlus(taken.ravel(), int(cell[-1]) + 1, 4 * size, 0.25, 2 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(4, 0.5e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _second_adapter_in_the_last_group(hosts: int) -> Structure:
    """A dragonfly by Slingshot, 200 Gbit/s, two ranks in each host; hosts of the last group have a second adapter.

    As Kestrel of NREL (two Sapphire Rapids), with its hosts of high bandwidth. There each socket has an adapter, on two
    switches; elsewhere both ranks share the first one. Eight hosts share their switches; routes follow the load, and
    the machine has 8 groups, or as many as the job and one more. 0.3 us at each end, for what the processor does; 0.3 %
    of readings are disturbed by daemons. The groups of up to 16 hosts and the numbers are chosen here.
    """
    group = np.arange(hosts) // max(2, min(16, hosts // 4))
    switch = 2 * (places_in(group)[:, None] // 8) + np.arange(2)
    plane = Slingshot(np.repeat(group, 2), switch.ravel(), max(8, int(group[-1]) + 2), 2 * RATE)
    return Structure(
        hosts, plane, each=2, rails=2, one_plane=True, other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE),
        single=group < group[-1], processor=np.full(hosts, 4), position_latency=np.full(2, 0.3e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.003,
    )  # fmt: skip


def _consumer_gpus(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs on PCIe that share an adapter of 100 Gbit/s (EDR); 4:1 adaptive.

    As universities have servers with RTX 2080 Ti or 3090 for learning: these GPUs do not reach each other's memory, so
    all messages go through that of the host. That takes 5 us at each end and leaves 85 % of the rate of the adapter,
    and 70 % for the GPUs of the second socket, 0.5 us longer. Within a host a message gets 9 GB/s, or 6.5 between the
    sockets. 0.5 % of readings are disturbed by what prepares the data. The taper and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    far = _in_other_parts(8, 4)
    return Structure(
        count, FatTree(_leaves(count), 4, "adaptive"), each=8, processor=np.zeros(count, np.int64),
        position_rate=np.repeat([0.85, 0.7], 4), position_latency=np.repeat([5e-6, 5.5e-6], 4),
        inside_latency=np.where(far, 9e-6, 8e-6), inside_rate=np.where(far, 6.5e9, 9e9), hyperthreads=0.005,
    )  # fmt: skip


def _two_rails_behind_two_switches(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each, and a leaf for each rail of each pod; 1:1.

    As clusters of HGX A100 with HDR. The first GPU and the fifth share their PCIe switch with the disks, and so the
    adapters of these two are behind one switch more: 0.15 us longer at an end, in all hosts. Adaptive; pods have up to
    8 hosts. NVSwitch joins the GPUs of a host, 230 GB/s; 0.7 us at each end. 0.3 % of readings are disturbed by what
    watches the GPUs. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", 2 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.where(np.arange(8) % 4 == 0, 0.85e-6, 0.7e-6), hyperthreads=0.003,
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 230e9),
    )  # fmt: skip


def _compact_placement(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 NUMA nodes with 200 Gbit/s, by TCP, anywhere in racks of up to 16.

    As H3 of Google Cloud (Sapphire Rapids) with compact placement. A flow gets 50 Gbit/s at most, so it takes more than
    four to fill a machine. 1:1, and a flow changes its uplink now and then (PLB), so that some meet for a while. A
    processor beside the host moves the packets: 10 us at each end with a long tail, and 0.8 % of readings are longer;
    so no node is nearer to it than another. The racks and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    _, inside = _numa_places(4)
    return Structure(
        count, FatTree(random.permutation(_leaves(count)), 1, "lingering", 2 * RATE), each=4, tunnel_rate=0.5 * RATE,
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 4), position_latency=np.full(4, 10e-6),
        interrupts=2.5e-6, tail=0.008, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _one_core_for_each_flow(hosts: int) -> Structure:
    """A quarter of the hosts, 8 ranks each: Ethernet of 100 Gbit/s by TCP, of which a flow gets 30; 3:1 static.

    As companies run their clusters for analysis: a core copies what a flow receives, so that one does not fill an
    adapter, but the ranks together do. An uplink of 100 Gbit/s for 3 hosts, or for 4 of a small rack; a hash gives each
    two hosts one. 9 us at each end and 0.4 us more on the second socket, with a long tail; 0.5 % of readings are
    longer. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    return Structure(
        count, FatTree(_leaves(count), 3, "static"), each=8, tunnel_rate=0.3 * RATE, processor=np.full(count, 3),
        position_latency=np.repeat([9e-6, 9.4e-6], 4), inside_latency=_across_sockets(np.arange(8) // 4),
        interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _gpu_hosts_in_each_omni_path_leaf(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host; the last quarter of each leaf are GPU hosts with two adapters.

    As universities share out GPU hosts over their racks, for power. These have an adapter on each socket, both on the
    leaf; messages start in the memory of a GPU and go through that of the host, 0.6 us longer at an end, as processors
    tell. The other hosts have one adapter for both ranks. An uplink for two hosts, and tables that change now and then.
    The processor does the work of the adapter, 0.3 us at each end. 0.4 % of readings are disturbed by daemons. The
    leaves and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    size = np.bincount(leaf)[leaf]
    gpus = 4 * places_in(leaf) >= 3 * size
    return Structure(
        hosts, Tables(np.repeat(leaf, 2), 4), each=2, rails=2, one_plane=True, other_rail=0.0, single=~gpus,
        overhead=np.where(gpus, 0.6e-6, 0.0), processor=np.where(gpus, 3, 0), position_latency=np.full(2, 0.3e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.004,
    )  # fmt: skip


def _left_and_right_of_each_chassis(hosts: int) -> Structure:
    """InfiniBand, 200 Gbit/s (NDR200), a rank in each host; racks of two leaves, one for each side of their chassis.

    A chassis has four hosts, two on the left and two on the right, and each side has its cables and its leaf. Racks
    have up to 32 hosts; 2:1, and tables deal out the receivers of a leaf to its uplinks in turns. 0.3 % of readings are
    disturbed by daemons. As racks of twin servers with four hosts in two units, which are denser than a leaf has ports;
    the numbers are chosen here.
    """
    every = np.arange(hosts)
    leaf = 2 * (every // max(8, min(32, hosts // 2))) + every // 2 % 2
    return Structure(
        hosts, DealtOut(leaf, 2, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 4),
        hyperthreads=0.003,
    )  # fmt: skip


def _later_leaves_on_an_old_core(hosts: int) -> Structure:
    """Half of the hosts, with 4 ranks on two sockets that share 40 Gbit/s (QDR); leaves on one core, 1:1 and then 2:1.

    As university clusters of 2010, whose director switch had ports left for an extension with half as many cables, here
    the second half of the leaves. Tables give each receiver a cable (Min Hop). Cables and adapters take 32 Gbit/s of
    data and say 40. The far socket takes 0.15 us longer and reaches 97 % of the rate; 0.4 us at each end. 0.5 % of
    readings are disturbed by daemons. The numbers are chosen here.
    """
    count, rate = max(8, hosts // 2), 0.32 * RATE
    leaf = _leaves(count)
    leaves = int(leaf[-1]) + 1
    far = _far_socket(count, 4, 0.97, 0.15e-6)
    return replace(
        far, plane=OneCore(leaf, np.where(2 * np.arange(leaves) >= leaves, 2, 1), rate),
        rate=np.full((count, 1), rate), nominal=np.full((count, 1), 0.4 * RATE), processor=np.full(count, 2),
        position_latency=0.4e-6 + far.position_latency, hyperthreads=0.005,
    )  # fmt: skip


def _two_ranks_on_each_ccx(hosts: int) -> Structure:
    """A quarter of the hosts, of one processor with 8 ranks, two on each CCX; three levels, 2:1 at the top, adaptive.

    As national centres with EPYC and 100 Gbit/s (HDR100) in pods of two leaves, 1:1 within. The two ranks of a CCX meet
    in its cache: 0.2 us and 24 GB/s, and 0.25 us longer and 14 GB/s to those of others. The first CCX is next to the
    adapter; the others are 0.04 us further, and the last one 0.07. Cables between pods are 20 m longer. 0.3 % of
    readings are disturbed by daemons. The pods and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = np.arange(count) // max(2, min(8, count // 4))
    plane = Stacked(FatTree(leaf, 1, "adaptive"), FatTree(leaf // 2, 2, "adaptive"), 2 * CABLE)
    far = _in_other_parts(8, 2)
    return Structure(
        count, plane, each=8, processor=np.full(count, 3), socket=np.zeros(8, np.int64),
        position_latency=np.repeat([0.0, 0.04e-6, 0.04e-6, 0.07e-6], 2), hyperthreads=0.003,
        inside_latency=np.where(far, 0.45e-6, 0.2e-6), inside_rate=np.where(far, 14e9, 24e9),
    )  # fmt: skip


def _gpu_racks_of_two_rates(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter on the switch of the rack, 1:1 adaptive.

    As national centers that bought A100 with HDR first and H100 with NDR later: the first five eighths of the racks
    have adapters of 200 Gbit/s, the others of 400, as all uplinks do. NVSwitch joins the GPUs of a host, 240 GB/s, or
    360 in the newer racks. 0.8 us at each end, and 0.15 us more in the older ones; adapters and processors tell. 0.3 %
    of readings are disturbed by daemons. The racks of 2 to 4 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(4, count // 4))
    of_rack = 8 * np.arange(int(rack[-1]) + 1) < 5 * (int(rack[-1]) + 1)
    old = of_rack[rack]
    return Structure(
        count, FatTree(np.repeat(rack, 4), np.where(of_rack, 2, 1), "adaptive", 4 * RATE), each=8, rails=4,
        one_plane=True, other_rail=0.0, rate=RATE * np.where(old, 2.0, 4.0)[:, None] * np.ones(4),
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 3, 4), memory=np.where(old, 2 / 3, 1.0),
        position_latency=np.full(8, 0.8e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9), hyperthreads=0.003,
    )  # fmt: skip


def _every_second_pair_of_gpus_by_the_processor(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs on PCIe without NVLink, and an adapter of 200 Gbit/s on each of two sockets.

    As servers with L40S on Ethernet (RoCE), 2:1; a hash gives each two adapters an uplink of the leaf of the rack. A
    socket has two PCIe switches of two GPUs, and the adapter is on the first: the other two GPUs reach it by the
    processor, 0.4 us longer and at 80 % of the rate. Two GPUs of a switch exchange 24 GB/s, two of a socket 18, and
    others 10. 1.2 us at each end; 0.3 % of readings are longer, because switches pause senders. The racks and the
    numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pair = np.arange(8) // 2
    apart, far = _levels_apart(pair, pair // 2), pair % 2 == 1
    return Structure(
        count, FatTree(np.repeat(np.arange(count) // max(2, min(8, count // 4)), 2), 2, "static", 2 * RATE), each=8,
        rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3),
        position_rate=np.where(far, 0.8, 1.0), position_latency=np.where(far, 1.6e-6, 1.2e-6),
        inside_latency=np.array([1.1e-6, 1.5e-6, 2.0e-6])[apart], inside_rate=np.array([24e9, 18e9, 10e9])[apart],
        tail=0.003,
    )  # fmt: skip


def _machines_of_eight_gpus(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs with an adapter of 200 Gbit/s each, in pods in no order.

    As ND A100 v4 of Azure (HDR): a leaf for each rail of each pod, 1:1 adaptive. NVSwitch joins the GPUs of a machine,
    240 GB/s. 1.2 us at each end; each second pair of GPUs takes 0.08 us more, as it is on the NUMA node of its socket
    whose cores do not start messages. 0.3 % of readings are disturbed by the hypervisor. The pods and the latencies are
    chosen here.
    """
    count = max(8, hosts // 4)
    pod = random.permutation(np.arange(count) // max(2, min(8, count // 4)))
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", 2 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.tile([1.2e-6, 1.2e-6, 1.28e-6, 1.28e-6], 2),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 240e9), hyperthreads=0.003,
    )  # fmt: skip


def _sorted_by_network_nodes(hosts: int) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs with 400 Gbit/s each, numbered by the switches they are on.

    As p5.48xlarge of AWS (H100, EFA), sorted by what its topology API says. Packets are spread over many ways (SRD). A
    switch of the lowest layer has 2, 3 or 5 of them, or multiples of these, in turns; the next layer joins two such
    switches, and messages to others take 1 us more. Nothing blocks. NVSwitch joins the GPUs of a machine, 360 GB/s. 6
    us at each end; 0.4 % of readings are longer. The parts and the latencies are chosen here.
    """
    switch = _partly_used_leaves(max(8, hosts // 4))
    count, of_adapter = len(switch), np.repeat(switch, 8)
    lower, upper = (FatTree(group, 1, "adaptive", 4 * RATE) for group in (of_adapter, of_adapter // 2))
    return Structure(
        count, Stacked(lower, upper, 0.4e-6), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 6e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9), tail=0.004,
    )  # fmt: skip


def _cluster_network_in_no_order(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: bare metal of a cloud, 4 NUMA nodes with a rank on each that share 100 Gbit/s, in no order.

    As cluster networks of OCI (two EPYC, RoCE): racks, blocks of two racks, and a third tier that joins the blocks and
    takes 1 us more, by longer cables; 1:1. A hash gives each two hosts an uplink at both tiers. The adapter is on the
    first node; the second socket reaches 95 % of the rate. 1 us at each end; 0.3 % of readings are longer, because
    switches pause senders. The racks and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(8, count // 8))
    rack = random.permutation(np.minimum(np.arange(count) // size, count // size - 1))  # of one hosts may be more
    longer, inside = _numa_places(4)
    return Structure(
        count, Stacked(FatTree(rack, 1, "static"), FatTree(rack // 2, 1, "static"), 1e-6), each=4,
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.95], 2), position_latency=1e-6 + longer,
        tail=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _in_turns_over_groups(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 200 Gbit/s, in turns over four groups.

    A Slingshot dragonfly of 16 groups whose routes follow the load, as Setonix of Pawsey (two EPYC 7763); its scheduler
    deals out the hosts of a job to groups. Four hosts are on a switch. Other nodes are further from the adapter than
    the first one, and the second socket reaches 96 % of the rate. 0.3 % of readings are disturbed by daemons. The
    groups, the job and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    place, group = np.divmod(np.arange(count), 4)
    longer, inside = _numa_places(4)
    return Structure(
        count, Slingshot(group, place // 4, 16, 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.96], 2), position_latency=longer,
        hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _island_in_another_hall(hosts: int) -> Structure:
    """200 Gbit/s (NDR200), two ranks in each host; islands of two leaves, 1:1 within and 2:1 between them, adaptive.

    As national clusters whose floor was full: the last island is in another hall, and what leaves it or comes to it
    takes 0.6 us more, by 120 m of cable. The far socket takes 0.2 us longer and reaches 96 % of the rate. 0.3 % of
    readings are disturbed by daemons. The leaves of 2 to 16 hosts and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    island = leaf // 2
    away = np.where(np.arange(int(island[-1]) + 1) == island[-1], 0.6e-6, 0.0)
    plane = Stacked(FatTree(leaf, 1, "adaptive", 2 * RATE), FarSpines(island, 2, "adaptive", 2 * RATE, away))
    return replace(
        _far_socket(hosts, 2, 0.96, 0.2e-6), plane=plane, rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 4), hyperthreads=0.003,
    )  # fmt: skip


def _three_ranks_fill_an_adapter(hosts: int) -> Structure:
    """A quarter of the hosts, of two sockets with 4 ranks each that share an Omni-Path adapter of 400 Gbit/s; 2:1.

    As CN5000 of Cornelis: cores do part of the work of the adapter, so that a rank reaches 40 % of its rate, or 37 % on
    the far socket, and three of them fill it. Tables say the uplink for each receiver, and change now and then. 0.3 us
    at each end, and 0.25 us more on the far socket. 0.4 % of readings are disturbed by daemons. The leaves and the
    numbers are chosen here.
    """
    count = max(8, hosts // 4)
    far = _far_socket(count, 8)
    return replace(
        far, plane=Tables(_leaves(count), 2, 4 * RATE), rate=np.full((count, 1), 4 * RATE),
        processor=np.full(count, 4), position_rate=np.repeat([0.4, 0.37], 4),
        position_latency=0.3e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _second_purchase_above_the_first(hosts: int) -> Structure:
    """Ethernet of 25 Gbit/s, two ranks in each host, 2:1; the first purchase is in the lower half of all racks.

    The second one filled the upper halves from the last rack to the first, and numbers follow. A leaf has up to 32
    hosts and an uplink of 50 Gbit/s for 4 of them; a hash gives each two hosts one. Hosts of the first purchase take 2
    us longer at an end, as processors tell. TCP: 9 us at each end, 0.4 us more on the far socket, with a long tail; 0.5
    % of readings are longer. As a faculty may have it; the numbers are chosen here.
    """
    half, racks = hosts // 2, max(2, min(4, hosts // 8))
    rack = np.arange(half) * racks // half
    old = np.arange(hosts) < half
    far = _far_socket(hosts, 2, 1.0, 0.4e-6)
    return replace(
        far, plane=FatTree(np.concatenate([rack, rack[::-1]]), 4, "static", RATE / 2),
        rate=np.full((hosts, 1), RATE / 4), overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 3),
        position_latency=9e-6 + far.position_latency, interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _blades_on_older_infiniband(hosts: int) -> Structure:
    """Half of the hosts: blades of 40 Gbit/s (QDR) with 4 ranks, in chassis whose switches lead to one core, 2:1.

    As university clusters of the years from 2009 to 2013: adapters say 40 Gbit/s, of which 32 are data. A chassis has
    up to 16 blades and a cable for two of them; tables give each receiver one. The last three eighths of the chassis
    have the next processor: messages take 0.3 us less at an end, and within a host 1.4 times the rate, as processors
    tell. The far socket takes 0.3 us longer and reaches 90 % of the rate. 0.5 % of readings are disturbed by daemons.
    The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    chassis = _leaves(count)
    old = 8 * chassis < 5 * (int(chassis[-1]) + 1)
    return replace(
        _far_socket(count, 4, 0.9, 0.3e-6), plane=OneCore(chassis, 2, 0.32 * RATE),
        rate=np.full((count, 1), 0.32 * RATE), nominal=np.full((count, 1), 0.4 * RATE),
        overhead=np.where(old, 0.3e-6, 0.0), processor=np.where(old, 2, 0), memory=np.where(old, 1.0, 1.4),
        hyperthreads=0.005,
    )  # fmt: skip


def _last_routers_have_gpus(hosts: int) -> Structure:
    """A torus of routers of two hosts each, with two ranks; the last quarter of the hosts has a GPU each.

    As Blue Waters of NCSA (Gemini, XE6 and XK7): adapters have 6 GB/s. What is in the memory of a GPU passes the one of
    the processor: 0.9 us longer at an end, 5 GB/s, and within a host 60 % of the rate; processors tell. The second rank
    takes 0.15 us longer and reaches 96 % of the rate. Nothing else runs on these hosts. The numbers are chosen here.
    """
    gpus = 4 * np.arange(hosts) >= 3 * hosts
    return replace(
        _far_socket(hosts, 2, 0.96, 0.15e-6), plane=Gemini(hosts, _sides(hosts // 2), 6e9),
        rate=np.where(gpus, 5e9, 6e9)[:, None], nominal=np.full((hosts, 1), 6e9),
        overhead=np.where(gpus, 0.9e-6, 0.0), processor=np.where(gpus, 3, 0), memory=np.where(gpus, 0.6, 1.0),
    )  # fmt: skip


def _five_to_one(hosts: int) -> Structure:
    """100 Gbit/s (EDR), two ranks in each host, 5:1; jobs are mostly within a leaf. Receivers have an uplink each.

    As clusters of departments that share a few racks, with 30 hosts and 6 uplinks on a switch of 36 ports; here a leaf
    has ten to twelve hosts and two uplinks, or four to eight and one in the smallest clusters. The far socket takes
    0.25 us longer and reaches 94 % of the rate; 0.4 % of readings are disturbed by daemons. The numbers are chosen
    here.
    """
    leaves = max(2, hosts // 10)
    return replace(
        _far_socket(hosts, 2, 0.94), plane=FatTree(np.arange(hosts) * leaves // hosts, 5, "by receiver"),
        processor=np.full(hosts, 3), hyperthreads=0.004,
    )  # fmt: skip


def _leaves_between_racks(hosts: int) -> Structure:
    """A university: 100 Gbit/s (EDR), two ranks in each host; a leaf between each two racks has half of both, 2:1.

    So the first and the last leaf have half as many hosts, but as many uplinks: 1:1. A receiver has an uplink. The far
    socket takes 0.2 us longer and reaches 95 % of the rate. 0.4 % of readings are disturbed by daemons. The racks of 4
    to 16 hosts and the numbers are chosen here.
    """
    half = max(2, min(8, hosts // 8))
    leaf = (np.arange(hosts) // half + 1) // 2
    return replace(
        _far_socket(hosts, 2, 0.95, 0.2e-6), plane=FatTree(leaf, np.bincount(leaf) / (half + 0.5), "by receiver"),
        processor=np.zeros(hosts, np.int64), hyperthreads=0.004,
    )  # fmt: skip


def _older_and_newer_chassis_in_turns(hosts: int) -> Structure:
    """A university: Ethernet of 40 Gbit/s (RoCE), two ranks in each host; an uplink of 100 Gbit/s for 4 hosts, 8:5.

    A chassis has four hosts. Racks were filled again where older chassis had gone, so that older and newer ones are in
    turns: on the older ones messages take 0.4 us longer at an end, as processors tell, and reach 80 % of the rate
    within a host. A hash gives each two hosts an uplink. The far socket takes 0.25 us longer; 1 us at each end. 0.4 %
    of readings are longer, because switches pause senders. The numbers are chosen here.
    """
    old = np.arange(hosts) // 4 % 2 == 0
    far = _far_socket(hosts, 2, 1.0)
    return replace(
        far, plane=FatTree(_leaves(hosts), 4, "static"), rate=np.full((hosts, 1), 0.4 * RATE),
        overhead=np.where(old, 0.4e-6, 0.0), processor=np.where(old, 2, 3), memory=np.where(old, 0.8, 1.0),
        position_latency=1e-6 + far.position_latency, tail=0.004,
    )  # fmt: skip


def _adapter_on_the_third_die(hosts: int) -> Structure:
    """Half of the hosts, of a university: 40 Gbit/s (QDR), 2:1 by receiver; two processors of two dies, 4 ranks.

    As clusters of Opteron 6174 with True Scale, whose work the processor does: 0.5 us at each end. The adapter is on
    the first die of the second socket; the other die there takes 0.06 us longer, those of the first socket 0.3 us.
    Cables take 32 Gbit/s of data, and adapters by PCIe 2 only 26. 0.5 % of readings are disturbed by daemons. The
    leaves of 4 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    _, inside = _numa_places(4)
    return Structure(
        count, FatTree(_leaves(count), 2, "by receiver", 0.32 * RATE), each=4, rate=np.full((count, 1), 0.26 * RATE),
        nominal=np.full((count, 1), 0.4 * RATE), processor=np.full(count, 2), turned=np.ones(count, bool),
        position_latency=0.5e-6 + np.array([0.06e-6, 0.0, 0.3e-6, 0.3e-6]), hyperthreads=0.005,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _leaves_added_to_the_first_island(hosts: int) -> Structure:
    """200 Gbit/s (NDR200), two ranks in each host; islands of two leaves, 1:1 within and 3:1 between them, adaptive.

    A national center whose first island had ports left: the last two leaves came later and belong to it. The far socket
    takes 0.2 us longer and reaches 97 % of the rate; cables between islands are 30 m longer. 0.3 % of readings are
    disturbed by daemons. The leaves of 2 to 16 hosts and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    island = leaf // 2 % max(2, int(leaf[-1]) // 2)
    plane = Stacked(FatTree(leaf, 1, "adaptive", 2 * RATE), FatTree(island, 3, "adaptive", 2 * RATE), 3 * CABLE)
    return replace(
        _far_socket(hosts, 2, 0.97, 0.2e-6), plane=plane, rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 4), hyperthreads=0.003,
    )  # fmt: skip


def _two_ranks_fill_slingshot(hosts: int) -> Structure:
    """A dragonfly by Slingshot, 400 Gbit/s, and a rank on each of two sockets, which fill the adapter together only.

    A rank reaches 60 % of the rate, or 55 % on the far socket, which takes 0.25 us longer. 8 hosts are on a switch;
    routes follow the load, and the machine has 10 groups, or as many as the job and one more. 0.3 us at each end; 0.2 %
    of readings are disturbed by daemons. As national centers with Slingshot 400 and EPYC; the groups of up to 32 hosts
    and the numbers are chosen here.
    """
    group = np.arange(hosts) // max(2, min(32, hosts // 4))
    far = _far_socket(hosts, 2)
    return replace(
        far, plane=Slingshot(group, places_in(group) // 8, max(10, int(group[-1]) + 2), 4 * RATE),
        rate=np.full((hosts, 1), 4 * RATE), processor=np.full(hosts, 4), position_rate=np.array([0.6, 0.55]),
        position_latency=0.3e-6 + far.position_latency, hyperthreads=0.002,
    )  # fmt: skip


def _in_turns_over_cells(hosts: int) -> Structure:
    """Half of the hosts, of 4 NUMA nodes with a rank on each that share 100 Gbit/s (HDR100), in cells of a dragonfly+.

    A scheduler deals out the hosts of a job to four cells in turns. A cell is a tree of two leaves, 1:1; 30 % of the
    messages between cells go by a third one. Other nodes are further from the adapter than the first one, and the
    second socket reaches 95 % of the rate. 0.3 % of readings are disturbed by daemons. As national clusters with two
    EPYC in each host; the cells and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    place, cell = np.divmod(np.arange(count), 4)
    longer, inside = _numa_places(4)
    return Structure(
        count, PartOfDragonflyPlus(cell * (count // 4) + place, 4, count // 4, 0.3, RATE), each=4,
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.95], 2), position_latency=longer,
        hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _torus_of_switches_with_two_cables(hosts: int) -> Structure:
    """A torus of switches of four hosts, 56 Gbit/s (FDR), two ranks in each; two cables join neighbouring switches.

    These are used evenly, so that they are one way of twice the rate. The far socket takes 0.2 us longer and reaches
    93 % of the rate; 0.2 us at each end. 0.4 % of readings are disturbed by daemons. As clusters that were to grow
    without spines; the switches and the numbers are chosen here.
    """
    rate = 0.545 * RATE
    far = _far_socket(hosts, 2, 0.93, 0.2e-6)
    return replace(
        far, plane=SwitchTorus(hosts, _sides(hosts // 4), 2 * rate), rate=np.full((hosts, 1), rate),
        processor=np.full(hosts, 2), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _first_pod_twice_as_large(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each; a leaf for each rail of each pod, adaptive.

    As clusters of HGX H200 (NDR), 1:1. The first pod has half of the hosts, the two later ones a quarter each. NVSwitch
    joins the GPUs of a host, 360 GB/s. 0.7 us at each end, and 0.1 us more for the GPUs of the second socket, as the
    cores that start messages are on the first. 0.3 % of readings are disturbed by what watches the GPUs. The pods and
    the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.clip(np.arange(count) // (count // 4) - 1, 0, 2)
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.repeat([0.7e-6, 0.8e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9), hyperthreads=0.003,
    )  # fmt: skip


def _gpus_with_the_adapter_on_the_second_socket(hosts: int) -> Structure:
    """Half of the hosts, of a university: 4 GPUs on PCIe, two on each socket, share 100 Gbit/s (HDR100); 2:1 static.

    As servers with A40, in which only a slot of the second socket was free for the adapter. The GPUs of the first one
    take 0.6 us longer and reach 80 % of the rate; 1 us at each end. Two GPUs of a socket exchange 18 GB/s, and others
    10. 0.5 % of readings are disturbed by what prepares the data. The leaves and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, FatTree(_leaves(count), 2, "static"), each=4, processor=np.full(count, 3), turned=np.ones(count, bool),
        position_rate=np.repeat([1.0, 0.8], 2), position_latency=np.repeat([1e-6, 1.6e-6], 2),
        inside_latency=np.where(far, 2.0e-6, 1.4e-6), inside_rate=np.where(far, 10e9, 18e9), hyperthreads=0.005,
    )  # fmt: skip


def _machines_that_two_ranks_fill(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 NUMA nodes with a rank on each that share 400 Gbit/s, in no order.

    As HBv4 of Azure (two EPYC 9V33X, NDR), which has whole servers, anywhere in a tree; 1:1 adaptive. A rank reaches
    half of the rate, or 45 % on the second socket. The adapter is on the first node; 0.4 us at each end. 0.4 % of
    readings are disturbed by the hypervisor. The leaves of 4 to 16 machines and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(random.permutation(_leaves(count)), 1, "adaptive", 4 * RATE), each=4,
        rate=np.full((count, 1), 4 * RATE), processor=np.full(count, 4), position_rate=np.repeat([0.5, 0.45], 2),
        position_latency=0.4e-6 + longer, hyperthreads=0.004, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _flowlets_of_one_socket(hosts: int) -> Structure:
    """A quarter of the hosts, of one socket with 8 ranks, one on each CCX, that share 200 Gbit/s; flowlets, 2:1.

    Two CCXs are on each quadrant of the I/O die, and the adapter is on the second quadrant: others take 0.05 us longer.
    Within a host 0.35 us and 16 GB/s on a quadrant, 0.42 us and 13 GB/s otherwise. RoCE by switches that choose the
    least loaded uplink anew for each burst; 0.9 us at each end. 0.3 % of readings are longer, because switches pause
    senders. As companies run servers with an EPYC on Ethernet; the leaves and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaves(count)
    quadrant = np.arange(8) // 2
    apart = _in_other_parts(8, 2)
    return Structure(
        count, Flowlets(leaf, int(np.bincount(leaf)[0]) // 2, 2 * RATE), each=8, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 3), socket=np.zeros(8, np.int64), tail=0.003,
        position_latency=np.where(quadrant == 1, 0.9e-6, 0.95e-6),
        inside_latency=np.where(apart, 0.42e-6, 0.35e-6), inside_rate=np.where(apart, 13e9, 16e9),
    )  # fmt: skip


def _larger_last_leaf(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host, 2:1 by receiver; the last leaf has half as many hosts again.

    A university that put what was left over of its hosts on the last switch, which has as many uplinks as the others,
    so about 3:1. The processor does the work of the adapter, 0.3 us at each end, and 0.25 us more on the far socket,
    which reaches 92 % of the rate. 0.4 % of readings are disturbed by daemons. The leaves of about 16 hosts, or fewer,
    and the numbers are chosen here.
    """
    leaves = max(4, hosts // 16)
    size = max(2, 2 * hosts // (2 * leaves + 1))
    leaf = np.minimum(np.arange(hosts) // size, leaves - 1)
    far = _far_socket(hosts, 2, 0.92)
    return replace(
        far, plane=FatTree(leaf, np.bincount(leaf) / (size // 2 + 0.5), "by receiver"),
        processor=np.zeros(hosts, np.int64), position_latency=0.3e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _dies_by_load_in_rows(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPU dies; two share an adapter of 200 Gbit/s, each on a switch of its own.

    As LUMI-G of CSC (MI250X, Slingshot). Routes follow the load; a job in the first of 12 groups, which are rows of a
    hall: each row that a message passes takes 0.08 us. 0.5 us at each end, and 0.15 us more for the dies that have no
    adapter. 0.3 % of readings are disturbed by daemons. The groups, the rows and the latencies are chosen here.
    """
    of_hosts = _dies(hosts)
    count = of_hosts.hosts
    group = np.arange(count) // max(2, count // 4)
    switch = (places_in(group) // 4 * 4)[:, None] + np.arange(4)
    return replace(
        of_hosts, plane=SlingshotInRows(np.repeat(group, 4), switch.ravel(), 12, 2 * RATE, 0.08e-6), one_plane=True,
        other_rail=0.0, processor=np.full(count, 3), position_latency=0.5e-6 + of_hosts.position_latency,
        hyperthreads=0.003,
    )  # fmt: skip


def _edr_cells_in_turns(hosts: int) -> Structure:
    """100 Gbit/s (EDR), two ranks in each host, in cells of a dragonfly+ that are trees; hosts are in turns over these.

    As Niagara of SciNet, whose cells are joined 1:1. A job has four cells of six, or two of four in the smallest one;
    its scheduler deals out the hosts to these. A fifth of the messages between cells takes a third one, also one that
    the job has not. The far socket takes 0.22 us longer and reaches 95 % of the rate. 0.3 % of readings are disturbed
    by daemons. The job and the numbers are chosen here.
    """
    cells = 2 if hosts < 16 else 4
    place, cell = np.divmod(np.arange(hosts), cells)
    size = hosts // cells
    return replace(
        _far_socket(hosts, 2, 0.95, 0.22e-6), processor=np.zeros(hosts, np.int64), hyperthreads=0.003,
        plane=PartOfDragonflyPlus(cell * size + place, cells + 2, size, 0.2, RATE),
    )  # fmt: skip


def _same_spine_back_on_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod; RoCE.

    As GPU clusters of companies on Ethernet (H100). A symmetric hash gives each two adapters an uplink, 1:1, the same
    spine there and back. Pods have up to 8 hosts. NVSwitch joins the GPUs of a host, 360 GB/s; 1.2 us at each end. 0.3
    % of readings are longer, because switches pause senders. The pods and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, SameSpineBack(_leaf_per_rail(pod, 8), 1, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 1.2e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9), tail=0.003,
    )  # fmt: skip


def _leaf_for_each_socket(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter of 200 Gbit/s; two leaves in each rack.

    As clusters of universities with A100 (HDR): the two adapters of the first socket are on the first leaf, those of
    the second socket on the second one. 2:1 adaptive, also between the two leaves of a rack. NVSwitch joins the GPUs of
    a host, 240 GB/s; 0.9 us at each end. 0.3 % of readings are disturbed by daemons. The racks of 2 to 8 hosts and the
    latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, FatTree(np.repeat(_leaf_per_rail(rack, 2), 2), 2, "adaptive", 2 * RATE), each=8, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(8, 0.9e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 240e9), hyperthreads=0.003,
    )  # fmt: skip


def _superchips_beside_processors(hosts: int) -> Structure:
    """The first five eighths of the leaves have superchips of 400 Gbit/s, the others processors of 200. 1:1 adaptive.

    As Vista of TACC (GH200 and Grace, NDR); a rank in each host. Uplinks have 400 Gbit/s, one for two of the slower
    hosts. Superchips send from the memory of the GPU, so that messages take 0.7 us longer at an end; processors and
    adapters tell. 0.3 % of readings are disturbed by daemons. The parts and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    of_leaf = 8 * np.arange(int(leaf[-1]) + 1) < 5 * (int(leaf[-1]) + 1)
    gpus = of_leaf[leaf]
    return Structure(
        hosts, FatTree(leaf, np.where(of_leaf, 1, 2), "adaptive", 4 * RATE),
        rate=RATE * np.where(gpus, 4.0, 2.0)[:, None], overhead=np.where(gpus, 0.7e-6, 0.0),
        processor=np.where(gpus, 4, 3), hyperthreads=0.003,
    )  # fmt: skip


def _two_switches_in_each_chassis(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an Omni-Path adapter of 100 Gbit/s each, in chassis with two switches; 1:1.

    As TSUBAME3.0 (P100): the first and the third adapter of a host are on the first switch of its chassis, the others
    on the second one. Tables say the uplink for each receiver, and change now and then. NVLink joins the GPUs of a
    host, 18 GB/s for each two; 0.8 us at each end. 0.3 % of readings are disturbed by daemons. Chassis have 2 to 8
    hosts; which adapter is on which switch, and the latencies, are chosen here.
    """
    count = max(8, hosts // 2)
    chassis = np.arange(count) // max(2, min(8, count // 4))
    switch = np.tile(_leaf_per_rail(chassis, 2).reshape(count, 2), 2)
    return Structure(
        count, Tables(switch.ravel(), 1), each=4, rails=4, one_plane=True, other_rail=0.0, processor=np.full(count, 2),
        position_latency=np.full(4, 0.8e-6), inside_latency=np.full((4, 4), 1.5e-6),
        inside_rate=np.full((4, 4), 18e9), hyperthreads=0.003,
    )  # fmt: skip


def _to_and_fro(sides: tuple[int, ...]) -> Index:
    """The places of a grid in an order in which each is beside the next one: along a row, and back along the next."""
    number = np.arange(int(np.prod(sides)))
    place = []
    for axis, along in enumerate(np.unravel_index(number, sides)):
        back = number // int(np.prod(sides[axis:])) % 2 == 1
        place.append(np.where(back, sides[axis] - 1 - along, along))
    return np.asarray(np.ravel_multi_index(tuple(place), sides))


def _routers_to_and_fro(hosts: int) -> Structure:
    """A torus of routers of two hosts each, with two ranks; hosts are numbered to and fro along the rows of the torus.

    As Hopper of NERSC or Hermit of HLRS (Gemini, XE6), where ALPS numbers hosts so that the next ones are near:
    adapters have 6 GB/s, and the second dimension half of the cables. The far socket takes 0.2 us longer and reaches 94
    % of the rate. Nothing else runs on the hosts. The order and the numbers are chosen here.
    """
    sides = _sides(hosts // 2)
    plane = Gemini(hosts, sides, 6e9)
    plane.group = _to_and_fro(sides)[plane.group]
    return replace(
        _far_socket(hosts, 2, 0.94, 0.2e-6), plane=plane, rate=np.full((hosts, 1), 6e9),
        processor=np.full(hosts, 2),
    )  # fmt: skip


def _scale_set(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines, 4 NUMA nodes with a rank on each that share 200 Gbit/s, in no order.

    As a scale set of HBv3 of Azure (HDR): 2, 3 or 5 machines, or multiples of these, are on a leaf, wherever there was
    room; nothing blocks, adaptive. The adapter is on the second node; the second socket reaches 96 % of the rate. 0.4
    us at each end. 0.5 % of readings are disturbed by the hypervisor. The parts and the numbers are chosen here.
    """
    leaf = random.permutation(_partly_used_leaves(max(8, hosts // 2)))
    count = len(leaf)
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(leaf, 1, "adaptive", 2 * RATE), each=4, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 3), position_rate=np.repeat([1.0, 0.96], 2),
        position_latency=0.4e-6 + longer[[1, 0, 2, 3]], hyperthreads=0.005, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _four_times_the_rate_on_one_switch(hosts: int) -> Structure:
    """Half of the hosts, of a department: 4 ranks by TCP on one Ethernet switch; the last three eighths are newer.

    Older hosts have 25 Gbit/s, newer ones 100, of which a core does 35 for a flow, so that three flows fill these.
    Messages of the older ones take 2 us longer at an end; processors and adapters tell. 8 us at each end, with a long
    tail, and 0.4 us more on the far socket; 0.5 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = 8 * np.arange(count) < 5 * count
    far = _far_socket(count, 4, 1.0, 0.4e-6)
    return replace(
        far, rate=RATE * np.where(old, 0.25, 1.0)[:, None], tunnel_rate=0.35 * RATE, interrupts=2e-6, tail=0.005,
        overhead=np.where(old, 2e-6, 0.0), processor=np.where(old, 2, 3), position_latency=8e-6 + far.position_latency,
    )  # fmt: skip


def _five_to_four_of_56(hosts: int) -> Structure:
    """56 Gbit/s (FDR), 5:4, two ranks in each host; a receiver has an uplink. The adapter is on the second socket.

    As Stampede of TACC: leaves of 20 hosts with 16 uplinks, here up to 16 hosts and somewhat more uplinks than 5:4
    where these do not divide. So the first rank is the far one, 0.25 us longer and at 95 % of the rate, and adapters
    say their node. 0.4 % of readings are disturbed by daemons. The leaves and the numbers are chosen here.
    """
    leaf, rate = _leaves(hosts), 0.545 * RATE
    size = np.bincount(leaf)
    return replace(
        _far_socket(hosts, 2, 0.95), plane=FatTree(leaf, size / (np.ceil(0.8 * size) + 0.5), "by receiver", rate),
        rate=np.full((hosts, 1), rate), turned=np.ones(hosts, bool), processor=np.full(hosts, 2), hyperthreads=0.004,
    )  # fmt: skip


def _gpus_on_two_slower_adapters(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs, two of which share an adapter of 100 Gbit/s; a dragonfly with cables of 200.

    As Polaris of ANL before its adapters were replaced (A100, Slingshot 10): both adapters are on switches of their
    own, with those of up to 8 hosts, and routes follow the load. The second GPU of each two is further from the
    adapter: 0.1 us longer. A job in four of 10 groups. NVLink joins the GPUs of a host, 90 GB/s for each two; 0.8 us at
    each end. 0.3 % of readings are disturbed by daemons. The groups and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, count // 4)
    switch = (places_in(group) // 8 * 2)[:, None] + np.arange(2)
    return Structure(
        count, Slingshot(np.repeat(group, 2), switch.ravel(), 10, 2 * RATE), each=4, rails=2, one_plane=True,
        other_rail=0.0, processor=np.full(count, 3), position_latency=np.tile([0.8e-6, 0.9e-6], 2),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _pods_of_two_nvlink_racks(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 400 Gbit/s each; NVLink switches join up to 18 hosts of a rack.

    As GB200 NVL72 with rail-optimized leaves: two racks are a pod and share a leaf for each rail, so that messages from
    one to the other on a rail pass one switch. 1:1 adaptive above. 0.8 us at each end. 0.3 % of readings are disturbed
    by daemons. The pods and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(18, count // 4))
    return Structure(
        count, FatTree(_leaf_per_rail(np.arange(count) // (2 * size), 4), 1, "adaptive", 4 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, domain=size, rate=np.full((count, 4), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(4, 0.8e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), NVLINK_RATE), hyperthreads=0.003,
    )  # fmt: skip


def _machines_sorted_by_sub_blocks(hosts: int) -> Structure:
    """Virtual machines as large as theirs, 200 Gbit/s, two ranks; numbered by the sub-blocks of two blocks of a cloud.

    As h4d-highmem-192-lssd of Google Cloud (two EPYC, RDMA by Falcon), placed densely: 2, 3 and 5 machines, or
    multiples of these, in a sub-block, 1:1. The last third of the sub-blocks is in a second block, 2:1 and 1 us further
    away. Flows change their uplink now and then (PLB). The far socket takes 0.25 us longer and reaches 95 % of the
    rate; 3 us at each end. 0.4 % of readings are longer. The blocks and the numbers are chosen here.
    """
    part = _partly_used_leaves(hosts)
    block = (3 * part >= 2 * (int(part[-1]) + 1)).astype(np.int64)
    plane = Stacked(FatTree(part, 1, "lingering", 2 * RATE), FatTree(block, 2, "lingering", 2 * RATE), 1e-6)
    far = _far_socket(hosts, 2, 0.95)
    return replace(
        far, plane=plane, rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=3e-6 + far.position_latency, tail=0.004,
    )  # fmt: skip


def _machines_of_four_sockets(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 sockets, a rank and an adapter of 200 Gbit/s on each, in no order.

    As HBv5 of Azure (four EPYC 9V64H, NDR200), which has whole servers, anywhere in a tree; 1:1 adaptive. All adapters
    of a machine are on one leaf. Between sockets 0.7 us and 24 GB/s; 0.4 us at each end. 0.4 % of readings are
    disturbed by the hypervisor. The leaves of 4 to 16 machines and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = random.permutation(_leaves(count))
    return Structure(
        count, FatTree(np.repeat(leaf, 4), 1, "adaptive", 2 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4), position_latency=np.full(4, 0.4e-6),
        inside_latency=np.full((4, 4), 0.7e-6), inside_rate=np.full((4, 4), 24e9), hyperthreads=0.004,
    )  # fmt: skip


def _machines_on_bonds_of_two_leaves(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 ranks on one socket, in no order; a bond of two ports of 100 Gbit/s.

    As eRDMA of Alibaba Cloud, whose servers have a port on each of the two leaves of their rack. A hash of each flow
    chooses the port, an uplink, one for two ports, 2:1, and where it comes by a spine the port of the receiver. 4 us at
    each end; 0.5 % of readings are longer. The racks of 4 to 16 machines and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = random.permutation(_leaves(count))
    return Structure(
        count, FatTree(_leaf_per_rail(rack, 2), 2, "static"), each=4, rails=2, one_plane=True, bonded=True,
        other_rail=0.0, processor=np.full(count, 3), socket=np.zeros(4, np.int64), position_latency=np.full(4, 4e-6),
        tail=0.005,
    )  # fmt: skip


def _rank_on_each_ccx_of_two_sockets(hosts: int) -> Structure:
    """A quarter of the hosts, of two sockets of 4 CCXs with a rank on each that share 100 Gbit/s; RoCE, 2:1 static.

    As university clusters on Ethernet with two EPYC 7313 (NPS1): hosts have 100 Gbit/s by cables that split, and a leaf
    an uplink of 200 Gbit/s for 4 of them. The adapter is on the first socket; the second one takes 0.25 us longer and
    reaches 95 % of the rate. Between two CCXs of a socket 0.4 us and 12 GB/s, to the other socket 0.75 us and 8 GB/s. 1
    us at each end; 0.3 % of readings are longer, because switches pause senders. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    far = _far_socket(count, 8, 0.95)
    other = _in_other_parts(8, 4)
    return replace(
        far, plane=FatTree(_leaves(count), 4, "static", 2 * RATE), processor=np.full(count, 3),
        position_latency=1e-6 + far.position_latency, inside_latency=np.where(other, 0.75e-6, 0.4e-6),
        inside_rate=np.where(other, 8e9, 12e9), tail=0.003,
    )  # fmt: skip


def _leaf_for_each_of_two_ethernet_rails(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs on PCIe; the two of a socket share an adapter of 200 Gbit/s. Ethernet, 1:1 adaptive.

    As servers of 4 L40S with Spectrum-X, and a leaf for each of the two rails of each pod. The second GPU of a socket
    is not on the PCIe switch of the adapter: 0.5 us longer and 80 % of the rate. Two GPUs of a socket exchange 18 GB/s,
    others 11, and take 0.6 us longer. 1.2 us at each end; 0.3 % of readings are longer, because switches pause senders.
    The pods of 2 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, FatTree(_leaf_per_rail(np.arange(count) // max(2, min(16, count // 4)), 2), 1, "adaptive", 2 * RATE),
        each=4, rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE),
        processor=np.full(count, 3), position_rate=np.tile([1.0, 0.8], 2),
        position_latency=np.tile([1.2e-6, 1.7e-6], 2), inside_latency=np.where(far, 2.1e-6, 1.5e-6),
        inside_rate=np.where(far, 11e9, 18e9), tail=0.003,
    )  # fmt: skip


def _first_leaves_of_40_on_fdr(hosts: int) -> Structure:
    """A university: switches of 56 Gbit/s (FDR), 3:1 by receiver, two ranks in each host; the first leaves are older.

    The first third of the leaves has adapters of 40 Gbit/s (QDR), of which 32 are data, and older processors, of which
    messages take 0.2 us longer at an end, and reach 80 % of the rate within a host. All uplinks have 56 Gbit/s. The far
    socket takes 0.25 us longer and reaches 94 % of the rate. 0.4 % of readings are disturbed by daemons. Leaves have 3
    to 18 hosts, and the last one what is left over too, with as many uplinks. The numbers are chosen here.
    """
    size = 3 * max(1, min(6, hosts // 12))
    leaf = np.minimum(np.arange(hosts) // size, hosts // size - 1)
    old = 3 * leaf < int(leaf[-1]) + 1
    return replace(
        _far_socket(hosts, 2, 0.94),
        plane=FatTree(leaf, np.bincount(leaf) / (size // 3 + 0.5), "by receiver", 0.545 * RATE),
        rate=RATE * np.where(old, 0.32, 0.545)[:, None], nominal=RATE * np.where(old, 0.4, 0.545)[:, None],
        overhead=np.where(old, 0.2e-6, 0.0), processor=np.where(old, 2, 0), memory=np.where(old, 0.8, 1.0),
        hyperthreads=0.004,
    )  # fmt: skip


def _tapered_at_both_levels(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 200 Gbit/s (HDR); 2:1 at both levels.

    As a climate center with two EPYC in each host: an island is two leaves, 2:1 at the leaves and 2:1 again between
    islands, adaptive; cables between islands are 20 m longer. The adapter is on the fourth node: others of its socket
    take 0.06 us longer, those of the second one 0.3 us, and these reach 93 % of the rate. 0.3 % of readings are
    disturbed by daemons. The islands of 4 to 32 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    size = max(4, min(32, count // 4))
    island, place = np.divmod(np.arange(count), size)
    leaf = 2 * island + place // -(-size // 2)
    longer, inside = _numa_places(8)
    plane = Stacked(FatTree(leaf, 2, "adaptive", 2 * RATE), FatTree(island, 4, "adaptive", 2 * RATE), 2 * CABLE)
    return Structure(
        count, plane, each=8, rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3),
        position_rate=np.repeat([1.0, 0.93], 4), position_latency=longer[[1, 2, 3, 0, 4, 5, 6, 7]],
        hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _one_group_of_four_rails(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each, in four chassis of a single dragonfly group.

    As a small HPE Cray EX with A100 and Slingshot, of one cabinet: each adapter of a host is on another switch of its
    chassis. Within a group nothing blocks, and a message to another switch takes a hop more. NVLink joins the GPUs of a
    host, 90 GB/s for each two; 0.7 us at each end. 0.3 % of readings are disturbed by daemons. The latencies are chosen
    here.
    """
    count = max(8, hosts // 2)
    switch = (np.arange(count) * 4 // count * 4)[:, None] + np.arange(4)
    return Structure(
        count, Slingshot(np.zeros(4 * count, np.int64), switch.ravel(), 1, 2 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(4, 0.7e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _two_adapters_on_one_leaf_of_a_cell(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs, two of which share an adapter of 200 Gbit/s, in cells of a dragonfly+.

    As the accelerator module of MeluXina (A100, HDR): cells are trees of two leaves, 1:1, and both adapters of a host
    are on one leaf. 15 % of the messages between cells take a third one. The second GPU of a socket is further from the
    adapter, 0.1 us. NVLink joins the GPUs of a host, 90 GB/s for each two; 0.6 us at each end. 0.3 % of readings are
    disturbed by daemons. The cells of 4 to 16 hosts, the detours and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = 4 * max(1, min(4, count // 16))
    return Structure(
        count, DragonflyPlus(2 * count, 2 * size, 0.15, 2 * RATE), each=4, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.tile([0.6e-6, 0.7e-6], 2), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
    )  # fmt: skip


def _four_ranks_in_units_of_5(hosts: int) -> Structure:
    """Half of the hosts, of one processor with 4 ranks, in units of a torus; cables and hosts do 5 GB/s.

    As PRIMEHPC FX10 of Fujitsu with Tofu, e.g. Oakleaf-FX of the University of Tokyo. A rank reaches 80 % of the rate,
    so that two fill a host. 0.6 us at each end. Nothing else runs on the cores, so readings hardly vary. What a rank
    reaches, the latencies and what is within a host are chosen here.
    """
    count, rate = max(8, hosts // 2), 5e9
    return Structure(
        count, Tofu(*_units(count), rate), each=4, rate=np.full((count, 1), rate), processor=np.full(count, 2),
        socket=np.zeros(4, np.int64), position_rate=np.full(4, 0.8), position_latency=np.full(4, 0.6e-6),
        inside_latency=np.full((4, 4), 0.8e-6), inside_rate=np.full((4, 4), 6e9),
    )  # fmt: skip


def _four_to_one_above_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each, and a leaf for each rail of each pod; 4:1.

    A cluster of a university (A100, HDR) whose jobs are mostly within a pod. Tables deal out the receivers of a leaf to
    its uplinks in turns, and nothing is adaptive. NVSwitch joins the GPUs of a host, 240 GB/s. 0.7 us at each end, and
    0.1 us more for the GPUs of the second socket. 0.4 % of readings are disturbed by daemons. The pods of 4 to 16 hosts
    and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    return Structure(
        count, DealtOut(_leaf_per_rail(_leaves(count), 8), 4, 2 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.repeat([0.7e-6, 0.8e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 240e9), hyperthreads=0.004,
    )  # fmt: skip


def _chassis_on_two_omni_path_leaves(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, a rank in each host, about 3:1; a rack has two leaves, and chassis of four hosts.

    The chassis of a rack are in turns on the one and on the other leaf. As university clusters of PowerEdge C6420. The
    tables of the leaves change now and then. The processor does the work of the adapter, 0.3 us at each end; 0.4 % of
    readings are disturbed by daemons. The racks of 8 to 24 hosts and the numbers are chosen here.
    """
    rack, place = np.divmod(np.arange(hosts), 8 * max(1, min(3, hosts // 16)))
    leaf = 2 * rack + place // 4 % 2
    return Structure(
        hosts, Tables(leaf, 2.6), position_latency=np.array([0.3e-6]),
        processor=np.zeros(hosts, np.int64), hyperthreads=0.004,
    )  # fmt: skip


def _ports_drawn_at_random(hosts: int) -> Structure:
    """A university: 100 Gbit/s (HDR100), two ranks in each host, 2:1; each leaf draws an uplink for each receiver.

    As OpenSM's Min Hop with scatter_ports, which its administrators set: so the receivers of a leaf are not dealt out
    evenly, and another leaf has drawn others for them. The far socket takes 0.22 us longer and reaches 96 % of the
    rate. 0.4 % of readings are disturbed by daemons. The leaves and the numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.96, 0.22e-6), plane=ScatteredPorts(_leaves(hosts), 2), processor=np.full(hosts, 3),
        hyperthreads=0.004,
    )  # fmt: skip


def _switches_of_two_generations(hosts: int) -> Structure:
    """Half of the hosts, of a department: a switch of 56 Gbit/s (FDR) and a newer one of 100 (EDR), each with a half.

    4 ranks on two sockets. A cable for 8 hosts joins the two switches, 56 Gbit/s, and tables deal these out to the
    receivers of a switch. On older hosts messages take 0.25 us longer at an end and reach 80 % of the rate within a
    host; adapters and processors tell. The far socket takes 0.2 us longer and reaches 95 % of the rate. 0.5 % of
    readings are disturbed by daemons. The numbers are chosen here.
    """
    count, slower = max(8, hosts // 2), 0.545 * RATE
    old = 2 * np.arange(count) < count
    return replace(
        _far_socket(count, 4, 0.95, 0.2e-6), plane=DealtMesh(1 * ~old, count // 8, slower),
        rate=np.where(old, slower, RATE)[:, None], overhead=np.where(old, 0.25e-6, 0.0),
        processor=np.where(old, 2, 0), memory=np.where(old, 0.8, 1.0), hyperthreads=0.005,
    )  # fmt: skip


def _bonds_on_the_leaf_of_the_rack(hosts: int) -> Structure:
    """A faculty: Ethernet, two ranks in each host, and a bond of two ports of 10 Gbit/s on the leaf of its rack; 2:1.

    A hash of the ports of TCP, too, gives each flow a port (layer3+4), and an uplink of 40 Gbit/s, one for four hosts.
    Where it comes by a spine, the leaf of the receiver chooses the port. 10 us at each end, with a long tail; 0.5 % of
    readings are longer. The racks of 4 to 16 hosts and the numbers are chosen here.
    """
    return Structure(
        hosts, FatTree(np.repeat(_leaves(hosts), 2), 8, "static", 0.4 * RATE), each=2, rails=2, one_plane=True,
        bonded=True, other_rail=0.0, rate=np.full((hosts, 2), 0.1 * RATE), processor=np.full(hosts, 2),
        position_latency=np.full(2, 10e-6), inside_latency=_across_sockets(np.arange(2)), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _gpus_with_an_adapter_on_each_socket(hosts: int) -> Structure:
    """Half of the hosts, of a university: 4 GPUs on PCIe and an adapter of 100 Gbit/s (HDR100) on each socket.

    As servers with A40 and no NVLink. Leaves are joined to one core by a cable for two adapters, of which tables give
    each receiver one. The second GPU of a socket is not on the PCIe switch of the adapter: messages take 0.4 us longer
    and reach 85 % of the rate. Two GPUs of a socket exchange 18 GB/s, two of both sockets 9. 1.4 us at each end; 0.4 %
    of readings are disturbed by what prepares the data. The leaves and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, OneCore(np.repeat(_leaves(count), 2), 2), each=4, rails=2, one_plane=True, other_rail=0.0,
        processor=np.full(count, 3), position_rate=np.tile([1.0, 0.85], 2),
        position_latency=np.tile([1.4e-6, 1.8e-6], 2), inside_latency=np.where(far, 2.4e-6, 1.6e-6),
        inside_rate=np.where(far, 9e9, 18e9), hyperthreads=0.004,
    )  # fmt: skip


def _older_and_newer_racks_in_turns(hosts: int) -> Structure:
    """A university: Omni-Path, 100 Gbit/s, two ranks in each host; older and newer racks are in turns, for cooling.

    A switch has 35 ports for hosts and 13 uplinks, here 8:3, or 2:1 for a small rack; a receiver has one uplink. The
    processor does the work of the adapter: 0.3 us at each end, 0.15 us more in older racks, as processors tell, and
    0.25 us more on the far socket, which reaches 92 % of the rate. Within a host the older ones reach 85 % of the rate.
    0.4 % of readings are disturbed by daemons. The racks of 4 to 16 hosts and the numbers are chosen here.
    """
    rack = _leaves(hosts)
    size, old = np.bincount(rack), rack % 2 == 0
    far = _far_socket(hosts, 2, 0.92)
    return replace(
        far, plane=FatTree(rack, size / (np.ceil(3 * size / 8) + 0.5), "by receiver"),
        position_latency=0.3e-6 + far.position_latency, overhead=np.where(old, 0.15e-6, 0.0),
        processor=np.where(old, 2, 0), memory=np.where(old, 0.85, 1.0), hyperthreads=0.004,
    )  # fmt: skip


def _numa_nodes_in_turns_over_sockets(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 200 Gbit/s (NDR200); 4:3 adaptive.

    As national centers with two EPYC (NPS4). Ranks go to the sockets in turns, as Slurm does it by default
    (block:cyclic), so every second one is on the socket without an adapter: 0.3 us longer, and 95 % of the rate. The
    adapter is on the node of the first rank. Small leaves are 2:1. 0.3 % of readings are disturbed by daemons. The
    leaves of 2 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    place, socket = np.divmod(np.arange(8), 2)
    node = 4 * socket + place
    longer, inside = _numa_places(8)
    return Structure(
        count, FatTree(np.arange(count) // max(2, min(16, count // 4)), 4 / 3, "adaptive", 2 * RATE), each=8,
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3), socket=socket,
        position_rate=np.where(socket == 1, 0.95, 1.0), position_latency=longer[node], hyperthreads=0.003,
        **{name: values[np.ix_(node, node)] for name, values in inside.items()},
    )  # fmt: skip


def _adapter_on_third_node_by_load(hosts: int) -> Structure:
    """Half of the hosts, 4 NUMA nodes with a rank on each that share 200 Gbit/s (Slingshot); routes follow the load.

    As blades of HPE Cray EX with two EPYC. The adapter is on the first node of the second socket, and says so: the
    other node there takes 0.06 us longer, those of the first socket 0.3 us, at 96 % of the rate. Four hosts are on a
    switch, and a job has the first groups of 12, four or more. 0.3 % of readings are disturbed by daemons. The groups
    of 2 to 16 hosts, where the adapter is, and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    group = np.arange(count) // max(2, min(16, count // 4))
    longer, inside = _numa_places(4)
    return Structure(
        count, Slingshot(group, places_in(group) // 4, max(12, int(group[-1]) + 2), 2 * RATE), each=4,
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3), turned=np.ones(count, bool),
        position_rate=np.repeat([1.0, 0.96], 2), position_latency=longer[[1, 0, 2, 3]], hyperthreads=0.003,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _what_was_free_of_cells(hosts: int, random: np.random.Generator) -> Structure:
    """A job on what was free of three of six cells of a dragonfly+, 200 Gbit/s (HDR), two ranks in each host.

    Of one cell it has two thirds of the hosts, and of two others a third, at random, behind either leaf of the cell. As
    MeluXina of LuxProvide and other systems of EuroHPC. A quarter of the messages between cells takes a third one. The
    far socket takes 0.2 us longer and reaches 96 % of the rate. 0.3 % of readings are disturbed by daemons. The job and
    the numbers are chosen here.
    """
    size = 3 * hosts // 4
    parts = random.permutation([1, 1, 2]) * (hosts // 4)
    taken = [cell * size + np.sort(random.choice(size, part, replace=False)) for cell, part in enumerate(parts)]
    return replace(
        _far_socket(hosts, 2, 0.96, 0.2e-6), plane=PartOfDragonflyPlus(np.concatenate(taken), 6, size, 0.25, 2 * RATE),
        rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3), hyperthreads=0.003,
    )  # fmt: skip


def _units_to_and_fro(hosts: int) -> Structure:
    """Half of the hosts, of 4 memory groups with a rank on each, in units of a torus; cables do 6.8 GB/s.

    As Fugaku of RIKEN (A64FX, Tofu D). Hosts of a unit are numbered to and fro, as for a job in one dimension, so that
    the next one is a neighbour. The six interfaces of a host serve all its ranks, so that only cables are shared; hosts
    say what an interface does. Memory groups are in a ring, 0.08 us and the rate of 20 GB/s from one to the next. A
    core is left for the system, so readings are not disturbed. The numbers are chosen here.
    """
    count, cable = max(8, hosts // 2), 6.8e9
    outer, sides = _units(count)
    plane, size = Tofu(outer, sides, cable), int(np.prod(sides))
    plane.place = plane.place[np.arange(count) // size * size + np.tile(_to_and_fro(sides), count // size)]
    steps = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), 6 * cable), nominal=np.full((count, 1), cable),
        processor=np.full(count, 3), socket=np.zeros(4, np.int64), position_latency=0.08e-6 * steps[0],
        inside_latency=INSIDE_LATENCY + 0.08e-6 * steps,
    )  # fmt: skip


def _two_leaves_of_a_rack_in_islands(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each (NDR200), two on each leaf of the rack; adaptive.

    As national centers with H100: a rack has up to 4 hosts and two leaves, and the adapters of a socket are on one of
    these. Islands of two racks are 1:1, and 3:2 to each other, by cables that are 20 m longer. NVLink joins the GPUs of
    a host, 150 GB/s for each two; 0.7 us at each end. 0.3 % of readings are disturbed by daemons. The racks, the
    islands and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) * max(4, count // 4) // count
    leaves = FatTree(np.repeat(_leaf_per_rail(rack, 2), 2), 1, "adaptive", 2 * RATE)
    islands = FatTree(np.repeat(rack // 2, 4), 1.5, "adaptive", 2 * RATE)
    return Structure(
        count, Stacked(leaves, islands, 2 * CABLE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4), position_latency=np.full(4, 0.7e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 150e9), hyperthreads=0.003,
    )  # fmt: skip


def _second_purchase_within_a_pod(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each, and a leaf for each rail of each pod.

    As clusters of universities and companies with H100, then H200, on NDR; 1:1 adaptive. The first five eighths of the
    hosts are of the first purchase, and the second one begins within a pod. There messages take 0.12 us less at an end,
    as processors tell; adapters and NVSwitch, 360 GB/s, are the same. 0.8 us at each end. 0.3 % of readings are
    disturbed by daemons. The pods of 2 to 8 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod, old = np.arange(count) // max(2, min(8, count // 4)), 8 * np.arange(count) < 5 * count
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 1, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), overhead=np.where(old, 0.12e-6, 0.0),
        processor=np.where(old, 3, 4), position_latency=np.full(8, 0.8e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9), hyperthreads=0.003,
    )  # fmt: skip


def _no_order_within_blocks(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: whole machines of a cloud, of 4 NUMA nodes with a rank on each that share 100 Gbit/s.

    As hpc6a of AWS (two EPYC, EFA), whose packets are spread over many ways (SRD). Up to 4 machines are on a switch,
    and two switches are a block: machines are in order of blocks, but in no order within one. Messages to another block
    take 0.5 us more. Nothing blocks. 6 us at each end, and other nodes are further from the adapter than the first one.
    0.4 % of readings are longer. The layers and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    switch = np.arange(count) * max(4, count // 4) // count
    longer, inside = _numa_places(4)
    return Structure(
        count, Sprayed(switch[np.lexsort((random.random(count), switch // 2))], 0.5e-6), each=4,
        processor=np.full(count, 3), position_latency=6e-6 + longer, tail=0.004, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _seven_to_three_of_two_purchases(hosts: int) -> Structure:
    """A national center: 100 Gbit/s (HDR100), two ranks in each host; leaves of 28 hosts and 12 uplinks, 7:3.

    Here leaves have up to 16 hosts, and 6 uplinks or somewhat fewer. Tables deal out the receivers of a leaf to the
    uplinks in turns. The last quarter of the leaves came later: on the others messages take 0.12 us longer at an end,
    as processors tell, and reach 85 % of the rate within a host. The far socket takes 0.2 us longer and reaches 96 % of
    the rate. 0.3 % of readings are disturbed by daemons. The purchases and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    old = 4 * leaf < 3 * (int(leaf[-1]) + 1)
    return replace(
        _far_socket(hosts, 2, 0.96, 0.2e-6), plane=DealtOut(leaf, 2.33), overhead=np.where(old, 0.12e-6, 0.0),
        processor=np.where(old, 0, 3), memory=np.where(old, 0.85, 1.0), hyperthreads=0.003,
    )  # fmt: skip


def _begins_within_a_group(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share 200 Gbit/s: a job in a row of hosts of a dragonfly.

    As Derecho of NCAR (two EPYC 7763, Slingshot). The job begins in the middle of a group of 12 or more, and so its
    last group is not full either. Four hosts are on a switch; routes follow the load. The far socket takes 0.25 us
    longer and reaches 96 % of the rate; 0.2 us at each end. 0.3 % of readings are disturbed by daemons. The groups of
    up to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(4, min(16, count // 4))
    group, place = np.divmod(np.arange(count) + size // 2, size)
    far = _far_socket(count, 4, 0.96)
    return replace(
        far, plane=Slingshot(group, place // 4, max(12, int(group[-1]) + 2), 2 * RATE),
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3),
        position_latency=0.2e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _quadrants_on_chassis(hosts: int) -> Structure:
    """Half of the hosts: Xeon Phis with a rank on each of four quadrants, in groups of two chassis of a dragonfly.

    As Theta of ALCF (Cray XC40, Aries) with clusters of cores (SNC-4). Adapters say 100 Gbit/s and do 70, of which a
    rank reaches 85 %, so that two fill it. The adapter is nearest to the first quadrant; others take 0.06 us longer.
    Slow cores: 0.6 us at each end. 30 % of the messages between groups take a detour. Some cores are left to the
    system, so that readings hardly vary. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    other = _in_other_parts(4, 1)
    return Structure(
        count, Chassis(count, max(4, count // 16 * 4), 0.3), each=4, rate=np.full((count, 1), 0.7 * RATE),
        nominal=np.full((count, 1), RATE), processor=np.ones(count, np.int64), socket=np.zeros(4, np.int64),
        position_rate=np.full(4, 0.85), position_latency=0.6e-6 + np.where(other[0], 0.06e-6, 0.0),
        inside_latency=np.where(other, 0.9e-6, 0.7e-6), inside_rate=np.where(other, 7e9, 9e9),
    )  # fmt: skip


def _alternate_leaves_of_cells(hosts: int) -> Structure:
    """100 Gbit/s (HDR100), two ranks in each host, in cells of a dragonfly+ that are trees of two leaves.

    As national clusters with BullSequana XH2000. Neighbouring hosts are on the two leaves of their cell in turns. A
    fifth of the messages between cells takes a third one; the job has all cells but two. The far socket takes 0.25 us
    longer and reaches 95 % of the rate. 0.3 % of readings are disturbed by daemons. The cells of 4 to 16 hosts, the
    order of the hosts and the numbers are chosen here.
    """
    size = 2 * max(2, min(8, hosts // 8))
    cell, place = np.divmod(np.arange(hosts), size)
    taken = cell * size + place % 2 * (size // 2) + place // 2
    return replace(
        _far_socket(hosts, 2, 0.95), plane=PartOfDragonflyPlus(taken, int(cell[-1]) + 3, size, 0.2, RATE),
        processor=np.full(hosts, 3), hyperthreads=0.003,
    )  # fmt: skip


def _mesh_of_a_partition(hosts: int) -> Structure:
    """A grid in three dimensions that is not closed, two ranks in each host; cables do 0.154 GB/s.

    As partitions of Blue Gene/L of IBM that are smaller than a midplane of 512 hosts: only the cables of whole ones are
    closed to a torus. A rank runs on each of the two cores (virtual node mode). A host feeds its six cables at the same
    time, but a message takes one way only. 1 us at each end. Nothing else runs on the cores, so readings hardly vary.
    The latencies and what is within a host are chosen here.
    """
    cable = 0.154e9
    return Structure(
        hosts, Mesh(_sides(hosts), cable), each=2, rate=np.full((hosts, 1), 6 * cable),
        processor=np.zeros(hosts, np.int64), socket=np.zeros(2, np.int64), position_latency=np.full(2, 1e-6),
        inside_latency=np.full((2, 2), 1.4e-6), inside_rate=np.full((2, 2), 0.9e9),
    )  # fmt: skip


def _service_hosts_on_the_first_leaf(hosts: int) -> Structure:
    """A national center: Omni-Path, 100 Gbit/s, a rank in each host; about 5:3, and a receiver has one uplink.

    Half of the ports of the first leaf have login, file and other service hosts, which are not measured. It has as many
    uplinks as the others, so fewer of its messages meet there. The processor does the work of the adapter, 0.3 us at
    each end. 0.3 % of readings are disturbed by daemons. The leaves of 3 to 16 hosts and the numbers are chosen here.
    """
    size = max(4, min(16, hosts // 4))
    rest = hosts - size // 2
    others = 1 + np.arange(rest) * -(-rest // size) // rest
    leaf = np.concatenate([np.zeros(size // 2, np.int64), others])
    of_leaf = np.bincount(leaf)
    return Structure(
        hosts, FatTree(leaf, of_leaf / (max(1, 3 * int(of_leaf.max()) // 5) + 0.5), "by receiver"),
        processor=np.zeros(hosts, np.int64), position_latency=np.array([0.3e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _leaf_for_each_pair_of_gpus(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter of 200 Gbit/s; a leaf for each rail of each pod.

    As university clusters with A100 in which each PCIe switch has two GPUs and an adapter (HDR). 1:1; tables deal out
    the receivers of a leaf to the uplinks in turns. The second GPU of each two is in the further slot, 0.05 us.
    NVSwitch joins the GPUs of a host, 240 GB/s; 0.8 us at each end. 0.4 % of readings are disturbed by daemons. The
    pods of 2 to 8 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, DealtOut(_leaf_per_rail(pod, 4), 1, 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.tile([0.8e-6, 0.85e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 240e9), hyperthreads=0.004,
    )  # fmt: skip


def _four_bridged_pairs(hosts: int) -> Structure:
    """A quarter of the hosts, of a company: 8 GPUs on PCIe in four bridged pairs, an adapter of 200 Gbit/s for each.

    As servers with H100 NVL on Ethernet (RoCE): all adapters of a rack are on its leaf, 2:1, and a hash gives each two
    adapters an uplink. A bridge of NVLink does 300 GB/s; other GPUs of a socket exchange 40 GB/s, and those of both
    sockets 26. 1.1 us at each end; 0.3 % of readings are longer, because switches pause senders. The racks of 2 to 8
    hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    apart = _levels_apart(np.arange(8) // 2, np.arange(8) // 4)
    return Structure(
        count, FatTree(np.repeat(rack, 4), 2, "static", 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 1.1e-6),
        inside_latency=np.array([NVLINK_LATENCY, 1.8e-6, 2.4e-6])[apart],
        inside_rate=np.array([300e9, 40e9, 26e9])[apart], tail=0.003,
    )  # fmt: skip


def _machines_of_four_gpus_with_fdr(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 GPUs on PCIe that share 56 Gbit/s (FDR), in no order.

    As NC24rs of Azure (V100), which has whole servers. 1:1, but a receiver has one uplink, by its address (LID); as the
    machines are anywhere in a large tree, their addresses are in no order either. The adapter is on the first socket:
    the GPUs of the second one take 0.5 us longer and reach 85 % of the rate. Two GPUs of a socket exchange 11 GB/s, and
    others 8. 1 us at each end; 0.4 % of readings are disturbed by the hypervisor. The leaves and the numbers are chosen
    here.
    """
    count, rate = max(8, hosts // 2), 0.545 * RATE
    leaf = random.permutation(_leaves(count))
    apart = _in_other_parts(4, 2)
    return Structure(
        count, NumberedByArrival(leaf, 1, random.permutation(count), rate), each=4, rate=np.full((count, 1), rate),
        processor=np.full(count, 2), position_rate=np.repeat([1.0, 0.85], 2),
        position_latency=np.repeat([1e-6, 1.5e-6], 2), inside_latency=np.where(apart, 2.1e-6, 1.5e-6),
        inside_rate=np.where(apart, 8e9, 11e9), hyperthreads=0.004,
    )  # fmt: skip


def _leaf_spine_of_32_ports(hosts: int) -> Structure:
    """A company: leaves and spines of Ethernet with 32 ports of 100 Gbit/s, RoCE; 20 hosts and 12 uplinks, 5:3.

    Here leaves have up to 16 hosts, and the number of uplinks that is nearest to 5:3. A hash gives each two hosts one.
    A host has one EPYC of two NUMA nodes (NPS2) with a rank on each; the adapter is on the second one, and the first
    takes 0.05 us longer, at the whole rate. 1 us at each end; 0.4 % of readings are longer, because switches pause
    senders. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    size = np.bincount(leaf)
    return Structure(
        hosts, FatTree(leaf, size / (np.round(0.6 * size) + 0.5), "static"), each=2, processor=np.full(hosts, 3),
        socket=np.zeros(2, np.int64), position_latency=np.array([1.05e-6, 1e-6]),
        inside_latency=np.full((2, 2), 0.45e-6), inside_rate=np.full((2, 2), 15e9), tail=0.004,
    )  # fmt: skip


def _three_numa_nodes_on_each_socket(hosts: int) -> Structure:
    """Half of the hosts, of two sockets of three NUMA nodes with a rank on each that share 200 Gbit/s (NDR200); 2:1.

    As clusters with Xeon 6972P (SNC3). Uplinks have 400 Gbit/s, one for four hosts; adaptive. The adapter is on the
    second node of the first socket: the others of it take 0.06 us longer, those of the second socket 0.3 us, and these
    reach 96 % of the rate. 0.3 % of readings are disturbed by daemons. The leaves of 4 to 16 hosts and the numbers are
    chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(6)
    return Structure(
        count, FatTree(_leaves(count), 4, "adaptive", 4 * RATE), each=6, rate=np.full((count, 1), 2 * RATE),
        processor=np.full(count, 4), position_rate=np.repeat([1.0, 0.96], 3),
        position_latency=longer[[1, 0, 2, 3, 4, 5]], hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _dies_joined_to_their_counterparts(hosts: int) -> Structure:
    """A quarter of the hosts, of a department: 8 dies with a rank on each that share 56 Gbit/s (FDR), one switch.

    As two EPYC 7601 of four dies on a switch that was kept from the cluster before. Any two dies of a socket have a
    link, 0.15 us; to the other socket each die has one to its counterpart only, 0.25 us, and messages to the others
    pass both. The adapter is on the third die, and what ranks pay to it is the same; the second socket reaches 90 % of
    the rate. 0.5 % of readings are disturbed by users. The numbers are chosen here.
    """
    count, rate = max(8, hosts // 4), 0.545 * RATE
    socket, place = np.divmod(np.arange(8), 4)
    across, beside = np.not_equal.outer(socket, socket), np.not_equal.outer(place, place)
    longer = 0.15e-6 * beside + 0.25e-6 * across
    return Structure(
        count, OneSwitch(count), each=8, rate=np.full((count, 1), rate), processor=np.full(count, 3),
        position_rate=np.repeat([1.0, 0.9], 4), position_latency=longer[2], inside_latency=INSIDE_LATENCY + longer,
        inside_rate=np.array([20e9, 12e9, 9e9, 7e9])[beside + 2 * across], hyperthreads=0.005,
    )  # fmt: skip


def _racks_of_three_on_eight_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each, all on the leaf of the rack; 3:2 dealt out.

    As DGX A100 of universities on switches of 40 ports (HDR): a rack has three hosts, 24 adapters and 16 uplinks, and
    the last one four or two where these do not divide. Tables deal out the receivers of a leaf to its uplinks. NVSwitch
    joins the GPUs of a host, 240 GB/s; 0.8 us at each end, and 0.1 us more on the second socket. 0.3 % of readings are
    disturbed by daemons. The latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.minimum(np.arange(count) // 3, (count + 1) // 3 - 1)
    return Structure(
        count, DealtOut(np.repeat(rack, 8), 1.5, 2 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.repeat([0.8e-6, 0.9e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 240e9), hyperthreads=0.003,
    )  # fmt: skip


def _leaf_for_each_of_four_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter of 400 Gbit/s; a leaf for each rail of each pod.

    As H100 with half as many adapters as GPUs (NDR), in clusters of universities: a rail is that of two neighbouring
    GPUs. 2:1 adaptive, also between the rails of a pod. The second GPU of each two is on another PCIe switch than the
    adapter: 0.12 us longer. NVSwitch joins the GPUs of a host, 360 GB/s; 0.8 us at each end. 0.3 % of readings are
    disturbed by daemons. The pods of 2 to 8 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 4), 2, "adaptive", 4 * RATE), each=8, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.tile([0.8e-6, 0.92e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9), hyperthreads=0.003,
    )  # fmt: skip


def _second_purchase_of_pcie_gpus(hosts: int) -> Structure:
    """Half of the hosts, of a department: 4 GPUs on PCIe, two on each socket with an adapter of their own; one switch.

    The first five eighths have A40 and 100 Gbit/s (HDR100), the others L40S and 200 Gbit/s (HDR), and newer processors:
    on the older ones messages take 0.15 us longer at an end. Adapters and processors tell. Two GPUs of a socket
    exchange 19 GB/s, and others 10, 0.5 us longer; 1 us at each end. 0.4 % of readings are disturbed by what prepares
    the data. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = 8 * np.arange(count) < 5 * count
    far = _in_other_parts(4, 2)
    return Structure(
        count, OneSwitch(2 * count), each=4, rails=2, one_plane=True, other_rail=0.0,
        rate=RATE * np.repeat(np.where(old, 1.0, 2.0)[:, None], 2, axis=1), overhead=np.where(old, 0.15e-6, 0.0),
        processor=np.where(old, 3, 4), position_latency=np.full(4, 1e-6),
        inside_latency=np.where(far, 1.9e-6, 1.4e-6), inside_rate=np.where(far, 10e9, 19e9), hyperthreads=0.004,
    )  # fmt: skip


def _partitions_of_accelerated_processors(hosts: int) -> Structure:
    """Half of the hosts, of two accelerated processors in three partitions each: 6 ranks share 400 Gbit/s; 1:1.

    As MI300A in mode TPX, e.g. of Viper of MPCDF (NDR); routes are adaptive. The adapter is on the first processor;
    partitions of the other one take 0.25 us longer and reach 90 % of the rate. Within a processor 0.8 us and 150 GB/s,
    between the two 1.2 us and 90 GB/s; 0.5 us at each end. 0.3 % of readings are disturbed by daemons. The leaves and
    the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(6, 3)
    return Structure(
        count, FatTree(_leaves(count), 1, "adaptive", 4 * RATE), each=6, rate=np.full((count, 1), 4 * RATE),
        processor=np.full(count, 4), position_rate=np.repeat([1.0, 0.9], 3),
        position_latency=np.repeat([0.5e-6, 0.75e-6], 3), inside_latency=np.where(far, 1.2e-6, 0.8e-6),
        inside_rate=np.where(far, 90e9, 150e9), hyperthreads=0.003,
    )  # fmt: skip


def _nvlink_racks_of_a_cloud(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 400 Gbit/s each; NVLink joins those of a rack. Racks in no order.

    As P6e-GB200 of AWS, where EFA spreads the packets of a message over many ways: all adapters of a rack are on the
    same lowest switch, two such switches are nearer to each other than others, and nothing blocks. 5 us at each end
    between racks, and 1 us more between trees. 0.5 % of readings are longer. The racks of up to 18 hosts and the
    latencies are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(2, min(18, count // 4))
    switch = random.permutation(-(-count // size))[np.arange(count) // size]
    return Structure(
        count, Sprayed(np.repeat(switch, 4), 1e-6, 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        domain=size, rate=np.full((count, 4), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(4, 5e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), NVLINK_RATE), tail=0.005,
    )  # fmt: skip


def _clusters_on_die(hosts: int) -> Structure:
    """Half of the hosts, 4 NUMA nodes with a rank on each that share 56 Gbit/s (FDR); 5:3, a receiver has an uplink.

    As two Xeon E5 v3 in mode Cluster on Die, e.g. of phase 2 of SuperMUC (LRZ). The adapter is on the second node: the
    others take longer, and the second socket reaches 94 % of the rate. Somewhat more uplinks than 5:3 where these do
    not divide. 0.4 % of readings are disturbed by daemons. The leaves, the taper and the numbers are chosen here.
    """
    count, rate = max(8, hosts // 2), 0.545 * RATE
    leaf = _leaves(count)
    size = np.bincount(leaf)
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(leaf, size / (np.ceil(0.6 * size) + 0.5), "by receiver", rate), each=4,
        rate=np.full((count, 1), rate), processor=np.full(count, 2), position_rate=np.repeat([1.0, 0.94], 2),
        position_latency=longer[[1, 0, 2, 3]], hyperthreads=0.004, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _job_that_begins_within_a_group(hosts: int) -> Structure:
    """Hosts of two chips with a rank on each that share 200 Gbit/s, in a dragonfly of 12 groups.

    As Isambard 3 of Bristol (two Grace in one superchip, Slingshot 11). A job has the second half of its first group,
    the next groups, and of the last one what it still needs. Routes follow the load. The second chip takes 0.15 us
    longer and reaches the whole rate, by a wide link between the chips. 0.3 % of readings are disturbed by daemons. The
    job, the groups and the latencies are chosen here.
    """
    size = 4 * max(1, hosts // 12)
    group, place = np.divmod(np.arange(hosts) + size // 2, size)
    return Structure(
        hosts, Slingshot(group, place // 8, 12, 2 * RATE), each=2, rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 3), position_latency=np.array([0.0, 0.15e-6]),
        inside_latency=np.full((2, 2), 0.7e-6), inside_rate=np.full((2, 2), 30e9), hyperthreads=0.003,
    )  # fmt: skip


def _blades_in_turns_over_cells(hosts: int) -> Structure:
    """200 Gbit/s (HDR), a rank in each host; blades of two hosts, which are in turns over four cells of a dragonfly+.

    As machines of BullSequana, where a scheduler that balances the cells gives a job blade after blade. The smallest
    job has two cells, and the machine two more than the job; a quarter of the messages between cells takes a third one.
    0.15 us at each end; 0.3 % of readings are disturbed by daemons. The job and the numbers are chosen here.
    """
    cells = 2 if hosts < 16 else 4
    size = hosts // cells
    blade, slot = np.divmod(np.arange(hosts), 2)
    taken = blade % cells * size + blade // cells * 2 + slot
    return Structure(
        hosts, PartOfDragonflyPlus(taken, cells + 2, size, 0.25, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 3), position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _folded_cabinets(hosts: int) -> Structure:
    """A torus in three dimensions, two ranks on the one socket of each host; its first dimension is folded.

    As Cray's XT4 with SeaStar2, e.g. Franklin of NERSC: along a row of cabinets, cables join every second one, there
    and back, so that none is long. Hosts are numbered by cabinets as these stand. A host sends 2 GB/s, cables do 3.2;
    2.2 us at each end. The hosts run a light system, so readings hardly vary. The latencies and what is within a host
    are chosen here.
    """
    plane = Torus(_sides(hosts), 3.2e9)
    cabinet = plane.place[:, 0]
    plane.place[:, 0] = np.where(cabinet % 2 == 0, cabinet // 2, plane.sides[0] - 1 - cabinet // 2)
    return Structure(
        hosts, plane, each=2, rate=np.full((hosts, 1), 2e9), processor=np.full(hosts, 2), socket=np.zeros(2, np.int64),
        position_latency=np.full(2, 2.2e-6), inside_latency=np.full((2, 2), 0.7e-6),
        inside_rate=np.full((2, 2), 2.5e9),
    )  # fmt: skip


def _later_leaves_with_twice_the_uplinks(hosts: int) -> Structure:
    """Omni-Path, 100 Gbit/s, two ranks in each host; leaves on one core, 3:1, and 3:2 for the later half of them.

    A university whose users asked for more between leaves when it bought again, and whose director switch had the ports
    for that. Tables give each receiver a cable up and one down. The processor does the work of the adapter: 0.3 us at
    each end, 0.2 us more on the older processors, as these tell, and 0.25 us more on the far socket, which reaches 93 %
    of the rate. 0.4 % of readings are disturbed by daemons. The leaves and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    old = 2 * np.arange(int(leaf[-1]) + 1) < int(leaf[-1]) + 1
    far = _far_socket(hosts, 2, 0.93)
    return replace(
        far, plane=OneCore(leaf, np.where(old, 3.0, 1.5)), overhead=np.where(old, 0.2e-6, 0.0)[leaf],
        processor=np.where(old, 2, 0)[leaf], position_latency=0.3e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _ethernet_pods_of_two_leaves(hosts: int) -> Structure:
    """Ethernet of 100 Gbit/s, RoCE, two ranks in each host; pods of two leaves, 2:1 at the leaves, 4:1 between pods.

    As private clouds of companies: at each level a hash gives each two hosts an uplink. The far socket takes 0.25 us
    longer and reaches 95 % of the rate; 0.8 us at each end. 0.4 % of readings are longer, because switches pause
    senders. Leaves have 2 to 8 hosts, and the last pod may have one leaf; the tapers and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(8, hosts // 8))
    far = _far_socket(hosts, 2, 0.95)
    return replace(
        far, plane=Stacked(FatTree(leaf, 2, "static"), FatTree(leaf // 2, 4, "static")), processor=np.full(hosts, 3),
        position_latency=0.8e-6 + far.position_latency, tail=0.004,
    )  # fmt: skip


def _machines_in_sub_blocks(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of two sockets with 4 ranks each that share 200 Gbit/s, in no order.

    As H4D of Google Cloud (EPYC of the fifth generation, RDMA by Falcon, which uses several ways at once): machines are
    in sub-blocks, 1:1, of which two are a block, 2:1. A rank gets 60 % of the rate, or 56 % on the second socket, 0.3
    us longer; 3 us at each end, and 1 us more between blocks. 0.4 % of readings are longer. The sub-blocks and the
    numbers are chosen here.
    """
    count = max(8, hosts // 4)
    sub_block = random.permutation(np.arange(count) * 4 // count)
    lower, upper = FatTree(sub_block, 1, "adaptive", 2 * RATE), FatTree(sub_block // 2, 2, "adaptive", 2 * RATE)
    far = _far_socket(count, 8, longer=0.3e-6)
    return replace(
        far, plane=Stacked(lower, upper, 1e-6), rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 4),
        position_rate=np.repeat([0.6, 0.56], 4), position_latency=3e-6 + far.position_latency, tail=0.004,
    )  # fmt: skip


def _one_switch_of_an_engineering_company(hosts: int) -> Structure:
    """Half of the hosts, of an engineering company: 4 NUMA nodes with a rank on each share 200 Gbit/s; one switch.

    As crash and flow clusters of suppliers of the car industry: two EPYC of two nodes each (NPS2), and a switch of
    NDR whose ports are split in two (NDR200). The adapter is on the last node: the other one of its socket takes 0.06
    us longer, those of the first socket 0.3 us, at 93 % of the rate. The last quarter of the hosts was bought later:
    there messages take 0.08 us less at an end, as processors tell. 0.3 % of readings are disturbed by daemons. The
    purchases and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    old = 4 * np.arange(count) < 3 * count
    longer, inside = _numa_places(4)
    return Structure(
        count, OneSwitch(count), each=4, rate=np.full((count, 1), 2 * RATE), overhead=np.where(old, 0.08e-6, 0.0),
        processor=np.where(old, 3, 4), turned=np.ones(count, bool), position_rate=np.repeat([1.0, 0.93], 2),
        position_latency=longer, hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _blades_of_a_film_studio(hosts: int) -> Structure:
    """A film studio: blades of 10 Gbit/s in chassis, whose switches lead to one core by cables of 40 Gbit/s, 2:1.

    As render farms of the years from 2012 to 2016. A chassis has up to 16 blades, and a cable for 8 of them, or 1:1 in
    a small one; those of a chassis count as one link (LACP), and leaf and core each have a hash of their own for each
    two blades. TCP by the kernel, 9 us at each end, with a long tail; 0.4 % of readings are longer. The numbers are
    chosen here.
    """
    return Structure(
        hosts, LagCore(_leaves(hosts), 8, 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        processor=np.full(hosts, 2), position_latency=np.array([9e-6]), interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _chassis_of_eighteen_blades(hosts: int) -> Structure:
    """A weather service: 56 Gbit/s (FDR), a rank in each host; chassis of up to 18 blades are leaves, islands 5:2.

    As Beaufix of Meteo-France (bullx B710), whose chassis have a switch of 36 ports, so that the leaves are 1:1. An
    island is two chassis; tables deal out the receivers of a leaf, and those of an island. Cables between islands are
    20 m longer. Half of the islands came later, with the next processors: on the first ones messages take 0.15 us
    longer at an end. 0.3 % of readings are disturbed by daemons. The islands, the taper above them and the numbers are
    chosen here.
    """
    rate, leaf = 0.545 * RATE, np.arange(hosts) // max(2, min(18, hosts // 8))
    old = 2 * (leaf // 2) < int(leaf[-1]) // 2 + 1
    return Structure(
        hosts, Stacked(DealtOut(leaf, 1, rate), DealtOut(leaf // 2, 2.5, rate), 2 * CABLE),
        rate=np.full((hosts, 1), rate), overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 0, 2),
        position_latency=np.array([0.2e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _ports_of_a_chip_designer(hosts: int) -> Structure:
    """Half of the hosts, of a company that designs chips: 4 ranks share 25 Gbit/s by TCP; leaves are 1:1.

    As private clusters for simulations on Ethernet. A leaf has up to 16 hosts and an uplink of 100 Gbit/s for four of
    them. The hash of a leaf counts the ports of a connection too, and connections are opened anew again and again, so
    that messages of two ranks take this uplink and then that one. 8 us at each end, with a long tail; the second socket
    takes 0.4 us longer, at the whole rate. 0.5 % of readings are longer. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _far_socket(count, 4, 1.0, 0.4e-6)
    return replace(
        far, plane=FatTree(_leaves(count), 4, "rehashed"), rate=np.full((count, 1), 0.25 * RATE),
        processor=np.full(count, 3), position_latency=8e-6 + far.position_latency, interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _high_clocks_in_the_first_racks(hosts: int) -> Structure:
    """An engineering company: 200 Gbit/s (HDR), a rank in each host; 5:2 adaptive, high clocks in the first racks.

    As clusters for turbines or racing cars: leaves of 20 hosts and 8 uplinks, or about as many of fewer hosts. A
    quarter of the leaves has processors of fewer cores and higher clocks, for programs that are licensed by core; on
    the others messages take 0.1 us longer at an end. Processors tell. 0.3 % of readings are disturbed by daemons. The
    numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(20, hosts // 4))
    usual = 4 * leaf >= int(leaf[-1]) + 1
    return Structure(
        hosts, FatTree(leaf, 2.5, "adaptive", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        overhead=np.where(usual, 0.1e-6, 0.0), processor=np.where(usual, 3, 4),
        position_latency=np.array([0.2e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _addresses_by_purchase(hosts: int) -> Structure:
    """A carmaker: 100 Gbit/s (EDR), two ranks in each host; 2:1, and the address (LID) of a receiver says its uplink.

    Racks were bought with three eighths of their slots free, and these were filled two years later. A subnet manager
    gave the new hosts addresses after all others, while names are by slot. On the older processors messages take 0.14
    us longer at an end, and reach 85 % of the rate within a host. The far socket takes 0.25 us longer and reaches 95 %
    of the rate. 0.3 % of readings are disturbed by daemons. The leaves of 4 to 16 hosts and the numbers are chosen
    here.
    """
    leaf = _leaves(hosts)
    old = 8 * places_in(leaf) < 5 * np.bincount(leaf)[leaf]
    arrival = np.empty(hosts, np.int64)
    arrival[np.argsort(~old, kind="stable")] = np.arange(hosts)
    return replace(
        _far_socket(hosts, 2, 0.95), plane=NumberedByArrival(leaf, 2, arrival), overhead=np.where(old, 0.14e-6, 0.0),
        processor=np.where(old, 2, 0), memory=np.where(old, 0.85, 1.0), hyperthreads=0.003,
    )  # fmt: skip


def _forecasts_on_a_row_of_groups(hosts: int) -> Structure:
    """A quarter of the hosts, of a weather service: 8 NUMA nodes with a rank on each share 100 Gbit/s; dragonfly.

    As WCOSS2 of NOAA (two EPYC Rome, Slingshot of the first generation): adapters have 100 Gbit/s, and cables between
    switches 200. Groups stand in a row, 0.06 us of cable from one to the next; routes follow the load. The adapter is
    on the second node of the second socket: others of it take 0.06 us longer, those of the first socket 0.3 us, at 95 %
    of the rate. 0.3 % of readings are disturbed by daemons. A machine has 12 groups or one more than the job; where the
    adapter is, the groups of 2 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    group = np.arange(count) // max(2, min(16, count // 4))
    longer, inside = _numa_places(8)
    return Structure(
        count, SlingshotInRows(group, places_in(group) // 4, max(12, int(group[-1]) + 2), 2 * RATE, 0.06e-6), each=8,
        processor=np.full(count, 3), turned=np.ones(count, bool), position_rate=np.repeat([1.0, 0.95], 4),
        position_latency=longer[[1, 1, 0, 1, 4, 4, 4, 4]], hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _trays_in_a_dragonfly_plus(hosts: int) -> Structure:
    """A weather service: trays of two hosts that share an adapter of 200 Gbit/s (HDR), in a dragonfly+; a rank each.

    As Guru and Maru of KMA (Lenovo SD650 V2, two hosts in a tray), if their trays have one adapter (SharedIO). A host
    has 8 lanes of PCIe 4 to it, 126 Gbit/s; two of a tray exchange messages by the adapter alone. Cells have a cable of
    200 Gbit/s for each host, so leaves never block. 30 % of the messages between cells take a third one. 0.2 us at each
    end; 0.3 % of readings are disturbed by daemons. The cells of 4 to 16 hosts, the lanes and the numbers are chosen
    here.
    """
    return Structure(
        hosts, DragonflyPlus(hosts, 4 * max(1, min(4, hosts // 16)), 0.3, 2 * RATE), guests=2, pcie=1.26 * RATE,
        rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3), position_latency=np.array([0.2e-6]),
        hyperthreads=0.003,
    )  # fmt: skip


def _grid_of_a_seismic_company(hosts: int) -> Structure:
    """A seismic company: 56 Gbit/s (FDR), switches in a grid (HyperX), two ranks in each host, bought by rows.

    Instead of spines, cables join each switch to all of its row and of its column: two to each, for four hosts. To
    another row and column messages turn now at this switch and now at that one. The second half of the rows has the
    next processors: on the first one messages take 0.18 us longer at an end, and reach 80 % of the rate within a host.
    The far socket takes 0.25 us longer and reaches 93 % of the rate. 0.4 % of readings are disturbed by daemons. All
    but the kind of network is chosen here.
    """
    rate, rows = 0.545 * RATE, 4 if hosts % 64 == 0 else 2
    old = 2 * np.arange(hosts) < hosts
    return replace(
        _far_socket(hosts, 2, 0.93), plane=HyperX(rows, hosts // rows // 4, 4, rate), rate=np.full((hosts, 1), rate),
        overhead=np.where(old, 0.18e-6, 0.0), processor=np.where(old, 0, 2), memory=np.where(old, 0.8, 1.0),
        hyperthreads=0.004,
    )  # fmt: skip


def _rails_on_spines_of_two_rates(hosts: int) -> Structure:
    """A quarter of the hosts, of a company: 8 GPUs with an adapter of 400 Gbit/s each, a leaf for each rail of a pod.

    As training clusters on Ethernet (RoCE) whose spines are partly new: these have 800 Gbit/s to each leaf, the others
    400. Leaves reach one new spine for 4 hosts, but at least one, and as many older ones as make them 1:1. A hash gives
    each two adapters a spine, a new one twice as often. NVSwitch joins the GPUs of a host, 360 GB/s. 1.2 us at each
    end; 0.3 % of readings are longer, because switches pause senders. The pods of 2 to 8 hosts, the spines and the
    latencies are chosen here.
    """
    count = max(8, hosts // 4)
    size = max(2, min(8, count // 4))
    new = max(1, size // 4)
    rates = np.repeat([8 * RATE, 4 * RATE], [new, size - 2 * new])
    return Structure(
        count, WeightedSpines(_leaf_per_rail(np.arange(count) // size, 8), rates), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 1.2e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9), tail=0.003,
    )  # fmt: skip


def _vector_engines_of_a_weather_service(hosts: int) -> Structure:
    """A quarter of the hosts: 8 vector engines, four on each of two adapters of 200 Gbit/s (HDR), on one leaf; 3:2.

    As the machine of DWD (SX-Aurora TSUBASA, one EPYC in each host). An engine has 16 lanes of PCIe 3, so alone it gets
    12 GB/s, and two of an adapter do not slow each other. Four engines and their adapter are behind a PCIe switch; to
    the other four, messages pass the processor. Tables deal out the receivers of a leaf to its uplinks. 0.7 us at each
    end; programs run on the engines only, so that readings are hardly disturbed. The racks of 2 to 8 hosts, the taper
    and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    racks = int(rack[-1]) + 1
    far = _in_other_parts(8, 4)
    return Structure(
        count, DealtOut(np.repeat(rack, 2), 1.5, 2 * RATE), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3), group_rate=np.full((racks, racks), 12e9),
        position_latency=np.full(8, 0.7e-6), socket=np.zeros(8, np.int64),
        inside_latency=np.where(far, 2.1e-6, 1.5e-6), inside_rate=np.where(far, 8.5e9, 11e9),
    )  # fmt: skip


def _accelerators_of_a_cloud(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: machines of a cloud with 8 accelerators and 4 adapters of 100 Gbit/s, in no order.

    As dl1.24xlarge of AWS (Gaudi, EFA). Any two accelerators of a machine are joined by Ethernet of 100 Gbit/s, of
    which 11.5 GB/s are left for data, so that messages within it are not faster. Those between machines pass the memory
    of the processors, 9 us at each end, and two accelerators share an adapter. Packets are spread over many ways (SRD):
    2 to 4 machines are on a switch, two switches are nearer to each other, and others 1 us further. Nothing blocks.
    0.5 % of readings are longer. The switches and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    switch = random.permutation(np.arange(count) // max(2, min(4, count // 4)))
    return Structure(
        count, Sprayed(np.repeat(switch, 4), 1e-6), each=8, rails=4, one_plane=True, other_rail=0.0,
        processor=np.zeros(count, np.int64), position_latency=np.full(8, 9e-6), tail=0.005,
        inside_latency=np.full((8, 8), 2.5e-6), inside_rate=np.full((8, 8), 11.5e9),
    )  # fmt: skip


def _newer_half_at_the_rate_of_the_switch(hosts: int) -> Structure:
    """Half of the hosts, of a department: one switch of 56 Gbit/s (FDR), three ranks on each of two sockets.

    As small clusters of American universities that kept the switch of 36 or 108 ports when they bought again: newer
    hosts have adapters of 100 Gbit/s, which run at 56 there and say so. On the older half messages take 0.2 us longer
    at an end and reach 80 % of the rate within a host, as processors tell. The far socket takes 0.22 us longer and
    reaches 95 % of the rate. 0.5 % of readings are disturbed by users. The numbers are chosen here.
    """
    count, rate = max(8, hosts // 2), 0.545 * RATE
    old = 2 * np.arange(count) < count
    return replace(
        _far_socket(count, 6, 0.95, 0.22e-6), rate=np.full((count, 1), rate), overhead=np.where(old, 0.2e-6, 0.0),
        processor=np.where(old, 2, 3), memory=np.where(old, 0.8, 1.0), hyperthreads=0.005,
    )  # fmt: skip


def _cartridges(hosts: int) -> Structure:
    """Chassis of up to 45 small hosts of 10 Gbit/s with a switch of four uplinks of 40 Gbit/s, joined to one core.

    As the m510 of CloudLab's cluster at Utah (HPE Moonshot, Xeon D). The uplinks count as one link (LACP): hashes give
    each two hosts a cable up and one down. There is a cable for 12 hosts or fewer, so 3:1 at most. TCP, 9 us at each
    end, with a long tail; 0.5 % of readings are longer. The chassis of 4 to 45 hosts and the numbers are chosen here.
    """
    chassis = np.arange(hosts) // max(4, min(45, hosts // 4))
    size = np.bincount(chassis)
    return Structure(
        hosts, LagCore(chassis, size / (np.ceil(size / 12) + 0.5), 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        processor=np.full(hosts, 2), position_latency=np.array([9e-6]), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _commodity_clusters_of_laboratories(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 100 Gbit/s (Omni-Path); 2:1.

    As the CTS-2 clusters of LLNL, LANL and Sandia, e.g. Dane: two Sapphire Rapids of four nodes (SNC4), and leaves of
    48 ports with 32 hosts and 16 uplinks. The tables of the leaves change now and then. The processor does the work of
    the adapter, 0.25 us at each end. The adapter is on the second node: others of its socket take 0.06 us longer, those
    of the second one 0.3 us, and these reach 95 % of the rate. 0.2 % of readings are disturbed by daemons. The leaves
    of 2 to 16 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    longer, inside = _numa_places(8)
    return Structure(
        count, Tables(np.arange(count) // max(2, min(16, count // 4)), 2), each=8, processor=np.full(count, 4),
        position_rate=np.repeat([1.0, 0.95], 4), position_latency=0.25e-6 + longer[[1, 0, 2, 3, 4, 5, 6, 7]],
        hyperthreads=0.002, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _seven_hosts_for_an_uplink(hosts: int) -> Structure:
    """A national center: Omni-Path, 100 Gbit/s, a rank in each host; about 7:1, and a receiver has one uplink.

    As Bridges of PSC (2016), where 42 hosts are on a leaf with six uplinks, since most jobs fit into one. The last
    eighth of the hosts, four or more, has large memory and slower processors: 0.2 us longer at an end, as these tell.
    The processor does the work of the adapter, 0.3 us at each end. 0.4 % of readings are disturbed by daemons. The
    leaves of 2 to 16 hosts, small ones with less taper, and the numbers are chosen here.
    """
    leaf = np.arange(hosts) * max(4, hosts // 14) // hosts
    size = np.bincount(leaf)
    large = np.arange(hosts) >= hosts - max(4, hosts // 8)
    return Structure(
        hosts, FatTree(leaf, size / (np.maximum(1, np.round(size / 7)) + 0.5), "by receiver"),
        overhead=np.where(large, 0.2e-6, 0.0), processor=np.where(large, 2, 0), position_latency=np.array([0.3e-6]),
        hyperthreads=0.004,
    )  # fmt: skip


def _contributed_hosts_in_each_leaf(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share 100 Gbit/s (HDR100); uplinks of 200, one for four hosts.

    As Alpine of the University of Colorado: 2:1, and adaptive, so that each message may take another uplink. The last
    quarter of each leaf was contributed later by departments: on other hosts messages take 0.1 us longer at an end and
    reach 90 % of the rate within a host, as processors tell. The far socket takes 0.25 us longer and reaches 95 % of
    the rate. 0.4 % of readings are disturbed by daemons. The leaves of 4 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaves(count)
    old = 4 * places_in(leaf) < 3 * np.bincount(leaf)[leaf]
    return replace(
        _far_socket(count, 4, 0.95), plane=FatTree(leaf, 4, "rehashed", 2 * RATE),
        overhead=np.where(old, 0.1e-6, 0.0), processor=np.where(old, 3, 4), memory=np.where(old, 0.9, 1.0),
        hyperthreads=0.004,
    )  # fmt: skip


def _seismic_processing(hosts: int) -> Structure:
    """A company: RoCE, 200 Gbit/s, a rank in each host, and uplinks of 400 Gbit/s, one for six hosts.

    As clusters for seismic data in Houston. A leaf of 18 hosts has three uplinks, 3:1, and small ones somewhat less
    taper. Switches assign each flow to an uplink and move it now and then (dynamic load balancing). 0.9 us at each end;
    0.3 % of readings are longer, because switches pause senders. The leaves of up to 18 hosts and the numbers are
    chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(18, hosts // 4))
    size = np.bincount(leaf)
    return Structure(
        hosts, FatTree(leaf, size / (np.ceil(size / 6) + 0.5), "lingering", 4 * RATE),
        rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3), position_latency=np.array([0.9e-6]),
        tail=0.003,
    )  # fmt: skip


def _gpu_hosts_last_in_a_dragonfly(hosts: int) -> Structure:
    """Adapters of 100 Gbit/s, a rank in each host, in a dragonfly with cables of 200 Gbit/s; routes follow the load.

    As Big Red 200 of Indiana University (Slingshot 10): hosts with two EPYC, and at the end some with GPUs and a newer
    processor, here an eighth of all or four. On the others messages take 0.08 us longer at an end, as processors tell.
    Eight hosts are on a switch; the job has all groups but one. 0.3 us at each end, and 0.3 % of readings are disturbed
    by daemons. The groups of 4 to 16 hosts and the latencies are chosen here.
    """
    group = np.arange(hosts) // max(4, min(16, hosts // 4))
    first = np.arange(hosts) < hosts - max(4, hosts // 8)
    return Structure(
        hosts, Slingshot(group, places_in(group) // 8, int(group[-1]) + 2, 2 * RATE),
        overhead=np.where(first, 0.08e-6, 0.0), processor=np.where(first, 3, 4), position_latency=np.array([0.3e-6]),
        hyperthreads=0.003,
    )  # fmt: skip


def _three_ranks_on_each_socket(hosts: int) -> Structure:
    """Half of the hosts, of two sockets with three ranks each that share 200 Gbit/s, in a dragonfly.

    As Carpenter of the ERDC DSRC (two EPYC 9654, Slingshot): a rank has 32 cores and reaches 55 % of the rate, so that
    two fill the adapter, or 52 % on the far socket, 0.28 us longer. Eight hosts are on a switch, and the machine has
    four groups more than the job; routes follow the load. 0.2 us at each end; 0.3 % of readings are disturbed by
    daemons. The groups of 4 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    group = _leaves(count)
    far = _far_socket(count, 6, longer=0.28e-6)
    return replace(
        far, plane=Slingshot(group, places_in(group) // 8, int(group[-1]) + 5, 2 * RATE),
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 4), position_rate=np.repeat([0.55, 0.52], 3),
        position_latency=0.2e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _eight_ranks_in_five_dimensions(hosts: int) -> Structure:
    """Half of the hosts, of one processor with 8 ranks, in a torus in up to five dimensions; cables do 1.8 GB/s.

    As Mira of ALCF or Vulcan of LLNL (Blue Gene/Q). A host feeds its ten cables at the same time, but a message takes
    one way only, so that ranks share a cable where their messages begin in the same direction. 1 us at each end. A core
    is left for the system, so readings hardly vary. The latencies and what is within a host are chosen here.
    """
    count, cable = max(8, hosts // 2), 1.8e9
    return Structure(
        count, Torus(_sides(count, 5), cable), each=8, rate=np.full((count, 1), 10 * cable),
        processor=np.zeros(count, np.int64), socket=np.zeros(8, np.int64), position_latency=np.full(8, 1e-6),
        inside_latency=np.full((8, 8), 1.1e-6), inside_rate=np.full((8, 8), 4e9),
    )  # fmt: skip


def _first_racks_with_one_adapter(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 400 Gbit/s each (NDR); in the first racks one of 200 for all.

    As the cluster of Harvard's Kempner Institute with A100 and, later, H100. All adapters of a rack are on its leaf,
    1:1 adaptive; uplinks have the rate of its adapters. The first quarter of the racks is older: messages take 0.15 us
    longer at an end, as processors tell. NVLink joins the GPUs of a host, 150 GB/s for each two, or 90 in the older
    ones; 0.7 us at each end. 0.3 % of readings are disturbed by daemons. That the older ones have one adapter, the
    racks of 4 to 16 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    rack = _leaves(count)
    racks = int(rack[-1]) + 1
    first = 4 * np.arange(racks) < racks
    old, rate = first[rack], RATE * np.where(first, 2.0, 4.0)
    return Structure(
        count, FatTree(np.repeat(rack, 4), np.where(first, 4, 1), "adaptive", rate), each=4, rails=4, one_plane=True,
        other_rail=0.0, single=old, rate=np.repeat(rate[rack][:, None], 4, axis=1),
        overhead=np.where(old, 0.15e-6, 0.0), processor=np.where(old, 3, 4), position_latency=np.full(4, 0.7e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 150e9),
        memory=np.where(old, 0.6, 1.0), hyperthreads=0.003,
    )  # fmt: skip


def _cube_mesh_on_two_adapters(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs in a cube mesh, four of which share an adapter of 200 Gbit/s; about 3:2.

    As the hosts with V100 of Bridges-2 of PSC (HPE Apollo 6500, HDR). Both adapters of a host are on the leaf of its
    rack, and tables deal out the receivers of a leaf to its uplinks. The last two GPUs of each four are on another PCIe
    switch than the adapter: 0.12 us longer, and 90 % of the rate. A link of NVLink leaves 22 GB/s for data, and two
    GPUs have none, one or two; without one, messages go by the processors, 9 GB/s. 0.9 us at each end; 0.4 % of
    readings are disturbed by daemons. The racks of 2 to 6 hosts, the taper and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack, links = np.arange(count) // max(2, min(6, count // 4)), _links(HYBRID_CUBE_MESH, 8)
    return Structure(
        count, DealtOut(np.repeat(rack, 2), 1.5, 2 * RATE), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3), position_rate=np.tile([1.0, 1.0, 0.9, 0.9], 2),
        position_latency=np.tile([0.9e-6, 0.9e-6, 1.02e-6, 1.02e-6], 2),
        inside_latency=np.where(links > 0, NVLINK_LATENCY, 2.2e-6), inside_rate=np.where(links > 0, 22e9 * links, 9e9),
        hyperthreads=0.004,
    )  # fmt: skip


def _half_servers_of_a_cloud(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of 4 GPUs on PCIe, two of which share an adapter of 100 Gbit/s, in no order.

    As g6e.24xlarge of AWS (L40S, EFA): a machine has one socket of a server with four adapters, two of these for
    itself. Packets are spread over many ways (SRD) and nothing blocks. Up to 4 machines are on a switch and two
    switches are nearer to each other; to others messages take 0.6 us more. Two GPUs of a machine exchange 22 GB/s; 8 us
    at each end. 0.5 % of readings are longer. The switches and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    switch = random.permutation(np.arange(count) * max(4, count // 4) // count)
    return Structure(
        count, Sprayed(np.repeat(switch, 2), 0.6e-6), each=4, rails=2, one_plane=True, other_rail=0.0,
        processor=np.full(count, 3), socket=np.zeros(4, np.int64), position_latency=np.full(4, 8e-6),
        inside_latency=np.full((4, 4), 2e-6), inside_rate=np.full((4, 4), 22e9), tail=0.005,
    )  # fmt: skip


def _ports_split_in_two(hosts: int) -> Structure:
    """A department: one switch of 400 Gbit/s (NDR), whose ports are split in two for adapters of 200; a rank per host.

    The last quarter of the hosts has large memory and came from the cluster before, with adapters of 100 Gbit/s
    (HDR100): messages take 0.18 us longer at an end, as processors tell. 0.1 us at each end. 0.4 % of readings are
    disturbed by users. The shares and the numbers are chosen here.
    """
    large = 4 * np.arange(hosts) >= 3 * hosts
    return Structure(
        hosts, OneSwitch(hosts), rate=RATE * np.where(large, 1.0, 2.0)[:, None], overhead=np.where(large, 0.18e-6, 0.0),
        processor=np.where(large, 0, 4), position_latency=np.array([0.1e-6]), hyperthreads=0.004,
    )  # fmt: skip


def _lags_of_100_for_hosts_of_25(hosts: int) -> Structure:
    """A faculty: Ethernet of 25 Gbit/s by TCP, two ranks in each host; leaves on one core, 2:1 by cables of 100 Gbit/s.

    Leaves of 16 hosts have two such cables, which count as one link (LACP): the leaf and the core each choose one for
    two hosts, by hashes of their own. Smaller leaves have one. The far socket takes 0.3 us longer, at the whole rate.
    7 us at each end, with a long tail; 0.4 % of readings are longer. The leaves and the numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 1.0, 0.3e-6)
    return replace(
        far, plane=LagCore(_leaves(hosts), 8), rate=np.full((hosts, 1), 0.25 * RATE),
        processor=np.zeros(hosts, np.int64), position_latency=7e-6 + far.position_latency, interrupts=1e-6, tail=0.004,
    )  # fmt: skip


def _dies_of_two_packages(hosts: int) -> Structure:
    """Half of the hosts, of two packages of two dies with a rank on each; Omni-Path, 100 Gbit/s, 8:5 dealt out.

    As Lise of the North German HLRN (Xeon Platinum 9242). Any two of the four dies have a link, so that all are equally
    far from each other: 0.7 us and 14 GB/s. The adapter is on the first die; the three others take 0.15 us longer and
    reach 95 % of the rate. The processor does the work of the adapter, 0.3 us at each end. Tables deal out the
    receivers of a leaf to its uplinks; leaves of 4 hosts are 2:1. 0.3 % of readings are disturbed by daemons. The
    leaves of 4 to 16 hosts, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    other = _in_other_parts(4, 1)
    return Structure(
        count, DealtOut(_leaves(count), 1.59), each=4, processor=np.zeros(count, np.int64), socket=np.arange(4),
        position_rate=np.where(other[0], 0.95, 1.0), position_latency=0.3e-6 + np.where(other[0], 0.15e-6, 0.0),
        inside_latency=np.where(other, 0.7e-6, INSIDE_LATENCY), inside_rate=np.where(other, 14e9, 20e9),
        hyperthreads=0.003,
    )  # fmt: skip


def _connections_in_turns(hosts: int) -> Structure:
    """A university: Ethernet of 100 Gbit/s by TCP, two ranks in each host; 3:1, each step by another connection.

    Two ranks have several connections, as libfabric or Open MPI can open them, and use these in turns: a hash gives
    each its uplink. A core that works for one message reaches 35 Gbit/s, so that two ranks do not fill the adapter. 9
    us at each end, and 0.4 us more on the far socket; readings have a long tail, and 0.5 % are longer. Small leaves are
    4:1. The leaves and the numbers are chosen here.
    """
    return Structure(
        hosts, FatTree(_leaves(hosts), 3, "rehashed"), each=2, processor=np.full(hosts, 3),
        position_rate=np.full(2, 0.35), position_latency=np.array([9e-6, 9.4e-6]),
        inside_latency=_across_sockets(np.arange(2)), interrupts=1.5e-6, tail=0.005,
    )  # fmt: skip


def _fifth_added_with_fewer_uplinks(hosts: int) -> Structure:
    """A GPU and a rank in each host, 200 Gbit/s (NDR200), uplinks of 400; 1:1 adaptive, later leaves 2:1.

    As Pegasus of Tsukuba, to which more of the same hosts were added: here the last fifth of the leaves, at least one,
    for which the spines had half of the ports only. 0.5 us at each end, for the way by the GPU. 0.3 % of readings are
    disturbed by daemons. The leaves of 4 to 16 hosts, the later uplinks and the numbers are chosen here.
    """
    leaf = _leaves(hosts)
    leaves = int(leaf[-1]) + 1
    later = np.arange(leaves) >= leaves - max(1, leaves // 5)
    return Structure(
        hosts, FatTree(leaf, np.where(later, 4.0, 2.0), "adaptive", 4 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 4), position_latency=np.array([0.5e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _arm_dies_on_roce(hosts: int) -> Structure:
    """Half of the hosts, of two ARM sockets of two dies with a rank on each that share 100 Gbit/s; RoCE, 8:3 static.

    As clusters of Chinese universities with Kunpeng 920, whose first die has the network on board: the other die of the
    socket takes 0.06 us longer, those of the second one 0.3 us, at 93 % of the rate. A hash gives each two hosts an
    uplink. 1.1 us at each end; 0.4 % of readings are longer, because switches pause senders. Leaves of 4
    hosts are 4:1. The leaves of 4 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    return Structure(
        count, FatTree(_leaves(count), 2.66, "static"), each=4, processor=np.full(count, 3),
        position_rate=np.repeat([1.0, 0.93], 2), position_latency=1.1e-6 + longer, tail=0.004,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _row_for_each_group(hosts: int) -> Structure:
    """A rank in each host, 200 Gbit/s (Slingshot): each group of a dragonfly is a row of the hall. Routes by load.

    As Shaheen III of KAUST (two EPYC 9654). Eight hosts are on a switch. A cable between groups is 20 m longer for each
    row that it passes, 0.1 us, and a detour takes two of them. The machine has four groups more than the job, or 12 if
    that is more. 0.15 us at each end. 0.3 % of readings are disturbed by daemons. The groups of up to 32 hosts, the
    rows and the numbers are chosen here.
    """
    size = max(4, min(32, hosts // 4))
    group, place = np.divmod(np.arange(hosts), size)
    plane = SlingshotInRows(group, place // 8, max(12, int(group[-1]) + 5), 2 * RATE, 2 * CABLE)
    return Structure(
        hosts, plane, rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _blades_of_three_in_cells(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share 200 Gbit/s (HDR), in cells of a dragonfly+ of two leaves.

    As BullSequana XH2000 of weather services, whose blades have three hosts (two EPYC): blades are on the two leaves of
    their cell in turns. The adapter is on the second socket; the first one takes 0.25 us longer and reaches 96 % of the
    rate. A quarter of the messages between cells takes a third one; the job has all cells but two, and the last one may
    not be full. 0.3 % of readings are disturbed by daemons. The cells of 6 to 18 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = 6 * max(1, min(3, count // 24))
    cell, place = np.divmod(np.arange(count), size)
    blade, slot = np.divmod(place, 3)
    taken = cell * size + blade % 2 * (size // 2) + blade // 2 * 3 + slot
    return replace(
        _far_socket(count, 4, 0.96), plane=PartOfDragonflyPlus(taken, int(cell[-1]) + 3, size, 0.25, 2 * RATE),
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3), turned=np.ones(count, bool),
        hyperthreads=0.003,
    )  # fmt: skip


def _four_dimensions(hosts: int) -> Structure:
    """A torus in four dimensions without switches, a rank in each host; a host sends 6.4 GB/s, cables do 7.5.

    As clusters of Russian institutes with Angara, e.g. Desmos of JIHT (32 hosts, 4 x 2 x 2 x 2), whose adapters have
    the cables: PCIe 2 is narrower than one of them. A message takes one way only. 0.4 % of readings are disturbed by
    daemons. The latencies and the lengths of the sides are chosen here.
    """
    return Structure(
        hosts, Torus(_sides(hosts, 4), 7.5e9), rate=np.full((hosts, 1), 6.4e9), processor=np.zeros(hosts, np.int64),
        hyperthreads=0.004,
    )  # fmt: skip


def _leaf_for_counterparts_of_both_sockets(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 200 Gbit/s each; two rails share a leaf in each pod.

    As national centers with H200 (NDR200): a leaf has the rail of a GPU of the first socket and that of its counterpart
    of the second one. Uplinks have 400 Gbit/s, 2:1, and tables deal out the receivers of a leaf to them. NVSwitch joins
    the GPUs of a host, 360 GB/s; 0.8 us at each end, and 0.1 us more on the second socket. 0.3 % of readings are
    disturbed by daemons. The pods of 2 to 8 hosts, which rails share a leaf and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    pod = np.arange(count) // max(2, min(8, count // 4))
    leaf = np.tile(_leaf_per_rail(pod, 4).reshape(count, 4), 2).ravel()
    return Structure(
        count, DealtOut(leaf, 4, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 4),
        position_latency=np.repeat([0.8e-6, 0.9e-6], 4), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 360e9), hyperthreads=0.003,
    )  # fmt: skip


def _each_message_over_both_adapters(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs whose messages each go over both of two adapters of 100 Gbit/s (HDR100); 3:2.

    As clusters of universities with A100 and UCX, which uses two adapters for a large message by default. Both are on
    the leaf of the host; routes are adaptive. A message fills both adapters, and so the PCIe link of its GPU. NVLink
    joins the GPUs of a host, 80 GB/s for each two; 0.9 us at each end. 0.4 % of readings are disturbed by what prepares
    the data. Small leaves are 8:5. The leaves of 4 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, FatTree(np.repeat(_leaves(count), 2), 1.5, "adaptive"), each=4, rails=2, one_plane=True, striped=True,
        other_rail=0.0, processor=np.full(count, 3), position_latency=np.full(4, 0.9e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 80e9), hyperthreads=0.004,
    )  # fmt: skip


def _machines_of_half_a_server(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: virtual machines of a European cloud, each with half of a server of 8 GPUs and its 4 adapters.

    So of two neighbouring machines one has the first four rails and one the others, of 400 Gbit/s (NDR) each, and every
    rail of a pod has a leaf; 1:1 adaptive. Servers are in no order over the pods. NVSwitch joins the GPUs of a machine,
    360 GB/s, but not those of the other one. 1.5 us at each end; 0.4 % of readings are disturbed by the hypervisor. The
    pods of 2 to 8 servers and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    servers = count // 2
    pod = random.permutation(np.arange(servers) // max(2, min(8, servers // 4)))
    half_of_pod = 2 * pod.repeat(2) + np.arange(count) % 2
    return Structure(
        count, FatTree(_leaf_per_rail(half_of_pod, 4), 1, "adaptive", 4 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 4 * RATE), processor=np.full(count, 4), socket=np.zeros(4, np.int64),
        position_latency=np.full(4, 1.5e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 360e9), hyperthreads=0.004,
    )  # fmt: skip


def _groups_in_a_ring(hosts: int) -> Structure:
    """Half of the hosts, of one ARM processor of 4 memory groups with a rank on each; one switch, 100 Gbit/s (HDR100).

    As the A64FX partition of Isambard 2 (GW4, Bristol), whose 72 hosts fit on one switch of 40 ports that are split in
    two. Groups are in a ring, and the adapter is on the second one: its neighbours take 0.06 us longer, the one
    opposite 0.12 us. Cores are slow: 0.4 us at each end, and a rank reaches 45 % of the rate, so that three fill the
    adapter. 0.2 % of readings are disturbed by daemons. Where the adapter is and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    away = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    steps = np.minimum(away, 4 - away)
    return Structure(
        count, OneSwitch(count), each=4, processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64),
        position_rate=np.full(4, 0.45), position_latency=0.4e-6 + 0.06e-6 * steps[1],
        inside_latency=0.9e-6 + 0.1e-6 * steps, inside_rate=9e9 - 1.5e9 * steps, hyperthreads=0.002,
    )  # fmt: skip


def _two_purchases_on_line_boards(hosts: int) -> Structure:
    """A national laboratory: 56 Gbit/s (FDR), a rank in each host, all on one director switch; the last third is newer.

    As Leftraru of the NLHPC of Chile (Ivy Bridge, 2014), to which Guacolda (2019) was added in the same network. Hosts
    are dealt out to up to 18 line boards, which other boards join 1:1. The older ones stand beside the switch; cables
    to the newer ones are 10 m longer. There messages take 0.12 us less at an end for the processor, as processors tell.
    0.4 % of readings are disturbed by users. The director switch, the shares and the numbers are chosen here.
    """
    rate, old = 0.545 * RATE, 3 * np.arange(hosts) < 2 * hosts
    plane = Director(hosts, max(2, min(18, hosts // 8)), np.where(old, 0.0, CABLE), rate)
    return Structure(
        hosts, plane, rate=np.full((hosts, 1), rate), overhead=np.where(old, 0.12e-6, 0.0),
        processor=np.where(old, 2, 0), position_latency=np.array([0.1e-6]), hyperthreads=0.004,
    )  # fmt: skip


def _passed_through(hosts: int) -> Structure:
    """Virtual machines with the whole adapter of a server, by RoCE of 56 Gbit/s, and of 100 in the last leaves.

    As M3 of MASSIVE (Monash University), which OpenStack runs on Ethernet of Mellanox. Two ranks in each, and leaves of
    up to 16, with an uplink of 100 Gbit/s for four of them: 2.2:1, or 4:1 where adapters have 100. A hash gives each
    two machines an uplink. The last quarter of the leaves, at least one, is of a later phase; on the others messages
    take 0.25 us longer at an end, as processors tell. 1.4 us at each end; the second socket takes 0.3 us longer and
    reaches 94 % of the rate. 0.5 % of readings are longer. The leaves and the numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 2, 0.94, 0.3e-6)
    leaves = int(leaf[-1]) + 1
    old = leaf < leaves - max(1, leaves // 4)
    return replace(
        far, plane=FatTree(leaf, 4, "static"), rate=RATE * np.where(old, 0.545, 1.0)[:, None],
        overhead=np.where(old, 0.25e-6, 0.0), processor=np.where(old, 2, 3),
        position_latency=1.4e-6 + far.position_latency, tail=0.005,
    )  # fmt: skip


def _accelerated_blades(hosts: int) -> Structure:
    """A national center: 56 Gbit/s (FDR), a rank in each host; chassis are leaves, the last ones half as large.

    As Santos Dumont of the LNCC of Brazil (bullx, 2015): chassis of 18 hosts, here of 4 to 18, and chassis of blades
    with two accelerators, which need the room of two. These have a quarter of the hosts or somewhat more, and about
    half as many in each. Leaves are about 3:2, and a receiver has one uplink. 0.2 us at each end; 0.3 % of readings are
    disturbed by daemons. The taper, the shares and the numbers are chosen here.
    """
    rate, few = 0.545 * RATE, max(2, min(9, hosts // 8))
    thin = 3 * hosts // 4 // (2 * few)  # chassis
    rest = hosts - 2 * few * thin
    last = thin + np.arange(rest) * (rest // few) // rest
    leaf = np.concatenate([np.arange(2 * few * thin) // (2 * few), last])
    return Structure(
        hosts, FatTree(leaf, 1.5, "by receiver", rate), rate=np.full((hosts, 1), rate),
        processor=np.full(hosts, 2), position_latency=np.array([0.2e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _hosts_of_a_regional_center(hosts: int, random: np.random.Generator) -> Structure:
    """100 Gbit/s (HDR100), a rank in each host; leaves of up to 32 hosts, 2:1 adaptive, GPU hosts last.

    As FinisTerrae III of CESGA (Galicia): two Ice Lake in each host. Leaves have ports of 200 Gbit/s, of which those
    for hosts are split in two, so an uplink serves four hosts. The last fifth of the hosts has GPUs, behind whose PCIe
    switch the adapter is: 0.16 us longer at an end. Their processors are of another model, as they tell. Hosts vary by
    1 % (standard deviation), as clocks do. 0.3 % of readings are disturbed by daemons. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(32, hosts // 4))
    gpus = 5 * np.arange(hosts) >= 4 * hosts
    return replace(
        _varied(hosts, 0.01, random, hyperthreads=0.003), plane=FatTree(leaf, 4, "adaptive", 2 * RATE),
        overhead=np.where(gpus, 0.16e-6, 0.0), processor=np.where(gpus, 0, 3),
    )  # fmt: skip


def _memory_intensive_hosts(hosts: int) -> Structure:
    """Two ranks in each host, 200 Gbit/s (HDR), 1:1; each message may take another uplink. The last third is newer.

    As COSMA8 of Durham (DiRAC), for the formation of galaxies: two EPYC Rome and 1 TB in each host, and Milan in those
    that were added. Leaves have up to 20 hosts and as many uplinks. On the older hosts messages take 0.07 us longer at
    an end and reach 90 % of the rate within a host, as processors tell. The far socket takes 0.27 us longer and reaches
    97 % of the rate. 0.15 us at each end; 0.2 % of readings are disturbed by daemons. The latencies are chosen here.
    """
    leaf, far = np.arange(hosts) // max(4, min(20, hosts // 4)), _far_socket(hosts, 2, 0.97, 0.27e-6)
    old = 3 * np.arange(hosts) < 2 * hosts
    return replace(
        far, plane=FatTree(leaf, 1, "rehashed", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        overhead=np.where(old, 0.07e-6, 0.0), processor=np.where(old, 3, 4), memory=np.where(old, 0.9, 1.0),
        position_latency=0.15e-6 + far.position_latency, hyperthreads=0.002,
    )  # fmt: skip


def _second_leaf_of_the_first_cell(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share 100 Gbit/s (HDR100), in a dragonfly+; begins within a cell.

    As Betzy of Sigma2 (Trondheim; BullSequana XH2000, two EPYC Rome). The job has the second leaf of its first cell and
    then whole cells, or the beginning of one; the machine has three cells more. 30 % of the messages between cells take
    a third one. The far socket takes 0.26 us longer and reaches 96 % of the rate; 0.12 us at each end. 0.3 % of
    readings are disturbed by daemons. The job, the cells of 4 to 16 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size, far = 4 * max(1, min(4, count // 16)), _far_socket(count, 4, 0.96, 0.26e-6)
    taken = size // 2 + np.arange(count)
    return replace(
        far, plane=PartOfDragonflyPlus(taken, int(taken[-1]) // size + 4, size, 0.3, RATE),
        processor=np.full(count, 3), position_latency=0.12e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _last_cabinet(hosts: int) -> Structure:
    """A dragonfly of groups of two cabinets, the last one of a single cabinet, which came later; a rank in each host.

    As Beskow of PDC (KTH Stockholm; Cray XC40, Aries; Haswell, Broadwell in the last cabinets). Adapters say 100 Gbit/s
    and do 80. The later group has about half of the hosts, and half as many cables to each other group as these have to
    each other. 35 % of the messages between groups take a detour. On the older hosts messages take 0.1 us longer at an
    end, as processors tell; 0.2 us at each end. 0.2 % of readings are disturbed by daemons. There are 2, 4 or 6 groups;
    these and the numbers are chosen here.
    """
    groups = 2 if hosts < 16 else 4 if hosts < 128 else 6
    group = np.arange(hosts) * (2 * groups - 1) // hosts // 2
    few, later = max(1, hosts // (4 * groups * (groups - 1))), np.arange(groups) == groups - 1
    cables = few * np.where(later[:, None] | later[None, :], 1, 2)
    return Structure(
        hosts, Bundles(group, cables, 0.35, RATE), rate=np.full((hosts, 1), 0.8 * RATE),
        overhead=np.where(later, 0.0, 0.1e-6)[group], processor=np.where(later, 2, 0)[group],
        position_latency=np.array([0.2e-6]), hyperthreads=0.002,
    )  # fmt: skip


def _coprocessors_in_a_grid(hosts: int) -> Structure:
    """Half of the hosts, of 4 Xeon Phis with a rank on each, in a grid with a switch for each row and each column.

    As QPACE 2 of Regensburg (2015; Connect-IB, FDR): hosts have two ports of 56 Gbit/s, one on the switch of their row
    and one on that of their column (hyper-crossbar). All Xeon Phis of a host and its adapter are behind one PCIe
    switch, so that they are alike, and share 12.5 GB/s; those of a host exchange 6.5 GB/s. 2.5 us at each end. To
    another row and column the host at the turn passes a message on, 1.5 us more. 0.2 % of readings are disturbed by
    daemons. That hosts pass on messages, and the numbers, are chosen here.
    """
    count, port = max(8, hosts // 2), 0.545 * RATE
    rows, columns = _sides(count, 2)
    return Structure(
        count, HyperCrossbar(rows, columns, port, 1.5e-6), each=4, nominal=np.full((count, 1), port),
        processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64), position_latency=np.full(4, 2.5e-6),
        inside_latency=np.full((4, 4), 4e-6), inside_rate=np.full((4, 4), 6.5e9), hyperthreads=0.002,
    )  # fmt: skip


def _two_tiles_of_four_gpus_on_two_adapters(hosts: int) -> Structure:
    """A quarter of the hosts, of 4 GPUs of two tiles with a rank each; two GPUs share an adapter of 200 Gbit/s, 3:2.

    As Clementina XXI of the weather service of Argentina (Intel Max 1550, HDR), or phase 2 of SuperMUC-NG. Both
    adapters are on the leaf of the rack, and a receiver has one uplink. Tiles of a GPU exchange 190 GB/s, others 25 by
    Xe Link, which joins each GPU to each. The second GPU of a socket is further from the adapter, 0.1 us, and reaches
    92 % of the rate; 0.9 us at each end. 0.3 % of readings are disturbed by daemons. The racks of 2 to 8 hosts, the
    taper and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack, other = np.arange(count) // max(2, min(8, count // 4)), _in_other_parts(8, 2)
    return Structure(
        count, FatTree(np.repeat(rack, 2), 1.5, "by receiver", 2 * RATE), each=8, rails=2, one_plane=True,
        other_rail=0.0, rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 4),
        position_rate=np.tile([1.0, 1.0, 0.92, 0.92], 2), position_latency=np.tile([0.9e-6, 0.9e-6, 1e-6, 1e-6], 2),
        inside_latency=np.where(other, 1.7e-6, 0.9e-6), inside_rate=np.where(other, 25e9, 190e9), hyperthreads=0.003,
    )  # fmt: skip


def _odd_and_even_rails(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs with an adapter of 200 Gbit/s each (NDR200); racks have a leaf for two rails each.

    As Capella of TU Dresden (H100): ports of 400 Gbit/s are split for two adapters. The first and the third adapter of
    a host are on the first leaf of its rack, the others on the second one, so that each leaf has one of each socket.
    Uplinks of 400 Gbit/s, one for three adapters, 3:2 adaptive. NVLink joins the GPUs of a host, 130 GB/s for each two;
    0.6 us at each end. 0.3 % of readings are disturbed by what prepares the data. The racks of 4
    to 16 hosts, the leaves, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = np.tile(_leaf_per_rail(_leaves(count), 2).reshape(count, 2), 2).ravel()
    return Structure(
        count, FatTree(leaf, 3, "adaptive", 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4), position_latency=np.full(4, 0.6e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 130e9), hyperthreads=0.003,
    )  # fmt: skip


def _migration_of_an_oil_company(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs, two of which share an adapter of 200 Gbit/s (HDR); 4:1.

    As seismic clusters of an oil company of Brazil (A100), whose jobs are many and small, so that the tree is narrow.
    All adapters of a rack are on its leaf, which has drawn an uplink for each receiver at random. Two GPUs and their
    adapter are behind one PCIe switch, so that all GPUs are alike. NVSwitch joins those of a host, 230 GB/s; 0.8 us at
    each end. 0.4 % of readings are disturbed by what reads the data. The adapters, the racks of 2 to 8 hosts, the taper
    and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    return Structure(
        count, ScatteredPorts(np.repeat(rack, 4), 4, 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 0.8e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 230e9), hyperthreads=0.004,
    )  # fmt: skip


def _every_third_chassis_older(hosts: int) -> Structure:
    """A design office of an engineering firm: one Ethernet switch of 40 Gbit/s, iWARP, and a rank in each host.

    Chassis have four hosts. Every third one, from the second on, is of an older purchase (Xeon E5 v4), whose messages
    take 0.4 us longer. The adapters do TCP themselves (Chelsio T5), 2.2 us at each end. 0.4 % of readings are disturbed
    by daemons. The order of the chassis and the numbers are chosen here.
    """
    older = np.arange(hosts) // 4 % 3 == 1
    return Structure(
        hosts, OneSwitch(hosts), rate=np.full((hosts, 1), 0.4 * RATE), position_latency=np.array([2.2e-6]),
        overhead=np.where(older, 0.4e-6, 0.0), processor=np.where(older, 2, 0), hyperthreads=0.004,
    )  # fmt: skip


def _ten_to_three_on_one_core(hosts: int) -> Structure:
    """Half of the hosts, of two sockets with two NUMA nodes each and a rank on each node; 100 Gbit/s to one core, 10:3.

    As an aerospace company with EDR. Leaves of 20 hosts have 6 cables to the core switch; tables give each receiver one
    of them up and one down. The adapter is on the second node: the first takes 0.06 us longer, the other socket 0.3 us,
    at 92 % of the rate. 0.2 us at each end. 0.3 % of readings are disturbed by daemons. Leaves of 4 hosts are 4:1.
    The leaves of 4 to 20 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    return Structure(
        count, OneCore(np.arange(count) // max(4, min(20, count // 4)), 3.33), each=4, hyperthreads=0.003,
        processor=np.zeros(count, np.int64), position_rate=np.array([1.0, 1.0, 0.92, 0.92]),
        position_latency=0.2e-6 + longer[[1, 0, 2, 3]], **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _forecasts_on_omni_path(hosts: int) -> Structure:
    """A weather service: Omni-Path, 100 Gbit/s, two ranks in each host; 9:4, tables that change, adapter on socket 2.

    As clusters of the Nordic weather services (two Xeon E5 v4). Leaves of 18 hosts have 8 uplinks. The first socket
    takes 0.2 us longer and reaches 95 % of the rate. The processor does the work of the adapter, 0.35 us at each end.
    0.4 % of readings are disturbed by daemons. Leaves of 4 hosts are 4:1. The leaves of 4 to 18 hosts, the side of the
    adapter and the numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.95, 0.2e-6)
    return replace(
        far, plane=Tables(np.arange(hosts) // max(4, min(18, hosts // 4)), 2.25), processor=np.full(hosts, 2),
        turned=np.ones(hosts, bool), position_latency=0.35e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _second_host_of_each_tray_warmer(hosts: int) -> Structure:
    """An automotive company: a rank in each host, 200 Gbit/s (NDR200), uplinks of 400; 7:2 adaptive.

    Trays have two hosts, which the same water cools one after the other (as Lenovo's SD650): the second one has lower
    clocks, and its messages take 0.1 us longer. 14 hosts of a leaf have two uplinks. 0.15 us at each end; 0.3 % of
    readings are disturbed by daemons. Leaves of up to 8 hosts have one uplink. The leaves of 4 to 14 hosts and the
    numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(14, hosts // 4))
    return Structure(
        hosts, FatTree(leaf, 7, "adaptive", 4 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        overhead=np.where(np.arange(hosts) % 2 == 1, 0.1e-6, 0.0), processor=np.full(hosts, 4),
        position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _risk_grid(hosts: int) -> Structure:
    """A bank: Ethernet of 10 Gbit/s by TCP, a rank in each host; uplinks of 40 Gbit/s, 3:1 static.

    24 hosts of a rack have two uplinks, of which a hash gives each two hosts one. The first racks have adapters that
    pass by the kernel (Onload of Solarflare), 0.9 us at each end; in the last third of the racks, at least one, the
    kernel takes 3.5 us more. 0.3 % of readings are longer. Small racks have one uplink. The racks of 4 to 24
    hosts and the numbers are chosen here.
    """
    rack = np.arange(hosts) // (24 if hosts >= 96 else 12 if hosts >= 48 else max(4, hosts // 4))
    racks = int(rack[-1]) + 1
    return Structure(
        hosts, FatTree(rack, 12, "static", 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        overhead=np.where(rack >= racks - max(1, racks // 3), 3.5e-6, 0.0), processor=np.zeros(hosts, np.int64),
        position_latency=np.array([0.9e-6]), tail=0.003,
    )  # fmt: skip


def _reservoirs(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 ranks on two sockets that share 100 Gbit/s (EDR); 12:7, receivers dealt out.

    As oil companies with two Xeon Skylake, e.g. HPC4 of Eni without its GPUs. Tables deal out the receivers of a leaf
    to its uplinks: 12 hosts have 7. The far socket takes 0.22 us longer and reaches 94 % of the rate; 0.2 us at each
    end. 0.3 % of readings are disturbed by daemons. Leaves of 4 hosts are 2:1. The leaves of 4 to 12 hosts, the taper
    and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    far = _far_socket(count, 8, 0.94, 0.22e-6)
    return replace(
        far, plane=DealtOut(np.arange(count) // max(4, min(12, count // 4)), 1.71), processor=np.zeros(count, np.int64),
        position_latency=0.2e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _blocks_in_turns_over_groups(hosts: int) -> Structure:
    """A weather service: a rank in each host, 100 Gbit/s (Slingshot-10, RoCE), cables of 200; routes by load.

    As the Cray EX of the US Air Force or of NOAA (two EPYC). Blocks of 8 hosts, each on a switch, are in turns in the
    four groups that the job has of a dragonfly of nine; so are smaller blocks of a small job, which share a
    switch with the next one of their group. 0.5 us at each end. 0.3 % of readings are disturbed by daemons. The order,
    the blocks of 2 to 8 hosts and the numbers are chosen here.
    """
    block = max(2, min(8, hosts // 8))
    number, place = np.divmod(np.arange(hosts), block)
    plane = Slingshot(number % 4, (number // 4 * block + place) // 8, 9, 2 * RATE)
    return Structure(hosts, plane, processor=np.full(hosts, 3), position_latency=np.array([0.5e-6]), hyperthreads=0.003)


def _cells_of_a_seismic_company(hosts: int) -> Structure:
    """A dragonfly+ of 200 Gbit/s (HDR), two ranks in each host; PCIe 3 lets an adapter reach 110 Gbit/s.

    As oil companies with two Xeon Cascade Lake, e.g. Dammam-7 of Saudi Aramco. The job begins in the middle of a cell,
    whose first half has service hosts, and the machine has one cell more than the job. 15 % of the messages between
    cells take a third one. The far socket takes 0.25 us longer and reaches 96 % of the rate. 0.2 us at each end. 0.4 %
    of readings are disturbed by daemons. The dragonfly+, the cells of 4 to 24 hosts and the numbers are chosen here.
    """
    size = max(4, min(24, hosts // 4))
    taken = size // 2 + np.arange(hosts)
    far = _far_socket(hosts, 2, 0.96)
    plane = PartOfDragonflyPlus(taken, int(taken[-1]) // size + 2, size, 0.15, 2 * RATE)
    return replace(
        far, plane=plane, rate=np.full((hosts, 1), 1.1 * RATE), nominal=np.full((hosts, 1), 2 * RATE),
        processor=np.zeros(hosts, np.int64), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _grid_of_one_socket_hosts(hosts: int) -> Structure:
    """Half of the hosts, of one EPYC of 4 NUMA nodes with a rank on each, 100 Gbit/s; switches in a grid (HyperX).

    As an engineering firm that lets others compute could build it without spines: 4 or 8 hosts on a switch, joined to
    all of its row and of its column, by 2 or 4 cables each that count as one. The adapter is on the third node; the
    others take 0.05 us longer, and so do messages between any two nodes, at 14 GB/s. 0.25 us at each end. 0.3 % of
    readings are disturbed by daemons. Small numbers have 2 hosts on a switch. The grid and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = next(size for size in (8, 4, 2) if count % size == 0 and count >= 4 * size)
    other = _in_other_parts(4, 1)
    return Structure(
        count, HyperX(*_nearly_square(count // size), size), each=4, processor=np.full(count, 3),
        socket=np.zeros(4, np.int64), position_latency=0.25e-6 + np.where(other[2], 0.05e-6, 0.0),
        inside_latency=np.where(other, INSIDE_LATENCY + 0.05e-6, INSIDE_LATENCY),
        inside_rate=np.where(other, 14e9, 20e9), hyperthreads=0.003,
    )  # fmt: skip


def _flowlets_above_four_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs that share 4 adapters of 200 Gbit/s; a leaf for each rail of a pod, RoCE, 6:5.

    As internet companies with A800. Six hosts make a pod, and a leaf has 5 uplinks, of which a message takes the one
    with the least load when it begins. NVSwitch joins the GPUs of a host, 180 GB/s; 1.1 us at each end. 0.4 % of
    readings are disturbed by what prepares the data. Smaller pods are up to 2:1. The pods of 2 to 6 hosts and the
    numbers are chosen here.
    """
    count = max(8, hosts // 4)
    size = max(2, min(6, count // 4))
    leaf = _leaf_per_rail(np.arange(count) // size, 4)
    return Structure(
        count, Flowlets(leaf, size * 5 // 6, 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 1.1e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 180e9), hyperthreads=0.004,
    )  # fmt: skip


def _gpus_joined_each_with_each(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s each (RoCE); a leaf for each rail of a pod, 4:3.

    As companies that rent out MI300X: any two GPUs of a host have a link of 48 GB/s, and there is no switch between
    them. 8 adapters of a leaf have three uplinks of 800 Gbit/s; a hash gives each two adapters one. 1.2 us at each end,
    and 0.15 us more on the second socket. 0.4 % of readings are disturbed by what prepares the data. Pods of up to 5
    hosts have one uplink for each rail. The pods of 2 to 8 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(8, count // 4)), 8)
    return Structure(
        count, FatTree(leaf, 2.66, "static", 8 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.repeat([1.2e-6, 1.35e-6], 4), inside_latency=np.full((8, 8), 1.5e-6),
        inside_rate=np.full((8, 8), 48e9), hyperthreads=0.004,
    )  # fmt: skip


def _machines_with_ports_on_two_leaves(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts: virtual machines of 8 GPUs and two adapters of two ports of 100 Gbit/s; 3:2 static.

    As Vela of IBM's cloud (A100, RoCE). A machine has a whole server, and machines are in no order over racks of six.
    A rack has two leaves, each with one port of each adapter; two GPUs use a port. A hash gives each two ports an
    uplink: 12 ports have 8. NVSwitch joins the GPUs of a machine, 240 GB/s; 1.9 us at each end. 0.4 % of readings are
    disturbed by the hypervisor. Racks of 2 hosts are 2:1. The racks of 2 to 6 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = random.permutation(np.arange(count) // max(2, min(6, count // 4)))
    leaf = np.tile(_leaf_per_rail(rack, 2).reshape(count, 2), 2).ravel()
    return Structure(
        count, FatTree(leaf, 1.5, "static"), each=8, rails=4, one_plane=True, other_rail=0.0,
        processor=np.zeros(count, np.int64), position_latency=np.full(8, 1.9e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 240e9), hyperthreads=0.004,
    )  # fmt: skip


def _dies_without_memory(hosts: int) -> Structure:
    """A department: half of the hosts, of one processor of four dies with a rank on each; one switch of 100 Gbit/s.

    As workstations with Threadripper 2990WX of a laboratory in India (EDR): dies 0 and 2 have memory and PCIe, dies 1
    and 3 neither, so that these reach all memory by another die. The adapter is on die 0: die 2 takes 0.1 us longer and
    reaches 96 % of the rate, dies 1 and 3 take 0.16 us longer and reach 80 %. Two dies with memory exchange 16 GB/s,
    others 8. 0.2 us at each end; 0.5 % of readings are disturbed by users. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    bare, other = np.arange(4) % 2 == 1, _in_other_parts(4, 1)
    slow = bare[:, None] | bare[None, :]
    return Structure(
        count, OneSwitch(count), each=4, processor=np.zeros(count, np.int64), socket=np.zeros(4, np.int64),
        position_rate=np.array([1.0, 0.8, 0.96, 0.8]), position_latency=np.array([0.2e-6, 0.36e-6, 0.3e-6, 0.36e-6]),
        inside_latency=INSIDE_LATENCY + np.where(slow, 0.15e-6, 0.1e-6) * other, inside_rate=np.where(slow, 8e9, 16e9),
        hyperthreads=0.005,
    )  # fmt: skip


def _reserved_hosts(hosts: int, random: np.random.Generator) -> Structure:
    """A testbed of American universities: bare hosts of 10 Gbit/s that were reserved, in no order; one core.

    As the Haswell hosts of Chameleon (2015): up to 42 in a rack behind its leaf, here with an uplink of 40 Gbit/s for
    seven hosts, 7:4; small racks have less taper. The uplinks of a leaf count as one link (LACP): leaf and core each
    have a hash for each two hosts. TCP by the kernel, 9 us at each end, with a long tail; 0.4 % of readings are longer.
    The racks, the uplinks and the numbers are chosen here.
    """
    rack = random.permutation(np.arange(hosts) // max(4, min(42, hosts // 4)))
    size = np.bincount(rack)
    return Structure(
        hosts, LagCore(rack, size / (np.ceil(size / 7) + 0.5), 0.4 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        processor=np.full(hosts, 2), position_latency=np.array([9e-6]), interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _supercomputing_mission(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share 100 Gbit/s (HDR100); uplinks of 200, one for three hosts.

    As systems of India's National Supercomputing Mission, e.g. PARAM Pravega of IISc (Cascade Lake): 3:2, and a
    receiver has one uplink. The last eighth of the hosts, four or more, has GPUs and another processor: the adapter is
    behind a PCIe switch, and messages take 0.1 us longer at an end. The far socket takes 0.25 us longer and reaches
    95 % of the rate. 0.3 % of readings are disturbed by daemons. The leaves of 6 to 24 hosts, of which the last one may
    not be full, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    gpus = np.arange(count) >= count - max(4, count // 8)
    return replace(
        _far_socket(count, 4, 0.95),
        plane=FatTree(np.arange(count) // (6 * max(1, min(4, count // 24))), 3, "by receiver", 2 * RATE),
        overhead=np.where(gpus, 0.1e-6, 0.0), processor=np.where(gpus, 0, 3), hyperthreads=0.003,
    )  # fmt: skip


def _institute_of_solid_state_physics(hosts: int) -> Structure:
    """A Japanese institute: two ranks in each host share 100 Gbit/s (HDR100); leaves of 36 hosts, 9:4 adaptive.

    As Ohtaka of ISSP, University of Tokyo (two EPYC 7702). A leaf has an uplink of 200 Gbit/s for four or five hosts;
    small leaves are about 2:1. The far socket takes 0.28 us longer and reaches 94 % of the rate. 0.1 us at each end.
    0.3 % of readings are disturbed by daemons. The leaves of 4 to 36 hosts, the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(36, hosts // 4))
    size = np.bincount(leaf)
    far = _far_socket(hosts, 2, 0.94, 0.28e-6)
    return replace(
        far, plane=FatTree(leaf, size / (np.ceil(size / 4.5) + 0.5), "adaptive", 2 * RATE),
        processor=np.full(hosts, 3), position_latency=0.1e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _platform_of_universities(hosts: int) -> Structure:
    """Virtual machines of a cloud of Japanese universities, two on each server, that share 25 Gbit/s; a rank in each.

    As mdx (2021; VMware, SR-IOV): packets between servers go by tunnels (VXLAN), which adapters make, 0.4 us; two
    machines of a server exchange messages inside their adapter. A leaf has an uplink of 100 Gbit/s for eight servers,
    2:1, and a hash gives each two machines one; small leaves do not block. 1.8 us at each end; 0.5 % of readings are
    disturbed by the hypervisor. The leaves of 2 to 16 servers, the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(32, hosts // 4))
    return Structure(
        hosts, FatTree(leaf, 16, "static"), guests=2, tunnel=0.4e-6, rate=np.full((hosts, 1), 0.25 * RATE),
        processor=np.full(hosts, 3), position_latency=np.array([1.8e-6]), hyperthreads=0.005,
    )  # fmt: skip


def _analysis_hosts_last(hosts: int) -> Structure:
    """Atmospheric research: 40 Gbit/s (FDR10), a rank in each host; leaves of 18, 1:1 at both of two levels.

    As Yellowstone of NCAR (2012 to 2017) with the hosts of Geyser, for analysis, on the same network. Tables deal out
    the receivers of a leaf, and those of two leaves, to the uplinks; cables between pairs of leaves are 30 m longer.
    The last eighth of the hosts, four or more, has older processors of four sockets and PCIe 2 with 26 Gbit/s: 0.3 us
    longer at an end, as these tell. 0.15 us at each end; 0.3 % of readings are disturbed by daemons. The leaves of up
    to 18 hosts, the pairs and the numbers are chosen here.
    """
    rate, leaf = 0.4 * RATE, np.arange(hosts) // max(2, min(18, hosts // 8))
    old = np.arange(hosts) >= hosts - max(4, hosts // 8)
    return Structure(
        hosts, Stacked(DealtOut(leaf, 1, rate), DealtOut(leaf // 2, 1, rate), 3 * CABLE),
        rate=np.where(old, 0.26 * RATE, rate)[:, None], nominal=np.full((hosts, 1), rate),
        overhead=np.where(old, 0.3e-6, 0.0), processor=np.where(old, 0, 2), position_latency=np.array([0.15e-6]),
        hyperthreads=0.003,
    )  # fmt: skip


def _four_adapters_on_leaves_of_sockets(hosts: int) -> Structure:
    """Half of the hosts, of 4 GPUs on PCIe with an adapter of 100 Gbit/s each (HDR100); a leaf for each socket; 1:1.

    As Cygnus of Tsukuba (V100, two Skylake), whose network does not block: here the two adapters of a socket are on one
    leaf of the rack and those of the other one on another. Tables deal out the receivers of a leaf to its uplinks. Two
    GPUs of a socket exchange 10 GB/s, others 7 GB/s and 0.6 us later. 0.9 us at each end. 0.3 % of readings are
    disturbed by daemons. The leaves, the racks of 4 to 16 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 2)
    far = _in_other_parts(4, 2)
    return Structure(
        count, DealtOut(_leaf_per_rail(_leaves(count), 2).repeat(2), 1), each=4, rails=4, one_plane=True,
        other_rail=0.0, processor=np.zeros(count, np.int64), position_latency=np.full(4, 0.9e-6),
        inside_latency=np.where(far, 2.2e-6, 1.6e-6), inside_rate=np.where(far, 7e9, 10e9), hyperthreads=0.003,
    )  # fmt: skip


def _adapters_in_turns_on_two_leaves(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with 4 adapters of 200 Gbit/s (HDR), in turns on two leaves of the rack; 8:5.

    As AIRAWAT of C-DAC Pune (A100): two GPUs and their adapter share a PCIe switch. The first and the third adapter are
    on one leaf and the others on another, so that each socket has an adapter on both; routes are adaptive. NVSwitch
    joins the GPUs of a host, 230 GB/s. 0.8 us at each end; 0.4 % of readings are disturbed by what prepares the data.
    Small leaves are 2:1. The leaves, the taper, the racks of 2 to 8 hosts and the latencies are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(8, count // 4))
    leaf = np.tile(_leaf_per_rail(rack, 2).reshape(count, 2), 2).ravel()
    return Structure(
        count, FatTree(leaf, 1.59, "adaptive", 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 0.8e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 230e9), hyperthreads=0.004,
    )  # fmt: skip


def _two_pods_with_uplinks_of_800(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs with an adapter of 400 Gbit/s each, in two pods with a leaf for each rail.

    As SAKURAONE of Sakura Internet (H100, RoCE, switches with SONiC). A leaf has an uplink of 800 Gbit/s for two hosts,
    1:1, and a hash gives each two adapters one of them, which stays. NVSwitch joins the GPUs of a host, 360 GB/s. 1.3
    us at each end; 0.3 % of readings are longer, because switches pause senders. The latencies are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(2 * np.arange(count) // count, 8)
    return Structure(
        count, FatTree(leaf, 2, "static", 8 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 1.3e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9), tail=0.003,
    )  # fmt: skip


def _begins_within_a_cell(hosts: int) -> Structure:
    """A weather institute: 200 Gbit/s (HDR), a rank in each host; a dragonfly+, and a job from the middle of a cell on.

    As Arka of IITM Pune (BullSequana XH2000, two EPYC Milan). The job has the second leaf of the first cell, then all
    hosts of the following cells in order, and what remains of the last one; the machine has three cells more. 30 % of
    the messages between cells take a third one. 0.15 us at each end; 0.3 % of readings are disturbed by daemons. The
    job, the cells of 4 to 24 hosts and the numbers are chosen here.
    """
    size = 4 * max(1, min(6, hosts // 16))
    taken = size // 2 + np.arange(hosts)
    return Structure(
        hosts, PartOfDragonflyPlus(taken, int(taken[-1]) // size + 4, size, 0.3, 2 * RATE),
        rate=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 3), position_latency=np.array([0.15e-6]),
        hyperthreads=0.003,
    )  # fmt: skip


def _in_turns_on_four_switches(hosts: int) -> Structure:
    """Two ranks in each host share 100 Gbit/s in a dragonfly with cables of 200 Gbit/s (Slingshot 10); routes by load.

    As Fawbush and Miller of the U.S. Air Force at ORNL (HPE Cray EX, two EPYC 7742): blades have four hosts, which are
    on the four switches of their chassis, one on each. The adapter is on the second socket; the first one takes 0.3 us
    longer and reaches 96 % of the rate. The machine has two groups more than the job. 0.25 us at each end, and 0.3 % of
    readings are disturbed by daemons. How blades are joined, the groups of 4 to 16 hosts and the numbers are chosen
    here.
    """
    group = _leaves(hosts)
    far = _far_socket(hosts, 2, 0.96, 0.3e-6)
    return replace(
        far, plane=Slingshot(group, places_in(group) % 4, int(group[-1]) + 3, 2 * RATE), processor=np.full(hosts, 3),
        turned=np.ones(hosts, bool), position_latency=0.25e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _six_cables_on_one_pcie_link(hosts: int) -> Structure:
    """A torus in three dimensions without switches, two ranks in each host; cables of 100 Gbit/s do 11 GB/s.

    As PARAM Rudra of C-DAC with Trinetra, whose adapters have six ports. All of them share one link of PCIe 3, 12.5
    GB/s in each direction, so that a host hardly feeds more than one cable; messages of others pass its adapter only.
    The far socket takes 0.25 us longer and reaches 80 % of the rate of PCIe, 10 GB/s. 0.4 us at each end; 0.4 % of
    readings are disturbed by daemons. The lengths of the sides and the numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.8)
    return replace(
        far, plane=Torus(_sides(hosts), 11e9), processor=np.zeros(hosts, np.int64),
        position_latency=0.4e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _chassis_of_blades_on_one_core(hosts: int) -> Structure:
    """Two ranks in each host, 100 Gbit/s (EDR); chassis of 24 blades with a switch each, all on one core switch, 2:1.

    As Merlin 6 of the Paul Scherrer Institute (HPE Apollo, two Skylake in each blade). A chassis has 12 cables to the
    core; tables give each receiver one of them up and one down. The last quarter of the slots of each chassis has
    blades with more memory, whose modules are clocked lower: 88 % of the rate within a host. The far socket takes 0.24
    us longer and reaches 94 % of the rate; 0.2 us at each end. 0.3 % of readings are disturbed by daemons. The chassis
    of 4 to 24 blades, the taper, the slots and the numbers are chosen here.
    """
    size = max(4, min(24, hosts // 4))
    chassis, far = np.arange(hosts) // size, _far_socket(hosts, 2, 0.94, 0.24e-6)
    return replace(
        far, plane=OneCore(chassis, 2), memory=np.where(4 * places_in(chassis) >= 3 * size, 0.88, 1.0),
        processor=np.zeros(hosts, np.int64), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _cards_of_a_prototype(hosts: int, random: np.random.Generator) -> Structure:
    """Ethernet of 1 Gbit/s by TCP, a rank in each host; boards of up to 15 cards with a switch each, all on one core.

    As the Mont-Blanc prototype of BSC (2015): a card is an ARM processor of a mobile phone, with Ethernet by USB 3. A
    board has two cables of 10 Gbit/s to the core, which count as one link (LACP): board and core each have a hash for
    each two cards. The processor is the limit of what a card sends and receives, so that cards vary by 1.5 % (standard
    deviation). 24 us at each end, with a long tail; 0.3 % of readings are longer. The core and the numbers are chosen
    here.
    """
    boards = max(4, -(-hosts // 15))
    board, nominal = np.arange(hosts) * boards // hosts, np.full((hosts, 1), 0.01 * RATE)
    return Structure(
        hosts, LagCore(board, np.bincount(board) / 2.5, 0.1 * RATE), nominal=nominal,
        rate=0.93 * nominal * np.exp(0.015 * random.standard_normal((hosts, 1))), processor=np.zeros(hosts, np.int64),
        position_latency=np.array([24e-6]), interrupts=3e-6, tail=0.003,
    )  # fmt: skip


def _eleven_to_four_dealt_out(hosts: int) -> Structure:
    """Half of the hosts, of two sockets with two NUMA nodes each and a rank on each node; 100 Gbit/s (HDR100), 11:4.

    As Puhti of CSC (two Cascade Lake, sub-NUMA clusters). Leaves of 44 hosts have 8 uplinks of 200 Gbit/s, to which
    tables deal out the receivers of a leaf; smaller leaves are 2:1 to 11:4. The adapter is on the third node: the
    fourth one takes 0.06 us longer, the first socket 0.3 us, at 93 % of the rate. 0.18 us at each end; 0.3 % of
    readings are disturbed by daemons. The leaves of 4 to 44 hosts, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = max(4, min(44, count // 4))
    plane = DealtOut(np.arange(count) // size, size / (-(-size // 5.5) + 0.5), 2 * RATE)
    longer, inside = _numa_places(4)
    return Structure(
        count, plane, each=4, hyperthreads=0.003,
        processor=np.zeros(count, np.int64), position_rate=np.array([0.93, 0.93, 1.0, 1.0]),
        position_latency=0.18e-6 + longer[[2, 3, 0, 1]], **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _shared_by_norwegian_universities(hosts: int, random: np.random.Generator) -> Structure:
    """56 Gbit/s (FDR), a rank in each host; leaves of 16 hosts with 10 uplinks, 8:5; a receiver has one uplink.

    As Abel of the University of Oslo (2012, two Sandy Bridge in each host). Hosts vary by 0.7 % (standard deviation),
    as clocks do. 0.2 us at each end; 0.4 % of readings are disturbed by daemons. Leaves of 4 hosts are 2:1. The leaves
    of 4 to 16 hosts, the taper and the numbers are chosen here.
    """
    nominal = np.full((hosts, 1), 0.545 * RATE)
    return Structure(
        hosts, FatTree(_leaves(hosts), 1.59, "by receiver", 0.545 * RATE), nominal=nominal,
        rate=nominal * np.exp(0.007 * random.standard_normal((hosts, 1))), processor=np.full(hosts, 2),
        position_latency=np.array([0.2e-6]), hyperthreads=0.004,
    )  # fmt: skip


def _cooled_by_warm_water(hosts: int) -> Structure:
    """200 Gbit/s (HDR), a rank in each host; leaves of 24 hosts with 9 uplinks, 8:3 adaptive.

    As Barnard of TU Dresden (2023; BullSequana XH2000, two Sapphire Rapids). The water that cools the hosts becomes
    warmer during the run, and clocks lower: 1.5 % at its end. 0.15 us at each end; 0.2 % of readings are disturbed by
    daemons. Leaves of 4 hosts are 4:1. The leaves of 4 to 24 hosts, the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(24, hosts // 4))
    return Structure(
        hosts, FatTree(leaf, 2.66, "adaptive", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 4), position_latency=np.array([0.15e-6]), hyperthreads=0.002, drift=0.015,
    )  # fmt: skip


def _cloud_of_norwegian_universities(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines, two on each server with 100 Gbit/s, of which each sends and receives up to 60. A rank in each.

    As NREC of Oslo and Bergen (OpenStack), with functions of an adapter (SR-IOV) that have a limit. Also between the
    machines of a server, messages take the links of both to the adapter. Tunnels between servers take 0.3 us. Servers
    are in no order over the leaves of up to 16, with 6 uplinks of 100 Gbit/s, 8:3, of which a message may take another
    one in each step; small leaves have one, 2:1 or 4:1. 1.7 us at each end; 0.5 % of readings are disturbed by the
    hypervisor. The adapters, the limit, the leaves of 2 to 16 servers and the numbers are chosen here.
    """
    size = max(4, min(32, hosts // 4))  # machines
    leaf = random.permutation(np.arange(hosts // 2) // (size // 2)).repeat(2)
    return Structure(
        hosts, FatTree(leaf, 5, "rehashed"), guests=2, pcie=0.6 * RATE, tunnel=0.3e-6, processor=np.full(hosts, 3),
        position_latency=np.array([1.7e-6]), hyperthreads=0.005,
    )  # fmt: skip


def _switch_for_each_rail_of_eight(hosts: int) -> Structure:
    """Half of the hosts, of 4 accelerated processors with an adapter of 200 Gbit/s each; a dragonfly, routes by load.

    As Hunter of HLRS (2025; HPE Cray EX, MI300A, Slingshot 11). Eight hosts have four switches of a group, one for each
    rail, so that another rail is a hop further. Of four adapters of a group there is one cable to each other one; the
    machine has one group more than the job. Any two processors of a host exchange 96 GB/s. 0.6 us at each end; 0.2 % of
    readings are disturbed by daemons. How adapters are joined, the groups of 4 to 16 hosts and the numbers are chosen
    here.
    """
    count = max(8, hosts // 2)
    group = _leaves(count)
    switch = (4 * (places_in(group) // 8))[:, None] + np.arange(4)
    return Structure(
        count, Slingshot(np.repeat(group, 4), switch.ravel(), int(group[-1]) + 2, 2 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4),
        position_latency=np.full(4, 0.6e-6), inside_latency=np.full((4, 4), 1.2e-6),
        inside_rate=np.full((4, 4), 96e9), hyperthreads=0.002,
    )  # fmt: skip


def _without_the_first_blades_of_cells(hosts: int) -> Structure:
    """A weather center: two ranks in each host share 100 Gbit/s (HDR100) in a dragonfly+; the job has parts of cells.

    As a complex of ECMWF in Bologna (2022; BullSequana XH2000, two EPYC Rome). The first quarter of the hosts of each
    cell, half of those of its first leaf, is for other work, and the job has all others of as many cells as it needs;
    the machine has three cells more. 20 % of the messages between cells take a third one. The far socket takes 0.3 us
    longer and reaches 95 % of the rate; 0.15 us at each end. 0.2 % of readings are disturbed by daemons. The job, the
    cells of 8 to 24 hosts and the numbers are chosen here.
    """
    size, far = 8 * max(1, min(3, hosts // 32)), _far_socket(hosts, 2, 0.95, 0.3e-6)
    cell, place = np.divmod(np.arange(hosts), 3 * size // 4)
    taken = cell * size + size // 4 + place
    return replace(
        far, plane=PartOfDragonflyPlus(taken, int(cell[-1]) + 4, size, 0.2, RATE), processor=np.full(hosts, 3),
        position_latency=0.15e-6 + far.position_latency, hyperthreads=0.002,
    )  # fmt: skip


def _torus_between_gpus(hosts: int) -> Structure:
    """A torus in three dimensions of hosts with 2 GPUs, a rank on each, and one adapter with six links of 34 Gbit/s.

    As QUonG of INFN in Rome (2012; APEnet+, M2075, 4 x 2 x 2 hosts). A link does 2.2 GB/s, and PCIe 2 lets the adapter
    reach 2.8. It reads the memory of the first GPU itself, 1.5 GB/s; the second one is behind the other I/O hub, 0.7 us
    longer and 1.1 GB/s. Within a host, messages go by the memory of the processor, 8 us and 2.5 GB/s. 2.9 us at each
    end; 0.3 % of readings are disturbed by users. The lengths of the sides, the hubs and the numbers are chosen here.
    """
    return Structure(
        hosts, Torus(_sides(hosts), 2.2e9), each=2, rate=np.full((hosts, 1), 2.8e9),
        nominal=np.full((hosts, 1), 0.4 * RATE), processor=np.full(hosts, 2),
        position_rate=np.array([1.5, 1.1]) / 2.8, position_latency=np.array([2.9e-6, 3.6e-6]),
        inside_latency=np.full((2, 2), 8e-6), inside_rate=np.full((2, 2), 2.5e9), hyperthreads=0.003,
    )  # fmt: skip


def _one_host_fewer_in_the_last_unit(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs with an adapter of 400 Gbit/s (NDR) each; a leaf for each rail of a unit.

    As Gefion (Denmark, 2024; DGX H100): the last unit has one host fewer, whose ports the manager of the network has.
    There are four units of 2 to 16 hosts, 1:1 adaptive. Messages to another rail cross NVSwitch in the sending host
    first (PXN of NCCL), 0.9 us. NVSwitch joins the GPUs of a host, 360 GB/s. 0.9 us at each end; 0.3 % of readings are
    disturbed by what prepares the data. Of 8 hosts each unit has two. The number of units and the numbers are chosen
    here.
    """
    count = max(8, hosts // 4 - 1)
    return Structure(
        count, FatTree(_leaf_per_rail(4 * np.arange(count) // count, 8), 1, "adaptive", 4 * RATE), each=8, rails=8,
        one_plane=True, relayed=True, other_rail=0.9e-6, rate=np.full((count, 8), 4 * RATE),
        processor=np.full(count, 4), position_latency=np.full(8, 0.9e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 360e9), hyperthreads=0.003,
    )  # fmt: skip


def _adapter_behind_one_pcie_switch(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 GPUs; those of each socket share an adapter of 200 Gbit/s (HDR); 4:3 dealt out.

    As the hosts with 8 A100 of Helix (Heidelberg). A rack has a leaf for each of the two adapters; 8 hosts have 6
    uplinks. A socket has two PCIe switches with two GPUs each, and the adapter is behind the first one: GPUs of the
    other one take 0.2 us longer and reach 80 % of the rate. NVSwitch joins the GPUs of a host, 235 GB/s; 0.7 us at each
    end. 0.4 % of readings are disturbed by what prepares the data. The smallest leaves are 2:1. The adapters, the racks
    of 2 to 8 hosts, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(8, count // 4)), 2)
    return Structure(
        count, DealtOut(leaf, 1.33, 2 * RATE), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3),
        position_rate=np.tile([1.0, 1.0, 0.8, 0.8], 2), position_latency=np.tile([0.7e-6, 0.7e-6, 0.9e-6, 0.9e-6], 2),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 235e9), hyperthreads=0.004,
    )  # fmt: skip


def _blades_of_two_gpus_and_two_adapters(hosts: int) -> Structure:
    """2 GPUs with an adapter of 40 Gbit/s (QDR) each; two chassis have a leaf for each rail; 1:1 dealt out.

    As MinoTauro of BSC (Bull B505, M2090; 2011 to 2019): chassis of 9 blades, and switches of 36 ports. PCIe 2 lets an
    adapter reach 26 Gbit/s, a cable does 32. A GPU, its adapter and a processor are on one I/O hub each; between the
    GPUs of a host 9 us and 4.2 GB/s, by both processors. 3.2 us at each end; 0.3 % of readings are disturbed by
    daemons. The leaf for each rail, the pairs of chassis of 4 to 18 blades and the numbers are chosen here.
    """
    leaf = _leaf_per_rail(np.arange(hosts) // max(4, min(18, hosts // 4)), 2)
    return Structure(
        hosts, DealtOut(leaf, 1, 0.32 * RATE), each=2, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((hosts, 2), 0.26 * RATE), nominal=np.full((hosts, 2), 0.4 * RATE), processor=np.full(hosts, 2),
        position_latency=np.full(2, 3.2e-6), inside_latency=np.full((2, 2), 9e-6),
        inside_rate=np.full((2, 2), 4.2e9), hyperthreads=0.003,
    )  # fmt: skip


def _crash_simulations_on_a_director(hosts: int) -> Structure:
    """Half of the hosts, of a carmaker: one director switch of 100 Gbit/s (EDR), 4 ranks in each host.

    As clusters for crash simulations of the years from 2015 to 2018 (two Xeon E5 v4 with clusters on die: 4 NUMA
    nodes, a rank on each). Hosts are dealt out to up to 18 line boards, which other boards join 1:1. The adapter is on
    the last node: its neighbour takes 0.06 us longer, the other socket 0.3 us, at 93 % of the rate. 0.1 us at each end.
    0.3 % of readings are disturbed by daemons. The order of the hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    return Structure(
        count, Director(count, max(2, min(18, count // 8)), np.zeros(count)), each=4, processor=np.full(count, 2),
        turned=np.ones(count, bool), position_rate=np.array([1.0, 1.0, 0.93, 0.93]), position_latency=0.1e-6 + longer,
        hyperthreads=0.003, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _render_hosts_and_gpu_hosts(hosts: int) -> Structure:
    """A film company: render hosts of 25 Gbit/s in racks, GPU hosts of 100 on the core switch itself; TCP, one rank.

    As companies for visual effects since 2019. A rack has a leaf with a cable of 100 Gbit/s to the core for six to
    nine hosts, 3:2 or more; these count as one link (LACP), and leaf and core have a hash of their own for each two
    hosts. The last eighth of the hosts, two or more, has GPUs. 4.5 us at each end; 0.4 % of readings are longer. Racks
    of less than 12 hosts have one cable. The racks of 3 to 24 hosts and the numbers are chosen here.
    """
    last = max(2, hosts // 8)
    rest = hosts - last
    racks = max(min(4, rest // 3), -(-rest // 24))
    rack = np.concatenate([np.arange(rest) * racks // rest, np.full(last, racks)])
    on_core = rack == racks
    return Structure(
        hosts, LagHostsOnCore(rack, 6), rate=RATE * np.where(on_core, 1.0, 0.25)[:, None],
        processor=np.where(on_core, 3, 0), position_latency=np.array([4.5e-6]), interrupts=1e-6, tail=0.004,
    )  # fmt: skip


def _racks_replaced_in_place(hosts: int) -> Structure:
    """An oil company: Ethernet of 40 Gbit/s by TCP, a rank in each host; uplinks of 100 Gbit/s, 12:5 static.

    As centers for seismic data with switches of Arista (Houston, since 2014), whose racks are replaced one by one:
    every third rack, from the third on, has hosts of 100 Gbit/s, but as many uplinks, 6:1. 24 hosts of a rack have four
    uplinks, of which a hash gives each two hosts one. 4 us at each end, and 0.5 us more for the older processors. 0.3 %
    of readings are longer. Smaller racks have an uplink for six to ten hosts, or one. The racks of 4 to 24 hosts,
    their order and the numbers are chosen here.
    """
    rack = np.arange(hosts) // max(4, min(24, hosts // 4))
    newer = rack % 3 == 2
    return Structure(
        hosts, FatTree(rack, 6, "static"), rate=RATE * np.where(newer, 1.0, 0.4)[:, None],
        overhead=np.where(newer, 0.0, 0.5e-6), processor=np.where(newer, 3, 2), position_latency=np.array([4e-6]),
        interrupts=1.5e-6, tail=0.003,
    )  # fmt: skip


def _vehicle_aerodynamics(hosts: int) -> Structure:
    """A quarter of the hosts, of a carmaker: 8 ranks on 4 NUMA nodes share 200 Gbit/s (NDR200); 3:2 dealt out.

    As clusters for aerodynamics with two EPYC Genoa (NPS2) and two ranks on each node. 12 hosts of a leaf have four
    uplinks of 400 Gbit/s, to which tables deal out the receivers. The adapter is on the second node: the first one
    takes 0.06 us longer, the other socket 0.3 us, at 95 % of the rate. 0.1 us at each end. 0.3 % of readings are
    disturbed by daemons. Leaves of 4 or 8 hosts are 2:1. The leaves of 4 to 12 hosts, the side of the adapter and the
    numbers are chosen here.
    """
    count = max(8, hosts // 4)
    node = np.arange(8) // 2
    apart = _levels_apart(node, node // 2)
    return Structure(
        count, DealtOut(np.arange(count) // max(4, min(12, count // 4)), 3, 4 * RATE), each=8, hyperthreads=0.003,
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 4), position_rate=np.repeat([1.0, 0.95], 4),
        position_latency=0.1e-6 + _numa_places(4)[0][[1, 0, 2, 3]].repeat(2),
        inside_latency=INSIDE_LATENCY + np.array([0.0, 0.08e-6, 0.35e-6])[apart],
        inside_rate=np.array([22e9, 14e9, 9e9])[apart],
    )  # fmt: skip


def _output_hosts_of_a_weather_service(hosts: int) -> Structure:
    """A weather service: 100 Gbit/s (EDR), a rank in each host; 5:4 adaptive, the last host of each leaf writes output.

    As clusters for regional forecasts (two Xeon Gold), whose models have processes of their own for output. 20 hosts of
    a leaf have 16 uplinks; smaller leaves are 4:3. Hosts for output have twice the memory and lower clocks, as their
    processors tell: messages take 0.14 us longer at an end. 0.15 us at each end. 0.3 % of readings are disturbed by
    daemons. The leaves of 4 to 20 hosts, the hosts for output and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(20, hosts // 4))
    output = np.diff(leaf, append=int(leaf[-1]) + 1) > 0
    return Structure(
        hosts, FatTree(leaf, 1.25, "adaptive"), overhead=np.where(output, 0.14e-6, 0.0),
        processor=np.where(output, 3, 0), position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _tenant_beside_another_one(hosts: int) -> Structure:
    """A cloud: virtual machines as large as their servers, 100 Gbit/s (RoCE), one rank; every second leaf half taken.

    As European clouds for computing, which pass the whole adapter to a machine. Another tenant has half of the servers
    of every second leaf, but leaves have equal uplinks: 2:1 in the first one, 1:1 in the next one. Switches take a new
    uplink for each message (flowlets by a hash). 1.1 us at each end; 0.5 % of readings are disturbed by the hypervisor.
    Leaves of 4 to 16 servers, of which the last one may have fewer; these and the numbers are chosen here.
    """
    half = 2 * max(1, min(4, hosts // 24))
    sizes = np.tile(np.array([2, 1]) * half, hosts)
    leaf = np.repeat(np.arange(len(sizes)), sizes)[:hosts]
    return Structure(
        hosts, FatTree(leaf, np.bincount(leaf) / (half + 0.5), "rehashed"), processor=np.full(hosts, 3),
        position_latency=np.array([1.1e-6]), hyperthreads=0.005,
    )  # fmt: skip


def _adapter_for_each_socket_by_load(hosts: int) -> Structure:
    """A weather service: two ranks, each with an adapter of 200 Gbit/s of its socket, in a dragonfly; routes by load.

    As the HPE Cray EX of weather services (Slingshot 11, two EPYC). The two adapters of a host are on two switches of
    its group, which eight hosts share. Two groups are joined by a cable of 200 Gbit/s for four adapters of one; the
    machine has two groups more than the job. 0.25 us at each end; 0.3 % of readings are disturbed by daemons. The
    second adapter, the groups of 4 to 16 hosts and the numbers are chosen here.
    """
    group, rail = _leaves(hosts), np.arange(2)
    switch = (2 * (places_in(group) // 8)[:, None] + rail).ravel()
    return Structure(
        hosts, Slingshot(group.repeat(2), switch, int(group[-1]) + 3, 2 * RATE), each=2, rails=2, one_plane=True,
        other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.full(2, 0.25e-6), inside_latency=_across_sockets(rail), hyperthreads=0.003,
    )  # fmt: skip


def _three_quarters_of_each_cell(hosts: int) -> Structure:
    """Half of the hosts, of a weather service: 4 ranks share 200 Gbit/s (HDR) in a dragonfly+; a quarter is left out.

    As Belenos and Taranis of Meteo-France (BullSequana XH2000, two EPYC Rome). The last quarter of each cell, half of
    its second leaf, has another partition, e.g. of large memory; the machine has one cell more. 20 % of the messages
    between cells take a third one. The adapter is on the second socket; the first one takes 0.28 us longer and reaches
    95 % of the rate. 0.15 us at each end. 0.3 % of readings are disturbed by daemons. The partition, the cells of 8 to
    24 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = 8 * max(1, min(3, count // 24))
    cell, place = np.divmod(np.arange(count), 3 * size // 4)
    far = _far_socket(count, 4, 0.95, 0.28e-6)
    return replace(
        far, plane=PartOfDragonflyPlus(cell * size + place, int(cell[-1]) + 2, size, 0.2, 2 * RATE),
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3), turned=np.ones(count, bool),
        position_latency=0.15e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _floors_of_an_animation_studio(hosts: int) -> Structure:
    """An animation studio: Ethernet switches in a grid, each with a cable of 100 Gbit/s to all of its row and column.

    As networks by shortest path bridging (IEEE 802.1aq), whose tables say one way to each switch. 16 hosts of a switch
    are 12 render hosts of 25 Gbit/s and, last, 4 workstations of 10, which compute by night; on these a message takes
    1.2 us longer. TCP, 3.2 us at each end; a rank in each host. 0.4 % of readings are longer. Smaller switches have 2
    to 8 hosts, of two none is a workstation. The grid (HyperX) and the numbers are chosen here.
    """
    size = next((size for size in (16, 8, 4) if hosts % size == 0 and hosts >= 8 * size), 2)
    workstation = 4 * (np.arange(hosts) % size) >= 3 * size
    return Structure(
        hosts, HyperXTables(hosts, *_nearly_square(hosts // size), RATE),
        rate=RATE * np.where(workstation, 0.1, 0.25)[:, None], overhead=np.where(workstation, 1.2e-6, 0.0),
        processor=np.where(workstation, 2, 0), position_latency=np.array([3.2e-6]), interrupts=1e-6, tail=0.004,
    )  # fmt: skip


def _three_gpus_on_each_of_two_rails(hosts: int) -> Structure:
    """A quarter of the hosts, of an oil company: 6 GPUs, of which the three of a socket share an adapter of 100 Gbit/s.

    As Pangea III of Total (2019; IBM AC922, V100, EDR). The two adapters are rails with a tree of their own, 1:1, whose
    tables deal out the receivers of a leaf. A message to the other rail crosses within the sending host first, 0.6 us.
    NVLink joins the GPUs of a socket, 50 GB/s for each two; to the other socket they go by the X bus, 32 GB/s. 0.9 us
    at each end. 0.3 % of readings are disturbed by daemons. The rails, the leaves of 4 to 16 hosts and the numbers are
    chosen here.
    """
    count = max(8, hosts // 4)
    far = _in_other_parts(6, 3)
    return Structure(
        count, DealtOut(np.arange(count) // max(4, count // 4), 1), each=6, rails=2, relayed=True,
        processor=np.full(count, 2), position_latency=np.full(6, 0.9e-6),
        inside_latency=np.where(far, 1.5e-6, NVLINK_LATENCY), inside_rate=np.where(far, 32e9, 50e9), hyperthreads=0.003,
    )  # fmt: skip


def _gpus_of_a_bank(hosts: int) -> Structure:
    """A quarter of the hosts, of a bank: 8 GPUs with an adapter of 400 Gbit/s each; a leaf for each rail of a pod, 1:1.

    As DGX H100 of banks (NDR). Each adapter has two addresses (LMC of 1), and tables deal these out to the uplinks of a
    leaf; a message is spread evenly over the two uplinks of its receiver. NVSwitch joins the GPUs of a host, 350 GB/s.
    1.1 us at each end; 0.3 % of readings are disturbed by what prepares the data. The addresses, the pods of 2 to 16
    hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(16, count // 4)), 8)
    return Structure(
        count, DealtAddresses(leaf, 1, 2, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 1.1e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 350e9), hyperthreads=0.003,
    )  # fmt: skip


def _training_for_driving(hosts: int) -> Structure:
    """A quarter of the hosts, of a carmaker: 8 GPUs share 4 adapters of 200 Gbit/s (RoCE); a leaf for each rail, 4:3.

    As clusters of Chinese carmakers that train models for driving (A800). 8 hosts make a pod, and a leaf has six
    uplinks, to which the 16 buckets of a hash of each two adapters are dealt out in turns: four of them have three, two
    have two. Two GPUs and their adapter are behind one PCIe switch. NVSwitch joins the GPUs of a host, 190 GB/s. 1.2 us
    at each end; 0.4 % of readings are disturbed by what prepares the data. Pods of 4 hosts have three uplinks, those of
    2 have one. The pods and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    size = max(2, min(8, count // 4))
    leaf = _leaf_per_rail(np.arange(count) // size, 4)
    return Structure(
        count, Buckets(leaf, size * 3 // 4, 16, 2 * RATE), each=8, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 1.2e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 190e9), hyperthreads=0.004,
    )  # fmt: skip


def _coprocessors_of_two_sockets(hosts: int) -> Structure:
    """Half of the hosts, of 4 Xeon Phi coprocessors with a rank on each, two on each socket; one switch of 56 Gbit/s.

    As Beacon of NICS at the University of Tennessee (2013; Xeon Phi 5110P, FDR), whose 48 hosts do not block each
    other. The adapter is on the first socket: its two coprocessors reach 78 % of the rate, those of the second socket
    44 %, as PCIe reads are slow from one socket to the other. 2 us at an end of the former, 3.2 us at one of the
    latter. Two coprocessors of a socket exchange 6 GB/s, others 3 GB/s and 1.5 us later. 0.3 % of readings are
    disturbed by daemons. The numbers are chosen here.
    """
    count, port = max(8, hosts // 2), 0.545 * RATE
    far = _in_other_parts(4, 2)
    return Structure(
        count, OneSwitch(count), each=4, rate=np.full((count, 1), port), processor=np.full(count, 2),
        position_rate=np.where(far[0], 0.44, 0.78), position_latency=np.where(far[0], 3.2e-6, 2e-6),
        inside_latency=np.where(far, 5e-6, 3.5e-6), inside_rate=np.where(far, 3e9, 6e9), hyperthreads=0.003,
    )  # fmt: skip


def _first_leaf_has_file_servers(hosts: int) -> Structure:
    """A department: 100 Gbit/s (EDR), a rank in each host; leaves of 24 hosts with 12 cables to one core switch, 2:1.

    As departments in Korea, which put their file servers and login hosts on the first leaf: it has as many cables as
    the others, but half as many hosts that compute, so 1:1. The last leaf has what is left. Tables give each receiver
    one cable up and one down. 0.2 us at each end; 0.4 % of readings are longer, because of files. The leaves of 4 to 24
    hosts and the numbers are chosen here.
    """
    half = max(2, min(12, hosts // 8))
    leaf = (np.arange(hosts) + half) // (2 * half)
    return Structure(
        hosts, OneCore(leaf, np.bincount(leaf) / (half + 0.5)), processor=np.zeros(hosts, np.int64),
        position_latency=np.array([0.2e-6]), tail=0.004,
    )  # fmt: skip


def _three_to_one_dealt_out_to_200(hosts: int) -> Structure:
    """A university: 100 Gbit/s (HDR100), a rank in each host; leaves of 48 hosts with 8 uplinks of 200 Gbit/s, 3:1.

    As Great Lakes of the University of Michigan (2019; two Skylake). Tables deal out the receivers of a leaf to its
    uplinks. Small leaves are 2:1 to 5:1. 0.15 us at each end; 0.3 % of readings are disturbed by daemons. The leaves of
    4 to 48 hosts, the taper and the numbers are chosen here.
    """
    return Structure(
        hosts, DealtOut(np.arange(hosts) // max(4, min(48, hosts // 4)), 6, 2 * RATE),
        processor=np.zeros(hosts, np.int64), position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _few_xeons_behind_xeon_phis(hosts: int) -> Structure:
    """Xeon Phis, and as the last eighth of the hosts, four or more, Xeons; Omni-Path 2:1, a rank in each host.

    As Nurion of KISTI (2018; 8305 Xeon Phi 7250 and 132 hosts with two Skylake). A receiver has one uplink. As
    processors do the work of the network, the slow cores of a Xeon Phi take 0.75 us longer at an end, and one core
    moves 8.5 GB/s; a Xeon fills 100 Gbit/s. 0.15 us at each end of any; 0.3 % of readings are disturbed by daemons. The
    leaves of 4 to 32 hosts, the part of the Xeons and the numbers are chosen here.
    """
    slow = np.arange(hosts) < hosts - max(4, hosts // 8)
    return Structure(
        hosts, FatTree(np.arange(hosts) // max(4, min(32, hosts // 4)), 2, "by receiver"),
        rate=np.where(slow, 8.5e9, RATE)[:, None], nominal=np.full((hosts, 1), RATE), processor=1 * slow,
        overhead=np.where(slow, 0.75e-6, 0.0), position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _seventeen_to_three_of_a_consortium(hosts: int) -> Structure:
    """Half of the hosts, 4 ranks on two sockets that share 200 Gbit/s (HDR); leaves of 34 hosts, 17:3 adaptive.

    As Rorqual of Calcul Quebec (2025; two EPYC), where jobs of up to 34 hosts fit behind one leaf. Leaves of 34 hosts
    have 6 uplinks of 200 Gbit/s, smaller ones as many for each host or somewhat more. The adapter is on the second
    socket; the first one takes 0.3 us longer and reaches 93 % of the rate. 0.25 us at each end; 0.3 % of readings are
    disturbed by daemons. The leaves of 4 to 34 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = np.arange(count) // max(4, min(34, count // 4))
    size, far = np.bincount(leaf), _far_socket(count, 4, 0.93, 0.3e-6)
    return replace(
        far, plane=FatTree(leaf, size / (np.ceil(size * 3 / 17) + 0.5), "adaptive", 2 * RATE),
        rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3), turned=np.ones(count, bool),
        position_latency=0.25e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _research_cloud_of_two_ranks(hosts: int, random: np.random.Generator) -> Structure:
    """Virtual machines of a research cloud, of two ranks each; one on a server with 25 Gbit/s, 5:2 static.

    As Arbutus of the University of Victoria (OpenStack). Servers are taken in no order from the racks. A rack of 20 has
    two uplinks of 100 Gbit/s, and a hash gives each two machines one of them. TCP: 14 us at each end, and one core of a
    machine moves 20 Gbit/s, so that two ranks share the rate. Small messages wait for interrupts, and 0.5 % of readings
    are longer. Smaller racks have at most this taper. The racks and the numbers are chosen here.
    """
    rack = random.permutation(np.arange(hosts) // max(4, min(20, hosts // 4)))
    size = np.bincount(rack)
    return Structure(
        hosts, FatTree(rack, size / (np.ceil(size / 10) + 0.5), "static"), each=2,
        rate=np.full((hosts, 1), 0.25 * RATE), processor=np.full(hosts, 2), socket=np.zeros(2, np.int64),
        position_rate=np.full(2, 0.8), position_latency=np.full(2, 14e-6), interrupts=2e-6, tail=0.005,
    )  # fmt: skip


def _adapter_of_each_socket_by_load(hosts: int) -> Structure:
    """A weather service: two sockets with a rank and an adapter of 200 Gbit/s each (Slingshot); routes by load.

    As Australis II of the Australian Bureau of Meteorology (2024; HPE Cray EX). The two adapters of a host are on two
    switches of its group, which it shares with three neighbours. The job begins with the second half of a group, and
    the machine has two groups more. Two sockets exchange 14 GB/s. 0.3 us at each end; 0.2 % of readings are disturbed
    by daemons. The adapters, the groups of 4 to 16 hosts and the numbers are chosen here.
    """
    size = max(4, min(16, hosts // 4))
    group, place = np.divmod(np.arange(hosts) + size // 2, size)
    switch = 2 * (place // 4)[:, None] + np.arange(2)
    return Structure(
        hosts, Slingshot(group.repeat(2), switch.ravel(), int(group[-1]) + 3, 2 * RATE), each=2, rails=2,
        one_plane=True, other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.full(2, 0.3e-6), inside_latency=_across_sockets(np.arange(2)),
        inside_rate=np.where(_in_other_parts(2, 1), 14e9, 20e9), hyperthreads=0.002,
    )  # fmt: skip


def _climate_physics_on_chassis(hosts: int) -> Structure:
    """Half of the hosts, of two sockets with two NUMA nodes each and a rank on each node; chassis in a dragonfly.

    As Aleph of the Institute for Basic Science in Busan (2019; Cray XC50, Aries, two Skylake) with clusters of cores
    (SNC-2). Adapters say 100 Gbit/s and do 80. They are on the first node: the second one takes 0.06 us longer, the
    other socket 0.3 us, at 92 % of the rate. 20 % of the messages between groups take a detour. 0.25 us at each end;
    0.1 % of readings are disturbed by daemons. The groups of 4 to 32 hosts and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    longer, inside = _numa_places(4)
    return Structure(
        count, Chassis(count, max(4, count // 16 * 4), 0.2), each=4, rate=np.full((count, 1), 0.8 * RATE),
        nominal=np.full((count, 1), RATE), processor=np.zeros(count, np.int64), hyperthreads=0.001,
        position_rate=np.array([1.0, 1.0, 0.92, 0.92]), position_latency=0.25e-6 + longer,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _switches_in_four_dimensions(hosts: int) -> Structure:
    """A torus of switches in up to four dimensions, 4 hosts on each; 200 Gbit/s, cables of 400, a rank in each host.

    As the simulator of the earth system in Beijing (EarthLab, 2021; Sugon, Hygon processors) has a torus of many
    dimensions. Tables lead messages along one dimension after the other. 0.35 us at each end; 0.3 % of readings are
    disturbed by daemons. How many dimensions and hosts there are, and the numbers, are chosen here.
    """
    return Structure(
        hosts, SwitchTorus(hosts, _sides(hosts // 4, 4), 4 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 3), position_latency=np.array([0.35e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _newer_gpus_of_four_rails_last(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs with an adapter of 400 Gbit/s each (NDR), a leaf for each rail of each pod; 8:7.

    As TamIA of Universite Laval (2025; H100, later H200). The other ports of a leaf serve storage. Tables deal out the
    receivers of a leaf to its uplinks. The last eighth of the hosts, four or more, is newer, with another processor;
    messages of the others take 0.15 us longer at an end. NVLink joins each two GPUs of a host, 130 GB/s. 1 us at each
    end; 0.3 % of readings are disturbed by what prepares the data. Pods have 8 or 16 hosts, or other numbers up to 16
    and more taper. The pods, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    newer = np.arange(count) >= count - max(4, count // 8)
    pod = np.arange(count) // max(2, min(16, count // 4))
    return Structure(
        count, DealtOut(_leaf_per_rail(pod, 4), 1.14, 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 4 * RATE), processor=np.where(newer, 4, 3), overhead=np.where(newer, 0.0, 0.15e-6),
        position_latency=np.full(4, 1e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 130e9), hyperthreads=0.003,
    )  # fmt: skip


def _four_gpus_fill_each_of_two_adapters(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs with NVSwitch and 2 adapters of 100 Gbit/s (EDR) on the leaf of the rack; 2:1.

    As partitions of Neuron of KISTI. The four GPUs of a socket share its adapter, which is behind the PCIe switch of
    the first two; the others go by the processor, 0.4 us longer. Tables deal out the receivers of a leaf to its
    uplinks. NVSwitch joins the GPUs of a host, 220 GB/s. 1 us at each end; 0.4 % of readings are disturbed by what
    prepares the data. The racks of 2 to 10 hosts, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.arange(count) // max(2, min(10, count // 4))
    return Structure(
        count, DealtOut(rack.repeat(2), 2), each=8, rails=2, one_plane=True, other_rail=0.0,
        processor=np.full(count, 3), position_latency=np.tile([1e-6, 1e-6, 1.4e-6, 1.4e-6], 2),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 220e9), hyperthreads=0.004,
    )  # fmt: skip


def _rails_of_100_to_uplinks_of_400(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs on 4 rails of 100 Gbit/s (RoCE), a leaf for each rail of each pod; 2:1 static.

    As clusters of Chinese universities (A800 with NVSwitch, 2022). Two GPUs share an adapter. A leaf has an uplink of
    400 Gbit/s for eight hosts, and a hash gives each two adapters one of them, which stays. The GPUs of a host exchange
    160 GB/s. 1.7 us at each end; 0.4 % of readings are longer, because switches pause senders. Pods have 8 or 16 hosts,
    or other numbers up to 16 and less taper. The pods and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(16, count // 4)), 4)
    size = np.bincount(leaf)
    return Structure(
        count, FatTree(leaf, size / (np.ceil(size / 8) + 0.5), "static", 4 * RATE), each=8, rails=4, one_plane=True,
        other_rail=0.0, processor=np.full(count, 3), position_latency=np.full(8, 1.7e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 160e9), tail=0.004,
    )  # fmt: skip


def _adapters_on_two_of_four_sockets(hosts: int) -> Structure:
    """Half of the hosts, of four sockets with a rank on each, any two of which are joined; one switch of 100 Gbit/s.

    As institutes for genomes in Europe and Japan buy hosts of large memory (four Cooper Lake with three UPI links each,
    HDR100). Two sockets have an adapter, and each of the others uses one of these, 0.18 us longer and with 90 % of the
    rate; the ranks are on the sockets 0, 2, 1 and 3, so that neighbours share an adapter. Two sockets exchange 9 GB/s,
    0.2 us at each end. 0.3 % of readings are disturbed by daemons. The order of the ranks and the numbers are chosen
    here.
    """
    count = max(8, hosts // 2)
    apart = _in_other_parts(4, 1)
    return Structure(
        count, OneSwitch(2 * count), each=4, rails=2, one_plane=True, other_rail=0.0, socket=np.array([0, 2, 1, 3]),
        processor=np.full(count, 3), position_rate=np.array([1.0, 0.9, 1.0, 0.9]),
        position_latency=0.2e-6 + np.array([0.0, 0.18e-6, 0.0, 0.18e-6]), inside_latency=_across_sockets(np.arange(4)),
        inside_rate=np.where(apart, 9e9, INSIDE_RATE), hyperthreads=0.003,
    )  # fmt: skip


def _machines_on_functions_of_a_bond(hosts: int) -> Structure:
    """Virtual machines, two on each server, that share a bond of two ports of 25 Gbit/s on two leaves; a rank in each.

    As sites of the de.NBI Cloud of German universities could build it (OpenStack), with functions of an adapter that
    bonds its ports itself (VF LAG). A hash of each two machines chooses the port, an uplink of 40 Gbit/s, one for four
    servers, 5:2, and where it comes by a spine the port of the receiver. Tunnels between servers take 0.5 us; two
    machines of a server exchange messages inside their adapter. 1.9 us at each end; 0.5 % of readings are disturbed by
    the hypervisor. The racks of 2 to 20 servers and the numbers are chosen here.
    """
    rack = np.arange(hosts) // max(4, min(40, hosts // 4))
    return Structure(
        hosts, FatTree(_leaf_per_rail(rack, 2), 8, "static", 0.4 * RATE), rails=2, one_plane=True, bonded=True,
        other_rail=0.0, guests=2, tunnel=0.5e-6, rate=np.full((hosts, 2), 0.25 * RATE), processor=np.full(hosts, 3),
        position_latency=np.array([1.9e-6]), hyperthreads=0.005,
    )  # fmt: skip


def _ten_to_three_of_roce(hosts: int) -> Structure:
    """100 Gbit/s (RoCE), two ranks in each host; leaves of 40 hosts with 12 uplinks, 10:3 static.

    As the phases of Euler of ETH Zurich that have Ethernet (two EPYC). A hash gives each two hosts an uplink, which
    stays. The adapter is on the second socket; the first one takes 0.27 us longer and reaches 94 % of the rate. 0.9 us
    at each end; 0.3 % of readings are longer, because switches pause senders. Smaller leaves have at least as many
    uplinks for each host. The leaves of 4 to 40 hosts, the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(40, hosts // 4))
    size, far = np.bincount(leaf), _far_socket(hosts, 2, 0.94, 0.27e-6)
    return replace(
        far, plane=FatTree(leaf, size / (np.ceil(size * 0.3) + 0.5), "static"), processor=np.full(hosts, 3),
        turned=np.ones(hosts, bool), position_latency=0.9e-6 + far.position_latency, tail=0.003,
    )  # fmt: skip


def _addresses_slot_by_slot(hosts: int) -> Structure:
    """100 Gbit/s (EDR), a rank in each host; leaves of 24 hosts with 18 uplinks, 4:3; addresses were given by slots.

    As Ares of Cyfronet in Krakow (two Cascade Lake). The hosts of the first slot of all racks were switched on
    together, then those of the second one and so on, so that no rack drew too much; in this order they have addresses
    (LID), and the address of a receiver says its uplink. With four racks and six uplinks, the receivers of a rack have
    every second one only. 0.2 us at each end; 0.3 % of readings are disturbed by daemons. How hosts got addresses, the
    leaves of 4 to 24 hosts and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(24, hosts // 4))
    arrival = np.argsort(np.lexsort((leaf, places_in(leaf))))
    return Structure(
        hosts, NumberedByArrival(leaf, 4 / 3, arrival), processor=np.zeros(hosts, np.int64),
        position_latency=np.array([0.2e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _persistent_memory_in_the_last_third(hosts: int) -> Structure:
    """Two ranks in each host share 100 Gbit/s (HDR100); leaves of 36 hosts with 10 uplinks of 200 Gbit/s, 9:5 adaptive.

    As Galileo100 of CINECA (two Cascade Lake), where a third of the hosts has persistent memory (Optane), in which the
    other modules are a cache: there 78 % of the rate within a host. The far socket takes 0.26 us longer and reaches 95
    % of the rate. 0.18 us at each end; 0.3 % of readings are disturbed by daemons. Smaller leaves have at least as many
    uplinks for each host. The leaves of 4 to 36 hosts, the taper and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(36, hosts // 4))
    size, far = np.bincount(leaf), _far_socket(hosts, 2, 0.95, 0.26e-6)
    return replace(
        far, plane=FatTree(leaf, size / (np.ceil(size / 3.6) + 0.5), "adaptive", 2 * RATE),
        memory=np.where(3 * np.arange(hosts) >= 2 * hosts, 0.78, 1.0), processor=np.zeros(hosts, np.int64),
        position_latency=0.18e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _three_rates_of_uplinks(hosts: int) -> Structure:
    """A rank in each host; leaves of three years, of 56, 100 and 100 Gbit/s, with uplinks of 56, 100 and 200; 2:1.

    As Kebnekaise of HPC2N in Umea (Broadwell with FDR, Skylake with EDR, EPYC with HDR100), which kept its network. The
    first half of the leaves is of the first year, a quarter of each further one. A receiver has one uplink. Messages
    take 0.22 us longer at an end in the first year and 0.1 us in the second one. 0.15 us at each end of any; 0.4 % of
    readings are disturbed by daemons. The leaves of 2 to 16 hosts and the numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    quarter = 4 * np.arange(int(leaf[-1]) + 1) // (int(leaf[-1]) + 1)
    of_leaf = np.maximum(quarter - 1, 0)
    year = of_leaf[leaf]
    return Structure(
        hosts, FatTree(leaf, np.array([2, 2, 4])[of_leaf], "by receiver", RATE * np.array([0.545, 1.0, 2.0])[of_leaf]),
        rate=RATE * np.array([0.545, 1.0, 1.0])[year][:, None], overhead=np.array([0.22e-6, 0.1e-6, 0.0])[year],
        processor=np.array([2, 0, 3])[year], position_latency=np.array([0.15e-6]), hyperthreads=0.004,
    )  # fmt: skip


def _adapter_on_the_fifth_node(hosts: int) -> Structure:
    """A quarter of the hosts, of 8 NUMA nodes with a rank on each that share 100 Gbit/s (HDR100); 7:3 by receiver.

    As Hortense of Ghent University (two EPYC Rome, NPS4). Leaves of 28 hosts have 12 uplinks, smaller ones at least as
    many for each host. The adapter is on the fifth node, the first one of the second socket: its neighbours take 0.06
    us longer, the first socket 0.3 us, at 91 % of the rate. 0.12 us at each end; 0.3 % of readings are disturbed by
    daemons. The side of the adapter, the leaves of 2 to 28 hosts, the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    leaf = np.arange(count) // max(2, min(28, count // 4))
    size = np.bincount(leaf)
    longer, inside = _numa_places(8)
    return Structure(
        count, FatTree(leaf, size / (np.ceil(size * 3 / 7) + 0.5), "by receiver"), each=8, processor=np.full(count, 3),
        turned=np.ones(count, bool), position_rate=np.repeat([1.0, 0.91], 4),
        position_latency=0.12e-6 + longer[[3, 2, 1, 0, 4, 5, 6, 7]], hyperthreads=0.003,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _supernodes_of_drawers(hosts: int) -> Structure:
    """A weather center: hosts without switches, in drawers of 8 and supernodes of four drawers; a rank in each host.

    As the IBM Power 775 of ECMWF (2012; four POWER7 in each host): 24 GB/s to each host of the drawer, 5 GB/s to each
    other one of the supernode, which is another kind of cable, and 10 GB/s by a cable between supernodes, of which
    there is one for two hosts. The hub of a host feeds all its cables, 24 GB/s together. 0.4 us at each end; 0.1 % of
    readings are disturbed by daemons. The drawers of 2 to 8 hosts, the supernodes of 4 to 32 and the number of cables
    are chosen here.
    """
    size = max(4, min(32, hosts // 4))
    return Structure(
        hosts, Supernodes(hosts, min(8, size // 2), size, size // 2, 24e9, 5e9, 10e9), rate=np.full((hosts, 1), 24e9),
        nominal=np.full((hosts, 1), 2 * RATE), processor=np.full(hosts, 2), position_latency=np.array([0.4e-6]),
        hyperthreads=0.001,
    )  # fmt: skip


def _butterfly_of_two_cables(hosts: int) -> Structure:
    """A flattened butterfly of 56 Gbit/s (FDR): 4 hosts on a switch, and two cables to each of its row and column.

    As Lomonosov-2 of Moscow State University (one Haswell and a GPU in each host, a rank on it). The two cables count
    as one of twice the rate. Messages go along one dimension after the other; from 65 switches on there are three
    dimensions. 0.25 us at each end; 0.3 % of readings are disturbed by daemons. The hosts of a switch, the cables and
    the lengths of the sides are chosen here.
    """
    switches = max(2, hosts // 4)
    sides = _nearly_square(switches) if switches <= 64 else _sides(switches)
    return Structure(
        hosts, FlattenedButterfly(hosts, sides, 2 * 0.545 * RATE), rate=np.full((hosts, 1), 0.545 * RATE),
        processor=np.full(hosts, 2), position_latency=np.array([0.25e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _two_rails_of_200_on_each_leaf(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs with an adapter of 200 Gbit/s each; the two of neighbours are on a leaf of a pod.

    As ABCI 3.0 of AIST (H200, NDR200). So a pod has four leaves. A leaf has an uplink of 400 Gbit/s for two adapters,
    1:1, to which tables deal out its receivers. NVSwitch joins the GPUs of a host, 370 GB/s. 0.85 us at each end; 0.3 %
    of readings are disturbed by what prepares the data. The leaves, the pods of 2 to 16 hosts and the numbers are
    chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(16, count // 4)), 4).repeat(2)
    return Structure(
        count, DealtOut(leaf, 2, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 0.85e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 370e9), hyperthreads=0.003,
    )  # fmt: skip


def _five_gpus_behind_each_pcie_switch(hosts: int) -> Structure:
    """A quarter of the hosts, of 10 GPUs on PCIe; the five of a socket share an adapter of 100 Gbit/s (EDR); 2:1.

    As servers with ten GPUs for consumers or workstations of universities in Germany and Taiwan (PCIe 3). The GPUs and
    the adapter of a socket are behind one PCIe switch, by which a GPU reaches 84 % of the rate and any two exchange 11
    GB/s; to the other socket 5.5 GB/s, 1.4 us later. Both adapters are on the leaf of the rack, whose uplinks tables
    deal out. 1.2 us at each end; 0.4 % of readings are disturbed by what prepares the data. The racks of 2 to 6 hosts,
    the taper and the numbers are chosen here.
    """
    count = max(8, hosts // 4)
    rack, far = np.arange(count) // max(2, min(6, count // 4)), _in_other_parts(10, 5)
    return Structure(
        count, DealtOut(rack.repeat(2), 2), each=10, rails=2, one_plane=True, other_rail=0.0,
        processor=np.zeros(count, np.int64), position_rate=np.full(10, 0.84), position_latency=np.full(10, 1.2e-6),
        inside_latency=np.where(far, 3e-6, 1.6e-6), inside_rate=np.where(far, 5.5e9, 11e9), hyperthreads=0.004,
    )  # fmt: skip


def _islands_in_oil(hosts: int) -> Structure:
    """Two ranks in each host, each with an adapter of 40 Gbit/s (QDR) of its socket; 1:1 in islands, 2:1 between them.

    As VSC-3 of the universities of Vienna (2014; two Ivy Bridge, QDR-80, immersed in oil): both adapters are on the
    leaf of the host, and an island is two leaves. Tables deal out the receivers of a leaf, and those of an island, to
    the uplinks. Adapters and cables do 32 Gbit/s. Two sockets exchange 12 GB/s. 0.35 us at each end; 0.2 % of readings
    are disturbed by daemons. The leaves of 2 to 12 hosts, the islands and the latencies are chosen here.
    """
    leaf, rate = np.repeat(np.arange(hosts) // max(2, min(12, hosts // 8)), 2), 0.32 * RATE
    return Structure(
        hosts, Stacked(DealtOut(leaf, 1, rate), DealtOut(leaf // 2, 2, rate)), each=2, rails=2, one_plane=True,
        other_rail=0.0, rate=np.full((hosts, 2), rate), nominal=np.full((hosts, 2), 0.4 * RATE),
        processor=np.full(hosts, 2), position_latency=np.full(2, 0.35e-6), inside_latency=_across_sockets(np.arange(2)),
        inside_rate=np.where(_in_other_parts(2, 1), 12e9, INSIDE_RATE), hyperthreads=0.002,
    )  # fmt: skip


def _three_dies_in_each_socket(hosts: int) -> Structure:
    """Half of the hosts, on one switch of 200 Gbit/s: two sockets of three dies in a row, a rank on each, SNC3.

    As hosts with Xeon 6900P of engineering companies; the adapter is on the first die. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    die = np.arange(6) % 3
    steps = np.where(_in_other_parts(6, 3), 3, np.abs(np.subtract.outer(die, die)))
    return Structure(
        count, OneSwitch(count), each=6, rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 4),
        position_rate=np.array([1.0, 1.0, 1.0, 0.9])[steps[0]],
        position_latency=0.12e-6 + np.array([0.0, 0.05e-6, 0.1e-6, 0.32e-6])[steps[0]],
        inside_latency=INSIDE_LATENCY + np.array([0.0, 0.06e-6, 0.12e-6, 0.36e-6])[steps],
        inside_rate=np.array([24e9, 19e9, 16e9, 10e9])[steps], hyperthreads=0.002,
    )  # fmt: skip


def _machines_in_threes(hosts: int) -> Structure:
    """Virtual machines, three on each server with 40 Gbit/s of Ethernet, 3:2 static; a flow gets 10 Gbit/s, by TCP.

    As private clouds of American insurers (VMware with NSX), whose tunnels take 1.1 us. The numbers are chosen here.
    """
    server, rate = np.arange(hosts) // 3, 0.4 * RATE
    servers = int(server[-1]) + 1
    rack = server * max(min(4, (servers + 1) // 2), -(-servers // 8)) // servers
    return Structure(
        hosts, FatTree(rack, 4.5, "static", rate), guests=3, tunnel=1.1e-6, tunnel_rate=0.1 * RATE,
        rate=np.full((hosts, 1), rate), processor=np.full(hosts, 2), position_latency=np.array([16e-6]),
        interrupts=2e-6, tail=0.004,
    )  # fmt: skip


def _aircraft_engines(hosts: int) -> Structure:
    """RoCE of 200 Gbit/s, 2:1 static to uplinks of 400; the first two hosts of each rack draw pictures, with 100.

    As clusters for flow simulation of makers of aircraft engines; two ranks, far socket. The numbers are chosen here.
    """
    rack, far = np.arange(hosts) // max(4, min(24, hosts // 4)), _far_socket(hosts, 2, 0.95, 0.26e-6)
    draws = places_in(rack) < 2
    return replace(
        far, plane=FatTree(rack, 4, "static", 4 * RATE), rate=RATE * np.where(draws, 1.0, 2.0)[:, None],
        overhead=np.where(draws, 0.1e-6, 0.0), processor=np.where(draws, 3, 4),
        position_latency=0.5e-6 + far.position_latency, tail=0.003,
    )  # fmt: skip


def _addresses_in_no_order_within_leaves(hosts: int, random: np.random.Generator) -> Structure:
    """100 Gbit/s, uplinks of 200, 5:2; the address (LID) of a receiver says its uplink: in no order within a leaf.

    As Orion of Mississippi State (HDR100, two Skylake), if hosts came up rack by rack. The numbers are chosen here.
    """
    leaf, far = np.arange(hosts) // max(4, min(40, hosts // 4)), _far_socket(hosts, 2, 0.94, 0.28e-6)
    size = np.bincount(leaf)
    arrival = np.lexsort((random.random(hosts), leaf))
    return replace(
        far, plane=NumberedByArrival(leaf, size / (np.ceil(size / 5) + 0.5), arrival, 2 * RATE),
        processor=np.zeros(hosts, np.int64), position_latency=0.18e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _gpu_hosts_at_the_end_of_each_leaf(hosts: int) -> Structure:
    """200 Gbit/s, 7:3 adaptive, a rank in each host; the last quarter of each leaf has GPUs, and takes 0.17 us longer.

    As Bunya of the University of Queensland (EPYC): there the adapter is behind a PCIe switch. Numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(28, hosts // 4))
    gpus = 4 * places_in(leaf) >= 3 * np.bincount(leaf)[leaf]
    return Structure(
        hosts, FatTree(leaf, 2.33, "adaptive", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        overhead=np.where(gpus, 0.17e-6, 0.0), processor=np.where(gpus, 4, 3), position_latency=np.array([0.22e-6]),
        hyperthreads=0.003,
    )  # fmt: skip


def _units_of_three_years(hosts: int) -> Structure:
    """Units of two leaves, 1:1, and 4:1 between them by receiver: half of 56 Gbit/s, a quarter of 100, then of 200.

    As scalable units of Discover of NASA, each of its own year; cables between are longer. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(24, hosts // 8))
    units = int(leaf[-1]) // 2 + 1
    year = 1 * (4 * np.arange(units) >= 2 * units) + (4 * np.arange(units) >= 3 * units)
    speed, of = np.array([0.545, 1.0, 2.0])[year] * RATE, year[leaf // 2]
    lower = FatTree(leaf, 1, "by receiver", speed[np.arange(int(leaf[-1]) + 1) // 2])
    return Structure(
        hosts, Stacked(lower, FatTree(leaf // 2, 4, "by receiver", speed), 2 * CABLE), rate=speed[leaf // 2][:, None],
        overhead=np.array([0.2e-6, 0.08e-6, 0.0])[of], processor=np.array([2, 0, 3])[of],
        position_latency=np.array([0.15e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _four_packages_of_two_dies(hosts: int) -> Structure:
    """A quarter of the hosts: four sockets of two dies, a rank on each, that share 40 Gbit/s, of which PCIe 2 lets 26.

    As Trestles of SDSC (Opteron 6136, 1:1): a die is joined to the other one of its socket and to its counterparts of
    other sockets, so that two links lead to the remaining ones. The numbers are chosen here.
    """
    count, die = max(8, hosts // 4), np.arange(8)
    links = _levels_apart(die // 2, die % 2)
    return Structure(
        count, DealtOut(np.arange(count) // max(2, min(18, count // 4)), 1, 0.32 * RATE), each=8, socket=die,
        rate=np.full((count, 1), 0.26 * RATE), nominal=np.full((count, 1), 0.4 * RATE), processor=np.full(count, 2),
        position_rate=np.array([1.0, 0.94, 0.85])[links[0]],
        position_latency=0.3e-6 + np.array([0.0, 0.13e-6, 0.27e-6])[links[0]],
        inside_latency=INSIDE_LATENCY + np.array([0.1e-6, 0.25e-6, 0.4e-6])[links],
        inside_rate=np.array([5e9, 3.6e9, 2.4e9])[links], hyperthreads=0.004,
    )  # fmt: skip


def _three_two_two_and_one_eighth_of_groups(hosts: int) -> Structure:
    """Two ranks share 200 Gbit/s in a dragonfly, routes by load; of groups the job has 3, 2, 2 and 1 eighths, in turns.

    As Gaea C6 of NOAA (HPE Cray EX, two EPYC Genoa), with what a scheduler finds free. The numbers are chosen here.
    """
    sizes = np.tile(np.array([3, 2, 2, 1]) * max(2, min(8, hosts // 8)), hosts)
    group, far = np.repeat(np.arange(len(sizes)), sizes)[:hosts], _far_socket(hosts, 2, 0.96, 0.27e-6)
    return replace(
        far, plane=Slingshot(group, places_in(group) // 4, int(group[-1]) + 4, 2 * RATE), processor=np.full(hosts, 4),
        rate=np.full((hosts, 1), 2 * RATE), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.002,
    )  # fmt: skip


def _mesh_with_ports_at_both_edges(hosts: int) -> Structure:
    """A mesh with cables of 400 Gbit/s; where it saves four, messages go by Ethernet of 200 from edge to edge, 1 us.

    As Dojo of Tesla, whose interface cards at the edges are joined by Ethernet. The numbers are chosen here.
    """
    return Structure(
        hosts, EdgePorts(_nearly_square(hosts), 4 * RATE, 2 * RATE, 1e-6, 4), rate=np.full((hosts, 1), 4 * RATE),
        processor=np.full(hosts, 3), position_latency=np.array([0.4e-6]), hyperthreads=0.001,
    )  # fmt: skip


def _four_rails_of_a_research_organisation(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs with an adapter of 400 Gbit/s each, a leaf for each rail of each pod, 4:3 adaptive.

    As Virga of CSIRO (H100, each two joined by six NVLinks). The rails and the numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(16, count // 4)), 4)
    return Structure(
        count, FatTree(leaf, 1.33, "adaptive", 4 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(4, 0.85e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 125e9), hyperthreads=0.002,
    )  # fmt: skip


def _four_gpus_and_an_adapter_on_one_pcie_switch(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs and one adapter of 100 Gbit/s on a PCIe switch; 9:5 dealt out; two GPUs by two NVLinks.

    As Bracewell of CSIRO (P100, one NVLink between other GPUs). The leaves of 4 to 18 and the numbers are chosen here.
    """
    count, far = max(8, hosts // 2), _in_other_parts(4, 2)
    return Structure(
        count, DealtOut(np.arange(count) // max(4, min(18, count // 4)), 1.79), each=4, processor=np.full(count, 2),
        position_latency=np.full(4, 1.15e-6), inside_latency=np.full((4, 4), 1.4e-6),
        inside_rate=np.where(far, 18e9, 36e9), hyperthreads=0.003,
    )  # fmt: skip


def _newer_hosts_on_the_director(hosts: int) -> Structure:
    """40 Gbit/s, 2:1 from leaves to one director switch, on which the newer last quarter of the hosts is itself.

    As Miztli of UNAM in Mexico (two Sandy Bridge, later Broadwell; two ranks, far socket). The numbers are chosen here.
    """
    newer = max(1, hosts // 4)
    rest, rate = hosts - newer, 0.32 * RATE
    leaf, far = np.arange(rest) // max(2, min(24, rest // 4)), _far_socket(hosts, 2, 0.92, 0.3e-6)
    old = np.arange(hosts) < rest
    return replace(
        far, plane=HostsOnCore(np.append(leaf, np.full(newer, leaf[-1] + 1)), 2, rate),
        rate=np.full((hosts, 1), rate), nominal=np.full((hosts, 1), 0.4 * RATE), memory=np.where(old, 0.8, 1.0),
        overhead=np.where(old, 0.16e-6, 0.0), processor=np.where(old, 2, 0),
        position_latency=0.25e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _leaves_of(hosts: int, *sizes: int) -> Index:
    """Leaves of these sizes in turns, in larger clusters of up to 4 times as many hosts; the last has what is left, and
    a single host is of the one before."""
    each = np.tile(np.array(sizes) * max(1, min(4, hosts // sum(sizes))), hosts)
    leaf = np.repeat(np.arange(len(each)), each)[:hosts]
    return np.maximum(np.where(np.bincount(leaf)[leaf] > 1, leaf, leaf - 1), 0)


def _sequencing_institute(hosts: int) -> Structure:
    """One switch of 200 Gbit/s; two ranks, far socket. 1 % of readings are disturbed by hyperthreads; 6 % of drift.

    As institutes for genomes, whose sequencers warm up the same room. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.93, 0.3e-6), rate=np.full((hosts, 1), 2 * RATE), hyperthreads=0.01, drift=0.06
    )


def _grown_rack_by_rack(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s, a rank in each host; leaves of 5, 7, 9 and 11 hosts, three re-hashed uplinks; drift of 5 %.

    As internet shops that add to each rack what a budget allows, in a warm hall. The numbers are chosen here.
    """
    leaf = _leaves_of(hosts, 5, 7, 9, 11)
    uplinks = 3 * max(1, min(4, hosts // 32))
    return Structure(
        hosts, FatTree(leaf, np.bincount(leaf) / (uplinks + 0.5), "rehashed"), position_latency=np.array([0.6e-6]),
        drift=0.05,
    )  # fmt: skip


def _faculties(hosts: int) -> Structure:
    """200 Gbit/s, 4:1 adaptive; leaves of 4, 8, 12 and 8 hosts. Far socket, 1 % of readings disturbed by hyperthreads.

    As universities whose faculties each paid for a rack. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.95), plane=FatTree(_leaves_of(hosts, 4, 8, 12, 8), 4, "adaptive", 2 * RATE),
        rate=np.full((hosts, 1), 2 * RATE), hyperthreads=0.01,
    )  # fmt: skip


def _teaching_rooms(hosts: int) -> Structure:
    """10 Gbit/s by TCP, three lingering uplinks; leaves of 1, 2, 3 and 4 parts of the hosts, which are in turns.

    As workstations of four teaching rooms, in the order in which a scheduler adds them. The numbers are chosen here.
    """
    leaf = _unequal_leaves(hosts)
    leaf = np.where(np.bincount(leaf)[leaf] > 1, leaf, leaf + 1)  # of 8 hosts, one would be alone
    leaf = np.unique(leaf, return_inverse=True)[1]  # of four hosts or fewer, none has some leaves
    return Structure(
        hosts, FatTree(leaf, np.bincount(leaf) / 3.5, "lingering", 0.1 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        position_latency=np.array([12e-6]), interrupts=2e-6, hyperthreads=0.01,
    )  # fmt: skip


def _adapters_after_repairs(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, at random, has 200 Gbit/s instead of 100; far socket; uplinks of 200, 5:2 static.

    As sites that replace broken adapters of 100 Gbit/s by newer ones. The numbers are chosen here.
    """
    newer = random.permutation(np.arange(hosts) % 4 == 0)
    return replace(
        _far_socket(hosts, 2, 0.96, 0.22e-6), plane=FatTree(_leaves(hosts), 4, "static", 2 * RATE),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], hyperthreads=0.004,
    )  # fmt: skip


def _maps_for_navigation(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s, a rank in each host; 4:3, a hash of the sender says the uplink. 1 % disturbed, drift of 4 %.

    As makers of maps whose switches hash the source only, as some do by default. The numbers are chosen here.
    """
    return Structure(
        hosts, FatTree(_leaves(hosts), 4 / 3, "by sender"), position_latency=np.array([0.7e-6]), hyperthreads=0.01,
        drift=0.04,
    )  # fmt: skip


def _three_rates_in_turns(hosts: int) -> Structure:
    """One switch; hosts of 25, 100 and 200 Gbit/s in turns, of which the older ones take longer; drift of 6 %.

    As laboratories that fill free places of racks with what is new, in a warm room. The numbers are chosen here.
    """
    year = np.arange(hosts) % 3
    return Structure(
        hosts, OneSwitch(hosts), rate=RATE * np.array([0.25, 1.0, 2.0])[year][:, None],
        overhead=np.array([0.3e-6, 0.12e-6, 0.0])[year], processor=np.array([2, 0, 3])[year], drift=0.06,
    )  # fmt: skip


def _row_of_racks(hosts: int) -> Structure:
    """200 Gbit/s, nothing blocks; racks in a row, further ones by longer cables. Far socket, 1 % of readings disturbed.

    As clusters with one large switch for the whole row. The racks and the numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.94, 0.28e-6), plane=Racks(hosts, max(2, min(40, hosts // 4))),
        rate=np.full((hosts, 1), 2 * RATE), hyperthreads=0.01,
    )  # fmt: skip


def _flowlets_of_five_sizes(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s, a rank in each host; leaves of 4, 6, 9, 7 and 6 hosts with three uplinks each, flowlets.

    4:3 to 3:1, as companies that buy all leaves alike and fill them later; drift of 3 %. The numbers are chosen here.
    """
    leaf = _leaves_of(hosts, 4, 6, 9, 7, 6)
    uplinks = int(np.bincount(leaf)[0]) * 3 // 4
    return Structure(hosts, Flowlets(leaf, uplinks), position_latency=np.array([0.8e-6]), tail=0.003, drift=0.03)


def _symmetric_hash_of_two_sizes(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s; leaves of 6 and 10 hosts in turns, 3:1, the same spine there and back. Far socket.

    As operators of wind farms, with racks of two heights; 1 % of readings are disturbed. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.92, 0.26e-6)
    return replace(
        far, plane=SameSpineBack(_leaves_of(hosts, 6, 10, 6, 10), 3), position_latency=0.6e-6 + far.position_latency,
        hyperthreads=0.01,
    )  # fmt: skip


def _pods_of_one_to_three_leaves(hosts: int) -> Structure:
    """100 Gbit/s, a rank in each host; pods of 1, 3, 2 and 2 leaves, 1:1 within and 3:1 between them, all re-hashed.

    As providers whose halls have room for unequal pods. 1 % of readings are disturbed. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    pod = _leaves_of(int(leaf[-1]) + 1, 1, 3, 2, 2)[leaf]
    plane = Stacked(FatTree(leaf, 1, "rehashed"), FatTree(pod, 3, "rehashed"))
    return Structure(hosts, plane, position_latency=np.array([0.9e-6]), hyperthreads=0.01)


def _pricing_of_insurers(hosts: int) -> Structure:
    """25 Gbit/s by TCP, 4:1 static; two ranks, far socket; drift of 7 %, because clocks fall in the course of the run.

    As insurers that compute their risks on what is also their office network. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.9, 0.5e-6)
    return replace(
        far, plane=FatTree(_leaves(hosts), 4, "static", 0.25 * RATE), rate=np.full((hosts, 1), 0.25 * RATE),
        position_latency=9e-6 + far.position_latency, interrupts=1.5e-6, drift=0.07,
    )  # fmt: skip


def _servers_of_a_physics_department(hosts: int, random: np.random.Generator) -> Structure:
    """One switch (RoCE) of a department that bought as it had money: an eighth of the hosts has 10 Gbit/s, half have
    25, three eighths 100, at random; 1 % of readings are disturbed. The numbers are chosen here."""
    kind = random.permutation(np.array([1, 2, 1, 0, 1, 2, 1, 2])[np.arange(hosts) % 8])
    return Structure(
        hosts, OneSwitch(hosts), rate=RATE * np.array([0.1, 0.25, 1.0])[kind][:, None],
        overhead=np.array([0.5e-6, 0.2e-6, 0.0])[kind], processor=np.array([2, 0, 3])[kind],
        position_latency=np.array([1e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _newer_hosts_wherever_there_was_room(hosts: int, random: np.random.Generator) -> Structure:
    """A university that put newer hosts of 200 Gbit/s, three of eight, between those of 100, at random; an adaptive
    uplink of 200 for 4 hosts; 1 % of readings are disturbed. The numbers are chosen here."""
    newer = random.permutation(8 * np.arange(hosts) >= 5 * hosts)
    return Structure(
        hosts, FatTree(np.arange(hosts) // max(4, min(24, hosts // 4)), 4, "adaptive", 2 * RATE),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.15e-6),
        processor=np.where(newer, 3, 0), position_latency=np.array([0.2e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _three_rates_anywhere_in_a_dragonfly(hosts: int, random: np.random.Generator) -> Structure:
    """A test system of a maker: half of the hosts have 100 Gbit/s, a quarter 200 and a quarter 400, at random in small
    groups of a dragonfly; half of the messages try a third group. The numbers are chosen here."""
    kind = random.permutation(np.array([0, 1, 0, 2])[np.arange(hosts) % 4])
    return Structure(
        hosts, Dragonfly(hosts, max(2, min(16, hosts // 8)), 0.5, 4 * RATE),
        rate=RATE * np.array([1.0, 2.0, 4.0])[kind][:, None], overhead=np.array([0.2e-6, 0.1e-6, 0.0])[kind],
        processor=np.array([0, 3, 4])[kind], position_latency=np.array([0.25e-6]), hyperthreads=0.003,
    )  # fmt: skip


def _newer_third_anywhere_in_cells(hosts: int, random: np.random.Generator) -> Structure:
    """A national center with a dragonfly+: a third of the hosts, at random, were renewed and have 400 Gbit/s, others
    200; two ranks, far socket; 1 % of readings are disturbed. The numbers are chosen here."""
    newer, far = random.permutation(3 * np.arange(hosts) >= 2 * hosts), _far_socket(hosts, 2, 0.93, 0.28e-6)
    return replace(
        far, plane=DragonflyPlus(hosts, max(4, min(16, hosts // 4)), 0.35, 4 * RATE),
        rate=RATE * np.where(newer, 4.0, 2.0)[:, None], overhead=np.where(newer, 0.0, 0.12e-6),
        processor=np.where(newer, 4, 3), position_latency=0.15e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _quadrants_of_two_purchases(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: one socket of four quadrants, a rank on each; half of them at random have 200 Gbit/s, others
    100; re-hashed (RoCE), an uplink of 200 for two. As companies with EPYC. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    newer = random.permutation(np.arange(count) % 2 == 1)
    return Structure(
        count, FatTree(_leaves(count), 2, "rehashed", 2 * RATE), each=4, socket=np.zeros(4, np.int64),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.1e-6),
        processor=np.where(newer, 4, 3), position_latency=0.8e-6 + np.where(far[0], 0.07e-6, 0.0),
        inside_latency=INSIDE_LATENCY + np.where(far, 0.06e-6, 0.0), inside_rate=np.where(far, 13e9, INSIDE_RATE),
        hyperthreads=0.01,
    )  # fmt: skip


def _every_second_group_upgraded(hosts: int) -> Structure:
    """A Slingshot system in the middle of its upgrade: every second group has 200 Gbit/s already, the others 100; two
    hosts on a switch, routes by load; 1 % of readings are disturbed. The numbers are chosen here."""
    group = np.arange(hosts) // max(4, min(16, hosts // 8))
    newer = group % 2 == 1
    return Structure(
        hosts, Slingshot(group, places_in(group) // 2, int(group[-1]) + 5, 2 * RATE),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.22e-6),
        processor=np.full(hosts, 3), position_latency=np.array([0.2e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _groups_of_three_years(hosts: int) -> Structure:
    """A dragonfly that grew: half of the groups have 100 Gbit/s, a quarter 200, a quarter 400, and two groups are
    joined by cables of the rate of the older one; 1 % of readings are disturbed. The numbers are chosen here."""
    count = max(2, min(8, hosts // 2))
    group, of = np.arange(hosts) * count // hosts, np.arange(count)
    year = 1 * (2 * of >= count) + (4 * of >= 3 * count)
    speed = 2**year
    cables = max(1, 2 * hosts // count**2) * np.minimum.outer(speed, speed)
    return Structure(
        hosts, Bundles(group, cables, 0.3, RATE), rate=RATE * np.array(speed[group], np.float64)[:, None],
        overhead=np.array([0.18e-6, 0.06e-6, 0.0])[year[group]], processor=np.array([0, 3, 4])[year[group]],
        position_latency=np.array([0.2e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _ccxs_with_two_adapters(hosts: int) -> Structure:
    """A quarter of the hosts: one EPYC of four quadrants of two CCXs (NPS2), a rank on each; the first and the third
    quadrant have an adapter of 200 Gbit/s on one switch; 1 % of readings are disturbed. The numbers are chosen here."""
    count, ccx = max(8, hosts // 4), np.arange(8)
    apart = _levels_apart(ccx, ccx // 2, ccx // 4)
    return Structure(
        count, OneSwitch(2 * count), each=8, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 3),
        position_latency=0.15e-6 + np.tile([0.0, 0.0, 0.06e-6, 0.06e-6], 2),
        inside_latency=INSIDE_LATENCY + np.array([0.0, 0.05e-6, 0.1e-6, 0.17e-6])[apart],
        inside_rate=np.array([20e9, 15e9, 13e9, 11e9])[apart], hyperthreads=0.01,
    )  # fmt: skip


def _racks_of_25_100_and_200(hosts: int) -> Structure:
    """A company for web services: RoCE of 25, 100 and 200 Gbit/s, a third of the racks each; an uplink of 200 for two
    hosts, re-hashed; two ranks, far socket; 1 % of readings are disturbed. The numbers are chosen here."""
    rack, far = np.arange(hosts) // max(4, min(16, hosts // 8)), _far_socket(hosts, 2, 0.95, 0.3e-6)
    year = rack * 3 // (int(rack[-1]) + 1)
    return replace(
        far, plane=FatTree(rack, 2, "rehashed", 2 * RATE), rate=RATE * np.array([0.25, 1.0, 2.0])[year][:, None],
        overhead=np.array([0.4e-6, 0.15e-6, 0.0])[year], processor=np.array([2, 0, 3])[year],
        position_latency=0.9e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _unequal_numbers_on_ccxs(hosts: int) -> Structure:
    """One host of two EPYC 9654: eight quadrants of three CCXs, to which as many ranks do not divide, so that some have
    a neighbour in their cache and some have none; 1 % of readings are disturbed. The numbers are chosen here."""
    ranks = max(hosts, 16)
    ccx = np.arange(ranks) * 24 // ranks
    apart = _levels_apart(ccx, ccx // 3, ccx // 12)
    return Structure(
        1, OneSwitch(1), each=ranks, inside_latency=np.array([0.17e-6, 0.29e-6, 0.35e-6, 0.62e-6])[apart],
        inside_rate=np.array([16e9, 12e9, 11e9, 7e9])[apart], hyperthreads=0.01,
    )  # fmt: skip


def _newer_racks_of_two_rails(hosts: int) -> Structure:
    """A weather service: both adapters of a host are on the leaf of its rack, of 100 Gbit/s or, in the last three of
    eight racks, 200; an uplink of 200 for 4, static; 1 % of readings are disturbed. The numbers are chosen here."""
    rack = np.arange(hosts) // max(4, min(16, hosts // 8))
    newer = 8 * rack >= 5 * (int(rack[-1]) + 1)
    return Structure(
        hosts, FatTree(rack.repeat(2), 4, "static", 2 * RATE), each=2, rails=2, one_plane=True, other_rail=0.0,
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None].repeat(2, axis=1), overhead=np.where(newer, 0.0, 0.1e-6),
        processor=np.where(newer, 3, 0), position_latency=np.full(2, 0.2e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.01,
    )  # fmt: skip


def _two_ccxs_in_groups_of_two_years(hosts: int) -> Structure:
    """Half of the hosts: one small EPYC with two ranks on each of two CCXs; a dragonfly, of which the first half of the
    groups has 100 Gbit/s, the other 200; all becomes 3 % slower. As laboratories. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 2)
    plane = Dragonfly(count, max(2, min(16, count // 16 * 2)), 0.25, 2 * RATE)
    newer = 2 * plane.group >= plane.groups
    return Structure(
        count, plane, each=4, socket=np.zeros(4, np.int64), rate=RATE * np.where(newer, 2.0, 1.0)[:, None],
        overhead=np.where(newer, 0.0, 0.16e-6), processor=np.where(newer, 4, 3), position_latency=np.full(4, 0.2e-6),
        inside_latency=np.where(far, 0.45e-6, 0.25e-6), inside_rate=np.where(far, 12e9, 22e9), hyperthreads=0.004,
        drift=0.03,
    )  # fmt: skip


def _eight_rails_without_relays(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs on 8 rails of 400 Gbit/s that do not meet, each a tree of its own, 1:1 static.

    As rail-only clusters whose software does not relay messages; 1 % of readings are disturbed. Numbers chosen here.
    """
    count = max(8, hosts // 4)
    return Structure(
        count, FatTree(np.arange(count) // max(2, min(16, count // 4)), 1, "static", 4 * RATE), each=8, rails=8,
        rails_meet=False, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 3),
        position_latency=np.full(8, 0.9e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 300e9), hyperthreads=0.01,
    )  # fmt: skip


def _bonds_of_four_ports(hosts: int) -> Structure:
    """A private cloud without virtual machines (RoCE): bonds of four ports of 25 Gbit/s on the leaf of the rack, 3:1.

    A hash gives each flow of two ranks a port and an uplink of 100 Gbit/s. The far socket reaches 95 %, 0.3 us later.
    """
    leaf, far = np.arange(hosts).repeat(4) // max(4, min(18, hosts // 4)), _far_socket(hosts, 2, 0.95, 0.3e-6)
    size = np.bincount(leaf)
    return replace(
        far, plane=FatTree(leaf, size / (np.ceil(size / 12) + 0.5), "static"), rails=4, one_plane=True, bonded=True,
        other_rail=0.0, rate=np.full((hosts, 4), 0.25 * RATE), processor=np.full(hosts, 3),
        position_latency=1.2e-6 + far.position_latency, tail=0.003,
    )  # fmt: skip


def _second_rail_of_a_later_year(hosts: int) -> Structure:
    """A university that added a rail for the second sockets: 100 Gbit/s 1:1, then 200 at 4:1, with leaves of its own.

    Re-hashed; messages from one rail to the other go by the spines. A rank on each socket. The numbers are chosen here.
    """
    rack = _leaves(hosts)
    racks, speed = int(rack[-1]) + 1, RATE * np.array([1.0, 2.0])
    return Structure(
        hosts, FatTree(_leaf_per_rail(rack, 2), np.repeat([1, 4], racks), "rehashed", speed.repeat(racks)), each=2,
        rails=2, one_plane=True, other_rail=0.0, rate=np.tile(speed, (hosts, 1)), processor=np.zeros(hosts, np.int64),
        position_latency=np.full(2, 0.25e-6), inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.003,
    )  # fmt: skip


def _two_rates_on_eight_rails(hosts: int, random: np.random.Generator) -> Structure:
    """A quarter of the hosts, of 8 GPUs; half of them, at random, have 400 Gbit/s on each rail, the others 200. 2:1.

    As providers that put newer hosts where older ones failed; uplinks of 400, adaptive. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    new = random.permutation(np.arange(count) % 2 == 1)
    pod = np.arange(count) // max(2, min(16, count // 4))
    return Structure(
        count, FatTree(_leaf_per_rail(pod, 8), 2, "adaptive", 4 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=RATE * np.where(new, 4.0, 2.0)[:, None].repeat(8, axis=1),
        overhead=np.where(new, 0.0, 0.12e-6), processor=np.where(new, 4, 3), position_latency=np.full(8, 0.9e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 250e9), hyperthreads=0.003,
    )  # fmt: skip


def _relayed_rails_of_two_rates(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs that relay messages to 4 rails with a tree each; the newer half of the leaves has 200.

    Uplinks of 100 Gbit/s, 2:1 for the older and 4:1 for the newer ones; routes linger. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaves(count)
    new = 2 * leaf > leaf[-1]
    return Structure(
        count, FatTree(leaf, 2, "lingering"), each=4, rails=4, relayed=True, other_rail=NVLINK_LATENCY,
        rate=RATE * np.where(new, 2.0, 1.0)[:, None].repeat(4, axis=1), overhead=np.where(new, 0.0, 0.1e-6),
        processor=np.where(new, 3, 0), position_latency=np.full(4, 1e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 80e9), tail=0.003,
    )  # fmt: skip


def _leaf_for_trays_of_a_place(hosts: int) -> Structure:
    """Two superchips share an adapter of 400 Gbit/s; NVLink joins 8 hosts of a rack, each two of them on another leaf.

    So a leaf has two hosts of each of 8 racks, and NVLink crosses leaves; 2:1 dealt out. The numbers are chosen here.
    """
    size = max(2, min(8, hosts // 4))
    rack, place = np.divmod(np.arange(hosts), size)
    leaves = min(4, size)
    return Structure(
        hosts, DealtOut(rack // 8 * leaves + place * leaves // size, 2, 4 * RATE), each=2, domain=size,
        rate=np.full((hosts, 1), 4 * RATE), processor=np.full(hosts, 4), position_latency=np.full(2, 0.8e-6),
        inside_latency=np.full((2, 2), NVLINK_LATENCY), inside_rate=np.full((2, 2), NVLINK_RATE), hyperthreads=0.002,
    )  # fmt: skip


def _either_socket_at_random(hosts: int, random: np.random.Generator) -> Structure:
    """A render farm (RoCE): technicians put the adapter on either socket, at random; 4:1 re-hashed, 1 % disturbed.

    200 Gbit/s, two ranks; the far one takes 0.28 us longer and reaches 92 % of the rate. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.92, 0.28e-6)
    return replace(
        far, plane=FatTree(_leaves(hosts), 4, "rehashed", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        turned=random.permutation(np.arange(hosts) % 2 == 1), processor=np.full(hosts, 3),
        position_latency=0.9e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _islands_of_both_rails(hosts: int) -> Structure:
    """A weather center: an adapter on each socket, trees of their own, islands of two leaves; 2:1 and 4:1 adaptive.

    Messages between the rails, and so between the sockets, take 0.4 us longer; it becomes 3 % slower as it gets warm.
    """
    leaf = np.arange(hosts) // max(2, min(16, hosts // 8))
    return Structure(
        hosts, Stacked(FatTree(leaf, 2, "adaptive"), FatTree(leaf // 2, 4, "adaptive"), CABLE), each=2, rails=2,
        other_rail=0.4e-6, processor=np.full(hosts, 3), position_latency=np.full(2, 0.2e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.002, drift=0.03,
    )  # fmt: skip


def _eight_rails_on_lags(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs, 8 adapters of 200 Gbit/s on the leaf of the rack, LAGs of 400 to one core, 2:1.

    As companies with one chassis switch: the leaf and the core choose a cable by a hash each. Numbers chosen here.
    """
    count = max(8, hosts // 4)
    rack = np.repeat(np.arange(count) // max(2, min(4, count // 4)), 8)
    return Structure(
        count, LagCore(rack, 4, 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3), position_latency=np.full(8, 1.4e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 180e9), tail=0.004,
    )  # fmt: skip


def _striped_omni_path(hosts: int) -> Structure:
    """A chemistry group: two Omni-Path adapters in two trees, 8:3, that each message uses (PSM2); tables that change.

    Two ranks; the second half of the leaves is newer, 0.14 us less at an end; 1 % disturbed. Numbers are chosen here.
    """
    leaf = np.arange(hosts) // max(4, min(32, hosts // 4))
    old = 2 * leaf <= leaf[-1]
    return Structure(
        hosts, Tables(leaf, 8 / 3), each=2, rails=2, striped=True, other_rail=0.0,
        overhead=np.where(old, 0.14e-6, 0.0), processor=np.where(old, 2, 0), position_latency=np.full(2, 0.3e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.01,
    )  # fmt: skip


def _rails_on_spines_of_two_makers(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs with 200 Gbit/s each, a leaf for each rail of each pod; spines of two makers in turns.

    A message takes 0.35 us longer by those of the second maker; 2:1, a hash chooses (RoCE). Numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaf_per_rail(np.arange(count) // max(2, min(16, count // 4)), 4)
    return Structure(
        count, UnlikeSpines(leaf, 2, "static", 2 * RATE, np.array([0.0, 0.35e-6])), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(4, 1.1e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 90e9), tail=0.003,
    )  # fmt: skip


def _numa_nodes_on_uplinks_by_sender(hosts: int) -> Structure:
    """Half of the hosts: two sockets of two NUMA nodes, a rank on each; an adapter on the second node of each socket.

    As a trading company (RoCE): both on the leaf of the rack, 4:1; the sender decides the uplink. Numbers chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, FatTree(np.repeat(_leaves(count), 2), 4, "by sender"), each=4, rails=2, one_plane=True, other_rail=0.0,
        processor=np.full(count, 3), position_rate=np.tile([0.96, 1.0], 2),
        position_latency=np.tile([0.97e-6, 0.9e-6], 2), hyperthreads=0.003,
        **_numa_places(4)[1],  # type: ignore[arg-type]
    )  # fmt: skip


def _newer_half_of_each_group(hosts: int) -> Structure:
    """A dragonfly; the second half of each group has 200 Gbit/s, as the cables, the others 100; 8 % detour.

    As HPE Cray EX of universities that replace one of two chassis of each cabinet. The numbers are chosen here.
    """
    size = 2 * max(1, min(8, hosts // 10))
    newer = 2 * (np.arange(hosts) % size) >= size
    return Structure(
        hosts, Dragonfly(hosts, size, 0.08, 2 * RATE), rate=RATE * np.where(newer, 2.0, 1.0)[:, None],
        overhead=np.where(newer, 0.0, 0.12e-6), processor=np.where(newer, 4, 3), position_latency=np.array([0.2e-6]),
        hyperthreads=0.002,
    )  # fmt: skip


def _gpus_in_the_second_chassis(hosts: int) -> Structure:
    """Chassis in a dragonfly, half of the messages detour; hosts of the second chassis have GPUs, 0.2 us longer.

    As Cray XC40 and XC50 of national centers with hybrid hosts; 1 % of readings 10x. The numbers are chosen here.
    """
    plane = Chassis(hosts, 4 * max(1, min(8, hosts // 16)), 0.5)
    gpus = plane.router >= plane.slots
    return Structure(
        hosts, plane, rate=np.full((hosts, 1), 0.8 * RATE), nominal=np.full((hosts, 1), RATE),
        overhead=np.where(gpus, 0.2e-6, 0.0), processor=np.where(gpus, 2, 0), position_latency=np.array([0.3e-6]),
        hyperthreads=0.01,
    )  # fmt: skip


def _whole_and_half_groups_of_two_rails(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs on 2 adapters of 400 Gbit/s, on two switches of their group; routes by load.

    As HPE Cray with Slingshot 400: a whole group, two half ones and again a whole one. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    sizes = np.tile(np.array([4, 2, 2, 4]) * max(1, min(4, count // 12)), count)
    group = np.repeat(np.arange(len(sizes)), sizes)[:count]
    switch = places_in(group)[:, None] // 4 * 2 + np.arange(2)
    return Structure(
        count, Slingshot(group.repeat(2), switch.ravel(), int(group[-1]) + 4, 4 * RATE), each=4, rails=2,
        one_plane=True, other_rail=0.0, rate=np.full((count, 2), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(4, 0.8e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 140e9), hyperthreads=0.003,
    )  # fmt: skip


def _newer_second_leaf_of_each_cell(hosts: int) -> Structure:
    """A dragonfly+ of 200 Gbit/s, of which the first leaf of each cell gives its hosts 100; two ranks, far socket.

    As BullSequana of a weather service that filled its cells in two years; 6 % detour. The numbers are chosen here.
    """
    plane = DragonflyPlus(hosts, 2 * max(2, min(12, hosts // 8)), 0.06, 2 * RATE)
    newer, far = plane.leaf % 2 == 1, _far_socket(hosts, 2, 0.93, 0.24e-6)
    return replace(
        far, plane=plane, rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.1e-6),
        processor=np.where(newer, 3, 0), position_latency=0.15e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _four_of_eight_rails_on_each_leaf(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs on 8 rails of 400 Gbit/s in a dragonfly+, 45 % of messages between cells detour.

    As DGX H100 on NDR of national centers: the rails of a socket are on one leaf of the cell. Numbers are chosen here.
    """
    count, rail = max(8, hosts // 4), np.arange(8)
    size = max(2, min(8, count // 4))  # hosts of a cell
    cell, place = np.divmod(np.arange(count)[:, None], size)
    taken = 8 * size * cell + 4 * size * (rail // 4) + 4 * place + rail % 4
    return Structure(
        count, PartOfDragonflyPlus(taken.ravel(), int(cell[-1, 0]) + 3, 8 * size, 0.45, 4 * RATE), each=8, rails=8,
        one_plane=True, other_rail=0.0, rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 0.9e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 330e9), hyperthreads=0.003,
    )  # fmt: skip


def _torus_for_each_socket(hosts: int) -> Structure:
    """Two sockets with a rank and a card each; cards make two tori in two dimensions, and a message stays in one.

    As small clusters with Extoll cards, without switches; cables do 8.4 GB/s, hosts 10. The numbers are chosen here.
    """
    return Structure(
        hosts, Torus(_sides(hosts, 2), 8.4e9), each=2, rails=2, relayed=True, other_rail=0.4e-6,
        rate=np.full((hosts, 2), 10e9), nominal=np.full((hosts, 2), RATE), processor=np.full(hosts, 2),
        position_latency=np.full(2, 0.3e-6), inside_latency=_across_sockets(np.arange(2)),
        inside_rate=np.full((2, 2), 9e9), hyperthreads=0.002,
    )  # fmt: skip


def _mesh_in_four_dimensions(hosts: int) -> Structure:
    """A mesh of hosts in four dimensions, cables of 6 GB/s and adapters of 6.4; two ranks, far socket.

    As part of a torus of Angara, whose rings the part does not close. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.9, 0.35e-6)
    return replace(
        far, plane=Mesh(_sides(hosts, 4), 6e9), rate=np.full((hosts, 1), 6.4e9), processor=np.full(hosts, 2),
        position_latency=0.25e-6 + far.position_latency, tail=0.003,
    )  # fmt: skip


def _replaced_on_a_torus_of_switches(hosts: int, random: np.random.Generator) -> Structure:
    """A torus of switches in two dimensions, 4 hosts on each; 40 Gbit/s, but 56, as cables, for a third, at random.

    As clusters of oil companies that replace hosts one by one as they fail. The numbers are chosen here.
    """
    newer = random.permutation(3 * np.arange(hosts) >= 2 * hosts)
    return Structure(
        hosts, SwitchTorus(hosts, _sides(max(2, hosts // 4), 2), 0.545 * RATE),
        rate=RATE * np.where(newer, 0.545, 0.32)[:, None], nominal=RATE * np.where(newer, 0.545, 0.4)[:, None],
        overhead=np.where(newer, 0.0, 0.2e-6), processor=np.full(hosts, 2), position_latency=np.array([0.25e-6]),
        hyperthreads=0.003,
    )  # fmt: skip


def _full_mesh_of_two_rails(hosts: int) -> Structure:
    """Two ranks and two adapters of 200 Gbit/s, on two switches of the rack; switches are joined each with each.

    As one group of Slingshot without further ones; a cable for 8 adapters, routes by load. The numbers are chosen here.
    """
    size = max(2, min(64, hosts // 4))
    return Structure(
        hosts, MeshByLoad(_leaf_per_rail(np.arange(hosts) // size, 2), max(1, size // 8), 2 * RATE), each=2, rails=2,
        one_plane=True, other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.full(2, 0.2e-6), inside_latency=_across_sockets(np.arange(2)),
        inside_rate=np.full((2, 2), 13e9), hyperthreads=0.003,
    )  # fmt: skip


def _one_way_rings_in_three_dimensions(hosts: int) -> Structure:
    """A grid of one-way rings in three dimensions: cables of 650 MB/s, hosts of 330; two ranks, 1 % of readings 10x.

    As clusters of Xeons with hyperthreads and SCI cards of Dolphin with three links. The numbers are chosen here.
    """
    return Structure(
        hosts, OneWayRings(_sides(hosts), 650e6), each=2, rate=np.full((hosts, 1), 330e6),
        processor=np.full(hosts, 2), position_latency=np.full(2, 1.3e-6), inside_rate=np.full((2, 2), 550e6),
        hyperthreads=0.01,
    )  # fmt: skip


def _whole_groups_and_quarters_in_rows(hosts: int) -> Structure:
    """100 Gbit/s on cables of 200, routes by load, groups in rows; two ranks, the adapter on the second socket.

    As Slingshot-10 of weather services: two whole groups, then a quarter of four. Drift; the numbers are chosen here.
    """
    sizes = np.tile(np.array([4, 4, 1, 1, 1, 1]) * max(2, min(8, hosts // 16)), hosts)
    group, far = np.repeat(np.arange(len(sizes)), sizes)[:hosts], _far_socket(hosts, 2, 0.95, 0.28e-6)
    return replace(
        far, plane=SlingshotInRows(group, places_in(group) // 4, int(group[-1]) + 3, 2 * RATE, 0.07e-6),
        processor=np.full(hosts, 3), turned=np.ones(hosts, bool), position_latency=0.2e-6 + far.position_latency,
        hyperthreads=0.002, drift=0.03,
    )  # fmt: skip


def _closed_along_the_longer_side(hosts: int) -> Structure:
    """Half of the hosts: 4 chips with a link of 100 GB/s each, in a grid that is closed along its longer side only.

    As slices of TPU v6e that are a whole row long, two links between two hosts. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    links = _links({(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): 1}, 4)
    return Structure(
        count, ClosedAlongOne(_nearly_square(count)[::-1], 200e9), each=4, rate=np.full((count, 1), 400e9),
        processor=np.full(count, 3), position_rate=np.full(4, 0.25), position_latency=np.full(4, 0.4e-6),
        inside_latency=np.where(links > 0, 0.7e-6, 1e-6), inside_rate=np.full((4, 4), 100e9), hyperthreads=0.001,
    )  # fmt: skip


def _equal_uplinks(leaf: Index, uplinks: int) -> Values:
    """The ratio of each leaf with which all have as many: `uplinks`, in larger clusters up to 4 times as many."""
    return np.asarray(np.bincount(leaf) / (uplinks * max(1, min(4, len(leaf) // 32)) + 0.5))


def _images_of_brains(hosts: int) -> Structure:
    """One switch of 400 Gbit/s; four ranks, far socket. 1 % of readings are disturbed by hyperthreads.

    As institutes with scanners, that have one rack of large hosts. The numbers are chosen here.
    """
    return replace(_far_socket(hosts, 4, 0.88, 0.32e-6), rate=np.full((hosts, 1), 4 * RATE), hyperthreads=0.01)


def _web_shop_by_day(hosts: int) -> Structure:
    """One switch of 25 Gbit/s by TCP, a rank in each host; 1 % of readings are disturbed; drift of 4 %.

    As firms that compute at night on what serves a web shop by day. The numbers are chosen here.
    """
    return Structure(
        hosts, OneSwitch(hosts), rate=np.full((hosts, 1), 0.25 * RATE), position_latency=np.array([8e-6]),
        interrupts=1.5e-6, hyperthreads=0.01, drift=0.04,
    )  # fmt: skip


def _second_hand_servers(hosts: int) -> Structure:
    """One switch of 100 Gbit/s; two ranks, the adapter of every fourth host is on the second socket; drift of 5 %.

    As groups that buy used servers, in some of which the first slot is taken. The numbers are chosen here.
    """
    return replace(_far_socket(hosts, 2, 0.91, 0.27e-6), turned=np.arange(hosts) % 4 == 3, drift=0.05)


def _crystals(hosts: int) -> Structure:
    """400 Gbit/s, 1:1 adaptive; leaves of 6, 10, 8 and 8 hosts. Two ranks, far socket; drift of 3 %.

    As beam lines, which have leaves of a synchrotron's cluster in their halls. The numbers are chosen here.
    """
    return replace(
        _far_socket(hosts, 2, 0.89, 0.24e-6), plane=FatTree(_leaves_of(hosts, 6, 10, 8, 8), 1, "adaptive", 4 * RATE),
        rate=np.full((hosts, 1), 4 * RATE), drift=0.03,
    )  # fmt: skip


def _half_racks(hosts: int) -> Structure:
    """RoCE of 25 Gbit/s, a rank in each host; 1:1 static, leaves of 4. 1 % of readings are disturbed; drift of 6 %.

    As hosting companies with a switch in the middle of each half rack. The numbers are chosen here.
    """
    leaf = _leaves_of(hosts, *[4] * 8)
    return Structure(
        hosts, FatTree(leaf, _equal_uplinks(leaf, 4), "static", 0.25 * RATE), rate=np.full((hosts, 1), 0.25 * RATE),
        position_latency=np.array([0.9e-6]), hyperthreads=0.01, drift=0.06,
    )  # fmt: skip


def _images_from_satellites(hosts: int) -> Structure:
    """RoCE of 200 Gbit/s; four leaves of 6 hosts and one of 8, four re-hashed uplinks each: 3:2 and 2:1. Far socket.

    As archives whose last rack has more current; 1 % of readings are disturbed. The numbers are chosen here.
    """
    leaf, far = _leaves_of(hosts, 6, 6, 6, 6, 8), _far_socket(hosts, 2, 0.92, 0.3e-6)
    return replace(
        far, plane=FatTree(leaf, _equal_uplinks(leaf, 4), "rehashed", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        position_latency=0.6e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _laboratories_on_two_uplinks(hosts: int) -> Structure:
    """RoCE of 50 Gbit/s, a rank in each host; leaves of 4, 12, 6 and 10 hosts, two static uplinks of 100 Gbit/s each.

    1:1 to 3:1, as laboratories that share two spines; 1 % of readings are disturbed. The numbers are chosen here.
    """
    leaf = _leaves_of(hosts, 4, 12, 6, 10)
    return Structure(
        hosts, FatTree(leaf, _equal_uplinks(leaf, 2), "static"), rate=np.full((hosts, 1), 0.5 * RATE),
        position_latency=np.array([1.1e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _echoes_from_the_ground(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s, 4:1 re-hashed; four ranks, far socket; drift of 5 %.

    As surveyors of oil and gas, in containers that heat up. The numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 4, 0.94, 0.28e-6)
    sizes = np.bincount(leaf)
    plane = FatTree(leaf, sizes / (sizes[0] // 4 + 0.5), "rehashed")
    return replace(far, plane=plane, position_latency=0.7e-6 + far.position_latency, drift=0.05)


def _desks_of_traders(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s; leaves of 6, 9, 7 and 10 hosts with four lingering uplinks each, 3:2 to 5:2. Far socket.

    As traders with a rack for each desk; 1 % of readings are disturbed. The numbers are chosen here.
    """
    leaf, far = _leaves_of(hosts, 6, 9, 7, 10), _far_socket(hosts, 2, 0.95, 0.26e-6)
    return replace(
        far, plane=FatTree(leaf, _equal_uplinks(leaf, 4), "lingering"), position_latency=0.5e-6 + far.position_latency,
        hyperthreads=0.01,
    )  # fmt: skip


def _floors_of_a_hospital(hosts: int) -> Structure:
    """InfiniBand of 200 Gbit/s, a rank in each host; leaves of 4, 9, 11 and 8 hosts with four uplinks, by receiver.

    1:1 to 11:4, as hospitals with a leaf on each floor, where cooling is weak: drift of 7 %. The numbers are chosen
    here."""
    leaf = _leaves_of(hosts, 4, 9, 11, 8)
    return Structure(
        hosts, FatTree(leaf, _equal_uplinks(leaf, 4), "by receiver", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        position_latency=np.array([0.1e-6]), drift=0.07,
    )  # fmt: skip


def _flowlets_of_far_sockets(hosts: int) -> Structure:
    """RoCE of 200 Gbit/s, 2:1, flowlets; two ranks, far socket. 1 % of readings are disturbed; drift of 2 %.

    As makers of chips whose Ethernet switches balance by load. The numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 2, 0.93, 0.29e-6)
    return replace(
        far, plane=Flowlets(leaf, int(np.bincount(leaf)[0]) // 2, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        position_latency=0.65e-6 + far.position_latency, hyperthreads=0.01, drift=0.02,
    )  # fmt: skip


def _leaves_filled_by_projects(hosts: int) -> Structure:
    """400 Gbit/s, a rank in each host; leaves of 5, 13, 6 and 8 hosts, four uplinks each, adaptive: 5:4 to 13:4.

    As centers where each project fills a leaf; 1 % of readings are disturbed; drift of 4 %. The numbers are chosen
    here."""
    leaf = _leaves_of(hosts, 5, 13, 6, 8)
    return Structure(
        hosts, FatTree(leaf, _equal_uplinks(leaf, 4), "adaptive", 4 * RATE), rate=np.full((hosts, 1), 4 * RATE),
        position_latency=np.array([0.15e-6]), hyperthreads=0.01, drift=0.04,
    )  # fmt: skip


def _three_rates_on_two_ccxs(hosts: int, random: np.random.Generator) -> Structure:
    """A software company (RoCE), half of the hosts: one small EPYC with two ranks on each of two CCXs, one switch; at
    random a quarter of the hosts has 25 Gbit/s, half have 100, a quarter 200. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 2)
    kind = random.permutation(np.array([1, 0, 1, 2])[np.arange(count) % 4])
    return Structure(
        count, OneSwitch(count), each=4, socket=np.zeros(4, np.int64),
        rate=RATE * np.array([0.25, 1.0, 2.0])[kind][:, None], overhead=np.array([0.35e-6, 0.15e-6, 0.0])[kind],
        processor=np.array([2, 0, 3])[kind], position_latency=np.full(4, 0.9e-6),
        inside_latency=np.where(far, 0.5e-6, 0.22e-6), inside_rate=np.where(far, 11e9, 21e9), hyperthreads=0.01,
    )  # fmt: skip


def _three_years_in_a_row_of_racks(hosts: int) -> Structure:
    """A row of racks of which the first third has 100 Gbit/s, the next 200, the last 400: nothing blocks, cables are
    longer to further racks; as institutes that fill a row from one end. Drift; the numbers are chosen here."""
    plane = Racks(hosts, 2 * max(1, min(20, hosts // 16)))
    year = plane.group * 3 // (int(plane.group[-1]) + 1)
    return Structure(
        hosts, plane, rate=RATE * np.array([1.0, 2.0, 4.0])[year][:, None],
        overhead=np.array([0.2e-6, 0.08e-6, 0.0])[year], processor=np.array([0, 3, 4])[year],
        position_latency=np.array([0.2e-6]), hyperthreads=0.004, drift=0.05,
    )  # fmt: skip


def _twelve_ccxs_in_quadrants(hosts: int) -> Structure:
    """A quarter of the hosts: one EPYC of four quadrants of three CCXs, a rank on each; one switch, the first half has
    200 Gbit/s, the later one 400; the adapter is on the third quadrant. The numbers are chosen here."""
    count, far = max(8, hosts // 4), _in_other_parts(12, 3)
    newer = 2 * np.arange(count) >= count
    return Structure(
        count, OneSwitch(count), each=12, socket=np.zeros(12, np.int64),
        rate=RATE * np.where(newer, 4.0, 2.0)[:, None], overhead=np.where(newer, 0.0, 0.12e-6),
        processor=np.where(newer, 4, 3), position_latency=0.2e-6 + np.repeat([0.07e-6, 0.04e-6, 0.0, 0.04e-6], 3),
        inside_latency=np.where(far, 0.44e-6, 0.36e-6), inside_rate=np.where(far, 12e9, 15e9), hyperthreads=0.01,
    )  # fmt: skip


def _three_rates_anywhere_on_fixed_uplinks(hosts: int, random: np.random.Generator) -> Structure:
    """A hosting company (RoCE): a quarter of the hosts has 25 Gbit/s, half have 100, a quarter 200, at random; a hash
    gives each pair one of equally many uplinks of 200 at each leaf, about 2:1. The numbers are chosen here."""
    kind, leaf = random.permutation(np.array([1, 2, 0, 1])[np.arange(hosts) % 4]), _leaves(hosts)
    size = np.bincount(leaf)
    return Structure(
        hosts, FatTree(leaf, size / (size[0] // 4 + 0.5), "static", 2 * RATE),
        rate=RATE * np.array([0.25, 1.0, 2.0])[kind][:, None], overhead=np.array([0.4e-6, 0.15e-6, 0.0])[kind],
        processor=np.array([2, 0, 3])[kind], position_latency=np.array([0.9e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _three_years_in_each_leaf(hosts: int) -> Structure:
    """InfiniBand of a university that spread each purchase over all racks: 56, 100 and 200 Gbit/s behind each leaf, an
    adaptive uplink of 200 for two hosts; two ranks, far socket. The numbers are chosen here."""
    leaf, far = _leaves(hosts), _far_socket(hosts, 2, 0.94, 0.26e-6)
    year = places_in(leaf) * 3 // np.bincount(leaf)[leaf]
    return replace(
        far, plane=FatTree(leaf, 2, "adaptive", 2 * RATE), rate=RATE * np.array([0.545, 1.0, 2.0])[year][:, None],
        overhead=np.array([0.25e-6, 0.1e-6, 0.0])[year], processor=np.array([2, 0, 3])[year],
        position_latency=0.2e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _quadrants_in_racks_of_two_rates(hosts: int) -> Structure:
    """Half of the hosts: one socket of four quadrants with a rank each, the adapter on the last one; racks of 200 and
    400 Gbit/s in turns, two hosts for an uplink of 400, routes linger; drift. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    leaf = _leaves(count)
    size, newer = np.bincount(leaf), leaf % 2 == 1
    return Structure(
        count, FatTree(leaf, size / (size[0] // 2 + 0.5), "lingering", 4 * RATE), each=4, socket=np.zeros(4, np.int64),
        rate=RATE * np.where(newer, 4.0, 2.0)[:, None], overhead=np.where(newer, 0.0, 0.1e-6),
        processor=np.where(newer, 4, 3), position_latency=0.7e-6 + np.where(far[3], 0.06e-6, 0.0),
        inside_latency=INSIDE_LATENCY + np.where(far, 0.07e-6, 0.0), inside_rate=np.where(far, 15e9, 21e9),
        hyperthreads=0.003, drift=0.04,
    )  # fmt: skip


def _newer_quarter_anywhere_in_pods(hosts: int, random: np.random.Generator) -> Structure:
    """A small EPYC with a rank on each of two CCXs; a quarter of the hosts, at random, has 200 Gbit/s, the others 100;
    pods of two leaves, an uplink of 200 for two hosts and then for four, adaptive. The numbers are chosen here."""
    leaf, far = np.arange(hosts) // (2 * max(1, min(8, hosts // 16))), _in_other_parts(2, 1)
    newer = random.permutation(4 * np.arange(hosts) >= 3 * hosts)
    plane = Stacked(FatTree(leaf, 2, "adaptive", 2 * RATE), FatTree(leaf // 2, 4, "adaptive", 2 * RATE), CABLE)
    return Structure(
        hosts, plane, each=2, socket=np.zeros(2, np.int64), rate=RATE * np.where(newer, 2.0, 1.0)[:, None],
        overhead=np.where(newer, 0.0, 0.14e-6), processor=np.where(newer, 3, 0), position_latency=np.full(2, 0.2e-6),
        inside_latency=np.where(far, 0.45e-6, 0.2e-6), inside_rate=np.where(far, 12e9, 20e9), hyperthreads=0.01,
    )  # fmt: skip


def _newer_third_on_ccxs_by_load(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: one EPYC with a rank on each of four CCXs; Slingshot, two hosts on a switch, routes by load; a
    third of the hosts, at random, has 200 Gbit/s, the others still 100. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    group = np.arange(count) // (2 * max(1, min(8, count // 8)))
    newer = random.permutation(3 * np.arange(count) >= 2 * count)
    return Structure(
        count, Slingshot(group, places_in(group) // 2, int(group[-1]) + 4, 2 * RATE), each=4,
        socket=np.zeros(4, np.int64), rate=RATE * np.where(newer, 2.0, 1.0)[:, None],
        overhead=np.where(newer, 0.0, 0.18e-6), processor=np.where(newer, 4, 3), position_latency=np.full(4, 0.2e-6),
        inside_latency=np.where(far, 0.48e-6, 0.25e-6), inside_rate=np.where(far, 12e9, 20e9), hyperthreads=0.01,
    )  # fmt: skip


def _cells_of_three_years(hosts: int) -> Structure:
    """A dragonfly+ of a national center that added cells: the first third has 100 Gbit/s, the next 200, the last 400,
    as all cables; half of the messages try a third cell. The numbers are chosen here."""
    plane = DragonflyPlus(hosts, 4 * max(1, min(6, hosts // 32)), 0.5, 4 * RATE)
    year = plane.group * 3 // plane.groups
    return Structure(
        hosts, plane, rate=RATE * np.array([1.0, 2.0, 4.0])[year][:, None],
        overhead=np.array([0.22e-6, 0.1e-6, 0.0])[year], processor=np.array([0, 3, 4])[year],
        position_latency=np.array([0.2e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _quadrants_of_two_rates_in_a_dragonfly(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: one socket of four quadrants with a rank each, the adapter on the second; a dragonfly, 15 %
    detour; three of eight hosts, at random, have 400 Gbit/s, others 200; drift. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    newer = random.permutation(8 * np.arange(count) >= 5 * count)
    return Structure(
        count, Dragonfly(count, 2 * max(1, min(8, count // 8)), 0.15, 4 * RATE), each=4, socket=np.zeros(4, np.int64),
        rate=RATE * np.where(newer, 4.0, 2.0)[:, None], overhead=np.where(newer, 0.0, 0.11e-6),
        processor=np.where(newer, 4, 3), position_latency=0.2e-6 + np.where(far[1], 0.05e-6, 0.0),
        inside_latency=INSIDE_LATENCY + np.where(far, 0.06e-6, 0.0), inside_rate=np.where(far, 14e9, 22e9),
        hyperthreads=0.003, drift=0.03,
    )  # fmt: skip


def _four_sockets_of_two_numa_nodes(hosts: int) -> Structure:
    """One host with a large memory for databases: four sockets, joined each with each, of two NUMA nodes, to which
    ranks go in turns; 1 % of readings are disturbed; drift. The numbers are chosen here."""
    ranks = max(hosts, 16)
    node = np.arange(ranks) % 8
    apart = _levels_apart(node, node // 2)
    return Structure(
        1, OneSwitch(1), each=ranks, inside_latency=np.array([0.21e-6, 0.28e-6, 0.56e-6])[apart],
        inside_rate=np.array([13e9, 10e9, 6e9])[apart], hyperthreads=0.01, drift=0.04,
    )  # fmt: skip


def _ccxs_on_symmetric_hashes(hosts: int) -> Structure:
    """Half of the hosts, of a bank: two sockets of two CCXs, a rank on each; the first half of the racks has 25 Gbit/s,
    the other 100; an uplink of 100 for two, the same spine there and back. The numbers are chosen here."""
    count, ccx = max(8, hosts // 2), np.arange(4)
    far, leaf, apart = _far_socket(count, 4, 0.93, 0.3e-6), _leaves(count), _levels_apart(ccx, ccx // 2)
    size, newer = np.bincount(leaf), 2 * leaf > leaf[-1]
    return replace(
        far, plane=SameSpineBack(leaf, size / (size[0] // 2 + 0.5)), rate=RATE * np.where(newer, 1.0, 0.25)[:, None],
        overhead=np.where(newer, 0.0, 0.3e-6), processor=np.where(newer, 3, 2),
        position_latency=0.9e-6 + far.position_latency, hyperthreads=0.01,
        inside_latency=np.array([0.2e-6, 0.42e-6, 0.75e-6])[apart], inside_rate=np.array([18e9, 12e9, 8e9])[apart],
    )  # fmt: skip


def _bonds_behind_tunnels(hosts: int) -> Structure:
    """A bank's cloud without virtual machines: bonds of two ports of 100 Gbit/s on the two leaves of a rack, 2:1.

    All from one leaf to another is in one tunnel and takes one uplink. Two ranks, far socket. Numbers are chosen here.
    """
    rack, far = np.arange(hosts) // max(2, min(8, hosts // 4)), _far_socket(hosts, 2, 0.94, 0.27e-6)
    return replace(
        far, plane=LeafTunnels(_leaf_per_rail(rack, 2), 2), rails=2, one_plane=True, bonded=True, other_rail=0.0,
        rate=np.full((hosts, 2), RATE), processor=np.full(hosts, 3), position_latency=1.1e-6 + far.position_latency,
        hyperthreads=0.003,
    )  # fmt: skip


def _bonds_of_four_planes(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs share a bond of four ports of 200 Gbit/s, each on a tree of its own, 2:1 re-hashed.

    As newer RoCE clusters with planes; GPUs of the second socket are far from the card. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _far_socket(count, 4, 0.95, 0.24e-6)
    return replace(
        far, plane=FatTree(np.arange(count) // max(2, min(4, count // 4)), 2, "rehashed", 2 * RATE), rails=4,
        bonded=True, rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 4),
        position_latency=1e-6 + far.position_latency, inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 120e9), hyperthreads=0.004,
    )  # fmt: skip


def _separate_rails_of_two_rates(hosts: int, random: np.random.Generator) -> Structure:
    """A laboratory with a network for each socket, which do not meet; half of the hosts, at random, have 200 Gbit/s on
    both, others 100; uplinks of 200, adaptive, 3:1 on average; it becomes 4 % slower. The numbers are chosen here."""
    newer = random.permutation(np.arange(hosts) % 2 == 1)
    return Structure(
        hosts, FatTree(np.arange(hosts) // max(2, min(8, hosts // 4)), 4, "adaptive", 2 * RATE), each=2, rails=2,
        rails_meet=False, rate=RATE * np.where(newer, 2.0, 1.0)[:, None].repeat(2, axis=1),
        overhead=np.where(newer, 0.0, 0.14e-6), processor=np.where(newer, 3, 0), position_latency=np.full(2, 0.2e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.002, drift=0.04,
    )  # fmt: skip


def _four_rails_of_the_first_socket(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs, whose 4 adapters of 100 Gbit/s are all on the first socket, and the leaf of the rack.

    So two GPUs are far from theirs; 4:1, routes linger; 1 % of readings are disturbed. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    rack, far = np.arange(count) // max(2, min(4, count // 4)), _far_socket(count, 4, 0.88, 0.35e-6)
    return replace(
        far, plane=FatTree(rack.repeat(4), 4, "lingering"), rails=4, one_plane=True, other_rail=0.0,
        rate=np.full((count, 4), RATE), processor=np.full(count, 3), position_latency=1.2e-6 + far.position_latency,
        hyperthreads=0.01,
    )  # fmt: skip


def _striped_on_the_leaf_of_the_rack(hosts: int) -> Structure:
    """Two adapters of 100 Gbit/s on the leaf of the rack, over which each message is striped; 4:1 re-hashed (RoCE).

    As makers of cars; the second half of the racks has newer processors; 1 % disturbed. The numbers are chosen here.
    """
    rack = np.arange(hosts) // max(2, min(8, hosts // 8))
    old = 2 * rack < rack[-1]
    return Structure(
        hosts, FatTree(rack.repeat(2), 4, "rehashed"), each=2, rails=2, one_plane=True, striped=True, other_rail=0.0,
        overhead=np.where(old, 0.16e-6, 0.0), processor=np.where(old, 0, 3), position_latency=np.full(2, 0.9e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.01,
    )  # fmt: skip


def _bridged_gpus_on_relayed_rails(hosts: int) -> Structure:
    """Two bridged GPUs and an adapter of 100 Gbit/s for each, in trees that do not meet; 4:1 re-hashed, 1 % disturbed.

    As RoCE clusters of universities: a message to the other rail crosses the bridge first. The numbers are chosen here.
    """
    return Structure(
        hosts, FatTree(np.arange(hosts) // max(2, min(8, hosts // 4)), 4, "rehashed"), each=2, rails=2, relayed=True,
        other_rail=NVLINK_LATENCY, processor=np.full(hosts, 3), position_latency=np.full(2, 1e-6),
        inside_latency=np.full((2, 2), NVLINK_LATENCY), inside_rate=np.full((2, 2), 50e9), hyperthreads=0.01,
    )  # fmt: skip


def _nvlink_pairs_with_relayed_rails(hosts: int) -> Structure:
    """Half of the hosts: NVLink joins the 8 GPUs of two hosts; 4 rails of 400 Gbit/s with trees of their own, relayed.

    2:1, routes linger; a leaf has two such pairs, or one in small clusters. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    return Structure(
        count, FatTree(np.arange(count) // (4 if count >= 16 else 2), 2, "lingering", 4 * RATE), each=4, rails=4,
        relayed=True, other_rail=NVLINK_LATENCY, domain=2, rate=np.full((count, 4), 4 * RATE),
        processor=np.full(count, 4), position_latency=np.full(4, 0.8e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), NVLINK_RATE), hyperthreads=0.003,
    )  # fmt: skip


def _sender_hashed_racks_of_two_rates(hosts: int) -> Structure:
    """A biology institute (RoCE): racks of 100 and 200 Gbit/s in turns; a hash of the sender says the uplink, of 100.

    2:1 and 4:1; two ranks, the far socket 0.3 us longer; 1 % of readings are disturbed. The numbers are chosen here.
    """
    rack, far = np.arange(hosts) // max(2, min(8, hosts // 8)), _far_socket(hosts, 2, 0.93, 0.3e-6)
    newer = rack % 2 == 1
    return replace(
        far, plane=FatTree(rack, 2, "by sender"), rate=RATE * np.where(newer, 2.0, 1.0)[:, None],
        overhead=np.where(newer, 0.0, 0.13e-6), processor=np.where(newer, 3, 0),
        position_latency=0.9e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _odd_and_even_of_eight_rails(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs, 8 adapters of 400 Gbit/s; two hosts in a rack, its leaves for odd and even rails.

    As clusters for inference (RoCE) with few uplinks, 4:1 re-hashed; 1 % of readings disturbed. Numbers chosen here.
    """
    count = max(8, hosts // 4)
    leaf = np.tile(_leaf_per_rail(np.arange(count) // 2, 2).reshape(count, 2), 4).ravel()
    return Structure(
        count, FatTree(leaf, 4, "rehashed", 4 * RATE), each=8, rails=8, one_plane=True, other_rail=0.0,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 0.9e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 300e9), hyperthreads=0.01,
    )  # fmt: skip


def _islands_of_four_separate_rails(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs on 4 rails of 200 Gbit/s that do not meet; islands of two leaves, 1:1, then 2:1.

    As Ethernet of a startup, re-hashed at both levels; 5 % slower in the course of the run. Numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = 4 if count >= 32 else 2  # hosts of a leaf
    leaf = np.arange(count) // size
    upper = FatTree(leaf // 2, np.bincount(leaf // 2) / (size + 0.5), "rehashed", 2 * RATE)
    return Structure(
        count, Stacked(FatTree(leaf, 1, "rehashed", 2 * RATE), upper), each=4, rails=4, rails_meet=False,
        rate=np.full((count, 4), 2 * RATE), processor=np.full(count, 3), position_latency=np.full(4, 1.1e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 90e9), hyperthreads=0.003,
        drift=0.05,
    )  # fmt: skip


def _every_second_adapter_replaced(hosts: int) -> Structure:
    """Half of the hosts: 4 adapters of 100 Gbit/s, of which the second and the fourth were replaced by ones of 200.

    All on the leaf of the rack; uplinks of 200, 3:1 adaptive; drift of 4 %. As small AI clusters. Numbers chosen here.
    """
    count = max(8, hosts // 2)
    rack = np.arange(count) // max(2, min(4, count // 4))
    return Structure(
        count, FatTree(rack.repeat(4), 4, "adaptive", 2 * RATE), each=4, rails=4, one_plane=True, other_rail=0.0,
        rate=np.tile([RATE, 2 * RATE], (count, 2)), processor=np.full(count, 3), position_latency=np.full(4, 0.5e-6),
        inside_latency=_across_sockets(np.arange(4) // 2), hyperthreads=0.003, drift=0.04,
    )  # fmt: skip


def _sender_hashed_pods_of_eight_rails(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs, a leaf for each rail of each pod; a hash of the sender says the uplink, 1:1.

    So two of a leaf may always share one; 1 % of readings disturbed, drift of 3 %. As first RoCE clusters of companies.
    """
    count = max(8, hosts // 4)
    size = max(2, min(16, count // 4))  # hosts of a pod
    leaf = _leaf_per_rail(np.arange(count) // size, 8)
    return Structure(
        count, FatTree(leaf, np.bincount(leaf) / (size + 0.5), "by sender", 2 * RATE), each=8, rails=8,
        one_plane=True, other_rail=0.0, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(8, 1.1e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 200e9), hyperthreads=0.01, drift=0.03,
    )  # fmt: skip


def _every_second_blade_newer(hosts: int) -> Structure:
    """A dragonfly in which 65 % of the messages between groups try a detour; blades of two hosts, 100 and 200 Gbit/s.

    As a Cray EX whose routes avoid the direct cables, every second blade of which was replaced. The numbers are chosen.
    """
    newer, far = np.arange(hosts) // 2 % 2 == 1, _far_socket(hosts, 2, 0.94, 0.22e-6)
    return replace(
        far, plane=Dragonfly(hosts, 4 * max(1, min(4, hosts // 32)), 0.65, 2 * RATE),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.14e-6),
        processor=np.where(newer, 4, 3), position_latency=0.15e-6 + far.position_latency, hyperthreads=0.002,
    )  # fmt: skip


def _whole_groups_and_parts_of_two_rails(hosts: int) -> Structure:
    """A dragonfly of which a job has a whole group, two thirds of one, a third and two thirds; few messages detour.

    As national centers with an adapter on each socket; detours also take two groups that the job has not. The numbers
    are chosen here.
    """
    group = _leaves_of(hosts, 6, 4, 2, 4)
    groups = int(group[-1]) + 3
    cables = max(1, 2 * int(np.bincount(group).max()) // groups)
    return Structure(
        hosts, Bundles(group.repeat(2), np.full((groups, groups), cables), 0.1, 2 * RATE), each=2, rails=2,
        one_plane=True, other_rail=HOP, rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.full(2, 0.25e-6), inside_latency=_across_sockets(np.arange(2)),
        inside_rate=np.full((2, 2), 15e9), hyperthreads=0.003,
    )  # fmt: skip


def _second_rail_by_load(hosts: int) -> Structure:
    """A dragonfly by load; the second sockets got an adapter of 200 Gbit/s later, the first ones have 100. Drift.

    As a Slingshot system between two phases: a job has whole groups and thirds in turns. The numbers are chosen here.
    """
    group = _leaves_of(hosts, 6, 2, 6, 2)
    switch = places_in(group)[:, None] // 4 * 2 + np.arange(2)
    return Structure(
        hosts, Slingshot(group.repeat(2), switch.ravel(), int(group[-1]) + 4, 2 * RATE), each=2, rails=2,
        one_plane=True, other_rail=0.0, rate=np.tile(RATE * np.array([1.0, 2.0]), (hosts, 1)),
        processor=np.full(hosts, 3), position_latency=np.full(2, 0.22e-6), drift=0.04,
        inside_latency=_across_sockets(np.arange(2)), inside_rate=np.full((2, 2), 13e9),
    )  # fmt: skip


def _unequal_rows_of_numa_nodes(hosts: int) -> Structure:
    """Half of the hosts: 4 NUMA nodes, an adapter of 200 Gbit/s on each socket; routes by load between unequal rows.

    As a weather service: groups of 5 and 3 hosts in turns, each a row of the hall; 1 % of readings 10x. Numbers chosen.
    """
    count = max(8, hosts // 2)
    group = _leaves_of(count, 5, 3, 5, 3)
    switch = places_in(group)[:, None] // 4 * 2 + np.arange(2)
    return Structure(
        count, SlingshotInRows(group.repeat(2), switch.ravel(), int(group[-1]) + 3, 2 * RATE, 0.09e-6), each=4, rails=2,
        one_plane=True, other_rail=0.0, rate=np.full((count, 2), 2 * RATE), processor=np.full(count, 4),
        position_latency=np.tile([0.2e-6, 0.26e-6], 2), hyperthreads=0.01,
        **_numa_places(4)[1],  # type: ignore[arg-type]
    )  # fmt: skip


def _cells_in_two_rooms(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs on 2 adapters of 400 Gbit/s on a leaf; cells of a dragonfly+ in two rooms, 50 m apart.

    As a center that had no room left for the second half of its cells; 45 % detour. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = 4 * max(1, min(4, count // 16))
    cells = -(-count // size)
    plane = DragonflyPlusInRows(2 * count, 2 * size, 0.45, 4 * RATE, 2 * np.arange(cells) // cells, 0.25e-6)
    return Structure(
        count, plane, each=4, rails=2, one_plane=True, other_rail=0.0, rate=np.full((count, 2), 4 * RATE),
        processor=np.full(count, 4), position_latency=np.tile([0.7e-6, 0.78e-6], 2),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 140e9), hyperthreads=0.002,
    )  # fmt: skip


def _cells_of_three_rates(hosts: int) -> Structure:
    """A dragonfly+ with cables of 400 Gbit/s; cells of 100, then of 200, then of 400; few detours, far socket.

    As an InfiniBand system of which a cell or two are bought in each phase. The numbers are chosen here.
    """
    plane = DragonflyPlus(hosts, 4 * max(1, min(4, hosts // 16)), 0.1, 4 * RATE)
    year, far = plane.group * 3 // plane.groups, _far_socket(hosts, 2, 0.95, 0.26e-6)
    return replace(
        far, plane=plane, rate=RATE * np.array([1.0, 2.0, 4.0])[year][:, None],
        overhead=np.array([0.2e-6, 0.09e-6, 0.0])[year], processor=np.array([0, 3, 4])[year],
        position_latency=0.18e-6 + far.position_latency, tail=0.003,
    )  # fmt: skip


def _second_leaf_of_each_cell(hosts: int) -> Structure:
    """A dragonfly+ of which a job has the second leaf of each cell; two adapters of 200 Gbit/s on it, one per socket.

    As a partition of one kind of host that is spread over all cells, and two that it has not. 1 % of readings are 10x.
    """
    leaf, rail = max(2, min(16, hosts // 4)), np.arange(2)
    cell, place = np.divmod(np.arange(hosts)[:, None], leaf)
    taken = 4 * leaf * cell + 2 * leaf + 2 * place + rail
    return Structure(
        hosts, PartOfDragonflyPlus(taken.ravel(), int(cell[-1, 0]) + 3, 4 * leaf, 0.35, 2 * RATE), each=2, rails=2,
        one_plane=True, other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.full(2, 0.28e-6), inside_latency=_across_sockets(rail), hyperthreads=0.01,
    )  # fmt: skip


def _newer_end_of_a_torus(hosts: int) -> Structure:
    """A torus of switches in three dimensions; the last three eighths of them have hosts of 100 Gbit/s, others 56.

    Two or four hosts on a switch, far socket, cables of 100 Gbit/s; 1 % of readings 10x. As a small seismic company.
    """
    switches = max(2, hosts // (2 if hosts < 64 else 4))
    plane, far = SwitchTorus(hosts, _sides(switches), RATE), _far_socket(hosts, 2, 0.93, 0.3e-6)
    newer = 8 * plane.group >= 5 * switches
    return replace(
        far, plane=plane, rate=RATE * np.where(newer, 1.0, 0.545)[:, None], overhead=np.where(newer, 0.0, 0.16e-6),
        processor=np.where(newer, 0, 2), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _two_interfaces_in_four_dimensions(hosts: int) -> Structure:
    """A torus of hosts in four dimensions with an adapter of 6.4 GB/s for each socket; both share cables of 7 GB/s.

    As Angara cards on both sockets with one router; all becomes 5 % slower in the run. The numbers are chosen here.
    """
    return Structure(
        hosts, Interfaces(_sides(hosts, 4), 2, 7e9), each=2, rails=2, one_plane=True, other_rail=0.0,
        rate=np.full((hosts, 2), 6.4e9), processor=np.full(hosts, 2), position_latency=np.full(2, 0.35e-6),
        inside_latency=_across_sockets(np.arange(2)), inside_rate=np.full((2, 2), 10e9), hyperthreads=0.002, drift=0.05,
    )  # fmt: skip


def _newer_columns_of_a_mesh(hosts: int) -> Structure:
    """A mesh of hosts in two dimensions, cables of 10 GB/s; hosts of the last half of the columns do 8 GB/s, others 5.

    As a laboratory with Extoll cards, which added a column to each rack; two ranks, far socket. The numbers are chosen.
    """
    plane, far = Mesh(_nearly_square(hosts), 10e9), _far_socket(hosts, 2, 0.9, 0.32e-6)
    newer = 2 * plane.place[:, 1] >= plane.sides[1]
    return replace(
        far, plane=plane, rate=np.where(newer, 8e9, 5e9)[:, None], nominal=RATE * np.where(newer, 1.0, 0.545)[:, None],
        overhead=np.where(newer, 0.0, 0.18e-6), processor=np.where(newer, 0, 2),
        position_latency=0.3e-6 + far.position_latency, hyperthreads=0.003,
    )  # fmt: skip


def _newer_planes_of_a_torus(hosts: int) -> Structure:
    """A torus of hosts in three dimensions; every second plane of it is newer, 6.5 GB/s instead of 4, cables do 8.

    As cabinets of which every second one got new boards; two ranks, far socket, few late readings. The numbers are
    chosen here.
    """
    plane, far = Torus(_sides(hosts), 8e9), _far_socket(hosts, 2, 0.92, 0.27e-6)
    newer = plane.place[:, 0] % 2 == 1
    return replace(
        far, plane=plane, rate=np.where(newer, 6.5e9, 4e9)[:, None],
        nominal=RATE * np.where(newer, 0.545, 0.4)[:, None], overhead=np.where(newer, 0.0, 0.25e-6),
        processor=np.where(newer, 0, 2), position_latency=0.4e-6 + far.position_latency, tail=0.002,
    )  # fmt: skip


def _two_striped_cylinders(hosts: int) -> Structure:
    """Two cards in each host, each in a grid of its own that is closed along its longer side; messages use both.

    As small clusters without switches; cards do 5 GB/s, cables 6; two ranks, far socket. The numbers are chosen here.
    """
    far = _far_socket(hosts, 2, 0.88, 0.3e-6)
    return replace(
        far, plane=ClosedAlongOne(_nearly_square(hosts)[::-1], 6e9), rails=2, striped=True, other_rail=0.0,
        rate=np.full((hosts, 2), 5e9), nominal=np.full((hosts, 2), 0.545 * RATE), processor=np.full(hosts, 2),
        position_latency=0.45e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _docking_of_molecules(hosts: int) -> Structure:
    """One switch of 50 Gbit/s (RoCE), half of the hosts; six ranks, far socket. 1 % of readings are disturbed; drift.

    As makers of medicines, that compute in the room of a laboratory: 3 % slower in the end. Numbers are chosen here.
    """
    count = max(8, hosts // 2)
    far = _far_socket(count, 6, 0.91, 0.31e-6)
    return replace(
        far, rate=np.full((count, 1), 0.5 * RATE), position_latency=0.8e-6 + far.position_latency, hyperthreads=0.01,
        drift=0.03,
    )  # fmt: skip


def _three_cards_in_workstations(hosts: int) -> Structure:
    """One switch of 100 Gbit/s; a rank for each of three cards, of which two are on the far socket; drift of 4 %.

    As film studios, whose workstations have two slots for cards on the second socket. The numbers are chosen here.
    """
    far = _far_socket(hosts, 3, 0.9, 0.29e-6)
    return replace(
        far, socket=np.array([0, 1, 1]), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.004, drift=0.04
    )


def _archive_of_a_newspaper(hosts: int) -> Structure:
    """RoCE of 25 Gbit/s, a rank in each host; nothing blocks, cables are longer to further racks. Drift of 5 %.

    As newspapers with a row of small racks in a cellar; 1 % of readings are disturbed. The numbers are chosen here.
    """
    return Structure(
        hosts, Racks(hosts, max(2, min(40, hosts // 8))), rate=np.full((hosts, 1), 0.25 * RATE),
        position_latency=np.array([0.95e-6]), hyperthreads=0.01, drift=0.05,
    )  # fmt: skip


def _spectra_of_stars(hosts: int) -> Structure:
    """RoCE of 400 Gbit/s, 1:1 static, so that two may always share an uplink; two ranks, far socket; drift of 2 %.

    As observatories on a mountain, where nights are cold and days are warm. The numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 2, 0.87, 0.25e-6)
    sizes = np.bincount(leaf)
    return replace(
        far, plane=FatTree(leaf, sizes / (sizes[0] + 0.5), "static", 4 * RATE), rate=np.full((hosts, 1), 4 * RATE),
        position_latency=0.7e-6 + far.position_latency, drift=0.02,
    )  # fmt: skip


def _institutes_of_an_academy(hosts: int) -> Structure:
    """InfiniBand of 100 Gbit/s, a rank in each host; leaves of 6, 12, 6 and 8 hosts, 3:1 and the last 4:1, adaptive.

    As academies with a leaf for each institute; 1 % of readings are disturbed; drift of 6 %. Numbers are chosen here.
    """
    return Structure(
        hosts, FatTree(_leaves_of(hosts, 6, 12, 6, 8), 3, "adaptive"), position_latency=np.array([0.15e-6]),
        hyperthreads=0.01, drift=0.06,
    )  # fmt: skip


def _timetables_of_trains(hosts: int) -> Structure:
    """RoCE of 100 Gbit/s; leaves of 4, 7, 12 and 9 hosts with three static uplinks each, 4:3 to 4:1. Far socket; drift.

    As railways, whose three spines were bought for the first rack only: 5 % slower in the end. Numbers are chosen here.
    """
    leaf, far = _leaves_of(hosts, 4, 7, 12, 9), _far_socket(hosts, 2, 0.9, 0.28e-6)
    return replace(
        far, plane=FatTree(leaf, _equal_uplinks(leaf, 3), "static"), position_latency=0.85e-6 + far.position_latency,
        drift=0.05,
    )  # fmt: skip


def _catalogues_of_libraries(hosts: int) -> Structure:
    """25 Gbit/s by TCP, a rank in each host; connections in turns, so re-hashed, to uplinks of 50 Gbit/s, 2:1.

    As libraries that search their catalogues; 1 % of readings are disturbed. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    sizes = np.bincount(leaf)
    return Structure(
        hosts, FatTree(leaf, sizes / (sizes[0] // 4 + 0.5), "rehashed", 0.5 * RATE),
        rate=np.full((hosts, 1), 0.25 * RATE), position_latency=np.array([7e-6]), interrupts=1e-6, hyperthreads=0.01,
    )  # fmt: skip


def _racks_for_coupled_and_single_jobs(hosts: int) -> Structure:
    """InfiniBand of 200 Gbit/s, a rank in each host; leaves are 1:1 and 4:1 in turns, adaptive; 1 % disturbed.

    As centers that save cables in every second rack, where jobs run on single hosts. The numbers are chosen here.
    """
    leaf = _leaves(hosts)
    ratio = np.where(np.arange(int(leaf[-1]) + 1) % 2 == 0, 1, 4)
    return Structure(
        hosts, FatTree(leaf, ratio, "adaptive", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        position_latency=np.array([0.1e-6]), hyperthreads=0.01,
    )  # fmt: skip


def _crash_tests(hosts: int) -> Structure:
    """RoCE of 200 Gbit/s; leaves of 6, 10, 7 and 9 hosts with six re-hashed uplinks each, 1:1 to 5:3; drift of 4 %.

    Two ranks, the adapter is on the second socket, as where the first has a card for drawings; 1 % of readings are
    disturbed. As suppliers of carmakers. The numbers are chosen here.
    """
    leaf, far = _leaves_of(hosts, 6, 10, 7, 9), _far_socket(hosts, 2, 0.93, 0.26e-6)
    return replace(
        far, plane=FatTree(leaf, _equal_uplinks(leaf, 6), "rehashed", 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        turned=np.ones(hosts, bool), position_latency=0.75e-6 + far.position_latency, hyperthreads=0.01, drift=0.04,
    )  # fmt: skip


def _stock_of_a_mail_order_company(hosts: int) -> Structure:
    """RoCE of 50 Gbit/s, a rank in each host; leaves of 4 with an uplink for each host, routes linger. Drift of 6 %.

    As mail-order companies, with small cabinets between their shelves; 1 % of readings are disturbed. Numbers are
    chosen here."""
    leaf = _leaves_of(hosts, *[4] * 8)
    return Structure(
        hosts, FatTree(leaf, _equal_uplinks(leaf, 4), "lingering", 0.5 * RATE), rate=np.full((hosts, 1), 0.5 * RATE),
        position_latency=np.array([1e-6]), hyperthreads=0.01, drift=0.06,
    )  # fmt: skip


def _models_of_rivers(hosts: int) -> Structure:
    """InfiniBand of 200 Gbit/s; pods of a leaf of 3 hosts and one of 5, 1:1 within and 4:1 between them, adaptive.

    As water authorities that added a second leaf to each; two ranks, far socket; drift of 5 %. Numbers are chosen here.
    """
    leaf, far = _leaves_of(hosts, *[3, 5] * 4), _far_socket(hosts, 2, 0.94, 0.27e-6)
    plane = Stacked(FatTree(leaf, 1, "adaptive", 2 * RATE), FatTree(leaf // 2, 4, "adaptive", 2 * RATE), 2 * CABLE)
    return replace(
        far, plane=plane, rate=np.full((hosts, 1), 2 * RATE), position_latency=0.12e-6 + far.position_latency,
        drift=0.05,
    )  # fmt: skip


def _offices_of_an_architect(hosts: int) -> Structure:
    """10 Gbit/s by TCP, a rank in each host; leaves of 5, 11, 7 and 9 hosts, each with a LAG of three cables to a core.

    5:3 to 11:3, as offices that compute at night on what draws by day; drift of 7 %. The numbers are chosen here.
    """
    leaf = _leaves_of(hosts, 5, 11, 7, 9)
    return Structure(
        hosts, LagCore(leaf, _equal_uplinks(leaf, 3), 0.1 * RATE), rate=np.full((hosts, 1), 0.1 * RATE),
        position_latency=np.array([11e-6]), interrupts=1.2e-6, drift=0.07,
    )  # fmt: skip


def _three_rates_on_quadrants_of_one_switch(hosts: int, random: np.random.Generator) -> Structure:
    """A shipyard, half of the hosts: one socket of four quadrants with a rank each, the adapter on the second; one
    switch; at random half have 100 Gbit/s, three of eight 200, an eighth 400. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    kind = random.permutation(np.array([0, 1, 0, 1, 0, 2, 0, 1])[np.arange(count) % 8])
    return Structure(
        count, OneSwitch(count), each=4, socket=np.zeros(4, np.int64),
        rate=RATE * np.array([1.0, 2.0, 4.0])[kind][:, None], overhead=np.array([0.24e-6, 0.1e-6, 0.0])[kind],
        processor=np.array([0, 3, 4])[kind], position_latency=0.15e-6 + np.where(far[1], 0.05e-6, 0.0),
        inside_latency=INSIDE_LATENCY + np.where(far, 0.08e-6, 0.0), inside_rate=np.where(far, 14e9, 19e9),
        hyperthreads=0.01,
    )  # fmt: skip


def _three_rates_on_ccxs(hosts: int) -> Structure:
    """A maker of games (RoCE), half of the hosts: two sockets of four CCXs, a rank on each; one switch; the first
    third of the hosts has 10 Gbit/s, the next 25, the last 100. The numbers are chosen here."""
    count, ccx = max(8, hosts // 2), np.arange(8)
    far, year, apart = _far_socket(count, 8, 0.96, 0.28e-6), np.arange(count) * 3 // count, _levels_apart(ccx, ccx // 4)
    return replace(
        far, rate=RATE * np.array([0.1, 0.25, 1.0])[year][:, None], overhead=np.array([0.5e-6, 0.2e-6, 0.0])[year],
        processor=np.array([2, 0, 3])[year], position_latency=0.8e-6 + far.position_latency, hyperthreads=0.01,
        inside_latency=np.array([0.2e-6, 0.4e-6, 0.8e-6])[apart], inside_rate=np.array([19e9, 11e9, 7e9])[apart],
    )  # fmt: skip


def _three_rates_below_old_spines(hosts: int, random: np.random.Generator) -> Structure:
    """A web archive (RoCE): a rank on each of two CCXs; at random three of eight hosts have 25 Gbit/s, three 100, two
    200; its spines are old: re-hashed uplinks of 100, one for four hosts; drift. The numbers are chosen here."""
    leaf, far = _leaves(hosts), _in_other_parts(2, 1)
    kind, size = random.permutation(np.array([0, 1, 2, 1, 0, 1, 0, 2])[np.arange(hosts) % 8]), np.bincount(leaf)
    return Structure(
        hosts, FatTree(leaf, size / (size[0] // 4 + 0.5), "rehashed"), each=2, socket=np.zeros(2, np.int64),
        rate=RATE * np.array([0.25, 1.0, 2.0])[kind][:, None], overhead=np.array([0.35e-6, 0.12e-6, 0.0])[kind],
        processor=np.array([2, 0, 3])[kind], position_latency=np.full(2, 0.85e-6),
        inside_latency=np.where(far, 0.43e-6, 0.2e-6), inside_rate=np.where(far, 11e9, 20e9), hyperthreads=0.004,
        drift=0.04,
    )  # fmt: skip


def _racks_of_100_and_400(hosts: int) -> Structure:
    """A maker of tyres (RoCE): two CCXs on each half of a socket (NPS2), a rank on each; racks of 100 and 400 Gbit/s
    in turns, a static uplink of this rate for each host. The numbers are chosen here."""
    leaf, ccx = np.arange(hosts) // max(4, min(16, hosts // 8)), np.arange(4)
    size, newer, apart = np.bincount(leaf), leaf % 2 == 1, _levels_apart(ccx, ccx // 2)
    speed = RATE * np.where(np.arange(len(size)) % 2 == 1, 4.0, 1.0)
    return Structure(
        hosts, FatTree(leaf, size / (size[0] + 0.5), "static", speed), each=4, socket=np.zeros(4, np.int64),
        rate=speed[leaf][:, None], overhead=np.where(newer, 0.0, 0.2e-6), processor=np.where(newer, 4, 0),
        position_latency=0.75e-6 + np.array([0.0, 0.0, 0.07e-6, 0.07e-6]), hyperthreads=0.01,
        inside_latency=np.array([0.2e-6, 0.38e-6, 0.46e-6])[apart], inside_rate=np.array([21e9, 14e9, 12e9])[apart],
    )  # fmt: skip


def _half_newer_on_three_nodes(hosts: int, random: np.random.Generator) -> Structure:
    """Mines of ore (RoCE): one socket of three NUMA nodes in a row (SNC3), a rank on each, the adapter on the middle
    one; half of the hosts, at random, have 400 Gbit/s, others 200; 3:1, routes linger. The numbers are chosen here."""
    leaf, node = _leaves(hosts), np.arange(3)
    steps, size = np.abs(np.subtract.outer(node, node)), np.bincount(leaf)
    newer = random.permutation(np.arange(hosts) % 2 == 1)
    return Structure(
        hosts, FatTree(leaf, size / (size[0] // 4 + 0.5), "lingering", 4 * RATE), each=3, socket=np.zeros(3, np.int64),
        rate=RATE * np.where(newer, 4.0, 2.0)[:, None], overhead=np.where(newer, 0.0, 0.12e-6),
        processor=np.where(newer, 4, 3), position_latency=0.7e-6 + 0.06e-6 * steps[1], hyperthreads=0.01,
        inside_latency=INSIDE_LATENCY + 0.06e-6 * steps, inside_rate=np.array([20e9, 15e9, 12e9])[steps],
    )  # fmt: skip


def _repairs_in_the_last_racks(hosts: int, random: np.random.Generator) -> Structure:
    """A geology department, half of the hosts: 4 NUMA nodes of two sockets; 56 Gbit/s, but half of the hosts of the
    last half of the racks, at random, got 100; an uplink of 100 for two, by receiver; drift. Numbers chosen here."""
    count = max(8, hosts // 2)
    leaf, (longer, inside) = _leaves(count), _numa_places(4)
    last, newer = np.flatnonzero(2 * leaf > leaf[-1]), np.zeros(count, bool)
    newer[random.permutation(last)[: len(last) // 2]] = True
    return Structure(
        count, FatTree(leaf, 2, "by receiver"), each=4, rate=RATE * np.where(newer, 1.0, 0.545)[:, None],
        overhead=np.where(newer, 0.0, 0.15e-6), processor=np.where(newer, 0, 2), position_latency=0.2e-6 + longer,
        position_rate=np.repeat([1.0, 0.95], 2), hyperthreads=0.005, drift=0.05, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _ccxs_in_groups_of_three_years(hosts: int) -> Structure:
    """Half of the hosts: one EPYC of four quadrants of two CCXs, a rank on each; a dragonfly, of which the first third
    of the groups has 100 Gbit/s, the next 200, the last 400; many messages detour. The numbers are chosen here."""
    count, ccx = max(8, hosts // 2), np.arange(8)
    plane = Dragonfly(count, 2 * max(1, min(8, count // 16)), 0.45, 4 * RATE)
    year, apart = plane.group * 3 // plane.groups, _levels_apart(ccx, ccx // 2)
    return Structure(
        count, plane, each=8, socket=np.zeros(8, np.int64), rate=RATE * np.array([1.0, 2.0, 4.0])[year][:, None],
        overhead=np.array([0.22e-6, 0.09e-6, 0.0])[year], processor=np.array([0, 3, 4])[year],
        position_latency=0.2e-6 + np.where(apart[0] == 2, 0.05e-6, 0.0), hyperthreads=0.01,
        inside_latency=np.array([0.2e-6, 0.37e-6, 0.45e-6])[apart], inside_rate=np.array([20e9, 15e9, 12e9])[apart],
    )  # fmt: skip


def _three_rates_by_load(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: one socket of four quadrants, a rank on each, the adapter on the first; Slingshot, routes by
    load; at random a quarter has 100 Gbit/s, half have 200, a quarter 400; drift. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    group = np.arange(count) // (4 * max(1, min(4, count // 16)))
    kind = random.permutation(np.array([1, 0, 1, 2])[np.arange(count) % 4])
    return Structure(
        count, Slingshot(group, places_in(group) // 2, int(group[-1]) + 3, 4 * RATE), each=4,
        socket=np.zeros(4, np.int64), rate=RATE * np.array([1.0, 2.0, 4.0])[kind][:, None],
        overhead=np.array([0.25e-6, 0.1e-6, 0.0])[kind], processor=np.array([0, 3, 4])[kind],
        position_latency=0.18e-6 + np.where(far[0], 0.06e-6, 0.0), hyperthreads=0.01, drift=0.03,
        inside_latency=INSIDE_LATENCY + np.where(far, 0.07e-6, 0.0), inside_rate=np.where(far, 13e9, 18e9),
    )  # fmt: skip


def _every_second_cell(hosts: int) -> Structure:
    """A center that renews its dragonfly+ cell by cell: in turns 100 and 200 Gbit/s; 4 NUMA nodes of two sockets with a
    rank on each, the adapter on the first; many messages detour. The numbers are chosen here."""
    plane, (longer, inside) = DragonflyPlus(hosts, 4 * max(1, min(8, hosts // 32)), 0.4, 2 * RATE), _numa_places(4)
    newer = plane.group % 2 == 1
    return Structure(
        hosts, plane, each=4, rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.13e-6),
        processor=np.where(newer, 4, 3), position_rate=np.repeat([1.0, 0.94], 2), position_latency=0.15e-6 + longer,
        hyperthreads=0.01, **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _ccxs_in_pods(hosts: int) -> Structure:
    """Glassworks (RoCE), half of the hosts: a rank on each of four CCXs; pods of two leaves, the first third of 100
    Gbit/s, then 200, then 400; uplinks of these rates, 1:1, then 2:1, all re-hashed. The numbers are chosen here."""
    count, far = max(8, hosts // 2), _in_other_parts(4, 1)
    leaf = np.arange(count) // (2 * max(1, min(8, count // 16)))
    pod = leaf // 2
    year = np.arange(int(pod[-1]) + 1) * 3 // (int(pod[-1]) + 1)
    speed, size = RATE * np.array([1.0, 2.0, 4.0])[year], int(np.bincount(leaf)[0])
    lower = FatTree(leaf, np.bincount(leaf) / (size + 0.5), "rehashed", speed[np.arange(int(leaf[-1]) + 1) // 2])
    return Structure(
        count, Stacked(lower, FatTree(pod, np.bincount(pod) / (size + 0.5), "rehashed", speed), CABLE), each=4,
        socket=np.zeros(4, np.int64), rate=speed[pod][:, None], overhead=np.array([0.25e-6, 0.1e-6, 0.0])[year[pod]],
        processor=np.array([0, 3, 4])[year[pod]], position_latency=np.full(4, 0.9e-6), hyperthreads=0.01,
        inside_latency=np.where(far, 0.44e-6, 0.2e-6), inside_rate=np.where(far, 12e9, 21e9),
    )  # fmt: skip


def _two_rates_on_lags(hosts: int, random: np.random.Generator) -> Structure:
    """A statistics office, by TCP: one socket of two NUMA nodes, a rank on each; half of the hosts, at random, have 25
    Gbit/s, others 10; LAGs of cables of 40, one for four hosts, to one core. The numbers are chosen here."""
    leaf, far = _leaves(hosts), _in_other_parts(2, 1)
    size, newer = np.bincount(leaf), random.permutation(np.arange(hosts) % 2 == 1)
    return Structure(
        hosts, LagCore(leaf, size / (size[0] // 4 + 0.5), 0.4 * RATE), each=2, socket=np.zeros(2, np.int64),
        rate=RATE * np.where(newer, 0.25, 0.1)[:, None], overhead=np.where(newer, 0.0, 1.5e-6),
        processor=np.where(newer, 3, 2), position_latency=9e-6 + np.array([0.0, 0.1e-6]), interrupts=1.5e-6,
        inside_latency=np.where(far, 0.6e-6, INSIDE_LATENCY), inside_rate=np.where(far, 10e9, 16e9), hyperthreads=0.01,
    )  # fmt: skip


def _ccxs_on_flowlets(hosts: int, random: np.random.Generator) -> Structure:
    """Publishers, half of the hosts: four ranks go in turns to two CCXs; half of the hosts, at random, have 200
    Gbit/s, others 100; uplinks of 200, one for two hosts, flowlets (RoCE); drift. The numbers are chosen here."""
    count, ccx = max(8, hosts // 2), np.arange(4) % 2
    leaf, far, newer = _leaves(count), np.not_equal.outer(ccx, ccx), random.permutation(np.arange(count) % 2 == 1)
    return Structure(
        count, Flowlets(leaf, int(np.bincount(leaf)[0]) // 2, 2 * RATE), each=4, socket=np.zeros(4, np.int64),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.17e-6),
        processor=np.where(newer, 3, 0), position_latency=np.full(4, 0.8e-6), hyperthreads=0.01, drift=0.03,
        inside_latency=np.where(far, 0.46e-6, 0.22e-6), inside_rate=np.where(far, 12e9, 22e9),
    )  # fmt: skip


def _as_many_uplinks(leaf: Index, ratio: float) -> Values:
    """The ratio of each leaf with which all have as many uplinks as the first: one for `ratio` of its adapters."""
    size = np.bincount(leaf)
    return np.asarray(size / (max(1, size[0] // ratio) + 0.5))


def _chip_design(hosts: int) -> Structure:
    """A chip designer: an adapter of 400 Gbit/s (RoCE), four ranks, far socket; 8:3, routes linger.

    1 % of readings are disturbed by hyperthreads. The numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 4, 0.92, 0.3e-6)
    return replace(
        far, plane=FatTree(leaf, _as_many_uplinks(leaf, 8 / 3), "lingering", 4 * RATE),
        rate=np.full((hosts, 1), 4 * RATE), processor=np.full(hosts, 4),
        position_latency=0.6e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _separate_rails_on_unequal_leaves(hosts: int) -> Structure:
    """A fund: a network of 200 Gbit/s (RoCE) for each socket, which do not meet; leaves of 6 to 10 hosts.

    Each leaf has four uplinks in each network, re-hashed; 1 % of readings are disturbed. The numbers are chosen here.
    """
    leaf = _leaves_of(hosts, 6, 8, 10, 8)
    return Structure(
        hosts, FatTree(leaf, _equal_uplinks(leaf, 4), "rehashed", 2 * RATE), each=2, rails=2, rails_meet=False,
        rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3), position_latency=np.full(2, 0.9e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.01,
    )  # fmt: skip


def _bonds_in_racks_of_six(hosts: int) -> Structure:
    """A cloud for analysis without virtual machines: bonds of two ports of 200 Gbit/s on the leaf of a rack of six.

    12 ports share four uplinks, re-hashed; two ranks, far socket; it becomes 5 % slower. The numbers are chosen here.
    """
    rack, far = np.arange(hosts) // max(2, min(6, hosts // 4)), _far_socket(hosts, 2, 0.93, 0.28e-6)
    port = rack.repeat(2)
    return replace(
        far, plane=FatTree(port, _as_many_uplinks(port, 3), "rehashed", 2 * RATE), rails=2, one_plane=True,
        bonded=True, other_rail=0.0, rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=1.3e-6 + far.position_latency, hyperthreads=0.002, drift=0.05,
    )  # fmt: skip


def _pods_of_eight_with_two_uplinks(hosts: int) -> Structure:
    """4 GPUs with 200 Gbit/s each, a leaf for each rail of each pod; 4:1, routes linger; it becomes 3 % slower.

    As clusters for many small trainings, which seldom leave a pod. The numbers are chosen here.
    """
    leaf = _leaf_per_rail(_leaves(hosts), 4)
    return Structure(
        hosts, FatTree(leaf, _as_many_uplinks(leaf, 4), "lingering", 2 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=np.full((hosts, 4), 2 * RATE), processor=np.full(hosts, 3),
        position_latency=np.full(4, 1e-6), inside_latency=np.full((4, 4), NVLINK_LATENCY),
        inside_rate=np.full((4, 4), 110e9), hyperthreads=0.003, drift=0.03,
    )  # fmt: skip


def _eight_relayed_rails_re_hashed(hosts: int) -> Structure:
    """Half of the hosts: 8 GPUs that relay messages to 8 rails of 200 Gbit/s, each a tree of its own, 2:1 re-hashed.

    As Ethernet of providers that join rails only within the hosts; 4 % slower during the run. Numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaves(count)
    return Structure(
        count, FatTree(leaf, _as_many_uplinks(leaf, 2), "rehashed", 2 * RATE), each=8, rails=8, relayed=True,
        other_rail=NVLINK_LATENCY, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(8, 1.1e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 220e9), hyperthreads=0.002, drift=0.04,
    )  # fmt: skip


def _eight_subnets(hosts: int) -> Structure:
    """Half of the hosts: 8 GPUs, each on a subnet of 400 Gbit/s of its own; 2:1, tables give a receiver its uplink.

    As InfiniBand with a subnet manager for each rail; 1 % of readings are disturbed. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    leaf = _leaves(count)
    return Structure(
        count, FatTree(leaf, _as_many_uplinks(leaf, 2), "by receiver", 4 * RATE), each=8, rails=8, rails_meet=False,
        rate=np.full((count, 8), 4 * RATE), processor=np.full(count, 4), position_latency=np.full(8, 0.8e-6),
        inside_latency=np.full((8, 8), NVLINK_LATENCY), inside_rate=np.full((8, 8), 320e9), hyperthreads=0.01,
    )  # fmt: skip


def _bonds_of_two_planes_by_hosts(hosts: int) -> Structure:
    """A proteomics company (RoCE): bonds of two ports of 100 Gbit/s, each on a tree of its own, 2:1 static.

    The hash of a bond is of the two hosts only; two ranks, far socket; 1 % disturbed. The numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 2, 0.94, 0.26e-6)
    return replace(
        far, plane=FatTree(leaf, _as_many_uplinks(leaf, 2), "static"), rails=2, bonded=True, by_hosts=True,
        rate=np.full((hosts, 2), RATE), processor=np.full(hosts, 3), position_latency=1.2e-6 + far.position_latency,
        hyperthreads=0.01,
    )  # fmt: skip


def _striped_rails_of_a_far_socket(hosts: int) -> Structure:
    """A film studio (RoCE): two ports of 100 Gbit/s in two trees, over which each message is striped; 4:1 lingering.

    Both are on the first socket, and the second is far; it becomes 6 % slower. The numbers are chosen here.
    """
    leaf, far = _leaves(hosts), _far_socket(hosts, 2, 0.9, 0.3e-6)
    return replace(
        far, plane=FatTree(leaf, _as_many_uplinks(leaf, 4), "lingering"), rails=2, striped=True, other_rail=0.0,
        rate=np.full((hosts, 2), RATE), processor=np.full(hosts, 0), position_latency=0.8e-6 + far.position_latency,
        hyperthreads=0.003, drift=0.06,
    )  # fmt: skip


def _newer_pods_of_four_rails(hosts: int) -> Structure:
    """4 GPUs, a leaf for each rail of each pod; the first half of the pods has 200 Gbit/s, the second one 400.

    Uplinks of 400 (RoCE) for every second host, so 1:1 and 2:1, re-hashed; 1 % disturbed. The numbers are chosen here.
    """
    pod = np.arange(hosts) // max(2, min(8, hosts // 8))
    leaf, newer = _leaf_per_rail(pod, 4), 2 * pod > pod[-1]
    return Structure(
        hosts, FatTree(leaf, _as_many_uplinks(leaf, 2), "rehashed", 4 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=RATE * np.where(newer, 4.0, 2.0)[:, None].repeat(4, axis=1),
        overhead=np.where(newer, 0.0, 0.12e-6), processor=np.where(newer, 4, 3), position_latency=np.full(4, 1e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 130e9), hyperthreads=0.01,
    )  # fmt: skip


def _leaf_for_each_socket_of_two_hosts(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs on PCIe, 8 adapters of 200 Gbit/s; two hosts in a rack, a leaf for each socket.

    As inference of a search engine (RoCE): 8:3, a hash for each pair; 4 % slower during the run. Numbers chosen here.
    """
    count = max(8, hosts // 4)
    leaf = _leaf_per_rail(np.arange(count) // 2, 2).reshape(count, 2).repeat(4, axis=1).ravel()
    return Structure(
        count, FatTree(leaf, _as_many_uplinks(leaf, 8 / 3), "static", 2 * RATE), each=8, rails=8, one_plane=True,
        other_rail=0.0, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 3),
        position_latency=np.full(8, 1.4e-6), inside_latency=_across_sockets(np.arange(8) // 4),
        inside_rate=np.full((8, 8), 21e9), hyperthreads=0.003, drift=0.04,
    )  # fmt: skip


def _nvlink_fours_with_relayed_rails(hosts: int) -> Structure:
    """NVLink joins the two superchips of each of four hosts; 2 rails of 400 Gbit/s, relayed, trees of their own.

    2:1, tables give a receiver its uplink (InfiniBand); a leaf has two such fours, or one in small clusters; 1 % of
    readings are disturbed. The numbers are chosen here.
    """
    leaf = np.arange(hosts) // (8 if hosts >= 32 else 4)
    return Structure(
        hosts, FatTree(leaf, _as_many_uplinks(leaf, 2), "by receiver", 4 * RATE), each=2, rails=2, relayed=True,
        other_rail=NVLINK_LATENCY, domain=4, rate=np.full((hosts, 2), 4 * RATE), processor=np.full(hosts, 4),
        position_latency=np.full(2, 0.7e-6), inside_latency=np.full((2, 2), NVLINK_LATENCY),
        inside_rate=np.full((2, 2), NVLINK_RATE), hyperthreads=0.01,
    )  # fmt: skip


def _four_rails_of_three_years_anywhere(hosts: int, random: np.random.Generator) -> Structure:
    """Half of the hosts: 4 GPUs, 4 adapters on the leaf of the rack; a half has 100 Gbit/s, a quarter 200, one 400.

    These stand anywhere, as a university rents them out by the host; uplinks of 400, 2:1 on average, routes linger; 1 %
    of readings are disturbed. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    year = random.permutation(np.array([0, 0, 1, 2])[np.arange(count) % 4])
    leaf = _leaves(count).repeat(4)
    return Structure(
        count, FatTree(leaf, _as_many_uplinks(leaf, 4), "lingering", 4 * RATE), each=4, rails=4, one_plane=True,
        other_rail=0.0, rate=RATE * 2.0 ** year[:, None].repeat(4, axis=1), processor=np.array([0, 3, 4])[year],
        overhead=np.array([0.2e-6, 0.1e-6, 0.0])[year], position_latency=np.full(4, 0.9e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 85e9), hyperthreads=0.01,
    )  # fmt: skip


def _all_messages_try_a_detour(hosts: int) -> Structure:
    """A dragonfly of 200 Gbit/s whose operator had all messages between groups sent by a third one (Valiant's routes).

    With few groups, half of them still go directly; two ranks, far socket; 1 % of readings 10x. Numbers chosen here.
    """
    far = _far_socket(hosts, 2, 0.95, 0.25e-6)
    return replace(
        far, plane=Dragonfly(hosts, 4 * max(1, min(8, hosts // 16)), 1.0, 2 * RATE), rate=np.full((hosts, 1), 2 * RATE),
        processor=np.full(hosts, 3), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


def _dragonfly_for_each_socket(hosts: int) -> Structure:
    """Two dragonflies of 200 Gbit/s that do not meet, one for the adapters of each socket; 12 % of messages detour.

    As a center that bought its second rail as a network of its own; the last group is not full. The numbers are chosen.
    """
    return Structure(
        hosts, Dragonfly(hosts, 2 * max(1, min(8, hosts // 10)), 0.12, 2 * RATE), each=2, rails=2, rails_meet=False,
        rate=np.full((hosts, 2), 2 * RATE), processor=np.full(hosts, 3), position_latency=np.full(2, 0.22e-6),
        inside_latency=_across_sockets(np.arange(2)), inside_rate=np.full((2, 2), 14e9), hyperthreads=0.01,
    )  # fmt: skip


def _eight_rails_in_a_dragonfly(hosts: int) -> Structure:
    """A quarter of the hosts: 8 GPUs with an adapter of 200 Gbit/s each, on switches of a dragonfly; 45 % detour.

    As HPE Cray XD670 on Slingshot; groups of two hosts or more; all becomes 3 % slower. The numbers are chosen here.
    """
    count = max(8, hosts // 4)
    return Structure(
        count, Dragonfly(8 * count, 16 * max(1, min(8, count // 8)), 0.45, 2 * RATE), each=8, rails=8, one_plane=True,
        other_rail=HOP, rate=np.full((count, 8), 2 * RATE), processor=np.full(count, 4),
        position_latency=np.full(8, 0.8e-6), inside_latency=np.full((8, 8), NVLINK_LATENCY),
        inside_rate=np.full((8, 8), 300e9), hyperthreads=0.003, drift=0.03,
    )  # fmt: skip


def _striped_in_cells_of_two_rates(hosts: int) -> Structure:
    """A dragonfly+ with two adapters in each host, on one leaf, over which messages are striped; half try a third cell.

    Cells of 100 and of 200 Gbit/s in turns, cables of 200. As InfiniBand with UCX in universities. Numbers chosen here.
    """
    plane = DragonflyPlus(2 * hosts, 8 * max(1, min(4, hosts // 16)), 0.5, 2 * RATE)
    newer = plane.group[::2] % 2 == 1
    return Structure(
        hosts, plane, each=2, rails=2, one_plane=True, striped=True, other_rail=0.0,
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None].repeat(2, axis=1), overhead=np.where(newer, 0.0, 0.12e-6),
        processor=np.where(newer, 3, 0), position_latency=np.full(2, 0.3e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.002,
    )  # fmt: skip


def _whole_cells_and_single_leaves(hosts: int) -> Structure:
    """A dragonfly+ of which a job has a whole cell of 200 Gbit/s and one leaf of a cell of 100, in turns; 8 % detour.

    As a national center in the middle of an exchange; two cells are of others; two ranks, far socket. Numbers chosen.
    """
    cell, far = _leaves_of(hosts, 8, 4, 8, 4), _far_socket(hosts, 2, 0.94, 0.23e-6)
    size, newer = int(np.bincount(cell).max()), cell % 2 == 0
    return replace(
        far, plane=PartOfDragonflyPlus(cell * size + places_in(cell), int(cell[-1]) + 3, size, 0.08, 2 * RATE),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.15e-6),
        processor=np.where(newer, 3, 0), position_latency=0.2e-6 + far.position_latency, hyperthreads=0.004,
    )  # fmt: skip


def _cells_in_three_rows(hosts: int) -> Structure:
    """Half of the hosts: 4 NUMA nodes of two sockets on 200 Gbit/s; cells of a dragonfly+ in three rows, 60 % detour.

    As a weather service whose rows are 20 m apart; it becomes 4 % slower in the run. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    size = 4 * max(1, min(4, count // 16))
    cells = -(-count // size)
    plane = DragonflyPlusInRows(count, size, 0.6, 2 * RATE, 3 * np.arange(cells) // cells, 0.1e-6)
    longer, inside = _numa_places(4)
    return Structure(
        count, plane, each=4, rate=np.full((count, 1), 2 * RATE), processor=np.full(count, 3),
        position_rate=np.repeat([1.0, 0.93], 2), position_latency=0.2e-6 + longer, drift=0.04,
        **inside,  # type: ignore[arg-type]
    )  # fmt: skip


def _newer_parts_of_groups_by_load(hosts: int) -> Structure:
    """Half of the hosts: 4 GPUs on 4 rails, routes by load; whole groups of 200 Gbit/s, and parts of newer ones of 400.

    As HPE Cray EX with Slingshot and later Slingshot 400: groups of 5, 5, 3 and 3 hosts. The numbers are chosen here.
    """
    count = max(8, hosts // 2)
    group = _leaves_of(count, 5, 5, 3, 3)
    switch, newer = places_in(group)[:, None] // 8 * 4 + np.arange(4), group % 4 >= 2
    return Structure(
        count, Slingshot(group.repeat(4), switch.ravel(), int(group[-1]) + 3, 4 * RATE), each=4, rails=4,
        one_plane=True, other_rail=0.0, rate=RATE * np.where(newer, 4.0, 2.0)[:, None].repeat(4, axis=1),
        overhead=np.where(newer, 0.0, 0.1e-6), processor=np.where(newer, 4, 3), position_latency=np.full(4, 0.6e-6),
        inside_latency=np.full((4, 4), NVLINK_LATENCY), inside_rate=np.full((4, 4), 150e9), hyperthreads=0.003,
    )  # fmt: skip


def _newer_rows_of_two_tori(hosts: int) -> Structure:
    """Two tori of switches in two dimensions, one for each socket; hosts of every second row have 200 Gbit/s, not 100.

    Two or four hosts on a switch, cables of 200; a message to the other torus crosses the sockets first. As seismic
    companies that doubled a network without spines. The numbers are chosen here.
    """
    sides = _nearly_square(max(2, hosts // (2 if hosts < 64 else 4)))
    plane = SwitchTorus(hosts, sides, 2 * RATE)
    newer = plane.group // sides[1] % 2 == 1
    return Structure(
        hosts, plane, each=2, rails=2, relayed=True, other_rail=0.45e-6,
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None].repeat(2, axis=1), overhead=np.where(newer, 0.0, 0.14e-6),
        processor=np.where(newer, 3, 0), position_latency=np.full(2, 0.25e-6),
        inside_latency=_across_sockets(np.arange(2)), hyperthreads=0.003,
    )  # fmt: skip


def _mesh_for_each_socket(hosts: int) -> Structure:
    """Two sockets with a rank and a card each; cards make two meshes in three dimensions that do not meet.

    As a laboratory with Extoll cards and without the cables that close a torus; cables do 8 GB/s, hosts 9; 1 % of
    readings 10x. The numbers are chosen here.
    """
    return Structure(
        hosts, Mesh(_sides(hosts), 8e9), each=2, rails=2, rails_meet=False, rate=np.full((hosts, 2), 9e9),
        nominal=np.full((hosts, 2), RATE), processor=np.full(hosts, 2), position_latency=np.full(2, 0.35e-6),
        inside_latency=_across_sockets(np.arange(2)), inside_rate=np.full((2, 2), 9e9), hyperthreads=0.01,
    )  # fmt: skip


def _newer_rings_one_way(hosts: int) -> Structure:
    """One-way rings in two dimensions of 650 MB/s; hosts of the last half of the rows send 330 MB/s, the others 240.

    As clusters with SCI cards of Dolphin, of which half have the quicker PCI bus; two ranks, it becomes 4 % slower.
    """
    plane = OneWayRings(_sides(hosts, 2), 650e6)
    newer = 2 * plane.place[:, 0] >= plane.sides[0]
    return Structure(
        hosts, plane, each=2, rate=np.where(newer, 330e6, 240e6)[:, None], overhead=np.where(newer, 0.0, 0.4e-6),
        processor=np.where(newer, 0, 2), position_latency=np.full(2, 1.4e-6), inside_rate=np.full((2, 2), 500e6),
        hyperthreads=0.002, drift=0.04,
    )  # fmt: skip


def _every_second_host_of_a_grid_newer(hosts: int) -> Structure:
    """A grid of hosts in four dimensions, closed along the first; every second host does 6.4 GB/s, the others 4.

    As a part of an Angara system that is a whole ring long only one way; cables of 6 GB/s, two ranks, far socket, few
    late readings. The numbers are chosen here.
    """
    far, newer = _far_socket(hosts, 2, 0.91, 0.3e-6), np.arange(hosts) % 2 == 1
    return replace(
        far, plane=ClosedAlongOne(_sides(hosts, 4), 6e9), rate=np.where(newer, 6.4e9, 4e9)[:, None],
        overhead=np.where(newer, 0.0, 0.2e-6), processor=np.where(newer, 3, 2),
        position_latency=0.3e-6 + far.position_latency, tail=0.002,
    )  # fmt: skip


def _newer_hosts_anywhere_in_four_dimensions(hosts: int, random: np.random.Generator) -> Structure:
    """A torus of switches in four dimensions with cables of 200 Gbit/s; three of eight hosts, at random, have 200 too.

    Others have 100. Two or four hosts on a switch, two ranks, far socket; 1 % of readings 10x. As centers that replace
    hosts of a Sugon system when they fail. The numbers are chosen here.
    """
    newer, far = random.permutation(8 * np.arange(hosts) >= 5 * hosts), _far_socket(hosts, 2, 0.94, 0.26e-6)
    return replace(
        far, plane=SwitchTorus(hosts, _sides(max(2, hosts // (2 if hosts < 64 else 4)), 4), 2 * RATE),
        rate=RATE * np.where(newer, 2.0, 1.0)[:, None], overhead=np.where(newer, 0.0, 0.13e-6),
        processor=np.where(newer, 3, 0), position_latency=0.3e-6 + far.position_latency, hyperthreads=0.01,
    )  # fmt: skip


_BUILDING_OF_SIZE: Mapping[str, OfSize] = {
    "two generations in a tree": _generations_in_tree,
    "rail-optimized": _rail_optimized,
    "dragonfly, 2 rails": _dragonfly_of_two_rails,
    "service hosts in a tree": _service_hosts,
    "4 hosts share an adapter": _shared_adapters,
    "unequal uplinks": _unequal_uplinks,
    "drawers": _drawers,
    "two planes, lingering routes": _dual_plane,
    "4 GPUs on 2 rails, 2:1": _two_ports_of_two_sockets,
    "8 dies on 4 rails": _dies,
    "Ethernet": _ethernet,
    "two processors in a tree": _two_processors,
    "NVLink racks": _nvlink_racks,
    "leaf pairs with MLAG": _leaf_pairs,
    "rail-only": _rail_only,
    "chassis in a dragonfly": _chassis,
    "blocks of two generations": _blocks,
    "modules with gateways": _modules,
    "8 NUMA nodes": _numa_nodes,
    "cells, 2:1 twice by receiver": _cells,
    "small job in a dragonfly": _small_job,
    "torus of routers": _routers,
    "polarized hashes": _polarized,
    "flowlets of virtual machines": _functions,
    "tables that change, 32:15": _tables,
    "rails that meet at the core": _rails_meet_at_the_core,
    "three generations on one core": _grown,
    "two cores in two rooms": _two_rooms,
    "switches in branches": _branches,
    "GPUs on PCIe switches": _pcie_gpus,
    "12 tiles on 8 adapters": _tiles,
    "accelerators with Ethernet ports": _ethernet_accelerators,
    "twisted torus": _twisted,
    "fabric extenders": _extenders,
    "networks behind a firewall": _institutes,
    "pods in an overlay": _pods,
    "adapters on either socket": _two_boards,
    "bundles of unequal width": _bundles,
    "striped rails": _striped,
    "racks with power caps": _power_caps,
    "several queue pairs": _queue_pairs,
    "threads of virtual machines": _threads,
    "spines of two generations": _old_spines,
    "superchips in a dragonfly+": _superchips,
    "fat tree 8:5 re-hashed": _eight_to_five,
    "mesh of hosts": _mesh_of_hosts,
    "three levels, two generations, far socket": _extended,
    "dragonfly, 4 rails": _dragonfly_of_four_rails,
    "dragonfly+, far socket": _two_sockets_in_a_dragonfly,
    "dragonfly of two generations": _generations_in_a_dragonfly,
    "torus, hyperthreads": _torus_of_adapters,
    "Ethernet 3:1, 10 and 25 Gbit/s": _racks_of_two_speeds,
    "rail-optimized, 8 rails": _eight_rails,
    "4 GPUs on 2 rails, 3:1": _gpus_in_racks,
    "burst credits": _burst_credits,
    "two sites, lines of two lengths": _two_sites,
    "HyperX with tables": _hyperx_tables,
    "dragonfly of single cables": _single_cables,
    "Kautz graph": _kautz,
    "torus, 4 interfaces": _interfaces,
    "storage in every second leaf": _storage_leaves,
    "two networks of unequal taper": _two_networks,
    "director switch": _director,
    "8 GPUs on 4 relayed rails": _four_relayed_rails,
    "sleds in racks": _sleds,
    "4 switches, each with each": _four_switches,
    "two leaves per rack, hosts in turns": _two_leaves_per_rack,
    "NVLink racks, 4 rails": _nvlink_racks_of_four_rails,
    "8 GPUs, 7:1 between pods": _seven_to_one,
    "partitions with and without GPUs": _partitions,
    "error correction on longer cables": _error_correction,
    "unequal leaves with equal uplinks": _ports_for_others,
    "newer leaves spread, older ones hash": _newer_leaves_spread,
    "stacks on a core": _stacks,
    "two hypercubes": _two_hypercubes,
    "two adapters on one port": _socket_direct,
    "sleep states in one row": _sleep_states,
    "PCIe switches in one lot of servers": _pcie_switches,
    "pods that may send less": _limited_pods,
    "two receive queues": _receive_queues,
    "trays of two hosts": _trays,
    "ring with a blocked cable": _blocked_ring,
    "torus in five dimensions": _five_dimensions,
    "two routers for networks in turns": _two_routers,
    "supernodes, 4:1": _supernodes,
    "fat tree 11:9 by receiver": _eleven_to_nine,
    "islands, 4:1 between them by receiver": _pruned_islands,
    "islands of hosts with 4 rails": _islands_of_gpus,
    "three generations in a tree": _three_years,
    "rail-optimized, uplinks of twice the rate": _wide_uplinks,
    "units in a torus, 4 interfaces": _units_of_interfaces,
    "6 GPUs on 2 rails, three levels": _six_gpus,
    "4 rails on 2 leaves, by receiver": _four_ports_on_two_leaves,
    "8 ranks on 4 rails in a dragonfly": _accelerated_processors,
    "rail-optimized, 8 rails, 2:1 re-hashed": _half_as_many_uplinks,
    "LAGs to one core, 7:2, two processors": _aggregated,
    "islands with one uplink, far socket": _single_uplinks,
    "two rates in each leaf, 2:1 adaptive, far socket": _faster_in_each_leaf,
    "two processors by rack, 1:1 by receiver": _one_superchip,
    "8 rails on two joined switches": _two_joined_switches,
    "4 GPUs on one adapter in a dragonfly": _gpus_on_one_adapter,
    "two tori of switches": _torus_of_switches,
    "8 accelerators on 2 rails in a dragonfly+": _vector_engines,
    "8 GPUs on one adapter, two zones": _two_zones,
    "8 GPUs on 4 relayed rails, lingering routes": _private_networks,
    "cube mesh of GPUs on 4 adapters": _hybrid_cube_mesh,
    "fat tree 3:2 by receiver, far socket": _sixteen_core_switches,
    "hypercube, far socket": _nine_dimensions,
    "routes by load in a dragonfly, far socket": _processors_in_a_dragonfly,
    "Ethernet 2:1, 10 Gbit/s": _six_spines,
    "two islands of two processors": _two_stages,
    "islands on one core, 8:1, two generations": _director_of_islands,
    "islands with and without GPUs, 3:1": _island_of_gpus,
    "8 GPUs on 4 ports, 3:2 static": _ports_on_both_leaves,
    "8 tiles on 4 rails": _two_tiles_on_each_rail,
    "8 accelerators in two meshes": _two_meshes,
    "virtual machines with limits of flows": _whole_machines,
    "4 ranks that fill an adapter, 1:1 by receiver": _small_cores,
    "full leaves and pairs of hosts, far socket": _full_leaves_and_pairs,
    "4 ranks on 25 Gbit/s, 2:1 static": _research_cloud,
    "adapters short of PCIe, far socket": _short_of_pcie,
    "DPUs in every second rack": _behind_processors_of_adapters,
    "rail-optimized, 8 rails static, slow within": _slower_within,
    "3 GPUs on 2 relayed rails": _three_gpus,
    "deep buffers in every second leaf": _deep_buffers,
    "spines in two buildings": _spines_in_two_buildings,
    "grid closed along one dimension": _closed_along_one,
    "hosts joined by row and column": _rows_and_columns,
    "each message over 4 planes": _four_planes,
    "three processors, 7:5 by receiver, far socket": _three_processors,
    "8 NUMA nodes on one switch, two generations": _newer_hosts_on_the_switch,
    "striped rails in narrow slots, one switch": _narrow_slots,
    "4 ranks on 1 Gbit/s, one core": _gigabit,
    "two trees of two rates": _two_trees,
    "8 NUMA nodes, routes by load in a dragonfly": _numa_nodes_by_load,
    "switches joined each with each, routes by load": _one_group,
    "rail-optimized, 8 rails, two generations": _pods_of_two_generations,
    "torus of rings that lead one way": _one_way_rings,
    "two networks that meet by Ethernet only": _two_fabrics,
    "2 GPUs on 2 ports of one leaf, 1:1 by receiver": _two_ports_of_one_leaf,
    "4 GPUs on PCIe with one adapter, one switch": _gpus_on_pcie,
    "two ports in one slot, 2:1 adaptive": _two_ports_in_one_slot,
    "8 ranks by TCP, 2:1 static, two generations": _cores_of_two_generations,
    "director switch, far socket": _older_director,
    "three clusters on one router": _site,
    "8 ranks on 4 rails or one, 1:1 adaptive": _last_racks_have_gpus,
    "newer hosts on the core, 2:1, far socket": _free_ports_of_the_core,
    "full group and pairs of hosts in a dragonfly": _pairs_in_a_dragonfly,
    "rings of machines of 4 processors": _rings_of_machines,
    "hypercube of boards": _cube_of_boards,
    "spines of two rates by weighted hashes": _weighted_spines,
    "pods on planes of spines": _pods_on_planes,
    "4 ranks on 2 relayed rails, four levels": _four_levels,
    "orthogonal fat tree": _orthogonal,
    "PolarFly": _polarfly,
    "HammingMesh": _hamming_mesh,
    "mesh of hosts of 8 chips": _mesh_of_chips,
    "6 ranks on cores of two kinds": _cores_of_two_kinds,
    "every third rack receives less, 2:1 static": _receive_less,
    "4 functions with limits of three classes": _classes,
    "interrupts on the core of the first rank": _interrupts_on_first,
    "4 ranks on sockets in turns, 2:1 adaptive": _sockets_in_turns,
    "8 ranks on bonds that hash by hosts": _bonds_by_hosts,
    "short frames in the last racks, 2:1 static": _short_frames,
    "half-full NVLink racks, 4 GPUs on 2 adapters": _half_full_racks,
    "thin, fat and GPU hosts, 2:1 adaptive": _thin_and_fat,
    "4 ranks on 2 rails, tables that change": _two_dies_on_each_rail,
    "hosts of a blade on two switches in a dragonfly": _blades,
    "pods of three years, 4:1, 2:1 and 1:1 to the core": _pods_of_three_years,
    "two uplinks for each receiver, far socket": _dispersed,
    "rail-optimized, 8 rails, 2:1 above units": _scalable_units,
    "NVLink domains of two racks, 4 rails": _domains_of_two_racks,
    "rows of a dragonfly, 4 rails": _rows_of_a_hall,
    "4 ranks striped over 4 rails, 2:1 dealt out": _quad_rail,
    "4 ranks with encryption, two lots": _encrypted,
    "4 memory groups, two processors, 2:1 by receiver": _wide_vectors,
    "three layers of network nodes, far socket": _network_nodes,
    "the same spine there and back, 5:2": _symmetric_hash,
    "4 NUMA nodes, parts of a dragonfly+": _parts_of_groups,
    "half of the memory channels in every fourth rack": _fewer_modules_of_memory,
    "rail-optimized, 4 rails, switches of two makers": _switches_of_two_makers,
    "2 processors and 3 coprocessors, boards of two": _coprocessors,
    "a burst buffer of two adapters in each rack": _burst_buffers,
    "8 rails on 4 leaves, parts of pods": _two_rails_on_each_leaf,
    "warmer towards the top of racks, 2:1 re-hashed": _warmer_at_the_top,
    "4 rails in a dragonfly, groups that came later": _later_groups,
    "torus of routers with service blades": _service_blades,
    "torus of blocks on optical switches": _optical_blocks,
    "a cluster and its machines in a cloud": _bursting,
    "a virtual machine on each socket, 2:1 static": _machine_on_each_socket,
    "interrupts held back in one lot, 2:1 static": _held_interrupts,
    "four ports of a line card share a chip": _port_groups,
    "tunnels between subnets only, two processors": _tunnels_between_subnets,
    "slices of a torus joined by Ethernet": _slices,
    "rail-optimized, 8 rails, virtual machines in turns": _machines_in_turns,
    "hypercube of three generations, far socket": _hypercube_of_generations,
    "4 GPUs behind a PCIe switch, access control in one lot": _access_control,
    "file servers on two leaves, 7:4 static": _file_servers,
    "one tunnel from each leaf to each other, far socket": _leaf_tunnels,
    "four switches in a line, three generations": _chain_of_switches,
    "spines in the middle, fast memory in the last leaves": _spines_in_the_middle,
    "tunnels between racks only, two lots": _tunnels_between_racks,
    "4 GPUs, around by the processor in one lot": _around_by_the_processor,
    "blades in chassis and servers in racks": _blades_and_servers,
    "older blades in each group, routes by load": _older_blades_by_load,
    "4 ranks on hosts that other jobs use too": _shared_with_others,
    "rail-optimized, 8 rails, a host in each rack": _a_host_in_each_rack,
    "processor and accelerator in one, far package": _two_packages,
    "rail-optimized, 8 rails, ports on two planes": _ports_on_two_planes,
    "8 rails on the leaf of the rack, PCIe 4 and 5": _by_power_of_racks,
    "rows of a dragonfly with 4 rails and with one": _groups_with_and_without_gpus,
    "pairs of leaves with a peer link, two processors": _peer_links,
    "spines of two kinds, 2:1 by receiver, far socket": _spines_of_two_kinds,
    "rail-optimized, 8 rails, storage on the first": _storage_on_first_rail,
    "4 GPUs in bridged pairs, two generations": _bridged_pairs,
    "new pods on an old core, 4 NUMA nodes": _new_pods_on_an_old_core,
    "PCs in rooms, servers on the core": _servers_on_the_core,
    "rail-optimized, 8 rails, numbered in two orders": _numbered_in_two_orders,
    "twisted pairs in every second rack, LAGs to one core": _twisted_pairs,
    "two halls of two generations, 8 rails": _two_halls,
    "virtual switches of four machines, two lots": _virtual_switches,
    "adapter on the second socket, 4 NUMA nodes, 2:1": _adapter_on_second_socket,
    "4 rails on the leaf of the rack, tables that change": _four_links_of_a_rack,
    "4 rails dealt out on leaves of their own, two lots": _leaves_of_four_rails,
    "dragonfly+ of two generations, far socket": _generations_in_a_dragonfly_plus,
    "8 NUMA nodes, 3:1 adaptive, adapter on the third": _adapter_on_third_node,
    "dragonfly of three groups by load, far chip": _three_groups,
    "four purchases that begin within leaves, far socket": _four_purchases,
    "8 GPUs on PCIe, two on each of 4 rails": _pairs_of_gpus_on_rails,
    "three switches, each with each, newer hosts on one": _three_switches,
    "8 dies on 4 rails in a dragonfly, bound by cores": _bound_by_cores,
    "blades of three on three leaves, cells of two processors": _blades_of_three,
    "LAGs that hash by the last bits of addresses": _last_bits,
    "two rates in each leaf, stored towards the quicker": _stored_towards_quicker,
    "units in a torus, 4 interfaces, I/O on every fourth host": _hosts_for_storage,
    "slow cores in older racks, tables that change, 7:5": _slow_cores,
    "16 GPUs on 8 rails, two boards": _sixteen_gpus,
    "8 GPUs on 2 adapters of two ports, racks filled up": _filled_up,
    "4 GPUs on two cards of two ports, dragonfly+": _dual_port_cards,
    "islands with tables that change, 8:1, far socket": _islands_with_tables,
    "one Ethernet switch, three purchases, 4 ranks": _department_switch,
    "tunnels of 2 pods, kernels half updated": _rolling_update,
    "rail-optimized, 8 rails dealt out, last unit not full": _smaller_last_unit,
    "an adapter on each socket, tables that change": _adapter_on_each_socket,
    "4 NUMA nodes, three levels dealt out": _three_levels_dealt_out,
    "two cores, newest hosts first, far socket": _newest_first,
    "one switch, GPU hosts with two adapters": _last_hosts_have_gpus,
    "4 NUMA nodes, dragonfly of faster cables": _half_as_fast_as_cables,
    "8 rails on two leaves of the rack, flowlets": _flowlets_of_gpus,
    "4 NUMA nodes, islands 4:1 adaptive, newest hosts last": _newer_last_island,
    "8 NUMA nodes, dragonfly+ of 200 Gbit/s": _numa_nodes_in_a_dragonfly_plus,
    "8 rails on the leaf of the rack, blocks of two racks": _blocks_of_racks,
    "two joined switches of 56 Gbit/s, 4 ranks": _second_switch,
    "pods of 4 ranks in three racks, lingering routes": _three_racks,
    "4 GPUs on 2 adapters of the leaf, 3:2 dealt out": _adapters_of_two_sockets,
    "newer hosts on free ports of all leaves, tables that change": _free_ports,
    "blades with and without GPUs on each switch, one adapter": _blades_of_two_kinds,
    "two hosts on each adapter, islands 3:2, far socket": _halves_of_adapters,
    "one switch, 4 NUMA nodes of one socket, drift": _quadrants_of_one_socket,
    "8 GPUs on 4 adapters of the leaf, 1:1 dealt out": _two_gpus_to_an_adapter,
    "one switch of 40 Gbit/s, older hosts with PCIe 2": _two_kinds_of_slots,
    "200 Gbit/s, 7:4 adaptive, last leaf half full": _half_full_leaf,
    "dragonfly+ in two rows, far socket": _dragonfly_plus_in_rows,
    "4 ranks on two subnets, 3:2 adaptive": _two_subnets,
    "8 GPUs on 8 relayed rails, a switch for each": _switch_for_each_rail,
    "4 GPUs on PCIe with one adapter, 3:1 by receiver": _two_gpus_far_from_the_adapter,
    "8 GPUs on a bond that hashes by hosts, leaf pairs": _gpus_on_a_bond,
    "pods with and without a proxy, 2:1 static": _proxies,
    "extension with one adapter instead of two, 2:1": _one_adapter_instead_of_two,
    "8 NUMA nodes, racks adaptive, 2:1 by receiver above": _adaptive_below_only,
    "one switch, adapters of two lots on either socket": _adapters_of_two_lots,
    "two joined switches, hosts in turns": _switches_in_turns,
    "fat tree 3:1 adaptive, large memory in each leaf": _large_memory,
    "LAGs that hash by the sender, far socket": _source_addresses,
    "dragonfly+ of 2 rails, each on a leaf of the cell": _rail_on_each_leaf,
    "2 rails in networks that do not meet, shared uplinks": _two_networks_on_one_leaf,
    "8 GPUs in two bridged quads, a leaf for each": _bridged_quads,
    "pods in turns on two pools, tunnels": _node_pools,
    "later leaves in the next room, 2:1 by receiver": _next_room,
    "4 rails on the leaf of the rack, islands 2:1 re-hashed": _islands_of_two_racks,
    "every fourth host left out, by receiver, far socket": _every_fourth_left_out,
    "three uplinks for eight buckets of a hash": _buckets_of_a_hash,
    "dragonfly+ of faster cables, larger memory last": _larger_memory_last,
    "dragonfly, twice the cables to neighbours": _neighbouring_groups,
    "torus, 4 ranks, cables narrower than hosts": _narrow_cables,
    "rail-optimized, 8 rails, packets put in order": _put_in_order,
    "4 rails on leaves of their own, later pods 2:1": _later_pods_taper,
    "two phases of 56 Gbit/s, 2:1 each, far socket": _two_phases,
    "one switch, 8 ranks on quadrants of one socket": _ranks_on_quadrants,
    "hosts in turns on four leaves of a row, static": _leaves_at_the_end_of_a_row,
    "director switches as spines, 2:1, 4 ranks": _director_spines,
    "one switch, cables of two lengths": _cables_of_two_lengths,
    "leaves of two sizes and processors, tables that change": _leaves_of_two_purchases,
    "dragonfly of four groups by load, last one half full": _last_group_half_full,
    "chassis in a dragonfly, far socket": _far_sockets_on_chassis,
    "torus in six dimensions, far socket": _six_dimensions,
    "8 rails on the leaf of the rack, scheduled fabric": _scheduled_fabric,
    "4 GPUs on 4 relayed rails, 2:1 dealt out": _four_gpus_on_relayed_rails,
    "4 ranks, 3:1 adaptive, two generations by leaf": _three_to_one_for_each,
    "hosts in turns over racks, 2:1 static, far socket": _in_turns_over_racks,
    "cells of three leaves, 3:1 between them by receiver": _cells_of_three_leaves,
    "8 NUMA nodes, 2:1 dealt out, adapter on the second": _adapter_on_second_node,
    "large-memory hosts last, 4:3 by receiver": _large_memory_last,
    "edge boards of 1 Gbit/s, LAGs to one core": _boards,
    "torus of boosters and cluster hosts": _boosters,
    "2:1 dealt out, newer racks with the adapter on the second socket": _newer_racks_turned,
    "four virtual machines on a server, tunnels, two generations": _tenants,
    "4 GPUs on 2 rails, uneven parts of a dragonfly": _uneven_job,
    "4 NUMA nodes, 4:3 by receiver, three sizes of memory": _sizes_of_memory,
    "4 ranks on bonds of two rates, storage on all hosts": _hyperconverged,
    "8 GPUs on 2 adapters, or on one without NVLink": _without_nvlink,
    "rail-optimized, 8 rails, a pod in the next hall": _next_hall,
    "1:1 adaptive, 400 Gbit/s that one rank does not fill": _more_than_a_rank_fills,
    "8 NUMA nodes on 2 rails, routes by load, larger memory": _larger_memory,
    "mini PCs on switches of 2.5 Gbit/s, one core": _mini_pcs,
    "rail-optimized, 8 rails, longer cables to further pods": _pods_in_a_row,
    "4 GPUs on one adapter, 3:2 adaptive, far socket": _far_gpus,
    "torus, 4 ranks, adapters as fast as six cables": _torus_of_four_cores,
    "4 ranks on bonds that hash by flow, one switch": _bonds_by_flow,
    "islands of three leaves, 2:1 to a core that is not adaptive": _islands_of_three,
    "chassis of four in turns over leaves, 2:1 dealt out": _chassis_in_turns,
    "8 threads of 4 cores, one switch of 10 Gbit/s": _threads_of_four_cores,
    "one switch, optical cables to the second rack": _optical_cables,
    "racks of two leaves of 56 Gbit/s, 4:1 between them, far socket": _fdr_racks,
    "4 NUMA nodes, pairs of hosts in turns over groups of a dragonfly": _pairs_over_groups,
    "4 GPUs on 4 rails, every second host of dragonfly+ cells": _half_of_each_cell,
    "units in a torus, two memory groups": _two_memory_groups_in_units,
    "4 GPUs on 4 adapters, two to a PCIe link, 2:1 by receiver": _shared_pcie_links,
    "four sockets in a square, 40 Gbit/s, 1:1 by receiver": _square_of_sockets,
    "4 quadrants of one socket, 2:1 adaptive": _third_quadrant,
    "rail-optimized, 8 rails, 4:3 lingering": _three_uplinks_for_four_on_rails,
    "4 GPUs on 4 adapters of the leaf, 3:2 adaptive, two phases": _h200_phase,
    "virtual machines in three fault domains, two threads a core": _fault_domains,
    "LAGs to two spines, 2:1, far socket": _two_spines_with_lags,
    "2 GPUs on one adapter, one Ethernet switch, two purchases": _two_gpus_of_a_department,
    "one switch, 8 ranks in turns on four CCXs, two purchases": _eight_ranks_in_turns_on_ccxs,
    "25 Gbit/s, older leaves with uplinks of 40 Gbit/s": _uplinks_of_40_and_of_100,
    "56 Gbit/s, 5:1 by receiver, two purchases, far socket": _five_to_one_of_56,
    "islands of four leaves, 4:3 at the leaves dealt out": _omni_path_islands_of_four_leaves,
    "4 GPUs on 4 rails, whole and half cells of a dragonfly+": _whole_and_half_cells,
    "4 superchips, two adapters on each switch, routes by load": _two_of_four_adapters_on_a_switch,
    "8 relayed rails, two uplinks for each host": _relayed_rails_with_spare_uplinks,
    "8 GPUs on PCIe with two adapters, one switch": _gpus_on_the_other_pcie_switch,
    "torus, 4 ranks on two sockets, cables of 3.2 GB/s": _torus_with_cables_of_3_2,
    "8 NUMA nodes, 2:1 static, adapter on the seventh": _adapter_on_seventh_node,
    "4 ranks on pairs of threads, 4:1 dealt out": _pairs_of_threads,
    "fluid and crash hosts in turns of racks, 2:1 adaptive": _fluid_and_crash_racks,
    "blades of 40 Gbit/s, one I/O hub for both sockets": _blades_with_one_hub,
    "8 GPUs on PCIe with one adapter, two cabinets": _cabinets_of_a_weather_service,
    "4 NUMA nodes, dragonfly+, half of the rate in the last cell": _general_hosts_in_the_last_cell,
    "units in a torus, two memory groups on 4 interfaces": _memory_groups_on_interfaces,
    "Omni-Path of 400 Gbit/s, 2:1 adaptive, 4 ranks": _omni_path_of_400,
    "4 superchips on two switches of a dragonfly": _superchips_on_two_switches,
    "rail-optimized, 8 rails, four queue pairs": _queue_pairs_on_rails,
    "2 GPUs on two sockets with one adapter, 8:5 by receiver": _gpu_on_each_socket,
    "Xeon Phis and Xeons in tanks, TCP, 2:1 static": _immersed_processors,
    "8 ranks on 4 CCXs of one socket, 2:1 to one core": _ranks_on_core_complexes,
    "one switch of 56 Gbit/s, newer hosts in every third slot": _every_third_slot,
    "torus numbered by cubes, far socket": _numbered_by_cubes,
    "dragonfly+ of 4 rails, two on each leaf of the cell": _four_rails_on_two_leaves_of_a_cell,
    "dragonfly by load, last group with a second adapter": _second_adapter_in_the_last_group,
    "8 GPUs on PCIe with one adapter, 4:1 adaptive": _consumer_gpus,
    "rail-optimized, 8 rails, two behind two PCIe switches": _two_rails_behind_two_switches,
    "8 ranks by TCP, 3:1 static, a core for each flow": _one_core_for_each_flow,
    "GPU hosts with two adapters in each leaf, tables that change": _gpu_hosts_in_each_omni_path_leaf,
    "two leaves per rack, either side of each chassis, 2:1": _left_and_right_of_each_chassis,
    "leaves on one core, 1:1 and later 2:1, 40 Gbit/s": _later_leaves_on_an_old_core,
    "8 ranks on 4 CCXs, three levels, 2:1 adaptive": _two_ranks_on_each_ccx,
    "8 GPUs on 4 adapters of the leaf, racks of 200 and 400 Gbit/s": _gpu_racks_of_two_rates,
    "8 GPUs on PCIe with 2 adapters, each second pair further, 2:1": _every_second_pair_of_gpus_by_the_processor,
    "sprayed packets, 8 rails, machines sorted by switch": _sorted_by_network_nodes,
    "4 NUMA nodes in turns over four groups of a dragonfly": _in_turns_over_groups,
    "islands 2:1 adaptive, the last one in another hall": _island_in_another_hall,
    "Omni-Path of 400 Gbit/s that three of 8 ranks fill": _three_ranks_fill_an_adapter,
    "Ethernet 2:1, a second purchase above the first": _second_purchase_above_the_first,
    "chassis of blades of 40 Gbit/s on one core, two processors": _blades_on_older_infiniband,
    "torus of routers, the last ones have GPUs": _last_routers_have_gpus,
    "fat tree 5:1 by receiver, far socket": _five_to_one,
    "leaves between racks, half full at both ends, 2:1": _leaves_between_racks,
    "40 Gbit/s, 8:5 static, older and newer chassis in turns": _older_and_newer_chassis_in_turns,
    "40 Gbit/s, 2:1 by receiver, adapter on the third die": _adapter_on_the_third_die,
    "islands 3:1 adaptive, last leaves on the first island": _leaves_added_to_the_first_island,
    "dragonfly by load, 400 Gbit/s that two ranks fill": _two_ranks_fill_slingshot,
    "4 NUMA nodes in turns over four cells of a dragonfly+": _in_turns_over_cells,
    "torus of switches with two cables, far socket": _torus_of_switches_with_two_cables,
    "rail-optimized, 8 rails, first pod twice as large": _first_pod_twice_as_large,
    "4 GPUs on PCIe, adapter on the second socket, 2:1 static": _gpus_with_the_adapter_on_the_second_socket,
    "flowlets, 8 ranks on 8 CCXs of one socket, 2:1": _flowlets_of_one_socket,
    "Omni-Path 2:1 by receiver, larger last leaf": _larger_last_leaf,
    "8 dies on 4 rails, routes by load, rows of a hall": _dies_by_load_in_rows,
    "dragonfly+ of 100 Gbit/s, hosts in turns over cells": _edr_cells_in_turns,
    "rail-optimized, 8 rails, the same spine there and back": _same_spine_back_on_rails,
    "8 GPUs on 4 adapters, a leaf for each socket, 2:1 adaptive": _leaf_for_each_socket,
    "superchips of 400 Gbit/s beside processors of 200": _superchips_beside_processors,
    "4 GPUs on 4 rails, two Omni-Path switches in each chassis": _two_switches_in_each_chassis,
    "torus of routers, numbered to and fro": _routers_to_and_fro,
    "one Ethernet switch, 25 and 100 Gbit/s, 4 ranks": _four_times_the_rate_on_one_switch,
    "56 Gbit/s, 5:4 by receiver, adapter on the second socket": _five_to_four_of_56,
    "4 GPUs on 2 adapters of 100 Gbit/s, routes by load": _gpus_on_two_slower_adapters,
    "NVLink racks in pairs, a leaf for each rail of a pair": _pods_of_two_nvlink_racks,
    "virtual machines sorted by sub-blocks of two blocks, lingering routes": _machines_sorted_by_sub_blocks,
    "RoCE 2:1 static, uplinks of 200 Gbit/s, 8 ranks on CCXs of two sockets": _rank_on_each_ccx_of_two_sockets,
    "4 GPUs on PCIe with 2 adapters, a leaf for each, Ethernet 1:1 adaptive": _leaf_for_each_of_two_ethernet_rails,
    "56 Gbit/s, 3:1 by receiver, first leaves of 40 Gbit/s, far socket": _first_leaves_of_40_on_fdr,
    "8 NUMA nodes, 2:1 at both of two levels, adapter on the fourth": _tapered_at_both_levels,
    "4 GPUs on 4 rails in one group of a dragonfly": _one_group_of_four_rails,
    "4 GPUs on 2 adapters of one leaf in a dragonfly+": _two_adapters_on_one_leaf_of_a_cell,
    "units in a torus, 4 ranks on one socket, cables of 5 GB/s": _four_ranks_in_units_of_5,
    "rail-optimized, 8 rails, 4:1 dealt out": _four_to_one_above_rails,
    "Omni-Path 3:1, tables that change, chassis on two leaves of a rack": _chassis_on_two_omni_path_leaves,
    "100 Gbit/s, 2:1, uplinks drawn at random, far socket": _ports_drawn_at_random,
    "switches of 56 and of 100 Gbit/s, 4 ranks": _switches_of_two_generations,
    "bonds of 10 Gbit/s on the leaf of the rack, 2:1": _bonds_on_the_leaf_of_the_rack,
    "4 GPUs on PCIe, an adapter on each socket, 2:1 to one core": _gpus_with_an_adapter_on_each_socket,
    "Omni-Path 8:3 by receiver, older and newer racks in turns": _older_and_newer_racks_in_turns,
    "8 NUMA nodes in turns over sockets, 4:3 adaptive": _numa_nodes_in_turns_over_sockets,
    "4 NUMA nodes, routes by load, adapter on the third": _adapter_on_third_node_by_load,
    "units in a torus numbered to and fro, 4 memory groups": _units_to_and_fro,
    "4 GPUs on 4 adapters, two leaves in each rack, islands 3:2": _two_leaves_of_a_rack_in_islands,
    "rail-optimized, 8 rails, second purchase begins within a pod": _second_purchase_within_a_pod,
    "fat tree 7:3 dealt out, later leaves newer, far socket": _seven_to_three_of_two_purchases,
    "4 ranks, routes by load, job that begins within a group": _begins_within_a_group,
    "4 quadrants of a Xeon Phi, chassis in a dragonfly": _quadrants_on_chassis,
    "dragonfly+, hosts in turns on the two leaves of their cell": _alternate_leaves_of_cells,
    "mesh in three dimensions, two cores": _mesh_of_a_partition,
    "Omni-Path 5:3 by receiver, service hosts on the first leaf": _service_hosts_on_the_first_leaf,
    "8 GPUs on 4 adapters, a leaf for each rail, dealt out": _leaf_for_each_pair_of_gpus,
    "8 GPUs in four bridged pairs, 2:1 static": _four_bridged_pairs,
    "Ethernet of 100 Gbit/s, 5:3 static, two NUMA nodes of one socket": _leaf_spine_of_32_ports,
    "6 NUMA nodes, 2:1 adaptive, adapter on the second": _three_numa_nodes_on_each_socket,
    "one switch of 56 Gbit/s, 8 dies with links to counterparts": _dies_joined_to_their_counterparts,
    "8 rails on the leaf of the rack, racks of three, 3:2 dealt out": _racks_of_three_on_eight_rails,
    "8 GPUs on 4 rails, a leaf for each rail, 2:1 adaptive": _leaf_for_each_of_four_rails,
    "4 GPUs on PCIe with 2 adapters, one switch, two purchases": _second_purchase_of_pcie_gpus,
    "6 partitions of two accelerated processors, 1:1 adaptive": _partitions_of_accelerated_processors,
    "56 Gbit/s, 5:3 by receiver, clusters on die": _clusters_on_die,
    "dragonfly by load, two chips, job begins within a group": _job_that_begins_within_a_group,
    "dragonfly+ of 200 Gbit/s, blades in turns over cells": _blades_in_turns_over_cells,
    "torus, two ranks, rows of cabinets folded": _folded_cabinets,
    "Omni-Path leaves on one core, 3:1 and later 3:2": _later_leaves_with_twice_the_uplinks,
    "Ethernet pods of two leaves, 2:1 and 4:1, far socket": _ethernet_pods_of_two_leaves,
    "one switch of 200 Gbit/s, 4 NUMA nodes, adapter on the last, two purchases": _one_switch_of_an_engineering_company,
    "blades of 10 Gbit/s, LAGs of 40 Gbit/s to one core": _blades_of_a_film_studio,
    "56 Gbit/s, chassis of 18 blades, islands 5:2 dealt out": _chassis_of_eighteen_blades,
    "4 ranks by TCP on 25 Gbit/s, 1:1 re-hashed": _ports_of_a_chip_designer,
    "200 Gbit/s, 5:2 adaptive, high clocks in the first racks": _high_clocks_in_the_first_racks,
    "2:1 by addresses in order of purchase, far socket": _addresses_by_purchase,
    "8 NUMA nodes, routes by load, groups in a row": _forecasts_on_a_row_of_groups,
    "dragonfly+ of trays of two hosts on one adapter": _trays_in_a_dragonfly_plus,
    "HyperX of 56 Gbit/s, bought by rows, far socket": _grid_of_a_seismic_company,
    "rail-optimized, 8 rails, spines of two rates": _rails_on_spines_of_two_rates,
    "8 vector engines on 2 adapters of the leaf, 3:2 dealt out": _vector_engines_of_a_weather_service,
    "one switch of 56 Gbit/s, 6 ranks, newer half of the hosts": _newer_half_at_the_rate_of_the_switch,
    "10 Gbit/s, chassis of up to 45 cartridges, LAGs to one core": _cartridges,
    "Omni-Path 2:1, tables that change, 8 NUMA nodes": _commodity_clusters_of_laboratories,
    "Omni-Path 7:1 by receiver, hosts of large memory last": _seven_hosts_for_an_uplink,
    "fat tree 2:1 re-hashed, 4 ranks, contributed hosts in each leaf": _contributed_hosts_in_each_leaf,
    "RoCE of 200 Gbit/s, 3:1 lingering, uplinks of 400": _seismic_processing,
    "100 Gbit/s, routes by load, GPU hosts last": _gpu_hosts_last_in_a_dragonfly,
    "6 ranks, routes by load, two ranks fill an adapter": _three_ranks_on_each_socket,
    "torus in five dimensions, 8 ranks": _eight_ranks_in_five_dimensions,
    "4 GPUs on 4 adapters of 400 Gbit/s, first racks with one of 200": _first_racks_with_one_adapter,
    "cube mesh of GPUs on 2 adapters, 3:2 dealt out": _cube_mesh_on_two_adapters,
    "one switch of split ports, large-memory hosts of half the rate": _ports_split_in_two,
    "25 Gbit/s on LAGs of 100 to one core, far socket": _lags_of_100_for_hosts_of_25,
    "Omni-Path 8:5 dealt out, 4 dies joined each with each": _dies_of_two_packages,
    "TCP by connections in turns, 3:1 re-hashed, two ranks": _connections_in_turns,
    "a GPU in each host, 1:1 adaptive, last leaves 2:1": _fifth_added_with_fewer_uplinks,
    "4 ARM dies with RoCE, 8:3 static": _arm_dies_on_roce,
    "dragonfly by load, a row of the hall for each group": _row_for_each_group,
    "dragonfly+, blades of three in turns on two leaves": _blades_of_three_in_cells,
    "torus in four dimensions": _four_dimensions,
    "8 rails, a leaf for one rail of each socket, 2:1 dealt out": _leaf_for_counterparts_of_both_sockets,
    "4 GPUs, each message over 2 adapters, 3:2 adaptive": _each_message_over_both_adapters,
    "one switch, 4 memory groups in a ring that share an adapter": _groups_in_a_ring,
    "director switch of 56 Gbit/s, two purchases": _two_purchases_on_line_boards,
    "virtual machines, RoCE static, 56 Gbit/s and later 100": _passed_through,
    "56 Gbit/s, 3:2 by receiver, last chassis with half of the hosts": _accelerated_blades,
    "200 Gbit/s, 1:1 re-hashed, far socket, last third newer": _memory_intensive_hosts,
    "4 ranks, dragonfly+, job begins with half a cell": _second_leaf_of_the_first_cell,
    "dragonfly, last group half as large with half of the cables": _last_cabinet,
    "hyper-crossbar of hosts with 4 coprocessors": _coprocessors_in_a_grid,
    "8 tiles on 2 adapters, 3:2 by receiver": _two_tiles_of_four_gpus_on_two_adapters,
    "4 GPUs on 4 rails, odd and even on two leaves, 3:2 adaptive": _odd_and_even_rails,
    "8 GPUs on 4 adapters, 4:1, uplinks drawn at random": _migration_of_an_oil_company,
    "iWARP of 40 Gbit/s on one switch, every third chassis older": _every_third_chassis_older,
    "10:3 to one core, 4 NUMA nodes, adapter on the second": _ten_to_three_on_one_core,
    "Omni-Path 9:4, tables that change, adapter on the second socket": _forecasts_on_omni_path,
    "200 Gbit/s, 7:2 adaptive, second host of each tray warmer": _second_host_of_each_tray_warmer,
    "10 Gbit/s, 3:1 static, kernel bypass in the first racks": _risk_grid,
    "100 Gbit/s, 12:7 dealt out, 8 ranks on two sockets": _reservoirs,
    "routes by load, blocks of hosts in turns over four groups": _blocks_in_turns_over_groups,
    "dragonfly+ of 200 Gbit/s, PCIe 3, job begins within a cell": _cells_of_a_seismic_company,
    "HyperX, one socket of 4 NUMA nodes, adapter on the third": _grid_of_one_socket_hosts,
    "flowlets, 8 GPUs on 4 rails, 6:5": _flowlets_above_four_rails,
    "rail-optimized, 8 rails, GPUs joined each with each, 4:3 static": _gpus_joined_each_with_each,
    "one switch of 100 Gbit/s, 4 dies of which two have no memory": _dies_without_memory,
    "3:2 by receiver to uplinks of 200 Gbit/s, 4 ranks, GPU hosts last": _supercomputing_mission,
    "9:4 adaptive to uplinks of 200 Gbit/s, far socket": _institute_of_solid_state_physics,
    "virtual machines in pairs on 25 Gbit/s, 2:1 static, tunnels": _platform_of_universities,
    "40 Gbit/s, two levels 1:1 dealt out, analysis hosts last": _analysis_hosts_last,
    "4 GPUs on PCIe with 4 adapters, a leaf for each socket, dealt out": _four_adapters_on_leaves_of_sockets,
    "8 GPUs on 4 adapters in turns on two leaves, 8:5 adaptive": _adapters_in_turns_on_two_leaves,
    "rail-optimized, 8 rails, two pods, uplinks of 800 Gbit/s": _two_pods_with_uplinks_of_800,
    "dragonfly+ of 200 Gbit/s, job begins within a cell": _begins_within_a_cell,
    "100 Gbit/s, routes by load, hosts in turns on four switches": _in_turns_on_four_switches,
    "torus of 100 Gbit/s, one PCIe link for six cables, far socket": _six_cables_on_one_pcie_link,
    "100 Gbit/s, 2:1 to one core, chassis of 24 blades, large memory in each": _chassis_of_blades_on_one_core,
    "4 NUMA nodes, 11:4 dealt out to uplinks of 200 Gbit/s, adapter on the third": _eleven_to_four_dealt_out,
    "200 Gbit/s, 8:3 adaptive, water that becomes warmer": _cooled_by_warm_water,
    "4 accelerated processors, a switch for each rail of eight hosts, routes by load": _switch_for_each_rail_of_eight,
    "dragonfly+ of 100 Gbit/s, first quarter of each cell left out, far socket": _without_the_first_blades_of_cells,
    "torus of 2 GPUs in each host, links of 34 Gbit/s": _torus_between_gpus,
    "8 relayed rails of 400 Gbit/s, 1:1 adaptive, last unit one host fewer": _one_host_fewer_in_the_last_unit,
    "8 GPUs on 2 adapters, a leaf for each, 4:3 dealt out, second PCIe switch further": _adapter_behind_one_pcie_switch,
    "2 GPUs on 2 adapters of 40 Gbit/s, a leaf for each rail of two chassis": _blades_of_two_gpus_and_two_adapters,
    "director switch of 100 Gbit/s, 4 clusters on die, adapter on the last": _crash_simulations_on_a_director,
    "25 Gbit/s on LAGs of 100, GPU hosts of 100 on the core itself": _render_hosts_and_gpu_hosts,
    "40 Gbit/s, 12:5 static, every third rack replaced by 100 Gbit/s": _racks_replaced_in_place,
    "200 Gbit/s, 3:2 dealt out to uplinks of 400, 8 ranks on 4 NUMA nodes": _vehicle_aerodynamics,
    "100 Gbit/s, 5:4 adaptive, last host of each leaf for output": _output_hosts_of_a_weather_service,
    "virtual machines as large as servers, re-hashed, every second leaf half taken": _tenant_beside_another_one,
    "2 ranks with an adapter of 200 Gbit/s each on two switches, routes by load": _adapter_for_each_socket_by_load,
    "dragonfly+ of 200 Gbit/s, three quarters of each cell, 4 ranks": _three_quarters_of_each_cell,
    "Ethernet HyperX with tables, workstations of 10 Gbit/s on each switch": _floors_of_an_animation_studio,
    "6 GPUs on 2 relayed rails, 1:1 dealt out": _three_gpus_on_each_of_two_rails,
    "rail-optimized, 8 rails, two addresses of each adapter dealt out": _gpus_of_a_bank,
    "8 GPUs on 4 rails, six uplinks for 16 buckets of a hash": _training_for_driving,
    "one switch of 56 Gbit/s, 4 coprocessors on two sockets": _coprocessors_of_two_sockets,
    "100 Gbit/s to one core, half of the hosts on the first leaf": _first_leaf_has_file_servers,
    "100 Gbit/s, 3:1 dealt out to uplinks of 200 Gbit/s": _three_to_one_dealt_out_to_200,
    "Omni-Path 2:1 by receiver, Xeon Phis and a few Xeons": _few_xeons_behind_xeon_phis,
    "200 Gbit/s, 17:3 adaptive, 4 ranks, adapter on the second socket": _seventeen_to_three_of_a_consortium,
    "routes by load, an adapter on each socket, job begins within a group": _adapter_of_each_socket_by_load,
    "two sockets of two NUMA nodes, chassis in a dragonfly": _climate_physics_on_chassis,
    "200 Gbit/s, torus of switches in four dimensions": _switches_in_four_dimensions,
    "rail-optimized, 4 rails of 400 Gbit/s, 8:7 dealt out, newer hosts last": _newer_gpus_of_four_rails_last,
    "8 GPUs with NVSwitch on 2 adapters of 100 Gbit/s, 2:1 dealt out": _four_gpus_fill_each_of_two_adapters,
    "8 GPUs on 4 rails of 100 Gbit/s, 2:1 static, uplinks of 400 Gbit/s": _rails_of_100_to_uplinks_of_400,
    "one switch, adapters on two of four sockets": _adapters_on_two_of_four_sockets,
    "virtual machines in pairs on a bond of two leaves, 5:2 static, tunnels": _machines_on_functions_of_a_bond,
    "RoCE of 100 Gbit/s, 10:3 static, adapter on the second socket": _ten_to_three_of_roce,
    "100 Gbit/s, 4:3 by addresses slot by slot over all racks": _addresses_slot_by_slot,
    "9:5 adaptive to uplinks of 200 Gbit/s, persistent memory in the last third": _persistent_memory_in_the_last_third,
    "leaves of three years, 2:1 by receiver to uplinks of 56, 100 and 200 Gbit/s": _three_rates_of_uplinks,
    "8 NUMA nodes, 7:3 by receiver, adapter on the fifth": _adapter_on_the_fifth_node,
    "supernodes of drawers without switches": _supernodes_of_drawers,
    "flattened butterfly of 56 Gbit/s": _butterfly_of_two_cables,
    "rail-optimized, 8 rails of 200 Gbit/s, two on each leaf, 1:1 dealt out": _two_rails_of_200_on_each_leaf,
    "10 GPUs on PCIe with 2 adapters, 2:1 dealt out": _five_gpus_behind_each_pcie_switch,
    "2 ranks with an adapter of 40 Gbit/s each, islands 2:1 dealt out": _islands_in_oil,
    "one switch of 200 Gbit/s, three dies in a row in each of two sockets": _three_dies_in_each_socket,
    "virtual machines in threes on 40 Gbit/s, 3:2 static, flows of 10": _machines_in_threes,
    "RoCE of 200 Gbit/s, 2:1 static, first two hosts of each rack of 100": _aircraft_engines,
    "200 Gbit/s, 7:3 adaptive, GPU hosts at the end of each leaf": _gpu_hosts_at_the_end_of_each_leaf,
    "units of 56, 100 and 200 Gbit/s, 4:1 between them by receiver": _units_of_three_years,
    "40 Gbit/s, 1:1 dealt out, four sockets of two dies": _four_packages_of_two_dies,
    "200 Gbit/s, routes by load, parts of groups of three sizes": _three_two_two_and_one_eighth_of_groups,
    "mesh of 400 Gbit/s, Ethernet between its edges": _mesh_with_ports_at_both_edges,
    "rail-optimized, 4 rails of 400 Gbit/s, 4:3 adaptive": _four_rails_of_a_research_organisation,
    "4 GPUs and one adapter on a PCIe switch, 9:5 dealt out": _four_gpus_and_an_adapter_on_one_pcie_switch,
    "40 Gbit/s, 2:1 to a director that has the newer hosts, far socket": _newer_hosts_on_the_director,
    "one switch of 200 Gbit/s, far socket, 1 % disturbed, drift": _sequencing_institute,
    "leaves of 5, 7, 9 and 11 hosts, three re-hashed uplinks, drift": _grown_rack_by_rack,
    "200 Gbit/s, 4:1 adaptive, leaves of 4, 8 and 12 hosts, far socket": _faculties,
    "10 Gbit/s, three lingering uplinks, hosts in turns over unequal leaves": _teaching_rooms,
    "100 Gbit/s, 4:3 by sender, 1 % disturbed, drift": _maps_for_navigation,
    "one switch, 25, 100 and 200 Gbit/s in turns, drift": _three_rates_in_turns,
    "200 Gbit/s, long cables in a row of racks, far socket": _row_of_racks,
    "flowlets, three uplinks for leaves of 4 to 9 hosts": _flowlets_of_five_sizes,
    "the same spine there and back, 3:1, leaves of 6 and 10 hosts, far socket": _symmetric_hash_of_two_sizes,
    "pods of one to three leaves, 3:1 between them re-hashed": _pods_of_one_to_three_leaves,
    "25 Gbit/s by TCP, 4:1 static, far socket, drift": _pricing_of_insurers,
    "routes by load, 100 and 200 Gbit/s in turns by group, hyperthreads": _every_second_group_upgraded,
    "dragonfly of 100, 200 and 400 Gbit/s by group, hyperthreads": _groups_of_three_years,
    "one switch, 8 CCXs in four quadrants with two adapters, hyperthreads": _ccxs_with_two_adapters,
    "25, 100 and 200 Gbit/s by rack, 2:1 re-hashed, far socket, hyperthreads": _racks_of_25_100_and_200,
    "24 CCXs in eight quadrants, unequal numbers of ranks, hyperthreads": _unequal_numbers_on_ccxs,
    "2 rails of 100 and 200 Gbit/s by rack, 4:1 static, hyperthreads": _newer_racks_of_two_rails,
    "4 ranks on two CCXs, dragonfly of 100 and 200 Gbit/s by group, drift": _two_ccxs_in_groups_of_two_years,
    "8 rails that do not meet, a tree for each, 1:1 static": _eight_rails_without_relays,
    "bonds of four ports of 25 Gbit/s, 3:1 static, far socket": _bonds_of_four_ports,
    "2 rails of two years, 1:1 and 4:1 re-hashed": _second_rail_of_a_later_year,
    "4 relayed rails of 100 and 200 Gbit/s, 2:1 and 4:1 lingering": _relayed_rails_of_two_rates,
    "NVLink racks whose hosts are on four leaves, 2:1 dealt out": _leaf_for_trays_of_a_place,
    "2 rails with trees of their own, islands 2:1, 4:1 between them, drift": _islands_of_both_rails,
    "8 rails on the leaf of the rack, LAGs 2:1 to one core": _eight_rails_on_lags,
    "2 ranks striped over 2 Omni-Path rails, 8:3, tables that change": _striped_omni_path,
    "rail-optimized, 4 rails, spines of two makers, 2:1 static": _rails_on_spines_of_two_makers,
    "4 NUMA nodes on 2 rails of the leaf, 4:1 by sender": _numa_nodes_on_uplinks_by_sender,
    "dragonfly, few detours, newer half of each group": _newer_half_of_each_group,
    "chassis in a dragonfly, many detours, GPUs in the second chassis": _gpus_in_the_second_chassis,
    "4 GPUs on 2 rails of 400 Gbit/s, routes by load, whole and half groups": _whole_and_half_groups_of_two_rails,
    "dragonfly+, few detours, newer second leaf of each cell, far socket": _newer_second_leaf_of_each_cell,
    "8 GPUs on 8 rails, dragonfly+, many detours, 4 rails on each leaf of a cell": _four_of_eight_rails_on_each_leaf,
    "two tori in two dimensions, one for each socket": _torus_for_each_socket,
    "mesh in four dimensions, far socket": _mesh_in_four_dimensions,
    "2 rails of 200 Gbit/s, full mesh of switches by load": _full_mesh_of_two_rails,
    "one-way rings in three dimensions, two ranks, hyperthreads": _one_way_rings_in_three_dimensions,
    "routes by load in rows, whole groups and quarters, far socket, drift": _whole_groups_and_quarters_in_rows,
    "4 chips, grid closed along its longer side": _closed_along_the_longer_side,
    "one switch of 400 Gbit/s, 4 ranks, far socket, 1 % disturbed": _images_of_brains,
    "one switch of 25 Gbit/s by TCP, 1 % disturbed, drift": _web_shop_by_day,
    "one switch, every fourth adapter on the second socket, drift": _second_hand_servers,
    "400 Gbit/s, 1:1 adaptive, leaves of 6 to 10 hosts, far socket, drift": _crystals,
    "25 Gbit/s, 1:1 static, half racks, 1 % disturbed, drift": _half_racks,
    "four re-hashed uplinks, leaves of 6 and 8 hosts, far socket, 1 % disturbed": _images_from_satellites,
    "50 Gbit/s, two static uplinks of 100 for leaves of 4 to 12 hosts": _laboratories_on_two_uplinks,
    "100 Gbit/s, 4:1 re-hashed, 4 ranks, far socket, drift": _echoes_from_the_ground,
    "four lingering uplinks, leaves of 6 to 10 hosts, far socket, 1 % disturbed": _desks_of_traders,
    "200 Gbit/s, four uplinks by receiver, leaves of 4 to 11 hosts, drift": _floors_of_a_hospital,
    "flowlets, 2:1, far socket, 1 % disturbed, drift": _flowlets_of_far_sockets,
    "400 Gbit/s, four adaptive uplinks for leaves of 5 to 13 hosts, drift": _leaves_filled_by_projects,
    "long cables in a row of racks, 100, 200 and 400 Gbit/s by rack, drift": _three_years_in_a_row_of_racks,
    "one switch, 12 ranks on CCXs in four quadrants, 200 and later 400 Gbit/s, hyperthreads": _twelve_ccxs_in_quadrants,
    "56, 100 and 200 Gbit/s in each leaf, 1:1 adaptive, far socket, hyperthreads": _three_years_in_each_leaf,
    "4 quadrants, 200 and 400 Gbit/s in turns of racks, 1:1 and 2:1 lingering, drift": _quadrants_in_racks_of_two_rates,
    "dragonfly+ of 100, 200 and 400 Gbit/s by cell, many detours, hyperthreads": _cells_of_three_years,
    "four sockets of two NUMA nodes, ranks in turns, hyperthreads, drift": _four_sockets_of_two_numa_nodes,
    "4 CCXs of two sockets, racks of 25 and 100 Gbit/s, same spine back, hyperthreads": _ccxs_on_symmetric_hashes,
    "bonds of 100 Gbit/s on two leaves, one tunnel from leaf to leaf, 2:1, far socket": _bonds_behind_tunnels,
    "4 GPUs on a bond of four planes, 2:1 re-hashed, far socket": _bonds_of_four_planes,
    "4 rails of the first socket on the leaf, 4:1 lingering, hyperthreads": _four_rails_of_the_first_socket,
    "2 rails of the leaf, striped, 4:1 re-hashed, two processors, hyperthreads": _striped_on_the_leaf_of_the_rack,
    "2 bridged GPUs on 2 relayed rails, 4:1 re-hashed, hyperthreads": _bridged_gpus_on_relayed_rails,
    "NVLink pairs of hosts, 4 relayed rails, 2:1 lingering": _nvlink_pairs_with_relayed_rails,
    "100 and 200 Gbit/s in turns by rack, 2:1 and 4:1 by sender, far socket": _sender_hashed_racks_of_two_rates,
    "8 rails, odd and even on two leaves of the rack, 4:1 re-hashed, hyperthreads": _odd_and_even_of_eight_rails,
    "4 rails that do not meet, islands 1:1, 2:1 between them, re-hashed, drift": _islands_of_four_separate_rails,
    "4 rails of 100 and 200 Gbit/s in turns, 3:1 adaptive, drift": _every_second_adapter_replaced,
    "rail-optimized, 8 rails of 200 Gbit/s, 1:1 by sender, hyperthreads, drift": _sender_hashed_pods_of_eight_rails,
    "dragonfly, most messages detour, every second blade newer, far socket": _every_second_blade_newer,
    "2 rails, dragonfly, few detours, whole groups, two thirds and thirds": _whole_groups_and_parts_of_two_rails,
    "rails of 100 and 200 Gbit/s, routes by load, whole groups and thirds, drift": _second_rail_by_load,
    "4 NUMA nodes on 2 rails, routes by load, rows of 5 and 3 hosts, hyperthreads": _unequal_rows_of_numa_nodes,
    "dragonfly+ in two rooms, 4 GPUs on 2 rails of 400 Gbit/s, many detours": _cells_in_two_rooms,
    "dragonfly+ of 100, 200 and 400 Gbit/s by cell, few detours, far socket": _cells_of_three_rates,
    "2 rails, dragonfly+, only the second leaf of each cell, hyperthreads": _second_leaf_of_each_cell,
    "torus of switches in three dimensions, 56 and 100 Gbit/s, far socket, hyperthreads": _newer_end_of_a_torus,
    "torus in four dimensions, an interface for each socket, drift": _two_interfaces_in_four_dimensions,
    "mesh in two dimensions, newer hosts in the last columns, far socket": _newer_columns_of_a_mesh,
    "torus in three dimensions, two generations in turns by plane, far socket": _newer_planes_of_a_torus,
    "2 striped rails, grid closed along its longer side, far socket": _two_striped_cylinders,
    "one switch of 50 Gbit/s, 6 ranks, far socket, 1 % disturbed, drift": _docking_of_molecules,
    "one switch, 3 ranks, two of them on the far socket, drift": _three_cards_in_workstations,
    "25 Gbit/s, long cables in a row of racks, 1 % disturbed, drift": _archive_of_a_newspaper,
    "400 Gbit/s, 1:1 static, far socket, drift": _spectra_of_stars,
    "3:1 and 4:1 adaptive, leaves of 6 to 12 hosts, 1 % disturbed, drift": _institutes_of_an_academy,
    "three static uplinks, leaves of 4 to 12 hosts, far socket, drift": _timetables_of_trains,
    "25 Gbit/s by TCP, 2:1 re-hashed to uplinks of 50, 1 % disturbed": _catalogues_of_libraries,
    "200 Gbit/s, 1:1 and 4:1 in turns of leaves, adaptive, 1 % disturbed": _racks_for_coupled_and_single_jobs,
    "six re-hashed uplinks, leaves of 6 to 10 hosts, adapter on the second socket, 1 % disturbed, drift": _crash_tests,
    "50 Gbit/s, 1:1 lingering, leaves of 4 hosts, 1 % disturbed, drift": _stock_of_a_mail_order_company,
    "pods of leaves of 3 and 5 hosts, 1:1 and 4:1 adaptive, far socket, drift": _models_of_rivers,
    "10 Gbit/s, LAGs of three cables to one core, leaves of 5 to 11 hosts, drift": _offices_of_an_architect,
    "one switch, 10, 25 and 100 Gbit/s by rack, 8 ranks on CCXs of two sockets, hyperthreads": _three_rates_on_ccxs,
    "4 CCXs of two halves, racks of 100 and 400 Gbit/s in turns, 1:1 static, hyperthreads": _racks_of_100_and_400,
    "8 CCXs, dragonfly of 100, 200 and 400 Gbit/s by group, many detours, hyperthreads": _ccxs_in_groups_of_three_years,
    "4 NUMA nodes, dragonfly+ of 100 and 200 Gbit/s in turns by cell, many detours, hyperthreads": _every_second_cell,
    "4 ranks on four CCXs, 100, 200 and 400 Gbit/s by pod, 1:1 and 2:1 re-hashed, hyperthreads": _ccxs_in_pods,
    "400 Gbit/s, 8:3 lingering, 4 ranks, far socket, hyperthreads": _chip_design,
    "2 rails that do not meet, leaves of 6 to 10 hosts, re-hashed, hyperthreads": _separate_rails_on_unequal_leaves,
    "bonds of two ports of 200 Gbit/s, racks of six, 3:1 re-hashed, far socket, drift": _bonds_in_racks_of_six,
    "rail-optimized, 4 rails of 200 Gbit/s, 4:1 lingering, drift": _pods_of_eight_with_two_uplinks,
    "8 relayed rails of 200 Gbit/s, 2:1 re-hashed, drift": _eight_relayed_rails_re_hashed,
    "8 rails that do not meet, 2:1 by receiver, hyperthreads": _eight_subnets,
    "bonds of two planes that hash by hosts, 2:1 static, far socket, hyperthreads": _bonds_of_two_planes_by_hosts,
    "2 striped rails with trees of their own, 4:1 lingering, far socket, drift": _striped_rails_of_a_far_socket,
    "rail-optimized, 4 rails of 200 and 400 Gbit/s, 1:1 and 2:1 re-hashed, hyperthreads": _newer_pods_of_four_rails,
    "8 rails, a leaf for each socket of two hosts, 8:3 static, drift": _leaf_for_each_socket_of_two_hosts,
    "NVLink fours of hosts, 2 relayed rails, 2:1 by receiver, hyperthreads": _nvlink_fours_with_relayed_rails,
    "dragonfly, all messages try a detour, far socket, hyperthreads": _all_messages_try_a_detour,
    "2 rails in two dragonflies that do not meet, few detours, hyperthreads": _dragonfly_for_each_socket,
    "8 GPUs on 8 rails, dragonfly, many detours, drift": _eight_rails_in_a_dragonfly,
    "2 striped rails, dragonfly+, 100 and 200 Gbit/s in turns by cell, many detours": _striped_in_cells_of_two_rates,
    "dragonfly+, whole cells of 200 Gbit/s, single leaves of 100, few detours, far socket": (
        _whole_cells_and_single_leaves
    ),
    "4 NUMA nodes, dragonfly+ in three rows, most messages try a detour, drift": _cells_in_three_rows,
    "4 GPUs on 4 rails, routes by load, whole groups of 200 Gbit/s and parts of 400": _newer_parts_of_groups_by_load,
    "two tori of switches in two dimensions, relayed, newer rows": _newer_rows_of_two_tori,
    "two meshes in three dimensions that do not meet, hyperthreads": _mesh_for_each_socket,
    "one-way rings in two dimensions, newer hosts in the last rows, drift": _newer_rings_one_way,
    "grid in four dimensions closed along one, every second host newer, far socket": (
        _every_second_host_of_a_grid_newer
    ),
}


def _of_size(makes: Mapping[str, OfSize]) -> dict[str, Make]:
    """The same, called as the others are."""

    def made_by(make: OfSize) -> Make:
        return lambda hosts, random: make(hosts)

    return {name: made_by(make) for name, make in makes.items()}


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
    "three levels, 2:1 between pods": lambda hosts, random: Structure(
        hosts, ThreeLevels(hosts, max(4, hosts // 16), 2, 2)
    ),
    "unequal leaves, 2:1 adaptive": lambda hosts, random: Structure(
        hosts, FatTree(_unequal_leaves(hosts), 2, "adaptive")
    ),
    "fat tree 2:1, uplinks by sender": _tree(2, "by sender"),
    "2 rails, one of 200 Gbit/s": lambda hosts, random: Structure(
        hosts, OneSwitch(hosts), each=2, rails=2, rate=RATE * np.tile([2.0, 1.0], (hosts, 1))
    ),
    "hosts that vary by 2 %": lambda hosts, random: _varied(hosts, 0.02, random),
    "HyperX": lambda hosts, random: Structure(hosts, HyperX(2, hosts // 8, 4)),
    "long cables": lambda hosts, random: Structure(hosts, Racks(hosts, max(2, hosts // 8))),
    "2 rails, 2:1 static": _tree(2, "static", 2),
    "cube mesh": lambda hosts, random: _mesh(max(hosts, 16)),
    "noisy cloud": lambda hosts, random: _varied(hosts, 0.01, random, hyperthreads=0.05),
    "torus, far socket": lambda hosts, random: replace(_far_socket(hosts, 2), plane=Torus(_sides(hosts))),
    "Slim Fly": lambda hosts, random: Structure(hosts, SlimFly(hosts)),
    "fat tree 3:1 re-hashed, unequal leaves": lambda hosts, random: Structure(
        hosts, FatTree(_partly_used_leaves(hosts), 3, "rehashed")
    ),
    "two islands, 3:1": lambda hosts, random: Structure(hosts, Islands(hosts, 3)),
    "bonded ports": lambda hosts, random: Structure(hosts, OneSwitch(hosts), each=2, rails=2, bonded=True),
    "virtual machines": lambda hosts, random: Structure(hosts, OneSwitch(hosts), guests=2),
    "three levels, noisy": _noisy_three_levels,
    "mesh of cores": lambda hosts, random: _mesh_of_cores(max(hosts, 16)),
    "dragonfly+": lambda hosts, random: Structure(hosts, DragonflyPlus(hosts, max(4, min(16, hosts // 4)), 0.25)),
    "units in a torus": lambda hosts, random: Structure(hosts, Tofu(*_units(hosts))),
    "hypercube": lambda hosts, random: Structure(hosts, Hypercube(hosts, 2 if hosts < 32 else 4)),
    "half of the hosts with one rail": _half_of_one_rail,
    "stack of 4 switches": lambda hosts, random: Structure(hosts, Ring(hosts, 4)),
    "two switches with a LAG": lambda hosts, random: Structure(hosts, Lag(hosts, 4 if hosts >= 16 else 2)),
    "placement groups": _placement_groups,
    "fragments beside other jobs": _fragments,
    "nested sockets": lambda hosts, random: _nested(max(hosts, 16), random),
    "availability zones": _zones,
    "random graph": _random_graph,
    "sprayed packets": _sprayed,
    "active-backup bonds": _active_backup,
    "metered senders": _metered,
    "condo cluster": _condo,
    "torus of chips": _torus_of_chips,
    "three generations at random": lambda hosts, random: _generations(hosts, 3, False, random),
    "CCXs in quadrants": lambda hosts, random: _ccxs_in_quadrants(max(hosts, 16)),
    "fewer uplinks in later leaves": _fewer_uplinks,
    "flow limits of placement groups": _flow_limits,
    "read requests of two lengths": _read_requests,
    "8 sockets with 3 links": lambda hosts, random: _eight_sockets(max(hosts, 16)),
    "4 GPUs on 2 rails, two generations": _gpus_of_two_generations,
    "4 NUMA nodes, 3:1 adaptive": _three_to_one,
    "two generations at random, re-hashed": _campus_ethernet,
    "8 dies on 4 rails in a dragonfly": _dies_in_a_dragonfly,
    "8 NUMA nodes on 2 rails in a dragonfly": _numa_nodes_in_a_dragonfly,
    "dragonfly+ of hosts with 2 rails and 1": _two_modules_in_a_dragonfly,
    "virtual machines of 4 NUMA nodes": _machines_of_numa_nodes,
    "2 rails of two generations, 3:1 and 1:1": _older_racks_taper,
    "three levels, 2:1 at the leaves by receiver": _tapered_leaves,
    "chassis in a dragonfly, two processors": _two_processors_on_chassis,
    "torus of routers, 4 NUMA nodes": _dies_on_routers,
    "sprayed packets, 8 NUMA nodes on 2 rails": _two_network_cards,
    "unequal leaves, 1:1 static, far socket": _bare_metal,
    "leaf pairs with MLAG, two generations": _bonds_of_two_generations,
    "one switch, two processors at random": _teaching,
    "4 NUMA nodes, 4:1 by receiver, two processors": _newer_island,
    "4 GPUs on 2 rails in a dragonfly": _two_gpus_on_each_rail,
    "PCIe 3 in older racks, 2:1 adaptive": _older_slots,
    "two virtual machines of 4 ranks on each host": _two_large_machines,
    "4 ranks, 2:1 by receiver, two processors at random": _owners,
    "four sites on one backbone": _four_sites,
    "rail-optimized, 8 rails, spares stand in": _spares,
    "fat tree 3:2 by addresses in no order": _kept_addresses,
    "second adapters in narrow slots in one lot": _risers,
    "virtual machines in threes, twos and alone": _packed,
    "4 of 8 GPUs of each host, rail-optimized": _half_of_the_gpus,
    "virtual machines on any of three processors": _any_processor,
    "three zones, two types, flow limits": _zones_of_two_types,
    "bonds on two switches, older hosts on one of them": _orphan_ports,
    "two memory modes, chassis in a dragonfly": _memory_modes,
    "confidential virtual machines among others": _confidential,
    "adapters of two makers at random, 2:1 static": _adapters_of_two_makers,
    "interrupts that wait on some hosts, two processors": _moderated,
    "bare metal and virtual machines in each rack": _bare_and_virtual,
    "a fleet of three types, flow limits": _fleet,
    "8 GPUs on 4 adapters, anywhere in two blocks": _sub_blocks,
    "4 GPUs in bridged pairs, strict order on some hosts": _strict_order,
    "a placement group with replaced machines": _replaced_machines,
    "NUMA settings of two kinds at random, 3:2 adaptive": _numa_settings,
    "sprayed packets, 4 ranks with flow limits": _sprayed_with_flow_limits,
    "virtual machines anywhere in a tree, far socket": _anywhere_in_a_tree,
    "56 Gbit/s, 1:1 by receiver, boards replaced at random": _replaced_boards,
    "free hosts of each rack, two kernels at random": _free_hosts,
    "links that sleep where both ends can, 2:1 static": _sleeping_links,
    "accelerators of four hosts joined, packets spread": _joined_in_fours,
    "pods in turns over racks, half of the hosts upgraded": _half_upgraded,
    "sprayed packets, 8 GPUs on 4 rails": _sprayed_gpus,
    "four paths for each message, 8 ranks in no order": _several_paths,
    "4 ranks by TCP, three reservations of a cloud": _reservations,
    "hosts that vary by 1 %, 2:1 lingering": _varied_in_a_tree,
    "rail-optimized, 8 rails, what was free of four pods": _what_was_free_of_pods,
    "4 NUMA nodes of a cloud, processors half replaced": _replaced_processors,
    "one Omni-Path switch, clocks that vary": _clocks_that_vary,
    "one Omni-Path switch, 4 ranks, clocks that vary": _clocks_of_one_switch,
    "one switch, processors that are not alike": _unlike_processors,
    "rented servers in racks in no order, two models": _rented_servers,
    "hosts that vary by 1 %, 4:3 by receiver, far socket": _varied_by_slot,
    "virtual machines without a placement group, flow limits": _anywhere_with_flows_of_5,
    "sprayed packets, 4 ranks, unequal numbers behind switches": _sprayed_over_unequal_switches,
    "4 NUMA nodes of a cloud, flow limits, lingering routes": _compact_placement,
    "rail-optimized, 8 rails, virtual machines in no order": _machines_of_eight_gpus,
    "bare metal of a cloud in no order, two tiers of hashes": _cluster_network_in_no_order,
    "virtual machines of 4 NUMA nodes, two ranks fill 400 Gbit/s": _machines_that_two_ranks_fill,
    "virtual machines of 4 NUMA nodes, unequal parts of leaves": _scale_set,
    "virtual machines of 4 sockets, each with an adapter, in no order": _machines_of_four_sockets,
    "virtual machines of 4 ranks on bonds of two leaves, in no order": _machines_on_bonds_of_two_leaves,
    "dragonfly+ of 200 Gbit/s, what was free of three cells": _what_was_free_of_cells,
    "sprayed packets, 4 NUMA nodes, in no order within blocks": _no_order_within_blocks,
    "virtual machines of 4 GPUs on PCIe, 56 Gbit/s, addresses in no order": _machines_of_four_gpus_with_fdr,
    "NVLink racks of a cloud, sprayed packets": _nvlink_racks_of_a_cloud,
    "8 ranks of a cloud in sub-blocks, 2:1 adaptive": _machines_in_sub_blocks,
    "sprayed packets, 8 accelerators on 4 rails, slow within": _accelerators_of_a_cloud,
    "sprayed packets, 4 GPUs on PCIe with 2 adapters": _half_servers_of_a_cloud,
    "virtual machines of 4 GPUs, halves of servers on 8 rails": _machines_of_half_a_server,
    "100 Gbit/s, 2:1 adaptive, leaves of 32, GPU hosts last": _hosts_of_a_regional_center,
    "virtual machines of 8 GPUs, two ports of each adapter on two leaves": _machines_with_ports_on_two_leaves,
    "10 Gbit/s, reserved hosts in no order, LAGs 7:4 to one core": _reserved_hosts,
    "boards of 15 cards of 1 Gbit/s, LAGs of 10 Gbit/s to one core": _cards_of_a_prototype,
    "56 Gbit/s, 8:5 by receiver, clocks that vary": _shared_by_norwegian_universities,
    "virtual machines in pairs, up to 60 of 100 Gbit/s each, 8:3 re-hashed": _cloud_of_norwegian_universities,
    "virtual machines of two ranks on 25 Gbit/s, 5:2 static, in no order": _research_cloud_of_two_ranks,
    "100 Gbit/s, 5:2 by addresses in no order within leaves, far socket": _addresses_in_no_order_within_leaves,
    "5:2 static, a quarter of the hosts of 200 Gbit/s at random, far socket": _adapters_after_repairs,
    "one switch of 10, 25 and 100 Gbit/s at random, hyperthreads": _servers_of_a_physics_department,
    "100 and 200 Gbit/s at random, 4:1 adaptive, hyperthreads": _newer_hosts_wherever_there_was_room,
    "dragonfly of 100, 200 and 400 Gbit/s at random, many detours": _three_rates_anywhere_in_a_dragonfly,
    "dragonfly+ of 200 and 400 Gbit/s at random, far socket, hyperthreads": _newer_third_anywhere_in_cells,
    "4 quadrants, 100 and 200 Gbit/s at random, 2:1 re-hashed, hyperthreads": _quadrants_of_two_purchases,
    "rail-optimized, 8 rails of 200 and 400 Gbit/s at random, 2:1 adaptive": _two_rates_on_eight_rails,
    "adapter on either socket at random, 4:1 re-hashed, hyperthreads": _either_socket_at_random,
    "torus of switches in two dimensions, two generations at random": _replaced_on_a_torus_of_switches,
    "one switch, 25, 100 and 200 Gbit/s at random, 4 ranks on two CCXs, hyperthreads": _three_rates_on_two_ccxs,
    "25, 100 and 200 Gbit/s at random, 2:1 static, hyperthreads": _three_rates_anywhere_on_fixed_uplinks,
    "2 ranks on two CCXs, pods of two leaves, newer quarter at random, hyperthreads": _newer_quarter_anywhere_in_pods,
    "4 ranks on four CCXs, routes by load, 100 and 200 Gbit/s at random, hyperthreads": _newer_third_on_ccxs_by_load,
    "4 quadrants, dragonfly of 200 and 400 Gbit/s at random, drift": _quadrants_of_two_rates_in_a_dragonfly,
    "2 rails that do not meet, 100 and 200 Gbit/s at random, 3:1 adaptive, drift": _separate_rails_of_two_rates,
    "one switch, 100, 200 and 400 Gbit/s at random, 4 quadrants, hyperthreads": _three_rates_on_quadrants_of_one_switch,
    "2 ranks on two CCXs, 25, 100 and 200 Gbit/s at random, 4:1 re-hashed, drift": _three_rates_below_old_spines,
    "3 NUMA nodes of one socket, 200 and 400 Gbit/s at random, 3:1 lingering, hyperthreads": _half_newer_on_three_nodes,
    "4 NUMA nodes, 56 Gbit/s, 100 at random in the last racks, 3:2 by receiver, drift": _repairs_in_the_last_racks,
    "4 quadrants, routes by load, 100, 200 and 400 Gbit/s at random, hyperthreads, drift": _three_rates_by_load,
    "2 NUMA nodes of one socket, 10 and 25 Gbit/s at random, LAGs to one core, hyperthreads": _two_rates_on_lags,
    "4 ranks in turns on two CCXs, flowlets, 100 and 200 Gbit/s at random, hyperthreads, drift": _ccxs_on_flowlets,
    "4 rails of 100, 200 and 400 Gbit/s at random, 2:1 lingering, hyperthreads": _four_rails_of_three_years_anywhere,
    "torus of switches in four dimensions, two rates at random, far socket, hyperthreads": (
        _newer_hosts_anywhere_in_four_dimensions
    ),
    **_of_size(_BUILDING_OF_SIZE),
}
_HELD_OUT_OF_SIZE: Mapping[str, OfSize] = {}
HELD_OUT: Mapping[str, Make] = {**_of_size(_HELD_OUT_OF_SIZE)}
ALL: Mapping[str, Make] = {**BUILDING, **HELD_OUT}
