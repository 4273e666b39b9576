"""Order statistics of the rows of a matrix, of which some values are not known."""

import numpy as np
import pytest

from everylink.robust import LOW, lower_quantiles, row_medians, upper_spread


@pytest.mark.parametrize("known", [1.0, 0.6, 0.01])
@pytest.mark.parametrize("levels", [5, 10**6])
def test_order_statistics_of_rows_are_those_of_their_known_values(known: float, levels: int) -> None:
    rng = np.random.default_rng(7)
    matrix = (rng.integers(0, levels, (700, 2000)) / 8).astype(np.float32)  # more than one block of rows
    matrix[rng.random(matrix.shape) >= known] = np.nan
    matrix[[3, 400]] = np.nan
    rows = [np.sort(row[np.isfinite(row)]) for row in matrix]
    medians, counts = row_medians(matrix)
    low, links = lower_quantiles(matrix)
    assert counts.tolist() == links.tolist() == [len(row) for row in rows]
    np.testing.assert_array_equal(medians, [np.median(row) if len(row) else np.nan for row in rows])
    np.testing.assert_array_equal(low, [row[int((len(row) - 1) * LOW)] if len(row) else np.nan for row in rows])


def test_a_matrix_without_rows_has_no_order_statistics() -> None:
    medians, counts = row_medians(np.zeros((0, 4), np.float32))
    assert len(medians) == len(counts) == 0


@pytest.mark.parametrize("slow", [0, 60, 200])
def test_the_spread_above_the_median_is_that_of_the_healthy_even_if_a_third_is_slow(slow: int) -> None:
    healthy = np.random.default_rng(slow).normal(0, 0.02, 600)
    healthy[healthy < 0] /= 10  # quick ones hide in what their slower partners take
    spread = upper_spread(np.concatenate([healthy[slow:], np.full(slow, 0.5)]))
    assert 0.015 < spread < 0.15


def test_a_few_values_have_no_spread_above_the_median() -> None:
    assert upper_spread(np.array([0.0, 0.0, 0.0, 0.5])) == 0
