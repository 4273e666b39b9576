"""`everylink run --confirm`, end to end: planted faults are measured again and named, and nothing else."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from netns import PROGRAM, Bed, a_bed

from conftest import PATIENCE, Run

long = pytest.mark.long
SIM = ["-s", "1MiB", "-n", 12, "-w", 2]


def everylink(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "everylink", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def verdicts(path: Path) -> list[dict[str, Any]]:
    said = everylink("diagnose", path, "--format", "json")
    assert said.returncode in (0, 3), said.stderr
    found: list[dict[str, Any]] = json.loads(said.stdout)["verdicts"]
    return found


def attempts(path: Path) -> np.ndarray:
    with h5py.File(path) as file:
        assert file.attrs["complete"] == 1
        (size,) = file["sizes"].values()
        return np.bincount(size["attempt"][: file.attrs["rows"]], minlength=8)


@pytest.mark.parametrize("starts", [["--np", 16], pytest.param(["--launcher", "mpiexec", "--np", 16], marks=long)])
def test_a_slow_host_and_a_slow_link_are_distinguished(starts: list[object], tmp_path: Path) -> None:
    if "mpiexec" in starts:
        pytest.importorskip("shutil").which("mpirun") or pytest.skip("no mpirun here")
    path = tmp_path / "x.h5"
    mode = "sim:hosts=16,slow-host=5*0.5,slow-link=3>9*0.5,noise=0.02"
    options = ["--launcher-args=--allow-run-as-root"] if "mpiexec" in starts else []
    done = everylink("run", *starts, *options, "--confirm", "-m", mode, *SIM, "-o", path)
    assert done.returncode == 3, done.stdout + done.stderr
    host, link = sorted(verdicts(path), key=lambda verdict: verdict["kind"])
    assert (host["kind"], host["subject"], host["direction"]) == ("host", ["n05"], "both")
    assert host["factor"] == pytest.approx(2, rel=0.05)
    assert (link["kind"], link["subject"], link["direction"]) == ("link", ["n03:3", "n09:9"], "send")
    main, _, _, order, one_way, quarter, *_ = attempts(path)
    assert main == 16 * 15
    alone_again = 2 * 2 * 3  # both links of the slow pair, three times in each of two more rounds
    once = one_way - alone_again
    assert order >= 6 * once / 3 > 0  # the other ranks are paired too
    assert quarter >= 6 * once / 3
    assert done.stdout.count("Measuring again what looks slow\n") == 3
    assert done.stdout.count(" ranks on 16 hosts by ") == 1
    assert not list(tmp_path.glob("*.plan-*"))


@pytest.mark.long
def test_a_healthy_fabric_needs_few_further_measurements_and_is_called_healthy(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    done = everylink("run", "--np", 16, "--confirm", "-m", "sim:hosts=16,noise=0.02", *SIM, "-o", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no fault found in bandwidth; latency was not tested (240 links)" in done.stdout
    assert verdicts(path) == []


def test_confirm_adds_measurements_to_the_existing_file(run: Run, tmp_path: Path) -> None:
    options = ["--np", 6, "--mode", "sim", *SIM, "-o", "x.h5"]
    assert run(*options).returncode == 0
    (tmp_path / "pairs").write_text("1 2\n4 3\n")
    assert run(*options, "--confirm", "pairs").returncode == 0
    with h5py.File(tmp_path / "x.h5") as file:
        (size,) = file["sizes"].values()
        rows = slice(0, file.attrs["rows"])
        again = np.stack([size[name][rows] for name in ("from", "to", "attempt")], axis=1)
        assert (size["outcome"][rows] == 0).all()
        assert file.attrs["kernel"] == b"semidirectional"
        assert len(np.unique(size["step"][rows])) == file.attrs["steps"]
    links = [(1, 2), (2, 1), (3, 4), (4, 3)]
    assert [(a, b) for a, b, attempt in again.tolist() if attempt == 4] == 3 * links
    confirmed = [(a, b) for a, b, attempt in again.tolist() if attempt == 3]
    assert {link: confirmed.count(link) for link in links} == dict.fromkeys(links, 6)
    assert {link: confirmed.count(link) for link in ((0, 5), (5, 0))} == dict.fromkeys(((0, 5), (5, 0)), 6)  # none idle
    assert len(again) == 30 + 20 + 36 + 12  # the main run, its retest of the 10 slowest pairs, and these


def test_a_plan_is_measured_phase_by_phase(run: Run, tmp_path: Path) -> None:
    options = ["--np", 16, "--mode", "sim:hosts=16", *SIM, "-o", "x.h5", "--num-slowest", 0]
    assert run(*options).returncode == 0
    (tmp_path / "plan").write_text("# by hand\n1 2 order\n3 4 quarter\n3 2 quarter\n9 4 few\n8 5 alone\n6 7 one-way\n")
    done = run(*options, "--confirm", "plan")
    assert done.returncode == 0, done.stderr
    assert "Plan plan: order 1 pair, quarter 2 pairs, few 1 pair, alone 1 pair, one-way 1 pair" in done.stdout
    with h5py.File(tmp_path / "x.h5") as file:
        (size,) = file["sizes"].values()
        rows = slice(16 * 15, file.attrs["rows"])
        frm, to, step, attempt = (size[name][rows] for name in ("from", "to", "step", "attempt"))
        assert (size["outcome"][rows] == 0).all()
        seeds = file["steps/seed"][: file.attrs["steps"]]
    by_phase = [3] * 6 * 16 + [5] * 6 * 2 * 4 + [7] * 3 * 2 + [6] * 3 * 2 + [4] * 3 * 2  # filled up to 8 and 2 pairs
    assert attempt.tolist() == by_phase
    busy = np.stack([step, frm])
    assert len(np.unique(busy, axis=1).T) == len(frm)  # true steps: a rank has one peer in each
    for number, a, b, readings in ((3, 1, 2, 6), (5, 3, 4, 6), (5, 2, 3, 6), (7, 4, 9, 3), (6, 5, 8, 3), (4, 6, 7, 3)):
        times = [int(((attempt == number) & (frm == x) & (to == y)).sum()) for x, y in ((a, b), (b, a))]
        assert min(times) >= readings
    passes = len(np.unique(seeds[seeds > 0]))
    assert passes == 15  # others are drawn in each


def test_a_retest_budget_of_zero_leaves_out_the_phases_alone_and_one_way(run: Run, tmp_path: Path) -> None:
    options = ["--np", 4, "--mode", "sim:hosts=4", *SIM, "-o", "x.h5", "--num-slowest", 0, "--retest-budget", 0]
    assert run(*options).returncode == 0
    (tmp_path / "plan").write_text("0 1 alone\n0 2 order\n0 1 one-way\n")
    assert run(*options, "--confirm", "plan").returncode == 0
    assert attempts(tmp_path / "x.h5").tolist() == [12, 0, 0, 6 * 4, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--confirm", "none"], "--confirm none: cannot be read"),
        (["--confirm", "pairs", "--force"], "--confirm and --force exclude each other"),
        (["--confirm", "pairs", "--no-output"], "--confirm and --no-output exclude each other"),
        (["--confirm", "pairs", "-n", 7], "messages is '12' in the file, but '7' now"),
        (["--confirm", "pairs", "--unidirectional"], "kernel is 'semidirectional' in the file"),
        (["--confirm", "beyond"], "--confirm beyond: line 1: rank 6 is not one of 0 to 5"),
        (["--confirm", "empty"], "--confirm empty: the plan has no pairs"),
        (["--confirm", "half"], "--confirm half: line 2: unknown phase 'half'"),
        (["--confirm", "twice"], "--confirm twice: line 3: ranks 2 and 1 are already in phase alone by line 1"),
        (["--confirm", "pairs", "-o", "no.h5"], "--confirm: --output no.h5: No such file"),
    ],
)
@pytest.mark.one_in(3)
def test_a_file_that_cannot_be_confirmed_is_refused_and_kept(
    more: list[object], said: str, run: Run, tmp_path: Path
) -> None:
    options = ["--np", 6, "--mode", "sim", *SIM, "-o", "x.h5"]
    assert run(*options).returncode == 0
    before = (tmp_path / "x.h5").read_bytes()
    (tmp_path / "pairs").write_text("1 2\n")
    (tmp_path / "beyond").write_text("1 6\n")
    (tmp_path / "empty").write_text("# none\n")
    (tmp_path / "half").write_text("1 2 order\n1 2 half\n")
    (tmp_path / "twice").write_text("1 2 alone\n1 3 alone\n2 1 alone\n")
    done = run(*options, *more)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "resume" not in done.stderr
    assert (tmp_path / "x.h5").read_bytes() == before


# --- on the namespaces: real sockets, every host shaped so that the network is the limit ---------------------------
@pytest.fixture(scope="module")
def eight(possible: None) -> Iterator[Bed]:
    yield from a_bed(8)


@pytest.mark.alone  # compares times
@pytest.mark.parametrize(
    ("faults", "size", "messages", "kind", "subject", "symptom"),
    [
        pytest.param(["slow h4 50mbit"], "64KiB", 6, "host", ["h4"], "slow", marks=long),
        pytest.param(
            ["delay-pair h1>h6 3000", "delay-pair h6>h1 3000"], "1KiB", 20, "pair", ["h1:1", "h6:6"], "slow", marks=long
        ),
        pytest.param(["drop h3 5"], "16KiB", 20, "host", ["h3"], "loss", marks=long),
    ],
)
def test_confirm_names_the_faulty_component_in_the_namespaces(
    eight: Bed, faults: list[str], size: str, messages: int, kind: str, subject: list[str], symptom: str, tmp_path: Path
) -> None:
    eight.heal()
    for fault in ["shape 200mbit", *faults]:
        eight.fault(fault)
    path = tmp_path / "x.h5"
    starts = ["--launcher", "command", f"--launcher-args={PROGRAM} --name {eight.name} measure"]
    options = ["-m", "tcp", "-s", size, "-n", messages, "-w", 1, "-o", path]
    done = everylink("run", *starts, "--confirm", *options)
    eight.heal()
    assert done.returncode == 3, done.stdout + done.stderr
    found = [(v["kind"], v["subject"], v["symptom"]) for v in verdicts(path)]
    assert (kind, subject, symptom) in found, done.stdout
    hosts = {name.partition(":")[0] for name in subject}  # a lossy one may also have links that time out
    assert all({name.partition(":")[0] for name in names} & hosts for _, names, _ in found), found
