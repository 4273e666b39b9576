"""Facts and ranks of a run that everylink-measure did not make: what is not known of them, in one place."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink import __version__
from everylink.results import Facts, Ranks

NOTHING_KNOWN = Facts(
    created="", tool_version=__version__, command="", transport="", transport_options="", bootstrap="", memory="",
    kernel="", schedule="", serial=False, seed=0, ranks=0, hosts=0, messages=0, warmups=0, window=0, buffers=0,
    check=False, randomize=0, min_iterations=1, min_runtime=0.0, time_limit=0.0, num_slowest=0, all_to_all=False,
    pinned=False, complete=True,
)  # fmt: skip


def bare_facts(kernel: str, **known: str | int) -> Facts:
    """A complete run of this kernel, and what else is known of it, named as in Facts."""
    return replace(NOTHING_KNOWN, kernel=kernel, window=int(kernel == "unidirectional"), **known)  # type: ignore[arg-type]


def bare_ranks(host: Sequence[str], host_index: NDArray[np.integer], local_rank: NDArray[np.integer]) -> Ranks:
    """Ranks of which no more is known than where they ran; an entry a rank each."""
    empty, unknown = ("",) * len(host), np.full(len(host), -1, np.int32)
    return Ranks(
        host=tuple(host), host_index=host_index.astype(np.uint32), local_rank=local_rank.astype(np.uint32),
        cores=empty, numa=unknown, device=empty, address=empty, lanes=empty, libraries=empty, numa_distance=unknown,
    )  # fmt: skip
