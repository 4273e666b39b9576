"""All errors that Everylink raises on purpose; each is one line for the user and one exit code.

EverylinkError              1  the machine's fault or ours
├── CoreError               1  everylink-measure is missing, another version, or ended by a signal
├── NotEnoughMemory         1  the line says how much is needed, and how much there is
└── UserMistake             2  the line names the option or the file, and what would work
    └── ResultsError        2  a file that cannot be read as results
        ├── FileMissing        there is no such file
        ├── FileUnreadable     a folder, or no permission
        ├── FileOfAnotherKind  empty, or a file of another program
        ├── FileOfNewerVersion written by a newer Everylink
        └── FileDamaged        cut, or parts are missing or contradict each other
"""

from pathlib import Path


class EverylinkError(Exception):
    """The machine's fault or ours; `exit_code` is what the command ends with."""

    exit_code = 1


class CoreError(EverylinkError):
    """everylink-measure cannot be used, or did not end by itself."""


class NotEnoughMemory(EverylinkError):
    """What was asked for takes more memory than there is."""


class UserMistake(EverylinkError):
    """Something that the user can mend, said in one line."""

    exit_code = 2


class ResultsError(UserMistake):
    """A results file that cannot be read; `path` names it, `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class FileMissing(ResultsError):
    """There is no such file."""


class FileUnreadable(ResultsError):
    """A folder, or a file that may not be read."""


class FileOfAnotherKind(ResultsError):
    """Empty, or a file of another program."""


class FileOfNewerVersion(ResultsError):
    """Its format version is newer than this program."""


class FileDamaged(ResultsError):
    """Cut, or its parts are missing or contradict each other."""
