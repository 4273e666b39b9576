"""Judges a results file: verdicts in the fewest components that explain what was measured, worst first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from everylink.analysis.comparison import compare
from everylink.analysis.failed import Failures, fold_failures
from everylink.analysis.judge.direction import Alone, alone
from everylink.analysis.judge.expect import Expectation, below_expectation
from everylink.analysis.judge.findings import SETTLED_READINGS, Findings, Found, Side, find
from everylink.analysis.judge.groups import enough_for_groups, inferred_groups
from everylink.analysis.judge.jitter import jitter
from everylink.analysis.judge.readings import Readings, readings
from everylink.analysis.judge.verdict import SURE, SYMPTOMS, Judgement, Verdict
from everylink.analysis.names import host_names
from everylink.links import CONFIRM, Outcome
from everylink.results import Results, Size
from everylink.units import size_text, time_text

FALSE_RATE = 0.001
OUTCOMES: dict[int, str] = {
    Outcome.TIMEOUT: "timeout", Outcome.BROKEN: "broken", Outcome.CORRUPT: "corrupt", Outcome.ABSENT: "absent",
    Outcome.PRESUMED: "timeout",
}  # fmt: skip
FEW_HOSTS = 4  # of fewer, one end cannot be told from the other
SHOWN_SUSPECT_Z = 3.0
FEW_BAD, PART_BAD = 2, 0.05  # hosts, where groups are not known
KINDS_OF_CHANGES = {"class": "group", "within": "host", "hosts": "pair"}  # as compare says it: as a verdict does
UNKNOWN_GROUPS = (
    "Too few links were measured to see which hosts share a switch, so what looks slow may be how groups differ: "
    "--topology FILE names them."
)


@dataclass(frozen=True)
class Grouping:
    """Groups of hosts that were given: a number for each host, -1 where it is not known, and their names by number."""

    group_of: NDArray[np.int64]
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Judged:
    """One size, looked at."""

    size: Size
    readings: Readings
    findings: Findings
    alone: Alone

    @property
    def bad(self) -> set[int]:
        """Hosts that anything bad touches."""
        return {i for found in self.findings.bad if found.kind in ("host", "pair") for i in found.subject}


def judge(
    results: Results,
    grouping: Grouping | None = None,
    expected: Expectation | None = None,
    baseline: Results | None = None,
) -> Judgement:
    """Judge every size; of what shows at several sizes the clearest counts.

    Links are compared with each other, beside it with what is `expected` and with an earlier run. Raises UserMistake
    where that is no run of the same kind.
    """
    found: list[Verdict] = [] if expected is None else list(below_expectation(results, expected))
    if baseline is not None:
        found += _slower_than_before(results, baseline)
    suspects: list[Verdict] = []
    remarks: list[str] = []
    names = _Names(results, grouping)
    for size in results.sizes:
        failures = fold_failures(results, size)
        found += _failed(failures, size)
        seen = readings(results, size)
        if not len(seen.time):
            continue
        groups, known = groups_for(seen, grouping)
        names.inferred = None if names.grouping is not None else groups
        judged = _Judged(size, seen, find(seen, groups, blind=not known), alone(size, seen))
        slow = list(_slow(judged, names))
        sure = slow if known else _sure_without_groups(slow, seen.hosts)
        if len(sure) < len(slow):
            remarks.append(UNKNOWN_GROUPS)
        found += sure
        suspects += [verdict for verdict in slow if verdict not in sure]
        found += _jitter(judged, names)
        suspects += _suspects(judged, names)
        remarks += _how_far(results, judged)
    verdicts = _once_each(found)
    bad = {verdict.subject for verdict in verdicts}
    open_ = [suspect for suspect in _once_each(suspects) if suspect.subject not in bad]
    measured = max((len(size.links) for size in results.sizes), default=0)
    failed = max((int(size.links.failed.sum()) for size in results.sizes), default=0)
    order = sorted(verdicts, key=lambda verdict: verdict.worth)
    return Judgement(tuple(order), tuple(open_), measured, failed, tuple(dict.fromkeys(remarks)))


def _sure_without_groups(slow: list[Verdict], hosts: int) -> list[Verdict]:
    """Where groups are not known: few hosts that stand out; many at once, or a pair, may be how groups differ."""
    bad = [verdict for verdict in slow if verdict.kind in ("host", "rank")]
    return bad if len(bad) <= max(FEW_BAD, PART_BAD * hosts) else []


def _slower_than_before(results: Results, baseline: Results) -> Iterable[Verdict]:
    """What got slower since; failures show by themselves."""
    for change in compare(baseline, results).slower:
        kind, subject = KINDS_OF_CHANGES.get(change.kind, change.kind), change.subject
        if change.kind == "class":
            subject = ("all hosts",)
        text = f"{time_text(change.new_seconds)} where {baseline.path} has {time_text(change.base_seconds)}"
        confidence = min(change.confidence, SURE)
        yield Verdict(
            kind, subject, change.direction, "slow", change.bytes, change.factor, confidence, change.links, text
        )


class _Names:
    """Names of what was judged: hosts, or ranks where all are on one host; groups by their label or their hosts."""

    def __init__(self, results: Results, grouping: Grouping | None) -> None:
        ranks = results.ranks
        self.hosts = host_names(ranks)
        self.rank = ranks.name
        self.units = self.hosts if len(self.hosts) > 1 else [ranks.name(rank) for rank in range(len(ranks))]
        self.unit_kind = "host" if len(self.hosts) > 1 else "rank"
        self.one_each = len(self.hosts) == len(ranks)
        self.grouping = grouping
        self.inferred: NDArray[np.int64] | None = None
        self._first_rank = {int(host): rank for rank, host in reversed(list(enumerate(ranks.host_index)))}

    def group(self, group: int) -> tuple[str, ...]:
        if self.grouping is not None:
            return (self.grouping.names[group],)
        assert self.inferred is not None
        return tuple(self.units[host] for host in np.flatnonzero(self.inferred == group))

    def of(self, found: Found) -> tuple[str, tuple[str, ...]]:
        """The kind and the subject of a verdict."""
        match found.kind:
            case "group":
                return "group", self.group(found.subject[0])
            case "host":
                return self.unit_kind, (self.units[found.subject[0]],)
            case "rank":
                return "rank", (self.rank(found.subject[0]),)
        if len(self.hosts) == 1:
            return ("link" if found.side == Side.SEND else "pair"), tuple(self.units[i] for i in found.subject)
        if self.one_each:
            names = tuple(self.rank(self._first_rank[i]) for i in found.subject)
            return ("link" if found.side == Side.SEND else "pair"), names
        return "pair", tuple(self.hosts[i] for i in found.subject)


def groups_for(seen: Readings, grouping: Grouping | None) -> tuple[NDArray[np.int64], bool]:
    """The groups to judge by, and whether they are known: given, or measured so far that they would show."""
    if grouping is not None:  # a host that is not in it may be anywhere: a group of its own
        unknown = grouping.group_of < 0
        return np.where(unknown, len(grouping.names) + np.cumsum(unknown) - 1, grouping.group_of), True
    return inferred_groups(seen.between_hosts.median), enough_for_groups(seen.between_hosts.median)


def _failed(failures: Failures, size: Size) -> Iterable[Verdict]:
    for group in failures.groups:
        confidence = 0.9 if group.again is None or group.again.untried else SURE
        yield Verdict(
            "group" if group.kind == "all" else group.kind, group.subject or ("all ranks",),
            group.direction, OUTCOMES.get(group.outcomes[0][0], "broken"), size.bytes, None, confidence, group.failed,
            str(group).removeprefix(f"{group.name}: "),
        )  # fmt: skip


def _slow(judged: _Judged, names: _Names) -> Iterable[Verdict]:
    for found in judged.findings.bad:
        yield _verdict(found, judged, names, "slow")


def _verdict(found: Found, judged: _Judged, names: _Names, symptom: str) -> Verdict:
    side = None
    if judged.readings.symmetric and found.kind in ("host", "pair"):
        side = judged.alone.side(found)
        found = _directed(found, side or Side.BOTH)
    kind, subject = names.of(found)
    factor = float(np.exp(found.effect))
    confidence = _confidence(found.z, judged.findings.tested[found.kind])
    text = _slow_text(found, judged, factor, sided=side is not None)
    return Verdict(kind, subject, str(found.side), symptom, judged.size.bytes, factor, confidence, found.links, text)


def _directed(found: Found, side: Side) -> Found:
    """With the direction that measuring alone has shown; a pair points from the sender of the slow messages."""
    if found.kind == "pair" and side == Side.RECEIVE:
        return replace(found, subject=found.subject[::-1], side=Side.SEND)
    return replace(found, side=side)


def _slow_text(found: Found, judged: _Judged, factor: float, sided: bool) -> str:
    seen, effects = judged.readings, judged.findings.effects
    blind = ""
    if seen.symmetric and found.kind in ("host", "pair") and found.side == Side.BOTH:
        blind = (
            "; one way it is slow in both directions" if sided else "; round trips cannot tell sending from receiving"
        )
    if found.kind in ("host", "pair") and judged.alone.needs_load(found, judged.bad):
        blind += "; alone it is as fast as others: only under load"
    match found.kind:
        case "pair":
            frm, to = found.subject
            usual = float(np.exp(effects.expected[frm, to]))
            return (
                f"{time_text(usual * factor)} where its ends' other links read {time_text(usual)}, "
                f"in most of {found.readings} readings{blind}"
            )
        case "group":
            return f"its links to other groups take {factor:.2f}x the time of theirs; {found.links} links"
        case "rank":
            return f"its links take {factor:.2f}x the time of those of the other ranks of its host"
    host = found.subject[0]
    side = f" as {'sender' if found.side == Side.SEND else 'receiver'}" if found.side != Side.BOTH else ""
    usual = float(np.exp(np.nanmedian(effects.expected[host] - max(effects.send.effect[host], 0.0))))
    return (
        f"its {found.links} links{side} read {time_text(usual * factor)} where others' read {time_text(usual)}, "
        f"chance spreads by {effects.noise:.1%}{blind}"
    )


def _jitter(judged: _Judged, names: _Names) -> Iterable[Verdict]:
    rate, z, links = jitter(judged.readings)
    if not len(rate):
        return
    typical = float(np.median(rate))
    count = len(rate)
    for host in np.flatnonzero(stats.norm.sf(z) * count < FALSE_RATE):
        least = max(typical, 1e-4)
        yield Verdict(
            names.unit_kind, (names.units[int(host)],), Side.BOTH, "jitter", judged.size.bytes,
            float(rate[host] / least), _confidence(float(z[host]), count), int(links[host]),
            f"{rate[host]:.2%} of its messages take more than twice the usual time, typical are {typical:.2%}",
        )  # fmt: skip


def _suspects(judged: _Judged, names: _Names) -> Iterable[Verdict]:
    findings, symmetric = judged.findings, judged.readings.symmetric
    ends = [findings.effects.send] if symmetric else [findings.effects.send, findings.effects.receive]
    side = Side.BOTH if symmetric else Side.SEND
    for host in findings.suspect_hosts.tolist():
        worst = max(ends, key=lambda end: float(end.z[host]))
        if worst.z[host] > SHOWN_SUSPECT_Z:
            found = Found(
                "host", (host,), Side.BOTH, float(worst.effect[host]), float(worst.z[host]), int(worst.links[host])
            )
            yield _verdict(found, judged, names, "slow")
    count = judged.readings.between_hosts.count
    for frm, to in findings.suspect_pairs.tolist():
        effect = float(findings.effects.rest[frm, to])
        found = Found(
            "pair", (frm, to), side, effect, effect / findings.effects.noise, 2 if symmetric else 1, int(count[frm, to])
        )
        yield _verdict(found, judged, names, "slow")


def _confidence(z: float, tested: int) -> float:
    """1 - the expected number of such scores by chance (Bonferroni), at least 0.5."""
    return float(min(max(1 - stats.norm.sf(z) * max(tested, 1), 0.5), SURE))


def _once_each(found: Sequence[Verdict]) -> list[Verdict]:
    """Of verdicts on one subject the worst, with what the others say behind its own evidence."""
    by_subject: dict[tuple[str, tuple[str, ...]], list[Verdict]] = {}
    for verdict in found:
        by_subject.setdefault((verdict.kind, verdict.subject), []).append(verdict)
    return [_merged(verdicts) for verdicts in by_subject.values()]


def _merged(verdicts: list[Verdict]) -> Verdict:
    symptom = min((verdict.symptom for verdict in verdicts), key=SYMPTOMS.index)
    alike = [verdict for verdict in verdicts if verdict.symptom == symptom]
    worst = max(alike, key=lambda verdict: (verdict.factor or 0.0, verdict.links, verdict.bytes))
    also = [f"{verdict.symptom} at {size_text(verdict.bytes)}" for verdict in verdicts if verdict is not worst]
    if not also:
        return worst
    return replace(worst, evidence=f"{worst.evidence}; also {', '.join(dict.fromkeys(also))}")


def _how_far(results: Results, judged: _Judged) -> Iterable[str]:
    seen, facts = judged.readings, results.facts
    cells = seen.between_hosts
    known = int(np.isfinite(cells.median).sum())
    whole = seen.hosts * (seen.hosts - 1)
    if seen.hosts == 2:
        yield "Two ends: which is at fault cannot be told, nor whether both are slow; --expect or --baseline can."
    elif seen.hosts < FEW_HOSTS:
        yield f"{seen.hosts} ends are too few to be sure which one is at fault; --expect or --baseline can tell."
    if known < 0.9 * whole and seen.hosts > 2:
        yield f"{known} of {whole} connections between hosts were measured: a bad one among the others does not show."
    confirmed = any((size.rows.attempt == CONFIRM).any() for size in results.sizes)
    if not confirmed and (cells.count[cells.count > 0].min(initial=SETTLED_READINGS) < SETTLED_READINGS):
        yield "A link is called bad only after several readings: everylink run --confirm measures the suspects again."
    if not facts.complete:
        yield "The run was not through: judged are the links so far."
