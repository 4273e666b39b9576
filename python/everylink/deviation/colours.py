"""The colours of deviations: white is as expected, yellow to dark red is slower, blue is faster.

One scale for all reports, continuous between the steps. Lightness falls with every step on both sides, so the steps
can be told apart with protan, deutan and tritan sight, and in grey.
"""

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.scale import LEAST_KNOWN, MOST, NOT_MEASURED, STEPS, factors

SLOWER = ("#ffffff", "#fff3d1", "#fdb44e", "#e8701a", "#b3261e", "#3d0309")  # at 1 and at each of STEPS
FASTER = ("#ffffff", "#eaf3fa", "#a9cfe6", "#5d9fcb", "#2467a8", "#0a2a57")
UNKNOWN, INK, PAPER = "#d4d4d4", "#111111", "#ffffff"  # failed links are hatched, INK on PAPER


def rgb(colour: str) -> list[int]:
    """The bytes of `#rrggbb`."""
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _palette() -> NDArray[np.uint8]:
    codes = np.arange(NOT_MEASURED, MOST + 1)
    steps = np.log([1.0, *STEPS])
    logs = np.log(factors(np.maximum(codes, LEAST_KNOWN)))
    slower, faster = (np.array([rgb(colour) for colour in side], float) for side in (SLOWER, FASTER))
    found = np.stack(
        [
            np.where(logs >= 0, np.interp(logs, steps, slower[:, k]), np.interp(-logs, steps, faster[:, k]))
            for k in range(3)
        ],
        axis=1,
    )
    found[codes < LEAST_KNOWN] = rgb(UNKNOWN)
    return np.asarray(np.rint(found), np.uint8)


PALETTE = _palette()  # [256, 3], by code from NOT_MEASURED on
