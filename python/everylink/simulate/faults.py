"""Faults that can be planted in a simulated cluster, and the text that plants them."""

import re
from dataclasses import dataclass

from everylink.errors import UserMistake

FORMS = {
    "slow-host": ("NAME*RATE", "every message from and to a host at this part of its bandwidth"),
    "slow-send": ("NAME*RATE", "every message from a host"),
    "slow-receive": ("NAME*RATE", "every message to a host"),
    "slow-rank": ("NAME:RANK*RATE", "every message from and to one rank; RANK counts on its host"),
    "slow-link": ("NAME>NAME*RATE", "messages from one host to another"),
    "slow-group": ("NAME*RATE", "messages between a group and the others"),
    "slow-trunk": ("NAME>NAME*RATE", "messages from one group to another"),
    "slow-within": ("NAME*RATE", "messages between the ranks of one host"),
    "delay-host": ("NAME*FACTOR", "latency of every message from and to a host, times FACTOR"),
    "jitter-host": ("NAME", "one in twelve messages from and to a host comes late"),
    "dark": ("NAME>NAME", "nothing arrives from one host at another"),
    "dark-host": ("NAME", "nothing arrives from or at a host"),
    "corrupt": ("NAME>NAME", "wrong bytes arrive"),
}
PATTERN = re.compile(r"(?P<first>[^>*]+)(?:>(?P<second>[^>*]+))?(?:\*(?P<factor>[0-9.eE+-]+))?")


@dataclass(frozen=True)
class Fault:
    """`kind` is one of FORMS; `subject` has one name, or two of a link; `factor` is 1 where the kind has none."""

    kind: str
    subject: tuple[str, ...]
    factor: float = 1.0

    def __str__(self) -> str:
        text = f"{self.kind}:{'>'.join(self.subject)}"
        return f"{text}*{self.factor:g}" if "*" in FORMS[self.kind][0] else text


def parse_fault(text: str) -> Fault:
    """Read one --fault. Raises UserMistake, which says what would work."""
    kind, _, rest = text.partition(":")
    if kind not in FORMS:
        raise UserMistake(f"--fault {text}: there is no fault '{kind}'; there are {', '.join(FORMS)}")
    form = FORMS[kind][0]
    match = PATTERN.fullmatch(rest)
    if not match or (match["second"] is not None) != (">" in form) or (match["factor"] is not None) != ("*" in form):
        raise UserMistake(f"--fault {text}: wanted is {kind}:{form}")
    names = (match["first"],) if match["second"] is None else (match["first"], match["second"])
    return Fault(kind, names, _factor(text, kind, match["factor"]))


def _factor(text: str, kind: str, word: str | None) -> float:
    if word is None:
        return 1.0
    try:
        factor = float(word)
    except ValueError:
        factor = float("nan")
    if kind.startswith("slow") and not 0 < factor < 1:
        raise UserMistake(f"--fault {text}: the part that is left of the bandwidth lies between 0 and 1")
    if kind.startswith("delay") and not 1 < factor < 1e6:
        raise UserMistake(f"--fault {text}: the factor of the latency is larger than 1")
    return factor
