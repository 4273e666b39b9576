"""Recognises files of LinkTest 2. They are SION files, too, with another payload than LinkTest 1's (docs/sion.md).

JSC's wiki documents how the payload begins: "LinkTest SIONlib File Format" for 2.1.17, and "Old LinkTest SIONlib File
Formats" for 2.1.16. Only that beginning is read here.
"""

import re
import struct
from typing import IO

from everylink.files import printable
from everylink.io.sion import HEAD, MAGIC, MOST, ORDERS, TASK
from everylink.units import plural

IDS = (b"LinkTest", b"LKTST")  # of 2.1.17 and later, and of versions up to 2.1.16
MAJOR = 2
COMMIT = 41  # bytes; a NUL ends it up to 2.1.16
LONGEST_MODE = 64


def linktest2_of(file: IO[bytes], size: int) -> str:
    """What wrote an opened file of `size` bytes, such as "LinkTest 2.1.17 (8 ranks, mode mpi, commit 0123456789ab)".

    Empty if that is not LinkTest 2, or if the file is too damaged to tell.
    """
    file.seek(0)
    head = file.read(32)
    if len(head) < 32 or not head.startswith(MAGIC) or max(head[4:8]) > 1:
        return ""
    order, data_order = ORDERS[head[4]], ORDERS[head[5]]
    block, ranks = struct.unpack_from(f"{order}2i", head, 20)
    if not (0 < block <= MOST and 0 < ranks <= MOST):
        return ""
    file.seek(min(size, -(-(HEAD + TASK * ranks) // block) * block))
    begin = file.read(max(map(len, IDS)) + 12 + COMMIT + 4 + LONGEST_MODE)
    name = next((one for one in IDS if begin.startswith(one)), b"")
    if not name or len(begin) < len(name) + 12:
        return ""
    version = struct.unpack_from(f"{data_order}3I", begin, len(name))
    if version[0] != MAJOR:
        return ""
    facts = [plural(ranks, "rank"), *_mode_and_commit(begin[len(name) + 12 :], data_order)]
    return f"LinkTest {'.'.join(map(str, version))} ({', '.join(facts)})"


def _mode_and_commit(rest: bytes, order: str) -> list[str]:
    """The mode and the commit, where the bytes are such; other versions may have something else in their place."""
    commit = re.match(rb"[0-9a-f]{12}", rest)
    if not commit or len(rest) < COMMIT + 4:
        return []
    (length,) = struct.unpack_from(f"{order}I", rest, COMMIT)
    mode = rest[COMMIT + 4 : COMMIT + 4 + min(length, LONGEST_MODE)].rstrip(b"\0")
    known = [f"mode {printable(mode.decode())}"] if re.fullmatch(rb"[\w.-]+", mode) else []
    return [*known, f"commit {commit[0].decode()}"]
