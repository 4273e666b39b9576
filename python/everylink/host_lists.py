"""Lists of hosts as n[1-4,7], through ClusterShell; nothing in them is taken for a group or an operator of its."""

import math
import re
from collections.abc import Iterable

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

MOST_HOSTS = 1_000_000
MOST_NAMES = 5  # of a list that cannot be folded
PLAIN = re.compile(r"[\w.\-]+")
HOST_LIST = re.compile(r"[\w.\-,\[\]]+")  # ClusterShell would obey @, ! and &, and take / and % for its own
BETWEEN_HOSTS = re.compile(r",(?![^\[]*\])")
RANGES = re.compile(r"\[([^\]]*)\]")


def expanded(text: str) -> list[str]:
    """The hosts of a list. Raises ValueError where it is none, or has more than MOST_HOSTS."""
    if not HOST_LIST.fullmatch(text):
        raise ValueError("is no list of names such as n[1-4,7]")
    try:
        if sum(map(_count, BETWEEN_HOSTS.split(text))) > MOST_HOSTS:
            raise OverflowError
        return list(map(str, NodeSet(text, resolver=RESOLVER_NOGROUP)))
    except OverflowError:
        raise ValueError(f"has more than {MOST_HOSTS} names") from None
    except (NodeSetException, ValueError):
        raise ValueError("is no list of names such as n[1-4,7]") from None


def folded(names: Iterable[str]) -> str:
    """The shortest text for many hosts, `n[1-4,7]`; names that are none of a host are listed, of many the first."""
    names = list(names)
    if all(map(PLAIN.fullmatch, names)):
        return str(NodeSet.fromlist(names, resolver=RESOLVER_NOGROUP))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _count(name: str) -> int:
    """How many hosts n[1-4,7] is, before any memory is taken for them."""
    return math.prod(sum(map(_length, ranges.split(","))) for ranges in RANGES.findall(name))


def _length(part: str) -> int:
    first, _, last = part.partition("-")
    return int(last or first) - int(first) + 1
