"""What a load pattern measured: its scenes, and the flows that ran at the same time in each."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from everylink.model.rows import MISSING, Outcome

BULK, PING, PUT, GET = 0, 1, 2, 3  # kinds of flows


@dataclass(frozen=True)
class Scenes:
    """One entry per scene: message size, point of the sweep, variant, start in seconds, number of absent ranks."""

    bytes: NDArray[np.uint64]
    point: NDArray[np.uint32]
    variant: NDArray[np.uint8]
    began: NDArray[np.float64]
    gone: NDArray[np.uint32]


@dataclass(frozen=True)
class Flows:
    """One entry per flow of a scene: `messages` arrived in `seconds` on the receiver's clock.

    `sent_` has the same on the sender's clock. `n` to `max` are the one-way times of a ping in seconds.

    Of a PUT, from a server to a client, and a GET, the other way, `seconds` and `messages` are on the clock of the
    client, `sent_` on that of the server; `n` to `max` are from request to reply, and `service_` is the server's part.
    """

    scene: NDArray[np.uint32]
    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    outcome: NDArray[np.uint8]
    seconds: NDArray[np.float64]
    messages: NDArray[np.uint64]
    sent_seconds: NDArray[np.float64]
    sent_messages: NDArray[np.uint64]
    n: NDArray[np.uint32]
    min: NDArray[np.float32]
    median: NDArray[np.float32]
    mean: NDArray[np.float32]
    p99: NDArray[np.float32]
    max: NDArray[np.float32]
    service_mean: NDArray[np.float32] = field(metadata={MISSING: np.nan})
    service_median: NDArray[np.float32] = field(metadata={MISSING: np.nan})
    service_p99: NDArray[np.float32] = field(metadata={MISSING: np.nan})

    def __len__(self) -> int:
        return len(self.scene)

    @property
    def ok(self) -> NDArray[np.bool_]:
        return np.asarray(self.outcome == Outcome.OK)

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Neither ok, nor left unmeasured by a host."""
        return np.asarray((self.outcome != Outcome.OK) & (self.outcome != Outcome.LOCAL))


@dataclass(frozen=True, eq=False)
class Load:
    """One pattern of a results file; `point` says what its points are, `options` what the user chose.

    Ranks 0 to `servers` - 1 are servers.
    """

    name: str
    point: str
    variants: tuple[str, ...]
    options: str
    duration: float
    window: int
    scenes: Scenes
    flows: Flows
    servers: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """The message sizes of its scenes, ascending."""
        return tuple(np.unique(self.scenes.bytes).tolist())

    @property
    def rate(self) -> NDArray[np.float64]:
        """Bytes per second of each bulk flow that ended well; NaN for the others."""
        flows = self.flows
        sizes = self.scenes.bytes[flows.scene].astype(np.float64)
        known = flows.ok & (flows.kind == BULK) & (flows.seconds > 0)
        rate = np.full(len(flows), np.nan)
        rate[known] = (flows.messages * sizes)[known] / flows.seconds[known]
        return rate

    def variant_of(self, scene: int) -> str:
        """The word for the variant of a scene; empty if the pattern has only one."""
        variant = int(self.scenes.variant[scene])
        return self.variants[variant] if variant < len(self.variants) else f"variant {variant}"

    def rows_of_scenes(self) -> list[NDArray[np.intp]]:
        """The indices of each scene's flows."""
        order = np.argsort(self.flows.scene, kind="stable")
        bounds = np.searchsorted(self.flows.scene[order], np.arange(len(self.scenes.point) + 1))
        return [order[begin:end] for begin, end in pairwise(bounds.tolist())]
