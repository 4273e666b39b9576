"""Reads a results file of any format, by what it begins with."""

from importlib import import_module
from pathlib import Path

from everylink.errors import FileDamaged, FileOfAnotherKind
from everylink.files import beginning
from everylink.io.hdf5 import SIGNATURE
from everylink.model.results import Results

READERS = {  # what a file begins with, and the module whose read_results() makes Results of it
    SIGNATURE: "everylink.io.results_file",
    b"sion": "everylink.io.linktest",
    b"PK\3\4": "everylink.io.npz",
}


def read(path: Path | str) -> Results:
    """Read a file of any of our formats by what it begins with, whatever its name; also while it is being written.

    Raises FileMissing, FileUnreadable, FileOfAnotherKind, FileOfNewerVersion or FileDamaged, each one line.
    """
    path = Path(path)
    begins = beginning(path, max(map(len, READERS)))
    for signature, module in READERS.items():
        if begins.startswith(signature):
            # only now, because readers make what is defined above
            results: Results = import_module(module).read_results(path)
            return results
    if any(signature.startswith(begins) for signature in READERS):
        raise FileDamaged(path, "is cut")
    raise FileOfAnotherKind(path, "is not a results file: neither HDF5, nor SION, nor .npz")


def read_links(path: Path | str) -> Results:
    """As `read`, for what asks about links: a file of a load pattern, which has none, is a FileOfAnotherKind."""
    results = read(path)
    if results.loads:
        names = ", ".join(load.name for load in results.loads)
        raise FileOfAnotherKind(
            results.path, f"holds the load pattern {names} and no links; show, report and diagnose take it"
        )
    return results
