"""Lists of hosts as n[1-4,7], through ClusterShell; nothing in them is taken for a group or an operator of its."""

import math
import re
from collections.abc import Iterable

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

MOST_HOSTS = 1_000_000
MOST_NAMES = 5  # of a list that cannot be folded
NO_LIST = "is no list of names such as n[1-4,7]"
PLAIN = re.compile(r"[\w.\-]+")
HOST_LIST = re.compile(r"[\w.\-,\[\]]+")  # ClusterShell would obey @, ! and &, and take / and % for its own
PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
RANGES = re.compile(r"\[([^\]]*)\]")


def expanded(text: str) -> list[str]:
    """The hosts of a list. Raises ValueError where it is none, or has more than MOST_HOSTS."""
    parts = PART.findall(text)
    if not HOST_LIST.fullmatch(text) or ",".join(parts) != text:
        raise ValueError(NO_LIST)
    try:
        if sum(map(how_many, parts)) > MOST_HOSTS:
            raise OverflowError
        return [name for part in parts for name in _expanded(part)]
    except OverflowError:
        raise ValueError(f"has more than {MOST_HOSTS} names") from None
    except (NodeSetException, ValueError):
        raise ValueError(NO_LIST) from None


def _expanded(part: str) -> Iterable[str]:
    """One part alone: together a hundred thousand took ClusterShell 5 s, one by one 0.2 s."""
    return map(str, NodeSet(part, resolver=RESOLVER_NOGROUP)) if "[" in part else (part,)


def folded(names: Iterable[str]) -> str:
    """The shortest text for many hosts, `n[1-4,7]`; names that are none of a host are listed, of many the first."""
    names = list(names)
    if all(map(PLAIN.fullmatch, names)):
        return str(NodeSet.fromlist(names, resolver=RESOLVER_NOGROUP))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def how_many(name: str) -> int:
    """How many hosts n[1-4,7] is at most, before any memory is taken for them. Raises ValueError where that is none."""
    return math.prod(sum(map(_length, ranges.split(","))) for ranges in RANGES.findall(name))


def _length(part: str) -> int:
    first, _, last = part.partition("/")[0].partition("-")  # 1-9/2: every second one, of which expanded() knows nothing
    length = int(last or first) - int(first) + 1
    if length < 1:  # or it would make up for a list that is too long
        raise ValueError
    return length
