"""The GPUs in whose memory messages of a run lay, their NVLinks, and the PCI functions above them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from everylink.inventory.cluster import Cluster
from everylink.inventory.meanings import DEVICE, GPU, NET, PCI, PORT, device_of, kind_of_part

NVLINK = "nvlink/"


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
        return any(
            part in self.cluster.ports_of(gpu_of(self.cluster, here)) and self._end_of(part, host) == self._pci(there)
            for here, there in ((one, other), (other, one))
            for part in parts
        )

    def nvlinks_between(self, one: int, other: int) -> list[str]:
        """The NVLinks from the GPU of a rank to that of another one of its host, without a switch between them."""
        host, to = int(self.cluster.ranks.host_index[one]), self._pci(other)
        links = self.cluster.ports_of(gpu_of(self.cluster, one))
        return [part for part in links if to and self._end_of(part, host) == to]

    def _pci(self, rank: int) -> str:
        host, part = int(self.cluster.ranks.host_index[rank]), gpu_of(self.cluster, rank)
        return self.cluster.inventory.value_of(host, part, "pci") if part else ""

    def _end_of(self, link: str, host: int) -> str:
        """The PCI address at the other end of an NVLink. One that is down does not tell: then most hosts' counts."""
        return self.cluster.inventory.value_of(host, link, "remote_pci") or self._usual_ends.get(link, "")

    @cached_property
    def _usual_ends(self) -> dict[str, str]:
        found = {}
        for link in self.cluster.parts_of(PORT):
            if link.startswith(NVLINK):
                texts = [
                    text for text in self.cluster.texts_at(link, "remote_pci", self.cluster.inventory.hosts) if text
                ]
                found[link] = max(sorted(set(texts)), key=texts.count, default="")
        return found

    def way_between(self, one: int, other: int) -> str:
        """What lies between the GPUs of two ranks of a host, as nvidia-smi names it: NV4, PIX; empty: not known."""
        cluster, host = self.cluster, int(self.cluster.ranks.host_index[one])
        own, to = gpu_of(cluster, one), gpu_of(cluster, other)
        return ways_of(cluster, own, host).get(to, "") if own and to else ""


def ways_of(cluster: Cluster, gpu: str, host: int) -> dict[str, str]:
    """What lies between a GPU and each other GPU and adapter of its host, by its part."""
    found: dict[str, str] = {}
    for fact in ("to_gpus", "to_adapters"):
        name, more = fact, 1
        while text := cluster.inventory.value_of(host, gpu, name):
            found |= {part: way for part, _, way in (one.partition(" ") for one in text.split(", "))}
            name, more = f"{fact}/{more}", more + 1
    return found
