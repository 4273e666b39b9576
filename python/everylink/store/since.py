"""What is new, known and cured in a run, against the runs before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from everylink.store.index import Index
from everylink.store.summary import Seen, Summary

BACK = 30  # runs in which the one before is looked for


@dataclass(frozen=True)
class Since:
    """Findings against the run before that measured their hosts. `date`: of the newest run before; `night`: the number
    of this run in the store."""

    night: int
    date: str
    new: tuple[Seen, ...]
    known: tuple[Seen, ...]
    cured: tuple[Seen, ...]

    def __str__(self) -> str:
        if not self.date:
            return "store: the first run"
        cured = f" ({', '.join(one.key for one in self.cured[:3])})" if self.cured else ""
        found = f"{len(self.new)} new, {len(self.known)} known, {len(self.cured)} cured{cured}"
        return f"store: run {self.night}; since {self.date}: {found if self._any else 'nothing changed'}"

    @property
    def _any(self) -> bool:
        return bool(self.new or self.known or self.cured)


def since_last(index: Index, summary: Summary) -> Since:
    """Compare a run that is not in the index with those that are. What is acknowledged is neither new nor known."""
    nights = index.nights(BACK)
    findings = index.findings(nights)
    now = {one.key for one in summary.findings}
    measured = [(set(night.summary.hosts), found) for night, found in zip(nights, findings, strict=True)]
    new, known = list[Seen](), list[Seen]()
    for one in (one for one in summary.findings if not one.ack):
        before = _last_of(one, measured)
        (known if any(other.key == one.key for other in before) else new).append(one)
    hosts = set(summary.hosts)
    last = findings[-1] if findings else []
    cured = [one for one in last if one.key not in now and hosts.issuperset(one.hosts)]
    date = nights[-1].summary.date if nights else ""
    return Since(len(index) + 1, date, tuple(new), tuple(known), tuple(cured))


def _last_of(one: Seen, measured: Sequence[tuple[set[str], list[Seen]]]) -> list[Seen]:
    """The findings of the last run that measured what this one is of, or found it; `measured`: hosts and findings."""
    for hosts, findings in reversed(measured):
        if hosts.issuperset(one.hosts) or any(other.key == one.key for other in findings):
            return findings
    return []
