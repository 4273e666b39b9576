"""Faults that can be planted in a simulated cluster, and their notation."""

import re
from dataclasses import dataclass

from everylink.errors import UserMistake

FORMS = {
    "slow-host": ("NAME*RATE", "all messages from and to a host have this fraction of the bandwidth"),
    "slow-send": ("NAME*RATE", "all messages from a host"),
    "slow-receive": ("NAME*RATE", "all messages to a host"),
    "slow-rank": ("NAME:RANK*RATE", "all messages from and to one rank; RANK is its number on the host"),
    "slow-link": ("NAME>NAME*RATE", "messages from one host to another"),
    "slow-group": ("NAME*RATE", "messages between a group and the others"),
    "slow-trunk": ("NAME>NAME*RATE", "messages from one group to another"),
    "slow-within": ("NAME*RATE", "messages between the ranks of one host"),
    "delay-host": ("NAME*FACTOR", "all messages from and to a host have FACTOR times the latency"),
    "jitter-host": ("NAME", "one in twelve messages from and to a host is late"),
    "loss-host": (
        "NAME",
        "packets of one in fifty messages from and to a host are lost, and sent again after a timeout",
    ),
    "dark": ("NAME>NAME", "no message from one host reaches the other"),
    "dark-host": ("NAME", "no message leaves or reaches a host"),
    "corrupt": ("NAME>NAME", "messages from one host to another arrive corrupted"),
}
PATTERN = re.compile(r"(?P<first>[^>*]+)(?:>(?P<second>[^>*]+))?(?:\*(?P<factor>[0-9.eE+-]+))?")


@dataclass(frozen=True)
class Fault:
    """`kind` is one of FORMS; `subject` is one name, or two for a link; `factor` is 1 for kinds without one."""

    kind: str
    subject: tuple[str, ...]
    factor: float = 1.0

    def __str__(self) -> str:
        text = f"{self.kind}:{'>'.join(self.subject)}"
        return f"{text}*{self.factor:g}" if "*" in FORMS[self.kind][0] else text


def parse_fault(text: str) -> Fault:
    """Parse one --fault. Raises UserMistake with the valid forms."""
    kind, _, rest = text.partition(":")
    if kind not in FORMS:
        raise UserMistake(f"--fault {text}: unknown fault '{kind}'; use {', '.join(FORMS)}")
    form = FORMS[kind][0]
    match = PATTERN.fullmatch(rest)
    if not match or (match["second"] is not None) != (">" in form) or (match["factor"] is not None) != ("*" in form):
        raise UserMistake(f"--fault {text}: must have the form {kind}:{form}")
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
        raise UserMistake(f"--fault {text}: the remaining fraction of the bandwidth must be between 0 and 1")
    if kind.startswith("delay") and not 1 < factor < 1e6:
        raise UserMistake(f"--fault {text}: the factor of the latency must be above 1 and below 1e6")
    return factor
