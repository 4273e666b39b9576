"""A results file as one frozen dataclass of arrays, whichever format it has."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import NotEnoughMemory
from everylink.memory import require_memory
from everylink.model.inventory import NO_INVENTORY, Inventory
from everylink.model.links import Links, newest, pool
from everylink.model.loads import Load
from everylink.model.outcomes import Outcomes, outcomes
from everylink.model.rows import FAILED_AGAIN, MAIN, MISSING, ORDER, RETEST, Outcome, Rows

UNKNOWN = "unknown"  # a fact that a file does not have
UNKNOWN_COUNT = -1
LINK_BYTES = 150  # of memory that pooling takes for each row


@dataclass(frozen=True)
class Facts:
    """What was chosen for the run, named as in the file; times in seconds."""

    created: str
    tool_version: str
    command: str
    transport: str
    transport_options: str
    bootstrap: str
    memory: str
    kernel: str
    schedule: str
    serial: bool
    seed: int
    ranks: int
    hosts: int
    messages: int
    warmups: int
    window: int
    buffers: int
    check: bool
    randomize: int
    min_iterations: int
    min_runtime: float
    time_limit: float
    num_slowest: int
    all_to_all: bool
    pinned: bool
    complete: bool
    one_sided: str = ""  # what puts and gets, in a run of those; these five are missing in older files
    run_id: str = ""
    interrupted: bool = False
    ended: str = ""  # ISO 8601, empty as long as the run goes on, and after a kill
    failed_not_retried: int = 0


@dataclass(frozen=True)
class Ranks:
    """One entry per rank: all columns have length N."""

    host: tuple[str, ...]
    host_index: NDArray[np.uint32]
    local_rank: NDArray[np.uint32]
    cores: tuple[str, ...]
    numa: NDArray[np.int32]
    device: tuple[str, ...]
    address: tuple[str, ...]
    lanes: tuple[str, ...]
    libraries: tuple[str, ...]
    numa_distance: NDArray[np.int32] = field(metadata={MISSING: -1})
    adapters: NDArray[np.int32] = field(metadata={MISSING: 0})
    crowded: NDArray[np.uint8] = field(metadata={MISSING: 0})
    topology_address: tuple[str, ...] = field(metadata={MISSING: ""})
    topology_pattern: tuple[str, ...] = field(metadata={MISSING: ""})
    gpu: NDArray[np.int32] = field(metadata={MISSING: -1})  # whose memory held the messages; -1: none
    gpu_name: tuple[str, ...] = field(metadata={MISSING: ""})
    gpu_pci: tuple[str, ...] = field(metadata={MISSING: ""})
    gpu_uuid: tuple[str, ...] = field(metadata={MISSING: ""})
    gpu_to_device: tuple[str, ...] = field(metadata={MISSING: ""})  # PIX, PXB, PHB, NODE, SYS
    gpu_path: tuple[str, ...] = field(metadata={MISSING: ""})  # staged, direct

    def __len__(self) -> int:
        return len(self.host)

    def name(self, rank: int) -> str:
        """`host:rank`, the rank counted over the whole run. A rank whose messages lie in memory of a GPU is named
        after that: `host:gpu2`, or `host:gpu2/5` where those of other ranks lie there, too."""
        return f"{self.host[rank]}:{self.ends[rank]}"

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """What names each rank on its host."""
        if not self.in_memory_of_gpus:
            return tuple(map(str, range(len(self))))
        places = list(zip(self.host_index.tolist(), self.gpu.tolist(), strict=True))
        served = Counter(places)
        return tuple(
            str(rank) if place[1] < 0 else f"gpu{place[1]}" + (f"/{rank}" if served[place] > 1 else "")
            for rank, place in enumerate(places)
        )

    @property
    def in_memory_of_gpus(self) -> bool:
        """Whether messages of any rank lay in memory of a GPU, or in memory that it sees."""
        return bool((self.gpu >= 0).any())

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each rank by its name."""
        return {self.name(rank): rank for rank in range(len(self))}

    def names_of_hosts(self) -> list[str]:
        """The name of each host by its index, as its first rank gives it; two hosts may have the same."""
        names = [""] * (int(self.host_index.max()) + 1)
        for rank in range(len(self) - 1, -1, -1):
            names[int(self.host_index[rank])] = self.host[rank]
        return names


@dataclass(frozen=True)
class Steps:
    """One entry per step; `began` in seconds, `overlap` 1 where all pairs of the step ran at the same time."""

    iteration: NDArray[np.uint32]
    seed: NDArray[np.uint64]
    began: NDArray[np.float64]
    overlap: NDArray[np.float32]
    gone: NDArray[np.uint32]


@dataclass(frozen=True)
class LocalFaults:
    """What the hosts of ranks lacked, so that links could not be measured: one entry per rank and cause."""

    rank: NDArray[np.uint32]
    cause: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.cause)


def entries_of(table: Ranks | Steps | LocalFaults) -> dict[str, Any]:
    """Its columns by name, without what is derived from them."""
    return {field.name: getattr(table, field.name) for field in fields(table)}


NO_LOCAL_FAULTS = LocalFaults(np.zeros(0, np.uint32), ())


@dataclass(frozen=True)
class Size:
    """All that was measured with messages of one size."""

    bytes: int
    rounds_per_lap: int
    ranks: int
    rows: Rows
    messages: int | None = None  # per turn, as requested; None: those of the run

    @cached_property
    def links(self) -> Links:
        """One entry per link, its main rows pooled. Raises NotEnoughMemory where there are too many."""
        require_memory(LINK_BYTES * len(self.rows), f"to pool the {len(self.rows):,} rows of a size")
        return pool(self.rows, self.ranks)

    @cached_property
    def outcomes(self) -> Outcomes:
        """The outcome of each link; much smaller than `links`."""
        return outcomes(self.rows, self.ranks)

    @cached_property
    def measured_once(self) -> bool:
        """Whether no link has two rows of the main run, so that rows are links."""
        rows = 0
        for attempt, outcome in self.rows.blocks("attempt", "outcome"):
            rows += int(np.count_nonzero((attempt == MAIN) & (outcome != Outcome.LOCAL)))
        return rows == self.outcomes.links

    @cached_property
    def retests(self) -> Links:
        """The newest retest of each link that was measured again."""
        return newest(self.rows, self.ranks, RETEST)

    @cached_property
    def alone(self) -> Links:
        """The newest attempt alone of each link that had failed."""
        return newest(self.rows, self.ranks, FAILED_AGAIN)


@dataclass(frozen=True, eq=False)
class Results:
    """A whole results file in memory; `sizes` in ascending order.

    A run of a load pattern has `loads` and no sizes.

    `remarks` are sentences of the run itself; `rows_from_parts` were written beside the file by single ranks, and
    `parts_left_out` has one sentence for each of their files, and for each region of the results file, that is left
    out because it is damaged.

    `read_inventory` reads what hosts said of themselves, on first use, since most questions do without.
    """

    path: Path
    facts: Facts
    ranks: Ranks
    steps: Steps
    sizes: tuple[Size, ...]
    remarks: tuple[str, ...] = ()
    rows_from_parts: int = 0
    parts_left_out: tuple[str, ...] = ()
    loads: tuple[Load, ...] = ()
    local_faults: LocalFaults = NO_LOCAL_FAULTS
    read_inventory: Callable[[], Inventory] = lambda: NO_INVENTORY

    @cached_property
    def inventory(self) -> Inventory:
        """Facts and counters of the hosts; empty in older files. Raises FileDamaged."""
        return self.read_inventory()

    @property
    def left_out(self) -> tuple[str, ...]:
        """`parts_left_out`, and a sentence about an inventory that is damaged. Raises FileDamaged."""
        try:
            return (*self.parts_left_out, *filter(None, [self.inventory.left_out]))
        except NotEnoughMemory:
            return self.parts_left_out

    @cached_property
    def is_confirmed(self) -> bool:
        """Whether suspects were measured again (`--confirm`)."""
        attempts = (attempt for size in self.sizes for (attempt,) in size.rows.blocks("attempt"))
        return any(bool((attempt == ORDER).any()) for attempt in attempts)

    @property
    def directions(self) -> int:
        """Messages that share a one-way time: 2 with the bidirectional kernel, 1 with an unknown one."""
        return 2 if self.facts.kernel == "bidirectional" else 1

    @property
    def possible_directions(self) -> tuple[int, ...]:
        """What `directions` may be: 1 and 2 with an unknown kernel, so that a time has two readings as bandwidth."""
        return (1, 2) if self.facts.kernel == UNKNOWN else (self.directions,)

    @property
    def bandwidth_label(self) -> str:
        """The label of this run's bandwidths, where every reading is shown."""
        if self.facts.kernel == UNKNOWN:
            return "bandwidth, the second if bidirectional"
        return "bandwidth, both directions" if self.directions == 2 else "bandwidth"

    @property
    def single_bandwidth_label(self) -> str:
        """The label of this run's bandwidths, where only that of `directions` is shown."""
        if self.facts.kernel == UNKNOWN:
            return "bandwidth, twice that if bidirectional"
        return self.bandwidth_label

    @property
    def overlap(self) -> float:
        """The median step's overlap; NaN before the first step."""
        known = self.steps.overlap[np.isfinite(self.steps.overlap)]
        return float(np.median(known)) if len(known) else float("nan")
