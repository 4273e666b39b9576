"""Verdicts on hosts that are slow at times: late messages, drift, and what comes and goes."""

from collections.abc import Collection, Iterable

import numpy as np

from everylink.judge.confidence import confidence_of
from everylink.judge.findings import hosts_among
from everylink.judge.intermittent import Intermittent, find_intermittent, score
from everylink.judge.intermittent_alone import alone_steps, find_alone, needs_load
from everylink.judge.judged import Judged
from everylink.judge.lateness import Late, late_hosts
from everylink.judge.names import Names
from everylink.judge.phases import alone_rows
from everylink.judge.verdict import Side, Verdict


def at_times(
    judged: Judged, names: Names, crowded: Collection[str], ways: Collection[tuple[int, int]]
) -> tuple[list[Verdict], list[Verdict]]:
    """Verdicts and suspects. `crowded`: hosts with more ranks than cores. `ways`: between groups that are slow, of
    which no host may be blamed; the smaller number first."""
    late = (late_verdict(late, judged, names) for late in late_hosts(judged.readings))
    sure, doubtful = _intermittent(judged, crowded, ways)
    verdicts = [*late, *_drifting(judged, names), *(_verdict_at_times(one, judged, names) for one in sure)]
    return verdicts, [_verdict_at_times(one, judged, names) for one in doubtful]


def late_verdict(late: Late, judged: Judged, names: Names) -> Verdict:
    if late.is_loss:
        text = (
            f"{late.rate:.1%} of its messages are late, by {late.lateness:.0f} times the usual time on average, as if "
            f"packets were lost and sent again; of other {names.unit_kind}s {late.usual_rate:.1%}, by "
            f"{late.usual_lateness:.0f} times"
        )
    else:
        text = f"{late.rate:.2%} of its messages take more than twice the usual time, typical are {late.usual_rate:.2%}"
    return Verdict(
        names.unit_kind, (names.units[late.host],), Side.BOTH, "loss" if late.is_loss else "jitter", judged.size.bytes,
        late.factor, confidence_of(late.z, judged.readings.hosts), late.links, text,
    )  # fmt: skip


def _drifting(judged: Judged, names: Names) -> Iterable[Verdict]:
    for host in judged.drift.hosts:
        text = (
            f"from the first step to the last one its links became {np.exp(host.rise):.2f}x as long, those of others "
            f"{np.exp(host.usual):.2f}x"
        )
        yield Verdict(
            names.unit_kind, (names.units[host.host],), Side.BOTH, "drifting", judged.size.bytes,
            float(np.exp(host.rise - host.usual)), confidence_of(host.score, 1), host.links, text,
        )  # fmt: skip


def _intermittent(
    judged: Judged, crowded: Collection[str], ways: Collection[tuple[int, int]]
) -> tuple[list[Intermittent], list[Intermittent]]:
    """Hosts that are slow at times, and those that may be so for what others measured at the same time. Arguments as of
    at_times."""
    drifting = {found.host for found in (*judged.drift.hosts, *judged.drift.together)}
    bad = drifting | hosts_among(judged.findings.bad, judged.readings)
    pairs = [found.subject for found in judged.findings.bad if found.kind == "pair"]
    seen, effects = judged.readings, judged.findings.effects
    under_load = find_intermittent(judged.size, seen, effects, bad, pairs)
    if crowded or effects.equals.one_host:
        return under_load, []
    steps = alone_steps(alone_rows(judged.size), seen, effects).without_ways(ways, effects.group_of)
    sure, by_load, rest = list[Intermittent](), list[Intermittent](), steps
    for found in under_load:
        is_filled = found.stands_out and judged.has_several(found.host)
        if not is_filled and needs_load(found, rest):
            by_load.append(found)
        else:
            sure.append(found)
            rest = rest.of(~rest.touching(found.host))  # these are slow because of it
    bad = drifting | hosts_among(judged.unexplained, judged.readings) | {found.host for found in sure}
    return [*sure, *find_alone(steps, bad)], by_load


def _verdict_at_times(found: Intermittent, judged: Judged, names: Names) -> Verdict:
    how = "measured alone, slow" if found.is_alone else "slow"
    in_stretches = f", in {found.stretches} stretches" if found.stretches else ""
    text = (
        f"{how} in {found.slow} of {found.steps} steps{in_stretches}, then {np.exp(found.factor):.2f}x the time; "
        f"others in {max(found.others, 0):.1%} of theirs"
    )
    symptom = "flapping" if found.stretches else "intermittent"
    return Verdict(
        names.unit_kind, (names.units[found.host],), Side.BOTH, symptom, judged.size.bytes,
        float(np.exp(found.factor)), confidence_of(score(found), 1), found.steps, text,
    )  # fmt: skip
