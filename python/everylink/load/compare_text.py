"""Prints the comparison of two runs of a load pattern: one line per finding, or one JSON object."""

import json
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from everylink.inventory.versus import Versus
from everylink.load.compare import BANDWIDTH, LATENCY, LoadChange, LoadComparison, Subject
from everylink.terminal.comparison import failure_json, failure_text, print_changes, print_host_changes
from everylink.text.inventory import change_fields
from everylink.units import bandwidth_text, plural, size_text, time_text

SCHEMA = "everylink-load-comparison/1"


def print_load_comparison(found: LoadComparison, hosts: Versus | None, everything: bool, console: Console) -> None:
    """Print what changed; `hosts`: what the hosts say of themselves, where both runs read them."""
    console.print(Text(f"{found.base.path} -> {found.new.path}", style="bold"), soft_wrap=True)
    ranks = plural(found.new.facts.ranks, "rank")
    for line in (f"pattern {found.pattern}, {ranks}, {plural(found.compared, 'value')} compared", *found.notes):
        console.print(Text("  " + line), soft_wrap=True)
    console.print()
    for heading, style, lines in (
        ("FAILED", "bold red", [failure_text(failure) for failure in found.failed]),
        ("SLOWER", "bold red", [_change_text(found, change) for change in found.slower]),
        ("OK NOW", "green", [f"{failure_text(failure)} in the base" for failure in found.healed]),
        ("FASTER", "green", [_change_text(found, change) for change in found.faster]),
    ):
        print_changes(heading, style, lines, everything, console)
    print_host_changes(hosts, everything, console)
    anything = found.failed or found.slower or found.healed or found.faster
    end = f"Nothing {'else ' if anything else ''}changed by {100 * found.least:.3g} % or more, and by more than chance."
    console.print(Text(end), soft_wrap=True)


def _change_text(found: LoadComparison, change: LoadChange) -> str:
    subject = change.subject
    values = " -> ".join(_value_text(subject, value) for value in (change.base, change.new))
    also = f"; also at {plural(len(change.also), 'other point')}" if change.also else ""
    factor = change.new / change.base
    return f"{subject.what}{_where(found, subject)}: {factor:.2f} times ({values}){also}"


def _where(found: LoadComparison, subject: Subject) -> str:
    """` of put at 1 MiB, 8 in flight`."""
    way = (
        f" of {subject.variant}" if found.pattern == "client-server" else f", {subject.variant}" * bool(subject.variant)
    )
    point = "" if subject.point is None else f", {found.new.loads[0].point} {subject.point}"
    return f"{way} at {size_text(subject.bytes)}{point}"


def _value_text(subject: Subject, value: float) -> str:
    texts = {BANDWIDTH: bandwidth_text, LATENCY: time_text}
    return texts[subject.kind](value) if subject.kind in texts else f"{value:.3f}"


def load_comparison_json(found: LoadComparison, hosts: Versus | None) -> str:
    """The comparison as one JSON object (docs/results.md)."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "base": str(found.base.path),
        "new": str(found.new.path),
        "pattern": found.pattern,
        "regression": found.regression,
        "at_least": found.least,
        "compared": found.compared,
        "slower": list(map(_change_json, found.slower)),
        "faster": list(map(_change_json, found.faster)),
        "failed": list(map(failure_json, found.failed)),
        "healthy_again": list(map(failure_json, found.healed)),
        "hosts_changed": None if hosts is None else change_fields(hosts),
        "notes": found.notes,
    }
    return json.dumps(fields, indent=1, allow_nan=False)


def _change_json(change: LoadChange) -> dict[str, Any]:
    return {
        **vars(change.subject), "base": change.base, "new": change.new, "factor": change.factor,
        "confidence": change.confidence, "also": list(_places(change)),
    }  # fmt: skip


def _places(change: LoadChange) -> Iterator[dict[str, Any]]:
    for subject in change.also:
        yield {"bytes": subject.bytes, "point": subject.point}
