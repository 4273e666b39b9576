"""What `show --fit` prints: latency, asymptotic bandwidth and n_1/2 of each kind of links."""

from rich.console import Console
from rich.text import Text

from everylink.analysis.line_fit import LineFit
from everylink.errors import UserMistake
from everylink.report.terminal import UNKEPT_WIDTH, empty_table
from everylink.report.words import run_lines, warnings
from everylink.results import Results
from everylink.units import about_bytes_text, bandwidth_text, size_text, time_text

TITLE = "One-way time = latency + bytes / bandwidth, fitted to the median link of each size"


def print_fits(results: Results, fits: tuple[LineFit, ...], console: Console) -> None:
    """Print a line for each fit. Raises UserMistake where there is none."""
    if not fits:
        raise UserMistake(f"--fit: {results.path} has no times at two sizes or more; measure with -s 8,1MiB at least")
    console.print(Text(str(results.path), style="bold"), soft_wrap=True)
    for line in run_lines(results):
        console.print(Text("  " + line), soft_wrap=True)
    for line in warnings(results):
        console.print(Text("  ! " + line, style="bold yellow"), soft_wrap=True)
    console.print()
    rate = results.bandwidth_label
    title = TITLE if results.directions == 1 else f"{TITLE}; {rate}: half of it each way"
    console.print(Text(title, style="bold"), soft_wrap=True)
    table = empty_table(console)
    table.add_column("links", no_wrap=True)
    for heading in ("count", "sizes", "latency", rate, "n_1/2", "measured, at worst"):
        table.add_column(heading, justify="right", no_wrap=True)
    for fit in fits:
        table.add_row(*_cells(fit))
    console.print(table, width=max(console.width, UNKEPT_WIDTH), crop=False)
    if any(fit.latency != fit.latency or fit.bandwidth != fit.bandwidth for fit in fits):
        console.print(
            Text("-: the sizes measured do not tell. Latency shows in short messages, bandwidth in long ones.")
        )


def _cells(fit: LineFit) -> list[str]:
    half = about_bytes_text(fit.half_size)
    off = f"{fit.farthest:.2f} times at {size_text(fit.farthest_bytes)}"
    return [fit.kind, str(fit.links), str(fit.sizes), time_text(fit.latency), bandwidth_text(fit.bandwidth), half, off]
