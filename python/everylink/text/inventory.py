"""An inventory as text for the terminal and as JSON (docs/json.md)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.text import Text

from everylink.host_lists import folded
from everylink.inventory.drift import Deviation, Drift
from everylink.inventory.equals import Split
from everylink.inventory.folding import parts_text
from everylink.inventory.meanings import DEVICE, GPU, HOST, NET, PORT, Severity, device_of, fact, kind_of_part
from everylink.inventory.overview import KindOfHosts, PortBytes, Usual, kinds_in, traffic_in
from everylink.inventory.versus import Change, Versus
from everylink.model.results import Results
from everylink.text.json_text import json_text
from everylink.units import about_bytes_text, plural

SCHEMA, CHANGES_SCHEMA = "everylink-inventory/1", "everylink-inventory-changes/1"
MOST = 15  # lines of deviations or changes in text, unless all are wanted
STYLES = {Severity.CRITICAL: "bold red", Severity.WARNING: "yellow", Severity.INFO: ""}
# What a line on an adapter says, in this order, and how.
OF_ADAPTERS = {
    "hca_type": "{}", "board_id": "{}", "driver": "driver {}", "fw_ver": "firmware {}", "uc/version": "firmware {}",
    "fw_version": "firmware {}", "state": "{}", "operstate": "{}", "rate": "{}", "port/speed": "{}",
    "speed": "{} Mbit/s", "link_layer": "{}", "mtu": "MTU {}", "current_link_speed": "PCIe {}",
    "current_link_width": "x{}",
}  # fmt: skip
OF_GPUS = {"name": "{}", "driver_version": "driver {}", "ecc_mode": "ECC {}", "current_link_width": "PCIe x{}"}


def inventory_json(results: Results, drift: Drift) -> str:
    """One JSON object, described in docs/json.md."""
    cluster = drift.cluster
    readings = cluster.inventory.readings
    fields: dict[str, object] = {
        "schema": SCHEMA,
        "file": results.path,
        "hosts": _names(drift, cluster.inventory.hosts.tolist()),
        "longest_reading": float(readings.took.max()) if len(readings.took) else None,
        "files_that_did_not_answer": int(readings.unread.sum()),
        "kinds": [_kind_fields(drift, kind) for kind in kinds_in(cluster)],
        "classes": [_split_fields(drift, split) for split in drift.splits],
        "deviations": [deviation_fields(one) for one in drift.deviations],
        "traffic": [
            {"part": port.part, "hosts": port.hosts, "sent": _spread(port.sent), "received": _spread(port.received)}
            for port in traffic_in(drift.counters)
        ],
    }
    return json_text(fields)


def deviation_fields(one: Deviation) -> Mapping[str, object]:
    """A deviation in every JSON object that has one."""
    return {
        "hosts": one.hosts, "parts": one.parts, "name": one.name, "value": one.value, "usual": one.usual or None,
        "equals": one.equals_count, "severity": str(one.severity), "sentence": one.sentence,
    }  # fmt: skip


def versus_json(base: Results, new: Results, found: Versus) -> str:
    """One JSON object, described in docs/json.md."""
    fields = {
        "schema": CHANGES_SCHEMA, "base": base.path, "new": new.path, "hosts": found.hosts, "gone": found.gone,
        "added": found.new, "changes": change_fields(found),
    }  # fmt: skip
    return json_text(fields)


def change_fields(found: Versus) -> list[dict[str, object]]:
    """The changes in every JSON object that has them."""
    return [
        {
            "hosts": list(one.hosts), "parts": list(one.parts), "name": one.name, "before": one.before or None,
            "after": one.after or None, "severity": str(one.severity),
        }
        for one in found.changes
    ]  # fmt: skip


def change_lines(found: Versus) -> list[str]:
    """One line for each change, the most severe first."""
    return list(map(_change_text, found.changes))


def inventory_text(results: Results, drift: Drift, everything: bool) -> Text:
    """Text for the terminal: each kind of hosts, the most frequent first, then what deviates."""
    kinds = kinds_in(drift.cluster)
    text = Text()
    for kind in kinds:
        text.append(f"{plural(len(kind.hosts), 'host')}: {folded(_names(drift, kind.hosts))}\n", style="bold")
        for line in _kind_lines(kind):
            text.append(f"  {line}\n")
    for split in drift.splits:
        text.append(f"{_split_text(drift, split)}\n", style="dim")
    for said, parts in _by_text(
        (_traffic_text(port), port.part) for port in traffic_in(drift.counters) if port.sent[2] + port.received[2]
    ).items():
        text.append(f"{parts_text(parts)}: {said}\n", style="dim")
    _append_first(text, [(f"{one.severity}: {one.sentence}", one.severity) for one in drift.deviations], everything)
    return text.append_text(inventory_headline(drift))


def inventory_headline(drift: Drift) -> Text:
    """The last line: what deviates, in numbers."""
    hosts = plural(len(drift.cluster.inventory.hosts), "host")
    if not drift.deviations:
        return Text(f"{hosts}: nothing deviates", style="bold green")
    counts = [
        f"{count} {severity}" for severity in reversed(Severity)
        if (count := sum(one.severity is severity for one in drift.deviations))
    ]  # fmt: skip
    style = "bold red" if drift.is_critical else "bold yellow"
    return Text(f"{hosts}: {plural(len(drift.deviations), 'deviation')} ({', '.join(counts)})", style=style)


def versus_text(found: Versus, everything: bool) -> Text:
    """Text for the terminal: what changed, the most severe first."""
    text = Text()
    for names, what in ((found.gone, "only in the first file"), (found.new, "only in the second file")):
        if names:
            text.append(f"{folded(names)}: {what}\n", style="yellow")
    _append_first(text, [(_change_text(one), one.severity) for one in found.changes], everything)
    return text.append_text(versus_headline(found))


def _append_first(text: Text, lines: Sequence[tuple[str, Severity]], everything: bool) -> None:
    """The first lines, and how many more there are."""
    shown = lines if everything else lines[:MOST]
    for line, severity in shown:
        text.append(f"{line}\n", style=STYLES[severity])
    if left := len(lines) - len(shown):
        text.append(f"{left} more; --all lists them\n")


def versus_headline(found: Versus) -> Text:
    """The last line: how much changed."""
    many = plural(len(found.changes), "change") if found.changes else "nothing changed"
    return Text(f"{plural(found.hosts, 'host')} in both files: {many}", style="bold")


def _change_text(one: Change) -> str:
    where = "" if one.parts == (HOST,) else f" of {parts_text(one.parts)}"
    return f"{folded(one.hosts)}: {one.title}{where}: {one.before or 'not there'} -> {one.after or 'gone'}"


def _names(drift: Drift, hosts: Sequence[int]) -> list[str]:
    return [drift.cluster.names[host] for host in hosts]


def _spread(values: tuple[float, float, float]) -> Mapping[str, float]:
    return dict(zip(("min", "median", "max"), values, strict=True))


def _kind_fields(drift: Drift, kind: KindOfHosts) -> Mapping[str, object]:
    return {
        "hosts": _names(drift, kind.hosts),
        "facts": [
            {"part": one.part, "name": one.name, "value": one.value, "hosts": one.hosts, "of": one.of}
            for one in kind.facts
        ],
    }


def _split_fields(drift: Drift, split: Split) -> Mapping[str, object]:
    classes = [{"value": value, "hosts": _names(drift, hosts)} for value, hosts in split.classes]
    return {"part": split.part, "name": split.name, "classes": classes}


def _split_text(drift: Drift, split: Split) -> str:
    """`kernel: 32 hosts have 5.14, 32 have 6.1`."""
    title = fact(kind_of_part(split.part), split.name).title
    where = "" if split.part == HOST else f" of {split.part}"
    classes = [f"{len(hosts)} have {value} ({folded(_names(drift, hosts))})" for value, hosts in split.classes]
    return f"{title}{where}: {', '.join(classes)}"


def _kind_lines(kind: KindOfHosts) -> Iterator[str]:
    facts = [one for one in kind.facts if one.part == HOST and fact(HOST, one.name).severity is not Severity.INFO]
    for one in facts:
        yield f"{one.title}: {one.value}{_share(one)}"
    adapters = dict.fromkeys(one.part for one in kind.facts if kind_of_part(one.part) in TEXTS)
    for said, parts in _by_text((TEXTS[kind_of_part(part)](kind, part), part) for part in adapters).items():
        yield f"{parts_text(parts)}: {said}"


def _by_text(lines: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The parts of which the same is said."""
    parts: dict[str, list[str]] = {}
    for said, part in lines:
        parts.setdefault(said, []).append(part)
    return parts


def _traffic_text(port: PortBytes) -> str:
    several = f" on {port.hosts} hosts (medians)" if port.hosts > 1 else ""
    return f"{about_bytes_text(port.sent[1])} sent, {about_bytes_text(port.received[1])} received in the run{several}"


def _adapter_text(kind: KindOfHosts, part: str) -> str:
    """A device with its first port: model, firmware, state, rate, PCIe link."""
    known: dict[str, Usual] = {}
    for one in kind.facts:
        if one.part == part or (kind_of_part(one.part) == PORT and device_of(one.part) == part):
            known.setdefault(one.name, one)
    said = [form.format(known[name].value) + _share(known[name]) for name, form in OF_ADAPTERS.items() if name in known]
    text = ", ".join(said).replace(" PCIe, x", " x")
    return text if part in kind.judged else f"{text} (not compared: its chip carries no messages)"


def _gpu_text(kind: KindOfHosts, part: str) -> str:
    """A GPU: model, driver, ECC, PCIe lanes, and how many of its NVLinks are in which state."""
    known = {one.name: one for one in kind.facts if one.part == part}
    said = [form.format(known[name].value) + _share(known[name]) for name, form in OF_GPUS.items() if name in known]
    links = [one for one in kind.facts if device_of(one.part) == part and one.name == "state"]
    states = Counter(one.value for one in links)
    return ", ".join([*said, *(f"{plural(count, 'NVLink')} {state}" for state, count in states.items())])


TEXTS = {DEVICE: _adapter_text, NET: _adapter_text, GPU: _gpu_text}


def _share(one: Usual) -> str:
    return "" if one.hosts == one.of else f" ({one.hosts} of {one.of})"


def nothing_read(path: Path) -> str:
    """Why there is no inventory."""
    return f"{path}: has no inventory; runs of this version of everylink-measure record it"
