"""Tables of a load pattern, as texts."""

import math
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from everylink.load.service import Party, ServiceSums, service_sums
from everylink.load.sums import SceneSums, round_sums, scene_sums
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.terminal.console import cut, print_left
from everylink.units import UNKNOWN, bandwidth_text, number_text, size_text, time_text

MIB, MILLI, MICRO = 2**20, 1e-3, 1e-6
Cells = tuple[tuple[str, ...], list[list[str]]]  # headings and rows
Titled = tuple[str, Sequence[str], list[list[str]]]  # title, headings, rows


def service_table(sums: Sequence[ServiceSums], point: str) -> Cells:
    """One row per scene (direction, size, requests in flight); each transfer counts once."""
    headings = (
        "", "size (B)", point, "failed", "time (ms)", "bandwidth (MiB/s)", "requests (1/s)", "latency: mean (us)",
        "median (us)", "p99 (us)", "service (us)", "Jain", "last/first",
    )  # fmt: skip
    rows = [
        [
            scene.variant, str(scene.bytes), str(scene.point), str(scene.failed), number_text(scene.seconds / MILLI),
            number_text(scene.rate / MIB), number_text(scene.requests_a_second), *_times(scene),
            number_text(scene.jain), number_text(scene.spread, 3),
        ]
        for scene in sorted(sums, key=lambda scene: (scene.point, scene.variant != "put", scene.variant, scene.bytes))
    ]  # fmt: skip
    return headings, rows


def party_table(parties: Sequence[Party], what: str, name: Callable[[int], str]) -> Cells:
    """One row per client or server of a scene, in rank order."""
    headings = (
        what, "failed", "requests", "time (ms)", "bandwidth (MiB/s)", "latency: mean (us)", "median (us)", "p99 (us)",
        "service (us)",
    )  # fmt: skip
    rows = [
        [
            name(one.rank), str(one.failed), str(one.requests), number_text(one.seconds / MILLI),
            number_text(one.rate / MIB), *_times(one),
        ]
        for one in parties
    ]  # fmt: skip
    return headings, rows


def round_table(sums: Sequence[SceneSums]) -> Cells:
    """One row per size of an all-to-all."""
    headings = (
        "size (B)", "rounds", "flows", "failed", "each to each (ms)", "bandwidth in all (MiB/s)", "a message (us)",
        "messages (1/s)",
    )  # fmt: skip
    rows = [
        [
            str(one.bytes), str(one.rounds), str(one.flows), str(one.failed), number_text(one.seconds / MILLI),
            number_text(one.rate / MIB), number_text(one.message / MICRO), number_text(one.messages_a_second),
        ]
        for one in round_sums(sums)
    ]  # fmt: skip
    return headings, rows


def print_cells(cells: Cells, title: str, console: Console, everything: bool) -> None:
    """Print a table."""
    headings, rows = cells
    console.print()
    console.print(Text(title, style="bold"), soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in cut(rows, everything):
        table.add_row(*map(Text, row))
    # soft_wrap: a wrapped line is better than a truncated number
    console.print(table, soft_wrap=True)
    print_left(len(rows) - table.row_count, console)


def print_parties(sums: Sequence[ServiceSums], name: Callable[[int], str], console: Console, everything: bool) -> None:
    """Print each server and each client in the scenes of the largest size."""
    largest = max((scene.bytes for scene in sums), default=0)
    for scene in (scene for scene in sums if scene.bytes == largest):
        way = " ".join(filter(None, (scene.variant, f"of {size_text(scene.bytes)}, {scene.point} in flight")))
        print_cells(party_table(scene.servers, "server", name), f"Servers, {way}", console, everything)
        print_cells(party_table(scene.clients, "client", name), f"Clients, {way}", console, everything)


def _times(of: ServiceSums | Party) -> list[str]:
    waiting = of.waiting
    return [number_text(t / MICRO) for t in (waiting.mean, waiting.median, waiting.p99, of.service)]


def tables(results: Results, load: Load) -> Iterator[Titled]:
    """All tables of a pattern; for client-server also the servers and clients at the largest size."""
    if load.name == "client-server":
        sums = service_sums(load)
        yield (load.name, *service_table(sums, load.point))
        for scene in (scene for scene in sums if scene.bytes == load.sizes[-1]):
            at = f"{scene.variant} of {size_text(scene.bytes)}, {scene.point} in flight"
            yield (f"servers, {at}", *party_table(scene.servers, "server", results.ranks.name))
            yield (f"clients, {at}", *party_table(scene.clients, "client", results.ranks.name))
        return
    every = scene_sums(load)
    if load.name == "all-to-all":
        yield (load.name, *round_table(every))
    for size in load.sizes:
        of_size = [scene for scene in every if scene.bytes == size]
        columns = scene_columns(of_size)
        rows = [[str(scene.point), *(cell(scene) for _, cell in columns)] for scene in of_size]
        yield f"{load.name}, messages of {size_text(size)}", [load.point, *(name for name, _ in columns)], rows


def scene_columns(sums: Sequence[SceneSums]) -> list[tuple[str, Callable[[SceneSums], str]]]:
    """Headings and cell texts of the columns for which any scene has a value."""
    columns: list[tuple[str, Callable[[SceneSums], str]]] = []
    if any(scene.variant for scene in sums):
        columns.append(("", lambda scene: scene.variant))
    columns.append(("flows", lambda scene: str(scene.flows)))
    columns.append(("failed", lambda scene: str(scene.failed)))
    if not all(math.isnan(scene.rate.total) for scene in sums):
        columns += [
            ("slowest", lambda scene: _rate(scene.rate.min)),
            ("mean", lambda scene: _rate(scene.rate.mean)),
            ("fastest", lambda scene: _rate(scene.rate.max)),
            ("in all", lambda scene: _rate(scene.rate.total)),
        ]
    if not all(math.isnan(scene.latency.mean) for scene in sums):
        columns += [
            ("latency", lambda scene: _time(scene.latency.mean)),
            ("median", lambda scene: _time(scene.latency.median)),
            ("p99", lambda scene: _time(scene.latency.p99)),
        ]
    return columns


def _rate(value: float) -> str:
    return UNKNOWN if math.isnan(value) else bandwidth_text(value)


def _time(value: float) -> str:
    return UNKNOWN if math.isnan(value) else time_text(value)
