"""Tables of a results file for gnuplot, scripts and slides; each states its units."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.io.steps import first_steps
from everylink.io.table import Column, Table
from everylink.links.classes import Histogram, histogram
from everylink.links.extremes import EndTimes, both_ends, outside, slowest
from everylink.links.hosts import host_names
from everylink.model.results import Results, Size
from everylink.terminal.summary import SLOWEST
from everylink.text.run import kernel_text, mode_text
from everylink.units import bandwidth, plural, size_text

MIB = 2**20
HOSTS = Column("hosts", "s")
FROM_TO = (Column("from", "d"), Column("to", "d"))


def head(results: Results, size: Size, what: str) -> tuple[str, ...]:
    facts = results.facts
    where = f"{plural(facts.ranks, 'rank')} on {plural(facts.hosts, 'host')}"
    return (
        f"{what}: {results.path.name}, {where}, mode {mode_text(results)}, {kernel_text(results)}, "
        f"messages of {size_text(size.bytes)} ({size.bytes} bytes)",
        f"time: one-way, the median of each link; {results.single_bandwidth_label}: 1 MiB/s is {MIB} bytes a second",
    )


def rate_unit(results: Results) -> str:
    return results.single_bandwidth_label.replace("bandwidth", "(MiB/s") + ")"


def time_and_rate(results: Results, before: str = "") -> tuple[Column, Column]:
    return Column(f"{before}time (s)", ".8e"), Column(f"{before}bandwidth {rate_unit(results)}", ".8g")


def rates(results: Results, size: Size, seconds: NDArray[np.floating]) -> NDArray[np.float64]:
    return bandwidth(size.bytes, seconds, results.directions) / MIB


def need_bandwidth(size: Size) -> None:
    """Raise UserMistake for messages of 0 bytes."""
    if size.bytes == 0:
        raise UserMistake("messages of 0 bytes have no bandwidth")


@dataclass(frozen=True)
class Selection:
    """Selects links for a table: limits in bytes per second; number of slowest links (None: the table's default)."""

    below: float | None = None
    above: float | None = None
    count: int | None = None


def slowest_table(results: Results, size: Size, selection: Selection) -> Table:
    """The slowest links with both times; `count` of them, else as many as were measured again, else SLOWEST."""
    most = selection.count or len(size.retests) or SLOWEST
    links = slowest(results, size, most)
    first = np.array([link.first for link in links])
    second = np.array([np.nan if link.second is None else link.second for link in links])
    ends = [(link.frm, link.to) for link in links]
    return Table(
        (*head(results, size, "slowest links"), "2nd: measured again, one pair at a time; NaN: not, or it failed"),
        (Column("nr", "d"), *FROM_TO, *time_and_rate(results, "1st "), *time_and_rate(results, "2nd "), HOSTS),
        [
            (
                range(len(links)), [frm for frm, _ in ends], [to for _, to in ends],
                first, rates(results, size, first), second, rates(results, size, second), _hosts(results, ends),
            )
        ],
    )  # fmt: skip


def outside_table(results: Results, size: Size, selection: Selection) -> Table:
    """Slow links, slowest first, then fast links, fastest first."""
    need_bandwidth(size)
    links, found = size.links, outside(results, size, selection.below, selection.above)
    index = np.concatenate([found.slow, found.fast])
    times = links.median[index]
    limits = (("slow: below", selection.below), ("fast: above", selection.above))
    notes = [f"{text} {limit / MIB:.8g} MiB/s" for text, limit in limits if limit is not None]
    if found.untimed:
        notes.append(f"{plural(found.untimed, 'link')} without a time, because they failed: not listed")
    which = ["slow"] * len(found.slow) + ["fast"] * len(found.fast)
    frm, to = links.frm[index].tolist(), links.to[index].tolist()
    return Table(
        (*head(results, size, "links outside limits"), *notes),
        (Column("nr", "d"), *FROM_TO, *time_and_rate(results), Column("which", "s"), HOSTS),
        [
            (
                range(len(index)),
                frm,
                to,
                times,
                rates(results, size, times),
                which,
                _hosts(results, zip(frm, to, strict=True)),
            )
        ],
    )


def step_pattern(results: Results, size: Size, selection: Selection) -> Table:
    """The step that measured each link, for every pair of ranks."""
    steps = known_steps(results, size)
    heading = "step in which each link was measured first, from 1, and 0: in none; a block for each sender"
    rows = ((frm, to, np.nan_to_num(row).astype(np.int64)) for frm, to, row in _grid(size, steps.astype(np.float64)))
    return Table(head(results, size, heading)[:1], (*FROM_TO, Column("step", "d")), rows)


def known_steps(results: Results, size: Size) -> NDArray[np.int64]:
    """The step of each link, from 1. Raises UserMistake if the file does not record it."""
    steps = first_steps(size.rows, len(results.ranks), results.facts.serial)
    if steps is None:
        raise UserMistake(f"{results.path}: does not record the step of each link")
    return steps


def bandwidth_pattern(results: Results, size: Size, selection: Selection) -> Table:
    """Time and bandwidth for every pair of ranks, in gnuplot's grid format."""
    need_bandwidth(size)
    rows = (
        (frm, to, row, rates(results, size, row)) for frm, to, row in _grid(size, size.links.median.astype(np.float64))
    )
    return Table(
        (
            *head(results, size, "every pair of ranks, a block for each sender"),
            "NaN: no time. In gnuplot: set yrange [] reverse; plot 'FILE' using 2:1:4 with image",
        ),
        (*FROM_TO, *time_and_rate(results)),
        rows,
    )


def time_distribution(results: Results, size: Size, selection: Selection) -> Table:
    """The number of links by time, in logarithmic bins."""
    counted = histogram(results, size)
    lines = (*head(results, size, "links by one-way time"), "a bin is from .. up to; bins are logarithmic")
    names = ("time from (s)", "time up to (s)")
    return _distribution(lines, names, counted, counted.edges if counted else np.empty(1), 1)


def bandwidth_distribution(results: Results, size: Size, selection: Selection) -> Table:
    """The number of links by bandwidth: the bins of the times, slowest first."""
    need_bandwidth(size)
    counted = histogram(results, size)
    lines = (*head(results, size, "links by bandwidth"), "a bin is from .. up to; bins are logarithmic")
    edges = rates(results, size, counted.edges)[::-1] if counted else np.empty(1)
    unit = rate_unit(results)
    return _distribution(lines, (f"bandwidth from {unit}", f"bandwidth up to {unit}"), counted, edges, -1)


def _distribution(
    lines: tuple[str, ...], names: tuple[str, str], counted: Histogram | None, edges: NDArray[np.float64], turn: int
) -> Table:
    kind = ".8e" if turn == 1 else ".8g"
    counts = {str(c): values[::turn] for c, values in counted.counts.items()} if counted else {}
    every = sum(counts.values(), np.zeros(len(edges) - 1, np.intp))
    classes = tuple(Column(f"links, {name}", "d") for name in counts)
    columns = (Column("nr", "d"), Column(names[0], kind), Column("links", "d"), Column(names[1], kind), *classes)
    return Table(lines, columns, [(range(len(every)), edges[:-1], every, edges[1:], *counts.values())])


def hosts_table(results: Results, size: Size, selection: Selection) -> Table:
    """Each host as sender and receiver."""
    return _ends_table(results, size, results.ranks.host_index, "host", host_names(results.ranks))


def ranks_table(results: Results, size: Size, selection: Selection) -> Table:
    """Each rank as sender and receiver."""
    return _ends_table(results, size, np.arange(len(results.ranks)), "rank", results.ranks.host)


def _ends_table(results: Results, size: Size, group: NDArray[np.integer], what: str, names: Sequence[str]) -> Table:
    links = size.links

    def block(which: str, ends: tuple[EndTimes, EndTimes]) -> Sequence[Any]:
        there = np.flatnonzero(ends[0].links + ends[1].links)
        columns: list[Any] = [there]
        for end, peers in zip(ends, (links.to, links.frm), strict=True):
            worst = end.worst_link[there]
            peer = np.where(worst >= 0, peers[worst].astype(np.int64) if len(peers) else -1, -1)
            mean = end.mean[there]
            columns += [end.links[there], end.failed[there], mean, rates(results, size, mean)]
            columns += [end.worst[there], rates(results, size, end.worst[there]), peer]
        return [*columns, [which.replace(" ", "-")] * len(there), [names[i] for i in there.tolist()]]

    columns = [
        Column(f"{name} as {end}" + (f" {unit}" if unit else ""), kind)
        for end, peer in (("sender", "to"), ("receiver", "from"))
        for name, unit, kind in (
            ("links", "", "d"), ("failed", "", "d"), ("mean", "(s)", ".8e"), ("mean", rate_unit(results), ".8g"),
            ("worst", "(s)", ".8e"), ("worst", rate_unit(results), ".8g"), (f"worst {peer} rank", "", "d"),
        )
    ]  # fmt: skip
    return Table(
        (
            *head(results, size, f"each {what}: its links to the others, and theirs to it"),
            "mean: of the times, and the bandwidth of that time; worst: the slowest link; -1: none",
        ),
        (Column(what, "d"), *columns, Column("peers", "s"), Column("host", "s")),
        [block(str(both.link_class), (both.sending, both.receiving)) for both in both_ends(results, size, group)],
    )


def places_table(results: Results, size: Size, selection: Selection) -> Table:
    """The place of each rank: host, NUMA node, cores, device, address."""
    ranks = results.ranks
    return Table(
        (f"where ranks ran: {results.path.name}; -1 and -: not known",),
        (
            Column("rank", "d"), Column("host nr", "d"), Column("on host", "d"), Column("NUMA node", "d"),
            Column("host", "s"), Column("cores", "s"), Column("device", "s"), Column("address", "s"),
            Column("GPU", "d"), Column("GPU to device", "s"), Column("GPU path", "s"),
        ),
        [
            (
                range(len(ranks)), ranks.host_index, ranks.local_rank, ranks.numa, ranks.host, ranks.cores,
                ranks.device, ranks.address, ranks.gpu, ranks.gpu_to_device, ranks.gpu_path,
            )
        ],
    )  # fmt: skip


def _hosts(results: Results, ends: Any) -> list[str]:
    host = results.ranks.host
    return [f"{host[frm]} -> {host[to]}" for frm, to in ends]


def _grid(size: Size, values: NDArray[np.float64]) -> Iterator[tuple[Any, Any, NDArray[np.float64]]]:
    """From, to and value of all pairs, one sender at a time; NaN if there is no link."""
    links = size.links  # ordered by sender
    starts = np.searchsorted(links.frm, np.arange(size.ranks + 1))
    for rank in range(size.ranks):
        row, here = np.full(size.ranks, np.nan), slice(starts[rank], starts[rank + 1])
        row[links.to[here]] = values[here]
        yield [rank] * size.ranks, range(size.ranks), row


TABLES: dict[str, Callable[[Results, Size, Selection], Table]] = {
    "slowest": slowest_table,
    "outside": outside_table,
    "step-pattern": step_pattern,
    "bandwidth-pattern": bandwidth_pattern,
    "time-distribution": time_distribution,
    "bandwidth-distribution": bandwidth_distribution,
    "hosts": hosts_table,
    "ranks": ranks_table,
    "places": places_table,
}
