"""Links between the ranks of a host are compared with those between the same places of other hosts."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from everylink.judge.confirm import plan_to_confirm
from everylink.judge.kinds import Kinds
from everylink.judge.within import SlowWithin, find_within, slow_by_design
from everylink.model.results import Results
from everylink.model.rows import MAIN
from pair_rows import rows_of_pairs, run_of

HOSTS, EACH = 10, 4
USUAL, FAR = 1e-6, 1.5  # seconds between neighbours; times as long to the last rank of a host


def _run(measured: dict[int, list[tuple[int, int]]], slow: int = -1) -> Results:
    """`measured`: by host the places whose links were measured, 8 times each; all of the `slow` host take twice."""
    random, parts = np.random.default_rng(2), []
    for host, places in measured.items():
        pairs = np.array(places) + host * EACH
        times = USUAL * np.where((np.array(places) == EACH - 1).any(axis=1), FAR, 1.0) * (2 if host == slow else 1)
        parts += [rows_of_pairs(pairs, times, turn, MAIN, 0.01, random) for turn in range(8)]
    return run_of(np.repeat(np.arange(HOSTS), EACH), 8, {1 << 20: parts})


@pytest.mark.parametrize("slow", [-1, 3, 8])
def test_hosts_of_which_only_distant_cores_were_measured_are_not_slow(slow: int) -> None:
    near, far = [(0, 1), (1, 2), (0, 2)], [(0, 3), (1, 3), (2, 3)]
    run = _run({host: far if host >= 6 else near for host in range(HOSTS)}, slow)
    assert [one.host for one in find_within(run, run.sizes[0]) if one.sure] == ([slow] if slow >= 0 else [])


def test_a_place_that_few_hosts_have_tells_nothing() -> None:
    run = _run({host: [(0, 3)] if host < 3 else [(0, 1)] for host in range(HOSTS)}, slow=1)
    assert not find_within(run, run.sizes[0])
    every = _run({host: [(0, 3)] for host in range(HOSTS)}, slow=1)
    assert [one.host for one in find_within(every, every.sizes[0])] == [1]


def _with_a_tail(seed: int, slow: int) -> Results:
    """32 hosts of 2 ranks, whose readings have a long tail, as of interrupts; those of the `slow` take 5 us more."""
    random, hosts = np.random.default_rng(seed), np.arange(32)
    pairs, rows = np.stack([2 * hosts, 2 * hosts + 1], axis=1), []
    for turn in range(11):
        times = USUAL * (1 + 2 * random.pareto(3, len(hosts)) + 5 * (hosts == slow))
        rows.append(rows_of_pairs(pairs, times, turn, MAIN, 0.01, random))
    return run_of(np.repeat(hosts, 2), 11, {1: rows})


def test_hosts_whose_readings_have_a_long_tail_are_not_slow_by_chance() -> None:
    for seed in range(20):
        run = _with_a_tail(seed, slow=-1)
        assert not [one.host for one in find_within(run, run.sizes[0]) if one.sure]
    run = _with_a_tail(1, slow=7)
    assert [one.host for one in find_within(run, run.sizes[0]) if one.sure] == [7]


def test_a_host_of_which_slow_links_were_measured_more_often_is_not_slow() -> None:
    """Half of its links, those of one rank, take twice as long; they were measured ten times as often."""
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    random, parts = np.random.default_rng(3), []
    for host in range(HOSTS):
        slow = (host == 4) & (pairs == 0).any(axis=1)
        times = USUAL * np.where(slow, 2.0, 1.0)
        parts += [rows_of_pairs(pairs + host * EACH, times, turn, MAIN, 0.01, random) for turn in range(2)]
        if host == 4:
            parts += [rows_of_pairs(pairs[slow] + 16, times[slow], turn, MAIN, 0.01, random) for turn in range(2, 20)]
    run = run_of(np.repeat(np.arange(HOSTS), EACH), 20, {1 << 20: parts})
    assert not find_within(run, run.sizes[0])


# In memory of GPUs, ranks and pairs of ranks are compared with the same places of other hosts, too.


def _run_on_gpus(
    slow: dict[tuple[int, int], float],
    turns: int,
    kinds: list[int] | None = None,
    unmeasured: Sequence[tuple[int, int]] = (),
) -> Results:
    """Ten hosts with four GPUs each. `slow`: how many times as long as usual a pair of ranks takes; all pairs on
    hosts of kind 1 take 1.5 times as long. `unmeasured`: pairs without readings."""
    random = np.random.default_rng(5)
    of_host = list(itertools.combinations(range(EACH), 2))
    pairs = np.concatenate([np.array(of_host) + EACH * host for host in range(HOSTS)])
    pairs = np.array([pair for pair in pairs.tolist() if tuple(pair) not in unmeasured])
    times = np.array([USUAL * slow.get((a, b), 1.0) for a, b in pairs.tolist()])
    if kinds:
        times *= np.where(np.array(kinds)[pairs[:, 0] // EACH] == 1, 1.5, 1.0)
    parts = [rows_of_pairs(pairs, times, turn, MAIN, 0.01, random) for turn in range(turns)]
    run = run_of(np.repeat(np.arange(HOSTS), EACH), turns, {1 << 20: parts})
    return replace(run, ranks=replace(run.ranks, gpu=np.tile(np.arange(EACH), HOSTS).astype(np.int32)))


def _on_gpus(
    slow: dict[tuple[int, int], float],
    turns: int,
    kinds: list[int] | None = None,
    unmeasured: Sequence[tuple[int, int]] = (),
) -> list[SlowWithin]:
    run = _run_on_gpus(slow, turns, kinds, unmeasured)
    told = Kinds(np.array(kinds or [0] * HOSTS), ("", "")[: 1 + max(kinds or [0])], told=True)
    return find_within(run, run.sizes[0], told)


def test_a_slow_pair_of_gpus_is_sure_once_it_has_enough_readings() -> None:
    for turns, sure in ((1, False), (5, True)):
        (found,) = _on_gpus({(12, 14): 1.4}, turns)
        assert (found.host, found.ranks, found.sure) == (3, (12, 14), sure)
        assert found.effect == pytest.approx(np.log(1.4), abs=0.03)


def test_a_suspect_pair_of_gpus_is_measured_again() -> None:
    pairs = plan_to_confirm(_run_on_gpus({(12, 14): 1.4}, 1), None).pairs
    assert {name: of.tolist() for name, of in pairs.items() if len(of)} == {
        name: [[12, 14]] for name in ("order", "quarter", "one-way")
    }


def test_a_gpu_that_is_slow_to_all_others_of_its_host_is_one_part() -> None:
    (found,) = _on_gpus({(12, 13): 1.4, (12, 14): 1.4, (12, 15): 1.4}, 5)
    assert (found.host, found.ranks, found.sure) == (3, (12,), True)


def test_of_a_gpu_that_was_measured_with_too_few_others_the_slow_pair_is_named() -> None:
    found = _on_gpus({(12, 13): 1.4}, 9, unmeasured=[(12, 14), (12, 15)])
    assert [(one.host, one.ranks, one.sure) for one in found] == [(3, (12, 13), True)]


def test_a_host_that_is_slow_within_is_one_part() -> None:
    every = {(12 + a, 12 + b): 1.4 for a, b in itertools.combinations(range(EACH), 2)}
    (found,) = _on_gpus(every, 5)
    assert (found.host, found.ranks, found.sure) == (3, (), True)


def test_gpus_are_compared_on_hosts_of_one_kind() -> None:
    assert not _on_gpus({}, 5, [0] * 6 + [1] * 4)
    (found,) = _on_gpus({(32, 33): 1.4}, 5, [0] * 6 + [1] * 4)
    assert (found.host, found.ranks) == (8, (32, 33))


def test_a_healthy_run_has_none() -> None:
    assert not _on_gpus({}, 1)
    assert not _on_gpus({}, 8)


@pytest.mark.parametrize(
    ("effects", "by_design"),
    [
        ([0.6, 0.6, 0.62], 0),  # as a few faulty hosts are
        ([0.6, 0.6, 0.62, 0.58], 4),
        ([0.6, 0.6, 0.62, 0.58, 1.2], 4),  # one is slower than these
        ([0.2, 0.5, 0.8, 1.2], 0),
    ],
)
def test_hosts_that_are_slow_within_alike_are_built_so(effects: list[float], by_design: int) -> None:
    found = [SlowWithin(host, (), effect, 20.0, 36, 2e-4, 16, True) for host, effect in enumerate(effects)]
    rank = replace(found[0], ranks=(3,))
    assert slow_by_design([*found, rank]) == found[:by_design]
