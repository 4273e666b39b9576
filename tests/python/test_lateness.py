"""Hosts with late messages: what a run shows by chance is measured again, and the fresh readings decide."""

from dataclasses import replace

import numpy as np
import pytest

from everylink.judge.confirm import plan_to_confirm
from everylink.judge.judge import judge
from everylink.judge.lateness import late_hosts, late_suspects
from everylink.judge.readings import readings
from everylink.model.results import Results, Size
from everylink.model.rows import FAILED_AGAIN, ORDER, Outcome, Rows, chosen, joined
from fabric_runs import SIZE, fabric_run

HOSTS, MESSAGES, BAD = 8, 10, 3
TIMEOUT = 100.0  # usual times


def run(*rows: Rows) -> Results:
    """A run with exactly these rows."""
    return replace(fabric_run(hosts=HOSTS), sizes=(Size(SIZE, 1, HOSTS, joined(list(rows))),))


def measured(rate: float, seed: int, attempt: int = 0, *, others: float = 0.0, beyond: float = TIMEOUT) -> Rows:
    """A pass over all links; of messages with BAD this part is late by `beyond` usual times, of others by 5."""
    (size,) = fabric_run(hosts=HOSTS, seed=seed).sizes
    rows, random = size.rows, np.random.default_rng(seed)
    of_bad = (rows.frm == BAD) | (rows.to == BAD)
    late = random.binomial(MESSAGES, np.where(of_bad, rate, others)).astype(np.uint32)
    mean = rows.median * (1 + late / MESSAGES * np.where(of_bad, beyond, 5))
    messages = np.full(len(late), MESSAGES, np.uint32)
    numbers = np.full(len(late), attempt, np.uint8)
    return replace(rows, late=late, n=messages, mean=mean.astype(np.float32), attempt=numbers)


def again(rate: float, **more: float) -> list[Rows]:
    return [measured(rate, seed, ORDER, **more) for seed in range(100, 106)]


def test_a_host_that_loses_few_packets_is_measured_again_and_then_named() -> None:
    first = run(measured(0.04, 1))
    assert judge(first).verdicts == ()  # 140 messages tell too little
    plan = plan_to_confirm(first, None)
    pairs = plan.pairs["order"]
    assert {tuple(pair) for pair in pairs.tolist()} == {(min(BAD, h), max(BAD, h)) for h in range(HOSTS) if h != BAD}
    quick = plan_to_confirm(run(measured(0.0, 1)), None).pairs["one-way"]
    np.testing.assert_array_equal(plan.pairs["one-way"], quick)  # a link that loses packets is as fast as others
    confirmed = run(measured(0.04, 1), *again(0.04))
    (verdict,) = judge(confirmed).verdicts
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("host", ("n3",), "loss")
    assert verdict.factor is not None
    assert 2 < verdict.factor < 8  # about 1 + 0.04 x 100; a low quantile over links
    assert not len(plan_to_confirm(confirmed, None).pairs["order"])


def test_a_host_that_was_late_by_chance_is_cleared_by_fresh_readings() -> None:
    first = run(measured(0.1, 1))
    assert [late.host for late in late_suspects(readings(first, first.sizes[0]))] == [BAD]
    cleared = run(measured(0.1, 1), *again(0.001, others=0.001))
    seen = readings(cleared, cleared.sizes[0])
    assert late_hosts(seen) == late_suspects(seen) == []
    assert not len(plan_to_confirm(cleared, None).pairs["order"])


def test_lost_packets_show_where_many_messages_are_late_for_other_reasons() -> None:
    noisy = run(measured(0.14, 1, others=0.1), *again(0.14, others=0.1))
    (verdict,) = judge(noisy).verdicts
    assert (verdict.subject, verdict.symptom) == (("n3",), "loss")


def test_messages_that_are_late_by_little_cost_too_little_for_a_verdict() -> None:
    seen = run(measured(0.02, 1, beyond=1.5), *again(0.02, beyond=1.5))
    assert judge(seen).verdicts == ()


def test_a_healthy_run_has_no_late_host() -> None:
    for seed in range(20):
        healthy = run(measured(0.01, seed, others=0.01, beyond=5))
        assert late_hosts(readings(healthy, healthy.sizes[0])) == []


def broken(rows: Rows, frm: int, to: int) -> Rows:
    """One link of these broke."""
    at = np.flatnonzero((rows.frm == frm) & (rows.to == to))
    outcome, number, median, mean = rows.outcome.copy(), rows.n.copy(), rows.median.copy(), rows.mean.copy()
    outcome[at], number[at], median[at], mean[at] = Outcome.BROKEN, 0, np.nan, np.nan
    return replace(rows, outcome=outcome, n=number, median=median, mean=mean)


def tried_again(frm: int, to: int) -> Rows:
    """The fresh reading of one link, alone."""
    rows = measured(0.0, 7, FAILED_AGAIN)
    return chosen(rows, (rows.frm == frm) & (rows.to == to))


@pytest.mark.parametrize(
    ("ends", "subjects"),
    [
        ((BAD, 0), {("n3",)}),  # a host that loses packets also breaks connections
        ((1, 0), {("n3",), ("n1:1", "n0:0")}),
    ],
)
def test_a_link_that_broke_once_is_no_verdict_beside_a_host_that_loses_packets(
    ends: tuple[int, int], subjects: set[tuple[str, ...]]
) -> None:
    found = judge(run(broken(measured(0.04, 1), *ends), *again(0.04), tried_again(*ends))).verdicts
    assert {one.subject for one in found} == subjects


def test_a_link_that_is_broken_alone_as_well_is_a_verdict_beside_a_host_that_loses_packets() -> None:
    parts = (measured(0.04, 1), tried_again(BAD, 0))
    found = judge(run(*(broken(rows, BAD, 0) for rows in parts), *again(0.04))).verdicts
    assert {one.subject for one in found} == {("n3",), ("n3:3", "n0:0")}
