"""The judge on simulated fabrics: it names the planted faults, and nothing else."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.io.read import read
from everylink.judge.confidence import RIGHT
from everylink.judge.confirm import plan_to_confirm
from everylink.judge.findings import find
from everylink.judge.groups import inferred_groups
from everylink.judge.judge import judge
from everylink.judge.kinds import equals_for, kinds_of
from everylink.judge.merged import one_per_subject
from everylink.judge.readings import readings
from everylink.judge.verdict import Conclusion, Judgement, Verdict
from everylink.model.groups import Grouping
from everylink.model.results import Results, entries_of
from everylink.model.rows import MAIN, ONE_WAY, ORDER, Outcome, chosen, joined
from everylink.simulate.fabric import Fabric, all_links, sampled_links
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import confirmed, measured
from everylink.text.verdicts import verdict_json
from make_results import Link, make_results, steady
from pair_rows import rows_of_pairs, run_of

SIZE = 1 << 20


def _fabric(*faults: str, hosts: int = 64, ranks: int = 1, group: int = 0, seed: int = 1, both: bool = True) -> Fabric:
    planted = tuple(map(parse_fault, faults))
    return Fabric(hosts, ranks, group or hosts, faults=planted, seed=seed, both_directions=both)


def _results(fabric: Fabric, confirm: bool = True, sample: int = 0) -> Results:
    links = sampled_links(fabric.ranks, sample, 1) if sample else all_links(fabric.ranks)
    results = measured(fabric, links, [SIZE], Path("simulated"), "")
    return confirmed(fabric, results) if confirm else results


def _judged(
    *faults: str, hosts: int = 64, ranks: int = 1, group: int = 0, seed: int = 1, both: bool = True
) -> Judgement:
    return judge(_results(_fabric(*faults, hosts=hosts, ranks=ranks, group=group, seed=seed, both=both)))


def _only(judgement: Judgement) -> Verdict:
    assert len(judgement.verdicts) == 1, [v.evidence for v in judgement.verdicts]
    return judgement.verdicts[0]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.one_in(3)
def test_no_fault_is_found_in_a_healthy_fabric(seed: int) -> None:
    judgement = _judged(
        hosts=(8, 16, 33, 64, 100, 64, 12, 24)[seed], group=(0, 4, 11, 16, 0, 32, 6, 16)[seed], seed=seed
    )
    assert judgement.conclusion is Conclusion.NO_FAULT


@pytest.mark.parametrize("both", [True, False])
def test_the_links_of_one_host_are_the_same_where_all_links_are_too_many_to_hold(
    both: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = _results(_fabric("slow-host:n3*0.5", hosts=9, ranks=2, both=both), confirm=False)
    seen = readings(results, results.sizes[0])
    held = [seen.with_each(host) for host in range(9)]
    seen.forget_cells()
    monkeypatch.setattr("everylink.judge.readings.is_whole", lambda hosts: False)
    np.testing.assert_array_equal([seen.with_each(host) for host in range(9)], held)
    assert "between_hosts" not in vars(seen)


def test_ways_are_compared_with_those_between_groups_of_the_same_kinds() -> None:
    """Six groups of four hosts; those of two are of another kind, and those of a third one half of them."""
    results = _results(_fabric(hosts=24, group=4), confirm=False)
    effects = find(
        readings(results, results.sizes[0]), equals_for(results, np.arange(24) // 4, kinds_of(results))
    ).effects
    kind_of = np.array([0, 0, 0, 0, 1, 1])[np.arange(24) // 4]
    kind_of[[12, 13]] = 1
    effects = replace(effects, equals=replace(effects.equals, kind_of=kind_of))
    assert [effects.groups_like(group).tolist() for group in (0, 5)] == [[0, 1, 2, 3], [3, 4, 5]]
    for one, other in itertools.combinations(range(6), 2):
        ends = effects.groups_like(one).tolist(), effects.groups_like(other).tolist()
        ways = {frozenset(way) for way in itertools.product(*ends) if way[0] != way[1]}
        assert effects.ways_like(one, other) == len(ways)


def test_a_group_counts_as_several_of_the_size_of_a_smaller_one() -> None:
    """Of 8, 4 and 4 hosts, and a single one that says nothing about a group."""
    results = _results(_fabric(hosts=17, group=4), confirm=False)
    group_of = np.array([0, 0, 1, 2, 3])[np.arange(17) // 4]
    effects = find(readings(results, results.sizes[0]), equals_for(results, group_of, kinds_of(results))).effects
    assert [effects.groups_as_large(group) for group in (0, 1, 2)] == [3, 4, 4]


def test_a_slow_host_is_a_single_verdict() -> None:
    verdict = _only(_judged("slow-host:n17*0.8"))
    assert (verdict.kind, verdict.subject, verdict.symptom, verdict.links) == ("host", ("n17",), "slow", 63)
    assert verdict.factor == pytest.approx(1 / 0.8, rel=0.03)  # a bit less, because the latency is not slower
    assert verdict.confidence == RIGHT["host"]


@pytest.mark.long
def test_a_retest_finds_the_slow_direction_of_a_host_that_round_trips_cannot_see() -> None:
    assert _only(_judged("slow-send:n17*0.8")).direction == "send"
    assert _only(_judged("slow-receive:n17*0.8")).direction == "receive"
    assert _only(_judged("slow-host:n17*0.8")).direction == "both"


def test_without_a_retest_the_evidence_says_that_round_trips_hide_the_direction() -> None:
    verdict = _only(judge(_results(_fabric("slow-send:n17*0.7"), confirm=False)))
    assert verdict.direction == "both"
    assert "round trips cannot tell" in verdict.evidence


def test_the_unidirectional_kernel_shows_the_direction_without_a_retest() -> None:
    assert _only(_judged("slow-receive:n17*0.8", both=False)).direction == "receive"


@pytest.mark.parametrize(("slow", "direction"), [(0, "send"), (6, "both")], ids=["from none", "from most"])
def test_a_host_that_receives_slowly_from_most_others_does_not_only_send_slowly(slow: int, direction: str) -> None:
    results = _results(_fabric("slow-send:n17*0.8", both=False), confirm=False)
    (size,) = results.sizes
    rows = size.rows
    own = (rows.to == 17) & (rows.frm % 10 < slow)
    rows = replace(rows, median=np.where(own, rows.median / 0.8, rows.median).astype(np.float32))
    verdict = _only(judge(replace(results, sizes=(replace(size, rows=rows),))))
    assert (verdict.kind, verdict.subject, verdict.direction) == ("host", ("n17",), direction)


def _fetched(results: Results, kernel: str) -> Results:
    """The same messages as puts of their sender, or as gets of their receiver, which then leads."""
    sizes = results.sizes
    if kernel == "get":
        rows = [replace(size.rows, frm=size.rows.to, to=size.rows.frm) for size in sizes]
        sizes = tuple(replace(size, rows=row) for size, row in zip(sizes, rows, strict=True))
    return replace(results, facts=replace(results.facts, kernel=kernel, one_sided="UCX"), sizes=sizes)


@pytest.mark.parametrize("kernel", ["put", "get"])
@pytest.mark.parametrize("fault", ["slow-receive:n17*0.8", "slow-send:n17*0.8", "slow-link:n9>n3*0.6"])
@pytest.mark.one_in(2)
def test_puts_and_gets_show_the_direction_of_the_bytes_whichever_rank_leads(kernel: str, fault: str) -> None:
    one_way = _results(_fabric(fault, both=False), confirm=False)
    expected = [(v.kind, v.subject, v.direction) for v in (judge(one_way).verdicts or judge(one_way).suspects)]
    judgement = judge(_fetched(one_way, kernel))
    assert expected
    assert [(v.kind, v.subject, v.direction) for v in (judgement.verdicts or judgement.suspects)] == expected


@pytest.mark.parametrize("kernel", ["put", "get"])
def test_the_rows_of_puts_and_gets_name_the_rank_that_sends_first(kernel: str) -> None:
    one_way = _results(_fabric(both=False, hosts=6), confirm=False)
    fetched = _fetched(one_way, kernel)
    ((frm, to, median),) = readings(fetched, fetched.sizes[0]).rows(fetched.sizes[0])
    rows = one_way.sizes[0].rows
    assert all((a == b).all() for a, b in zip((frm, to, median), (rows.frm, rows.to, rows.median), strict=True))


def test_two_slow_hosts_of_four_remain_suspects_for_lack_of_a_healthy_majority() -> None:
    judgement = _judged("slow-host:n0*0.7", "slow-host:n2*0.7", hosts=4)
    assert {v.kind for v in judgement.verdicts} <= {"pair", "link"}
    assert any("More than a third" in remark for remark in judgement.remarks)
    assert _only(_judged("slow-host:n2*0.7", hosts=5)).subject == ("n2",)


def test_a_slow_link_is_named_from_its_sender_to_its_receiver() -> None:
    verdict = _only(_judged("slow-link:n9>n3*0.6"))
    assert (verdict.kind, verdict.subject, verdict.direction) == ("link", ("n9:9", "n3:3"), "send")


def test_a_slow_link_is_only_suspect_until_it_is_measured_again() -> None:
    results = _results(_fabric("slow-link:n9>n3*0.6"), confirm=False)
    judgement = judge(results)
    assert not judgement.verdicts
    assert {suspect.subject for suspect in judgement.suspects} >= {("n3:3", "n9:9")}
    suspects = json.loads(verdict_json(results, judgement))["suspects"]
    assert all(suspect["confidence"] <= RIGHT["pair"] for suspect in suspects)  # surer against noise alone


def test_a_slow_group_is_named_by_its_label() -> None:
    fabric = _fabric("slow-group:g2*0.8", group=16)
    grouping = Grouping(fabric.group_of(np.arange(64)), tuple(f"g{g}" for g in range(4)))
    verdict = _only(judge(_results(fabric), grouping))
    assert (verdict.kind, verdict.subject) == ("group", ("g2",))


@pytest.mark.long
def test_a_slow_link_inside_a_slow_group_is_named_beside_it() -> None:
    fabric = _fabric("slow-group:g2*0.8", "slow-link:n33>n40*0.7", group=16, both=False)
    grouping = Grouping(fabric.group_of(np.arange(64)), tuple(f"g{g}" for g in range(4)))
    found = {(v.kind, v.subject) for v in judge(_results(fabric), grouping).verdicts}
    assert found == {("group", ("g2",)), ("link", ("n33:33", "n40:40"))}


def test_a_group_that_reached_no_other_group_is_left_out_of_the_comparison_of_groups() -> None:
    fabric = _fabric("slow-group:g2*0.8", group=16)
    results = _results(fabric, confirm=False)
    (size,) = results.sizes
    ends = [fabric.group_of(ranks.astype(np.int64)) for ranks in (size.rows.frm, size.rows.to)]
    isolated = (ends[0] != ends[1]) & ((ends[0] == 0) | (ends[1] == 0))
    results = replace(results, sizes=(replace(size, rows=chosen(size.rows, ~isolated)),))
    grouping = Grouping(fabric.group_of(np.arange(64)), tuple(f"g{g}" for g in range(4)))
    verdict = _only(judge(results, grouping))
    assert (verdict.kind, verdict.subject) == ("group", ("g2",))


def test_what_links_between_groups_take_alone_is_told_by_the_links_without_a_fault() -> None:
    made = _judged("slow-group:g2*0.7", "slow-link:n3>n40*0.5", group=16, both=False)
    (structure,) = made.structure
    assert (structure.kind, structure.text.partition(":")[2]) == (
        "groups",
        f" links between them take {structure.factor:.2f}x the time of those inside",
    )


def test_a_slow_group_without_a_label_is_named_by_its_hosts() -> None:
    verdict = _only(_judged("slow-group:g2*0.8", group=16))
    assert (verdict.kind, verdict.subject) == ("group", tuple(f"n{i}" for i in range(32, 48)))


def _pairs_of_groups(groups: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """All pairs of hosts in groups of 8, [pair, 2]; masks of those between groups, and of those with the second one."""
    group = np.arange(8 * groups) // 8
    pairs = np.array(list(itertools.combinations(range(len(group)), 2)))
    return pairs, group[pairs[:, 0]] != group[pairs[:, 1]], (group[pairs] == 1).any(axis=1)


def _judged_at(times: dict[int, NDArray[np.float64]], pairs: NDArray[np.int64]) -> Judgement:
    """What is said of nine passes over these pairs of hosts. `times` [pair]: seconds, by the bytes of the messages."""
    random, steps = np.random.default_rng(1), pairs.sum(axis=1) % 99
    rows = {
        size: [rows_of_pairs(pairs, usual, turn * 99 + steps, MAIN, 0.01, random) for turn in range(9)]
        for size, usual in times.items()
    }
    return judge(run_of(np.arange(int(pairs.max()) + 1), 9 * 99, rows))


@pytest.mark.parametrize(
    ("groups", "far", "longer", "named"),
    [(3, 6.0, 1.15, False), (3, 1.3, 1.15, False), (3, 1.3, 1.3, True), (4, 6.0, 1.15, True)],
)
def test_of_three_groups_one_that_may_just_be_further_away_is_a_suspect(
    groups: int, far: float, longer: float, named: bool
) -> None:
    """Links with other groups take `far` times as long as those inside, and those of one group `longer`."""
    pairs, between, of_slow = _pairs_of_groups(groups)
    times = 1e-4 * np.where(between, np.where(of_slow, longer * far, far), 1.0)
    said = _judged_at({SIZE: times}, pairs)
    assert [(one.kind, one.subject[0]) for one in (said.verdicts if named else said.suspects)] == [("group", "n8")]
    assert bool(said.verdicts) == named
    assert any("Of three groups" in remark for remark in said.remarks) != named


@pytest.mark.parametrize(("longer", "named"), [(1.15, False), (1.4, True)])
def test_the_way_between_two_of_three_groups_may_just_be_longer(longer: float, named: bool) -> None:
    """Links with other groups take 1.5 times as long as those inside; those between two groups `longer`."""
    pairs, between, of_first = _pairs_of_groups(3)
    times = 1e-4 * np.where(between, np.where((pairs < 8).any(axis=1) & of_first, 1.5 * longer, 1.5), 1.0)
    said = _judged_at({SIZE: times}, pairs)
    assert [one.subject for one in said.verdicts if one.kind == "trunk"] == [("n[0-7]", "n[8-15]")] * named
    assert [one.subject for one in said.suspects if one.kind == "trunk"] == [("n[0-7]", "n[8-15]")] * (not named)


def test_beside_a_slow_group_of_four_the_third_may_just_be_further_away() -> None:
    """Links with one group take 60 % longer; two of the others are near to each other, and the last one is not."""
    pairs, between, _ = _pairs_of_groups(4)
    of_slow, of_far = pairs[:, 1] >= 24, pairs[:, 1] >= 16
    times = 1e-4 * np.where(between, 1.3 * np.where(of_slow, 1.6, np.where(of_far, 1.15, 1.0)), 1.0)
    said = _judged_at({SIZE: times}, pairs)
    assert [one.subject[0] for one in said.verdicts if one.kind == "group"] == ["n24"]
    assert [one.subject[0] for one in said.suspects if one.kind == "group"] == ["n16"]


@pytest.mark.parametrize(("longer", "named"), [(60e-6, False), (6e-6, True)])
def test_a_group_at_another_site_is_structure(longer: float, named: bool) -> None:
    """Small messages between groups take 5 us, with one group `longer`; large ones with it also twice the time."""
    pairs, between, of_far = _pairs_of_groups(4)
    times = {}
    for size, inside, outside in ((1, 2e-6, 5e-6), (SIZE, 1e-4, 2e-4)):
        far = outside * (2 if size == SIZE else 1) + longer
        times[size] = np.where(between, np.where(of_far, far, outside), inside)
    said = _judged_at(times, pairs)
    assert [(one.kind, one.subject[0]) for one in said.verdicts] == ([("group", "n8")] if named else [])
    told = [one.text for one in said.structure if "small messages to other groups" in one.text]
    assert len(told) == (not named), told
    assert named or re.fullmatch(r"n\[8-15\]: .* other groups take (5|6)\S* us longer than others", told[0])


@pytest.mark.parametrize(("longer", "named"), [(120e-6, False), (400e-6, True)])
def test_a_zone_that_is_further_away_at_every_size_is_structure(longer: float, named: bool) -> None:
    """Messages to one of three groups take 120 us longer at 1 B, and `longer` at 1 MiB."""
    pairs, between, of_far = _pairs_of_groups(3)
    random = np.random.default_rng(1)
    rows = {}
    for size, inside, outside, more in ((1, 60e-6, 300e-6, 120e-6), (SIZE, 400e-6, 650e-6, longer)):
        times = np.where(between, outside + more * of_far, inside)
        rows[size] = [
            rows_of_pairs(pairs, times, turn * 300 + np.arange(len(pairs)), phase, 0.01, random)
            for turn, phase in enumerate([MAIN] * 3 + [ONE_WAY] * 3)
        ]
    said = judge(run_of(np.arange(24), 6 * 300, rows))
    assert [(one.kind, one.subject[0]) for one in said.verdicts] == ([("group", "n8")] if named else [])


@pytest.mark.parametrize(("longer", "named"), [(4e-6, False), (12e-6, True)])
def test_a_host_that_is_a_little_further_away_is_not_slow(longer: float, named: bool) -> None:
    """Messages of n5 take 4 us longer at 1 B, which noise hides while all measure, and `longer` at 64 KiB."""
    pairs = np.array(list(itertools.combinations(range(16), 2)))
    of_host, random = (pairs == 5).any(axis=1), np.random.default_rng(1)
    rows = {}
    for size, usual, more, noise in ((1, 60e-6, 4e-6, 0.3), (1 << 16, 80e-6, longer, 0.005)):
        rows[size] = [
            rows_of_pairs(pairs, usual + more * of_host, turn * 130 + np.arange(len(pairs)), phase, own, random)
            for turn, (phase, own) in enumerate([(MAIN, noise)] * 3 + [(ONE_WAY, 0.005)] * 3)
        ]
    said = judge(run_of(np.arange(16), 6 * 130, rows))
    assert [(one.kind, one.subject) for one in said.verdicts] == ([("host", ("n5",))] if named else [])


def test_a_slow_trunk_between_two_groups_is_one_verdict_with_node_sets() -> None:
    fabric = _fabric("slow-trunk:g3>g1*0.7", group=16)
    verdict = _only(judge(_results(fabric, confirm=False)))
    assert (verdict.kind, verdict.subject, verdict.direction) == ("trunk", ("n[16-31]", "n[48-63]"), "both")
    assert "round trips cannot tell" in verdict.evidence
    verdict = _only(judge(_results(fabric)))
    assert (verdict.kind, verdict.subject, verdict.direction) == ("trunk", ("n[48-63]", "n[16-31]"), "send")
    assert verdict.factor == pytest.approx(1 / 0.7, rel=0.03)  # of the slow direction, not of the round trip


@pytest.mark.parametrize("confirm", [False, True])
@pytest.mark.one_in(2)
def test_the_unidirectional_kernel_shows_the_slow_direction_of_a_trunk(confirm: bool) -> None:
    fabric = _fabric("slow-trunk:g1>g3*0.7", "slow-host:n20*0.6", group=16, both=False)
    grouping = Grouping(fabric.group_of(np.arange(64)), tuple(f"g{g}" for g in range(4)))
    judgement = judge(_results(fabric, confirm), grouping)
    assert {(v.kind, v.subject, v.direction) for v in judgement.verdicts} == {
        ("trunk", ("g1", "g3"), "send"),
        ("host", ("n20",), "both"),
    }


def test_slow_links_within_a_host_are_a_verdict_on_the_host_after_a_retest() -> None:
    fabric = _fabric("slow-within:n3*0.6", hosts=12, ranks=2)
    first = judge(_results(fabric, confirm=False))
    assert [(v.kind, v.subject) for v in first.suspects if "between its own ranks" in v.evidence] == [("host", ("n3",))]
    verdict = _only(judge(_results(fabric)))
    assert (verdict.kind, verdict.subject) == ("host", ("n3",))
    assert "between its own ranks" in verdict.evidence
    assert verdict.factor == pytest.approx(1 / 0.6, rel=0.05)


def test_groups_found_at_one_size_apply_to_all_sizes() -> None:
    """A slow trunk hides the groups with large messages; the latency reveals them."""
    fabric = _fabric("slow-trunk:g0>g1*0.3", "slow-trunk:g1>g0*0.3", hosts=48, group=16)
    results = measured(fabric, all_links(48), [8, SIZE], Path("simulated"), "")
    assert [v.subject for v in judge(results).verdicts] == [("n[0-15]", "n[16-31]")]


def test_groups_are_inferred_from_times_only_where_there_are_some() -> None:
    from everylink.judge.readings import readings

    for group, hosts in ((8, 40), (16, 64), (5, 23)):
        results = _results(_fabric(hosts=hosts, group=group), confirm=False)
        found = inferred_groups(readings(results, results.sizes[0]).between_hosts.median)[0]
        assert found.tolist() == [host // group for host in range(hosts)]
    flat = _results(_fabric(hosts=40), confirm=False)
    assert not inferred_groups(readings(flat, flat.sizes[0]).between_hosts.median)[0].any()


def test_a_single_slow_link_does_not_divide_its_group() -> None:
    random, leaf, pod = np.random.default_rng(7), np.arange(32) // 4, np.arange(32) // 8
    times = np.log(np.where(leaf[:, None] == leaf, 1.3, np.where(pod[:, None] == pod, 1.9, 2.5)))
    times += 0.003 * random.standard_normal(times.shape)
    times[[9, 15], [15, 9]] += 0.76
    np.fill_diagonal(times, np.nan)
    assert inferred_groups(times.astype(np.float32))[0].tolist() == pod.tolist()


def test_one_slow_rank_does_not_accuse_its_host() -> None:
    verdict = _only(_judged("slow-rank:n5:2*0.6", hosts=12, ranks=4))
    assert (verdict.kind, verdict.subject) == ("rank", ("n5:22",))


@pytest.mark.parametrize(("ranks", "named"), [((1,), False), ((1, 3), True), ((1, 2), False)])
@pytest.mark.one_in(3)
def test_a_device_is_named_if_exactly_its_ranks_are_slow(ranks: tuple[int, ...], named: bool) -> None:
    results = _results(_fabric(*(f"slow-rank:n5:{rank}*0.5" for rank in ranks), hosts=12, ranks=4))
    devices = replace(results.ranks, device=("mlx5_0", "mlx5_1") * 24)
    judgement = judge(replace(results, ranks=devices))
    slow = [f"n5:{20 + rank}" for rank in ranks]
    subjects = [tuple(slow)] if named else [(one,) for one in slow]
    assert sorted(v.subject for v in judgement.verdicts) == subjects
    said = "of its host just what is on mlx5_1 is slow, and nothing on mlx5_0"
    assert [said in verdict.evidence for verdict in judgement.verdicts] == [named] * len(subjects)
    assert all("mlx5" not in v.evidence for v in judge(results).verdicts)


@pytest.mark.parametrize("symptom", ["jitter", "loss"])
def test_late_messages_are_a_verdict_of_their_own_and_lost_packets_are_told_from_jitter(symptom: str) -> None:
    verdict = _only(_judged(f"{symptom}-host:n40"))
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("host", ("n40",), symptom)


def test_verdicts_on_failed_links_come_first() -> None:
    judgement = _judged("dark:n5>n6", "slow-host:n17*0.6", "corrupt:n1>n2")
    assert [v.symptom for v in judgement.verdicts[:2]] == ["timeout", "corrupt"] or [
        v.symptom for v in judgement.verdicts[:2]
    ] == ["corrupt", "timeout"]
    assert judgement.verdicts[2].subject == ("n17",)
    assert judgement.links_failed == 4  # a round trip needs both directions


def test_a_dark_host_is_one_verdict() -> None:
    verdict = _only(_judged("dark-host:n7", hosts=16))
    assert (verdict.kind, verdict.subject, verdict.symptom, verdict.factor) == ("host", ("n7",), "timeout", None)


@pytest.mark.long
def test_each_of_several_faults_is_found() -> None:
    judgement = _judged("slow-host:n3*0.7", "slow-host:n20*0.85", "slow-host:n50*0.5", "slow-link:n9>n30*0.5")
    assert {v.subject for v in judgement.verdicts} == {("n3",), ("n20",), ("n50",), ("n9:9", "n30:30")}


@pytest.mark.long
def test_three_partners_per_rank_suffice_to_find_a_slow_host() -> None:
    judgement = judge(_results(_fabric("slow-host:n17*0.7", hosts=180), sample=3))
    assert _only(judgement).subject == ("n17",)
    assert any("were measured" in remark for remark in judgement.remarks)


@pytest.mark.long
def test_confirm_measures_the_links_that_reveal_groups() -> None:
    fabric = _fabric("slow-send:n170*0.7", "slow-group:g3*0.8", hosts=200, group=25)
    main = _results(fabric, confirm=False, sample=3)
    assert "group" not in {verdict.kind for verdict in judge(main).verdicts}
    plan = plan_to_confirm(main, None)
    assert set(plan.pairs) == {"order"}
    assert 0 < len(plan) < 0.45 * 200 * 199 / 2
    results = _results(fabric, sample=3)
    slow = {verdict.kind: verdict for verdict in judge(results).verdicts}
    assert slow["group"].subject == tuple(f"n{host}" for host in range(75, 100))
    assert (slow["host"].subject, slow["host"].direction) == (("n170",), "send")
    assert len(slow) == len(judge(results).verdicts) == 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.one_in(3)
def test_no_fault_is_found_in_a_healthy_fabric_with_few_links(seed: int) -> None:
    assert judge(_results(_fabric(hosts=150, group=25, seed=seed), sample=3)).conclusion is Conclusion.NO_FAULT


def test_with_two_ranks_neither_is_blamed_and_a_remark_says_so() -> None:
    judgement = _judged("slow-host:n0*0.5", hosts=2)
    assert not judgement.verdicts
    assert any("a slow one cannot be identified" in remark for remark in judgement.remarks)


def test_on_one_host_ranks_are_judged_like_hosts() -> None:
    fabric = Fabric(8, 1, 8, faults=(parse_fault("slow-host:n3*0.6"),))
    results = _results(fabric, confirm=False)
    one_host = results.ranks.__class__(
        **{**entries_of(results.ranks), "host_index": np.zeros(8, np.uint32), "host": ("h",) * 8}
    )
    verdict = _only(judge(replace(results, ranks=one_host)))
    assert (verdict.kind, verdict.subject) == ("rank", ("h:3",))


def test_a_file_without_readings_has_no_verdicts() -> None:
    fabric = _fabric(hosts=4)
    none = np.zeros(0, np.int64)
    judgement = judge(measured(fabric, (none, none), [SIZE], Path("simulated"), ""))
    assert judgement.conclusion is Conclusion.UNDECIDED
    assert judgement.links_measured == 0


def test_the_evidence_on_a_trunk_counts_the_links_that_were_measured() -> None:
    fabric = _fabric("slow-trunk:g0>g1*0.5", hosts=64, group=16)
    grouping = Grouping(fabric.group_of(np.arange(64)), tuple(f"g{g}" for g in range(4)))
    frm, to = all_links(fabric.ranks)
    pair = (frm + to) % 3 > 0  # the same for both directions
    results = measured(fabric, (frm[pair], to[pair]), [SIZE], Path("simulated"), "")
    between = pair & (fabric.group_of(frm) == 0) & (fabric.group_of(to) == 1)
    verdict = _only(judge(results, grouping))
    assert (verdict.kind, verdict.links) == ("trunk", 2 * int(between.sum()))
    assert f"the {verdict.links} measured connections between the two groups" in verdict.evidence


@pytest.mark.long
@pytest.mark.parametrize("fault", ["slow-send:n17*0.5", "slow-receive:n17*0.5", "slow-link:n9>n3*0.5"])
def test_the_factor_of_what_is_slow_one_way_is_that_of_the_slow_direction(fault: str) -> None:
    one_way, round_trip = (_only(_judged(fault, both=both)) for both in (False, True))
    assert (round_trip.subject, round_trip.direction) == (one_way.subject, one_way.direction)
    assert round_trip.factor == pytest.approx(2.0, rel=0.05)
    assert one_way.factor == pytest.approx(2.0, rel=0.05)
    assert "us in this direction and " in round_trip.evidence


def test_the_factor_of_a_trunk_that_is_slow_one_way_is_that_of_the_slow_direction() -> None:
    fabric = _fabric("slow-trunk:g0>g1*0.5", hosts=64, group=16)
    grouping = Grouping(fabric.group_of(np.arange(64)), tuple(f"g{g}" for g in range(4)))
    verdict = _only(judge(confirmed(fabric, _results(fabric, confirm=False), grouping), grouping))
    assert (verdict.kind, verdict.direction) == ("trunk", "send")
    assert verdict.factor == pytest.approx(2.0, rel=0.05)


def test_oversubscription_that_a_serial_run_shows_is_structure_with_its_size_and_no_fault() -> None:
    alone = _results(_fabric(hosts=16, group=8), confirm=False)
    alone = replace(alone, facts=replace(alone.facts, serial=True))
    (size,) = alone.sizes
    rows = size.rows
    crosses = (rows.frm < 8) != (rows.to < 8)
    times = {name: np.where(crosses, 2, 1).astype(np.float32) * getattr(rows, name) for name in ("median", "mean")}
    loaded = replace(alone.facts, serial=False)
    results = replace(alone, facts=loaded, sizes=(replace(size, rows=replace(rows, **times)),))
    judgement = judge(results, alone=alone)
    assert judgement.verdicts == ()
    (structure,) = judgement.structure
    assert (structure.kind, structure.subject) == ("oversubscription", ("n[0-7]", "n[8-15]"))
    assert structure.factor == pytest.approx(2, rel=0.01)
    assert structure.text.startswith("2 groups of hosts (n[0-7], n[8-15]): links between them take 2.00x as long while")


@pytest.mark.parametrize(("factor", "kinds"), [(5.0, {"rank"}), (1.9, {"rank", "host"})])
def test_a_host_that_is_slow_at_one_size_is_not_named_beside_its_rank_that_is_far_slower_at_another(
    factor: float, kinds: set[str], tmp_path: Path
) -> None:
    def time(link: Link, size: int) -> float:
        if size == 8:
            return steady(link, size) * (1.4 if {6, 7} & set(link) else 1)
        return steady(link, size) * (factor if 7 in link else 1)

    path = make_results(tmp_path / "x.h5", hosts=[f"n{rank // 2}" for rank in range(16)], sizes=(8, SIZE), time=time)
    verdicts = judge(read(path)).verdicts
    assert {one.kind for one in verdicts} == kinds
    assert {one.subject[0].partition(":")[0] for one in verdicts} == {"n3"}


def test_confirm_does_not_ask_again_for_pairs_that_failed_when_it_measured_them() -> None:
    results = _results(_fabric("slow-host:n3*0.7", hosts=8), confirm=False)
    asked = plan_to_confirm(results, None).pairs["order"]
    assert (asked == 3).any(axis=1).sum() == 7  # the host with all others
    (size,) = results.sizes
    again = chosen(size.rows, (size.rows.frm == 3) | (size.rows.to == 3))
    gone = np.full(len(again), Outcome.ABSENT, np.uint8)
    again = replace(again, attempt=np.full(len(again), ORDER, np.uint8), outcome=gone)
    tried = replace(results, sizes=(replace(size, rows=joined([size.rows, again])),))
    assert not (plan_to_confirm(tried, None).pairs["order"] == 3).any()


def test_confirm_does_not_ask_for_a_pair_that_never_worked() -> None:
    plan = plan_to_confirm(_results(_fabric("slow-host:n3*0.7", "dark:n3>n5", "dark:n5>n3", hosts=8), False), None)
    partners = {a + b - 3 for a, b in plan.pairs["order"].tolist() if 3 in (a, b)}
    assert partners == {0, 1, 2, 4, 6, 7}


@pytest.mark.parametrize(("link", "direction"), [("n9>n{}", "send"), ("n{}>n9", "receive")])
@pytest.mark.one_in(2)
def test_a_host_with_many_slow_links_of_one_direction_is_one_verdict(link: str, direction: str) -> None:
    slow = (f"slow-link:{link.format(number)}*0.5" for number in range(20, 32))
    verdict = _only(_judged(*slow))
    assert (verdict.kind, verdict.subject, verdict.direction) == ("host", ("n9",), direction)
    assert verdict.evidence.startswith("with 12 of the other hosts its links are slow; the worst: takes")


def test_ranks_that_are_slow_alike_on_many_hosts_are_structure() -> None:
    judgement = _judged(*(f"slow-rank:n{number}:1*0.8" for number in range(0, 24, 4)), hosts=24, ranks=2)
    assert [verdict for verdict in judgement.verdicts if verdict.kind == "rank"] == []
    (found,) = (one for one in judgement.structure if one.subject == ("ranks",))
    assert found.text.startswith("6 ranks, such as n0:1, take 1.2")
    assert found.question


def test_no_direction_is_claimed_where_the_faster_one_is_slow_too() -> None:
    verdict = _only(_judged("slow-link:n9>n3*0.25", "slow-link:n3>n9*0.6"))
    assert (verdict.kind, verdict.direction) == ("pair", "both")
    assert "measured one way, both directions are slow" in verdict.evidence


def test_a_few_slow_links_of_a_host_are_pairs_still() -> None:
    judgement = _judged(*(f"slow-link:n9>n{number}*0.5" for number in range(20, 24)))
    assert {verdict.kind for verdict in judgement.verdicts} == {"link"}
    assert len(judgement.verdicts) == 4


# --- one verdict per subject -----------------------------------------------------------------------------------
def verdict_on(
    kind: str, subject: tuple[str, ...], symptom: str = "slow", factor: float = 2, size: int = 8, side: str = "both"
) -> Verdict:
    return Verdict(kind, subject, side, symptom, size, factor, 0.8, 2, "evidence")


def test_a_link_that_is_slow_one_way_and_its_pair_at_another_size_are_one_verdict() -> None:
    pair = verdict_on("pair", ("a:0", "b:1"), factor=9)
    link = verdict_on("link", ("b:1", "a:0"), side="send", size=SIZE)
    (verdict,) = one_per_subject([pair, link])
    assert (verdict.kind, verdict.subject, verdict.direction) == ("link", ("b:1", "a:0"), "send")
    assert verdict.evidence == "evidence; also slow at 8 B"


@pytest.mark.parametrize("kind", ["link", "pair"], ids=["one rank each", "several ranks"])
def test_of_a_one_way_kernel_a_pair_that_is_slow_in_both_directions_is_one_verdict(kind: str) -> None:
    there, back = (verdict_on(kind, ends, side="send", factor=f) for ends, f in ((("a", "b"), 2.0), (("b", "a"), 3)))
    (verdict,) = one_per_subject([there, back])
    assert (verdict.kind, verdict.subject, verdict.direction, verdict.factor) == ("pair", ("b", "a"), "both", 3)
    assert verdict.evidence == "evidence; in the other direction 2.00x the time"
    (verdict,) = one_per_subject([there, back, verdict_on("pair", ("b", "a"), factor=2.5, size=SIZE)])
    assert (verdict.kind, verdict.direction, verdict.factor) == ("pair", "both", 3)


def test_a_link_that_fails_and_the_one_back_that_is_slow_are_two_verdicts() -> None:
    there, dark = verdict_on("link", ("a", "b"), side="send"), verdict_on("link", ("b", "a"), "timeout", side="send")
    assert set(one_per_subject([there, dark])) == {there, dark}


@pytest.mark.parametrize(("slow", "symptom"), [(1.07, "intermittent"), (2.0, "slow")])
def test_a_host_that_is_hardly_slow_but_far_slower_at_times_is_named_for_that(slow: float, symptom: str) -> None:
    at_times = verdict_on("host", ("a",), "intermittent", factor=3, size=SIZE)
    (verdict,) = one_per_subject([verdict_on("host", ("a",), factor=slow), at_times])
    assert verdict.symptom == symptom
