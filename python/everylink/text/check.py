"""The answer of `everylink check`: at most 20 lines with the verdict last, or one JSON object."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from everylink.host_lists import folded, folded_by_reason
from everylink.inventory.ceilings import ceiling_of_run
from everylink.judge.crowd import crowded_hosts
from everylink.judge.verdict import Conclusion, JudgedRun, Verdict
from everylink.links.hosts import host_names
from everylink.model.links import Links
from everylink.model.results import Ranks, Results
from everylink.text.json_text import json_text
from everylink.text.verdicts import (
    drain_lines,
    finding_lines,
    headline,
    judgement_fields,
    suspect_lines,
    title,
    unmeasured_lines,
)
from everylink.units import bandwidth_text, plural, size_text, time_text

SCHEMA = "everylink-check/1"
MOST_LINES = 20


@dataclass(frozen=True)
class Checked:
    """A judged run with the choices of the check.

    `since`: what a store says of it beside earlier runs.
    `alone`: the ranks are all on this machine. `unusable`: reasons by host. `complete`: every pair was planned.
    """

    run: JudgedRun
    where: str
    alone: bool
    unusable: dict[str, str]
    mode: str
    why_mode: str
    complete: bool
    folder: Path
    since: tuple[str, ...] = ()

    @property
    def conclusion(self) -> Conclusion:
        """That of the judgement; an unusable host is a fault, too."""
        return Conclusion.FAULTS if self.unusable else self.run.judgement.conclusion


def check_json(checked: Checked) -> str:
    """One JSON object, described in docs/check.md."""
    judgement = checked.run.judgement
    fields = {
        "schema": SCHEMA,
        "exit_code": checked.conclusion.exit_code,
        "where": checked.where,
        "this_machine_alone": checked.alone,
        "unusable": checked.unusable,
        "mode": checked.mode,
        "why_mode": checked.why_mode,
        "all_pairs": checked.complete,
        "folder": checked.folder,
        "since": list(checked.since),
        "sizes": [
            {"bytes": size.bytes, "median_seconds": _median(size.links.median), "links": len(size.links)}
            for size in checked.run.results.sizes
        ],
    }
    return json_text(fields | judgement_fields(judgement, checked.conclusion))


def check_text(checked: Checked) -> Text:
    """The answer for a terminal."""
    above, fine = (
        [*_tested(checked), *_findings(checked)],
        [*_fine(checked), *drain_lines(checked.run.judgement), *checked.since],
    )
    room = MOST_LINES - 2 - len(fine)
    if len(above) > room:
        above = [*above[: room - 1], f"and {len(above) - room + 1} more: verdict.json has all"]
    files = f"files: {checked.folder}/ (report.html, results.h5, verdict.json)"
    return Text("\n").join([*map(Text, [*above, *fine, files]), check_headline(checked)])


def _tested(checked: Checked) -> list[str]:
    results, judgement = checked.run.results, checked.run.judgement
    pairs = "every pair" if checked.complete else "a sample of the pairs"
    if judgement.unmeasured:
        pairs += " that could be measured"
    sizes = ", ".join(size_text(size.bytes) for size in results.sizes)
    lines = [
        f"tested: {checked.where}",
        f"  mode {checked.mode}, because {checked.why_mode}",
        f"  {plural(judgement.links_measured, 'link')} ({pairs}) at {sizes}",
    ]
    if results.sizes:
        small, large = results.sizes[0], results.sizes[-1]
        latency, longest = _median(small.links.median), _median(large.links.median)
        if latency is not None and longest:
            lines.append(
                f"  latency {time_text(latency)} at {size_text(small.bytes)}, "
                f"bandwidth {bandwidth_text(large.bytes / longest)} at {size_text(large.bytes)} (medians)"
            )
            lines += _of_ceiling(results)
    if judgement.coverage is not None:
        lines.append(f"  {judgement.coverage}")
    lines += [f"  {remark}" for remark in judgement.remarks if remark.startswith("--within")]
    if judgement.not_looked_for:
        lines.append(f"  not looked for: {', '.join(judgement.not_looked_for)}")
    if hosts := crowded_hosts(results):
        lines.append(f"  more ranks than cores on {folded(hosts)}: times there include waiting for a core")
    return lines


def _of_ceiling(results: Results) -> list[str]:
    """How much of what the adapters can carry the largest messages between hosts reach; no line if it is not known."""
    large, ranks = results.sizes[-1], results.ranks
    far = ranks.host_index[large.links.frm] != ranks.host_index[large.links.to]
    seconds = _median(large.links.median[far])
    ceiling = ceiling_of_run(results) if seconds else None
    if ceiling is None or not seconds:
        return []
    shared = " and the ranks of a host share" if len(ranks) > results.facts.hosts else ""
    return [
        f"  between hosts {large.bytes / seconds / ceiling.rate * 100:.0f} % of what {ceiling.limit} carries{shared}"
    ]


def _findings(checked: Checked) -> list[str]:
    """Worst first: hosts that are not there, faults with their evidence and what to do, then suspects."""
    lines = [f"host {hosts}: unreachable ({reason})" for hosts, reason in folded_by_reason(checked.unusable)]
    lines += unmeasured_lines(checked.run.judgement)
    lines += checked.run.results.left_out
    for verdict in checked.run.judgement.verdicts:
        because = [f"  {verdict.because}"] if verdict.because else []
        lines += [title(verdict), f"  {verdict.evidence}", *because, f"  {verdict.action}"]
    lines += finding_lines(checked.run.judgement)
    return lines + suspect_lines(checked.run.judgement)


def _fine(checked: Checked) -> list[str]:
    """A line that says what is fine beside the findings; none without findings, or if one has no ranks of its own."""
    results, judgement = checked.run.results, checked.run.judgement
    named = (*judgement.verdicts, *judgement.suspects)
    if not (named or checked.unusable) or not results.sizes:
        return []
    ranks, links = results.ranks, max((size.links for size in results.sizes), key=len)
    numbers = _ranks_by_name(ranks)
    if any(name not in numbers for verdict in named for name in verdict.subject):
        return []
    touched, suspicious = links.failed.copy(), np.zeros(len(ranks), bool)
    for verdict in named:
        ends = [numbers[name] for name in verdict.subject]
        touched |= _links_of(verdict, ends, links)
        suspicious[np.concatenate(ends)] = True
    names = np.array(host_names(ranks))
    hosts = sorted(set(names) - set(names[ranks.host_index[suspicious]]))
    of_hosts = f"; nothing points at {folded(hosts)}" if hosts and len(names) > 1 else ""
    return [f"fine: {np.count_nonzero(~touched)} of {plural(len(links), 'link')}{of_hosts}"]


def _ranks_by_name(ranks: Ranks) -> dict[str, NDArray[np.intp]]:
    """The numbers of the ranks by the name of each host and of each rank."""
    by_host = {name: np.flatnonzero(ranks.host_index == host) for host, name in enumerate(host_names(ranks))}
    return by_host | {name: np.array([rank]) for name, rank in ranks.numbers.items()}


def _links_of(verdict: Verdict, ends: Sequence[NDArray[np.intp]], links: Links) -> NDArray[np.bool_]:
    """The links between the two ends of a pair or link; all links of any other subject."""
    sends, receives = ([np.isin(side, end) for end in ends] for side in (links.frm, links.to))
    if verdict.kind in ("link", "pair") and len(ends) == 2:
        return (sends[0] & receives[1]) | (sends[1] & receives[0])
    return np.asarray(np.logical_or.reduce([*sends, *receives]))


def check_headline(checked: Checked) -> Text:
    """The last line of the answer: the conclusion."""
    judgement, conclusion = checked.run.judgement, checked.conclusion
    if conclusion is Conclusion.FAULTS:
        parts = []
        if checked.unusable:
            parts.append(f"{plural(len(checked.unusable), 'host')} unreachable")
        if judgement.verdicts:
            parts.append(plural(len(judgement.verdicts), "fault"))
        elif judgement.links_failed:
            parts.append(f"{plural(judgement.links_failed, 'link')} failed")
        if judgement.faulty_findings:
            parts.append(plural(len(judgement.faulty_findings), "critical finding"))
        return Text(f"FAULTS: {', '.join(parts)}", style="bold red")
    line = headline(judgement)
    if not checked.alone:
        return line
    only = "this machine alone is " if conclusion is Conclusion.HEALTHY else "this machine alone: "
    return Text(only, style=line.style).append_text(line)


def _median(values: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None
