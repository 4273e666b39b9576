"""Prints a prediction: the exchange, the same without faults, the ranks, the most expensive messages; or JSON."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from everylink.model.results import Results
from everylink.predict.placement import Placement
from everylink.predict.prediction import CostlyMessage, Prediction
from everylink.predict.times import MEASURED
from everylink.terminal.console import UNKEPT_WIDTH, empty_table
from everylink.units import about_bytes_text, plural, size_text, time_text

SCHEMA = "everylink-prediction/1"
MOST_RANKS, SLOWEST_RANKS = 16, 8
STATES = ("measured", "failed", "not measured")


def print_prediction(results: Results, found: Prediction, placement: Placement | None, console: Console) -> None:
    """Print everything that `predict` says."""
    pattern = found.pattern
    console.print(Text(f"{results.path}: {pattern.name}", style="bold"), soft_wrap=True)
    counts = f"{plural(found.messages, 'message')}, {about_bytes_text(found.bytes)} in all"
    for line in (pattern.text, f"{counts}, {plural(pattern.phases, 'phase')}"):
        console.print(Text("  " + line), soft_wrap=True)
    for line in _notes(found):
        console.print(Text("  ! " + line, style="bold yellow"), soft_wrap=True)
    console.print()
    for line in _times(results, found):
        console.print(Text(line), soft_wrap=True)
    console.print()
    console.print(Text("Most expensive messages, and links of their kind without faults", style="bold"))
    costly = empty_table(console)
    costly.add_column("link", no_wrap=True)
    for heading in ("bytes", "one-way", "without faults", "x"):
        costly.add_column(heading, justify="right", no_wrap=True)
    costly.add_column("", no_wrap=True)
    for message in found.costly:
        costly.add_row(*_cells(results, message))
    console.print(costly, width=max(console.width, UNKEPT_WIDTH), crop=False)
    if placement is not None:
        console.print()
        console.print(Text(_placed(found, placement)), soft_wrap=True)


def _notes(found: Prediction) -> Iterator[str]:
    gone = [(found.failed, "failed"), (found.not_measured, "were not measured")]
    for count, what in gone:
        if count:
            yield (
                f"{plural(count, 'message')} of {found.messages} over links that {what}: predicted from healthy "
                "links of their kind"
            )
    if found.bound is not None and found.bound.seconds > found.seconds:
        yield (
            f"{found.bound.host} would carry more than its adapters can ({found.bound.limit}): the exchange takes at "
            f"least {time_text(found.bound.seconds)}"
        )
    yield from found.remarks


def _times(results: Results, found: Prediction) -> Iterator[str]:
    finished, ranks = found.rank_seconds, results.ranks
    slowest = int(finished.argmax())
    yield f"exchange        {time_text(found.seconds):>10}  its slowest rank is {ranks.name(slowest)}"
    if found.healthy > 0:
        times = f"measured links take {found.seconds / found.healthy:.2f} times as long"
        yield f"without faults  {time_text(found.healthy):>10}  {times}"
    if found.bound is not None and found.bound.bytes:
        share = f"{100 * found.bound.seconds / found.seconds:.0f} % of what {found.bound.limit} carries"
        size = about_bytes_text(found.bound.bytes)
        yield f"adapters need  {time_text(found.bound.seconds):>10}  {found.bound.host} carries {size} one way, {share}"
    order = np.argsort(-finished, kind="stable")
    shown = order if len(order) <= MOST_RANKS else order[:SLOWEST_RANKS]
    listed = ", ".join(f"{ranks.name(int(rank))} {time_text(finished[rank])}" for rank in shown)
    if len(shown) < len(order):
        spread = f"fastest {time_text(finished.min())}, median {time_text(float(np.median(finished)))}, slowest: "
        yield f"ranks           {spread}{listed}; --format json has all"
    else:
        yield f"ranks           {listed}"


def _cells(results: Results, message: CostlyMessage) -> list[str]:
    name = results.ranks.name
    return [
        f"{name(message.frm)} -> {name(message.to)}", size_text(message.bytes), time_text(message.seconds),
        time_text(message.healthy), f"{message.seconds / message.healthy:.2f}",
        "" if message.state == MEASURED else f"link {STATES[message.state]}",
    ]  # fmt: skip


def _placed(found: Prediction, placement: Placement) -> str:
    if found.pattern.uniform:
        return "Placement makes no difference: in this pattern every rank sends the same to every other one."
    if not placement.better:
        return "No better placement was found: the files hold the order of the run."
    moved = int((placement.place != np.arange(len(placement.place))).sum())
    before, after = placement.before, placement.after
    shunned = before.failed - after.failed
    parts = [
        f"exchange {_gain(before.seconds, after.seconds)}",
        f"mean of the ranks {_gain(before.mean, after.mean)}",
        *([f"{plural(shunned, 'message')} fewer over failed links"] if shunned else []),
        f"{moved} of {plural(len(placement.place), 'rank')} moved",
    ]
    return f"Better placement: {'; '.join(parts)}"


def _gain(before: float, after: float) -> str:
    return f"{time_text(before)} -> {time_text(after)} ({after / before - 1:+.1%})"


def prediction_json(results: Results, found: Prediction, placement: Placement | None, written: Sequence[Path]) -> str:
    """The prediction as one JSON object (docs/predict.md); `written`: files of the placement."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "file": str(results.path),
        "pattern": found.pattern.name,
        "messages": found.messages,
        "bytes": found.bytes,
        "phases": found.pattern.phases,
        "seconds": found.seconds,
        "without_faults_seconds": found.healthy,
        "adapters": None if found.bound is None else vars(found.bound),
        "rank_seconds": found.rank_seconds.tolist(),
        "costly": [
            {
                "from": m.frm, "to": m.to, "bytes": m.bytes, "seconds": m.seconds, "without_faults_seconds": m.healthy,
                "link": STATES[m.state],
            }
            for m in found.costly
        ],
        "over_failed_links": found.failed,
        "over_links_not_measured": found.not_measured,
        "remarks": list(found.remarks),
    }  # fmt: skip
    if placement is not None:
        fields["placement"] = {
            "before": vars(placement.before), "after": vars(placement.after), "place": placement.place.tolist(),
            "files": list(map(str, written)),
        }  # fmt: skip
    return json.dumps(fields, indent=1, allow_nan=False)
