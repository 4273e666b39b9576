"""Prints a load pattern for `show`: one row per scene, the conclusions, and the failed flows."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from everylink.deviation.usual import usual_of
from everylink.judge.verdict import JudgedRun
from everylink.links.extremes import slowest, times_typical
from everylink.load.conclusions import conclusions, heading, service_conclusions
from everylink.load.links import MATRICES, as_links, fold_failed_flows
from everylink.load.service import service_sums
from everylink.load.sums import SceneSums, scene_sums
from everylink.load.tables import MIB, print_cells, print_parties, round_table, scene_columns, service_table
from everylink.load.words import load_lines, load_warnings
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.terminal.console import ALL, TABLE_ROWS, heat_map
from everylink.terminal.questions import print_hosts
from everylink.terminal.summary import print_head, print_remarks
from everylink.units import bandwidth, number_text, plural, size_text


def print_loads(run: JudgedRun, console: Console, most_slowest: int, everything: bool) -> None:
    """Print everything that `show` says about one results file of load patterns, but the judgement."""
    results = run.results
    print_head(results, load_lines(results), load_warnings(results), console)
    print_remarks(results, console)
    for load in results.loads:
        if failed := _failed(results, load):
            console.print()
            console.print(failed, soft_wrap=True)
        if load.name == "client-server":
            _print_service(results, load, console, everything)
        else:
            _print_scenes(load, scene_sums(load), console, everything)
            _print_links(run, load, console, most_slowest)


def _print_scenes(load: Load, sums: Sequence[SceneSums], console: Console, everything: bool) -> None:
    if load.name == "all-to-all":
        print_cells(round_table(sums), load.name, console, everything)
    for size in load.sizes:
        of_size = [scene for scene in sums if scene.bytes == size]
        if load.name != "all-to-all":
            console.print()
            console.print(Text(f"{load.name}, messages of {size_text(size)}", style="bold"))
            table = _table(load, of_size, everything)
            console.print(table, soft_wrap=True)
            if (left := len(of_size) - table.row_count) > 0:
                console.print(f"{left} more, between these; {ALL}")
        _print_lines(heading(load, size), conclusions(load, of_size), console)


def _print_service(results: Results, load: Load, console: Console, everything: bool) -> None:
    sums = service_sums(load)
    title = f"{load.name}: {plural(load.servers, 'server')}, {plural(len(results.ranks) - load.servers, 'client')}"
    print_cells(service_table(sums, load.point), title, console, everything)
    for size in load.sizes[-1:]:
        largest = [scene for scene in sums if scene.bytes == size]
        _print_lines(heading(load, size), service_conclusions(largest, results.ranks.name), console)


def _print_lines(before: str, lines: Sequence[str], console: Console) -> None:
    for line in lines:
        console.print(Text(f"{before}: {line}", style="bold"), soft_wrap=True)


def _print_links(run: JudgedRun, load: Load, console: Console, most: int) -> None:
    """Print each connection at the largest size, for patterns in which every rank meets every other one."""
    results, links = run.results, as_links(run.results, load)
    if load.name in MATRICES and links.sizes and (slow := slowest(links, links.sizes[-1], most)):
        size = links.sizes[-1]
        rows = [
            [
                f"{results.ranks.name(one.frm)} -> {results.ranks.name(one.to)}",
                number_text(bandwidth(size.bytes, one.first, 1) / MIB), f"{times:.2f}",
            ]
            for one, times in zip(slow, times_typical(links, size, slow), strict=True)
        ]  # fmt: skip
        title = f"Slowest connections at {size_text(size.bytes)}"
        print_cells((("connection", "bandwidth (MiB/s)", "x typical time"), rows), title, console, everything=True)
        judged = JudgedRun(links, run.judgement)
        if (drawn := heat_map(judged, size, usual_of(judged, size), console)) is not None:
            console.print()
            console.print(drawn, soft_wrap=True)


def _table(load: Load, sums: list[SceneSums], everything: bool) -> Table:
    """A row per scene; of more than a table has, evenly spaced ones with the first and the last."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    shown = range(len(sums))
    if len(sums) > TABLE_ROWS and not everything:
        shown = np.linspace(0, len(sums) - 1, TABLE_ROWS).round().astype(int).tolist()
    columns = scene_columns(sums)
    table.add_column(load.point, justify="right", no_wrap=True)
    for name, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for scene in (sums[i] for i in shown):
        failed = "bold red" if scene.failed else ""
        cells = [Text(str(scene.point)), *(Text(cell(scene), style=failed) for _, cell in columns)]
        table.add_row(*cells)
    return table


def _failed(results: Results, load: Load) -> Text | None:
    flows = load.flows
    bad = flows.failed
    if not bad.any():
        return None
    text = Text(f"FAILED: {int(bad.sum())} of {plural(len(flows), 'flow')}", style="bold red")
    for line in fold_failed_flows(results, load).lines():
        text.append(f"\n  {line}", style="not bold red")
    return text


def print_load_hosts(results: Results, console: Console, everything: bool) -> None:
    """Prints, for each pattern at its largest size, every client and server, or every host as sender and receiver."""
    for load in results.loads:
        if load.name == "client-server":
            print_parties(service_sums(load), results.ranks.name, console, everything)
            continue
        links = as_links(results, load)
        for size in links.sizes[-1:]:
            print_hosts(links, size, console, everything)
