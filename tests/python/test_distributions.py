"""The distributions agree with those of scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from everylink.distributions import (
    binomial_tail,
    equal_means_chance,
    few_runs_chance,
    normal_quantile,
    normal_tail,
    student_quantile,
    student_tail,
)

Z = np.r_[np.linspace(-38, 38, 500), -np.inf, np.inf, np.nan]
P = np.r_[1e-300, 1e-20, np.linspace(1e-6, 1 - 1e-9, 500)]


def test_the_normal_distribution() -> None:
    np.testing.assert_allclose(normal_tail(Z), stats.norm.sf(Z), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(normal_tail(np.tile(Z, 20)), np.tile(stats.norm.sf(Z), 20), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(normal_quantile(P), stats.norm.ppf(P), rtol=1e-12)
    np.testing.assert_allclose(normal_quantile(np.tile(P, 20)), np.tile(stats.norm.ppf(P), 20), rtol=1e-12)
    np.testing.assert_array_equal(normal_quantile([0, 1, -1, 2, np.nan]), [-np.inf, np.inf, np.nan, np.nan, np.nan])


@pytest.mark.parametrize("freedom", [1, 2.5, 30])
def test_student_t_distribution(freedom: float) -> None:
    np.testing.assert_allclose(student_tail(Z, freedom), stats.t.sf(Z, freedom), rtol=1e-9)
    np.testing.assert_allclose(student_quantile(P[2:], freedom), stats.t.ppf(P[2:], freedom), rtol=1e-9)


def test_the_binomial_distribution_also_beyond_its_range() -> None:
    trials, least = (grid.ravel() for grid in np.meshgrid(np.arange(1, 60), np.arange(-2, 63)))
    for rate in (1e-5, 0.1, 0.5):
        np.testing.assert_allclose(
            binomial_tail(least, trials, rate), stats.binom.sf(least - 1, trials, rate), rtol=1e-9
        )


def test_the_analysis_of_variance() -> None:
    groups = [np.array([1.0, 1.2, 0.9]), np.array([1.1, 1.4, 1.3, 1.2]), np.array([0.7, 1.0])]
    assert equal_means_chance(groups) == pytest.approx(stats.f_oneway(*groups).pvalue, rel=1e-9)


def test_few_changes_between_two_states_are_as_rare_as_in_shuffled_ones() -> None:
    states = np.arange(60) < 20
    random = np.random.default_rng(1)
    runs = [1 + int(np.diff(random.permutation(states)).sum()) for _ in range(20_000)]
    for changes in (18, 22, 26):
        made = np.tile([True, False], changes // 2)
        made = np.r_[np.repeat(made[:1], 21 - changes // 2), made[1:], np.repeat(made[-1:], 40 - changes // 2)]
        assert (made.sum(), 1 + np.diff(made).sum()) == (20, changes)
        assert few_runs_chance(made) == pytest.approx(np.mean(np.array(runs) <= changes), abs=0.02)
    assert few_runs_chance(np.arange(9) < 1) == 1
