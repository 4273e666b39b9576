"""Scores clusters in several processes, and keeps each score as a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

Case = TypeVar("Case")


def scored(score: Callable[[Case], Any], cases: Iterable[Case], jobs: int, save: Path | None) -> Iterator[Any]:
    """The scores, dataclasses, in the order of the cases, without those that are None; appended to `save` at once."""
    with ProcessPoolExecutor(jobs) as pool:
        for one in pool.map(score, cases):
            if one is None:
                continue
            if save:
                with save.open("a") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
            yield one


def share(good: int, of: int) -> str:
    """A part of a number, with its percentage if there is one."""
    return f"{good} of {of}" + (f" ({good / of:.1%})" if of else "")
