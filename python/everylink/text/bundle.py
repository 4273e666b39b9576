"""What a results file says of one host, as texts for its vendor; other hosts and their addresses are hidden."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any

import numpy as np

from everylink.errors import UserMistake
from everylink.host_lists import expanded
from everylink.inventory.changes import changes_of
from everylink.inventory.drift import Deviation, Drift
from everylink.inventory.meanings import DEVICE, HOST, NET, PORT, Family, counter, kind_of_part
from everylink.judge.confidence import stated
from everylink.judge.verdict import JudgedRun, Verdict, describe
from everylink.links.hosts import host_names
from everylink.model.results import Results
from everylink.model.rows import Outcome
from everylink.nearest import suggestion
from everylink.text.json_text import json_text
from everylink.text.verdicts import evidence, title
from everylink.units import plural

SCHEMA = "everylink-bundle/1"
ADDRESSES = ((NET, "address"), (NET, "ip"), (DEVICE, "node_guid"), (DEVICE, "sys_image_guid"), (PORT, "gid"))
EVERYBODYS = ("", "lo", "127.0.0.1", "::1")
LIST = r"[\w.\-]*\[[\d,\-]+\][\w.\-\[\],]*(?<=[\w\]])"  # n[1-4,7], r[1-2]n3
ADDRESS = r"[0-9a-fA-F:.]*:[0-9a-fA-F:.]*[0-9a-fA-F]"  # of IPv6 and Ethernet, GUIDs
WORD = r"[\w.\-]*\w"
NAMES, WORDS = re.compile(f"{LIST}|{ADDRESS}|{WORD}"), re.compile(WORD)
PREFIXES = ("host-", "other-host-")  # of the names of other hosts; the second where hosts have names like the first
STATISTICS = ("min", "median", "mean", "p99", "max")
COLUMNS = ("step", "attempt", "outcome", "arrived", "setup", "n", *STATISTICS, "late")


@dataclass(frozen=True, eq=False)
class Subject:
    """The host that a bundle is about; `index` is its host index."""

    results: Results
    index: int

    @cached_property
    def names(self) -> list[str]:
        """The names of all hosts in a bundle: its own, and host-1, host-2, ... for all others."""
        own = host_names(self.results.ranks)
        others = (number for number in range(len(own)) if number != self.index)
        prefix = PREFIXES[any(name.startswith(PREFIXES[0]) for name in own)]
        hidden = {number: f"{prefix}{place}" for place, number in enumerate(others, 1)}
        return [hidden.get(number, name) for number, name in enumerate(own)]

    @property
    def name(self) -> str:
        return self.names[self.index]

    @cached_property
    def _hidden(self) -> dict[str, str]:
        """What stands for each name and address of another host."""
        words = self._addresses()
        for rank, host in enumerate(self.results.ranks.host_index.tolist()):
            words.setdefault(host, set()).update(self._words_of(rank))
        own = words.get(self.index, set())
        return {
            word.lower(): self.names[host] for host, known in words.items() for word in known - own
            if host != self.index and word not in EVERYBODYS
        }  # fmt: skip

    def _words_of(self, rank: int) -> set[str]:
        """The name of a rank's host, in full and without its domain, and its address."""
        name = self.results.ranks.host[rank]
        return {name, name.partition(".")[0], self.results.ranks.address[rank].partition("%")[0]}

    def _addresses(self) -> dict[int, set[str]]:
        """The names and addresses that each host has by the inventory."""
        inventory = self.results.inventory
        found: dict[int, set[str]] = {}
        parts = [inventory.texts[row] for row in np.unique(inventory.latest.part).tolist()]
        for kind, name in (*ADDRESSES, (HOST, "name"), (HOST, "boot_id")):
            for part in (part for part in parts if kind_of_part(part) == kind):
                hosts, values = inventory.over_hosts(part, name)
                for host, value in zip(hosts.tolist(), values, strict=True):
                    words = {one.strip().partition("/")[0] for one in value.split(",")}
                    found.setdefault(host, set()).update(words)
        return found

    def hide(self, text: str) -> str:
        """The text with other hosts under their names in the bundle, also in folded lists."""
        return self._hidden.get(text.lower()) or NAMES.sub(lambda found: self._hidden_word(found[0]), text)

    def _hidden_word(self, word: str) -> str:
        """A list of hosts, an address, or a word: a number is no name, although a host may be called so."""
        if "[" in word:
            try:
                names = expanded(word)
            except ValueError:
                return word
            hidden = [self._hidden.get(name.lower(), name) for name in names]
            return word if hidden == names else ", ".join(hidden)
        if known := self._hidden.get(word.lower()):
            return word if word.isdigit() else known
        return WORDS.sub(lambda found: self._hidden_word(found[0]), word) if ":" in word else word

    def hidden_in(self, value: Any) -> Any:
        """The same value of JSON with all its texts hidden."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            return {name: self.hidden_in(item) for name, item in value.items()}
        return [self.hidden_in(item) for item in value] if isinstance(value, list | tuple) else value


def subject_of(results: Results, host: str) -> Subject:
    """The host of this name. Raises UserMistake."""
    names = host_names(results.ranks)
    for candidates in (names, [name.partition(".")[0] for name in names]):
        if candidates.count(host) == 1:
            return Subject(results, candidates.index(host))
    alike = [name for name in names if name.startswith(f"{host} (host ")]
    more = f"; there are {' and '.join(alike)}" if alike else suggestion(host, names)
    raise UserMistake(f"{host}: {results.path} has no such host{more}")


def bundle_texts(
    run: JudgedRun, drift: Drift, subject: Subject, measured: Mapping[str, str], plots: Sequence[str]
) -> dict[str, str]:
    """Every text of a bundle by its file name.

    `measured`: the tables of what was measured with the host; `plots`: the names of its plots.
    """
    verdicts = [one for one in run.judgement.verdicts if _concerns(one, subject)]
    suspects = [one for one in run.judgement.suspects if _concerns(one, subject)]
    deviations = [one for one in drift.deviations if subject.index in one.numbers]
    texts = {
        "verdicts.txt": _verdict_text(verdicts, suspects, subject),
        **measured,
    }
    fields: dict[str, object] = {
        "schema": SCHEMA,
        "host": subject.name,
        "measured": run.results.facts.created,
        "verdicts": [_verdict_fields(one, subject) for one in verdicts],
        "suspects": [_verdict_fields(stated(one), subject) for one in suspects],
    }
    if len(run.results.inventory):
        facts, counters = _facts(subject), list(_counters(subject))
        texts["inventory.txt"] = _inventory_text(facts, deviations, subject)
        texts["counters.csv"] = table_text([("part", "counter", "first", "last", "grew", "says"), *counters])
        fields["deviations"] = [_deviation_fields(one, subject) for one in deviations]
        fields["facts"] = [
            {"part": part, "name": name, "value": subject.hide(value)} for (part, name), value in facts.items()
        ]
        fields["counters"] = [
            {"part": part, "name": name, "first": first, "last": last, "grew": grew}
            for part, name, first, last, grew, _ in counters
        ]
    texts["bundle.json"] = json_text(fields) + "\n"
    return {"README.txt": _readme(run.results, subject, sorted([*texts, *plots])), **texts}


def _readme(results: Results, subject: Subject, files: Sequence[str]) -> str:
    facts = results.facts
    meanings = {
        "bundle.json": "verdicts, facts and counters for programs",
        "counters.csv": "error, loss and traffic counters of its adapters before and after the run",
        "flows.csv": "every flow between it and another rank, with its rate or times",
        "inventory.txt": "what it consists of, and what deviates from other hosts with the same model of adapter",
        "links.csv": "every measurement between it and another host; times are one-way, in seconds",
        "links.png": "these times at each message size, sent and received",
        "verdicts.txt": "what was found to be faulty",
    }
    lines = [f"  {name:14} {meanings[name]}" for name in files]
    return "\n".join(
        [
            f"{subject.name}, measured on {facts.created} by Everylink {facts.tool_version}",
            f"{plural(facts.ranks, 'rank')} on {plural(facts.hosts, 'host')}, transport {facts.transport}, "
            f"kernel {facts.kernel}",
            "Other hosts have numbers instead of names, and neither their addresses nor any command line is here.",
            "",
            *lines,
            "",
        ]
    )


def _concerns(verdict: Verdict, subject: Subject) -> bool:
    """Whether a verdict is about the host, a rank on it, or a link of it."""
    ranks = subject.results.ranks
    own = {ranks.name(rank) for rank in np.flatnonzero(ranks.host_index == subject.index).tolist()}
    return bool({*own, host_names(ranks)[subject.index]} & set(verdict.subject))


def _verdict_text(verdicts: Sequence[Verdict], suspects: Sequence[Verdict], subject: Subject) -> str:
    lines = []
    for one in verdicts:
        lines += [subject.hide(title(one)), f"  {subject.hide(evidence(one))}"]
    lines += [f"suspect (not proven): {subject.hide(title(one))}" for one in suspects]
    return "\n".join(lines or ["nothing was found to be faulty"]) + "\n"


def _verdict_fields(one: Verdict, subject: Subject) -> Mapping[str, object]:
    hidden: Mapping[str, object] = subject.hidden_in(dict(describe(one)))
    return hidden


def _deviation_fields(one: Deviation, subject: Subject) -> Mapping[str, object]:
    return {
        "parts": one.parts, "name": one.name, "value": subject.hide(one.value), "usual": subject.hide(one.usual),
        "equals": one.equals_count, "severity": str(one.severity), "sentence": subject.hide(one.sentence),
    }  # fmt: skip


def _facts(subject: Subject) -> dict[tuple[str, str], str]:
    """All facts of the host by part and name."""
    inventory = subject.results.inventory
    table = inventory.latest
    mine = np.flatnonzero(table.host == subject.index)
    columns = np.searchsorted(table.begins, mine, side="right") - 1
    found = {
        (inventory.texts[part], inventory.texts[name]): inventory.texts[value]
        for part, name, value in zip(
            table.part[columns].tolist(), table.name[columns].tolist(), table.value[mine].tolist(), strict=True
        )
    }
    return dict(sorted(found.items()))


def _counters(subject: Subject) -> Iterator[tuple[str, str, int, int, int, str]]:
    """Part, name, first and last value, growth, and what the growth says, of each counter of the host."""
    inventory = subject.results.inventory
    changes, counters = changes_of(inventory), inventory.counters
    here = np.array([subject.index], np.int64)
    mine = np.flatnonzero(counters.host == subject.index)
    order = mine[np.argsort(counters.reading[mine], kind="stable")]
    first: dict[tuple[int, int], int] = {}
    for part, name, value in zip(
        counters.part[order].tolist(), counters.name[order].tolist(), counters.value[order].tolist(), strict=True
    ):
        first.setdefault((part, name), value)
    for (part, name), value in sorted(first.items(), key=lambda item: tuple(inventory.texts[row] for row in item[0])):
        meaning = counter(inventory.texts[name])
        grew, last = (int(table.at(part, name, here)[0]) for table in (changes.grew, changes.last))
        says = meaning.proves if grew and meaning.family is not Family.TRAFFIC else ""
        yield inventory.texts[part], inventory.texts[name], value, last, grew, says


def _inventory_text(facts: Mapping[tuple[str, str], str], deviations: Sequence[Deviation], subject: Subject) -> str:
    lines = [f"{one.severity}: {subject.hide(one.sentence)}" for one in deviations]
    lines = [*(lines or ["nothing deviates from its equals"]), ""]
    last = ""
    for (part, name), value in facts.items():
        if part != last:
            lines.append(part)
            last = part
        lines.append(f"  {name}: {subject.hide(value)}")
    return "\n".join(lines) + "\n"


def links_of_host(results: Results, subject: Subject) -> Iterator[Sequence[object]]:
    """A line per measurement of a link from or to the host, below a header."""
    yield ("from", "to", "host_from", "host_to", "bytes", *COLUMNS)
    hosts = results.ranks.host_index
    for size in results.sizes:
        for frm, to, *columns in size.rows.blocks("frm", "to", *COLUMNS):
            mine = np.flatnonzero((hosts[frm] == subject.index) | (hosts[to] == subject.index))
            values = [_texts(name, column[mine]) for name, column in zip(COLUMNS, columns, strict=True)]
            for a, b, *rest in zip(frm[mine].tolist(), to[mine].tolist(), *values, strict=True):
                yield (a, b, subject.names[hosts[a]], subject.names[hosts[b]], size.bytes, *rest)


def _texts(name: str, column: Any) -> list[object]:
    """The values of a column; empty where not known."""
    if name == "outcome":
        known = set(Outcome)
        return [Outcome(value).name.lower() if value in known else value for value in column.tolist()]
    if column.dtype.kind != "f":
        return list(column.tolist())
    return [str(value) if np.isfinite(value) else "" for value in column]


def table_text(rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
