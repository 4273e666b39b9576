"""Screenings: few partners of every host, and what is said of them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from everylink.io.foreign import bare_steps
from everylink.io.topology import Topology, grouping_of, read_topology
from everylink.judge.confirm import plan_to_confirm
from everylink.judge.covered import Coverage, percent
from everylink.judge.judge import judge
from everylink.judge.screening.plan import MOST_STEPS
from everylink.judge.screening.readings import is_screened, screen_readings
from everylink.judge.verdict import Judgement
from everylink.launch.plan import FEWEST_PARTNERS, plan_of
from everylink.model.groups import Grouping
from everylink.model.plan import PHASES
from everylink.model.results import Results, Size
from everylink.model.rows import FEW, QUARTER, Outcome, Rows, joined
from everylink.simulate.fabric import Fabric
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import confirmed, facts, ranks, topology
from everylink.text.verdicts import verdict_json, verdict_text

HOSTS, GROUP, STEPS = 400, 20, 18
SIZES = (8, 1 << 20)
OTHER_RATE = 0.5


def fabric(*faults: str, hosts: int = HOSTS, each: int = 1) -> Fabric:
    return Fabric(hosts, each, GROUP, faults=tuple(map(parse_fault, faults)))


def screening(
    cluster: Fabric, steps: int = STEPS, change: Callable[[Rows, int], Rows] = lambda rows, size: rows
) -> Results:
    """The main run of a screening: random matchings of all ranks."""
    sizes = []
    for size in SIZES:
        parts = []
        for step in range(steps):
            order = np.random.default_rng([step, 3]).permutation(cluster.ranks)[: cluster.ranks // 2 * 2]
            one, other = order[::2], order[1::2]
            frm, to = np.concatenate([one, other]), np.concatenate([other, one])
            rows = cluster.measure(frm, to, size, draw=step)
            parts.append(replace(rows, step=np.full(len(frm), step, np.uint32)))
        sizes.append(Size(size, 1, cluster.ranks, change(joined(parts), size)))
    what = facts(cluster, "", f"screen:{steps}")
    return Results(Path("x.h5"), what, ranks(cluster), replace(bare_steps(steps)), tuple(sizes))


def groups(cluster: Fabric, pods: int = 0) -> Grouping:
    """The groups of a fabric; `pods` of them are below each switch of the level above."""
    group_of = cluster.group_of(np.arange(cluster.hosts) * cluster.ranks_per_host)
    names = tuple(f"g{number}" for number in range(cluster.groups))
    above = np.arange(cluster.groups) // pods if pods else np.zeros(0, np.int64)
    levels = ((above, tuple(f"pod{number}" for number in range(int(above.max()) + 1))),) if pods else ()
    return Grouping(group_of, names, above=levels)


def judged(cluster: Fabric, grouping: Grouping | None = None, **more: object) -> Judgement:
    """After what looks slow was measured again."""
    return judge(confirmed(cluster, screening(cluster, **more), grouping), grouping)  # type: ignore[arg-type]


def named(judgement: Judgement) -> list[tuple[str, tuple[str, ...]]]:
    return [(verdict.kind, verdict.subject) for verdict in judgement.verdicts]


def test_a_healthy_screening_accuses_nobody() -> None:
    for grouping in (None, groups(fabric())):
        judgement = judged(fabric(), grouping)
        assert judgement.conclusion == "healthy"
        assert not judgement.verdicts


def test_slow_hosts_are_named_and_measured_again_with_a_quarter_of_the_ranks_busy() -> None:
    judgement = judged(fabric("slow-host:n7*0.5", "slow-host:n301*0.8"))
    assert sorted(named(judgement)) == [("host", ("n301",)), ("host", ("n7",))]
    worst = judgement.verdicts[0]
    assert worst.subject == ("n7",)
    assert worst.factor == pytest.approx(2, rel=0.05)
    assert worst.bytes == SIZES[-1]
    assert "with a quarter of the ranks busy" in worst.evidence
    assert worst.confidence > 0.9


def test_without_fresh_readings_a_verdict_is_less_sure_and_says_so() -> None:
    cluster = fabric("slow-host:n7*0.5")
    (verdict,) = judge(screening(cluster)).verdicts
    assert verdict.confidence <= 0.8
    assert "measured only while all ranks are busy" in verdict.evidence


def test_what_is_slow_only_under_full_load_is_no_fault() -> None:
    slow, well = fabric("slow-host:n7*0.5"), fabric()
    results = confirmed(well, screening(slow))
    judgement = judge(results)
    assert not judgement.verdicts
    assert [structure.kind for structure in judgement.structure] == ["contention"]


def test_a_slow_leaf_is_one_verdict_by_its_name_that_points_at_the_uplinks() -> None:
    cluster = fabric("slow-group:g3*0.6", "slow-host:n205*0.4")
    judgement = judged(cluster, groups(cluster))
    assert sorted(named(judgement)) == [("group", ("g3",)), ("host", ("n205",))]
    (leaf,) = (verdict for verdict in judgement.verdicts if verdict.kind == "group")
    assert "look at the uplinks" in leaf.evidence


def test_a_slow_way_between_two_switches_above_the_leaves_is_named_by_these() -> None:
    cluster = fabric()
    ways = {(0, 3)}

    def slow(rows: Rows, size: int) -> Rows:
        pods = [cluster.group_of(end.astype(np.int64)) // 4 for end in (rows.frm, rows.to)]
        over = np.isin(np.minimum(*pods), [a for a, _ in ways]) & np.isin(np.maximum(*pods), [b for _, b in ways])
        return replace(rows, median=np.where(over, rows.median / OTHER_RATE, rows.median).astype(np.float32))

    class Slow(Fabric):
        def answer(self, plan, size: int, turn: int) -> Rows:  # type: ignore[no-untyped-def]
            return slow(super().answer(plan, size, turn), size)

    told = groups(cluster, pods=4)
    judgement = judge(confirmed(Slow(HOSTS, 1, GROUP), screening(cluster, change=slow), told), told)
    assert named(judgement) == [("trunk", ("pod0", "pod3"))]


class Colliding(Fabric):
    """Links between groups share ways: unless few ranks are busy they take up to twice as long, as it happens."""

    def answer(self, plan, size: int, turn: int) -> Rows:  # type: ignore[no-untyped-def]
        return collided(self, super().answer(plan, size, turn), turn)


def collided(cluster: Fabric, rows: Rows, draw: int = -1) -> Rows:
    random = np.random.default_rng([len(rows), draw + 1])
    shares = cluster.group_of(rows.frm.astype(np.int64)) != cluster.group_of(rows.to.astype(np.int64))
    pairs = 1 + random.random(len(rows))
    return replace(rows, median=np.where(shares & (rows.attempt != FEW), rows.median * pairs, rows.median))


def colliding(*faults: str) -> Judgement:
    cluster = Colliding(800, 1, GROUP, faults=tuple(map(parse_fault, faults)))
    told = groups(cluster)
    main = screening(cluster, change=lambda rows, size: collided(cluster, rows))
    results = confirmed(cluster, main, told)
    assert len(results.steps.began) <= MOST_STEPS
    return judge(results, told)


def test_where_links_share_ways_a_slow_leaf_is_found_with_few_ranks_busy() -> None:
    judgement = colliding("slow-group:g3*0.5", "slow-host:n205*0.5")
    assert named(judgement) == [("group", ("g3",))]
    (verdict,) = judgement.verdicts
    assert "with few of the ranks busy" in verdict.evidence
    assert any("they may share ways" in remark for remark in judgement.remarks)


def test_where_links_share_ways_nothing_healthy_is_accused() -> None:
    assert not colliding().verdicts


def test_a_host_whose_only_partner_may_be_slow_itself_meets_another_one() -> None:
    cluster = fabric("slow-host:n7*0.5")
    results = confirmed(cluster, screening(cluster))
    rows = results.sizes[0].rows
    again = (rows.attempt == QUARTER) & ((rows.frm == 7) | (rows.to == 7))
    assert len(set(rows.frm[again].tolist()) | set(rows.to[again].tolist())) >= 3


def test_a_dead_host_is_named_and_the_rest_is_judged() -> None:
    judgement = judged(fabric("dark-host:n9", "slow-host:n7*0.5"))
    assert sorted((verdict.symptom, verdict.subject) for verdict in judgement.verdicts) == [
        ("slow", ("n7",)),
        ("timeout", ("n9",)),
    ]
    assert judgement.coverage is not None
    assert judgement.coverage.measured == HOSTS - 1
    assert f"whether 1 of {HOSTS} hosts" in judgement.not_looked_for[0]


def test_two_kinds_of_hosts_are_structure_and_a_slow_one_among_each_is_named() -> None:
    cluster = fabric("slow-host:n6*0.3", "slow-host:n7*0.7")
    is_new = np.arange(HOSTS) % 2 == 0

    def faster(rows: Rows, size: int) -> Rows:
        both = is_new[rows.frm] & is_new[rows.to] & (size > SIZES[0])
        return replace(rows, median=np.where(both, rows.median * OTHER_RATE, rows.median).astype(np.float32))

    judgement = judge(screening(cluster, change=faster))
    assert sorted(named(judgement)) == [("host", ("n6",)), ("host", ("n7",))]
    assert "class" in [structure.kind for structure in judgement.structure]


def test_a_plan_measures_what_looks_slow_with_good_hosts_and_no_host_twice() -> None:
    results = screening(fabric("slow-host:n7*0.5", "slow-host:n8*0.5"))
    plan = plan_to_confirm(results, None)
    (phase,) = (phase for phase in PHASES if len(plan.of(phase)))
    pairs = plan.of(phase)
    assert phase.attempt == QUARTER
    assert len(np.unique(pairs)) == pairs.size
    assert len(pairs) <= phase.busy * HOSTS / 2
    met = {host: set(pairs[(pairs == host).any(axis=1)].ravel().tolist()) - {host} for host in (7, 8)}
    assert all(partners and not partners & {7, 8} for partners in met.values())


def test_a_screening_ends_after_thirty_steps_and_where_nothing_is_suspected() -> None:
    assert len(confirmed(fabric("slow-host:n7*0.5"), screening(fabric("slow-host:n7*0.5"))).steps.began) <= MOST_STEPS
    again = plan_to_confirm(screening(fabric("slow-host:n7*0.5"), steps=MOST_STEPS - 1), None)
    assert not len(again), "six steps more are too many"


def test_of_several_ranks_on_each_host_a_slow_host_is_named_once() -> None:
    cluster = fabric("slow-host:n7*0.5", hosts=100, each=4)
    assert named(judged(cluster)) == [("host", ("n7",))]


def test_what_was_covered_is_said_as_numbers_and_in_words() -> None:
    cluster = fabric()
    judgement = judged(cluster, groups(cluster))
    covered = judgement.coverage
    assert covered is not None
    ways = cluster.groups * (cluster.groups - 1) // 2
    assert (covered.hosts, covered.measured, covered.least, covered.median) == (HOSTS, HOSTS, STEPS, STEPS)
    assert (covered.ways, covered.ways_measured) == (ways, ways)
    rows = screening(cluster).sizes[0].rows
    pairs = {frozenset(pair) for pair in zip(rows.frm.tolist(), rows.to.tolist(), strict=True)}
    assert covered.links >= len(pairs) / (HOSTS * (HOSTS - 1) / 2)
    text = verdict_text(judgement).plain
    assert f"screened: every host {STEPS} times; {percent(covered.links)} of the links" in text
    assert "healthy: latency and bandwidth of every host, by " in text
    fields = json.loads(verdict_json(screening(cluster), judgement))
    assert fields["coverage"]["links"] == covered.links


@pytest.mark.parametrize(
    ("part", "text"), [(1.0, "100 %"), (0.0, "0 %"), (0.000199, "0.0199 %"), (0.0019999, "0.199 %"), (0.382, "38.2 %")]
)
def test_a_part_is_never_said_to_be_more_than_it_is(part: float, text: str) -> None:
    assert percent(part) == text


def test_hosts_that_were_not_measured_are_not_called_every_host() -> None:
    said = str(Coverage(10, 9, 3, 5, 0.25))
    assert said.startswith("9 of 10 hosts 3 to 5 times; 25 % of the links")


def test_a_screening_of_all_pairs_is_judged_as_all_pairs_are() -> None:
    small = screening(fabric(hosts=16), steps=STEPS)
    assert not is_screened(small)
    assert judge(small).coverage is None
    assert is_screened(screening(fabric(hosts=64)))


def test_one_reading_of_a_pair_stands_for_both_directions_and_the_shorter_one_counts() -> None:
    results = screening(fabric(), steps=2)
    seen = screen_readings(results, results.sizes[0], np.zeros(HOSTS, np.int64))
    assert len(seen) == HOSTS
    rows = results.sizes[0].rows
    there = rows.median[(rows.frm == seen.one[0]) & (rows.to == seen.other[0])]
    back = rows.median[(rows.frm == seen.other[0]) & (rows.to == seen.one[0])]
    assert np.exp(seen.time[0]) == pytest.approx(min(*there, *back), rel=1e-6)


def test_a_kernel_of_one_direction_tells_which_is_slow() -> None:
    cluster = replace(fabric("slow-send:n7*0.5"), both_directions=False)
    (verdict,) = judged(cluster).verdicts
    assert (verdict.kind, verdict.subject, verdict.direction) == ("host", ("n7",), "send")


def test_slurm_tells_the_switches_above_the_leaves(tmp_path: Path) -> None:
    file = tmp_path / "topology.conf"
    leaves = [f"SwitchName=s{number} Nodes=n[{20 * number}-{20 * number + 19}]" for number in range(20)]
    pods = [f"SwitchName=p{number} Switches=s[{5 * number}-{5 * number + 4}]" for number in range(4)]
    file.write_text("\n".join([*leaves, *pods, "SwitchName=top Switches=p[0-3]"]))
    grouping = grouping_of(screening(fabric(), steps=1), read_topology(file))
    assert grouping is not None
    assert len(grouping.names) == 20
    ((above, names),) = grouping.above
    assert names == ("p0", "p1", "p2", "p3")
    assert above.tolist() == [number // 5 for number in range(20)]


def test_switches_that_are_above_each_other_in_a_circle_end_somewhere() -> None:
    leaf_of = {f"n{host}": f"s{host // 20}" for host in range(HOSTS)}
    circle = {f"s{number}": f"s{(number + 1) % 20}" for number in range(20)}
    assert grouping_of(screening(fabric(), steps=1), Topology(leaf_of, above=circle)) is not None


def test_a_topology_that_contradicts_itself_is_said_and_the_rest_is_judged(tmp_path: Path) -> None:
    file = tmp_path / "topology.conf"
    file.write_text(topology(fabric()) + "SwitchName=other Nodes=n7\n")
    cluster = fabric("slow-host:n301*0.5")
    grouping = grouping_of(screening(cluster, steps=1), read_topology(file))
    judgement = judged(cluster, grouping)
    assert named(judgement) == [("host", ("n301",))]
    assert any("on several switches, such as n7" in remark for remark in judgement.remarks)


def first_run(hosts: int, seconds: float) -> Results:
    results = screening(fabric(hosts=hosts), steps=1)
    sizes = [
        replace(size, rows=replace(size.rows, median=np.full(len(size.rows), seconds, np.float32)))
        for size in (*results.sizes, replace(results.sizes[0], bytes=1 << 16))
    ]
    return replace(results, sizes=tuple(sorted(sizes, key=lambda size: size.bytes)))


def test_a_check_screens_where_a_quarter_of_the_partners_do_not_fit() -> None:
    plan = plan_of(first_run(1000, 1e-4), 1000, 60)
    assert plan.is_screening
    assert plan.core_options[-2:] == ["--schedule", f"screen:{plan.partners}"]
    more = plan_of(first_run(40, 1e-4), 40, 5)
    assert more.core_options[-2:] == ["--schedule", f"sample:{more.partners}"]


def test_a_time_that_is_too_short_for_one_step_is_said_and_one_step_is_measured() -> None:
    plan = plan_of(first_run(1000, 1e-4), 1000, 0.1)
    assert plan.partners == 1
    assert "--within 0.1 is too short: one step" in plan.too_short
    some = plan_of(first_run(1000, 1e-4), 1000, 2)
    assert (some.partners, some.too_short) == (FEWEST_PARTNERS, "")


def test_of_a_single_step_it_says_that_no_slow_host_was_looked_for() -> None:
    judgement = judge(screening(fabric("slow-host:n7*0.5"), steps=1))
    assert not judgement.verdicts
    assert any(said.startswith("slow hosts (that takes 3 readings") for said in judgement.not_looked_for)


def test_a_screening_of_which_nothing_was_measured_is_undecided() -> None:
    def failed(rows: Rows, size: int) -> Rows:
        return replace(rows, outcome=np.full(len(rows), Outcome.LOCAL, np.uint8))

    judgement = judge(screening(fabric(), change=failed))
    assert judgement.conclusion == "undecided"
    assert judgement.coverage is None


def hosts_in(judgement: Judgement) -> Sequence[str]:
    return [name for verdict in judgement.verdicts for name in verdict.subject]


@pytest.mark.long
def test_twenty_thousand_hosts_need_little_memory_and_time() -> None:
    cluster = fabric("slow-host:n7*0.5", "slow-host:n19999*0.6", hosts=20_000)
    assert hosts_in(judge(screening(cluster))) == ["n7", "n19999"]
