"""Text of times, bandwidths and sizes: in the most readable unit, always labelled, with a fixed number of digits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everylink.units import bandwidth, bandwidth_text, duration_text, size_text, tick_text, time_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ns"),
        (5e-10, "0.500 ns"),
        (1.1654e-5, "11.65 us"),
        (9.9996e-4, "1.000 ms"),
        (9.9994e-4, "999.9 us"),
        (1.5, "1.500 s"),
        (86400.0, "86400 s"),
        (1e300, "1.000e+300 s"),
        (math.nan, "-"),
        (math.inf, "-"),
    ],
)
def test_a_time_is_shown_in_its_best_unit(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1.0, "1.000 B/s"), (1023.96, "1.000 KiB/s"), (2**20, "1.000 MiB/s"), (20.9579 * 2**30, "20.96 GiB/s")],
)
def test_a_bandwidth_is_shown_in_binary_units(rate: float, text: str) -> None:
    assert bandwidth_text(rate) == text


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1, "1 B"), (1000, "1000 B"), (65536, "64 KiB"), (3 * 2**30, "3 GiB")]
)
def test_a_size_is_shown_exactly(size: int, text: str) -> None:
    assert size_text(size) == text


def test_the_bidirectional_kernel_moves_two_messages_in_a_one_way_time() -> None:
    assert bandwidth(65536, 1e-5, directions=2) == 2 * bandwidth(65536, 1e-5, directions=1)
    assert np.isnan(bandwidth(65536, np.array([np.nan, 0.0]), directions=1)).all()


def test_ticks_have_no_trailing_zeros_and_durations_are_readable() -> None:
    assert [tick_text(t) for t in ("8.00 us", "100 us", "1.25 s")] == ["8 us", "100 us", "1.25 s"]
    assert [duration_text(t) for t in (2.34, 75, 3725)] == ["2.3 s", "1 min 15 s", "1 h 02 min"]


@given(st.floats(1e-9, 1e5))
def test_a_shown_time_is_exact_to_its_digits(seconds: float) -> None:
    number, unit = time_text(seconds).split()
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
    assert float(number) * scale == pytest.approx(seconds, rel=6e-4)
