"""What a run shows of how its cluster is built: differences among links that are no faults."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from everylink.host_lists import folded
from everylink.judge.comparable import FEWEST_GOOD, HEALTHY
from everylink.judge.contention import LEAST as UNDER_LOAD
from everylink.judge.equal_load import LoadedGroup
from everylink.judge.findings import Found
from everylink.judge.judged import Judged
from everylink.judge.kinds import Kinds
from everylink.judge.names import Names
from everylink.judge.readings import readings
from everylink.judge.verdict import BANDWIDTH, Structure
from everylink.model.results import Results
from everylink.robust import known_sample
from everylink.units import plural, size_text

SHOWS = np.log(1.05)  # log of the factor from which a difference is told
SAME = 0.03  # log of the factor by which places that are told together differ from the next one
FEWEST_LOADED = 20  # links of each kind, inside groups and between them, measured under load and alone
MOST_NAMED = 4  # groups, in a sentence
FEW = 2  # groups: nothing tells at which of them the way between them would be slow
QUESTION_OF_WAYS = "Further apart by design (a torus, a longer route), or several bad cables? The topology tells."
QUESTION_OF_HOSTS = "Other adapters, or other switches on their ways by design? The topology and the inventory tell."
QUESTION_OF_RANKS = "Do they share a port with others by design, or is a part bad on all? The adapters tell."
QUESTION_OF_TWO_GROUPS = "Narrower ways between them by design, or a fault at one end of them? The topology tells."
QUESTION_OF_CABLES = "Fewer uplinks by design, or bad ones? The topology tells."
QUESTION_OF_DRIFT = "What do they share: a switch, cooling, other load? Temperatures and a second run tell."
QUESTIONS = {
    "host": "Other adapters, cables or settings, or a fault that they share? Compare them (everylink inventory).",
    "rank": "Cores that are further from the others by design, or a fault? Where the ranks run tells (everylink show).",
}


def structures_at(
    results: Results, judged: Judged, names: Names, kinds: Kinds, faulty: Collection[str]
) -> Iterator[Structure]:
    """What one size shows. `faulty`: devices that are at fault on all hosts."""
    yield from _of_kinds(judged, names, kinds)
    yield from _of_positions(results, judged, names, faulty)
    yield from _of_cores(judged, names)
    yield from _of_ways(judged, names)
    yield from _of_groups(judged, names)
    yield from _of_contention(judged)
    yield from _of_time(judged, names)


def fewer_cables(loaded: LoadedGroup, judged: Judged, names: Names) -> Structure:
    """A group that has fewer cables to others than groups of as many hosts."""
    group, factor = names.group_in_short(loaded.group), float(np.exp(loaded.effect))
    text = f"{group}: links with other groups take {factor:.2f}x the time of those of groups of as many hosts"
    return Structure(
        "class", (group,), factor, judged.size.bytes, "times", f"{text} under equal load", QUESTION_OF_CABLES
    )


def each_once(structures: Sequence[Structure]) -> tuple[Structure, ...]:
    """What several sizes show, at the size where it shows most. Oversubscription is told in place of groups, and of
    places of ranks those that are told together with others where they show more."""
    found: dict[tuple[str, tuple[str, ...]], Structure] = {}
    for structure in structures:
        key = structure.kind, structure.subject
        if key not in found or (structure.factor or 0) > (found[key].factor or 0):
            found[key] = structure
    dropped = {"groups"} if any(kind == "oversubscription" for kind, _ in found) else set[str]()
    told = set[str]()
    for one in sorted(found.values(), key=lambda one: -(one.factor or 0)):
        if one.kind == "position":
            if told.issuperset(one.subject):
                del found[one.kind, one.subject]
            told.update(one.subject)
    return tuple(one for one in found.values() if one.kind not in dropped)


def _of_kinds(judged: Judged, names: Names, kinds: Kinds) -> Iterator[Structure]:
    """Hosts of several kinds: which ones, and how much longer their links take than those of the fastest kind."""
    if kinds.count < 2:
        return
    far = np.fmin.reduce(judged.findings.effects.typical, axis=2)  # NaN where no link is known
    own = np.diag(far)
    if not np.isfinite(own).all():
        return
    for kind in np.argsort(own, kind="stable").tolist():
        hosts = np.flatnonzero(kinds.of_host == kind)
        factor = float(np.exp(own[kind] - own.min()))
        subject = (names.in_short(hosts.tolist()),)
        if kinds.told:
            longer = f", links among them take {factor:.2f}x the time of the fastest kind"
            text = kinds.told_text(kind, names.in_short, longer if np.log(factor) > SHOWS else "")
            yield Structure("adapters", subject, factor, judged.size.bytes, "facts", text, "")
        elif np.log(factor) > SHOWS:
            text = f"{subject[0]}: links among them take {factor:.2f}x the time"
            text += f" of the fastest class of {names.unit_kind}s at {size_text(judged.size.bytes)}"
            yield _class(subject[0], factor, judged, text, QUESTIONS[names.unit_kind])


def _of_positions(results: Results, judged: Judged, names: Names, faulty: Collection[str]) -> Iterator[Structure]:
    """What ranks pay for their place on every host."""
    ranks = results.ranks
    places = judged.readings.places
    if places is None:
        return
    effect, usual = places.of_place - np.nanmin(places.of_place), set(ranks.numa_distance.tolist())
    alike: dict[tuple[tuple[int, ...], str], list[int]] = {}  # places, by their hosts and why they are slower
    for place in np.argsort(effect).tolist():
        own = np.flatnonzero(places.of_rank == place)
        if not effect[place] >= SHOWS or ranks.device[own[0]] in faulty:
            continue
        distances, why = set(ranks.numa_distance[own].tolist()), ""
        if len(distances) == 1 and (others := usual - distances) and min(distances) > min(others) >= 0:
            why = f", NUMA distance {min(distances)} from {ranks.device[own[0]] or 'the adapter'}"
        alike.setdefault((tuple(np.unique(ranks.host_index[own]).tolist()), why), []).append(place)
    for (hosts, why), slower in alike.items():
        of_hosts = () if len(hosts) == len(names.hosts) else (names.in_short(hosts),)
        where = f"{of_hosts[0]}: their" if of_hosts else "each host: its"
        for part in np.split(slower, np.flatnonzero(np.diff(effect[slower]) > SAME) + 1):
            numbers = [str(one) for one in np.unique(ranks.local_rank[np.isin(places.of_rank, part)])]
            which = f"rank {numbers[0]} takes" if len(numbers) == 1 else f"ranks {folded(numbers).strip('[]')} take"
            factor = float(np.exp(np.median(effect[part])))
            text, told_by = f"{where} {which} {factor:.2f}x the time{why}", "facts" if why else "times"
            yield Structure("position", (*of_hosts, *numbers), factor, judged.size.bytes, told_by, text, "")


def _of_cores(judged: Judged, names: Names) -> Iterator[Structure]:
    """Groups and pairs of cores of one host that are slower than others."""
    effects = judged.findings.effects
    if not effects.equals.one_host:
        return
    for group in np.flatnonzero(effects.group_effect).tolist():
        which, factor = names.group_in_short(group), float(np.exp(effects.group_effect[group]))
        text = f"{which}: links with other groups take {factor:.2f}x the time of theirs"
        yield _class(which, factor, judged, text, QUESTIONS["rank"])
    if judged.findings.repeated:
        pairs = judged.findings.repeated
        which = names.in_short(sorted({end for pair in pairs for end in pair.subject}))
        factor = _usual_factor(pairs)
        text = f"{which}: {plural(len(pairs), 'pair')} among them take {factor:.2f}x the time of their other links"
        yield _class(which, factor, judged, text, QUESTIONS["rank"])


def _of_ways(judged: Judged, names: Names) -> Iterator[Structure]:
    """Hosts, ranks or pairs that are slow alike."""
    if hosts := sorted(judged.repeated_hosts, key=lambda host: host.subject):
        which, factor = names.in_short([host.subject[0] for host in hosts]), _usual_factor(hosts)
        text = f"{which}: links with other hosts take {factor:.2f}x the time of theirs"
        yield _class(which, factor, judged, text, QUESTION_OF_HOSTS)
    if ranks := sorted(judged.repeated_ranks, key=lambda rank: rank.subject):
        factor = _usual_factor(ranks)
        text = f"{plural(len(ranks), 'rank')}, such as {names.rank(ranks[0].subject[0])}, take {factor:.2f}x the time"
        yield _class("ranks", factor, judged, f"{text} of the others of their hosts", QUESTION_OF_RANKS)
    pairs = sorted(judged.repeated, key=lambda pair: pair.subject)
    if not pairs:
        return
    factor = _usual_factor(pairs)
    example = " and ".join(names.units[end] for end in pairs[0].subject)
    text = f"{plural(len(pairs), 'pair')}, such as {example}, take {factor:.2f}x the time of their hosts' other links"
    yield _class("pairs", factor, judged, text, QUESTION_OF_WAYS)


def _class(subject: str, factor: float, judged: Judged, text: str, question: str) -> Structure:
    return Structure("class", (subject,), factor, judged.size.bytes, "times", text, question)


def _usual_factor(pairs: Sequence[Found]) -> float:
    return float(np.exp(np.median([pair.effect for pair in pairs])))


def _of_groups(judged: Judged, names: Names) -> Iterator[Structure]:
    """What links between groups of hosts take more than those inside, under load and alone."""
    equals = judged.findings.effects.equals
    gap, groups = judged.findings.effects.gap, _groups_of_several(equals.group_of)
    if len(groups) < 2 or not gap >= SHOWS:
        return
    alone = gap_alone(judged)
    subject, text = _named_groups(groups, names)
    text += f"links between them take {np.exp(gap):.2f}x the time of those inside"
    kind = "groups"
    if alone is not None and abs(gap - alone) > SHOWS:
        text += f" while all measure, {np.exp(alone):.2f}x alone"
        if gap - max(alone, 0.0) > UNDER_LOAD:
            kind = "oversubscription"
            text += f": as uplinks of {np.exp(gap - max(alone, 0.0)):.1f}:1 would"
    told_by = "facts" if names.grouping is not None else "times"
    is_narrow = kind == "groups" and len(groups) == FEW and judged.size.bytes >= BANDWIDTH
    question = QUESTION_OF_TWO_GROUPS if is_narrow else ""
    yield Structure(kind, subject, float(np.exp(gap)), judged.size.bytes, told_by, text, question)


def oversubscribed(results: Results, alone: Results, group_of: NDArray[np.int64], names: Names) -> Iterator[Structure]:
    """At each size where links between groups suffer far more from other traffic than links within a group.

    Then there are too few cables between the switches, and no single one is bad. `group_of`: group per host, [hosts].
    """
    near = group_of[:, None] == group_of[None, :]
    serial = {size.bytes: size for size in alone.sizes}
    for size in (size for size in results.sizes if size.bytes in serial):
        longer = readings(results, size).between_hosts.median - readings(alone, serial[size.bytes]).between_hosts.median
        inside, between = known_sample(longer[near]), known_sample(longer[~near])
        if min(len(inside), len(between)) < FEWEST_LOADED:
            continue
        factors = float(np.median(inside)), float(np.median(between))
        beyond = factors[1] - max(factors[0], 0.0)
        if beyond > UNDER_LOAD:
            subject, text = _named_groups(_groups_of_several(group_of), names)
            within, across = (float(np.exp(factor)) for factor in factors)
            text += (
                f"links between them take {across:.2f}x as long while others run as alone, those inside {within:.2f}x"
            )
            text += f": as uplinks of {np.exp(beyond):.1f}:1 would"
            yield Structure("oversubscription", subject, across, size.bytes, "times", text, "")


def _groups_of_several(group_of: NDArray[np.int64]) -> list[int]:
    """The groups of more than one host."""
    return [int(group) for group in np.flatnonzero(np.bincount(group_of) > 1)]


def _named_groups(groups: Sequence[int], names: Names) -> tuple[tuple[str, ...], str]:
    """The groups by label or as node sets, and the beginning of a sentence, which names them if they are few."""
    subject = tuple(map(names.group_in_short, groups))
    which = f" ({', '.join(subject)})" if len(subject) <= MOST_NAMED else ""
    return subject, f"{plural(len(groups), 'group')} of {names.unit_kind}s{which}: "


def gap_alone(judged: Judged, classes: NDArray[np.int64] | None = None) -> float | None:
    """How much more links between groups of several hosts take than links inside, each measured alone; log of the
    factor. Of hosts of the same two kinds as links of these `classes`, whether near or far; None: of all."""
    alone, effects = judged.alone.of_hosts, judged.findings.effects
    several = np.bincount(effects.group_of)[effects.group_of] > 1
    known = several[alone.frm] & several[alone.to]
    if not known.any():
        return None
    time, gaps = alone.time[known], []
    of_kinds, near = np.divmod(effects.class_number(alone.frm[known], alone.to[known]), 2)
    for one in np.unique(of_kinds if classes is None else classes // 2).tolist():
        inside, between = (_usual(time[(of_kinds == one) & (near == side)]) for side in (1, 0))
        if inside is not None and between is not None:
            gaps.append(between - inside)
    return float(np.median(gaps)) if gaps else None


def _usual(times: NDArray[np.float64]) -> float | None:
    """Of links measured alone, many of them suspects: a low quantile."""
    known = known_sample(times)
    return float(np.quantile(known, HEALTHY)) if len(known) >= FEWEST_GOOD else None


def _of_contention(judged: Judged) -> Iterator[Structure]:
    """What is slow only while others measure."""
    named = {frozenset((loaded.group, loaded.other)) for loaded in judged.loaded}
    found = [
        (one.kind, one.effect) for one in judged.findings.bad
        if one in judged.contention and not (one.kind == "group" and {one.subject[0], -1} in named)
    ]  # fmt: skip
    found += [
        ("trunk", one.effect) for one in judged.findings.trunks
        if one in judged.contention and {one.group, one.other} not in named
    ]  # fmt: skip
    if not found:
        return
    parts = [plural(count, kind) for kind, count in Counter(kind for kind, _ in found).items()]
    factor = float(np.exp(max(effect for _, effect in found)))
    text = (
        f"{', '.join(parts)} slow, by up to {factor:.2f}x, only while all measure; alone as fast as others: shared ways"
    )
    yield Structure("contention", (), factor, judged.size.bytes, "times", text, "")


def _of_time(judged: Judged, names: Names) -> Iterator[Structure]:
    """What became slower in the course of the run, but for single hosts."""
    drift = judged.drift
    during = "from the first step of the run to the last one"
    if drift.usual:
        factor = float(np.exp(drift.usual))
        text = f"all links became slower {during}: {factor:.2f}x the time"
        yield Structure("drift", ("all hosts",), factor, judged.size.bytes, "times", text, "")
    if drift.together:
        which = names.in_short(sorted(one.host for one in drift.together))
        factor = float(np.exp(np.median([one.rise - one.usual for one in drift.together])))
        text = f"{which}: became slower than others {during}, {factor:.2f}x the time"
        yield Structure("drift", (which,), factor, judged.size.bytes, "times", text, QUESTION_OF_DRIFT)
