"""What a run prints and keeps: LinkTest's lines, progress, the file while it grows, after a kill and on a full disk."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import PATIENCE, Measure, Run, measure_program, read_plainly

FLOAT = r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?"
JUBE = [
    r"RESULT: Min Time:\s+(FP .*?)\s",
    r"RESULT: Min Time: .*? \(\s+(FP.*?)\)",
    r"Parallel Results for step .*? bisection bw:\s+FP\s+(.*?)$",
    r"Aggregated Results: .*? bisection bw:\s+FP",
]


def test_jube_finds_its_patterns(run: Run) -> None:
    done = run("--np", 4, "-n", 20, "--no-output")
    for pattern in JUBE:
        found = re.findall(pattern.replace("FP", FLOAT), done.stdout, re.MULTILINE)
        assert found, pattern
    steps = re.findall(r"^Parallel Results for step (\d+):", done.stdout, re.MULTILINE)
    assert steps == ["1", "2", "3"]
    units = set(re.findall(r"bisection bw:\s+\S+ (\S+)$", done.stdout, re.MULTILINE))
    assert len(units) == 1, "one unit over all steps, and nothing behind it"


def test_the_lines_agree_with_the_file(measure: Measure) -> None:
    result = measure("--np", 8, "--mode", "sim:slow-host=5*0.5", "-s", "1KiB,1MiB", "--bisection", "--num-slowest", 0)
    table = result.sizes[1 << 20]
    step = table.where(table["step"] == 2)
    means = step["mean"].astype(float)
    bandwidths = (1 << 20) / means
    expected = (
        f"min:{means.min() * 1e6:11.5f} us ( {bandwidths.max() / 2**30:9.4f} GiB/s) "
        f"avg:{means.mean() * 1e6:11.5f} us ( {(1 << 20) / means.mean() / 2**30:9.4f} GiB/s) "
        f"max:{means.max() * 1e6:11.5f} us ( {bandwidths.min() / 2**30:9.4f} GiB/s) "
        f"avg. bisection bw:{4 * bandwidths.mean() / 2**30:11.4f} GiB/s"
    )
    assert f"Parallel Results for step 3: {expected}\n" in result.out
    assert re.search(r"^RESULT: Max Time:\s+%.5f us" % (table["mean"].max() * 1e6), result.out, re.MULTILINE)


def test_short_runs_print_a_line_per_step(run: Run) -> None:
    arguments = ["--np", 2, "--mode", "sim", "-n", 1, "-w", 0, "--min-iterations", 1, "--no-output", "--num-slowest", 0]
    assert "Results for step" in run(*arguments).stdout


@pytest.mark.long("seconds of load each")
def test_long_runs_print_a_line_per_step_only_on_request(run: Run) -> None:
    serial = ["--np", 66, "--mode", "sim", "-n", 1, "-w", 0, "--serial-tests", "--no-output", "--num-slowest", 0]
    quiet = run(*serial)
    assert quiet.returncode == 0
    assert "Results for step" not in quiet.stdout
    assert "RESULT: Min Time:" in quiet.stdout
    assert run(*serial, "--step-lines").stdout.count("Serial Results for step") == 66 * 65 // 2


def test_progress_as_json_is_one_object_per_line(run: Run, tmp_path: Path) -> None:
    done = run("--np", 4, "--mode", "sim:dead=0>1", "-s", "1,2", "-n", 5, "--progress", "json", "-o", tmp_path / "p.h5")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert done.returncode == 3
    assert done.stderr == ""
    assert kinds.count("step") == 3
    assert kinds[-1] == "end"
    assert "plan" in kinds
    assert "retest" in kinds
    plan, end = events[kinds.index("plan")], events[-1]
    assert (plan["ranks"], plan["links"], plan["steps"], plan["sizes"]) == (4, 12, 3, [1, 2])
    assert (end["exit"], end["links_ok"], end["links_failed"], end["output"]) == (3, 10, 2, str(tmp_path / "p.h5"))
    steps = [event for event in events if event["event"] == "step"]
    assert [event["links_done"] for event in steps] == [4, 8, 12]
    assert steps[-1]["seconds_left"] == 0
    for event in events:
        if event["event"] == "text":
            is_linktest = bool(re.match("Parallel Results|Aggregated Results|Timing Summary|RESULT:", event["text"]))
            assert event.get("linktest", False) == is_linktest, event
    assert sum("linktest" in event for event in events) == 3 * 3 + 3


@pytest.mark.parametrize("form", ["plain", "json", "none"])
def test_a_job_that_ends_too_early_is_warned_of_on_standard_error(
    run: Run, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(int(time.time()) + 600))
    slow = ["--mode", "sim:slow-host=0*0.00001", "-s", "1MiB", "-n", 20, "--time-limit", 1e5]  # hours of virtual time
    done = run("--np", 8, *slow, "--num-slowest", 0, "--no-output", "--progress", form)
    assert re.fullmatch(
        r"everylink-measure: warning: this run needs .* more, but the job ends in .*; --schedule sample:1 would fit\n",
        done.stderr,
    )
    assert "job ends" not in done.stdout


def test_a_bar_is_for_terminals_and_plain_lines_for_logs(run: Run) -> None:
    done = run("--np", 2, "--no-output")
    assert "\r" not in done.stdout + done.stderr
    shown = subprocess.run(
        ["script", "-qec", f"{shlex.quote(measure_program())} --np 8 --mode sim --no-output -n 500", "/dev/null"],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert b"\r\x1b[K[" in shown.stdout
    assert b"step 1 of 7" in shown.stdout


# A writer that is killed, with a concurrent reader.

LONG = ["--np", 4, "--mode", "sim", "-n", 3, "-w", 0, "--min-runtime", "100h", "--num-slowest", 0, "--progress", "none"]


def start(tmp_path: Path, *arguments: object) -> subprocess.Popen[bytes]:
    command = [measure_program(), *(str(a) for a in (*LONG, *arguments)), "-o", str(tmp_path / "k.h5"), "--force"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def committed(path: Path) -> int:
    try:
        with h5py.File(path, "r", swmr=True) as file:
            return int(file.attrs["rows"])
    except OSError:
        return -1


def wait_for_rows(path: Path, more_than: int) -> int:
    until = time.monotonic() + PATIENCE
    while (rows := committed(path)) <= more_than:
        assert time.monotonic() < until, "no rows were committed"
        time.sleep(0.02)
    return rows


def end(process: subprocess.Popen[bytes], sent: int = signal.SIGKILL) -> int:
    os.killpg(process.pid, sent)
    return process.wait(PATIENCE)


def test_the_file_says_when_the_run_began_and_ended(measure: Measure) -> None:
    left = measure("--np", 2, "--mode", "sim", "-s", "1")
    began, ended = (datetime.strptime(left.attributes[name], "%Y-%m-%dT%H:%M:%S%z") for name in ("created", "ended"))
    assert timedelta(0) <= ended - began <= timedelta(seconds=PATIENCE)


@pytest.mark.parametrize("seed", range(600 if os.environ.get("EVERYLINK_TEST_LONG") else 20))
@pytest.mark.one_in(2)
def test_no_committed_row_is_lost_to_a_kill(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    process = start(tmp_path, "-s", "1,2")
    # Early kills hit before and during the first commits, late ones between later commits.
    rows = wait_for_rows(tmp_path / "k.h5", -1 if seed % 3 == 0 else 0)
    time.sleep(draw.uniform(0, 0.2 if seed % 2 else 1.2))
    rows = max(rows, committed(tmp_path / "k.h5"))
    end(process)
    left = read_plainly(tmp_path / "k.h5", swmr=True)
    assert left.attributes["complete"] == 0
    assert left.attributes["ended"] == ""
    for table in left.sizes.values():
        assert len(table["from"]) >= rows
        assert (table["outcome"] == 0).all()
        assert (table["median"] > 0).all()
        assert (table["from"] != table["to"]).all()


@pytest.mark.long
def test_show_reads_a_file_that_is_being_written_and_one_of_a_killed_run(tmp_path: Path) -> None:
    process = start(tmp_path)
    wait_for_rows(tmp_path / "k.h5", 0)
    show = [sys.executable, "-P", "-m", "everylink", "show", str(tmp_path / "k.h5")]
    for _ in range(2):
        live = subprocess.run(show, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert live.returncode == 0, live.stderr
        assert "4" in live.stdout
        assert "sim" in live.stdout
    end(process)
    assert subprocess.run(show, capture_output=True, text=True, timeout=PATIENCE, check=False).returncode == 0


def test_no_rank_outlives_its_supervisor(tmp_path: Path) -> None:
    process = start(tmp_path)
    wait_for_rows(tmp_path / "k.h5", 0)
    ranks = [int(p) for p in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    assert len(ranks) == 4
    process.kill()
    process.wait(PATIENCE)
    until = time.monotonic() + PATIENCE
    while any(alive(rank) for rank in ranks):
        assert time.monotonic() < until
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


# The interface's own counters, in a network namespace for this test alone.

COUNT = """
import fcntl, socket, struct, subprocess, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
def counted():
    line = next(line for line in open("/proc/net/dev") if line.strip().startswith("lo:"))
    return int(line.split(":")[1].split()[0])
before = counted()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(counted() - before)
"""


@pytest.mark.skipif(
    not shutil.which("unshare") or os.geteuid() != 0, reason="a network namespace requires root and unshare"
)
@pytest.mark.parametrize(
    ("kernel", "there_and_back"), [("--semidirectional", 2), ("--unidirectional", 1), ("--bidirectional", 2)]
)
@pytest.mark.one_in(2)
def test_the_interface_counts_the_requested_bytes(tmp_path: Path, kernel: str, there_and_back: int) -> None:
    size, messages, warmups, ranks = 65536, 200, 20, 5
    command = [
        measure_program(),
        "--np",
        ranks,
        kernel,
        "-s",
        size,
        "-n",
        messages,
        "-w",
        warmups,
        "--num-slowest",
        0,
        "-o",
        tmp_path / "x.h5",
    ]
    done = subprocess.run(
        ["unshare", "--net", sys.executable, "-c", COUNT, *(str(word) for word in command)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    # Two turns per pair; bidirectional: one turn, both messages there and both back.
    turns = ranks * (ranks - 1)
    expected = (messages + warmups) * size * turns * there_and_back
    assert abs(int(done.stdout) / expected - 1) < 0.05
    with h5py.File(tmp_path / "x.h5") as file:
        assert (file["sizes/65536/arrived"][:] * np.array(1) > 0).all()
