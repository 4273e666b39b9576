"""A bed's only effect outside itself: the size of the neighbour table, which all namespaces share."""

import contextlib
import json
from pathlib import Path
from typing import Any

from kernel import BASE

# All network namespaces share one neighbour table. Its limits exist only in the root namespace, and are raised while
# there are beds that need more.
LIMITS = [Path(f"/proc/sys/net/ipv4/neigh/default/gc_thresh{i}") for i in (1, 2, 3)]
NEIGHBOURS = BASE / ".neighbours"  # the original limits, and the needs of each bed


def make_room(bed: str, interfaces: int) -> None:
    before = [int(limit.read_text()) for limit in LIMITS]
    wanted = 2 * interfaces**2
    if wanted > before[0]:
        kept: dict[str, Any] = {"before": before, "beds": {}}
        if NEIGHBOURS.exists():
            kept = json.loads(NEIGHBOURS.read_text())
        kept["beds"][bed] = wanted
        NEIGHBOURS.write_text(json.dumps(kept))
        _set_limits(kept)


def forget(bed: str) -> None:
    if not NEIGHBOURS.exists():
        return
    kept = json.loads(NEIGHBOURS.read_text())
    kept["beds"].pop(bed, None)
    _set_limits(kept)
    if kept["beds"]:
        NEIGHBOURS.write_text(json.dumps(kept))
    else:
        NEIGHBOURS.unlink()


def _set_limits(kept: dict[str, Any]) -> None:
    more = sum(kept["beds"].values())
    for limit, before in zip(LIMITS, kept["before"], strict=True):
        with contextlib.suppress(OSError):  # if a container forbids it, large beds lose packets
            limit.write_text(str(before + more))
