"""A4 pages measured in pixels of 100 dpi from the top left, and round tick values for axes."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from everylink.units import BINARY_PREFIXES, TIME_UNITS

DPI = 100
WIDTH, HEIGHT = 827, 1169
LEFT, RIGHT = 45, 782
INK, PALE_INK, ALARM = "#1a1a1a", "#6b6b6b", "#c00060"
SMALL, LETTER = 6.8, 0.76  # a size of letters; pixels that a letter of size 1 is wide, on average
WIDE = 12.0  # ratio of limits from which ticks are 1, 2 and 5 of each decade


def blank_page() -> Figure:
    """An empty A4 page."""
    return Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)


def axes_at(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes with this box, in pixels."""
    return figure.add_axes((left / WIDTH, 1 - (top + height) / HEIGHT, width / WIDTH, height / HEIGHT))


def write(figure: Figure, x: float, y: float, text: str, **style: Any) -> None:
    """Write text at a pixel: left end and baseline unless the style says otherwise. `$` is only a dollar sign."""
    options: dict[str, Any] = {"fontsize": 8, "color": INK, "ha": "left", "va": "baseline", "parse_math": False} | style
    figure.text(x / WIDTH, 1 - y / HEIGHT, text, **options)


def write_within(figure: Figure, x: float, y: float, text: str, width: float) -> None:
    """Write text in smaller letters where it is wider than these pixels."""
    write(figure, x, y, text, fontsize=min(SMALL, width / (LETTER * max(len(text), 1))))


def shortened(name: str, most: int) -> str:
    """Shorten a name to its end, where host names differ."""
    return name if len(name) <= most else "…" + name[1 - most :]


def beginning(text: str, most: int) -> str:
    """Shorten a text to its beginning."""
    return text if len(text) <= most else text[: most - 1] + "…"


def time_ticks(low: float, high: float, most: int) -> NDArray[np.float64]:
    """Round times within the limits, seconds."""
    unit = next((scale for _, scale in reversed(TIME_UNITS) if scale <= low), TIME_UNITS[0][1])
    return round_ticks(low / unit, high / unit, most) * unit


def bandwidth_ticks(low: float, high: float, most: int) -> NDArray[np.float64]:
    """Bandwidths within the limits that are round in their binary unit, bytes per second."""
    power = max(p for p in range(len(BINARY_PREFIXES)) if 1024**p <= max(low, 1))
    return round_ticks(low / 1024**power, high / 1024**power, most) * float(1024**power)


def round_ticks(low: float, high: float, most: int) -> NDArray[np.float64]:
    """Round values within the limits, spaced for `most` of them on a logarithmic axis; the limits if fewer than two."""
    if high / low >= WIDE:
        decades = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        values = np.sort(np.concatenate([10.0**decades * step for step in (1, 2, 5)]))
        ranks = [0 if np.isclose(np.log10(v) % 1, (0, 1)).any() else 1 for v in values]
    else:
        values = np.asarray(MaxNLocator(2 * most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high))
        ranks = [0] * len(values)
    inside = [(rank, v) for rank, v in zip(ranks, values, strict=True) if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    apart = np.log(high / low) / most
    kept: list[float] = []
    for _, value in sorted(inside):
        if all(abs(np.log(value / other)) >= apart for other in kept):
            kept.append(float(value))
    return np.array(sorted(kept) if len(kept) > 1 else [low, high])


def rate_steps(highest: float) -> list[float]:
    """Round steps in the binary unit of a bandwidth, ascending, bytes per second."""
    power = max(p for p in range(6) if 1024**p <= max(highest, 1))
    return [step * 10.0**tens * 1024.0**power for tens in range(-2, 6) for step in (1, 2, 5)]
