"""Judges load patterns: failed flows, who is slow in whatever the others do, and shares that are not even."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.failed import fold_failures
from everylink.analysis.judge.evidence import Names
from everylink.analysis.judge.grouping import Grouping
from everylink.analysis.judge.load_subjects import Seen, say
from everylink.analysis.judge.robust import Values
from everylink.analysis.judge.shares import Slow, slow_ones
from everylink.analysis.judge.unfair import unfair
from everylink.analysis.judge.verdict import Judgement
from everylink.analysis.judge.verdicts import Said, failed_verdicts, judge, judgement, once_each
from everylink.analysis.load_links import EVEN, as_links
from everylink.analysis.service_sums import clients_and_servers, service_sums
from everylink.loads import BULK, GET, PUT, Load
from everylink.results import Results
from everylink.units import time_text

LEAST_SLOW = 1.25  # times as long: under load healthy ones differ by more than alone
LEAST_SHARE = 2.0  # times as long, of a sender of incast or a receiver of outcast
FEWEST_EQUALS = 3  # of these
LARGE = 65536  # bytes: below and from there on messages are judged apart
SHARED = {"incast": ("senders", "send"), "outcast": ("receivers", "receive")}
ONLY_FAILURES = "Of victim only failures are judged: its impact says how much a load costs, not who is at fault."
NO_RETEST = "--confirm"  # of a pattern there is none
WHOLE, MANY = 0.7, 16  # of all links, of so many hosts or ranks: from there on they are judged link by link
Index = NDArray[np.int64]


def judge_patterns(results: Results, grouping: Grouping | None = None) -> Judgement:
    """Judge every pattern of a file; of what shows in several scenes the clearest counts."""
    found = [_judged(results, load, grouping) for load in results.loads]
    verdicts = once_each([verdict for one in found for verdict in one.verdicts])
    return Judgement(
        tuple(sorted(verdicts, key=lambda verdict: verdict.worth)),
        tuple(suspect for one in found for suspect in one.suspects),
        sum(one.links_measured for one in found),
        sum(one.links_failed for one in found),
        tuple(dict.fromkeys(line for one in found for line in one.remarks if NO_RETEST not in line)),
    )


def _judged(results: Results, load: Load, grouping: Grouping | None) -> Judgement:
    links = as_links(results, load)
    if load.name in EVEN and _is_whole(links):
        return _clear(judge(links, grouping))
    said = Said()
    for size in links.sizes:
        said.found += failed_verdicts(fold_failures(links, size), size)
    work = _Judge(results, load, Names(results, None, np.zeros(0, np.int64)), said)
    if load.name in EVEN:
        _judge_ends(work)
    elif load.name in SHARED:
        _judge_shares(work)
    elif load.name == "client-server":
        _judge_service(work)
    else:
        said.remarks.append(ONLY_FAILURES)
    return judgement(links, said, once_each(said.found))


def _is_whole(links: Results) -> bool:
    ranks, hosts = len(links.ranks), int(links.ranks.host_index.max()) + 1
    if (hosts if hosts > 1 else ranks) < MANY:
        return False
    return max((size.outcomes.links for size in links.sizes), default=0) >= WHOLE * ranks * (ranks - 1)


def _clear(judged: Judgement) -> Judgement:
    """Without what is slow by so little that it may be how the load meets on its ways."""
    kept = [
        tuple(v for v in verdicts if v.symptom != "slow" or (v.factor or 0.0) >= LEAST_SLOW)
        for verdicts in (judged.verdicts, judged.suspects)
    ]
    return replace(judged, verdicts=kept[0], suspects=kept[1])


@dataclass(frozen=True)
class _Judge:
    """What is judged, and where it is said."""

    results: Results
    load: Load
    names: Names
    said: Said

    def size_of(self, row: int) -> int:
        return int(self.load.scenes.bytes[self.load.flows.scene[row]])

    def apart(self, *keys: NDArray[np.integer | np.bool_]) -> Index:
        """The same number for rows that agree."""
        stacked = np.stack([key.astype(np.int64) for key in keys], axis=1)
        return np.unique(stacked, axis=0, return_inverse=True)[1].ravel()

    def bulk(self, large: bool) -> tuple[Index, Index, Values]:
        """Flows that have a rate, with large messages or small ones; who is compared with whom, seconds a byte.

        Equals are of one scene; where flows run one at a time, all of one size.
        """
        flows, rate = self.load.flows, self.load.rate
        of_size = (self.load.scenes.bytes[flows.scene] >= LARGE) == large
        rows = np.flatnonzero(of_size & (flows.kind == BULK) & (rate > 0))
        together = np.bincount(flows.scene[rows], minlength=1).max() > 1
        scene = flows.scene[rows] if together else self.load.scenes.bytes[flows.scene[rows]]
        return rows, self.apart(scene, self.same_host(rows)), 1 / rate[rows]

    def same_host(self, rows: Index) -> NDArray[np.bool_]:
        host, flows = self.results.ranks.host_index, self.load.flows
        return np.asarray(host[flows.frm[rows]] == host[flows.to[rows]])


def _judge_ends(judge: _Judge) -> None:
    """Ranks whose flows, as sender or as receiver, are slow against the others of the same scenes."""
    seen: list[Seen] = []
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
                seen.append(Seen(slow, direction, judge.size_of(int(rows[slow.worst])), text))
            ends |= set(end[rows].tolist())
    say(judge.results, judge.names, judge.said, "ranks", seen, sorted(ends))


def _judge_shares(judge: _Judge) -> None:
    """Senders of incast, or receivers of outcast, whose share is far below that of the others in the same scenes."""
    who, direction = SHARED[judge.load.name]
    end = judge.load.flows.frm if direction == "send" else judge.load.flows.to
    seen: list[Seen] = []
    for large in (False, True):
        rows, group, seconds = judge.bulk(large)
        equals = np.bincount(group, minlength=1)[group] > FEWEST_EQUALS
        rows = rows[equals]
        for slow in slow_ones(end[rows].astype(np.int64), group[equals], seconds[equals], LEAST_SHARE):
            text = f"its share is {1 / slow.factor:.2f} of that of the other {who} in the same {slow.readings} scenes"
            seen.append(Seen(slow, direction, judge.size_of(int(rows[slow.worst])), text))
    say(judge.results, judge.names, judge.said, who, seen, np.unique(end).tolist())


def _judge_service(judge: _Judge) -> None:
    """Servers that are slow to all their clients, clients that are slow with all servers, and unfair shares."""
    flows = judge.load.flows
    sizes = judge.load.scenes.bytes[flows.scene]
    seen: dict[str, list[Seen]] = {"servers": [], "clients": []}
    judged: dict[str, list[int]] = {"servers": [], "clients": []}
    for kind, large in ((kind, large) for kind in (PUT, GET) for large in (False, True)):
        rows = np.flatnonzero((flows.kind == kind) & flows.ok & ((sizes >= LARGE) == large))
        if not len(rows):
            continue
        client, server = (end.astype(np.int64) for end in clients_and_servers(judge.load, rows))
        for who, unit, other in (("servers", server, client), ("clients", client, server)):
            group = judge.apart(flows.scene[rows], other, judge.same_host(rows))
            seconds = flows.median[rows].astype(np.float64)
            sends = (who == "servers") == (kind == PUT)
            for slow in slow_ones(unit, group, seconds, LEAST_SLOW):
                text = _waited(judge.load, rows, unit, slow, who, kind)
                direction = "send" if sends else "receive"
                seen[who].append(Seen(slow, direction, judge.size_of(int(rows[slow.worst])), text))
            judged[who] += unit.tolist()
    named = {
        who: say(judge.results, judge.names, judge.said, who, ones, sorted(set(judged[who])))
        for who, ones in seen.items()
    }
    judge.said.found += unfair(service_sums(judge.load), named["clients"], judge.names.rank, LARGE)


def _waited(load: Load, rows: Index, unit: Index, slow: Slow, who: str, kind: int) -> str:
    what = "put" if kind == PUT else "get"
    other = "clients" if who == "servers" else "servers"
    others_of = f"those of the other {who} with the same {other}"
    text = f"its {what} requests take {slow.factor:.2f} times as long as {others_of}, {slow.readings} readings"
    service = load.flows.service_mean[rows]
    mine, others = (service[(unit == slow.unit) == own] for own in (True, False))
    if who == "servers" and np.isfinite(mine).any() and np.isfinite(others).any():
        here, there = (time_text(float(np.nanmedian(times))) for times in (mine, others))
        text += f"; of that {here} at the server, {there} at the others"
    return text
