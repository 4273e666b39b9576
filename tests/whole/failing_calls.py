"""Runs in which one call of one process fails once, as failing_calls.cpp makes it, and what is right of such a run."""

import compileall
import errno
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

import h5py
import numpy as np

import everylink

LIMIT = 60 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))
STARTER, RANK_0, FOLLOWER = -1, 0, 1  # the process that was started, and ranks
OK, TIMEOUT, BROKEN, CORRUPT, ABSENT, PRESUMED, LOCAL = range(7)
RANKS = 4
LINKS = RANKS * (RANKS - 1)
SAME_OF_RANKS = ("host", "host_index", "local_rank", "device", "address")
CORE_OBJECTS = "everylink-measure,core/modules/,libhdf5,libstdc++,libfmt"  # whose calls count
OF_NETWORK = ("ECONNRESET", "ECONNREFUSED", "ETIMEDOUT")  # these do say something of the network
MOST_LINES = 4

# The errors that a kind of call plausibly meets. Of a call that a signal interrupts nothing is ever lost.
ERRORS: dict[str, tuple[str, ...]] = {
    "socket": ("EMFILE", "ENOBUFS"),
    "bind": ("EADDRINUSE", "ENOMEM"),
    "listen": ("EADDRINUSE", "ENOMEM"),
    "accept": ("EMFILE", "ENOMEM", "ECONNABORTED"),
    "connect": ("EADDRNOTAVAIL", "ENOMEM", "ECONNREFUSED"),
    "sockopt": ("ENOBUFS", "ENOMEM"),
    "sockname": ("ENOBUFS",),
    "epoll": ("ENOMEM",),
    "poll": ("ENOMEM", "EINTR"),
    "send": ("ENOBUFS", "EINTR", "ECONNRESET"),
    "recv": ("ENOMEM", "EINTR", "ECONNRESET"),
    "write": ("ENOSPC", "EIO"),
    "read": ("EIO", "ENOMEM"),
    "open": ("EMFILE", "ENOMEM"),
    "stat": ("EIO", "ENOMEM"),
    "seek": ("EIO",),
    "fsync": ("EIO",),
    "truncate": ("ENOSPC", "EIO"),
    "rename": ("EIO", "ENOSPC"),
    "unlink": ("EIO",),
    "mkdir": ("ENOSPC",),
    "mmap": ("ENOMEM",),
    "fork": ("EAGAIN", "ENOMEM"),
    "dlopen": ("ENOMEM",),
    "descriptor": ("EMFILE", "ENOMEM"),
    "control": ("ENOMEM",),
    "random": ("ENOSYS", "EINTR"),
    "interfaces": ("ENOMEM",),
    "addresses": ("EAI_MEMORY",),
    "thread": ("EAGAIN",),
    "process": ("EINTR",),
    "hwloc": ("ENOMEM",),
    "hdf5": ("EIO",),
    "new_": ("ENOMEM",),
}
EAI_MEMORY = -10  # of glibc, which errno does not have


@dataclass(frozen=True)
class Failure:
    """The `at`-th call of a kind fails in a process."""

    kind: str
    process: int
    at: int
    error: str

    def __str__(self) -> str:
        where = "the starter" if self.process == STARTER else f"rank {self.process}"
        return f"{self.kind} {self.at} of {where}: {self.error}"

    @property
    def settings(self) -> dict[str, str]:
        number = EAI_MEMORY if self.error == "EAI_MEMORY" else getattr(errno, self.error)
        return {
            "FAILING_CALLS_KIND": self.kind,
            "FAILING_CALLS_PROCESS": str(self.process),
            "FAILING_CALLS_AT": str(self.at),
            "FAILING_CALLS_ERROR": str(number),
        }


Counts = dict[tuple[str, int], int]


@dataclass(frozen=True)
class Ended:
    """What became of a run."""

    failure: Failure | None
    reached: bool  # the call that was to fail took place
    code: int | None  # None: it did not end
    out: str
    err: str
    seconds: float
    counts: Counts
    left: tuple[str, ...]  # processes, and files beside the output

    @property
    def lines(self) -> list[str]:
        return self.err.splitlines()


def library(of_hdf5: bool) -> Path:
    """The library to preload, built with EVERYLINK_TESTS beside the program."""
    program = Path(os.environ["EVERYLINK_MEASURE"]).resolve()
    name = "failing_calls_and_hdf5" if of_hdf5 else "failing_calls"
    return program.parents[1] / f"tests/core/lib{name}.so"


def records(path: Path) -> tuple[Counts, bool]:
    """How many calls there were, and whether one failed."""
    counts, failed = {}, False
    for kind, process, calls, one in struct.iter_unpack("20siII", path.read_bytes()):
        counts[kind.rstrip(b"\0").decode(), process] = calls
        failed |= bool(one)
    return counts, failed


def run(words: Sequence[str], folder: Path, failure: Failure | None, settings: Mapping[str, str]) -> Ended:
    """Run a command in a folder, and end what it leaves."""
    counts, out, err = folder / "counts", folder / "out", folder / "err"
    counts.unlink(missing_ok=True)
    environment = dict(os.environ) | settings | {"FAILING_CALLS_COUNTS": str(counts)}
    if failure:
        environment |= failure.settings
    began = time.monotonic()
    with out.open("w") as to_out, err.open("w") as to_err:
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=to_out, stderr=to_err,
            start_new_session=True,
        )  # fmt: skip
    try:
        code: int | None = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        code = None
    seconds = time.monotonic() - began
    left = [
        f"{name} is left"
        for name in sorted(file.name for file in Path(folder).iterdir())
        if name.endswith((".new", ".tmp"))
    ]
    if code is None or not ends_soon(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        left.append("processes are left")
    number, failed = records(counts) if counts.exists() else ({}, False)
    said = (path.read_text(errors="replace") for path in (out, err))
    return Ended(failure, failed, code, *said, seconds, number, tuple(left))


def ends_soon(group: int) -> bool:
    """No process of the group is left, or none soon."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


usual_ranks: dict["Core", str] = {}  # of runs without a failure


@dataclass(frozen=True)
class Core:
    """A small run of the core: two sizes between four ranks."""

    mode: str
    sysfs: str = "none"  # what is read of the host

    def run(self, folder: Path, failure: Failure | None = None) -> Ended:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        words = f"--np 4 --mode {self.mode} -s 1,4KiB -n 3 -w 0 --num-slowest 0 --time-limit 2 --join-limit 5 -o x.h5"
        settings = {"FAILING_CALLS_OF": CORE_OBJECTS, "LD_PRELOAD": str(library(of_hdf5=True))}
        settings["EVERYLINK_SYSFS"] = self.sysfs
        return run([os.environ["EVERYLINK_MEASURE"], *words.split()], folder, failure, settings)

    def problems(self, ended: Ended, folder: Path) -> list[str]:
        """What is wrong with the run: nothing, one hopes."""
        found = problems_of_ending(ended)
        if ended.code not in (0, 1, 2, 3, 4):
            return found
        path = folder / "x.h5"
        rows = Rows.of(path) if path.exists() else None
        of_network = ended.failure and ended.failure.error in OF_NETWORK
        if rows and rows.fault:
            found.append(f"the file cannot be read: {rows.fault}")
        elif rows and not of_network and (bad := rows.outcomes & {TIMEOUT, BROKEN, CORRUPT, PRESUMED}):
            found.append(f"a verdict on the network: outcomes {sorted(bad)}")
        if ended.code in (0, 3, 4) and not (rows and rows.complete):
            found.append(f"exit code {ended.code}, but the file is not complete")
        if ended.code == 0 and rows and (not rows.outcomes <= {OK, LOCAL} or rows.ok_links != 2 * LINKS):
            found.append(f"exit code 0, but {rows.ok_links} links are ok and the outcomes are {sorted(rows.outcomes)}")
        if ended.code == 3 and rows and not rows.outcomes & {TIMEOUT, BROKEN, CORRUPT, ABSENT, PRESUMED}:
            found.append("exit code 3, but no link failed")
        if ended.failure is None and rows:
            usual_ranks[self] = rows.ranks
        if ended.code == 0 and rows and rows.ranks != usual_ranks.get(self, rows.ranks):
            found.append(f"exit code 0, but /ranks has {rows.ranks}")
        if ended.code in (0, 3, 4) and rows and rows.damage:
            found.append(f"exit code {ended.code}, but the file is damaged: {rows.damage}")
        if ended.code == 4 and rows and LOCAL not in rows.outcomes:
            found.append("exit code 4, but no link is local")
        if ended.code == 2:
            found.append("exit code 2, but nobody made a mistake")
        if ended.code == 3 and not of_network and not ended.lines:
            found.append("exit code 3 without a word")
        return found


def problems_of_ending(ended: Ended) -> list[str]:
    """What no command ever does."""
    found = list(ended.left)
    if ended.code is None:
        found.append(f"it does not end within {LIMIT:.0f} s")
    elif ended.code < 0:
        found.append(f"ended by signal {-ended.code}")
    if unsaid := re.search("terminate called|Traceback|was ended by signal|Fatal Python|Segmentation", ended.err):
        found.append(f"'{unsaid[0]}' on standard error")
    if ended.code in (1, 2) and not ended.lines:
        found.append(f"exit code {ended.code} without a word")
    if len(ended.lines) > MOST_LINES:
        found.append(f"{len(ended.lines)} lines on standard error")
    return found


@dataclass(frozen=True)
class Rows:
    """The committed rows of a results file, read as docs/results-file.md says."""

    fault: str
    complete: bool
    outcomes: frozenset[int]
    ok_links: int
    damage: str = ""
    ranks: str = ""  # some columns of /ranks

    @staticmethod
    def of(path: Path) -> "Rows":
        try:
            try:
                file = h5py.File(path)
            except OSError:
                file = h5py.File(path, swmr=True)
            with file:
                rows = int(file.attrs["rows"])
                names = ("from", "to", "outcome")
                sizes = [{name: size[name][:rows] for name in names} for size in file["sizes"].values()]
                complete = int(file.attrs["complete"]) == 1
                ranks = {name: file[f"ranks/{name}"][:].tolist() for name in SAME_OF_RANKS}
        except (OSError, KeyError, RuntimeError) as error:
            return Rows(str(error), False, frozenset(), 0)
        outcomes = np.concatenate([size["outcome"] for size in sizes])
        ok = sum(len({*zip(size["from"][good], size["to"][good], strict=True)}) for size in sizes
                 for good in [size["outcome"] == OK])  # fmt: skip
        damage = " ".join(everylink.read(path).parts_left_out) if complete else ""
        return Rows("", complete, frozenset(outcomes.tolist()), ok, damage, str(ranks))


@cache
def installed() -> tempfile.TemporaryDirectory[str]:
    """A folder that has the package and its bytecode, as pip leaves it: to compile it takes longer than most runs."""
    folder = tempfile.TemporaryDirectory(prefix="failing-calls-package-")
    package = shutil.copytree(Path(everylink.__file__).parent, Path(folder.name) / "everylink")
    compileall.compile_dir(package, quiet=1)
    return folder


@dataclass(frozen=True)
class Command:
    """A command of `everylink` that reads the file `x.h5`, from the moment that it opens a file."""

    words: tuple[str, ...]
    source: Path
    after: str = "/dev/null"  # everylink.cli.guarded opens it first: earlier calls are the interpreter's
    output: str = ""
    mallocs: bool = False

    def run(self, folder: Path, failure: Failure | None = None) -> Ended:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(self.source, folder / "x.h5")
        settings = {"FAILING_CALLS_AFTER": self.after, "LD_PRELOAD": str(library(of_hdf5=False)), "NO_COLOR": "1"}
        settings |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": installed().name}
        if self.mallocs:
            settings["PYTHONMALLOC"] = "malloc"
        return run([sys.executable, "-P", "-m", "everylink", *self.words], folder, failure, settings)

    def problems(self, ended: Ended, folder: Path, usual: Ended) -> list[str]:
        """What is wrong; `usual` is a run without a failure."""
        found = problems_of_ending(ended)
        if ended.code not in (usual.code, 1, 2):
            found.append(f"exit code {ended.code}")
        if ended.code == usual.code and ended.out != usual.out:
            found.append(f"exit code {ended.code}, but other words than usual: {difference(usual.out, ended.out)}")
        if ended.code == usual.code and self.output and not (folder / self.output).exists():
            found.append(f"exit code {ended.code}, but there is no {self.output}")
        if ended.code in (1, 2) and len(ended.lines) != 1:
            found.append(f"exit code {ended.code} with {len(ended.lines)} lines on standard error")
        if self.output and (folder / self.output).exists() and not self.is_whole(folder / self.output):
            found.append(f"{self.output} is not whole")
        return found

    @staticmethod
    def is_whole(page: Path) -> bool:
        return page.read_bytes().rstrip().endswith(b"</html>")


def difference(usual: str, other: str) -> str:
    """The first line that differs."""
    pairs = zip_longest(usual.splitlines(), other.splitlines())
    return next((f"{a!r} became {b!r}" for a, b in pairs if a != b), "")


def failures(
    counts: Counts, kinds: Sequence[str], processes: Sequence[int], most: int, seed: int, errors: int = 9
) -> Iterator[Failure]:
    """Each n of each kind of call, with `errors` of its errors; at most `most` values of n for a kind and a process."""
    for kind in kinds:
        for process in processes:
            numbers: Sequence[int] = range(1, counts.get((kind, process), 0) + 1)
            if most < len(numbers):
                numbers = sorted(random.Random(seed).sample(numbers, most))
            for error in ERRORS.get(kind, ("ENOMEM",))[:errors]:
                yield from (Failure(kind, process, at, error) for at in numbers)


def temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="failing-calls-"))
