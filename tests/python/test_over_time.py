"""The judge on runs that change over time: which hosts become slower, which are slow now and then, and in stretches."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.explain.actions import with_actions
from everylink.io.foreign import bare_steps
from everylink.judge.confirm import plan_to_confirm
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement, Verdict
from everylink.model.results import Results
from everylink.model.rows import ONE_WAY, chosen, joined
from everylink.simulate.fabric import Fabric, all_links
from everylink.simulate.results import measured

HOSTS, BAD, SIZE = 16, 5, 1 << 20
PASSES = 6
Factor = Callable[[NDArray[np.int64], int], NDArray[np.float64]]  # of steps, and of how many there are


def run(of_host: dict[int, Factor], passes: int = PASSES, seed: int = 1) -> Results:
    """Passes over all links; in each step every host has one partner. A link is as slow as the slower of its hosts."""
    fabric = Fabric(HOSTS, group_size=HOSTS, noise=0.01, transient=0.0, seed=seed)
    frm, to = all_links(HOSTS)
    low, high, per_pass = np.minimum(frm, to), np.maximum(frm, to), HOSTS - 1
    in_pass = np.where(high == per_pass, 2 * low, low + high) % per_pass  # Kirkman 1847
    parts = []
    for turn in range(passes):
        rows = fabric.measure(frm, to, SIZE, draw=turn)
        step = in_pass + turn * per_pass
        longer = np.ones(len(frm))
        for host, factor in of_host.items():
            own = (frm == host) | (to == host)
            longer[own] = np.maximum(longer, factor(step, passes * per_pass))[own]
        parts.append(replace(rows, step=step.astype(np.uint32), median=(rows.median * longer).astype(np.float32)))
    results = measured(fabric, (frm[:0], to[:0]), [SIZE], Path("over-time"), "")
    sizes = (replace(results.sizes[0], rows=joined(parts)),)
    return replace(results, sizes=sizes, steps=bare_steps(passes * per_pass))


def rising(first: float, last: float) -> Factor:
    return lambda step, steps: first + (last - first) * step / (steps - 1)


def slow_in(which: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> Factor:
    return lambda step, steps: np.where(which(step), 2.0, 1.0)


def now_and_then(step: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray(np.random.default_rng(3).random(1000)[step] < 0.3)


def only(results: Results) -> Verdict:
    (verdict,) = judged(results).verdicts
    assert (verdict.kind, verdict.subject) == ("host", (f"n{BAD}",))
    return verdict


def judged(results: Results) -> Judgement:
    return with_actions(results, judge(results))


@pytest.mark.parametrize("others", [1.0, 1.2])
def test_a_host_that_becomes_slower_in_the_course_of_the_run_is_drifting_whatever_all_hosts_do(others: float) -> None:
    factors = {host: rising(1, others) for host in range(HOSTS)} if others > 1 else {}
    verdict = only(run({**factors, BAD: rising(1, 1.3 * others)}))
    assert verdict.symptom == "drifting"
    assert verdict.factor == pytest.approx(1.3, abs=0.04)
    assert verdict.action.startswith(f"Drain n{BAD}; look at the temperatures")


def test_hosts_that_all_become_slower_alike_are_one_line_of_structure() -> None:
    judgement = judged(run({host: rising(1, 1.2) for host in range(HOSTS)}))
    assert not judgement.verdicts
    (structure,) = (one for one in judgement.structure if one.kind == "drift")
    assert structure.subject == ("all hosts",)
    assert structure.factor == pytest.approx(1.2, abs=0.03)
    assert not judged(run({})).structure


@pytest.mark.parametrize(("partners", "said"), [(5, []), (6, [f"n{BAD}"])])
def test_it_takes_six_partners_to_tell_a_drift(partners: int, said: list[str]) -> None:
    """Of fewer, the ways may have become busier."""
    results = run({BAD: rising(1, 1.3)})
    (size,) = results.sizes
    rows, near = size.rows, [host for host in range(HOSTS) if host != BAD][:partners]
    own = (rows.frm == BAD) | (rows.to == BAD)
    kept = chosen(rows, ~own | np.isin(rows.frm, near) | np.isin(rows.to, near))
    verdicts = judged(replace(results, sizes=(replace(size, rows=kept),))).verdicts
    assert [verdict.subject[0] for verdict in verdicts if verdict.symptom == "drifting"] == said


def test_two_passes_do_not_tell_a_drift() -> None:
    factors = {host: rising(1, 1.2) for host in range(HOSTS)}
    judgement = judged(run({**factors, BAD: rising(1, 1.5)}, passes=2))
    assert all(verdict.symptom != "drifting" for verdict in judgement.verdicts)
    assert not judgement.structure


def test_a_host_that_is_slow_from_the_beginning_is_slow_though_it_becomes_slower() -> None:
    assert only(run({BAD: rising(1.6, 1.8)})).symptom == "slow"


def test_many_hosts_that_become_slower_share_a_cause() -> None:
    judgement = judged(run({host: rising(1, 1.2) for host in (3, 4, 5)}))
    assert all(verdict.symptom != "drifting" for verdict in judgement.verdicts)
    (structure,) = (one for one in judgement.structure if one.kind == "drift")
    assert structure.subject == ("n[3-5]",)
    assert "share" in structure.question


@pytest.mark.parametrize(
    ("which", "symptom"),
    [
        (now_and_then, "intermittent"),
        (lambda step: step % 30 < 9, "flapping"),
        (lambda step: (step >= 20) & (step < 36), "intermittent"),
    ],
    ids=["single steps", "stretches", "one stretch"],
)
def test_a_host_that_is_slow_in_stretches_flaps(
    which: Callable[[NDArray[np.int64]], NDArray[np.bool_]], symptom: str
) -> None:
    verdict = only(run({BAD: slow_in(which)}))
    assert verdict.symptom == symptom
    assert verdict.factor == pytest.approx(2, rel=0.05)
    assert ("3 stretches" in verdict.evidence) == (symptom == "flapping")


@pytest.mark.parametrize("passes", [range(PASSES), range(0, PASSES, 2)], ids=["in each pass", "in each second pass"])
def test_links_that_are_slow_each_time_in_one_direction_are_not_slow_now_and_then(passes: Sequence[int]) -> None:
    """Measured one way: the way from a host to some others may be shared."""
    results = run({})
    (size,) = results.sizes
    rows, facts = size.rows, replace(results.facts, kernel="unidirectional")
    slow = (rows.frm == BAD) & (rows.to % 3 == 0) & np.isin(rows.step // (HOSTS - 1), list(passes))
    rows = replace(rows, median=np.where(slow, 2 * rows.median, rows.median).astype(np.float32))
    judgement = judged(replace(results, facts=facts, sizes=(replace(size, rows=rows),)))
    found = {(verdict.subject, verdict.symptom) for verdict in judgement.verdicts if verdict.kind == "host"}
    assert found == (set() if len(passes) == PASSES else {((f"n{BAD}",), "flapping")})


Alone = Callable[[NDArray[np.int64], NDArray[np.bool_]], NDArray[np.bool_]]  # of steps and whether BAD is there


def measured_alone(which: Alone, one_way: bool = False) -> Results:
    """One pass, then nine over all links, each pair alone and in random order: slow, twice the time, in these steps.

    `one_way`: only messages from the smaller rank.
    """
    first = run({}, passes=1)
    fabric = Fabric(HOSTS, group_size=HOSTS, noise=0.01, transient=0.0, seed=2)
    frm, to = all_links(HOSTS)
    low, high = np.minimum(frm, to), np.maximum(frm, to)
    _, pair = np.unique(low * HOSTS + high, return_inverse=True)
    pairs = int(pair.max()) + 1
    parts = [first.sizes[0].rows]
    for turn in range(9):
        step = np.random.default_rng(turn).permutation(pairs)[pair] + turn * pairs
        slow = which(step, (low == BAD) | (high == BAD)) & ((frm < to) | (not one_way))
        rows = fabric.measure(frm, to, SIZE, ONE_WAY, draw=turn)
        longer = np.where(slow, 2, 1) * rows.median
        parts.append(replace(rows, step=(step + HOSTS).astype(np.uint32), median=longer.astype(np.float32)))
    steps = bare_steps(9 * pairs + HOSTS)
    return replace(first, sizes=(replace(first.sizes[0], rows=joined(parts)),), steps=steps)


def part_of(steps: NDArray[np.int64], part: float) -> NDArray[np.bool_]:
    return np.asarray(np.random.default_rng(3).random(2000)[steps] < part)


def test_a_host_that_is_slow_now_and_then_when_it_is_measured_alone_is_named_after_one_pass() -> None:
    verdict = only(measured_alone(lambda step, own: own & part_of(step, 0.1)))
    assert verdict.symptom == "intermittent"
    assert verdict.factor == pytest.approx(2, rel=0.05)
    assert verdict.evidence.startswith("measured alone, slow in")


@pytest.mark.parametrize(
    ("which", "one_way"),
    [
        (lambda step, own: own & (step >= 300) & (step < 312), False),
        (lambda step, own: part_of(step, 0.1), False),
        (lambda step, own: own & part_of(step, 0.1), True),
    ],
    ids=["one burst", "all hosts alike", "one of two readings"],
)
def test_what_disturbs_a_machine_now_and_then_accuses_no_host(which: Alone, one_way: bool) -> None:
    assert judged(measured_alone(which, one_way)).verdicts == ()


def test_confirm_measures_alone_what_was_slow_twice_and_leaves_in_peace_what_it_found_or_cleared() -> None:
    twice = run({BAD: slow_in(lambda step: np.isin(step, [40, 57]))})
    alone = plan_to_confirm(twice, None).pairs["one-way"]
    assert ((alone == BAD).any(axis=1).sum(), (alone != BAD).all(axis=1).sum()) == (HOSTS - 1, 24)  # others: controls
    assert not len(plan_to_confirm(run({}), None).pairs["one-way"])
    for part in (0.0, 0.1):
        tried = measured_alone(lambda step, own, part=part: own & part_of(step, part))  # type: ignore[misc]
        assert not len(plan_to_confirm(tried, None).pairs["one-way"])


def test_confirm_measures_more_passes_with_few_ranks_busy_where_one_pass_shows_too_little() -> None:
    lightly = plan_to_confirm(run({}, passes=1), None).pairs["quarter"]
    assert (np.bincount(lightly.ravel(), minlength=HOSTS) >= 8).all()


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("passes", [3, 8])
@pytest.mark.one_in(3)
def test_nothing_is_said_of_a_healthy_run(passes: int, seed: int) -> None:
    judgement = judged(run({}, passes, seed))
    assert (judgement.verdicts, judgement.structure) == ((), ())


def test_a_host_is_not_drifting_where_the_others_become_faster_by_more_than_it_becomes_slower() -> None:
    """As when jobs elsewhere end: what changed is the load."""
    faster = {host: rising(1.2, 1) for host in range(HOSTS)}
    assert only(run({**faster, BAD: rising(1.2, 1.35)})).symptom == "slow"
    assert only(run({**faster, BAD: rising(1.2, 1.6)})).symptom == "drifting"
