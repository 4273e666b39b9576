"""Prints what options of `show` ask for: links outside limits, each host, fitted lines."""

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from everylink.host_lists import folded
from everylink.inventory.cables import Wiring
from everylink.inventory.switches import CableRow, SwitchRow, Typical, cable_rows, switch_rows
from everylink.judge.verdict import JudgedRun
from everylink.links.extremes import EndTimes, both_ends, outside
from everylink.links.host_pairs import Path, have_several_paths, host_pairs
from everylink.links.hosts import host_names
from everylink.links.rails import rails
from everylink.model.results import Results, Size
from everylink.predict.fit import LineFit
from everylink.terminal.console import UNKEPT_WIDTH, empty_table, print_wide
from everylink.terminal.summary import print_head
from everylink.text.run import link_warnings, rate_text, run_lines
from everylink.text.summary import SWITCHES_UNKNOWN
from everylink.units import UNKNOWN, about_bytes_text, bandwidth_text, number_text, plural, size_text, time_text

MOST_LINKS, MOST_HOSTS = 20, 100
FIT_TITLE = "One-way time = latency + bytes / bandwidth, fitted to the median link of each size"


def print_outside(results: Results, size: Size, below: float | None, above: float | None, console: Console) -> None:
    """Print the links of one size that are slower or faster than limits in bytes per second."""
    found = outside(results, size, below, above)
    if below is not None:
        _print_links(results, size, f"SLOW: below {bandwidth_text(below)}", found.slow, console)
    if above is not None:
        _print_links(results, size, f"FAST: above {bandwidth_text(above)}", found.fast, console)
    if found.untimed:
        console.print(f"{plural(found.untimed, 'link')} failed and have no time; they are not listed")


def _print_links(results: Results, size: Size, heading: str, index: NDArray[np.intp], console: Console) -> None:
    links, name = size.links, results.ranks.name
    console.print()
    count = f"{len(index)} of {plural(len(links), 'link')}"
    console.print(
        Text(f"{heading} ({results.single_bandwidth_label}) at {size_text(size.bytes)}: {count}", style="bold")
    )
    table = empty_table(console)
    table.add_column("link", no_wrap=True)
    for column in ("one-way", "bandwidth"):
        table.add_column(column, justify="right", no_wrap=True)
    for i in index[:MOST_LINKS].tolist():
        seconds = float(links.median[i])
        speed = rate_text(results, size, seconds)
        table.add_row(f"{name(int(links.frm[i]))} -> {name(int(links.to[i]))}", time_text(seconds), speed)
    if len(index):
        print_wide(table, console)
    if len(index) > MOST_LINKS:
        console.print(f"and {len(index) - MOST_LINKS} more: everylink export --what outside writes all")


def print_hosts(results: Results, size: Size, console: Console) -> None:
    """Print each host's mean and worst one-way time as sender and receiver, with the corresponding bandwidths."""
    names = host_names(results.ranks)
    for both in both_ends(results, size, results.ranks.host_index):
        console.print()
        title = f"Hosts at {size_text(size.bytes)}, {both.link_class}: one-way time and {results.bandwidth_label}"
        console.print(Text(title, style="bold"))
        table = empty_table(console)
        table.add_column("host", no_wrap=True)
        for column in ("sends: mean", "worst", "to", "receives: mean", "worst", "from"):
            table.add_column(column, justify="right", no_wrap=True)
        there = np.flatnonzero(both.sending.links + both.receiving.links)
        for i in there[:MOST_HOSTS].tolist():
            sent = _cells(results, size, both.sending, i, size.links.to)
            table.add_row(names[i], *sent, *_cells(results, size, both.receiving, i, size.links.frm))
        print_wide(table, console)
        if len(there) > MOST_HOSTS:
            console.print(f"and {len(there) - MOST_HOSTS} more: everylink export --what hosts writes all")


def _cells(results: Results, size: Size, end: EndTimes, i: int, peers: NDArray[np.uint32]) -> list[str]:
    """Mean and worst time of one host with bandwidths, and the far end of its worst link."""
    texts = [f"{time_text(float(t))} {rate_text(results, size, float(t))}" for t in (end.mean[i], end.worst[i])]
    link = int(end.worst_link[i])
    return [*texts, results.ranks.name(int(peers[link])) if link >= 0 else UNKNOWN]


def print_host_pairs(results: Results, size: Size, most: int, console: Console) -> None:
    """Print the best and the worst path of the pairs of hosts whose paths differ most."""
    console.print()
    if not have_several_paths(results.ranks):
        console.print("No two hosts have several paths: that takes several ranks on a host (--nranks 2)")
        return
    console.print(Text(f"Best and worst path of pairs of hosts at {size_text(size.bytes)}", style="bold"))
    names, rail = host_names(results.ranks), rails(results.ranks)
    table = empty_table(console)
    for column in ("hosts", "best path", "one-way", "worst path", "one-way"):
        table.add_column(column, no_wrap=True)
    for column in ("x best", "paths", "failed"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("slow rail", no_wrap=True)
    for pair in host_pairs(results, size, most):
        ends = (cell for path in (pair.best, pair.worst) for cell in _path_cells(results, size, path, rail))
        slow = ", ".join(f"{one.rail} of {names[one.host]} {one.times:.2f}x" for one in pair.slow_rails)
        counts = f"{pair.ratio:.2f}", str(pair.paths), str(pair.failed)
        table.add_row(" - ".join(names[host] for host in pair.hosts), *ends, *counts, slow)
    print_wide(table, console)


def _path_cells(results: Results, size: Size, path: Path, rail: tuple[str, ...]) -> tuple[str, str]:
    """The ends of a path with their rails, and its time and bandwidth."""
    ends = " -> ".join(f"{results.ranks.name(rank)} {rail[rank]}".rstrip() for rank in (path.frm, path.to))
    return ends, f"{time_text(path.seconds)} {rate_text(results, size, path.seconds)}"


def print_switches(run: JudgedRun, size: Size, wiring: Wiring | None, most: int, console: Console) -> None:
    """Print every switch, and the slowest cables between hosts and switches."""
    results, subjects = run.results, [verdict.subject for verdict in run.judgement.verdicts]
    console.print()
    if wiring is None:
        console.print(SWITCHES_UNKNOWN, soft_wrap=True)
        return
    _print_switch_rows(results, size, switch_rows(results, size, wiring, subjects), wiring.told_by, console)
    if cables := cable_rows(results, size, wiring, subjects):
        console.print()
        _print_cable_rows(results, size, cables, most, console)
        if others := len(wiring.cables) - len(cables):
            console.print(f"{plural(others, 'more cable')} of these hosts carried no link of this run")


def _print_switch_rows(results: Results, size: Size, rows: list[SwitchRow], told_by: str, console: Console) -> None:
    title = f"Switches at {size_text(size.bytes)}, told by {told_by}: median one-way time and {results.bandwidth_label}"
    console.print(Text(title, style="bold"), soft_wrap=True)
    names = host_names(results.ranks)
    table = empty_table(console)
    table.add_column("switch", no_wrap=True)
    for column in ("hosts", "within", "to others", "from others", "links", "failed", "verdicts"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("which hosts", no_wrap=True)
    for row in rows[:MOST_HOSTS]:
        links = (row.within, row.to_others, row.from_others)
        counts = (sum(one.links for one in links), sum(one.failed for one in links), row.verdicts)
        times = (_typical_text(results, size, one) for one in links)
        hosts = folded(names[host] for host in row.hosts)
        table.add_row(row.switch, str(len(row.hosts)), *times, *map(str, counts), hosts)
    print_wide(table, console)
    if len(rows) > MOST_HOSTS:
        console.print(f"and {len(rows) - MOST_HOSTS} more: --format json has all")


def _print_cable_rows(results: Results, size: Size, rows: list[CableRow], most: int, console: Console) -> None:
    title = f"Slowest cables at {size_text(size.bytes)}: median one-way time of their links between hosts"
    console.print(Text(title, style="bold"), soft_wrap=True)
    names = host_names(results.ranks)
    table = empty_table(console)
    for column in ("host and adapter", "switch and port"):
        table.add_column(column, no_wrap=True)
    for column in ("sends", "receives", "x typical", "links", "failed", "verdicts"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows[:most]:
        cable, both = row.cable, (row.sends, row.receives)
        ends = f"{names[cable.host]} {cable.adapter}", f"{cable.switch} {cable.switch_port}"
        counts = (sum(one.links for one in both), sum(one.failed for one in both), row.verdicts)
        times = (_typical_text(results, size, one) for one in both)
        table.add_row(*ends, *times, number_text(row.ratio, 3), *map(str, counts))
    print_wide(table, console)


def _typical_text(results: Results, size: Size, links: Typical) -> str:
    return f"{time_text(links.seconds)} {rate_text(results, size, links.seconds)}"


def print_fits(results: Results, fits: tuple[LineFit, ...], console: Console) -> None:
    """Print one line per fit."""
    print_head(results, run_lines(results), link_warnings(results), console)
    console.print()
    rate = results.single_bandwidth_label
    title = FIT_TITLE if results.directions == 1 else f"{FIT_TITLE}; {rate}: half of it each way"
    console.print(Text(title, style="bold"), soft_wrap=True)
    table = empty_table(console)
    table.add_column("links", no_wrap=True)
    for heading in ("count", "sizes", "latency", rate, "n_1/2", "measured, at worst"):
        table.add_column(heading, justify="right", no_wrap=True)
    for fit in fits:
        table.add_row(*_fit_cells(fit))
    console.print(table, width=max(console.width, UNKEPT_WIDTH), crop=False)
    if any(fit.latency != fit.latency or fit.bandwidth != fit.bandwidth for fit in fits):
        console.print(Text("-: unknown from the sizes measured. Short messages show latency, long ones bandwidth."))


def _fit_cells(fit: LineFit) -> list[str]:
    half = about_bytes_text(fit.half_size)
    off = f"{fit.farthest:.2f} times at {size_text(fit.farthest_bytes)}"
    return [fit.kind, str(fit.links), str(fit.sizes), time_text(fit.latency), bandwidth_text(fit.bandwidth), half, off]
