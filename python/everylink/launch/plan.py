"""Plans what `everylink check` measures, so that it fits into a time: from a short first run over the same ranks."""

from dataclasses import dataclass

import numpy as np

from everylink.model.results import Results
from everylink.model.rows import Outcome
from everylink.units import duration_text

SIZES = "8,64KiB,1MiB"  # latency, the usual message of applications, bandwidth
FIRST = ("-n", "5", "-w", "1", "--schedule", "sample:1", "--num-slowest", "0", "--retest-budget", "0")
FEWEST_MESSAGES, MOST_MESSAGES = 5, 100
TIME_OF_MESSAGES = 0.05  # seconds per pair, direction and size
WARMUPS = 2
PART = 0.5  # of the time: the rest is for starting, confirming and judging
PER_STEP, PER_RANK = 3e-3, 3e-4  # seconds of a step beside its messages (docs/scale.md)
FEWEST_PARTNERS = 3  # of a rank: fewer do not tell a slow host from a slow link
FEW = 0.25  # part of all others: with fewer partners ranks are screened


@dataclass(frozen=True)
class Plan:
    """`messages` per pair and direction, of each size; `partners` of each rank, of `ranks` - 1; `seconds` expected.

    `too_short`: a sentence where not even one step fits into the time; it is measured all the same.
    """

    ranks: int
    messages: tuple[int, ...]
    partners: int
    seconds: float
    too_short: str = ""

    @property
    def is_screening(self) -> bool:
        """Whether each rank meets few others, and what looks slow is looked for from there on."""
        return self.partners < FEW * (self.ranks - 1)

    @property
    def is_complete(self) -> bool:
        """Whether every pair is measured."""
        return self.partners >= self.ranks - 1

    @property
    def core_options(self) -> list[str]:
        name = "screen" if self.is_screening else "sample"
        schedule = [] if self.is_complete else ["--schedule", f"{name}:{self.partners}"]
        return [
            "-s",
            SIZES,
            "-n",
            ",".join(map(str, self.messages)),
            "-w",
            str(WARMUPS),
            "--num-slowest",
            "0",
            *schedule,
        ]

    @property
    def text(self) -> str:
        pairs = "all pairs" if self.is_complete else f"{self.partners} partners per rank"
        *smaller, largest = map(str, self.messages)
        messages = f"{', '.join(smaller)} and {largest} messages of {SIZES.replace(',', ', ')}"
        return f"{pairs}, {messages}: about {duration_text(self.seconds)}, and longer if something looks slow"


def plan_of(first: Results, ranks: int, within: float) -> Plan:
    """The plan for this number of ranks that fits into `within` seconds, by the times of a first run (FIRST)."""
    times = [_typical(first, size) for size in range(len(first.sizes))]
    messages = tuple(_messages(time) for time in times)
    both_ways = sum(4 * (number + WARMUPS) * time for number, time in zip(messages, times, strict=True))  # and back
    step = PER_STEP + PER_RANK * ranks + both_ways
    complete = ranks - 1 + ranks % 2
    fit = int(PART * within / step)
    partners = min(complete, max(FEWEST_PARTNERS if fit else 1, fit))
    too_short = ""
    if not fit:
        too_short = (
            f"--within {within:g} is too short: one step of all ranks takes about {duration_text(step)}, more than "
            "half of that; each rank met one other only"
        )
    return Plan(ranks, messages, partners, partners * step, too_short)


def _messages(time: float) -> int:
    """As many messages of this one-way time as go there and back in TIME_OF_MESSAGES, within the limits."""
    return round(min(max(TIME_OF_MESSAGES / (2 * time), FEWEST_MESSAGES), MOST_MESSAGES))


def _typical(first: Results, size: int) -> float:
    """The median one-way time of the links that worked; TIME_OF_MESSAGES if none did."""
    links = first.sizes[size].links
    worked = links.median[links.outcome == Outcome.OK]
    return float(np.median(worked)) if len(worked) else TIME_OF_MESSAGES
