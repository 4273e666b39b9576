"""A judgement as the answer of a plugin for Nagios, Icinga and others that take its format.

The format is that of https://nagios-plugins.org/doc/guidelines.html: one line, performance data behind a bar, and the
exit codes 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import pairwise

from everylink.errors import EverylinkError
from everylink.exit_codes import Exit
from everylink.judge.verdict import Conclusion, Judgement
from everylink.text.verdicts import title


class State(IntEnum):
    """What a plugin answers; the value is its exit code."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


STATES = {Exit.FINE: State.OK, Exit.UNDECIDED: State.WARNING, Exit.FAULTS: State.CRITICAL}
FORM = "nagios"


def nagios_line(headline: str, judgement: Judgement, conclusion: Conclusion) -> str:
    """The line, with the first verdict in it."""
    state = STATES[conclusion.exit_code]
    first = [title(verdict) for verdict in judgement.verdicts[:1]]
    counts = {
        "links": judgement.links_measured,
        "failed": judgement.links_failed,
        "faults": len(judgement.verdicts),
        "suspects": len(judgement.suspects),
    }
    data = " ".join(f"{name}={count};;;0" for name, count in counts.items())
    return f"{_line(state, '; '.join([headline, *first]))} | {data}"


def as_plugin(main: Callable[[Sequence[str]], int]) -> Callable[[Sequence[str]], int]:
    """The main function of a command that judges. With --format nagios its errors are an answer, and its exit code is
    that of a plugin."""

    def plugin(arguments: Sequence[str]) -> int:
        if not _wants_nagios(arguments):
            return main(arguments)
        try:
            return STATES[Exit(main(arguments))]
        except (EverylinkError, OSError, MemoryError) as error:
            print(_line(State.UNKNOWN, str(error) or type(error).__name__))
            return State.UNKNOWN

    return plugin


def _wants_nagios(arguments: Sequence[str]) -> bool:
    return f"--format={FORM}" in arguments or ("--format", FORM) in pairwise(arguments)


def _line(state: State, text: str) -> str:
    return f"EVERYLINK {state.name} - {' '.join(text.replace('|', '/').split())}"
