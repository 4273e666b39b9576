"""Writes the plan of `--confirm` as the file that everylink-measure takes: lines `RANK RANK PHASE`."""

from pathlib import Path

from everylink.files import atomic_write
from everylink.model.plan import PHASES, Phase, Plan


def plan_text(plan: Plan) -> str:
    """The contents of the file; without pairs only its header."""
    lines = [
        "# Everylink: pairs of ranks to measure again, as lines 'RANK RANK PHASE'",
        "# everylink-measure --confirm THIS_FILE -o RESULTS_FILE, with the other options of the run, adds their rows.",
        *(f"# {phase.name}: attempt {phase.attempt}, {_what(phase)}" for phase in PHASES),
    ]
    for phase in PHASES:
        lines += [f"{a} {b} {phase.name}" for a, b in plan.of(phase).tolist()]
    return "\n".join(lines) + "\n"


def _what(phase: Phase) -> str:
    if phase.busy == 1:
        how = "while all other ranks are paired at random, in each pass anew"
    elif phase.busy:
        how = f"while {phase.busy:.0%} of the ranks are busy, others with each pass"
    else:
        how = "one pair at a time" + (", by the unidirectional kernel" if phase.one_way else "")
    return f"{phase.readings} times {how}"


def write_plan(plan: Plan, path: Path, force: bool) -> None:
    """Write the plan. Raises UserMistake if the file exists (unless `force`) or cannot be written."""
    with atomic_write(path, force) as new:
        new.write_text(plan_text(plan))
