"""Describes runs of load patterns."""

from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.text.run import carrier_lines, mode_text, warnings, where_and_when
from everylink.units import plural, time_text


def load_lines(results: Results) -> list[str]:
    """The run, its patterns, and the transport actually used."""
    carried = f"mode {mode_text(results)}, memory {results.facts.memory}"
    return [where_and_when(results), carried, *map(_load_text, results.loads), *carrier_lines(results)]


def load_warnings(results: Results) -> list[str]:
    """Warnings to read before the numbers."""
    return warnings(results, measured=True)


def _load_text(load: Load) -> str:
    """A load pattern with its options."""
    chosen = f", {load.options}" if load.options else ""
    window = f", window {load.window}" if load.window else ""
    scenes = plural(len(load.scenes.point), "scene")
    each = f" of {time_text(load.duration)}" if load.duration else ""
    return f"pattern {load.name}{chosen}: {scenes}{each}{window}"
