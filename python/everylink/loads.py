"""What a load pattern measured: its scenes, and the flows that ran at the same time in each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links import Outcome

BULK, PING = 0, 1  # kinds of flows
PATTERNS = ("incast", "outcast", "shift", "ring", "random-bisection", "victim", "client-server", "all-to-all")


@dataclass(frozen=True)
class Scenes:
    """One entry a scene: message size, point of the sweep, variant, when it began in seconds, ranks that were gone."""

    bytes: NDArray[np.uint64]
    point: NDArray[np.uint32]
    variant: NDArray[np.uint8]
    began: NDArray[np.float64]
    gone: NDArray[np.uint32]


@dataclass(frozen=True)
class Flows:
    """One entry a flow of a scene: `messages` arrived in `seconds` on the clock of who receives.

    `sent_` the same on the clock of who sends. The last six are the one-way times of a ping in seconds.
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

    def __len__(self) -> int:
        return len(self.scene)

    @property
    def ok(self) -> NDArray[np.bool_]:
        return np.asarray(self.outcome == Outcome.OK)


@dataclass(frozen=True)
class Load:
    """One pattern of a results file; `point` says what its points are, `options` what the user chose."""

    name: str
    point: str
    variants: tuple[str, ...]
    options: str
    duration: float
    window: int
    scenes: Scenes
    flows: Flows

    @property
    def rate(self) -> NDArray[np.float64]:
        """Bytes a second of each bulk flow that ended well; NaN for the others."""
        flows = self.flows
        sizes = self.scenes.bytes[flows.scene].astype(np.float64)
        known = flows.ok & (flows.kind == BULK) & (flows.seconds > 0)
        rate = np.full(len(flows), np.nan)
        rate[known] = (flows.messages * sizes)[known] / flows.seconds[known]
        return rate
