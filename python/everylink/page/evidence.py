"""What a page shows of a chosen finding: what its links took when they were measured again, and its hosts."""

import math
from collections.abc import Iterator
from typing import Any

from everylink.deviation.blocks import Blocks
from everylink.deviation.marks import Places
from everylink.explain.because import was_read
from everylink.inventory.drift import drift_of
from everylink.judge.verdict import JudgedRun, Verdict
from everylink.links.hosts import host_names
from everylink.links.phases import Phase, Phases
from everylink.links.rails import rails
from everylink.model.results import Results
from everylink.text.verdicts import MOST, MOST_SUSPECTS
from everylink.units import time_text

HOST_FACTS = ("cpu_model", "kernel", "distribution", "governor")
MOST_HOSTS, MOST_DEVIATIONS = 4, 6
PHASES = {
    "retest": "measured again", "failed-again": "failed, again alone", "order": "again, all ranks busy",
    "quarter": "again, a quarter of the ranks busy", "few": "again, few ranks busy", "alone": "again, alone",
    "one-way": "again, one way",
}  # fmt: skip


def evidence_of(judged: JudgedRun, places: Places, blocks: Blocks) -> list[dict[str, Any]]:
    """One entry for each verdict and suspect that a page lists, in this order."""
    judgement = judged.judgement
    shown = [*judgement.verdicts[:MOST], *judgement.suspects[:MOST_SUSPECTS]]
    if not shown:
        return []
    wanted = {one.bytes for one in shown}
    phases = {size.bytes: Phases(size) for size in judged.results.sizes if size.bytes in wanted}
    facts = _Facts(judged)
    return [
        {
            "again": _again(one, places, blocks, phases.get(one.bytes)),
            "deviations": facts.deviations(one),
            "hosts": facts.hosts(one),
        }
        for one in shown
    ]


def _again(verdict: Verdict, places: Places, blocks: Blocks, phases: Phases | None) -> list[list[str]]:
    ends = places.ends(verdict.kind, verdict.subject)
    ranks = [[int(rank) for a, b in end for rank in blocks.order.ranks[a:b]] for end in ends]
    if phases is None or not ranks or not all(ranks):
        return []
    one_way = verdict.kind == "link" and verdict.direction == "both"
    return [_row(phase) for phase in phases.of(ranks, "send" if one_way else verdict.direction)]


def _row(phase: Phase) -> list[str]:
    ratio = phase.seconds / phase.others_seconds
    times = ("-" if math.isnan(one) else time_text(one) for one in (phase.seconds, phase.others_seconds))
    counts = str(phase.readings), str(phase.failed)
    return [PHASES.get(phase.name, phase.name), *counts, *times, "-" if math.isnan(ratio) else f"{ratio:.2f}"]


class _Facts:
    """What the hosts of a run say of themselves."""

    def __init__(self, judged: JudgedRun) -> None:
        self._results: Results = judged.results
        self._names = host_names(judged.results.ranks)
        self._rails = rails(judged.results.ranks)
        self._hosts = {name: index for index, name in enumerate(self._names)}
        for rank, index in enumerate(judged.results.ranks.host_index.tolist()):
            self._hosts[judged.results.ranks.name(rank)] = index
        self._read = was_read(judged.results)
        self._deviations = drift_of(judged.results, judged.topology).deviations if self._read else ()

    def _accused(self, verdict: Verdict) -> list[int]:
        """Hosts by index, as far as the subject names hosts or ranks."""
        return sorted({self._hosts[name] for name in verdict.subject if name in self._hosts})

    def deviations(self, verdict: Verdict) -> list[str]:
        """What these hosts have and their equals have not, but for the cause that the verdict names."""
        accused = set(self._accused(verdict))
        found = [one.sentence for one in self._deviations if accused.intersection(one.numbers)]
        return [sentence for sentence in found if not verdict.because.endswith(sentence)][:MOST_DEVIATIONS]

    def hosts(self, verdict: Verdict) -> list[str]:
        """One line for each host; none where many are accused."""
        accused = self._accused(verdict)
        lines = (f"{self._names[host]}: {', '.join(self._of(host))}" for host in accused if any(self._of(host)))
        return list(lines) if len(accused) <= MOST_HOSTS else []

    def _of(self, host: int) -> Iterator[str]:
        ranks = self._results.ranks
        own = [rank for rank, index in enumerate(ranks.host_index.tolist()) if index == host]
        if adapters := sorted({self._rails[rank] for rank in own} - {""}):
            yield "+".join(adapters)
        if addresses := sorted({ranks.address[rank] for rank in own} - {""}):
            yield " ".join(addresses[:MOST_HOSTS])
        if self._read:
            inventory = self._results.inventory
            for name in HOST_FACTS:
                if value := inventory.value_of(host, "host", name):
                    yield f"{name.replace('_', ' ')} {value}"
