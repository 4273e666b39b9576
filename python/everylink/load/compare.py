"""Compares two runs of one load pattern: bandwidths, latencies, shares, impact."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from everylink.compare.comparison import Failure, failed_only_in
from everylink.errors import UserMistake
from everylink.load.links import as_links
from everylink.load.service import service_sums
from everylink.load.sums import round_sums, scene_sums
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.robust import FALSE_RATE, Values, confidence, discoveries, moderated, normal_score, spread

DRAWN = ("ring", "draw", "repeat")  # points that only number the repetitions
BANDWIDTH, LATENCY, PLAIN = "bandwidth", "latency", "plain"  # kinds of values
MORE_IS_BETTER = ("bandwidth of a flow", "bandwidth of the slowest flow", "bandwidth", "Jain's index")
RANGE = 3.0  # standard deviations between the smallest and the largest of about ten values


@dataclass(frozen=True)
class Subject:
    """A quantity measured in both runs; `point` is None if all points are repetitions of the same thing."""

    what: str
    kind: str
    bytes: int
    variant: str
    point: int | None


@dataclass(frozen=True)
class LoadChange:
    """`factor` above 1 is worse: longer, less bandwidth, less even; `also`: other subjects with a similar change."""

    subject: Subject
    base: float
    new: float
    factor: float
    confidence: float
    also: tuple[Subject, ...] = ()


@dataclass(frozen=True)
class LoadComparison:
    """`slower`, `faster`: largest changes first; `failed`, `healed`: flows that failed in one run only."""

    base: Results
    new: Results
    pattern: str
    least: float
    compared: int
    slower: tuple[LoadChange, ...]
    faster: tuple[LoadChange, ...]
    failed: tuple[Failure, ...]
    healed: tuple[Failure, ...]
    notes: tuple[str, ...]

    @property
    def regression(self) -> bool:
        return bool(self.slower or self.failed)


@dataclass
class Readings:
    """Values of a subject, one per repetition; `error`: the uncertainty of a single value, as a logarithm.

    `error` is estimated from the flows of a scene; 0 if unknown.
    """

    values: list[float]
    error: float = 0.0


def compare_loads(base: Results, new: Results, least: float = 0.05) -> LoadComparison:
    """Compare two runs of a pattern. Raises UserMistake with the reason if they cannot be compared."""
    theirs, ours = _pattern(base, new)
    readings = [_readings(theirs), _readings(ours)]
    both = [subject for subject in readings[0] if subject in readings[1]]
    if not both:
        raise UserMistake(f"{_refused(base, new)}: no size and {ours.point} in both has a reading")
    changes = _changes({subject: (readings[0][subject], readings[1][subject]) for subject in both}, least)
    links = [as_links(base, theirs), as_links(new, ours)]
    failed, healed = _failed(links) if base.ranks.host == new.ranks.host else ((), ())
    return LoadComparison(
        base, new, ours.name, least, len(both), _folded([c for c in changes if c.factor > 1]),
        _folded([c for c in changes if c.factor < 1]), failed, healed, tuple(_notes(base, new, theirs, ours)),
    )  # fmt: skip


def _refused(base: Results, new: Results) -> str:
    return f"{new.path}: cannot be compared with {base.path}"


def _pattern(base: Results, new: Results) -> tuple[Load, Load]:
    """The load pattern of the base run and of the new run. Raises UserMistake if they do not match."""
    names = [", ".join(load.name for load in run.loads) or "links, no load pattern" for run in (base, new)]
    if names[0] != names[1] or len(base.loads) != 1:
        raise UserMistake(f"{_refused(base, new)}: it holds {names[1]}, the other {names[0]}")
    (theirs,), (ours,) = base.loads, new.loads
    told = [
        {
            "ranks": run.facts.ranks, "hosts": run.facts.hosts, "--mode": run.facts.transport,
            "--memory": run.facts.memory, "--window": load.window, "servers": load.servers,
        }
        for run, load in ((base, theirs), (new, ours))
    ]  # fmt: skip
    for name, value in told[1].items():
        if value != told[0][name]:
            raise UserMistake(f"{_refused(base, new)}: {name} is {value} here, {told[0][name]} there")
    return theirs, ours


def _notes(base: Results, new: Results, theirs: Load, ours: Load) -> list[str]:
    notes = []
    for where, run in (("the base", base), ("the new run", new)):
        if not run.facts.complete:
            notes.append(f"{where} is incomplete: it was interrupted, or is still running")
    if base.ranks.host != new.ranks.host:
        notes.append("the ranks are on other hosts: only values of all ranks together are compared, not failures")
    for name, there, here in (
        ("options", theirs.options, ours.options),
        ("options of --mode", base.facts.transport_options, new.facts.transport_options),
        ("duration", f"{theirs.duration:g} s", f"{ours.duration:g} s"),
    ):
        if there != here:
            notes.append(f"{name}: {there or 'none'} -> {here or 'none'}")
    return notes


def _readings(load: Load) -> dict[Subject, Readings]:
    """Everything comparable in a pattern; several values where it was repeated."""
    found: dict[Subject, Readings] = {}

    def add(what: str, kind: str, size: int, variant: str, point: int | None, value: float, error: float = 0) -> None:
        if math.isfinite(value) and value > 0:
            readings = found.setdefault(Subject(what, kind, size, variant, point), Readings([]))
            readings.values.append(value)
            readings.error = max(readings.error, error)

    if load.name == "client-server":
        for scene in service_sums(load):
            where = (scene.bytes, scene.variant, scene.point)
            add("bandwidth", BANDWIDTH, *where, scene.rate)
            add("latency", LATENCY, *where, scene.waiting.mean)
            add("p99 of the latency", LATENCY, *where, scene.waiting.p99)
            add("Jain's index", PLAIN, *where, scene.jain)
        return found
    sums = scene_sums(load)
    for one in sums:
        point = None if load.point in DRAWN else one.point
        at = (one.bytes, one.variant, point)
        apart = math.log(one.rate.max / one.rate.min) / RANGE if one.rate.min > 0 else 0.0
        add("bandwidth of a flow", BANDWIDTH, *at, one.rate.mean, apart / math.sqrt(max(one.flows - one.failed, 1)))
        add("bandwidth of the slowest flow", BANDWIDTH, *at, one.rate.min, apart)
        add("latency", LATENCY, *at, one.latency.mean)
        add("p99 of the latency", LATENCY, *at, one.latency.p99)
    if load.name == "all-to-all":
        for rounds in round_sums(sums):
            add("time from each to each", LATENCY, rounds.bytes, "", None, rounds.seconds)
    alone = {(one.bytes, one.point): one.latency for one in sums if one.variant == "alone"}
    for one in sums:
        if one.variant == "loaded" and (idle := alone.get((one.bytes, one.point))) is not None:
            add("impact", PLAIN, one.bytes, "", None, one.latency.mean / idle.mean)
            add("impact at p99", PLAIN, one.bytes, "", None, one.latency.p99 / idle.p99)
    return found


def _changes(both: dict[Subject, tuple[Readings, Readings]], least: float) -> list[LoadChange]:
    """Changes beyond chance: by the spread of repetitions, or of changes at other points if there are none."""
    subjects = list(both)
    logs = [[np.log(readings.values) for readings in both[subject]] for subject in subjects]
    single = np.array([min(readings.error for readings in both[subject]) for subject in subjects])
    change = np.array([new.mean() - base.mean() for base, new in logs])
    error = np.array([_error(i, subjects, logs, change, float(single[i])) for i in range(len(subjects))])
    freedom = np.array([min(len(base), len(new)) for base, new in logs])
    z = np.array(
        [float(normal_score(np.array([abs(c) / e]), int(n))[0]) for c, e, n in zip(change, error, freedom, strict=True)]
    )
    found = []
    for i in np.flatnonzero(discoveries(z, FALSE_RATE) & (np.abs(change) >= math.log1p(least))).tolist():
        worse = -change[i] if subjects[i].what in MORE_IS_BETTER else change[i]
        there, here = (float(np.exp(side.mean())) for side in logs[i])
        found.append(LoadChange(subjects[i], there, here, float(np.exp(worse)), confidence(float(z[i]))))
    return found


def _error(
    i: int, subjects: Sequence[Subject], logs: Sequence[Sequence[Values]], change: Values, single: float
) -> float:
    """Standard error of a subject's change. `single`: of one value, in the run with less spread."""
    base, new = logs[i]
    if min(len(base), len(new)) > 1:
        rest = np.concatenate([base - base.mean(), new - new.mean()])
        deviation = moderated(float(np.sqrt((rest**2).sum() / (len(rest) - 2))), len(rest))
        return deviation * math.sqrt(1 / len(base) + 1 / len(new))
    alike = np.array([s.what == subjects[i].what and s.variant == subjects[i].variant for s in subjects])
    return math.hypot(moderated(spread(change[alike]), int(alike.sum())), single) * math.sqrt(2)


def _folded(changes: Sequence[LoadChange]) -> tuple[LoadChange, ...]:
    """One change per quantity: the largest one, which lists the others."""
    found: dict[tuple[str, str], list[LoadChange]] = {}
    for change in changes:
        found.setdefault((change.subject.what, change.subject.variant), []).append(change)
    folded = []
    for same in found.values():
        worst = max(same, key=lambda change: abs(math.log(change.factor)))
        also = tuple(change.subject for change in same if change is not worst)
        folded.append(LoadChange(**{**vars(worst), "also": also}))
    return tuple(sorted(folded, key=lambda change: -abs(math.log(change.factor))))


def _failed(links: Sequence[Results]) -> tuple[tuple[Failure, ...], tuple[Failure, ...]]:
    """Links whose flows failed only in the new run, and only in the base, at sizes that both have."""
    common = {size.bytes for size in links[0].sizes} & {size.bytes for size in links[1].sizes}
    base, new = (replace(run, sizes=tuple(size for size in run.sizes if size.bytes in common)) for run in links)
    return failed_only_in(new, base), failed_only_in(base, new)
