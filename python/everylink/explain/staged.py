"""Messages in memory of GPUs that are copied through memory of the host where they need not be."""

import numpy as np

from everylink.host_lists import folded
from everylink.inventory.folding import parts_text
from everylink.inventory.meanings import GPU
from everylink.judge.verdict import Finding
from everylink.links.hosts import host_names
from everylink.model.results import Results
from everylink.units import plural

ALWAYS_STAGED = ("tcp", "sim")  # modes that move bytes by the processor
STAGED, DIRECT = "staged", "direct"  # columns of ranks/gpu_path


def staged_findings(results: Results, has_adapters: bool) -> tuple[Finding, ...]:
    """The hosts whose GPUs' messages are staged while those of most others go direct, a fault; or one remark where all
    are, although the hosts have RDMA adapters, as far as that is known."""
    ranks = results.ranks
    if results.facts.transport in ALWAYS_STAGED or not ranks.in_memory_of_gpus:
        return ()
    paths, names = np.array(ranks.gpu_path), host_names(ranks)
    staged, direct = (np.unique(ranks.host_index[paths == path]).tolist() for path in (STAGED, DIRECT))
    if not staged:
        return ()
    hosts = tuple(names[host] for host in staged)
    gpus = tuple(sorted({f"{GPU}/{number}" for number in ranks.gpu[paths == STAGED].tolist()}))
    what = f"{folded(hosts)}: messages in memory of {parts_text(gpus)} are staged through memory of the host"
    if direct:
        is_rare = len(staged) <= len(direct)
        others = f"those of {plural(len(direct), 'host')} go direct"
        return (Finding("config", hosts, gpus, "critical" if is_rare else "warning", f"{what}; {others}", is_rare),)
    if not has_adapters:
        return ()
    why = "although the hosts have RDMA adapters: see whether nvidia-peermem is loaded, and what the library can do"
    return (Finding("config", hosts, gpus, "warning", f"{what}, {why}", False),)
