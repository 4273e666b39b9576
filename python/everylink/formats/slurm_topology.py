"""Slurm's topology.conf, of its tree plug-in (SwitchName) and its block plug-in (BlockName).

Form: https://slurm.schedmd.com/topology.conf.html. Keys in any case; # begins a comment; \\ continues a line.
"""

import re
from collections.abc import Iterable, Iterator

from everylink.formats.lines import Damaged, Line, quoted
from everylink.host_lists import MOST_HOSTS, expanded

KEY = re.compile(r"^\s*(SwitchName|BlockName)\s*=", re.IGNORECASE)
PAIR = re.compile(r"\s*(\w+)\s*=\s*(\"[^\"]*\"|\S+)")
NAMES = ("switchname", "blockname")
CHILDREN = ("nodes", "switches", "blocks")
OTHER_KEYS = ("linkspeed", "blocksizes", "nestedblocksizes")


def leaves(lines: Iterable[Line]) -> dict[str, str]:
    """The switch, or block, that each node is listed with; of several the first."""
    found: dict[str, str] = {}
    for line in _joined(lines):
        said = _pairs(line)
        name = next((said[key] for key in NAMES if key in said), None)
        if name is None:
            if set(said) & set(CHILDREN):
                raise Damaged(line.number, "has children, but no SwitchName=")
            continue
        if not set(said) & set(CHILDREN):
            raise Damaged(line.number, f"{quoted(name)} has neither Nodes= nor Switches=")
        _names(line.number, said.get("switches", ""))  # of no use here, but a damaged list is a damaged file
        for host in _names(line.number, said.get("nodes", "")):
            found.setdefault(host, name)
        if len(found) > MOST_HOSTS:
            raise Damaged(line.number, f"is beyond {MOST_HOSTS} hosts")
    return found


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines without comments, each with those that it goes on in; those with nothing in them left out."""
    begun: list[Line] = []
    for line in lines:
        text = line.text.partition("#")[0].rstrip()
        begun.append(Line(line.number, text.removesuffix("\\")))
        if not text.endswith("\\"):
            yield from _whole(begun)
            begun = []
    yield from _whole(begun)


def _whole(parts: list[Line]) -> Iterator[Line]:
    text = " ".join(part.text for part in parts)
    if text.strip():
        yield Line(parts[0].number, text)


def _pairs(line: Line) -> dict[str, str]:
    said: dict[str, str] = {}
    at = 0
    while line.text[at:].strip():
        match = PAIR.match(line.text, at)
        if match is None:
            raise Damaged(line.number, f"{quoted(line.text[at:].strip())} is not of the form Key=value")
        key = match[1].lower()
        if key not in NAMES + CHILDREN + OTHER_KEYS:
            raise Damaged(
                line.number, f"{quoted(match[1])} is no key of topology.conf; SwitchName, Nodes, Switches are"
            )
        if key in said:
            raise Damaged(line.number, f"has {match[1]} twice")
        said[key] = match[2].strip('"')
        at = match.end()
    return said


def _names(number: int, text: str) -> list[str]:
    try:
        return expanded(text) if text else []
    except ValueError as error:
        raise Damaged(number, f"{quoted(text)} {error}") from None
