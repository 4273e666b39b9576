"""The axes of diagrams: limits and ticks for sizes, counts, names, bandwidths and times."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from everylink.figure.canvas import bandwidth_ticks, time_ticks
from everylink.units import BINARY_PREFIXES, TIME_UNITS, bandwidth_text, size_text, tick_text, time_text

MOST_SIZES = 7  # ticks
MOST_NAMES = 24
MOST_COUNTS = 10
MOST_TICKS = 6
ROOM, ROOM_OVER_BARS = 1.1, 1.25  # limit of an axis / highest value
NARROWEST = 4.0  # a logarithmic axis spans at least this factor
CLOSEST = 0.01  # half of an axis that need not begin at 0 / its middle, at least: otherwise noise would fill it
WIDE = 16  # ratio of counts from which their axis is logarithmic


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, which are above 0 if it is logarithmic; `ticks`: values with their texts."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()
    is_log: bool = False


def size_axis(sizes: Sequence[int]) -> Axis:
    """A logarithmic axis of message sizes in bytes, ascending."""
    known = [size for size in sizes if size > 0] or [1]
    shown = known[:: -(-len(known) // MOST_SIZES)]
    ticks = tuple((float(size), size_text(size)) for size in shown)
    return Axis("message size", known[0] / 1.5, known[-1] * 1.5, ticks, is_log=True)


def count_axis(label: str, counts: Sequence[int]) -> Axis:
    """An axis of whole numbers, ascending; logarithmic if the range is wide."""
    first, last = counts[0], counts[-1]
    if first > 0 and last >= WIDE * first:
        powers = (2**power for power in range(64))
        return Axis(label, first / 1.2, last * 1.2, _whole([p for p in powers if first <= p <= last]), is_log=True)
    return place_axis(label, first, last)


def place_axis(label: str, first: int, last: int) -> Axis:
    """An axis of whole numbers at equal distances."""
    step, slack = max(1, -(-(last - first) // MOST_COUNTS)), max(0.5, 0.04 * (last - first))
    return Axis(label, first - slack, last + slack, _whole(range(first, last + 1, step)))


def names_axis(label: str, names: Sequence[str]) -> Axis:
    """An axis of things with these names, at 0, 1, 2, ..."""
    step = -(-len(names) // MOST_NAMES)
    ticks = tuple((float(i), names[i]) for i in range(0, len(names), max(1, step)))
    return Axis(label, -0.6, len(names) - 0.4, ticks)


def part_axis(label: str) -> Axis:
    """An axis of numbers from 0 to 1."""
    return Axis(label, 0.0, 1.05, tuple((part / 5, f"{part / 5:g}") for part in range(6)))


def rate_axis(label: str, highest: float, room: float = ROOM) -> Axis:
    """An axis of bandwidths in bytes/s, from 0 up."""
    return _rates(label, 0.0, room * highest) if highest > 0 else Axis(label, 0.0, 1.0)


def close_rate_axis(label: str, lowest: float, highest: float) -> Axis:
    """An axis of bandwidths in bytes/s that need not begin at 0, so that small differences show."""
    if not highest > 0:
        return Axis(label, 0.0, 1.0)
    middle = (highest + lowest) / 2
    half = ROOM * max((highest - lowest) / 2, CLOSEST * middle)
    return _rates(label, max(0.0, middle - half), middle + half)


def log_rate_axis(label: str, values: Sequence[float]) -> Axis:
    """A logarithmic axis for these bandwidths in bytes/s."""
    low, high = _limits(values)
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    powers = [2.0**power for power in range(first, last + 1, 1 + (last - first) // MOST_TICKS)]
    ticks = powers if len(powers) > 1 else bandwidth_ticks(low, high, MOST_TICKS).tolist()
    return Axis(label, low, high, tuple((tick, tick_text(bandwidth_text(tick))) for tick in ticks), is_log=True)


def time_axis(label: str, highest: float) -> Axis:
    """An axis of times in seconds, from 0 up."""
    if not highest > 0:
        return Axis(label, 0.0, 1.0)
    unit = next((scale for _, scale in reversed(TIME_UNITS) if scale <= highest), TIME_UNITS[0][1])
    ticks = _even(0.0, ROOM * highest, unit)
    return Axis(label, 0.0, ROOM * highest, tuple((t, tick_text(time_text(t)) if t else "0") for t in ticks))


def log_time_axis(label: str, values: Sequence[float]) -> Axis:
    """A logarithmic axis for these times in seconds."""
    low, high = _limits(values)
    ticks = time_ticks(low, high, MOST_TICKS).tolist()
    return Axis(label, low, high, tuple((tick, tick_text(time_text(tick))) for tick in ticks), is_log=True)


def _rates(label: str, low: float, high: float) -> Axis:
    unit = 1024.0 ** max(power for power in range(len(BINARY_PREFIXES)) if 1024**power <= max(high, 1))
    ticks = _even(low, high, unit)
    return Axis(label, low, high, tuple((t, tick_text(bandwidth_text(t)) if t else "0") for t in ticks))


def _even(low: float, high: float, unit: float) -> list[float]:
    """Values within the limits that are round in a unit, at equal distances."""
    values = np.asarray(MaxNLocator(MOST_TICKS, steps=[1, 2, 5, 10]).tick_values(low / unit, high / unit)) * unit
    return [float(value) for value in values if low <= value <= high]


def _whole(counts: Sequence[int]) -> tuple[tuple[float, str], ...]:
    return tuple((float(count), str(count)) for count in counts)


def _limits(values: Sequence[float]) -> tuple[float, float]:
    known = np.array([value for value in values if math.isfinite(value) and value > 0] or [1.0])
    low, high = float(known.min()) / 1.4, float(known.max()) * 1.4
    wider = max(1.0, math.sqrt(NARROWEST * low / high))
    return low / wider, high * wider
