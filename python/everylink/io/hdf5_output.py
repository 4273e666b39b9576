"""Writes HDF5 files so that a full disk is an exception. HDF5 itself would crash at the exit of the program."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py


class _Output(io.FileIO):
    """A file that keeps the first failure for the end: HDF5 cannot close a file of which a write failed."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        rest = memoryview(data)
        while len(rest) and self.failure is None:
            try:
                rest = rest[super().write(rest) :]
            except OSError as error:
                self.failure = error
        return len(data)

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.failure = self.failure or error
            return self.tell() if size is None else size


@contextmanager
def opened_for_writing(path: Path, mode: str, behind: int = 0) -> Iterator[Any]:
    """An HDF5 file; mode `w` makes it, `r+` changes it. Raises OSError, at the latest when it is closed.

    `behind`: bytes left free in front of it; 0, or a power of two from 512 on.
    """
    with _Output(path, "w+" if mode == "w" else mode) as output:
        try:
            place = {"userblock_size": behind} if behind else {}
            with h5py.File(output, mode, libver=("v110", "v110"), **place) as file:
                yield file
        except OSError as error:
            raise output.failure or error from None
        if output.failure:
            raise output.failure
