"""One verdict for each subject, of all that its message sizes and directions yield."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from everylink.judge.verdict import SYMPTOMS, Scope, Side, Verdict
from everylink.units import size_text

AT_TIMES = ("loss", "flapping", "intermittent")  # some messages or steps take `factor` times as long
ALIKE, PART_APART = 0.05, 0.2  # by how much effects (log) may differ, and part of these
FAR_MORE = 4.0  # times as much longer: it happens in a part of the steps


def one_per_subject(found: Sequence[Verdict]) -> list[Verdict]:
    """One verdict per subject: the worst one, whose evidence also names the others.

    The link of two ranks or hosts and their pair are one subject, unless both links have verdicts; these are one pair
    if both are slow.
    """
    directed = {one.subject for one in found if _is_directed(one)}
    by_subject: dict[tuple[str, Collection[str]], list[Verdict]] = {}
    for verdict in found:
        kind, subject = verdict.kind, verdict.subject
        if kind not in ("pair", "link"):
            key: tuple[str, Collection[str]] = kind, subject
        else:
            key = "pair", subject if {subject, subject[::-1]} <= directed else frozenset(subject)
        by_subject.setdefault(key, []).append(verdict)
    return _paired([_merged(verdicts) for verdicts in by_subject.values()])


def each_by_itself(verdicts: Sequence[Verdict], kind: str, text: str) -> Verdict:
    """One verdict of the scope `each` in place of several on hosts or ranks that are slow alike.

    `text`: what they have in common, at the beginning of the evidence.
    """
    subject = tuple(name for one in verdicts for name in one.subject)
    return replace(in_place_of(verdicts, f"{text}; of"), kind=kind, subject=subject, scope=Scope.EACH)


def in_place_of(verdicts: Sequence[Verdict], text: str) -> Verdict:
    """The worst one of several that are slow alike, with what all of them show: their median factor, all links, and the
    least confidence. `text`: the beginning of its evidence, up to the subject of the worst one."""
    worst = max(verdicts, key=lambda one: one.factor or 1.0)
    return replace(
        worst, evidence=f"{text} {' and '.join(worst.subject)}: {worst.evidence}",
        factor=float(np.median([one.factor or 1.0 for one in verdicts])), links=sum(one.links for one in verdicts),
        confidence=min(one.confidence for one in verdicts),
    )  # fmt: skip


def are_alike(verdicts: Sequence[Verdict]) -> bool:
    """Whether all are slow by the same factor, in the same direction."""
    logs = np.log([one.factor or 1.0 for one in verdicts])
    same_side = len({one.direction for one in verdicts}) == 1
    return same_side and bool(np.ptp(logs) <= max(ALIKE, PART_APART * float(np.median(logs))))


def _is_directed(verdict: Verdict) -> bool:
    """Whether it is on a link, or says that one direction of a pair of hosts is slow."""
    return verdict.kind == "link" or (verdict.is_slow_pair and verdict.direction != Side.BOTH)


def _paired(found: Sequence[Verdict]) -> list[Verdict]:
    """Two links between the same ranks or hosts that are slow are one pair, which both directions tell of."""
    slow = {one.subject: one for one in found if _is_directed(one) and one.symptom == "slow"}
    kept: list[Verdict] = []
    for verdict in found:
        back = slow.get(verdict.subject[::-1]) if slow.get(verdict.subject) is verdict else None
        if back is None:
            kept.append(verdict)
        elif (verdict.worth, verdict.subject) <= (back.worth, back.subject):
            text = f"{verdict.evidence}; in the other direction {back.factor or 1:.2f}x the time"
            links = verdict.links + back.links
            kept.append(replace(verdict, kind="pair", direction=Side.BOTH, links=links, evidence=text))
    return kept


def _merged(verdicts: list[Verdict]) -> Verdict:
    symptom = _worst_symptom(verdicts)
    alike = [verdict for verdict in verdicts if verdict.symptom == symptom]
    # A pair with one slow direction may be slow both ways at another size: acknowledgements take that direction.
    sided = [verdict for verdict in alike if verdict.kind in ("pair", "link") and verdict.direction != Side.BOTH]
    worst = max(sided or alike, key=lambda verdict: (verdict.factor or 0.0, verdict.links, verdict.bytes))
    also = [f"{verdict.symptom} at {size_text(verdict.bytes)}" for verdict in verdicts if verdict is not worst]
    if not also:
        return worst
    return replace(worst, evidence=f"{worst.evidence}; also {', '.join(dict.fromkeys(also))}")


def _worst_symptom(verdicts: Sequence[Verdict]) -> str:
    """In the order of SYMPTOMS, but not `slow` where what happens at times costs far more."""
    worst = min((verdict.symptom for verdict in verdicts), key=SYMPTOMS.index)
    if worst != "slow":
        return worst
    slower = {
        symptom: max((one.factor or 1.0 for one in verdicts if one.symptom == symptom), default=1.0) - 1
        for symptom in ("slow", *AT_TIMES)
    }
    return next((symptom for symptom in AT_TIMES if slower[symptom] > FAR_MORE * slower["slow"]), worst)
