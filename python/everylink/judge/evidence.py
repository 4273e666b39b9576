"""Writes verdicts: the sentence of evidence of each subject."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from everylink.judge.confidence import DOUBTFUL, LESS, confidence_of
from everylink.judge.equal_load import (
    LoadedGroup,
)
from everylink.judge.findings import Found
from everylink.judge.inside import SlowInside
from everylink.judge.judged import Judged
from everylink.judge.names import Names
from everylink.judge.planes import SlowPlane
from everylink.judge.trunks import Trunk
from everylink.judge.uplinks import (
    Uplink,
)
from everylink.judge.verdict import Scope, Side, Structure, Verdict, on_device
from everylink.judge.within import SlowWithin
from everylink.model.results import Size
from everylink.units import plural, time_text

FEW_OF_GROUPS = 0.25  # of the pairs of two groups found in the times: these may be several switches
NEARLY_ALL = 0.85  # of the pairs of some hosts with others: they are the two ends of a way
HIDDEN = "while all measure, what they share hides it"


def slow_verdict(found: Found, judged: Judged, names: Names) -> Verdict:
    one_way = None
    text = f"{_slow_text(found, judged, names.unit_kind)}{_when(judged)}"
    confidence = confidence_of(found.z, judged.findings.tested[found.kind])
    if found in judged.filled:
        text += "; only while all its ranks measure: what they share is slow, and one alone does not fill it"
        confidence = min(confidence, LESS)
    elif judged.readings.symmetric and found.kind in ("host", "pair"):
        one_way = judged.one_way.slow_direction(found, judged.findings)
        text += f"; {one_way or 'round trips cannot tell sending from receiving'}"
        found = _directed(found, one_way.side if one_way else Side.BOTH)
    kind, subject = names.of(found)
    factor = float(np.exp(one_way.effect if one_way else found.effect))
    if found.kind == "rank":
        text += names.on_one_device(found.subject[0], judged.slow_ranks)
    is_beyond = found.kind == "host" and found.subject[0] in judged.findings.beyond
    return Verdict(
        kind, subject, str(found.side), "slow", judged.size.bytes, factor, confidence, found.links, text,
        scope=Scope.BEYOND if is_beyond else Scope.ALL,
    )  # fmt: skip


def alone_verdict(found: Found, judged: Judged, names: Names) -> Verdict:
    """Of one of Judged.by_alone or ranks_by_alone, of pairs_by_alone or groups_by_alone."""
    others = {
        "rank": "those of ranks at its place on other hosts", "pair": "its ends' other links",
        "group": "those between others",
    }  # fmt: skip
    verdict, factor = slow_verdict(found, judged, names), float(np.exp(found.effect))
    _, _, direction = verdict.evidence.partition("; measured one way")
    to_groups = " to other groups" if found.kind == "group" else ""
    what = "it takes" if found.kind == "pair" else f"its {plural(found.links, 'connection')}{to_groups} take"
    those = others.get(found.kind, f"those of other {names.unit_kind}s")
    text = f"measured alone, {what} {factor:.2f}x the time of {those}; {HIDDEN}"
    return replace(verdict, evidence=f"{text}; measured one way{direction}" if direction else text)


def one_direction_verdict(found: Found, judged: Judged, names: Names) -> Verdict:
    """Of one of slow_in_one_direction."""
    kind, subject = names.of(found)
    factor, links = float(np.exp(found.effect)), plural(found.links, "link")
    slow, other = ("from it", "to it") if found.side is Side.SEND else ("to it", "from it")
    text = (
        f"measured alone, messages {slow} take {factor:.2f}x the time of those {other}, on {links}; load, or links of "
        "unequal length, hide it"
    )
    confidence = min(confidence_of(found.z, judged.findings.tested["host"]), LESS)
    size = judged.size.bytes
    return Verdict(kind, subject, str(found.side), "slow", size, factor, confidence, found.links, text)


def inside_verdict(one: SlowInside, judged: Judged, names: Names) -> Verdict:
    """Of one of slow_inside."""
    found, factor = one.found, float(np.exp(one.found.effect))
    verdict = slow_verdict(found, judged, names)
    others = "others of its group" if judged.findings.effects.group_of.any() else "others"
    when, symptom = (" in a part of the steps", "intermittent") if one.at_times else ("", "slow")
    text = (
        f"while all measure, its connections with {found.links} {others} take {factor:.2f}x the time of those of other "
        f"hosts of its kind{when}: what its ranks share is slow, and none of them fills it alone"
    )
    confidence = min(verdict.confidence, LESS)
    return replace(verdict, evidence=text, direction=str(Side.BOTH), confidence=confidence, symptom=symptom)


def together_verdict(found: Found, judged: Judged, names: Names) -> Verdict:
    """Of one of slow_together."""
    verdict = slow_verdict(found, judged, names)
    text = (
        f"while all measure, its ranks together reach {np.exp(-found.effect):.2f}x the bandwidth of those of other "
        "hosts of its kind, also in their best steps: what they share is slow, and none of them fills it alone"
    )
    return replace(verdict, evidence=text, direction=str(Side.BOTH), confidence=min(verdict.confidence, LESS))


def _directed(found: Found, side: Side) -> Found:
    """Set the direction found by measuring alone; a pair then points from the sender of the slow messages."""
    if found.kind == "pair" and side == Side.RECEIVE:
        return replace(found, subject=found.subject[::-1], side=Side.SEND)
    return replace(found, side=side)


def _slow_text(found: Found, judged: Judged, unit_kind: str) -> str:
    seen, effects, factor = judged.readings, judged.findings.effects, float(np.exp(found.effect))
    match found.kind:
        case "pair":
            frm, to = found.subject
            usual = float(np.exp(effects.expected_at(frm, to)))
            return (
                f"takes {time_text(usual * factor)} in most of {found.readings} readings, other links of its ends "
                f"{time_text(usual)}"
            )
        case "group":
            return f"its {plural(found.links, 'connection')} to other groups take {factor:.2f}x the time of theirs"
        case "rank":
            return f"its links take {factor:.2f}x the time of those of the other ranks of its host"
    host = found.subject[0]
    beyond = "; inside its group they are as fast as others" if host in judged.findings.beyond else ""
    side = f" as {'sender' if found.side == Side.SEND else 'receiver'}" if found.side != Side.BOTH else ""
    every = np.arange(seen.hosts)
    shown = effects.shows(host, every)
    usual_times = effects.class_at(host, every[shown] if shown.any() else every)
    usual = float(np.exp(np.nanmedian(usual_times)))
    return (
        f"its {plural(found.links, 'connection')}{side} take {time_text(usual * factor)}, those of other {unit_kind}s "
        f"{time_text(usual)} (noise {100 * effects.noise:.1f} %){beyond}"
    )


def _when(judged: Judged) -> str:
    return "; with a quarter of the ranks busy" if judged.is_quiet else ""


def trunk_verdict(trunk: Trunk, judged: Judged, names: Names) -> Verdict:
    """Subject: both groups if the trunk joins two, otherwise the group at its end, and far hosts of one group."""
    effects = judged.findings.effects
    own, far = np.flatnonzero(effects.group_of == trunk.group), np.array(trunk.far)
    ends = (far, own) if trunk.side == Side.RECEIVE else (own, far)
    seconds = float(np.exp(np.nanmedian(judged.readings.cells(*ends).median)))
    factor = float(np.exp(trunk.effect))
    subject: tuple[str, ...] = (names.group_in_short(trunk.group),)
    if trunk.other >= 0:
        subject += (names.group_in_short(trunk.other),)
        which = f"the {trunk.links} measured connections between the two groups"
    else:
        if len(np.unique(effects.group_of[far])) == 1 and not trunk.own:
            subject += (names.in_short(trunk.far),)
        which = f"its {trunk.links} measured connections with {names.in_short(trunk.far)}"
        if trunk.own:
            which += f" and those of {names.in_short(trunk.own)} with other groups"
    side, blind = trunk.side, ""
    if judged.readings.symmetric:
        readings = judged.one_way.of_hosts
        one_way = readings.one_way(trunk.effect, readings.between(own, far))
        side = one_way.side if one_way else Side.BOTH
        blind = "; round trips cannot tell one direction from the other"
        if one_way:
            blind, factor = f"; {one_way}", float(np.exp(one_way.effect))
        if side == Side.RECEIVE and len(subject) == 2:
            side, subject = Side.SEND, subject[::-1]
    way = {Side.SEND: " (sending)", Side.RECEIVE: " (receiving)", Side.BOTH: ""}[trunk.side]
    where = ": look between the switches" if names.unit_kind == "host" else ""
    usual = seconds / float(np.exp(trunk.effect))
    text = (
        f"{which}{way} take {time_text(seconds)}, others {time_text(usual)}; by other ways these {names.unit_kind}s "
        f"are as fast as others{where}{_when(judged)}{blind}"
    )
    tested = len(own) * len(effects.group_of)
    confidence = confidence_of(trunk.z, tested)
    return Verdict("trunk", subject, str(side), "slow", judged.size.bytes, factor, confidence, trunk.links, text)


def uplink_verdict(uplink: Uplink, judged: Judged, names: Names) -> Verdict:
    """Subject: that of uplink_subject."""
    effects, pairs = judged.findings.effects, uplink.pairs
    factor = float(np.exp(uplink.effect))
    usual = float(np.exp(np.median([effects.apart_from_ways_at(*pair.subject) for pair in pairs])))
    beyond = names.group_in_short(uplink.other) if uplink.other >= 0 else "other groups"
    links = sum(pair.links for pair in pairs)
    text = (
        f"{len(pairs)} of {uplink.between} pairs of its hosts with {beyond} take {time_text(usual * factor)}, the "
        f"rest {time_text(usual)}, {uplink.hosts} of its hosts among them: one of the cables between the switches"
        f"{_when(judged)}"
    )
    confidence = confidence_of(uplink.z, judged.findings.tested["pair"])
    subject = uplink_subject(uplink, judged, names)
    return Verdict("trunk", subject, str(Side.BOTH), "slow", judged.size.bytes, factor, confidence, links, text)


def uplink_subject(uplink: Uplink, judged: Judged, names: Names) -> tuple[str, ...]:
    """The group, and the other one if all its slow pairs lead there; or just the hosts of these pairs.

    These where they have nearly all pairs between them, or few of those between two groups that nobody named.
    """
    pairs = uplink.pairs
    groups = (uplink.group, uplink.other) if uplink.other >= 0 else (uplink.group,)
    subject = tuple(map(names.group_in_short, groups))
    own = sorted({host for pair in pairs for host in pair.subject if host in uplink.members})
    far = sorted({host for pair in pairs for host in pair.subject if host not in uplink.members})
    if not judged.told and 2 * len(own) <= len(uplink.members):  # groups found in the times may be several switches
        subject = (names.in_short(own), *subject[1:])
    is_part = not judged.told and uplink.other >= 0 and len(pairs) < FEW_OF_GROUPS * uplink.between
    is_whole = uplink.other >= 0 and len(pairs) >= NEARLY_ALL * uplink.between
    if is_part or (len(pairs) >= NEARLY_ALL * len(own) * len(far) and not is_whole):
        subject = (names.in_short(own), names.in_short(far))
    return subject


def loaded_verdict(loaded: LoadedGroup, judged: Judged, names: Names) -> Verdict:
    """Subject: the group, or both groups; or the adapters of one name of a group."""
    factor, groups = float(np.exp(loaded.effect)), [names.group_in_short(loaded.group)]
    which, those, cables = "its links with other groups", "groups of as many hosts", "its cables to other switches"
    if loaded.other >= 0:
        groups.append(names.group_in_short(loaded.other))
        which, cables = "links between the two", "the cables between them"
    if loaded.device:
        groups = [on_device(groups[0], loaded.device)]
        which = "their links with other groups, and other adapters,"
        those, cables = "as many adapters of other groups", "the cables of their switch to others"
    text = (
        f"{which} take {factor:.2f}x the time of those of {those}, on average and under equal load, in the order of "
        f"the run and in orders drawn anew: one of {cables} is slow or missing, or carries other traffic"
    )
    if not loaded.among_alike:
        text += ", or it has fewer by design, since these groups differ, too"
    confidence = confidence_of(loaded.z, judged.findings.tested["group"])
    kind, most = ("group", LESS) if loaded.device else ("trunk", 1.0)
    return Verdict(
        kind, tuple(groups), str(Side.BOTH), "slow", judged.size.bytes, factor, min(confidence, most), loaded.links,
        text,
    )  # fmt: skip


def plane_verdict(plane: SlowPlane, size: Size, names: Names, of_group: bool = False) -> Verdict:
    """`of_group`: on the hosts of a group only. Else not sure: that the adapters are equal is all that is known."""
    factor = float(np.exp(plane.effect))
    hosts = f"{len(plane.hosts)} hosts of this group" if of_group else f"{len(plane.hosts)} hosts that use it"
    why = "; in other groups it is as fast as these" if of_group else ", which have the same rate"
    text = f"on all {hosts}, links take {factor:.2f}x the time of those of their other adapters{why}"
    subject = (on_device(names.in_short(plane.hosts), plane.device),)
    confidence = LESS if of_group else DOUBTFUL
    return Verdict("group", subject, str(Side.BOTH), "slow", size.bytes, factor, confidence, 0, text)


def within_verdict(slow: SlowWithin, size: Size, names: Names) -> Verdict:
    between = {0: "between its own ranks", 1: "to other ranks of its host", 2: "between them"}[len(slow.ranks)]
    elsewhere = "those within other hosts" if not slow.ranks else "those of the same places of other hosts"
    text = f"the {slow.readings} readings {between} take {time_text(slow.seconds)}, {elsewhere} {time_text(slow.usual)}"
    factor = float(np.exp(slow.effect))
    confidence = confidence_of(slow.z, slow.tested)
    return Verdict(
        ("host", "rank", "pair")[len(slow.ranks)],
        tuple(map(names.rank, slow.ranks)) or (names.hosts[slow.host],),
        "both", "slow", size.bytes, factor, confidence, 0, text, scope=Scope.WITHIN,
    )  # fmt: skip


def class_within(slow: Sequence[SlowWithin], size: Size, names: Names) -> Structure:
    """Hosts whose own ranks are slow with each other: too many to be faults, so they may be built that way."""
    subject, factor = names.in_short([one.host for one in slow]), float(np.exp(np.median([one.effect for one in slow])))
    text = f"{subject}: links between their own ranks take {factor:.2f}x the time of those within other hosts"
    question = "Fewer memory channels, or other settings, by design? What the hosts say of themselves tells."
    return Structure("class", (subject,), factor, size.bytes, "times", text, question)
