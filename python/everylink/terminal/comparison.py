"""Prints the comparison of two runs: one line per finding, worst first, or one JSON object."""

import json
from collections.abc import Iterator, Sequence, Sized
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from everylink.compare.comparison import Comparison, Failure
from everylink.host_lists import folded
from everylink.inventory.versus import Versus
from everylink.links.matching import Matched
from everylink.links.unmeasured import unmeasured
from everylink.model.changes import Change
from everylink.model.rows import Outcome
from everylink.terminal.console import ALL, cut
from everylink.text.inventory import change_fields, change_lines
from everylink.units import plural, size_text, time_text

SCHEMA = "everylink-comparison/1"
MOST_SUSPECTS, MOST_NAMES = 3, 5
MANY_HOSTS = 4
CLASSES = {"other host": "all links between hosts", "same host": "all links that stay on their host"}
DIRECTIONS = {"send": ", sending", "receive": ", receiving", "both": ""}


def print_comparison(found: Comparison, hosts: Versus | None, everything: bool, console: Console) -> None:
    """Print what changed; `hosts`: what the hosts say of themselves, where both runs read them."""
    matched = found.matched
    console.print(Text(f"{matched.base.path} -> {matched.new.path}", style="bold"), soft_wrap=True)
    for line in [_compared(found), *_notes(matched)]:
        console.print(Text("  " + line), soft_wrap=True)
    console.print()
    for heading, style, lines in (
        ("FAILED", "bold red", [failure_text(failure) for failure in found.failed]),
        ("SLOWER", "bold red", _change_lines(found.slower)),
        ("OK NOW", "green", [f"{failure_text(failure)} in the base" for failure in found.healed]),
        ("FASTER", "green", _change_lines(found.faster)),
    ):
        print_changes(heading, style, lines, everything, console)
    print_host_changes(hosts, everything, console)
    for line in _end(found):
        console.print(Text(line), soft_wrap=True)


def print_changes(heading: str, style: str, lines: Sequence[str], everything: bool, console: Console) -> None:
    """Print one line per change under one heading."""
    for line in cut(lines, everything):
        console.print(Text(f"{heading:8}", style=style), Text(line), soft_wrap=True)
    if left := len(lines) - len(cut(lines, everything)):
        console.print(Text(f"{heading:8}", style=style), f"{left} more; {ALL}", soft_wrap=True)


def print_host_changes(hosts: Versus | None, everything: bool, console: Console) -> None:
    """Print the facts that changed on the hosts."""
    print_changes("CHANGED", "yellow", [] if hosts is None else change_lines(hosts), everything, console)


def _compared(found: Comparison) -> str:
    matched = found.matched
    ranks, hosts = len(matched.new.ranks), len(set(matched.new.ranks.host_index.tolist()))
    sizes = ", ".join(size_text(size.bytes) for size in found.sizes)
    links = max(size.links for size in found.sizes)
    return f"{plural(ranks, 'rank')} on {plural(hosts, 'host')}, {plural(links, 'link')}, {sizes}"


def notes(found: Comparison) -> list[str]:
    """What was compared, what to know of it, and what did not change."""
    return [_compared(found), *_notes(found.matched), *_end(found)]


def _notes(matched: Matched) -> Iterator[str]:
    for where, run in (("The base", matched.base), ("The new run", matched.new)):
        if not run.facts.complete:
            yield f"{where} is incomplete: it was interrupted, or is still running; these are its links so far"
        yield from run.left_out
        if left := unmeasured(run):
            yield f"{where}: {left}"
    for difference in matched.differences:
        yield f"{difference.what}: {difference.base} -> {difference.new}"
    for where, ranks in (("the base", matched.ranks_only_base), ("the new run", matched.ranks_only_new)):
        if ranks:
            more = f" and {len(ranks) - MOST_NAMES} more" if len(ranks) > MOST_NAMES else ""
            yield f"only in {where}: {plural(len(ranks), 'rank')}: {', '.join(ranks[:MOST_NAMES])}{more}"
    for where, sizes in (("the base", matched.sizes_only_base), ("the new run", matched.sizes_only_new)):
        if sizes:
            yield f"only in {where}: {', '.join(map(size_text, sizes))}"


def _change_lines(changes: Sequence[Change]) -> list[str]:
    """One line per change; many hosts with a similar change at the same sizes share one, at the place of the first."""
    alike: dict[Any, list[Change]] = {}
    for change in changes:
        way = (change.kind, change.direction, change.bytes, change.also)
        alike.setdefault(way if change.kind == "host" else change, []).append(change)
    lines = []
    for same in alike.values():
        lines += [change_text(change) for change in same] if len(same) < MANY_HOSTS else [_hosts_text(same)]
    return lines


def _hosts_text(same: Sequence[Change]) -> str:
    factors = [max(change.factor, 1 / change.factor) for change in same]
    way = "as long" if same[0].slower else "as fast"
    also = f"; also at {', '.join(map(size_text, same[0].also))}" if same[0].also else ""
    hosts = f"{len(same)} hosts {folded(change.subject[0] for change in same)}{DIRECTIONS[same[0].direction]}"
    return f"{hosts}: {min(factors):.2f} to {max(factors):.2f} times {way} at {size_text(same[0].bytes)}{also}"


def change_text(change: Change) -> str:
    """A change as one line."""
    also = f"; also at {', '.join(map(size_text, change.also))}" if change.also else ""
    times = f"{time_text(change.base_seconds)} -> {time_text(change.new_seconds)}"
    factor = f"{change.factor:.2f} times as long" if change.slower else f"{1 / change.factor:.2f} times as fast"
    links = plural(change.links, "link")
    return f"{_subject(change)}: {factor} at {size_text(change.bytes)} ({times}, {links}){also}"


def _subject(change: Change) -> str:
    names = change.subject
    match change.kind:
        case "class":
            return CLASSES[names[0]]
        case "within":
            return f"links within host {names[0]}"
        case "host" | "rank":
            return f"{change.kind} {names[0]}{DIRECTIONS[change.direction]}"
        case _:
            return f"{change.kind} {names[0]} {'<->' if change.direction == 'both' else '->'} {names[1]}"


def failure_text(failure: Failure) -> str:
    also = f" and {', '.join(map(size_text, failure.also))}" if failure.also else ""
    return f"{failure.group} at {size_text(failure.bytes)}{also}"


def _end(found: Comparison) -> Iterator[str]:
    """What did not change, and what is uncertain."""
    anything = found.slower or found.faster or found.failed or found.healed
    levels = ", ".join(
        f"{CLASSES[str(link_class)].removeprefix('all ')} {factor:.3f} times as long at {size_text(size.bytes)}"
        for size in found.sizes
        for link_class, factor in size.levels.items()
    )
    changed_levels = f" ({levels})" if levels and not anything else ""
    yield f"Nothing {'else ' if anything else ''}changed by {100 * found.least:.3g} % or more.{changed_levels}"
    if found.suspects:
        worst = ", ".join(f"{_subject(change)} {change.factor:.2f} times" for change in found.suspects[:MOST_SUSPECTS])
        yield f"Not sure: {len(found.suspects)} slower, with too few readings; the worst: {worst}. Measure again."


class Changes(Protocol):
    """What every comparison finds, as far as it is counted."""

    @property
    def failed(self) -> Sized: ...
    @property
    def slower(self) -> Sized: ...
    @property
    def healed(self) -> Sized: ...
    @property
    def faster(self) -> Sized: ...
    @property
    def least(self) -> float: ...


def changes_text(found: Changes) -> str:
    """How much changed, in one line."""
    counts = {"failed": found.failed, "slower": found.slower, "ok now": found.healed, "faster": found.faster}
    parts = [f"{len(changes)} {name}" for name, changes in counts.items() if len(changes)]
    return ", ".join(parts) or f"nothing changed by {100 * found.least:.3g} % or more"


def comparison_json(found: Comparison, hosts: Versus | None) -> str:
    """The comparison as one JSON object (docs/results.md)."""
    matched = found.matched
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "base": str(matched.base.path),
        "new": str(matched.new.path),
        "regression": found.regression,
        "at_least": found.least,
        "ranks": len(matched.new.ranks),
        "sizes": [_size_json(size) for size in found.sizes],
        "failed": [failure_json(failure) for failure in found.failed],
        "slower": [_change_json(change) for change in found.slower],
        "healthy_again": [failure_json(failure) for failure in found.healed],
        "faster": [_change_json(change) for change in found.faster],
        "suspects": [_change_json(change) for change in found.suspects],
        "differences": [vars(difference) for difference in matched.differences],
        "hosts_changed": None if hosts is None else change_fields(hosts),
        "only_base": {"ranks": matched.ranks_only_base, "sizes": matched.sizes_only_base},
        "only_new": {"ranks": matched.ranks_only_new, "sizes": matched.sizes_only_new},
    }
    return json.dumps(fields, indent=1, allow_nan=False)


def _size_json(size: Any) -> dict[str, Any]:
    levels = {str(link_class): factor for link_class, factor in size.levels.items()}
    return {"bytes": size.bytes, "links": size.links, "factor_of_all": levels}


def _change_json(change: Change) -> dict[str, Any]:
    fields = {**vars(change), "also_bytes": change.also}
    return {name: value for name, value in fields.items() if name != "also"}


def failure_json(failure: Failure) -> dict[str, Any]:
    group = failure.group
    return {
        "name": group.name, "bytes": failure.bytes, "also_bytes": failure.also, "failed": group.failed,
        "links": group.links,
        "outcomes": {_outcome_name(outcome): count for outcome, count in group.outcomes},
    }  # fmt: skip


def _outcome_name(outcome: int) -> str:
    return Outcome(outcome).name.lower() if outcome in set(Outcome) else f"outcome {outcome}"
