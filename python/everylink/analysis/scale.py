"""Limits for a logarithmic colour scale that a few outliers cannot flatten."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REACH = 3.0  # quartile distances beyond the quartiles that still count as the bulk of the links
NARROWEST = 1.25  # the scale spans at least this factor, so that noise alone does not fill it


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale from `low` to `high` seconds; `min` and `max` are the true ends of the data."""

    low: float
    high: float
    min: float
    max: float

    def position(self, seconds: NDArray[np.floating]) -> NDArray[np.float64]:
        """Where times lie on the scale: 0 low, 1 high, clipped; NaN stays NaN."""
        with np.errstate(divide="ignore", invalid="ignore"):
            place = np.log(np.asarray(seconds, np.float64) / self.low) / np.log(self.high / self.low)
        return np.asarray(np.clip(place, 0.0, 1.0))


def robust_scale(seconds: NDArray[np.floating]) -> Scale | None:
    """The scale for the known, positive times; None where there is none."""
    known = seconds[np.isfinite(seconds) & (seconds > 0)].astype(np.float64)
    if not len(known):
        return None
    q1, middle, q3 = np.quantile(np.log(known), (0.25, 0.5, 0.75))
    reach = REACH * (q3 - q1)
    low = max(np.exp(q1 - reach), known.min())
    high = min(np.exp(q3 + reach), known.max())
    if high < low * NARROWEST:
        slack = np.sqrt(NARROWEST)
        low, high = np.exp(middle) / slack, np.exp(middle) * slack
    return Scale(float(low), float(high), float(known.min()), float(known.max()))
