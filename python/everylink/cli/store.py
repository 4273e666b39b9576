"""`everylink store`: lists the runs that a store keeps, adds results files, verifies, thins out."""

from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from everylink.cli.answers import Answer, give
from everylink.cli.kinds import LINKS, judged
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import STORE
from everylink.cli.settings import settings_now
from everylink.errors import EverylinkError
from everylink.exit_codes import Exit
from everylink.store.folder import wrong_files
from everylink.store.index import Index, Night, index_of
from everylink.store.keep import add, thin_out
from everylink.store.layout import Store
from everylink.store.summary import Damaged
from everylink.terminal.console import cut, empty_table, print_left, print_wide
from everylink.text.json_text import json_text
from everylink.units import about_bytes_text, plural, size_text

SCHEMA = "everylink-store-runs/1"
COLUMNS = ("time (UTC)", "hosts", "ranks", "sizes", "conclusion", "findings", "folder")
TEXTS = (0, 3, 4, 6)  # columns that are not numbers


def main(arguments: Sequence[str]) -> int:
    """Returns Exit.FAULTS if --verify finds a damaged file."""
    options = parsed(STORE, arguments)
    settings = settings_now()
    store = settings.store_to_fill(options) if options.add else settings.store_to_read(options)
    for file in options.add:
        _add(store, file)
    index = index_of(store, anew=options.rebuild)
    notes = list(index.notes)
    if options.thin:
        files, size = thin_out(store, index, settings.kept)
        notes.append(f"removed {plural(files, 'file')}, {about_bytes_text(size)}")
    damaged = _damaged(store) if options.verify else []
    give(_answer(store, index, [*notes, *damaged], options), options)
    return Exit.FAULTS if damaged else Exit.FINE


def _add(store: Store, file: Path) -> None:
    run = judged(LINKS.read(file))
    facts, ranks = run.results.facts, len(run.results.ranks)
    add(store, run, f"{plural(facts.hosts, 'host')}, {plural(ranks, 'rank')}", facts.transport)


def _damaged(store: Store) -> list[str]:
    """A sentence for each damaged file."""
    found = []
    for _, folder in store.folders():
        try:
            found += [f"{folder}: {wrong}" for wrong in wrong_files(folder)]
        except (Damaged, OSError) as why:
            found.append(f"{folder}: {why}")
    return found


def _answer(store: Store, index: Index, notes: list[str], options: Namespace) -> Answer:
    nights = index.nights()
    unfinished = store.unfinished()
    if unfinished:
        notes.append(f"unfinished, or being measured now: {', '.join(map(str, unfinished))}")
    said = f"{store.path}: {plural(len(nights), 'run')}"
    if nights:
        said += f", {nights[0].summary.date} to {nights[-1].summary.date}"
    size = _bytes(store.path)
    counts = {night.name: len(found) for night, found in zip(nights, index.findings(nights), strict=True)}

    def text(console: Console) -> None:
        console.print(f"{said}, {about_bytes_text(size)}", soft_wrap=True)
        kept = cut(nights[::-1], options.all)
        if nights:
            print_wide(_table(kept[::-1], counts), console)
        print_left(len(nights) - len(kept), console)
        for note in notes:
            console.print(note, soft_wrap=True)

    fields = {
        "schema": SCHEMA,
        "folder": store.path,
        "bytes": size,
        "runs": [_fields(night, counts[night.name]) for night in nights],
        "notes": notes,
    }
    return Answer(text, said, partial(json_text, fields))


def _table(nights: Sequence[Night], counts: dict[str, int]) -> Table:
    table = empty_table(Console())
    for place, name in enumerate(COLUMNS):
        table.add_column(name, justify="left" if place in TEXTS else "right")
    for night in nights:
        one = night.summary
        sizes = ", ".join(map(size_text, one.sizes))
        numbers = str(len(one.hosts)), str(one.ranks), sizes, one.conclusion, str(counts[night.name])
        table.add_row(one.time.replace("T", " ").removesuffix("Z"), *numbers, night.name)
    return table


def _fields(night: Night, findings: int) -> dict[str, object]:
    one = night.summary
    return {
        "name": night.name, "folder": night.folder, "id": one.id, "time": one.time, "where": one.where,
        "mode": one.mode, "hosts": len(one.hosts), "ranks": one.ranks, "sizes": one.sizes,
        "conclusion": one.conclusion, "findings": findings, "clock_went_back": one.clock_went_back,
    }  # fmt: skip


def _bytes(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise EverylinkError(f"{folder}: cannot be read: {error.strerror}") from None
