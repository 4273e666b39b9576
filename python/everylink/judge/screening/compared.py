"""Compares the readings of a screening with each other, size by size, and puts what is slow into words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from everylink.judge.confidence import calibrated, confidence_of
from everylink.judge.covered import Coverage
from everylink.judge.expected import Expected
from everylink.judge.names import Names
from everylink.judge.positions import positions_of
from everylink.judge.screening.again import Again
from everylink.judge.screening.coverage import coverage_of
from everylink.judge.screening.fit import (
    FEWEST,
    FEWEST_GROUPS,
    FEWEST_HOSTS,
    SHARED,
    Fit,
    fit,
    kinds_of_screening,
    levels_of,
)
from everylink.judge.screening.parts import Part, State, by_design, many_differ, parts_of
from everylink.judge.screening.readings import Index, ScreenReadings, screen_readings
from everylink.judge.sizes import LinkVerdicts, failed_verdicts
from everylink.judge.structure import QUESTION_OF_HOSTS, QUESTION_OF_WAYS, QUESTIONS, SHOWS
from everylink.judge.verdict import BANDWIDTH, Scope, Side, Structure, Verdict
from everylink.links.failed import fold_failures
from everylink.model.groups import Grouping
from everylink.model.results import Results, Size
from everylink.units import plural, size_text, time_text

CLEAR_OF_PAIR = float(np.log(1.5))  # log of the factor
LONGEST = 200  # characters of a node set in a sentence
OF_ONE_READING = 0.5  # confidence: a single long reading may be a disturbance
NOT_BY_FEW = "jitter, loss and what is slow now and then (that takes all pairs, or several passes)"


@dataclass(frozen=True)
class Screened:
    """One size of a screening, fitted, with what is slow."""

    size: Size
    seen: ScreenReadings
    fitted: Fit
    parts: tuple[Part, ...]
    shares_ways: bool  # whether what is slow may be so only by what else is on its way

    @cached_property
    def again(self) -> Again:
        return Again(self.fitted, self.seen)


def screened_sizes(results: Results, grouping: Grouping | None) -> list[Screened]:
    """The sizes of which there are readings."""
    host_of = results.ranks.host_index
    hosts = int(host_of.max(initial=0)) + 1
    levels = levels_of(grouping, hosts)
    place_of = positions_of(results.ranks, np.zeros(hosts, np.int64))
    sizes = [(size, seen) for size in results.sizes if len(seen := screen_readings(results, size, place_of))]
    kinds = kinds_of_screening(results, [seen for _, seen in sizes], levels)
    fitted = ((size, seen, fit(seen, kinds, levels)) for size, seen in sizes)
    screened = [
        Screened(size, seen, one, tuple(parts_of(one, seen)), one.shares_ways(seen)) for size, seen, one in fitted
    ]
    collide = max((one.size.bytes for one in screened if one.shares_ways), default=0)
    return [_decided(one) if one.shares_ways or BANDWIDTH <= one.size.bytes <= collide else one for one in screened]


def _decided(screened: Screened) -> Screened:
    """A size whose links share ways: only few busy ranks tell of groups and ways between them."""
    parts = (screened.again.decided(part) if part.kind in ("group", "trunk") else part for part in screened.parts)
    return replace(screened, parts=tuple(parts), shares_ways=True)


def compared_screening(results: Results, grouping: Grouping | None) -> tuple[LinkVerdicts, Names, Coverage | None]:
    """What comparing the links of a screening with each other yields, and what it covered: of the size that was covered
    least."""
    collected = LinkVerdicts()
    for size in results.sizes:
        collected.found += failed_verdicts(fold_failures(results, size), size)
    sizes = screened_sizes(results, grouping)
    levels = sizes[0].fitted.levels if sizes else ()
    hosts = results.facts.hosts
    names = Names(results, grouping, levels[0].of_host if levels else np.zeros(hosts, np.int64))
    if grouping is not None:
        collected.remarks += grouping.doubts
        if grouping.told_by:
            collected.remarks.append(
                f"Groups of hosts are the {len(grouping.names)} leaf switches of {grouping.told_by}."
            )
    for one in sizes:
        _Words(one, names, collected).tell()
    if max((size.bytes for size in results.sizes), default=0) >= BANDWIDTH:
        _set_aside_longer_ways(collected)
    if not results.facts.complete:
        collected.remarks.append("The run was not through: judged are the links so far.")
    covered = min((coverage_of(one.seen, levels) for one in sizes), key=lambda of: of.links, default=None)
    return collected, names, covered


def _set_aside_longer_ways(collected: LinkVerdicts) -> None:
    """What is slow in small messages only, and less than twice as long, has a longer way by design."""
    large = {(one.kind, one.subject) for one in collected.found if one.bytes >= BANDWIDTH}
    longer = [
        one for one in collected.found
        if one.kind in ("group", "trunk", "pair", "link") and one.symptom == "slow" and (one.factor or 2.0) < 2.0
        and (one.kind, one.subject) not in large
    ]  # fmt: skip
    collected.found = [one for one in collected.found if one not in longer]
    for one in longer:
        which = " and ".join(one.subject)
        text = f"{which}: {one.factor:.2f}x the time in messages of {size_text(one.bytes)}, as others in large ones"
        collected.structure.append(Structure("class", (which,), one.factor, one.bytes, "times", text, QUESTION_OF_WAYS))


class _Words:
    """Verdicts, suspects and structure of one size."""

    def __init__(self, screened: Screened, names: Names, collected: LinkVerdicts) -> None:
        self._of, self._names, self._collected = screened, names, collected
        self._fitted, self._seen = screened.fitted, screened.seen
        self._tested = {
            "host": int((self._fitted.ends.readings >= FEWEST).sum()),
            "group": sum(len(level.names) for level in self._fitted.levels),
            "trunk": sum(len(level.names) ** 2 // 2 for level in self._fitted.levels),
            "pair": len(self._seen),
        }

    def tell(self) -> None:
        parts, collected = self._of.parts, self._collected
        slow = [part for part in parts if self._is_proven(part)]
        design = by_design(slow, self._fitted, self._seen.hosts)
        collected.found += [self._verdict(part) for part in slow if part not in design]
        collected.suspects += [
            self._verdict(part) for part in parts if part.state is not State.LOAD and part not in slow
        ]
        collected.structure += [
            *self._of_kinds(),
            *self._of_groups(),
            *self._of_places(),
            *self._alike(design),
            *self._of_load(parts),
        ]
        collected.not_looked_for += self._not_looked_for()
        if self._of.shares_ways:
            collected.remarks.append(self._of_sharing())
        collected.expected.append(self._expected())

    def _of_sharing(self) -> str:
        fitted, size = self._fitted, size_text(self._of.size.bytes)
        if fitted.under_load > SHARED:
            longer = (
                f"take {np.exp(fitted.under_load):.2f}x the time while all measure as with a quarter of the ranks busy"
            )
        else:
            noise = max(fitted.noise_under_load(), fitted.fresh_noise(self._seen.is_fresh))
            longer = f"differ by {100 * noise:.0f} % for no known reason"
        return (
            f"At {size} links {longer}: they may share ways. So what looks slow there is a suspect, but for groups and "
            "ways between them that are slow with few ranks busy."
        )

    def _is_proven(self, part: Part) -> bool:
        """Once anything was measured again, what was not is a suspect; so is a pair that may just have a longer way."""
        if self._of.shares_ways:
            return part.by_few and part.state is State.SLOW
        if not part.is_sure or (part.kind == "pair" and part.best_effect < CLEAR_OF_PAIR):
            return False
        is_again = self._seen.is_fresh.any()
        if part.kind == "host" and (self._is_like_its_leaf(part) or (is_again and not self._of.again.shows(part))):
            return False
        return part.state is State.SLOW or (part.state is State.UNKNOWN and not is_again)

    def _is_like_its_leaf(self, host: Part) -> bool:
        """Whether most other hosts behind the same switch are half as slow, or more: then it may be their switch."""
        if not self._fitted.levels:
            return False
        of_host, (number,) = self._fitted.levels[0].of_host, host.numbers
        effect = self._fitted.ends.effect.reshape(-1, self._seen.hosts).max(axis=0)
        others = effect[of_host == of_host[number]]
        return len(others) > 1 and float(np.median(np.delete(others, np.argmax(others)))) > host.effect / 2

    def _verdict(self, part: Part) -> Verdict:
        kind, subject = part.kind, self._subject(part)
        if kind == "pair" and part.side == Side.SEND:
            kind = "link"
        confidence = confidence_of(part.z, self._tested[part.kind]) if part.is_sure else OF_ONE_READING
        verdict = Verdict(
            kind, subject, str(part.side), "slow", self._of.size.bytes, float(np.exp(part.best_effect)), confidence,
            part.readings, self._evidence(part), scope=Scope.ALL,
        )  # fmt: skip
        return calibrated(verdict, is_alone=part.state is State.SLOW)

    def _subject(self, part: Part) -> tuple[str, ...]:
        match part.kind:
            case "host":
                return (self._names.units[part.numbers[0]],)
            case "pair":
                return tuple(self._names.units[host] for host in part.numbers)
        return tuple(self._group(part.level, number) for number in part.numbers)

    def _group(self, level: int, number: int) -> str:
        of = self._fitted.levels[level]
        return of.names[number] or self._names.in_short(np.flatnonzero(of.of_host == number).tolist())

    def _hosts(self, hosts: Sequence[int]) -> str:
        """Hosts as a node set, or how many where that is long."""
        text = self._names.in_short(hosts)
        return text if len(text) <= LONGEST else f"{len(hosts):,} hosts, such as {self._names.units[hosts[0]]}"

    def _evidence(self, part: Part) -> str:
        usual = self._usual(part)
        seconds = time_text(usual * float(np.exp(part.effect)))
        match part.kind:
            case "host":
                side = {Side.SEND: " as sender", Side.RECEIVE: " as receiver"}.get(part.side, "")
                text = (
                    f"most of its {part.readings} readings{side} take {seconds}, those of other hosts "
                    f"{time_text(usual)} (noise {100 * self._fitted.noise_under_load():.1f} %)"
                )
            case "group":
                text = (
                    f"nearly all of its hosts are slow with other groups: {seconds} in {part.readings} readings, "
                    f"others {time_text(usual)}"
                )
                if np.isfinite(part.inside):
                    is_well = part.inside < part.effect / 2
                    text += "; among each other they are "
                    text += "as fast as others: look at the uplinks" if is_well else "slow, too"
            case "trunk":
                text = (
                    f"{part.readings} measured pairs between the two groups take {seconds}, others {time_text(usual)}; "
                    "by other ways these hosts are as fast as others: look between the switches"
                )
            case _:
                text = f"takes {seconds} in most of {plural(part.readings, 'reading')}, usual is {time_text(usual)}"
        return text + self._fresh_text(part)

    def _fresh_text(self, part: Part) -> str:
        if part.state is State.UNKNOWN:
            return "; measured only while all ranks are busy"
        again = f"{float(np.exp(part.fresh)):.2f}x in {plural(part.fresh_readings, 'reading')}"
        return f"; {again} with {'few' if part.by_few else 'a quarter'} of the ranks busy"

    def _usual(self, part: Part) -> float:
        """Seconds of healthy links of the hosts of a part, under load."""
        typical, kinds = self._fitted.typical, self._fitted.kinds.of_host
        match part.kind:
            case "host":
                own = kinds[list(part.numbers)]
            case "pair":
                own = kinds[list(part.numbers[:1])]
            case _:
                own = np.unique(kinds[np.isin(self._fitted.levels[part.level].of_host, part.numbers)])
        of_kinds = typical[own].reshape(-1)
        return float(np.exp(np.nanmedian(of_kinds))) if np.isfinite(of_kinds).any() else float("nan")

    def _of_kinds(self) -> Iterator[Structure]:
        """Kinds of hosts, and how much longer links among them take than those of the fastest kind."""
        kinds = self._fitted.kinds
        own = np.diag(self._fitted.typical[:, :, -1])
        if kinds.count < 2 or not np.isfinite(own).all():
            return
        for kind in np.argsort(own, kind="stable").tolist():
            which = self._hosts(np.flatnonzero(kinds.of_host == kind).tolist())
            factor = float(np.exp(own[kind] - own.min()))
            takes = f"links among them take {factor:.2f}x the time of the fastest "
            if kinds.told:
                text = kinds.told_text(kind, self._hosts, f", {takes}kind" if np.log(factor) > SHOWS else "")
                yield Structure("adapters", (which,), factor, self._of.size.bytes, "facts", text, "")
            elif np.log(factor) > SHOWS:
                yield self._class(which, factor, f"{which}: {takes}class of hosts", QUESTIONS["host"])

    def _of_groups(self) -> Iterator[Structure]:
        """What links between groups take more than those inside."""
        typical = self._fitted.typical
        gaps = (typical[:, :, -1] - typical[:, :, 0]).reshape(-1)
        if not np.isfinite(gaps).any() or not (gap := float(np.nanmedian(gaps))) >= SHOWS:
            return
        groups = plural(len(self._fitted.levels[0].names), "group")
        text = f"{groups} of hosts: links between them take {np.exp(gap):.2f}x the time of those inside"
        yield Structure("groups", (), float(np.exp(gap)), self._of.size.bytes, "facts", text, "")

    def _of_places(self) -> Iterator[Structure]:
        """What places of ranks on their hosts cost."""
        added = self._fitted.of_places[1]
        if len(added) and (apart := float(np.ptp(added))) >= SHOWS:
            text = f"links of ranks at different places of their hosts differ by up to {np.exp(apart):.2f}x the time"
            yield Structure("position", ("ranks",), float(np.exp(apart)), self._of.size.bytes, "times", text, "")

    def _alike(self, parts: Sequence[Part]) -> Iterator[Structure]:
        for kind in ("group", "trunk", "host", "pair"):
            own = [part for part in parts if part.kind == kind]
            if not own:
                continue
            factor = float(np.exp(np.median([part.best_effect for part in own])))
            if kind == "host":
                which = self._hosts(sorted(part.numbers[0] for part in own))
                yield self._class(
                    which,
                    factor,
                    f"{which}: links with other hosts take {factor:.2f}x the time of theirs",
                    QUESTION_OF_HOSTS,
                )
                continue
            example = " and ".join(self._subject(own[0]))
            what = {"trunk": "way between switches", "group": "group", "pair": "pair"}[kind]
            text = f"{plural(len(own), what)}, such as {example}, take {factor:.2f}x the time of others"
            yield self._class(f"{kind}s", factor, text, QUESTION_OF_WAYS)

    def _class(self, subject: str, factor: float, text: str, question: str) -> Structure:
        return Structure("class", (subject,), factor, self._of.size.bytes, "times", text, question)

    def _of_load(self, parts: Sequence[Part]) -> Iterator[Structure]:
        """What is slow only while all ranks are busy."""
        own = [part for part in parts if part.is_sure and part.state is State.LOAD]
        if not own:
            return
        counts = ", ".join(plural(count, kind) for kind, count in Counter(part.kind for part in own).items())
        factor = float(np.exp(max(part.effect for part in own)))
        text = (
            f"{counts} slow, by up to {factor:.2f}x, only while all measure; with fewer ranks busy as fast as others: "
            "shared ways"
        )
        yield Structure("contention", (), factor, self._of.size.bytes, "times", text, "")

    def _not_looked_for(self) -> Iterator[str]:
        fitted = self._fitted
        hosts = self._seen.hosts
        if few := int((fitted.ends.readings.reshape(-1, hosts).min(axis=0) < FEWEST).sum()):
            which = "slow hosts" if few == hosts else f"whether {few:,} of {hosts:,} hosts are slow"
            yield f"{which} (that takes {FEWEST} readings of a host)"
        whole = int((fitted.levels[0].sizes >= FEWEST_HOSTS).sum()) if fitted.levels else 0
        if whole < FEWEST_GROUPS:
            known = (
                f"(that takes {FEWEST_GROUPS} groups of {FEWEST_HOSTS} hosts, by --topology or Slurm; {whole} known)"
            )
            yield f"slow groups and slow trunks {known}"
        if many_differ(fitted, self._seen):
            yield "slow pairs (too many of the links that were measured differ by what lies between their hosts)"
        yield NOT_BY_FEW

    def _expected(self) -> Expected:
        fitted, ranks = self._fitted, self._names
        host_of = ranks.host_of
        groups = fitted.levels[0].of_host if fitted.levels else np.zeros(self._seen.hosts, np.int64)
        typical = fitted.typical[:, :, [-1, 0]]  # without groups all hosts are equally near
        nowhere: Index = np.full(len(host_of), -1, np.int64)
        return Expected(
            self._of.size.bytes,
            host_of,
            fitted.kinds.of_host,
            groups,
            typical,
            nowhere,
            np.zeros((2, 0, 0), np.float32),
        )
