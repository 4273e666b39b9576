"""Ranks of one host are compared with ranks on cores that are alike."""

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.profiles import beyond_equals

CORES, CLUSTER = 32, 8
NEAR, FAR, SLOW = 20e-9, 90e-9, 1.3


def processor(noise: float = 0.01) -> NDArray[np.float32]:
    """Log seconds between cores in clusters of eight, of which the last one is further from everything."""
    cluster = np.arange(CORES) // CLUSTER
    seconds = np.where(cluster[:, None] == cluster[None, :], NEAR, FAR)
    seconds = np.where((cluster[:, None] == 3) | (cluster[None, :] == 3), 1.2 * seconds, seconds)
    upper = np.triu(np.random.default_rng(1).normal(0, noise, seconds.shape), 1)
    times = np.log(seconds) + upper + upper.T
    np.fill_diagonal(times, np.nan)
    return times.astype(np.float32)


def test_cores_that_are_further_from_all_others_are_equals_of_each_other() -> None:
    beyond = beyond_equals(processor(), 0.01)
    assert beyond is not None
    assert (beyond.effect < 0.05).all()


@pytest.mark.parametrize("core", [0, 11, 30])
def test_a_slow_core_lies_above_its_equals(core: int) -> None:
    times = processor()
    times[core] += np.log(SLOW)
    times[:, core] += np.log(SLOW)
    beyond = beyond_equals(times, 0.01)
    assert beyond is not None
    assert int(np.argmax(beyond.effect / beyond.error)) == core
    assert np.exp(beyond.effect[core]) == pytest.approx(SLOW, rel=0.05)
    assert (np.delete(beyond.effect, core) < 0.05).all()


def test_too_few_ranks_or_links_are_not_compared() -> None:
    assert beyond_equals(processor()[:7, :7], 0.01) is None
    sparse = processor()
    sparse[::2, 1::2] = sparse[1::2, ::2] = np.nan
    sparse[::4, ::2] = np.nan
    assert beyond_equals(sparse, 0.01) is None
