"""The GPUs in whose memory messages of a run lay, their NVLinks, and the PCI functions above them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from everylink.inventory.cluster import Cluster
from everylink.inventory.meanings import DEVICE, GPU, NET, PCI, device_of, kind_of_part


def gpu_of(cluster: Cluster, rank: int) -> str:
    """The part whose memory holds the messages of a rank; empty if none does."""
    number = int(cluster.ranks.gpu[rank])
    return "" if number < 0 else f"{GPU}/{number}"


@dataclass(frozen=True, eq=False)
class GpusOfRun:
    """Which parts of GPUs carry messages of a run. `over_nvlinks`: those between GPUs of a host count."""

    cluster: Cluster
    over_nvlinks: bool
    _parts: dict[int, frozenset[str]] = field(default_factory=dict, repr=False)

    def parts_of_rank(self, rank: int) -> frozenset[str]:
        """The GPU of a rank, its NVLinks if they count, and the PCI functions above it; empty without a GPU."""
        if rank not in self._parts:
            own, host = gpu_of(self.cluster, rank), int(self.cluster.ranks.host_index[rank])
            links = self.cluster.ports_of(own) if own and self.over_nvlinks else ()
            above = self.cluster.functions_of(own, host) if own else ()
            self._parts[rank] = frozenset((own, *links, *above)) - {""}
        return self._parts[rank]

    def is_idle(self, part: str, host: int) -> bool:
        """Whether a part is of GPUs alone, and carries no messages of the run."""
        return self._is_of_gpus(part, host) and part not in self._carrying(host)

    def _is_of_gpus(self, part: str, host: int) -> bool:
        def leads_to(*kinds: str) -> bool:
            devices = (device for kind in kinds for device in self.cluster.parts_of(kind))
            return any(part in self.cluster.functions_of(device, host) for device in devices)

        if kind_of_part(part) == PCI:
            return leads_to(GPU) and not leads_to(DEVICE, NET)
        return kind_of_part(device_of(part)) == GPU

    def _carrying(self, host: int) -> set[str]:
        ranks = np.flatnonzero((self.cluster.ranks.host_index == host) & (self.cluster.ranks.gpu >= 0))
        return {part for rank in ranks.tolist() for part in self.parts_of_rank(rank)}

    def joins(self, parts: Collection[str], ends: Sequence[tuple[int, int | None]]) -> bool:
        """Whether any of these parts is an NVLink from the GPU of one of two ranks of a host to that of the other."""
        (host, one), (other_host, other) = ends
        if not self.over_nvlinks or host != other_host or one is None or other is None:
            return False
        return not {*self.nvlinks_between(one, other), *self.nvlinks_between(other, one)}.isdisjoint(parts)

    def nvlinks_between(self, one: int, other: int) -> list[str]:
        """The NVLinks from the GPU of a rank to that of another one of its host, without a switch between them."""
        cluster, host = self.cluster, int(self.cluster.ranks.host_index[one])
        to = cluster.inventory.value_of(host, gpu_of(cluster, other), "pci")
        links = cluster.ports_of(gpu_of(cluster, one))
        return [part for part in links if to and self._end_of(part, host) == to]

    def _end_of(self, link: str, host: int) -> str:
        """The PCI address at the other end of an NVLink. One that is down does not tell: then most hosts' counts."""
        inventory = self.cluster.inventory
        if own := inventory.value_of(host, link, "remote_pci"):
            return own
        told = [text for text in self.cluster.texts_at(link, "remote_pci", inventory.hosts) if text]
        return max(sorted(set(told)), key=told.count, default="")

    def way_between(self, one: int, other: int) -> str:
        """What lies between the GPUs of two ranks of a host, as nvidia-smi names it: NV4, PIX; empty: not known."""
        cluster, host = self.cluster, int(self.cluster.ranks.host_index[one])
        own, to = gpu_of(cluster, one), gpu_of(cluster, other)
        return ways_of(cluster, own, host).get(to, "")


def ways_of(cluster: Cluster, gpu: str, host: int) -> dict[str, str]:
    """What lies between a GPU and each other GPU and adapter of its host, by its part."""
    found: dict[str, str] = {}
    for fact in ("to_gpus", "to_adapters"):
        name, more = fact, 1
        while text := cluster.inventory.value_of(host, gpu, name):
            found |= {part: way for part, _, way in (one.partition(" ") for one in text.split(", "))}
            name, more = f"{fact}/{more}", more + 1
    return found
