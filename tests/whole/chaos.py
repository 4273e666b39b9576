"""Draws random faults for a short run from a seed, plants them, and records the outcome of the run."""

import ctypes
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import netns

from conftest import measure_program

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))
SUPERVISOR = -1
Bed = Callable[..., object] | None  # called with the words of a fault
SENT = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "go on": signal.SIGCONT}
SENT |= {"term": signal.SIGTERM, "int": signal.SIGINT, "end supervisor": signal.SIGKILL}
NETWORK = ("dark", "dark-pair", "slow", "drop")


@dataclass(frozen=True)
class Fault:
    """A fault `at` seconds after the ranks started: a signal to a rank, or words for the test bed."""

    at: float
    kind: str
    rank: int = SUPERVISOR
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        of = " ".join(self.words) or (f"rank {self.rank}" if self.rank >= 0 else "the supervisor")
        return f"{self.at:.2f} s {self.kind}: {of}"


@dataclass(frozen=True)
class Scenario:
    """A run and its faults."""

    seed: int
    ranks: int
    time_limit: float
    min_runtime: float
    options: tuple[str, ...]
    faults: tuple[Fault, ...]

    @property
    def limit(self) -> float:
        """A generous upper limit on the run, seconds; the possible cost of each fault is added."""
        pair = 2 * self.time_limit + 1  # two sizes
        cost = {"stop": 120 + 3 * pair, "pause": 2 * (10 + pair) + 70, "network": 60 + 12 * pair}
        costs = [cost["network"] if f.words else cost.get("stop" if f.kind == "stop" else "pause") for f in self.faults]
        return PATIENCE * (60 + 4 * pair + self.min_runtime + sum(c or 0 for c in costs))


def options_of(draw: random.Random, time_limit: float, min_runtime: float) -> tuple[str, ...]:
    kernel = draw.choice(["--semidirectional", "--bidirectional", "--unidirectional"])
    slowest = draw.choice(["0", "3"])
    return (
        *("--mode", "tcp", kernel, "-n", "20", "-w", "2", "-s", "1,4096", "--num-slowest", slowest),
        *("--time-limit", f"{time_limit * PATIENCE:g}", "--min-runtime", f"{min_runtime:.2f}"),
    )


def scenario_here(seed: int) -> Scenario:
    """Signals to the ranks of `--np`, including rank 0, and to their supervisor."""
    draw = random.Random(seed)
    ranks, time_limit, min_runtime = draw.randint(4, 8), draw.choice([1.0, 1.5, 2.0]), draw.uniform(0.5, 2)
    faults: list[Fault] = []
    for _ in range(draw.choice([1, 1, 2, 3])):
        kind = draw.choices(["kill", "pause", "stop", "term", "int", "end supervisor"], [6, 6, 2, 1, 1, 1])[0]
        at = draw.uniform(0, min_runtime + 0.3)
        rank = draw.randrange(ranks) if kind in ("kill", "pause", "stop") else SUPERVISOR
        if rank < 0 and any(fault.rank < 0 for fault in faults):
            continue  # a second signal ends the run at once
        faults.append(Fault(at, "stop" if kind == "pause" else kind, rank))
        if kind == "pause":
            faults.append(Fault(at + draw.choice([0.05, 0.5, 3, 8]) * draw.uniform(0.5, 1), "go on", rank))
    options = ("--np", str(ranks), *options_of(draw, time_limit, min_runtime))
    return Scenario(seed, ranks, time_limit, min_runtime, options, tuple(sorted(faults, key=lambda f: f.at)))


def scenario_on_bed(seed: int) -> Scenario:
    """Dark, slow and lossy hosts and pairs; some are healed."""
    draw = random.Random(-1 - seed)
    ranks, time_limit, min_runtime = draw.randint(4, 8), draw.choice([1.0, 1.5, 2.0]), draw.uniform(0.5, 2)
    faults: list[Fault] = []
    for _ in range(draw.choice([1, 1, 2])):
        kind, (a, b) = draw.choice(NETWORK), draw.sample(range(ranks), 2)
        given = {"slow": (f"h{a}", "2mbit"), "drop": (f"h{a}", str(draw.choice([2, 10, 40])))}
        given |= {"dark": (f"h{a}>h{b}",) if draw.random() < 0.5 else (f"h{a}",), "dark-pair": (f"h{a}", f"h{b}")}
        faults.append(Fault(draw.uniform(0, min_runtime), kind, words=("fault", kind, *given[kind])))
    if draw.random() < 0.4:
        faults.append(Fault(draw.uniform(min_runtime, min_runtime + 4), "heal", words=("heal",)))
    options = options_of(draw, time_limit, min_runtime)
    return Scenario(seed, ranks, time_limit, min_runtime, options, tuple(sorted(faults, key=lambda f: f.at)))


@dataclass
class Seen:
    """The outcome of a run; `code` is None if it had to be killed; `planted`: the faults that met a living process."""

    scenario: Scenario
    command: list[str]
    in_bed: bool
    code: int | None = None
    took: float = 0
    out: str = ""
    err: str = ""
    planted: list[Fault] = field(default_factory=list)
    before_the_file: list[Fault] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)

    def kinds(self, rank: int | None = None) -> set[str]:
        return {fault.kind for fault in self.planted if rank is None or fault.rank == rank}

    def told(self) -> str:
        """Everything needed to reproduce the run."""
        faults = "\n  ".join(map(str, self.planted)) or "none"
        return (
            f"seed {self.scenario.seed}: {' '.join(self.command)}\nfaults planted:\n  {faults}\nexit code {self.code} "
            f"after {self.took:.1f} s of {self.scenario.limit:.0f} s, left over: {self.left_over or 'nothing'}\n"
            f"standard output ends:\n{self.out[-1500:]}\nstandard error:\n{self.err[-1500:]}"
        )


def adopt_orphans(wanted: bool) -> None:
    """Make this process the parent of orphans of its children."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def children_of(pid: int) -> list[int]:
    """Children of a process, oldest first."""
    try:
        threads = sorted(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []


def descendants_of(pid: int) -> list[int]:
    found = children_of(pid)
    for child in found:
        found += descendants_of(child)
    return found


def described(pid: int) -> str:
    """A process by number, name, state and place in the kernel; empty if it has ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        place, name = (Path(f"/proc/{pid}/{what}").read_text().strip() for what in ("wchan", "comm"))
        return "" if state in "ZX" else f"{pid} {name} {state} {place}"
    except OSError:
        return ""


def run(scenario: Scenario, command: list[str], folder: Path, bed: Bed) -> Seen:
    """Start the command, plant the faults, and wait for all its processes to end, each within the limit."""
    seen, before = Seen(scenario, command, in_bed=bed is not None), set(descendants_of(os.getpid()))
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, start_new_session=True)
        handles: dict[int, int] = {}
        try:
            handles = _plant(seen, process, folder, bed)
            try:
                seen.code = process.wait(max(0.1, began + scenario.limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                seen.left_over = _left_over(before)
            seen.took = time.monotonic() - began
        finally:
            for handle in handles.values():
                os.close(handle)
            _end(seen, process, before)
    seen.out, seen.err = ((folder / name).read_text(errors="replace") for name in ("out", "err"))
    return seen


def in_processes(seed: int, folder: Path, mode: str = "tcp") -> Seen:
    """A run of this machine's processes, with x.h5 in the folder."""
    scenario = scenario_here(seed)
    options = tuple(mode if word == "tcp" else word for word in scenario.options)
    command = [measure_program(), *options, "-o", str(folder / "x.h5")]
    return run(replace(scenario, options=options), command, folder, None)


def in_bed(seed: int, folder: Path, family: str = "4") -> Seen:
    """A run of the hosts of a bed of its own, with x.h5 in the folder; `family`: of their addresses."""
    scenario = scenario_on_bed(seed)
    bed = netns.Bed(netns.new_name(), scenario.ranks)
    words = [str(netns.PROGRAM), "--name", bed.name, "measure", "--", *scenario.options, "-o", str(folder / "x.h5")]
    try:
        bed.do("up", scenario.ranks, "--families", family)
        return run(scenario, ["env", f"EVERYLINK_MEASURE={measure_program()}", *words], folder, bed.do)
    finally:
        netns.call("down", name=bed.name)


def _plant(seen: Seen, process: subprocess.Popen[bytes], folder: Path, bed: Bed) -> dict[int, int]:
    """Plant each fault at its time; get handles of the ranks first, before a pid can be reused."""
    own = os.pidfd_open(process.pid)
    handles = {SUPERVISOR: own}
    while bed is None and len(children_of(process.pid)) < seen.scenario.ranks and process.poll() is None:
        time.sleep(0.002)
    for rank, pid in enumerate(children_of(process.pid) if bed is None else []):
        handles[rank] = os.pidfd_open(pid)
    while bed is not None and not (folder / "x.h5").exists() and process.poll() is None:
        time.sleep(0.01)
    began = time.monotonic()
    for fault in seen.scenario.faults:
        while (left := began + fault.at - time.monotonic()) > 0 and process.poll() is None:
            time.sleep(min(left, 0.05))
        if process.poll() is not None:
            break
        try:
            if bed and fault.words:
                bed(*fault.words)
            else:
                signal.pidfd_send_signal(handles[fault.rank], SENT[fault.kind])
        except (ProcessLookupError, KeyError):
            continue
        seen.planted.append(fault)
        if not (folder / "x.h5").exists():
            seen.before_the_file.append(fault)
    return handles


def wait_for_descendants(before: set[int], seconds: float) -> list[str]:
    """Wait for all processes other than `before` to end, and reap them; return those that remain."""
    until = time.monotonic() + seconds
    while (left := _left_over(before)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in children_of(os.getpid()):
        if pid not in before and not described(pid):
            os.waitpid(pid, 0)
    return left


def _left_over(before: set[int]) -> list[str]:
    return [text for pid in descendants_of(os.getpid()) if pid not in before and (text := described(pid))]


def _end(seen: Seen, process: subprocess.Popen[bytes], before: set[int]) -> None:
    """Give orphans the rest of the limit; record and kill those that remain."""
    until = time.monotonic() + max(1.0, seen.scenario.limit - seen.took)
    while seen.code is not None and (left := _left_over(before)) and time.monotonic() < until:
        seen.left_over = left
        time.sleep(0.05)
    seen.left_over = _left_over(before) or (seen.left_over if seen.code is None else [])
    for pid in descendants_of(os.getpid()):
        if pid not in before:
            os.kill(pid, signal.SIGKILL)
    process.wait()
    for pid in children_of(os.getpid()):  # adopted ones
        if pid not in before:
            os.waitpid(pid, 0)
