"""The transports that `everylink check` tries, in the order in which applications prefer them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from everylink.model.results import Results

FABRICS = ("cxi", "efa", "psm2")  # libfabric's providers of networks that UCX does not support


OF_ADAPTERS = ("ucp", "ofi", "ibverbs")


class Refused(Exception):
    """A transport starts, but applications would not use it here; the text says why."""


@dataclass(frozen=True)
class Choice:
    """`accept` takes the results of a short run; it returns why the transport is right here, or raises Refused."""

    mode: str
    accept: Callable[[Results], str]
    reason: str = ""

    def because(self, reason: str) -> "Choice":
        return replace(self, reason=reason)


def _ucp(results: Results) -> str:
    lanes = _lanes(results)
    if all(lane.startswith("tcp") for lane in lanes.split(" + ")):
        raise Refused("UCX finds only TCP here")
    return f"UCX works on all ranks and takes {lanes}"


def _ofi(results: Results) -> str:
    lanes = _lanes(results)
    if not any(fabric in lanes for fabric in FABRICS):
        raise Refused(f"libfabric finds none of {', '.join(FABRICS)}")
    return f"libfabric takes {lanes}"


def _ibverbs(results: Results) -> str:
    return f"RDMA works on all ranks ({_lanes(results)})"


def _tcp(results: Results) -> str:
    return "sockets work on all ranks"


def _lanes(results: Results) -> str:
    """What most ranks use, as the library names it."""
    lanes = Counter(results.ranks.lanes).most_common(1)
    return lanes[0][0] if lanes and lanes[0][0] else "unknown lanes"


def adapters_of_each_host(first: Results, mode: str) -> int:
    """The fewest adapters of a host, by a run of one rank per host; 1 where the mode does not use adapters."""
    named = [] if mode.partition(":")[0] not in OF_ADAPTERS or ":" in mode else first.ranks.adapters.tolist()
    return max(1, min(named, default=1))


def hosts_not_joined(first: Results, hosts: Sequence[str]) -> list[str]:
    """Those of `hosts`, in the order of their ranks, of which no rank joined a run of as many ranks on each."""
    ranks = zip(first.ranks.cores, first.ranks.device, strict=True)
    joined = np.array([bool(cores or device) for cores, device in ranks])  # a simulated host has no cores
    by_host = np.array_split(joined, len(hosts)) if hosts else []
    return [host for host, of_ranks in zip(hosts, by_host, strict=True) if not of_ranks.any()]


CHOICES = (Choice("ucp", _ucp), Choice("ofi", _ofi), Choice("ibverbs", _ibverbs), Choice("tcp", _tcp))
