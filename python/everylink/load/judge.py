"""Judges load patterns: failed flows, slow connections, unfair shares."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.confidence import confidence_of
from everylink.judge.judge import judge, judgement
from everylink.judge.merged import one_per_subject
from everylink.judge.names import Names
from everylink.judge.sizes import LinkVerdicts, failed_verdicts
from everylink.judge.verdict import Judgement, Verdict, on_device
from everylink.links.failed import fold_failures
from everylink.load.links import EVEN, as_links
from everylink.load.service import clients_and_servers, service_sums
from everylink.load.shares import Slow, shared_device, slow_ones, too_many, unfair
from everylink.model.groups import Grouping
from everylink.model.loads import BULK, GET, PUT, Load
from everylink.model.results import Results
from everylink.robust import Values
from everylink.units import time_text

TOO_MANY = "More than a third of the {} look slow, so it cannot be told which are well."
OTHER_WAY = {"send": "receiving", "receive": "sending"}
LEAST_SLOW = 1.25  # healthy ones differ more under load than alone
LEAST_SHARE = 2.0  # for a sender of incast or a receiver of outcast
FEWEST_EQUALS = 3  # other senders or receivers to compare with
LARGE = 65536  # bytes; smaller and larger messages are judged apart
SHARED = {"incast": ("senders", "send"), "outcast": ("receivers", "receive")}
ONLY_FAILURES = "Of victim only failures are judged: its impact says how much a load costs, not who is at fault."
WHOLE, MANY = 0.7, 16  # part of all links, and hosts or ranks, from which links are judged one by one
Index = NDArray[np.int64]


@dataclass(frozen=True)
class SlowRank:
    """A rank that is slow in one direction, with the factor, size and evidence where it shows most."""

    slow: Slow
    direction: str
    bytes: int
    evidence: str


def add_slow(
    results: Results, names: Names, collected: LinkVerdicts, role: str, seen: Sequence[SlowRank], judged: Sequence[int]
) -> set[int]:
    """Add verdicts: one per rank, one per host if all of its ranks are slow, or one for a device that all share.

    Under load, whoever waits for a rank that is very slow is slower too: a rank that is slow by less than the square
    root of the largest factor is a suspect. Returns the ranks that verdicts name; empty if too many are slow to be
    sure.
    """
    most = max((one.slow.factor for one in seen), default=1.0)
    by_rank = _by_rank([one for one in seen if one.slow.factor**2 >= most])
    others = _by_rank([one for one in seen if one.slow.unit not in by_rank])
    collected.suspects += _of_ranks(results, names, others, judged)
    slow = sorted(by_rank)
    if device := shared_device(results.ranks, judged, slow):
        clear = [one for ones in by_rank.values() for one in ones]
        which = names.rank(max(clear, key=lambda one: one.slow.factor).slow.unit)
        text = f"all {len(slow)} {role} on {device} are slow, and none of the others; {which}: "
        collected.found.append(_verdict(("group", (on_device(role, device),)), clear, text, len(slow)))
        return set(slow)
    verdicts = list(_of_ranks(results, names, by_rank, judged))
    if too_many([ones[0].slow for ones in by_rank.values()]):
        collected.suspects += verdicts
        collected.remarks.append(TOO_MANY.format(role))
        return set()
    collected.found += verdicts
    return set(slow)


def _by_rank(seen: Iterable[SlowRank]) -> dict[int, list[SlowRank]]:
    by_rank: dict[int, list[SlowRank]] = {}
    for one in seen:
        by_rank.setdefault(one.slow.unit, []).append(one)
    return by_rank


def _of_ranks(
    results: Results, names: Names, by_rank: dict[int, list[SlowRank]], judged: Sequence[int]
) -> Iterable[Verdict]:
    host_of = results.ranks.host_index
    done: set[int] = set()
    for rank, ones in by_rank.items():
        host = int(host_of[rank])
        if host in done:
            continue
        here = [other for other in judged if host_of[other] == host]
        whole = len(names.hosts) > 1 and all(other in by_rank for other in here)
        if whole:
            done.add(host)
            ones = [one for other in here for one in by_rank[other]]
        subject = ("host", (names.hosts[host],)) if whole else ("rank", (names.rank(rank),))
        device = "" if whole else names.on_one_device(rank, by_rank)
        yield _verdict(subject, ones, "", len(here) if whole else 1, device)


def _verdict(
    subject: tuple[str, tuple[str, ...]], ones: list[SlowRank], before: str, ranks: int, behind: str = ""
) -> Verdict:
    """One verdict on a subject, from the clearest of its findings."""
    worst = max(ones, key=lambda one: one.slow.factor)
    ways = {one.direction for one in ones}
    if others := [one.slow.factor for one in ones if one.direction != worst.direction]:
        behind = f"; {OTHER_WAY[worst.direction]} {max(others):.2f} times" + behind
    surest = max(confidence_of(one.slow.z, one.slow.tested) for one in ones)
    readings = math.ceil(sum(one.slow.readings for one in ones) / max(ranks, 1))
    return Verdict(
        *subject, ways.pop() if len(ways) == 1 else "both", "slow", worst.bytes, worst.slow.factor, surest, readings,
        before + worst.evidence + behind,
    )  # fmt: skip


def judge_patterns(results: Results, grouping: Grouping | None = None) -> Judgement:
    """Judge every pattern of a file; a subject that shows in several scenes is reported once, at the clearest."""
    found = [_judged(results, load, grouping) for load in results.loads]
    verdicts = one_per_subject([verdict for one in found for verdict in one.verdicts])
    return Judgement(
        verdicts=tuple(sorted(verdicts, key=lambda verdict: verdict.worth)),
        suspects=tuple(sorted((suspect for one in found for suspect in one.suspects), key=lambda one: one.worth)),
        links_measured=sum(one.links_measured for one in found),
        links_failed=sum(one.links_failed for one in found),
        sizes=tuple(sorted({size for one in found for size in one.sizes})),
        remarks=tuple(dict.fromkeys(line for one in found for line in one.remarks)),
        unmeasured=tuple(one for each in found for one in each.unmeasured),
    )


def _judged(results: Results, load: Load, grouping: Grouping | None) -> Judgement:
    links = as_links(results, load)
    if load.name in EVEN and _is_whole(links):
        return _without_small(judge(links, grouping))
    collected = LinkVerdicts()
    for size in links.sizes:
        collected.found += failed_verdicts(fold_failures(links, size), size)
    work = _Judge(results, load, Names(results, None, np.zeros(0, np.int64)), collected)
    if load.name in EVEN:
        _judge_ends(work)
    elif load.name in SHARED:
        _judge_shares(work)
    elif load.name == "client-server":
        _judge_service(work)
    else:
        collected.remarks.append(ONLY_FAILURES)
        return replace(judgement(links, collected, one_per_subject(collected.found)), sizes=())
    return judgement(links, collected, one_per_subject(collected.found))


def _is_whole(links: Results) -> bool:
    ranks, hosts = len(links.ranks), int(links.ranks.host_index.max()) + 1
    if (hosts if hosts > 1 else ranks) < MANY:
        return False
    return max((size.outcomes.links for size in links.sizes), default=0) >= WHOLE * ranks * (ranks - 1)


def _without_small(judged: Judgement) -> Judgement:
    """Drop slowness so small that colliding flows of the load may explain it."""
    kept = [
        tuple(v for v in verdicts if v.symptom != "slow" or (v.factor or 0.0) >= LEAST_SLOW)
        for verdicts in (judged.verdicts, judged.suspects)
    ]
    return replace(judged, verdicts=kept[0], suspects=kept[1])


@dataclass(frozen=True)
class _Judge:
    """One load pattern and the verdicts found so far."""

    results: Results
    load: Load
    names: Names
    collected: LinkVerdicts

    def size_of(self, row: int) -> int:
        return int(self.load.scenes.bytes[self.load.flows.scene[row]])

    def group_numbers(self, *keys: NDArray[np.integer | np.bool_]) -> Index:
        """A number per row, the same for rows whose keys agree."""
        stacked = np.stack([key.astype(np.int64) for key in keys], axis=1)
        return np.unique(stacked, axis=0, return_inverse=True)[1].ravel()

    def bulk(self, large: bool) -> tuple[Index, Index, Values]:
        """Flows that have a rate, with large or small messages; the group each is compared within; seconds per byte.

        A group is one scene, or one size if flows run one at a time; flows within a host are compared apart.
        """
        flows, rate = self.load.flows, self.load.rate
        of_size = (self.load.scenes.bytes[flows.scene] >= LARGE) == large
        rows = np.flatnonzero(of_size & (flows.kind == BULK) & (rate > 0))
        together = np.bincount(flows.scene[rows], minlength=1).max() > 1
        scene = flows.scene[rows] if together else self.load.scenes.bytes[flows.scene[rows]]
        return rows, self.group_numbers(scene, self.same_host(rows)), 1 / rate[rows]

    def same_host(self, rows: Index) -> NDArray[np.bool_]:
        host, flows = self.results.ranks.host_index, self.load.flows
        return np.asarray(host[flows.frm[rows]] == host[flows.to[rows]])


def _judge_ends(judge: _Judge) -> None:
    """Find ranks whose flows, as sender or receiver, are slower than the others in the same scenes."""
    seen: list[SlowRank] = []
    ends: set[int] = set()
    for large in (False, True):
        for end, direction, flows_of in (
            (judge.load.flows.frm, "send", "from"),
            (judge.load.flows.to, "receive", "to"),
        ):
            rows, group, seconds = judge.bulk(large)
            for slow in slow_ones(end[rows].astype(np.int64), group, seconds, LEAST_SLOW):
                text = (
                    f"{slow.readings} flows {flows_of} it take {slow.factor:.2f} times as long for a message as the "
                    "others of the same scenes"
                )
                seen.append(SlowRank(slow, direction, judge.size_of(int(rows[slow.worst])), text))
            ends |= set(end[rows].tolist())
    add_slow(judge.results, judge.names, judge.collected, "ranks", seen, sorted(ends))


def _judge_shares(judge: _Judge) -> None:
    """Find senders of incast, or receivers of outcast, with far smaller shares than the others in the same scenes."""
    role, direction = SHARED[judge.load.name]
    end = judge.load.flows.frm if direction == "send" else judge.load.flows.to
    seen: list[SlowRank] = []
    for large in (False, True):
        rows, group, seconds = judge.bulk(large)
        equals = np.bincount(group, minlength=1)[group] > FEWEST_EQUALS
        rows = rows[equals]
        for slow in slow_ones(end[rows].astype(np.int64), group[equals], seconds[equals], LEAST_SHARE):
            text = f"its share is {1 / slow.factor:.2f} of that of the other {role} in the same {slow.readings} scenes"
            seen.append(SlowRank(slow, direction, judge.size_of(int(rows[slow.worst])), text))
    add_slow(judge.results, judge.names, judge.collected, role, seen, np.unique(end).tolist())


def _judge_service(judge: _Judge) -> None:
    """Find servers that are slow to all clients, clients that are slow with all servers, and unfair shares."""
    flows = judge.load.flows
    sizes = judge.load.scenes.bytes[flows.scene]
    seen: dict[str, list[SlowRank]] = {"servers": [], "clients": []}
    judged: dict[str, list[int]] = {"servers": [], "clients": []}
    for kind, large in ((kind, large) for kind in (PUT, GET) for large in (False, True)):
        rows = np.flatnonzero((flows.kind == kind) & flows.ok & ((sizes >= LARGE) == large))
        if not len(rows):
            continue
        client, server = (end.astype(np.int64) for end in clients_and_servers(judge.load, rows))
        for role, unit, other in (("servers", server, client), ("clients", client, server)):
            group = judge.group_numbers(flows.scene[rows], other, judge.same_host(rows))
            seconds = flows.median[rows].astype(np.float64)
            sends = (role == "servers") == (kind == PUT)
            for slow in slow_ones(unit, group, seconds, LEAST_SLOW):
                text = _service_evidence(judge.load, rows, unit, slow, role, kind)
                direction = "send" if sends else "receive"
                seen[role].append(SlowRank(slow, direction, judge.size_of(int(rows[slow.worst])), text))
            judged[role] += unit.tolist()
    named = {
        role: add_slow(judge.results, judge.names, judge.collected, role, ones, sorted(set(judged[role])))
        for role, ones in seen.items()
    }
    judge.collected.found += unfair(service_sums(judge.load), named["clients"], judge.names.rank, LARGE)


def _service_evidence(load: Load, rows: Index, unit: Index, slow: Slow, role: str, kind: int) -> str:
    what = "put" if kind == PUT else "get"
    other = "clients" if role == "servers" else "servers"
    others_of = f"those of the other {role} with the same {other}"
    text = f"its {what} requests take {slow.factor:.2f} times as long as {others_of}, {slow.readings} readings"
    service = load.flows.service_mean[rows]
    mine, others = (service[(unit == slow.unit) == own] for own in (True, False))
    if role == "servers" and np.isfinite(mine).any() and np.isfinite(others).any():
        here, there = (time_text(float(np.nanmedian(times))) for times in (mine, others))
        text += f"; of that {here} at the server, {there} at the others"
    return text
