"""Reads a results file of any format."""

from pathlib import Path

from everylink.errors import FileDamaged, FileOfAnotherKind
from everylink.files import beginning

# isort: off
# Each module registers its format. Messages list formats in this order.
from everylink.io import results_file, linktest, csv_matrix, npz  # noqa: F401

# isort: on
from everylink.io.formats import FORMATS, format_of, longest_signature
from everylink.model.results import Results


def read(path: Path | str) -> Results:
    """Read a results file, even while it is being written. Its first bytes determine the format, not its name.

    Raises FileMissing, FileUnreadable, FileOfAnotherKind, FileOfNewerVersion or FileDamaged, with one-line messages.
    """
    path = Path(path)
    begins = beginning(path, longest_signature())
    if (known := format_of(begins)) is not None and known.read is not None:
        return known.read(path)
    readable = [known for known in FORMATS.values() if known.signature]
    if any(known.signature.startswith(begins) for known in readable):
        raise FileDamaged(path, "is truncated")
    names = ", nor ".join(known.name for known in readable)
    raise FileOfAnotherKind(path, f"is not a results file: neither {names}")
