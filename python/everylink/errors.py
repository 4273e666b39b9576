"""The errors that Everylink raises. Each carries a message of one line and an exit code.

EverylinkError              1  a failure of the machine or of Everylink
├── CoreError               1  everylink-measure is missing, has another version, or was killed by a signal
├── NotEnoughMemory         1  the message gives the memory needed and the memory available
└── UserMistake             2  the message names the option or file, and how to correct it
    └── ResultsError        2  a file that cannot be read as results
        ├── FileMissing        the file does not exist
        ├── FileUnreadable     a folder, or no permission
        ├── FileOfAnotherKind  empty, or a file of another program
        ├── FileOfNewerVersion written by a newer Everylink
        └── FileDamaged        truncated, incomplete or inconsistent
            └── RowsDamaged    found while rows of a large file are read: who reads again finds them left out
"""

from pathlib import Path

from everylink.exit_codes import Exit


class EverylinkError(Exception):
    """A failure of the machine or of Everylink. `exit_code` is the exit code of the command."""

    exit_code: int = Exit.FAILURE


class CoreError(EverylinkError):
    """everylink-measure cannot be used, or was killed."""


class NotEnoughMemory(EverylinkError):
    """The request needs more memory than is available."""


class UserMistake(EverylinkError):
    """An error that the user can correct. The message is one line."""

    exit_code = Exit.MISTAKE


class ResultsError(UserMistake):
    """The results file `path` cannot be read, for `reason`."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class FileMissing(ResultsError):
    """The file does not exist."""


class FileUnreadable(ResultsError):
    """The path is a folder, or its permissions forbid reading."""


class FileOfAnotherKind(ResultsError):
    """The file is empty or belongs to another program."""


class FileOfNewerVersion(ResultsError):
    """The format version of the file is newer than this program."""


class FileDamaged(ResultsError):
    """The file is truncated, incomplete or inconsistent."""


class RowsDamaged(FileDamaged):
    """Rows of a large file are damaged, which showed while they were read. Who reads the file again finds them left
    out: it is then looked through as a whole before anything is made of it."""
