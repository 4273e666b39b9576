"""What the folder of a run says of it in `run.json`, without its numbers."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everylink.judge.verdict import JudgedRun, Scope, Verdict
from everylink.links.matching import ESSENTIAL
from everylink.model.results import Ranks, Results
from everylink.text.verdicts import title

SCHEMA = "everylink-run/1"
UNREACHABLE = "unreachable"
OF_TWO = ("pair", "link")  # kinds of findings that name two ends


class Damaged(ValueError):
    """The folder of a run that cannot be used; the message says why."""


@dataclass(frozen=True)
class Seen:
    """A finding of one run. `key` names what it is of, the same in every run; `text` is its title.

    `hosts`: those that it names. `ack`: the id of the acknowledgement that keeps it quiet, or empty.
    """

    kind: str
    key: str
    hosts: tuple[str, ...]
    symptom: str
    bytes: int
    factor: float | None
    text: str
    ack: str = ""


@dataclass(frozen=True)
class Summary:
    """A run. `time`: when it was measured, by the clock of its first host, ISO 8601; `place`: what runs are ordered by,
    seconds since 1970: the time, but a check is never before one that was in the store when it began.

    `references`: for each size, log seconds of links between hosts at the median, and of those within a host on two
    NUMA nodes and on one; NaN where there are none. `facts`: a checksum of the inventory, empty without one.
    """

    id: str
    time: str
    place: float
    name: str
    mode: str
    where: str
    tool_version: str
    settings: Mapping[str, str]
    conclusion: str
    hosts: tuple[str, ...]
    ranks: int
    sizes: tuple[int, ...]
    references: tuple[tuple[float, float, float], ...]
    links_measured: int
    links_failed: int
    findings: tuple[Seen, ...]
    facts: str = ""

    @property
    def clock_went_back(self) -> bool:
        return self.place > seconds_of(self.time)

    @property
    def date(self) -> str:
        return self.time[:10]


def seconds_of(time: str) -> float:
    """Seconds since 1970 of an ISO 8601 text. Raises ValueError."""
    return datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp()


def settings_of(results: Results) -> dict[str, str]:
    """What two runs must have in common to be compared."""
    return {name: str(getattr(results.facts, name)) for name in ESSENTIAL}


def seen_in(run: JudgedRun, unusable: Mapping[str, str]) -> list[Seen]:
    """The findings of a run: hosts that could not be used, verdicts, and deviations that are faults."""
    named = stable_names(run.results.ranks)
    found = [
        Seen("host", f"host {host}", (host,), UNREACHABLE, 0, None, f"host {host}: unreachable ({reason})")
        for host, reason in unusable.items()
    ]
    for one in (single for verdict in run.judgement.verdicts for single in _each(verdict)):
        key, hosts = subject_of(one, named)
        found.append(Seen(one.kind, key, hosts, one.symptom, one.bytes, one.factor, title(one)))
    for other in run.judgement.faulty_findings:
        key = f"{other.kind} {','.join(other.hosts)} {','.join(other.parts)}"
        found.append(Seen(other.kind, key, other.hosts, other.kind, 0, None, other.text))
    return found


def _each(verdict: Verdict) -> list[Verdict]:
    """Of several hosts or ranks that are slow each by itself, one for each: tomorrow they may be others."""
    if verdict.scope is not Scope.EACH:
        return [verdict]
    kind = "rank" if verdict.kind == "rank" else "host"
    return [replace(verdict, kind=kind, subject=(name,), scope=Scope.ALL) for name in verdict.subject]


def stable_names(ranks: Ranks) -> dict[str, tuple[str, str]]:
    """For the name of each rank: one that does not depend on its number, `n3` if it is alone on its host, else `n3/5`
    by its number there; and the host."""
    alone = len(set(zip(ranks.host, ranks.host_index.tolist(), strict=True))) == len(ranks)
    local = ranks.local_rank.tolist()
    return {
        ranks.name(rank): (host if alone else f"{host}/{local[rank]}", host) for rank, host in enumerate(ranks.host)
    }


def subject_of(verdict: Verdict, named: Mapping[str, tuple[str, str]]) -> tuple[str, tuple[str, ...]]:
    """The key of what a verdict is of, and the hosts that it names. A rank that is alone on its host is the host."""
    ends = [named.get(name, (name, name)) for name in verdict.subject]
    names, hosts = [end[0] for end in ends], tuple(dict.fromkeys(end[1] for end in ends))
    if verdict.kind in ("rank", "host"):
        kind = "rank" if "/" in names[0] else "host"
        return f"{kind} {','.join(names)}", hosts
    if verdict.kind == "pair":
        return f"pair {' '.join(sorted(names))}", hosts
    return f"{verdict.kind} {' '.join(names)}", hosts


def text_of_summary(summary: Summary, files: Mapping[str, Mapping[str, Any]]) -> str:
    """`run.json`: the summary, the files of the folder with their sizes, checksums and kinds, and its own checksum."""
    said = _plain(asdict(summary)) | {"files": files}
    return json.dumps({"schema": SCHEMA, "sha256": checksum_of_fields(said), **said}, indent=1, allow_nan=False) + "\n"


def summary_of(text: str) -> tuple[Summary, dict[str, dict[str, Any]]]:
    """What text_of_summary made. Raises Damaged."""
    try:
        said = json.loads(text)
        schema = said.pop("schema")
        if schema != SCHEMA:
            raise Damaged(f"run.json is of the kind {str(schema)[:40]}, not {SCHEMA}")
        if said.pop("sha256") != checksum_of_fields(said):
            raise Damaged("run.json does not fit its checksum")
        files = said.pop("files")
        findings = tuple(Seen(**one | {"hosts": tuple(one["hosts"])}) for one in said.pop("findings"))
        references = tuple((_number(a), _number(b), _number(c)) for a, b, c in said.pop("references"))
        lists: dict[str, Any] = {name: tuple(said.pop(name)) for name in ("hosts", "sizes")}
        known = {field.name for field in fields(Summary)}
        if extra := said.keys() - known:
            raise Damaged(f"run.json has the unknown field {min(extra)}")
        summary = Summary(**said, **lists, findings=findings, references=references)
        _check(summary, files)
        return summary, files
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise error if isinstance(error, Damaged) else Damaged(f"run.json cannot be read: {error}") from None


def _check(summary: Summary, files: Any) -> None:
    """Raises ValueError, TypeError if a field is not of its type."""
    seconds_of(summary.time)
    texts = [getattr(summary, field.name) for field in fields(Summary) if field.type is str]
    texts += [*summary.hosts, *summary.settings, *summary.settings.values()]
    numbers = [summary.ranks, summary.links_measured, summary.links_failed, *summary.sizes]
    for one in summary.findings:
        texts += [one.kind, one.key, one.symptom, one.text, one.ack, *one.hosts]
        numbers.append(one.bytes)
        if one.factor is not None and not isinstance(one.factor, int | float):
            raise TypeError("a factor is not a number")
    if not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise TypeError("a text is none")
    if not all(isinstance(number, int) and 0 <= number < 2**63 for number in numbers):
        raise TypeError("a count is not a number")
    if not isinstance(summary.place, int | float) or not math.isfinite(summary.place) or not summary.hosts:
        raise ValueError("it has no place among the runs, or no hosts")
    if len(summary.references) != len(summary.sizes) or not isinstance(files, dict):
        raise ValueError("its sizes and references differ in number")
    for name, entry in files.items():
        if "/" in name or not isinstance(entry["bytes"], int) or not isinstance(entry["sha256"], str):
            raise ValueError("it lists a file that cannot be")
        if entry["kept"] not in ("always", "links", "results"):
            raise ValueError("it keeps a file for an unknown time")


def file_entry(path: Path, kept: str) -> dict[str, Any]:
    """What run.json says of a file of the folder. `kept`: always, links or results, which are thinned out."""
    return {"bytes": path.stat().st_size, "sha256": checksum_of(path), "kept": kept}


def checksum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum_of_fields(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
