"""The judge in worlds that it was not written for: silent in healthy ones, and right about one planted part."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from worlds.faults import possible
from worlds.scoring import Case, Score, score
from worlds.structures import ALL, BUILDING
from worlds.world import World

from everylink.judge.kinds import kinds_of

pytestmark = pytest.mark.one_in(6)  # each judges a whole cluster: most take seconds
HOSTS, SEED = 32, 1
ONE_HOST = (
    "quadrants", "CCXs", "cube mesh", "mesh of cores", "nested sockets", "CCXs in quadrants", "8 sockets with 3 links",
    "24 CCXs in eight quadrants, unequal numbers of ranks, hyperthreads",
    "four sockets of two NUMA nodes, ranks in turns, hyperthreads, drift",
)  # fmt: skip
HARD_HOSTS = (  # which queue a flow gets hides a slow machine, or what flows are limited to, or load but for one pair
    "two receive queues", "leaf pairs with MLAG, two generations", "virtual machines with limits of flows",
    "8 ranks by TCP, 2:1 static, two generations", "four sites on one backbone",
    "short frames in the last racks, 2:1 static", "torus of routers with service blades",
    "8 GPUs on 4 adapters, anywhere in two blocks", "tunnels of 2 pods, kernels half updated",
    "torus, 4 ranks, adapters as fast as six cables", "units in a torus, two memory groups on 4 interfaces",
    "Xeon Phis and Xeons in tanks, TCP, 2:1 static", "mesh in three dimensions, two cores",
    "TCP by connections in turns, 3:1 re-hashed, two ranks",
    "4 quadrants, routes by load, 100, 200 and 400 Gbit/s at random, hyperthreads, drift", "metered senders",
    "torus, 4 ranks, cables narrower than hosts", "8 ranks by TCP, 3:1 static, a core for each flow",
    "torus of routers",
)  # fmt: skip
SAMPLED_SEED = 702  # in this world of a sample two leaves were accused
FEW_PARTNERS_SEED = 7001  # in this world of a sample a way between switches was accused
UPLINKS = (
    "fat tree 1:1 static", "fat tree 2:1 static", "fat tree 4:1 adaptive", "fat tree 1:1 adaptive",
    "fat tree 2:1 re-hashed",
)  # fmt: skip
HARD_CHASSIS = (
    "two receive queues", "virtual machines with limits of flows", "two virtual machines of 4 ranks on each host",
    "hypercube of boards", "four sites on one backbone", "short frames in the last racks, 2:1 static",
    "a virtual machine on each socket, 2:1 static", "four ports of a line card share a chip",
    "4 GPUs, around by the processor in one lot", "bare metal and virtual machines in each rack",
    "a placement group with replaced machines", "four purchases that begin within leaves, far socket",
    "56 Gbit/s, 1:1 by receiver, boards replaced at random", "tunnels of 2 pods, kernels half updated",
    "one Ethernet switch, three purchases, 4 ranks", "two hosts on each adapter, islands 3:2, far socket",
    "4 ranks by TCP, three reservations of a cloud", "pods in turns on two pools, tunnels",
    "every fourth host left out, by receiver, far socket",
    "four virtual machines on a server, tunnels, two generations",
    "units in a torus, two memory groups on 4 interfaces", "Omni-Path of 400 Gbit/s, 2:1 adaptive, 4 ranks",
    "Xeon Phis and Xeons in tanks, TCP, 2:1 static", "40 Gbit/s, 8:5 static, older and newer chassis in turns",
    "mesh in three dimensions, two cores", "dragonfly+ of trays of two hosts on one adapter",
    "TCP by connections in turns, 3:1 re-hashed, two ranks", "200 Gbit/s, 1:1 re-hashed, far socket, last third newer",
    "hyper-crossbar of hosts with 4 coprocessors", "dragonfly+ of 200 Gbit/s, PCIe 3, job begins within a cell",
    "torus of 2 GPUs in each host, links of 34 Gbit/s",
    "40 Gbit/s, 12:5 static, every third rack replaced by 100 Gbit/s",
    "virtual machines in threes on 40 Gbit/s, 3:2 static, flows of 10",
    "units of 56, 100 and 200 Gbit/s, 4:1 between them by receiver",
    "200 Gbit/s, routes by load, parts of groups of three sizes",
    "4 quadrants, 100 and 200 Gbit/s at random, 2:1 re-hashed, hyperthreads",
    "4 ranks on two CCXs, dragonfly of 100 and 200 Gbit/s by group, drift",
    "bonds of four ports of 25 Gbit/s, 3:1 static, far socket", "mesh in four dimensions, far socket",
    "100 and 200 Gbit/s in turns by rack, 2:1 and 4:1 by sender, far socket",
    "4 quadrants, routes by load, 100, 200 and 400 Gbit/s at random, hyperthreads, drift",
    "25 Gbit/s, long cables in a row of racks, 1 % disturbed, drift",
    "4 ranks on four CCXs, 100, 200 and 400 Gbit/s by pod, 1:1 and 2:1 re-hashed, hyperthreads",
    "2 rails in two dragonflies that do not meet, few detours, hyperthreads", "4 hosts share an adapter",
    "pods in an overlay", "sleds in racks", "two joined switches of 56 Gbit/s, 4 ranks",
    "dragonfly, twice the cables to neighbours", "torus in six dimensions, far socket", "dragonfly+",
    "leaf pairs with MLAG, two generations", "interrupts that wait on some hosts, two processors",
)  # fmt: skip
HIDDEN_TRUNKS = ("chassis in a dragonfly", "blocks of two generations", "dragonfly+")
COLLIDING_SEED = 6001  # in this world a healthy rank was named, and a slow leaf by three trunks
STACK_SEED = 4408  # in this world two of three ways of a switch are slow
DETOURS_SEED = 4405  # in this world hosts at both ends of the trunk were named
CONTENDED = ("fat tree 1:1 static", "fat tree 2:1 static", "dragonfly")


def scored(structure: str, *kinds: str, topology: bool = False, seed: int = SEED, hosts: int = HOSTS) -> Score:
    found = score(Case(structure, kinds, seed, hosts, topology=topology))
    assert found is not None
    return found


def assert_only_verdict(structure: str, *kinds: str, topology: bool = False, seed: int = SEED) -> None:
    """That the planted part is found, and nothing else is; without one, that nothing is."""
    found = scored(structure, *kinds, topology=topology, seed=seed)
    assert (found.all_found, found.wrong) == (True, 0)


@pytest.mark.one_in(125)
@pytest.mark.parametrize("structure", BUILDING)
def test_nothing_is_accused_in_a_healthy_world(structure: str) -> None:
    assert scored(structure).wrong == 0


def test_hosts_that_are_far_from_others_of_their_kind_only_are_not_accused() -> None:
    assert scored("condo cluster", seed=8101).wrong == 0


def test_hosts_alone_behind_their_switches_are_not_accused_for_what_loads_its_uplinks() -> None:
    assert scored("fragments beside other jobs", seed=8501).wrong == 0


@pytest.mark.parametrize("seed", [8301, 8303])
def test_hosts_are_not_accused_in_turns_nor_without_anything_to_compare_them_with_alone(seed: int) -> None:
    """Half of the links of each of 8 hosts are slow by design; ranks of nearly all of them look slow."""
    assert scored("8 NUMA nodes on 2 rails in a dragonfly", seed=seed).wrong == 0


@pytest.mark.parametrize("kind", ["leaf", "link"])
def test_hosts_with_their_ranks_the_other_way_round_are_not_accused(kind: str) -> None:
    """A quarter of the hosts has its adapter on the second socket; with few ranks busy each meets its like only."""
    assert_only_verdict("fewer uplinks in later leaves", kind, seed=8301)


@pytest.mark.parametrize(
    ("structure", "seed", "kind"),
    [
        ("DPUs in every second rack", 10103, "link"),  # at a host with as many near partners as far ones
        ("DPUs in every second rack", 10101, "host"),  # slower than its own kind, quicker than the other
        ("DPUs in every second rack", 10101, "chassis"),  # shows inside its rack only
        ("deep buffers in every second leaf", 10104, "leaf"),  # looks like a third kind
    ],
)
def test_kinds_of_hosts_that_only_times_tell_are_told_beside_a_slow_part(structure: str, seed: int, kind: str) -> None:
    found = scored(structure, kind, seed=seed)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.parametrize(
    ("structure", "kind"),
    [
        ("4 ranks on 1 Gbit/s, one core", "rank"),  # which its adapter hides while the others use it, too
        ("rail-optimized, 8 rails, two generations", "rank"),  # with three others like it
        ("switches joined each with each, routes by load", "chassis"),  # two hosts show by a rank only
        ("three processors, 7:5 by receiver, far socket", "chassis"),
    ],
)
def test_what_load_hides_is_found_by_what_is_measured_alone(structure: str, kind: str) -> None:
    assert_only_verdict(structure, kind, seed=10201)


@pytest.mark.parametrize("seed", [10301, 10302])
def test_ranks_of_few_hosts_are_compared_with_those_at_other_places(seed: int) -> None:
    """Four hosts of a kind have three links alone at a rank's place; at 10302 two of three are of another class."""
    assert_only_verdict("8 ranks by TCP, 2:1 static, two generations", "rank", seed=seed)


@pytest.mark.parametrize(
    ("seed", "kinds"),
    [
        (10405, ()),  # one site is further from the others
        (1, ()),  # some pairs of two sites are slower than others
        (10401, ("host",)),  # one way is longer than others, beside a slow host
        (10404, ("chassis",)),  # in the furthest site: its other hosts are well with each other
    ],
)
def test_ways_between_sites_are_compared_with_nothing(seed: int, kinds: tuple[str, ...]) -> None:
    assert_only_verdict("four sites on one backbone", *kinds, seed=seed)


def test_pairs_that_are_slow_as_many_of_their_like_prove_no_uplink() -> None:
    """Half of the ways pass the older router; alone they take longer than the others, by design."""
    assert scored("two routers for networks in turns", seed=8702).wrong == 0


@pytest.mark.parametrize("structure", ["rail-optimized, 8 rails", "NVLink racks, 4 rails"])
def test_an_uplink_of_one_rail_is_named_by_its_adapters_under_equal_load(structure: str) -> None:
    found = scored(structure, "uplink", seed=8901)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)
    assert " on mlx5_" in found.said[0].text


@pytest.mark.parametrize("seed", [10501, 10503])
def test_hosts_of_which_three_have_a_processor_of_their_own_are_not_accused(seed: int) -> None:
    assert scored("thin, fat and GPU hosts, 2:1 adaptive", seed=seed).wrong == 0


def test_a_host_in_a_group_that_is_not_its_own_is_not_accused() -> None:
    assert_only_verdict("second adapters in narrow slots in one lot", "host", seed=10501)


@pytest.mark.parametrize(("seed", "kind"), [(10601, "chassis"), (10603, "direction")])
def test_of_hosts_that_are_slow_under_load_only_none_is_accused_where_groups_do_not_show(seed: int, kind: str) -> None:
    assert_only_verdict("4 NUMA nodes, parts of a dragonfly+", kind, seed=seed)


def test_hosts_of_a_slow_group_that_nothing_alone_was_compared_with_are_not_accused() -> None:
    assert scored("fewer uplinks in later leaves", seed=8722).wrong == 0


@pytest.mark.parametrize(("seed", "kinds"), [(8741, ()), (10503, ("rank",))])
def test_kinds_that_only_links_alone_show_are_told(seed: int, kinds: tuple[str, ...]) -> None:
    """Flows of six of 16 hosts are limited to half, which full load hides."""
    assert_only_verdict("short frames in the last racks, 2:1 static", *kinds, seed=seed)


@pytest.mark.parametrize(("seed", "kinds"), [(10701, ()), (10703, ("host",)), (10704, ("chassis",))])
def test_a_rack_of_hosts_with_less_memory_is_not_accused(seed: int, kinds: tuple[str, ...]) -> None:
    assert_only_verdict("half of the memory channels in every fourth rack", *kinds, seed=seed)


@pytest.mark.parametrize(("seed", "kind"), [(10702, "loss"), (10701, "rank")])
def test_pairs_that_are_no_slower_alone_than_those_of_many_other_hosts_are_not_accused(seed: int, kind: str) -> None:
    """Ways of a torus differ in length, and load shows more of it on some."""
    assert_only_verdict("torus of routers with service blades", kind, seed=seed)


def test_functions_with_limits_of_their_own_are_no_slow_rail() -> None:
    found = scored("4 functions with limits of three classes", "rank", seed=10403)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.parametrize(
    ("structure", "seed", "kind"),
    [
        ("interrupts on the core of the first rank", 10401, "host"),  # the other host of its leaf is well
        ("interrupts on the core of the first rank", 10404, "direction"),  # three others of its kind, seven in all
        ("every third rack receives less, 2:1 static", 10404, "direction"),  # as slow as another kind is, by rack
        ("mesh of hosts of 8 chips", 10404, "rank"),  # with an adapter of its own, but on ways that others load
        ("tunnels between subnets only, two processors", 10801, "chassis"),  # limits of flows hide it from most others
        ("tunnels between racks only, two lots", 10903, "direction"),  # likewise, from all but three
    ],
)
def test_a_slow_part_among_few_equals_is_named(structure: str, seed: int, kind: str) -> None:
    assert_only_verdict(structure, kind, seed=seed)


@pytest.mark.parametrize(
    ("structure", "seed"),
    [
        ("8 NUMA nodes, racks adaptive, 2:1 by receiver above", 11601),
        ("one switch, adapters of two lots on either socket", 11704),
    ],
)
def test_a_link_is_measured_alone_by_the_ranks_nearest_to_the_adapters_until_it_is_surely_slow(
    structure: str, seed: int
) -> None:
    assert_only_verdict(structure, "link", seed=seed)


def test_links_of_one_pair_of_hosts_only_are_judged_without_an_error() -> None:
    assert scored("4 GPUs on 4 rails, two Omni-Path switches in each chassis", seed=8874).wrong == 0


def test_a_leaf_of_two_hosts_among_four_is_named() -> None:
    assert_only_verdict("8 ranks on 4 rails in a dragonfly", "leaf", seed=8853)


@pytest.mark.parametrize("seed", [11801, 11805])
def test_a_leaf_that_a_quarter_of_the_ranks_shows_is_named_beside_two_leaves_that_look_like_one(seed: int) -> None:
    assert_only_verdict("4 rails on leaves of their own, later pods 2:1", "leaf", seed=seed)


@pytest.mark.parametrize("seed", [12001, 12003, 12004])
def test_a_slow_link_of_hosts_that_are_further_away_is_named(seed: int) -> None:
    assert_only_verdict("rail-optimized, 8 rails, a pod in the next hall", "link", seed=seed)


def test_a_host_is_not_accused_that_is_slow_neither_alone_nor_inside_its_group() -> None:
    """Its two ranks share an uplink with those of another one."""
    assert scored("hosts that vary by 1 %, 4:3 by receiver, far socket", seed=12102).wrong == 0


def test_a_way_that_shows_alone_is_not_named_beside_the_slow_leaf_at_its_end() -> None:
    assert scored("2:1 dealt out, newer racks with the adapter on the second socket", "leaf", seed=12002).wrong == 0


@pytest.mark.parametrize(("seed", "kind"), [(12001, "rank"), (12001, "loss"), (12004, "intermittent 30 %")])
def test_a_host_is_not_accused_for_a_few_links_that_differ_as_single_links_do(seed: int, kind: str) -> None:
    assert_only_verdict("4 NUMA nodes, 4:3 by receiver, three sizes of memory", kind, seed=seed)


@pytest.mark.parametrize("kind", ["host", "rank"])
def test_one_of_three_hosts_with_a_processor_is_named_where_the_others_are_well(kind: str) -> None:
    assert_only_verdict("8 GPUs on 8 relayed rails, a switch for each", kind, seed=11601)


@pytest.mark.parametrize(
    ("structure", "seed"),
    [
        ("racks with power caps", 8851),  # few pairs were measured alone
        ("a virtual machine on each socket, 2:1 static", 8851),  # most pairs take longer alone than the quickest
        ("small job in a dragonfly", 8851),  # in groups of two to five hosts
        ("full group and pairs of hosts in a dragonfly", 8851),
    ],
)
def test_a_trunk_that_shows_alone_only_is_named_with_topology(structure: str, seed: int) -> None:
    assert_only_verdict(structure, "trunk", topology=True, seed=seed)


@pytest.mark.parametrize("structure", ["two trees of two rates", "switches joined each with each, routes by load"])
def test_the_last_host_of_a_chassis_is_named_by_fewer_links_alone(structure: str) -> None:
    """Of some of its links it is known that they look slow: these were measured alone for that."""
    found = scored(structure, "chassis", seed=10205)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.parametrize("seed", [8301, 8501])
def test_pairs_of_hosts_that_cost_most_with_each_other_are_no_uplink(seed: int) -> None:
    assert_only_verdict("read requests of two lengths", "chassis", seed=seed)


def test_one_of_four_hosts_of_a_kind_is_not_accused_for_what_only_load_shows() -> None:
    for seed in (10301, 10302):
        assert scored("newer hosts on the core, 2:1, far socket", seed=seed).wrong == 0


@pytest.mark.parametrize(
    ("structure", "hosts"), [("two hypercubes", 16), ("rail-optimized, 8 rails, spares stand in", 16)]
)
def test_a_host_is_not_accused_for_what_load_does_to_another_one_as_well(structure: str, hosts: int) -> None:
    assert scored(structure, seed=8801, hosts=hosts).wrong == 0


@pytest.mark.parametrize("seed", [10801, 10805])
def test_hosts_of_a_lot_are_of_a_kind_by_the_links_between_their_own_ranks(seed: int) -> None:
    """What is slow in the network hides that they differ there, too."""
    found = scored("4 GPUs behind a PCIe switch, access control in one lot", "chassis", seed=seed)
    assert (found.all_found, found.wrong) == (True, 0)


@pytest.mark.parametrize("seed", [10903, 10905])
def test_hosts_of_a_lot_in_a_row_are_of_its_kind_though_some_are_slower_still(seed: int) -> None:
    """Nothing tells the kind but times: its other hosts are too few for one by themselves."""
    found = scored("4 GPUs, around by the processor in one lot", "chassis", seed=seed)
    assert (found.all_found, found.wrong) == (True, 0)


def test_a_pair_whose_few_readings_alone_may_be_long_by_chance_is_no_verdict() -> None:
    for seed in (10902, 10903):
        assert scored("4 ranks on hosts that other jobs use too", seed=seed).wrong == 0


def test_a_told_leaf_of_two_hosts_that_are_slow_with_others_is_named() -> None:
    assert_only_verdict("8 NUMA nodes", "leaf", topology=True, seed=8811)


def test_hosts_that_few_links_show_beyond_their_group_are_no_verdicts() -> None:
    assert scored("hypercube of three generations, far socket", "chassis", seed=10804).wrong == 0


def test_pairs_inside_a_found_group_that_take_less_than_links_between_groups_are_no_verdicts() -> None:
    """Two virtual machines of a server are so much nearer that only they are a group, or two servers."""
    found = scored("two virtual machines of 4 ranks on each host", "link", seed=8821)
    assert (found.wrong, len(found.said)) == (0, 1)


@pytest.mark.parametrize(
    ("structure", "seed"),
    [
        ("4 GPUs in bridged pairs, two generations", 11102),  # in small messages, no slower than links of other kinds
        ("PCs in rooms, servers on the core", 11102),  # most others are PCs, on slower adapters
        ("a placement group with replaced machines", 1),  # flows to other groups are limited
        ("a fleet of three types, flow limits", 10904),
        ("pods in turns over racks, half of the hosts upgraded", 11301),  # one core receives for both ranks of a host
    ],
)
def test_a_host_that_only_some_kinds_of_hosts_show_is_the_only_verdict(structure: str, seed: int) -> None:
    assert_only_verdict(structure, "host", seed=seed)


@pytest.mark.parametrize(
    ("structure", "seed"),
    [("8 GPUs on PCIe, two on each of 4 rails", 11202), ("sprayed packets, 4 ranks with flow limits", 11201)],
)
def test_a_host_that_is_slow_at_times_while_its_ranks_fill_what_they_share_is_named(structure: str, seed: int) -> None:
    assert_only_verdict(structure, "intermittent 30 %", seed=seed)


def test_hosts_whose_memory_is_a_little_slower_are_no_verdicts_beside_a_slow_part() -> None:
    for kind, seed in (("rank", 11201), ("host", 11204)):
        assert_only_verdict("adapter on the second socket, 4 NUMA nodes, 2:1", kind, seed=seed)


def test_one_of_three_groups_of_a_kind_that_is_a_little_further_is_no_verdict() -> None:
    assert_only_verdict("dragonfly+ of two generations, far socket", "link", seed=11201)


def test_one_of_two_ways_between_hosts_of_two_kinds_is_no_verdict() -> None:
    assert scored("three switches, each with each, newer hosts on one", "leaf", seed=11201).wrong == 0


def test_hosts_that_are_near_to_another_kind_and_far_from_their_own_are_no_verdicts() -> None:
    assert_only_verdict("two joined switches of 56 Gbit/s, 4 ranks", "host", seed=11502)
    assert_only_verdict("pods of 4 ranks in three racks, lingering routes", "rank", seed=11505)
    assert scored("pods of 4 ranks in three racks, lingering routes", seed=11504).wrong == 0


def test_hosts_in_no_row_that_are_slow_alike_are_no_verdicts_beside_a_slow_one() -> None:
    """A sixth of all."""
    assert scored("links that sleep where both ends can, 2:1 static", seed=11303).wrong == 0
    assert_only_verdict("links that sleep where both ends can, 2:1 static", "host")


def test_a_host_near_to_some_of_a_quicker_kind_is_of_its_own() -> None:
    assert scored("free hosts of each rack, two kernels at random").wrong == 0


def test_long_readings_of_one_link_inside_a_host_are_no_verdict_if_others_of_it_are_quick() -> None:
    assert_only_verdict("LAGs that hash by the last bits of addresses", "link", seed=11302)


def test_a_host_that_a_few_links_with_another_group_show_to_be_a_little_slow_is_no_verdict() -> None:
    for seed in (11301, 11305):
        assert scored("accelerators of four hosts joined, packets spread", seed=seed).wrong == 0


@pytest.mark.parametrize(
    ("structure", "seed"),
    [
        ("three layers of network nodes, far socket", 8842),
        ("4 ranks on hosts that other jobs use too", 8842),
        ("fragments beside other jobs", 8843),  # two hosts behind an uplink that others fill
        ("virtual machines with limits of flows", 8843),
    ],
)
def test_what_load_adds_to_few_hosts_is_no_verdict(structure: str, seed: int) -> None:
    assert scored(structure, seed=seed).wrong == 0


def test_a_leaf_of_two_hosts_among_others_of_two_is_named() -> None:
    assert_only_verdict("8 GPUs, 7:1 between pods", "leaf", seed=8821)


def test_a_leaf_of_two_hosts_is_named_among_leaves_that_show_with_less_load_only() -> None:
    assert_only_verdict("rail-optimized, 8 rails, longer cables to further pods", "leaf", seed=12101)


def test_a_leaf_of_two_hosts_beside_two_leaves_that_look_like_one_is_named() -> None:
    assert_only_verdict("8 NUMA nodes, racks adaptive, 2:1 by receiver above", "leaf", seed=11601)


def test_a_leaf_that_is_slow_alone_is_named_in_place_of_its_hosts() -> None:
    assert_only_verdict("4 GPUs on 4 rails, whole and half cells of a dragonfly+", "leaf", seed=12305)


def test_a_leaf_that_is_slow_alone_is_named_though_load_hides_it() -> None:
    assert_only_verdict("4 NUMA nodes, 4:3 by receiver, three sizes of memory", "leaf", seed=12001)


def test_a_pair_from_a_group_that_is_as_slow_and_a_suspect_is_no_verdict() -> None:
    assert scored("4 GPUs on 4 adapters of the leaf, 3:2 adaptive, two phases", "leaf", seed=12203).wrong == 0


def test_a_host_that_slows_now_and_then_is_named_in_a_leaf_of_two_kinds() -> None:
    found = scored("4 GPUs on 4 adapters of the leaf, 3:2 adaptive, two phases", "intermittent 30 %", seed=12202)
    assert (found.all_found, found.wrong) == (True, 0)


@pytest.mark.parametrize("part", ["rank", "link"])
def test_a_rail_of_a_leaf_is_no_verdict_beside_the_rank_or_link_that_makes_it_slow(part: str) -> None:
    assert_only_verdict("8 relayed rails, two uplinks for each host", part, seed=12301)


@pytest.mark.parametrize("part", [(), "rank", "link", "leaf"])
def test_leaves_with_fewer_uplinks_are_no_verdicts(part: str | tuple[()]) -> None:
    kinds = (part,) if part else ()
    assert scored("leaves on one core, 1:1 and later 2:1, 40 Gbit/s", *kinds, seed=12501).wrong == 0


def test_a_host_that_its_leaf_makes_slow_inside_a_pod_is_no_verdict() -> None:
    for part in ("host", "link"):
        assert_only_verdict("8 ranks on 4 CCXs, three levels, 2:1 adaptive", part, seed=12502)


@pytest.mark.parametrize(
    ("structure", "seed"),
    [
        ("pods in an overlay", 8871),  # kinds that times seem to show
        ("8 NUMA nodes on one switch, two generations", 8871),
        ("dragonfly+ of two generations, far socket", 8871),  # three ways between newer groups
        ("small job in a dragonfly", 8872),  # one reading of nine
        ("extension with one adapter instead of two, 2:1", 8873),  # two leaves as one
        ("thin, fat and GPU hosts, 2:1 adaptive", 8873),  # a rank of one of three hosts with their processor
    ],
)
def test_groups_kinds_and_ranks_that_chance_shows_are_no_verdicts(structure: str, seed: int) -> None:
    assert scored(structure, seed=seed).wrong == 0


def test_a_host_that_is_slow_inside_its_leaf_only_while_all_ranks_measure_is_named() -> None:
    assert_only_verdict("8 ranks by TCP, 3:1 static, a core for each flow", "host", seed=12503)


def test_a_host_is_not_accused_for_what_its_links_with_a_slow_leaf_take_alone() -> None:
    assert_only_verdict("100 Gbit/s to one core, half of the hosts on the first leaf", "leaf", seed=14204)


def test_a_host_is_not_quick_with_another_one_with_which_it_is_slow_alone() -> None:
    assert_only_verdict("virtual machines of two ranks on 25 Gbit/s, 5:2 static, in no order", "direction", seed=14202)


@pytest.mark.parametrize(("kind", "seed"), [("chassis", 14202), ("direction", 14204)])
def test_hosts_of_which_only_two_equals_are_left_are_not_accused_for_what_nothing_alone_proves(
    kind: str, seed: int
) -> None:
    assert_only_verdict("rail-optimized, 4 rails of 400 Gbit/s, 8:7 dealt out, newer hosts last", kind, seed=seed)


@pytest.mark.parametrize(("kinds", "seed"), [((), 14504), (("host",), 14503)])
def test_ways_by_the_edges_of_a_mesh_are_not_slow_cables_of_three_groups_nor_single_pairs(
    kinds: tuple[str, ...], seed: int
) -> None:
    """One pair in eight takes 1.8 times as long alone; with a quarter of the ranks busy, single ones of these show."""
    assert_only_verdict("mesh of 400 Gbit/s, Ethernet between its edges", *kinds, seed=seed)


@pytest.mark.parametrize(("kind", "seed"), [("host", 14701), ("leaf", 14703)])
def test_a_host_that_loses_little_by_longer_routes_now_and_then_is_no_verdict(kind: str, seed: int) -> None:
    """5 of 90 steps take 1.25 times as long, as others of its kind and group have none by chance."""
    assert_only_verdict("dragonfly of 100, 200 and 400 Gbit/s at random, many detours", kind, seed=seed)


def test_nor_is_one_that_loses_little_alone() -> None:
    assert scored("dragonfly of 100, 200 and 400 Gbit/s at random, many detours", seed=8879).wrong == 0


def test_a_host_whose_links_took_longer_routes_later_by_chance_does_not_drift() -> None:
    """Seven links of one class, of three readings each."""
    assert scored("dragonfly of 100, 200 and 400 Gbit/s by group, hyperthreads", seed=14705).wrong == 0


@pytest.mark.parametrize("seed", [14701, 14703])
def test_a_slow_direction_of_a_host_of_a_grid_is_named_though_two_groups_seem_to_show(seed: int) -> None:
    assert_only_verdict("4 chips, grid closed along its longer side", "direction", seed=seed)


def test_hosts_whose_messages_to_another_kind_take_longer_than_those_from_it_are_no_verdicts() -> None:
    """Nobody told the kinds. Two hosts were measured alone with one of their own only."""
    assert scored("pods in turns over racks, half of the hosts upgraded", "leaf", seed=15221).wrong == 0


def test_a_host_that_is_well_alone_with_one_of_the_two_others_of_its_group_is_no_verdict() -> None:
    assert scored("a placement group with replaced machines", seed=8879).wrong == 0


def test_the_only_host_of_a_kind_in_a_group_is_named_and_not_the_group_by_its_links_alone() -> None:
    assert_only_verdict("rail-optimized, 8 rails of 200 and 400 Gbit/s at random, 2:1 adaptive", "host", seed=14701)


@pytest.mark.parametrize("seed", [14703, 14704])
def test_no_way_is_named_by_its_links_alone_beside_a_group_that_is(seed: int) -> None:
    assert_only_verdict("rail-optimized, 8 rails of 200 and 400 Gbit/s at random, 2:1 adaptive", "leaf", seed=seed)


def test_a_leaf_of_hosts_that_have_a_kind_of_their_own_within_is_no_verdict() -> None:
    assert scored("8 GPUs on 2 adapters, or on one without NVLink", seed=12003).wrong == 0


def test_slow_pairs_of_hosts_that_have_adapters_of_their_own_are_no_uplink() -> None:
    assert scored("torus of routers with service blades", seed=8861).wrong == 0


def test_a_rack_that_load_makes_slow_like_hosts_of_another_one_is_no_verdict() -> None:
    for seed in (8841, 11101, 11104):
        assert scored("virtual switches of four machines, two lots", seed=seed).wrong == 0


def test_three_of_eight_groups_that_are_slow_alike_are_no_verdicts() -> None:
    assert scored("short frames in the last racks, 2:1 static", seed=8801, hosts=64).wrong == 0


def test_a_pair_inside_a_group_that_is_as_long_as_some_between_groups_is_no_verdict() -> None:
    assert scored("spines in two buildings", seed=10101).wrong == 0


@pytest.mark.parametrize("structure", ["hypercube", "two tori of switches"])
def test_ways_past_a_slow_switch_are_no_verdicts_of_their_own(structure: str) -> None:
    found = scored(structure, "leaf", seed=8301)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


def test_ways_past_a_slow_switch_of_two_hosts_are_none_either() -> None:
    assert_only_verdict("torus of routers", "leaf", seed=8501)


@pytest.mark.long("more structures")
@pytest.mark.parametrize(
    ("structure", "seed"),
    [("Kautz graph", 8101), ("chassis in a dragonfly, two processors", 8101), ("hypercube, far socket", 10003)],
)
def test_nothing_is_accused_where_healthy_parts_were(structure: str, seed: int) -> None:
    """A host a little by contention, one now and then as a few others, and ways that are longer by design."""
    assert scored(structure, seed=seed).wrong == 0


@pytest.mark.one_in(125)
@pytest.mark.parametrize("structure", [name for name in BUILDING if name not in (*ONE_HOST, *HARD_HOSTS)])
def test_a_slow_host_is_the_only_verdict(structure: str) -> None:
    assert_only_verdict(structure, "host")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("structure", [*CONTENDED, "Slim Fly", "torus"])
def test_a_slow_link_is_found_among_links_that_collide(structure: str) -> None:
    assert_only_verdict(structure, "link")


@pytest.mark.long
@pytest.mark.parametrize("structure", ["one switch", "two generations by rack", "far socket", "hyperthreads"])
def test_a_host_that_is_slow_now_and_then_is_found(structure: str) -> None:
    assert_only_verdict(structure, "intermittent 30 %")


@pytest.mark.parametrize("structure", ["hyperthreads", *CONTENDED])
@pytest.mark.long
def test_a_host_that_is_slow_in_a_tenth_of_the_steps_is_found_by_measuring_it_alone(structure: str) -> None:
    worlds = [score(Case(structure, ("intermittent 10 %",), seed, HOSTS)) for seed in range(1, 5)]
    assert sum(world.wrong for world in worlds if world) == 0
    assert sum(world.all_found for world in worlds if world) >= 3  # chance decides how often the host is slow


@pytest.mark.one_in(3)
@pytest.mark.parametrize("structure", ["one switch", "4 rails", "hyperthreads"])
def test_a_host_that_flaps_is_found(structure: str) -> None:
    assert_only_verdict(structure, "flapping")


@pytest.mark.parametrize("structure", ["fat tree 2:1 static", "one switch", "4 rails", "hyperthreads"])
@pytest.mark.long
def test_a_host_that_drifts_is_found(structure: str) -> None:
    assert_only_verdict(structure, "drifting")


@pytest.mark.long
@pytest.mark.parametrize("topology", [False, True])
@pytest.mark.parametrize("structure", UPLINKS)
def test_a_slow_uplink_is_one_verdict(structure: str, topology: bool) -> None:
    assert_only_verdict(structure, "uplink", topology=topology)


@pytest.mark.parametrize("structure", ["Ethernet 2:1, 10 Gbit/s", "three levels, 2:1 between pods"])
@pytest.mark.one_in(2)
def test_a_slow_leaf_is_one_verdict(structure: str) -> None:
    found = scored(structure, "leaf")
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.long
@pytest.mark.parametrize("structure", ["dragonfly", "fat tree 4:1 adaptive", "HyperX"])
def test_a_slow_trunk_is_found_where_the_groups_are_told(structure: str) -> None:
    assert_only_verdict(structure, "trunk", topology=True)


@pytest.mark.parametrize("topology", [False, True])
@pytest.mark.parametrize("structure", HIDDEN_TRUNKS)
@pytest.mark.long
def test_a_slow_trunk_that_load_hides_is_found_with_a_quarter_of_the_ranks_busy(structure: str, topology: bool) -> None:
    assert_only_verdict(structure, "trunk", topology=topology)


@pytest.mark.long("more structures")
def test_a_slow_cable_that_several_switches_share_is_found() -> None:
    found = scored("Slim Fly", "trunk")
    assert (found.all_found, found.wrong) == (True, 0)
    assert all(said.kind == "trunk" for said in found.said)


@pytest.mark.long("a large world")
def test_a_leaf_that_is_slow_with_nearly_all_groups_found_in_the_times_is_one_verdict() -> None:
    found = scored("cells, 2:1 twice by receiver", "leaf", seed=COLLIDING_SEED)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.parametrize("topology", [False, True])
@pytest.mark.long("more structures")
def test_a_group_that_is_slow_with_some_others_is_named_by_its_trunks(topology: bool) -> None:
    found = scored("stack of 4 switches", "trunk", topology=topology, seed=STACK_SEED)
    assert (found.all_found, found.wrong) == (True, 0)
    assert {said.kind for said in found.said} == {"trunk"}


@pytest.mark.long("a large world")
def test_no_rank_is_accused_because_its_messages_always_collide_under_load() -> None:
    found = scored("cells, 2:1 twice by receiver", seed=COLLIDING_SEED)
    assert not found.said


@pytest.mark.parametrize(
    ("structure", "seed"), [("small job in a dragonfly", 7001), ("Slim Fly", 7001), ("units in a torus", 7002)]
)
@pytest.mark.long("more structures")
def test_a_slow_trunk_is_named_and_not_the_group_at_its_end(structure: str, seed: int) -> None:
    found = scored(structure, "trunk", topology=True, seed=seed)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.parametrize(
    ("structure", "seed"), [("service hosts in a tree", 7001), ("dragonfly of two generations", 9303)]
)
@pytest.mark.long("more structures")
def test_a_slow_leaf_is_named_and_neither_its_ways_to_a_kind_of_hosts_nor_pairs_elsewhere(
    structure: str, seed: int
) -> None:
    assert_only_verdict(structure, "leaf", seed=seed)


@pytest.mark.long("more structures")
def test_a_slow_link_inside_a_leaf_is_found_though_it_takes_what_links_between_leaves_take_under_load() -> None:
    assert_only_verdict("spines of two generations", "link", seed=9203)


@pytest.mark.long("more structures")
def test_no_pair_of_a_mesh_is_accused_for_the_length_of_its_way() -> None:
    assert_only_verdict("mesh of hosts", "chassis", seed=9301)


@pytest.mark.long("more structures")
def test_no_host_is_slow_now_and_then_because_it_was_measured_alone_more_often_than_others() -> None:
    assert_only_verdict("chassis in a dragonfly", "host")


@pytest.mark.long("more structures")
def test_no_host_is_slow_now_and_then_for_a_trunk_that_some_messages_avoid() -> None:
    found = scored("dragonfly+", "trunk", seed=DETOURS_SEED)
    assert (found.all_found, {said.kind for said in found.said}) == (True, {"trunk"})


@pytest.mark.long
def test_by_a_sample_of_partners_no_host_is_named_for_what_its_ranks_reach_together() -> None:
    found = score(Case("4 quadrants, dragonfly of 200 and 400 Gbit/s at random, drift", (), 7051, 32, partners=4))
    assert found is not None
    assert not found.said


@pytest.mark.parametrize("topology", [False, True])
@pytest.mark.parametrize("partners", [8, 16])
@pytest.mark.long
def test_no_leaf_is_accused_by_a_sample_of_an_oversubscribed_tree(partners: int, topology: bool) -> None:
    found = score(Case("fat tree 4:1 static", (), SAMPLED_SEED, 64, partners=partners, topology=topology))
    assert found is not None
    assert found.wrong == 0


@pytest.mark.long
@pytest.mark.parametrize("kinds", [(), ("host",)])
def test_nothing_but_a_slow_host_is_accused_by_four_partners(kinds: tuple[str, ...]) -> None:
    found = score(Case("HyperX", kinds, FEW_PARTNERS_SEED, HOSTS, partners=4))
    assert found is not None
    assert (found.all_found, found.wrong) == (True, 0)


def test_a_slow_rank_is_named_and_not_its_host() -> None:
    assert_only_verdict("far socket", "rank")


@pytest.mark.parametrize(("structure", "seed"), [("cells, 2:1 twice by receiver", 7903), ("Kautz graph", 9402)])
@pytest.mark.long("more structures")
def test_a_slow_rank_that_load_hides_is_named_and_not_its_host_for_the_link_inside(structure: str, seed: int) -> None:
    found = scored(structure, "rank", seed=seed)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.long("more structures")
def test_no_host_is_accused_of_which_ranks_far_from_the_adapter_were_measured_alone() -> None:
    assert_only_verdict("fewer uplinks in later leaves", "loss", seed=9401)


@pytest.mark.long("more structures")
def test_a_slow_rank_is_named_though_at_another_size_only_its_links_were_measured_alone() -> None:
    found = scored("far socket, 4 ranks", "rank", seed=7701)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.parametrize("structure", [name for name in BUILDING if name not in (*ONE_HOST, *HARD_CHASSIS)])
@pytest.mark.long
def test_the_hosts_of_a_slow_chassis_are_the_only_verdicts(structure: str) -> None:
    if not possible("chassis", ALL[structure](HOSTS, np.random.default_rng(SEED))):
        pytest.skip("few hosts, or in no order")
    assert_only_verdict(structure, "chassis")


@pytest.mark.long
@pytest.mark.parametrize("structure", ["routes by load in a dragonfly, far socket", "two islands of two processors"])
def test_no_host_of_a_chassis_is_left_out_for_its_slow_pairs_or_rank(structure: str) -> None:
    for seed in (10002, 10003):
        assert_only_verdict(structure, "chassis", seed=seed)


@pytest.mark.long
def test_the_hosts_of_a_slow_chassis_are_one_verdict_where_they_are_in_a_row() -> None:
    found = scored("one switch", "chassis")
    assert (found.all_found, len(found.said)) == (True, 1)


@pytest.mark.long("more structures")
def test_a_leaf_is_not_named_for_its_slow_host_which_was_measured_alone_most() -> None:
    assert_only_verdict("islands with one uplink, far socket", "host", seed=8001)


@pytest.mark.long("more structures")
def test_a_group_of_which_a_chassis_is_half_is_not_named_beside_it() -> None:
    assert_only_verdict("dragonfly of single cables", "chassis", seed=9402)


@pytest.mark.long
def test_a_slow_trunk_between_groups_of_two_hosts_is_one_verdict() -> None:
    found = scored("rail-only", "trunk")
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.long
def test_a_slow_rail_is_one_verdict() -> None:
    assert_only_verdict("4 rails", "rail plane")


@pytest.mark.long("a large world")
def test_a_rail_that_is_slow_behind_one_leaf_is_one_verdict() -> None:
    found = scored("2 rails, 2:1 static", "rail")
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "structure", ["rail-optimized, 8 rails", "dragonfly, 4 rails", "partitions with and without GPUs"]
)
def test_a_rail_of_a_leaf_is_not_told_as_its_ranks(structure: str) -> None:
    found = scored(structure, "rail", seed=20051)
    assert (found.all_found, found.wrong, len(found.said)) == (True, 0, 1)


@pytest.mark.long("half a minute")
def test_groups_show_by_the_ranks_on_one_rail() -> None:
    assert_only_verdict("rail-optimized", "trunk")


@pytest.mark.long
@pytest.mark.parametrize("structure", ["4 rails", "2 rails that do not meet"])
def test_a_slow_adapter_is_not_taken_for_its_host(structure: str) -> None:
    assert_only_verdict(structure, "adapter")


@pytest.mark.parametrize(
    ("longer", "classes"),
    [
        (np.arange(HOSTS) % 2 == 0, 2),
        (np.arange(HOSTS) % 5 == 0, 2),
        (np.arange(HOSTS) % 8 == 0, 1),
        (np.arange(HOSTS) < 6, 1),
    ],
)
def test_equal_hosts_of_which_many_take_longer_are_two_classes(longer: NDArray[np.bool_], classes: int) -> None:
    """They say the same of their adapters. Not an eighth of them, as in a chassis, nor some of one leaf."""
    built = ALL["error correction on longer cables"](HOSTS, np.random.default_rng(SEED))
    kinds = kinds_of(World(replace(built, overhead=np.where(longer, 0.25e-6, 0)), (), SEED).results).of_host
    assert len(np.unique(np.stack([kinds, longer & (classes > 1)]), axis=1).T) == classes


@pytest.mark.long("more structures")
def test_a_slow_link_shows_beside_two_classes_of_hosts() -> None:
    assert_only_verdict("error correction on longer cables", "link", seed=9504)


@pytest.mark.long("more structures")
@pytest.mark.parametrize("kind", ["host", "chassis"])
def test_hosts_of_which_what_two_ranks_share_is_slow_are_named(kind: str) -> None:
    assert_only_verdict("flow limits of placement groups", kind, seed=9505)


@pytest.mark.long("more structures")
@pytest.mark.parametrize("kinds", [(), ("host",)])
def test_nothing_is_accused_because_a_quarter_of_the_hosts_may_send_less(kinds: tuple[str, ...]) -> None:
    found = scored("pods that may send less", *kinds, seed=9601)
    assert (found.all_found, found.wrong) == (True, 0)


@pytest.mark.long("more structures")
@pytest.mark.parametrize("kind", ["chassis", "leaf"])
def test_hosts_in_no_group_that_are_as_far_as_a_group_are_not_accused(kind: str) -> None:
    assert_only_verdict("two routers for networks in turns", kind, seed=9601)


@pytest.mark.long("more structures")
def test_a_host_that_load_slows_with_a_few_others_is_not_accused() -> None:
    assert not scored("racks with power caps", seed=7931).said


@pytest.mark.long("more structures")
def test_two_hosts_of_one_leaf_that_load_hides_are_named_by_what_they_take_alone() -> None:
    assert_only_verdict("4 NUMA nodes, 3:1 adaptive", "chassis", seed=9703)


@pytest.mark.long("more structures")
def test_hosts_of_a_leaf_that_are_slow_alone_are_the_only_verdicts_beside_others_that_load_slows() -> None:
    assert_only_verdict("leaf pairs with MLAG, two generations", "chassis", seed=9803)


@pytest.mark.long("more structures")
def test_pairs_of_a_dragonfly_that_are_longer_by_design_are_no_slow_way_together() -> None:
    structure = "8 CCXs, dragonfly of 100, 200 and 400 Gbit/s by group, many detours, hyperthreads"
    assert_only_verdict(structure, "link", seed=19001)


@pytest.mark.long("more structures")
def test_ways_past_a_slow_router_that_show_at_several_sizes_are_one_verdict() -> None:
    found = scored("torus of routers, 4 NUMA nodes", "leaf", seed=9805)
    assert (found.all_found, found.wrong) == (True, 0)
    assert sum(said.kind == "trunk" for said in found.said) == 1


@pytest.mark.long("more structures")
def test_a_host_whose_inner_messages_are_slow_for_a_moment_is_not_accused() -> None:
    assert not scored("one switch, two processors at random", "link", seed=9805).said


@pytest.mark.long("more structures")
def test_hosts_of_a_kind_that_are_in_another_group_than_it_seems_are_not_accused() -> None:
    assert not scored("condo cluster", seed=7942).said


@pytest.mark.long("more structures")
@pytest.mark.parametrize(
    ("structure", "seed"),
    [
        ("torus of routers, 4 NUMA nodes", 9802),
        ("8 ranks on 4 rails in a dragonfly", 9803),
        ("unequal leaves, 1:1 static, far socket", 9804),
    ],
)
def test_a_slow_link_that_load_hides_is_named_by_what_it_takes_alone(structure: str, seed: int) -> None:
    assert_only_verdict(structure, "link", seed=seed)


@pytest.mark.long("more structures")
@pytest.mark.parametrize("structure", ["fat tree 3:1 re-hashed, unequal leaves", "dragonfly, many detours"])
def test_a_slow_trunk_is_named_though_load_hides_it_or_its_ends_look_like_another_kind(structure: str) -> None:
    assert_only_verdict(structure, "trunk", seed=7950)


@pytest.mark.long("more structures")
@pytest.mark.parametrize(
    ("structure", "kind"), [("racks with power caps", "uplink"), ("dragonfly, 2 rails", "chassis")]
)
def test_what_is_measured_alone_for_being_slow_at_best_accuses_nothing_else(structure: str, kind: str) -> None:
    assert_only_verdict(structure, kind, seed=7950)


@pytest.mark.parametrize("topology", [False, True])
def test_a_trunk_between_hosts_with_adapters_on_unlike_sockets_is_named(topology: bool) -> None:
    assert_only_verdict("adapters on either socket", "trunk", topology=topology, seed=8872)


@pytest.mark.parametrize(
    ("structure", "topology", "seed"),
    [("fat tree 4:1 static", False, 8871), ("unequal leaves, 2:1 adaptive", True, 8872)],
)
def test_a_trunk_is_named_and_not_the_group_at_its_end(structure: str, topology: bool, seed: int) -> None:
    assert_only_verdict(structure, "trunk", topology=topology, seed=seed)


@pytest.mark.parametrize(
    ("structure", "seed", "kind"),
    [
        ("one Ethernet switch, 25 and 100 Gbit/s, 4 ranks", 12802, "host"),  # slower hosts hide it
        ("8 ranks by TCP, 3:1 static, a core for each flow", 12504, "host"),  # steps in which few ranks work hide it
        ("Omni-Path of 400 Gbit/s, 2:1 adaptive, 4 ranks", 12402, "intermittent 30 %"),
        ("virtual machines of 4 NUMA nodes, two ranks fill 400 Gbit/s", 12704, "chassis"),  # groups do not show
    ],
)
def test_a_host_is_named_by_what_all_of_its_ranks_reach(structure: str, seed: int, kind: str) -> None:
    assert_only_verdict(structure, kind, seed=seed)


@pytest.mark.parametrize(
    ("structure", "seed", "kinds"),
    [
        ("4 ranks on hosts that other jobs use too", 8875, ()),
        ("four virtual machines on a server, tunnels, two generations", 12001, ("rank",)),
        ("4 rails on leaves of their own, later pods 2:1", 11802, ("chassis",)),
    ],
)
def test_no_host_is_accused_by_what_all_of_its_ranks_reach(structure: str, seed: int, kinds: tuple[str, ...]) -> None:
    assert scored(structure, *kinds, seed=seed).wrong == 0


@pytest.mark.parametrize(("seed", "kinds"), [(12901, ()), (12905, ()), (12904, ("rank",))])
def test_a_further_block_is_not_accused_nor_are_two_hosts_of_it_that_are_near_to_each_other(
    seed: int, kinds: tuple[str, ...]
) -> None:
    structure = "virtual machines sorted by sub-blocks of two blocks, lingering routes"
    assert_only_verdict(structure, *kinds, seed=seed)


def test_a_host_near_to_a_slow_one_is_not_accused_in_the_group_of_others() -> None:
    assert_only_verdict("8 rails on the leaf of the rack, racks of three, 3:2 dealt out", "direction", seed=13102)


def test_two_hosts_that_a_quarter_of_the_ranks_slow_and_that_are_well_alone_are_no_slow_group() -> None:
    assert_only_verdict("8 GPUs on 4 rails, a leaf for each rail, 2:1 adaptive", seed=13102)
