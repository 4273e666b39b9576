"""Acknowledgements: what is known and need not be told again until a date (docs/decisions/0124).

Each is a file of the folder `acks` that never changes. A second file beside it ends it early.
"""

import json
import os
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from everylink.errors import EverylinkError
from everylink.files import atomic_write, unwritable
from everylink.host_lists import folded
from everylink.judge.verdict import Judgement, Verdict
from everylink.links.hosts import host_names
from everylink.model.results import Results
from everylink.store.layout import ACKS, Store
from everylink.store.summary import OF_TWO, Seen, seconds_of, stable_names, subject_of
from everylink.text.verdicts import title
from everylink.units import utc_text

SCHEMA = "everylink-ack/1"
ENDED = ".ended"
LARGEST = 1 << 20  # bytes


@dataclass(frozen=True)
class Ack:
    """`hosts`: any of these, or if it is `of_link` the links between these two. `begin`, `until`: ISO 8601.

    `ended`: when it was ended early, or empty.
    """

    id: str
    hosts: tuple[str, ...]
    of_link: bool
    begin: str
    until: str
    reason: str
    by: str
    made: str
    ended: str = ""

    @property
    def end(self) -> str:
        return min(filter(None, (self.until, self.ended)))

    def is_active(self, when: str) -> bool:
        return self.begin <= when < self.end

    def covers(self, kind: str, hosts: Collection[str]) -> bool:
        """Whether a finding of this kind, which names these hosts, is known: of two ends one is enough."""
        if self.of_link:
            return kind in OF_TWO and set(hosts) == set(self.hosts)
        known = [host in self.hosts for host in hosts]
        return any(known) if kind in OF_TWO else bool(known) and all(known)

    @property
    def subject(self) -> str:
        return " and ".join(self.hosts) if self.of_link else folded(self.hosts)

    @property
    def last_day(self) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(seconds_of(self.until) - 1))

    @property
    def text(self) -> str:
        return f"acknowledged until {self.last_day} by {self.by} ({self.reason})"


def now() -> str:
    return utc_text(time.time())


def acknowledge(store: Store, hosts: Sequence[str], of_link: bool, begin: str, until: str, reason: str, by: str) -> Ack:
    """Write a new one. Raises EverylinkError, UserMistake."""
    ack = Ack(os.urandom(4).hex(), tuple(hosts), of_link, begin, until, reason, by, now())
    said = {"schema": SCHEMA} | {name: value for name, value in asdict(ack).items() if name != "ended"}
    folder = store.path / ACKS
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None
    with atomic_write(folder / f"{ack.id}.json") as new:
        new.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return ack


def end_early(store: Store, ack: Ack) -> Ack:
    """From now on it is no longer known."""
    ended = replace(ack, ended=now())
    with atomic_write(store.path / ACKS / f"{ack.id}{ENDED}", force=True) as new:
        new.write_text(ended.ended + "\n", encoding="utf-8")
    return ended


def acks_in(store: Store) -> tuple[list[Ack], list[str]]:
    """All of a store, the oldest first, and a sentence for each file that is damaged. Raises EverylinkError."""
    acks, notes = list[Ack](), list[str]()
    folder = store.path / ACKS
    try:
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    except OSError as error:
        raise EverylinkError(f"{folder}: cannot be read: {error.strerror}") from None
    for path in files:
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError
            said = json.loads(path.read_text(encoding="utf-8"))
            if said.pop("schema") != SCHEMA:
                raise ValueError
            ended = path.with_suffix(ENDED)
            when = ended.read_text(encoding="utf-8").strip() if ended.exists() else ""
            ack = Ack(**said | {"hosts": tuple(said["hosts"])}, ended=when)
            for moment in filter(None, (ack.begin, ack.until, ack.ended)):
                seconds_of(moment)
            acks.append(ack)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            notes.append(f"{path}: left out, it is not an acknowledgement")
    return sorted(acks, key=lambda ack: ack.made), notes


def active(acks: Sequence[Ack], when: str) -> list[Ack]:
    return [ack for ack in acks if ack.is_active(when)]


def first_that_covers(acks: Sequence[Ack], kind: str, hosts: Collection[str]) -> Ack | None:
    return next((ack for ack in acks if ack.covers(kind, hosts)), None)


def with_acks(findings: Sequence[Seen], acks: Sequence[Ack]) -> list[Seen]:
    """The findings, each with the id of what acknowledges it."""

    def known(one: Seen) -> str:
        ack = first_that_covers(acks, one.kind, one.hosts)
        return "" if ack is None else ack.id

    return [replace(one, ack=known(one)) for one in findings]


def quieted(results: Results, judgement: Judgement, acks: Sequence[Ack]) -> tuple[Judgement, list[str]]:
    """The judgement without what is acknowledged, and a sentence for each verdict and finding that went."""
    if not acks:
        return judgement, []
    named, said = stable_names(results.ranks), list[str]()

    def ack_of(verdict: Verdict) -> Ack | None:
        return first_that_covers(acks, verdict.kind, subject_of(verdict, named)[1])

    kept = []
    for verdict in judgement.verdicts:
        if (ack := ack_of(verdict)) is None:
            kept.append(verdict)
        else:
            said.append(f"{ack.text}: {title(verdict)}")
    findings = []
    for finding in judgement.findings:
        if (ack := first_that_covers(acks, finding.kind, finding.hosts)) is None or not finding.is_fault:
            findings.append(finding)
        else:
            said.append(f"{ack.text}: {finding.text}")
    quiet = replace(
        judgement,
        verdicts=tuple(kept),
        suspects=tuple(one for one in judgement.suspects if ack_of(one) is None),
        findings=tuple(findings),
        links_failed=_failed(results, acks) if judgement.links_failed else 0,
        drain=tuple(host for host in judgement.drain if first_that_covers(acks, "host", (host,)) is None),
    )
    return quiet, said


def _failed(results: Results, acks: Sequence[Ack]) -> int:
    """How many links failed, at the size of most, between hosts of which nothing is acknowledged."""
    names, host = host_names(results.ranks), results.ranks.host_index.astype(np.int64)
    known = np.zeros((len(names), len(names)), bool)
    for ack in acks:
        places = [names.index(one) for one in ack.hosts if one in names]
        if ack.of_link and len(places) == 2:
            known[places[0], places[1]] = known[places[1], places[0]] = True
        elif not ack.of_link:
            known[places] = known[:, places] = True
    failed = (links.failed & ~known[host[links.frm], host[links.to]] for links in (one.links for one in results.sizes))
    return max((int(np.count_nonzero(one)) for one in failed), default=0)


def acknowledged_by(acks: Sequence[Ack]) -> Callable[[str, Sequence[str], str], str]:
    """For a kind, hosts and a time: what is acknowledged of them then, or empty."""

    def said(kind: str, hosts: Sequence[str], when: str) -> str:
        ack = first_that_covers(active(acks, when), kind, hosts)
        return "" if ack is None else ack.text

    return said
