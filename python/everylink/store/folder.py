"""The folder of a run: what is written into it, and how it is read.

    run.json    the summary; sizes and checksums of the other files
    hosts.npz   how far each host is from the median, at each size
    links.h5    how far each link is, as one compressed matrix of 8-bit numbers (docs/decisions/0117)
    facts.npz   what the hosts consist of, if they were read

Beside these it keeps what a check makes: verdict.json, log.txt, results.h5, report.html.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from everylink.deviation.reduce import codes_of
from everylink.deviation.scale import NOT_MEASURED, Codes
from everylink.deviation.strips import CODES, strip
from everylink.deviation.usual import Usual
from everylink.errors import EverylinkError
from everylink.inventory.cluster import Cluster
from everylink.inventory.versus import CHANGING
from everylink.io.foreign import bare_ranks
from everylink.links.hosts import host_names
from everylink.model.inventory import LINK_FACTS, NO_INVENTORY, Facts, Moment, Readings
from everylink.model.results import Ranks, Results, Size
from everylink.robust import medians_of
from everylink.store.summary import Damaged, Summary, checksum_of, file_entry, summary_of, text_of_summary

RUN, HOSTS, LINKS, FACTS = "run.json", "hosts.npz", "links.h5", "facts.npz"
ALWAYS, OF_LINKS, OF_RESULTS = "always", "links", "results"  # what thinning out leaves for how long
KEPT = {
    HOSTS: ALWAYS,
    FACTS: ALWAYS,
    "verdict.json": ALWAYS,
    "log.txt": ALWAYS,
    LINKS: OF_LINKS,
    "results.h5": OF_RESULTS,
    "report.html": OF_RESULTS,
}
PER_LOG = 10_000  # numbers of hosts.npz per unit of the natural logarithm
UNKNOWN = -32768
STRIP_LINKS = 2**26  # links that are packed together
CHUNK_LINKS = 2**17
LARGEST_RUN = 2**28  # bytes of run.json
Values = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OfHosts:
    """Of each host, [sizes, hosts]: the median log of times / the reference as sender and as receiver, NaN without a
    time; how many of its links have a time, and how many failed. Links within a host count on a single host only."""

    send: Values
    receive: Values
    timed: Counts
    failed: Counts


@dataclass(frozen=True, eq=False)
class OfLinks:
    """The links of a run: ranks by host and by number there, and a way to read codes: (size, rows) -> [rows, ranks]."""

    host: Counts
    local: Counts
    numa: Counts
    references: Values
    codes: Callable[[int, slice], Codes]

    def reference(self, size: int) -> Usual:
        """What the codes of a size are relative to."""
        between, *within = map(float, self.references[size])
        return Usual(None, between, self.host, self.numa, np.array(within))


# --- writing ---------------------------------------------------------------------------------------------------


def usual_of_run(results: Results) -> list[Usual]:
    """For each size the median of links between hosts, and of those within: what deviations are relative to.

    It is not what the judge expects, which takes the slowness of whole groups as structure: a change of a group from
    one night to another must show.
    """
    return [Usual.of(results.ranks, size, None) for size in results.sizes]


def write_folder(folder: Path, results: Results, summary: Summary, usual: list[Usual]) -> None:
    """Write the files of a run beside those that are there, `run.json` last.

    Raises EverylinkError if the disk is full, FileDamaged if the results are.
    """
    try:
        write_hosts(folder / HOSTS, of_hosts(results, usual))
        write_links(folder / LINKS, results, usual)
        if arrays := _facts_of(results):
            with (folder / FACTS).open("wb") as file:
                np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        there = sorted(path for path in folder.iterdir() if path.name in KEPT and path.is_file())
        files = {path.name: file_entry(path, KEPT[path.name]) for path in there}
        (folder / RUN).write_text(text_of_summary(summary, files), encoding="utf-8")
    except OSError as error:
        raise EverylinkError(
            f"{folder}: cannot be written: {error.strerror or error}; what was measured is kept there"
        ) from None


def of_hosts(results: Results, usual: list[Usual]) -> OfHosts:
    """By the main readings. Raises FileDamaged, NotEnoughMemory."""
    hosts = int(results.ranks.host_index.max()) + 1
    shape = (len(results.sizes), hosts)
    found = OfHosts(np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, int), np.zeros(shape, int))
    for i, (size, reference) in enumerate(zip(results.sizes, usual, strict=True)):
        _add_size(found, i, results.ranks, size, reference)
    return found


def _add_size(found: OfHosts, i: int, ranks: Ranks, size: Size, reference: Usual) -> None:
    links, host = size.links, ranks.host_index.astype(np.int64)
    frm, to = host[links.frm], host[links.to]
    kept = (frm != to) | (len(found.timed[i]) == 1)
    timed = kept & ~links.failed & (links.median > 0)
    away = np.log(links.median[timed].astype(np.float64)) - reference.log_seconds(links.frm[timed], links.to[timed])
    for values, ends in ((found.send, frm), (found.receive, to)):
        numbers, medians = medians_of(away, ends[timed])
        values[i, numbers] = medians
        found.timed[i] += np.bincount(ends[timed], minlength=len(found.timed[i]))
        found.failed[i] += np.bincount(ends[kept & links.failed], minlength=len(found.failed[i]))


def write_hosts(path: Path, found: OfHosts) -> None:
    """Raises OSError."""
    with path.open("wb") as file:
        np.savez_compressed(file, send=rounded(found.send), receive=rounded(found.receive), timed=_small(found.timed),
                            failed=_small(found.failed))  # fmt: skip


def rounded(values: Values) -> NDArray[np.int16]:
    """As they are stored, to 0.01 %; NaN is UNKNOWN."""
    known = np.isfinite(values)
    return np.where(known, np.clip(np.rint(np.where(known, values, 0) * PER_LOG), -32767, 32767), UNKNOWN).astype("<i2")


def unrounded(values: NDArray[np.int16]) -> Values:
    return np.where(values == UNKNOWN, np.nan, values / PER_LOG)


def _small(counts: Counts) -> NDArray[np.uint32]:
    return counts.astype("<u4")


def write_links(path: Path, results: Results, usual: list[Usual]) -> None:
    """Raises OSError, FileDamaged, NotEnoughMemory."""
    ranks = len(results.ranks)
    places = np.arange(ranks)
    together = max(STRIP_LINKS // max(ranks, 1), 1)
    with h5py.File(path, "w", libver="latest", locking=False) as file:
        for name in ("host_index", "local_rank", "numa"):
            file.create_dataset(name, data=getattr(results.ranks, name).astype("<i4"), track_times=False)
        file.create_dataset("references", data=np.array([_reference(one) for one in usual]), track_times=False)
        chunk = (1, min(max(CHUNK_LINKS // ranks, 1), ranks), ranks)
        shape = (len(results.sizes), ranks, ranks)
        packing = {"chunks": chunk, "compression": "gzip"} if results.sizes else {}
        codes = file.create_dataset("codes", shape, "i1", fillvalue=NOT_MEASURED, track_times=False, **packing)
        for i, (size, reference) in enumerate(zip(results.sizes, usual, strict=True)):
            for begin in range(0, ranks, together) if len(size.rows) else ():
                end = min(begin + together, ranks)
                codes[i, begin:end] = strip(size, places, begin, end, CODES, partial(codes_of, reference))


def _reference(usual: Usual) -> tuple[float, float, float]:
    return usual.between, float(usual.within[0]), float(usual.within[1])


def references_of(usual: list[Usual]) -> tuple[tuple[float, float, float], ...]:
    return tuple(map(_reference, usual))


def facts_checksum(results: Results) -> str:
    """The same for equal facts; empty where the hosts were not read."""
    checksum = hashlib.sha256()
    arrays = _facts_of(results)
    for array in arrays.values():
        checksum.update(array.tobytes())
    return checksum.hexdigest()[:32] if arrays else ""


def _facts_of(results: Results) -> dict[str, NDArray[Any]]:
    """The facts as they were read last, of PCIe links as they were under load; in an order that is always the same."""
    inventory = results.inventory
    if not len(inventory.facts.host):
        return {}
    kept: dict[tuple[str, str], tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
    for table, of_links in ((inventory.latest, False), (inventory.loaded, True)):
        for part, name in zip(table.part.tolist(), table.name.tolist(), strict=True):
            key = inventory.texts[part], inventory.texts[name]
            if (key[1] in LINK_FACTS) is of_links and key[1] not in CHANGING:
                kept[key] = table.column(part, name)
    columns = [(*key, *kept[key]) for key in sorted(kept)]
    rows = sorted({row for _, _, _, values in columns for row in values.tolist()}, key=lambda row: inventory.texts[row])
    texts = sorted({inventory.texts[row] for row in rows} | {text for key in kept for text in key} | {""})
    number = {text: place for place, text in enumerate(texts)}
    new = np.zeros(max(rows, default=0) + 1, np.int64)
    new[rows] = [number[inventory.texts[row]] for row in rows]
    lengths = [len(hosts) for _, _, hosts, _ in columns]
    parts = np.repeat([number[part] for part, *_ in columns], lengths).astype("<u4")
    names = np.repeat([number[name] for _, name, *_ in columns], lengths).astype("<u4")
    hosts, values = (
        np.concatenate([column[i] for column in columns] or [np.zeros(0, np.int64)]).astype("<u4") for i in (2, 3)
    )
    return {
        "texts": np.frombuffer("\0".join(texts).encode(), np.uint8),
        "read": inventory.hosts.astype("<u4"),
        "part": parts, "name": names, "host": hosts, "value": new[values].astype("<u4"),
    }  # fmt: skip


# --- reading ---------------------------------------------------------------------------------------------------


def read_summary(folder: Path) -> tuple[Summary, dict[str, dict[str, Any]]]:
    """The summary of a run, and what it says of the files. Raises Damaged."""
    try:
        if (folder / RUN).stat().st_size > LARGEST_RUN:
            raise Damaged(f"{RUN} is too large")
        text = (folder / RUN).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Damaged(f"{RUN} is missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(f"{RUN} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    return summary_of(text)


def read_hosts(folder: Path, sizes: int, hosts: int) -> OfHosts:
    """Raises Damaged."""
    arrays = _arrays(folder / HOSTS, "send", "receive", "timed", "failed")
    if any(array.shape != (sizes, hosts) or array.dtype.kind not in "iu" for array in arrays):
        raise Damaged(f"{HOSTS} does not have {sizes} sizes of {hosts} hosts")
    send, receive = map(unrounded, arrays[:2])
    return OfHosts(send, receive, arrays[2].astype(np.int64), arrays[3].astype(np.int64))


def read_links(folder: Path, sizes: int, hosts: int) -> OfLinks | None:
    """None if the links of this run were thinned out. The file stays open while the answer is used. Raises Damaged."""
    path = folder / LINKS
    if not path.exists():
        return None
    try:
        file = h5py.File(path, "r", locking=False)
        host, local, numa = (np.asarray(file[name][:], np.int64) for name in ("host_index", "local_rank", "numa"))
        references, codes = np.asarray(file["references"][:], np.float64), file["codes"]
        ranks = len(host)
        fits = codes.shape == (sizes, ranks, ranks) and codes.dtype == np.int8 and references.shape == (sizes, 3)
        if (
            not fits
            or len(local) != ranks
            or len(numa) != ranks
            or (ranks and not 0 <= host.min() <= host.max() < hosts)
        ):
            raise Damaged(f"{LINKS} does not have the links of this run")
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise error if isinstance(error, Damaged) else Damaged(f"{LINKS} cannot be read") from None

    def read(size: int, rows: slice) -> Codes:
        try:
            return np.asarray(codes[size, rows], np.int8)
        except (OSError, RuntimeError, ValueError):
            raise Damaged(f"{LINKS} cannot be read") from None

    return OfLinks(host, local, numa, references, read)


def read_facts(folder: Path, hosts: tuple[str, ...]) -> Cluster:
    """The hosts as they were, for inventory.versus. Raises Damaged."""
    text, read, *columns = _arrays(folder / FACTS, "texts", "read", "host", "part", "name", "value")
    try:
        texts = tuple(text.tobytes().decode().split("\0"))
    except UnicodeDecodeError:
        raise Damaged(f"{FACTS} cannot be read: it is not text") from None
    host, part, name, value = columns
    limits = (len(hosts), len(texts), len(texts), len(texts))
    wrong = any(len(one) and one.max() >= limit for one, limit in zip(columns, limits, strict=True))
    if (
        wrong
        or len({len(one) for one in columns}) > 1
        or texts[:1] != ("",)
        or (len(read) and read.max() >= len(hosts))
    ):
        raise Damaged(f"{FACTS} does not have the hosts of this run")
    of_links = np.isin(name, [row for row, text in enumerate(texts) if text in LINK_FACTS])
    none = np.zeros(len(read))
    readings = Readings(
        host=np.tile(read, 2), reading=np.repeat(np.arange(2, dtype=np.uint32), len(read)),
        moment=np.repeat(np.array([Moment.BEFORE, Moment.LOADED], np.uint8), len(read)),
        rank=np.tile(read, 2), began=np.tile(none, 2), took=np.tile(none, 2).astype(np.float32),
        unread=np.zeros(2 * len(read), np.uint32),
    )  # fmt: skip
    facts = Facts(host, of_links.astype(np.uint32), part, name, value)
    inventory = replace(NO_INVENTORY, texts=texts, facts=facts, readings=readings)
    count = np.arange(len(hosts))
    return Cluster(inventory, bare_ranks(hosts, count, np.zeros_like(count)))


def _arrays(path: Path, *names: str) -> list[NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return [arrays[name] for name in names]
    except Exception as error:  # numpy and zipfile raise many kinds
        said = "is missing" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise Damaged(f"{path.name} {said}") from None


def wrong_files(folder: Path) -> list[str]:
    """A sentence for each file that is not as it was written; one that was thinned out is none. Raises Damaged."""
    wrong = []
    for name, entry in read_summary(folder)[1].items():
        path = folder / name
        if not path.exists():
            if entry["kept"] == ALWAYS:
                wrong.append(f"{name} is missing")
        elif path.stat().st_size != entry["bytes"] or checksum_of(path) != entry["sha256"]:
            wrong.append(f"{name} does not fit its checksum")
    return wrong


def names_of_hosts(results: Results) -> tuple[str, ...]:
    return tuple(host_names(results.ranks))
