"""The ways between the adapters of one rail: switches and the cables between them."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worlds.physics import NONE, Index, Mask, Values, chance, hashed

RATE = 12.5e9  # bytes per second of an adapter of 100 Gbit/s
LATENCY, HOP = 1.3e-6, 0.3e-6  # seconds: behind one switch, and for each further one
STORED = 1e-6  # seconds of a further switch that stores a packet before it sends it on
CABLE = 0.05e-6  # seconds for each rack that a cable passes
LINGER = 16  # steps for which a lingering route stays as it is
WAIT = 0.4e-6  # seconds behind the messages of other jobs
TURN, TURNS = 8, 32  # steps of a turn, and from the beginning of one to that of the next


class Plane(Protocol):
    """The switches and cables between the adapters of one rail, or of all rails (Structure.one_plane)."""

    group: Index  # of each adapter: leaf, group, or all 0
    capacity: Values  # of each way

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        """Ways [flow, hop] and latency between hosts; `when` numbers the moments at which routes may change."""


def _stretch(frm: Index, to: Index, when: Index) -> Index:
    """Numbers the stretches of steps in which a lingering route stays as it is; each pair has its own beginning."""
    return np.asarray((when + (hashed(frm, to, 15) % np.uint64(LINGER)).astype(np.int64)) // LINGER)


def _has_its_turn(who: Index, when: Index) -> Mask:
    """Whether it is the turn of each, which begins at a moment of its own."""
    begin = (hashed(who, 26) % np.uint64(TURNS)).astype(np.int64)
    return np.asarray((when + begin) % TURNS < TURN)


def _place(key: Index, number: NDArray[np.uint64]) -> Index:
    """The place of each flow, from 0, among those of the same key, by `number`."""
    order = np.lexsort((number, key))
    begins = np.diff(key[order], prepend=-1) != 0
    place = np.empty(len(key), np.int64)
    place[order] = np.arange(len(key)) - np.maximum.accumulate(np.where(begins, np.arange(len(key)), 0))
    return place


def places_in(group: Index) -> Index:
    """The number of each host, or adapter, among those of its group, from 0; groups one after the other."""
    return np.arange(len(group)) - np.searchsorted(group, group)


def _steps(joined: Mask) -> Values:
    """The fewest cables between any two switches, of which some are `joined` (Floyd and Warshall)."""
    steps = np.where(joined, 1.0, np.inf)
    np.fill_diagonal(steps, 0.0)
    for middle in range(len(steps)):
        steps = np.minimum(steps, steps[:, middle, None] + steps[None, middle])
    return steps


class OneSwitch:
    """Every host on one switch that never blocks."""

    def __init__(self, hosts: int) -> None:
        self.group, self.capacity = np.zeros(hosts, np.int64), np.zeros(0)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return np.zeros((len(frm), 0), np.int64), np.full(len(frm), LATENCY)


class Credits(OneSwitch):
    """Virtual machines on switches that never block. In its turn a machine has spent its credits, and sends `rate`."""

    def __init__(self, hosts: int, rate: float) -> None:
        super().__init__(hosts)
        self.capacity = np.full(hosts, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return np.where(_has_its_turn(frm, when), frm, NONE)[:, None], super().path(frm, to, when)[1]


class Racks:
    """Racks of `size` hosts in a row: nothing blocks, but the cables are longer the further two racks are apart."""

    def __init__(self, hosts: int, size: int) -> None:
        self.group, self.capacity = np.arange(hosts) // size, np.zeros(0)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        longer = CABLE * np.abs(self.group[frm] - self.group[to]).astype(np.float64)
        return np.zeros((len(frm), 0), np.int64), LATENCY + longer


class FatTree:
    """Leaves, each with an uplink for `ratio` of its hosts to as many spines. `group`: the leaf of each host.

    `ratio`, and `rate` of an uplink: one for all leaves, or one for each.
    `routes`: "static", one uplink for each pair; "by sender" and "by receiver", one for each of these; "rehashed",
    another one in each step; "lingering", in each 16 steps; "adaptive", all of them at once.
    """

    def __init__(self, group: Index, ratio: float | Index | Values, routes: str, rate: float | Values = RATE) -> None:
        self.group, self.routes = group, routes
        self.uplinks: Index = np.maximum(1, np.bincount(group) // ratio).astype(np.int64)
        each = np.ones_like(self.uplinks) if routes == "adaptive" else self.uplinks
        self.ways = int(each.sum())  # up; as many lead down
        self.first, self.each = np.cumsum(each) - each, each
        width = np.repeat(self.uplinks / each * rate, each)
        self.capacity = np.concatenate([width, width])

    def uplinks_of(self, leaf: int) -> Index:
        """The ways up from a leaf and down to it: [uplink, 2]."""
        up = self.first[leaf] + np.arange(self.each[leaf])
        return np.stack([up, up + self.ways], axis=1)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        spine = self._spine(frm, to, when, np.minimum(self.each[a], self.each[b]))
        ways = np.stack([self.first[a] + spine, self.ways + self.first[b] + spine], axis=1)
        far = a != b
        return np.where(far[:, None], ways, NONE), LATENCY + 2 * HOP * far

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        match self.routes:
            case "by receiver":
                return to % spines
            case "by sender":
                number = hashed(frm, 3)
            case "rehashed":
                number = hashed(frm, to, when, 3)
            case "lingering":
                number = hashed(frm, to, _stretch(frm, to, when), 3)
            case _:
                number = hashed(frm, to, 0, 3)
        return (number % spines.astype(np.uint64)).astype(np.int64)


class WeightedSpines(FatTree):
    """Leaves with an uplink to each of some spines, of unequal `rates`; a hash gives each pair one of them, by weight.

    So a spine of twice the rate gets twice as many flows: WCMP (Zhou et al., EuroSys 2014).
    """

    def __init__(self, group: Index, rates: Values) -> None:
        super().__init__(group, np.bincount(group) / (len(rates) + 0.5), "weighted")
        self.capacity = np.tile(rates, 2 * len(self.uplinks))
        self.parts = np.cumsum(rates / rates.sum())[:-1]

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        return np.searchsorted(self.parts, chance(frm, to, 0, 3), "right").astype(np.int64)


class Buckets(FatTree):
    """Leaves of `uplinks` uplinks each, to which the `buckets` of a hash of each pair are dealt out in turns.

    Where they do not divide, the first uplinks have one bucket more than the last, and get more of the flows.
    """

    def __init__(self, group: Index, uplinks: int, buckets: int, rate: float = RATE) -> None:
        super().__init__(group, np.bincount(group) / (uplinks + 0.5), "buckets", rate)
        self.buckets = buckets

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        bucket = (hashed(frm, to, 0, 3) % np.uint64(self.buckets)).astype(np.int64)
        return np.asarray(bucket % spines)


class DealtOut(FatTree):
    """Leaves of whose receivers tables deal out each in turns to the uplinks: by their place behind their own leaf.

    So all uplinks are used also where a leaf has several adapters of a host, and the numbers of its receivers a gap.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "by receiver", rate)
        self.place = _place(group, np.arange(len(group)).astype(np.uint64))

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        return np.asarray(self.place[to] % spines)


class NumberedByArrival(FatTree):
    """Leaves of which a receiver has one uplink, by its address (LID), which hosts have in the order of `arrival`.

    So the receivers of a leaf are not dealt out evenly to the uplinks of another one, as they are where addresses
    follow the cables: a subnet manager keeps the address that a host got when it was first plugged in.
    """

    def __init__(self, group: Index, ratio: float | Values, arrival: Index, rate: float = RATE) -> None:
        super().__init__(group, ratio, "by receiver", rate)
        self.arrival = arrival

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        return np.asarray(self.arrival[to] % spines)


class OneCore(FatTree):
    """Leaves joined to one core switch, by several cables each; tables give each receiver one of them up and one down.

    As OpenSM's Min Hop, which deals out receivers in turns to the cables between two switches.
    """

    def __init__(self, group: Index, ratio: float | Index | Values, rate: float | Values = RATE) -> None:
        super().__init__(group, ratio, "by receiver", rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        up, down = self._cables(frm, to, self.each[a], self.each[b])
        ways = np.stack([self.first[a] + up, self.ways + self.first[b] + down], axis=1)
        far = a != b
        return np.where(far[:, None], ways, NONE), LATENCY + 2 * HOP * far

    def _cables(self, frm: Index, to: Index, up: Index, down: Index) -> tuple[Index, Index]:
        """The numbers of the cables that each message takes, one of `up` and one of `down` cables."""
        return to % up, to % down


class HostsOnCore(OneCore):
    """Leaves joined to one core switch, on which the hosts of the last group are themselves: `core` is its number.

    So a message between these and others passes two switches and one cable.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, rate)
        self.core = int(group.max())

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        on_core = np.stack([self.group[frm], self.group[to]], axis=1) == self.core
        return np.where(on_core, NONE, ways), latency - HOP * (on_core[:, 0] != on_core[:, 1])


class OrthogonalTree(OneCore):
    """Leaves and spines that are the points and the lines of a projective plane: any two leaves share just one spine.

    7 leaves with 3 uplinks each or, for more than 100 hosts, 13 with 4; spines have as many. Those of leaf i lead to
    the spines i - d for each d of a difference set (Singer 1938). So the leaf of the receiver decides by which uplink a
    message leaves. As Valerio et al., ICPP 1994, and Kathareios et al., SC 2015.
    """

    def __init__(self, hosts: int, rate: float = RATE) -> None:
        steps = np.array([0, 1, 3] if hosts <= 100 else [0, 1, 3, 9])
        self.leaves = len(steps) * (len(steps) - 1) + 1
        used = min(self.leaves, hosts // 2)
        group = np.arange(hosts) * used // hosts
        super().__init__(group, np.bincount(group) / (len(steps) + 0.5), rate)
        up, down = np.nonzero(~np.eye(len(steps), dtype=bool))
        self.number: Index = np.zeros((2, self.leaves), np.int64)  # of the two uplinks, by how far two leaves are apart
        self.number[:, (steps[up] - steps[down]) % self.leaves] = up, down

    def _cables(self, frm: Index, to: Index, up: Index, down: Index) -> tuple[Index, Index]:
        one, other = self.number[:, (self.group[frm] - self.group[to]) % self.leaves]
        return one, other


class LagCore(OneCore):
    """Leaves joined to one core switch by several cables that count as one link; a hash gives each pair one of them.

    The leaf chooses the cable up, the core the one down, each by a hash of its own: link aggregation (LACP).
    """

    def _cables(self, frm: Index, to: Index, up: Index, down: Index) -> tuple[Index, Index]:
        by_leaf, by_core = (hashed(frm, to, 0, number) for number in (3, 28))
        one, other = by_leaf % up.astype(np.uint64), by_core % down.astype(np.uint64)
        return one.astype(np.int64), other.astype(np.int64)


class LagHostsOnCore(HostsOnCore, LagCore):
    """Leaves joined to one core switch by several cables that count as one link, and hosts on the core itself.

    The last group are the hosts on the core, as in HostsOnCore; hashes choose the cables, as in LagCore.
    """


class Extenders(OneCore):
    """Leaves that do not switch: all that their hosts send goes up to the core, also what is for the same leaf.

    Hosts are dealt out to the uplinks of their leaf in blocks, and each sends and receives by its own one (`pin`). So
    all hosts are equally far from each other. As Cisco's fabric extenders (Nexus 2000, I/O modules of UCS) with static
    pinning; an extender takes 1 us each time.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, rate)
        place = places_in(group)
        self.pin: Index = place * self.each[group] // np.bincount(group)[group]

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        up, down = (self.first[self.group[of]] + self.pin[of] for of in (frm, to))
        return np.stack([up, self.ways + down], axis=1), np.full(len(frm), LATENCY + 2e-6)


class JoinedCores(OneCore):
    """Two parts of a cluster, each with a core switch; `cables` join these two, one for each receiver.

    `part`: of each host; no leaf has hosts of both. `longer`: seconds for the length of these cables, one for all or
    one for each.
    """

    def __init__(
        self, group: Index, part: Index, ratio: float | Index, rate: float | Values, cables: int,
        longer: float | Values, joint: float = RATE,
    ) -> None:  # fmt: skip
        super().__init__(group, ratio, rate)
        self.part, self.cables, self.longer = part, cables, np.broadcast_to(longer, cables)
        self.capacity = np.concatenate([self.capacity, np.full(2 * cables, joint)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        apart = self.part[frm] != self.part[to]
        by = np.where(apart, 2 * self.ways + 2 * (to % self.cables) + self.part[frm], NONE)
        return np.concatenate([ways, by[:, None]], axis=1), latency + (HOP + self.longer[to % self.cables]) * apart


class Tables(FatTree):
    """Leaves of which each has a table that says the uplink for each receiver; an entry is changed now and then.

    Each entry stays for 16 steps and has its own beginning. As with Omni-Path's adaptive routes (AdaptiveRouting in
    opafm.xml), where a switch changes the entries of receivers whose uplink is congested.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "tables", rate)

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        leaf = self.group[frm]
        return (hashed(leaf, to, _stretch(leaf, to, when), 3) % spines.astype(np.uint64)).astype(np.int64)


class Flowlets(FatTree):
    """Leaves of `uplinks` uplinks each, of which a message takes the one with the least load when it begins.

    So the messages that leave a leaf at the same time are spread evenly over its uplinks; which one a message takes
    changes from step to step. A leaf knows only its own uplinks: at the spines, those to the same leaf meet by chance.
    """

    def __init__(self, group: Index, uplinks: int, rate: float = RATE) -> None:
        super().__init__(group, np.bincount(group) / (uplinks + 0.5), "flowlets", rate)

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        leaf, stays = self.group[frm], self.group[frm] == self.group[to]
        begun = when * 2 + (frm < to)  # in a step, the messages of one phase go up in number, those of the other down
        first = (hashed(leaf, when, 22) % spines.astype(np.uint64)).astype(np.int64)
        place = _place((begun * (int(self.group.max()) + 1) + leaf) * 2 + stays, hashed(frm, to, when, 23))
        return (place + first) % spines


class PartlyAdaptive(Flowlets):
    """Leaves of `uplinks` uplinks each, of which only some spread their messages evenly (`spreads` [leaf]).

    The others have a hash for each pair, which stays as it is. The leaf that sends decides; spines have one way down.
    """

    def __init__(self, group: Index, uplinks: int, spreads: Mask, rate: float = RATE) -> None:
        super().__init__(group, uplinks, rate)
        self.spreads = spreads

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        fixed = FatTree._spine(self, frm, to, when, spines)
        return np.where(self.spreads[self.group[frm]], super()._spine(frm, to, when, spines), fixed)


class SharedPorts(FatTree):
    """A fat tree whose hosts have two adapters each that share one port, of rate `port` in each direction.

    As Mellanox's Socket Direct, a card with a PCIe link to each of two sockets. Adapters are numbered host by host.
    Receivers have an uplink each.
    """

    def __init__(self, group: Index, ratio: float, port: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "by receiver", rate)
        self.ports = len(group) // 2
        self.capacity = np.concatenate([self.capacity, np.full(2 * self.ports, port)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        first = 2 * self.ways
        return np.column_stack([ways, first + frm // 2, first + self.ports + to // 2]), latency


class SameSpineBack(FatTree):
    """Leaves of which a hash gives each two hosts one uplink, the same spine there and back.

    As switches with a symmetric hash, which orders the two addresses before.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "symmetric", rate)

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        number = hashed(np.minimum(frm, to), np.maximum(frm, to), 31)
        return (number % spines.astype(np.uint64)).astype(np.int64)


class SeveralAddresses(FatTree):
    """Leaves of which a receiver has an uplink for each of its `addresses`; a message is spread evenly over these.

    As InfiniBand and Omni-Path with LMC, where tables give the addresses (LID) of a host neighbouring uplinks. A flow
    that gets a rate needs a part of it of each way, so these count as `addresses` times as wide.
    """

    def __init__(self, group: Index, ratio: float, addresses: int, rate: float = RATE) -> None:
        super().__init__(group, ratio, "by receiver", rate)
        self.addresses = addresses
        self.capacity = self.capacity * addresses
        self.number: Index = np.arange(len(group))  # of receivers, by which they get their uplinks

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        spines, far = np.minimum(self.each[a], self.each[b]), a != b
        ways: list[Index] = []
        for address in range(self.addresses):
            spine = (self.number[to] * self.addresses + address) % spines
            ways += [self.first[a] + spine, self.ways + self.first[b] + spine]
        return np.where(far[:, None], np.stack(ways, axis=1), NONE), LATENCY + 2 * HOP * far


class DealtAddresses(SeveralAddresses):
    """Leaves of whose receivers tables deal out all addresses in turns to the uplinks: by their place behind a leaf.

    So all uplinks are used also where a leaf has one adapter of each host, and the numbers of its receivers a gap.
    """

    def __init__(self, group: Index, ratio: float, addresses: int, rate: float = RATE) -> None:
        super().__init__(group, ratio, addresses, rate)
        self.number = _place(group, np.arange(len(group)).astype(np.uint64))


class QueuePairs(FatTree):
    """Leaves of which a message takes several uplinks: it is cut into `parts` flows, one for each queue pair.

    A hash gives each part its uplink, always the same one for two adapters; two parts may get the same. The message
    ends when its last part does. As Meta's E-ECMP with QP scaling (Gangidi et al., SIGCOMM 2024). A flow that gets a
    rate needs a part of it of each way, so these count as `parts` times as wide. `longer`: seconds that the buffers of
    the spines take.
    """

    def __init__(self, group: Index, parts: int, rate: float, longer: float) -> None:
        super().__init__(group, 1, "static", rate)
        self.parts, self.longer = parts, longer
        self.capacity = self.capacity * parts

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        spines, far = np.minimum(self.each[a], self.each[b]).astype(np.uint64), a != b
        ways: list[Index] = []
        for part in range(self.parts):
            spine = (hashed(frm, to, part, 25) % spines).astype(np.int64)
            ways += [self.first[a] + spine, self.ways + self.first[b] + spine]
        return np.where(far[:, None], np.stack(ways, axis=1), NONE), LATENCY + (2 * HOP + self.longer) * far


class Threads(FatTree):
    """Virtual machines behind leaves with static routes; a thread of its machine moves all packets of each one.

    What a virtual machine sends and what it receives share what its thread can do, `thread` bytes per second, one for
    all or one for each. As virtio with vhost-net of Linux without further queues.
    """

    def __init__(self, group: Index, ratio: float, rate: float, thread: float | Values) -> None:
        super().__init__(group, ratio, "static", rate)
        self.capacity = np.concatenate([self.capacity, np.full(len(group), thread)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        return np.column_stack([ways, 2 * self.ways + frm, 2 * self.ways + to]), latency


class UnlikeLeaves(FatTree):
    """Leaves whose switches are not as quick as each other. `longer` [leaf]: seconds that a message takes more there.

    It passes one of them within a leaf, and those at both ends otherwise.
    """

    def __init__(self, group: Index, ratio: float, routes: str, rate: float, longer: Values) -> None:
        super().__init__(group, ratio, routes, rate)
        self.longer = longer

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.group[frm], self.group[to]
        return ways, latency + self.longer[a] + self.longer[b] * (a != b)


class TwoBuildings(FatTree):
    """Leaves and spines that stand in two buildings: a message takes `longer` seconds for each cable between these.

    `building` [leaf]: 0 or 1; spines are in turns in the one and in the other. So what a hash chooses for two hosts
    says how long their messages take.
    """

    def __init__(self, group: Index, ratio: Values, building: Index, longer: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "static", rate)
        self.building, self.longer = building, longer

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.group[frm], self.group[to]
        spine = np.where(ways[:, 0] == NONE, 0, ways[:, 0] - self.first[a])
        cables = 1 * (self.building[a] != spine % 2) + (self.building[b] != spine % 2)
        return ways, latency + self.longer * cables * (a != b)


class FarSpines(FatTree):
    """Leaves of which some are further from the spines. `away` [leaf]: seconds that a message takes between the two.

    Or what else takes longer only where a message leaves its leaf, such as to be put into the packets of a tunnel.
    """

    def __init__(self, group: Index, ratio: float, routes: str, rate: float, away: Values) -> None:
        super().__init__(group, ratio, routes, rate)
        self.away = away

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.group[frm], self.group[to]
        return ways, latency + (self.away[a] + self.away[b]) * (a != b)


class LateInterrupts(FatTree):
    """Leaves of hosts whose adapters wait before they tell the processor what has come: interrupt moderation.

    `wait` [host]: seconds that a message to it takes longer; one from it does not.
    """

    def __init__(self, group: Index, ratio: float, routes: str, rate: float, wait: Values) -> None:
        super().__init__(group, ratio, routes, rate)
        self.wait = wait

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        return ways, latency + self.wait[to]


class PcieSwitches(FatTree):
    """A fat tree some of whose adapters are behind PCIe switches: those of a switch share its link to the processor.

    `link` [adapter]: the number of this link, NONE for an adapter with a link of its own. `width`: of such a link in
    each direction. `longer`: seconds that a switch takes.
    """

    def __init__(
        self, group: Index, ratio: float, routes: str, rate: float | Values, link: Index, width: float, longer: float
    ) -> None:
        super().__init__(group, ratio, routes, rate)
        self.link, self.longer, self.links = link, longer, int(link.max()) + 1
        self.capacity = np.concatenate([self.capacity, np.full(2 * self.links, width)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        link = np.stack([self.link[frm], self.link[to]], axis=1)
        first = 2 * self.ways + np.array([0, self.links])
        both = np.where(link == NONE, NONE, link + first)
        return np.concatenate([ways, both], axis=1), latency + self.longer * (link != NONE).sum(axis=1)


class ReceiveQueues(FatTree):
    """Virtual machines behind leaves with static routes, each with `queues` queues for what it receives.

    A core empties each of them, at most `queue` bytes per second, one for all or, of a single queue, one for each
    machine. A hash of the two machines says which one a message takes, so that all from one machine to another take the
    same: receive side scaling by addresses only, as drivers of Linux often do it for UDP.
    """

    def __init__(self, group: Index, ratio: float, rate: float, queues: int, queue: float | Values) -> None:
        super().__init__(group, ratio, "static", rate)
        self.queues = queues
        self.capacity = np.concatenate([self.capacity, np.full(queues * len(group), queue)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        number = (hashed(frm, to, 27) % np.uint64(self.queues)).astype(np.int64)
        return np.column_stack([ways, 2 * self.ways + self.queues * to + number]), latency


class Polarized(FatTree):
    """The upper level of a tree whose switches all use the same hash, at each level for one uplink of each pair.

    A switch of the middle receives only flows of which the hash has the same rest by `below`, the uplinks of a leaf. So
    where it has as many uplinks as that, or a divisor of it, all its flows take the same one, and the others none.
    """

    def __init__(self, group: Index, ratio: float, below: int, rate: float = RATE) -> None:
        super().__init__(group, ratio, "polarized", rate)
        self.below = below

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        number, below = hashed(frm, to, 0, 3), np.uint64(self.below)
        own = np.maximum(spines // self.below, 1).astype(np.uint64)  # uplinks of a switch of the middle
        return ((number % below + below * (number % own)) % spines.astype(np.uint64)).astype(np.int64)


class SpinesOfPlanes(FatTree):
    """The upper level of a tree whose spines are in `planes`: the uplink of a leaf decides the plane of a message.

    Each plane has as many spines, `each`, of which a second hash gives each pair one. `group`: the pod of each host.
    The leaves below have an uplink to each plane and static routes.
    """

    def __init__(self, group: Index, planes: int, each: int, rate: float) -> None:
        super().__init__(group, np.bincount(group) / (planes * each + 0.5), "planes", rate)
        self.planes = planes

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        plane, spine = hashed(frm, to, 0, 3) % np.uint64(self.planes), hashed(frm, to, 0, 29)
        return (plane + np.uint64(self.planes) * (spine % (spines // self.planes).astype(np.uint64))).astype(np.int64)


class BusyTree(FatTree):
    """A fat tree 1:1 with adaptive routes that other jobs use too: they take `load` of the uplinks of each leaf.

    In a quarter of the stretches of 8 steps, messages wait for others wherever they leave or enter a leaf.
    """

    def __init__(self, group: Index, load: Values) -> None:
        super().__init__(group, 1, "adaptive")
        self.capacity = self.capacity * np.tile(1 - load, 2)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.group[frm], self.group[to]
        waits = np.array([chance(leaf, when // 8, 17) < 0.25 for leaf in (a, b)]).sum(axis=0)
        return ways, latency + WAIT * waits * (a != b)


class StorageTree(FatTree):
    """A fat tree 1:1 with adaptive routes, of which some leaves also have storage servers (`stores` [leaf]).

    In the turn of such a leaf, what hosts read and write takes `load` of its uplinks, and messages wait there.
    """

    def __init__(self, group: Index, stores: Mask, load: float) -> None:
        super().__init__(group, 1, "adaptive")
        self.stores = stores
        self.capacity = np.concatenate([self.capacity, self.capacity * (1 - load)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        leaf = np.stack([self.group[frm], self.group[to]], axis=1)
        waits = self.stores[leaf] & _has_its_turn(leaf, when[:, None]) & (ways != NONE)
        left = np.where(waits, ways + 2 * self.ways, NONE)
        return np.concatenate([ways, left], axis=1), latency + WAIT * waits.sum(axis=1)


class SharedHosts(FatTree):
    """Leaves whose hosts other jobs use too; receivers have an uplink each.

    In the turn of a host, what others send and receive there takes `load` of its adapter, of `adapter` bytes per
    second, and messages wait.
    """

    def __init__(self, group: Index, ratio: float, load: float, adapter: float = RATE, rate: float = RATE) -> None:
        super().__init__(group, ratio, "by receiver", rate)
        self.capacity = np.concatenate([self.capacity, np.full(2 * len(group), (1 - load) * adapter)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        waits = np.stack([_has_its_turn(host, when) for host in (frm, to)], axis=1)
        left = 2 * self.ways + np.stack([frm, len(self.group) + to], axis=1)
        return np.concatenate([ways, np.where(waits, left, NONE)], axis=1), latency + WAIT * waits.sum(axis=1)


class Director(FatTree):
    """A switch as large as a rack: line boards to which hosts are dealt out, joined 1:1 by boards within the switch.

    The boards within are as many as a line board has hosts; tables give each of these one of them. `longer` [host]:
    seconds for the length of its cable.
    """

    def __init__(self, hosts: int, boards: int, longer: Values, rate: float = RATE) -> None:
        super().__init__(np.arange(hosts) % boards, 1, "by receiver", rate)
        self.boards, self.longer = boards, longer

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        return np.asarray(to // self.boards % spines)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        return ways, latency + self.longer[frm] + self.longer[to]


class Gateways(FatTree):
    """Two modules, each a fat tree 1:1 with adaptive routes, joined by hosts with an adapter in both.

    These receive messages to the other module and send them again, which takes as long as two messages between leaves.
    A hash gives each pair one of the gateways. `module`: of each host; no leaf has hosts of both.
    """

    def __init__(self, group: Index, module: Index, gateways: int, rate: float = RATE) -> None:
        super().__init__(group, 1, "adaptive")
        self.module, self.gateways = module, gateways
        self.capacity = np.concatenate([self.capacity, np.full(2 * gateways, rate)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        apart = self.module[frm] != self.module[to]
        gateway = (hashed(frm, to, 19) % np.uint64(self.gateways)).astype(np.int64)
        by = np.where(apart, 2 * self.ways + 2 * gateway + self.module[frm], NONE)
        return np.concatenate([ways, by[:, None]], axis=1), latency * np.where(apart, 2, 1)


class TwoFabrics(FatTree):
    """Two networks, each a fat tree, that do not meet; by Ethernet all hosts reach each other.

    Messages to the other network go by the Ethernet port of each host, `port` bytes per second in each direction, and
    take `longer` seconds more. Ethernet does not block. `fabric`: of each host; no leaf has hosts of both.
    """

    def __init__(
        self, group: Index, fabric: Index, ratio: float, rate: Values, port: float, longer: float
    ) -> None:  # fmt: skip
        super().__init__(group, ratio, "by receiver", rate)
        self.fabric, self.longer = fabric, longer
        self.capacity = np.concatenate([self.capacity, np.full(2 * len(group), port)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        apart, first = self.fabric[frm] != self.fabric[to], 2 * self.ways
        ports = np.stack([first + frm, first + len(self.group) + to], axis=1)
        return np.where(apart[:, None], ports, ways), np.where(apart, LATENCY + self.longer, latency)


class Routed:
    """Hosts of several networks on switches that never block; routers, such as a firewall, join the networks.

    A message between networks goes by the router of the sender's network; these take turns, so there and back may go by
    different ones. All messages by a router share what its processors can do, those there with those back. `group`: the
    network of each host. `longer`: seconds that each router takes.
    """

    def __init__(self, group: Index, rate: float, *longer: float) -> None:
        self.group, self.longer, self.capacity = group, np.array(longer), np.full(len(longer), rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        router, apart = self.group[frm] % len(self.longer), self.group[frm] != self.group[to]
        return np.where(apart, router, NONE)[:, None], LATENCY + self.longer[router] * apart


class Sites:
    """Hosts at several sites, each with a line to one backbone; nothing blocks within a site.

    All that leaves a site shares its line, `rate` bytes per second in each direction. `group`: the site of each host.
    `away` [site]: the seconds from a site to the middle of the backbone.
    """

    def __init__(self, group: Index, away: Values, rate: float) -> None:
        self.group, self.away, self.capacity = group, away, np.full(2 * len(away), rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        lines, apart = np.stack([a, len(self.away) + b], axis=1), a != b
        return np.where(apart[:, None], lines, NONE), LATENCY + (self.away[a] + self.away[b]) * apart


class Drawers:
    """Drawers of `size` hosts: a cable from each host to each other, a longer one between drawers; no switches."""

    def __init__(self, hosts: int, size: int) -> None:
        self.group, self.capacity = np.arange(hosts) // size, np.zeros(0)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        apart = self.group[frm] != self.group[to]
        return np.zeros((len(frm), 0), np.int64), LATENCY - HOP + 4 * CABLE * apart


class Islands(FatTree):
    """Two switches that are joined directly, by a cable for each `ratio` of the hosts of one. Each pair has its cable.

    The ways "up" from one and "down" to the other are the two ends of the same cable.
    """

    def __init__(self, hosts: int, ratio: int) -> None:
        super().__init__(np.arange(hosts) * 2 // hosts, ratio, "static")

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        return ways, latency - HOP * (self.group[frm] != self.group[to])


class ActiveBackup:
    """Two switches, to which each host has a bond of two ports of which it uses one: Linux's mode active-backup.

    So messages between hosts that use different switches go over the `cables` between these, of which a hash gives
    each pair one. `port`: the switch that each host uses.
    """

    def __init__(self, port: Index, cables: int, rate: float = RATE) -> None:
        self.group, self.port, self.cables = np.zeros(len(port), np.int64), port, cables
        self.capacity = np.full(2 * cables, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.port[frm], self.port[to]
        cable = (hashed(frm, to, 24) % np.uint64(self.cables)).astype(np.int64)
        return np.where(a != b, 2 * cable + a, NONE)[:, None], LATENCY + HOP * (a != b)


class ThreeLevels:
    """Pods of `leaves` leaves of `leaf` hosts; 1:1 within a pod, and `ratio`:1 between pods.

    `routes` as in FatTree. `longer`: seconds that a message between pods takes more, for the length of its cables.
    """

    def __init__(
        self, hosts: int, leaf: int, leaves: int, ratio: int, routes: str = "static", longer: float = 0.0
    ) -> None:
        self.group, self.longer = np.arange(hosts) // leaf, longer
        self.lower = FatTree(self.group, 1, routes)
        self.upper = FatTree(np.arange(hosts) // (leaf * leaves), ratio, routes)
        self.capacity = np.concatenate([self.lower.capacity, self.upper.capacity])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        (low, near), (up, far) = (plane.path(frm, to, when) for plane in (self.lower, self.upper))
        apart = self.upper.group[frm] != self.upper.group[to]
        up = np.where(up == NONE, NONE, up + len(self.lower.capacity))
        return np.concatenate([low, up], axis=1), near + far - LATENCY + self.longer * apart


class Stacked(ThreeLevels):
    """Two trees, one on the other: `lower` joins leaves, and `upper` joins the trees that these make.

    Messages between trees of the lower level take an uplink of their leaf and one of their tree. `longer` as in
    ThreeLevels.
    """

    def __init__(self, lower: FatTree, upper: FatTree, longer: float = 0.0) -> None:
        self.group, self.longer, self.lower, self.upper = lower.group, longer, lower, upper
        self.capacity = np.concatenate([lower.capacity, upper.capacity])


class FourLevels(Stacked):
    """Three trees, one on the other: `top` joins the trees that `upper` makes of those that `lower` makes."""

    def __init__(self, lower: FatTree, upper: FatTree, top: FatTree) -> None:
        super().__init__(lower, upper)
        self.top, self.below = top, len(self.capacity)
        self.capacity = np.concatenate([self.capacity, top.capacity])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        (low, near), (up, far) = super().path(frm, to, when), self.top.path(frm, to, when)
        return np.concatenate([low, np.where(up == NONE, NONE, up + self.below)], axis=1), near + far - LATENCY


class Sprayed(Stacked):
    """Virtual machines where a scheduler found room: a switch joins a few of them, and a tree two such switches.

    Nothing blocks; the packets of a message are spread over all cables. `group`: the switch of each adapter, in no
    order.
    """

    def __init__(self, group: Index, longer: float, rate: float = RATE) -> None:
        super().__init__(FatTree(group, 1, "adaptive", rate), FatTree(group // 2, 1, "adaptive", rate), longer)


class HyperX:
    """Switches in a grid of `rows` x `columns`, `size` hosts on each; a cable from each to all of its row and column.

    A message to another row and column takes one of the two ways, now this and now that.
    """

    def __init__(self, rows: int, columns: int, size: int, rate: float = RATE) -> None:
        self.group = np.repeat(np.arange(rows * columns), size)
        self.columns, self.switches = columns, rows * columns
        self.capacity = np.full(self.switches**2, rate * max(1.0, size / 2))

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        (row, column), (to_row, to_column) = np.divmod(a, self.columns), np.divmod(b, self.columns)
        along = chance(frm, to, when, 11) < 0.5
        turn = np.where(along, row * self.columns + to_column, to_row * self.columns + column)
        hops = [(a, turn), (turn, b)]
        ways = np.stack([np.where(one != other, one * self.switches + other, NONE) for one, other in hops], axis=1)
        return ways, LATENCY + HOP * (ways != NONE).sum(axis=1)


class SlimFly:
    """Switches of which any two are joined by a cable or have one neighbour in common, by which all messages go.

    10 switches with 3 cables each (Petersen graph); for more than 80 hosts 50 switches with 7 cables each (Hoffman and
    Singleton's graph, a Slim Fly of q = 5), as in the cluster of Blach et al., NSDI 2024. A cable is as wide as half of
    the hosts of a switch need; of 50 switches, a quarter.

    `joined` [switch, switch]: whether there is a cable. `turn`: the neighbour by which messages go, the goal itself
    where it is the neighbour. `cable`: the way from one to the other, NONE without one.
    """

    def __init__(self, hosts: int, rate: float = RATE) -> None:
        pairs = 1 if hosts <= 80 else 5
        self.switches = 10 * pairs
        used = min(self.switches, hosts // 2)
        self.group = np.arange(hosts) * used // hosts
        self.joined = joined = self._joined(pairs)
        self.turn = np.argmax(joined[:, None, :] & joined[None, :, :], axis=2)
        self.turn = np.where(joined, np.arange(self.switches)[None, :], self.turn)
        self.cable = np.full(joined.shape, NONE)
        self.cable[joined] = np.arange(joined.sum())
        cables = int(joined[0].sum())
        self.capacity = np.full(len(joined) * cables, rate * max(1.0, hosts / used / ((cables + 1) // 2)))

    @staticmethod
    def _joined(pairs: int) -> Mask:
        """[switch, switch], whether there is a cable: pentagons, then as many pentagrams.

        Corner j of pentagon h is joined to corner h * i + j of pentagram i (Robertson's construction).
        """
        made = np.zeros((10 * pairs, 10 * pairs), bool)
        first = 5 * pairs
        for h in range(pairs):
            for j in range(5):
                made[5 * h + j, 5 * h + (j + 1) % 5] = True
                made[first + 5 * h + j, first + 5 * h + (j + 2) % 5] = True
                for i in range(pairs):
                    made[5 * h + j, first + 5 * i + (h * i + j) % 5] = True
        return made | made.T

    def cables(self, one: int, other: int) -> Index:
        """The ways from a switch to a neighbour."""
        return self.cable[[one], [other]]

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        turn = self.turn[a, b]
        ways = np.stack([self.cable[a, turn], np.where(turn == b, NONE, self.cable[turn, b])], axis=1)
        ways = np.where((a != b)[:, None], ways, NONE)
        return ways, LATENCY + HOP * (ways != NONE).sum(axis=1)


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


class Bundles(Dragonfly):
    """A dragonfly of which some groups are joined by more cables than others: `cables` [group, group].

    Messages spread over all cables between two groups, which are one way. `rate`: of a cable.
    """

    def __init__(self, group: Index, cables: Index, detours: float, rate: float) -> None:
        super().__init__(len(group), 1, detours)
        self.group, self.groups, self.capacity = group, len(cables), rate * cables.ravel().astype(np.float64)


class Chassis(Dragonfly):
    """A dragonfly whose groups are two chassis of blades; each blade has a router with two hosts.

    In a chassis each router has a cable to each other one, and one to the same slot of the other chassis. Between two
    groups, messages leave from any router and arrive at any, which change from step to step; so do the ways within a
    group, by a router of the own or of the other chassis. `router`: of each host, numbered in its group.
    """

    def __init__(self, hosts: int, size: int, detours: float, rate: float = RATE) -> None:
        super().__init__(hosts, size, detours, rate)
        self.router, self.slots = np.arange(hosts) % size // 2, size // 4
        self.routers = 2 * self.slots
        self.capacity = np.concatenate([self.capacity, np.full(self.groups * self.routers**2, rate)])

    def _within(self, group: Index, one: Index, other: Index, first: Mask) -> list[Index]:
        """The ways from a router of a group to another one: up to two hops, `first` along the chassis."""
        (chassis, slot), (to_chassis, to_slot) = np.divmod(one, self.slots), np.divmod(other, self.slots)
        turn = np.where(first, chassis * self.slots + to_slot, to_chassis * self.slots + slot)
        start = self.groups**2 + group * self.routers**2
        hops = [(one, turn), (turn, other)]
        return [np.where(at != goal, start + at * self.routers + goal, NONE) for at, goal in hops]

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        between, _ = super().path(frm, to, when)
        leave, arrive = ((hashed(frm, to, when, by) % np.uint64(self.routers)).astype(np.int64) for by in (20, 21))
        leave = np.where(a == b, self.router[to], leave)
        arrive = np.where(a == b, self.router[to], arrive)
        first = chance(frm, to, when, 11) < 0.5
        own, other = self._within(a, self.router[frm], leave, first), self._within(b, arrive, self.router[to], first)
        ways = np.stack([*own, *between.T, *other], axis=1)
        hops = (ways != NONE).sum(axis=1) + (between[:, 1] != NONE)  # one more within a third group
        return ways, LATENCY + HOP * hops


class JoinedGroups:
    """Groups of which any two are joined by `each` cables; some messages take a detour by a third one.

    `first`: the number of the first such way, those from a group to itself among them, which nothing uses. `joined`
    [group, group]: whether there are cables.
    """

    def __init__(self, groups: int, each: int, first: int = 0) -> None:
        self.groups, self.each, self.first = groups, each, first
        self.joined = ~np.eye(groups, dtype=bool)

    def cables(self, one: int, other: int) -> Index:
        """The ways from a group to another one."""
        return self._first_cable(one, other) + np.arange(self.each)

    def _first_cable(self, one: int | Index, other: int | Index) -> Index:
        return np.asarray(self.first + (one * self.groups + other) * self.each)

    def _detour(self, a: Index, b: Index, wanted: Mask, number: NDArray[np.uint64]) -> tuple[Mask, Index]:
        """Which of the messages from groups `a` to `b` take the detour that is `wanted` of them, and the group that all
        go to first: a third one, by `number`, or `b`."""
        third = (number % np.uint64(self.groups)).astype(np.int64)
        detour = wanted & (a != b) & (third != a) & (third != b)
        return detour, np.where(detour, third, b)


class FullMesh(JoinedGroups):
    """Switches of which any two are joined by `each` cables. Tables give each receiver one of them; no detours."""

    def __init__(self, group: Index, each: int, rate: float = RATE) -> None:
        super().__init__(int(group.max()) + 1, each)
        self.group, self.capacity = group, np.full(self.groups**2 * each, rate)
        self.number: Index = np.arange(len(group))  # of receivers, by which they get a cable

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        far = a != b
        way = np.where(far, self._first_cable(a, b) + self.number[to] % self.each, NONE)
        return way[:, None], LATENCY + HOP * far


class DealtMesh(FullMesh):
    """Switches of which any two are joined by `each` cables; tables deal these out in turns to the receivers of one."""

    def __init__(self, group: Index, each: int, rate: float = RATE) -> None:
        super().__init__(group, each, rate)
        self.number = _place(group, np.arange(len(group)).astype(np.uint64))


class MeshByLoad(JoinedGroups):
    """Switches of which any two are joined by `each` cables; routes follow the load.

    Of the messages from a switch to another one at the same time, as many as there are cables go directly, each by a
    cable of its own; the others go by a third switch. Which these are changes from step to step.
    """

    def __init__(self, group: Index, each: int, rate: float) -> None:
        super().__init__(int(group.max()) + 1, each)
        self.group, self.capacity = group, np.full(self.groups**2 * each, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        far, begun = a != b, when * 2 + (frm < to)  # those of one phase go up in number, those of the other down
        place = _place((begun * self.groups + a) * self.groups + b, hashed(frm, to, when, 6))
        detour, by = self._detour(a, b, place >= self.each, hashed(frm, to, when, 5))
        hops = [(far, a, by), (detour, by, b)]
        ways = [np.where(taken, self._first_cable(*ends) + place % self.each, NONE) for taken, *ends in hops]
        return np.stack(ways, axis=1), LATENCY + HOP * far + HOP * detour


class Supernodes(JoinedGroups):
    """Supernodes of `size` hosts that are joined each with each, without switches, and each with each other supernode.

    Each supernode consists of drawers of `drawer` hosts. The cable between two hosts has the rate `near` within a
    drawer and `far` otherwise. Any two supernodes are joined by `each` cables of the rate `between`, which their hosts
    have in turns. Which of them a message takes changes from step to step; hosts pass it on to the cable and from it.
    As PERCS of IBM with direct routes (Arimilli et al., HOTI 2010).
    """

    def __init__(self, hosts: int, drawer: int, size: int, each: int, near: float, far: float, between: float) -> None:
        self.group, self.place = np.divmod(np.arange(hosts), size)
        super().__init__(int(self.group[-1]) + 1, each)
        self.size, self.inner = size, self.groups**2 * each  # the number of the first cable within a supernode
        of_drawer = np.arange(size) // drawer
        within = np.where(np.equal.outer(of_drawer, of_drawer), near, far)
        self.capacity = np.concatenate([np.full(self.inner, between), np.tile(within.ravel(), self.groups)])

    def _within(self, group: Index, place: Index, to_place: Index) -> Index:
        """The cables between two places of a supernode; NONE from a place to itself."""
        way = self.inner + (group * self.size + place) * self.size + to_place
        return np.where(place != to_place, way, NONE)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b, place, goal = self.group[frm], self.group[to], self.place[frm], self.place[to]
        apart = a != b
        number = (hashed(frm, to, when, 3) % np.uint64(self.each)).astype(np.int64)
        leave, arrive = ((of * self.each + number) % self.size for of in (b, a))
        between = np.where(apart, self._first_cable(a, b) + number, NONE)
        own = self._within(a, place, np.where(apart, leave, goal))
        ways = np.stack([own, between, self._within(b, np.where(apart, arrive, goal), goal)], axis=1)
        return ways, LATENCY + HOP * ((ways != NONE).sum(axis=1) - 1) + 2 * CABLE * apart


class Slingshot(JoinedGroups):
    """Groups of 16 switches in a dragonfly of `groups` groups; a job has hosts in the first ones only.

    Routes follow the load: of the messages from a group to another one in a step, as many as there are cables go
    directly, each by a cable of its own; the others take a third group of the machine. Which these are changes from
    step to step, and so do the switches at which messages leave and arrive. Within a group nothing blocks, and a
    message to another switch takes a hop more. `group` and `switch`: of each adapter, switches numbered in their group.
    """

    def __init__(self, group: Index, switch: Index, groups: int, rate: float) -> None:
        super().__init__(groups, max(1, len(group) // (int(group.max()) + 1) // 4))
        self.group, self.switch = group, switch % 16
        self.capacity = np.full(groups**2 * self.each, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        far, place = a != b, _place((when * self.groups + a) * self.groups + b, hashed(frm, to, when, 6))
        detour, by = self._detour(a, b, place >= self.each, hashed(frm, to, when, 5))
        hops = [(far, a, by), (detour, by, b)]
        ways = [np.where(taken, self._first_cable(*ends) + place % self.each, NONE) for taken, *ends in hops]
        leave, arrive = ((hashed(frm, to, when, by) % np.uint64(16)).astype(np.int64) for by in (20, 21))
        leave, arrive = np.where(far, leave, self.switch[to]), np.where(far, arrive, self.switch[to])
        steps = 1 * (leave != self.switch[frm]) + (arrive != self.switch[to]) + far + 2 * detour
        return np.stack(ways, axis=1), LATENCY + HOP * steps + 4 * CABLE * far


class SlingshotInRows(Slingshot):
    """A Slingshot dragonfly whose groups are rows of a hall, one after the other: cables are longer to further rows.

    `apart`: the seconds from a row to the next one. A detour by a third group takes the cables to it and from it.
    """

    def __init__(self, group: Index, switch: Index, groups: int, rate: float, apart: float) -> None:
        super().__init__(group, switch, groups, rate)
        self.apart = apart

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        one, other = np.divmod(ways // self.each, self.groups)
        return ways, latency + self.apart * np.where(ways != NONE, np.abs(one - other), 0).sum(axis=1)


class Blocks(JoinedGroups):
    """Blocks of hosts, any two joined directly by cables of the speed of the slower block; no spines.

    Each flow has one cable of a direct way or, `detours` of them, of a way by a third block, and changes it once in 16
    steps. `speed`: of the adapters and ports of each block.
    """

    def __init__(self, group: Index, speed: Values, detours: float) -> None:
        super().__init__(len(speed), max(1, 2 * len(group) // len(speed) ** 2))
        self.group, self.detours = group, detours
        self.capacity = np.repeat(np.minimum.outer(speed, speed).ravel(), self.each)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b, stretch = self.group[frm], self.group[to], _stretch(frm, to, when)
        far = a != b
        detour, by = self._detour(a, b, chance(frm, to, stretch, 6) < self.detours, hashed(frm, to, stretch, 5))
        cable = (hashed(frm, to, stretch, 3) % np.uint64(self.each)).astype(np.int64)
        hops = [(far, a, by), (detour, by, b)]
        ways = [np.where(taken, self._first_cable(*ends) + cable, NONE) for taken, *ends in hops]
        return np.stack(ways, axis=1), LATENCY + 2 * HOP * far + 2 * HOP * detour


class Torus:
    """A grid that is closed in each of its dimensions; messages go along one dimension after the other."""

    closed, one_way = True, False

    def __init__(self, sides: tuple[int, ...], rate: float = 4 * RATE) -> None:
        self.sides = sides
        hosts = int(np.prod(sides))
        self.group = np.zeros(hosts, np.int64)
        self.place = np.stack(np.unravel_index(np.arange(hosts), sides), axis=1)
        self.capacity = np.full(hosts * len(sides) * 2, rate)

    def _is_closed(self, axis: int) -> bool:
        return self.closed

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        at, goal = self.place[frm].copy(), self.place[to]
        hops: list[Index] = []
        for axis, side in enumerate(self.sides):
            away = goal[:, axis] - at[:, axis]
            closed = self._is_closed(axis)
            furthest = side // 2 if closed and not self.one_way else side - 1
            forward = away % side <= furthest if closed else away > 0
            for _ in range(furthest):
                moves = at[:, axis] != goal[:, axis]
                here = np.ravel_multi_index(tuple(at.T), self.sides)
                way = (here * len(self.sides) + axis) * 2 + forward
                hops.append(np.where(moves, way, NONE))
                at[:, axis] = (at[:, axis] + np.where(moves, np.where(forward, 1, -1), 0)) % side
        ways = np.stack(hops, axis=1)
        return ways, LATENCY + HOP * (ways != NONE).sum(axis=1)


class Mesh(Torus):
    """A grid that is not closed: from one end of a row to the other, messages pass all hosts between."""

    closed = False


class ChipMesh(Mesh):
    """A grid of chips that is not closed; a host is a block of `block` chips. Chips are numbered host by host.

    The cables within a host are as those between hosts. `rows` and `columns`: of hosts.
    """

    def __init__(self, rows: int, columns: int, block: tuple[int, int], rate: float) -> None:
        high, wide = block
        super().__init__((rows * high, columns * wide), rate)
        host, chip = np.divmod(np.arange(len(self.group)), high * wide)
        (row, column), (down, along) = np.divmod(host, columns), np.divmod(chip, wide)
        self.place = np.stack([row * high + down, column * wide + along], axis=1)


class HammingMesh:
    """Boards of 2 x 2 accelerators in a grid; a tree 1:1 joins all that are in a row, and one all that are in a column.

    Accelerators are numbered board by board. Each has four links of the same `rate`: to its two neighbours on the board
    and to the trees of its row and of its column. Messages go along the row first, then along the column, and another
    accelerator passes them on at the turn (Hoefler et al., SC 2022: Hx2Mesh).
    """

    def __init__(self, rows: int, columns: int, rate: float) -> None:
        board, corner = np.divmod(np.arange(4 * rows * columns), 4)
        self.group = np.zeros(len(board), np.int64)
        (row, column), (down, along) = np.divmod(board, columns), np.divmod(corner, 2)
        self.place = np.stack([2 * column + along, 2 * row + down], axis=1)  # along the row, and along the column
        self.at = np.zeros((2 * columns, 2 * rows), np.int64)
        self.at[tuple(self.place.T)] = np.arange(len(board))
        self.capacity = np.full(6 * len(board), rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        turn = self.at[self.place[to, 0], self.place[frm, 1]]
        ways, latency = [], np.full(len(frm), LATENCY)
        for axis, (one, other) in enumerate([(frm, turn), (turn, to)]):
            moves = one != other
            far = self.place[one, axis] // 2 != self.place[other, axis] // 2  # by the tree
            first = 3 * axis
            ways.append(np.where(moves, 6 * one + first + far, NONE))  # its link to the neighbour, or to the tree
            ways.append(np.where(far, 6 * other + first + 2, NONE))
            latency = latency + HOP * moves * np.where(far, 2, 1)
        return np.stack(ways, axis=1), latency


class OpticalTorus(Torus):
    """A torus of blocks of `block` hosts that optical switches join; cables between blocks take `longer` seconds more.

    So do the cables that close a dimension, as all that leaves a block goes by such a switch, also if it comes back.
    But two hosts that are a dimension by themselves have only cables within their block.
    """

    def __init__(self, sides: tuple[int, ...], block: tuple[int, ...], longer: float, rate: float) -> None:
        super().__init__(sides, rate)
        self.longer = np.zeros(len(self.capacity))
        for axis, size in enumerate(block):
            if size == sides[axis] == 2:
                continue
            at = self.place[:, axis] % size
            way = (np.arange(len(self.group)) * len(sides) + axis) * 2
            self.longer[way[at == 0]] = longer
            self.longer[way[(at == size - 1) | (self.place[:, axis] == sides[axis] - 1)] + 1] = longer

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        return ways, latency + np.where(ways != NONE, self.longer[ways], 0.0).sum(axis=1)


class ClosedAlongOne(Torus):
    """A grid that is closed along its first dimension only."""

    def _is_closed(self, axis: int) -> bool:
        return axis == 0


class OneWayRings(Torus):
    """A grid of rings, one for each row of each dimension, around which messages go in one direction only.

    So there and back they pass different hosts, and together all of a ring.
    """

    one_way = True


class Interfaces(Torus):
    """A torus of hosts with several adapters, all on the router of their host. They are numbered host by host."""

    def __init__(self, sides: tuple[int, ...], adapters: int, rate: float) -> None:
        super().__init__(sides, rate)
        self.adapters, self.group = adapters, self.group.repeat(adapters)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return super().path(frm // self.adapters, to // self.adapters, when)


class Tofu(Torus):
    """Units of hosts, each a small grid, in an outer torus: messages go to the other unit first, then within it.

    A host has a cable to the same place of each neighbouring unit. Cables are as fast as adapters, those between units
    longer. `joined` [unit, unit]: whether they are neighbours. `leads` [host, axis, direction]: the unit to which a
    cable between units leads. `unit`: of each host.
    """

    def __init__(self, outer: tuple[int, ...], unit: tuple[int, ...], rate: float = RATE) -> None:
        super().__init__((*outer, *unit), rate)
        self.outer, self.unit = len(outer), np.arange(len(self.group)) // int(np.prod(unit))
        self.group = self.unit
        place = np.tile(self.place[:, None, None, :], (1, self.outer, 2, 1))
        for axis, side in enumerate(outer):
            place[:, axis, :, axis] = (place[:, axis, :, axis] + np.array([-1, 1])) % side
        self.leads = self.unit[np.ravel_multi_index(tuple(np.moveaxis(place, -1, 0)), self.sides)]
        units = int(self.unit[-1]) + 1
        self.joined = np.zeros((units, units), bool)
        self.joined[self.unit[:, None, None], self.leads] = True
        np.fill_diagonal(self.joined, False)

    def cables(self, one: int, other: int) -> Index:
        """The ways from a unit to another one."""
        own = (self.unit == one)[:, None, None] & (self.leads == other)
        here, axis, forward = np.nonzero(own)
        return np.asarray((here * len(self.sides) + axis) * 2 + forward)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        between = sum(side // 2 for side in self.sides[: self.outer])
        return ways, latency + 2 * CABLE * (ways[:, :between] != NONE).sum(axis=1)


class UnitInterfaces(Tofu):
    """Units of hosts with several adapters, all on the router of their host. They are numbered host by host."""

    def __init__(self, outer: tuple[int, ...], unit: tuple[int, ...], adapters: int, rate: float) -> None:
        super().__init__(outer, unit, rate)
        self.adapters, self.group = adapters, self.unit.repeat(adapters)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return super().path(frm // self.adapters, to // self.adapters, when)


class Direct:
    """Switches joined by cables; from one to another, messages always go the same way. Not all need have hosts.

    `turn` [switch, switch]: the next switch on the way, the goal itself where it is a neighbour. `joined` [switch,
    switch]: whether there is a cable. `cable`: the way from one to the other, NONE without one. `route` [switch,
    switch, hop]: all ways from one to the other. `hop`: seconds that each way adds.
    """

    hop = HOP

    def __init__(self, group: Index, turn: Index, rate: float) -> None:
        self.group = group
        at, goal = np.broadcast_arrays(np.arange(len(turn))[:, None], np.arange(len(turn)))
        self.joined = (turn == goal) & (at != goal)
        self.cable = np.full(turn.shape, NONE)
        self.cable[self.joined] = np.arange(self.joined.sum())
        self.capacity = np.full(int(self.joined.sum()), rate)
        hops = []
        while (at != goal).any():
            after = np.where(at == goal, goal, turn[at, goal])
            hops.append(self.cable[at, after])
            at = after
        self.route = np.stack(hops, axis=2)

    def cables(self, one: int, other: int) -> Index:
        """The ways from a switch to a neighbour."""
        return self.cable[[one], [other]]

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways = self.route[self.group[frm], self.group[to]]
        return ways, LATENCY + self.hop * (ways != NONE).sum(axis=1)


class Hypercube(Direct):
    """Switches at the corners of a cube of as many dimensions as needed, `size` hosts on each; the last may have none.

    Messages go along one dimension after the other, from the first, so there and back by different switches. A cable
    is as wide as half of the hosts of a switch need.
    """

    def __init__(self, hosts: int, size: int, rate: float = RATE) -> None:
        used = max(2, hosts // size)
        one, other = np.indices((2 ** int(used - 1).bit_length(),) * 2)
        differ = one ^ other
        super().__init__(np.arange(hosts) * used // hosts, one ^ (differ & -differ), rate * max(1.0, size / 2))


class EnhancedHypercube(Hypercube):
    """A hypercube whose cables of the first dimension are twice as wide as the others, as SGI's ICE has them."""

    def __init__(self, hosts: int, size: int, rate: float = RATE) -> None:
        super().__init__(hosts, size, rate)
        one, other = np.nonzero(self.joined)
        self.capacity = self.capacity * np.where(one ^ other == 1, 2.0, 1.0)


class HyperXTables(Direct):
    """A HyperX of two dimensions with a single cable between two switches, whose tables say one way to each switch.

    To switches of even number messages go along the row first, to the others along the column. So there and back they
    may turn at different switches.
    """

    def __init__(self, hosts: int, rows: int, columns: int, rate: float) -> None:
        switches = rows * columns
        one, other = np.indices((switches, switches))
        (row, column), (to_row, to_column) = np.divmod(one, columns), np.divmod(other, columns)
        turn = np.where(other % 2 == 0, row * columns + to_column, to_row * columns + column)
        near = (row == to_row) | (column == to_column)
        super().__init__(np.arange(hosts) * switches // hosts, np.where(near, other, turn), rate)


class SingleCables(Direct):
    """A dragonfly with one cable between any two groups, at one switch of each; no messages take a detour.

    A group is `each` switches that are joined each with each. Messages go to the switch that has the cable, over it,
    and on to their own one (Kim et al., ISCA 2008).
    """

    def __init__(self, hosts: int, size: int, each: int, rate: float = RATE) -> None:
        groups = hosts // size // each
        switches = groups * each
        one, other = np.indices((switches, switches))
        a, b = one // each, other // each
        leave, arrive = a * each + (b - a - 1) % groups % each, b * each + (a - b - 1) % groups % each
        turn = np.select([a == b, one == leave], [other, arrive], leave)
        super().__init__(np.arange(hosts) * switches // hosts, turn, rate)


class SwitchTorus(Direct):
    """Switches in a grid that is closed in each of its dimensions; messages go along one after the other.

    Where both ways around are as long, messages go up, so there and back by different switches. `axis` [cable]: the
    dimension along which it leads.
    """

    def __init__(self, hosts: int, sides: tuple[int, ...], rate: float) -> None:
        switches = int(np.prod(sides))
        place = np.stack(np.unravel_index(np.arange(switches), sides), axis=1)
        after = np.tile(place[:, None, :], (1, switches, 1))
        axis = np.argmax(place[:, None, :] != place[None, :, :], axis=2)  # the first one in which two switches differ
        one, other = np.indices(axis.shape)
        after[one, other, axis] = self._after(place[one, axis], place[other, axis], np.array(sides)[axis])
        turn = np.ravel_multi_index(tuple(np.moveaxis(after, -1, 0)), sides)
        super().__init__(np.arange(hosts) * switches // hosts, turn, rate)
        self.axis: Index = axis[self.joined]

    @staticmethod
    def _after(at: Index, goal: Index, side: Index) -> Index:
        """The next place on the way from `at` to `goal` along a dimension that has `side` switches."""
        step = np.where((goal - at) % side <= side // 2, 1, -1) * (at != goal)
        return np.asarray((at + step) % side)


class FlattenedButterfly(SwitchTorus):
    """Switches in a grid, with a cable from each to all others along each dimension; messages go along one after the
    other, in the same order there and back, and so by different switches."""

    @staticmethod
    def _after(at: Index, goal: Index, side: Index) -> Index:
        return goal


class Gemini(SwitchTorus):
    """A torus of routers of two hosts.

    Cables of the second dimension are three quarters as wide as an adapter, those of the others twice as wide as that:
    a router has half as many links there.
    """

    def __init__(self, hosts: int, sides: tuple[int, ...], rate: float = RATE) -> None:
        super().__init__(hosts, sides, rate)
        self.capacity = rate * np.where(self.axis == 1, 0.75, 1.5)


class Ring(Direct):
    """A stack of 4 switches, each joined to the next one and the last to the first; cables `ratio`:1.

    Messages go the shorter way around; between opposite switches by the neighbour of smaller number, there and back.
    """

    def __init__(self, hosts: int, ratio: int, rate: float = RATE) -> None:
        one, other = np.indices((4, 4))
        before, after = (one - 1) % 4, (one + 1) % 4
        turn = np.select([one == other, other == before, other == after], [one, before, after])
        turn = np.where((one - other) % 4 == 2, np.minimum(before, after), turn)
        super().__init__(np.arange(hosts) * 4 // hosts, turn, rate * max(1.0, hosts / 4 / ratio))


class BlockedRing(Direct):
    """Switches in a ring of which the spanning tree protocol blocks the cable after switch `blocked`: they are a line.

    So the two switches at this cable are the furthest apart. Switches store a packet before they send it on, which
    takes 1 us. `rate`: of what joins two neighbours.
    """

    hop = STORED

    def __init__(self, hosts: int, switches: int, blocked: int, rate: float) -> None:
        one, other = np.indices((switches, switches))
        place, goal = ((of - blocked - 1) % switches for of in (one, other))
        turn = np.where(one == other, one, (one + np.where(goal > place, 1, -1)) % switches)
        super().__init__(np.arange(hosts) * switches // hosts, turn, rate)


class Chain(BlockedRing):
    """InfiniBand switches in a line, each joined to the next one by several cables, which count as a wide one.

    `group`: the switch of each host. `widths`: of what joins each switch to the next one.
    """

    hop = HOP

    def __init__(self, group: Index, widths: Values) -> None:
        super().__init__(len(group), len(widths) + 1, len(widths), RATE)
        self.group = group
        self.capacity = np.asarray(widths[np.minimum(*np.nonzero(self.joined))])


class Stacks(Direct):
    """Stacks of 4 switches, each stack a ring, and a core switch without hosts that the first of each stack leads to.

    Messages within a stack go the shorter way around, and up between opposite switches; so there and back by different
    ones. A ring carries half of what the hosts of a switch send, or one cable of `rate`, and the way to the core half
    of what those of a stack do, or two. A switch takes 1 us.
    """

    hop = STORED

    def __init__(self, hosts: int, stacks: int, adapter: float, rate: float) -> None:
        core = 4 * stacks
        one, other = np.indices((core + 1, core + 1))
        stack, first = one // 4, one // 4 * 4
        goal = np.where(other // 4 == stack, other, first)  # within the own stack
        around = first + (one + np.where((goal - one) % 4 <= 2, 1, -1)) % 4
        leaves = (one == first) & (other // 4 != stack)
        turn = np.select([one == other, one == core, leaves], [other, other // 4 * 4, core], around)
        super().__init__(np.arange(hosts) * core // hosts, turn, rate)
        of_stack, upper = hosts / stacks * adapter, np.nonzero(self.joined)
        to_core = (upper[0] == core) | (upper[1] == core)
        self.capacity = np.where(to_core, max(2 * rate, of_stack / 2), max(rate, of_stack / 8))


class RandomGraph(Direct):
    """Switches joined at random, `ports` cables at each or, where no other switch has a free one, fewer.

    They start from a ring, so that all are joined. Messages go a shortest way, which the switches' tables hold for each
    switch that they go to; so there and back by different ones. A cable is as wide as half of the hosts of a switch.
    """

    def __init__(self, hosts: int, switches: int, ports: int, random: np.random.Generator, rate: float = RATE) -> None:
        joined = self._joined(switches, ports, random)
        steps = _steps(joined)
        nearer = joined[:, None, :] & (steps.T[None, :, :] + 1 == steps[:, :, None])  # [switch, goal, next]
        turn = np.argmax(nearer * random.random(nearer.shape), axis=2)
        np.fill_diagonal(turn, np.arange(switches))
        super().__init__(np.arange(hosts) * switches // hosts, turn, rate * max(1.0, hosts / switches / 2))

    @staticmethod
    def _joined(switches: int, ports: int, random: np.random.Generator) -> Mask:
        """[switch, switch], whether there is a cable."""
        made = np.zeros((switches, switches), bool)
        around = random.permutation(switches)
        made[around, np.roll(around, 1)] = made[np.roll(around, 1), around] = True
        while True:
            free = made.sum(axis=1) < ports
            possible = np.argwhere(np.triu(~made & free[:, None] & free[None, :], 1))
            if not len(possible):
                return made
            one, other = random.choice(possible)
            made[one, other] = made[other, one] = True


class Branches(Direct):
    """Ethernet as it grows: a core switch with hosts, two switches on it, and a fourth one behind the first of these.

    Each of them has a quarter of the hosts and a single cable to the next. Switches store a packet before they send it
    on, which takes 1 us.
    """

    hop = STORED

    def __init__(self, hosts: int, rate: float) -> None:
        turn = np.array([[0, 1, 2, 1], [0, 1, 0, 3], [0, 0, 2, 0], [1, 1, 1, 3]])
        super().__init__(np.arange(hosts) * 4 // hosts, turn, rate)


class PolarFly(Direct):
    """Switches that are the points of a projective plane, joined where they are orthogonal: Erdos and Renyi's graph.

    So any two are joined or have just one neighbour in common, by which all messages go. 13 switches with 4 cables each
    or, for more than 100 hosts, 31 with 6; some have one less (Lakhotia et al., SC 2022). Those that have hosts in a
    small cluster are next to the first one. A cable is as wide as half of the hosts of a switch need, or a third.
    """

    def __init__(self, hosts: int, rate: float = RATE) -> None:
        order = 3 if hosts <= 100 else 5
        every = np.stack(np.unravel_index(np.arange(1, order**3), (order,) * 3), axis=1)
        points = every[[point[point > 0][0] == 1 for point in every]]
        joined = points @ points.T % order == 0
        np.fill_diagonal(joined, False)
        near = np.argsort(_steps(joined)[0], kind="stable")
        joined = joined[np.ix_(near, near)]
        turn = np.argmax(joined[:, None, :] & joined[None, :, :], axis=2)
        turn = np.where(joined | np.eye(len(joined), dtype=bool), np.arange(len(joined))[None, :], turn)
        used = min(len(joined), hosts // 2)
        wide = max(1.0, hosts / used / ((order + 1) // 2))
        super().__init__(np.arange(hosts) * used // hosts, turn, rate * wide)


class DirectHosts(Direct):
    """Hosts that are joined without switches: each of them passes on the messages of others."""

    def __init__(self, turn: Index, rate: float) -> None:
        super().__init__(np.zeros(len(turn), np.int64), turn, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways = self.route[frm, to]
        return ways, LATENCY + HOP * (ways != NONE).sum(axis=1)


class Kautz(DirectHosts):
    """Hosts with `degree` cables out and as many in, each for one direction, that make a Kautz graph or one like it.

    Host i sends to the hosts -(degree * i + 1) to -(degree * i + degree), modulo their number (Imase and Itoh, IEEE
    Transactions on Computers 1983). Messages go a shortest way, which is often longer there than back.
    """

    def __init__(self, hosts: int, degree: int, rate: float) -> None:
        joined = np.zeros((hosts, hosts), bool)
        for number in range(1, degree + 1):
            joined[np.arange(hosts), -(degree * np.arange(hosts) + number) % hosts] = True
        np.fill_diagonal(joined, False)
        steps = _steps(joined)
        turn = np.argmax(joined[:, None, :] & (steps.T[None, :, :] + 1 == steps[:, :, None]), axis=2)
        np.fill_diagonal(turn, np.arange(hosts))
        super().__init__(turn, rate)


class HypercubeOfHosts(DirectHosts):
    """Hosts at the corners of a cube of as many dimensions as needed; the last corners may be without one.

    Messages go along the dimensions in which the number of the next host is smaller first, so that they pass only hosts
    that there are (Katseff, IEEE Transactions on Computers 1988).
    """

    def __init__(self, hosts: int, rate: float) -> None:
        one, other = np.indices((hosts, hosts))
        less, more = one & ~other, other & ~one
        super().__init__(np.where(less > 0, one ^ (less & -less), one ^ (more & -more)), rate)


class RowsAndColumns(DirectHosts):
    """Hosts in a grid, with a cable from each to all of its row and all of its column.

    To another row and column, messages go along the row first. So there and back they pass different hosts.
    """

    def __init__(self, rows: int, columns: int, rate: float) -> None:
        one, other = np.indices((rows * columns,) * 2)
        (row, column), (to_row, to_column) = np.divmod(one, columns), np.divmod(other, columns)
        near = (row == to_row) | (column == to_column)
        super().__init__(np.where(near, other, row * columns + to_column), rate)


class TwistedTorus(DirectHosts):
    """A torus of hosts of 2 x 2 x 1 chips, of which a cable around a side also goes half way along each longer one.

    As slices of TPU v4 (Jouppi et al., ISCA 2023), whose optical circuit switches join cubes so. Messages go a shortest
    way, and a step along the first dimension comes first wherever it is one of that. `sides`: in hosts; sides in chips
    say which one is longer. `rate`: of the cable of a chip.
    """

    def __init__(self, sides: tuple[int, int, int], rate: float) -> None:
        hosts, chips = int(np.prod(sides)), np.array(sides) * [2, 2, 1]
        place = np.stack(np.unravel_index(np.arange(hosts), sides), axis=1)
        width, after = np.zeros((hosts, hosts)), []
        for axis in range(3):
            for step in (1, -1):
                moved = place.copy()
                moved[:, axis] += step
                around = (moved[:, axis] < 0) | (moved[:, axis] == sides[axis])
                moved += step * np.where(chips > chips[axis], np.array(sides) // 2, 0) * around[:, None]
                after.append(np.ravel_multi_index(tuple((moved % sides).T), sides))
                width[np.arange(hosts), after[-1]] += rate * (4 if axis == 2 else 2)
        steps = _steps(width > 0)
        nearer = np.array([steps[next_] + 1 == steps for next_ in after])  # [direction, host, goal]
        turn = np.array(after)[np.argmax(nearer, axis=0), np.arange(hosts)[:, None]]
        np.fill_diagonal(turn, np.arange(hosts))
        super().__init__(turn, rate)
        self.capacity = width[self.joined]


class Lag(Islands):
    """Two switches joined by several cables, one for each `ratio` of the hosts of one, that count as one link.

    A hash of the two hosts chooses the cable, the same there and back. It prefers the first cables: of four, half of
    the flows take the first one.
    """

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        number = chance(np.minimum(frm, to), np.maximum(frm, to), 14) ** 2
        cable = (number * np.minimum(self.each[a], self.each[b])).astype(np.int64)
        ways = np.stack([self.first[a] + cable, self.ways + self.first[b] + cable], axis=1)
        far = a != b
        return np.where(far[:, None], ways, NONE), LATENCY + HOP * far


class DragonflyPlus(JoinedGroups):
    """Groups that are trees of two leaves, 1:1, whose upper switches each have a cable to one of each other group.

    Which upper switch a message takes changes from step to step. `detours`: the part of messages between groups that
    goes by the upper switch of a third one.
    """

    def __init__(self, hosts: int, size: int, detours: float, rate: float = RATE) -> None:
        self.group, self.detours = np.arange(hosts) // size, detours
        groups, upper = int(self.group[-1]) + 1, (size + 1) // 2  # an upper switch for each cable to another group
        self.leaf = 2 * self.group + np.arange(hosts) % size // upper
        self.ways = 2 * groups * upper  # from leaves up; as many lead down, then those between groups
        super().__init__(groups, upper, 2 * self.ways)
        self.capacity = np.full(self.first + groups**2 * upper, rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        up, down, apart = self.leaf[frm], self.leaf[to], a != b
        far = up != down
        detour, by = self._detour(a, b, chance(frm, to, when, 6) < self.detours, hashed(frm, to, when, 5))
        hops = [
            (far, up * self.each), (apart, self._first_cable(a, by)),
            (detour, self._first_cable(by, b)), (far, self.ways + down * self.each),
        ]  # fmt: skip
        switch = (hashed(frm, to, when, 3) % np.uint64(self.each)).astype(np.int64)
        ways = np.stack([np.where(taken, first + switch, NONE) for taken, first in hops], axis=1)
        return ways, LATENCY + HOP * (2 * far + apart + detour)


class PartOfDragonflyPlus(DragonflyPlus):
    """A job in a part of a DragonflyPlus of `groups` groups of `size` hosts. `taken`: the hosts of the machine it has.

    It has hosts in the first groups only; detours go by all.
    """

    def __init__(self, taken: Index, groups: int, size: int, detours: float, rate: float) -> None:
        super().__init__(groups * size, size, detours, rate)
        self.group, self.leaf = self.group[taken], self.leaf[taken]


class DragonflyPlusInRows(DragonflyPlus):
    """A DragonflyPlus whose groups stand in rows: a cable to another row takes `longer` seconds more.

    `row`: of each group. A detour by a group of another row takes such cables too.
    """

    def __init__(self, hosts: int, size: int, detours: float, rate: float, row: Index, longer: float) -> None:
        super().__init__(hosts, size, detours, rate)
        self.row, self.longer = row, longer

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        between = ways[:, 1:3]
        one, other = np.divmod(np.where(between == NONE, 0, between - self.first) // self.each, self.groups)
        crosses = (between != NONE) & (self.row[one] != self.row[other])
        return ways, latency + self.longer * crosses.sum(axis=1)


class Placement:
    """Virtual machines of a cloud in placement groups: 8 us within a group, 14 us across; nothing blocks.

    Each pair has a latency of its own, which differs by 1 % within a group and by 5 % across (standard deviation of its
    logarithm).
    """

    def __init__(self, group: Index, random: np.random.Generator) -> None:
        self.group, self.capacity = group, np.zeros(0)
        drawn = np.triu(random.standard_normal((len(group), len(group))), 1)
        across = group[:, None] != group[None, :]
        self.latency = np.where(across, 14e-6, 8e-6) * np.exp(np.where(across, 0.05, 0.01) * (drawn + drawn.T))

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return np.zeros((len(frm), 0), np.int64), self.latency[frm, to]


class Zones:
    """Virtual machines of a cloud in `zones` sites, in turns: 60 us within one, 250 to 700 us between two.

    Each two sites have a latency of their own, and so has each pair: these differ by 5 % within a site and by 1 %
    between two (standard deviation of the logarithm). Nothing blocks.
    """

    def __init__(self, hosts: int, zones: int, random: np.random.Generator) -> None:
        self.group, self.capacity = np.arange(hosts) % zones, np.zeros(0)
        between = np.triu(random.uniform(250e-6, 700e-6, (zones, zones)), 1)
        usual = (between + between.T + np.diag(np.full(zones, 60e-6)))[self.group[:, None], self.group[None, :]]
        drawn = np.triu(random.standard_normal((hosts, hosts)), 1)
        spread = np.where(self.group[:, None] == self.group[None, :], 0.05, 0.01)
        self.latency = usual * np.exp(spread * (drawn + drawn.T))

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        return np.zeros((len(frm), 0), np.int64), self.latency[frm, to]


class HeldInterrupts(FatTree):
    """A fat tree with static routes whose adapters hold back interrupts, `held` [adapter] seconds each.

    So a message waits where it arrives, and not where it leaves: interrupt moderation for what is received.
    """

    def __init__(self, group: Index, ratio: float, rate: float, held: Values) -> None:
        super().__init__(group, ratio, "static", rate)
        self.held = held

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        return ways, latency + self.held[to]


class OrphanPorts(ActiveBackup):
    """Two switches that are one for bonds (MLAG), joined by `cables`; some hosts have a port on one of them only.

    `port`: the switch of such a host, NONE for those with a bond. A hash says by which port a bond sends; to another
    bond the message stays on that switch. To a host on the other switch it takes one of the cables, by a hash too.
    """

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        by_hash = (hashed(frm, to, 32) % np.uint64(2)).astype(np.int64)
        a = np.where(self.port[frm] == NONE, by_hash, self.port[frm])
        b = np.where(self.port[to] == NONE, a, self.port[to])
        cable = (hashed(frm, to, 24) % np.uint64(self.cables)).astype(np.int64)
        return np.where(a != b, 2 * cable + a, NONE)[:, None], LATENCY + HOP * (a != b)


class LeafTunnels(FatTree):
    """Leaves that put all that they send to another one into one tunnel, of which a hash of the two leaves chooses the
    uplink. So all messages from one leaf to another share a spine; there and back they may have two.

    As VXLAN, GRE or IP in IP where switches hash the outer addresses only, and these are those of the leaves.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "tunnels", rate)

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        return (hashed(self.group[frm], self.group[to], 0, 3) % spines.astype(np.uint64)).astype(np.int64)


class Slices(Torus):
    """Slices that are tori of hosts in two dimensions; a message to another slice goes by the Ethernet ports of hosts.

    Ethernet does not block; `port`: bytes per second of a host in each direction. A message takes `longer` seconds more
    by it, and `away` more where it also goes to the other half of the slices, in another hall.
    """

    def __init__(
        self, slices: int, sides: tuple[int, int], rate: float, port: float, longer: float, away: float
    ) -> None:
        super().__init__((slices, *sides), rate)
        self.group, self.longer, self.away = self.place[:, 0], longer, away
        self.hall = 2 * self.group // slices
        self.cables = len(self.capacity)
        self.capacity = np.concatenate([self.capacity, np.full(2 * len(self.group), port)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        apart = self.group[frm] != self.group[to]
        within, latency = super().path(frm, np.where(apart, frm, to), when)
        ports = self.cables + np.stack([frm, len(self.group) + to], axis=1)
        latency = latency + self.longer * apart + self.away * (self.hall[frm] != self.hall[to])
        return np.concatenate([within, np.where(apart[:, None], ports, NONE)], axis=1), latency


class TwoPorts(FatTree):
    """Adapters with two ports, each on a leaf and spines of its own: two planes that do not meet above the hosts.

    A hash of the two adapters chooses the plane of a flow, and in it an uplink of the leaf. Adapters that are `single`
    have a port on the first plane only, so all to them and from them takes that one. `group`: the pair of leaves of
    each adapter, with `ratio` adapters for each uplink in each plane.
    """

    def __init__(self, group: Index, ratio: float, rate: float, single: Mask) -> None:
        super().__init__(group, ratio, "static", rate)
        super().__init__(group, np.bincount(group) / (2 * self.uplinks + 0.5), "static", rate)
        self.single = single

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        a, b = self.group[frm], self.group[to]
        either = (hashed(frm, to, 33) % np.uint64(2)).astype(np.int64)
        second = np.where(self.single[frm] | self.single[to], 0, either)
        half = np.minimum(self.each[a], self.each[b]) // 2
        spine = super()._spine(frm, to, when, half)
        up = self.first[a] + second * (self.each[a] // 2) + spine
        down = self.ways + self.first[b] + second * (self.each[b] // 2) + spine
        far = a != b
        return np.where(far[:, None], np.stack([up, down], axis=1), NONE), LATENCY + 2 * HOP * far


class PeerLinks(FatTree):
    """Leaves in pairs, each joined to its twin by two cables, beside their uplinks to the spines; static routes.

    As the peer links of MLAG, where hosts have one port only: messages to the twin leaf take one of the two cables, by
    a hash, and pass no spine. `peer`: the rate of such a cable.
    """

    def __init__(self, group: Index, ratio: float, rate: float, peer: float) -> None:
        super().__init__(group, ratio, "static", rate)
        self.capacity = np.concatenate([self.capacity, np.full(2 * len(self.uplinks), peer)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.group[frm], self.group[to]
        twins = (a != b) & (a // 2 == b // 2)
        cable = 2 * self.ways + 2 * a + (hashed(frm, to, 33) % np.uint64(2)).astype(np.int64)
        ways = np.where(twins[:, None], NONE, ways)
        return np.column_stack([ways, np.where(twins, cable, NONE)]), latency - HOP * twins


class UnlikeSpines(FatTree):
    """Leaves whose spines are not as quick as each other. `longer` [spine]: seconds that a message takes more there.

    So the uplink of a message says how long it takes.
    """

    def __init__(self, group: Index, ratio: float, routes: str, rate: float, longer: Values) -> None:
        super().__init__(group, ratio, routes, rate)
        self.longer = longer

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        spine = np.where(ways[:, 0] == NONE, 0, ways[:, 0] - self.first[self.group[frm]])
        return ways, latency + self.longer[spine % len(self.longer)] * (ways[:, 0] != NONE)


class VirtualSwitches(FatTree):
    """Virtual machines behind leaves with static routes; a virtual switch moves all packets of those of a server.

    All that these send and receive shares what the cores of the switch can do, `switch` [server] bytes per second.
    Messages between two machines of a server pass the switch once and no other one. `server`: of each machine. As Open
    vSwitch with DPDK, which has some cores of each server for itself.
    """

    def __init__(self, group: Index, ratio: float, rate: float, server: Index, switch: Values) -> None:
        super().__init__(group, ratio, "static", rate)
        self.server = server
        self.capacity = np.concatenate([self.capacity, switch])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.server[frm], self.server[to]
        first = 2 * self.ways
        return np.column_stack([ways, first + a, np.where(a == b, NONE, first + b)]), latency - HOP * (a == b)


class LastBits(OneCore):
    """Leaves joined to one core switch by several cables that count as one link; two addresses give a pair one of them.

    It is the last bits of the one address, exclusive or those of the other, modulo the cables: there and back the same,
    by the leaf and by the core. As the hash of many Ethernet switches, e.g. Cisco's src-dst-mac. `address`: of each
    host. Where they have gaps of two, half of the cables are never used between such hosts.
    """

    def __init__(self, group: Index, ratio: float, address: Index, rate: float) -> None:
        super().__init__(group, ratio, rate)
        self.address = address

    def _cables(self, frm: Index, to: Index, up: Index, down: Index) -> tuple[Index, Index]:
        number = self.address[frm] ^ self.address[to]
        return number % up, number % down


class StoredTowards(FatTree):
    """Leaves whose switches cannot send a packet on to a quicker cable before all of it is there. Static routes.

    Otherwise they begin at once (cut-through). So the first switch stores what a slower adapter sends to a quicker one
    or to an uplink, and nothing that comes from a quicker one; `longer`: seconds of a packet at the rate of the slower
    ones. `speed`: of each adapter; uplinks are as quick as the quicker ones.
    """

    def __init__(self, group: Index, ratio: float, rate: float, speed: Values, longer: float) -> None:
        super().__init__(group, ratio, "static", rate)
        self.speed, self.rate, self.longer = speed, rate, longer

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        next_ = np.where(self.group[frm] == self.group[to], self.speed[to], self.rate)
        return ways, latency + self.longer * (self.speed[frm] < next_)


class LagsToTwoSpines(FatTree):
    """Leaves joined to two spines, to each by several cables that count as one link, about `ratio`:1.

    A hash of each pair says by which cable a message leaves, and so the spine; this one has a hash of its own for the
    cable down. The cables of a leaf are numbered in turns: those of the first spine are even.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        size = np.bincount(group)
        of_spine = np.maximum(1, size // (2 * ratio))
        super().__init__(group, size / (2 * of_spine + 0.5), "static", rate)

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        ways, latency = super().path(frm, to, when)
        a, b = self.group[frm], self.group[to]
        cable = (hashed(frm, to, 34) % (self.each[b] // 2).astype(np.uint64)).astype(np.int64)
        down = self.ways + self.first[b] + 2 * cable + (ways[:, 0] - self.first[a]) % 2
        return np.column_stack([ways[:, 0], np.where(a != b, down, NONE)]), latency


class TorusOfCubes(Torus):
    """A torus in three dimensions whose hosts are numbered by cubes of 2 x 2 x 2; `cubes`: how many along each."""

    def __init__(self, cubes: tuple[int, ...], rate: float) -> None:
        super().__init__(tuple(2 * side for side in cubes), rate)
        cube, corner = np.divmod(np.arange(len(self.group)), 8)
        corners = np.stack(np.unravel_index(corner, (2, 2, 2)), axis=1)
        self.place = 2 * np.stack(np.unravel_index(cube, cubes), axis=1) + corners


class ScatteredPorts(FatTree):
    """Leaves of which each has drawn an uplink for each receiver, at random, which stays as it is.

    As OpenSM with scatter_ports, without which its Min Hop deals out receivers in turns.
    """

    def __init__(self, group: Index, ratio: float, rate: float = RATE) -> None:
        super().__init__(group, ratio, "scattered", rate)

    def _spine(self, frm: Index, to: Index, when: Index, spines: Index) -> Index:
        return (hashed(self.group[frm], to, 35) % spines.astype(np.uint64)).astype(np.int64)


class HyperCrossbar:
    """Hosts in a grid, each with a port on the switch of its row and one on that of its column. No cable joins these.

    To another row and column, messages go along the row first, and the host at the turn passes them on by its ports,
    which takes `longer` seconds and a further switch. Hosts are numbered row by row. `port`: bytes per second.
    """

    def __init__(self, rows: int, columns: int, port: float, longer: float) -> None:
        self.group, self.columns, self.longer = np.zeros(rows * columns, np.int64), columns, longer
        self.capacity = np.full(4 * rows * columns, port)  # of each host: row out and in, column out and in

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        turn = frm - frm % self.columns + to % self.columns
        along, across = frm != turn, turn != to
        hops = [(along, 4 * frm), (along, 4 * turn + 1), (across, 4 * turn + 2), (across, 4 * to + 3)]
        ways = np.stack([np.where(taken, way, NONE) for taken, way in hops], axis=1)
        return ways, LATENCY + (HOP + self.longer) * (along & across)


class EdgePorts(Mesh):
    """A grid of hosts that is not closed; the hosts at both ends of each row also have a port of an Ethernet.

    Where that saves `saves` cables or more, a message goes along its row to the nearer end, by Ethernet to the nearer
    end of the row of its goal, and on along it. Ethernet does not block and takes `longer` seconds. `port`: bytes per
    second of a port in each direction. As Tesla's Dojo, whose mesh has ports of interface cards at its edges.
    """

    def __init__(self, sides: tuple[int, int], rate: float, port: float, longer: float, saves: int) -> None:
        super().__init__(sides, rate)
        self.longer, self.saves, self.cables = longer, saves, len(self.capacity)
        column, last = self.place[:, 1], sides[1] - 1
        self.end: Index = np.arange(len(column)) - column + np.where(2 * column <= last, 0, last)  # the nearer one
        self.capacity = np.concatenate([self.capacity, np.full(2 * len(column), port)])

    def path(self, frm: Index, to: Index, when: Index) -> tuple[Index, Values]:
        out, back = self.end[frm], self.end[to]
        steps = [np.abs(self.place[a] - self.place[b]).sum(axis=1) for a, b in ((frm, to), (frm, out), (back, to))]
        by_port = steps[0] - steps[1] - steps[2] >= self.saves
        first, latency = super().path(frm, np.where(by_port, out, to), when)
        second, rest = super().path(np.where(by_port, back, to), to, when)
        ports = self.cables + np.stack([out, len(self.end) + back], axis=1)
        ways = np.concatenate([first, np.where(by_port[:, None], ports, NONE), second], axis=1)
        return ways, latency + rest - LATENCY + self.longer * by_port
