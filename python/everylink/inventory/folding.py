"""What is the same of several hosts and parts, said once."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from everylink.host_lists import folded_numbers

NUMBERED = re.compile(r"\d+(?=(/\d+)?$)")
What = TypeVar("What")


def fold(found: Iterable[tuple[int, str, What]]) -> Iterator[tuple[tuple[int, ...], tuple[str, ...], What]]:
    """What is found of hosts and parts: hosts with the same of the same part as one, then parts with the same hosts."""
    by_hosts: dict[tuple[str, What], list[int]] = {}
    for host, part, what in found:
        by_hosts.setdefault((part, what), []).append(host)
    by_parts: dict[tuple[tuple[int, ...], What], list[str]] = {}
    for (part, what), hosts in by_hosts.items():
        by_parts.setdefault((tuple(sorted(hosts)), what), []).append(part)
    for (same_hosts, what), parts in by_parts.items():
        yield same_hosts, tuple(sorted(parts)), what


def parts_text(parts: Sequence[str]) -> str:
    """Parts as one text: `ib/mlx5_[0-3]/1`."""
    groups: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        found = NUMBERED.search(part)
        shape = (part[: found.start()], part[found.end() :]) if found else (part, "")
        groups.setdefault(shape, []).append(found[0] if found else "")
    return ", ".join(
        f"{begin}{numbers[0] if len(numbers) == 1 else f'[{folded_numbers(numbers)}]'}{end}"
        for (begin, end), numbers in groups.items()
    )
