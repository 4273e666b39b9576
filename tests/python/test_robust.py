"""Order statistics of the rows of a matrix, of which some values are not known."""

import numpy as np
import pytest

from everylink.robust import LOW, lower_quantiles, row_medians

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("known", [1.0, 0.6, 0.01])
@pytest.mark.parametrize("levels", [5, 10**6])
def test_order_statistics_of_rows_are_those_of_their_known_values(known: float, levels: int) -> None:
    matrix = (RNG.integers(0, levels, (700, 2000)) / 8).astype(np.float32)  # more than one block of rows
    matrix[RNG.random(matrix.shape) >= known] = np.nan
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
