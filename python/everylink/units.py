"""Converts numbers with units to text, and text to bytes and bytes per second. No other module does."""

import math
import re
import time
from typing import overload

import numpy as np
from numpy.typing import NDArray

TIME_UNITS = (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0))
BINARY_PREFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
UNKNOWN = "-"
NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
BYTES = {
    "": 1, "B": 1, "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40,
}  # fmt: skip
BYTES_A_SECOND = {
    "Mb/s": 1e6 / 8, "Gb/s": 1e9 / 8, "Tb/s": 1e12 / 8, "MB/s": 1e6, "GB/s": 1e9, "MiB/s": 2**20, "GiB/s": 2**30,
}  # fmt: skip
SIZE = re.compile(NUMBER + r"\s*([kKMGT]B|B|)")
BINARY_SIZE = re.compile(NUMBER + r"\s*([kmgt])(?:ib)?", re.IGNORECASE)  # K is KiB, as in LinkTest
RATE = NUMBER + r"\s*([MGT]b/s|[MG]B/s|[MG]iB/s)"
LARGEST_SIZE = 2**62
MOST_DECIMALS = 9
LONGEST_TIME = 1e9  # seconds; above, digits are counted only


def time_text(seconds: float, digits: int = 4) -> str:
    """A time in the most readable unit, `11.54 us`; `-` if unknown."""
    if not math.isfinite(seconds):
        return UNKNOWN
    if abs(seconds) >= LONGEST_TIME:
        return f"{seconds:.{digits - 1}e} s"
    for unit, scale in TIME_UNITS:
        number = _significant(seconds / scale, digits)
        if float(number) < 1000 or unit == "s":
            return f"{number} {unit}"
    raise AssertionError("unreachable: the last unit takes every time")


def utc_text(seconds: float) -> str:
    """Seconds since 1970 as in results files: 2026-11-21T21:42:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def number_text(value: float, digits: int = 4) -> str:
    """A number without unit, `11.54`; `-` if unknown."""
    if not math.isfinite(value):
        return UNKNOWN
    if 0 < abs(value) < 1:
        return f"{value:.{min(digits - math.floor(math.log10(abs(value))) - 1, MOST_DECIMALS)}f}"
    return _significant(value, digits)


def bandwidth_text(bytes_per_second: float, digits: int = 4) -> str:
    """A bandwidth in the most readable binary unit, `20.96 GiB/s`; `-` if unknown."""
    if not math.isfinite(bytes_per_second):
        return UNKNOWN
    for power, prefix in enumerate(BINARY_PREFIXES):
        number = _significant(bytes_per_second / 1024**power, digits)
        if float(number) < 1024 or prefix == BINARY_PREFIXES[-1]:
            return f"{number} {prefix}B/s"
    raise AssertionError("unreachable: the last unit takes every bandwidth")


def size_text(size_bytes: int) -> str:
    """An exact size in the largest binary unit that divides it, `64 KiB`."""
    power = 0
    while power + 1 < len(BINARY_PREFIXES) and size_bytes and size_bytes % 1024 ** (power + 1) == 0:
        power += 1
    return f"{size_bytes // 1024**power} {BINARY_PREFIXES[power]}B"


def about_bytes_text(size_bytes: float) -> str:
    """An approximate size of three digits, `12.3 MiB`."""
    return bandwidth_text(size_bytes, digits=3).removesuffix("/s")


def tick_text(text: str) -> str:
    """The same number and unit without trailing zeros, `8 us` for `8.00 us`."""
    number, unit = text.split(" ", 1)
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def duration_text(seconds: float) -> str:
    """A duration, `2 h 05 min`, `3 min 20 s`, `12 s`."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"


def parsed_size(text: str) -> int:
    """Bytes of a size in the notation of everylink-measure: `17`, `64K`, `64KiB`, `2GB`. Raises ValueError."""
    size = math.nan
    if match := SIZE.fullmatch(text.strip()):
        size = float(match[1]) * BYTES[match[2]]
    elif match := BINARY_SIZE.fullmatch(text.strip()):
        size = float(match[1]) * BYTES[match[2].lower()]
    if math.isnan(size):
        raise ValueError(f"invalid size '{text}'; use 17, 64K, 64KiB (65536 bytes), 1MiB or 2GB")
    if size > LARGEST_SIZE or size != int(size):
        raise ValueError(f"'{text}' is not a whole number of bytes")
    return int(size)


def parsed_rate(text: str) -> float:
    """Bytes per second of a bandwidth, `100Gb/s`, `11.64GiB/s`. Raises ValueError with the reason."""
    match = re.fullmatch(RATE, text.strip())
    rate = float(match[1]) * BYTES_A_SECOND[match[2]] if match else 0.0
    if not 0 < rate < math.inf:
        raise ValueError(f"'{text}' is not a bandwidth above 0; use 100Gb/s, 12.5GB/s or 11.64GiB/s")
    return rate


@overload
def bandwidth(size_bytes: int, seconds: float, directions: int) -> float: ...


@overload
def bandwidth(size_bytes: int, seconds: NDArray[np.floating], directions: int) -> NDArray[np.float64]: ...


def bandwidth(size_bytes: int, seconds: float | NDArray[np.floating], directions: int) -> float | NDArray[np.float64]:
    """Bytes per second of a one-way time; `directions` is 2 for the bidirectional kernel. 0 s gives NaN."""
    times = np.asarray(seconds, dtype=np.float64)
    rate = directions * size_bytes / np.where(times > 0, times, np.nan)
    return rate if times.ndim else float(rate)


def _significant(value: float, digits: int) -> str:
    """The value with `digits` significant digits, never with an exponent."""
    if value == 0:
        return "0"
    whole = math.floor(math.log10(abs(value))) + 1
    text = f"{value:.{max(0, digits - max(whole, 1))}f}"
    grew = abs(float(text)) >= 10 ** max(whole, 1)
    return f"{value:.{max(0, digits - max(whole, 1) - 1)}f}" if grew else text


def plural(count: int, noun: str) -> str:
    """`1 host`, `2 hosts`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
