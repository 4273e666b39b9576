"""Groups whose ways to others carry less than those of their equals, which shows only while all measure."""

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.model.rows import MAIN, ONE_WAY, ORDER, Rows
from pair_rows import rows_of_pairs, run_of

GROUPS, SIZE, HOSTS = 4, 8, 32
GROUP_OF = np.arange(HOSTS) // SIZE
BUSY, ALL_MAIN, ALL_DRAWN = 100e-6, 90, 60  # seconds of a link alone; steps
NOISE = 0.01
Index = NDArray[np.int64]


def _judged(capacity: list[float], crowded: int = -1, smaller: float = 0.0) -> Judgement:
    """Judge a run. `capacity` [groups]: pairs that fit out of each. More pairs of the `crowded` group leave it.

    `smaller`: part of what load adds (log) at a second, smaller size.
    """
    return _judged_by(lambda pairs: _times(pairs, np.array(capacity)), crowded, smaller)


def _judged_by(times_of: Callable[[Index], NDArray[np.float64]], crowded: int = -1, smaller: float = 0.0) -> Judgement:
    """Judge a run. `times_of`: the seconds that each of the pairs of a step takes, [pair, 2] to [pair]."""
    random = np.random.default_rng(1)
    steps = [_pairs(random, crowded) for _ in range(ALL_MAIN + ALL_DRAWN)]
    times = [times_of(pairs) for pairs in steps]
    alone = np.array(list(itertools.combinations(range(HOSTS), 2)))
    parts = {1 << 16: smaller, 1 << 20: 1.0} if smaller else {1 << 20: 1.0}
    by_size = dict[int, list[Rows]]()
    for size, part in parts.items():
        rows = by_size.setdefault(size, [])
        for step, (pairs, time) in enumerate(zip(steps, times, strict=True)):
            attempt = MAIN if step < ALL_MAIN else ORDER
            rows.append(rows_of_pairs(pairs, BUSY * (time / BUSY) ** part, step, attempt, NOISE, random))
        rows.append(rows_of_pairs(alone, np.full(len(alone), BUSY), len(steps), ONE_WAY, NOISE, random))
    results = run_of(np.arange(HOSTS), len(steps) + 1, by_size)
    return judge(results, Grouping(GROUP_OF, tuple(f"leaf{number}" for number in range(GROUPS))))


def _pairs(random: np.random.Generator, crowded: int) -> Index:
    """Disjoint pairs of all hosts, the smaller one first."""
    pairs = random.permutation(HOSTS).reshape(-1, 2)
    inside = np.flatnonzero((GROUP_OF[pairs] == crowded).all(axis=1))
    outside = np.flatnonzero((GROUP_OF[pairs] != crowded).all(axis=1))
    for one, other in zip(inside, outside, strict=False):
        pairs[one, 0], pairs[other, 0] = pairs[other, 0], pairs[one, 0]
    return np.sort(pairs, axis=1)


def _times(pairs: Index, capacity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds: the hosts of a group that send together share what leaves it; of a pair, the smaller one sends first."""
    ends = GROUP_OF[pairs]
    far = ends[:, 0] != ends[:, 1]
    load = np.stack([np.bincount(ends[far, role], minlength=GROUPS) for role in (0, 1)])
    share = np.maximum(load[0, ends[:, 0]] / capacity[ends[:, 0]], load[1, ends[:, 1]] / capacity[ends[:, 1]])
    return np.asarray(BUSY * np.where(far, np.maximum(share, 1.0), 1.0))


def test_a_leaf_that_carries_less_than_others_under_equal_load_is_named_though_it_is_as_fast_alone() -> None:
    seen = _judged([3.0, 3.0, 2.0, 3.0])
    (verdict,) = seen.verdicts
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("trunk", ("leaf2",), "slow")
    assert verdict.factor is not None
    assert 1.3 < verdict.factor < 1.6
    assert "under equal load" in verdict.evidence


def test_a_leaf_that_carries_less_than_half_of_what_others_do_is_told_with_a_question() -> None:
    """Though a smaller size shows no more than one bad cable may cost."""
    seen = _judged([4.0, 4.0, 1.5, 4.0], smaller=0.6)
    assert not seen.verdicts
    (told,) = [one for one in seen.structure if one.kind == "class"]
    assert told.subject == ("leaf2",)
    assert told.text.startswith("leaf2: links with other groups take 1.")
    assert told.text.endswith("of groups of as many hosts under equal load")
    assert told.question == "Fewer uplinks by design, or bad ones? The topology tells."


def test_leaves_that_carry_equally_little_are_no_fault() -> None:
    assert not _judged([2.0, 2.0, 2.0, 2.0]).verdicts


def test_a_leaf_that_carries_least_of_leaves_that_all_differ_is_a_suspect() -> None:
    seen = _judged([4.0, 3.0, 2.0, 1.0])
    assert not seen.verdicts
    (suspect,) = [one for one in seen.suspects if one.kind == "trunk"]
    assert suspect.subject == ("leaf3",)
    assert "fewer by design" in suspect.evidence


def test_a_leaf_that_more_pairs_leave_is_no_fault() -> None:
    assert not _judged([3.0, 3.0, 3.0, 3.0], crowded=1).verdicts


def _on_cables(pairs: Index, of_way: NDArray[np.float64], stuck: bool = False) -> NDArray[np.float64]:
    """The seconds of each pair. Pairs between the same two groups share the cables there with those that send in the
    same direction at the same time. `of_way`: the number of cables, [group, group].

    `stuck`: only pairs of hosts whose numbers have an even sum share them, as with static routes.
    """
    ends = GROUP_OF[pairs]
    way = ends[:, 0] * GROUPS + ends[:, 1]
    shares = (ends[:, 0] != ends[:, 1]) & ~(stuck & (pairs.sum(axis=1) % 2 == 1))
    load = np.bincount(way[shares], minlength=GROUPS**2)[way]
    share = load / of_way[ends[:, 0], ends[:, 1]]
    return np.asarray(BUSY * np.where(shares, np.maximum(share, 1.0), 1.0))


def _cables(slow: float) -> NDArray[np.float64]:
    """Two cables between any two groups; those between the groups 1 and 3 carry what `slow` ones do."""
    cables = np.full((GROUPS, GROUPS), 2.0)
    cables[1, 3] = cables[3, 1] = slow
    return cables


def test_a_trunk_of_several_cables_is_named_though_it_is_as_fast_alone() -> None:
    seen = _judged_by(lambda pairs: _on_cables(pairs, _cables(1.0)))
    (verdict,) = seen.verdicts
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("trunk", ("leaf1", "leaf3"), "slow")
    assert "links between the two take" in verdict.evidence
    assert not any("trunk" in one.text for one in seen.structure if one.kind == "contention")


def test_trunks_that_carry_equally_little_are_no_fault() -> None:
    assert not _judged_by(lambda pairs: _on_cables(pairs, np.ones((GROUPS, GROUPS)))).verdicts


def test_a_trunk_of_which_only_some_pairs_always_meet_is_no_fault() -> None:
    assert not _judged_by(lambda pairs: _on_cables(pairs, _cables(1.0), stuck=True)).verdicts
