"""Writes a results file (docs/results-file.md), as the core does, for measurements that come from elsewhere."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from everylink.files import whole
from everylink.formats.results_file import FORMAT, FORMAT_VERSION
from everylink.links import MISSING, Rows, columns
from everylink.results import Results, Size
from everylink.stored import NAMES

SHORTEST_TEXT, SMALLEST_CHUNK, LARGEST_CHUNK = 64, 1024, 65536


def write_results(results: Results, force: bool = False, room: int = 0) -> list[str]:
    """Write all of `results` to its path, whole or not at all. Raises UserMistake; no line says what was left out.

    `room`: how many rows append_rows() will add.
    """
    with whole(results.path, force) as new, h5py.File(new, "w", libver=("v110", "v110"), locking=False) as file:
        _write(file, results, room)
    return []


def append_rows(path: Path, more: Mapping[int, Iterable[Rows]]) -> None:
    """Put rows behind those of each size of a file that write_results() made; as many of every size."""
    with h5py.File(path, "r+", libver=("v110", "v110"), locking=False) as file:
        rows = int(file.attrs["rows"])
        for size, blocks in more.items():
            group, end = file[f"sizes/{size}"], rows
            for block in blocks:
                for name, column in columns(block).items():
                    if NAMES.get(name, name) in group:
                        stored = group[NAMES.get(name, name)]
                        stored.resize((end + len(block),))
                        stored[end:] = column
                end += len(block)
            file.attrs["rows"] = np.uint64(end)


def _write(file: Any, results: Results, room: int) -> None:
    for name, value in attributes_of(results).items():
        file.attrs[name] = _text(value) if isinstance(value, str) else value
    _columns(file.create_group("ranks"), vars(results.ranks))
    _columns(file.create_group("steps"), vars(results.steps))
    for size in results.sizes:
        group = file.create_group(f"sizes/{size.bytes}")
        group.attrs.update(attributes_of_size(size))
        _columns(group, columns_of(size.rows), room)
    if results.remarks:
        file["remarks"] = _texts(results.remarks)


def attributes_of(results: Results) -> dict[str, Any]:
    """The attributes of / by their names in the file."""
    rows = max((len(size.rows) for size in results.sizes), default=0)
    facts = {name: int(value) if isinstance(value, bool) else value for name, value in asdict(results.facts).items()}
    counts = {"rows": np.uint64(rows), "steps": np.uint64(len(results.steps.began)), "seed": np.uint64(facts["seed"])}
    return {"format": FORMAT, "format_version": FORMAT_VERSION, **facts, **counts}


def attributes_of_size(size: Size) -> dict[str, Any]:
    """The attributes of the group of a size."""
    return {"bytes": np.uint64(size.bytes), "rounds_per_lap": size.rounds_per_lap, "lead_in": 0}


def columns_of(rows: Rows) -> dict[str, Any]:
    """The columns of rows by their names in the file, without those that are not known of any."""
    kept = columns(rows)
    for column in fields(rows):
        if MISSING in column.metadata and np.isnan(kept[column.name]).all():
            del kept[column.name]
    return {NAMES.get(name, name): column for name, column in kept.items()}


def _columns(group: Any, columns: dict[str, Any], room: int = 0) -> None:
    for name, values in columns.items():
        if isinstance(values, tuple):
            group[name] = _texts(values)
        else:
            chunk = min(max(len(values), room, SMALLEST_CHUNK), LARGEST_CHUNK)
            group.create_dataset(name, data=values, maxshape=(None,), chunks=(chunk,))


def _text(text: str) -> Any:
    return np.bytes_(text.encode() or b"\0")  # of fixed length, and HDF5 knows none of length 0


def _texts(texts: tuple[str, ...]) -> Any:
    encoded = [text.encode() for text in texts]
    return np.array(encoded, f"S{max(SHORTEST_TEXT, *map(len, encoded))}")
