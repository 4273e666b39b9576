"""A call that fails once costs a line and an exit code, never a crash, a wait or a verdict on the network."""

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from failing_calls import ERRORS, FOLLOWER, LOCAL, RANK_0, STARTER, Command, Core, Counts, Ended, Failure, Rows

from conftest import LONG, measure_program

DRAWN = 20  # runs of the core for a random n


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYLINK_MEASURE", measure_program())
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))


@pytest.fixture(scope="session")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counts]:
    """How many calls of each kind a usual run has, by mode."""
    usual = {}
    for mode in ("tcp", "sim"):
        folder = tmp_path_factory.mktemp(mode) / "run"
        ended = Core(mode).run(folder)
        assert ended.code == 0
        assert not Core(mode).problems(ended, folder)
        usual[mode] = ended.counts
    return usual


def tried(folder: Path, mode: str, failure: Failure) -> Ended:
    core = Core(mode)
    ended = core.run(folder, failure)
    assert not core.problems(ended, folder), f"{mode}, {failure}: {ended.err}"
    return ended


def spread(count: int, most: int) -> Sequence[int]:
    """Numbers from 1 to `count`, evenly spaced, no more than `most`."""
    return sorted({1 + i * (count - 1) // max(most - 1, 1) for i in range(min(most, count))})


@pytest.mark.parametrize(
    ("kind", "process"),
    [
        ("addresses", STARTER), ("fork", STARTER), ("rename", RANK_0), ("truncate", RANK_0), ("descriptor", RANK_0),
        ("descriptor", FOLLOWER), ("mmap", FOLLOWER), ("hwloc", FOLLOWER),
    ],
)  # fmt: skip
@pytest.mark.one_in(4)
def test_each_of_the_few_calls_of_a_kind_may_fail(
    tmp_path: Path, counts: dict[str, Counts], kind: str, process: int
) -> None:
    for at in spread(counts["sim"][kind, process], 100 if LONG else 2):
        assert tried(tmp_path / "run", "sim", Failure(kind, process, at, ERRORS[kind][0])).reached


@pytest.mark.long
def test_a_kernel_without_memory_for_a_connection_makes_links_local_and_not_broken(
    tmp_path: Path, counts: dict[str, Counts]
) -> None:
    """Where the call is one of control traffic, nothing is lost at all."""
    outcomes = set()
    for kind, error in (("send", "ENOBUFS"), ("recv", "ENOMEM")):
        for at in spread(counts["tcp"][kind, FOLLOWER], 100 if LONG else 4):
            if tried(tmp_path / "run", "tcp", Failure(kind, FOLLOWER, at, error)).code in (0, 4):
                outcomes |= Rows.of(tmp_path / "run/x.h5").outcomes
    assert LOCAL in outcomes


def test_a_message_of_sim_that_does_not_leave_ends_the_wait_of_both_ends(
    tmp_path: Path, counts: dict[str, Counts]
) -> None:
    for at in spread(counts["sim"]["send", RANK_0], 6):
        tried(tmp_path / "run", "sim", Failure("send", RANK_0, at, "ECONNRESET"))


@pytest.mark.parametrize("kind", ["poll", "recv", "send", "random", "process"])
@pytest.mark.one_in(3)
def test_a_call_that_a_signal_interrupts_is_made_again(tmp_path: Path, counts: dict[str, Counts], kind: str) -> None:
    process = STARTER if kind == "process" else RANK_0
    for at in spread(counts["tcp"][kind, process], 100 if LONG else 2):
        ended = tried(tmp_path / "run", "tcp", Failure(kind, process, at, "EINTR"))
        assert ended.code == 0, f"{ended.failure}: {ended.err}"


@pytest.mark.parametrize("mode", ["tcp", "sim"])
@pytest.mark.one_in(2)
def test_any_call_may_fail_once(tmp_path: Path, counts: dict[str, Counts], mode: str) -> None:
    draw = random.Random(mode)
    there = [one for one, number in counts[mode].items() if number and one[0] in ERRORS and one[1] <= FOLLOWER]
    for _ in range(400 if LONG else DRAWN // 2):
        kind, process = draw.choice(there)
        at = draw.randint(1, counts[mode][kind, process])
        tried(tmp_path / "run", mode, Failure(kind, process, at, draw.choice(ERRORS[kind])))


@pytest.mark.parametrize("kind", ["new_", "hdf5", "write"])
@pytest.mark.one_in(3)
def test_memory_hdf5_or_the_disk_may_fail_anywhere_in_rank_0(
    tmp_path: Path, counts: dict[str, Counts], kind: str
) -> None:
    for at in spread(counts["sim"][kind, RANK_0], 300 if LONG else 5):
        tried(tmp_path / "run", "sim", Failure(kind, RANK_0, at, ERRORS[kind][0]))


@pytest.mark.usefixtures("counts")  # of a usual run, with its ranks
@pytest.mark.long
def test_a_rank_that_cannot_read_which_host_it_is_on_seems_to_be_on_no_other(tmp_path: Path) -> None:
    for kind, most in (("new_", 12), ("open", 2), ("read", 2)):
        for at in range(1, most + 1):
            for error in ERRORS[kind]:
                tried(tmp_path / "run", "tcp", Failure(kind, RANK_0, at, error))


@pytest.mark.parametrize(
    ("words", "output", "kinds"),
    [(["show"], "", ["write"]), (["report", "-o", "x.html"], "x.html", ["rename"])],
    ids=["show", "report"],
)
@pytest.mark.one_in(2)
def test_a_command_whose_call_fails_says_so_in_a_line(
    tmp_path: Path, words: list[str], output: str, kinds: list[str]
) -> None:
    Core("sim").run(tmp_path / "core")
    command = Command((*words, "x.h5"), tmp_path / "core/x.h5", "x.h5", output)
    usual = command.run(tmp_path / "usual")
    assert not command.problems(usual, tmp_path / "usual", usual)
    codes = set()
    for kind in kinds:
        for at in spread(usual.counts[kind, STARTER], 20 if LONG else 1):
            ended = command.run(tmp_path / "run", Failure(kind, STARTER, at, ERRORS[kind][0]))
            assert not command.problems(ended, tmp_path / "run", usual), f"{ended.failure}: {ended.err}"
            codes.add(ended.code)
    assert codes - {0}, "none of these calls mattered"
