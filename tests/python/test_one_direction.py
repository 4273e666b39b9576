"""A host that sends or receives more slowly is found by what its links take alone in one direction and in the other."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.judge import judge
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, Rows
from pair_rows import rows_of_pairs, run_of

HOSTS, BAD = 24, 5
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
ALONE, PASSES, TURNS = 100e-6, 3, 4
Mask = NDArray[np.bool_]
# Links differ in length so much that comparing them with each other shows nothing.
AS_FAR = 1 + np.random.default_rng(7).permutation(len(PAIRS)) % 11 / 10
LEAVES = Grouping(np.arange(HOSTS) // 2, tuple(f"leaf{number}" for number in range(HOSTS // 2)))


def _run(is_slow: Mask, factor: float = 1.2) -> Results:
    """Links of unlike length, which ways that are shared hide under load; alone, from a host to another one, `is_slow`
    [host, host]: those that take so much longer."""
    random = np.random.default_rng(5)
    load = np.exp(np.abs(0.3 * random.standard_normal(len(PAIRS))))
    rows = [_rows(ALONE * AS_FAR * load, MAIN, turn, random) for turn in range(PASSES)]
    for turn in range(PASSES, PASSES + TURNS):
        alone = _rows(ALONE * AS_FAR, ONE_WAY, turn, random)
        longer = np.where(is_slow[alone.frm, alone.to], np.float32(factor), np.float32(1))
        rows.append(replace(alone, median=alone.median * longer, min=alone.min * longer))
    return run_of(np.arange(HOSTS), (PASSES + TURNS) * HOSTS, {1 << 20: rows})


def _rows(times: NDArray[np.float64], attempt: int, turn: int, random: np.random.Generator) -> Rows:
    return rows_of_pairs(PAIRS, times, turn * HOSTS + PAIRS.sum(axis=1) % HOSTS, attempt, 0.005, random)


def _from(*hosts: int) -> Mask:
    """The links on which these send."""
    mask = np.zeros((HOSTS, HOSTS), bool)
    mask[list(hosts)] = True
    return mask


@pytest.mark.parametrize(
    ("mask", "direction", "slow"),
    [(_from(BAD), "send", "from it take 1.20x the time of those to it"),
     (_from(BAD).T, "receive", "to it take 1.20x the time of those from it")],
)  # fmt: skip
def test_it_is_named_with_the_direction_whatever_the_length_of_its_links(mask: Mask, direction: str, slow: str) -> None:
    (verdict,) = judge(_run(mask)).verdicts
    assert (verdict.kind, verdict.subject, verdict.symptom, verdict.direction) == ("host", ("n5",), "slow", direction)
    assert f"measured alone, messages {slow}, on 23 links" in verdict.evidence


def test_two_of_them_are_named_though_their_links_with_each_other_show_nothing() -> None:
    assert {one.subject for one in judge(_run(_from(BAD, 11))).verdicts} == {("n5",), ("n11",)}


@pytest.mark.parametrize("mask", [_from(), _from(*range(0, HOSTS, 2))])
def test_no_host_is_named_in_a_healthy_run_nor_where_half_of_all_send_more_slowly(mask: Mask) -> None:
    assert not judge(_run(mask)).verdicts


def test_what_some_links_of_a_host_show_is_not_the_host() -> None:
    some = _from(BAD)
    some[:, ::3] = False
    assert not any(one.kind == "host" for one in judge(_run(some)).verdicts)


def test_two_hosts_of_a_leaf_that_send_more_slowly_to_others_are_not_named() -> None:
    """Its uplinks may be slow in that direction."""
    up = _from(0, 1)
    up[:, :2] = False
    assert not any(one.kind == "host" for one in judge(_run(up), LEAVES).verdicts)
