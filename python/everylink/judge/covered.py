"""What a screening covered, as numbers and as a sentence."""

from dataclasses import dataclass

import numpy as np

from everylink.units import plural


@dataclass(frozen=True)
class Coverage:
    """Of a screening: `measured` of `hosts` hosts were, each `least` times or more, and `median` times in the median.

    `links`: the part of all pairs of hosts that was measured, so the chance that a single bad link between hosts that
    are well otherwise was among them. `ways`: those between two switches that have several hosts; `ways_measured` of
    them were, each `least_of_way` times or more; 0 where no switches are known.
    """

    hosts: int
    measured: int
    least: int
    median: int
    links: float
    ways: int = 0
    ways_measured: int = 0
    least_of_way: int = 0

    def __str__(self) -> str:
        which = "every host" if self.measured == self.hosts else f"{self.measured:,} of {self.hosts:,} hosts"
        times = f"{self.median:,} times" if self.least == self.median else f"{self.least:,} to {self.median:,} times"
        part = percent(self.links)
        text = f"{which} {times}; {part} of the links: a single bad link outside of suspects would be found with {part}"
        if self.ways:
            some = "all" if self.ways_measured == self.ways else f"{self.ways_measured:,} of"
            ways = f"{self.ways:,} way{'' if self.ways == 1 else 's'}"
            text += f"; {some} {ways} between two switches, each {plural(self.least_of_way, 'time')} or more"
        return text


def percent(part: float) -> str:
    """Three figures, and never more than is true: `0.0199 %`, `100 %`."""
    if not 0 < part < 1:
        return "100 %" if part > 0 else "0 %"
    digits = max(2 - int(np.floor(np.log10(100 * part))), 0)
    return f"{np.floor(100 * part * 10**digits) / 10**digits:g} %"
