"""A judgement as text for the terminal, as JSON (docs/verdicts.md) and as JUnit XML for test systems."""

import json
from collections import Counter
from xml.etree import ElementTree

from rich.text import Text

from everylink.exit_codes import Exit
from everylink.judge.verdict import Judgement, Verdict, describe, exit_code
from everylink.model.results import Results
from everylink.units import plural, size_text

SCHEMA = "everylink-verdicts/1"
MOST = 20  # verdicts in text; JSON has all
MOST_NAMES = 4
SYMPTOM_TEXTS = {"jitter": "jitter: messages come late", "unfair": "unfair shares"}
DIRECTIONS = {"send": "sending", "receive": "receiving", "both": ""}


def verdict_json(results: Results, judgement: Judgement) -> str:
    """One JSON object, described in docs/verdicts.md."""
    return json.dumps(
        {
            "schema": SCHEMA,
            "file": str(results.path),
            "healthy": judgement.healthy,
            "verdicts": [describe(verdict) for verdict in judgement.verdicts],
            "suspects": [describe(verdict) for verdict in judgement.suspects],
            "links_measured": judgement.links_measured,
            "links_failed": judgement.links_failed,
            "links_planned": judgement.links_planned,
            "remarks": list(judgement.remarks),
        },
        indent=2,
    )


def verdict_junit(results: Results, judgement: Judgement) -> str:
    """One failed test case per verdict; if there are none, one that passed."""
    suite = ElementTree.Element(
        "testsuite",
        name="everylink",
        tests=str(max(1, len(judgement.verdicts))),
        failures=str(len(judgement.verdicts)),
        errors="0",
    )
    for verdict in judgement.verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname=str(results.path), name=title(verdict))
        ElementTree.SubElement(case, "failure", type=verdict.symptom, message=verdict.evidence)
    if judgement.healthy:
        ElementTree.SubElement(suite, "testcase", classname=str(results.path), name="every link")
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, "unicode", xml_declaration=True)


def verdict_text(judgement: Judgement) -> Text:
    """Text for the terminal: worst verdict first, with one line for the fault and one for its evidence."""
    text = Text()
    if exit_code(judgement) == Exit.UNDECIDED:
        text.append(f"UNDECIDED: {undecided_reason(judgement)}", style="bold yellow")
    elif judgement.healthy:
        what = "nothing is slower than chance explains" if not judgement.links_failed else "failed ones aside"
        text.append(f"healthy: {plural(judgement.links_measured, 'link')} measured, {what}", style="bold green")
    else:
        text.append(f"FAULTS: {_counts(judgement.verdicts)}", style="bold red")
    for verdict in judgement.verdicts[:MOST]:
        text.append(f"\n  {title(verdict)}", style="bold red")
        text.append(f"\n      {verdict.evidence}; sure to {_percent(verdict.confidence)}")
    if len(judgement.verdicts) > MOST:
        text.append(f"\n  and {len(judgement.verdicts) - MOST} more: --format json has all")
    if judgement.suspects:
        text.append(f"\nto be measured again: {_counts(judgement.suspects)}", style="yellow")
        for suspect in judgement.suspects[:MOST_NAMES]:
            text.append(f"\n  {title(suspect)}")
        if len(judgement.suspects) > MOST_NAMES:
            text.append(f"\n  and {len(judgement.suspects) - MOST_NAMES} more")
    for remark in judgement.remarks:
        text.append(f"\n{remark}", style="dim")
    return text


def undecided_reason(judgement: Judgement) -> str:
    """Why nothing can be said of a run without verdicts."""
    if not judgement.links_measured:
        return "nothing was measured"
    if not judgement.covers_enough:
        return f"only {judgement.links_measured} of {plural(judgement.links_planned or 0, 'planned link')} measured"
    suspects, links = _counts(judgement.strong_suspects), plural(judgement.links_measured, "link")
    return f"{links} measured; no fault is proven, but there are strong suspects: {suspects}"


def verdict_lines(judgement: Judgement) -> list[str]:
    """One line that names the faults, for a printed page; no line if healthy."""
    if judgement.healthy:
        return []
    named = "; ".join(title(verdict) for verdict in judgement.verdicts[:MOST_NAMES])
    more = f"; and {len(judgement.verdicts) - MOST_NAMES} more" if len(judgement.verdicts) > MOST_NAMES else ""
    return [f"FAULTS: {named}{more}"]


def title(verdict: Verdict) -> str:
    """The fault in one phrase, such as `host n17: slow, 1.25x the time, only sending, at 1 MiB`."""
    parts = [SYMPTOM_TEXTS.get(verdict.symptom, verdict.symptom)]
    if verdict.factor is not None and verdict.symptom == "slow":
        parts.append(f"{verdict.factor:.2f}x the time")
    if DIRECTIONS[verdict.direction] and len(verdict.subject) == 1:
        parts.append(f"only {DIRECTIONS[verdict.direction]}")
    return f"{verdict.kind} {subject_text(verdict)}: {', '.join(parts)}, at {size_text(verdict.bytes)}"


def subject_text(verdict: Verdict) -> str:
    """The names of the subject; for a large unnamed group, its first hosts and their number."""
    if verdict.kind in ("pair", "link", "trunk") and len(verdict.subject) == 2:
        one_way = verdict.kind == "link" or verdict.direction != "both"
        return f" {'->' if one_way else '<->'} ".join(verdict.subject)
    if len(verdict.subject) > MOST_NAMES:
        return f"{', '.join(verdict.subject[: MOST_NAMES - 1])}, ... ({len(verdict.subject)} hosts)"
    return ", ".join(verdict.subject)


def _counts(verdicts: tuple[Verdict, ...]) -> str:
    return ", ".join(plural(count, kind) for kind, count in Counter(verdict.kind for verdict in verdicts).items())


def _percent(part: float) -> str:
    return f"{100 * part:.2f} %".replace(".00 %", " %")
