"""What carries the messages of each rank."""

import re

from everylink.model.results import Ranks

LANE = re.compile(r"(?<!\d )(?<![\w.\-])[\w.\-]+/([\w.\-]+(?::\d+)?)")  # rc_mlx5/mlx5_0:1, but not 400 Gbit/s
MEMORY = "memory"  # the device of lanes within a host
PORT = re.compile(r" port (\d+)")
NODE = re.compile(r", NUMA node \d+$")


def rails(ranks: Ranks) -> tuple[str, ...]:
    """The device that carries the messages of each rank, `mlx5_0:1`, `eth0`; several joined by +; empty if unknown."""
    known: dict[tuple[str, str], str] = {}
    texts = zip(ranks.device, ranks.lanes, strict=True)
    return tuple(known.get(both) or known.setdefault(both, _rail(*both)) for both in texts)


def _rail(device: str, lanes: str) -> str:
    """The devices of the lanes that a layered library used; else the device that the transport opened."""
    used = {name for name in LANE.findall(lanes) if name != MEMORY}
    return "+".join(sorted(used)) if used else PORT.sub(r":\1", NODE.sub("", device))
