"""Prints a run of links for `show`: the run, failed links, times and bandwidths, the slowest links, a map."""

import math
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from everylink.deviation.usual import Usual, usual_of
from everylink.judge.verdict import JudgedRun
from everylink.links.classes import ClassSummary, summarise
from everylink.links.extremes import slowest
from everylink.links.failed import Failures, fold_failures
from everylink.model.results import Results, Size
from everylink.model.rows import outcome_text
from everylink.terminal.console import cut, empty_table, heat_map, print_left, print_wide
from everylink.text.run import bisection_lines, link_warnings, means_lines, rate_text, remarks, run_lines
from everylink.text.verdicts import verdict_text
from everylink.units import size_text, time_text

SLOWEST = 10  # links listed


def print_summary(run: JudgedRun, console: Console, most_slowest: int = SLOWEST, everything: bool = False) -> None:
    """Print everything that `show` says about one results file of links, but the judgement."""
    results = run.results
    print_head(results, run_lines(results), link_warnings(results), console)
    measured = any(size.outcomes.links for size in results.sizes)
    for size in results.sizes:
        if (failed := fold_failures(results, size)).failed:
            console.print()
            console.print(_failures(size, failed), soft_wrap=True)
    print_remarks(results, console)
    if not measured:
        return
    console.print()
    _print_times(results, console, everything)
    for lines in (means_lines(results), bisection_lines(results)):
        for line in cut(lines, everything):
            console.print(Text(line), soft_wrap=True)
        print_left(len(lines) - len(cut(lines, everything)), console)
    largest = results.sizes[-1]
    usual = usual_of(run, largest)
    for part in (_slowest(run, largest, usual, most_slowest, console), heat_map(run, largest, usual, console)):
        if part is not None:
            console.print()
            print_wide(part, console)


def print_head(results: Results, lines: Sequence[str], warnings: Sequence[str], console: Console) -> None:
    """Print the file, the run, and warnings to read before the numbers."""
    console.print(Text(str(results.path), style="bold"), soft_wrap=True)
    for line in lines:
        console.print(Text("  " + line), soft_wrap=True)
    for line in warnings:
        console.print(Text("  ! " + line, style="bold yellow"), soft_wrap=True)


def print_judgement(run: JudgedRun, console: Console, everything: bool = False) -> None:
    """Print what is bad, or that nothing is; nothing of a run that measured nothing yet."""
    results = run.results
    if any(size.outcomes.links for size in results.sizes) or any(len(load.flows) for load in results.loads):
        console.print()
        console.print(verdict_text(run.judgement, everything), soft_wrap=True)


def print_remarks(results: Results, console: Console) -> None:
    """Print the remarks of the run."""
    if lines := remarks(results):
        console.print()
        console.print(Text("\n  ".join(["Remarks of the run", *lines])), soft_wrap=True)


def _failures(size: Size, failed: Failures) -> Text:
    text = Text(f"FAILED at {size_text(size.bytes)}: {failed.heading()}", style="bold red")
    for line in failed.lines():
        text.append(f"\n  {line}", style="not bold red")
    return text


def _print_times(results: Results, console: Console, everything: bool) -> None:
    """Two lines for each size and class of links, which count as one row: times, and bandwidths."""
    table = empty_table(console)
    table.add_column("size", no_wrap=True)
    table.add_column("links", no_wrap=True)
    for heading in ("count", "failed", "min", "median", "p99", "max"):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = [(size, summary) for size in results.sizes for summary in summarise(results, size).classes]
    shown: Size | None = None
    for size, summary in cut(rows, everything):
        _add_class(table, "" if size is shown else size_text(size.bytes), summary, results, size)
        shown = size
    title = f"One-way time of the links (the median of each), and {results.bandwidth_label}"
    print_wide(Group(Text(title, style="bold"), table), console)
    print_left(len(rows) - table.row_count // 2, console)


def _add_class(table: Table, label: str, summary: ClassSummary, results: Results, size: Size) -> None:
    failed = Text(str(summary.failed), style="bold red" if summary.failed else "")
    times = vars(summary.time).values()
    table.add_row(label, str(summary.link_class), str(summary.links), failed, *map(time_text, times))
    table.add_row("", "", "", "", *(rate_text(results, size, seconds) for seconds in times), style="dim")


def _slowest(run: JudgedRun, size: Size, usual: Usual, most: int, console: Console) -> RenderableType | None:
    results = run.results
    links = slowest(results, size, most)
    if not links:
        return None
    table = empty_table(console)
    table.add_column("link", no_wrap=True)
    for heading in ("first", "bandwidth", "x expected", "again", "bandwidth"):
        table.add_column(heading, justify="right", no_wrap=True)
    for link, factor in zip(links, usual.times_expected(links), strict=True):
        name = f"{results.ranks.name(link.frm)} -> {results.ranks.name(link.to)}"
        rate = rate_text(results, size, link.first)
        cells = [name, time_text(link.first), rate, "-" if math.isnan(factor) else f"{factor:.2f}"]
        if link.second is not None and link.second_outcome is not None:
            again = rate_text(results, size, link.second)
            unknown = math.isnan(link.second)
            cells += [outcome_text(link.second_outcome) if unknown else time_text(link.second), again]
        table.add_row(*cells)
    title = f"Slowest links at {size_text(size.bytes)}, median time first, then measured again alone"
    return Group(Text(title, style="bold"), table)
