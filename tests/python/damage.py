"""The corpus of damaged results files: each recipe damages a valid file of four ranks at 1 B and 64 KiB."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

Recipe = Callable[[Path], None]
HUGE = 2**40


def inside(change: Callable[[Any], None]) -> Recipe:
    """A recipe that changes the opened file."""

    def apply(path: Path) -> None:
        with h5py.File(path, "a", libver=("v110", "v110")) as file:
            change(file)

    return apply


def attribute(name: str, value: Any, node: str = "/") -> Recipe:
    return inside(lambda file: file[node].attrs.__setitem__(name, value))


def without(node: str) -> Recipe:
    return inside(lambda file: file.__delitem__(node))


def column(node: str, **made: Any) -> Recipe:
    """A recipe that replaces a column with another dataset."""

    def change(file: Any) -> None:
        del file[node]
        file.create_dataset(node, **made)

    return inside(change)


def first_value(node: str, value: Any) -> Recipe:
    return inside(lambda file: file[node].__setitem__(0, value))


def instead(node: str, link: Any) -> Recipe:
    """A recipe that replaces an object with a group, or with a link to elsewhere."""

    def change(file: Any) -> None:
        del file[node]
        file[node] = link

    return inside(change)


def bytes_at(at: int, content: bytes) -> Recipe:
    def apply(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[at : at + len(content)] = content
        path.write_bytes(data)

    return apply


def cut_to(part: float) -> Recipe:
    def apply(path: Path) -> None:
        path.write_bytes(path.read_bytes()[: int(part * path.stat().st_size)])

    return apply


def column_elsewhere(path: Path) -> None:
    """A column stored externally: the bytes of any file that the reader may open."""

    def change(file: Any) -> None:
        del file["sizes/1/n"]
        file.create_dataset("sizes/1/n", (12,), "u4", external=[("/etc/passwd", 0, 48)])

    inside(change)(path)


def column_that_is_virtual(path: Path) -> None:
    def change(file: Any) -> None:
        del file["sizes/1/n"]
        layout = h5py.VirtualLayout((12,), "u4")
        layout[:] = h5py.VirtualSource(file["sizes/65536/n"])
        file.create_virtual_dataset("sizes/1/n", layout)

    inside(change)(path)


def rows_and_columns_that_are_not_there(path: Path) -> None:
    """A dataset of terabytes that takes no space in the file: its chunks were never written."""

    def change(file: Any) -> None:
        for size in ("1", "65536"):
            for item in file[f"sizes/{size}"].values():
                item.resize((HUGE,))
        file.attrs["rows"] = np.uint64(HUGE)

    inside(change)(path)


def ranks_that_are_not_there(path: Path) -> None:
    def change(file: Any) -> None:
        for name, item in list(file["ranks"].items()):
            dtype, whole = item.dtype, item[:]
            del file[f"ranks/{name}"]
            file.create_dataset(f"ranks/{name}", (10**9,), dtype, chunks=(4096,), maxshape=(None,))[:4] = whole
        file.attrs["ranks"] = 10**9

    inside(change)(path)


def many_sizes_that_are_one(path: Path) -> None:
    """A thousand hard links to one group: small on disk, large in memory."""

    def change(file: Any) -> None:
        for i in range(1000):
            file[f"sizes/again{i}"] = file["sizes/1"]

    inside(change)(path)


def a_bomb(path: Path) -> None:
    """Gigabytes of zeros, compressed to little space in the file."""

    def change(file: Any) -> None:
        del file["steps/began"]
        column = file.create_dataset("steps/began", (2**27,), "f8", chunks=(2**22,), compression="gzip")
        for at in range(0, 2**27, 2**22):
            column.id.write_direct_chunk((at,), zeros)
        for name in ("iteration", "seed", "overlap", "gone"):
            del file[f"steps/{name}"]
            file[f"steps/{name}"] = file["steps/began"]
        file.attrs["steps"] = np.uint64(2**27)

    import zlib

    zeros = zlib.compress(bytes(2**25), 1)
    inside(change)(path)


# Refused, each in one line.
REFUSED: dict[str, Recipe] = {
    "empty": cut_to(0),
    "one byte": cut_to(1e-5),
    "half": cut_to(0.5),
    "all but the end": cut_to(0.99),
    "no signature": bytes_at(0, b"\x00"),
    "superblock of no version": bytes_at(8, b"\x7f"),
    "superblock that is open for writing": bytes_at(11, b"\x05"),
    "end of file far behind the end": bytes_at(28, b"\xff" * 7),
    "root group nowhere": bytes_at(36, b"\xff" * 8),
    "a wrong sum": bytes_at(44, b"\x00" * 4),
    "a block of zeros": bytes_at(48, bytes(512)),
    "no format": inside(lambda file: file.attrs.__delitem__("format")),
    "format of another": attribute("format", np.bytes_(b"linktest")),
    "format that is a number": attribute("format", 7),
    "version 0": attribute("format_version", 0),
    "version that is text": attribute("format_version", np.bytes_(b"one")),
    "version that is many": attribute("format_version", [1, 1]),
    "no ranks": attribute("ranks", 0),
    "one rank": attribute("ranks", 1),
    "more ranks than rows of /ranks": attribute("ranks", 5),
    "ranks without end": attribute("ranks", np.uint64(2**64 - 1)),
    "ranks below zero": attribute("ranks", -4),
    "half a rank": attribute("ranks", 3.5),
    "ranks that are not a number": attribute("ranks", float("nan")),
    "ranks that are endless": attribute("ranks", float("inf")),
    "ranks that are nothing": attribute("ranks", h5py.Empty("i4")),
    "rows below zero": attribute("rows", -1),
    "rows without end": attribute("rows", np.uint64(HUGE)),
    "rows that are complex": attribute("rows", 12 + 1j),
    "steps without end": attribute("steps", np.uint64(HUGE)),
    "a missing attribute": inside(lambda file: file.attrs.__delitem__("seed")),
    "complete that is neither yes nor no": attribute("complete", 2),
    "a kernel that is a number": attribute("kernel", 1),
    "a time limit that is text": attribute("time_limit", np.bytes_(b"long")),
    "size below zero": attribute("bytes", -1, "sizes/1"),
    "size beyond all": attribute("bytes", np.uint64(2**63), "sizes/1"),
    "a size twice": attribute("bytes", 65536, "sizes/1"),
    "no size of a size": inside(lambda file: file["sizes/1"].attrs.__delitem__("bytes")),
    "no /ranks": without("ranks"),
    "no /steps": without("steps"),
    "no /sizes": without("sizes"),
    "no column": without("sizes/1/outcome"),
    "no hosts": without("ranks/host"),
    "/sizes is a column": instead("sizes", np.zeros(12, "u4")),
    "/ranks is a column": instead("ranks", np.zeros(4, "u4")),
    "a size is a column": instead("sizes/1", np.zeros(12, "u4")),
    "a column is a group": inside(lambda file: (file.__delitem__("sizes/1/n"), file.create_group("sizes/1/n"))[0]),
    "a column is one number": instead("sizes/1/n", np.uint32(1)),
    "a column is a table": instead("sizes/1/n", np.zeros((12, 2), "u4")),
    "a column is nothing": instead("sizes/1/n", h5py.Empty("u4")),
    "a column is too short": instead("sizes/1/n", np.zeros(11, "u4")),
    "a column of text": instead("sizes/1/n", [b"1"] * 12),
    "a column of signed numbers": instead("sizes/1/n", np.full(12, -1, "i8")),
    "a column of larger numbers": instead("sizes/1/from", np.full(12, 2**40, "u8")),
    "a column of fractions": instead("sizes/1/to", np.full(12, 0.5)),
    "a column of records": instead("sizes/1/n", np.zeros(12, [("a", "u4")])),
    "hosts that are numbers": instead("ranks/host", np.zeros(4, "u4")),
    "names of variable length": column("ranks/host", data=["n"] * 4, dtype=h5py.string_dtype()),
    "text of variable length": attribute("command", "everylink-measure"),
    "remarks that are numbers": inside(lambda file: file.__setitem__("remarks", np.zeros(3))),
    "a time limit that is no number": attribute("time_limit", float("nan")),
    "a time limit below zero": attribute("time_limit", -1.0),
    "an endless run time": attribute("min_runtime", float("inf")),
    "a host that does not exist": first_value("ranks/host_index", 4),
    "a link to another file": instead("sizes/1", h5py.ExternalLink("/dev/zero", "/")),
    "a link to nowhere": instead("sizes/1/n", h5py.SoftLink("/nowhere")),
    "a link in a circle": instead("sizes", h5py.SoftLink("/sizes")),
    "a group in itself": inside(lambda file: file.__setitem__("sizes/2", file["/"])),
    "a column elsewhere": column_elsewhere,
    "a virtual column": column_that_is_virtual,
    "terabytes of rows": rows_and_columns_that_are_not_there,
    "a billion ranks": ranks_that_are_not_there,
    "many sizes that are one": many_sizes_that_are_one,
    "a bomb": a_bomb,
}
# Unusual, or a row that is left out.
READ: dict[str, Recipe] = {
    "names that no terminal should obey": first_value("ranks/host", "\x1b]0;owned\x07\r\n\u202e".encode()),
    "names in no encoding": first_value("ranks/host", b"\xff\xfe\xed\xa0\x80"),
    "an empty name": first_value("ranks/host", ""),
    "a command in no encoding": attribute("transport", np.bytes_(b"\xff\xfe")),
    "a rank that does not exist": first_value("sizes/1/to", 4),
    "a link to itself": first_value("sizes/1/to", 0),
    "outcomes that do not exist": first_value("sizes/1/outcome", 255),
    "attempts that do not exist": first_value("sizes/1/attempt", 255),
    "a step beyond the last": first_value("sizes/1/step", 2**32 - 1),
    "an endless time": first_value("sizes/65536/median", np.inf),
    "a time below zero": first_value("sizes/65536/median", -1),
    "the least time": first_value("sizes/65536/median", 1e-45),
    "the longest time": first_value("sizes/65536/median", 3e38),
    "means beyond all times": column("sizes/65536/mean", data=np.full(12, 6e37, "f4")),
    "readings without number": first_value("sizes/65536/n", 2**32 - 1),
    "overlap that is none": first_value("steps/overlap", -np.inf),
    "the largest size": attribute("bytes", 2**62, "sizes/65536"),
    "narrower numbers": column("sizes/65536/n", data=np.ones(12, "u2")),
    "numbers the other way round": column("sizes/65536/n", data=np.ones(12, ">u4")),
    "compressed": column("sizes/65536/n", data=np.ones(12, "u4"), chunks=(12,), compression="gzip"),
}


def flip(path: Path, name: str, entry: int, bit: int = 0) -> None:
    """Flip one bit of an entry of a column, as a disk does: nothing but that is written."""
    with h5py.File(path, "r", locking=False) as file:
        column = file[name]
        (chunk,) = column.chunks or column.shape
        begin = column.id.get_offset()
        if column.chunks:
            begin = column.id.get_chunk_info_by_coord((entry // chunk * chunk,)).byte_offset
        at = begin + entry % chunk * column.dtype.itemsize
    data = bytearray(path.read_bytes())
    data[at + bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
