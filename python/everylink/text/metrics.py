"""A judged run as metrics for Prometheus: its text format, for the textfile collector of node_exporter.

The format is that of https://prometheus.io/docs/instrumenting/exposition_formats/: base units in the names (seconds,
bytes per second), no time stamps. There are at most 10 series for each host, and none for each link.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from everylink.judge.named import verdicts_by_host
from everylink.judge.verdict import BANDWIDTH, LATENCY, Conclusion, JudgedRun
from everylink.links.hosts import host_names
from everylink.links.stream import link_blocks
from everylink.model.results import Results, Size

KINDS = ("host", "rank", "link", "pair", "trunk", "group")
Labels = Mapping[str, str]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """A gauge. `samples`: labels and value; those without a value (NaN) are left out."""

    name: str
    help: str
    samples: Sequence[tuple[Labels, float]]

    def lines(self) -> Iterator[str]:
        """Its lines in the text format; none without a sample."""
        known = [(labels, value) for labels, value in self.samples if not np.isnan(value)]
        if not known:
            return
        yield f"# HELP everylink_{self.name} {self.help}"
        yield f"# TYPE everylink_{self.name} gauge"
        for labels, value in known:
            inside = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
            yield f"everylink_{self.name}{{{inside}}} {value:.9g}" if inside else f"everylink_{self.name} {value:.15g}"


def prometheus_text(run: JudgedRun, unreachable: Mapping[str, str]) -> str:
    """All metrics of a run of links; `unreachable`: the reasons by host why a check could not use it."""
    metrics = [*_of_run(run, unreachable), *_of_hosts(run, unreachable)]
    return "".join(f"{line}\n" for metric in metrics for line in metric.lines())


def _of_run(run: JudgedRun, unreachable: Mapping[str, str]) -> Iterator[Metric]:
    results, judgement = run.results, run.judgement
    facts = results.facts
    labels = {"version": facts.tool_version, "mode": facts.transport, "kernel": facts.kernel}
    yield Metric("run_info", "The version that measured, the transport and the kernel.", [(labels, 1)])
    yield _one("run_start_time_seconds", "When the run began, in seconds since 1970.", _seconds_of(facts.created))
    yield _one("run_end_time_seconds", "When the run ended, in seconds since 1970.", _seconds_of(facts.ended))
    conclusion = Conclusion.FAULTS if unreachable else judgement.conclusion
    each = [({"conclusion": str(one)}, float(one is conclusion)) for one in Conclusion]
    yield Metric("conclusion", "1 for what the run comes to, 0 for all others.", each)
    yield _one("hosts", "Hosts of the run, and those that could not be used.", facts.hosts + len(unreachable))
    yield _one("hosts_unreachable", "Hosts that could not be used.", len(unreachable))
    yield _one("links_measured", "Ordered pairs of ranks with a result.", judgement.links_measured)
    yield _one("links_failed", "Links over which no message arrived.", judgement.links_failed)
    for name, text, found in (
        ("verdicts", "Faults by kind of component.", judgement.verdicts),
        ("suspects", "Components that need more measurements, by kind.", judgement.suspects),
    ):
        yield Metric(name, text, [({"kind": kind}, sum(one.kind == kind for one in found)) for kind in KINDS])
    yield _one("critical_findings", "Deviations of hosts that are faults.", len(judgement.faulty_findings))


def _of_hosts(run: JudgedRun, unreachable: Mapping[str, str]) -> Iterator[Metric]:
    results, judgement = run.results, run.judgement
    names = host_names(results.ranks)

    def each(name: str, text: str, values: Values | Sequence[float], **labels: str) -> Metric:
        return Metric(name, text, [({"host": host, **labels}, float(v)) for host, v in zip(names, values, strict=True)])

    reachable = [({"host": host}, 1.0) for host in names] + [({"host": host}, 0.0) for host in unreachable]
    yield Metric("host_reachable", "Whether the host could be used.", reachable)
    sums = {size.bytes: _sums(run, size) for size in _told(results)}
    for summed in list(sums.values())[-1:]:
        yield each("host_links", "Links of the host with others, both directions.", summed.links.sum(axis=0))
        yield each("host_links_failed", "Those of them over which no message arrived.", summed.failed.sum(axis=0))
    for size, summed in sums.items():
        if size <= LATENCY:
            text = f"Mean one-way time of its messages of {size} bytes."
            yield each("host_latency_seconds", text, _ratio(summed.seconds.sum(axis=0), summed.timed.sum(axis=0)))
        else:
            text = f"Bandwidth of its messages of {size} bytes, from their mean one-way time."
            rates = size / _ratio(summed.seconds, summed.timed)
            both = [
                ({"host": host, "direction": direction}, float(rate))
                for direction, of_hosts in zip(("send", "receive"), rates, strict=True)
                for host, rate in zip(names, of_hosts, strict=True)
            ]
            yield Metric("host_bandwidth_bytes_per_second", text, both)
    for name, text, found in (
        ("host_verdicts", "Faults that name the host, or a rank on it.", judgement.verdicts),
        ("host_suspects", "Suspects that name the host, or a rank on it.", judgement.suspects),
    ):
        yield each(name, text, [len(naming) for naming in verdicts_by_host(results.ranks, found).values()])
    yield each(
        "host_drain", "1 if the host should be taken out of service.", [host in judgement.drain for host in names]
    )


def _told(results: Results) -> list[Size]:
    """The smallest size, if it shows latency, and the largest one, if it shows bandwidth."""
    small = [size for size in results.sizes if size.bytes <= LATENCY][:1]
    return small + [size for size in results.sizes if size.bytes >= BANDWIDTH][-1:]


@dataclass(frozen=True)
class _Sums:
    """Of each host as sender (row 0) and as receiver (row 1), shape [2, hosts]: its links, those that failed, those
    with a time, and the sum of these times. Links between hosts alone count, unless there is one host."""

    links: NDArray[np.int64]
    failed: NDArray[np.int64]
    timed: NDArray[np.int64]
    seconds: Values


def _sums(run: JudgedRun, size: Size) -> _Sums:
    index = run.results.ranks.host_index
    hosts = int(index.max()) + 1
    links, failed, timed = (np.zeros((2, hosts), np.int64) for _ in range(3))
    seconds = np.zeros((2, hosts))
    for block in link_blocks(size):
        chosen = (index[block.frm] != index[block.to]) | (hosts == 1)
        known = chosen & np.isfinite(block.seconds)
        for row, ends in enumerate((block.frm, block.to)):
            links[row] += np.bincount(index[ends[chosen]], minlength=hosts)
            failed[row] += np.bincount(index[ends[chosen & block.failed]], minlength=hosts)
            timed[row] += np.bincount(index[ends[known]], minlength=hosts)
            seconds[row] += np.bincount(index[ends[known]], block.seconds[known], minlength=hosts)
    return _Sums(links, failed, timed, seconds)


def _ratio(total: Values, count: NDArray[np.int64]) -> Values:
    """NaN where there is none."""
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def _one(name: str, text: str, value: float) -> Metric:
    return Metric(name, text, [({}, value)])


def _seconds_of(moment: str) -> float:
    """NaN where the file has no such moment."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except ValueError:
        return float("nan")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
