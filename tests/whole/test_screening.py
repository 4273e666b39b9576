"""`everylink run --schedule screen`, end to end: few steps name what was planted, and say what they covered."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from conftest import PATIENCE, Measure

RANKS, STEPS, MOST_STEPS = 48, 10, 30
SWITCHES = 8
QUICK = ["-s", "8,1MiB", "-n", 12, "-w", 2]


def everylink(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "everylink", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def screened(path: Path, faults: str, *words: object) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    mode = f"sim:hosts={RANKS},noise=0.02{faults}"
    done = everylink(
        "run", "--np", RANKS, "-m", mode, *QUICK, "--schedule", f"screen:{STEPS}", "-o", path, "--format", "json",
        *words,
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done, json.loads(done.stdout)


def topology(path: Path) -> Path:
    each = RANKS // SWITCHES
    file = path.with_name("topology.conf")
    names = (f"n[{first:02}-{first + each - 1:02}]" for first in range(0, RANKS, each))
    file.write_text("".join(f"SwitchName=s{number} Nodes={own}\n" for number, own in enumerate(names)))
    return file


def subjects(judged: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    return sorted((one["symptom"], one["kind"], one["subject"]) for one in judged["verdicts"])


def test_a_slow_host_is_named_after_few_steps_and_the_file_says_what_was_covered(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    done, judged = screened(path, ",slow-host=5*0.5")
    assert done.returncode == 3
    assert subjects(judged) == [("slow", "host", ["n05"])]
    (verdict,) = judged["verdicts"]
    assert verdict["factor"] == pytest.approx(2, rel=0.05)
    assert "with a quarter of the ranks busy" in verdict["evidence"]
    covered = judged["coverage"]
    assert (covered["hosts"], covered["measured"], covered["least"]) == (RANKS, RANKS, STEPS)
    with h5py.File(path) as file:
        assert file.attrs["schedule"].decode() == f"screen:{STEPS}"
        rows = file.attrs["rows"]
        attempt, step = (file["sizes/8"][name][:rows] for name in ("attempt", "step"))
        assert set(np.unique(attempt).tolist()) == {0, 5}
        assert len(np.unique(step)) <= MOST_STEPS
    again = everylink("diagnose", path, "--format", "json")
    assert json.loads(again.stdout)["coverage"] == covered
    assert everylink("show", path).stdout.count("screened: every host") == 1


@pytest.mark.long
def test_a_healthy_cluster_is_healthy_by_what_was_measured(tmp_path: Path) -> None:
    done, judged = screened(tmp_path / "x.h5", "")
    assert (done.returncode, judged["conclusion"], judged["verdicts"]) == (0, "healthy", [])
    assert judged["coverage"]["links"] < 0.5
    said = everylink("diagnose", tmp_path / "x.h5").stdout
    assert f"healthy: latency and bandwidth of every host, by {judged['links_measured']:,} of " in said


@pytest.mark.long
def test_of_a_host_that_dies_the_others_are_judged_by_the_switches_of_a_topology(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    done, judged = screened(path, ",slow-host=5*0.5,dead-host=9", "--time-limit", 1, "--topology", topology(path))
    assert done.returncode == 3
    assert subjects(judged) == [("slow", "host", ["n05"]), ("timeout", "host", ["n09"])]
    covered = judged["coverage"]
    assert covered["measured"] == RANKS - 1
    assert covered["ways"] == covered["ways_measured"] == SWITCHES * (SWITCHES - 1) // 2
    assert sorted(tmp_path.iterdir()) == sorted([path, topology(path)])


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ("SwitchName=a Nodes=x[0-3]\nSwitchName=b Nodes=x[4-9]\n", "names none of the hosts, such as n00"),
        ("nonsense\n", "has an unknown format"),
    ],
)
@pytest.mark.one_in(2)
def test_a_topology_of_other_hosts_is_refused_before_anything_is_measured(
    contents: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "topology.conf"
    file.write_text(contents)
    done = everylink(
        "run", "--np", RANKS, "-m", f"sim:hosts={RANKS}", *QUICK, "--schedule", "screen", "--topology", file, "-o",
        tmp_path / "x.h5",
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr


def test_confirm_is_refused_since_a_screening_measures_again_by_itself(tmp_path: Path) -> None:
    done = everylink("run", "--np", 8, "-m", "sim", "--schedule", "screen", "--confirm", "-o", tmp_path / "x.h5")
    assert done.returncode == 2
    assert "--confirm: leave it out; --schedule screen measures again what looks slow" in done.stderr


def test_a_screening_of_few_ranks_ends_when_all_pairs_are_measured(measure: Measure) -> None:
    run = measure("--np", 6, "-m", "sim", "--schedule", "screen", "-s", 1, "-n", 2, "-w", 0)
    rows = run.only.main()
    assert len(rows["from"]) == 6 * 5
