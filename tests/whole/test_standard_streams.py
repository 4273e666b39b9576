"""Standard input, output and error that are closed or full: one line says so, and what was measured is kept."""

import itertools
import os
import select
import shlex
import subprocess
import time
from pathlib import Path

import pytest
from chaos import descendants_of

from conftest import PATIENCE, measure_program, read_plainly

pytestmark = pytest.mark.quick

FULL = "cannot write to standard output: No space left on device"
CLOSED = "cannot write to standard output: it is closed"
MEASURE = "--np 4 --mode sim -n 3 --num-slowest 0 -o x.h5"
LINKS = 4 * 3


def in_shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command, which may name the program as "measure", in bash."""
    function = f'set -o pipefail; measure() {{ {shlex.quote(measure_program())} "$@"; }}; '
    return subprocess.run(
        ["bash", "-c", function + command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def links_in(file: Path) -> int:
    left = read_plainly(file)
    assert left.attributes["complete"] == 1
    return len(left.only["from"])


PRINTS = ["--help", "-h", "--help=json", "--help=man", "--help=bash", "--help=zsh", "--list", "--version", MEASURE]


@pytest.mark.parametrize("words", PRINTS)
@pytest.mark.parametrize(("output", "said"), [(">/dev/full", FULL), (">&-", CLOSED)])
def test_output_that_is_lost_is_reported_in_one_line(tmp_path: Path, words: str, output: str, said: str) -> None:
    done = in_shell(tmp_path, f"measure {words} {output}")
    assert done.stderr.strip().splitlines() == [f"everylink-measure: {said}"]
    assert done.returncode == 1


@pytest.mark.parametrize("output", [">/dev/full", ">&-", ">&- 2>&- <&-", "--progress json >/dev/full"])
def test_what_was_measured_is_kept_when_output_is_lost(tmp_path: Path, output: str) -> None:
    assert in_shell(tmp_path, f"measure {MEASURE} {output}").returncode == 1
    assert links_in(tmp_path / "x.h5") == LINKS


@pytest.mark.parametrize("stream", ["<&-", "2>&-", "2>/dev/full", "<&- 2>&-"])
def test_a_run_needs_neither_standard_input_nor_error(tmp_path: Path, stream: str) -> None:
    done = in_shell(tmp_path, f"measure {MEASURE} {stream}")
    assert done.returncode == 0, done.stderr
    assert "RESULT: Min Time:" in done.stdout
    assert links_in(tmp_path / "x.h5") == LINKS


SUBSETS = list(itertools.chain.from_iterable(itertools.combinations(range(3), n) for n in range(4)))


def streams_of(pid: int) -> list[str]:
    """What the standard streams of a process are."""
    return [str(Path(f"/proc/{pid}/fd/{stream}").readlink()) for stream in range(3)]


@pytest.mark.parametrize("closed", SUBSETS, ids=lambda closed: "".join(map(str, closed)) or "none")
def test_no_file_and_no_socket_takes_the_place_of_a_closed_stream(tmp_path: Path, closed: tuple[int, ...]) -> None:
    words = ["--np", "2", "--mode", "tcp", "-n", "3", "--min-runtime", "100h", "-o", "x.h5"]
    streams = " ".join(f"{fd}>&-" if fd in closed else f"{fd}<>/dev/null" for fd in range(3))
    command = f'exec {shlex.quote(measure_program())} "$@" {streams}'
    with subprocess.Popen(["bash", "-c", command, "bash", *words], cwd=tmp_path) as process:
        try:
            until = time.monotonic() + PATIENCE
            while not (tmp_path / "x.h5").exists() or len(descendants_of(process.pid)) < 2:
                assert process.poll() is None, "the run has ended"
                assert time.monotonic() < until, "the run does not begin"
                time.sleep(0.02)
            for pid in (process.pid, *descendants_of(process.pid)):
                assert set(streams_of(pid)) == {"/dev/null"}
        finally:
            process.terminate()
    assert process.returncode == 1
    assert read_plainly(tmp_path / "x.h5").attributes["interrupted"] == 1


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
def test_a_refusal_that_cannot_be_read_keeps_its_exit_code(tmp_path: Path, stream: str) -> None:
    assert in_shell(tmp_path, f"measure --no-such {stream}").returncode == 2
    assert in_shell(tmp_path, f"measure --bootstrap stdin <&- {stream}").returncode == 2


def test_a_reader_that_wants_no_more_ends_neither_the_run_nor_its_file(tmp_path: Path) -> None:
    done = in_shell(tmp_path, f"measure {MEASURE} --step-lines | head -n 1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Everylink ")
    assert links_in(tmp_path / "x.h5") == LINKS
    assert in_shell(tmp_path, "measure --help | head -n 1").returncode == 0


def test_a_failed_link_is_still_found_when_nobody_reads(tmp_path: Path) -> None:
    done = in_shell(tmp_path, "measure --np 4 --mode 'sim:dead=0>1' -n 3 -o x.h5 | head -n 1")
    assert done.returncode == 3, done.stderr


def test_a_signal_ends_a_run_whose_output_nobody_reads(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    words = ["--np", "2", "--mode", "sim", "-n", "3", "--min-runtime", "100h", "--step-lines", "-o", "x.h5"]
    process = subprocess.Popen(
        [measure_program(), *words], cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + PATIENCE
    while select.select([], [writing], [], 0)[1] and time.monotonic() < until:
        time.sleep(0.02)
    is_full = time.monotonic() < until
    process.terminate()
    _, said = process.communicate(timeout=PATIENCE)
    assert is_full, "the pipe does not fill up"
    os.close(reading)
    os.close(writing)
    assert process.returncode == 1
    assert "was ended by signal" not in said, "rank 0 ends by itself, before its supervisor kills it"
    assert read_plainly(tmp_path / "x.h5").attributes["interrupted"] == 1
