"""A judgement as text for the terminal, as JSON (docs/verdicts.md) and as JUnit XML for test systems."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from xml.etree import ElementTree

from rich.text import Text

from everylink.host_lists import folded
from everylink.judge.confidence import stated
from everylink.judge.verdict import Conclusion, Finding, Judgement, Scope, Verdict, describe
from everylink.model.results import Results
from everylink.text.json_text import json_text
from everylink.units import plural, size_text

SCHEMA = "everylink-verdicts/2"
MOST = 15  # verdicts and findings in text, unless all are wanted
MOST_SUSPECTS = 10
MOST_NAMES = 4
SYMPTOM_TEXTS = {
    "drifting": "drifting: slower and slower",
    "flapping": "flapping: slow in stretches",
    "intermittent": "intermittent: slow now and then",
    "jitter": "jitter: messages come late",
    "loss": "loss: messages come late by far",
    "unfair": "unfair shares",
}
DIRECTIONS = {"send": "sending", "receive": "receiving", "both": ""}


def verdict_json(results: Results, judgement: Judgement) -> str:
    """One JSON object, described in docs/verdicts.md."""
    fields = {"schema": SCHEMA, "file": results.path}
    return json_text(fields | judgement_fields(judgement, judgement.conclusion))


def judgement_fields(judgement: Judgement, conclusion: Conclusion) -> dict[str, object]:
    """The fields of a judgement in every JSON object that has one."""
    return {
        "conclusion": str(conclusion),
        "healthy": conclusion is Conclusion.HEALTHY,
        "untested": list(judgement.untested),
        "tested": judgement.tested_sizes,
        "not_looked_for": list(judgement.not_looked_for),
        "verdicts": [describe(verdict) for verdict in judgement.verdicts],
        "suspects": [describe(stated(suspect)) for suspect in judgement.suspects],
        "drain": list(judgement.drain),
        "findings": [asdict(finding) for finding in judgement.findings],
        "structure": [asdict(structure) for structure in judgement.structure],
        "links_measured": judgement.links_measured,
        "links_failed": judgement.links_failed,
        "links_planned": judgement.links_planned,
        "links_possible": judgement.links_possible,
        "coverage": None if judgement.coverage is None else asdict(judgement.coverage),
        "links_unmeasured": sum(one.count for one in judgement.unmeasured),
        "local_faults": [asdict(cause) for one in judgement.unmeasured for cause in one.causes],
        "remarks": list(judgement.remarks),
    }


def verdict_junit(results: Results, judgement: Judgement) -> str:
    """One failed test case per verdict; if there are none, one for all links: passed, failed, or an error."""
    suite = ElementTree.Element("testsuite", name="everylink")
    for verdict in judgement.verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname=str(results.path), name=title(verdict))
        failure = ElementTree.SubElement(case, "failure", type=verdict.symptom, message=evidence(verdict))
        failure.text = verdict.action
    for finding in judgement.faulty_findings:
        case = ElementTree.SubElement(suite, "testcase", classname=str(results.path), name=", ".join(finding.hosts))
        ElementTree.SubElement(case, "failure", type=finding.kind, message=finding.text)
    if not judgement.verdicts and not judgement.faulty_findings:
        case = ElementTree.SubElement(suite, "testcase", classname=str(results.path), name="every link")
        if judgement.conclusion.is_alarm:
            kind = "failure" if judgement.conclusion is Conclusion.FAULTS else "error"
            ElementTree.SubElement(case, kind, type=str(judgement.conclusion), message=headline(judgement).plain)
    counts = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, found in counts.items():
        suite.set(name, str(len(suite.findall(found))))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, "unicode", xml_declaration=True)


def verdict_text(judgement: Judgement, everything: bool = False, all_suspects: bool | None = None) -> Text:
    """Text for the terminal: worst verdict first, with one line for the fault and one for its evidence.

    Only the worst ones, unless `everything` is wanted; of suspects unless `all_suspects` are (None: as `everything`).
    """
    most = None if everything else MOST
    most_suspects = None if (everything if all_suspects is None else all_suspects) else MOST_SUSPECTS
    text = Text().append_text(headline(judgement))
    tested = [f"\n{line}" for line in tested_lines(judgement)]
    if not judgement.conclusion.is_alarm:
        text.append("".join(tested))
    for line in unmeasured_lines(judgement):
        text.append(f"\n{line}", style="yellow")
    for verdict in judgement.verdicts[:most]:
        text.append(f"\n  {title(verdict)}", style="bold red")
        text.append(f"\n      {verdict.evidence}; confidence {confidence_text(verdict)}")
        if verdict.because:
            text.append(f"\n      {verdict.because}", style="bold")
        text.append(f"\n      {verdict.action}")
    if left := len(judgement.verdicts) - len(judgement.verdicts[:most]):
        text.append(f"\n  {more(left)}")
    for line in finding_lines(judgement, most):
        text.append(f"\n  {line}", style="yellow")
    for line in suspect_lines(judgement, most_suspects):
        text.append(f"\n{line}", style="yellow")
    for line in structure_lines(judgement):
        text.append(f"\n{line}")
    if judgement.conclusion.is_alarm:
        text.append("".join(tested))
    for remark in judgement.remarks:
        text.append(f"\n{remark}", style="dim")
    for line in drain_lines(judgement):
        text.append(f"\n{line}", style="bold")
    return text


def more(left: int) -> str:
    """The last line of what was cut, wherever it is read."""
    return f"{left} more; everylink diagnose FILE --all lists them"


def suspect_lines(judgement: Judgement, most: int | None = MOST_SUSPECTS) -> list[str]:
    """The suspects under a heading, the worst first, each action once; nothing without any."""
    if not judgement.suspects:
        return []
    lines = [f"suspected: {_counts(judgement.suspects)}"]
    lines += [f"  {title(suspect)}" for suspect in judgement.suspects[:most]]
    if left := len(judgement.suspects) - len(judgement.suspects[:most]):
        lines.append(f"  {more(left)}")
    return lines + [f"  {action}" for action in dict.fromkeys(suspect.action for suspect in judgement.suspects[:most])]


def tested_lines(judgement: Judgement) -> list[str]:
    """Which sizes and how many of the links were tested, and what could not be looked for."""
    possible = judgement.links_possible
    if not possible:
        return []
    shown = judgement.tested_sizes
    others = [size for size in judgement.sizes if size not in (*shown["latency"], *shown["bandwidth"])]
    sizes = [f"{name} ({', '.join(map(size_text, sizes))})" for name, sizes in shown.items() if sizes]
    sizes += map(size_text, others)
    measured = judgement.links_measured
    links = f"all {possible:,}" if measured == possible else f"{measured:,} of {possible:,}"
    lines = [f"tested: {', '.join(sizes)} on {links} links between the ranks"]
    if judgement.coverage is not None:
        lines.append(f"screened: {judgement.coverage}")
    if judgement.not_looked_for:
        lines.append(f"not looked for: {', '.join(judgement.not_looked_for)}")
    return lines


def drain_lines(judgement: Judgement) -> list[str]:
    """The hosts to take out of service as one node set; nothing without any."""
    return [f"drain: {folded(judgement.drain)}"] if judgement.drain else []


def structure_lines(judgement: Judgement) -> list[str]:
    """What differs by design, under a heading; nothing where nothing does."""
    if not judgement.structure:
        return []
    lines = ["Structure, no fault:"]
    for structure in judgement.structure:
        lines.append(f"  {structure.text}")
        if structure.question:
            lines.append(f"      {structure.question}")
    return lines


def headline(judgement: Judgement) -> Text:
    """The conclusion in one line."""
    links = plural(judgement.links_measured, "link")
    match judgement.conclusion:
        case Conclusion.FAULTS:
            failed = f"{plural(judgement.links_failed, 'link')} failed"
            named = _counts(judgement.verdicts) or (failed if judgement.links_failed else "")
            findings = _counts(judgement.faulty_findings, "finding")
            return Text(f"FAULTS: {', '.join(filter(None, (named, findings)))}", style="bold red")
        case Conclusion.UNDECIDED:
            return Text(f"UNDECIDED: {_undecided_reason(judgement)}", style="bold yellow")
        case Conclusion.NO_FAULT:
            return Text(f"no fault found{_untested_text(judgement.untested)} ({links})", style="bold")
        case Conclusion.HEALTHY:
            if judgement.coverage is not None:
                links = f"every host, by {judgement.links_measured:,} of {judgement.links_possible or 0:,} links"
            return Text(f"healthy: latency and bandwidth of {links}", style="bold green")


def _untested_text(untested: tuple[str, ...]) -> str:
    if len(untested) > 1:
        return f"; {' and '.join(untested)} were not tested"
    (missing,) = untested
    return f" in {'bandwidth' if missing == 'latency' else 'latency'}; {missing} was not tested"


def _undecided_reason(judgement: Judgement) -> str:
    """Why nothing can be said of a run without verdicts."""
    if judgement.unmeasured:
        return "; ".join(map(str, judgement.unmeasured))
    if not judgement.links_measured:
        return "nothing was measured"
    if not judgement.covers_enough:
        return f"only {judgement.links_measured} of {plural(judgement.links_planned or 0, 'planned link')} measured"
    suspects, links = _counts(judgement.strong_suspects), plural(judgement.links_measured, "link")
    return f"{links} measured; no fault is proven, but there are strong suspects: {suspects}"


def unmeasured_lines(judgement: Judgement) -> list[str]:
    """The links that hosts could not measure, beside the faults of others; none where the headline says it."""
    return list(map(str, judgement.unmeasured)) if judgement.conclusion is Conclusion.FAULTS else []


def verdict_lines(judgement: Judgement) -> list[str]:
    """One line that names the faults, for a printed page, or says that the run is undecided; otherwise no line."""
    if not judgement.conclusion.is_alarm:
        return []
    if not judgement.verdicts:
        return [headline(judgement).plain, *unmeasured_lines(judgement), *finding_lines(judgement)]
    named = "; ".join(title(verdict) for verdict in judgement.verdicts[:MOST_NAMES])
    more = f"; and {len(judgement.verdicts) - MOST_NAMES} more" if len(judgement.verdicts) > MOST_NAMES else ""
    return [f"FAULTS: {named}{more}", *unmeasured_lines(judgement), *finding_lines(judgement)]


def evidence(verdict: Verdict) -> str:
    """The evidence, with the cause where one is known."""
    return f"{verdict.evidence}; {verdict.because}" if verdict.because else verdict.evidence


def title(verdict: Verdict) -> str:
    """The fault in one phrase, such as `host n17: slow, 1.25x the time, only sending, at 1 MiB`."""
    parts = [SYMPTOM_TEXTS.get(verdict.symptom, verdict.symptom)]
    if verdict.factor is not None and verdict.symptom == "slow":
        parts.append(f"{verdict.factor:.2f}x the time")
    if DIRECTIONS[verdict.direction] and len(verdict.subject) == 1:
        parts.append(f"only {DIRECTIONS[verdict.direction]}")
    kind = verdict.kind
    if verdict.scope is Scope.EACH:
        kind = "ranks" if kind == "rank" else "hosts"
    elif verdict.is_end and len(verdict.subject) > 1:
        kind = f"one of the {kind}s"
    return f"{kind} {subject_text(verdict)}: {', '.join(parts)}, at {size_text(verdict.bytes)}"


def subject_text(verdict: Verdict) -> str:
    """The names of the subject; many hosts as a list such as n[1-4,7], with their number."""
    if verdict.kind in ("pair", "link", "trunk") and len(verdict.subject) == 2:
        one_way = verdict.kind == "link" or verdict.direction != "both"
        return f" {'->' if one_way else '<->'} ".join(verdict.subject)
    if len(verdict.subject) > MOST_NAMES:
        return f"{folded(verdict.subject)} ({len(verdict.subject)} {'ranks' if verdict.kind == 'rank' else 'hosts'})"
    return ", ".join(verdict.subject)


def finding_lines(judgement: Judgement, most: int | None = MOST) -> list[str]:
    """What deviates on hosts though nothing there is slow, the most severe first."""
    lines = [f"{finding.severity}, {finding.kind}: {finding.text}" for finding in judgement.findings[:most]]
    left = len(judgement.findings) - len(lines)
    return [*lines, more(left)] if left else lines


def _counts(found: Sequence[Verdict | Finding], what: str = "") -> str:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Verdict) and one.scope is Scope.EACH:
            counts["rank" if one.kind == "rank" else "host"] += len(one.subject)
        else:
            counts[f"{one.kind} {what}".strip()] += 1
    return ", ".join(plural(count, kind) for kind, count in counts.items())


def confidence_text(verdict: Verdict) -> str:
    """The confidence in percent, at two decimals where it has any."""
    return f"{100 * verdict.confidence:.2f} %".replace(".00 %", " %")
