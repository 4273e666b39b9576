"""Tests the worlds that the judge is scored in: their physics, and what a planted part changes."""

from dataclasses import replace

import numpy as np
import pytest
from worlds import orders
from worlds.faults import KINDS, Fault, planted, possible
from worlds.orders import Order
from worlds.physics import NONE, Flows, fair_rates
from worlds.planes import (
    CABLE,
    HOP,
    LATENCY,
    RATE,
    WAIT,
    ActiveBackup,
    Blocks,
    Branches,
    Buckets,
    Bundles,
    BusyTree,
    Chain,
    Chassis,
    ClosedAlongOne,
    DealtAddresses,
    DealtOut,
    Director,
    Dragonfly,
    DragonflyPlus,
    DragonflyPlusInRows,
    EdgePorts,
    Extenders,
    FatTree,
    FlattenedButterfly,
    Flowlets,
    Gateways,
    Gemini,
    HeldInterrupts,
    HostsOnCore,
    HyperCrossbar,
    HyperX,
    HyperXTables,
    Interfaces,
    JoinedCores,
    Kautz,
    LagCore,
    LagHostsOnCore,
    LagsToTwoSpines,
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
    PartlyAdaptive,
    PartOfDragonflyPlus,
    PcieSwitches,
    PolarFly,
    QueuePairs,
    RandomGraph,
    ReceiveQueues,
    SameSpineBack,
    ScatteredPorts,
    SeveralAddresses,
    SingleCables,
    Sites,
    SlimFly,
    Slingshot,
    SlingshotInRows,
    Sprayed,
    Stacked,
    Stacks,
    StorageTree,
    Supernodes,
    SwitchTorus,
    Tables,
    Threads,
    Tofu,
    Torus,
    TwistedTorus,
    TwoBuildings,
    TwoPorts,
    Zones,
)
from worlds.scoring import Case, is_about, is_found, score
from worlds.structures import (
    ALL,
    BESIDE,
    BUILDING,
    HELD_OUT,
    INSIDE_LATENCY,
    NVLINK_HOP,
    NVLINK_LATENCY,
    NVLINK_RATE,
    OTHER_RAIL,
    Structure,
)
from worlds.world import AT_ONCE, ONE_WAY, Visible, World

from everylink.judge.verdict import Scope, Verdict
from everylink.model.plan import PHASES, Phase, Plan
from everylink.model.results import Results
from everylink.model.rows import ORDER, Outcome
from everylink.simulate.results import confirmed

MIB = 1 << 20
Pairs = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def built(name: str, hosts: int = 16, seed: int = 1) -> Structure:
    return ALL[name](hosts, np.random.default_rng(seed))


def assert_detours(plane: DragonflyPlus, to: int, share: float, steps: int = 1000, within: float = 0.04) -> None:
    """That this share of the messages from host 0 to one of another group takes a further switch."""
    when = np.arange(steps)
    latency = plane.path(np.zeros_like(when), np.full_like(when, to), when)[1]
    detours = np.round((latency - LATENCY) / HOP) == 4
    assert np.allclose(latency[~detours], LATENCY + 3 * HOP)
    assert detours.mean() == pytest.approx(share, abs=within)


def times(world: World, pairs: list[tuple[int, int]], size: int = MIB) -> list[float]:
    """True seconds of pairs that run at the same time, from the first rank of each."""
    order = Order(np.zeros(len(pairs), np.int64), *np.array(pairs).T)
    return [float(time) for time in world.true_times(world.costs_of(order, 0), size)[0]]


def matrices(world: World, size: int = MIB) -> np.ndarray:
    """True seconds of the main run, [iteration, pair]."""
    return np.asarray(world.true_times(world.costs, size).reshape(2, world.iterations, -1).mean(axis=0))


def test_alone_a_message_takes_the_latency_and_its_bytes_by_the_narrowest_rate() -> None:
    world = World(Structure(4, OneSwitch(4), rate=RATE * np.array([[1.0], [2.0], [4.0], [4.0]])))
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    assert times(world, [(2, 3)], size=0) == pytest.approx([LATENCY])


@pytest.mark.parametrize("kernel", [ONE_WAY, AT_ONCE])
def test_two_flows_that_share_an_uplink_take_twice(kernel: str) -> None:
    world = World(Structure(8, FatTree(np.arange(8) // 4, 4, "static")), kernel=kernel)
    alone = LATENCY + 2 * HOP + MIB / RATE
    assert times(world, [(0, 4)]) == pytest.approx([alone])
    shared = max(max(times(World(world.structure, seed=seed, kernel=kernel), [(0, 4), (1, 5)])) for seed in range(8))
    assert shared == pytest.approx(LATENCY + 2 * HOP + 2 * MIB / RATE)
    assert times(world, [(0, 1), (2, 3)]) == pytest.approx([LATENCY + MIB / RATE] * 2)


def test_what_a_slow_flow_leaves_of_a_shared_way_goes_to_the_others() -> None:
    key = np.array([[0, 1], [0, NONE], [0, 2]])
    assert fair_rates(key, np.array([9.0, 1.0, 9.0]), np.full(3, 9.0)).tolist() == pytest.approx([1.0, 4.0, 4.0])


def test_rates_are_fair_no_way_carries_more_than_it_can_and_each_flow_has_a_full_way() -> None:
    random = np.random.default_rng(3)
    key = np.array([random.choice(12, 3, replace=False) for _ in range(60)])
    capacity, limit = random.uniform(1, 9, 12), random.uniform(0.1, 2, 60)
    rate = fair_rates(key, capacity, limit)
    load = np.bincount(key.ravel(), np.repeat(rate, 3), 12)
    assert (load <= capacity * (1 + 1e-6)).all()
    for flow in np.flatnonzero(rate < limit * (1 - 1e-6)):
        full = [way for way in key[flow] if load[way] > capacity[way] * (1 - 1e-6)]
        assert any(rate[flow] >= rate[(key == way).any(axis=1)].max() * (1 - 1e-6) for way in full)


def test_an_oversubscribed_tree_is_slow_only_while_others_send() -> None:
    structure = Structure(32, FatTree(np.arange(32) // 8, 2, "adaptive"))
    assert structure.oversubscription == 2
    world = World(structure)
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE])
    across = [(host, host + 8) for host in range(8)]
    assert np.mean([times(World(structure, seed=seed, kernel=ONE_WAY), across) for seed in range(4)]) > 1.1 * (
        MIB / RATE
    )


def test_rehashed_routes_change_from_step_to_step_and_static_ones_do_not() -> None:
    when = np.arange(20)
    frm, to = np.zeros(20, np.int64), np.full(20, 9)
    ways = {routes: FatTree(np.arange(16) // 8, 1, routes).path(frm, to, when)[0] for routes in ("static", "rehashed")}
    assert len(np.unique(ways["static"], axis=0)) == 1
    assert len(np.unique(ways["rehashed"], axis=0)) > 1


def test_messages_between_dragonfly_groups_have_two_latencies() -> None:
    when = np.arange(200)
    latency = Dragonfly(16, 4, 0.3).path(np.zeros(200, np.int64), np.full(200, 9), when)[1]
    assert len(np.unique(latency.round(9))) == 2


@pytest.mark.parametrize(("hosts", "switches", "cables"), [(32, 10, 3), (256, 50, 7)])
def test_any_two_switches_of_a_slim_fly_are_at_most_two_cables_apart(hosts: int, switches: int, cables: int) -> None:
    plane = SlimFly(hosts)
    joined = plane.cable != NONE
    assert joined.sum(axis=0).tolist() == joined.sum(axis=1).tolist() == [cables] * switches
    two = joined.astype(int) @ joined
    assert ((joined + two)[~np.eye(switches, dtype=bool)] == 1).all()  # one way of at most two cables, and no other
    frm, to = np.divmod(np.arange(hosts**2), hosts)
    ways, latency = plane.path(frm, to, np.zeros_like(frm))
    a, b = plane.group[frm], plane.group[to]
    away = np.where(a == b, 0, np.where(joined[a, b], 1, 2))
    assert (ways != NONE).sum(axis=1).tolist() == away.tolist()
    assert latency == pytest.approx(LATENCY + HOP * away)


def test_flows_that_share_a_cable_of_a_slim_fly_take_twice() -> None:
    world = World(built("Slim Fly", 16), kernel=ONE_WAY)
    assert world.structure.group.tolist() == [host // 2 for host in range(16)]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + HOP + MIB / RATE])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE])  # by switch 1
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + hops * HOP + 2 * MIB / RATE for hops in (1, 2)])


def test_two_islands_are_one_hop_apart_and_share_a_cable_for_three_hosts() -> None:
    structure = built("two islands, 3:1", 16)
    assert structure.oversubscription == 4  # 8 hosts, 2 cables
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 7)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + HOP + MIB / RATE])
    across = times(world, [(host, host + 8) for host in range(8)])
    assert sum(MIB / (time - LATENCY - HOP) for time in across) == pytest.approx(2 * RATE)


def test_adapters_of_different_rails_meet_at_the_spines_of_a_rail_optimized_cluster() -> None:
    world = World(built("rail-optimized", 16))  # 4 pods of 4 hosts, of 4 ranks
    spine = LATENCY + 2 * HOP
    pairs = {(0, 4): LATENCY, (0, 5): spine, (0, 16): spine, (0, 17): spine, (0, 1): INSIDE_LATENCY}
    for pair, latency in pairs.items():
        assert times(world, [pair], size=0) == pytest.approx([latency])
    assert times(world, [(0, 4), (1, 5), (2, 6), (3, 7)]) == pytest.approx([LATENCY + MIB / RATE] * 4)
    assert world.structure.oversubscription == 1


def test_flows_over_the_same_uplink_of_a_rail_collide_whichever_rail_they_go_to() -> None:
    world = World(built("rail-optimized", 16), kernel=ONE_WAY)
    slowest = {max(times(world, [(0, to), (4, to + 5)])) for to in range(16, 48)}
    assert sorted({round((time - LATENCY - 2 * HOP) * RATE / MIB) for time in slowest}) == [1, 2]


def test_two_adapters_of_a_host_are_on_two_switches_of_its_dragonfly_group() -> None:
    structure = built("dragonfly, 2 rails", 16)  # 8 groups of 2 hosts
    frm, to = np.zeros(4, np.int64), np.arange(2, 6)
    latency = np.array([structure.path(frm, to, np.full(4, when))[2] for when in range(200)]).round(9)
    apart = {0: LATENCY, 1: LATENCY + HOP, 2: LATENCY + 2 * HOP, 3: LATENCY + 3 * HOP}
    for pair, shortest in apart.items():
        detours = {shortest + 2.5 * HOP} if pair > 1 else set()
        assert sorted(set(latency[:, pair])) == pytest.approx(sorted({shortest} | detours))


def test_ranks_of_a_host_collide_where_both_of_their_flows_take_the_same_port() -> None:
    world = World(built("bonded ports", 8), kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / RATE])
    both = [times(world, [(0, to), (1, to + 2)]) for to in range(2, 14)]
    once, twice = LATENCY + MIB / RATE, LATENCY + 2 * MIB / RATE
    assert sorted({tuple(round(time, 9) for time in pair) for pair in both}) == [
        (round(once, 9),) * 2, (round(twice, 9),) * 2,
    ]  # fmt: skip
    assert both == [times(world, [(0, to), (1, to + 2)]) for to in range(2, 14)]


def test_bonded_ports_are_one_adapter_to_their_hosts() -> None:
    results = World(built("bonded ports", 8)).results
    assert set(results.ranks.device) == {"mlx5_bond_0 port 1"}
    assert set(results.ranks.adapters.tolist()) == {1}
    assert results.inventory.over_hosts("ib/mlx5_bond_0/1", "rate")[1] == ("100 Gb/sec (4X EDR)",) * 8


def test_virtual_machines_share_their_adapter_with_the_neighbour_but_not_for_messages_between_them() -> None:
    world = World(built("virtual machines", 8), kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 2)
    assert times(world, [(0, 2), (4, 3)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 2)
    assert times(world, [(0, 1), (2, 4)]) == pytest.approx([BESIDE + MIB / RATE, LATENCY + MIB / RATE])


@pytest.mark.parametrize("kind", ["host", "direction", "bandwidth only"])
def test_a_slow_virtual_machine_leaves_its_neighbour_alone(kind: str) -> None:
    healthy = World(built("virtual machines", 8), kernel=ONE_WAY)
    fault = planted(kind, healthy.structure, np.random.default_rng(5))
    world = World(healthy.structure, (fault,), kernel=ONE_WAY)
    links = [(a, b) for a in range(8) for b in range(8) if a != b]
    slower = {link for link in links if times(world, [link])[0] > 1.05 * times(healthy, [link])[0]}
    assert slower == expected_links(fault, 8)


def test_a_slow_machine_slows_both_of_its_hosts_except_to_each_other() -> None:
    healthy = World(built("virtual machines", 8), kernel=ONE_WAY)
    fault = planted("chassis", healthy.structure, np.random.default_rng(5))
    a, b = fault.hosts
    assert a // 2 == b // 2
    world = World(healthy.structure, (fault,), kernel=ONE_WAY)
    assert times(world, [(a, b)]) == times(healthy, [(a, b)])
    far = (a + 4) % 8
    for pair in ((a, far), (b, far), (far, a)):
        assert times(world, [pair]) == pytest.approx([LATENCY + fault.delay + MIB / (fault.rate * RATE)])


@pytest.mark.parametrize(("hosts", "count"), [(8, 4), (48, 6), (64, 8)])
def test_one_host_in_eight_and_at_least_four_are_service_hosts_that_say_their_rate(hosts: int, count: int) -> None:
    structure = built("service hosts in a tree", hosts)
    slow = np.flatnonzero(structure.rate[:, 0] < RATE)
    assert len(slow) == count
    fast = np.flatnonzero(structure.rate[:, 0] == RATE)[:2]
    to = [(int(fast[0]), int(host)) for host in (slow[0], fast[1])]
    took = [times(World(structure), [pair])[0] - times(World(structure), [pair], 0)[0] for pair in to]
    assert took == pytest.approx([4 * MIB / RATE, MIB / RATE])
    rates = World(structure, iterations=1).results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert [host for host in range(hosts) if rates[host] == "25 Gb/sec (1X EDR)"] == slow.tolist()
    assert set(rates) == {"25 Gb/sec (1X EDR)", "100 Gb/sec (4X EDR)"}


def test_cables_between_pods_are_longer_and_nothing_blocks_in_a_tree_of_three_levels() -> None:
    structure = built("three levels, noisy", 16)  # leaves of 2 hosts, pods of 4
    assert structure.hyperthreads == 0.02
    assert 0.005 < np.log(structure.rate / RATE).std() < 0.03
    pairs = {(0, 1): LATENCY, (0, 2): LATENCY + 2 * HOP, (0, 4): LATENCY + 4 * HOP + 4 * CABLE}
    for pair, latency in pairs.items():
        assert times(World(structure), [pair], 0) == pytest.approx([latency])
    across = [(host, host + 8) for host in range(8)]
    alone = [times(World(structure), [pair])[0] for pair in across]
    assert times(World(structure), across) == pytest.approx(alone, rel=0.05)


def test_messages_in_a_mesh_of_cores_go_along_rows_and_columns() -> None:
    world = World(built("mesh of cores", 32))  # 4 rows of 8
    for core, steps in {1: 1, 7: 7, 8: 1, 31: 10}.items():
        assert times(world, [(0, core)], 0) == pytest.approx([0.2e-6 + steps * 0.015e-6])


def test_each_leaf_has_uplinks_of_its_own_number() -> None:
    structure = built("unequal uplinks", 32)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [1, 1, 1, 4]
    world = World(structure, kernel=ONE_WAY)
    alone = LATENCY + 2 * HOP + MIB / RATE
    assert times(world, [(host, host + 8) for host in range(8)]) == pytest.approx([alone + 3 * MIB / RATE] * 8)
    assert times(world, [(24, 0), (25, 1), (26, 8), (27, 9), (28, 16), (29, 17)]) == pytest.approx([alone] * 6)


def test_messages_of_fragments_wait_for_other_jobs_in_some_stretches_of_steps() -> None:
    structure = built("fragments beside other jobs", 32)
    plane = structure.plane
    assert isinstance(plane, BusyTree)
    assert (np.diff(plane.group) < 0).any()
    left = plane.capacity / np.tile(plane.uplinks * RATE, 2)
    assert 0.4 <= left.min() < left.max() <= 0.8
    far = int(np.flatnonzero(plane.group != plane.group[0])[0])
    when = np.arange(800)
    waits = (plane.path(np.zeros_like(when), np.full(800, far), when)[1] - LATENCY - 2 * HOP) / WAIT
    assert set(waits.round(6)) == {0, 1, 2}
    assert waits.mean() == pytest.approx(0.5, abs=0.2)
    assert np.ptp(waits.reshape(100, 8), axis=1).max() < 1e-6


def test_hosts_of_a_drawer_have_wider_and_shorter_cables_than_others() -> None:
    world = World(built("drawers", 32), kernel=ONE_WAY)
    near, far = LATENCY - HOP + MIB / 24e9, LATENCY - HOP + 4 * CABLE + MIB / 5e9
    assert times(world, [(0, 7), (1, 8), (2, 9)]) == pytest.approx([near, far, far])


def test_lingering_routes_change_once_in_16_steps_and_not_all_at_once() -> None:
    plane = built("two planes, lingering routes", 32).plane
    when = np.arange(161)
    changes = []
    for to in range(8, 32):
        spine = plane.path(np.zeros_like(when), np.full_like(when, to), when)[0][:, 0]
        changes.append(np.flatnonzero(np.diff(spine)))
    assert all((np.diff(steps) % 16 == 0).all() for steps in changes)
    assert all(5 <= len(steps) <= 10 for steps in changes)
    assert len({int(steps[0]) % 16 for steps in changes}) > 4


def test_ranks_of_a_socket_share_its_adapter_and_nvlink() -> None:
    world = World(built("4 GPUs on 2 rails, 2:1", 16), kernel=ONE_WAY)  # racks of 4 hosts
    once, twice = (LATENCY + shared * MIB / RATE for shared in (1, 2))
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([twice] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([once] * 2)
    assert times(world, [(0, 6)], 0) == times(world, [(0, 16)], 0) == pytest.approx([LATENCY + 2 * HOP])
    inside = [INSIDE_LATENCY + MIB / 75e9, INSIDE_LATENCY + 0.4e-6 + MIB / 32e9]
    assert [times(world, [(0, to)])[0] for to in (1, 2)] == pytest.approx(inside)
    assert world.ranks.device[:4] == ("mlx5_0 port 1", "mlx5_0 port 1", "mlx5_1 port 1", "mlx5_1 port 1")


def test_dies_have_as_many_links_as_they_are_joined_by_and_share_adapters_in_pairs() -> None:
    world = World(built("8 dies on 4 rails", 32), kernel=ONE_WAY)
    assert (world.structure.hosts, world.structure.ranks) == (8, 64)
    for to, (steps, links) in {1: (1, 4), 6: (1, 2), 2: (1, 1), 4: (2, 1), 7: (2, 1), 5: (2, 1)}.items():
        assert times(world, [(0, to)]) == pytest.approx([0.4e-6 + steps * 0.12e-6 + MIB / (links * 50e9)])
    assert times(world, [(1, 9)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([LATENCY + 0.3e-6 + MIB / RATE, LATENCY + MIB / RATE])


def test_ranks_of_nested_sockets_are_in_turns_and_have_clocks_of_their_own() -> None:
    world = World(built("nested sockets", 32))
    for to, latency in {2: 0.16e-6, 8: 0.24e-6, 16: 0.27e-6, 1: 0.42e-6}.items():
        assert times(world, [(0, to)], 0) == pytest.approx([latency], rel=0.08)
    assert len({round(times(world, [(0, to)], 0)[0], 12) for to in range(1, 32, 2)}) > 8


def test_small_messages_by_ethernet_have_a_long_tail_and_four_hosts_fit_an_uplink() -> None:
    structure = built("Ethernet", 32)
    world = World(structure, noise=1e-3, kernel=ONE_WAY)
    far = LATENCY + 20e-6 + 2 * HOP + 4 * MIB / RATE
    assert times(world, [(host, host + 8) for host in range(4)]) == pytest.approx([far] * 4)
    small, large = (np.log(world.results.sizes[at].rows.median) for at in (0, -1))
    own = world.results.sizes[0].rows.frm // 8 == world.results.sizes[0].rows.to // 8
    assert np.std(small[own]) > 5 * np.std(large[own])
    assert np.ptp(small) > 5 * np.std(small)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"25 Gb/sec (1X EDR)"}


def test_messages_of_the_slower_processor_take_longer_and_receivers_have_their_uplink() -> None:
    world = World(built("two processors in a tree", 32), kernel=ONE_WAY)  # leaves of 8, 5 uplinks; the second is faster
    assert times(world, [(8, 9)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + 1.4e-6 + MIB / (0.8 * RATE)])
    far = LATENCY + 2 * HOP + 0.7e-6
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([far + MIB / (0.8 * RATE)] * 2)
    assert times(world, [(0, 8), (1, 13)]) == pytest.approx([far + 2 * MIB / RATE] * 2)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_hosts_of_an_nvlink_rack_need_their_adapters_only_for_other_racks() -> None:
    healthy = World(built("NVLink racks", 32), kernel=ONE_WAY)  # racks of 8 hosts, of 2 ranks
    near, far = NVLINK_LATENCY + MIB / NVLINK_RATE, LATENCY + 2 * HOP + MIB / (4 * RATE)
    pairs = [(0, 1), (0, 15), (0, 16)]
    assert [times(healthy, [pair])[0] for pair in pairs] == pytest.approx([near, near, far])
    for kind, slower in (("host", [False, True, True]), ("adapter", [False, False, True])):
        fault = planted(kind, healthy.structure, np.random.default_rng(5))
        rank = 2 * fault.hosts[0] + (fault.parts[0][-1] == "1" if kind == "adapter" else 0)
        world = World(healthy.structure, (fault,), kernel=ONE_WAY)
        own = [(rank, rank ^ 1), (rank, (rank ^ 2)), (rank, (rank + 32) % 64)]
        assert [times(world, [pair]) > times(healthy, [pair]) for pair in own] == slower


def test_bonded_ports_on_a_pair_of_leaves_are_both_reached_from_other_pairs_but_not_within() -> None:
    structure = built("leaf pairs with MLAG", 32)  # racks of 8 hosts, of 2 ranks; 1 uplink for 8 ports
    assert structure.group.tolist() == [host // 8 for host in range(32)]
    assert structure.oversubscription == 2
    frm, to = np.zeros(62, np.int64), np.arange(2, 64)
    ways = structure.path(frm, to, np.zeros_like(frm))[0]
    sent, received = ways[:, 0] % 2, (ways[:, 1] - structure.adapters) % 2
    near = to < 16
    assert (sent == received)[near].all()
    assert {(int(a), int(b)) for a, b in zip(sent[~near], received[~near], strict=True)} == {
        (a, b) for a in (0, 1) for b in (0, 1)
    }
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 4 * MIB / RATE])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + 4 * MIB / RATE])
    assert set(world.results.inventory.over_hosts("ib/mlx5_bond_0/1", "rate")[1]) == {"25 Gb/sec (1X EDR)"}


def test_messages_to_another_rail_cross_within_their_own_host_where_rails_do_not_meet() -> None:
    world = World(built("rail-only", 32), kernel=ONE_WAY)  # 8 hosts of 8 ranks, leaves of 2
    pairs = {
        (0, 1): NVLINK_LATENCY, (0, 8): LATENCY, (0, 9): LATENCY + NVLINK_LATENCY, (0, 16): LATENCY + 2 * HOP,
        (3, 22): LATENCY + 2 * HOP + NVLINK_LATENCY,
    }  # fmt: skip
    for pair, latency in pairs.items():
        assert times(world, [pair], 0) == pytest.approx([latency])
    both = times(world, [(0, 11), (3, 19)])  # both leave by rail 3
    assert both == pytest.approx([LATENCY + longer + MIB / (2 * RATE) for longer in (NVLINK_LATENCY, 2 * HOP)])
    ways = world.structure.path(np.array([0, 11]), np.array([11, 0]), np.zeros(2, np.int64))[0]
    assert ways[:, :2].tolist() == [[3, 64 + 8 + 3], [8, 64]]


def test_zones_have_a_latency_for_each_two_of_them_and_hosts_are_in_turns() -> None:
    structure = built("availability zones", 32)
    assert isinstance(structure.plane, Zones)
    assert structure.group.tolist() == [host % 3 for host in range(32)]
    latency = structure.plane.latency
    assert latency.tolist() == latency.T.tolist()
    a, b = np.triu_indices(32, 1)
    ends = np.sort([a % 3, b % 3], axis=0)
    for one, other in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        of = np.log(latency[a, b][(ends[0] == one) & (ends[1] == other)])
        assert of.std() == pytest.approx(0.05 if one == other else 0.01, rel=0.35)
        usual = np.exp(of.mean())
        assert usual == pytest.approx(60e-6, rel=0.03) if one == other else 240e-6 < usual < 720e-6
    took = times(World(structure), [(0, 3)])[0] - times(World(structure), [(0, 3)], 0)[0]
    assert took == pytest.approx(4 * MIB / RATE)
    assert not possible("chassis", structure)
    assert possible("trunk", structure)


def test_routers_of_a_chassis_are_one_hop_apart_and_so_are_those_of_the_same_slot() -> None:
    structure = built("chassis in a dragonfly", 64)  # 4 groups of 2 chassis of 4 routers of 2 hosts
    assert isinstance(structure.plane, Chassis)
    assert (structure.plane.groups, structure.plane.routers) == (4, 8)
    when = np.arange(300)
    for to, apart in {1: 0, 2: 1, 7: 1, 8: 1, 10: 2}.items():
        latency = structure.path(np.zeros_like(when), np.full_like(when, to), when)[2]
        assert latency == pytest.approx(LATENCY + apart * HOP)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 10), when)[0]
    assert len(np.unique(ways, axis=0)) == 2  # along the own chassis or along the other one
    ways, _, latency = structure.path(np.zeros_like(when), np.full_like(when, 16), when)
    detour = ways[:, 5] != NONE
    assert detour.mean() == pytest.approx(0.3 / 2, abs=0.06)  # half of the third groups are none
    between = ((latency - LATENCY) / HOP).round(6)
    assert set(between[~detour]) == {1, 2, 3, 4, 5}
    assert set(between[detour]) <= {3, 4, 5, 6, 7}
    world = World(built("chassis in a dragonfly", 32), kernel=ONE_WAY)
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + HOP + 2 * MIB / RATE] * 2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("hosts", "switches"), [(8, 4), (32, 8), (64, 16)])
def test_switches_of_a_random_graph_have_three_cables_and_messages_go_a_shortest_way(
    hosts: int, switches: int, seed: int
) -> None:
    plane = built("random graph", hosts, seed).plane
    assert isinstance(plane, RandomGraph)
    assert len(plane.joined) == switches
    assert (plane.joined == plane.joined.T).all()
    cables = plane.joined.sum(axis=1)
    assert cables.max() <= 3
    assert cables.sum() >= 3 * switches - 2
    steps, reached = np.full(plane.joined.shape, -1), np.eye(switches, dtype=bool)
    for count in range(switches):
        steps[reached & (steps < 0)] = count
        reached = reached | (reached.astype(int) @ plane.joined > 0)
    assert ((plane.route != NONE).sum(axis=2) == steps).all()


def test_flows_between_blocks_change_their_way_now_and_then_and_have_a_cable_of_the_slower_block() -> None:
    structure = built("blocks of two generations", 16)  # 4 blocks of 4 hosts, 2 cables from each to each
    plane = structure.plane
    assert isinstance(plane, Blocks)
    assert (plane.groups, plane.each) == (4, 2)
    rates = World(structure, iterations=1).results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("100 Gb/sec (4X EDR)",) * 8 + ("200 Gb/sec (4X HDR)",) * 8
    when = np.arange(1600)
    latency = plane.path(np.zeros_like(when), np.full_like(when, 12), when)[1]
    detour = latency > LATENCY + 3 * HOP
    assert set((latency / HOP - LATENCY / HOP).round(6)) == {2, 4}
    assert detour.mean() == pytest.approx(0.4 / 2, abs=0.12)  # half of the third blocks are none
    assert set(np.flatnonzero(np.diff(detour)) % 16) == {int(np.flatnonzero(np.diff(detour))[0]) % 16}
    width = {(0, 1): 1, (0, 2): 1, (2, 3): 2}
    for (one, other), factor in width.items():
        assert plane.capacity[plane.cables(one, other)] == pytest.approx([factor * RATE] * 2)


def test_modules_reach_each_other_by_gateways_that_send_messages_again() -> None:
    structure = built("modules with gateways", 32)  # 4 leaves of 8 hosts, 4 gateways
    plane = structure.plane
    assert isinstance(plane, Gateways)
    assert plane.module.tolist() == [0] * 16 + [1] * 16
    world = World(structure, kernel=ONE_WAY)
    leaf = LATENCY + 2 * HOP
    for pair, latency in {(0, 1): LATENCY, (0, 8): leaf, (16, 24): leaf + 1.4e-6, (0, 16): 2 * leaf + 0.7e-6}.items():
        assert times(world, [pair], 0) == pytest.approx([latency])
    assert times(world, [(0, 8)])[0] == pytest.approx(leaf + MIB / RATE)
    across = [(host, host + 16) for host in range(16)]
    sent = sum(MIB / (time - 2 * leaf - 0.7e-6) for time in times(world, across))
    assert RATE < sent <= 4 * RATE * (1 + 1e-9)
    there, back = plane.path(np.array([0, 16]), np.array([16, 0]), np.zeros(2, np.int64))[0][:, -1].tolist()
    assert there % 2 != back % 2  # the two sides of gateways


def test_the_adapter_is_further_from_other_numa_nodes_and_still_further_from_those_of_the_other_socket() -> None:
    world = World(built("8 NUMA nodes", 32), kernel=ONE_WAY)  # 8 hosts of 8 ranks, leaves of 2
    for rank, (longer, rate) in {0: (0.0, 1.0), 1: (0.06e-6, 1.0), 3: (0.06e-6, 1.0), 4: (0.3e-6, 0.9)}.items():
        assert times(world, [(rank, 8)]) == pytest.approx([LATENCY + longer + MIB / (rate * RATE)])
    inside = {1: INSIDE_LATENCY + 0.05e-6 + MIB / 12e9, 4: INSIDE_LATENCY + 0.3e-6 + MIB / 8e9}
    for rank, took in inside.items():
        assert times(world, [(0, rank)]) == pytest.approx([took])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([LATENCY + at + 2 * MIB / RATE for at in (0, 0.12e-6)])
    assert world.ranks.numa[:8].tolist() == [0] * 4 + [1] * 4
    assert world.ranks.numa_distance[:8].tolist() == [10] * 4 + [20] * 4


def test_receivers_have_an_uplink_at_both_levels_of_cells_and_both_are_two_to_one() -> None:
    structure = built("cells, 2:1 twice by receiver", 64)  # leaves of 4 hosts with 2 uplinks, 4 leaves to a cell with 4
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert set(plane.lower.uplinks.tolist()) == {2}
    assert plane.upper.uplinks.tolist() == [4] * 4
    world = World(structure, kernel=ONE_WAY)  # 2 ranks in each host
    for to, hops in {2: 0, 8: 2, 32: 4}.items():
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + hops * HOP + MIB / RATE])
    near, far = LATENCY + 2 * HOP, LATENCY + 4 * HOP
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + MIB / RATE] * 2)
    assert times(world, [(0, 8), (2, 12)]) == pytest.approx([near + 2 * MIB / RATE] * 2)  # to hosts 4 and 6
    assert times(world, [(0, 32), (8, 44)]) == pytest.approx([far + MIB / RATE] * 2)  # to hosts 16 and 22
    assert times(world, [(0, 32), (8, 40)]) == pytest.approx([far + 2 * MIB / RATE] * 2)  # to hosts 16 and 20
    frm, to_host = (numbers.ravel() for numbers in np.indices((64, 64)))
    ways = plane.path(frm, to_host, np.zeros_like(frm))[0]
    apart = frm // 16 != to_host // 16
    for hop, lower in ((2, 0), (3, 1)):  # from the switch that the leaf's uplink leads to
        up = ways[apart, hop] - len(plane.lower.capacity)
        assert (up % 2 == ways[apart, lower] % 2).all()


def test_of_more_messages_between_two_groups_than_cables_the_others_take_a_third_group() -> None:
    structure = built("small job in a dragonfly", 64)  # groups of 4, 6, 10, 4, 6, 2 hosts, 5 cables between two
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert plane.each == 5
    assert structure.single.tolist() == [False] * 24 + [True] * 8
    world = World(structure, kernel=ONE_WAY)
    few, many = (np.arange(count) for count in (5, 16))
    for when in range(20):
        ways, _, latency = structure.path(few, few + 16, np.full(5, when))
        assert len(set(ways[:, 2].tolist())) == 5
        assert (ways[:, 3] == NONE).all()
        ways, _, latency = structure.path(many, many + 16, np.full(16, when))
        detours = ways[:, 3] != NONE
        assert 6 <= detours.sum() <= 11
        hops = ((latency - LATENCY - 4 * CABLE) / HOP).round(6)
        assert set(hops) <= {1, 2, 3, 4, 5}
        assert hops[~detours].max() <= 3 <= hops[detours].min()
    detoured = [structure.path(many, many + 16, np.full(16, when))[0][0, 3] != NONE for when in range(40)]
    assert 0.4 < np.mean(detoured) < 0.9
    inside = {1: INSIDE_LATENCY, 4: LATENCY, 5: LATENCY + HOP}
    for to, took in inside.items():
        assert times(world, [(0, to)], 0) == pytest.approx([took])
    four = times(world, [(rank, rank + 8) for rank in (104, 105, 106, 107)])  # hosts with one adapter
    assert four == pytest.approx([LATENCY + HOP + 2 * MIB / RATE] * 4)
    assert set(World(structure, iterations=1).ranks.adapters[95:97].tolist()) == {1, 4}


def test_a_trunk_of_a_small_job_is_its_cables_and_a_slow_rail_belongs_to_hosts_with_several() -> None:
    structure = built("small job in a dragonfly", 32)
    for seed in range(8):
        trunk, rail = (planted(kind, structure, np.random.default_rng(seed)) for kind in ("trunk", "rail"))
        assert isinstance(structure.plane, Slingshot)
        assert len(trunk.ways) == 2 * structure.plane.each
        assert not structure.single[list(rail.hosts)].any()
        world, healthy = (World(structure, faults, kernel=ONE_WAY) for faults in ((trunk,), ()))
        a, b = (4 * host for host in (trunk.hosts[0], trunk.hosts[-1]))
        assert times(world, [(a, b)])[0] > 1.15 * times(healthy, [(a, b)])[0]
        others = [4 * host for host in range(structure.hosts) if structure.group[host] not in structure.group[[a // 4]]]
        third = next(host for host in others if structure.group[host // 4] != structure.group[b // 4])
        assert times(world, [(a, third)]) == times(healthy, [(a, third)])


def test_packets_are_spread_over_all_cables_and_machines_are_in_no_order() -> None:
    structure = built("sprayed packets", 64)  # 16 machines of 8 ranks, 4 switches in 2 trees
    plane = structure.plane
    assert isinstance(plane, Sprayed)
    assert (np.diff(structure.group) < 0).any()
    assert not possible("chassis", structure)
    world = World(structure, kernel=ONE_WAY)
    group = structure.group
    for host in range(1, 16):
        apart = int(group[host] != group[0]) + int(group[host] // 2 != group[0] // 2)
        longer = {0: 0.0, 1: 2 * HOP, 2: 4 * HOP + 1e-6}[apart]
        assert times(world, [(0, 8 * host + 6)]) == pytest.approx([LATENCY + 12e-6 + longer + MIB / RATE])
    assert times(world, [(0, 8), (1, 16)]) == pytest.approx(
        [time + MIB / RATE for pair in ((0, 8), (1, 16)) for time in times(world, [pair])]
    )
    to = np.random.default_rng(1).permutation(64)
    pairs = [(2 * rank, 2 * int(to[rank])) for rank in range(64) if rank // 4 != to[rank] // 4]
    assert times(world, pairs) == pytest.approx([times(world, [pair])[0] for pair in pairs])


def test_routers_have_two_hosts_and_cables_of_the_second_dimension_are_narrower_than_adapters() -> None:
    structure = built("torus of routers", 64)  # 4 x 4 x 2 routers
    plane = structure.plane
    assert isinstance(plane, Gemini)
    assert plane.joined.sum(axis=1).tolist() == [5] * 32
    world = World(structure, kernel=ONE_WAY)
    router = np.arange(32).reshape(4, 4, 2)
    for (x, y, z), hops in {(1, 0, 0): 1, (0, 1, 0): 1, (0, 0, 1): 1, (2, 0, 1): 3, (3, 3, 1): 3, (2, 2, 0): 4}.items():
        narrow = 0.75 if y else 1.0
        took = LATENCY + hops * HOP + MIB / (narrow * RATE)
        assert times(world, [(0, 2 * int(router[x, y, z]))]) == pytest.approx([took])
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + MIB / RATE])
    along = [2 * int(router[at]) for at in ((1, 0, 0), (0, 1, 0))]
    both = [times(world, [(0, to), (1, to + 1)])[0] - LATENCY - HOP for to in along]
    assert both == pytest.approx([2 * MIB / (1.5 * RATE), 2 * MIB / (0.75 * RATE)])
    one, other = router[0, 0, 0], router[1, 1, 1]
    first = plane.route[[one, other], [other, one], 0]  # along the first dimension, there and back
    assert first.tolist() == [plane.cable[one, router[1, 0, 0]], plane.cable[other, router[0, 1, 1]]]


def test_with_the_same_hash_at_both_levels_half_of_the_cables_between_pods_are_idle() -> None:
    structure = built("polarized hashes", 64)  # leaves of 8 hosts, pods of 16; the middle has 8 switches with 2 uplinks
    plane = structure.plane
    assert isinstance(plane, Stacked)
    frm, to = (numbers.ravel() for numbers in np.indices((64, 64)))
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    apart, first = frm // 16 != to // 16, len(plane.lower.capacity)
    up = ways[apart, 2] - first
    assert len(np.unique(up)) == 4 * 8
    assert len(np.unique(ways[apart, 0])) == 8 * 8
    assert (up % 8 == ways[apart, 0] % 8).all()  # the switch of the middle
    assert {(int(way) % 8 % 2, int(way) % 16 // 8) for way in up} == {(0, 0), (1, 1)}
    world = World(structure, kernel=ONE_WAY)
    for to_host, hops in {1: 0, 8: 2, 16: 4}.items():
        assert times(world, [(0, to_host)]) == pytest.approx([LATENCY + hops * HOP + MIB / (2 * RATE)])


def test_messages_that_leave_a_leaf_together_are_spread_evenly_over_its_three_uplinks() -> None:
    structure = built("flowlets of virtual machines", 32)  # leaves of 8 virtual hosts, two to a machine
    plane = structure.plane
    assert isinstance(plane, Flowlets)
    assert all(
        set(built("flowlets of virtual machines", hosts).plane.uplinks.tolist()) == {3}  # type: ignore[attr-defined]
        for hosts in range(8, 257, 8)
    )
    frm = np.arange(8)
    up = np.array([plane.path(frm, frm + 8 * (1 + step % 3), np.full(8, step))[0][:, 0] for step in range(60)])
    assert {tuple(sorted(np.bincount(one, minlength=3))) for one in up} == {(2, 3, 3)}
    assert all(set(column.tolist()) == {0, 1, 2} for column in up.T)
    assert np.mean(up[:, 0] == up[:, 3]) == pytest.approx(0.25, abs=0.2)  # no two always meet
    world = World(structure, kernel=ONE_WAY)
    far = LATENCY + 4e-6 + 2 * HOP
    assert times(world, [(0, 8)]) == pytest.approx([far + MIB / RATE])
    assert times(world, [(0, 8), (2, 16), (4, 24)]) == pytest.approx([far + MIB / RATE] * 3)
    assert times(world, [(0, 8), (1, 16)]) == pytest.approx([far + 2 * MIB / RATE] * 2)  # one adapter
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 4e-6 + MIB / RATE])


def test_each_leaf_has_an_uplink_for_each_receiver_and_changes_it_now_and_then() -> None:
    structure = built("tables that change, 32:15", 64)  # leaves of 16 hosts with 7 uplinks
    plane = structure.plane
    assert isinstance(plane, Tables)
    assert plane.uplinks.tolist() == [7] * 4
    when = np.arange(320)
    own, beside = (plane.path(np.full(320, host), np.full(320, 20), when)[0][:, 0] for host in (0, 15))
    other, more = (plane.path(np.full(320, frm), np.full(320, to), when)[0][:, 0] for frm, to in ((0, 21), (40, 20)))
    assert own.tolist() == beside.tolist()
    assert all((own % 7 != way % 7).any() for way in (other, more))
    changes = np.flatnonzero(np.diff(own))
    assert 10 <= len(changes) <= 20
    assert (np.diff(changes) % 16 == 0).all()
    world = World(structure, noise=1e-4)
    near, far = (times(world, [pair])[0] for pair in ((0, 2), (1, 3)))
    assert (near, far) == pytest.approx((LATENCY + MIB / RATE, LATENCY + 0.4e-6 + MIB / (0.9 * RATE)))
    rows = world.results.sizes[-1].rows
    longer = np.log(rows.median / world.true_times(world.costs, MIB).ravel())
    assert np.polyfit(rows.step / rows.step.max(), longer, 1)[0] == pytest.approx(0.05, rel=0.05)


def test_rails_meet_only_at_core_switches_even_within_a_pod() -> None:
    structure = built("rails that meet at the core", 64)  # 16 hosts of 8 ranks, pods of 4, 5 uplinks to the core
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert plane.upper.uplinks.tolist() == [5] * 8
    world = World(structure, kernel=ONE_WAY)
    pairs = {(0, 1): NVLINK_LATENCY, (0, 8): LATENCY, (0, 32): LATENCY + 2 * HOP, (0, 9): LATENCY + 4 * HOP}
    for pair, latency in {**pairs, (0, 33): LATENCY + 4 * HOP}.items():
        assert times(world, [pair], 0) == pytest.approx([latency])
    assert times(world, [(0, 33)])[0] == pytest.approx(LATENCY + 4 * HOP + MIB / (4 * RATE))
    across = times(world, [(8 * host, 8 * ((host + 5) % 16) + 1) for host in range(16)])
    assert sum(MIB / (time - LATENCY - 4 * HOP) for time in across) <= 5 * 4 * RATE * (1 + 1e-9)


def test_leaves_of_three_years_have_uplinks_of_their_own_speed_and_receivers_have_one_up_and_one_down() -> None:
    structure = built("three generations on one core", 64)  # 4 leaves of 16 hosts; two of the first year
    plane = structure.plane
    assert isinstance(plane, OneCore)
    assert plane.uplinks.tolist() == [8, 8, 8, 4]
    widths = [plane.capacity[plane.uplinks_of(leaf)] / RATE for leaf in range(4)]
    assert [set(width.ravel().round(6)) for width in widths] == [{0.545}, {0.545}, {1}, {2}]
    world = World(structure, kernel=ONE_WAY)  # two ranks in each host
    assert times(world, [(64, 66)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 2 * HOP + 0.15e-6 + MIB / (0.545 * RATE)])
    assert times(world, [(65, 67)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / (0.95 * RATE)])
    far = LATENCY + 2 * HOP
    two = times(world, [(64, 96), (66, 104)])  # to hosts 48 and 52: two cables up, the same one of 200 Gbit/s down
    assert two == pytest.approx([far + MIB / RATE] * 2)
    assert times(world, [(96, 64), (98, 80)]) == pytest.approx([far + 2 * MIB / RATE] * 2)  # to hosts 32 and 40
    assert times(world, [(64, 96), (66, 112)]) == pytest.approx([far + 2 * MIB / RATE] * 2)  # to hosts 48 and 56
    rates = World(structure, iterations=1).results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("56 Gb/sec (4X FDR)",) * 32 + ("100 Gb/sec (4X EDR)",) * 32
    assert not possible("trunk", structure)


def test_two_rooms_are_joined_by_a_cable_for_eight_hosts_between_their_cores() -> None:
    structure = built("two cores in two rooms", 64)  # 4 leaves of 16 hosts, 8 cables
    plane = structure.plane
    assert isinstance(plane, JoinedCores)
    assert plane.part.tolist() == [0] * 32 + [1] * 32
    world = World(structure, kernel=ONE_WAY)
    pairs = {(0, 1): (0, 1), (0, 16): (2, 1), (32, 33): (0, 2), (32, 48): (2, 2), (0, 32): (3, 1), (48, 16): (3, 1)}
    for (a, b), (hops, speed) in pairs.items():
        longer = 0.75e-6 if hops == 3 else 0.0
        assert times(world, [(a, b)]) == pytest.approx([LATENCY + hops * HOP + longer + MIB / (speed * RATE)])
    across = LATENCY + 3 * HOP + 0.75e-6
    assert times(world, [(32, 0), (48, 8)]) == pytest.approx([across + 2 * MIB / RATE] * 2)  # the same cable
    assert times(world, [(32, 0), (48, 1)]) == pytest.approx([across + MIB / RATE] * 2)
    every = times(world, [(host, (host + 32) % 64) for host in range(64)])
    assert every == pytest.approx([across + 4 * MIB / RATE] * 64)  # 32 hosts to 8 cables, both ways at once


def test_switches_in_branches_have_one_way_to_each_other_and_share_it() -> None:
    structure = built("switches in branches", 32)  # 4 switches of 8 hosts
    plane = structure.plane
    assert isinstance(plane, Branches)
    assert plane.joined.sum(axis=1).tolist() == [2, 2, 1, 1]
    world = World(structure, kernel=ONE_WAY)
    for to, hops in {1: 0, 8: 1, 16: 1, 24: 2}.items():
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + 20e-6 + hops * 1e-6 + 10 * MIB / RATE])
    assert times(world, [(16, 24)], 0) == pytest.approx([LATENCY + 20e-6 + 3e-6])
    eight = times(world, [(host, host + 8) for host in range(8)])  # 80 Gbit/s over 40
    assert eight == pytest.approx([LATENCY + 21e-6 + 20 * MIB / RATE] * 8)
    both = [(host, host + 8) for host in range(4)] + [(host + 16, host + 24) for host in range(4)]
    assert times(world, both)[0] == pytest.approx(LATENCY + 21e-6 + 20 * MIB / RATE)  # by the same cable
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"10 Gb/sec (1X QDR)"}


def test_a_trunk_of_branches_is_the_cable_before_the_switch_that_has_another_one_behind_it() -> None:
    structure = built("switches in branches", 32)
    healthy = World(structure, kernel=ONE_WAY)
    for seed in range(3):
        fault = planted("trunk", structure, np.random.default_rng(seed))
        assert sorted(fault.hosts) == list(range(16))
        near, far = ([host for host in range(32) if host // 8 in side] for side in ((0, 2), (1, 3)))
        assert slower_links(healthy, fault) == {
            link for a in near for b in far for link in ((a, b), (b, a))
        }  # fmt: skip
        assert len(fault.between) == 4


def test_hosts_that_use_different_switches_share_the_cables_between_these_and_do_not_say_so() -> None:
    structure = built("active-backup bonds", 32)
    plane = structure.plane
    assert isinstance(plane, ActiveBackup)
    assert plane.port.sum() == 8
    assert not structure.group.any()
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk", "rail", "adapter"))
    one, other = (np.flatnonzero(plane.port == port)[:8] for port in (0, 1))
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(int(one[0]), int(one[1]))]) == pytest.approx([LATENCY + 4 * MIB / RATE])
    assert times(world, [(int(one[0]), int(other[0]))]) == pytest.approx([LATENCY + HOP + 4 * MIB / RATE])
    cable = plane.path(one, other, np.zeros(8, np.int64))[0][:, 0]
    shared = np.maximum(4.0, np.bincount(cable)[cable])  # of the 25 Gbit/s of an adapter, 4 fit a cable
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    assert times(world, pairs) == pytest.approx((LATENCY + HOP + shared * MIB / RATE).tolist())
    back = plane.path(other, one, np.zeros(8, np.int64))[0][:, 0]
    assert (cable % 2 == 0).all()
    assert (back % 2 == 1).all()
    assert set(world.results.ranks.device) == {"mlx5_bond_0 port 1"}


def test_gpus_of_the_other_pcie_switch_go_by_the_processor_and_four_share_an_adapter() -> None:
    structure = built("GPUs on PCIe switches", 64)  # 16 hosts of 8 ranks, racks of 4 with 4 uplinks
    plane = structure.plane
    assert isinstance(plane, OneCore)
    assert plane.uplinks.tolist() == [4] * 4
    assert (structure.groups[:, 0] == structure.groups[:, 1]).all()
    assert not possible("rail", structure)
    assert not possible("rail plane", structure)
    assert possible("adapter", structure)
    world = World(structure, kernel=ONE_WAY)
    for rank, (longer, rate) in {0: (0.0, 1.0), 1: (0.0, 1.0), 3: (0.5e-6, 0.75), 4: (0.0, 1.0)}.items():
        assert times(world, [(rank, 8)]) == pytest.approx([LATENCY + longer + MIB / (rate * 2 * RATE)])
    for to, (latency, rate) in {1: (1.2e-6, 24e9), 2: (1.7e-6, 19e9), 4: (2.3e-6, 12e9)}.items():
        assert times(world, [(0, to)]) == pytest.approx([latency + MIB / rate])
    four = times(world, [(rank, rank + 8) for rank in range(4)])
    assert four == pytest.approx([LATENCY + at + 4 * MIB / (2 * RATE) for at in (0, 0, 1e-6, 1e-6)])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([LATENCY + MIB / (2 * RATE)] * 2)
    assert times(world, [(0, 32)], 0) == pytest.approx([LATENCY + 2 * HOP])
    fault = planted("leaf", structure, np.random.default_rng(1))
    assert len(fault.ways) == 4 * 2


def test_of_twelve_tiles_some_share_an_adapter_and_some_have_one_of_their_own() -> None:
    structure = built("12 tiles on 8 adapters", 64)  # 16 hosts
    assert structure.ranks == 16 * 12
    rails = structure.rail_of(np.arange(12))
    assert rails.tolist() == [0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7]
    world = World(structure, kernel=ONE_WAY)
    near = times(world, [(0, 12), (1, 13), (2, 14)])
    assert near == pytest.approx([LATENCY + MIB / RATE] * 2 + [LATENCY + MIB / (2 * RATE)])
    for to, (latency, rate) in {1: (0.8e-6, 190e9), 2: (1.5e-6, 15e9), 11: (1.5e-6, 15e9)}.items():
        assert times(world, [(0, to)]) == pytest.approx([latency + MIB / rate])
    assert times(world, [(0, 14)], 0) == pytest.approx([LATENCY + HOP])  # another adapter is on another switch


def test_accelerators_of_a_host_have_one_port_to_each_other_and_three_to_the_switch() -> None:
    structure = built("accelerators with Ethernet ports", 64)  # 16 hosts of 8 ranks
    world = World(structure, kernel=ONE_WAY)
    inside, outside = times(world, [(0, 1)])[0], times(world, [(0, 9)])[0]
    assert inside == pytest.approx(1.2e-6 + MIB / RATE)
    assert outside == pytest.approx(LATENCY + 3e-6 + MIB / (3 * RATE))
    assert outside < inside
    to = np.random.default_rng(1).permutation(128)
    pairs = [(rank, int(to[rank])) for rank in range(128) if rank // 8 != to[rank] // 8]
    assert times(world, pairs) == pytest.approx([outside] * len(pairs))
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk", "rail", "rail plane"))


def test_a_twisted_torus_goes_half_way_along_the_longer_sides_where_it_closes() -> None:
    plane = built("twisted torus", 32).plane
    assert isinstance(plane, TwistedTorus)
    at = np.arange(32).reshape(2, 2, 8)
    neighbours = {int(host) for host in np.flatnonzero(plane.joined[at[0, 0, 0]])}
    assert neighbours == {
        int(at[place]) for place in ((1, 0, 0), (1, 0, 4), (0, 1, 0), (0, 1, 4), (0, 0, 1), (0, 0, 7))
    }
    larger = built("twisted torus", 64).plane
    assert isinstance(larger, TwistedTorus)
    at = np.arange(64).reshape(2, 4, 8)
    neighbours = {int(host) for host in np.flatnonzero(larger.joined[at[0, 0, 0]])}
    assert neighbours == {
        int(at[place]) for place in ((1, 0, 0), (1, 2, 4), (0, 1, 0), (0, 3, 0), (0, 0, 1), (0, 0, 7))
    }
    for twisted in (plane, larger):
        hosts = len(twisted.joined)
        assert (twisted.joined == twisted.joined.T).all()
        assert twisted.joined.sum(axis=1).tolist() == [6] * hosts
        reached, steps = np.eye(hosts, dtype=bool), np.zeros((hosts, hosts), np.int64)
        while not reached.all():
            steps += ~reached
            reached = reached | (reached.astype(int) @ twisted.joined > 0)
        assert ((twisted.route != NONE).sum(axis=2) == steps).all()
    assert int((plane.route != NONE).sum(axis=2).max()) == 4  # 6 without the twist
    world = World(built("twisted torus", 32), kernel=ONE_WAY)
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + HOP + MIB / 200e9])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + HOP + MIB / 100e9])
    assert times(world, [(0, 2), (1, 3)])[0] == pytest.approx(LATENCY + 2 * HOP + 2 * MIB / 200e9)
    assert not any(possible(kind, world.structure) for kind in ("leaf", "uplink", "trunk"))


def test_extenders_send_all_by_the_uplink_of_a_host_also_to_their_own_hosts() -> None:
    structure = built("fabric extenders", 64)  # 4 of 16 hosts, with 8 uplinks
    plane = structure.plane
    assert isinstance(plane, Extenders)
    assert plane.uplinks.tolist() == [8] * 4
    assert plane.pin.tolist() == [host // 2 % 8 for host in range(64)]
    world = World(structure, kernel=ONE_WAY)
    latency = LATENCY + 2e-6
    for to in (1, 4, 63):
        assert times(world, [(0, to)]) == pytest.approx([latency + 10 * MIB / RATE])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([latency + 20 * MIB / RATE] * 2)  # up by the same one
    assert times(world, [(4, 0), (16, 1)]) == pytest.approx([latency + 20 * MIB / RATE] * 2)  # down by the same one
    assert times(world, [(0, 1), (4, 5)]) == pytest.approx([latency + 10 * MIB / RATE] * 2)
    every = times(world, [(host, (host + 16) % 64) for host in range(64)])
    assert every == pytest.approx([latency + 20 * MIB / RATE] * 64)
    assert not possible("trunk", structure)
    assert planted("leaf", built("fabric extenders", 8), np.random.default_rng(1)).between == ()


def test_an_uplink_of_an_extender_is_slow_for_the_hosts_that_are_dealt_out_to_it() -> None:
    healthy = World(built("fabric extenders", 32), kernel=ONE_WAY)  # 4 of 8 hosts, with 4 uplinks
    fault = planted("uplink", healthy.structure, np.random.default_rng(1))
    own = set(fault.hosts)
    assert len(own) == 2
    every = {(a, b) for a in range(32) for b in range(32) if a != b}
    assert slower_links(healthy, fault) == {link for link in every if own & set(link)}


def test_all_messages_between_networks_share_their_firewall() -> None:
    structure = built("networks behind a firewall", 32)
    assert np.bincount(structure.group).tolist() == [4, 6, 10, 4, 6, 2]
    world = World(structure, kernel=ONE_WAY)
    near, far = LATENCY + 20e-6, LATENCY + 50e-6
    assert times(world, [(0, 1)]) == pytest.approx([near + 10 * MIB / RATE])
    assert times(world, [(0, 4)]) == pytest.approx([far + 20 * MIB / RATE])
    sixteen = [(host, host + 16) for host in range(16)]
    assert times(world, sixteen) == pytest.approx([far + 20 * MIB / RATE] * 16)  # 80 Gbit/s
    there_and_back = [*sixteen, *((host + 16, host) for host in range(16))]
    assert times(world, there_and_back) == pytest.approx([far + 40 * MIB / RATE] * 32)
    assert [kind for kind in ("leaf", "uplink", "trunk") if possible(kind, structure)] == ["leaf"]


def test_pods_are_nearer_on_the_same_machine_and_share_its_adapter_by_tunnels() -> None:
    structure = built("pods in an overlay", 64)  # 4 leaves of 4 machines, with 2 uplinks
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    world = World(structure, kernel=ONE_WAY)
    tunnel = LATENCY + 28e-6
    assert times(world, [(0, 3)]) == pytest.approx([BESIDE + 20e-6 + 4 * MIB / RATE])
    assert times(world, [(0, 4)]) == pytest.approx([tunnel + MIB / (0.09 * RATE)])
    assert times(world, [(0, 16)]) == pytest.approx([tunnel + 2 * HOP + MIB / (0.09 * RATE)])
    two, four = ([(host, host + 4) for host in range(count)] for count in (2, 4))
    assert times(world, two) == pytest.approx([tunnel + MIB / (0.09 * RATE)] * 2)
    assert times(world, four) == pytest.approx([tunnel + 16 * MIB / RATE] * 4)
    for hosts in range(8, 257, 8):
        other = built("pods in an overlay", hosts)
        machine = np.arange(hosts) // other.guests
        assert len(np.unique(np.stack([machine, other.group]), axis=1).T) == int(machine[-1]) + 1  # a leaf for each


def test_what_metered_machines_send_is_limited_and_what_they_receive_is_not() -> None:
    structure = built("metered senders", 16)
    small, large = (np.flatnonzero(structure.send == RATE * send).tolist() for send in (0.125, 0.24))
    assert len(small) == len(large) == 8
    world = World(structure, kernel=ONE_WAY)
    by_small, by_large = (LATENCY + 24e-6 + MIB / (send * RATE) for send in (0.125, 0.24))
    assert times(world, [(small[0], small[1]), (large[0], large[1])]) == pytest.approx([by_small, by_large])
    order = Order(np.zeros(1, np.int64), np.array([small[0]]), np.array([large[-1]]))
    there_and_back = world.true_times(world.costs_of(order, 0), MIB).ravel()
    assert there_and_back == pytest.approx([by_small, by_large])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"25 Gb/sec (1X EDR)"}
    for seed in range(4):
        fault = replace(planted("direction", structure, np.random.default_rng(seed)), rate=0.4)
        assert slower_links(world, fault) == expected_links(fault, 16)


def test_other_ranks_are_far_from_the_adapter_on_boards_of_the_other_make() -> None:
    structure = built("adapters on either socket", 32)  # leaves of 8 hosts, 4 ranks each
    world = World(structure, kernel=ONE_WAY)
    near, far = LATENCY + MIB / RATE, LATENCY + 0.25e-6 + MIB / (0.9 * RATE)
    both = far + 0.25e-6
    assert [times(world, [pair])[0] for pair in ((0, 4), (0, 6), (2, 6))] == pytest.approx([near, far, both])
    assert [times(world, [pair])[0] for pair in ((32, 36), (32, 38), (34, 38))] == pytest.approx([both, far, near])
    assert times(world, [(0, 34)]) == pytest.approx([near + 2 * HOP])
    assert times(world, [(0, 32)]) == pytest.approx([far + 2 * HOP])
    results = world.results
    first, second = [10, 10, 20, 20] * 8, [20, 20, 10, 10] * 8
    assert results.ranks.numa_distance.tolist() == (first + second) * 2
    assert results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1] == (("0",) * 8 + ("1",) * 8) * 2


def test_groups_with_gpus_have_twice_the_cables_to_each_other() -> None:
    structure = built("bundles of unequal width", 64)  # 8 groups of 8 hosts, of two ranks
    plane = structure.plane
    assert isinstance(plane, Bundles)
    cables = (plane.capacity / (2 * RATE)).reshape(8, 8)
    assert (cables[:4] == 2).all()
    assert (cables[4:, 4:] == 4).all()
    assert structure.single.tolist() == [True] * 32 + [False] * 32
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + MIB / RATE] * 2)
    assert times(world, [(64, 66), (65, 67)]) == pytest.approx([LATENCY + MIB / (2 * RATE)] * 2)
    direct = replace(structure, plane=Bundles(plane.group, cables.astype(np.int64), 0.0, 2 * RATE))
    for frm, cables_ in ((0, 2), (64, 4)):  # of 8 hosts to 8 of the next group
        pairs = [(frm + 2 * host, frm + 2 * host + 16) for host in range(8)]
        longest = LATENCY + 2 * HOP + 8 / cables_ * MIB / (2 * RATE)
        assert times(World(direct, kernel=ONE_WAY), pairs) == pytest.approx([longest] * 8)
    latency = structure.path(np.full(400, 64), np.full(400, 80), np.arange(400))[2]
    assert sorted(set(latency.round(9))) == pytest.approx([LATENCY + 2 * HOP, LATENCY + 4.5 * HOP])
    assert (latency > LATENCY + 3 * HOP).mean() == pytest.approx(0.25 * 6 / 8, abs=0.05)


def test_a_message_on_striped_rails_gets_both_and_waits_for_the_slower_one() -> None:
    structure = built("striped rails", 32)  # leaves of 8 hosts, 4 ranks each
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + MIB / (4 * RATE)])
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (4 * RATE)])
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 100e9])
    four = times(world, [(rank, rank + 4) for rank in range(4)])
    assert four == pytest.approx([LATENCY + MIB / RATE] * 4)
    eight = [(4 * host, 4 * host + 32) for host in range(8)]
    assert times(world, eight) == pytest.approx([LATENCY + 2 * HOP + MIB / (2 * RATE)] * 8)  # 2:1
    fault = replace(planted("adapter", structure, np.random.default_rng(1)), rate=0.5, delay=0.0)
    slow, own = World(structure, (fault,), kernel=ONE_WAY), fault.hosts[0]
    beside = own ^ 1  # on the same leaf
    for rank in range(4):
        assert times(slow, [(4 * own + rank, 4 * beside)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))
    assert set(world.results.ranks.adapters.tolist()) == {2}


def test_every_second_rack_is_slower_by_its_cap_and_says_nothing_of_it() -> None:
    structure = built("racks with power caps", 32)  # racks of 4 hosts, of 2 ranks
    world = World(structure, kernel=ONE_WAY)
    usual, capped, longer = MIB / (0.35 * RATE), MIB / (0.93 * 0.35 * RATE), 12e-6 / 0.93
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 24e-6 + usual])
    assert times(world, [(8, 10)]) == pytest.approx([LATENCY + 2 * longer + capped])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + 12e-6 + longer + capped])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + 24e-6 + usual])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 24e-6 + 5 * MIB / RATE] * 2)
    inventory = world.results.inventory
    assert len(set(inventory.over_hosts("host", "cpu_model")[1])) == 1
    assert set(inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}
    assert Visible(1.0, 100.0).counts(planted("leaf", structure, np.random.default_rng(1)), structure)


def test_a_message_of_several_queue_pairs_takes_several_uplinks_and_ends_with_the_last() -> None:
    structure = built("several queue pairs", 64)  # 8 racks of two hosts of 8 GPUs
    plane = structure.plane
    assert isinstance(plane, QueuePairs)
    assert (plane.uplinks == 16).all()
    world = World(structure, kernel=ONE_WAY)
    beside, across = LATENCY + MIB / (4 * RATE), LATENCY + 2 * HOP + 2e-6 + MIB / (4 * RATE)
    assert times(world, [(0, 8), (1, 10)]) == pytest.approx([beside] * 2)
    assert times(world, [(0, 16)]) == pytest.approx([across])  # even where all four parts take one uplink
    ways = structure.path(np.zeros(112, np.int64), np.arange(16, 128), np.zeros(112, np.int64))[0][:, 2::2]
    assert ways.shape == (112, 4)
    assert {len(set(own)) for own in ways.tolist()} >= {3, 4}
    sixteen = np.array(times(world, [(gpu, gpu + 16) for gpu in range(16)]))  # 1:1, but parts meet
    assert across + 0.2 * MIB / (4 * RATE) < sixteen.max() < across + 2 * MIB / (4 * RATE)
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))
    assert set(world.results.inventory.over_hosts("ib/mlx5_7/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_what_a_virtual_machine_sends_and_receives_shares_its_thread() -> None:
    structure = built("threads of virtual machines", 32)  # leaves of 8 hosts with an uplink
    assert isinstance(structure.plane, Threads)
    one_way, both_ways = (World(structure, kernel=kernel) for kernel in (ONE_WAY, AT_ONCE))
    near, far = LATENCY + 30e-6, LATENCY + 2 * HOP + 30e-6
    assert times(one_way, [(0, 1)]) == pytest.approx([near + 10 * MIB / RATE])
    assert times(both_ways, [(0, 1)]) == pytest.approx([near + 2 * MIB / (0.15 * RATE)])
    eight = [(host, host + 8) for host in range(8)]
    assert times(one_way, eight[:4]) == pytest.approx([far + 10 * MIB / RATE] * 4)
    assert times(one_way, eight) == pytest.approx([far + 20 * MIB / RATE] * 8)
    fault = replace(planted("host", structure, np.random.default_rng(1)), rate=0.5)
    assert slower_links(one_way, fault) == expected_links(fault, 32)


def test_every_second_spine_is_old_and_its_flows_collide_earlier() -> None:
    structure = built("spines of two generations", 32)  # leaves of 8 hosts with two uplinks
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.capacity.tolist() == pytest.approx([0.4 * RATE, RATE] * 8)
    assert built("spines of two generations", 64).oversubscription == pytest.approx(400 / 280)
    world = World(structure, kernel=ONE_WAY)
    hosts, none = np.arange(8), np.zeros(8, np.int64)
    for to in range(8, 32):  # alone by either
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + 2 * HOP + 4 * MIB / RATE])
    spine = plane.path(hosts, hosts + 8, none)[0][:, 0]
    rates = np.minimum(0.25, np.array([0.4, 1.0]) / np.bincount(spine, minlength=2))[spine]
    assert len(set(rates)) == 2
    expected = LATENCY + 2 * HOP + MIB / (RATE * rates)
    assert times(world, [(host, host + 8) for host in range(8)]) == pytest.approx(expected.tolist())


def test_hosts_of_a_condo_have_four_kinds_and_say_which() -> None:
    structure = built("condo cluster", 32)  # leaves of 8 hosts
    world = World(structure, kernel=ONE_WAY)
    cpus = world.results.inventory.over_hosts("host", "cpu_model")[1]
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    old, new = "Xeon E5-2680 v4", "Xeon Platinum 8160"
    kinds = [
        (old, "56 Gb/sec (4X FDR)", 0.545, 0.3e-6), (old, "100 Gb/sec (4X EDR)", 1.0, 0.3e-6),
        (new, "100 Gb/sec (4X EDR)", 1.0, 0.0), (new, "200 Gb/sec (4X HDR)", 2.0, 0.0),
    ]  # fmt: skip
    said = list(zip(cpus, rates, strict=True))
    hosts_of = [[host for host in range(32) if said[host] == kind[:2]] for kind in kinds]
    assert [len(hosts) for hosts in hosts_of] == [8] * 4
    for (_, _, rate, longer), hosts in zip(kinds, hosts_of, strict=True):
        for newest in (host for host in hosts_of[3] if host != hosts[0]):
            apart = structure.group[hosts[0]] != structure.group[newest]
            narrow = min(rate, 1.0 if apart else 2.0)  # uplinks have 100 Gbit/s
            expected = LATENCY + 2 * HOP * apart + longer + MIB / (narrow * RATE)
            assert times(world, [(hosts[0], newest)]) == pytest.approx([expected])
    assert built("condo cluster", 32, seed=2).processor.tolist() != structure.processor.tolist()


def test_superchips_of_a_cell_are_a_tree_of_two_leaves_and_some_messages_go_by_a_third_cell() -> None:
    structure = built("superchips in a dragonfly+", 64)  # 4 cells of 8 hosts of 4
    plane = structure.plane
    assert isinstance(plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [8] * 4
    leaf = plane.leaf.reshape(32, 4)
    assert (leaf == leaf[:, :1]).all()
    assert leaf[:8, 0].tolist() == [0] * 4 + [1] * 4
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 150e9])
    four = [(gpu, gpu + 4) for gpu in range(4)]
    assert times(world, four) == pytest.approx([LATENCY + MIB / (2 * RATE)] * 4)  # each has an adapter
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (2 * RATE)])
    latency = structure.path(np.zeros(400, np.int64), np.full(400, 64), np.arange(400))[2]
    assert sorted(set(latency.round(9))) == pytest.approx([LATENCY + 3 * HOP, LATENCY + 4 * HOP])
    assert (latency > LATENCY + 3.5 * HOP).mean() == pytest.approx(0.25 * 2 / 4, abs=0.05)
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))


def test_chips_of_a_machine_are_a_torus_and_two_share_an_adapter() -> None:
    structure = built("torus of chips", 32)  # 8 machines, two on each switch
    world = World(structure, kernel=ONE_WAY)
    for chip, steps in ((1, 1), (3, 1), (4, 1), (12, 1), (2, 2), (5, 2), (6, 3), (10, 4)):
        assert times(world, [(0, chip)]) == pytest.approx([0.5e-6 + 0.7e-6 * steps + steps * MIB / 48e9])
    switch = structure.group
    assert np.bincount(switch).tolist() == [2] * 4
    near = next(host for host in range(1, 8) if switch[host] == switch[0])
    pair = next(host for host in range(1, 8) if switch[host] == switch[0] ^ 1)
    other = next(host for host in range(1, 8) if switch[host] // 2 != switch[0] // 2)
    alone = LATENCY + 14e-6 + MIB / RATE
    assert times(world, [(0, 16 * near), (2, 16 * near + 2)]) == pytest.approx([alone] * 2)
    assert times(world, [(0, 16 * near), (1, 16 * near + 1)]) == pytest.approx([alone + MIB / RATE] * 2)
    assert times(world, [(0, 16 * pair)]) == pytest.approx([alone + 2 * HOP])
    assert times(world, [(0, 16 * other)]) == pytest.approx([alone + 4 * HOP + 1e-6])
    assert set(world.results.inventory.over_hosts("ib/mlx5_7/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_three_generations_at_random_are_as_many_each_and_a_message_goes_at_the_slower_rate() -> None:
    structure = built("three generations at random", 33)
    kind = np.log2(structure.rate[:, 0] / RATE).round().astype(int)
    assert np.bincount(kind).tolist() == [11] * 3
    assert (np.diff(kind) < 0).any()
    world = World(structure)
    hosts = [np.flatnonzero(kind == of)[:2].tolist() for of in range(3)]
    for one in range(3):
        for other in range(3):
            took = LATENCY + MIB / (2 ** min(one, other) * RATE)
            assert times(world, [(hosts[one][0], hosts[other][1])]) == pytest.approx([took])


def test_flows_of_eight_hosts_meet_on_five_uplinks_that_change_from_step_to_step() -> None:
    structure = built("fat tree 8:5 re-hashed", 32)  # leaves of 8 hosts
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [5] * 4
    assert structure.oversubscription == pytest.approx(1.6)
    assert built("fat tree 8:5 re-hashed", 64).oversubscription == pytest.approx(1.6)
    hosts, most = np.arange(8), set()
    for seed in range(1, 9):
        up = plane.path(hosts, hosts + 8, np.full(8, seed * 7919))[0][:, 0]
        shared = np.bincount(up)[up]
        most.add(int(shared.max()))
        took = times(World(structure, seed=seed, kernel=ONE_WAY), [(host, host + 8) for host in range(8)])
        assert took == pytest.approx((LATENCY + 2 * HOP + shared * MIB / RATE).tolist())
    assert len(most) > 1


def test_a_mesh_of_hosts_is_not_closed_and_four_flows_over_a_cable_get_half() -> None:
    structure = built("mesh of hosts", 64)
    assert isinstance(structure.plane, Mesh)
    assert structure.plane.sides == (8, 8)
    assert built("mesh of hosts", 8).plane.sides == (2, 4)  # type: ignore[attr-defined]
    world = World(structure, kernel=ONE_WAY)
    for host, hops in {1: 1, 7: 7, 8: 1, 56: 7, 63: 14}.items():
        for pair in ((0, host), (host, 0)):
            assert times(world, [pair]) == pytest.approx([LATENCY + hops * HOP + MIB / RATE])
    four = [(host, host + 4) for host in range(4)]
    assert times(world, four[:2]) == pytest.approx([LATENCY + 4 * HOP + MIB / RATE] * 2)
    assert times(world, four) == pytest.approx([LATENCY + 4 * HOP + 2 * MIB / RATE] * 4)
    back = [(host + 12, host + 8) for host in range(4)]  # in the next row
    assert times(world, [(3, 4), *back]) == pytest.approx(
        [LATENCY + HOP + MIB / RATE, *[LATENCY + 4 * HOP + 2 * MIB / RATE] * 4]
    )
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk"))


def test_pods_of_the_second_half_are_twice_as_fast_and_all_are_two_to_one() -> None:
    structure = built("three levels, two generations, far socket", 64)  # leaves of 8 hosts of two ranks, two to a pod
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert plane.lower.uplinks.tolist() == [8] * 8
    assert plane.upper.uplinks.tolist() == [8] * 4
    world = World(structure, kernel=ONE_WAY)
    for (a, b), (hops, speed) in {
        (0, 2): (0, 1), (0, 16): (2, 1), (0, 32): (4, 1), (64, 66): (0, 2), (64, 96): (4, 2), (0, 64): (4, 1),
    }.items():  # fmt: skip
        assert times(world, [(a, b)]) == pytest.approx([LATENCY + hops * HOP + MIB / (speed * RATE)])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.5e-6 + MIB / (0.9 * RATE)])
    assert times(world, [(65, 66)]) == pytest.approx([LATENCY + 0.25e-6 + MIB / (0.9 * 2 * RATE)])
    within = [(2 * host, 2 * host + 16) for host in range(8)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE] * 8)
    for first, speed in ((0, 1), (64, 2)):
        across = [(first + 2 * host, first + 2 * host + 32) for host in range(16)]
        assert times(world, across) == pytest.approx([LATENCY + 4 * HOP + 2 * MIB / (speed * RATE)] * 16)
    rates = World(structure, iterations=1).results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("100 Gb/sec (4X EDR)",) * 32 + ("200 Gb/sec (4X HDR)",) * 32


def test_four_adapters_of_a_host_are_on_four_switches_of_its_dragonfly_group() -> None:
    structure = built("dragonfly, 4 rails", 64)  # 4 groups of 8 hosts of 4
    plane = structure.plane
    assert isinstance(plane, Dragonfly)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert plane.capacity == pytest.approx([16 * 2 * RATE] * 16)  # for 32 adapters
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 150e9])
    assert times(world, [(rank, rank + 4) for rank in range(4)]) == pytest.approx([LATENCY + MIB / (2 * RATE)] * 4)
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + HOP + MIB / (2 * RATE)])
    when = np.arange(800)
    for to, longer in {32: 0, 33: 1}.items():
        hops = (structure.path(np.zeros_like(when), np.full_like(when, to), when)[2] - LATENCY) / HOP - longer
        assert set(hops.round(6)) == {2, 4.5}
        assert (hops > 3).mean() == pytest.approx(0.25 * 2 / 4, abs=0.05)  # half of the third groups are none
    assert set(world.results.inventory.over_hosts("ib/mlx5_3/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_ranks_at_the_far_socket_take_longer_in_a_dragonfly_of_trees() -> None:
    structure = built("dragonfly+, far socket", 32)  # 4 groups of 2 leaves of 4 hosts, of 2 ranks
    assert isinstance(structure.plane, DragonflyPlus)
    world = World(structure, kernel=ONE_WAY)
    for (a, b), far in {(0, 2): 0, (1, 2): 1, (1, 3): 2}.items():
        took = LATENCY + far * 0.2e-6 + MIB / ((0.95 if far else 1.0) * RATE)
        assert times(world, [(a, b)]) == pytest.approx([took])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + at + 2 * MIB / RATE for at in (0, 0.2e-6)])
    when = np.arange(800)
    hops = (structure.path(np.zeros_like(when), np.full_like(when, 16), when)[2] - LATENCY) / HOP
    assert set(hops.round(6)) == {3, 4}
    assert (hops > 3.5).mean() == pytest.approx(0.4 * 2 / 4, abs=0.05)
    assert world.ranks.numa_distance[:2].tolist() == [10, 20]


def test_cables_between_groups_of_two_generations_are_shared_by_what_goes_directly() -> None:
    structure = built("dragonfly of two generations", 64)  # groups of 10 hosts, the last of 4
    plane = structure.plane
    assert isinstance(plane, Dragonfly)
    assert np.bincount(plane.group).tolist() == [10] * 6 + [4]
    assert (structure.rate[:, 0] / RATE).tolist() == [1] * 40 + [2] * 24
    world = World(structure, kernel=ONE_WAY)
    for (a, b), speed in {(0, 1): 1, (40, 41): 2, (0, 63): 1, (40, 63): 2}.items():
        took = times(world, [(a, b)])[0] - times(world, [(a, b)], 0)[0]
        assert took == pytest.approx(MIB / (speed * RATE))
    hosts = np.arange(40, 50)
    ways, latency = plane.path(hosts, hosts + 10, np.full(10, 7919))
    direct = ways[:, 1] == NONE
    assert set(((latency - LATENCY) / HOP).round(6)) == {2, 4.5}
    rate = min(2 * RATE, 2 * RATE * 20 / 7 / int(direct.sum()))
    every = np.array(times(world, [(int(host), int(host) + 10) for host in hosts]))
    assert every[direct] == pytest.approx(LATENCY + 2 * HOP + MIB / rate)


def test_flows_over_a_cable_of_a_torus_of_adapters_get_half() -> None:
    structure = built("torus, hyperthreads", 64)  # 4 x 4 x 4
    world = World(structure, kernel=ONE_WAY)
    for host, hops in {1: 1, 3: 1, 2: 2, 4: 1, 48: 1, 63: 3, 42: 6}.items():
        assert times(world, [(0, host)]) == pytest.approx([LATENCY + hops * HOP + MIB / RATE])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / RATE] * 2)
    assert times(world, [(0, 1), (1, 0)]) == pytest.approx([LATENCY + HOP + MIB / RATE] * 2)


@pytest.mark.parametrize("name", ["dragonfly+, far socket", "torus, hyperthreads", "CCXs in quadrants"])
def test_one_reading_in_a_hundred_takes_ten_times_as_long(name: str) -> None:
    world = World(built(name, 64))
    longer = world.results.sizes[-1].rows.median / world.true_times(world.costs, MIB).ravel()
    disturbed = longer > 2
    assert disturbed.mean() == pytest.approx(0.01, rel=0.25)
    assert longer[disturbed] == pytest.approx(10, rel=0.05)


def test_racks_of_two_speeds_have_an_uplink_of_their_own_speed_for_three_hosts() -> None:
    assert built("Ethernet 3:1, 10 and 25 Gbit/s", 64).plane.uplinks.tolist() == [  # type: ignore[attr-defined]
        4, 4, 4, 4, 4, 1,
    ]  # fmt: skip
    structure = built("Ethernet 3:1, 10 and 25 Gbit/s", 48)  # racks of 12 hosts
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert structure.oversubscription == pytest.approx(3)
    world = World(structure, kernel=ONE_WAY)
    near = LATENCY + 20e-6
    for (a, b), (hops, speed) in {
        (0, 1): (0, 0.1), (0, 12): (2, 0.1), (24, 25): (0, 0.25), (24, 36): (2, 0.25), (0, 24): (2, 0.1),
    }.items():  # fmt: skip
        assert times(world, [(a, b)]) == pytest.approx([near + hops * HOP + MIB / (speed * RATE)])
    for first, speed in ((0, 0.1), (24, 0.25)):
        hosts = np.arange(first, first + 12)
        up = plane.path(hosts, hosts + 12, np.zeros(12, np.int64))[0][:, 0]
        shared = np.bincount(up)[up]
        took = times(world, [(int(host), int(host) + 12) for host in hosts])
        assert took == pytest.approx((near + 2 * HOP + shared * MIB / (speed * RATE)).tolist())
        assert shared.max() >= 3
    longer = [size.rows.median / world.true_times(world.costs, size.bytes).ravel() for size in world.results.sizes]
    assert np.quantile(longer[0], 0.98) > 1.1
    assert np.quantile(longer[-1], 0.98) < 1.05
    assert longer[-1].max() > 2
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("10 Gb/sec (1X QDR)",) * 24 + ("25 Gb/sec (1X EDR)",) * 24


def test_ranks_of_other_ccxs_are_further_away_and_those_of_other_quadrants_still_further() -> None:
    world = World(built("CCXs in quadrants", 64))
    assert (world.structure.hosts, world.structure.ranks) == (1, 64)
    for latency, rate, ranks in ((0.15e-6, 14e9, (1, 3)), (0.26e-6, 11e9, (4, 15)), (0.33e-6, 10e9, (16, 63))):
        for to in ranks:
            assert times(world, [(0, to)]) == pytest.approx([latency + MIB / rate])


def test_eight_rails_have_a_leaf_each_in_a_pod_and_nothing_blocks_between_pods() -> None:
    structure = built("rail-optimized, 8 rails", 64)  # 16 hosts of 8 ranks, pods of 4
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 32
    assert structure.oversubscription == 1
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE])
    for to, hops in {8: 0, 9: 2, 32: 2, 33: 2}.items():
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + hops * HOP + MIB / (4 * RATE)])
    across = times(world, [(rank, rank + 32) for rank in range(32)])
    assert across == pytest.approx([LATENCY + 2 * HOP + MIB / (4 * RATE)] * 32)
    assert times(world, [(0, 8), (1, 8)])[0] == pytest.approx(LATENCY + 2 * MIB / (4 * RATE))
    assert possible("rail", structure)
    assert set(world.results.inventory.over_hosts("ib/mlx5_7/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_two_gpus_share_an_adapter_and_racks_of_a_job_have_a_third_as_many_uplinks() -> None:
    structure = built("4 GPUs on 2 rails, 3:1", 64)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [8, 12, 20, 8, 12, 4]
    assert plane.uplinks.tolist() == [2, 4, 6, 2, 4, 1]
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 45e9])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + MIB / RATE] * 2)
    assert times(world, [(0, 6)], 0) == pytest.approx([LATENCY + OTHER_RAIL])
    hosts = np.arange(8)
    up = plane.path(hosts, hosts + 8, np.zeros(8, np.int64))[0][:, 0]
    shared = np.bincount(up)[up]
    for rail in (0, 2):
        took = times(world, [(4 * host + rail, 4 * (host + 8) + rail) for host in range(8)])
        assert took == pytest.approx((LATENCY + 2 * HOP + shared * MIB / RATE).tolist())
    quiet = World(built("4 GPUs on 2 rails, 3:1", 16), noise=1e-4)
    rows = quiet.results.sizes[-1].rows
    longer = np.log(rows.median / quiet.true_times(quiet.costs, MIB).ravel())
    assert np.polyfit(rows.step / rows.step.max(), longer, 1)[0] == pytest.approx(0.05, rel=0.05)


def test_machines_spend_their_credits_in_turns_of_their_own_and_send_half_then() -> None:
    structure = built("burst credits", 32)
    when = np.arange(320)
    spent = np.array([structure.plane.path(np.full(320, host), when % 32, when)[0][:, 0] for host in range(32)]) != NONE
    assert spent.mean(axis=1) == pytest.approx([0.25] * 32)
    begins = [np.flatnonzero(np.diff(own.astype(int)) == 1) for own in spent]
    assert all((np.diff(own) == 32).all() for own in begins)
    assert len({int(own[0]) for own in begins}) > 12
    both = {round(times(World(structure, seed=seed, kernel=ONE_WAY), [(0, 1)])[0], 9) for seed in range(40)}
    assert sorted(both) == pytest.approx([LATENCY + 24e-6 + factor * MIB / RATE for factor in (10, 20)], abs=1e-9)
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk"))


def test_lines_between_two_sites_have_two_lengths_and_receivers_one_of_them() -> None:
    structure = built("two sites, lines of two lengths", 32)  # 4 leaves of 8 hosts, 4 lines
    plane = structure.plane
    assert isinstance(plane, JoinedCores)
    assert plane.part.tolist() == [0] * 24 + [1] * 8
    for hosts in range(8, 257, 8):
        other = built("two sites, lines of two lengths", hosts).plane
        assert isinstance(other, JoinedCores)
        assert 0 < other.part.mean() <= 0.5
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE])
    across = LATENCY + 3 * HOP
    for (a, b), line in {(0, 24): 40e-6, (0, 25): 70e-6, (24, 0): 40e-6, (24, 17): 70e-6}.items():
        assert times(world, [(a, b)]) == pytest.approx([across + line + MIB / (0.4 * RATE)])
    assert times(world, [(0, 24), (1, 26)]) == pytest.approx([across + 40e-6 + MIB / (0.4 * RATE)] * 2)
    assert times(world, [(0, 24), (9, 28)]) == pytest.approx([across + 40e-6 + 2 * MIB / (0.4 * RATE)] * 2)


def test_tables_of_a_hyperx_say_by_which_of_two_switches_messages_turn() -> None:
    structure = built("HyperX with tables", 32)  # 4 x 4 switches of 2 hosts
    plane = structure.plane
    assert isinstance(plane, HyperXTables)
    assert plane.joined.sum(axis=1).tolist() == [6] * 16
    cable = plane.cable
    assert plane.route[0, 10].tolist() == [cable[0, 2], cable[2, 10]]
    assert plane.route[10, 0].tolist() == [cable[10, 8], cable[8, 0]]
    assert plane.route[0, 5].tolist() == [cable[0, 4], cable[4, 5]]
    world = World(structure, kernel=ONE_WAY)
    alone = MIB / (0.4 * RATE)
    for to, hops in {1: 0, 2: 1, 8: 1, 20: 2}.items():
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + hops * HOP + alone])
    assert times(world, [(0, 4), (1, 20)]) == pytest.approx([LATENCY + hops * HOP + 2 * alone for hops in (1, 2)])
    assert times(world, [(0, 4), (1, 10)]) == pytest.approx([LATENCY + hops * HOP + alone for hops in (1, 2)])
    assert len(built("HyperX with tables", 128).plane.joined) == 5 * 6  # type: ignore[attr-defined]


def test_all_messages_between_two_groups_share_the_one_cable_between_them() -> None:
    structure = built("dragonfly of single cables", 64)  # 8 groups of 4 switches of 2 hosts
    plane = structure.plane
    assert isinstance(plane, SingleCables)
    assert (plane.joined == plane.joined.T).all()
    between = plane.joined.reshape(8, 4, 8, 4).sum(axis=(1, 3))
    assert between.tolist() == (np.ones((8, 8)) + 11 * np.eye(8)).tolist()  # 4 switches, each joined to 3
    hops = (plane.route != NONE).sum(axis=2)
    apart = np.arange(32)[:, None] // 4 != np.arange(32)[None, :] // 4
    assert set(hops[apart].tolist()) == {1, 2, 3}
    assert hops.max() == 3
    world = World(structure, kernel=ONE_WAY)
    for to in (1, 2, 8, 12, 63):
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + hops[0, to // 2] * HOP + MIB / RATE])
    own = np.arange(8) // 2
    every = times(world, [(host, host + 8) for host in range(8)])
    assert every == pytest.approx((LATENCY + hops[own, own + 4] * HOP + 8 * MIB / RATE).tolist())


def test_cables_of_a_kautz_graph_lead_one_way_and_messages_go_a_shortest_one() -> None:
    for hosts in (8, 32, 36):
        plane = built("Kautz graph", hosts).plane
        assert isinstance(plane, Kautz)
        steps, reached = np.zeros((hosts, hosts), np.int64), np.eye(hosts, dtype=bool)
        while not reached.all():
            steps += ~reached
            reached = reached | (reached.astype(int) @ plane.joined > 0)
        hops = (plane.route != NONE).sum(axis=2)
        assert (hops == steps).all()
        assert (hops != hops.T).any()
    assert isinstance(plane, Kautz)
    assert plane.joined.sum(axis=0).tolist() == plane.joined.sum(axis=1).tolist() == [3] * 36
    assert hops.max() == 3  # a Kautz graph: 4 * 3 * 3 hosts
    structure = built("Kautz graph", 32)
    world = World(structure, kernel=ONE_WAY)  # two ranks in each host; from 0 by 31 to 2, and on to 25
    alone = MIB / (0.2 * RATE)
    assert times(world, [(0, 62)]) == pytest.approx([LATENCY + HOP + alone])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 2 * HOP + alone])
    assert times(world, [(4, 0)], 0)[0] > LATENCY + 2.5 * HOP
    assert times(world, [(0, 4), (62, 50)]) == pytest.approx([LATENCY + 2 * HOP + 2 * alone] * 2)
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk"))


def test_four_interfaces_of_a_host_share_its_cables_in_a_torus() -> None:
    structure = built("torus, 4 interfaces", 64)
    assert isinstance(structure.plane, Interfaces)
    assert structure.plane.sides == (4, 4, 2)
    world = World(structure, kernel=ONE_WAY)
    once, twice = (LATENCY + HOP + shared * MIB / 6.8e9 for shared in (1, 2))
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.1e-6 + MIB / 20e9])
    assert times(world, [(0, 4)]) == pytest.approx([once])
    assert times(world, [(0, 7)]) == pytest.approx([once])  # whichever interface it has there
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([once] * 2)
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([twice] * 2)
    assert set(world.ranks.adapters.tolist()) == {4}
    assert possible("adapter", structure)
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk", "rail", "rail plane"))


def test_later_leaves_have_fewer_uplinks_and_some_hosts_their_adapter_on_the_second_socket() -> None:
    structure = built("fewer uplinks in later leaves", 64)  # leaves of 16 hosts of 2 ranks
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [16, 16, 8, 5]
    assert structure.turned.sum() == 16
    world = World(structure, kernel=ONE_WAY)
    (usual, other), turned = (np.flatnonzero(structure.turned == is_turned)[:2].tolist() for is_turned in (False, True))
    assert other < 16
    assert times(world, [(2 * usual, 2 * other)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(2 * usual + 1, 2 * other)]) == pytest.approx([LATENCY + 0.25e-6 + MIB / (0.9 * RATE)])
    spine = 2 * HOP * (turned[0] >= 16)
    assert times(world, [(2 * turned[0], 2 * usual)], 0) == pytest.approx([LATENCY + spine + 0.25e-6])
    assert times(world, [(2 * turned[0] + 1, 2 * usual)], 0) == pytest.approx([LATENCY + spine])
    near = 2 * np.arange(64) + structure.turned
    for leaf, uplinks in ((1, 16), (2, 8), (3, 5)):
        shared = np.bincount(np.arange(16) % uplinks)[np.arange(16) % uplinks]
        pairs = list(zip(near[16 * leaf : 16 * leaf + 16].tolist(), near[:16].tolist(), strict=True))
        assert times(world, pairs) == pytest.approx((LATENCY + 2 * HOP + shared * MIB / RATE).tolist())
    distance = world.ranks.numa_distance.reshape(64, 2)
    assert (distance[structure.turned] == [20, 10]).all()
    assert (distance[~structure.turned] == [10, 20]).all()


def test_storage_takes_half_of_the_uplinks_of_every_second_leaf_in_its_turns() -> None:
    structure = built("storage in every second leaf", 64)  # leaves of 16 hosts
    plane = structure.plane
    assert isinstance(plane, StorageTree)
    assert plane.stores.tolist() == [False, True, False, True]
    when = np.arange(320)
    ways, latency = plane.path(np.zeros_like(when), np.full_like(when, 16), when)
    busy = ways[:, 3] != NONE
    assert (ways[:, 2] == NONE).all()
    assert busy.mean() == pytest.approx(0.25)
    assert np.flatnonzero(np.diff(busy.astype(int)) == 1).size == 10
    assert latency == pytest.approx(LATENCY + 2 * HOP + WAIT * busy)
    for to, longest in ((16, {1, 2}), (32, {1})):
        pairs = [(host, host + to) for host in range(16)]
        worlds = [World(structure, seed=seed, kernel=ONE_WAY) for seed in range(40)]
        took = np.array([times(world, pairs) for world in worlds]) - LATENCY - 2 * HOP
        assert set((took * RATE / MIB).round(1).ravel().tolist()) == longest
    assert times(World(structure), [(16, 17)]) == pytest.approx([LATENCY + MIB / RATE])


def test_two_networks_do_not_meet_and_the_slower_one_has_a_third_of_the_uplinks() -> None:
    structure = built("two networks of unequal taper", 32)  # racks of 8 hosts
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [8] * 4 + [2] * 4
    assert structure.group.tolist() == [host // 8 for host in range(32)]
    assert structure.reachable(np.array([0, 0, 0]), np.array([1, 2, 3])).tolist() == [True, True, False]
    world = World(structure, kernel=ONE_WAY)
    hosts = np.arange(8)
    for rail, speed, longer in ((0, 2, 0.0), (1, 1, 0.8e-6)):
        near, alone = LATENCY + longer, MIB / (speed * RATE)
        assert times(world, [(rail, 2 + rail)]) == pytest.approx([near + alone])
        assert times(world, [(rail, 16 + rail)]) == pytest.approx([near + 2 * HOP + alone])
        up = plane.path(2 * hosts + rail, 2 * hosts + 16 + rail, np.zeros(8, np.int64))[0][:, 0]
        shared = np.bincount(up)[up]
        took = times(world, [(int(rank), int(rank) + 16) for rank in 2 * hosts + rail])
        assert took == pytest.approx((near + 2 * HOP + shared * alone).tolist())
        said = world.results.inventory.over_hosts(f"ib/mlx5_{rail}/1", "rate")[1]
        assert set(said) == {("200 Gb/sec (4X HDR)", "100 Gb/sec (4X EDR)")[rail]}
    assert possible("rail", structure)


def test_hosts_are_dealt_out_to_the_boards_of_a_director_and_pay_for_their_cables() -> None:
    structure = built("director switch", 64)  # 8 racks of 8 hosts, 8 boards
    plane = structure.plane
    assert isinstance(plane, Director)
    assert structure.group.tolist() == [host % 8 for host in range(64)]
    assert plane.uplinks.tolist() == [8] * 8
    assert structure.oversubscription == 1
    world = World(structure, kernel=ONE_WAY)
    far = LATENCY + 2 * HOP
    for pair, latency in {(0, 1): far, (0, 8): LATENCY + CABLE / 2, (7, 56): far + 3.5 * CABLE}.items():
        assert times(world, [pair], 0) == pytest.approx([latency])
    assert times(world, [(0, 1), (8, 9)]) == pytest.approx([far + MIB / RATE, far + CABLE + MIB / RATE])
    both = times(world, [(0, 1), (8, 2)])  # by the same board within
    assert both == pytest.approx([far + longer + 2 * MIB / RATE for longer in (0, CABLE / 2)])
    every = times(world, [(host, (host + 9) % 64) for host in range(64)])
    assert max(every) < far + 7 * CABLE + MIB / RATE


def test_two_gpus_share_an_adapter_of_a_rail_to_which_others_relay() -> None:
    structure = built("8 GPUs on 4 relayed rails", 64)  # 16 hosts of 8 ranks, leaves of 4 hosts with 2 uplinks
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    world = World(structure, kernel=ONE_WAY)
    once, twice = MIB / (2 * RATE), MIB / RATE
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([LATENCY + twice] * 2)
    assert times(world, [(0, 10), (2, 18)]) == pytest.approx([LATENCY + at + twice for at in (NVLINK_LATENCY, 0)])
    assert times(world, [(0, 34)]) == pytest.approx([LATENCY + 2 * HOP + NVLINK_LATENCY + once])
    hosts = np.arange(4)
    up = plane.path(hosts, hosts + 4, np.zeros(4, np.int64))[0][:, 0]
    shared = np.bincount(up)[up]
    took = times(world, [(8 * host, 8 * host + 32) for host in range(4)])
    assert took == pytest.approx((LATENCY + 2 * HOP + shared * once).tolist())
    assert shared.max() >= 2


def test_servers_of_a_sled_share_its_adapter_and_sleds_the_uplinks_of_their_rack() -> None:
    structure = built("sleds in racks", 64)  # racks of 4 sleds, with 2 uplinks
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    world = World(structure, kernel=ONE_WAY)
    alone, near = MIB / (0.315 * RATE), LATENCY + 20e-6
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 20e-6 + alone])
    assert times(world, [(0, 4)]) == pytest.approx([near + alone])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + alone])
    assert times(world, [(host, host + 4) for host in range(4)]) == pytest.approx([near + 4 * MIB / RATE] * 4)
    every = times(world, [(host, host + 16) for host in range(16)])
    assert sum(MIB / (time - near - 2 * HOP) for time in every) <= 2 * RATE * (1 + 1e-9)
    for hosts in range(8, 257, 8):
        group = built("sleds in racks", hosts).group
        assert (group.reshape(-1, 4) == group[::4, None]).all()


@pytest.mark.parametrize(
    "name",
    [
        "cells, 2:1 twice by receiver", "polarized hashes", "sprayed packets", "rails that meet at the core",
        "three generations on one core", "two cores in two rooms", "GPUs on PCIe switches", "striped rails",
        "pods in an overlay", "adapters on either socket", "racks with power caps",
        "several queue pairs", "threads of virtual machines", "spines of two generations", "condo cluster",
        "fat tree 8:5 re-hashed", "three levels, two generations, far socket", "Ethernet 3:1, 10 and 25 Gbit/s",
        "4 GPUs on 2 rails, 3:1", "two sites, lines of two lengths", "fewer uplinks in later leaves",
        "storage in every second leaf", "two networks of unequal taper", "director switch",
        "8 GPUs on 4 relayed rails", "sleds in racks", "sleep states in one row", "read requests of two lengths",
        "PCIe switches in one lot of servers", "pods that may send less", "two receive queues", "trays of two hosts",
        "supernodes, 4:1", "fat tree 11:9 by receiver", "4 NUMA nodes, 3:1 adaptive",
        "islands, 4:1 between them by receiver", "islands of hosts with 4 rails", "three generations in a tree",
        "two generations at random, re-hashed", "virtual machines of 4 NUMA nodes",
        "4 rails on 2 leaves, by receiver", "2 rails of two generations, 3:1 and 1:1",
        "three levels, 2:1 at the leaves by receiver", "unequal leaves, 1:1 static, far socket",
        "LAGs to one core, 7:2, two processors", "8 GPUs on one adapter, two zones",
        "two islands of two processors", "islands on one core, 8:1, two generations",
        "islands with and without GPUs, 3:1", "8 GPUs on 4 ports, 3:2 static",
    ],
)  # fmt: skip
def test_a_leaf_or_an_uplink_below_another_tree_or_a_core_is_that_of_its_hosts(name: str) -> None:
    structure = built(name, 64)
    frm, to = (numbers.ravel() for numbers in np.indices((structure.ranks,) * 2))
    frm, to = frm[frm != to], to[frm != to]
    a, b = structure.group[frm // structure.each], structure.group[to // structure.each]
    flows = Flows(np.zeros_like(frm), frm, to, *structure.path(frm, to, np.zeros_like(frm)))
    for seed in range(3):
        leaf, uplink = (planted(kind, structure, np.random.default_rng(seed)) for kind in ("leaf", "uplink"))
        own = structure.group[leaf.hosts[0]]
        crosses = (a != b) & ((a == own) | (b == own))
        touched = leaf.touches(structure, flows)
        assert touched[crosses].all()
        assert not touched[(a != own) & (b != own)].any()
        own = structure.group[uplink.hosts[0]]
        touched = uplink.touches(structure, flows)
        assert touched.any()
        assert not touched[(a != own) & (b != own)].any()


@pytest.mark.parametrize("hosts", [8, 32, 64])
@pytest.mark.parametrize("name", HELD_OUT)
def test_every_part_of_a_held_out_structure_touches_some_messages_but_not_all(name: str, hosts: int) -> None:
    structure = built(name, hosts)
    frm, to = np.divmod(np.arange(structure.ranks**2), structure.ranks)
    frm, to = frm[frm != to], to[frm != to]
    ways, limit, latency = structure.path(frm, to, np.zeros_like(frm))
    assert ways.max(initial=-1) < len(structure.capacity)
    flows = Flows(np.zeros_like(frm), frm, to, ways, limit, latency)
    for kind in (kind for kind in KINDS if possible(kind, structure)):
        touched = planted(kind, structure, np.random.default_rng(1)).touches(structure, flows)
        assert touched.any(), kind
        assert not touched.all(), kind


def slower_links(healthy: World, fault: Fault) -> set[tuple[int, int]]:
    """Pairs of hosts, of one rank each, whose messages one way are slower with a part than without."""
    order = orders.one_by_one(orders.circle(healthy.structure.hosts))
    slow, usual = (
        world.true_times(world.costs_of(order, 0), MIB) for world in (replace(healthy, faults=(fault,)), healthy)
    )
    there, back = np.asarray(slow > 1.05 * usual)
    links = [*zip(order.a[there], order.b[there], strict=True), *zip(order.b[back], order.a[back], strict=True)]
    return {(int(a), int(b)) for a, b in links}


def test_messages_in_a_dragonfly_of_trees_go_by_upper_switches_and_some_by_those_of_a_third_group() -> None:
    structure = built("dragonfly+", 32)  # 4 groups of 2 leaves of 4 hosts
    frm, to, when = np.zeros(400, np.int64), np.repeat([1, 4, 8, 31], 100), np.tile(np.arange(100), 4)
    ways, _, latency = structure.path(frm, to, when)
    hops = ((latency - LATENCY) / HOP).round(6).reshape(4, 100)
    assert [sorted(set(one)) for one in hops.tolist()] == [[0], [2], [3, 4], [3, 4]]
    assert (hops[2:] == 4).mean() == pytest.approx(0.25 / 2, abs=0.05)  # half of the third groups are none
    for pair in (1, 2):
        assert len(np.unique(ways.reshape(4, 100, -1)[pair, :, 2])) == 4


def test_a_trunk_of_a_dragonfly_of_trees_is_all_cables_between_two_groups_and_slows_detours_over_them() -> None:
    structure = built("dragonfly+", 32)
    fault = planted("trunk", structure, np.random.default_rng(1))
    one, other = sorted(set(structure.group[list(fault.hosts)].tolist()))
    assert len(fault.ways) == 2 * 4
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    ways, _, latency = structure.path(frm, to, np.full(32 * 32, 5))
    on = np.asarray(np.isin(ways, fault.ways).any(axis=1))
    ends = np.sort(np.stack([structure.group[frm], structure.group[to]]), axis=0)
    between, detour = (ends[0] == one) & (ends[1] == other), latency > LATENCY + 3.5 * HOP
    assert on[~detour].tolist() == between[~detour].tolist()
    assert not on[detour & between].any()
    assert on[detour].any()


def test_units_in_a_torus_have_a_cable_from_each_host_to_the_same_place_of_the_next_unit() -> None:
    structure = built("units in a torus", 32)
    assert isinstance(structure.plane, Tofu)
    assert structure.plane.sides == (1, 4, 2, 2, 2)
    assert np.bincount(structure.group).tolist() == [8] * 4
    away = {1: HOP, 7: 3 * HOP, 8: HOP + 2 * CABLE, 31: 4 * HOP + 2 * CABLE, 16: 2 * HOP + 4 * CABLE}
    for host, longer in away.items():
        assert times(World(structure), [(0, host)], 0) == pytest.approx([LATENCY + longer])
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 16), (8, 17)])[0] == pytest.approx(LATENCY + 2 * HOP + 4 * CABLE + 2 * MIB / RATE)
    assert built("units in a torus", 192).plane.sides == (4, 4, 2, 3, 2)  # type: ignore[attr-defined]


def test_switches_of_a_hypercube_are_as_far_apart_as_their_numbers_differ_in_bits() -> None:
    structure = built("hypercube", 32)
    assert structure.group.tolist() == [host // 4 for host in range(32)]
    for host in range(4, 32):
        apart = (host // 4).bit_count()
        assert times(World(structure), [(0, host)], 0) == pytest.approx([LATENCY + apart * HOP])
    world = World(structure, kernel=ONE_WAY)  # all three go from the second switch to the fourth
    three = times(world, [(0, 12), (1, 13), (4, 14)])
    assert three == pytest.approx([LATENCY + hops * HOP + 1.5 * MIB / RATE for hops in (2, 2, 1)])


def test_messages_in_a_stack_go_the_shorter_way_around() -> None:
    structure = built("stack of 4 switches", 32)
    world = World(structure, kernel=ONE_WAY)
    away = {7: 0, 8: 1, 16: 2, 24: 1}
    for host, hops in away.items():
        assert times(world, [(0, host)], 0) == pytest.approx([LATENCY + hops * HOP])
    eight = times(world, [(host, host + 8) for host in range(8)])
    assert eight == pytest.approx([LATENCY + HOP + 4 * MIB / RATE] * 8)
    assert times(world, [(host, host + 24) for host in range(8)]) == pytest.approx(eight)
    both = times(world, [(host, host + 16) for host in range(2)] + [(8, 18)])  # by the second switch
    assert both == pytest.approx([LATENCY + hops * HOP + 1.5 * MIB / RATE for hops in (2, 2, 1)])


@pytest.mark.parametrize("kind", ["trunk", "leaf"])
@pytest.mark.parametrize(
    "name",
    [
        "units in a torus", "hypercube", "stack of 4 switches", "random graph", "torus of routers",
        "switches in branches", "HyperX with tables", "dragonfly of single cables", "ring with a blocked cable",
    ],
)  # fmt: skip
def test_a_slow_cable_or_switch_slows_all_that_passes_it_and_no_others(name: str, kind: str) -> None:
    healthy = World(built(name, 32), kernel=ONE_WAY)
    for seed in range(3):
        fault = planted(kind, healthy.structure, np.random.default_rng(seed))
        group, plane = healthy.structure.group, healthy.structure.plane
        frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
        ways = plane.path(frm, to, np.zeros_like(frm))[0] + 2 * healthy.structure.adapters
        on = np.isin(ways, fault.ways).any(axis=1)
        slower = slower_links(healthy, fault)
        assert slower == set(zip(frm[on].tolist(), to[on].tolist(), strict=True))
        ends = {(int(group[a]), int(group[b])) for a, b in slower}
        own = set(group[list(fault.hosts)].tolist())

        def of(pairs: Pairs, group: np.ndarray = group) -> set[tuple[int, int]]:
            return {(int(group[one[0]]), int(group[other[0]])) for one, other in pairs}

        both = {(a, b) for a, b in ends if a < b and (b, a) in ends}
        if kind == "trunk":
            assert of(fault.between) == both
            assert of(fault.passing) == {(min(end), max(end)) for end in ends} - both
            assert tuple(sorted(own)) in both
        else:
            assert of(fault.passing) == {(min(end), max(end)) for end in ends if not own & set(end)}
            assert {(a, b) for a, b in ends if own & {a, b}} == {
                (a, b) for a in set(group) for b in set(group) if a != b and own & {a, b}
            }  # fmt: skip


def test_hosts_that_share_an_adapter_have_a_link_each_over_which_they_reach_each_other() -> None:
    world = World(built("4 hosts share an adapter", 16), kernel=ONE_WAY)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + MIB / RATE])
    assert times(world, [(host, host + 4) for host in range(4)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 4)
    assert times(world, [(0, 1), (1, 0), (2, 4), (3, 5)])[:2] == pytest.approx([BESIDE + MIB / RATE] * 2)
    assert world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1] == ("200 Gb/sec (4X HDR)",) * 16


@pytest.mark.parametrize("kind", ["host", "direction", "chassis"])
def test_a_slow_host_of_a_shared_adapter_leaves_the_others_alone_and_a_slow_adapter_slows_all_four(kind: str) -> None:
    healthy = World(built("4 hosts share an adapter", 16), kernel=ONE_WAY)
    fault = planted(kind, healthy.structure, np.random.default_rng(5))
    fault = replace(fault, rate=0.4)  # of an adapter: 80 Gbit/s
    slower = slower_links(healthy, fault)
    if kind == "chassis":
        own = fault.hosts
        assert len({host // 4 for host in own}) == 1
        assert slower == {(a, b) for a in range(16) for b in range(16) if (a in own) != (b in own)}
    else:
        assert slower == expected_links(fault, 16)


def test_on_hosts_without_the_second_rail_both_ranks_share_the_first() -> None:
    structure = built("half of the hosts with one rail", 16)
    assert structure.single.sum() == 8
    world = World(structure, kernel=ONE_WAY)
    (one, other), (two, more) = (np.flatnonzero(structure.single == single)[:2].tolist() for single in (True, False))
    for a, b, factor in ((one, other, 2), (two, more, 1)):
        took = times(world, [(2 * a, 2 * b), (2 * a + 1, 2 * b + 1)])
        assert took == pytest.approx([LATENCY + factor * MIB / RATE] * 2)
    assert times(world, [(2 * two + 1, 2 * one + 1)]) == pytest.approx([LATENCY + OTHER_RAIL + MIB / RATE])
    results = World(structure, iterations=1).results
    assert results.ranks.adapters.tolist() == [1 if structure.single[rank // 2] else 2 for rank in range(32)]
    assert results.ranks.device[2 * one + 1] == "mlx5_0 port 1"
    known = results.inventory.over_hosts("ib/mlx5_1/1", "rate")[0]
    assert sorted(known) == np.flatnonzero(~structure.single).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_a_slow_adapter_or_rail_is_one_that_its_hosts_have(seed: int) -> None:
    structure = built("half of the hosts with one rail", 16)
    adapter, plane = (planted(kind, structure, np.random.default_rng(seed)) for kind in ("adapter", "rail plane"))
    assert not structure.single[adapter.hosts[0]]
    both = np.flatnonzero(~structure.single).tolist()
    assert list(plane.hosts) == (list(range(16)) if plane.parts == ("rail0",) else both)


def test_the_hash_of_a_lag_prefers_the_first_cable_and_is_the_same_there_and_back() -> None:
    structure = built("two switches with a LAG", 32)
    a, b = (numbers.ravel() for numbers in np.indices((16, 16)))
    there, back = (structure.plane.path(*ends, np.zeros_like(a))[0] for ends in ((a, b + 16), (b + 16, a)))
    cable = there[:, 0]
    assert np.bincount(cable, minlength=4) / 256 == pytest.approx([0.5, 0.207, 0.159, 0.134], abs=0.08)
    assert (back[:, 1] - back[:, 1].min()).tolist() == cable.tolist()
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + HOP + MIB / RATE])
    across = [(host, host + 16) for host in range(16)]
    most = int(np.bincount(cable[a == b]).max())
    assert max(times(world, across)) == pytest.approx(LATENCY + HOP + most * MIB / RATE)


def test_placement_groups_are_nearer_within_and_each_pair_has_a_latency_of_its_own() -> None:
    structure = built("placement groups", 32)
    a, b = np.triu_indices(32, 1)
    latency = structure.path(a, b, np.zeros_like(a))[2]
    assert latency.tolist() == structure.path(b, a, np.ones_like(a))[2].tolist()
    across = structure.group[a] != structure.group[b]
    for apart, seconds, spread in ((False, 8e-6, 0.01), (True, 14e-6, 0.05)):
        of = np.log(latency[across == apart] / seconds)
        assert (of.mean(), of.std()) == pytest.approx((0, spread), abs=spread / 4)
    assert times(World(structure), [(0, 1)])[0] == pytest.approx(8e-6 + 4 * MIB / RATE, rel=0.01)
    made = World(structure, iterations=4)
    longer = made.results.sizes[0].rows.median / made.true_times(made.costs, 1).ravel()
    assert (longer > 1.1).mean() == pytest.approx(0.01, abs=0.005)
    assert longer.max() > 3


def test_four_switches_have_cables_between_any_two_and_a_receiver_has_one_of_them() -> None:
    structure = built("4 switches, each with each", 96)  # 24 hosts on each, 4 cables between two
    assert np.bincount(structure.group).tolist() == [24] * 4
    world = World(structure, kernel=ONE_WAY)
    once = LATENCY + HOP + MIB / RATE
    assert times(world, [(0, 24)]) == pytest.approx([once])
    assert times(world, [(0, 72), (1, 73), (2, 74), (3, 75)]) == pytest.approx([once] * 4)
    assert times(world, [(0, 24), (1, 28)]) == pytest.approx([once + MIB / RATE] * 2)
    across = times(world, [(host, host + 24) for host in range(24)])
    assert across == pytest.approx([LATENCY + HOP + 6 * MIB / RATE] * 24)


def test_the_hosts_of_a_rack_are_in_turns_on_its_two_leaves() -> None:
    structure = built("two leaves per rack, hosts in turns", 64)
    assert structure.group.tolist() == [host // 16 * 2 + host % 2 for host in range(64)]
    assert structure.oversubscription == pytest.approx(8 / 3)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.capacity.tolist() == [RATE] * 8 * 3 * 2
    world = World(structure)
    for host, hops in ((2, 0), (1, 2), (16, 2)):
        assert times(world, [(0, 2 * host)], size=0) == pytest.approx([LATENCY + hops * HOP])


def test_gpus_of_a_rack_use_nvlink_and_those_of_other_racks_meet_at_the_spines() -> None:
    structure = built("NVLink racks, 4 rails", 64)  # 4 racks of 4 hosts
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 4), (1, 6)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE] * 2)
    for to in (16, 17):
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (4 * RATE)])
    loaded = times(world, [(4 * host, 4 * host + 16) for host in range(4)])  # the same rail: 2 uplinks for 4
    assert loaded == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / (4 * RATE)] * 4)


def test_seven_to_one_between_pods_of_gpus_and_all_adapters_of_a_rack_on_one_leaf() -> None:
    structure = built("8 GPUs, 7:1 between pods", 128)  # 32 hosts, 16 racks, 4 pods
    assert structure.group.tolist() == [host // 2 for host in range(32)]
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert times(world, [(0, 9)], size=0) == pytest.approx([LATENCY])
    within, between = [(rank, rank + 16) for rank in range(16)], [(rank, rank + 64) for rank in range(64)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + once] * 16)
    assert times(world, between[:1]) == pytest.approx([LATENCY + 4 * HOP + 1e-6 + once])
    assert times(world, between) == pytest.approx([LATENCY + 4 * HOP + 1e-6 + once * 64 / 9] * 64)
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))


def test_hosts_with_gpus_are_on_two_leaves_and_those_without_have_one_adapter_on_one() -> None:
    structure = built("partitions with and without GPUs", 64)  # 4 racks of 8 hosts
    assert structure.single.tolist() == [False] * 16 + [True] * 16
    assert structure.groups[[0, 8, 16]].tolist() == [[0, 0, 4, 4], [1, 1, 5, 5], [2, 2, 2, 2]]
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8, 8, 2, 2, 8, 8]  # of 200 Gbit/s
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 5), (1, 4)]) == pytest.approx([LATENCY + MIB / (2 * RATE)] * 2)
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (2 * RATE)])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE])
    assert times(world, [(64, 68), (65, 69)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 2)
    assert set(World(structure, iterations=1).ranks.adapters.tolist()) == {1, 4}


def test_error_correction_makes_messages_longer_at_each_host_of_the_second_rack() -> None:
    structure = built("error correction on longer cables", 64)  # leaves of 16
    world = World(structure)
    for pair, ends in (((0, 7), 0), ((0, 8), 1), ((8, 15), 2), ((16, 23), 0), ((16, 24), 1)):
        assert times(world, [pair], size=0) == pytest.approx([LATENCY + ends * 0.25e-6])
    assert np.ptp(structure.rate) == np.ptp(structure.processor) == 0
    assert structure.oversubscription == 2


@pytest.mark.parametrize("hosts", [8, 32, 64, 256])
def test_unequal_leaves_have_equal_uplinks(hosts: int) -> None:
    structure = built("unequal leaves with equal uplinks", hosts)
    unit = max(1, min(4, hosts // 16))
    assert isinstance(structure.plane, FatTree)
    assert set(structure.plane.uplinks.tolist()) == {2 * unit}
    assert np.bincount(structure.group)[:2].tolist() == [4 * unit, 2 * unit]
    across = times(World(structure, kernel=ONE_WAY), [(host, 4 * unit + host) for host in range(2 * unit)])
    assert across == pytest.approx([LATENCY + 2 * HOP + MIB / RATE] * 2 * unit)  # a receiver has an uplink of its own


def test_a_flow_of_a_cloud_gets_less_across_placement_groups_and_two_within_one_share_the_machine() -> None:
    world = World(built("flow limits of placement groups", 16), kernel=ONE_WAY)  # 2 ranks in each, 4 hosts in a group
    within, across = (8e-6, 0.1), (14e-6, 0.05)
    shared, left = (8e-6, 0.0625), (8e-6, 0.075)  # half of the machine's 12.5 Gbit/s, and what a limited flow leaves
    for pairs, expected in (
        ([(0, 2)], [within]), ([(0, 8)], [across]), ([(0, 2), (1, 4)], [shared] * 2),
        ([(0, 8), (1, 10)], [across] * 2), ([(0, 2), (1, 8)], [left, across]),
    ):  # fmt: skip
        took = [latency + MIB / (rate * RATE) for latency, rate in expected]
        assert times(world, pairs) == pytest.approx(took, rel=0.01)


def test_newer_leaves_spread_what_they_send_evenly_and_older_ones_always_send_a_pair_the_same_way() -> None:
    structure = built("newer leaves spread, older ones hash", 32)  # 4 leaves of 8 hosts with 4 uplinks
    plane = structure.plane
    assert isinstance(plane, PartlyAdaptive)
    assert plane.spreads.tolist() == [False, False, True, True]
    assert structure.oversubscription == 2
    place, when = np.tile(np.arange(8), 20), np.repeat(np.arange(20), 8)
    up = {first: plane.path(first + place, (first + 8) % 32 + place, when)[0][:, 0].reshape(20, 8) for first in (0, 24)}
    assert (up[0] == up[0][0]).all()
    assert not (up[24] == up[24][0]).all()
    assert all(np.unique(of_step, return_counts=True)[1].tolist() == [2] * 4 for of_step in up[24])


def test_stacks_are_rings_and_messages_to_another_one_go_by_its_first_switch_and_the_core() -> None:
    structure = built("stacks on a core", 64)  # 4 stacks of 4 switches of 4 hosts
    world, ends, switch = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, 1e-6
    cables = {(0, 3): 0, (0, 4): 1, (0, 8): 2, (0, 12): 1, (0, 16): 2, (0, 24): 4, (8, 28): 5, (8, 24): 6}
    for pair, count in cables.items():
        assert times(world, [pair], size=0) == pytest.approx([ends + count * switch])
        assert times(world, [pair]) == pytest.approx([ends + count * switch + MIB / (0.1 * RATE)])
    across = times(world, [(host, host + 16) for host in range(16)])  # 160 Gbit/s by a way of 80
    assert sum(MIB / (time - ends - 4 * switch) for time in across) == pytest.approx(0.8 * RATE, rel=0.05)
    ends_of = np.array([0, 8])
    there, back = structure.plane.path(ends_of, ends_of[::-1], np.zeros(2, np.int64))[0]
    plane = structure.plane
    assert isinstance(plane, Stacks)
    passed = [[np.argwhere(plane.cable == way)[0, 1] for way in ways if way != NONE] for ways in (there, back)]
    assert passed == [[1, 2], [3, 0]]


def test_cables_of_the_first_dimension_of_two_hypercubes_are_twice_as_wide() -> None:
    structure = built("two hypercubes", 64)  # 16 switches of 4 hosts
    world = World(structure, kernel=ONE_WAY)
    rate, latency = 0.545 * RATE, LATENCY + HOP
    for first, factor in ((8, 1), (16, 2)):  # 4 flows of a rail to switch 1, or to switch 2
        across = times(world, [(2 * host, 2 * host + first) for host in range(4)])
        assert across == pytest.approx([latency + factor * MIB / rate] * 4)
    assert not structure.reachable(np.array([0]), np.array([3])).any()


def test_two_adapters_on_one_port_share_it_but_are_on_one_leaf() -> None:
    structure = built("two adapters on one port", 16)  # leaves of 4 hosts with an uplink of 200 Gbit/s
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 2)
    assert times(world, [(0, 2), (4, 3)]) == pytest.approx([LATENCY + 2 * MIB / RATE] * 2)
    assert times(world, [(0, 2), (3, 1)]) == pytest.approx([LATENCY + MIB / RATE] * 2)  # there and back
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))
    assert World(structure, iterations=1).ranks.device[:2] == ("mlx5_0 port 1", "mlx5_1 port 1")


def test_cores_of_one_row_of_racks_wake_up_later_and_say_nothing_of_it() -> None:
    structure = built("sleep states in one row", 64)  # 4 rows of two racks of 8 hosts
    world, alone = World(structure, kernel=ONE_WAY), LATENCY + 20e-6
    for pair, hops, ends in (((0, 1), 0, 0), ((0, 8), 2, 0), ((0, 16), 2, 1), ((16, 31), 2, 2), ((32, 63), 2, 0)):
        assert times(world, [pair], size=0) == pytest.approx([alone + hops * HOP + ends * 5e-6])
    across = times(world, [(host, host + 8) for host in range(8)])  # 200 Gbit/s by an uplink of 100
    assert across == pytest.approx([alone + 2 * HOP + 8 * MIB / RATE] * 8)
    assert np.ptp(structure.rate) == np.ptp(structure.processor) == 0


def test_a_third_of_the_hosts_send_less_than_they_receive_and_small_messages_take_as_long() -> None:
    structure = built("read requests of two lengths", 64)
    short = np.isfinite(structure.send)
    assert int(short.sum()) == 22
    world, one = World(structure, kernel=ONE_WAY), int(np.flatnonzero(short)[0])
    other = int(np.flatnonzero(~short & (structure.group == structure.group[one]))[0])
    assert times(world, [(one, other)], size=0) == pytest.approx([LATENCY])
    assert times(world, [(one, other)]) == pytest.approx([LATENCY + MIB / (0.78 * RATE)])
    assert times(world, [(other, one)]) == pytest.approx([LATENCY + MIB / RATE])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_two_adapters_of_four_are_behind_a_pcie_switch_in_the_first_lot_of_servers_only() -> None:
    structure = built("PCIe switches in one lot of servers", 64)  # 32 hosts, racks of 8
    plane = structure.plane
    assert isinstance(plane, PcieSwitches)
    assert np.flatnonzero(plane.link != NONE).tolist() == [4 * host + rail for host in range(20) for rail in (2, 3)]
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    for pairs, switches, factor in (
        ([(0, 4), (1, 5)], 0, 1.0), ([(2, 6)], 2, 1.0), ([(2, 6), (3, 7)], 2, 2 / 1.26), ([(2, 6), (7, 3)], 2, 1.0),
        ([(98, 102), (99, 103)], 0, 1.0), ([(78, 82)], 1, 1.0),
    ):  # fmt: skip
        assert times(world, pairs) == pytest.approx([LATENCY + switches * 0.15e-6 + factor * once] * len(pairs))
    assert np.ptp(structure.rate) == 0


def test_the_last_pod_of_a_machine_may_send_less_also_to_its_neighbours() -> None:
    world = World(built("pods that may send less"), kernel=ONE_WAY)  # 4 machines of 4 pods
    wired, beside = LATENCY + 20e-6, BESIDE + 20e-6
    for pair, latency, rate in (
        ((0, 4), wired, 0.25), ((3, 4), wired, 0.04), ((4, 3), wired, 0.25), ((3, 0), beside, 0.04),
        ((0, 3), beside, 0.25),
    ):  # fmt: skip
        assert times(world, [pair]) == pytest.approx([latency + MIB / (rate * RATE)])
    together = times(world, [(pod, pod + 4) for pod in range(4)])  # the others share what it leaves
    assert together == pytest.approx([wired + MIB / (rate * RATE) for rate in (0.07, 0.07, 0.07, 0.04)])
    assert np.isfinite(built("pods that may send less", 8).send).tolist() == [False, True] * 4


def test_messages_to_a_machine_share_one_of_its_two_receive_queues_or_do_not() -> None:
    world = World(built("two receive queues", 32), kernel=ONE_WAY)  # 16 machines of 4 ranks

    def rates(pairs: list[tuple[int, int]]) -> list[float]:
        each = zip(times(world, pairs), times(world, pairs, size=0), strict=True)
        return [round(MIB / (large - small) / RATE, 6) for large, small in each]

    assert times(world, [(0, 4)], size=0) == pytest.approx([LATENCY + 24e-6])
    assert rates([(0, 4)]) == [0.14]
    assert rates([(0, 4), (1, 5)]) == [0.07] * 2  # the same two machines, so the same queue
    assert rates([(0, 4), (1, 8)]) == [0.125] * 2
    both = [tuple(rates([(0, 4 * to), (4, 4 * to + 1)])) for to in range(2, 16)]
    assert set(both) == {(0.07, 0.07), (0.125, 0.125)}
    assert both == [tuple(rates([(0, 4 * to), (4, 4 * to + 1)])) for to in range(2, 16)]


def test_two_hosts_of_a_tray_share_an_adapter_and_the_second_one_is_further_from_it() -> None:
    structure = built("trays of two hosts")  # leaves of 4 hosts of 2 ranks
    world = World(structure, kernel=ONE_WAY)
    for pair, latency in (
        ((0, 4), LATENCY), ((0, 6), LATENCY + 0.15e-6), ((2, 6), LATENCY + 0.3e-6), ((0, 2), BESIDE + 0.15e-6)
    ):  # fmt: skip
        assert times(world, [pair]) == pytest.approx([latency + MIB / (2 * RATE)])
    assert times(world, [(0, 4), (2, 5)]) == pytest.approx([LATENCY + MIB / RATE, LATENCY + 0.15e-6 + MIB / RATE])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([BESIDE + 0.15e-6 + MIB / (1.26 * RATE)] * 2)
    assert np.ptp(structure.processor) == 0


def test_messages_go_all_the_way_around_a_ring_where_its_cable_is_blocked() -> None:
    world = World(built("ring with a blocked cable", 32), kernel=ONE_WAY)  # 8 switches of 4 hosts
    ends = LATENCY + 16e-6
    for pair, cables in (((0, 1), 0), ((0, 4), 1), ((0, 28), 1), ((0, 8), 2), ((0, 12), 5), ((8, 12), 7)):
        assert times(world, [pair], size=0) == pytest.approx([ends + cables * 1e-6])
    across = times(world, [(12 + host, (28 + host) % 32) for host in range(16)])  # all by the cable in the middle
    assert across == pytest.approx([ends + 4e-6 + 16 * MIB / RATE] * 16)
    assert times(world, [(12, 28), (0, 8)]) == pytest.approx([ends + hops * 1e-6 + 4 * MIB / RATE for hops in (4, 2)])


def test_hosts_of_a_torus_in_five_dimensions_are_as_far_apart_as_their_places() -> None:
    for hosts, sides in ((8, (2, 2, 2)), (32, (2,) * 5), (64, (4, 2, 2, 2, 2)), (256, (4, 4, 4, 2, 2))):
        plane = built("torus in five dimensions", hosts).plane
        assert isinstance(plane, Torus)
        assert plane.sides == sides
    world, once = World(built("torus in five dimensions", 32), kernel=ONE_WAY), MIB / 1.8e9
    for other in range(1, 32):
        hops = other.bit_count()
        assert times(world, [(0, 2 * other)]) == pytest.approx([LATENCY + hops * HOP + once])
    both = times(world, [(0, 50), (32, 48)])  # over the cable from host 16 to host 24
    assert both == pytest.approx([LATENCY + 3 * HOP + 2 * once, LATENCY + HOP + 2 * once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + HOP + 2 * once] * 2)


def test_messages_between_networks_go_by_the_router_of_their_sender() -> None:
    structure = built("two routers for networks in turns")  # networks of 2, 3, 5, 2 and 4 hosts
    assert np.bincount(structure.group).tolist() == [2, 3, 5, 2, 4]
    world, ends = World(structure, kernel=ONE_WAY), LATENCY + 3e-6
    for pair, router in (((0, 1), 0.0), ((0, 5), 3e-6), ((0, 2), 3e-6), ((2, 0), 11e-6), ((2, 10), 11e-6)):
        assert times(world, [pair], size=0) == pytest.approx([ends + router])
    assert times(World(structure), [(0, 2)], size=0) == pytest.approx([ends + 7e-6])  # there and back
    five, alone = [(0, 2), (1, 3), (5, 10), (6, 11), (7, 4)], [(12, 13)]  # 125 Gbit/s by a router of 100
    loaded = times(world, five + alone)
    assert loaded == pytest.approx([ends + 3e-6 + 5 * MIB / RATE] * 5 + [ends + 4 * MIB / RATE])
    assert times(world, [*five[:4], (4, 7)])[0] == pytest.approx(ends + 3e-6 + 4 * MIB / RATE)


def test_any_two_of_eight_sockets_are_one_or_two_links_apart_and_three_are_one() -> None:
    world = World(built("8 sockets with 3 links", 32))  # 4 ranks on each, two in a cluster
    latency = world.structure.inside_latency
    for of_rank in latency:
        kinds, count = np.unique(np.round(of_rank, 9), return_counts=True)
        assert kinds.tolist() == pytest.approx([0.2e-6, 0.23e-6, 0.36e-6, 0.48e-6])
        assert count.tolist() == [2, 2, 12, 16]
    assert (latency == latency.T).all()
    for other, rate in ((1, 11e9), (2, 10e9), (4, 6.5e9), (8, 4.5e9), (16, 6.5e9), (28, 6.5e9)):
        assert times(world, [(0, other)]) == pytest.approx([latency[0, other] + MIB / rate])


def test_core_groups_share_an_adapter_and_supernodes_have_a_fourth_as_many_uplinks() -> None:
    structure = built("supernodes, 4:1", 64)  # 32 hosts, 8 in a supernode
    assert structure.oversubscription == pytest.approx(4)
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([LATENCY + 2 * once] * 2)
    across = times(world, [(4 * host, 4 * host + 32) for host in range(8)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 4 * once] * 8)


def test_twenty_two_hosts_have_nine_uplinks_of_twice_their_rate() -> None:
    structure = built("fat tree 11:9 by receiver", 128)
    assert structure.oversubscription == pytest.approx(11 / 9)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [9] * 5 + [7]
    world, alone = World(structure, kernel=ONE_WAY), LATENCY + 2 * HOP
    across = times(world, [(host, host + 22) for host in range(22)])  # two or three receivers have the same uplink
    assert sorted(across) == pytest.approx([alone + MIB / RATE] * 10 + [alone + 1.5 * MIB / RATE] * 12)
    others = times(World(structure, seed=2, kernel=ONE_WAY), [(host, host + 22) for host in range(22)])
    assert others == across  # routes are static


def test_groups_of_cores_have_interfaces_of_their_own_and_share_the_cables_between_units() -> None:
    structure = built("units in a torus, 4 interfaces", 64)  # 4 units of 8 hosts
    assert np.bincount(structure.group).tolist() == [8] * 4
    world, once = World(structure, kernel=ONE_WAY), MIB / 6.8e9
    away = {4: HOP, 28: 3 * HOP, 32: HOP + 2 * CABLE, 64: 2 * HOP + 4 * CABLE}  # ranks: 4 of each host
    for rank, longer in away.items():
        assert times(world, [(0, rank)]) == pytest.approx([LATENCY + longer + once])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([LATENCY + HOP + once] * 2)
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([LATENCY + HOP + 2 * once] * 2)
    assert times(world, [(0, 32), (1, 33)]) == pytest.approx([LATENCY + HOP + 2 * CABLE + 2 * once] * 2)
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))


def test_a_cable_between_units_of_several_interfaces_slows_the_messages_of_all_over_it() -> None:
    structure = built("units in a torus, 4 interfaces", 64)
    frm, to = np.divmod(np.arange(structure.ranks**2), structure.ranks)
    frm, to = frm[frm != to], to[frm != to]
    flows = Flows(np.zeros_like(frm), frm, to, *structure.path(frm, to, np.zeros_like(frm)))
    for seed in range(3):
        fault = planted("trunk", structure, np.random.default_rng(seed))
        over = np.isin(flows.ways, fault.ways).any(axis=1)
        assert over.any()
        assert fault.touches(structure, flows).tolist() == over.tolist()
        ends = {(structure.group[a[0]], structure.group[b[0]]) for a, b in (*fault.between, *fault.passing)}
        crossing = np.sort(structure.group[np.stack([frm[over], to[over]]) // 4], axis=0)
        assert set(zip(*crossing.tolist(), strict=True)) == ends


def test_two_flows_share_an_uplink_of_twice_their_rate_and_three_do_not() -> None:
    structure = built("rail-optimized, uplinks of twice the rate", 64)  # 4 pods of 4 hosts, 2 uplinks for each rail
    assert structure.oversubscription == pytest.approx(1)
    world, alone = World(structure, kernel=ONE_WAY), LATENCY + 3e-6 + 2 * HOP + MIB / (2 * RATE)
    two, four = set[float](), set[float]()
    for turn in range(12):
        pairs = [(8 * host, 8 * (4 + (host + turn) % 12)) for host in range(4)]
        for pairs_, longer in ((pairs[:2], two), (pairs, four)):
            longer.add(round((max(times(world, pairs_)) - alone) * RATE / MIB, 6))
    assert two == {0.0}
    assert four == {0.0, 0.25, 0.5}  # up to two, three or four flows of the same uplink


def test_islands_have_a_fourth_as_many_cables_between_them_as_hosts() -> None:
    structure = built("islands, 4:1 between them by receiver", 64)  # leaves of 8 hosts, islands of 2 leaves
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(2 * host, 2 * host + 16) for host in range(8)]) == pytest.approx(
        [LATENCY + 2 * HOP + once] * 8
    )
    across = times(world, [(2 * host, 2 * host + 32) for host in range(16)])
    assert across == pytest.approx([LATENCY + 4 * HOP + 4 * once] * 16)


def test_groups_of_a_dragonfly_of_trees_may_have_hosts_of_one_adapter() -> None:
    structure = built("dragonfly+ of hosts with 2 rails and 1", 64)  # 4 groups of 8 hosts
    assert structure.single.tolist() == [False] * 16 + [True] * 16
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(64, 68), (66, 70)]) == pytest.approx([LATENCY + 2 * once] * 2)


@pytest.mark.parametrize("name", ["8 dies on 4 rails in a dragonfly", "8 NUMA nodes on 2 rails in a dragonfly"])
def test_adapters_of_a_host_are_on_switches_of_their_own_in_a_dragonfly(name: str) -> None:
    structure = built(name, 64)  # 4 groups of 4 hosts, of 8 ranks
    last = 8 // structure.rails  # the second rank with an adapter of its own
    when = np.arange(400)
    latency = structure.path(np.full_like(when, last), np.full_like(when, 40 + last), when)[2]
    assert 0.05 < (latency > latency.min() + 2 * HOP).mean() < 0.25  # a half of the third groups are none
    frm, to = np.zeros(2, np.int64), np.array([8, 8 + last])
    one, other = structure.path(frm, to, np.zeros(2, np.int64))[2]
    assert other - one == pytest.approx(HOP)


def test_receivers_behind_two_leaves_of_a_chassis_are_dealt_out_to_all_uplinks() -> None:
    structure = built("4 rails on 2 leaves, by receiver", 64)  # 4 chassis of 8 hosts
    assert structure.groups[9].tolist() == [1, 1, 5, 5]
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [16] * 8
    world, alone = World(structure, kernel=ONE_WAY), LATENCY + 2 * HOP + MIB / RATE
    assert times(world, [(0, 33), (1, 32)]) == pytest.approx([alone] * 2)
    across = times(world, [(rank, rank + 32) for rank in range(32)])  # each receiver has an uplink of its own
    assert across == pytest.approx([alone] * 32)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 6)]) == pytest.approx([alone])  # to the other leaf of the chassis


def test_three_gpus_share_a_port_and_racks_of_a_line_board_are_nearer() -> None:
    structure = built("6 GPUs on 2 rails, three levels", 64)  # racks of 4 hosts, two on a line board
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(0, 6), (3, 9)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(0, 6), (2, 7)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert times(world, [(0, 24), (3, 30)]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)
    across = times(world, [(6 * host + rank, 6 * host + 48 + rank) for host in range(8) for rank in (0, 3)])
    assert across == pytest.approx([LATENCY + 4 * HOP + once] * 16)  # nothing blocks
    assert times(world, [(0, 2), (0, 3)]) == pytest.approx([1e-6 + MIB / 50e9, 1.4e-6 + MIB / 32e9])


def test_only_the_older_racks_have_fewer_uplinks_than_adapters() -> None:
    structure = built("2 rails of two generations, 3:1 and 1:1", 64)  # 8 racks of 4 hosts
    old = int((structure.rate[:, 0] < 2 * RATE).sum()) // 4
    assert 4 <= old <= 6
    world, alone = World(structure, kernel=ONE_WAY), LATENCY + 2 * HOP
    for first, last, slower in ((0, 16 * (old - 1), 4 * MIB / RATE), (16 * old, 112, MIB / (2 * RATE))):
        pairs = [(first + 2 * adapter, last + 2 * adapter) for adapter in range(8)]  # a rank of each adapter of a rack
        assert times(world, pairs) == pytest.approx([alone + slower] * 8)


def test_nothing_is_narrower_than_the_leaves_where_these_are_two_to_one() -> None:
    structure = built("three levels, 2:1 at the leaves by receiver", 64)  # leaves of 8 hosts, two in a pod
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    for away, hops in ((8, 2), (16, 4)):
        across = times(world, [(4 * host, 4 * (host + away)) for host in range(16 if away == 16 else 8)])
        assert across == pytest.approx([LATENCY + hops * HOP + 2 * once] * len(across))


def test_bonds_of_newer_racks_are_faster_than_a_core_can_send() -> None:
    structure = built("leaf pairs with MLAG, two generations", 64)  # 8 racks of 8 hosts
    old = int((structure.rate[:, 0] < RATE).sum()) // 8
    assert 3 <= old <= 6
    world, alone = World(structure, kernel=ONE_WAY), LATENCY + 2 * HOP + 20e-6
    assert times(world, [(112, 96)]) == pytest.approx([alone + MIB / (0.4 * RATE)])
    assert times(world, [(112, 0)]) == pytest.approx([alone + 1e-6 + MIB / (0.25 * RATE)])
    assert times(world, [(0, 16)]) == pytest.approx([alone + 2e-6 + MIB / (0.25 * RATE)])


def test_a_leaf_and_the_core_choose_a_cable_of_their_link_each_by_a_hash_of_its_own() -> None:
    structure = built("LAGs to one core, 7:2, two processors", 64)  # 4 leaves of 16 hosts with 4 uplinks
    assert isinstance(structure.plane, LagCore)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.processor.tolist() == [2] * 48 + [0] * 16
    frm, to = (numbers.ravel() for numbers in np.meshgrid(np.arange(16), np.arange(16, 32)))
    ways = structure.plane.path(frm, to, np.zeros_like(frm))[0]
    assert len(np.unique(ways, axis=0)) == 16  # any cable up and any down
    assert (ways == structure.plane.path(frm, to, np.ones_like(frm))[0]).all()
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.4 * RATE)
    for pair, latency in (((0, 1), 2.6e-6), ((0, 16), 2.6e-6 + 2 * HOP), ((48, 0), 2.3e-6 + 2 * HOP)):
        assert times(world, [pair]) == pytest.approx([LATENCY + latency + once])
    together = {round((max(times(world, [(0, to), (1, to + 1)])) - LATENCY) / once) for to in range(16, 46)}
    assert together == {1, 2}


def test_an_island_has_one_uplink_for_all_of_its_hosts() -> None:
    structure = built("islands with one uplink, far socket", 64)
    assert np.bincount(structure.group).tolist() == [11, 11, 10, 11, 11, 10]
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(0, 22)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(0, 23)]) == pytest.approx([LATENCY + 0.2e-6 + 2 * HOP + once / 0.92])
    across = times(world, [(2 * host, 2 * host + 22) for host in range(11)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 11 * once] * 11)
    within = times(world, [(2 * host, 2 * host + 2) for host in range(0, 10, 2)])
    assert within == pytest.approx([LATENCY + once] * 5)


def test_eight_hosts_have_an_uplink_of_twice_their_rate_and_the_last_island_is_newer() -> None:
    structure = built("4 NUMA nodes, 4:1 by receiver, two processors", 64)  # 4 leaves of 8 hosts
    assert structure.oversubscription == pytest.approx(4)
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(96, 100)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(96, 0)]) == pytest.approx([LATENCY + 0.1e-6 + 2 * HOP + once])
    across = times(world, [(4 * host, 4 * host + 32) for host in range(8)])
    assert across == pytest.approx([LATENCY + 0.2e-6 + 2 * HOP + 4 * once] * 8)


def test_the_last_hosts_of_each_leaf_are_twice_as_fast() -> None:
    structure = built("two rates in each leaf, 2:1 adaptive, far socket", 64)  # leaves of 16 hosts, 5 uplinks
    assert (structure.rate[:, 0] / RATE).tolist() == ([1.0] * 12 + [2.0] * 4) * 4
    assert len(set(structure.kinds_of_groups)) == 1
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    for pair, hops, rate in (((0, 2), 0, 1), ((24, 26), 0, 2), ((24, 56), 2, 2), ((24, 32), 2, 1)):
        assert times(world, [pair]) == pytest.approx([LATENCY + hops * HOP + once / rate])
    across = times(world, [(2 * host, 2 * host + 32) for host in range(16)])  # 20 by uplinks of 10
    assert across == pytest.approx([LATENCY + 2 * HOP + 1.6 * once] * 16)


def test_two_receivers_share_an_uplink_that_is_as_wide_as_both() -> None:
    structure = built("two processors by rack, 1:1 by receiver", 64)  # leaves of 16 hosts, 8 uplinks
    assert structure.processor.tolist() == [2] * 48 + [0] * 16
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(48, 49)]) == pytest.approx([LATENCY + once])
    assert times(world, [(48, 0)]) == pytest.approx([LATENCY + 0.4e-6 + 2 * HOP + once])
    across = times(world, [(host, host + 16) for host in range(16)])
    assert across == pytest.approx([LATENCY + 0.8e-6 + 2 * HOP + once] * 16)


def test_half_of_the_rails_are_on_the_other_switch_by_cables_for_half_of_them() -> None:
    structure = built("8 rails on two joined switches", 64)  # 16 hosts, 32 cables
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert times(world, [(0, 8), (1, 11), (2, 10)]) == pytest.approx([LATENCY + once] * 3)
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + HOP + once])
    pairs = [(8 * host + rail, 8 * ((host + 1) % 16) + 4 + rail) for host in range(16) for rail in range(4)]
    assert times(world, pairs) == pytest.approx([LATENCY + HOP + 2 * once] * 64)  # the cables are dealt out evenly
    assert not any(possible(kind, structure) for kind in ("leaf", "uplink", "trunk", "rail"))


def test_gpus_of_a_host_share_its_adapter_in_a_dragonfly_and_one_is_nearest_to_it() -> None:
    structure = built("4 GPUs on one adapter in a dragonfly", 64)
    assert np.bincount(structure.group).tolist() == [4, 6, 10, 4, 6, 2]
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])  # on the same switch
    assert times(world, [(0, 9)]) == pytest.approx([LATENCY + HOP + 0.06e-6 + once])
    both = times(world, [(0, 4), (1, 8)])
    assert both == pytest.approx([LATENCY + 2 * once, LATENCY + HOP + 0.06e-6 + 2 * once])
    assert times(world, [(0, 1), (2, 4)])[0] == pytest.approx(NVLINK_LATENCY + MIB / 100e9)


def test_switches_of_a_torus_have_four_hosts_and_one_cable_to_each_neighbour() -> None:
    structure = built("two tori of switches", 128)  # 32 switches, 4 x 4 x 2
    assert isinstance(structure.plane, SwitchTorus)
    assert structure.plane.joined.sum(axis=1).tolist() == [5] * 32
    assert np.bincount(structure.plane.axis).tolist() == [64, 64, 32]
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.4 * RATE)
    for switch, hops in ((0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (6, 1), (8, 1), (16, 2), (21, 5)):
        assert times(world, [(2, 8 * switch)]) == pytest.approx([LATENCY + hops * HOP + once])
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([LATENCY + HOP + 2 * once] * 2)
    assert times(world, [(0, 8), (3, 11)]) == pytest.approx([LATENCY + HOP + once] * 2)  # by the other torus
    assert structure.reachable(np.array([0, 0]), np.array([8, 9])).tolist() == [True, False]


def test_two_accelerators_do_not_fill_the_adapter_that_four_share() -> None:
    structure = built("8 accelerators on 2 rails in a dragonfly+", 64)  # 4 groups of 4 hosts
    world, ends = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6
    one, two = times(world, [(0, 8)]), times(world, [(0, 8), (1, 16)])
    assert one == pytest.approx([ends + MIB / 12e9])
    assert two == pytest.approx([ends + MIB / 12e9, ends + 2 * HOP + MIB / 12e9])
    four = times(world, [(rank, 8 + rank) for rank in range(4)])
    assert four == pytest.approx([ends + 4 * MIB / (2 * RATE)] * 4)
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([ends + MIB / 12e9] * 2)
    assert times(world, [(0, 3), (1, 4)]) == pytest.approx([1.4e-6 + MIB / 11e9, 1.8e-6 + MIB / 9e9])


def test_few_cables_join_two_zones_that_do_not_block() -> None:
    structure = built("8 GPUs on one adapter, two zones", 64)  # leaves of 4 hosts, zones of two, with a cable
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    within = times(world, [(8 * host, 8 * host + 32) for host in range(4)])
    assert within == pytest.approx([LATENCY + 2 * HOP + once] * 4)
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 4 * HOP + once])
    across = times(world, [(8 * host, 8 * host + 64) for host in range(8)])
    assert across == pytest.approx([LATENCY + 4 * HOP + 8 * once] * 8)
    assert times(world, [(0, 8), (1, 16)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + 0.5e-6 + once / 0.7])
    inside = times(world, [(0, 1), (2, 4), (3, 5)])
    assert inside == pytest.approx([1e-6 + MIB / 250e9, *[2.4e-6 + MIB / 13e9] * 2])


def test_messages_to_another_private_network_cross_within_the_sending_machine() -> None:
    structure = built("8 GPUs on 4 relayed rails, lingering routes", 64)  # 4 leaves of 4 machines
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    ends = LATENCY + 24e-6
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([ends + once] * 2)
    assert times(world, [(0, 8), (2, 9)]) == pytest.approx([ends + 2 * once, ends + NVLINK_LATENCY + 2 * once])
    assert times(world, [(0, 32)]) == pytest.approx([ends + 2 * HOP + once])
    when = np.arange(128)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[0]
    changes = np.flatnonzero((np.diff(ways, axis=0) != 0).any(axis=1))
    assert 2 <= len(changes) <= 8
    assert len(set((changes % 16).tolist())) == 1


def test_gpus_have_six_links_to_four_others_of_a_cube_mesh() -> None:
    structure = built("cube mesh of GPUs on 4 adapters", 64)  # 4 racks of 4 hosts
    links = np.round(structure.inside_rate / 22e9).astype(int) * (structure.inside_rate > 9e9)
    assert links.sum(axis=0).tolist() == links.sum(axis=1).tolist() == [6] * 8
    assert (links > 0).sum(axis=1).tolist() == [4] * 8
    assert (links == links.T).all()
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    inside = [1e-6 + MIB / 22e9, 1e-6 + MIB / 44e9, 2.2e-6 + MIB / 9e9]
    assert [times(world, [(0, other)])[0] for other in (1, 4, 5)] == pytest.approx(inside)
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([LATENCY + 2 * once] * 2)
    across = times(world, [(8 * host + gpu, 8 * host + gpu + 32) for host in range(4) for gpu in range(0, 8, 2)])
    assert across == pytest.approx([LATENCY + 2 * HOP + once] * 16)


def test_two_flows_share_an_uplink_where_their_receivers_have_the_same_one() -> None:
    structure = built("fat tree 3:2 by receiver, far socket", 64)  # leaves of 16 hosts with 10 uplinks
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [10] * 4
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.95])
    assert times(world, [(0, 40), (2, 60)]) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 2)  # to hosts 20 and 30
    assert times(world, [(0, 40), (2, 58)]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)


def test_four_hosts_of_a_switch_share_its_cables_in_a_hypercube_and_the_first_is_twice_as_wide() -> None:
    structure = built("hypercube, far socket", 64)  # 16 switches
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    for switch, hops in ((1, 1), (2, 1), (3, 2), (12, 2), (15, 4)):
        assert times(world, [(0, 8 * switch)]) == pytest.approx([LATENCY + hops * HOP + once])
        far = LATENCY + 0.3e-6 + hops * HOP + once / 0.92
        assert times(world, [(0, 8 * switch + 1)]) == pytest.approx([far])
    for switch, slower in ((1, 1), (2, 2), (8, 2)):
        across = times(world, [(2 * host, 8 * switch + 2 * host) for host in range(4)])
        assert across == pytest.approx([LATENCY + HOP + slower * once] * 4)


def test_ranks_of_two_sockets_share_an_adapter_in_a_dragonfly_whose_routes_follow_the_load() -> None:
    structure = built("routes by load in a dragonfly, far socket", 64)
    assert isinstance(structure.plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [10] * 6 + [4]
    assert (structure.plane.groups, structure.plane.each) == (8, 2)
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])  # on the same switch
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + HOP + 0.25e-6 + once / 0.95])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx(
        [LATENCY + HOP + 2 * once, LATENCY + HOP + 0.25e-6 + 2 * once]
    )


def test_four_flows_fit_an_uplink_of_slow_hosts() -> None:
    structure = built("Ethernet 2:1, 10 Gbit/s", 64)  # leaves of 16 hosts with two uplinks
    assert structure.oversubscription == pytest.approx(2)
    world, once, ends = World(structure, kernel=ONE_WAY), MIB / (0.1 * RATE), LATENCY + 20e-6
    assert times(world, [(0, 1)]) == pytest.approx([ends + once])
    for shift in range(16, 24):
        four = times(world, [(host, host + shift) for host in range(4)])
        assert four == pytest.approx([ends + 2 * HOP + once] * 4)
    across = times(world, [(host, host + 16) for host in range(16)])
    assert max(across) >= ends + 2 * HOP + 2 * once


def test_two_stages_do_not_block_within_and_the_first_has_older_processors() -> None:
    structure = built("two islands of two processors", 64)  # leaves of 8 hosts with 4 uplinks, 4 leaves in an island
    assert structure.processor.tolist() == [2] * 32 + [0] * 32
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(64, 66)]) == pytest.approx([LATENCY + once])
    assert times(world, [(64, 80)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(0, 65)]) == pytest.approx([LATENCY + 0.35e-6 + 4 * HOP + once / 0.94])
    within = times(world, [(64 + 2 * host, 80 + 2 * host) for host in range(8)])
    assert within == pytest.approx([LATENCY + 2 * HOP + once] * 8)
    across = times(world, [(2 * host, 64 + 2 * host) for host in range(32)])
    assert across == pytest.approx([LATENCY + 0.15e-6 + 4 * HOP + 4 * once] * 32)


def test_the_last_islands_of_a_director_have_slower_adapters_and_uplinks() -> None:
    structure = built("islands on one core, 8:1, two generations", 64)  # 4 islands of 16 hosts
    assert isinstance(structure.plane, OneCore)
    assert (structure.rate[:, 0] / RATE).tolist() == [1.0] * 48 + [0.545] * 16
    assert structure.plane.uplinks.tolist() == [2] * 4
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(0, 2), (96, 98)]) == pytest.approx([LATENCY + once, LATENCY + once / 0.545])
    assert times(world, [(0, 96)]) == pytest.approx([LATENCY + 2 * HOP + once / 0.545])
    across = times(world, [(2 * host, 32 + 2 * host) for host in range(16)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 8 * once] * 16)
    across = times(world, [(96 + 2 * host, 2 * host) for host in range(16)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 8 * once / 0.545] * 16)


def test_the_island_with_gpus_is_twice_as_fast_and_three_to_one_as_the_others() -> None:
    structure = built("islands with and without GPUs, 3:1", 64)  # islands of 8 hosts, of two leaves
    assert (structure.rate[:, 0] / RATE).tolist() == [1.0] * 24 + [2.0] * 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(96, 114)]) == pytest.approx([LATENCY + 1.05e-6 + 2 * HOP + once / 2 / 0.94])
    within = times(world, [(96 + 4 * host, 112 + 4 * host) for host in range(4)])
    assert within == pytest.approx([LATENCY + 0.8e-6 + 2 * HOP + once / 2] * 4)
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    assert across == pytest.approx([LATENCY + 4 * HOP + 8 / 3 * once] * 8)
    across = times(world, [(96 + 4 * host, 4 * host) for host in range(8)])
    assert across == pytest.approx([LATENCY + 0.4e-6 + 4 * HOP + 8 / 3 * once] * 8)  # the other island is the narrower


def test_two_gpus_share_each_of_two_adapters_on_switches_of_their_own() -> None:
    structure = built("4 GPUs on 2 rails in a dragonfly", 64)  # 4 groups of 8 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 7)]) == pytest.approx([LATENCY + HOP + 0.06e-6 + once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.06e-6 + 2 * once])
    assert times(world, [(0, 1), (2, 4)])[0] == pytest.approx(NVLINK_LATENCY + MIB / 100e9)


def test_the_two_ports_of_a_card_are_on_the_two_leaves_of_a_rack() -> None:
    structure = built("8 GPUs on 4 ports, 3:2 static", 96)  # 4 racks of 6 machines
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 8
    assert structure.groups[0].tolist() == [0, 4, 0, 4]
    world, once, ends = World(structure, kernel=ONE_WAY), MIB / RATE, LATENCY + 4e-6
    assert times(world, [(0, 8)]) == pytest.approx([ends + once])
    assert times(world, [(0, 12)]) == pytest.approx([ends + once])  # the first port of the other card
    assert times(world, [(0, 10)]) == pytest.approx([ends + 2 * HOP + once])
    assert times(world, [(0, 48)]) == pytest.approx([ends + 2 * HOP + once])
    assert times(world, [(0, 8), (1, 16)]) == pytest.approx([ends + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 18), (4, 28)]) == pytest.approx([ends + once] * 3)


def test_two_tiles_share_an_adapter_and_all_adapters_of_a_rack_a_leaf() -> None:
    structure = built("8 tiles on 4 rails", 64)  # 4 racks of 4 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 11)]) == pytest.approx([LATENCY + 0.1e-6 + once])
    assert times(world, [(0, 8), (1, 16)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.1e-6 + 2 * once])
    across = times(world, [(8 * host + tile, 32 + 8 * host + tile) for host in range(4) for tile in (0, 2, 4, 6)])
    assert across == pytest.approx([LATENCY + 2 * HOP + once] * 16)
    assert times(world, [(0, 1), (2, 4)]) == pytest.approx([0.8e-6 + MIB / 190e9, 1.5e-6 + MIB / 30e9])
    assert not any(possible(kind, structure) for kind in ("rail", "rail plane"))


def test_four_accelerators_are_nearer_than_the_other_four_and_flows_meet_on_uplinks() -> None:
    structure = built("8 accelerators in two meshes", 64)  # 4 racks of 4 hosts, 32 uplinks
    world, once, ends = World(structure, kernel=ONE_WAY), MIB / RATE, LATENCY + 3e-6
    assert times(world, [(0, 3), (1, 4)]) == pytest.approx([1.5e-6 + MIB / 25e9, 3e-6 + MIB / 12e9])
    assert times(world, [(0, 8), (1, 10), (2, 16)]) == pytest.approx([ends + once] * 3)
    across = times(world, [(rank, 32 + rank) for rank in range(32)])
    loads = {round((time - ends - 2 * HOP) / once) for time in across}
    assert min(loads) == 1
    assert max(loads) > 1


def test_four_flows_of_a_machine_do_not_fill_its_adapter() -> None:
    structure = built("virtual machines with limits of flows", 64)  # 4 racks of 8 machines
    world, once, ends = World(structure, kernel=ONE_WAY), MIB / (0.32 * RATE), LATENCY + 24e-6
    assert times(world, [(0, 4)]) == pytest.approx([ends + once])
    assert times(world, [(0, 4), (1, 8), (2, 12), (3, 16)]) == pytest.approx(
        [ends + longer + once for longer in (0, 0.06e-6, 0.3e-6, 0.3e-6)]
    )
    assert times(world, [(0, 33)]) == pytest.approx([ends + 0.06e-6 + 2 * HOP + once])
    when = np.arange(128)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 8


@pytest.mark.parametrize("name", sorted(set(ALL) - {"three levels, 2:1 between pods", "unequal leaves, 2:1 adaptive"}))
@pytest.mark.one_in(3)
def test_structures_have_groups_of_at_least_two_hosts_at_any_size(name: str) -> None:
    for hosts in range(8, 257, 8):
        structure = built(name, hosts)
        assert structure.ranks >= hosts
        assert len(structure.group) == structure.hosts
        if structure.group.any():
            assert np.bincount(structure.group).min() >= 2


def test_every_pair_meets_once_and_no_rank_twice_in_a_step() -> None:
    for ranks in (2, 7, 16):
        order = orders.circle(ranks)
        assert len(set(zip(order.a.tolist(), order.b.tolist(), strict=True))) == len(order) == ranks * (ranks - 1) // 2
        ends = np.concatenate([order.step * ranks + order.a, order.step * ranks + order.b])
        assert len(np.unique(ends)) == len(ends)


def test_a_sample_gives_each_rank_so_many_different_partners() -> None:
    order = orders.sample(16, 4, np.random.default_rng(1))
    assert np.bincount(np.concatenate([order.a, order.b])).tolist() == [4] * 16
    assert len(np.unique(order.a * 16 + order.b)) == 32


@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.name)
def test_a_plan_reads_the_same_world_again_with_other_noise(phase: Phase) -> None:
    world = World(built("one switch", 16), faults=(planted("host", built("one switch"), np.random.default_rng(2)),))
    plan = Plan({phase.name: np.array([(a, b) for b in range(16) for a in range(b)])})
    first, second = (world.answer(plan, MIB, turn) for turn in (0, 1))
    assert (first.attempt == phase.attempt).all()
    assert not np.array_equal(first.median, second.median)
    main = world.results.sizes[-1].links.matrix("median", 16)
    assert np.log(first.median / main[first.frm, first.to]) == pytest.approx(0, abs=0.1)


def test_alone_and_in_a_quarter_of_the_load_flows_collide_less_than_in_the_order_of_the_run() -> None:
    world = World(built("fat tree 2:1 static", 32), noise=0.0, iterations=1)
    assert world.structure.ranks == 32
    pairs = np.array([(a, a + 16) for a in range(16)])
    plan = Plan({phase.name: pairs for phase in PHASES})
    rows = world.answer(plan, MIB, 0)
    mean = {
        p.name: float(np.mean(rows.median[(rows.attempt == p.attempt) & (rows.frm < 16) & (rows.to >= 16)]))
        for p in PHASES
    }
    assert mean["alone"] < mean["quarter"] < mean["order"]


@pytest.mark.parametrize("name", ["one switch", "torus", "4 rails", "far socket", "fat tree 1:1 adaptive"])
def test_healthy_both_directions_of_a_pair_take_as_long(name: str) -> None:
    world = World(built(name))
    one, other = world.true_times(world.costs, 1)
    assert one == pytest.approx(other)


def test_healthy_hosts_on_one_switch_are_all_alike() -> None:
    assert np.ptp(matrices(World(built("one switch")))) < 1e-12


def test_a_far_socket_is_slower_on_every_host_alike() -> None:
    structure = built("far socket", 8)
    latency = structure.path(np.array([0, 1, 4, 5]), np.array([2, 2, 6, 6]), np.zeros(4, np.int64))[2]
    assert latency[1] > latency[0]
    assert latency[:2] == pytest.approx(latency[2:])


@pytest.mark.parametrize("kind", ["host", "link", "one-way link", "direction", "tiny"])
def test_a_planted_part_slows_exactly_its_own_links(kind: str) -> None:
    healthy = World(built("one switch", 8), kernel=ONE_WAY)
    fault = planted(kind, healthy.structure, np.random.default_rng(5))
    world = World(healthy.structure, (fault,), kernel=ONE_WAY)
    slower = world.true_times(world.costs, MIB) > healthy.true_times(healthy.costs, MIB) * 1.01
    frm = np.stack([world.order.a, world.order.b])[slower]
    to = np.stack([world.order.b, world.order.a])[slower]
    links = set(zip(frm.tolist(), to.tolist(), strict=True))
    assert links == expected_links(fault, 8)


def expected_links(fault: Fault, hosts: int) -> set[tuple[int, int]]:
    own, others = fault.hosts[0], [host for host in range(hosts) if host != fault.hosts[0]]
    sent, received = {(own, other) for other in others}, {(other, own) for other in others}
    match fault.kind:
        case "link":
            return {fault.hosts, fault.hosts[::-1]}  # type: ignore[arg-type]
        case "one-way link":
            return {fault.hosts}  # type: ignore[arg-type]
        case "direction":
            return sent if fault.parts[1] == "send" else received
    return sent | received


def test_an_intermittent_host_is_slow_in_its_part_of_the_steps_only() -> None:
    structure = built("one switch", 16)
    fault = planted("intermittent 30 %", structure, np.random.default_rng(1))
    world = World(structure, (fault,), iterations=20)
    touched = world.costs.touched[0]
    slow = matrices(world).ravel() > 1.2 * np.median(matrices(world))
    assert not slow[~touched].any()
    assert slow[touched].mean() == pytest.approx(0.3, abs=0.1)


def test_a_flapping_host_is_slow_in_stretches_of_steps_and_a_drifting_one_ever_slower() -> None:
    structure = built("one switch", 16)
    worlds = {
        kind: World(structure, (planted(kind, structure, np.random.default_rng(1)),), iterations=20)
        for kind in ("flapping", "drifting")
    }
    times = {}
    for kind, world in worlds.items():
        touched = world.costs.touched[0]
        times[kind] = world.true_times(world.costs, MIB)[0][touched][np.argsort(world.order.step[touched])]
    slow = times["flapping"] > 1.2 * times["flapping"].min()
    assert slow.mean() == pytest.approx(0.3, abs=0.15)
    assert (slow[1:] != slow[:-1]).mean() < 1 / 8
    rise = np.diff(times["drifting"])
    assert (rise > 0).all()
    assert times["drifting"][-1] / times["drifting"][0] > 1.15


def test_packet_loss_makes_messages_late_and_means_long_but_not_medians() -> None:
    structure = built("one switch", 16)
    fault = planted("loss", structure, np.random.default_rng(1))
    world = World(structure, (fault,))
    rows = world.results.sizes[-1].rows
    own = np.isin(rows.frm, fault.hosts) | np.isin(rows.to, fault.hosts)
    assert rows.late[own].mean() > 5 * rows.late[~own].mean()
    assert np.mean(rows.mean[own] / rows.median[own]) > 2
    assert np.median(rows.median[own]) == pytest.approx(np.median(rows.median[~own]), rel=0.01)


def test_a_dark_host_times_out_and_missing_data_is_missing() -> None:
    structure = built("one switch", 8)
    dark, missing = (planted(kind, structure, np.random.default_rng(1)) for kind in ("dark host", "missing data"))
    rows = World(structure, (dark,)).results.sizes[0].rows
    own = np.isin(rows.frm, dark.hosts) | np.isin(rows.to, dark.hosts)
    assert ((rows.outcome == Outcome.TIMEOUT) == own).all()
    assert len(World(structure, (missing,)).results.sizes[0].rows) < len(rows)


def test_rails_that_do_not_meet_fail_between_rails_only() -> None:
    rows = World(built("2 rails that do not meet", 4)).results.sizes[0].rows
    apart = (rows.frm % 2 != rows.to % 2) & (rows.frm // 2 != rows.to // 2)
    assert ((rows.outcome != Outcome.OK) == apart).all()


def test_one_bad_uplink_takes_its_share_of_an_adaptive_leaf_and_all_of_a_static_route() -> None:
    left = {}
    for name in ("fat tree 1:1 static", "fat tree 1:1 adaptive"):
        structure = built(name)
        assert isinstance(structure.plane, FatTree)
        left[structure.plane.routes] = planted("uplink", structure, np.random.default_rng(1)).rate
    assert 1 - left["adaptive"] == pytest.approx((1 - left["static"]) / 4, abs=0.1)


@pytest.mark.long
def test_a_slow_cable_of_a_slim_fly_slows_all_messages_that_go_over_it_and_no_others() -> None:
    healthy = World(built("Slim Fly", 32), kernel=ONE_WAY)
    fault = planted("trunk", healthy.structure, np.random.default_rng(1))
    ends = sorted(set(healthy.structure.group[list(fault.hosts)].tolist()))
    assert len(ends) == 2
    plane = healthy.structure.plane
    assert isinstance(plane, SlimFly)
    world = World(healthy.structure, (fault,), kernel=ONE_WAY)
    links = [(a, b) for a in range(32) for b in range(32) if a != b]
    slower = {link for link in links if times(world, [link])[0] > 1.05 * times(healthy, [link])[0]}

    def goes_over_it(a: int, b: int) -> bool:
        one, other = int(plane.group[a]), int(plane.group[b])
        route = [one, int(plane.turn[one, other]), other]
        return any(sorted(route[at : at + 2]) == ends for at in (0, 1)) and one != other

    assert slower == {link for link in links if goes_over_it(*link)}
    assert slower == {
        link for one, other in fault.between for a in one for b in other for link in ((a, b), (b, a))
    }  # fmt: skip
    assert len(fault.between) == 5  # the ends, each end with the 2 other neighbours of the other end


def test_the_leaf_of_a_pod_has_the_uplinks_of_all_its_rails() -> None:
    structure = built("rail-optimized", 16)
    fault = planted("leaf", structure, np.random.default_rng(1))
    assert len(fault.ways) == 4 * 4 * 2  # rails, uplinks, up and down
    frm, to = np.divmod(np.arange(64 * 64), 64)
    a, b = structure.group[frm // 4], structure.group[to // 4]
    leaves = (a != b) | (frm % 4 != to % 4)  # all but messages to the same rail of the own pod
    own = structure.group[fault.hosts[0]]
    flows = structure.path(frm, to, np.zeros_like(frm))[0]
    expected = leaves & ((a == own) | (b == own)) & (frm // 4 != to // 4)
    assert np.isin(flows, fault.ways).any(axis=1).tolist() == expected.tolist()


def test_only_where_there_are_two_leaves_the_other_one_is_as_slow_as_the_planted_one() -> None:
    for name, hosts, alike in (
        ("two islands, 3:1", 32, True), ("fat tree 2:1 static", 8, True), ("fat tree 2:1 static", 16, False),
        ("rail-optimized", 8, False),  # messages within a pod show which it is
    ):  # fmt: skip
        fault = planted("leaf", built(name, hosts), np.random.default_rng(1))
        assert bool(fault.between) == alike


def test_a_part_that_nothing_measured_shows_does_not_count() -> None:
    structure = built("two generations by rack", 8)
    faster = Fault("host", ("n7",), (7,), ways=np.array([7, 15]), rate=0.6)
    hidden = World(structure, (faster,), iterations=1)
    alone = World(built("one switch", 8), (faster,), iterations=1)
    assert alone.visible(faster).counts(faster, alone.structure)
    assert alone.visible(faster).log_factor == pytest.approx(np.log(1 / 0.6), abs=0.05)
    assert hidden.visible(faster).errors < alone.visible(faster).errors
    few = World(built("one switch", 3), (Fault("host", ("n0",), (0,), ways=np.array([0, 3]), rate=0.6),))
    assert not few.visible(few.faults[0]).counts(few.faults[0], few.structure)


@pytest.mark.parametrize(("kind", "counts"), [("host", False), ("rank", False), ("loss", True), ("dark host", True)])
def test_a_slow_host_counts_among_four_of_its_kind(kind: str, counts: bool) -> None:
    structure = built("one switch, 100, 200 and 400 Gbit/s at random, 4 quadrants, hyperthreads", 32)
    (fewest,) = np.flatnonzero(np.bincount(structure.kind_of_host) < 4)
    host = int(np.flatnonzero(structure.kind_of_host == fewest)[0])
    random = np.random.default_rng(1)
    fault = replace(planted(kind, structure, random), hosts=(host,))
    equal = replace(fault, hosts=(int(np.flatnonzero(structure.kind_of_host != fewest)[0]),))
    assert Visible(1.0, 100.0).counts(fault, structure) == counts
    assert Visible(1.0, 100.0).counts(equal, structure)


@pytest.mark.parametrize(
    ("name", "kind", "counts"),
    [
        # A flow, and the uplinks of a leaf of two, give less than a slow adapter still has: the other host of the leaf
        # may as well be the slow one. A slow rank shows with all ranks of that.
        ("8 ranks by TCP, 2:1 static, two generations", "host", False),
        ("8 ranks by TCP, 2:1 static, two generations", "rank", True),
        ("8 ranks on 4 rails in a dragonfly", "host", True),
    ],
)
def test_a_host_counts_where_it_shows_with_three_others(name: str, kind: str, counts: bool) -> None:
    random = np.random.default_rng([10301, 17])
    structure = ALL[name](32, random)
    fault = planted(kind, structure, random)
    shown = World(structure, (fault,), 10301).visible(fault)
    assert shown.errors > 6
    assert (shown.partners >= 3) == shown.counts(fault, structure) == counts


@pytest.mark.parametrize(
    ("name", "hosts", "kind", "counts"),
    [
        ("fat tree 2:1 static", 32, "leaf", True), ("two generations in a tree", 32, "leaf", False),
        ("two processors in a tree", 32, "trunk", False), ("blocks of two generations", 32, "leaf", False),
    ],
)  # fmt: skip
def test_leaves_and_trunks_count_where_three_others_have_equal_hosts(
    name: str, hosts: int, kind: str, counts: bool
) -> None:
    structure = built(name, hosts)
    fault = planted(kind, structure, np.random.default_rng(1))
    assert Visible(1.0, 100.0).counts(fault, structure) == counts


def test_each_of_several_parts_is_visible_by_its_own_messages() -> None:
    structure, random = built("fat tree 2:1 static", 32), np.random.default_rng(1)
    faults = tuple(planted(kind, structure, random) for kind in ("link", "uplink", "leaf", "host"))
    world = World(structure, faults, iterations=1)
    seen = [world.visible(fault) for fault in faults]
    assert len({one.log_factor for one in seen}) == len(seen)


def values(results: Results) -> list[bytes]:
    return [column.tobytes() for size in results.sizes for column in vars(size.rows).values()]


def test_the_same_seed_gives_the_same_world_and_another_seed_another_one() -> None:
    made = [World(built("dragonfly"), seed=seed).results for seed in (1, 1, 2)]
    assert values(made[0]) == values(made[1])
    assert values(made[0]) != values(made[2])


def test_what_a_run_says_of_itself_has_true_steps_and_the_rates_of_adapters() -> None:
    results = World(built("two generations by rack", 8), iterations=2).results
    rows = results.sizes[0].rows
    assert len(results.steps.began) == int(rows.step.max()) + 1 == 14
    rates = results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("100 Gb/sec (4X EDR)",) * 4 + ("200 Gb/sec (4X HDR)",) * 4


@pytest.mark.parametrize("name", ALL)
@pytest.mark.one_in(20)
def test_every_structure_can_be_measured_with_every_part_that_it_has(name: str) -> None:
    structure = built(name)
    for kind in KINDS:
        if not possible(kind, structure):
            continue
        fault = planted(kind, structure, np.random.default_rng(1))
        world = World(structure, (fault,), iterations=1)
        for size in world.results.sizes:
            ok = size.rows.outcome == Outcome.OK
            assert np.isfinite(size.rows.median[ok]).all()
            assert (size.rows.median[ok] > 0).all()
        world.visible(fault)


def test_suspects_are_confirmed_in_the_same_world() -> None:
    structure = built("one switch")
    world = World(structure, (planted("host", structure, np.random.default_rng(1)),))
    again = confirmed(world, world.results).sizes[-1].rows.of_attempt(ORDER)
    assert len(again)


@pytest.mark.long
def test_a_clear_slow_host_is_scored_as_found_and_a_healthy_world_as_silent() -> None:
    one, none = (score(Case("one switch", kinds, 1, 16)) for kinds in (("host",), ()))
    assert one is not None
    assert none is not None
    (part,) = one.parts
    assert (part.counts, part.found, part.verdicts, one.wrong) == (True, True, 1, 0)
    assert (none.parts, none.said) == ((), ())


def test_what_a_structure_does_not_have_is_not_scored() -> None:
    assert score(Case("one switch", ("uplink",), 1, 8)) is None


@pytest.mark.long
def test_a_claimed_direction_is_scored() -> None:
    said = score(Case("one switch", ("direction",), 1, 16))
    assert said is not None
    assert [(one.sided, one.side_right) for one in said.said] == [(True, True)]


@pytest.mark.parametrize(
    ("kind", "subject", "about", "found"),
    [
        ("host", ("n3",), True, True), ("host", ("n4",), False, False), ("group", ("n[0-3]",), True, True),
        ("group", ("n[0-4]",), False, False), ("pair", ("n5:5", "n2:2"), True, True),
        ("pair", ("n5", "n3"), False, False),
    ],
)  # fmt: skip
def test_a_verdict_is_about_a_part_only_if_it_names_it(
    kind: str, subject: tuple[str, ...], about: bool, found: bool
) -> None:
    parts = {"host": ("host", (3,)), "group": ("leaf", (0, 1, 2, 3)), "pair": ("link", (2, 5))}
    what, hosts = parts[kind]
    verdict, fault = Verdict(kind, subject, "both", "slow", MIB, 1.5, 0.9, 5, ""), Fault(what, (), hosts)
    assert is_about(verdict, fault) == about
    assert is_found([verdict] if is_about(verdict, fault) else [], fault) == found


@pytest.mark.parametrize(
    ("kind", "subject", "about", "found"),
    [
        ("group", ("n[0-3]",), True, True), ("group", ("n[4-7]",), True, True), ("group", ("n[4-5]",), False, False),
        ("trunk", ("n[0-3]", "n[4-7]"), True, True), ("trunk", ("n[0-1]", "n[4-5]"), False, False),
        ("group", ("n[0-7]",), False, False), ("host", ("n1",), True, False), ("host", ("n5",), False, False),
    ],
)  # fmt: skip
def test_one_of_two_leaves_may_be_named_by_the_other(
    kind: str, subject: tuple[str, ...], about: bool, found: bool
) -> None:
    own, other = (0, 1, 2, 3), (4, 5, 6, 7)
    verdict = Verdict(kind, subject, "both", "slow", MIB, 1.5, 0.9, 5, "")
    fault = Fault("leaf", (), own, between=((own, other),))
    assert is_about(verdict, fault) == about
    assert is_found([verdict] if about else [], fault) == found


@pytest.mark.parametrize(
    ("kind", "subject", "about"),
    [
        ("trunk", ("n[0-1]", "n[2-3]"), True), ("trunk", ("n[0-1]", "n[4-5]"), True), ("group", ("n[4-5]",), False),
        ("trunk", ("n[2-3]", "n[4-5]"), False), ("trunk", ("n[0-1]", "n[2-5]"), True),
        ("trunk", ("n[0-3]", "n[4-5]"), False), ("trunk", ("n[0-1]", "n[2-6]"), False),
    ],
)  # fmt: skip
def test_a_cable_may_be_named_by_any_two_switches_whose_messages_go_over_it(
    kind: str, subject: tuple[str, ...], about: bool
) -> None:
    verdict = Verdict(kind, subject, "both", "slow", MIB, 1.5, 0.9, 5, "")
    fault = Fault("trunk", (), (0, 1, 2, 3), between=(((0, 1), (2, 3)), ((0, 1), (4, 5))))
    assert is_about(verdict, fault) == about
    assert is_found([verdict] if about else [], fault) == about


def test_a_bad_port_of_a_bond_is_named_by_its_host_and_a_bad_adapter_by_a_rank() -> None:
    named = Verdict("host", ("n3",), "both", "slow", MIB, 1.5, 0.9, 5, "")
    port, adapter = (Fault("adapter", (name,), (3,)) for name in ("n3/port1", "n3/rail1"))
    assert is_about(named, port)
    assert not is_about(named, adapter)


def test_adapters_short_of_pcie_say_more_than_they_reach() -> None:
    world = World(built("adapters short of PCIe, far socket", 8))
    assert world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1] == ("400 Gb/sec (4X NDR)",) * 8
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / (2.52 * RATE)])


def test_hosts_behind_a_dpu_take_longer_and_send_and_receive_at_once_by_the_same_cores() -> None:
    world = World(built("DPUs in every second rack", 8), kernel=AT_ONCE)
    for host, longer, rate in ((0, 0.0, 1.0), (2, 1.8e-6, 0.65)):
        rank = host * 2
        assert times(world, [(rank, rank + 2)]) == pytest.approx([LATENCY + 1e-6 + longer + MIB / (rate * RATE)])


def test_a_leaf_of_deep_buffers_takes_longer_within_itself_and_at_either_end() -> None:
    world = World(built("deep buffers in every second leaf", 16))
    usual = LATENCY + 3e-6
    pairs = [(0, 1), (2, 3), (0, 4), (0, 2), (2, 6)]
    alone = [times(world, [pair], size=0)[0] for pair in pairs]
    assert alone == pytest.approx(usual + np.array([0, 2.5e-6, 2 * HOP, 2 * HOP + 2.5e-6, 2 * HOP + 5e-6]))


def test_a_message_by_a_spine_of_the_other_building_takes_its_cables() -> None:
    structure = built("spines in two buildings", 16)
    plane = structure.plane
    assert isinstance(plane, TwoBuildings)
    frm, to = (numbers.ravel() for numbers in np.indices((16, 16)))
    frm, to = frm[frm != to], to[frm != to]
    ways, _, latency = structure.path(frm, to, np.zeros_like(frm))
    longer = np.round((latency - LATENCY - 3e-6) / 1e-7).astype(int)
    a, b = plane.building[plane.group[frm]], plane.building[plane.group[to]]
    near = plane.group[frm] == plane.group[to]
    assert set(longer[near]) == {0}
    assert set(longer[(a == b) & ~near]) == {6, 46}
    assert set(longer[a != b]) == {26}
    up = ways[:, 2] - 2 * structure.adapters
    assert ((longer == 6) == (~near & (a == b) & (up % 2 == a))).all()  # leaves have two uplinks


def test_a_grid_is_closed_along_its_first_dimension_only() -> None:
    world = World(built("grid closed along one dimension", 64))
    ends = [(0, 2 * host) for host in (48, 12, 3)]  # the last one of each dimension, of 4 x 4 x 4
    assert [times(world, [pair], size=0)[0] for pair in ends] == pytest.approx(
        LATENCY + 4e-6 + HOP * np.array([1, 3, 3])
    )


def test_a_message_to_another_row_and_column_passes_one_host() -> None:
    world = World(built("hosts joined by row and column", 16))
    pairs = [(0, 2 * host) for host in (3, 12, 15)]  # 4 x 4
    assert [times(world, [pair], size=0)[0] for pair in pairs] == pytest.approx(LATENCY + HOP * np.array([1, 1, 2]))


def test_messages_of_three_processors_at_one_rate_take_three_times() -> None:
    structure = built("three processors, 7:5 by receiver, far socket", 64)
    world = World(structure)
    assert len(set(world.results.inventory.over_hosts("host", "cpu_model")[1])) == 3
    assert len(set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])) == 1
    alone = [times(world, [(2 * host, 2 * host + 2)], size=0)[0] for host in (0, 24, 62 - 2)]
    assert alone == pytest.approx(LATENCY + 2 * np.array([0.25e-6, 0.12e-6, 0.0]))
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [5] * 8


def test_newer_hosts_on_one_switch_are_twice_as_fast_and_older_ones_take_longer() -> None:
    world = World(built("8 NUMA nodes on one switch, two generations", 32))  # 5 older hosts and 3 newer ones
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 0.2e-6 + MIB / RATE])
    assert times(world, [(40, 56)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])


def test_adapters_in_narrow_slots_say_more_and_share_each_message() -> None:
    world = World(built("striped rails in narrow slots, one switch", 16), kernel=ONE_WAY)
    assert set(world.results.inventory.over_hosts("ib/mlx5_1/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}
    alone = MIB / (1.26 * RATE)
    assert times(world, [(0, 7)]) == pytest.approx([LATENCY + 0.3e-6 + alone])
    assert times(world, [(0, 4), (3, 8)]) == pytest.approx([LATENCY + 0.3e-6 + 2 * alone] * 2)


@pytest.mark.parametrize("seed", range(4))
def test_older_racks_have_narrower_slots_and_say_the_same_rate(seed: int) -> None:
    structure = built("PCIe 3 in older racks, 2:1 adaptive", 32, seed)
    world = World(structure)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}
    old = structure.rate[:, 0] == 1.26 * RATE
    assert 12 <= old.sum() <= 20
    assert (np.diff(1 * old) <= 0).all()
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + MIB / (1.26 * RATE)])
    assert times(world, [(60, 62)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])


def test_hosts_of_one_gigabit_have_a_cable_of_ten_to_the_core() -> None:
    world = World(built("4 ranks on 1 Gbit/s, one core", 64), kernel=ONE_WAY)  # 8 hosts on each of 4 switches
    assert world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1][0] == "2.5 Gb/sec (1X SDR)"
    alone = MIB / (0.01 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 40e-6 + alone])
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 40e-6 + alone] * 8)


def test_two_trees_of_two_rates_are_joined_by_few_cables() -> None:
    structure = built("two trees of two rates", 32)  # 20 hosts of 400 Gbit/s and 12 of 200
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(2 * host, 8 + 2 * host) for host in range(4)]) == pytest.approx(
        [LATENCY + 2 * HOP + MIB / (4 * RATE)] * 4
    )
    assert times(world, [(0, 40)]) == pytest.approx([LATENCY + 4 * HOP + MIB / (2 * RATE)])
    across = times(world, [(2 * host, 40 + 2 * host) for host in range(12)])
    assert across == pytest.approx([LATENCY + 4 * HOP + MIB / RATE] * 12)
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.upper.uplinks.tolist() == [5, 3]


def test_two_machines_of_a_host_share_its_adapter_and_hosts_are_in_no_order() -> None:
    structure = built("two virtual machines of 4 ranks on each host", 64)
    world = World(structure, kernel=ONE_WAY)
    group = structure.group
    assert (group[::2] == group[1::2]).all()
    assert (np.diff(group) < 0).any()
    assert np.bincount(group).tolist() == [8] * 4
    once, near = MIB / (0.3 * RATE), int(np.flatnonzero(group[2:] == group[0])[0]) + 2
    assert times(world, [(0, 4 * near)]) == pytest.approx([LATENCY + 27e-6 + once])
    four = times(world, [(place, 4 * near + place) for place in range(4)])
    assert four == pytest.approx([LATENCY + 27e-6 + 4 * MIB / RATE] * 4)
    assert times(world, [(0, 4)]) == pytest.approx([BESIDE + 24e-6 + MIB / RATE])


def test_numa_nodes_of_a_job_share_an_adapter_in_a_dragonfly() -> None:
    structure = built("8 NUMA nodes, routes by load in a dragonfly", 32)
    assert np.bincount(structure.group).tolist() == [2, 3, 3]
    assert isinstance(structure.plane, Slingshot)
    assert structure.plane.groups == 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + once])
    assert times(world, [(16, 32)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(7, 15)]) == pytest.approx([LATENCY + 0.6e-6 + once / 0.92])


def test_of_more_messages_between_two_switches_than_cables_the_others_go_by_a_third_one() -> None:
    structure = built("switches joined each with each, routes by load", 64)  # 8 hosts on a switch, two cables
    frm, to = 2 * np.arange(8), 16 + 2 * np.arange(8)
    for when in range(20):
        ways, _, latency = structure.path(frm, to, np.full(8, when))
        detour = ways[:, 3] != NONE
        assert (ways[:, 2] != NONE).all()
        assert len(set(ways[~detour, 2].tolist())) == 2
        assert latency == pytest.approx(LATENCY + HOP * (1 + detour))
        both = structure.path(np.concatenate([frm, to]), np.concatenate([to, frm]), np.full(16, when))[0]
        assert (both[:8] == ways).all()  # what comes back in the other phase changes nothing


def test_pods_of_two_generations_have_uplinks_of_their_own_speed() -> None:
    structure = built("rail-optimized, 8 rails, two generations", 64)  # 16 hosts in 4 pods
    world = World(structure, kernel=ONE_WAY)
    for first, speed in ((0, 2 * RATE), (8, 4 * RATE)):
        pairs = [((first + host) * 8, (first + 4 + host) * 8 + 3) for host in range(4)]  # to another pod and rail
        assert times(world, pairs) == pytest.approx([LATENCY + 2 * HOP + MIB / speed] * 4)
    assert times(world, [(0, 8 * 8)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (2 * RATE)])


def test_messages_there_and_back_go_all_the_way_around_a_ring_that_leads_one_way() -> None:
    structure = built("torus of rings that lead one way", 32)  # 8 x 4
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    there, back = (structure.plane.path(*ends, np.zeros_like(frm)) for ends in ((frm, to), (to, frm)))
    place = np.stack(np.unravel_index(np.arange(32), (8, 4)), axis=1)
    differ = place[frm] != place[to]
    assert there[1] + back[1] == pytest.approx(2 * LATENCY + HOP * differ @ np.array([8, 4]))
    assert set((there[0][there[0] != NONE] % 2).tolist()) == {1}
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 7), (2, 1)]) == pytest.approx([LATENCY + 2e-6 + 3 * HOP + MIB / 300e6] * 2)
    three = times(world, [(0, 7), (2, 1), (4, 3)])  # all by the cable from the third host to the fourth
    assert three == pytest.approx([LATENCY + 2e-6 + 3 * HOP + MIB / 200e6] * 3)


def test_hosts_of_two_networks_reach_each_other_by_ethernet_only() -> None:
    structure = built("two networks that meet by Ethernet only", 32)  # 16 hosts each
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / (0.545 * RATE)])
    assert times(world, [(60, 62)]) == pytest.approx([LATENCY + MIB / RATE])
    once = MIB / (0.1 * RATE)
    assert times(world, [(0, 62)]) == pytest.approx([LATENCY + 28.2e-6 + once])
    assert times(world, [(0, 60), (1, 62)]) == pytest.approx([LATENCY + 28.2e-6 + 2 * once] * 2)
    across = times(world, [(2 * host, 32 + 2 * host) for host in range(16)])
    assert across == pytest.approx([LATENCY + 28.2e-6 + once] * 16)


def test_two_ports_of_a_host_are_on_one_leaf_and_gpus_are_joined_by_links() -> None:
    structure = built("2 GPUs on 2 ports of one leaf, 1:1 by receiver", 32)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [16] * 4
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 0.8e-6 + once] * 2)
    across = times(world, [(rank, 16 + rank) for rank in range(16)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 0.8e-6 + once] * 16)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 35e9])


@pytest.mark.parametrize("seed", range(4))
def test_hosts_of_owners_have_two_processors_at_random(seed: int) -> None:
    structure = built("4 ranks, 2:1 by receiver, two processors at random", 64, seed)
    old = structure.overhead > 0
    assert 11 <= old.sum() <= 21
    assert np.abs(np.diff(1 * old)).sum() > 1
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    world = World(structure, kernel=ONE_WAY)
    receivers = [4 * 8, 4 * 10, 4 * 12, 4 * 14]  # all by the same uplink of the sending leaf
    across = times(world, list(zip((0, 4, 8, 12), receivers, strict=True)))
    assert across == pytest.approx([2 * MIB / RATE] * 4, rel=0.02)


def test_gpus_on_pcie_reach_another_host_faster_than_the_other_socket() -> None:
    world = World(built("4 GPUs on PCIe with one adapter, one switch", 32), kernel=ONE_WAY)
    alone = [times(world, [pair])[0] for pair in ((0, 4), (2, 4), (0, 1), (0, 2))]
    assert alone == pytest.approx([
        LATENCY + 1e-6 + MIB / (2 * RATE), LATENCY + 1.6e-6 + MIB / (1.2 * RATE),
        1.8e-6 + MIB / 21e9, 2.5e-6 + MIB / 13e9,
    ])  # fmt: skip
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([LATENCY + 1e-6 + MIB / RATE] * 2)


def test_two_ports_share_the_lanes_of_their_slot() -> None:
    structure = built("two ports in one slot, 2:1 adaptive", 32)
    assert (structure.groups[:, 0] != structure.groups[:, 1]).all()
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.5e-6 + MIB / (0.95 * RATE)])
    both = times(world, [(0, 2), (1, 3)])
    assert both == pytest.approx([LATENCY + MIB / (0.63 * RATE), LATENCY + 0.5e-6 + MIB / (0.63 * RATE)])


def test_a_flow_by_tcp_gets_what_the_slower_core_does_and_several_fill_the_adapter() -> None:
    world = World(built("8 ranks by TCP, 2:1 static, two generations", 64), kernel=ONE_WAY)  # 16 hosts in 4 racks
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 28e-6 + MIB / (0.22 * RATE)])
    assert times(world, [(64, 72)]) == pytest.approx([LATENCY + 24e-6 + MIB / (0.3 * RATE)])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 2 * HOP + 26e-6 + MIB / (0.22 * RATE)])
    eight = times(world, [(64 + place, 72 + place) for place in range(8)])
    assert eight == pytest.approx([LATENCY + 24e-6 + 8 * MIB / RATE] * 8)


def test_adapters_in_slots_of_pcie_2_do_less_than_the_cables_of_a_director() -> None:
    structure = built("director switch, far socket", 32)
    world = World(structure, kernel=ONE_WAY)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + MIB / (0.26 * RATE)])  # hosts 0 and 4, of one board
    across = times(world, [(0, 2), (8, 4)])  # hosts 1 and 2 are receivers of one board within
    assert across == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / (0.32 * RATE)] * 2)


def test_clusters_of_a_site_have_cables_of_their_own_years() -> None:
    structure = built("three clusters on one router", 64)
    assert isinstance(structure.plane, LagCore)
    assert structure.plane.uplinks.tolist() == [4] * 3 + [1] * 5
    assert len(set(structure.processor.tolist())) == 3
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 24e-6 + MIB / (0.1 * RATE)])
    last = [(96 + 2 * host, 112 + 2 * host) for host in range(8)]  # 8 hosts of 25 Gbit/s by a cable of 100
    assert times(world, last) == pytest.approx([LATENCY + 2 * HOP + 20e-6 + 8 * MIB / RATE] * 8)


def test_eight_ranks_share_one_adapter_or_four_and_nothing_blocks() -> None:
    structure = built("8 ranks on 4 rails or one, 1:1 adaptive", 64)  # 16 hosts in 4 racks, the last one with GPUs
    assert structure.single.tolist() == [True] * 12 + [False] * 4
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 2 * HOP + MIB / RATE])
    eight = times(world, [(place, 32 + place) for place in range(8)])
    assert eight == pytest.approx([LATENCY + 2 * HOP + 8 * MIB / RATE] * 8)
    gpus = times(world, [(96 + place, 104 + place) for place in range(8)])
    assert gpus == pytest.approx([LATENCY + MIB / RATE] * 8)
    all_of_a_rack = times(world, [(8 * host, 32 + 8 * host) for host in range(4)])
    assert all_of_a_rack == pytest.approx([LATENCY + 2 * HOP + MIB / RATE] * 4)


def test_hosts_on_the_core_are_a_cable_away_from_all_leaves() -> None:
    structure = built("newer hosts on the core, 2:1, far socket", 32)  # 28 hosts behind 4 leaves, 4 on the core
    assert isinstance(structure.plane, HostsOnCore)
    world = World(structure, kernel=ONE_WAY)
    pairs = [(0, 2), (0, 14), (0, 56), (56, 58)]
    latency = LATENCY + np.array([0.3e-6, 2 * HOP + 0.3e-6, HOP + 0.15e-6, 0.0])
    assert [times(world, [pair], size=0)[0] for pair in pairs] == pytest.approx(latency)
    assert times(world, [(56, 58)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    up = times(world, [(0, 56), (2, 62)])  # hosts 28 and 31 have the same one of three cables
    assert up == pytest.approx([LATENCY + HOP + 0.15e-6 + 2 * MIB / RATE] * 2)
    for seed in range(20):
        assert planted("uplink", structure, np.random.default_rng(seed)).hosts[-1] < 28


def test_half_of_a_job_is_in_one_group_and_the_others_are_pairs_on_a_switch() -> None:
    structure = built("full group and pairs of hosts in a dragonfly", 32)
    assert np.bincount(structure.group).tolist() == [8, 2, 2, 2, 2]
    assert isinstance(structure.plane, Slingshot)
    assert structure.plane.groups == 24
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 4), (32, 36)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(3, 7)]) == pytest.approx([LATENCY + 0.6e-6 + once / 0.93])


def test_rings_of_machines_are_joined_by_narrower_cables() -> None:
    world = World(built("rings of machines of 4 processors", 64), kernel=ONE_WAY)  # 16 machines, 4 x 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + HOP + 0.6e-6 + MIB / 64e9])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([LATENCY + HOP + 0.6e-6 + 2 * MIB / 64e9] * 2)
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + HOP + 0.6e-6 + MIB / 25e9])
    assert times(world, [(0, 16), (2, 18)]) == pytest.approx([LATENCY + HOP + 0.6e-6 + 2 * MIB / 25e9] * 2)
    assert times(world, [(0, 40)], size=0) == pytest.approx([LATENCY + 4 * HOP + 0.6e-6])


@pytest.mark.parametrize("hosts", [8, 24, 32])
def test_boards_of_a_cube_are_as_far_apart_as_their_numbers_differ_in_bits(hosts: int) -> None:
    structure = built("hypercube of boards", hosts)
    frm, to = (numbers.ravel() for numbers in np.indices((hosts, hosts)))
    ways, latency = structure.plane.path(frm, to, np.zeros_like(frm))
    bits = np.array([int(differ).bit_count() for differ in frm ^ to])
    assert ((ways != NONE).sum(axis=1) == bits).all()
    assert latency == pytest.approx(LATENCY + HOP * bits)
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(5, 6), (4, 2)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (0.4 * RATE)] * 2)


def test_weighted_hashes_give_each_spine_flows_as_it_is_wide() -> None:
    plane = built("spines of two rates by weighted hashes", 32).plane  # 4 leaves with 2 uplinks
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    wide = ways[ways[:, 0] != NONE] % 2
    assert (wide[:, 0] == wide[:, 1]).all()
    assert wide[:, 0].mean() == pytest.approx(0.8, abs=0.04)
    assert plane.capacity.tolist() == [RATE, 4 * RATE] * 8


def test_the_uplink_of_a_rack_decides_the_plane_in_which_a_message_goes_to_another_pod() -> None:
    structure = built("pods on planes of spines", 256)  # 16 racks with 4 uplinks, 4 pods with 2 spines in each plane
    assert isinstance(structure.plane, Stacked)
    frm, to = (numbers.ravel() for numbers in np.indices((256, 256)))
    ways, latency = structure.plane.path(frm, to, np.zeros_like(frm))
    pod = frm // 64 != to // 64
    assert latency[pod] == pytest.approx(LATENCY + 4 * HOP)
    up = ways[pod, 2] - len(structure.plane.lower.capacity)
    assert (up // 8 == frm[pod] // 64).all()
    assert (up % 4 == ways[pod, 0] % 4).all()
    assert len(np.unique(up)) == 4 * 8


def test_hosts_of_a_tree_of_four_levels_are_as_far_as_their_common_switch_is_high() -> None:
    world = World(built("4 ranks on 2 relayed rails, four levels", 32), kernel=ONE_WAY)  # 16 hosts
    away = {1: 0, 2: 2, 4: 4, 8: 6, 15: 6}
    for host, hops in away.items():
        assert times(world, [(0, 4 * host)], 0) == pytest.approx([LATENCY + hops * HOP + 3e-6])
    assert times(world, [(0, 6)], 0) == pytest.approx([LATENCY + 0.3e-6 + 3e-6])
    both = times(world, [(0, 4), (1, 5)])  # by the same rail
    assert both == pytest.approx([LATENCY + 3e-6 + 2 * MIB / 300e6] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + 3e-6 + MIB / 300e6] * 2)


@pytest.mark.parametrize(("hosts", "leaves", "uplinks"), [(32, 7, 3), (256, 13, 4)])
def test_any_two_leaves_of_an_orthogonal_tree_share_one_spine(hosts: int, leaves: int, uplinks: int) -> None:
    structure = built("orthogonal fat tree", hosts)
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [uplinks] * leaves
    first = np.unique(structure.group, return_index=True)[1]
    frm, to = (first[numbers.ravel()] for numbers in np.indices((leaves, leaves)))
    ways = structure.plane.path(frm, to, np.zeros_like(frm))[0].reshape(leaves, leaves, 2)
    steps = np.array({3: [0, 1, 3], 4: [0, 1, 3, 9]}[uplinks])
    spines: list[set[int]] = [set() for _ in range(leaves)]
    for one in range(leaves):
        for other in set(range(leaves)) - {one}:
            up, down = ways[one, other]
            spine = int(one - steps[up % uplinks]) % leaves
            assert (up // uplinks, down // uplinks - leaves) == (one, other)
            assert spine == int(other - steps[down % uplinks]) % leaves
            spines[spine] |= {one, other}
    assert [len(of) for of in spines] == [uplinks] * leaves


@pytest.mark.parametrize(("hosts", "switches", "cables"), [(32, 13, 4), (256, 31, 6)])
def test_switches_of_a_polarfly_are_joined_or_have_one_neighbour_in_common(
    hosts: int, switches: int, cables: int
) -> None:
    structure = built("PolarFly", hosts)
    assert isinstance(structure.plane, PolarFly)
    joined = structure.plane.joined
    assert len(joined) == switches
    assert np.bincount(joined.sum(axis=1)).nonzero()[0].tolist() == [cables - 1, cables]
    assert (joined.sum(axis=1) == cables - 1).sum() == cables  # the points that are orthogonal to themselves
    common = (1 * joined) @ joined
    apart = ~joined & ~np.eye(switches, dtype=bool)
    assert (common[apart] == 1).all()
    first = np.unique(structure.group, return_index=True)[1]
    frm, to = (first[numbers.ravel()] for numbers in np.indices((switches, switches)))
    latency = structure.plane.path(frm, to, np.zeros_like(frm))[1].reshape(switches, switches)
    assert latency[joined] == pytest.approx(LATENCY + HOP)
    assert latency[apart] == pytest.approx(LATENCY + 2 * HOP)


def test_boards_of_a_hamming_mesh_are_joined_by_trees_of_rows_and_columns() -> None:
    world = World(built("HammingMesh", 32), kernel=ONE_WAY)  # 2 x 4 boards
    latency, once = LATENCY + 0.6e-6, MIB / (4 * RATE)
    away = {4: 2, 5: 2, 6: 3, 12: 2, 16: 2, 17: 3, 20: 4, 31: 4}  # 17: the neighbour of the first one, one row below
    for rank, hops in away.items():
        assert times(world, [(0, rank)]) == pytest.approx([latency + hops * HOP + once])
    assert times(world, [(0, 1), (1, 4)])[1] == pytest.approx(latency + 2 * HOP + once)
    assert times(world, [(0, 3)]) == pytest.approx([0.9e-6 + 2 * HOP + once])
    both = times(world, [(0, 20), (4, 16)])  # each turns where the other one begins
    assert both == pytest.approx([latency + 4 * HOP + once] * 2)
    assert times(world, [(0, 20), (4, 24)])[0] == pytest.approx(latency + 4 * HOP + once)
    assert times(world, [(0, 20), (4, 20)])[1] == pytest.approx(latency + 2 * HOP + 2 * once)


def test_a_chip_is_as_far_from_the_next_host_as_from_the_next_chip_of_its_own() -> None:
    structure = built("mesh of hosts of 8 chips", 32)  # 4 x 2 hosts, 8 x 8 chips
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    hops = {1: 1, 4: 1, 7: 4, 8: 4, 11: 7, 16: 2, 20: 3, 63: 14}
    for rank, count in hops.items():
        assert times(world, [(0, rank)]) == pytest.approx([LATENCY + count * HOP + once])
    assert times(world, [(3, 8)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(2, 8), (3, 9)]) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 2)


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_a_site_share_its_line_and_a_longer_way_has_a_lower_rate(seed: int) -> None:
    structure = built("four sites on one backbone", 32, seed)
    assert isinstance(structure.plane, Sites)
    away, world = structure.plane.away, World(structure, kernel=ONE_WAY)
    assert times(world, [(16, 17)]) == pytest.approx([LATENCY + 20e-6 + MIB / (RATE / 4)])
    for other in (1, 2, 3):
        ends = away[0] + away[other] + (24e-6 if other == 1 else 22e-6)
        rate = min(0.1 * RATE, 4e6 / (2 * (away[0] + away[other])))
        assert times(world, [(0, 8 * other)]) == pytest.approx([LATENCY + ends + MIB / rate])
    eight = times(world, [(host, host + 8) for host in range(8)])
    assert eight == pytest.approx([LATENCY + away[:2].sum() + 24e-6 + 8 * MIB / (0.1 * RATE)] * 8)


def test_messages_of_saving_cores_take_longer_on_every_host() -> None:
    structure = built("6 ranks on cores of two kinds", 32)
    world = World(structure, kernel=ONE_WAY)
    at = np.array([12e-6, 12e-6, *[19e-6] * 4])
    for frm in range(6):
        took = [times(world, [(frm, 6 * host + to)], 0)[0] for host in (1, 15) for to in range(6)]
        assert took == pytest.approx(np.tile(LATENCY + at[frm] + at, 2))
    assert times(world, [(2, 3)]) < times(world, [(2, 8)])
    assert structure.tail > 0


def test_every_third_rack_receives_less_than_it_sends() -> None:
    world = World(built("every third rack receives less, 2:1 static", 32), kernel=ONE_WAY)  # racks of 4 hosts
    assert (world.structure.group[world.structure.overhead > 0] % 3 == 1).all()
    near, slow = LATENCY + 2e-6, 0.7 * RATE
    assert times(world, [(0, 2)]) == pytest.approx([near + MIB / RATE])
    assert times(world, [(8, 10)]) == pytest.approx([near + 0.4e-6 + MIB / slow])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + 0.2e-6 + MIB / slow])
    assert times(world, [(8, 0)]) == pytest.approx([near + 2 * HOP + 0.2e-6 + MIB / RATE])
    assert times(world, [(8, 10), (9, 11)]) == pytest.approx([near + 0.4e-6 + 2 * MIB / slow] * 2)


def test_functions_of_an_adapter_have_limits_by_class_and_report_the_port() -> None:
    structure = built("4 functions with limits of three classes", 32)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6
    for rank, limit in enumerate((0.5, 0.2, 0.2, 0.1)):
        assert times(world, [(rank, 4 + rank)]) == pytest.approx([near + MIB / (limit * RATE)])
    assert times(world, [(0, 5)]) == pytest.approx([near + MIB / (0.2 * RATE)])
    assert times(world, [(0, 3)]) == pytest.approx([BESIDE + 1.6e-6 + MIB / (0.1 * RATE)])
    four = times(world, [(rank, 4 + rank) for rank in range(4)])
    assert four == pytest.approx([near + MIB / (limit * RATE) for limit in (0.5, 0.2, 0.2, 0.1)])
    assert set(world.results.inventory.over_hosts("ib/mlx5_3/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_the_first_rank_of_every_host_pays_for_interrupts() -> None:
    structure = built("interrupts on the core of the first rank", 32)  # 8 hosts, two in each rack
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 20e-6
    assert times(world, [(1, 9)]) == pytest.approx([near + MIB / (0.25 * RATE)])
    assert times(world, [(0, 9)]) == pytest.approx([near + 5e-6 + MIB / (0.85 * 0.25 * RATE)])
    assert times(world, [(0, 8)], 0) == pytest.approx([near + 10e-6])
    assert times(world, [(1, 17)], 0) == pytest.approx([near + 1.5e-6 + 2 * HOP])
    assert isinstance(structure.plane, LagCore)
    assert structure.plane.uplinks.tolist() == [2] * 4


@pytest.mark.parametrize("seed", range(3))
def test_spares_have_leaves_of_their_own_and_numbers_between_the_others(seed: int) -> None:
    structure = built("rail-optimized, 8 rails, spares stand in", 64, seed)  # 16 hosts in pods of 4
    assert np.bincount(structure.group).tolist() == [3, 3, 4, 4, 2]
    one, other = np.flatnonzero(structure.group == 4).tolist()
    assert one < 4 <= other < 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3e-6, MIB / (4 * RATE)
    assert times(world, [(8 * one, 8 * other)]) == pytest.approx([near + once])
    assert times(world, [(8 * 8, 8 * 9)]) == pytest.approx([near + once])
    beside = next(host for host in range(4) if host != one)
    assert times(world, [(8 * one, 8 * beside)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(8 * 8, 8 * 9 + 1)]) == pytest.approx([near + 2 * HOP + once])


def test_ranks_that_are_dealt_out_to_sockets_say_so_and_every_second_one_is_far() -> None:
    structure = built("4 ranks on sockets in turns, 2:1 adaptive", 32)
    world = World(structure, kernel=ONE_WAY)
    assert world.ranks.numa[:8].tolist() == [0, 1, 0, 1] * 2
    assert world.ranks.numa_distance[:4].tolist() == [10, 20, 10, 20]
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.25e-6 + MIB / (0.93 * RATE)])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + MIB / 14e9])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 9e9])
    assert World(built("far socket, 4 ranks", 8)).ranks.numa[:4].tolist() == [0, 0, 1, 1]


def test_all_messages_between_two_hosts_share_a_port_that_is_hashed_by_hosts() -> None:
    structure = built("8 ranks on bonds that hash by hosts", 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, 4 * MIB / RATE
    assert times(world, [(3, 9)]) == pytest.approx([near + once])
    for host in range(1, 16):
        all_of_both = times(world, [(rank, 8 * host + rank) for rank in range(8)])
        assert all_of_both == pytest.approx([near + 8 * once] * 8)
    frm, to = (numbers.ravel() for numbers in np.indices((128, 128)))
    port = structure.path(frm, to, np.zeros_like(frm))[0][:, 0].reshape(16, 8, 16, 8) % 2
    ports = port[:, 0, :, 0]
    apart = ~np.eye(16, dtype=bool)
    assert (ports == ports.T)[apart].all()
    assert (port == ports[:, None, :, None])[apart[:, None, :, None].repeat(8, 1).repeat(8, 3)].all()
    assert 0.3 < ports[apart].mean() < 0.7
    pair = np.flatnonzero(ports[0] != ports[0, 1])
    other = int(pair[pair > 1][0])
    assert times(world, [(0, 8), (1, 8 * other)]) == pytest.approx([near + once] * 2)


def test_a_flow_with_short_frames_at_either_end_gets_less_and_several_fill_the_adapter() -> None:
    world = World(built("short frames in the last racks, 2:1 static", 32), kernel=ONE_WAY)  # 16 hosts in 8 racks
    near = LATENCY + 20e-6
    assert times(world, [(0, 4)]) == pytest.approx([near + MIB / (0.38 * RATE)])
    assert times(world, [(40, 44)]) == pytest.approx([near + MIB / (0.21 * RATE)])
    for pair in [(0, 40), (40, 0)]:
        assert times(world, [pair]) == pytest.approx([near + 2 * HOP + MIB / (0.21 * RATE)])
    assert times(world, [(rank, 4 + rank) for rank in range(4)]) == pytest.approx([near + 4 * MIB / RATE] * 4)
    short = times(world, [(40 + rank, 44 + rank) for rank in range(4)])
    assert short == pytest.approx([near + MIB / (0.21 * RATE)] * 4)


@pytest.mark.parametrize("seed", range(3))
def test_receivers_have_the_uplinks_of_addresses_that_do_not_follow_their_numbers(seed: int) -> None:
    structure = built("fat tree 3:2 by addresses in no order", 64, seed)  # 4 leaves of 16 hosts, with 10 uplinks
    plane = structure.plane
    assert isinstance(plane, NumberedByArrival)
    assert plane.uplinks.tolist() == [10] * 4
    assert sorted(plane.arrival.tolist()) == list(range(64))
    frm, to = (numbers.ravel() for numbers in np.indices((64, 64)))
    up = plane.path(frm, to, np.zeros_like(frm))[0][:, 0].reshape(64, 64)
    assert (up[:16, 16:] == up[0, 16:]).all()
    receivers = np.stack([np.bincount(up[0, 16 * leaf : 16 * leaf + 16], minlength=10) for leaf in (1, 2, 3)])
    assert receivers.max() > 2  # in order no uplink would have more of one leaf
    leaf, uplink = np.divmod(receivers.argmax(), 10)
    world, busy = World(structure, kernel=ONE_WAY), np.flatnonzero((structure.group == leaf + 1) & (up[0] == uplink))
    shared = times(world, [(2 * number, 2 * int(host)) for number, host in enumerate(busy)])
    assert shared == pytest.approx([LATENCY + 2 * HOP + len(busy) * MIB / RATE] * len(busy))


def test_trays_of_a_half_full_rack_are_joined_by_nvlink_and_racks_by_few_uplinks() -> None:
    structure = built("half-full NVLink racks, 4 GPUs on 2 adapters", 64)  # 4 racks of 8 trays
    assert structure.domain == 8
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 3e-6 + 2 * HOP
    for rank in (1, 4, 31):
        assert times(world, [(0, rank)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE])
    assert times(world, [(0, 32)]) == pytest.approx([near + MIB / (4 * RATE)])
    assert times(world, [(0, 32), (1, 33)]) == pytest.approx([near + 2 * MIB / (4 * RATE)] * 2)
    assert times(world, [(0, 32), (2, 34)]) == pytest.approx([near + MIB / (4 * RATE)] * 2)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 8


def test_fat_hosts_are_at_the_bottom_of_racks_and_gpu_hosts_have_two_adapters() -> None:
    structure = built("thin, fat and GPU hosts, 2:1 adaptive", 32)  # 16 hosts in 4 racks, the last one with GPUs
    assert np.flatnonzero(structure.overhead).tolist() == [0, 4, 8]
    assert structure.single.tolist() == [True] * 12 + [False] * 4
    assert len(set(structure.processor.tolist())) == 3
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(4, 8)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.3e-6 + MIB / RATE])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + 0.6e-6 + MIB / RATE])
    assert times(world, [(48, 52), (50, 54)]) == pytest.approx([LATENCY + MIB / (2 * RATE)] * 2)
    four = times(world, [(4 * host, 16 + 4 * host) for host in range(4)])
    assert four[1:] == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / RATE] * 3)


def test_the_second_die_of_a_socket_is_further_from_its_adapter() -> None:
    structure = built("4 ranks on 2 rails, tables that change", 32)  # 16 hosts in 4 racks with 4 uplinks
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + MIB / RATE] * 2)
    assert times(world, [(1, 5), (3, 7)]) == pytest.approx([near + 0.2e-6 + MIB / (0.94 * RATE)] * 2)
    assert times(world, [(0, 4), (1, 4)])[0] == pytest.approx(near + 2 * MIB / RATE)
    when = np.arange(256)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 16), when)[0]
    assert 6 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 16
    assert len(np.unique(ways[:, 2])) == 4


def test_a_host_is_further_from_the_other_one_of_its_blade_than_from_the_next_blade() -> None:
    structure = built("hosts of a blade on two switches in a dragonfly", 64)  # 32 hosts in 4 groups
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert np.bincount(structure.group).tolist() == [8] * 4
    for host in (2, 4, 6):
        assert times(world, [(0, 4 * host)]) == pytest.approx([LATENCY + once])
    for host in (1, 3, 7):
        assert times(world, [(0, 4 * host)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(3, 11)]) == pytest.approx([LATENCY + 0.6e-6 + once / 0.93])
    assert times(world, [(0, 32)], 0)[0] >= LATENCY + HOP + 4 * CABLE
    assert structure.hyperthreads == 0.01


@pytest.mark.parametrize("seed", range(3))
def test_second_adapters_of_the_older_lot_are_slower_and_say_the_same(seed: int) -> None:
    structure = built("second adapters in narrow slots in one lot", 32, seed)
    old = int((structure.processor == 2).sum())
    assert 6 <= old <= 10
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 0.2e-6
    assert times(world, [(0, 4)]) == pytest.approx([near + MIB / RATE])
    assert times(world, [(2, 6)]) == pytest.approx([near + MIB / (0.63 * RATE)])
    assert times(world, [(56, 60), (58, 62)]) == pytest.approx([LATENCY + MIB / RATE] * 2)
    assert times(world, [(2, 62)]) == pytest.approx([LATENCY + 2 * HOP + 0.1e-6 + MIB / (0.63 * RATE)])
    assert set(world.results.inventory.over_hosts("ib/mlx5_1/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


@pytest.mark.parametrize("seed", range(3))
def test_virtual_machines_share_the_port_of_their_machine_where_they_are_several(seed: int) -> None:
    structure = built("virtual machines in threes, twos and alone", 64, seed)
    plane = structure.plane
    assert isinstance(plane, PcieSwitches)
    sizes = np.bincount(plane.link[plane.link != NONE])
    assert set(sizes.tolist()) == {2, 3}
    assert (plane.link == NONE).any()
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 24e-6
    for link, size in enumerate(sizes):
        own = np.flatnonzero(plane.link == link)
        assert (np.diff(own) == 1).all()
        assert len(set(structure.group[own].tolist())) == 1
        beside = np.flatnonzero((structure.group == structure.group[own[0]]) & (plane.link != link))[:size]
        pairs = [(int(host), int(other)) for host, other in zip(own, beside, strict=True)]
        assert times(world, pairs[:1]) == pytest.approx([near + MIB / (0.6 * RATE)])
        assert times(world, pairs) == pytest.approx([near + size * MIB / RATE] * size)
    alone = np.flatnonzero(plane.link == NONE)
    assert set(structure.rate[alone].ravel().tolist()) == {0.6 * RATE}
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_pods_of_three_years_have_more_uplinks_to_the_core_as_they_are_newer() -> None:
    structure = built("pods of three years, 4:1, 2:1 and 1:1 to the core", 32)  # 3, 3 and 2 leaves of 4 hosts
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.upper.uplinks.tolist() == [3, 6, 8]
    assert structure.plane.lower.uplinks.tolist() == [4] * 8
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / RATE])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 0.4e-6 + 2 * HOP + MIB / RATE])
    far = LATENCY + 4 * HOP + 3 * CABLE
    assert times(world, [(0, 24)]) == pytest.approx([far + 0.3e-6 + MIB / RATE])
    assert times(world, [(24, 48)]) == pytest.approx([far + 0.1e-6 + MIB / RATE])
    assert times(world, [(48, 56)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (2 * RATE)])
    shared = times(world, [(0, 24), (2, 30)])  # hosts 12 and 15 have the same one of three uplinks
    assert shared == pytest.approx([far + 0.3e-6 + 2 * MIB / RATE] * 2)


def test_a_receiver_of_two_addresses_has_two_uplinks_that_each_message_uses() -> None:
    structure = built("two uplinks for each receiver, far socket", 32)  # 4 leaves of 8 hosts with 4 uplinks
    assert isinstance(structure.plane, SeveralAddresses)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 17)]) == pytest.approx([near + 0.5e-6 + 2 * HOP + once / 0.94])
    even, both = [(0, 16), (2, 20), (4, 24)], [(0, 16), (2, 18), (4, 20), (6, 22)]
    assert times(world, even[:2]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, even) == pytest.approx([near + 2 * HOP + 1.5 * once] * 3)
    assert times(world, both) == pytest.approx([near + 2 * HOP + once] * 4)


def test_units_of_a_pod_are_joined_fully_and_pods_by_half_with_longer_cables() -> None:
    structure = built("rail-optimized, 8 rails, 2:1 above units", 32)  # 8 hosts in 4 units
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])
    units = times(world, [(rank, 16 + rank) for rank in range(16)])
    assert units == pytest.approx([near + 2 * HOP + once] * 16)
    far = near + 4 * HOP + 5 * CABLE
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    assert times(world, [(rank, 32 + rank) for rank in range(32)]) == pytest.approx([far + 2 * once] * 32)


def test_a_message_to_the_other_rack_of_an_nvlink_domain_passes_a_further_switch() -> None:
    structure = built("NVLink domains of two racks, 4 rails", 32)  # 16 hosts in 4 domains of 2 racks of 2
    world, once = World(structure, kernel=ONE_WAY), MIB / NVLINK_RATE
    for frm, to, hops in [(0, 4, 0), (0, 9, 1), (4, 15, 1), (8, 12, 0), (16, 20, 0), (20, 24, 1)]:
        assert times(world, [(frm, to)]) == pytest.approx([NVLINK_LATENCY + hops * NVLINK_HOP + once])
    assert times(world, [(12, 16)]) == pytest.approx([LATENCY + 2.4e-6 + 2 * HOP + MIB / (4 * RATE)])


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_a_pod_have_the_first_or_the_last_gpus_on_leaves_of_their_own(seed: int) -> None:
    structure = built("4 of 8 GPUs of each host, rail-optimized", 32, seed)  # 16 hosts in 4 pods
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert len(np.unique(structure.groups)) == 32
    pod, last = np.divmod(structure.group, 2)
    assert (pod == np.arange(16) // 4).all()
    assert [int(last[pod == number].sum()) for number in range(4)] == [2] * 4
    for other in range(1, 16):
        same = structure.group[other] == structure.group[0]
        for rank in range(4):
            assert times(world, [(rank, 4 * other + rank)]) == pytest.approx([LATENCY + 2 * HOP * (not same) + once])
            assert times(world, [(rank, 4 * other + rank ^ 1)]) == pytest.approx([LATENCY + 2 * HOP + once])


def test_rows_of_a_dragonfly_are_further_from_each_other_the_more_are_between() -> None:
    structure = built("rows of a dragonfly, 4 rails", 32)  # 16 hosts in 4 groups
    plane, world, near = structure.plane, World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6
    assert isinstance(plane, SlingshotInRows)
    assert times(world, [(0, 4)]) == pytest.approx([near + MIB / (2 * RATE)])
    assert times(world, [(0, 5)]) == pytest.approx([near + HOP + MIB / (2 * RATE)])
    when = np.arange(4000)
    for row in (1, 2, 3):
        latency = structure.path(np.zeros_like(when), np.full_like(when, 16 * row), when)[2]
        assert latency.min() == pytest.approx(near + HOP + 4 * CABLE + 0.1e-6 * row)
    frm = np.arange(16)
    ways, latency = plane.path(frm, frm + 16, np.zeros_like(frm))
    detours, third = ways[:, 1] != NONE, ways[:, 1] // plane.each // plane.groups
    usual = Slingshot.path(plane, frm, frm + 16, np.zeros_like(frm))[1]
    assert 6 < detours.sum() <= 12
    assert latency - usual == pytest.approx(0.1e-6 * np.where(detours, third + np.abs(third - 1), 1))


def test_each_message_uses_four_planes_whose_receivers_are_dealt_out() -> None:
    world = World(built("4 ranks striped over 4 rails, 2:1 dealt out", 32), kernel=ONE_WAY)  # leaves of 4 hosts
    near, once = LATENCY + 0.6e-6, MIB / (4 * RATE)
    assert times(world, [(0, 5)]) == pytest.approx([near + once])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 16), (4, 20)]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 16), (4, 24)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)


def test_what_a_host_encrypts_and_decrypts_shares_its_processor() -> None:
    world = World(built("4 ranks with encryption, two lots", 32), kernel=ONE_WAY)  # 16 hosts, 6 of them older
    near = LATENCY + 28e-6
    assert (world.structure.processor == 2).sum() == 6
    assert times(world, [(32, 36)]) == pytest.approx([near + MIB / (0.22 * RATE)])
    assert times(world, [(0, 4)]) == pytest.approx([near + 6e-6 + MIB / (0.14 * RATE)])
    assert times(world, [(20, 24)]) == pytest.approx([near + 3e-6 + MIB / (0.14 * RATE)])
    assert times(world, [(32, 36), (40, 33)]) == pytest.approx([near + MIB / (0.11 * RATE)] * 2)
    assert times(world, [(32, 33)])[0] < 0.1 * near + MIB / RATE


def test_a_rank_of_slow_cores_reaches_a_part_of_the_rate_and_two_fill_the_adapter() -> None:
    structure = built("4 memory groups, two processors, 2:1 by receiver", 32)  # 4 racks, the last one of x86
    world, near, slow = World(structure, kernel=ONE_WAY), LATENCY + 0.9e-6, MIB / (0.6 * RATE)
    assert np.flatnonzero(structure.overhead == 0).tolist() == [12, 13, 14, 15]
    assert times(world, [(48, 52)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(0, 4)]) == pytest.approx([near + slow])
    assert times(world, [(2, 4)]) == pytest.approx([near + 0.16e-6 + slow])
    assert times(world, [(0, 48)]) == pytest.approx([LATENCY + 0.45e-6 + 2 * HOP + slow])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * MIB / RATE, near + 0.16e-6 + 2 * MIB / RATE])
    assert times(world, [(0, 2)], 0) == pytest.approx([INSIDE_LATENCY + 0.16e-6])


@pytest.mark.parametrize("seed", range(3))
def test_virtual_machines_on_the_third_processor_send_less_and_all_receive_as_much(seed: int) -> None:
    structure = built("virtual machines on any of three processors", 32, seed)
    world = World(structure, kernel=ONE_WAY)
    kinds = [np.flatnonzero(structure.processor == number) for number in (0, 2, 3)]
    assert [len(kind) for kind in kinds] == [11, 11, 10]
    for frm, sends in enumerate((0.16, 0.16, 0.13)):
        for to in range(3):
            one, other = kinds[frm][0], kinds[to][-1]
            near = LATENCY + 30e-6 + 3e-6 * (frm + to) + 2 * HOP * (structure.group[one] != structure.group[other])
            assert times(world, [(2 * one, 2 * other)]) == pytest.approx([near + MIB / (sends * RATE)])
    assert structure.tail == 0.01


def test_each_layer_of_network_nodes_takes_two_hops() -> None:
    structure = built("three layers of network nodes, far socket", 32)
    assert np.bincount(structure.group).tolist() == [4, 6, 10, 4, 6, 2]
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 14e-6, MIB / (2 * RATE)
    for host, hops in [(3, 0), (4, 2), (9, 2), (10, 4), (23, 4), (24, 6), (31, 6)]:
        assert times(world, [(0, 2 * host)]) == pytest.approx([near + hops * HOP + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.6e-6 + once / 0.93])
    assert times(world, [(2 * host, 20 + 2 * host) for host in range(10)])[9] < near + 6 * HOP + 1.01 * once


def test_two_hosts_have_the_same_spine_there_and_back() -> None:
    structure = built("the same spine there and back, 5:2", 32)  # 4 leaves of 8 hosts with 2 uplinks
    plane = structure.plane
    assert isinstance(plane, SameSpineBack)
    assert plane.uplinks.tolist() == [2] * 4
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    up = plane.path(frm, to, np.zeros_like(frm))[0][:, 0].reshape(32, 32)
    spine = np.where(up == NONE, NONE, up - plane.first[structure.group][:, None])
    assert (spine == spine.T).all()
    assert 0.4 < spine[up != NONE].mean() < 0.6
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 18e-6 + 2 * HOP
    assert times(world, [(0, 8)]) == pytest.approx([near + 4 * MIB / RATE])
    one = next(host for host in range(17, 24) if spine[1, host] == spine[0, 16])
    assert times(world, [(0, 16), (1, one)]) == pytest.approx([near + 5 * MIB / RATE] * 2)


def test_a_job_in_a_part_of_a_dragonfly_of_trees_has_hosts_behind_either_leaf() -> None:
    structure = built("4 NUMA nodes, parts of a dragonfly+", 32)  # 16 hosts in 5 of 7 groups of 6
    plane, world, once = structure.plane, World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [2, 3, 5, 2, 4]
    assert plane.leaf[:10].tolist() == [0, 1, 2, 2, 3, 4, 4, 4, 5, 5]
    near = LATENCY + 2 * structure.position_latency[0]
    assert times(world, [(20, 24)]) == pytest.approx([near + once])
    assert times(world, [(20, 32)]) == pytest.approx([near + 2 * HOP + once])
    when = np.arange(400)
    ways, latency = plane.path(np.zeros_like(when), np.full_like(when, 5), when)
    assert sorted(set(((latency - LATENCY) / HOP).round(6).tolist())) == [3, 4]
    detours = ways[:, 2][ways[:, 2] != NONE]
    assert set(((detours - plane.first) // plane.each // plane.groups).tolist()) == {1, 3, 4, 5, 6}
    assert 0.1 < len(detours) / 400 < 0.3


def test_hosts_with_fewer_modules_of_memory_are_slower_within_and_a_little_outside() -> None:
    structure = built(
        "half of the memory channels in every fourth rack", 32
    )  # 16 hosts in 4 racks, the second has less
    world = World(structure, kernel=ONE_WAY)
    assert np.flatnonzero(structure.memory < 1).tolist() == [4, 5, 6, 7]
    within, less = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for rank in (0, 16))
    assert less == pytest.approx(within / 0.55)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + MIB / (1.86 * RATE)])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_leaves_of_the_last_two_rails_take_longer() -> None:
    structure = built("rail-optimized, 4 rails, switches of two makers", 32)  # 16 hosts in 4 pods
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    for rank, longer in enumerate([0.0, 0.0, 0.45e-6, 0.45e-6]):
        assert times(world, [(rank, 4 + rank)]) == pytest.approx([near + longer + once])
        assert times(world, [(rank, 16 + rank)]) == pytest.approx([near + 2 * HOP + 2 * longer + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 2 * HOP + 0.45e-6 + once])


def test_coprocessors_take_longer_and_those_far_from_the_adapter_get_little_of_it() -> None:
    world = World(built("2 processors and 3 coprocessors, boards of two", 32), kernel=ONE_WAY)  # 8 hosts
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(1, 6)]) == pytest.approx([LATENCY + 0.5e-6 + MIB / RATE])
    assert times(world, [(2, 7)]) == pytest.approx([LATENCY + 3.6e-6 + MIB / (0.4 * RATE)])
    assert times(world, [(3, 5)]) == pytest.approx([LATENCY + 2.05e-6 + MIB / (0.07 * RATE)])
    for host, hops in [(1, 0), (2, 2), (3, 2), (4, 4), (7, 4)]:
        assert times(world, [(0, 5 * host)], 0) == pytest.approx([LATENCY + hops * HOP])
    assert times(world, [(0, 2)], 0) == pytest.approx([INSIDE_LATENCY + 1.8e-6])
    assert times(world, [(2, 3)]) == pytest.approx([INSIDE_LATENCY + 3.9e-6 + MIB / 1e9])


def test_only_the_last_host_of_a_rack_has_two_adapters() -> None:
    structure = built("a burst buffer of two adapters in each rack", 32)  # racks of 6 hosts, the last one of 2
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert np.bincount(structure.group).tolist() == [6] * 5 + [2]
    assert np.flatnonzero(~structure.single).tolist() == [5, 11, 17, 23, 29, 31]
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert times(world, [(10, 2), (11, 4)]) == pytest.approx([LATENCY + 0.15e-6 + once] * 2)
    assert times(world, [(10, 22)]) == pytest.approx([LATENCY + 0.3e-6 + 2 * HOP + once])


def test_two_rails_of_a_pod_share_a_leaf() -> None:
    structure = built("8 rails on 4 leaves, parts of pods", 32)  # 8 hosts in 3 pods
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert np.bincount(structure.group).tolist() == [2, 3, 3]
    assert len(np.unique(structure.groups)) == 12
    near = [LATENCY + 1.8e-6 + 0.1e-6 * far for far in range(3)]
    assert times(world, [(0, 8)]) == pytest.approx([near[0] + once])
    assert times(world, [(0, 12)]) == pytest.approx([near[1] + once])
    assert times(world, [(4, 12)]) == pytest.approx([near[2] + once])
    assert times(world, [(0, 9)]) == pytest.approx([near[0] + 2 * HOP + once])
    assert times(world, [(0, 16)]) == pytest.approx([near[0] + 2 * HOP + once])


def test_hosts_at_the_top_of_a_rack_are_slower_than_those_at_the_bottom_of_the_same() -> None:
    structure = built("warmer towards the top of racks, 2:1 re-hashed", 32)  # two racks of 16
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 20e-6
    assert times(world, [(0, 1)], 0) == pytest.approx([near + 0.8e-6 / 15])
    assert times(world, [(0, 15)], 0) == pytest.approx([near + 0.8e-6])
    assert times(world, [(0, 16)], 0) == pytest.approx([near + 2 * HOP])
    assert times(world, [(0, 15)]) == pytest.approx([near + 0.8e-6 + MIB / (0.94 * 0.37 * RATE)])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}
    assert set(structure.processor.tolist()) == {0}


def test_groups_that_came_later_have_half_as_many_cables() -> None:
    structure = built("4 rails in a dragonfly, groups that came later", 32)  # 16 hosts in 5 groups, 2 of them later
    plane = structure.plane
    assert isinstance(plane, Bundles)
    cables = (plane.capacity / (2 * RATE)).reshape(5, 5)
    assert cables[:3, :3].tolist() == [[2] * 3] * 3
    assert set(cables[3:].ravel().tolist()) == set(cables[:, 3:].ravel().tolist()) == {1}
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + HOP + once])
    when = np.arange(2000)
    latency = structure.path(np.zeros_like(when), np.full_like(when, 60), when)[2]
    assert latency.min() == pytest.approx(LATENCY + 2 * HOP)
    assert (latency > LATENCY + 4 * HOP).mean() == pytest.approx(0.3 * 3 / 5, abs=0.04)


def test_service_blades_stand_between_the_others_in_a_torus() -> None:
    structure = built("torus of routers with service blades", 32)  # 16 routers
    world = World(structure, kernel=ONE_WAY)
    assert isinstance(structure.plane, Gemini)
    assert np.flatnonzero(structure.overhead).tolist() == [10, 11, 26, 27]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / 6e9])
    assert times(world, [(20, 22)]) == pytest.approx([LATENCY + 1e-6 + MIB / 4e9])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / (0.95 * 6e9)])


def test_cables_that_leave_a_block_take_longer_in_a_torus_of_blocks() -> None:
    plane, none = OpticalTorus((2, 8), (2, 4), 1e-6, RATE), np.zeros(1, np.int64)

    def longer(frm: int, to: int) -> float:
        ways, latency = plane.path(none + frm, none + to, none)
        return float(latency[0] - LATENCY - HOP * (ways != NONE).sum()) * 1e6

    assert [longer(0, to) for to in (1, 2, 3, 4, 5, 7, 8)] == pytest.approx([0, 0, 0, 1, 1, 1, 0], abs=1e-6)
    assert [longer(frm, 0) for frm in (1, 2, 3, 4, 5, 7, 8)] == pytest.approx([0, 0, 0, 1, 1, 1, 0], abs=1e-6)


def test_hosts_of_four_chips_are_in_blocks_that_optical_switches_join() -> None:
    structure = built("torus of blocks on optical switches", 32)  # 2 x 4 x 4 hosts in two blocks of 2 x 2 x 4
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + HOP + MIB / 50e9])
    for host, hops, leaves in [(16, 1, 0), (4, 1, 0), (8, 2, 1), (12, 1, 1), (3, 1, 1), (15, 2, 2)]:
        assert times(world, [(0, 4 * host)], 0) == pytest.approx([LATENCY + hops * HOP + leaves * 0.15e-6])
    assert times(world, [(0, 3)], 0) == pytest.approx([0.9e-6])


def test_a_cluster_and_its_machines_in_a_cloud_share_a_line() -> None:
    structure = built("a cluster and its machines in a cloud", 32)  # 20 hosts and 12 machines
    world, away = World(structure, kernel=ONE_WAY), LATENCY + 0.7e-3 + 9e-6
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / RATE])
    assert times(world, [(40, 42)]) == pytest.approx([LATENCY + 18e-6 + 4 * MIB / RATE])
    assert times(world, [(0, 40)]) == pytest.approx([away + MIB / (0.04 * RATE)])
    assert times(world, [(2 * host, 40 + 2 * host) for host in range(10)]) == pytest.approx(
        [away + 100 * MIB / RATE] * 10
    )


def test_the_second_virtual_machine_of_a_server_is_far_from_the_adapter_that_both_share() -> None:
    world = World(built("a virtual machine on each socket, 2:1 static", 32), kernel=ONE_WAY)  # 16 machines
    near, once = LATENCY + 2e-6, MIB / (2 * RATE)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.6e-6 + once / 0.92])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + 2 * once, near + 0.6e-6 + 2 * once])
    assert times(world, [(0, 4)], 0) == pytest.approx([BESIDE + 2.3e-6])
    assert times(world, [(0, 16), (8, 24)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)


@pytest.mark.parametrize("seed", range(3))
def test_flows_between_zones_get_half_of_those_within_and_the_last_zone_is_newer(seed: int) -> None:
    structure = built("three zones, two types, flow limits", 32, seed)  # 16 machines
    world = World(structure, kernel=ONE_WAY)
    assert structure.group.tolist() == [*range(3)] * 5 + [0]
    assert (structure.overhead == np.where(structure.group < 2, 4e-6, 0.0)).all()
    for pair, part in [((0, 12), 0.1), ((8, 20), 0.1), ((0, 4), 0.05), ((0, 8), 0.05)]:
        assert times(world, [pair])[0] - times(world, [pair], 0)[0] == pytest.approx(MIB / (part * RATE))
    within, between = times(world, [(0, 12)], 0)[0], times(world, [(0, 4)], 0)[0]
    assert 3 * within < between


def test_held_interrupts_delay_what_arrives_and_not_what_leaves() -> None:
    structure = built("interrupts held back in one lot, 2:1 static", 32)  # 20 of 32 hosts, leaves of 8
    there_and_back, world = World(structure), World(structure, kernel=ONE_WAY)
    near, once = LATENCY + 18e-6, 10 * MIB / RATE
    assert isinstance(structure.plane, HeldInterrupts)
    assert np.flatnonzero(structure.plane.held).tolist() == list(range(20))
    assert times(world, [(32, 42)]) == pytest.approx([near + once])
    assert times(world, [(32, 34)]) == pytest.approx([near + 18e-6 + once])
    order = Order(np.zeros(1, np.int64), np.array([32]), np.array([42]))
    to_newer, to_older = world.true_times(world.costs_of(order, 0), 0)[:, 0]
    assert to_older - to_newer == pytest.approx(18e-6)
    assert times(there_and_back, [(32, 42)]) == pytest.approx([near + 9e-6 + once])
    assert set(structure.processor.tolist()) == {0}


def test_four_ports_in_a_row_share_what_one_host_sends_but_for_the_last_card() -> None:
    structure = built("four ports of a line card share a chip", 32)  # 4 cards of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 24e-6, 10 * MIB / RATE
    assert times(world, [(0, 8)]) == pytest.approx([near + 4e-6 + once])
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + 4e-6 + 2 * once] * 2)
    assert times(world, [(0, 2), (8, 10)]) == pytest.approx([near + 4e-6 + once] * 2)
    assert times(world, [(2 * host, 16 + 2 * host) for host in range(4)])[0] == pytest.approx(
        near + 4e-6 + 2 * HOP + 4 * once
    )
    assert times(world, [(48, 56), (50, 58), (52, 60)]) == pytest.approx([near + once] * 3)
    assert (structure.overhead == 0).tolist() == [host >= 24 for host in range(32)]


@pytest.mark.parametrize("seed", range(3))
def test_only_messages_that_reach_the_wrong_switch_cross_to_a_host_with_one_port(seed: int) -> None:
    structure = built("bonds on two switches, older hosts on one of them", 32, seed)
    plane = structure.plane
    assert isinstance(plane, OrphanPorts)
    assert [int((plane.port == switch).sum()) for switch in (NONE, 0, 1)] == [20, 6, 6]
    assert ((plane.port != NONE) == (structure.processor == 2)).all()
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    crosses = plane.path(frm, to, np.zeros_like(frm))[0][:, 0] != NONE
    one, other = plane.port[frm], plane.port[to]
    assert not crosses[(other == NONE) | (one == other)].any()
    assert crosses[(one != NONE) & (other != NONE) & (one != other)].all()
    assert 0.35 < crosses[(one == NONE) & (other != NONE)].mean() < 0.65
    bonds = np.flatnonzero(plane.port == NONE)
    (time,) = times(World(structure, kernel=ONE_WAY), [(int(bonds[0]), int(bonds[1]))])
    assert time == pytest.approx(LATENCY + 20e-6 + 4 * MIB / RATE)


def test_only_flows_between_subnets_are_tunnelled() -> None:
    structure = built("tunnels between subnets only, two processors", 32)  # 4 subnets of 2 racks of 4
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 20e-6
    assert times(world, [(32, 34)]) == pytest.approx([near + 4 * MIB / RATE])
    assert times(world, [(32, 40)]) == pytest.approx([near + 2 * HOP + 4 * MIB / RATE])
    assert times(world, [(32, 48)]) == pytest.approx([near + 4 * HOP + 8e-6 + 10 * MIB / RATE])
    assert times(world, [(16, 48)]) == pytest.approx([near + 2e-6 + 4 * HOP + 8e-6 + MIB / (0.07 * RATE)])
    assert times(world, [(0, 2)]) == pytest.approx([near + 4e-6 + 4 * MIB / RATE])


@pytest.mark.parametrize("seed", range(3))
def test_hosts_in_cache_mode_are_slower_within_and_do_not_say_so(seed: int) -> None:
    structure = built("two memory modes, chassis in a dragonfly", 32, seed)
    cache = structure.memory < 1
    assert 11 <= cache.sum() <= 21
    assert (np.diff(np.flatnonzero(cache)) > 1).any()
    world = World(structure, kernel=ONE_WAY)
    one, other = (2 * int(np.flatnonzero(mode)[0]) for mode in (cache, ~cache))
    within, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (one, other))
    assert within == pytest.approx(usual / 0.8)
    assert times(world, [(one, other)])[0] - times(world, [(one, other)], 0)[0] == pytest.approx(MIB / (0.66 * RATE))
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}
    assert set(world.results.inventory.over_hosts("host", "cpu_model")[1]) == {"Xeon Phi 7250"}


def test_slices_are_tori_of_their_own_and_meet_by_ethernet() -> None:
    structure = built("slices of a torus joined by Ethernet", 32)  # 4 slices of 2 x 4 hosts of 4 chips
    world, away = World(structure, kernel=ONE_WAY), LATENCY + 20e-6
    for host, hops in [(1, 1), (2, 2), (3, 1), (4, 1), (6, 3)]:
        assert times(world, [(0, 4 * host)]) == pytest.approx([LATENCY + hops * HOP + MIB / 50e9])
    assert times(world, [(0, 32)]) == pytest.approx([away + MIB / (0.4 * RATE)])
    assert times(world, [(0, 64)]) == pytest.approx([away + 3e-6 + MIB / (0.4 * RATE)])
    assert times(world, [(64, 96)]) == pytest.approx([away + MIB / (0.4 * RATE)])
    assert times(world, [(0, 32), (1, 36)]) == pytest.approx([away + MIB / (0.4 * RATE)] * 2)


def test_machines_in_turns_have_their_rails_in_four_pods() -> None:
    structure = built("rail-optimized, 8 rails, virtual machines in turns", 32)  # 8 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (4 * RATE)
    assert structure.group.tolist() == [0, 1, 2, 3] * 2
    assert times(world, [(0, 32)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 33)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(7, 39)]) == pytest.approx([near + 0.3e-6 + once])


def test_the_oldest_hosts_of_a_hypercube_have_slower_adapters_and_processors() -> None:
    structure = built("hypercube of three generations, far socket", 32)  # 8 switches of 4
    world = World(structure, kernel=ONE_WAY)
    assert np.bincount(structure.processor).tolist() == [12, 0, 12, 8]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.5e-6 + MIB / (0.32 * RATE)])
    assert times(world, [(24, 26)]) == pytest.approx([LATENCY + 0.2e-6 + MIB / (0.545 * RATE)])
    assert times(world, [(48, 50)]) == pytest.approx([LATENCY + MIB / (0.545 * RATE)])
    assert times(world, [(49, 51)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / (0.94 * 0.545 * RATE)])
    assert times(world, [(0, 56)], 0) == pytest.approx([LATENCY + 0.25e-6 + 3 * HOP])
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("40 Gb/sec (4X QDR)",) * 12 + ("56 Gb/sec (4X FDR)",) * 20


@pytest.mark.parametrize("seed", range(3))
def test_what_a_confidential_machine_sends_and_receives_is_copied_by_one_core(seed: int) -> None:
    structure = built("confidential virtual machines among others", 32, seed)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 28e-6
    encrypted = structure.overhead > 0
    assert encrypted.sum() == 11
    assert set(structure.processor.tolist()) == {3}
    hosts = [np.flatnonzero(kind & (structure.group == structure.group[0])) for kind in (encrypted, ~encrypted)]
    for host in range(32):
        leaf = np.flatnonzero((structure.group == structure.group[host]) & ~encrypted)
        (usual,) = leaf[leaf != host][:1]
        part, longer = (0.09, 7e-6) if encrypted[host] else (0.125, 0.0)
        assert times(world, [(2 * host, 2 * int(usual))]) == pytest.approx([near + longer + MIB / (part * RATE)])
    one, (other, third) = int(np.flatnonzero(encrypted)[0]), hosts[1][:2].tolist()
    both = times(world, [(2 * other, 2 * one), (2 * one + 1, 2 * third + 1)], 100 * MIB)
    assert both == pytest.approx([100 * MIB / (0.045 * RATE)] * 2, rel=1e-3)


def test_hosts_with_access_control_are_slower_within_and_outside() -> None:
    structure = built("4 GPUs behind a PCIe switch, access control in one lot", 32)  # 16 hosts, 6 of the first lot
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert np.flatnonzero(structure.memory < 1).tolist() == list(range(6))
    assert times(world, [(32, 36)]) == pytest.approx([LATENCY + once])
    assert times(world, [(20, 24)]) == pytest.approx([LATENCY + 0.4e-6 + once / 0.72])
    within, usual = (times(world, [(rank, rank + 1)])[0] - 1.2e-6 for rank in (0, 24))
    assert within == pytest.approx(usual / 0.6)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_file_servers_have_an_adapter_on_each_of_two_leaves() -> None:
    structure = built("file servers on two leaves, 7:4 static", 32)  # 4 leaves of 7 hosts, and 4 servers
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert np.bincount(structure.group).tolist() == [7, 7, 7, 7, 4]
    assert structure.groups[28:].tolist() == [[4, 5]] * 4
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2, 2, 2, 2, 4, 4]
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + 2 * once] * 2)
    near = LATENCY + 0.3e-6
    assert times(world, [(56, 58), (57, 59)]) == pytest.approx([near + once / 2] * 2)
    assert times(world, [(56, 59)]) == pytest.approx([near + 2 * HOP + once / 2])
    assert times(world, [(0, 57)]) == pytest.approx([LATENCY + 0.15e-6 + 2 * HOP + once])


def test_all_from_a_leaf_to_another_one_takes_the_same_uplink() -> None:
    structure = built("one tunnel from each leaf to each other, far socket", 32)  # 4 leaves of 8 hosts with 2 uplinks
    world = World(structure, kernel=ONE_WAY)
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    up = structure.plane.path(frm, to, np.zeros_like(frm))[0][:, 0]
    tunnel = 4 * structure.group[frm] + structure.group[to]
    assert len(np.unique(np.stack([tunnel, up], axis=1), axis=0)) == 16
    assert 1 + 4 < len(np.unique(up)) <= 1 + 8
    near, once = LATENCY + 2.3e-6 + 2 * HOP, MIB / RATE
    eight = [(2 * host, 32 + 2 * host) for host in range(8)]
    assert times(world, eight[:4]) == pytest.approx([near + 4 * once] * 4)
    assert times(world, eight) == pytest.approx([near + 8 * once] * 8)


def test_messages_along_a_line_of_switches_share_what_joins_each_two() -> None:
    structure = built("four switches in a line, three generations", 32)  # 10, 6, 6 and 10 hosts
    world, plane = World(structure, kernel=ONE_WAY), structure.plane
    assert isinstance(plane, Chain)
    assert (plane.capacity / RATE).tolist() == pytest.approx([1.09, 1.09, 2, 2, 2, 2])  # two cables each, both ways
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / (0.545 * RATE)])
    assert times(world, [(20, 24)]) == pytest.approx([LATENCY + 0.2e-6 + MIB / RATE])
    assert times(world, [(0, 44)]) == pytest.approx([LATENCY + 0.2e-6 + 3 * HOP + MIB / (0.545 * RATE)])
    assert times(world, [(44, 46)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    across = times(world, [(20 + 2 * host, 32 + 2 * host) for host in range(6)])  # from the second switch to the third
    assert across == pytest.approx([LATENCY + 0.2e-6 + HOP + 3 * MIB / RATE] * 6)


def test_hosts_on_a_line_of_switches_tell_their_rates() -> None:
    inventory = World(built("four switches in a line, three generations", 32)).results.inventory
    rates = inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert [list(rates).count(rate) for rate in dict.fromkeys(rates)] == [10, 12, 10]


@pytest.mark.parametrize("seed", range(3))
def test_adapters_of_a_second_maker_take_longer_and_say_the_same(seed: int) -> None:
    structure = built("adapters of two makers at random, 2:1 static", 32, seed)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 2e-6
    second = structure.overhead > 0
    assert 0.3 <= second.mean() <= 0.5
    for one, other, longer, part in [(False, False, 0, 1), (True, False, 0.45e-6, 0.95), (True, True, 0.9e-6, 0.95)]:
        frm, to = np.flatnonzero(second == one)[0], np.flatnonzero(second == other)[-1]
        hops = 2 * HOP * (structure.group[frm] != structure.group[to])
        assert times(world, [(frm, to)]) == pytest.approx([near + hops + longer + MIB / (part * RATE)])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}
    assert set(structure.processor.tolist()) == {0}


@pytest.mark.parametrize("seed", range(3))
def test_only_messages_to_hosts_that_moderate_interrupts_wait(seed: int) -> None:
    structure = built("interrupts that wait on some hosts, two processors", 32, seed)
    plane = structure.plane
    assert isinstance(plane, LateInterrupts)
    waits = plane.wait > 0
    assert int(waits.sum()) == 19
    assert structure.overhead.tolist() == [2e-6] * 16 + [0.0] * 16
    late, prompt = np.flatnonzero(waits)[:1], np.flatnonzero(~waits)[:1]
    there, back = (
        structure.path(2 * frm, 2 * to, np.zeros(1, np.int64))[2] for frm, to in [(late, prompt), (prompt, late)]
    )
    assert back - there == pytest.approx([14e-6])
    assert there - structure.overhead[late] - structure.overhead[prompt] == pytest.approx(
        [LATENCY + 18e-6 + 2 * HOP * (structure.group[late] != structure.group[prompt])[0]]
    )


def test_leaves_at_the_ends_of_a_row_are_further_from_the_spines_in_its_middle() -> None:
    structure = built("spines in the middle, fast memory in the last leaves", 32)  # 8 leaves of 4 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    for one, other, cables in [(0, 7, 7), (0, 1, 6), (3, 4, 1), (2, 5, 3)]:
        near = LATENCY + 2 * HOP + cables * CABLE
        assert times(world, [(8 * one, 8 * other)]) == pytest.approx([near + once])
    within, fast = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (0, 62))
    assert within == pytest.approx(1.6 * fast)
    assert np.flatnonzero(structure.processor == 4).tolist() == list(range(24, 32))
    across = [(2 * host, 8 + 2 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 6 * CABLE + once] * 4)  # 1:1


def test_only_messages_between_racks_take_a_tunnel_and_newer_racks_do_more() -> None:
    structure = built("tunnels between racks only, two lots", 32)  # 8 racks of 4 hosts, 5 of them older
    world, near, tunnel = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, 2 * HOP + 7e-6
    assert np.flatnonzero(structure.overhead == 0).tolist() == list(range(20, 32))
    assert times(world, [(0, 2)]) == pytest.approx([near + 4e-6 + MIB / (0.25 * RATE)])
    assert times(world, [(0, 8)]) == pytest.approx([near + 4e-6 + tunnel + MIB / (0.14 * RATE)])
    assert times(world, [(40, 62)]) == pytest.approx([near + tunnel + MIB / (0.21 * RATE)])
    assert times(world, [(0, 62)]) == pytest.approx([near + 2e-6 + tunnel + MIB / (0.14 * RATE)])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 4e-6 + tunnel + MIB / (0.125 * RATE)] * 2)


def test_what_goes_around_by_the_processor_is_slower_on_each_of_four_adapters() -> None:
    structure = built("4 GPUs, around by the processor in one lot", 32)  # 16 hosts, 6 of the lot
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 2e-6
    assert np.flatnonzero(structure.overhead).tolist() == list(range(6))
    for rail in range(4):
        assert times(world, [(rail, 4 + rail)]) == pytest.approx([near + 1.2e-6 + MIB / (0.84 * RATE)])
        assert times(world, [(20 + rail, 24 + rail)]) == pytest.approx([near + 0.6e-6 + MIB / (0.84 * RATE)])
        assert times(world, [(24 + rail, 28 + rail)]) == pytest.approx([near + MIB / (2 * RATE)])
    across = [(32 + rank, 48 + rank) for rank in range(16)]  # 16 adapters of 200 Gbit/s and 4 uplinks of 400
    assert times(world, across) == pytest.approx([near + 2 * HOP + MIB / RATE] * 16)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_blades_have_narrow_slots_and_few_uplinks_and_servers_have_neither() -> None:
    structure = built("blades in chassis and servers in racks", 32)
    world = World(structure, kernel=ONE_WAY)
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + MIB / (0.63 * RATE)])
    assert times(world, [(32, 34)]) == pytest.approx([LATENCY + MIB / RATE])
    blades = times(world, [(2 * host, 8 + 2 * host) for host in range(4)])
    assert blades == pytest.approx([LATENCY + 0.3e-6 + 2 * HOP + 4 * MIB / RATE] * 4)
    servers = times(world, [(32 + 2 * host, 40 + 2 * host) for host in range(4)])
    assert servers == pytest.approx([LATENCY + 2 * HOP + MIB / RATE] * 4)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_the_last_quarter_of_each_group_has_older_blades() -> None:
    structure = built("older blades in each group, routes by load", 32)  # 16 hosts in 4 groups
    world = World(structure, kernel=ONE_WAY)
    assert isinstance(structure.plane, Slingshot)
    assert np.flatnonzero(structure.overhead).tolist() == [3, 7, 11, 15]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + 0.25e-6 + MIB / RATE])
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert set(rates) == {"100 Gb/sec (4X EDR)", "200 Gb/sec (4X HDR)"}
    larger = built("older blades in each group, routes by load", 64)  # 32 hosts, two switches in a group
    assert times(World(larger, kernel=ONE_WAY), [(0, 16)], 0) == pytest.approx([LATENCY + HOP])


@pytest.mark.parametrize("seed", range(3))
def test_what_a_virtual_machine_sends_and_receives_shares_its_switch(seed: int) -> None:
    structure = built("bare metal and virtual machines in each rack", 32, seed)  # 16 hosts
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 18e-6
    virtual = np.flatnonzero(structure.overhead)
    bare = np.setdiff1d(np.arange(16), virtual)
    assert 0.35 <= len(virtual) / 16 <= 0.5

    def hops(one: int, other: int) -> float:
        return 2 * HOP * bool(structure.group[one] != structure.group[other])

    a, b = bare[:2].tolist()
    assert times(world, [(4 * a, 4 * b)]) == pytest.approx([near + hops(a, b) + MIB / RATE])
    own = int(virtual[0])
    alone = near + 5e-6 + hops(a, own) + MIB / (0.45 * RATE)
    assert times(world, [(4 * a, 4 * own)]) == pytest.approx([alone])
    both = [near + 5e-6 + hops(host, own) + 2 * MIB / (0.45 * RATE) for host in (a, b)]
    assert times(world, [(4 * a, 4 * own), (4 * own + 1, 4 * b)]) == pytest.approx(both)
    assert set(structure.processor.tolist()) == {0}


def test_other_jobs_take_a_part_of_each_adapter_in_its_turn() -> None:
    structure = built("4 ranks on hosts that other jobs use too", 32)  # 16 hosts
    when = np.arange(3200)
    ways, _, latency = structure.path(np.zeros_like(when), np.full_like(when, 4), when)
    waits = ((latency - LATENCY - 0.6e-6) / WAIT).round(6)
    assert waits.mean() == pytest.approx(0.5)  # each of two hosts has a quarter
    assert ((ways[:, -2:] != NONE).sum(axis=1) == waits).all()
    left = structure.capacity[ways[:, -2:][ways[:, -2:] != NONE]]
    assert left == pytest.approx(0.65 * RATE)
    worlds = [World(structure, seed=seed, kernel=ONE_WAY) for seed in range(40)]
    sent = [times(world, [(0, 4)])[0] - times(world, [(0, 4)], 0)[0] for world in worlds]
    assert {round(seconds * RATE / MIB, 3) for seconds in sent} == {1, round(1 / 0.65, 3)}


def test_messages_take_longer_to_racks_at_the_far_end_of_the_row() -> None:
    structure = built("rail-optimized, 8 rails, a host in each rack", 64)  # 16 hosts in 4 pods, 6 of another maker
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    for host in range(1, 4):
        assert times(world, [(0, 8 * host)]) == pytest.approx([near + 0.04e-6 * host + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(64, 72)]) == pytest.approx([near + 0.04e-6 + once])
    assert times(world, [(96, 104)]) == pytest.approx([near + 0.04e-6 + 0.2e-6 + once])
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.24e-6 + 0.04e-6 + once])
    assert set(structure.processor.tolist()) == {3}


@pytest.mark.parametrize("seed", range(3))
def test_only_several_flows_reach_what_a_machine_of_a_fleet_may_do(seed: int) -> None:
    structure = built("a fleet of three types, flow limits", 32, seed)  # 16 machines
    world = World(structure, kernel=ONE_WAY)
    rate = structure.rate[:, 0] / RATE
    assert sorted(rate.tolist()) == [0.125] * 4 + [0.25] * 8 + [0.5] * 4
    small, large = np.flatnonzero(rate == 0.125), np.flatnonzero(rate == 0.5)
    for kind, alone, all_four in [(small, 0.1, 0.125 / 4), (large, 0.1, 0.1)]:
        one, other = 4 * kind[:2]
        for flows, part in [(1, alone), (4, all_four)]:
            pairs = [(one + local, other + local) for local in range(flows)]
            sent = np.subtract(times(world, pairs), times(world, pairs, 0))
            assert sent == pytest.approx(MIB / (part * RATE))
    assert len(set(zip(rate.tolist(), structure.overhead.tolist(), structure.processor.tolist(), strict=True))) == 3


def test_the_second_package_is_far_and_a_lower_clock_shows_in_no_fact() -> None:
    structure = built("processor and accelerator in one, far package", 32)  # 12 hosts of the last delivery
    world, rate = World(structure, kernel=ONE_WAY), 4 * RATE
    assert np.flatnonzero(structure.overhead).tolist() == list(range(20, 32))
    assert structure.group[19] == structure.group[20]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + MIB / rate])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + MIB / (0.93 * rate)])
    assert times(world, [(40, 42)]) == pytest.approx([LATENCY + 2 * 0.18e-6 + MIB / rate])
    usual, low = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (0, 62))
    assert [MIB / usual, MIB / low] == pytest.approx([90e9, 72e9])
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])  # 8 adapters, 4 uplinks
    assert across == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / rate] * 8)
    assert set(structure.processor.tolist()) == {3}


def test_adapters_with_one_port_are_on_the_first_of_two_planes() -> None:
    structure = built("rail-optimized, 8 rails, ports on two planes", 64)  # 16 hosts in 4 segments
    world, plane, near = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 2e-6
    assert isinstance(plane, TwoPorts)
    assert np.flatnonzero(structure.overhead).tolist() == [3, 7, 11, 15]
    assert set(plane.each.tolist()) == {8}  # 4 adapters behind a leaf, with as many uplinks in each plane
    assert times(world, [(0, 8)]) == pytest.approx([near + MIB / (2 * RATE)])
    assert times(world, [(0, 36)]) == pytest.approx([near + 2 * HOP + 0.1e-6 + MIB / (2 * RATE)])
    assert times(world, [(0, 24)]) == pytest.approx([near + 0.25e-6 + MIB / (2 * RATE)])
    assert times(world, [(24, 56)]) == pytest.approx([near + 2 * HOP + 0.5e-6 + MIB / (2 * RATE)])
    frm, to = (grid.ravel() for grid in np.meshgrid(np.arange(128), np.arange(128), indexing="ij"))
    ways, _ = plane.path(frm, to, np.zeros_like(frm))
    far = ways[:, 0] != NONE
    up, down = (ways[far] % 8 >= 4).T  # in the second plane
    assert (up == down).all()
    old = structure.overhead > 0
    either = (old[frm // 8] | old[to // 8])[far]
    assert not up[either].any()
    assert 0.4 <= up[~either].mean() <= 0.6


@pytest.mark.parametrize("seed", range(3))
def test_machines_of_a_sub_block_have_no_numbers_in_a_row_and_two_flows_fill_an_adapter(seed: int) -> None:
    structure = built("8 GPUs on 4 adapters, anywhere in two blocks", 64, seed)  # 16 machines
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 16e-6
    block = structure.group // 2
    assert np.bincount(structure.group).tolist() == [4] * 4
    assert (np.diff(structure.group) < 0).any()
    older = structure.overhead > 0
    assert 4 <= int(older.sum()) <= 7
    for one, other in [(0, 1), (0, 5), (3, 9), (14, 15)]:
        hops = 2 * HOP * (structure.group[one] != structure.group[other])
        hops += (2 * HOP + 1e-6) * (block[one] != block[other])
        usual = near + hops + 2.5e-6 * (int(older[one]) + int(older[other]))
        assert times(world, [(8 * one, 8 * other)]) == pytest.approx([usual + MIB / (1.3 * RATE)])
        both = times(world, [(8 * one, 8 * other), (8 * one + 1, 8 * other + 1)])
        assert both == pytest.approx([usual + MIB / RATE] * 2)
    assert set(structure.processor.tolist()) == {3}


@pytest.mark.parametrize("seed", range(3))
def test_strict_order_slows_only_what_a_host_receives(seed: int) -> None:
    structure = built("4 GPUs in bridged pairs, strict order on some hosts", 32, seed)  # 16 hosts
    world, plane = World(structure, kernel=ONE_WAY), structure.plane
    assert isinstance(plane, ReceiveQueues)
    strict = plane.capacity[2 * plane.ways :: 2] < 2 * RATE
    assert 4 <= int(strict.sum()) <= 7
    a, b = np.flatnonzero(strict)[0], np.flatnonzero(~strict)[0]
    for rank in (0, 2):
        there, back = (times(world, [pair])[0] for pair in [(4 * b + rank, 4 * a + rank), (4 * a + rank, 4 * b + rank)])
        assert there - back == pytest.approx(MIB / (1.24 * RATE) - MIB / (2 * RATE))
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])
    assert times(world, [(1, 2)]) == pytest.approx([NVLINK_LATENCY + 0.8e-6 + MIB / 22e9])
    rates = world.results.inventory.over_hosts("ib/mlx5_1/1", "rate")[1]
    assert set(rates) == {"200 Gb/sec (4X HDR)"}
    assert set(structure.processor.tolist()) == {3}


def test_racks_hold_four_hosts_of_pcie_4_or_two_of_pcie_5() -> None:
    structure = built("8 rails on the leaf of the rack, PCIe 4 and 5", 64)  # 16 hosts
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 2e-6
    assert np.bincount(structure.group).tolist() == [4, 4, 2, 2, 2, 2]
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.4e-6 + MIB / (2.5 * RATE)])
    assert times(world, [(64, 72)]) == pytest.approx([near + MIB / (4 * RATE)])
    assert times(world, [(64, 79)]) == pytest.approx([near + MIB / (4 * RATE)])  # another rail, the same leaf
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + 0.2e-6 + MIB / (2.5 * RATE)])
    old, new = (times(world, [(rank, rank + 1)])[0] - NVLINK_LATENCY for rank in (0, 64))
    assert old == pytest.approx(1.5 * new)
    assert set(world.results.inventory.over_hosts("ib/mlx5_7/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}
    assert structure.processor.tolist() == [3] * 8 + [4] * 8


def test_hosts_without_gpus_share_one_adapter_and_say_so() -> None:
    structure = built("rows of a dragonfly with 4 rails and with one", 32)  # 4 groups of 4 hosts
    world = World(structure, kernel=ONE_WAY)
    assert isinstance(structure.plane, SlingshotInRows)
    assert np.flatnonzero(structure.single).tolist() == list(range(12, 16))
    assert times(world, [(1, 5)]) == pytest.approx([LATENCY + 0.3e-6 + MIB / (2 * RATE)])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.5e-6 + MIB / (2 * RATE)])
    with_gpus = times(world, [(rank, 4 + rank) for rank in (1, 2, 3)])
    assert with_gpus == pytest.approx([LATENCY + 0.3e-6 + MIB / (2 * RATE)] * 3)
    without = times(world, [(48 + rank, 52 + rank) for rank in (1, 2, 3)])
    assert without == pytest.approx([LATENCY + 3 * MIB / (2 * RATE)] * 3)
    gpus, cores = (times(world, [(rank, rank + 1)])[0] - NVLINK_LATENCY for rank in (1, 49))
    assert cores == pytest.approx(2.5 * gpus)
    ranks = world.results.ranks.adapters
    assert set(np.asarray(ranks)[:48].tolist()) == {4}
    assert set(np.asarray(ranks)[48:].tolist()) == {1}


def test_messages_to_the_twin_leaf_pass_no_spine() -> None:
    structure = built("pairs of leaves with a peer link, two processors", 32)  # 4 leaves of 8 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.1 * RATE)
    assert times(world, [(0, 2)]) == pytest.approx([near + 4e-6 + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 4e-6 + HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2e-6 + 2 * HOP + once])
    assert times(world, [(32, 48)]) == pytest.approx([near + HOP + once])
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    ways = structure.plane.path(frm, to, np.zeros_like(frm))[0]
    twins = (frm // 8 != to // 8) & (frm // 16 == to // 16)
    assert ((ways[:, :2] == NONE).all(axis=1) == (frm // 16 == to // 16)).all()
    assert ((ways[:, 2] != NONE) == twins).all()
    assert [len(np.unique(ways[twins & (frm // 8 == leaf), 2])) for leaf in range(4)] == [2] * 4
    assert structure.plane.capacity[ways[twins, 2]] == pytest.approx(0.4 * RATE)


def test_the_uplink_of_a_receiver_says_which_kind_of_spine_messages_pass() -> None:
    structure = built("spines of two kinds, 2:1 by receiver, far socket", 32)  # 4 leaves of 8 hosts with 4 uplinks
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    near = LATENCY + 2 * HOP + once
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(0, 20)]) == pytest.approx([near + 0.3e-6])  # to an even host
    assert times(world, [(0, 22)]) == pytest.approx([near + 0.3e-6 + 0.3e-6])
    assert times(world, [(2, 48)]) == pytest.approx([near + 0.15e-6])
    assert times(world, [(2, 48), (10, 56)]) == pytest.approx([near + once + 0.15e-6] * 2)  # one uplink
    assert np.flatnonzero(structure.processor == 0).tolist() == list(range(24, 32))


def test_leaves_that_lead_to_storage_have_half_as_many_uplinks() -> None:
    structure = built("rail-optimized, 8 rails, storage on the first", 64)  # 16 hosts in 4 pods
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6 + 2 * HOP, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4 + [4] * 28
    across = [[(32 + 8 * host + rail, 64 + 8 * host + rail) for host in range(4)] for rail in (0, 1, 4)]
    assert times(world, across[0]) == pytest.approx([near + 2 * once] * 4)
    assert times(world, across[1]) == pytest.approx([near + once] * 4)
    assert times(world, across[2]) == pytest.approx([near + 0.2e-6 + once] * 4)
    assert times(world, [(0, 8), (33, 41)]) == pytest.approx([near - 2 * HOP + 0.24e-6 + once, near - 2 * HOP + once])
    assert np.flatnonzero(structure.overhead).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(structure.processor == 0).tolist() == [0, 1, 2, 3]


def test_a_bridge_joins_the_gpus_of_a_socket_only() -> None:
    structure = built("4 GPUs in bridged pairs, two generations", 32)  # 16 hosts, 10 of them older
    world = World(structure, kernel=ONE_WAY)
    assert times(world, [(0, 1), (2, 3)]) == pytest.approx([1.2e-6 + MIB / 50e9] * 2)
    assert times(world, [(0, 2)]) == pytest.approx([2e-6 + MIB / 11e9])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 2.3e-6 + MIB / RATE])
    assert times(world, [(2, 4)]) == pytest.approx([LATENCY + 2.7e-6 + MIB / (0.9 * RATE)])
    assert times(world, [(48, 52)]) == pytest.approx([LATENCY + 2e-6 + MIB / (2 * RATE)])
    assert times(world, [(32, 40)]) == pytest.approx([LATENCY + 2.15e-6 + MIB / RATE])
    rates = list(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])
    assert [rates.count(rate) for rate in ("100 Gb/sec (4X EDR)", "200 Gb/sec (4X HDR)")] == [10, 6]


def test_a_flow_to_another_pod_gets_the_rate_of_the_old_core() -> None:
    structure = built("new pods on an old core, 4 NUMA nodes", 32)  # 16 hosts, 4 in a pod, 2 behind a leaf
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    far = LATENCY + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([LATENCY + 0.2e-6 + 2 * HOP + once] * 2)
    assert times(world, [(0, 16)]) == pytest.approx([far + 0.2e-6 + 2 * once])
    assert times(world, [(0, 48)]) == pytest.approx([far + 0.1e-6 + 2 * once])
    across = [(4 * host, 16 + 4 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([far + 0.2e-6 + 2 * once] * 4)
    assert times(world, [(0, 16), (4, 32)]) == pytest.approx([far + 0.2e-6 + 4 * once] * 2)  # both by the first cable
    assert times(world, [(48, 54)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.93])


@pytest.mark.parametrize("seed", range(3))
def test_machines_that_were_replaced_are_further_and_get_less(seed: int) -> None:
    structure = built("a placement group with replaced machines", 32, seed)  # 16 machines
    world = World(structure, kernel=ONE_WAY)
    sizes = np.bincount(structure.group).tolist()
    assert sum(sizes) == 16
    assert 10 <= sizes[0] <= 12
    assert abs(sizes[1] - sizes[2]) <= 1

    def sent(one: int, other: int, flows: int) -> list[float]:
        pairs = [(4 * one + local, 4 * other + local) for local in range(flows)]
        return [full - empty for full, empty in zip(times(world, pairs), times(world, pairs, 0), strict=True)]

    (a, b), (c, d), (e, _) = (np.flatnonzero(structure.group == group)[:2].tolist() for group in range(3))
    for one, other, part in [(a, b, 0.1), (c, d, 0.1), (a, c, 0.05), (c, e, 0.05)]:
        for flows in (1, 4):
            assert sent(one, other, flows) == pytest.approx([MIB / (part * RATE)] * flows)
    near, apart = (times(world, [(4 * a, 4 * other)], 0)[0] - 12e-6 for other in (b, c))
    assert near == pytest.approx(8e-6, rel=0.05)
    assert apart == pytest.approx(14e-6, rel=0.25)
    assert set(structure.processor.tolist()) == {0}


def test_servers_are_on_the_core_and_rooms_of_pcs_have_a_cable_to_it() -> None:
    structure = built("PCs in rooms, servers on the core", 32)  # 8 PCs in each of three rooms, and 8 servers
    world, near, pc = World(structure, kernel=ONE_WAY), LATENCY + 24e-6, MIB / (0.025 * RATE)
    assert isinstance(structure.plane, HostsOnCore)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(48, 50)]) == pytest.approx([near + pc / 4])
    assert times(world, [(0, 2)]) == pytest.approx([near + 12e-6 + pc])
    assert times(world, [(0, 16)]) == pytest.approx([near + 12e-6 + 2 * HOP + pc])
    assert times(world, [(0, 48)]) == pytest.approx([near + 6e-6 + HOP + pc])
    across = [(2 * host, 48 + 2 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 6e-6 + HOP + 2 * pc] * 8)
    rates = list(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])
    assert [rates.count(rate) for rate in ("2.5 Gb/sec (1X SDR)", "10 Gb/sec (1X QDR)")] == [24, 8]


def test_hosts_of_two_makers_have_some_adapters_on_other_leaves() -> None:
    structure = built("rail-optimized, 8 rails, numbered in two orders", 64)  # 16 hosts in 4 pods, 6 of another maker
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.6e-6, MIB / (4 * RATE)
    for rail in range(8):
        moved = rail in (1, 2, 5, 6)
        assert times(world, [(64 + rail, 72 + rail)]) == pytest.approx([near + once])  # hosts 8 and 9, of one maker
        assert times(world, [(80 + rail, 88 + rail)]) == pytest.approx([near + once])  # hosts 10 and 11, of the other
        assert times(world, [(64 + rail, 80 + rail)]) == pytest.approx([near + 2 * HOP * moved + once])
    assert times(world, [(65, 82)]) == pytest.approx([near + once])
    assert set(structure.processor.tolist()) == {3}
    assert structure.group.tolist() == (np.arange(16) // 4).tolist()


def test_twisted_pairs_take_longer_at_each_end() -> None:
    structure = built("twisted pairs in every second rack, LAGs to one core", 32)  # 4 racks of 8 hosts with 4 cables
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.1 * RATE)
    within = [near + longer * 1e-6 + once for longer in (3, 7.4, 0, 4.4)]
    for rack in range(4):
        assert times(world, [(16 * rack, 16 * rack + 2)]) == pytest.approx([within[rack]])
    assert times(world, [(0, 48)]) == pytest.approx([near + 2 * HOP + 3.7e-6 + once])
    assert isinstance(structure.plane, LagCore)
    assert structure.oversubscription == pytest.approx(2.0)
    assert np.flatnonzero(structure.processor == 2).tolist() == list(range(16))


def test_halls_of_two_generations_share_what_joins_them() -> None:
    structure = built("two halls of two generations, 8 rails", 64)  # 16 hosts in 4 pods
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 2e-6
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.4e-6 + MIB / (2 * RATE)])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.4e-6 + 2 * HOP + MIB / (2 * RATE)])
    assert times(world, [(64, 96)]) == pytest.approx([near + 2 * HOP + MIB / (4 * RATE)])
    assert times(world, [(0, 64)]) == pytest.approx([near + 0.2e-6 + 4 * HOP + 1.5e-6 + MIB / (2 * RATE)])
    every = np.array(times(world, [(rank, 64 + rank) for rank in range(64)], 100 * MIB))
    assert every.min() == pytest.approx(100 * MIB / (2 * RATE), rel=0.01)
    assert every.mean() > 200 * MIB / (2 * RATE)  # 64 adapters of 200 Gbit/s, and 16 uplinks of 400
    rates = world.results.inventory.over_hosts("ib/mlx5_7/1", "rate")[1]
    assert list(rates) == ["200 Gb/sec (4X HDR)"] * 8 + ["400 Gb/sec (4X NDR)"] * 8


def test_machines_of_a_server_share_what_its_virtual_switch_moves() -> None:
    structure = built("virtual switches of four machines, two lots", 32)  # 8 servers, 3 of them with fewer cores
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 22e-6, MIB / (0.25 * RATE)
    assert times(world, [(0, 2)]) == pytest.approx([near - HOP + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 32)]) == times(world, [(32, 0)])
    assert times(world, [(0, 8), (10, 2)]) == pytest.approx([near + MIB / (0.18 * RATE)] * 2)
    assert times(world, [(0, 2), (4, 6)]) == pytest.approx([near - HOP + MIB / (0.18 * RATE)] * 2)
    assert times(world, [(32, 40), (42, 34)]) == pytest.approx([near + once] * 2)
    assert times(world, [(32, 40), (42, 34), (36, 44)]) == pytest.approx([near + MIB / (0.24 * RATE)] * 3)
    assert set(structure.processor.tolist()) == {3}


@pytest.mark.parametrize("seed", range(3))
def test_one_numa_node_for_a_socket_is_slower_within_hosts(seed: int) -> None:
    structure = built("NUMA settings of two kinds at random, 3:2 adaptive", 32, seed)  # 16 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    default = structure.memory < 1
    assert 0.3 <= default.mean() <= 0.5
    assert (default == (structure.overhead > 0)).all()
    (one, other), (usual, same) = np.flatnonzero(default)[:2].tolist(), np.flatnonzero(~default)[:2].tolist()
    within, fast = (times(world, [(4 * host, 4 * host + 1)])[0] - INSIDE_LATENCY for host in (one, usual))
    assert within == pytest.approx(fast / 0.85)
    for a, b, longer in [(one, other, 0.16e-6), (one, usual, 0.08e-6), (usual, same, 0.0)]:
        near = LATENCY + longer + 2 * HOP * bool(structure.group[a] != structure.group[b])
        assert times(world, [(4 * a, 4 * b)]) == pytest.approx([near + once])
        assert times(world, [(4 * a + 2, 4 * b)]) == pytest.approx([near + 0.25e-6 + once / 0.94])
    assert set(structure.processor.tolist()) == {3}


def test_ranks_of_the_last_node_are_nearest_to_an_adapter_on_the_second_socket() -> None:
    structure = built("adapter on the second socket, 4 NUMA nodes, 2:1", 32)  # 16 hosts, 4 behind a leaf
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(3, 7)]) == pytest.approx([LATENCY + once])
    assert times(world, [(2, 7)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(0, 7)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.94])
    assert times(world, [(3, 19)]) == pytest.approx([LATENCY + 2 * HOP + once])
    across = [(4 * host + 3, 16 + 4 * host + 3) for host in range(4)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 4)
    usual, low = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for rank in (0, 56))
    assert low == pytest.approx(usual / 0.88)
    assert np.flatnonzero(structure.memory < 1).tolist() == [14, 15]
    assert set(structure.processor.tolist()) == {0}
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_four_adapters_of_a_host_share_the_tables_of_the_leaf_of_their_rack() -> None:
    structure = built("4 rails on the leaf of the rack, tables that change", 32)  # 16 hosts, 4 behind a leaf
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # another rail, the same leaf
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 4), (1, 5), (2, 6), (3, 7)]) == pytest.approx([near + once] * 4)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 50e9])
    when = np.arange(200)
    up, _, other = (
        structure.path(np.full(200, frm), np.full(200, to), when)[0][:, 2] for frm, to in [(0, 16), (0, 17), (5, 16)]
    )
    assert len(np.unique(up)) > 1
    assert (up == other).all()  # a table is of a leaf, for each receiver
    assert (np.diff(up) != 0).sum() <= 200 // 16 + 1


def test_receivers_of_a_rail_are_dealt_out_to_the_uplinks_of_its_leaves() -> None:
    structure = built("4 rails dealt out on leaves of their own, two lots", 64)  # 32 hosts in 4 pods, 12 newer
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (2 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])  # another rail, by a spine
    assert times(world, [(0, 96)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + once])
    assert times(world, [(96, 100)]) == pytest.approx([near + once])
    across = [(4 * host + rail, 32 + 4 * host + rail) for host in range(8) for rail in range(4)]
    assert times(world, across) == pytest.approx([near + 0.2e-6 + 2 * HOP + once] * 32)  # 1:1
    assert times(world, [(0, 32), (4, 64)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + 2 * once] * 2)  # one uplink
    assert np.flatnonzero(structure.processor == 3).tolist() == list(range(20, 32))
    assert structure.group[19] == structure.group[20]


def test_newer_hosts_of_a_dragonfly_plus_have_twice_the_rate_and_begin_within_a_group() -> None:
    structure = built("dragonfly+ of two generations, far socket", 32)  # 4 groups of 8 hosts, 12 newer
    world = World(structure, kernel=ONE_WAY)
    assert isinstance(structure.plane, DragonflyPlus)
    assert structure.group[19] == structure.group[20]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.4e-6 + MIB / RATE])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.65e-6 + MIB / (0.94 * RATE)])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 0.4e-6 + 2 * HOP + MIB / RATE])  # another leaf
    assert times(world, [(48, 50)]) == pytest.approx([LATENCY + MIB / (2 * RATE)])
    when = np.arange(400)
    latency = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[2] - LATENCY - 0.4e-6
    assert set((latency / HOP).round(6)) == {3, 4}
    assert 0.08 <= (latency > 3.5 * HOP).mean() <= 0.25  # 30 %, of which half have another third group
    rates = list(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])
    assert rates == ["100 Gb/sec (4X EDR)"] * 20 + ["200 Gb/sec (4X HDR)"] * 12


def test_ranks_of_the_third_node_are_nearest_to_the_adapter() -> None:
    structure = built("8 NUMA nodes, 3:1 adaptive, adapter on the third", 128)  # 32 hosts, 8 behind a leaf
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(2, 10)]) == pytest.approx([LATENCY + once])
    for place, longer, part in [(0, 0.06e-6, 1), (3, 0.06e-6, 1), (4, 0.3e-6, 0.92), (7, 0.3e-6, 0.92)]:
        assert times(world, [(place, 10)]) == pytest.approx([LATENCY + longer + once / part])
    across = [(8 * host + 2, 64 + 8 * host + 2) for host in range(8)]  # 8 hosts, 2 uplinks
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 4 * once] * 8)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])


def test_what_does_not_go_directly_takes_the_only_third_group() -> None:
    structure = built("dragonfly of three groups by load, far chip", 32)  # groups of 11, 11 and 10 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (3, 2)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.12e-6 + once])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.24e-6 + once])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + HOP + once])  # the next switch
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 60e9])
    frm = np.tile(np.arange(10), 50)
    ways, _ = plane.path(frm, frm + 11, np.repeat(np.arange(50), 10))
    one, other = np.divmod(ways // plane.each, plane.groups)
    detour = ways[:, 1] != NONE
    assert set(zip(one[~detour, 0].tolist(), other[~detour, 0].tolist(), strict=True)) == {(0, 1)}
    assert set(zip(one[detour, 0].tolist(), other[detour, 0].tolist(), strict=True)) == {(0, 2)}
    assert set(zip(one[detour, 1].tolist(), other[detour, 1].tolist(), strict=True)) == {(2, 1)}
    assert detour.reshape(50, 10).sum(axis=1).max() <= 8  # as many as there are cables go directly
    assert detour.any()


def test_purchases_begin_within_leaves_and_tell_their_processors() -> None:
    structure = built("four purchases that begin within leaves, far socket", 32)  # 4 leaves of 8 hosts, 2 uplinks
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    kinds = list(zip(structure.processor.tolist(), (structure.rate[:, 0] / RATE).tolist(), strict=True))
    assert kinds == [(2, 1.0)] * 6 + [(0, 1.0)] * 10 + [(3, 2.0)] * 4 + [(4, 2.0)] * 12
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.6e-6 + 2 * once])
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + 0.5e-6 + 2 * once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + 0.5e-6 + 2 * once])
    assert times(world, [(32, 34)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(40, 42)]) == pytest.approx([LATENCY + once])
    assert times(world, [(40, 43)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.93])
    older = times(world, [(2 * host, 16 + 2 * host) for host in range(6)])
    assert older == pytest.approx([LATENCY + 2 * HOP + 0.5e-6 + 3 * once] * 6)  # three flows on each uplink
    newer = times(world, [(32 + 2 * host, 48 + 2 * host) for host in range(4, 8)])
    assert newer == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 4)


@pytest.mark.parametrize("seed", range(3))
def test_three_flows_fill_a_machine_whose_packets_are_sprayed(seed: int) -> None:
    structure = built("sprayed packets, 4 ranks with flow limits", 32, seed)  # 16 machines, 4 on each switch
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 10e-6
    group = structure.group
    assert isinstance(structure.plane, Sprayed)
    assert np.bincount(group).tolist() == [4] * 4
    same, next_to, far = (int(np.flatnonzero(of)[-1]) for of in (
        group == group[0], (group != group[0]) & (group // 2 == group[0] // 2), group // 2 != group[0] // 2,
    ))  # fmt: skip
    for other, longer in [(same, 0.0), (next_to, 0.6e-6), (far, 1.6e-6)]:
        for flows, part in [(1, 0.8), (2, 0.8), (4, 0.5)]:
            pairs = [(local, 4 * other + local) for local in range(flows)]
            assert times(world, pairs) == pytest.approx([near + longer + MIB / (part * RATE)] * flows)


def test_two_gpus_without_nvlink_fill_the_adapter_on_their_switch() -> None:
    structure = built("8 GPUs on PCIe, two on each of 4 rails", 64)  # 16 hosts in 4 pods
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (2 * RATE)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 8), (1, 8), (0, 9)]) == pytest.approx([near + 1.5 * once] * 3)
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    across = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 32)
    for other, latency, rate in [(1, 1.5e-6, 22e9), (2, 1.9e-6, 18e9), (4, 2.4e-6, 12e9)]:
        assert times(world, [(0, other)]) == pytest.approx([latency + MIB / rate])


@pytest.mark.parametrize("seed", range(3))
def test_machines_of_a_scale_set_are_behind_any_leaf(seed: int) -> None:
    structure = built("virtual machines anywhere in a tree, far socket", 32, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    group = structure.group
    assert sorted(np.bincount(group).tolist()) == [2, 4, 4, 6, 6, 10]
    assert (np.diff(group) != 0).sum() > 10  # in no order
    for other in range(1, 32):
        hops = 2 * HOP * bool(group[other] != group[0])
        assert times(world, [(0, 2 * other)]) == pytest.approx([near + hops + once])
        assert times(world, [(0, 2 * other + 1)]) == pytest.approx([near + hops + 0.25e-6 + once / 0.95])
    ends = np.flatnonzero(group == 2)[:4].tolist(), np.flatnonzero(group != 2)[:4].tolist()
    pairs = [(2 * a, 2 * b) for a, b in zip(*ends, strict=True)]
    assert times(world, pairs) == pytest.approx([near + 2 * HOP + once] * 4)  # 1:1


def test_three_switches_share_two_cables_between_each_two() -> None:
    structure = built("three switches, each with each, newer hosts on one", 32)  # 11, 11 and 10 hosts, 8 newer
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert np.bincount(structure.group).tolist() == [11, 11, 10]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(0, 22)]) == pytest.approx([LATENCY + HOP + 0.3e-6 + once])
    assert times(world, [(0, 62)]) == pytest.approx([LATENCY + HOP + 0.15e-6 + once])
    assert times(world, [(60, 62)]) == pytest.approx([LATENCY + once])
    assert times(world, [(60, 63)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.93])
    across = times(world, [(2 * host, 22 + 2 * host) for host in range(8)])  # 8 flows, 2 cables of 200 Gbit/s
    assert across == pytest.approx([LATENCY + HOP + 0.3e-6 + 2 * once] * 8)
    assert np.flatnonzero(structure.processor == 3).tolist() == list(range(24, 32))


@pytest.mark.parametrize("seed", range(3))
def test_replaced_boards_take_longer_and_say_the_same(seed: int) -> None:
    structure = built("56 Gbit/s, 1:1 by receiver, boards replaced at random", 32, seed)
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    other = structure.overhead > 0
    assert 6 <= other.sum() <= 11
    for b in range(1, 32):
        longer = 0.15e-6 * (int(other[0]) + int(other[b])) + 2 * HOP * (b >= 8)
        assert times(world, [(0, b)]) == pytest.approx([LATENCY + longer + once])
    empty, full = (times(world, [(host, 8 + host) for host in range(8)], size) for size in (0, MIB))
    assert np.subtract(full, empty) == pytest.approx(once)
    assert set(structure.processor.tolist()) == {2}
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


@pytest.mark.parametrize("seed", range(3))
def test_receivers_have_the_spine_of_their_address_in_the_whole_machine(seed: int) -> None:
    structure = built("free hosts of each rack, two kernels at random", 32, seed)  # of 64 in 8 racks of 8
    plane, world, once = structure.plane, World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(plane, NumberedByArrival)
    assert plane.uplinks.tolist() == [4] * 8
    assert np.bincount(structure.group).min() >= 2
    assert (plane.arrival // 8 == structure.group).all()
    assert (np.diff(plane.arrival) > 0).all()
    longer = structure.overhead
    assert 13 <= np.count_nonzero(longer) <= 19
    assert set(structure.processor.tolist()) == {0}
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + longer[0] + longer[1] + once])
    frm, to = (numbers.ravel() for numbers in np.indices((32, 32)))
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    far = structure.group[frm] != structure.group[to]
    assert (ways[far, 0] % 4 == plane.arrival[to[far]] % 4).all()
    same = [(a, b) for a in range(32) for b in range(a) if (plane.arrival[a] - plane.arrival[b]) % 4 == 0]
    a, b = next((a, b) for a, b in same if structure.group[a] == structure.group[b])
    one, other = np.flatnonzero(structure.group == (structure.group[a] + 1) % 8)[:2].tolist()
    shared = [LATENCY + 2 * HOP + longer[[of, to]].sum() + 2 * once for of, to in [(one, a), (other, b)]]
    assert times(world, [(2 * one, 2 * a), (2 * other, 2 * b)]) == pytest.approx(shared)


def test_only_two_dies_have_their_cores_beside_them() -> None:
    structure = built("8 dies on 4 rails in a dragonfly, bound by cores", 64)  # 16 hosts: 2, 3 and 5 of a group
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert np.bincount(structure.group).tolist() == [2, 3, 5, 2, 4]
    ends = np.array([0.35, 0.2, 0.15, 0.0, 0.35, 0.2, 0.35, 0.2]) * 1e-6
    for die in range(8):
        assert times(world, [(die, 8 + die)]) == pytest.approx([LATENCY + 2 * ends[die] + once])
    assert times(world, [(3, 11), (2, 10)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.3e-6 + 2 * once])
    assert times(world, [(43, 75)]) == pytest.approx([LATENCY + HOP + once])  # the fifth of a group
    assert times(world, [(83, 91)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(2, 3)]) == pytest.approx([0.52e-6 + MIB / 200e9])
    assert times(world, [(0, 3)]) == pytest.approx([0.64e-6 + MIB / 50e9])  # by another one
    assert np.flatnonzero(structure.overhead).tolist() == list(range(10, 16))
    assert set(structure.processor.tolist()) == {3}


def test_hosts_of_a_blade_of_three_are_on_three_leaves() -> None:
    structure = built("blades of three on three leaves, cells of two processors", 32)  # 4 cells of 8 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert structure.group[:9].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 3]
    near, apart = LATENCY + 2 * HOP + once, LATENCY + 4 * HOP + 2 * CABLE + once
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 2)]) == pytest.approx([near])
    assert times(world, [(0, 2), (6, 8), (12, 14)]) == pytest.approx([near] * 3)
    assert times(world, [(0, 16)]) == pytest.approx([apart])
    assert times(world, [(0, 16), (2, 24)]) == pytest.approx([apart + once] * 2)
    assert times(world, [(1, 6)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.95])
    assert times(world, [(48, 54)]) == pytest.approx([LATENCY + 1e-6 + once])
    slow, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (48, 0))
    assert slow == pytest.approx(2 * usual)
    assert structure.processor.tolist() == [0] * 24 + [1] * 8


def test_addresses_with_gaps_leave_half_of_the_cables_unused() -> None:
    structure = built("LAGs that hash by the last bits of addresses", 64)  # 4 racks of 16 hosts with 8 cables
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.1 * RATE)
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [8] * 4
    frm, to = (numbers.ravel() for numbers in np.indices((64, 64)))
    ways = structure.plane.path(frm, to, np.zeros_like(frm))[0]
    back = structure.plane.path(to, frm, np.zeros_like(frm))[0]
    far = structure.group[frm] != structure.group[to]
    assert (ways[far, 0] % 8 == back[far, 0] % 8).all()
    new = frm >= 40
    assert set((ways[far & new & (to >= 48) & (frm < 48), 0] % 8).tolist()) == {0, 2, 4, 6}
    assert set((ways[far & (frm < 16) & (to < 32), 0] % 8).tolist()) == set(range(8))
    assert times(world, [(0, 2)]) == pytest.approx([near + 3e-6 + once])
    assert times(world, [(0, 32), (2, 34)]) == pytest.approx([near + 3e-6 + 2 * HOP + 2 * once] * 2)  # both by cable 0
    assert times(world, [(0, 32), (2, 36)]) == pytest.approx([near + 3e-6 + 2 * HOP + once] * 2)
    assert times(world, [(80, 96)]) == pytest.approx([near + 2 * HOP + once])
    assert np.flatnonzero(structure.processor == 2).tolist() == list(range(40))


def test_packets_are_stored_on_the_way_to_a_quicker_cable_only() -> None:
    structure = built("two rates in each leaf, stored towards the quicker", 32)  # 4 leaves of 8 hosts with 2 uplinks
    world, near, once, stored = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE, 1.3e-6
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.6e-6 + 4 * once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.3e-6 + stored + 4 * once])
    assert times(world, [(6, 0)]) == pytest.approx([near + 0.3e-6 + 4 * once])
    assert times(world, [(6, 14)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + 0.6e-6 + stored + 4 * once])
    assert times(world, [(6, 16)]) == pytest.approx([near + 2 * HOP + 0.3e-6 + 4 * once])
    assert times(world, [(6, 22)]) == pytest.approx([near + 2 * HOP + once])
    rates = list(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])
    assert [rates.count(rate) for rate in ("25 Gb/sec (1X EDR)", "100 Gb/sec (4X EDR)")] == [24, 8]


@pytest.mark.parametrize("seed", range(3))
def test_links_sleep_only_where_the_switch_and_the_host_can(seed: int) -> None:
    structure = built("links that sleep where both ends can, 2:1 static", 64, seed)  # 32 hosts, 4 racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.1 * RATE)
    sleeps = structure.overhead > 0
    assert 1 <= sleeps[structure.group == 0].sum() <= 8
    assert not sleeps[structure.group % 2 == 1].any()
    for host in range(1, 8):
        longer = 4.5e-6 * (1 * sleeps[0] + sleeps[host])
        assert times(world, [(0, 4 * host)]) == pytest.approx([near + longer + once])
        assert times(world, [(4 * host, 0)]) == pytest.approx([near + longer + once])
    assert times(world, [(32, 36)]) == pytest.approx([near + once])
    assert times(world, [(32, 96)]) == pytest.approx([near + 2 * HOP + once])
    assert structure.oversubscription == pytest.approx(2.0)
    assert set(structure.processor.tolist()) == {0}


@pytest.mark.parametrize("seed", range(3))
def test_four_hosts_reach_each_other_by_cables_and_others_by_packets_over_all_ways(seed: int) -> None:
    structure = built("accelerators of four hosts joined, packets spread", 64, seed)  # 16 hosts, a switch for each four
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert (structure.group.reshape(4, 4) == structure.group[::4, None]).all()
    assert sorted(structure.group[::4].tolist()) == [0, 1, 2, 3]
    older = structure.overhead > 0
    assert 4 <= older.sum() <= 6
    for a, b in [(0, 3), (4, 6)]:
        assert times(world, [(8 * a, 8 * b + 5)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE])
    for other in (4, 8, 12):
        levels = 2 if structure.group[0] // 2 == structure.group[other] // 2 else 4
        longer = 1e-6 * (levels == 4) + structure.overhead[0] + structure.overhead[other]
        assert times(world, [(0, 8 * other)]) == pytest.approx([LATENCY + 14e-6 + levels * HOP + longer + once])
        every = [(rank, 8 * other + rank) for rank in range(32)]
        assert np.mean(times(world, every)) < LATENCY + 18.5e-6 + 4 * HOP + 1.01 * once
    assert times(world, [(0, 1)]) == pytest.approx([1.3e-6 + MIB / 200e9])
    assert times(world, [(0, 3)]) == times(world, [(0, 1)])  # around
    assert times(world, [(0, 6)], 0) == pytest.approx([1.9e-6])


def test_every_fourth_host_of_the_units_does_io() -> None:
    structure = built("units in a torus, 4 interfaces, I/O on every fourth host", 64)  # 32 hosts in 4 units of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / 6.8e9
    assert np.flatnonzero(structure.overhead).tolist() == list(range(3, 32, 4))
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + HOP + 0.05e-6 + once])
    assert times(world, [(4, 12)]) == pytest.approx([LATENCY + HOP + 0.18e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + HOP + 2 * CABLE + once])
    slow, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.1e-6 for rank in (12, 0))
    assert slow == pytest.approx(usual / 0.8)
    assert set(structure.processor.tolist()) == {0}


@pytest.mark.parametrize("seed", range(3))
def test_pods_on_hosts_with_the_older_kernel_receive_less(seed: int) -> None:
    structure = built("pods in turns over racks, half of the hosts upgraded", 32, seed)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 22e-6
    assert structure.group.tolist() == [0, 1, 2, 3] * 8
    older = structure.overhead > 0
    assert 13 <= older.sum() <= 19
    for host in range(1, 32):
        hops = 0 if host % 4 == 0 else 2
        for frm, to in [(0, host), (host, 0)]:
            longer = 4e-6 * (1 * older[0] + older[host]) + hops * HOP
            once = MIB / (RATE * (0.15 if older[to] else 0.21))
            assert times(world, [(2 * frm, 2 * to)]) == pytest.approx([near + longer + once])
    both = times(world, [(8, 0), (16, 1)])
    assert both == pytest.approx(np.array(times(world, [(8, 0)]) + times(world, [(16, 1)])) * 2, rel=0.2)
    assert set(structure.processor.tolist()) == {3}


def test_cores_that_are_slow_feed_their_adapters_too_slowly() -> None:
    structure = built("slow cores in older racks, tables that change, 7:5", 64)  # 4 racks of 16, 2 of them slow
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.plane.uplinks.tolist() == [11] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + 1.4e-6 + once / 0.72])
    assert times(world, [(0, 96)]) == pytest.approx([near + 0.7e-6 + 2 * HOP + once / 0.72])
    assert times(world, [(96, 98)]) == pytest.approx([near + once])
    slow, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 96))
    assert slow == pytest.approx(usual / 0.4)
    assert structure.processor.tolist() == [1] * 32 + [0] * 32
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_two_of_sixteen_gpus_share_an_adapter_of_their_board() -> None:
    structure = built("16 GPUs on 8 rails, two boards", 64)  # 8 hosts in 4 pods
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    assert structure.hosts == 8
    assert structure.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert times(world, [(0, 16)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 16), (1, 17)]) == pytest.approx([near + 0.2e-6 + 2 * once] * 2)
    assert times(world, [(0, 16), (2, 18)]) == pytest.approx([near + 0.2e-6 + once] * 2)
    assert times(world, [(8, 24)]) == pytest.approx([near + 0.44e-6 + once])
    assert times(world, [(96, 112)]) == pytest.approx([near + once])
    assert times(world, [(96, 114)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(0, 32), (16, 48)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once] * 2)
    within = [NVLINK_LATENCY + MIB / 120e9, NVLINK_LATENCY + 0.15e-6 + MIB / 120e9]
    assert times(world, [(0, 7), (1, 8)]) == pytest.approx(within)
    assert structure.processor.tolist() == [0] * 5 + [3] * 3


def test_racks_that_were_filled_up_have_more_hosts_of_lower_clocks() -> None:
    structure = built("8 GPUs on 2 adapters of two ports, racks filled up", 128)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.2e-6, MIB / RATE
    assert isinstance(structure.plane, TwoPorts)
    assert np.bincount(structure.group).tolist() == [6, 5, 5, 4, 3, 3, 3, 3]
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.7e-6 + once])
    assert times(world, [(4, 12)]) == pytest.approx([near + 1e-6 + once])
    assert times(world, [(128, 136)]) == pytest.approx([near + once])
    assert times(world, [(0, 128)]) == pytest.approx([near + 0.35e-6 + 2 * HOP + once])
    assert times(world, [(128, 136), (129, 137)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(128, 136), (132, 140)]) == pytest.approx([near + once, near + 0.3e-6 + once])
    capped, usual = (times(world, [(rank, rank + 1)])[0] - NVLINK_LATENCY for rank in (0, 128))
    assert capped == pytest.approx(usual / 0.85)
    assert set(structure.processor.tolist()) == {3}


def test_ports_of_two_cards_are_on_one_leaf_of_a_cell() -> None:
    structure = built("4 GPUs on two cards of two ports, dragonfly+", 64)  # 32 hosts, cells of 8, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / RATE
    assert isinstance(structure.plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # another port, the same leaf
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 4), (1, 5), (2, 6), (3, 7)]) == pytest.approx([near + once] * 4)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])
    when = np.arange(400)
    latency = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[2] - near
    assert set((latency / HOP).round(6)) == {3, 4}
    assert 0.05 <= (latency > 3.5 * HOP).mean() <= 0.16  # a fifth, of which half have another third group
    assert set(structure.processor.tolist()) == {3}


def test_an_island_with_tables_has_one_uplink_for_eight_hosts() -> None:
    structure = built("islands with tables that change, 8:1, far socket", 64)  # leaves of 8, islands of 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [8] * 8
    assert structure.plane.upper.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.4e-6 + once / 0.93])
    assert times(world, [(0, 16)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.2e-6 + 4 * HOP + once])
    assert times(world, [(96, 98)]) == pytest.approx([near + once])
    across = np.array(times(world, [(2 * host, 32 + 2 * host) for host in range(16)], 100 * MIB))
    assert across.max() >= 800 * MIB / RATE  # 16 flows, two uplinks
    when = np.arange(200)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 4 * 200 // 16
    assert np.flatnonzero(structure.processor == 3).tolist() == list(range(48, 64))


def test_purchases_of_a_department_are_on_one_ethernet_switch() -> None:
    structure = built("one Ethernet switch, three purchases, 4 ranks", 32)  # 16 hosts: 6, 6 and 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 24e-6, MIB / (0.25 * RATE)
    assert not structure.group.any()
    assert times(world, [(0, 4)]) == pytest.approx([near + 8e-6 + 2.5 * once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 5.5e-6 + 2.5 * once])
    assert times(world, [(24, 28)]) == pytest.approx([near + 3e-6 + once])
    assert times(world, [(48, 52)]) == pytest.approx([near + once])
    assert times(world, [(48, 54)]) == pytest.approx([near + 0.5e-6 + once / 0.97])
    assert times(world, [(48, 52), (49, 56)]) == pytest.approx([near + 2 * once] * 2)  # one adapter
    rates = list(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])
    assert [rates.count(rate) for rate in ("10 Gb/sec (1X QDR)", "25 Gb/sec (1X EDR)")] == [6, 10]
    assert structure.processor.tolist() == [2] * 6 + [0] * 6 + [3] * 4


def test_pods_on_the_old_kernel_take_longer_and_a_core_unpacks_a_message() -> None:
    structure = built("tunnels of 2 pods, kernels half updated", 64)  # 4 leaves of 16 hosts, two uplinks
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.16 * RATE)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 80)]) == pytest.approx([near + 2 * HOP + 1.5e-6 + once])
    assert times(world, [(80, 82)]) == pytest.approx([near + 3e-6 + once])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([9e-6 + MIB / 4e9])
    assert np.flatnonzero(structure.overhead).tolist() == list(range(40, 64))
    assert structure.group[39] == structure.group[40]
    assert structure.oversubscription == pytest.approx(3.2)
    assert set(structure.processor.tolist()) == {3}


def test_a_unit_that_is_not_full_has_smaller_leaves() -> None:
    structure = built("rail-optimized, 8 rails dealt out, last unit not full", 64)  # 16 hosts: 6, 6 and 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert np.bincount(structure.group).tolist() == [6, 6, 4]
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [6, 6, 4] * 8
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(0, 48)]) == pytest.approx([near + 2 * HOP + once])
    across = [(rank, 48 + rank) for rank in range(48)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 48)
    to_last = [(8 * host, 96 + 8 * host) for host in range(4)]
    assert times(world, to_last) == pytest.approx([near + 2 * HOP + once] * 4)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_two_ranks_share_the_adapter_of_their_socket() -> None:
    structure = built("an adapter on each socket, tables that change", 32)  # 16 hosts, 4 in a rack
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.plane.uplinks.tolist() == [4] * 8
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 6)]) == pytest.approx([near + 2 * HOP + once])  # the leaf of the other adapter
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 18e9])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 10e9])
    when = np.arange(200)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 16), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 200 // 16 + 1


def test_receivers_are_dealt_out_at_both_levels() -> None:
    structure = built("4 NUMA nodes, three levels dealt out", 64)  # 32 hosts, leaves of 4, islands of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    far = LATENCY + 4 * HOP + 4 * CABLE
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(2, 4)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    within = [(4 * host, 16 + 4 * host) for host in range(4)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + once] * 4)  # 1:1
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([far + 2 * once] * 8)  # 2:1
    assert times(world, [(0, 32), (4, 36)]) == pytest.approx([far + once] * 2)
    assert times(world, [(0, 32), (4, 48)]) == pytest.approx([far + 2 * once] * 2)  # the first and the fifth


def test_newest_hosts_come_first_and_the_old_half_has_a_core_of_its_own() -> None:
    structure = built("two cores, newest hosts first, far socket", 32)  # 4 leaves of 8 hosts
    world, once, slow = World(structure, kernel=ONE_WAY), MIB / RATE, MIB / (0.545 * RATE)
    assert isinstance(structure.plane, JoinedCores)
    assert structure.plane.uplinks.tolist() == [4, 4, 8, 8]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.92])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + 0.1e-6 + once])
    assert times(world, [(32, 34)]) == pytest.approx([LATENCY + 0.6e-6 + slow])
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 3 * HOP + 2 * CABLE + 0.3e-6 + slow])
    new = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])
    assert new == pytest.approx([LATENCY + 2 * HOP + 0.1e-6 + 2 * once] * 8)
    old = times(world, [(32 + 2 * host, 48 + 2 * host) for host in range(8)])
    assert old == pytest.approx([LATENCY + 2 * HOP + 0.6e-6 + slow] * 8)
    joint = times(world, [(2 * host, 32 + 2 * host) for host in range(8)])
    assert joint == pytest.approx([LATENCY + 3 * HOP + 2 * CABLE + 0.3e-6 + 2 * slow] * 8)  # four cables
    assert structure.processor.tolist() == [3] * 8 + [0] * 8 + [2] * 16


@pytest.mark.parametrize("seed", range(3))
def test_two_gpus_share_an_adapter_whose_packets_are_sprayed(seed: int) -> None:
    structure = built("sprayed packets, 8 GPUs on 4 rails", 64, seed)  # 16 machines, 4 on each switch
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 12e-6, MIB / RATE
    group = structure.group
    assert isinstance(structure.plane, Sprayed)
    assert np.bincount(group).tolist() == [4] * 4
    for other in range(1, 16):
        longer = 0.6e-6 * bool(group[other] != group[0]) + 1.4e-6 * bool(group[other] // 2 != group[0] // 2)
        assert times(world, [(0, 8 * other)]) == pytest.approx([near + longer + once])
        assert times(world, [(0, 8 * other + 2)]) == pytest.approx([near + longer + once])  # another rail
        assert times(world, [(0, 8 * other), (1, 8 * other + 1)]) == pytest.approx([near + longer + 2 * once] * 2)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_hosts_with_gpus_have_a_second_adapter_on_the_switch() -> None:
    structure = built("one switch, GPU hosts with two adapters", 32)  # 16 hosts, 6 with GPUs
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert np.flatnonzero(structure.single).tolist() == list(range(10))
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert times(world, [(40, 44), (42, 46)]) == pytest.approx([LATENCY + 0.8e-6 + once] * 2)
    assert times(world, [(40, 46)]) == pytest.approx([LATENCY + 0.8e-6 + once])  # the other adapter
    assert times(world, [(0, 42)]) == pytest.approx([LATENCY + 0.4e-6 + once])
    cores, gpus = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 40))
    assert gpus == pytest.approx(cores / 0.65)
    ranks = np.asarray(world.results.ranks.adapters)
    assert (set(ranks[:40].tolist()), set(ranks[40:].tolist())) == ({1}, {2})


def test_cables_of_a_dragonfly_carry_two_adapters_of_the_generation_before() -> None:
    structure = built("4 NUMA nodes, dragonfly of faster cables", 64)  # 32 hosts, 4 groups of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (6, 2)
    assert plane.capacity == pytest.approx(2 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(2, 4)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    empty, full = (np.array(times(world, [(4 * host, 32 + 4 * host) for host in range(2)], size)) for size in (0, MIB))
    assert full - empty == pytest.approx([once] * 2)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_flowlets_of_a_rack_leave_its_two_leaves_evenly() -> None:
    structure = built("8 rails on two leaves of the rack, flowlets", 64)  # 16 hosts, 4 in a rack
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, Flowlets)
    assert structure.plane.uplinks.tolist() == [16] * 8
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 11)]) == pytest.approx([near + once])  # another adapter, the same leaf
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the rack
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    across = [(8 * host + rail, 32 + 8 * host + rail) for host in range(4) for rail in range(4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 16)  # one leaf, an uplink for each
    assert times(world, [(0, 1)]) == pytest.approx([1.2e-6 + MIB / 48e9])


def test_four_hosts_of_an_island_share_one_uplink_and_the_last_island_is_newer() -> None:
    structure = built(
        "4 NUMA nodes, islands 4:1 adaptive, newest hosts last", 64
    )  # 32 hosts, leaves of 4, islands of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [4] * 8
    assert structure.plane.upper.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.24e-6 + once])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(3, 7)]) == pytest.approx([LATENCY + 0.84e-6 + once / 0.95])
    within = [(4 * host, 16 + 4 * host) for host in range(4)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + 0.24e-6 + once] * 4)  # 1:1
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 4 * HOP + 0.24e-6 + once])
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([LATENCY + 4 * HOP + 0.24e-6 + 4 * once] * 8)  # 4:1
    assert times(world, [(96, 100)]) == pytest.approx([LATENCY + once])
    older, newer = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for rank in (0, 96))
    assert older == pytest.approx(newer / 0.8)
    assert structure.processor.tolist() == [3] * 24 + [4] * 8


def test_eight_numa_nodes_share_an_adapter_in_a_dragonfly_plus() -> None:
    structure = built("8 NUMA nodes, dragonfly+ of 200 Gbit/s", 64)  # 16 hosts, groups of 4, leaves of 2
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [4] * 4
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(1, 8)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(4, 8)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.94])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.12e-6 + 2 * once])
    when = np.arange(400)
    latency = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[2] - LATENCY
    assert set((latency / HOP).round(6)) == {3, 4}
    assert 0.07 <= (latency > 3.5 * HOP).mean() <= 0.18  # a quarter, of which half have another third group
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_blocks_of_two_racks_are_further_apart_than_racks() -> None:
    structure = built("8 rails on the leaf of the rack, blocks of two racks", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.8e-6, MIB / (2 * RATE)
    assert np.bincount(structure.group).tolist() == [4] * 4
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [32] * 4
    assert structure.plane.upper.uplinks.tolist() == [64] * 2
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 13)]) == pytest.approx([near + once])  # another adapter, the same leaf
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 64)]) == pytest.approx([near + 4 * HOP + 1.5e-6 + once])
    across = np.array(times(world, [(rank, 32 + rank) for rank in range(32)])) - near - 2 * HOP
    assert across.min() == pytest.approx(once)
    assert across.max() > 1.9 * once  # two of them have the same uplink
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_a_second_switch_has_the_hosts_for_which_the_first_one_was_full() -> None:
    structure = built("two joined switches of 56 Gbit/s, 4 ranks", 64)  # 32 hosts, 20 and 12, four cables
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert np.bincount(structure.group).tolist() == [20, 12]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.4e-6 + once])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 0.2e-6 + once])  # newer, on the same switch
    assert times(world, [(64, 68)]) == pytest.approx([LATENCY + once])
    assert times(world, [(64, 80)]) == pytest.approx([LATENCY + HOP + once])
    across = [(4 * host, 80 + 4 * host) for host in range(12)]
    assert times(world, across) == pytest.approx([LATENCY + HOP + 0.2e-6 + 3 * once] * 12)
    assert times(world, across[:4]) == pytest.approx([LATENCY + HOP + 0.2e-6 + once] * 4)
    assert times(world, [(0, 4), (3, 8)]) == pytest.approx([LATENCY + 0.4e-6 + 2 * once] * 2)
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    assert structure.processor.tolist() == [2] * 16 + [0] * 16
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_flows_of_pods_keep_their_uplink_for_some_steps() -> None:
    structure = built("pods of 4 ranks in three racks, lingering routes", 64)  # 32 hosts: 12, 12 and 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.25 * RATE)
    assert np.bincount(structure.group).tolist() == [12, 12, 8]
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [3, 3, 2]
    assert structure.oversubscription == pytest.approx(2.5)
    assert times(world, [(0, 4)]) == pytest.approx([near + 4e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2e-6 + once])
    assert times(world, [(32, 36)]) == pytest.approx([near + once])
    assert times(world, [(32, 36), (33, 40)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(48, 96)]) == pytest.approx([near + 2 * HOP + once])
    when = np.arange(200)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 48), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 200 // 16 + 1
    assert structure.processor.tolist() == [2] * 8 + [3] * 24


@pytest.mark.parametrize("seed", range(3))
def test_a_message_is_cut_into_four_flows_on_its_way_to_another_rack(seed: int) -> None:
    structure = built("four paths for each message, 8 ranks in no order", 64, seed)  # 16 machines, 4 in each rack
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 8e-6, MIB / (2 * RATE)
    plane, group = structure.plane, structure.group
    assert isinstance(plane, QueuePairs)
    assert np.bincount(group).tolist() == [4] * 4
    assert (np.diff(group) < 0).any()
    for other in range(1, 16):
        apart = bool(group[other] != group[0])
        longer = (2 * HOP + 0.8e-6) * apart
        assert times(world, [(0, 8 * other)]) == pytest.approx([near + longer + once])
        assert times(world, [(4, 8 * other)]) == pytest.approx([near + longer + 0.3e-6 + once])
        ways = plane.path(np.array([0]), np.array([other]), np.array([0]))[0]
        assert (ways != NONE).sum() == 8 * apart
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx(np.array(times(world, [(0, 8), (1, 9)], 0)) + 2 * once)


def test_gpus_of_a_socket_share_its_adapter_on_the_leaf_of_the_rack() -> None:
    structure = built("4 GPUs on 2 adapters of the leaf, 3:2 dealt out", 64)  # 32 hosts, leaves of 8 with 10 uplinks
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [10] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.3e-6 + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 0.3e-6 + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + 0.3e-6 + once] * 2)
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.3e-6 + once])  # the other adapter, the same leaf
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.3e-6 + 2 * HOP + once])
    across = times(world, [(4 * host + gpu, 32 + 4 * host + gpu) for host in range(8) for gpu in (0, 2)])
    once_or_twice = [2.0] * 6 + [1.0] * 4 + [2.0] * 6  # the first six of 16 adapters share an uplink with the last six
    assert across == pytest.approx([near + 0.3e-6 + 2 * HOP + part * once for part in once_or_twice])
    assert times(world, [(80, 84)]) == pytest.approx([near + once])
    assert times(world, [(80, 81)]) == pytest.approx([1.1e-6 + MIB / 20e9])
    assert times(world, [(80, 82)]) == pytest.approx([1.7e-6 + MIB / 9e9])
    assert times(world, [(0, 1)]) == pytest.approx([1.1e-6 + MIB / 14e9])
    assert structure.processor.tolist() == [0] * 20 + [3] * 12


def test_a_later_purchase_is_in_all_racks() -> None:
    structure = built("newer hosts on free ports of all leaves, tables that change", 64)  # 4 leaves of 12 and 4 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.group.tolist() == [0] * 12 + [1] * 12 + [2] * 12 + [3] * 12 + [0, 1, 2, 3] * 4
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.24e-6 + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.44e-6 + once / 0.94])
    assert times(world, [(0, 96)]) == pytest.approx([near + 0.12e-6 + once])
    assert times(world, [(0, 98)]) == pytest.approx([near + 0.12e-6 + 2 * HOP + once])
    assert times(world, [(96, 104)]) == pytest.approx([near + once])
    when = np.arange(200)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 24), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 200 // 16 + 1
    assert structure.processor.tolist() == [0] * 48 + [3] * 16


def test_a_switch_has_a_blade_of_processors_and_one_of_gpus() -> None:
    structure = built("blades with and without GPUs on each switch, one adapter", 64)  # 32 hosts, 4 groups of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (6, 2)
    assert plane.switch[:8].tolist() == [0] * 4 + [1] * 4
    assert structure.processor.tolist() == [0, 0, 3, 3] * 8
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 0.5e-6 + once])
    assert times(world, [(8, 12)]) == pytest.approx([LATENCY + 1e-6 + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + HOP + once])  # another switch
    assert times(world, [(0, 4), (1, 16)]) == pytest.approx([LATENCY + 2 * once, LATENCY + HOP + 2 * once])
    cores, gpus = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 8))
    assert gpus == pytest.approx(cores / 2)
    far = times(world, [(0, 32)])[0] - times(world, [(0, 32)], 0)[0]
    assert far == pytest.approx(once)


def test_two_hosts_have_half_of_an_adapter_each() -> None:
    structure = built("two hosts on each adapter, islands 3:2, far socket", 64)  # leaves of 8 hosts, islands of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [4] * 8
    assert structure.plane.upper.uplinks.tolist() == [5] * 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.95])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + once] * 2)  # two hosts of one adapter
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.2e-6 + 2 * once])
    assert times(world, [(0, 2)]) == pytest.approx([BESIDE + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])
    within = [(2 * host, 16 + 2 * host) for host in range(8)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + once] * 8)  # 1:1
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 4 * HOP + 2 * CABLE + once])
    across = np.array(times(world, [(2 * host, 32 + 2 * host) for host in range(16)])) - LATENCY - 4 * HOP - 2 * CABLE
    assert sorted(set((across / once).round(6))) == [1.5, 2.0]  # 3 or 4 hosts for an uplink of two
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_the_third_node_of_a_single_socket_has_the_adapter() -> None:
    structure = built("one switch, 4 NUMA nodes of one socket, drift", 32)  # 16 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert structure.hosts == 16
    assert times(world, [(2, 6)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 0.05e-6 + once])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.1e-6 + once])
    assert times(world, [(2, 6), (3, 10)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.05e-6 + 2 * once])
    assert times(world, [(0, 3)]) == pytest.approx([INSIDE_LATENCY + 0.08e-6 + MIB / 14e9])
    assert structure.drift == 0.04
    assert not structure.socket.any()


def test_four_adapters_on_one_leaf_serve_two_gpus_each() -> None:
    structure = built("8 GPUs on 4 adapters of the leaf, 1:1 dealt out", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [16] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 10)]) == pytest.approx([near + once])  # another adapter, the same leaf
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.2e-6 + once])
    across = [(8 * host + gpu, 32 + 8 * host + gpu) for host in range(4) for gpu in (0, 2)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 8)
    assert times(world, [(0, 32), (8, 64)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the first of each rack
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_older_hosts_of_one_switch_do_not_reach_the_rate_that_they_say() -> None:
    structure = built("one switch of 40 Gbit/s, older hosts with PCIe 2", 32)  # 12 older ones
    world, old, new = World(structure, kernel=ONE_WAY), MIB / (0.26 * RATE), MIB / (0.32 * RATE)
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + 0.6e-6 + old])
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + 0.3e-6 + old])
    assert times(world, [(12, 31)]) == pytest.approx([LATENCY + new])
    assert structure.processor.tolist() == [2] * 12 + [0] * 20
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_a_half_full_leaf_has_the_uplinks_of_a_full_one() -> None:
    structure = built("200 Gbit/s, 7:4 adaptive, last leaf half full", 48)  # leaves of 14 hosts, and one of 6
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert np.bincount(structure.group).tolist() == [14, 14, 14, 6]
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.oversubscription == pytest.approx(1.75)
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 14)]) == pytest.approx([LATENCY + 2 * HOP + once])
    full = [(host, 14 + host) for host in range(14)]
    assert times(world, full) == pytest.approx([LATENCY + 2 * HOP + 1.75 * once] * 14)
    last = [(42 + host, host) for host in range(6)]
    assert times(world, last) == pytest.approx([LATENCY + 2 * HOP + once] * 6)


def test_cables_of_a_dragonfly_plus_are_longer_to_the_other_row() -> None:
    structure = built("dragonfly+ in two rows, far socket", 32)  # 4 groups of 8, two in each row
    world, once, plane = World(structure, kernel=ONE_WAY), MIB / RATE, structure.plane
    assert isinstance(plane, DragonflyPlusInRows)
    assert plane.row.tolist() == [0, 0, 1, 1]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.22e-6 + once / 0.95])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + once])
    when = np.arange(400)
    rows = [structure.path(np.zeros_like(when), np.full_like(when, to), when)[2] - LATENCY for to in (16, 32)]
    near, far = (set((latency * 1e6).round(6)) for latency in rows)
    assert near == {0.9, 1.44}  # third groups are in the other row: two longer cables
    assert far == {1.02, 1.32}  # one of the cables of a detour leads to the other row


def test_ranks_of_two_subnets_reach_those_of_their_own() -> None:
    structure = built("4 ranks on two subnets, 3:2 adaptive", 48)  # 24 hosts, leaves of 6 with 4 uplinks
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    reached = structure.reachable(np.array([0, 0, 0, 0, 2]), np.array([4, 5, 6, 3, 7]))
    assert reached.tolist() == [True, True, False, True, True]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + once] * 2)
    for rank in (0, 2):
        across = [(4 * host + rank, 24 + 4 * host + rank) for host in range(6)]
        assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 1.5 * once] * 6)
    both = [(4 * host + rank, 24 + 4 * host + rank) for host in range(6) for rank in (0, 2)]
    assert times(world, both) == pytest.approx([LATENCY + 2 * HOP + 1.5 * once] * 12)  # each has its own uplinks
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_each_rail_is_one_switch_and_others_are_reached_by_nvlink() -> None:
    structure = built("8 GPUs on 8 relayed rails, a switch for each", 64)  # 16 hosts, 10 of them older
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    assert not structure.group.any()
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.3e-6 + once])
    assert times(world, [(80, 88)]) == pytest.approx([near + once])
    assert times(world, [(80, 89)]) == pytest.approx([near + NVLINK_LATENCY + once])
    assert times(world, [(80, 89), (81, 97)]) == pytest.approx([near + NVLINK_LATENCY + 2 * once, near + 2 * once])
    assert times(world, [(80, 88), (81, 97)]) == pytest.approx([near + once] * 2)
    older, newer = (times(world, [(rank, rank + 1)])[0] - NVLINK_LATENCY for rank in (0, 80))
    assert older == pytest.approx(2 * newer)
    assert structure.processor.tolist() == [3] * 10 + [4] * 6


def test_two_of_four_gpus_are_far_from_the_adapter_that_all_share() -> None:
    structure = built("4 GPUs on PCIe with one adapter, 3:1 by receiver", 48)  # 24 hosts, leaves of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(2, 4)]) == pytest.approx([near + 0.5e-6 + once / 0.7])
    assert times(world, [(2, 6)]) == pytest.approx([near + 1e-6 + once / 0.7])
    assert times(world, [(0, 4), (3, 8)]) == pytest.approx([near + 2 * once, near + 0.5e-6 + 2 * once])
    across = [(4 * host, 24 + 4 * host) for host in range(6)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 3 * once] * 6)
    assert times(world, [(0, 24), (4, 28)]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 24), (4, 32)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the first and the third
    assert times(world, [(0, 1)]) == pytest.approx([1.2e-6 + MIB / 22e9])
    assert times(world, [(0, 2)]) == pytest.approx([1.9e-6 + MIB / 10e9])


def test_a_bond_of_gpus_sends_to_another_host_by_one_port() -> None:
    structure = built("8 GPUs on a bond that hashes by hosts, leaf pairs", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 8
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 8), (5, 13)]) == pytest.approx([near + 2 * once] * 2)  # never the other port
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    gpu = np.arange(8)
    sent: set[int] = set()
    for other in range(1, 16):
        there = set(structure.path(gpu, 8 * other + gpu, np.zeros_like(gpu))[0][:, 0].tolist())
        assert len(there) == 1
        sent |= there
    assert sent == {0, 1}
    assert times(world, [(0, 3)]) == pytest.approx([1.2e-6 + MIB / 20e9])
    assert times(world, [(0, 4)]) == pytest.approx([1.8e-6 + MIB / 9e9])


@pytest.mark.parametrize("seed", range(3))
def test_three_reservations_are_near_within_and_far_across(seed: int) -> None:
    structure = built("4 ranks by TCP, three reservations of a cloud", 64, seed)  # 32 machines: 16, 8 and 8
    world = World(structure, kernel=ONE_WAY)
    assert np.bincount(structure.group).tolist() == [16, 8, 8]
    assert structure.processor.tolist() == [0] * 24 + [3] * 8
    within, across, newer = (times(world, [pair], 0)[0] for pair in ((0, 4), (0, 64), (96, 100)))
    assert within == pytest.approx(8e-6 + 12e-6 + 2.4e-6, abs=0.4e-6)
    assert newer == pytest.approx(8e-6 + 12e-6, abs=0.4e-6)
    assert across == pytest.approx(14e-6 + 12e-6 + 2.4e-6, abs=3e-6)
    assert times(world, [(0, 4)])[0] - within == pytest.approx(MIB / (0.4 * RATE))
    two, three = (times(world, [(rank, 4 + rank) for rank in range(of)])[0] - within for of in (2, 4))
    assert (two, three) == pytest.approx((MIB / (0.4 * RATE), 4 * MIB / RATE))  # four flows share what there is


def test_the_second_pod_of_a_machine_has_a_proxy() -> None:
    structure = built("pods with and without a proxy, 2:1 static", 32)  # leaves of 8 machines, two uplinks
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.25 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 29e-6 + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 58e-6 + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 2), (1, 5)]) == pytest.approx([near + 2 * once, near + 58e-6 + 2 * once])
    assert times(world, [(0, 1)]) == pytest.approx([38e-6 + MIB / 2.5e9])
    assert set(np.asarray(world.results.ranks.numa_distance).tolist()) == {10}


def test_hosts_of_an_extension_have_one_adapter_of_twice_the_rate() -> None:
    structure = built("extension with one adapter instead of two, 2:1", 32)  # 20 older hosts, leaves of 8
    world, old, new = World(structure, kernel=ONE_WAY), MIB / RATE, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert np.flatnonzero(structure.single).tolist() == list(range(20, 32))
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 0.2e-6 + old] * 2)
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + old])  # the other adapter
    assert times(world, [(40, 42)]) == pytest.approx([LATENCY + new])
    assert times(world, [(40, 42), (41, 43)]) == pytest.approx([LATENCY + 2 * new] * 2)
    older = [(rank, 16 + rank) for rank in range(16)]
    assert times(world, older) == pytest.approx([LATENCY + 2 * HOP + 0.2e-6 + 2 * old] * 16)
    newer = [(2 * host, 16 + 2 * host) for host in range(20, 24)]
    assert times(world, newer) == pytest.approx([LATENCY + 2 * HOP + new] * 4)
    assert structure.processor.tolist() == [0] * 20 + [3] * 12
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("100 Gb/sec (4X EDR)",) * 20 + ("200 Gb/sec (4X HDR)",) * 12


def test_routes_are_adaptive_within_racks_and_by_receiver_between_them() -> None:
    structure = built("8 NUMA nodes, racks adaptive, 2:1 by receiver above", 64)  # 16 hosts, leaves of 2, racks of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.routes == "adaptive"
    assert structure.plane.upper.uplinks.tolist() == [2] * 4
    assert times(world, [(4, 12)]) == pytest.approx([LATENCY + once])
    assert times(world, [(5, 12)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.93])
    within = [(8 * host + 4, 16 + 8 * host + 4) for host in range(2)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + once] * 2)  # 1:1
    far = LATENCY + 4 * HOP
    across = [(8 * host + 4, 32 + 8 * host + 4) for host in range(4)]
    assert times(world, across) == pytest.approx([far + 2 * once] * 4)  # 2:1
    assert times(world, across[:2]) == pytest.approx([far + once] * 2)
    assert times(world, [across[0], across[2]]) == pytest.approx([far + 2 * once] * 2)  # the first and the third


@pytest.mark.parametrize("seed", range(3))
def test_hosts_behind_lingering_routes_vary_by_one_percent(seed: int) -> None:
    structure = built("hosts that vary by 1 %, 2:1 lingering", 64, seed)  # leaves of 16 hosts with 8 uplinks
    world = World(structure, kernel=ONE_WAY)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert 0.007 < np.log(structure.rate / RATE).std() < 0.013
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + 2e-6 + MIB / structure.rate[:2, 0].min()])
    when = np.arange(200)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 16), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 200 // 16 + 1


def test_adapters_of_the_first_lot_are_slower_and_on_the_other_socket() -> None:
    structure = built("one switch, adapters of two lots on either socket", 64)  # 32 hosts, 12 of the first lot
    world, old, new = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE), MIB / RATE
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.4e-6 + old])
    assert times(world, [(3, 4)]) == pytest.approx([LATENCY + 0.65e-6 + old / 0.94])
    assert times(world, [(51, 55)]) == pytest.approx([LATENCY + new])
    assert times(world, [(48, 55)]) == pytest.approx([LATENCY + 0.25e-6 + new / 0.94])
    assert times(world, [(0, 51)]) == pytest.approx([LATENCY + 0.2e-6 + old])
    slow, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 48))
    assert slow == pytest.approx(usual / 0.6)
    inventory = world.results.inventory
    rates = inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert [rates.count(rate) for rate in ("56 Gb/sec (4X FDR)", "100 Gb/sec (4X EDR)")] == [12, 20]
    assert inventory.over_hosts("ib/mlx5_0", "numa_node")[1] == ("0",) * 12 + ("1",) * 20


def test_every_second_host_is_on_the_second_switch() -> None:
    structure = built("two joined switches, hosts in turns", 64)  # 32 hosts on each, 8 cables of 200 Gbit/s
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert structure.group.tolist() == [0, 1] * 32
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + HOP + once])
    within = [(2 * place, 32 + 2 * place) for place in range(16)]
    assert times(world, within) == pytest.approx([LATENCY + once] * 16)
    across = [(2 * place, 2 * place + 1) for place in range(32)]
    assert times(world, across) == pytest.approx([LATENCY + HOP + 2 * once] * 32)  # 2:1
    assert times(world, across[:16]) == pytest.approx([LATENCY + HOP + once] * 16)  # two for a cable
    assert structure.drift == 0.02


def test_the_last_host_of_eight_in_a_leaf_has_large_memory() -> None:
    structure = built("fat tree 3:1 adaptive, large memory in each leaf", 64)  # leaves of 16 hosts, 5 uplinks
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [5] * 4
    assert structure.processor.tolist() == ([3] * 14 + [0] * 2) * 4
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 14)]) == pytest.approx([LATENCY + 0.15e-6 + once])
    assert times(world, [(14, 15)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])
    across = times(world, [(host, 16 + host) for host in range(14)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 14 / 5 * once] * 14)
    small = built("fat tree 3:1 adaptive, large memory in each leaf", 8)
    assert small.processor.tolist() == ([3] * 3 + [0]) * 2


def test_all_that_a_host_sends_to_other_leaves_takes_the_same_cables() -> None:
    structure = built("LAGs that hash by the sender, far socket", 64)  # leaves of 16 hosts, 8 cables
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 22e-6, MIB / (0.1 * RATE)
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 2)]) == pytest.approx([near + 0.4e-6 + once])
    others = np.arange(16, 64)
    ways = [structure.plane.path(np.full(48, host), others, others)[0] for host in range(16)]
    assert all(len(set(of[:, 0].tolist())) == 1 for of in ways)
    cables = [int(of[0, 0]) for of in ways]
    assert 2 < len(set(cables)) <= 8
    one, other = next((a, b) for a in range(16) for b in range(a) if cables[a] == cables[b])
    alone = next(host for host in range(16) if cables[host] != cables[one])
    far = near + 2 * HOP
    assert times(world, [(2 * one, 32), (2 * other, 64)]) == pytest.approx([far + 2 * once] * 2)
    assert times(world, [(2 * one, 32), (2 * alone, 64)]) == pytest.approx([far + once] * 2)


def test_each_rail_has_a_leaf_of_the_cell() -> None:
    structure = built("dragonfly+ of 2 rails, each on a leaf of the cell", 64)  # 32 hosts, cells of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert plane.groups == 5
    assert plane.leaf.reshape(32, 2).tolist() == [[2 * (host // 8), 2 * (host // 8) + 1] for host in range(32)]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(2, 6)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the other rail, by an upper switch
    assert times(world, [(1, 7)]) == pytest.approx([LATENCY + 0.12e-6 + 2 * HOP + once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.06e-6 + 2 * once])
    when = np.arange(400)
    latency = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[2] - LATENCY
    assert set((latency / HOP).round(6)) == {3, 4}
    assert 0.07 <= (latency > 3.5 * HOP).mean() <= 0.18  # a fifth, of which two in five have no third cell


def test_two_networks_do_not_meet_but_share_the_uplinks() -> None:
    structure = built("2 rails in networks that do not meet, shared uplinks", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (RATE / 4)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    ranks = np.arange(4)
    assert structure.reachable(np.zeros_like(ranks), 4 + ranks).tolist() == [True, True, False, False]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(2, 6)]) == pytest.approx([near + 1.6e-6 + once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once, near + 1.6e-6 + once])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    across = [(4 * host + local, 32 + 4 * host + local) for host in range(8) for local in (0, 2)]
    longer = np.array(times(world, across)) - np.array(times(world, across, 0))
    assert longer.max() >= 2 * once - 1e-9  # 16 ports of 25 for two uplinks of 100
    first = [pair for pair in across if pair[0] % 4 == 0]
    assert sum(longer) > 1.2 * 2 * sum(np.array(times(world, first)) - np.array(times(world, first, 0)))
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_a_bridge_joins_four_gpus_and_their_adapters_are_on_one_leaf() -> None:
    structure = built("8 GPUs in two bridged quads, a leaf for each", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (4 * RATE)
    assert structure.groups[:5].tolist() == [[0, 0, 4, 4]] * 4 + [[1, 1, 5, 5]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 10)]) == pytest.approx([near + once])  # the other adapter of the quad
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.15e-6 + 2 * HOP + once])  # the other quad
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.3e-6 + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    across = [(8 * host + gpu, 32 + 8 * host + gpu) for host in range(4) for gpu in (0, 2)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 8)  # 1:1
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])
    assert times(world, [(3, 4)]) == pytest.approx([NVLINK_LATENCY + 0.9e-6 + MIB / 40e9])


@pytest.mark.parametrize("seed", range(3))
def test_a_job_has_what_was_free_of_each_pod(seed: int) -> None:
    structure = built("rail-optimized, 8 rails, what was free of four pods", 64, seed)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    pod, sizes = structure.group, np.bincount(structure.group)
    assert len(sizes) == 4
    assert sizes.min() >= 2
    assert sizes.max() > sizes.min()
    assert (np.diff(pod) >= 0).all()
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == sizes.tolist() * 8
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 120)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 120), (8, 112)]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])
    assert set(built("rail-optimized, 8 rails, what was free of four pods", 8, seed).group.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("seed", range(3))
def test_some_machines_of_a_cloud_have_got_newer_processors(seed: int) -> None:
    structure = built("4 NUMA nodes of a cloud, processors half replaced", 64, seed)  # 32 machines, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    older, group = structure.processor == 0, structure.group
    assert 10 <= (~older).sum() <= 19
    assert (np.diff(group) < 0).any()
    assert np.bincount(group).tolist() == [8] * 4
    for other in range(1, 32):
        longer = 0.08e-6 * (1 * older[0] + older[other]) + 2 * HOP * (group[0] != group[other])
        assert times(world, [(0, 4 * other)]) == pytest.approx([LATENCY + 0.8e-6 + longer + once])
        assert times(world, [(2, 4 * other)]) == pytest.approx([LATENCY + 1.1e-6 + longer + once])
    slow, usual = (int(np.flatnonzero(of)[0]) * 4 for of in (older, ~older))
    within = [times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for rank in (slow, usual)]
    assert within[0] == pytest.approx(within[1] / 0.8)


def test_pods_are_in_turns_on_two_pools_of_hosts() -> None:
    structure = built("pods in turns on two pools, tunnels", 64)  # racks of 8, four for each pool
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 25e-6
    by_tunnel, by_adapter = MIB / (0.14 * RATE), MIB / (0.1 * RATE)
    assert structure.group[:18].tolist() == [0, 4] * 8 + [1, 5]
    assert structure.processor.tolist() == [2, 3] * 32
    assert times(world, [(1, 3)]) == pytest.approx([near + by_tunnel])
    assert times(world, [(0, 2)]) == pytest.approx([near + 6e-6 + by_adapter])
    assert times(world, [(0, 1)]) == pytest.approx([near + 3e-6 + 2 * HOP + by_adapter])
    assert times(world, [(1, 17)]) == pytest.approx([near + 2 * HOP + by_tunnel])
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("10 Gb/sec (1X QDR)", "25 Gb/sec (1X EDR)") * 32


def test_leaves_in_the_next_room_have_longer_cables_to_the_spines() -> None:
    structure = built("later leaves in the next room, 2:1 by receiver", 64)  # 8 leaves of 8 hosts, the last 3 later
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.45e-6 + once / 0.95])
    assert times(world, [(80, 82)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + 0.2e-6 + once])
    assert times(world, [(0, 80)]) == pytest.approx([LATENCY + 2 * HOP + 0.1e-6 + 0.15e-6 + once])
    assert times(world, [(80, 96)]) == pytest.approx([LATENCY + 2 * HOP + 0.3e-6 + once])
    meet, apart = [(80, 96), (82, 104)], [(80, 96), (82, 98)]  # receivers 48 and 52 of the same uplink, 48 and 49 not
    assert times(world, meet) == pytest.approx([LATENCY + 2 * HOP + 0.3e-6 + 2 * once] * 2)
    assert times(world, apart) == pytest.approx([LATENCY + 2 * HOP + 0.3e-6 + once] * 2)
    slow, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (0, 80))
    assert slow == pytest.approx(usual / 0.8)


def test_islands_of_two_racks_have_longer_and_fewer_cables_between_them() -> None:
    structure = built("4 rails on the leaf of the rack, islands 2:1 re-hashed", 64)  # 32 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [16] * 8
    assert structure.plane.upper.uplinks.tolist() == [16] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # another adapter, the same leaf
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 4 * HOP + 3 * CABLE + once])
    across = np.array(times(world, [(rank, 32 + rank) for rank in range(32)])) - near - 4 * HOP - 3 * CABLE
    assert across.mean() > 2 * once  # 32 adapters for 16 uplinks
    when = np.arange(100)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[0]
    assert (np.diff(ways, axis=0) != 0).any(axis=1).sum() > 80  # another way in nearly each step
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


@pytest.mark.parametrize("seed", range(3))
def test_a_processor_of_lower_clocks_makes_latency_and_rate_worse_together(seed: int) -> None:
    structure = built("one Omni-Path switch, clocks that vary", 64, seed)
    work, rate = structure.overhead, structure.rate[:, 0]
    assert not structure.group.any()
    assert 0.02 <= np.log(work).std() <= 0.04
    assert np.log(rate / RATE) == pytest.approx(-0.004 / 0.03 * np.log(work / 0.4e-6))
    world, slowest, quickest = World(structure, kernel=ONE_WAY), int(work.argmax()), int(work.argmin())
    taken = LATENCY + work[slowest] + work[quickest] + MIB / rate[slowest]
    assert times(world, [(slowest, quickest)]) == pytest.approx([taken])
    assert set(structure.processor.tolist()) == {0}
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_hosts_left_out_leave_gaps_in_the_numbers_that_choose_uplinks() -> None:
    structure = built("every fourth host left out, by receiver, far socket", 64)  # leaves of 9 hosts, 9 uplinks
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, NumberedByArrival)
    assert plane.arrival[:8].tolist() == [0, 1, 2, 4, 5, 6, 8, 9]
    assert np.bincount(structure.group).tolist() == [9] * 6 + [10]
    assert plane.uplinks.tolist() == [9] * 7
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.96])
    far = LATENCY + 2 * HOP
    assert times(world, [(0, 18)]) == pytest.approx([far + once])
    across = np.array(times(world, [(2 * host, 18 + 2 * host) for host in range(9)])) - far
    # Numbers 12 to 22 have the rests 3, 4, 5; 7, 8, 0; 2, 3, 4: two for 3 and 4, none for 1 and 6.
    assert (across / once).round(6).tolist() == [2, 2, 1, 1, 1, 1, 1, 2, 2]


def test_two_of_three_uplinks_have_three_of_eight_buckets() -> None:
    structure = built("three uplinks for eight buckets of a hash", 64)  # 4 leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Buckets)
    assert plane.uplinks.tolist() == [3] * 4
    assert structure.oversubscription == pytest.approx(4 / 3)
    frm, to = np.divmod(np.arange(64**2), 64)
    apart = structure.group[frm] != structure.group[to]
    up = plane.path(frm[apart], to[apart], np.zeros(apart.sum(), np.int64))[0][:, 0] % 3
    assert np.bincount(up) / apart.sum() == pytest.approx([0.375, 0.375, 0.25], abs=0.03)
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    across = np.array(times(world, [(host, 16 + host) for host in range(16)])) - near - 2 * HOP
    assert across.max() >= 1.5 * once  # 6 flows or more on 400 Gbit/s
    again = structure.path(np.zeros(50, np.int64), np.full(50, 16), np.arange(50))[0]
    assert (again == again[0]).all()


def test_cables_of_a_dragonfly_plus_carry_two_adapters_and_the_last_hosts_have_slower_memory() -> None:
    structure = built("dragonfly+ of faster cables, larger memory last", 32)  # groups of 8, leaves of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, DragonflyPlus)
    assert plane.capacity == pytest.approx(2 * RATE)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + once])  # the far socket has the whole rate
    for seed in range(8):
        pairs = [(0, 8), (2, 10)]  # to the other leaf, wherever they meet
        assert times(World(structure, seed=seed, kernel=ONE_WAY), pairs) == pytest.approx(
            [LATENCY + 2 * HOP + once] * 2
        )
    assert np.flatnonzero(structure.memory < 1).tolist() == list(range(26, 32))
    usual, large = (times(world, [(2 * host, 2 * host + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for host in (25, 26))
    assert large == pytest.approx(usual / 0.85)
    assert set(structure.processor.tolist()) == {3}


def test_neighbouring_groups_are_joined_by_twice_as_many_cables() -> None:
    structure = built("dragonfly, twice the cables to neighbours", 64)  # 8 groups of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Bundles)
    cables = plane.capacity.reshape(8, 8) / (2 * RATE)
    assert cables[0].tolist() == [1, 2, 1, 1, 1, 1, 1, 2]
    assert (cables == cables.T).all()
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + 0.4e-6 + once])
    neighbours, others = (
        np.mean([times(World(structure, seed=seed, kernel=ONE_WAY), pairs, 100 * MIB) for seed in range(10)])
        for pairs in ([(host, 8 + host) for host in range(8)], [(host, 32 + host) for host in range(8)])
    )
    assert neighbours < 0.7 * others
    when = np.arange(400)
    latency = structure.path(np.zeros_like(when), np.full_like(when, 8), when)[2]
    assert 0.12 <= (latency > LATENCY + 0.4e-6 + 2.5 * HOP).mean() <= 0.26  # a quarter, less those to the two groups


def test_a_host_sends_by_several_cables_of_a_torus_at_once() -> None:
    structure = built("torus, 4 ranks, cables narrower than hosts", 64)  # 32 hosts, 4 x 4 x 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6 + HOP, MIB / 0.374e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 4, 2)
    ends = [4 * int(host) for host in np.ravel_multi_index(([1, 0, 0], [0, 1, 0], [0, 0, 1]), (4, 4, 2))]
    assert times(world, [(0, ends[0])]) == pytest.approx([near + once])
    assert times(world, [(0, ends[0]), (1, ends[0] + 1)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(rank, end) for rank, end in enumerate(ends)]) == pytest.approx([near + once] * 3)
    assert times(world, [(0, 1)]) == pytest.approx([1.2e-6 + MIB / 2e9])
    assert not structure.socket.any()


def test_packets_that_left_the_leaf_are_put_in_order() -> None:
    structure = built("rail-optimized, 8 rails, packets put in order", 64)  # 16 hosts in 4 pods
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    far = near + 2 * HOP + 0.5e-6
    assert structure.hosts == 16
    assert structure.oversubscription == pytest.approx(1.0)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([far + once])  # another rail
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    across = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, across) == pytest.approx([far + once] * 32)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_leaves_of_later_pods_have_half_as_many_uplinks() -> None:
    structure = built("4 rails on leaves of their own, later pods 2:1", 64)  # 32 hosts in 4 pods
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8, 8, 8, 4] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 2 * HOP + once])
    earlier, to_last, from_last = (
        [(4 * (first + host), 4 * (other + host)) for host in range(8)] for first, other in ((0, 8), (0, 24), (24, 0))
    )
    assert times(world, earlier) == pytest.approx([near + 2 * HOP + once] * 8)
    assert times(world, to_last) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert times(world, from_last) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


def test_few_cables_join_two_phases_of_two_processors() -> None:
    structure = built("two phases of 56 Gbit/s, 2:1 each, far socket", 64)  # leaves of 8: five older and three
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert plane.lower.uplinks.tolist() == [4] * 8
    assert plane.upper.uplinks.tolist() == [8, 8]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.55e-6 + once / 0.93])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 0.3e-6 + 2 * HOP + once])
    assert times(world, [(80, 96)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the newer phase
    far = LATENCY + 0.15e-6 + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 80)]) == pytest.approx([far + once])
    within = [(2 * host, 16 + 2 * host) for host in range(8)]
    assert times(world, within) == pytest.approx([LATENCY + 0.3e-6 + 2 * HOP + 2 * once] * 8)  # 2:1
    across = times(world, [(2 * host, 80 + 2 * host) for host in range(24)])
    assert across == pytest.approx([far + 3 * once] * 24)  # 24 hosts, 8 cables
    assert structure.processor.tolist() == [2] * 40 + [0] * 24


def test_quadrants_of_one_socket_are_near_the_adapter_or_across() -> None:
    structure = built("one switch, 8 ranks on quadrants of one socket", 64)  # 16 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert structure.hosts == 16
    assert times(world, [(4, 12)]) == pytest.approx([LATENCY + once])
    assert times(world, [(2, 12), (6, 20)]) == pytest.approx([LATENCY + 0.04e-6 + 2 * once] * 2)
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + 0.07e-6 + once])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 0.14e-6 + once])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 22e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.06e-6 + MIB / 16e9])
    assert not structure.socket.any()


def test_hosts_of_a_row_are_on_four_leaves_in_turns() -> None:
    structure = built("hosts in turns on four leaves of a row, static", 64)  # two rows, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (RATE / 4)
    assert structure.group[:6].tolist() == [0, 1, 2, 3, 0, 1]
    assert structure.group[31:36].tolist() == [3, 4, 5, 6, 7]
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 2)]) == pytest.approx([near + 2 * HOP + once])  # neighbours
    assert times(world, [(0, 8)]) == pytest.approx([near + once])  # every fourth host
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    across = [(8 * host, 8 * host + 2) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert times(world, across[:4]) == pytest.approx([near + 2 * HOP + once] * 4)


def test_a_director_as_a_spine_takes_two_hops_more() -> None:
    structure = built("director switches as spines, 2:1, 4 ranks", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert structure.hosts == 32
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.2e-6 + once / 0.95])
    assert times(world, [(0, 32)]) == pytest.approx([near + 4 * HOP + once])
    assert times(world, [(0, 32), (4, 36)]) == pytest.approx([near + 4 * HOP + once] * 2)
    assert times(world, [(0, 32), (4, 48)]) == pytest.approx([near + 4 * HOP + 2 * once] * 2)  # the first and the fifth
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 4 * HOP + 2 * once] * 8)


def test_hosts_in_the_next_row_have_longer_cables_to_the_only_switch() -> None:
    structure = built("one switch, cables of two lengths", 64)  # the last 16 stand in the next row
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 47)]) == pytest.approx([LATENCY + once])
    assert times(world, [(47, 48)]) == pytest.approx([LATENCY + 0.12e-6 + once])
    assert times(world, [(48, 63)]) == pytest.approx([LATENCY + 0.24e-6 + once])
    assert times(world, [(0, 48), (1, 49)]) == pytest.approx([LATENCY + 0.12e-6 + once] * 2)
    assert structure.processor.tolist() == [3] * 64  # no fact says so
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


@pytest.mark.parametrize("seed", range(3))
def test_adapters_that_processors_feed_are_as_fast_as_these(seed: int) -> None:
    structure = built("one Omni-Path switch, 4 ranks, clocks that vary", 64, seed)  # 32 hosts
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6
    rate = structure.rate[:, 0]
    assert 0.006 < np.log(rate / RATE).std() < 0.02
    for other in range(1, 32):
        once = MIB / min(rate[0], rate[other])
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + once])
        assert times(world, [(0, 4 * other + 3)]) == pytest.approx([near + 0.2e-6 + once / 0.94])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 20e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_leaves_of_the_second_purchase_are_smaller() -> None:
    structure = built("leaves of two sizes and processors, tables that change", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert np.bincount(structure.group).tolist() == [8] * 4 + [6] * 4 + [8]  # the last one also has what is left
    assert structure.plane.uplinks.tolist() == [4] * 4 + [3] * 4 + [4]
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])
    assert times(world, [(0, 64)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + once])
    assert times(world, [(64, 66)]) == pytest.approx([near + once])
    assert times(world, [(65, 66)]) == pytest.approx([near + 0.2e-6 + once / 0.93])
    when = np.arange(200)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 64), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 200 // 16 + 1
    assert structure.processor.tolist() == [2] * 32 + [0] * 32


def test_the_last_group_of_a_dragonfly_is_half_full() -> None:
    structure = built("dragonfly of four groups by load, last one half full", 64)
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [18, 18, 18, 10]
    assert (plane.groups, plane.each) == (4, 4)  # no further groups
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + HOP + once])
    empty, few = (np.array(times(world, [(host, 54 + host) for host in range(4)], size)) for size in (0, MIB))
    assert few - empty == pytest.approx([once] * 4)  # a cable for each
    ends = np.arange(10)
    ways = plane.path(ends, 54 + ends, np.zeros_like(ends))[0]
    direct = ways[ways[:, 1] == NONE][:, 0]
    assert len(direct) >= 4
    assert set(plane.cables(0, 3).tolist()) == set(direct.tolist())
    assert (ways[:, 1] != NONE).any()  # by a third group


def test_hosts_on_chassis_have_a_far_socket() -> None:
    structure = built("chassis in a dragonfly, far socket", 64)  # 4 groups of 16, 8 on each chassis
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.8 * RATE)
    assert isinstance(structure.plane, Chassis)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])  # the same router
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.95])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.5e-6 + once / 0.95])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.25e-6 + HOP + 2 * once])
    when = np.arange(600)
    between = structure.plane.path(np.zeros_like(when), np.full_like(when, 32), when)[0][:, 2:4]
    assert 0.15 <= (between[:, 1] != NONE).mean() <= 0.25  # of 40 %, half have another third group
    assert structure.processor.tolist() == [2] * 64


def test_a_torus_of_six_dimensions_has_up_to_six_hops() -> None:
    structure = built("torus in six dimensions, far socket", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (2,) * 6
    for other in range(1, 64):
        hops = other.bit_count()
        assert times(world, [(0, 2 * other)]) == pytest.approx([near + hops * HOP + once])
    assert times(world, [(1, 126)]) == pytest.approx([near + 0.2e-6 + 6 * HOP + once / 0.96])
    shared = times(world, [(0, 2 * 48), (2 * 32, 2 * 16)])  # first to 32 and then to 48; 32 to 0 and then to 16
    assert shared == pytest.approx([near + 2 * HOP + once] * 2)
    shared = times(world, [(0, 2 * 48), (2 * 32, 2 * 49)])  # both from 32 to 48
    assert shared == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    assert not structure.group.any()


def test_a_scheduled_fabric_grants_room_and_fills_all_uplinks_alike() -> None:
    structure = built("8 rails on the leaf of the rack, scheduled fabric", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    assert np.bincount(structure.group).tolist() == [4] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 13)]) == pytest.approx([near + once])  # another adapter, the same leaf
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + 1.5e-6 + once])
    across = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 1.5e-6 + once] * 32)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])
    assert structure.tail == 0


def test_one_of_four_gpus_hands_on_what_is_for_another_rail() -> None:
    structure = built("4 GPUs on 4 relayed rails, 2:1 dealt out", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + NVLINK_LATENCY + once])
    assert times(world, [(2, 6)]) == pytest.approx([near + 0.2e-6 + once])  # the second socket
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once] * 2)
    both = times(world, [(0, 5), (1, 9)])  # both leave by the second rail
    assert both == pytest.approx([near + NVLINK_LATENCY + 2 * once, near + 2 * once])
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 8)  # 2:1
    assert times(world, across[:4]) == pytest.approx([near + 2 * HOP + once] * 4)
    other_rails = [(4 * host + host // 4, 32 + 4 * host + host // 4) for host in range(8)]
    assert times(world, other_rails) == pytest.approx([near + 2 * HOP + once] * 8)  # 4 on each of two rails
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 80e9])


def test_leaves_of_either_generation_have_uplinks_for_a_third_of_their_hosts() -> None:
    structure = built("4 ranks, 3:1 adaptive, two generations by leaf", 128)  # 64 hosts, leaves of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2, 2, 5, 5]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.24e-6 + once])
    assert times(world, [(128, 132)]) == pytest.approx([LATENCY + once / 2])
    assert times(world, [(0, 128)]) == pytest.approx([LATENCY + 0.12e-6 + 2 * HOP + once])
    assert times(world, [(2, 128)]) == pytest.approx([LATENCY + 0.37e-6 + 2 * HOP + once / 0.95])
    old = times(world, [(4 * host, 64 + 4 * host) for host in range(16)])
    assert old == pytest.approx([LATENCY + 0.24e-6 + 2 * HOP + 4 * once] * 16)  # 16 of 100 Gbit/s by 2 of 200
    new = times(world, [(128 + 4 * host, 192 + 4 * host) for host in range(16)])
    assert new == pytest.approx([LATENCY + 2 * HOP + 1.6 * once] * 16)  # 16 of 200 Gbit/s by 5 of 200
    older, newer = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 128))
    assert older == pytest.approx(newer / 0.75)
    assert structure.processor.tolist() == [0] * 32 + [3] * 32


def test_neighbours_by_number_stand_in_different_racks() -> None:
    structure = built("hosts in turns over racks, 2:1 static, far socket", 64)  # 4 racks of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / RATE
    assert structure.group.tolist() == [0, 1, 2, 3] * 16
    assert structure.oversubscription == pytest.approx(2.0)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.25e-6 + once / 0.97])
    across = np.array(times(world, [(8 * host, 8 * host + 2) for host in range(16)])) - near - 2 * HOP
    assert across.max() > 1.9 * once  # four of them have the same uplink, or more
    when = np.arange(100)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 2), when)[0]
    assert (ways == ways[0]).all()


def test_a_cell_of_three_leaves_has_an_uplink_for_three_hosts() -> None:
    structure = built("cells of three leaves, 3:1 between them by receiver", 64)  # leaves of 8: cells of 24, 24 and 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [8] * 8
    assert np.bincount(structure.plane.upper.group).tolist() == [24, 24, 16]
    assert structure.plane.upper.uplinks.tolist() == [8, 8, 5]
    assert times(world, [(0, 7)]) == pytest.approx([LATENCY + once])
    within = times(world, [(host, 16 + host) for host in range(8)])
    assert within == pytest.approx([LATENCY + 2 * HOP + once] * 8)  # 1:1
    between = LATENCY + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 24)]) == pytest.approx([between + once])
    assert times(world, [(host, 24 + host) for host in range(24)]) == pytest.approx([between + 3 * once] * 24)
    assert times(world, [(0, 24), (8, 32)]) == pytest.approx([between + 2 * once] * 2)  # 24 and 32 have the same uplink


def test_the_second_of_eight_nodes_has_the_adapter() -> None:
    structure = built("8 NUMA nodes, 2:1 dealt out, adapter on the second", 64)  # 16 hosts, leaves of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert times(world, [(1, 9)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 9)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(2, 8)]) == pytest.approx([LATENCY + 0.12e-6 + once])
    assert times(world, [(7, 9)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    assert times(world, [(1, 9), (0, 17)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.06e-6 + 2 * once])
    across = [(8 * host + 1, 32 + 8 * host + 1) for host in range(4)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 4)  # 2:1
    assert times(world, across[:2]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_large_memory_hosts_are_at_the_end_of_the_last_leaf() -> None:
    structure = built("large-memory hosts last, 4:3 by receiver", 32)  # leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [6] * 4
    assert structure.processor.tolist() == [0] * 28 + [3] * 4
    assert times(world, [(24, 25)]) == pytest.approx([LATENCY + once])
    assert times(world, [(24, 28)]) == pytest.approx([LATENCY + 0.18e-6 + once])
    assert times(world, [(28, 31)]) == pytest.approx([LATENCY + 0.36e-6 + once])
    assert times(world, [(0, 8), (1, 14)]) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 2)  # receivers 8 and 14
    assert times(world, [(0, 8), (1, 13)]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)


def test_every_fourth_board_is_of_the_next_model() -> None:
    structure = built("edge boards of 1 Gbit/s, LAGs to one core", 32)  # leaves of 8 with 2 cables
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 56e-6, 100 * MIB / RATE
    assert isinstance(structure.plane, LagCore)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert times(world, [(3, 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 12e-6 + once])
    assert times(world, [(0, 1)]) == pytest.approx([near + 24e-6 + once])
    assert times(world, [(3, 11)]) == pytest.approx([near + 2 * HOP + once])
    across = np.array(times(world, [(host, host + 8) for host in range(8)]))
    assert across.max() > 3.9 * once  # 8 flows on 2 cables
    assert structure.processor.tolist() == [2, 2, 2, 0] * 8


def test_boosters_send_less_than_the_cables_of_their_torus_carry() -> None:
    structure = built("torus of boosters and cluster hosts", 64)  # 4 x 4 x 4, the last 16 are cluster hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert times(world, [(48, 49)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(0, 48)]) == pytest.approx([LATENCY + HOP + 0.6e-6 + once / 0.82])
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + HOP + 1.2e-6 + once / 0.82])
    assert times(world, [(48, 63)]) == pytest.approx([LATENCY + 2 * HOP + once])
    shared = times(world, [(0, 2), (1, 3)])  # both by the cable from 1 to 2, or the other way around
    assert max(shared) == pytest.approx(LATENCY + 2 * HOP + 1.2e-6 + 2 * once)
    assert structure.processor.tolist() == [1] * 48 + [0] * 16
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_processors_of_one_model_differ_a_little_and_nothing_tells() -> None:
    structure = built("one switch, processors that are not alike", 64)
    world = World(structure, kernel=ONE_WAY)
    assert len(np.unique(structure.overhead)) == 64
    assert 0.05e-6 < structure.overhead.max() < 0.08e-6
    assert 0.002 < np.log(structure.rate / RATE).std() < 0.012
    assert times(world, [(0, 1)], 0) == pytest.approx([LATENCY + structure.overhead[:2].sum()])
    inventory = world.results.inventory
    assert len(set(inventory.over_hosts("host", "cpu_model")[1])) == 1
    assert set(inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_the_adapter_is_on_the_second_socket_in_newer_racks() -> None:
    structure = built("2:1 dealt out, newer racks with the adapter on the second socket", 64)  # 4 leaves of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.processor.tolist() == [3] * 48 + [4] * 16
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.45e-6 + once / 0.94])
    assert times(world, [(97, 99)]) == pytest.approx([LATENCY + once])
    assert times(world, [(96, 99)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.94])
    assert times(world, [(1, 97)]) == pytest.approx([LATENCY + 2 * HOP + 0.35e-6 + once / 0.94])
    older, newer = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (0, 96))
    assert older == pytest.approx(1.3 * newer)


def test_tunnels_between_servers_take_longer_and_machines_of_one_need_none() -> None:
    structure = built("four virtual machines on a server, tunnels, two generations", 64)  # 16 servers, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 25e-6, MIB / (0.18 * RATE)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert times(world, [(64, 66)]) == pytest.approx([BESIDE + 20e-6 + MIB / RATE])
    assert times(world, [(64, 72)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 4e-6 + once])
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + 2e-6 + once])
    four = [(64 + 2 * guest, 72 + 2 * guest) for guest in range(4)]
    assert times(world, four) == pytest.approx([near + once] * 4)  # 72 of 100 Gbit/s
    eight = [(64 + rank, 72 + rank) for rank in range(8)]
    assert times(world, eight) == pytest.approx([near + 8 * MIB / RATE] * 8)
    assert len(set(world.results.inventory.over_hosts("host", "cpu_model")[1])) == 1


def test_a_job_has_unequal_parts_of_three_groups_of_a_dragonfly() -> None:
    structure = built("4 GPUs on 2 rails, uneven parts of a dragonfly", 64)  # 32 hosts: 12, 12 and 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (6, 5)
    assert np.bincount(structure.group).tolist() == [12, 12, 8]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + once])  # the other adapter, another switch
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + once])  # the ninth host of the group
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once] * 2)
    far = times(world, [(0, 48)], 0)[0] - near - 4 * CABLE
    assert round(far / HOP, 6) in {1, 2, 3}
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


def test_hosts_with_more_memory_are_slower_within_only() -> None:
    structure = built("4 NUMA nodes, 4:3 by receiver, three sizes of memory", 64)  # 32 hosts, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [3] * 4
    assert structure.oversubscription == pytest.approx(4 / 3)
    assert [round(float(part), 2) for part in structure.memory] == [1.0] * 20 + [0.92] * 8 + [0.86] * 4
    least, more, most = (times(world, [(4 * host, 4 * host + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for host in (0, 20, 28))
    assert more == pytest.approx(least / 0.92)
    assert most == pytest.approx(least / 0.86)
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(112, 116)]) == pytest.approx([LATENCY + once])
    assert times(world, [(2, 4)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])  # 3, 3 and 2 receivers for each uplink
    assert sorted(across) == pytest.approx([LATENCY + 2 * HOP + once] * 2 + [LATENCY + 2 * HOP + 1.5 * once] * 6)
    assert len(set(world.results.inventory.over_hosts("host", "cpu_model")[1])) == 1


def test_bonds_of_later_hosts_have_wider_ports() -> None:
    structure = built("4 ranks on bonds of two rates, storage on all hosts", 64)  # 32 hosts
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 18e-6
    assert times(world, [(0, 4)]) == pytest.approx([near + 3e-6 + 4 * MIB / RATE])
    assert times(world, [(0, 80)]) == pytest.approx([near + 1.5e-6 + 4 * MIB / RATE])
    assert times(world, [(80, 84)]) == pytest.approx([near + MIB / RATE])
    both = {round((times(world, [(80, to), (81, to + 4)])[0] - near) * RATE / MIB, 6) for to in range(84, 120)}
    assert both == {1.0, 2.0}  # by two ports, or both by one
    assert structure.tail == 0.012
    rates = world.results.inventory.over_hosts("ib/mlx5_bond_0/1", "rate")[1]
    assert rates == ("25 Gb/sec (1X EDR)",) * 20 + ("100 Gb/sec (4X EDR)",) * 12


def test_hosts_without_nvlink_have_one_adapter_for_all_gpus() -> None:
    structure = built("8 GPUs on 2 adapters, or on one without NVLink", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.single.tolist() == [False] * 10 + [True] * 6
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    assert times(world, [(96, 104)]) == pytest.approx([near + 0.6e-6 + once])
    assert times(world, [(96, 104), (100, 108)]) == pytest.approx([near + 0.6e-6 + 2 * once] * 2)
    assert times(world, [(0, 96)]) == pytest.approx([near + 2 * HOP + 0.3e-6 + once])
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])
    assert times(world, [(96, 103)]) == pytest.approx([NVLINK_LATENCY + MIB / (0.08 * 240e9)])
    assert structure.processor.tolist() == [3] * 10 + [0] * 6


def test_a_pod_in_the_next_hall_is_further_from_the_spines() -> None:
    structure = built("rail-optimized, 8 rails, a pod in the next hall", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 32
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(96, 104)]) == pytest.approx([near + once])  # the same leaf
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 96)]) == pytest.approx([near + 2 * HOP + 0.75e-6 + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail of the pod
    assert times(world, [(96, 105)]) == pytest.approx([near + 2 * HOP + 1.5e-6 + once])
    across = [(8 * host, 32 + 8 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 4)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 700e9])


def test_only_two_ranks_fill_an_adapter_of_400() -> None:
    structure = built("1:1 adaptive, 400 Gbit/s that one rank does not fill", 64)  # leaves of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert structure.oversubscription == 1
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once / 0.72])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.22e-6 + once / 0.64])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.44e-6 + 2 * once])
    across = [(2 * host, 32 + 2 * host) for host in range(16)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + once / 0.72] * 16)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_hosts_of_the_last_group_have_the_larger_memory() -> None:
    structure = built("8 NUMA nodes on 2 rails, routes by load, larger memory", 64)  # 16 hosts, 4 groups of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (24, 2)
    assert plane.capacity == pytest.approx(2 * RATE)
    assert np.bincount(structure.group).tolist() == [4] * 4
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + once])
    assert times(world, [(1, 8)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(4, 12)]) == pytest.approx([LATENCY + once])  # the adapter of the second socket
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + HOP + once])  # the switch of the other adapters
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.12e-6 + 2 * once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([LATENCY + once] * 2)
    usual, larger = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for rank in (88, 96))
    assert usual == pytest.approx(1.06 * larger)
    assert np.ptp(structure.processor) == 0


def test_eight_mini_pcs_share_a_cable_to_the_core() -> None:
    structure = built("mini PCs on switches of 2.5 Gbit/s, one core", 32)  # 4 switches, 20 older PCs
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 24e-6, MIB / (0.025 * RATE)
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [1] * 4
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(24, 25)]) == pytest.approx([near + once])
    assert times(world, [(0, 1)]) == pytest.approx([near + 12e-6 + once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 6e-6 + 2 * HOP + once])
    four = times(world, [(16 + host, 24 + host) for host in (4, 5, 6, 7)])
    assert four == pytest.approx([near + 2 * HOP + once] * 4)
    eight = times(world, [(host, 8 + host) for host in range(8)])
    assert eight == pytest.approx([near + 12e-6 + 2 * HOP + 2 * once] * 8)
    assert structure.processor.tolist() == [2] * 20 + [3] * 12
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"2.5 Gb/sec (1X SDR)"}
    assert built("mini PCs on switches of 2.5 Gbit/s, one core", 8).oversubscription == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_rented_servers_are_in_racks_in_no_order_with_tunnels_between_them(seed: int) -> None:
    structure = built("rented servers in racks in no order, two models", 48, seed)  # 8 racks of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.25 * RATE)
    group, old = structure.group, structure.overhead > 0
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 8
    assert structure.oversubscription == pytest.approx(15 / 8)
    assert np.bincount(group).tolist() == [6] * 8
    assert (np.diff(group) < 0).any()
    assert 0.5 <= old.mean() <= 0.7
    assert structure.processor.tolist() == np.where(old, 2, 3).tolist()
    for other in range(1, 48):
        longer = 2.5e-6 * (int(old[0]) + int(old[other])) + (2 * HOP + 1.2e-6) * bool(group[other] != group[0])
        assert times(world, [(0, 2 * other)]) == pytest.approx([near + longer + once])


def test_cables_are_longer_the_further_a_pod_is_from_the_spines() -> None:
    structure = built("rail-optimized, 8 rails, longer cables to further pods", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 32
    for pod in range(4):
        first = 32 * pod
        assert times(world, [(first, first + 8)]) == pytest.approx([near + once])
        away = 2 * CABLE * pod
        assert times(world, [(first, first + 9)]) == pytest.approx([near + 2 * HOP + 2 * away + once])  # another rail
        if pod:
            assert times(world, [(0, first)]) == pytest.approx([near + 2 * HOP + away + once])
    across = [(8 * host + rail, 96 + 8 * host + rail) for host in range(4) for rail in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 6 * CABLE + once] * 32)  # 1:1
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_gpus_of_the_second_socket_are_further_from_the_only_adapter() -> None:
    structure = built("4 GPUs on one adapter, 3:2 adaptive, far socket", 48)  # 24 hosts, leaves of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.oversubscription == pytest.approx(1.5)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(1, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.5e-6 + once / 0.6])
    assert times(world, [(2, 6)]) == pytest.approx([near + 1e-6 + once / 0.6])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + 2 * once, near + 1e-6 + 2 * once])
    across = times(world, [(4 * host, 24 + 4 * host) for host in range(6)])
    assert across == pytest.approx([near + 2 * HOP + 1.5 * once] * 6)
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


def test_a_host_of_a_torus_feeds_its_cables_at_the_same_time() -> None:
    structure = built("torus, 4 ranks, adapters as fast as six cables", 64)  # 32 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / 0.425e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 4, 2)
    near, one, two = (LATENCY + 1.4e-6 + hops * HOP for hops in range(3))
    assert times(world, [(0, 4)]) == pytest.approx([one + once])
    assert times(world, [(0, 4 * 10)]) == pytest.approx([two + once])
    assert times(world, [(0, 4), (1, 8), (2, 32)]) == pytest.approx([one + once] * 3)  # each along another dimension
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([one + 2 * once] * 2)
    assert times(world, [(0, 8), (1, 24)]) == pytest.approx([one + once] * 2)  # up and down along the same one
    assert times(world, [(0, 4 * 21)], size=0) == pytest.approx([near + 5 * HOP])  # the furthest
    assert times(world, [(0, 3)]) == pytest.approx([0.9e-6 + MIB / 2.4e9])
    assert structure.hyperthreads == structure.tail == structure.interrupts == 0


def test_two_flows_of_a_host_share_a_port_of_its_bond_or_not() -> None:
    structure = built("4 ranks on bonds that hash by flow, one switch", 64)  # 32 hosts, 12 of them older
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 16e-6, MIB / (0.25 * RATE)
    assert times(world, [(48, 52)]) == pytest.approx([near + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 4e-6 + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 2e-6 + once])
    both = [times(world, [(48, 52 + 4 * host), (49, 53 + 4 * host)]) for host in range(16)]
    shares = {round((of_two[0] - near) / once, 6) for of_two in both}
    assert shares == {1.0, 2.0}
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    assert structure.processor.tolist() == [2] * 12 + [3] * 20
    assert set(np.asarray(world.results.ranks.adapters).tolist()) == {1}


def test_routes_are_adaptive_within_islands_of_three_leaves_only() -> None:
    structure = built("islands of three leaves, 2:1 to a core that is not adaptive", 48)  # leaves of 8, islands of 24
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert (plane.lower.routes, plane.upper.routes) == ("adaptive", "by receiver")
    assert plane.lower.uplinks.tolist() == [8] * 6
    assert plane.upper.uplinks.tolist() == [12] * 2
    far = LATENCY + 4 * HOP + 3 * CABLE
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the third leaf of the island
    assert times(world, [(0, 24)]) == pytest.approx([far + once])
    within = times(world, [(host, 8 + host) for host in range(8)])
    assert within == pytest.approx([LATENCY + 2 * HOP + once] * 8)
    assert times(world, [(host, 24 + host) for host in range(24)]) == pytest.approx([far + 2 * once] * 24)
    assert times(world, [(host, 24 + host) for host in range(12)]) == pytest.approx([far + once] * 12)
    assert times(world, [(0, 24), (1, 36)]) == pytest.approx([far + 2 * once] * 2)  # the same uplink for both


def test_every_fourth_chassis_of_four_hosts_is_on_the_same_leaf() -> None:
    structure = built("chassis of four in turns over leaves, 2:1 dealt out", 32)  # 4 leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.group.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] * 2
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + once])
    assert times(world, [(3, 4)]) == pytest.approx([LATENCY + 2 * HOP + once])
    across = [(host, 4 + host) for host in (0, 1, 2, 3, 16, 17, 18, 19)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 8)  # 2:1
    assert times(world, across[:4]) == pytest.approx([LATENCY + 2 * HOP + once] * 4)  # each by an uplink of its own
    assert times(world, [across[0], across[4]]) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 2)


def test_the_first_and_the_fifth_rank_are_threads_of_one_core() -> None:
    structure = built("8 threads of 4 cores, one switch of 10 Gbit/s", 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 28e-6, MIB / (0.1 * RATE)
    assert times(world, [(0, 4)]) == pytest.approx([0.2e-6 + MIB / 5e9])
    assert times(world, [(3, 7)]) == pytest.approx([0.2e-6 + MIB / 5e9])
    for rank in (1, 2, 3, 5, 6, 7):
        assert times(world, [(0, rank)]) == pytest.approx([0.45e-6 + MIB / 9e9])
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 8), (5, 13)]) == pytest.approx([near + 2 * once] * 2)
    assert not structure.socket.any()


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_one_purchase_vary_a_little_and_say_the_same(seed: int) -> None:
    structure = built("hosts that vary by 1 %, 4:3 by receiver, far socket", 48, seed)  # leaves of 12
    world, rate = World(structure, kernel=ONE_WAY), structure.rate[:, 0]
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [9] * 4
    assert 0.006 < np.log(rate / RATE).std() < 0.014
    for host in range(1, 12):
        slower = min(rate[0], rate[host])
        assert times(world, [(0, 2 * host)]) == pytest.approx([LATENCY + MIB / slower])
        assert times(world, [(0, 2 * host + 1)]) == pytest.approx([LATENCY + 0.25e-6 + MIB / slower / 0.94])
    assert times(world, [(0, 24)]) == pytest.approx([LATENCY + 2 * HOP + MIB / min(rate[0], rate[12])])
    meet, apart = ([(0, 2 * (12 + host)), (2, 2 * (12 + other))] for host, other in ((0, 9), (0, 8)))
    assert times(world, meet) == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / RATE] * 2)  # 12 and 21: the same uplink
    assert max(times(world, apart)) < LATENCY + 2 * HOP + 1.1 * MIB / RATE
    assert set(structure.said.ravel().tolist()) == {RATE}


def test_optical_cables_add_a_little_at_each_end() -> None:
    structure = built("one switch, optical cables to the second rack", 16)  # the last six hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert times(world, [(0, 9)]) == pytest.approx([LATENCY + once])
    assert times(world, [(9, 10)]) == pytest.approx([LATENCY + 0.05e-6 + once])
    assert times(world, [(10, 15)]) == pytest.approx([LATENCY + 0.1e-6 + once])
    assert times(world, [(host, 8 + host) for host in range(2)]) == pytest.approx([LATENCY + once] * 2)
    assert np.ptp(structure.processor) == 0
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_racks_of_56_gbit_have_an_uplink_for_four_hosts() -> None:
    structure = built("racks of two leaves of 56 Gbit/s, 4:1 between them, far socket", 64)  # leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [8] * 8
    assert structure.plane.upper.uplinks.tolist() == [4] * 4
    far = LATENCY + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.95])
    assert times(world, [(2 * host, 16 + 2 * host) for host in range(8)]) == pytest.approx(
        [LATENCY + 2 * HOP + once] * 8  # the other leaf of the rack, 1:1
    )
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    assert times(world, [(2 * host, 32 + 2 * host) for host in range(16)]) == pytest.approx([far + 4 * once] * 16)
    assert times(world, [(0, 32), (2, 40)]) == pytest.approx([far + 2 * once] * 2)  # hosts 16 and 20: the same uplink
    assert times(world, [(0, 32), (2, 42)]) == pytest.approx([far + once] * 2)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_pairs_of_hosts_are_listed_in_turns_over_the_groups_of_a_dragonfly() -> None:
    structure = built("4 NUMA nodes, pairs of hosts in turns over groups of a dragonfly", 64)  # 32 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (8, 2)
    assert structure.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] * 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 4 * 8)]) == pytest.approx([LATENCY + once])  # the next pair of the group: the same switch
    assert times(world, [(0, 4 * 16)]) == pytest.approx([LATENCY + HOP + once])  # the third pair: another switch
    assert times(world, [(2, 4)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.96])
    for host in (2, 4, 6):
        far = times(world, [(0, 4 * host)], 0)[0] - LATENCY - 4 * CABLE
        assert round(far / HOP, 6) in {1, 2, 3}


def test_a_job_has_every_second_host_of_cells_with_two_leaves() -> None:
    structure = built("4 GPUs on 4 rails, every second host of dragonfly+ cells", 64)  # 32 hosts, 8 of each cell
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 6
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert plane.leaf[::4].tolist() == np.repeat(np.arange(8), 4).tolist()
    assert (plane.leaf.reshape(-1, 4) == plane.leaf[::4, None]).all()  # all adapters of a host
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # another rail
    assert times(world, [(rail, 4 + rail) for rail in range(4)]) == pytest.approx([near + once] * 4)
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the cell
    hops = {round((times(world, [(0, to)], 0)[0] - near) / HOP, 6) for to in range(32, 128)}
    assert hops == {3, 4}  # directly, or by a third cell
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 85e9])


def test_ranks_on_two_memory_groups_share_the_cables_but_not_the_interface() -> None:
    structure = built("units in a torus, two memory groups", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, Tofu)
    assert structure.plane.sides == (1, 4, 2, 2, 2)
    one = LATENCY + HOP
    assert times(world, [(0, 2)]) == pytest.approx([one + once])
    assert times(world, [(1, 2)]) == pytest.approx([one + 0.07e-6 + once])
    assert times(world, [(1, 3)]) == pytest.approx([one + 0.14e-6 + once])
    assert times(world, [(0, 16)]) == pytest.approx([one + 2 * CABLE + once])  # the next unit
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([one + 2 * once, one + 0.14e-6 + 2 * once])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([one + once, one + 0.07e-6 + once])  # two dimensions
    assert times(world, [(0, 1)]) == pytest.approx([0.65e-6 + MIB / 15e9])
    assert structure.device(1) in world.results.ranks.device[1]
    assert not possible("rail", structure)


def test_two_omni_path_adapters_share_a_pcie_link() -> None:
    structure = built("4 GPUs on 4 adapters, two to a PCIe link, 2:1 by receiver", 64)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.1e-6, MIB / RATE
    assert isinstance(structure.plane, PcieSwitches)
    assert structure.plane.uplinks.tolist() == [16] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once / 1.04] * 2)
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([near + 2 * once / 1.04] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 32), (4, 44)]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 32), (4, 48)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the same uplink
    assert times(world, [(0, 1)]) == times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 45e9])


def test_of_four_sockets_in_a_square_the_opposite_one_is_furthest() -> None:
    structure = built("four sockets in a square, 40 Gbit/s, 1:1 by receiver", 64)  # 32 hosts, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.32 * RATE)
    assert structure.oversubscription == 1
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    for beside in (1, 2):
        assert times(world, [(beside, 4)]) == pytest.approx([LATENCY + 0.12e-6 + once])
        assert times(world, [(0, beside)]) == pytest.approx([INSIDE_LATENCY + 0.12e-6 + MIB / 4.5e9])
    assert times(world, [(3, 4)]) == pytest.approx([LATENCY + 0.24e-6 + once / 0.93])
    for opposite in ((0, 3), (1, 2)):
        assert times(world, [opposite]) == pytest.approx([INSIDE_LATENCY + 0.24e-6 + MIB / 3.2e9])
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    assert across == pytest.approx([LATENCY + 2 * HOP + once] * 8)
    assert np.asarray(world.results.ranks.numa[:5]).tolist() == [0, 1, 2, 3, 0]
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_the_third_quadrant_of_the_only_socket_has_the_adapter() -> None:
    structure = built("4 quadrants of one socket, 2:1 adaptive", 64)  # 32 hosts, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert structure.oversubscription == 2
    assert times(world, [(2, 6)]) == pytest.approx([LATENCY + once])
    for other in (0, 1, 3):
        assert times(world, [(other, 6)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    for two in ((0, 1), (1, 2), (2, 3)):
        assert times(world, [two]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 14e9])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.12e-6 + once])
    across = times(world, [(4 * host + 2, 32 + 4 * host + 2) for host in range(8)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 8)
    assert not np.asarray(world.results.ranks.numa).any()
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_leaves_of_rails_have_three_uplinks_for_four_hosts() -> None:
    structure = built("rail-optimized, 8 rails, 4:3 lingering", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [3] * 32
    assert structure.oversubscription == pytest.approx(4 / 3)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail of the pod
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(8 * host, 32 + 8 * host) for host in range(4)])
    assert max(across) > near + 2 * HOP + 1.9 * once
    when = np.arange(128)
    ways = structure.path(np.zeros_like(when), np.full_like(when, 32), when)[0]
    assert 2 <= (np.diff(ways, axis=0) != 0).any(axis=1).sum() <= 8
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_hosts_of_the_second_phase_have_newer_processors_and_the_same_adapters() -> None:
    structure = built("4 GPUs on 4 adapters of the leaf, 3:2 adaptive, two phases", 64)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [10] * 4
    assert structure.processor.tolist() == [3] * 20 + [4] * 12
    assert times(world, [(96, 100)]) == pytest.approx([near + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.28e-6 + once])  # the second socket
    assert times(world, [(0, 96)]) == pytest.approx([near + 2 * HOP + 0.1e-6 + once])
    across = times(world, [(rank, 32 + rank) for rank in range(32)])  # 32 adapters on 10 uplinks of twice the rate
    usual = [near + 2 * HOP + 0.2e-6 + 0.16e-6 * (rank % 4 >= 2) + 1.6 * once for rank in range(32)]
    assert across == pytest.approx(usual)
    assert set(world.results.inventory.over_hosts("ib/mlx5_3/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_virtual_machines_are_dealt_out_to_three_fault_domains() -> None:
    structure = built("virtual machines in three fault domains, two threads a core", 64)  # 32 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 16e-6, MIB / (0.1 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.group.tolist() == [host % 3 for host in range(32)]
    assert structure.plane.uplinks.tolist() == [1] * 3
    assert times(world, [(0, 12)]) == pytest.approx([near + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 2 * HOP + once])
    across = [(12 * turn, 12 * turn + 4) for turn in range(11)]
    assert times(world, across[:10]) == pytest.approx([near + 2 * HOP + once] * 10)
    assert times(world, across) == pytest.approx([near + 2 * HOP + 1.1 * once] * 11)
    for threads in ((0, 1), (2, 3)):
        assert times(world, [threads]) == pytest.approx([0.25e-6 + MIB / 5e9])
    assert times(world, [(1, 2)]) == pytest.approx([0.45e-6 + MIB / 8e9])


def test_a_spine_chooses_the_cable_down_by_a_hash_of_its_own() -> None:
    structure = built("LAGs to two spines, 2:1, far socket", 64)  # leaves of 16 with 4 cables to each spine
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, LagsToTwoSpines)
    assert plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == 2
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + once / 0.96])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    frm, to = (grid.ravel() for grid in np.meshgrid(np.arange(16), np.arange(16, 32)))
    up, down = plane.path(frm, to, np.zeros_like(frm))[0].T
    assert set(up.tolist()) == set(range(8))
    assert set(down.tolist()) == set(range(plane.ways + 8, plane.ways + 16))
    assert (up % 2 == down % 2).all()  # one spine
    assert 0.15 < (up == down - plane.ways - 8).mean() < 0.35  # of 4 cables
    assert (plane.path(frm, to, np.full_like(frm, 9))[0] == np.stack([up, down], axis=1)).all()


def test_the_second_gpu_reaches_the_adapter_by_the_link_between_the_sockets() -> None:
    structure = built("2 GPUs on one adapter, one Ethernet switch, two purchases", 64)  # 24 older hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / RATE
    assert times(world, [(48, 50)]) == pytest.approx([near + once])
    assert times(world, [(49, 50)]) == pytest.approx([near + 0.5e-6 + once / 0.72])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.5e-6 + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 0.25e-6 + once])
    assert times(world, [(48, 50), (49, 51)]) == pytest.approx([near + 2 * once, near + 1e-6 + 2 * once])
    assert times(world, [(0, 1)]) == times(world, [(48, 49)]) == pytest.approx([2e-6 + MIB / 18e9])
    assert structure.processor.tolist() == [0] * 24 + [4] * 40
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_ranks_on_the_same_ccx_are_four_apart() -> None:
    structure = built("one switch, 8 ranks in turns on four CCXs, two purchases", 64)  # 16 hosts, 10 of them older
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    for old, first in ((True, 0), (False, 80)):
        part = 0.9 if old else 1.0
        assert times(world, [(first, first + 4)]) == pytest.approx([0.3e-6 + MIB / (18e9 * part)])
        assert times(world, [(first, first + 1)]) == pytest.approx([0.42e-6 + MIB / (13e9 * part)])
    assert times(world, [(80, 95)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 15)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(79, 80)]) == pytest.approx([LATENCY + 0.1e-6 + once])
    assert times(world, [(0, 8), (5, 13)]) == pytest.approx([LATENCY + 0.2e-6 + 2 * once] * 2)
    assert structure.processor.tolist() == [0] * 10 + [3] * 6
    assert not structure.socket.any()


def test_uplinks_of_older_leaves_do_40_gbit_and_those_of_later_ones_100() -> None:
    structure = built("25 Gbit/s, older leaves with uplinks of 40 Gbit/s", 64)  # 4 leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.25 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 4
    for leaf, part in enumerate((0.4, 0.4, 1.0, 1.0)):
        assert plane.capacity[plane.uplinks_of(leaf)] == pytest.approx(part * RATE)
    assert structure.oversubscription == pytest.approx(2.5)
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    moment = np.zeros(1, np.int64)
    by = {host: int(plane.path(np.array([host]), np.array([16 + host]), moment)[0][0, 0]) for host in range(16)}
    meet = next((a, b) for a in by for b in by if a < b and by[a] == by[b])  # two hosts that share an uplink
    older = times(world, [(host, 16 + host) for host in meet])
    assert older == pytest.approx([near + 2 * HOP + 1.25 * once] * 2)
    later = times(world, [(32 + host, 48 + host) for host in range(4)])
    assert later == pytest.approx([near + 2 * HOP + once] * 4)  # whatever the hash says
    assert np.ptp(structure.processor) == 0
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"25 Gb/sec (1X EDR)"}


def test_five_hosts_share_an_uplink_of_56_gbit() -> None:
    structure = built("56 Gbit/s, 5:1 by receiver, two purchases, far socket", 32)  # 6 leaves, 3 of them older
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [1] * 6
    assert np.bincount(structure.group).tolist() == [6, 5, 5, 6, 5, 5]
    assert times(world, [(44, 46)]) == pytest.approx([LATENCY + once])  # hosts 22 and 23, on the fifth leaf
    assert times(world, [(44, 47)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.94])
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.3e-6 + once])
    assert times(world, [(0, 44)]) == pytest.approx([LATENCY + 2 * HOP + 0.15e-6 + once])
    five = [(2 * host, 2 * (host + 5)) for host in range(22, 27)]
    assert times(world, five) == pytest.approx([LATENCY + 2 * HOP + 5 * once] * 5)
    assert times(world, [(0, 1)])[0] - 0.8e-6 == pytest.approx(MIB / (0.8 * 20e9))
    assert times(world, [(44, 45)])[0] - 0.8e-6 == pytest.approx(MIB / 20e9)
    assert structure.processor.tolist() == [2] * 16 + [0] * 16
    larger = built("56 Gbit/s, 5:1 by receiver, two purchases, far socket", 128).plane
    assert isinstance(larger, FatTree)
    assert larger.uplinks.tolist() == [4] * 6


def test_islands_lose_at_their_leaves_only() -> None:
    structure = built("islands of four leaves, 4:3 at the leaves dealt out", 64)  # 2 islands, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert isinstance(plane.lower, DealtOut)
    assert isinstance(plane.upper, DealtOut)
    assert plane.lower.uplinks.tolist() == [6] * 8
    assert plane.upper.uplinks.tolist() == [24] * 2
    far = near + 4 * HOP + 3 * CABLE
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    across = times(world, [(host, 8 + host) for host in range(8)])
    assert across == pytest.approx([near + 2 * HOP + part * once for part in (2, 2, 1, 1, 1, 1, 2, 2)])
    away = [(8 * leaf + host, 32 + 8 * leaf + host) for leaf in range(3) for host in range(6)]
    receivers = [to for _, to in away]
    assert len({plane.upper.place[to] % 24 for to in receivers}) == 18
    assert times(world, away) == pytest.approx([far + once] * 18)
    assert times(world, [(0, 32), (8, 56)]) == pytest.approx([far + 2 * once] * 2)  # the first and the 25th receiver


def test_of_every_second_cell_a_job_has_the_first_leaf() -> None:
    structure = built("4 GPUs on 4 rails, whole and half cells of a dragonfly+", 48)  # 24 hosts, cells of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [4, 2] * 4
    assert plane.groups == 10  # two that the job has not
    assert (np.ptp(plane.leaf.reshape(24, 4), axis=1) == 0).all()  # all adapters of a host on one leaf
    assert np.bincount(plane.leaf, minlength=20)[:8].tolist() == [8, 8, 8, 0] * 2
    assert times(world, [(0, 7)]) == pytest.approx([near + once])  # any two rails
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(16, 20)]) == pytest.approx([near + once])
    when = np.arange(400)
    latency = plane.path(np.zeros_like(when), np.full_like(when, 16), when)[1]
    assert set(np.unique(latency.round(9))) == {round(LATENCY + hops * HOP, 9) for hops in (3, 4)}
    assert 0.08 < (latency > LATENCY + 3.5 * HOP).mean() < 0.25
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


def test_the_third_adapter_of_a_host_is_on_the_next_switch() -> None:
    structure = built("4 superchips, two adapters on each switch, routes by load", 128)  # 64 hosts, groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (12, 16)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert plane.switch[:4].tolist() == [0, 0, 1, 1]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + once])
    assert times(world, [(2, 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + once])  # the ninth host
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once] * 2)
    assert min(times(world, [(0, 64)])) > near + HOP + 4 * CABLE + once - 1e-12  # another group
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 150e9])


def test_relayed_rails_have_two_uplinks_for_each_host() -> None:
    structure = built("8 relayed rails, two uplinks for each host", 128)  # 32 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [16] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.8e-6 + once])  # by the second GPU of the sender
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 65)]) == pytest.approx([near + 2 * HOP + 0.8e-6 + once])
    same = times(world, [(0, 9), (1, 17)])  # both leave by the adapters of the rails at which they arrive
    assert same == pytest.approx([near + 0.8e-6 + 2 * once, near + 2 * once])
    assert times(world, [(8 * host, 8 * host + 7) for host in range(4)]) == pytest.approx([1.2e-6 + MIB / 48e9] * 4)
    frm, to = np.divmod(np.arange(64), 8)
    assert len(np.unique(plane.path(frm, 8 + to, frm)[0][:, 0])) == 16


def test_gpus_on_the_other_pcie_switch_reach_less_of_the_adapter() -> None:
    structure = built("8 GPUs on PCIe with two adapters, one switch", 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert times(world, [(0, 9)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + once])  # the adapter of the second socket
    assert times(world, [(0, 10)]) == pytest.approx([near + 0.35e-6 + once / 0.85])
    assert times(world, [(6, 15)]) == pytest.approx([near + 0.7e-6 + once / 0.85])
    assert times(world, [(0, 8), (3, 11)]) == pytest.approx([near + 2 * once, near + 0.7e-6 + 2 * once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    inside = [times(world, [(0, rank)])[0] for rank in (1, 2, 4)]
    assert inside == pytest.approx([1.1e-6 + MIB / 22e9, 1.5e-6 + MIB / 17e9, 2.1e-6 + MIB / 11e9])
    assert np.asarray(world.results.ranks.numa_distance)[:8].tolist() == [10, 10, 20, 20] * 2
    assert set(world.results.inventory.over_hosts("ib/mlx5_1", "numa_node")[1]) == {"1"}


@pytest.mark.parametrize("seed", range(3))
def test_two_flows_of_5_gbit_fill_a_virtual_machine(seed: int) -> None:
    structure = built("virtual machines without a placement group, flow limits", 64, seed)  # 32, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 28e-6, MIB / (0.1 * RATE)
    group = structure.group
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [2] * 4
    assert np.bincount(group).tolist() == [8] * 4
    assert (np.diff(group) < 0).any()
    for other in range(1, 32):
        one_block = group[other] // 2 == group[0] // 2
        longer = 0.0 if group[other] == group[0] else 0.6e-6 if one_block else 1.6e-6
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + longer + 2 * once])
    beside = 4 * int(np.flatnonzero(group == group[0])[1])
    for count, each in ((2, 2), (3, 3), (4, 4)):
        flows = times(world, [(rank, beside + rank) for rank in range(count)])
        assert flows == pytest.approx([near + each * once] * count)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 20e9])


def test_two_messages_share_a_cable_of_a_torus_that_is_wider_than_an_adapter() -> None:
    structure = built("torus, 4 ranks on two sockets, cables of 3.2 GB/s", 64)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.6e-6, MIB / 2e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 4, 2)
    assert times(world, [(0, 4)]) == pytest.approx([near + HOP + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + 0.3e-6 + once / 0.95])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + HOP + 2 * once] * 2)  # the adapter
    host = [int(np.ravel_multi_index((0, row, 0), (4, 4, 2))) for row in range(4)]
    pairs = [(4 * host[0], 4 * host[2] + 1), (4 * host[1], 4 * host[3])]
    both = times(world, pairs)
    lone = [times(world, [pair])[0] for pair in pairs]
    assert lone == pytest.approx([near + 2 * HOP + once] * 2)
    assert both == pytest.approx([near + 2 * HOP + once / 0.8] * 2)
    assert structure.hyperthreads == structure.tail == structure.interrupts == 0


def test_the_seventh_node_has_the_adapter() -> None:
    structure = built("8 NUMA nodes, 2:1 static, adapter on the seventh", 128)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    longer = [0.3e-6] * 4 + [0.06e-6, 0.06e-6, 0.0, 0.06e-6]
    for rank in range(8):
        part = 0.93 if rank < 4 else 1.0
        assert times(world, [(6, 8 + rank)]) == pytest.approx([near + longer[rank] + once / part])
    assert times(world, [(6, 8 * 8 + 6)]) == pytest.approx([near + 2 * HOP + once])
    assert np.asarray(world.results.ranks.numa_distance)[:8].tolist() == [20] * 4 + [10] * 4
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_each_two_ranks_of_a_socket_are_threads_of_one_core() -> None:
    structure = built("4 ranks on pairs of threads, 4:1 dealt out", 64)  # 32 hosts, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 1), (2, 3)]) == pytest.approx([0.2e-6 + MIB / 6e9] * 2)
    assert times(world, [(1, 2)]) == pytest.approx([0.8e-6 + MIB / 9e9])
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.94])
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 2 * HOP + once])
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 4 * once] * 8)
    assert times(world, across[:2]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)


def test_racks_for_fluid_dynamics_are_faster_within_hosts_and_those_for_crashes_between_them() -> None:
    structure = built("fluid and crash hosts in turns of racks, 2:1 adaptive", 64)  # 32 hosts, racks of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.processor.tolist() == ([3] * 8 + [0] * 8) * 2
    assert times(world, [(32, 36)]) == pytest.approx([LATENCY + once])  # for crashes
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 0.2e-6 + 2 * HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 0.1e-6 + 2 * HOP + once])
    assert times(world, [(34, 36)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    across = times(world, [(4 * host, 64 + 4 * host) for host in range(8)])
    assert across == pytest.approx([LATENCY + 0.2e-6 + 2 * HOP + 2 * once] * 8)  # 2:1
    fluid, crash = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.05e-6 for rank in (0, 32))
    assert crash == pytest.approx(1.2 * fluid)


def test_all_ranks_of_a_blade_are_equally_far_from_its_adapter() -> None:
    structure = built("blades of 40 Gbit/s, one I/O hub for both sockets", 64)  # 32 blades, chassis of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / 4e9
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.oversubscription == pytest.approx(2)
    assert [times(world, [(rank, 4)])[0] for rank in range(4)] == pytest.approx([near + once] * 4)
    assert times(world, [(0, 4), (3, 7)]) == pytest.approx([near + 2 * once] * 2)
    meet, apart = ([(0, 32), (4, 32 + 4 * other)] for other in (4, 5))
    assert times(world, meet) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # receivers 8 and 12: the same uplink
    assert times(world, apart) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 5e9])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 5e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_two_cabinets_of_gpus_are_joined_by_a_cable_for_two_hosts() -> None:
    structure = built("8 GPUs on PCIe with one adapter, two cabinets", 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (0.545 * RATE)
    assert structure.group.tolist() == [0] * 8 + [1] * 8
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(4, 8)]) == pytest.approx([near + 0.6e-6 + once / 0.7])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    four, eight = ([(8 * host, 64 + 8 * host) for host in range(hosts)] for hosts in (4, 8))
    assert times(world, four) == pytest.approx([near + HOP + once] * 4)  # each receiver has another cable
    assert times(world, eight) == pytest.approx([near + HOP + 2 * once] * 8)
    inside = [times(world, [(0, card)])[0] for card in (1, 2, 4)]
    assert inside == pytest.approx([1.2e-6 + MIB / 11e9, 1.7e-6 + MIB / 9e9, 2.3e-6 + MIB / 6e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_hosts_of_the_last_cell_have_half_of_the_rate_and_say_so() -> None:
    structure = built("4 NUMA nodes, dragonfly+, half of the rate in the last cell", 64)  # 32 hosts, cells of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, DragonflyPlus)
    assert structure.plane.capacity == pytest.approx(2 * RATE)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the other leaf of the cell
    assert times(world, [(96, 100)]) == pytest.approx([LATENCY + 2 * once])
    assert times(world, [(2, 4)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    far = {round((times(World(structure, seed=seed), [(0, 96)], 0)[0] - LATENCY) / HOP, 6) for seed in range(20)}
    assert {3.0} < far <= {3.0, 3.5, 4.0}  # neither way, one or both by a third cell
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("200 Gb/sec (4X HDR)",) * 24 + ("100 Gb/sec (4X EDR)",) * 8
    assert np.ptp(structure.processor) == 0


def test_ranks_of_two_memory_groups_slow_each_other_only_by_the_same_cable() -> None:
    structure = built("units in a torus, two memory groups on 4 interfaces", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, Tofu)
    assert structure.plane.sides == (1, 4, 2, 2, 2)
    one = LATENCY + HOP
    assert times(world, [(0, 2)]) == pytest.approx([one + once])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([one + once] * 2)
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([one + 2 * once] * 2)
    assert times(world, [(0, 16), (1, 49)]) == pytest.approx([one + 2 * CABLE + once] * 2)  # the units on both sides
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 18e9])
    assert structure.hyperthreads == structure.tail == structure.interrupts == 0
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_two_ranks_fill_an_omni_path_adapter_of_400() -> None:
    structure = built("Omni-Path of 400 Gbit/s, 2:1 adaptive, 4 ranks", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (4 * RATE)
    assert structure.oversubscription == pytest.approx(2)
    assert times(world, [(0, 4)]) == pytest.approx([near + once / 0.6])
    assert times(world, [(2, 4)]) == pytest.approx([near + 0.25e-6 + once / 0.54])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + 2 * once, near + 0.5e-6 + 2 * once])
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert times(world, across[:4]) == pytest.approx([near + 2 * HOP + once / 0.6] * 4)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_two_superchips_of_a_host_are_on_one_switch_and_two_on_another() -> None:
    structure = built("4 superchips on two switches of a dragonfly", 64)  # 32 hosts, groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (12, 8)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert [times(world, [(0, rank)])[0] for rank in (4, 5, 28)] == pytest.approx([near + once] * 3)
    assert [times(world, [(0, rank)])[0] for rank in (6, 7, 30)] == pytest.approx([near + HOP + once] * 3)
    assert times(world, [(rank, 4 + rank) for rank in range(4)]) == pytest.approx([near + once] * 4)
    few, many = ([(rank, 32 + rank) for rank in range(ranks)] for ranks in (8, 32))
    empty = [np.array(times(world, pairs, 0)) - near - 4 * CABLE for pairs in (few, many)]
    assert empty[0].max() < 3.5 * HOP  # a cable for each
    assert empty[1].max() > 2.5 * HOP  # most by a third group
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 150e9])


def test_a_message_of_four_queue_pairs_takes_several_uplinks_of_its_rail() -> None:
    structure = built("rail-optimized, 8 rails, four queue pairs", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, QueuePairs)
    assert plane.uplinks.tolist() == [4] * 32
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    host = np.arange(4, 16)
    ways = plane.path(np.zeros(12, np.int64), 8 * host, np.zeros(12, np.int64))[0][:, ::2]
    assert {len(set(own)) for own in ways.tolist()} >= {2, 3}
    assert ways.max() < 4  # those of the leaf of the first rail
    across = np.array(times(world, [(8 * host, 32 + 8 * host) for host in range(4)]))
    assert near + 2 * HOP + once < across.max() < near + 2 * HOP + 3 * once  # parts meet
    assert times(world, [(0, 7)]) == pytest.approx([1.2e-6 + MIB / 48e9])


def test_the_second_of_two_gpus_is_further_from_the_adapter_in_both_years() -> None:
    structure = built("2 GPUs on two sockets with one adapter, 8:5 by receiver", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [5] * 4
    assert structure.processor.tolist() == [2] * 24 + [3] * 8
    assert times(world, [(48, 50)]) == pytest.approx([near + once])
    assert times(world, [(49, 50)]) == pytest.approx([near + 0.5e-6 + once / 0.75])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.9e-6 + once / 0.75])
    assert times(world, [(0, 48)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])  # 2, 2, 2, 1 and 1 receivers for an uplink
    assert sorted(across) == pytest.approx([near + 0.4e-6 + 2 * HOP + loads * once for loads in [1] * 2 + [2] * 6])
    older, newer = (times(world, [(rank, rank + 1)])[0] - 2.3e-6 for rank in (0, 48))
    assert older == pytest.approx(2 * newer)


@pytest.mark.parametrize("seed", range(3))
def test_unequal_numbers_of_machines_are_behind_switches_that_spray(seed: int) -> None:
    structure = built("sprayed packets, 4 ranks, unequal numbers behind switches", 64, seed)  # 32 machines, 6 switches
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 11e-6, MIB / (2 * RATE)
    group, size = structure.group, np.bincount(structure.group)
    assert isinstance(structure.plane, Sprayed)
    assert (len(size), int(size.sum())) == (6, 32)
    assert 2 <= size.min() < size.max()
    assert (np.diff(group) < 0).any()
    for other in range(1, 32):
        longer = 0.6e-6 * bool(group[other] != group[0]) + 1.4e-6 * bool(group[other] // 2 != group[0] // 2)
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + longer + once])
        assert times(world, [(3, 4 * other)]) == pytest.approx([near + longer + once])
    pairs = [(4 * host, 64 + 4 * host) for host in range(16)]
    empty, full = (np.array(times(world, pairs, size)) for size in (0, MIB))
    assert full - empty == pytest.approx([once] * 16)  # nothing blocks
    assert times(world, [(0, 3)]) == pytest.approx([0.4e-6 + MIB / 20e9])
    assert not structure.socket.any()


def test_a_core_of_a_xeon_phi_does_half_of_its_adapter() -> None:
    structure = built("Xeon Phis and Xeons in tanks, TCP, 2:1 static", 32)  # tanks of 8, the last one of Xeons
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.12 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [1] * 4
    assert structure.oversubscription == pytest.approx(2)
    assert structure.processor.tolist() == [1] * 24 + [0] * 8
    assert times(world, [(0, 2)]) == pytest.approx([near + 28e-6 + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 28e-6 + once] * 2)  # 24 of 25 Gbit/s
    assert times(world, [(48, 50)]) == pytest.approx([near + 4 * MIB / RATE])
    assert times(world, [(48, 50), (49, 51)]) == pytest.approx([near + 8 * MIB / RATE] * 2)
    assert times(world, [(0, 48)]) == pytest.approx([near + 14e-6 + 2 * HOP + once])
    across = times(world, [(rank, 16 + rank) for rank in range(16)])
    assert across == pytest.approx([near + 28e-6 + 2 * HOP + 16 * MIB / RATE] * 16)  # one uplink for both ranks of 8
    slow, usual = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 48))
    assert slow == pytest.approx(usual / 0.4)


def test_ranks_of_a_core_complex_share_its_cache_and_all_are_as_far_from_the_adapter() -> None:
    structure = built("8 ranks on 4 CCXs of one socket, 2:1 to one core", 64)  # 16 hosts, leaves of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 1)]) == pytest.approx([0.25e-6 + MIB / 20e9])
    assert [times(world, [(0, rank)])[0] for rank in (2, 4, 7)] == pytest.approx([0.42e-6 + MIB / 11e9] * 3)
    assert [times(world, [(rank, 8)])[0] for rank in range(8)] == pytest.approx([LATENCY + once] * 8)
    across = [(8 * host, 32 + 8 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 4)
    assert times(world, across[:2]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)  # another cable for the next host
    assert not structure.socket.any()


def test_every_third_host_of_one_switch_is_newer() -> None:
    structure = built("one switch of 56 Gbit/s, newer hosts in every third slot", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert times(world, [(2, 5)]) == pytest.approx([LATENCY + once])
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + 0.4e-6 + once])
    assert times(world, [(0, 3), (1, 4), (2, 5)]) == pytest.approx([LATENCY + 0.4e-6 + once] * 2 + [LATENCY + once])
    assert structure.processor.tolist() == ([2, 2, 3] * 11)[:32]
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_neighbours_by_number_are_near_in_a_torus_numbered_by_cubes() -> None:
    structure = built("torus numbered by cubes, far socket", 64)  # 4 x 4 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.6e-6, MIB / 2e9
    plane = structure.plane
    assert isinstance(plane, Torus)
    assert plane.sides == (4, 4, 4)
    assert len(np.unique(plane.place, axis=0)) == 64
    hops = [round((times(world, [(0, 2 * host)], 0)[0] - near) / HOP) for host in range(1, 8)]
    assert hops == [1, 1, 2, 1, 2, 2, 3]  # the corners of the own cube
    assert times(world, [(0, 16)], 0) == pytest.approx([near + 2 * HOP])  # the same corner of the next cube
    assert times(world, [(0, 2 * 63)], 0) == pytest.approx([near + 3 * HOP])  # the corner across, around
    assert times(world, [(0, 2 * 56)], 0) == pytest.approx([near + 6 * HOP])
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + 0.15e-6 + once / 0.97])
    assert times(world, [(0, 16), (8, 24)]) == pytest.approx([near + 2 * HOP + once] * 2)  # other cables
    shared = times(world, [(0, 16), (2, 18)])  # by one cable between the cubes
    assert shared == pytest.approx([near + 2 * HOP + 2 * MIB / 3.2e9] * 2)


def test_four_adapters_are_on_two_leaves_of_the_cell() -> None:
    structure = built("dragonfly+ of 4 rails, two on each leaf of the cell", 64)  # 32 hosts, 4 cells of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert (plane.groups, plane.each) == (4, 16)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert plane.leaf.reshape(32, 4)[0].tolist() == [0, 0, 1, 1]
    assert plane.leaf.reshape(32, 4)[31].tolist() == [6, 6, 7, 7]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # the other adapter of the socket
    assert times(world, [(0, 6)]) == pytest.approx([near + 2 * HOP + once])
    far = [times(replace(world, seed=seed), [(0, 32)], 0)[0] - near for seed in range(32)]
    assert {round(longer / HOP, 6) for longer in far} == {3.0, 4.0}  # directly, or by a third cell
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


def test_only_hosts_of_the_last_group_have_a_second_adapter() -> None:
    structure = built("dragonfly by load, last group with a second adapter", 64)  # 4 groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, Slingshot)
    assert structure.plane.groups == 8
    assert structure.single.tolist() == [True] * 48 + [False] * 16
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(96, 98), (97, 99)]) == pytest.approx([near + once] * 2)
    assert times(world, [(96, 99)]) == pytest.approx([near + HOP + once])  # the switch of the second adapters
    assert times(world, [(0, 16)]) == pytest.approx([near + HOP + once])  # the ninth host of the group
    assert np.asarray(world.results.ranks.adapters).tolist() == [1] * 96 + [2] * 32
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert set(rates) == {"200 Gb/sec (4X HDR)"}


def test_gpus_without_access_to_each_other_go_through_the_memory_of_the_host() -> None:
    structure = built("8 GPUs on PCIe with one adapter, 4:1 adaptive", 64)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 10e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [1] * 4
    assert structure.oversubscription == pytest.approx(4)
    assert times(world, [(0, 8)]) == pytest.approx([near + once / 0.85])
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.5e-6 + once / 0.7])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 3)]) == pytest.approx([8e-6 + MIB / 9e9])
    assert times(world, [(0, 4)]) == pytest.approx([9e-6 + MIB / 6.5e9])
    across = times(world, [(8 * host, 32 + 8 * host) for host in range(4)])
    assert across == pytest.approx([near + 2 * HOP + 4 * once] * 4)


def test_two_rails_of_each_host_are_a_pcie_switch_further() -> None:
    structure = built("rail-optimized, 8 rails, two behind two PCIe switches", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 32
    for rail in range(8):
        further = 0.15e-6 * (rail in (0, 4))
        assert times(world, [(rail, 8 + rail)]) == pytest.approx([near + 2 * further + once])
        assert times(world, [(rail, 32 + rail)]) == pytest.approx([near + 2 * HOP + 2 * further + once])
        assert times(world, [(1, 8 + rail)], 0) == pytest.approx([near + 2 * HOP * (rail != 1) + further])
    assert times(world, [(0, 4)]) == pytest.approx([NVLINK_LATENCY + MIB / 230e9])


@pytest.mark.parametrize("seed", range(3))
def test_more_than_four_flows_fill_a_virtual_machine(seed: int) -> None:
    structure = built("4 NUMA nodes of a cloud, flow limits, lingering routes", 64, seed)  # 32 machines, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.5 * RATE)
    group = structure.group
    assert np.bincount(group).tolist() == [8] * 4
    assert (np.diff(group) < 0).any()
    for other in range(1, 32):
        across = 2 * HOP * bool(group[other] != group[0])
        for rank in range(4):  # no node is nearer than others
            assert times(world, [(0, 4 * other + rank)]) == pytest.approx([near + across + once])
    same = np.flatnonzero(group == group[0])[1]
    four = times(world, [(rank, 4 * int(same) + rank) for rank in range(4)])
    assert four == pytest.approx([near + once] * 4)
    assert structure.plane.path(np.array([0]), np.array([1]), np.array([0]))[0].shape == (1, 2)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.routes == "lingering"


def test_four_flows_fill_an_adapter_of_which_one_gets_three_tenths() -> None:
    structure = built("8 ranks by TCP, 3:1 static, a core for each flow", 64)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [1] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once / 0.3])
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.8e-6 + once / 0.3])
    assert times(world, [(rank, 8 + rank) for rank in range(3)]) == pytest.approx([near + once / 0.3] * 3)
    assert times(world, [(rank, 8 + rank) for rank in range(4)]) == pytest.approx([near + 4 * once] * 4)
    across = times(world, [(8 * host, 32 + 8 * host) for host in range(4)])
    assert across == pytest.approx([near + 2 * HOP + 4 * once] * 4)
    larger = built("8 ranks by TCP, 3:1 static, a core for each flow", 192).plane  # leaves of 12
    assert isinstance(larger, FatTree)
    assert larger.uplinks.tolist() == [4] * 4


def test_the_last_hosts_of_each_leaf_have_gpus_and_two_adapters() -> None:
    structure = built("GPU hosts with two adapters in each leaf, tables that change", 64)  # 4 leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.single.tolist() == ([True] * 12 + [False] * 4) * 4
    assert structure.processor.tolist() == ([0] * 12 + [3] * 4) * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(24, 26), (25, 27)]) == pytest.approx([near + 1.2e-6 + once] * 2)
    assert times(world, [(24, 27)]) == pytest.approx([near + 1.2e-6 + once])  # the other adapter, on the same leaf
    assert times(world, [(0, 24)]) == pytest.approx([near + 0.6e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert np.asarray(world.results.ranks.adapters).tolist() == ([1] * 24 + [2] * 8) * 4


def test_two_hosts_of_each_chassis_are_on_either_leaf_of_the_rack() -> None:
    structure = built("two leaves per rack, either side of each chassis, 2:1", 32)  # 2 racks of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.group.tolist() == [0, 0, 1, 1] * 4 + [2, 2, 3, 3] * 4
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])  # the next chassis
    assert times(world, [(1, 2)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the other side
    own = [host for host in range(16) if host % 4 < 2]
    across = times(world, [(host, 16 + host) for host in own])
    assert across == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 8)  # 2:1, dealt out evenly
    assert times(world, [(host, 16 + host) for host in own[:4]]) == pytest.approx([LATENCY + 2 * HOP + once] * 4)


def test_later_leaves_have_half_as_many_cables_to_the_core() -> None:
    structure = built("leaves on one core, 1:1 and later 2:1, 40 Gbit/s", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / (0.32 * RATE)
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [8, 8, 4, 4]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.15e-6 + once / 0.97])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    between = [[(4 * host, first + 4 * host) for host in range(8)] for first in (32, 64)]
    assert times(world, between[0]) == pytest.approx([near + 2 * HOP + once] * 8)
    assert times(world, between[1]) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_two_ranks_of_a_ccx_meet_in_its_cache() -> None:
    structure = built("8 ranks on 4 CCXs, three levels, 2:1 adaptive", 128)  # 32 hosts, 4 leaves of 8, pods of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert plane.lower.uplinks.tolist() == [8] * 4
    assert plane.upper.uplinks.tolist() == [8] * 2
    assert times(world, [(0, 1)]) == pytest.approx([0.2e-6 + MIB / 24e9])
    assert times(world, [(1, 2)]) == pytest.approx([0.45e-6 + MIB / 14e9])
    further = (0, 0, 0.04e-6, 0.04e-6, 0.04e-6, 0.04e-6, 0.07e-6, 0.07e-6)
    for rank, longer in enumerate(further):
        assert times(world, [(0, 8 + rank)]) == pytest.approx([LATENCY + longer + once])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 2 * HOP + once])
    far = LATENCY + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 128)]) == pytest.approx([far + once])
    assert times(world, [(8 * host, 128 + 8 * host) for host in range(16)]) == pytest.approx([far + 2 * once] * 16)
    assert times(world, [(8 * host, 128 + 8 * host) for host in range(8)]) == pytest.approx([far + once] * 8)


def test_newer_gpu_racks_have_twice_the_rate_and_twice_the_uplinks() -> None:
    structure = built("8 GPUs on 4 adapters of the leaf, racks of 200 and 400 Gbit/s", 64)  # 16 hosts, racks of 4
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6
    old, new = MIB / (2 * RATE), MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8, 8, 8, 16]
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.3e-6 + old])
    assert times(world, [(96, 104)]) == pytest.approx([near + new])
    assert times(world, [(0, 96)]) == pytest.approx([near + 0.15e-6 + 2 * HOP + old])
    assert times(world, [(96, 104), (97, 105)]) == pytest.approx([near + 2 * new] * 2)  # one adapter
    assert times(world, [(96, 104), (98, 106)]) == pytest.approx([near + new] * 2)
    across = [(2 * gpu, 32 + 2 * gpu) for gpu in range(16)]
    assert times(world, across) == pytest.approx([near + 0.3e-6 + 2 * HOP + old] * 16)  # 1:1
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])
    assert times(world, [(96, 103)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])
    rates = world.results.inventory.over_hosts("ib/mlx5_3/1", "rate")[1]
    assert rates == ("200 Gb/sec (4X HDR)",) * 12 + ("400 Gb/sec (4X NDR)",) * 4
    assert structure.processor.tolist() == [3] * 12 + [4] * 4


def test_each_second_pair_of_gpus_reaches_the_adapter_of_its_socket_by_the_processor() -> None:
    structure = built("8 GPUs on PCIe with 2 adapters, each second pair further, 2:1", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4  # for 8 adapters
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 10)]) == pytest.approx([near + 0.4e-6 + once / 0.8])
    assert times(world, [(7, 15)]) == pytest.approx([near + 0.8e-6 + once / 0.8])
    assert times(world, [(0, 12)]) == pytest.approx([near + once])  # both adapters are on the same leaf
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([1.1e-6 + MIB / 24e9])
    assert times(world, [(0, 2)]) == pytest.approx([1.5e-6 + MIB / 18e9])
    assert times(world, [(0, 4)]) == pytest.approx([2.0e-6 + MIB / 10e9])
    across = times(world, [(8 * host + gpu, 32 + 8 * host + gpu) for host in range(4) for gpu in (0, 4)])
    assert max(across) > near + 2 * HOP + 1.9 * once  # a hash gives two flows the same uplink


@pytest.mark.parametrize("seed", range(3))
def test_pods_of_machines_of_eight_gpus_are_in_no_order(seed: int) -> None:
    structure = built("rail-optimized, 8 rails, virtual machines in no order", 64, seed)  # 16 machines, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (2 * RATE)
    pod = structure.group
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 32
    assert np.bincount(pod).tolist() == [4] * 4
    assert (np.diff(pod) < 0).any()
    for other in range(1, 16):
        further = 0.0 if pod[other] == pod[0] else 2 * HOP
        assert times(world, [(0, 8 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 8 * other + 1)]) == pytest.approx([near + 2 * HOP + once])  # another rail
        assert times(world, [(2, 8 * other + 2)]) == pytest.approx([near + 0.16e-6 + further + once])
    assert structure.position_latency[[0, 1, 4, 5]] == pytest.approx(1.2e-6)
    assert structure.position_latency[[2, 3, 6, 7]] == pytest.approx(1.28e-6)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_machines_are_numbered_by_the_switches_of_both_layers() -> None:
    structure = built("sprayed packets, 8 rails, machines sorted by switch", 64)  # 16 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 12e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, Stacked)
    assert structure.group.tolist() == [0] * 2 + [1] * 3 + [2] * 5 + [3] * 2 + [4] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + once])  # another rail: the same switch
    assert times(world, [(0, 8 * 4)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8 * 5)]) == pytest.approx([near + 2 * HOP + 1e-6 + once])
    across = [(rank, 40 + rank) for rank in range(40)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 1e-6 + once] * 40)  # nothing blocks
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


@pytest.mark.parametrize("seed", range(3))
def test_bare_metal_of_a_cloud_has_hashes_at_two_tiers(seed: int) -> None:
    structure = built("bare metal of a cloud in no order, two tiers of hashes", 64, seed)  # 32 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    rack, plane = structure.group, structure.plane
    assert isinstance(plane, Stacked)
    assert (plane.lower.routes, plane.upper.routes) == ("static", "static")
    assert plane.lower.uplinks.tolist() == [4] * 8
    assert plane.upper.uplinks.tolist() == [8] * 4
    assert (np.diff(rack) < 0).any()
    for other in range(1, 32):
        tiers = int(rack[other] != rack[0]) + int(rack[other] // 2 != rack[0] // 2)
        further = [0.0, 2 * HOP, 4 * HOP + 1e-6][tiers]
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 4 * other + 3)]) == pytest.approx([near + 0.3e-6 + further + once / 0.95])
    hosts = np.concatenate([np.flatnonzero(rack // 2 == block) for block in (0, 1)])
    across = times(world, [(4 * frm, 4 * to) for frm, to in hosts.reshape(2, 8).T.tolist()])
    assert max(across) > near + 4 * HOP + 1e-6 + 1.9 * once  # some have the same uplink
    assert built("bare metal of a cloud in no order, two tiers of hashes", 56).plane.group.max() == 8  # 28 hosts


def test_every_fourth_host_is_in_the_same_group_of_the_dragonfly() -> None:
    structure = built("4 NUMA nodes in turns over four groups of a dragonfly", 64)  # 32 hosts, 8 of a group
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (16, 2)
    assert structure.group.tolist() == [0, 1, 2, 3] * 8
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 48)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + HOP + once])  # the fifth host of the group
    assert times(world, [(1, 16)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(3, 16)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.96])
    hops = (times(world, [(0, 4)], 0)[0] - LATENCY - 4 * CABLE) / HOP  # the next host is in the next group
    assert round(hops, 6) in {1, 2, 3}
    when = np.repeat(np.arange(50), 8)  # all from one group to the next
    frm = np.tile(np.arange(0, 32, 4), 50)
    detours = (plane.path(frm, frm + 1, when)[0][:, 1] != NONE).reshape(50, 8).sum(axis=1)
    assert detours.max() == 6  # two go by the cables between the two groups, the others by a third one
    assert detours.mean() == pytest.approx(6 * 14 / 16, abs=0.4)


def test_messages_to_the_island_in_another_hall_take_longer() -> None:
    structure = built("islands 2:1 adaptive, the last one in another hall", 64)  # leaves of 8, islands of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert plane.lower.uplinks.tolist() == [8] * 8
    assert plane.upper.uplinks.tolist() == [8] * 4
    far = LATENCY + 4 * HOP
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.96])
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(96, 112)]) == pytest.approx([LATENCY + 2 * HOP + once])  # within the last island
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    for first in (0, 32, 64):
        assert times(world, [(first, 96)]) == pytest.approx([far + 0.6e-6 + once])
    across = [(2 * host, 32 + 2 * host) for host in range(16)]
    assert times(world, across) == pytest.approx([far + 2 * once] * 16)
    assert times(world, across[:8]) == pytest.approx([far + once] * 8)


def test_three_ranks_together_reach_what_an_adapter_of_omni_path_does() -> None:
    structure = built("Omni-Path of 400 Gbit/s that three of 8 ranks fill", 64)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, Tables)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once / 0.4])
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.25e-6 + once / 0.37])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + once / 0.4] * 2)
    assert times(world, [(0, 8), (1, 9), (2, 10)]) == pytest.approx([near + 3 * once] * 3)
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once / 0.4])
    when = np.arange(200)
    ways = structure.plane.path(np.zeros_like(when), np.full_like(when, 4), when)[0][:, 0]
    assert set(ways.tolist()) == {0, 1}
    assert 3 < (np.diff(ways) != 0).sum() < 13  # at most once in 16 steps
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_the_second_purchase_fills_the_racks_from_the_last_to_the_first() -> None:
    structure = built("Ethernet 2:1, a second purchase above the first", 32)  # 4 racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.25 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.group.reshape(8, 4)[:, 0].tolist() == [0, 1, 2, 3, 3, 2, 1, 0]
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 2)]) == pytest.approx([near + 4e-6 + once])
    assert times(world, [(0, 62)]) == pytest.approx([near + 2e-6 + once])  # the same rack
    assert times(world, [(56, 62)]) == pytest.approx([near + once])
    assert times(world, [(0, 56 + 7)]) == pytest.approx([near + 2.4e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2e-6 + 2 * HOP + once])
    across = [(2 * host, 8 + 2 * host) for host in range(4)] + [(56 + 2 * host, 48 + 2 * host) for host in range(4)]
    assert max(times(world, across)) > near + 1.9 * once  # 8 flows on two uplinks of 50 Gbit/s
    assert structure.processor.tolist() == [2] * 16 + [3] * 16


def test_chassis_of_blades_lead_to_one_core_by_a_cable_for_two_blades() -> None:
    structure = built("chassis of blades of 40 Gbit/s on one core, two processors", 64)  # 32 blades, chassis of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.32 * RATE)
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.processor.tolist() == [2] * 24 + [0] * 8
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.6e-6 + once])
    assert times(world, [(96, 100)]) == pytest.approx([LATENCY + once])
    assert times(world, [(96, 102)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.9])
    assert times(world, [(0, 96)]) == pytest.approx([LATENCY + 0.3e-6 + 2 * HOP + once])
    across = [(4 * blade, 32 + 4 * blade) for blade in range(8)]
    assert times(world, across) == pytest.approx([LATENCY + 0.6e-6 + 2 * HOP + 2 * once] * 8)  # 2:1
    assert times(world, across[:4]) == pytest.approx([LATENCY + 0.6e-6 + 2 * HOP + once] * 4)
    older, newer = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY for rank in (0, 96))
    assert older == pytest.approx(1.4 * newer)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_the_last_routers_of_a_torus_have_hosts_with_gpus() -> None:
    structure = built("torus of routers, the last ones have GPUs", 64)  # 32 routers, 4 x 4 x 2
    world, once = World(structure, kernel=ONE_WAY), MIB / 6e9
    assert isinstance(structure.plane, Gemini)
    assert structure.processor.tolist() == [0] * 48 + [3] * 16
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])  # the same router
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + HOP + once])
    assert times(world, [(0, 5)]) == pytest.approx([LATENCY + HOP + 0.15e-6 + once / 0.96])
    assert times(world, [(96, 98)]) == pytest.approx([LATENCY + 1.8e-6 + MIB / 5e9])
    assert times(world, [(0, 96)]) == pytest.approx([LATENCY + HOP + 0.9e-6 + MIB / 5e9])  # around the first dimension
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + HOP + MIB / 4.5e9])  # the second one is narrower
    usual, staged = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (0, 96))
    assert usual == pytest.approx(0.6 * staged)
    assert len(set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1])) == 1


def test_ten_hosts_of_a_leaf_have_two_uplinks() -> None:
    structure = built("fat tree 5:1 by receiver, far socket", 40)  # leaves of 10
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(5.0)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.94])
    assert times(world, [(2 * host, 10 + 2 * host) for host in range(5)]) == pytest.approx([LATENCY + once] * 5)
    across = [(2 * host, 20 + 2 * host) for host in range(10)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 5 * once] * 10)
    assert times(world, across[:2]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)
    assert times(world, [across[0], across[2]]) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 2)
    assert built("fat tree 5:1 by receiver, far socket", 8).oversubscription == pytest.approx(4.0)


def test_leaves_at_both_ends_of_a_row_of_racks_are_half_full() -> None:
    structure = built("leaves between racks, half full at both ends, 2:1", 32)  # racks of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [4, 8, 8, 8, 4]
    assert structure.plane.uplinks.tolist() == [4] * 5
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the same rack, but the next leaf
    assert times(world, [(14, 16)]) == pytest.approx([LATENCY + once])  # the next rack, but the same leaf
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.95])
    ends = [(2 * host, 56 + 2 * host) for host in range(4)]
    assert times(world, ends) == pytest.approx([LATENCY + 2 * HOP + once] * 4)
    between = [(8 + 2 * host, 24 + 2 * host) for host in range(8)]
    assert times(world, between) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 8)


def test_older_and_newer_chassis_of_four_hosts_are_in_turns() -> None:
    structure = built("40 Gbit/s, 8:5 static, older and newer chassis in turns", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (0.4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(1.6)
    assert structure.processor.tolist() == ([2] * 4 + [3] * 4) * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.8e-6 + once])
    assert times(world, [(8, 10)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.4e-6 + 0.25e-6 + once])
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])
    assert max(across) > near + 2 * HOP + 1.59 * once  # at least four flows of 40 Gbit/s on an uplink of 100
    older, newer = (times(world, [(rank, rank + 1)])[0] - INSIDE_LATENCY - 0.3e-6 for rank in (0, 8))
    assert older == pytest.approx(newer / 0.8)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_the_third_of_four_dies_has_the_adapter() -> None:
    structure = built("40 Gbit/s, 2:1 by receiver, adapter on the third die", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (0.26 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    for die, longer in enumerate([0.3e-6, 0.3e-6, 0.0, 0.06e-6]):
        assert times(world, [(2, 4 + die)]) == pytest.approx([near + longer + once])
    cable = MIB / (0.32 * RATE)
    across = [(4 * host + 2, 34 + 4 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * cable] * 8)
    assert times(world, across[:4]) == pytest.approx([near + 2 * HOP + once] * 4)
    inventory = world.results.inventory
    assert set(inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}
    assert set(inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_the_last_two_leaves_are_on_the_first_island() -> None:
    structure = built("islands 3:1 adaptive, last leaves on the first island", 32)  # leaves of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane, far = structure.plane, LATENCY + 4 * HOP + 3 * CABLE
    assert isinstance(plane, Stacked)
    assert plane.upper.group[::4].tolist() == [0, 0, 1, 1, 2, 2, 0, 0]
    assert plane.upper.uplinks.tolist() == [5, 2, 2]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + once / 0.97])
    assert times(world, [(0, 62)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(32, 62)]) == pytest.approx([far + once])
    across = [(16 + 2 * host, 32 + 2 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([far + 4 * once] * 8)
    assert built("islands 3:1 adaptive, last leaves on the first island", 8).hosts == 8


def test_two_ranks_together_fill_an_adapter_of_slingshot() -> None:
    structure = built("dragonfly by load, 400 Gbit/s that two ranks fill", 64)  # 4 groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (10, 4)
    assert times(world, [(0, 2)]) == pytest.approx([near + once / 0.6])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + once / 0.55])
    assert times(world, [(0, 16)]) == pytest.approx([near + HOP + once / 0.6])  # the other switch
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once, near + 0.5e-6 + 2 * once])
    when = np.repeat(np.arange(50), 16)  # all from one group to the next
    frm = np.tile(np.arange(16), 50)
    detours = (plane.path(frm, frm + 16, when)[0][:, 1] != NONE).reshape(50, 16).sum(axis=1)
    assert detours.max() == 12
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_every_fourth_host_is_in_the_same_cell_of_the_dragonfly_plus() -> None:
    structure = built("4 NUMA nodes in turns over four cells of a dragonfly+", 64)  # 32 hosts, 8 of a cell
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert structure.group.tolist() == [0, 1, 2, 3] * 8
    assert times(world, [(0, 16)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 48)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the other leaf of the cell
    assert times(world, [(0, 17)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(0, 19)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    when = np.arange(400)
    hops = (plane.path(np.zeros_like(when), np.ones_like(when), when)[1] - LATENCY) / HOP
    assert set(hops.round(6).tolist()) == {3, 4}
    assert (hops > 3.5).mean() == pytest.approx(0.3 / 2, abs=0.05)  # half of the four cells are third ones


def test_two_cables_join_neighbouring_switches_of_a_torus() -> None:
    structure = built("torus of switches with two cables, far socket", 64)  # 4 x 2 x 2 switches
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (0.545 * RATE)
    assert isinstance(structure.plane, SwitchTorus)
    assert np.bincount(structure.group).tolist() == [4] * 16
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.2e-6 + once / 0.93])
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once])
    assert times(world, [(0, 8 * 10)]) == pytest.approx([near + 3 * HOP + once])  # two along the first one, one more
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + HOP + once] * 2)
    assert times(world, [(2 * host, 8 + 2 * host) for host in range(4)]) == pytest.approx([near + HOP + 2 * once] * 4)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_the_first_of_three_pods_has_half_of_the_hosts() -> None:
    structure = built("rail-optimized, 8 rails, first pod twice as large", 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [8, 4, 4]
    assert structure.plane.uplinks.tolist() == [8, 4, 4] * 8
    assert times(world, [(0, 8 * 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 8 * 8)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(64, 96)]) == pytest.approx([near + 2 * HOP + once])
    across = [(rank, 64 + rank) for rank in range(64)]
    assert times(world, across) == pytest.approx(
        ([near + 2 * HOP + once] * 4 + [near + 0.2e-6 + 2 * HOP + once] * 4) * 8
    )
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_gpus_of_the_first_socket_are_far_from_the_adapter() -> None:
    structure = built("4 GPUs on PCIe, adapter on the second socket, 2:1 static", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert times(world, [(2, 7)]) == pytest.approx([near + once])
    assert times(world, [(1, 6)]) == pytest.approx([near + 0.6e-6 + once / 0.8])
    assert times(world, [(0, 5)]) == pytest.approx([near + 1.2e-6 + once / 0.8])
    assert times(world, [(2, 6), (3, 7)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(2, 34)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 1)]) == pytest.approx([1.4e-6 + MIB / 18e9])
    assert times(world, [(0, 2)]) == pytest.approx([2e-6 + MIB / 10e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}
    assert world.results.ranks.numa_distance[:4].tolist() == [20, 20, 10, 10]


@pytest.mark.parametrize("seed", range(3))
def test_two_ranks_fill_the_adapter_of_a_virtual_machine(seed: int) -> None:
    structure = built("virtual machines of 4 NUMA nodes, two ranks fill 400 Gbit/s", 64, seed)  # 32, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / (4 * RATE)
    leaf = structure.group
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert (np.diff(leaf) < 0).any()
    for other in range(1, 32):
        further = 0.0 if leaf[other] == leaf[0] else 2 * HOP
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + 2 * once])
        assert times(world, [(0, 4 * other + 2)]) == pytest.approx([near + 0.3e-6 + further + once / 0.45])
    further = 0.0 if leaf[1] == leaf[0] else 2 * HOP
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx(
        [near + further + longer + 2 * once for longer in (0, 12e-8)]
    )
    assert times(world, [(0, 4), (1, 5), (2, 6)])[0] == pytest.approx(near + further + 3 * once)


def test_flowlets_spread_the_messages_of_ranks_on_ccxs() -> None:
    structure = built("flowlets, 8 ranks on 8 CCXs of one socket, 2:1", 64)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, Flowlets)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(2, 10)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.1e-6 + once])
    assert times(world, [(2, 12)]) == pytest.approx([near + 0.05e-6 + once])
    assert times(world, [(2, 34), (10, 42)]) == pytest.approx([near + 2 * HOP + once] * 2)  # an uplink each
    across = [(8 * host + 2, 34 + 8 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 4)
    assert times(world, [(0, 1)]) == pytest.approx([0.35e-6 + MIB / 16e9])
    assert times(world, [(1, 2)]) == pytest.approx([0.42e-6 + MIB / 13e9])
    assert set(world.results.ranks.numa.tolist()) == {0}


def test_the_last_leaf_of_omni_path_has_the_hosts_that_were_left_over() -> None:
    structure = built("Omni-Path 2:1 by receiver, larger last leaf", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [14, 14, 14, 22]
    assert structure.plane.uplinks.tolist() == [7] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + once / 0.92])
    assert times(world, [(84, 126)]) == pytest.approx([near + once])
    across = [(2 * host, 28 + 2 * host) for host in range(14)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 14)
    assert times(world, across[:7]) == pytest.approx([near + 2 * HOP + once] * 7)
    last = [(84 + 2 * host, 2 * host) for host in range(14)]
    last += [(112 + 2 * host, 28 + 2 * host) for host in range(8)]
    assert max(times(world, last)) == pytest.approx(near + 2 * HOP + 4 * once)  # 22 messages on 7 uplinks


def test_dies_in_rows_of_a_hall_are_further_apart_by_each_row() -> None:
    structure = built("8 dies on 4 rails, routes by load, rows of a hall", 64)  # 16 hosts, groups of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, SlingshotInRows)
    assert (plane.groups, plane.each) == (12, 4)
    assert times(world, [(1, 9)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.3e-6 + once])  # both are beside the die with the adapter
    assert times(world, [(1, 11)]) == pytest.approx([near + HOP + once])  # the second adapter is on another switch
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 0.3e-6 + 2 * once, near + 2 * once])
    when = np.arange(50)
    for group in (1, 2, 3):
        latency = plane.path(np.zeros_like(when), np.full_like(when, 16 * group), when)[1]
        assert latency.max() == pytest.approx(LATENCY + 3 * HOP + 4 * CABLE + 0.08e-6 * group)


def test_hosts_are_in_turns_over_the_cells_of_a_dragonfly_of_trees() -> None:
    structure = built("dragonfly+ of 100 Gbit/s, hosts in turns over cells", 64)  # 4 cells of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 6
    assert structure.group.tolist() == [0, 1, 2, 3] * 16
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 9)]) == pytest.approx([LATENCY + 0.22e-6 + once / 0.95])
    assert times(world, [(0, 64)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the other leaf of the cell
    assert_detours(plane, 1, 0.2 * 4 / 6)  # the next host is in the next cell


def test_messages_of_a_rail_take_the_same_spine_there_and_back() -> None:
    structure = built("rail-optimized, 8 rails, the same spine there and back", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, SameSpineBack)
    assert plane.uplinks.tolist() == [4] * 32
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    frm, to = np.divmod(np.arange(128**2), 128)
    frm, to = frm[plane.group[frm] != plane.group[to]], to[plane.group[frm] != plane.group[to]]
    there, back = plane.path(frm, to, frm)[0], plane.path(to, frm, to)[0]
    assert (there[:, 0] + plane.ways == back[:, 1]).all()
    assert (there[:, 1] == back[:, 0] + plane.ways).all()
    across = [(8 * host + rail, 32 + 8 * host + rail) for host in range(4) for rail in range(8)]
    assert max(times(world, across)) > near + 2 * HOP + 1.9 * once


def test_adapters_of_the_two_sockets_are_on_two_leaves_of_the_rack() -> None:
    structure = built("8 GPUs on 4 adapters, a leaf for each socket, 2:1 adaptive", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 8
    assert structure.groups[:5].tolist() == [[0, 0, 4, 4]] * 4 + [[1, 1, 5, 5]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 10)]) == pytest.approx([near + once])  # the second adapter
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])  # the third one
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    across = [(8 * host + gpu, 32 + 8 * host + gpu) for host in range(4) for gpu in (0, 2)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert times(world, across[:4]) == pytest.approx([near + 2 * HOP + once] * 4)


def test_superchips_have_twice_the_rate_of_the_processors_in_the_last_leaves() -> None:
    structure = built("superchips of 400 Gbit/s beside processors of 200", 32)  # 4 leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8, 8, 8, 4]
    assert structure.processor.tolist() == [4] * 24 + [3] * 8
    assert times(world, [(0, 1)]) == pytest.approx([LATENCY + 1.4e-6 + once])
    assert times(world, [(24, 25)]) == pytest.approx([LATENCY + 2 * once])
    assert times(world, [(0, 24)]) == pytest.approx([LATENCY + 0.7e-6 + 2 * HOP + 2 * once])
    within = times(world, [(host, host + 8) for host in range(8)])
    assert within == pytest.approx([LATENCY + 1.4e-6 + 2 * HOP + once] * 8)
    between = times(world, [(host, host + 8) for host in range(16, 24)])
    assert between == pytest.approx([LATENCY + 0.7e-6 + 2 * HOP + 2 * once] * 8)
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("400 Gb/sec (4X NDR)",) * 24 + ("200 Gb/sec (4X HDR)",) * 8


def test_adapters_are_in_turns_on_the_two_switches_of_a_chassis() -> None:
    structure = built("4 GPUs on 4 rails, two Omni-Path switches in each chassis", 32)  # 16 hosts, chassis of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.plane.uplinks.tolist() == [8] * 8
    assert structure.groups[3:5].tolist() == [[0, 4, 0, 4], [1, 5, 1, 5]]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + once])  # the third adapter
    assert times(world, [(0, 5)]) == pytest.approx([near + 2 * HOP + once])  # the second one
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 1)]) == pytest.approx([1.5e-6 + MIB / 18e9])
    when = np.arange(200)
    ways = structure.plane.path(np.zeros_like(when), np.full_like(when, 16), when)[0][:, 0]
    assert 3 < (np.diff(ways) != 0).sum() < 14  # at most once in 16 steps


@pytest.mark.parametrize("hosts", [8, 24, 64, 128])
def test_the_next_two_hosts_of_a_torus_numbered_to_and_fro_are_on_a_neighbour(hosts: int) -> None:
    structure = built("torus of routers, numbered to and fro", hosts)
    world = World(structure, kernel=ONE_WAY)
    assert isinstance(structure.plane, Gemini)
    assert np.bincount(structure.group).tolist() == [2] * (hosts // 2)
    for rank in range(0, 2 * hosts - 4, 4):
        assert times(world, [(rank, rank + 2)]) == pytest.approx([LATENCY + MIB / 6e9])
        assert times(world, [(rank, rank + 4)], 0) == pytest.approx([LATENCY + HOP])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.2e-6 + MIB / (0.94 * 6e9)])
    if hosts == 64:  # 4 x 4 x 2 routers
        assert structure.group[::2].tolist()[:10] == [0, 1, 3, 2, 4, 5, 7, 6, 14, 15]
        assert times(world, [(4, 8)]) == pytest.approx([LATENCY + HOP + MIB / 4.5e9])  # along the second dimension


@pytest.mark.parametrize("seed", range(3))
def test_machines_of_a_scale_set_are_on_parts_of_leaves_in_no_order(seed: int) -> None:
    structure = built("virtual machines of 4 NUMA nodes, unequal parts of leaves", 64, seed)  # 32 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / (2 * RATE)
    leaf = structure.group
    assert sorted(np.bincount(leaf).tolist()) == [2, 4, 4, 6, 6, 10]
    assert (np.diff(leaf) < 0).any()
    for other in range(1, 32):
        further = 2 * HOP * (leaf[other] != leaf[0])
        assert times(world, [(1, 4 * other + 1)]) == pytest.approx([near + further + once])
        assert times(world, [(1, 4 * other)]) == pytest.approx([near + 0.06e-6 + further + once])
        assert times(world, [(1, 4 * other + 3)]) == pytest.approx([near + 0.3e-6 + further + once / 0.96])
    further = 2 * HOP * (leaf[:16] != leaf[16:])
    across = times(world, [(4 * host + 1, 64 + 4 * host + 1) for host in range(16)])
    assert across == pytest.approx((near + further + once).tolist())  # nothing blocks


def test_three_flows_by_tcp_fill_the_newer_hosts_of_an_ethernet_switch() -> None:
    structure = built("one Ethernet switch, 25 and 100 Gbit/s, 4 ranks", 32)  # 16 hosts, of which 6 are newer
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 16e-6, MIB / RATE
    assert structure.processor.tolist() == [2] * 10 + [3] * 6
    assert times(world, [(0, 4)]) == pytest.approx([near + 4e-6 + 4 * once])
    assert times(world, [(0, 40)]) == pytest.approx([near + 2e-6 + 4 * once])
    assert times(world, [(40, 44)]) == pytest.approx([near + once / 0.35])
    assert times(world, [(40, 44), (41, 45)]) == pytest.approx([near + once / 0.35] * 2)
    three = times(world, [(40, 44), (41, 45), (42, 46)])
    assert three == pytest.approx([near + 3 * once] * 2 + [near + 0.8e-6 + 3 * once])
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("25 Gb/sec (1X EDR)",) * 10 + ("100 Gb/sec (4X EDR)",) * 6


def test_the_first_rank_is_far_from_an_adapter_on_the_second_socket_5_to_4() -> None:
    structure = built("56 Gbit/s, 5:4 by receiver, adapter on the second socket", 40)  # leaves of 10
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(1.25)
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.5e-6 + once / 0.95])
    across = [(2 * host + 1, 21 + 2 * host) for host in range(10)]
    assert times(world, across[:8]) == pytest.approx([LATENCY + 2 * HOP + once] * 8)
    last = times(world, across)
    assert last == pytest.approx([LATENCY + 2 * HOP + part * once for part in [2] * 2 + [1] * 6 + [2] * 2])
    inventory = world.results.inventory
    assert set(inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}
    assert set(inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_two_adapters_of_half_the_rate_of_a_cable_are_on_two_switches() -> None:
    structure = built("4 GPUs on 2 adapters of 100 Gbit/s, routes by load", 32)  # 16 hosts, groups of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (10, 2)
    assert set(plane.capacity.tolist()) == {2 * RATE}
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(1, 5)]) == pytest.approx([near + 0.2e-6 + once])  # both are further from their adapter
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + once])  # the second adapter: another switch
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.2e-6 + 2 * once])
    when = np.repeat(np.arange(50), 8)  # all adapters of a group to the next one
    frm = np.tile(np.arange(8), 50)
    detours = (plane.path(frm, frm + 8, when)[0][:, 1] != NONE).reshape(50, 8).sum(axis=1)
    assert detours.max() == 6
    assert set(world.results.inventory.over_hosts("ib/mlx5_1/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_two_nvlink_racks_of_a_pod_meet_on_the_leaf_of_each_rail() -> None:
    structure = built("NVLink racks in pairs, a leaf for each rail of a pair", 32)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.domain == 4
    assert structure.group.tolist() == [0] * 8 + [1] * 8
    assert structure.plane.uplinks.tolist() == [8] * 8
    by_nvlink = NVLINK_LATENCY + MIB / NVLINK_RATE
    assert times(world, [(0, 4)]) == pytest.approx([by_nvlink])
    assert times(world, [(0, 15)]) == pytest.approx([by_nvlink])
    assert times(world, [(0, 16)]) == pytest.approx([near + once])  # the other rack of the pod
    assert times(world, [(0, 17)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    across = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 32)  # nothing blocks


def test_the_last_sub_blocks_are_in_a_second_block() -> None:
    structure = built("virtual machines sorted by sub-blocks of two blocks, lingering routes", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 6e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert np.bincount(structure.group).tolist() == [4, 6, 10, 4, 6, 2]
    assert plane.upper.group.tolist() == [0] * 24 + [1] * 8
    assert plane.lower.uplinks.tolist() == [4, 6, 10, 4, 6, 2]
    assert plane.upper.uplinks.tolist() == [12, 4]
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + once / 0.95])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])  # another sub-block
    assert times(world, [(0, 62)]) == pytest.approx([near + 4 * HOP + 1e-6 + once])  # another block
    ways = structure.path(np.zeros(320, np.int64), np.full(320, 62), np.arange(320))[0]
    assert 3 < (np.diff(ways, axis=0) != 0).any(axis=1).sum() < 21  # at most once in 16 steps


@pytest.mark.parametrize("seed", range(3))
def test_each_of_four_sockets_of_a_virtual_machine_has_an_adapter(seed: int) -> None:
    structure = built("virtual machines of 4 sockets, each with an adapter, in no order", 64, seed)  # 32, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / (2 * RATE)
    leaf = structure.group
    assert np.bincount(leaf).tolist() == [8] * 4
    assert (np.diff(leaf) < 0).any()
    assert (structure.groups == leaf[:, None]).all()
    for other in range(1, 32):
        further = 2 * HOP * (leaf[other] != leaf[0])
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 4 * other + 3)]) == pytest.approx([near + further + once])  # another adapter
        every = times(world, [(rank, 4 * other + rank) for rank in range(4)])
        assert every == pytest.approx([near + further + once] * 4)
    assert times(world, [(0, 1)]) == pytest.approx([0.7e-6 + MIB / 24e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_3/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


@pytest.mark.parametrize("seed", range(3))
def test_virtual_machines_have_a_port_on_each_of_two_leaves(seed: int) -> None:
    structure = built("virtual machines of 4 ranks on bonds of two leaves, in no order", 64, seed)  # 32, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 8e-6, MIB / RATE
    rack = structure.group
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 8
    assert (structure.groups == np.stack([rack, rack + 4], axis=1)).all()
    assert (np.diff(rack) < 0).any()
    for other in range(1, 32):
        further = 2 * HOP * (rack[other] != rack[0])  # within a rack it arrives by the leaf to which it was sent
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + once])
    ports = structure.path(np.zeros(124, np.int64), np.arange(4, 128), np.zeros(124, np.int64))[0][:, 0]
    assert set(ports.tolist()) == {0, 1}
    results = world.results
    assert set(results.ranks.device) == {"mlx5_bond_0 port 1"}
    assert set(results.inventory.over_hosts("ib/mlx5_bond_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}
    assert set(results.ranks.numa.tolist()) == {0}


def test_an_uplink_carries_two_of_four_hosts_with_ranks_on_ccxs() -> None:
    name = "RoCE 2:1 static, uplinks of 200 Gbit/s, 8 ranks on CCXs of two sockets"
    structure = built(name, 64)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [1] * 4
    assert structure.oversubscription == pytest.approx(2.0)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(3, 12)]) == pytest.approx([near + 0.25e-6 + once / 0.95])
    across = [(8 * host, 32 + 8 * host) for host in range(4)]
    assert times(world, across[:2]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 4)
    assert times(world, [(0, 3)]) == pytest.approx([0.4e-6 + MIB / 12e9])
    assert times(world, [(3, 4)]) == pytest.approx([0.75e-6 + MIB / 8e9])
    assert world.results.ranks.numa[:8].tolist() == [0] * 4 + [1] * 4
    assert built(name, 128).plane.uplinks.tolist() == [2] * 4  # type: ignore[attr-defined]


def test_each_of_two_rails_of_an_ethernet_pod_has_a_leaf() -> None:
    structure = built("4 GPUs on PCIe with 2 adapters, a leaf for each, Ethernet 1:1 adaptive", 32)  # 16, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 8
    assert structure.groups[3:5].tolist() == [[0, 4], [1, 5]]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.5e-6 + once / 0.8])
    assert times(world, [(0, 6)]) == pytest.approx([near + 2 * HOP + once])  # the other rail
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 1e-6 + 2 * once])
    across = [(4 * host + gpu, 16 + 4 * host + gpu) for host in range(4) for gpu in (0, 2)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 8)  # nothing blocks
    assert times(world, [(0, 1)]) == pytest.approx([1.5e-6 + MIB / 18e9])
    assert times(world, [(1, 2)]) == pytest.approx([2.1e-6 + MIB / 11e9])


def test_the_first_leaves_of_fdr_have_hosts_of_40() -> None:
    structure = built("56 Gbit/s, 3:1 by receiver, first leaves of 40 Gbit/s, far socket", 32)
    world, once, older = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE), MIB / (0.32 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [6, 6, 6, 6, 8]
    assert structure.plane.uplinks.tolist() == [2] * 5
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.4e-6 + older])
    assert times(world, [(24, 26)]) == pytest.approx([LATENCY + once])
    assert times(world, [(24, 27)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.94])
    assert times(world, [(0, 24)]) == pytest.approx([LATENCY + 0.2e-6 + 2 * HOP + older])
    across = [(24 + 2 * host, 36 + 2 * host) for host in range(6)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 3 * once] * 6)
    assert times(world, across[:2]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)
    slow = times(world, [(2 * host, 12 + 2 * host) for host in range(6)])
    assert slow == pytest.approx([LATENCY + 0.4e-6 + 2 * HOP + 3 * once] * 6)
    assert structure.processor.tolist() == [2] * 12 + [0] * 20
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("40 Gb/sec (4X QDR)",) * 12 + ("56 Gb/sec (4X FDR)",) * 20


def test_leaves_and_islands_taper_two_to_one_each() -> None:
    structure = built("8 NUMA nodes, 2:1 at both of two levels, adapter on the fourth", 128)  # 32, islands of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane, far = structure.plane, LATENCY + 4 * HOP + 2 * CABLE
    assert isinstance(plane, Stacked)
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert plane.lower.uplinks.tolist() == [2] * 8
    assert plane.upper.uplinks.tolist() == [2] * 4
    assert times(world, [(3, 11)]) == pytest.approx([LATENCY + once])
    for node, longer in enumerate([0.06e-6] * 3 + [0.0] + [0.3e-6] * 4):
        rate = 2 * RATE * (0.93 if node > 3 else 1.0)
        assert times(world, [(3, 8 + node)]) == pytest.approx([LATENCY + longer + MIB / rate])
    within = [(8 * host + 3, 32 + 8 * host + 3) for host in range(4)]
    assert times(world, within) == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 4)
    between = [(8 * host + 3, 64 + 8 * host + 3) for host in range(8)]
    assert times(world, between[:1]) == pytest.approx([far + once])
    assert times(world, between) == pytest.approx([far + 4 * once] * 8)


def test_the_adapters_of_a_host_are_on_the_four_switches_of_its_chassis() -> None:
    structure = built("4 GPUs on 4 rails in one group of a dragonfly", 64)  # 32 hosts, chassis of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert not structure.group.any()
    assert plane.switch.reshape(32, 4)[7:9].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert times(world, [(0, 28)]) == pytest.approx([near + once])
    assert times(world, [(0, 29)]) == pytest.approx([near + HOP + once])  # another switch of the chassis
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + once])  # another chassis
    across = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, across) == pytest.approx([near + HOP + once] * 32)  # nothing blocks
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])


def test_both_adapters_of_a_host_are_on_one_leaf_of_a_cell() -> None:
    structure = built("4 GPUs on 2 adapters of one leaf in a dragonfly+", 64)  # 32 hosts, cells of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert plane.leaf.reshape(32, 2)[3:5].tolist() == [[0, 0], [1, 1]]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + once])  # the other adapter
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.1e-6 + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.2e-6 + 2 * once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the cell
    when = np.arange(400)
    hops = (plane.path(np.zeros_like(when), np.full_like(when, 16), when)[1] - LATENCY) / HOP
    assert set(hops.round(6).tolist()) == {3, 4}
    assert (hops > 3.5).mean() == pytest.approx(0.15 / 2, abs=0.04)  # half of the four cells are third ones


def test_two_of_four_ranks_fill_a_host_in_a_unit_of_a_torus() -> None:
    structure = built("units in a torus, 4 ranks on one socket, cables of 5 GB/s", 64)  # 32 hosts: 4 units of 2 x 2 x 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / 5e9
    assert isinstance(structure.plane, Tofu)
    assert structure.plane.sides == (1, 4, 2, 2, 2)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + HOP + once / 0.8])
    assert times(world, [(0, 28)]) == pytest.approx([near + 3 * HOP + once / 0.8])  # the furthest one of the unit
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + 2 * CABLE + once / 0.8])  # the next unit
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + 4 * CABLE + once / 0.8])
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([near + HOP + 2 * once] * 2)  # two cables, one host
    assert times(world, [(0, 1)]) == pytest.approx([0.8e-6 + MIB / 6e9])
    assert set(world.results.ranks.numa.tolist()) == {0}


def test_an_uplink_is_for_four_hosts_of_a_rail() -> None:
    structure = built("rail-optimized, 8 rails, 4:1 dealt out", 128)  # 32 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [2] * 32
    assert structure.groups[8].tolist() == [1, 5, 9, 13, 17, 21, 25, 29]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    assert times(world, [(0, 64), (8, 72)]) == pytest.approx([near + 2 * HOP + once] * 2)  # an uplink each
    assert times(world, [(0, 64), (16, 80)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    across = [(8 * host, 64 + 8 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 4 * once] * 8)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_chassis_are_in_turns_on_the_two_omni_path_leaves_of_a_rack() -> None:
    structure = built("Omni-Path 3:1, tables that change, chassis on two leaves of a rack", 48)  # racks of 24
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, Tables)
    assert structure.group.tolist() == ([0] * 4 + [1] * 4) * 3 + ([2] * 4 + [3] * 4) * 3
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.oversubscription == pytest.approx(3.0)
    assert times(world, [(0, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 2 * HOP + once])  # the next chassis
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    when = np.arange(320)
    up = structure.plane.path(np.zeros_like(when), np.full_like(when, 24), when)[0][:, 0]
    assert 3 < (np.diff(up) != 0).sum() < 21  # at most once in 16 steps
    same_leaf = structure.plane.path(np.full_like(when, 8), np.full_like(when, 24), when)[0][:, 0]
    assert (up == same_leaf).all()  # the table of the leaf decides


def test_each_leaf_has_drawn_an_uplink_for_each_receiver() -> None:
    structure = built("100 Gbit/s, 2:1, uplinks drawn at random, far socket", 32)  # leaves of 8
    world, plane, once = World(structure, kernel=ONE_WAY), structure.plane, MIB / RATE
    assert isinstance(plane, ScatteredPorts)
    assert plane.uplinks.tolist() == [4] * 4
    frm, to = np.divmod(np.arange(32**2), 32)
    far = plane.group[frm] != plane.group[to]
    uplink = plane.path(frm[far], to[far], frm[far])[0][:, 0] - plane.first[plane.group[frm[far]]]
    drawn = np.full((4, 32), NONE)
    drawn[plane.group[frm[far]], to[far]] = uplink
    assert (drawn[plane.group[frm[far]], to[far]] == uplink).all()  # the same for all senders of a leaf, at any time
    assert (drawn[2, :8] != drawn[3, :8]).any()
    assert max(np.bincount(drawn[0, 8:16])) > 2  # not dealt out
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.22e-6 + once / 0.96])
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])
    assert max(across) > LATENCY + 2 * HOP + 2.9 * once


def test_cables_of_the_older_of_two_switches_join_them() -> None:
    structure = built("switches of 56 and of 100 Gbit/s, 4 ranks", 32)  # 16 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert structure.group.tolist() == [0] * 8 + [1] * 8
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.5e-6 + once / 0.545])
    assert times(world, [(2, 6)]) == pytest.approx([LATENCY + 0.9e-6 + once / (0.95 * 0.545)])
    assert times(world, [(32, 36)]) == pytest.approx([LATENCY + once])
    apart = LATENCY + 0.25e-6 + HOP
    assert times(world, [(0, 32), (4, 36)]) == pytest.approx([apart + once / 0.545] * 2)  # two cables
    assert times(world, [(0, 32), (8, 40)]) == pytest.approx([apart + 2 * once / 0.545] * 2)
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("56 Gb/sec (4X FDR)",) * 8 + ("100 Gb/sec (4X EDR)",) * 8


def test_both_ports_of_a_bond_are_on_the_leaf_of_the_rack() -> None:
    structure = built("bonds of 10 Gbit/s on the leaf of the rack, 2:1", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 20e-6, MIB / (0.1 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 4
    assert (structure.groups[:, 0] == structure.groups[:, 1]).all()
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    both = {max(times(world, [(0, to), (1, to + 1)])) for to in range(2, 16, 2)}
    assert sorted(both) == pytest.approx([near + once, near + 2 * once])
    across = [(rank, 16 + rank) for rank in range(16)]
    assert max(times(world, across)) > near + 2 * HOP + 1.9 * once
    inventory = world.results.inventory
    assert set(inventory.over_hosts("ib/mlx5_bond_0/1", "rate")[1]) == {"10 Gb/sec (1X QDR)"}


def test_the_second_gpu_of_each_socket_is_further_from_its_adapter() -> None:
    structure = built("4 GPUs on PCIe, an adapter on each socket, 2:1 to one core", 32)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.8e-6, MIB / RATE
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + once])  # the other adapter, on the same leaf
    assert times(world, [(1, 7)]) == pytest.approx([near + 0.8e-6 + once / 0.85])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.8e-6 + 2 * once])
    two = [(4 * host + gpu, 16 + 4 * host + gpu) for host in range(2) for gpu in (0, 2)]
    assert times(world, two) == pytest.approx([near + 2 * HOP + once] * 4)  # a cable each
    first = [(4 * host, 16 + 4 * host) for host in range(4)]
    assert times(world, first) == pytest.approx([near + 2 * HOP + 2 * once] * 4)  # tables give these every second one
    assert times(world, [(0, 1)]) == pytest.approx([1.6e-6 + MIB / 18e9])
    assert times(world, [(0, 2)]) == pytest.approx([2.4e-6 + MIB / 9e9])


def test_every_second_rack_of_omni_path_is_older() -> None:
    structure = built("Omni-Path 8:3 by receiver, older and newer racks in turns", 32)  # racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [3] * 4
    assert structure.oversubscription == pytest.approx(8 / 3)
    assert structure.processor.tolist() == ([2] * 8 + [0] * 8) * 2
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.3e-6 + once])
    assert times(world, [(16, 18)]) == pytest.approx([near + once])
    assert times(world, [(16, 19)]) == pytest.approx([near + 0.25e-6 + once / 0.92])
    assert times(world, [(0, 16)]) == pytest.approx([near + 0.15e-6 + 2 * HOP + once])
    across = times(world, [(16 + 2 * host, 48 + 2 * host) for host in range(8)])
    assert across == pytest.approx([near + 2 * HOP + flows * once for flows in (3, 3, 2) * 2 + (3, 3)])


def test_every_second_rank_is_on_the_socket_without_an_adapter() -> None:
    structure = built("8 NUMA nodes in turns over sockets, 4:3 adaptive", 64)  # 16 hosts, leaves of 4
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [3] * 4
    for rank, longer in enumerate([0.0, 0.3e-6] + [0.06e-6, 0.3e-6] * 3):
        rate = 0.95 if rank % 2 else 1.0
        assert times(world, [(0, 8 + rank)]) == pytest.approx([LATENCY + longer + once / rate])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])
    across = [(8 * host, 32 + 8 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 4 / 3 * once] * 4)
    assert world.results.ranks.numa[:8].tolist() == [0, 1] * 4
    assert world.results.ranks.numa_distance[:8].tolist() == [10, 20] * 4


def test_the_third_of_four_nodes_has_the_adapter_of_slingshot() -> None:
    structure = built("4 NUMA nodes, routes by load, adapter on the third", 64)  # 32 hosts, 4 groups of 8
    world, once, plane = World(structure, kernel=ONE_WAY), MIB / (2 * RATE), structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (12, 2)
    for rank, (longer, rate) in enumerate([(0.3e-6, 0.96), (0.3e-6, 0.96), (0.0, 1.0), (0.06e-6, 1.0)]):
        assert times(world, [(2, 4 + rank)]) == pytest.approx([LATENCY + longer + once / rate])
    assert times(world, [(2, 18)]) == pytest.approx([LATENCY + HOP + once])  # the other switch of the group
    when = np.repeat(np.arange(50), 8)  # all from one group to the next
    frm = np.tile(np.arange(8), 50)
    detours = (plane.path(frm, frm + 8, when)[0][:, 1] != NONE).reshape(50, 8).sum(axis=1)
    assert detours.max() == 6
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}
    assert world.results.ranks.numa_distance[:4].tolist() == [20, 20, 10, 10]


@pytest.mark.parametrize("seed", range(3))
def test_a_job_has_unequal_parts_of_three_cells(seed: int) -> None:
    structure = built("dragonfly+ of 200 Gbit/s, what was free of three cells", 32, seed)  # cells of 24
    world, once, plane = World(structure, kernel=ONE_WAY), MIB / (2 * RATE), structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 6
    assert sorted(np.bincount(structure.group).tolist()) == [8, 8, 16]
    assert (np.diff(structure.group) >= 0).all()
    for other in range(1, 8):  # each cell has at least 8
        further = 2 * HOP * (plane.leaf[other] != plane.leaf[0])
        assert times(world, [(0, 2 * other)]) == pytest.approx([LATENCY + further + once])
        assert times(world, [(0, 2 * other + 1)]) == pytest.approx([LATENCY + 0.2e-6 + further + once / 0.96])
    assert_detours(plane, 31, 0.25 * 4 / 6)


@pytest.mark.parametrize(("hosts", "size"), [(16, 8), (32, 8), (48, 12), (40, 4)])
def test_the_next_host_of_a_unit_numbered_to_and_fro_is_a_neighbour(hosts: int, size: int) -> None:
    structure = built("units in a torus numbered to and fro, 4 memory groups", hosts)
    world, once = World(structure, kernel=ONE_WAY), MIB / 6.8e9
    assert isinstance(structure.plane, Tofu)
    assert structure.group.tolist() == [host // size for host in range(hosts // 2)]
    for host in range(hosts // 2 - 1):
        if structure.group[host] == structure.group[host + 1]:
            assert times(world, [(4 * host, 4 * host + 4)]) == pytest.approx([LATENCY + HOP + once])
            assert times(world, [(4 * host, 4 * host + 6)]) == pytest.approx([LATENCY + HOP + 0.16e-6 + once])
    if hosts == 32:  # two units of 2 x 2 x 2
        assert times(world, [(0, 32)]) == pytest.approx([LATENCY + HOP + 2 * CABLE + once])
        assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + once])
        assert times(world, [(0, 4), (1, 5)]) == pytest.approx(
            [LATENCY + HOP + 2 * once, LATENCY + HOP + 0.16e-6 + 2 * once]
        )
        apart = times(world, [(0, 4), (1, 32)])  # two cables of the host
        assert apart == pytest.approx([LATENCY + HOP + once, LATENCY + HOP + 2 * CABLE + 0.08e-6 + once])


def test_adapters_of_a_socket_are_on_one_of_the_two_leaves_of_a_rack() -> None:
    structure = built("4 GPUs on 4 adapters, two leaves in each rack, islands 3:2", 32)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, Stacked)
    assert structure.groups[3:5].tolist() == [[0, 0, 4, 4], [1, 1, 5, 5]]
    assert structure.plane.upper.uplinks.tolist() == [21, 21]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # the second adapter
    assert times(world, [(0, 6)]) == pytest.approx([near + 2 * HOP + once])  # the third one
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])  # the other rack of the island
    assert times(world, [(rank, 16 + rank) for rank in range(16)]) == pytest.approx([near + 2 * HOP + once] * 16)
    far = near + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 32)]) == pytest.approx([far + once])
    across = times(world, [(rank, 32 + rank) for rank in range(32)])
    assert across == pytest.approx([far + 32 / 21 * once] * 32)


def test_the_second_purchase_begins_within_the_third_pod() -> None:
    structure = built("rail-optimized, 8 rails, second purchase begins within a pod", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 32
    assert structure.processor.tolist() == [3] * 10 + [4] * 6
    assert structure.group[9] == structure.group[10]
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.24e-6 + once])
    assert times(world, [(64, 80)]) == pytest.approx([near + 0.12e-6 + once])  # in the third pod
    assert times(world, [(80, 88)]) == pytest.approx([near + once])
    assert times(world, [(80, 89)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    across = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, across) == pytest.approx([near + 0.24e-6 + 2 * HOP + once] * 32)
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


@pytest.mark.parametrize("seed", range(3))
def test_machines_of_a_block_are_on_its_two_switches_in_no_order(seed: int) -> None:
    structure = built("sprayed packets, 4 NUMA nodes, in no order within blocks", 64, seed)  # 32 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 12e-6, MIB / RATE
    switch = structure.group
    assert isinstance(structure.plane, Sprayed)
    assert np.bincount(switch).tolist() == [4] * 8
    assert (switch // 2).tolist() == [machine // 8 for machine in range(32)]
    assert (np.diff(switch) < 0).any()
    for other in range(1, 32):
        further = 2 * HOP * (switch[other] != switch[0]) + (2 * HOP + 0.5e-6) * (other >= 8)
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 4 * other + 2)]) == pytest.approx([near + 0.3e-6 + further + once])
    across = times(world, [(4 * machine, 64 + 4 * machine) for machine in range(16)])
    assert across == pytest.approx([near + 4 * HOP + 0.5e-6 + once] * 16)  # nothing blocks


def test_receivers_are_dealt_out_to_three_uplinks_for_seven_and_the_last_leaf_is_newer() -> None:
    structure = built("fat tree 7:3 dealt out, later leaves newer, far socket", 64)  # leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.24e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [6] * 4
    assert structure.processor.tolist() == [0] * 48 + [3] * 16
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.2e-6 + once / 0.96])
    assert times(world, [(96, 98)]) == pytest.approx([LATENCY + once])
    across = [(2 * host, 32 + 2 * host) for host in range(16)]
    assert times(world, across[:6]) == pytest.approx([near + 2 * HOP + once] * 6)
    assert max(times(world, across)) == pytest.approx(near + 2 * HOP + 3 * once)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / (0.85 * 20e9)])
    assert times(world, [(96, 97)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_a_job_begins_in_the_middle_of_a_group_and_ends_in_one() -> None:
    structure = built("4 ranks, routes by load, job that begins within a group", 64)  # 32 hosts, groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [4, 8, 8, 8, 4]
    assert plane.groups == 12
    assert plane.switch.tolist() == [1] * 4 + [0, 0, 0, 0, 1, 1, 1, 1] * 3 + [0] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.25e-6 + once / 0.96])
    assert times(world, [(16, 20)]) == pytest.approx([near + once])
    assert times(world, [(16, 32)]) == pytest.approx([near + HOP + once])  # the other switch of the group
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    when = np.arange(50)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 4), when)[0]
    assert (ways[:, 0] != NONE).all()  # the fifth host is in the next group
    assert (ways[:, 1] == NONE).all()  # one message alone goes directly


def test_two_of_four_quadrants_of_a_xeon_phi_fill_the_adapter() -> None:
    structure = built("4 quadrants of a Xeon Phi, chassis in a dragonfly", 64)  # 32 hosts, groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (0.7 * RATE)
    assert isinstance(structure.plane, Chassis)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once / 0.85])
    for quadrant in (1, 2, 3):
        assert times(world, [(quadrant, 4)]) == pytest.approx([near + 0.06e-6 + once / 0.85])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.12e-6 + 2 * once])
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once / 0.85])  # the next router of the chassis
    assert times(world, [(2, 3)]) == pytest.approx([0.9e-6 + MIB / 7e9])
    assert set(world.results.inventory.over_hosts("host", "cpu_model")[1]) == {"Xeon Phi 7250"}
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_neighbouring_hosts_are_on_the_two_leaves_of_their_cell_in_turns() -> None:
    structure = built("dragonfly+, hosts in turns on the two leaves of their cell", 32)  # cells of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 6
    assert structure.group.tolist() == np.repeat(np.arange(4), 8).tolist()
    assert plane.leaf.tolist() == [2 * cell + leaf for cell in range(4) for leaf in (0, 1) * 4]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.95])
    assert_detours(plane, 8, 0.2 * 4 / 6)


def test_a_small_partition_is_not_closed_to_a_torus() -> None:
    structure = built("mesh in three dimensions, two cores", 32)  # 4 x 4 x 2
    world, ends, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / 0.154e9
    assert isinstance(structure.plane, Mesh)
    assert structure.plane.sides == (4, 4, 2)
    assert times(world, [(0, 2)]) == pytest.approx([ends + HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([ends + HOP + once])  # no core is further from the adapter
    assert times(world, [(0, 12)]) == pytest.approx([ends + 3 * HOP + once])  # from one end of a row to the other
    assert times(world, [(0, 62)]) == pytest.approx([ends + 7 * HOP + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([ends + HOP + 2 * once] * 2)
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([ends + HOP + once] * 2)  # a cable each
    assert not np.asarray(world.results.ranks.numa).any()


def test_service_hosts_have_half_of_the_ports_of_the_first_leaf() -> None:
    structure = built("Omni-Path 5:3 by receiver, service hosts on the first leaf", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [8, 14, 14, 14, 14]
    assert structure.plane.uplinks.tolist() == [8] * 5
    assert structure.oversubscription == 1
    assert times(world, [(0, 7)]) == pytest.approx([near + once])
    assert times(world, [(host, 8 + host) for host in range(8)]) == pytest.approx([near + 2 * HOP + once] * 8)
    across = times(world, [(8 + host, 22 + host) for host in range(14)])
    assert across[:2] == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    assert across[2:8] == pytest.approx([near + 2 * HOP + 2 * once] * 4 + [near + 2 * HOP + once] * 2)


def test_two_gpus_share_an_adapter_on_the_leaf_of_its_rail() -> None:
    structure = built("8 GPUs on 4 adapters, a leaf for each rail, dealt out", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [4] * 16
    assert structure.groups[3:5].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.05e-6 + once])  # the same adapter
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once, near + 0.1e-6 + 2 * once])
    across = times(world, [(8 * host + 2 * rail, 32 + 8 * host + 2 * rail) for host in range(4) for rail in range(4)])
    assert across == pytest.approx([near + 2 * HOP + once] * 16)  # nothing blocks
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_bridges_join_pairs_of_eight_gpus_that_have_an_adapter_each() -> None:
    structure = built("8 GPUs in four bridged pairs, 2:1 static", 64)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 300e9])
    assert times(world, [(1, 2)]) == pytest.approx([1.8e-6 + MIB / 40e9])
    assert times(world, [(3, 4)]) == pytest.approx([2.4e-6 + MIB / 26e9])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)  # one adapter
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 14)]) == pytest.approx([near + once])  # all adapters of a rack are on its leaf
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(8 * host + gpu, 32 + 8 * host + gpu) for host in range(4) for gpu in (0, 2, 4, 6)])
    assert max(across) > near + 2 * HOP + 1.9 * once


@pytest.mark.parametrize("seed", range(3))
def test_machines_of_four_gpus_have_addresses_in_no_order(seed: int) -> None:
    name = "virtual machines of 4 GPUs on PCIe, 56 Gbit/s, addresses in no order"
    structure = built(name, 64, seed)  # 32 machines, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (0.545 * RATE)
    plane = structure.plane
    assert isinstance(plane, NumberedByArrival)
    assert np.bincount(structure.group).tolist() == plane.uplinks.tolist() == [8] * 4
    assert (np.diff(structure.group) < 0).any()
    one, other = (np.flatnonzero(structure.group == leaf) for leaf in (0, 1))
    further = 2 * HOP * (structure.group[1] != structure.group[0])
    assert times(world, [(0, 4)]) == pytest.approx([near + further + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + further + 0.5e-6 + once / 0.85])
    uplink = plane.arrival[other] % 8
    shared = np.bincount(uplink, minlength=8)[uplink]  # how many messages take the uplink of each receiver
    across = times(world, list(zip((4 * one).tolist(), (4 * other).tolist(), strict=True)))
    assert across == pytest.approx((near + 2 * HOP + shared * once).tolist())
    assert times(world, [(0, 1)]) == pytest.approx([1.5e-6 + MIB / 11e9])
    assert times(world, [(1, 2)]) == pytest.approx([2.1e-6 + MIB / 8e9])


def test_the_second_numa_node_of_the_only_socket_has_the_adapter_5_to_3() -> None:
    structure = built("Ethernet of 100 Gbit/s, 5:3 static, two NUMA nodes of one socket", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [5] * 4
    assert times(world, [(1, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.05e-6 + once])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.1e-6 + once])
    assert times(world, [(1, 17)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(2 * host + 1, 17 + 2 * host) for host in range(8)])
    assert max(across) > near + 2 * HOP + 1.9 * once
    assert times(world, [(0, 1)]) == pytest.approx([0.45e-6 + MIB / 15e9])
    assert not np.asarray(world.results.ranks.numa).any()


def test_the_second_of_six_numa_nodes_has_the_adapter() -> None:
    structure = built("6 NUMA nodes, 2:1 adaptive, adapter on the second", 64)  # 32 hosts, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert structure.oversubscription == 2
    assert times(world, [(1, 7)]) == pytest.approx([LATENCY + once])
    for node in (0, 2):
        assert times(world, [(node, 7)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    for node in (3, 4, 5):
        assert times(world, [(node, 7)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.96])
    across = times(world, [(6 * host + 1, 48 + 6 * host + 1) for host in range(8)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 8)
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(2, 3)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])
    assert world.results.ranks.numa[:6].tolist() == [0, 0, 0, 1, 1, 1]


def test_each_die_is_joined_to_its_counterpart_of_the_other_socket() -> None:
    structure = built("one switch of 56 Gbit/s, 8 dies with links to counterparts", 64)  # 16 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert structure.hosts == 16
    for other, longer, rate in ((1, 0.15e-6, 12e9), (4, 0.25e-6, 9e9), (5, 0.4e-6, 7e9), (7, 0.4e-6, 7e9)):
        assert times(world, [(0, other)]) == pytest.approx([INSIDE_LATENCY + longer + MIB / rate])
    assert times(world, [(2, 10)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 10)]) == pytest.approx([LATENCY + 0.15e-6 + once])
    assert times(world, [(6, 10)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.9])
    assert times(world, [(4, 10)]) == pytest.approx([LATENCY + 0.4e-6 + once / 0.9])
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([LATENCY + 0.3e-6 + 2 * once, LATENCY + 2 * once])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_racks_of_three_hosts_have_all_eight_adapters_on_their_leaf() -> None:
    name = "8 rails on the leaf of the rack, racks of three, 3:2 dealt out"
    assert np.bincount(built(name).group).tolist() == [3, 3, 2]
    structure = built(name, 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert np.bincount(structure.group).tolist() == [3, 3, 3, 3, 4]
    assert structure.plane.uplinks.tolist() == [16] * 4 + [21]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + once])  # another rail: the same leaf
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.2e-6 + once])  # both on the second socket
    across = [(gpu, 24 + gpu) for gpu in range(24)]
    further = [near + 2 * HOP + 0.2e-6 * (gpu % 8 >= 4) for gpu in range(24)]
    assert times(world, across[:16]) == pytest.approx([latency + once for latency in further[:16]])
    shared = [2 if gpu % 16 < 8 else 1 for gpu in range(24)]  # the last 8 receivers share the first 8 uplinks
    expected = [latency + part * once for latency, part in zip(further, shared, strict=True)]
    assert times(world, across) == pytest.approx(expected)


def test_two_neighbouring_gpus_have_one_of_four_rails_and_its_leaf() -> None:
    structure = built("8 GPUs on 4 rails, a leaf for each rail, 2:1 adaptive", 64)  # 16 hosts, pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 16
    assert structure.groups[:5].tolist() == [[0, 4, 8, 12]] * 4 + [[1, 5, 9, 13]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.12e-6 + once])  # by the same adapter
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once, near + 0.24e-6 + 2 * once])
    across = [(8 * host, 32 + 8 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 4)
    assert times(world, across[:2]) == pytest.approx([near + 2 * HOP + once] * 2)


def test_gpus_on_pcie_of_the_second_purchase_have_two_adapters_of_twice_the_rate() -> None:
    structure = built("4 GPUs on PCIe with 2 adapters, one switch, two purchases", 32)  # 16 hosts, of which 6 are newer
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (2 * RATE)
    assert structure.processor.tolist() == [3] * 10 + [4] * 6
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.3e-6 + 2 * once])
    assert times(world, [(0, 40)]) == pytest.approx([near + 0.15e-6 + 2 * once])
    assert times(world, [(40, 44)]) == pytest.approx([near + once])
    assert times(world, [(40, 46)]) == pytest.approx([near + once])  # the other adapter: the same switch
    assert times(world, [(40, 44), (41, 45)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(40, 44), (42, 46)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([1.4e-6 + MIB / 19e9])
    assert times(world, [(1, 2)]) == pytest.approx([1.9e-6 + MIB / 10e9])
    rates = world.results.inventory.over_hosts("ib/mlx5_1/1", "rate")[1]
    assert rates == ("100 Gb/sec (4X EDR)",) * 10 + ("200 Gb/sec (4X HDR)",) * 6


def test_partitions_of_the_second_processor_are_further_from_the_adapter() -> None:
    structure = built("6 partitions of two accelerated processors, 1:1 adaptive", 32)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (4 * RATE)
    assert structure.each == 6
    assert structure.position_latency == pytest.approx([0.5e-6] * 3 + [0.75e-6] * 3)
    for partition, longer, part in [(0, 0.0, 1.0), (2, 0.0, 1.0), (3, 0.25e-6, 0.9), (5, 0.25e-6, 0.9)]:
        assert times(world, [(0, 6 + partition)]) == pytest.approx([near + longer + once / part])
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 24), (2, 26)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    across = [(6 * host, 24 + 6 * host) for host in range(4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 4)  # nothing blocks
    assert times(world, [(0, 2)]) == pytest.approx([0.8e-6 + MIB / 150e9])
    assert times(world, [(2, 3)]) == pytest.approx([1.2e-6 + MIB / 90e9])
    assert world.results.ranks.numa.tolist()[:6] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_nvlink_racks_of_a_cloud_are_in_no_order_behind_sprayed_packets(seed: int) -> None:
    structure = built("NVLink racks of a cloud, sprayed packets", 160, seed)  # 80 hosts: 4 racks of 18, one of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 10e-6, MIB / (4 * RATE)
    switch = structure.group
    assert isinstance(structure.plane, Sprayed)
    assert sorted(np.bincount(switch).tolist()) == [8, 18, 18, 18, 18]
    assert [len(np.unique(switch[first : first + 18])) for first in range(0, 80, 18)] == [1] * 5
    assert switch[::18].tolist() != sorted(switch[::18].tolist())
    assert times(world, [(0, 71)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE])  # the last host of the rack
    for other in range(18, 80):
        longer = 2 * HOP + (2 * HOP + 1e-6) * bool(switch[other] // 2 != switch[0] // 2)
        assert times(world, [(0, 4 * other + 3)]) == pytest.approx([near + longer + once])
    across = [(rank, 72 + rank) for rank in range(72)]
    assert times(world, across) == pytest.approx([times(world, [pair])[0] for pair in across])  # nothing blocks


def test_the_adapter_is_on_the_second_cluster_on_die_and_three_uplinks_serve_five_hosts() -> None:
    structure = built("56 Gbit/s, 5:3 by receiver, clusters on die", 80)  # 40 hosts, leaves of 10
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [6] * 4
    assert structure.oversubscription == pytest.approx(5 / 3)
    assert times(world, [(1, 5)]) == pytest.approx([LATENCY + once])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    assert times(world, [(1, 6)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.94])
    across = [(1 + 4 * host, 41 + 4 * host) for host in range(10)]
    assert times(world, across[:6]) == pytest.approx([LATENCY + 2 * HOP + once] * 6)
    shared = [2] * 4 + [1] * 2 + [2] * 4  # the last four receivers have the uplinks of the first four
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + part * once for part in shared])
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert set(rates) == {"56 Gb/sec (4X FDR)"}


def test_a_job_has_half_of_its_first_group_and_a_part_of_its_last_one() -> None:
    structure = built("dragonfly by load, two chips, job begins within a group", 64)  # groups of 20
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [10, 20, 20, 14]
    assert plane.switch[:11].tolist() == [1] * 6 + [2] * 4 + [0]
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 12)]) == pytest.approx([LATENCY + HOP + once])  # the next switch of the group
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.3e-6 + once])  # both by the second chip
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.3e-6 + 2 * once])
    hosts = np.arange(10)  # all of the first group to the next one, by 4 cables
    ways = plane.path(hosts, hosts + 10, np.zeros_like(hosts))[0]
    assert plane.each == 4
    assert 3 <= (ways[:, 1] != NONE).sum() <= 6  # a detour by one of the two groups themselves is none


def test_blades_of_two_hosts_are_in_turns_over_the_cells_of_a_dragonfly_plus() -> None:
    structure = built("dragonfly+ of 200 Gbit/s, blades in turns over cells", 64)  # 4 cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 6
    assert structure.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] * 8
    assert plane.leaf[:2].tolist() == [0, 0]
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + once])  # the next blade of the cell
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the cell
    assert_detours(plane, 2, 0.25 * 4 / 6)  # the next blade is in the next cell


def test_cables_along_a_folded_row_join_every_second_cabinet() -> None:
    structure = built("torus, two ranks, rows of cabinets folded", 128)  # 8 cabinets of 4 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 4.4e-6, MIB / 2e9
    plane = structure.plane
    assert isinstance(plane, Torus)
    assert plane.sides == (8, 4, 4)
    assert len(np.unique(plane.place, axis=0)) == 128
    hops = [round((times(world, [(0, 32 * cabinet)], 0)[0] - near) / HOP) for cabinet in range(1, 8)]
    assert hops == [1, 1, 2, 2, 3, 3, 4]
    assert times(world, [(32, 96)], 0) == pytest.approx([near + HOP])  # cabinets 1 and 3
    assert times(world, [(32, 64)], 0) == pytest.approx([near + 2 * HOP])  # cabinets 1 and 2, on either side
    assert times(world, [(0, 2)]) == pytest.approx([near + HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + once])  # ranks are alike
    shared = times(world, [(0, 128), (64, 192)])  # cabinets 0 to 4 and 2 to 6 share the cable from 2 to 4
    assert shared == pytest.approx([near + 2 * HOP + 2 * MIB / 3.2e9] * 2)
    assert set(world.results.ranks.numa.tolist()) == {0}


def test_later_leaves_of_omni_path_have_twice_the_uplinks() -> None:
    structure = built("Omni-Path leaves on one core, 3:1 and later 3:2", 48)  # leaves of 12
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4, 4, 8, 8]
    assert structure.processor.tolist() == [2] * 24 + [0] * 24
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(48, 50)]) == pytest.approx([near + once])
    assert times(world, [(48, 51)]) == pytest.approx([near + 0.25e-6 + once / 0.93])
    older = times(world, [(2 * host, 24 + 2 * host) for host in range(12)])
    assert older == pytest.approx([near + 0.4e-6 + 2 * HOP + 3 * once] * 12)
    later = times(world, [(48 + 2 * host, 72 + 2 * host) for host in range(12)])
    shared = [near + 2 * HOP + part * once for part in [2] * 4 + [1] * 4 + [2] * 4]
    assert later == pytest.approx(shared)
    between = times(world, [(2 * host, 48 + 2 * host) for host in range(12)])
    assert between == pytest.approx([near + 0.2e-6 + 2 * HOP + 3 * once] * 12)


def test_pods_of_two_ethernet_leaves_have_half_as_many_uplinks_as_their_leaves() -> None:
    structure = built("Ethernet pods of two leaves, 2:1 and 4:1, far socket", 64)  # 4 pods of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert np.bincount(structure.group).tolist() == [8] * 8
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([4] * 8, [4] * 4)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + once / 0.95])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the pod
    assert times(world, [(0, 32)]) == pytest.approx([near + 4 * HOP + once])
    frm, to = np.arange(16), np.arange(16, 32)
    first, later = (plane.path(frm, to, np.full_like(frm, when))[0] for when in (0, 1000))
    assert (first == later).all()
    most = int(np.bincount(first[:, 2]).max())  # messages by one uplink of the pod
    assert most >= 4
    assert max(times(world, [(2 * host, 32 + 2 * host) for host in range(16)])) >= near + 4 * HOP + most * once


@pytest.mark.parametrize("seed", range(3))
def test_two_ranks_fill_a_machine_and_blocks_have_half_of_the_rate_between_them(seed: int) -> None:
    structure = built("8 ranks of a cloud in sub-blocks, 2:1 adaptive", 64, seed)  # 16 machines, sub-blocks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 6e-6, MIB / (2 * RATE)
    sub_block = structure.group
    assert np.bincount(sub_block).tolist() == [4] * 4
    assert (np.diff(sub_block) < 0).any()
    for other in range(1, 16):
        longer = 2 * HOP * bool(sub_block[other] != sub_block[0])
        longer += (2 * HOP + 1e-6) * bool(sub_block[other] // 2 != sub_block[0] // 2)
        assert times(world, [(0, 8 * other)]) == pytest.approx([near + longer + once / 0.6])
        assert times(world, [(0, 8 * other + 7)]) == pytest.approx([near + longer + 0.3e-6 + once / 0.56])
        assert times(world, [(0, 8 * other), (1, 8 * other + 1)]) == pytest.approx([near + longer + 2 * once] * 2)
    blocks = np.stack([np.flatnonzero(sub_block // 2 == block) for block in (0, 1)], axis=1).tolist()
    pairs = [(8 * a + rank, 8 * b + rank) for a, b in blocks for rank in (0, 1)]
    assert times(world, pairs) == pytest.approx([near + 4 * HOP + 1e-6 + 4 * once] * 16)


def test_one_switch_joins_hosts_whose_last_numa_node_has_the_adapter() -> None:
    structure = built("one switch of 200 Gbit/s, 4 NUMA nodes, adapter on the last, two purchases", 64)  # 32 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert structure.processor.tolist() == [3] * 24 + [4] * 8
    assert times(world, [(99, 103)]) == pytest.approx([LATENCY + once])  # both of the second purchase
    assert times(world, [(3, 7)]) == pytest.approx([LATENCY + 0.16e-6 + once])
    assert times(world, [(3, 99)]) == pytest.approx([LATENCY + 0.08e-6 + once])
    assert times(world, [(98, 103)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    for rank in (96, 97):
        assert times(world, [(rank, 103)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.93])
    assert times(world, [(99, 103), (98, 107)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.06e-6 + 2 * once])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_chassis_of_a_film_studio_have_cables_of_four_times_the_rate_of_a_blade() -> None:
    structure = built("blades of 10 Gbit/s, LAGs of 40 Gbit/s to one core", 64)  # 4 chassis of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.1 * RATE)
    plane = structure.plane
    assert isinstance(plane, LagCore)
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(2)
    assert times(world, [(0, 15)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(host, 16 + host) for host in range(4)]) == pytest.approx([near + 2 * HOP + once] * 4)
    ways = plane.path(np.arange(16), np.arange(16, 32), np.zeros(16, np.int64))[0]
    load = [np.bincount(way)[way] for way in ways.T]  # messages on the cable of each, up and down
    across = times(world, [(host, 16 + host) for host in range(16)])
    assert max(across) == pytest.approx(near + 2 * HOP + np.maximum(*load).max() / 4 * once)
    assert np.maximum(*load).max() >= 8


def test_islands_of_two_chassis_of_blades_have_two_uplinks_for_five_hosts() -> None:
    name = "56 Gbit/s, chassis of 18 blades, islands 5:2 dealt out"
    structure = built(name, 80)  # 8 chassis of 10
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (0.545 * RATE)
    assert isinstance(structure.plane, Stacked)
    assert structure.plane.lower.uplinks.tolist() == [10] * 8
    assert structure.plane.upper.uplinks.tolist() == [8] * 4
    assert structure.processor.tolist() == [0] * 40 + [2] * 40
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.3e-6 + once])
    assert times(world, [(40, 49)]) == pytest.approx([near + once])
    within = [(40 + host, 50 + host) for host in range(10)]
    assert times(world, within) == pytest.approx([near + 2 * HOP + once] * 10)  # 1:1
    assert times(world, [(0, 79)]) == pytest.approx([near + 0.15e-6 + 4 * HOP + 2 * CABLE + once])
    across = times(world, [(40 + host, 60 + host) for host in range(20)])
    shared = [3 if host % 8 < 4 else 2 for host in range(20)]  # 20 receivers for 8 uplinks in turns
    assert across == pytest.approx([near + 4 * HOP + 2 * CABLE + part * once for part in shared])
    assert np.bincount(built(name, 256).group).max() == 18


def test_connections_of_a_chip_designer_take_another_uplink_in_each_step() -> None:
    structure = built("4 ranks by TCP on 25 Gbit/s, 1:1 re-hashed", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 16e-6, MIB / (0.25 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(1)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(0, 4), (1, 9)]) == pytest.approx([near + 2 * once] * 2)  # one adapter
    assert times(world, [(4 * host, 32 + 4 * host) for host in range(4)]) == pytest.approx([near + 2 * HOP + once] * 4)
    assert max(times(world, [(4 * host, 32 + 4 * host) for host in range(8)])) >= near + 2 * HOP + once
    when = np.arange(40)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 9), when)[0]
    assert len(np.unique(ways, axis=0)) == 2
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 20e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_a_quarter_of_the_leaves_has_high_clocks_5_to_2() -> None:
    structure = built("200 Gbit/s, 5:2 adaptive, high clocks in the first racks", 80)  # 4 leaves of 20
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(2.5)
    assert structure.processor.tolist() == [4] * 20 + [3] * 60
    assert times(world, [(0, 19)]) == pytest.approx([near + once])
    assert times(world, [(20, 39)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 20)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + once])
    across = [(20 + host, 40 + host) for host in range(20)]
    assert times(world, across) == pytest.approx([near + 0.2e-6 + 2 * HOP + 2.5 * once] * 20)
    assert times(world, across[:8]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once] * 8)


def test_hosts_of_the_second_purchase_have_the_last_addresses() -> None:
    structure = built("2:1 by addresses in order of purchase, far socket", 64)  # 4 leaves of 16: 10 older, 6 newer
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, NumberedByArrival)
    assert plane.uplinks.tolist() == [8] * 4
    assert structure.processor.tolist() == ([2] * 10 + [0] * 6) * 4
    assert plane.arrival[[0, 9, 16, 57, 10, 15, 26, 63]].tolist() == [0, 9, 10, 39, 40, 45, 46, 63]
    assert times(world, [(20, 22)]) == pytest.approx([LATENCY + once])  # hosts 10 and 11
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.28e-6 + once])
    assert times(world, [(20, 23)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.95])
    newer = [(20 + 2 * host, 52 + 2 * host) for host in range(6)]  # six addresses in a row: an uplink each
    assert times(world, newer) == pytest.approx([LATENCY + 2 * HOP + once] * 6)
    older = [(2 * host, 32 + 2 * host) for host in range(10)]  # addresses 10 to 19: the first two uplinks meet the last
    shared = [2, 2, 1, 1, 1, 1, 1, 1, 2, 2]
    assert times(world, older) == pytest.approx([LATENCY + 0.28e-6 + 2 * HOP + part * once for part in shared])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / (0.85 * 20e9)])
    assert times(world, [(20, 21)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_groups_of_a_weather_service_stand_in_a_row() -> None:
    structure = built("8 NUMA nodes, routes by load, groups in a row", 256)  # 64 hosts, 4 groups of 16
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, SlingshotInRows)
    assert (plane.groups, plane.each) == (12, 4)
    assert plane.capacity == pytest.approx(2 * RATE)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert times(world, [(5, 13)]) == pytest.approx([LATENCY + once])
    for node in (4, 6, 7):
        assert times(world, [(node, 13)]) == pytest.approx([LATENCY + 0.06e-6 + once])
    for node in range(4):
        assert times(world, [(node, 13)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.95])
    assert times(world, [(5, 37)]) == pytest.approx([LATENCY + HOP + once])  # the next switch
    when = np.arange(2000)
    for group in (1, 2, 3):  # alone a message takes no detour, but leaves and arrives at any switches
        latency = plane.path(np.zeros_like(when), np.full_like(when, 16 * group), when)[1]
        cables = 4 * CABLE + 0.06e-6 * group
        hops = (latency - LATENCY - cables) / HOP
        assert np.allclose(hops, hops.round())
        assert set(hops.round().tolist()) == {1, 2, 3}
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_two_hosts_of_a_tray_share_an_adapter_in_a_dragonfly_plus() -> None:
    structure = built("dragonfly+ of trays of two hosts on one adapter", 64)  # 4 cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (1.26 * RATE)
    plane = structure.plane
    assert isinstance(plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert (plane.leaf[::2] == plane.leaf[1::2]).all()
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 0.4e-6 + once])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([near + MIB / RATE] * 2)  # half of the adapter each
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])
    assert_detours(plane, 16, 0.3 * 2 / 4)


def test_switches_of_a_grid_are_joined_by_row_and_column() -> None:
    structure = built("HyperX of 56 Gbit/s, bought by rows, far socket", 64)  # 4 x 4 switches of 4 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert np.bincount(structure.group).tolist() == [4] * 16
    assert structure.processor.tolist() == [0] * 32 + [2] * 32
    assert times(world, [(64, 66)]) == pytest.approx([LATENCY + once])
    assert times(world, [(64, 67)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.93])
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 0.36e-6 + once])
    assert times(world, [(64, 64 + 24)]) == pytest.approx([LATENCY + HOP + once])  # the last switch of the row
    assert times(world, [(64, 96)]) == pytest.approx([LATENCY + HOP + once])  # the next one of the column
    assert times(world, [(0, 96)]) == pytest.approx([LATENCY + 0.18e-6 + HOP + once])  # the last one of the column
    assert times(world, [(64, 104)]) == pytest.approx([LATENCY + 2 * HOP + once])
    row = [(64 + 2 * host, 72 + 2 * host) for host in range(4)]
    assert times(world, row) == pytest.approx([LATENCY + HOP + 2 * once] * 4)  # two cables for four hosts
    assert times(world, row[:2]) == pytest.approx([LATENCY + HOP + once] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / (0.8 * 20e9)])


def test_leaves_of_rails_have_two_new_spines_of_twice_the_rate() -> None:
    structure = built("rail-optimized, 8 rails, spines of two rates", 128)  # 32 hosts, 4 pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [6] * 32
    assert plane.capacity[:6] == pytest.approx([8 * RATE] * 2 + [4 * RATE] * 4)
    assert structure.oversubscription == pytest.approx(1)
    assert structure.groups[8].tolist() == [1, 5, 9, 13, 17, 21, 25, 29]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    adapters = np.arange(0, 256, 8)  # those of the first rail
    frm, to = (ends.ravel() for ends in np.meshgrid(adapters[:8], adapters[8:]))
    spine = plane.path(frm, to, np.zeros_like(frm))[0][:, 0]
    assert (spine < 2).mean() == pytest.approx(0.5, abs=0.12)  # two of six spines, half of the messages
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_two_vector_engines_do_not_fill_their_adapter() -> None:
    structure = built("8 vector engines on 2 adapters of the leaf, 3:2 dealt out", 96)  # 24 hosts, racks of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once / 0.48])
    assert times(world, [(0, 12)]) == pytest.approx([near + once / 0.48])  # the other adapter: the same leaf
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + once / 0.48] * 2)
    assert times(world, [(rank, 8 + rank) for rank in range(4)]) == pytest.approx([near + 4 * once] * 4)
    across = [(8 * host + 4 * half, 48 + 8 * host + 4 * half) for host in range(6) for half in range(2)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once / 0.48] * 12)  # one engine of each adapter
    busy = [(one + engine, other + engine) for one, other in across for engine in range(4)]
    shared = [2 if adapter < 4 or adapter >= 8 else 1 for adapter in range(12) for engine in range(4)]
    assert times(world, busy) == pytest.approx([near + 2 * HOP + 4 * part * once for part in shared])
    assert times(world, [(0, 3)]) == pytest.approx([1.5e-6 + MIB / 11e9])
    assert times(world, [(3, 4)]) == pytest.approx([2.1e-6 + MIB / 8.5e9])


@pytest.mark.parametrize("seed", range(3))
def test_accelerators_of_a_cloud_are_not_faster_within_a_machine(seed: int) -> None:
    structure = built("sprayed packets, 8 accelerators on 4 rails, slow within", 64, seed)  # 16 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / RATE
    switch = structure.group
    assert isinstance(structure.plane, Sprayed)
    assert np.bincount(switch).tolist() == [4] * 4
    assert (np.diff(switch) < 0).any()
    for other in range(1, 16):
        longer = 2 * HOP * bool(switch[other] != switch[0])
        longer += (2 * HOP + 1e-6) * bool(switch[other] // 2 != switch[0] // 2)
        assert times(world, [(0, 8 * other)]) == pytest.approx([near + longer + once])
        assert times(world, [(0, 8 * other + 7)]) == pytest.approx([near + longer + once])  # any rail
        pairs = [(0, 8 * other), (1, 8 * other + 1)]
        assert times(world, pairs) == pytest.approx([near + longer + 2 * once] * 2)  # one adapter
        pairs = [(0, 8 * other), (2, 8 * other + 2)]
        assert times(world, pairs) == pytest.approx([near + longer + once] * 2)
    assert times(world, [(0, 7)]) == pytest.approx([2.5e-6 + MIB / 11.5e9])


def test_newer_hosts_run_at_the_rate_of_the_older_switch() -> None:
    structure = built("one switch of 56 Gbit/s, 6 ranks, newer half of the hosts", 32)  # 16 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert structure.processor.tolist() == [2] * 8 + [3] * 8
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 0.4e-6 + once])
    assert times(world, [(0, 48)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(48, 54)]) == pytest.approx([LATENCY + once])
    assert times(world, [(50, 57)]) == pytest.approx([LATENCY + 0.22e-6 + once / 0.95])  # to the fourth rank
    assert times(world, [(48, 54), (49, 55)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + MIB / (0.8 * 20e9)])
    assert times(world, [(50, 51)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_hashes_give_two_cartridges_a_cable_up_and_one_down_of_their_chassis() -> None:
    name = "10 Gbit/s, chassis of up to 45 cartridges, LAGs to one core"
    assert np.bincount(built(name, 256).group).tolist() == [45] * 5 + [31]
    structure = built(name, 128)  # 4 chassis of 32
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.1 * RATE)
    plane = structure.plane
    assert isinstance(plane, LagCore)
    assert plane.uplinks.tolist() == [3] * 4
    assert times(world, [(0, 31)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    frm, to = np.arange(32), np.arange(32, 64)
    ways, later = (plane.path(frm, to, np.full_like(frm, when))[0] for when in (0, 1000))
    assert (ways == later).all()
    assert (ways[:, 0] != ways[:, 1] - plane.ways - 3).any()  # the core has a hash of its own
    most = max(np.bincount(ways[:, 0]).max(), np.bincount(ways[:, 1]).max())
    assert most >= 11
    across = times(world, [(host, 32 + host) for host in range(32)])
    assert max(across) == pytest.approx(near + 2 * HOP + most * once / 4)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"10 Gb/sec (1X QDR)"}


def test_eight_numa_nodes_have_tables_of_omni_path_that_change() -> None:
    structure = built("Omni-Path 2:1, tables that change, 8 NUMA nodes", 128)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Tables)
    assert plane.uplinks.tolist() == [4] * 4
    assert times(world, [(1, 9)]) == pytest.approx([near + once])
    for node in (0, 2, 3):
        assert times(world, [(node, 9)]) == pytest.approx([near + 0.06e-6 + once])
    for node in (4, 7):
        assert times(world, [(node, 9)]) == pytest.approx([near + 0.3e-6 + once / 0.95])
    assert times(world, [(1, 65)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(1, 9), (0, 8)]) == pytest.approx([near + 2 * once, near + 0.12e-6 + 2 * once])
    when = np.arange(200)
    up = plane.path(np.zeros_like(when), np.full_like(when, 8), when)[0][:, 0]
    assert set(up.tolist()) == {0, 1, 2, 3}
    assert 4 <= (np.diff(up) != 0).sum() <= 13  # an entry stays for 16 steps
    assert times(world, [(0, 3)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(0, 4)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])


def test_fourteen_hosts_have_two_uplinks_and_the_last_ones_large_memory() -> None:
    structure = built("Omni-Path 7:1 by receiver, hosts of large memory last", 112)  # 8 leaves of 14
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [14] * 8
    assert structure.plane.uplinks.tolist() == [2] * 8
    assert structure.oversubscription == 7
    assert structure.processor.tolist() == [0] * 98 + [2] * 14
    assert times(world, [(0, 13)]) == pytest.approx([near + once])
    assert times(world, [(0, 14)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 98)]) == pytest.approx([near + 2 * HOP + 0.2e-6 + once])
    assert times(world, [(98, 99)]) == pytest.approx([near + 0.4e-6 + once])
    across = [(host, 14 + host) for host in range(14)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 7 * once] * 14)
    assert times(world, across[:2]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, across[:4:2]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)


def test_the_last_quarter_of_each_leaf_was_contributed_later() -> None:
    name = "fat tree 2:1 re-hashed, 4 ranks, contributed hosts in each leaf"
    structure = built(name, 64)  # 32 hosts, leaves of 8
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == 2
    assert structure.processor.tolist() == ([3] * 6 + [4] * 2) * 4
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(0, 24)]) == pytest.approx([LATENCY + 0.1e-6 + once])
    assert times(world, [(24, 28)]) == pytest.approx([LATENCY + once])
    assert times(world, [(24, 31)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.95])
    assert times(world, [(24, 56)]) == pytest.approx([LATENCY + 2 * HOP + once])
    when = np.arange(100)
    up = plane.path(np.zeros_like(when), np.full_like(when, 8), when)[0][:, 0]
    assert 30 <= (np.diff(up) != 0).sum() <= 70  # another uplink in every second step
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    assert max(across) >= LATENCY + 2 * HOP + 2 * once
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / (0.9 * 20e9)])
    assert times(world, [(24, 26)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_three_uplinks_of_twice_the_rate_serve_eighteen_hosts_and_routes_stay_for_a_while() -> None:
    structure = built("RoCE of 200 Gbit/s, 3:1 lingering, uplinks of 400", 72)  # 4 leaves of 18
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [3] * 4
    assert structure.oversubscription == 3
    assert times(world, [(0, 17)]) == pytest.approx([near + once])
    assert times(world, [(0, 18)]) == pytest.approx([near + 2 * HOP + once])
    when = np.arange(320)
    up = plane.path(np.zeros_like(when), np.full_like(when, 18), when)[0][:, 0]
    assert set(up.tolist()) == {0, 1, 2}
    moves = np.flatnonzero(np.diff(up))
    assert 8 <= len(moves) <= 20
    assert not (np.diff(moves) % 16).any()
    across = times(world, [(host, 18 + host) for host in range(18)])
    assert max(across) >= near + 2 * HOP + 3 * once


def test_hosts_of_half_the_rate_of_cables_have_newer_gpu_hosts_behind_them() -> None:
    structure = built("100 Gbit/s, routes by load, GPU hosts last", 64)  # 4 groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (5, 4)
    assert (plane.capacity == 2 * RATE).all()
    assert structure.processor.tolist() == [3] * 56 + [4] * 8
    assert plane.switch.tolist() == ([0] * 8 + [1] * 8) * 4
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.16e-6 + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.16e-6 + HOP + once])
    assert times(world, [(48, 63)]) == pytest.approx([near + 0.08e-6 + HOP + once])
    assert times(world, [(56, 63)]) == pytest.approx([near + once])
    hosts = np.arange(8)  # half of the first group to the next one, by 4 cables
    ways = plane.path(hosts, hosts + 16, np.zeros_like(hosts))[0]
    assert (ways[:, 0] != NONE).all()
    assert (ways[:, 1] != NONE).sum() <= 4
    apart = times(world, [(0, 16)])[0] - once - near - 0.16e-6 - 4 * CABLE
    assert round(apart / HOP) in (1, 2, 3)


def test_two_of_six_ranks_fill_an_adapter_in_a_dragonfly() -> None:
    structure = built("6 ranks, routes by load, two ranks fill an adapter", 64)  # 32 hosts, groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert plane.groups == 8
    assert not plane.switch.any()
    assert times(world, [(0, 6)]) == pytest.approx([near + once / 0.55])
    assert times(world, [(2, 8)]) == pytest.approx([near + once / 0.55])
    assert times(world, [(3, 6)]) == pytest.approx([near + 0.28e-6 + once / 0.52])
    assert times(world, [(0, 6), (1, 7)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 6), (1, 12)]) == pytest.approx([near + 2 * once] * 2)  # what the host sends
    assert times(world, [(0, 6), (12, 18)]) == pytest.approx([near + once / 0.55] * 2)
    when = np.arange(50)
    assert (plane.path(np.zeros_like(when), np.full_like(when, 8), when)[0][:, 1] == NONE).all()  # alone: directly
    assert world.results.ranks.numa.tolist()[:6] == [0, 0, 0, 1, 1, 1]


def test_eight_ranks_share_the_cables_of_a_torus_in_five_dimensions() -> None:
    structure = built("torus in five dimensions, 8 ranks", 128)  # 64 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / 1.8e9
    plane = structure.plane
    assert isinstance(plane, Torus)
    assert plane.sides == (4, 2, 2, 2, 2)
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once])  # the last dimension
    assert times(world, [(7, 15)]) == pytest.approx([near + HOP + once])  # ranks are alike
    assert times(world, [(0, 8 * 15)]) == pytest.approx([near + 4 * HOP + once])
    assert times(world, [(0, 8 * 63)]) == pytest.approx([near + 5 * HOP + once])  # back along the first one
    assert times(world, [(0, 8 * 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + HOP + 2 * once] * 2)
    assert times(world, [(0, 8), (1, 16), (2, 32), (3, 64), (4, 128)]) == pytest.approx([near + HOP + once] * 5)
    assert times(world, [(0, 7)]) == pytest.approx([1.1e-6 + MIB / 4e9])
    assert set(world.results.ranks.numa.tolist()) == {0}


def test_all_gpus_of_the_first_racks_share_an_adapter_of_half_the_rate() -> None:
    name = "4 GPUs on 4 adapters of 400 Gbit/s, first racks with one of 200"
    structure = built(name, 64)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.single.tolist() == [True] * 8 + [False] * 24
    assert structure.plane.uplinks.tolist() == [8, 32, 32, 32]
    assert structure.plane.capacity[:4] == pytest.approx([16 * RATE, 128 * RATE, 128 * RATE, 128 * RATE])
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.3e-6 + 2 * once])
    assert times(world, [(0, 4), (3, 7)]) == pytest.approx([near + 0.3e-6 + 4 * once] * 2)
    assert times(world, [(0, 35)]) == pytest.approx([near + 2 * HOP + 0.15e-6 + 2 * once])
    assert times(world, [(32, 36), (35, 39)]) == pytest.approx([near + once] * 2)
    assert times(world, [(32, 37)]) == pytest.approx([near + once])  # another rail: the same leaf
    across = [(rank, 32 + rank) for rank in range(32, 64)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 32)  # nothing blocks
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 90e9])
    assert times(world, [(32, 35)]) == pytest.approx([NVLINK_LATENCY + MIB / 150e9])
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("200 Gb/sec (4X HDR)",) * 8 + ("400 Gb/sec (4X NDR)",) * 24


def test_four_gpus_of_a_cube_mesh_share_an_adapter_and_two_of_them_are_further() -> None:
    structure = built("cube mesh of GPUs on 2 adapters, 3:2 dealt out", 96)  # 24 hosts, racks of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert np.bincount(structure.group).tolist() == [6] * 4
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + once])  # the other adapter: the same leaf
    assert times(world, [(0, 10)]) == pytest.approx([near + 0.12e-6 + once / 0.9])
    assert times(world, [(0, 8), (3, 11)]) == pytest.approx([near + 2 * once, near + 0.24e-6 + 2 * once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    across = [(4 * adapter, 48 + 4 * adapter) for adapter in range(12)]
    shared = [2] * 4 + [1] * 4 + [2] * 4  # the last four receivers have the uplinks of the first four
    assert times(world, across) == pytest.approx([near + 2 * HOP + part * once for part in shared])
    inside = {round(times(world, [(0, other)])[0] * 1e9) for other in range(1, 8)}
    by_links = (NVLINK_LATENCY + MIB / 22e9, NVLINK_LATENCY + MIB / 44e9, 2.2e-6 + MIB / 9e9)
    assert inside == {round(time * 1e9) for time in by_links}


@pytest.mark.parametrize("seed", range(3))
def test_half_servers_of_a_cloud_have_two_adapters_and_are_in_no_order(seed: int) -> None:
    structure = built("sprayed packets, 4 GPUs on PCIe with 2 adapters", 64, seed)  # 32 machines
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 16e-6, MIB / RATE
    switch = structure.group
    assert isinstance(structure.plane, Sprayed)
    assert np.bincount(switch).tolist() == [4] * 8
    assert (np.diff(switch) < 0).any()
    for other in range(1, 32):
        further = 2 * HOP * bool(switch[other] != switch[0])
        further += (2 * HOP + 0.6e-6) * bool(switch[other] // 2 != switch[0] // 2)
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 4 * other + 3)]) == pytest.approx([near + further + once])  # the other adapter
        for gpu, part in ((1, 2), (2, 1)):
            pairs = [(0, 4 * other), (gpu, 4 * other + gpu)]
            assert times(world, pairs) == pytest.approx([near + further + part * once] * 2)
    pairs = [(rank, 64 + rank) for rank in range(0, 64, 2)]
    assert times(world, pairs) == pytest.approx([times(world, [pair])[0] for pair in pairs])  # nothing blocks
    assert times(world, [(0, 3)]) == pytest.approx([2e-6 + MIB / 22e9])
    assert not np.asarray(world.results.ranks.numa).any()


def test_large_memory_hosts_of_a_switch_with_split_ports_have_half_of_the_rate() -> None:
    structure = built("one switch of split ports, large-memory hosts of half the rate", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert structure.processor.tolist() == [4] * 48 + [0] * 16
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 0.18e-6 + 2 * once])
    assert times(world, [(48, 49)]) == pytest.approx([near + 0.36e-6 + 2 * once])
    assert times(world, [(host, 24 + host) for host in range(24)]) == pytest.approx([near + once] * 24)
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("200 Gb/sec (4X HDR)",) * 48 + ("100 Gb/sec (4X EDR)",) * 16


def test_lags_of_two_cables_of_100_serve_sixteen_hosts_of_25() -> None:
    structure = built("25 Gbit/s on LAGs of 100 to one core, far socket", 64)  # leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 14e-6, MIB / (0.25 * RATE)
    plane = structure.plane
    assert isinstance(plane, LagCore)
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == 2
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.3e-6 + once])  # the far socket, at the whole rate
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    two = times(world, [(0, 32), (1, 33)])
    assert two == pytest.approx([near + 2 * HOP + 2 * once, near + 0.6e-6 + 2 * HOP + 2 * once])
    ways = plane.path(np.arange(16), np.arange(16, 32), np.zeros(16, np.int64))[0]
    most = int(np.bincount(ways.ravel()).max())  # messages by one cable, which is as wide as four hosts
    assert most >= 8
    across = times(world, [(2 * host, 32 + 2 * host) for host in range(16)])
    assert max(across) >= near + 2 * HOP + most / 4 * once


def test_any_two_of_four_dies_have_a_link_and_the_first_has_the_adapter() -> None:
    structure = built("Omni-Path 8:5 dealt out, 4 dies joined each with each", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [5] * 4
    larger = built("Omni-Path 8:5 dealt out, 4 dies joined each with each", 128).plane
    assert isinstance(larger, FatTree)
    assert larger.uplinks.tolist() == [10] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    for die in (1, 2, 3):
        assert times(world, [(0, 4 + die)]) == pytest.approx([near + 0.15e-6 + once / 0.95])
        assert times(world, [(0, die)]) == pytest.approx([INSIDE_LATENCY + 0.2e-6 + MIB / 14e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.2e-6 + MIB / 14e9])
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    shared = [2, 2, 2, 1, 1, 2, 2, 2]  # the last three receivers have the uplinks of the first three
    assert across == pytest.approx([near + 2 * HOP + part * once for part in shared])
    assert world.results.ranks.numa[:4].tolist() == [0, 1, 2, 3]


def test_two_ranks_use_connections_in_turns_that_a_core_limits() -> None:
    structure = built("TCP by connections in turns, 3:1 re-hashed, two ranks", 64)  # leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.35 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [5] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once, near + 0.8e-6 + once])  # two do not fill it
    when = np.arange(100)
    ways, latency = plane.path(np.zeros_like(when), np.full_like(when, 16), when)
    assert len(np.unique(ways[:, 0])) == 5
    assert latency == pytest.approx(LATENCY + 2 * HOP)
    across = times(world, [(rank, 32 + rank) for rank in range(32)])
    longer = [near + 2 * HOP + 0.8e-6 * (rank % 2) for rank in range(32)]
    rates = [MIB / (time - latency) for time, latency in zip(across, longer, strict=True)]
    assert 3 * RATE < sum(rates) <= 5 * RATE * (1 + 1e-9)


def test_the_last_leaf_has_half_as_many_uplinks_of_400_gbits() -> None:
    structure = built("a GPU in each host, 1:1 adaptive, last leaves 2:1", 64)  # leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8, 8, 8, 4]
    larger = built("a GPU in each host, 1:1 adaptive, last leaves 2:1", 256).plane
    assert isinstance(larger, FatTree)
    assert larger.uplinks.tolist() == [8] * 13 + [4] * 3
    assert structure.oversubscription == 1
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(host, 16 + host) for host in range(16)]) == pytest.approx([near + 2 * HOP + once] * 16)
    later = [(32 + host, 48 + host) for host in range(16)]
    assert times(world, later) == pytest.approx([near + 2 * HOP + 2 * once] * 16)
    assert times(world, later[:8]) == pytest.approx([near + 2 * HOP + once] * 8)


def test_the_first_of_four_arm_dies_has_the_network_and_three_uplinks_serve_eight_hosts() -> None:
    structure = built("4 ARM dies with RoCE, 8:3 static", 64)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [3] * 4
    larger = built("4 ARM dies with RoCE, 8:3 static", 128).plane
    assert isinstance(larger, FatTree)
    assert larger.uplinks.tolist() == [6] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.06e-6 + once])
    for die in (2, 3):
        assert times(world, [(0, 4 + die)]) == pytest.approx([near + 0.3e-6 + once / 0.93])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    frm, to = np.arange(8), np.arange(8, 16)
    first, later = (plane.path(frm, to, np.full_like(frm, when))[0] for when in (0, 1000))
    assert (first == later).all()
    most = int(np.bincount(first[:, 0]).max())
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    assert max(across) == pytest.approx(near + 2 * HOP + most * once)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])


def test_cables_between_groups_are_longer_for_each_row_of_the_hall() -> None:
    structure = built("dragonfly by load, a row of the hall for each group", 64)  # groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, SlingshotInRows)
    assert (plane.groups, plane.each) == (12, 4)
    assert plane.switch[:16].tolist() == [0] * 8 + [1] * 8
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once])  # the other switch of the group
    when = np.arange(200)
    for other, rows in ((16, 1), (32, 2), (48, 3)):
        ways, latency = plane.path(np.zeros_like(when), np.full_like(when, other), when)
        assert (ways[:, 1] == NONE).all()  # a message alone goes directly
        hops = (latency - LATENCY - 4 * CABLE - 0.1e-6 * rows) / HOP
        assert set(hops.round(6)) <= {1, 2, 3}
    hosts = np.arange(16)
    ways, latency = plane.path(hosts, 16 + hosts, np.zeros_like(hosts))
    detours = ways[:, 1] != NONE
    assert 7 <= detours.sum() <= 12
    by = ways[:, 0] // 4 % 12  # the group to which a message goes first
    hops = (latency - LATENCY - 4 * CABLE - 0.1e-6 * (by + np.abs(by - 1))) / HOP
    assert set(hops[~detours].round(6)) <= {1, 2, 3}
    assert set(hops[detours].round(6)) <= {3, 4, 5}


def test_blades_of_three_hosts_are_in_turns_on_the_two_leaves_of_their_cell() -> None:
    structure = built("dragonfly+, blades of three in turns on two leaves", 128)  # 64 hosts, cells of 12
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 8
    assert np.bincount(structure.group).tolist() == [12] * 5 + [4]
    assert plane.leaf[:12].tolist() == [0, 0, 0, 1, 1, 1] * 2
    assert plane.leaf[60:].tolist() == [10, 10, 10, 11]
    assert times(world, [(2, 6)]) == pytest.approx([LATENCY + once])  # the second socket has the adapter
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.96])
    assert times(world, [(2, 14)]) == pytest.approx([LATENCY + 2 * HOP + once])  # the next blade
    assert times(world, [(2, 26)]) == pytest.approx([LATENCY + once])  # the one after it
    assert times(world, [(2, 6), (3, 7)]) == pytest.approx([LATENCY + 2 * once] * 2)
    assert_detours(plane, 12, 0.25 * 6 / 8)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_a_torus_in_four_dimensions_has_cables_that_are_wider_than_its_adapters() -> None:
    structure = built("torus in four dimensions", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / 6.4e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 2, 2, 2)
    for other, hops in ((1, 1), (3, 2), (7, 3), (8, 1), (16, 2), (24, 1), (23, 5)):
        assert times(world, [(0, other)]) == pytest.approx([LATENCY + hops * HOP + once])
    shared = times(world, [(0, 16), (8, 17)])  # both take the cable from host 8 to host 16
    assert shared == pytest.approx([LATENCY + 2 * HOP + 2 * MIB / 7.5e9] * 2)
    assert times(world, [(0, 8), (16, 17)]) == pytest.approx([LATENCY + HOP + once] * 2)


def test_a_leaf_has_the_rails_of_two_counterparts_of_both_sockets() -> None:
    structure = built("8 rails, a leaf for one rail of each socket, 2:1 dealt out", 128)  # 32 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [4] * 16
    assert structure.groups[7:9].tolist() == [[0, 4, 8, 12] * 2, [1, 5, 9, 13] * 2]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.1e-6 + once])  # the counterpart: the same leaf
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    first = times(world, [(8 * host, 64 + 8 * host) for host in range(8)])
    assert first == pytest.approx([near + 2 * HOP + 2 * once] * 8)  # a rail has every second uplink
    both = times(world, [(8 * host + gpu, 64 + 8 * host + gpu) for host in range(8) for gpu in (0, 4)])
    assert both == pytest.approx([near + 2 * HOP + 2 * once, near + 0.2e-6 + 2 * HOP + 2 * once] * 8)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_each_message_of_four_gpus_goes_over_both_adapters_of_their_host() -> None:
    structure = built("4 GPUs, each message over 2 adapters, 3:2 adaptive", 128)  # 64 hosts, leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [21] * 4
    assert structure.groups[15:17].tolist() == [[0, 0], [1, 1]]
    for gpu in (4, 5, 7):
        assert times(world, [(0, gpu)]) == pytest.approx([near + once])
    assert times(world, [(0, 4), (3, 7)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(4 * host, 64 + 4 * host) for host in range(16)])
    assert across == pytest.approx([near + 2 * HOP + 32 / 21 * once] * 16)
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 80e9])


@pytest.mark.parametrize("seed", range(3))
def test_two_machines_of_a_server_have_four_of_its_eight_rails_each(seed: int) -> None:
    name = "virtual machines of 4 GPUs, halves of servers on 8 rails"
    structure = built(name, 64, seed)  # 32 machines, pods of 4 servers
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == np.bincount(structure.group).tolist() * 4 == [4] * 32
    pod, half = np.divmod(structure.group, 2)
    assert half.tolist() == [0, 1] * 16
    assert (pod[::2] == pod[1::2]).all()
    assert (np.diff(pod) < 0).any()
    assert structure.groups[0].tolist() == [structure.group[0] + 8 * rail for rail in range(4)]
    for other in range(1, 32):
        further = 2 * HOP * bool(structure.group[other] != structure.group[0])
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 4 * other + 1)]) == pytest.approx([near + 2 * HOP + once])  # another rail
    one, two = (np.flatnonzero(structure.group == group).tolist() for group in (0, 1))
    across = [(4 * a + rail, 4 * b + rail) for a, b in zip(one, two, strict=True) for rail in range(4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 16)  # nothing blocks
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_memory_groups_pay_for_their_way_around_the_ring_and_three_of_them_fill_the_adapter() -> None:
    structure = built("one switch, 4 memory groups in a ring that share an adapter", 64)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / RATE
    assert isinstance(structure.plane, OneSwitch)
    assert times(world, [(1, 5)]) == pytest.approx([near + once / 0.45])  # both on the second group
    for group, steps in ((0, 1), (2, 1), (3, 2)):
        assert times(world, [(group, 5)]) == pytest.approx([near + 0.06e-6 * steps + once / 0.45])
    assert times(world, [(1, 5), (2, 6)]) == pytest.approx([near + once / 0.45, near + 0.12e-6 + once / 0.45])
    three = times(world, [(0, 4), (1, 5), (2, 6)])
    assert three == pytest.approx([near + 0.12e-6 + 3 * once, near + 3 * once, near + 0.12e-6 + 3 * once])
    assert times(world, [(0, 1)]) == times(world, [(0, 3)]) == pytest.approx([1e-6 + MIB / 7.5e9])
    assert times(world, [(0, 2)]) == pytest.approx([1.1e-6 + MIB / 6e9])
    assert set(world.results.ranks.numa.tolist()) == {0}


def test_the_newer_third_on_a_director_switch_has_longer_cables() -> None:
    structure = built("director switch of 56 Gbit/s, two purchases", 64)  # 8 line boards of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.2e-6, MIB / (0.545 * RATE)
    assert isinstance(structure.plane, Director)
    assert structure.group[:10].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
    assert structure.plane.uplinks.tolist() == [8] * 8
    assert structure.processor.tolist() == [2] * 43 + [0] * 21
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.24e-6 + once])
    assert times(world, [(0, 1)]) == pytest.approx([near + 2 * HOP + 0.24e-6 + once])
    assert times(world, [(0, 43)]) == pytest.approx([near + 2 * HOP + 0.12e-6 + CABLE + once])
    assert times(world, [(43, 51)]) == pytest.approx([near + 2 * CABLE + once])
    across = times(world, [(8 * place, 8 * place + 1) for place in range(8)])  # nothing blocks
    assert across == pytest.approx([near + 2 * HOP + longer + once for longer in [0.24e-6] * 6 + [2 * CABLE] * 2])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_the_last_leaf_of_virtual_machines_has_the_rate_of_the_uplinks() -> None:
    structure = built("virtual machines, RoCE static, 56 Gbit/s and later 100", 64)  # 4 leaves of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.8e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 4
    assert structure.oversubscription == pytest.approx(2.18)
    assert structure.processor.tolist() == [2] * 48 + [3] * 16
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.5e-6 + once / 0.545])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.8e-6 + once / (0.545 * 0.94)])
    assert times(world, [(96, 98)]) == pytest.approx([near + once])
    assert times(world, [(0, 96)]) == pytest.approx([near + 2 * HOP + 0.25e-6 + once / 0.545])
    assert times(world, [(96, 98), (97, 99)]) == pytest.approx([near + 2 * once, near + 0.6e-6 + 2 * once])
    frm, to = np.arange(16), np.arange(16, 32)
    first, later = (plane.path(frm, to, np.full_like(frm, when))[0] for when in (0, 1000))
    assert (first == later).all()
    most = int(np.bincount(first[:, 0]).max())
    assert most >= 4
    across = times(world, [(2 * host, 32 + 2 * host) for host in range(16)])
    assert max(across) == pytest.approx(near + 2 * HOP + 0.5e-6 + most * once)
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert rates == ("56 Gb/sec (4X FDR)",) * 48 + ("100 Gb/sec (4X EDR)",) * 16


def test_chassis_of_accelerated_blades_have_half_of_the_hosts_and_of_the_uplinks() -> None:
    name = "56 Gbit/s, 3:2 by receiver, last chassis with half of the hosts"
    larger = built(name, 256)
    assert np.bincount(larger.group).tolist() == [18] * 10 + [10, 9] * 4
    assert isinstance(larger.plane, FatTree)
    assert larger.plane.uplinks.tolist() == [12] * 10 + [6] * 8
    structure = built(name, 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (0.545 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [16] * 3 + [8] * 2
    assert structure.plane.uplinks.tolist() == [10] * 3 + [5] * 2
    assert times(world, [(0, 15)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(host, 16 + host) for host in range(16)])  # receivers 22 to 25 have an uplink of their own
    assert across == pytest.approx([near + 2 * HOP + part * once for part in [2] * 6 + [1] * 4 + [2] * 6])
    smaller = times(world, [(host, 48 + host) for host in range(8)])  # receivers 51 and 52
    assert smaller == pytest.approx([near + 2 * HOP + part * once for part in [2] * 3 + [1] * 2 + [2] * 3])


@pytest.mark.parametrize("seed", range(3))
def test_all_uplinks_of_a_leaf_of_32_carry_half_of_its_hosts(seed: int) -> None:
    structure = built("100 Gbit/s, 2:1 adaptive, leaves of 32, GPU hosts last", 128, seed)
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    rate = structure.rate[:, 0]
    assert np.log(rate / RATE).std() == pytest.approx(0.01, rel=0.3)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.plane.capacity.tolist() == [16 * RATE] * 8
    assert structure.processor.tolist() == [3] * 103 + [0] * 25
    assert times(world, [(0, 31)]) == pytest.approx([LATENCY + MIB / min(rate[0], rate[31])])
    assert times(world, [(0, 32)]) == pytest.approx([LATENCY + 2 * HOP + MIB / min(rate[0], rate[32])])
    assert times(world, [(103, 127)]) == pytest.approx([LATENCY + 0.32e-6 + MIB / min(rate[103], rate[127])])
    across = times(world, [(host, 32 + host) for host in range(32)])
    assert across == pytest.approx([LATENCY + 2 * HOP + 2 * once] * 32)


def test_twenty_hosts_have_as_many_uplinks_and_each_message_may_take_another_one() -> None:
    structure = built("200 Gbit/s, 1:1 re-hashed, far socket, last third newer", 80)  # 4 leaves of 20
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [20] * 4
    assert structure.processor.tolist() == [3] * 54 + [4] * 26
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.14e-6 + once])
    assert times(world, [(108, 110)]) == pytest.approx([near + once])
    assert times(world, [(108, 111)]) == pytest.approx([near + 0.27e-6 + once / 0.97])
    assert times(world, [(0, 108)]) == pytest.approx([near + 2 * HOP + 0.07e-6 + once])
    assert times(world, [(108, 110), (109, 111)]) == pytest.approx([near + 2 * once, near + 0.54e-6 + 2 * once])
    when = np.arange(100)
    up = plane.path(np.zeros_like(when), np.full_like(when, 20), when)[0][:, 0]
    assert (np.diff(up) != 0).sum() >= 85
    across = times(world, [(2 * host, 40 + 2 * host) for host in range(20)])
    assert max(across) >= near + 2 * HOP + 0.14e-6 + 2 * once  # some meet by chance
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / (0.9 * 20e9)])
    assert times(world, [(108, 109)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_a_job_begins_with_the_second_leaf_of_a_cell() -> None:
    structure = built("4 ranks, dragonfly+, job begins with half a cell", 128)  # 64 hosts, cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.24e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert (plane.groups, plane.each) == (8, 8)
    assert np.bincount(structure.group).tolist() == [8, 16, 16, 16, 8]
    assert plane.leaf[:24].tolist() == [1] * 8 + [2] * 8 + [3] * 8
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.26e-6 + once / 0.96])
    assert times(world, [(0, 28)]) == pytest.approx([near + once])  # the last one of the half cell
    assert times(world, [(32, 64)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of a cell
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    assert_detours(plane, 8, 0.3 * 6 / 8)


def test_the_group_of_one_cabinet_has_half_of_the_hosts_and_of_the_cables() -> None:
    structure = built("dragonfly, last group half as large with half of the cables", 64)
    once, near = MIB / (0.8 * RATE), LATENCY + 0.4e-6
    plane = structure.plane
    assert isinstance(plane, Bundles)
    assert np.bincount(structure.group).tolist() == [19, 18, 18, 9]
    cables = np.round(plane.capacity / RATE).reshape(4, 4)
    assert cables[0].tolist() == [2, 2, 2, 1]
    assert cables[3, :3].tolist() == [1, 1, 1]
    assert structure.processor.tolist() == [0] * 55 + [2] * 9
    direct = replace(structure, plane=Bundles(plane.group, cables.astype(np.int64), 0.0, RATE))
    world = World(direct, kernel=ONE_WAY)
    assert times(world, [(0, 18)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(55, 63)]) == pytest.approx([near + once])
    assert times(world, [(0, 19)]) == pytest.approx([near + 2 * HOP + 0.2e-6 + once])
    four = times(world, [(host, 19 + host) for host in range(4)])
    assert four == pytest.approx([near + 2 * HOP + 0.2e-6 + 2 * MIB / RATE] * 4)
    four = times(world, [(host, 55 + host) for host in range(4)])
    assert four == pytest.approx([near + 2 * HOP + 0.1e-6 + 4 * MIB / RATE] * 4)
    when = np.arange(2000)
    latency = plane.path(np.zeros_like(when), np.full_like(when, 19), when)[1]
    detours = latency > LATENCY + 3 * HOP
    assert latency[detours] == pytest.approx(LATENCY + 4.5 * HOP)
    assert detours.mean() == pytest.approx(0.35 * 2 / 4, abs=0.03)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_hosts_have_a_port_for_their_row_and_one_for_their_column_and_pass_on_messages_at_a_turn() -> None:
    structure = built("hyper-crossbar of hosts with 4 coprocessors", 128)  # 8 x 8 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 5e-6, MIB / (0.545 * RATE)
    plane = structure.plane
    assert isinstance(plane, HyperCrossbar)
    assert (plane.columns, structure.hosts) == (8, 64)
    for other in (1, 7, 8, 56):  # of its row and of its column
        assert times(world, [(0, 4 * other)]) == pytest.approx([near + once])
    passed = near + HOP + 1.5e-6
    assert times(world, [(0, 36)]) == pytest.approx([passed + once])  # to host 9 by host 1
    assert times(world, [(0, 4), (1, 8)]) == pytest.approx([near + 2 * once] * 2)  # one port
    assert times(world, [(0, 4), (1, 32)]) == pytest.approx([near + 2 * MIB / RATE] * 2)  # two ports, one PCIe link
    assert times(world, [(0, 36), (5, 68)]) == pytest.approx([passed + 2 * once, near + 2 * once])  # host 1 to host 17
    assert times(world, [(0, 36), (5, 8)]) == pytest.approx([passed + once, near + once])  # host 1 along the row
    there, back = plane.path(np.array([0, 9]), np.array([9, 0]), np.zeros(2, np.int64))[0].tolist()
    assert there == [0, 4 * 1 + 1, 4 * 1 + 2, 4 * 9 + 3]
    assert back == [4 * 9, 4 * 8 + 1, 4 * 8 + 2, 3]  # by host 8
    assert times(world, [(0, 3)]) == pytest.approx([4e-6 + MIB / 6.5e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_four_tiles_share_an_adapter_and_the_tiles_of_the_second_gpu_are_further() -> None:
    structure = built("8 tiles on 2 adapters, 3:2 by receiver", 128)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [10] * 4
    assert times(world, [(0, 8)]) == times(world, [(1, 9)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + once])  # the other adapter: the same leaf
    assert times(world, [(2, 10)]) == pytest.approx([near + 0.2e-6 + once / 0.92])
    assert times(world, [(0, 8), (3, 11)]) == pytest.approx([near + 2 * once, near + 0.2e-6 + 2 * once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    across = times(world, [(8 * host, 64 + 8 * host) for host in range(8)])  # the first adapters: even uplinks
    assert across == pytest.approx([near + 2 * HOP + part * once for part in (2, 2, 2, 1, 1, 2, 2, 2)])
    assert times(world, [(0, 1)]) == pytest.approx([0.9e-6 + MIB / 190e9])
    assert times(world, [(1, 7)]) == pytest.approx([1.7e-6 + MIB / 25e9])


def test_odd_and_even_rails_of_a_rack_have_a_leaf_each() -> None:
    structure = built("4 GPUs on 4 rails, odd and even on two leaves, 3:2 adaptive", 128)  # 64 hosts, racks of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [10] * 8
    assert structure.groups[15:17].tolist() == [[0, 4, 0, 4], [1, 5, 1, 5]]
    assert times(world, [(0, 4)]) == times(world, [(0, 6)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 2 * HOP + once])  # by a spine
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(rank, 4 + rank) for rank in range(4)]) == pytest.approx([near + once] * 4)
    one = times(world, [(4 * host, 64 + 4 * host) for host in range(16)])
    assert one == pytest.approx([near + 2 * HOP + once] * 16)
    both = times(world, [(rank, 64 + rank) for rank in range(0, 64, 2)])  # 32 adapters of 200, 10 uplinks of 400
    assert both == pytest.approx([near + 2 * HOP + 1.6 * once] * 32)
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 130e9])


def test_thirty_two_adapters_of_a_rack_have_eight_uplinks_drawn_at_random() -> None:
    structure = built("8 GPUs on 4 adapters, 4:1, uplinks drawn at random", 128)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, ScatteredPorts)
    assert plane.uplinks.tolist() == [8] * 4
    assert times(world, [(0, 8)]) == times(world, [(0, 15)]) == pytest.approx([near + once])
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    frm, to = np.arange(32), np.arange(32, 64)
    up = plane.path(frm, to, np.zeros_like(frm))[0][:, 0]
    assert (up == plane.path(np.full_like(frm, 31), to, np.full_like(frm, 1000))[0][:, 0]).all()  # whoever sends
    most = int(np.bincount(up).max())
    assert most > 4
    across = times(world, [(rank, 64 + rank) for rank in range(0, 64, 2)])
    assert max(across) == pytest.approx(near + 2 * HOP + most * once)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 230e9])


def test_every_third_chassis_of_four_hosts_is_older() -> None:
    structure = built("iWARP of 40 Gbit/s on one switch, every third chassis older", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 4.4e-6, MIB / (0.4 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert structure.processor[:16].tolist() == [0] * 4 + [2] * 4 + [0] * 8
    assert times(world, [(0, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(4, 16)]) == pytest.approx([near + 0.8e-6 + once])  # chassis 1 and 4
    assert times(world, [(8, 12)]) == pytest.approx([near + once])
    assert times(world, [(host, 24 + host) for host in range(4)]) == pytest.approx([near + once] * 4)
    assert world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1] == ("40 Gb/sec (4X QDR)",) * 64


def test_six_cables_to_the_core_serve_twenty_hosts_whose_second_node_has_the_adapter() -> None:
    name = "10:3 to one core, 4 NUMA nodes, adapter on the second"
    structure = built(name, 160)  # 80 hosts, leaves of 20
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, OneCore)
    assert plane.uplinks.tolist() == [6] * 4
    smaller = built(name, 32).plane
    assert isinstance(smaller, OneCore)
    assert smaller.uplinks.tolist() == [1] * 4
    assert times(world, [(1, 5)]) == pytest.approx([near + once])
    assert times(world, [(1, 4)]) == pytest.approx([near + 0.06e-6 + once])
    for node in (2, 3):
        assert times(world, [(1, 4 + node)]) == pytest.approx([near + 0.3e-6 + once / 0.92])
    assert times(world, [(1, 81)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(4 * host + 1, 80 + 4 * host + 1) for host in range(20)])
    shared = [4 if receiver % 6 in (2, 3) else 3 for receiver in range(20, 40)]  # 20 receivers dealt out to 6 cables
    assert across == pytest.approx([near + 2 * HOP + part * once for part in shared])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])


def test_tables_of_nine_to_four_change_and_the_second_socket_has_the_omni_path_adapter() -> None:
    structure = built("Omni-Path 9:4, tables that change, adapter on the second socket", 72)  # 4 leaves of 18
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.7e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Tables)
    assert plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == 2.25
    assert times(world, [(1, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.2e-6 + once / 0.95])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.4e-6 + once / 0.95])
    assert times(world, [(1, 3), (0, 2)]) == pytest.approx([near + 2 * once, near + 0.4e-6 + 2 * once])
    assert times(world, [(1, 37)]) == pytest.approx([near + 2 * HOP + once])
    when = np.arange(320)
    first, second = (plane.path(np.full_like(when, frm), np.full_like(when, 18), when)[0] for frm in (0, 1))
    assert (first == second).all()  # an entry is for all senders of a leaf
    moves = np.flatnonzero(np.diff(first[:, 0]))
    assert 10 <= len(moves) <= 20
    assert not (np.diff(moves) % 16).any()
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_the_second_host_of_each_tray_is_warmer_and_two_uplinks_serve_fourteen_hosts() -> None:
    name = "200 Gbit/s, 7:2 adaptive, second host of each tray warmer"
    structure = built(name, 56)  # 4 leaves of 14
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == 3.5
    smaller = built(name, 32).plane
    assert isinstance(smaller, FatTree)
    assert smaller.uplinks.tolist() == [1] * 4
    assert set(structure.processor.tolist()) == {4}
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 1)]) == pytest.approx([near + 0.1e-6 + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 14)]) == pytest.approx([near + 2 * HOP + once])
    across = [(host, 14 + host) for host in range(14)]
    assert times(world, across) == pytest.approx(
        [near + 2 * HOP + 3.5 * once, near + 2 * HOP + 0.2e-6 + 3.5 * once] * 7
    )
    assert times(world, across[:8:2]) == pytest.approx([near + 2 * HOP + once] * 4)


def test_two_uplinks_of_40_gbits_serve_24_hosts_and_the_last_rack_goes_by_the_kernel() -> None:
    structure = built("10 Gbit/s, 3:1 static, kernel bypass in the first racks", 96)  # 4 racks of 24
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (0.1 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(3)
    assert times(world, [(0, 23)]) == pytest.approx([near + once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 72)]) == pytest.approx([near + 3.5e-6 + 2 * HOP + once])
    assert times(world, [(72, 95)]) == pytest.approx([near + 7e-6 + once])
    frm, to = np.arange(24), np.arange(24, 48)
    first, later = (plane.path(frm, to, np.full_like(frm, when))[0] for when in (0, 1000))
    assert (first == later).all()
    by_uplink = np.bincount(first[:, 0], minlength=2)  # each is as wide as four hosts
    expected = [near + 2 * HOP + max(1, by_uplink[uplink] / 4) * once for uplink in first[:, 0]]
    assert times(world, list(zip(frm.tolist(), to.tolist(), strict=True))) == pytest.approx(expected)
    assert max(expected) >= near + 2 * HOP + 3 * once


def test_seven_uplinks_serve_twelve_hosts_of_eight_ranks() -> None:
    structure = built("100 Gbit/s, 12:7 dealt out, 8 ranks on two sockets", 192)  # 48 hosts, leaves of 12
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [7] * 4
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(3, 11)]) == pytest.approx([near + once])
    assert times(world, [(4, 8)]) == pytest.approx([near + 0.22e-6 + once / 0.94])
    assert times(world, [(7, 12)]) == pytest.approx([near + 0.44e-6 + once / 0.94])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    across = times(world, [(8 * host, 96 + 8 * host) for host in range(12)])
    shared = [2] * 5 + [1, 1] + [2] * 5  # the last five receivers have the uplinks of the first five
    assert across == pytest.approx([near + 2 * HOP + part * once for part in shared])
    assert times(world, [(0, 3)]) == pytest.approx([INSIDE_LATENCY + MIB / 20e9])
    assert times(world, [(0, 4)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_blocks_of_eight_hosts_are_in_turns_in_four_groups_of_a_dragonfly() -> None:
    name = "routes by load, blocks of hosts in turns over four groups"
    structure = built(name, 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (9, 4)
    assert (plane.capacity == 2 * RATE).all()
    assert structure.group.tolist() == np.tile(np.repeat([0, 1, 2, 3], 8), 2).tolist()
    assert plane.switch.tolist() == [0] * 32 + [1] * 32
    assert times(world, [(0, 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + once])  # the other switch of the group
    apart = times(world, [(0, 8)])[0] - once - near - 4 * CABLE
    assert round(apart / HOP, 6) in (1, 2, 3)
    hosts = np.arange(8)
    ways = plane.path(hosts, hosts + 8, np.zeros_like(hosts))[0]
    assert (ways[:, 0] != NONE).all()
    assert 1 <= (ways[:, 1] != NONE).sum() <= 4  # four of eight messages go directly
    assert built(name, 8).group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_job_begins_within_a_cell_and_pcie_is_narrower_than_its_adapters() -> None:
    structure = built("dragonfly+ of 200 Gbit/s, PCIe 3, job begins within a cell", 64)  # cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (1.1 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert plane.groups == 6
    assert np.bincount(structure.group).tolist() == [8, 16, 16, 16, 8]
    assert plane.leaf.tolist() == np.repeat(np.arange(1, 9), 8).tolist()
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + once / 0.96])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once, near + 0.5e-6 + 2 * once])
    assert times(world, [(16, 32)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the second cell
    assert_detours(plane, 8, 0.15 * 4 / 6, steps=2000, within=0.03)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_hosts_of_one_socket_are_on_a_grid_of_switches() -> None:
    structure = built("HyperX, one socket of 4 NUMA nodes, adapter on the third", 128)  # 64 hosts, 2 x 4 switches
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, HyperX)
    assert (plane.switches, plane.columns) == (8, 4)
    assert (plane.capacity == 4 * RATE).all()
    assert times(world, [(2, 6)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.05e-6 + once])
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.1e-6 + once])
    assert times(world, [(2, 34)]) == pytest.approx([near + HOP + once])  # the next switch of the row
    assert times(world, [(2, 130)]) == pytest.approx([near + HOP + once])  # the other one of the column
    assert times(world, [(2, 162)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(4 * host + 2, 34 + 4 * host) for host in range(8)])
    assert across == pytest.approx([near + HOP + 2 * once] * 8)
    when = np.arange(100)
    by = plane.path(np.zeros_like(when), np.full_like(when, 40), when)[0][:, 0]
    assert set(by.tolist()) == {1, 4}  # along the row first, or along the column
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 14e9])
    assert set(world.results.ranks.numa.tolist()) == {0}


def test_messages_of_four_rails_take_the_uplink_with_the_least_load_six_to_five() -> None:
    structure = built("flowlets, 8 GPUs on 4 rails, 6:5", 96)  # 24 hosts, pods of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, Flowlets)
    assert structure.plane.uplinks.tolist() == [5] * 16
    assert structure.oversubscription == pytest.approx(6 / 5)
    assert structure.groups[5:7].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + once])  # the other GPU of the adapter
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    across = sorted(times(world, [(8 * host, 48 + 8 * host) for host in range(6)]))
    assert across == pytest.approx([near + 2 * HOP + part * once for part in (1, 1, 1, 1, 2, 2)])
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 180e9])


def test_gpus_joined_each_with_each_have_three_uplinks_of_800_gbits_for_a_rail() -> None:
    name = "rail-optimized, 8 rails, GPUs joined each with each, 4:3 static"
    structure = built(name, 128)  # 32 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [3] * 32
    assert structure.oversubscription == pytest.approx(4 / 3)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(4, 12)]) == pytest.approx([near + 0.3e-6 + once])  # the second socket
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.15e-6 + 2 * HOP + once])  # another rail
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    pairs = [(8 * host, 64 + 8 * host) for host in range(8)]
    adapters, to = np.arange(0, 64, 8), np.arange(64, 128, 8)
    first, later = (plane.path(adapters, to, np.full_like(to, when))[0] for when in (0, 1000))
    assert (first == later).all()
    most = int(np.bincount(first[:, 0]).max())  # an uplink is as wide as two adapters
    assert most >= 3
    assert max(times(world, pairs)) == pytest.approx(near + 2 * HOP + most / 2 * once)
    for other in range(1, 8):
        assert times(world, [(0, other)]) == pytest.approx([1.5e-6 + MIB / 48e9])


@pytest.mark.parametrize("seed", range(3))
def test_machines_have_a_port_of_each_adapter_on_either_leaf_of_their_rack(seed: int) -> None:
    name = "virtual machines of 8 GPUs, two ports of each adapter on two leaves"
    structure = built(name, 96, seed)  # 24 machines, 4 racks of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.8e-6, MIB / RATE
    plane, rack = structure.plane, structure.group
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [8] * 8
    assert np.bincount(plane.group).tolist() == [12] * 8
    assert np.bincount(rack).tolist() == [6] * 4
    assert (np.diff(rack) < 0).any()
    assert structure.groups.tolist() == [[of, 4 + of] * 2 for of in rack.tolist()]
    for other in range(1, 24):
        further = 2 * HOP * bool(rack[other] != rack[0])
        assert times(world, [(0, 8 * other)]) == pytest.approx([near + further + once])
        assert times(world, [(0, 8 * other + 5)]) == pytest.approx([near + further + once])  # the other adapter
        assert times(world, [(0, 8 * other + 2)]) == pytest.approx([near + 2 * HOP + once])  # the other port
        assert times(world, [(0, 8 * other), (1, 8 * other + 1)]) == pytest.approx([near + further + 2 * once] * 2)
    one, two = (np.flatnonzero(rack == number).tolist() for number in (0, 1))
    across = [(8 * a + gpu, 8 * b + gpu) for a, b in zip(one, two, strict=True) for gpu in (0, 4)]
    ports = np.array(across) // 2
    ways = plane.path(ports[:, 0], ports[:, 1], np.zeros(12, np.int64))[0]
    shared = np.bincount(ways[:, 0])[ways[:, 0]]
    assert times(world, across) == pytest.approx([near + 2 * HOP + part * once for part in shared])
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 240e9])


def test_two_of_four_dies_reach_memory_by_another_die() -> None:
    structure = built("one switch of 100 Gbit/s, 4 dies of which two have no memory", 64)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, OneSwitch)
    assert structure.hosts == 32
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.1e-6 + once / 0.96])
    for die in (1, 3):
        assert times(world, [(0, 4 + die)]) == pytest.approx([near + 0.16e-6 + once / 0.8])
        assert times(world, [(2, 4 + die)]) == pytest.approx([near + 0.26e-6 + once / 0.8])
        assert times(world, [(0, die)]) == pytest.approx([INSIDE_LATENCY + 0.15e-6 + MIB / 8e9])
    assert times(world, [(1, 3)]) == pytest.approx([INSIDE_LATENCY + 0.15e-6 + MIB / 8e9])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.1e-6 + MIB / 16e9])
    assert times(world, [(0, 4), (2, 8)]) == pytest.approx([near + 2 * once, near + 0.1e-6 + 2 * once])
    assert not np.asarray(world.results.ranks.numa).any()


@pytest.mark.parametrize("seed", range(3))
def test_reserved_hosts_of_racks_with_an_uplink_for_seven_are_in_no_order(seed: int) -> None:
    name = "10 Gbit/s, reserved hosts in no order, LAGs 7:4 to one core"
    structure = built(name, 168, seed)  # racks of 42
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, MIB / (0.1 * RATE)
    plane, rack = structure.plane, structure.group
    assert isinstance(plane, LagCore)
    assert np.bincount(rack).tolist() == [42] * 4
    assert (np.diff(rack) < 0).any()
    assert plane.uplinks.tolist() == [6] * 4
    assert structure.oversubscription == pytest.approx(7 / 4)
    small = built(name, 64, seed).plane  # racks of 16
    assert isinstance(small, FatTree)
    assert small.uplinks.tolist() == [3] * 4
    for other in range(1, 168):
        assert times(world, [(0, other)]) == pytest.approx([near + 2 * HOP * bool(rack[other] != rack[0]) + once])
    one, two = (np.flatnonzero(rack == number) for number in (0, 1))
    ways = plane.path(one, two, np.zeros_like(one))[0]
    assert (ways == plane.path(one, two, np.full_like(one, 500))[0]).all()
    assert (ways[:, 0] != ways[:, 1] - plane.ways - 6).any()  # leaf and core choose by themselves
    most = int(np.bincount(ways.ravel()).max())  # messages by one cable, which is as wide as four hosts
    across = times(world, [(int(a), int(b)) for a, b in zip(one, two, strict=True)])
    assert most > 7
    assert max(across) * (1 + 1e-9) >= near + 2 * HOP + most / 4 * once


def test_three_hosts_have_an_uplink_of_200_and_the_last_ones_gpus() -> None:
    name = "3:2 by receiver to uplinks of 200 Gbit/s, 4 ranks, GPU hosts last"
    structure = built(name, 144)  # 72 hosts, leaves of 18
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [6] * 4
    assert structure.oversubscription == pytest.approx(3 / 2)
    assert structure.processor.tolist() == [3] * 63 + [0] * 9
    assert np.bincount(built(name, 64).group).tolist() == [6] * 5 + [2]
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 0.25e-6 + once / 0.95])
    assert times(world, [(252, 256)]) == pytest.approx([LATENCY + 0.2e-6 + once])
    assert times(world, [(0, 252)]) == pytest.approx([LATENCY + 2 * HOP + 0.1e-6 + once])
    across = [(4 * host, 72 + 4 * host) for host in range(18)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 1.5 * once] * 18)
    assert times(world, across[:6]) == pytest.approx([LATENCY + 2 * HOP + once] * 6)
    assert times(world, across[:13:6]) == pytest.approx([LATENCY + 2 * HOP + 1.5 * once] * 3)  # the same uplink
    assert times(world, across[:7:6]) == pytest.approx([LATENCY + 2 * HOP + once] * 2)


def test_eight_uplinks_of_200_serve_36_hosts_of_100() -> None:
    name = "9:4 adaptive to uplinks of 200 Gbit/s, far socket"
    structure = built(name, 144)  # leaves of 36
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.2e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(9 / 4)
    assert built(name, 64).oversubscription == built(name, 16).oversubscription == 2
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.28e-6 + once / 0.94])
    assert times(world, [(0, 72)]) == pytest.approx([near + 2 * HOP + once])
    across = [(2 * host, 72 + 2 * host) for host in range(36)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 9 / 4 * once] * 36)
    assert times(world, across[:16]) == pytest.approx([near + 2 * HOP + once] * 16)


def test_two_virtual_machines_of_a_server_share_25_gbits() -> None:
    name = "virtual machines in pairs on 25 Gbit/s, 2:1 static, tunnels"
    structure = built(name, 128)  # leaves of 32 machines on 16 servers
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.6e-6, MIB / (0.25 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 4
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 3.6e-6 + once])  # inside their adapter
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([near + 0.4e-6 + 2 * once] * 2)
    assert times(world, [(0, 2), (4, 3)]) == pytest.approx([near + 0.4e-6 + 2 * once] * 2)
    assert times(world, [(0, 1), (2, 4)]) == pytest.approx([BESIDE + 3.6e-6 + once, near + 0.4e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.4e-6 + 2 * HOP + once])
    frm, to = np.arange(0, 32, 2), np.arange(32, 64, 2)
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    assert (ways == plane.path(frm, to, np.full_like(frm, 900))[0]).all()
    most = int(np.bincount(ways[:, 0]).max())
    across = times(world, list(zip(frm.tolist(), to.tolist(), strict=True)))
    assert max(across) == pytest.approx(near + 0.4e-6 + 2 * HOP + most / 4 * once)
    small = World(built(name, 32), kernel=ONE_WAY)  # leaves of 4 servers
    across = times(small, [(machine, 8 + machine) for machine in range(0, 8, 2)])
    assert across == pytest.approx([near + 0.4e-6 + 2 * HOP + once] * 4)


def test_hosts_for_analysis_are_last_behind_leaves_of_18_that_do_not_block() -> None:
    structure = built("40 Gbit/s, two levels 1:1 dealt out, analysis hosts last", 144)  # 8 leaves of 18
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (0.4 * RATE)
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert isinstance(plane.lower, DealtOut)
    assert isinstance(plane.upper, DealtOut)
    assert plane.lower.uplinks.tolist() == [18] * 8
    assert plane.upper.uplinks.tolist() == [36] * 4
    assert structure.processor.tolist() == [2] * 126 + [0] * 18
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 18)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 36)]) == pytest.approx([near + 4 * HOP + 3 * CABLE + once])
    assert times(world, [(126, 127)]) == pytest.approx([near + 0.6e-6 + once * 0.4 / 0.26])
    assert times(world, [(108, 126)]) == pytest.approx([near + 2 * HOP + 0.3e-6 + once * 0.4 / 0.26])
    across = [(host, 36 + host) for host in range(36)]
    assert times(world, across) == pytest.approx([near + 4 * HOP + 3 * CABLE + once] * 36)  # nothing blocks
    meet = [(0, 36), (1, 72)]  # the first receivers of two leaves have the same uplink
    assert times(world, meet) == pytest.approx([near + 4 * HOP + 3 * CABLE + 2 * once] * 2)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_two_adapters_of_a_socket_are_on_one_leaf_of_the_rack() -> None:
    name = "4 GPUs on PCIe with 4 adapters, a leaf for each socket, dealt out"
    structure = built(name, 64)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.groups[7:9].tolist() == [[0, 0, 4, 4], [1, 1, 5, 5]]
    assert structure.plane.uplinks.tolist() == [16] * 8
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])  # the other adapter of the socket
    assert times(world, [(0, 6)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once] * 2)
    across = times(world, [(gpu, 32 + gpu) for gpu in range(32)])
    assert across == pytest.approx([near + 2 * HOP + once] * 32)
    assert times(world, [(0, 32), (1, 64)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the same uplink
    assert times(world, [(0, 1)]) == pytest.approx([1.6e-6 + MIB / 10e9])
    assert times(world, [(1, 2)]) == pytest.approx([2.2e-6 + MIB / 7e9])


def test_the_first_and_the_third_of_four_adapters_are_on_one_leaf() -> None:
    structure = built("8 GPUs on 4 adapters in turns on two leaves, 8:5 adaptive", 128)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.groups[7:9].tolist() == [[0, 4, 0, 4], [1, 5, 1, 5]]
    assert structure.plane.uplinks.tolist() == [10] * 8
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + once])  # the third adapter
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # the second one
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    across = [(gpu, 64 + gpu) for host in range(8) for gpu in (8 * host, 8 * host + 4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 1.6 * once] * 16)
    assert times(world, across[:10]) == pytest.approx([near + 2 * HOP + once] * 10)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 230e9])


def test_two_hosts_have_an_uplink_of_800_in_one_of_two_pods() -> None:
    structure = built("rail-optimized, 8 rails, two pods, uplinks of 800 Gbit/s", 128)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.6e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [16] * 2
    assert structure.groups[16].tolist() == [1, 3, 5, 7, 9, 11, 13, 15]
    assert plane.uplinks.tolist() == [8] * 16
    assert structure.oversubscription == 1
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 128)]) == pytest.approx([near + 2 * HOP + once])
    frm = 8 * np.arange(16)  # adapters of the first rail
    ways = plane.path(frm, 128 + frm, np.zeros_like(frm))[0]
    assert (ways == plane.path(frm, 128 + frm, np.full_like(frm, 700))[0]).all()
    most = int(np.bincount(ways[:, 0]).max())
    across = times(world, [(rank, 128 + rank) for rank in frm.tolist()])
    assert most > 2
    assert max(across) == pytest.approx(near + 2 * HOP + most / 2 * once)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_a_job_has_the_second_leaf_of_its_first_cell() -> None:
    structure = built("dragonfly+ of 200 Gbit/s, job begins within a cell", 64)  # cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [8, 16, 16, 16, 8]
    assert plane.leaf.tolist() == [leaf for leaf in range(1, 9) for _ in range(8)]
    assert plane.groups == 8
    assert times(world, [(0, 7)]) == pytest.approx([near + once])
    assert times(world, [(8, 16)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the cell
    assert_detours(plane, 8, 0.3 * 6 / 8)
    assert set(np.bincount(built("dragonfly+ of 200 Gbit/s, job begins within a cell", 8).group)) == {2, 4}


def test_four_hosts_of_a_blade_are_on_four_switches_and_the_second_socket_has_the_adapter() -> None:
    structure = built("100 Gbit/s, routes by load, hosts in turns on four switches", 64)  # groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (6, 4)
    assert (plane.capacity == 2 * RATE).all()
    assert plane.switch.tolist() == [0, 1, 2, 3] * 16
    assert times(world, [(1, 9)]) == pytest.approx([near + once])  # the same switch
    assert times(world, [(1, 3)]) == pytest.approx([near + HOP + once])
    assert times(world, [(1, 8)]) == pytest.approx([near + 0.3e-6 + once / 0.96])
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.6e-6 + once / 0.96])
    hosts = np.arange(16)
    ways = plane.path(hosts, hosts + 16, np.zeros_like(hosts))[0]
    assert (ways[:, 1] == NONE).sum() >= 4
    assert (ways[:, 1] != NONE).sum() >= 4  # only four go directly, or where the third group is an end
    alone = plane.path(np.zeros_like(hosts), np.full_like(hosts, 16), hosts)
    assert (alone[0][:, 1] == NONE).all()
    assert set(np.round((alone[1] - LATENCY - 4 * CABLE) / HOP, 6)) <= {1, 2, 3}
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_six_cables_of_a_torus_share_one_pcie_link() -> None:
    structure = built("torus of 100 Gbit/s, one PCIe link for six cables, far socket", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / 11e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 4, 4)
    for other, hops in ((1, 1), (2, 2), (3, 1), (4, 1), (16, 1), (21, 3), (42, 6)):
        assert times(world, [(0, 2 * other)]) == pytest.approx([near + hops * HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.25e-6 + HOP + MIB / 10e9])
    both = times(world, [(0, 2), (1, 9)])  # two cables, one PCIe link
    assert both == pytest.approx([near + HOP + 2 * MIB / RATE, near + HOP + 0.5e-6 + 2 * MIB / RATE])
    shared = times(world, [(0, 4), (2, 6)])  # both take the cable from host 1 to host 2
    assert shared == pytest.approx([near + 2 * HOP + 2 * once] * 2)


def test_chassis_of_24_blades_have_12_cables_to_one_core_and_larger_memory_in_the_last_slots() -> None:
    structure = built("100 Gbit/s, 2:1 to one core, chassis of 24 blades, large memory in each", 96)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, OneCore)
    assert structure.plane.uplinks.tolist() == [12] * 4
    assert structure.memory.tolist() == ([1.0] * 18 + [0.88] * 6) * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.24e-6 + once / 0.94])
    assert times(world, [(0, 48)]) == pytest.approx([near + 2 * HOP + once])
    across = [(2 * blade, 48 + 2 * blade) for blade in range(24)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 24)
    assert times(world, across[:12]) == pytest.approx([near + 2 * HOP + once] * 12)
    assert times(world, across[:13:12]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the same cable
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    assert times(world, [(36, 37)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / (0.88 * 20e9)])


@pytest.mark.parametrize("seed", range(3))
def test_boards_of_15_cards_have_two_cables_of_ten_times_the_rate(seed: int) -> None:
    structure = built("boards of 15 cards of 1 Gbit/s, LAGs of 10 Gbit/s to one core", 60, seed)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 48e-6
    plane, rate = structure.plane, structure.rate[:, 0]
    assert isinstance(plane, LagCore)
    assert np.bincount(structure.group).tolist() == [15] * 4
    assert plane.uplinks.tolist() == [2] * 4
    assert plane.capacity == pytest.approx(np.full(16, 0.1 * RATE))
    assert np.log(rate / (0.0093 * RATE)).std() == pytest.approx(0.015, rel=0.3)
    assert times(world, [(0, 1)]) == pytest.approx([near + MIB / min(rate[0], rate[1])])
    assert times(world, [(0, 15)]) == pytest.approx([near + 2 * HOP + MIB / min(rate[0], rate[15])])
    assert times(world, [(0, 1), (2, 1)]) == pytest.approx([near + 2 * MIB / rate[1]] * 2)
    cards = np.arange(15)
    ways = plane.path(cards, cards + 15, np.zeros_like(cards))[0]
    assert (ways == plane.path(cards, cards + 15, np.full_like(cards, 900))[0]).all()
    assert set(np.unique(ways)) == {0, 1, 10, 11}
    across = times(world, [(card, 15 + card) for card in range(15)])
    fastest = [near + 2 * HOP + MIB / min(rate[card], rate[15 + card]) for card in range(15)]
    assert max(across) >= max(fastest) * (1 - 1e-9)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"2.5 Gb/sec (1X SDR)"}


def test_44_hosts_have_8_uplinks_of_200_and_the_adapter_on_the_third_numa_node() -> None:
    name = "4 NUMA nodes, 11:4 dealt out to uplinks of 200 Gbit/s, adapter on the third"
    structure = built(name, 352)  # 176 hosts, leaves of 44
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.36e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(11 / 4)
    assert built(name, 32).oversubscription == built(name, 64).oversubscription == 2
    assert times(world, [(2, 6)]) == pytest.approx([near + once])
    assert times(world, [(2, 7)]) == pytest.approx([near + 0.06e-6 + once])
    for node in (4, 5):
        assert times(world, [(2, node)]) == pytest.approx([near + 0.3e-6 + once / 0.93])
    assert times(world, [(2, 178)]) == pytest.approx([near + 2 * HOP + once])
    across = [(2 + 4 * host, 178 + 4 * host) for host in range(44)]
    assert times(world, across[:16]) == pytest.approx([near + 2 * HOP + once] * 16)  # two on each uplink
    of_uplink = [6 if host % 8 < 4 else 5 for host in range(44)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + count / 2 * once for count in of_uplink])
    assert times(world, across[:24:8]) == pytest.approx([near + 2 * HOP + 1.5 * once] * 3)  # the same uplink
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])


def test_16_hosts_of_56_gbits_have_10_uplinks_and_vary_a_little() -> None:
    structure = built("56 Gbit/s, 8:5 by receiver, clocks that vary", 64)
    world, near, rate = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, structure.rate[:, 0]
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [10] * 4
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert structure.oversubscription == pytest.approx(8 / 5, rel=0.01)
    assert np.log(rate / (0.545 * RATE)).std() == pytest.approx(0.007, rel=0.3)
    assert times(world, [(0, 1)]) == pytest.approx([near + MIB / min(rate[0], rate[1])])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + MIB / min(rate[0], rate[16], 0.545 * RATE)])
    shared = times(world, [(0, 16), (1, 26)])  # receivers 16 and 26 have the same one of 10 uplinks
    assert shared == pytest.approx([near + 2 * HOP + 2 * MIB / (0.545 * RATE)] * 2)
    apart = times(world, [(0, 16), (1, 17)])
    assert apart == pytest.approx(
        [near + 2 * HOP + MIB / min(rate[host], rate[16 + host], 0.545 * RATE) for host in range(2)]
    )
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_24_hosts_of_200_gbits_have_9_adaptive_uplinks_and_become_slower() -> None:
    name = "200 Gbit/s, 8:3 adaptive, water that becomes warmer"
    structure = built(name, 96)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [9] * 4
    assert structure.oversubscription == pytest.approx(8 / 3)
    assert built(name, 16).oversubscription == 4
    assert structure.drift == 0.015
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    across = [(host, 24 + host) for host in range(24)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 8 / 3 * once] * 24)
    assert times(world, across[:9]) == pytest.approx([near + 2 * HOP + once] * 9)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


@pytest.mark.parametrize("seed", range(3))
def test_two_machines_of_a_server_get_up_to_60_gbits_each_of_100(seed: int) -> None:
    structure = built("virtual machines in pairs, up to 60 of 100 Gbit/s each, 8:3 re-hashed", 128, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.7e-6, MIB / RATE
    plane, leaf = structure.plane, structure.group
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [6] * 4
    assert np.bincount(leaf).tolist() == [32] * 4
    assert (leaf[::2] == leaf[1::2]).all()
    assert (np.diff(leaf) < 0).any()
    alone = once / 0.6
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 3.4e-6 + alone])
    own, other = (np.flatnonzero(leaf == number).tolist() for number in (0, 1))
    assert times(world, [(own[0], own[2])]) == pytest.approx([near + alone])
    assert times(world, [(own[0], other[0])]) == pytest.approx([near + 2 * HOP + alone])
    assert times(world, [(own[0], own[2]), (own[1], own[4])]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(own[0], own[4]), (own[2], own[5])]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(own[0], own[1]), (own[2], own[4])]) == pytest.approx([BESIDE + 3.4e-6 + alone, near + alone])
    when = np.arange(200)
    ways = plane.path(np.full_like(when, own[0]), np.full_like(when, other[0]), when)[0]
    assert len(np.unique(ways[:, 0])) == 6
    assert (np.diff(ways[:, 0]) != 0).mean() == pytest.approx(5 / 6, abs=0.1)


def test_eight_hosts_have_a_switch_for_each_of_four_rails() -> None:
    name = "4 accelerated processors, a switch for each rail of eight hosts, routes by load"
    structure = built(name, 128)  # 64 hosts, groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (5, 16)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert plane.switch.reshape(64, 4)[[0, 7, 8, 16]].tolist() == [[0, 1, 2, 3]] * 2 + [[4, 5, 6, 7], [0, 1, 2, 3]]
    assert times(world, [(0, 28)]) == pytest.approx([near + once])  # the eighth host, the same rail
    assert times(world, [(0, 29)]) == pytest.approx([near + HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + once])  # the ninth host
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 4), (8, 4)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 3)]) == pytest.approx([1.2e-6 + MIB / 96e9])
    adapters = np.arange(64)
    ways = plane.path(adapters, adapters + 64, np.zeros_like(adapters))[0]
    direct = ways[:, 1] == NONE
    assert len(np.unique(ways[direct, 0])) >= 16
    assert 16 <= direct.sum() < 64
    when = np.arange(100)
    alone = plane.path(np.zeros_like(when), np.full_like(when, 64), when)
    assert (alone[0][:, 1] == NONE).all()
    assert set(np.round((alone[1] - LATENCY - 4 * CABLE) / HOP, 6)) <= {1, 2, 3}


def test_a_job_leaves_out_the_first_quarter_of_each_cell() -> None:
    name = "dragonfly+ of 100 Gbit/s, first quarter of each cell left out, far socket"
    structure = built(name, 96)  # 18 of the 24 hosts of a cell
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [18] * 5 + [6]
    assert plane.leaf[:18].tolist() == [0] * 6 + [1] * 12
    assert plane.groups == 9
    assert times(world, [(0, 10)]) == pytest.approx([near + once])
    assert times(world, [(0, 11)]) == pytest.approx([near + 0.3e-6 + once / 0.95])
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the cell
    assert_detours(plane, 18, 0.2 * 7 / 9)
    assert np.bincount(built(name, 8).group).tolist() == [6, 2]


def test_two_gpus_share_the_adapter_of_a_torus_and_the_second_is_behind_the_other_hub() -> None:
    structure = built("torus of 2 GPUs in each host, links of 34 Gbit/s", 64)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 5.8e-6
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 4, 4)
    assert (structure.plane.capacity == 2.2e9).all()
    for other, hops in ((1, 1), (2, 2), (3, 1), (16, 1), (21, 3), (42, 6)):
        assert times(world, [(0, 2 * other)]) == pytest.approx([near + hops * HOP + MIB / 1.5e9])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.7e-6 + HOP + MIB / 1.1e9])
    assert times(world, [(1, 3)]) == pytest.approx([near + 1.4e-6 + HOP + MIB / 1.1e9])
    both = times(world, [(0, 2), (1, 3)])  # one cable for both
    assert both == pytest.approx([near + HOP + MIB / 1.1e9, near + HOP + 1.4e-6 + MIB / 1.1e9])
    three = times(world, [(0, 4), (2, 6), (3, 7)])  # by the cable from host 1 to host 2; two of them to host 3
    assert three[0] == pytest.approx(near + 2 * HOP + 3 * MIB / 2.2e9)
    assert three[1] == pytest.approx(near + 2 * HOP + 3 * MIB / 2.2e9)
    assert times(world, [(0, 2), (1, 9)])[0] == pytest.approx(near + HOP + MIB / 1.5e9)  # two cables: the rest of PCIe
    into = times(world, [(2, 0), (6, 1), (8, 0)])  # three cables, one adapter
    assert into[0] == pytest.approx(near + HOP + 3 * MIB / 2.8e9)
    assert times(world, [(0, 1)]) == pytest.approx([8e-6 + MIB / 2.5e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_the_last_of_four_units_has_one_host_fewer_and_other_rails_are_reached_by_nvlink() -> None:
    name = "8 relayed rails of 400 Gbit/s, 1:1 adaptive, last unit one host fewer"
    structure = built(name, 128)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert np.bincount(structure.group).tolist() == [8, 8, 8, 7]
    assert np.bincount(built(name, 256).group).tolist() == [16, 16, 16, 15]
    assert np.bincount(built(name, 8).group).tolist() == [2] * 4
    assert structure.plane.uplinks.tolist() == [8, 8, 8, 7] * 8
    assert structure.groups[8].tolist() == [1, 5, 9, 13, 17, 21, 25, 29]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.9e-6 + once])  # by the second rail, on one leaf
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 9), (1, 17)]) == pytest.approx([near + 0.9e-6 + 2 * once, near + 2 * once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + once] * 2)
    across = times(world, [(8 * host, 64 + 8 * host) for host in range(8)])
    assert across == pytest.approx([near + 2 * HOP + once] * 8)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 360e9])


def test_four_gpus_of_a_socket_share_an_adapter_behind_the_first_pcie_switch() -> None:
    name = "8 GPUs on 2 adapters, a leaf for each, 4:3 dealt out, second PCIe switch further"
    structure = built(name, 128)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [6] * 8
    assert structure.groups[7:9].tolist() == [[0, 4], [1, 5]]
    assert structure.oversubscription == pytest.approx(4 / 3)
    assert built(name, 32).oversubscription == 2
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 10)]) == pytest.approx([near + 0.2e-6 + once / 0.8])
    assert times(world, [(4, 12)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])  # the other adapter: by a spine
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8), (1, 16)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    across = times(world, [(8 * host, 64 + 8 * host) for host in range(8)])  # the last two share with the first two
    assert across == pytest.approx([near + 2 * HOP + part * once for part in (2, 2, 1, 1, 1, 1, 2, 2)])
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 235e9])


def test_two_chassis_of_nine_blades_have_a_leaf_for_each_of_two_rails() -> None:
    structure = built("2 GPUs on 2 adapters of 40 Gbit/s, a leaf for each rail of two chassis", 72)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 6.4e-6, MIB / (0.26 * RATE)
    plane = structure.plane
    assert isinstance(plane, DealtOut)
    assert structure.groups[17:19].tolist() == [[0, 4], [1, 5]]
    assert plane.uplinks.tolist() == [18] * 8
    assert plane.capacity == pytest.approx(np.full(288, 0.32 * RATE))
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 2 * HOP + once])  # the other rail: by a spine
    assert times(world, [(0, 36)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    across = times(world, [(rank, 36 + rank) for rank in range(36)])
    assert across == pytest.approx([near + 2 * HOP + once] * 36)  # nothing blocks
    same = times(world, [(0, 36), (2, 72)])  # the first blades of two leaves have the same uplink
    assert same == pytest.approx([near + 2 * HOP + 2 * MIB / (0.32 * RATE)] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([9e-6 + MIB / 4.2e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_clusters_on_die_share_an_adapter_on_the_last_one_and_a_director_switch() -> None:
    name = "director switch of 100 Gbit/s, 4 clusters on die, adapter on the last"
    structure = built(name, 144)  # 72 hosts on 9 line boards
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.2e-6, MIB / RATE
    assert isinstance(structure.plane, Director)
    assert np.bincount(structure.group).tolist() == [8] * 9
    assert times(world, [(3, 39)]) == pytest.approx([near + once])  # the next host of the same board
    assert times(world, [(3, 7)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(2, 39)]) == pytest.approx([near + 0.06e-6 + once])
    for far in (0, 1):
        assert times(world, [(far, 39)]) == pytest.approx([near + 0.3e-6 + once / 0.93])
    assert times(world, [(3, 39), (2, 43)]) == pytest.approx([near + 2 * once, near + 0.06e-6 + 2 * HOP + 2 * once])
    across = [(36 * place + 3, 36 * place + 7) for place in range(8)]  # from all hosts of a board to another one
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 8)
    assert times(world, [(3, 7), (39, 11)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the same board within
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_gpu_hosts_are_on_the_core_to_which_lags_lead() -> None:
    structure = built("25 Gbit/s on LAGs of 100, GPU hosts of 100 on the core itself", 64)  # 56 hosts in 4 racks
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 9e-6, MIB / (0.25 * RATE)
    plane = structure.plane
    assert isinstance(plane, LagHostsOnCore)
    assert np.bincount(structure.group).tolist() == [14] * 4 + [8]
    assert plane.uplinks[:4].tolist() == [2] * 4
    assert np.bincount(built("25 Gbit/s on LAGs of 100, GPU hosts of 100 on the core itself", 8).group).tolist() == [
        3,
        3,
        2,
    ]
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 14)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 56)]) == pytest.approx([near + HOP + once])
    assert times(world, [(56, 63)]) == pytest.approx([near + MIB / RATE])
    frm, to = np.arange(8), np.arange(56, 64)
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    assert (ways[:, 1] == NONE).all()
    by_cable = np.bincount(ways[:, 0])[ways[:, 0]]  # a cable is as wide as four hosts
    up = times(world, list(zip(frm.tolist(), to.tolist(), strict=True)))
    assert up == pytest.approx([near + HOP + max(1, count / 4) * once for count in by_cable])
    frm, to = np.arange(14), np.arange(14, 28)
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    assert (ways == plane.path(frm, to, np.full_like(frm, 600))[0]).all()
    assert (ways[:, 0] != ways[:, 1] - plane.ways - 2).any()  # leaf and core choose by themselves
    most = int(np.bincount(ways.ravel()).max())
    assert most >= 7
    across = times(world, list(zip(frm.tolist(), to.tolist(), strict=True)))
    assert max(across) * (1 + 1e-9) >= near + 2 * HOP + most / 4 * once


def test_every_third_rack_is_replaced_and_keeps_four_uplinks() -> None:
    structure = built("40 Gbit/s, 12:5 static, every third rack replaced by 100 Gbit/s", 192)  # 8 racks of 24
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 8e-6, MIB / (0.4 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 8
    assert structure.oversubscription == pytest.approx(12 / 5)
    assert np.flatnonzero(structure.rate[:, 0] == RATE).tolist() == [*range(48, 72), *range(120, 144)]
    assert times(world, [(0, 1)]) == pytest.approx([near + 1e-6 + once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 1e-6 + 2 * HOP + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 0.5e-6 + 2 * HOP + once])
    assert times(world, [(48, 49)]) == pytest.approx([near + MIB / RATE])
    for first, to_first, part, ends in ((0, 24, 0.4, 1e-6), (48, 120, 1.0, 0.0)):
        frm, to = np.arange(first, first + 24), np.arange(to_first, to_first + 24)
        ways = plane.path(frm, to, np.zeros_like(frm))[0]
        assert (ways == plane.path(frm, to, np.full_like(frm, 800))[0]).all()
        by_uplink = np.bincount(ways[:, 0])[ways[:, 0]]
        alone = MIB / (part * RATE)
        expected = [near + ends + 2 * HOP + max(1, part * count) * alone for count in by_uplink]
        assert times(world, list(zip(frm.tolist(), to.tolist(), strict=True))) == pytest.approx(expected)
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert set(rates) == {"40 Gb/sec (4X QDR)", "100 Gb/sec (4X EDR)"}


def test_twelve_hosts_of_four_numa_nodes_have_four_uplinks_of_400() -> None:
    structure = built("200 Gbit/s, 3:2 dealt out to uplinks of 400, 8 ranks on 4 NUMA nodes", 192)  # 48 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.2e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.oversubscription == pytest.approx(3 / 2)
    assert times(world, [(2, 11)]) == pytest.approx([near + once])
    assert times(world, [(1, 10)]) == pytest.approx([near + 0.06e-6 + once])
    assert times(world, [(3, 12)]) == pytest.approx([near + 0.3e-6 + once / 0.95])
    assert times(world, [(3, 15)]) == pytest.approx([near + 0.3e-6 + once / 0.95])
    assert times(world, [(2, 10), (3, 11)]) == pytest.approx([near + 2 * once] * 2)
    across = [(8 * host + 2, 96 + 8 * host + 2) for host in range(12)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 1.5 * once] * 12)
    assert times(world, across[:4]) == pytest.approx([near + 2 * HOP + once] * 4)
    assert times(world, across[::4]) == pytest.approx([near + 2 * HOP + 1.5 * once] * 3)  # the same uplink
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 22e9])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.08e-6 + MIB / 14e9])
    assert times(world, [(3, 4)]) == pytest.approx([INSIDE_LATENCY + 0.35e-6 + MIB / 9e9])


def test_the_last_host_of_each_leaf_writes_output_and_takes_longer() -> None:
    name = "100 Gbit/s, 5:4 adaptive, last host of each leaf for output"
    structure = built(name, 80)  # leaves of 20
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [16] * 4
    assert structure.oversubscription == pytest.approx(5 / 4)
    assert built(name, 64).oversubscription == pytest.approx(4 / 3)
    assert np.flatnonzero(structure.processor == 3).tolist() == [19, 39, 59, 79]
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 19)]) == pytest.approx([near + 0.14e-6 + once])
    assert times(world, [(19, 39)]) == pytest.approx([near + 0.28e-6 + 2 * HOP + once])
    across = [(host, 20 + host) for host in range(19)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 19 / 16 * once] * 19)
    assert times(world, across[:16]) == pytest.approx([near + 2 * HOP + once] * 16)


def test_another_tenant_has_half_of_every_second_leaf_of_equal_uplinks() -> None:
    name = "virtual machines as large as servers, re-hashed, every second leaf half taken"
    structure = built(name, 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [8, 4] * 5 + [4]
    assert plane.uplinks.tolist() == [4] * 11
    assert structure.oversubscription == 2
    assert np.bincount(built(name, 8).group).tolist() == [4, 2, 2]
    assert times(world, [(0, 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])
    frm, to, now = np.arange(8), np.arange(12, 20), world.seed * 7919  # the first moment of this world
    ways = plane.path(frm, to, np.full_like(frm, now))[0]
    assert (ways != plane.path(frm, to, np.full_like(frm, now + 1))[0]).any()
    by_uplink = np.bincount(ways[:, 0])[ways[:, 0]]
    across = times(world, list(zip(frm.tolist(), to.tolist(), strict=True)))
    assert across == pytest.approx([near + 2 * HOP + count * once for count in by_uplink])
    assert max(by_uplink) >= 2


def test_each_socket_has_an_adapter_on_a_switch_of_its_own_in_a_group_by_load() -> None:
    structure = built("2 ranks with an adapter of 200 Gbit/s each on two switches, routes by load", 64)  # groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (6, 8)
    assert (plane.capacity == 2 * RATE).all()
    assert plane.switch.tolist() == ([0, 1] * 8 + [2, 3] * 8) * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + once])  # the other socket
    assert times(world, [(0, 16)]) == pytest.approx([near + HOP + once])  # the ninth host of the group
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    apart = times(world, [(0, 32)])[0] - once - near - 4 * CABLE
    assert round(apart / HOP, 6) in (1, 2, 3)
    adapters = np.arange(32)
    ways = plane.path(adapters, adapters + 32, np.zeros_like(adapters))[0]
    assert (ways[:, 0] != NONE).all()
    assert (ways[:, 1] == NONE).sum() >= 8  # those that go directly, and where the third group is an end
    assert (ways[:, 1] != NONE).sum() >= 8
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_a_job_has_three_quarters_of_each_cell_of_a_dragonfly_plus() -> None:
    structure = built("dragonfly+ of 200 Gbit/s, three quarters of each cell, 4 ranks", 128)  # 64 hosts, cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [12] * 5 + [4]
    assert plane.leaf.tolist() == ([0] * 8 + [1] * 4 + [2] * 8 + [3] * 4 + [4] * 8 + [5] * 4 + [6] * 8 + [7] * 4) + (
        [8] * 8 + [9] * 4 + [10] * 4
    )
    assert plane.groups == 7
    assert times(world, [(3, 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.56e-6 + once / 0.95])
    assert times(world, [(3, 35)]) == pytest.approx([near + 2 * HOP + once])  # the second leaf of the cell
    assert times(world, [(2, 6), (3, 11)]) == pytest.approx([near + 2 * once] * 2)
    assert_detours(plane, 12, 0.2 * 5 / 7, steps=2000, within=0.03)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_switches_of_floors_have_one_cable_to_all_of_their_row_and_column() -> None:
    name = "Ethernet HyperX with tables, workstations of 10 Gbit/s on each switch"
    structure = built(name, 128)  # 2 x 4 switches of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 6.4e-6, MIB / (0.25 * RATE)
    plane, slow = structure.plane, MIB / (0.1 * RATE)
    assert isinstance(plane, HyperXTables)
    assert np.bincount(structure.group).tolist() == [16] * 8
    assert plane.joined.sum(axis=1).tolist() == [4] * 8
    cable = plane.cable
    assert plane.route[0, 5].tolist() == [cable[0, 4], cable[4, 5]]
    assert plane.route[0, 6].tolist() == [cable[0, 2], cable[2, 6]]
    assert np.flatnonzero(structure.rate[:16, 0] == 0.1 * RATE).tolist() == [12, 13, 14, 15]
    for to, hops in {1: 0, 16: 1, 48: 1, 64: 1, 80: 2, 96: 2}.items():
        assert times(world, [(0, to)]) == pytest.approx([near + hops * HOP + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 1.2e-6 + slow])
    assert times(world, [(12, 28)]) == pytest.approx([near + 2.4e-6 + HOP + slow])
    along = [(host, 16 + host) for host in range(12)]  # one cable, which is as wide as four hosts
    assert times(world, along) == pytest.approx([near + HOP + 3 * once] * 12)
    assert times(world, along[:4]) == pytest.approx([near + HOP + once] * 4)
    both = [(host, 64 + host) for host in range(4)] + [(host, 76 + host) for host in range(4, 8)]
    assert times(world, both) == pytest.approx([near + HOP + 2 * once] * 4 + [near + 2 * HOP + 2 * once] * 4)
    assert np.bincount(built(name, 8).group).tolist() == [2] * 4


def test_six_gpus_share_two_rails_that_the_sending_host_relays_to() -> None:
    structure = built("6 GPUs on 2 relayed rails, 1:1 dealt out", 128)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert (structure.hosts, structure.each, structure.rails) == (32, 6, 2)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.6e-6 + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 6), (1, 7)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 6), (3, 9)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 9), (3, 15)]) == pytest.approx([near + 0.6e-6 + 2 * once, near + 2 * once])
    across = [(6 * host + gpu, 48 + 6 * host + gpu) for host in range(8) for gpu in (0, 3)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 16)
    meet = [(0, 48), (6, 96)]  # the first receivers of two leaves have the same uplink
    assert times(world, meet) == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    assert times(world, [(0, 48), (9, 99)]) == pytest.approx([near + 2 * HOP + once] * 2)  # rails have their own trees
    assert times(world, [(0, 2)]) == pytest.approx([NVLINK_LATENCY + MIB / 50e9])
    assert times(world, [(2, 3)]) == pytest.approx([1.5e-6 + MIB / 32e9])


def test_both_addresses_of_each_adapter_are_dealt_out_to_the_uplinks_of_a_rail() -> None:
    structure = built("rail-optimized, 8 rails, two addresses of each adapter dealt out", 256)  # 64 hosts, pods of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, DealtAddresses)
    assert plane.uplinks.tolist() == [16] * 32
    assert structure.groups[16].tolist() == list(range(1, 32, 4))
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 128)]) == pytest.approx([near + 2 * HOP + once])
    across = [(8 * host, 128 + 8 * host) for host in range(16)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 16)
    ways = plane.path(np.zeros(3, np.int64), 8 * np.array([16, 17, 24]), np.zeros(3, np.int64))[0]
    assert ways[:, ::2].tolist() == [[0, 1], [2, 3], [0, 1]]  # the ninth receiver has those of the first one
    meet = [(0, 128), (8, 320), (16, 256)]  # three messages by two uplinks
    assert times(world, meet) == pytest.approx([near + 2 * HOP + 1.5 * once] * 3)
    assert times(world, meet[:2]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 350e9])


def test_sixteen_buckets_are_dealt_out_to_six_uplinks_of_each_rail() -> None:
    structure = built("8 GPUs on 4 rails, six uplinks for 16 buckets of a hash", 256)  # 64 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Buckets)
    assert plane.uplinks.tolist() == [6] * 32
    assert structure.oversubscription == pytest.approx(4 / 3)
    assert structure.groups[8].tolist() == [1, 9, 17, 25]
    small = built("8 GPUs on 4 rails, six uplinks for 16 buckets of a hash", 8).plane
    assert isinstance(small, Buckets)
    assert set(small.uplinks.tolist()) == {1}
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + once])  # the other GPU of the adapter
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 64)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    frm, to = np.repeat(np.arange(32), 224), np.tile(np.arange(32, 256), 32)  # adapters of the first pod to all others
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    assert (ways == plane.path(frm, to, np.full_like(frm, 300))[0]).all()
    shares = np.bincount(ways[:, 0] % 6) / len(frm)
    assert shares == pytest.approx(np.array([3, 3, 3, 3, 2, 2]) / 16, abs=0.02)
    frm = 4 * np.arange(8)  # the first rail of two pods
    up = plane.path(frm, 32 + frm, np.zeros_like(frm))[0][:, 0]
    across = times(world, [(8 * host, 64 + 8 * host) for host in range(8)])
    assert across == pytest.approx([near + 2 * HOP + count * once for count in np.bincount(up)[up]])
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 190e9])


def test_two_coprocessors_of_the_second_socket_are_slower() -> None:
    structure = built("one switch of 56 Gbit/s, 4 coprocessors on two sockets", 64)  # 32 hosts
    world, once = World(structure, kernel=ONE_WAY), MIB / (0.545 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert structure.hosts == 32
    assert times(world, [(0, 4)]) == pytest.approx([LATENCY + 4e-6 + once / 0.78])
    assert times(world, [(1, 125)]) == pytest.approx([LATENCY + 4e-6 + once / 0.78])
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 5.2e-6 + once / 0.44])
    assert times(world, [(3, 6)]) == pytest.approx([LATENCY + 6.4e-6 + once / 0.44])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([LATENCY + 4e-6 + 2 * once] * 2)
    assert times(world, [(2, 6), (3, 7)]) == pytest.approx([LATENCY + 6.4e-6 + once / 0.44] * 2)
    shared = times(world, [(0, 4), (2, 6)])  # the nearer one has what is left
    assert shared == pytest.approx([LATENCY + 4e-6 + once / 0.56, LATENCY + 6.4e-6 + once / 0.44])
    assert times(world, [(2, 3)]) == pytest.approx([3.5e-6 + MIB / 6e9])
    assert times(world, [(1, 2)]) == pytest.approx([5e-6 + MIB / 3e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"56 Gb/sec (4X FDR)"}


def test_the_first_leaf_has_half_of_the_hosts_and_as_many_cables_to_the_core() -> None:
    structure = built("100 Gbit/s to one core, half of the hosts on the first leaf", 96)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, OneCore)
    assert np.bincount(structure.group).tolist() == [12, 24, 24, 24, 12]
    assert plane.uplinks.tolist() == [12] * 5
    assert times(world, [(0, 11)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])
    first = times(world, [(host, 12 + host) for host in range(12)])
    assert first == pytest.approx([near + 2 * HOP + once] * 12)
    across = [(12 + host, 36 + host) for host in range(24)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 24)
    assert times(world, across[:12]) == pytest.approx([near + 2 * HOP + once] * 12)
    assert times(world, [(0, 36), (1, 60)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the same cable up
    assert times(world, [(0, 36), (12, 48)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # the same one down
    assert times(world, [(0, 36), (12, 60)]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert np.bincount(built("100 Gbit/s to one core, half of the hosts on the first leaf", 8).group).tolist() == [
        2, 4, 2
    ]  # fmt: skip


def test_receivers_of_48_hosts_are_dealt_out_to_eight_uplinks_of_200() -> None:
    name = "100 Gbit/s, 3:1 dealt out to uplinks of 200 Gbit/s"
    structure = built(name, 192)  # leaves of 48
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(3)
    assert built(name, 64).oversubscription == pytest.approx(4)
    assert times(world, [(0, 47)]) == pytest.approx([near + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 2 * HOP + once])
    across = [(host, 48 + host) for host in range(48)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 3 * once] * 48)
    assert times(world, across[:16]) == pytest.approx([near + 2 * HOP + once] * 16)
    assert times(world, across[:17:8]) == pytest.approx([near + 2 * HOP + 1.5 * once] * 3)  # the same uplink


def test_xeons_behind_xeon_phis_fill_omni_path() -> None:
    structure = built("Omni-Path 2:1 by receiver, Xeon Phis and a few Xeons", 128)  # leaves of 32
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.routes == "by receiver"
    assert plane.uplinks.tolist() == [16] * 4
    assert structure.processor.tolist() == [1] * 112 + [0] * 16
    assert times(world, [(0, 1)]) == pytest.approx([near + 1.5e-6 + MIB / 8.5e9])
    assert times(world, [(96, 112)]) == pytest.approx([near + 0.75e-6 + MIB / 8.5e9])
    assert times(world, [(112, 127)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 1.5e-6 + 2 * HOP + MIB / 8.5e9])
    across = [(host, 32 + host) for host in range(32)]
    assert times(world, across) == pytest.approx([near + 1.5e-6 + 2 * HOP + 2 * once] * 32)
    assert times(world, across[:16]) == pytest.approx([near + 1.5e-6 + 2 * HOP + MIB / 8.5e9] * 16)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_six_uplinks_serve_up_to_34_hosts_with_the_adapter_on_the_second_socket() -> None:
    structure = built("200 Gbit/s, 17:3 adaptive, 4 ranks, adapter on the second socket", 256)  # leaves of 32
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [6] * 4
    assert built("200 Gbit/s, 17:3 adaptive, 4 ranks, adapter on the second socket", 128).oversubscription == 16 / 3
    assert times(world, [(2, 7)]) == pytest.approx([near + once])
    assert times(world, [(1, 7)]) == pytest.approx([near + 0.3e-6 + once / 0.93])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.6e-6 + once / 0.93])
    assert times(world, [(2, 6), (3, 7)]) == pytest.approx([near + 2 * once] * 2)
    across = [(4 * host + 2, 130 + 4 * host) for host in range(32)]
    assert times(world, across[:6]) == pytest.approx([near + 2 * HOP + once] * 6)
    assert times(world, across) == pytest.approx([near + 2 * HOP + 32 / 6 * once] * 32)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


@pytest.mark.parametrize("seed", range(3))
def test_machines_of_a_research_cloud_are_in_no_order_behind_two_uplinks(seed: int) -> None:
    structure = built("virtual machines of two ranks on 25 Gbit/s, 5:2 static, in no order", 80, seed)  # racks of 20
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 28e-6, MIB / (0.25 * RATE)
    plane, rack = structure.plane, structure.group
    assert isinstance(plane, FatTree)
    assert np.bincount(rack).tolist() == [20] * 4
    assert (np.diff(rack) < 0).any()
    assert plane.uplinks.tolist() == [2] * 4
    assert structure.oversubscription == pytest.approx(5 / 2)
    for other in range(1, 80):
        further = 2 * HOP * bool(rack[other] != rack[0])
        assert times(world, [(0, 2 * other)]) == pytest.approx([near + further + once / 0.8])
        assert times(world, [(0, 2 * other), (1, 2 * other + 1)]) == pytest.approx([near + further + 2 * once] * 2)
    one, two = (np.flatnonzero(rack == number) for number in (0, 1))
    ways = plane.path(one, two, np.zeros_like(one))[0]
    assert (ways == plane.path(one, two, np.full_like(one, 800))[0]).all()
    most = int(np.bincount(ways[:, 0]).max())  # an uplink is as wide as four machines
    assert most >= 10
    across = times(world, [(2 * int(a), 2 * int(b)) for a, b in zip(one, two, strict=True)])
    assert max(across) == pytest.approx(near + 2 * HOP + most / 4 * once)


def test_each_socket_has_an_adapter_on_a_switch_of_its_own_in_a_dragonfly() -> None:
    name = "routes by load, an adapter on each socket, job begins within a group"
    structure = built(name, 64)  # groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each) == (7, 6)
    assert np.bincount(structure.group).tolist() == [8, 16, 16, 16, 8]
    assert plane.switch[:20].tolist() == [4, 5] * 4 + [6, 7] * 4 + [0, 1] * 2
    assert times(world, [(0, 2)]) == pytest.approx([near + once])  # the same switch
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + once])  # the other adapter
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    apart = times(world, [(0, 16)])[0] - once - near - 4 * CABLE
    assert round(apart / HOP, 6) in (1, 2, 3)
    adapters = np.arange(16, 48)
    ways = plane.path(adapters, adapters + 32, np.zeros_like(adapters))[0]
    assert (ways[:, 0] != NONE).all()
    assert 8 <= (ways[:, 1] != NONE).sum() <= 26  # six of 32 messages go directly, and some others
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 14e9])
    assert np.bincount(built(name, 8).group).tolist() == [2, 4, 2]


def test_chassis_have_hosts_of_two_sockets_with_two_numa_nodes() -> None:
    structure = built("two sockets of two NUMA nodes, chassis in a dragonfly", 64)  # 32 hosts, groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (0.8 * RATE)
    plane = structure.plane
    assert isinstance(plane, Chassis)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + once])  # the same router
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.06e-6 + once])
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.3e-6 + once / 0.92])
    assert times(world, [(2, 7)]) == pytest.approx([near + 0.6e-6 + once / 0.92])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.12e-6 + 2 * once])
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once])  # the next router of the chassis
    assert times(world, [(0, 16)]) == pytest.approx([near + HOP + once])  # the same slot of the other chassis
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    when = np.arange(2000)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 8), when)[0]
    assert (ways[:, 3] != NONE).mean() == pytest.approx(0.2 * 2 / 4, abs=0.03)  # detours by the two other groups
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"100 Gb/sec (4X EDR)"}


def test_a_torus_of_switches_in_four_dimensions_has_cables_for_two_hosts() -> None:
    name = "200 Gbit/s, torus of switches in four dimensions"
    structure = built(name, 256)  # 4 x 4 x 2 x 2 switches
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.7e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, SwitchTorus)
    assert plane.joined.sum(axis=1).tolist() == [6] * 64  # two dimensions have one neighbour only
    assert np.bincount(structure.group).tolist() == [4] * 64
    assert times(world, [(0, 3)]) == pytest.approx([near + once])
    for switch, hops in ((1, 1), (2, 1), (3, 2), (4, 1), (8, 2), (12, 1), (16, 1), (32, 2), (48, 1), (43, 6)):
        assert times(world, [(0, 4 * switch)]) == pytest.approx([near + hops * HOP + once])
    across = [(host, 4 + host) for host in range(4)]
    assert times(world, across) == pytest.approx([near + HOP + 2 * once] * 4)
    assert times(world, across[:2]) == pytest.approx([near + HOP + once] * 2)
    assert np.bincount(built(name, 8).group).tolist() == [4, 4]


def test_seven_uplinks_of_400_serve_a_rail_of_eight_hosts_and_the_last_hosts_are_newer() -> None:
    structure = built("rail-optimized, 4 rails of 400 Gbit/s, 8:7 dealt out, newer hosts last", 64)  # pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [7] * 16
    assert structure.groups[7:9].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    assert structure.processor.tolist() == [3] * 28 + [4] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.3e-6 + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.3e-6 + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(96, 112)]) == pytest.approx([near + 0.15e-6 + once])
    assert times(world, [(112, 116)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.3e-6 + 2 * HOP + once])
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    shared = [2, *[1] * 6, 2]  # the last receiver has the uplink of the first
    assert across == pytest.approx([near + 0.3e-6 + 2 * HOP + part * once for part in shared])
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 130e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_3/1", "rate")[1]) == {"400 Gb/sec (4X NDR)"}


def test_four_gpus_share_each_of_two_adapters_of_100_gbits() -> None:
    structure = built("8 GPUs with NVSwitch on 2 adapters of 100 Gbit/s, 2:1 dealt out", 128)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [8] * 4
    assert structure.groups[7:9].tolist() == [[0, 0], [1, 1]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + once])  # the other adapter, on the same leaf
    assert times(world, [(0, 10)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(7, 11)]) == pytest.approx([near + 0.8e-6 + once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    four = times(world, [(gpu, 8 + gpu) for gpu in range(4)])
    assert four == pytest.approx([near + 4 * once] * 2 + [near + 0.8e-6 + 4 * once] * 2)
    across = [(gpu, 64 + gpu) for host in range(8) for gpu in (8 * host, 8 * host + 4)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 16)
    assert times(world, across[:8]) == pytest.approx([near + 2 * HOP + once] * 8)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 220e9])


def test_a_hash_gives_rails_of_100_gbits_one_of_two_uplinks_of_400() -> None:
    structure = built("8 GPUs on 4 rails of 100 Gbit/s, 2:1 static, uplinks of 400 Gbit/s", 256)  # pods of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 3.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 16
    assert structure.oversubscription == pytest.approx(2)
    assert structure.groups[15:17].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    assert times(world, [(0, 9)]) == pytest.approx([near + once])  # the other GPU of the same rail
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 8), (2, 10)]) == pytest.approx([near + once] * 2)
    adapters = 4 * np.arange(16)  # of the first rail
    ways = plane.path(adapters, 64 + adapters, np.zeros_like(adapters))[0]
    assert (ways == plane.path(adapters, 64 + adapters, np.full_like(adapters, 600))[0]).all()
    most = int(np.bincount(ways[:, 0]).max())
    assert most >= 8
    across = times(world, [(8 * host, 128 + 8 * host) for host in range(16)])
    assert max(across) == pytest.approx(near + 2 * HOP + most / 4 * once)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 160e9])


def test_each_two_of_four_sockets_share_an_adapter_that_is_on_one_of_them() -> None:
    structure = built("one switch, adapters on two of four sockets", 64)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.hosts, structure.each, structure.rails) == (32, 4, 2)
    assert world.ranks.numa[:4].tolist() == [0, 2, 1, 3]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + once])  # the other adapter
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.18e-6 + once / 0.9])
    assert times(world, [(3, 125)]) == pytest.approx([near + 0.36e-6 + once / 0.9])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.36e-6 + 2 * once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once] * 2)
    for other in (1, 2, 3):
        assert times(world, [(0, other)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 9e9])


def test_two_machines_of_a_server_share_two_ports_on_two_leaves() -> None:
    structure = built("virtual machines in pairs on a bond of two leaves, 5:2 static, tunnels", 128)  # racks of 32
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 4.3e-6, MIB / (0.25 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 8
    assert structure.oversubscription / structure.guests == pytest.approx(5 / 2)
    assert structure.groups[31:33].tolist() == [[0, 4], [1, 5]]
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 3.8e-6 + once])  # inside their adapter
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    to = np.arange(2, 32)
    of_first, of_second = (structure.path(np.full_like(to, own), to, np.zeros_like(to))[0][:, 0] for own in (0, 1))
    one = to[of_first == 0][0]
    same, other = (to[(of_second == port) & (to // 2 != one // 2)][0] for port in (0, 1))
    assert times(world, [(0, one), (1, same)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, one), (1, other)]) == pytest.approx([near + once] * 2)
    assert set(world.results.inventory.over_hosts("ib/mlx5_bond_0/1", "rate")[1]) == {"25 Gb/sec (1X EDR)"}


def test_a_hash_gives_forty_hosts_twelve_uplinks_and_the_second_socket_has_the_adapter() -> None:
    name = "RoCE of 100 Gbit/s, 10:3 static, adapter on the second socket"
    structure = built(name, 160)  # leaves of 40
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [12] * 4
    assert structure.oversubscription == pytest.approx(10 / 3)
    small = built(name, 32).plane
    assert isinstance(small, FatTree)
    assert small.uplinks.tolist() == [3] * 4
    assert times(world, [(1, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.27e-6 + once / 0.94])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.54e-6 + once / 0.94])
    assert times(world, [(1, 81)]) == pytest.approx([near + 2 * HOP + once])
    frm, to = np.arange(40), np.arange(40, 80)
    ways = plane.path(frm, to, np.zeros_like(frm))[0]
    assert (ways == plane.path(frm, to, np.full_like(frm, 700))[0]).all()
    by_uplink = np.bincount(ways[:, 0])[ways[:, 0]]
    assert max(by_uplink) >= 4
    across = times(world, [(2 * host + 1, 80 + 2 * host + 1) for host in range(40)])
    assert across == pytest.approx([near + 2 * HOP + count * once for count in by_uplink])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_receivers_of_a_rack_have_every_second_uplink_where_addresses_are_slot_by_slot() -> None:
    name = "100 Gbit/s, 4:3 by addresses slot by slot over all racks"
    structure = built(name, 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, NumberedByArrival)
    assert plane.uplinks.tolist() == [6] * 4
    assert structure.oversubscription == pytest.approx(4 / 3)
    assert plane.arrival.reshape(4, 8)[:, :3].tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert plane.arrival[[7, 31]].tolist() == [28, 31]
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])
    every = np.arange(8)
    assert plane.path(every, 8 + every, 0 * every)[0][:, 0].tolist() == [1, 5, 3, 1, 5, 3, 1, 5]
    assert plane.path(every, 16 + every, 0 * every)[0][:, 0].tolist() == [2, 0, 4, 2, 0, 4, 2, 0]
    shared = [3, 3, 2, 3, 3, 2, 3, 3]
    for first in (8, 16):
        across = times(world, [(host, first + host) for host in range(8)])
        assert across == pytest.approx([near + 2 * HOP + count * once for count in shared])
    large = built(name, 96).plane
    assert isinstance(large, NumberedByArrival)
    assert large.uplinks.tolist() == [18] * 4


def test_ten_uplinks_of_200_serve_36_hosts_and_the_last_third_has_slower_memory() -> None:
    name = "9:5 adaptive to uplinks of 200 Gbit/s, persistent memory in the last third"
    structure = built(name, 144)  # leaves of 36
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.36e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [10] * 4
    assert structure.oversubscription == pytest.approx(9 / 5)
    assert built(name, 32).oversubscription == pytest.approx(4 / 3)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.52e-6 + once / 0.95])
    across = [(2 * host, 72 + 2 * host) for host in range(36)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 1.8 * once] * 36)
    assert times(world, across[:20]) == pytest.approx([near + 2 * HOP + once] * 20)
    assert np.flatnonzero(structure.memory < 1).tolist() == list(range(96, 144))
    for host, part in ((95, 1.0), (96, 0.78)):
        inside = INSIDE_LATENCY + 0.3e-6 + MIB / (part * 20e9)
        assert times(world, [(2 * host, 2 * host + 1)]) == pytest.approx([inside])
    assert set(structure.processor.tolist()) == {0}


def test_leaves_of_three_years_have_uplinks_of_three_rates() -> None:
    name = "leaves of three years, 2:1 by receiver to uplinks of 56, 100 and 200 Gbit/s"
    structure = built(name, 64)  # leaves of 8
    world, near, once, old = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE, MIB / (0.545 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 6 + [2] * 2
    assert structure.oversubscription == pytest.approx(2)
    assert structure.processor[::8].tolist() == [2, 2, 2, 2, 0, 0, 3, 3]
    assert times(world, [(0, 1)]) == pytest.approx([near + 0.44e-6 + old])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.32e-6 + 2 * HOP + old])
    assert times(world, [(32, 48)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + once])
    assert times(world, [(48, 49)]) == pytest.approx([near + once])
    shifts = {  # the first hosts of two leaves: what each message takes, and how many share an uplink of the slower one
        (0, 8): (0.44e-6, 2 * old), (32, 40): (0.2e-6, 2 * once), (48, 56): (0.0, 4 * once / 2),
        (0, 48): (0.22e-6, 4 * old), (32, 48): (0.1e-6, 4 * once),
    }  # fmt: skip
    for (first, to_first), (ends, shared) in shifts.items():
        across = times(world, [(first + host, to_first + host) for host in range(8)])
        assert across == pytest.approx([near + ends + 2 * HOP + shared] * 8)
    rates = world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]
    assert set(rates) == {"56 Gb/sec (4X FDR)", "100 Gb/sec (4X EDR)"}
    assert np.bincount(built(name, 32).group).tolist() == [4] * 8


def test_the_fifth_of_eight_numa_nodes_has_the_adapter_and_28_hosts_have_12_uplinks() -> None:
    name = "8 NUMA nodes, 7:3 by receiver, adapter on the fifth"
    structure = built(name, 448)  # 112 hosts, leaves of 28
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.24e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [12] * 4
    assert structure.oversubscription == pytest.approx(7 / 3)
    assert times(world, [(4, 12)]) == pytest.approx([near + once])
    assert times(world, [(5, 12)]) == pytest.approx([near + 0.06e-6 + once])
    assert times(world, [(7, 15)]) == pytest.approx([near + 0.12e-6 + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.3e-6 + once / 0.91])
    assert times(world, [(3, 11)]) == pytest.approx([near + 0.6e-6 + once / 0.91])
    assert times(world, [(4, 12), (5, 13)]) == pytest.approx([near + 2 * once, near + 0.12e-6 + 2 * once])
    uplink = np.arange(28, 56) % 12
    shared = np.bincount(uplink)[uplink]  # 28 receivers: four uplinks have three of them, the others two
    across = times(world, [(8 * host + 4, 8 * (28 + host) + 4) for host in range(28)])
    assert across == pytest.approx([near + 2 * HOP + count * once for count in shared])
    assert sorted(np.bincount(uplink).tolist()) == [2] * 8 + [3] * 4
    assert times(world, [(4, 5)]) == pytest.approx([INSIDE_LATENCY + 0.05e-6 + MIB / 12e9])
    assert times(world, [(3, 4)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])
    small = World(built(name, 32), kernel=ONE_WAY)
    assert set(small.results.inventory.over_hosts("ib/mlx5_0", "numa_node")[1]) == {"1"}


def test_hosts_of_a_supernode_pass_on_messages_to_its_cables_and_from_them() -> None:
    structure = built("supernodes of drawers without switches", 64)  # 4 supernodes of two drawers of 8
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6
    plane = structure.plane
    assert isinstance(plane, Supernodes)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert (plane.groups, plane.each) == (4, 8)
    assert times(world, [(0, 7)]) == pytest.approx([near + MIB / 24e9])
    assert times(world, [(0, 8)]) == pytest.approx([near + MIB / 5e9])  # the other drawer
    assert times(world, [(0, 7), (1, 9)]) == pytest.approx([near + MIB / 24e9, near + MIB / 5e9])
    assert times(world, [(0, 7), (8, 15)]) == pytest.approx([near + MIB / 24e9] * 2)
    now = np.full(8, world.seed * 7919)  # the first moment of this world
    far = near + 2 * CABLE
    for frm, to, narrow in (
        (np.arange(8), np.arange(16, 24), 5e9),  # the cables to the next supernode are at the second drawer
        (np.arange(8, 16), np.arange(16, 24), 24e9),
        (np.arange(8, 16), np.arange(24, 32), 5e9),  # and end at its first one
    ):
        ways = plane.path(frm, to, now)[0]
        cable = ways[:, 1]
        assert set(cable.tolist()) <= set(plane.cables(0, 1).tolist())
        hops = (ways != NONE).sum(axis=1) - 1
        expected = far + HOP * hops + MIB / np.minimum(narrow, 10e9 / np.bincount(cable)[cable])
        assert times(world, list(zip(frm.tolist(), to.tolist(), strict=True))) == pytest.approx(expected)
    when = np.arange(2000)
    ways, latency = plane.path(np.full_like(when, 8), np.full_like(when, 16), when)
    assert len(np.unique(ways[:, 1])) == 8
    direct = latency < LATENCY + 2 * CABLE + HOP / 2  # host 8 and host 16 have the first cable themselves
    assert direct.mean() == pytest.approx(1 / 8, abs=0.03)
    assert np.allclose(latency[~direct], LATENCY + 2 * HOP + 2 * CABLE)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_switches_of_a_flattened_butterfly_have_two_cables_to_all_of_their_row_and_column() -> None:
    name = "flattened butterfly of 56 Gbit/s"
    structure = built(name, 64)  # 4 x 4 switches
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (0.545 * RATE)
    plane = structure.plane
    assert isinstance(plane, FlattenedButterfly)
    assert np.bincount(structure.group).tolist() == [4] * 16
    assert plane.joined.sum(axis=1).tolist() == [6] * 16
    cable = plane.cable
    assert plane.route[0, 7].tolist() == [cable[0, 4], cable[4, 7]]
    assert plane.route[7, 0].tolist() == [cable[7, 3], cable[3, 0]]
    for switch, hops in {0: 0, 1: 1, 3: 1, 4: 1, 12: 1, 5: 2, 15: 2}.items():
        assert times(world, [(0, 4 * switch + 3)]) == pytest.approx([near + hops * HOP + once])
    across = [(host, 4 + host) for host in range(4)]
    assert times(world, across) == pytest.approx([near + HOP + 2 * once] * 4)
    assert times(world, across[:2]) == pytest.approx([near + HOP + once] * 2)
    meet = [(0, 16), (1, 17), (2, 20)]  # all by the cable to the next row, the last one further along it
    assert times(world, meet) == pytest.approx([near + HOP + 1.5 * once] * 2 + [near + 2 * HOP + 1.5 * once])
    for hosts, neighbours in ((32, 1 + 3), (512, 7 + 3 + 3)):
        other = built(name, hosts).plane
        assert isinstance(other, FlattenedButterfly)
        assert set(other.joined.sum(axis=1).tolist()) == {neighbours}


def test_two_rails_of_200_gbits_are_on_each_leaf_of_a_pod() -> None:
    name = "rail-optimized, 8 rails of 200 Gbit/s, two on each leaf, 1:1 dealt out"
    structure = built(name, 256)  # 64 hosts, pods of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.7e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [16] * 16
    assert structure.groups[15:17].tolist() == [[0, 0, 4, 4, 8, 8, 12, 12], [1, 1, 5, 5, 9, 9, 13, 13]]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 9)]) == pytest.approx([near + once])  # the other rail of the leaf
    assert times(world, [(0, 10)]) == pytest.approx([near + 2 * HOP + once])  # by a spine
    across = [(8 * host + gpu, 128 + 8 * host + gpu) for host in range(16) for gpu in (0, 1)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 32)
    meet = [(0, 128), (8, 192), (16, 256)]  # the first and the 17th receiver of a leaf have the same uplink
    assert times(world, meet) == pytest.approx([near + 2 * HOP + 1.5 * once] * 3)
    assert times(world, meet[:2]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 370e9])
    small = World(built(name, 32), kernel=ONE_WAY)
    assert set(small.results.inventory.over_hosts("ib/mlx5_7/1", "rate")[1]) == {"200 Gb/sec (4X HDR)"}


def test_five_gpus_share_each_of_two_adapters() -> None:
    structure = built("10 GPUs on PCIe with 2 adapters, 2:1 dealt out", 256)  # 64 hosts, racks of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [6] * 10 + [4]
    assert structure.groups[5:7].tolist() == [[0, 0], [1, 1]]
    assert times(world, [(0, 10)]) == pytest.approx([near + once / 0.84])
    assert times(world, [(4, 15)]) == pytest.approx([near + once / 0.84])  # the other adapter, on the same leaf
    assert times(world, [(0, 10), (1, 11)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 10), (5, 15)]) == pytest.approx([near + once / 0.84] * 2)
    assert times(world, [(gpu, 10 + gpu) for gpu in range(10)]) == pytest.approx([near + 5 * once] * 10)
    across = [(10 * host + gpu, 60 + 10 * host + gpu) for host in range(6) for gpu in (0, 5)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 2 * once] * 12)
    assert times(world, across[:6]) == pytest.approx([near + 2 * HOP + once / 0.84] * 6)
    assert times(world, [(0, 4)]) == pytest.approx([1.6e-6 + MIB / 11e9])
    assert times(world, [(4, 5)]) == pytest.approx([3e-6 + MIB / 5.5e9])


def test_both_adapters_of_a_host_are_on_its_leaf_and_islands_are_two_leaves() -> None:
    name = "2 ranks with an adapter of 40 Gbit/s each, islands 2:1 dealt out"
    structure = built(name, 96)  # leaves of 12
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.7e-6, MIB / (0.32 * RATE)
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert plane.lower.uplinks.tolist() == [24] * 8
    assert plane.upper.uplinks.tolist() == [24] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + once])  # the other adapter, on the same leaf
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 4 * HOP + once])
    assert times(world, [(rank, 24 + rank) for rank in range(24)]) == pytest.approx([near + 2 * HOP + once] * 24)
    across = [(rank, 48 + rank) for rank in range(48)]
    assert times(world, across) == pytest.approx([near + 4 * HOP + 2 * once] * 48)
    assert times(world, across[:24]) == pytest.approx([near + 4 * HOP + once] * 24)
    assert times(world, across[::24]) == pytest.approx([near + 4 * HOP + 2 * once] * 2)  # the same uplink of the island
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 12e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_1/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}
    assert np.bincount(built(name, 32).group).tolist() == [4] * 8


def test_three_dies_of_each_socket_are_in_a_row_and_the_first_has_the_adapter() -> None:
    structure = built("one switch of 200 Gbit/s, three dies in a row in each of two sockets", 64)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.24e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.hosts, structure.each) == (32, 6)
    assert structure.socket.tolist() == [0, 0, 0, 1, 1, 1]
    assert times(world, [(0, 6)]) == pytest.approx([near + once])
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.05e-6 + once])
    assert times(world, [(1, 8)]) == pytest.approx([near + 0.15e-6 + once])
    for die in (9, 10, 11):
        assert times(world, [(0, die)]) == pytest.approx([near + 0.32e-6 + once / 0.9])
    assert times(world, [(3, 9)]) == pytest.approx([near + 0.64e-6 + once / 0.9])
    assert times(world, [(0, 6), (3, 9)]) == pytest.approx([near + 2 * once, near + 0.64e-6 + 2 * once])
    for one, other, longer, rate in ((0, 1, 0.06e-6, 19e9), (4, 5, 0.06e-6, 19e9), (0, 2, 0.12e-6, 16e9)):
        assert times(world, [(one, other)]) == pytest.approx([INSIDE_LATENCY + longer + MIB / rate])
    assert times(world, [(2, 3)]) == pytest.approx([INSIDE_LATENCY + 0.36e-6 + MIB / 10e9])


def test_three_virtual_machines_share_an_adapter_of_40_gbits_and_flows_get_10() -> None:
    name = "virtual machines in threes on 40 Gbit/s, 3:2 static, flows of 10"
    structure = built(name, 96)  # 32 servers, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 33.1e-6, MIB / (0.1 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [24] * 4
    assert plane.uplinks.tolist() == [5] * 4
    assert np.bincount(built(name, 32).group).tolist() == [9, 9, 9, 5]
    assert times(world, [(0, 1)]) == pytest.approx([BESIDE + 32e-6 + MIB / (0.4 * RATE)])
    assert times(world, [(2, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 24)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 3), (1, 4), (2, 5)]) == pytest.approx([near + once] * 3)
    gather = [(3, 0), (4, 1), (5, 2), (6, 0), (7, 1)]  # five flows to the machines of a server
    assert times(world, gather) == pytest.approx([near + 5 / 4 * once] * 5)
    machines = np.arange(24)
    ways = plane.path(machines, machines + 24, np.zeros_like(machines))[0]
    assert (ways == plane.path(machines, machines + 24, np.full_like(machines, 800))[0]).all()
    most = int(np.bincount(ways[:, 0]).max())  # an uplink is as wide as four flows
    assert most >= 5
    across = times(world, [(machine, 24 + machine) for machine in range(24)])
    assert max(across) == pytest.approx(near + 2 * HOP + most / 4 * once)


def test_the_first_two_hosts_of_each_rack_have_half_of_the_rate_of_the_others() -> None:
    name = "RoCE of 200 Gbit/s, 2:1 static, first two hosts of each rack of 100"
    structure = built(name, 96)  # racks of 24
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [6] * 4
    assert structure.oversubscription == pytest.approx(46 / 24)
    assert built(name, 32).oversubscription == pytest.approx(14 / 8)
    assert structure.processor.tolist() == ([3, 3] + [4] * 22) * 4
    assert times(world, [(4, 6)]) == pytest.approx([near + once])
    assert times(world, [(4, 7)]) == pytest.approx([near + 0.26e-6 + once / 0.95])
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.1e-6 + 2 * once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + 2 * once])
    hosts = np.arange(2, 24)
    ways = plane.path(hosts, 24 + hosts, np.zeros_like(hosts))[0]
    assert (ways == plane.path(hosts, 24 + hosts, np.full_like(hosts, 800))[0]).all()
    most = int(np.bincount(ways[:, 0]).max())
    assert most >= 4
    across = times(world, [(2 * host, 48 + 2 * host) for host in range(2, 24)])
    assert max(across) == pytest.approx(near + 2 * HOP + most / 2 * once)
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {
        "100 Gb/sec (4X EDR)", "200 Gb/sec (4X HDR)",
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_addresses_are_in_no_order_within_leaves_but_each_leaf_has_its_own_in_a_row(seed: int) -> None:
    name = "100 Gbit/s, 5:2 by addresses in no order within leaves, far socket"
    structure = built(name, 160, seed)  # leaves of 40
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.36e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, NumberedByArrival)
    assert plane.uplinks.tolist() == [8] * 4
    assert structure.oversubscription == pytest.approx(5 / 2)
    assert built(name, 32).oversubscription == pytest.approx(2)
    assert (np.sort(plane.arrival.reshape(4, 40), axis=1) == np.arange(160).reshape(4, 40)).all()
    assert (plane.arrival != np.arange(160)).any()
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.56e-6 + once / 0.94])
    assert times(world, [(0, 80)]) == pytest.approx([near + 2 * HOP + once])
    across = [(2 * host, 80 + 2 * host) for host in range(40)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + 5 / 2 * once] * 40)
    shared = np.flatnonzero(plane.arrival[40:80] % 8 == 3)  # receivers of one uplink, which is as wide as two hosts
    assert len(shared) == 5
    for count in (2, 3, 5):
        messages = [across[host] for host in shared[:count]]
        assert times(world, messages) == pytest.approx([near + 2 * HOP + count / 2 * once] * count)


def test_gpu_hosts_at_the_end_of_each_leaf_take_longer() -> None:
    name = "200 Gbit/s, 7:3 adaptive, GPU hosts at the end of each leaf"
    structure = built(name, 112)  # leaves of 28
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.44e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [12] * 4
    assert structure.oversubscription == pytest.approx(7 / 3)
    assert built(name, 32).oversubscription == pytest.approx(8 / 3)
    assert structure.processor.tolist() == ([3] * 21 + [4] * 7) * 4
    assert times(world, [(0, 20)]) == pytest.approx([near + once])
    assert times(world, [(0, 21)]) == pytest.approx([near + 0.17e-6 + once])
    assert times(world, [(27, 55)]) == pytest.approx([near + 0.34e-6 + 2 * HOP + once])
    across = [(host, 28 + host) for host in range(21)]
    assert times(world, across[:12]) == pytest.approx([near + 2 * HOP + once] * 12)
    assert times(world, across) == pytest.approx([near + 2 * HOP + 7 / 4 * once] * 21)
    assert np.flatnonzero(built(name, 16).overhead).tolist() == [3, 7, 11, 15]


def test_units_of_three_years_have_cables_of_their_own_rate() -> None:
    name = "units of 56, 100 and 200 Gbit/s, 4:1 between them by receiver"
    structure = built(name, 64)  # 4 units of 2 leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    plane, old = structure.plane, MIB / (0.545 * RATE)
    assert isinstance(plane, Stacked)
    assert plane.upper.group.tolist() == np.repeat(np.arange(4), 16).tolist()
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([8] * 8, [4] * 4)
    assert (structure.rate[::16, 0] / RATE).tolist() == [0.545, 0.545, 1, 2]
    assert structure.processor[::16].tolist() == [2, 2, 0, 3]
    assert times(world, [(0, 1)]) == pytest.approx([near + 0.4e-6 + old])
    assert times(world, [(32, 33)]) == pytest.approx([near + 0.16e-6 + once])
    assert times(world, [(48, 49)]) == pytest.approx([near + once / 2])
    assert times(world, [(48, 56)]) == pytest.approx([near + 2 * HOP + once / 2])
    apart = near + 4 * HOP + 2 * CABLE
    assert times(world, [(0, 16)]) == pytest.approx([apart + 0.4e-6 + old])
    assert times(world, [(0, 48)]) == pytest.approx([apart + 0.2e-6 + old])
    assert times(world, [(32, 48)]) == pytest.approx([apart + 0.08e-6 + once])
    within = [(48 + host, 56 + host) for host in range(8)]
    assert times(world, within) == pytest.approx([near + 2 * HOP + once / 2] * 8)
    between = [(32 + host, 48 + host) for host in range(16)]  # four receivers have the same uplink
    assert times(world, between) == pytest.approx([apart + 0.08e-6 + 4 * once] * 16)
    assert np.bincount(built(name, 32).group).tolist() == [4] * 8


def test_up_to_two_links_lead_from_each_of_eight_dies_to_the_adapter() -> None:
    structure = built("40 Gbit/s, 1:1 dealt out, four sockets of two dies", 128)  # 32 hosts, leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (0.26 * RATE)
    plane = structure.plane
    assert isinstance(plane, DealtOut)
    assert plane.uplinks.tolist() == [8] * 4
    assert (plane.capacity == 0.32 * RATE).all()
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    for die in (1, 2, 4, 6):  # its neighbour, and the first die of the other sockets
        assert times(world, [(0, 8 + die)]) == pytest.approx([near + 0.13e-6 + once / 0.94])
    for die in (3, 5, 7):
        assert times(world, [(0, 8 + die)]) == pytest.approx([near + 0.27e-6 + once / 0.85])
    assert times(world, [(3, 11)]) == pytest.approx([near + 0.54e-6 + once / 0.85])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once, near + 0.26e-6 + 2 * once])
    across = [(8 * host, 64 + 8 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 8)
    for one, other, longer, rate in ((0, 1, 0.25e-6, 3.6e9), (1, 7, 0.25e-6, 3.6e9), (1, 2, 0.4e-6, 2.4e9)):
        assert times(world, [(one, other)]) == pytest.approx([INSIDE_LATENCY + longer + MIB / rate])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_a_job_has_parts_of_three_sizes_of_the_groups_of_a_dragonfly() -> None:
    name = "200 Gbit/s, routes by load, parts of groups of three sizes"
    structure = built(name, 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [24, 16, 16, 8]
    assert np.bincount(built(name, 32).group).tolist() == [12, 8, 8, 4]
    assert (plane.groups, plane.each) == (7, 4)
    assert plane.switch[:26].tolist() == [*np.repeat(np.arange(6), 4).tolist(), 0, 0]
    assert times(world, [(0, 6)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + HOP + once])  # the next switch
    assert times(world, [(1, 7)]) == pytest.approx([near + 0.54e-6 + once / 0.96])
    apart = times(world, [(0, 48)])[0] - once - near - 4 * CABLE
    assert round(apart / HOP, 6) in (1, 2, 3)
    hosts = np.arange(16)
    ways = plane.path(hosts, hosts + 24, np.zeros_like(hosts))[0]
    assert (ways[:, 0] != NONE).all()
    assert 4 <= (ways[:, 1] != NONE).sum() <= 12  # four of 16 messages go directly, and some others


def test_messages_over_a_mesh_take_ethernet_from_edge_to_edge_where_that_saves_four_cables() -> None:
    structure = built("mesh of 400 Gbit/s, Ethernet between its edges", 32)  # 4 rows of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, EdgePorts)
    for to, cables in ((1, 1), (3, 3), (4, 4), (8, 1), (20, 6), (24, 3), (26, 5)):  # by the mesh alone
        assert times(world, [(0, to)]) == pytest.approx([near + cables * HOP + once])
    for to, cables in ((6, 1), (7, 0), (14, 1), (15, 0), (29, 2), (31, 0)):  # Ethernet has half of the rate
        assert times(world, [(0, to)]) == pytest.approx([near + 1e-6 + cables * HOP + 2 * once])
    assert times(world, [(5, 0)]) == pytest.approx([near + 5 * HOP + once])  # Ethernet would save three cables
    assert times(world, [(9, 6)]) == pytest.approx([near + 1e-6 + 2 * HOP + 2 * once])  # and here four, of six
    shared = times(world, [(0, 15), (1, 15)])  # two messages by the port of host 0
    assert shared == pytest.approx([near + 1e-6 + 4 * once, near + 1e-6 + HOP + 4 * once])
    assert times(world, [(0, 15), (8, 7)]) == pytest.approx([near + 1e-6 + 2 * once] * 2)
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)


def test_a_leaf_for_each_of_four_rails_has_three_adaptive_uplinks_for_four_hosts() -> None:
    name = "rail-optimized, 4 rails of 400 Gbit/s, 4:3 adaptive"
    structure = built(name, 64)  # 32 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.7e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [6] * 16
    assert structure.groups[7:9].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    small = built(name, 32)
    assert np.bincount(small.groups.ravel()).tolist() == [4] * 16
    assert small.oversubscription == pytest.approx(4 / 3)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once] * 2)
    across = [(4 * host, 32 + 4 * host) for host in range(8)]
    assert times(world, across[:6]) == pytest.approx([near + 2 * HOP + once] * 6)
    assert times(world, across) == pytest.approx([near + 2 * HOP + 4 / 3 * once] * 8)
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 125e9])


def test_four_gpus_share_an_adapter_and_ten_uplinks_serve_18_hosts() -> None:
    structure = built("4 GPUs and one adapter on a PCIe switch, 9:5 dealt out", 144)  # 72 hosts, leaves of 18
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.3e-6, MIB / RATE
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [10] * 4
    assert structure.oversubscription == pytest.approx(9 / 5)
    assert built("4 GPUs and one adapter on a PCIe switch, 9:5 dealt out", 32).oversubscription == pytest.approx(2)
    for gpu in range(4):
        assert times(world, [(gpu, 7 - gpu)]) == pytest.approx([near + once])
    assert times(world, [(gpu, 4 + gpu) for gpu in range(4)]) == pytest.approx([near + 4 * once] * 4)
    across = times(world, [(4 * host, 72 + 4 * host) for host in range(18)])
    shared = [2] * 8 + [1] * 2 + [2] * 8  # the eleventh receiver has the uplink of the first
    assert across == pytest.approx([near + 2 * HOP + part * once for part in shared])
    assert times(world, [(0, 1)]) == pytest.approx([1.4e-6 + MIB / 36e9])
    assert times(world, [(1, 2)]) == pytest.approx([1.4e-6 + MIB / 18e9])


def test_newer_hosts_are_on_the_director_to_which_leaves_lead() -> None:
    name = "40 Gbit/s, 2:1 to a director that has the newer hosts, far socket"
    structure = built(name, 128)  # 4 leaves of 24
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (0.32 * RATE)
    plane = structure.plane
    assert isinstance(plane, HostsOnCore)
    assert np.bincount(structure.group).tolist() == [24, 24, 24, 24, 32]
    assert plane.uplinks[:4].tolist() == [12] * 4
    assert np.bincount(built(name, 32).group).tolist() == [6, 6, 6, 6, 8]
    assert structure.processor.tolist() == [2] * 96 + [0] * 32
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.32e-6 + once])
    assert times(world, [(1, 2)]) == pytest.approx([near + 0.62e-6 + once / 0.92])
    assert times(world, [(0, 48)]) == pytest.approx([near + 0.32e-6 + 2 * HOP + once])
    assert times(world, [(0, 192)]) == pytest.approx([near + 0.16e-6 + HOP + once])
    assert times(world, [(192, 254)]) == pytest.approx([near + once])
    across = [(2 * host, 48 + 2 * host) for host in range(24)]
    assert times(world, across) == pytest.approx([near + 0.32e-6 + 2 * HOP + 2 * once] * 24)
    to_core = [(2 * host, 192 + 2 * host) for host in range(24)]
    assert times(world, to_core) == pytest.approx([near + 0.16e-6 + HOP + 2 * once] * 24)
    assert times(world, to_core[:12]) == pytest.approx([near + 0.16e-6 + HOP + once] * 12)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 16e9])
    assert times(world, [(192, 193)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    assert set(world.results.inventory.over_hosts("ib/mlx5_0/1", "rate")[1]) == {"40 Gb/sec (4X QDR)"}


def test_hosts_of_two_sockets_on_one_switch_are_disturbed_and_become_slower() -> None:
    structure = built("one switch of 200 Gbit/s, far socket, 1 % disturbed, drift", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.hyperthreads, structure.drift) == (0.01, 0.06)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + once])
    assert times(world, [(0, 63)]) == pytest.approx([LATENCY + 0.3e-6 + once / 0.93])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.6e-6 + once / 0.93])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([LATENCY + 2 * once, LATENCY + 0.6e-6 + 2 * once])


def test_leaves_of_four_sizes_have_an_uplink_for_two_and_a_half_hosts() -> None:
    name = "leaves of 5, 7, 9 and 11 hosts, three re-hashed uplinks, drift"
    structure = built(name, 32)
    world, plane, apart = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.2e-6 + 2 * HOP
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [5, 7, 9, 11]
    assert np.bincount(built(name, 128).group).tolist() == [20, 28, 36, 44]
    assert plane.uplinks.tolist() == [3] * 4
    assert structure.drift == 0.05
    assert times(world, [(0, 31)]) == pytest.approx([apart + MIB / RATE])
    when = np.arange(99)
    ways = plane.path(np.full(99, 12), np.full(99, 31), when)[0]
    assert sorted(set(ways[:, 0])) == [6, 7, 8]  # all three uplinks of the third leaf


def test_faculties_have_leaves_of_three_sizes_with_an_adaptive_uplink_for_four_hosts() -> None:
    structure = built("200 Gbit/s, 4:1 adaptive, leaves of 4, 8 and 12 hosts, far socket", 32)
    world, plane, once = World(structure, kernel=ONE_WAY), structure.plane, MIB / (2 * RATE)
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [4, 8, 12, 8]
    assert plane.uplinks.tolist() == [1, 2, 3, 2]
    assert structure.hyperthreads == 0.01
    assert times(world, [(0, 8)]) == pytest.approx([LATENCY + 2 * HOP + once])
    assert times(world, [(1, 3)]) == pytest.approx([LATENCY + 0.5e-6 + once / 0.95])
    across = [(8 + 2 * host, 24 + 2 * host) for host in range(8)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * HOP + 4 * once] * 8)


def test_hosts_are_numbered_in_turns_over_four_unequal_rooms() -> None:
    structure = built("10 Gbit/s, three lingering uplinks, hosts in turns over unequal leaves", 30)
    world, plane, near = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 24e-6
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == [3, 6, 9, 12]
    assert plane.uplinks.tolist() == [3] * 4
    one, other, *_ = np.flatnonzero(structure.group == 3).tolist()
    goal = int(np.flatnonzero(structure.group == 2)[0])
    assert times(world, [(one, other)]) == pytest.approx([near + 10 * MIB / RATE])
    assert times(world, [(one, goal)]) == pytest.approx([near + 2 * HOP + 10 * MIB / RATE])
    ways = plane.path(np.full(160, one), np.full(160, goal), np.arange(160))[0]
    assert 1 <= (np.diff(ways[:, 0]) != 0).sum() <= 10  # at most one change in 16 steps


@pytest.mark.parametrize("seed", range(3))
def test_a_quarter_of_the_hosts_have_newer_adapters_in_no_order(seed: int) -> None:
    structure = built("5:2 static, a quarter of the hosts of 200 Gbit/s at random, far socket", 32, seed)
    world, plane = World(structure, kernel=ONE_WAY), structure.plane
    newer, older = (np.flatnonzero(structure.rate[:, 0] == rate).tolist() for rate in (2 * RATE, RATE))
    assert (len(newer), len(older)) == (8, 24)
    assert newer != list(range(newer[0], newer[0] + 8))
    assert isinstance(plane, FatTree)
    assert plane.capacity.tolist() == [2 * RATE] * 16  # two uplinks of each of four leaves, up and down
    for one, other, rate in ((newer[0], newer[1], 2 * RATE), (newer[0], older[0], RATE), (older[0], older[1], RATE)):
        hops = 2 * HOP * (one // 8 != other // 8)
        assert times(world, [(2 * one, 2 * other)]) == pytest.approx([LATENCY + hops + MIB / rate])
        assert times(world, [(2 * one + 1, 2 * other)])[0] == pytest.approx(
            LATENCY + 0.22e-6 + hops + MIB / rate / 0.96
        )


def test_the_sender_says_which_of_six_uplinks_a_message_takes() -> None:
    structure = built("100 Gbit/s, 4:3 by sender, 1 % disturbed, drift", 32)  # leaves of 8
    world, plane, near = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.4e-6
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [6] * 4
    assert (structure.hyperthreads, structure.drift) == (0.01, 0.04)
    others = np.arange(8, 32)
    assert len(set(plane.path(np.zeros_like(others), others, others)[0][:, 0])) == 1
    hosts = np.arange(8)
    most = int(np.bincount(plane.path(hosts, hosts + 8, hosts)[0][:, 0]).max())
    assert most >= 2  # eight senders, six uplinks
    across = times(world, [(host, 8 + host) for host in range(8)])
    assert max(across) == pytest.approx(near + 2 * HOP + most * MIB / RATE)


def test_hosts_of_three_rates_are_in_turns_on_one_switch() -> None:
    structure = built("one switch, 25, 100 and 200 Gbit/s in turns, drift", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert isinstance(structure.plane, OneSwitch)
    assert np.unique(structure.rate / RATE, return_counts=True)[1].tolist() == [11, 11, 10]
    assert structure.processor[:4].tolist() == [2, 0, 3, 2]
    assert structure.drift == 0.06
    assert times(world, [(0, 3)]) == pytest.approx([LATENCY + 0.6e-6 + 4 * once])
    assert times(world, [(1, 4)]) == pytest.approx([LATENCY + 0.24e-6 + once])
    assert times(world, [(2, 5)]) == pytest.approx([LATENCY + once / 2])
    assert times(world, [(0, 2), (1, 5)]) == pytest.approx([LATENCY + 0.3e-6 + 4 * once, LATENCY + 0.12e-6 + once])


def test_cables_in_a_row_of_four_racks_are_longer_the_further_these_are_apart() -> None:
    structure = built("200 Gbit/s, long cables in a row of racks, far socket", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / (2 * RATE)
    assert np.bincount(structure.group).tolist() == [8] * 4
    assert structure.hyperthreads == 0.01
    for to, racks in ((2, 0), (16, 1), (32, 2), (62, 3)):
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + racks * CABLE + once])
    assert times(world, [(1, 63)]) == pytest.approx([LATENCY + 0.56e-6 + 3 * CABLE + once / 0.94])
    across = [(2 * host, 32 + 2 * host) for host in range(16)]
    assert times(world, across) == pytest.approx([LATENCY + 2 * CABLE + once] * 16)  # nothing blocks


def test_messages_of_unequal_leaves_are_spread_over_three_uplinks() -> None:
    structure = built("flowlets, three uplinks for leaves of 4 to 9 hosts", 32)
    world, plane, apart = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.6e-6 + 2 * HOP
    assert isinstance(plane, Flowlets)
    assert np.bincount(structure.group).tolist() == [4, 6, 9, 7, 6]
    assert plane.uplinks.tolist() == [3] * 5
    for count, parts in ((3, [1, 1, 1]), (4, [1, 1, 2, 2])):
        took = times(world, [(host, 10 + host) for host in range(count)])
        assert sorted(took) == pytest.approx([apart + part * MIB / RATE for part in parts])
    whole = times(world, [(10 + host, host) for host in range(9)])  # 9 hosts of the third leaf to the first two
    assert whole == pytest.approx([apart + 3 * MIB / RATE] * 9)


def test_leaves_of_two_sizes_have_the_same_spine_there_and_back() -> None:
    structure = built("the same spine there and back, 3:1, leaves of 6 and 10 hosts, far socket", 32)
    world, plane, near = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.2e-6
    assert isinstance(plane, SameSpineBack)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([6, 10, 6, 10], [2, 3, 2, 3])
    one, other = np.arange(6, 16), np.arange(22, 32)
    there, back = plane.path(one, other, one)[0], plane.path(other, one, one)[0]
    assert (
        there[:, 0] - 2 == back[:, 0] - 7
    ).all()  # the uplinks of the second leaf begin at 2, those of the last at 7
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + MIB / RATE])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.52e-6 + MIB / RATE / 0.92])
    across = times(world, [(2 * host, 32 + 2 * host) for host in range(6, 16)])
    assert max(across) == pytest.approx(near + 2 * HOP + np.bincount(there[:, 0]).max() * MIB / RATE)


def test_pods_of_one_to_three_leaves_have_an_uplink_for_three_hosts() -> None:
    structure = built("pods of one to three leaves, 3:1 between them re-hashed", 32)
    world, plane, near = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.8e-6
    assert isinstance(plane, Stacked)
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert np.bincount(plane.upper.group).tolist() == [4, 12, 8, 8]
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([4] * 8, [1, 4, 2, 2])
    for pair, hops in {(0, 3): 0, (4, 8): 2, (12, 15): 0, (0, 4): 4, (16, 31): 4}.items():
        assert times(world, [pair]) == pytest.approx([near + hops * HOP + MIB / RATE])
    across = [(host, 4 + host) for host in range(4)]  # by the only uplink of the first pod
    assert times(world, across) == pytest.approx([near + 4 * HOP + 4 * MIB / RATE] * 4)


def test_two_uplinks_serve_eight_hosts_of_25_gbits_that_become_slower() -> None:
    structure = built("25 Gbit/s by TCP, 4:1 static, far socket, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 18e-6, 4 * MIB / RATE
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([2] * 4, 4)
    assert (structure.interrupts, structure.drift) == (1.5e-6, 0.07)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 17)]) == pytest.approx([near + 0.5e-6 + 2 * HOP + once / 0.9])
    hosts = np.arange(8)
    most = int(np.bincount(plane.path(hosts, hosts + 8, hosts)[0][:, 0]).max())
    assert most >= 4
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])
    assert max(across) == pytest.approx(near + 2 * HOP + most * once)


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_one_switch_have_one_of_three_rates_at_random(seed: int) -> None:
    structure = built("one switch of 10, 25 and 100 Gbit/s at random, hyperthreads", 32, seed)
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 2e-6
    old, middle, new = (np.flatnonzero(structure.rate[:, 0] == part * RATE).tolist() for part in (0.1, 0.25, 1))
    assert (len(old), len(middle), len(new), structure.hyperthreads) == (4, 16, 12, 0.01)
    assert middle[-1] - middle[0] > 15  # others stand between them
    assert times(world, [(new[0], new[1])]) == pytest.approx([near + MIB / RATE])
    assert times(world, [(new[0], middle[0])]) == pytest.approx([near + 0.2e-6 + 4 * MIB / RATE])
    assert times(world, [(old[0], middle[0])]) == pytest.approx([near + 0.7e-6 + 10 * MIB / RATE])
    assert times(world, [(new[0], new[1]), (new[2], new[1])]) == pytest.approx([near + 2 * MIB / RATE] * 2)


@pytest.mark.parametrize("seed", range(3))
def test_newer_hosts_are_anywhere_behind_an_uplink_for_four(seed: int) -> None:
    structure = built("100 and 200 Gbit/s at random, 4:1 adaptive, hyperthreads", 96, seed)  # leaves of 24
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [6] * 4
    newer = structure.overhead == 0
    assert newer.sum() == 36
    assert len(set(structure.group[newer].tolist())) == 4
    one, other = np.flatnonzero(newer & (structure.group == 0))[:2].tolist()
    assert times(world, [(one, other)]) == pytest.approx([near + once / 2])
    longer = 0.15e-6 * (~newer[:24] * 1 + ~newer[24:48])  # each of 24 messages has half of RATE
    assert times(world, [(host, 24 + host) for host in range(24)]) == pytest.approx(near + 2 * HOP + longer + 2 * once)


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_three_rates_are_anywhere_in_a_dragonfly(seed: int) -> None:
    structure = built("dragonfly of 100, 200 and 400 Gbit/s at random, many detours", 64, seed)  # groups of 8
    world, plane = World(structure, kernel=ONE_WAY), structure.plane
    assert isinstance(plane, Dragonfly)
    assert np.bincount(plane.group).tolist() == [8] * 8
    speed = (structure.rate[:, 0] / RATE).astype(np.int64)
    assert np.bincount(speed).tolist() == [0, 32, 16, 0, 16]
    waits, when = {1: 0.2e-6, 2: 0.1e-6, 4: 0.0}, np.arange(1000)
    for to in range(1, 8):
        ends = waits[int(speed[0])] + waits[int(speed[to])]
        once = MIB / (min(speed[0], speed[to]) * RATE)
        assert times(world, [(0, to)]) == pytest.approx([LATENCY + 0.5e-6 + ends + once])
    assert (plane.path(0 * when, 0 * when + 8, when)[0][:, 1] != NONE).mean() == pytest.approx(0.5 * 6 / 8, abs=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_a_third_of_the_hosts_of_a_dragonfly_plus_is_newer_at_random(seed: int) -> None:
    structure = built("dragonfly+ of 200 and 400 Gbit/s at random, far socket, hyperthreads", 64, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert_detours(structure.plane, 16, 0.35 / 2)
    newer = structure.overhead == 0
    assert (int(newer.sum()), np.unique(structure.group[newer]).tolist()) == (21, [0, 1, 2, 3])
    leaf = structure.plane.leaf
    a, b = next((a, b) for a in range(64) for b in range(a) if newer[a] and newer[b] and leaf[a] == leaf[b])
    assert times(world, [(2 * a, 2 * b)]) == pytest.approx([near + once])
    assert times(world, [(2 * a, 2 * b + 1)]) == pytest.approx([near + 0.28e-6 + once / 0.93])
    c = int(np.flatnonzero(~newer & (leaf == leaf[a]))[0])
    assert times(world, [(2 * a, 2 * c)]) == pytest.approx([near + 0.12e-6 + 2 * once])


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_four_quadrants_have_one_of_two_rates_at_random(seed: int) -> None:
    structure = built("4 quadrants, 100 and 200 Gbit/s at random, 2:1 re-hashed, hyperthreads", 64, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4  # for 8 hosts
    newer, older = (np.flatnonzero((structure.overhead == 0) == kind)[:2] * 4 for kind in (True, False))
    assert (structure.rate[:, 0] / RATE).tolist() == np.where(structure.overhead == 0, 2, 1).tolist()
    for (a, b), waits, part in ((newer, 0.0, 2), (older, 0.2e-6, 1), ((newer[0], older[0]), 0.1e-6, 1)):
        apart = 2 * HOP * bool(structure.group[a // 4] != structure.group[b // 4])
        assert times(world, [(int(a), int(b))]) == pytest.approx([near + waits + apart + once / part])
        assert times(world, [(int(a), int(b) + 3)]) == pytest.approx([near + waits + apart + 0.07e-6 + once / part])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.06e-6 + MIB / 13e9])


def test_every_second_group_of_a_dragonfly_has_twice_the_rate() -> None:
    structure = built("routes by load, 100 and 200 Gbit/s in turns by group, hyperthreads", 64)  # groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each, plane.switch[:9].tolist()) == (12, 2, [0, 0, 1, 1, 2, 2, 3, 3, 0])
    assert structure.rate[::8, 0].tolist() == [RATE, 2 * RATE] * 4
    assert times(world, [(0, 1)]) == pytest.approx([near + 0.44e-6 + once])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.44e-6 + HOP + once])
    assert times(world, [(8, 9)]) == pytest.approx([near + once / 2])
    apart = [times(world, [pair])[0] - near - 4 * CABLE for pair in ((0, 16), (0, 8), (8, 24))]
    hops = (np.array(apart) - [0.44e-6 + once, 0.22e-6 + once, once / 2]) / HOP
    assert set(hops.round(6)) <= {1, 2, 3}


def test_groups_of_three_years_are_joined_by_cables_of_the_older_one() -> None:
    structure = built("dragonfly of 100, 200 and 400 Gbit/s by group, hyperthreads", 64)  # groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Bundles)
    assert (structure.rate[::8, 0] / RATE).tolist() == [1, 1, 1, 1, 2, 2, 4, 4]
    width = plane.capacity.reshape(8, 8) / RATE
    assert [width[pair] for pair in ((0, 1), (0, 7), (4, 5), (5, 6), (7, 6))] == [2, 2, 4, 4, 8]
    assert times(world, [(0, 1)]) == pytest.approx([near + 0.36e-6 + once])
    assert times(world, [(32, 33)]) == pytest.approx([near + 0.12e-6 + once / 2])
    assert times(world, [(48, 49)]) == pytest.approx([near + once / 4])
    longer = (times(world, [(0, 48)])[0] - near - 0.18e-6 - once) / HOP
    assert round(longer, 6) in (2, 4.5)
    assert np.bincount(built("dragonfly of 100, 200 and 400 Gbit/s by group, hyperthreads", 32).group).max() == 4


def test_four_ccxs_share_each_of_two_adapters() -> None:
    structure = built("one switch, 8 CCXs in four quadrants with two adapters, hyperthreads", 64)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / (2 * RATE)
    for pair, longer in (((0, 8), 0.0), ((0, 13), 0.0), ((1, 10), 0.06e-6), ((2, 11), 0.12e-6), ((7, 15), 0.12e-6)):
        assert times(world, [pair]) == pytest.approx([near + longer + once])
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * once] * 2)
    for to, longer, rate in ((1, 0.05e-6, 15e9), (2, 0.1e-6, 13e9), (4, 0.17e-6, 11e9), (7, 0.17e-6, 11e9)):
        assert times(world, [(0, to)]) == pytest.approx([INSIDE_LATENCY + longer + MIB / rate])


def test_racks_of_three_rates_have_re_hashed_uplinks_for_two_hosts() -> None:
    structure = built("25, 100 and 200 Gbit/s by rack, 2:1 re-hashed, far socket, hyperthreads", 64)  # racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    plane, when = structure.plane, np.arange(100)
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 8
    assert len(np.unique(plane.path(0 * when, 0 * when + 63, when)[0][:, 0])) == 4
    assert (structure.rate[::8, 0] / RATE).tolist() == [0.25, 0.25, 0.25, 1, 1, 1, 2, 2]
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.8e-6 + 4 * once])
    assert times(world, [(48, 51)]) == pytest.approx([near + 0.3e-6 + 0.3e-6 + once / 0.95])
    assert times(world, [(96, 98)]) == pytest.approx([near + once / 2])
    assert times(world, [(96, 112)]) == pytest.approx([near + 2 * HOP + once / 2])
    assert times(world, [(0, 112)]) == pytest.approx([near + 0.4e-6 + 2 * HOP + 4 * once])


def test_some_ranks_have_a_neighbour_in_their_ccx_and_some_have_none() -> None:
    structure = built("24 CCXs in eight quadrants, unequal numbers of ranks, hyperthreads", 32)
    world = World(structure)
    assert (structure.hosts, structure.ranks) == (1, 32)
    alone = (structure.inside_latency < 0.2e-6).sum(axis=1) == 1
    assert alone.tolist() == [False, False, True, True] * 8  # four ranks on the three CCXs of a quadrant
    for latency, rate, others in ((0.17, 16e9, (1,)), (0.29, 12e9, (2, 3)), (0.35, 11e9, (4, 15)), (0.62, 7e9, (16,))):
        for to in others:
            assert times(world, [(0, to)]) == pytest.approx([latency * 1e-6 + MIB / rate])


def test_both_rails_of_older_and_newer_racks_share_a_leaf() -> None:
    structure = built("2 rails of 100 and 200 Gbit/s by rack, 4:1 static, hyperthreads", 64)  # racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), np.flatnonzero(structure.overhead == 0).tolist()) == ([4] * 8, list(range(40, 64)))
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.2e-6 + 2 * once])  # another rail, on the same leaf
    assert times(world, [(80, 82), (81, 83)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 80)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + 2 * once])
    adapters = np.arange(80, 96)
    most = int(np.bincount(plane.path(adapters, adapters + 16, 0 * adapters)[0][:, 0]).max())
    across = times(world, [(adapter, adapter + 16) for adapter in range(80, 96)])
    assert max(across) == pytest.approx(near + 2 * HOP + most * once)


def test_hosts_of_two_ccxs_are_in_groups_of_two_rates() -> None:
    structure = built("4 ranks on two CCXs, dragonfly of 100 and 200 Gbit/s by group, drift", 64)  # groups of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Dragonfly)
    assert (plane.groups, plane.detours, structure.drift) == (8, 0.25, 0.03)
    assert structure.rate[::4, 0].tolist() == [RATE] * 4 + [2 * RATE] * 4
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.32e-6 + once])
    assert times(world, [(64, 68)]) == pytest.approx([near + once / 2])
    assert round((times(world, [(0, 64)])[0] - near - 0.16e-6 - once) / HOP, 6) in (2, 4.5)
    assert times(world, [(0, 1)]) == pytest.approx([0.25e-6 + MIB / 22e9])
    assert times(world, [(1, 2)]) == pytest.approx([0.45e-6 + MIB / 12e9])


def test_eight_rails_do_not_meet_and_have_a_tree_each() -> None:
    structure = built("8 rails that do not meet, a tree for each, 1:1 static", 64)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    plane, hosts = structure.plane, np.arange(4)
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 4
    assert structure.reachable(np.zeros(3, np.int64), np.array([8, 9, 7])).tolist() == [True, False, True]
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(gpu, 32 + gpu) for gpu in range(8)]) == pytest.approx([near + 2 * HOP + once] * 8)
    uplink = plane.path(hosts, 4 + hosts, 0 * hosts)[0][:, 0]
    across = times(world, [(8 * host, 32 + 8 * host) for host in range(4)])
    assert across == pytest.approx(near + 2 * HOP + np.bincount(uplink)[uplink] * once)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 300e9])


def test_a_hash_gives_flows_one_of_the_four_ports_of_a_bond() -> None:
    structure = built("bonds of four ports of 25 Gbit/s, 3:1 static, far socket", 48)  # leaves of 12
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / (0.25 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.groups[11:13].tolist() == [[0] * 4, [1] * 4]
    assert times(world, [(0, 2), (24, 48)]) == pytest.approx([near + once, near + 2 * HOP + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.6e-6 + once / 0.95])
    to = np.arange(2, 96)
    ports = structure.path(np.zeros_like(to), to, np.zeros_like(to))[0][:, 0]
    assert set(ports.tolist()) == {0, 1, 2, 3}
    one, other = (int(to[ports == port][0]) for port in (0, 1))
    both = times(world, [(0, one), (0, other)])
    assert both == pytest.approx([times(world, [(0, end)])[0] for end in (one, other)])


def test_a_second_rail_has_twice_the_rate_and_a_quarter_of_the_uplinks() -> None:
    structure = built("2 rails of two years, 1:1 and 4:1 re-hashed", 32)  # racks of 8
    world, near, once, when = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / RATE, np.arange(200)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [8] * 4 + [2] * 4
    assert structure.groups[7:9].tolist() == [[0, 4], [1, 5]]
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once, near + once / 2])
    assert times(world, [(0, 3)]) == pytest.approx([near + 2 * HOP + once])  # to the other rail
    assert times(world, [(1, 17)]) == pytest.approx([near + 2 * HOP + once / 2])
    for rail, uplinks in ((0, 8), (1, 2)):
        ways = plane.path(np.full_like(when, rail), np.full_like(when, 16 + rail), when)[0]
        assert len(np.unique(ways[:, 0])) == uplinks


@pytest.mark.parametrize("seed", range(3))
def test_half_of_the_hosts_of_eight_rails_have_twice_the_rate_anywhere(seed: int) -> None:
    structure = built("rail-optimized, 8 rails of 200 and 400 Gbit/s at random, 2:1 adaptive", 64, seed)  # pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    new, pod = structure.processor == 4, structure.group
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 32
    assert (new.sum(), np.bincount(pod).tolist()) == (8, [4] * 4)
    for kind, longer, part in ((new, 0.0, 1), (~new, 0.24e-6, 2)):
        one, other = np.flatnonzero(kind)[[0, -1]].tolist()
        hops = 2 * HOP * (pod[one] != pod[other])
        assert times(world, [(8 * one, 8 * other)]) == pytest.approx([near + longer + hops + part * once])
    assert times(world, [(0, 9)])[0] > times(world, [(0, 8)])[0] + HOP  # another rail: by a spine


def test_relayed_rails_have_half_of_the_uplinks_for_adapters_of_twice_the_rate() -> None:
    structure = built("4 relayed rails of 100 and 200 Gbit/s, 2:1 and 4:1 lingering", 64)  # 32 hosts, leaves of 8
    world, near, once, when = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE, np.arange(64)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([4] * 4, 2)
    assert structure.processor[::8].tolist() == [0, 0, 3, 3]
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.2e-6 + NVLINK_LATENCY + once])  # by GPU 1 of its host
    assert times(world, [(64, 68)]) == pytest.approx([near + once / 2])
    assert times(world, [(0, 64)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + once])
    assert times(world, [(64, 96)]) == pytest.approx([near + 2 * HOP + once])  # an uplink has half of the rate
    uplink = plane.path(np.zeros_like(when), np.full_like(when, 8), when)[0][:, 0]
    assert (np.diff(uplink) != 0).sum() <= 4


def test_hosts_of_an_nvlink_rack_are_on_four_leaves() -> None:
    name = "NVLink racks whose hosts are on four leaves, 2:1 dealt out"
    structure = built(name, 32)  # racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, DealtOut)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert structure.group.reshape(4, 8).tolist() == [[0, 0, 1, 1, 2, 2, 3, 3]] * 4
    assert times(world, [(0, 2), (1, 15)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE] * 2)
    assert times(world, [(0, 16)]) == pytest.approx([near + once])  # another rack, the same leaf
    assert times(world, [(0, 20)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 16), (1, 17)]) == pytest.approx([near + 2 * once] * 2)  # they share an adapter
    across = [(0, 20), (2, 38)]  # the third and the sixth receiver of their leaf
    assert times(world, across) == pytest.approx([near + 2 * HOP + once] * 2)
    assert np.bincount(built(name, 256).group).tolist() == [16] * 16


@pytest.mark.parametrize("seed", range(3))
def test_the_adapter_is_on_either_socket_at_random(seed: int) -> None:
    structure = built("adapter on either socket at random, 4:1 re-hashed, hyperthreads", 32, seed)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert (structure.plane.uplinks.tolist(), structure.oversubscription) == ([2] * 4, 4)
    assert structure.hyperthreads == 0.01
    assert structure.turned.sum() == 16
    for host, other in ((0, 1), (5, 6), (0, 31)):
        for ends in ((0, 0), (1, 0), (1, 1)):
            far = sum(structure.turned[of] != end for of, end in zip((host, other), ends, strict=True))
            hops = 2 * HOP * (other == 31)
            expected = near + hops + far * 0.28e-6 + once / (0.92 if far else 1.0)
            assert times(world, [(2 * host + ends[0], 2 * other + ends[1])]) == pytest.approx([expected])


def test_two_rails_have_islands_of_two_leaves_each() -> None:
    structure = built("2 rails with trees of their own, islands 2:1, 4:1 between them, drift", 64)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([4] * 8, [4] * 4)
    assert structure.drift == 0.03
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.4e-6 + once])  # the other rail
    within = [(2 * host, 16 + 2 * host) for host in range(8)]
    assert times(world, within) == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    between = [(rank, 32 + rank) for rank in range(32)]
    assert times(world, between) == pytest.approx([near + 4 * HOP + CABLE + 4 * once] * 32)
    assert times(world, between[:16:2]) == pytest.approx([near + 4 * HOP + CABLE + 2 * once] * 8)


def test_hashes_choose_a_cable_of_400_for_the_eight_adapters_of_hosts() -> None:
    structure = built("8 rails on the leaf of the rack, LAGs 2:1 to one core", 64)  # 16 hosts, racks of 4
    world, near, once, gpus = World(structure, kernel=ONE_WAY), LATENCY + 2.8e-6, MIB / (2 * RATE), np.arange(32)
    plane = structure.plane
    assert isinstance(plane, LagCore)
    assert plane.uplinks.tolist() == [8] * 4  # 3200 Gbit/s for 32 adapters of 200
    assert times(world, [(0, 8), (1, 10)]) == pytest.approx([near + once] * 2)  # other rails are on the same leaf
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    up, down = plane.path(gpus, 32 + gpus, 0 * gpus)[0].T
    most = max(np.bincount(up).max(), np.bincount(down).max())  # a cable is as wide as two messages
    across = times(world, [(gpu, 32 + gpu) for gpu in range(32)])
    assert max(across) == pytest.approx(near + 2 * HOP + most / 2 * once)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 180e9])


def test_each_message_takes_both_omni_path_trees() -> None:
    structure = built("2 ranks striped over 2 Omni-Path rails, 8:3, tables that change", 32)  # leaves of 8
    world, near, once, hosts = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (2 * RATE), np.arange(8)
    plane = structure.plane
    assert isinstance(plane, Tables)
    assert plane.uplinks.tolist() == [3] * 4
    assert structure.processor[::8].tolist() == [2, 2, 0, 0]
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.28e-6 + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.14e-6 + 2 * HOP + once])
    assert times(world, [(32, 34), (33, 36)]) == pytest.approx([near + 2 * once] * 2)
    now = np.full(8, world.seed * 7919)  # the first moment of this world
    uplink = plane.path(16 + hosts, 24 + hosts, now)[0][:, 0]
    across = times(world, [(32 + 2 * host, 48 + 2 * host) for host in range(8)])
    assert across == pytest.approx(near + 2 * HOP + np.bincount(uplink)[uplink] * once)


def test_spines_of_the_second_maker_take_longer_on_each_of_four_rails() -> None:
    structure = built("rail-optimized, 4 rails, spines of two makers, 2:1 static", 64)  # 32 hosts, pods of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([4] * 16, 2)
    assert structure.groups[7:9].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    to = np.arange(32, 64, 4)  # adapters of the first rail in the next pod
    slow = plane.path(0 * to, to, 0 * to)[0][:, 0] % 2 == 1
    assert 0 < slow.sum() < 8
    for end, second in zip(to.tolist(), slow.tolist(), strict=True):
        assert times(world, [(0, end)]) == pytest.approx([near + 2 * HOP + 0.35e-6 * second + once])


def test_all_that_an_adapter_of_either_socket_sends_takes_one_uplink() -> None:
    structure = built("4 NUMA nodes on 2 rails of the leaf, 4:1 by sender", 64)  # 32 hosts, racks of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    plane, adapters = structure.plane, np.arange(16)
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 4
    assert structure.groups[7:9].tolist() == [[0, 0], [1, 1]]
    assert times(world, [(1, 5), (3, 11)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.14e-6 + once / 0.96])
    ways = [plane.path(adapters, to + adapters, 0 * adapters)[0][:, 0] for to in (16, 32)]
    assert (ways[0] == ways[1]).all()
    across = times(world, [(4 * host + rank, 32 + 4 * host + rank) for host in range(8) for rank in (1, 3)])
    assert across == pytest.approx(near + 2 * HOP + np.bincount(ways[0])[ways[0]] * once)


def test_the_second_half_of_each_group_has_twice_the_rate_and_few_messages_detour() -> None:
    structure = built("dragonfly, few detours, newer half of each group", 64)  # groups of 12
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert np.bincount(structure.group).tolist() == [12, 12, 12, 12, 12, 4]
    assert structure.plane.capacity[1] == 8 * RATE  # for hosts of 18
    assert times(world, [(0, 1)]) == pytest.approx([near + 0.24e-6 + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.12e-6 + once])
    assert times(world, [(6, 11)]) == pytest.approx([near + once / 2])
    when = np.arange(4000)
    ways, latency = structure.plane.path(np.full_like(when, 6), np.full_like(when, 18), when)
    detours = ways[:, 1] != NONE
    assert detours.mean() == pytest.approx(0.08 * 4 / 6, abs=0.015)
    assert np.allclose(latency, LATENCY + np.where(detours, 4.5, 2) * HOP)


def test_hosts_of_the_second_chassis_have_gpus_and_half_of_the_messages_detour() -> None:
    structure = built("chassis in a dragonfly, many detours, GPUs in the second chassis", 64)  # groups of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (0.8 * RATE)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert structure.overhead[:17].tolist() == [0.0] * 8 + [0.2e-6] * 8 + [0.0]
    assert times(world, [(0, 1)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + once])  # another router of the chassis
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.2e-6 + HOP + once])  # the same slot of the other one
    assert times(world, [(0, 10)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])
    assert times(world, [(8, 9)]) == pytest.approx([near + 0.4e-6 + once])
    when = np.arange(4000)
    ways = structure.plane.path(np.zeros_like(when), np.full_like(when, 16), when)[0]
    assert (ways[:, 3] != NONE).mean() == pytest.approx(0.5 * 2 / 4, abs=0.03)


def test_a_job_has_whole_and_half_groups_and_two_switches_for_four_hosts_of_two_rails() -> None:
    structure = built("4 GPUs on 2 rails of 400 Gbit/s, routes by load, whole and half groups", 64)  # 32 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert np.bincount(structure.group).tolist() == [8, 4, 4, 8, 8]
    assert (plane.groups, plane.each, plane.switch[6:10].tolist()) == (8, 3, [0, 1, 2, 3])
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + once])  # the other adapter
    assert times(world, [(0, 16)]) == pytest.approx([near + HOP + once])  # the next four hosts
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once] * 2)
    ways = plane.path(np.arange(8), np.arange(16, 24), np.zeros(8, np.int64))[0]
    assert 1 <= (ways[:, 1] != NONE).sum() <= 5  # three of eight messages go directly, and some others


def test_the_second_leaf_of_each_cell_has_twice_the_rate_and_few_messages_detour() -> None:
    structure = built("dragonfly+, few detours, newer second leaf of each cell, far socket", 64)  # cells of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    assert isinstance(structure.plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [16] * 4
    assert (structure.rate[:, 0] / RATE).tolist() == ([1.0] * 8 + [2.0] * 8) * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.2e-6 + once])
    assert times(world, [(1, 2)]) == pytest.approx([near + 0.44e-6 + once / 0.93])
    assert times(world, [(0, 16)]) == pytest.approx([near + 0.1e-6 + 2 * HOP + once])
    assert times(world, [(16, 18)]) == pytest.approx([near + once / 2])
    assert times(world, [(17, 19)]) == pytest.approx([near + 0.48e-6 + once / 2 / 0.93])
    assert_detours(structure.plane, 16, 0.06 * 2 / 4, 4000, 0.01)


def test_four_of_eight_rails_are_on_each_leaf_of_a_cell_and_many_messages_detour() -> None:
    structure = built("8 GPUs on 8 rails, dragonfly+, many detours, 4 rails on each leaf of a cell", 128)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, PartOfDragonflyPlus)
    assert np.bincount(structure.group).tolist() == [8] * 4  # of six cells
    assert structure.plane.leaf[:68].tolist() == ([0] * 4 + [1] * 4) * 8 + [2] * 4
    assert (structure.plane.groups, structure.plane.each) == (6, 32)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])
    assert times(world, [(0, 11)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])  # a rail of the other socket
    assert times(world, [(rail, 8 + rail) for rail in range(8)]) == pytest.approx([near + once] * 8)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 330e9])
    assert_detours(structure.plane, 64, 0.45 * 4 / 6)


def test_each_socket_has_a_torus_and_messages_to_the_other_one_cross_within_their_host() -> None:
    structure = built("two tori in two dimensions, one for each socket", 32)  # 8 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / 8.4e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (8, 4)
    for to, cables in ((1, 1), (2, 2), (3, 1), (4, 1), (16, 4), (18, 6), (28, 1)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + cables * HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.4e-6 + HOP + once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    assert times(world, [(0, 4), (3, 7)]) == pytest.approx([near + 2 * HOP + once] * 2)  # the other torus
    crosses = times(world, [(0, 5), (3, 7)])  # the first one crosses to the second torus
    assert crosses == pytest.approx([near + 0.4e-6 + 2 * HOP + 2 * once, near + 2 * HOP + 2 * once])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 9e9])


def test_a_mesh_in_four_dimensions_is_not_closed_and_has_far_sockets() -> None:
    structure = built("mesh in four dimensions, far socket", 64)  # 4 x 4 x 2 x 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / 6e9
    assert isinstance(structure.plane, Mesh)
    assert structure.plane.sides == (4, 4, 2, 2)
    assert built("mesh in four dimensions, far socket", 32).plane.sides == (4, 2, 2, 2)  # type: ignore[attr-defined]
    for to, cables in ((1, 1), (2, 1), (3, 2), (4, 1), (12, 3), (16, 1), (48, 3), (63, 8)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + cables * HOP + once])
        assert times(world, [(2 * to, 0)]) == pytest.approx([near + cables * HOP + once])
    assert times(world, [(1, 2)]) == pytest.approx([near + 0.35e-6 + HOP + MIB / 5.76e9])
    assert times(world, [(0, 64), (32, 96)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)
    assert times(world, [(0, 2), (96, 98)]) == pytest.approx([near + HOP + once] * 2)


def test_a_third_of_the_hosts_on_a_torus_of_switches_is_newer_at_random() -> None:
    structure = built("torus of switches in two dimensions, two generations at random", 64)  # 4 x 4 switches
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, structure.plane
    assert isinstance(plane, SwitchTorus)
    assert plane.joined.sum(axis=1).tolist() == [4] * 16
    assert np.bincount(structure.group).tolist() == [4] * 16
    old, new = np.flatnonzero(structure.overhead > 0), np.flatnonzero(structure.overhead == 0)
    assert (len(old), len(new)) == (43, 21)
    assert len(set(structure.group[new].tolist())) > 6  # not in a row
    for one, other, longer, rate in ((*old[[0, -1]], 0.4e-6, 0.32), (*new[[0, -1]], 0.0, 0.545)):
        steps = np.abs(np.subtract(np.divmod(one // 4, 4), np.divmod(other // 4, 4)))
        hops = np.minimum(steps, 4 - steps).sum()
        assert times(world, [(one, other)]) == pytest.approx([near + longer + hops * HOP + MIB / rate / RATE])


def test_two_rails_are_on_two_switches_that_are_joined_each_with_each() -> None:
    structure = built("2 rails of 200 Gbit/s, full mesh of switches by load", 64)  # racks of 16
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, MeshByLoad)
    assert (plane.groups, plane.each) == (8, 2)
    assert structure.groups[15:17].tolist() == [[0, 4], [1, 5]]
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + once])  # the other switch of the rack
    assert times(world, [(0, 32)]) == pytest.approx([near + HOP + once])
    assert times(world, [(0, 32), (2, 34)]) == pytest.approx([near + HOP + once] * 2)
    ways = plane.path(np.arange(0, 32, 2), np.arange(32, 64, 2), np.zeros(16, np.int64))[0]
    assert 6 <= (ways[:, 1] != NONE).sum() <= 14  # two of 16 messages go directly, and some others


def test_messages_go_one_way_around_the_rings_of_three_dimensions() -> None:
    structure = built("one-way rings in three dimensions, two ranks, hyperthreads", 64)  # 4 x 4 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.6e-6, MIB / 330e6
    assert isinstance(structure.plane, OneWayRings)
    assert structure.plane.sides == (4, 4, 4)
    for to, there, back in ((1, 1, 3), (2, 2, 2), (3, 3, 1), (4, 1, 3), (16, 1, 3), (21, 3, 9), (63, 9, 3)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + there * HOP + once])
        assert times(world, [(2 * to, 0)]) == pytest.approx([near + back * HOP + once])
    shared = times(world, [(0, 6), (2, 0), (4, 2)])  # three messages by a cable of 650 MB/s
    assert shared == pytest.approx([near + 3 * HOP + 3 * MIB / 650e6] * 3)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + 2 * HOP + MIB / 325e6] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + MIB / 550e6])
    assert structure.hyperthreads == 0.01


def test_a_job_has_two_whole_groups_and_a_quarter_of_four_in_rows_of_a_hall() -> None:
    structure = built("routes by load in rows, whole groups and quarters, far socket, drift", 64)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, SlingshotInRows)
    assert np.bincount(structure.group).tolist() == [16, 16, 4, 4, 4, 4, 16]
    assert (plane.groups, plane.each, structure.drift) == (9, 2, 0.03)
    assert times(world, [(1, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.28e-6 + once / 0.95])  # the first socket is far
    assert times(world, [(1, 9)]) == pytest.approx([near + HOP + once])  # the next switch
    for to, rows in ((16, 1), (32, 2), (48, 6)):
        apart = times(world, [(1, 2 * to + 1)])[0] - near - once - 4 * CABLE - rows * 0.07e-6
        assert round(apart / HOP, 6) in (1, 2, 3)


def test_a_grid_of_hosts_of_four_chips_is_closed_along_its_longer_side_only() -> None:
    structure = built("4 chips, grid closed along its longer side", 64)  # 32 hosts, 8 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / 100e9
    assert isinstance(structure.plane, ClosedAlongOne)
    assert structure.plane.sides == (8, 4)
    for to, cables in ((1, 1), (3, 3), (4, 1), (16, 4), (28, 1), (31, 4)):
        assert times(world, [(0, 4 * to)]) == pytest.approx([near + cables * HOP + once])
    chips = [(chip, 4 + chip) for chip in range(4)]
    assert times(world, chips[:2]) == pytest.approx([near + HOP + once] * 2)
    assert times(world, chips) == pytest.approx([near + HOP + 2 * once] * 4)  # two links join two hosts
    assert times(world, [(0, 4), (1, 16), (2, 112)]) == pytest.approx([near + HOP + once] * 3)  # a link for each
    assert times(world, [(0, 1)]) == pytest.approx([0.7e-6 + once])
    assert times(world, [(0, 3)]) == pytest.approx([1e-6 + once])


def test_four_ranks_share_an_adapter_of_400_that_two_of_them_are_far_from() -> None:
    structure = built("one switch of 400 Gbit/s, 4 ranks, far socket, 1 % disturbed", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / (4 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.ranks, structure.hyperthreads, structure.drift) == (128, 0.01, 0.0)
    assert times(world, [(0, 4), (9, 13)]) == pytest.approx([LATENCY + once] * 2)
    assert times(world, [(0, 6)]) == pytest.approx([LATENCY + 0.32e-6 + once / 0.88])
    assert times(world, [(2, 7)]) == pytest.approx([LATENCY + 0.64e-6 + once / 0.88])
    together = times(world, [(rank, 4 + rank) for rank in range(4)])
    assert together == pytest.approx([LATENCY + longer + 4 * once for longer in (0, 0, 0.64e-6, 0.64e-6)])
    assert times(world, [(0, 3)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_a_web_shop_has_hosts_by_tcp_on_one_switch() -> None:
    structure = built("one switch of 25 Gbit/s by TCP, 1 % disturbed, drift", 32)
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.ranks, structure.interrupts) == (32, 1.5e-6)
    pairs = [(host, 16 + host) for host in range(16)]
    assert times(World(structure), pairs) == pytest.approx([LATENCY + 16e-6 + MIB / (0.25 * RATE)] * 16)
    rows = World(structure, noise=0.0, iterations=20).results.sizes[-1].rows
    longer = rows.median / (LATENCY + 16e-6 + MIB / (0.25 * RATE))
    assert (longer > 9).mean() == pytest.approx(0.01, abs=0.004)
    late = rows.step >= 0.95 * rows.step.max()
    first = rows.step <= 0.05 * rows.step.max()
    assert np.median(longer[late]) / np.median(longer[first]) == pytest.approx(np.exp(0.04 * 0.95), abs=0.003)


def test_every_fourth_host_has_its_adapter_on_the_second_socket() -> None:
    structure = built("one switch, every fourth adapter on the second socket, drift", 32)
    world, once = World(structure, kernel=ONE_WAY), MIB / RATE
    assert np.flatnonzero(structure.turned).tolist() == [3, 7, 11, 15, 19, 23, 27, 31]
    assert (structure.hyperthreads, structure.drift) == (0.0, 0.05)
    for pair in ((0, 2), (7, 15), (0, 7)):
        assert times(world, [pair]) == pytest.approx([LATENCY + once])
    for pair in ((0, 6), (1, 7)):
        assert times(world, [pair]) == pytest.approx([LATENCY + 0.27e-6 + once / 0.91])
    for pair in ((1, 3), (6, 14), (1, 6)):
        assert times(world, [pair]) == pytest.approx([LATENCY + 0.54e-6 + once / 0.91])


def test_leaves_of_beam_lines_have_an_adaptive_uplink_for_each_host() -> None:
    name = "400 Gbit/s, 1:1 adaptive, leaves of 6 to 10 hosts, far socket, drift"
    structure = built(name, 32)
    world, plane, apart, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 2 * HOP, MIB / (4 * RATE)
    assert isinstance(plane, FatTree)
    assert np.bincount(structure.group).tolist() == plane.uplinks.tolist() == [6, 10, 8, 8]
    assert np.bincount(built(name, 96).group).tolist() == [18, 30, 24, 24]
    assert (structure.oversubscription, structure.drift) == (1.0, 0.03)
    assert times(world, [(2 * host, 12 + 2 * host) for host in range(6)]) == pytest.approx([apart + once] * 6)
    assert times(world, [(13, 33)]) == pytest.approx([apart + 0.48e-6 + once / 0.89])
    both = times(world, [(0, 12), (1, 13)])  # the adapter is what they share
    assert both == pytest.approx([apart + 2 * once, apart + 0.48e-6 + 2 * once])


def test_half_racks_have_a_static_uplink_for_each_of_four_hosts() -> None:
    structure = built("25 Gbit/s, 1:1 static, half racks, 1 % disturbed, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.8e-6, MIB / (0.25 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([4] * 8, [4] * 8)
    assert (structure.hyperthreads, structure.drift) == (0.01, 0.06)
    assert times(world, [(0, 1), (2, 3)]) == pytest.approx([near + once] * 2)
    hosts = np.arange(4)
    for first in range(4, 32, 4):
        uplink, later = (plane.path(hosts, first + hosts, hosts + step)[0][:, 0] for step in (0, 99))
        assert uplink.tolist() == later.tolist()
        across = times(world, [(host, first + host) for host in range(4)])
        assert across == pytest.approx(near + 2 * HOP + np.bincount(uplink)[uplink] * once)


def test_leaves_of_6_and_8_hosts_have_four_re_hashed_uplinks_each() -> None:
    name = "four re-hashed uplinks, leaves of 6 and 8 hosts, far socket, 1 % disturbed"
    structure = built(name, 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.2e-6, MIB / (2 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([6, 6, 6, 6, 8], [4] * 5)
    assert built(name, 64).plane.uplinks.tolist() == [8] * 5  # type: ignore[attr-defined]
    assert (structure.oversubscription, structure.hyperthreads) == (1.5, 0.01)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 48)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(1, 49)]) == pytest.approx([near + 0.6e-6 + 2 * HOP + once / 0.92])
    when = np.arange(400)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 24), when)[0]
    assert np.bincount(ways[:, 0]) / 400 == pytest.approx([0.25] * 4, abs=0.07)


def test_two_static_uplinks_of_100_are_for_4_to_12_hosts_of_50() -> None:
    structure = built("50 Gbit/s, two static uplinks of 100 for leaves of 4 to 12 hosts", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 2.2e-6, MIB / (0.5 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([4, 12, 6, 10], [2] * 4)
    assert set(plane.capacity) == {RATE}
    hosts = np.arange(10)
    uplink = plane.path(4 + hosts, 22 + hosts, hosts)[0][:, 0]  # from the second leaf to the fourth one
    many = np.bincount(uplink)[uplink]
    across = times(world, [(4 + host, 22 + host) for host in range(10)])
    assert across == pytest.approx(near + 2 * HOP + np.maximum(many / 2, 1) * once)
    assert times(world, [(4 + host, 10 + host) for host in range(6)]) == pytest.approx([near + once] * 6)


def test_four_ranks_on_leaves_with_a_re_hashed_uplink_for_four_hosts() -> None:
    structure = built("100 Gbit/s, 4:1 re-hashed, 4 ranks, far socket, drift", 32)  # leaves of 8
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.4e-6, MIB / RATE
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription, structure.drift) == ([2] * 4, 4, 0.05)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(3, 127)]) == pytest.approx([near + 2 * HOP + 0.56e-6 + once / 0.94])
    hosts, when = np.arange(8), np.arange(100)
    many = np.bincount(plane.path(hosts, 8 + hosts, 0 * hosts + 7919)[0][:, 0])  # in the first step of this seed
    across = times(world, [(4 * host, 32 + 4 * host) for host in range(8)])
    assert sorted(across) == pytest.approx(sorted(near + 2 * HOP + np.repeat(many, many) * once))
    assert 0.35 < plane.path(0 * when, 0 * when + 8, when)[0][:, 0].mean() < 0.65


def test_desks_of_6_to_10_hosts_have_four_lingering_uplinks_each() -> None:
    structure = built("four lingering uplinks, leaves of 6 to 10 hosts, far socket, 1 % disturbed", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1e-6, MIB / RATE
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([6, 9, 7, 10], [4] * 4)
    assert (structure.oversubscription, structure.hyperthreads) == (1.5, 0.01)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 63)]) == pytest.approx([near + 2 * HOP + 0.26e-6 + once / 0.95])
    when = np.arange(16 * 40)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 31), when)[0][:, 0]
    changed = np.flatnonzero(np.diff(ways))
    assert (np.diff(changed) % 16 == 0).all()
    assert set(ways.tolist()) == {0, 1, 2, 3}


def test_receivers_on_floors_of_4_to_11_hosts_have_one_of_four_uplinks() -> None:
    structure = built("200 Gbit/s, four uplinks by receiver, leaves of 4 to 11 hosts, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 0.2e-6, MIB / (2 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([4, 9, 11, 8], [4] * 4)
    assert (structure.hyperthreads, structure.drift) == (0.0, 0.07)
    assert times(world, [(host, 4 + host) for host in range(4)]) == pytest.approx([near + 2 * HOP + once] * 4)
    assert times(world, [(0, 4), (1, 8), (2, 9)]) == pytest.approx([near + 2 * HOP + part * once for part in (2, 2, 1)])
    across = times(world, [(4 + host, 13 + host) for host in range(9)])  # receivers 13, 17 and 21 share an uplink
    assert across == pytest.approx([near + 2 * HOP + (3 if host % 4 == 0 else 2) * once for host in range(9)])
    assert times(world, [(4, 12), (13, 23)]) == pytest.approx([near + once] * 2)


def test_flowlets_of_8_hosts_share_four_uplinks_evenly() -> None:
    structure = built("flowlets, 2:1, far socket, 1 % disturbed, drift", 32)  # leaves of 8
    world, plane, apart = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.3e-6 + 2 * HOP
    once = MIB / (2 * RATE)
    assert isinstance(plane, Flowlets)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([4] * 4, 2)
    assert (structure.hyperthreads, structure.drift) == (0.01, 0.02)
    assert times(world, [(0, 2)]) == pytest.approx([LATENCY + 1.3e-6 + once])
    assert times(world, [(1, 17)]) == pytest.approx([apart + 0.58e-6 + once / 0.93])
    assert times(world, [(2 * host, 16 + 2 * host) for host in range(4)]) == pytest.approx([apart + once] * 4)
    assert times(world, [(2 * host, 16 + 2 * host) for host in range(8)]) == pytest.approx([apart + 2 * once] * 8)


def test_four_adaptive_uplinks_are_for_5_to_13_hosts() -> None:
    name = "400 Gbit/s, four adaptive uplinks for leaves of 5 to 13 hosts, drift"
    structure = built(name, 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 0.3e-6, MIB / (4 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([5, 13, 6, 8], [4] * 4)
    assert built(name, 128).plane.uplinks.tolist() == [16] * 4  # type: ignore[attr-defined]
    assert (structure.oversubscription, structure.hyperthreads, structure.drift) == (1.25, 0.01, 0.04)
    assert times(world, [(host, 5 + host) for host in range(5)]) == pytest.approx([near + 2 * HOP + 1.25 * once] * 5)
    across = times(world, [(5 + host, 18 + host) for host in range(13)])  # of 13 hosts to 6 and to 7
    assert across == pytest.approx([near + 2 * HOP + 13 / 4 * once] * 13)
    assert times(world, [(5, 17), (6, 16)]) == pytest.approx([near + once] * 2)


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_two_ccxs_on_one_switch_have_three_rates_at_random(seed: int) -> None:
    structure = built("one switch, 25, 100 and 200 Gbit/s at random, 4 ranks on two CCXs, hyperthreads", 64, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    assert np.bincount(structure.processor).tolist() == [16, 0, 8, 8]
    for kind, longer, part in ((2, 0.7e-6, 4), (0, 0.3e-6, 1), (3, 0.0, 0.5)):
        one, other = np.flatnonzero(structure.processor == kind)[[0, -1]].tolist()
        assert other - one >= 8  # not in a row
        assert times(world, [(4 * one, 4 * other + 3)]) == pytest.approx([near + longer + part * once])
    assert times(world, [(0, 1)]) == pytest.approx([0.22e-6 + MIB / 21e9])
    assert times(world, [(1, 2)]) == pytest.approx([0.5e-6 + MIB / 11e9])


def test_racks_of_three_rates_stand_in_a_row() -> None:
    structure = built("long cables in a row of racks, 100, 200 and 400 Gbit/s by rack, drift", 32)  # racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert (structure.rate[::4, 0] / RATE).tolist() == [1, 1, 1, 2, 2, 2, 4, 4]
    assert structure.drift == 0.05
    assert times(world, [(0, 3), (12, 15)]) == pytest.approx([near + 0.4e-6 + once, near + 0.16e-6 + once / 2])
    assert times(world, [(0, 8)]) == pytest.approx([near + 0.4e-6 + 2 * CABLE + once])
    assert times(world, [(0, 31)]) == pytest.approx([near + 0.2e-6 + 7 * CABLE + once])
    assert times(world, [(24, 31)]) == pytest.approx([near + CABLE + once / 4])


def test_twelve_ranks_are_on_the_ccxs_of_four_quadrants() -> None:
    name = "one switch, 12 ranks on CCXs in four quadrants, 200 and later 400 Gbit/s, hyperthreads"
    structure = built(name, 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (4 * RATE)
    assert (structure.hosts, structure.ranks, structure.processor.tolist()) == (8, 96, [3] * 4 + [4] * 4)
    assert times(world, [(6, 18)]) == pytest.approx([near + 0.24e-6 + 2 * once])
    assert times(world, [(6, 54)]) == pytest.approx([near + 0.12e-6 + 2 * once])
    assert times(world, [(54, 66)]) == pytest.approx([near + once])
    assert times(world, [(48, 63)]) == pytest.approx([near + 0.11e-6 + once])  # the first quadrant and the second
    assert times(world, [(48, 60), (49, 61)]) == pytest.approx([near + 0.14e-6 + 2 * once] * 2)
    assert times(world, [(0, 2)]) == pytest.approx([0.36e-6 + MIB / 15e9])
    assert times(world, [(2, 3)]) == pytest.approx([0.44e-6 + MIB / 12e9])


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_three_rates_at_random_have_fixed_uplinks(seed: int) -> None:
    structure = built("25, 100 and 200 Gbit/s at random, 2:1 static, hyperthreads", 64, seed)  # leaves of 16
    world, near, plane, when = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, structure.plane, np.arange(9)
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [4] * 4
    assert np.ptp(plane.path(0 * when, 0 * when + 63, when)[0][:, 0]) == 0
    assert np.bincount(structure.processor).tolist() == [32, 0, 16, 16]
    for kind, longer, rate in ((2, 0.8e-6, 0.25), (0, 0.3e-6, 1), (3, 0.0, 2)):
        one, other = np.flatnonzero(structure.processor == kind)[[0, -1]].tolist()
        hops = 2 * HOP * (structure.group[one] != structure.group[other])
        assert times(world, [(one, other)]) == pytest.approx([near + longer + hops + MIB / rate / RATE])


def test_each_leaf_has_hosts_of_three_years() -> None:
    structure = built("56, 100 and 200 Gbit/s in each leaf, 1:1 adaptive, far socket, hyperthreads", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [4] * 4
    assert (structure.rate[:, 0] / RATE).tolist() == pytest.approx(([0.545] * 3 + [1] * 3 + [2] * 2) * 4)
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.5e-6 + once / 0.545])
    assert times(world, [(0, 12)]) == pytest.approx([near + 0.25e-6 + once / 0.545])
    assert times(world, [(6, 24)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])
    assert times(world, [(13, 15)]) == pytest.approx([near + 0.52e-6 + once / 2 / 0.94])


def test_quadrants_are_in_racks_of_two_rates_in_turns() -> None:
    name = "4 quadrants, 200 and 400 Gbit/s in turns of racks, 1:1 and 2:1 lingering, drift"
    structure = built(name, 64)  # 32 hosts, racks of 8
    world, near, once, when = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (4 * RATE), np.arange(64)
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([4] * 4, 1)
    assert (structure.rate[::8, 0] / RATE).tolist() == [2, 4, 2, 4]
    assert times(world, [(3, 7)]) == pytest.approx([near + 0.2e-6 + 2 * once])
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.26e-6 + 2 * once])  # the adapter is on the last quadrant
    assert times(world, [(35, 99)]) == pytest.approx([near + 2 * HOP + once])
    uplink = plane.path(0 * when, 0 * when + 8, when)[0][:, 0]
    assert (np.diff(uplink) != 0).sum() <= 4


@pytest.mark.parametrize("seed", range(3))
def test_a_quarter_of_the_hosts_of_two_ccxs_is_newer_anywhere_in_pods(seed: int) -> None:
    name = "2 ranks on two CCXs, pods of two leaves, newer quarter at random, hyperthreads"
    structure = built(name, 32, seed)  # leaves of 4
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, structure.plane
    assert isinstance(plane, Stacked)
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([2] * 8, [2] * 4)
    newer = structure.overhead == 0
    assert newer.sum() == 8
    for to, longer in ((1, 0.0), (4, 2 * HOP), (8, 4 * HOP + CABLE)):
        longer += 0.14e-6 * (2 - newer[[0, to]].sum())
        rate = 2 * RATE if newer[[0, to]].all() else RATE
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + longer + MIB / rate])
    assert times(world, [(0, 1)]) == pytest.approx([0.45e-6 + MIB / 12e9])


@pytest.mark.parametrize("seed", range(3))
def test_a_third_of_the_hosts_of_four_ccxs_is_newer_and_routes_follow_the_load(seed: int) -> None:
    name = "4 ranks on four CCXs, routes by load, 100 and 200 Gbit/s at random, hyperthreads"
    structure = built(name, 32, seed)  # 16 hosts, groups of 4
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each, np.bincount(structure.group).tolist()) == (7, 1, [4] * 4)
    newer = structure.overhead == 0
    assert newer.sum() == 5
    for to, hops in ((1, 0), (3, HOP)):  # on the same switch of the group, and on the other one
        longer = hops + 0.18e-6 * (2 - newer[[0, to]].sum())
        rate = 2 * RATE if newer[[0, to]].all() else RATE
        assert times(world, [(0, 4 * to)]) == pytest.approx([near + longer + MIB / rate])
    assert times(world, [(1, 2)]) == pytest.approx([0.48e-6 + MIB / 12e9])


def test_cells_of_three_years_have_three_rates_and_many_detours() -> None:
    structure = built("dragonfly+ of 100, 200 and 400 Gbit/s by cell, many detours, hyperthreads", 32)  # cells of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, DragonflyPlus)
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert (structure.rate[::4, 0] / RATE).tolist() == [1, 1, 1, 2, 2, 2, 4, 4]
    assert times(world, [(0, 1), (12, 13)]) == pytest.approx([near + 0.44e-6 + once, near + 0.2e-6 + once / 2])
    assert times(world, [(24, 26)]) == pytest.approx([near + 2 * HOP + once / 4])  # the other leaf of the cell
    longer = times(world, [(0, 24)])[0] - near - 0.22e-6 - once
    assert round(longer / HOP, 6) in (3, 4)
    assert_detours(structure.plane, 24, 0.5 * 6 / 8)


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_four_quadrants_have_two_rates_anywhere_in_a_dragonfly(seed: int) -> None:
    name = "4 quadrants, dragonfly of 200 and 400 Gbit/s at random, drift"
    structure = built(name, 32, seed)  # 16 hosts, groups of 4
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, structure.plane
    assert isinstance(plane, Dragonfly)
    assert (plane.groups, plane.detours, structure.drift) == (4, 0.15, 0.03)
    newer = structure.overhead == 0
    assert newer.sum() == 6
    longer = 0.11e-6 * (2 - newer[:2].sum()) + MIB / (4 * RATE if newer[:2].all() else 2 * RATE)
    assert times(world, [(1, 5)]) == pytest.approx([near + longer])  # the adapter is on the second quadrant
    assert times(world, [(0, 7)]) == pytest.approx([near + longer + 0.1e-6])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.06e-6 + MIB / 14e9])


def test_ranks_go_in_turns_to_the_numa_nodes_of_four_sockets() -> None:
    structure = built("four sockets of two NUMA nodes, ranks in turns, hyperthreads, drift", 32)
    world = World(structure)
    assert (structure.hosts, structure.ranks, structure.hyperthreads, structure.drift) == (1, 32, 0.01, 0.04)
    for latency, rate, others in ((0.21, 13e9, (8, 16, 24)), (0.28, 10e9, (1, 9)), (0.56, 6e9, (2, 3, 7, 10))):
        for to in others:
            assert times(world, [(0, to)]) == pytest.approx([latency * 1e-6 + MIB / rate])


def test_ranks_on_the_ccxs_of_two_sockets_take_the_same_spine_there_and_back() -> None:
    name = "4 CCXs of two sockets, racks of 25 and 100 Gbit/s, same spine back, hyperthreads"
    structure = built(name, 32)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    plane, hosts = structure.plane, np.arange(4)
    assert isinstance(plane, SameSpineBack)
    assert (plane.uplinks.tolist(), structure.processor[::4].tolist()) == ([2] * 4, [2, 2, 3, 3])
    there, back = plane.path(hosts, 15 - hosts, hosts)[0], plane.path(15 - hosts, hosts, hosts)[0]
    assert (there[:, 0] + plane.ways == back[:, 1]).all()
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.6e-6 + 4 * once])
    assert times(world, [(32, 54)]) == pytest.approx([near + 2 * HOP + 0.3e-6 + once / 0.93])
    for to, time in ((1, 0.42e-6 + MIB / 12e9), (2, 0.75e-6 + MIB / 8e9)):
        assert times(world, [(0, to)]) == pytest.approx([time])


def test_bonds_on_two_leaves_send_all_to_another_leaf_by_one_uplink() -> None:
    structure = built("bonds of 100 Gbit/s on two leaves, one tunnel from leaf to leaf, 2:1, far socket", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, LeafTunnels)
    assert (plane.uplinks.tolist(), structure.groups[7:9].tolist()) == ([4] * 8, [[0, 4], [1, 5]])  # racks of 8
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.54e-6 + once / 0.94])
    assert times(world, [(0, 62)]) == pytest.approx([near + 2 * HOP + once])
    adapters = np.arange(0, 16, 2)  # the first ports of a rack
    assert len(np.unique(plane.path(adapters, adapters + 16, 0 * adapters)[0][:, 0])) == 1


def test_a_bond_of_four_ports_has_a_tree_for_each_port() -> None:
    structure = built("4 GPUs on a bond of four planes, 2:1 re-hashed, far socket", 32)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (2 * RATE)
    plane, to, when = structure.plane, np.arange(16, 64), np.arange(100)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), len(structure.capacity)) == ([2] * 4, 2 * 64 + 4 * 16)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.24e-6 + once / 0.95])
    assert times(world, [(3, 7)]) == pytest.approx([near + 0.48e-6 + once / 0.95])
    ways = structure.path(np.zeros_like(to), to, np.zeros_like(to))[0]
    assert set(ways[:, 0].tolist()) == {0, 1, 2, 3}
    assert ((ways[:, 2] - 128) // 16 == ways[:, 0]).all()  # each port has the ways of its own tree
    assert len(np.unique(plane.path(0 * when, 0 * when + 4, when)[0][:, 0])) == 2


@pytest.mark.parametrize("seed", range(3))
def test_two_rails_do_not_meet_and_half_of_the_hosts_have_twice_the_rate_anywhere(seed: int) -> None:
    structure = built("2 rails that do not meet, 100 and 200 Gbit/s at random, 3:1 adaptive, drift", 32, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    newer, leaf = structure.overhead == 0, structure.group
    assert isinstance(structure.plane, FatTree)
    assert (structure.plane.uplinks.tolist(), newer.sum(), structure.drift) == ([2] * 4, 16, 0.04)
    assert structure.reachable(np.zeros(3, np.int64), np.array([1, 2, 3])).tolist() == [True, True, False]
    for kind, longer, part in ((newer, 0.0, 1), (~newer, 0.28e-6, 2)):
        one, other = np.flatnonzero(kind)[[0, -1]].tolist()
        hops = 2 * HOP * (leaf[one] != leaf[other])
        both = [(2 * one, 2 * other), (2 * one + 1, 2 * other + 1)]
        assert times(world, both) == pytest.approx([near + longer + hops + part * once] * 2)


def test_two_of_four_gpus_are_far_from_their_adapters() -> None:
    structure = built("4 rails of the first socket on the leaf, 4:1 lingering, hyperthreads", 32)  # racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / RATE
    plane, when = structure.plane, np.arange(160)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.groups[3:5].tolist()) == ([4] * 4, [[0] * 4, [1] * 4])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])
    assert times(world, [(0, 7)]) == pytest.approx([near + 0.35e-6 + once / 0.88])
    assert times(world, [(2, 63)]) == pytest.approx([near + 0.7e-6 + 2 * HOP + once / 0.88])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once] * 2)
    uplink = plane.path(np.zeros_like(when), np.full_like(when, 16), when)[0][:, 0]
    assert 1 <= (np.diff(uplink) != 0).sum() <= 10


def test_each_message_is_striped_over_two_adapters_of_the_leaf() -> None:
    structure = built("2 rails of the leaf, striped, 4:1 re-hashed, two processors, hyperthreads", 32)  # racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [2] * 8  # for 8 adapters
    assert structure.processor[::4].tolist() == [0] * 4 + [3] * 4
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.32e-6 + once])
    assert times(world, [(32, 34)]) == pytest.approx([near + once])
    assert times(world, [(32, 34), (33, 35)]) == pytest.approx([near + 2 * once] * 2)  # two ranks share both
    costs = world.costs_of(Order(np.arange(40), np.zeros(40, np.int64), np.full(40, 40)), 0)
    assert costs.latency[0] == pytest.approx(near + 0.16e-6 + 2 * HOP)
    assert set((2 * RATE / costs.rate[0]).round(6)) == {1, 2}  # two uplinks, or one for both parts


def test_messages_to_the_other_rail_cross_the_bridge_of_two_gpus() -> None:
    structure = built("2 bridged GPUs on 2 relayed rails, 4:1 re-hashed, hyperthreads", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / RATE
    plane, when = structure.plane, np.arange(100)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([2] * 4, 4)
    assert times(world, [(0, 2), (1, 17)]) == pytest.approx([near + once, near + 2 * HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + NVLINK_LATENCY + once])
    crosses = times(world, [(0, 3), (1, 5)])  # both leave by the second adapter
    assert crosses == pytest.approx([near + NVLINK_LATENCY + 2 * once, near + 2 * once])
    assert times(world, [(0, 1)]) == pytest.approx([NVLINK_LATENCY + MIB / 50e9])
    assert len(np.unique(plane.path(0 * when, 0 * when + 8, when)[0][:, 0])) == 2


def test_nvlink_joins_the_gpus_of_two_hosts_that_relay_to_four_rails() -> None:
    structure = built("NVLink pairs of hosts, 4 relayed rails, 2:1 lingering", 32)  # 16 hosts, leaves of two pairs
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert (structure.plane.uplinks.tolist(), structure.plane.routes) == ([2] * 4, "lingering")
    by_nvlink = NVLINK_LATENCY + MIB / NVLINK_RATE
    assert times(world, [(0, 4), (1, 7)]) == pytest.approx([by_nvlink] * 2)
    assert times(world, [(4, 8)]) == pytest.approx([near + once])  # the next pair, on the same leaf
    assert times(world, [(4, 9)]) == pytest.approx([near + NVLINK_LATENCY + once])  # another rail
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    across = times(world, [(rail, 16 + rail) for rail in range(4)])
    assert across == pytest.approx([near + 2 * HOP + once] * 4)  # a tree for each rail


def test_senders_of_racks_of_two_rates_have_an_uplink_each() -> None:
    structure = built("100 and 200 Gbit/s in turns by rack, 2:1 and 4:1 by sender, far socket", 32)  # racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    plane, to = structure.plane, np.arange(8, 32)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.processor[::4].tolist()) == ([2] * 8, [0, 3] * 4)
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.26e-6 + once])
    assert times(world, [(1, 3)]) == pytest.approx([near + 0.26e-6 + 0.6e-6 + once / 0.93])
    assert times(world, [(8, 10)]) == pytest.approx([near + once / 2])
    assert times(world, [(8, 24)]) == pytest.approx([near + 2 * HOP + once])  # an uplink has half of the rate
    uplinks = [np.unique(plane.path(np.full_like(to, host), to, 0 * to)[0][:, 0]) for host in range(4)]
    assert [len(of) for of in uplinks] == [1] * 4


def test_odd_and_even_rails_of_two_hosts_have_a_leaf_each() -> None:
    structure = built("8 rails, odd and even on two leaves of the rack, 4:1 re-hashed, hyperthreads", 32)  # 8 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (4 * RATE)
    plane, when = structure.plane, np.arange(100)
    assert isinstance(plane, FatTree)
    assert plane.uplinks.tolist() == [2] * 8  # for 8 adapters
    assert structure.groups[1:3].tolist() == [[0, 4] * 4, [1, 5] * 4]
    assert times(world, [(0, 8), (2, 14)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # from an even to an odd rail
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 300e9])
    assert len(np.unique(plane.path(0 * when, 0 * when + 16, when)[0][:, 0])) == 2


def test_four_rails_do_not_meet_and_have_islands_of_two_leaves() -> None:
    structure = built("4 rails that do not meet, islands 1:1, 2:1 between them, re-hashed, drift", 32)  # leaves of 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(100)
    assert isinstance(plane, Stacked)
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([2] * 8, [2] * 4)
    assert structure.reachable(np.zeros(3, np.int64), np.array([3, 4, 5])).tolist() == [True, True, False]
    for to, hops in ((4, 0), (8, 2), (16, 4), (60, 4)):
        assert times(world, [(0, to)]) == pytest.approx([near + hops * HOP + once])
    across = times(world, [(rail, 16 + rail) for rail in range(4)])
    assert across == pytest.approx([near + 4 * HOP + once] * 4)  # a tree for each rail
    ways = plane.path(0 * when, 0 * when + 4, when)[0]
    assert [len(np.unique(level)) for level in ways.T] == [2] * 4


def test_every_second_of_four_adapters_has_twice_the_rate() -> None:
    structure = built("4 rails of 100 and 200 Gbit/s in turns, 3:1 adaptive, drift", 32)  # 16 hosts, racks of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1e-6, MIB / RATE
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.groups[3:5].tolist()) == ([4] * 4, [[0] * 4, [1] * 4])
    assert structure.rate.sum(axis=1).reshape(4, 4).sum(axis=1).tolist() == (3 * plane.capacity[:4]).tolist()
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + once, near + once / 2])
    assert times(world, [(0, 5)]) == pytest.approx([near + once])
    every = times(world, [(rank, 16 + rank) for rank in range(16)])
    assert every == pytest.approx([near + 2 * HOP + 2 * once] * 16)  # 16 messages share 800 Gbit/s


def test_a_hash_of_the_sender_gives_each_of_eight_rails_an_uplink() -> None:
    structure = built("rail-optimized, 8 rails of 200 Gbit/s, 1:1 by sender, hyperthreads, drift", 32)  # pods of 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (2 * RATE)
    plane, adapters = structure.plane, np.arange(16)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.hyperthreads, structure.drift) == ([2] * 32, 0.01, 0.03)
    assert structure.groups[1:3, :2].tolist() == [[0, 4], [1, 5]]
    assert times(world, [(0, 8), (7, 15)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 9)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    ways = [plane.path(adapters, adapters + to, 0 * adapters)[0][:, 0] for to in (16, 32)]
    assert (ways[0] == ways[1]).all()
    across = times(world, [(adapter, adapter + 16) for adapter in range(16)])
    assert across == pytest.approx(near + 2 * HOP + np.bincount(ways[0])[ways[0]] * once)


def test_every_second_blade_of_a_dragonfly_is_newer_and_most_messages_try_a_detour() -> None:
    structure = built("dragonfly, most messages detour, every second blade newer, far socket", 32)  # groups of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert (structure.rate[:, 0] / RATE).tolist() == [1, 1, 2, 2] * 8
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.28e-6 + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.14e-6 + once])
    assert times(world, [(4, 6)]) == pytest.approx([near + once / 2])
    assert times(world, [(5, 6)]) == pytest.approx([near + 0.22e-6 + once / 2 / 0.94])
    when = np.arange(4000)
    ways, latency = structure.plane.path(np.zeros_like(when), np.full_like(when, 4), when)
    assert (ways[:, 1] != NONE).mean() == pytest.approx(0.65 * 6 / 8, abs=0.03)
    assert np.allclose(latency, LATENCY + np.where(ways[:, 1] != NONE, 4.5, 2) * HOP)


def test_a_job_of_two_rails_has_a_whole_group_and_parts_and_few_detours_also_by_others() -> None:
    structure = built("2 rails, dragonfly, few detours, whole groups, two thirds and thirds", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(4000)
    assert isinstance(plane, Bundles)
    assert (np.bincount(structure.group).tolist(), plane.groups) == ([12, 8, 4, 8], 6)
    assert plane.capacity[1] == 4 * 2 * RATE
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + once])  # another switch of the group
    assert round((times(world, [(0, 24)])[0] - near - once) / HOP, 6) in (2, 4.5)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 24), when)[0]
    assert (ways[:, 1] != NONE).mean() == pytest.approx(0.1 * 4 / 6, abs=0.015)
    assert {4, 5} <= set((ways[:, 0] % 6).tolist())


def test_the_second_rail_in_a_dragonfly_by_load_has_twice_the_rate() -> None:
    structure = built("rails of 100 and 200 Gbit/s, routes by load, whole groups and thirds, drift", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.44e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (np.bincount(structure.group).tolist(), structure.drift) == ([12, 4, 12, 4], 0.04)
    assert (plane.groups, plane.each, plane.switch[6:10].tolist()) == (7, 4, [0, 1, 2, 3])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once, near + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + 2 * once])  # the other rail
    assert times(world, [(1, 9)]) == pytest.approx([near + HOP + once])  # the next four hosts
    assert round((times(world, [(1, 25)])[0] - near - 4 * CABLE - once) / HOP, 6) in (1, 2, 3)
    ways = plane.path(np.arange(24), np.arange(32, 56), np.zeros(24, np.int64))[0]
    assert 4 <= (ways[:, 1] == NONE).sum() <= 18  # four of 24 messages go directly, and those without another group


def test_numa_nodes_on_two_rails_are_in_rows_of_five_and_three_hosts() -> None:
    structure = built("4 NUMA nodes on 2 rails, routes by load, rows of 5 and 3 hosts, hyperthreads", 32)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, SlingshotInRows)
    assert (np.bincount(structure.group).tolist(), plane.groups, plane.each) == ([5, 3, 5, 3], 6, 2)
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once, near + 0.12e-6 + 2 * once])
    assert times(world, [(0, 6)]) == pytest.approx([near + HOP + once])  # the other adapter
    assert times(world, [(0, 16)]) == pytest.approx([near + HOP + once])  # the fifth host
    for to, rows in ((5, 1), (8, 2), (13, 3)):
        apart = times(world, [(0, 4 * to)])[0] - near - once - 4 * CABLE - rows * 0.09e-6
        assert round(apart / HOP, 6) in (1, 2, 3)
    assert times(world, [(0, 3)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 8e9])


def test_cells_of_a_dragonfly_plus_are_in_two_rooms_and_many_messages_detour() -> None:
    structure = built("dragonfly+ in two rooms, 4 GPUs on 2 rails of 400 Gbit/s, many detours", 32)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (4 * RATE)
    plane, when = structure.plane, np.arange(4000)
    assert isinstance(plane, DragonflyPlusInRows)
    assert (np.bincount(structure.group).tolist(), plane.row.tolist()) == ([4] * 4, [0, 0, 1, 1])
    assert times(world, [(0, 6)]) == pytest.approx([near + once])  # the other adapter is on the same leaf
    assert times(world, [(1, 5)]) == pytest.approx([near + 0.16e-6 + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf of the cell
    for to, direct, by_third in ((8, 0.0, 0.5e-6), (16, 0.25e-6, 0.25e-6)):  # the same room, and the other one
        ways, latency = plane.path(np.zeros_like(when), np.full_like(when, to), when)
        detours = ways[:, 2] != NONE
        assert np.allclose(latency, LATENCY + np.where(detours, 4 * HOP + by_third, 3 * HOP + direct), atol=1e-12)
        assert detours.mean() == pytest.approx(0.45 * 2 / 4, abs=0.03)


def test_cells_of_a_dragonfly_plus_have_three_rates_and_few_messages_detour() -> None:
    structure = built("dragonfly+ of 100, 200 and 400 Gbit/s by cell, few detours, far socket", 32)  # cells of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.36e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, DragonflyPlus)
    assert (structure.rate[::8, 0] / RATE).tolist() == [1, 1, 2, 4]
    assert structure.processor[::8].tolist() == [0, 0, 3, 4]
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.4e-6 + 4 * once])
    assert times(world, [(32, 35)]) == pytest.approx([near + 0.18e-6 + 0.26e-6 + 2 * once / 0.95])
    assert times(world, [(48, 50)]) == pytest.approx([near + once])
    assert times(world, [(48, 56)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf
    assert round((times(world, [(0, 48)])[0] - near - 0.2e-6 - 4 * once) / HOP, 6) in (3, 4)
    assert_detours(structure.plane, 8, 0.1 * 2 / 4, 4000, 0.012)


def test_a_job_of_two_rails_has_only_the_second_leaf_of_each_cell() -> None:
    structure = built("2 rails, dragonfly+, only the second leaf of each cell, hyperthreads", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.56e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert (np.bincount(structure.group).tolist(), plane.groups, plane.each) == ([8] * 4, 6, 16)
    assert np.unique(plane.leaf).tolist() == [1, 3, 5, 7]
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 15)]) == pytest.approx([near + once])  # the other rail, on the same leaf
    assert round((times(world, [(0, 16)])[0] - near - once) / HOP, 6) in (3, 4)
    assert_detours(plane, 16, 0.35 * 4 / 6)
    assert structure.hyperthreads == 0.01


def test_hosts_at_the_end_of_a_torus_of_switches_are_newer() -> None:
    structure = built("torus of switches in three dimensions, 56 and 100 Gbit/s, far socket, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, SwitchTorus)
    assert structure.plane.joined.sum(axis=1).tolist() == [4] * 16  # 4 x 2 x 2
    assert np.flatnonzero(structure.overhead == 0).tolist() == list(range(20, 32))  # the last six switches
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.32e-6 + once / 0.545])
    assert times(world, [(40, 42)]) == pytest.approx([near + once])
    for to, cables in ((21, 0), (22, 1), (24, 2), (26, 3), (28, 1), (30, 2)):
        assert times(world, [(40, 2 * to)]) == pytest.approx([near + cables * HOP + once])
    assert times(world, [(0, 32)]) == pytest.approx([near + 0.32e-6 + 2 * HOP + once / 0.545])
    assert times(world, [(48, 56), (50, 58)]) == pytest.approx([near + HOP + 2 * once] * 2)
    assert times(world, [(41, 42)]) == pytest.approx([near + 0.3e-6 + once / 0.93])


def test_two_interfaces_share_the_cables_of_a_torus_in_four_dimensions() -> None:
    structure = built("torus in four dimensions, an interface for each socket, drift", 32)  # 4 x 2 x 2 x 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.7e-6, MIB / 6.4e9
    assert isinstance(structure.plane, Interfaces)
    assert structure.plane.sides == (4, 2, 2, 2)
    for to, cables in ((1, 1), (3, 2), (7, 3), (8, 1), (16, 2), (24, 1), (23, 5)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + cables * HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + HOP + once])  # the other interface
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + HOP + MIB / 3.5e9] * 2)
    assert times(world, [(0, 2), (1, 5)]) == pytest.approx([near + HOP + once] * 2)  # by two cables
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 10e9])
    assert structure.drift == 0.05


def test_the_last_columns_of_a_mesh_are_newer_and_nothing_is_closed() -> None:
    structure = built("mesh in two dimensions, newer hosts in the last columns, far socket", 32)  # 4 x 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / 5e9
    assert isinstance(structure.plane, Mesh)
    assert structure.plane.sides == (4, 8)
    assert (structure.overhead == 0).tolist() == ([False] * 4 + [True] * 4) * 4
    for to, cables, waits in ((1, 1, 0.36e-6), (7, 7, 0.18e-6), (8, 1, 0.36e-6), (24, 3, 0.36e-6), (31, 10, 0.18e-6)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + waits + cables * HOP + once])
    assert times(world, [(8, 10)]) == pytest.approx([near + HOP + MIB / 8e9])
    assert times(world, [(8, 12), (10, 14)]) == pytest.approx([near + 2 * HOP + once] * 2)  # they share 10 GB/s
    assert times(world, [(9, 10)]) == pytest.approx([near + 0.32e-6 + HOP + MIB / 7.2e9])


def test_every_second_plane_of_a_torus_is_newer() -> None:
    structure = built("torus in three dimensions, two generations in turns by plane, far socket", 32)  # 4 x 4 x 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.8e-6, MIB / 4e9
    assert isinstance(structure.plane, Torus)
    assert structure.plane.sides == (4, 4, 2)
    assert (structure.rate[::8, 0] / 1e9).tolist() == [4, 6.5, 4, 6.5]
    for to, cables, waits in ((1, 1, 0.5e-6), (6, 1, 0.5e-6), (8, 1, 0.25e-6), (16, 2, 0.5e-6), (29, 4, 0.25e-6)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + waits + cables * HOP + once])
    assert times(world, [(16, 48)]) == pytest.approx([near + 2 * HOP + MIB / 6.5e9])
    assert times(world, [(16, 20), (18, 16)]) == pytest.approx([near + HOP + MIB / 6.5e9] * 2)
    assert times(world, [(16, 24), (20, 28)]) == pytest.approx([near + 2 * HOP + once] * 2)  # they share 8 GB/s
    assert times(world, [(17, 19)]) == pytest.approx([near + 0.54e-6 + HOP + MIB / 5.98e9])


def test_messages_use_two_grids_that_are_closed_along_their_longer_side() -> None:
    structure = built("2 striped rails, grid closed along its longer side, far socket", 32)  # 8 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.9e-6, MIB / 10e9
    assert isinstance(structure.plane, ClosedAlongOne)
    assert structure.plane.sides == (8, 4)
    for to, cables in ((1, 1), (3, 3), (4, 1), (16, 4), (28, 1), (31, 4)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + cables * HOP + once])
    assert times(world, [(0, 4), (2, 6)]) == pytest.approx([near + 2 * HOP + MIB / 6e9] * 2)  # two cables of 6 GB/s
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + HOP + 2 * once, near + 0.6e-6 + HOP + 2 * once])
    assert times(world, [(1, 2)]) == pytest.approx([near + 0.3e-6 + HOP + once / 0.88])


def test_six_ranks_share_an_adapter_of_50_that_three_of_them_are_far_from() -> None:
    structure = built("one switch of 50 Gbit/s, 6 ranks, far socket, 1 % disturbed, drift", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (0.5 * RATE)
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.hosts, structure.ranks, structure.hyperthreads, structure.drift) == (16, 96, 0.01, 0.03)
    assert times(world, [(0, 6), (14, 20)]) == pytest.approx([near + once] * 2)
    assert times(world, [(2, 9)]) == pytest.approx([near + 0.31e-6 + once / 0.91])
    assert times(world, [(5, 95)]) == pytest.approx([near + 0.62e-6 + once / 0.91])
    together = times(world, [(rank, 6 + rank) for rank in range(6)])
    assert together == pytest.approx([near + longer + 6 * once for longer in np.repeat([0, 0.62e-6], 3)])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + MIB / 20e9])
    assert times(world, [(2, 3)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])


def test_two_of_three_ranks_are_on_the_far_socket() -> None:
    structure = built("one switch, 3 ranks, two of them on the far socket, drift", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE
    assert isinstance(structure.plane, OneSwitch)
    assert (structure.ranks, structure.socket.tolist(), structure.drift) == (96, [0, 1, 1], 0.04)
    assert times(world, [(0, 3), (6, 93)]) == pytest.approx([near + once] * 2)
    for pair, longer in (((0, 4), 0.29e-6), ((5, 0), 0.29e-6), ((1, 4), 0.58e-6), ((2, 94), 0.58e-6)):
        assert times(world, [pair]) == pytest.approx([near + longer + once / 0.9])
    together = times(world, [(0, 3), (1, 4), (2, 5)])
    assert together == pytest.approx([near + longer + 3 * once for longer in (0, 0.58e-6, 0.58e-6)])
    for pair, longer in (((0, 1), 0.3e-6), ((0, 2), 0.3e-6), ((1, 2), 0.0)):
        assert times(world, [pair]) == pytest.approx([INSIDE_LATENCY + longer + MIB / 20e9])


def test_racks_of_a_newspaper_are_in_a_row_and_nothing_blocks() -> None:
    structure = built("25 Gbit/s, long cables in a row of racks, 1 % disturbed, drift", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.9e-6, MIB / (0.25 * RATE)
    assert np.bincount(structure.group).tolist() == [4] * 8
    assert (structure.hyperthreads, structure.drift) == (0.01, 0.05)
    for to, racks in ((3, 0), (4, 1), (11, 2), (31, 7)):
        assert times(world, [(0, to)]) == pytest.approx([near + racks * CABLE + once])
    across = times(world, [(host, 16 + host) for host in range(16)])
    assert across == pytest.approx([near + 4 * CABLE + once] * 16)


def test_two_of_a_leaf_may_share_one_of_eight_static_uplinks_of_400() -> None:
    structure = built("400 Gbit/s, 1:1 static, far socket, drift", 32)  # leaves of 8
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.4e-6, MIB / (4 * RATE)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription, structure.drift) == ([8] * 4, 1, 0.02)
    assert built("400 Gbit/s, 1:1 static, far socket, drift", 72).plane.uplinks.tolist() == [16] * 5  # type: ignore[attr-defined]
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 17)]) == pytest.approx([near + 2 * HOP + 0.5e-6 + once / 0.87])
    hosts = np.arange(8)
    for first in (8, 16, 24):
        uplink = plane.path(hosts, first + hosts, hosts)[0][:, 0]
        across = times(world, [(2 * host, 2 * (first + host)) for host in range(8)])
        assert across == pytest.approx(near + 2 * HOP + np.bincount(uplink)[uplink] * once)


def test_the_last_leaf_of_an_academy_has_four_hosts_for_an_uplink() -> None:
    structure = built("3:1 and 4:1 adaptive, leaves of 6 to 12 hosts, 1 % disturbed, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 0.3e-6, MIB / RATE
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([6, 12, 6, 8], [2, 4, 2, 2])
    assert (structure.oversubscription, structure.hyperthreads, structure.drift) == (3, 0.01, 0.06)
    assert times(world, [(0, 5), (6, 17)]) == pytest.approx([near + once] * 2)
    apart = near + 2 * HOP
    assert times(world, [(0, 6), (1, 7)]) == pytest.approx([apart + once] * 2)
    assert times(world, [(host, 6 + host) for host in range(6)]) == pytest.approx([apart + 3 * once] * 6)
    assert times(world, [(24 + host, 6 + host) for host in range(8)]) == pytest.approx([apart + 4 * once] * 8)
    both = times(world, [(6 + host, (0, 18)[host // 6] + host % 6) for host in range(12)])
    assert both == pytest.approx([apart + 3 * once] * 12)


def test_three_static_uplinks_are_for_4_to_12_hosts_of_two_sockets() -> None:
    structure = built("three static uplinks, leaves of 4 to 12 hosts, far socket, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.7e-6, MIB / RATE
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([4, 7, 12, 9], [3] * 4)
    assert (structure.hyperthreads, structure.drift) == (0.0, 0.05)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 63)]) == pytest.approx([near + 2 * HOP + 0.28e-6 + once / 0.9])
    assert times(world, [(23, 47)]) == pytest.approx([near + 2 * HOP + 0.56e-6 + once / 0.9])
    hosts = np.arange(9)
    uplink = plane.path(11 + hosts, 23 + hosts, hosts)[0][:, 0]  # from the third leaf to the fourth one
    across = times(world, [(22 + 2 * host, 46 + 2 * host) for host in range(9)])
    assert across == pytest.approx(near + 2 * HOP + np.bincount(uplink)[uplink] * once)


def test_connections_in_turns_take_one_of_two_uplinks_of_50() -> None:
    structure = built("25 Gbit/s by TCP, 2:1 re-hashed to uplinks of 50, 1 % disturbed", 32)  # leaves of 8
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 14e-6, MIB / (0.25 * RATE)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), set(plane.capacity), structure.oversubscription) == ([2] * 4, {0.5 * RATE}, 2)
    assert (structure.interrupts, structure.hyperthreads, structure.drift) == (1e-6, 0.01, 0.0)
    assert times(world, [(0, 7)]) == pytest.approx([near + once])
    assert times(world, [(0, 8), (1, 9)]) == pytest.approx([near + 2 * HOP + once] * 2)  # also where they share one
    hosts, when = np.arange(8), np.arange(100)
    many = np.bincount(plane.path(hosts, 8 + hosts, 0 * hosts + 7919)[0][:, 0])  # in the first step of this seed
    across = times(world, [(host, 8 + host) for host in range(8)])
    assert sorted(across) == pytest.approx(sorted(near + 2 * HOP + np.repeat(np.maximum(many / 2, 1), many) * once))
    assert 0.35 < plane.path(0 * when, 0 * when + 8, when)[0][:, 0].mean() < 0.65


def test_leaves_have_an_adaptive_uplink_for_one_and_for_four_hosts_in_turns() -> None:
    structure = built("200 Gbit/s, 1:1 and 4:1 in turns of leaves, adaptive, 1 % disturbed", 32)  # leaves of 8
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 0.2e-6, MIB / (2 * RATE)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([8, 2, 8, 2], 1)
    assert (structure.hyperthreads, structure.drift) == (0.01, 0.0)
    assert times(world, [(8, 15), (9, 10)]) == pytest.approx([near + once] * 2)
    for first, to, part in ((0, 16, 1), (0, 8, 4), (8, 16, 4), (8, 24, 4)):
        across = times(world, [(first + host, to + host) for host in range(8)])
        assert across == pytest.approx([near + 2 * HOP + part * once] * 8)


def test_six_re_hashed_uplinks_are_for_6_to_10_hosts_with_the_adapter_on_the_second_socket() -> None:
    name = "six re-hashed uplinks, leaves of 6 to 10 hosts, adapter on the second socket, 1 % disturbed, drift"
    structure = built(name, 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 1.5e-6, MIB / (2 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([6, 10, 7, 9], [6] * 4)
    assert (structure.oversubscription, structure.hyperthreads, structure.drift) == (1, 0.01, 0.04)
    assert times(world, [(1, 3)]) == pytest.approx([near + once])
    assert times(world, [(1, 62)]) == pytest.approx([near + 2 * HOP + 0.26e-6 + once / 0.93])
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.52e-6 + once / 0.93])
    when = np.arange(600)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 31), when)[0]
    assert np.bincount(ways[:, 0]) / 600 == pytest.approx([1 / 6] * 6, abs=0.05)


def test_cabinets_of_four_hosts_have_four_lingering_uplinks_each() -> None:
    structure = built("50 Gbit/s, 1:1 lingering, leaves of 4 hosts, 1 % disturbed, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 2e-6, MIB / (0.5 * RATE)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([4] * 8, [4] * 8)
    assert (structure.oversubscription, structure.hyperthreads, structure.drift) == (1, 0.01, 0.06)
    assert times(world, [(0, 3)]) == pytest.approx([near + once])
    assert times(world, [(0, 4)]) == pytest.approx([near + 2 * HOP + once])
    when = np.arange(16 * 40)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 31), when)[0][:, 0]
    assert (np.diff(np.flatnonzero(np.diff(ways))) % 16 == 0).all()
    assert set(ways.tolist()) == {0, 1, 2, 3}


def test_pods_of_two_unequal_leaves_have_an_adaptive_uplink_for_four_hosts() -> None:
    structure = built("pods of leaves of 3 and 5 hosts, 1:1 and 4:1 adaptive, far socket, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 0.24e-6, MIB / (2 * RATE)
    assert isinstance(plane, Stacked)
    assert np.bincount(structure.group).tolist() == plane.lower.uplinks.tolist() == [3, 5] * 4
    assert (plane.upper.uplinks.tolist(), structure.hyperthreads, structure.drift) == ([2] * 4, 0.0, 0.05)
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(2 * host, 6 + 2 * host) for host in range(3)]) == pytest.approx([near + 2 * HOP + once] * 3)
    apart = near + 4 * HOP + 2 * CABLE
    assert times(world, [(1, 63)]) == pytest.approx([apart + 0.54e-6 + once / 0.94])
    assert times(world, [(0, 16), (8, 24)]) == pytest.approx([apart + once] * 2)
    assert times(world, [(2 * host, 16 + 2 * host) for host in range(8)]) == pytest.approx([apart + 4 * once] * 8)


def test_two_hashes_choose_one_of_three_cables_up_and_down_for_leaves_of_5_to_11_hosts() -> None:
    structure = built("10 Gbit/s, LAGs of three cables to one core, leaves of 5 to 11 hosts, drift", 32)
    world, plane, near, once = World(structure, kernel=ONE_WAY), structure.plane, LATENCY + 22e-6, MIB / (0.1 * RATE)
    assert isinstance(plane, LagCore)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([5, 11, 7, 9], [3] * 4)
    assert (structure.interrupts, structure.hyperthreads, structure.drift) == (1.2e-6, 0.0, 0.07)
    assert times(world, [(0, 4), (5, 15)]) == pytest.approx([near + once] * 2)
    shared = []
    for to in range(5, 15):
        ways = plane.path(np.array([0, 1]), np.array([to, to + 1]), np.zeros(2, np.int64))[0]
        shared.append(bool((ways[0] == ways[1]).any()))
        assert times(world, [(0, to), (1, to + 1)]) == pytest.approx([near + 2 * HOP + (1 + shared[-1]) * once] * 2)
    assert set(shared) == {False, True}


@pytest.mark.parametrize("seed", range(3))
def test_quadrants_on_one_switch_have_three_rates_at_random(seed: int) -> None:
    structure = built("one switch, 100, 200 and 400 Gbit/s at random, 4 quadrants, hyperthreads", 32, seed)  # 16 hosts
    world, near = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6
    assert np.bincount(structure.processor).tolist() == [8, 0, 0, 6, 2]
    for kind, longer, rate in ((0, 0.48e-6, 1), (3, 0.2e-6, 2), (4, 0.0, 4)):
        one, other = np.flatnonzero(structure.processor == kind)[[0, -1]].tolist()
        once = MIB / rate / RATE
        assert times(world, [(4 * one + 1, 4 * other + 1)]) == pytest.approx([near + longer + once])
        assert times(world, [(4 * one, 4 * other + 3)]) == pytest.approx([near + longer + 0.1e-6 + once])
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.08e-6 + MIB / 14e9])


def test_ccxs_of_two_sockets_on_one_switch_have_three_rates() -> None:
    name = "one switch, 10, 25 and 100 Gbit/s by rack, 8 ranks on CCXs of two sockets, hyperthreads"
    structure = built(name, 32)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / RATE
    assert np.bincount(structure.processor).tolist() == [5, 0, 6, 5]
    assert times(world, [(0, 8)]) == pytest.approx([near + 1e-6 + 10 * once])
    assert times(world, [(48, 56)]) == pytest.approx([near + 0.4e-6 + 4 * once])
    assert times(world, [(91, 99)]) == pytest.approx([near + once])
    assert times(world, [(92, 103)]) == pytest.approx([near + 0.56e-6 + once / 0.96])
    assert times(world, [(0, 88), (1, 9)]) == pytest.approx([near + 0.5e-6 + 20 * once, near + 1e-6 + 20 * once])
    for to, time in ((3, 0.4e-6 + MIB / 11e9), (4, 0.8e-6 + MIB / 7e9)):
        assert times(world, [(0, to)]) == pytest.approx([time])


@pytest.mark.parametrize("seed", range(3))
def test_two_uplinks_of_old_spines_are_for_hosts_of_three_rates_at_random(seed: int) -> None:
    structure = built("2 ranks on two CCXs, 25, 100 and 200 Gbit/s at random, 4:1 re-hashed, drift", 32, seed)
    world, near, plane, when = World(structure, kernel=ONE_WAY), LATENCY + 1.7e-6, structure.plane, np.arange(100)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), np.bincount(structure.processor).tolist()) == ([2] * 4, [12, 0, 12, 8])
    assert structure.rate.sum() / plane.capacity[:8].sum() == pytest.approx(31 / 8)
    for kind, longer, rate in ((2, 0.7e-6, 0.25), (0, 0.24e-6, 1), (3, 0.0, 2)):
        one, other = np.flatnonzero(structure.processor == kind)[[0, -1]].tolist()
        far = structure.group[one] != structure.group[other]
        across = near + longer + 2 * HOP * far + MIB / RATE / (min(rate, 1) if far else rate)
        assert times(world, [(2 * one, 2 * other + 1)]) == pytest.approx([across])
    assert len(np.unique(plane.path(0 * when, 0 * when + 31, when)[0][:, 0])) == 2


def test_racks_of_100_and_400_in_turns_have_uplinks_of_their_own_rate() -> None:
    structure = built("4 CCXs of two halves, racks of 100 and 400 Gbit/s in turns, 1:1 static, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.5e-6, MIB / RATE  # racks of 4
    plane = structure.plane
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.processor[::4].tolist()) == ([4] * 8, [0, 4] * 4)
    assert (plane.capacity[:8] / RATE).tolist() == [1] * 4 + [4] * 4
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.4e-6 + once])
    assert times(world, [(18, 23)]) == pytest.approx([near + 0.14e-6 + once / 4])  # the far half on both sides
    assert times(world, [(16, 48)]) == pytest.approx([near + 2 * HOP + once / 4])
    assert times(world, [(16, 0)]) == pytest.approx([near + 0.2e-6 + 2 * HOP + once])
    for to, time in ((1, 0.38e-6 + MIB / 14e9), (2, 0.46e-6 + MIB / 12e9)):
        assert times(world, [(0, to)]) == pytest.approx([time])


@pytest.mark.parametrize("seed", range(3))
def test_half_of_the_hosts_of_three_numa_nodes_are_newer_and_routes_linger(seed: int) -> None:
    name = "3 NUMA nodes of one socket, 200 and 400 Gbit/s at random, 3:1 lingering, hyperthreads"
    structure = built(name, 32, seed)  # leaves of 8
    world, near, plane, when = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, structure.plane, np.arange(64)
    assert isinstance(plane, FatTree)
    assert structure.rate.sum() / plane.capacity[:8].sum() == 3  # uplinks
    newer = structure.overhead == 0
    assert newer.sum() == 16
    longer = 0.12e-6 * (2 - newer[:2].sum()) + MIB / RATE / (4 if newer[:2].all() else 2)
    for to, waits in ((4, 0.0), (3, 0.06e-6), (5, 0.06e-6)):
        assert times(world, [(1, to)]) == pytest.approx([near + waits + longer])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.12e-6 + MIB / 12e9])
    assert (np.diff(plane.path(0 * when, 0 * when + 31, when)[0][:, 0]) != 0).sum() <= 4


@pytest.mark.parametrize("seed", range(3))
def test_only_the_last_half_of_the_racks_has_newer_adapters_at_random(seed: int) -> None:
    name = "4 NUMA nodes, 56 Gbit/s, 100 at random in the last racks, 3:2 by receiver, drift"
    structure = built(name, 32, seed)  # 16 hosts, racks of 4
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, structure.plane
    assert isinstance(plane, FatTree)
    newer = structure.overhead == 0
    assert (newer[:8].sum(), newer[8:].sum(), plane.uplinks.tolist()) == (0, 4, [2] * 4)
    slow, once, fast = near + 0.3e-6, MIB / RATE, (4 * np.flatnonzero(newer)[:2]).tolist()
    assert times(world, [(0, 4)]) == pytest.approx([slow + once / 0.545])
    assert times(world, [(0, 16), (4, 24)]) == pytest.approx([slow + 2 * HOP + 2 * once] * 2)  # by one uplink
    far = 2 * HOP * (structure.group[fast[0] // 4] != structure.group[fast[1] // 4])
    assert times(world, [(fast[0], fast[1])]) == pytest.approx([near + far + once])
    assert times(world, [(2, 7)]) == pytest.approx([slow + 0.6e-6 + once / 0.545 / 0.95])


def test_ccxs_are_in_a_dragonfly_of_groups_of_three_years() -> None:
    structure = built("8 CCXs, dragonfly of 100, 200 and 400 Gbit/s by group, many detours, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / RATE  # 16 hosts, groups of 2
    assert isinstance(structure.plane, Dragonfly)
    assert (structure.rate[::2, 0] / RATE).tolist() == [1, 1, 1, 2, 2, 2, 4, 4]
    assert times(world, [(0, 9)]) == pytest.approx([near + 0.44e-6 + once])
    assert times(world, [(48, 57)]) == pytest.approx([near + 0.18e-6 + once / 2])
    assert times(world, [(98, 111)]) == pytest.approx([near + 0.1e-6 + once / 4])
    for to, time in ((1, 0.37e-6 + MIB / 15e9), (2, 0.45e-6 + MIB / 12e9)):
        assert times(world, [(0, to)]) == pytest.approx([time])
    when = np.arange(4000)
    ways, latency = structure.plane.path(0 * when, 0 * when + 15, when)
    assert (ways[:, 1] != NONE).mean() == pytest.approx(0.45 * 6 / 8, abs=0.03)
    assert np.allclose(latency, LATENCY + np.where(ways[:, 1] != NONE, 4.5, 2) * HOP)


@pytest.mark.parametrize("seed", range(3))
def test_quadrants_in_a_dragonfly_by_load_have_three_rates_at_random(seed: int) -> None:
    name = "4 quadrants, routes by load, 100, 200 and 400 Gbit/s at random, hyperthreads, drift"
    structure = built(name, 32, seed)  # 16 hosts, groups of 4
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.36e-6, structure.plane
    assert isinstance(plane, Slingshot)
    assert (plane.groups, plane.each, np.bincount(structure.group).tolist()) == (6, 1, [4] * 4)
    assert np.bincount(structure.processor).tolist() == [4, 0, 0, 8, 4]
    for to, hops in ((1, 0), (2, HOP)):  # on the same switch of the group, and on the other one
        time = near + hops + structure.overhead[[0, to]].sum() + MIB / structure.rate[[0, to]].min()
        assert times(world, [(0, 4 * to)]) == pytest.approx([time])
        assert times(world, [(1, 4 * to + 3)]) == pytest.approx([time + 0.12e-6])
    assert times(world, [(1, 2)]) == pytest.approx([INSIDE_LATENCY + 0.07e-6 + MIB / 13e9])


def test_every_second_cell_of_a_dragonfly_plus_is_newer() -> None:
    structure = built("4 NUMA nodes, dragonfly+ of 100 and 200 Gbit/s in turns by cell, many detours, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.3e-6, MIB / RATE  # cells of 4
    assert isinstance(structure.plane, DragonflyPlus)
    assert (structure.rate[::4, 0] / RATE).tolist() == [1, 2] * 4
    assert structure.processor[::4].tolist() == [3, 4] * 4
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.26e-6 + once])
    assert times(world, [(16, 24)]) == pytest.approx([near + 2 * HOP + once / 2])  # the other leaf of the cell
    assert times(world, [(18, 23)]) == pytest.approx([near + 0.6e-6 + once / 2 / 0.94])
    assert round((times(world, [(0, 16)])[0] - near - 0.13e-6 - once) / HOP, 6) in (3, 4)
    assert_detours(structure.plane, 4, 0.4 * 6 / 8)
    assert structure.hyperthreads == 0.01


def test_pods_of_three_rates_have_uplinks_of_these() -> None:
    structure = built("4 ranks on four CCXs, 100, 200 and 400 Gbit/s by pod, 1:1 and 2:1 re-hashed, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE  # 16 hosts, leaves of 2
    plane = structure.plane
    assert isinstance(plane, Stacked)
    assert (plane.lower.uplinks.tolist(), plane.upper.uplinks.tolist()) == ([2] * 8, [2] * 4)
    assert (plane.upper.capacity[:8] / RATE).tolist() == [1, 1, 1, 1, 2, 2, 4, 4]
    assert (plane.lower.capacity[:16:2] / RATE).tolist() == [1, 1, 1, 1, 2, 2, 4, 4]
    for to, longer in ((4, 0.0), (8, 2 * HOP), (16, 4 * HOP + CABLE)):
        assert times(world, [(0, to)]) == pytest.approx([near + longer + 0.5e-6 + once])
    assert times(world, [(48, 56)]) == pytest.approx([near + 2 * HOP + once / 4])
    assert times(world, [(32, 48)]) == pytest.approx([near + 4 * HOP + CABLE + 0.1e-6 + once / 2])


@pytest.mark.parametrize("seed", range(3))
def test_lags_of_two_cables_of_40_are_for_hosts_of_10_and_25(seed: int) -> None:
    name = "2 NUMA nodes of one socket, 10 and 25 Gbit/s at random, LAGs to one core, hyperthreads"
    structure = built(name, 32, seed)  # leaves of 8
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 18e-6, structure.plane
    assert isinstance(plane, LagCore)
    assert (plane.uplinks.tolist(), (plane.capacity[:8] / RATE).tolist()) == ([2] * 4, [0.4] * 8)
    old = np.flatnonzero(structure.overhead > 0).tolist()
    new = np.setdiff1d(np.arange(32), old).tolist()
    assert (len(new), structure.interrupts, structure.hyperthreads) == (16, 1.5e-6, 0.01)
    ways = ((new[0], new[1], 0.0, 0.25), (old[0], old[1], 3e-6, 0.1), (new[0], old[0], 1.5e-6, 0.1))
    for one, other, longer, rate in ways:
        far = 2 * HOP * (structure.group[one] != structure.group[other])
        seconds = near + 0.1e-6 + longer + far + MIB / rate / RATE
        assert times(world, [(2 * one, 2 * other + 1)]) == pytest.approx([seconds])


@pytest.mark.parametrize("seed", range(3))
def test_flowlets_are_for_ranks_in_turns_on_two_ccxs(seed: int) -> None:
    name = "4 ranks in turns on two CCXs, flowlets, 100 and 200 Gbit/s at random, hyperthreads, drift"
    structure = built(name, 32, seed)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, Flowlets)
    assert structure.rate.sum() / structure.plane.capacity[:8].sum() == 1.5  # uplinks
    newer = np.flatnonzero(structure.overhead == 0).tolist()
    assert (len(newer), structure.drift) == (8, 0.03)
    far = 2 * HOP * (structure.group[newer[0]] != structure.group[newer[-1]])
    assert times(world, [(4 * newer[0], 4 * newer[-1] + 3)]) == pytest.approx([near + far + once])
    for to, time in ((1, 0.46e-6 + MIB / 12e9), (2, 0.22e-6 + MIB / 22e9), (3, 0.46e-6 + MIB / 12e9)):
        assert times(world, [(0, to)]) == pytest.approx([time])


def test_four_ranks_on_leaves_with_three_lingering_uplinks_for_eight_hosts() -> None:
    structure = built("400 Gbit/s, 8:3 lingering, 4 ranks, far socket, hyperthreads", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (4 * RATE)
    plane, when = structure.plane, np.arange(16 * 30)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription, structure.ranks) == ([3] * 4, 8 / 3, 128)
    assert times(world, [(0, 5), (4, 1)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + 2 * once] * 2)  # they share the adapter
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.3e-6 + once / 0.92])
    assert times(world, [(3, 35)]) == pytest.approx([near + 0.6e-6 + 2 * HOP + once / 0.92])
    assert times(world, [(0, 2)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    uplink = plane.path(0 * when, 0 * when + 8, when)[0][:, 0]
    assert set(uplink.tolist()) == {0, 1, 2}
    assert (np.diff(np.flatnonzero(np.diff(uplink))) % 16 == 0).all()


def test_two_rails_that_do_not_meet_have_leaves_of_6_to_10_hosts() -> None:
    structure = built("2 rails that do not meet, leaves of 6 to 10 hosts, re-hashed, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / (2 * RATE)
    plane, hosts, when = structure.plane, np.arange(8), np.arange(100)
    assert isinstance(plane, FatTree)
    assert (np.bincount(structure.group).tolist(), plane.uplinks.tolist()) == ([6, 8, 10, 8], [4] * 4)
    assert structure.reachable(np.zeros(3, np.int64), np.array([1, 2, 3])).tolist() == [True, True, False]
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 62), (1, 63)]) == pytest.approx([near + 2 * HOP + once] * 2)  # a tree for each rail
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 20e9])
    many = np.bincount(plane.path(6 + hosts, 14 + hosts, 0 * hosts + 7919)[0][:, 0])  # in the first step of this seed
    across = times(world, [(12 + 2 * host, 28 + 2 * host) for host in range(8)])
    assert sorted(across) == pytest.approx(sorted(near + 2 * HOP + np.repeat(many, many) * once))
    assert len(np.unique(plane.path(0 * when, 0 * when + 6, when)[0][:, 0])) == 4


def test_bonds_are_in_racks_of_six_with_four_uplinks() -> None:
    structure = built("bonds of two ports of 200 Gbit/s, racks of six, 3:1 re-hashed, far socket, drift", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.6e-6, MIB / (2 * RATE)
    plane, to, when = structure.plane, np.arange(2, 64), np.arange(200)
    assert isinstance(plane, FatTree)
    assert (np.bincount(plane.group).tolist(), plane.uplinks.tolist()) == ([12] * 5 + [4], [4] * 6)
    assert (structure.drift, structure.device(0)) == (0.05, "mlx5_bond_0")
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(1, 13)]) == pytest.approx([near + 0.56e-6 + 2 * HOP + once / 0.93])
    ways = structure.path(0 * to, to, 0 * to)[0]
    assert set(ways[:, 0].tolist()) == {0, 1}
    assert (ways[:10, 1] % 2 == ways[:10, 0]).all()  # within a rack by the same port
    assert len(np.unique(plane.path(0 * when, 0 * when + 12, when)[0][:, 0])) == 4


def test_pods_of_eight_hosts_have_two_lingering_uplinks_for_each_of_four_rails() -> None:
    structure = built("rail-optimized, 4 rails of 200 Gbit/s, 4:1 lingering, drift", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(160)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription, structure.drift) == ([2] * 16, 4, 0.03)
    assert structure.groups[7:9].tolist() == [[0, 4, 8, 12], [1, 5, 9, 13]]
    assert times(world, [(rank, 28 + rank) for rank in range(4)]) == pytest.approx([near + once] * 4)
    assert times(world, [(0, 29)]) == pytest.approx([near + 2 * HOP + once])  # another rail: by a spine
    assert times(world, [(0, 32)]) == pytest.approx([near + 2 * HOP + once])
    uplink = plane.path(0 * when, 0 * when + 32, when)[0][:, 0]
    assert 1 <= (np.diff(uplink) != 0).sum() <= 10
    assert times(world, [(0, 3)]) == pytest.approx([NVLINK_LATENCY + MIB / 110e9])


def test_eight_relayed_rails_have_two_re_hashed_uplinks_for_four_hosts() -> None:
    structure = built("8 relayed rails of 200 Gbit/s, 2:1 re-hashed, drift", 32)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.2e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(100)
    assert isinstance(plane, FatTree)
    assert (structure.hosts, plane.uplinks.tolist(), structure.drift) == (16, [2] * 4, 0.04)
    assert times(world, [(0, 8), (7, 15)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 9)]) == pytest.approx([near + NVLINK_LATENCY + once])
    crosses = times(world, [(0, 9), (1, 17)])  # both leave by the second adapter
    assert crosses == pytest.approx([near + NVLINK_LATENCY + 2 * once, near + 2 * once])
    across = times(world, [(rail, 32 + rail) for rail in range(8)])
    assert across == pytest.approx([near + 2 * HOP + once] * 8)  # a tree for each rail
    assert len(np.unique(plane.path(0 * when, 0 * when + 4, when)[0][:, 0])) == 2


def test_eight_subnets_give_each_receiver_one_of_two_uplinks() -> None:
    structure = built("8 rails that do not meet, 2:1 by receiver, hyperthreads", 32)  # 16 hosts, leaves of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert (structure.plane.uplinks.tolist(), structure.oversubscription) == ([2] * 4, 2)
    assert structure.reachable(np.full(3, 3), np.array([11, 12, 4])).tolist() == [True, False, True]
    assert times(world, [(3, 11)]) == pytest.approx([near + once])
    assert times(world, [(rail, 32 + rail) for rail in range(8)]) == pytest.approx([near + 2 * HOP + once] * 8)
    across = times(world, [(8 * host, 8 * (4 + host)) for host in range(4)])  # hosts 4 and 6, and 5 and 7, share one
    assert across == pytest.approx([near + 2 * HOP + 2 * once] * 4)
    assert times(world, [(0, 32), (8, 40)]) == pytest.approx([near + 2 * HOP + once] * 2)
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 320e9])


def test_bonds_of_two_planes_hash_by_hosts() -> None:
    structure = built("bonds of two planes that hash by hosts, 2:1 static, far socket, hyperthreads", 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.4e-6, MIB / RATE
    plane, to, when = structure.plane, np.arange(2, 64), np.arange(9)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription, structure.hyperthreads) == ([4] * 4, 2, 0.01)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(1, 17)]) == pytest.approx([near + 0.52e-6 + 2 * HOP + once / 0.94])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once, near + 0.52e-6 + 2 * once])  # one port
    there, back = (structure.path(*pair, 0 * to)[0] for pair in ((0 * to, to), (to, 0 * to)))
    assert set(there[:, 0].tolist()) == {0, 1}
    assert (there[::2, 0] == there[1::2, 0]).all()  # both ranks of a host
    assert (back[:, 1] - 64 == there[:, 0]).all()
    assert np.ptp(plane.path(0 * when, 0 * when + 8, when)[0][:, 0]) == 0


def test_messages_of_a_far_socket_are_striped_over_two_trees() -> None:
    structure = built("2 striped rails with trees of their own, 4:1 lingering, far socket, drift", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    plane, hosts, when = structure.plane, np.arange(8), np.arange(160)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription, structure.drift) == ([2] * 4, 4, 0.06)
    assert times(world, [(0, 2)]) == pytest.approx([near + once])
    assert times(world, [(0, 16)]) == pytest.approx([near + 2 * HOP + once])
    assert times(world, [(0, 3)]) == pytest.approx([near + 0.3e-6 + once / 0.9])
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + 2 * once, near + 0.6e-6 + 2 * once])
    many = np.bincount(plane.path(hosts, 8 + hosts, 0 * hosts + 7919)[0][:, 0])  # in the first step of this seed
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])
    assert sorted(across) == pytest.approx(sorted(near + 2 * HOP + np.repeat(many, many) * once))
    assert 1 <= (np.diff(plane.path(0 * when, 0 * when + 8, when)[0][:, 0]) != 0).sum() <= 10


def test_the_second_half_of_the_pods_of_four_rails_has_twice_the_rate() -> None:
    name = "rail-optimized, 4 rails of 200 and 400 Gbit/s, 1:1 and 2:1 re-hashed, hyperthreads"
    structure = built(name, 32)  # pods of 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2e-6, MIB / (4 * RATE)
    plane, when = structure.plane, np.arange(100)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), structure.oversubscription) == ([2] * 32, 1)
    assert (structure.rate[::4, 0] / RATE).tolist() == [2] * 4 + [4] * 4
    assert structure.groups[3:5].tolist() == [[0, 8, 16, 24], [1, 9, 17, 25]]
    assert times(world, [(0, 4)]) == pytest.approx([near + 0.24e-6 + 2 * once])
    assert times(world, [(3, 67)]) == pytest.approx([near + 0.12e-6 + 2 * HOP + 2 * once])
    assert times(world, [(64, 68)]) == pytest.approx([near + once])
    assert times(world, [(64, 81)]) == pytest.approx([near + 2 * HOP + once])
    assert len(np.unique(plane.path(0 * when, 0 * when + 16, when)[0][:, 0])) == 2


def test_each_socket_of_two_hosts_has_a_leaf_with_three_uplinks() -> None:
    structure = built("8 rails, a leaf for each socket of two hosts, 8:3 static, drift", 32)  # 8 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.8e-6, MIB / (2 * RATE)
    plane, rail = structure.plane, np.arange(8)
    assert isinstance(plane, FatTree)
    assert (plane.uplinks.tolist(), np.bincount(plane.group).tolist()) == ([3] * 8, [8] * 8)
    assert structure.groups[1:3].tolist() == [[0] * 4 + [4] * 4, [1] * 4 + [5] * 4]
    assert times(world, [(0, 11), (4, 15)]) == pytest.approx([near + once] * 2)  # other rails of the same socket
    assert times(world, [(0, 12)]) == pytest.approx([near + 2 * HOP + once])  # the other socket
    uplink = plane.path(rail, 16 + rail, 0 * rail)[0][:, 0]
    across = times(world, [(adapter, 16 + adapter) for adapter in range(8)])
    assert across == pytest.approx(near + 2 * HOP + np.bincount(uplink)[uplink] * once)
    assert (uplink == plane.path(rail, 16 + rail, rail)[0][:, 0]).all()
    assert times(world, [(0, 3), (8, 12)]) == pytest.approx([0.5e-6 + MIB / 21e9, 0.8e-6 + MIB / 21e9])


def test_nvlink_joins_four_hosts_and_tables_give_their_relayed_rails_an_uplink() -> None:
    structure = built("NVLink fours of hosts, 2 relayed rails, 2:1 by receiver, hyperthreads", 32)  # leaves of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.4e-6, MIB / (4 * RATE)
    assert isinstance(structure.plane, FatTree)
    assert (structure.plane.uplinks.tolist(), structure.hyperthreads) == ([4] * 4, 0.01)
    assert times(world, [(0, 6), (1, 2)]) == pytest.approx([NVLINK_LATENCY + MIB / NVLINK_RATE] * 2)
    assert times(world, [(0, 8)]) == pytest.approx([near + once])  # the other four, on the same leaf
    assert times(world, [(0, 9)]) == pytest.approx([near + NVLINK_LATENCY + once])  # another rail
    assert times(world, [(0, 17)]) == pytest.approx([near + 2 * HOP + NVLINK_LATENCY + once])
    across = times(world, [(2 * host, 16 + 2 * host) for host in range(8)])  # receivers 8 and 12, and so on
    assert across == pytest.approx([near + 2 * HOP + 2 * once] * 8)
    assert times(world, [(0, 16), (1, 17)]) == pytest.approx([near + 2 * HOP + once] * 2)  # a tree for each rail


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_four_rails_have_three_rates_at_random(seed: int) -> None:
    structure = built("4 rails of 100, 200 and 400 Gbit/s at random, 2:1 lingering, hyperthreads", 64, seed)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.8e-6, MIB / RATE
    assert isinstance(structure.plane, FatTree)
    assert structure.plane.uplinks.tolist() == [8] * 4  # for 32 adapters of 8 hosts
    assert structure.rate.sum() == 2 * 32 * 4 * RATE  # of all hosts, twice that of all uplinks
    assert np.bincount(structure.processor).tolist() == [16, 0, 0, 8, 8]
    for kind, longer, part in ((0, 0.4e-6, 1), (3, 0.2e-6, 0.5), (4, 0.0, 0.25)):
        one, other = np.flatnonzero(structure.processor == kind)[[0, -1]].tolist()
        assert other - one >= 8  # not in a row
        hops = 2 * HOP * (structure.group[one] != structure.group[other])
        assert times(world, [(4 * one, 4 * other + 3)]) == pytest.approx([near + longer + hops + part * once])


def test_half_of_the_messages_between_four_groups_take_a_detour_where_all_try_one() -> None:
    structure = built("dragonfly, all messages try a detour, far socket, hyperthreads", 32)  # groups of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(4000)
    assert isinstance(plane, Dragonfly)
    assert (np.bincount(structure.group).tolist(), structure.hyperthreads) == ([8] * 4, 0.01)
    assert times(world, [(0, 14)]) == pytest.approx([near + once])
    assert times(world, [(0, 15)]) == pytest.approx([near + 0.25e-6 + once / 0.95])
    assert round((times(world, [(0, 62)])[0] - near - once) / HOP, 6) in (2, 4.5)
    ways, latency = plane.path(np.zeros_like(when), np.full_like(when, 31), when)
    assert (ways[:, 1] != NONE).mean() == pytest.approx(2 / 4, abs=0.03)
    assert np.allclose(latency, LATENCY + np.where(ways[:, 1] != NONE, 4.5, 2) * HOP)
    assert set(plane.capacity.tolist()) == {4 * 2 * RATE}


def test_the_adapters_of_each_socket_have_a_dragonfly_of_their_own() -> None:
    structure = built("2 rails in two dragonflies that do not meet, few detours, hyperthreads", 32)  # groups of 6
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.44e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(4000)
    assert isinstance(plane, Dragonfly)
    assert np.bincount(structure.group).tolist() == [6, 6, 6, 6, 6, 2]
    assert len(structure.capacity) == 2 * 64 + 2 * 36
    assert structure.reachable(np.zeros(2, np.int64), np.array([2, 3])).tolist() == [True, False]
    assert times(world, [(0, 2), (1, 3)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 14e9])
    for rank in (0, 1):
        assert round((times(world, [(rank, 62 + rank)])[0] - near - once) / HOP, 6) in (2, 4.5)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 31), when)[0]
    assert (ways[:, 1] != NONE).mean() == pytest.approx(0.12 * 4 / 6, abs=0.015)


def test_eight_rails_are_on_switches_of_a_dragonfly() -> None:
    structure = built("8 GPUs on 8 rails, dragonfly, many detours, drift", 32)  # 8 hosts, groups of 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.6e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(4000)
    assert isinstance(plane, Dragonfly)
    assert (np.bincount(structure.group).tolist(), structure.drift) == ([2] * 4, 0.03)
    assert set(plane.capacity.tolist()) == {8 * 2 * RATE}
    assert times(world, [(0, 8), (7, 15)]) == pytest.approx([near + once] * 2)
    assert times(world, [(0, 9)]) == pytest.approx([near + HOP + once])  # another rail
    assert times(world, [(0, 7)]) == pytest.approx([NVLINK_LATENCY + MIB / 300e9])
    assert round((times(world, [(0, 56)])[0] - near - once) / HOP, 6) in (2, 4.5)
    ways = plane.path(np.zeros_like(when), np.full_like(when, 56), when)[0]
    assert (ways[:, 1] != NONE).mean() == pytest.approx(0.45 * 2 / 4, abs=0.03)


def test_messages_are_striped_over_two_adapters_in_cells_of_two_rates() -> None:
    name = "2 striped rails, dragonfly+, 100 and 200 Gbit/s in turns by cell, many detours"
    structure = built(name, 32)  # cells of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, DragonflyPlus)
    assert (structure.rate[::8] / RATE).tolist() == [[1, 1], [2, 2], [1, 1], [2, 2]]
    assert np.unique(plane.leaf[:16]).tolist() == [0, 1]
    assert times(world, [(0, 2)]) == pytest.approx([near + 0.24e-6 + once])  # both adapters of 100 Gbit/s
    assert times(world, [(0, 2), (1, 4)]) == pytest.approx([near + 0.24e-6 + 2 * once] * 2)
    assert times(world, [(16, 18)]) == pytest.approx([near + once / 2])
    latency = times(world, [(0, 48)], 1)[0] - near - 0.12e-6
    assert round(latency / HOP, 2) in (3, 4)
    assert_detours(plane, 48, 0.5 * 2 / 4)


def test_a_job_has_whole_newer_cells_and_single_older_leaves_and_few_detours() -> None:
    name = "dragonfly+, whole cells of 200 Gbit/s, single leaves of 100, few detours, far socket"
    structure = built(name, 32)  # cells of 8
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane = structure.plane
    assert isinstance(plane, PartOfDragonflyPlus)
    assert (np.bincount(structure.group).tolist(), plane.groups) == ([8, 4, 8, 4, 8], 7)
    assert np.bincount(plane.leaf).tolist() == [4, 4, 4, 0, 4, 4, 4, 0, 4, 4]
    assert times(world, [(0, 6)]) == pytest.approx([near + once])
    assert times(world, [(0, 8)]) == pytest.approx([near + 2 * HOP + once])  # the other leaf
    assert times(world, [(16, 22)]) == pytest.approx([near + 0.3e-6 + 2 * once])
    assert times(world, [(1, 6)]) == pytest.approx([near + 0.23e-6 + once / 0.94])
    assert round((times(world, [(0, 16)])[0] - near - 0.15e-6 - 2 * once) / HOP, 6) in (3, 4)
    assert_detours(plane, 8, 0.08 * 5 / 7, 4000, 0.012)


def test_cells_of_a_dragonfly_plus_are_in_three_rows_and_most_messages_try_a_detour() -> None:
    structure = built("4 NUMA nodes, dragonfly+ in three rows, most messages try a detour, drift", 32)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.4e-6, MIB / (2 * RATE)
    plane, when = structure.plane, np.arange(4000)
    assert isinstance(plane, DragonflyPlusInRows)
    assert (np.bincount(structure.group).tolist(), plane.row.tolist()) == ([4] * 4, [0, 0, 1, 2])
    assert times(world, [(0, 4)]) == pytest.approx([near + once])
    assert times(world, [(1, 9)]) == pytest.approx([near + 0.12e-6 + 2 * HOP + once])  # the other leaf
    assert times(world, [(0, 6)]) == pytest.approx([near + 0.3e-6 + once / 0.93])
    for to, every in ((4, {0.9, 1.4}), (8, {1.0, 1.3, 1.4})):  # the same row, and the next one; in microseconds
        ways, latency = plane.path(np.zeros_like(when), np.full_like(when, to), when)
        assert set(np.round((latency - LATENCY) * 1e6, 6).tolist()) == every
        assert (ways[:, 2] != NONE).mean() == pytest.approx(0.6 * 2 / 4, abs=0.03)


def test_parts_of_groups_by_load_have_twice_the_rate_on_four_rails() -> None:
    structure = built("4 GPUs on 4 rails, routes by load, whole groups of 200 Gbit/s and parts of 400", 32)  # 16 hosts
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 1.2e-6, MIB / (4 * RATE)
    plane = structure.plane
    assert isinstance(plane, Slingshot)
    assert (np.bincount(structure.group).tolist(), plane.groups, plane.each) == ([5, 5, 3, 3], 6, 4)
    assert (structure.rate[[0, 5, 10, 13], 3] / RATE).tolist() == [2, 2, 4, 4]
    assert times(world, [(0, 4), (3, 7)]) == pytest.approx([near + 0.2e-6 + 2 * once] * 2)
    assert times(world, [(0, 5)]) == pytest.approx([near + 0.2e-6 + HOP + 2 * once])  # another switch of the group
    assert times(world, [(40, 44)]) == pytest.approx([near + once])
    assert round((times(world, [(40, 52)])[0] - near - 4 * CABLE - once) / HOP, 6) in (1, 2, 3, 4, 5)
    ways = plane.path(np.arange(20), np.arange(20, 40), np.zeros(20, np.int64))[0]
    assert 4 <= (ways[:, 1] == NONE).sum() < 20  # four of 20 messages go directly, and those without another group


def test_every_second_row_of_two_tori_of_switches_is_newer() -> None:
    structure = built("two tori of switches in two dimensions, relayed, newer rows", 32)  # 4 x 4 switches
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.5e-6, MIB / (2 * RATE)
    assert isinstance(structure.plane, SwitchTorus)
    assert structure.plane.joined.sum(axis=1).tolist() == [4] * 16
    assert (structure.rate[::8] / RATE).tolist() == [[1, 1], [2, 2], [1, 1], [2, 2]]
    for to, cables in ((9, 0), (10, 1), (12, 2), (14, 1), (24, 2), (28, 4)):  # from host 8
        longer = 0.0 if to // 8 % 2 else 0.14e-6
        rate = 1 if to // 8 % 2 else 2
        assert times(world, [(16, 2 * to)]) == pytest.approx([near + cables * HOP + longer + rate * once])
    assert times(world, [(16, 21)]) == pytest.approx([near + 0.45e-6 + HOP + once])  # relayed to the second torus
    assert times(world, [(16, 20), (17, 21)]) == pytest.approx([near + HOP + once] * 2)  # a torus each
    assert times(world, [(16, 20), (18, 22)]) == pytest.approx([near + HOP + 2 * once] * 2)  # they share a cable


def test_the_cards_of_each_socket_make_a_mesh_of_their_own() -> None:
    structure = built("two meshes in three dimensions that do not meet, hyperthreads", 32)  # 4 x 4 x 2
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.7e-6, MIB / 8e9
    assert isinstance(structure.plane, Mesh)
    assert (structure.plane.sides, structure.hyperthreads) == ((4, 4, 2), 0.01)
    assert structure.reachable(np.ones(2, np.int64), np.array([2, 3])).tolist() == [False, True]
    for to, cables in ((1, 1), (2, 1), (6, 3), (8, 1), (24, 3), (31, 7)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + cables * HOP + once])
    assert times(world, [(0, 4), (1, 5)]) == pytest.approx([near + HOP + once] * 2)
    assert times(world, [(0, 8), (4, 12)]) == pytest.approx([near + 2 * HOP + 2 * once] * 2)  # they share a cable
    assert times(world, [(0, 1)]) == pytest.approx([INSIDE_LATENCY + 0.3e-6 + MIB / 9e9])


def test_the_last_rows_of_one_way_rings_are_newer() -> None:
    structure = built("one-way rings in two dimensions, newer hosts in the last rows, drift", 32)  # 8 x 4
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 2.8e-6, MIB / 240e6
    assert isinstance(structure.plane, OneWayRings)
    assert (structure.plane.sides, structure.drift) == ((8, 4), 0.04)
    assert (structure.rate[::4, 0] / 1e6).tolist() == [240] * 4 + [330] * 4
    for to, cables, waits in ((1, 1, 0.8e-6), (3, 3, 0.8e-6), (4, 1, 0.8e-6), (16, 4, 0.4e-6), (28, 7, 0.4e-6)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + waits + cables * HOP + once])
    assert times(world, [(2, 0)]) == pytest.approx([near + 0.8e-6 + 3 * HOP + once])  # back around the ring
    assert times(world, [(32, 34)]) == pytest.approx([near + HOP + MIB / 330e6])
    shared = times(world, [(32, 38), (34, 32), (36, 34)])  # all three pass the cable between hosts 18 and 19
    assert shared == pytest.approx([near + 3 * HOP + 3 * MIB / 650e6] * 3)


def test_every_second_host_of_a_grid_in_four_dimensions_is_newer() -> None:
    name = "grid in four dimensions closed along one, every second host newer, far socket"
    structure = built(name, 32)
    world, near, once = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, MIB / 4e9
    assert isinstance(structure.plane, ClosedAlongOne)
    assert structure.plane.sides == (4, 2, 2, 2)
    assert (structure.rate[:4, 0] / 1e9).tolist() == [4, 6.4, 4, 6.4]
    for to, cables, waits in ((1, 1, 0.2e-6), (2, 1, 0.4e-6), (7, 3, 0.2e-6), (16, 2, 0.4e-6), (24, 1, 0.4e-6)):
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + waits + cables * HOP + once])
    assert times(world, [(2, 6)]) == pytest.approx([near + HOP + MIB / 6e9])  # by a cable of 6 GB/s
    assert times(world, [(2, 34), (18, 50)]) == pytest.approx([near + 2 * HOP + 2 * MIB / 6e9] * 2)  # they share it
    assert times(world, [(1, 4)]) == pytest.approx([near + 0.7e-6 + HOP + once / 0.91])


@pytest.mark.parametrize("seed", range(3))
def test_hosts_of_a_torus_of_switches_in_four_dimensions_have_two_rates_anywhere(seed: int) -> None:
    name = "torus of switches in four dimensions, two rates at random, far socket, hyperthreads"
    structure = built(name, 32, seed)  # 2 x 2 x 2 x 2 switches
    world, near, plane = World(structure, kernel=ONE_WAY), LATENCY + 0.6e-6, structure.plane
    assert isinstance(plane, SwitchTorus)
    assert (plane.joined.sum(axis=1).tolist(), np.bincount(structure.group).tolist()) == ([4] * 16, [2] * 16)
    newer = structure.overhead == 0
    assert newer.sum() == 12
    for to, cables in ((1, 0), (2, 1), (6, 2), (14, 3), (30, 4)):
        longer = cables * HOP + 0.13e-6 * (2 - newer[[0, to]].sum())
        once = MIB / (2 * RATE if newer[[0, to]].all() else RATE)
        assert times(world, [(0, 2 * to)]) == pytest.approx([near + longer + once])
        assert times(world, [(1, 2 * to)]) == pytest.approx([near + longer + 0.26e-6 + once / 0.94])


def test_structures_are_either_for_building_or_held_out() -> None:
    assert not set(BUILDING) & set(HELD_OUT)
    assert set(ALL) == set(BUILDING) | set(HELD_OUT)


@pytest.mark.parametrize(
    ("scope", "of_two", "about"),
    [(Scope.WITHIN, True, True), (Scope.ALL, True, False), (Scope.WITHIN, False, False)],
)
def test_one_of_two_ranks_may_be_named_by_the_messages_within_its_host(scope: Scope, of_two: bool, about: bool) -> None:
    verdict = Verdict("host", ("n3",), "both", "slow", MIB, 1.5, 0.9, 5, "", scope=scope)
    assert is_about(verdict, Fault("rank", ("n3:7",), (3,), ranks=np.array([7]), of_two=of_two)) == about
