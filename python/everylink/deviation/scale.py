"""Deviations as numbers of one byte: the log of measured / expected time, in steps of 1.26 %."""

import numpy as np
from numpy.typing import NDArray

PER_LOG = 80  # numbers per unit of the natural logarithm
MOST = 127  # 4.9 times as long as expected, or more; -126: 4.8 times as short, or less
FAILED, NOT_MEASURED = -127, -128
LEAST_KNOWN = -126
Codes = NDArray[np.int8]
STEPS = (1.05, 1.25, 1.5, 2.0, 4.0)  # factors at which the colours of every report and terminal change


def coded(deviation: NDArray[np.floating]) -> Codes:
    """The codes of logs of measured / expected time, same shape; NaN is NOT_MEASURED."""
    known = np.isfinite(deviation)
    rounded = np.clip(np.rint(np.where(known, deviation, 0) * PER_LOG), LEAST_KNOWN, MOST)
    return np.where(known, rounded, NOT_MEASURED).astype(np.int8)


def factors(codes: NDArray[np.integer]) -> NDArray[np.float64]:
    """Measured / expected time, same shape; NaN where a link failed or was not measured."""
    return np.where(has_time(codes), np.exp(codes.astype(np.float64) / PER_LOG), np.nan)


def has_time(codes: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which codes are of a time, same shape."""
    return np.asarray(codes >= LEAST_KNOWN)


def code_of(factor: float) -> int:
    """The code of a factor."""
    return int(coded(np.log(np.array(factor)))[()])


def between(low: NDArray[np.integer], high: NDArray[np.integer]) -> NDArray[np.int8]:
    """The codes of the mean of two times each, same shape."""
    middle = np.array(low, np.int8)
    differ = np.flatnonzero(low != high)
    times = (np.exp(codes.ravel()[differ] / PER_LOG) for codes in (low, high))
    middle.ravel()[differ] = np.rint(np.log(sum(times) / 2) * PER_LOG)
    return middle
