"""The tables of a load pattern, as texts: what stands in a row of a scene, and all tables of a page."""

import math
from collections.abc import Callable, Iterator, Sequence

from everylink.analysis.load_sums import SceneSums, scene_sums
from everylink.analysis.service_sums import service_sums
from everylink.loads import Load
from everylink.report.service import party_table, round_table, service_table
from everylink.results import Results
from everylink.units import UNKNOWN, bandwidth_text, size_text, time_text

Titled = tuple[str, Sequence[str], list[list[str]]]  # with headings and rows


def tables(results: Results, load: Load) -> Iterator[Titled]:
    """All tables of a pattern; of clients and servers also one of each, at the largest size."""
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
    """Headings, and what stands below them; only what any of the scenes has."""
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
