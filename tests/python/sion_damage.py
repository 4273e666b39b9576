"""The corpus of damaged SION files: each recipe damages a valid file of four ranks with an all-to-all."""

import struct
from collections.abc import Callable

import numpy as np

from make_sion import HEAD, random_run, sion, streams

Recipe = Callable[[bytes], bytes]
RANKS, DATA = 4, 4096  # ranks, and where rank 0's data begins
RUN = random_run(7, RANKS, True)
GOOD = sion(streams(RUN))
LENGTHS = [len(part) for part in streams(RUN)]
SECOND = DATA + LENGTHS[0]  # where rank 1's data begins
END = DATA + sum(LENGTHS)  # where the second head begins
HOST, SETTINGS, SUMMARY, TIMES = (DATA + at for at in (17, 289, 329, 409))
STEPS = TIMES + 8 * RANKS
TOGETHER = STEPS + 4 * RANKS
AGAIN = TOGETHER + 8 * RANKS
FROM = AGAIN + 16 * RANKS
TASKS, CHUNKS_AT = 24, 1076 + 8 * RANKS


def put(at: int, form: str, *values: float | bytes) -> Recipe:
    """A recipe that overwrites numbers at an offset, little-endian."""

    def apply(good: bytes) -> bytes:
        raw = struct.pack("<" + form, *values)
        return good[:at] + raw + good[at + len(raw) :]

    return apply


def cut(at: int) -> Recipe:
    return lambda good: good[:at]


def both(*recipes: Recipe) -> Recipe:
    def apply(good: bytes) -> bytes:
        for recipe in recipes:
            good = recipe(good)
        return good

    return apply


def ranks_in_a_short_file(ranks: int) -> Recipe:
    return lambda good: put(TASKS, "i", ranks)(good)[:8192].ljust(8192, b"\0")


def with_streams(change: Callable[[list[bytes]], list[bytes]]) -> Recipe:
    """A valid container of damaged streams."""
    return lambda good: sion(change(streams(RUN)))


def a_rank_of(version: tuple[int, int, int]) -> Recipe:
    return put(SECOND + 5, "3i", *version)


def sparse(good: bytes) -> bytes:
    """The rank count of a larger file, with nothing after the head."""
    ranks = 20000
    head = good[:TASKS] + struct.pack("<i", ranks) + good[TASKS + 4 : 1076]
    length = 289 + 20 * ranks
    head += np.arange(ranks, dtype="<i8").tobytes() + np.full(ranks, length, "<i8").tobytes()
    return head + struct.pack("<iq", 1, HEAD + 16 * ranks)


NAN, INF = float("nan"), float("inf")
REFUSED: dict[str, Recipe] = {
    # truncated, as by a full disk
    "nothing": cut(0),
    "two bytes": cut(2),
    "the magic alone": cut(4),
    "half an endianness word": cut(6),
    "cut in the head": cut(30),
    "cut in the name": cut(500),
    "cut in the ranks": cut(1080),
    "cut in the chunk sizes": cut(CHUNKS_AT + 12),
    "cut before the second head's place": cut(HEAD + 16 * RANKS - 4),
    "cut behind the head": cut(HEAD + 16 * RANKS),
    "cut in the data of rank 0": cut(DATA + 100),
    "cut in the data of the last rank": cut(END - 8),
    "cut before the second head": cut(END),
    "cut in the second head": cut(END + 20),
    "one byte short": cut(len(GOOD) - 1),
    # the head
    "another magic": put(0, "4s", b"noise"[:4]),
    "an endianness word that contradicts itself": put(4, "4B", 0, 1, 0, 0),
    "an endianness word of the documentation": put(4, "4B", 1, 0, 0, 0),
    "an endianness word of letters": put(4, "4s", b"ABBA"),
    "the other byte order in the head": put(4, "4B", 1, 0, 0, 1),
    "the other byte order in the data": put(4, "4B", 0, 1, 1, 0),
    "format 0": put(16, "i", 0),
    "format 1": put(16, "i", 1),
    "format 6": put(16, "i", 6),
    "format below zero": put(16, "i", -5),
    "block size 0": put(20, "i", 0),
    "block size below zero": put(20, "i", -4096),
    "another block size": put(20, "i", 1000),
    "no rank": put(TASKS, "i", 0),
    "ranks below zero": put(TASKS, "i", -4),
    "as many ranks as there are numbers": put(TASKS, "i", 2**31 - 1),
    "a million ranks in 8 KiB": ranks_in_a_short_file(1_000_000),
    "a thousand ranks in 8 KiB": ranks_in_a_short_file(1000),
    "one rank less": put(TASKS, "i", RANKS - 1),
    "one rank more": put(TASKS, "i", RANKS + 1),
    "twenty thousand ranks and nothing else": sparse,
    "several files": put(28, "i", 16),
    "no files": put(28, "i", 0),
    "the second of one file": put(32, "i", 1),
    "keys among the values": put(36, "q", 51 << 32),
    "a rank that does not exist": put(1076, "q", RANKS),
    "a rank twice": put(1076, "q", 1),
    "a rank below zero": put(1076, "q", -1),
    "a chunk below zero": put(CHUNKS_AT, "q", -1),
    "a chunk without end": put(CHUNKS_AT, "q", 2**62),
    "chunks that add up to more than there are numbers": put(CHUNKS_AT, "4q", *[2**62] * 4),
    "a chunk smaller than what is in it": put(CHUNKS_AT, "q", 100),
    "a chunk of nothing": put(CHUNKS_AT + 8, "q", 0),
    "never closed": put(1076 + 16 * RANKS, "iq", 0, 0),
    "no chunks": put(1076 + 16 * RANKS, "i", 0),
    "several chunks": put(1076 + 16 * RANKS, "i", 2),
    "chunks without end": put(1076 + 16 * RANKS, "i", 2**31 - 1),
    "chunks below zero": put(1076 + 16 * RANKS, "i", -1),
    "the second head at the beginning": put(1080 + 16 * RANKS, "q", 0),
    "the second head in the first": put(1080 + 16 * RANKS, "q", 52),
    "the second head in the data": put(1080 + 16 * RANKS, "q", DATA + 64),
    "the second head behind the end": put(1080 + 16 * RANKS, "q", len(GOOD) + 1),
    "the second head without end": put(1080 + 16 * RANKS, "q", 2**63 - 1),
    "the second head below zero": put(1080 + 16 * RANKS, "q", -8),
    # the second head
    "a rank without chunks": put(END, "q", 0),
    "a rank with many chunks": put(END, "q", 2**40),
    "bytes below zero": put(END + 8 * RANKS, "q", -1),
    "bytes without end": put(END + 8 * RANKS, "q", 2**62),
    "one byte less": put(END + 8 * RANKS, "q", LENGTHS[0] - 1),
    "one byte more": put(END + 8 * RANKS, "q", LENGTHS[0] + 1),
    "no bytes": put(END + 8 * RANKS + 8, "q", 0),
    # the payload
    "no id": put(DATA, "5s", b"LINKT"),
    "no id of another rank": put(SECOND, "5s", bytes(5)),
    "a page of zeros": put(DATA, "400s", bytes(400)),
    "a version 2": put(DATA + 5, "3i", 2, 1, 0),
    "a version 0": put(DATA + 5, "i", 0),
    "a rank of another version": a_rank_of((1, 3, 0)),
    "a rank of a later version": a_rank_of((1, 4, 0)),
    "a host without end": put(HOST, "256s", b"h" * 256),
    "no messages": put(SETTINGS, "i", 0),
    "messages below zero": put(SETTINGS, "i", -3),
    "bytes of a message below zero": put(SETTINGS + 4, "i", -1),
    "an all-to-all that is not there": both(lambda good: sion(streams(random_run(7, RANKS, False))),
                                            put(SETTINGS + 8, "i", 1)),
    "an all-to-all that is not announced": put(SETTINGS + 8, "i", 0),
    "several ranks in a stream": put(SETTINGS + 12, "i", 32),
    "a summary that is not a number": put(SUMMARY, "d", NAN),
    "a summary without end": put(SUMMARY + 8, "d", INF),
    "a time that is not a number": put(TIMES + 8, "d", NAN),
    "a time without end": put(TIMES + 8, "d", INF),
    "a time below zero": put(TIMES + 8, "d", -1e-6),
    "a time above all": put(TIMES + 8, "d", 1e300),
    "a step below zero": put(STEPS + 4, "i", -1),
    "a step without end": put(STEPS + 4, "i", 2**31 - 1),
    "an all-to-all that is not a number": put(TOGETHER + 8, "d", NAN),
    "a second time that is not a number": put(AGAIN, "d", NAN),
    "a first time below zero": put(AGAIN + 8 * RANKS, "d", -1.0),
    "a slow link from a rank that does not exist": put(FROM, "i", RANKS),
    "a slow link to a rank below zero": put(FROM + 4 * RANKS, "i", -1),
    "a stream that is too short": with_streams(lambda parts: [*parts[:2], parts[2][:-4], parts[3]]),
    "a stream that is too long": with_streams(lambda parts: [*parts[:2], parts[2] + bytes(4), parts[3]]),
    "a stream that is far too long": with_streams(lambda parts: [*parts[:2], parts[2] + bytes(10**6), parts[3]]),
    "streams that changed places": with_streams(lambda parts: [parts[1], parts[0], *parts[2:]]),
    "one rank alone": lambda good: sion(streams(random_run(7, 2, False))[:1]),
}  # fmt: skip
