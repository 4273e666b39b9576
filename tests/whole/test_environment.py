"""Wrong environments of everylink-measure and everylink run: one line, the right exit code, nothing left."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from started_by_hand import WORDS, ended, start

from conftest import PATIENCE, free_port, measure_program, read_plainly

ROOT = Path(__file__).parents[2]
RUN = "everylink-measure --np 2 -m sim -s 8 -n 1 -w 0"
JOIN = "everylink-measure -m sim -s 8 -n 1 -w 0 --join-limit 1"  # as one rank of two, which never meet
RANK = {"EVERYLINK_RANK": "0", "EVERYLINK_SIZE": "2", "EVERYLINK_RENDEZVOUS": "127.0.0.1:0"}
IPV6_ONLY = """unshare --net sh -c 'ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec "$@"' sh"""
LIMIT = PATIENCE / 2  # seconds

Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs a line of shell in an empty folder; an environment variable that is None is not set."""

    def call(command: str, **variables: str | None) -> subprocess.CompletedProcess[str]:
        core = measure_program()
        paths = os.pathsep.join([str(ROOT / "python"), *sys.path])
        changed = os.environ | {"EVERYLINK_MEASURE": core, "PYTHONPATH": paths} | variables
        script = command.replace("everylink-measure ", f"{shlex.quote(core)} ")
        script = script.replace("everylink ", f"{shlex.quote(sys.executable)} -P -m everylink ")
        return subprocess.run(
            ["/bin/bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False,
            env={name: value for name, value in changed.items() if value is not None},
        )  # fmt: skip

    return call


# What is wrong: the command, its variables, its exit code, and words of the line that it prints.
WRONG: dict[str, tuple[str, dict[str, str], int, str]] = {
    "ulimit -n 10": (f"ulimit -n 10; {RUN}", {}, 1, "only 10 files may be open at once, but this run needs 66"),
    "ulimit -n 10, many ranks": (f"ulimit -n 10; {RUN} --np 600", {}, 1, "this run needs 576; ulimit -n 576"),
    "ulimit -n 10, everylink run": ("ulimit -n 10; everylink run --np 2", {}, 1, "only 10 files may be open"),
    "the folder was removed": (f"mkdir x; cd x; rmdir ../x; {RUN}", {}, 2, "the current folder was removed"),
    "the folder was removed, everylink run": (
        "mkdir x; cd x; rmdir ../x; everylink run --np 2 -m sim", {}, 2, "the current folder was removed",
    ),
    "the folder takes no files": (f"cd /sys; {RUN}", {}, 2, "--output everylink.h5: "),
    "output into a pipe": (f"mkfifo x; {RUN} -o x --force; c=$?; rm x; exit $c", {}, 2, "x: is a pipe or a device"),
    "output into a link to a device": (
        f"ln -s /dev/null x; {RUN} -o x --force; c=$?; rm x; exit $c", {}, 2, "x: is a pipe or a device",
    ),
    "output below a file": (f"touch x; {RUN} -o x/y.h5; c=$?; rm x; exit $c", {}, 2, "folder x does not exist"),
    "pairs from a pipe": (
        f"mkfifo x; {RUN} --no-output --schedule file:x; c=$?; rm x; exit $c", {}, 2, "file:x: is a folder",
    ),
    "pairs from a device": (f"{RUN} --no-output --schedule file:/dev/zero", {}, 2, "file:/dev/zero: is a folder"),
    "resuming a pipe": (f"mkfifo x; {RUN} --resume x; c=$?; rm x; exit $c", {}, 2, "--resume x: is a folder, a pipe"),
    "resuming a folder": (f"{RUN} --resume .", {}, 2, "--resume .: is a folder, a pipe"),
    "a key from a pipe": (
        f"mkfifo x; {JOIN}; c=$?; rm x; exit $c", RANK | {"EVERYLINK_KEY_FILE": "x"}, 2, "FILE=x: is not a file",
    ),
    "a rank above the size": (JOIN, RANK | {"EVERYLINK_RANK": "9"}, 2, "EVERYLINK_RANK=9: with EVERYLINK_SIZE=2"),
    "a size of 1e9": (JOIN, RANK | {"EVERYLINK_SIZE": "1e9"}, 2, "EVERYLINK_SIZE: '1e9' is not a whole number"),
    "a size beyond any number": (JOIN, RANK | {"EVERYLINK_SIZE": "9" * 30}, 2, "EVERYLINK_SIZE"),
    "a port beyond any": (JOIN, RANK | {"EVERYLINK_RENDEZVOUS": "127.0.0.1:99999"}, 2, "a port is 0 to 65535"),
    "a port that is a word": (JOIN, RANK | {"EVERYLINK_RENDEZVOUS": "127.0.0.1:http"}, 2, "EVERYLINK_RENDEZVOUS"),
    "a rendezvous without a host": (JOIN, RANK | {"EVERYLINK_RENDEZVOUS": ":"}, 2, "':' is not host:port"),
    "a date that is no number": (f"{RUN}", {"SOURCE_DATE_EPOCH": "noon"}, 2, "SOURCE_DATE_EPOCH: 'noon'"),
    "a tree above no number": (f"{RUN}", {"EVERYLINK_TREE_ABOVE": "few"}, 2, "EVERYLINK_TREE_ABOVE: 'few'"),
    "Slurm's rank is no number": (JOIN, {"SLURM_PROCID": "x", "SLURM_STEP_NUM_TASKS": "2"}, 2, "SLURM_PROCID: 'x'"),
    "Slurm's step has no number": (
        JOIN, {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_JOB_ID": "1"}, 2, "SLURM_STEP_ID is not set",
    ),
    "PMI's rank is no number": (JOIN, {"PMI_RANK": "x", "PMI_SIZE": "2"}, 2, "PMI_RANK: 'x' is not a whole number"),
    "PMI's descriptor is closed": (JOIN, {"PMI_RANK": "0", "PMI_SIZE": "2", "PMI_FD": "77"}, 2, "PMI_FD=77"),
    "Open MPI's rank is no number": (
        JOIN, {"OMPI_COMM_WORLD_RANK": "x", "OMPI_COMM_WORLD_SIZE": "2"}, 2, "OMPI_COMM_WORLD_RANK: 'x'",
    ),
    "messages that are no number": (f"{RUN} -n nan", {}, 2, "-n/--num-messages: 'nan' is not a whole number"),
    "a time without an end": (f"{RUN} --time-limit inf", {}, 2, "--time-limit: invalid time 'inf'"),
    "--np within a rank": (RUN, RANK, 2, "--np 2 and EVERYLINK_RANK: add --bootstrap tcp to start 2 ranks in each"),
    "too many ranks": (
        f"{RUN} --bootstrap tcp", RANK | {"EVERYLINK_SIZE": "16777216"}, 2, "with --np 2: at most 16777216 ranks",
    ),
    "--np by a launcher": (f"{RUN} --bootstrap slurm", {}, 2, "--np and --bootstrap slurm exclude each other"),
    "a size beyond any float": (f"{RUN} -s 1e400", {}, 2, "invalid size '1e400'"),
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize(("command", "variables", "code", "said"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.one_in(3)
def test_a_wrong_environment_is_one_line_and_leaves_nothing(
    command: str, variables: dict[str, str], code: int, said: str, shell: Shell, tmp_path: Path
) -> None:
    done = shell(command, **variables)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert done.stderr.startswith("everylink-measure: ")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ulimit -n 10; everylink check", "too many files are open; raise ulimit -n"),
        ("ulimit -f 0; everylink check", ": cannot be written: File too large; change to another folder"),
        ("ulimit -f 1; everylink check", "/first.h5: "),
        ("cd /sys; everylink check", "cannot be created: "),
        ("unshare --net everylink check --mode tcp", "tcp does not start (the loopback interface does not work"),
        ("TMPDIR=/none everylink check --mode sim:hosts=9", "sim:hosts=9 does not start (must be 1 to 4)"),
        ("everylink check --mode no-such", "no-such does not start (--mode: unknown mode 'no-such'"),
    ],
)
@pytest.mark.one_in(7)
def test_a_check_that_cannot_measure_is_one_line_and_leaves_its_log(
    command: str, said: str, shell: Shell, tmp_path: Path, possible: None
) -> None:
    done = shell(command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert done.stderr.startswith("everylink: ")
    assert said in done.stderr
    assert {path.name for folder in tmp_path.iterdir() for path in folder.iterdir()} <= {"log.txt"}


@pytest.mark.quick
def test_no_variables_and_rubbish_change_nothing(shell: Shell) -> None:
    names = ("HOME", "TMPDIR", "TERM", "COLUMNS", "LC_ALL", "TZ", "HWLOC_XMLFILE", "HDF5_USE_FILE_LOCKING")
    usual = shell(f"{RUN} --no-output")
    assert usual.returncode == 0
    for value in (None, "rubbish/../.."):
        done = shell(f"exec {RUN} --no-output", **dict.fromkeys(names, value))
        lines = [line for line in done.stderr.splitlines() if "setlocale" not in line]  # bash says that
        assert (done.returncode, lines, done.stdout) == (0, [], usual.stdout)


@pytest.mark.quick
def test_a_low_soft_limit_of_open_files_is_raised(shell: Shell) -> None:
    done = shell(f"ulimit -Sn 20; {RUN} --np 40 --no-output")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("mode", ["sim", "tcp"])
@pytest.mark.parametrize("program", ["everylink-measure", "everylink run"])
@pytest.mark.one_in(4)
def test_a_machine_with_only_ipv6_measures_over_its_loopback(
    program: str, mode: str, shell: Shell, possible: None
) -> None:
    done = shell(f"{IPV6_ONLY} {program} --np 3 --mode {mode} -s 8 -n 5")
    assert done.stderr == ""
    judged = program == "everylink run" and mode == "tcp"
    assert done.returncode in ((0, 3, 4) if judged else (0,)), "real links may look slow"
    assert "3 ranks on" in done.stdout


def test_each_of_two_processes_starts_three_ranks(tmp_path: Path) -> None:
    port, words = free_port(), ["--bootstrap", "tcp", "--np", "3", *WORDS]
    started = [start(number, port, tmp_path, 2, [*words, "--node-name", f"n{number}"]) for number in (1, 0)]
    assert [ended(process) for process in started] == [(0, "")] * 2
    results = read_plainly(tmp_path / "x.h5")
    assert results.ranks["host"].tolist() == [b"n0"] * 3 + [b"n1"] * 3
    assert len(results.sizes[1].main().links()) == 6 * 5


def test_a_process_whose_ranks_find_nobody_says_so_for_each(shell: Shell) -> None:
    done = shell(
        f"{JOIN} --bootstrap tcp --np 2", **RANK | {"EVERYLINK_RANK": "1", "EVERYLINK_RENDEZVOUS": "127.0.0.1:9"}
    )
    assert done.returncode == 1
    assert sorted(line.split(": ")[1] for line in done.stderr.splitlines()) == ["rank 2", "rank 3"]
