"""NumPy's archive of arrays (.npz) with the contents of a results file, under the same names. All input is checked.

`attributes/ranks` is an attribute of /, `sizes/65536/attributes/bytes` one of a size, `sizes/65536/median` a column.
"""

import io
import lzma
import math
import struct
import sys
import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileOfAnotherKind
from everylink.files import atomic_write, printable
from everylink.io.formats import Format, register
from everylink.io.hdf5 import FAULTS, SMALL, SQUEEZED, Damage, Look, checked_limit
from everylink.io.inventory import INVENTORY, inventory_columns
from everylink.io.results_file import attributes_of, attributes_of_size, columns_of, evened, results_in
from everylink.model.results import Results, entries_of

ATTRIBUTES, SUFFIX = "attributes/", ".npy"
# What zipfile and NumPy raise for damaged files.
NPZ_FAULTS = (
    *FAULTS, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, SyntaxError, tokenize.TokenError,
)  # fmt: skip


def read_results(path: Path) -> Results:
    """Read a file of write_npz(). Raises ResultsError."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            if f"{ATTRIBUTES}format{SUFFIX}" not in members:
                raise FileOfAnotherKind(path, "is an archive, but does not hold results of Everylink")
            if sum(info.file_size for info in archive.infolist()) > SMALL + SQUEEZED * path.stat().st_size:
                raise Damage("its arrays would take far more memory than the file has bytes")
            arrays = {name.removesuffix(SUFFIX): _array(archive, info) for name, info in members.items()}
        return results_in(path, _Tree(arrays, ""))
    except NPZ_FAULTS as error:
        raise FileDamaged(
            path, f"is truncated or damaged: {' '.join(str(error).split()) or type(error).__name__}"
        ) from None


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    """One array. Its size must match its header."""
    data = archive.read(info)
    file = io.BytesIO(data)
    if npy.read_magic(file) != (1, 0):
        raise Damage(f"{printable(info.filename)} has an unknown version")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of headers that Python 2 wrote
        shape, _, dtype = npy.read_array_header_1_0(file)
    count = math.prod(shape)
    most = len(data)
    if dtype.hasobject or len(shape) > 1 or count > most or count * dtype.itemsize != len(data) - file.tell():
        raise Damage(f"{printable(info.filename)} is not a column of {len(data)} bytes")
    if not count * dtype.itemsize:
        return np.empty(shape, dtype)
    if dtype.kind == "U":
        letters = np.frombuffer(data, np.dtype("u4").newbyteorder(dtype.byteorder), offset=file.tell())
        if letters.max() > sys.maxunicode:  # NumPy keeps them, but Python has no such text
            raise Damage(f"{printable(info.filename)} holds text in no encoding")
    return np.frombuffer(data, dtype, count, file.tell()).reshape(shape)


class _Tree:
    """A group of the archive, with the interface of hdf5.Node."""

    def __init__(self, arrays: dict[str, NDArray[Any]], prefix: str) -> None:
        self._arrays, self._prefix = arrays, prefix

    @property
    def name(self) -> str:
        return "/" + printable(self._prefix.removesuffix("/"))

    def has(self, name: str) -> bool:
        path = self._prefix + name
        return path in self._arrays or any(there.startswith(path + "/") for there in self._arrays)

    def has_attribute(self, name: str) -> bool:
        return self.has(ATTRIBUTES + name)

    def group(self, name: str) -> "_Tree":
        return _Tree(self._arrays, f"{self._prefix}{name}/")

    def groups(self) -> list["_Tree"]:
        inside = (name.removeprefix(self._prefix) for name in self._arrays if name.startswith(self._prefix))
        return [self.group(name) for name in sorted({rest.split("/")[0] for rest in inside if "/" in rest})]

    def integer(self, name: str, low: int, high: int) -> int:
        value = self.number(name)
        if value != value or abs(value) == math.inf or not low <= int(self._attribute(name)) <= high:
            raise Damage(f"attribute {name} of {self.name} is {value}; expected {low} to {high}")
        return int(self._attribute(name))

    def number(self, name: str) -> float:
        value = self._attribute(name)
        if value.dtype.kind not in "iufb":
            raise Damage(f"attribute {name} of {self.name} is not a number")
        return float(value)

    def limit(self, name: str) -> float:
        return checked_limit(self.number(name), name, self.name)

    def text(self, name: str) -> str:
        value = self._attribute(name)
        if value.dtype.kind != "U":
            raise Damage(f"attribute {name} of {self.name} is not text")
        return printable(str(value))

    def extent(self, name: str) -> int:
        return len(self._column(name, 0))

    def strings(self, name: str, length: int) -> tuple[str, ...]:
        column = self._column(name, length)
        if column.dtype.kind != "U":
            raise Damage(f"{self.name}/{name} holds {column.dtype}; expected strings")
        return tuple(map(printable, column[:length].tolist()))

    def numbers(self, name: str, kind: type[np.generic], length: int, look: Look | None = None) -> NDArray[Any]:
        column = self._column(name, length)
        if column.dtype.kind not in "uif" or not np.can_cast(column.dtype, kind):
            raise Damage(f"{self.name}/{name} holds {column.dtype}; expected {np.dtype(kind)}")
        if look is not None:
            look(name, 0, column[:length])
        return np.asarray(column[:length], kind)

    def _attribute(self, name: str) -> NDArray[Any]:
        value = self._arrays.get(self._prefix + ATTRIBUTES + name)
        if value is None or value.shape:
            raise Damage(f"attribute {name} of {self.name} is missing")
        return value

    def _column(self, name: str, length: int) -> NDArray[Any]:
        column = self._arrays.get(self._prefix + name)
        if column is None or not column.shape or len(column) < length:
            raise Damage(f"{self.name}/{name} is missing, or has fewer than {length} entries")
        return column


def write_npz(results: Results, force: bool = False) -> list[str]:
    """Write everything to the path of the results. Returns no lines, since nothing is lost. Raises UserMistake."""
    even = evened(results)
    arrays = _named(ATTRIBUTES, attributes_of(even))
    arrays |= _named("ranks/", entries_of(even.ranks)) | _named("steps/", entries_of(even.steps))
    for size in even.sizes:
        arrays |= _named(f"sizes/{size.bytes}/{ATTRIBUTES}", attributes_of_size(size))
        arrays |= _named(f"sizes/{size.bytes}/", columns_of(size.rows))
    if len(even.local_faults):
        arrays |= _named("local_faults/", entries_of(even.local_faults))
    for group, columns in inventory_columns(even.inventory).items():
        arrays |= _named(f"{INVENTORY}/{group}/", columns)
    if even.remarks:
        arrays |= _named("", {"remarks": even.remarks})
    with atomic_write(results.path, force) as new, new.open("wb") as file:
        np.savez(file, **arrays)
    return []


def _named(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    return {prefix + name: np.array(value) for name, value in values.items()}


register(Format(".npz", ".npz", write_npz, b"PK\3\4", read_results))
