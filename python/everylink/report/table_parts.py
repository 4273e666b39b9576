"""What the tables of `everylink export` have in common: heads, units, and bandwidths in MiB/s."""

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.formats.table import Column
from everylink.report.words import kernel_text, mode_text, plural
from everylink.results import Results, Size
from everylink.units import bandwidth, size_text

MIB = 2**20


def head(results: Results, size: Size, what: str) -> tuple[str, ...]:
    facts = results.facts
    where = f"{plural(facts.ranks, 'rank')} on {plural(facts.hosts, 'host')}"
    return (
        f"{what}: {results.path.name}, {where}, mode {mode_text(results)}, {kernel_text(results)}, "
        f"messages of {size_text(size.bytes)} ({size.bytes} bytes)",
        f"time: one-way, the median of each link; {results.bandwidth_label}: 1 MiB/s is {MIB} bytes a second",
    )


def rate_unit(results: Results) -> str:
    return "(MiB/s, both directions)" if results.directions == 2 else "(MiB/s)"


def time_and_rate(results: Results, before: str = "") -> tuple[Column, Column]:
    return Column(f"{before}time (s)", ".8e"), Column(f"{before}bandwidth {rate_unit(results)}", ".8g")


def rates(results: Results, size: Size, seconds: NDArray[np.floating]) -> NDArray[np.float64]:
    return bandwidth(size.bytes, seconds, results.directions) / MIB


def need_bandwidth(size: Size) -> None:
    """Raise UserMistake for messages that carry nothing."""
    if size.bytes == 0:
        raise UserMistake("messages of 0 bytes have no bandwidth")
