"""Host lists such as n[1-4,7], read and written by ClusterShell. Its groups and operators are not accepted here."""

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
from ClusterShell.RangeSet import RangeSet, RangeSetException

MOST_HOSTS = 1_000_000
MOST_NAMES = 5  # shown of a list that cannot be folded
NO_LIST = "is not a list of names such as n[1-4,7]"
# What ClusterShell raises; it asserts that ranges are small, of n[1-2]0000000000 too.
NOT_A_SET = (NodeSetException, RangeSetException, ValueError, AssertionError)
PLAIN = re.compile(r"[\w.\-]+")
TOO_LONG = re.compile(r"\d{40}")  # a number that no host has; ClusterShell refuses some of a hundred digits
HOST_LIST = re.compile(r"[\w.\-,\[\]]+")  # excludes @, !, &, / and %, which ClusterShell interprets
PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
RANGES = re.compile(r"\[([^\]]*)\]")
RANGES_BEHIND_A_DIGIT = re.compile(rf"(?<=\d){RANGES.pattern}")


def expanded(text: str) -> list[str]:
    """The hosts of a list. Raises ValueError if it is malformed or names more than MOST_HOSTS hosts."""
    parts = PART.findall(text)
    if not HOST_LIST.fullmatch(text) or ",".join(parts) != text:
        raise ValueError(NO_LIST)
    try:
        if sum(map(how_many, parts)) > MOST_HOSTS:
            raise OverflowError
        names = [name for part in parts for name in names_of(part)]
    except OverflowError:
        raise ValueError(f"has more than {MOST_HOSTS} names") from None
    except NOT_A_SET:
        raise ValueError(NO_LIST) from None
    if any(map(TOO_LONG.search, names)):
        raise ValueError(NO_LIST)
    return names


def names_of(part: str) -> Iterator[str]:
    """The hosts of one name with ranges. It must not name too many (`how_many`); NOT_A_SET has what is raised if it is
    malformed. ClusterShell expands the ranges alone, because its NodeSet (1.10) takes n1[8-11] for n[18-111]."""
    texts_and_ranges = RANGES.split(part)
    pieces = ((text,) if i % 2 == 0 else tuple(RangeSet(text)) for i, text in enumerate(texts_and_ranges))
    return map("".join, itertools.product(*pieces))


def node_set(part: str) -> NodeSet:
    """The same as a set; ClusterShell's groups (@rack1), too. ClusterShell itself reads most parts far quicker."""
    return NodeSet.fromlist(names_of(part)) if _is_taken_wrongly(part) else NodeSet(part)


def _is_taken_wrongly(part: str) -> bool:
    """Whether ClusterShell's NodeSet would join a digit with ranges behind it whose ends differ in length."""
    return any(
        len({len(number) for number in re.findall(r"\d+", ranges)}) > 1
        for ranges in RANGES_BEHIND_A_DIGIT.findall(part)
    )


def folded(names: Iterable[str]) -> str:
    """The shortest text for many hosts, `n[1-4,7]`. If any name is not a host name, the first MOST_NAMES are listed."""
    names = list(names)
    if all(map(PLAIN.fullmatch, names)) and not any(map(TOO_LONG.search, names)):
        return str(NodeSet.fromlist(names, resolver=RESOLVER_NOGROUP))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def folded_numbers(numbers: Iterable[str]) -> str:
    """Numbers as ranges, `1-4,7`."""
    return str(RangeSet(numbers))


def folded_by_reason(reasons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each reason with its hosts as one text, from reasons by host."""
    by_reason = defaultdict(list)
    for host, reason in reasons.items():
        by_reason[reason].append(host)
    return ((folded(hosts), reason) for reason, hosts in by_reason.items())


def how_many(name: str) -> int:
    """Upper bound for the number of hosts in n[1-4,7], found without expanding it. Raises ValueError if malformed."""
    return math.prod(sum(map(_length, ranges.split(","))) for ranges in RANGES.findall(name))


def _length(part: str) -> int:
    first, _, last = part.partition("/")[0].partition("-")  # 1-9/2: every second number, only in node sets
    length = int(last or first) - int(first) + 1
    if length < 1:  # a negative length would offset another list that is too long
        raise ValueError
    return length
