"""Puts runs into a store, and thins out what is old."""

import hashlib
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from everylink.errors import EverylinkError, UserMistake
from everylink.judge.verdict import Conclusion, JudgedRun
from everylink.model.results import Results
from everylink.store.folder import (
    KEPT,
    OF_LINKS,
    OF_RESULTS,
    facts_checksum,
    names_of_hosts,
    references_of,
    usual_of_run,
    write_folder,
)
from everylink.store.index import Index, index_of
from everylink.store.layout import Store
from everylink.store.summary import Seen, Summary, seconds_of, seen_in, settings_of
from everylink.units import utc_text

LINK_DAYS, RESULT_DAYS = 90, 3  # with runs: single links, and the files of a check, are kept so long
DAY = 86400  # seconds
NOT_IN_NAMES = re.compile(r"[^\w.\-]")


@dataclass(frozen=True)
class Kept:
    """How many days with runs single links, and results files and reports, are kept."""

    links: int = LINK_DAYS
    results: int = RESULT_DAYS


def summarised(
    index: Index,
    run: JudgedRun,
    conclusion: Conclusion,
    findings: Iterable[Seen],
    where: str,
    mode: str,
    *,
    is_check: bool,
) -> Summary:
    """What a store will say of a run. Raises UserMistake if it is there already.

    A run that was only now measured (`is_check`) is ordered behind all that are there, whatever its clock says; any
    other by its time.
    """
    results, hosts = run.results, names_of_hosts(run.results)
    id = results.facts.run_id or _id_of(results)
    if (there := index.folder_of(id)) is not None:
        raise UserMistake(f"{results.path}: is already in the store as {there}")
    moment, newest = _time_of(results), index.newest_place()
    place = seconds_of(moment)
    if is_check and newest is not None:
        place = max(place, newest + 1)
    return Summary(
        id=id, time=moment, place=place, name=NOT_IN_NAMES.sub("_", hosts[0].partition(".")[0]), mode=mode, where=where,
        tool_version=results.facts.tool_version, settings=settings_of(results), conclusion=str(conclusion), hosts=hosts,
        ranks=len(results.ranks), sizes=tuple(size.bytes for size in results.sizes),
        references=references_of(usual_of_run(results)), links_measured=run.judgement.links_measured,
        links_failed=run.judgement.links_failed, findings=tuple(findings), facts=facts_checksum(results),
    )  # fmt: skip


def folder_name(summary: Summary) -> str:
    """It begins with the time, so that names are in order, and ends with the id, so that no two are equal."""
    stamp = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime(summary.place))
    return f"{stamp}-{summary.name}-{NOT_IN_NAMES.sub('_', summary.id)[:8]}"


def put(store: Store, folder: Path, results: Results, summary: Summary) -> Path:
    """Make a folder of `incoming`, which may have files of a check, a run of the store. Raises EverylinkError."""
    write_folder(folder, results, summary, usual_of_run(results))
    return store.publish(folder, folder_name(summary))


def add(store: Store, run: JudgedRun, where: str, mode: str) -> Path:
    """Keep a run that is no check, by the time at which it was measured. Raises UserMistake, EverylinkError."""
    conclusion, findings = run.judgement.conclusion, seen_in(run, {})
    summary = summarised(index_of(store), run, conclusion, findings, where, mode, is_check=False)
    return put(store, store.new_folder(folder_name(summary)), run.results, summary)


def _id_of(results: Results) -> str:
    """Of a run that has no id, such as a simulated one: a checksum of its numbers."""
    checksum = hashlib.sha256("\0".join((results.facts.created, *results.ranks.host)).encode())
    for size in results.sizes:
        checksum.update(size.links.median.tobytes())
    return checksum.hexdigest()[:16]


def _time_of(results: Results) -> str:
    """When a run was measured; its file's time where it does not say so."""
    created = results.facts.created
    with suppress(ValueError):
        seconds_of(created)
        return created
    try:
        seconds = results.path.stat().st_mtime
    except OSError:
        seconds = time.time()
    return utc_text(seconds)


def _remove_left(store: Store) -> None:
    """What a killed writer left of an index."""
    for path in store.index.parent.glob(f"{store.index.name}.*.new"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > DAY:
                path.unlink()


def thin_out(store: Store, index: Index, kept: Kept) -> tuple[int, int]:
    """Remove the single links, and the results files, of runs beyond the newest days that have runs.

    Days are counted, not subtracted: a clock that is wrong costs nothing. Returns how many files and bytes went.
    Raises EverylinkError.
    """
    _remove_left(store)
    limits: Mapping[str, int] = {OF_LINKS: kept.links, OF_RESULTS: kept.results}
    folders = dict(store.folders())
    days: list[str] = []
    files = size = 0
    for day, name in index.days():
        if day not in days[-1:]:
            days.append(day)
        for file, kind in KEPT.items():
            if kind in limits and len(days) > limits[kind] and name in folders:
                path = folders[name] / file
                try:
                    bytes_of_file = path.stat().st_size
                    path.unlink()
                except FileNotFoundError:
                    continue
                except OSError as error:
                    raise EverylinkError(f"{path}: cannot be removed: {error.strerror}") from None
                files, size = files + 1, size + bytes_of_file
    return files, size
