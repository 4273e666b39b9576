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


MEANINGS = {
    Exit.FINE: "nothing bad was found; show, report, convert and other commands that do not judge: success",
    Exit.FAILURE: "an error of the machine or of Everylink, or a signal ended the run",
    Exit.MISTAKE: "a mistake in the command; one line names it",
    Exit.FAULTS: "something bad was found: a link failed, a component is faulty, or (compare) something became slower",
    Exit.UNDECIDED: "(check, run, diagnose) no fault is proven, but something looks 1.5 times slower and needs more "
    "measurements, links could not be measured for want of files, memory or addresses on a host, or less than half of "
    "the planned links was measured",
}
