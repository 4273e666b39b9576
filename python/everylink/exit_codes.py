"""The exit codes of every command: the one table of them. README.md and the man pages print it."""

from enum import IntEnum


class Exit(IntEnum):
    """What the exit code of a command means."""

    FINE = 0  # nothing bad was found, or the command does not judge
    FAILURE = 1  # a fault of the machine or of Everylink, or a signal ended the run
    MISTAKE = 2  # a mistake in the command; nothing was done
    FAULTS = 3  # something bad was found: a link failed, a verdict, or something became slower
    UNDECIDED = 4  # no fault is proven, but nothing says that there is none
    INTERRUPTED = 130  # Ctrl-C outside a run


MEASURED = (Exit.FINE, Exit.FAULTS, Exit.UNDECIDED)  # of the core: the run is complete

MEANINGS = {
    Exit.FINE: "nothing bad was found; show, report, convert and other commands that do not judge: success",
    Exit.FAILURE: "an error of the machine or of Everylink, or a signal ended the run",
    Exit.MISTAKE: "a mistake in the command; one line names it",
    Exit.FAULTS: "something bad was found: a link failed, a component is faulty, (compare) something became slower, or "
    "(inventory) a host deviates critically from its equals",
    Exit.UNDECIDED: "(check, run, diagnose) no fault is proven, but something looks 1.5 times slower and needs more "
    "measurements, a host lacked the open files, memory or addresses to measure some links, or fewer than half of the "
    "planned links were measured",
}
