"""Prints what options of `show` ask for: links outside limits, each host, fitted lines."""

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from everylink.inventory.cables import Wiring
from everylink.inventory.switches import cable_rows, switch_rows
from everylink.judge.verdict import JudgedRun
from everylink.links.extremes import EndTimes, both_ends, outside
from everylink.links.host_pairs import have_several_paths
from everylink.links.hosts import host_names
from everylink.model.results import Results, Size
from everylink.predict.fit import LineFit
from everylink.terminal.console import ALL, TABLE_ROWS, UNKEPT_WIDTH, cut, empty_table, print_left, print_wide
from everylink.terminal.summary import print_head
from everylink.text.host_tables import HostTable, cables_table, host_pairs_table, switches_table
from everylink.text.run import link_warnings, rate_text, run_lines
from everylink.text.summary import SWITCHES_UNKNOWN
from everylink.units import UNKNOWN, about_bytes_text, bandwidth_text, plural, size_text, time_text

FIT_TITLE = "One-way time = latency + bytes / bandwidth, fitted to the median link of each size"


def print_outside(
    results: Results, size: Size, below: float | None, above: float | None, console: Console, everything: bool
) -> None:
    """Print the links of one size that are slower or faster than limits in bytes per second."""
    found = outside(results, size, below, above)
    if below is not None:
        _print_links(results, size, f"SLOW: below {bandwidth_text(below)}", found.slow, console, everything)
    if above is not None:
        _print_links(results, size, f"FAST: above {bandwidth_text(above)}", found.fast, console, everything)
    if found.untimed:
        console.print(f"{plural(found.untimed, 'link')} failed and have no time; they are not listed")


def _print_links(
    results: Results, size: Size, heading: str, index: NDArray[np.intp], console: Console, everything: bool
) -> None:
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
    shown = cut(index.tolist(), everything)
    for i in shown:
        seconds = float(links.median[i])
        speed = rate_text(results, size, seconds)
        table.add_row(f"{name(int(links.frm[i]))} -> {name(int(links.to[i]))}", time_text(seconds), speed)
    if len(index):
        print_wide(table, console)
    print_left(len(index) - len(shown), console)


def print_hosts(results: Results, size: Size, console: Console, everything: bool) -> None:
    """Print each host's mean and worst one-way time as sender and receiver, with the corresponding bandwidths.

    Of more hosts than a table has, those with the longest means, the longest first.
    """
    names = host_names(results.ranks)
    for both in both_ends(results, size, results.ranks.host_index):
        there = np.flatnonzero(both.sending.links + both.receiving.links)
        mean = np.nan_to_num(np.fmax(both.sending.mean, both.receiving.mean)[there])
        by_mean = there[np.argsort(-mean, kind="stable")].tolist()
        shown = there.tolist() if len(cut(by_mean, everything)) == len(there) else cut(by_mean, everything)
        ordered = "" if len(shown) == len(there) else ", the slowest first"
        console.print()
        title = f"Hosts at {size_text(size.bytes)}, {both.link_class}: one-way time and {results.bandwidth_label}"
        console.print(Text(title + ordered, style="bold"))
        table = empty_table(console)
        table.add_column("host", no_wrap=True)
        for column in ("sends: mean", "worst", "to", "receives: mean", "worst", "from"):
            table.add_column(column, justify="right", no_wrap=True)
        for i in shown:
            sent = _cells(results, size, both.sending, i, size.links.to)
            table.add_row(names[i], *sent, *_cells(results, size, both.receiving, i, size.links.frm))
        print_wide(table, console)
        print_left(len(there) - len(shown), console)


def _cells(results: Results, size: Size, end: EndTimes, i: int, peers: NDArray[np.uint32]) -> list[str]:
    """Mean and worst time of one host with bandwidths, and the far end of its worst link."""
    texts = [f"{time_text(float(t))} {rate_text(results, size, float(t))}" for t in (end.mean[i], end.worst[i])]
    link = int(end.worst_link[i])
    return [*texts, results.ranks.name(int(peers[link])) if link >= 0 else UNKNOWN]


def print_host_pairs(results: Results, size: Size, most: int | None, console: Console) -> None:
    """Print the best and the worst path of the pairs of hosts whose paths differ most."""
    if have_several_paths(results.ranks):
        _print_host_table(host_pairs_table(results, size, most, ALL), console)
    else:
        console.print("\nNo two hosts have several paths: that takes several ranks on a host (--nranks 2)")


def print_switches(
    run: JudgedRun, size: Size, wiring: Wiring | None, most: int | None, console: Console, everything: bool
) -> None:
    """Print the switches, and the `most` slowest cables between hosts and switches; None: all."""
    results, subjects = run.results, run.judgement.subjects
    if wiring is None:
        console.print(f"\n{SWITCHES_UNKNOWN}", soft_wrap=True)
        return
    switches = switch_rows(results, size, wiring, subjects)
    _print_host_table(switches_table(results, size, switches, wiring, None if everything else TABLE_ROWS, ALL), console)
    if cables := cable_rows(results, size, wiring, subjects):
        _print_host_table(cables_table(results, size, cables, wiring, most, ALL), console)


def _print_host_table(shown: HostTable, console: Console) -> None:
    console.print()
    console.print(Text(shown.title, style="bold"), soft_wrap=True)
    table = empty_table(console)
    for heading in shown.headings:
        table.add_column(heading, justify="left" if heading in shown.texts else "right", no_wrap=True)
    for row in shown.rows:
        table.add_row(*row)
    print_wide(table, console)
    if shown.note:
        console.print(shown.note, soft_wrap=True)


def print_fits(results: Results, fits: tuple[LineFit, ...], everything: bool, console: Console) -> None:
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
    for fit in cut(fits, everything):
        table.add_row(*_fit_cells(fit))
    console.print(table, width=max(console.width, UNKEPT_WIDTH), crop=False)
    print_left(len(fits) - table.row_count, console)
    if any(fit.latency != fit.latency or fit.bandwidth != fit.bandwidth for fit in fits):
        console.print(Text("-: unknown from the sizes measured. Short messages show latency, long ones bandwidth."))


def _fit_cells(fit: LineFit) -> list[str]:
    half = about_bytes_text(fit.half_size)
    off = f"{fit.farthest:.2f} times at {size_text(fit.farthest_bytes)}"
    return [fit.kind, str(fit.links), str(fit.sizes), time_text(fit.latency), bandwidth_text(fit.bandwidth), half, off]
