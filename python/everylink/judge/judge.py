"""Judges a results file: the fewest components that explain what was measured, worst first."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from everylink.judge.alike_groups import without_alike
from everylink.judge.contention import matched_alone, only_under_load
from everylink.judge.crowd import crowd_remarks, less_certain
from everylink.judge.expect import Expectation, below_expectation
from everylink.judge.grouping import groups_for
from everylink.judge.joined_ways import joined_ways
from everylink.judge.kinds import equals_for, kinds_of
from everylink.judge.merged import one_per_subject
from everylink.judge.names import Names
from everylink.judge.passing import may_pass, past_slow_switches
from everylink.judge.rails import without_unreachable
from everylink.judge.rows_of_hosts import rows_of_hosts, without_further, without_scattered
from everylink.judge.screening.compared import compared_screening
from everylink.judge.screening.readings import is_screened
from everylink.judge.sizes import LinkVerdicts, compared
from everylink.judge.slow_adapters import one_per_adapter
from everylink.judge.smallest import smallest_explanation
from everylink.judge.structure import each_once, oversubscribed
from everylink.judge.verdict import BANDWIDTH, OF_TIMES, SURE, Judgement, Scope, Structure, Verdict
from everylink.links.planned import links_planned
from everylink.links.unmeasured import partly_unmeasured, unmeasured
from everylink.model.changes import Change
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.units import time_text

KINDS_OF_CHANGES = {"class": "group", "within": "host", "hosts": "pair"}  # kinds of `compare` -> kinds of verdicts


@dataclass(frozen=True)
class Earlier:
    """An earlier run, and what became slower since then according to a comparison."""

    path: Path
    slower: Sequence[Change]


def judge(
    results: Results,
    grouping: Grouping | None = None,
    expected: Expectation | None = None,
    earlier: Earlier | None = None,
    alone: Results | None = None,
) -> Judgement:
    """Judge every size. A subject that shows at several sizes is reported once, at the clearest.

    Links are compared with each other, and optionally with what is `expected`, with an `earlier` run, and with a run
    that measured each pair of the same ranks `alone`. Raises UserMistake if the runs do not fit.
    """
    if alone is not None:
        alone = matched_alone(results, alone)
    results, rails = without_unreachable(results)
    if is_screened(results) and alone is None:
        return _judged_screening(results, grouping, rails, expected, earlier)
    found: list[Verdict] = [] if expected is None else list(below_expectation(results, expected))
    if earlier is not None:
        found += _slower_than_before(earlier)
    kinds = kinds_of(results)
    groups, known = groups_for(results if alone is None else alone, grouping, kinds)
    kinds = kinds.by_group(groups)
    equals = equals_for(results, groups, kinds)
    names = Names(results, grouping, groups)
    collected = compared(results, names, kinds, equals, known)
    collected.structure += rails
    verdicts = one_per_subject(found + collected.found)
    if alone is not None:
        serial = compared(alone, Names(alone, grouping, groups), kinds, equals, known)
        verdicts = only_under_load(verdicts, judgement(alone, serial, one_per_subject(serial.found)))
        collected.structure += oversubscribed(results, alone, groups, names)
    verdicts = _without_lost(verdicts, names, collected.ok_alone)
    slow = (one for one in verdicts if one.symptom == "slow")
    longer = {one for one in slow if (one.kind, one.subject, one.bytes) in collected.longer}
    pairs = {one for one in longer if one.is_slow_pair}  # no host or trunk for them
    verdicts = [one for one in verdicts if one not in pairs]
    smallest = smallest_explanation(verdicts, names, collected.slow_with_all, [*pairs, *collected.by_design], longer)
    verdicts = [one for one in smallest if one not in longer]
    verdicts, scattered = without_scattered(verdicts, names)
    verdicts = rows_of_hosts(verdicts, names)
    if any(size.bytes >= BANDWIDTH for size in results.sizes):
        verdicts, further = without_further(verdicts, collected.found)
        collected.structure += further
    verdicts, groups_alike = without_alike(verdicts, names)
    collected.structure += scattered + groups_alike
    passing = dict(past_slow_switches(verdicts, names, collected.small))
    collected.suspects += [may_pass(one, group) for one, group in passing.items()]
    verdicts, told = one_per_adapter([one for one in verdicts if one not in passing], names, results.ranks)
    told_subjects = {one.subject for one in told}
    collected.suspects = [one for one in collected.suspects if one.subject not in told_subjects]
    return judgement(results, collected, joined_ways(verdicts, names))


def _judged_screening(
    results: Results,
    grouping: Grouping | None,
    rails: Sequence[Structure],
    expected: Expectation | None,
    earlier: Earlier | None,
) -> Judgement:
    found: list[Verdict] = [] if expected is None else list(below_expectation(results, expected))
    if earlier is not None:
        found += _slower_than_before(earlier)
    collected, names, covered = compared_screening(results, grouping)
    collected.structure += rails
    verdicts = rows_of_hosts(one_per_subject(found + collected.found), names)
    return replace(judgement(results, collected, verdicts), coverage=covered)


def _without_lost(verdicts: list[Verdict], names: Names, ok_alone: Set[tuple[str, ...]]) -> list[Verdict]:
    """Without links that failed, but were `ok_alone`, at hosts that lose packets: that also breaks connections."""
    lossy = {unit for one in verdicts if one.is_end and one.symptom == "loss" for unit in names.units_of(one.subject)}
    return [
        one for one in verdicts
        if one.symptom in OF_TIMES or one.is_end or one.subject not in ok_alone
        or lossy.isdisjoint(names.units_of(one.subject))
    ]  # fmt: skip


def judgement(results: Results, collected: LinkVerdicts, verdicts: list[Verdict]) -> Judgement:
    sure, doubtful = less_certain(results, verdicts)
    bad = {verdict.subject for verdict in sure}
    bad |= {(host,) for verdict in sure if verdict.scope is Scope.EACH for host in verdict.subject}
    open_ = [suspect for suspect in one_per_subject([*doubtful, *collected.suspects]) if suspect.subject not in bad]
    measured = max((size.outcomes.links for size in results.sizes), default=0)
    failed = max((size.outcomes.failed for size in results.sizes), default=0)
    order = sorted(sure, key=lambda verdict: verdict.worth)
    remarks = [*partly_unmeasured(results), *crowd_remarks(results), *collected.remarks]
    return Judgement(
        verdicts=tuple(order),
        suspects=tuple(sorted(open_, key=lambda suspect: suspect.worth)),
        links_measured=measured,
        links_failed=failed,
        sizes=tuple(size.bytes for size in results.sizes if size.outcomes.links),
        remarks=tuple(dict.fromkeys(remarks)),
        links_planned=links_planned(results),
        links_possible=len(results.ranks) * (len(results.ranks) - 1),
        not_looked_for=tuple(dict.fromkeys(collected.not_looked_for)),
        structure=each_once(collected.structure),
        unmeasured=() if (left := unmeasured(results)) is None else (left,),
        expected=tuple(collected.expected),
    )


def _slower_than_before(earlier: Earlier) -> Iterable[Verdict]:
    """What became slower since the earlier run; failures are reported by themselves."""
    for change in earlier.slower:
        kind, subject = KINDS_OF_CHANGES.get(change.kind, change.kind), change.subject
        if change.kind == "class":
            subject = ("all hosts",)
        text = f"{time_text(change.new_seconds)} where {earlier.path} has {time_text(change.base_seconds)}"
        confidence = min(change.confidence, SURE)
        yield Verdict(
            kind, subject, change.direction, "slow", change.bytes, change.factor, confidence, change.links, text
        )
