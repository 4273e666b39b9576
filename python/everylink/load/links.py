"""Presents the flows of a pattern as links, so that questions about links apply to them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.links.failed import Failures, fold_failures
from everylink.model.loads import Load
from everylink.model.results import Results, Size
from everylink.model.rows import Outcome, Rows

EVEN = ("shift", "ring", "random-bisection", "all-to-all")  # in a scene of these, every rank has the same load
MATRICES = ("shift", "all-to-all")  # patterns in which each rank meets every other one


def as_links(results: Results, load: Load) -> Results:
    """The same run with one row per flow of a pattern; its time is that of a message at the flow's rate, seconds."""
    sizes = tuple(Size(size, 0, len(results.ranks), _rows(load, size, _of_size(load, size))) for size in load.sizes)
    return replace(results, sizes=sizes, loads=())


def fold_failed_flows(results: Results, load: Load) -> Failures:
    """The connections of a pattern that failed in any scene, folded like failures of links."""
    flows = load.flows
    size = max(load.sizes, default=0)
    return fold_failures(results, Size(size, 0, len(results.ranks), _rows(load, size, np.arange(len(flows)))))


def _of_size(load: Load, size: int) -> NDArray[np.intp]:
    flows = load.flows
    return np.flatnonzero((load.scenes.bytes[flows.scene] == size) & (flows.frm != flows.to))


def _rows(load: Load, size: int, those: NDArray[np.intp]) -> Rows:
    flows = load.flows
    rate, count = load.rate[those], len(those)
    seconds = np.divide(size, rate, out=np.full(count, np.nan), where=rate > 0).astype(np.float32)
    unknown: NDArray[np.float32] = np.full(count, np.nan, np.float32)
    none = np.zeros(count, np.uint32)
    outcome = flows.outcome[those]
    arrived = np.where(outcome == Outcome.OK, np.minimum(flows.messages[those], 2**31 - 1), -1).astype(np.int32)
    return Rows(
        frm=flows.frm[those], to=flows.to[those], step=none, attempt=none.astype(np.uint8), outcome=outcome,
        arrived=arrived, setup=unknown, n=np.isfinite(seconds).astype(np.uint32),
        min=seconds, median=seconds, mean=seconds, p99=unknown, max=seconds, late=none, all_to_all=unknown,
    )  # fmt: skip
