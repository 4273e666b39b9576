"""What the hosts of a world say of themselves: their processor, the rate of each adapter, and the NUMA node it is on.

Of bonded ports there is one adapter, which says the rate of a port, as the mlx5 driver does.
"""

import numpy as np

from everylink.model.inventory import NO_INVENTORY, Facts, Inventory, Moment, Readings
from worlds.planes import RATE
from worlds.structures import Structure

RATES = {  # by multiples of RATE
    0.025: "2.5 Gb/sec (1X SDR)",  # what RoCE in software says of 1 Gbit/s, too
    0.1: "10 Gb/sec (1X QDR)",
    0.25: "25 Gb/sec (1X EDR)",
    0.4: "40 Gb/sec (4X QDR)",
    0.545: "56 Gb/sec (4X FDR)",  # 14 Gbit/s per lane, of which 64 bits in 66 are data
    1: "100 Gb/sec (4X EDR)",
    2: "200 Gb/sec (4X HDR)",
    4: "400 Gb/sec (4X NDR)",
}
# The second one where messages take longer, but for clocks; the others where a structure says so.
PROCESSORS = "Xeon Platinum 8160", "Xeon Phi 7250", "Xeon E5-2680 v4", "Xeon Platinum 8380", "Xeon Max 9480"


def named_rate(rate: float) -> str:
    """The nominal rate that is nearest to one in bytes per second."""
    return RATES[min(RATES, key=lambda multiple: abs(np.log(rate / RATE / multiple)))]


def inventory(structure: Structure) -> Inventory:
    """Facts of one reading of each host, before the run; a world of one host has none."""
    if structure.hosts == 1:
        return NO_INVENTORY
    texts = {"": 0}
    entries: list[tuple[int, int, int, int, int]] = []
    for host in range(structure.hosts):
        facts = [("host", "cpu_model", PROCESSORS[int(structure.processor[host])])]
        for rail in range(1 if structure.bonded or structure.single[host] else structure.rails):
            device, node = structure.device(rail), rail * 2 // structure.rails
            facts.append((f"ib/{device}/1", "rate", named_rate(float(structure.said[host, rail]))))
            facts.append((f"ib/{device}", "numa_node", str(1 - node if structure.turned[host] else node)))
        for fact in facts:
            part, name, value = (texts.setdefault(text, len(texts)) for text in fact)
            entries.append((host, 0, part, name, value))
    columns = np.array(entries, np.uint32).T
    every = np.arange(structure.hosts, dtype=np.uint32)
    none = np.zeros_like(every)
    before = np.full(len(every), Moment.BEFORE, np.uint8)
    ranks = (every * structure.each).astype(np.uint32)
    readings = Readings(every, none, before, ranks, none.astype(np.float64), none.astype(np.float32), none)
    nothing = NO_INVENTORY
    return Inventory(tuple(texts), Facts(*columns), nothing.counters, readings, nothing.carried, nothing.retransmits)
