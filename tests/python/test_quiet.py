"""Pairs of hosts that load hides under full load, which show with a quarter of the ranks busy."""

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.confirm import plan_to_confirm
from everylink.judge.judge import judge
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER, Outcome, Rows, chosen, joined
from pair_rows import rows_of_pairs, run_of

HOSTS = 24
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
ALONE, SLOW = 100e-6, (3, 11)
Values = NDArray[np.float64]


def _run(
    shared: float, in_quarter: float = 1.0, alone: float = 1.0, quarters: int = 0, size: int = 1 << 20, host: int = -1
) -> Results:
    """A run whose pairs differ by what shares their ways. `shared`: standard deviation of that, log of the factor.

    `in_quarter`, `alone`: how many times as long the messages of SLOW take in that phase, or those of a `host`.
    `quarters`: readings of all pairs with a quarter of the ranks busy, after which some were measured alone.
    """
    random = np.random.default_rng(2)
    load = np.exp(np.abs(shared * random.standard_normal(len(PAIRS))))
    is_slow = (PAIRS == SLOW).all(axis=1) if host < 0 else np.isin(PAIRS, host).any(axis=1)
    loaded = ALONE * np.maximum(load, np.where(is_slow & (host < 0), alone, 1))
    rows = [_rows(PAIRS, loaded, MAIN, random, turn) for turn in range(3)]
    rows += [_rows(PAIRS, ALONE * np.where(is_slow, in_quarter, 1), QUARTER, random, 3 + n) for n in range(quarters)]
    some = is_slow | (random.random(len(PAIRS)) < 0.4)
    times = ALONE * np.where(is_slow, alone, 1)[some]
    rows += [_rows(PAIRS[some], times, ONE_WAY, random, 9 + turn) for turn in range(9 if quarters else 0)]
    return run_of(np.arange(HOSTS), 18 * HOSTS, {size: rows})


def _rows(pairs: NDArray[np.int64], times: Values, attempt: int, random: np.random.Generator, turn: int) -> Rows:
    """Those of each turn are in steps of their own."""
    return rows_of_pairs(pairs, times, turn * HOSTS + pairs.sum(axis=1) % HOSTS, attempt, 0.005, random)


def _in_quarter(results: Results) -> set[tuple[int, int]]:
    pairs = plan_to_confirm(results, None).pairs.get("quarter", np.zeros((0, 2), np.int64))
    return {(a, b) for a, b in pairs.tolist()}


def test_all_pairs_are_measured_with_a_quarter_of_the_ranks_busy_where_load_makes_them_differ() -> None:
    every = {(a, b) for a, b in PAIRS.tolist()}
    assert _in_quarter(_run(shared=0.3)) == every
    assert not _in_quarter(_run(shared=0.3, quarters=6)) >= every  # once is enough
    assert not _in_quarter(_run(shared=0.0)) >= every
    assert not _in_quarter(_run(shared=0.3, size=1)) >= every  # small messages hardly share anything


def test_a_slow_pair_that_load_hides_is_named_by_what_a_quarter_of_the_ranks_shows() -> None:
    assert not judge(_run(shared=0.3)).verdicts
    (verdict,) = judge(_run(shared=0.3, in_quarter=1.5, alone=1.5, quarters=6)).verdicts
    assert (verdict.kind, verdict.symptom) == ("pair", "slow")
    assert set(verdict.subject) == {"n3:3", "n11:11"}
    assert verdict.factor is not None
    assert 1.4 < verdict.factor < 1.6


def test_a_slow_host_that_load_hides_is_named_likewise() -> None:
    assert not judge(_run(shared=0.3, in_quarter=1.2, alone=1.2, host=5)).verdicts
    (verdict,) = judge(_run(shared=0.3, in_quarter=1.2, alone=1.2, quarters=6, host=5)).verdicts
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("host", ("n5",), "slow")
    assert "with a quarter of the ranks busy" in verdict.evidence
    assert not judge(_run(shared=0.3, in_quarter=1.2, alone=1.0, quarters=6, host=5)).verdicts


def test_a_pair_that_is_slow_with_a_quarter_of_the_ranks_but_not_alone_gets_no_verdict() -> None:
    assert not judge(_run(shared=0.3, in_quarter=1.5, alone=1.0, quarters=6)).verdicts


def test_a_pair_that_keeps_less_than_half_of_its_excess_alone_gets_no_verdict() -> None:
    """It is a little longer by design, perhaps, and meets others: hosts behind two switches that look like one."""
    assert not judge(_run(shared=0.3, in_quarter=1.5, alone=1.18, quarters=6)).verdicts
    assert judge(_run(shared=0.3, in_quarter=1.5, alone=1.26, quarters=6)).verdicts


def test_healthy_pairs_that_differ_by_load_get_no_verdict() -> None:
    assert not judge(_run(shared=0.3, quarters=6)).verdicts


def test_what_few_pairs_show_with_a_quarter_of_the_ranks_names_none() -> None:
    results = _run(shared=0.3, in_quarter=1.5, alone=1.5, quarters=6)
    (size,) = results.sizes
    rows = size.rows.of_attempt(MAIN), size.rows.of_attempt(ONE_WAY), size.rows.of_attempt(QUARTER)
    main, alone, quarter = rows
    few = (quarter.frm < HOSTS - 8) & (quarter.to < HOSTS - 8) | ((quarter.frm == SLOW[0]) & (quarter.to == SLOW[1]))
    fewer = replace(size, rows=joined([main, alone, chosen(quarter, few)]))
    (by_alone,) = judge(replace(results, sizes=(fewer,))).verdicts
    assert by_alone.evidence.startswith("measured alone")


def test_a_host_that_fails_at_a_size_is_not_measured_again_to_see_whether_it_is_slow_now_and_then() -> None:
    results = _run(shared=0.0)
    (size,) = results.sizes
    rows = chosen(size.rows, size.rows.step < HOSTS)  # one pass, so that all hosts need more steps
    fails = (rows.frm == 5) | (rows.to == 5)
    outcome = np.where(fails, Outcome.TIMEOUT, rows.outcome).astype(np.uint8)
    broken = replace(rows, outcome=outcome, median=np.where(fails, np.float32(np.nan), rows.median))
    small, large = replace(size, bytes=1, rows=rows), replace(size, rows=rows)
    assert any(5 in pair for pair in _in_quarter(replace(results, sizes=(small, large))))
    wanted = _in_quarter(replace(results, sizes=(small, replace(large, rows=broken))))
    assert wanted
    assert not any(5 in pair for pair in wanted)
